use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn more() -> i32 {
        n + 1
    }
    y[0] = more();
}

fn main() {}
