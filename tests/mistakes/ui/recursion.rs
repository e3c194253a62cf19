use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn factorial(n: i32) -> i32 {
        if n < 2 { 1 } else { n * factorial(n - 1) }
    }
    y[0] = factorial(n);
}

fn main() {}
