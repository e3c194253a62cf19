//! Expressions other than blocks, operators, calls and paths.

use std::rc::Rc;

use super::method::Method;
use super::{Adjust, Cast, Hint, Infer, Kind, Resolved, Ty};
use crate::ast::{Expr, ExprKind, InlineOperand, InlinePtx, Literal, Message, MessageArg, MessageUse, Type};
use crate::builtins::Class;
use crate::device::primitives;

impl<'p> Infer<'_, 'p> {
    /// The type of an expression, kept in the table. With [`Hint::Must`] the caller still has to compare.
    pub(super) fn expr(&mut self, expr: &'p Expr, hint: &Hint) -> Ty {
        // An argument may be looked at twice: what was found at first does not count.
        if !self.adjusts.is_empty() {
            self.adjusts.remove(&expr.id);
        }
        let fused = std::mem::take(&mut self.fused) || !self.has_iterators();
        let mut ty = self.expr_kind(expr, hint, fused);
        if self.vars.is_large(&ty) {
            self.world.diagnostics.error_at_first(expr.loc, super::types::TOO_LARGE);
            ty = Ty::Error;
        }
        if ty == Ty::Never {
            self.diverges = true;
        }
        self.exprs[expr.id.0] = ty.clone();
        ty
    }

    /// An expression that must be of this type, or of type `!`. Its own type, or [`Ty::Error`] after a report.
    pub(super) fn coerce(&mut self, expr: &'p Expr, expected: &Ty) -> Ty {
        let found = self.expr(expr, &Hint::Must(expected.clone()));
        self.coerce_found(expr, found, expected)
    }

    /// The rest of [`Self::coerce`] once the expression's own type is known.
    fn coerce_found(&mut self, expr: &'p Expr, found: Ty, expected: &Ty) -> Ty {
        if found == Ty::Never || self.coerce_to(expr, &found, expected) {
            return found;
        }
        self.report_mismatch(expr, expected, &found);
        self.exprs[expr.id.0] = Ty::Error;
        Ty::Error
    }

    /// Makes `found` fit, by what Rust does silently to references.
    pub(super) fn coerce_to(&mut self, expr: &'p Expr, found: &Ty, expected: &Ty) -> bool {
        let (want, have) = (self.vars.shallow(expected), self.vars.shallow(found));
        match (&want, &have) {
            (Ty::Slice(element, mutable), Ty::Slice(given, given_mutable)) if mutable != given_mutable => {
                let fits = *given_mutable && self.vars.try_unify(element, given);
                if fits {
                    self.adjust(expr, [Adjust::Share]);
                }
                fits
            }
            (Ty::Slice(element, mutable), Ty::Ref(inner, given_mutable)) => {
                if *mutable && !given_mutable {
                    return false;
                }
                let (element, mutable) = (element.clone(), *mutable);
                self.deref_to_slice(expr, inner, &element, mutable)
            }
            (Ty::Ref(to, mutable), Ty::Ref(inner, given_mutable)) => {
                if *mutable && !given_mutable {
                    return false;
                }
                if mutable == given_mutable && self.vars.try_unify(to, inner) {
                    return true;
                }
                // Deref coercion through further references.
                let mut adjusts = vec![Adjust::Deref];
                let mut place = self.vars.shallow(inner);
                loop {
                    if self.vars.try_unify(to, &place) {
                        adjusts.push(Adjust::Ref(*mutable));
                        self.adjust(expr, adjusts);
                        return true;
                    }
                    let next = match &place {
                        Ty::Ref(next, through) if *through || !mutable => (Adjust::Deref, (**next).clone()),
                        Ty::Shared(next) => (Adjust::Deref, (**next).clone()),
                        own => match self.dereferenced(own, *mutable) {
                            Some(next) => next,
                            None => return false,
                        },
                    };
                    adjusts.push(next.0);
                    place = self.vars.shallow(&next.1);
                }
            }
            (Ty::Ptr(to, mutable), Ty::Ref(inner, given) | Ty::Ptr(inner, given))
                if *given || !mutable || matches!(have, Ty::Ptr(..)) =>
            {
                let is_same = matches!(have, Ty::Ptr(..)) && mutable == given;
                let fits = (*given || !mutable) && self.vars.try_unify(to, inner);
                if fits && !is_same {
                    self.adjust(expr, [Adjust::Raw(*mutable)]);
                }
                fits
            }
            (Ty::FnPtr(parts), Ty::Function(function, args)) => {
                let (params, result) = self.world.signature(&mut self.vars, *function, args);
                let own: Rc<[Ty]> = params.into_iter().chain([result]).collect();
                let fits = self.vars.try_unify(&Ty::FnPtr(own), &want);
                if fits {
                    self.pointer_types.push(parts.clone());
                    self.adjust(expr, [Adjust::Point(self.pointer_types.len() - 1)]);
                }
                fits
            }
            (Ty::FnPtr(parts), Ty::Closure(owner, id)) if *owner == self.me => {
                let Some((params, result)) = self.closure_signature(*owner, *id) else { return false };
                let own: Rc<[Ty]> = params.into_iter().chain([result]).collect();
                let fits = self.vars.try_unify(&Ty::FnPtr(own), &want);
                if fits {
                    self.pointer_types.push(parts.clone());
                    self.adjust(expr, [Adjust::Point(self.pointer_types.len() - 1)]);
                }
                fits
            }
            _ => self.vars.try_unify(&want, &have),
        }
    }

    fn deref_to_slice(&mut self, expr: &'p Expr, inner: &Ty, element: &Ty, mutable: bool) -> bool {
        let mut adjusts = vec![Adjust::Deref];
        let mut place = self.vars.shallow(inner);
        loop {
            let next = match &place {
                Ty::Array(given, _) => {
                    if !self.vars.try_unify(element, given) {
                        return false;
                    }
                    match adjusts.len() {
                        1 => adjusts.clear(),
                        _ => adjusts.push(Adjust::Ref(mutable)),
                    }
                    adjusts.push(Adjust::Unsize(mutable));
                    self.adjust(expr, adjusts);
                    return true;
                }
                Ty::SharedDyn(given) => {
                    if !self.vars.try_unify(element, given) {
                        return false;
                    }
                    adjusts.push(Adjust::Unsize(mutable));
                    self.adjust(expr, adjusts);
                    return true;
                }
                Ty::Slice(given, given_mutable) => {
                    if mutable && !given_mutable || !self.vars.try_unify(element, given) {
                        return false;
                    }
                    if *given_mutable && !mutable {
                        adjusts.push(Adjust::Share);
                    }
                    self.adjust(expr, adjusts);
                    return true;
                }
                Ty::Ref(next, through) if *through || !mutable => (Adjust::Deref, (**next).clone()),
                Ty::Shared(next) => (Adjust::Deref, (**next).clone()),
                own => match self.dereferenced(own, mutable) {
                    Some(next) => next,
                    None => return false,
                },
            };
            adjusts.push(next.0);
            place = self.vars.shallow(&next.1);
        }
    }

    /// An expression whose value is needed: one of type `!` is refused.
    pub(super) fn operand(&mut self, expr: &'p Expr, hint: &Hint) -> Ty {
        let found = match hint {
            Hint::Must(ty) => self.coerce(expr, ty),
            Hint::None | Hint::Literal(_) => self.expr(expr, hint),
        };
        self.has_value(expr, found)
    }

    /// The rest of [`Self::operand`] with a [`Hint::Must`] once the expression's own type is known.
    pub(super) fn operand_found(&mut self, expr: &'p Expr, found: Ty, expected: &Ty) -> Ty {
        let found = self.coerce_found(expr, found, expected);
        self.has_value(expr, found)
    }

    /// The type of an operand; an error for one that never has a value.
    fn has_value(&mut self, expr: &'p Expr, found: Ty) -> Ty {
        if found != Ty::Never {
            return found;
        }
        let message =
            "expected a value, found an expression that never has one\nhelp: make it a statement of its own";
        self.error(expr.loc, message);
        self.exprs[expr.id.0] = Ty::Error;
        Ty::Error
    }

    fn expr_kind(&mut self, expr: &'p Expr, hint: &Hint, fused: bool) -> Ty {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, hint),
            ExprKind::Path { path, of, generics } => {
                self.path(expr, path, of.as_deref(), generics.as_ref(), hint)
            }
            ExprKind::Unary { op, arg } => self.unary(expr, *op, arg, hint),
            ExprKind::Deref(arg) => self.deref(arg, hint),
            ExprKind::Ref { place, mutable } => self.reference(place, *mutable, hint),
            ExprKind::Binary { op, lhs, rhs } => self.binary(expr, *op, lhs, rhs, hint),
            ExprKind::Logical { lhs, rhs, .. } => self.logical(lhs, rhs),
            ExprKind::Cast { arg, ty } => self.cast(expr, arg, ty),
            ExprKind::Field { base, member } => self.field(expr, base, member),
            ExprKind::Index { base, index } => self.index(expr, base, index),
            ExprKind::Range { start, end, inclusive } => {
                let ty = self.range(start.as_deref(), end.as_deref(), hint);
                if fused && !self.is_value_range(&ty) {
                    ty
                } else {
                    self.range_value(expr, (start.is_some(), end.is_some(), *inclusive), ty)
                }
            }
            ExprKind::Tuple(parts) => self.tuple(parts, hint),
            ExprKind::Array(parts) => self.array(parts, hint),
            ExprKind::Repeat { value, len } => {
                let element = self.element_hint(hint);
                let ty = self.element(value, &element);
                let env = self.env.clone();
                match self.world.array_len(&mut self.vars, &env, len) {
                    Some(len) if ty != Ty::Error => Ty::Array(Rc::new(ty), Rc::new(len)),
                    Some(_) | None => Ty::Error,
                }
            }
            ExprKind::Struct { ty, fields, base } => {
                self.struct_expr(expr, ty, fields, base.as_deref(), hint)
            }
            ExprKind::Call { callee, args } => {
                let ty = self.call(expr, callee, args, hint);
                self.returned(expr, ty)
            }
            ExprKind::Method { receiver, name, generics, args, of_traits } => {
                let call = Method {
                    expr,
                    receiver,
                    name,
                    generics: generics.as_ref(),
                    args,
                    hint: hint.clone(),
                    fused,
                    of_traits: *of_traits,
                };
                let ty = self.method_call(call, hint);
                self.returned(expr, ty)
            }
            ExprKind::Closure(id) => self.closure(*id, hint, expr.loc),
            ExprKind::Assign { place, value } => self.assign(place, value),
            ExprKind::Underscore => {
                let message = "expected a value, found `_`\nhelp: write the value: `_` stands for one that is not used, in patterns and on \
                               the left of `=`";
                self.error(expr.loc, message);
                Ty::Error
            }
            ExprKind::AssignOp { op, place, value } => {
                self.assign_op(expr, *op, place, value);
                Ty::Unit
            }
            ExprKind::Block(block) => self.block(block, hint),
            ExprKind::Labeled { id, body, .. } => self.labeled(*id, body, hint),
            ExprKind::If { cond, then, otherwise, .. } => {
                self.if_expr(expr, cond, then, otherwise.as_deref(), hint)
            }
            ExprKind::Let { pattern, value } => {
                let of_value = self.named_for(value, [pattern]);
                let ty = self.operand(value, &of_value);
                self.pattern_on(pattern, value, &ty);
                Ty::BOOL
            }
            ExprKind::Match { value, arms, question_mark, .. } => {
                self.match_expr(expr, value, arms, *question_mark, hint)
            }
            ExprKind::Loop { id, body, .. } => self.loop_expr(*id, body, hint),
            ExprKind::While { id, cond, body, .. } => self.while_expr(*id, cond, body),
            ExprKind::For { id, pattern, iter, body, .. } => self.for_expr(expr, *id, pattern, iter, body),
            ExprKind::Break { value, .. } => {
                self.break_expr(expr, value.as_deref());
                Ty::Never
            }
            ExprKind::Continue { .. } => Ty::Never,
            ExprKind::Return(value) => {
                self.return_expr(expr, value.as_deref());
                Ty::Never
            }
            ExprKind::InlinePtx(ptx) => self.inline_ptx(ptx),
            ExprKind::Panic(message) => {
                self.format_args(message);
                Ty::Never
            }
            ExprKind::AssertCompare { holds, message } => {
                self.operand(holds, &Hint::Must(Ty::BOOL));
                self.format_args(message);
                Ty::Unit
            }
            ExprKind::Print { message, .. } => {
                self.format_args(message);
                Ty::Unit
            }
        }
    }

    /// The type of a call, which is none of a function `-> !`.
    fn returned(&self, expr: &Expr, ty: Ty) -> Ty {
        match self.resolved.get(&expr.id) {
            Some(Resolved::Invoke(function, _)) if self.world.program.functions[function.0].diverges => {
                Ty::Never
            }
            _ => ty,
        }
    }

    /// The type of an `inline_ptx!`: that of its outputs.
    fn inline_ptx(&mut self, ptx: &'p InlinePtx) -> Ty {
        let env = self.env.clone();
        let mut outs = Vec::new();
        for operand in &ptx.operands {
            match operand {
                InlineOperand::In(value) => {
                    self.operand(value, &Hint::None);
                }
                InlineOperand::Out(ty) => outs.push(self.world.lower_type(&mut self.vars, &env, ty)),
                InlineOperand::InOut(value, ty) => {
                    let ty = self.world.lower_type(&mut self.vars, &env, ty);
                    self.operand(value, &Hint::Must(ty.clone()));
                    outs.push(ty);
                }
                // Evaluated when the text is put together.
                InlineOperand::Const(_) => {}
            }
        }
        let ty = match &outs[..] {
            [only] => only.clone(),
            _ => Ty::tuple(outs),
        };
        if let Some(cpu) = &ptx.cpu {
            self.coerce(cpu, &ty);
        }
        ty
    }

    /// The arguments of a format string: the references before them are followed, as `fmt` does.
    fn format_args(&mut self, message: &'p Message) {
        for MessageArg { value, uses, .. } in &message.args {
            let hint = match uses.contains(&MessageUse::Count) {
                true => Hint::Must(Ty::USIZE),
                false => Hint::None,
            };
            let ty = self.operand(value, &hint);
            let mut place = self.vars.shallow(&ty);
            while let Ty::Ref(inner, _) = &place {
                self.adjust(value, [Adjust::Deref]);
                place = self.vars.shallow(&inner.clone());
            }
            let primitive = self.primitive(&place);
            let is_wide = primitive.as_ref().is_some_and(|name| primitives::WIDE.contains(&name.as_str()));
            for how in uses {
                match how {
                    // The host makes characters and integers of 128 bits of their words.
                    MessageUse::Display if primitive.is_some() => {}
                    MessageUse::Int(_) | MessageUse::Number(_) if is_wide => {}
                    MessageUse::Display if matches!(place, Ty::Struct(..) | Ty::Enum(_)) => {
                        let found = self.describe(&place);
                        self.error(
                            value.loc,
                            format!(
                                "expected a scalar for `{{}}`, found {found}\nhelp: write `{{:?}}`, of a variable `{{name:?}}`, and \
                                 `#[derive(Debug)]` above the type"
                            ),
                        );
                    }
                    MessageUse::Display => self.claim(&place, Class::Scalar, value.loc, "{}"),
                    MessageUse::Int(format) => self.claim(&place, Class::Int, value.loc, format),
                    MessageUse::Number(format) => self.claim(&place, Class::Number, value.loc, format),
                    MessageUse::Count if self.vars.unify(&Ty::USIZE, &place).is_err() => {
                        self.report_mismatch(value, &Ty::USIZE, &place);
                    }
                    // `Debug` support is checked once all types are known.
                    MessageUse::Count | MessageUse::Debug => {}
                }
            }
        }
    }

    fn literal(&mut self, literal: &Literal, hint: &Hint) -> Ty {
        let (suffix, kind) = match literal {
            Literal::Bool(_) => return Ty::BOOL,
            Literal::Primitive { ty, .. } => return self.library_type(ty).unwrap_or(Ty::Error),
            Literal::Int { suffix, .. } => (suffix, Kind::Int),
            Literal::Float { suffix, .. } => (suffix, Kind::Float),
        };
        if let Some(suffix) = suffix {
            return Ty::Scalar(*suffix);
        }
        let var = self.vars.fresh(kind);
        if let Hint::Literal(ty) | Hint::Must(ty) = hint {
            // If it does not fit, `as` converts, and a mismatch is found by the caller.
            let _ = self.vars.try_unify(&var, ty);
        }
        self.vars.shallow(&var)
    }

    fn cast(&mut self, expr: &'p Expr, arg: &'p Expr, to: &'p Type) -> Ty {
        let env = self.env.clone();
        let ty = self.world.lower_type(&mut self.vars, &env, to);
        let found = self.operand(arg, &Hint::Literal(ty.clone()));
        // `*x as f32` of a reference is refused by Rust, and here.
        if let Ty::Ptr(to, _) = self.vars.shallow(&ty) {
            self.pointee(&to, &found);
        }
        if found != Ty::Error {
            self.casts.push(Cast { expr: expr.id, arg: arg.id, loc: arg.loc, to: ty.clone() });
        }
        match self.vars.shallow(&ty) {
            small if let Some(name) = self.small_float(&small) => {
                let help = format!("write `{name}::from_f32(x)`");
                self.error(
                    to.loc,
                    format!("expected a type that `as` can convert to, found `{name}`\nhelp: {help}"),
                );
                Ty::Error
            }
            Ty::Scalar(_) | Ty::Ptr(..) | Ty::Var(_) | Ty::Error => ty,
            known if self.primitive(&known).is_some() => ty,
            _ => {
                let name = self.describe(&ty);
                self.error(
                    to.loc,
                    format!("expected a scalar type after `as`, found {name}\nhelp: `as` converts numbers"),
                );
                Ty::Error
            }
        }
    }

    fn deref(&mut self, arg: &'p Expr, hint: &Hint) -> Ty {
        let hint = match hint {
            Hint::Must(_) | Hint::Literal(_) | Hint::None => Hint::None,
        };
        let ty = self.operand(arg, &hint);
        match self.known(&ty) {
            Ty::Ref(inner, _) | Ty::Shared(inner) | Ty::Ptr(inner, _) => self.vars.shallow(&inner),
            slice @ Ty::Slice(..) => slice,
            Ty::Error => Ty::Error,
            other if let Some((adjust, target)) = self.dereferenced(&other, false) => {
                self.adjust(arg, [adjust]);
                self.vars.shallow(&target)
            }
            other => {
                let found = self.describe(&other);
                // `x ** 2.0` is read as `x * (*2.0)`.
                let help = match self.number_kind(&other) {
                    Some(Kind::Float) => "leave the `*` out, or write `x.powf(y)` for a power",
                    Some(_) => "leave the `*` out, or write `x.pow(y)` for a power",
                    None => "leave the `*` out",
                };
                let message = format!("expected a reference after `*`, found {found}\nhelp: {help}");
                self.error(arg.loc, message);
                Ty::Error
            }
        }
    }

    /// The kind of a number; none for any other type.
    fn number_kind(&self, ty: &Ty) -> Option<Kind> {
        match self.vars.shallow(ty) {
            Ty::Scalar(scalar) if scalar.is_float() => Some(Kind::Float),
            Ty::Scalar(scalar) if scalar.is_int() => Some(Kind::Int),
            Ty::Var(var) => Some(self.vars.kind(var)).filter(|kind| *kind != Kind::Any),
            _ => None,
        }
    }

    fn reference(&mut self, place: &'p Expr, mutable: bool, hint: &Hint) -> Ty {
        let inner_hint = match hint {
            Hint::Must(ty) | Hint::Literal(ty) => match self.vars.shallow(ty) {
                Ty::Ref(inner, _) => Hint::Literal(self.vars.shallow(&inner)),
                Ty::Slice(element, _) => Hint::Literal(Ty::Array(element, Rc::new(self.vars.any()))),
                _ => Hint::None,
            },
            Hint::None => Hint::None,
        };
        let ty = self.operand(place, &inner_hint);
        match self.vars.shallow(&ty) {
            // `&x[a..b]`, `&*slice`: the place is what a slice refers to.
            Ty::Slice(element, through) if self.is_unsized(place) => {
                if mutable && !through {
                    self.report_shared_slice(place);
                }
                Ty::Slice(element, mutable)
            }
            Ty::Error => Ty::Error,
            other => other.reference(mutable),
        }
    }

    fn element_hint(&mut self, hint: &Hint) -> Ty {
        match hint {
            Hint::Must(ty) | Hint::Literal(ty) => match self.vars.shallow(ty) {
                Ty::Array(element, _) => self.vars.shallow(&element),
                _ => self.vars.any(),
            },
            Hint::None => self.vars.any(),
        }
    }

    /// An element of an array: coerced to the type of those before it.
    fn element(&mut self, expr: &'p Expr, element: &Ty) -> Ty {
        match self.operand(expr, &Hint::Must(element.clone())) {
            Ty::Error => Ty::Error,
            _ => element.clone(),
        }
    }

    fn array(&mut self, parts: &'p [Expr], hint: &Hint) -> Ty {
        let mut element = self.element_hint(hint);
        let mut failed = false;
        for (index, part) in parts.iter().enumerate() {
            failed |= self.element(part, &element) == Ty::Error;
            // Several functions or closures in an array are pointers to them.
            let known = self.vars.shallow(&element);
            let signature = match &known {
                _ if index > 0 || parts.len() == 1 => None,
                Ty::Function(function, args) => Some(self.world.signature(&mut self.vars, *function, args)),
                Ty::Closure(owner, id) => self.closure_signature(*owner, *id),
                _ => None,
            };
            if let Some((params, result)) = signature {
                element = Ty::FnPtr(params.into_iter().chain([result]).collect());
                failed |= !self.coerce_to(part, &known, &element.clone());
            }
        }
        if failed { Ty::Error } else { Ty::array(element, parts.len() as u64) }
    }

    fn tuple(&mut self, parts: &'p [Expr], hint: &Hint) -> Ty {
        let hints = match hint {
            Hint::Must(ty) | Hint::Literal(ty) => match self.vars.shallow(ty) {
                Ty::Tuple(hints) if hints.len() == parts.len() => Some(hints),
                _ => None,
            },
            Hint::None => None,
        };
        let types = parts.iter().enumerate().map(|(index, part)| match &hints {
            Some(hints) => {
                let hint = hints[index].clone();
                match self.operand(part, &Hint::Must(hint.clone())) {
                    Ty::Error => Ty::Error,
                    _ => hint,
                }
            }
            None => self.operand(part, &Hint::None),
        });
        Ty::tuple(types.collect())
    }

    fn range(&mut self, start: Option<&'p Expr>, end: Option<&'p Expr>, hint: &Hint) -> Ty {
        let hint = match hint {
            Hint::Must(ty) | Hint::Literal(ty) => match self.vars.shallow(ty) {
                Ty::Range(inner) => Hint::Literal(self.vars.shallow(&inner)),
                Ty::Struct(id, args) if self.is_of_library(id, "Range") => {
                    Hint::Literal(self.vars.shallow(&args[0]))
                }
                _ => Hint::None,
            },
            Hint::None => Hint::None,
        };
        // Literals last: those of 128 bits take the type of the other end.
        let mut parts: Vec<&Expr> = [start, end].into_iter().flatten().collect();
        let is_turned = parts.len() == 2 && is_of_literals(parts[0]);
        if is_turned {
            parts.reverse();
        }
        let mut ends: Vec<(&Expr, Ty)> = Vec::new();
        for part in parts {
            let hint = match (&hint, ends.first()) {
                (Hint::None, Some((_, other))) => self.wide_literals(other),
                (hint, _) => hint.clone(),
            };
            let ty = self.operand(part, &hint);
            ends.push((part, self.known(&ty)));
        }
        if is_turned {
            ends.reverse();
        }
        // A range of references, of which `contains` alone makes use, is one of what they lead to.
        if let [(_, Ty::Ref(left, _)), (_, Ty::Ref(right, _))] = &ends[..]
            && self.vars.try_unify(left, right)
            && matches!(self.vars.shallow(left), Ty::Scalar(_))
        {
            for (part, ty) in &mut ends {
                if let Ty::Ref(inner, _) = &*ty {
                    *ty = self.vars.shallow(inner);
                    self.adjust(part, [Adjust::Deref]);
                }
            }
        }
        // Of `0..x` with a float `x`, that is at fault.
        let int = |ty: &Ty| match self.vars.shallow(ty) {
            Ty::Scalar(scalar) => scalar.is_int(),
            Ty::Var(var) => self.vars.kind(var) == Kind::Int,
            _ => false,
        };
        let class = match ends.iter().any(|(_, ty)| int(ty)) {
            true => Class::Int,
            false => Class::Number,
        };
        for (part, ty) in &mut ends {
            // `contains` takes ranges of them, what counts asks again.
            let primitive = self.primitive(ty);
            if primitive.is_some_and(|name| name == primitives::CHAR || self.has_iterators())
                || self.is_ordered_own(ty)
            {
                continue;
            }
            *ty = self.claimed_if_known(ty.clone(), class, part, "..");
            if *ty == Ty::Error {
                break;
            }
        }
        // One mistake of both ends is one.
        if ends.iter().any(|(_, ty)| *ty == Ty::Error) {
            return Ty::Error;
        }
        let ty = match &ends[..] {
            [] => Ty::USIZE,
            [(_, only)] => only.clone(),
            [(lhs, left), (rhs, right), ..] => self.same(lhs, left, rhs, right),
        };
        Ty::Range(Rc::new(ty))
    }

    /// Returns true for a type of the user's with an order, of which ranges are values of the library that `contains` is asked of.
    fn is_ordered_own(&mut self, ty: &Ty) -> bool {
        matches!(ty, Ty::Struct(..) | Ty::Enum(_)) && self.has_iterators() && self.has_order(ty)
    }

    /// Returns true for a range of integers of 128 bits, which counts as an iterator of the library, or of a type of the user's.
    fn is_value_range(&mut self, ty: &Ty) -> bool {
        let Ty::Range(item) = ty else { return false };
        let item = self.known(item);
        self.is_ordered_own(&item)
            || self.primitive(&item).is_some_and(|name| primitives::WIDE.contains(&name.as_str()))
    }

    /// Returns true for a place of an unsized type: an index by a range, a dereferenced slice.
    pub(super) fn is_unsized(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Index { index, .. } => {
                matches!(index.kind, ExprKind::Range { .. })
                    || matches!(self.resolved.get(&expr.id), Some(Resolved::RangeIndex))
            }
            ExprKind::Deref(_) => true,
            _ => false,
        }
    }

    fn assign(&mut self, place: &'p Expr, value: &'p Expr) -> Ty {
        if is_destructuring(place) {
            let ty = self.destructured(place);
            self.operand(value, &Hint::Must(ty));
            return Ty::Unit;
        }
        if let ExprKind::Underscore = place.kind {
            self.exprs[place.id.0] = Ty::Unit;
            self.operand(value, &Hint::None);
            return Ty::Unit;
        }
        let ty = self.operand(place, &Hint::None);
        self.assigned = self.local_name(place).map(|name| (value.id, name));
        self.coerce(value, &ty);
        self.assigned = None;
        Ty::Unit
    }

    /// The type of a tuple, array or struct of places.
    fn destructured(&mut self, place: &'p Expr) -> Ty {
        let ty = match &place.kind {
            ExprKind::Underscore => self.vars.any(),
            ExprKind::Tuple(parts) => Ty::tuple(parts.iter().map(|part| self.destructured(part)).collect()),
            ExprKind::Array(parts) => {
                let element = self.vars.any();
                for part in parts {
                    let ty = self.destructured(part);
                    if self.vars.unify(&element, &ty).is_err() {
                        self.report_mismatch(part, &element, &ty);
                    }
                }
                Ty::array(element, parts.len() as u64)
            }
            _ => return self.operand(place, &Hint::None),
        };
        self.exprs[place.id.0] = ty.clone();
        ty
    }
}

/// Returns true for integers without a type, and what is computed of them.
pub(super) fn is_of_literals(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(Literal::Int { suffix, .. }) => suffix.is_none(),
        ExprKind::Unary { arg, .. } => is_of_literals(arg),
        ExprKind::Binary { lhs, rhs, .. } => is_of_literals(lhs) && is_of_literals(rhs),
        _ => false,
    }
}

/// The left side of a destructuring assignment.
pub(crate) fn is_destructuring(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Tuple(_) | ExprKind::Array(_))
}
