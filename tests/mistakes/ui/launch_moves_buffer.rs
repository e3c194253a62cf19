use kernel_runtime::prelude::*;

#[kernel]
fn fill(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] = 1.0;
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let mut x = gpu.zeros::<f32>(100)?;
    let launch = fill(&mut x).over(100);
    let moved = x;
    launch.run()?;
    drop(moved);
    Ok(())
}
