//! Carries pairs of 16-bit floats between blocks in one register: two parameters of a block that are packed into a pair, and come from
//! the halves of pairs on every edge, become one parameter.
//!
//! The fragments of tensor-core products are such pairs (PTX ISA, "Matrix Fragments for mma.m16n8k16"). ptxas 13.0 takes halves that
//! a loop carries apart and puts them together again, an instruction for each register and iteration.

use std::collections::HashMap;

use super::simplify_cfg::remove_unreachable;
use crate::analysis::Cfg;
use crate::ir::{Block, Function, Inst, InstData, SourceLoc, Type, Value, ValueData, ValueDef};

/// The parameters for the low and the high halves, with their block.
type Candidates = HashMap<[Value; 2], Block>;

/// See the head of this file.
pub fn carry_pairs(func: &mut Function) {
    // Their edges would keep what the parameters were.
    remove_unreachable(func);
    let cfg = Cfg::new(func);
    let candidates = candidates(func, &cfg);
    let mut pairs: HashMap<[Value; 2], Value> = HashMap::new();
    // In the order of the layout: names of values do not depend on that of a table.
    let mut sorted: Vec<([Value; 2], Block)> = candidates.into_iter().collect();
    sorted.sort_by_key(|&(halves, _)| halves);
    for &(halves, block) in &sorted {
        let ty = pair_type(func.ty(halves[0])).unwrap_or(Type::F16x2);
        let pair = func.values.push(ValueData { ty, def: ValueDef::Param(block) });
        pairs.insert(halves, pair);
    }
    for &(halves, block) in &sorted {
        carry(func, &cfg, halves, block, &pairs);
    }
}

fn pair_type(half: Type) -> Option<Type> {
    match half {
        Type::F16 => Some(Type::F16x2),
        Type::BF16 => Some(Type::BF16x2),
        _ => None,
    }
}

/// The halves that are packed somewhere, and those that they come from, as long as no edge brings others.
fn candidates(func: &Function, cfg: &Cfg) -> Candidates {
    let mut candidates = Candidates::new();
    let mut work = Vec::new();
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        if let InstData::Pack { args } = func.insts[inst] {
            work.push(args);
        }
    }
    while let Some(halves) = work.pop() {
        let [ValueDef::Param(block), ValueDef::Param(other)] = halves.map(|half| func.values[half].def)
        else {
            continue;
        };
        let is_new = block == other && halves[0] != halves[1] && !candidates.contains_key(&halves);
        if is_new && pair_type(func.ty(halves[0])).is_some() {
            candidates.insert(halves, block);
            work.extend(incoming(func, cfg, halves, block));
        }
    }
    // A value that is a half of two pairs stays what it is.
    let mut uses: HashMap<Value, u32> = HashMap::new();
    candidates.keys().flatten().for_each(|&half| *uses.entry(half).or_default() += 1);
    candidates.retain(|halves, _| halves.iter().all(|half| uses[half] == 1));
    loop {
        let fails = |(&halves, &block): (&[Value; 2], &Block)| {
            let incoming = incoming(func, cfg, halves, block);
            let is_whole =
                |halves: &[Value; 2]| whole(func, *halves).is_some() || candidates.contains_key(halves);
            (incoming.is_empty() || !incoming.iter().all(is_whole)).then_some(halves)
        };
        let failed: Vec<[Value; 2]> = candidates.iter().filter_map(fails).collect();
        if failed.is_empty() {
            return candidates;
        }
        candidates.retain(|halves, _| !failed.contains(halves));
    }
}

/// The pair that two values are the halves of.
fn whole(func: &Function, halves: [Value; 2]) -> Option<Value> {
    match halves.map(|half| func.def(half)) {
        [Some(&InstData::Extract { arg: low, lane: 0 }), Some(&InstData::Extract { arg: high, lane: 1 })]
            if low == high =>
        {
            Some(low)
        }
        _ => None,
    }
}

fn positions(func: &Function, halves: [Value; 2], block: Block) -> Option<[usize; 2]> {
    let position = |half| func.blocks[block].params.iter().position(|&param| param == half);
    Some([position(halves[0])?, position(halves[1])?])
}

/// The arguments that the edges to a block pass for two of its parameters; nothing if they are none of this block.
fn incoming(func: &Function, cfg: &Cfg, halves: [Value; 2], block: Block) -> Vec<[Value; 2]> {
    let Some(positions) = positions(func, halves, block) else { return Vec::new() };
    let terminators = cfg.predecessors(block).iter().filter_map(|&from| func.terminator(from));
    let calls = terminators.flat_map(|terminator| func.insts[terminator].successors());
    calls.filter(|call| call.block == block).map(|call| positions.map(|at| call.args[at])).collect()
}

