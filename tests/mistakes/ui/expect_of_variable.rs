use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    y[0] = *x.first().expect(n);
}

fn main() {}
