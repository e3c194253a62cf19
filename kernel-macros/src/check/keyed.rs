//! `min_by_key` and `max_by_key` where the keys have an order of their own, written out.

use std::rc::Rc;

use super::Checker;
use super::expr::borrowed;
use crate::ast::Expr;
use crate::infer::Ty as Inferred;
use crate::typed::{self, BindMode, ExprKind as Typed, LoopId, Pattern, Scalar, Stmt, Ty};

impl Checker<'_, '_, '_> {
    /// `for item in iter { let next = key(&item); if takes(best_key, next) { best = Some(item); best_key = Some(next); } }`, where `takes`
    /// is a function of the library that asks the order.
    pub(super) fn extreme_by_own_key(
        &mut self,
        expr: &Expr,
        iter: typed::Iter,
        key: typed::Expr,
        max: bool,
        (of_keys, ty): (&Inferred, &Ty),
    ) -> Typed {
        let name = if max { "order_max_by_key" } else { "order_min_by_key" };
        let Some(function) = self.infer.world.library.get(name).copied() else {
            return self.nothing(expr.loc);
        };
        let Some(takes) = self.instance(expr.loc, function, Rc::from([of_keys.clone()])) else {
            return self.nothing(expr.loc);
        };
        let span = expr.place();
        let of_keys = self.infer.intern(of_keys);
        let of_best_key = Ty::Option(Box::new(of_keys.clone()));
        let typed = |kind, ty: &Ty| typed::Expr { kind, ty: ty.clone(), span };
        let bind = |checker: &mut Self, name: &str, init: typed::Expr| {
            let local = checker.temporary(name, init.ty.clone(), span);
            checker.locals[local.0].mutable = true;
            let pattern = Pattern::Bind { local, mode: BindMode::Value, inner: None };
            (local, Stmt::Let { pattern, init, otherwise: None, span })
        };
        let (function, keeps_function) = bind(self, "key", key);
        let (best, keeps_best) = bind(self, "best", typed(Typed::None, ty));
        let (best_key, keeps_key) = bind(self, "best_key", typed(Typed::None, &of_best_key));

        let item = self.temporary("item", iter.item.clone(), span);
        let args = vec![borrowed(self.local(item, span), false)];
        let call = Typed::InvokeValue { callee: Box::new(self.local(function, span)), args };
        let (next, keeps_next) = bind(self, "next", typed(call, &of_keys));
        let args = vec![self.local(best_key, span), self.local(next, span)];
        let cond = typed(Typed::Invoke { function: takes, args }, &Ty::Scalar(Scalar::Bool));
        let assigned = |checker: &mut Self, to, from| {
            let (place, value) = (checker.local(to, span), checker.local(from, span));
            let value = Box::new(typed(Typed::Some(Box::new(value)), &place.ty));
            Stmt::Expr(typed(Typed::Assign { place: Box::new(place), value }, &Ty::Unit))
        };
        let taken = vec![assigned(self, best, item), assigned(self, best_key, next)];
        let then = typed::Block { stmts: taken, value: None, span };
        let takes = typed(Typed::If { cond: Box::new(cond), then, otherwise: None, attr: None }, &Ty::Unit);
        let body = typed::Block { stmts: vec![keeps_next, Stmt::Expr(takes)], value: None, span };
        // No loop of the text has this number.
        let id = LoopId(usize::MAX - expr.id.0);
        let pattern = Pattern::Bind { local: item, mode: BindMode::Value, inner: None };
        let all = typed(Typed::For { id, label: None, pattern, iter: Box::new(iter), body }, &Ty::Unit);
        let stmts = vec![keeps_function, keeps_best, keeps_key, Stmt::Expr(all)];
        Typed::Block(typed::Block { stmts, value: Some(Box::new(self.local(best, span))), span })
    }
}
