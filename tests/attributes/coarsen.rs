//! `coarsen`: every kernel over lengths that fill the last thread and that do not, and the SASS of one.

use std::fmt::Debug;

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::prelude::*;
use kernel_runtime::{Element, Launch};
use tests::toolchain::{Sass, require_or_skip};

use crate::harness::{check_ptx, devices};

/// Lengths around multiples of every number of elements per thread.
const LENGTHS: [usize; 9] = [1, 3, 4, 7, 16, 33, 1000, 1024, 1029];

/// The kernels whose PTX is kept.
const KEPT: [&str; 5] = ["threshold", "in_place", "conditional", "bytes", "stencil"];

/// Launches of a kernel on the CPU and on a device, over so many elements.
struct Runs<T: Element> {
    cpu: for<'a> fn(&'a [f32], &'a [T], &'a mut [T]) -> CpuLaunch<'a>,
    device: for<'a> fn(&'a DeviceBuffer<f32>, &'a DeviceBuffer<T>, &'a mut DeviceBuffer<T>) -> Launch<'a>,
}

/// Numbers with few bits, negative ones among them.
fn floats(len: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 29 + 5) % 64) as f32 * 0.375 - 9.0).collect()
}

impl<T: Element + Copy + Debug + PartialEq> Runs<T> {
    /// The output of the kernel on the CPU over `count` elements, which every device must give as well.
    #[track_caller]
    fn result(&self, count: usize, len: usize, number: fn(usize) -> T) -> Vec<T> {
        let (x, y): (_, Vec<T>) = (floats(len), (0..len).map(number).collect());
        let start: Vec<T> = (0..len).map(|i| number(i + 7)).collect();
        let mut expected = start.clone();
        (self.cpu)(&x, &y, &mut expected)
            .over(count)
            .run()
            .unwrap_or_else(|error| panic!("{len} on the CPU: {error}"));
        for gpu in devices() {
            let run = || {
                let (x, y, mut out) = (gpu.upload(&x)?, gpu.upload(&y)?, gpu.upload(&start)?);
                (self.device)(&x, &y, &mut out).over(count).run()?;
                out.to_vec()
            };
            let found = run().unwrap_or_else(|error| panic!("{len} on {}: {error}", gpu.describe()));
            assert_eq!(expected, found, "{len} elements on {}", gpu.describe());
        }
        expected
    }
}

/// Kernels `(x: &[f32], y: &[T], out: &mut [T])` with and without `coarsen(n)`: the results are the same everywhere.
macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident: $by:literal $ty:ty, $number:expr, |$x:ident, $y:ident, $out:ident| $body:tt)*) => {$(
        $(#[$doc])*
        mod $name {
            use kernel_runtime::prelude::*;
            #[kernel]
            pub fn plain($x: &[f32], $y: &[$ty], $out: &mut [$ty]) $body
            #[kernel(coarsen($by))]
            pub fn coarse($x: &[f32], $y: &[$ty], $out: &mut [$ty]) $body

            #[test]
            fn results_stay() {
                if super::KEPT.contains(&stringify!($name)) {
                    super::check_ptx(concat!("coarsen_", stringify!($name)), &coarse::KERNEL);
                }
                let before = super::Runs::<$ty> {
                    cpu: |x, y, out| plain::cpu(x, y, out),
                    device: |x, y, out| plain(x, y, out),
                };
                let after = super::Runs::<$ty> {
                    cpu: |x, y, out| coarse::cpu(x, y, out),
                    device: |x, y, out| coarse(x, y, out),
                };
                for len in super::LENGTHS {
                    let (before, after) = (before.result(len, len, $number), after.result(len, len, $number));
                    assert_eq!(before, after, "{len} elements");
                }
            }
        }
    )*};
}

