use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    enum Shape {
        Circle(i32),
        Point,
    }
    y[0] = n;
}

fn main() {}
