//! Expressions of the typed tree.

use std::rc::Rc;

use proc_macro2::Span;

use super::Checker;
use super::interpret::arith;
use super::pointers::number_of_pointer;
use crate::ast::{self, Expr, ExprKind, Literal, StructDeclId};
use crate::diagnostics::Loc;
use crate::infer::{Adjust, Resolved, Ty as Inferred, axis, is_destructuring};
use crate::literal;
use crate::resolve::Meaning;
use crate::typed::{
    self, BinaryOp, ConstValue, ExprKind as Typed, LocalId, LoopId, Scalar, Stmt, Ty, UnaryOp,
};

impl<'p> Checker<'_, '_, 'p> {
    /// An expression whose value is used.
    pub(super) fn value(&mut self, expr: &'p Expr) -> typed::Expr {
        self.expr(expr)
    }

    /// An expression, a place among them, with what is done silently to it.
    pub(super) fn expr(&mut self, expr: &'p Expr) -> typed::Expr {
        self.place_of(expr, false)
    }

    /// A place, for writing if `mutable`: an index by the user's own trait is another function then.
    pub(super) fn place_of(&mut self, expr: &'p Expr, mutable: bool) -> typed::Expr {
        let mutable = mutable
            || self.infer.is_written_slice(expr.id)
            || self.infer.adjusts(expr.id).iter().any(|adjust| matches!(adjust, Adjust::Ref(true)));
        let mut built = self.unadjusted(expr, mutable);
        for adjust in self.infer.adjusts(expr.id).to_vec() {
            built = match adjust {
                Adjust::Own(index) => self.own_deref(expr, built, index, mutable),
                _ => self.adjusted(expr, built, adjust),
            };
        }
        built
    }

    /// A place without what is done silently to it.
    fn unadjusted(&mut self, expr: &'p Expr, mutable: bool) -> typed::Expr {
        match &expr.kind {
            ExprKind::Index { base, index } => {
                let ty = self.ty(expr);
                self.index(expr, base, index, ty, mutable)
            }
            ExprKind::Field { base, member } => {
                let ty = self.ty(expr);
                let kind = self.field(base, member, mutable);
                typed::Expr { kind, ty, span: expr.loc.start }
            }
            // `*value` by the user's `impl Deref`, which is the last adjustment of the value.
            ExprKind::Deref(arg) if let Some(Adjust::Own(_)) = self.infer.adjusts(arg.id).last() => {
                self.place_of(arg, mutable)
            }
            _ => self.base(expr),
        }
    }

    /// `*value` by the user's `impl Deref`: `*value.deref()`, or `*value.deref_mut()` where the place is changed.
    fn own_deref(&mut self, expr: &Expr, value: typed::Expr, index: usize, mutable: bool) -> typed::Expr {
        let span = value.span;
        let own = self.infer.own_deref(index);
        let (function, args, mutable) = match own.write {
            Some((write, args)) if mutable || own.is_written => (write, args, true),
            _ => (own.read.0, own.read.1, false),
        };
        if mutable {
            self.require_mutable(&value, expr);
        }
        let target = self.infer.intern(&own.target);
        let kind = self.invoke(expr, function, args, vec![borrowed(value, mutable)]);
        match target {
            Ty::Slice { element, .. } => typed::Expr { kind, ty: Ty::Slice { element, mutable }, span },
            ty => {
                let reference = Ty::Ref { inner: Box::new(ty.clone()), mutable };
                let call = typed::Expr { kind, ty: reference, span };
                typed::Expr { kind: Typed::Deref(Box::new(call)), ty, span }
            }
        }
    }

    /// A pointer to a function: its number among those of its type.
    fn pointer(&mut self, function: typed::FnId, index: usize, expr: &Expr) -> typed::Expr {
        let parts = self.infer.pointer_type(index);
        let functions = &mut self.infer.world.pointers(&parts).functions;
        let number = functions.iter().position(|other| other.0 == function).unwrap_or_else(|| {
            functions.push((function, expr.loc));
            functions.len() - 1
        });
        let kind = Typed::Literal(number_of_pointer(number));
        typed::Expr { kind, ty: Ty::Scalar(Scalar::U64), span: expr.loc.start }
    }

