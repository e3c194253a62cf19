//! Expressions other than blocks, operators and calls.

use super::{Cast, Hint, Infer, Kind, Ty};
use crate::ast::{Expr, ExprKind, Literal, TypeKind};
use crate::resolve::Meaning;
use crate::typed::{self, Scalar};

impl Infer<'_> {
    /// The type of an expression, kept in the table. With [`Hint::Must`] the caller still has to compare.
    pub(super) fn expr(&mut self, expr: &Expr, hint: &Hint) -> Ty {
        let ty = self.expr_kind(expr, hint);
        if ty == Ty::NEVER {
            self.diverges = true;
        }
        self.exprs[expr.id.0] = ty.clone();
        ty
    }

    /// An expression that must be of this type, or of type `!`. Its own type, or [`Ty::Error`] after a report.
    pub(super) fn coerce(&mut self, expr: &Expr, expected: &Ty) -> Ty {
        let found = self.expr(expr, &Hint::Must(expected.clone()));
        if found == Ty::NEVER || self.vars.unify(expected, &found).is_ok() {
            return found;
        }
        self.report_mismatch(expr, expected, &found);
        self.exprs[expr.id.0] = Ty::Error;
        Ty::Error
    }

    /// An expression whose value is needed: one of type `!` is refused.
    pub(super) fn operand(&mut self, expr: &Expr, hint: &Hint) -> Ty {
        let found = match hint {
            Hint::Must(ty) => self.coerce(expr, ty),
            Hint::None | Hint::Literal(_) => self.expr(expr, hint),
        };
        if found != Ty::NEVER {
            return found;
        }
        let message =
            "expected a value, found an expression that never has one\nhelp: make it a statement of its own";
        self.diagnostics.error(expr.loc, message);
        self.exprs[expr.id.0] = Ty::Error;
        Ty::Error
    }

    fn expr_kind(&mut self, expr: &Expr, hint: &Hint) -> Ty {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, hint),
            ExprKind::Path(_) => self.path(expr),
            ExprKind::Unary { op, arg } => self.unary(expr, *op, arg, hint),
            ExprKind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs),
            ExprKind::Logical { lhs, rhs, .. } => self.logical(lhs, rhs),
            ExprKind::Cast { arg, ty } => self.cast(arg, &ty.kind),
            ExprKind::Field { base, name } => self.field(base, name),
            ExprKind::Index { base, index } => self.index(base, index),
            ExprKind::Call { generics, args, .. } => self.call(expr, generics.as_ref(), args),
            ExprKind::Method { receiver, name, args } => self.method_call(expr, receiver, name, args),
            ExprKind::Assign { place, value } => {
                let ty = self.operand(place, &Hint::None);
                match self.vars.resolve(&ty) {
                    // The place is at fault, and reported with the others of its kind.
                    Ty::Known(typed::Ty::Slice { .. } | typed::Ty::Shared(_)) => {
                        self.expr(value, &Hint::None)
                    }
                    Ty::Known(_) | Ty::Var(_) | Ty::Error => self.coerce(value, &ty),
                };
                Ty::UNIT
            }
            ExprKind::AssignOp { op, place, value } => {
                self.assign_op(*op, place, value);
                Ty::UNIT
            }
            ExprKind::Block(block) => self.block(block, hint),
            ExprKind::If { cond, then, otherwise } => {
                self.if_expr(expr, cond, then, otherwise.as_deref(), hint)
            }
            ExprKind::Loop { id, body, .. } => self.loop_expr(*id, body, hint),
            ExprKind::While { id, cond, body, .. } => self.while_expr(*id, cond, body),
            ExprKind::For { id, local, range, body, .. } => self.for_expr(*id, *local, range, body),
            ExprKind::Break { value, .. } => {
                self.break_expr(expr, value.as_deref());
                Ty::NEVER
            }
            ExprKind::Continue { .. } | ExprKind::Return => Ty::NEVER,
        }
    }

    fn literal(&mut self, literal: &Literal, hint: &Hint) -> Ty {
        let (suffix, kind) = match literal {
            Literal::Bool(_) => return Ty::scalar(Scalar::Bool),
            Literal::Int { suffix, .. } => (suffix, Kind::Int),
            Literal::Float { suffix, .. } => (suffix, Kind::Float),
        };
        if let Some(suffix) = suffix {
            return Ty::scalar(*suffix);
        }
        let var = self.vars.fresh(kind);
        if let Hint::Literal(ty) | Hint::Must(ty) = hint {
            // If it does not fit, `as` converts, and a mismatch is found by the caller.
            let _ = self.vars.unify(&var, ty);
        }
        var
    }

    fn path(&mut self, expr: &Expr) -> Ty {
        match self.names.of(expr.id) {
            Meaning::Local(id) => self.vars.resolve(&self.locals[id.0]),
            Meaning::Const(id) => {
                let kernel = self.kernel;
                self.written(&kernel.consts[id.0].ty)
            }
            Meaning::Known(value) => Ty::scalar(value.ty),
            Meaning::Nothing | Meaning::Function(..) | Meaning::Loop(_) | Meaning::Error => Ty::Error,
        }
    }

    fn cast(&mut self, arg: &Expr, to: &TypeKind) -> Ty {
        let TypeKind::Scalar(to) = to else { return Ty::Error };
        let ty = Ty::scalar(*to);
        let found = self.operand(arg, &Hint::Literal(ty.clone()));
        if found != Ty::Error {
            self.casts.push(Cast { arg: arg.id, loc: arg.loc, to: *to });
        }
        ty
    }

    fn field(&mut self, base: &Expr, name: &proc_macro2::Ident) -> Ty {
        let ty = self.operand(base, &Hint::None);
        match self.vars.resolve(&ty) {
            Ty::Error => Ty::Error,
            Ty::Known(typed::Ty::Dim3) if axis(name).is_some() => Ty::scalar(Scalar::Usize),
            Ty::Known(typed::Ty::Dim3) => {
                let message =
                    format!("expected a field of `Dim3`, found `{name}`\nhelp: write `.x`, `.y` or `.z`");
                self.diagnostics.error(name, message);
                Ty::Error
            }
            other @ (Ty::Known(_) | Ty::Var(_)) => {
                let found = self.describe(&other);
                let help = match crate::builtins::method(&name.to_string()) {
                    Some(_) => format!("call the method: `.{name}()`"),
                    None => "only `thread_idx()` and its like have fields: `.x`, `.y` and `.z`".to_owned(),
                };
                let message = format!("expected a `Dim3` before `.{name}`, found {found}\nhelp: {help}");
                self.diagnostics.error(name, message);
                Ty::Error
            }
        }
    }

    fn index(&mut self, base: &Expr, index: &Expr) -> Ty {
        let ty = self.operand(base, &Hint::None);
        let element = match self.vars.resolve(&ty) {
            Ty::Known(typed::Ty::Slice { element, .. }) => Ty::scalar(element),
            Ty::Known(typed::Ty::Shared(array)) => match *array {
                typed::Ty::Array(element, _) => match *element {
                    typed::Ty::Scalar(scalar) => Ty::scalar(scalar),
                    row => Ty::Known(typed::Ty::Shared(Box::new(row))),
                },
                _ => Ty::Error,
            },
            Ty::Error => Ty::Error,
            other @ (Ty::Known(_) | Ty::Var(_)) => {
                let found = self.describe(&other);
                let message = format!(
                    "expected a slice or a shared array before `[`, found {found}\nhelp: index a `&[T]` parameter"
                );
                self.diagnostics.error(base.loc, message);
                Ty::Error
            }
        };
        self.operand(index, &Hint::Must(Ty::scalar(Scalar::Usize)));
        element
    }
}

/// The number of an axis.
pub(crate) fn axis(name: &proc_macro2::Ident) -> Option<usize> {
    ["x", "y", "z"].iter().position(|axis| name == axis)
}
