//! Carries truth values around loops as integers: a `bool` parameter of a loop's header becomes an `i32` of 0 or 1.
//!
//! ptxas 13.0 loses tests of a predicate that a loop carries and sets in nested loops, at all levels but `-O0`: a thread that
//! set the flag goes on in the inner loop. Of an integer that is compared it loses none, and that is what nvcc prints.

use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Block, Function, Inst, InstData, IntCond, SourceLoc, Type, Value, ValueData, ValueDef};

/// See the head of this file.
pub fn carry_bools_as_integers(func: &mut Function) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    let headers: Vec<Block> = loops.loops().iter().map(|around| around.header).collect();
    for header in headers {
        for position in 0..func.blocks[header].params.len() {
            let flag = func.blocks[header].params[position];
            if func.ty(flag) == Type::Bool {
                carry(func, &cfg, header, position);
            }
        }
    }
}

fn carry(func: &mut Function, cfg: &Cfg, header: Block, position: usize) {
    let carried = func.values.push(ValueData { ty: Type::I32, def: ValueDef::Param(header) });
    let flag = std::mem::replace(&mut func.blocks[header].params[position], carried);
    // The flag keeps its name: it is what the integer is compared to give.
    let location = first_location(func, header);
    let (zero_inst, zero) = func.make_value(InstData::Const { bits: 0 }, Type::I32, location);
    let compare = InstData::IntCompare { cond: IntCond::Ne, args: [carried, zero] };
    let compare = func.make_inst(compare, None, location);
    func.results[compare] = Some(flag);
    func.values[flag].def = ValueDef::Result(compare);
    func.blocks[header].insts.splice(..0, [zero_inst, compare]);

    // A block is there once for each of its edges.
    let mut before = cfg.predecessors(header).to_vec();
    before.sort_unstable();
    before.dedup();
    for from in before {
        let Some(terminator) = func.terminator(from) else { continue };
        let mut made = Vec::new();
        for way in 0..func.insts[terminator].successors().count() {
            let Some(call) = func.insts[terminator].successors().nth(way) else { continue };
            if call.block != header {
                continue;
            }
            let arg = call.args[position];
            let number = if arg == flag { carried } else { number(func, arg, terminator, &mut made) };
            if let Some(call) = func.insts[terminator].successors_mut().nth(way) {
                call.args[position] = number;
            }
        }
        let end = func.blocks[from].insts.len() - 1;
        func.blocks[from].insts.splice(end..end, made);
    }
}

/// 1 for true and 0 for false, by instructions before a terminator.
fn number(func: &mut Function, flag: Value, terminator: Inst, made: &mut Vec<Inst>) -> Value {
    let location = func.locations[terminator];
    let mut constant = |func: &mut Function, bits| {
        let (inst, value) = func.make_value(InstData::Const { bits }, Type::I32, location);
        made.push(inst);
        value
    };
    if let Some(bits) = func.constant(flag) {
        return constant(func, bits & 1);
    }
    let (if_true, if_false) = (constant(func, 1), constant(func, 0));
    let data = InstData::Select { cond: flag, if_true, if_false };
    let (inst, value) = func.make_value(data, Type::I32, location);
    made.push(inst);
    value
}

fn first_location(func: &Function, block: Block) -> SourceLoc {
    func.blocks[block].insts.first().map(|&inst| func.locations[inst]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn a_flag_that_loops_carry() {
        check(
            carry_bools_as_integers,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                v1: bool = const false
                v2: i32 = special tid.x
                jump block1(v1, v2)
            block1(v3: bool, v4: i32):
                branch v3, block4, block2
            block2:
                v5: i32 = add v4, v0
                v6: bool = icmp ult v5, v0
                branch v6, block1(v3, v5), block3
            block3:
                v7: bool = icmp eq v5, v2
                jump block1(v7, v5)
            block4:
                store.shared v4, v4
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = param0
                    v1: bool = const false
                    v2: i32 = special tid.x
                    v10: i32 = const 0
                    jump block1(v10, v2)
                block1(v8: i32, v4: i32):
                    v9: i32 = const 0
                    v3: bool = icmp ne v8, v9
                    branch v3, block4, block2
                block2:
                    v5: i32 = add v4, v0
                    v6: bool = icmp ult v5, v0
                    branch v6, block1(v8, v5), block3
                block3:
                    v7: bool = icmp eq v5, v2
                    v11: i32 = const 1
                    v12: i32 = const 0
                    v13: i32 = select v7, v11, v12
                    jump block1(v13, v5)
                block4:
                    store.shared v4, v4
                    return
                }
            "#]],
        );
    }

    #[test]
    fn both_edges_of_a_latch() {
        check(
            carry_bools_as_integers,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                v1: bool = const false
                v2: bool = const true
                jump block1(v1, v0)
            block1(v3: bool, v4: i32):
                branch v3, block3, block2
            block2:
                v5: i32 = add v4, v0
                v6: bool = icmp ult v5, v0
                v7: bool = icmp eq v5, v0
                branch v6, block1(v7, v5), block1(v2, v0)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = param0
                    v1: bool = const false
                    v2: bool = const true
                    v10: i32 = const 0
                    jump block1(v10, v0)
                block1(v8: i32, v4: i32):
                    v9: i32 = const 0
                    v3: bool = icmp ne v8, v9
                    branch v3, block3, block2
                block2:
                    v5: i32 = add v4, v0
                    v6: bool = icmp ult v5, v0
                    v7: bool = icmp eq v5, v0
                    v11: i32 = const 1
                    v12: i32 = const 0
                    v13: i32 = select v7, v11, v12
                    v14: i32 = const 1
                    branch v6, block1(v13, v5), block1(v14, v0)
                block3:
                    return
                }
            "#]],
        );
    }
}
