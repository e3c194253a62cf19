//! Keeps what ptxas would lose of NaN and of the sign of zero when it makes a saturation of a minimum and a maximum.
//!
//! ptxas 13.0 takes `max(min(x, 1), 0)` for a saturation of `x`, which gives 0 for NaN where the minimum has made 1 of it; of
//! `f64` it exchanges the two, with the same result. So NaN becomes 1 before the minimum here. And it takes −0 for 0 there, so a
//! maximum with −0 is a comparison and a selection. `min(max(x, 0), 1)` and `clamp` are what a saturation does, and stay.

use crate::ir::{BinaryOp, FloatCond, Function, Inst, InstData, Type, Value, ValueDef};

/// See the head of this file.
pub fn keep_nan_of_saturations(func: &mut Function) {
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for inst in func.blocks[block].insts.clone() {
            let Some((y, zero)) = maximum_with_zero(func, inst) else { continue };
            if let Some((minimum, x)) = minimum_with_one(func, y) {
                replace_nan(func, minimum, x);
            }
            let is_one_instruction = matches!(func.insts[inst], InstData::Binary { .. });
            if is_one_instruction && func.constant(zero) != Some(0) {
                select_maximum(func, inst, y, zero);
            }
        }
    }
}

/// The bits of 1 and of −0, of the types whose arithmetic ptxas saturates.
fn one_and_minus_zero(ty: Type) -> Option<(u64, u64)> {
    match ty {
        Type::F16 => Some((0x3c00, 0x8000)),
        Type::F32 => Some((0x3f80_0000, 0x8000_0000)),
        Type::F64 => Some((0x3ff0_0000_0000_0000, 0x8000_0000_0000_0000)),
        Type::Bool
        | Type::I8
        | Type::I16
        | Type::I32
        | Type::I64
        | Type::BF16
        | Type::F16x2
        | Type::BF16x2 => None,
    }
}

/// The operands of an instruction that gives the larger of a value and of 0 or −0: the value and the zero.
fn maximum_with_zero(func: &Function, inst: Inst) -> Option<(Value, Value)> {
    let result = func.results[inst]?;
    let (_, minus_zero) = one_and_minus_zero(func.ty(result))?;
    let is_zero = |value| func.constant(value).is_some_and(|bits| bits == 0 || bits == minus_zero);
    extreme(func, inst, BinaryOp::FMax, is_zero)
}

/// The instruction that makes a value, if that is the smaller one of something and of 1, and what that something is.
fn minimum_with_one(func: &Function, value: Value) -> Option<(Inst, Value)> {
    let ValueDef::Result(inst) = func.values[value].def else { return None };
    let (one, _) = one_and_minus_zero(func.ty(value))?;
    let (x, _) = extreme(func, inst, BinaryOp::FMin, |value| func.constant(value) == Some(one))?;
    Some((inst, x))
}

/// Operand and bound of an instruction that gives their `FMin` or `FMax`: by these, or by a selection that
/// NaN does not pass.
fn extreme(
    func: &Function,
    inst: Inst,
    extreme: BinaryOp,
    is_bound: impl Fn(Value) -> bool,
) -> Option<(Value, Value)> {
    match func.insts[inst] {
        InstData::Binary { op, args: [a, b], .. } if op == extreme => {
            [(a, b), (b, a)].into_iter().find(|&(_, bound)| is_bound(bound))
        }
        InstData::Select { cond, if_true: x, if_false: bound } if is_bound(bound) => {
            let Some(&InstData::FloatCompare { cond, args }) = func.def(cond) else { return None };
            let below = match cond {
                FloatCond::Lt | FloatCond::Le => args,
                FloatCond::Gt | FloatCond::Ge => [args[1], args[0]],
                FloatCond::Eq | FloatCond::Ne => return None,
            };
            let same = |a: Value, b: Value| a == b || is_constant_too(func, a, b);
            let passes = if extreme == BinaryOp::FMin { [x, bound] } else { [bound, x] };
            (same(below[0], passes[0]) && same(below[1], passes[1])).then_some((x, bound))
        }
        _ => None,
    }
}

fn is_constant_too(func: &Function, a: Value, b: Value) -> bool {
    func.constant(a).is_some_and(|bits| func.constant(b) == Some(bits))
}

/// Makes a minimum with 1 that of a number: of 1 if there is none.
fn replace_nan(func: &mut Function, minimum: Inst, x: Value) {
    let ty = func.ty(x);
    let Some((one, _)) = one_and_minus_zero(ty) else { return };
    let mut before = Before::new(func, minimum);
    let is_number = before.value(InstData::FloatCompare { cond: FloatCond::Eq, args: [x, x] }, Type::Bool);
    let one = before.value(InstData::Const { bits: one }, ty);
    let number = before.value(InstData::Select { cond: is_number, if_true: x, if_false: one }, ty);
    let data = InstData::Binary { op: BinaryOp::FMin, args: [number, one], no_unsigned_wrap: false };
    before.become_last(data);
}

