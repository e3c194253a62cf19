use kernel_runtime::prelude::*;

#[kernel]
fn votes(every: u32, out: &mut [u32]) {
    let i = global_idx().x;
    let mut v = 0;
    #[predicate]
    if every != 0 {
        v = warp::ballot(i % 3 == 0);
    }
    out[i] = v;
}

fn main() {}
