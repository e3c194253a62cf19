//! Does 64-bit arithmetic in 32 bits where the exact results fit: registers have 32.
//!
//! A value is *narrowed* if the ranges prove that it is below 2³² whenever it is computed. Then its low half, which `add`,
//! `sub`, `mul`, `shl` and bit operations compute from the low halves of their operands, is all of it; division, right
//! shifts, minima and comparisons need operands that fit too. Loop parameters count, so that counters become 32-bit. The
//! wide value stays as an extension of the narrow one, for users that need it, and goes if there are none. What is not
//! proved keeps its 64 bits.
//!
//! A value whose high half is never used is narrowed too, whatever it is: a sum whose low half is an index. That is found from the
//! users, backwards (demanded bits).
//!
//! Comparisons, conversions to floats and products that stay wide take the low halves of operands that fit. So do those of a number that may
//! wrap with one that is at most what it then is: a check of a signed index with a length of at most 2³¹. The sign of a difference of numbers
//! that fit is a comparison of these: `y as isize - k as isize < 0` is `y < k`. What is not negative of it fits again.
//!
//! Quotients and remainders of signed numbers that are proved not to be negative become those of unsigned ones, of any width: by a power of two
//! that is a shift or a mask.
//!
//! A product with a constant of which only wide sums are made stays wide: selection makes one wide multiplication of the
//! extension and the product.

use super::unroll::strided_indices;
use crate::analysis::Ranges;
use crate::ir::{
    BinaryOp, Block, ConvertOp, EntityMap, Function, Inst, InstData, IntCond, SourceLoc, Type, Value,
    ValueData, ValueDef,
};

/// See the head of this file.
pub fn narrow_to_32_bits(func: &mut Function) {
    if !func.values.values().any(|data| data.ty == Type::I64) {
        return;
    }
    let plan = Plan::new(func);
    for &inst in &plan.sums {
        if let InstData::Binary { no_unsigned_wrap, .. } = &mut func.insts[inst] {
            *no_unsigned_wrap = true;
        }
    }
    for &inst in &plan.unsigned {
        if let InstData::Binary { op, .. } = &mut func.insts[inst] {
            *op = unsigned(*op);
        }
    }
    if plan.is_empty() {
        return;
    }
    Narrower { low: EntityMap::filled(func.values.len(), None), func, plan }.run();
}

/// Values and instructions to be narrowed.
struct Plan {
    /// Parameters and results.
    values: EntityMap<Value, bool>,
    /// Those of 64 bits that are below 2³²; the intervals may not show it.
    proved: EntityMap<Value, bool>,
    /// Comparisons, conversions to floats and wide products.
    users: EntityMap<Inst, bool>,
    /// The comparisons among them with a number that may wrap, and where.
    wrapping: EntityMap<Inst, Option<Wrapping>>,
    /// Those with the sign of a difference.
    differences: EntityMap<Inst, Option<Difference>>,
    /// Indices of loops that become narrow [after this](super::unroll::narrow_strides).
    strided: Vec<Value>,
    /// Results of which moreover is known that narrow operands give them without wrapping.
    exact: EntityMap<Inst, bool>,
    /// Sums and differences that have 32 bits already and do not wrap: once that is recorded, their constants become offsets of accesses.
    sums: Vec<Inst>,
    /// Signed quotients and remainders of numbers that are not negative.
    unsigned: Vec<Inst>,
}

/// Returns true for a signed quotient or remainder of numbers that are not negative.
fn is_unsigned(func: &Function, ranges: &Ranges<'_>, data: &InstData, block: Block) -> bool {
    let &InstData::Binary { op: BinaryOp::SDiv | BinaryOp::SRem, args, .. } = data else { return false };
    let bits = func.ty(args[0]).bits();
    args.into_iter().all(|arg| ranges.at(arg, block).is_some_and(|interval| interval.is_non_negative(bits)))
}

/// Returns true for a sum or a difference of 32 bits that does not wrap, which is not recorded yet.
fn is_exact_sum(ranges: &Ranges<'_>, data: &InstData, block: Block) -> bool {
    let &InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args, no_unsigned_wrap: false } = data
    else {
        return false;
    };
    let [Some(a), Some(b)] = args.map(|arg| ranges.at(arg, block)) else { return false };
    match op {
        BinaryOp::Add => a.hi.saturating_add(b.hi) <= u32::MAX.into(),
        _ => b.hi <= a.lo,
    }
}

