//! Element-wise kernels without attributes: launches with `.over(n)` take their coarsened version, and every result is the one that
//! `coarsen(1)` and the CPU give.
//!
//! Most launches are small, and ask for it by `.coarsened(true)`.

mod random;

use std::fmt::Debug;

use expect_test::expect;
use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::prelude::*;
use kernel_runtime::{Coarsening, Element, Kernel, Launch, LaunchReport, RemarkKind};

use crate::harness::devices;

/// Lengths around multiples of every number of elements a thread.
const LENGTHS: [usize; 8] = [1, 3, 4, 15, 16, 33, 1000, 4099];
/// Types of element that run at every length up to 1,000.
const EVERY_LENGTH: [&str; 3] = ["floats", "bytes", "widened"];

/// Elements that each thread did.
fn elements(report: &LaunchReport) -> u32 {
    match report.coarsening {
        Coarsening::Taken { elements } => elements,
        _ => 1,
    }
}

/// The bits of numbers: of floats, zeros with their sign.
fn bytes<T: Element + Copy>(numbers: &[T]) -> &[u8] {
    // SAFETY: they are numbers, which have no padding.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}

/// A kernel's launch over two buffers.
type Version<A, B> = for<'a> fn(&'a DeviceBuffer<A>, &'a mut DeviceBuffer<B>) -> Launch<'a>;
/// The numbers that a buffer holds, by their indices.
type Numbers<T> = fn(usize) -> T;

/// Runs both kernels on every device and the CPU.
#[track_caller]
fn check<A: Element + Copy, B: Element + Copy + Debug + PartialEq>(
    expected_elements: u32,
    numbers: (Numbers<A>, Numbers<B>),
    cpu: for<'a> fn(&'a [A], &'a mut [B]) -> CpuLaunch<'a>,
    versions: [Version<A, B>; 2],
    lengths: impl IntoIterator<Item = usize>,
) {
    for len in lengths {
        let x: Vec<A> = (0..len).map(numbers.0).collect();
        let start: Vec<B> = (0..len).map(|i| numbers.1(i + 7)).collect();
        let mut expected = start.clone();
        cpu(&x, &mut expected).over(len).run().unwrap();
        for gpu in devices() {
            for (version, elements_here) in versions.into_iter().zip([expected_elements, 1]) {
                let (x, mut out) = (gpu.upload(&x).unwrap(), gpu.upload(&start).unwrap());
                let report = version(&x, &mut out).over(len).block(64).coarsened(true).run().unwrap();
                assert_eq!(bytes(&out.to_vec().unwrap()), bytes(&expected), "{len} elements on {gpu}");
                assert_eq!(elements(&report), elements_here, "{report}: {}", report.coarsening);
                assert_eq!(report.grid, [len.div_ceil(64 * elements_here as usize) as u32, 1, 1]);
            }
        }
    }
}

/// A kernel `(x: &[A], out: &mut [B])` with nothing said, and with `coarsen(1)`.
macro_rules! pairs {
    ($($name:ident: $elements:literal $a:ty, $b:ty, ($na:expr, $nb:expr), |$i:ident, $x:ident, $out:ident| $body:expr)*) => {
        $(mod $name {
            use kernel_runtime::prelude::*;
            #[kernel]
            pub fn plain($x: &[$a], $out: &mut [$b]) {
                let $i = global_idx().x;
                if $i < $out.len() {
                    $out[$i] = $body;
                }
            }
            #[kernel(coarsen(1))]
            pub fn one($x: &[$a], $out: &mut [$b]) {
                let $i = global_idx().x;
                if $i < $out.len() {
                    $out[$i] = $body;
                }
            }
        })*
        #[test]
        fn every_type_of_element() {
            $(
                let every = if EVERY_LENGTH.contains(&stringify!($name)) { 1000 } else { 0 };
                check::<$a, $b>($elements, ($na, $nb), $name::plain::cpu, [
                    |x, out| $name::plain(x, out),
                    |x, out| $name::one(x, out),
                ], (1..=every).chain(LENGTHS));
            )*
        }
    };
}

pairs! {
    floats: 4 f32, f32, (|i| i as f32 - 90.5, |i| i as f32), |i, x, out| x[i] * 0.3 + out[i]
    doubles: 2 f64, f64, (|i| i as f64 / 3.0, |i| i as f64), |i, x, out| (x[i] + out[i]) / 7.0
    halves: 8 f16, f16, (|i| f16::from_f32(i as f32 / 8.0), |_| f16::from_f32(0.5)),
        |i, x, out| x[i] * out[i]
    brains: 8 bf16, bf16, (|i| bf16::from_f32(i as f32 / 8.0), |_| bf16::from_f32(0.5)),
        |i, x, out| x[i] + out[i]
    bytes: 16 u8, u8, (|i| i as u8, |i| (3 * i) as u8), |i, x, out| x[i] / 3 + out[i]
    signed_bytes: 16 i8, i8, (|i| i as i8, |i| (3 * i) as i8), |i, x, out| (x[i] as i32 * out[i] as i32 / 5) as i8
    shorts: 8 u16, u16, (|i| (i * 999) as u16, |i| i as u16), |i, x, out| x[i] ^ (out[i] << 3)
    words: 4 i32, i32, (|i| (i as i32).wrapping_mul(777_777), |i| i as i32), |i, x, out| x[i] * 3 - out[i]
    long_words: 2 u64, u64, (|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15), |i| i as u64), |i, x, out| (x[i] << 7) ^ out[i]
    // Function calls, products that are added, a choice.
    swish: 4 f32, f32, (|i| i as f32 / 64.0 - 8.0, |i| i as f32), |i, x, out| x[i] / (1.0 + (-x[i]).exp()) + 0.1 * out[i]
    relu: 4 f32, f32, (|i| i as f32 - 90.5, |i| i as f32), |i, x, out| if x[i] > out[i] { x[i] * 3.0 } else { 0.5 }
    // By the wider one.
    widened: 2 f32, f64, (|i| i as f32, |i| i as f64), |i, x, out| x[i] as f64 * 0.1
    narrowed: 4 f32, u8, (|i| i as f32 * 1.5, |i| i as u8), |i, x, out| x[i] as u8
    // The index is a value.
    numbered: 4 u32, u32, (|i| i as u32, |_| 0), |i, x, out| x[i] + 2 * i as u32
}

