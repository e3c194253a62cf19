use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    static mut COUNT: i32 = 3;
    y[0] = unsafe { COUNT };
}

fn main() {}
