//! [`Gpu`]: one handle over the two back ends.

mod loaded;

pub(crate) use loaded::LoadedKernel;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ptx::target::Arch;

use crate::account::{Closing, Ledger};
use crate::attributes::DeviceAttributes;
use crate::backend::cuda::CudaDevice;
use crate::backend::simulator::Simulator;
use crate::backend::{Allocation, Backend, Entries, Module, Side};
use crate::buffer::DeviceBuffer;
use crate::element::{Element, WholeElement};
use crate::error::{Error, Result};
use crate::kernel::{Called, KernelData, Variant};
use crate::pinned::PinnedBuffer;
use crate::printed::{Printed, Printing};
use crate::profile;
use crate::ptx::PtxModule;
use crate::stream::{Inner, Lane, LaneInUse, Stream};
use crate::tune;
use loaded::Kernels;

/// A device that runs kernels: a GPU through the CUDA driver, or the simulator. Cloning it is cheap and gives another
/// handle on the same device.
#[derive(Clone)]
pub struct Gpu {
    device: Arc<Device>,
}

/// State common to all handles on one device. Fields are dropped in this order: kernels before their device.
struct Device {
    /// The accounts that are kept, and the one that the environment asks for.
    ledger: Ledger,
    _closing: Closing,
    kernels: Kernels,
    /// Streams for launches that are waited for: those that are not in use.
    lanes: Mutex<Vec<Lane>>,
    /// The best instances of tuned kernels on this device.
    tunings: tune::Store,
    /// Every launch is profiled.
    profiling: AtomicBool,
    /// Destination of the texts that kernels print.
    printing: Arc<Printing>,
    backend: Arc<dyn Backend>,
    kind: Kind,
}

enum Kind {
    Cuda,
    Simulator,
}

/// The CUDA devices that are open, so that two handles on one device share its kernels.
static OPEN: Mutex<Vec<(u32, Weak<Device>)>> = Mutex::new(Vec::new());

impl Gpu {
    /// The first CUDA device, or where there is none the simulator of an H200-like device ([`Arch::Sm90`]).
    ///
    /// [`describe`](Gpu::describe) says which of them it is,
    /// [`fallback_reason`](Gpu::fallback_reason) why it is not a CUDA device.
    ///
    /// # Errors
    ///
    /// None today: where no CUDA device can be opened there is the simulator.
    #[doc(alias = "cudaSetDevice")]
    pub fn new() -> Result<Gpu> {
        match Gpu::cuda(0) {
            Ok(gpu) => Ok(gpu),
            Err(reason) => Ok(Gpu::simulate(Arch::Sm90, Some(reason))),
        }
    }

    /// The CUDA device with this number, as the driver counts them (so after CUDA_VISIBLE_DEVICES).
    ///
    /// # Errors
    ///
    /// [`CudaError`](crate::CudaError), as [`Error::Cuda`](crate::Error::Cuda): why there is no driver that works, or no such device, or one that is
    /// too old.
    #[doc(alias("cudaSetDevice", "cuCtxCreate"))]
    pub fn cuda(ordinal: u32) -> Result<Gpu> {
        let mut open = lock(&OPEN);
        open.retain(|(_, device)| device.strong_count() > 0);
        let known = open.iter().find(|&&(number, _)| number == ordinal);
        if let Some(device) = known.and_then(|(_, device)| device.upgrade()) {
            return Ok(Gpu { device });
        }
        let backend = Arc::new(CudaDevice::open(ordinal)?);
        let device = Arc::new(Device::new(backend, Kind::Cuda));
        open.push((ordinal, Arc::downgrade(&device)));
        Ok(Gpu { device })
    }

    /// The number of CUDA devices that the driver finds: [`Gpu::cuda`] opens those with lower numbers. Each has its own memory, streams and
    /// kernels; [`DeviceBuffer::copy_from`] copies from one to another.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// // Every GPU, or the simulator where there is none.
    /// let gpus: Vec<Gpu> = match Gpu::cuda_devices() {
    ///     Ok(count @ 1..) => (0..count).map(Gpu::cuda).collect::<Result<_>>()?,
    ///     Ok(0) | Err(_) => vec![Gpu::new()?],
    /// };
    /// // Work on all of them at once.
    /// let parts = gpus.iter().map(|gpu| gpu.upload(&[1.0f32; 100])).collect::<Result<Vec<_>>>()?;
    /// assert!(parts.iter().zip(&gpus).all(|(part, gpu)| part.gpu() == gpu));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Why there is no driver that works.
    #[doc(alias = "cudaGetDeviceCount")]
    pub fn cuda_devices() -> Result<u32> {
        CudaDevice::count()
    }

