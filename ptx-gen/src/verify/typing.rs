//! Do operands and results have the types that the operations take?

use super::Report;
use crate::ir::{
    AtomicOp, BinaryOp, Block, BlockCall, ConvertOp, Function, InlineAsm, Inst, InstData, IntCond,
    MemoryOrder, Space, Type, UnaryOp, Value,
};

/// The numbers of barriers that a kernel names itself; 0 is that of all threads of the block (PTX ISA, `barrier`).
const NAMED_BARRIERS: std::ops::RangeInclusive<u32> = 1..=15;

/// Classes of operand types.
#[derive(Clone, Copy)]
enum Class {
    Int,
    IntOrBool,
    Float,
    /// A float or a pair of them.
    Floats,
    F32,
}

impl Class {
    fn holds(self, ty: Type) -> bool {
        match self {
            Class::Int => ty.is_int(),
            Class::IntOrBool => ty.is_int() || ty == Type::Bool,
            Class::Float => ty.is_float(),
            Class::Floats => ty.is_float() || ty.lane().is_some(),
            Class::F32 => ty == Type::F32,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Class::Int => "an integer",
            Class::IntOrBool => "an integer or `bool`",
            Class::Float => "a float",
            Class::Floats => "a float or a pair of them",
            Class::F32 => "`f32`",
        }
    }
}

fn unary_class(op: UnaryOp) -> Class {
    match op {
        UnaryOp::Not => Class::IntOrBool,
        UnaryOp::Neg
        | UnaryOp::LeadingZeros
        | UnaryOp::TrailingZeros
        | UnaryOp::PopCount
        | UnaryOp::ReverseBits => Class::Int,
        UnaryOp::FNeg
        | UnaryOp::FAbs
        | UnaryOp::Sqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundEven => Class::Floats,
        UnaryOp::SinApprox
        | UnaryOp::CosApprox
        | UnaryOp::Exp2Approx
        | UnaryOp::Exp2Flushed
        | UnaryOp::Log2Approx
        | UnaryOp::RcpApprox
        | UnaryOp::RcpFlushed
        | UnaryOp::Saturate
        | UnaryOp::RsqrtApprox
        | UnaryOp::SqrtApprox
        | UnaryOp::TanhApprox => Class::F32,
    }
}

fn binary_class(op: BinaryOp) -> Class {
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Class::IntOrBool,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::UMulHigh
        | BinaryOp::SMulHigh
        | BinaryOp::UDiv
        | BinaryOp::SDiv
        | BinaryOp::URem
        | BinaryOp::SRem
        | BinaryOp::UMin
        | BinaryOp::SMin
        | BinaryOp::UMax
        | BinaryOp::SMax
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr => Class::Int,
        BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FMin
        | BinaryOp::FMax
        | BinaryOp::CopySign => Class::Floats,
        BinaryOp::FDivApprox => Class::F32,
    }
}

/// The orders of atomic operations.
const ORDERS: &[MemoryOrder] =
    &[MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::AcqRel];

/// Operand types of an atomic operation, in words, and true if this type is among them (PTX ISA, `atom`).
fn atomic(op: AtomicOp, ty: Type) -> (&'static str, bool) {
    let word = matches!(ty, Type::I32 | Type::I64);
    match op {
        AtomicOp::Add
        | AtomicOp::UMin
        | AtomicOp::SMin
        | AtomicOp::UMax
        | AtomicOp::SMax
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => ("`i32` or `i64`", word),
        AtomicOp::Exchange => {
            ("a number of 32 or 64 bits", word || matches!(ty, Type::F32 | Type::F64) || ty.lane().is_some())
        }
        AtomicOp::FAdd => ("a float or a pair of them", ty.is_float() || ty.lane().is_some()),
    }
}

