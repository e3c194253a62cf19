use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32) {
    println!("{n} }");
}

fn main() {}
