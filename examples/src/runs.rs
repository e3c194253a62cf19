//! Runs that the topics share: buffers in and out, compared with plain Rust, and several launches reported as one.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::Outcome;

/// A kernel that reads one slice and writes another, which must be `expected`.
pub(crate) fn from_slice<T: Element>(
    gpu: &Gpu,
    host: &[T],
    expected: Vec<f32>,
    tolerance: f32,
    launch: impl FnOnce(&DeviceBuffer<T>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let x = gpu.upload(host)?;
    let mut out = gpu.zeros(expected.len())?;
    let report = launch(&x, &mut out)?;
    Ok(Outcome { report, output: out.to_vec()?, expected, tolerance })
}

/// A kernel that makes an element of each element.
pub(crate) fn each(
    gpu: &Gpu,
    host: &[f32],
    tolerance: f32,
    reference: impl Fn(f32) -> f32 + Sync,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let expected = host.par_iter().map(|&x| reference(x)).collect();
    from_slice(gpu, host, expected, tolerance, launch)
}

/// A kernel that makes an element of the elements of two slices.
pub(crate) fn each_of_two(
    gpu: &Gpu,
    [host_x, host_y]: [&[f32]; 2],
    tolerance: f32,
    reference: impl Fn(f32, f32) -> f32 + Sync,
    launch: impl FnOnce(&DeviceBuffer<f32>, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let y = gpu.upload(host_y)?;
    let expected = host_x.par_iter().zip(host_y).map(|(&x, &y)| reference(x, y)).collect();
    from_slice(gpu, host_x, expected, tolerance, |x, out| launch(x, &y, out))
}

/// Several launches as one: the times and the counts added up. Names, grid and block are those of the last.
pub(crate) fn together<const N: usize>(reports: [LaunchReport; N]) -> LaunchReport {
    let merge = |sum: LaunchReport, mut next: LaunchReport| {
        next.time += sum.time;
        if let (Some(into), Some(from)) = (&mut next.stats, &sum.stats) {
            into.warp_instructions += from.warp_instructions;
            into.thread_instructions += from.thread_instructions;
            into.predicated_on_thread_instructions += from.predicated_on_thread_instructions;
            into.branches += from.branches;
            into.divergent_branches += from.divergent_branches;
            into.global_requests += from.global_requests;
            into.sectors += from.sectors;
            into.ideal_sectors += from.ideal_sectors;
            into.global_bytes += from.global_bytes;
            into.shared_requests += from.shared_requests;
            into.wavefronts += from.wavefronts;
            into.ideal_wavefronts += from.ideal_wavefronts;
        }
        next
    };
    let mut reports = reports.into_iter();
    let first = reports.next().expect("at least one launch");
    reports.fold(first, merge)
}
