//! Data that a `#[kernel]` leaves in the program, and the attributes that a device has for it once it is loaded there.

mod check_free;
mod coarsened;
mod variant;

use std::fmt;
use std::sync::Arc;

pub use kernel_abi::panic::PanicKind;
pub use kernel_abi::shape::BlockShape;
use ptx::occupancy::{Carveout, KernelResources, SharedLimit};
use ptx::target::DEFAULT_SHARED_PER_BLOCK;

use crate::element::{ElementType, ScalarType};
use crate::error::Result;
use crate::gpu::{Gpu, LoadedKernel};
use crate::report::Report;

pub use check_free::{CheckFree, ChecksTaken, HostTest};
pub use coarsened::{Coarsened, Coarsening};
pub use variant::Variant;

/// A kernel of the program. `saxpy::KERNEL` is the kernel that `#[kernel] fn saxpy` defines.
///
/// It is loaded once per device, by the first launch or question about it there.
#[derive(Debug)]
pub struct Kernel {
    data: &'static KernelData,
}

impl Kernel {
    /// For the expansion of `#[kernel]`.
    ///
    /// # Safety
    /// The PTX takes the parameters that the data describes, and with arguments for them accesses nothing else: what the compiler made
    /// of a kernel. A kernel that is an `unsafe fn` asks the same of whoever launches it.
    #[doc(hidden)]
    pub const unsafe fn new(data: &'static KernelData) -> Kernel {
        Kernel { data }
    }

    /// Its name in Rust.
    pub fn name(&self) -> &'static str {
        self.data.name
    }

    /// Its PTX, the whole text: of a kernel with several variants that for the newest architecture. All of them are in
    /// [`variants`](Kernel::variants), the oldest first.
    pub fn ptx(&self) -> &'static str {
        self.data.variants.last().map_or("", |variant| variant.ptx)
    }

    /// Its compiled variants, oldest first: one for each architecture of `arch(…)`. If there is none, one for the oldest architecture that has
    /// what the kernel needs, and one for each from which on the library does something of it better.
    pub fn variants(&self) -> &'static [Variant] {
        self.data.variants
    }

    /// The variant that this device runs.
    ///
    /// # Errors
    ///
    /// [`Error::NoVariant`](crate::Error::NoVariant) if there is none for it.
    pub fn variant(&self, gpu: &Gpu) -> Result<&'static Variant> {
        gpu.variant(self.data)
    }

    /// Everything that the macro knows of it.
    pub fn data(&self) -> &'static KernelData {
        self.data
    }

    /// The resources that it needs on this device: registers, spills, shared memory. Of a kernel with [check-free
    /// versions](Variant::check_free), the maximum of these and the checked one; for a [coarsened](Variant::coarsened) one see
    /// [`coarsened_attributes`](Kernel::coarsened_attributes).
    ///
    /// # Errors
    ///
    /// [`Error::NoVariant`](crate::Error::NoVariant), [`Error::Load`](crate::Error::Load) and [`Error::Spills`](crate::Error::Spills), where the
    /// device cannot have the kernel.
    #[doc(alias = "cudaFuncGetAttributes")]
    pub fn attributes(&self, gpu: &Gpu) -> Result<FunctionAttributes> {
        let loaded = self.load(gpu)?;
        let checked = loaded.function.attributes().clone();
        let more =
            |most: FunctionAttributes, twin: &Arc<LoadedKernel>| most.or_more(twin.function.attributes());
        Ok(loaded.check_free.iter().fold(checked, more))
    }

    /// The resources that its [coarsened version](Variant::coarsened) needs on this device; none if it has no such version.
    ///
    /// # Errors
    ///
    /// [`Error::NoVariant`](crate::Error::NoVariant), [`Error::Load`](crate::Error::Load) and [`Error::Spills`](crate::Error::Spills), where the
    /// device cannot have the kernel.
    pub fn coarsened_attributes(&self, gpu: &Gpu) -> Result<Option<FunctionAttributes>> {
        Ok(self.load(gpu)?.coarsened.as_ref().map(|version| version.function.attributes().clone()))
    }

    /// The resources that its [check-free version](Variant::check_free) needs on this device; none if it has only one version.
    ///
    /// # Errors
    ///
    /// [`Error::NoVariant`](crate::Error::NoVariant), [`Error::Load`](crate::Error::Load) and [`Error::Spills`](crate::Error::Spills), where the
    /// device cannot have the kernel.
    pub fn check_free_attributes(&self, gpu: &Gpu) -> Result<Option<FunctionAttributes>> {
        Ok(self.load(gpu)?.check_free.first().map(|twin| twin.function.attributes().clone()))
    }

    /// The compiler's report, by place of the source: loops, branches, checks, accesses to memory, arithmetic. Of a
    /// kernel with `arch(…)` the variant for the newest architecture, and of one with a check-free version that.
    ///
    /// Nothing is run or loaded for it; printed it is a table.
    pub fn report(&self) -> Report {
        let variant = self.data.variants.last().unwrap_or(&Variant::EMPTY);
        let tests = variant.check_free.first().map_or(&[][..], |check_free| check_free.tests);
        Report { tests, ..self.report_of(variant.usual()) }
    }

    /// The report of one of its [`variants`](Kernel::variants), of the version with all checks.
    pub fn report_of(&self, variant: &Variant) -> Report {
        Report::new(self.data, variant)
    }

    /// Bytes of each thread's registers that did not fit and went to memory; none on the simulator, where no assembler
    /// gave out registers.
    ///
    /// # Errors
    ///
    /// [`Error::NoVariant`](crate::Error::NoVariant), [`Error::Load`](crate::Error::Load) and [`Error::Spills`](crate::Error::Spills), where the
    /// device cannot have the kernel.
    pub fn spilled_bytes(&self, gpu: &Gpu) -> Result<Option<u32>> {
        let loaded = self.load(gpu)?;
        let others = loaded.check_free.iter().chain(&loaded.coarsened);
        Ok(others.map(|other| other.spilled_bytes()).fold(loaded.spilled_bytes(), Option::max))
    }

    #[inline]
    pub(crate) fn load<'gpu>(&self, gpu: &'gpu Gpu) -> Result<&'gpu Arc<LoadedKernel>> {
        gpu.load(self.data)
    }
}

