//! Bounds-check coalescing: a thread that accesses `x[i]`, `x[i + 1]`, `x[i + 2]`, `x[i + 3]` tests the last index alone.
//!
//! A chain of checks gets a test before it, that the greatest index into each slice is below its length. An index
//! without neighbours that can be computed before the chain is tested there, too: the loads behind the checks then start together. Where that holds a copy
//! of the chain runs, in which the [ranges](crate::analysis::Ranges) prove the checks, so that there is no branch between its
//! accesses, which may become wide ones. Where not, the chain itself runs, with each of its checks: the effects of a thread before
//! it panics stay the same. Both go on at one block, which computes what follows the accesses.

use std::collections::{HashMap, HashSet};

use super::Pass;
use super::addresses::split_addresses;
use super::alignment::wanted_in;
use super::checks::{Check, below, panics};
use super::fold::fold_constants;
use super::gvn::number_values;
use super::promote::promote_locals;
use super::simplify_cfg::simplify_cfg;
use super::unroll::copy::{call, copy_region, spill_live_out_of};
use super::unroll::forget_locals;
use super::unroll::hoist::{Appender, Inside};
use crate::analysis::{Cfg, Ranges};
use crate::ir::{
    BinaryOp, Block, BlockCall, Function, Inst, InstData, IntCond, Param, SourceLoc, Type, Value,
};

/// Checks that one test is worth.
const FEWEST: usize = 3;
/// Loads for whose sake indices without neighbours are tested early.
const FEWEST_LOADS: usize = 2;
/// Instructions of a chain: it comes twice.
const MOST_INSTS: usize = 200;
/// Instructions behind the last access of a chain, of which a copy costs more than the join.
const FEWEST_BEHIND: usize = 8;
/// Bytes that a chain loads: at the join all values still needed are in registers.
const MOST_LOADED: u32 = 64;

/// See the head of this file.
pub fn gather_checks(func: &mut Function) {
    let chains = chains(func);
    version_chains(func, chains);
}

/// Accesses with a condition each, of which a copy without conditions may run where one test holds.
pub(super) trait Versioned {
    /// Values that the copies compute again are one with those of the tests before anything is proved: conditions on single indices are
    /// found to be their own tests then.
    const MERGES_VALUES: bool;

    /// The block that the first condition ends.
    fn first(&self) -> Block;
    /// The blocks behind the first condition.
    fn rest(&self) -> &[Block];
    /// The slices and indices that are to be tested; none if that is not worth it.
    fn groups(&self, func: &Function) -> Option<Vec<Group>>;
    /// Moves what is to be copied of the first block to another one, which comes next.
    fn split(&self, func: &mut Function, start: Block);
    /// The conditions of the copy that the test is for, with the ways that they go; none if one of them is not proved.
    fn proved(
        &self,
        ranges: &Ranges<'_>,
        func: &Function,
        groups: &[Group],
        copied: &dyn Fn(Block) -> Block,
    ) -> Option<Vec<(Inst, BlockCall)>>;
}

/// Gives each chain a test and a copy without the conditions that are proved where the test holds; those stay as they are of which a test cannot be computed
/// in front, or does not prove them. Returns true if there are others.
///
/// All chains are copied together, so that the function is analysed once for all of them: again without those that stay.
pub(super) fn version_chains<C: Versioned>(func: &mut Function, chains: Vec<C>) -> bool {
    let mut chains: Vec<(C, Vec<Group>)> = chains
        .into_iter()
        .filter_map(|chain| {
            let groups = chain.groups(func)?;
            Some((chain, groups))
        })
        .collect();
    while !chains.is_empty() {
        let mut later = func.clone();
        let proved = version(&mut later, &chains);
        if proved.iter().all(|&is_proved| is_proved) {
            forget_locals(&mut later, func.locals.len());
            *func = later;
            return true;
        }
        let mut proved = proved.into_iter();
        chains.retain(|_| proved.next() == Some(true));
    }
    false
}

