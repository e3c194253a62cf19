use kernel_runtime::prelude::*;

#[kernel]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = x[i];
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let x = gpu.zeros::<f32>(100)?;
    let y = gpu.zeros::<f32>(100)?;
    copy(&x, &y).over(100).run()?;
    Ok(())
}
