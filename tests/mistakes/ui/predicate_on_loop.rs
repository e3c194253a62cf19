use kernel_runtime::prelude::*;

#[kernel]
fn clear(x: &mut [f32]) {
    #[predicate]
    for i in 0..x.len() {
        x[i] = 0.0;
    }
}

fn main() {}
