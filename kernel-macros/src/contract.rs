//! Contraction: `a * b + c` on floats becomes one fused multiply-add, within one expression, as C's `FP_CONTRACT` has it.
//!
//! It is done on the typed tree, before lowering and before the hidden copy is printed, so that GPU and CPU round alike.
//! If both operands of a sum are products, the left one is fused. The device library is left as it is written.

use crate::typed::{BinaryOp, Expr, ExprKind, Kernel, Ty};
use crate::walk;

/// Contracts every function, unless `fp_contract(off)` was asked for.
pub fn contract(kernel: &mut Kernel) {
    if kernel.attrs.fp_contract_off {
        return;
    }
    for function in kernel.functions.iter_mut().filter(|function| !function.is_library) {
        walk::function(function, &mut expr);
    }
}

fn expr(e: &mut Expr) {
    walk::children(e, &mut expr);
    if !is_fusible(e) {
        return;
    }
    let kind = std::mem::replace(&mut e.kind, ExprKind::Unit);
    e.kind = fuse(kind);
}

fn is_float(ty: &Ty) -> bool {
    matches!(ty, Ty::Scalar(scalar) | Ty::Vector(scalar, _) if scalar.is_float())
}

/// A product of this type with factors of it: a vector times a scalar is none.
fn is_product(e: &Expr, ty: &Ty) -> bool {
    matches!(&e.kind, ExprKind::Binary { op: BinaryOp::Mul, lhs, rhs } if lhs.ty == *ty && rhs.ty == *ty)
}

fn is_sum(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub)
}

fn is_fusible(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary { op, lhs, rhs } => {
            let ty = &e.ty;
            is_sum(*op)
                && is_float(ty)
                && lhs.ty == *ty
                && rhs.ty == *ty
                && (is_product(lhs, ty) || is_product(rhs, ty))
        }
        ExprKind::AssignOp { op, place, value } => {
            is_sum(*op) && is_float(&place.ty) && value.ty == place.ty && is_product(value, &place.ty)
        }
        _ => false,
    }
}

/// Fuses an expression that `is_fusible`; any other stays.
fn fuse(kind: ExprKind) -> ExprKind {
    match kind {
        ExprKind::Binary { op, lhs, rhs } => match (lhs.kind, rhs.kind) {
            (ExprKind::Binary { op: BinaryOp::Mul, lhs: a, rhs: b }, rhs_kind) if a.ty == b.ty => {
                ExprKind::MulAdd {
                    a,
                    b,
                    c: Box::new(Expr { kind: rhs_kind, ..*rhs }),
                    negate_product: false,
                    negate_c: op == BinaryOp::Sub,
                    product_first: true,
                }
            }
            (lhs_kind, ExprKind::Binary { op: BinaryOp::Mul, lhs: a, rhs: b }) => ExprKind::MulAdd {
                a,
                b,
                c: Box::new(Expr { kind: lhs_kind, ..*lhs }),
                negate_product: op == BinaryOp::Sub,
                negate_c: false,
                product_first: false,
            },
            (lhs_kind, rhs_kind) => ExprKind::Binary {
                op,
                lhs: Box::new(Expr { kind: lhs_kind, ..*lhs }),
                rhs: Box::new(Expr { kind: rhs_kind, ..*rhs }),
            },
        },
        ExprKind::AssignOp { op, place, value } => match value.kind {
            ExprKind::Binary { op: BinaryOp::Mul, lhs: a, rhs: b } => {
                ExprKind::AssignMulAdd { place, a, b, negate_product: op == BinaryOp::Sub }
            }
            kind => ExprKind::AssignOp { op, place, value: Box::new(Expr { kind, ..*value }) },
        },
        kind => kind,
    }
}
