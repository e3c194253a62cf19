//! Loads of read-only memory in front of checks of data, where the checks of the loads themselves are gone: of `x[rows[e] as usize] * y[columns[e] as usize]`
//! both `rows[e]` and `columns[e]` are loaded before the first of them is compared with a length.
//!
//! ptxas moves no load over a branch: the second one would begin once the first has come. The [ranges](crate::analysis::Ranges) and the launch guards show
//! that the element exists in front of the check of data, too, by the same proof as behind it.

use std::collections::{HashMap, HashSet};

use super::{Decided, check};
use crate::analysis::{Atoms, DomTree, Poly, Ranges};
use crate::ir::{BinaryOp, Block, CacheHints, ConvertOp, Function, Inst, InstData, Space, Value, ValueDef};
use crate::passes::checks::below;

/// Checks that a load passes, and loads that move: each takes a register on the way.
const MOST_CHECKS: usize = 8;
const MOST_LOADS: usize = 8;
/// Instructions of an address that move with its load.
const MOST_PARTS: usize = 16;

/// A load that may be made at the end of an earlier block.
#[derive(Clone, Debug)]
pub(super) struct EarlyLoad {
    load: Inst,
    from: Block,
    to: Block,
}

/// The loads behind these checks, which are gone, that may be made in front of others, which stay.
pub(super) fn find<'d>(
    ranges: &Ranges<'_>,
    atoms: &mut Atoms,
    certain: &[Poly],
    func: &Function,
    decided: impl Iterator<Item = &'d Decided>,
) -> Vec<EarlyLoad> {
    let decided: HashMap<Inst, &Decided> = decided.map(|decided| (decided.inst, decided)).collect();
    let gone: HashSet<Inst> = decided.keys().copied().collect();
    let tree = DomTree::new(ranges.cfg());
    let homes = func.homes(&func.layout);
    let mut found = Vec::new();
    for &block in ranges.cfg().order() {
        let Some(checked) = func.terminator(block).and_then(|inst| decided.get(&inst)) else { continue };
        let InstData::Branch { cond, if_true, .. } = &func.insts[checked.inst] else { continue };
        let (from, truth) = (checked.target.block, if_true.block == checked.target.block);
        let Some((index, length)) = below(func, *cond, truth) else { continue };
        let is_element = |&&inst: &&Inst| is_element(func, inst, index, length);
        let Some(&load) = func.blocks[from].insts.iter().find(is_element) else { continue };
        if ranges.cfg().predecessors(from) != [block] || found.len() == MOST_LOADS {
            continue;
        }
        // The blocks in front of checks that stay, the last ones first.
        let mut places = Vec::new();
        let mut at = block;
        for _ in 0..MOST_CHECKS {
            let &[before] = ranges.cfg().predecessors(at) else { break };
            let Some(inst) = func.terminator(before).filter(|_| is_plain(func, at)) else { break };
            let has_index = homes[index].is_some_and(|home| tree.dominates(home, before));
            let is_check = func.successors(before).any(|side| check(func, side).is_some());
            if !has_index || !is_check {
                break;
            }
            if !gone.contains(&inst) {
                places.push(before);
            }
            at = before;
        }
        let mut exists = |&place: &Block| {
            let demands = ranges.demands(atoms, *cond, truth, place);
            demands.iter().any(|demand| {
                demand.truths.is_empty()
                    && demand.not_negative.iter().all(|poly| atoms.follows(poly, certain))
            })
        };
        let to = places.into_iter().rev().find(|place| exists(place));
        found.extend(to.map(|to| EarlyLoad { load, from, to }));
    }
    found
}

/// Returns true if a load may move over all of a block.
fn is_plain(func: &Function, block: Block) -> bool {
    func.blocks[block].insts.iter().all(|&inst| {
        let data = &func.insts[inst];
        data.is_pure() || data.is_terminator() || matches!(data, InstData::Load { .. })
    })
}

