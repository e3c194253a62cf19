//! Operators and casts.

use super::{Cast, Hint, Infer, Ty};
use crate::ast::{Expr, ExprKind};
use crate::builtins::Class;
use crate::diagnostics::Loc;
use crate::typed::{self, BinaryOp, Scalar, UnaryOp};

/// What an operator asks of its operands, and whether its result is a `bool`.
struct Rule {
    symbol: &'static str,
    class: Class,
    compares: bool,
    shifts: bool,
}

/// One row for each operator, in the order of [`BinaryOp`].
const RULES: [Rule; 16] = {
    const fn row(symbol: &'static str, class: Class, compares: bool, shifts: bool) -> Rule {
        Rule { symbol, class, compares, shifts }
    }
    [
        row("+", Class::Number, false, false),
        row("-", Class::Number, false, false),
        row("*", Class::Number, false, false),
        row("/", Class::Number, false, false),
        row("%", Class::Int, false, false),
        row("&", Class::IntOrBool, false, false),
        row("|", Class::IntOrBool, false, false),
        row("^", Class::IntOrBool, false, false),
        row("<<", Class::Int, false, true),
        row(">>", Class::Int, false, true),
        row("==", Class::Scalar, true, false),
        row("!=", Class::Scalar, true, false),
        row("<", Class::Scalar, true, false),
        row("<=", Class::Scalar, true, false),
        row(">", Class::Scalar, true, false),
        row(">=", Class::Scalar, true, false),
    ]
};

fn rule(op: BinaryOp) -> &'static Rule {
    &RULES[op as usize]
}

impl Infer<'_> {
    pub(super) fn unary(&mut self, expr: &Expr, op: UnaryOp, arg: &Expr, hint: &Hint) -> Ty {
        // The operand has the type of the whole; a mismatch of the whole is reported there.
        let hint = match hint {
            Hint::Must(ty) | Hint::Literal(ty) => Hint::Literal(ty.clone()),
            Hint::None => Hint::None,
        };
        let ty = self.operand(arg, &hint);
        let (class, symbol) = match op {
            UnaryOp::Neg => (Class::SignedOrFloat, "-"),
            UnaryOp::Not => (Class::IntOrBool, "!"),
        };
        // Of `-1` where an index is expected, the whole is at fault; of `-u`, what stands after the sign.
        let loc = if let ExprKind::Literal(_) = arg.kind { expr.loc } else { arg.loc };
        self.claimed(ty, class, loc, symbol)
    }

    /// The type, or [`Ty::Error`] if it is known not to be of the class.
    fn claimed(&mut self, ty: Ty, class: Class, loc: Loc, what: &'static str) -> Ty {
        let before = self.diagnostics.count();
        self.claim(&ty, class, loc, what);
        if self.diagnostics.count() > before { Ty::Error } else { ty }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Ty {
        let rule = rule(op);
        let left = self.operand(lhs, &Hint::None);
        let right = self.operand(rhs, &Hint::None);
        let ty = if rule.shifts {
            let left = self.claimed(left, rule.class, lhs.loc, rule.symbol);
            self.claim(&right, Class::Int, rhs.loc, rule.symbol);
            left
        } else {
            // Of two operands the one that cannot be is at fault, not that it differs from the other.
            let left = self.claimed_if_known(left, rule.class, lhs, rule.symbol);
            let right = match left {
                Ty::Error => Ty::Error,
                Ty::Known(_) | Ty::Var(_) => self.claimed_if_known(right, rule.class, rhs, rule.symbol),
            };
            let ty = self.same(lhs, &left, rhs, &right);
            self.claimed(ty, rule.class, lhs.loc, rule.symbol)
        };
        match (rule.compares, ty) {
            (true, _) => Ty::scalar(Scalar::Bool),
            (false, ty) => ty,
        }
    }

    pub(super) fn claimed_if_known(&mut self, ty: Ty, class: Class, expr: &Expr, what: &'static str) -> Ty {
        match self.vars.resolve(&ty) {
            known @ Ty::Known(_) => self.claimed(known, class, expr.loc, what),
            Ty::Var(_) | Ty::Error => ty,
        }
    }

    /// Two operands of one type: that type. A literal that cannot be of the other's type is the one at fault.
    pub(super) fn same(&mut self, lhs: &Expr, left: &Ty, rhs: &Expr, right: &Ty) -> Ty {
        if self.vars.unify(left, right).is_ok() {
            return if *left == Ty::Error { Ty::Error } else { self.vars.resolve(right) };
        }
        match (self.vars.resolve(left), self.vars.resolve(right)) {
            (left @ Ty::Var(_), right @ Ty::Known(_)) => self.report_mismatch(lhs, &right, &left),
            (left, right) => self.report_mismatch(rhs, &left, &right),
        }
        Ty::Error
    }

    pub(super) fn logical(&mut self, lhs: &Expr, rhs: &Expr) -> Ty {
        let bool = Ty::scalar(Scalar::Bool);
        self.operand(lhs, &Hint::Must(bool.clone()));
        let before = self.diverges;
        self.operand(rhs, &Hint::Must(bool.clone()));
        self.diverges = before;
        bool
    }

    pub(super) fn assign_op(&mut self, op: BinaryOp, place: &Expr, value: &Expr) {
        let rule = rule(op);
        let left = self.operand(place, &Hint::None);
        let right = self.operand(value, &Hint::None);
        let left = self.claimed(left, rule.class, place.loc, rule.symbol);
        if rule.shifts {
            self.claim(&right, Class::Int, value.loc, rule.symbol);
        } else if self.vars.unify(&left, &right).is_err() {
            self.report_mismatch(value, &left, &right);
        }
    }

    pub(super) fn judge_cast(&mut self, cast: &Cast) {
        let from = match self.expr_ty(cast.arg) {
            Ty::Known(typed::Ty::Scalar(from)) => from,
            Ty::Error | Ty::Var(_) => return,
            other @ Ty::Known(_) => {
                let message = format!(
                    "expected a scalar before `as {}`, found {}\nhelp: {}",
                    cast.to.name(),
                    self.describe(&other),
                    self.help_for_scalar(&other)
                );
                self.diagnostics.error(cast.loc, message);
                return;
            }
        };
        let help = match (from, cast.to) {
            (Scalar::Bool, to) if to.is_float() => {
                format!("write `if b {{ 1.0 }} else {{ 0.0 }}`, or `b as u8 as {}`", to.name())
            }
            (from, Scalar::Bool) if from.is_float() => "compare: `!= 0.0`".to_owned(),
            (from, Scalar::Bool) if from != Scalar::Bool => "compare: `!= 0`".to_owned(),
            _ => return,
        };
        let message = format!(
            "expected a type that `as {}` can convert, found `{}`\nhelp: {help}",
            cast.to.name(),
            from.name()
        );
        self.diagnostics.error(cast.loc, message);
    }
}
