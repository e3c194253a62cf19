//! Constant numbers among the arguments of attributes.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;

use super::{Checker, ConstArg};
use crate::diagnostics::{Loc, shown};
use crate::literal::{to_int, wrap_int};
use crate::typed::Scalar;

/// The quantity that a number stands for, in the words of messages.
pub(super) struct Quantity {
    pub(super) what: &'static str,
    pub(super) unit: &'static str,
    pub(super) per: &'static str,
}

impl Checker<'_> {
    /// A bound of launches from `least` to `most`; none while it names a generic parameter, whose value each instance has.
    pub(super) fn bound(
        &mut self,
        expr: &syn::Expr,
        quantity: &Quantity,
        least: u32,
        most: u32,
    ) -> Option<u32> {
        if names_any(expr.to_token_stream(), self.generics) {
            self.is_open = true;
            return None;
        }
        self.number(expr, quantity, least, most)
    }

    /// A constant from `least` to `most`.
    pub(super) fn number(
        &mut self,
        expr: &syn::Expr,
        quantity: &Quantity,
        least: u32,
        most: u32,
    ) -> Option<u32> {
        let Quantity { what, unit, per } = quantity;
        let value = match evaluate(expr, self.values) {
            Ok(value) => value,
            Err((loc, found)) => {
                let message = format!("expected {what}, a constant integer, found {found}");
                self.diagnostics.error(loc, message);
                return None;
            }
        };
        let range = format!("help: write a number from {least} to {most}");
        let message = if value < i128::from(least) {
            let plural = if least == 1 { "" } else { "s" };
            format!("expected at least {least} {unit}{plural} {per}, found {value}\n{range}")
        } else if value > i128::from(most) {
            format!("expected at most {most} {unit}s {per}, found {value}\n{range}")
        } else {
            return u32::try_from(value).ok();
        };
        self.diagnostics.error(Loc::of(expr), message);
        None
    }
}

/// Returns true if one of these names is among the tokens.
fn names_any(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => names_any(group.stream(), names),
        TokenTree::Ident(name) => names.iter().any(|known| name == known),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The value of a constant expression of integer literals and these names; else where it is none, and what was found there.
pub fn evaluate(expr: &syn::Expr, values: &[ConstArg]) -> Result<i128, (Loc, String)> {
    use syn::{BinOp, Expr, Lit, UnOp};
    let refuse = |found: String| Err((Loc::of(expr), found));
    match expr {
        Expr::Paren(inner) => evaluate(&inner.expr, values),
        Expr::Group(inner) => evaluate(&inner.expr, values),
        Expr::Lit(inner) => match &inner.lit {
            Lit::Int(lit) => match lit.base10_parse() {
                Ok(value) => Ok(value),
                Err(_) => refuse(format!("`{lit}`, which is too large\nhelp: write a smaller number")),
            },
            Lit::Float(lit) => refuse(format!("the float `{lit}`\nhelp: write an integer")),
            other => refuse(format!("`{}`\nhelp: write an integer", shown(other))),
        },
        Expr::Cast(inner) if let Some(ty) = Scalar::from_name(&shown(&inner.ty)).filter(|ty| ty.is_int()) => {
            Ok(to_int(wrap_int(ty, evaluate(&inner.expr, values)?)))
        }
        Expr::Unary(inner) if matches!(inner.op, UnOp::Neg(_)) => {
            Ok(evaluate(&inner.expr, values)?.saturating_neg())
        }
        Expr::Binary(inner) => {
            let (a, b) = (evaluate(&inner.left, values)?, evaluate(&inner.right, values)?);
            let value = match inner.op {
                BinOp::Add(_) => a.checked_add(b),
                BinOp::Sub(_) => a.checked_sub(b),
                BinOp::Mul(_) => a.checked_mul(b),
                BinOp::Div(_) => a.checked_div(b),
                BinOp::Rem(_) => a.checked_rem(b),
                BinOp::Shl(_) => {
                    u32::try_from(b).ok().and_then(|b| 1i128.checked_shl(b)).and_then(|p| a.checked_mul(p))
                }
                BinOp::Shr(_) => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)),
                _ => {
                    return refuse(format!("the operator `{}`\nhelp: write the number", shown(&inner.op)));
                }
            };
            match value {
                Some(value) => Ok(value),
                None => refuse("an expression that overflows\nhelp: write the number".to_owned()),
            }
        }
        Expr::Path(inner) => {
            let name = shown(&inner.path);
            if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
                return Ok(*value);
            }
            refuse(format!(
                "the name `{name}`, whose value attributes do not know\nhelp: write the number, or the name of a constant of the \
                 `#[kernel_module]` that is one: `const {name}: usize = 128;`"
            ))
        }
        other => {
            let found = shown(other);
            Err((Loc::between(other.span(), Loc::of(other)), format!("`{found}`\nhelp: write the number")))
        }
    }
}
