use kernel_runtime::Launch;
use kernel_runtime::prelude::*;

#[kernel]
fn clear(y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = 0.0;
    }
}

fn prepared(gpu: &Gpu) -> Result<Launch<'_>> {
    let mut y = gpu.zeros::<f32>(10)?;
    Ok(clear(&mut y).over(10))
}

fn main() -> Result<()> {
    prepared(&Gpu::new()?)?.run()?;
    Ok(())
}
