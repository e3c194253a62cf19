//! Lowering: walks a function backwards and turns each instruction that is needed into PTX.
//!
//! Blocks are visited in post-order and instructions last to first, so every use of a value is seen before its
//! definition. A use that takes its operand apart (an address that folds an addition, a `setp` that folds a negation)
//! simply does not ask for the operand's register; values without a request are not computed. The idea is Cranelift's.
//!
//! Integers of 8 and 16 bits live in 32-bit registers whose upper bits are not specified. A use that observes the upper
//! bits asks for the value [extended](Lowering::extended), and the definition then also makes that.

use std::collections::{HashMap, HashSet};

use super::atomic::is_reduction;
use super::extend::Extended;
use super::flow::Flow;
use super::flush::flush_subnormals;
use super::half::half_scalar;
use super::machine::{
    Base, BlockData, Body, Class, Edge, Inst, Operand, Predicate, Terminator, VReg, Vector, int, words::*,
};
use super::wide::{Groups, Role};
use crate::ir::entity::Entity;
use crate::ir::{
    Block, BlockCall, ConstVar, ConvertOp, EntityMap, Function, InstData, LocalVar, LoopHint, Param,
    SharedVar, SourceLoc, Space, SpecialRegister, Type, Value,
};
use ptx::target::Arch;
use ptx::tree::{Immediate, Modifier, Name, Opcode, ScalarType, StateSpace};

/// Filling of the bits above a narrow integer; also the signedness of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extension {
    /// With zeros: unsigned.
    Zero,
    /// With the sign.
    Sign,
}

/// Names of the parameters and variables in PTX.
pub struct Names {
    /// By parameter.
    pub params: EntityMap<Param, Name>,
    /// By variable.
    pub shared: EntityMap<SharedVar, Name>,
    /// By variable.
    pub locals: EntityMap<LocalVar, Name>,
    /// By variable.
    pub consts: EntityMap<ConstVar, Name>,
    /// The function that [panics](super::outline) are moved to.
    pub panics: Name,
}

/// The lowering of one function.
pub struct Lowering<'f> {
    pub(super) func: &'f Function,
    pub(super) flow: &'f Flow,
    pub(super) names: &'f Names,
    pub(super) target: Arch,
    regs: EntityMap<VReg, Class>,
    pub(super) values: EntityMap<Value, Option<VReg>>,
    params: EntityMap<Param, Option<VReg>>,
    shared: EntityMap<SharedVar, Option<VReg>>,
    pub(super) extended: HashMap<Value, Vec<Extended>>,
    /// The code of the instruction at hand, in order.
    buffer: Vec<Inst>,
    /// The code of the block at hand, last instruction first.
    reversed: Vec<Inst>,
    /// Registers for the further outputs of inline PTX that have users, by its first output and the number.
    pub(super) inline_outs: HashMap<(Value, u32), VReg>,
    /// The wide accesses.
    groups: Groups,
    /// The block at hand.
    pub(super) block: Block,
    location: SourceLoc,
    /// True if the instructions emitted flush subnormal numbers where they are arithmetic of `f32`.
    flushes: bool,
    /// Other blocks of the cluster access shared memory.
    pub(super) maps_shared: bool,
    /// The low words that are computed with their [high words](super::carry).
    with_high: HashSet<Value>,
}

/// Lowers a verified function.
pub fn lower(func: &Function, flow: &Flow, names: &Names, target: Arch) -> Body {
    let mut lowering = Lowering {
        func,
        flow,
        names,
        target,
        regs: EntityMap::new(),
        values: EntityMap::filled(func.values.len(), None),
        params: EntityMap::filled(func.params.len(), None),
        shared: EntityMap::filled(func.shared.len(), None),
        extended: HashMap::new(),
        buffer: Vec::new(),
        reversed: Vec::new(),
        inline_outs: HashMap::new(),
        groups: Groups::default(),
        block: func.entry(),
        location: SourceLoc::default(),
        flushes: func.flush_subnormals,
        maps_shared: func.maps_shared(),
        with_high: HashSet::new(),
    };
    lowering.groups = lowering.find_groups();
    let mut lowered: Vec<Option<BlockData>> = func.blocks.keys().map(|_| None).collect();
    for &block in &flow.postorder {
        lowered[block.index()] = Some(lowering.block(block));
    }
    lowering.finish(lowered)
}

