use kernel_runtime::prelude::*;

#[kernel]
fn kinds(kinds: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    match kinds[i] {
        0 => out[i] = 1,
        1 => barrier(),
        _ => {}
    }
}

fn main() {}
