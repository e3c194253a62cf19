//! `#[ilp(n)]`: the accumulators of a loop become n chains that do not wait for each other.
//!
//! It is done on the typed tree, before lowering and before the run copy is printed, so that GPU and CPU add in the same
//! order:
//!
//! ```text
//! let mut chain1 = 0.0; let mut chain2 = 0.0; let mut chain3 = 0.0;   // the identity element, or a copy
//! for … {
//!     (sum, chain1, chain2, chain3) = (chain1, chain2, chain3, sum);  // each iteration has the next chain
//!     … sum += …;                                                     // as written
//! }
//! sum = (sum + chain1) + (chain2 + chain3);
//! ```
//!
//! Unrolled by n, the loop needs no moves. Of integers, `min` and `max` the result is that of the plain loop, since the order
//! does not matter to them; of floats the order of additions is the one above, the same everywhere.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span};

use crate::builtins::Builtin;
use crate::diagnostics::{Diagnostics, Loc};
use crate::lower::visit;
use crate::typed::{
    BinaryOp, BindMode, Block, Closure, ConstValue, Expr, ExprKind, Function, Kernel, Local, LocalId,
    LoopAsk, LoopAttr, LoopId, Pattern, Scalar, Stmt, Ty,
};
use crate::walk;

/// The operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduction {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Splits the reductions of the loops that ask for it.
pub fn split_reductions(kernel: &mut Kernel, diagnostics: &mut Diagnostics) {
    let asks = |attr: &Option<LoopAttr>| matches!(attr, Some(LoopAttr { ask: LoopAsk::Chains(_), .. }));
    for function in kernel.functions.iter_mut().filter(|function| function.loops.iter().any(asks)) {
        let mut mentions = Mentions::default();
        walk::function(function, &mut |e| mentions.add(e, &[]));
        let Function { locals, loops, closures, body, .. } = function;
        let in_closures = closures.iter().map(|closure| of_closure(closure, closures)).collect();
        let checks_overflow = kernel.attrs.overflow_checks;
        let mut splitter = Splitter {
            locals,
            loops,
            everywhere: mentions,
            in_closures,
            in_closure: true,
            checks_overflow,
            diagnostics,
        };
        closures.iter_mut().for_each(|closure| splitter.expr(&mut closure.body));
        splitter.in_closure = false;
        walk::block(body, &mut |e| splitter.expr(e));
    }
}

/// Number of mentions of each variable.
#[derive(Clone, Default)]
struct Mentions(HashMap<LocalId, usize>);

impl Mentions {
    /// Counts those in an expression, and in the closures that it makes.
    fn add(&mut self, e: &Expr, in_closures: &[Mentions]) {
        let mut visit = |part: &Expr| match &part.kind {
            ExprKind::Local(id) => *self.0.entry(*id).or_default() += 1,
            ExprKind::Closure(id) => {
                for (local, count) in in_closures.get(id.0).iter().flat_map(|mentions| &mentions.0) {
                    *self.0.entry(*local).or_default() += count;
                }
            }
            _ => {}
        };
        visit::expr(e, &mut visit, &mut |_, _| {});
    }

    fn of(&self, local: LocalId) -> usize {
        self.0.get(&local).copied().unwrap_or_default()
    }
}

/// Those in a closure and in the closures inside it.
fn of_closure(closure: &Closure, all: &[Closure]) -> Mentions {
    let mut mentions = Mentions::default();
    let mut inner = Vec::new();
    mentions.add(&closure.body, &[]);
    visit::expr(
        &closure.body,
        &mut |part| {
            if let ExprKind::Closure(id) = &part.kind {
                inner.push(id.0);
            }
        },
        &mut |_, _| {},
    );
    for index in inner {
        for (local, count) in of_closure(&all[index], all).0 {
            *mentions.0.entry(local).or_default() += count;
        }
    }
    mentions
}

/// Goes through one function.
struct Splitter<'f> {
    locals: &'f mut Vec<Local>,
    loops: &'f [Option<LoopAttr>],
    /// In the function and its closures.
    everywhere: Mentions,
    /// By [`ClosureId`](crate::typed::ClosureId).
    in_closures: Vec<Mentions>,
    /// The expression is in a closure.
    in_closure: bool,
    /// `checks(overflow)`: the order of additions shows in which of them overflow.
    checks_overflow: bool,
    diagnostics: &'f mut Diagnostics,
}

/// A variable that a loop accumulates in.
struct Accumulator {
    local: LocalId,
    how: Reduction,
}