#[kernel_module]
mod shapes {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Complex {
        pub re: f32,
        pub im: f32,
    }

    #[kernel]
    pub fn conjugate(x: &[Complex], out: &mut [Complex]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = Complex { re: x[i].re, im: -x[i].im };
        }
    }

    /// The bound is an argument, the index a short number as in CUDA, and nothing is done beyond it.
    #[kernel]
    pub fn up_to(n: u32, x: &[f32], out: &mut [f32]) {
        let i = global_idx().x as u32;
        if i >= n {
            return;
        }
        out[i as usize] = x[i as usize] + 1.0;
    }

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Row {
        pub x: f32,
        pub y: f32,
        pub z: f32,
    }

    #[kernel]
    pub fn turn(rows: &mut [Row]) {
        let i = global_idx().x;
        if i < rows.len() {
            let Row { x, y, z } = rows[i];
            rows[i] = Row { x: z, y: x, z: y };
        }
    }

    #[kernel]
    pub fn up_to_signed(n: i32, x: &[f32], out: &mut [f32]) {
        let i = global_idx().x as i32;
        if i < n {
            out[i as usize] = x[i as usize] + 1.0;
        }
    }

    #[kernel]
    pub fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx().x;
        if i < y.len() {
            y[i] *= a;
        }
    }

    #[kernel]
    pub fn axpy(n: usize, a: f32, x: &[f32], y: &mut [f32]) {
        let i = global_idx().x;
        if i < n {
            y[i] += a * x[i];
        }
    }
}

