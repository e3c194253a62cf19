//! Runs both kernels of a pair everywhere, and keeps the PTX of the one with the attribute.

use std::fmt::Debug;
use std::path::Path;

use expect_test::ExpectFile;
use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, DeviceBuffer, Element, Gpu, Kernel, Launch};
use tests::toolchain::assemble_everywhere;

/// Elements of the input and the output.
pub const LEN: usize = 1000;
/// Threads per block.
pub const BLOCK: u32 = 128;
/// Blocks: some threads have no element.
pub const GRID: u32 = 8;

/// The simulator, and a GPU if there is one.
pub fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

/// Floats with few bits, negative ones among them: sums of them are exact.
pub fn floats() -> Vec<f32> {
    (0..LEN).map(|i| ((i * 29 + 5) % 64) as f32 * 0.375 - 9.0).collect()
}

/// Keeps the PTX of a kernel in `tests/filetests/attributes/name.ptx`, and has `ptxas` assemble it.
#[track_caller]
pub fn check_ptx(name: &str, kernel: &Kernel) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("filetests/attributes/{name}.ptx"));
    // Without lines of the source: they move.
    let lines = kernel.ptx().lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with(".loc") && !line.starts_with(".file")
    });
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    ExpectFile { path, position: file!() }.assert_eq(&text);
    assemble_everywhere(kernel.ptx());
}

/// A kernel `fn(x: &[f32], out: &mut [T])`: its launches on the CPU and on a device.
pub struct Pair<T: Element> {
    /// On the CPU.
    pub cpu: for<'a> fn(&'a [f32], &'a mut [T]) -> CpuLaunch<'a>,
    /// On a device.
    pub device: for<'a> fn(&'a DeviceBuffer<f32>, &'a mut DeviceBuffer<T>) -> Launch<'a>,
}

impl<T: Element + Copy + Debug + Default + PartialEq> Pair<T> {
    /// The results everywhere, which are all the same.
    #[track_caller]
    pub fn result(&self) -> Vec<T> {
        let mut expected = vec![T::default(); LEN];
        let launch = (self.cpu)(&floats(), &mut expected).grid(GRID).block(BLOCK).run();
        launch.unwrap_or_else(|error| panic!("on the CPU: {error}"));
        for gpu in devices() {
            let run = || {
                let (x, mut out) = (gpu.upload(&floats())?, gpu.upload(&[T::default(); LEN])?);
                (self.device)(&x, &mut out).grid(GRID).block(BLOCK).run()?;
                out.to_vec()
            };
            let found = run().unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
            assert_eq!(expected, found, "on {}", gpu.describe());
        }
        expected
    }
}

/// Both kernels of `mod`s that hold a kernel `k(x: &[f32], out: &mut [T])` give the same everywhere; the PTX of the first
/// one, which has the attribute, is kept.
macro_rules! same_results {
    ($name:literal, $with:ident, $without:ident) => {{
        $crate::harness::check_ptx($name, &$with::k::KERNEL);
        let with =
            $crate::harness::Pair { cpu: |x, out| $with::k::cpu(x, out), device: |x, out| $with::k(x, out) };
        let without = $crate::harness::Pair {
            cpu: |x, out| $without::k::cpu(x, out),
            device: |x, out| $without::k(x, out),
        };
        assert_eq!(with.result(), without.result());
    }};
}
pub(crate) use same_results;
