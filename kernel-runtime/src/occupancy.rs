//! Occupancy of a kernel on a device: the counts from whoever knows best, the limiter from the arithmetic.
//!
//! On a CUDA device the driver counts. On the simulator `ptx_gen::occupancy` does, with an estimate of the registers:
//! which of them, [`FunctionAttributes::registers_estimated`](crate::FunctionAttributes) tells.

pub use ptx_gen::occupancy::{BestBlockSize, KernelResources, Limiter, Limiters, NoBlockFits, Occupancy};

use ptx_gen::occupancy::{best_block_size, occupancy};

use crate::error::{Error, Result};
use crate::gpu::{Gpu, LoadedKernel, lock};
use crate::kernel::Kernel;

impl Kernel {
    /// How many blocks of `threads` threads with so much dynamic shared memory (in bytes) an SM holds at once, and
    /// what limits them.
    pub fn max_active_blocks(&self, gpu: &Gpu, threads: u32, dynamic_shared: u32) -> Result<Occupancy> {
        self.load(gpu)?.count_active_blocks(gpu, threads, dynamic_shared)
    }

    /// The block size of highest occupancy, without dynamic shared memory, and the smallest grid that fills the
    /// device with it: in blocks, and of a kernel with `coarsen(n)` also in elements. Asked once per device, remembered after that.
    pub fn best_block_size(&self, gpu: &Gpu) -> Result<BestBlockSize> {
        self.best_block_size_with_shared(gpu, 0)
    }

    /// [`best_block_size`](Kernel::best_block_size) for blocks with so much dynamic shared memory, in bytes.
    pub fn best_block_size_with_shared(&self, gpu: &Gpu, dynamic_shared: u32) -> Result<BestBlockSize> {
        let best = self.load(gpu)?.best_block_size(gpu, self.name(), dynamic_shared)?;
        Ok(BestBlockSize { elements: self.data().elements, ..best })
    }
}

impl LoadedKernel {
    fn count_active_blocks(&self, gpu: &Gpu, threads: u32, dynamic_shared: u32) -> Result<Occupancy> {
        let resources = self.function.attributes().resources(dynamic_shared);
        let computed = occupancy(&gpu.attributes().limits, &resources, threads, dynamic_shared);
        Ok(match self.function.active_blocks(threads, dynamic_shared)? {
            Some(counted) => computed.with_active_blocks(counted),
            None => computed,
        })
    }

    /// The best block size of the kernel, which errors call `kernel`.
    pub(crate) fn best_block_size(
        &self,
        gpu: &Gpu,
        kernel: &'static str,
        dynamic_shared: u32,
    ) -> Result<BestBlockSize> {
        if let Some(known) = lock(&self.best).get(&dynamic_shared) {
            return Ok(*known);
        }
        let best = match self.function.best_block_size(dynamic_shared)? {
            Some(size) => BestBlockSize {
                threads: size.threads,
                blocks: size.blocks,
                elements: 1,
                occupancy: self.count_active_blocks(gpu, size.threads, dynamic_shared)?,
            },
            None => {
                let device = gpu.attributes();
                let resources = self.function.attributes().resources(dynamic_shared);
                best_block_size(&device.limits, &resources, device.sms, None, |_| dynamic_shared)
                    .map_err(|reason| Error::NoBlockSize { kernel, reason })?
            }
        };
        lock(&self.best).insert(dynamic_shared, best);
        Ok(best)
    }
}