/// A chain with a test in front, which nothing asks yet.
struct Tested {
    /// The block with the test, without a branch at its end.
    block: Block,
    location: SourceLoc,
    /// All of them have to hold.
    conds: Vec<Value>,
    /// The blocks of the chain, the first one first.
    region: Vec<Block>,
}

/// Gives chains their tests and copies. Returns for each whether it can have one: if one cannot, the others have to be made again without it.
fn version<C: Versioned>(func: &mut Function, chains: &[(C, Vec<Group>)]) -> Vec<bool> {
    // Conditions move and tests are written while every value is still computed in one place.
    let tested: Vec<Option<Tested>> =
        chains.iter().map(|(chain, groups)| test(func, chain, groups)).collect();
    if tested.iter().any(Option::is_none) {
        return tested.iter().map(Option::is_some).collect();
    }
    let tested: Vec<Tested> = tested.into_iter().flatten().collect();
    let regions: Vec<&[Block]> = tested.iter().map(|tested| &tested.region[..]).collect();
    spill_live_out_of(func, &regions);
    let copies: Vec<HashMap<Block, Block>> = tested.iter().map(|tested| tested.copy(func)).collect();
    promote_locals(func);
    if C::MERGES_VALUES && chains.iter().flat_map(|(_, groups)| groups).any(|group| group.checks.len() == 1) {
        number_values(func);
    }

    // The copies lose the checks that are proved: by the same proofs as any.
    let ranges = Ranges::new(func);
    let decided: Vec<Option<Vec<(Inst, BlockCall)>>> = chains
        .iter()
        .zip(tested.iter().zip(&copies))
        .map(|((chain, groups), (tested, copy))| {
            let copied = |block| copy[if block == tested.block { &tested.region[0] } else { &block }];
            chain.proved(&ranges, func, groups, &copied)
        })
        .collect();
    let proved: Vec<bool> = decided.iter().map(Option::is_some).collect();
    if proved.iter().all(|&is_proved| is_proved) {
        for (inst, target) in decided.into_iter().flatten().flatten() {
            func.insts[inst] = InstData::Jump { target };
        }
        align(func, tested.iter().zip(&copies));
    }
    proved
}

/// Splits the first block of a chain, and appends the tests of its groups to what is left of it; none if they need what the chain computes.
fn test(func: &mut Function, chain: &impl Versioned, groups: &[Group]) -> Option<Tested> {
    let block = chain.first();
    let location = func.locations[func.terminator(block)?];
    let start = func.make_block();
    let at = func.layout.iter().position(|&other| other == block)?;
    func.layout.insert(at + 1, start);
    chain.split(func, start);
    let region: Vec<Block> = [start].into_iter().chain(chain.rest().iter().copied()).collect();
    let inside = Inside::new(func, &region);
    let is_known = |value: &Value| inside.is_invariant(func, *value);
    if !groups.iter().flat_map(|group| group.base.iter().chain([&group.length])).all(is_known) {
        return None;
    }
    let mut out = Appender { func, inside: &inside, location };
    let conds = groups.iter().map(|group| group.test(&mut out, block)).collect();
    Some(Tested { block, location, conds, region })
}

impl Tested {
    /// Copies the chain, and goes to the copy where the test holds. Returns the copies of its blocks.
    fn copy(&self, func: &mut Function) -> HashMap<Block, Block> {
        let start = self.region[0];
        let copy = copy_region(func, &self.region);
        let at = func.layout.iter().position(|&block| block == start).unwrap_or(0);
        func.layout.splice(at..at, self.region.iter().map(|block| copy[block]));
        let nothing_inside = Inside::new(func, &[]);
        let mut out = Appender { func, inside: &nothing_inside, location: self.location };
        out.branch(self.block, &self.conds, call(copy[&start], &[]), call(start, &[]));
        copy
    }
}

