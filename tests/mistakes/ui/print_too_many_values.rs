use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: f32) {
    println!("{}", n, x);
}

fn main() {}
