//! Strength reduction: of `k * n` in a loop over `k`, with `n` invariant, each iteration adds `n` to the product of the
//! one before. In such loops the addresses are carried from iteration to iteration, too: of `a[k * n + j]` the address grows by
//! `n` elements, one wide multiplication-addition by the size of an element.
//!
//! A product of 64 bits takes four multiplications on every GPU so far, and ptxas 13.0 takes none out of a loop that it unrolls.
//! Of an index in 32 bits it leaves three instructions in each of the iterations: the counter's sum, the product, and the address.

use std::collections::{HashMap, HashSet};

use super::super::checks::panics;
use super::super::dce::eliminate_dead_code;
use super::super::fold::fold_constants;
use super::hoist::{Appender, Inside};
use super::strides::addend;
use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{BinaryOp, Block, ConvertOp, Function, Inst, InstData, SourceLoc, Type, Value, ValueDef};

/// Products that a loop carries at most, and addresses: each takes two registers all the way.
const MOST_CARRIED: usize = 2;
/// Addresses that a loop carries at most instead of products: the registers of their factors and sums are free then.
const MOST_POINTERS: usize = 4;

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

/// Carries the addresses of an innermost loop that step by numbers: in a loop that is unrolled by us and then by ptxas, all its accesses
/// have one address and offsets. ptxas computes a sum with the counter in each of its copies. False if there are none.
pub(super) fn step_by_numbers(
    func: &mut Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    number: usize,
) -> bool {
    let Some((around, own)) = shape(cfg, loops, number) else { return false };
    let inside = Inside::new(func, &loops.loops()[number].blocks);
    let mut addresses = stepping_addresses(func, tree, &inside, around, &own);
    addresses.retain(|address| address.terms.iter().all(|term| term.steps_by_number(func)));
    addresses.len() <= MOST_POINTERS && carry_addresses(func, &inside, around, addresses.into_iter())
}

/// The header of a loop, the block that enters it and its latch, and the blocks in no inner loop; none if there are several.
fn shape(cfg: &Cfg, loops: &Loops, number: usize) -> Option<((Block, Block, Block), Vec<Block>)> {
    let around = &loops.loops()[number];
    let header = around.header;
    let [latch] = around.latches[..] else { return None };
    let mut entries = cfg.predecessors(header).iter().copied().filter(|&from| from != latch);
    let (Some(entry), None) = (entries.next(), entries.next()) else { return None };
    let own = around.blocks.iter().copied().filter(|&block| loops.innermost(block) == Some(number));
    Some(((header, entry, latch), own.collect()))
}

/// Changes the products of one loop; whether there were any.
fn step_in(func: &mut Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, number: usize) -> bool {
    let Some(((header, entry, latch), own)) = shape(cfg, loops, number) else { return false };
    let inside = Inside::new(func, &loops.loops()[number].blocks);
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
        let mut stepping = Sum { terms: Vec::new(), parts: Vec::new() };
        let scale = Scale { factors: vec![factor], ..Scale::default() };
        // An index steps by its extended steps at accesses only.
        if !stepping.add(func, &inside, around, sum, &scale) || stepping.has_index() {
            continue;
        }
        let Some(begins) = begin(func, &inside, around, product, stepping.terms, location) else {
            continue;
        };
        carried += 1;
        changed = true;
        take(func, block, inst);
        carry(func, &inside, around, product, begins, location);
    }
    let has_stepped = step_addresses(func, tree, &inside, (header, entry, latch), &own, changed);
    changed || has_stepped
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

/// Carries addresses that step. Where every product was taken out of the loop already, so that only sums are left of the
/// others, those as well: nothing of them is left to compute.
fn step_addresses(
    func: &mut Function,
    tree: &DomTree,
    inside: &Inside,
    around: (Block, Block, Block),
    own: &[Block],
    has_carried: bool,
) -> bool {
    let addresses = stepping_addresses(func, tree, inside, around, own);
    // Fewer addresses in conditional blocks: every iteration adds their steps, also one that does not take the block, and a side
    // of a branch without products is short enough to be predicated.
    let most = if addresses.iter().all(|address| address.is_always) { MOST_POINTERS } else { MOST_CARRIED };
    let removes_products = addresses.len() <= most && leaves_no_product(func, &addresses);
    if !has_carried && !removes_products {
        return false;
    }
    let most = if removes_products { most } else { MOST_CARRIED };
    carry_addresses(func, inside, around, addresses.into_iter().take(most))
}

