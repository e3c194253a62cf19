//! The middle of two numbers, as binary searches compute it: below the higher one if they differ.

use std::collections::HashMap;

use super::facts::Facts;
use crate::analysis::Cfg;
use crate::ir::{BinaryOp, EntityMap, Function, InstData, Value};

/// The values of a function that are in the middle of two others.
pub(super) struct Middles {
    ends: HashMap<Value, Vec<[Value; 2]>>,
    /// By root.
    is_end: EntityMap<Value, bool>,
}

impl Middles {
    pub(super) fn new(func: &Function, cfg: &Cfg, facts: &Facts) -> Middles {
        let is_end = EntityMap::filled(func.values.len(), false);
        let mut middles = Middles { ends: HashMap::new(), is_end };
        for &inst in cfg.order().iter().flat_map(|&block| &func.blocks[block].insts) {
            let Some(value) = func.results[inst] else { continue };
            let ends = ends(func, facts, value);
            if !ends.is_empty() {
                ends.iter().flatten().for_each(|&end| middles.is_end[facts.root(end)] = true);
                middles.ends.insert(value, ends);
            }
        }
        middles
    }

    /// The numbers `[a, b]` for which a root is at most `b`, and below it if `a` is, wherever `a <= b`.
    pub(super) fn ends(&self, middle: Value) -> &[[Value; 2]] {
        self.ends.get(&middle).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a root is an end of a middle.
    pub(super) fn is_end(&self, root: Value) -> bool {
        self.is_end[root]
    }
}

/// The ends of `a + (b - a) / 2` and of `(a + b) / 2`, or nearer to `a`. A sum `a + b` that wraps is only less.
fn ends(func: &Function, facts: &Facts, middle: Value) -> Vec<[Value; 2]> {
    if let Some((BinaryOp::Add, [a, b])) = binary(func, facts, middle) {
        let ends = [[a, b], [b, a]].map(|[start, half]| {
            let (op, [end, from]) = binary(func, facts, halved(func, facts, half)?)?;
            let is_distance = op == BinaryOp::Sub && facts.root(from) == facts.root(start);
            is_distance.then_some([start, end])
        });
        return ends.into_iter().flatten().collect();
    }
    match halved(func, facts, middle).and_then(|sum| binary(func, facts, sum)) {
        Some((BinaryOp::Add, [a, b])) => vec![[a, b], [b, a]],
        _ => Vec::new(),
    }
}

/// The `a` of `a / k` and `a >> k`, if that is at most half of it.
fn halved(func: &Function, facts: &Facts, value: Value) -> Option<Value> {
    let (op, [a, by]) = binary(func, facts, value)?;
    let by = func.constant(by)?;
    let halves = match op {
        BinaryOp::UDiv => by > 1,
        BinaryOp::LShr => (1..func.ty(a).bits().into()).contains(&by),
        _ => false,
    };
    halves.then_some(a)
}

fn binary(func: &Function, facts: &Facts, value: Value) -> Option<(BinaryOp, [Value; 2])> {
    match func.def(facts.root(value))? {
        InstData::Binary { op, args, .. } => Some((*op, *args)),
        _ => None,
    }
}
