//! Reductions and scans by an operator of the user's own, over any plain data, and of values with their indices: what rustc sees of them. The compiler takes those of
//! its device library, on the CPU too.

use super::{Int, Number};
use crate::cpu::fiber;

macro_rules! by_operator {
    ($module:ident $group:literal $of:literal) => {
        #[doc = concat!("Those over ", $of, ".")]
        pub mod $module {
            use super::{Int, Number};

            #[doc = concat!("The greatest of the values of the ", $of, " with its index, in each of its threads.")]
            ///
            /// Of equal values the one with the least index. NaN is found only if there is no number.
            pub fn arg_max<T: Number, I: Int>(v: T, index: I) -> (T, I) {
                let _ = (v, index);
                super::in_kernels(concat!($group, "::arg_max"))
            }

            #[doc = concat!("The least of the values of the ", $of, " with its index, in each of its threads.")]
            ///
            /// Of equal values the one with the least index. NaN is found only if there is no number.
            pub fn arg_min<T: Number, I: Int>(v: T, index: I) -> (T, I) {
                let _ = (v, index);
                super::in_kernels(concat!($group, "::arg_min"))
            }

            #[doc = concat!("All values of the ", $of, " together, in each of its threads.")]
            ///
            /// The operator is associative and commutative: values are combined in no particular order.
            pub fn reduce<T: Copy>(v: T, op: impl Fn(T, T) -> T + Copy) -> T {
                let _ = (v, op);
                super::in_kernels(concat!($group, "::reduce"))
            }

            #[doc = concat!("The values of the threads of the ", $of, " up to this one together.")]
            ///
            /// The operator is associative, and `identity` changes nothing.
            pub fn scan<T: Copy>(v: T, identity: T, op: impl Fn(T, T) -> T + Copy) -> T {
                let _ = (v, identity, op);
                super::in_kernels(concat!($group, "::scan"))
            }

            #[doc = concat!("The values of the threads of the ", $of, " below this one together; `identity` in the first.")]
            ///
            /// The operator is associative, and `identity` changes nothing.
            pub fn exclusive_scan<T: Copy>(v: T, identity: T, op: impl Fn(T, T) -> T + Copy) -> T {
                let _ = (v, identity, op);
                super::in_kernels(concat!($group, "::exclusive_scan"))
            }
        }
    };
}
by_operator!(warp "warp" "warp");
by_operator!(block "block" "block");

/// Outside of kernels there are no other threads; in them the copies of the compiler run.
fn in_kernels(function: &str) -> ! {
    let position = fiber::position(function);
    unreachable!("thread {:?} has a copy of the function", position.thread)
}
