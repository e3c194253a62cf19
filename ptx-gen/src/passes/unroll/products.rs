//! Strength reduction: of `k * n` in a loop over `k`, with `n` invariant, each iteration adds `n` to the product of the
//! one before. In such loops the addresses are carried from iteration to iteration, too.
//!
//! A product of 64 bits takes four multiplications on every GPU so far, and ptxas 13.0 takes none out of a loop that it unrolls.

use std::collections::HashMap;

use super::super::checks::panics;
use super::super::dce::eliminate_dead_code;
use super::super::fold::fold_constants;
use super::hoist::{Appender, Inside};
use super::strides::addend;
use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{BinaryOp, Block, Function, Inst, InstData, SourceLoc, Type, Value, ValueDef};

/// Products that a loop carries at most, and addresses: each takes two registers all the way.
const MOST_CARRIED: usize = 2;

/// See the head of this file.
pub fn step_products(func: &mut Function) {
    let mut changed = false;
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    // Inner loops first: what they have before them is in the outer one.
    for number in (0..loops.loops().len()).rev() {
        changed |= step_in(func, &cfg, &tree, &loops, number);
    }
    if changed {
        fold_constants(func);
        eliminate_dead_code(func);
    }
}

/// Changes the products of one loop; whether there were any.
fn step_in(func: &mut Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, number: usize) -> bool {
    let around = &loops.loops()[number];
    let header = around.header;
    let [latch] = around.latches[..] else { return false };
    let mut entries = cfg.predecessors(header).iter().copied().filter(|&from| from != latch);
    let (Some(entry), None) = (entries.next(), entries.next()) else { return false };
    let inside = Inside::new(func, &around.blocks);
    let own = around.blocks.iter().copied().filter(|&block| loops.innermost(block) == Some(number));
    let own: Vec<Block> = own.collect();
    let products: Vec<(Block, Inst)> = own
        .iter()
        .flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)))
        .filter(|&(_, inst)| factors(func, inst).is_some())
        .collect();
    let is_checked = own.iter().any(|&block| func.successors(block).any(|next| panics(func, next)));
    let (mut carried, mut changed) = (0, false);
    for (block, inst) in products {
        let (Some(args), Some(product)) = (factors(func, inst), func.results[inst]) else { continue };
        let location = func.locations[inst];
        let stays = args.map(|arg| inside.is_invariant(func, arg));
        let [sum, factor] = if stays[1] { args } else { [args[1], args[0]] };
        // A loop-invariant product is computed before the loop already.
        if stays[0] == stays[1] || carried == MOST_CARRIED {
            continue;
        }
        // A sum used by a check is there anyway. Of sums this is done where it leaves a side of a branch short enough to be
        // predicated.
        let is_sum = !func.blocks[header].params.contains(&sum);
        if is_sum && (is_checked || tree.dominates(block, latch)) {
            continue;
        }
        let around = (header, entry, latch);
        let Some(begins) = begin(func, &inside, around, product, (sum, Some(factor)), location) else {
            continue;
        };
        carried += 1;
        changed = true;
        take(func, block, inst);
        carry(func, &inside, around, product, begins, location);
    }
    if changed {
        step_addresses(func, &inside, (header, entry, latch), &own);
    }
    changed
}

/// Makes a value whose definition was removed a parameter of the header: with its first value, and the step of each iteration.
fn carry(
    func: &mut Function,
    inside: &Inside,
    (header, entry, latch): (Block, Block, Block),
    value: Value,
    (first, step): (Value, Value),
    location: SourceLoc,
) {
    let next =
        at_end(func, latch, inside, location, |out| out.binary(latch, BinaryOp::Add, [value, step], false));
    func.values[value].def = ValueDef::Param(header);
    func.blocks[header].params.push(value);
    for (from, value) in [(entry, first), (latch, next)] {
        let Some(terminator) = func.terminator(from) else { continue };
        let calls = func.insts[terminator].successors_mut();
        calls.filter(|call| call.block == header).for_each(|call| call.args.push(value));
    }
}

