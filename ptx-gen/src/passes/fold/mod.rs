//! Computes what is constant and simplifies what is nearly so.
//!
//! One walk in reverse postorder, in which operands were simplified before their users. Integer rules hold for all values
//! of the width ([`int`], [`identities`]); of floating-point rules only those that change neither a zero's sign nor a NaN's bits
//! ([`float`]), so there are few. Constants go to the right of operations that commute.

mod convert;
mod float;
mod identities;
mod int;
mod known_bits;
mod logic;

use super::renames::Renames;
use crate::analysis::Cfg;
use crate::ir::{BinaryOp, Block, Function, Inst, InstData, SourceLoc, Space, Type, Value};
use kernel_abi::eval;

/// See the head of this file.
pub fn fold_constants(func: &mut Function) {
    let cfg = Cfg::new(func);
    let renames = Renames::new(func);
    let mut folder = Folder { func, renames, out: Vec::new(), location: SourceLoc::default() };
    for &block in cfg.order() {
        folder.block(block);
    }
    let Folder { func, renames, .. } = folder;
    // Arguments along back edges may name what was simplified later.
    renames.apply(func);
}

/// Replacement of an instruction.
enum Rewrite {
    /// A value that is there already.
    Value(Value),
    /// A constant.
    Bits(u64),
    /// Another instruction with the same result.
    Data(InstData),
}

struct Folder<'f> {
    func: &'f mut Function,
    renames: Renames,
    /// The instructions of the block so far.
    out: Vec<Inst>,
    location: SourceLoc,
}

/// Maximum number of rewrites of an instruction before the next one.
const REPEAT: usize = 4;

