//! A function of the user's under the name of one of the language's: the kernel would not call what it seems to call.

use kernel_runtime::prelude::*;

pub fn barrier() {}

#[kernel]
pub fn fill(y: &mut [u32]) {
    let i = global_idx().x;
    barrier();
    y[i] = 1;
}

fn main() {}
