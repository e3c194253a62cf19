use kernel_runtime::prelude::*;

#[kernel(instances(U = [f32, i32]))]
fn fill<T: Copy>(value: T, y: &mut [T]) {
    y[0] = value;
}

fn main() {}
