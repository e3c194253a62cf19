//! Facts from branches: comparisons that hold in the blocks that one side of a branch dominates.

use crate::analysis::{Cfg, DomTree, multiples};
use crate::ir::entity::entities;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Entity, EntityMap, Function, Inst, InstData, IntCond, SpecialRegister, Type,
    UnaryOp, Value, ValueDef,
};

/// A program point to query: a block, or the edge from it to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) block: Block,
    pub(super) to: Option<Block>,
}

impl At {
    pub(super) fn block(block: Block) -> At {
        At { block, to: None }
    }
}

/// Program points at which a fact holds.
#[derive(Clone, Copy, Debug)]
enum Scope {
    /// In the blocks that this one dominates.
    Block(Block),
    /// Only on the edge between two blocks, for the arguments passed there.
    Edge(Block, Block),
}

impl Scope {
    fn covers(self, at: At, tree: &DomTree) -> bool {
        match self {
            Scope::Block(block) => tree.dominates(block, at.block),
            Scope::Edge(from, to) => at == At { block: from, to: Some(to) },
        }
    }
}

/// Relation of the value `x` that a fact is filed under to other values, as exact numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    /// `x <= y + offset`.
    AtMost { y: Value, offset: i8 },
    /// `x >= y + offset`.
    AtLeast { y: Value, offset: i8 },
    /// `x != y`.
    Differs { y: Value },
    /// `x <= y + offset` as signed numbers of this many bits.
    SignedAtMost { y: Value, offset: i8, bits: u32 },
    /// `x >= y + offset` as signed numbers of this many bits.
    SignedAtLeast { y: Value, offset: i8, bits: u32 },
    /// The `bool` `x` is this.
    Is(bool),
}

/// Bounds that a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Lower,
    Upper,
    Both,
}

