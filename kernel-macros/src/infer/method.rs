//! Method calls: what is called, and which references are taken or followed for it.

use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::Ident;

use super::call::is_closure;
use super::path::Ambiguity;
use super::types::fit_consts;
use super::world::Instantiated;
use super::{Adjust, Env, Hint, Infer, Kind, Resolved, Ty};
use crate::ast::{
    Expr, ExprKind, FunctionId, GenericParam, GenericParamKind, Generics, ImplId, Literal, Receiver, TypeKind,
};
use crate::atomics::AtomicKind;
use crate::builtins::{self, Builtin, Form, Signature, Slot};
use crate::device::{library, primitives};
use crate::diagnostics::{Loc, did_you_mean};
use crate::resolve::Text;
use crate::typed::Scalar;

/// Methods of vectors, and of slices in other crates, with what to write instead.
const OTHER_SLICE_METHODS: &[(&[&str], &str)] = &[
    (
        &["push", "pop", "insert", "remove", "extend", "append", "resize", "clear", "truncate"],
        "a slice keeps its length: write to an element, `x[i] = value`",
    ),
    (
        &["to_vec", "into_vec", "concat", "to_owned"],
        "there is no heap on the GPU: use the slice itself, or an array",
    ),
    (
        &["par_iter", "par_iter_mut", "into_par_iter", "par_chunks"],
        "each thread runs the whole kernel: take the element of this one, `x[global_idx().x]`, or all by `iter`",
    ),
];

/// A mistake that is in the diagnostics already.
pub(super) struct Reported;

/// A method call as written.
pub(super) struct Method<'p> {
    pub(super) expr: &'p Expr,
    pub(super) receiver: &'p Expr,
    pub(super) name: &'p Ident,
    pub(super) generics: Option<&'p Generics>,
    pub(super) args: &'p [Expr],
    pub(super) hint: Hint,
    /// True if an iterator that the call gives is consumed where it is written.
    pub(super) fused: bool,
    /// True if a method that a type has without a trait is not meant.
    pub(super) of_traits: bool,
}

/// A step of the receiver's autoderef: the type reached, and the dereferences on the way.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) place: Ty,
    pub(super) path: Vec<Adjust>,
    /// Mutability of the last dereferenced reference, if the place is what it refers to.
    pub(super) through: Option<bool>,
}

