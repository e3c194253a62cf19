use kernel_runtime::prelude::*;

struct Shape;

impl Shape {
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

fn main() {
    let _ = Shape;
}