/// Checks one after the other, with nothing but accesses and arithmetic between them.
struct Chain {
    checks: Vec<Check>,
    /// The blocks after the first check and the panics, all of which only the chain comes to.
    rest: Vec<Block>,
}

/// A slice, the index into it that others of the chain are constants away from, and the greatest of these constants.
pub(super) struct Group {
    pub(super) length: Value,
    pub(super) base: Option<Value>,
    most: u64,
    ty: Type,
    /// The numbers of the checks in their chain.
    checks: Vec<usize>,
}

impl Group {
    /// Adds a check of a chain, whose condition has to be this, to the group of its slice and index; none if it does not compare an index with a length.
    pub(super) fn add(
        groups: &mut Vec<Group>,
        func: &Function,
        number: usize,
        (cond, truth): (Value, bool),
    ) -> Option<()> {
        let (index, length) = below(func, cond, truth)?;
        let (base, offset) = split(func, index)?;
        let ty = func.ty(index);
        match groups.iter_mut().find(|group| (group.length, group.base, group.ty) == (length, base, ty)) {
            Some(group) => {
                group.most = group.most.max(offset);
                group.checks.push(number);
            }
            None => groups.push(Group { length, base, most: offset, ty, checks: vec![number] }),
        }
        Some(())
    }

    /// Tests at the end of a block that the greatest index is below the length.
    pub(super) fn test(&self, out: &mut Appender<'_>, block: Block) -> Value {
        let length = out.invariant(block, self.length);
        let index = match self.base.map(|base| out.invariant(block, base)) {
            Some(base) if self.most == 0 => base,
            base => {
                let most = out.constant(block, self.most, self.ty);
                base.map_or(most, |base| out.binary(block, BinaryOp::Add, [base, most], false))
            }
        };
        out.value(block, InstData::IntCompare { cond: IntCond::ULt, args: [index, length] }, Type::Bool)
    }
}

/// The chains of a function, none of which has a check of another.
fn chains(func: &Function) -> Vec<Chain> {
    let cfg = Cfg::new(func);
    let check_of = |block: Block| cfg.is_reachable(block).then(|| Check::of(func, block)).flatten();
    let mut seen = HashSet::new();
    let mut chain_from = |&start: &Block| {
        if seen.contains(&start) {
            return None;
        }
        let mut checks = vec![check_of(start)?];
        let mut rest = Vec::new();
        loop {
            let next = checks.last()?.target.block;
            let is_own = matches!(cfg.predecessors(next), [_]) && is_plain(func, next);
            if !is_own || seen.contains(&next) {
                break;
            }
            rest.push(next);
            match check_of(next) {
                Some(check) => checks.push(check),
                None => break,
            }
        }
        seen.extend(checks.iter().map(|check| check.block));
        if checks.len() < FEWEST {
            return None;
        }
        let mine: HashSet<Block> = checks.iter().map(|check| check.block).collect();
        let mut known: HashSet<Block> = rest.iter().copied().collect();
        for &block in checks.iter().flat_map(|check| cfg.successors(check.block)) {
            let is_own = || cfg.predecessors(block).iter().all(|from| mine.contains(from));
            if panics(func, block) && is_own() && known.insert(block) {
                rest.push(block);
            }
        }
        let insts = rest.iter().flat_map(|&block| &func.blocks[block].insts);
        let (count, loads) = (insts.clone().count(), insts.filter(|&&inst| is_load(func, inst)));
        let loaded: u32 = loads.filter_map(|&inst| Some(func.ty(func.results[inst]?).bytes())).sum();
        let chain = Chain { checks, rest };
        let behind =
            chain.accesses(func).map_or(0, |(last, accesses)| func.blocks[last].insts.len() - accesses);
        (count - behind <= MOST_INSTS && loaded <= MOST_LOADED).then_some(chain)
    };
    func.layout.iter().filter_map(&mut chain_from).collect()
}

