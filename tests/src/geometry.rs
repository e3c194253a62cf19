//! A device library that the tests link from another crate.

use kernel_runtime::prelude::*;

/// Points and what kernels do with them.
#[allow(clippy::module_inception)]
#[device_library]
pub mod geometry {
    use core::ops::{Add, Mul};
    use kernel_runtime::prelude::*;

    /// The largest distance of a point.
    pub const FAR: f32 = 100.0;

    /// A point.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Point {
        /// To the right.
        pub x: f32,
        /// Upwards.
        pub y: f32,
    }

    impl Point {
        /// The intersection of the axes.
        pub const ORIGIN: Point = Point { x: 0.0, y: 0.0 };

        /// The product of lengths and the angle's cosine.
        pub fn dot(self, other: Point) -> f32 {
            self.x * other.x + self.y * other.y
        }
    }

    impl Add for Point {
        type Output = Point;
        fn add(self, other: Point) -> Point {
            Point { x: self.x + other.x, y: self.y + other.y }
        }
    }

    impl Mul<f32> for Point {
        type Output = Point;
        fn mul(self, by: f32) -> Point {
            Point { x: self.x * by, y: self.y * by }
        }
    }

    /// The distance from the origin, at most [`FAR`].
    #[device]
    pub fn length(p: Point) -> f32 {
        inner::clamp(p.dot(p).sqrt(), FAR)
    }

    /// Without a mark: for the host alone.
    pub fn describe(p: Point) -> String {
        format!("({}, {})", p.x, p.y)
    }

    mod inner {
        #[device]
        pub fn clamp(v: f32, most: f32) -> f32 {
            v.min(most)
        }
    }
}
