//! Calls in the typed tree.

use std::rc::Rc;

use ptx::target::Arch;

use super::Checker;
use super::expr::{NOTHING, has_error};
use crate::ast::{Expr, ExprKind, FunctionId, GenericParamKind};
use crate::builtins::{Builtin, Form, Slot};
use crate::constants;
use crate::device::library;
use crate::diagnostics::Loc;
use crate::infer::{Consume, Resolved, Ty as Inferred};
use crate::lower::layout::Layout;
use crate::typed::{
    self, Arm, BinaryOp, BindMode, ConstValue, Constant, ExprKind as Typed, FnId, Format, FormatArg, LoopId,
    Pattern, Scalar, Stmt, Ty,
};

/// Most nested instances of one function on a chain of calls; more is taken for recursion with ever new types.
const MAX_DEPTH: usize = 64;

/// Most consecutive ones among these, each with larger types than the one before.
const MAX_GROWTH: usize = 6;

/// Most functions that a kernel may call, each counted once for every list of generic arguments.
const MAX_INSTANCES: usize = 10_000;

impl<'p> Checker<'_, '_, 'p> {
    /// A call of an instance.
    pub(super) fn invoke(
        &mut self,
        expr: &Expr,
        function: FunctionId,
        args: Rc<[Inferred]>,
        values: Vec<typed::Expr>,
    ) -> Typed {
        self.call_in_unsafe(expr, function);
        let loc = match expr.kind {
            ExprKind::Method { .. } => Loc::from(expr.place()),
            _ => expr.loc,
        };
        match self.instance(loc, function, args) {
            Some(invoked) => {
                self.note_constants(expr, invoked, &values);
                let call = Typed::Invoke { function: invoked, args: values };
                match self.infer.world.program.functions[function.0].diverges {
                    true => self.diverging(call, loc.start),
                    false => call,
                }
            }
            None => self.nothing(loc),
        }
    }

    /// A call of a function `-> !`, with a panic behind it that is never reached.
    fn diverging(&mut self, call: Typed, span: proc_macro2::Span) -> Typed {
        let text = "internal error: entered unreachable code".to_owned();
        let format = self.format(Format { text, args: Vec::new(), output: None });
        let panic = Typed::Panic { format, args: Vec::new() };
        let call = typed::Expr { kind: call, ty: Ty::Unit, span };
        let value = Some(Box::new(typed::Expr { kind: panic, ty: Ty::Never, span }));
        Typed::Block(typed::Block { stmts: vec![Stmt::Expr(call)], value, span })
    }

    pub(super) fn instance(&mut self, loc: Loc, function: FunctionId, args: Rc<[Inferred]>) -> Option<FnId> {
        let decl = &self.infer.world.program.functions[function.0];
        let first = self.infer.world.owner_generics(function);
        for (index, arg) in args.iter().enumerate() {
            if !has_unknown(arg) {
                continue;
            }
            if !has_error(arg) {
                let param = index.checked_sub(first).and_then(|index| decl.generics.get(index));
                let (kind, example) = match param.map(|param| &param.kind) {
                    Some(GenericParamKind::Const(_)) => ("number", "1"),
                    Some(GenericParamKind::Type { .. }) | None => ("type", "f32"),
                };
                let param = param.map_or("T".to_owned(), |param| param.name.to_string());
                let message = format!(
                    "expected a {kind} for `{param}` of `{0}`, found nothing that decides it\nhelp: write it: `{0}::<{example}>(…)`",
                    library::shown(&decl.name.to_string())
                );
                self.error(loc, message);
            }
            return None;
        }
        if self.lacks_trait(loc, function, args.get(first..).unwrap_or_default()) {
            return None;
        }
        let me = self.infer.me;
        let caller = (me != crate::infer::NO_INSTANCE).then_some(me);
        let id = self.infer.world.instance(function, args, caller);
        self.note(id, loc);
        let instance = &self.infer.world.instances[id.0];
        if instance.of_itself > MAX_DEPTH || instance.growth > MAX_GROWTH {
            super::recursion::report(self.infer.world, loc, id);
            self.infer.world.failed.insert(function);
        } else if self.infer.world.instances.len() > MAX_INSTANCES && self.infer.world.failed.insert(function)
        {
            let message = format!(
                "expected at most {MAX_INSTANCES} functions in a kernel, each counted for all its generic arguments, found more with \
                 this call\nhelp: call it with fewer different types or constants, or take the constants as parameters"
            );
            self.error(loc, message);
        }
        Some(id)
    }

