use kernel_runtime::prelude::*;

#[kernel(tune(UNROLL))]
fn scale<const UNROLL: usize>(x: &mut [f32]) {
    x[UNROLL] = 1.0;
}

fn main() {
    let gpu = Gpu::new().unwrap();
    let mut x = gpu.zeros(10).unwrap();
    scale(&mut x).over(10).run().unwrap();
}
