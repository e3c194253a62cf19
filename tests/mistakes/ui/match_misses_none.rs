use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let first = x.first();
    y[0] = match first {
        Some(v) => *v,
    };
}

fn main() {}
