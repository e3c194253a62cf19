//! Occupancy of a kernel on a device: the counts from whoever knows best, the limiter from the arithmetic.
//!
//! On a CUDA device the driver counts. On the simulator `ptx::occupancy` does, with an estimate of the registers:
//! [`FunctionAttributes::registers_estimated`](crate::FunctionAttributes) is set for an estimate.

pub use ptx::occupancy::{
    BestBlockSize, KernelResources, Limiter, Limiters, MoreBlocks, NoBlockFits, Occupancy,
};

use ptx::occupancy::{best_block_size, more_blocks, occupancy};

use crate::error::{Error, Result};
use crate::gpu::{Gpu, LoadedKernel};
use crate::kernel::{Kernel, KernelData};
use crate::launch::{IntoDim3, number};

/// Block sizes that launches choose where they reach the highest occupancy, the first one first.
const FAST_SIZES: [u32; 3] = [256, 128, 512];

/// Alignment of a thread's stack in local memory, in bytes.
const STACK_ALIGN: u32 = 8;

impl Kernel {
    /// The number of blocks of `threads` threads with so much dynamic shared memory (in bytes) that an SM holds at once, and
    /// the resource that limits them. Of a kernel with a [check-free version](crate::Variant::check_free) it is that one's.
    ///
    /// # Errors
    ///
    /// As [`attributes`](Kernel::attributes); the driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaOccupancyMaxActiveBlocksPerMultiprocessor")]
    pub fn max_active_blocks(
        &self,
        gpu: &Gpu,
        threads: impl TryInto<u32>,
        dynamic_shared: impl TryInto<u32>,
    ) -> Result<Occupancy> {
        let (threads, dynamic_shared) = (number(threads), number(dynamic_shared));
        self.load(gpu)?.usual().count_active_blocks(gpu, threads, dynamic_shared)
    }

    /// The number of clusters of so many blocks, each of `threads` threads with so much dynamic shared memory (in bytes), that the device runs at once; 0 on
    /// a device without clusters. On the simulator it is as many as the occupancy of all multiprocessors allows: a GPU may run fewer, for a cluster
    /// lies within one of the groups that they come in.
    ///
    /// # Errors
    ///
    /// As [`attributes`](Kernel::attributes); [`Error::Launch`](crate::Error::Launch) for a cluster that no launch of the kernel may have; the driver's
    /// error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaOccupancyMaxActiveClusters")]
    pub fn max_active_clusters(
        &self,
        gpu: &Gpu,
        cluster: impl IntoDim3,
        threads: impl TryInto<u32>,
        dynamic_shared: impl TryInto<u32>,
    ) -> Result<u32> {
        let (cluster, threads, dynamic_shared) =
            (cluster.into_dim3(), number(threads), number(dynamic_shared));
        let loaded = self.load(gpu)?.usual();
        if gpu.arch() < ptx::target::Arch::Sm90 {
            return Ok(0);
        }
        let refused = |reason| Error::Launch { kernel: self.name(), reason };
        self.data().bounds.check_cluster(cluster, cluster).map_err(refused)?;
        let of_sm = loaded.count_active_blocks(gpu, threads, dynamic_shared)?.active_blocks;
        if of_sm == 0 {
            return Ok(0);
        }
        let block = self.data().bounds.block.unwrap_or([threads, 1, 1]);
        Ok(match loaded.function.active_clusters(cluster, block, dynamic_shared)? {
            Some(counted) => counted,
            None => of_sm.saturating_mul(gpu.attributes().sms) / cluster.iter().product::<u32>(),
        })
    }

    /// The least that the kernel would have to give up for one more block per SM: registers, shared memory, or both. None where the
    /// block size decides.
    ///
    /// # Errors
    ///
    /// As [`attributes`](Kernel::attributes).
    pub fn more_blocks(
        &self,
        gpu: &Gpu,
        threads: impl TryInto<u32>,
        dynamic_shared: impl TryInto<u32>,
    ) -> Result<Option<MoreBlocks>> {
        let (threads, dynamic_shared) = (number(threads), number(dynamic_shared));
        let loaded = self.load(gpu)?;
        let resources = loaded.usual().function.attributes().resources(dynamic_shared);
        Ok(more_blocks(&gpu.attributes().limits, &resources, threads, dynamic_shared))
    }

    /// The block size of highest occupancy, without dynamic shared memory, and the smallest grid that fills the
    /// device with it: in blocks, and of a kernel with `coarsen(n)` also in elements. Remembered for each device.
    ///
    /// # Errors
    ///
    /// As [`attributes`](Kernel::attributes), with [`Error::NoBlockSize`](crate::Error::NoBlockSize) when no block fits the device; the driver's
    /// error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaOccupancyMaxPotentialBlockSize")]
    pub fn best_block_size(&self, gpu: &Gpu) -> Result<BestBlockSize> {
        self.best_block_size_with_shared(gpu, 0)
    }

