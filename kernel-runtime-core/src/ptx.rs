//! PTX of one's own, or of another compiler: loaded as text, launched with arguments that are checked against it.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let gpu = Gpu::simulator(Arch::Sm90);
//! let module = gpu.load_ptx(
//!     ".version 7.0\n.target sm_75\n.address_size 64\n
//!      .visible .entry fill(.param .u64 out, .param .u32 value)\n{
//!      .reg .b32 %r<3>;\n.reg .b64 %rd<4>;
//!      ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [value];
//!      mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;
//!      st.global.u32 [%rd3], %r1;\nret;\n}",
//! )?;
//! let mut out = gpu.zeros::<u32>(32)?;
//! // SAFETY: 32 threads write an element each, and there are 32.
//! unsafe { module.function("fill")?.launch().arg(&mut out).arg(7u32).grid(1).block(32).run()? };
//! assert_eq!(out.to_vec()?, [7; 32]);
//! # Ok(())
//! # }
//! ```

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ptx::parse::ParseError;
use ptx::tree::{FunctionDirective, Item, StateSpace, Variable};
use ptx::tree::{Module as Text, ScalarType as PtxType};

use crate::backend::{LaunchConfig, Module};
use crate::buffer::DeviceBuffer;
use crate::element::{Element, ScalarType};
use crate::error::{Error, LaunchError, Result, SYNTAX_HELP};
use crate::gpu::{Gpu, LoadedKernel, lock};
use crate::kernel::{Bounds, FunctionAttributes, Promises, Variant, threads_of};
use crate::l2::{Kept, L2Window};
use crate::launch::{ArgBytes, Borrowed, IntoDim3, LaunchReport, Shape, configure, number};
use crate::occupancy::BestBlockSize;
use crate::stream::{Access, Ready, Stream, Uses};
use crate::tensor_map::TensorMap;
use ptx_sim::Progress;

/// A PTX text on a device. Its kernels share its variables. Cloning gives another handle.
///
/// # What the simulator takes
///
/// The output of nvcc 13.0 for sm_75 to sm_90a of ordinary programs: all scalar and packed arithmetic with its roundings and
/// saturations, conversions down to fp8, carry chains, accesses of every width and space, generic addresses, atomic operations up to
/// 128 bits, shuffles, votes, matches and `redux`, barriers of blocks with counts and reductions, `mbarrier`, fences, `cp.async`,
/// bulk copies and copies of tensors ([`TensorMap`]), `ldmatrix`, `stmatrix`, `mma`, `mma.sp`, `wmma`, `wgmma`, clusters with
/// distributed shared memory, cooperative grids, calls, recursion, calls by pointers, branches by table, `alloca`, `vprintf`,
/// `__assertfail`, `malloc`, `trap`, `exit`, `nanosleep`. Prefetches, cache operators and priorities change nothing.
///
/// The output of other compilers and older ones, as far as `ptxas` 13.0 assembles it: registers of vector types, video instructions, and in
/// old texts `vote` and `shfl` without `.sync`, registers of a module, prototypes without semicolon. Text that `ptxas` refuses is refused.
///
/// Anything else is an error when the text is loaded, with its line and reason:
///
/// | | |
/// |---|---|
/// | `tex`, `tld4`, `txq`, `suld`, `sust`, `sured`, `suq`, `istypep` | textures and surfaces; pointers do |
/// | `tcgen05`, `clusterlaunchcontrol` | the tensor cores and launches of sm_100 |
/// | `.im2col`, `.tile::gather4` of tensor copies, `.ignore_oob` of bulk copies | the other modes |
/// | `tensormap.replace` | maps are as the host makes them |
/// | `multimem` | memory of several devices |
#[doc(alias("CUmodule", "cudaLibrary_t"))]
#[derive(Clone)]
pub struct PtxModule {
    inner: Arc<Inner>,
}

struct Inner {
    gpu: Gpu,
    entries: Vec<Entry>,
    loaded: Mutex<HashMap<&'static str, Arc<LoadedKernel>>>,
    // Last: kernels are dropped before the module.
    module: Box<dyn Module>,
}

/// Declaration of a kernel in the text.
#[derive(Debug)]
struct Entry {
    name: &'static str,
    params: Vec<Param>,
    bounds: Bounds,
}

