//! Errors: what was expected, what was found, where, and what to do.

use std::borrow::Cow;
use std::fmt;

use ptx::occupancy::{Limiters, NoBlockFits, Occupancy};
use ptx::target::{Arch, MAX_THREADS_PER_BLOCK, WARP_SIZE};

use crate::cpu::CpuError;
use crate::element::ElementType;
use crate::kernel::{Bounds, CallSite};

/// The result of everything that talks to a GPU.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Implements `Debug` by `Display`: `unwrap`, `expect` and a `main` that returns the error show `{:?}`, and with it the message,
/// location and help.
macro_rules! debug_by_display {
    ($($of:ty),*) => {$(
        impl std::fmt::Debug for $of {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}
pub(crate) use debug_by_display;

debug_by_display!(Error, CudaError);

/// The help for a matrix that is not in its buffer.
fn matrix_help(rows: usize, columns: usize, stride: usize) -> String {
    if columns > stride {
        return format!("a row of {columns} elements needs a stride of {columns} or more");
    }
    least_help([rows, columns, stride], crate::device::matrix_len([rows, columns, stride]))
}

/// The help for a volume that is not in its buffer.
fn volume_help(sizes: [usize; 3]) -> String {
    least_help(sizes, crate::device::volume_len(sizes))
}

/// The help for a view of these sizes, which needs so many elements.
fn least_help(sizes: [usize; 3], least: Option<usize>) -> String {
    match least.filter(|_| crate::device::narrow_sizes(sizes).is_some()) {
        Some(least) => format!("it needs {least} elements: check the sizes and their order"),
        None => "a kernel takes less than 2³² elements at once: see a part of the buffer as one".to_owned(),
    }
}

/// An error between the program and a GPU.
#[doc(alias("cudaError_t", "cudaGetLastError"))]
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The CUDA driver or a device of it cannot be used.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A kernel could not be made ready for a device.
    #[error("kernel `{kernel}` ({file}:{line}) could not be loaded on {device}: {reason}")]
    Load {
        /// The kernel's name.
        kernel: &'static str,
        /// The source file that defines it.
        file: &'static str,
        /// The line of its definition.
        line: u32,
        /// The device.
        device: String,
        /// Why; where the assembler in the driver refused the PTX, its log.
        reason: String,
    },
    /// A kernel was compiled for other architectures than the device's.
    #[error(
        "kernel `{kernel}` ({file}:{line}) has no variant for {device}, compute capability {}.{}: it is compiled for {}\n\
         help: name `{arch}` in its `arch(…)`: then it is compiled for this device, or the compiler says what the device lacks",
        .capability.0, .capability.1, names(.variants)
    )]
    NoVariant {
        /// The kernel's name.
        kernel: &'static str,
        /// The source file that defines it.
        file: &'static str,
        /// The line of its definition.
        line: u32,
        /// The device.
        device: String,
        /// Its compute capability.
        capability: (u32, u32),
        /// Its architecture, or the nearest known below.
        arch: Arch,
        /// The architectures that the kernel is compiled for.
        variants: Vec<Arch>,
    },
    /// Registers of a kernel with `spills(0)` spill on a device.
    #[error(
        "kernel `{kernel}` ({file}:{line}) says `spills(0)`, but on {device} {spilled} bytes of each thread's {registers} \
         registers spill: it has {local_bytes} bytes of local memory, of which its own variables take {own_bytes}\n\
         help: {}",
        spill_help(.bounds)
    )]
    Spills {
        /// The kernel's name.
        kernel: &'static str,
        /// The source file that defines it.
        file: &'static str,
        /// The line of its definition.
        line: u32,
        /// The device.
        device: String,
        /// Bytes of registers that are in memory.
        spilled: u32,
        /// Registers per thread.
        registers: u32,
        /// Local memory per thread in bytes.
        local_bytes: u32,
        /// Bytes of it that the kernel's own variables take.
        own_bytes: u32,
        /// The bounds that limit the registers.
        bounds: Box<Bounds>,
    },
    /// A matrix that is not in its buffer.
    #[error(
        "a buffer of {len} elements has no matrix of {rows} rows and {columns} columns with a row every {stride} elements\n\
         help: {}",
        matrix_help(*.rows, *.columns, *.stride)
    )]
    Matrix {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// Elements from the start of a row to that of the next one.
        stride: usize,
        /// The buffer's length in elements.
        len: usize,
    },
    /// An element that is no index.
    #[error(
        "expected indices in a buffer of {len} `{element_type}`, found {element} in element {at}\n\
         help: take a slice in the kernel, `&[{element_type}]`, and test each element there"
    )]
    Indices {
        /// The element.
        element: String,
        /// Its index.
        at: usize,
        /// Number of elements.
        len: usize,
        /// Their type.
        element_type: ElementType,
    },
    /// A volume that is not in its buffer.
    #[error(
        "a buffer of {len} elements has no volume of {depth} planes of {rows} rows and {columns} columns\n\
         help: {}",
        volume_help([*.depth, *.rows, *.columns])
    )]
    Volume {
        /// Number of planes.
        depth: usize,
        /// Number of rows of a plane.
        rows: usize,
        /// Number of columns of a plane.
        columns: usize,
        /// The buffer's length in elements.
        len: usize,
    },
    /// A tensor that copies cannot know.
    #[error("a tensor map is wrong: {reason}")]
    TensorMap {
        /// The expected and the found property.
        reason: String,
    },
    /// A PTX text could not be made ready for a device.
    #[error("the PTX could not be loaded on {device}: {reason}")]
    LoadPtx {
        /// The device.
        device: String,
        /// Why: with the line in the text.
        reason: String,
    },
    /// A PTX text has no kernel of this name.
    #[error("the PTX has no `.entry` named `{name}`: {}\nhelp: {}", has_entries(.entries), entry_help(.entries))]
    NoEntry {
        /// The name asked for.
        name: String,
        /// The names that it has.
        entries: Vec<String>,
    },
    /// The device has too little free memory.
    #[error(
        "out of memory on {device}: {} asked for, {} of {} free\n\
         help: drop buffers that are no longer needed, or work in smaller pieces",
        size(*.requested), size(*.free), size(*.total)
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: u64,
        /// Bytes that were free.
        free: u64,
        /// Bytes that the device has.
        total: u64,
    },
    /// The host has too little memory for a buffer of the simulator.
    #[error(
        "out of memory: {device} keeps its buffers in the host's memory, which has no room for {}\n\
         help: drop buffers that are no longer needed, or work in smaller pieces",
        size(*.requested)
    )]
    OutOfHostMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: u64,
    },
    /// There is no memory for the buffer that printing kernels write to.
    #[error(
        "no buffer of {requested} bytes on {device} for what kernels print: {}\n\
         help: ask for less with `gpu.print_buffer(bytes)`; unless it is called there is 1 MiB",
        .reason.to_string().lines().next().unwrap_or_default()
    )]
    PrintBuffer {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: usize,
        /// The error of the device.
        reason: Box<Error>,
    },
    /// A part that is not in its buffer.
    #[error(
        "expected a range of a buffer of {len} elements, found {start}..{end}\n\
         help: a range ends at the buffer's length or before it, and not before its own start"
    )]
    Range {
        /// Its first element.
        start: usize,
        /// The element behind its last one.
        end: usize,
        /// Elements of the buffer, or of the part that it was to be a part of.
        len: usize,
    },
    /// A copy between host and device whose lengths differ.
    #[error(
        "copy between a buffer of {buffer} elements and {host} elements on the host\n\
         help: both sides of a copy have the same length; for a part of the buffer, copy to or from `buffer.slice_mut(a..b)?` or \
         `buffer.slice(a..b)?`"
    )]
    Length {
        /// Elements of the device buffer.
        buffer: usize,
        /// Elements on the host.
        host: usize,
    },
    /// A buffer's bytes are not values of its type: a kernel wrote through a wrong type.
    #[error(
        "element {index} of the buffer is not a valid `{element}`: {number:#04x} was found\n\
         help: let the kernel that writes it write values of this type alone, or read the buffer as one of `u8`"
    )]
    InvalidValue {
        /// The element type.
        element: &'static str,
        /// The index of the element.
        index: usize,
        /// The first bytes that were found there, as a number: of an enum that of its variant.
        number: u64,
    },
    /// A launch was refused before it started.
    #[error("launch of `{kernel}` refused: {reason}")]
    Launch {
        /// The kernel's name.
        kernel: &'static str,
        /// The problem.
        reason: LaunchError,
    },
    /// The kernel cannot run with any block size on this device.
    #[error("no block size for `{kernel}`: {reason}")]
    NoBlockSize {
        /// The kernel's name.
        kernel: &'static str,
        /// The smallest block tried and what was in its way.
        reason: NoBlockFits,
    },
    /// A thread of the kernel panicked. Its block and thread ended there, the others ran on, and the device stays
    /// usable; what the kernel wrote is incomplete.
    #[error(
        "kernel `{kernel}` panicked at {file}:{line}:{column}: {}{message}{}\n\
         in thread ({}, {}, {}) of block ({}, {}, {}){}",
        .indexed.map(|name| format!("`{name}`: ")).unwrap_or_default(), called_at(.calls), .thread[0], .thread[1], .thread[2], .block[0], .block[1], .block[2],
        help_for_panic(message)
    )]
    #[non_exhaustive]
    KernelPanicked {
        /// The kernel's name.
        kernel: &'static str,
        /// Of an index or a range out of bounds, the slice or array that it is in, as the source names it: `x`, `self.items`.
        indexed: Option<&'static str>,
        /// The message, in the words of Rust's own panics.
        message: String,
        /// The source file.
        file: Cow<'static, str>,
        /// The line, from one.
        line: u32,
        /// The column, from one.
        column: u32,
        /// The calls of functions that lead there, the innermost first. On the CPU reference none if they differ from thread to thread.
        calls: &'static [CallSite],
        /// The block of the thread: x, y, z.
        block: [u32; 3],
        /// The thread in its block: x, y, z.
        thread: [u32; 3],
    },
    /// The driver refused a launch, or the device stopped the kernel.
    #[error("kernel `{kernel}` failed on {device}: {reason}")]
    Failed {
        /// The kernel's name.
        kernel: &'static str,
        /// The device.
        device: String,
        /// The driver's error.
        reason: CudaError,
    },
    /// A kernel or a copy on a stream failed on the device.
    #[error("a stream on {device} failed{}: {reason}", launched(.kernels))]
    Stream {
        /// Kernels launched there since it was last waited for, at most the first few of them.
        kernels: Vec<&'static str>,
        /// The device.
        device: String,
        /// The driver's error.
        reason: CudaError,
    },
    /// Something that a stream is to copy or to wait for is on another device than the stream.
    #[error(
        "argument `{what}` is on {found}, but expected on {expected}\n\
         help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"
    )]
    OtherDevice {
        /// The parameter's name.
        what: &'static str,
        /// The device of the stream, or of the other event.
        expected: String,
        /// The other.
        found: String,
    },
    /// More of the second-level cache is to be set aside than the device can.
    #[error(
        "{requested} bytes of the second-level cache are to be set aside, but {device} sets at most {limit} aside\n\
         help: set that much aside, and keep the part of the buffer that is used most, or a part of the accesses"
    )]
    L2SetAside {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: u64,
        /// The most there can be.
        limit: u64,
    },
    /// A copy between buffers whose lengths differ.
    #[error("copy from {from} elements to {to} elements\nhelp: both sides of a copy have the same length")]
    CopyLength {
        /// Elements of the source.
        from: usize,
        /// Elements of the target.
        to: usize,
    },
    /// The recording of a graph was exchanged with that of another one.
    #[error(
        "the recording of a graph was exchanged with that of another while it was recorded\n\
         help: record into the closure's argument where it is: `gpu.graph(|graph| launch.record(graph))`"
    )]
    RecordingExchanged,
    /// The simulator stopped a kernel that did what no kernel may do.
    #[error("kernel `{kernel}` stopped by the simulator: {fault}")]
    Fault {
        /// The kernel's name.
        kernel: &'static str,
        /// The fault, and its location.
        fault: String,
    },
    /// Somebody ended a launch before its time: see [`Progress`](crate::Progress). What the kernel wrote is incomplete.
    #[error("kernel `{kernel}` was cancelled when {done} of {blocks} blocks were done")]
    Cancelled {
        /// The kernel's name.
        kernel: &'static str,
        /// Blocks that were done.
        done: u64,
        /// Blocks of the launch.
        blocks: u64,
    },
    /// A profile that a launch does not have.
    #[error(
        "the launch of `{kernel}` on {device} has no profile\nhelp: {}",
        if *.simulated { "say `.profile()` before `.run()`" } else { "profile on a simulator: `Gpu::simulator(Arch::Sm90)`" }
    )]
    NotProfiled {
        /// The kernel's name.
        kernel: &'static str,
        /// The device.
        device: String,
        /// True if the simulator ran the kernel: it could have profiled it.
        simulated: bool,
    },
    /// A file that a profile is to be written to.
    #[error("{path} cannot be written: {reason}")]
    Write {
        /// The file.
        path: String,
        /// The system's error.
        reason: String,
    },
    /// A kernel's body did not run to its end on the CPU.
    #[error("kernel `{kernel}` stopped on the CPU: {reason}")]
    Cpu {
        /// The kernel's name.
        kernel: &'static str,
        /// The reason.
        reason: CpuError,
    },
    /// Instances of a tuned kernel do not give the same. The buffers of the launch are as they were.
    #[error(
        "instances of `{kernel}` differ: element {index} of `{argument}` is {} with `{}`, and {} with `{}`\n\
         help: only what changes the speed can be tuned; sums of floats in another order give other results",
        .values[0], .instances[0], .values[1], .instances[1]
    )]
    InstancesDiffer {
        /// The kernel's name.
        kernel: &'static str,
        /// The two instances, as `UNROLL = 4, block = 128`.
        instances: Box<[String; 2]>,
        /// The parameter that holds what they have written.
        argument: &'static str,
        /// The index of the first element that differs.
        index: usize,
        /// Its values.
        values: Box<[String; 2]>,
    },
    /// A file of tunings cannot be used.
    #[error(
        "the tuning cache {path} cannot be used: {reason}\n\
         help: name another file, or delete it: what it says is measured again"
    )]
    TuningCache {
        /// The file.
        path: String,
        /// The problem.
        reason: String,
    },
    /// An impossible state.
    #[error("{what}\nhelp: this is a mistake of kernel-runtime; please report it")]
    Internal {
        /// Description of the state.
        what: String,
    },
}

