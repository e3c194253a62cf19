use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicU32], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        a[i].store(1, Ordering::Acquire);
    }
}

fn main() {}
