use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicU32], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        let mut counts = shared::<[AtomicU32; 4]>();
        let place = &mut counts[0];
        place.store(1, Ordering::Relaxed);
    }
}

fn main() {}
