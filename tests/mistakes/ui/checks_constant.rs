use kernel_runtime::prelude::*;

#[kernel(checks(overflow))]
fn shift(x: &mut [u32]) {
    const ALL: i32 = i32::MAX + 1;
    let i = global_idx().x;
    x[i] = ALL as u32;
}

fn main() {}