/// Data that the macro writes into the program for one kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelData {
    /// The name in Rust.
    pub name: &'static str,
    /// Its compiled variants, oldest architecture first.
    pub variants: &'static [Variant],
    /// The parameters, in order.
    pub params: &'static [ParamData],
    /// The launch bounds.
    pub bounds: Bounds,
    /// The consecutive elements that each thread of the plain versions does: `coarsen(n)`, else 1.
    pub elements: u32,
    /// `index(u64)`: lengths of slices are passed as 64 bits, and launches may have any number of threads.
    pub wide_index: bool,
    /// Nothing that its threads do depends on how they are divided into blocks.
    pub ignores_blocks: bool,
    /// `occupancy(min = …)`: the part of an SM's warps that every launch has to be able to fill.
    pub min_occupancy: Option<f32>,
    /// `spills(0)`: no register may spill.
    pub no_spills: bool,
    /// Bytes of all its variables, and of those of the functions that it calls: its stack on the CPU has room for them.
    pub cpu_variables: u64,
    /// The source file.
    pub file: &'static str,
    /// The line of the definition, from one.
    pub line: u32,
}

/// Promises of a kernel about its launches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promises {
    pub(crate) bounds: Bounds,
    /// Elements along x that each thread does.
    pub(crate) elements: u32,
    /// Grid × block may be beyond 32 bits.
    pub(crate) wide_index: bool,
    /// Blocks may have any size.
    pub(crate) ignores_blocks: bool,
}

impl KernelData {
    pub(crate) fn promises(&self) -> Promises {
        let KernelData { bounds, elements, wide_index, ignores_blocks, .. } = *self;
        Promises { bounds, elements, wide_index, ignores_blocks }
    }

