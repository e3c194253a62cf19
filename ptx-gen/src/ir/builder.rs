//! Builds a function instruction by instruction, in SSA form from the start.
//!
//! Mutable variables of the source are [`Variable`]s: `define` one, `read` it, and the builder adds block parameters
//! where paths meet. The algorithm is that of Braun, Buchwald, Hack, Leißa, Mallon and Zwinkau, "Simple and Efficient
//! Construction of Static Single Assignment Form" (CC 2013): a block is *sealed* once all its predecessors are known; a
//! read in a block that is not sealed leaves a parameter to be completed at sealing; parameters all of whose arguments are
//! one value, or the parameter itself, are trivial and removed.

use std::collections::HashMap;

use super::cache::CacheHints;
use super::entity::{
    Block, Call, ConstVar, Entity, InlineAsm, Inst, LocalVar, PanicSite, Param, PrintSite, SharedVar, Value,
};
use super::function::{
    ConstData, ElementLimit, Format, Function, InlineData, LocalData, LoopHint, MapOf, PanicSiteData,
    ParamData, PrintSiteData, SharedData, SourceLoc,
};
use super::inst::{BlockCall, BranchHint, InstData};
use kernel_abi::operators::{
    AtomicOp, BarrierOp, BinaryOp, ConvertOp, FloatCond, IntCond, MatchMode, MemoryOrder, MemoryScope,
    ReduxOp, ShuffleMode, SpecialRegister, UnaryOp, VoteMode,
};
use kernel_abi::panic::PanicKind;
use kernel_abi::remark::RemarkKind;
use kernel_abi::tensor_map;
use kernel_abi::types::{Space, Type};

/// A mutable variable of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable(u32);

/// Construction state of a block.
#[derive(Default)]
struct BlockState {
    sealed: bool,
    /// It is in the text.
    is_placed: bool,
    /// Blocks whose terminators go here, with multiplicity.
    predecessors: Vec<Block>,
    /// Parameters made by reads before sealing.
    incomplete: Vec<(Variable, Value)>,
}

/// Builds one [`Function`].
pub struct FunctionBuilder {
    func: Function,
    states: Vec<BlockState>,
    variables: Vec<Type>,
    definitions: HashMap<(Variable, Block), Value>,
    /// Values that were found to be others.
    replaced: HashMap<Value, Value>,
    /// The variable that a block parameter merges; only these parameters are candidates for removal.
    merges: HashMap<Value, Variable>,
    /// The merges, with their blocks, to which a value was passed, when it was.
    taken_by: HashMap<Value, Vec<(Value, Block)>>,
    current: Option<Block>,
    location: SourceLoc,
    /// The calls that are being put in place, the outermost first.
    calls: Vec<Call>,
}

impl FunctionBuilder {
    /// Starts a function with this name. Make the entry block first.
    pub fn new(name: impl Into<String>) -> FunctionBuilder {
        FunctionBuilder {
            func: Function { name: name.into(), ..Function::default() },
            states: Vec::new(),
            variables: Vec::new(),
            definitions: HashMap::new(),
            replaced: HashMap::new(),
            merges: HashMap::new(),
            taken_by: HashMap::new(),
            current: None,
            location: SourceLoc::default(),
            calls: Vec::new(),
        }
    }

