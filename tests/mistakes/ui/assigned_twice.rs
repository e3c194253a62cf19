use kernel_runtime::prelude::*;

#[kernel]
fn scale(a: f32, y: &mut [f32]) {
    let i = global_idx().x;
    let v;
    v = a;
    y[i] = v;
    v = 2.0;
    y[i] += v;
}

fn main() {}
