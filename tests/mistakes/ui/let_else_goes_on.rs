use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let Some(v) = x.first() else {
        y[0] = 1;
    };
    y[0] = *v;
}

fn main() {}
