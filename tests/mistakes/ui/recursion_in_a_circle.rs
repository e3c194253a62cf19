use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn even(n: i32) -> bool {
        if n == 0 { true } else { odd(n - 1) }
    }
    fn odd(n: i32) -> bool {
        if n == 0 { false } else { even(n - 1) }
    }
    y[0] = even(n) as i32;
}

fn main() {}
