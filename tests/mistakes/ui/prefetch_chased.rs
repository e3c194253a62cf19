use kernel_runtime::prelude::*;

#[kernel]
fn k(n: u32, next: &[usize], out: &mut [usize]) {
    let mut at = 0;
    #[prefetch(1)]
    for _ in 0..n {
        at = next[at];
    }
    out[0] = at;
}

fn main() {}
