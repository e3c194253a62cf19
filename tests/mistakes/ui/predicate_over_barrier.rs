use kernel_runtime::prelude::*;

#[kernel]
fn staged(stages: u32, x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let t = thread_idx().x;
    tile[t % 256] = x[t];
    #[predicate]
    if stages > 1 {
        barrier();
    }
    out[t] = tile[(t + 1) % 256];
}

fn main() {}
