use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    #[derive(Clone, Copy)]
    struct S(f32);
    #[shfl(down = 1)]
    let s = S(x[i]);
    let v = s.0;
    y[i] = v;
}

fn main() {}
