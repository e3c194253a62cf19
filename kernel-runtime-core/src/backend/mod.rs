//! The contract between the runtime and what runs kernels, and its two implementations.

pub(crate) mod cuda;
pub(crate) mod simulator;

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::attributes::DeviceAttributes;
use crate::error::{CudaError, Error, Result};
use crate::kernel::{Called, FunctionAttributes, KernelData, Variant};
use ptx_sim::{Detailed, LaunchStats, Progress};

/// The entries of a kernel of the program, one for each of its versions.
pub(crate) struct Entries {
    /// The checked version.
    pub(crate) checked: Box<dyn Function>,
    /// The versions with fewer checks, in the order of the variant.
    pub(crate) check_free: Vec<Box<dyn Function>>,
    /// The coarsened version, if there is one.
    pub(crate) coarsened: Option<Box<dyn Function>>,
}

/// A device: its memory, and how kernels get onto it.
///
/// Every method may be called from any thread. Copies are complete when they return; they wait for nothing that queues do.
pub(crate) trait Backend: fmt::Debug + Send + Sync {
    /// The attributes of the device.
    fn attributes(&self) -> &DeviceAttributes;

    /// Memory of so many bytes, its contents arbitrary. No bytes need no memory.
    fn allocate(&self, bytes: usize) -> Result<Allocation>;
    /// Notes the origin of memory, for messages about accesses to it: the simulator has such.
    fn label(&self, allocation: &Allocation, label: ptx_sim::Label) {
        let _ = (allocation, label);
    }
    /// Bytes that can still be allocated, about.
    fn free_memory(&self) -> Result<u64>;
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
    /// Copies from another device as many bytes as both sides have.
    fn copy_across(&self, to: &Allocation, from: Side<'_>) -> Result<()>;

    /// Sets so many bytes of the second-level cache aside for what launches keep there, about.
    fn set_aside_l2(&self, bytes: u64) -> Result<()>;
    /// The number of bytes that are set aside.
    fn l2_set_aside(&self) -> Result<u64>;
    /// Keeps nothing there any more.
    fn reset_l2(&self) -> Result<()>;

    /// Makes the kernels of a PTX text ready to be launched; an error is why not. Messages name the calls that lead to its lines.
    fn load_module(self: Arc<Self>, ptx: &str, called: &Called) -> Result<Box<dyn Module>, String>;

    /// Makes a kernel of the program ready to be launched, with its other versions.
    fn load(self: Arc<Self>, kernel: &'static KernelData, variant: &'static Variant) -> Result<Entries> {
        let device = self.attributes().name.clone();
        let loaded = self.load_module(variant.ptx, &variant.called).and_then(|module| {
            let entry = |version: &Variant| {
                let function = module.function(kernel.name, version.entry)?;
                if kernel.bounds.nonportable_cluster {
                    function.allow_nonportable_clusters().map_err(|error| error.to_string())?;
                }
                Ok::<_, String>(function)
            };
            Ok(Entries {
                checked: entry(variant)?,
                check_free: variant
                    .check_free
                    .iter()
                    .map(|version| entry(version.variant))
                    .collect::<Result<_, _>>()?,
                coarsened: variant.coarsened.map(|version| entry(version.variant)).transpose()?,
            })
        });
        loaded.map_err(|reason| Error::Load {
            kernel: kernel.name,
            file: kernel.file,
            line: kernel.line,
            device,
            reason,
        })
    }

    /// The CUDA device that it is, if it is one.
    fn as_cuda(&self) -> Option<&cuda::CudaDevice>;
    /// The 128 bytes by which kernels know a tensor in its memory.
    fn tensor_map(&self, map: &ptx_sim::TensorMap) -> Result<[u8; ptx_sim::TensorMap::BYTES]>;

    /// A new queue of work.
    fn queue(self: Arc<Self>) -> Result<Box<dyn Queue>>;
    /// Memory for records that kernels write for the host, all zeros.
    fn mailbox(self: Arc<Self>, bytes: usize) -> Result<Box<dyn Mailbox>>;
    /// Makes something of what `work` asks a queue for that a queue is asked for at once; none where that would save nothing.
    fn recorded(self: Arc<Self>, work: Work<'_>) -> Result<Option<Box<dyn Recorded>>>;
    /// Memory of the host that queues copy from and to while the host does other things, all zeros.
    fn host_memory(self: Arc<Self>, bytes: usize) -> Result<Box<dyn HostMemory>>;
}

/// Work of a device that is done in the order in which it was asked for. What was asked for is done when the queue is dropped,
/// or the device is lost.
///
/// Whatever a queue takes besides numbers is of the same device, but for the queues that it waits for and one side of
/// [`copy_across`](Queue::copy_across).
pub(crate) trait Queue: fmt::Debug + Send + Sync {
    /// The driver's handle, of a queue of the driver's; null for others.
    fn raw(&self) -> *mut c_void;
    /// Refuses where what it is asked for now would not be done, or more than once. To be called before [`raw`](Queue::raw) is asked for something;
    /// the methods here look themselves.
    fn check(&self) -> Result<(), CudaError>;
    /// Waits until all is done that was asked for.
    fn synchronize(&self) -> Result<(), CudaError>;
    /// Returns true if all work that was queued is done.
    fn is_idle(&self) -> Result<bool, CudaError>;
    /// Makes the work queued from here on wait for the work that the other queue, of any device, has so far.
    fn wait_for(&self, other: &dyn Queue) -> Result<(), CudaError>;
    /// Calls `wait` with the driver's event that happens when all is done that was asked for so far. It may be placed elsewhere as soon as `wait` has
    /// returned. A queue that has no work left does not call it.
    fn with_end(&self, wait: &mut dyn FnMut(*mut c_void) -> Result<(), CudaError>) -> Result<(), CudaError>;
    /// A moment that can be placed in queues.
    fn moment(&self) -> Result<Box<dyn Moment>, CudaError>;
    /// Places a moment, which is no longer where it was before.
    fn place(&self, moment: &dyn Moment) -> Result<(), CudaError>;
    /// Makes the work queued from here on wait for the moment.
    fn wait_for_moment(&self, moment: &dyn Moment) -> Result<(), CudaError>;
    /// Sets every byte to zero.
    ///
    /// # Safety
    /// So many bytes are there until it is done, and nobody else uses them.
    unsafe fn zero(&self, to: u64, bytes: usize) -> Result<()>;
    /// Copies to the device.
    ///
    /// # Safety
    /// Both sides have so many bytes until it is done. Nobody writes those of the host, which are of [`HostMemory`]; nobody else uses
    /// those of the device.
    unsafe fn write(&self, to: u64, from: *const u8, bytes: usize) -> Result<()>;
    /// Copies from the device.
    ///
    /// # Safety
    /// Both sides have so many bytes until it is done. Nobody else uses those of the host, which are of [`HostMemory`]; nobody writes
    /// those of the device.
    unsafe fn read(&self, from: u64, into: *mut u8, bytes: usize) -> Result<()>;
    /// Copies on the device.
    ///
    /// # Safety
    /// Both sides have so many bytes until it is done. Nobody else uses those of `to`, and nobody writes those of `from`.
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()>;
    /// Copies as many bytes as both sides have from one device to another; the queue is of one of them.
    ///
    /// # Safety
    /// Both sides are there until it is done. Nobody else uses that of `to`, and nobody writes that of `from`.
    unsafe fn copy_across(&self, to: Side<'_>, from: Side<'_>) -> Result<()>;
}

/// Memory, and the device that it is of: a side of a copy between devices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    /// The device.
    pub(crate) device: &'a dyn Backend,
    /// Memory of this device.
    pub(crate) memory: &'a Allocation,
}

impl Side<'_> {
    /// Copies from another one by way of the host.
    fn copy_by_host(self, from: Side<'_>) -> Result<()> {
        let mut bytes = vec![0; self.memory.bytes];
        from.device.read(from.memory, &mut bytes)?;
        self.device.write(self.memory, &bytes)
    }
}

