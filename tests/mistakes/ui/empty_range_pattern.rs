use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    y[0] = match n {
        9..=3 => 1,
        _ => 2,
    };
}

fn main() {}