impl<'p> Infer<'_, 'p> {
    pub(super) fn method_call(&mut self, call: Method<'p>, hint: &Hint) -> Ty {
        let Method { receiver, name, args, .. } = call;
        let written = name.to_string();
        self.fused = self.fuses_receiver(&call, &written);
        let ty = self.operand(receiver, &Hint::None);
        self.refuse_open_sum(receiver);
        let first = self.known(&ty);
        let mut step = Step { place: first.clone(), path: Vec::new(), through: None };
        loop {
            match &step.place {
                Ty::Error => {
                    self.all(args);
                    return Ty::Error;
                }
                Ty::Var(_)
                    if name == "into" && args.is_empty() && self.converts_literal(&step.place, hint) =>
                {
                    return self.conversion(&call, &step);
                }
                Ty::Var(_)
                    if name == "into"
                        && args.is_empty()
                        && self.is_literal_of_param(receiver, &step.place, hint) =>
                {
                    return self.conversion(&call, &step);
                }
                // The methods of `Ord` are those of every integer: rustc finds them before the type is decided.
                place
                    if self.vars.is_scalar_integer(place)
                        && let Some(row) = builtins::method(&written)
                        && matches!(row.builtin, Builtin::Max | Builtin::Min | Builtin::Clamp) =>
                {
                    return self.builtin_method(&call, &step, row);
                }
                Ty::Var(_) if let Some(function) = self.order_of_number(&step.place, &written) => {
                    return self.call_of_library(&call, function, &step).unwrap_or(Ty::Error);
                }
                Ty::Var(_) if let Some(scalar) = self.number_with_method(receiver, &step.place, &written) => {
                    let _ = self.vars.try_unify(&step.place, &Ty::Scalar(scalar));
                    step.place = Ty::Scalar(scalar);
                    // A number whose type is not decided has none of its own methods: the trait's is meant, `sqrt` too.
                    if let Some(ty) = self.user_method(&call, &written, &step) {
                        return ty;
                    }
                }
                Ty::Var(_) => {
                    let place = step.place.clone();
                    let same = self.type_of_arguments(&written, args);
                    self.report_ambiguous(receiver, name, &place, same);
                    return Ty::Error;
                }
                Ty::Range(_) | Ty::Iter(..) => return self.iterator_method(&call, &step.place.clone()),
                _ => {}
            }
            if let Some(ty) = self.method_of(&call, &written, &step) {
                return ty;
            }
            let next = match &step.place {
                Ty::Ref(inner, mutable) => Some((Adjust::Deref, (**inner).clone(), Some(*mutable))),
                Ty::Shared(inner) => Some((Adjust::Deref, (**inner).clone(), None)),
                place => self.dereferenced(place, false).map(|(adjust, target)| (adjust, target, None)),
            };
            let Some((adjust, next, through)) = next else { break };
            step.path.push(adjust);
            step = Step { place: self.known(&next), path: step.path, through };
        }
        let place = step.place;
        self.report_no_method(name, &ty, &place);
        self.all(args);
        Ty::Error
    }

    /// The function that is `cmp` or `partial_cmp` of a number whose type is not decided yet: rustc finds these methods before it is,
    /// as every integer has the first and every number the second.
    fn order_of_number(&self, ty: &Ty, name: &str) -> Option<FunctionId> {
        let Ty::Var(var) = ty else { return None };
        let has_order = match name {
            "cmp" => self.vars.is_scalar_integer(ty),
            "partial_cmp" => self.vars.is_scalar_integer(ty) || self.vars.kind(*var) == Kind::Float,
            _ => false,
        };
        self.world.library.get(&format!("order_{name}")).copied().filter(|_| has_order)
    }

    /// The type of a number that is not decided yet, by a method of the user's traits: the one that has an impl, and of a literal
    /// that several have its default, `i32` or `f64`, as rustc decides it.
    fn number_with_method(&mut self, receiver: &Expr, ty: &Ty, name: &str) -> Option<Scalar> {
        let Ty::Var(var) = *ty else { return None };
        let default = match self.vars.kind(var) {
            Kind::Int => Scalar::I32,
            Kind::Float => Scalar::F64,
            Kind::Any => return None,
        };
        let program = self.world.program;
        let mut scalars = Vec::new();
        for (id, function, prefix) in self.impl_functions(ty, name) {
            let is_of_trait = program.impls[id.0].of_own_trait;
            // A blanket impl may be for any type.
            let Ty::Scalar(scalar) = self.world.self_type(&mut self.vars, id, &prefix) else { return None };
            if is_of_trait && program.functions[function.0].receiver.is_some() && !scalars.contains(&scalar) {
                scalars.push(scalar);
            }
        }
        match scalars[..] {
            [only] => Some(only),
            _ if scalars.contains(&default) && matches!(receiver.kind, ExprKind::Literal(_)) => Some(default),
            _ => None,
        }
    }

    /// The call's type, if the place that was reached has such a method.
    fn method_of(&mut self, call: &Method<'p>, name: &str, step: &Step) -> Option<Ty> {
        if !self.is_inherent(&step.place, name)
            && let Some(found) = self.ambiguity(&step.place, name)
        {
            let of_param = match &step.place {
                Ty::Scalar(scalar) if found.is_one && found.by_language => {
                    self.is_of_param(call.receiver, *scalar, &found.of_trait)
                }
                _ => None,
            };
            match of_param {
                Some(true) => return self.user_method(call, name, step),
                Some(false) if !takes_reference(name) => return self.own_method(call, name, step),
                _ => {}
            }
            self.report_ambiguity(call.expr.loc, &step.place, name, &found);
            self.all(call.args);
            return Some(Ty::Error);
        }
        // Methods of a type of the language come before those of its traits.
        let is_users = matches!(step.place, Ty::Struct(..) | Ty::Enum(_) | Ty::Ref(..) | Ty::Var(_));
        // Of a reference the referent's own method comes before that of a trait which takes the reference by value.
        if let Ty::Ref(inner, mutable) = &step.place
            && !call.of_traits
            && !self.is_taken_as_it_was(step, name)
            && self.takes_as_it_is(inner, *mutable, name, |decl| decl.of_trait.is_none())
        {
            return None;
        }
        if is_users {
            self.user_method(call, name, step)
                .or_else(|| self.value_method(call, name, step))
                .or_else(|| self.own_method(call, name, step))
        } else if self.is_of_numbers(call, name, step) {
            self.operator_method(call, name, step)
        } else {
            self.own_method(call, name, step)
                .or_else(|| self.user_method(call, name, step))
                .or_else(|| self.operator_method(call, name, step))
        }
    }

    /// Returns true for a method that a scalar has by itself, called where no bound can mean that of a trait: in a text without type
    /// parameters, other than of closures, and outside of impls of the user's traits, whose default methods speak of a type `Self`.
    fn is_inherent(&mut self, ty: &Ty, name: &str) -> bool {
        let program = self.world.program;
        let (Text::Function(function), Ty::Scalar(scalar)) = (self.env.text, ty) else { return false };
        let is_of_language = builtins::method(name).is_some_and(|row| row.class.holds(*scalar))
            || self.library_method(ty, name).is_some();
        if !is_of_language || takes_reference(name) {
            return false;
        }
        let decl = &program.functions[function.0];
        let owner = decl.owner.map(|owner| &program.impls[owner.0]);
        let is_data =
            |param: &GenericParam| matches!(param.kind, GenericParamKind::Type { callable: None, .. });
        let generics = owner.map_or(&[][..], |owner| &owner.generics).iter().chain(&decl.generics);
        let is_any = |param: &crate::ast::Param| matches!(param.ty.kind, TypeKind::ImplTrait { .. });
        !owner.is_some_and(|owner| owner.of_own_trait)
            && !generics.into_iter().any(is_data)
            && !decl.params.iter().any(is_any)
    }

    fn own_method(&mut self, call: &Method<'p>, name: &str, step: &Step) -> Option<Ty> {
        let place = &step.place;
        match (place, name) {
            (Ty::Ref(..) | Ty::Shared(_), _) => return None,
            (Ty::Atomic(atomic), _) => return self.atomic_method(call, name, step, *atomic),
            (_, "clone") if call.args.is_empty() => {
                self.follow(call.receiver, step);
                self.resolved.insert(call.expr.id, Resolved::Same);
                return Some(place.clone());
            }
            (Ty::Option(_) | Ty::Tuple(_) | Ty::Array(..), _)
                if let Some((function, args)) = self.order_of_parts(place, name) =>
            {
                self.borrow(call.receiver, step, false);
                return Some(self.call_method_with(call, function, args));
            }
            (_, "into") if call.args.is_empty() => return Some(self.conversion(call, step)),
            (_, "try_into")
                if call.args.is_empty()
                    && let Some(ty) = self.own_conversion(call, step) =>
            {
                return Some(ty);
            }
            (of, "try_into") if call.args.is_empty() && (self.is_integer(of) || self.is_tried(of)) => {
                let to = self.vars.any();
                let error = match self.is_tried(of) {
                    true => self.vars.any(),
                    false => self.library_type("TryFromIntError")?,
                };
                let result = self.world.result(to.clone(), error);
                self.follow(call.receiver, step);
                self.arrays.push((call.expr, call.receiver, step.clone(), to));
                return Some(result);
            }
            (Ty::Slice(..), "try_into") if call.args.is_empty() => {
                let to = self.vars.any();
                let result = self.world.result(to.clone(), Ty::Unit);
                self.arrays.push((call.expr, call.receiver, step.clone(), to));
                return Some(result);
            }
            // Of a reference to it: an iterator of references.
            (Ty::Option(_), "into_iter") if let Some(mutable) = step.through => {
                return self.library_call(call, if mutable { "iter_mut" } else { "iter" }, step);
            }
            // `x.get(i).unwrap_or(0.0)`: one mistake, of the argument and of the result.
            (Ty::Option(some), "unwrap_or")
                if let [arg] = call.args
                    && is_number_literal(arg)
                    && let Ty::Ref(inner, _) = self.known(some)
                    && matches!(self.known(&inner), Ty::Scalar(_)) =>
            {
                let ty = self.expr(arg, &Hint::None);
                let (expected, found) = (self.describe(some), self.describe(&ty));
                let message = format!(
                    "expected {expected}, found {found}\nhelp: write `.copied()` before `.unwrap_or(…)`"
                );
                self.error(arg.loc, message);
                return Some(Ty::Error);
            }
            (Ty::Option(some), "expect") => return Some(self.expect(call, step, some)),
            (place, "expect") if let Some([ok, _]) = self.world.of_result(place) => {
                return Some(self.expect(call, step, &ok));
            }
            _ => {}
        }
        match place {
            Ty::Scalar(scalar) => self.scalar_method(call, name, step, *scalar),
            Ty::Vector(scalar, _) => {
                let row = builtins::vector_method(name).filter(|row| row.class.holds(*scalar))?;
                Some(self.builtin_method(call, step, row))
            }
            Ty::Slice(element, mutable) => self
                .slice_method(call, name, step, element, *mutable)
                .or_else(|| self.library_call(call, name, step)),
            Ty::Array(element, len) => {
                if name == "len"
                    && call.args.is_empty()
                    && let Ty::Const(len) = self.vars.shallow(len)
                {
                    self.follow(call.receiver, step);
                    self.resolved.insert(call.expr.id, Resolved::ArrayLen(len.bits));
                    return Some(Ty::USIZE);
                }
                let mutable = step.through.unwrap_or(true);
                self.slice_method(call, name, step, element, mutable)
                    .or_else(|| self.library_call(call, name, step))
            }
            Ty::Ptr(inner, mutable) => self.pointer_method(call, name, step, inner, *mutable),
            Ty::SharedDyn(element) => self
                .slice_method(call, name, step, element, true)
                .or_else(|| self.library_call(call, name, step)),
            _ => self.library_call(call, name, step),
        }
    }

    /// Follows the references to where the receiver was found.
    pub(super) fn follow(&mut self, receiver: &Expr, step: &Step) {
        self.adjust(receiver, step.path.iter().copied());
    }

    /// Makes the receiver a reference to where it was found.
    pub(super) fn borrow(&mut self, receiver: &Expr, step: &Step, mutable: bool) {
        match step.through {
            // The reference that led there will do.
            Some(through) if through == mutable => {
                self.adjust(receiver, step.path[..step.path.len() - 1].iter().copied());
            }
            _ => {
                self.follow(receiver, step);
                self.adjust(receiver, [Adjust::Ref(mutable)]);
            }
        }
    }

    /// Makes the receiver a slice.
    pub(super) fn as_slice(&mut self, receiver: &Expr, step: &Step, mutable: bool) {
        match &step.place {
            Ty::Array(..) => {
                self.borrow(receiver, step, mutable);
                self.adjust(receiver, [Adjust::Unsize(mutable)]);
            }
            Ty::SharedDyn(_) => {
                self.follow(receiver, step);
                self.adjust(receiver, [Adjust::Unsize(mutable)]);
            }
            Ty::Slice(_, true) if !mutable => {
                self.follow(receiver, step);
                self.adjust(receiver, [Adjust::Share]);
            }
            _ => {
                match step.path.last() {
                    Some(Adjust::Own(index)) if mutable => self.own_derefs[*index].is_written = true,
                    None if mutable => {
                        self.written_slices.insert(receiver.id);
                    }
                    _ => {}
                }
                self.follow(receiver, step);
            }
        }
    }

    fn user_method(&mut self, call: &Method<'p>, name: &str, step: &Step) -> Option<Ty> {
        if self.world.program.impls.is_empty() {
            return None;
        }
        let program = self.world.program;
        let mut found = self.impl_functions(&step.place, name);
        found.retain(|row| program.functions[row.1.0].receiver.is_some());
        found.retain(|row| !call.of_traits || program.impls[row.0.0].of_trait.is_some());
        // By value before by reference, and at each the type's own before those of traits.
        let rank = |row: &(ImplId, FunctionId, Rc<[Ty]>)| {
            let decl = &program.impls[row.0.0];
            (program.functions[row.1.0].receiver != Some(Receiver::Value), decl.of_trait.is_some())
        };
        let first = found.iter().map(rank).min();
        found.retain(|row| Some(rank(row)) == first);
        // Beside a derived order or equality with its own type, an `impl PartialOrd<i32>` is for arguments of its other type.
        if library::is_comparison(name)
            && let [arg] = call.args
            && !found.is_empty()
            && matches!(step.place, Ty::Struct(..) | Ty::Enum(_))
            && self.comparable(&step.place, matches!(name, "eq" | "ne")).is_ok()
        {
            let ty = self.operand(arg, &Hint::None);
            found.retain(|(_, function, prefix)| {
                let (params, _) = self.world.signature(&mut self.vars, *function, prefix);
                params.get(1).is_some_and(|param| self.vars.could_unify(param, &ty))
            });
            if found.is_empty() {
                return None;
            }
        }
        // One of a trait of the library's that takes the value comes before the user's that take a reference to it.
        let is_users = found.iter().all(|row| !program.impls[row.0.0].scope.is_library);
        if is_users
            && first.is_some_and(|(by_reference, _)| by_reference)
            && !self.is_taken_as_it_was(step, name)
        {
            if self.iterator_takes_value(&step.place, name) {
                return None;
            }
            if let Some(row) = found.first() {
                match self.is_of_order(&step.place, name, (row.1, &row.2)) {
                    Some(true) => return None,
                    Some(false) => {}
                    None => {
                        let of = self.describe(&step.place);
                        let message = format!(
                            "expected one `{name}` of {of}, found one by reference and that of its order, which takes the value where the type's arguments \
                             are `Ord`\nhelp: give yours another name"
                        );
                        self.all(call.args);
                        self.error(call.name, message);
                        return Some(Ty::Error);
                    }
                }
            }
        }
        // A method of the referent by `&self`, which takes the reference as it is, comes before one that takes a reference to it.
        if let Ty::Ref(inner, mutable) = &step.place
            && !self.is_taken_as_it_was(step, name)
            && found.iter().all(|row| program.functions[row.1.0].receiver != Some(Receiver::Value))
            && self.takes_as_it_is(inner, *mutable, name, |decl| !call.of_traits || decl.of_trait.is_some())
        {
            return None;
        }
        let (id, function, prefix) = match found.len() {
            0 => return self.unsized_method(call, name, step),
            1 => found.swap_remove(0),
            // Several impls: `Mul<f32>` and `Mul<Vec3>`, called by name. The argument decides.
            _ => {
                let mut fits = None;
                if let [arg] = call.args {
                    let ty = self.operand(arg, &Hint::None);
                    fits = found.iter().position(|(id, function, prefix)| {
                        let own = self.world.self_type(&mut self.vars, *id, prefix);
                        let (params, _) = self.world.signature(&mut self.vars, *function, prefix);
                        self.vars.could_unify(&own, &step.place)
                            && params.get(1).is_some_and(|param| self.vars.could_unify(param, &ty))
                    });
                }
                let by_bound = || found.iter().position(|row| self.fits_bound(row.0, &row.2, &step.place));
                let fits = fits.or_else(by_bound).unwrap_or(0);
                found.swap_remove(fits)
            }
        };
        self.bind_impl(id, &prefix, &step.place);
        match program.functions[function.0].receiver? {
            Receiver::Value => self.follow(call.receiver, step),
            Receiver::Ref => self.borrow(call.receiver, step, false),
            Receiver::RefMut => self.borrow(call.receiver, step, true),
        }
        Some(self.call_method(call, function, Some(prefix)))
    }

    /// Returns true if the type of a step has a method that takes the reference which led there as it is: rustc finds it a step before.
    fn is_taken_as_it_was(&mut self, step: &Step, name: &str) -> bool {
        step.through.is_some_and(|mutable| self.takes_as_it_is(&step.place, mutable, name, |_| true))
    }

    /// Returns true if `Iterator` gives a type of the user's own a method that takes it by value.
    fn iterator_takes_value(&mut self, place: &Ty, name: &str) -> bool {
        if !matches!(place, Ty::Struct(..) | Ty::Enum(_))
            || !self.has_iterators()
            || self.item_of(place).is_none()
        {
            return false;
        }
        let function = self.world.library.get(&format!("iterator_{name}"));
        let first = function.and_then(|function| self.world.program.functions[function.0].params.first());
        matches!(name, "sum" | "product" | "collect")
            || first.is_some_and(|first| !matches!(first.ty.kind, TypeKind::Ref { .. }))
    }

    /// Returns true if `Ord` gives a type of the user's own a method by value that takes what this function takes by reference, and is meant
    /// before it. `None` of a generic type with a derived order: it depends on the arguments.
    fn is_of_order(
        &mut self,
        place: &Ty,
        name: &str,
        (function, prefix): (FunctionId, &Rc<[Ty]>),
    ) -> Option<bool> {
        if !matches!(name, "max" | "min" | "clamp") || self.ordering_method(place, name).is_none() {
            return Some(false);
        }
        let (derives, is_generic) = match place {
            Ty::Struct(id, args) => (&self.world.program.structs[id.0].derives, !args.is_empty()),
            Ty::Enum(id) => (&self.world.program.enums[id.0].derives, false),
            _ => return Some(false),
        };
        let is_derived = derives.iter().any(|derive| derive == "Ord");
        let (params, _) = self.world.signature(&mut self.vars, function, prefix);
        if !params.get(1).is_some_and(|param| self.vars.could_unify(param, place)) {
            return Some(false);
        }
        match is_derived {
            true => (!is_generic).then_some(true),
            false => Some(!self.trait_functions("Ord", place, "cmp").is_empty()),
        }
    }

    /// Returns true if a type has a method that takes this reference to it as `self`, in one of these impls.
    fn takes_as_it_is(
        &mut self,
        inner: &Ty,
        mutable: bool,
        name: &str,
        is_one: impl Fn(&crate::ast::Impl) -> bool,
    ) -> bool {
        let program = self.world.program;
        let wanted = if mutable { Receiver::RefMut } else { Receiver::Ref };
        self.impl_functions(&self.vars.shallow(inner), name)
            .iter()
            .any(|row| program.functions[row.1.0].receiver == Some(wanted) && is_one(&program.impls[row.0.0]))
    }

    /// The functions of the `impl`s for `[T]` of elements of this type: the impl, the function, fresh arguments of the impl.
    pub(super) fn unsized_functions(
        &mut self,
        element: &Ty,
        name: &str,
    ) -> Vec<(ImplId, FunctionId, Rc<[Ty]>)> {
        let program = self.world.program;
        let mut found = Vec::new();
        for (index, decl) in program.impls.iter().enumerate() {
            let id = ImplId(index);
            let Some((_, function)) = decl.functions.iter().find(|row| row.0 == name) else { continue };
            if program.functions[function.0].receiver.is_none()
                || !self.world.is_for_unsized(id)
                || !program.sees(self.env.text, decl)
            {
                continue;
            }
            let prefix: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let Ty::Slice(own, _) = self.world.self_type(&mut self.vars, id, &prefix) else { continue };
            if self.vars.could_unify(&own, element) {
                found.push((id, *function, prefix));
            }
        }
        found
    }

    /// The one of [`Infer::unsized_functions`] that is called, with the arguments of the impl. Reports one of several traits, and gives
    /// an error then.
    pub(super) fn unsized_function(
        &mut self,
        loc: Loc,
        element: &Ty,
        name: &str,
        found: Vec<(ImplId, FunctionId, Rc<[Ty]>)>,
    ) -> Result<Option<Instantiated>, Reported> {
        let program = self.world.program;
        let of_trait = |id: ImplId| program.impls[id.0].of_trait.as_ref().map(|of| &of.0);
        let is_other = |row: &(ImplId, FunctionId, Rc<[Ty]>)| of_trait(row.0) != of_trait(found[0].0);
        if found.iter().any(is_other)
            && self.probes.is_none()
            && let Some(of_trait) = of_trait(found[0].0).cloned()
        {
            let ty = Ty::Slice(Rc::new(element.clone()), false);
            let found = Ambiguity { of_trait, by_language: false, is_one: false };
            self.report_ambiguity(loc, &ty, name, &found);
            return Err(Reported);
        }
        let Some((id, function, prefix)) = found.into_iter().next() else { return Ok(None) };
        if let Ty::Slice(own, _) = self.world.self_type(&mut self.vars, id, &prefix) {
            let _ = self.vars.try_unify(&own, element);
        }
        Ok(Some((function, prefix)))
    }

    /// A method of an `impl` for `[T]`, of a slice or of what is made one.
    fn unsized_method(&mut self, call: &Method<'p>, name: &str, step: &Step) -> Option<Ty> {
        let (element, writable) = match &step.place {
            Ty::Slice(element, mutable) => (element.clone(), *mutable),
            Ty::Array(element, _) => (element.clone(), step.through.unwrap_or(true)),
            Ty::SharedDyn(element) => (element.clone(), true),
            _ => return None,
        };
        let found = self.unsized_functions(&element, name);
        let (function, prefix) = match self.unsized_function(call.name.into(), &element, name, found) {
            Ok(found) => found?,
            Err(Reported) => {
                self.all(call.args);
                return Some(Ty::Error);
            }
        };
        let writes = self.world.program.functions[function.0].receiver == Some(Receiver::RefMut);
        if writes && !writable {
            self.report_shared_slice(call.receiver);
            self.all(call.args);
            return Some(Ty::Error);
        }
        self.as_slice(call.receiver, step, writes);
        Some(self.call_method(call, function, Some(prefix)))
    }

    /// The rest of a call once the receiver is what the first parameter takes.
    pub(super) fn call_method(
        &mut self,
        call: &Method<'p>,
        function: FunctionId,
        prefix: Option<Rc<[Ty]>>,
    ) -> Ty {
        let types = self.function_args(function, prefix, call.generics);
        let types = self.at_call(function, types, call.expr);
        self.call_method_with(call, function, types)
    }

    /// A method's call with its generic arguments.
    pub(super) fn call_method_with(
        &mut self,
        call: &Method<'p>,
        function: FunctionId,
        types: Rc<[Ty]>,
    ) -> Ty {
        let (params, result) = self.signature_for(function, &types, &call.hint);
        if params.len() != call.args.len() + 1 {
            self.report_count(
                call.expr.loc,
                &call.name.to_string(),
                params.len().saturating_sub(1),
                call.args.len(),
            );
            self.all(call.args);
            return Ty::Error;
        }
        let receiver = self.adjusted_ty(call.receiver);
        if !self.vars.try_unify(&params[0], &receiver) {
            let expected = params[0].clone();
            self.report_mismatch(call.receiver, &expected, &receiver);
        }
        self.resolved.insert(call.expr.id, Resolved::Invoke(function, types.clone()));
        let args: Vec<&'p Expr> = call.args.iter().collect();
        self.pass(function, &types, &params[1..], &result, &args, &call.hint, call.expr.loc);
        self.project(function, &types, &params, &result, call.expr);
        self.vars.shallow(&result)
    }

    /// The type of what is called, with every type known.
    pub(crate) fn callee_type(&mut self, callee: &Expr) -> Ty {
        let ty = self.adjusted_ty(callee);
        self.vars.resolve(&ty)
    }

    /// The type of an expression after what is done silently.
    pub(crate) fn adjusted_ty(&mut self, expr: &Expr) -> Ty {
        let mut ty = self.vars.shallow(&self.exprs[expr.id.0]);
        for adjust in self.adjusts(expr.id).to_vec() {
            ty = self.adjusted(&ty, adjust);
        }
        ty
    }

    /// The type after one adjustment.
    pub(crate) fn adjusted(&self, ty: &Ty, adjust: Adjust) -> Ty {
        match (adjust, ty) {
            (Adjust::Deref, Ty::Ref(inner, _) | Ty::Shared(inner)) => self.vars.shallow(inner),
            (Adjust::Ref(mutable), place) => place.clone().reference(mutable),
            (Adjust::Unsize(mutable), Ty::SharedDyn(element)) => Ty::Slice(element.clone(), mutable),
            (Adjust::Unsize(mutable), Ty::Ref(inner, _)) => match self.vars.shallow(inner) {
                Ty::Array(element, _) => Ty::Slice(element, mutable),
                _ => Ty::Error,
            },
            (Adjust::Share, Ty::Slice(element, _)) => Ty::Slice(element.clone(), false),
            (Adjust::Raw(mutable), Ty::Ref(inner, _) | Ty::Ptr(inner, _)) => Ty::Ptr(inner.clone(), mutable),
            (Adjust::Own(index), _) => self.vars.shallow(&self.own_derefs[index].target),
            (Adjust::Point(index), _) => Ty::FnPtr(self.pointer_types[index].clone()),
            (Adjust::Deref | Adjust::Unsize(_) | Adjust::Share | Adjust::Raw(_), _) => Ty::Error,
        }
    }

    fn builtin_method(&mut self, call: &Method<'p>, step: &Step, row: &'static Signature) -> Ty {
        self.follow(call.receiver, step);
        let args: Vec<&'p Expr> = call.args.iter().collect();
        if !self.arguments(call.expr.loc, row.name, row.params, &args, &step.place) {
            return Ty::Error;
        }
        self.resolved.insert(call.expr.id, Resolved::Builtin(row));
        self.slot(row.result, &step.place)
    }

    fn scalar_method(&mut self, call: &Method<'p>, name: &str, step: &Step, scalar: Scalar) -> Option<Ty> {
        let to = match name {
            "to_f32" => Some(Scalar::F32),
            "to_f64" => Some(Scalar::F64),
            _ => None,
        };
        if let Some(to) = to
            && scalar.is_float()
            && call.args.is_empty()
        {
            self.follow(call.receiver, step);
            self.resolved.insert(call.expr.id, Resolved::Cast);
            return Some(Ty::Scalar(to));
        }
        let plain = call.args.is_empty() && scalar != Scalar::Bool;
        if let ("to_le_bytes" | "to_ne_bytes" | "to_be_bytes", true) = (name, plain) {
            self.follow(call.receiver, step);
            self.resolved.insert(call.expr.id, Resolved::ToBytes(name == "to_be_bytes"));
            return Some(Ty::array(Ty::Scalar(Scalar::U8), u64::from(scalar.bits() / 8)));
        }
        if let ("to_le", true) = (name, plain && scalar.is_int()) {
            self.follow(call.receiver, step);
            self.resolved.insert(call.expr.id, Resolved::Same);
            return Some(Ty::Scalar(scalar));
        }
        // Memory is little-endian.
        let name = if name == "to_be" { "swap_bytes" } else { name };
        match builtins::method(name) {
            Some(row) if row.class.holds(scalar) && row.builtin != Builtin::Len => {
                Some(self.builtin_method(call, step, row))
            }
            _ => self.library_call(call, name, step),
        }
    }

    /// The function of the device library that is this type's method.
    pub(super) fn library_method(&mut self, ty: &Ty, name: &str) -> Option<FunctionId> {
        let function = match self.vars.shallow(ty) {
            Ty::Scalar(scalar) => {
                let row = library::substitute(self.world.attrs, name, scalar);
                let row = row.or_else(|| library::find(library::Form::Method, name, scalar))?;
                row.function.to_owned()
            }
            ty @ Ty::Enum(_) if ty == self.world.ordering() => format!("ordering_{name}"),
            Ty::Option(_) => format!("option_{name}"),
            ty if self.world.of_result(&ty).is_some() => format!("result_{name}"),
            Ty::Array(..) if self.world.library.contains_key(&format!("array_{name}")) => {
                format!("array_{name}")
            }
            // Arrays are compared as they are: their lengths are equal.
            Ty::Array(..) if matches!(name, "cmp" | "partial_cmp") => return None,
            Ty::Slice(..) | Ty::Array(..) | Ty::SharedDyn(_) => format!("slice_{name}"),
            _ => return None,
        };
        self.world.library.get(&function).copied()
    }

    /// The function of the device library that is the method of every type with an order.
    pub(super) fn ordering_method(&mut self, ty: &Ty, name: &str) -> Option<FunctionId> {
        let is_float = matches!(ty, Ty::Scalar(scalar) if scalar.is_float());
        if is_float && name != "partial_cmp" {
            return None;
        }
        let function = self.world.library.get(&format!("order_{name}")).copied()?;
        (self.comparable(ty, false).is_ok() || self.has_own_key(ty)).then_some(function)
    }

    fn library_call(&mut self, call: &Method<'p>, name: &str, step: &Step) -> Option<Ty> {
        let function = match self.library_method(&step.place, name) {
            Some(function) => function,
            None => self.ordering_method(&step.place, name)?,
        };
        self.call_of_library(call, function, step)
    }

    /// A call of a function of the device library as a method.
    fn call_of_library(&mut self, call: &Method<'p>, function: FunctionId, step: &Step) -> Option<Ty> {
        let types = self.function_args(function, None, None);
        self.written_length(call, function, &types);
        if let (Ty::Scalar(scalar), [_, other]) = (&step.place, &types[..])
            && let Some(of_other) = builtins::other_operand(&call.name.to_string(), *scalar)
        {
            let _ = self.vars.try_unify(other, &Ty::Scalar(of_other));
        }
        let (params, _) = self.world.signature(&mut self.vars, function, &types);
        match self.vars.shallow(params.first()?) {
            Ty::Slice(_, mutable) => self.as_slice(call.receiver, step, mutable),
            Ty::Ref(_, mutable) => self.borrow(call.receiver, step, mutable),
            _ => self.follow(call.receiver, step),
        }
        Some(self.call_method_with(call, function, types))
    }

    /// The length in `x.first_chunk::<4>()`. Of the other generic arguments of the library's methods rustc knows the number.
    fn written_length(&mut self, call: &Method<'p>, function: FunctionId, types: &Rc<[Ty]>) {
        let params = &self.world.program.functions[function.0].generics;
        let Some(Generics { args, .. }) = call.generics else { return };
        let ([arg], Some((last, before))) = (&args[..], params.split_last()) else { return };
        if !matches!(last.kind, GenericParamKind::Const(_)) {
            return;
        }
        let env = self.env.clone();
        let written = self.world.lower_arg(&mut self.vars, &env, arg);
        for written in fit_consts(std::slice::from_ref(last), vec![written]) {
            let _ = self.vars.try_unify(&types[before.len()], &written);
        }
    }

    fn conversion(&mut self, call: &Method<'p>, step: &Step) -> Ty {
        self.follow(call.receiver, step);
        let to = match &call.hint {
            Hint::Must(to) => self.known(to),
            Hint::None | Hint::Literal(_) => self.vars.any(),
        };
        // As rustc does with the only bound of a type parameter.
        if self.is_any(&to)
            && let Some(target) = self.bound_of_into(&step.place)
        {
            let _ = self.vars.try_unify(&to, &target);
        }
        // A literal whose type several impls of `From` could decide falls back first.
        let is_open = match (&step.place, self.is_any(&to)) {
            (Ty::Var(_), false) => self.impls_from(&to, &step.place) != 1,
            (_, is_any) => is_any,
        };
        match is_open {
            true => self.conversions.push((call.expr, to.clone(), step.place.clone())),
            false => self.converted(call.expr, &to, &step.place),
        }
        to
    }

    /// Returns true for `into` of a literal where it is one of the user's conversions.
    fn converts_literal(&mut self, ty: &Ty, hint: &Hint) -> bool {
        let is_literal = matches!(ty, Ty::Var(var) if self.vars.kind(*var) != Kind::Any);
        let to = match hint {
            Hint::Must(to) => self.known(to),
            Hint::None | Hint::Literal(_) => return is_literal,
        };
        is_literal && matches!(to, Ty::Struct(..) | Ty::Enum(_) | Ty::Var(_))
    }

    /// Returns true for `into` of a literal, in a text with type parameters, that gives a number: which type the literal has follows from
    /// a bound `From<f32>` there, and the value is the same whichever it is. The literal is then of the result's type.
    fn is_literal_of_param(&mut self, receiver: &Expr, ty: &Ty, hint: &Hint) -> bool {
        let (Hint::Must(to), ExprKind::Literal(literal)) = (hint, &receiver.kind) else { return false };
        let Ty::Scalar(to) = self.known(to) else { return false };
        let is_exact = match literal {
            Literal::Float { digits, suffix: None } => {
                let is_same = |value: f64| f64::from(value as f32) == value;
                to == Scalar::F32 || to == Scalar::F64 && digits.parse().is_ok_and(is_same)
            }
            Literal::Int { suffix: None, .. } => to.is_int(),
            _ => false,
        };
        is_exact && self.is_generic() && self.vars.try_unify(ty, &Ty::Scalar(to))
    }

    /// Returns true in a text with type parameters, other than of closures, and in an `impl` of a trait of the user's, whose default methods
    /// speak of a type `Self`.
    pub(super) fn is_generic(&self) -> bool {
        let is_data =
            |arg: &Ty| !matches!(arg, Ty::Const(_) | Ty::Closure(..) | Ty::Function(..) | Ty::FnPtr(_));
        let of_trait = match self.env.text {
            Text::Function(function) => self.world.program.functions[function.0]
                .owner
                .is_some_and(|owner| self.world.program.impls[owner.0].of_own_trait),
            _ => false,
        };
        of_trait || self.env.args.iter().any(is_data)
    }

    /// Decides calls of `into` of literals by the type that they turned out to give, where one impl of `From` alone makes it of a number.
    /// Returns true if there was one.
    pub(super) fn decide_conversions(&mut self) -> bool {
        let mut progress = false;
        for (expr, to, from) in std::mem::take(&mut self.conversions) {
            let (known, literal) = (self.vars.shallow(&to), self.vars.shallow(&from));
            let is_decided = matches!(literal, Ty::Var(_))
                && matches!(known, Ty::Struct(..) | Ty::Enum(_))
                && self.impls_from(&known, &literal) == 1;
            match is_decided {
                true => self.converted(expr, &known, &literal),
                false => self.conversions.push((expr, to, from)),
            }
            progress |= is_decided;
        }
        progress
    }

    /// Number of the impls of `From` that make the one of the other.
    fn impls_from(&mut self, to: &Ty, from: &Ty) -> usize {
        self.sources(to, from).len()
    }

    /// The type that the only impl of `From` takes which makes the one of the other.
    pub(super) fn only_source(&mut self, to: &Ty, from: &Ty) -> Option<Ty> {
        let mut sources = self.sources(to, from);
        sources.pop().filter(|_| sources.is_empty())
    }

    /// The types that impls of `From` take which make the one of the other.
    fn sources(&mut self, to: &Ty, from: &Ty) -> Vec<Ty> {
        let mut found = Vec::new();
        for (_, function, prefix) in self.trait_functions("From", to, "from") {
            let (params, _) = self.world.signature(&mut self.vars, function, &prefix);
            found.extend(params.into_iter().next().filter(|param| self.vars.could_unify(param, from)));
        }
        found
    }

    /// `T` of the bound `Into<T>` of a type parameter of this function, or of its impl, that is this type.
    fn bound_of_into(&mut self, ty: &Ty) -> Option<Ty> {
        let Text::Function(function) = self.env.text else { return None };
        let program = self.world.program;
        let decl = &program.functions[function.0];
        let of_impl = decl.owner.map_or(&[][..], |owner| &program.impls[owner.0].generics);
        let ty = self.vars.resolve(ty);
        for (index, param) in of_impl.iter().chain(&decl.generics).enumerate() {
            if let GenericParamKind::Type { into: Some(target), .. } = &param.kind
                && self.env.args.get(index) == Some(&ty)
            {
                let text = match (index < of_impl.len(), decl.owner) {
                    (true, Some(owner)) => Text::Impl(owner),
                    _ => self.env.text,
                };
                let env = Env::new(text, self.env.args.clone());
                return Some(self.world.lower_type(&mut self.vars, &env, target));
            }
        }
        let env = self.env.clone();
        for clause in &decl.clauses {
            if let Some(target) = &clause.into
                && self.world.lower_type(&mut self.vars, &env, &clause.of) == ty
            {
                return Some(self.world.lower_type(&mut self.vars, &env, target));
            }
        }
        for param in &decl.params {
            if let TypeKind::ImplTrait { into: Some(target), .. } = &param.ty.kind
                && self.world.lower_type(&mut self.vars, &env, &param.ty) == ty
            {
                return Some(self.world.lower_type(&mut self.vars, &env, target));
            }
        }
        None
    }

    /// Returns true for a type that an `impl TryFrom` of the user's takes.
    fn is_tried(&mut self, ty: &Ty) -> bool {
        let any = self.vars.any();
        let impls = self.trait_functions("TryFrom", &any, "try_from");
        impls.into_iter().any(|(_, function, prefix)| {
            let (params, _) = self.world.signature(&mut self.vars, function, &prefix);
            params.first().is_some_and(|param| self.vars.could_unify(param, ty))
        })
    }

    /// `x.try_into()` by an `impl TryFrom` of the user's, where the result is known to be of its type.
    fn own_conversion(&mut self, call: &Method<'p>, step: &Step) -> Option<Ty> {
        let (Hint::Must(hint) | Hint::Literal(hint)) = &call.hint else { return None };
        let [to, _] = self.world.of_result(&self.vars.shallow(hint))?;
        let result = self.tried_from(call.expr, &step.place, &to)?;
        self.follow(call.receiver, step);
        Some(result)
    }

    /// The result of `x.try_into()` by an `impl TryFrom` of the user's for the target.
    fn tried_from(&mut self, expr: &'p Expr, from: &Ty, to: &Ty) -> Option<Ty> {
        let to = self.vars.shallow(to);
        for (id, function, prefix) in self.trait_functions("TryFrom", &to, "try_from") {
            let (params, result) = self.world.signature(&mut self.vars, function, &prefix);
            let own = self.world.self_type(&mut self.vars, id, &prefix);
            let fits = self.vars.attempt(|vars| {
                vars.unify(&own, &to).is_ok()
                    && params.first().is_some_and(|param| vars.unify(param, from).is_ok())
            });
            if fits {
                let args = self.function_args(function, Some(prefix), None);
                self.resolved.insert(expr.id, Resolved::Invoke(function, args));
                return Some(self.vars.shallow(&result));
            }
        }
        None
    }

    /// `x.try_into()` of an integer once it is known to what.
    fn converted_integer(&mut self, expr: &'p Expr, from: &Ty, to: &Ty) {
        let to = self.vars.shallow(to);
        match &to {
            target if self.is_integer(target) => {
                let function = self.world.library.get("integer_try_from").copied();
                if let Some(function) = function {
                    let args = Rc::from([from.clone(), to.clone()]);
                    let (_, result) = self.world.signature(&mut self.vars, function, &args);
                    self.fits_result(expr, &result);
                    self.resolved.insert(expr.id, Resolved::Invoke(function, args));
                }
            }
            Ty::Error => {}
            other => {
                let found = self.describe(other);
                let help = match other {
                    Ty::Struct(..) | Ty::Enum(_) => {
                        let from = self.describe(from);
                        format!(
                            "write `impl TryFrom<{}> for {}`",
                            from.trim_matches('`'),
                            found.trim_matches('`')
                        )
                    }
                    Ty::Scalar(scalar) => format!("convert with `as {}`", scalar.name()),
                    _ => "write its type: `let value: u32 = x.try_into().unwrap();`".to_owned(),
                };
                let message =
                    format!("expected an integer to make of an integer, found {found}\nhelp: {help}");
                self.error(expr.loc, message);
                let _ = self.vars.try_unify(&to, &Ty::Error);
            }
        }
    }

    /// `x.try_into()` of a slice once it is known to what: an array, or a reference to one.
    pub(super) fn converted_slice(&mut self, expr: &'p Expr, receiver: &'p Expr, step: &Step, to: &Ty) {
        if let Ty::Struct(..) | Ty::Enum(_) = self.vars.shallow(to)
            && let Some(result) = self.tried_from(expr, &step.place, to)
        {
            return self.fits_result(expr, &result);
        }
        if self.is_integer(&step.place) {
            return self.converted_integer(expr, &step.place, to);
        }
        if self.vars.shallow(to) == Ty::Error {
            return;
        }
        let behind = match self.vars.shallow(to) {
            Ty::Array(..) => "slice_try_into",
            Ty::Ref(_, false) => "slice_try_into_ref",
            Ty::Ref(_, true) => "slice_try_into_mut",
            Ty::Error => return,
            other => {
                let found = self.describe(&other);
                self.error(
                    expr.loc,
                    format!("expected an array to make of a slice, found {found}\nhelp: write its type: `let value: [u8; 4] = x[a..b].try_into().unwrap();`"),
                );
                let _ = self.vars.try_unify(to, &Ty::Error);
                return;
            }
        };
        let Some(function) = self.world.library.get(behind).copied() else { return };
        let types = self.function_args(function, None, None);
        let (params, result) = self.world.signature(&mut self.vars, function, &types);
        let writes = matches!(params.first(), Some(Ty::Slice(_, true)));
        self.as_slice(receiver, step, writes);
        if let (true, Ty::Slice(_, false)) = (writes, &step.place) {
            return self.report_shared_slice(receiver);
        }
        let receiver = self.adjusted_ty(receiver);
        let expected = self.world.result(to.clone(), Ty::Unit);
        if params.first().is_none_or(|param| !self.vars.try_unify(param, &receiver))
            || !self.vars.try_unify(&result, &expected)
        {
            let made = self.vars.shallow(&result);
            let made = self.world.of_result(&made).map_or(Ty::Error, |[made, _]| made);
            let expected = self.vars.shallow(to);
            self.report_mismatch(expr, &expected, &made);
        }
        self.resolved.insert(expr.id, Resolved::Invoke(function, types));
    }

    /// The call gives this after all.
    fn fits_result(&mut self, expr: &Expr, result: &Ty) {
        let expected = self.exprs[expr.id.0].clone();
        if !self.vars.try_unify(&expected, result) {
            self.report_mismatch(expr, &expected, result);
        }
    }

    /// Reports an `x.into()` whose result's type is not decided.
    pub(super) fn report_no_target(&mut self, expr: &Expr, to: &Ty) {
        self.error(expr.loc, "expected a known type to convert to, found nothing that decides it\nhelp: write `let value: f64 = x.into();`, or `f64::from(x)`");
        let _ = self.vars.try_unify(to, &Ty::Error);
    }

    /// `x.into()` once it is known to what.
    pub(super) fn converted(&mut self, expr: &'p Expr, to: &Ty, from: &Ty) {
        if *to == Ty::Error {
            return;
        }
        if self.is_any(to) {
            return self.report_no_target(expr, to);
        }
        for (id, function, prefix) in self.impl_functions(to, "from") {
            let (params, _) = self.world.signature(&mut self.vars, function, &prefix);
            let own = self.world.self_type(&mut self.vars, id, &prefix);
            let fits = self.vars.attempt(|vars| {
                vars.unify(&own, to).is_ok()
                    && params.first().is_some_and(|param| vars.unify(param, from).is_ok())
            });
            if fits {
                let args = self.function_args(function, Some(prefix), None);
                self.resolved.insert(expr.id, Resolved::Invoke(function, args));
                return;
            }
        }
        if self.convert(expr, to, from) {
            return;
        }
        let (expected, found) = (self.describe(to), self.describe(from));
        let of_literal = matches!(&expr.kind, ExprKind::Method { receiver, .. } if matches!(receiver.kind, ExprKind::Literal(_)));
        let help = match self.is_scalar(to) {
            Some(_) if of_literal => {
                "leave `.into()` out: a literal is of the type that is needed".to_owned()
            }
            Some(to) => format!("convert with `as {}`", to.name()),
            None => {
                format!("write `impl From<{}> for {}`", found.trim_matches('`'), expected.trim_matches('`'))
            }
        };
        self.error(
            expr.loc,
            format!(
                "expected a value that {expected} can be made from without loss, found {found}\nhelp: {help}"
            ),
        );
    }

    fn expect(&mut self, call: &Method<'p>, step: &Step, some: &Ty) -> Ty {
        self.follow(call.receiver, step);
        let message = match call.args {
            [arg] => self.message(arg),
            _ => {
                self.report_count(call.expr.loc, "expect", 1, call.args.len());
                None
            }
        };
        match message {
            Some(message) => {
                self.resolved.insert(call.expr.id, Resolved::Expect(message));
                self.vars.shallow(some)
            }
            None => Ty::Error,
        }
    }

    /// The text of a message: the parser keeps string literals as [`ExprKind::Panic`] without arguments.
    fn message(&mut self, arg: &'p Expr) -> Option<String> {
        match &arg.kind {
            ExprKind::Panic(message) if message.args.is_empty() => Some(message.text.clone()),
            _ => {
                self.error(
                    arg.loc,
                    "expected a string literal, found something else\nhelp: write `.expect(\"…\")`",
                );
                None
            }
        }
    }

    /// The names of the methods that impls of a type have, each once; those of operators are none.
    fn methods_of(&mut self, ty: &Ty) -> Vec<String> {
        let program = self.world.program;
        let impls = program.impls.iter().filter(|decl| decl.of_trait.is_none() || decl.of_own_trait);
        let functions = impls.flat_map(|decl| &decl.functions);
        let with_receiver = functions.filter(|row| program.functions[row.1.0].receiver.is_some());
        let names: BTreeSet<String> = with_receiver.map(|row| row.0.to_string()).collect();
        names.into_iter().filter(|name| !self.impl_functions(ty, name).is_empty()).collect()
    }

    /// The trait of the user's that another type has this method from.
    fn trait_with(&self, name: &str) -> Option<String> {
        let program = self.world.program;
        let mut impls = program.impls.iter().filter(|decl| decl.of_own_trait && !decl.scope.is_library);
        let has = |decl: &crate::ast::Impl| decl.functions.iter().any(|row| row.0 == name);
        let (of, args) = impls.find(|decl| has(decl))?.of_trait.as_ref()?;
        Some(if args.is_empty() { of.to_string() } else { format!("{of}<…>") })
    }

    fn report_no_method(&mut self, name: &Ident, ty: &Ty, place: &Ty) {
        let written = name.to_string();
        let found = self.describe(ty);
        let scalar = self.is_scalar(place);
        let available = |row: &&Signature| match place {
            Ty::Scalar(scalar) => {
                row.form == Form::Method && row.builtin != Builtin::Len && row.class.holds(*scalar)
            }
            Ty::Vector(scalar, _) => row.form == Form::VectorMethod && row.class.holds(*scalar),
            _ => row.builtin == Builtin::Len,
        };
        let mut names: Vec<String> =
            builtins::TABLE.iter().filter(available).map(|row| row.name.to_owned()).collect();
        let program = self.world.program;
        let own = self.methods_of(place);
        names.extend(own.iter().cloned());
        let method = builtins::method(&written);
        let receivers = method.map(|row| row.class.name()).or_else(|| library::receivers(&written));
        let known = builtins::other_name(&written);
        let near = did_you_mean(&written, names.iter().map(String::as_str));
        let help = match (known, receivers, near) {
            _ if let Ty::Atomic(atomic) = place => self.help_for_atomic(*atomic, &written),
            _ if has_len(place) && names_len(&written) => "did you mean `len`?".to_owned(),
            _ if scalar.is_some() && ["try_into", "into"].contains(&&*written) => {
                "convert with `as`, as in `x as usize`".to_owned()
            }
            _ if written == "cmp" && scalar.is_some() => {
                "NaN is in no order with the others: write `.total_cmp(…)`, or `.partial_cmp(…)`".to_owned()
            }
            _ if let Some(atomic) = scalar.and_then(|scalar| AtomicKind::of_method(&written, scalar)) => {
                let (atomic, value) = (atomic.name(), found.trim_matches('`'));
                format!("it is a method of atomics: take a `&[{atomic}]` instead of a `&mut [{value}]`")
            }
            (Some(help), _, _) if scalar.is_some() => help,
            _ if method.is_some_and(|method| method.builtin == Builtin::Len) => {
                "slices and shared arrays have a `len`".to_owned()
            }
            (_, Some(receivers), _) if scalar.is_some() => {
                let how = match library::receivers(&written) {
                    Some("a `bool`") => "write a condition before it",
                    _ => "convert with `as`",
                };
                format!("`{written}` is a method of {}: {how}", plural(receivers))
            }
            _ if let Ty::Struct(id, _) = place
                && let Some(help) =
                    library::help_for_method(&program.structs[id.0].name.to_string(), &written) =>
            {
                help.to_owned()
            }
            (_, _, Some(near)) => format!("did you mean `{near}`?"),
            (_, _, None) => match place {
                Ty::Dim3 => "pick an axis: `.x`, `.y` or `.z`".to_owned(),
                place if self.world.of_result(place).is_some() => {
                    "match it: `Ok(value)`, `Err(value)`".to_owned()
                }
                place
                    if let Some(help) =
                        self.tile_type(place).and_then(|name| library::help_for_use(&name)) =>
                {
                    help.to_owned()
                }
                place if let Some(name) = self.primitive(place) => {
                    primitives::help_for_method(&name, &written)
                }
                Ty::Struct(id, _) if program.structs[id.0].scope.is_library && !own.is_empty() => {
                    let listed: Vec<String> = own.iter().map(|name| format!("`{name}`")).collect();
                    format!("its methods are {}", listed.join(", "))
                }
                Ty::Struct(..) | Ty::Enum(_) => {
                    let own = self.describe(place);
                    let own = own.trim_matches('`');
                    match self.trait_with(&written) {
                        Some(of) => {
                            format!("write `impl {of} for {own} {{ … }}`, or declare it in an `impl {own}`")
                        }
                        None => format!("declare it in an `impl {own}`"),
                    }
                }
                Ty::Slice(..) | Ty::Array(..) | Ty::SharedDyn(_) => {
                    let methods =
                        library::slice_methods().chain(["len", "iter", "iter_mut", "windows", "chunks"]);
                    match did_you_mean(&written, methods) {
                        _ if let Some(row) =
                            OTHER_SLICE_METHODS.iter().find(|row| row.0.contains(&&*written)) =>
                        {
                            row.1.to_owned()
                        }
                        Some(near) => format!("did you mean `{near}`?"),
                        None if let Ty::SharedDyn(element) = place
                            && !self.impl_functions(element, &written).is_empty() =>
                        {
                            format!("it is as many of them as there is room for: write `[0].{written}(…)`")
                        }
                        None => "this method is not supported yet: write a loop over the elements, \
                                 `for value in x.iter() { … }`"
                            .to_owned(),
                    }
                }
                Ty::Option(_) => "match it: `Some(value)`, `None`".to_owned(),
                Ty::Tuple(_) => "take a part of it first: `.0`".to_owned(),
                _ => format!(
                    "this method is not supported yet: write a function for it, `fn {written}(value: {}, …) -> … {{ … }}`",
                    self.describe(place).trim_matches('`')
                ),
            },
        };
        self.error(name, format!("expected a method of {found}, found `{written}`\nhelp: {help}"));
    }

    /// The type of a method's arguments, if it is known and has to be that of the receiver.
    fn type_of_arguments(&mut self, name: &str, args: &'p [Expr]) -> Option<Scalar> {
        let is_same = builtins::method(name).is_some_and(|row| row.params.first() == Some(&Slot::Same));
        let mut known = None;
        for arg in args {
            let hint = if is_closure(arg) { Hint::Must(Ty::Error) } else { Hint::None };
            let ty = self.expr(arg, &hint);
            if let Ty::Scalar(scalar) = self.known(&ty) {
                known = known.or(Some(scalar).filter(|_| is_same));
            }
        }
        known
    }

    fn report_ambiguous(&mut self, receiver: &Expr, name: &Ident, ty: &Ty, same: Option<Scalar>) {
        let found = self.describe(ty);
        let help = match (&receiver.kind, self.local_name(receiver)) {
            (_, Some(local)) => {
                let example = same.map_or(self.example(ty), Scalar::name);
                format!("write the type of `{local}` where it is declared: `{local}: {example}`")
            }
            (ExprKind::Literal(_), _) if name == "into" && !self.is_generic() => {
                "leave `.into()` out: a literal is of the type that is needed".to_owned()
            }
            (ExprKind::Literal(_), _) => {
                format!("write the literal with its type, as in `{}`", self.example_literal(ty))
            }
            _ => "give the value to a variable with a type: `let value: f32 = …;`".to_owned(),
        };
        let message = format!(
            "expected a known type before `.{name}()`, found {found} whose type is not decided yet\nhelp: {help}"
        );
        self.error(receiver.loc, message);
        // An unresolved type variable would be reported again.
        let _ = self.vars.try_unify(ty, &Ty::Error);
    }
}

