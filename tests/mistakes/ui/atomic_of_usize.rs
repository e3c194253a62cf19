use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicUsize], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        a[i].fetch_add(1, Ordering::Relaxed);
    }
}

fn main() {}
