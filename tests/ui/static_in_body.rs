use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    static COUNT: i32 = 3;
    y[0] = COUNT;
}

fn main() {}