    fn adjusted(&mut self, expr: &Expr, built: typed::Expr, adjust: Adjust) -> typed::Expr {
        let span = built.span;
        let (kind, ty): (fn(Box<typed::Expr>) -> Typed, Ty) = match (adjust, &built.ty) {
            (Adjust::Deref, Ty::Ref { inner, .. } | Ty::Shared(inner)) => (Typed::Deref, (**inner).clone()),
            // `*slice`: what a slice refers to is only spoken of through it.
            (Adjust::Deref, _) => return built,
            (Adjust::Ref(mutable), ty) => {
                let ty = Ty::Ref { inner: Box::new(ty.clone()), mutable };
                if mutable {
                    self.require_mutable(&built, expr);
                }
                (Typed::Ref, ty)
            }
            (Adjust::Unsize(mutable), ty) => {
                let element = match ty {
                    Ty::SharedDyn(element) => element.clone(),
                    Ty::Ref { inner, .. } => match &**inner {
                        Ty::Array(element, _) => element.clone(),
                        _ => return built,
                    },
                    _ => return built,
                };
                (Typed::Unsize, Ty::Slice { element, mutable })
            }
            (Adjust::Share, Ty::Slice { element, .. }) => {
                let ty = Ty::Slice { element: element.clone(), mutable: false };
                let kind =
                    Typed::Subslice { base: Box::new(built), start: None, end: None, inclusive: false };
                return typed::Expr { kind, ty, span };
            }
            (Adjust::Share, _) => return built,
            (Adjust::Raw(mutable), Ty::Ref { inner, .. } | Ty::Ptr { inner, .. }) => {
                (Typed::Cast, Ty::Ptr { inner: inner.clone(), mutable })
            }
            (Adjust::Raw(_), _) => return built,
            (Adjust::Own(index), _) => return self.own_deref(expr, built, index, false),
            (Adjust::Point(index), &Ty::Function(function)) => return self.pointer(function, index, expr),
            (Adjust::Point(index), Ty::Closure { id, .. }) => {
                return match self.function_of(*id, expr) {
                    Some(function) => self.pointer(function, index, expr),
                    None => built,
                };
            }
            (Adjust::Point(_), _) => return built,
        };
        typed::Expr { kind: kind(Box::new(built)), ty, span }
    }

    pub(super) fn boxed(&mut self, expr: &'p Expr) -> Box<typed::Expr> {
        Box::new(self.value(expr))
    }

    /// Stands for an expression with a mistake that has been reported; reports one that has not, so that nothing is compiled to
    /// another value than it has.
    pub(super) fn nothing(&mut self, loc: Loc) -> Typed {
        if self.infer.world.diagnostics.count() == 0 {
            self.error(
                loc,
                "expected an expression of a known type, found one that the compiler cannot infer\nhelp: declare its parts by `let` \
                 with their types; this is a mistake of the compiler's, so please report it",
            );
        }
        Typed::Literal(NOTHING)
    }

    /// The type of an expression before what is done silently.
    pub(super) fn ty(&mut self, expr: &Expr) -> Ty {
        let ty = self.infer.expr_ty(expr.id);
        self.infer.intern(&ty)
    }

