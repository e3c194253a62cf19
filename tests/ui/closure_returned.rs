use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn adder(k: i32) -> impl Fn(i32) -> i32 {
        move |v| v + k
    }
    y[0] = adder(n)(1);
}

fn main() {}