/// Returns true if threads may run a block at different times: it has no barrier or collective.
pub(super) fn is_plain(func: &Function, block: Block) -> bool {
    func.blocks[block].insts.iter().all(|&inst| {
        let data = &func.insts[inst];
        data.is_pure()
            || data.is_terminator()
            || matches!(data, InstData::Load { .. } | InstData::Store { .. } | InstData::LocalAddress { .. })
    })
}

fn is_load(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst], InstData::Load { .. })
}

impl Versioned for Chain {
    const MERGES_VALUES: bool = true;

    fn first(&self) -> Block {
        self.checks[0].block
    }

    fn rest(&self) -> &[Block] {
        &self.rest
    }

    /// The slices of which several indices are checked, or one that is known before the chain.
    fn groups(&self, func: &Function) -> Option<Vec<Group>> {
        let mut groups = Vec::new();
        for (number, check) in self.checks.iter().enumerate() {
            // Others stay, in the copy too.
            let _ = Group::add(&mut groups, func, number, (check.cond, check.truth));
        }
        let inside = Inside::new(func, &self.rest);
        let is_known = |value: &Value| inside.is_invariant(func, *value);
        groups.retain(|group| group.checks.len() > 1 || group.base.iter().all(is_known));
        let gathered: usize = groups.iter().map(|group| group.checks.len()).sum();
        // Tests of single indices pay where they let loads start together.
        let is_worth_it = gathered >= 2 * groups.len() || self.loads(func) >= FEWEST_LOADS;
        (gathered >= FEWEST && is_worth_it).then_some(groups)
    }

    fn split(&self, func: &mut Function, start: Block) {
        let check = func.blocks[self.first()].insts.pop();
        func.blocks[start].insts.extend(check);
        if let Some((last, accesses)) = self.accesses(func) {
            leave_behind(func, last, accesses, (start, &self.rest));
        }
    }

    fn proved(
        &self,
        ranges: &Ranges<'_>,
        func: &Function,
        groups: &[Group],
        copied: &dyn Fn(Block) -> Block,
    ) -> Option<Vec<(Inst, BlockCall)>> {
        let numbers = groups.iter().flat_map(|group| &group.checks);
        let decided = numbers.map(|&number| {
            let check = Check::of(func, copied(self.checks[number].block))?;
            let is_proved = ranges.proves_that(check.cond, check.truth, check.block);
            is_proved.then_some((check.inst, check.target))
        });
        decided.collect()
    }
}

impl Chain {
    /// The block behind the last check, and the number of its instructions up to the last access that may be one of several: a load, or a
    /// store if there are stores between the checks. None if little follows it.
    fn accesses(&self, func: &Function) -> Option<(Block, usize)> {
        let last = self.checks.last()?.target.block;
        if !self.rest.contains(&last) {
            return None;
        }
        let is_store = |&&inst: &&Inst| matches!(func.insts[inst], InstData::Store { .. });
        let insts = &func.blocks[last].insts;
        let before = self.rest.iter().filter(|&&block| block != last);
        let stores = before.flat_map(|&block| &func.blocks[block].insts).any(|inst| is_store(&inst))
            || !insts.iter().take_while(|inst| !is_store(inst)).any(|&inst| is_load(func, inst));
        let is_access = |inst: &Inst| is_load(func, *inst) || stores && is_store(&inst);
        let accesses = insts.iter().rposition(is_access).map_or(0, |at| at + 1);
        (insts.len() > accesses + FEWEST_BEHIND).then_some((last, accesses))
    }

    /// Number of loads between the checks and after them.
    fn loads(&self, func: &Function) -> usize {
        let insts = self.rest.iter().flat_map(|&block| &func.blocks[block].insts);
        insts.filter(|&&inst| is_load(func, inst)).count()
    }
}