    /// A simulated device of this architecture, with memory of its own. How large a device it stands for:
    /// [`DeviceAttributes::simulated`].
    pub fn simulator(arch: Arch) -> Gpu {
        Gpu::simulate(arch, None)
    }

    fn simulate(arch: Arch, fallback: Option<Error>) -> Gpu {
        let backend = Arc::new(Simulator::new(arch, fallback));
        Gpu { device: Arc::new(Device::new(backend, Kind::Simulator)) }
    }

    /// Returns true if kernels run on the simulator.
    pub fn is_simulator(&self) -> bool {
        match self.device.kind {
            Kind::Cuda => false,
            Kind::Simulator => true,
        }
    }

    /// Why [`Gpu::new`] gave the simulator: the error that the first CUDA device gave. None for a device that was
    /// asked for.
    pub fn fallback_reason(&self) -> Option<&Error> {
        self.attributes().fallback.as_ref()
    }

    /// The attributes and limits of the device.
    #[doc(alias("cudaGetDeviceProperties", "cudaDeviceGetAttribute"))]
    pub fn attributes(&self) -> &DeviceAttributes {
        self.device.backend.attributes()
    }

    /// The architecture of the device; of one that is newer than this program, the nearest known below.
    pub fn arch(&self) -> Arch {
        self.attributes().arch
    }

    /// One line on the device for a reader: what it is, how large, and for [`Gpu::new`] why it is not a CUDA device.
    pub fn describe(&self) -> String {
        let attributes = self.attributes();
        match &attributes.fallback {
            None => attributes.to_string(),
            Some(reason) => {
                let reason = reason.to_string();
                let first = reason.lines().next().unwrap_or_default();
                format!("{attributes}; not a GPU: {first}")
            }
        }
    }

    /// Bytes of the device's memory that nobody has now, other programs included. Of all there are
    /// [`memory_bytes`](DeviceAttributes::memory_bytes).
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMemGetInfo")]
    pub fn free_memory(&self) -> Result<u64> {
        self.backend().free_memory()
    }