/// Returns true for `1` and `-1.0`.
fn is_number_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(literal) => matches!(literal, Literal::Int { .. } | Literal::Float { .. }),
        ExprKind::Unary { arg, .. } => is_number_literal(arg),
        _ => false,
    }
}

/// Returns true for a scalar's method that takes a reference: a trait's by value comes before it.
pub(super) fn takes_reference(name: &str) -> bool {
    ["total_cmp", "partial_cmp", "cmp", "clone", "is_ascii", "eq_ignore_ascii_case"].contains(&name)
        || name.starts_with("is_ascii_")
        || name.starts_with("to_ascii_")
}

pub(super) fn has_len(ty: &Ty) -> bool {
    match ty {
        Ty::Slice(..) | Ty::Array(..) | Ty::SharedDyn(_) => true,
        Ty::Shared(inner) => has_len(inner),
        _ => false,
    }
}

/// Returns true for what other languages call a length.
pub(super) fn names_len(name: &str) -> bool {
    ["length", "size", "count", "len_of"].contains(&name)
}

/// "a float" as "floats".
fn plural(name: &str) -> String {
    let one = |name: &str| format!("{}s", name.trim_start_matches("a ").trim_start_matches("an "));
    name.split(" or ").map(one).collect::<Vec<_>>().join(" or ")
}
