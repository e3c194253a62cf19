use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let v = match n {
        0 => 1,
        _ => 2.5,
    };
    y[0] = v;
}

fn main() {}
