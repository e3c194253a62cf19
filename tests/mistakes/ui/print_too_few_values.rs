use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32) {
    println!("{} of {}", n);
}

fn main() {}
