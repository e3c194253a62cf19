//! Raw pointers: their methods, the functions that make them, casts to them.

use std::rc::Rc;

use super::method::{Method, Step};
use super::{Cast, Hint, Infer, Kind, Resolved, Ty};
use crate::ast::{Expr, Generics};
use crate::builtins::{self, Builtin, PointerSlot, Signature};
use crate::typed::Scalar;

impl<'p> Infer<'_, 'p> {
    /// A method of a pointer to `pointee`.
    pub(super) fn pointer_method(
        &mut self,
        call: &Method<'p>,
        name: &str,
        step: &Step,
        pointee: &Rc<Ty>,
        mutable: bool,
    ) -> Option<Ty> {
        let cast = match name {
            "cast" => {
                let to = match call.generics {
                    Some(Generics { args, .. }) if args.len() == 1 => {
                        let env = self.env.clone();
                        self.world.lower_arg(&mut self.vars, &env, &args[0])
                    }
                    _ => self.vars.any(),
                };
                let ty = Ty::Ptr(Rc::new(to), mutable);
                if let Hint::Must(expected) = &call.hint {
                    let _ = self.vars.try_unify(&ty, expected);
                }
                Some(ty)
            }
            "cast_mut" => Some(Ty::Ptr(pointee.clone(), true)),
            "cast_const" => Some(Ty::Ptr(pointee.clone(), false)),
            "addr" => Some(Ty::USIZE),
            _ => None,
        };
        if let Some(ty) = cast {
            self.follow(call.receiver, step);
            if !call.args.is_empty() {
                self.report_count(call.expr.loc, name, 0, call.args.len());
                self.all(call.args);
                return Some(Ty::Error);
            }
            self.resolved.insert(call.expr.id, Resolved::Cast);
            return Some(self.vars.shallow(&ty));
        }
        let row = builtins::POINTER_METHODS.iter().find(|row| row.signature.name == name)?;
        self.follow(call.receiver, step);
        if row.writes && !mutable {
            let found = self.describe(&Ty::Ptr(pointee.clone(), false));
            let to = self.describe(pointee);
            let message = format!(
                "expected a pointer that can be written, found {found}\nhelp: take a `*mut {}` where it comes from",
                to.trim_matches('`')
            );
            self.error(call.receiver.loc, message);
            self.all(call.args);
            return Some(Ty::Error);
        }
        if row.params.len() != call.args.len() {
            self.report_count(call.expr.loc, name, row.params.len(), call.args.len());
            self.all(call.args);
            return Some(Ty::Error);
        }
        let slot = |slot| match slot {
            PointerSlot::Count => Ty::USIZE,
            PointerSlot::Distance => Ty::Scalar(Scalar::Isize),
            PointerSlot::Pointee => (**pointee).clone(),
            PointerSlot::Same => Ty::Ptr(pointee.clone(), mutable),
            PointerSlot::Const => Ty::Ptr(pointee.clone(), false),
            PointerSlot::Bool => Ty::BOOL,
            PointerSlot::Unit => Ty::Unit,
        };
        for (arg, param) in call.args.iter().zip(row.params) {
            self.operand(arg, &Hint::Must(slot(*param)));
        }
        self.resolved.insert(call.expr.id, Resolved::Builtin(&row.signature));
        Some(self.vars.shallow(&slot(row.result)))
    }

    /// `slice.as_ptr()`, `slice.as_mut_ptr()`
    pub(super) fn as_pointer(
        &mut self,
        call: &Method<'p>,
        writes: bool,
        step: &Step,
        element: Ty,
        mutable: bool,
    ) -> Ty {
        if !call.args.is_empty() {
            self.report_count(call.expr.loc, &call.name.to_string(), 0, call.args.len());
            self.all(call.args);
            return Ty::Error;
        }
        if writes && !mutable {
            self.report_shared_slice(call.receiver);
        }
        self.as_slice(call.receiver, step, writes);
        self.resolved.insert(call.expr.id, Resolved::Builtin(&builtins::SLICE_AS_PTR));
        Ty::Ptr(Rc::new(element), writes)
    }

    /// `ptr::null::<T>()`, `ptr::read_volatile(p)`, `slice::from_raw_parts(p, len)` and their like.
    pub(super) fn pointer_function(
        &mut self,
        expr: &'p Expr,
        function: &'static Signature,
        generics: Option<&'p Generics>,
        args: &[&'p Expr],
        hint: &Hint,
    ) -> Ty {
        let pointee = match generics {
            Some(Generics { args, .. }) if args.len() == 1 => {
                let env = self.env.clone();
                self.world.lower_arg(&mut self.vars, &env, &args[0])
            }
            _ => self.vars.any(),
        };
        let pointee = Rc::new(pointee);
        let mutable = function.name.ends_with("_mut");
        let (params, result) = match function.builtin {
            Builtin::SliceFromRaw => {
                (vec![Ty::Ptr(pointee.clone(), mutable), Ty::USIZE], Ty::Slice(pointee, mutable))
            }
            Builtin::PtrRead | Builtin::PtrReadVolatile => {
                (vec![Ty::Ptr(pointee.clone(), false)], (*pointee).clone())
            }
            Builtin::PtrWrite | Builtin::PtrWriteVolatile => {
                (vec![Ty::Ptr(pointee.clone(), true), (*pointee).clone()], Ty::Unit)
            }
            _ => (Vec::new(), Ty::Ptr(pointee, mutable)),
        };
        if params.len() != args.len() {
            self.report_count(expr.loc, function.name, params.len(), args.len());
            for arg in args {
                self.expr(arg, &Hint::None);
            }
            return Ty::Error;
        }
        if let Hint::Must(expected) = hint {
            match (&result, self.vars.shallow(expected)) {
                // A `null_mut()` may be wanted as a `*const T`.
                (Ty::Ptr(to, _), Ty::Ptr(wanted, _)) | (Ty::Slice(to, _), Ty::Slice(wanted, _)) => {
                    let _ = self.vars.try_unify(to, &wanted);
                }
                _ => {}
            }
        }
        for (arg, param) in args.iter().zip(&params) {
            self.operand(arg, &Hint::Must(param.clone()));
        }
        self.resolved.insert(expr.id, Resolved::Builtin(function));
        self.vars.shallow(&result)
    }

    /// The operand of `as *const to` decides what `_` is, and a literal there is a `usize`.
    pub(super) fn pointee(&mut self, to: &Ty, found: &Ty) {
        match self.vars.shallow(found) {
            Ty::Ref(inner, _) | Ty::Ptr(inner, _) if self.is_any(to) => {
                let _ = self.vars.try_unify(to, &inner);
            }
            Ty::Var(var) if self.vars.kind(var) == Kind::Int => {
                let _ = self.vars.try_unify(found, &Ty::USIZE);
            }
            _ => {}
        }
    }

    /// `arg as *const to`, or `*mut`.
    pub(super) fn judge_pointer_cast(&mut self, cast: &Cast, to: &Ty, mutable: bool) {
        let from = self.vars.shallow(&self.exprs[cast.arg.0]);
        let help = match &from {
            Ty::Error | Ty::Var(_) | Ty::Ptr(..) | Ty::Scalar(Scalar::Usize) => return,
            Ty::Ref(inner, given) if *given || !mutable => {
                if self.vars.try_unify(inner, to) {
                    return;
                }
                if let Ty::Array(element, _) = self.vars.shallow(inner)
                    && self.vars.try_unify(&element, to)
                {
                    return;
                }
                let inner = self.describe(inner);
                format!(
                    "cast it to a pointer to {inner} first: `as *{} _`",
                    if mutable { "mut" } else { "const" }
                )
            }
            Ty::Ref(..) => "it can only be read: take it by `&mut` where it comes from".to_owned(),
            Ty::Slice(..) | Ty::Array(..) | Ty::SharedDyn(_) => {
                format!("write `.{}()`", if mutable { "as_mut_ptr" } else { "as_ptr" })
            }
            Ty::Scalar(scalar) if scalar.is_int() => "write `as usize` first".to_owned(),
            _ => "a reference, another pointer or a `usize` can be one".to_owned(),
        };
        let (expected, found) = (self.describe(&Ty::Ptr(Rc::new(to.clone()), mutable)), self.describe(&from));
        self.error(
            cast.loc,
            format!(
                "expected what `as {}` can convert, found {found}\nhelp: {help}",
                expected.trim_matches('`')
            ),
        );
    }
}
