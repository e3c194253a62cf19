use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicF32], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        a[i].fetch_and(1.0, Ordering::Relaxed);
    }
}

fn main() {}