    /// [`best_block_size`](Kernel::best_block_size) for blocks with so much dynamic shared memory, in bytes.
    ///
    /// # Errors
    ///
    /// As [`best_block_size`](Kernel::best_block_size).
    #[doc(alias = "cudaOccupancyMaxPotentialBlockSizeVariableSMem")]
    pub fn best_block_size_with_shared(
        &self,
        gpu: &Gpu,
        dynamic_shared: impl TryInto<u32>,
    ) -> Result<BestBlockSize> {
        let dynamic_shared = number(dynamic_shared);
        let loaded = self.load(gpu)?;
        let usual = loaded.usual().best_block_size(gpu, self.name(), dynamic_shared)?;
        // Blocks of this size have to run whatever the host finds before a launch.
        let best = match usual.threads > loaded.function.attributes().max_threads {
            true => loaded.best_block_size(gpu, self.name(), dynamic_shared)?,
            false => usual,
        };
        Ok(BestBlockSize { elements: self.data().elements, ..best })
    }
}

impl LoadedKernel {
    /// The version that launches take as a rule: the check-free one, if there is one.
    pub(crate) fn usual(&self) -> &LoadedKernel {
        self.check_free.first().map_or(self, |twin| &**twin)
    }

    fn count_active_blocks(&self, gpu: &Gpu, threads: u32, dynamic_shared: u32) -> Result<Occupancy> {
        let resources = self.function.attributes().resources(dynamic_shared);
        let computed = occupancy(&gpu.attributes().limits, &resources, threads, dynamic_shared);
        Ok(match self.function.active_blocks(threads, dynamic_shared)? {
            Some(counted) => computed.with_active_blocks(counted),
            None => computed,
        })
    }

    /// The occupancy of a launch, as far as it is certain: by the device's own count, remembered; on the simulator without
    /// the registers, which are only estimated there.
    pub(crate) fn certain_occupancy(
        &self,
        gpu: &Gpu,
        threads: u32,
        dynamic_shared: u32,
    ) -> Result<Occupancy> {
        let key = (threads, dynamic_shared);
        if let Some(known) = self.occupancies.get(key) {
            return Ok(known);
        }
        let attributes = self.function.attributes();
        let found = if attributes.registers_estimated {
            let resources = KernelResources { registers: 0, ..attributes.resources(dynamic_shared) };
            occupancy(&gpu.attributes().limits, &resources, threads, dynamic_shared)
        } else {
            self.count_active_blocks(gpu, threads, dynamic_shared)?
        };
        self.occupancies.insert(key, found);
        Ok(found)
    }

    /// Bytes of registers in memory: what a thread's local memory has beyond its own variables. None where no assembler
    /// gave out registers.
    pub(crate) fn spilled_bytes(&self) -> Option<u32> {
        let attributes = self.function.attributes();
        // `ptxas` aligns the stack.
        let own = self.variant.local_bytes.next_multiple_of(STACK_ALIGN);
        (!attributes.registers_estimated).then(|| attributes.local_bytes.saturating_sub(own))
    }

    /// Holds a kernel to its `spills(0)`.
    pub(crate) fn check_spills(&self, kernel: &'static KernelData, gpu: &Gpu) -> Result<()> {
        let spilled = self.spilled_bytes().unwrap_or(0);
        if !kernel.no_spills || spilled == 0 {
            return Ok(());
        }
        let attributes = self.function.attributes();
        Err(Error::Spills {
            kernel: kernel.name,
            file: kernel.file,
            line: kernel.line,
            device: gpu.to_string(),
            spilled,
            registers: attributes.registers,
            local_bytes: attributes.local_bytes,
            own_bytes: self.variant.local_bytes,
            bounds: Box::new(kernel.bounds),
        })
    }

    /// The block size of launches that leave it open, of a kernel that ignores how threads are divided into blocks: of the sizes of highest
    /// occupancy one that is fast. Blocks of 1,024 threads leave half an SM empty until the last warp of one is done: on an H200
    /// an element-wise kernel of full occupancy takes 11 % longer with them than with 256.
    pub(crate) fn block_size_of_launch(
        &self,
        gpu: &Gpu,
        kernel: &'static str,
        dynamic_shared: u32,
    ) -> Result<u32> {
        if let Some(known) = self.sizes.get(dynamic_shared) {
            return Ok(known);
        }
        let best = self.best_block_size(gpu, kernel, dynamic_shared)?;
        let resident = |occupancy: &Occupancy| occupancy.active_blocks * occupancy.block_threads;
        let mut chosen = best.threads;
        for threads in FAST_SIZES.into_iter().filter(|&threads| threads < best.threads) {
            let found = self.count_active_blocks(gpu, threads, dynamic_shared)?;
            if resident(&found) >= resident(&best.occupancy) {
                chosen = threads;
                break;
            }
        }
        self.sizes.insert(dynamic_shared, chosen);
        Ok(chosen)
    }

    /// The best block size of the kernel, which errors call `kernel`.
    pub(crate) fn best_block_size(
        &self,
        gpu: &Gpu,
        kernel: &'static str,
        dynamic_shared: u32,
    ) -> Result<BestBlockSize> {
        if let Some(known) = self.best.get(dynamic_shared) {
            return Ok(known);
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
        self.best.insert(dynamic_shared, best);
        Ok(best)
    }
}