/// From what to what a conversion goes, and whether these types do.
fn conversion(op: ConvertOp, from: Type, to: Type) -> (&'static str, bool) {
    let wider = to.is_int() && to.bits() > from.bits();
    match op {
        ConvertOp::ZeroExtend => {
            ("an integer or `bool` to a wider integer", wider && (from.is_int() || from == Type::Bool))
        }
        ConvertOp::SignExtend | ConvertOp::IndexExtend => {
            ("an integer to a wider one", wider && from.is_int())
        }
        ConvertOp::Truncate => {
            ("an integer to a narrower one", from.is_int() && to.is_int() && to.bits() < from.bits())
        }
        ConvertOp::UIntToFloat | ConvertOp::SIntToFloat => {
            ("an integer to a float", from.is_int() && to.is_float())
        }
        ConvertOp::FloatToUInt | ConvertOp::FloatToSInt => {
            ("a float to an integer", from.is_float() && to.is_int())
        }
        ConvertOp::FloatToFloat => {
            ("a float to another float", from.is_float() && to.is_float() && from != to)
        }
        ConvertOp::Bitcast => (
            "an integer or float to another type of the same width",
            from.bits() == to.bits() && from != to && from != Type::Bool && to != Type::Bool,
        ),
    }
}

/// Checks every instruction of the layout.
pub(super) fn check(func: &Function, report: &mut Report<'_>) {
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            Checker { func, report, block, inst }.check();
        }
    }
}

struct Checker<'a, 'r> {
    func: &'a Function,
    report: &'a mut Report<'r>,
    block: Block,
    inst: Inst,
}

impl Checker<'_, '_> {
    fn error(&mut self, message: impl Into<String>) {
        self.report.inst(self.block, self.inst, message);
    }

    fn operand(&mut self, value: Value, expected: Type) {
        let found = self.func.ty(value);
        if found != expected {
            self.error(format!("operand `{value}`: expected `{expected}`, found `{found}`"));
        }
    }

    fn operand_class(&mut self, value: Value, expected: Class) -> bool {
        let found = self.func.ty(value);
        if !expected.holds(found) {
            let expected = expected.as_str();
            self.error(format!("operand `{value}`: expected {expected}, found `{found}`"));
        }
        expected.holds(found)
    }

    fn result(&mut self, found: Type, expected: Type) {
        if found != expected {
            self.error(format!("the result: expected `{expected}`, found `{found}`"));
        }
    }

    fn result_among(&mut self, found: Type, [a, b]: [Type; 2]) {
        if found != a && found != b {
            self.error(format!("the result: expected `{a}` or `{b}`, found `{found}`"));
        }
    }

    fn check(&mut self) {
        let func = self.func;
        let data = &func.insts[self.inst];
        let result = func.results[self.inst];
        match (result, has_result(data)) {
            (Some(value), true) => self.check_value(data, func.ty(value)),
            (None, false) => self.check_effect(data),
            (Some(value), false) => {
                self.error(format!("the instruction has no result, but `{value}` is made of it"));
            }
            (None, true) => self.error("the instruction has a result, but no value takes it"),
        }
    }

