use kernel_runtime::prelude::*;

#[kernel(instances(T = [f32, i32]), tune(N = [1, 2]))]
fn fill<T: Number, const N: usize>(x: &mut [T]) {
    x[N] = T::ONE;
}

fn main() {
    let gpu = Gpu::new().unwrap();
    let mut x = gpu.zeros::<u8>(10).unwrap();
    fill(&mut x).over(10).run().unwrap();
}