#[test]
fn structs() {
    let data: Vec<_> = (0..1001).map(|i| shapes::Complex { re: i as f32, im: 1.0 }).collect();
    let expected: Vec<_> = data.iter().map(|c| shapes::Complex { im: -1.0, ..*c }).collect();
    let rows: Vec<_> = (0..1001).map(|i| shapes::Row { x: i as f32, y: 2.0, z: 3.0 }).collect();
    let turned: Vec<_> = rows.iter().map(|r| shapes::Row { x: r.z, y: r.x, z: r.y }).collect();
    for gpu in devices() {
        let (x, mut out) = (gpu.upload(&data).unwrap(), gpu.upload(&data).unwrap());
        let report = shapes::conjugate(&x, &mut out).over(1001).coarsened(true).run().unwrap();
        assert_eq!((out.to_vec().unwrap(), elements(&report)), (expected.clone(), 2));
        // Four of 12 bytes are three accesses of 16.
        let mut rows = gpu.upload(&rows).unwrap();
        let report = shapes::turn(&mut rows).over(1001).coarsened(true).run().unwrap();
        assert_eq!((rows.to_vec().unwrap(), elements(&report)), (turned.clone(), 4));
    }
}

#[test]
fn the_launch_decides() {
    for gpu in devices() {
        let mut y = gpu.upload(&[1.0f32; 5000]).unwrap();
        // The grid is chosen for the launch; the block may be its own.
        let report = shapes::scale(2.0, &mut y).over(5000).coarsened(true).run().unwrap();
        assert_eq!((elements(&report), report.block), (4, [256, 1, 1]), "{report}");
        assert!(report.to_string().contains(", 4 elements a thread"), "{report}");
        let report = shapes::scale(2.0, &mut y).over(5000).block(96).coarsened(true).run().unwrap();
        assert_eq!((elements(&report), report.grid), (4, [14, 1, 1]), "{report}");
        let report = shapes::scale(2.0, &mut y).over(5000).coarsened(true).checked(true).run().unwrap();
        assert!(matches!(report.coarsening, Coarsening::Asked), "{report}");
        let report = shapes::scale(2.0, &mut y).over(5000).coarsened(false).run().unwrap();
        assert!(matches!(report.coarsening, Coarsening::Asked), "{report}");
        let report = shapes::scale(2.0, &mut y).grid(20).block(256).coarsened(true).run().unwrap();
        assert!(matches!(report.coarsening, Coarsening::OtherShape), "{report}");
        // Rows beyond the first do nothing new, and another block is another launch.
        let report = shapes::scale(1.0, &mut y).over(5000).block((32, 1)).coarsened(true).run().unwrap();
        assert_eq!(elements(&report), 4);
        assert_eq!(y.to_vec().unwrap(), [32.0; 5000]);
        // Beyond the 1,000 the last block of the plain version does 24 more; one of four elements a thread would do 1,048.
        let report = shapes::scale(2.0, &mut y).over(1000).block(512).coarsened(true).run().unwrap();
        let Coarsening::Failed(test) = report.coarsening else { panic!("{report}: {}", report.coarsening) };
        assert_eq!(test.text, "y.len() <= over_elements");
        assert!(report.to_string().contains("one element a thread, as not `y.len() <= over_elements`"));
        let y = y.to_vec().unwrap();
        assert!(y[..1024].iter().all(|&y| y == 64.0) && y[1024..].iter().all(|&y| y == 32.0));
        // Streams and graphs as well.
        let stream = gpu.stream().unwrap();
        let mut z = gpu.upload(&[1.0f32; 777]).unwrap();
        shapes::scale(2.0, &mut z).over(777).coarsened(true).start(&stream).unwrap();
        assert_eq!(z.to_vec().unwrap(), [2.0; 777]);
        gpu.graph(|recording| shapes::scale(2.0, &mut z).over(777).coarsened(true).record(recording))
            .and_then(|graph| graph.run())
            .unwrap();
        assert_eq!(z.to_vec().unwrap(), [4.0; 777]);
    }
}

