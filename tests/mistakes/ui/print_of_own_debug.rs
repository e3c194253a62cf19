use core::fmt;

use kernel_runtime::prelude::*;

#[kernel_module]
mod shapes {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Angle {
        pub degrees: f32,
    }

    #[kernel]
    pub fn k(x: f32) {
        println!("{:?}", Angle { degrees: x });
    }
}

impl fmt::Debug for shapes::Angle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}°", self.degrees)
    }
}

fn main() {}