/// `sm_80, sm_90a`
fn names(archs: &[Arch]) -> String {
    match archs {
        [] => "none".to_owned(),
        archs => archs.iter().map(Arch::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Advice that names the attribute which leaves a thread so few registers.
fn spill_help(bounds: &Bounds) -> String {
    match (bounds.max_registers, bounds.max_threads, bounds.min_blocks) {
        (Some(registers), ..) => format!("raise `maxnreg({registers})`, or hold fewer values at once"),
        (None, Some(threads), Some(blocks)) => {
            format!(
                "ask for fewer blocks than `launch_bounds({threads}, {blocks})` does, or hold fewer values at once"
            )
        }
        (None, Some(threads), None) => {
            format!("bound the threads lower than `launch_bounds({threads})`, or hold fewer values at once")
        }
        (None, None, _) => "hold fewer values at once, or bound the threads with `launch_bounds`".to_owned(),
    }
}

/// ` after launches of `a`, `b``
fn launched(kernels: &[&'static str]) -> String {
    match kernels {
        [] => String::new(),
        kernels => format!(" after launches of `{}`", kernels.join("`, `")),
    }
}

fn has_entries(entries: &[String]) -> String {
    match entries {
        [] => "it has none".to_owned(),
        entries => format!("it has `{}`", entries.join("`, `")),
    }
}

/// Advice on a text that is not PTX.
pub(crate) const SYNTAX_HELP: &str =
    "mend the text: `ptxas -arch=sm_90 FILE` assembles it without a GPU, and says where it is wrong";

/// Advice on an entry that is not there.
fn entry_help(entries: &[String]) -> &'static str {
    match entries {
        [] => {
            "compile a `__global__` function, in PTX a `.visible .entry`; functions of the device cannot be launched"
        }
        _ => "ask for one of these names; C++ compilers mangle those of kernels that are not `extern \"C\"`",
    }
}

/// Advice on a size beyond a device's limit.
fn axis_help(what: &str, axis: char) -> String {
    match (what, axis) {
        ("the block", _) => {
            "launch smaller blocks, and more of them; `.over(n)` chooses a size that the device runs"
                .to_owned()
        }
        (_, 'x') => "give each thread several elements with a loop of stride `global_size().x`".to_owned(),
        (_, axis) => format!(
            "put the longest axis along x, which takes 2147483647 blocks, or let each thread loop with stride `global_size().{axis}`"
        ),
    }
}

/// `160.0 GiB (171798691840 bytes)`; small sizes in bytes alone.
fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name} ({bytes} bytes)", bytes as f64 / *unit as f64),
        None => format!("{bytes} bytes"),
    }
}