impl<'f> Lowering<'f> {
    fn finish(self, lowered: Vec<Option<BlockData>>) -> Body {
        let is_lowered: Vec<bool> = lowered.iter().map(Option::is_some).collect();
        let mut blocks = EntityMap::new();
        for data in lowered {
            blocks.push(data.unwrap_or_else(BlockData::unreachable));
        }
        let layout = self.func.layout.iter().copied().filter(|block| is_lowered[block.index()]).collect();
        Body { regs: self.regs, blocks, layout }
    }

    fn block(&mut self, block: Block) -> BlockData {
        let func = self.func;
        let (&last, rest) = func.blocks[block].insts.split_last().expect("a verified block has a terminator");
        self.block = block;
        self.location = func.locations[last];
        let terminator = self.terminator(&func.insts[last]);
        self.flush();
        for &inst in rest.iter().rev() {
            self.location = func.locations[inst];
            match self.groups.role(inst) {
                None => self.inst(&func.insts[inst], func.results[inst]),
                Some(role) => self.grouped(role, func.results[inst]),
            }
        }
        self.location = SourceLoc::default();
        let params = self.block_params(block);
        if block == func.entry() {
            self.set_at_start();
        }
        let mut insts = std::mem::take(&mut self.reversed);
        insts.reverse();
        let nounroll = func.blocks[block].hint == Some(LoopHint::Never);
        let (location, cold) = (func.locations[last], self.flow.cold[block]);
        BlockData { params, insts, terminator, location, cold, nounroll }
    }

    /// Moves the code of the instruction at hand to the block.
    fn flush(&mut self) {
        self.reversed.extend(self.buffer.drain(..).rev());
    }

    fn block_params(&mut self, block: Block) -> Vec<VReg> {
        let mut params = Vec::new();
        for &param in &self.func.blocks[block].params {
            if self.takes_copies(param) {
                self.emit_extensions(param);
                params.push(self.own_reg(param));
            }
        }
        self.flush();
        params
    }

    /// Returns true if edges copy a value to this parameter: it is used, and not just another name for the only argument.
    fn takes_copies(&self, param: Value) -> bool {
        self.flow.resolve(param) == param && self.flow.uses[param] != 0
    }

    /// A part of a wide access.
    fn grouped(&mut self, role: Role, result: Option<Value>) {
        if let Some(result) = result {
            self.emit_extensions(result);
        }
        let extensions = std::mem::take(&mut self.buffer);
        if let Role::Whole(group) = role {
            let groups = std::mem::take(&mut self.groups);
            match result {
                Some(_) => self.load_group(&groups, group),
                None => self.store_group(&groups, group),
            }
            self.groups = groups;
        }
        self.buffer.extend(extensions);
        self.flush();
    }

    fn inst(&mut self, data: &InstData, result: Option<Value>) {
        let Some(result) = result else {
            self.effect(data);
            return self.flush();
        };
        if let InstData::Load { .. } = data
            && let Some(dst) = self.take_sign_extension(result)
        {
            self.load(data, scalar(self.func.ty(result), Extension::Sign), dst);
            return self.flush();
        }
        // The extended forms come after the value itself, and ask for it.
        self.emit_extensions(result);
        let extensions = std::mem::take(&mut self.buffer);
        if self.with_high.contains(&result) {
            // It is there with the high word.
        } else if let Some(dst) = self.values[result] {
            self.compute(data, result, dst);
        } else if is_reduction(data) {
            self.reduction(data);
        } else if !data.is_pure() && !matches!(data, InstData::Load { .. }) {
            let dst = self.own_reg(result);
            self.compute(data, result, dst);
        }
        self.buffer.extend(extensions);
        self.flush();
    }

