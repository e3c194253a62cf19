use kernel_runtime::prelude::*;

#[kernel]
fn scale(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = *x.get_unchecked(i);
    }
}

fn main() {}