impl Splitter<'_> {
    fn expr(&mut self, e: &mut Expr) {
        walk::children(e, &mut |part| self.expr(part));
        let (ExprKind::Loop { id, .. } | ExprKind::While { id, .. } | ExprKind::For { id, .. }) = &e.kind
        else {
            return;
        };
        let Some(&Some(LoopAttr { ask: LoopAsk::Chains(chains), loc })) = self.loops.get(id.0) else {
            return;
        };
        if self.leaves_early(e, *id, loc) {
            return;
        }
        let accumulators = self.accumulators(e, loc);
        if !accumulators.is_empty() {
            self.split(e, &accumulators, chains as usize);
        }
    }

    /// Refuses what leaves the loop without passing its end, where the chains are combined.
    fn leaves_early(&mut self, e: &Expr, own: LoopId, loc: Loc) -> bool {
        let mut inside = HashSet::from([own]);
        let mut leaves = None;
        let mut targets = Vec::new();
        let mut visit = |part: &Expr| match &part.kind {
            ExprKind::Loop { id, .. }
            | ExprKind::While { id, .. }
            | ExprKind::For { id, .. }
            | ExprKind::Labeled { id, .. } => {
                inside.insert(*id);
            }
            ExprKind::Break { target, .. } => targets.push((*target, "break")),
            ExprKind::Continue { target } => targets.push((*target, "continue")),
            // After `return` from a function its accumulators are dead; those that a closure captured are still read.
            ExprKind::Return(_) if self.in_closure => leaves = Some("return"),
            _ => {}
        };
        visit::expr(e, &mut visit, &mut |_, _| {});
        let outward = targets.into_iter().find(|(target, _)| !inside.contains(target));
        let Some(word) = leaves.or(outward.map(|(_, word)| word)) else { return false };
        let message = format!(
            "expected a loop that ends in its own place, where the chains are combined, found a `{word}` that leaves it for \
             elsewhere\nhelp: leave the loop with a plain `break`, or leave the attribute out"
        );
        self.diagnostics.error(loc, message);
        true
    }

    /// The variables that the loop does nothing with but accumulate, and that are read after it. Refuses a loop without any.
    fn accumulators(&mut self, e: &Expr, loc: Loc) -> Vec<Accumulator> {
        let mut total = Mentions::default();
        total.add(e, &self.in_closures);
        // In the order of the text: how, how many of the mentions are those of the reduction.
        let mut found: Vec<(LocalId, Option<Reduction>, usize)> = Vec::new();
        let mut otherwise = None;
        let mut visit = |part: &Expr| {
            let Some((local, how, mentions)) = reduction(part) else {
                otherwise = otherwise.or_else(|| changed(part));
                return;
            };
            match found.iter_mut().find(|(other, ..)| *other == local) {
                Some((_, known, count)) => {
                    *known = known.filter(|known| *known == how);
                    *count += mentions;
                }
                None => found.push((local, Some(how), mentions)),
            }
        };
        visit::expr(e, &mut visit, &mut |_, _| {});
        let mut why = None;
        // Only `checks(overflow)` stands against it.
        let mut in_order = false;
        let mut accumulators = Vec::new();
        for (local, how, count) in found {
            let name = &self.locals[local.0].name;
            // A variable of a single iteration is mentioned nowhere else.
            if self.everywhere.of(local) == total.of(local) {
                why.get_or_insert(format!("nothing reads `{name}` after the loop"));
            } else if total.of(local) != count {
                why.get_or_insert(format!("the loop also uses `{name}` for something else"));
            } else if self.checks_overflow
                && matches!(how, Some(Reduction::Sum | Reduction::Product))
                && matches!(self.locals[local.0].ty, Ty::Scalar(scalar) if scalar.is_int())
            {
                in_order |= why.is_none();
                why.get_or_insert(format!(
                    "`checks(overflow)` looks at each step of `{name}` in the order of the loop"
                ));
            } else if let Some(how) = how {
                accumulators.push(Accumulator { local, how });
            } else {
                why.get_or_insert(format!(
                    "the loop changes `{name}` in several ways, which cannot change places"
                ));
            }
        }
        if accumulators.is_empty() {
            let otherwise = otherwise.map(|local| {
                let name = &self.locals[local.0].name;
                format!("what it makes of `{name}` depends on the order")
            });
            let why = why.or(otherwise).unwrap_or_else(|| "it only does other things".to_owned());
            let help = if in_order {
                "use `#[unroll(n)]`, which keeps the order, or leave `checks(overflow)` out"
            } else {
                "add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use \
                 `#[unroll(n)]`"
            };
            let message = format!(
                "expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: {why}\n\
                 help: {help}"
            );
            self.diagnostics.error(loc, message);
        }
        accumulators
    }

    /// Rewrites a loop.
    fn split(&mut self, e: &mut Expr, accumulators: &[Accumulator], chains: usize) {
        let span = e.span;
        let (mut before, mut turns, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for &Accumulator { local, how } in accumulators {
            let mut all = vec![local];
            for _ in 1..chains {
                let chain = self.variable(local, "chain");
                let start = self.start(local, how, span);
                before.push(declare(chain, start, span));
                all.push(chain);
            }
            // Each iteration takes the next chain, and the last one is that of the iteration before.
            let held = self.variable(local, "turn");
            turns.push(declare(held, self.read(local, span), span));
            let next = all.iter().copied().skip(1).chain([held]);
            for (&place, value) in all.iter().zip(next) {
                turns.push(self.assign(place, self.read(value, span), span));
            }
            let mut values: Vec<Expr> = all.iter().map(|&chain| self.read(chain, span)).collect();
            while values.len() > 1 {
                let mut pairs = values.into_iter();
                let mut combined = Vec::new();
                while let Some(first) = pairs.next() {
                    combined.push(match pairs.next() {
                        Some(second) => combine(how, first, second),
                        None => first,
                    });
                }
                values = combined;
            }
            after.extend(values.pop().map(|value| self.assign(local, value, span)));
        }
        let (ExprKind::Loop { body, .. } | ExprKind::While { body, .. } | ExprKind::For { body, .. }) =
            &mut e.kind
        else {
            return;
        };
        body.stmts.splice(0..0, turns);
        let ty = e.ty.clone();
        let inner = std::mem::replace(e, Expr { kind: ExprKind::Unit, ty: ty.clone(), span });
        let mut stmts = before;
        let value = match ty {
            Ty::Unit => {
                stmts.push(Stmt::Expr(inner));
                stmts.append(&mut after);
                None
            }
            // It never ends.
            Ty::Never => Some(Box::new(inner)),
            _ => {
                let name = Ident::new("value", span);
                self.locals.push(Local { name, ty, mutable: false, holds_pointer: false });
                let value = LocalId(self.locals.len() - 1);
                stmts.push(declare(value, inner, span));
                stmts.append(&mut after);
                Some(Box::new(self.read(value, span)))
            }
        };
        e.kind = ExprKind::Block(Block { stmts, value, span });
    }

    /// A new variable of the type of another.
    fn variable(&mut self, like: LocalId, what: &str) -> LocalId {
        let Local { name, ty, .. } = &self.locals[like.0];
        let text = name.to_string();
        let name = Ident::new(&format!("{}_{what}", text.trim_start_matches("r#")), name.span());
        self.locals.push(Local { name, ty: ty.clone(), mutable: true, holds_pointer: false });
        LocalId(self.locals.len() - 1)
    }

    fn read(&self, local: LocalId, span: Span) -> Expr {
        Expr { kind: ExprKind::Local(local), ty: self.locals[local.0].ty.clone(), span }
    }

    fn assign(&self, place: LocalId, value: Expr, span: Span) -> Stmt {
        let kind = ExprKind::Assign { place: Box::new(self.read(place, span)), value: Box::new(value) };
        Stmt::Expr(Expr { kind, ty: Ty::Unit, span })
    }

    /// Returns the initial value of a further chain: the identity element of the reduction.
    fn start(&self, local: LocalId, how: Reduction, span: Span) -> Expr {
        let ty = &self.locals[local.0].ty;
        let (Ty::Scalar(scalar) | Ty::Vector(scalar, _)) = ty else { return self.read(local, span) };
        let bits = match how {
            // −0.0 leaves −0.0 as it is, 0.0 does not.
            Reduction::Sum if scalar.is_float() => 1 << (scalar.bits() - 1),
            Reduction::Sum | Reduction::Xor => 0,
            Reduction::Product => one(*scalar),
            // Of these a value and itself are that value.
            Reduction::Min | Reduction::Max | Reduction::And | Reduction::Or => {
                return self.read(local, span);
            }
        };
        let kind = ExprKind::Path(ConstValue { ty: *scalar, bits });
        let value = Expr { kind, ty: Ty::Scalar(*scalar), span };
        match ty {
            Ty::Vector(..) => {
                let kind = ExprKind::Call { builtin: Builtin::VectorSplat, args: vec![value] };
                Expr { kind, ty: ty.clone(), span }
            }
            _ => value,
        }
    }
}

