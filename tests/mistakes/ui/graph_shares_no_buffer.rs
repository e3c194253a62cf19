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
    let mut x = gpu.zeros::<f32>(10)?;
    let lent = x.lend();
    let graph = gpu.graph(|graph| fill(lent).over(10).record(graph))?;
    fill(&mut x).over(10).run()?;
    graph.run()?;
    Ok(())
}
