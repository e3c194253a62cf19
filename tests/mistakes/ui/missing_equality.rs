use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    #[derive(Clone, Copy)]
    struct Point {
        x: i32,
    }
    let p = Point { x: n };
    y[0] = (p == p) as i32;
}

fn main() {}