/// The bits of 1.
fn one(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x3c00,
        Scalar::Bf16 => 0x3f80,
        Scalar::F32 => 1f32.to_bits().into(),
        Scalar::F64 => 1f64.to_bits(),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::Isize
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Usize => 1,
    }
}

fn declare(local: LocalId, init: Expr, span: Span) -> Stmt {
    let pattern = Pattern::Bind { local, mode: BindMode::Value, inner: None };
    Stmt::Let { pattern, init, otherwise: None, span }
}

/// Two chains as one.
fn combine(how: Reduction, lhs: Expr, rhs: Expr) -> Expr {
    let (ty, span) = (lhs.ty.clone(), lhs.span);
    let binary = |op, lhs, rhs| ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) };
    let kind = match how {
        Reduction::Sum => binary(BinaryOp::Add, lhs, rhs),
        Reduction::Product => binary(BinaryOp::Mul, lhs, rhs),
        Reduction::And => binary(BinaryOp::And, lhs, rhs),
        Reduction::Or => binary(BinaryOp::Or, lhs, rhs),
        Reduction::Xor => binary(BinaryOp::Xor, lhs, rhs),
        Reduction::Min => ExprKind::Call { builtin: Builtin::Min, args: vec![lhs, rhs] },
        Reduction::Max => ExprKind::Call { builtin: Builtin::Max, args: vec![lhs, rhs] },
    };
    Expr { kind, ty, span }
}

