#![deny(unused_must_use)]
use kernel_runtime::prelude::*;

#[kernel]
fn nothing() {}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    nothing().over(10).on(&gpu);
    Ok(())
}