/// Addresses that are sums of what steps are carried as well, so that nothing of them is left to compute.
fn step_addresses(func: &mut Function, inside: &Inside, around: (Block, Block, Block), own: &[Block]) {
    let mut addresses: Vec<(Block, Inst)> = Vec::new();
    for (inst, address) in own.iter().flat_map(|&block| &func.blocks[block].insts).filter_map(|&inst| {
        let (_, address) = func.insts[inst].access()?;
        Some((inst, address))
    }) {
        let ValueDef::Result(made) = func.values[address].def else { continue };
        let Some(&block) = own.iter().find(|&&block| func.blocks[block].insts.contains(&made)) else {
            continue;
        };
        // Neighbours may become one access, for which it has to be seen how the address is made.
        let own_insts = own.iter().flat_map(|&block| &func.blocks[block].insts);
        let at_it = own_insts.filter(|&&inst| func.insts[inst].access().is_some_and(|(_, at)| at == address));
        let is_wide = func.ty(address) == Type::I64 && made != inst && at_it.count() == 1;
        if is_wide && !addresses.contains(&(block, made)) && addresses.len() < MOST_CARRIED {
            addresses.push((block, made));
        }
    }
    for (block, made) in addresses {
        let Some(address) = func.results[made] else { continue };
        let location = func.locations[made];
        if let Some(begins) = begin(func, inside, around, address, (address, None), location) {
            take(func, block, made);
            carry(func, inside, around, address, begins, location);
        }
    }
}

/// First value and step of an induction variable: a sum of a counter, or such a sum times a loop-invariant factor.
fn begin(
    func: &mut Function,
    inside: &Inside,
    around: (Block, Block, Block),
    value: Value,
    (sum, factor): (Value, Option<Value>),
    location: SourceLoc,
) -> Option<(Value, Value)> {
    let (_, entry, _) = around;
    let mut terms = Vec::new();
    if !linear(func, inside, around, sum, 0, &mut terms) {
        return None;
    }
    let mut firsts: HashMap<Value, Value> =
        terms.iter().map(|(param, _, stepping)| (*param, stepping.first)).collect();
    at_end(func, entry, inside, location, |out| {
        let mut step = None;
        for (_, shift, stepping) in terms {
            let term = out.invariant(entry, stepping.step);
            let shift = out.constant(entry, shift.into(), Type::I64);
            let term = out.binary(entry, BinaryOp::Shl, [term, shift], false);
            step = Some(match step {
                Some(step) => out.binary(entry, BinaryOp::Add, [step, term], false),
                None => term,
            });
        }
        let step = step?;
        let step = match factor {
            Some(factor) => {
                let factor = out.invariant(entry, factor);
                out.binary(entry, BinaryOp::Mul, [step, factor], false)
            }
            None => step,
        };
        Some((out.again(entry, value, &mut firsts), step))
    })
}

/// Parameters of which an address is a sum.
const MOST_TERMS: usize = 8;

