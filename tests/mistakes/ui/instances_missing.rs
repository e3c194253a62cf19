use kernel_runtime::prelude::*;

#[kernel]
fn fill<T: Copy>(value: T, y: &mut [T]) {
    let i = global_idx().x;
    y[i] = value;
}

fn main() {}
