use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    for v in 0..3 {
        let stop = || break;
        stop();
    }
    y[0] = n;
}

fn main() {}