    /// Reports a type argument that has no impl of a trait of the user's own which a bound of the function asks for: at the call, before the
    /// function's body has a mistake for it.
    fn lacks_trait(&mut self, loc: Loc, function: FunctionId, args: &[Inferred]) -> bool {
        let program = self.infer.world.program;
        let decl = &program.functions[function.0];
        if decl.is_library {
            return false;
        }
        for (param, arg) in decl.generics.iter().zip(args) {
            let GenericParamKind::Type { bounds, .. } = &param.kind else { continue };
            if !matches!(arg, Inferred::Struct(..) | Inferred::Enum(_) | Inferred::Scalar(_)) {
                continue;
            }
            let lacking = bounds.iter().find(|bound| self.infer.has_no_impl(bound, arg));
            if let Some(bound) = lacking {
                let found = self.infer.describe(arg);
                let message = format!(
                    "expected a type with `{bound}` for `{}` of `{}`, found {found}\nhelp: write `impl {bound} for {} {{ … }}`",
                    param.name,
                    decl.name,
                    found.trim_matches('`')
                );
                self.error(loc, message);
                return true;
            }
        }
        false
    }

    /// Remembers whom this function calls.
    fn note(&mut self, id: FnId, loc: Loc) {
        let me = self.infer.me;
        if let Some(instance) = self.infer.world.instances.get_mut(me.0) {
            instance.calls.push((id, loc));
        }
    }

    /// A function that is handed over by its name counts as called.
    pub(super) fn note_call(&mut self, id: FnId, expr: &Expr) {
        self.note(id, expr.loc);
    }

    pub(super) fn call(&mut self, expr: &'p Expr, callee: &'p Expr, args: &'p [Expr], ty: &Ty) -> Typed {
        match self.infer.resolved(expr.id) {
            Some(Resolved::InvokeValue) if let Inferred::FnPtr(parts) = self.infer.callee_type(callee) => {
                let function = self.infer.world.pointers(&parts).call;
                self.note(function, expr.loc);
                let callee = self.expr(callee);
                Typed::Invoke { function, args: std::iter::once(callee).chain(self.values(args)).collect() }
            }
            Some(Resolved::InvokeValue) => {
                let callee = self.boxed(callee);
                Typed::InvokeValue { callee, args: self.values(args) }
            }
            Some(Resolved::Builtin(function)) if function.builtin == Builtin::Fence => self.fence(args),
            Some(Resolved::Builtin(function))
                if matches!(function.builtin, Builtin::ClusterShared { .. }) =>
            {
                self.cluster_shared(expr, function.builtin, args)
            }
            Some(resolved) => {
                let values = self.values(args);
                self.collective(&resolved, args, &values);
                self.resolved_call(expr, resolved, values, ty)
            }
            None => self.nothing(expr.loc),
        }
    }

    pub(super) fn method(&mut self, expr: &'p Expr, receiver: &'p Expr, args: &'p [Expr], ty: &Ty) -> Typed {
        match self.infer.resolved(expr.id) {
            Some(Resolved::Consume(how)) => self.consume(expr, receiver, how, args, ty),
            Some(Resolved::Source(_) | Resolved::Adaptor(_)) => {
                self.error(
                    expr.loc,
                    "expected a value, found an iterator\nhelp: loop over it with `for`, or end it with `.sum()`, `.fold(…)` and the like",
                );
                Typed::Literal(NOTHING)
            }
            Some(Resolved::Contains) => self.contains(receiver, &args[0]),
            Some(Resolved::Operator(op)) => {
                let (lhs, rhs) = (Box::new(self.value(receiver)), Box::new(self.value(&args[0])));
                Typed::Binary { op, lhs, rhs }
            }
            Some(Resolved::Atomic(method)) => self.atomic(receiver, method, args, ty),
            Some(Resolved::View) => self.view(receiver),
            Some(Resolved::Expect(message)) => {
                let value = self.value(receiver);
                self.expect(expr, value, message, ty)
            }
            Some(Resolved::ArrayLen(len)) => {
                // A place has no effects; any other array is evaluated first.
                let value = Typed::Path(ConstValue { ty: Scalar::Usize, bits: len });
                if is_pure(receiver) {
                    return value;
                }
                let init = self.value(receiver);
                let span = expr.place();
                let stmts = vec![Stmt::Let { pattern: Pattern::Wild, init, otherwise: None, span }];
                let value = typed::Expr { kind: value, ty: ty.clone(), span };
                Typed::Block(typed::Block { stmts, value: Some(Box::new(value)), span })
            }
            Some(resolved) => {
                let mut values = vec![self.receiver(receiver)];
                match args {
                    // `get` of a range takes its ends.
                    [range @ Expr { kind: ExprKind::Range { start, end, .. }, .. }, rest @ ..]
                        if !matches!(self.infer.resolved(range.id), Some(Resolved::Invoke(..))) =>
                    {
                        values.extend(
                            start.iter().chain(end).map(|end| &**end).chain(rest).map(|arg| self.value(arg)),
                        );
                    }
                    _ => values.extend(self.values(args)),
                }
                self.resolved_call(expr, resolved, values, ty)
            }
            None => self.nothing(expr.loc),
        }
    }

