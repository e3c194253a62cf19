use kernel_runtime::prelude::*;

#[kernel]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let mut x = gpu.zeros::<f32>(100)?;
    let lent = x.lend();
    let launch = double(lent).over(100);
    std::thread::scope(|scope| {
        scope.spawn(|| launch.run());
        lent.to_vec()
    })?;
    Ok(())
}
