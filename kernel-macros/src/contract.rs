//! Contraction: `a * b + c` on floats becomes one fused multiply-add, within one expression, as C's `FP_CONTRACT` has it.
//!
//! It is done on the typed tree, before lowering and before the hidden copy is printed, so that GPU and CPU round alike.
//! Where both sides of a sum are products, the left one is fused.

use crate::typed::{BinaryOp, Block, Expr, ExprKind, Kernel, RangeAdaptor, Stmt, Ty};

/// Contracts the body, unless `fp_contract(off)` was asked for.
pub fn contract(kernel: &mut Kernel) {
    if !kernel.attrs.fp_contract_off {
        block(&mut kernel.body);
    }
}

fn block(b: &mut Block) {
    for stmt in &mut b.stmts {
        match stmt {
            Stmt::Let { init, .. } => init.iter_mut().for_each(expr),
            Stmt::Expr(e) => expr(e),
            // Its value is known already.
            Stmt::Const(_) => {}
        }
    }
    b.value.iter_mut().for_each(|value| expr(value));
}

fn expr(e: &mut Expr) {
    children(e);
    if !is_fusible(e) {
        return;
    }
    let kind = std::mem::replace(&mut e.kind, ExprKind::Return);
    e.kind = fuse(kind);
}

fn is_float(ty: &Ty) -> bool {
    matches!(ty, Ty::Scalar(scalar) if scalar.is_float())
}

fn is_product(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Binary { op: BinaryOp::Mul, .. })
}

fn is_sum(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub)
}

fn is_fusible(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary { op, lhs, rhs } => {
            is_sum(*op) && is_float(&e.ty) && (is_product(lhs) || is_product(rhs))
        }
        ExprKind::AssignOp { op, place, value } => is_sum(*op) && is_float(&place.ty) && is_product(value),
        _ => false,
    }
}

/// Fuses an expression that `is_fusible`; any other stays.
fn fuse(kind: ExprKind) -> ExprKind {
    match kind {
        ExprKind::Binary { op, lhs, rhs } => match (lhs.kind, rhs.kind) {
            (ExprKind::Binary { op: BinaryOp::Mul, lhs: a, rhs: b }, rhs_kind) => ExprKind::MulAdd {
                a,
                b,
                c: Box::new(Expr { kind: rhs_kind, ..*rhs }),
                negate_product: false,
                negate_c: op == BinaryOp::Sub,
                product_first: true,
            },
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

/// Contracts the parts of an expression.
fn children(e: &mut Expr) {
    match &mut e.kind {
        ExprKind::Literal(_)
        | ExprKind::Path { .. }
        | ExprKind::Local(_)
        | ExprKind::Const(_)
        | ExprKind::Continue { .. }
        | ExprKind::Return => {}
        ExprKind::Unary { arg, .. } | ExprKind::Cast(arg) | ExprKind::Axis { base: arg, .. } => expr(arg),
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Logical { lhs, rhs, .. } => {
            expr(lhs);
            expr(rhs);
        }
        ExprKind::MulAdd { a, b, c, .. } => [a, b, c].into_iter().for_each(|part| expr(part)),
        ExprKind::Index { base, index } => {
            expr(base);
            expr(index);
        }
        ExprKind::Call { args, .. } => args.iter_mut().for_each(expr),
        ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
            expr(place);
            expr(value);
        }
        ExprKind::AssignMulAdd { place, a, b, .. } => [place, a, b].into_iter().for_each(|part| expr(part)),
        ExprKind::Block(b) => block(b),
        ExprKind::If { cond, then, otherwise } => {
            expr(cond);
            block(then);
            otherwise.iter_mut().for_each(|otherwise| expr(otherwise));
        }
        ExprKind::Loop { body, .. } => block(body),
        ExprKind::While { cond, body, .. } => {
            expr(cond);
            block(body);
        }
        ExprKind::For { range, body, .. } => {
            expr(&mut range.start);
            expr(&mut range.end);
            for adaptor in &mut range.adaptors {
                match adaptor {
                    RangeAdaptor::Rev => {}
                    RangeAdaptor::StepBy(step) => expr(step),
                }
            }
            block(body);
        }
        ExprKind::Break { value, .. } => value.iter_mut().for_each(|value| expr(value)),
    }
}
