use kernel_runtime::prelude::*;

#[kernel(arch(sm_80, sm_90))]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    let number = i as u32;
    if i < x.len() {
        x[i] = if target::at_least(number) { 1.0 } else { 2.0 };
    }
}

fn main() {}
