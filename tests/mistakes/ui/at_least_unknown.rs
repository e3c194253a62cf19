use kernel_runtime::prelude::*;

#[kernel(arch(sm_80, sm_90))]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] = if target::at_least(9) { 1.0 } else { 2.0 };
    }
}

fn main() {}