    /// The expression as it is.
    fn base(&mut self, expr: &'p Expr) -> typed::Expr {
        let ty = self.ty(expr);
        let span = expr.place();
        if has_error(&self.infer.expr_ty(expr.id)) {
            self.nothing(expr.loc);
        }
        let kind = match &expr.kind {
            ExprKind::Literal(value) if let Ty::Struct(id) = ty => self.primitive(expr, value, id),
            ExprKind::Literal(value) => Typed::Literal(self.literal(expr, value, &ty, false)),
            ExprKind::Path { .. } => self.path(expr, &ty),
            ExprKind::Unary { op, arg } => self.unary(expr, *op, arg, &ty),
            ExprKind::Deref(arg) => {
                let arg = self.value(arg);
                if let Ty::Ptr { .. } = arg.ty {
                    self.access_in_unsafe(expr);
                }
                match arg.ty {
                    Ty::Ref { .. } | Ty::Ptr { .. } | Ty::Shared(_) => Typed::Deref(Box::new(arg)),
                    _ => return arg,
                }
            }
            ExprKind::Ref { place, mutable } => return self.reference(expr, place, *mutable, ty),
            ExprKind::Binary { op, lhs, rhs } => self.binary(expr, *op, lhs, rhs),
            ExprKind::Logical { and, lhs, rhs } => {
                Typed::Logical { and: *and, lhs: self.boxed(lhs), rhs: self.boxed(rhs) }
            }
            ExprKind::Cast { arg, .. }
                if let Some(Resolved::Invoke(function, args)) = self.infer.resolved(expr.id) =>
            {
                let arg = self.value(arg);
                self.invoke(expr, function, args, vec![arg])
            }
            ExprKind::Cast { arg, .. } => Typed::Cast(self.boxed(arg)),
            ExprKind::Field { base, member } => self.field(base, member, false),
            ExprKind::Index { base, index } => return self.index(expr, base, index, ty, false),
            ExprKind::Range { start, end, .. }
                if let Some(Resolved::Invoke(function, args)) = self.infer.resolved(expr.id) =>
            {
                let ends = start.iter().chain(end).map(|end| self.value(end)).collect();
                self.invoke(expr, function, args, ends)
            }
            ExprKind::Range { .. } => {
                self.error(
                    expr.loc,
                    "expected a value, found a range\nhelp: ranges stand in `for`, in an index, and before an iterator's methods",
                );
                Typed::Unit
            }
            ExprKind::Tuple(parts) if parts.is_empty() => Typed::Unit,
            ExprKind::Tuple(parts) => Typed::Tuple(self.values(parts)),
            ExprKind::Array(parts) => Typed::Array(self.values(parts)),
            ExprKind::Repeat { value, .. } => Typed::Repeat(self.boxed(value)),
            ExprKind::Struct { ty: written, fields, base } => {
                self.struct_expr(expr, (written, &ty), fields, base.as_deref())
            }
            ExprKind::Call { callee, args } => self.call(expr, callee, args, &ty),
            ExprKind::Method { receiver, args, .. } => self.method(expr, receiver, args, &ty),
            ExprKind::Closure(id) => self.closure(*id),
            ExprKind::Assign { place, value } => return self.assign(expr, place, value),
            ExprKind::Underscore => Typed::Unit,
            ExprKind::AssignOp { op, place, value } => self.assign_op(expr, *op, place, value),
            ExprKind::Block(block) => Typed::Block(self.block(block)),
            ExprKind::Labeled { id, label, body } => {
                Typed::Labeled { id: *id, label: label.clone(), body: self.block(body) }
            }
            ExprKind::If { cond, then, otherwise, attr } => {
                let (cond, then) = (self.boxed(cond), self.block(then));
                if otherwise.is_none() {
                    self.static_assertion(expr.loc, &cond, &then);
                }
                let otherwise = otherwise.as_ref().map(|otherwise| self.boxed(otherwise));
                Typed::If { cond, then, otherwise, attr: *attr }
            }
            ExprKind::Let { pattern, value } => {
                let value = self.boxed(value);
                Typed::Let { pattern: Box::new(self.pattern(pattern)), value }
            }
            ExprKind::Match { value, arms, attr, question_mark } => {
                self.match_expr(expr, value, arms, (*question_mark, *attr))
            }
            ExprKind::Loop { id, label, body } => {
                Typed::Loop { id: *id, label: label.clone(), body: self.block(body) }
            }
            ExprKind::While { id, label, cond, body } => {
                Typed::While { id: *id, label: label.clone(), cond: self.boxed(cond), body: self.block(body) }
            }
            ExprKind::For { id, label, pattern, iter, body }
                if let Some(Resolved::Invoke(next, args)) = self.infer.resolved(expr.id) =>
            {
                self.for_value(expr, (*id, label), (pattern, iter, body), (next, args))
            }
            ExprKind::For { id, label, pattern, iter, body } => {
                let iter = self.iter(iter);
                let pattern = self.irrefutable(pattern, &iter.item);
                let body = self.block(body);
                Typed::For { id: *id, label: label.clone(), pattern, iter: Box::new(iter), body }
            }
            ExprKind::Break { value, .. } => Typed::Break {
                target: self.target(expr),
                value: value.as_ref().map(|value| self.boxed(value)),
            },
            ExprKind::Continue { .. } => Typed::Continue { target: self.target(expr) },
            ExprKind::Return(value) => Typed::Return(value.as_ref().map(|value| self.boxed(value))),
            ExprKind::InlinePtx(ptx) => self.inline_ptx(expr, ptx),
            ExprKind::Panic(message) => self.panic(message),
            ExprKind::AssertCompare { holds, message } => self.assert_compare(expr, holds, message),
            ExprKind::Print { to, message } => self.print(*to, message),
        };
        let is_place =
            matches!(kind, Typed::Local(_) | Typed::Const(_) | Typed::Deref(_) | Typed::Field { .. });
        if !is_place {
            self.check_size(&ty, expr.loc);
        }
        typed::Expr { kind, ty, span }
    }

    pub(super) fn values(&mut self, exprs: &'p [Expr]) -> Vec<typed::Expr> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    pub(super) fn literal(&mut self, expr: &Expr, value: &Literal, ty: &Ty, negated: bool) -> ConstValue {
        let Ty::Scalar(ty) = ty else { return NOTHING };
        match literal::value(value, *ty, negated) {
            Ok(value) => value,
            Err(message) => {
                self.error(expr.loc, message);
                NOTHING
            }
        }
    }

