use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicU32], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        let wide = i as u64;
        a[i].fetch_add(wide, Ordering::Relaxed);
    }
}

fn main() {}