/// Makes a maximum with −0 a selection: of a −0 it is that, and of NaN too.
fn select_maximum(func: &mut Function, maximum: Inst, y: Value, minus_zero: Value) {
    let mut before = Before::new(func, maximum);
    let args = [y, minus_zero];
    let passes = before.value(InstData::FloatCompare { cond: FloatCond::Ge, args }, Type::Bool);
    before.become_last(InstData::Select { cond: passes, if_true: y, if_false: minus_zero });
}

/// Makes instructions before another.
struct Before<'f> {
    func: &'f mut Function,
    inst: Inst,
    made: Vec<Inst>,
}

impl Before<'_> {
    fn new(func: &mut Function, inst: Inst) -> Before<'_> {
        Before { func, inst, made: Vec::new() }
    }

    fn value(&mut self, data: InstData, ty: Type) -> Value {
        let location = self.func.locations[self.inst];
        let (inst, value) = self.func.make_value(data, ty, location);
        self.made.push(inst);
        value
    }

    /// Inserts them before the instruction, and replaces it by another with the same result.
    fn become_last(self, data: InstData) {
        let Before { func, inst, made } = self;
        func.insts[inst] = data;
        for block in func.layout.clone() {
            let insts = &mut func.blocks[block].insts;
            if let Some(at) = insts.iter().position(|&other| other == inst) {
                insts.splice(at..at, made);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn a_minimum_then_a_maximum() {
        check(
            keep_nan_of_saturations,
            "kernel k(param0 x: f32) {
            block0:
                v0: f32 = param0
                v1: f32 = const 1.0
                v2: f32 = const 0.0
                v3: f32 = fmin v1, v0
                v4: f32 = fmax v3, v2
                v5: f32 = fmax v0, v2
                v6: f32 = fmin v5, v1
                v7: i32 = const 0
                store.shared v7, v4
                store.shared v7, v6
                return
            }",
            expect![[r#"
                kernel k(param0 x: f32) {
                block0:
                    v0: f32 = param0
                    v1: f32 = const 1.0
                    v2: f32 = const 0.0
                    v8: bool = fcmp eq v0, v0
                    v9: f32 = const 1.0
                    v10: f32 = select v8, v0, v9
                    v3: f32 = fmin v10, v9
                    v4: f32 = fmax v3, v2
                    v5: f32 = fmax v0, v2
                    v6: f32 = fmin v5, v1
                    v7: i32 = const 0
                    store.shared v7, v4
                    store.shared v7, v6
                    return
                }
            "#]],
        );
    }

    #[test]
    fn selections_that_nan_does_not_pass() {
        check(
            keep_nan_of_saturations,
            "kernel k(param0 x: f64) {
            block0:
                v0: f64 = param0
                v1: f64 = const 1.0
                v2: f64 = const 0.0
                v3: bool = fcmp lt v0, v1
                v4: f64 = select v3, v0, v1
                v5: bool = fcmp lt v2, v4
                v6: f64 = select v5, v4, v2
                v7: bool = fcmp gt v0, v1
                v8: f64 = select v7, v1, v0
                v9: f64 = fmax v8, v2
                v10: i32 = const 0
                store.shared v10, v6
                store.shared v10, v9
                return
            }",
            expect![[r#"
                kernel k(param0 x: f64) {
                block0:
                    v0: f64 = param0
                    v1: f64 = const 1.0
                    v2: f64 = const 0.0
                    v3: bool = fcmp lt v0, v1
                    v11: bool = fcmp eq v0, v0
                    v12: f64 = const 1.0
                    v13: f64 = select v11, v0, v12
                    v4: f64 = fmin v13, v12
                    v5: bool = fcmp lt v2, v4
                    v6: f64 = select v5, v4, v2
                    v7: bool = fcmp gt v0, v1
                    v8: f64 = select v7, v1, v0
                    v9: f64 = fmax v8, v2
                    v10: i32 = const 0
                    store.shared v10, v6
                    store.shared v10, v9
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_maximum_with_minus_zero() {
        check(
            keep_nan_of_saturations,
            "kernel k(param0 x: f32) {
            block0:
                v0: f32 = param0
                v1: f32 = const -0.0
                v2: f32 = fmax v0, v1
                v3: i32 = const 0
                store.shared v3, v2
                return
            }",
            expect![[r#"
                kernel k(param0 x: f32) {
                block0:
                    v0: f32 = param0
                    v1: f32 = const -0.0
                    v4: bool = fcmp ge v0, v1
                    v2: f32 = select v4, v0, v1
                    v3: i32 = const 0
                    store.shared v3, v2
                    return
                }
            "#]],
        );
    }
}
