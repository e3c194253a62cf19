use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32]) {
    println!("{:?}", x);
}

fn main() {}
