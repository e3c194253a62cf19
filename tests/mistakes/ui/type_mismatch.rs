use kernel_runtime::prelude::*;

#[kernel]
fn scale(a: f32, n: u32, y: &mut [f32]) {
    let i = global_idx().x;
    let factor = a * n;
    y[i] *= factor;
}

fn main() -> Result<()> {
    // The call is no second error.
    let gpu = Gpu::new()?;
    let mut y = gpu.zeros::<f32>(1)?;
    scale(2.0, 1, &mut y).over(1).run()?;
    let _ = scale::KERNEL.best_block_size(&gpu)?;
    Ok(())
}