#[test]
fn small_launches_stay_plain() {
    // A small device, to be filled fast.
    let gpu = Gpu::simulator(Arch::Sm75);
    let device = gpu.attributes();
    let half = (device.sms * device.limits.threads_per_sm / 2) as usize;
    let whole = 2 * half.next_multiple_of(256);
    for (n, expected) in [(100, 1), (whole - 512, 1), (whole, 2)] {
        let (x, mut y) = (gpu.upload(&vec![7.0; n]).unwrap(), gpu.upload(&vec![0.0; n]).unwrap());
        let report = doubles::plain(&x, &mut y).over(n).run().unwrap();
        assert_eq!(elements(&report), expected, "{n}: {}", report.coarsening);
        if let Coarsening::Small { threads, least } = report.coarsening {
            assert_eq!((threads, least), ((n.div_ceil(2).next_multiple_of(256)) as u64, half as u64));
        }
        assert!(y.to_vec().unwrap().iter().all(|&y| y == 1.0));
    }
}

/// A part of a slice is at another index than its own, and may start off alignment. Parameters off alignment are those of `random`.
#[test]
fn parts_of_slices() {
    let data: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    for gpu in devices() {
        for len in [1, 5, 64, 999] {
            let (x, mut out) = (gpu.upload(&data).unwrap(), gpu.upload(&vec![0.5f32; len]).unwrap());
            let report = others::from_the_second(&x, &mut out).over(len).coarsened(true).run().unwrap();
            assert!(matches!(report.coarsening, Coarsening::NoVersion), "{}", report.coarsening);
            assert_eq!(out.to_vec().unwrap(), data[1..=len]);
        }
    }
}

#[test]
fn bounds_that_are_arguments() {
    for gpu in devices() {
        let x = gpu.upload(&(0..300).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
        for (n, over, taken) in [(300, 300, 4), (299, 300, 4), (7, 300, 4), (0, 1, 4), (300, 299, 1)] {
            let mut out = gpu.zeros::<f32>(300).unwrap();
            let report = shapes::up_to(n, &x, &mut out).over(over).block(32).coarsened(true).run().unwrap();
            assert_eq!(elements(&report), taken, "{n} of {over}: {}", report.coarsening);
            let done = (n as usize).min(over.next_multiple_of(32));
            let expected: Vec<f32> = (0..300).map(|i| if i < done { i as f32 + 1.0 } else { 0.0 }).collect();
            assert_eq!(out.to_vec().unwrap(), expected, "{n} of {over}");
        }
        // Of a signed index and bound as in CUDA, negative bounds among them.
        for (n, over, taken) in
            [(300, 300, 4), (7, 300, 4), (0, 1, 4), (300, 290, 1), (-1, 300, 1), (i32::MIN, 300, 1)]
        {
            let mut out = gpu.zeros::<f32>(300).unwrap();
            let report =
                shapes::up_to_signed(n, &x, &mut out).over(over).block(32).coarsened(true).run().unwrap();
            assert_eq!(
                elements(&report),
                taken,
                "{n} of {over}: {} {}",
                report.coarsening,
                shapes::up_to_signed::KERNEL.report()
            );
            let done = (n.max(0) as usize).min(over.next_multiple_of(32));
            let expected: Vec<f32> = (0..300).map(|i| if i < done { i as f32 + 1.0 } else { 0.0 }).collect();
            assert_eq!(out.to_vec().unwrap(), expected, "{n} of {over}");
        }
    }
}

#[test]
fn a_panic_is_that_of_the_plain_version() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let (x, mut y) = (gpu.upload(&[1.0f32; 9]).unwrap(), gpu.zeros::<f32>(10).unwrap());
    let error = shapes::axpy(10, 2.0, &x, &mut y).over(10).coarsened(true).run().unwrap_err();
    let Error::KernelPanicked { message, thread, .. } = error else { panic!("{error}") };
    assert!(message.contains("index out of bounds: the len is 9 but the index is 9"), "{message}");
    assert_eq!(thread, [9, 0, 0]);
    assert_eq!(y.to_vec().unwrap(), [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.0]);
}

