use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    for v in x.iter().unzip() {
        y[0] += v;
    }
}

fn main() {}