/// A parameter as declared.
#[derive(Debug)]
struct Param {
    name: &'static str,
    ty: PtxType,
    bytes: usize,
    align: usize,
    /// An array of bytes, as structures are passed.
    is_array: bool,
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_array {
            write!(f, "`{}`: {} bytes", self.name, self.bytes)
        } else {
            write!(f, "`{}`: `.{}`", self.name, self.ty)
        }
    }
}

/// A name that lives as long as the program: reports and errors carry them. Each distinct name is kept once.
fn intern(name: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = lock(&NAMES);
    let names = names.get_or_insert_default();
    if let Some(&known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    kept
}

impl PtxModule {
    pub(crate) fn load(gpu: &Gpu, text: &str) -> Result<PtxModule> {
        let failed = |reason: String| Error::LoadPtx { device: gpu.to_string(), reason };
        let syntax = |error: ParseError| failed(format!("{error}\nhelp: {SYNTAX_HELP}"));
        let tree = ptx::parse::parse(text).map_err(syntax)?;
        let entries = entries(&tree).map_err(failed)?;
        let module = gpu.load_module(text).map_err(failed)?;
        let loaded = Mutex::default();
        Ok(PtxModule { inner: Arc::new(Inner { gpu: gpu.clone(), entries, loaded, module }) })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.inner.gpu
    }

    /// The names of its kernels.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> {
        self.inner.entries.iter().map(|entry| entry.name)
    }

    /// The kernel of this name, made ready.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`](crate::Error::NoEntry); [`Error::LoadPtx`](crate::Error::LoadPtx) when the device cannot have the kernel.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, name: &str) -> Result<PtxFunction> {
        let index = self.inner.entries.iter().position(|entry| entry.name == name).ok_or_else(|| {
            Error::NoEntry { name: name.to_owned(), entries: self.functions().map(str::to_owned).collect() }
        })?;
        let name = self.inner.entries[index].name;
        let mut known = lock(&self.inner.loaded);
        let loaded = match known.get(name) {
            Some(loaded) => loaded.clone(),
            None => {
                let failed = |reason| Error::LoadPtx { device: self.inner.gpu.to_string(), reason };
                let function = self.inner.module.function(name, name).map_err(failed)?;
                let loaded = Arc::new(LoadedKernel::new(function, &Variant::EMPTY, 1));
                known.insert(name, loaded.clone());
                loaded
            }
        };
        Ok(PtxFunction { module: self.clone(), index, loaded })
    }
}

impl fmt::Debug for PtxModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PtxModule({} on {})", self.functions().collect::<Vec<_>>().join(", "), self.inner.gpu)
    }
}

/// The kernels that a text declares.
fn entries(text: &Text) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    for item in &text.items {
        let Item::Function(function) = item else { continue };
        if !function.is_entry || function.body.is_none() {
            continue;
        }
        let mut bounds = Bounds::NONE;
        for directive in &function.directives {
            match *directive {
                FunctionDirective::MaxThreads(threads) => {
                    bounds.max_threads = Some(threads_of(threads));
                }
                FunctionDirective::RequiredThreads(threads) => bounds.block = Some(threads),
                FunctionDirective::MinBlocksPerSm(blocks) => bounds.min_blocks = Some(blocks),
                FunctionDirective::MaxClusterRank(blocks) => bounds.max_cluster = Some(blocks),
                FunctionDirective::RequiredCluster(blocks) => bounds.cluster = Some(blocks),
                FunctionDirective::MaxRegisters(registers) => bounds.max_registers = Some(registers),
                _ => {}
            }
        }
        let params = function.parameters.iter().map(param).collect::<Result<Vec<Param>, String>>()?;
        entries.push(Entry { name: intern(function.name.as_str()), params, bounds });
    }
    Ok(entries)
}

fn param(variable: &Variable) -> Result<Param, String> {
    let wrong = || format!("parameter `{}` has no size that a launch can give", variable.name);
    let element = u64::from(variable.ty.bits().div_ceil(8)) * u64::from(variable.vector);
    let mut bytes = Some(element);
    for dimension in &variable.dimensions {
        bytes = dimension.and_then(|count| bytes?.checked_mul(count));
    }
    let bytes = bytes.filter(|_| matches!(variable.space, StateSpace::Param | StateSpace::ParamEntry));
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(wrong)?;
    let align = usize::try_from(variable.align.unwrap_or(element as u32)).unwrap_or(1).max(1);
    let is_array = !variable.dimensions.is_empty() || variable.vector != 1;
    Ok(Param { name: intern(variable.name.as_str()), ty: variable.ty, bytes, align, is_array })
}

