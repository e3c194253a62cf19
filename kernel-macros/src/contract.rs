//! Contraction: `a * b + c` on floats becomes one fused multiply-add, within one expression, as C's `FP_CONTRACT` has it.
//!
//! It is done on the typed tree, before lowering and before the hidden copy is printed, so that GPU and CPU round alike.
//! Where both sides of a sum are products, the left one is fused. The device library is left as it is written.

use crate::typed::{BinaryOp, Block, Consumer, Expr, ExprKind, Iter, IterKind, Kernel, Stmt, Ty};

/// Contracts every function, unless `fp_contract(off)` was asked for.
pub fn contract(kernel: &mut Kernel) {
    if kernel.attrs.fp_contract_off {
        return;
    }
    for function in kernel.functions.iter_mut().filter(|function| !function.is_library) {
        function.closures.iter_mut().for_each(|closure| expr(&mut closure.body));
        block(&mut function.body);
    }
}

fn block(b: &mut Block) {
    for stmt in &mut b.stmts {
        match stmt {
            Stmt::Declare(_) => {}
            Stmt::Let { init, otherwise, .. } => {
                expr(init);
                otherwise.iter_mut().for_each(block);
            }
            Stmt::Expr(e) => expr(e),
        }
    }
    b.value.iter_mut().for_each(|value| expr(value));
}

fn expr(e: &mut Expr) {
    children(e);
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

/// Contracts the parts of an expression.
fn children(e: &mut Expr) {
    match &mut e.kind {
        ExprKind::Literal(_)
        | ExprKind::Path(_)
        | ExprKind::Local(_)
        | ExprKind::Const(_)
        // Closures' bodies are contracted with their function.
        | ExprKind::Closure(_)
        | ExprKind::Function
        | ExprKind::Unit
        | ExprKind::Variant(_)
        | ExprKind::None
        | ExprKind::Continue { .. } => {}
        ExprKind::Unary { arg, .. }
        | ExprKind::Cast(arg)
        | ExprKind::Axis { base: arg, .. }
        | ExprKind::Field { base: arg, .. }
        | ExprKind::Repeat(arg)
        | ExprKind::Some(arg)
        | ExprKind::Deref(arg)
        | ExprKind::Ref(arg)
        | ExprKind::Unsize(arg)
        | ExprKind::Let { value: arg, .. } => expr(arg),
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Logical { lhs, rhs, .. } => {
            expr(lhs);
            expr(rhs);
        }
        ExprKind::MulAdd { a, b, c, .. } => [a, b, c].into_iter().for_each(|part| expr(part)),
        ExprKind::Index { base, index } => {
            expr(base);
            expr(index);
        }
        ExprKind::Subslice { base, start, end, .. } => {
            expr(base);
            start.iter_mut().chain(end).for_each(|part| expr(part));
        }
        ExprKind::Tuple(parts)
        | ExprKind::Array(parts)
        | ExprKind::Call { args: parts, .. }
        | ExprKind::Invoke { args: parts, .. }
        | ExprKind::Panic { args: parts, .. } => parts.iter_mut().for_each(expr),
        ExprKind::Struct { fields, base } => {
            fields.iter_mut().for_each(|(_, value)| expr(value));
            base.iter_mut().for_each(|base| expr(base));
        }
        ExprKind::InvokeValue { callee, args } => {
            expr(callee);
            args.iter_mut().for_each(expr);
        }
        ExprKind::Consume { iter, how } => {
            iterator(iter);
            consumer(how);
        }
        ExprKind::Match { value, arms } => {
            expr(value);
            for arm in arms {
                arm.guard.iter_mut().for_each(expr);
                expr(&mut arm.body);
            }
        }
        ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
            expr(place);
            expr(value);
        }
        ExprKind::AssignMulAdd { place, a, b, .. } => [place, a, b].into_iter().for_each(|part| expr(part)),
        ExprKind::Block(b) | ExprKind::Labeled { body: b, .. } | ExprKind::Loop { body: b, .. } => block(b),
        ExprKind::If { cond, then, otherwise, .. } => {
            expr(cond);
            block(then);
            otherwise.iter_mut().for_each(|otherwise| expr(otherwise));
        }
        ExprKind::While { cond, body, .. } => {
            expr(cond);
            block(body);
        }
        ExprKind::For { iter, body, .. } => {
            iterator(iter);
            block(body);
        }
        ExprKind::Break { value, .. } | ExprKind::Return(value) => {
            value.iter_mut().for_each(|value| expr(value));
        }
    }
}

fn iterator(iter: &mut Iter) {
    match &mut iter.kind {
        IterKind::Range { start, end, .. } => {
            expr(start);
            expr(end);
        }
        IterKind::Slice(of) | IterKind::Array(of) => expr(of),
        IterKind::ChunksExact { slice, size }
        | IterKind::Chunks { slice, size }
        | IterKind::Windows { slice, size } => {
            expr(slice);
            expr(size);
        }
        IterKind::Rev(of) | IterKind::Enumerate(of) | IterKind::Copied(of) => iterator(of),
        IterKind::StepBy(of, with)
        | IterKind::Take(of, with)
        | IterKind::Skip(of, with)
        | IterKind::Map(of, with)
        | IterKind::Filter(of, with)
        | IterKind::TakeWhile(of, with) => {
            iterator(of);
            expr(with);
        }
        IterKind::Zip(a, b) | IterKind::Chain(a, b) => {
            iterator(a);
            iterator(b);
        }
    }
}

fn consumer(how: &mut Consumer) {
    match how {
        Consumer::Sum | Consumer::Product | Consumer::Extreme { .. } | Consumer::Count | Consumer::Last => {}
        Consumer::Fold(init, with) => {
            expr(init);
            expr(with);
        }
        Consumer::Reduce(with)
        | Consumer::ForEach(with)
        | Consumer::Any(with)
        | Consumer::All(with)
        | Consumer::Position(with)
        | Consumer::Find(with) => expr(with),
    }
}