/// Moves what follows so many instructions of a block to a block of its own, which computes again what it takes of these blocks that is known
/// before them.
fn leave_behind(func: &mut Function, block: Block, keep: usize, (start, rest): (Block, &[Block])) {
    let behind = func.make_block();
    let moved = func.blocks[block].insts.split_off(keep);
    let Some(location) = moved.first().map(|&inst| func.locations[inst]) else { return };
    let inside = Inside::new(func, &[&[start], rest].concat());
    let mut out = Appender { func, inside: &inside, location };
    let mut known = HashMap::new();
    for &inst in &moved {
        let mut taken = Vec::new();
        out.func.insts[inst].visit_args(|value| taken.push(value));
        for value in taken {
            if inside.has(value) && inside.is_invariant(out.func, value) && !known.contains_key(&value) {
                let again = out.invariant(behind, value);
                known.insert(value, again);
            }
        }
        out.func.insts[inst].map_args(|value| known.get(&value).copied().unwrap_or(value));
    }
    func.blocks[behind].insts.extend(moved);
    let jump = func.make_inst(InstData::Jump { target: call(behind, &[]) }, None, location);
    func.blocks[block].insts.push(jump);
    let at = func.layout.iter().position(|&other| other == block).map_or(func.layout.len(), |at| at + 1);
    func.layout.insert(at, behind);
}

/// Makes the tests before chains also test that slices are aligned where accesses of their copies become wide ones, and marks these.
fn align<'t>(func: &mut Function, versions: impl Iterator<Item = (&'t Tested, &'t HashMap<Block, Block>)>) {
    let mut later = func.clone();
    [simplify_cfg, split_addresses, fold_constants, number_values]
        .iter()
        .for_each(|pass: &Pass| pass(&mut later));
    for (Tested { block, location, region, .. }, copy) in versions {
        let copies: Vec<Block> = region.iter().map(|block| copy[block]).collect();
        align_one(func, &later, (*block, &copies), *location);
    }
}

/// [`align`] for one copy of a chain, in the function and as it will be.
fn align_one(
    func: &mut Function,
    later: &Function,
    (before, copies): (Block, &[Block]),
    location: SourceLoc,
) {
    let is_read = |func: &Function, pointer: Value| {
        let mut is_read = false;
        for &inst in copies.iter().flat_map(|&block| &func.blocks[block].insts) {
            func.insts[inst].visit_args(|arg| is_read |= arg == pointer);
        }
        is_read
    };
    let pointers: Vec<(Value, u32)> = wanted_in(later, copies)
        .into_iter()
        .filter_map(|wanted| Some((parameter(func, wanted.param)?, wanted.align)))
        .filter(|&(pointer, _)| is_read(func, pointer))
        .collect();
    let Some(branch) = func.blocks[before].insts.pop() else { return };
    let nothing_inside = Inside::new(func, &[]);
    let mut out = Appender { func, inside: &nothing_inside, location };
    for align in [4, 8, 16] {
        let of_this = pointers.iter().filter(|(_, of)| *of == align).map(|&(pointer, _)| pointer);
        let bits = of_this.reduce(|a, b| out.binary(before, BinaryOp::Or, [a, b], false));
        let Some(bits) = bits else { continue };
        let mask = out.constant(before, u64::from(align - 1), Type::I64);
        let low = out.binary(before, BinaryOp::And, [bits, mask], false);
        let zero = out.constant(before, 0, Type::I64);
        let is_aligned = InstData::IntCompare { cond: IntCond::Eq, args: [low, zero] };
        let is_aligned = out.value(before, is_aligned, Type::Bool);
        let InstData::Branch { cond, .. } = out.func.insts[branch] else { continue };
        let both = out.binary(before, BinaryOp::And, [cond, is_aligned], false);
        if let InstData::Branch { cond, .. } = &mut out.func.insts[branch] {
            *cond = both;
        }
    }
    func.blocks[before].insts.push(branch);
    for (pointer, align) in pointers {
        // The mask changes nothing: it says what was tested.
        let (mask, bits) =
            func.make_value(InstData::Const { bits: !u64::from(align - 1) }, Type::I64, location);
        let and = InstData::Binary { op: BinaryOp::And, args: [pointer, bits], no_unsigned_wrap: false };
        let (and, aligned) = func.make_value(and, Type::I64, location);
        for inst in copies.iter().flat_map(|&block| &func.blocks[block].insts) {
            func.insts[*inst].map_args(|arg| if arg == pointer { aligned } else { arg });
        }
        func.blocks[copies[0]].insts.splice(0..0, [mask, and]);
    }
}