/// Asks a queue for things.
pub(crate) type Work<'a> = &'a mut dyn FnMut(&dyn Queue) -> Result<()>;

/// A recorded sequence of work, to be queued again as a whole.
pub(crate) trait Recorded: fmt::Debug + Send + Sync {
    /// Asks a queue for all of it. One thread at a time calls this.
    ///
    /// # Safety
    /// As for each part of it.
    unsafe fn replay(&self, queue: &dyn Queue) -> Result<(), CudaError>;
    /// Takes something else in its place. Of no use any more where this fails.
    fn replace(&mut self, work: Work<'_>) -> Result<()>;
}

/// A point in the work of a queue, and when it was reached.
pub(crate) trait Moment: fmt::Debug + Send + Sync {
    /// The driver's handle, of a moment of the driver's; null for others.
    fn raw(&self) -> *mut c_void;
    /// Of a moment that the host keeps: it is now.
    fn reach_now(&self);
    /// Waits until it is reached.
    fn wait(&self) -> Result<(), CudaError>;
    /// Returns true if it is reached.
    fn is_reached(&self) -> Result<bool, CudaError>;
    /// The time from another moment to this one. Both are reached.
    fn since(&self, start: &dyn Moment) -> Result<Duration, CudaError>;
    /// On the host's clock, of one whose queue does its work there.
    fn host_time(&self) -> Option<Instant>;
}

/// Memory that kernels write and the host reads, without a copy between: what threads that panic leave behind, and what they print.
pub(crate) trait Mailbox: fmt::Debug + Send + Sync {
    /// Its address as the device sees it.
    fn address(&self) -> u64;
    /// Copies from it. No kernel writes there meanwhile.
    fn read(&self, at: usize, into: &mut [u8]) -> Result<()>;
    /// Copies to it. No kernel uses these bytes meanwhile.
    fn write(&self, at: usize, from: &[u8]) -> Result<()>;
    /// Makes bytes zero again. No kernel uses them meanwhile.
    fn clear(&self, at: usize, bytes: usize) -> Result<()>;
}

/// Memory of the host, aligned for any element. It is there until this is dropped.
pub(crate) trait HostMemory: fmt::Debug + Send + Sync {
    /// Its first byte. Never null, also when it has no bytes.
    fn start(&self) -> NonNull<u8>;
}

/// The least alignment of [`HostMemory`].
pub(crate) const HOST_ALIGN: usize = 256;

/// A PTX text that a device has loaded. It keeps the device open.
pub(crate) trait Module: Send + Sync {
    /// One of its kernels, which errors call `name`; an error is why not.
    fn function(&self, name: &'static str, entry: &str) -> Result<Box<dyn Function>, String>;
}

/// The arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params<'a> {
    /// Laid out as PTX lays out `.param` space.
    pub(crate) bytes: &'a [u8],
    /// The offset in `bytes` of each argument; only for kernels with a parameter of a larger alignment than [`Params::ALIGN`], and for
    /// cooperative ones.
    pub(crate) starts: &'a [usize],
}

impl Params<'_> {
    /// The first parameter is at a multiple of this on every GPU. (It is at 0x210 of the constants on sm_90. Where a parameter
    /// has to be at a multiple of 128, as maps of tensors have, ptxas leaves room before the first.)
    pub(crate) const ALIGN: usize = 16;
}