/// Why a launch was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// Neither a buffer nor `.on(&gpu)` names a device.
    #[error(
        "no device is named\nhelp: say which with `.on(&gpu)`; a kernel with buffers runs on their device"
    )]
    NoDevice,
    /// A buffer is on another device.
    #[error(
        "argument `{argument}` is on {found}, but the launch is on {expected}\n\
         help: pass buffers of one device, and that device to `.on`"
    )]
    OtherDevice {
        /// The parameter's name.
        argument: &'static str,
        /// The device of the launch.
        expected: String,
        /// The device of the buffer.
        found: String,
    },
    /// The stream is on another device than the launch.
    #[error(
        "the stream is on {found}, but the launch is on {expected}\n\
         help: start it on a stream of that device; `.on` is not needed then"
    )]
    OtherStream {
        /// The device that the launch names.
        expected: String,
        /// The device of the stream.
        found: String,
    },
    /// The launch is to be part of a graph of another device.
    #[error(
        "the graph is on {found}, but the launch is on {expected}\n\
         help: record it in a graph of that device; `.on` is not needed then"
    )]
    OtherGraph {
        /// The device that the launch names.
        expected: String,
        /// The device of the graph.
        found: String,
    },
    /// A buffer that is lent is given twice, and the kernel writes it.
    #[error(
        "argument `{argument}` is a buffer that the launch has been given before, and the kernel writes to it\n\
         help: what a kernel writes is its own, as `&mut` says; lend another buffer"
    )]
    LentTwice {
        /// The second parameter that is given it.
        argument: &'static str,
    },
    /// The kernel prints, which no launch of a graph can.
    #[error(
        "the kernel prints, but what a graph's launches print would be lost\n\
         help: start it on a stream, or leave out its `println!`"
    )]
    PrintsInGraph,
    /// The arguments are not those of the kernel's parameters.
    #[error("expected {expected} as argument {index}, found {found}")]
    Argument {
        /// The position, from one.
        index: usize,
        /// The type in the kernel's description.
        expected: String,
        /// The type that was passed.
        found: String,
    },
    /// A slice too long for 32-bit lengths.
    #[error(
        "argument `{argument}` has {length} elements, but a kernel takes at most {}\n\
         help: write `#[kernel(index(u64))]` for lengths of 64 bits, or launch over parts of the buffer",
        u32::MAX
    )]
    SliceTooLong {
        /// The parameter's name.
        argument: &'static str,
        /// Its length in elements.
        length: usize,
    },
    /// No grid was given.
    #[error(
        "the grid size is missing\nhelp: say `.over(n)` for n threads, or `.grid(blocks).block(threads)`"
    )]
    NoGrid,
    /// No block was given.
    #[error("the block size is missing\nhelp: add `.block(threads)`, or say `.over(n)` to have it chosen")]
    NoBlock,
    /// Both `over` and `grid` were given.
    #[error("both `over` and `grid` were given\nhelp: `over(n)` chooses the grid; leave one of them out")]
    OverAndGrid,
    /// Both `fill` and `over` or `grid` were given.
    #[error("`fill` was given with `over` or `grid`\nhelp: `fill` chooses the grid; leave one of them out")]
    FillAndGrid,
    /// A dimension of nothing.
    #[error("{what} is {} × {} × {}: no size may be 0\nhelp: skip the launch when there is nothing to do", .size[0], .size[1], .size[2])]
    Empty {
        /// `the block` or `the grid`.
        what: &'static str,
        /// x, y, z.
        size: [u32; 3],
    },
    /// `over(0)`.
    #[error("`over(0)` launches nothing\nhelp: skip the launch when there is nothing to do")]
    OverNothing,
    /// More threads than 32-bit indices reach.
    #[error(
        "`over({count})` needs more threads than 32-bit indices reach, {}\n\
         help: give each thread several elements with a loop of stride `global_size().x`, or write `#[kernel(index(u64))]`",
        u32::MAX
    )]
    OverTooMany {
        /// The number asked for.
        count: usize,
    },
    /// More blocks than any grid has.
    #[error(
        "`over({count})` with {threads} threads per block needs more blocks than a grid has, {limit}\n\
         help: launch larger blocks, or give each thread several elements with a loop of stride `global_size().x`"
    )]
    OverTooManyBlocks {
        /// The number asked for.
        count: usize,
        /// Threads per block along x.
        threads: u32,
        /// The most blocks along x.
        limit: u32,
    },
    /// A block or grid larger than the device allows along an axis.
    #[error("{what} has {found}{} {unit} along {axis}, the device allows at most {limit}\nhelp: {}", if *.found == u32::MAX { " or more" } else { "" }, axis_help(.what, *.axis))]
    Axis {
        /// `the block` or `the grid`.
        what: &'static str,
        /// `threads` or `blocks`.
        unit: &'static str,
        /// `x`, `y` or `z`.
        axis: char,
        /// The size asked for.
        found: u32,
        /// The device's limit.
        limit: u32,
    },
    /// Grid × block does not fit 32-bit indices along an axis.
    #[error(
        "the grid has {blocks} blocks of {threads} threads along {axis}: their product is beyond 32-bit indices, {}\n\
         help: give each thread several elements with a loop of stride `global_size().{axis}`, or write `#[kernel(index(u64))]`",
        u32::MAX
    )]
    TooManyThreads {
        /// `x`, `y` or `z`.
        axis: char,
        /// Blocks along it.
        blocks: u32,
        /// Threads per block along it.
        threads: u32,
    },
    /// The number of elements, with several a thread, does not fit 32-bit indices.
    #[error(
        "the grid has {blocks} blocks of {threads} threads along x, each of which does {elements} elements: their product is \
         beyond 32-bit indices, {}\nhelp: launch `.over(n)` with the number of elements, or a smaller grid",
        u32::MAX
    )]
    TooManyElements {
        /// Blocks along x.
        blocks: u32,
        /// Threads per block along x.
        threads: u32,
        /// Elements per thread.
        elements: u32,
    },
    /// More threads per block than can be.
    #[error("the block has {found} threads, but {limit} is the most: {why}")]
    BlockTooLarge {
        /// Threads asked for.
        found: u64,
        /// The most there can be.
        limit: u32,
        /// The origin of the limit.
        why: BlockLimit,
    },
    /// The kernel was compiled for one block size only.
    #[error(
        "the block is {} × {} × {}, but the kernel says `block({}, {}, {})`\n\
         help: launch with exactly this block, or leave `.block` out",
        .found[0], .found[1], .found[2], .expected[0], .expected[1], .expected[2]
    )]
    BlockFixed {
        /// The size in the kernel's attribute.
        expected: [u32; 3],
        /// The size asked for.
        found: [u32; 3],
    },
    /// A block whose rows are not whole warps, which a condition around a collective or barrier of the kernel requires.
    #[error(
        "the block is {} × {} × {}, but the kernel has collectives under conditions that hold for whole warps only where rows of the \
         block are whole warps\nhelp: launch blocks whose x is a multiple of 32, or use `warp::warp_id()` in the condition",
        .found[0], .found[1], .found[2]
    )]
    RowsOfWarps {
        /// The size asked for.
        found: [u32; 3],
    },
    /// A block size that is not among those that the kernel is tuned over.
    #[error(
        "the block is {} × {} × {}, but `tune` lists the sizes {}\n\
         help: leave `.block` out, or add the size to the list",
        .found[0], .found[1], .found[2], sizes(.tuned)
    )]
    BlockNotTuned {
        /// The size asked for.
        found: [u32; 3],
        /// The sizes in the kernel's attribute.
        tuned: Vec<[u32; 3]>,
    },
    /// The kernel was compiled for one cluster size only.
    #[error(
        "the cluster is {} × {} × {}, but the kernel says `cluster({}, {}, {})`\n\
         help: launch with exactly this cluster, or leave `.cluster` out",
        .found[0], .found[1], .found[2], .expected[0], .expected[1], .expected[2]
    )]
    ClusterFixed {
        /// The size in the kernel's attribute.
        expected: [u32; 3],
        /// The size asked for.
        found: [u32; 3],
    },
    /// More blocks per cluster than can be.
    #[error("the cluster has {found} blocks, but {limit} is the most: {why}")]
    ClusterTooLarge {
        /// Blocks asked for.
        found: u64,
        /// The most there can be.
        limit: u32,
        /// The origin of the limit.
        why: ClusterLimit,
    },
    /// A grid that is not whole clusters.
    #[error(
        "the grid has {blocks} blocks along {axis}, which is no multiple of the cluster's {cluster}\n\
         help: launch {} blocks along {axis}; the kernel has to compare its index with the length",
        u64::from(*.blocks).next_multiple_of((*.cluster).into())
    )]
    PartOfCluster {
        /// `x`, `y` or `z`.
        axis: char,
        /// Blocks of the grid along it.
        blocks: u32,
        /// Blocks of a cluster along it.
        cluster: u32,
    },
    /// `over` with a cluster that is not along x.
    #[error(
        "`over` launches blocks along x, but the cluster is {} × {} × {}\n\
         help: say how many blocks with `.grid(…)`",
        .cluster[0], .cluster[1], .cluster[2]
    )]
    OverAcross {
        /// The cluster.
        cluster: [u32; 3],
    },
    /// A cluster on a device without.
    #[error(
        "the cluster is {} × {} × {}, but the device has no clusters\n\
         help: clusters need compute capability 9.0; leave `.cluster` out",
        .found[0], .found[1], .found[2]
    )]
    NoClusters {
        /// The size asked for.
        found: [u32; 3],
    },
    /// A launch that cannot fill as much of an SM as the kernel promises.
    #[error(
        "{found}, but the kernel says `occupancy(min = {least})`\n\
         help: launch blocks of another size or with less shared memory, bound the registers, or ask for less"
    )]
    Occupancy {
        /// The occupancy of the launch.
        found: Occupancy,
        /// The occupancy that the kernel's attribute asks for.
        least: f32,
    },
    /// More shared memory per block than there is.
    #[error(
        "a block needs {used} bytes of shared memory ({fixed} static and {dynamic} dynamic), the device allows {limit}\n\
         help: use smaller tiles"
    )]
    SharedMemory {
        /// Bytes in all.
        used: u64,
        /// Static bytes of the kernel.
        fixed: u32,
        /// Dynamic bytes of the launch.
        dynamic: u32,
        /// The device's limit.
        limit: u32,
    },
    /// `keep_in_l2` with a ratio that is none.
    #[error(
        "`keep_in_l2` with a hit ratio of {found}: expected the part of the accesses that is kept, from 0 to 1\nhelp: write 1.0 for all of them"
    )]
    L2Ratio {
        /// The ratio asked for.
        found: f32,
    },
    /// `keep_in_l2` with more memory than a launch may name.
    #[error(
        "`keep_in_l2` with {bytes} bytes, but the device takes at most {limit}\n\
         help: keep a part, `buffer.l2_window(..n)`"
    )]
    L2Window {
        /// Bytes asked for.
        bytes: u64,
        /// The most there can be.
        limit: u64,
    },
    /// A cooperative kernel in clusters.
    #[error(
        "a cooperative kernel is launched in clusters: its blocks wait for the whole grid\nhelp: leave `.cluster` out"
    )]
    CooperativeCluster,
    /// More blocks in a cooperative launch than run at once.
    #[error(
        "the grid has {blocks} blocks of {threads} threads, but those of a cooperative launch all run at once, and the device holds {limit}, \
         {per_sm} on each of {sms} SMs\n\
         help: launch at most {limit} blocks (`.fill()` launches as many as there is room for), and let each thread go over its elements \
         in a loop of stride `global_size().x`"
    )]
    NotResident {
        /// Blocks of the grid.
        blocks: u64,
        /// Threads per block.
        threads: u32,
        /// Blocks that run at once.
        limit: u32,
        /// Blocks that run at once on one multiprocessor.
        per_sm: u32,
        /// Multiprocessors of the device.
        sms: u32,
    },
    /// The block does not fit an SM.
    #[error(
        "a block of {threads} threads does not fit an SM, because of {limiters}\n\
         help: `best_block_size` tells one that fits"
    )]
    DoesNotFit {
        /// Threads per block.
        threads: u32,
        /// The resources that limit the number of blocks.
        limiters: Limiters,
    },
    /// More parameters than a launch can carry.
    #[error(
        "the arguments take {found} bytes, a launch carries at most {limit}\nhelp: put them into a buffer"
    )]
    TooManyArguments {
        /// Bytes of all arguments.
        found: usize,
        /// The most there can be.
        limit: usize,
    },
}

