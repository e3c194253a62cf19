use kernel_runtime::prelude::*;

#[kernel]
fn k(n: u32) {
    let values = [n; 125];
    println!("{values:?}");
}

fn main() {}
