use kernel_runtime::prelude::*;

#[kernel]
fn clear(y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = 0.0;
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let stream = gpu.stream()?;
    let mut y = gpu.zeros::<f32>(10)?;
    let launch = clear(&mut y).over(10);
    println!("{:?}", y.to_vec()?);
    launch.start(&stream)?;
    println!("{:?}", y.to_vec()?);
    Ok(())
}
