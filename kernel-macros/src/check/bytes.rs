//! `to_le_bytes` and its like, written out: numbers from and to arrays of their bytes.

use super::Checker;
use super::expr::NOTHING;
use crate::builtins::{Builtin, unsigned};
use crate::typed::{self, BinaryOp, BindMode, ConstValue, ExprKind as Typed, Pattern, Scalar, Stmt, Ty};

impl Checker<'_, '_, '_> {
    /// `value.to_le_bytes()`; the greatest byte first if `big`.
    pub(super) fn bytes_of(&mut self, value: typed::Expr, big: bool) -> Typed {
        let Ty::Scalar(scalar) = value.ty else { return Typed::Literal(NOTHING) };
        let span = value.span;
        let word = unsigned(scalar);
        let bits = convert(value, word, scalar.is_float().then_some(Builtin::ToBits));
        let local = self.temporary("word", Ty::Scalar(word), span);
        let init = Stmt::Let { pattern: bind(local), init: bits, otherwise: None, span };
        let count = scalar.bits() / 8;
        let bytes = (0..count).map(|index| {
            let index = if big { count - 1 - index } else { index };
            let value = self.local(local, span);
            convert(shifted(BinaryOp::Shr, value, word, index * 8), Scalar::U8, None)
        });
        let ty = Ty::Array(Box::new(Ty::Scalar(Scalar::U8)), count.into());
        let array = typed::Expr { kind: Typed::Array(bytes.collect()), ty, span };
        Typed::Block(typed::Block { stmts: vec![init], value: Some(Box::new(array)), span })
    }

    /// `T::from_le_bytes(bytes)`; the greatest byte first if `big`.
    pub(super) fn of_bytes(&mut self, bytes: typed::Expr, big: bool, to: &Ty) -> Typed {
        let Ty::Scalar(scalar) = *to else { return Typed::Literal(NOTHING) };
        let span = bytes.span;
        let word = unsigned(scalar);
        let local = self.temporary("bytes", bytes.ty.clone(), span);
        let init = Stmt::Let { pattern: bind(local), init: bytes, otherwise: None, span };
        let count = scalar.bits() / 8;
        let mut sum: Option<typed::Expr> = None;
        for place in 0..count {
            let index = u64::from(if big { count - 1 - place } else { place });
            let index = literal(Scalar::Usize, index, span);
            let kind = Typed::Index { base: Box::new(self.local(local, span)), index: Box::new(index) };
            let byte = typed::Expr { kind, ty: Ty::Scalar(Scalar::U8), span };
            let part = shifted(BinaryOp::Shl, convert(byte, word, None), word, place * 8);
            sum = Some(match sum {
                None => part,
                Some(sum) => {
                    let kind = Typed::Binary { op: BinaryOp::Or, lhs: Box::new(sum), rhs: Box::new(part) };
                    typed::Expr { kind, ty: Ty::Scalar(word), span }
                }
            });
        }
        let Some(sum) = sum else { return Typed::Literal(NOTHING) };
        let value = convert(sum, scalar, scalar.is_float().then_some(Builtin::FromBits));
        Typed::Block(typed::Block { stmts: vec![init], value: Some(Box::new(value)), span })
    }
}

fn bind(local: typed::LocalId) -> Pattern {
    Pattern::Bind { local, mode: BindMode::Value, inner: None }
}

fn literal(ty: Scalar, bits: u64, span: proc_macro2::Span) -> typed::Expr {
    typed::Expr { kind: Typed::Literal(ConstValue { ty, bits }), ty: Ty::Scalar(ty), span }
}

fn shifted(op: BinaryOp, value: typed::Expr, word: Scalar, by: u32) -> typed::Expr {
    if by == 0 {
        return value;
    }
    let span = value.span;
    let by = literal(Scalar::U32, by.into(), span);
    typed::Expr {
        kind: Typed::Binary { op, lhs: Box::new(value), rhs: Box::new(by) },
        ty: Ty::Scalar(word),
        span,
    }
}

/// The value as another type: by its bits if a builtin is given, else by `as`.
fn convert(value: typed::Expr, to: Scalar, builtin: Option<Builtin>) -> typed::Expr {
    let span = value.span;
    let kind = match builtin {
        Some(builtin) => Typed::Call { builtin, args: vec![value] },
        None if value.ty == Ty::Scalar(to) => return value,
        None => Typed::Cast(Box::new(value)),
    };
    typed::Expr { kind, ty: Ty::Scalar(to), span }
}
