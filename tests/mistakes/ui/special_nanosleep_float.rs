use kernel_runtime::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    nanosleep(1.5);
    y[global_idx().x] = 1;
}

fn main() {}