/// Collects the parameters that step of which a value is a sum, each shifted, beside what stays; false if it is none.
fn linear(
    func: &Function,
    inside: &Inside,
    around: (Block, Block, Block),
    value: Value,
    shift: u32,
    terms: &mut Vec<(Value, u32, Stepping)>,
) -> bool {
    if inside.is_invariant(func, value) {
        return true;
    }
    if let Some(stepping) = stepping(func, inside, around, value) {
        terms.push((value, shift, stepping));
        return terms.len() <= MOST_TERMS;
    }
    match func.def(value) {
        Some(&InstData::Binary { op: BinaryOp::Add, args, .. }) => {
            args.into_iter().all(|arg| linear(func, inside, around, arg, shift, terms))
        }
        Some(&InstData::Binary { op: BinaryOp::Shl, args: [arg, by], .. }) => match func.constant(by) {
            Some(by) if by < 8 => linear(func, inside, around, arg, shift + by as u32, terms),
            _ => false,
        },
        Some(&InstData::Binary { op: BinaryOp::Mul, args, .. }) => {
            let by = args.iter().find_map(|&arg| func.constant(arg)).filter(|by| by.is_power_of_two());
            let arg = args.into_iter().find(|&arg| func.constant(arg).is_none());
            match (arg, by) {
                (Some(arg), Some(by)) if by < 256 => {
                    linear(func, inside, around, arg, shift + by.trailing_zeros(), terms)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// The factors of a product of 64 bits, neither of which is known.
fn factors(func: &Function, inst: Inst) -> Option<[Value; 2]> {
    match func.insts[inst] {
        InstData::Binary { op: BinaryOp::Mul, args, .. } => {
            let is_wide =
                func.ty(args[0]) == Type::I64 && args.iter().all(|&arg| func.constant(arg).is_none());
            (is_wide && !args.iter().all(|&arg| is_extended(func, arg))).then_some(args)
        }
        _ => None,
    }
}

/// Returns true if it has 32 bits only: the product of two such is one multiplication.
fn is_extended(func: &Function, value: Value) -> bool {
    matches!(func.def(value), Some(InstData::Convert { arg, .. }) if func.ty(*arg).bits() <= 32)
}

/// Takes an instruction out of a block.
fn take(func: &mut Function, block: Block, inst: Inst) {
    func.blocks[block].insts.retain(|&other| other != inst);
    func.results[inst] = None;
}

/// Adds instructions before the end of a block.
fn at_end<R>(
    func: &mut Function,
    block: Block,
    inside: &Inside,
    location: SourceLoc,
    add: impl FnOnce(&mut Appender<'_>) -> R,
) -> R {
    let terminator = func.blocks[block].insts.pop();
    let added = add(&mut Appender { func, inside, location });
    func.blocks[block].insts.extend(terminator);
    added
}

/// First value and step of a counter.
#[derive(Clone, Copy)]
struct Stepping {
    first: Value,
    step: Value,
}

fn stepping(
    func: &Function,
    inside: &Inside,
    (header, entry, latch): (Block, Block, Block),
    counter: Value,
) -> Option<Stepping> {
    let position = func.blocks[header].params.iter().position(|&param| param == counter)?;
    let arg = |from: Block| {
        let mut calls = func.insts[func.terminator(from)?].successors().filter(|call| call.block == header);
        let call = calls.next()?;
        calls.next().is_none().then(|| call.args[position])
    };
    let (first, next) = (arg(entry)?, arg(latch)?);
    let step = addend(func, next, counter)?;
    inside.is_invariant(func, step).then_some(Stepping { first, step })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::check;
    use super::*;

    #[test]
    fn a_column_and_a_row() {
        check(
            step_products,
            "kernel k(param0 a: i64 ptr align 4, param1 n: i64, param2 row: i32) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i64 = zext v2
                v4: i64 = const 0
                jump block1(v4)
            block1(v5: i64):
                v6: bool = icmp ult v5, v1
                branch v6, block2, block3
            block2:
                v7: i64 = mul v5, v1
                v8: i64 = mul v3, v1
                v9: i64 = add v7, v8
                v10: i64 = add v0, v9
                v11: f32 = const 1.0
                store.global v10, v11
                v12: i64 = const 2
                v13: i64 = add v5, v12
                jump block1(v13)
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 a: i64 ptr align 4, param1 n: i64, param2 row: i32) {
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i32 = param2
                    v3: i64 = zext v2
                    v4: i64 = const 0
                    v16: i64 = const 2
                    v17: i64 = mul v1, v16
                    v22: i64 = mul v3, v1
                    v24: i64 = add v0, v22
                    jump block1(v4, v24)
                block1(v5: i64, v10: i64):
                    v6: bool = icmp ult v5, v1
                    branch v6, block2, block3
                block2:
                    v11: f32 = const 1.0
                    store.global v10, v11
                    v12: i64 = const 2
                    v13: i64 = add v5, v12
                    v25: i64 = add v10, v17
                    jump block1(v13, v25)
                block3:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn products_that_stay() {
        // Of 32 bits, by a number, of a counter that grows unevenly.
        for product in ["mul v3, v3", "mul v5, v4", "mul v14, v1"] {
            let text = format!(
                "kernel k(param0 a: i64 ptr align 4, param1 n: i64, param2 row: i32) {{
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i64 = zext v2
                v4: i64 = const 12
                jump block1(v4, v4)
            block1(v5: i64, v14: i64):
                v6: bool = icmp ult v5, v1
                branch v6, block2, block3
            block2:
                v7: i64 = {product}
                v10: i64 = add v0, v7
                v11: f32 = const 1.0
                store.global v10, v11
                v13: i64 = add v5, v3
                v15: i64 = add v14, v13
                jump block1(v13, v15)
            block3:
                return
            }}"
            );
            let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
            let before = func.to_string();
            step_products(&mut func);
            assert_eq!(func.to_string(), before);
        }
    }
}