/// `64, 128, 16 × 16`
fn sizes(blocks: &[[u32; 3]]) -> String {
    let size = |block: &[u32; 3]| {
        let used = block.iter().rposition(|&size| size > 1).map_or(1, |last| last + 1);
        block[..used].iter().map(u32::to_string).collect::<Vec<_>>().join(" × ")
    };
    blocks.iter().map(size).collect::<Vec<_>>().join(", ")
}

/// Origin of a limit on the cluster size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterLimit {
    /// Every device with clusters has it.
    Device,
    /// `launch_bounds(…, …, max_cluster)` on the kernel.
    LaunchBounds,
}

impl fmt::Display for ClusterLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClusterLimit::Device => "more are not portable",
            ClusterLimit::LaunchBounds => {
                "its `launch_bounds` say so\nhelp: launch smaller clusters, or raise the bound"
            }
        })
    }
}

/// Origin of a limit on the block size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockLimit {
    /// Every device has it.
    Device,
    /// `launch_bounds(max_threads)` on the kernel.
    LaunchBounds,
    /// The registers or shared memory that the kernel needs.
    Resources,
}

impl fmt::Display for BlockLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlockLimit::Device => "no device allows more",
            BlockLimit::LaunchBounds => "its `launch_bounds` say so\nhelp: launch smaller blocks, or raise the bound",
            BlockLimit::Resources => {
                "the kernel needs too many registers for more\nhelp: bound them with `launch_bounds(max_threads)`"
            }
        })
    }
}

