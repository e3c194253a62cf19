//! Accesses to atomics in the typed tree, and orders that an access cannot have.

use proc_macro2::Span;

use super::Checker;
use super::expr::NOTHING;
use crate::ast::Expr;
use crate::atomics::{Access, Arg, Method, Ordering, Scope};
use crate::resolve::Meaning;
use crate::typed::{self, AtomicAccess, BindMode, ExprKind as Typed, Pattern, Scalar, Ty, UnaryOp};

impl<'p> Checker<'_, '_, 'p> {
    /// A method of an atomic.
    pub(super) fn atomic(&mut self, receiver: &'p Expr, method: &Method, args: &'p [Expr], ty: &Ty) -> Typed {
        let place = self.value(receiver);
        let atomic = match &place.ty {
            Ty::Ref { inner, .. } => match **inner {
                Ty::Atomic(atomic) => atomic,
                _ => return Typed::Literal(NOTHING),
            },
            _ => return Typed::Literal(NOTHING),
        };
        let mut orders = Vec::new();
        let mut values = Vec::new();
        for (arg, kind) in args.iter().zip(method.args) {
            match kind {
                Arg::Value | Arg::Function => values.push(self.value(arg)),
                Arg::Order(access) => orders.push(self.order(arg, *access)),
            }
        }
        let order = orders.first().copied().unwrap_or(Ordering::Relaxed);
        let failure = orders.get(1).copied().unwrap_or(Ordering::Relaxed);
        let span = place.span;
        let access = Typed::Atomic(Box::new(AtomicAccess {
            op: method.op,
            atomic,
            order,
            failure,
            place,
            args: values,
        }));
        match ty {
            Ty::Struct(_) => self.atomic_result(access, atomic.kind.value_ty(), ty, span),
            _ => access,
        }
    }

    /// The `Result` of an access that gives the previous value and true if it was replaced.
    fn atomic_result(&mut self, access: Typed, value: Ty, ty: &Ty, span: Span) -> Typed {
        let bool = Ty::Scalar(Scalar::Bool);
        let both = Ty::Tuple(vec![value.clone(), bool.clone()]);
        let local = self.temporary("found", both.clone(), span);
        let init = typed::Expr { kind: access, ty: both, span };
        let pattern = Pattern::Bind { local, mode: BindMode::Value, inner: None };
        let part = |checker: &mut Self, index, ty: &Ty| {
            let base = Box::new(checker.local(local, span));
            typed::Expr { kind: Typed::Field { base, index }, ty: ty.clone(), span }
        };
        let failed = Typed::Unary { op: UnaryOp::Not, arg: Box::new(part(self, 1, &bool)) };
        let Ty::Struct(id) = ty else { return Typed::Literal(NOTHING) };
        let tag = self.infer.world.structs[id.0].fields[0].ty.clone();
        // `Ok` is 0, `Err` is 1.
        let tag = typed::Expr { kind: failed, ty: tag, span };
        let fields = vec![(0, tag), (1, part(self, 0, &value))];
        let result = typed::Expr { kind: Typed::Struct { fields, base: None }, ty: ty.clone(), span };
        let stmts = vec![typed::Stmt::Let { pattern, init, otherwise: None, span }];
        Typed::Block(typed::Block { stmts, value: Some(Box::new(result)), span })
    }

    /// `fence(order, scope)`
    pub(super) fn fence(&mut self, args: &[Expr]) -> Typed {
        let [order_arg, scope] = args else { return Typed::Literal(NOTHING) };
        let order = self.order(order_arg, Access::Both);
        if order == Ordering::Relaxed {
            self.error(
                order_arg.loc,
                "expected an order that orders something, found `Relaxed`\nhelp: write `Ordering::AcqRel`, or leave the fence out",
            );
        }
        let scope = match self.infer.table.expr(scope.id) {
            Meaning::Scope(scope) => scope,
            _ => Scope::Device,
        };
        Typed::Fence { order, scope }
    }

    fn order(&mut self, arg: &Expr, access: Access) -> Ordering {
        let Meaning::Ordering(order) = self.infer.table.expr(arg.id) else { return Ordering::Relaxed };
        if let Some((expected, help)) = access.refuses(order) {
            let message = format!("expected an order of {expected}, found `{}`\nhelp: {help}", order.name());
            self.error(arg.loc, message);
        }
        order
    }

    /// A view of an atomic with another scope: the same reference.
    pub(super) fn view(&mut self, receiver: &'p Expr) -> Typed {
        let typed::Expr { kind, .. } = self.value(receiver);
        kind
    }
}
