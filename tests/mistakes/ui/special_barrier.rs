use kernel_runtime::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    if special::smid() == 0 {
        barrier();
    }
    y[global_idx().x] = 1;
}

fn main() {}