/// Why the CUDA driver or one of its devices cannot be used.
#[doc(alias("CUresult", "cudaGetErrorString"))]
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The driver's library is not installed.
    #[error(
        "no CUDA driver: the library {library} was not found\n\
         help: install NVIDIA's driver (in a container, start it with GPU access), or use `Gpu::simulator`"
    )]
    NoDriver {
        /// The name looked for.
        library: &'static str,
    },
    /// The driver lacks what this crate needs.
    #[error(
        "the CUDA driver is too old: expected one of CUDA {} or later, found {}\n\
         help: update NVIDIA's driver",
        version(*.expected), found_driver(*.found, *.symbol)
    )]
    DriverTooOld {
        /// The lowest version needed, as `cuDriverGetVersion` counts: 12000 is CUDA 12.0.
        expected: i32,
        /// The version found, where it could be asked for.
        found: Option<i32>,
        /// The function that is missing, where that is how it showed.
        symbol: Option<&'static str>,
    },
    /// The driver is there, but no device is.
    #[error(
        "the CUDA driver finds no device{}\n\
         help: check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use `Gpu::simulator`",
        .reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default()
    )]
    NoDevice {
        /// The driver's error, if there is a driver.
        reason: Option<String>,
    },
    /// There is no device with this number.
    #[error("no CUDA device {ordinal}: expected a number below {count}, the devices that the driver finds")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: u32,
        /// Number of devices.
        count: u32,
    },
    /// The device is older than what PTX is made for.
    #[error("device {name} has compute capability {}.{}, expected {}.{} or later", .found.0, .found.1, .expected.0, .expected.1)]
    DeviceTooOld {
        /// The device's name.
        name: String,
        /// Its compute capability.
        found: (u32, u32),
        /// The lowest compute capability.
        expected: (u32, u32),
    },
    /// Something of `cudarc`'s lives in another context than the device's primary one.
    #[error(
        "{what} is not the primary one of CUDA device {ordinal}\n\
         help: make its context with `CudaContext::new({ordinal})`, or take that of `Gpu::cudarc_context`"
    )]
    OtherContext {
        /// The object that was given: `the context`, `the context of the stream`.
        what: &'static str,
        /// The device's number.
        ordinal: u32,
    },
    /// The simulator was asked for an object that only a CUDA device has.
    #[error("{device} has no {what}\nhelp: open a CUDA device with `Gpu::cuda(0)`")]
    NotCuda {
        /// The device.
        device: String,
        /// The object that it does not have.
        what: &'static str,
    },
    /// Memory of `cudarc`'s is to be borrowed by a stream that is none of `cudarc`'s.
    #[error(
        "the stream is none of `cudarc`'s, which has to know of the borrow\n\
         help: borrow the memory by a stream that `Stream::from_cudarc` has made; launches that use it may be on any stream"
    )]
    NotOfCudarc,
    /// A stream of `cudarc`'s is being captured.
    #[error(
        "the stream is being captured: what it is asked for would be done again whenever that graph is launched, also when \
         its buffers are gone\n\
         help: end the capture first; `gpu.graph(…)` records launches and copies, and keeps their buffers"
    )]
    Captured,
    /// Memory that is given away may still be in use, for waiting has failed. It stays allocated.
    #[error(
        "memory on {device} may still be in use: waiting for it failed, and the stream says why\n\
         help: end what is wrong with the stream, a capture say, and try again with other memory; this one stays allocated"
    )]
    InUse {
        /// The device.
        device: String,
    },
    /// A call to the driver failed.
    #[error("{call} failed: {name} ({code}), {description}{}", hint(*.code))]
    Call {
        /// The driver's function.
        call: &'static str,
        /// The number of the error.
        code: u32,
        /// Its name.
        name: String,
        /// The driver's description of it.
        description: String,
    },
}