impl Folder<'_> {
    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        self.out.reserve(insts.len());
        for inst in insts {
            self.func.insts[inst].map_args(|value| self.renames.resolve(value));
            let result = self.func.results[inst];
            match result {
                Some(result) if self.is_replaced(inst, result) => {}
                Some(_) => self.out.push(inst),
                None => {
                    self.branch(inst);
                    self.out.push(inst);
                }
            }
        }
        self.func.blocks[block].insts = std::mem::take(&mut self.out);
    }

    /// Simplifies an instruction. Whether another value stands for its result now.
    fn is_replaced(&mut self, inst: Inst, result: Value) -> bool {
        let ty = self.func.ty(result);
        self.location = self.func.locations[inst];
        for _ in 0..REPEAT {
            let data = self.func.insts[inst].clone();
            match self.simplify(&data, ty) {
                None => return false,
                Some(Rewrite::Value(value)) => {
                    self.renames.replace(result, value);
                    return true;
                }
                Some(Rewrite::Bits(bits)) => self.func.insts[inst] = InstData::Const { bits },
                Some(Rewrite::Data(data)) => self.func.insts[inst] = data,
            }
        }
        false
    }

    fn simplify(&mut self, data: &InstData, ty: Type) -> Option<Rewrite> {
        match *data {
            InstData::Unary { op, arg } => {
                if let Some(a) = self.bits(arg) {
                    return eval::unary(op, ty, a).map(Rewrite::Bits);
                }
                self.unary(op, arg)
            }
            InstData::Binary { op, args: [a, b], no_unsigned_wrap } => {
                if let (Some(a), Some(b)) = (self.bits(a), self.bits(b)) {
                    return eval::binary(op, ty, a, b).map(Rewrite::Bits);
                }
                if self.bits(a).is_some() && op.is_commutative() {
                    return Some(Rewrite::Data(InstData::Binary { op, args: [b, a], no_unsigned_wrap }));
                }
                match ty {
                    Type::Bool => self.bool_binary(op, [a, b]),
                    Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                        self.int_binary(op, ty, [a, b], no_unsigned_wrap)
                    }
                    Type::F32 | Type::F64 | Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => {
                        self.float_binary(op, ty, [a, b])
                    }
                }
            }
            InstData::Fma { args } => {
                let [a, b, c] = args.map(|arg| self.bits(arg));
                eval::fma(ty, [a?, b?, c?]).map(Rewrite::Bits)
            }
            InstData::Select { cond, if_true, if_false } => self.select(cond, if_true, if_false, ty),
            InstData::IntCompare { cond, args } => self.int_compare(cond, args),
            InstData::FloatCompare { cond, args } => {
                let [a, b] = args.map(|arg| self.bits(arg));
                Some(Rewrite::Bits(eval::float_compare(cond, self.func.ty(args[0]), a?, b?).into()))
            }
            InstData::Convert { op, arg } => {
                let from = self.func.ty(arg);
                match self.bits(arg) {
                    Some(a) => eval::convert(op, from, ty, a).map(Rewrite::Bits),
                    None => self.convert(op, arg, ty),
                }
            }
            InstData::Pack { args: [low, high] } => {
                if let (Some(low), Some(high)) = (self.bits(low), self.bits(high)) {
                    return Some(Rewrite::Bits(high << 16 | low));
                }
                // Both lanes of one pair, in their places.
                match (self.func.def(low)?, self.func.def(high)?) {
                    (&InstData::Extract { arg, lane: 0 }, &InstData::Extract { arg: other, lane: 1 })
                        if arg == other =>
                    {
                        Some(Rewrite::Value(arg))
                    }
                    _ => None,
                }
            }
            InstData::Extract { arg, lane } => match *self.func.def(arg)? {
                InstData::Const { bits } => Some(Rewrite::Bits(bits >> (16 * u32::from(lane)) & 0xffff)),
                InstData::Pack { args } => Some(Rewrite::Value(args[usize::from(lane)])),
                _ => None,
            },
            InstData::Load { space: Space::Const, address, offset, .. } => {
                self.constant_data(address, offset, ty).map(Rewrite::Bits)
            }
            InstData::Const { .. }
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
            | InstData::Inline { .. }
            | InstData::InlineOut { .. }
            | InstData::InlineEffect { .. }
            | InstData::Guarded { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::NamedBarrier { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Return
            | InstData::Panic { .. } => None,
        }
    }

    /// The constant data at a known offset.
    fn constant_data(&self, address: Value, offset: i32, ty: Type) -> Option<u64> {
        let (var, at) = match *self.func.def(address)? {
            InstData::ConstAddress { var } => (var, 0),
            InstData::Binary { op: BinaryOp::Add, args: [base, added], .. } => {
                let &InstData::ConstAddress { var } = self.func.def(base)? else { return None };
                (var, self.bits(added)? as i64)
            }
            _ => return None,
        };
        let start = usize::try_from(at.checked_add(offset.into())?).ok()?;
        let bytes = self.func.consts[var].bytes.get(start..)?.get(..ty.bytes() as usize)?;
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        Some(if ty == Type::Bool { u64::from(bits != 0) } else { bits })
    }

    /// A branch on a negation is the other branch.
    fn branch(&mut self, inst: Inst) {
        while let InstData::Branch { cond, .. } = self.func.insts[inst]
            && let Some(positive) = self.negated(cond)
            && let InstData::Branch { cond, if_true, if_false, .. } = &mut self.func.insts[inst]
        {
            *cond = positive;
            std::mem::swap(if_true, if_false);
        }
    }

    // Helpers of the rules.

    /// The bits of a value that is a constant.
    fn bits(&self, value: Value) -> Option<u64> {
        self.func.constant(value)
    }

    /// A constant before the instruction.
    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.new_value(InstData::Const { bits: bits & ty.mask() }, ty)
    }

    /// An instruction before this one.
    fn new_value(&mut self, data: InstData, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(data, ty, self.location);
        self.out.push(inst);
        value
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Checks the folded instructions of a body, whose operands are these and constants:
    /// `a b: i32`, `c d: i64`, `p q: bool`, `x y: f32`.
    #[track_caller]
    fn check(body: &str, expect: Expect) {
        let mut text = String::from(
            "kernel k(param0 a: i32, param1 b: i32, param2 c: i64, param3 d: i64,
                 param4 p: bool, param5 q: bool, param6 x: f32, param7 y: f32) { block0:\n",
        );
        let mut body = body.to_owned();
        for (index, (name, ty)) in [
            ("a", "i32"),
            ("b", "i32"),
            ("c", "i64"),
            ("d", "i64"),
            ("p", "bool"),
            ("q", "bool"),
            ("x", "f32"),
            ("y", "f32"),
        ]
        .into_iter()
        .enumerate()
        {
            text += &format!("v{index}: {ty} = param{index}\n");
            body = body.replace(&format!("%{name}"), &format!("v{index}"));
        }
        text += &body;
        text += "\nreturn }";
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        crate::passes::assert_valid("none yet", &func);
        fold_constants(&mut func);
        crate::passes::assert_valid("under test", &func);
        let insts = func.blocks[func.entry()].insts.iter().skip(8);
        let lines: String = insts.map(|&inst| format!("{}\n", func.display_inst(inst))).collect();
        expect.assert_eq(lines.trim_end_matches("return\n"));
    }

    #[test]
    fn constants() {
        check(
            "v10: i32 = const 7 v11: i32 = const -2
             v12: i32 = mul v10, v11
             v13: i64 = sext v12
             v14: bool = icmp slt v13, v13
             v15: f32 = s2f v12
             v16: f32 = fdiv v15, v15
             v17: i32 = const 0
             v18: i32 = udiv v10, v17
             v19: f32 = const 0.0
             v20: f32 = fdiv v19, v19",
            expect![[r#"
                v10: i32 = const 7
                v11: i32 = const -2
                v12: i32 = const -14
                v13: i64 = const -14
                v14: bool = const false
                v15: f32 = const -14.0
                v16: f32 = const 1.0
                v17: i32 = const 0
                v18: i32 = udiv v10, v17
                v19: f32 = const 0.0
                v20: f32 = fdiv v19, v19
            "#]],
        );
    }

    #[test]
    fn multiples_of_extended_multiples() {
        check(
            "v10: i32 = const 2 v11: i64 = const 4 v12: i64 = const 0x100000000
             v13: i32 = mul nuw %a, v10
             v14: i64 = zext v13
             v15: i64 = mul v14, v11
             v16: i64 = mul v14, v12
             v17: i32 = mul %a, v10
             v18: i64 = zext v17
             v19: i64 = mul v18, v11
             store.shared %a, v15 store.shared %a, v16 store.shared %a, v19",
            expect![[r#"
                v10: i32 = const 2
                v11: i64 = const 4
                v12: i64 = const 0x100000000
                v13: i32 = mul nuw v0, v10
                v14: i64 = zext v13
                v20: i64 = zext v0
                v21: i64 = const 8
                v15: i64 = mul nuw v20, v21
                v16: i64 = mul v14, v12
                v17: i32 = mul v0, v10
                v18: i64 = zext v17
                v19: i64 = mul v18, v11
                store.shared v0, v15
                store.shared v0, v16
                store.shared v0, v19
            "#]],
        );
    }

    #[test]
    fn negative_numbers_are_not_subtracted() {
        check(
            "v10: i32 = const -3 v11: i32 = sub %a, v10 v12: i32 = const -2147483648 v13: i32 = sub %a, v12
             store.shared %a, v11 store.shared %a, v13",
            expect![[r#"
                v10: i32 = const -3
                v14: i32 = const 3
                v11: i32 = add v0, v14
                v12: i32 = const 0x80000000
                v13: i32 = sub v0, v12
                store.shared v0, v11
                store.shared v0, v13
            "#]],
        );
    }

    /// Those of the table, and tests of a bit.
    #[test]
    fn identities_of_the_table() {
        check(
            "v10: i32 = const 0 v11: i32 = const 4
             v20: i32 = urem v10, %a
             v21: i32 = udiv v10, %a
             v22: i32 = udiv %a, %a
             v23: i32 = or %a, %b v24: i32 = and v23, %a
             v25: i32 = mul nuw %a, %b v26: i32 = udiv v25, %a
             v27: i32 = sub %a, %b v28: i32 = add %b, v27
             v29: i32 = urem %a, %b v30: bool = icmp uge v29, %b
             v31: i32 = and %a, v11 v32: bool = icmp eq v31, v11
             store.shared v20, v21 store.shared v22, v24 store.shared v26, v28 store.shared v20, v30 store.shared v20, v32",
            expect![[r#"
                v10: i32 = const 0
                v11: i32 = const 4
                v20: i32 = const 0
                v21: i32 = const 0
                v22: i32 = const 1
                v23: i32 = or v0, v1
                v25: i32 = mul nuw v0, v1
                v27: i32 = sub v0, v1
                v29: i32 = urem v0, v1
                v30: bool = const false
                v31: i32 = and v0, v11
                v33: i32 = const 0
                v32: bool = icmp ne v31, v33
                store.shared v20, v21
                store.shared v22, v0
                store.shared v1, v0
                store.shared v20, v30
                store.shared v20, v32
            "#]],
        );
    }

    #[test]
    fn float_identities() {
        check(
            "v10: f32 = const 0.0 v11: f32 = const -0.0 v12: f32 = const 1.0
             v20: f32 = fadd %x, %y
             v21: f32 = fsub v20, v10
             v22: f32 = fadd v11, v20
             v23: f32 = fmul v20, v12
             v24: f32 = fadd v20, v10
             v25: f32 = fsub %x, v10
             store.shared %a, v21 store.shared %a, v22 store.shared %a, v23 store.shared %a, v24 store.shared %a, v25",
            expect![[r#"
                v10: f32 = const 0.0
                v11: f32 = const -0.0
                v12: f32 = const 1.0
                v20: f32 = fadd v6, v7
                v24: f32 = fadd v20, v10
                v25: f32 = fsub v6, v10
                store.shared v0, v20
                store.shared v0, v20
                store.shared v0, v20
                store.shared v0, v24
                store.shared v0, v25
            "#]],
        );
    }

    #[test]
    fn integer_identities() {
        check(
            "v10: i32 = const 0 v11: i32 = const 1 v12: i32 = const 8 v13: i32 = const -1
             v20: i32 = add v10, %a
             v21: i32 = sub %a, v10
             v22: i32 = sub %a, %a
             v23: i32 = mul v11, %a
             v24: i32 = mul %a, v10
             v25: i32 = udiv %a, v12
             v26: i32 = urem %a, v12
             v27: i32 = sdiv %a, v12
             v28: i32 = srem %a, v11
             v29: i32 = and %a, v13
             v30: i32 = or %a, v13
             v31: i32 = xor %a, %a
             v32: i32 = shl %a, v10
             v33: i32 = umin %a, v10
             v34: i32 = smax %a, %a
             v35: i32 = lshr v10, %a
             store.shared v20, v21 store.shared v20, v29 store.shared v20, v32 store.shared v20, v34",
            expect![[r#"
                v10: i32 = const 0
                v11: i32 = const 1
                v12: i32 = const 8
                v13: i32 = const -1
                v22: i32 = const 0
                v24: i32 = const 0
                v36: i32 = const 3
                v25: i32 = lshr v0, v36
                v37: i32 = const 7
                v26: i32 = and v0, v37
                v27: i32 = sdiv v0, v12
                v28: i32 = const 0
                v30: i32 = const -1
                v31: i32 = const 0
                v33: i32 = const 0
                v35: i32 = const 0
                store.shared v0, v0
                store.shared v0, v0
                store.shared v0, v0
                store.shared v0, v0
            "#]],
        );
    }

    #[test]
    fn constants_gather() {
        check(
            "v10: i32 = const 3 v11: i32 = const 5
             v20: i32 = add nuw v10, %a
             v21: i32 = add nuw v20, v11
             v22: i32 = sub v21, v10
             v23: i32 = and %b, v10
             v24: i32 = and v23, v11
             v25: i32 = shl %b, v10
             v26: i32 = shl v25, v11
             v27: i32 = mul %b, v10
             v28: i32 = mul v27, v11",
            expect![[r#"
                v10: i32 = const 3
                v11: i32 = const 5
                v20: i32 = add nuw v0, v10
                v29: i32 = const 8
                v21: i32 = add nuw v0, v29
                v30: i32 = const 5
                v22: i32 = add nuw v0, v30
                v23: i32 = and v1, v10
                v31: i32 = const 1
                v24: i32 = and v1, v31
                v25: i32 = shl v1, v10
                v32: i32 = const 8
                v26: i32 = shl v1, v32
                v27: i32 = mul v1, v10
                v33: i32 = const 15
                v28: i32 = mul v1, v33
            "#]],
        );
    }

    #[test]
    fn comparisons() {
        check(
            "v10: i32 = const 0 v11: i32 = const 1 v12: i32 = const -1 v13: bool = const true
             v20: bool = icmp ult v10, %a
             v21: bool = icmp ult %a, v10
             v22: bool = icmp uge %a, %a
             v23: bool = icmp ule %a, v12
             v24: bool = icmp ult %a, v11
             v25: bool = icmp eq %p, v13
             v26: bool = icmp ne %p, v13
             v27: bool = not v20
             v28: bool = not v27
             v29: i64 = zext %a
             v30: i64 = zext %b
             v31: bool = icmp slt v29, v30
             v32: i64 = const 0x100000000
             v33: bool = icmp ult v29, v32
             v34: i64 = const 9
             v35: bool = icmp ugt v29, v34
             v36: i64 = zext %p
             v37: i64 = const 0
             v38: bool = icmp ne v36, v37
             branch v28, block1, block2
             block1: store.shared %a, v38 store.shared %a, v26 store.shared %a, v25 return
             block2:",
            expect![[r#"
                v10: i32 = const 0
                v11: i32 = const 1
                v12: i32 = const -1
                v13: bool = const true
                v39: i32 = const 0
                v20: bool = icmp ne v0, v39
                v21: bool = const false
                v22: bool = const true
                v23: bool = const true
                v40: i32 = const 0
                v24: bool = icmp eq v0, v40
                v26: bool = not v4
                v27: bool = icmp eq v0, v39
                v28: bool = icmp ne v0, v39
                v29: i64 = zext v0
                v30: i64 = zext v1
                v31: bool = icmp ult v0, v1
                v32: i64 = const 0x100000000
                v33: bool = const true
                v34: i64 = const 9
                v41: i32 = const 9
                v35: bool = icmp ugt v0, v41
                v36: i64 = zext v4
                v37: i64 = const 0
                v42: bool = const false
                branch v28, block1, block2
            "#]],
        );
    }

    #[test]
    fn remainders_that_are_zero() {
        check(
            "v10: i32 = const 8 v11: i32 = const 6 v12: i32 = const 0 v13: i32 = const 1
             v14: i32 = srem %a, v10 v15: bool = icmp eq v14, v12 v16: bool = icmp eq v14, v13
             v17: i32 = srem %a, v11 v18: bool = icmp ne v17, v12
             v19: i32 = select v15, %a, %b v20: i32 = select v16, %a, %b v21: i32 = select v18, %a, %b",
            expect![[r#"
                v10: i32 = const 8
                v11: i32 = const 6
                v12: i32 = const 0
                v13: i32 = const 1
                v14: i32 = srem v0, v10
                v22: i32 = const 7
                v23: i32 = and v0, v22
                v24: i32 = const 0
                v15: bool = icmp eq v23, v24
                v16: bool = icmp eq v14, v13
                v17: i32 = srem v0, v11
                v18: bool = icmp ne v17, v12
                v19: i32 = select v15, v0, v1
                v20: i32 = select v16, v0, v1
                v21: i32 = select v18, v0, v1
            "#]],
        );
    }

    #[test]
    fn what_is_left_to_a_bound() {
        check(
            "v10: i32 = const 100
             v11: i32 = const 30
             v12: i32 = sub nuw v10, %a
             v13: bool = icmp ugt v12, v11
             v14: bool = icmp ule v12, v11
             v15: bool = icmp eq v12, v11
             v16: i32 = const 200
             v17: bool = icmp ult v12, v16
             v18: bool = icmp eq v12, v16
             v19: i32 = sub v10, %a
             v20: bool = icmp ugt v19, v11
             v21: bool = icmp sgt v12, v11",
            expect![[r#"
                v10: i32 = const 100
                v11: i32 = const 30
                v12: i32 = sub nuw v10, v0
                v22: i32 = const 70
                v13: bool = icmp ult v0, v22
                v23: i32 = const 70
                v14: bool = icmp uge v0, v23
                v24: i32 = const 70
                v15: bool = icmp eq v0, v24
                v16: i32 = const 200
                v17: bool = const true
                v18: bool = const false
                v19: i32 = sub v10, v0
                v20: bool = icmp ugt v19, v11
                v21: bool = icmp sgt v12, v11
            "#]],
        );
    }

    /// The end of a row less its start is its length, also where both were computed apart.
    #[test]
    fn lengths_of_rows() {
        check(
            "v10: i32 = mul %a, %b
             v11: i32 = mul %b, %a
             v12: i32 = add v10, %b
             v13: i32 = sub v12, v11
             v14: i32 = mul %a, %a
             v15: i32 = sub v12, v14
             v16: i32 = shl %a, %b
             v17: i32 = shl %b, %a
             v18: i32 = add v16, %a
             v19: i32 = sub v18, v17
             store.shared v13, v15
             store.shared v13, v19",
            expect![[r#"
                v10: i32 = mul v0, v1
                v11: i32 = mul v1, v0
                v12: i32 = add v10, v1
                v14: i32 = mul v0, v0
                v15: i32 = sub v12, v14
                v16: i32 = shl v0, v1
                v17: i32 = shl v1, v0
                v18: i32 = add v16, v0
                v19: i32 = sub v18, v17
                store.shared v1, v15
                store.shared v1, v19
            "#]],
        );
    }

    #[test]
    fn saturating_differences() {
        check(
            "v10: i32 = const 0
             v11: i32 = sub %a, %b
             v12: bool = icmp ult %a, %b
             v13: i32 = select v12, v10, v11
             v14: bool = icmp ugt %a, %b
             v15: i32 = select v14, v11, v10
             v16: i32 = select v14, v10, v11
             v17: bool = icmp sgt %a, %b
             v18: i32 = select v17, v11, v10
             v19: i64 = zext %a
             v20: i64 = sub v19, %c
             v21: i32 = trunc_int v20
             v22: i64 = sub %c, v19
             v23: i32 = trunc_int v22
             store.shared v13, v15
             store.shared v16, v18
             store.shared v21, v23",
            expect![[r#"
                v10: i32 = const 0
                v11: i32 = sub v0, v1
                v12: bool = icmp ult v0, v1
                v24: i32 = umax v0, v1
                v13: i32 = sub nuw v24, v1
                v14: bool = icmp ugt v0, v1
                v25: i32 = umax v0, v1
                v15: i32 = sub nuw v25, v1
                v16: i32 = select v14, v10, v11
                v17: bool = icmp sgt v0, v1
                v18: i32 = select v17, v11, v10
                v19: i64 = zext v0
                v20: i64 = sub v19, v2
                v26: i32 = trunc_int v2
                v21: i32 = sub v0, v26
                v22: i64 = sub v2, v19
                v23: i32 = trunc_int v22
                store.shared v13, v15
                store.shared v16, v18
                store.shared v21, v23
            "#]],
        );
    }

    /// Of a sum with a constant, not of any other.
    #[test]
    fn low_parts_of_sums() {
        check(
            "v10: i64 = zext %a
             v11: i64 = const 1
             v12: i64 = add v10, v11
             v13: i32 = trunc_int v12
             v14: i64 = add v10, %c
             v15: i32 = trunc_int v14
             store.shared v13, v15",
            expect![[r#"
                v10: i64 = zext v0
                v11: i64 = const 1
                v12: i64 = add v10, v11
                v16: i32 = trunc_int v11
                v13: i32 = add v0, v16
                v14: i64 = add v10, v2
                v15: i32 = trunc_int v14
                store.shared v13, v15
            "#]],
        );
    }

    #[test]
    fn differences_of_neighbours() {
        check(
            "v10: i32 = const 2
             v11: i32 = const 3
             v12: i32 = add %a, v11
             v13: i32 = sub %a, v10
             v14: i32 = sub v12, v13
             v15: i32 = sub v13, v12
             v16: i32 = sub %a, v12
             v17: i32 = add %b, v10
             v18: i32 = sub v12, v17
             store.shared v14, v15
             store.shared v16, v18",
            expect![[r#"
                v10: i32 = const 2
                v11: i32 = const 3
                v12: i32 = add v0, v11
                v13: i32 = sub v0, v10
                v14: i32 = const 5
                v15: i32 = const -5
                v16: i32 = const -3
                v17: i32 = add v1, v10
                v18: i32 = sub v12, v17
                store.shared v14, v15
                store.shared v16, v18
            "#]],
        );
    }

    #[test]
    fn differences_of_products() {
        check(
            "v10: i64 = const 1
             v11: i64 = const 3
             v12: i64 = add %c, v10
             v13: i64 = add %c, v11
             v14: i64 = mul %c, %d
             v15: i64 = mul v12, %d
             v16: i64 = mul %d, v13
             v17: i64 = sub v15, v14
             v18: i64 = sub v16, v14
             v19: i64 = shl v13, v10
             v20: i64 = shl %c, v10
             v21: i64 = sub v19, v20
             v22: i64 = mul v12, v13
             v23: i64 = sub v22, v14
             v24: i64 = sub v14, v15
             v25: i64 = sub v19, v14
             v26: i64 = const 64
             v27: i64 = mul v14, v26
             v28: i64 = mul v15, v26
             v29: i64 = sub v28, v27
             v30: i64 = mul v11, v16
             v31: i64 = mul v14, v11
             v32: i64 = sub v30, v31
             v33: i64 = mul v12, v26
             v34: i64 = mul v13, v26
             v35: i64 = mul v33, v12
             v36: i64 = mul v34, v13
             v37: i64 = sub v36, v35",
            expect![[r#"
                v10: i64 = const 1
                v11: i64 = const 3
                v12: i64 = add v2, v10
                v13: i64 = add v2, v11
                v14: i64 = mul v2, v3
                v15: i64 = mul v12, v3
                v16: i64 = mul v3, v13
                v38: i64 = const 1
                v39: i64 = const 3
                v18: i64 = mul v3, v39
                v19: i64 = shl v13, v10
                v20: i64 = shl v2, v10
                v40: i64 = const 3
                v21: i64 = const 6
                v22: i64 = mul v12, v13
                v23: i64 = sub v22, v14
                v24: i64 = sub v14, v15
                v25: i64 = sub v19, v14
                v26: i64 = const 64
                v27: i64 = mul v14, v26
                v28: i64 = mul v15, v26
                v41: i64 = const 1
                v29: i64 = mul v3, v26
                v30: i64 = mul v16, v11
                v31: i64 = mul v14, v11
                v42: i64 = const 3
                v43: i64 = mul v3, v42
                v44: i64 = const 9
                v32: i64 = mul v3, v44
                v33: i64 = mul v12, v26
                v34: i64 = mul v13, v26
                v35: i64 = mul v33, v12
                v36: i64 = mul v34, v13
                v37: i64 = sub v36, v35
            "#]],
        );
    }

    #[test]
    fn logic() {
        check(
            "v10: bool = const true v11: bool = const false
             v20: bool = and %p, v10
             v21: bool = or %p, v10
             v22: bool = xor %p, v10
             v23: bool = not v22
             v24: bool = select %p, v10, v11
             v25: bool = select %p, v11, v10
             v26: bool = select %p, v10, %q
             v27: bool = select %p, %q, v11
             v28: i32 = select v22, %a, %b
             v29: i32 = select %p, %a, %a
             v30: i32 = select v10, %a, %b
             store.shared %a, v20 store.shared %a, v23 store.shared %a, v24 store.shared v29, v30",
            expect![[r#"
                v10: bool = const true
                v11: bool = const false
                v21: bool = const true
                v22: bool = not v4
                v25: bool = not v4
                v26: bool = or v4, v5
                v27: bool = and v4, v5
                v28: i32 = select v4, v1, v0
                store.shared v0, v4
                store.shared v0, v4
                store.shared v0, v4
                store.shared v0, v0
            "#]],
        );
    }

    /// Of zeros at the ends of numbers, that there are none but zeros.
    #[test]
    fn comparisons_of_counted_zeros() {
        check(
            "v10: i32 = clz %a
             v11: i32 = ctz %b
             v12: i32 = const 32 v13: i32 = const 31
             v20: bool = icmp ult v11, v12
             v21: bool = icmp eq v10, v12
             v22: bool = icmp ult v11, v13
             store.shared %a, v20 store.shared %a, v21 store.shared %a, v22",
            expect![[r#"
                v10: i32 = clz v0
                v11: i32 = ctz v1
                v12: i32 = const 32
                v13: i32 = const 31
                v23: i32 = const 0
                v20: bool = icmp ne v1, v23
                v24: i32 = const 0
                v21: bool = icmp eq v0, v24
                v22: bool = icmp ult v11, v13
                store.shared v0, v20
                store.shared v0, v21
                store.shared v0, v22
            "#]],
        );
    }

    /// Choices of two values by two conditions, of which the first is a comparison.
    #[test]
    fn choices_by_two_conditions() {
        check(
            "v10: bool = icmp eq %a, %b
             v11: i32 = select %q, %a, %b
             v12: i32 = select v10, %a, v11
             v13: i32 = select v10, v11, %b
             v14: i32 = select %p, %a, v11
             v15: i32 = select v10, %b, v11
             store.shared v12, v13 store.shared v14, v15",
            expect![[r#"
                v10: bool = icmp eq v0, v1
                v11: i32 = select v5, v0, v1
                v16: bool = or v10, v5
                v12: i32 = select v16, v0, v1
                v17: bool = and v10, v5
                v13: i32 = select v17, v0, v1
                v14: i32 = select v4, v0, v11
                v15: i32 = select v10, v1, v11
                store.shared v12, v13
                store.shared v14, v15
            "#]],
        );
    }

    /// Comparisons of a lane's number, which is below 32.
    #[test]
    fn comparisons_by_known_bits() {
        check(
            "v10: i32 = special laneid
             v11: i32 = const 32 v12: i32 = const 31 v13: i32 = const -1
             v20: bool = icmp ult v10, v11
             v21: bool = icmp uge v10, v11
             v22: bool = icmp sle v10, v12
             v23: bool = icmp sgt v10, v13
             v24: bool = icmp eq v10, v11
             v25: bool = icmp ult v10, v12
             v26: i64 = zext v10
             v27: i64 = const 33
             v28: bool = icmp ne v26, v27
             store.shared %a, v20 store.shared %a, v21 store.shared %a, v22 store.shared %a, v23
             store.shared %a, v24 store.shared %a, v25 store.shared %a, v28",
            expect![[r#"
                v10: i32 = special laneid
                v11: i32 = const 32
                v12: i32 = const 31
                v13: i32 = const -1
                v20: bool = const true
                v21: bool = const false
                v22: bool = const true
                v23: bool = const true
                v24: bool = const false
                v25: bool = icmp ult v10, v12
                v26: i64 = zext v10
                v27: i64 = const 33
                v28: bool = const true
                store.shared v0, v20
                store.shared v0, v21
                store.shared v0, v22
                store.shared v0, v23
                store.shared v0, v24
                store.shared v0, v25
                store.shared v0, v28
            "#]],
        );
    }

    /// With bits below a power of two: `(lane | 4) < 8`, and never `(lane | 16) < 8`.
    #[test]
    fn comparisons_with_bits_set() {
        check(
            "v10: i32 = special tid.x
             v11: i32 = const 4 v12: i32 = const 8 v13: i32 = const 16 v14: i32 = const 7 v15: i32 = const 6
             v16: i32 = or v10, v11
             v17: i32 = or v10, v13
             v20: bool = icmp ult v16, v12
             v21: bool = icmp ugt v16, v14
             v22: bool = icmp ult v17, v12
             v23: bool = icmp ult v16, v15
             store.shared %a, v20 store.shared %a, v21 store.shared %a, v22 store.shared %a, v23",
            expect![[r#"
                v10: i32 = special tid.x
                v11: i32 = const 4
                v12: i32 = const 8
                v13: i32 = const 16
                v14: i32 = const 7
                v15: i32 = const 6
                v16: i32 = or v10, v11
                v17: i32 = or v10, v13
                v24: i32 = const 8
                v20: bool = icmp ult v10, v24
                v25: i32 = const 7
                v21: bool = icmp ugt v10, v25
                v22: bool = const false
                v23: bool = icmp ult v16, v15
                store.shared v0, v20
                store.shared v0, v21
                store.shared v0, v22
                store.shared v0, v23
            "#]],
        );
    }

    #[test]
    fn selection_between_equal_constants() {
        check(
            "v10: bool = const false v11: bool = const false
             v20: bool = select %p, v10, v11
             store.shared %a, v20",
            expect![[r#"
                v10: bool = const false
                v11: bool = const false
                store.shared v0, v10
            "#]],
        );
    }

    #[test]
    fn choices_of_the_lesser_and_the_greater() {
        check(
            "v10: bool = icmp ult %a, %b v11: bool = icmp sge %c, %d v12: i32 = const 7 v13: i32 = const 7
             v14: bool = icmp slt %a, v12 v15: bool = icmp eq %a, %b v16: bool = fcmp lt %x, %y
             v20: i32 = select v10, %a, %b
             v21: i32 = select v10, %b, %a
             v22: i64 = select v11, %c, %d
             v23: i32 = select v14, v13, %a
             v24: i32 = select v15, %a, %b
             v25: f32 = select v16, %x, %y
             v26: i32 = select v10, %a, v12
             store.shared %a, v20 store.shared %a, v21 store.shared %a, v22 store.shared %a, v23
             store.shared %a, v24 store.shared %a, v25 store.shared %a, v26",
            expect![[r#"
                v10: bool = icmp ult v0, v1
                v11: bool = icmp sge v2, v3
                v12: i32 = const 7
                v13: i32 = const 7
                v14: bool = icmp slt v0, v12
                v15: bool = icmp eq v0, v1
                v16: bool = fcmp lt v6, v7
                v20: i32 = umin v0, v1
                v21: i32 = umax v1, v0
                v22: i64 = smax v2, v3
                v23: i32 = smax v0, v13
                v24: i32 = select v15, v0, v1
                v25: f32 = select v16, v6, v7
                v26: i32 = select v10, v0, v12
                store.shared v0, v20
                store.shared v0, v21
                store.shared v0, v22
                store.shared v0, v23
                store.shared v0, v24
                store.shared v0, v25
                store.shared v0, v26
            "#]],
        );
    }

    #[test]
    fn conversions() {
        check(
            "v20: i64 = zext %a
             v21: i32 = trunc_int v20
             v22: i16 = trunc_int v20
             v23: i16 = trunc_int %a
             v24: i32 = zext v23
             v25: i64 = zext v24
             v26: i64 = sext v24
             v27: i8 = trunc_int v23
             v28: f32 = bitcast %a
             v29: i32 = bitcast v28
             v30: i32 = trunc_int v25
             v31: i32 = const 0xffff
             v32: i32 = and v24, v31
             store.shared %a, v21 store.shared %a, v29 store.shared %a, v32",
            expect![[r#"
                v20: i64 = zext v0
                v22: i16 = trunc_int v0
                v23: i16 = trunc_int v0
                v24: i32 = zext v23
                v25: i64 = zext v23
                v26: i64 = zext v23
                v27: i8 = trunc_int v0
                v28: f32 = bitcast v0
                v30: i32 = zext v23
                v31: i32 = const 65535
                store.shared v0, v0
                store.shared v0, v0
                store.shared v0, v24
            "#]],
        );
    }

    #[test]
    fn floats() {
        check(
            "v10: f32 = const 0.0 v11: f32 = const 1.0 v12: f32 = const 8.0 v13: f32 = const 3.0
             v20: f32 = fadd %x, v10
             v21: f32 = fmul %x, v11
             v22: f32 = fdiv %x, v12
             v23: f32 = fdiv %x, v13
             v24: f32 = fneg %x
             v25: f32 = fneg v24
             v26: f32 = fabs v24
             v27: f32 = fsub %x, %x
             v28: f32 = fma v12, v13, v11
             store.shared %a, v25",
            expect![[r#"
                v10: f32 = const 0.0
                v11: f32 = const 1.0
                v12: f32 = const 8.0
                v13: f32 = const 3.0
                v20: f32 = fadd v6, v10
                v21: f32 = fmul v6, v11
                v29: f32 = const 0.125
                v22: f32 = fmul v6, v29
                v23: f32 = fdiv v6, v13
                v24: f32 = fneg v6
                v26: f32 = fabs v6
                v27: f32 = fsub v6, v6
                v28: f32 = const 25.0
                store.shared v0, v6
            "#]],
        );
    }

    #[test]
    fn along_a_loop() {
        super::super::check(
            fold_constants,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = const 0
                jump block1(v0)
            block1(v2: i32):
                v3: i32 = add v2, v1
                v4: bool = icmp ult v3, v0
                v5: bool = not v4
                branch v5, block1(v3), block2
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = param0
                    v1: i32 = const 0
                    jump block1(v0)
                block1(v2: i32):
                    v4: bool = icmp ult v2, v0
                    v5: bool = icmp uge v2, v0
                    branch v5, block1(v2), block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn floats_of_16_bits() {
        check(
            "v10: f16 = const 1.0 v11: f16 = const 3.0 v12: f16 = const 0.25 v13: bf16 = const 6e-39
             v20: f16 = fdiv v10, v11
             v21: f32 = f2f v20
             v22: f16 = f2f %x
             v23: f16 = fdiv v22, v12
             v24: f16 = fdiv v22, v11
             v25: bf16 = f2f %x
             v26: bf16 = fdiv v25, v13
             v27: f16x2 = pack v10, v11
             v28: f16 = extract.1 v27
             v29: f16x2 = fadd v27, v27
             v30: f16x2 = pack v22, v24
             v31: f16 = extract.0 v30
             v32: f16 = extract.1 v30
             v33: f16x2 = pack v31, v32
             v34: f32 = sin_approx v21
             store.shared %a, v33",
            expect![[r#"
                v10: f16 = const 1.0
                v11: f16 = const 3.0
                v12: f16 = const 0.25
                v13: bf16 = const 5.969307e-39
                v20: f16 = const 0.33325195
                v21: f32 = const 0.33325195
                v22: f16 = f2f v6
                v35: f16 = const 4.0
                v23: f16 = fmul v22, v35
                v24: f16 = fdiv v22, v11
                v25: bf16 = f2f v6
                v26: bf16 = fdiv v25, v13
                v27: f16x2 = const 0x42003c00
                v28: f16 = const 3.0
                v29: f16x2 = const 0x46004000
                v30: f16x2 = pack v22, v24
                v33: f16x2 = pack v22, v24
                v34: f32 = sin_approx v21
                store.shared v0, v33
            "#]],
        );
    }

    /// Sums without carries: constants come out of masks, shifts and exclusive ors, as of a swizzled tile.
    #[test]
    fn known_bits() {
        check(
            "v10: i32 = const 3 v11: i32 = const 2 v12: i32 = const 4 v13: i32 = const 5 v14: i32 = const 6 v15: i32 = const 31
             v16: i32 = const 16 v17: i32 = const 64
             v20: i32 = and %a, v10
             v21: i32 = shl v20, v11
             v22: i32 = mul %b, v17
             v23: i32 = add v22, v21
             v24: i32 = add v23, v16
             v25: i32 = and v24, v15
             v26: i32 = lshr v25, v11
             v27: i32 = xor v26, v13
             v28: i32 = xor v20, v12
             v29: i32 = xor v20, v13
             v30: i32 = and v20, v15
             v31: i32 = add %a, v16
             v32: i32 = and v31, v15
             v33: i32 = xor v31, v14
             v34: i32 = lshr v31, v11
             store.shared %a, v27 store.shared %a, v28 store.shared %a, v29 store.shared %a, v30
             store.shared %a, v32 store.shared %a, v33 store.shared %a, v34",
            expect![[r#"
                v10: i32 = const 3
                v11: i32 = const 2
                v12: i32 = const 4
                v13: i32 = const 5
                v14: i32 = const 6
                v15: i32 = const 31
                v16: i32 = const 16
                v17: i32 = const 64
                v20: i32 = and v0, v10
                v21: i32 = shl v20, v11
                v22: i32 = mul v1, v17
                v23: i32 = add v22, v21
                v24: i32 = add v23, v16
                v35: i32 = const 31
                v36: i32 = const 31
                v37: i32 = and v21, v36
                v38: i32 = const 16
                v25: i32 = add nuw v37, v38
                v39: i32 = const 2
                v40: i32 = lshr v37, v39
                v41: i32 = const 4
                v26: i32 = add nuw v40, v41
                v42: i32 = const 1
                v27: i32 = xor v40, v42
                v43: i32 = const 0
                v44: i32 = const 4
                v28: i32 = add nuw v20, v44
                v45: i32 = const 1
                v46: i32 = xor v20, v45
                v47: i32 = const 4
                v29: i32 = add nuw v46, v47
                v48: i32 = const 3
                v30: i32 = and v0, v48
                v31: i32 = add v0, v16
                v32: i32 = and v31, v15
                v33: i32 = xor v31, v14
                v34: i32 = lshr v31, v11
                store.shared v0, v27
                store.shared v0, v28
                store.shared v0, v29
                store.shared v0, v30
                store.shared v0, v32
                store.shared v0, v33
                store.shared v0, v34
            "#]],
        );
    }

    #[test]
    fn constant_data() {
        super::super::check(
            fold_constants,
            r#"kernel k(param0 n: i64) {
                const0 table: 8 align 4 "010203ff04000000"
            block0:
                v0: i64 = address const0
                v1: i64 = const 4
                v2: i64 = add v0, v1
                v3: i32 = load.const v2
                v4: i8 = load.const v2 - 1
                v5: bool = load.const v0
                v6: i64 = load.const v2
                v7: i64 = param0
                v8: i64 = add v0, v7
                v9: i32 = load.const v8
                return
            }"#,
            expect![[r#"
                kernel k(param0 n: i64) {
                    const0 table: 8 align 4 "010203ff04000000"
                block0:
                    v0: i64 = address const0
                    v1: i64 = const 4
                    v2: i64 = add v0, v1
                    v3: i32 = const 4
                    v4: i8 = const -1
                    v5: bool = const true
                    v6: i64 = load.const v2
                    v7: i64 = param0
                    v8: i64 = add v0, v7
                    v9: i32 = load.const v8
                    return
                }
            "#]],
        );
    }

    #[test]
    fn constant_data_behind_a_reference() {
        let pipeline = |func: &mut Function| crate::passes::PIPELINE.iter().for_each(|(_, pass)| pass(func));
        super::super::check(
            pipeline,
            r#"kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
                const0 table: 8 align 4 "0102030405060708"
            block0:
                v0: i64 = address const0
                v1: i64 = to_generic.const v0
                v2: i64 = param0
                v3: i64 = add v1, v2
                v4: i32 = load.generic v3
                v5: i32 = load.generic v1
                v6: i64 = param1
                store.global v6, v4
                store.global v6 + 4, v5
                return
            }"#,
            expect![[r#"
                kernel k(param0 n: i64, param1 p: i64 ptr align 4) {
                    const0 table: 8 align 4 "0102030405060708"
                block0:
                    v0: i64 = address const0
                    v2: i64 = param0
                    v7: i64 = add v0, v2
                    v4: i32 = load.const v7
                    v5: i32 = const 67305985
                    v6: i64 = param1
                    store.global v6, v4
                    store.global v6 + 4, v5
                    return
                }
            "#]],
        );
    }
}