kernels! {
    /// Both sides of a branch write: the values are selected.
    threshold: 4 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            let value = x[i];
            if value > 0.5 {
                out[i] = y[i] * value;
            } else {
                out[i] = 0.0;
            }
        }
    }

    /// The element is read and written twice; the thread leaves early.
    in_place: 8 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i >= out.len() {
            return;
        }
        out[i] *= x[i];
        out[i] += y[i];
    }

    /// Only some elements are written: each by itself.
    conditional: 4 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() && x[i] > 0.0 {
            out[i] = y[i];
        }
    }

    /// Written on one way, read on the other.
    sometimes: 2 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            if x[i] > 2.0 {
                out[i] = y[i];
            }
            let now = out[i];
            out[i] = now + 1.0;
        }
    }

    /// Sixteen elements of 8 bytes: eight accesses of 16 bytes.
    doubles: 16 f64, |i| i as f64 * 0.5, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = y[i] + f64::from(x[i]);
        }
    }

    /// Sixteen bytes: one access.
    bytes: 16 u8, |i| (i * 37) as u8, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = y[i].wrapping_add(x[i] as u8);
        }
    }

    /// Eight elements of 2 bytes: one access.
    shorts: 8 i16, |i| (i * 3737) as i16, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = y[i].wrapping_mul(3) - x[i] as i16;
        }
    }

    /// A loop over the element's own value.
    loops: 4 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = x[i];
            for step in 0..3 {
                out[i] += sum * step as f32;
                sum *= 0.5;
            }
            out[i] += y[i];
        }
    }

    /// A slice of a slice that starts off alignment: never at once.
    unaligned: 4 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        let last = out.len() - 1;
        let (x, out) = (&x[1..], &mut out[1..]);
        if i < last {
            out[i] = x[i] + y[i];
        }
    }

    /// Neighbours of what is only read.
    stencil: 4 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i >= 1 && i + 1 < out.len() {
            out[i] = x[i - 1] + 2.0 * x[i] + x[i + 1] - y[i];
        }
    }

    /// A table that every element looks into.
    gather: 4 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = x[i] + y[i * 7 % y.len()];
        }
    }

    /// References to elements.
    references: 4 f32, |i| i as f32, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            let element = &mut out[i];
            let value = &x[i];
            *element += y[i];
            *element *= *value;
        }
    }

    /// The index computed by hand.
    by_hand: 4 f32, |i| i as f32, |x, y, out| {
        let i = block_idx().x * block_dim().x + thread_idx().x;
        if i < out.len() {
            out[i] = x[i] - y[i];
        }
    }

    /// The index itself is a value.
    index_as_value: 4 u32, |i| i as u32, |x, y, out| {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = if x[i] < 0.0 { i as u32 } else { y[i] };
        }
    }
}

mod shapes {
    use kernel_runtime::prelude::*;

    /// Rows of a matrix: y stays as it is.
    #[kernel(coarsen(4))]
    pub fn rows(width: usize, height: usize, x: &[f32], out: &mut [f32]) {
        let (column, row) = (global_idx().x, global_idx().y);
        if column < width && row < height {
            out[row * width + column] = 2.0 * x[row * width + column];
        }
    }

    /// The bound is a number.
    #[kernel(coarsen(4))]
    pub fn up_to(n: u32, x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if (i as u32) < n {
            out[i] = x[i] + 1.0;
        }
    }

    #[kernel(coarsen(2))]
    pub fn pairs(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if 2 * i + 1 < out.len() {
            out[2 * i] = x[2 * i + 1];
            out[2 * i + 1] = x[2 * i];
        }
    }
}

mod together {
    use kernel_runtime::prelude::*;

    /// With 64-bit indices, checked sums and bounded blocks.
    #[kernel(coarsen(4), index(u64), checks(overflow), launch_bounds(128, 2))]
    pub fn checked(x: &[i32], out: &mut [i32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] += x[i];
        }
    }

    #[kernel(coarsen(8), instances(T = [f32, u16, f64]))]
    pub fn copy<T: Copy>(x: &[T], out: &mut [T]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = x[i];
        }
    }
}

#[test]
fn with_other_attributes() {
    for gpu in devices() {
        let data: Vec<i32> = (0..1001).collect();
        let (x, mut out) = (gpu.upload(&data).unwrap(), gpu.upload(&data).unwrap());
        together::checked(&x, &mut out).over(1001).run().unwrap();
        assert_eq!(out.to_vec().unwrap(), data.iter().map(|x| 2 * x).collect::<Vec<_>>());
        let most = gpu.upload(&[i32::MAX; 1001]).unwrap();
        let error = together::checked(&most, &mut out).over(1001).run().unwrap_err();
        assert!(error.to_string().contains("attempt to add with overflow"), "{error}");

        let data: Vec<u16> = (0..1001).collect();
        let (x, mut out) = (gpu.upload(&data).unwrap(), gpu.zeros::<u16>(1001).unwrap());
        let report = together::copy::<u16>(&x, &mut out).over(1001).block(64).run().unwrap();
        assert_eq!((out.to_vec().unwrap(), report.grid), (data, [2, 1, 1]));
    }
}

#[kernel_module]
mod points {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Point {
        pub x: f32,
        pub y: f32,
    }

    #[kernel(coarsen(2))]
    pub fn swap(x: &[Point], out: &mut [Point]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = Point { x: x[i].y, y: x[i].x };
        }
    }
}