/// `12080` is CUDA 12.8.
fn version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

fn found_driver(found: Option<i32>, symbol: Option<&str>) -> String {
    let driver = found.map_or("a driver".to_owned(), |number| format!("CUDA {}", version(number)));
    symbol.map_or(driver.clone(), |name| format!("{driver} without the function {name}"))
}

/// Advice on an error of the driver, by its number (`CUresult` in cuda.h).
fn hint(code: u32) -> &'static str {
    /// Errors after which every call in the process fails.
    const LOST: &str = "\nhelp: the device context is lost; start the program again, first with \
                        `Gpu::simulator`, which says where a kernel goes wrong";
    const HINTS: &[(u32, &str)] = &[
        (2, "\nhelp: the device is out of memory; drop buffers that are no longer needed"),
        (
            34,
            "\nhelp: the library found is the stub of a CUDA toolkit; keep its folder out of LD_LIBRARY_PATH",
        ),
        (46, "\nhelp: the device is in use by another process in exclusive mode"),
        (209, "\nhelp: the device is newer or older than what the PTX was made for"),
        (218, "\nhelp: the PTX is wrong; please report it with the kernel"),
        (221, "\nhelp: the driver's PTX compiler is missing; install the driver completely"),
        (222, "\nhelp: the driver is too old for this PTX; update NVIDIA's driver"),
        (223, "\nhelp: unset CUDA_DISABLE_PTX_JIT"),
        (700, LOST),
        (701, "\nhelp: the block needs too many registers or too much shared memory; make it smaller"),
        (702, LOST),
        (710, LOST),
        (714, LOST),
        (715, LOST),
        (716, LOST),
        (717, LOST),
        (718, LOST),
        (719, LOST),
        (
            720,
            "\nhelp: all blocks of a cooperative launch run at once; launch fewer, and let each thread do more in a loop",
        ),
        (
            912,
            "\nhelp: no part of the device holds so many such blocks at once; make the cluster or its blocks smaller",
        ),
        (802, "\nhelp: the system is not ready; on machines with NVSwitch start nvidia-fabricmanager"),
        (803, "\nhelp: the driver's library and kernel module differ in version; reboot or reinstall"),
        (804, "\nhelp: the compatibility library does not support this device; use the driver's own libcuda"),
    ];
    HINTS.iter().find(|row| row.0 == code).map_or("", |row| row.1)
}

