//! Loads of read-only memory that some ways to a block have made already: the other ways make them as well, and the block has the value as a
//! parameter. (Partial redundancy elimination.)
//!
//! Of `if j == m || i < n && a[i] <= b[j] { out = a[i] } else { out = b[j] }` the elements that were compared are not loaded again.

use std::collections::{HashMap, HashSet};

use super::gvn::{canonical, is_repeatable};
use crate::analysis::{Cfg, DomTree};
use crate::ir::{Block, BlockCall, Function, Inst, InstData, SourceLoc, Type, Value, ValueDef};

/// Blocks in which an earlier load is looked for, from the end of a way upwards.
const MOST_BLOCKS: usize = 4;
/// Ways that get a load of their own.
const MOST_LOADS: usize = 2;

/// An edge: a block and the number of its terminator's call.
type Edge = (Block, usize);

/// A load, the block it is in, and the value that each way there has.
struct Partial {
    block: Block,
    inst: Inst,
    ways: Vec<(Edge, Option<Value>)>,
}

/// See the head of this file.
pub fn load_once(func: &mut Function) {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let found: Vec<Partial> =
        cfg.order().iter().flat_map(|&block| partial(func, &cfg, &tree, block)).collect();
    let mut splits = HashMap::new();
    for partial in found {
        pass_value(func, &partial, &mut splits);
    }
}

/// The loads of a block that some ways there have made.
fn partial(func: &Function, cfg: &Cfg, tree: &DomTree, block: Block) -> Vec<Partial> {
    let from: HashSet<Block> = cfg.predecessors(block).iter().copied().collect();
    if from.len() < 2 || from.iter().any(|&from| tree.dominates(block, from)) {
        return Vec::new();
    }
    let mut edges: Vec<Edge> = Vec::new();
    for &from in cfg.order().iter().filter(|other| from.contains(other)) {
        let calls = func.successors(from).enumerate().filter(|&(_, to)| to == block);
        edges.extend(calls.map(|(number, _)| (from, number)));
    }
    let is_of_block = |value: Value| match func.values[value].def {
        ValueDef::Param(home) => home == block,
        ValueDef::Result(inst) => func.blocks[block].insts.contains(&inst),
    };
    let mut found = Vec::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        let (InstData::Load { address, .. }, Some(result)) = (data, func.results[inst]) else { continue };
        if !is_repeatable(data) || is_of_block(*address) {
            continue;
        }
        let key = (canonical(data), func.ty(result));
        let value = |&edge: &Edge| (edge, loaded(func, tree, block, edge.0, &key));
        let ways: Vec<(Edge, Option<Value>)> = edges.iter().map(value).collect();
        let loads = ways.iter().filter(|(_, value)| value.is_none()).count();
        if loads < ways.len() && loads <= MOST_LOADS {
            found.push(Partial { block, inst, ways });
        }
    }
    found
}

/// Value of an equal load on the way to the end of a block, below the immediate dominator of the join.
fn loaded(
    func: &Function,
    tree: &DomTree,
    join: Block,
    from: Block,
    (data, ty): &(InstData, Type),
) -> Option<Value> {
    let is_same = |&inst: &Inst| {
        let result = func.results[inst].filter(|&result| func.ty(result) == *ty)?;
        (canonical(&func.insts[inst]) == *data).then_some(result)
    };
    let blocks = std::iter::successors(Some(from), |&block| tree.idom(block));
    let mut way = blocks.take(MOST_BLOCKS).take_while(|&block| tree.idom(join) != Some(block));
    way.find_map(|block| func.blocks[block].insts.iter().find_map(is_same))
}

/// Makes a load a parameter of its block.
fn pass_value(
    func: &mut Function,
    Partial { block, inst, ways }: &Partial,
    splits: &mut HashMap<Edge, Block>,
) {
    let Some(result) = func.results[*inst] else { return };
    let (data, ty, location) = (func.insts[*inst].clone(), func.ty(result), func.locations[*inst]);
    func.blocks[*block].insts.retain(|other| other != inst);
    func.values[result].def = ValueDef::Param(*block);
    func.blocks[*block].params.push(result);
    for &(edge, value) in ways {
        let (from, number) = match (value, splits.get(&edge)) {
            (_, Some(&split)) => (split, 0),
            (None, None) if func.successors(edge.0).count() > 1 => {
                let split = split_edge(func, edge, location);
                splits.insert(edge, split);
                (split, 0)
            }
            (Some(_) | None, None) => edge,
        };
        let value = value.unwrap_or_else(|| {
            let (load, value) = func.make_value(data.clone(), ty, location);
            let end = func.blocks[from].insts.len().saturating_sub(1);
            func.blocks[from].insts.insert(end, load);
            value
        });
        if let Some(terminator) = func.terminator(from)
            && let Some(call) = func.insts[terminator].successors_mut().nth(number)
        {
            call.args.push(value);
        }
    }
}

/// A block on an edge.
fn split_edge(func: &mut Function, (from, number): Edge, location: SourceLoc) -> Block {
    let split = func.make_block();
    let target = func.terminator(from).and_then(|terminator| {
        let call = func.insts[terminator].successors_mut().nth(number)?;
        Some(std::mem::replace(call, BlockCall { block: split, args: Vec::new() }))
    });
    if let Some(target) = target {
        let jump = func.make_inst(InstData::Jump { target }, None, location);
        func.blocks[split].insts.push(jump);
    }
    let at = func.layout.iter().position(|&block| block == from).map_or(0, |at| at + 1);
    func.layout.insert(at, split);
    split
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// `if a || x[0] < x[1] { y = x[0] } else { y = x[1] }`, of memory that is or is not read-only.
    fn choice(read_only: &str) -> String {
        format!(
            "kernel k(param0 a: bool, param1 x: i64 ptr align 4{read_only}, param2 y: i64 ptr align 4) {{
            block0:
                v0: bool = param0
                v1: i64 = param1
                v2: i64 = param2
                branch v0, block2, block1
            block1:
                v3: i32 = load.global v1{read_only}
                v4: i32 = load.global v1 + 4{read_only}
                v5: bool = icmp ult v3, v4
                branch v5, block2, block3
            block2:
                v6: i32 = load.global v1{read_only}
                store.global v2, v6
                return
            block3:
                v7: i32 = load.global v1 + 8{read_only}
                store.global v2, v7
                return
            }}"
        )
    }

    #[test]
    fn on_the_other_way() {
        check(
            load_once,
            &choice(" read_only"),
            expect![[r#"
                kernel k(param0 a: bool, param1 x: i64 ptr align 4 read_only, param2 y: i64 ptr align 4) {
                block0:
                    v0: bool = param0
                    v1: i64 = param1
                    v2: i64 = param2
                    branch v0, block4, block1
                block4:
                    v8: i32 = load.global v1 read_only
                    jump block2(v8)
                block1:
                    v3: i32 = load.global v1 read_only
                    v4: i32 = load.global v1 + 4 read_only
                    v5: bool = icmp ult v3, v4
                    branch v5, block2(v3), block3
                block2(v6: i32):
                    store.global v2, v6
                    return
                block3:
                    v7: i32 = load.global v1 + 8 read_only
                    store.global v2, v7
                    return
                }
            "#]],
        );
    }

    #[test]
    fn memory_that_is_written() {
        check_stays(load_once, &choice(""));
    }
}