    /// A literal of a primitive type that is a struct of the library: its bits in its fields, the lowest first.
    fn primitive(&mut self, expr: &Expr, value: &Literal, id: typed::StructId) -> Typed {
        let (Literal::Int { value, .. } | Literal::Primitive { value, .. }) = value else {
            return Typed::Literal(NOTHING);
        };
        let name = &self.infer.world.structs[id.0].name;
        let most = if name == "i128" { i128::MAX as u128 } else { u128::MAX };
        let Some(mut bits) = value.filter(|value| *value <= most) else {
            let message = format!(
                "expected a number that fits `{name}`, found a larger one\nhelp: use `{name}::MAX`, or a smaller number"
            );
            self.error(expr.loc, message);
            return Typed::Literal(NOTHING);
        };
        let mut fields = Vec::new();
        for (index, field) in self.infer.world.structs[id.0].fields.iter().enumerate() {
            let Ty::Scalar(scalar) = field.ty else { continue };
            let part = ConstValue { ty: scalar, bits: bits as u64 & (u64::MAX >> (64 - scalar.bits())) };
            bits = bits.checked_shr(scalar.bits()).unwrap_or(0);
            fields.push((
                index,
                typed::Expr { kind: Typed::Literal(part), ty: field.ty.clone(), span: expr.loc.start },
            ));
        }
        Typed::Struct { fields, base: None }
    }

    fn path(&mut self, expr: &Expr, ty: &Ty) -> Typed {
        match self.infer.table.expr(expr.id) {
            Meaning::Local(id) => {
                self.mentioned.insert(id);
                return Typed::Local(id);
            }
            Meaning::Variant(_, index) => return Typed::Variant(index),
            Meaning::None => return Typed::None,
            _ => {}
        }
        match self.infer.resolved(expr.id) {
            Some(Resolved::Const(id, args)) => self.constant(id, args),
            Some(Resolved::Invoke(function, args)) => self.invoke(expr, function, args, Vec::new()),
            Some(Resolved::Known(value)) => Typed::Path(value),
            Some(Resolved::Constructor) => Typed::Struct { fields: Vec::new(), base: None },
            Some(Resolved::Variant(index)) => self.variant_value(ty, index, Vec::new(), expr.loc.start),
            _ => match (ty, &expr.kind) {
                (Ty::Function(id), _) => {
                    self.safe_to_hand_over(expr, self.infer.world.instances[id.0].function);
                    self.note_call(*id, expr);
                    Typed::Function
                }
                // A variant behind a type parameter.
                (Ty::Enum(id), ExprKind::Path { path, .. }) => {
                    let name = path.segments.last().map(|segment| &segment.ident);
                    let variants = &self.infer.world.enums[id.0].variants;
                    Typed::Variant(variants.iter().position(|variant| Some(&variant.0) == name).unwrap_or(0))
                }
                _ => Typed::Literal(NOTHING),
            },
        }
    }

    fn unary(&mut self, expr: &'p Expr, op: UnaryOp, arg: &'p Expr, ty: &Ty) -> Typed {
        if let Some(Resolved::Invoke(function, args)) = self.infer.resolved(expr.id) {
            let arg = self.value(arg);
            return self.invoke(expr, function, args, vec![arg]);
        }
        let arg = match (&arg.kind, op) {
            (ExprKind::Literal(value), UnaryOp::Neg) => {
                let kind = Typed::Literal(self.literal(arg, value, ty, true));
                Box::new(typed::Expr { kind, ty: ty.clone(), span: arg.loc.start })
            }
            _ => self.boxed(arg),
        };
        Typed::Unary { op, arg }
    }

    fn reference(&mut self, expr: &'p Expr, place: &'p Expr, mutable: bool, ty: Ty) -> typed::Expr {
        let span = expr.loc.start;
        let built = self.place_of(place, mutable);
        // `&x[a..b]`: the part is a slice already.
        if let (Ty::Slice { .. }, Ty::Slice { mutable: given, .. }) = (&ty, &built.ty)
            && !matches!(ty, Ty::Ref { .. })
        {
            if mutable == *given {
                return typed::Expr { ty, ..built };
            }
            if let Typed::Subslice { .. } = built.kind {
                return typed::Expr { ty, ..built };
            }
            let kind = Typed::Subslice { base: Box::new(built), start: None, end: None, inclusive: false };
            return typed::Expr { kind, ty, span };
        }
        if mutable {
            self.require_mutable(&built, place);
        }
        typed::Expr { kind: Typed::Ref(Box::new(built)), ty, span }
    }

