use kernel_runtime::prelude::*;

#[kernel]
fn clamp(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        #[predicate]
        #[branch]
        if x[i] > 1.0 {
            x[i] = 1.0;
        }
    }
}

fn main() {}
