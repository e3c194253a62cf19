//! Kernels that print, and the oracle of what they print.

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, DeviceBuffer, Gpu, Launch, Printed, Prints};

/// Threads of each launch, in blocks of [`BLOCK`].
pub const THREADS: usize = 70;
/// Two warps, the second one not full.
pub const BLOCK: usize = 35;

/// Numbers of many sizes, for each thread its own; special ones first.
pub fn floats() -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.5,
        -2.25,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE / 4.0,
        f32::MAX,
    ];
    let rest = (special.len()..THREADS).map(|i| (i as f32 - 30.0) * 10f32.powi(i as i32 % 15 - 7));
    special.into_iter().chain(rest).collect()
}

/// Integers of many sizes.
pub fn ints() -> Vec<i32> {
    let special = [0, 1, -1, i32::MAX, i32::MIN, 255, -128];
    let rest = (special.len()..THREADS).map(|i| (i as i32 * 7919 - 4000) << (i % 13));
    special.into_iter().chain(rest).collect()
}

/// The simulator, and a GPU if there is one.
pub fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

/// Runs a kernel everywhere and compares what each thread prints.
#[track_caller]
pub fn check(
    expected: impl Fn(usize, i32, f32) -> String,
    cpu: impl for<'a> Fn(&'a [i32], &'a [f32]) -> CpuLaunch<'a>,
    device: impl for<'a> Fn(&'a DeviceBuffer<i32>, &'a DeviceBuffer<f32>) -> Launch<'a>,
) {
    let (x, f) = (ints(), floats());
    let compare = |place: &str, prints: &Prints| {
        assert_eq!(prints.lost, 0, "on {place}");
        for i in 0..THREADS {
            let found = prints.of_thread([(i / BLOCK) as u32, 0, 0], [(i % BLOCK) as u32, 0, 0]);
            assert_eq!(found, expected(i, x[i], f[i]), "thread {i} on {place}");
        }
    };
    let mut prints = Prints::default();
    let launch = cpu(&x, &f).on_print(|printed: Printed| prints.texts.push(printed));
    launch.grid(2).block(BLOCK as u32).run().unwrap_or_else(|error| panic!("on the CPU: {error}"));
    compare("the CPU", &prints);
    for gpu in devices() {
        let run = || {
            let (x, f) = (gpu.upload(&x)?, gpu.upload(&f)?);
            device(&x, &f).grid(2).block(BLOCK as u32).run()
        };
        let report = run().unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
        compare(&gpu.describe(), &report.prints);
    }
}