/// A kernel of a [`PtxModule`].
#[derive(Clone)]
pub struct PtxFunction {
    module: PtxModule,
    index: usize,
    loaded: Arc<LoadedKernel>,
}

impl PtxFunction {
    fn entry(&self) -> &Entry {
        &self.module.inner.entries[self.index]
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.entry().name
    }

    /// The resources that it needs on the device.
    pub fn attributes(&self) -> &FunctionAttributes {
        self.loaded.function.attributes()
    }

    /// The block size of highest occupancy with so much dynamic shared memory, in bytes.
    ///
    /// # Errors
    ///
    /// [`Error::NoBlockSize`](crate::Error::NoBlockSize) when no block fits the device; the driver's error, [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    pub fn best_block_size(&self, dynamic_shared: u32) -> Result<BestBlockSize> {
        self.loaded.best_block_size(self.module.gpu(), self.name(), dynamic_shared)
    }

    /// A launch to be described: arguments with [`arg`](PtxLaunch::arg) in the order of the parameters, then the shape.
    pub fn launch<'data>(&self) -> PtxLaunch<'data> {
        let align = self.entry().params.iter().map(|param| param.align).max();
        PtxLaunch {
            function: self.clone(),
            bytes: ArgBytes::aligned_to(align.unwrap_or(1)),
            count: 0,
            mistake: None,
            shape: Shape::default(),
            borrowed: Borrowed::new(),
        }
    }
}

impl fmt::Debug for PtxFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PtxFunction({} on {})", self.name(), self.module.gpu())
    }
}

/// Arguments of a launch of PTX: scalars, `&DeviceBuffer<T>` and `&mut DeviceBuffer<T>` for pointers, `&T` of an [`Element`] for a
/// structure, such as a `#[repr(C)]` struct with `#[derive(Element)]` or an array, and `&[u8]` for any bytes.
#[diagnostic::on_unimplemented(
    message = "a launch of PTX takes scalars, `&DeviceBuffer<T>`, `&mut DeviceBuffer<T>` and references to structs as arguments, found `{Self}`",
    label = "expected an argument of a launch of PTX",
    note = "pass a struct as `&params`, and write `#[derive(Clone, Copy, Element)] #[repr(C)]` before it"
)]
pub trait PtxArg<'data>: private::Sealed {
    #[doc(hidden)]
    fn value(self) -> Value<'data>;
}

mod private {
    pub trait Sealed {}
}

/// An argument, its type left behind.
#[doc(hidden)]
#[derive(Debug)]
pub struct Value<'a>(Kind<'a>);

#[derive(Debug)]
enum Kind<'a> {
    /// As many of the bytes as the type has.
    Scalar(ScalarType, [u8; 8]),
    Buffer {
        gpu: &'a Gpu,
        address: u64,
        uses: &'a Uses,
        access: Access,
    },
    /// The bytes of a tensor map.
    Tensor {
        gpu: &'a Gpu,
        bytes: [u8; TensorMap::BYTES],
        uses: &'a Uses,
        access: Access,
    },
    Bytes(&'a [u8]),
    /// Those of a value that has a type.
    Struct(Cow<'a, [u8]>),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Scalar(ty, _) => write!(f, "`{ty}`"),
            Kind::Buffer { .. } => write!(f, "a buffer"),
            Kind::Tensor { .. } => write!(f, "a tensor map"),
            Kind::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Kind::Struct(bytes) => write!(f, "a reference to a value of {} bytes", bytes.len()),
        }
    }
}

macro_rules! scalars {
    ($($ty:ty => $scalar:ident),* $(,)?) => {$(
        impl private::Sealed for $ty {}
        impl<'data> PtxArg<'data> for $ty {
            fn value(self) -> Value<'data> {
                let mut bytes = [0; 8];
                bytes[..size_of::<$ty>()].copy_from_slice(bytemuck::bytes_of(&self));
                Value(Kind::Scalar(ScalarType::$scalar, bytes))
            }
        }
    )*};
}

