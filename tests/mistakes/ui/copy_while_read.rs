use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let x = gpu.zeros::<f32>(10)?;
    let mut host = gpu.pinned::<f32>(10)?;
    let values = host.read()?;
    stream.copy_to_host(&x, &mut host)?;
    println!("{values:?}");
    Ok(())
}