    fn binary(&mut self, expr: &'p Expr, op: BinaryOp, lhs: &'p Expr, rhs: &'p Expr) -> Typed {
        let (mut left, mut right) = (self.value(lhs), self.value(rhs));
        match self.infer.resolved(expr.id) {
            Some(Resolved::Invoke(function, args)) => {
                if op.compares() {
                    (left, right) = (compared(left), compared(right));
                }
                return self.invoke(expr, function, args, vec![left, right]);
            }
            Some(Resolved::InvokeNot(function, args)) => {
                let kind = self.invoke(expr, function, args, vec![compared(left), compared(right)]);
                let call = typed::Expr { kind, ty: Ty::Scalar(Scalar::Bool), span: expr.loc.start };
                return Typed::Unary { op: UnaryOp::Not, arg: Box::new(call) };
            }
            Some(Resolved::InvokeOrder(function, args, then)) => {
                let ty = self.infer.result_of(function, &args);
                let kind = self.invoke(expr, function, args, vec![compared(left), compared(right)]);
                let call = typed::Expr { kind, ty, span: expr.loc.start };
                return self.invoke(expr, then, [].into(), vec![call]);
            }
            Some(Resolved::Splat) => right = self.splat(right, &left.ty),
            _ => {}
        }
        self.check_literal(op, &left.ty, &right, rhs.loc);
        Typed::Binary { op, lhs: Box::new(left), rhs: Box::new(right) }
    }

    /// A literal that no left operand goes with: the lints of rustc that say it are off in the copy.
    fn check_literal(&mut self, op: BinaryOp, left: &Ty, right: &typed::Expr, at: Loc) {
        if let (Ty::Scalar(scalar), Typed::Literal(value)) = (left, &right.kind)
            && scalar.is_int()
            && let Some(mistake) = arith::refused(op, *scalar, literal::to_int(*value))
        {
            self.error(at, mistake);
        }
    }

    fn splat(&mut self, lane: typed::Expr, vector: &Ty) -> typed::Expr {
        let span = lane.span;
        let kind = Typed::Call { builtin: crate::builtins::Builtin::VectorSplat, args: vec![lane] };
        typed::Expr { kind, ty: vector.clone(), span }
    }

