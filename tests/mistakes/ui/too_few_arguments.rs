use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn add(a: i32, b: i32) -> i32 {
        a + b
    }
    y[0] = add(n);
}

fn main() {}
