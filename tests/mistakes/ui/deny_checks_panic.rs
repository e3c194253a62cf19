use kernel_runtime::prelude::*;

#[kernel(deny_checks)]
fn roots(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        assert!(x[i] >= 0.0, "a negative number");
        x[i] = x[i].sqrt();
    }
}

fn main() {}