/// A kernel that a device has loaded. It keeps the device open.
pub(crate) trait Function: Send + Sync {
    /// Its attributes: the resources that it needs.
    fn attributes(&self) -> &FunctionAttributes;
    /// Blocks per SM as the device itself counts them; none where nobody but our own arithmetic does.
    fn active_blocks(&self, threads: u32, dynamic_shared: u32) -> Result<Option<u32>>;
    /// Clusters of such blocks that the device runs at once, as it counts itself; none where nobody but our own arithmetic does.
    fn active_clusters(&self, cluster: [u32; 3], block: [u32; 3], dynamic_shared: u32)
    -> Result<Option<u32>>;
    /// Lets clusters have more blocks than every device with clusters holds.
    fn allow_nonportable_clusters(&self) -> Result<()>;
    /// The best block size by the device's own count, with the smallest grid that fills the device.
    fn best_block_size(&self, dynamic_shared: u32) -> Result<Option<SuggestedSize>>;
    /// Queues it. A queue that works at once returns the result, others nothing.
    ///
    /// # Safety
    /// Memory that the kernel accesses through its arguments lives until it is over, nobody writes what it reads, and nobody else uses what
    /// it writes.
    unsafe fn launch(
        &self,
        queue: &dyn Queue,
        config: &LaunchConfig,
        params: Params<'_>,
    ) -> Result<Option<Box<Execution>>>;
}

