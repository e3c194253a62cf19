use kernel_runtime::prelude::*;

#[kernel]
fn copy<T>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

fn main() {}
