use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn zero<T: Default>() -> T {
        T::default()
    }
    let v = zero();
    y[0] = n;
}

fn main() {}
