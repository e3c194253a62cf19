//! Turns small branches without effects into selections.
//!
//! Where the sides of a branch only compute a few cheap values and meet again, both are computed and the values selected:
//! no divergence, and the short circuits of `&&` and `||` become logic. Loads, divisions, square roots and arithmetic on
//! `f64`, which is slow on most devices, stay behind their branch.

use super::simplify_cfg::{count_edges, simplify_cfg};
use crate::ir::{
    BinaryOp, Block, BlockCall, ConvertOp, EntityMap, Function, Inst, InstData, RemarkKind, Type, UnaryOp,
    Value,
};

/// The most that both sides together may cost, in instructions.
const MOST_WORK: u32 = 6;
/// The most values that may be selected.
const MOST_SELECTS: usize = 3;
/// Conditions nested deeper than this keep their outer branches.
const MOST_ROUNDS: usize = 4;

/// See the head of this file.
pub fn convert_ifs(func: &mut Function) {
    for _ in 0..MOST_ROUNDS {
        let mut edges = count_edges(func);
        let mut changed = false;
        // Inner conditions come later in the text than those around them.
        for index in (0..func.layout.len()).rev() {
            changed |= convert(func, func.layout[index], &mut edges);
        }
        if !changed {
            return;
        }
        simplify_cfg(func);
    }
}

/// One side of a branch: the jump to where both meet, and the instructions before it.
struct Side {
    insts: Vec<Inst>,
    target: BlockCall,
}

/// Converts the branch at the end of a block if it is small enough.
fn convert(func: &mut Function, block: Block, edges: &mut EntityMap<Block, u32>) -> bool {
    let Some(terminator) = func.terminator(block) else { return false };
    let InstData::Branch { cond, if_true, if_false, .. } = func.insts[terminator].clone() else { return false };
    let Some((if_true, if_false)) = meeting_sides(func, if_true, if_false, edges) else { return false };
    let work = [&if_true, &if_false].into_iter().flat_map(|side| &side.insts);
    let work = work.map(|&inst| cost(func, inst)).try_fold(0, |sum: u32, cost| Some(sum + cost?));
    if work.is_none_or(|work| work > MOST_WORK) {
        return false;
    }
    let pairs = if_true.target.args.iter().zip(&if_false.target.args);
    if pairs.clone().filter(|(a, b)| a != b).count() > MOST_SELECTS {
        return false;
    }
    let pairs: Vec<(Value, Value)> = pairs.map(|(&a, &b)| (a, b)).collect();

    let location = func.locations[terminator];
    func.remark(location, RemarkKind::Predicated);
    func.blocks[block].insts.pop();
    for inst in if_true.insts.into_iter().chain(if_false.insts) {
        // What was known behind the branch is not known before it.
        if let InstData::Binary { no_unsigned_wrap, .. } = &mut func.insts[inst] {
            *no_unsigned_wrap = false;
        }
        func.blocks[block].insts.push(inst);
    }
    let mut args = Vec::with_capacity(pairs.len());
    for (a, b) in pairs {
        args.push(if a == b {
            a
        } else {
            let data = InstData::Select { cond, if_true: a, if_false: b };
            let (inst, value) = func.make_value(data, func.ty(a), location);
            func.blocks[block].insts.push(inst);
            value
        });
    }
    let target = BlockCall { block: if_true.target.block, args };
    edges[target.block] -= 1;
    let jump = func.make_inst(InstData::Jump { target }, None, location);
    func.blocks[block].insts.push(jump);
    true
}

/// Both sides of a branch up to where they meet.
fn meeting_sides(
    func: &mut Function,
    if_true: BlockCall,
    if_false: BlockCall,
    edges: &EntityMap<Block, u32>,
) -> Option<(Side, Side)> {
    let through_true = jump_of(func, &if_true, edges);
    let through_false = jump_of(func, &if_false, edges);
    let meets = |call: &BlockCall, other: &BlockCall| call.block == other.block;
    let (true_inside, false_inside) = match (&through_true, &through_false) {
        _ if meets(&if_true, &if_false) => (false, false),
        (Some(a), _) if meets(a, &if_false) => (true, false),
        (_, Some(b)) if meets(&if_true, b) => (false, true),
        (Some(a), Some(b)) if meets(a, b) => (true, true),
        _ => return None,
    };
    let side = |call: BlockCall, inside: bool| match inside {
        false => Side { insts: Vec::new(), target: call },
        true => take_side(func, &call),
    };
    Some((side(if_true, true_inside), side(if_false, false_inside)))
}

