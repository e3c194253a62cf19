use kernel_runtime::prelude::*;

#[kernel(cooperative)]
fn k(x: &mut [f32]) {
    let i = global_idx().x;
    this_grid().sync();
    if i < x.len() {
        x[i] = 1.0;
    }
}

fn main() {}
