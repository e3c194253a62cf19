use kernel_runtime::prelude::*;

#[kernel]
fn invert(flags: &mut [bool]) {
    flags[0] = !flags[0];
}

fn main() {}
