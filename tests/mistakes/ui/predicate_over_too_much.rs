use kernel_runtime::prelude::*;

#[kernel]
fn spread(x: &mut [u64]) {
    let i = global_idx().x;
    if i < x.len() {
        let mut v = x[i];
        #[predicate]
        if v > 100 {
            v = v / 3 + v / 5 + v / 7 + v / 11 + v % 13;
        }
        x[i] = v;
    }
}

fn main() {}