    /// A kernel of nothing, for what a description leaves out.
    pub const EMPTY: KernelData = KernelData {
        name: "",
        variants: &[],
        params: &[],
        bounds: Bounds::NONE,
        elements: 1,
        wide_index: false,
        ignores_blocks: false,
        min_occupancy: None,
        no_spills: false,
        cpu_variables: 0,
        file: "",
        line: 0,
    };
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct ParamData {
    /// Its name in Rust.
    pub name: &'static str,
    /// Kind of the argument that it takes.
    pub kind: ParamKind,
}

/// Kind of a parameter.
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
    /// A raw pointer.
    Pointer {
        /// The type of what it points to.
        to: ElementType,
        /// `*mut T`
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
            ParamKind::Pointer { to, mutable: false } => write!(f, "`*const {to}`"),
            ParamKind::Pointer { to, mutable: true } => write!(f, "`*mut {to}`"),
        }
    }
}

/// The threads of a block; of one with more than can be counted, as many as can.
pub(crate) fn threads_of(block: [u32; 3]) -> u32 {
    block.into_iter().fold(1, u32::saturating_mul)
}

/// The launch bounds of a kernel.
#[doc(alias("__launch_bounds__", "__cluster_dims__", "__maxnreg__"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Most threads per block: `launch_bounds(max_threads, …)`.
    pub max_threads: Option<u32>,
    /// Blocks per SM that registers are limited for: `launch_bounds(…, min_blocks)`.
    pub min_blocks: Option<u32>,
    /// Most blocks per cluster: `launch_bounds(…, …, max_cluster)`.
    pub max_cluster: Option<u32>,
    /// The only block size: `block(x, y, z)`.
    pub block: Option<[u32; 3]>,
    /// The only cluster size: `cluster(x, y, z)`.
    pub cluster: Option<[u32; 3]>,
    /// Most registers per thread: `maxnreg(n)`.
    pub max_registers: Option<u32>,
    /// All blocks of a launch run at once: `cooperative`.
    pub cooperative: bool,
    /// Clusters may have up to 16 blocks, which not every device holds: `nonportable_cluster`.
    pub nonportable_cluster: bool,
    /// The shape that the collectives of the kernel require of blocks.
    pub shape: BlockShape,
}

impl Bounds {
    /// No bounds at all.
    pub const NONE: Bounds = Bounds {
        max_threads: None,
        min_blocks: None,
        max_cluster: None,
        block: None,
        cluster: None,
        max_registers: None,
        cooperative: false,
        nonportable_cluster: false,
        shape: BlockShape::Any,
    };
}

/// A place in a kernel that can panic.
#[derive(Clone, Copy, Debug)]
pub struct PanicSite {
    /// Why it panics.
    pub kind: PanicKind,
    /// The text of a [`PanicKind::Message`]; of an index or a range what it is in, as the source names it; of a
    /// [`PanicKind::Formatted`] of the library, such as a row of a matrix, what it is about.
    pub message: Option<&'static str>,
    /// Makes the text of a [`PanicKind::Formatted`] of the words in the record.
    pub format: Option<fn(&[u64]) -> String>,
    /// The source file.
    pub file: &'static str,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
    /// The calls that lead there, the innermost first; none in the body of the kernel itself.
    pub calls: &'static [CallSite],
}

/// A place in a kernel, or in a function that it calls, where a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The source file.
    pub file: &'static str,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
}

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CallSite { file, line, column } = self;
        write!(f, "{file}:{line}:{column}")
    }
}

/// The calls that lead to lines of a kernel's PTX, of functions that were put in place.
#[derive(Clone, Copy, Debug)]
pub struct Called {
    /// Each call, with the number from one of the call of the function that it is in, which comes before it; 0 in the kernel's own body.
    pub sites: &'static [(CallSite, usize)],
    /// The lines, from one, from which on instructions come from another call than those before, each with the number of that call; 0 for none.
    pub lines: &'static [(u32, usize)],
}

impl Called {
    /// No calls at all.
    pub const NONE: Called = Called { sites: &[], lines: &[] };

