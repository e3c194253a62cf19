use kernel_runtime::prelude::*;

#[kernel]
fn k(a: &[AtomicF16x2], y: &mut [u32]) {
    let i = global_idx().x;
    if i < a.len() && i < y.len() {
        a[i].fetch_max(F16x2::splat(f16::from_f32(1.0)), Ordering::Relaxed);
    }
}

fn main() {}
