use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let x = gpu.zeros::<f32>(100)?;
    let mut host = gpu.pinned::<f32>(100)?;
    let seen = host.read()?;
    stream.copy_to_host(&x, &mut host)?;
    println!("{}", seen[0]);
    Ok(())
}
