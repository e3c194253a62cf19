//! The messages about types: what was expected, what was found, what to write.

use super::{Claim, Infer, Kind, Ty};
use crate::ast::{Block, Expr, ExprKind, Literal, Stmt};
use crate::builtins::Class;
use crate::diagnostics::Loc;
use crate::typed::{self, Scalar, UnaryOp};

/// A type as written in Rust.
pub(crate) fn written(ty: &typed::Ty) -> String {
    match ty {
        typed::Ty::Unit => "()".to_owned(),
        typed::Ty::Never => "!".to_owned(),
        typed::Ty::Scalar(scalar) => scalar.name().to_owned(),
        typed::Ty::Dim3 => "Dim3".to_owned(),
        typed::Ty::Slice { element, mutable: false } => format!("&[{}]", element.name()),
        typed::Ty::Slice { element, mutable: true } => format!("&mut [{}]", element.name()),
        typed::Ty::Array(element, len) => format!("[{}; {len}]", written(element)),
        typed::Ty::Shared(array) => format!("Shared<{}>", written(array)),
    }
}

impl Infer<'_> {
    /// A type in a message.
    pub(super) fn describe(&self, ty: &Ty) -> String {
        match self.vars.resolve(ty) {
            Ty::Known(typed::Ty::Shared(array)) => format!("a shared `{}`", written(&array)),
            Ty::Known(known) => format!("`{}`", written(&known)),
            Ty::Var(var) => match self.vars.kind(var) {
                Kind::Any => "a value".to_owned(),
                Kind::Int => "an integer".to_owned(),
                Kind::Float => "a float".to_owned(),
            },
            Ty::Error => "a mistake".to_owned(),
        }
    }

    pub(super) fn report_mismatch(&mut self, expr: &Expr, expected: &Ty, found: &Ty) {
        let help = self.help_for_mismatch(expr, expected, found);
        let message =
            format!("expected {}, found {}\nhelp: {help}", self.describe(expected), self.describe(found));
        self.diagnostics.error(expr.loc, message);
        // What has yet to be decided would be decided wrongly.
        for ty in [expected, found] {
            if let Ty::Var(_) = self.vars.resolve(ty) {
                let _ = self.vars.unify(ty, &Ty::Error);
            }
        }
    }

    fn help_for_mismatch(&self, expr: &Expr, expected: &Ty, found: &Ty) -> String {
        let expected = self.vars.resolve(expected);
        if let Ty::Known(typed::Ty::Unit) = expected {
            return "end it with `;`".to_owned();
        }
        let (literal, sign) = match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Neg, arg } => (&arg.kind, "-"),
            kind => (kind, ""),
        };
        if let (ExprKind::Literal(literal), Ty::Known(typed::Ty::Scalar(scalar))) = (literal, &expected)
            && let Some(help) = help_for_literal(literal, sign, *scalar)
        {
            return help;
        }
        let is_number = |ty: &Ty| match ty {
            Ty::Known(typed::Ty::Scalar(scalar)) => Class::Number.holds(*scalar),
            Ty::Var(var) => self.vars.kind(*var) != Kind::Any,
            Ty::Known(_) | Ty::Error => false,
        };
        let found = self.vars.resolve(found);
        match (&expected, &found) {
            (Ty::Known(typed::Ty::Scalar(Scalar::Bool)), found) if is_number(found) => {
                "compare: `!= 0`".to_owned()
            }
            (Ty::Known(typed::Ty::Scalar(to)), Ty::Known(typed::Ty::Scalar(Scalar::Bool))) if to.is_int() => {
                format!("convert with `as {}`", to.name())
            }
            (to, Ty::Known(typed::Ty::Scalar(Scalar::Bool))) if is_number(to) => {
                "write `if b { 1.0 } else { 0.0 }`".to_owned()
            }
            (Ty::Known(typed::Ty::Scalar(to)), found) if is_number(found) => {
                format!("convert with `as {}`", to.name())
            }
            (Ty::Known(_) | Ty::Var(_) | Ty::Error, found) => self.help_for_scalar(found),
        }
    }

    /// How to get a scalar out of what was found.
    pub(super) fn help_for_scalar(&self, found: &Ty) -> String {
        match found {
            Ty::Known(typed::Ty::Dim3) => "pick an axis: `.x`, `.y` or `.z`",
            Ty::Known(typed::Ty::Slice { .. } | typed::Ty::Shared(_) | typed::Ty::Array(..)) => {
                "pick an element: `[i]`"
            }
            Ty::Known(typed::Ty::Unit) => "write an expression with a value",
            Ty::Known(typed::Ty::Scalar(_) | typed::Ty::Never) | Ty::Var(_) | Ty::Error => {
                "make both of the same type"
            }
        }
        .to_owned()
    }

    pub(super) fn report_class(&mut self, claim: &Claim, found: &typed::Ty) {
        let what = claim.what;
        let help = match (what, found) {
            ("%", typed::Ty::Scalar(scalar)) if scalar.is_float() => {
                "write `a - (a / b).trunc() * b`".to_owned()
            }
            ("-", typed::Ty::Scalar(scalar)) if claim.class == Class::SignedOrFloat && scalar.is_int() => {
                "use a signed type, or write `0 - x`".to_owned()
            }
            ("!", typed::Ty::Scalar(_)) => "write `-x` for the negative, or compare with `== 0.0`".to_owned(),
            ("&" | "|" | "^", typed::Ty::Scalar(_)) => {
                "work on the bits: `f32::from_bits(x.to_bits() & mask)`".to_owned()
            }
            (_, typed::Ty::Scalar(Scalar::Bool)) => {
                "convert with `as u32`, or use `&&`, `||`, `!`".to_owned()
            }
            (_, typed::Ty::Scalar(_)) if claim.class == Class::Int => "convert with `as usize`".to_owned(),
            (_, typed::Ty::Scalar(_)) if claim.class == Class::Lane => "convert with `as u32`".to_owned(),
            (_, found) => self.help_for_scalar(&Ty::Known(found.clone())),
        };
        let expected = claim.class.name();
        let found = self.describe(&Ty::Known(found.clone()));
        self.diagnostics
            .error(claim.loc, format!("expected {expected} for `{what}`, found {found}\nhelp: {help}"));
    }

    /// A block that should have a value ends without one.
    pub(super) fn report_no_value(&mut self, block: &Block, expected: &Ty) {
        let expected = self.describe(expected);
        let (loc, help) = match block.stmts.last() {
            Some(Stmt::Expr { expr, semicolon: true }) if self.expr_ty(expr.id) != Ty::UNIT => {
                (expr.loc, "leave the `;` out after it, so that it is the block's value".to_owned())
            }
            _ => (Loc::from(block.loc.end), format!("end the block with {expected}")),
        };
        self.diagnostics
            .error(loc, format!("expected {expected}, found a block without a value\nhelp: {help}"));
    }

    pub(super) fn report_no_else(&mut self, expr: &Expr, expected: &Ty) {
        let expected = self.describe(expected);
        let message =
            format!("expected {expected}, found an `if` without `else`\nhelp: add an `else` with a value");
        self.diagnostics.error(expr.loc, message);
    }

    pub(super) fn report_no_break_value(&mut self, expr: &Expr, expected: &Ty) {
        let expected = self.describe(expected);
        let message = format!(
            "expected {expected} as the loop's value, found `break` without one\nhelp: write `break value`"
        );
        self.diagnostics.error(expr.loc, message);
    }

    /// A type that a number could have.
    pub(super) fn example(&self, ty: &Ty) -> &'static str {
        match self.vars.resolve(ty) {
            Ty::Var(var) if self.vars.kind(var) == Kind::Int => "u32",
            _ => "f32",
        }
    }

    pub(super) fn example_literal(&self, ty: &Ty) -> &'static str {
        match self.vars.resolve(ty) {
            Ty::Var(var) if self.vars.kind(var) == Kind::Int => "2_u32",
            _ => "2.0_f32",
        }
    }
}

fn help_for_literal(literal: &Literal, sign: &str, expected: Scalar) -> Option<String> {
    match literal {
        Literal::Int { value: Some(value), suffix: None } if expected.is_float() => {
            Some(format!("write `{sign}{value}.0`"))
        }
        Literal::Float { digits, suffix: None } if expected.is_int() => {
            let whole = digits.strip_suffix(".0").or(digits.strip_suffix('.'))?;
            Some(format!("write `{sign}{whole}`"))
        }
        Literal::Int { suffix: Some(suffix), .. } | Literal::Float { suffix: Some(suffix), .. }
            if expected != Scalar::Bool && suffix.is_float() == expected.is_float() =>
        {
            Some(format!("write the suffix `{}`", expected.name()))
        }
        Literal::Bool(_) | Literal::Int { .. } | Literal::Float { .. } => None,
    }
}
