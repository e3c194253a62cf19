//! Calls of functions and methods.

use proc_macro2::Ident;

use super::{Hint, Infer, Kind, Ty};
use crate::ast::{Expr, ExprKind, Generics};
use crate::builtins::{self, Builtin, Signature, Slot};
use crate::diagnostics::did_you_mean;
use crate::resolve::Meaning;
use crate::typed::{self, Scalar};

impl Infer<'_> {
    pub(super) fn call(&mut self, expr: &Expr, generics: Option<&Generics>, args: &[Expr]) -> Ty {
        let Meaning::Function(function, scalar) = self.names.of(expr.id) else {
            self.all(args);
            return Ty::Error;
        };
        let shared = match (function.builtin == Builtin::Shared, generics) {
            (true, generics) => self.shared(expr, generics),
            (false, Some(generics)) => {
                let message =
                    format!("expected no generic arguments to `{}`\nhelp: leave them out", function.name);
                self.diagnostics.error(generics.loc, message);
                Ty::Error
            }
            (false, None) => Ty::Error,
        };
        let same = match scalar {
            Some(scalar) => Ty::scalar(scalar),
            None => self.vars.fresh(Kind::Any),
        };
        // `f32::max(a, b)` has its receiver among the arguments.
        let receiver = (function.form == builtins::Form::Method).then_some(Slot::Same);
        let slots: Vec<Slot> = receiver.into_iter().chain(function.params.iter().copied()).collect();
        if !self.arguments(expr, function, &slots, args, &same) {
            return Ty::Error;
        }
        if scalar.is_none() && slots.contains(&Slot::Same) {
            self.claim(&same, function.class, args[0].loc, function.name);
        }
        match function.result {
            Slot::Shared => shared,
            other => self.slot(other, &same),
        }
    }

    /// The type in `shared::<T>()`.
    fn shared(&mut self, expr: &Expr, generics: Option<&Generics>) -> Ty {
        match generics.map(|generics| (&generics.types[..], generics.loc)) {
            Some(([ty], _)) => match self.written(ty) {
                Ty::Known(ty) => Ty::Known(typed::Ty::Shared(Box::new(ty))),
                Ty::Var(_) | Ty::Error => Ty::Error,
            },
            other => {
                let loc = other.map_or(expr.loc, |(_, loc)| loc);
                let message = "expected the type of the shared array\nhelp: write `shared::<[f32; 256]>()`";
                self.diagnostics.error(loc, message);
                Ty::Error
            }
        }
    }

    fn all(&mut self, args: &[Expr]) {
        for arg in args {
            self.expr(arg, &Hint::None);
        }
    }

    fn arguments(
        &mut self,
        expr: &Expr,
        function: &Signature,
        slots: &[Slot],
        args: &[Expr],
        same: &Ty,
    ) -> bool {
        if slots.len() != args.len() {
            let expected = slots.len();
            let message = format!(
                "expected {expected} argument{} to `{}`, found {}\nhelp: {}",
                if expected == 1 { "" } else { "s" },
                function.name,
                args.len(),
                if args.len() > expected { "leave the rest out" } else { "add what is missing" }
            );
            self.diagnostics.error(expr.loc, message);
            self.all(args);
            return false;
        }
        for (slot, arg) in slots.iter().zip(args) {
            let ty = self.slot(*slot, same);
            self.operand(arg, &Hint::Must(ty));
        }
        true
    }

    fn slot(&self, slot: Slot, same: &Ty) -> Ty {
        match slot {
            Slot::Same => same.clone(),
            Slot::Fixed(scalar) => Ty::scalar(scalar),
            Slot::Unsigned => match self.vars.resolve(same) {
                Ty::Known(typed::Ty::Scalar(scalar)) => Ty::scalar(builtins::unsigned(scalar)),
                Ty::Known(_) | Ty::Var(_) | Ty::Error => Ty::Error,
            },
            Slot::Unit => Ty::UNIT,
            Slot::Dim3 => Ty::Known(typed::Ty::Dim3),
            Slot::Shared => Ty::Error,
        }
    }

    pub(super) fn method_call(&mut self, expr: &Expr, receiver: &Expr, name: &Ident, args: &[Expr]) -> Ty {
        let ty = self.operand(receiver, &Hint::None);
        let ty = self.vars.resolve(&ty);
        let written = name.to_string();
        let found = match &ty {
            Ty::Error => None,
            Ty::Var(_) => {
                self.report_ambiguous(receiver, name, &ty);
                None
            }
            Ty::Known(typed::Ty::Slice { .. } | typed::Ty::Shared(_)) if written == "len" => {
                builtins::method(&written)
            }
            Ty::Known(typed::Ty::Scalar(scalar)) => match builtins::method(&written) {
                Some(method) if method.class.holds(*scalar) && method.builtin != Builtin::Len => Some(method),
                other => {
                    self.report_no_method(name, &ty, other, Some(*scalar));
                    None
                }
            },
            Ty::Known(_) => {
                self.report_no_method(name, &ty, builtins::method(&written), None);
                None
            }
        };
        let Some(method) = found else {
            self.all(args);
            return Ty::Error;
        };
        if !self.arguments(expr, method, method.params, args, &ty) {
            return Ty::Error;
        }
        self.methods[expr.id.0] = Some(method);
        self.slot(method.result, &ty)
    }

    fn report_no_method(
        &mut self,
        name: &Ident,
        ty: &Ty,
        method: Option<&Signature>,
        scalar: Option<Scalar>,
    ) {
        let written = name.to_string();
        let found = self.describe(ty);
        let available = |row: &&Signature| {
            row.form == builtins::Form::Method
                && match scalar {
                    Some(scalar) => row.builtin != Builtin::Len && row.class.holds(scalar),
                    None => row.builtin == Builtin::Len,
                }
        };
        let known = builtins::OTHER_NAMES.iter().find(|row| row.0 == written);
        let near = did_you_mean(&written, builtins::TABLE.iter().filter(available).map(|row| row.name));
        let help = match (known, method, near) {
            (Some((_, help)), _, _) => (*help).to_owned(),
            (None, Some(method), _) if method.builtin == Builtin::Len => {
                "slices and shared arrays have a `len`".to_owned()
            }
            (None, Some(method), _) if scalar.is_some() => {
                format!("`{written}` is a method of {}: convert with `as`", plural(method.class.name()))
            }
            (None, _, Some(near)) => format!("did you mean `{near}`?"),
            (None, _, None) => match ty {
                Ty::Known(typed::Ty::Dim3) => "pick an axis: `.x`, `.y` or `.z`".to_owned(),
                _ => "write it with operators: this method is not supported yet".to_owned(),
            },
        };
        let message = format!("expected a method of {found}, found `{written}`\nhelp: {help}");
        self.diagnostics.error(name, message);
    }

    fn report_ambiguous(&mut self, receiver: &Expr, name: &Ident, ty: &Ty) {
        let found = self.describe(ty);
        let help = match (&receiver.kind, self.names.of(receiver.id)) {
            (_, Meaning::Local(id)) => {
                let local = &self.kernel.locals[id.0].name;
                let example = self.example(ty);
                format!("write the type of `{local}` where it is declared: `{local}: {example}`")
            }
            (ExprKind::Literal(_), _) => {
                format!("write the literal with its type, as in `{}`", self.example_literal(ty))
            }
            _ => "give the value to a variable with a type: `let value: f32 = …;`".to_owned(),
        };
        let message = format!(
            "expected a known type before `.{name}()`, found {found} whose type is not decided yet\nhelp: {help}"
        );
        self.diagnostics.error(receiver.loc, message);
    }
}

/// "a float" as "floats".
fn plural(name: &str) -> String {
    let name = name.trim_start_matches("a ").trim_start_matches("an ");
    format!("{name}s")
}
