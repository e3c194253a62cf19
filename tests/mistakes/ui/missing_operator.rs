use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    #[derive(Clone, Copy)]
    struct Point {
        x: i32,
    }
    let p = Point { x: n };
    let q = p + p;
    y[0] = q.x;
}

fn main() {}