impl Plan {
    fn new(func: &Function) -> Plan {
        let ranges = Ranges::new(func);
        let wrapping = by_block(&ranges, |inst, block| wrapping(&ranges, inst, block));
        let mut proved = EntityMap::filled(func.values.len(), false);
        for &block in ranges.cfg().order() {
            for &param in func.blocks[block].params.iter().filter(|&&param| func.ty(param) == Type::I64) {
                proved[param] = ranges.proves_u32(param);
            }
        }
        let differences = by_block(&ranges, |inst, block| difference(&ranges, inst, block));
        let is_shift = |inst, block| is_shift_of_low_half(&ranges, inst, block).then_some(());
        let shifts = by_block(&ranges, is_shift);
        let takes_low =
            |inst: Inst| wrapping[inst].is_some() || differences[inst].is_some() || shifts[inst].is_some();
        let high_is_needed = high_halves(func, takes_low, &proved);
        let mut plan = Plan {
            values: EntityMap::filled(func.values.len(), false),
            proved,
            users: EntityMap::filled(func.insts.len(), false),
            wrapping,
            differences,
            strided: strided_indices(func, &ranges),
            exact: EntityMap::filled(func.insts.len(), false),
            sums: Vec::new(),
            unsigned: Vec::new(),
        };
        for &block in ranges.cfg().order() {
            for &param in func.blocks[block].params.iter().filter(|&&param| func.ty(param) == Type::I64) {
                plan.values[param] = !high_is_needed[param] || plan.proved[param];
            }
            for &inst in &func.blocks[block].insts {
                let Some(result) = func.results[inst] else { continue };
                let data = &func.insts[inst];
                if func.ty(result) == Type::I32 && is_exact_sum(&ranges, data, block) {
                    plan.sums.push(inst);
                }
                if is_unsigned(func, &ranges, data, block) {
                    plan.unsigned.push(inst);
                }
                if func.ty(result) != Type::I64 {
                    continue;
                }
                let is_low_only = !high_is_needed[result] && takes_low_halves(func, data);
                if !is_low_only
                    && (!plan.is_narrowable(func, &ranges, data, block) || !plan.is_worthwhile(func, data))
                {
                    continue;
                }
                // Not those of which only the low half is narrowed: `-1 - i + 255` wraps in 32 bits.
                let mut all_fit = true;
                data.visit_args(|arg| all_fit &= plan.fits_at(&ranges, arg, block));
                let is_sum = matches!(data, InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. });
                let is_part = match data {
                    InstData::Binary {
                        op: BinaryOp::UDiv | BinaryOp::URem | BinaryOp::LShr, args, ..
                    } => plan.fits_at(&ranges, args[0], block),
                    _ => false,
                };
                let fits =
                    ranges.fits_u32(result) || is_part || is_sum && all_fit && ranges.proves_u32(result);
                plan.proved[result] = fits;
                plan.exact[inst] = all_fit && fits;
                plan.values[result] = fits || is_low_only;
            }
        }
        plan.keep_wide_products(func, ranges.cfg().order());
        for &block in ranges.cfg().order() {
            for &inst in &func.blocks[block].insts {
                plan.users[inst] = plan.is_narrow_user(func, &ranges, inst, block);
            }
        }
        plan
    }

    fn is_empty(&self) -> bool {
        !self.values.values().chain(self.users.values()).any(|&narrow| narrow)
    }

    /// Takes products with constants out of the plan if they have no narrow use.
    fn keep_wide_products(&mut self, func: &Function, order: &[Block]) {
        let mut needed = EntityMap::<Value, bool>::filled(func.values.len(), false);
        // Users come before their operands in this order, but along back edges; there products are needed.
        for &block in order.iter().rev() {
            for &inst in func.blocks[block].insts.iter().rev() {
                let data = &func.insts[inst];
                if let Some(result) = func.results[inst]
                    && self.values[result]
                    && is_scaling(func, data)
                    && !needed[result]
                {
                    self.values[result] = false;
                }
                let is_wide_sum = match data {
                    InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. } => {
                        func.results[inst].is_none_or(|result| !self.values[result])
                    }
                    InstData::Load { .. } | InstData::Store { .. } => true,
                    _ => false,
                };
                if !is_wide_sum {
                    data.visit_args(|arg| needed[arg] = true);
                }
            }
        }
    }

    /// Returns true if a value is below 2³² whenever a block runs.
    fn fits_at(&self, ranges: &Ranges<'_>, value: Value, block: Block) -> bool {
        self.proved[value] || fits_at(ranges, value, block)
    }

    /// Returns true if the low half of an operation's result depends only on the low halves of its operands, if the result fits.
    fn is_narrowable(&self, func: &Function, ranges: &Ranges<'_>, data: &InstData, block: Block) -> bool {
        let fits = |value| self.fits_at(ranges, value, block);
        match *data {
            InstData::Select { .. } => true,
            InstData::Binary { op, args, .. } => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => true,
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => true,
                BinaryOp::Shl => func.constant(args[1]).is_some_and(|amount| amount < 32),
                BinaryOp::LShr | BinaryOp::AShr => {
                    fits(args[0]) && func.constant(args[1]).is_some_and(|amount| amount < 32)
                }
                BinaryOp::UDiv
                | BinaryOp::SDiv
                | BinaryOp::URem
                | BinaryOp::SRem
                | BinaryOp::UMin
                | BinaryOp::SMin
                | BinaryOp::UMax
                | BinaryOp::SMax => args.into_iter().all(fits),
                BinaryOp::UMulHigh | BinaryOp::SMulHigh => false,
                BinaryOp::FAdd
                | BinaryOp::FSub
                | BinaryOp::FMul
                | BinaryOp::FDiv
                | BinaryOp::FMin
                | BinaryOp::FMax
                | BinaryOp::CopySign
                | BinaryOp::FDivApprox => false,
            },
            _ => false,
        }
    }

    /// Returns true if an operation is cheaper in 32 bits if its operands have to be truncated and its result extended again:
    /// divisions and shifts to the right are. Of others the operands must be narrow.
    fn is_worthwhile(&self, func: &Function, data: &InstData) -> bool {
        if let InstData::Binary { op, .. } = data {
            let is_division = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
            // A mask makes numbers narrow that go on as narrow ones, as a quotient by a power of two does.
            if is_division || matches!(op, BinaryOp::And | BinaryOp::LShr | BinaryOp::AShr) {
                return true;
            }
        }
        let mut all_low = true;
        let is_select = matches!(data, InstData::Select { .. });
        data.visit_args(|arg| all_low &= self.has_low(func, arg) || is_select && func.ty(arg) == Type::Bool);
        all_low
    }

    /// Returns true if the low half of this value is available.
    fn has_low(&self, func: &Function, value: Value) -> bool {
        self.values[value]
            || self.strided.contains(&value)
            || match func.def(value) {
                Some(&InstData::Convert { op: ConvertOp::ZeroExtend, .. }) => true,
                Some(&InstData::Param { param }) => {
                    func.params[param].max.is_some_and(|max| max <= u32::MAX.into())
                }
                Some(&InstData::Const { bits }) => bits <= u32::MAX.into(),
                _ => false,
            }
    }

    fn is_narrow_user(&self, func: &Function, ranges: &Ranges<'_>, inst: Inst, block: Block) -> bool {
        // The low half of a wide value costs nothing: it is one of its two registers.
        let fits = |value| func.ty(value) == Type::I64 && self.fits_at(ranges, value, block);
        match func.insts[inst] {
            InstData::IntCompare { args, .. } => {
                self.wrapping[inst].is_some()
                    || self.differences[inst].is_some()
                    || args.into_iter().all(fits)
            }
            InstData::Convert { op: ConvertOp::UIntToFloat | ConvertOp::SIntToFloat, arg } => fits(arg),
            InstData::Binary { op: BinaryOp::Mul, args, .. } => {
                let is_wide = func.results[inst].is_some_and(|result| !self.values[result]);
                let is_constant = args.into_iter().any(|arg| func.constant(arg).is_some());
                is_wide && !is_constant && args.into_iter().all(fits)
            }
            _ => false,
        }
    }
}