/// Carries these addresses; false if there are none.
fn carry_addresses(
    func: &mut Function,
    inside: &Inside,
    around: (Block, Block, Block),
    addresses: impl Iterator<Item = SteppingAddress>,
) -> bool {
    let mut carried = Vec::new();
    for SteppingAddress { block, made, terms, parts, .. } in addresses {
        // An address that another one is made of is a parameter by now, and the other one a constant away from it.
        if parts.iter().any(|part| carried.contains(part)) {
            continue;
        }
        let Some(address) = func.results[made] else { continue };
        let location = func.locations[made];
        if let Some(begins) = begin(func, inside, around, address, terms, location) {
            take(func, block, made);
            carry(func, inside, around, address, begins, location);
            carried.push(made);
        }
    }
    !carried.is_empty()
}

/// Address of an access that is a sum of what steps.
struct SteppingAddress {
    /// The block and the instruction that make it.
    block: Block,
    made: Inst,
    terms: Vec<Term>,
    /// The instructions in the loop that it is made of.
    parts: Vec<Inst>,
    /// Every iteration makes it.
    is_always: bool,
}

/// The addresses of a loop's accesses that step, each once.
fn stepping_addresses(
    func: &Function,
    tree: &DomTree,
    inside: &Inside,
    around: (Block, Block, Block),
    own: &[Block],
) -> Vec<SteppingAddress> {
    let (_, _, latch) = around;
    let own_insts =
        || own.iter().flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)));
    let mut accesses: HashMap<Value, Vec<Block>> = HashMap::new();
    for (block, inst) in own_insts() {
        if let Some((_, address)) = func.insts[inst].access() {
            accesses.entry(address).or_default().push(block);
        }
    }
    let mut addresses = Vec::new();
    for (block, made) in own_insts() {
        let Some(address) = func.results[made] else { continue };
        // Neighbours may become one access, for which it has to be seen how the address is made.
        let Some(&[access]) = accesses.get(&address).map(Vec::as_slice) else { continue };
        if func.ty(address) != Type::I64 || !tree.dominates(block, latch) {
            continue;
        }
        let mut sum = Sum { terms: Vec::new(), parts: Vec::new() };
        let is_sum = sum.add(func, inside, around, address, &Scale::default());
        if is_sum && !sum.terms.is_empty() && (!sum.has_index() || tree.dominates(access, latch)) {
            let is_always = tree.dominates(block, latch);
            addresses.push(SteppingAddress { block, made, terms: sum.terms, parts: sum.parts, is_always });
        }
    }
    addresses
}

/// Returns true if these addresses are made of products with a loop-invariant value which nothing else needs.
fn leaves_no_product(func: &Function, addresses: &[SteppingAddress]) -> bool {
    let parts: HashSet<Inst> = addresses.iter().flat_map(|address| &address.parts).copied().collect();
    let products: HashSet<Value> = parts
        .iter()
        .filter(|&&inst| match &func.insts[inst] {
            InstData::Binary { op: BinaryOp::Mul, args, .. } => {
                args.iter().all(|&arg| func.constant(arg).is_none())
            }
            _ => false,
        })
        .filter_map(|&inst| func.results[inst])
        .collect();
    let mut others = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    !products.is_empty()
        && others.all(|inst| {
            let mut takes = false;
            func.insts[*inst].visit_args(|arg| takes |= products.contains(&arg));
            !takes || parts.contains(inst)
        })
}

/// First value and step of an induction variable: a sum of counters, each times loop-invariant factors.
fn begin(
    func: &mut Function,
    inside: &Inside,
    (_, entry, _): (Block, Block, Block),
    value: Value,
    terms: Vec<Term>,
    location: SourceLoc,
) -> Option<(Value, Value)> {
    let mut firsts = HashMap::new();
    terms.iter().for_each(|term| term.first(&mut firsts));
    at_end(func, entry, inside, location, |out| {
        let step = step_of(out, entry, &terms, Type::I64)?;
        Some((out.again(entry, value, &mut firsts), step))
    })
}

