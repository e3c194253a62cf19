//! Kernels in criterion, by the time on the device: `cargo bench -p examples --bench saxpy`.
//!
//! `iter_custom` takes the time from two events on the stream, so that the host's part of the launches, which are left to the stream, is not
//! measured. On the simulator events are told by the host's clock: that is the simulator's speed, and its name says so.

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use kernel_runtime::prelude::*;

/// `y = a x + y`
#[kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// The time of so many launches in a row on the device.
fn device_time(stream: &Stream, launches: u64, mut launch: impl FnMut() -> Result<()>) -> Result<Duration> {
    let start = stream.record()?;
    for _ in 0..launches {
        launch()?;
    }
    let end = stream.record()?;
    end.since(&start)
}

fn bench(criterion: &mut Criterion, gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let (kind, sizes) = match gpu.is_simulator() {
        true => ("speed of the simulator, ", [1 << 10, 1 << 14]),
        false => ("", [1 << 16, 1 << 24]),
    };
    let mut group = criterion.benchmark_group(format!("{kind}saxpy"));
    for n in sizes {
        let x = gpu.upload(&vec![1.0f32; n])?;
        let mut y = gpu.zeros::<f32>(n)?;
        // The first launch loads the kernel.
        saxpy(2.0, &x, &mut y).over(n).run()?;
        group.throughput(Throughput::Bytes(12 * n as u64));
        let mut failed = None;
        group.bench_function(BenchmarkId::from_parameter(n), |bencher| {
            bencher.iter_custom(|launches| {
                let launch = || saxpy(black_box(2.0), &x, &mut y).over(n).start(&stream);
                device_time(&stream, launches, launch).unwrap_or_else(|error| {
                    failed = Some(error);
                    Duration::from_secs(1) // criterion refuses a time of nothing
                })
            });
        });
        // Errors of the kernels are reported here.
        failed.map_or(Ok(()), Err)?;
        stream.synchronize()?;
    }
    group.finish();
    Ok(())
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let gpu = Gpu::new()?;
    println!("{}", gpu.describe());
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    bench(&mut criterion, &gpu)?;
    criterion.final_summary();
    Ok(())
}