/// Marks the 64-bit values of which some use needs more than the low half; `takes_low` is true for users that do not. Parameters that are
/// proved to fit take low halves.
fn high_halves(
    func: &Function,
    takes_low: impl Fn(Inst) -> bool,
    proved: &EntityMap<Value, bool>,
) -> EntityMap<Value, bool> {
    let mut needed = EntityMap::filled(func.values.len(), false);
    let mut work: Vec<Value> = Vec::new();
    for inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        let data = &func.insts[*inst];
        match data {
            InstData::Jump { .. } | InstData::Convert { op: ConvertOp::Truncate, .. } => {}
            InstData::Branch { cond, .. } => work.push(*cond),
            _ if takes_low_halves(func, data) || takes_low(*inst) => {}
            _ => data.visit_args(|arg| work.push(arg)),
        }
    }
    let mut passed: EntityMap<Value, Vec<Value>> = EntityMap::filled(func.values.len(), Vec::new());
    for inst in func.layout.iter().filter_map(|&block| func.terminator(block)) {
        for call in func.insts[inst].successors() {
            for (&arg, &param) in call.args.iter().zip(&func.blocks[call.block].params) {
                passed[param].push(arg);
            }
        }
    }
    while let Some(value) = work.pop() {
        if func.ty(value) != Type::I64 || std::mem::replace(&mut needed[value], true) {
            continue;
        }
        if !proved[value] || func.has_group_products() {
            work.extend(&passed[value]);
        }
        match func.def(value) {
            Some(&InstData::Binary { op: BinaryOp::And, args, .. })
                if func.constant(args[1]).is_some_and(|mask| mask <= u32::MAX.into()) => {}
            Some(data) if takes_low_halves(func, data) => data.visit_args(|arg| work.push(arg)),
            Some(_) | None => {}
        }
    }
    needed
}

/// Returns true if the low half of a result depends only on the low halves of the operands, whatever is in the high ones.
fn takes_low_halves(func: &Function, data: &InstData) -> bool {
    match *data {
        InstData::Select { .. } => true,
        InstData::Binary { op, args, .. } => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => true,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => true,
            BinaryOp::Shl => func.constant(args[1]).is_some_and(|amount| amount < 32),
            _ => false,
        },
        _ => false,
    }
}

/// Returns true if a value is below 2³² whenever a block runs: by its interval, or as a difference of two such that is not negative there.
fn fits_at(ranges: &Ranges<'_>, value: Value, block: Block) -> bool {
    let func = ranges.func();
    let Some(interval) = ranges.at(value, block) else { return false };
    let is_low = |value| ranges.at(value, block).is_some_and(|interval| interval.hi <= u32::MAX.into());
    interval.hi <= u32::MAX.into()
        || interval.is_non_negative(64)
            && match func.def(value) {
                Some(&InstData::Binary { op: BinaryOp::Sub, args: [from, by], .. }) => {
                    func.ty(value) == Type::I64 && is_low(from) && is_low(by)
                }
                _ => false,
            }
}

/// The findings about all instructions, each in its block.
fn by_block<T: Clone>(
    ranges: &Ranges<'_>,
    find: impl Fn(Inst, Block) -> Option<T>,
) -> EntityMap<Inst, Option<T>> {
    let func = ranges.func();
    let mut found = EntityMap::filled(func.insts.len(), None);
    for &block in ranges.cfg().order() {
        for &inst in &func.blocks[block].insts {
            found[inst] = find(inst, block);
        }
    }
    found
}

/// Returns true for a shift to the right of what fits in 32 bits there.
fn is_shift_of_low_half(ranges: &Ranges<'_>, inst: Inst, block: Block) -> bool {
    let func = ranges.func();
    match func.insts[inst] {
        InstData::Binary { op: BinaryOp::LShr, args: [value, by], .. } => {
            func.ty(value) == Type::I64
                && func.constant(by).is_some_and(|by| by < 32)
                && fits_at(ranges, value, block)
        }
        _ => false,
    }
}

/// A signed comparison of a sum or a difference, of a number below 2³², with a number, as a comparison without signs of what it is made of.
#[derive(Clone, Copy)]
struct Difference {
    cond: IntCond,
    from: Value,
    other: Other,
}

/// The second operand.
#[derive(Clone, Copy)]
enum Other {
    Value(Value),
    Number(u32),
}

fn difference(ranges: &Ranges<'_>, inst: Inst, block: Block) -> Option<Difference> {
    let func = ranges.func();
    let InstData::IntCompare { cond, args: [value, with] } = func.insts[inst] else { return None };
    let is_signed = matches!(cond, IntCond::SLt | IntCond::SLe | IntCond::SGt | IntCond::SGe);
    if !is_signed || func.ty(value) != Type::I64 || fits_at(ranges, value, block) {
        return None;
    }
    let signed = |bits: u64| i128::from(bits.cast_signed());
    let with = signed(func.constant(with)?);
    let &InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [from, by], .. } =
        func.def(value)?
    else {
        return None;
    };
    if !fits_at(ranges, from, block) {
        return None;
    }
    let other = match func.constant(by).map(signed) {
        // Sums with larger numbers may wrap.
        Some(by) if by.abs() < 1 << 62 => {
            Other::Number(u32::try_from(if op == BinaryOp::Sub { with + by } else { with - by }).ok()?)
        }
        None if op == BinaryOp::Sub && with == 0 && fits_at(ranges, by, block) => Other::Value(by),
        Some(_) | None => return None,
    };
    Some(Difference { cond: cond.unsigned(), from, other })
}

/// An operand of an unsigned comparison that is in 32 bits what it is in 64, or wraps in both and is above the other operand:
/// `at as usize < x.len()` of a signed number, `x.wrapping_sub(1) < n`.
#[derive(Clone, Copy)]
struct Wrapping {
    /// The position of the operand.
    at: usize,
    /// Upper limit of the other operand, so that it is not above an operand that wraps; none if it is at most that.
    limit: Option<u64>,
}

fn wrapping(ranges: &Ranges<'_>, inst: Inst, block: Block) -> Option<Wrapping> {
    let func = ranges.func();
    let InstData::IntCompare { cond, args } = func.insts[inst] else { return None };
    let at = match cond {
        IntCond::ULt | IntCond::UGe => 0,
        IntCond::UGt | IntCond::ULe => 1,
        _ => return None,
    };
    let [value, other] = [args[at], args[1 - at]];
    if func.ty(value) != Type::I64 || fits_at(ranges, value, block) || !fits_at(ranges, other, block) {
        return None;
    }
    let below_zero = 1u64 << 32;
    let least = match *func.def(value)? {
        InstData::Convert { op: ConvertOp::SignExtend, arg } if func.ty(arg) == Type::I32 => 1 << 31,
        InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [from, by], .. } => {
            let by = func.constant(by)?;
            let less = if op == BinaryOp::Sub { by } else { by.wrapping_neg() };
            below_zero
                .checked_sub(less)
                .filter(|&least| least < below_zero && fits_at(ranges, from, block))?
        }
        _ => return None,
    };
    let most = ranges.at(other, block)?.hi;
    Some(Wrapping { at, limit: (most > least).then_some(least) })
}

