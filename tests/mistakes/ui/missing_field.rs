use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    struct Point {
        x: i32,
        y: i32,
    }
    let p = Point { x: n };
    y[0] = p.x;
}

fn main() {}