/// Memory of a device, which its [`Backend`] makes and which stays valid until it is given back; or a part of that.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// Its first address; 0 when it is empty.
    pub(crate) address: u64,
    /// Its size.
    pub(crate) bytes: usize,
}

/// Memory that a launch keeps in the second-level cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct L2Access {
    /// Its first address.
    pub(crate) address: u64,
    /// Its size: not 0.
    pub(crate) bytes: u64,
    /// The part of the accesses there, from 0 to 1, whose lines are kept.
    pub(crate) hit_ratio: f32,
}

/// The shape of a launch.
#[derive(Clone, Debug)]
pub(crate) struct LaunchConfig {
    /// Blocks along x, y, z.
    pub(crate) grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub(crate) block: [u32; 3],
    /// Blocks per cluster along x, y, z, if the launch has clusters.
    pub(crate) cluster: Option<[u32; 3]>,
    /// All blocks run at once and may wait for each other.
    pub(crate) cooperative: bool,
    /// Memory to be kept in the second-level cache; ignored by the simulator.
    pub(crate) l2: Option<L2Access>,
    /// Dynamic shared memory per block in bytes.
    pub(crate) dynamic_shared: u32,
    /// Set if the simulator's sanitizer checks the launch; ignored by a GPU.
    pub(crate) sanitize: bool,
    /// Steps of a warp after which the simulator takes it for endless, if the launch says; nothing to a GPU.
    pub(crate) steps: Option<u64>,
    /// Time after which loops without an effect count as endless; none is what the simulator takes by itself, or no limit if `steps` is one.
    pub(crate) patience: Option<Duration>,
    /// Set if the simulator collects the data of a profile; ignored by a GPU.
    pub(crate) profile: bool,
    /// The progress handle through which the launch is watched and cancelled.
    pub(crate) progress: Option<Progress>,
}

impl LaunchConfig {
    /// All blocks.
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&size| u64::from(size)).product()
    }
}

/// A block size and the smallest grid that fills the device with it.
pub(crate) struct SuggestedSize {
    pub(crate) threads: u32,
    pub(crate) blocks: u32,
}

/// Result of a launch that is over as soon as it is queued.
pub(crate) struct Execution {
    /// Run time of the kernel, by the host's clock.
    pub(crate) time: Duration,
    /// The counts, of a kernel that came to its end.
    pub(crate) stats: Option<LaunchStats>,
    /// The simulator's findings beyond counts when the launch was profiled, and the PTX.
    pub(crate) detailed: Option<(Detailed, Arc<str>)>,
    /// Text that the kernel printed.
    pub(crate) printed: String,
    /// The fault that ended it.
    pub(crate) fault: Option<String>,
    /// Findings of the sanitizer that are no faults.
    pub(crate) warnings: Vec<String>,
    /// Somebody ended it: the blocks that were done, of how many.
    pub(crate) cancelled: Option<(u64, u64)>,
}

impl Execution {
    /// The error of a launch of this kernel, panics aside.
    pub(crate) fn error(&self, kernel: &'static str) -> Option<Error> {
        match (self.cancelled, &self.fault) {
            (Some((done, blocks)), _) => Some(Error::Cancelled { kernel, done, blocks }),
            (None, Some(fault)) => Some(Error::Fault { kernel, fault: fault.clone() }),
            (None, None) => None,
        }
    }
}