scalars! {
    bool => Bool, i8 => I8, i16 => I16, i32 => I32, i64 => I64, isize => Isize, u8 => U8, u16 => U16, u32 => U32,
    u64 => U64, usize => Usize, half::f16 => F16, half::bf16 => Bf16, f32 => F32, f64 => F64,
}

fn buffer<T: Element>(buffer: &DeviceBuffer<T>, access: Access) -> Value<'_> {
    Value(Kind::Buffer { gpu: buffer.gpu(), address: buffer.address(), uses: buffer.uses(), access })
}

impl<T: Element> private::Sealed for &DeviceBuffer<T> {}
impl<'data, T: Element> PtxArg<'data> for &'data DeviceBuffer<T> {
    fn value(self) -> Value<'data> {
        buffer(self, Access::Read)
    }
}

impl<T: Element> private::Sealed for &mut DeviceBuffer<T> {}
impl<'data, T: Element> PtxArg<'data> for &'data mut DeviceBuffer<T> {
    fn value(self) -> Value<'data> {
        buffer(self, Access::Write)
    }
}

impl private::Sealed for &TensorMap<'_> {}
impl<'data> PtxArg<'data> for &TensorMap<'data> {
    fn value(self) -> Value<'data> {
        let TensorMap { gpu, bytes, uses, access } = *self;
        Value(Kind::Tensor { gpu, bytes, uses, access })
    }
}

impl<T: Element> private::Sealed for &T {}
impl<'data, T: Element> PtxArg<'data> for &'data T {
    fn value(self) -> Value<'data> {
        Value(Kind::Struct(T::bytes_of(std::slice::from_ref(self))))
    }
}

impl private::Sealed for &[u8] {}
impl<'data> PtxArg<'data> for &'data [u8] {
    fn value(self) -> Value<'data> {
        Value(Kind::Bytes(self))
    }
}

/// A launch of PTX that is being described. What is wrong with it, [`run`](PtxLaunch::run) and [`start`](PtxLaunch::start) report.
#[derive(Debug)]
#[must_use = "a launch does nothing until `.run()` or `.start(&stream)`"]
pub struct PtxLaunch<'data> {
    function: PtxFunction,
    bytes: ArgBytes,
    count: usize,
    mistake: Option<LaunchError>,
    shape: Shape,
    borrowed: Borrowed<'data>,
}

impl<'data> PtxLaunch<'data> {
    /// The next argument.
    pub fn arg(mut self, argument: impl PtxArg<'data>) -> PtxLaunch<'data> {
        if let Err(mistake) = self.push(argument.value()) {
            self.mistake.get_or_insert(mistake);
        }
        self
    }

    fn push(&mut self, value: Value<'data>) -> Result<(), LaunchError> {
        let entry = &self.function.module.inner.entries[self.function.index];
        let param = entry.params.get(self.count);
        self.count += 1;
        let param = param.filter(|param| fits(param, &value.0)).ok_or_else(|| LaunchError::Argument {
            index: self.count,
            expected: param.map_or("no more".to_owned(), ToString::to_string),
            found: value.to_string(),
        })?;
        match value.0 {
            Kind::Scalar(ty, bytes) => self.bytes.push(&bytes[..ty.bytes()], param.align),
            Kind::Bytes(bytes) => self.bytes.push(bytes, param.align),
            Kind::Struct(bytes) => self.bytes.push(&bytes, param.align),
            Kind::Tensor { gpu, ref bytes, uses, access } => {
                let expected = self.function.module.gpu();
                if expected != gpu {
                    let (expected, found) = (expected.to_string(), gpu.name_beside(expected));
                    return Err(LaunchError::OtherDevice { argument: param.name, expected, found });
                }
                self.bytes.push(bytes, param.align);
                self.borrowed.push(uses, access);
            }
            Kind::Buffer { gpu, address, uses, access } => {
                let expected = self.function.module.gpu();
                if expected != gpu {
                    let (expected, found) = (expected.to_string(), gpu.name_beside(expected));
                    return Err(LaunchError::OtherDevice { argument: param.name, expected, found });
                }
                self.bytes.push(&address.to_ne_bytes(), param.align);
                self.borrowed.push(uses, access);
            }
        }
        Ok(())
    }

    /// At least `n` threads along x, in blocks of the size of highest occupancy or of [`block`](PtxLaunch::block).
    pub fn over(mut self, n: usize) -> PtxLaunch<'data> {
        self.shape.over = Some(n);
        self
    }

