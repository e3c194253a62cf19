//! The host's work beside kernels: copies over several streams that overlap with work, data that stays on the device, many small
//! launches as one, and sums over several devices.

pub mod ring;

use std::time::{Duration, Instant};

use kernel_runtime::Event;
use kernel_runtime::prelude::*;

use crate::divergence::costly_branch;
use crate::occupancy::scale;
use crate::random;

/// Times of one chunk since the first event: copied there, worked on, copied back.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// When the copy to the device began.
    pub start: Duration,
    /// When it had arrived.
    pub arrived: Duration,
    /// When the kernel was done.
    pub done: Duration,
    /// When the result was back.
    pub back: Duration,
}

/// A run over chunks.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The chunks, in their order.
    pub chunks: Vec<Chunk>,
    /// The kernel's output.
    pub output: Vec<f32>,
}

impl Timeline {
    /// From the first copy to the last result.
    pub fn total(&self) -> Duration {
        self.chunks.iter().map(|chunk| chunk.back).max().unwrap_or_default()
    }

    /// Copies and kernels under way at once, on average.
    pub fn at_once(&self) -> f64 {
        let busy: Duration = self.chunks.iter().map(|chunk| chunk.back.saturating_sub(chunk.start)).sum();
        busy.as_secs_f64() / self.total().as_secs_f64().max(1e-9)
    }
}

/// Elements for the kernel: both of its sides.
pub fn input(n: usize) -> Vec<f32> {
    random(61, n).into_iter().map(|value| value - 0.5).collect()
}

/// Copies `n` elements to the device, works on them and copies them back, in so many chunks over so many streams. Copies need pinned
/// memory to go on by themselves.
///
/// # Errors
/// Errors of the device.
pub fn stream(gpu: &Gpu, n: usize, chunks: usize, streams: usize) -> Result<Timeline> {
    let streams = (0..streams.max(1)).map(|_| gpu.stream()).collect::<Result<Vec<Stream>>>()?;
    let mut parts = Vec::new();
    for part in input(n).chunks(n.div_ceil(chunks.max(1)).max(1)) {
        let host = gpu.pinned_from(part)?;
        let (x, out) = (gpu.zeros::<f32>(part.len())?, gpu.zeros::<f32>(part.len())?);
        parts.push((host, x, out, gpu.pinned::<f32>(part.len())?));
    }
    let first = streams[0].record()?;
    let mut events = Vec::new();
    for (index, (host, x, out, back)) in parts.iter_mut().enumerate() {
        let stream = &streams[index % streams.len()];
        let start = stream.record()?;
        stream.copy_to_device(host, x)?;
        let arrived = stream.record()?;
        costly_branch(0.0, &*x, &mut *out).over(x.len()).start(stream)?;
        let done = stream.record()?;
        stream.copy_to_host(out, back)?;
        events.push([start, arrived, done, stream.record()?]);
    }
    streams.iter().try_for_each(Stream::synchronize)?;
    let mut timeline = Timeline { chunks: Vec::new(), output: Vec::new() };
    for [start, arrived, done, back] in &events {
        let since = |event: &Event| event.since(&first);
        timeline.chunks.push(Chunk {
            start: since(start)?,
            arrived: since(arrived)?,
            done: since(done)?,
            back: since(back)?,
        });
    }
    for (_, _, _, back) in &parts {
        timeline.output.extend_from_slice(back.read()?);
    }
    Ok(timeline)
}

/// Elements of the small launches: next to nothing to do.
pub const SMALL: usize = 1 << 10;
/// The factor of each launch.
pub const FACTOR: f32 = 1.0 + 1.0 / 1024.0;

/// Scales elements by so many launches, each of which is asked for; the host's time until all are over, and an element of the result.
///
/// # Errors
/// Errors of the device.
pub fn launch_each(gpu: &Gpu, launches: usize) -> Result<(Duration, f32)> {
    let stream = gpu.stream()?;
    let mut y = gpu.upload(&[1.0f32; SMALL])?;
    let mut all = || -> Result<Duration> {
        let start = Instant::now();
        for _ in 0..launches {
            scale(FACTOR, &mut y).over(SMALL).start(&stream)?;
        }
        stream.synchronize()?;
        Ok(start.elapsed())
    };
    // The first time kernels are loaded.
    all()?;
    let time = all()?;
    Ok((time, y.to_vec()?[SMALL - 1]))
}

/// Scales elements by launches recorded in a graph, which is asked for at once; returns as `launch_each` does.
///
/// # Errors
/// Errors of the device.
pub fn launch_graph(gpu: &Gpu, launches: usize) -> Result<(Duration, f32)> {
    let stream = gpu.stream()?;
    let mut y = gpu.upload(&[1.0f32; SMALL])?;
    let y = y.lend();
    let graph =
        gpu.graph(|graph| (0..launches).try_for_each(|_| scale(FACTOR, y).over(SMALL).record(graph)))?;
    let all = || -> Result<Duration> {
        let start = Instant::now();
        graph.start(&stream)?;
        stream.synchronize()?;
        Ok(start.elapsed())
    };
    all()?;
    let time = all()?;
    Ok((time, y.to_vec()?[SMALL - 1]))
}
