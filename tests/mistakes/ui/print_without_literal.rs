use kernel_runtime::prelude::*;

const FORMAT: &str = "{}";

#[kernel]
fn k(n: i32) {
    println!(FORMAT, n);
}

fn main() {}