/// Where a block that only this branch reaches jumps. It has no parameters: nothing else reaches it.
fn jump_of(func: &Function, call: &BlockCall, edges: &EntityMap<Block, u32>) -> Option<BlockCall> {
    let alone = edges[call.block] == 1 && func.blocks[call.block].params.is_empty();
    let terminator = func.terminator(call.block).filter(|_| alone)?;
    match &func.insts[terminator] {
        InstData::Jump { target } if target.block != call.block => Some(target.clone()),
        _ => None,
    }
}

fn take_side(func: &Function, call: &BlockCall) -> Side {
    let mut insts = func.blocks[call.block].insts.clone();
    let target = insts.pop().and_then(|jump| func.insts[jump].successors().next().cloned());
    Side { insts, target: target.unwrap_or_else(|| call.clone()) }
}

/// What it costs to compute an instruction where it may not be needed; none if it must not be.
fn cost(func: &Function, inst: Inst) -> Option<u32> {
    let ty = func.results[inst].map(|value| func.ty(value));
    // Two registers, so two instructions; slow units for doubles.
    let by_width = match ty? {
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::F32 => Some(1),
        Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => Some(1),
        Type::I64 => Some(2),
        Type::F64 => None,
    };
    match &func.insts[inst] {
        InstData::Const { .. }
        | InstData::Param { .. }
        | InstData::Special { .. }
        | InstData::SharedAddress { .. }
        | InstData::LocalAddress { .. }
        | InstData::ConstAddress { .. } => Some(0),
        InstData::Pack { .. } | InstData::Extract { .. } => Some(1),
        InstData::ToGeneric { .. } => Some(1),
        InstData::Unary { op, .. } => match op {
            UnaryOp::Not | UnaryOp::Neg => by_width,
            UnaryOp::FNeg | UnaryOp::FAbs => Some(1),
            UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::RoundEven
            | UnaryOp::LeadingZeros
            | UnaryOp::TrailingZeros
            | UnaryOp::PopCount
            | UnaryOp::ReverseBits => by_width.map(|cost| 2 * cost),
            UnaryOp::SinApprox
            | UnaryOp::CosApprox
            | UnaryOp::Exp2Approx
            | UnaryOp::Log2Approx
            | UnaryOp::RcpApprox
            | UnaryOp::RsqrtApprox
            | UnaryOp::SqrtApprox
            | UnaryOp::TanhApprox => Some(2),
            UnaryOp::Sqrt => None,
        },
        InstData::Binary { op, .. } => match op {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::UMin
            | BinaryOp::SMin
            | BinaryOp::UMax
            | BinaryOp::SMax
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::FAdd
            | BinaryOp::FSub
            | BinaryOp::FMul
            | BinaryOp::FMin
            | BinaryOp::FMax
            | BinaryOp::CopySign => by_width,
            BinaryOp::Mul | BinaryOp::UMulHigh | BinaryOp::SMulHigh => by_width.map(|cost| 2 * cost),
            BinaryOp::FDivApprox => Some(3),
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem | BinaryOp::FDiv => None,
        },
        InstData::Fma { .. } => by_width,
        InstData::Select { .. } => Some(by_width.unwrap_or(2)),
        InstData::IntCompare { .. } | InstData::FloatCompare { .. } => Some(1),
        InstData::Convert { op, arg } => match op {
            ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::Truncate | ConvertOp::Bitcast => {
                Some(1)
            }
            ConvertOp::UIntToFloat
            | ConvertOp::SIntToFloat
            | ConvertOp::FloatToUInt
            | ConvertOp::FloatToSInt
            | ConvertOp::FloatToFloat => by_width.filter(|_| func.ty(*arg) != Type::F64).map(|cost| 2 * cost),
        },
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
        | InstData::Guarded { .. }
        | InstData::Barrier
        | InstData::Jump { .. }
        | InstData::Branch { .. }
        | InstData::Return
        | InstData::Panic { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn both_sides_meet() {
        check(
            convert_ifs,
            "kernel k(param0 p: bool, param1 x: f32, param2 a: i32) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: i32 = param2
                branch v0, block1, block2
            block1:
                v3: f32 = fmul v1, v1
                jump block3(v3, v2)
            block2:
                v4: f32 = fneg v1
                jump block3(v4, v2)
            block3(v5: f32, v6: i32):
                store.shared v6, v5
                return
            }",
            expect![[r#"
                kernel k(param0 p: bool, param1 x: f32, param2 a: i32) {
                block0:
                    v0: bool = param0
                    v1: f32 = param1
                    v2: i32 = param2
                    v3: f32 = fmul v1, v1
                    v4: f32 = fneg v1
                    v7: f32 = select v0, v3, v4
                    store.shared v2, v7
                    return
                }
            "#]],
        );
    }

    #[test]
    fn one_side_alone_and_short_circuits() {
        check(
            convert_ifs,
            "kernel k(param0 a: i32, param1 b: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = param1
                v2: bool = icmp ult v0, v1
                v3: bool = const false
                branch v2, block1, block2(v3)
            block1:
                v4: i32 = add nuw v0, v1
                v5: bool = icmp ult v4, v1
                jump block2(v5)
            block2(v6: bool):
                branch v6, block3, block4
            block3:
                store.shared v0, v1
                jump block4
            block4:
                return
            }",
            expect![[r#"
                kernel k(param0 a: i32, param1 b: i32) {
                block0:
                    v0: i32 = param0
                    v1: i32 = param1
                    v2: bool = icmp ult v0, v1
                    v3: bool = const false
                    v4: i32 = add v0, v1
                    v5: bool = icmp ult v4, v1
                    v7: bool = select v2, v5, v3
                    branch v7, block3, block4
                block3:
                    store.shared v0, v1
                    jump block4
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn nested_conditions() {
        check(
            convert_ifs,
            "kernel k(param0 a: i32, param1 b: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = param1
                v2: bool = icmp ult v0, v1
                branch v2, block1, block2
            block1:
                v3: bool = icmp eq v0, v1
                branch v3, block4, block5
            block4:
                jump block6(v0)
            block5:
                jump block6(v1)
            block6(v7: i32):
                jump block3(v7)
            block2:
                v4: i32 = neg v0
                jump block3(v4)
            block3(v5: i32):
                store.shared v5, v5
                return
            }",
            expect![[r#"
                kernel k(param0 a: i32, param1 b: i32) {
                block0:
                    v0: i32 = param0
                    v1: i32 = param1
                    v2: bool = icmp ult v0, v1
                    v3: bool = icmp eq v0, v1
                    v8: i32 = select v3, v0, v1
                    v4: i32 = neg v0
                    v9: i32 = select v2, v8, v4
                    store.shared v9, v9
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_choice_at_the_end_of_a_loop() {
        check(
            convert_ifs,
            "kernel k(param0 a: i32, param1 p: bool) {
            block0:
                v0: i32 = param0
                v1: bool = param1
                v2: i32 = const 1
                jump block1(v0)
            block1(v3: i32):
                v4: i32 = sub v3, v2
                v5: bool = icmp ult v4, v0
                branch v5, block2, block9
            block2:
                branch v1, block1(v4), block1(v0)
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 a: i32, param1 p: bool) {
                block0:
                    v0: i32 = param0
                    v1: bool = param1
                    v2: i32 = const 1
                    jump block1(v0)
                block1(v3: i32):
                    v4: i32 = sub v3, v2
                    v5: bool = icmp ult v4, v0
                    branch v5, block2, block9
                block2:
                    v6: i32 = select v1, v4, v0
                    jump block1(v6)
                block9:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn what_is_dear_or_has_effects_stays() {
        check(
            convert_ifs,
            "kernel k(param0 p: bool, param1 x: f32, param2 d: f64, param3 a: i32) {
            block0:
                v0: bool = param0
                v1: f32 = param1
                v2: f64 = param2
                v3: i32 = param3
                branch v0, block1, block2(v1)
            block1:
                v10: f32 = fdiv v1, v1
                jump block2(v10)
            block2(v11: f32):
                branch v0, block3, block4(v1)
            block3:
                v12: f32 = load.shared v3
                jump block4(v12)
            block4(v13: f32):
                branch v0, block5, block6(v2)
            block5:
                v14: f64 = fadd v2, v2
                jump block6(v14)
            block6(v15: f64):
                branch v0, block7, block8
            block7:
                barrier
                jump block8
            block8:
                store.shared v3, v11
                store.shared v3, v13
                store.shared v3, v15
                return
            }",
            expect![[r#"
                kernel k(param0 p: bool, param1 x: f32, param2 d: f64, param3 a: i32) {
                block0:
                    v0: bool = param0
                    v1: f32 = param1
                    v2: f64 = param2
                    v3: i32 = param3
                    branch v0, block1, block2(v1)
                block1:
                    v10: f32 = fdiv v1, v1
                    jump block2(v10)
                block2(v11: f32):
                    branch v0, block3, block4(v1)
                block3:
                    v12: f32 = load.shared v3
                    jump block4(v12)
                block4(v13: f32):
                    branch v0, block5, block6(v2)
                block5:
                    v14: f64 = fadd v2, v2
                    jump block6(v14)
                block6(v15: f64):
                    branch v0, block7, block8
                block7:
                    barrier
                    jump block8
                block8:
                    store.shared v3, v11
                    store.shared v3, v13
                    store.shared v3, v15
                    return
                }
            "#]],
        );
    }
}
