//! The contract between the runtime and what runs kernels, and its two implementations.

pub(crate) mod cuda;
pub mod sim;
pub(crate) mod simulator;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ptx_gen::panic::PanicRecord;

use crate::attributes::DeviceAttributes;
use crate::error::{Error, Result};
use crate::kernel::{FunctionAttributes, KernelData, Variant};
use sim::LaunchStats;

/// A device: its memory, and how kernels get onto it.
///
/// Every method may be called from any thread. Copies are complete when they return.
pub(crate) trait Backend: fmt::Debug + Send + Sync {
    /// What the device is.
    fn attributes(&self) -> &DeviceAttributes;

    /// Memory of so many bytes, its contents arbitrary. No bytes need no memory.
    fn allocate(&self, bytes: usize) -> Result<Allocation>;
    /// Gives memory back.
    fn free(&self, allocation: &Allocation);
    /// Sets every byte to zero.
    fn zero(&self, allocation: &Allocation) -> Result<()>;
    /// Copies to the device: as many bytes as both sides have.
    fn write(&self, to: &Allocation, from: &[u8]) -> Result<()>;
    /// Copies from the device: as many bytes as both sides have.
    fn read(&self, from: &Allocation, into: &mut [u8]) -> Result<()>;
    /// Copies on the device as many bytes as `to` has from an address where there are as many.
    fn copy(&self, to: &Allocation, from: u64) -> Result<()>;

    /// Makes the kernels of a PTX text ready to be launched; an error is why not.
    fn load_module(self: Arc<Self>, ptx: &str) -> Result<Box<dyn Module>, String>;

    /// Makes a kernel of the program ready to be launched.
    fn load(
        self: Arc<Self>,
        kernel: &'static KernelData,
        variant: &'static Variant,
    ) -> Result<Box<dyn Function>> {
        let device = self.attributes().name.clone();
        let loaded =
            self.load_module(variant.ptx).and_then(|module| module.function(kernel.name, variant.entry));
        loaded.map_err(|reason| Error::Load {
            kernel: kernel.name,
            file: kernel.file,
            line: kernel.line,
            device,
            reason,
        })
    }

    /// The address, on the device, of the record that panicking threads write.
    fn panic_record(&self) -> u64;
}

/// A PTX text that a device has loaded. It keeps the device open.
pub(crate) trait Module: Send + Sync {
    /// One of its kernels, which errors call `name`; an error is why not.
    fn function(&self, name: &'static str, entry: &str) -> Result<Box<dyn Function>, String>;
}

/// A kernel that a device has loaded. It keeps the device open.
pub(crate) trait Function: Send + Sync {
    /// What it needs.
    fn attributes(&self) -> &FunctionAttributes;
    /// Blocks per SM as the device itself counts them; none where nobody but our own arithmetic does.
    fn active_blocks(&self, threads: u32, dynamic_shared: u32) -> Result<Option<u32>>;
    /// The best block size as the device itself tells it, with the smallest grid that fills the device.
    fn best_block_size(&self, dynamic_shared: u32) -> Result<Option<SuggestedSize>>;
    /// Runs it to its end. `params` is laid out as PTX lays out `.param` space. The caller lets one launch run at a
    /// time on a device, because the panic record is one per device.
    fn launch(&self, config: &LaunchConfig, params: &[u8]) -> Result<Execution>;
}

/// Memory of a device. Only its [`Backend`] makes it, and it stays valid until it is given back.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// Where it begins; 0 when it is empty.
    pub(crate) address: u64,
    /// Its size.
    pub(crate) bytes: usize,
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaunchConfig {
    /// Blocks along x, y, z.
    pub(crate) grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub(crate) block: [u32; 3],
    /// Blocks per cluster along x, y, z, if the launch has clusters.
    pub(crate) cluster: Option<[u32; 3]>,
    /// Dynamic shared memory per block in bytes.
    pub(crate) dynamic_shared: u32,
    /// Whether the simulator's sanitizer looks at the launch; nothing to a GPU.
    pub(crate) sanitize: bool,
}

/// A block size and the smallest grid that fills the device with it.
pub(crate) struct SuggestedSize {
    pub(crate) threads: u32,
    pub(crate) blocks: u32,
}

/// What a launch tells when it is over.
pub(crate) struct Execution {
    /// How long the kernel ran: on the device by its own clock, in the simulator by the host's.
    pub(crate) time: Duration,
    /// What the simulator counted.
    pub(crate) stats: Option<LaunchStats>,
    /// The record of the first thread that panicked; the device's own is free again.
    pub(crate) panic: Option<PanicRecord>,
    /// What the kernel printed; the driver of a GPU only writes it to the standard output.
    pub(crate) printed: Option<String>,
}
