//! An example: a kernel, a run of it, and the result that it must give.

use kernel_runtime::{Error, Gpu, Kernel, LaunchError, LaunchReport, Result};
use rayon::prelude::*;

/// A kernel with a run over some number of elements, checked against plain Rust.
pub struct Example {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The topic, which is the name of its file.
    pub topic: &'static str,
    /// The subject, in a few words.
    pub about: &'static str,
    /// Bytes of global memory read and written per element.
    pub bytes_per_element: u32,
    /// Runs it over so many elements.
    pub run: fn(&Gpu, usize) -> Result<Outcome>,
}

impl Example {
    /// A kernel of a topic, what it shows, the bytes per element, and its run.
    pub const fn new(
        kernel: &'static Kernel,
        topic: &'static str,
        about: &'static str,
        bytes_per_element: u32,
        run: fn(&Gpu, usize) -> Result<Outcome>,
    ) -> Example {
        Example { kernel, topic, about, bytes_per_element, run }
    }
}

/// Returns true if a run failed as the device is too old for the kernel, or has too little shared memory.
pub fn is_beyond_the_device(error: &Error) -> bool {
    matches!(error, Error::NoVariant { .. } | Error::Launch { reason: LaunchError::SharedMemory { .. }, .. })
}

/// The output of a run, and the expected one.
pub struct Outcome {
    /// The report of the launch.
    pub report: LaunchReport,
    /// The kernel's output.
    pub output: Vec<f32>,
    /// The output of the plain Rust reference.
    pub expected: Vec<f32>,
    /// The largest relative difference allowed; 0 asks for the same bits. Sums are added in another order than the
    /// reference adds them, everything else is exact.
    pub tolerance: f32,
}

impl Outcome {
    /// The first element that is wrong, in words.
    pub fn check(&self) -> std::result::Result<(), String> {
        let Outcome { output, expected, tolerance, .. } = self;
        if output.len() != expected.len() {
            return Err(format!("{} elements were written, {} are expected", output.len(), expected.len()));
        }
        let right = |found: f32, wanted: f32| match tolerance {
            0.0 => found.to_bits() == wanted.to_bits(),
            tolerance => (found - wanted).abs() <= tolerance * wanted.abs(),
        };
        let wrong = output.iter().zip(expected).position(|(&found, &wanted)| !right(found, wanted));
        match wrong {
            None => Ok(()),
            Some(index) => {
                let (found, wanted) = (output[index], expected[index]);
                Err(format!("element {index} is {found:?}, expected {wanted:?} within {tolerance:?} of it"))
            }
        }
    }
}

/// Deterministic numbers in [0, 1), different for every seed: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub fn random(seed: u64, n: usize) -> Vec<f32> {
    let number = |index: usize| {
        let mut z = (seed << 32).wrapping_add(index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // 24 bits are what an f32 holds.
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    };
    (0..n).into_par_iter().map(number).collect()
}