    /// A buffer with a copy of this data.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::OutOfHostMemory`](crate::Error::OutOfHostMemory); the driver's error,
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias("cudaMalloc", "cudaMemcpyHostToDevice", "clone_htod"))]
    #[track_caller]
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::upload(self, data)
    }

    /// A buffer of so many zeros.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::OutOfHostMemory`](crate::Error::OutOfHostMemory); the driver's error,
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias("cudaMalloc", "cudaMemset", "alloc_zeros"))]
    #[track_caller]
    pub fn zeros<T: Element>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::zeros(self, len)
    }

    /// A buffer of so many elements that nobody has written: for results that a kernel writes all of. On the simulator a kernel that
    /// reads one before it is written is stopped.
    ///
    /// # Safety
    ///
    /// Every element is written before anybody reads it, unless all bits are values of `T`: then what is read is unspecified.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::OutOfHostMemory`](crate::Error::OutOfHostMemory); the driver's error,
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMalloc")]
    #[track_caller]
    pub unsafe fn uninitialized<T: Element>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::allocate(self, len)
    }

    /// Loads a PTX text of one's own, or of another compiler: see [`PtxModule`].
    ///
    /// # Errors
    ///
    /// [`Error::LoadPtx`] when the text is not PTX, with line, column and what was expected, or when the device cannot run it.
    #[doc(alias("cuModuleLoadData", "nvrtc", "cuModuleLoad", "cudaLibraryLoadData"))]
    pub fn load_ptx(&self, text: &str) -> Result<PtxModule> {
        PtxModule::load(self, text)
    }

    /// Keeps what tuned kernels are found to run best in this file, and takes what it says already. It need not be there
    /// yet. Without this, the environment variable `KERNEL_TUNING_CACHE` names the file; without that too there is none.
    ///
    /// A result that cannot be written later, to a file that is read-only say, stops no launch; the [`Tuning`](tune::Tuning) says so.
    ///
    /// # Errors
    ///
    /// [`Error::TuningCache`] when the file is something else, broken, or of another version. It is left as it is.
    pub fn tuning_cache(&self, path: impl AsRef<Path>) -> Result<()> {
        self.tunings().keep_in(path.as_ref().to_owned())
    }

    /// Keeps the machine code that the driver makes of kernels in this folder, and takes what is there already, for kernels that are
    /// loaded from here on. A file is for a text of PTX, a compute capability and a version of CUDA; it is checked when it is read. Without this,
    /// the environment variable `KERNEL_CUBIN_CACHE` names the folder; without that too there is none. The simulator compiles nothing.
    ///
    /// Within a process each device loads a kernel once in any case. The driver has a cache of its own for each user; a folder can be
    /// shared, moved, or brought along. Who may write into it decides what runs on the device.
    ///
    /// A file that cannot be read or written stops nothing: the driver compiles again. So it does with PTX that has `setmaxnreg`, which its linker
    /// gives too few registers.
    pub fn cubin_cache(&self, folder: impl Into<PathBuf>) {
        if let Some(device) = self.device.backend.as_cuda() {
            device.keep_cubins_in(folder.into());
        }
    }

    /// Takes what the text of a cache file says, one that a program brings along in itself:
    /// `gpu.load_tunings(include_str!("tunings.json"))?`.
    ///
    /// # Errors
    ///
    /// [`Error::TuningCache`] when the text is something else, broken, or of another version.
    pub fn load_tunings(&self, text: &str) -> Result<()> {
        self.tunings().load(text)
    }

    /// Profiles every launch on this device from now on, as if each said [`.profile()`](crate::Launch::profile), or none that
    /// does not say so. A GPU does not care.
    pub fn profile_launches(&self, on: bool) {
        self.device.profiling.store(on, Ordering::Relaxed);
    }

    pub(crate) fn is_profiling(&self) -> bool {
        self.device.profiling.load(Ordering::Relaxed) || self.ledger().is_open()
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.device.ledger
    }

    /// Bytes per second of the device's memory, by its architecture.
    pub(crate) fn memory_bandwidth(&self) -> f64 {
        profile::memory_bandwidth(self.arch())
    }

    /// Room for what a launch prints from here on, in bytes; 1 MiB unless this is called. A text takes 32 bytes and 8 for each
    /// scalar in it. When the buffer is full, further texts are lost; they are counted in [`Prints::lost`](crate::Prints::lost),
    /// and a line on the host's error output says how many. Where there is no memory for so much, launches that print are refused with
    /// [`Error::PrintBuffer`].
    pub fn print_buffer(&self, bytes: usize) {
        self.device.printing.set_bytes(bytes);
    }

    /// Passes the texts that kernels print on this device to this closure, instead of printing them: called for each text when the
    /// launch is waited for, in order for each thread. Not for launches that only time a kernel for `tune(…)`.
    ///
    /// One thread at a time calls it, and nothing is locked meanwhile: it may launch kernels, also such that print, wait for streams, and set
    /// another sink. What a launch of its own prints comes when it has returned. It must not wait for another thread that
    /// launches kernels that print here: that one waits for it.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use kernel_runtime::prelude::*;
    ///
    /// #[kernel]
    /// fn hello(x: &[f32]) {
    ///     let i = global_idx().x;
    ///     println!("x[{i}] is {:.1}", x[i]);
    /// }
    ///
    /// let gpu = Gpu::simulator(Arch::Sm90);
    /// let texts = Arc::new(Mutex::new(Vec::new()));
    /// let own = texts.clone();
    /// gpu.on_print(move |printed| own.lock().unwrap().push((printed.thread[0], printed.text)));
    /// hello(&gpu.upload(&[0.25, 3.0])?).grid(1).block(2).run()?;
    /// let mut texts = texts.lock().unwrap();
    /// texts.sort();
    /// assert_eq!(*texts, [(0, "x[0] is 0.2\n".to_owned()), (1, "x[1] is 3.0\n".to_owned())]);
    /// # Ok::<(), kernel_runtime::Error>(())
    /// ```
    pub fn on_print(&self, sink: impl FnMut(Printed) + Send + 'static) {
        self.device.printing.set_sink(Some(Box::new(sink)));
    }

    /// Prints on the host again what kernels print.
    pub fn print_on_host(&self) {
        self.device.printing.set_sink(None);
    }

    pub(crate) fn printing(&self) -> &Arc<Printing> {
        &self.device.printing
    }

    pub(crate) fn tunings(&self) -> &tune::Store {
        &self.device.tunings
    }

    pub(crate) fn load_module(&self, text: &str) -> Result<Box<dyn Module>, String> {
        self.device.backend.clone().load_module(text, &Called::NONE)
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.device.backend
    }

    /// Memory of this device as a side of a copy between devices.
    pub(crate) fn side<'a>(&'a self, memory: &'a Allocation) -> Side<'a> {
        Side { device: &*self.device.backend, memory }
    }

    /// A stream for a launch that is waited for.
    pub(crate) fn lane(&self) -> Result<LaneInUse<'_>> {
        let idle = lock(&self.device.lanes).pop();
        let lane = match idle {
            Some(lane) => lane,
            None => Lane::new(Inner::new(&self.device.backend, 1, self.printing())?)?,
        };
        Ok(LaneInUse::new(self, lane))
    }

    /// Of [`LaneInUse`].
    pub(crate) fn give_back(&self, lane: Lane) {
        lock(&self.device.lanes).push(lane);
    }

    /// A new stream: work of this device that is done in order, beside that of other streams. See [`Stream`].
    ///
    /// # Errors
    ///
    /// The driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaStreamCreate")]
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    /// So many zeros in memory of the host that streams copy from and to: see [`PinnedBuffer`].
    ///
    /// # Errors
    ///
    /// [`Error::OutOfHostMemory`](crate::Error::OutOfHostMemory); the driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias("cudaMallocHost", "cudaHostAlloc"))]
    pub fn pinned<T: WholeElement>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        PinnedBuffer::zeros(self, len)
    }

    /// A copy of this data in memory of the host that streams copy from: see [`PinnedBuffer`].
    ///
    /// # Errors
    ///
    /// [`Error::OutOfHostMemory`](crate::Error::OutOfHostMemory); the driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias("cudaMallocHost", "cudaHostAlloc"))]
    pub fn pinned_from<T: WholeElement>(&self, data: &[T]) -> Result<PinnedBuffer<T>> {
        PinnedBuffer::from_slice(self, data)
    }

    /// Its name in a message that has named another device.
    pub(crate) fn name_beside(&self, other: &Gpu) -> String {
        let (name, other) = (self.to_string(), other.to_string());
        // Two simulators of one architecture have one name.
        if name == other { format!("another {name}") } else { name }
    }

    /// The variant of a kernel that the device gets.
    pub(crate) fn variant(&self, kernel: &'static KernelData) -> Result<&'static Variant> {
        let device = self.attributes();
        kernel.variant_for(device.compute_capability).ok_or_else(|| Error::NoVariant {
            kernel: kernel.name,
            file: kernel.file,
            line: kernel.line,
            device: device.name.clone(),
            capability: device.compute_capability,
            arch: device.arch,
            variants: kernel.variants.iter().map(|variant| variant.target).collect(),
        })
    }

    #[inline]
    pub(crate) fn load(&self, kernel: &'static KernelData) -> Result<&Arc<LoadedKernel>> {
        self.device.kernels.get_or_load(kernel, || {
            let variant = self.variant(kernel)?;
            let Entries { checked, check_free, coarsened } =
                self.device.backend.clone().load(kernel, variant)?;
            let elements = kernel.elements;
            let mut loaded = LoadedKernel::new(checked, variant, elements);
            loaded.check_spills(kernel, self)?;
            for (function, version) in check_free.into_iter().zip(variant.check_free) {
                let version = LoadedKernel::new(function, version.variant, elements);
                version.check_spills(kernel, self)?;
                loaded.check_free.push(Arc::new(version));
            }
            if let Some((function, version)) = coarsened.zip(variant.coarsened) {
                let version = LoadedKernel::new(function, version.variant, version.elements);
                // Nobody asked for it: where it spills and may not, there is none.
                loaded.coarsened = version.check_spills(kernel, self).ok().map(|()| Arc::new(version));
            }
            Ok(loaded)
        })
    }
}

impl Device {
    fn new(backend: Arc<dyn Backend>, kind: Kind) -> Device {
        let ledger = Ledger::default();
        let closing = Closing::from_environment(&ledger, backend.attributes());
        Device {
            ledger,
            _closing: closing,
            kernels: Kernels::default(),
            lanes: Mutex::default(),
            tunings: tune::Store::default(),
            profiling: AtomicBool::new(false),
            printing: Arc::default(),
            backend,
            kind,
        }
    }
}

/// Locks a mutex, also after a panic: the data that is guarded here stays consistent when a thread panics.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PartialEq for Gpu {
    /// Returns true if both are handles on one device.
    fn eq(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.device, &other.device)
    }
}

impl Eq for Gpu {}

impl fmt::Display for Gpu {
    /// The short name: `NVIDIA H200 (CUDA device 0)`, `simulator of sm_90`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.attributes().name)
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({self})")
    }
}
