use kernel_runtime::prelude::*;

#[kernel]
fn double(mut x: MatrixMut<'_, f32>) {
    let (row, column) = (global_idx().y, global_idx().x);
    if row < x.rows() && column < x.columns() {
        x[[row, column]] *= 2.0;
    }
}

fn launch(x: MatrixMut<'_, f32>) -> Result<()> {
    double(x).over((4, 4)).run()?;
    Ok(())
}

fn main() {
    let _ = launch;
}
