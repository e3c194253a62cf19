use kernel_runtime::prelude::*;

#[kernel]
fn powers(n: u32, x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        let mut v = x[i];
        #[predicate]
        if v > 1.0 {
            for _ in 0..n {
                v *= v;
            }
        }
        x[i] = v;
    }
}

fn main() {}
