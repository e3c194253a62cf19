use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    const fn forever() -> i32 {
        let mut v = 0;
        loop {
            v = (v + 1) % 7;
        }
    }
    const BAD: i32 = forever();
    y[0] = BAD + n;
}

fn main() {}