/// The sum of the steps of terms, computed at the end of a block in this width.
fn step_of(out: &mut Appender<'_>, entry: Block, terms: &[Term], ty: Type) -> Option<Value> {
    let invariant = |out: &mut Appender<'_>, value| {
        let arg = out.invariant(entry, value);
        match out.func.ty(arg) {
            known if known == ty => arg,
            _ => out.value(entry, InstData::Convert { op: ConvertOp::ZeroExtend, arg }, ty),
        }
    };
    let mut sum = None;
    for Term { of, scale } in terms {
        let mut term = match of {
            Of::Counter { stepping, .. } => invariant(out, stepping.step),
            Of::Index(terms) => {
                let arg = step_of(out, entry, terms, Type::I32)?;
                out.value(entry, InstData::Convert { op: ConvertOp::SignExtend, arg }, ty)
            }
        };
        for &factor in &scale.factors {
            let factor = invariant(out, factor);
            term = out.binary(entry, BinaryOp::Mul, [term, factor], false);
        }
        let shift = out.constant(entry, scale.shift.into(), ty);
        let term = out.binary(entry, BinaryOp::Shl, [term, shift], false);
        sum = Some(match sum {
            Some(sum) => out.binary(entry, BinaryOp::Add, [sum, term], false),
            None => term,
        });
    }
    sum
}

/// Counters of which an address is a sum.
const MOST_TERMS: usize = 8;

/// Loop-invariant factors, and a power of two.
#[derive(Clone, Default)]
struct Scale {
    factors: Vec<Value>,
    shift: u32,
    /// It is computed in 32 bits, without wrapping, and extended.
    is_extended: bool,
}

/// A value that steps, times loop-invariant factors.
struct Term {
    of: Of,
    scale: Scale,
}

enum Of {
    Counter {
        counter: Value,
        stepping: Stepping,
    },
    /// Sum in 32 bits, extended as an index.
    Index(Vec<Term>),
}

impl Term {
    /// Returns true if it grows by a number from iteration to iteration.
    fn steps_by_number(&self, func: &Function) -> bool {
        self.scale.factors.iter().all(|&factor| func.constant(factor).is_some())
            && match &self.of {
                Of::Counter { stepping, .. } => func.constant(stepping.step).is_some(),
                Of::Index(terms) => terms.iter().all(|term| term.steps_by_number(func)),
            }
    }

    /// Adds the first values of its counters.
    fn first(&self, firsts: &mut HashMap<Value, Value>) {
        match &self.of {
            Of::Counter { counter, stepping } => {
                firsts.insert(*counter, stepping.first);
            }
            Of::Index(terms) => terms.iter().for_each(|term| term.first(firsts)),
        }
    }
}

/// Terms that step of which a value of 64 bits is the sum, beside what is loop-invariant.
struct Sum {
    terms: Vec<Term>,
    /// The instructions in the loop that it is made of.
    parts: Vec<Inst>,
}

