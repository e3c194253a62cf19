use kernel_runtime::prelude::*;

#[kernel]
fn copy(x: &[f23], y: &mut [f32]) {
    y[0] = x[0];
}

fn main() -> Result<()> {
    // The call is no second error.
    let gpu = Gpu::new()?;
    let x = gpu.zeros::<f32>(1)?;
    let mut y = gpu.zeros::<f32>(1)?;
    copy(&x, &mut y).over(1).run()?;
    Ok(())
}
