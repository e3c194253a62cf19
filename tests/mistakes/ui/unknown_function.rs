use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn square(v: i32) -> i32 {
        v * v
    }
    y[0] = sqare(n);
}

fn main() {}