/// Returns true for a load of the element at an index, of a slice of this length that nobody writes.
fn is_element(func: &Function, inst: Inst, index: Value, length: Value) -> bool {
    let InstData::Load {
        space: Space::Global | Space::Generic, address, offset, read_only: true, cache, ..
    } = func.insts[inst]
    else {
        return false;
    };
    let narrow = |mut value: Value| {
        while let Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) = func.def(value) {
            value = arg;
        }
        value
    };
    let param = |value: Value| match func.def(value) {
        Some(&InstData::Param { param }) => Some(param),
        _ => None,
    };
    let Some(&InstData::Binary { op: BinaryOp::Add, args: [pointer, distance], .. }) = func.def(address)
    else {
        return false;
    };
    let (Some(pointer), Some(length)) = (param(pointer), param(narrow(length))) else { return false };
    let (scaled, size) = match func.def(distance) {
        Some(&InstData::Binary { op: BinaryOp::Mul, args: [scaled, size], .. }) => {
            (scaled, func.constant(size).unwrap_or(0))
        }
        _ => (distance, 1),
    };
    let bytes = func.results[inst].map_or(0, |result| func.ty(result).bytes());
    let end = i64::from(offset) + i64::from(bytes);
    cache == CacheHints::NORMAL
        && func.slice_of(length) == Some(pointer)
        && narrow(scaled) == narrow(index)
        && offset >= 0
        && u64::try_from(end).is_ok_and(|end| end <= size)
}

/// Makes loads early, with what their addresses are made of.
pub(super) fn move_loads(func: &mut Function, loads: &[EarlyLoad]) {
    if loads.is_empty() {
        return;
    }
    let tree = DomTree::new(&crate::analysis::Cfg::new(func));
    for &EarlyLoad { load, from, to } in loads {
        let homes = func.homes(&func.layout);
        let is_there = |value: Value| homes[value].is_some_and(|home| tree.dominates(home, to));
        let Some(parts) = parts(func, load, is_there) else { continue };
        let Some(result) = func.results[load] else { continue };
        let mut copies: HashMap<Value, Value> = HashMap::new();
        let mut made = Vec::new();
        for inst in parts.into_iter().chain([load]) {
            let Some(value) = func.results[inst] else { continue };
            let mut data = func.insts[inst].clone();
            data.map_args(|arg| copies.get(&arg).copied().unwrap_or(arg));
            let (inst, copy) = func.make_value(data, func.ty(value), func.locations[inst]);
            copies.insert(value, copy);
            made.push(inst);
        }
        let end = func.blocks[to].insts.len().saturating_sub(1);
        func.blocks[to].insts.splice(end..end, made);
        func.blocks[from].insts.retain(|&inst| inst != load);
        let early = copies[&result];
        for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
            func.insts[inst].map_args(|arg| if arg == result { early } else { arg });
        }
    }
}