    /// A receiver; of an index by the user's own trait that is written, the place.
    fn receiver(&mut self, receiver: &'p Expr) -> typed::Expr {
        self.value(receiver)
    }

    /// `size_of::<T>()` and `align_of::<T>()` of a type whose layout is the same to the host and here.
    fn measure(&mut self, expr: &Expr, builtin: Builtin) -> Typed {
        let ty = self.infer.measured(expr.id);
        let world = &self.infer.world;
        let layout = Layout::of(&world.structs, &world.enums);
        if !is_laid_out(&ty, &world.structs) {
            let found = crate::infer::written(&ty, &world.structs, &world.enums);
            let message = format!(
                "expected a scalar, a vector, an atomic, an array of these, or a struct with `#[repr(C)]`, found `{found}`: Rust leaves its layout \
                 open\nhelp: write `#[repr(C)]` above a struct of your own"
            );
            self.error(expr.loc, message);
            return Typed::Literal(NOTHING);
        }
        let bits = match builtin {
            Builtin::AlignOf => layout.align_of(&ty),
            _ => layout.size_of(&ty),
        };
        Typed::Literal(ConstValue { ty: Scalar::Usize, bits })
    }

    fn resolved_call(
        &mut self,
        expr: &'p Expr,
        resolved: Resolved,
        mut values: Vec<typed::Expr>,
        ty: &Ty,
    ) -> Typed {
        match resolved {
            Resolved::Builtin(function) => {
                self.builtin_in_unsafe(expr, function);
                if matches!(function.builtin, Builtin::Shared | Builtin::SharedDyn) {
                    self.refuse_shared(expr, function.builtin);
                }
                if function.form == Form::Cluster {
                    self.refuse_without_cluster(expr);
                }
                if function.form == Form::Memory {
                    return self.measure(expr, function.builtin);
                }
                if function.builtin == Builtin::TargetAtLeast {
                    return self.target_at_least(expr, values);
                }
                if function.builtin == Builtin::TargetMayHaveWarpgroups {
                    let archs = &self.infer.world.attrs.archs;
                    let bits = archs.iter().any(|(arch, _)| *arch == Arch::Sm90a).into();
                    return Typed::Literal(ConstValue { ty: Scalar::Bool, bits });
                }
                if function.builtin == Builtin::TargetBlockThreads {
                    let block = self.infer.world.attrs.bounds.block;
                    let bits = block.map_or(0, |shape| shape.iter().map(|&size| u64::from(size)).product());
                    return Typed::Literal(ConstValue { ty: Scalar::Usize, bits });
                }
                // `F32x4::max(a, b)`, `value.max(b)`: a vector's `min` and `max` are those of scalars.
                let _ = Slot::Same;
                Typed::Call { builtin: function.builtin, args: values }
            }
            Resolved::Invoke(function, args) => self.invoke(expr, function, args, values),
            Resolved::Constructor => {
                Typed::Struct { fields: values.into_iter().enumerate().collect(), base: None }
            }
            Resolved::Variant(index) => {
                let values = values.into_iter().enumerate().collect();
                self.variant_value(ty, index, values, expr.loc.start)
            }
            Resolved::Some => match values.pop() {
                Some(value) => Typed::Some(Box::new(value)),
                None => Typed::Literal(NOTHING),
            },
            Resolved::Cast => match values.pop() {
                Some(value) if value.ty == *ty => value.kind,
                Some(value) => Typed::Cast(Box::new(value)),
                None => Typed::Literal(NOTHING),
            },
            Resolved::Same => match values.pop() {
                Some(value) => self.copied(value),
                None => Typed::Literal(NOTHING),
            },
            Resolved::Repacked => match values.pop() {
                Some(value) => self.repacked(value, ty),
                None => Typed::Literal(NOTHING),
            },
            Resolved::ToBytes(big) => match values.pop() {
                Some(value) => self.bytes_of(value, big),
                None => Typed::Literal(NOTHING),
            },
            Resolved::FromBytes(big) => match values.pop() {
                Some(value) => self.of_bytes(value, big, ty),
                None => Typed::Literal(NOTHING),
            },
            Resolved::Default => {
                let ty = self.infer.expr_ty(expr.id);
                self.default_value(expr, &ty).kind
            }
            Resolved::InvokeNot(..)
            | Resolved::InvokeOrder(..)
            | Resolved::InvokeValue
            | Resolved::QuestionMark(_)
            | Resolved::Atomic(_)
            | Resolved::View
            | Resolved::Expect(_)
            | Resolved::Const(..)
            | Resolved::Known(_)
            | Resolved::Splat
            | Resolved::ArrayLen(_)
            | Resolved::Source(_)
            | Resolved::Adaptor(_)
            | Resolved::Consume(_)
            | Resolved::UserIndex(..)
            | Resolved::RangeIndex
            | Resolved::Contains
            | Resolved::Operator(_) => Typed::Literal(NOTHING),
        }
    }

