//! A decoded module: its kernels as flat lists of compact operations, and the image of its variables.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ptx::check::{CheckError, Problem};
use ptx::tree;

use super::calls::{CallSite, Callable};
use super::deciding::Deciding;
use super::decode;
use super::exec::asynchronous::Asynchronous;
use super::exec::matrix::Matrix;
use super::exec::unary::Unary;
use super::fault::{Code, Gap, LoadError, SourceLine};
use super::memory::{Memory, ModuleId};
use super::op::{AtomicFunction, Inst, Op, Space};
use super::registers::{Class, FileSizes, Slot};
use super::sanitize::{GroupRegisters, Touched};

/// A decoded module.
#[derive(Debug)]
pub struct Program {
    pub(crate) id: ModuleId,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) image: Image,
}

/// The error of the table of forms, if it says more than the decoder's.
fn explain(mistakes: &[CheckError], decoded: Result<Program, LoadError>) -> Result<Program, LoadError> {
    let is_malformed = |mistake: &&CheckError| match mistake.problem {
        Problem::OperandCount { .. }
        | Problem::Operand { .. }
        | Problem::Guard { .. }
        | Problem::Declaration { .. }
        | Problem::Removed { .. } => true,
        // The decoder knows forms that the table has not, and refuses others by name.
        Problem::UnknownOpcode(_) | Problem::Modifiers { .. } => false,
        // The simulator runs what any architecture has.
        Problem::Version { .. } | Problem::Target { .. } => false,
    };
    if let Some(mistake) = mistakes.iter().find(is_malformed) {
        return Err(LoadError::Syntax(mistake.to_string()));
    }
    decoded.map_err(|error| {
        let LoadError::Instruction { line, column, instruction, mut problem } = error else { return error };
        let here = mistakes.iter().map(|mistake| (mistake.position, &mistake.problem));
        let mut here = here.filter(|(position, _)| (position.line, position.column) == (line, column));
        if problem == decode::UNKNOWN
            && let Some((_, modifiers @ Problem::Modifiers { .. })) = here.next()
        {
            problem += &format!("\nhelp: {modifiers}");
        }
        LoadError::Instruction { line, column, instruction, problem }
    })
}

/// A kernel of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) usize);

impl Program {
    /// Decodes the text of a module. Instructions that the simulator lacks are errors here, never while running.
    pub fn load(text: &str) -> Result<Program, LoadError> {
        let module = ptx::parse::parse(text).map_err(|error| LoadError::Syntax(error.to_string()))?;
        let program = Program::from_module(&module);
        match ptx::check::check(&module) {
            Ok(()) => program,
            Err(mistakes) => explain(&mistakes, program),
        }
    }

    /// Decodes a module that was built or parsed already.
    pub fn from_module(module: &tree::Module) -> Result<Program, LoadError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (kernels, image) = decode::decode_module(module)?;
        Ok(Program { id: ModuleId(NEXT.fetch_add(1, Ordering::Relaxed)), kernels, image })
    }

    /// Says which calls lead to the instructions of each line of the text, the innermost first, of functions that a compiler has put in place: messages
    /// name them.
    pub fn set_calls(&mut self, of_line: impl Fn(u32) -> Arc<[SourceLine]>) {
        for code in self.kernels.iter_mut().flat_map(|kernel| &mut kernel.listing) {
            code.calls = of_line(code.ptx_line);
        }
    }

    /// The kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<KernelId> {
        self.kernels.iter().position(|kernel| &*kernel.info.name == name).map(KernelId)
    }

    /// Every kernel, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = KernelId> {
        (0..self.kernels.len()).map(KernelId)
    }

    /// The requirements of a kernel for its launches.
    pub fn info(&self, kernel: KernelId) -> &KernelInfo {
        &self.kernels[kernel.0].info
    }

    /// The address and size in bytes of a variable of global or constant memory.
    pub fn variable(&self, name: &str, memory: &Memory) -> Option<(u64, u64)> {
        let variable = self.image.variables.iter().find(|variable| variable.name == name)?;
        Some((self.place(memory) + variable.offset, variable.bytes))
    }

    /// Puts the variables of the module into a memory, once.
    pub(crate) fn place(&self, memory: &Memory) -> u64 {
        memory.module(self.id, self.image.bytes.len() as u64, |base| self.image.relocated(base))
    }
}