#[test]
fn rows_of_a_matrix() {
    check_ptx("coarsen_rows", &shapes::rows::KERNEL);
    for (width, height) in [(64, 5), (66, 3), (63, 4), (5, 2)] {
        let x = floats(width * height);
        let expected: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
        let grid = (width.div_ceil(4 * 16) as u32, height as u32);
        let mut found = vec![0.0; x.len()];
        shapes::rows::cpu(width, height, &x, &mut found).grid(grid).block(16).run().unwrap();
        assert_eq!(found, expected);
        for gpu in devices() {
            let (x, mut out) = (gpu.upload(&x).unwrap(), gpu.zeros(x.len()).unwrap());
            shapes::rows(width, height, &x, &mut out).grid(grid).block(16).run().unwrap();
            assert_eq!(out.to_vec().unwrap(), expected, "{width} × {height} on {gpu}");
        }
    }
}

#[test]
fn a_number_as_bound() {
    for n in [1, 6, 8, 100] {
        for gpu in devices() {
            let (x, mut out) = (gpu.upload(&floats(100)).unwrap(), gpu.zeros(100).unwrap());
            shapes::up_to(n, &x, &mut out).over(n as usize).run().unwrap();
            let expected = floats(100).into_iter().zip(0..).map(|(x, i)| if i < n { x + 1.0 } else { 0.0 });
            assert_eq!(out.to_vec().unwrap(), expected.collect::<Vec<_>>(), "{n} on {gpu}");
        }
    }
}

#[test]
fn structs_and_several_scalars_of_an_element() {
    for len in [1, 2, 5, 64] {
        let x: Vec<_> = (0..len).map(|i| points::Point { x: i as f32, y: -(i as f32) }).collect();
        let expected: Vec<_> = x.iter().map(|p| points::Point { x: p.y, y: p.x }).collect();
        for gpu in devices() {
            let (x, mut out) = (gpu.upload(&x).unwrap(), gpu.upload(&x).unwrap());
            points::swap(&x, &mut out).over(len).run().unwrap();
            assert_eq!(out.to_vec().unwrap(), expected);

            let (x, mut out) = (gpu.upload(&floats(2 * len)).unwrap(), gpu.zeros(2 * len).unwrap());
            shapes::pairs(&x, &mut out).over(len).run().unwrap();
            let swapped: Vec<f32> = floats(2 * len).chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
            assert_eq!(out.to_vec().unwrap(), swapped);
        }
    }
}

#[test]
fn the_grid_is_smaller() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let (x, y, mut out) = (gpu.zeros(1029).unwrap(), gpu.zeros(1029).unwrap(), gpu.zeros(1029).unwrap());
    let report = threshold::coarse(&x, &y, &mut out).over(1029).block(128).run().unwrap();
    assert_eq!((report.grid, report.block), ([3, 1, 1], [128, 1, 1]));
    let best = threshold::coarse::KERNEL.best_block_size(&gpu).unwrap();
    assert_eq!(best.full_grid(), u64::from(best.threads) * u64::from(best.blocks) * 4);
    assert!(best.to_string().contains(" elements, 4 per thread: "), "{best}");
}

#[test]
fn a_panic_is_the_same() {
    let gpu = Gpu::simulator(Arch::Sm90);
    // Only the last element is beyond.
    let (x, y) = (gpu.upload(&floats(9)).unwrap(), gpu.zeros(10).unwrap());
    let mut out = gpu.zeros(10).unwrap();
    let plain = threshold::plain(&x, &y, &mut out).over(10).run().unwrap_err();
    let coarse = threshold::coarse(&x, &y, &mut out).over(10).run().unwrap_err();
    let messages = [plain, coarse].map(|error| match error {
        Error::KernelPanicked { message, .. } => message,
        other => panic!("{other}"),
    });
    assert_eq!(messages[0], messages[1]);
    // The CPU names the thread that does the element there.
    let [x, y, mut out] = [9, 10, 10].map(floats);
    let error = threshold::coarse::cpu(&x, &y, &mut out).over(10).run().unwrap_err();
    assert!(matches!(error, Error::KernelPanicked { thread: [2, 0, 0], .. }), "{error:?}");
}

#[test]
fn sixteen_bytes_at_once_in_sass() {
    let Some(sass) = require_or_skip(Sass::find()) else { return };
    let functions = sass.functions_of_ptx(threshold::coarse::KERNEL.ptx(), "sm_90").unwrap();
    let code = &functions["coarse__check_free"];
    let count = |what: &str| code.iter().filter(|instruction| instruction.opcode().starts_with(what)).count();
    assert_eq!((count("LDG.E.128"), count("STG.E.128")), (1, 1), "{code:#?}");
}