    /// An instruction without a result.
    fn effect(&mut self, data: &InstData) {
        match data {
            InstData::Store { space, address, offset, value, cache, .. } => {
                self.store((*space, *cache), *address, *offset, *value)
            }
            InstData::Barrier => self.emit_effect(Opcode::Bar, &[SYNC], vec![int(0)]),
            InstData::NamedBarrier { id, threads, waits } => self.named_barrier(*id, *threads, *waits),
            InstData::ClusterBarrier { aligned } => {
                for steps in [[ARRIVE, RELEASE], [WAIT, ACQUIRE]] {
                    let aligned = aligned.then_some(ALIGNED);
                    let modifiers: Vec<_> = [CLUSTER].into_iter().chain(steps).chain(aligned).collect();
                    self.emit_effect(Opcode::Barrier, &modifiers, Vec::new());
                }
            }
            InstData::AtomicStore { space, scope, order, address, value } => {
                let operands = vec![self.address(*address, 0), self.reg(*value).into()];
                let mut modifiers = self.ordered(*space, *scope, *order);
                modifiers.push(memory_scalar(self.func.ty(*value)).into());
                self.emit_effect(Opcode::St, &modifiers, operands);
            }
            InstData::WarpBarrier { members } => self.warp_barrier(*members),
            InstData::InlineEffect { asm, args } => self.inline(*asm, args, None),
            InstData::Fence { scope, order } => self.fence(*scope, *order),
            InstData::Guarded { cond, holds, access } => {
                self.guarded(*cond, *holds, |this| this.effect(access));
            }
            other => unreachable!("verified: {other:?} has a result or ends a block"),
        }
    }

