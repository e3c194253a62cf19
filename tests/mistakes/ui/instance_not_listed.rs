use kernel_runtime::prelude::*;

#[kernel(instances(T = [f32, i32]))]
fn fill<T: Copy>(value: T, y: &mut [T]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = value;
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let mut y = gpu.zeros::<u64>(8)?;
    fill::<u64>(1, &mut y).over(8).run()?;
    Ok(())
}
