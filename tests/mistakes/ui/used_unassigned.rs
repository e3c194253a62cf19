use kernel_runtime::prelude::*;

#[kernel]
fn scale(a: f32, y: &mut [f32]) {
    let i = global_idx().x;
    let v: f32;
    if i > 0 {
        v = a;
    }
    y[i] = v;
}

fn main() {}
