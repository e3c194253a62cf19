use kernel_runtime::prelude::*;

#[kernel(tune(N = [], block = []))]
fn scale<const N: usize>(x: &mut [f32]) {
    x[N] = 1.0;
}

fn main() {
    let gpu = Gpu::new().unwrap();
    let mut x = gpu.zeros(10).unwrap();
    scale(&mut x).over(10).run().unwrap();
}
