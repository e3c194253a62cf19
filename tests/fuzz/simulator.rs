//! The simulator: what parses is loaded or refused, and what is loaded runs to an end or to a report.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, PtxModule};
use ptx::parse::parse;
use ptx::tree::{Function, Item, ScalarType, Variable};

use crate::corpus::corpus;
use crate::memory;
use crate::mutate::mutate;
use crate::watch;

/// The largest piece of memory that a text may make the simulator ask for.
const LARGEST: usize = 256 << 20;
/// After so many steps a warp is stopped: a loop that does not end is no mistake of the simulator.
const STEPS: u64 = 3000;

#[test]
fn no_text_is_too_much_for_the_simulator() {
    let texts = corpus();
    let cases = watch::cases(
        "simulator",
        6,
        |random| {
            let text = texts[random.below(texts.len())].excerpt(random);
            let other = texts[random.below(texts.len())].excerpt(random);
            mutate(&text, &other, random)
        },
        try_text,
    );
    assert!(cases > 5, "{cases}");
}

fn try_text(text: &str) {
    _ = memory::largest();
    let Ok(tree) = parse(text) else { return };
    let gpu = Gpu::simulator(Arch::Sm90a);
    if let Ok(module) = gpu.load_ptx(text) {
        for item in &tree.items {
            if let Item::Function(function) = item
                && function.is_entry
            {
                launch(&gpu, &module, function);
            }
        }
    }
    let largest = memory::largest();
    assert!(largest < LARGEST, "a piece of {largest} bytes");
}

/// Runs a kernel with zeros: a buffer for what may be a pointer, small numbers for the rest.
fn launch(gpu: &Gpu, module: &PtxModule, function: &Function) {
    let Ok(kernel) = module.function(function.name.as_str()) else { return };
    let buffers: Vec<DeviceBuffer<u64>> =
        function.parameters.iter().map(|_| gpu.zeros(512).unwrap()).collect();
    let bytes: Vec<Vec<u8>> = function.parameters.iter().map(|parameter| vec![0; size(parameter)]).collect();
    let mut launch = kernel.launch().grid(2).block(64).shared(1024).step_limit(STEPS);
    for ((parameter, buffer), bytes) in function.parameters.iter().zip(&buffers).zip(&bytes) {
        launch = match parameter.ty {
            _ if !parameter.dimensions.is_empty() => launch.arg(&bytes[..]),
            ScalarType::U64 | ScalarType::B64 => launch.arg(buffer),
            ScalarType::F32 => launch.arg(1.5f32),
            ScalarType::F64 => launch.arg(1.5f64),
            _ if bytes.len() == 4 => launch.arg(3u32),
            _ => launch.arg(&bytes[..]),
        };
    }
    // SAFETY: the simulator stops what leaves its buffers, and what is in them nobody reads.
    _ = unsafe { launch.run() };
}

/// The bytes of a parameter, as far as a launch would give them.
fn size(parameter: &Variable) -> usize {
    let element = parameter.ty.bits() as usize / 8 * parameter.vector as usize;
    let count = parameter
        .dimensions
        .iter()
        .try_fold(1usize, |all, size| all.checked_mul(usize::try_from((*size)?).ok()?));
    count.and_then(|count| count.checked_mul(element)).filter(|&bytes| bytes <= 4096).unwrap_or(0)
}