impl Want {
    fn is_served_by(self, relation: Relation) -> bool {
        match relation {
            Relation::AtMost { .. } | Relation::SignedAtMost { .. } => self != Want::Lower,
            // A signed number that is not negative is bounded on both sides.
            Relation::AtLeast { .. } => self != Want::Upper,
            Relation::SignedAtLeast { .. } | Relation::Differs { .. } | Relation::Is(_) => true,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Fact {
    scope: Scope,
    /// Position of the branch in the order of the blocks.
    position: u32,
    relation: Relation,
    /// The branch is a check: one of its sides panics.
    in_check: bool,
}

/// Maximum number of facts about one value that a query examines, the latest ones: with more, each query about a
/// length that a large kernel tests all the time would take as long as the kernel.
const MOST_FACTS: usize = 32;

/// Maximum depth of the operators `&&`, `||` and `!` of a condition whose operands have facts of their own.
const MOST_CONDITIONS: u32 = 12;

/// Every fact of a function, by the value that it is about.
///
/// Facts are about *roots*: the value under zero extensions, since those change no number.
pub(super) struct Facts {
    root: EntityMap<Value, Value>,
    /// The entry of each value: the first, which stays empty, of most.
    entry: EntityMap<Value, Entry>,
    entries: EntityMap<Entry, About>,
    /// Position of each block in the order.
    positions: EntityMap<Block, u32>,
    /// The branch whose facts are collected is a check.
    in_check: bool,
}

entities! {
    /// The facts about one value.
    Entry = "facts";
}

/// The facts about one value, and the values computed of it.
#[derive(Default)]
struct About {
    /// In the order of the branches.
    facts: Vec<Fact>,
    /// Relations that hold everywhere.
    always: Vec<Relation>,
    /// The sums and differences of which it is an operand, with the block that computes them.
    sums: Vec<(Value, Block)>,
    /// The sums among them with facts from branches, or whose sums with a number have.
    guarded: Vec<Value>,
    /// It has facts from branches that are no checks: neither side panics. So are sums whose sums with a number have.
    branched: bool,
    /// The products and left shifts of which it is an operand, of shifts the first one, where branches that are no checks bound them
    /// or their sums.
    products: Vec<Value>,
    /// The quotients and remainders of which it is the dividend, with the block that computes them.
    parts: Vec<(Value, Block)>,
    /// The remainders by powers of two of which it is the dividend, with facts from branches.
    low_parts: Vec<Value>,
}

/// A truth value on an edge of a block, if it is a constant or the block's condition, or its opposite.
fn on_edge(func: &Function, terminator: Inst, edge: usize, value: Value) -> Option<bool> {
    if let Some(bits) = func.constant(value) {
        return Some(bits == 1);
    }
    let InstData::Branch { cond, .. } = func.insts[terminator] else { return None };
    let opposite = |value: Value| match func.def(value) {
        Some(&InstData::Unary { op: UnaryOp::Not, arg }) => Some(arg),
        _ => None,
    };
    let holds = edge == 0;
    if value == cond {
        return Some(holds);
    }
    (opposite(value) == Some(cond) || opposite(cond) == Some(value)).then_some(!holds)
}

/// Returns true for a comparison of integers for being equal, or not.
fn is_equality(func: &Function, cond: Value) -> bool {
    matches!(func.def(cond), Some(InstData::IntCompare { cond: IntCond::Eq | IntCond::Ne, .. }))
}

impl Facts {
    pub(super) fn new(func: &Function, cfg: &Cfg, tree: &DomTree) -> Facts {
        let mut facts = Facts {
            root: EntityMap::new(),
            entry: EntityMap::new(),
            entries: EntityMap::new(),
            positions: EntityMap::filled(func.blocks.len(), 0),
            in_check: false,
        };
        let empty = facts.entries.push(About::default());
        func.values.keys().for_each(|value| {
            facts.entry.push(empty);
            facts.root.push(value);
        });
        for (&block, position) in cfg.order().iter().zip(0..) {
            facts.positions[block] = position;
        }
        // Definitions come before uses in this order, so that roots of operands are known.
        for &block in cfg.order() {
            for &inst in &func.blocks[block].insts {
                let Some(result) = func.results[inst] else { continue };
                match func.insts[inst] {
                    InstData::Convert { op: ConvertOp::ZeroExtend, arg } => {
                        facts.root[result] = facts.root[arg];
                    }
                    InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, args, .. } => {
                        for arg in args {
                            let root = facts.root[arg];
                            facts.of_mut(root).sums.push((result, block));
                        }
                    }
                    InstData::Binary {
                        op: BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem,
                        args: [dividend, _],
                        ..
                    } => {
                        let root = facts.root[dividend];
                        facts.of_mut(root).parts.push((result, block));
                    }
                    _ => {}
                }
            }
        }
        facts.collect_branches(func, cfg, tree);
        facts.collect_registers(func, cfg);
        for entry in facts.entries.keys() {
            let is_guarded_sum = |&&(sum, _): &&(Value, Block)| {
                let is_sum = matches!(func.def(sum), Some(InstData::Binary { op: BinaryOp::Add, .. }));
                is_sum && !facts.of(sum).facts.is_empty()
            };
            let guarded = facts.entries[entry].sums.iter().filter(is_guarded_sum).map(|&(sum, _)| sum);
            facts.entries[entry].guarded = guarded.take(MOST_FACTS).collect();
        }
        facts.collect_sums_with_numbers(func);
        for value in func.values.keys().filter(|&value| !facts.of(value).facts.is_empty()).collect::<Vec<_>>()
        {
            let Some(&InstData::Binary { args: [whole, _], .. }) = func.def(value) else { continue };
            let entry = facts.of_mut(facts.root[whole]);
            if multiples::low_bits(func, value, whole).is_some() && entry.low_parts.len() < MOST_FACTS {
                entry.low_parts.push(value);
            }
        }
        for value in func.values.keys() {
            let factors = match func.def(value) {
                Some(InstData::Binary { op: BinaryOp::Mul, args, .. }) => &args[..],
                Some(InstData::Binary { op: BinaryOp::Shl, args, .. }) => &args[..1],
                _ => &[],
            };
            let about = facts.of(value);
            let is_guarded = about.branched || about.guarded.iter().any(|&sum| facts.is_branched(sum));
            for &factor in factors.iter().filter(|_| is_guarded) {
                let products = &mut facts.of_mut(facts.root[factor]).products;
                if products.len() < MOST_FACTS && !products.contains(&value) {
                    products.push(value);
                }
            }
        }
        facts
    }

    /// Enters sums of two values that branches bound together with a number: of `i + k + 2 > n` the sum `i + k`.
    fn collect_sums_with_numbers(&mut self, func: &Function) {
        let is_with_number = |sum: Value| match func.def(sum) {
            Some(InstData::Binary { op: BinaryOp::Add, args: [_, b], .. }) => func.constant(*b).is_some(),
            _ => false,
        };
        for sum in func.values.keys().filter(|&sum| !is_with_number(sum)) {
            let Some(&InstData::Binary { op: BinaryOp::Add, args, .. }) = func.def(sum) else { continue };
            let is_bounded = |&more: &Value| self.is_branched(more) && is_with_number(more);
            let about = self.of(sum);
            if about.branched || !about.guarded.iter().any(is_bounded) {
                continue;
            }
            self.of_mut(sum).branched = true;
            for arg in args {
                let guarded = &mut self.of_mut(self.root[arg]).guarded;
                if guarded.len() < MOST_FACTS && !guarded.contains(&sum) {
                    guarded.push(sum);
                }
            }
        }
    }

    pub(super) fn root(&self, value: Value) -> Value {
        self.root[value]
    }

    /// The entry of the root of a value.
    pub(super) fn entry_of(&self, value: Value) -> Entry {
        self.entry[self.root[value]]
    }

    /// Number of entries.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if anything refines the intervals of values with this entry, anywhere.
    pub(super) fn refines(&self, entry: Entry) -> bool {
        let about = &self.entries[entry];
        !(about.facts.is_empty()
            && about.always.is_empty()
            && about.guarded.is_empty()
            && about.low_parts.is_empty())
    }

    fn of(&self, value: Value) -> &About {
        &self.entries[self.entry[value]]
    }

    /// The entry of a value, which it gets if it has none.
    fn of_mut(&mut self, value: Value) -> &mut About {
        if self.entry[value].index() == 0 {
            self.entry[value] = self.entries.push(About::default());
        }
        &mut self.entries[self.entry[value]]
    }

    /// The facts about a root that hold at a block or edge and refine the wanted bounds.
    pub(super) fn about(
        &self,
        root: Value,
        at: At,
        want: Want,
        tree: &DomTree,
    ) -> impl Iterator<Item = Relation> {
        let holds = move |fact: &&Fact| want.is_served_by(fact.relation) && fact.scope.covers(at, tree);
        let about = self.of(root);
        let mut facts = &about.facts[..];
        if facts.len() > MOST_FACTS {
            // A branch with facts that hold here comes before in the order, or ends this block.
            let position = self.positions[at.block];
            let end = facts.partition_point(|fact| fact.position <= position);
            facts = &facts[end.saturating_sub(MOST_FACTS)..end];
        }
        let always = about.always.iter().copied().filter(move |&relation| want.is_served_by(relation));
        facts.iter().filter(holds).map(|fact| fact.relation).chain(always)
    }

    /// Returns true if a value of this root, from this block, was computed before the end of a block or edge: always on the way
    /// there, or because a condition about it is known to have been taken, such as the `b` of `let both = a && b`.
    pub(super) fn is_computed(&self, root: Value, home: Block, at: At, tree: &DomTree) -> bool {
        tree.dominates(home, at.block) || self.is_guarded(root, at, tree)
    }

    /// The sums and differences with an operand of this root that were computed before the end of a block or edge.
    pub(super) fn sums(&self, root: Value, at: At, tree: &DomTree) -> impl Iterator<Item = Value> {
        self.of(root)
            .sums
            .iter()
            .take(MOST_FACTS)
            .filter(move |&&(sum, home)| self.is_computed(sum, home, at, tree))
            .map(|(sum, _)| *sum)
    }

    /// The sums with an operand of this root that have facts from branches, anywhere.
    pub(super) fn guarded_sums(&self, root: Value) -> &[Value] {
        &self.of(root).guarded
    }

    /// The remainders by powers of two of a dividend of this root that have facts from branches, anywhere.
    pub(super) fn low_parts(&self, root: Value) -> &[Value] {
        &self.of(root).low_parts
    }

    /// Returns true if a branch that is no check has facts about a root, anywhere.
    pub(super) fn is_branched(&self, root: Value) -> bool {
        self.of(root).branched
    }

    /// The products and left shifts with an operand of this root that branches bound, or their sums, anywhere.
    pub(super) fn guarded_products(&self, root: Value) -> &[Value] {
        &self.of(root).products
    }

    /// The quotients and remainders of a dividend of this root that have facts from branches at a block or edge, or whose sums have.
    pub(super) fn guarded_parts(&self, root: Value, at: At, tree: &DomTree) -> impl Iterator<Item = Value> {
        let parts = self.of(root).parts.iter().take(MOST_FACTS).map(|&(part, _)| part);
        parts.filter(move |&part| {
            let mut sums = self.of(part).guarded.iter();
            self.is_guarded(part, at, tree) || sums.any(|&sum| self.is_guarded(sum, at, tree))
        })
    }

    fn is_guarded(&self, root: Value, at: At, tree: &DomTree) -> bool {
        self.of(root).facts.iter().rev().take(MOST_FACTS).any(|fact| fact.scope.covers(at, tree))
    }

    fn collect_branches(&mut self, func: &Function, cfg: &Cfg, tree: &DomTree) {
        for &block in cfg.order() {
            let Some(terminator) = func.terminator(block) else { continue };
            let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[terminator] else { continue };
            if if_true.block == if_false.block {
                continue;
            }
            self.in_check = [if_true, if_false].into_iter().any(|call| {
                let terminator = func.terminator(call.block);
                terminator.is_some_and(|terminator| matches!(func.insts[terminator], InstData::Panic { .. }))
            });
            for (call, truth) in [(if_true, true), (if_false, false)] {
                let from = cfg.predecessors(call.block);
                // The others come back to a loop that is entered here: of divisors it is known there that they are not zero. Orders would be other ways
                // to prove what is proved, by more guards.
                let comes_back = |&other: &Block| other == block || tree.dominates(call.block, other);
                let is_only_way = from.len() == 1 || is_equality(func, *cond) && from.iter().all(comes_back);
                let on_edge = (from.len() > 1).then_some(Scope::Edge(block, call.block));
                let scopes = [is_only_way.then_some(Scope::Block(call.block)), on_edge];
                for scope in scopes.into_iter().flatten() {
                    let scope = (scope, self.positions[block]);
                    self.assume(func, (cfg, tree), *cond, truth, scope, MOST_CONDITIONS);
                }
            }
        }
    }

    /// Of `a && b`, kept in a variable and true: that `a` was, too. The other ways to where it is known pass a constant that it is not,
    /// so what branches said on this way held.
    fn assume_way(
        &mut self,
        func: &Function,
        (cfg, tree): (&Cfg, &DomTree),
        cond: Value,
        truth: bool,
        scope: (Scope, u32),
        depth: u32,
    ) {
        let ValueDef::Param(block) = func.values[cond].def else { return };
        let position = func.blocks[block].params.iter().position(|&param| param == cond);
        let (Some(position), Some(above)) = (position, tree.idom(block)) else { return };
        let mut ways: Vec<(Block, Value)> = Vec::new();
        for &from in cfg.predecessors(block) {
            // A fact of the previous iteration need not hold in this one.
            let Some(terminator) = func.terminator(from).filter(|_| !tree.dominates(block, from)) else {
                return;
            };
            for (edge, call) in func.insts[terminator].successors().enumerate() {
                let arg = call.args.get(position).copied().filter(|_| call.block == block);
                let is_known = |arg| on_edge(func, terminator, edge, arg).is_some_and(|known| known != truth);
                ways.extend(arg.filter(|&arg| !is_known(arg)).map(|arg| (from, arg)));
            }
        }
        ways.sort_unstable();
        ways.dedup();
        let [(from, value)] = ways[..] else { return };
        self.assume(func, (cfg, tree), value, truth, scope, depth);
        let (mut at, mut next) = (from, block);
        loop {
            if let Some(InstData::Branch { cond, if_true, if_false, .. }) =
                func.terminator(at).map(|inst| &func.insts[inst])
                && if_true.block != if_false.block
                && (next == block || cfg.predecessors(next).len() == 1)
            {
                for (call, truth) in [(if_true, true), (if_false, false)] {
                    if call.block == next {
                        self.assume(func, (cfg, tree), *cond, truth, scope, depth);
                    }
                }
            }
            let Some(up) = tree.idom(at).filter(|_| at != above) else { return };
            (at, next) = (up, at);
        }
    }

    /// Files what follows from the condition being true or false.
    fn assume(
        &mut self,
        func: &Function,
        trees: (&Cfg, &DomTree),
        cond: Value,
        truth: bool,
        scope: (Scope, u32),
        depth: u32,
    ) {
        self.file(cond, scope, Relation::Is(truth));
        let Some(depth) = depth.checked_sub(1) else { return };
        match func.def(cond) {
            None => self.assume_way(func, trees, cond, truth, scope, depth),
            Some(InstData::Unary { arg, .. }) => self.assume(func, trees, *arg, !truth, scope, depth),
            // Of `a & b` both hold, and of `a | b` neither, where that is known as a whole.
            Some(InstData::Binary { op: BinaryOp::And, args, .. }) if truth => {
                args.iter().for_each(|&arg| self.assume(func, trees, arg, true, scope, depth));
            }
            Some(InstData::Binary { op: BinaryOp::Or, args, .. }) if !truth => {
                args.iter().for_each(|&arg| self.assume(func, trees, arg, false, scope, depth));
            }
            Some(InstData::IntCompare { cond, args }) if func.ty(args[0]) != Type::Bool => {
                let cond = if truth { *cond } else { cond.inverse() };
                let bits = func.ty(args[0]).bits();
                self.compare(cond, args.map(|arg| self.root[arg]), bits, scope);
            }
            _ => {}
        }
    }

    fn compare(&mut self, cond: IntCond, [a, b]: [Value; 2], bits: u32, scope: (Scope, u32)) {
        let signed = |relation| match relation {
            Relation::AtMost { y, offset } => Relation::SignedAtMost { y, offset, bits },
            Relation::AtLeast { y, offset } => Relation::SignedAtLeast { y, offset, bits },
            other => other,
        };
        let at_most = |y, offset| Relation::AtMost { y, offset };
        let at_least = |y, offset| Relation::AtLeast { y, offset };
        let (of_a, of_b) = match cond {
            IntCond::Eq => {
                self.file(a, scope, at_least(b, 0));
                self.file(b, scope, at_least(a, 0));
                (at_most(b, 0), at_most(a, 0))
            }
            IntCond::Ne => (Relation::Differs { y: b }, Relation::Differs { y: a }),
            IntCond::ULt => (at_most(b, -1), at_least(a, 1)),
            IntCond::ULe => (at_most(b, 0), at_least(a, 0)),
            IntCond::UGt => (at_least(b, 1), at_most(a, -1)),
            IntCond::UGe => (at_least(b, 0), at_most(a, 0)),
            IntCond::SLt => (signed(at_most(b, -1)), signed(at_least(a, 1))),
            IntCond::SLe => (signed(at_most(b, 0)), signed(at_least(a, 0))),
            IntCond::SGt => (signed(at_least(b, 1)), signed(at_most(a, -1))),
            IntCond::SGe => (signed(at_least(b, 0)), signed(at_most(a, 0))),
        };
        self.file(a, scope, of_a);
        self.file(b, scope, of_b);
    }

    fn file(&mut self, value: Value, (scope, position): (Scope, u32), relation: Relation) {
        let in_check = self.in_check;
        let entry = self.of_mut(value);
        entry.facts.push(Fact { scope, position, relation, in_check });
        entry.branched |= !in_check;
    }

    /// Returns true if a check says that a value of this root is at most this number, and no other branch does.
    pub(super) fn is_limited_by_check(
        &self,
        root: Value,
        at: At,
        most: u64,
        number: impl Fn(Value) -> Option<u64>,
        tree: &DomTree,
    ) -> bool {
        let says = |fact: &&Fact| match fact.relation {
            Relation::AtMost { y, offset } => {
                fact.scope.covers(at, tree)
                    && number(y).is_some_and(|number| number.checked_add_signed(offset.into()) == Some(most))
            }
            Relation::AtLeast { .. }
            | Relation::Differs { .. }
            | Relation::SignedAtMost { .. }
            | Relation::SignedAtLeast { .. }
            | Relation::Is(_) => false,
        };
        let mut found = self.of(root).facts.iter().rev().take(MOST_FACTS).filter(says).peekable();
        found.peek().is_some() && found.all(|fact| fact.in_check)
    }

    /// A thread's index is below the number of threads, a block's below that of blocks.
    fn collect_registers(&mut self, func: &Function, cfg: &Cfg) {
        const BELOW: [(SpecialRegister, SpecialRegister); 6] = [
            (SpecialRegister::TidX, SpecialRegister::NtidX),
            (SpecialRegister::TidY, SpecialRegister::NtidY),
            (SpecialRegister::TidZ, SpecialRegister::NtidZ),
            (SpecialRegister::CtaidX, SpecialRegister::NctaidX),
            (SpecialRegister::CtaidY, SpecialRegister::NctaidY),
            (SpecialRegister::CtaidZ, SpecialRegister::NctaidZ),
        ];
        let mut reads: Vec<(SpecialRegister, Value)> = Vec::new();
        for &block in cfg.order() {
            for &inst in &func.blocks[block].insts {
                if let (&InstData::Special { register }, Some(value)) =
                    (&func.insts[inst], func.results[inst])
                {
                    reads.push((register, value));
                }
            }
        }
        for &(register, index) in &reads {
            let Some(&(_, count)) = BELOW.iter().find(|(below, _)| *below == register) else { continue };
            for &(_, count) in reads.iter().filter(|(register, _)| *register == count) {
                // Registers never change, so this holds everywhere.
                self.of_mut(index).always.push(Relation::AtMost { y: count, offset: -1 });
            }
        }
    }
}
