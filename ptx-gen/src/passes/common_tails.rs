//! Computes behind a join what all sides before it end with: of `if c { sqrt(a) } else { sqrt(b) }` the square root of `a` or `b`.
//!
//! Lanes of a warp that take different sides do it together then, and a side that becomes empty is a selection. Only operations of which at
//! most one operand differs move, so that no more values meet at the join than before; and of them those on floats, and slow ones: addresses stay
//! as they are. Not in functions that fill the registers of a thread. (LLVM: `SinkCommonCode` of SimplifyCFG.)

use super::if_convert::cost;
use super::invariants::{count_uses, fills_registers};
use super::renames::Renames;
use crate::analysis::{Cfg, DomTree};
use crate::ir::{Block, EntityMap, Function, Inst, InstData, Type, Value, ValueDef};

/// See the head of this file.
pub fn sink_common_tails(func: &mut Function) {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let joins: Vec<(Block, Vec<Block>)> = cfg
        .order()
        .iter()
        .map(|&block| (block, cfg.predecessors(block).to_vec()))
        .filter(|(block, from)| from.len() > 1 && !from.iter().any(|&from| tree.dominates(*block, from)))
        .filter(|(block, _)| !func.blocks[*block].params.is_empty())
        .collect();
    if joins.is_empty() {
        return;
    }
    let (mut uses, mut is_crowded) = (count_uses(func), None);
    for (join, sides) in joins {
        while let Some(tail) = find(func, join, &sides, &uses)
            && !*is_crowded.get_or_insert_with(|| fills_registers(func))
        {
            tail.sink(func, join, &sides);
            uses = count_uses(func);
        }
    }
}

/// Equal operations at the ends of all sides, whose results meet in a parameter of the join.
struct Tail {
    /// The parameter's position.
    position: usize,
    /// The instruction of each side.
    insts: Vec<Inst>,
    /// The operand that differs, of each side.
    differs: Option<Vec<Value>>,
    /// By operand: it is the one that differs.
    is_other: Vec<bool>,
}

/// A tail that may move behind the join.
fn find(func: &Function, join: Block, sides: &[Block], uses: &EntityMap<Value, u32>) -> Option<Tail> {
    let calls: Option<Vec<&[Value]>> = sides
        .iter()
        .map(|&side| match &func.insts[func.terminator(side)?] {
            InstData::Jump { target } => Some(&target.args[..]),
            _ => None,
        })
        .collect();
    let calls = calls?;
    (0..func.blocks[join].params.len()).find_map(|position| {
        let of_side = |(&side, args): (&Block, &&[Value])| {
            let value = args[position];
            match func.values[value].def {
                ValueDef::Result(inst) if uses[value] == 1 && func.blocks[side].insts.contains(&inst) => {
                    Some(inst)
                }
                _ => None,
            }
        };
        let insts: Vec<Inst> = sides.iter().zip(&calls).map(of_side).collect::<Option<_>>()?;
        let ty = func.ty(func.blocks[join].params[position]);
        if !insts.iter().all(|&inst| moves(func, inst, ty)) {
            return None;
        }
        let operands: Vec<Vec<Value>> = insts.iter().map(|&inst| operands(&func.insts[inst])).collect();
        let of_first = |inst: Inst| {
            let mut rest = operands[0].iter();
            let mut data = func.insts[inst].clone();
            data.map_args(|arg| rest.next().copied().unwrap_or(arg));
            data
        };
        if !insts.iter().all(|&inst| of_first(inst) == func.insts[insts[0]]) {
            return None;
        }
        let mut differs: Option<Vec<Value>> = None;
        let mut is_other = Vec::new();
        for index in 0..operands[0].len() {
            let column: Vec<Value> = operands.iter().map(|of_side| of_side[index]).collect();
            let is_same = column.iter().all(|&value| is_same(func, value, column[0]));
            is_other.push(!is_same);
            match &differs {
                _ if is_same => {}
                Some(known) if *known == column => {}
                None if column.iter().all(|&value| func.ty(value) == func.ty(column[0])) => {
                    differs = Some(column)
                }
                Some(_) | None => return None,
            }
        }
        Some(Tail { position, insts, differs, is_other })
    })
}

/// Returns true for an operation that is worth it.
fn moves(func: &Function, inst: Inst, ty: Type) -> bool {
    let data = &func.insts[inst];
    let is_slow = || cost(func, data, Some(ty)).is_none_or(|cost| cost > 1);
    let operands = operands(data);
    let is_inline = matches!(data, InstData::Inline { .. } | InstData::InlineOut { .. });
    data.is_pure()
        && !is_inline
        && (!ty.is_int() || is_slow())
        && !operands.is_empty()
        && operands.iter().all(|&arg| func.ty(arg) != Type::Bool)
}

fn operands(data: &InstData) -> Vec<Value> {
    let mut operands = Vec::new();
    data.visit_args(|arg| operands.push(arg));
    operands
}

fn is_same(func: &Function, a: Value, b: Value) -> bool {
    let equal = func.constant(a).is_some_and(|bits| func.constant(b) == Some(bits));
    a == b || equal && func.ty(a) == func.ty(b)
}