    /// Blocks of a kernel that says nothing of clusters know of no others.
    pub(super) fn refuse_without_cluster(&mut self, expr: &Expr) {
        let bounds = &self.infer.world.attrs.bounds;
        if bounds.cluster.is_none()
            && bounds.max_cluster.is_none()
            && !std::mem::replace(&mut self.infer.world.said_no_cluster, true)
        {
            let message = "expected a kernel whose blocks come in clusters, found one that says nothing of them\nhelp: write \
                           `#[kernel(cluster(2))]`, or a largest cluster, which the launch may choose: `#[kernel(launch_bounds(256, 1, 8))]`";
            self.error(self.users_place(expr.loc), message);
        }
    }

    /// The parts of a tuple as an array, or of an array as a tuple.
    fn repacked(&mut self, value: typed::Expr, to: &Ty) -> Typed {
        let span = value.span;
        let types = match &value.ty {
            Ty::Tuple(parts) => parts.clone(),
            Ty::Array(element, len) => vec![(**element).clone(); *len as usize],
            _ => Vec::new(),
        };
        let locals: Vec<_> = types.into_iter().map(|ty| self.temporary("part", ty, span)).collect();
        let bound = locals
            .iter()
            .enumerate()
            .map(|(index, &local)| (index, Pattern::Bind { local, mode: BindMode::Value, inner: None }));
        let pattern = Pattern::Fields(bound.collect());
        let parts: Vec<typed::Expr> = locals.iter().map(|&local| self.local(local, span)).collect();
        let kind = match to {
            Ty::Array(..) => Typed::Array(parts),
            _ => Typed::Tuple(parts),
        };
        let made = Some(Box::new(typed::Expr { kind, ty: to.clone(), span }));
        let stmts = vec![Stmt::Let { pattern, init: value, otherwise: None, span }];
        Typed::Block(typed::Block { stmts, value: made, span })
    }

    /// A copy of a place, which is no place.
    fn copied(&mut self, value: typed::Expr) -> Typed {
        let span = value.span;
        match value.kind {
            Typed::Local(_) | Typed::Index { .. } | Typed::Field { .. } | Typed::Deref(_) => {
                Typed::Block(typed::Block { stmts: Vec::new(), value: Some(Box::new(value)), span })
            }
            kind => kind,
        }
    }