    /// The calls that lead to a line of the PTX, the innermost first.
    pub fn at_line(&self, line: u32) -> impl Iterator<Item = CallSite> + use<> {
        let sites = self.sites;
        let site = move |number: usize| sites.get(number.checked_sub(1)?).copied();
        let last = self.lines.partition_point(|&(first, _)| first <= line).checked_sub(1);
        let innermost = last.and_then(|last| self.lines.get(last)).and_then(|&(_, number)| site(number));
        std::iter::successors(innermost, move |&(_, outer)| site(outer)).map(|(call, _)| call)
    }
}

impl PanicSite {
    /// The message, with the words of a record in it.
    pub fn text(&self, words: &[u64]) -> String {
        match self.format {
            Some(format) => format(words),
            None => self.kind.message(self.message, words),
        }
    }

    /// The name of what an index or a range is in.
    pub(crate) fn indexed(&self) -> Option<&'static str> {
        self.message.filter(|_| self.kind.is_indexing() || self.kind == PanicKind::Formatted)
    }
}

/// Resources that a kernel needs on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Registers per thread.
    pub registers: u32,
    /// The number of registers is an estimate made from the PTX, as on the simulator, where no assembler ran.
    pub registers_estimated: bool,
    /// Registers per thread without the limits that the kernel asks for, where they are estimated; else `registers`.
    pub wanted_registers: u32,
    /// Local memory per thread in bytes: spilled registers and arrays that are indexed.
    pub local_bytes: u32,
    /// Static shared memory per block in bytes.
    pub static_shared: u32,
    /// Constant memory in bytes.
    pub const_bytes: u32,
    /// Most threads per block, by its launch bounds and, where an assembler counted them, by the registers that it needs.
    pub max_threads: u32,
    /// With an estimate of the registers: the most threads per block that so many would let start. Larger blocks run on the
    /// simulator, with a warning in their [`LaunchReport`](crate::LaunchReport).
    pub estimated_max_threads: Option<u32>,
    /// Named barriers that a block uses.
    pub barriers: u32,
    /// The architecture that the PTX was written for, its `.target`, as compute capability.
    pub ptx_target: (u32, u32),
    /// The architecture of the machine code, as compute capability. None on the simulator, which runs PTX.
    pub binary_version: Option<(u32, u32)>,
}

impl FunctionAttributes {
    /// The maximum of this and another version of the kernel, field by field.
    fn or_more(&self, other: &FunctionAttributes) -> FunctionAttributes {
        FunctionAttributes {
            registers: self.registers.max(other.registers),
            local_bytes: self.local_bytes.max(other.local_bytes),
            static_shared: self.static_shared.max(other.static_shared),
            const_bytes: self.const_bytes.max(other.const_bytes),
            max_threads: self.max_threads.min(other.max_threads),
            estimated_max_threads: self
                .estimated_max_threads
                .into_iter()
                .chain(other.estimated_max_threads)
                .min(),
            barriers: self.barriers.max(other.barriers),
            ..self.clone()
        }
    }

    /// The most threads that the estimated registers would let start, if the block has more.
    pub(crate) fn doubted_threads(&self, block: [u32; 3]) -> Option<u32> {
        let threads = block.into_iter().map(u64::from).product::<u64>();
        self.estimated_max_threads.filter(|&most| threads > u64::from(most))
    }

    /// The resources in the terms of the occupancy arithmetic, for launches with so much dynamic shared memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_lead_to_a_line() {
        const fn call(line: u32) -> CallSite {
            CallSite { file: "k.rs", line, column: 1 }
        }
        const SITES: &[(CallSite, usize)] = &[(call(9), 0), (call(3), 1)];
        let called = Called { sites: SITES, lines: &[(20, 2), (25, 0), (30, 1)] };
        let lines = |of: u32| called.at_line(of).map(|call| call.line).collect::<Vec<_>>();
        assert_eq!([19, 20, 24].map(lines), [vec![], vec![3, 9], vec![3, 9]]);
        assert_eq!([25, 29, 30, 99].map(lines), [vec![], vec![], vec![9], vec![9]]);
    }
}