/// Puts the pair in place of its halves, which are taken out of it where they were parameters.
fn carry(
    func: &mut Function,
    cfg: &Cfg,
    halves: [Value; 2],
    block: Block,
    pairs: &HashMap<[Value; 2], Value>,
) {
    let (Some(positions), Some(&pair)) = (positions(func, halves, block), pairs.get(&halves)) else { return };
    // A block is there once for each of its edges.
    let mut before = cfg.predecessors(block).to_vec();
    before.sort_unstable();
    before.dedup();
    for from in before {
        let Some(terminator) = func.terminator(from) else { continue };
        let mut data = std::mem::replace(&mut func.insts[terminator], InstData::Return);
        for call in data.successors_mut().filter(|call| call.block == block) {
            // By the choice of candidates one of the two is there.
            let passed = positions.map(|at| call.args[at]);
            call.args.extend(pairs.get(&passed).copied().or_else(|| whole(func, passed)));
            remove(&mut call.args, positions);
        }
        func.insts[terminator] = data;
    }
    func.blocks[block].params.push(pair);
    remove(&mut func.blocks[block].params, positions);
    let location = first_location(func, block);
    let made: Vec<Inst> = [0u8, 1]
        .map(|lane| {
            // A half keeps its name.
            let half = halves[usize::from(lane)];
            let inst = func.make_inst(InstData::Extract { arg: pair, lane }, None, location);
            func.results[inst] = Some(half);
            func.values[half].def = ValueDef::Result(inst);
            inst
        })
        .into();
    func.blocks[block].insts.splice(..0, made);
}

fn remove(values: &mut Vec<Value>, positions: [usize; 2]) {
    let mut at = 0..;
    values.retain(|_| at.next().is_none_or(|at| !positions.contains(&at)));
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
    fn pairs_that_a_loop_carries() {
        check(
            carry_pairs,
            "kernel k(param0 n: i32, param1 x: f16x2, param2 h: f16) {
            block0:
                v0: i32 = param0
                v1: f16x2 = param1
                v2: f16 = extract.0 v1
                v3: f16 = extract.1 v1
                v4: f16 = param2
                jump block1(v2, v0, v3, v2, v4)
            block1(v5: f16, v6: i32, v7: f16, v8: f16, v9: f16):
                v10: f16x2 = pack v5, v7
                v11: f16x2 = fadd v10, v1
                v12: f16x2 = pack v8, v9
                v13: f16 = extract.0 v11
                v14: f16 = extract.1 v11
                store.shared v6, v12
                v15: bool = icmp eq v6, v0
                branch v15, block1(v13, v6, v14, v13, v4), block2
            block2:
                store.shared v6, v5
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: f16x2, param2 h: f16) {
                block0:
                    v0: i32 = param0
                    v1: f16x2 = param1
                    v2: f16 = extract.0 v1
                    v3: f16 = extract.1 v1
                    v4: f16 = param2
                    jump block1(v0, v2, v4, v1)
                block1(v6: i32, v8: f16, v9: f16, v16: f16x2):
                    v5: f16 = extract.0 v16
                    v7: f16 = extract.1 v16
                    v10: f16x2 = pack v5, v7
                    v11: f16x2 = fadd v10, v1
                    v12: f16x2 = pack v8, v9
                    v13: f16 = extract.0 v11
                    v14: f16 = extract.1 v11
                    store.shared v6, v12
                    v15: bool = icmp eq v6, v0
                    branch v15, block1(v6, v13, v4, v11), block2
                block2:
                    store.shared v6, v5
                    return
                }
            "#]],
        );
    }

    #[test]
    fn both_edges_of_a_branch() {
        check(
            carry_pairs,
            "kernel k(param0 n: i32, param1 x: f16x2, param2 y: f16x2) {
            block0:
                v0: i32 = param0
                v1: f16x2 = param1
                v2: f16 = extract.0 v1
                v3: f16 = extract.1 v1
                v4: f16x2 = param2
                v5: f16 = extract.0 v4
                v6: f16 = extract.1 v4
                v7: i32 = const 1
                v8: bool = icmp eq v0, v7
                branch v8, block1(v0, v2, v3), block1(v7, v5, v6)
            block1(v9: i32, v10: f16, v11: f16):
                v12: f16x2 = pack v10, v11
                store.shared v9, v12
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 x: f16x2, param2 y: f16x2) {
                block0:
                    v0: i32 = param0
                    v1: f16x2 = param1
                    v2: f16 = extract.0 v1
                    v3: f16 = extract.1 v1
                    v4: f16x2 = param2
                    v5: f16 = extract.0 v4
                    v6: f16 = extract.1 v4
                    v7: i32 = const 1
                    v8: bool = icmp eq v0, v7
                    branch v8, block1(v0, v1), block1(v7, v4)
                block1(v9: i32, v13: f16x2):
                    v10: f16 = extract.0 v13
                    v11: f16 = extract.1 v13
                    v12: f16x2 = pack v10, v11
                    store.shared v9, v12
                    return
                }
            "#]],
        );
    }
}
