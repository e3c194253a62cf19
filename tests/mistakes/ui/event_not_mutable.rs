use kernel_runtime::prelude::*;

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let event = stream.record()?;
    stream.record_again(&mut event)?;
    Ok(())
}
