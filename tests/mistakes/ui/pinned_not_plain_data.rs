use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let _names = gpu.pinned::<String>(10)?;
    Ok(())
}