    /// The number of blocks: along x, or `(x, y)`, or `(x, y, z)`.
    pub fn grid(mut self, blocks: impl IntoDim3) -> PtxLaunch<'data> {
        self.shape.grid = Some(blocks.into_dim3());
        self
    }

    /// The threads per block: along x, or `(x, y)`, or `(x, y, z)`. A kernel with `.reqntid` brings its own.
    pub fn block(mut self, threads: impl IntoDim3) -> PtxLaunch<'data> {
        self.shape.block = Some(threads.into_dim3());
        self
    }

    /// The blocks of a cluster: along x, or `(x, y)`, or `(x, y, z)`; the grid has to be whole clusters. A kernel with
    /// `.reqnctapercluster` brings its own. Devices have clusters from compute capability 9.0.
    pub fn cluster(mut self, blocks: impl IntoDim3) -> PtxLaunch<'data> {
        self.shape.cluster = Some(blocks.into_dim3());
        self
    }

    /// All blocks run at once and may wait for each other, as with `cudaLaunchCooperativeKernel`. A GPU refuses a grid that it
    /// does not hold at once.
    #[doc(alias("cuLaunchCooperativeKernel", "cudaLaunchCooperativeKernel"))]
    pub fn cooperative(mut self) -> PtxLaunch<'data> {
        self.shape.cooperative = true;
        self
    }

    /// Asks to keep a buffer, or a part of one, in the second-level cache: of the accesses there the part `hit_ratio`, from 0 to 1, goes to what is
    /// [set aside](Gpu::set_aside_l2), and stays longer than what others access. With a ratio of what is set aside over the buffer's size,
    /// what is kept does not push itself out. See [`l2`](crate::l2).
    pub fn keep_in_l2(mut self, window: impl Into<L2Window>, hit_ratio: f32) -> PtxLaunch<'data> {
        self.shape.l2 = Some(Box::new(Kept { window: window.into(), hit_ratio }));
        self
    }

    /// Dynamic shared memory per block, in bytes: a `u32` or a `usize`, such as `n * size_of::<f32>()`.
    pub fn shared(mut self, bytes: impl TryInto<u32>) -> PtxLaunch<'data> {
        self.shape.dynamic_shared = number(bytes);
        self
    }

    /// Switches the simulator's sanitizer on or off for this launch; it is on unless switched off. It finds accesses outside
    /// buffers, values that nobody wrote, and races, which [`run`](PtxLaunch::run) then returns as [`Error::Fault`]; without it a
    /// simulated launch is a few times faster. On a GPU this changes nothing.
    pub fn sanitize(mut self, on: bool) -> PtxLaunch<'data> {
        self.shape.unwatched = !on;
        self
    }

    /// Steps, one for each instruction that a warp executes, after which the simulator takes a warp for one that never ends, and
    /// stops the launch with [`Error::Fault`]. It is 2²⁸ by default, some seconds. Loops
    /// that come back to the state in which they were, counters aside, are found without it. Unless a limit is given, loops that have
    /// no effect while nothing else runs end earlier (see [`patience`](PtxLaunch::patience)): those that poll memory after three seconds, those that only compute after fifteen
    /// seconds and 2²⁴ steps. On a GPU this changes nothing.
    pub fn step_limit(mut self, steps: u64) -> PtxLaunch<'data> {
        self.shape.steps = Some(steps);
        self
    }

    /// Time that a loop without an effect is given, while nothing else runs, before the simulator takes it for one that never ends, and stops
    /// the launch with [`Error::Fault`]: a loop that polls memory so long, one that only computes five times as long. It is three seconds by
    /// default, and not limited where a [`step_limit`](PtxLaunch::step_limit) alone is given. On a GPU this changes nothing.
    pub fn patience(mut self, time: Duration) -> PtxLaunch<'data> {
        self.shape.patience = Some(time);
        self
    }

    /// Asks for a profile, which the report of the launch then has: [`LaunchReport::profile`]. Only the simulator can.
    pub fn profile(mut self) -> PtxLaunch<'data> {
        self.shape.profiled = true;
        self
    }

    /// Lets others see how far the launch is, and end it before its time.
    pub fn progress(mut self, progress: &Progress) -> PtxLaunch<'data> {
        self.shape.progress = Some(progress.clone());
        self
    }

    /// Checks the launch, runs the kernel and waits for its end.
    ///
    /// # Safety
    ///
    /// The PTX accesses the memory that it is given as it should: it stays inside the buffers, does not write those
    /// that are borrowed as `&`, and leaves valid values in them. (The simulator stops a kernel that leaves its buffers;
    /// a GPU need not.)
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] before anything runs; [`Error::Failed`] or [`Error::Fault`] when the device stopped it.
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn run(mut self) -> Result<LaunchReport> {
        let config = self.check()?;
        let gpu = self.function.module.gpu();
        // SAFETY: by this function's condition.
        let timed = unsafe { self.ready(&config).run(gpu) }?;
        Ok(timed.report(gpu, self.function.name(), &self.function.loaded, &config))
    }

    /// Checks the launch and asks a stream for it, as [`Launch::start`](crate::Launch::start) does.
    ///
    /// # Safety
    ///
    /// As for [`run`](PtxLaunch::run). Memory that the PTX reaches otherwise than by these buffers is there until the launch is over.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] before anything runs; [`Error::Failed`] when the device refuses the launch.
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn start(mut self, stream: &Stream) -> Result<()> {
        let (gpu, kernel) = (self.function.module.gpu(), self.function.name());
        if gpu != stream.gpu() {
            let (expected, found) = (gpu.to_string(), stream.gpu().name_beside(gpu));
            return Err(Error::Launch { kernel, reason: LaunchError::OtherStream { expected, found } });
        }
        let config = self.check()?;
        // SAFETY: by this function's condition.
        unsafe { self.ready(&config).start(stream) }
    }

    /// Reports the first mistake, and chooses the parameters that the shape leaves open.
    fn check(&mut self) -> Result<LaunchConfig> {
        let kernel = self.function.name();
        let refused = |reason| Error::Launch { kernel, reason };
        if let Some(mistake) = self.mistake.take() {
            return Err(refused(mistake));
        }
        let entry = self.function.entry();
        if let Some(missing) = entry.params.get(self.count) {
            let (index, expected) = (self.count + 1, missing.to_string());
            return Err(refused(LaunchError::Argument { index, expected, found: "none".to_owned() }));
        }
        // The width of the indices in a text is its own affair.
        let promises =
            Promises { bounds: entry.bounds, elements: 1, wide_index: true, ignores_blocks: false };
        configure(kernel, promises, self.function.module.gpu(), &self.function.loaded, &self.shape)
    }

    fn ready<'a>(&'a self, config: &'a LaunchConfig) -> Ready<'a> {
        Ready {
            name: self.function.name(),
            kernel: None,
            loaded: &self.function.loaded,
            config,
            params: &self.bytes,
            borrowed: &self.borrowed,
            is_trial: false,
        }
    }
}

/// Returns true if an argument fits a parameter: the same size, and a float only where the parameter is one or untyped.
fn fits(param: &Param, value: &Kind<'_>) -> bool {
    let is_float = matches!(param.ty, PtxType::F16 | PtxType::Bf16 | PtxType::F32 | PtxType::F64);
    let is_untyped = matches!(param.ty, PtxType::B8 | PtxType::B16 | PtxType::B32 | PtxType::B64);
    match value {
        Kind::Bytes(bytes) => bytes.len() == param.bytes,
        Kind::Struct(bytes) => bytes.len() == param.bytes && param.is_array,
        Kind::Tensor { bytes, .. } => bytes.len() == param.bytes && param.align >= 64,
        // A structure of one pointer is as good as a pointer.
        Kind::Buffer { .. } => param.bytes == 8 && param.align == 8 && !is_float,
        Kind::Scalar(ty, _) => {
            let float = matches!(ty, ScalarType::F32 | ScalarType::F64);
            !param.is_array && ty.bytes() == param.bytes && (is_untyped || float == is_float)
        }
    }
}
