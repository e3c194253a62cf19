use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32) {
    println!("{} {}", "the number", n);
}

fn main() {}