    fn expect(&mut self, expr: &Expr, value: typed::Expr, message: String, ty: &Ty) -> Typed {
        let span = expr.place();
        let local = self.temporary("value", ty.clone(), span);
        let bind = Pattern::Bind { local, mode: BindMode::Value, inner: None };
        let body = self.local(local, span);
        let (some, args, text) = match &value.ty {
            // The values of both variants are behind the discriminant.
            Ty::Struct(id) => {
                let variants = &self.infer.world.structs[id.0].variants;
                let (ok, err) = (variants[0].fields[0].1, variants[1].fields[0].1);
                let is_ok = Pattern::Constant(ConstValue { ty: Scalar::Bool, bits: 0 });
                let error = self.infer.world.structs[id.0].fields[err].ty.clone();
                self.require_debug(expr.loc, &error);
                let shown = self.temporary("error", error.clone(), span);
                let bind_error = Pattern::Bind { local: shown, mode: BindMode::Value, inner: None };
                let arg = FormatArg { name: None, is_count: false, ty: error };
                let text = format!("{}: {{:?}}", message.replace('{', "{{").replace('}', "}}"));
                let shown = self.local(shown, span);
                let failed = Pattern::Fields(vec![(err, bind_error)]);
                ((Pattern::Fields(vec![(0, is_ok), (ok, bind)]), failed), vec![(arg, shown)], text)
            }
            _ => ((Pattern::Some(Box::new(bind)), Pattern::None), Vec::new(), message),
        };
        let (args, values) = args.into_iter().unzip();
        let format = self.format(Format { text, args, output: None });
        let panic = typed::Expr { kind: Typed::Panic { format, args: values }, ty: Ty::Never, span };
        let arms = vec![
            Arm { pattern: some.0, guard: None, body },
            Arm { pattern: some.1, guard: None, body: panic },
        ];
        Typed::Match { value: Box::new(value), arms, attr: None }
    }

