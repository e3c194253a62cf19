use kernel_runtime::prelude::*;

#[kernel(tune(N = [1, 2]))]
fn scale<T: Copy, const N: usize>(x: &mut [T]) {
    x[N] = x[0];
}

fn main() {
    let gpu = Gpu::new().unwrap();
    let mut x = gpu.zeros::<f32>(10).unwrap();
    scale::<f32>(&mut x).over(10).run().unwrap();
}
