use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let mut x = gpu.zeros::<f32>(100)?;
    stream.copy(&x, &mut x)?;
    Ok(())
}
