//! Expressions of the typed tree.

use super::Checker;
use crate::ast::{self, Expr, ExprKind, Literal};
use crate::builtins::{Builtin, Form};
use crate::infer::axis;
use crate::literal;
use crate::resolve::Meaning;
use crate::typed::{self, ConstValue, ExprKind as Typed, LoopId, Scalar, Ty, UnaryOp};

impl Checker<'_> {
    /// The expression as it is, without asking whether its value may be used.
    pub(super) fn build(&mut self, expr: &Expr) -> typed::Expr {
        let ty = self.types.expr(expr.id).clone();
        let kind = self.kind(expr, &ty);
        typed::Expr { kind, ty, span: expr.loc.start }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<typed::Expr> {
        Box::new(self.value(expr))
    }

    fn kind(&mut self, expr: &Expr, ty: &Ty) -> Typed {
        match &expr.kind {
            ExprKind::Literal(value) => Typed::Literal(self.literal(expr, value, ty, false)),
            ExprKind::Path(path) => self.path(expr, path),
            ExprKind::Unary { op, arg } => {
                let arg = match (&arg.kind, op) {
                    (ExprKind::Literal(value), UnaryOp::Neg) => {
                        let kind = Typed::Literal(self.literal(arg, value, ty, true));
                        Box::new(typed::Expr { kind, ty: ty.clone(), span: arg.loc.start })
                    }
                    _ => self.boxed(arg),
                };
                Typed::Unary { op: *op, arg }
            }
            ExprKind::Binary { op, lhs, rhs } => {
                Typed::Binary { op: *op, lhs: self.boxed(lhs), rhs: self.boxed(rhs) }
            }
            ExprKind::Logical { and, lhs, rhs } => {
                Typed::Logical { and: *and, lhs: self.boxed(lhs), rhs: self.boxed(rhs) }
            }
            ExprKind::Cast { arg, .. } => Typed::Cast(self.boxed(arg)),
            ExprKind::Field { base, name } => {
                Typed::Axis { base: self.boxed(base), axis: axis(name).unwrap_or(0) }
            }
            ExprKind::Index { base, index } => {
                Typed::Index { base: Box::new(self.base(base)), index: self.boxed(index) }
            }
            ExprKind::Call { args, .. } => self.call(expr, args),
            ExprKind::Method { receiver, args, .. } => self.method(expr, receiver, args),
            ExprKind::Assign { place, value } => {
                Typed::Assign { place: Box::new(self.place(place, false)), value: self.boxed(value) }
            }
            ExprKind::AssignOp { op, place, value } => Typed::AssignOp {
                op: *op,
                place: Box::new(self.place(place, true)),
                value: self.boxed(value),
            },
            ExprKind::Block(block) => Typed::Block(self.block(block)),
            ExprKind::If { cond, then, otherwise } => Typed::If {
                cond: self.boxed(cond),
                then: self.block(then),
                otherwise: otherwise.as_ref().map(|otherwise| self.boxed(otherwise)),
            },
            ExprKind::Loop { id, label, body } => {
                Typed::Loop { id: *id, label: label.clone(), body: self.block(body) }
            }
            ExprKind::While { id, label, cond, body } => {
                Typed::While { id: *id, label: label.clone(), cond: self.boxed(cond), body: self.block(body) }
            }
            ExprKind::For { id, label, local, range, body } => Typed::For {
                id: *id,
                label: label.clone(),
                local: *local,
                range: Box::new(self.range(range)),
                body: self.block(body),
            },
            ExprKind::Break { label, value } => Typed::Break {
                target: self.target(expr),
                label: label.clone(),
                value: value.as_ref().map(|value| self.boxed(value)),
            },
            ExprKind::Continue { label } => {
                Typed::Continue { target: self.target(expr), label: label.clone() }
            }
            ExprKind::Return => Typed::Return,
        }
    }

    fn literal(&mut self, expr: &Expr, value: &Literal, ty: &Ty, negated: bool) -> ConstValue {
        let Ty::Scalar(ty) = ty else { return NOTHING };
        match literal::value(value, *ty, negated) {
            Ok(value) => value,
            Err(message) => {
                self.error(expr.loc, message);
                NOTHING
            }
        }
    }

    fn path(&mut self, expr: &Expr, path: &syn::Path) -> Typed {
        match self.names.of(expr.id) {
            Meaning::Local(id) => Typed::Local(id),
            Meaning::Const(id) => Typed::Const(id),
            Meaning::Known(value) => Typed::Path { path: path.clone(), value },
            // Reported by the phases before.
            Meaning::Nothing | Meaning::Function(..) | Meaning::Loop(_) | Meaning::Error => {
                Typed::Literal(NOTHING)
            }
        }
    }

    fn target(&self, expr: &Expr) -> LoopId {
        match self.names.of(expr.id) {
            Meaning::Loop(id) => id,
            // Reported when names were resolved.
            _ => LoopId(0),
        }
    }

    fn call(&mut self, expr: &Expr, args: &[Expr]) -> Typed {
        let Meaning::Function(function, _) = self.names.of(expr.id) else { return Typed::Literal(NOTHING) };
        Typed::Call { builtin: function.builtin, args: args.iter().map(|arg| self.value(arg)).collect() }
    }

    fn method(&mut self, expr: &Expr, receiver: &Expr, args: &[Expr]) -> Typed {
        let Some(method) = self.types.method(expr.id) else { return Typed::Literal(NOTHING) };
        debug_assert_eq!(method.form, Form::Method);
        let receiver = match method.builtin == Builtin::Len {
            true => self.base(receiver),
            false => self.value(receiver),
        };
        let mut all = Vec::with_capacity(1 + args.len());
        all.push(receiver);
        all.extend(args.iter().map(|arg| self.value(arg)));
        Typed::Call { builtin: method.builtin, args: all }
    }

    fn range(&mut self, range: &ast::Range) -> typed::Range {
        let start = self.value(&range.start);
        let ty = match start.ty {
            Ty::Scalar(scalar) => scalar,
            Ty::Unit | Ty::Never | Ty::Dim3 | Ty::Slice { .. } | Ty::Array(..) | Ty::Shared(_) => Scalar::I32,
        };
        let end = self.value(&range.end);
        let adaptors = range.adaptors.iter().map(|adaptor| match adaptor {
            ast::RangeAdaptor::Rev => typed::RangeAdaptor::Rev,
            ast::RangeAdaptor::StepBy(step) => typed::RangeAdaptor::StepBy(self.value(step)),
        });
        let adaptors = adaptors.collect();
        typed::Range { start, end, inclusive: range.inclusive, adaptors, ty }
    }
}

/// Stands where a mistake was reported: the tree is not used then.
const NOTHING: ConstValue = ConstValue { ty: Scalar::I32, bits: 0 };
