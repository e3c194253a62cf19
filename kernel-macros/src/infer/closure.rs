//! Closures, and what stands where something that can be called is expected.

use super::{Hint, Infer, NO_INSTANCE, Ty};
use crate::ast::Expr;
use crate::diagnostics::Loc;
use crate::typed::ClosureId;

impl<'p> Infer<'_, 'p> {
    /// `|a, b| body`
    pub(super) fn closure(&mut self, id: ClosureId, hint: &Hint, loc: Loc) -> Ty {
        let closure = &self.text_closures[id.0];
        let expected = match hint {
            Hint::Must(ty) | Hint::Literal(ty) => self.bound(ty),
            Hint::None => None,
        };
        if let Some((takes, gives)) = &expected
            && takes.len() != closure.params.len()
        {
            // Its result is not asked for again.
            let _ = self.vars.try_unify(gives, &Ty::Error);
            let (expected, found) = (takes.len(), closure.params.len());
            self.report_arity(expected, found, loc);
            self.only_arity(id, found);
            return Ty::Error;
        }
        let env = self.env.clone();
        let mut params = Vec::with_capacity(closure.params.len());
        for (index, (_, ty)) in closure.params.iter().enumerate() {
            let given = match ty {
                Some(ty) => self.world.lower_type(&mut self.vars, &env, ty),
                // Of a call that was refused.
                None if matches!(hint, Hint::Must(Ty::Error)) => Ty::Error,
                None => self.vars.any(),
            };
            // The caller reports a mismatch.
            if let Some((expected, _)) = &expected
                && let Some(expected) = expected.get(index)
            {
                let _ = self.vars.try_unify(&given, expected);
            }
            params.push(given);
        }
        let result = match (&closure.result, &expected) {
            (Some(ty), _) => self.world.lower_type(&mut self.vars, &env, ty),
            (None, Some((_, result))) => result.clone(),
            (None, None) => self.vars.any(),
        };
        self.closures[id.0] = Some((params.clone(), result.clone()));
        for ((pattern, _), ty) in closure.params.iter().zip(&params) {
            self.pattern(pattern, ty);
        }
        let before = self.diverges;
        self.results.push(result.clone());
        if self.coerce(&closure.body, &result) == Ty::Never && self.is_any(&result) {
            let _ = self.vars.try_unify(&result, &Ty::Unit);
        }
        self.results.pop();
        self.diverges = before;
        if self.me == NO_INSTANCE {
            self.error(
                closure.body.loc,
                "expected a constant expression, found a closure\nhelp: write a `const fn`",
            );
            return Ty::Error;
        }
        Ty::Closure(self.me, id)
    }

    /// The signature with which a parameter of this type can be called.
    pub(super) fn bound(&self, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        let mut ty = self.vars.shallow(ty);
        while let Ty::Ref(inner, _) = &ty {
            ty = self.vars.shallow(&inner.clone());
        }
        if let Ty::FnPtr(parts) = &ty {
            return parts.split_last().map(|(result, params)| (params.to_vec(), result.clone()));
        }
        let found = self.bounds.iter().rev().find(|(of, ..)| self.vars.shallow(of) == ty)?;
        Some((found.1.clone(), found.2.clone()))
    }

    /// An argument that must be callable with these, and give this.
    pub(super) fn callable_arg(&mut self, arg: &'p Expr, params: &[Ty], result: &Ty) {
        let ty = self.vars.any();
        self.bounds.push((ty.clone(), params.to_vec(), result.clone()));
        let found = self.operand(arg, &Hint::Must(ty.clone()));
        self.bounds.pop();
        if found == Ty::Error {
            let _ = self.vars.try_unify(result, &Ty::Error);
        } else {
            self.callable(&ty, params, result, arg.loc);
        }
    }

    /// Callable types must have these signatures.
    pub(super) fn hold_to_bounds(&mut self, bounds: Vec<(Ty, Vec<Ty>, Ty)>, loc: Loc) {
        for (ty, params, result) in bounds {
            self.callable(&ty, &params, &result, loc);
        }
    }

    fn report_arity(&mut self, expected: usize, found: usize, loc: Loc) {
        let plural = if expected == 1 { "" } else { "s" };
        let message = format!(
            "expected a closure that takes {expected} argument{plural}, found one that takes {found}\nhelp: write it with {expected} \
             parameter{plural}"
        );
        self.error(loc, message);
    }

    /// The signature of a closure that was refused: nothing in it is looked at.
    fn only_arity(&mut self, id: ClosureId, params: usize) {
        self.closures[id.0] = Some((vec![Ty::Error; params], Ty::Error));
        let closure = &self.text_closures[id.0];
        for (pattern, _) in &closure.params {
            self.pattern(pattern, &Ty::Error);
        }
        self.results.push(Ty::Error);
        let _ = self.coerce(&closure.body, &Ty::Error);
        self.results.pop();
    }

    /// The type must be callable with these, and give this.
    pub(super) fn callable(&mut self, ty: &Ty, params: &[Ty], result: &Ty, loc: Loc) {
        let mut place = self.known(ty);
        while let Ty::Ref(inner, _) = &place {
            place = self.vars.shallow(&inner.clone());
        }
        let signature = match &place {
            Ty::Closure(owner, id) => self.closure_signature(*owner, *id),
            Ty::Function(function, types) => {
                Some(self.world.signature(&mut self.vars, *function, &types.clone()))
            }
            Ty::FnPtr(parts) => parts.split_last().map(|(result, params)| (params.to_vec(), result.clone())),
            Ty::Error => return,
            Ty::Var(_) if let Some(signature) = self.signature_of_opaque(&place) => Some(signature),
            other => {
                let found = self.describe(other);
                self.error(
                    loc,
                    format!("expected a closure or a function, found {found}\nhelp: write `|value| …`"),
                );
                let _ = self.vars.try_unify(result, &Ty::Error);
                return;
            }
        };
        let Some((takes, gives)) = signature else { return };
        if takes.len() != params.len() {
            self.report_arity(params.len(), takes.len(), loc);
            for unknown in takes.iter().chain([&gives, result]) {
                let _ = self.vars.try_unify(unknown, &Ty::Error);
            }
            return;
        }
        for (takes, given) in takes.iter().zip(params) {
            if !self.vars.try_unify(takes, given) {
                let (expected, found) = (self.describe(given), self.describe(takes));
                let message = format!(
                    "expected a closure that takes {expected}, found one that takes {found}\nhelp: leave the parameter's type out, or write {expected}"
                );
                self.error(loc, message);
                return;
            }
        }
        if !self.vars.try_unify(&gives, result) {
            let (expected, found) = (self.describe(result), self.describe(&gives));
            let message = format!(
                "expected a closure that gives {expected}, found one that gives {found}\nhelp: convert its value"
            );
            self.error(loc, message);
        }
    }
}
