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
    let stream = gpu.stream()?;
    let mut y = gpu.zeros::<f32>(10)?;
    copy(&y, &mut y).over(10).start(&stream)?;
    Ok(())
}
