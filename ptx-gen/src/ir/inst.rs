//! The instructions.

use kernel_abi::mnemonics;
use kernel_abi::operators::{
    AtomicOp, BarrierOp, BinaryOp, ConvertOp, FloatCond, IntCond, MatchMode, MemoryOrder, MemoryScope,
    ReduxOp, ShuffleMode, SpecialRegister, UnaryOp, VoteMode,
};

use super::cache::CacheHints;
use super::entity::{Block, ConstVar, InlineAsm, LocalVar, PanicSite, Param, PrintSite, SharedVar, Value};
use super::function::SourceLoc;
use kernel_abi::types::Space;

/// A block to go to, and the values that its parameters take.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockCall {
    /// The block.
    pub block: Block,
    /// One value for each of its parameters.
    pub args: Vec<Value>,
}

/// Request of the source for a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BranchHint {
    /// The request.
    pub wish: BranchWish,
    /// Location of the request in the source.
    pub location: SourceLoc,
}

mnemonics! {
    /// Requests for a branch.
    BranchWish {
        /// No branch: both sides are executed, and their results selected, or they are predicated.
        Predicate = "predicate",
        /// The branch is kept.
        Keep = "keep",
    }
}

/// An instruction without its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstData {
    /// A constant: the bits, of the result's type, the rest zero.
    Const {
        /// Zero outside the type's width.
        bits: u64,
    },
    /// An operation on one value.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// Its operand.
        arg: Value,
    },
    /// An operation on two values.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Its operands.
        args: [Value; 2],
        /// Of `add`, `sub`, `mul` and `shl`: the exact unsigned result fits the type, as the code that made the instruction has proved.
        no_unsigned_wrap: bool,
    },
    /// `args[0] * args[1] + args[2]` with one rounding.
    Fma {
        /// Factor, factor, summand.
        args: [Value; 3],
    },
    /// One of two values of the same type.
    Select {
        /// A `bool`.
        cond: Value,
        /// The result if `cond`.
        if_true: Value,
        /// The result if not.
        if_false: Value,
    },
    /// Compares integers or `bool`s; the result is a `bool`.
    IntCompare {
        /// The condition.
        cond: IntCond,
        /// Its operands.
        args: [Value; 2],
    },
    /// Compares floats; the result is a `bool`.
    FloatCompare {
        /// The condition.
        cond: FloatCond,
        /// Its operands.
        args: [Value; 2],
    },
    /// Converts to the result's type.
    Convert {
        /// The conversion.
        op: ConvertOp,
        /// Its operand.
        arg: Value,
    },
    /// Two floats of 16 bits as a pair, the first one in the low half.
    Pack {
        /// The two.
        args: [Value; 2],
    },
    /// One float of a pair.
    Extract {
        /// The pair.
        arg: Value,
        /// Its index: 0 for that in the low half, or 1.
        lane: u8,
    },
    /// Reads a special register.
    Special {
        /// The register.
        register: SpecialRegister,
    },
    /// Reads a kernel parameter.
    Param {
        /// The parameter.
        param: Param,
    },
    /// The address of a shared variable, in the shared space.
    SharedAddress {
        /// The variable.
        var: SharedVar,
    },
    /// The address of a local variable, in the local space. Memory not yet written has any value.
    LocalAddress {
        /// The variable.
        var: LocalVar,
    },
    /// The address of constant data, in the constant space.
    ConstAddress {
        /// The variable.
        var: ConstVar,
    },
    /// The generic address of the location that an address of one space names.
    ToGeneric {
        /// Any but generic.
        space: Space,
        /// Address in that space.
        address: Value,
    },
    /// Address of the location of another block of the cluster that an address of shared memory names in this one.
    MapShared {
        /// Address in shared memory.
        address: Value,
        /// The block's place in the cluster.
        rank: Value,
    },
    /// Reads a value of the result's type.
    Load {
        /// Memory that is read.
        space: Space,
        /// Base address.
        address: Value,
        /// Added to the address, in bytes.
        offset: i32,
        /// Known alignment of the sum in bytes, if more than the type requires.
        align: Option<u32>,
        /// No one writes this memory while the kernel runs, so the non-coherent path may serve it.
        read_only: bool,
        /// A parameter that the value, an unsigned number, is below: an [`ElementLimit`](super::ElementLimit).
        below: Option<Param>,
        /// Its cache hints.
        cache: CacheHints,
    },
    /// Writes a value.
    Store {
        /// Memory that is written.
        space: Space,
        /// Base address.
        address: Value,
        /// Added to the address, in bytes.
        offset: i32,
        /// Known alignment of the sum in bytes, if more than the type requires.
        align: Option<u32>,
        /// The value stored.
        value: Value,
        /// Its cache hints.
        cache: CacheHints,
    },
    /// Compare and swap; the result is the old value.
    AtomicCas {
        /// Memory that is accessed.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// Its memory ordering.
        order: MemoryOrder,
        /// The address.
        address: Value,
        /// The old value for which the swap is made.
        expected: Value,
        /// The new value.
        desired: Value,
    },
    /// Changes memory in one step; the result is the old value.
    AtomicRmw {
        /// The operation.
        op: AtomicOp,
        /// Memory that is accessed.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// Its memory ordering.
        order: MemoryOrder,
        /// The address.
        address: Value,
        /// Operand of the result's type.
        value: Value,
    },
    /// Reads memory that other threads may be writing.
    AtomicLoad {
        /// Memory that is read.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// `Relaxed` or `Acquire`.
        order: MemoryOrder,
        /// The address.
        address: Value,
    },
    /// Writes memory that other threads may be reading.
    AtomicStore {
        /// Memory that is written.
        space: Space,
        /// Threads among which it is atomic.
        scope: MemoryScope,
        /// `Relaxed` or `Release`.
        order: MemoryOrder,
        /// The address.
        address: Value,
        /// The value stored.
        value: Value,
    },
    /// The value of another lane, with PTX's lane operand `b` and clamp operand `c`.
    Shuffle {
        /// Interpretation of `lane`.
        mode: ShuffleMode,
        /// Of any type but `bool`.
        value: Value,
        /// `i32`: distance, mask or lane.
        lane: Value,
        /// `i32`: segment mask and clamp.
        clamp: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// Votes on a predicate across the member lanes of a warp.
    Vote {
        /// The mode.
        mode: VoteMode,
        /// A `bool`.
        pred: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// The lanes with the same value, as bits of an `i32`.
    Match {
        /// The mode.
        mode: MatchMode,
        /// `i32` or `i64`.
        value: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// Reduces a value across the member lanes of a warp; each gets the result.
    Redux {
        /// The operation.
        op: ReduxOp,
        /// `i32`.
        value: Value,
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// The lanes that happen to run this instruction together, as bits of an `i32`.
    ActiveMask,
    /// Waits for all threads of the block; the result is the reduction of their predicates.
    BarrierReduce {
        /// The operation.
        op: BarrierOp,
        /// A `bool`.
        pred: Value,
    },
    /// Waits for the participating lanes of the warp, and orders their accesses.
    WarpBarrier {
        /// `i32`: mask of the participating lanes.
        members: Value,
    },
    /// Orders this thread's earlier memory accesses before its later ones, for observers within this scope (PTX ISA, `fence`).
    Fence {
        /// Threads that observe the order.
        scope: MemoryScope,
        /// `AcqRel` or `SeqCst`.
        order: MemoryOrder,
    },
    /// Waits for all threads of the block.
    Barrier,
    /// Waits for all threads of the grid, whose blocks all run at once: [`LaunchBounds::cooperative`](super::LaunchBounds).
    GridBarrier,
    /// Waits for all threads of the cluster.
    ClusterBarrier {
        /// All threads of a warp come together.
        aligned: bool,
    },
    /// Waits at a barrier of the block that has a number for as many threads as say so, or only tells those who wait that the warp has come.
    NamedBarrier {
        /// 1 to 15: 0 is that of [`Barrier`](InstData::Barrier).
        id: u32,
        /// `i32`: a multiple of 32, the same in all that come.
        threads: Value,
        /// The thread waits.
        waits: bool,
    },
    /// Hands values to the host, which prints them.
    Print {
        /// The site in the source.
        site: PrintSite,
        /// `i64` values, as many as the site's format takes.
        args: Vec<Value>,
    },
    /// Inline PTX of the user with at least one output; the result is the first output.
    Inline {
        /// The text.
        asm: InlineAsm,
        /// Its inputs.
        args: Vec<Value>,
        /// True if the outputs depend only on the inputs and there are no other effects: it may be removed, repeated, moved.
        pure: bool,
    },
    /// A further output of inline PTX.
    InlineOut {
        /// The result of the [`Inline`](InstData::Inline).
        of: Value,
        /// Number of the output, from 1.
        index: u32,
    },
    /// Inline PTX of the user without outputs.
    InlineEffect {
        /// The text.
        asm: InlineAsm,
        /// Its inputs.
        args: Vec<Value>,
    },
    /// A predicated memory access: made only if the condition has the value `holds`. If not, its result is zero.
    Guarded {
        /// A `bool`.
        cond: Value,
        /// Value of the condition for which the access is made.
        holds: bool,
        /// The access: a load, a store or an atomic one.
        access: Box<InstData>,
    },
    /// Terminator: goes on at a block.
    Jump {
        /// The target.
        target: BlockCall,
    },
    /// Terminator: goes on at one of two blocks.
    Branch {
        /// A `bool`.
        cond: Value,
        /// Target if it is true.
        if_true: BlockCall,
        /// Target if it is false.
        if_false: BlockCall,
        /// Request of the source for it.
        hint: Option<BranchHint>,
    },
    /// Terminator: the thread ends.
    Return,
    /// Terminator: records the panic and ends the thread.
    Panic {
        /// The site in the source.
        site: PanicSite,
        /// `i64` values for the message, as many as the site takes.
        args: Vec<Value>,
    },
}

impl InstData {
    /// Returns true if it ends a block.
    pub const fn is_terminator(&self) -> bool {
        match self {
            InstData::Jump { .. } | InstData::Branch { .. } | InstData::Return | InstData::Panic { .. } => {
                true
            }
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Pack { .. }
            | InstData::Extract { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. }
            | InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::AtomicCas { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::Shuffle { .. }
            | InstData::Vote { .. }
            | InstData::Match { .. }
            | InstData::Redux { .. }
            | InstData::ActiveMask
            | InstData::BarrierReduce { .. }
            | InstData::WarpBarrier { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Guarded { .. }
            | InstData::Inline { .. }
            | InstData::InlineOut { .. }
            | InstData::InlineEffect { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::NamedBarrier { .. } => false,
        }
    }

    /// Returns true for a load of global memory that nobody writes while the kernel runs.
    pub const fn is_read_only_load(&self) -> bool {
        matches!(self, InstData::Load { space: Space::Global, read_only: true, .. })
    }

    /// Returns true if it may be removed when its result is unused, repeated, or moved over other such instructions.
    ///
    /// Loads may be removed but not moved over stores; they count as impure here.
    pub const fn is_pure(&self) -> bool {
        match self {
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Pack { .. }
            | InstData::Extract { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::InlineOut { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. } => true,
            InstData::Special { register } => !register.is_volatile(),
            InstData::Inline { pure, .. } => *pure,
            InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::AtomicCas { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::Shuffle { .. }
            | InstData::Vote { .. }
            | InstData::Match { .. }
            | InstData::Redux { .. }
            | InstData::ActiveMask
            | InstData::BarrierReduce { .. }
            | InstData::WarpBarrier { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::NamedBarrier { .. }
            | InstData::InlineEffect { .. }
            | InstData::Guarded { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Return
            | InstData::Panic { .. } => false,
        }
    }

    /// Returns true if it accesses memory in a way that other threads see as one step.
    pub const fn is_atomic(&self) -> bool {
        match self {
            InstData::AtomicCas { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. } => true,
            InstData::Guarded { access, .. } => access.is_atomic(),
            _ => false,
        }
    }

    /// The memory that is accessed, and the address that the access starts from.
    pub const fn access(&self) -> Option<(Space, Value)> {
        match self {
            InstData::Guarded { access, .. } => access.access(),
            InstData::Load { space, address, .. }
            | InstData::Store { space, address, .. }
            | InstData::AtomicCas { space, address, .. }
            | InstData::AtomicRmw { space, address, .. }
            | InstData::AtomicLoad { space, address, .. }
            | InstData::AtomicStore { space, address, .. } => Some((*space, *address)),
            InstData::Const { .. }
            | InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Pack { .. }
            | InstData::Extract { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. }
            | InstData::Shuffle { .. }
            | InstData::Vote { .. }
            | InstData::Match { .. }
            | InstData::Redux { .. }
            | InstData::ActiveMask
            | InstData::BarrierReduce { .. }
            | InstData::WarpBarrier { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::NamedBarrier { .. }
            | InstData::Inline { .. }
            | InstData::InlineOut { .. }
            | InstData::InlineEffect { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Return
            | InstData::Panic { .. } => None,
        }
    }

    /// The memory that is accessed and the address, both mutable.
    pub const fn access_mut(&mut self) -> Option<(&mut Space, &mut Value)> {
        match self {
            InstData::Guarded { access, .. } => access.access_mut(),
            InstData::Load { space, address, .. }
            | InstData::Store { space, address, .. }
            | InstData::AtomicCas { space, address, .. }
            | InstData::AtomicRmw { space, address, .. }
            | InstData::AtomicLoad { space, address, .. }
            | InstData::AtomicStore { space, address, .. } => Some((space, address)),
            _ => None,
        }
    }

    /// Calls `visit` with every value used, block arguments included.
    pub fn visit_args(&self, mut visit: impl FnMut(Value)) {
        match self {
            InstData::Const { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ActiveMask
            | InstData::Fence { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::Return => {}
            InstData::Unary { arg, .. } | InstData::Convert { arg, .. } | InstData::Extract { arg, .. } => {
                visit(*arg);
            }
            InstData::Vote { pred: value, members, .. }
            | InstData::Match { value, members, .. }
            | InstData::Redux { value, members, .. } => [*value, *members].into_iter().for_each(visit),
            InstData::MapShared { address, rank } => [*address, *rank].into_iter().for_each(visit),
            InstData::BarrierReduce { pred, .. } => visit(*pred),
            InstData::WarpBarrier { members } => visit(*members),
            InstData::NamedBarrier { threads, .. } => visit(*threads),
            InstData::Binary { args, .. }
            | InstData::Pack { args }
            | InstData::IntCompare { args, .. }
            | InstData::FloatCompare { args, .. } => args.iter().copied().for_each(visit),
            InstData::Fma { args } => args.iter().copied().for_each(visit),
            InstData::Select { cond, if_true, if_false } => {
                [*cond, *if_true, *if_false].into_iter().for_each(visit);
            }
            InstData::Load { address, .. }
            | InstData::AtomicLoad { address, .. }
            | InstData::ToGeneric { address, .. } => visit(*address),
            InstData::Store { address, value, .. }
            | InstData::AtomicRmw { address, value, .. }
            | InstData::AtomicStore { address, value, .. } => [*address, *value].into_iter().for_each(visit),
            InstData::AtomicCas { address, expected, desired, .. } => {
                [*address, *expected, *desired].into_iter().for_each(visit);
            }
            InstData::Shuffle { value, lane, clamp, members, .. } => {
                [*value, *lane, *clamp, *members].into_iter().for_each(visit);
            }
            InstData::Guarded { cond, access, .. } => {
                visit(*cond);
                // Through a reference: else the compiler would go on for ever with visitors of visitors.
                access.visit_args(&mut visit as &mut dyn FnMut(Value));
            }
            InstData::Jump { target } => target.args.iter().copied().for_each(visit),
            InstData::Branch { cond, if_true, if_false, .. } => {
                visit(*cond);
                if_true.args.iter().chain(&if_false.args).copied().for_each(visit);
            }
            InstData::InlineOut { of, .. } => visit(*of),
            InstData::Panic { args, .. }
            | InstData::Print { args, .. }
            | InstData::Inline { args, .. }
            | InstData::InlineEffect { args, .. } => args.iter().copied().for_each(visit),
        }
    }

    /// Replaces every value used, block arguments included.
    pub fn map_args(&mut self, mut map: impl FnMut(Value) -> Value) {
        match self {
            InstData::Const { .. }
            | InstData::Special { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. }
            | InstData::ActiveMask
            | InstData::Fence { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::Return => {}
            InstData::Unary { arg, .. } | InstData::Convert { arg, .. } | InstData::Extract { arg, .. } => {
                *arg = map(*arg);
            }
            InstData::Vote { pred: value, members, .. }
            | InstData::Match { value, members, .. }
            | InstData::Redux { value, members, .. } => {
                *value = map(*value);
                *members = map(*members);
            }
            InstData::MapShared { address, rank } => {
                *address = map(*address);
                *rank = map(*rank);
            }
            InstData::BarrierReduce { pred, .. } => *pred = map(*pred),
            InstData::WarpBarrier { members } => *members = map(*members),
            InstData::NamedBarrier { threads, .. } => *threads = map(*threads),
            InstData::Binary { args, .. }
            | InstData::Pack { args }
            | InstData::IntCompare { args, .. }
            | InstData::FloatCompare { args, .. } => *args = args.map(map),
            InstData::Fma { args } => *args = args.map(map),
            InstData::Select { cond, if_true, if_false } => {
                *cond = map(*cond);
                *if_true = map(*if_true);
                *if_false = map(*if_false);
            }
            InstData::Load { address, .. }
            | InstData::AtomicLoad { address, .. }
            | InstData::ToGeneric { address, .. } => *address = map(*address),
            InstData::Store { address, value, .. }
            | InstData::AtomicRmw { address, value, .. }
            | InstData::AtomicStore { address, value, .. } => {
                *address = map(*address);
                *value = map(*value);
            }
            InstData::AtomicCas { address, expected, desired, .. } => {
                *address = map(*address);
                *expected = map(*expected);
                *desired = map(*desired);
            }
            InstData::Shuffle { value, lane, clamp, members, .. } => {
                for arg in [value, lane, clamp, members] {
                    *arg = map(*arg);
                }
            }
            InstData::Guarded { cond, access, .. } => {
                *cond = map(*cond);
                access.map_args(&mut map as &mut dyn FnMut(Value) -> Value);
            }
            InstData::Jump { target } => target.args.iter_mut().for_each(|arg| *arg = map(*arg)),
            InstData::Branch { cond, if_true, if_false, .. } => {
                *cond = map(*cond);
                if_true.args.iter_mut().chain(&mut if_false.args).for_each(|arg| *arg = map(*arg));
            }
            InstData::InlineOut { of, .. } => *of = map(*of),
            InstData::Panic { args, .. }
            | InstData::Print { args, .. }
            | InstData::Inline { args, .. }
            | InstData::InlineEffect { args, .. } => args.iter_mut().for_each(|arg| *arg = map(*arg)),
        }
    }

    /// The blocks that a terminator goes to, with their arguments.
    pub fn successors(&self) -> impl Iterator<Item = &BlockCall> {
        let [first, second] = match self {
            InstData::Jump { target } => [Some(target), None],
            InstData::Branch { if_true, if_false, .. } => [Some(if_true), Some(if_false)],
            _ => [None, None],
        };
        first.into_iter().chain(second)
    }

    /// The blocks that a terminator goes to, with their arguments, mutable.
    pub fn successors_mut(&mut self) -> impl Iterator<Item = &mut BlockCall> {
        let [first, second] = match self {
            InstData::Jump { target } => [Some(target), None],
            InstData::Branch { if_true, if_false, .. } => [Some(if_true), Some(if_false)],
            _ => [None, None],
        };
        first.into_iter().chain(second)
    }
}