/// The variable that a statement accumulates in, how, and how often it mentions the variable for that.
fn reduction(e: &Expr) -> Option<(LocalId, Reduction, usize)> {
    let (place, how, mentions) = match &e.kind {
        ExprKind::AssignOp { op, place, .. } => (place, of_operator(*op)?, 1),
        ExprKind::Assign { place, value } => {
            let ExprKind::Local(local) = place.kind else { return None };
            (place, along(value, local)??, 2)
        }
        _ => return None,
    };
    let ExprKind::Local(local) = place.kind else { return None };
    matches!(place.ty, Ty::Scalar(_) | Ty::Vector(..)).then_some((local, how, mentions))
}

/// The variable that a statement makes something else of.
fn changed(e: &Expr) -> Option<LocalId> {
    let (place, value) = match &e.kind {
        ExprKind::AssignOp { place, .. } => (place, None),
        ExprKind::Assign { place, value } => (place, Some(value)),
        _ => return None,
    };
    let ExprKind::Local(local) = place.kind else { return None };
    let mut mentions = Mentions::default();
    value.iter().for_each(|value| mentions.add(value, &[]));
    (value.is_none() || mentions.of(local) > 0).then_some(local)
}

fn of_operator(op: BinaryOp) -> Option<Reduction> {
    match op {
        BinaryOp::Add | BinaryOp::Sub => Some(Reduction::Sum),
        BinaryOp::Mul => Some(Reduction::Product),
        BinaryOp::And => Some(Reduction::And),
        BinaryOp::Or => Some(Reduction::Or),
        BinaryOp::Xor => Some(Reduction::Xor),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => None,
    }
}

/// Returns the reduction that computes a value from a variable by one operation throughout: `acc + a + b`, `x.min(acc)`. `Some(None)`
/// if the value is the variable itself; `None` if it is computed in any other way.
#[allow(clippy::option_option)]
fn along(value: &Expr, local: LocalId) -> Option<Option<Reduction>> {
    let (how, parts): (Reduction, Vec<&Expr>) = match &value.kind {
        ExprKind::Local(id) => return (*id == local).then_some(None),
        // Only what is subtracted from counts.
        ExprKind::Binary { op: BinaryOp::Sub, lhs, .. } => (Reduction::Sum, vec![lhs]),
        ExprKind::Binary { op, lhs, rhs } => (of_operator(*op)?, vec![lhs, rhs]),
        ExprKind::Call { builtin, args } => match (builtin, &args[..]) {
            (Builtin::Min, [a, b]) => (Reduction::Min, vec![a, b]),
            (Builtin::Max, [a, b]) => (Reduction::Max, vec![a, b]),
            (Builtin::WrappingAdd, [a, b]) => (Reduction::Sum, vec![a, b]),
            (Builtin::WrappingSub, [a, _]) => (Reduction::Sum, vec![a]),
            (Builtin::WrappingMul, [a, b]) => (Reduction::Product, vec![a, b]),
            (Builtin::MulAdd, [_, _, c]) => (Reduction::Sum, vec![c]),
            _ => return None,
        },
        _ => return None,
    };
    let inner = parts.into_iter().find_map(|part| along(part, local))?;
    match inner {
        None => Some(Some(how)),
        Some(inner) => (inner == how).then_some(Some(how)),
    }
}
