use kernel_runtime::prelude::*;

#[kernel(instances(T = [f32, f64]))]
fn k<T: Number>(x: &[T], y: &mut [T]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = x[i];
    }
}

#[deny(deprecated)]
fn main() -> Result<()> {
    println!("{}", k::KERNEL.best_block_size(&Gpu::new()?)?);
    Ok(())
}