/// The instructions that the address of a load is made of and that are not there yet, in order; none if they are too many, or not all of them can be
/// computed at any place.
fn parts(func: &Function, load: Inst, is_there: impl Fn(Value) -> bool) -> Option<Vec<Inst>> {
    let mut parts: Vec<Inst> = Vec::new();
    let mut rest = Vec::new();
    func.insts[load].visit_args(|arg| rest.push(arg));
    while let Some(value) = rest.pop() {
        if is_there(value) {
            continue;
        }
        let ValueDef::Result(inst) = func.values[value].def else { return None };
        if !func.insts[inst].is_pure() || parts.len() == MOST_PARTS {
            return None;
        }
        // A definition comes before all its uses.
        parts.retain(|&known| known != inst);
        parts.push(inst);
        func.insts[inst].visit_args(|arg| rest.push(arg));
    }
    parts.reverse();
    Some(parts)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{Check, Doubtful, find as find_guards};
    use crate::ir::parse_function;

    /// `x[a[i]] + b[i]` where `i < out.len()`, of a slice `b` like this.
    fn gather(b: &str) -> String {
        format!(
            "kernel k(param0 a: i64 ptr align 4 read_only, param1 a_len: i32, param2 b: i64 ptr align 4{b}, param3 b_len: i32, param4 x: i64 ptr align 4 read_only, param5 x_len: i32, param6 out: i64 ptr align 4, param7 out_len: i32) {{
            panic0 index
            panic1 index @0:2:1
            panic2 index @0:3:1
        block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = param2
            v3: i32 = param3
            v4: i64 = param4
            v5: i32 = param5
            v6: i64 = param6
            v7: i32 = param7
            v8: i32 = special tid.x
            v9: i64 = zext v8
            v10: i64 = const 4
            v11: bool = icmp ult v8, v7
            branch v11, block1, block9
        block1:
            v12: bool = icmp ult v8, v1
            branch v12, block2, block10
        block2:
            v13: i64 = mul nuw v9, v10
            v14: i64 = add nuw v0, v13
            v15: i32 = load.global v14 read_only
            v16: bool = icmp ult v15, v5
            branch v16, block3, block11
        block3:
            v17: bool = icmp ult v8, v3
            branch v17, block4, block12
        block4:
            v18: i64 = mul nuw v9, v10
            v19: i64 = add nuw v2, v18
            v20: i32 = load.global v19{b}
            v21: i64 = zext v15
            v22: i64 = mul nuw v21, v10
            v23: i64 = add nuw v4, v22
            v24: i32 = load.global v23 read_only
            v25: i32 = add v20, v24
            v26: i64 = add nuw v6, v18
            store.global v26, v25
            jump block9
        block9:
            return
        block10:
            v31: i64 = zext v1
            panic panic0(v9, v31)
        block11:
            v32: i64 = zext v15
            v33: i64 = zext v5
            panic panic1(v32, v33)
        block12:
            v34: i64 = zext v3
            panic panic2(v9, v34)
        }}"
        )
    }

    fn early(text: &str) -> String {
        let func = parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        let left = func.layout.iter().filter_map(|&block| super::check(&func, block)).collect::<Vec<Check>>();
        let found = find_guards(&func, &left.into_iter().collect(), Doubtful::Tested);
        let (twin, _) = found.check_free(&func, &[]).unwrap();
        crate::passes::assert_valid("check-free", &twin);
        twin.to_string()
    }

    #[test]
    fn a_load_passes_the_check_of_data() {
        let text = early(&gather(" read_only"));
        let body = text.split("block0:").nth(1).unwrap_or(&text);
        expect![[r#"

                v0: i64 = param0
                v2: i64 = param2
                v4: i64 = param4
                v5: i32 = param5
                v6: i64 = param6
                v7: i32 = param7
                v8: i32 = special tid.x
                v9: i64 = zext v8
                v10: i64 = const 4
                v11: bool = icmp ult v8, v7
                branch v11, block1, block9
            block1:
                v13: i64 = mul nuw v9, v10
                v14: i64 = add nuw v0, v13
                v15: i32 = load.global v14 read_only
                v16: bool = icmp ult v15, v5
                v36: i64 = add nuw v2, v13
                v37: i32 = load.global v36 read_only
                branch v16, block3, block11
            block3:
                v21: i64 = zext v15
                v22: i64 = mul nuw v21, v10
                v23: i64 = add nuw v4, v22
                v24: i32 = load.global v23 read_only
                v25: i32 = add v37, v24
                v26: i64 = add nuw v6, v13
                store.global v26, v25
                jump block9
            block9:
                return
            block11:
                v32: i64 = zext v15
                v33: i64 = zext v5
                panic panic1(v32, v33)
            }
        "#]]
        .assert_eq(body);
    }

    fn assert_stays(text: &str) {
        let text = early(text);
        let at = |part: &str| text.find(part);
        assert!(at("icmp ult v15, v5") < at("v20: i32 = load.global"), "{text}");
    }

    /// Somebody may write `b`.
    #[test]
    fn loads_of_written_memory_stay() {
        assert_stays(&gather(""));
    }

    /// A comparison with a number that is not the length of `b` says nothing about its elements.
    #[test]
    fn loads_under_other_comparisons_stay() {
        assert_stays(&gather(" read_only").replace("param3 b_len", "param3 n"));
    }
}
