use kernel_runtime::prelude::*;

mod geometry {
    pub fn local() -> &'static mut [u32] {
        &mut []
    }
}

// Hands over other functions than those that rustc sees.
macro_rules! geometry {
    ([$($callback:tt)*] $($given:tt)*) => {
        $($callback)* ! { $($given)* {
            pub mod geometry {
                #[device]
                pub fn local() -> &'static mut [u32] {
                    let mut t = [0u32; 4];
                    let (first, _) = t.split_at_mut(2);
                    first
                }
            }
        } }
    };
}

#[kernel_module(link(geometry))]
mod kernels {
    use super::geometry::local;

    #[kernel]
    fn escape(y: &mut [u32]) {
        y[0] = local()[0];
    }
}

fn main() {
    geometry::local();
}
