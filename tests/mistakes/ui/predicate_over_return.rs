use kernel_runtime::prelude::*;

#[kernel]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    #[predicate]
    if i >= x.len() {
        return;
    }
    x[i] *= 2.0;
}

fn main() {}
