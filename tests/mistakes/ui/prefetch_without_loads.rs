use kernel_runtime::prelude::*;

#[kernel]
fn k(n: u32, out: &mut [f32]) {
    let mut sum = 0.0f32;
    #[prefetch(1)]
    for i in 0..n {
        sum += i as f32;
    }
    out[0] = sum;
}

fn main() {}
