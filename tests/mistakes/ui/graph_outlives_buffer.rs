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
    let graph = {
        let mut x = gpu.zeros::<f32>(10)?;
        let x = x.lend();
        gpu.graph(|graph| fill(x).over(10).record(graph))?
    };
    graph.run()?;
    Ok(())
}
