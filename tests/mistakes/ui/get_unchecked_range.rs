use kernel_runtime::prelude::*;

#[kernel]
fn first(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let part = unsafe { x.get_unchecked(i..i + 4) };
    y[i] = part[0];
}

fn main() {}
