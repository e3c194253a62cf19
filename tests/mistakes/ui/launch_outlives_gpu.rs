use kernel_runtime::prelude::*;

#[kernel]
fn empty() {}

fn main() -> Result<()> {
    let launch = {
        let gpu = Gpu::new()?;
        empty().grid(1).block(32).on(&gpu)
    };
    launch.run()?;
    Ok(())
}
