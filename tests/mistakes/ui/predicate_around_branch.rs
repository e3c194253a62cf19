use kernel_runtime::prelude::*;

#[kernel]
fn clamp(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        let mut v = x[i];
        #[predicate]
        if v > 0.0 {
            #[branch]
            if v > 1.0 {
                v = 1.0;
            }
        }
        x[i] = v;
    }
}

fn main() {}
