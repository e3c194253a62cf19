//! Computes behind a join what all sides before it end with: of `if c { sqrt(a) } else { sqrt(b) }` the square root of `a` or `b`.
//!
//! Lanes of a warp that take different sides do it together then, and a side that becomes empty is a selection. Only operations of which at
//! most one operand differs move, so that no more values meet at the join than before; and of them those on floats, and slow ones: addresses stay
//! as they are. Not in functions that fill the registers of a thread. (LLVM: `SinkCommonCode` of SimplifyCFG.)
//!
//! So do loads of memory that is only read, `if wall { from[a] } else { from[b] }`, with what the addresses end with in common, where the sides
//! compute little but addresses: what is left is a selected index, and the loads behind the join no longer wait for the condition of this one.

use std::collections::HashSet;

use super::if_convert::cost;
use super::invariants::{count_uses, fills_registers};
use super::renames::Renames;
use crate::analysis::{Cfg, DomTree};
use crate::ir::{Block, BranchWish, EntityMap, Function, Inst, InstData, Type, Value, ValueDef};

/// The most loads of a side that meet behind a join.
const MOST_LOADS: usize = 3;
/// The most that all sides together may cost beside their loads, in instructions.
const MOST_WORK: u32 = 32;

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
        let chooses = chooses_addresses(func, &cfg, &sides);
        let mut addresses = HashSet::new();
        while let Some(tail) = find(func, join, &sides, &uses, chooses, &addresses)
            && !*is_crowded.get_or_insert_with(|| fills_registers(func))
        {
            let is_address = tail.is_of_address(func, join, &addresses);
            let met = tail.sink(func, join, &sides);
            addresses.extend(met.filter(|_| is_address));
            uses = count_uses(func);
        }
    }
}

/// Returns true for sides of one branch that load from memory that is only read, and compute little else.
fn chooses_addresses(func: &Function, cfg: &Cfg, sides: &[Block]) -> bool {
    let branch = cfg.predecessors(sides[0]);
    let is_own = |&side: &Block| cfg.predecessors(side) == branch && func.blocks[side].params.is_empty();
    let [before] = branch else { return false };
    let keeps = func.terminator(*before).is_none_or(|inst| match &func.insts[inst] {
        InstData::Branch { hint, .. } => hint.is_some_and(|hint| hint.wish == BranchWish::Keep),
        _ => true,
    });
    if keeps || !sides.iter().all(is_own) {
        return false;
    }
    let (mut loads, mut work) = (Vec::new(), 0);
    for &side in sides {
        let mut of_side = 0;
        let (_, insts) = func.blocks[side].insts.split_last().unzip();
        for &inst in insts.unwrap_or_default() {
            let data = &func.insts[inst];
            if data.is_read_only_load() {
                of_side += 1;
            } else if data.is_pure()
                && let Some(cost) = cost(func, data, func.results[inst].map(|value| func.ty(value)))
            {
                work += cost;
            } else {
                return false;
            }
        }
        loads.push(of_side);
    }
    (1..=MOST_LOADS).contains(&loads[0]) && loads.iter().all(|&of| of == loads[0]) && work <= MOST_WORK
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

/// A tail that may move behind the join: also a load, if the sides choose addresses, and what gives its address.
fn find(
    func: &Function,
    join: Block,
    sides: &[Block],
    uses: &EntityMap<Value, u32>,
    chooses: bool,
    addresses: &HashSet<Value>,
) -> Option<Tail> {
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
        let param = func.blocks[join].params[position];
        let ty = func.ty(param);
        let is_address = addresses.contains(&param);
        let moves = |&inst: &Inst| match chooses && func.insts[inst].is_read_only_load() {
            true => true,
            false => moves(func, inst, ty, is_address),
        };
        if !insts.iter().all(moves) {
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

/// Returns true for an operation that is worth it, and for any that gives the address of what moved.
fn moves(func: &Function, inst: Inst, ty: Type, is_address: bool) -> bool {
    let data = &func.insts[inst];
    let is_slow = || cost(func, data, Some(ty)).is_none_or(|cost| cost > 1);
    let operands = operands(data);
    let is_inline = matches!(data, InstData::Inline { .. } | InstData::InlineOut { .. });
    data.is_pure()
        && !is_inline
        && (is_address || !ty.is_int() || is_slow())
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
    /// Returns true for a load, and for what gives the address of one that moved.
    fn is_of_address(&self, func: &Function, join: Block, addresses: &HashSet<Value>) -> bool {
        func.insts[self.insts[0]].is_read_only_load()
            || addresses.contains(&func.blocks[join].params[self.position])
    }

    /// Moves it; returns the operand that differs, as the join takes it.
    fn sink(self, func: &mut Function, join: Block, sides: &[Block]) -> Option<Value> {
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
        met
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

    /// An element of one slice by either of two indices: the index meets, and the load is behind the join with all of its address.
    #[test]
    fn loads_of_either_index() {
        check(
            sink_common_tails,
            "kernel k(param0 x: i64 ptr align 4 read_only, param1 i: i32, param2 j: i32, param3 c: bool) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: bool = param3
                branch v3, block1, block2
            block1:
                v4: i64 = zext v1
                v5: i64 = const 4
                v6: i64 = mul nuw v4, v5
                v7: i64 = add nuw v0, v6
                v8: f32 = load.global v7 read_only
                jump block3(v8)
            block2:
                v9: i32 = add v2, v1
                v10: i64 = zext v9
                v11: i64 = const 4
                v12: i64 = mul nuw v10, v11
                v13: i64 = add nuw v0, v12
                v14: f32 = load.global v13 read_only
                jump block3(v14)
            block3(v15: f32):
                v16: i32 = const 0
                store.shared v16, v15
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4 read_only, param1 i: i32, param2 j: i32, param3 c: bool) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: bool = param3
                    branch v3, block1, block2
                block1:
                    v5: i64 = const 4
                    jump block3(v1)
                block2:
                    v9: i32 = add v2, v1
                    v11: i64 = const 4
                    jump block3(v9)
                block3(v24: i32):
                    v25: i64 = zext v24
                    v22: i64 = const 4
                    v23: i64 = mul nuw v25, v22
                    v20: i64 = add nuw v0, v23
                    v18: f32 = load.global v20 read_only
                    v16: i32 = const 0
                    store.shared v16, v18
                    return
                }
            "#]],
        );
    }

    /// Loads of memory that others may write in between, sides that compute much, a branch that is to stay, and a side that loads nothing.
    #[test]
    fn loads_that_stay() {
        let kernel = |flags: &str, work: &str, hint: &str, other: &str| {
            format!(
                "kernel k(param0 x: i64 ptr align 4 read_only, param1 y: i64 ptr align 4, param2 a: f32, param3 c: bool) {{
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: f32 = param2
                v3: bool = param3
                branch{hint} v3, block1, block2
            block1:
                {work}
                v4: f32 = load.global v0{flags}
                jump block3(v4)
            block2:
                v5: f32 = {other}
                jump block3(v5)
            block3(v6: f32):
                v7: i32 = const 0
                store.shared v7, v6
                return
            }}"
            )
        };
        let of_one = "load.global v1 read_only";
        let stays = |text: String| super::super::check_stays(sink_common_tails, &text);
        stays(kernel("", "", "", "load.global v1"));
        stays(kernel(" read_only", "v8: f32 = sqrt v2\n                store.global v1, v8", "", of_one));
        stays(kernel(" read_only", "", ".keep", of_one));
        stays(kernel(" read_only", "", "", "const 0.0"));
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
