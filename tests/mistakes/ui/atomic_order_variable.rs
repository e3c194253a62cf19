use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicU32], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        let order = if y[i] == 0 { Ordering::Relaxed } else { Ordering::SeqCst };
        y[i] = a[i].load(order);
    }
}

fn main() {}
