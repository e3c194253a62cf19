use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    struct Point {
        x: i32,
    }
    impl Point {
        fn length(&self) -> i32 {
            self.x.abs()
        }
    }
    let p = Point { x: n };
    y[0] = p.lenght();
}

fn main() {}
