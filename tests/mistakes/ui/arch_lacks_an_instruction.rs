use kernel_runtime::prelude::*;

#[kernel(arch(sm_75, sm_90))]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        let value = bf16::from_f32(x[i]);
        x[i] = (value * value).to_f32();
    }
}

fn main() {}