    fn field(&mut self, base: &'p Expr, member: &syn::Member, mutable: bool) -> Typed {
        let base = self.place_of(base, mutable);
        let name = match member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(index) => index.index.to_string(),
        };
        let index = match &base.ty {
            Ty::Dim3 => return Typed::Axis { base: Box::new(base), axis: axis(&name).unwrap_or(0) },
            Ty::Vector(..) => axis(&name),
            Ty::Tuple(_) => name.parse().ok(),
            Ty::Struct(id) => {
                self.infer.world.structs[id.0].fields.iter().position(|field| field.member == *member)
            }
            _ => None,
        };
        Typed::Field { base: Box::new(base), index: index.unwrap_or(0) }
    }

    /// `base[index]`, for writing if `mutable`.
    pub(super) fn index(
        &mut self,
        expr: &'p Expr,
        base: &'p Expr,
        index: &'p Expr,
        ty: Ty,
        mutable: bool,
    ) -> typed::Expr {
        let span = expr.loc.start;
        if let Some(Resolved::UserIndex(read, write)) = self.infer.resolved(expr.id) {
            let place = self.place_of(base, mutable);
            let is_written = mutable && write.is_some();
            let (function, args) = match (mutable, write) {
                (true, Some(write)) => write,
                (true, None) => {
                    let help = match view(&self.infer.world.structs, &place.ty) {
                        Some(name) => format!("take a `{name}Mut`, and declare it `mut`"),
                        None => "write `impl core::ops::IndexMut` for it".to_owned(),
                    };
                    let message = format!(
                        "expected a type with elements that can be written, found one that has only `Index`\nhelp: {help}"
                    );
                    self.error(expr.loc, message);
                    read
                }
                (false, _) => read,
            };
            if is_written {
                self.require_mutable(&place, base);
            }
            let index = self.value(index);
            let kind = self.invoke(expr, function, args, vec![borrowed(place, mutable), index]);
            let reference = Ty::Ref { inner: Box::new(ty.clone()), mutable };
            let call = typed::Expr { kind, ty: reference, span };
            return typed::Expr { kind: Typed::Deref(Box::new(call)), ty, span };
        }
        if let ExprKind::Range { start, end, inclusive } = &index.kind {
            let base = self.range_base(base, mutable);
            let kind = Typed::Subslice {
                base: Box::new(base),
                start: start.as_ref().map(|start| self.boxed(start)),
                end: end.as_ref().map(|end| self.boxed(end)),
                inclusive: *inclusive,
            };
            return typed::Expr { kind, ty, span };
        }
        if let Some(Resolved::RangeIndex) = self.infer.resolved(expr.id) {
            return self.part(base, index, ty, mutable);
        }
        let base = self.place_of(base, mutable);
        let at = index.loc;
        let index = self.boxed(index);
        // rustc says it in functions alone, not in the copy. An index that generic arguments make may be guarded by them.
        if let (Ty::Array(_, len), Typed::Literal(literal)) = (&base.ty, &index.kind)
            && literal.bits >= *len
        {
            let message = match len {
                0 => "expected an array with elements, found an empty one\nhelp: make it longer".to_owned(),
                len => format!(
                    "expected an index below {len}, the length of the array, found {}\nhelp: write one from 0 to {}",
                    literal.bits,
                    len - 1
                ),
            };
            self.error(at, message);
        }
        typed::Expr { kind: Typed::Index { base: Box::new(base), index }, ty, span }
    }

    /// `base[range]` with a range that is a value: `{ let of = base; let range = …; of[range.start..range.end] }`.
    fn part(&mut self, base: &'p Expr, index: &'p Expr, ty: Ty, mutable: bool) -> typed::Expr {
        let span = base.place();
        let mut stmts = Vec::new();
        let base = self.range_base(base, mutable);
        let base = match base.kind {
            Typed::Local(_) => base,
            _ => {
                let (local, keeps) = self.kept("of", base, span);
                stmts.push(keeps);
                self.local(local, span)
            }
        };
        let mut range = self.value(index);
        if let Inferred::Struct(id, ends) = self.infer.expr_ty(index.id)
            && self.infer.is_of_library(id, "RangeInclusive")
        {
            range = self.without_end(index, range, ends);
        }
        let (range, keeps) = self.kept("range", range, span);
        stmts.push(keeps);
        let mut end = |index| {
            let base = Box::new(self.local(range, span));
            let kind = Typed::Field { base, index };
            Some(Box::new(typed::Expr { kind, ty: Ty::Scalar(Scalar::Usize), span }))
        };
        let kind = Typed::Subslice { base: Box::new(base), start: end(0), end: end(1), inclusive: false };
        let value = Some(Box::new(typed::Expr { kind, ty: ty.clone(), span }));
        typed::Expr { kind: Typed::Block(typed::Block { stmts, value, span }), ty, span }
    }

    /// A new variable and the `let` that gives it its value.
    fn kept(&mut self, name: &str, init: typed::Expr, span: Span) -> (LocalId, Stmt) {
        let local = self.temporary(name, init.ty.clone(), span);
        let pattern = typed::Pattern::Bind { local, mode: typed::BindMode::Value, inner: None };
        (local, Stmt::Let { pattern, init, otherwise: None, span })
    }

    /// A range that includes its end, as one that does not.
    fn without_end(&mut self, index: &Expr, range: typed::Expr, ends: Rc<[Inferred]>) -> typed::Expr {
        let program = self.infer.world.program;
        let half_open = program.structs.iter().position(|decl| decl.scope.is_library && decl.name == "Range");
        let function = self.infer.world.library.get("index_of_range_inclusive").copied();
        let (Some(half_open), Some(function)) = (half_open, function) else { return range };
        let Some(function) = self.instance(index.loc, function, Rc::from([])) else { return range };
        let ty = self.infer.intern(&Inferred::Struct(StructDeclId(half_open), ends));
        typed::Expr { kind: Typed::Invoke { function, args: vec![range] }, ty, span: index.place() }
    }

    /// The base of an index by a range: an array is borrowed mutably only if the part is.
    fn range_base(&mut self, base: &'p Expr, mutable: bool) -> typed::Expr {
        let mut built = self.unadjusted(base, mutable);
        for adjust in self.infer.adjusts(base.id).to_vec() {
            let adjust = match adjust {
                Adjust::Ref(_) => Adjust::Ref(mutable),
                Adjust::Unsize(_) => Adjust::Unsize(mutable),
                other => other,
            };
            built = match adjust {
                Adjust::Own(index) => self.own_deref(base, built, index, mutable),
                _ => self.adjusted(base, built, adjust),
            };
        }
        built
    }

    fn struct_expr(
        &mut self,
        expr: &Expr,
        (written, ty): (&ast::Type, &Ty),
        fields: &'p [(syn::Member, Expr)],
        base: Option<&'p Expr>,
    ) -> Typed {
        let Inferred::Struct(id, _) = self.infer.expr_ty(expr.id) else { return Typed::Unit };
        let variant = self.infer.variant_of(written.id);
        let fields = fields.iter().map(|(member, value)| {
            let index = self.infer.field_index(id, variant, member).unwrap_or(0);
            (index, self.value(value))
        });
        let fields = fields.collect();
        if let Some(variant) = variant {
            return self.variant_value(ty, variant, fields, expr.loc.start);
        }
        Typed::Struct { fields, base: base.map(|base| self.boxed(base)) }
    }

    /// A variant of an enum with data, with the values of its fields by their numbers.
    pub(super) fn variant_value(
        &mut self,
        ty: &Ty,
        index: usize,
        values: Vec<(usize, typed::Expr)>,
        span: Span,
    ) -> Typed {
        let Ty::Struct(id) = ty else { return Typed::Unit };
        let def = &self.infer.world.structs[id.0];
        // A type that holds itself was reported, and has no fields.
        let (Some(tag), Some(variant)) = (def.fields.first(), def.variants.get(index)) else {
            return Typed::Unit;
        };
        let tag = typed::Expr { kind: Typed::Variant(index), ty: tag.ty.clone(), span };
        let values = values.into_iter().map(|(field, value)| (variant.fields[field].1, value));
        Typed::Struct { fields: std::iter::once((0, tag)).chain(values).collect(), base: None }
    }

    fn assign(&mut self, expr: &'p Expr, place: &'p Expr, value: &'p Expr) -> typed::Expr {
        let span = expr.loc.start;
        let unit = |kind| typed::Expr { kind, ty: Ty::Unit, span };
        if is_destructuring(place) {
            let mut stmts = Vec::new();
            self.destructure(place, value, &mut stmts);
            return unit(Typed::Block(typed::Block { stmts, value: None, span }));
        }
        if let ExprKind::Underscore = place.kind {
            let stmts = vec![Stmt::Let {
                pattern: typed::Pattern::Wild,
                init: self.expr(value),
                otherwise: None,
                span,
            }];
            return unit(Typed::Block(typed::Block { stmts, value: None, span }));
        }
        let place = self.assigned_place(place, false);
        unit(Typed::Assign { place: Box::new(place), value: self.boxed(value) })
    }

    fn assign_op(&mut self, expr: &'p Expr, op: BinaryOp, place: &'p Expr, value: &'p Expr) -> Typed {
        match self.infer.resolved(expr.id) {
            Some(Resolved::Invoke(function, args)) => {
                let wide = self.infer.expr_ty(place.id);
                let is_wide = self.infer.primitive(&wide).is_some();
                let built = self.assigned_place(place, true);
                let given = self.value(value);
                if !is_wide || only_reads(value) {
                    return self.invoke(expr, function, args, vec![borrowed(built, true), given]);
                }
                // Of a number the value is evaluated before the place.
                let span = expr.loc.start;
                let (local, keeps) = self.kept("value", given, span);
                let given = self.local(local, span);
                let kind = self.invoke(expr, function, args, vec![borrowed(built, true), given]);
                let call = Stmt::Expr(typed::Expr { kind, ty: Ty::Unit, span });
                return Typed::Block(typed::Block { stmts: vec![keeps, call], value: None, span });
            }
            Some(Resolved::Splat) => {
                let place = self.assigned_place(place, true);
                let value = self.value(value);
                let value = self.splat(value, &place.ty);
                return Typed::AssignOp { op, place: Box::new(place), value: Box::new(value) };
            }
            _ => {}
        }
        let reads = only_reads(value) || only_reads_locals(place);
        let is_reference = matches!(self.infer.expr_ty(value.id), Inferred::Ref(..));
        let mut place = self.assigned_place(place, true);
        let at = value.loc;
        let value = self.value(value);
        self.check_literal(op, &place.ty, &value, at);
        let is_struct = matches!(place.ty, Ty::Vector(..) | Ty::Scalar(Scalar::F16 | Scalar::Bf16));
        if reads || !(is_struct || is_reference) {
            return Typed::AssignOp { op, place: Box::new(place), value: Box::new(value) };
        }
        // To rustc a call of `add_assign(&mut place, value)`, which borrows the place before the value changes what it is found by.
        let (span, ty) = (expr.loc.start, place.ty.clone());
        let (local, keeps) = self.kept("place", borrowed(place, true), span);
        place = typed::Expr { kind: Typed::Deref(Box::new(self.local(local, span))), ty, span };
        let kind = Typed::AssignOp { op, place: Box::new(place), value: Box::new(value) };
        let update = Stmt::Expr(typed::Expr { kind, ty: Ty::Unit, span });
        Typed::Block(typed::Block { stmts: vec![keeps, update], value: None, span })
    }

    /// `(a, b) = value`: the value is taken apart into variables, which then are assigned.
    pub(super) fn destructure(&mut self, place: &'p Expr, value: &'p Expr, stmts: &mut Vec<Stmt>) {
        let init = self.expr(value);
        let mut assigns = Vec::new();
        let pattern = self.destructured(place, &mut assigns);
        stmts.push(Stmt::Let { pattern, init, otherwise: None, span: place.loc.start });
        stmts.extend(assigns);
    }

    fn destructured(&mut self, place: &'p Expr, assigns: &mut Vec<Stmt>) -> typed::Pattern {
        match &place.kind {
            ExprKind::Underscore => typed::Pattern::Wild,
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                let parts =
                    parts.iter().enumerate().map(|(index, part)| (index, self.destructured(part, assigns)));
                typed::Pattern::Fields(parts.collect())
            }
            _ => {
                let span = place.loc.start;
                let place = self.assigned_place(place, false);
                let local = self.temporary("part", place.ty.clone(), span);
                let value = self.local(local, span);
                let kind = Typed::Assign { place: Box::new(place), value: Box::new(value) };
                assigns.push(Stmt::Expr(typed::Expr { kind, ty: Ty::Unit, span }));
                typed::Pattern::Bind { local, mode: typed::BindMode::Value, inner: None }
            }
        }
    }

    fn match_expr(
        &mut self,
        expr: &'p Expr,
        value: &'p Expr,
        arms: &'p [ast::Arm],
        (question_mark, attr): (bool, Option<typed::BranchAttr>),
    ) -> Typed {
        let value_loc = value.loc;
        let value = self.boxed(value);
        // Of `value?`, which has arms for both.
        let arms = match (question_mark, self.infer.resolved(expr.id)) {
            (true, Some(Resolved::QuestionMark(tried))) => tried.arms(arms),
            _ => arms,
        };
        let arms: Vec<typed::Arm> = arms
            .iter()
            .map(|arm| typed::Arm {
                pattern: self.pattern(&arm.pattern),
                guard: arm.guard.as_ref().map(|guard| self.value(guard)),
                body: self.value(&arm.body),
            })
            .collect();
        self.must_be_exhaustive(&value.ty, &arms, value_loc);
        Typed::Match { value, arms, attr }
    }

    fn target(&self, expr: &Expr) -> LoopId {
        match self.infer.table.expr(expr.id) {
            Meaning::Loop(id) => id,
            // Reported when names were resolved.
            _ => LoopId(0),
        }
    }
}

