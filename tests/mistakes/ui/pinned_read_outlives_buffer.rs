use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let seen = {
        let host = gpu.pinned::<f32>(100)?;
        host.read()?
    };
    println!("{}", seen[0]);
    Ok(())
}