/// Kernels in which an element can be told from another by more than its result, or whose stores depend on data.
#[kernel_module]
mod others {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn asserts(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            assert!(x[i] >= 0.0, "negative");
            out[i] = x[i].sqrt();
        }
    }

    #[kernel]
    pub fn divides(x: &[u32], out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = 100 / x[i];
        }
    }

    #[kernel]
    pub fn prints(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            println!("{}", x[i]);
            out[i] = x[i];
        }
    }

    #[kernel]
    pub fn counts(x: &[u32], out: &mut [u32], count: &[AtomicU32]) {
        let i = global_idx().x;
        if i < out.len() {
            count[0].fetch_add(x[i], Ordering::Relaxed);
            out[i] = x[i];
        }
    }

    #[kernel]
    pub fn stores_some(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && x[i] > 0.5 {
            out[i] = 1.0;
        }
    }

    #[kernel]
    pub fn loads_some(mask: &[u8], x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = if mask[i] != 0 { x[i] } else { 0.0 };
        }
    }

    #[kernel]
    pub fn gathers(at: &[u32], x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = x[at[i] as usize];
        }
    }

    #[kernel]
    pub fn shifts(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i + 1 < x.len() && i < out.len() {
            out[i] = x[i + 1];
        }
    }

    #[kernel]
    pub fn from_the_second(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let x = &x[1..];
        if i < out.len() {
            out[i] = x[i];
        }
    }

    #[kernel]
    pub fn reverses(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = x[x.len() - 1 - i];
        }
    }

    #[kernel]
    pub fn iterates(x: &[f32], out: &mut [f32], rounds: u32) {
        let i = global_idx().x;
        if i < out.len() {
            let mut sum = x[i];
            for _ in 0..rounds {
                sum = sum * 0.5 + 1.0;
            }
            out[i] = sum;
        }
    }

    #[kernel]
    pub fn has_a_lane(out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = thread_idx().x as u32;
        }
    }

    #[kernel]
    pub fn strides(x: &[f32], out: &mut [f32]) {
        let mut i = global_idx().x;
        while i < out.len() {
            out[i] = x[i];
            i += global_size().x;
        }
    }

    #[kernel]
    pub fn shares(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let own = if i < x.len() { x[i] } else { 0.0 };
        let other = warp::shfl_xor(own, 1);
        if i < out.len() {
            out[i] = other;
        }
    }

    #[kernel]
    pub unsafe fn points(x: *const f32, out: *mut f32, n: usize) {
        let i = global_idx().x;
        if i < n {
            // SAFETY: the caller promises `n` elements.
            unsafe { *out.add(i) = *x.add(i) };
        }
    }

    #[kernel]
    pub fn unbounded(out: &mut [f32]) {
        out[global_idx().x] = 1.0;
    }
}

