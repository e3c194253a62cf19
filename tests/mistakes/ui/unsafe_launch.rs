use kernel_runtime::prelude::*;

/// # Safety
/// `x` is as long as `y`.
#[kernel]
unsafe fn scale(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = unsafe { *x.get_unchecked(i) };
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let x = gpu.zeros::<f32>(4)?;
    let mut y = gpu.zeros::<f32>(4)?;
    scale(&x, &mut y).over(4).run()?;
    Ok(())
}