/// The value of a parameter.
fn parameter(func: &Function, wanted: Param) -> Option<Value> {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let read =
        insts.find(|&&inst| matches!(func.insts[inst], InstData::Param { param } if param == wanted))?;
    func.results[*read]
}

/// A value as the sum of another, or none, and a number.
fn split(func: &Function, value: Value) -> Option<(Option<Value>, u64)> {
    if let Some(number) = func.constant(value) {
        return Some((None, number));
    }
    let (mut base, mut offset) = (value, 0u64);
    while let Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) = func.def(base) {
        let (other, number) = match (func.constant(a), func.constant(b)) {
            (None, Some(number)) => (a, number),
            (Some(number), None) => (b, number),
            (None, None) | (Some(_), Some(_)) => break,
        };
        // To add a complement is to subtract.
        if number > func.ty(value).mask() / 2 {
            break;
        }
        (base, offset) = (other, offset.checked_add(number)?);
    }
    Some((Some(base), offset))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// Four neighbours of a slice, one check each.
    fn four(between: &str) -> String {
        let mut text = "kernel k(param0 x: i64 ptr align 4, param1 n: i32, param2 i: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i64 = zext v3
                v5: bool = icmp ult v4, v2
                branch v5, block1, block9
            block9:
                panic panic0(v4, v2)
"
        .to_owned();
        for round in 1..4 {
            let v = 10 * round;
            text += &format!(
                "            block{round}:
                {between}
                v{v}: i64 = const {round}
                v{}: i64 = add v4, v{v}
                v{}: bool = icmp ult v{}, v2
                branch v{}, block{}, block{v}
            block{v}:
                panic panic0(v{}, v2)
",
                v + 1,
                v + 2,
                v + 1,
                v + 2,
                round + 1,
                v + 1,
            );
        }
        text + "            block4:
                v50: f32 = const 1.0
                store.global v0, v50
                return
            }"
    }

    #[test]
    fn the_last_of_four_neighbours() {
        check(
            gather_checks,
            &four(""),
            expect![[r#"
            kernel k(param0 x: i64 ptr align 4, param1 n: i32, param2 i: i32) {
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i64 = zext v3
                v5: bool = icmp ult v4, v2
                v51: i64 = const 3
                v52: i64 = add v4, v51
                v53: bool = icmp ult v52, v2
                branch v53, block32, block31
            block32:
                jump block33
            block33:
                v54: i64 = const 1
                v55: i64 = add v4, v54
                v56: bool = icmp ult v55, v2
                jump block34
            block34:
                v57: i64 = const 2
                v58: i64 = add v4, v57
                v59: bool = icmp ult v58, v2
                jump block35
            block35:
                v60: i64 = const 3
                v61: i64 = add v4, v60
                v62: bool = icmp ult v61, v2
                jump block36
            block36:
                v63: f32 = const 1.0
                store.global v0, v63
                return
            block37:
                panic panic0(v4, v2)
            block38:
                panic panic0(v55, v2)
            block39:
                panic panic0(v58, v2)
            block40:
                panic panic0(v61, v2)
            block31:
                branch v5, block1, block9
            block9:
                panic panic0(v4, v2)
            block1:
                v10: i64 = const 1
                v11: i64 = add v4, v10
                v12: bool = icmp ult v11, v2
                branch v12, block2, block10
            block10:
                panic panic0(v11, v2)
            block2:
                v20: i64 = const 2
                v21: i64 = add v4, v20
                v22: bool = icmp ult v21, v2
                branch v22, block3, block20
            block20:
                panic panic0(v21, v2)
            block3:
                v30: i64 = const 3
                v31: i64 = add v4, v30
                v32: bool = icmp ult v31, v2
                branch v32, block4, block30
            block30:
                panic panic0(v31, v2)
            block4:
                v50: f32 = const 1.0
                store.global v0, v50
                return
            }
        "#]],
        );
    }

    #[test]
    fn indices_that_may_wrap() {
        // Of `i + 3 < n` nothing follows for `i` if the sum may wrap.
        check_stays(
            gather_checks,
            &four("")
                .replace("param2 i: i32", "param2 i: i64")
                .replace("v3: i32 = param2", "v4: i64 = param2")
                .replace("                v4: i64 = zext v3\n", ""),
        );
    }

    #[test]
    fn what_is_done_together_is_not_copied() {
        check_stays(gather_checks, &four("barrier"));
    }

    /// `x[i] + x[j] + x[k]`, where `last` makes `k` of `v12`.
    fn three(last: &str) -> String {
        format!(
            "kernel k(param0 x: i64 ptr align 4, param1 n: i32, param2 i: i32, param3 j: i64) {{
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i32 = param2
                v4: i64 = zext v3
                v5: i64 = param3
                v6: i64 = const 4
                v7: bool = icmp ult v4, v2
                branch v7, block1, block4
            block1:
                v8: i64 = mul v4, v6
                v9: i64 = add v0, v8
                v10: i32 = load.global v9
                v11: bool = icmp ult v5, v2
                branch v11, block2, block5
            block2:
                v12: i64 = mul v5, v6
                v13: i64 = add v0, v12
                v14: i32 = load.global v13
                {last}
                v16: bool = icmp ult v15, v2
                branch v16, block3, block6
            block3:
                v17: i64 = mul v15, v6
                v18: i64 = add v0, v17
                v19: i32 = load.global v18
                v20: i32 = add v10, v14
                v21: i32 = add v20, v19
                store.global v0, v21
                return
            block4:
                panic panic0(v4, v2)
            block5:
                panic panic0(v5, v2)
            block6:
                panic panic0(v15, v2)
            }}"
        )
    }

    #[test]
    fn checks_do_not_keep_loads_apart() {
        let mut func = crate::ir::parse_function(&three("v15: i64 = mul v4, v5")).expect("a kernel");
        gather_checks(&mut func);
        simplify_cfg(&mut func);
        crate::passes::assert_valid("gather_checks", &func);
        let text = func.to_string();
        let copy = text.split("block").find(|block| block.contains("store")).expect("the copy");
        let loads = copy.matches("load.global").count();
        assert_eq!(
            (loads, text.matches("store").count(), text.matches("panic panic0").count()),
            (3, 2, 3),
            "{text}"
        );
    }

    #[test]
    fn what_follows_the_loads_is_there_once() {
        let stores = |text: &str| {
            let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
            gather_checks(&mut func);
            crate::passes::assert_valid("gather_checks", &func);
            func.to_string().matches("store.global v0").count()
        };
        let text = three("v15: i64 = mul v4, v5");
        // A few instructions are copied; more are left behind, and compute the last index again.
        assert_eq!(stores(&text), 2);
        let sums: String = (22..22 + FEWEST_BEHIND)
            .map(|sum| format!("v{sum}: i32 = add v{}, v{}\n", sum - 1, sum - 2))
            .collect();
        let text = text
            .replace("store.global v0, v21", &format!("{sums}store.global v0, v21\nstore.global v9, v15"));
        assert_eq!(stores(&text), 1);
    }

    #[test]
    fn an_index_that_is_loaded() {
        check_stays(gather_checks, &three("v15: i64 = zext v14"));
    }
}
