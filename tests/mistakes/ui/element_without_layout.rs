use kernel_runtime::prelude::*;

#[kernel_module]
pub mod m {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, Element)]
    pub struct Point {
        pub x: f32,
        pub y: f32,
    }

    #[kernel]
    pub fn sums(points: &[Point], shift: Point, y: &mut [f32]) {
        y[0] = points[0].x + shift.y;
    }
}

fn main() {}