/// A product with, or a shift by, a constant.
pub(super) fn is_scaling(func: &Function, data: &InstData) -> bool {
    match *data {
        InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, args, .. } => func.constant(args[1]).is_some(),
        _ => false,
    }
}

/// The operation on numbers that are not negative.
fn unsigned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::SDiv => BinaryOp::UDiv,
        BinaryOp::SRem => BinaryOp::URem,
        BinaryOp::SMin => BinaryOp::UMin,
        BinaryOp::SMax => BinaryOp::UMax,
        BinaryOp::AShr => BinaryOp::LShr,
        other => other,
    }
}

struct Narrower<'f> {
    func: &'f mut Function,
    plan: Plan,
    /// The narrow value of those that are in the plan.
    low: EntityMap<Value, Option<Value>>,
}

impl Narrower<'_> {
    fn run(&mut self) {
        let layout = self.func.layout.clone();
        // All narrow values exist before their users are changed.
        for &block in &layout {
            self.make_params(block);
        }
        for &block in &layout {
            for index in 0..self.func.blocks[block].insts.len() {
                let result = self.func.results[self.func.blocks[block].insts[index]];
                // Parameters have theirs already; what extends them is in the block too.
                if let Some(result) = result.filter(|&result| self.is_planned(result))
                    && self.low[result].is_none()
                {
                    self.low[result] = Some(self.new_value());
                }
            }
        }
        for &block in &layout {
            self.rewrite(block);
        }
    }

    fn is_planned(&self, value: Value) -> bool {
        self.plan.values.get(value) == Some(&true)
    }

    /// A narrow value whose definition is not made yet.
    fn new_value(&mut self) -> Value {
        // Overwritten when its instruction is made; the entry block has no parameters.
        let def = ValueDef::Param(self.func.entry());
        self.func.values.push(ValueData { ty: Type::I32, def })
    }

    /// Gives a block narrow parameters, and extends them at its start under their old names.
    fn make_params(&mut self, block: Block) {
        let mut extensions = Vec::new();
        for index in 0..self.func.blocks[block].params.len() {
            let wide = self.func.blocks[block].params[index];
            if !self.is_planned(wide) {
                continue;
            }
            let low = self.func.values.push(ValueData { ty: Type::I32, def: ValueDef::Param(block) });
            self.low[wide] = Some(low);
            self.func.blocks[block].params[index] = low;
            extensions.push(self.make(zero_extend(low), wide, SourceLoc::default()));
        }
        self.func.blocks[block].insts.splice(0..0, extensions);
    }

    /// An instruction that makes a value that is there already.
    fn make(&mut self, data: InstData, result: Value, location: SourceLoc) -> Inst {
        let inst = self.func.make_inst(data, None, location);
        self.func.results[inst] = Some(result);
        self.func.values[result].def = ValueDef::Result(inst);
        inst
    }

    fn rewrite(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let result = self.func.results[inst];
            let low = result.filter(|&result| self.is_planned(result)).and_then(|result| self.low[result]);
            if let (Some(low), true) = (low, self.plan.exact.get(inst).is_some()) {
                let data = self.narrow_operation(inst, &mut out);
                out.push(self.make(data, low, self.func.locations[inst]));
                self.func.insts[inst] = zero_extend(low);
            } else if self.plan.users.get(inst) == Some(&true) {
                self.narrow_user(inst, &mut out);
            } else if self.func.insts[inst].is_terminator() {
                self.narrow_arguments(inst, &mut out);
            }
            out.push(inst);
        }
        self.func.blocks[block].insts = out;
    }

    /// The operation on low halves.
    fn narrow_operation(&mut self, inst: Inst, out: &mut Vec<Inst>) -> InstData {
        let location = self.func.locations[inst];
        match self.func.insts[inst] {
            InstData::Binary { op, args, .. } => {
                let may_wrap = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
                InstData::Binary {
                    op: unsigned(op),
                    args: args.map(|arg| self.low_half(arg, location, out)),
                    no_unsigned_wrap: may_wrap && self.plan.exact[inst],
                }
            }
            InstData::Select { cond, if_true, if_false } => InstData::Select {
                cond,
                if_true: self.low_half(if_true, location, out),
                if_false: self.low_half(if_false, location, out),
            },
            ref other => other.clone(),
        }
    }

    fn narrow_user(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let location = self.func.locations[inst];
        let narrow = match self.func.insts[inst] {
            InstData::IntCompare { .. } if self.plan.differences[inst].is_some() => {
                let Some(Difference { cond, from, other }) = self.plan.differences[inst] else { return };
                let from = self.low_half(from, location, out);
                let other = match other {
                    Other::Value(value) => self.low_half(value, location, out),
                    Other::Number(number) => {
                        let number = InstData::Const { bits: number.into() };
                        let (constant, number) = self.func.make_value(number, Type::I32, location);
                        out.push(constant);
                        number
                    }
                };
                InstData::IntCompare { cond, args: [from, other] }
            }
            InstData::IntCompare { cond, args } => {
                let mut low = args.map(|arg| self.low_half(arg, location, out));
                if let Some(Wrapping { at, limit: Some(limit) }) = self.plan.wrapping[inst] {
                    let limit = InstData::Const { bits: limit };
                    let (constant, limit) = self.func.make_value(limit, Type::I32, location);
                    let other = InstData::Binary {
                        op: BinaryOp::UMin,
                        args: [low[1 - at], limit],
                        no_unsigned_wrap: false,
                    };
                    let (least, other) = self.func.make_value(other, Type::I32, location);
                    out.extend([constant, least]);
                    low[1 - at] = other;
                }
                InstData::IntCompare { cond: cond.unsigned(), args: low }
            }
            InstData::Convert { arg, .. } => {
                InstData::Convert { op: ConvertOp::UIntToFloat, arg: self.low_half(arg, location, out) }
            }
            // Selected as one wide multiplication.
            InstData::Binary { op, args, .. } => {
                let args = args.map(|arg| {
                    let low = self.low_half(arg, location, out);
                    let (inst, wide) = self.func.make_value(zero_extend(low), Type::I64, location);
                    out.push(inst);
                    wide
                });
                InstData::Binary { op, args, no_unsigned_wrap: true }
            }
            ref other => other.clone(),
        };
        self.func.insts[inst] = narrow;
    }

    /// Passes low halves for narrow parameters.
    fn narrow_arguments(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let location = self.func.locations[inst];
        let mut data = std::mem::replace(&mut self.func.insts[inst], InstData::Return);
        for call in data.successors_mut() {
            for (index, arg) in call.args.iter_mut().enumerate() {
                let param = self.func.blocks[call.block].params[index];
                if self.func.ty(param) == Type::I32 && self.func.ty(*arg) == Type::I64 {
                    *arg = self.low_half(*arg, location, out);
                }
            }
        }
        self.func.insts[inst] = data;
    }

    /// The low half of a wide value, computed here if it is not there.
    fn low_half(&mut self, value: Value, location: SourceLoc, out: &mut Vec<Inst>) -> Value {
        if let Some(&Some(low)) = self.low.get(value) {
            return low;
        }
        let data = match self.func.def(value) {
            Some(&InstData::Const { bits }) => InstData::Const { bits: bits & Type::I32.mask() },
            Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => {
                if self.func.ty(arg) == Type::I32 {
                    return arg;
                }
                zero_extend(arg)
            }
            _ => InstData::Convert { op: ConvertOp::Truncate, arg: value },
        };
        let (inst, low) = self.func.make_value(data, Type::I32, location);
        out.push(inst);
        low
    }
}

