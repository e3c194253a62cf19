use kernel_runtime::prelude::*;

#[kernel]
pub fn add(bias: Option<&[f32]>, y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] += bias.map_or(0.0, |bias| bias[i % bias.len()]);
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let (bias, mut y) = (gpu.zeros::<f32>(4)?, gpu.zeros::<f32>(4)?);
    add(bias.slice(1..3)?, &mut y).over(4).run()?;
    add(Some(bias.slice(1..3)?), &mut y).over(4).run()?;
    Ok(())
}
