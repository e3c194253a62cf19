use kernel_runtime::prelude::*;

#[kernel]
fn k(out: &mut [f32]) {
    #[prefetch(1)]
    for i in 1..out.len() {
        out[i] += out[i - 1];
    }
}

fn main() {}
