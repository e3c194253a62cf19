//! Iterators of the typed tree, from the chain of method calls that makes them.

use std::rc::Rc;

use super::Checker;
use crate::ast::{self, Expr, ExprKind, FunctionId};
use crate::infer::{Adaptor, Resolved, Source, Ty as Inferred};
use crate::typed::{self, BindMode, Iter, IterKind, Pattern, Stmt, Ty};

impl<'p> Checker<'_, '_, 'p> {
    /// Checks the iterator of a `for` or of a consuming method.
    pub(super) fn iter(&mut self, expr: &'p Expr) -> Iter {
        let span = expr.place();
        let item = self.item(expr);
        let kind = match (&expr.kind, self.infer.resolved(expr.id)) {
            (ExprKind::Range { start: Some(start), end: Some(end), inclusive }, _) => {
                IterKind::Range { start: self.boxed(start), end: self.boxed(end), inclusive: *inclusive }
            }
            (ExprKind::Method { receiver, args, .. }, Some(Resolved::Source(source))) => {
                let of = self.boxed(receiver);
                if let Ty::Slice { mutable: true, .. } = of.ty {
                    self.written_through(&of, receiver);
                }
                let mut size = || args.first().map(|size| self.boxed(size));
                match (source, size()) {
                    (Source::ChunksExact, Some(size)) => IterKind::ChunksExact { slice: of, size },
                    (Source::Chunks, Some(size)) => IterKind::Chunks { slice: of, size },
                    (Source::Windows, Some(size)) => IterKind::Windows { slice: of, size },
                    (Source::Array, _) => IterKind::Array(of),
                    (Source::Slice | Source::ChunksExact | Source::Chunks | Source::Windows, _) => {
                        IterKind::Slice(of)
                    }
                }
            }
            (ExprKind::Method { receiver, args, .. }, Some(Resolved::Adaptor(adaptor))) => {
                return self.adaptor(adaptor, receiver, args, item, span);
            }
            _ => {
                let of = self.value(expr);
                match &of.ty {
                    Ty::Array(..) => IterKind::Array(Box::new(of)),
                    _ => IterKind::Slice(Box::new(of)),
                }
            }
        };
        Iter { kind, item, span }
    }

    fn written_through(&mut self, of: &typed::Expr, receiver: &Expr) {
        // A `&mut` that was taken for it has been checked; dynamic shared memory is written through its handle.
        if let typed::ExprKind::Unsize(inner) = &of.kind
            && let Ty::SharedDyn(_) = inner.ty
        {
            self.require_mutable(inner, receiver);
        }
    }

    fn adaptor(
        &mut self,
        adaptor: Adaptor,
        receiver: &'p Expr,
        args: &'p [Expr],
        item: Ty,
        span: proc_macro2::Span,
    ) -> Iter {
        let of = Box::new(self.iter(receiver));
        let kind = match (adaptor, args) {
            (Adaptor::Rev, _) => IterKind::Rev(of),
            (Adaptor::Enumerate, _) => IterKind::Enumerate(of),
            (Adaptor::Copied, _) => IterKind::Copied(of),
            (Adaptor::Zip, [other]) => IterKind::Zip(of, Box::new(self.iter(other))),
            (Adaptor::Chain, [other]) => IterKind::Chain(of, Box::new(self.iter(other))),
            (Adaptor::StepBy, [with]) => IterKind::StepBy(of, self.boxed(with)),
            (Adaptor::Take, [with]) => IterKind::Take(of, self.boxed(with)),
            (Adaptor::Skip, [with]) => IterKind::Skip(of, self.boxed(with)),
            (Adaptor::Map, [with]) => IterKind::Map(of, self.boxed(with)),
            (Adaptor::Filter, [with]) => IterKind::Filter(of, self.boxed(with)),
            (Adaptor::TakeWhile, [with]) => IterKind::TakeWhile(of, self.boxed(with)),
            (Adaptor::FilterMap, [with]) => IterKind::FilterMap(of, self.boxed(with)),
            (Adaptor::MapWhile, [with]) => IterKind::MapWhile(of, self.boxed(with)),
            (Adaptor::SkipWhile, [with]) => IterKind::SkipWhile(of, self.boxed(with)),
            (Adaptor::Scan, [init, with]) => IterKind::Scan(of, self.boxed(init), self.boxed(with)),
            (Adaptor::Cycle, _) => IterKind::Cycle(of),
            (
                Adaptor::Same
                | Adaptor::SkipWhile
                | Adaptor::Scan
                | Adaptor::Zip
                | Adaptor::Chain
                | Adaptor::StepBy
                | Adaptor::Take
                | Adaptor::Skip
                | Adaptor::Map
                | Adaptor::Filter
                | Adaptor::TakeWhile
                | Adaptor::FilterMap
                | Adaptor::MapWhile,
                _,
            ) => return *of,
        };
        Iter { kind, item, span }
    }

