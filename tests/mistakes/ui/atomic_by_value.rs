use kernel_runtime::prelude::*;

#[kernel]
fn k(count: AtomicU32, y: &mut [u32]) {
    y[0] = count.load(Ordering::Relaxed);
}

fn main() {}