    /// An instruction with a result of type `ty`.
    fn check_value(&mut self, data: &InstData, ty: Type) {
        match *data {
            InstData::Const { bits } => {
                if bits & !ty.mask() != 0 {
                    self.error(format!("the constant has bits outside `{ty}`"));
                }
            }
            InstData::Unary { op, arg } => {
                if self.operand_class(arg, unary_class(op)) {
                    self.operand(arg, ty);
                }
            }
            InstData::Binary { op, args, no_unsigned_wrap } => {
                if self.operand_class(args[0], binary_class(op)) {
                    args.iter().for_each(|&arg| self.operand(arg, ty));
                }
                let may_wrap = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
                if no_unsigned_wrap && !may_wrap {
                    self.error("`nuw` means nothing here: expected it on `add`, `sub`, `mul` or `shl`");
                }
            }
            InstData::Fma { args } => {
                if self.operand_class(args[0], Class::Floats) {
                    args.iter().for_each(|&arg| self.operand(arg, ty));
                }
            }
            InstData::Select { cond, if_true, if_false } => {
                self.operand(cond, Type::Bool);
                self.operand(if_true, ty);
                self.operand(if_false, ty);
            }
            InstData::IntCompare { cond, args } => {
                self.result(ty, Type::Bool);
                let class = match cond {
                    IntCond::Eq | IntCond::Ne => Class::IntOrBool,
                    IntCond::ULt | IntCond::ULe | IntCond::UGt | IntCond::UGe => Class::Int,
                    IntCond::SLt | IntCond::SLe | IntCond::SGt | IntCond::SGe => Class::Int,
                };
                if self.operand_class(args[0], class) {
                    self.operand(args[1], self.func.ty(args[0]));
                }
            }
            InstData::FloatCompare { args, .. } => {
                self.result(ty, Type::Bool);
                if self.operand_class(args[0], Class::Float) {
                    self.operand(args[1], self.func.ty(args[0]));
                }
            }
            InstData::Convert { op, arg } => {
                let from = self.func.ty(arg);
                let (what, holds) = conversion(op, from, ty);
                if !holds {
                    self.error(format!("`{op}` goes from {what}, not from `{from}` to `{ty}`"));
                }
            }
            InstData::Pack { args } => match ty.lane() {
                Some(lane) => args.iter().for_each(|&arg| self.operand(arg, lane)),
                None => self.error(format!("the result: expected a pair of floats, found `{ty}`")),
            },
            InstData::Extract { arg, lane } => {
                let found = self.func.ty(arg);
                match found.lane() {
                    Some(lane) => self.result(ty, lane),
                    None => {
                        self.error(format!("operand `{arg}`: expected a pair of floats, found `{found}`"));
                    }
                }
                if lane > 1 {
                    self.error(format!("a pair has the lanes 0 and 1, found {lane}"));
                }
            }
            InstData::Special { register } => self.result(ty, register.ty()),
            InstData::Inline { asm, ref args, .. } => {
                self.inline(asm, args);
                match self.func.inlines[asm].outs.first() {
                    Some(&out) => self.result(ty, out),
                    None => self.error(format!("`{asm}` writes nothing: expected `inline_effect`")),
                }
            }
            InstData::InlineOut { of, index } => match self.func.def(of) {
                Some(&InstData::Inline { asm, .. }) if index > 0 => {
                    match self.func.inlines[asm].outs.get(index as usize) {
                        Some(&out) => self.result(ty, out),
                        None => self.error(format!("`{asm}` writes no value of number {index}")),
                    }
                }
                _ => self.error(format!("operand `{of}`: expected the first value that an `inline` writes")),
            },
            InstData::SharedAddress { .. } => self.result(ty, Type::I32),
            InstData::ConstAddress { .. } => self.result(ty, Space::Const.address_type()),
            InstData::LocalAddress { .. } => self.result(ty, Type::I64),
            InstData::ToGeneric { space, address } => {
                self.result(ty, Type::I64);
                self.operand(address, space.address_type());
                if space == Space::Generic {
                    self.error("the address is generic already: expected one of another space");
                }
            }
            InstData::MapShared { address, rank } => {
                self.result(ty, Space::Cluster.address_type());
                self.operand(address, Space::Shared.address_type());
                self.operand(rank, Type::I32);
            }
            InstData::Param { param } => self.result(ty, self.func.params[param].ty),
            InstData::Load { space, address, align, read_only, cache, .. } => {
                if !cache.is_for_loads() {
                    self.error(format!("no load is `{}`: expected a word of loads", cache.op));
                }
                self.alignment(align, ty);
                self.operand(address, space.address_type());
                if read_only && space != Space::Global {
                    self.error(format!(
                        "memory of the space `{space}` is never read-only: expected `global`"
                    ));
                }
            }
            InstData::AtomicRmw { op, space, order, address, value, .. } => {
                self.order(order, ORDERS);
                let (what, takes) = atomic(op, ty);
                if !takes {
                    self.error(format!("the result: expected {what}, found `{ty}`"));
                }
                self.operand(value, ty);
                self.atomic_access(space, address);
            }
            InstData::AtomicLoad { space, order, address, .. } => {
                self.order(order, &[MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Volatile]);
                if ty == Type::Bool {
                    self.error("the result: expected any type but `bool`, found `bool`");
                }
                self.ordered_access(space, order, address);
            }
            InstData::AtomicCas { space, order, address, expected, desired, .. } => {
                self.order(order, ORDERS);
                self.result_among(ty, [Type::I32, Type::I64]);
                self.operand(expected, ty);
                self.operand(desired, ty);
                self.atomic_access(space, address);
            }
            InstData::Shuffle { value, lane, clamp, members, .. } => {
                if ty == Type::Bool {
                    self.error("the result: expected any type but `bool`, found `bool`");
                }
                self.operand(value, ty);
                [lane, clamp, members].iter().for_each(|&arg| self.operand(arg, Type::I32));
            }
            InstData::Vote { mode, pred, members } => {
                self.result(ty, mode.ty());
                self.operand(pred, Type::Bool);
                self.operand(members, Type::I32);
            }
            InstData::Match { value, members, .. } => {
                self.result(ty, Type::I32);
                let found = self.func.ty(value);
                if !matches!(found, Type::I32 | Type::I64) {
                    self.error(format!("operand `{value}`: expected `i32` or `i64`, found `{found}`"));
                }
                self.operand(members, Type::I32);
            }
            InstData::Redux { value, members, .. } => {
                self.result(ty, Type::I32);
                [value, members].iter().for_each(|&arg| self.operand(arg, Type::I32));
            }
            InstData::ActiveMask => self.result(ty, Type::I32),
            InstData::BarrierReduce { op, pred } => {
                self.result(ty, op.ty());
                self.operand(pred, Type::Bool);
            }
            InstData::Guarded { cond, ref access, .. } => {
                self.guard(cond, access);
                self.check_value(access, ty);
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
            | InstData::Panic { .. } => {}
        }
    }

    /// PTX of the user's own, by itself and with what it reads here.
    fn inline(&mut self, asm: InlineAsm, args: &[Value]) {
        let data = &self.func.inlines[asm];
        if data.ins.len() != args.len() {
            self.error(format!("`{asm}` reads {} values, found {}", data.ins.len(), args.len()));
        }
        for (&arg, &ty) in args.iter().zip(&data.ins) {
            self.operand(arg, ty);
        }
        let operands: Vec<Type> = data.outs.iter().chain(&data.ins).copied().collect();
        if let Err(error) = crate::inline::parse(&data.text, &operands) {
            self.error(format!("`{asm}`: {error}"));
        }
    }

    /// Checks a guarded access and its condition.
    fn guard(&mut self, cond: Value, access: &InstData) {
        self.operand(cond, Type::Bool);
        if matches!(access, InstData::Guarded { .. }) || access.access().is_none() {
            self.error("only accesses to memory have guards, and one guard each");
        }
    }

    /// An instruction without a result.
    fn check_effect(&mut self, data: &InstData) {
        match data {
            InstData::Store { space, address, align, value, cache, .. } => {
                if !cache.is_for_stores() {
                    self.error(format!("no store is{cache}: expected words of stores"));
                }
                self.operand(*address, space.address_type());
                self.alignment(*align, self.func.ty(*value));
                if *space == Space::Const {
                    self.error(format!("memory of the space `{space}` is not written"));
                }
            }
            InstData::AtomicStore { space, order, address, value, .. } => {
                self.order(*order, &[MemoryOrder::Relaxed, MemoryOrder::Release, MemoryOrder::Volatile]);
                if self.func.ty(*value) == Type::Bool {
                    self.error(format!("operand `{value}`: expected any type but `bool`, found `bool`"));
                }
                self.ordered_access(*space, *order, *address);
                if *space == Space::Const {
                    self.error(format!("memory of the space `{space}` is not written"));
                }
            }
            InstData::WarpBarrier { members } => self.operand(*members, Type::I32),
            InstData::InlineEffect { asm, args } => {
                self.inline(*asm, args);
                if !self.func.inlines[*asm].outs.is_empty() {
                    self.error(format!("`{asm}` writes something: expected `inline`"));
                }
            }
            InstData::Jump { target } => self.call(target),
            InstData::Branch { cond, if_true, if_false, .. } => {
                self.operand(*cond, Type::Bool);
                self.call(if_true);
                self.call(if_false);
            }
            InstData::Panic { site, args } => {
                let data = &self.func.panics[*site];
                let (name, arity) = (data.kind.as_str(), data.arity());
                if args.len() != arity {
                    self.error(format!(
                        "a panic of kind `{name}` takes {arity} arguments, found {}",
                        args.len()
                    ));
                }
                args.iter().for_each(|&arg| self.operand(arg, Type::I64));
            }
            InstData::Print { site, args } => {
                let words = self.func.prints[*site].format.words;
                if args.len() != words as usize {
                    self.error(format!("`{site}` takes {words} arguments, found {}", args.len()));
                }
                args.iter().for_each(|&arg| self.operand(arg, Type::I64));
            }
            InstData::Guarded { cond, access, .. } => {
                self.guard(*cond, access);
                self.check_effect(access);
            }
            InstData::Fence { order, .. } => self.order(*order, &[MemoryOrder::AcqRel, MemoryOrder::SeqCst]),
            InstData::NamedBarrier { id, threads, .. } => {
                if !NAMED_BARRIERS.contains(id) {
                    self.error(format!("barrier {id}: expected a number from 1 to 15"));
                }
                self.operand(*threads, Type::I32);
            }
            InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::Return => {}
            InstData::Inline { .. }
            | InstData::InlineOut { .. }
            | InstData::Const { .. }
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
            | InstData::AtomicCas { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicLoad { .. }
            | InstData::Shuffle { .. }
            | InstData::Vote { .. }
            | InstData::Match { .. }
            | InstData::Redux { .. }
            | InstData::ActiveMask
            | InstData::BarrierReduce { .. } => {}
        }
    }

    /// Checks the order of an atomic access or fence.
    fn order(&mut self, order: MemoryOrder, known: &[MemoryOrder]) {
        if !known.contains(&order) {
            let known: Vec<String> = known.iter().map(|order| format!("`{order}`")).collect();
            self.error(format!("order `{order}`: expected {}", known.join(" or ")));
        }
    }

    /// A load or store with an order: volatile ones are of any memory.
    fn ordered_access(&mut self, space: Space, order: MemoryOrder, address: Value) {
        match order {
            MemoryOrder::Volatile => self.operand(address, space.address_type()),
            _ => self.atomic_access(space, address),
        }
    }

    fn atomic_access(&mut self, space: Space, address: Value) {
        self.operand(address, space.address_type());
        if matches!(space, Space::Local | Space::Const) {
            self.error(format!("memory of the space `{space}` has no atomic operations"));
        }
    }

    /// Checks the alignment that an access of this type states of its address.
    fn alignment(&mut self, align: Option<u32>, ty: Type) {
        if let Some(align) = align.filter(|align| !align.is_power_of_two() || *align < ty.bytes()) {
            let least = ty.bytes();
            self.error(format!("aligned to {align} bytes: expected a power of two, at least {least}"));
        }
    }

    fn call(&mut self, call: &BlockCall) {
        let params = &self.func.blocks[call.block].params;
        if params.len() != call.args.len() {
            let (block, takes, found) = (call.block, params.len(), call.args.len());
            self.error(format!("`{block}` takes {takes} arguments, found {found}"));
        }
        for (&arg, &param) in call.args.iter().zip(params) {
            self.operand(arg, self.func.ty(param));
        }
    }
}

fn has_result(data: &InstData) -> bool {
    match data {
        InstData::Guarded { access, .. } => has_result(access),
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
        | InstData::AtomicCas { .. }
        | InstData::AtomicRmw { .. }
        | InstData::AtomicLoad { .. }
        | InstData::Shuffle { .. }
        | InstData::Vote { .. }
        | InstData::Match { .. }
        | InstData::Redux { .. }
        | InstData::Inline { .. }
        | InstData::InlineOut { .. }
        | InstData::ActiveMask
        | InstData::BarrierReduce { .. } => true,
        InstData::Store { .. }
        | InstData::AtomicStore { .. }
        | InstData::WarpBarrier { .. }
        | InstData::InlineEffect { .. }
        | InstData::Fence { .. }
        | InstData::Print { .. }
        | InstData::Barrier
        | InstData::GridBarrier
        | InstData::ClusterBarrier { .. }
        | InstData::NamedBarrier { .. }
        | InstData::Jump { .. }
        | InstData::Branch { .. }
        | InstData::Return
        | InstData::Panic { .. } => false,
    }
}