impl Sum {
    fn has_index(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.of, Of::Index(_)))
    }

    /// Adds a value times a scale; false if it is no such sum.
    ///
    /// A sum of 32 bits that does not wrap steps by its extended steps. It does not wrap in an iteration that computes it, and so in
    /// none before: its counters only grow, and everything in it is a sum or a product. A signed index is between -c and 2³¹ - c in
    /// each iteration that accesses it, so it steps by the extended sum of its steps, whatever wraps in it.
    fn add(
        &mut self,
        func: &Function,
        inside: &Inside,
        around: (Block, Block, Block),
        value: Value,
        scale: &Scale,
    ) -> bool {
        if inside.is_invariant(func, value) {
            return true;
        }
        if let Some(stepping) = stepping(func, inside, around, value) {
            if scale.is_extended && !stepping.is_exact {
                return false;
            }
            self.terms.push(Term { of: Of::Counter { counter: value, stepping }, scale: scale.clone() });
            return self.terms.len() <= MOST_TERMS;
        }
        let ValueDef::Result(inst) = func.values[value].def else { return false };
        self.parts.push(inst);
        match func.insts[inst] {
            InstData::Convert { op: ConvertOp::ZeroExtend, arg } if func.ty(arg) == Type::I32 => {
                let scale = Scale { is_extended: true, ..scale.clone() };
                self.add(func, inside, around, arg, &scale)
            }
            InstData::Convert { op: ConvertOp::IndexExtend, arg } => {
                let mut index = Sum { terms: Vec::new(), parts: Vec::new() };
                let is_sum = index.add(func, inside, around, arg, &Scale::default());
                self.parts.extend(index.parts);
                self.terms.push(Term { of: Of::Index(index.terms), scale: scale.clone() });
                is_sum
            }
            InstData::Binary { no_unsigned_wrap: false, .. } if scale.is_extended => false,
            InstData::Binary { op: BinaryOp::Sub, args: [a, b], .. }
                if !scale.is_extended && inside.is_invariant(func, b) =>
            {
                self.add(func, inside, around, a, scale)
            }
            InstData::Binary { op: BinaryOp::Add, args, .. } => {
                args.into_iter().all(|arg| self.add(func, inside, around, arg, scale))
            }
            InstData::Binary { op: BinaryOp::Shl, args: [arg, by], .. } => match func.constant(by) {
                Some(by) if by < 8 && scale.shift < 8 => {
                    let scale = Scale { shift: scale.shift + by as u32, ..scale.clone() };
                    self.add(func, inside, around, arg, &scale)
                }
                _ => false,
            },
            InstData::Binary { op: BinaryOp::Mul, args: [a, b], .. } => {
                let (arg, factor) = match [a, b].map(|arg| inside.is_invariant(func, arg)) {
                    [false, true] => (a, b),
                    [true, false] => (b, a),
                    [true, true] | [false, false] => return false,
                };
                let mut scale = scale.clone();
                scale.factors.push(factor);
                self.add(func, inside, around, arg, &scale)
            }
            _ => false,
        }
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
    /// No sum wraps.
    is_exact: bool,
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
    let is_exact = matches!(func.def(next), Some(InstData::Binary { no_unsigned_wrap: true, .. }));
    inside.is_invariant(func, step).then_some(Stepping { first, step, is_exact })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::check;
    use super::*;

    /// A matrix in signed numbers of 32 bits: the address steps by the extended step where each iteration accesses it, and not where
    /// only some do.
    #[test]
    fn signed_indices() {
        check(
            step_products,
            "kernel k(param0 a: i64 ptr align 4, param1 n: i32, param2 column: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 0
                v4: i32 = const 1
                v5: i64 = const 2
                jump block1(v3)
            block1(v6: i32):
                v7: bool = icmp slt v6, v1
                branch v7, block2, block3
            block2:
                v8: i32 = mul v6, v1
                v9: i32 = add v8, v2
                v10: i64 = sext_index v9
                v11: i64 = shl v10, v5
                v12: i64 = add v0, v11
                store.global v12, v1
                v13: i32 = add v6, v4
                jump block1(v13)
            block3:
                jump block4(v3)
            block4(v14: i32):
                v15: bool = icmp slt v14, v1
                branch v15, block5, block8
            block5:
                v16: i32 = mul v14, v1
                v17: i64 = sext_index v16
                v18: i64 = shl v17, v5
                v19: i64 = add v0, v18
                v20: bool = icmp eq v14, v2
                branch v20, block6, block7
            block6:
                store.global v19, v1
                jump block7
            block7:
                v21: i32 = add v14, v4
                jump block4(v21)
            block8:
                return
            }",
            expect![[r#"
                kernel k(param0 a: i64 ptr align 4, param1 n: i32, param2 column: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = const 0
                    v4: i32 = const 1
                    v5: i64 = const 2
                    v25: i64 = sext v1
                    v26: i64 = const 2
                    v27: i64 = shl v25, v26
                    v30: i64 = sext_index v2
                    v31: i64 = shl v30, v5
                    v32: i64 = add v0, v31
                    jump block1(v3, v32)
                block1(v6: i32, v12: i64):
                    v7: bool = icmp slt v6, v1
                    branch v7, block2, block3
                block2:
                    store.global v12, v1
                    v13: i32 = add v6, v4
                    v33: i64 = add v12, v27
                    jump block1(v13, v33)
                block3:
                    jump block4(v3)
                block4(v14: i32):
                    v15: bool = icmp slt v14, v1
                    branch v15, block5, block8
                block5:
                    v16: i32 = mul v14, v1
                    v17: i64 = sext_index v16
                    v18: i64 = shl v17, v5
                    v19: i64 = add v0, v18
                    v20: bool = icmp eq v14, v2
                    branch v20, block6, block7
                block6:
                    store.global v19, v1
                    jump block7
                block7:
                    v21: i32 = add v14, v4
                    jump block4(v21)
                block8:
                    return
                }
            "#]],
        );
    }

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
                    v14: i64 = const 2
                    v15: i64 = mul v1, v14
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
                    v25: i64 = add v10, v15
                    jump block1(v13, v25)
                block3:
                    return
                }
            "#]],
        );
    }

    /// The second address is made of the first, which is a parameter of the header once it is carried.
    #[test]
    fn an_address_beside_a_carried_one() {
        check(
            step_products,
            "kernel k(param0 a: i64 ptr align 4, param1 n: i64, param2 row: i32) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i64 = zext v2
                v4: i64 = const 0
                v11: f32 = const 1.0
                v12: i64 = const 2
                v16: i64 = const -4
                jump block1(v4)
            block1(v5: i64):
                v6: bool = icmp ult v5, v1
                branch v6, block2, block3
            block2:
                v7: i64 = mul v5, v1
                v9: i64 = add v7, v3
                v10: i64 = add v0, v9
                store.global v10, v11
                v17: i64 = add v10, v16
                store.global v17, v11
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
                    v11: f32 = const 1.0
                    v12: i64 = const 2
                    v16: i64 = const -4
                    v18: i64 = mul v1, v12
                    v26: i64 = add v0, v3
                    jump block1(v4, v26)
                block1(v5: i64, v10: i64):
                    v6: bool = icmp ult v5, v1
                    branch v6, block2, block3
                block2:
                    store.global v10, v11
                    v17: i64 = add v10, v16
                    store.global v17, v11
                    v13: i64 = add v5, v12
                    v27: i64 = add v10, v18
                    jump block1(v13, v27)
                block3:
                    return
                }
            "#]],
        );
    }

    /// A column `b[k * n + j]` beside a row `a[k]`, with indices of 32 bits.
    fn column_of_32_bits(product: &str) -> String {
        format!(
            "kernel k(param0 a: i64 ptr align 4, param1 b: i64 ptr align 4, param2 n: i32) {{
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i32 = special tid.x
                v4: i32 = const 0
                v5: f32 = const 0.0
                v6: i32 = const 1
                v7: i64 = const 4
                jump block1(v4, v5)
            block1(v8: i32, v9: f32):
                v10: bool = icmp ult v8, v2
                branch v10, block2, block3
            block2:
                v11: i64 = zext v8
                v12: i64 = mul nuw v11, v7
                v13: i64 = add nuw v0, v12
                v14: f32 = load.global v13
                v15: i32 = {product} v8, v2
                v16: i32 = add nuw v15, v3
                v17: i64 = zext v16
                v18: i64 = mul nuw v17, v7
                v19: i64 = add nuw v1, v18
                v20: f32 = load.global v19
                v21: f32 = fma v14, v20, v9
                v22: i32 = add nuw v8, v6
                jump block1(v22, v21)
            block3:
                store.global v0, v9
                return
            }}"
        )
    }

    #[test]
    fn addresses_of_indices_of_32_bits() {
        check(
            step_products,
            &column_of_32_bits("mul nuw"),
            expect![[r#"
            kernel k(param0 a: i64 ptr align 4, param1 b: i64 ptr align 4, param2 n: i32) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i32 = special tid.x
                v4: i32 = const 0
                v5: f32 = const 0.0
                v6: i32 = const 1
                v7: i64 = const 4
                v26: i64 = const 4
                v32: i64 = const 4
                v33: i64 = zext v2
                v34: i64 = mul v33, v32
                v39: i64 = zext v3
                v40: i64 = mul v39, v7
                v41: i64 = add v1, v40
                jump block1(v4, v5, v0, v41)
            block1(v8: i32, v9: f32, v13: i64, v19: i64):
                v10: bool = icmp ult v8, v2
                branch v10, block2, block3
            block2:
                v14: f32 = load.global v13
                v20: f32 = load.global v19
                v21: f32 = fma v14, v20, v9
                v22: i32 = add nuw v8, v6
                v30: i64 = add v13, v26
                v42: i64 = add v19, v34
                jump block1(v22, v21, v30, v42)
            block3:
                store.global v0, v9
                return
            }
        "#]],
        );
    }

    #[test]
    fn indices_that_may_wrap() {
        // Of a product that wraps the extension does not grow by the factor.
        let text = column_of_32_bits("mul");
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        let before = func.to_string();
        step_products(&mut func);
        assert_eq!(func.to_string(), before);
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
