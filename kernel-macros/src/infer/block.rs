//! Blocks, statements, and what has blocks: `if` and the loops.

use super::{Hint, Infer, Kind, Ty};
use crate::ast::{Block, Expr, Range, RangeAdaptor, Stmt};
use crate::builtins::Class;
use crate::resolve::Meaning;
use crate::typed::{self, LocalId, LoopId, Scalar};

impl Infer<'_> {
    /// The kernel's body: a block of type `()`.
    pub(super) fn body(&mut self, block: &Block) {
        self.block(block, &Hint::Must(Ty::UNIT));
    }

    /// The block's type. With [`Hint::Must`] a mismatch is reported here, and the type is that or `!`.
    pub(super) fn block(&mut self, block: &Block, hint: &Hint) -> Ty {
        let before = std::mem::replace(&mut self.diverges, false);
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        let ty = match (&block.value, hint) {
            (Some(value), Hint::Must(ty)) => match self.coerce(value, ty) {
                Ty::Known(typed::Ty::Never) => Ty::NEVER,
                Ty::Known(_) | Ty::Var(_) | Ty::Error => ty.clone(),
            },
            (Some(value), Hint::None | Hint::Literal(_)) => self.expr(value, hint),
            (None, _) if self.diverges => Ty::NEVER,
            (None, Hint::Must(ty)) => {
                if self.vars.unify(ty, &Ty::UNIT).is_err() {
                    self.report_no_value(block, ty);
                }
                ty.clone()
            }
            (None, Hint::None | Hint::Literal(_)) => Ty::UNIT,
        };
        self.diverges |= before;
        ty
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, ty, init, .. } => self.let_stmt(*local, ty.as_ref(), init.as_ref()),
            Stmt::Expr { expr, semicolon: true } => {
                self.expr(expr, &Hint::None);
            }
            Stmt::Expr { expr, semicolon: false } => {
                self.coerce(expr, &Ty::UNIT);
            }
            Stmt::Const(_) => {}
        }
    }

    fn let_stmt(&mut self, local: Option<LocalId>, ty: Option<&crate::ast::Type>, init: Option<&Expr>) {
        let ty = match (local, ty) {
            (Some(local), _) => self.locals[local.0].clone(),
            (None, Some(ty)) => self.written(ty),
            (None, None) => self.vars.fresh(Kind::Any),
        };
        let Some(init) = init else { return };
        if self.coerce(init, &ty) == Ty::NEVER {
            // The variable is never reached: any type will do, unless one was written.
            let _ = self.vars.unify(&ty, &Ty::UNIT);
        }
    }

    pub(super) fn if_expr(
        &mut self,
        expr: &Expr,
        cond: &Expr,
        then: &Block,
        otherwise: Option<&Expr>,
        hint: &Hint,
    ) -> Ty {
        self.operand(cond, &Hint::Must(Ty::scalar(Scalar::Bool)));
        let before = std::mem::replace(&mut self.diverges, false);
        let Some(otherwise) = otherwise else {
            if let Hint::Must(ty) = hint
                && self.vars.unify(ty, &Ty::UNIT).is_err()
            {
                self.report_no_else(expr, ty);
                self.block(then, &Hint::None);
                self.diverges = before;
                return Ty::Error;
            }
            self.block(then, &Hint::Must(Ty::UNIT));
            self.diverges = before;
            return Ty::UNIT;
        };
        let ty = match hint {
            Hint::Must(ty) => ty.clone(),
            Hint::None | Hint::Literal(_) => self.vars.fresh(Kind::Any),
        };
        let errors = self.diagnostics.count();
        let first = self.block(then, &Hint::Must(ty.clone()));
        let first_diverges = std::mem::replace(&mut self.diverges, false);
        // A value where `()` is expected is one mistake, though both branches have it.
        let second = match self.diagnostics.count() > errors && self.vars.resolve(&ty) == Ty::UNIT {
            true => self.expr(otherwise, &Hint::None),
            false => self.coerce(otherwise, &ty),
        };
        self.diverges = before || (first_diverges && self.diverges);
        if first == Ty::NEVER && second == Ty::NEVER { Ty::NEVER } else { ty }
    }

    pub(super) fn loop_expr(&mut self, id: LoopId, body: &Block, hint: &Hint) -> Ty {
        let ty = match hint {
            Hint::Must(ty) => ty.clone(),
            Hint::None | Hint::Literal(_) => self.vars.fresh(Kind::Any),
        };
        self.loops[id.0] = ty.clone();
        self.loop_body(body);
        if self.broken[id.0] { ty } else { Ty::NEVER }
    }

    pub(super) fn while_expr(&mut self, id: LoopId, cond: &Expr, body: &Block) -> Ty {
        self.operand(cond, &Hint::Must(Ty::scalar(Scalar::Bool)));
        self.loops[id.0] = Ty::UNIT;
        self.loop_body(body);
        Ty::UNIT
    }

    pub(super) fn for_expr(&mut self, id: LoopId, local: Option<LocalId>, range: &Range, body: &Block) -> Ty {
        let start = self.operand(&range.start, &Hint::None);
        let end = self.operand(&range.end, &Hint::None);
        let start = self.claimed_if_known(start, Class::Int, &range.start, "..");
        let end = self.claimed_if_known(end, Class::Int, &range.end, "..");
        let ty = self.same(&range.start, &start, &range.end, &end);
        self.claim(&ty, Class::Int, range.start.loc, "..");
        for adaptor in &range.adaptors {
            match adaptor {
                RangeAdaptor::Rev => {}
                RangeAdaptor::StepBy(step) => {
                    self.operand(step, &Hint::Must(Ty::scalar(Scalar::Usize)));
                }
            }
        }
        if let Some(local) = local {
            self.locals[local.0] = ty;
        }
        self.loops[id.0] = Ty::UNIT;
        self.loop_body(body);
        Ty::UNIT
    }

    /// What follows a loop can be reached, whatever its body does.
    fn loop_body(&mut self, body: &Block) {
        let before = self.diverges;
        self.block(body, &Hint::Must(Ty::UNIT));
        self.diverges = before;
    }

    pub(super) fn break_expr(&mut self, expr: &Expr, value: Option<&Expr>) {
        let Meaning::Loop(id) = self.names.of(expr.id) else {
            if let Some(value) = value {
                self.expr(value, &Hint::None);
            }
            return;
        };
        self.broken[id.0] = true;
        let ty = self.loops[id.0].clone();
        match value {
            Some(value) => {
                self.coerce(value, &ty);
            }
            None if self.vars.unify(&ty, &Ty::UNIT).is_err() => self.report_no_break_value(expr, &ty),
            None => {}
        }
    }
}
