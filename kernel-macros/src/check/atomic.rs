//! Accesses to atomics in the typed tree, and orders that an access cannot have.

use super::Checker;
use super::expr::NOTHING;
use crate::ast::Expr;
use crate::atomics::{Access, Arg, Method, Ordering, Scope};
use crate::resolve::Meaning;
use crate::typed::{self, AtomicAccess, ExprKind as Typed, Ty};

impl<'p> Checker<'_, '_, 'p> {
    /// A method of an atomic.
    pub(super) fn atomic(&mut self, receiver: &'p Expr, method: &Method, args: &'p [Expr]) -> Typed {
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
        Typed::Atomic(Box::new(AtomicAccess { op: method.op, atomic, order, failure, place, args: values }))
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