    /// `(a..b).contains(&x)`: `a <= x && x < b`.
    fn contains(&mut self, receiver: &'p Expr, arg: &'p Expr) -> Typed {
        let span = receiver.loc.start;
        let ExprKind::Range { start, end, inclusive } = &receiver.kind else {
            return Typed::Literal(NOTHING);
        };
        let bool = || Ty::Scalar(Scalar::Bool);
        let start = start.as_ref().map(|start| self.value(start));
        let end = end.as_ref().map(|end| self.value(end));
        let reference = self.value(arg);
        let of = match &reference.ty {
            Ty::Ref { inner, .. } => (**inner).clone(),
            other => other.clone(),
        };
        let place = typed::Expr { kind: Typed::Deref(Box::new(reference)), ty: of.clone(), span };
        let mut stmts = Vec::new();
        let mut keep = |checker: &mut Self, name: &str, init: typed::Expr| {
            let local = checker.temporary(name, of.clone(), span);
            let pattern = Pattern::Bind { local, mode: BindMode::Value, inner: None };
            stmts.push(Stmt::Let { pattern, init, otherwise: None, span });
            local
        };
        let start = start.map(|start| keep(self, "start", start));
        let end = end.map(|end| keep(self, "end", end));
        let value = keep(self, "value", place);
        let mut compare = |op, lhs, rhs| {
            let (lhs, rhs) = (Box::new(self.local(lhs, span)), Box::new(self.local(rhs, span)));
            typed::Expr { kind: Typed::Binary { op, lhs, rhs }, ty: bool(), span }
        };
        let above = start.map(|start| compare(BinaryOp::Le, start, value));
        let last = if *inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let below = end.map(|end| compare(last, value, end));
        let holds = match (above, below) {
            (Some(above), Some(below)) => {
                let kind = Typed::Logical { and: true, lhs: Box::new(above), rhs: Box::new(below) };
                typed::Expr { kind, ty: bool(), span }
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => {
                let kind = Typed::Literal(ConstValue { ty: Scalar::Bool, bits: 1 });
                typed::Expr { kind, ty: bool(), span }
            }
        };
        Typed::Block(typed::Block { stmts, value: Some(Box::new(holds)), span })
    }

    fn consume(
        &mut self,
        expr: &'p Expr,
        receiver: &'p Expr,
        how: Consume,
        args: &'p [Expr],
        ty: &Ty,
    ) -> Typed {
        use typed::Consumer;
        let mut iter = self.iter(receiver);
        if let Consume::Sum | Consume::Product = how {
            let item = self.infer.expr_ty(expr.id);
            if let Some(value) = self.infer.world.tried_value(&item) {
                return self.tried_sum(expr, iter, how == Consume::Product, (&item, &value), ty);
            }
        }
        // Sums of references are sums of what they refer to.
        if let (Consume::Sum | Consume::Product, Ty::Ref { inner, .. }) = (how, &iter.item) {
            let (item, span) = ((**inner).clone(), iter.span);
            iter = typed::Iter { kind: typed::IterKind::Copied(Box::new(iter)), item, span };
        }
        if let (Consume::Min | Consume::Max, Inferred::Option(item)) = (how, self.infer.expr_ty(expr.id)) {
            let (name, of) = match (&*item, how == Consume::Max) {
                (Inferred::Ref(of, _), true) => ("greater", of.clone()),
                (Inferred::Ref(of, _), false) => ("lesser", of.clone()),
                (_, true) => ("order_max", item.clone()),
                (_, false) => ("order_min", item.clone()),
            };
            if matches!(*item, Inferred::Ref(..)) || self.infer.has_own_key(&item) {
                return self.reduced(expr, iter, name, of);
            }
        }
        let mut values = args.iter().map(|arg| self.boxed(arg)).collect::<Vec<_>>().into_iter();
        let mut next = || values.next();
        let how = match how {
            Consume::Sum => Some(Consumer::Sum),
            Consume::Product => Some(Consumer::Product),
            Consume::Min => Some(Consumer::Extreme { max: false }),
            Consume::Max => Some(Consumer::Extreme { max: true }),
            Consume::MinBy | Consume::MaxBy => {
                next().map(|order| Consumer::ExtremeBy { max: how == Consume::MaxBy, order })
            }
            Consume::MinByKey | Consume::MaxByKey if let Some(of_keys) = self.infer.own_key_of(expr.id) => {
                let Some(key) = next() else { return self.nothing(expr.loc) };
                return self.extreme_by_own_key(expr, iter, *key, how == Consume::MaxByKey, (&of_keys, ty));
            }
            Consume::MinByKey | Consume::MaxByKey => {
                let key = self.infer.key_of(expr.id);
                next().map(|with| Consumer::ExtremeByKey {
                    max: how == Consume::MaxByKey,
                    key: with,
                    ty: key,
                })
            }
            Consume::TryFold if let Ty::Struct(_) = ty => {
                let (Some(init), Some(with)) = (next(), next()) else { return self.nothing(expr.loc) };
                return self.try_fold_results(expr, iter, *init, *with, ty);
            }
            Consume::TryFold => next().zip(next()).map(|(init, with)| Consumer::TryFold(init, with)),
            Consume::RPosition => next().map(Consumer::RPosition),
            Consume::FindMap => match next() {
                Some(with) => {
                    let Ty::Option(item) = ty else { return Typed::Literal(NOTHING) };
                    let (item, span) = ((**item).clone(), iter.span);
                    iter = typed::Iter { kind: typed::IterKind::FilterMap(Box::new(iter), with), item, span };
                    Some(Consumer::First)
                }
                None => None,
            },
            Consume::Fold => next().zip(next()).map(|(init, with)| Consumer::Fold(init, with)),
            Consume::Reduce => next().map(Consumer::Reduce),
            Consume::ForEach => next().map(Consumer::ForEach),
            Consume::Any => next().map(Consumer::Any),
            Consume::All => next().map(Consumer::All),
            Consume::Position => next().map(Consumer::Position),
            Consume::Find => next().map(Consumer::Find),
            Consume::Count => Some(Consumer::Count),
            Consume::Last => Some(Consumer::Last),
            Consume::Next => Some(Consumer::First),
            Consume::Nth => match next() {
                Some(count) => {
                    let (item, span) = (iter.item.clone(), iter.span);
                    iter = typed::Iter { kind: typed::IterKind::Skip(Box::new(iter), count), item, span };
                    Some(Consumer::First)
                }
                None => None,
            },
        };
        match how {
            Some(how) => Typed::Consume { iter: Box::new(iter), how },
            None => Typed::Literal(NOTHING),
        }
    }

    /// `try_fold` with a function that gives a `Result`: `for item in iter { total = f(total, item)?; }`, where `total` is the whole
    /// result.
    fn try_fold_results(
        &mut self,
        expr: &Expr,
        iter: typed::Iter,
        init: typed::Expr,
        with: typed::Expr,
        ty: &Ty,
    ) -> Typed {
        let Ty::Struct(id) = ty else { return self.nothing(expr.loc) };
        let span = expr.place();
        let ok = self.infer.world.structs[id.0].variants[0].fields[0].1;
        let of_total = init.ty.clone();
        let init = self.variant_value(ty, 0, vec![(0, init)], span);
        let init = typed::Expr { kind: init, ty: ty.clone(), span };
        let mut stmts = Vec::new();
        let mut keep = |checker: &mut Self, name: &str, init: typed::Expr| {
            let local = checker.temporary(name, init.ty.clone(), span);
            checker.locals[local.0].mutable = true;
            let pattern = Pattern::Bind { local, mode: BindMode::Value, inner: None };
            stmts.push(Stmt::Let { pattern, init, otherwise: None, span });
            local
        };
        let total = keep(self, "total", init);
        let function = keep(self, "function", with);
        let item = self.temporary("item", iter.item.clone(), span);
        let before = Typed::Field { base: Box::new(self.local(total, span)), index: ok };
        let before = typed::Expr { kind: before, ty: of_total, span };
        let args = vec![before, self.local(item, span)];
        let call = Typed::InvokeValue { callee: Box::new(self.local(function, span)), args };
        let value = Box::new(typed::Expr { kind: call, ty: ty.clone(), span });
        let unit = |kind| typed::Expr { kind, ty: Ty::Unit, span };
        let assign = unit(Typed::Assign { place: Box::new(self.local(total, span)), value });
        let is_err = Pattern::Fields(vec![(0, Pattern::Constant(ConstValue { ty: Scalar::Bool, bits: 1 }))]);
        let cond = Typed::Let { pattern: Box::new(is_err), value: Box::new(self.local(total, span)) };
        let cond = Box::new(typed::Expr { kind: cond, ty: Ty::Scalar(Scalar::Bool), span });
        // No loop of the text has this number.
        let id = LoopId(usize::MAX - expr.id.0);
        let stop = typed::Expr { kind: Typed::Break { target: id, value: None }, ty: Ty::Never, span };
        let then = typed::Block { stmts: vec![Stmt::Expr(stop)], value: None, span };
        let leave = unit(Typed::If { cond, then, otherwise: None, attr: None });
        let body = typed::Block { stmts: vec![Stmt::Expr(assign), Stmt::Expr(leave)], value: None, span };
        let pattern = Pattern::Bind { local: item, mode: BindMode::Value, inner: None };
        stmts.push(Stmt::Expr(unit(Typed::For { id, label: None, pattern, iter: Box::new(iter), body })));
        let value = Some(Box::new(self.local(total, span)));
        Typed::Block(typed::Block { stmts, value, span })
    }

    /// `sum` and `product` of options or results: `try_fold` with a function of the library.
    fn tried_sum(
        &mut self,
        expr: &Expr,
        iter: typed::Iter,
        product: bool,
        (item, value): (&Inferred, &Inferred),
        ty: &Ty,
    ) -> Typed {
        let of = if let Inferred::Option(_) = item { "option" } else { "result" };
        let name = if product { "product" } else { "sum" };
        let generics: Rc<[Inferred]> = match item {
            Inferred::Struct(_, args) => args.clone(),
            _ => Rc::from([value.clone()]),
        };
        let function = self.infer.world.library.get(&format!("{of}_{name}")).copied();
        let (Some(function), Inferred::Scalar(scalar)) = (function, value) else {
            return self.nothing(expr.loc);
        };
        let Some(id) = self.instance(expr.loc, function, generics) else { return Typed::Literal(NOTHING) };
        let span = expr.place();
        let with = typed::Expr { kind: Typed::Function, ty: Ty::Function(id), span };
        let neutral = if product { "ONE" } else { "ZERO" };
        let Some(neutral) = constants::of_scalar(*scalar, neutral) else {
            return self.nothing(expr.loc);
        };
        let init = typed::Expr { kind: Typed::Literal(neutral), ty: Ty::Scalar(*scalar), span };
        match ty {
            Ty::Struct(_) => self.try_fold_results(expr, iter, init, with, ty),
            _ => Typed::Consume {
                iter: Box::new(iter),
                how: typed::Consumer::TryFold(Box::new(init), Box::new(with)),
            },
        }
    }

    /// `iter().min()` of references, or of a type with an order of its own: reduced by a function of the library.
    fn reduced(&mut self, expr: &Expr, iter: typed::Iter, name: &str, of: Rc<Inferred>) -> Typed {
        let Some(function) = self.infer.world.library.get(name).copied() else {
            return self.nothing(expr.loc);
        };
        let Some(id) = self.instance(expr.loc, function, Rc::from([(*of).clone()])) else {
            return Typed::Literal(NOTHING);
        };
        let with = typed::Expr { kind: Typed::Function, ty: Ty::Function(id), span: expr.place() };
        Typed::Consume { iter: Box::new(iter), how: typed::Consumer::Reduce(Box::new(with)) }
    }

    /// `T::default()` without a function of the user's.
    fn default_value(&mut self, expr: &Expr, ty: &Inferred) -> typed::Expr {
        let span = expr.loc.start;
        let interned = self.infer.intern(ty);
        let zero = |scalar| ConstValue { ty: scalar, bits: 0 };
        let kind = match ty {
            Inferred::Scalar(scalar) => Typed::Literal(zero(*scalar)),
            Inferred::Option(_) => Typed::None,
            // `&[]`
            Inferred::Slice(element, mutable) => {
                let element = Box::new(self.infer.intern(element));
                let empty = typed::Expr { kind: Typed::Array(Vec::new()), ty: Ty::Array(element, 0), span };
                Typed::Unsize(Box::new(super::expr::borrowed(empty, *mutable)))
            }
            Inferred::Tuple(parts) => {
                Typed::Tuple(parts.iter().map(|part| self.default_value(expr, part)).collect())
            }
            Inferred::Array(element, _) => Typed::Repeat(Box::new(self.default_value(expr, element))),
            Inferred::Vector(scalar, _) => {
                let zero = typed::Expr { kind: Typed::Literal(zero(*scalar)), ty: Ty::Scalar(*scalar), span };
                Typed::Call { builtin: Builtin::VectorSplat, args: vec![zero] }
            }
            Inferred::Enum(id) => Typed::Variant(self.infer.world.program.enums[id.0].default.unwrap_or(0)),
            Inferred::Struct(id, args) => match self.infer.impl_functions(ty, "default").into_iter().next() {
                Some((_, function, _)) => self.invoke(expr, function, args.clone(), Vec::new()),
                None if self.infer.world.program.structs[id.0].variants.is_some() => {
                    let program = self.infer.world.program;
                    let tag = program.structs[id.0].variants.as_ref().map(|variants| variants.tag);
                    let default = tag.and_then(|tag| program.enums[tag.0].default).unwrap_or(0);
                    self.variant_value(&interned, default, Vec::new(), span)
                }
                None => {
                    let fields = self.infer.world.struct_fields(&mut self.infer.vars, *id, args);
                    let fields = fields.iter().map(|field| self.default_value(expr, field)).enumerate();
                    Typed::Struct { fields: fields.collect(), base: None }
                }
            },
            _ => Typed::Unit,
        };
        typed::Expr { kind, ty: interned, span }
    }
}

/// Returns true for a type with a layout that Rust promises.
fn is_laid_out(ty: &Ty, structs: &[typed::StructDef]) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Vector(..) | Ty::Atomic(_) => true,
        Ty::Array(element, _) => is_laid_out(element, structs),
        Ty::Struct(id) => {
            let of = &structs[id.0];
            of.repr_c && of.fields.iter().all(|field| is_laid_out(&field.ty, structs))
        }
        _ => false,
    }
}

/// A place whose evaluation does nothing.
fn is_pure(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Path { .. } => true,
        ExprKind::Field { base, .. } => is_pure(base),
        ExprKind::Deref(base) => is_pure(base),
        _ => false,
    }
}

fn has_unknown(ty: &Inferred) -> bool {
    matches!(ty, Inferred::Var(_) | Inferred::Error | Inferred::Range(_) | Inferred::Iter(..))
        || ty.children().into_iter().any(has_unknown)
}

/// The constant as an expression's kind.
pub(super) fn scalar(constant: &Constant) -> Option<ConstValue> {
    match constant {
        Constant::Scalar(value) => Some(*value),
        Constant::Aggregate(_) | Constant::Option(_) => None,
    }
}
