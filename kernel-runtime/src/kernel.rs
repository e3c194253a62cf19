//! What a `#[kernel]` leaves in the program, and what a device says of it once it is loaded there.

use std::fmt;
use std::sync::Arc;

pub use ptx_gen::ir::PanicKind;
use ptx_gen::occupancy::{Carveout, KernelResources, SharedLimit};
use ptx_gen::target::DEFAULT_SHARED_PER_BLOCK;

use crate::element::{ElementType, ScalarType};
use crate::error::Result;
use crate::gpu::{Gpu, LoadedKernel};
use crate::report::{Remark, Report};

/// A kernel of the program. `saxpy::KERNEL` is the kernel that `#[kernel] fn saxpy` defines.
///
/// It is loaded once per device, by the first launch or question about it there.
#[derive(Debug)]
pub struct Kernel {
    data: &'static KernelData,
}

impl Kernel {
    /// For the expansion of `#[kernel]`.
    #[doc(hidden)]
    pub const fn new(data: &'static KernelData) -> Kernel {
        Kernel { data }
    }

    /// Its name in Rust.
    pub fn name(&self) -> &'static str {
        self.data.name
    }

    /// Its PTX, the whole text.
    pub fn ptx(&self) -> &'static str {
        self.data.ptx
    }

    /// Everything that the macro knows of it.
    pub fn data(&self) -> &'static KernelData {
        self.data
    }

    /// What it needs on this device: registers, spills, shared memory.
    pub fn attributes(&self, gpu: &Gpu) -> Result<FunctionAttributes> {
        Ok(self.load(gpu)?.function.attributes().clone())
    }

    /// What the compiler did with it, by place of the source: loops, branches, checks, accesses to memory, arithmetic.
    ///
    /// Nothing is run or loaded for it; printed it is a table.
    pub fn report(&self) -> Report {
        Report::new(self.data)
    }

    pub(crate) fn load(&self, gpu: &Gpu) -> Result<Arc<LoadedKernel>> {
        gpu.load(self.data)
    }
}

/// What the macro writes into the program for one kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelData {
    /// The name in Rust.
    pub name: &'static str,
    /// The name of the entry function in the PTX.
    pub entry: &'static str,
    /// The PTX text.
    pub ptx: &'static str,
    /// The parameters, in order.
    pub params: &'static [ParamData],
    /// The launch bounds.
    pub bounds: Bounds,
    /// The consecutive elements that each thread does: `coarsen(n)`, else 1.
    pub elements: u32,
    /// Static shared memory in bytes.
    pub shared_bytes: u32,
    /// The places that can panic, by the index that a panic record holds.
    pub panics: &'static [PanicSite],
    /// Whether the hidden last parameter is there: the address of the panic record.
    pub has_panic_param: bool,
    /// What the compiler did with it, in the order of the source: see [`Kernel::report`].
    pub remarks: &'static [Remark],
    /// `index(u64)`: lengths of slices are passed as 64 bits, and launches may have any number of threads.
    pub wide_index: bool,
    /// The source file.
    pub file: &'static str,
    /// The line of the definition, from one.
    pub line: u32,
}

/// What a kernel says of its launches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promises {
    pub(crate) bounds: Bounds,
    /// Elements along x that each thread does.
    pub(crate) elements: u32,
    /// Grid × block may be beyond 32 bits.
    pub(crate) wide_index: bool,
}

impl KernelData {
    pub(crate) fn promises(&self) -> Promises {
        Promises { bounds: self.bounds, elements: self.elements, wide_index: self.wide_index }
    }
}

