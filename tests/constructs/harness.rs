//! A construct's kernel, its oracle, and their comparison.

use std::fmt::Debug;

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, DeviceBuffer, Element, Gpu, Launch};

/// Elements of each input, and threads of each launch: two warps, the second one not full.
pub const LEN: usize = 50;

/// Integers from -50 to 49, each once or twice, no two neighbours alike.
pub fn ints() -> Vec<i32> {
    (0..LEN as i32).map(|i| (i * 37 + 11) % 100 - 50).collect()
}

/// Floats with few bits, negative ones among them.
pub fn floats() -> Vec<f32> {
    (0..LEN).map(|i| ((i * 29 + 5) % 64) as f32 * 0.375 - 9.0).collect()
}

/// A result of a construct: compared by its bits, but all NaNs are alike.
pub trait Outcome: Element + Copy + Debug {
    /// Returns true if the results are the same bits, or both NaN.
    fn same(self, other: Self) -> bool;
}

macro_rules! outcomes {
    (exact: $($int:ident)*; floats: $($float:ident)*) => {
        $(impl Outcome for $int { fn same(self, other: $int) -> bool { self == other } })*
        $(impl Outcome for $float {
            fn same(self, other: $float) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        })*
    };
}
outcomes! { exact: i32 u32 i64 u64; floats: f32 f64 }

/// The simulator, and a GPU if there is one.
pub fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

/// Runs a construct everywhere and compares with the oracle.
pub fn agree<T: Outcome>(
    zero: T,
    expected: fn(usize, &[i32], &[f32]) -> T,
    cpu: impl for<'a> Fn(&'a [i32], &'a [f32], &'a mut [T]) -> CpuLaunch<'a>,
    device: impl for<'a> Fn(&'a DeviceBuffer<i32>, &'a DeviceBuffer<f32>, &'a mut DeviceBuffer<T>) -> Launch<'a>,
) {
    let (x, f) = (ints(), floats());
    let expected: Vec<T> = (0..LEN).map(|i| expected(i, &x, &f)).collect();
    let compare = |place: &str, found: &[T]| {
        for (i, (&want, &got)) in expected.iter().zip(found).enumerate() {
            assert!(want.same(got), "element {i}: rustc gives {want:?}, {place} gives {got:?}");
        }
    };
    let mut out = vec![zero; LEN];
    cpu(&x, &f, &mut out).grid(1).block(64).run().unwrap_or_else(|error| panic!("on the CPU: {error}"));
    compare("the CPU copy", &out);
    for gpu in devices() {
        let run = || {
            let (x, f) = (gpu.upload(&x)?, gpu.upload(&f)?);
            let mut out = gpu.upload(&[zero; LEN])?;
            device(&x, &f, &mut out).grid(1).block(64).run()?;
            out.to_vec()
        };
        let found = run().unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
        compare(&gpu.describe().to_string(), &found);
    }
}

/// Constructs, each with its title, name, the type of its result, and its body: `i` is the thread's index, `x` and `f`
/// are the inputs.
macro_rules! constructs {
    ($($title:literal $name:ident -> $ty:ident |$i:ident, $x:ident, $f:ident| $body:tt)*) => {
        /// Titles with the names of their tests.
        pub const TABLE: &[(&str, &str)] = &[$(($title, concat!(module_path!(), "::", stringify!($name)))),*];

        /// The kernels' names and PTX, in which each has a name of its own: so one run of `ptxas` takes many.
        pub fn modules() -> Vec<(&'static str, String)> {
            vec![$((
                stringify!($name),
                $name::construct::KERNEL.ptx().replace("construct", concat!("construct_", stringify!($name)))
            )),*]
        }

        $(
            mod $name {
                #[allow(unused_imports)]
                use kernel_runtime::prelude::*;

                #[kernel(fp_contract(off))]
                #[allow(unused_variables, unused_mut, unused_assignments, unused_braces, unused_parens, dead_code, clippy::all, clippy::undocumented_unsafe_blocks)]
                pub fn construct($x: &[i32], $f: &[f32], out: &mut [$ty]) {
                    let $i = global_idx().x;
                    if $i < out.len() {
                        out[$i] = $body;
                    }
                }

                #[allow(unused_variables, unused_mut, unused_assignments, unused_braces, unused_parens, dead_code, clippy::all, clippy::undocumented_unsafe_blocks)]
                pub fn expected($i: usize, $x: &[i32], $f: &[f32]) -> $ty $body
            }

            #[test]
            fn $name() {
                $crate::harness::agree(
                    Default::default(),
                    $name::expected,
                    |x, f, out| $name::construct::cpu(x, f, out),
                    |x, f, out| $name::construct(x, f, out),
                );
            }
        )*
    };
}
pub(crate) use constructs;