    /// The function so far: its name, bounds and tables may be changed at will.
    pub fn function(&mut self) -> &mut Function {
        &mut self.func
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    /// Adds a kernel parameter.
    pub fn add_param(&mut self, name: impl Into<String>, ty: Type, pointer_align: Option<u32>) -> Param {
        self.func.params.push(ParamData {
            name: name.into(),
            ty,
            pointer_align,
            read_only: false,
            min: 0,
            max: None,
            elements: None,
            map_of: None,
            source: String::new(),
        })
    }

    /// Adds a hidden kernel parameter: the tensor map of the matrix whose elements are behind another one. They follow all others.
    pub fn add_tensor_map(&mut self, of: MapOf) -> Param {
        let name = format!("{}_map", self.func.params[of.elements].name);
        let param = self.add_param(name, Type::I64, Some(tensor_map::ALIGN));
        self.func.params[param].map_of = Some(of);
        param
    }

    /// Returns true if a thread has panicked: for waits that would have no end, as that thread arrives nowhere.
    pub fn has_panicked(&mut self) -> Value {
        let param = self.func.last_panic_param();
        let record = self.param(param);
        let scope = (MemoryScope::System, MemoryOrder::Relaxed);
        let claimed = self.atomic_load(Type::I32, Space::Global, scope, record);
        let none = self.constant(Type::I32, 0);
        self.int_compare(IntCond::Ne, claimed, none)
    }

    /// Says what the source calls what a parameter holds.
    pub fn set_source(&mut self, param: Param, source: impl Into<String>) {
        self.func.params[param].source = source.into();
    }

    /// Promises that no thread and no other kernel writes the memory that a parameter points to while the kernel runs.
    pub fn set_read_only(&mut self, param: Param) {
        self.func.params[param].read_only = true;
    }

    /// Promises that every element of the read-only memory that a parameter points to is below another one, and that this is at most
    /// `max`.
    pub fn set_element_limit(&mut self, param: Param, limit: ElementLimit, max: Option<u64>) {
        self.func.params[param].elements = Some(limit);
        self.func.params[limit.below].max = max;
    }

    /// Adds a variable in shared memory; without a size it is the dynamic one.
    pub fn add_shared(&mut self, name: impl Into<String>, bytes: u32, align: u32) -> SharedVar {
        let kind = match bytes {
            0 => RemarkKind::DynamicSharedMemory,
            bytes => RemarkKind::SharedMemory { bytes },
        };
        self.func.remark(self.location, kind);
        self.func.shared.push(SharedData { name: name.into(), bytes, align })
    }

    /// Places a shared variable at a multiple of so many bytes, if it is not already at one of more.
    pub fn align_shared(&mut self, var: SharedVar, align: u32) {
        let known = &mut self.func.shared[var].align;
        *known = align.max(*known);
    }

    /// Adds a variable in the thread's own memory. Names need not differ.
    pub fn add_local(&mut self, name: impl Into<String>, bytes: u32, align: u32) -> LocalVar {
        self.func.locals.push(LocalData { name: name.into(), bytes, align })
    }

    /// Adds constant data. Names need not differ.
    pub fn add_const(&mut self, name: impl Into<String>, bytes: Vec<u8>, align: u32) -> ConstVar {
        self.func.consts.push(ConstData { name: name.into(), bytes, align })
    }

    /// Adds PTX of the user's own.
    pub fn add_inline(&mut self, data: InlineData) -> InlineAsm {
        self.func.inlines.push(data)
    }

    /// PTX of the user's own; what it writes. If `pure` it may be left out, repeated, moved.
    pub fn inline(&mut self, asm: InlineAsm, args: Vec<Value>, pure: bool) -> Vec<Value> {
        let outs = self.func.inlines[asm].outs.clone();
        let Some((&first, rest)) = outs.split_first() else {
            self.push_effect(InstData::InlineEffect { asm, args });
            return Vec::new();
        };
        let of = self.push(InstData::Inline { asm, args, pure }, first);
        let rest = rest.iter().zip(1..).map(|(&ty, index)| self.push(InstData::InlineOut { of, index }, ty));
        std::iter::once(of).chain(rest.collect::<Vec<_>>()).collect()
    }

    /// Instructions that follow come from here.
    pub fn set_location(&mut self, location: SourceLoc) {
        self.location = SourceLoc { caller: self.calls.last().copied(), ..location };
    }

    /// Makes a block. It runs once it is entered with [`switch_to`](Self::switch_to).
    pub fn create_block(&mut self) -> Block {
        self.states.push(BlockState::default());
        self.func.make_block()
    }

    /// Adds an explicit parameter to a block (the result of an `if`, say); every jump there passes a value for it, before
    /// those that construction adds.
    pub fn add_block_param(&mut self, block: Block, ty: Type) -> Value {
        self.func.add_block_param(block, ty)
    }

    /// Continues at the end of `block`, and puts it into the text if it is new.
    pub fn switch_to(&mut self, block: Block) {
        if !std::mem::replace(&mut self.states[block.index()].is_placed, true) {
            self.func.layout.push(block);
            // More ways lead here than are known yet: back from the end of a loop.
            if !self.states[block.index()].sealed {
                self.func.blocks[block].source = self.location;
            }
        }
        self.current = Some(block);
    }

    /// The block that instructions are added to; none after a terminator, where code is unreachable.
    pub fn current(&self) -> Option<Block> {
        self.current
    }

    /// Returns true if code added now is reachable. After a terminator it is not, until the next `switch_to`.
    pub fn is_reachable(&self) -> bool {
        self.current.is_some()
    }

    /// Returns true if any jump to `block` has been made.
    pub fn is_jump_target(&self, block: Block) -> bool {
        !self.states[block.index()].predecessors.is_empty()
    }

    /// Says what to do with the loop whose header this block is.
    pub fn set_loop_hint(&mut self, header: Block, hint: LoopHint) {
        self.func.blocks[header].hint = Some(hint);
    }

    /// Sets the hint of a loop as [`set_loop_hint`](Self::set_loop_hint) does, and the location of the user's request for it.
    pub fn ask_of_loop(&mut self, header: Block, hint: LoopHint, asked: SourceLoc) {
        self.set_loop_hint(header, hint);
        self.func.blocks[header].asked = Some(asked);
    }

    /// Declares that every jump to `block` has been made.
    pub fn seal(&mut self, block: Block) {
        let incomplete = std::mem::take(&mut self.states[block.index()].incomplete);
        self.states[block.index()].sealed = true;
        for (variable, param) in incomplete {
            self.complete_merge(variable, param, block);
        }
    }

    // Variables.

    /// Declares a mutable variable.
    pub fn declare(&mut self, ty: Type) -> Variable {
        self.variables.push(ty);
        Variable(self.variables.len() as u32 - 1)
    }

    /// The variable has this value from here on.
    pub fn define(&mut self, variable: Variable, value: Value) {
        if let Some(block) = self.current {
            self.definitions.insert((variable, block), value);
        }
    }

    /// The value of the variable here. A variable that no path defines reads as zero.
    ///
    /// # Panics
    /// In unreachable code; see [`is_reachable`](Self::is_reachable).
    pub fn read(&mut self, variable: Variable) -> Value {
        let block = self.current.expect("reading a variable in reachable code");
        self.read_in(variable, block)
    }

    fn read_in(&mut self, variable: Variable, start: Block) -> Value {
        // Along blocks with one way in as a loop: there may be thousands. One that cannot be reached may go in circles.
        let mut block = start;
        let mut passed = Vec::new();
        while !self.definitions.contains_key(&(variable, block))
            && let BlockState { sealed: true, predecessors, .. } = &self.states[block.index()]
            && let [predecessor] = predecessors[..]
            && passed.len() < self.states.len()
        {
            passed.push(block);
            block = predecessor;
        }
        let value = self.read_at(variable, block);
        self.definitions.extend(passed.into_iter().map(|block| ((variable, block), value)));
        value
    }

    /// Reads a variable in a block that defines it, is not sealed, or has not exactly one predecessor to take the value from.
    fn read_at(&mut self, variable: Variable, block: Block) -> Value {
        if let Some(&value) = self.definitions.get(&(variable, block)) {
            return self.resolve(value);
        }
        let ty = self.variables[variable.0 as usize];
        let state = &self.states[block.index()];
        let value = if !state.sealed {
            let param = self.new_merge(variable, block, ty);
            self.states[block.index()].incomplete.push((variable, param));
            param
        } else if state.predecessors.len() < 2 {
            // With one way in only in a circle that nothing enters.
            self.zero_at_start(block, ty)
        } else {
            let param = self.new_merge(variable, block, ty);
            // Defined before its arguments are read, so that a loop ends at itself.
            self.definitions.insert((variable, block), param);
            self.complete_merge(variable, param, block)
        };
        self.definitions.insert((variable, block), value);
        value
    }

    fn new_merge(&mut self, variable: Variable, block: Block, ty: Type) -> Value {
        let param = self.func.add_block_param(block, ty);
        self.merges.insert(param, variable);
        param
    }

    /// A zero at the start of a block without predecessors.
    fn zero_at_start(&mut self, block: Block, ty: Type) -> Value {
        let inst = self.func.make_inst(InstData::Const { bits: 0 }, Some(ty), SourceLoc::default());
        self.func.blocks[block].insts.insert(0, inst);
        self.func.results[inst].expect("a constant has a result")
    }

    /// Passes the variable's value from every predecessor, then drops the parameter if it merges only one value.
    fn complete_merge(&mut self, variable: Variable, param: Value, block: Block) -> Value {
        let mut predecessors = self.states[block.index()].predecessors.clone();
        predecessors.dedup();
        let mut seen = Vec::with_capacity(predecessors.len());
        for predecessor in predecessors {
            if seen.contains(&predecessor) {
                continue;
            }
            seen.push(predecessor);
            let value = self.read_in(variable, predecessor);
            let terminator = self.func.terminator(predecessor).expect("a predecessor has a terminator");
            for call in self.func.insts[terminator].successors_mut().filter(|call| call.block == block) {
                call.args.push(value);
            }
            if value != param {
                self.taken_by.entry(value).or_default().push((param, block));
            }
        }
        self.remove_trivial_merge(param, block)
    }

    fn remove_trivial_merge(&mut self, param: Value, block: Block) -> Value {
        let Some(position) = self.func.blocks[block].params.iter().position(|&other| other == param) else {
            return self.resolve(param);
        };
        let mut same = None;
        for argument in self.arguments(block, position) {
            let argument = self.resolve(argument);
            if argument == param || Some(argument) == same {
                continue;
            }
            if same.is_some() {
                return param;
            }
            same = Some(argument);
        }
        let ty = self.func.ty(param);
        let same = match same {
            Some(value) => value,
            None => self.zero_at_start(block, ty),
        };
        self.func.blocks[block].params.remove(position);
        for predecessor in self.distinct_predecessors(block) {
            let terminator = self.func.terminator(predecessor).expect("a predecessor has a terminator");
            for call in self.func.insts[terminator].successors_mut().filter(|call| call.block == block) {
                call.args.remove(position);
            }
        }
        self.merges.remove(&param);
        self.replaced.insert(param, same);
        // Merges that took `param` take `same` now, and may have become trivial too.
        let mut users = self.taken_by.remove(&param).unwrap_or_default();
        self.taken_by.entry(same).or_default().extend(&users);
        users.retain(|&(merge, owner)| {
            self.merges.contains_key(&merge)
                && self.states[owner.index()].sealed
                && self.takes(merge, owner, param)
        });
        users.sort_unstable();
        users.dedup();
        for (merge, owner) in users {
            self.remove_trivial_merge(merge, owner);
        }
        self.resolve(same)
    }

    fn takes(&self, merge: Value, owner: Block, argument: Value) -> bool {
        let Some(position) = self.func.blocks[owner].params.iter().position(|&other| other == merge) else {
            return false;
        };
        self.distinct_predecessors(owner).iter().all(|&p| self.passes(p, owner, position))
            && self.arguments(owner, position).contains(&argument)
    }

    /// Returns true if the predecessor already passes an argument at this position: not so while a merge is being completed.
    fn passes(&self, predecessor: Block, block: Block, position: usize) -> bool {
        self.func.terminator(predecessor).is_some_and(|inst| {
            self.func.insts[inst].successors().filter(|c| c.block == block).all(|c| c.args.len() > position)
        })
    }

    fn arguments(&self, block: Block, position: usize) -> Vec<Value> {
        let mut arguments = Vec::new();
        for predecessor in self.distinct_predecessors(block) {
            let Some(terminator) = self.func.terminator(predecessor) else { continue };
            let calls = self.func.insts[terminator].successors().filter(|call| call.block == block);
            arguments.extend(calls.filter_map(|call| call.args.get(position).copied()));
        }
        arguments
    }

    fn distinct_predecessors(&self, block: Block) -> Vec<Block> {
        let mut predecessors = self.states[block.index()].predecessors.clone();
        predecessors.sort_unstable();
        predecessors.dedup();
        predecessors
    }

    fn resolve(&self, mut value: Value) -> Value {
        while let Some(&next) = self.replaced.get(&value) {
            value = next;
        }
        value
    }

    // Instructions.

    /// Adds an instruction with a result of type `ty`.
    ///
    /// # Panics
    /// In unreachable code, like everything below; see [`is_reachable`](Self::is_reachable).
    pub fn push(&mut self, data: InstData, ty: Type) -> Value {
        let inst = self.append(data, Some(ty));
        self.func.results[inst].expect("an instruction with a type has a result")
    }

    /// Adds an instruction without a result.
    pub fn push_effect(&mut self, data: InstData) {
        let ends = data.is_terminator();
        let block = self.current.expect("adding to reachable code");
        for call in data.successors() {
            self.states[call.block.index()].predecessors.push(block);
        }
        self.append(data, None);
        if ends {
            self.current = None;
        }
    }

    fn append(&mut self, mut data: InstData, ty: Option<Type>) -> Inst {
        let block = self.current.expect("adding to reachable code");
        data.map_args(|value| self.resolve(value));
        let inst = self.func.make_inst(data, ty, self.location);
        self.func.blocks[block].insts.push(inst);
        inst
    }

    /// A constant of any type, by its bits; those outside the type are dropped.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.push(InstData::Const { bits: bits & ty.mask() }, ty)
    }