impl Tail {
    fn sink(self, func: &mut Function, join: Block, sides: &[Block]) {
        let Tail { position, insts, differs, is_other } = self;
        let mut data = func.insts[insts[0]].clone();
        let location = func.locations[insts[0]];
        let param = func.blocks[join].params[position];
        let ty = func.ty(param);
        let mut made = Vec::new();
        let met = differs.as_ref().map(|differs| func.add_block_param(join, func.ty(differs[0])));
        let firsts = operands(&data);
        let mut constants = Vec::new();
        for &operand in &firsts {
            // Each side may have a constant of its own.
            if let Some(bits) = func.constant(operand) {
                let (inst, value) = func.make_value(InstData::Const { bits }, func.ty(operand), location);
                made.push(inst);
                constants.push((operand, value));
            }
        }
        let mut is_other = is_other.into_iter();
        data.map_args(|arg| match met {
            Some(met) if is_other.next() == Some(true) => met,
            _ => constants.iter().find(|(known, _)| *known == arg).map_or(arg, |(_, value)| *value),
        });
        let (inst, value) = func.make_value(data, ty, location);
        made.push(inst);
        func.blocks[join].insts.splice(0..0, made);
        for (index, (&side, inst)) in sides.iter().zip(insts).enumerate() {
            func.blocks[side].insts.retain(|&known| known != inst);
            if let Some(terminator) = func.terminator(side)
                && let InstData::Jump { target } = &mut func.insts[terminator]
            {
                target.args.extend(differs.as_ref().map(|differs| differs[index]));
            }
        }
        let mut renames = Renames::new(func);
        renames.replace(param, value);
        func.retain_block_params(|known| known != param);
        renames.apply(func);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    /// The root of a sum of squares on both sides: the sums have two operands that differ.
    #[test]
    fn roots_of_both_sides() {
        check(
            sink_common_tails,
            "kernel k(param0 a: f32, param1 b: f32, param2 c: bool) {
            block0:
                v0: f32 = param0
                v1: f32 = param1
                v2: bool = param2
                branch v2, block1, block2
            block1:
                v3: f32 = fmul v0, v0
                v4: f32 = fadd v3, v0
                v5: f32 = sqrt v4
                v6: f32 = const 2.0
                v7: f32 = fmul v5, v6
                jump block3(v7)
            block2:
                v8: f32 = fmul v1, v1
                v9: f32 = fadd v8, v1
                v10: f32 = sqrt v9
                v11: f32 = const 2.0
                v12: f32 = fmul v10, v11
                jump block3(v12)
            block3(v13: f32):
                v14: i32 = const 0
                store.shared v14, v13
                return
            }",
            expect![[r#"
                kernel k(param0 a: f32, param1 b: f32, param2 c: bool) {
                block0:
                    v0: f32 = param0
                    v1: f32 = param1
                    v2: bool = param2
                    branch v2, block1, block2
                block1:
                    v3: f32 = fmul v0, v0
                    v4: f32 = fadd v3, v0
                    v6: f32 = const 2.0
                    jump block3(v4)
                block2:
                    v8: f32 = fmul v1, v1
                    v9: f32 = fadd v8, v1
                    v11: f32 = const 2.0
                    jump block3(v9)
                block3(v18: f32):
                    v19: f32 = sqrt v18
                    v16: f32 = const 2.0
                    v17: f32 = fmul v19, v16
                    v14: i32 = const 0
                    store.shared v14, v17
                    return
                }
            "#]],
        );
    }

    /// `a * a` on one side and `b * a` on the other: one of two equal operands differs.
    #[test]
    fn one_of_equal_operands() {
        check(
            sink_common_tails,
            "kernel k(param0 a: f32, param1 b: f32, param2 c: bool) {
            block0:
                v0: f32 = param0
                v1: f32 = param1
                v2: bool = param2
                branch v2, block1, block2
            block1:
                v3: f32 = fmul v0, v0
                jump block3(v3)
            block2:
                v4: f32 = fmul v1, v0
                jump block3(v4)
            block3(v5: f32):
                v6: i32 = const 0
                store.shared v6, v5
                return
            }",
            expect![[r#"
                kernel k(param0 a: f32, param1 b: f32, param2 c: bool) {
                block0:
                    v0: f32 = param0
                    v1: f32 = param1
                    v2: bool = param2
                    branch v2, block1, block2
                block1:
                    jump block3(v0)
                block2:
                    jump block3(v1)
                block3(v7: f32):
                    v8: f32 = fmul v7, v0
                    v6: i32 = const 0
                    store.shared v6, v8
                    return
                }
            "#]],
        );
    }

    /// A value that is needed elsewhere too, sides that end with other operations, and sums of integers stay.
    #[test]
    fn what_stays() {
        super::super::check_stays(
            sink_common_tails,
            "kernel k(param0 a: f32, param1 b: f32, param2 c: bool, param3 n: i32) {
            block0:
                v0: f32 = param0
                v1: f32 = param1
                v2: bool = param2
                v3: i32 = param3
                branch v2, block1, block2
            block1:
                v4: f32 = sqrt v0
                v5: f32 = sqrt v1
                v6: i32 = add v3, v3
                jump block3(v4, v5, v4, v6)
            block2:
                v7: f32 = sqrt v1
                v8: f32 = fadd v0, v1
                v9: i32 = const 1
                v10: i32 = add v3, v9
                jump block3(v7, v8, v1, v10)
            block3(v11: f32, v12: f32, v13: f32, v14: i32):
                store.shared v14, v11
                store.shared v14, v12
                store.shared v14, v13
                return
            }",
        );
    }

    /// The header of a loop is no join of sides.
    #[test]
    fn loops_stay() {
        super::super::check_stays(
            sink_common_tails,
            "kernel k(param0 a: f32, param1 c: bool) {
            block0:
                v0: f32 = param0
                v1: bool = param1
                v2: f32 = sqrt v0
                jump block1(v2)
            block1(v3: f32):
                branch v1, block2, block3
            block2:
                v4: f32 = sqrt v3
                jump block1(v4)
            block3:
                v5: i32 = const 0
                store.shared v5, v3
                return
            }",
        );
    }
}