#[test]
fn kernels_without_a_coarsened_version() {
    let why = |kernel: &'static Kernel| {
        assert!(kernel.variants().iter().all(|variant| variant.coarsened.is_none()), "{}", kernel.name());
        let report = kernel.report();
        let found = report.remarks.iter().find_map(|remark| match &remark.kind {
            RemarkKind::NotCoarsened { found } => Some(found.to_string()),
            _ => None,
        });
        format!("{}: {}\n", kernel.name(), found.as_deref().unwrap_or("-"))
    };
    let kernels: [&'static Kernel; 16] = [
        &others::asserts::KERNEL,
        &others::divides::KERNEL,
        &others::prints::KERNEL,
        &others::counts::KERNEL,
        &others::stores_some::KERNEL,
        &others::loads_some::KERNEL,
        &others::gathers::KERNEL,
        &others::shifts::KERNEL,
        &others::from_the_second::KERNEL,
        &others::reverses::KERNEL,
        &others::iterates::KERNEL,
        &others::has_a_lane::KERNEL,
        &others::strides::KERNEL,
        &others::shares::KERNEL,
        &others::points::KERNEL,
        &others::unbounded::KERNEL,
    ];
    expect![[r#"
        asserts: a write that not every element makes
        divides: a write that not every element makes
        prints: -
        counts: -
        stores_some: a write that not every element makes
        loads_some: a read that not every element makes
        gathers: a read that not every element makes
        shifts: a read at an index other than the thread's own
        from_the_second: a read at an index other than the thread's own
        reverses: a read at an index other than the thread's own
        iterates: a loop, whose iterations keep a thread busy with one element
        has_a_lane: -
        strides: -
        shares: -
        points: -
        unbounded: a write that no comparison of the index with a length or an argument bounds
    "#]]
    .assert_eq(&kernels.map(why).concat());
}

#[test]
fn the_report_and_the_attributes_name_it() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let of =
        |kernel: &Kernel| kernel.report().places(|kind| matches!(kind, RemarkKind::CoarsenedOver { .. }));
    assert_eq!((of(&floats::plain::KERNEL), of(&floats::one::KERNEL)), (1, 0));
    let [plain, one] = [&floats::plain::KERNEL, &floats::one::KERNEL];
    assert!(plain.coarsened_attributes(&gpu).unwrap().is_some_and(|found| found.registers > 0));
    assert!(one.coarsened_attributes(&gpu).unwrap().is_none() && one.variants()[0].coarsened.is_none());
    let version = plain.variants()[0].coarsened.unwrap();
    assert_eq!((version.elements, version.variant.entry), (4, "plain__coarsened"));
    // No thread of it panics, and it takes nothing to say so.
    assert!(!version.variant.has_panic_param);
    // The answer of the occupancy query is that of the plain version.
    assert_eq!(plain.best_block_size(&gpu).unwrap().elements, 1);
}

/// Prints times of both versions: `cargo test -p tests --test attributes coarsened::times -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, on a GPU"]
fn times() {
    let Ok(gpu) = Gpu::cuda(0) else { return };
    for log in [10, 14, 16, 18, 20, 22, 25, 27] {
        let n = 1usize << log;
        let (x, mut y) = (gpu.upload(&vec![1.0f32; n]).unwrap(), gpu.upload(&vec![2.0f32; n]).unwrap());
        let (b, mut c) = (gpu.upload(&vec![1u8; n]).unwrap(), gpu.upload(&vec![2u8; n]).unwrap());
        let mut best = [f64::MAX; 6];
        for _ in 0..30 {
            let mut time = |at: usize, launch: Launch<'_>| {
                let seconds = launch.run().unwrap().time.as_secs_f64();
                best[at] = seconds.min(best[at]);
            };
            time(0, floats::plain(&x, &mut y).over(n));
            time(1, floats::plain(&x, &mut y).over(n).block(1024));
            time(2, floats::one(&x, &mut y).over(n));
            time(3, floats::one(&x, &mut y).over(n).block(1024));
            time(4, bytes::plain(&b, &mut c).over(n));
            time(5, bytes::one(&b, &mut c).over(n));
        }
        let [a, b, c, d, e, f] = best.map(|seconds| seconds * 1e6);
        println!(
            "2^{log}: f32 coarsened {a:.2} µs ({b:.2} with 1024), one {c:.2} ({d:.2} with 1024); u8 coarsened {e:.2}, one {f:.2}"
        );
    }
}
