use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32) {
    println!("{}", n, total = 3);
}

fn main() {}
