//! Types that are type parameters to rustc, which the types of an instance do not tell: whether `x.sqrt()` in generic code is the
//! method of a trait of the user's or the scalar's own.
//!
//! The text is inferred once more with another type in place of the scalar: what changes with it is of a type parameter.

use std::rc::Rc;

use super::{Env, Infer, Ty};
use crate::ast::{Expr, Impl, ImplId, TraitName};
use crate::resolve::Text;
use crate::typed::Scalar;

impl<'p> Infer<'_, 'p> {
    /// Returns true if an expression of this scalar type, or a reference to it, is of a type parameter in the text, false if it is
    /// of the scalar's type whatever the arguments are; `None` if that is not known. `of_trait` has the impls for other types.
    pub(super) fn is_of_param(&mut self, expr: &Expr, scalar: Scalar, of_trait: &TraitName) -> Option<bool> {
        // On trial: what is of the other type is of a type parameter.
        if let Some(other) = &self.probes {
            return Some(*other == Ty::Scalar(scalar));
        }
        let program = self.world.program;
        let Text::Function(function) = self.env.text else { return None };
        // The text of a default method stands in each impl: `Self` is no argument there.
        let is_self = program.functions[function.0].owner.is_some_and(|owner| {
            let decl = &program.impls[owner.0];
            decl.of_own_trait
                && self.world.self_type(&mut self.vars, owner, &self.env.args) == Ty::Scalar(scalar)
        });
        // An associated type need not change with the argument.
        let is_open = program.impls.iter().any(|decl| decl.of_own_trait && !decl.outputs.is_empty());
        if is_self || is_open {
            return None;
        }
        let known = Ty::Scalar(scalar);
        if !self.env.args.contains(&known) {
            return Some(false);
        }
        if self.probe.is_none() {
            self.probe = Some((known.clone(), self.other_types(scalar, of_trait)));
        }
        let (of, types) = self.probe.as_ref()?;
        match types {
            Some(types) if *of == known => {
                let mut found = types.get(expr.id.0)?;
                while let Ty::Ref(inner, _) = found {
                    found = inner;
                }
                match found {
                    Ty::Var(_) | Ty::Error => None,
                    found => Some(*found != known),
                }
            }
            _ => None,
        }
    }

    /// The types of the text's expressions with another type that has the trait in place of a scalar argument.
    fn other_types(&mut self, scalar: Scalar, of_trait: &TraitName) -> Option<Vec<Ty>> {
        let other = self.other_type(scalar, of_trait)?;
        let known = Ty::Scalar(scalar);
        let swap = |arg: &Ty| if *arg == known { other.clone() } else { arg.clone() };
        let args: Rc<[Ty]> = self.env.args.iter().map(swap).collect();
        let (Text::Function(function), text) = (self.env.text, self.env.text) else { return None };
        let mistakes = self.world.diagnostics.count();
        let closures = self.world.closures.clone();
        let mut probe = Infer::new(self.world, Env::new(text, args), self.me);
        probe.probes = Some(other);
        probe.function(function);
        let types = probe.exprs.iter().map(|ty| probe.vars.resolve(ty)).collect();
        self.world.closures = closures;
        let is_right = self.world.diagnostics.count() == mistakes;
        self.world.diagnostics.forget_after(mistakes);
        is_right.then_some(types)
    }

    /// Another type that has the trait: a scalar or a struct, with this scalar as its arguments.
    fn other_type(&mut self, scalar: Scalar, of_trait: &TraitName) -> Option<Ty> {
        let program = self.world.program;
        let is_of = |decl: &&Impl| decl.of_trait.as_ref().is_some_and(|(name, _)| name == of_trait);
        let impls = program.impls.iter().enumerate().filter(|(_, decl)| is_of(decl));
        let mut found: Vec<Ty> = Vec::new();
        for (index, decl) in impls {
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| Ty::Scalar(scalar)).collect();
            found.push(self.world.self_type(&mut self.vars, ImplId(index), &args));
        }
        found.retain(|ty| match ty {
            Ty::Scalar(other) => *other != scalar,
            Ty::Struct(..) => true,
            _ => false,
        });
        let is_alike = |ty: &&Ty| matches!(ty, Ty::Scalar(other) if other.is_float() == scalar.is_float());
        found.iter().find(is_alike).or_else(|| found.iter().find(|ty| matches!(ty, Ty::Struct(..)))).cloned()
    }
}
