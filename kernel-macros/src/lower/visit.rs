//! Walks the typed tree.

use crate::typed::{Block, Consumer, Expr, ExprKind, Function, Iter, IterKind, Pattern, Stmt};

/// Calls `visit` with every expression of the function, closures included, outer ones first, and with each pattern that is
/// tested on a place together with that place.
pub(super) fn function(
    function: &Function,
    visit: &mut dyn FnMut(&Expr),
    tested: &mut dyn FnMut(&Pattern, &Expr),
) {
    let mut walk = Walk { visit, tested };
    walk.block(&function.body);
    for closure in &function.closures {
        walk.expr(&closure.body);
    }
}

/// Calls `visit` with every expression in one, itself first, and `tested` as above. Not with the bodies of closures.
pub fn expr(expr: &Expr, visit: &mut dyn FnMut(&Expr), tested: &mut dyn FnMut(&Pattern, &Expr)) {
    Walk { visit, tested }.expr(expr);
}

struct Walk<'w> {
    visit: &'w mut dyn FnMut(&Expr),
    tested: &'w mut dyn FnMut(&Pattern, &Expr),
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Declare(_) => {}
                Stmt::Let { pattern, init, otherwise, .. } => {
                    (self.tested)(pattern, init);
                    self.expr(init);
                    otherwise.iter().for_each(|block| self.block(block));
                }
                Stmt::Expr(expr) => self.expr(expr),
            }
        }
        self.all(&block.value);
    }

    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Box<Expr>>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        (self.visit)(expr);
        match &expr.kind {
            ExprKind::Literal(_)
            | ExprKind::Path(_)
            | ExprKind::Local(_)
            | ExprKind::Const(_)
            | ExprKind::Closure(_)
            | ExprKind::Function
            | ExprKind::Unit
            | ExprKind::Variant(_)
            | ExprKind::None
            | ExprKind::Fence { .. }
            | ExprKind::Continue { .. } => {}
            ExprKind::Tuple(parts)
            | ExprKind::Array(parts)
            | ExprKind::Call { args: parts, .. }
            | ExprKind::Invoke { args: parts, .. }
            | ExprKind::Panic { args: parts, .. }
            | ExprKind::Print { args: parts, .. } => parts.iter().for_each(|part| self.expr(part)),
            // The expression for the CPU is not lowered.
            ExprKind::InlinePtx(ptx) => ptx.ins.iter().for_each(|value| self.expr(value)),
            ExprKind::Repeat(arg)
            | ExprKind::Some(arg)
            | ExprKind::Field { base: arg, .. }
            | ExprKind::Deref(arg)
            | ExprKind::Ref(arg)
            | ExprKind::Unsize(arg)
            | ExprKind::Unary { arg, .. }
            | ExprKind::Cast(arg)
            | ExprKind::Axis { base: arg, .. } => self.expr(arg),
            ExprKind::Struct { fields, base } => {
                fields.iter().for_each(|(_, field)| self.expr(field));
                self.all(base);
            }
            ExprKind::Subslice { base, start, end, .. } => {
                self.expr(base);
                self.all(start);
                self.all(end);
            }
            ExprKind::Binary { lhs: a, rhs: b, .. }
            | ExprKind::Logical { lhs: a, rhs: b, .. }
            | ExprKind::Index { base: a, index: b }
            | ExprKind::Assign { place: a, value: b }
            | ExprKind::AssignOp { place: a, value: b, .. } => self.all([a, b]),
            ExprKind::MulAdd { a, b, c, .. } | ExprKind::AssignMulAdd { place: c, a, b, .. } => {
                self.all([a, b, c]);
            }
            ExprKind::InvokeValue { callee, args } => {
                self.expr(callee);
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Atomic(access) => {
                self.expr(&access.place);
                access.args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Consume { iter, how } => {
                self.iter(iter);
                match how {
                    Consumer::Sum
                    | Consumer::Product
                    | Consumer::Extreme { .. }
                    | Consumer::Count
                    | Consumer::Last
                    | Consumer::First => {}
                    Consumer::Fold(a, b) | Consumer::TryFold(a, b) => self.all([a, b]),
                    Consumer::Reduce(f)
                    | Consumer::ExtremeBy { order: f, .. }
                    | Consumer::ExtremeByKey { key: f, .. }
                    | Consumer::RPosition(f)
                    | Consumer::ForEach(f)
                    | Consumer::Any(f)
                    | Consumer::All(f)
                    | Consumer::Position(f)
                    | Consumer::Find(f) => self.expr(f),
                }
            }
            ExprKind::Let { pattern, value } => {
                (self.tested)(pattern, value);
                self.expr(value);
            }
            ExprKind::Match { value, arms, .. } => {
                self.expr(value);
                for arm in arms {
                    (self.tested)(&arm.pattern, value);
                    arm.guard.iter().for_each(|guard| self.expr(guard));
                    self.expr(&arm.body);
                }
            }
            ExprKind::Block(body) | ExprKind::Labeled { body, .. } | ExprKind::Loop { body, .. } => {
                self.block(body);
            }
            ExprKind::If { cond, then, otherwise, .. } => {
                self.expr(cond);
                self.block(then);
                self.all(otherwise);
            }
            ExprKind::While { cond, body, .. } => {
                self.expr(cond);
                self.block(body);
            }
            ExprKind::For { iter, body, .. } => {
                self.iter(iter);
                self.block(body);
            }
            ExprKind::Break { value, .. } | ExprKind::Return(value) => self.all(value),
        }
    }

    fn iter(&mut self, iter: &Iter) {
        match &iter.kind {
            IterKind::Range { start: a, end: b, .. }
            | IterKind::ChunksExact { slice: a, size: b }
            | IterKind::Chunks { slice: a, size: b }
            | IterKind::Windows { slice: a, size: b } => self.all([a, b]),
            IterKind::Slice(expr) | IterKind::Array(expr) => self.expr(expr),
            IterKind::Rev(inner)
            | IterKind::Enumerate(inner)
            | IterKind::Copied(inner)
            | IterKind::Cycle(inner) => {
                self.iter(inner);
            }
            IterKind::StepBy(inner, expr)
            | IterKind::Take(inner, expr)
            | IterKind::Skip(inner, expr)
            | IterKind::Map(inner, expr)
            | IterKind::Filter(inner, expr)
            | IterKind::TakeWhile(inner, expr)
            | IterKind::FilterMap(inner, expr)
            | IterKind::MapWhile(inner, expr)
            | IterKind::SkipWhile(inner, expr) => {
                self.iter(inner);
                self.expr(expr);
            }
            IterKind::Scan(inner, init, expr) => {
                self.iter(inner);
                self.all([init, expr]);
            }
            IterKind::Zip(a, b) | IterKind::Chain(a, b) => {
                self.iter(a);
                self.iter(b);
            }
        }
    }
}