/// A reference to a place.
pub(super) fn borrowed(place: typed::Expr, mutable: bool) -> typed::Expr {
    let (ty, span) = (Ty::Ref { inner: Box::new(place.ty.clone()), mutable }, place.span);
    typed::Expr { kind: Typed::Ref(Box::new(place)), ty, span }
}

/// Returns true for a place that is found by no index: a variable, a field of one, what a reference refers to.
fn only_reads_locals(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Path { .. } => true,
        ExprKind::Field { base, .. } | ExprKind::Deref(base) => only_reads_locals(base),
        _ => false,
    }
}

/// Returns true for an expression in which nothing is assigned or borrowed mutably.
fn only_reads(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Path { .. } => true,
        ExprKind::Unary { arg, .. } | ExprKind::Cast { arg, .. } => only_reads(arg),
        ExprKind::Deref(base) | ExprKind::Field { base, .. } => only_reads(base),
        ExprKind::Ref { place, mutable } => !mutable && only_reads(place),
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Logical { lhs, rhs, .. } => {
            only_reads(lhs) && only_reads(rhs)
        }
        ExprKind::Index { base, index } => only_reads(base) && only_reads(index),
        ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter().all(only_reads),
        ExprKind::Call { callee, args } => only_reads(callee) && args.iter().all(only_reads),
        ExprKind::Method { receiver, args, .. } => only_reads(receiver) && args.iter().all(only_reads),
        _ => false,
    }
}

/// An operand of `==`, which takes it by reference; a slice is one.
fn compared(place: typed::Expr) -> typed::Expr {
    if matches!(place.ty, Ty::Slice { .. }) { place } else { borrowed(place, false) }
}

/// Returns true if a part of the type has a mistake.
pub(super) fn has_error(ty: &Inferred) -> bool {
    matches!(ty, Inferred::Error) || ty.children().into_iter().any(has_error)
}

/// Stands where a mistake was reported: the tree is not used then. See [`Checker::nothing`].
pub(super) const NOTHING: ConstValue = ConstValue { ty: Scalar::I32, bits: 0 };

/// The name of the view that kernels only read: `Matrix`.
fn view(structs: &[typed::StructDef], ty: &Ty) -> Option<&'static str> {
    let Ty::Struct(id) = ty else { return None };
    let name = structs[id.0].name.split('<').next();
    ["Matrix", "Volume"].into_iter().find(|view| name == Some(view))
}