    /// Computes the result of an instruction into `dst`.
    fn compute(&mut self, data: &InstData, result: Value, dst: VReg) {
        match data {
            InstData::Unary { op, arg } => self.unary(*op, *arg, dst),
            InstData::Binary { op, args, .. } if self.with_carry(*op, *args, result, dst) => {}
            InstData::Binary { op, args, .. } => self.binary(*op, *args, dst),
            InstData::Fma { args } => self.fma(*args, dst),
            InstData::Select { cond, if_true, if_false } => self.select(*cond, *if_true, *if_false, dst),
            InstData::IntCompare { .. } | InstData::FloatCompare { .. } => {
                self.compare(data, false, None, dst)
            }
            InstData::Convert { op, arg } => self.convert(*op, *arg, self.func.ty(result), dst),
            InstData::Special { register } => {
                let word = if register.ty() == Type::I64 { U64 } else { U32 };
                self.emit(dst, Opcode::Mov, &[word], vec![Operand::Name(special_name(*register))]);
            }
            InstData::Load { .. } if self.func.ty(result) == Type::Bool => {
                let byte = self.temp(Class::B32);
                self.load(data, ScalarType::U8, byte);
                self.int_to_bool(byte, dst);
            }
            InstData::Load { .. } => self.load(data, memory_scalar(self.func.ty(result)), dst),
            InstData::AtomicRmw { op, space, scope, order, address, value } => {
                self.atomic(*op, *space, (*scope, *order), *address, *value, Some(dst));
            }
            InstData::AtomicLoad { space, scope, order, address } => {
                let address = self.address(*address, 0);
                let mut modifiers = self.ordered(*space, *scope, *order);
                modifiers.push(memory_scalar(self.func.ty(result)).into());
                self.emit(dst, Opcode::Ld, &modifiers, vec![address]);
            }
            InstData::AtomicCas { space, scope, order, address, expected, desired } => {
                self.atomic_cas(*space, (*scope, *order), *address, [*expected, *desired], dst);
            }
            InstData::Shuffle { mode, value, lane, clamp, members } => {
                self.shuffle(*mode, *value, [*lane, *clamp, *members], dst);
            }
            InstData::Vote { mode, pred, members } => self.vote(*mode, *pred, *members, dst),
            InstData::Match { mode, value, members } => self.match_lanes(*mode, *value, *members, dst),
            InstData::Redux { op, value, members } => self.redux(*op, *value, *members, dst),
            InstData::ActiveMask => self.emit(dst, Opcode::Activemask, &[B32], Vec::new()),
            InstData::BarrierReduce { op, pred } => self.barrier_reduce(*op, *pred, dst),
            InstData::Pack { args } => self.pack_values(*args, dst),
            InstData::Extract { arg, lane } => self.extract(*arg, *lane, dst),
            InstData::Param { param } => self.load_param(*param, dst),
            InstData::Inline { asm, args, .. } => self.inline(*asm, args, Some((result, dst))),
            InstData::InlineOut { of, index } => {
                // Written where the first value is.
                self.inline_outs.insert((*of, *index), dst);
                self.own_reg(*of);
            }
            InstData::Guarded { cond, holds, access } => {
                self.guarded(*cond, *holds, |this| this.compute(access, result, dst));
            }
            // Their users take the literal or the variable itself.
            InstData::Const { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. } => {}
            InstData::ToGeneric { space, address } => self.emit_to_generic(*space, *address, dst),
            InstData::MapShared { address, rank } => {
                let operands = vec![self.reg(*address).into(), self.reg(*rank).into()];
                self.emit(dst, Opcode::Mapa, &[StateSpace::SharedCluster.into(), U32], operands);
            }
            InstData::Store { .. }
            | InstData::AtomicStore { .. }
            | InstData::WarpBarrier { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::NamedBarrier { .. }
            | InstData::InlineEffect { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Return
            | InstData::Panic { .. } => unreachable!("verified: {data:?} has no result"),
        }
    }

    /// Emits an atomic operation whose old value is unused.
    fn reduction(&mut self, data: &InstData) {
        match data {
            InstData::AtomicRmw { op, space, scope, order, address, value } => {
                self.atomic(*op, *space, (*scope, *order), *address, *value, None);
            }
            InstData::Guarded { cond, holds, access } => {
                self.guarded(*cond, *holds, |this| this.reduction(access));
            }
            other => unreachable!("{other:?} is no reduction"),
        }
    }

    /// Puts the accesses that `emit` makes under a condition.
    fn guarded(&mut self, cond: Value, holds: bool, emit: impl FnOnce(&mut Self)) {
        let Predicate { reg, negated } = self.predicate(cond);
        let guard = Predicate { reg, negated: negated == holds };
        let first = self.buffer.len();
        emit(self);
        for inst in &mut self.buffer[first..] {
            if matches!(inst.opcode, Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red) {
                inst.guard = Some(guard);
            }
        }
    }

    fn terminator(&mut self, data: &InstData) -> Terminator {
        match data {
            InstData::Jump { target } => Terminator::Jump(self.edge(target)),
            InstData::Branch { cond, if_true, if_false, .. } => match self.constant(*cond) {
                Some(bits) => Terminator::Jump(self.edge(if bits != 0 { if_true } else { if_false })),
                None => Terminator::Branch {
                    cond: self.predicate(*cond),
                    if_true: self.edge(if_true),
                    if_false: self.edge(if_false),
                },
            },
            InstData::Return => Terminator::Return,
            // Passes turn panics into a record and an end of the thread; one left over stops the grid.
            InstData::Panic { .. } => Terminator::Trap,
            other => unreachable!("verified: {other:?} ends no block"),
        }
    }

    fn edge(&mut self, call: &BlockCall) -> Edge {
        let mut copies = Vec::new();
        for (&param, &arg) in self.func.blocks[call.block].params.iter().zip(&call.args) {
            if self.takes_copies(param) {
                let source = self.copy_source(arg);
                copies.push((self.own_reg(param), source));
            }
        }
        Edge { target: call.block, copies }
    }

    /// The operand of a `mov`: a literal, the address of a variable, or a register.
    fn copy_source(&mut self, value: Value) -> Operand {
        let value = self.root(value);
        match self.func.def(value) {
            Some(InstData::Const { bits }) => immediate(self.func.ty(value), *bits, Extension::Sign),
            Some(InstData::SharedAddress { var }) => Operand::Name(self.names.shared[*var].clone()),
            Some(InstData::LocalAddress { var }) => Operand::Name(self.names.locals[*var].clone()),
            Some(InstData::ConstAddress { var }) => Operand::Name(self.names.consts[*var].clone()),
            _ => Operand::Reg(self.reg(value)),
        }
    }

    // Registers.

    /// A new register.
    pub(super) fn temp(&mut self, class: Class) -> VReg {
        self.regs.push(class)
    }

    /// Class of a register.
    pub(super) fn class(&self, reg: VReg) -> Class {
        self.regs[reg]
    }

    /// The register of this very value.
    fn own_reg(&mut self, value: Value) -> VReg {
        if let Some(reg) = self.values[value] {
            return reg;
        }
        let reg = self.temp(Class::of(self.func.ty(value)));
        self.values[value] = Some(reg);
        reg
    }

    /// The register of a low word that is computed here, with the high word.
    pub(super) fn compute_with_high(&mut self, low: Value) -> VReg {
        let low = self.root(low);
        self.with_high.insert(low);
        self.own_reg(low)
    }

    /// Returns true if a low word is computed with its high word.
    pub(super) fn is_computed_with_high(&self, low: Value) -> bool {
        self.with_high.contains(&low)
    }

    /// The value whose register this value shares, found through conversions that keep the register's contents.
    pub(super) fn root(&self, value: Value) -> Value {
        let mut value = self.flow.resolve(value);
        while let Some(InstData::Convert { op, arg }) = self.func.def(value) {
            let (from, to) = (self.func.ty(*arg), self.func.ty(value));
            // The upper bits of a narrow integer are not specified.
            let same = *op == ConvertOp::Truncate && Class::of(from) == Class::of(to);
            if !same {
                break;
            }
            value = self.flow.resolve(*arg);
        }
        value
    }

    /// The instruction that makes a value, if it is no block parameter.
    pub(super) fn def(&self, value: Value) -> Option<&'f InstData> {
        self.func.def(self.flow.resolve(value))
    }

    /// The bits of a value that is a constant.
    pub(super) fn constant(&self, value: Value) -> Option<u64> {
        self.func.constant(self.flow.resolve(value))
    }

    /// Returns true if a value is computed in this block, not before a loop, say, and has a single use.
    pub(super) fn serves_one(&self, value: Value) -> bool {
        self.flow.serves_one(value, self.block)
    }

    /// The register that holds a value; the upper bits of a narrow integer are not specified.
    pub(super) fn reg(&mut self, value: Value) -> VReg {
        let value = self.root(value);
        let ty = self.func.ty(value);
        match self.func.def(value) {
            Some(InstData::Const { bits }) => self.literal(ty, *bits),
            Some(InstData::Param { param }) if !self.loads_late(*param) => self.param_reg(*param),
            Some(InstData::SharedAddress { var }) => self.shared_reg(*var),
            Some(InstData::LocalAddress { var }) => {
                let name = Operand::Name(self.names.locals[*var].clone());
                self.emit_temp(Class::B64, Opcode::Mov, &[U64], vec![name])
            }
            Some(InstData::ConstAddress { var }) => {
                let name = Operand::Name(self.names.consts[*var].clone());
                self.emit_temp(Class::B64, Opcode::Mov, &[U64], vec![name])
            }
            Some(InstData::Convert { op: ConvertOp::ZeroExtend, arg })
                if is_narrow_cast(self.func.ty(*arg), ty) =>
            {
                self.extended_reg(*arg, Extension::Zero)
            }
            Some(InstData::Convert { op: ConvertOp::SignExtend | ConvertOp::IndexExtend, arg })
                if is_narrow_cast(self.func.ty(*arg), ty) =>
            {
                self.extended_reg(*arg, Extension::Sign)
            }
            // Panics report indices as 64 bits: extended in the cold block, and not on the hot path.
            Some(InstData::Convert { op: op @ (ConvertOp::ZeroExtend | ConvertOp::SignExtend), arg })
                if self.flow.cold[self.block] && self.flow.is_hot(value) =>
            {
                let reg = self.temp(Class::of(ty));
                self.convert(*op, *arg, ty, reg);
                reg
            }
            _ => self.own_reg(value),
        }
    }

    pub(super) fn literal(&mut self, ty: Type, bits: u64) -> VReg {
        let class = Class::of(ty);
        let reg = self.temp(class);
        let source = immediate(ty, bits, Extension::Sign);
        self.emit(reg, Opcode::Mov, &[class.scalar().into()], vec![source]);
        reg
    }

    /// A value as a literal if it is one that PTX takes, else its register. The upper bits of a narrow integer are not specified.
    pub(super) fn operand(&mut self, value: Value, literals: Extension) -> Operand {
        match self.constant(value) {
            Some(bits) if !matches!(Class::of(self.func.ty(value)), Class::Pred | Class::B16) => {
                immediate(self.func.ty(value), bits, literals)
            }
            _ => Operand::Reg(self.reg(value)),
        }
    }

    // Kernel parameters.

    fn param_reg(&mut self, param: Param) -> VReg {
        if let Some(reg) = self.params[param] {
            return reg;
        }
        let reg = self.temp(Class::of(self.func.params[param].ty));
        self.params[param] = Some(reg);
        reg
    }

    /// The register with the address of a shared variable. It is set at the start: ptxas 13.0 computes the address from the block's place
    /// in its cluster wherever it is taken, also in a loop.
    fn shared_reg(&mut self, var: SharedVar) -> VReg {
        if let Some(reg) = self.shared[var] {
            return reg;
        }
        let reg = self.temp(Class::B32);
        self.shared[var] = Some(reg);
        reg
    }

    /// Returns true if a parameter is loaded where it is read, and not at the start: few threads reach its use.
    fn loads_late(&self, param: Param) -> bool {
        [self.func.panic_param(), self.func.print_param()].contains(&Some(param))
    }

    /// At the start of the entry: loads the parameters that are used, and takes the addresses of shared variables.
    fn set_at_start(&mut self) {
        for param in self.func.params.keys() {
            if let Some(reg) = self.params[param] {
                self.load_param(param, reg);
            }
        }
        for var in self.func.shared.keys() {
            if let Some(reg) = self.shared[var] {
                let name = Operand::Name(self.names.shared[var].clone());
                self.emit(reg, Opcode::Mov, &[U32], vec![name]);
            }
        }
        self.flush();
    }

    fn load_param(&mut self, param: Param, dst: VReg) {
        let data = &self.func.params[param];
        let address = Operand::Address { base: Base::Name(self.names.params[param].clone()), offset: 0 };
        if data.map_of.is_some() {
            let name = Operand::Name(self.names.params[param].clone());
            let local = self.emit_temp(Class::B64, Opcode::Mov, &[U64], vec![name]);
            self.emit(dst, Opcode::Cvta, &[PARAM, U64], vec![local.into()]);
            return;
        }
        let load = [PARAM, memory_scalar(data.ty).into()];
        if data.ty == Type::Bool {
            let byte = self.emit_temp(Class::B32, Opcode::Ld, &load, vec![address]);
            self.int_to_bool(byte, dst);
        } else if data.pointer_align.is_some() {
            let generic = self.emit_temp(Class::B64, Opcode::Ld, &load, vec![address]);
            self.emit(dst, Opcode::Cvta, &[TO, GLOBAL, U64], vec![generic.into()]);
        } else {
            self.emit(dst, Opcode::Ld, &load, vec![address]);
        }
    }

    // Emission.

    /// Emits instructions that keep subnormal numbers: `f32` stands in for another type, whose arithmetic keeps them.
    pub(super) fn keeping_subnormals(&mut self, emit: impl FnOnce(&mut Self)) {
        let flushes = std::mem::replace(&mut self.flushes, false);
        emit(self);
        self.flushes = flushes;
    }

    /// Adds an instruction with a result.
    pub(super) fn emit(&mut self, dst: VReg, opcode: Opcode, modifiers: &[Modifier], operands: Vec<Operand>) {
        let mut modifiers = modifiers.to_vec();
        if self.flushes {
            flush_subnormals(opcode, &mut modifiers);
        }
        let (dst, more, location) = (Some(dst), Vec::new(), self.location);
        self.buffer.push(Inst {
            opcode,
            modifiers,
            dst,
            more,
            vector: None,
            operands,
            inline: None,
            guard: None,
            location,
        });
    }

    /// Adds an instruction with a vector as result.
    pub(super) fn emit_vector_dst(
        &mut self,
        dst: &[VReg],
        opcode: Opcode,
        modifiers: &[Modifier],
        operands: Vec<Operand>,
    ) {
        let (modifiers, vector, location) = (modifiers.to_vec(), Some(Vector::Destinations), self.location);
        let more = dst.iter().skip(1).copied().collect();
        let dst = dst.first().copied();
        self.buffer.push(Inst {
            opcode,
            modifiers,
            dst,
            more,
            vector,
            operands,
            inline: None,
            guard: None,
            location,
        });
    }

    /// Adds an instruction that reads a vector, after an address perhaps.
    pub(super) fn emit_vector_source(
        &mut self,
        dst: Option<VReg>,
        opcode: Opcode,
        modifiers: &[Modifier],
        operands: Vec<Operand>,
    ) {
        let (modifiers, vector, location) = (modifiers.to_vec(), Some(Vector::Sources), self.location);
        self.buffer.push(Inst {
            opcode,
            modifiers,
            dst,
            more: Vec::new(),
            vector,
            operands,
            inline: None,
            guard: None,
            location,
        });
    }

    /// Adds an instruction without a result.
    pub(super) fn emit_effect(&mut self, opcode: Opcode, modifiers: &[Modifier], operands: Vec<Operand>) {
        let modifiers = modifiers.to_vec();
        let (dst, more, location) = (None, Vec::new(), self.location);
        self.buffer.push(Inst {
            opcode,
            modifiers,
            dst,
            more,
            vector: None,
            operands,
            inline: None,
            guard: None,
            location,
        });
    }

    /// Adds an instruction as it is.
    pub(super) fn emit_inst(&mut self, inst: Inst) {
        self.buffer.push(Inst { location: self.location, ..inst });
    }

    /// Adds an instruction with a result in a new register.
    pub(super) fn emit_temp(
        &mut self,
        class: Class,
        opcode: Opcode,
        modifiers: &[Modifier],
        operands: Vec<Operand>,
    ) -> VReg {
        let reg = self.temp(class);
        self.emit(reg, opcode, modifiers, operands);
        reg
    }
}

/// Returns true if an integer conversion stays within 32-bit registers.
fn is_narrow_cast(from: Type, to: Type) -> bool {
    from != Type::Bool && Class::of(from) == Class::B32 && Class::of(to) == Class::B32
}

/// The literal with these bits, of this type; integers shorter than 64 bits are extended as asked.
pub(super) fn immediate(ty: Type, bits: u64, extension: Extension) -> Operand {
    Operand::Immediate(match ty {
        Type::F32 => Immediate::F32(bits as u32),
        Type::F64 => Immediate::F64(bits),
        // PTX has no literals for them: their bits.
        Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => Immediate::Int(bits as i64),
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => match (ty, extension) {
            (Type::I64, Extension::Zero) if bits > i64::MAX as u64 => Immediate::Unsigned(bits),
            (Type::Bool, _) => Immediate::Int((bits & 1) as i64),
            _ => Immediate::Int(extend(ty, bits, extension)),
        },
    })
}

/// The bits of an integer extended to 64.
pub(super) fn extend(ty: Type, bits: u64, extension: Extension) -> i64 {
    let unused = 64 - ty.bits();
    match extension {
        Extension::Zero => (bits & ty.mask()) as i64,
        Extension::Sign => ((bits << unused) as i64) >> unused,
    }
}

/// The PTX type of an integer of this signedness, or of a float.
pub(super) fn scalar(ty: Type, extension: Extension) -> ScalarType {
    match (ty, extension) {
        (Type::Bool, _) => ScalarType::Pred,
        (Type::I8, Extension::Zero) => ScalarType::U8,
        (Type::I8, Extension::Sign) => ScalarType::S8,
        (Type::I16, Extension::Zero) => ScalarType::U16,
        (Type::I16, Extension::Sign) => ScalarType::S16,
        (Type::I32, Extension::Zero) => ScalarType::U32,
        (Type::I32, Extension::Sign) => ScalarType::S32,
        (Type::I64, Extension::Zero) => ScalarType::U64,
        (Type::I64, Extension::Sign) => ScalarType::S64,
        (Type::F32, _) => ScalarType::F32,
        (Type::F64, _) => ScalarType::F64,
        (Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2, _) => half_scalar(ty),
    }
}

/// The type of an access to memory; a `bool` is one byte.
pub(super) fn memory_scalar(ty: Type) -> ScalarType {
    match ty {
        Type::Bool => ScalarType::U8,
        Type::F16 | Type::BF16 => ScalarType::B16,
        Type::F16x2 | Type::BF16x2 => ScalarType::B32,
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64 => scalar(ty, Extension::Zero),
    }
}

/// The name of a special register.
fn special_name(register: SpecialRegister) -> Name {
    Name::new(format!("%{}", register.as_str()))
}

/// The state space of an access; generic accesses name none.
pub(super) fn state_space(space: Space) -> Option<StateSpace> {
    match space {
        Space::Global => Some(StateSpace::Global),
        Space::Shared => Some(StateSpace::Shared),
        Space::Cluster => Some(StateSpace::SharedCluster),
        Space::Local => Some(StateSpace::Local),
        Space::Const => Some(StateSpace::Const),
        Space::Generic => None,
    }
}