    /// An operation on one value.
    pub fn unary(&mut self, op: UnaryOp, arg: Value) -> Value {
        let ty = self.ty(arg);
        self.push(InstData::Unary { op, arg }, ty)
    }

    /// An operation on two values.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.push(InstData::Binary { op, args: [a, b], no_unsigned_wrap: false }, ty)
    }

    /// An operation on two values whose exact unsigned result is known to fit.
    pub fn binary_nuw(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.push(InstData::Binary { op, args: [a, b], no_unsigned_wrap: true }, ty)
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = self.ty(a);
        self.push(InstData::Fma { args: [a, b, c] }, ty)
    }

    /// One of two values.
    pub fn select(&mut self, cond: Value, if_true: Value, if_false: Value) -> Value {
        let ty = self.ty(if_true);
        self.push(InstData::Select { cond, if_true, if_false }, ty)
    }

    /// Compares integers or `bool`s.
    pub fn int_compare(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.push(InstData::IntCompare { cond, args: [a, b] }, Type::Bool)
    }

    /// Compares floats.
    pub fn float_compare(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        self.push(InstData::FloatCompare { cond, args: [a, b] }, Type::Bool)
    }

    /// Converts to `ty`.
    pub fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        self.push(InstData::Convert { op, arg }, ty)
    }

    /// Two floats of 16 bits as a pair, `low` in the low half.
    ///
    /// # Panics
    /// If they are of another type.
    pub fn pack(&mut self, low: Value, high: Value) -> Value {
        let lane = self.ty(low);
        let pair = Type::ALL.iter().find(|ty| ty.lane() == Some(lane));
        let pair = *pair.expect("packing floats of 16 bits");
        self.push(InstData::Pack { args: [low, high] }, pair)
    }

    /// One float of a pair: 0 for that in the low half, or 1.
    ///
    /// # Panics
    /// If the value is no pair.
    pub fn extract(&mut self, pair: Value, lane: u8) -> Value {
        let ty = self.ty(pair).lane().expect("extracting from a pair");
        self.push(InstData::Extract { arg: pair, lane }, ty)
    }

    /// The value of another lane, with PTX's lane and clamp operands. Of any type but `bool`.
    pub fn shuffle(&mut self, mode: ShuffleMode, value: Value, [lane, clamp, members]: [Value; 3]) -> Value {
        let ty = self.ty(value);
        self.push(InstData::Shuffle { mode, value, lane, clamp, members }, ty)
    }

    /// The vote of the warp's member lanes on a `bool`.
    pub fn vote(&mut self, mode: VoteMode, pred: Value, members: Value) -> Value {
        self.push(InstData::Vote { mode, pred, members }, mode.ty())
    }

    /// The lanes with the same `i32` or `i64`.
    pub fn match_lanes(&mut self, mode: MatchMode, value: Value, members: Value) -> Value {
        self.push(InstData::Match { mode, value, members }, Type::I32)
    }

    /// The reduction of the member lanes' `i32`, in every one of them.
    pub fn redux(&mut self, op: ReduxOp, value: Value, members: Value) -> Value {
        self.push(InstData::Redux { op, value, members }, Type::I32)
    }

    /// The lanes that run this together.
    pub fn active_mask(&mut self) -> Value {
        self.push(InstData::ActiveMask, Type::I32)
    }

    /// Waits for all threads of the block.
    pub fn barrier(&mut self) {
        self.push_effect(InstData::Barrier);
    }

    /// Comes to the barrier with a number for so many threads, an `i32`, and waits there or not.
    pub fn named_barrier(&mut self, id: u32, threads: Value, waits: bool) {
        self.push_effect(InstData::NamedBarrier { id, threads, waits });
    }

    /// Waits for all threads of the grid.
    pub fn grid_barrier(&mut self) {
        self.push_effect(InstData::GridBarrier);
    }

    /// Address of another block's location that an address of shared memory names in this one.
    pub fn map_shared(&mut self, address: Value, rank: Value) -> Value {
        self.push(InstData::MapShared { address, rank }, Space::Cluster.address_type())
    }

    /// Waits for all threads of the cluster.
    pub fn cluster_barrier(&mut self) {
        self.push_effect(InstData::ClusterBarrier { aligned: true });
    }

    /// Waits for all threads of the block, and reduces a `bool` of each.
    pub fn barrier_reduce(&mut self, op: BarrierOp, pred: Value) -> Value {
        self.push(InstData::BarrierReduce { op, pred }, op.ty())
    }

    /// Waits for lanes of the warp.
    pub fn warp_barrier(&mut self, members: Value) {
        self.push_effect(InstData::WarpBarrier { members });
    }

    /// Orders the accesses before it and those after it: `AcqRel` or `SeqCst`.
    pub fn fence(&mut self, scope: MemoryScope, order: MemoryOrder) {
        self.push_effect(InstData::Fence { scope, order });
    }

    /// Reads a special register.
    pub fn special(&mut self, register: SpecialRegister) -> Value {
        self.push(InstData::Special { register }, register.ty())
    }

    /// Reads a kernel parameter.
    pub fn param(&mut self, param: Param) -> Value {
        let ty = self.func.params[param].ty;
        self.push(InstData::Param { param }, ty)
    }

    /// The address of a shared variable, in the shared space.
    pub fn shared_address(&mut self, var: SharedVar) -> Value {
        self.push(InstData::SharedAddress { var }, Space::Shared.address_type())
    }

    /// The address of a local variable, in the local space.
    pub fn local_address(&mut self, var: LocalVar) -> Value {
        self.push(InstData::LocalAddress { var }, Space::Local.address_type())
    }

    /// The address of constant data, in the constant space.
    pub fn const_address(&mut self, var: ConstVar) -> Value {
        self.push(InstData::ConstAddress { var }, Space::Const.address_type())
    }

    /// The generic address of what `address` names in `space`, which is not the generic one.
    pub fn to_generic(&mut self, space: Space, address: Value) -> Value {
        self.push(InstData::ToGeneric { space, address }, Space::Generic.address_type())
    }

    /// Reads memory.
    pub fn load(&mut self, ty: Type, space: Space, address: Value, offset: i32, read_only: bool) -> Value {
        self.push(
            InstData::Load {
                space,
                address,
                offset,
                align: None,
                read_only,
                below: None,
                cache: CacheHints::NORMAL,
            },
            ty,
        )
    }

    /// Reads memory at an address that is known to be a multiple of `align` with its offset. Neighbours are read at once
    /// if the first one is aligned enough.
    pub fn load_aligned(
        &mut self,
        ty: Type,
        space: Space,
        address: Value,
        offset: i32,
        cache: CacheHints,
        align: u32,
    ) -> Value {
        let align = Some(align).filter(|&align| align > ty.bytes());
        self.push(InstData::Load { space, address, offset, align, read_only: false, below: None, cache }, ty)
    }

    /// Writes memory.
    pub fn store(&mut self, space: Space, address: Value, offset: i32, value: Value) {
        self.push_effect(InstData::Store {
            space,
            address,
            offset,
            align: None,
            value,
            cache: CacheHints::NORMAL,
        });
    }

    /// Writes memory at an address that is known to be a multiple of `align` with its offset.
    pub fn store_aligned(
        &mut self,
        space: Space,
        address: Value,
        offset: i32,
        value: Value,
        cache: CacheHints,
        align: u32,
    ) {
        let align = Some(align).filter(|&align| align > self.ty(value).bytes());
        self.push_effect(InstData::Store { space, address, offset, align, value, cache });
    }

    /// Changes memory in one step and gives what was there.
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        space: Space,
        (scope, order): (MemoryScope, MemoryOrder),
        address: Value,
        value: Value,
    ) -> Value {
        let ty = self.ty(value);
        self.push(InstData::AtomicRmw { op, space, scope, order, address, value }, ty)
    }

    /// Puts `desired` where `expected` is, and gives what was there; of `i32` or `i64`.
    pub fn atomic_compare_exchange(
        &mut self,
        space: Space,
        (scope, order): (MemoryScope, MemoryOrder),
        address: Value,
        [expected, desired]: [Value; 2],
    ) -> Value {
        let ty = self.ty(expected);
        self.push(InstData::AtomicCas { space, scope, order, address, expected, desired }, ty)
    }

    /// Reads what others may be writing: `Relaxed` or `Acquire`.
    pub fn atomic_load(
        &mut self,
        ty: Type,
        space: Space,
        (scope, order): (MemoryScope, MemoryOrder),
        address: Value,
    ) -> Value {
        self.push(InstData::AtomicLoad { space, scope, order, address }, ty)
    }

    /// Writes what others may be reading: `Relaxed` or `Release`.
    pub fn atomic_store(
        &mut self,
        space: Space,
        (scope, order): (MemoryScope, MemoryOrder),
        address: Value,
        value: Value,
    ) {
        self.push_effect(InstData::AtomicStore { space, scope, order, address, value });
    }

    /// Goes on at `block`.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.push_effect(InstData::Jump { target: BlockCall { block, args: args.to_vec() } });
    }

    /// Goes on at one of two blocks, without arguments.
    pub fn branch(&mut self, cond: Value, if_true: Block, if_false: Block) {
        self.hinted_branch(cond, if_true, if_false, None);
    }

    /// Branches to one of two blocks, without arguments, with the source's hint for the branch.
    pub fn hinted_branch(&mut self, cond: Value, if_true: Block, if_false: Block, hint: Option<BranchHint>) {
        self.push_effect(InstData::Branch {
            cond,
            if_true: BlockCall { block: if_true, args: Vec::new() },
            if_false: BlockCall { block: if_false, args: Vec::new() },
            hint,
        });
    }

    /// A new panic site, at the current location.
    pub fn panic_site(&mut self, kind: PanicKind) -> PanicSite {
        self.new_panic(kind, None, None)
    }

    /// A new panic site of an index or a range in what has this name, at the current location.
    pub fn panic_in(&mut self, kind: PanicKind, indexed: Option<String>) -> PanicSite {
        self.new_panic(kind, indexed, None)
    }

    /// A new panic site with this text, at the current location.
    pub fn panic_message(&mut self, text: impl Into<String>) -> PanicSite {
        self.new_panic(PanicKind::Message, Some(text.into()), None)
    }

    /// A new panic site with a text made of values, about what has this name if it is given, at the current location.
    pub fn panic_formatted(&mut self, format: Format, about: Option<String>) -> PanicSite {
        self.new_panic(PanicKind::Formatted, about, Some(format))
    }

    fn new_panic(&mut self, kind: PanicKind, message: Option<String>, format: Option<Format>) -> PanicSite {
        let location = self.location;
        let calls = self.calls.iter().rev().map(|&call| self.func.calls[call]).collect();
        self.func.panics.push(PanicSiteData { kind, message, format, location, calls })
    }

    /// Begins the body of a function that is called at the current location.
    pub fn begin_call(&mut self) {
        let call = self.func.calls.push(self.location);
        self.calls.push(call);
        self.location.caller = Some(call);
    }

    /// The body of the function is complete.
    pub fn end_call(&mut self) {
        self.calls.pop();
        self.location.caller = self.calls.last().copied();
    }

    /// Hands values to the host, which makes a text of them and prints it.
    pub fn print(&mut self, format: Format, args: &[Value]) {
        let site: PrintSite = self.func.prints.push(PrintSiteData { format, location: self.location });
        self.push_effect(InstData::Print { site, args: args.to_vec() });
    }

    /// Ends the thread with a panic.
    pub fn panic(&mut self, site: PanicSite, args: &[Value]) {
        self.push_effect(InstData::Panic { site, args: args.to_vec() });
    }

    /// Ends the thread.
    pub fn ret(&mut self) {
        self.push_effect(InstData::Return);
    }

    /// The finished function. Blocks that were never sealed are sealed now.
    pub fn finish(mut self) -> Function {
        let unsealed: Vec<Block> =
            self.func.blocks.keys().filter(|b| !self.states[b.index()].sealed).collect();
        for block in unsealed {
            self.seal(block);
        }
        let replaced = std::mem::take(&mut self.replaced);
        let resolve = |mut value: Value| {
            while let Some(&next) = replaced.get(&value) {
                value = next;
            }
            value
        };
        for inst in self.func.insts.keys() {
            self.func.insts[inst].map_args(resolve);
        }
        self.func
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that only reach each other, one of which reads a variable.
    #[test]
    fn circles_that_nothing_enters() {
        let mut b = FunctionBuilder::new("k");
        let [entry, first, second] = [0; 3].map(|_| b.create_block());
        let variable = b.declare(Type::I32);
        b.switch_to(entry);
        b.ret();
        b.switch_to(first);
        let value = b.read(variable);
        b.store(Space::Shared, value, 0, value);
        b.jump(second, &[]);
        b.switch_to(second);
        b.jump(first, &[]);
        let func = b.finish();
        crate::verify::verify_function(&func).unwrap_or_else(|errors| panic!("{errors}\n{func}"));
    }

    /// A read far from the definition does not take a stack as deep as there are blocks between.
    #[test]
    fn long_chains_of_blocks() {
        let mut b = FunctionBuilder::new("k");
        let entry = b.create_block();
        b.switch_to(entry);
        let variable = b.declare(Type::I32);
        let zero = b.constant(Type::I32, 0);
        b.define(variable, zero);
        for _ in 0..100_000 {
            let next = b.create_block();
            b.jump(next, &[]);
            b.seal(next);
            b.switch_to(next);
        }
        assert_eq!(b.read(variable), zero);
    }
}