/// Panics by the start of their messages, with what to do about them.
const HELPS: &[(&str, &str)] = &[
    (
        "attempt to divide by zero",
        "test the divisor before, or write `checked_div` or `checked_rem`, which give an `Option`",
    ),
    (
        "attempt to calculate the remainder with a divisor of zero",
        "test the divisor before, or write `checked_div` or `checked_rem`, which give an `Option`",
    ),
    ("attempt to add with overflow", OVERFLOW),
    ("attempt to subtract with overflow", OVERFLOW),
    ("attempt to multiply with overflow", OVERFLOW),
    ("attempt to shift left with overflow", SHIFT),
    ("attempt to shift right with overflow", SHIFT),
    ("row out of bounds", DIMENSION),
    ("column out of bounds", DIMENSION),
    ("plane out of bounds", DIMENSION),
    (
        "called `Option::unwrap()` on a `None` value",
        "`unwrap_or(…)` takes another value, `if let Some(value) = …` does something else",
    ),
    ("slice index starts at ", "test that the start is not behind the end before"),
    ("range start index ", RANGE),
    ("range end index ", RANGE),
    (
        "copy_from_slice: source slice length ",
        "cut both sides to one length: `y[..n].copy_from_slice(&x[..n])`",
    ),
    (
        "misaligned vector access",
        "begin at a multiple of the vector's elements, or take the elements one by one",
    ),
];
const OVERFLOW: &str =
    "convert to a wider type before, or say what is meant: `wrapping_…`, `saturating_…` or `checked_…`";
