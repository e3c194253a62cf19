use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let mut x = gpu.zeros::<f32>(100)?;
    let mut host = gpu.pinned::<f32>(100)?;
    let data = host.write()?;
    stream.copy_to_device(&host, &mut x)?;
    data.fill(1.0);
    Ok(())
}
