//! The roofline (Williams, Waterman, Patterson, CACM 2009): kernels by operations per byte, below what memory and arithmetic allow.
//!
//! Both roofs are measured, by a copy and by chains of multiply-adds. Operations are those that the simulator counts: a multiply-add
//! is two. Bytes are those that the algorithm has to read and write.

use std::time::{Duration, Instant};

use kernel_runtime::Gpu;
use serde::Serialize;

use crate::ilp::peak;
use crate::occupancy::copy_16_bytes;
use crate::{Example, Outcome, examples};

/// Kernels that move as many bytes as their table says, whatever the number of elements.
const KERNELS: &[&str] = &[
    "saxpy",
    "vector_add",
    "vector_add_coarse",
    "scale_coarse",
    "costly_branch",
    "costly_predicate",
    "sum_one",
    "sum_ilp",
    "sum_block",
    "chain_dependent",
    "chain_independent",
    "hypotenuse",
    "sine_roots",
    "squares_again",
    "filter_plain",
    "filter_staged",
    "quantiles",
    "l2_registers",
    "softmax",
];

/// Measurements of a device.
#[derive(Clone, Debug, Serialize)]
pub struct Roofline {
    /// The device.
    pub device: String,
    /// True if times are those that the simulator's profiler models.
    pub modelled: bool,
    /// The roof of memory.
    pub bytes_per_second: f64,
    /// The roof of arithmetic.
    pub operations_per_second: f64,
    /// The kernels.
    pub kernels: Vec<Point>,
}

/// A kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Its name.
    pub kernel: String,
    /// Description of the computation.
    pub what: String,
    /// Operations per byte.
    pub intensity: f64,
    /// Operations per second.
    pub speed: f64,
    /// The part of what the roof allows.
    pub of_roof: f64,
}

/// Measures the roofs, and the kernels whose names contain `only`; `step` is called with the name of each.
///
/// # Errors
/// The message of a failure, with the kernel's name.
pub fn measure(
    gpu: &Gpu,
    only: &str,
    elements: Option<usize>,
    rounds: usize,
    mut step: impl FnMut(&str),
) -> Result<Roofline, String> {
    let simulator = Gpu::simulator(gpu.arch());
    simulator.profile_launches(true);
    let modelled = gpu.is_simulator();
    let device = if modelled { &simulator } else { gpu };
    let rounds = if modelled { 1 } else { rounds.max(1) };
    let (large, threads, depth) = if modelled { (1 << 20, 1 << 18, 4) } else { (1 << 28, 1 << 20, 128) };
    step("the copy");
    let copied = seconds(copy_16_bytes::KERNEL.name(), rounds, || {
        let copy = examples().find(|example| example.kernel.name() == copy_16_bytes::KERNEL.name());
        (copy.ok_or("there is no copy")?.run)(device, large).map_err(|error| error.to_string())
    })?;
    step("the multiply-adds");
    let operated = seconds(peak::multiply_add_peak::KERNEL.name(), rounds, || {
        peak::run(device, threads, depth).map_err(|error| error.to_string())
    })?;
    let bytes_per_second = 8.0 * large as f64 / copied;
    let operations_per_second = (2 * peak::IN_A_ROUND * depth * threads) as f64 / operated;
    let elements = elements.unwrap_or(if modelled { 1 << 18 } else { 1 << 26 });
    let mut kernels = Vec::new();
    for name in KERNELS.iter().filter(|name| name.contains(only)) {
        step(name);
        let example = examples().find(|example| example.kernel.name() == *name);
        let example = example.ok_or_else(|| format!("there is no example `{name}`"))?;
        let point = point(example, &simulator, gpu, elements, rounds)?;
        let roof = operations_per_second.min(point.intensity * bytes_per_second);
        let of_roof = if roof > 0.0 { point.speed / roof } else { 0.0 };
        kernels.push(Point { of_roof, ..point });
    }
    Ok(Roofline { device: gpu.to_string(), modelled, bytes_per_second, operations_per_second, kernels })
}

/// Elements of the runs that are counted for a GPU.
const COUNTED: usize = 1 << 17;

fn point(
    example: &Example,
    simulator: &Gpu,
    gpu: &Gpu,
    elements: usize,
    rounds: usize,
) -> Result<Point, String> {
    let name = example.kernel.name();
    let run = |gpu: &Gpu, n: usize| (example.run)(gpu, n).map_err(|error| format!("{name}: {error}"));
    let n = if gpu.is_simulator() { elements } else { COUNTED };
    let counted = run(simulator, n)?;
    counted.check().map_err(|wrong| format!("{name}: {wrong}"))?;
    let profile = counted.report.profile().map_err(|error| error.to_string())?;
    let per_element = profile.counts.operations as f64 / n as f64;
    let seconds = match gpu.is_simulator() {
        true => profile.estimate.seconds,
        false => seconds(name, rounds, || run(gpu, elements))?,
    };
    Ok(Point {
        kernel: name.to_owned(),
        what: example.about.to_owned(),
        intensity: per_element / f64::from(example.bytes_per_element),
        speed: per_element * elements as f64 / seconds,
        of_roof: 0.0,
    })
}

/// Time limit for the runs of a kernel together, most of which is the host's.
const ENOUGH: Duration = Duration::from_secs(1);

/// The median time of right results: between events, or modelled.
fn seconds(name: &str, rounds: usize, run: impl Fn() -> Result<Outcome, String>) -> Result<f64, String> {
    let start = Instant::now();
    let mut times = Vec::new();
    for _ in 0..rounds {
        // The second one finds the kernel loaded and clocks up.
        if times.len() >= 2 && start.elapsed() > ENOUGH {
            break;
        }
        let outcome = run()?;
        outcome.check().map_err(|wrong| format!("{name}: {wrong}"))?;
        times.push(match outcome.report.profile() {
            Ok(profile) => Duration::from_secs_f64(profile.estimate.seconds),
            Err(_) => outcome.report.time,
        });
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64())
}