const SHIFT: &str = "shift by less than the width of the type, or say what is meant: `wrapping_shl`, `checked_shl` or `unbounded_shl`, or `…_shr`";
const DIMENSION: &str = "compare each index with its size before the access: `row < m.rows() && column < m.columns()`, of a volume also `plane < v.depth()`";
const RANGE: &str =
    "compare the range with the length before, or write `x.get(a..b)`, which gives an `Option`";

/// `in a function called at src/lib.rs:30:9, in one called at src/lib.rs:40:9`, on a line of its own; nothing in the kernel itself.
fn called_at(calls: &[CallSite]) -> String {
    match calls {
        [] => String::new(),
        [first, others @ ..] => {
            let others: String = others.iter().map(|call| format!(", in one called at {call}")).collect();
            format!("\nin a function called at {first}{others}")
        }
    }
}

/// The help for a panic whose message tells its cause: an operator, or an index that went below zero, or into nothing, or of a thread
/// for which there is no element.
fn help_for_panic(message: &str) -> String {
    // As many indices may follow the last one of `.over(n)`.
    let most_threads = u64::from(MAX_THREADS_PER_BLOCK);
    if let Some((_, help)) = HELPS.iter().find(|(start, _)| message.starts_with(start)) {
        return format!("\nhelp: {help}");
    }
    let numbers = message
        .strip_prefix("index out of bounds: the len is ")
        .and_then(|rest| rest.split_once(" but the index is "))
        .and_then(|(len, index)| Some((len.parse::<u64>().ok()?, index.parse::<u64>().ok()?)));
    let below_zero = |less: i64| {
        format!(
            "\nhelp: with a sign the index is {less}: test that a subtraction does not go below zero before it"
        )
    };
    match numbers {
        Some((0, _)) => "\nhelp: it is empty: upload elements; `shared_dyn` has as many as `.shared(bytes)` on the launch gives it"
            .to_owned(),
        Some((_, index)) if index > i64::MAX as u64 => below_zero(index as i64),
        Some((len, index)) if len <= i32::MAX as u64 && (1 << 31..1 << 32).contains(&index) => {
            below_zero(i64::from(index as u32 as i32))
        }
        Some((len, index)) if index.checked_sub(len).is_some_and(|behind| behind < most_threads) => {
            let in_block = match len >= u64::from(WARP_SIZE) && index < most_threads {
                true => "; if it is that in the block, launch blocks of no more threads than there are elements, which `#[kernel(block(128))]` fixes",
                false => "",
            };
            format!(
                "\nhelp: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have \
                 threads with indices of `n` and more{in_block}"
            )
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// `main` and `unwrap` show `{:?}`.
    #[test]
    fn debug_shows_what_display_shows() {
        let cuda = CudaError::DriverTooOld { expected: 12000, found: Some(11040), symbol: None };
        let launch = Error::Launch { kernel: "saxpy", reason: LaunchError::OverNothing };
        for error in [Error::from(cuda), launch] {
            assert_eq!(format!("{error:?}"), error.to_string());
            assert!(error.to_string().contains("\nhelp: "), "{error}");
        }
    }

    #[test]
    fn an_index_tells_its_cause() {
        let help = |len: u64, index: u64| {
            help_for_panic(&kernel_abi::panic::PanicKind::Index.message(None, &[index, len]))
        };
        let below =
            "\nhelp: with a sign the index is -1: test that a subtraction does not go below zero before it";
        assert_eq!(help(256, u64::MAX), below);
        assert_eq!(help(256, u32::MAX.into()), below);
        assert!(help(0, 0).contains("`.shared(bytes)`"));
        assert!(help(256, 256).contains("`.over(n)` launches whole blocks"));
        // An array for the threads of a block; one for the blocks of a cluster; one longer than any block.
        let of_block = [(128, 128), (2, 2), (4096, 4096)]
            .map(|(len, index)| help(len, index).contains("launch blocks of no more threads"));
        assert_eq!(of_block, [true, false, false]);
        for (len, index) in [(256, 1 << 30), (1 << 31, u32::MAX.into()), (256, 1 << 40)] {
            assert_eq!(help(len, index), "");
        }
        assert!(help_for_panic("attempt to divide by zero").contains("`checked_div`"));
        assert!(help_for_panic("attempt to shift left with overflow").contains("`checked_shl`"));
        assert!(
            help_for_panic("row out of bounds: the matrix has 3 rows but the row is 3")
                .contains("`row < m.rows()")
        );
        assert!(
            help_for_panic("range end index 9 out of range for slice of length 5").contains("`x.get(a..b)`")
        );
        // A text of the user's own.
        assert_eq!(help_for_panic("index out of bounds: the len is 5 but the index is 3"), "");
        assert!(help_for_panic("attempt to add with overflow").contains("`saturating_…`"));
        assert_eq!(help_for_panic("attempt to negate with overflow"), "");
    }

    #[test]
    fn errors_say_what_to_do() {
        let error = CudaError::DriverTooOld { expected: 12000, found: Some(11040), symbol: None };
        expect![[r#"
            the CUDA driver is too old: expected one of CUDA 12.0 or later, found CUDA 11.4
            help: update NVIDIA's driver"#]]
        .assert_eq(&error.to_string());
        let error = CudaError::Call {
            call: "cuLaunchKernelEx",
            code: 700,
            name: "CUDA_ERROR_ILLEGAL_ADDRESS".to_owned(),
            description: "an illegal memory access was encountered".to_owned(),
        };
        expect![[r#"
            cuLaunchKernelEx failed: CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered
            help: the device context is lost; start the program again, first with `Gpu::simulator`, which says where a kernel goes wrong"#]]
        .assert_eq(&error.to_string());
    }
}
