use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicU32], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        let _ = a[i].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| old + 1);
    }
}

fn main() {}