    /// `for` over a value: `let mut iterator = …; while let Some(item) = iterator.next() { … }`. A range of scalars is a loop over
    /// numbers.
    pub(super) fn for_value(
        &mut self,
        expr: &'p Expr,
        (id, label): (typed::LoopId, &Option<syn::Lifetime>),
        (pattern, iter, body): (&'p ast::Pattern, &'p Expr, &'p ast::Block),
        (next, args): (FunctionId, Rc<[Inferred]>),
    ) -> typed::ExprKind {
        let span = iter.place();
        let mut of = self.infer.expr_ty(iter.id);
        let mut init = self.value(iter);
        if let Some((function, args)) = self.infer.iterator_made(expr.id) {
            (_, of) = self.infer.world.signature(&mut self.infer.vars, function, &args);
            of = self.infer.vars.resolve(&of);
            let ty = self.infer.intern(&of);
            let kind = self.invoke(expr, function, args, vec![init]);
            init = typed::Expr { kind, ty, span };
        }
        let local = self.temporary("iterator", init.ty.clone(), span);
        self.locals[local.0].mutable = true;
        let bind = Pattern::Bind { local, mode: BindMode::Value, inner: None };
        let start = Stmt::Let { pattern: bind, init, otherwise: None, span };
        let looped = match &of {
            Inferred::Struct(decl, args)
                if self.infer.is_of_library(*decl, "Range") && matches!(args[0], Inferred::Scalar(_)) =>
            {
                let item = self.infer.intern(&args[0]);
                let mut end = |index| {
                    let base = Box::new(self.local(local, span));
                    Box::new(typed::Expr {
                        kind: typed::ExprKind::Field { base, index },
                        ty: item.clone(),
                        span,
                    })
                };
                let kind = IterKind::Range { start: end(0), end: end(1), inclusive: false };
                let iter = Iter { kind, item: item.clone(), span };
                let pattern = self.irrefutable(pattern, &item);
                let body = self.block(body);
                typed::ExprKind::For { id, label: label.clone(), pattern, iter: Box::new(iter), body }
            }
            _ => {
                let place = self.local(local, span);
                let receiver = match &place.ty {
                    Ty::Ref { .. } => place,
                    _ => super::expr::borrowed(place, true),
                };
                let (_, result) = self.infer.world.signature(&mut self.infer.vars, next, &args);
                let ty = self.infer.intern(&result);
                let item = match &ty {
                    Ty::Option(item) => (**item).clone(),
                    _ => Ty::Never,
                };
                let kind = self.invoke(expr, next, args, vec![receiver]);
                let value = Box::new(typed::Expr { kind, ty, span });
                let pattern = Box::new(Pattern::Some(Box::new(self.irrefutable(pattern, &item))));
                let kind = typed::ExprKind::Let { pattern, value };
                let cond = Box::new(typed::Expr { kind, ty: Ty::Scalar(typed::Scalar::Bool), span });
                let body = self.block(body);
                typed::ExprKind::While { id, label: label.clone(), cond, body }
            }
        };
        let looped = typed::Expr { kind: looped, ty: Ty::Unit, span: expr.place() };
        typed::ExprKind::Block(typed::Block { stmts: vec![start], value: Some(Box::new(looped)), span })
    }

    /// The type of the items.
    fn item(&mut self, expr: &Expr) -> Ty {
        let item = match self.infer.expr_ty(expr.id) {
            Inferred::Range(item) | Inferred::Iter(item, _) => (*item).clone(),
            Inferred::Slice(element, mutable) => (*element).clone().reference(mutable),
            Inferred::Array(element, _) => (*element).clone(),
            Inferred::Ref(inner, mutable) => match &*inner {
                Inferred::Array(element, _) => (**element).clone().reference(mutable),
                _ => Inferred::Error,
            },
            _ => Inferred::Error,
        };
        self.infer.intern(&item)
    }
}
