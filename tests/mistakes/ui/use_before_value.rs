use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let v: i32;
    if n > 0 {
        v = 1;
    }
    y[0] = v;
}

fn main() {}
