use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    struct Point {
        x: i32,
        y: i32,
    }
    let p = Point { x: n, y: 2 };
    y[0] = p.z;
}

fn main() {}