/// Requirements of a kernel for its launches.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Size of the parameter space in bytes.
    pub parameter_bytes: u32,
    /// Shared memory that it declares, in bytes.
    pub static_shared_bytes: u32,
    /// Shared memory before what it declares that is reserved for the system, in bytes; 0 where it does not ask for it.
    pub reserved_shared_bytes: u32,
    /// The alignment of its dynamic shared memory in bytes.
    pub dynamic_align: u32,
    /// Bytes of gaps between its variables in shared memory, which a GPU does not have: before the end of the last one, and before the dynamic
    /// shared memory.
    pub(crate) shared_gaps: [u32; 2],
    /// Local memory of a thread, in bytes, but for the parameters of calls, which a GPU keeps in registers.
    pub local_bytes: u32,
    /// Local memory of a thread with the parameters of calls, in bytes.
    pub(crate) frame_bytes: u32,
    /// `.maxntid`
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`
    pub required_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// It has instructions by which the blocks of a cluster meet.
    pub meets_cluster: bool,
    /// `.minnctapersm`
    pub min_blocks_per_sm: Option<u32>,
    /// `.maxnreg`
    pub max_registers: Option<u32>,
    /// 32-bit registers that a thread would need, judged by what is live at once. Not what `ptxas` would say.
    pub register_estimate: u32,
    /// Barriers that it uses.
    pub barriers: u32,
    /// It has atomic operations on global memory; a block that gets to one waits until all blocks before it are done.
    pub has_global_atomics: bool,
}

impl KernelInfo {
    /// Offset of the dynamic shared memory, which starts after the declared one, at a multiple of 16 bytes at least.
    pub(crate) fn dynamic_offset(&self) -> u32 {
        let [_, gaps] = self.shared_gaps;
        (self.reserved_shared_bytes + self.static_shared_bytes).next_multiple_of(self.dynamic_align) + gaps
    }
}

/// A parameter of a kernel in its parameter space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its offset in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// A variable in the shared memory of a block.
#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    pub(crate) name: String,
    /// Its offset and size in bytes; none is the dynamic shared memory.
    pub(crate) place: Option<(u32, u32)>,
}

/// A decoded kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) info: KernelInfo,
    pub(crate) code: Vec<Inst>,
    /// For each operation, the instruction that it belongs to, and whether it is the one that counts for it.
    pub(crate) origins: Vec<Origin>,
    /// The instructions, as messages name them.
    pub(crate) listing: Vec<Code>,
    pub(crate) sizes: FileSizes,
    /// Registers of 32 bits that hold the same in every instruction.
    pub(crate) constants_w: Vec<(Slot, Constant)>,
    /// Registers of 64 bits that hold the same in every instruction.
    pub(crate) constants_d: Vec<(Slot, Constant)>,
    /// Registers that may be read before they are written: they start as zero in every block.
    pub(crate) undefined: Vec<(Class, Slot)>,
    /// The functions that it may call.
    pub(crate) functions: Vec<Callable>,
    pub(crate) sites: Vec<CallSite>,
    /// Targets of branches by table, as indices of operations.
    pub(crate) tables: Vec<Vec<u32>>,
    pub(crate) stack: Option<Stack>,
    /// Its variables in shared memory.
    pub(crate) shared: Vec<SharedVariable>,
    /// The gaps between them, and that before the dynamic shared memory.
    pub(crate) shared_gaps: Vec<Range<u64>>,
    pub(crate) matrices: Vec<Matrix>,
    pub(crate) asynchronous: Vec<Asynchronous>,
    /// Registers of `undefined` that no call writes: they have no value at the start.
    pub(crate) doubtful: Vec<(Class, Slot)>,
    /// Registers of each operation, built when the sanitizer first needs them.
    pub(crate) touched: OnceLock<Touched>,
    /// Registers of products of groups that operations access, once the sanitizer has to know; none if there are no products.
    pub(crate) group_registers: OnceLock<Option<GroupRegisters>>,
    /// The loads of which compare-and-swaps take what they compare with, once the sanitizer has to know.
    pub(crate) guesses: OnceLock<HashSet<usize>>,
    /// The gap in its hand-overs between blocks, once the sanitizer has to know.
    pub(crate) gap: OnceLock<Option<FoundGap>>,
    /// The registers that decide what it does next, once a loop has to be looked at.
    pub(crate) deciding: OnceLock<Deciding>,
}

impl Kernel {
    /// The registers that each operation touches.
    pub(crate) fn touched(&self) -> &Touched {
        self.touched.get_or_init(|| Touched::of(self))
    }

    /// The registers of products of groups that each operation accesses, if there are any.
    pub(crate) fn group_registers(&self) -> Option<&GroupRegisters> {
        self.group_registers.get_or_init(|| GroupRegisters::of(self)).as_ref()
    }

    /// The registers that decide what it does next.
    pub(crate) fn deciding(&self) -> &Deciding {
        self.deciding.get_or_init(|| Deciding::of(self))
    }

    /// The plain loads whose values, moved about, are what a compare-and-swap compares with.
    pub(crate) fn guesses(&self) -> &HashSet<usize> {
        self.guesses.get_or_init(|| find_guesses(&self.code))
    }

    /// The gap that keeps atomic accesses to global memory from handing over other memory between blocks, if they are meant to.
    pub(crate) fn gap(&self) -> Option<Box<Gap>> {
        let &(gap, pc) = self.gap.get_or_init(|| find_gap(&self.code)).as_ref()?;
        Some(Box::new(gap(self.code_of(pc))))
    }

    /// The instruction of an operation.
    pub(crate) fn code_of(&self, pc: usize) -> Code {
        let origin = self.origins.get(pc);
        origin.and_then(|origin| self.listing.get(origin.instruction as usize)).cloned().unwrap_or_default()
    }
}

/// A gap, and the operation that shows it.
pub(crate) type FoundGap = (fn(Code) -> Gap, usize);

fn find_gap(code: &[Inst]) -> Option<FoundGap> {
    let (mut acquires, mut releases) = (false, false);
    let (mut relaxed_read, mut relaxed_write) = (None, None);
    for (pc, inst) in code.iter().enumerate() {
        let (order, reads, writes) = match &inst.op {
            Op::Fence { wide: false, of_barrier: false } => return Some((Gap::Narrow, pc)),
            Op::Fence { of_barrier: true, .. } => continue,
            Op::Fence { .. } => {
                (acquires, releases) = (true, true);
                continue;
            }
            Op::Load(access) if access.address.space != Space::Shared => (access.order, true, false),
            Op::Store(access) if access.address.space != Space::Shared => (access.order, false, true),
            Op::Atomic(atomic) if atomic.address.space != Space::Shared => (atomic.order, true, true),
            _ => continue,
        };
        if !order.is_strong() {
            continue;
        }
        let orders = order.is_acquire() || order.is_release();
        if orders && !order.is_wide() {
            return Some((Gap::Narrow, pc));
        }
        acquires |= order.is_acquire();
        releases |= order.is_release();
        if reads && !order.is_acquire() {
            relaxed_read = relaxed_read.or(Some(pc));
        }
        if writes && !order.is_release() {
            relaxed_write = relaxed_write.or(Some(pc));
        }
    }
    match (acquires, releases) {
        (false, true) => relaxed_read.map(|pc| (Gap::NoAcquire as fn(Code) -> Gap, pc)),
        (true, false) => relaxed_write.map(|pc| (Gap::NoRelease as fn(Code) -> Gap, pc)),
        (true, true) | (false, false) => None,
    }
}

fn find_guesses(code: &[Inst]) -> HashSet<usize> {
    use Class::{D, W};
    let sized = |bytes: u8| if bytes == 8 { D } else { W };
    // The registers whose value a compare-and-swap may compare with, wherever they have it.
    let mut compared: HashSet<(Class, Slot)> = HashSet::new();
    for inst in code {
        match inst.op {
            Op::Atomic(atomic) if atomic.function == AtomicFunction::CompareExchange => {
                compared.insert((sized(atomic.size), atomic.operand));
            }
            Op::AtomicWide(atomic) => {
                compared.extend(atomic.expected.into_iter().flatten().map(|slot| (D, slot)));
            }
            _ => {}
        }
    }
    loop {
        let before = compared.len();
        for inst in code {
            match inst.op {
                Op::Unary { f: Unary::Move32, target, sources: [source] }
                    if compared.contains(&(W, target)) =>
                {
                    compared.insert((W, source));
                }
                Op::Unary { f: Unary::Move64, target, sources: [source] }
                    if compared.contains(&(D, target)) =>
                {
                    compared.insert((D, source));
                }
                Op::Select32 { target, a, b, .. } if compared.contains(&(W, target)) => {
                    compared.extend([(W, a), (W, b)]);
                }
                Op::Select64 { target, a, b, .. } if compared.contains(&(D, target)) => {
                    compared.extend([(D, a), (D, b)]);
                }
                Op::Pack { target, parts, count, bits } => {
                    let whole = sized(count * bits / 8);
                    if compared.contains(&(whole, target)) {
                        compared.extend(parts[..usize::from(count)].iter().map(|&part| (W, part)));
                    }
                }
                Op::Unpack { source, parts, count, bits }
                    if parts[..usize::from(count)].iter().any(|&part| compared.contains(&(W, part))) =>
                {
                    compared.insert((sized(count * bits / 8), source));
                }
                _ => {}
            }
        }
        if compared.len() == before {
            break;
        }
    }
    let is_guess = |(at, inst): (usize, &Inst)| match inst.op {
        Op::Load(access) => {
            let values = &access.values[..usize::from(access.count)];
            values.iter().all(|&slot| compared.contains(&(sized(access.size), slot))).then_some(at)
        }
        _ => None,
    };
    code.iter().enumerate().filter_map(is_guess).collect()
}

/// The part of local memory that grows and shrinks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    /// The register that says where the free part starts.
    pub(crate) slot: Slot,
    /// Its initial value in a new thread.
    pub(crate) start: u64,
}

/// Origin of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// Index into the listing.
    pub(crate) instruction: u32,
    /// The first operation of an instruction; what the decoder added counts for nothing.
    pub(crate) counts: bool,
}

/// Value of a register that nothing writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Immediate(u64),
    /// So many bytes into the variables of the module.
    Variable(u64),
    /// The address of dynamic shared memory.
    DynamicShared,
    Special(Special),
}

impl Constant {
    /// Returns true if its value differs between lanes of a warp.
    pub(crate) fn varies(self) -> bool {
        match self {
            Constant::Immediate(_) | Constant::Variable(_) | Constant::DynamicShared => false,
            Constant::Special(special) => match special {
                Special::Thread(_)
                | Special::Lane
                | Special::MaskEqual
                | Special::MaskLess
                | Special::MaskLessEqual
                | Special::MaskGreater
                | Special::MaskGreaterEqual => true,
                Special::BlockSize(_)
                | Special::PerBlock(_)
                | Special::GridSize(_)
                | Special::Clusters(_)
                | Special::ClusterSize(_)
                | Special::ClusterRanks
                | Special::Warp
                | Special::Warps
                | Special::DynamicSharedBytes
                | Special::TotalSharedBytes
                | Special::AggregateSharedBytes
                | Special::Environment(_)
                | Special::Fixed(_) => false,
            },
        }
    }
}

/// The special registers that do not change while a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    /// `%tid`, by dimension.
    Thread(u8),
    /// `%ntid`
    BlockSize(u8),
    /// A register that depends on the block.
    PerBlock(PerBlock),
    /// `%nctaid`
    GridSize(u8),
    /// `%nclusterid`
    Clusters(u8),
    /// `%cluster_nctaid`
    ClusterSize(u8),
    /// `%cluster_nctarank`
    ClusterRanks,
    Lane,
    Warp,
    Warps,
    /// `%lanemask_eq` and its like.
    MaskEqual,
    MaskLess,
    MaskLessEqual,
    MaskGreater,
    MaskGreaterEqual,
    DynamicSharedBytes,
    /// Static and dynamic, without what is reserved for the system.
    TotalSharedBytes,
    /// Static, dynamic and reserved for the system.
    AggregateSharedBytes,
    /// `%envreg0` and its like.
    Environment(u8),
    /// A number that is the same on every simulated device.
    Fixed(u32),
}

/// The special registers that differ between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PerBlock {
    /// `%ctaid`, by dimension.
    Index(u8),
    /// `%clusterid`
    Cluster(u8),
    /// `%cluster_ctaid`
    InCluster(u8),
    /// `%cluster_ctarank`
    Rank,
}

impl PerBlock {
    /// Its value in the block with this index, in clusters of so many blocks.
    pub(crate) fn of(self, block: [u32; 3], cluster: [u32; 3]) -> u32 {
        let within = |axis: usize| block[axis] % cluster[axis];
        match self {
            PerBlock::Index(axis) => block[usize::from(axis)],
            PerBlock::Cluster(axis) => block[usize::from(axis)] / cluster[usize::from(axis)],
            PerBlock::InCluster(axis) => within(axis.into()),
            PerBlock::Rank => within(0) + cluster[0] * (within(1) + cluster[1] * within(2)),
        }
    }
}

/// The initial bytes of the variables of a module.
#[derive(Debug, Default)]
pub(crate) struct Image {
    pub(crate) bytes: Vec<u8>,
    pub(crate) variables: Vec<ImageVariable>,
    /// Places in `bytes` that hold the address of another place in it.
    pub(crate) relocations: Vec<Relocation>,
}

/// Bytes of an image that hold an address, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub(crate) at: usize,
    /// Number of these bytes, at most 8.
    pub(crate) bytes: usize,
    /// The place in the image whose address it is.
    pub(crate) offset: u64,
    /// Number of bits by which the address is shifted right.
    pub(crate) shift: u32,
}

/// A variable of a module.
#[derive(Debug)]
pub(crate) struct ImageVariable {
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Image {
    fn relocated(&self, base: u64) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for &Relocation { at, bytes: count, offset, shift } in &self.relocations {
            let raw = ((base + offset) >> shift).to_le_bytes();
            if let Some(place) = bytes.get_mut(at..at + count) {
                place.copy_from_slice(&raw[..count]);
            }
        }
        bytes
    }
}
