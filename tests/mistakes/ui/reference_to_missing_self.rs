use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn read() -> i32 {
        self.v
    }
    y[0] = read();
}

fn main() {}