#[cfg(test)]
impl KernelData {
    /// A kernel without anything.
    pub(crate) const EMPTY: KernelData = KernelData {
        name: "",
        entry: "",
        ptx: "",
        params: &[],
        bounds: Bounds::NONE,
        elements: 1,
        shared_bytes: 0,
        panics: &[],
        has_panic_param: false,
        remarks: &[],
        wide_index: false,
        file: "",
        line: 0,
    };
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct ParamData {
    /// Its name in Rust.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParamKind,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A scalar by value.
    Scalar(ScalarType),
    /// Any other value: in PTX a parameter for each scalar in it.
    Value {
        /// Its type.
        ty: ElementType,
        /// Its scalars in order, with their offsets in bytes.
        scalars: &'static [(usize, ScalarType)],
    },
    /// A slice: in PTX a pointer and a length in elements, of 32 bits unless the kernel has `index(u64)`.
    Slice {
        /// The element type.
        element: ElementType,
        /// `&mut [T]`
        mutable: bool,
    },
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Scalar(scalar) => write!(f, "`{scalar}`"),
            ParamKind::Value { ty, .. } => write!(f, "`{ty}`"),
            ParamKind::Slice { element, mutable: false } => write!(f, "`&[{element}]`"),
            ParamKind::Slice { element, mutable: true } => write!(f, "`&mut [{element}]`"),
        }
    }
}

/// The launch bounds of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Most threads per block: `launch_bounds(max_threads, …)`.
    pub max_threads: Option<u32>,
    /// Blocks per SM that registers are limited for: `launch_bounds(…, min_blocks)`.
    pub min_blocks: Option<u32>,
    /// The only block size: `block(x, y, z)`.
    pub block: Option<[u32; 3]>,
}

impl Bounds {
    /// No bounds at all.
    pub const NONE: Bounds = Bounds { max_threads: None, min_blocks: None, block: None };
}

/// A place in a kernel that can panic.
#[derive(Clone, Copy, Debug)]
pub struct PanicSite {
    /// Why it panics.
    pub kind: PanicKind,
    /// The text of a [`PanicKind::Message`] or [`PanicKind::Values`].
    pub message: Option<&'static str>,
    /// The source file.
    pub file: &'static str,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
}

/// What a kernel needs on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Registers per thread.
    pub registers: u32,
    /// The number of registers is an estimate made from the PTX, as on the simulator, where no assembler ran.
    pub registers_estimated: bool,
    /// Local memory per thread in bytes: spilled registers and arrays that are indexed.
    pub local_bytes: u32,
    /// Static shared memory per block in bytes.
    pub static_shared: u32,
    /// Constant memory in bytes.
    pub const_bytes: u32,
    /// Most threads per block, by its launch bounds and by the registers that it needs.
    pub max_threads: u32,
    /// Named barriers that a block uses.
    pub barriers: u32,
    /// The architecture that the PTX was written for, its `.target`, as compute capability.
    pub ptx_target: (u32, u32),
    /// The architecture of the machine code, as compute capability. None on the simulator, which runs PTX.
    pub binary_version: Option<(u32, u32)>,
}

impl FunctionAttributes {
    /// The same in the terms of the occupancy arithmetic, for launches with so much dynamic shared memory.
    pub fn resources(&self, dynamic_shared: u32) -> KernelResources {
        // The runtime raises the kernel's limit when a launch needs it.
        let beyond_default = self.static_shared.saturating_add(dynamic_shared) > DEFAULT_SHARED_PER_BLOCK;
        KernelResources {
            registers: self.registers,
            static_shared: self.static_shared,
            barriers: self.barriers,
            max_threads: self.max_threads,
            shared_limit: if beyond_default { SharedLimit::OptIn } else { SharedLimit::Default },
            carveout: Carveout::Default,
        }
    }
}

impl fmt::Display for FunctionAttributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = if self.registers_estimated { "about " } else { "" };
        let estimated = if self.registers_estimated { " (estimated from PTX)" } else { "" };
        write!(
            f,
            "{about}{} registers{estimated}, {} bytes of local memory, {} bytes of static shared memory, \
             at most {} threads per block",
            self.registers, self.local_bytes, self.static_shared, self.max_threads
        )
    }
}
