use kernel_runtime::prelude::*;

#[kernel]
fn pick(x: &[f32], places: &[u32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() && i < places.len() {
        #[predicate]
        if places[i] != 0 {
            out[i] = x[places[i] as usize];
        }
    }
}

fn main() {}
