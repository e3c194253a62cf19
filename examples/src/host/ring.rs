//! All-reduce: each of several devices has an array, and gets the sum of all arrays.
//!
//! Devices form a ring, and arrays are cut into as many chunks as there are devices (Patarasuk, Yuan 2009). In the first half, the
//! reduce-scatter, each device gets a chunk from the one before it in each step and adds its own, so that in the end it has one chunk of the sum; in
//! the second half, the all-gather, these go around. Each device sends `2 (n - 1) / n` of an array, however many there are, and all ways are
//! busy at once.
//!
//! Nothing in here waits or names an event: which copy comes after which sum, on whatever device, is known from the buffers.

use std::time::{Duration, Instant};

use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;

use crate::random;

/// Adds what was received to an own chunk.
#[kernel]
pub fn accumulate(received: &[f32], sum: &mut [f32]) {
    let i = global_idx().x;
    if i < received.len() && i < sum.len() {
        sum[i] += received[i];
    }
}

/// Kernels that run beside those of the examples.
pub static PARTS: &[&Kernel] = &[&accumulate::KERNEL];

/// Elements of a part of a chunk, at most: while one is added, the next is on its way.
const PART: usize = 1 << 20;

/// A device of the ring.
struct Rank {
    copies: Stream,
    sums: Stream,
    /// Its array, chunk by chunk, each in as many parts.
    parts: Vec<DeviceBuffer<f32>>,
    /// Receive buffers for the parts of the device before, used in turn.
    received: [DeviceBuffer<f32>; 2],
}

/// Devices with an array each.
pub struct Ring {
    ranks: Vec<Rank>,
    /// Elements of an array.
    len: usize,
    /// Parts of each chunk.
    parts: usize,
    /// Elements of each part; those of the last ones beyond the array are 0.
    part: usize,
}

impl Ring {
    /// A ring of these devices, with arrays of so many zeros.
    ///
    /// # Errors
    /// Errors of the devices.
    pub fn new(gpus: &[Gpu], len: usize) -> Result<Ring> {
        let chunk = len.div_ceil(gpus.len().max(1));
        let parts = chunk.div_ceil(PART).max(2);
        let part = chunk.div_ceil(parts);
        let rank = |gpu: &Gpu| {
            Ok(Rank {
                copies: gpu.stream()?,
                sums: gpu.stream()?,
                parts: (0..gpus.len() * parts).map(|_| gpu.zeros(part)).collect::<Result<_>>()?,
                received: [gpu.zeros(part)?, gpu.zeros(part)?],
            })
        };
        Ok(Ring { ranks: gpus.iter().map(rank).collect::<Result<_>>()?, len, parts, part })
    }

    /// Overwrites the array of a device from the host.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn write(&mut self, rank: usize, array: &[f32]) -> Result<()> {
        let mut padded = array.to_vec();
        padded.resize(self.part * self.ranks[rank].parts.len(), 0.0);
        let parts = self.ranks[rank].parts.iter_mut().zip(padded.chunks(self.part.max(1)));
        for (part, data) in parts {
            part.copy_from_slice(data)?;
        }
        Ok(())
    }

    /// The array of a device.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn read(&self, rank: usize) -> Result<Vec<f32>> {
        let parts = self.ranks[rank].parts.iter().map(DeviceBuffer::to_vec).collect::<Result<Vec<_>>>()?;
        let mut array = parts.concat();
        array.truncate(self.len);
        Ok(array)
    }

    /// Makes each array the sum of all, and returns when that is done.
    ///
    /// # Errors
    /// Errors of the devices.
    pub fn all_reduce(&mut self) -> Result<()> {
        let devices = self.ranks.len();
        for step in 0..2 * devices.saturating_sub(1) {
            for part in 0..self.parts {
                for rank in 0..devices {
                    // The chunk that the device before has summed, or got, in the step before.
                    let chunk = (rank + 2 * devices - 1 - step) % devices;
                    self.receive(rank, chunk * self.parts + part, step + 1 < devices)?;
                }
            }
        }
        self.ranks
            .iter()
            .try_for_each(|rank| rank.copies.synchronize().and_then(|()| rank.sums.synchronize()))
    }

    /// Gets a part from the device before, to be added or as it is.
    fn receive(&mut self, rank: usize, at: usize, adds: bool) -> Result<()> {
        let before = (rank + self.ranks.len() - 1) % self.ranks.len();
        // One device alone receives nothing.
        let Ok([own, before]) = self.ranks.get_disjoint_mut([rank, before]) else { return Ok(()) };
        if !adds {
            return own.copies.copy(&before.parts[at], &mut own.parts[at]);
        }
        own.received.swap(0, 1);
        own.copies.copy(&before.parts[at], &mut own.received[0])?;
        accumulate(&own.received[0], &mut own.parts[at]).over(self.part).start(&own.sums)?;
        Ok(())
    }
}

/// An array of each device, of integers: sums are exact in any order.
pub fn arrays(devices: usize, len: usize) -> Vec<Vec<f32>> {
    let integers = |seed| random(seed, len).into_iter().map(|x| (1024.0 * x).floor()).collect();
    (70..70 + devices as u64).map(integers).collect()
}

/// Sums arrays of so many elements over these devices, so many times; the median of the host's times, and the arrays of all devices after the last.
///
/// # Errors
/// Errors of the devices.
pub fn run(gpus: &[Gpu], len: usize, rounds: usize) -> Result<(Duration, Vec<Vec<f32>>)> {
    let mut ring = Ring::new(gpus, len)?;
    let arrays = arrays(gpus.len(), len);
    let mut times = Vec::new();
    // The first time kernels are loaded.
    for _ in 0..=rounds.max(1) {
        for (rank, array) in arrays.iter().enumerate() {
            ring.write(rank, array)?;
        }
        let start = Instant::now();
        ring.all_reduce()?;
        times.push(start.elapsed());
    }
    times.remove(0);
    times.sort_unstable();
    let sums = (0..gpus.len()).map(|rank| ring.read(rank)).collect::<Result<_>>()?;
    Ok((times[times.len() / 2], sums))
}

/// The plain sum.
pub fn sum(arrays: &[Vec<f32>]) -> Vec<f32> {
    let len = arrays.first().map_or(0, Vec::len);
    (0..len).map(|i| arrays.iter().map(|array| array[i]).sum()).collect()
}
