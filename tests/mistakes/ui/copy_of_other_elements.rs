use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let mut x = gpu.zeros::<f32>(10)?;
    let host = gpu.pinned::<i32>(10)?;
    stream.copy_to_device(&host, &mut x)?;
    Ok(())
}
