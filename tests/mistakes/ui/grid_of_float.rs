use kernel_runtime::prelude::*;

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let mut y = gpu.zeros::<f32>(32)?;
    k(&mut y).grid(1.5).block(32).run()?;
    k(&mut y).grid((1, 2, 3, 4)).block((32, 2u64)).run()?;
    Ok(())
}
