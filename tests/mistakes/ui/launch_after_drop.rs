use kernel_runtime::prelude::*;

#[kernel]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let (x, mut y) = (gpu.zeros::<f32>(10)?, gpu.zeros::<f32>(10)?);
    let launch = copy(&x, &mut y).over(10);
    drop(x);
    launch.run()?;
    Ok(())
}
