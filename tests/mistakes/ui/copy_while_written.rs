use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let mut x = gpu.zeros::<f32>(10)?;
    let mut host = gpu.pinned::<f32>(10)?;
    let values = host.write()?;
    stream.copy_to_device(&host, &mut x)?;
    values[0] = 1.0;
    Ok(())
}
