//! Keeping what a kernel reads again and again in the second-level cache.
//!
//! A part of the cache can be [set aside](Gpu::set_aside_l2) for what launches ask to [keep](crate::Launch::keep_in_l2): other accesses then
//! don't push it out. It helps where something that fits, a table say, is used by many launches that also go through much more memory.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! #[kernel]
//! pub fn translate(table: &[u32], x: &mut [u32]) {
//!     let i = global_idx().x;
//!     if i < x.len() {
//!         x[i] = table[x[i] as usize % table.len()];
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let gpu = Gpu::new()?;
//!     let table = gpu.upload(&(0..4096u32).map(|i| i * 7 % 4096).collect::<Vec<_>>())?;
//!     let mut x = gpu.upload(&vec![9u32; 10_000])?;
//!     let room = gpu.set_aside_l2(table.bytes() as u64)?; // what the device gives: it may round
//!     println!("{room} bytes of the second-level cache are set aside");
//!     for _ in 0..3 {
//!         translate(&table, &mut x).over(10_000).keep_in_l2(&table, 1.0).run()?;
//!     }
//!     assert_eq!(x.to_vec()?[0], 9 * 7 * 7 * 7);
//!     gpu.reset_l2()?; // nothing is kept any more
//!     gpu.set_aside_l2(0)?;
//!     Ok(())
//! }
//! ```
//!
//! Keeping memory there changes times and never results. The simulator accepts all of it and does nothing: its profiler's caches know no
//! priorities.

use std::ops::{Bound, RangeBounds};

use crate::backend::L2Access;
use crate::buffer::DeviceBuffer;
use crate::element::Element;
use crate::error::{Error, LaunchError, Result};
use crate::gpu::Gpu;
use crate::lent::Lent;

/// A part of a device's memory that launches ask to keep in the second-level cache: a `&DeviceBuffer`, or [a part of
/// one](DeviceBuffer::l2_window). It borrows nothing, so that a launch may write the buffer; of one that is gone it has no effect.
#[derive(Clone, Debug)]
pub struct L2Window {
    gpu: Gpu,
    address: u64,
    bytes: u64,
}

impl L2Window {
    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<T: Element> From<&DeviceBuffer<T>> for L2Window {
    fn from(buffer: &DeviceBuffer<T>) -> L2Window {
        buffer.l2_window(..)
    }
}

impl<T: Element> From<Lent<'_, T>> for L2Window {
    fn from(lent: Lent<'_, T>) -> L2Window {
        lent.buffer().l2_window(..)
    }
}

impl<T: Element> DeviceBuffer<T> {
    /// Some of its elements, for launches to [keep](crate::Launch::keep_in_l2). What is beyond its end is left out.
    pub fn l2_window(&self, elements: impl RangeBounds<usize>) -> L2Window {
        let start = match elements.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match elements.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len(),
        };
        let end = end.min(self.len());
        let (start, size) = (start.min(end), size_of::<T>() as u64);
        L2Window {
            gpu: self.gpu().clone(),
            address: self.address() + start as u64 * size,
            bytes: (end - start) as u64 * size,
        }
    }
}

/// Request of a launch to keep memory.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) window: L2Window,
    pub(crate) hit_ratio: f32,
}

impl Kept {
    /// The access in a device's terms, if the device can keep it; none for no bytes.
    pub(crate) fn access(&self, gpu: &Gpu) -> Result<Option<L2Access>, LaunchError> {
        let L2Window { gpu: own, address, bytes } = &self.window;
        let (address, bytes, hit_ratio) = (*address, *bytes, self.hit_ratio);
        if own != gpu {
            let (expected, found) = (gpu.to_string(), own.name_beside(gpu));
            return Err(LaunchError::OtherDevice { argument: "keep_in_l2", expected, found });
        }
        if !(0.0..=1.0).contains(&hit_ratio) {
            return Err(LaunchError::L2Ratio { found: hit_ratio });
        }
        match gpu.attributes().l2_window_bytes {
            Some(limit) if bytes > limit => Err(LaunchError::L2Window { bytes, limit }),
            Some(_) | None => Ok((bytes > 0).then_some(L2Access { address, bytes, hit_ratio })),
        }
    }
}

impl Gpu {
    /// Sets so many bytes of the second-level cache aside for what launches [keep](crate::Launch::keep_in_l2) there, for every program part that
    /// uses this device; 0 gives them back. Answers with what the device made of it: it may round. See [`l2`](crate::l2).
    ///
    /// # Errors
    ///
    /// [`Error::L2SetAside`] for more than [there may be](crate::DeviceAttributes::persisting_l2_bytes); what the driver says where several programs
    /// share a device and none may do this.
    #[doc(alias("cudaDeviceSetLimit", "cudaLimitPersistingL2CacheSize"))]
    pub fn set_aside_l2(&self, bytes: u64) -> Result<u64> {
        let requested = bytes;
        match self.attributes().persisting_l2_bytes {
            Some(limit) if requested > limit => {
                return Err(Error::L2SetAside { device: self.to_string(), requested, limit });
            }
            Some(_) | None => self.backend().set_aside_l2(requested)?,
        }
        self.l2_set_aside()
    }

    /// The number of bytes of the second-level cache that are set aside.
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaDeviceGetLimit")]
    pub fn l2_set_aside(&self) -> Result<u64> {
        self.backend().l2_set_aside()
    }

    /// Keeps nothing any more of what launches have kept in the second-level cache. Without this it stays there, used or not.
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaCtxResetPersistingL2Cache")]
    pub fn reset_l2(&self) -> Result<()> {
        self.backend().reset_l2()
    }
}
