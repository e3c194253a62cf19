//! Type arguments that only bounds decide: `T` of `draw<T, D: Sample<T>>(from: D) -> T`, by the impls there are.

use std::rc::Rc;

use super::types::fit_consts;
use super::{Infer, Kind, Ty};
use crate::ast::{FunctionId, GenericArg, GenericParam, GenericParamKind, ImplId, TraitName, TypeKind};
use crate::infer::Env;
use crate::resolve::Text;

/// Most impls whose bounds are asked one after the other.
const MOST_BOUNDS: usize = 16;

/// The text that bounds stand in, and its parameters that they may name: those from the `first` on.
struct BoundScope<'s, 'p> {
    env: &'s Env,
    params: &'p [GenericParam],
    first: usize,
}

impl<'p> Infer<'_, 'p> {
    /// Decides what the bounds of a function's type parameters say of its other parameters.
    pub(super) fn bound_traits(&mut self, function: FunctionId, types: &Rc<[Ty]>) {
        let program = self.world.program;
        let first = self.world.owner_generics(function);
        let env = Env::new(Text::Function(function), types.clone());
        let decl = &program.functions[function.0];
        let generics = &decl.generics;
        // The unnamed ones: `impl Into<f32>`.
        let unnamed = decl.params.iter().flat_map(|param| param.ty.opaque_parts());
        for (index, ty) in unnamed.enumerate() {
            let own = types[first + generics.len() + index].clone();
            if let TypeKind::ImplTrait { bounds, into, .. } = &ty.kind {
                bounds.iter().for_each(|bound| self.decide_by_impls(bound, &own));
                if let Some(target) = into {
                    let target = self.world.lower_type(&mut self.vars, &env, target);
                    self.decide_into(&own, &target);
                }
            }
        }
        for (index, param) in generics.iter().enumerate() {
            let GenericParamKind::Type { applied, bounds, into, .. } = &param.kind else { continue };
            let own = types[first + index].clone();
            bounds.iter().for_each(|bound| self.decide_by_impls(bound, &own));
            if let Some(target) = into {
                let target = self.world.lower_type(&mut self.vars, &env, target);
                self.decide_into(&own, &target);
            }
            let own = self.known(&own);
            if applied.is_empty() || matches!(own, Ty::Var(_) | Ty::Error) {
                continue;
            }
            let scope = BoundScope { env: &env, params: generics, first };
            applied.iter().for_each(|bound| self.decide_by_bound(&own, bound, &scope, 0));
        }
    }

    /// Decides arguments of an impl that only the bounds on its other parameters say: `I` of `impl<A: Layer<I>, I> Layer<I> for Boxed<A>`.
    pub(super) fn decide_by_bounds_of(&mut self, id: ImplId, args: &Rc<[Ty]>, depth: usize) {
        let params = &self.world.program.impls[id.0].generics;
        let env = Env::new(Text::Impl(id), args.clone());
        let scope = BoundScope { env: &env, params, first: 0 };
        // A bound may say what another one needs.
        for _ in 0..params.len() {
            if depth == MOST_BOUNDS || !self.is_open(args) {
                return;
            }
            for (param, own) in params.iter().zip(args.iter()) {
                let GenericParamKind::Type { applied, item, into, .. } = &param.kind else { continue };
                let own = self.known(own);
                if let Some(target) = into {
                    let target = self.world.lower_type(&mut self.vars, &env, target);
                    self.decide_into(&own, &target);
                }
                if !matches!(own, Ty::Var(_) | Ty::Error) {
                    applied.iter().for_each(|bound| self.decide_by_bound(&own, bound, &scope, depth));
                    // `T` of `I: Iterator<Item = T>`.
                    if let Some(item) = item
                        && let Some(found) = self.item_of(&own)
                    {
                        let item = self.world.lower_type(&mut self.vars, &env, item);
                        let _ = self.vars.try_unify(&item, &found);
                    }
                }
            }
        }
    }

    /// Decides `T` by a bound `own: Sample<T>`, where only one `impl Sample<…>` can be meant.
    fn decide_by_bound(
        &mut self,
        own: &Ty,
        (of_trait, args): &'p (TraitName, Vec<GenericArg>),
        scope: &BoundScope<'_, 'p>,
        depth: usize,
    ) {
        // Of a number, and of a vector, the operators of the language: `f32: Mul<U>` for a literal of type `U`.
        if let (Ty::Scalar(scalar) | Ty::Vector(scalar, _), [arg]) = (own, &args[..]) {
            let arg = self.world.lower_arg(&mut self.vars, scope.env, arg);
            if matches!(self.vars.shallow(&arg), Ty::Var(var) if self.vars.kind(var) != Kind::Any) {
                let _ = self.vars.try_unify(&arg, &Ty::Scalar(*scalar));
                return;
            }
        }
        let program = self.world.program;
        let mut found = Vec::new();
        for (index, decl) in program.impls.iter().enumerate() {
            let Some((_, written)) = decl.of_trait.as_ref().filter(|(name, _)| name == of_trait) else {
                continue;
            };
            let id = ImplId(index);
            let of_impl: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let of = self.world.self_type(&mut self.vars, id, &of_impl);
            if self.vars.could_unify(&of, own) && self.meets_bounds(id, own) {
                found.push((of, Env::new(Text::Impl(id), of_impl), id, written));
            }
        }
        // Of several impls the arguments may leave one.
        if let ([arg], 2..) = (&args[..], found.len()) {
            let arg = self.world.lower_arg(&mut self.vars, scope.env, arg);
            found.retain(|(of, of_impl, _, written)| {
                let given = match written.first() {
                    Some(given) => self.world.lower_arg(&mut self.vars, of_impl, given),
                    // `impl Mul for V` is `impl Mul<V> for V`.
                    None => of.clone(),
                };
                self.vars.could_unify(&arg, &given)
            });
        }
        let [(of, of_impl, id, written)] = &found[..] else { return };
        let _ = self.vars.try_unify(of, own);
        for (arg, given) in args.iter().zip(*written) {
            let arg = self.world.lower_arg(&mut self.vars, scope.env, arg);
            let mut given = self.world.lower_arg(&mut self.vars, of_impl, given);
            // A number is of the type of the parameter that it is for.
            let arg = self.vars.shallow(&arg);
            let place = scope.env.args[scope.first..].iter().position(|ty| self.vars.shallow(ty) == arg);
            if let Some(param) = place.and_then(|index| scope.params.get(index)) {
                given = fit_consts(std::slice::from_ref(param), vec![given]).remove(0);
            }
            let _ = self.vars.try_unify(&arg, &given);
        }
        self.decide_by_bounds_of(*id, &of_impl.args, depth + 1);
    }

    /// Decides literals in a type by a bound that only one `impl` of a trait of the user's own can meet, as rustc does.
    fn decide_by_impls(&mut self, of_trait: &TraitName, ty: &Ty) {
        let program = self.world.program;
        let ty = self.vars.shallow(ty);
        let is_any = matches!(ty, Ty::Var(var) if self.vars.kind(var) == Kind::Any);
        if is_any || !self.is_open(std::slice::from_ref(&ty)) {
            return;
        }
        let mut found = Vec::new();
        for (index, decl) in program.impls.iter().enumerate() {
            if !decl.of_own_trait || decl.of_trait.as_ref().is_none_or(|of| of.0 != *of_trait) {
                continue;
            }
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let of = self.world.self_type(&mut self.vars, ImplId(index), &args);
            if self.vars.could_unify(&of, &ty) && self.meets_bounds(ImplId(index), &ty) {
                found.push((decl, args, of));
            }
        }
        let [(decl, args, of)] = &found[..] else { return };
        let _ = self.vars.try_unify(of, &ty);
        for (param, arg) in decl.generics.iter().zip(args.iter()) {
            if let GenericParamKind::Type { bounds, .. } = &param.kind {
                bounds.iter().for_each(|bound| self.decide_by_impls(bound, arg));
            }
        }
    }

    /// Decides a literal or a `None` by the bound `Into<Option<T>>`, as rustc does: only `T` and `Option<T>` meet it. So does the one impl
    /// of `From` that makes the user's own type of such a literal.
    fn decide_into(&mut self, ty: &Ty, target: &Ty) {
        let target = &self.vars.shallow(target);
        let known = self.vars.shallow(ty);
        if let (Ty::Var(var), Ty::Struct(..) | Ty::Enum(_)) = (&known, target)
            && self.vars.kind(*var) != Kind::Any
            && let Some(from) = self.only_source(target, &known)
        {
            let _ = self.vars.try_unify(&known, &from);
        }
        let Ty::Option(some) = target else { return };
        match known {
            Ty::Var(var) if self.vars.kind(var) != Kind::Any => {
                let _ = self.vars.try_unify(&known, some);
            }
            Ty::Option(_) => {
                let _ = self.vars.try_unify(&known, target);
            }
            _ => {}
        }
    }
}