fn zero_extend(arg: Value) -> InstData {
    InstData::Convert { op: ConvertOp::ZeroExtend, arg }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Checks a kernel after narrowing and cleaning up.
    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let pass = |func: &mut Function| {
            narrow_to_32_bits(func);
            crate::passes::assert_valid("narrow", func);
            crate::passes::fold::fold_constants(func);
            crate::passes::gvn::number_values(func);
            crate::passes::dce::eliminate_dead_code(func);
        };
        crate::passes::check(pass, text, expect);
    }

    /// Signs of differences: of two that fit, and of one with a number. What is not negative is halved in 32 bits.
    #[test]
    fn signs_of_differences() {
        check(
            "kernel k(param0 x: i64 ptr align 4, param1 y: i32, param2 k: i32, param3 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = param3
                v4: i64 = zext v1
                v5: i64 = zext v2
                v6: i64 = zext v3
                v7: i64 = sub v4, v5
                v8: i64 = const 0
                v9: bool = icmp slt v7, v8
                branch v9, block1, block2
            block1:
                return
            block2:
                v10: i64 = const 1
                v11: i64 = lshr v7, v10
                v12: bool = icmp uge v11, v6
                branch v12, block1, block3
            block3:
                v13: i64 = const -7
                v14: i64 = add v4, v13
                v15: i64 = const 3
                v16: bool = icmp sgt v14, v15
                branch v16, block1, block4
            block4:
                store.global v0, v11
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 y: i32, param2 k: i32, param3 n: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = param3
                    v17: i32 = sub v1, v2
                    v9: bool = icmp ult v1, v2
                    branch v9, block1, block2
                block1:
                    return
                block2:
                    v20: i32 = const 1
                    v18: i32 = lshr v17, v20
                    v11: i64 = zext v18
                    v12: bool = icmp uge v18, v3
                    branch v12, block1, block3
                block3:
                    v22: i32 = const 10
                    v16: bool = icmp ugt v1, v22
                    branch v16, block1, block4
                block4:
                    store.global v0, v11
                    return
                }
            "#]],
        );
    }

    /// The sign of a sum that may wrap in 64 bits, of a difference from what is not known to fit, and comparisons with numbers that the
    /// difference does not reach.
    #[test]
    fn other_signs() {
        for compared in
            ["v6: i64 = add v2, v5", "v6: i64 = sub v3, v4", "v6: i64 = sub v4, v3", "v6: i64 = sub v4, v7"]
        {
            let text = format!(
                "kernel k(param0 x: i64 ptr align 4, param1 y: i32, param2 n: i64) {{
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v3: i64 = param2
                    v4: i64 = zext v1
                    v2: i64 = zext v1
                    v5: i64 = const 0x7fffffffffffffff
                    v7: i64 = const 0x7000000000000000
                    {compared}
                    v8: i64 = const 0
                    v9: bool = icmp slt v6, v8
                    branch v9, block1, block2
                block1:
                    return
                block2:
                    store.global v0, v1
                    return
                }}"
            );
            crate::passes::check_stays(narrow_to_32_bits, &text);
        }
    }

    /// An index of shared memory in 32 bits, whose constant the access takes; one that may wrap stays as it is.
    /// `x[255 + (-1 - i)]`: the difference is below zero, so that the sum wraps in 32 bits.
    #[test]
    fn sums_with_what_is_below_zero_wrap() {
        check(
            "kernel k(param0 x: i64 ptr align 4, param1 y: f32) bounds(block 32 8 1) {
            block0:
                v0: i64 = param0
                v1: f32 = param1
                v2: i32 = special tid.y
                v3: i64 = zext v2
                v4: i64 = const -1
                v5: i64 = sub v4, v3
                v6: i64 = const 255
                v7: i64 = add v5, v6
                v8: i32 = trunc_int v7
                v9: i64 = zext v8
                v10: i64 = const 4
                v11: i64 = mul nuw v9, v10
                v12: i64 = add nuw v0, v11
                store.global v12, v1
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 y: f32) bounds(block 32 8 1) {
                block0:
                    v0: i64 = param0
                    v1: f32 = param1
                    v2: i32 = special tid.y
                    v15: i32 = const -1
                    v13: i32 = sub v15, v2
                    v16: i32 = const 255
                    v14: i32 = add v13, v16
                    v7: i64 = zext v14
                    v10: i64 = const 4
                    v11: i64 = mul nuw v7, v10
                    v12: i64 = add nuw v0, v11
                    store.global v12, v1
                    return
                }
            "#]],
        );
    }

    #[test]
    fn sums_of_32_bits_that_do_not_wrap() {
        check(
            "kernel k(param0 n: i32, param1 x: i64 ptr align 4) bounds(block 512 1 1) {
            block0:
                v0: i32 = special tid.x
                v1: i32 = const 1
                v2: i32 = const 512
                v3: i32 = shl v0, v1
                v4: i32 = add v3, v2
                v5: i32 = param0
                v6: i32 = add v5, v2
                v7: i64 = param1
                store.shared v4, v6
                store.global v7, v6
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: i64 ptr align 4) bounds(block 512 1 1) {
                block0:
                    v0: i32 = special tid.x
                    v1: i32 = const 1
                    v2: i32 = const 512
                    v3: i32 = shl v0, v1
                    v4: i32 = add nuw v3, v2
                    v5: i32 = param0
                    v6: i32 = add v5, v2
                    v7: i64 = param1
                    store.shared v4, v6
                    store.global v7, v6
                    return
                }
            "#]],
        );
    }

    /// Below the branch the index is at least 1.
    #[test]
    fn differences_of_32_bits_that_do_not_wrap() {
        check(
            "kernel k(param0 i: i32, param1 x: i64 ptr align 4) {
            block0:
                v0: i32 = param0
                v1: i64 = param1
                v2: i32 = const 0
                v3: i32 = const 1
                v5: bool = icmp ne v0, v2
                branch v5, block1, block2
            block1:
                v6: i32 = sub v0, v3
                store.global v1 + 4, v6
                jump block2
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 i: i32, param1 x: i64 ptr align 4) {
                block0:
                    v0: i32 = param0
                    v1: i64 = param1
                    v2: i32 = const 0
                    v3: i32 = const 1
                    v5: bool = icmp ne v0, v2
                    branch v5, block1, block2
                block1:
                    v6: i32 = sub nuw v0, v3
                    store.global v1 + 4, v6
                    jump block2
                block2:
                    return
                }
            "#]],
        );
    }

    /// The sum of two halfwords is not negative; a parameter may be.
    #[test]
    fn quotients_of_numbers_that_are_not_negative() {
        check(
            "kernel k(param0 n: i32, param1 x: i64 ptr align 4, param2 h: i16) {
            block0:
                v0: i32 = param0
                v1: i64 = param1
                v2: i16 = param2
                v3: i32 = zext v2
                v4: i32 = const 4
                v5: i32 = add v3, v4
                v6: i32 = sdiv v5, v4
                v7: i32 = srem v5, v4
                v8: i32 = sdiv v0, v4
                v9: i32 = srem v5, v0
                store.global v1, v6
                store.global v1 + 4, v7
                store.global v1 + 8, v8
                store.global v1 + 12, v9
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: i64 ptr align 4, param2 h: i16) {
                block0:
                    v0: i32 = param0
                    v1: i64 = param1
                    v2: i16 = param2
                    v3: i32 = zext v2
                    v4: i32 = const 4
                    v5: i32 = add nuw v3, v4
                    v10: i32 = const 2
                    v6: i32 = lshr v5, v10
                    v11: i32 = const 3
                    v7: i32 = and v3, v11
                    v8: i32 = sdiv v0, v4
                    v9: i32 = srem v5, v0
                    store.global v1, v6
                    store.global v1 + 4, v7
                    store.global v1 + 8, v8
                    store.global v1 + 12, v9
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_counted_loop() {
        check(
            "kernel k(param0 n: i32, param1 x: i64 ptr align 4) {
            block0:
                v0: i64 = const 0
                v1: i64 = const 1
                v2: i32 = param0
                v3: i64 = zext v2
                v9: i64 = const 4
                v10: i64 = param1
                v11: i32 = const 7
                jump block1(v0)
            block1(v4: i64):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block9
            block2:
                v6: i64 = mul nuw v4, v9
                v7: i64 = add nuw v10, v6
                store.global v7, v11
                v8: i64 = add v4, v1
                jump block1(v8)
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: i64 ptr align 4) {
                block0:
                    v2: i32 = param0
                    v9: i64 = const 4
                    v10: i64 = param1
                    v11: i32 = const 7
                    v14: i32 = const 0
                    jump block1(v14)
                block1(v12: i32):
                    v4: i64 = zext v12
                    v5: bool = icmp ult v12, v2
                    branch v5, block2, block9
                block2:
                    v6: i64 = mul nuw v4, v9
                    v7: i64 = add nuw v10, v6
                    store.global v7, v11
                    v15: i32 = const 1
                    v13: i32 = add nuw v12, v15
                    jump block1(v13)
                block9:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_stride_that_may_leave_32_bits() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i32 = param0
                v3: i64 = zext v2
                v8: i32 = special ntid.x
                v20: i32 = special nctaid.x
                v21: i32 = mul nuw v20, v8
                v9: i64 = zext v21
                jump block1(v1)
            block1(v4: i64):
                v5: bool = icmp ult v4, v3
                branch v5, block2, block9
            block2:
                store.shared v2, v4
                v7: i64 = add v4, v9
                jump block1(v7)
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = special tid.x
                    v1: i64 = zext v0
                    v2: i32 = param0
                    v3: i64 = zext v2
                    v8: i32 = special ntid.x
                    v20: i32 = special nctaid.x
                    v21: i32 = mul nuw v20, v8
                    v9: i64 = zext v21
                    jump block1(v1)
                block1(v4: i64):
                    v5: bool = icmp ult v4, v3
                    branch v5, block2, block9
                block2:
                    store.shared v2, v4
                    v7: i64 = add v4, v9
                    jump block1(v7)
                block9:
                    return
                }
            "#]],
        );
    }

    /// `(gid..n).step_by(stride)` never goes past `n`.
    #[test]
    fn a_stepped_range() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x
                v1: i64 = zext v0
                v2: i32 = param0
                v3: i64 = zext v2
                v8: i32 = special ntid.x
                v20: i32 = special nctaid.x
                v21: i32 = mul nuw v20, v8
                v9: i64 = zext v21
                v10: bool = icmp ult v1, v3
                branch v10, block1, block9
            block1:
                jump block2(v1)
            block2(v4: i64):
                store.shared v2, v4
                v11: i64 = sub nuw v3, v4
                v12: bool = icmp ult v9, v11
                branch v12, block5, block9
            block5:
                v7: i64 = add nuw v4, v9
                jump block2(v7)
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = special tid.x
                    v2: i32 = param0
                    v8: i32 = special ntid.x
                    v20: i32 = special nctaid.x
                    v21: i32 = mul nuw v20, v8
                    v10: bool = icmp ult v0, v2
                    branch v10, block1, block9
                block1:
                    jump block2(v0)
                block2(v22: i32):
                    v4: i64 = zext v22
                    store.shared v2, v4
                    v23: i32 = sub nuw v2, v22
                    v12: bool = icmp ult v21, v23
                    branch v12, block5, block9
                block5:
                    v24: i32 = add nuw v22, v21
                    jump block2(v24)
                block9:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn arithmetic() {
        check(
            "kernel k(param0 a: i32, param1 b: i32, param2 c: i64, param3 p: i64 ptr align 8, param4 h: i16) {
            block0:
                v0: i32 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i64 = param3
                v4: i64 = zext v0
                v5: i64 = zext v1
                v6: i64 = add v4, v5
                v7: i64 = const 1023
                v8: i64 = and v2, v7
                v9: i64 = urem v4, v7
                v10: i64 = mul v8, v9
                v11: i64 = sub v10, v8
                v12: bool = icmp ult v4, v5
                v13: i64 = select v12, v4, v5
                v14: i64 = sdiv v13, v7
                v15: i64 = const 5
                v16: i64 = ashr v14, v15
                v17: f32 = s2f v16
                v18: bool = icmp slt v16, v8
                v19: i16 = param4
                v20: i64 = zext v19
                v21: i64 = umax v20, v16
                store.global v3, v6
                store.global v3, v10
                store.global v3, v11
                store.global v3, v17
                store.global v3, v18
                store.global v3, v21
                return
            }",
            expect![[r#"
                kernel k(param0 a: i32, param1 b: i32, param2 c: i64, param3 p: i64 ptr align 8, param4 h: i16) {
                block0:
                    v0: i32 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i64 = param3
                    v4: i64 = zext v0
                    v5: i64 = zext v1
                    v6: i64 = add v4, v5
                    v29: i32 = trunc_int v2
                    v30: i32 = const 1023
                    v22: i32 = and v29, v30
                    v8: i64 = zext v22
                    v23: i32 = urem v0, v30
                    v24: i32 = mul nuw v22, v23
                    v10: i64 = zext v24
                    v11: i64 = sub v10, v8
                    v25: i32 = umin v0, v1
                    v26: i32 = udiv v25, v30
                    v33: i32 = const 5
                    v27: i32 = lshr v26, v33
                    v17: f32 = u2f v27
                    v18: bool = icmp ult v27, v22
                    v19: i16 = param4
                    v34: i32 = zext v19
                    v28: i32 = umax v34, v27
                    v21: i64 = zext v28
                    store.global v3, v6
                    store.global v3, v10
                    store.global v3, v11
                    store.global v3, v17
                    store.global v3, v18
                    store.global v3, v21
                    return
                }
            "#]],
        );
    }

    /// The index needs only the low halves of its operands, whatever is in the high ones.
    #[test]
    fn only_low_halves_are_needed() {
        check(
            "kernel k(param0 width: i64, param1 x: i64 ptr align 4, param2 at: i64) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i64 = const 18446744073709551615
                v4: i64 = mul v2, v0
                v5: i64 = add v4, v3
                v6: i64 = sub v5, v0
                v7: i32 = trunc_int v6
                v8: i64 = zext v7
                v9: i64 = const 4
                v10: i64 = mul nuw v8, v9
                v11: i64 = add v1, v10
                store.global v11, v7
                return
            }",
            expect![[r#"
                kernel k(param0 width: i64, param1 x: i64 ptr align 4, param2 at: i64) {
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    v15: i32 = trunc_int v2
                    v16: i32 = trunc_int v0
                    v12: i32 = mul v15, v16
                    v17: i32 = const -1
                    v13: i32 = add v12, v17
                    v14: i32 = sub v13, v16
                    v6: i64 = zext v14
                    v9: i64 = const 4
                    v10: i64 = mul nuw v6, v9
                    v11: i64 = add v1, v10
                    store.global v11, v14
                    return
                }
            "#]],
        );
    }

    /// A comparison needs all of the sum.
    #[test]
    fn high_halves_are_needed() {
        check(
            "kernel k(param0 width: i64, param1 at: i64) {
            block0:
                v0: i64 = param0
                v2: i64 = param1
                v5: i64 = add v0, v2
                v6: i32 = trunc_int v5
                v7: bool = icmp ult v5, v0
                store.shared v6, v7
                return
            }",
            expect![[r#"
                kernel k(param0 width: i64, param1 at: i64) {
                block0:
                    v0: i64 = param0
                    v2: i64 = param1
                    v5: i64 = add v0, v2
                    v6: i32 = trunc_int v5
                    v7: bool = icmp ult v5, v0
                    store.shared v6, v7
                    return
                }
            "#]],
        );
    }

    /// `x[i as usize]`: a signed number below 2³¹, or below a length of at most that, is compared in 32 bits.
    #[test]
    fn checks_of_signed_indices() {
        let text = |length: &str| {
            format!(
                "kernel k(param0 i: i32, param1 n: i32) {{
            block0:
                v0: i32 = param0
                v1: i64 = sext v0
                v2: i32 = param1
                {length}
                v4: bool = icmp ult v1, v3
                v5: bool = icmp ule v3, v1
                v6: bool = icmp ult v3, v1
                store.shared v2, v4
                store.shared v2, v5
                store.shared v2, v6
                return
            }}"
            )
        };
        check(
            &text("v3: i64 = zext v2"),
            expect![[r#"
            kernel k(param0 i: i32, param1 n: i32) {
            block0:
                v0: i32 = param0
                v1: i64 = sext v0
                v2: i32 = param1
                v3: i64 = zext v2
                v8: i32 = const 0x80000000
                v9: i32 = umin v2, v8
                v4: bool = icmp ult v0, v9
                v5: bool = icmp ule v9, v0
                v6: bool = icmp ult v3, v1
                store.shared v2, v4
                store.shared v2, v5
                store.shared v2, v6
                return
            }
        "#]],
        );
        check(
            &text("v3: i64 = const 12"),
            expect![[r#"
            kernel k(param0 i: i32, param1 n: i32) {
            block0:
                v0: i32 = param0
                v1: i64 = sext v0
                v2: i32 = param1
                v3: i64 = const 12
                v8: i32 = const 12
                v4: bool = icmp ult v0, v8
                v5: bool = icmp uge v0, v8
                v6: bool = icmp ugt v1, v3
                store.shared v2, v4
                store.shared v2, v5
                store.shared v2, v6
                return
            }
        "#]],
        );
    }

    /// `x.wrapping_sub(1) < n`: a number that wraps is above a length in 32 bits, too, if that is below the number that it then is.
    #[test]
    fn comparisons_of_what_may_wrap() {
        let text = |sum: &str| {
            format!(
                "kernel k(param0 i: i32, param1 n: i32) {{
            block0:
                v0: i32 = param0
                v1: i64 = zext v0
                v2: i32 = param1
                v3: i64 = zext v2
                {sum}
                v6: bool = icmp ult v5, v3
                store.shared v2, v6
                return
            }}"
            )
        };
        check(
            &text("v4: i64 = const 1 v5: i64 = sub v1, v4"),
            expect![[r#"
            kernel k(param0 i: i32, param1 n: i32) {
            block0:
                v0: i32 = param0
                v2: i32 = param1
                v8: i32 = const 1
                v7: i32 = sub v0, v8
                v6: bool = icmp ult v7, v2
                store.shared v2, v6
                return
            }
        "#]],
        );
        check(
            &text("v4: i64 = const -16 v5: i64 = add v1, v4"),
            expect![[r#"
            kernel k(param0 i: i32, param1 n: i32) {
            block0:
                v0: i32 = param0
                v2: i32 = param1
                v8: i32 = const -16
                v7: i32 = add v0, v8
                v10: i32 = umin v2, v8
                v6: bool = icmp ult v7, v10
                store.shared v2, v6
                return
            }
        "#]],
        );
        // Above zero, and by more than 32 bits.
        check(
            &text("v4: i64 = const 1 v5: i64 = add v1, v4"),
            expect![[r#"
            kernel k(param0 i: i32, param1 n: i32) {
            block0:
                v0: i32 = param0
                v1: i64 = zext v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = const 1
                v5: i64 = add v1, v4
                v6: bool = icmp ult v5, v3
                store.shared v2, v6
                return
            }
        "#]],
        );
        check(
            &text("v4: i64 = const 0x100000001 v5: i64 = sub v1, v4"),
            expect![[r#"
            kernel k(param0 i: i32, param1 n: i32) {
            block0:
                v0: i32 = param0
                v1: i64 = zext v0
                v2: i32 = param1
                v3: i64 = zext v2
                v4: i64 = const 0x100000001
                v5: i64 = sub v1, v4
                v6: bool = icmp ult v5, v3
                store.shared v2, v6
                return
            }
        "#]],
        );
    }

    /// The ends of a binary search are below its length by their order, of which intervals know nothing.
    #[test]
    fn a_binary_search() {
        check(
            "kernel k(param0 n: i32, param1 x: i64 ptr align 4, param2 key: i32) {
            block0:
                v0: i32 = param0
                v1: i64 = zext v0
                v2: i64 = param1
                v3: i32 = param2
                v4: i64 = const 0
                v5: i64 = const 1
                v6: i64 = const 4
                jump block1(v4, v1)
            block1(v7: i64, v8: i64):
                v9: bool = icmp ult v7, v8
                branch v9, block2, block5
            block2:
                v10: i64 = sub v8, v7
                v11: i64 = lshr v10, v5
                v12: i64 = add v7, v11
                v13: i64 = mul nuw v12, v6
                v14: i64 = add nuw v2, v13
                v15: i32 = load.global v14
                v16: bool = icmp ult v15, v3
                branch v16, block3, block4
            block3:
                v17: i64 = add v12, v5
                jump block1(v17, v8)
            block4:
                jump block1(v7, v12)
            block5:
                store.shared v0, v7
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: i64 ptr align 4, param2 key: i32) {
                block0:
                    v0: i32 = param0
                    v2: i64 = param1
                    v3: i32 = param2
                    v6: i64 = const 4
                    v24: i32 = const 0
                    jump block1(v24, v0)
                block1(v18: i32, v19: i32):
                    v7: i64 = zext v18
                    v9: bool = icmp ult v18, v19
                    branch v9, block2, block5
                block2:
                    v20: i32 = sub nuw v19, v18
                    v25: i32 = const 1
                    v21: i32 = lshr v20, v25
                    v22: i32 = add nuw v18, v21
                    v12: i64 = zext v22
                    v13: i64 = mul nuw v12, v6
                    v14: i64 = add nuw v2, v13
                    v15: i32 = load.global v14
                    v16: bool = icmp ult v15, v3
                    branch v16, block3, block4
                block3:
                    v23: i32 = add nuw v22, v25
                    jump block1(v23, v19)
                block4:
                    jump block1(v18, v22)
                block5:
                    store.shared v0, v7
                    return
                }
            "#]],
        );
    }

    /// The quotient of what is below 4096 here and 64 bits wide elsewhere.
    #[test]
    fn quotients_of_what_fits_here() {
        check(
            "kernel k(param0 i: i64) {
            block0:
                v0: i64 = param0
                v1: i64 = const 4096
                v2: i64 = const 8
                v5: i32 = const 0
                v3: bool = icmp ult v0, v1
                branch v3, block1, block2
            block1:
                v4: i64 = lshr v0, v2
                store.shared v5, v4
                jump block2
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 i: i64) {
                block0:
                    v0: i64 = param0
                    v1: i64 = const 4096
                    v5: i32 = const 0
                    v3: bool = icmp ult v0, v1
                    branch v3, block1, block2
                block1:
                    v7: i32 = trunc_int v0
                    v8: i32 = const 8
                    v6: i32 = lshr v7, v8
                    v4: i64 = zext v6
                    store.shared v5, v4
                    jump block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_guard_makes_it_fit() {
        check(
            "kernel k(param0 n: i64) {
            block0:
                v0: i64 = param0
                v1: i64 = const 1000
                v2: bool = icmp ult v0, v1
                branch v2, block1, block2
            block1:
                v3: i64 = mul v0, v1
                v4: i64 = const 3
                v5: i64 = udiv v3, v4
                v6: i32 = trunc_int v5
                store.shared v6, v6
                return
            block2:
                v7: i64 = udiv v0, v1
                v8: i32 = trunc_int v7
                store.shared v8, v8
                return
            }",
            expect![[r#"
                kernel k(param0 n: i64) {
                block0:
                    v0: i64 = param0
                    v1: i64 = const 1000
                    v2: bool = icmp ult v0, v1
                    branch v2, block1, block2
                block1:
                    v3: i64 = mul v0, v1
                    v10: i32 = trunc_int v3
                    v11: i32 = const 3
                    v9: i32 = udiv v10, v11
                    store.shared v9, v9
                    return
                block2:
                    v7: i64 = udiv v0, v1
                    v8: i32 = trunc_int v7
                    store.shared v8, v8
                    return
                }
            "#]],
        );
    }
}
