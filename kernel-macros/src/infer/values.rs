//! Iterators as values: those of the device library, which are kept in variables, handed over and returned, and the user's own.
//!
//! A chain that is consumed where it is written is no value: see [`iter`](super::iter). Which of the two a chain is follows from its
//! syntax and from the types of the variables in it.

use std::rc::Rc;

use super::iter::{INEXACT_ADAPTORS, is_adaptor, is_consumer, needs_exact};
use super::method::{Method, Step};
use super::{Hint, Infer, Resolved, Source, Ty};
use crate::ast::{Expr, ExprKind, FunctionId, GenericParamKind, ImplId, StructDeclId, Type, TypeKind};
use crate::builtins::Class;
use crate::device::{library, primitives};
use crate::infer::Env;
use crate::parse::passes_over;
use crate::resolve::{Meaning, Text};
use crate::typed::Scalar;

/// The adaptors of the library that have no fused form.
const VALUE_ADAPTORS: &[&str] = &["peekable", "flat_map", "flatten", "by_ref", "inspect"];

/// Properties of an iterator chain that its syntax shows.
#[derive(Clone, Copy, Default)]
struct Shape {
    /// It may drop items.
    is_inexact: bool,
    /// It has to be a value: it cannot be compiled as one loop.
    needs_values: bool,
    /// It adapts what a function gives: an iterator that is a value, where iterators are paired with it.
    is_of_call: bool,
    /// Computing an item may do more than that.
    has_effects: bool,
}

/// Returns true if the method of this name gives an iterator that may be kept.
/// Returns true for the user's own types: structs and enums.
fn is_own(ty: &Ty) -> bool {
    matches!(ty, Ty::Struct(..) | Ty::Enum(_))
}

pub(crate) fn is_iterator_method(name: &str) -> bool {
    const SOURCES: &[&str] = &[
        "iter",
        "iter_mut",
        "chunks",
        "chunks_mut",
        "chunks_exact",
        "chunks_exact_mut",
        "windows",
        "split",
        "chunk_by",
        "rchunks",
        "rchunks_exact",
        "rchunks_mut",
        "rchunks_exact_mut",
    ];
    SOURCES.contains(&name) || VALUE_ADAPTORS.contains(&name) || is_adaptor(name)
}

impl<'p> Infer<'_, 'p> {
    /// Returns true if the program has the library's iterators.
    pub(super) fn has_iterators(&self) -> bool {
        self.world.library.contains_key("values_of_iter")
    }

    /// A struct of the library without parameters.
    pub(super) fn library_type(&self, name: &str) -> Option<Ty> {
        Some(Ty::Struct(self.world.library_struct(name)?, Rc::from([])))
    }

    /// The name of a primitive type that is a struct of the library.
    pub(crate) fn primitive(&self, ty: &Ty) -> Option<String> {
        let Ty::Struct(id, _) = self.vars.shallow(ty) else { return None };
        let decl = &self.world.program.structs[id.0];
        let name = decl.name.to_string();
        (decl.scope.is_library && primitives::is_primitive(&name)).then_some(name)
    }

    /// The name of a struct of the library, itself or in shared memory.
    pub(super) fn tile_type(&self, ty: &Ty) -> Option<String> {
        match self.vars.shallow(ty) {
            Ty::Struct(id, _) => {
                let decl = &self.world.program.structs[id.0];
                decl.scope.is_library.then(|| decl.name.to_string())
            }
            Ty::Shared(inner) | Ty::Ref(inner, _) => self.tile_type(&inner),
            _ => None,
        }
    }

    /// The name of a float that has no arithmetic, or none of its own: `f16`, `bf16`, `E4M3`, `E5M2`. They convert by `to_f32` and `from_f32`.
    pub(super) fn small_float(&self, ty: &Ty) -> Option<String> {
        match self.vars.shallow(ty) {
            Ty::Scalar(scalar @ (Scalar::F16 | Scalar::Bf16)) => Some(scalar.name().to_owned()),
            of_library => {
                let floats = [library::FLOATS_OF_8_BITS, library::SMALL_FLOATS];
                self.tile_type(&of_library).filter(|name| floats.iter().any(|of| of.contains(&name.as_str())))
            }
        }
    }

    /// Returns true for the struct of this name of the library.
    pub(crate) fn is_of_library(&self, id: StructDeclId, name: &str) -> bool {
        let decl = &self.world.program.structs[id.0];
        decl.scope.is_library && decl.name == name
    }

    /// Returns true if the receiver of a call is consumed where it is written.
    pub(super) fn fuses_receiver(&mut self, call: &Method<'p>, name: &str) -> bool {
        if !self.has_iterators() {
            return true;
        }
        match is_adaptor(name) {
            true => call.fused,
            false => {
                let Shape { is_inexact, needs_values, has_effects, .. } = self.shape_of(call.receiver);
                (is_consumer(name) || matches!(name, "contains" | "len"))
                    && !needs_values
                    && !(is_inexact && needs_exact(name))
                    && !(has_effects && passes_over(name))
                    && !self.sums_structs(call, name)
            }
        }
    }

    /// Returns true if a sum is one of the user's own type, as far as it is written.
    fn sums_structs(&mut self, call: &Method<'p>, name: &str) -> bool {
        if !matches!(name, "sum" | "product") {
            return false;
        }
        let Some(ty) = self.asked_type(call) else { return false };
        let within = self.world.tried_value(&ty).map(|value| self.vars.shallow(&value));
        is_own(&within.unwrap_or(ty))
    }

    /// Returns true if a chain cannot be compiled as one loop.
    pub(super) fn needs_values(&mut self, expr: &'p Expr) -> bool {
        self.has_iterators() && self.shape_of(expr).needs_values
    }

    fn shape_of(&mut self, expr: &'p Expr) -> Shape {
        match &expr.kind {
            ExprKind::Method { receiver, name, args, .. } => {
                let mut shape = self.shape_of(receiver);
                let name = name.to_string();
                shape.is_of_call = match &receiver.kind {
                    ExprKind::Call { .. } => is_adaptor(&name),
                    // `from_fn(…).map(…).iter()`: what is adapted was no iterator.
                    _ => shape.is_of_call && is_adaptor(&name),
                };
                let takes_other = matches!(name.as_str(), "zip" | "chain");
                for arg in args.iter().filter(|_| takes_other) {
                    let other = self.shape_of(arg);
                    shape.needs_values |= other.is_inexact
                        || other.needs_values
                        || other.is_of_call
                        || matches!(arg.kind, ExprKind::Call { .. });
                    shape.has_effects |= other.has_effects;
                }
                shape.needs_values |= VALUE_ADAPTORS.contains(&name.as_str())
                    || matches!(
                        name.as_str(),
                        "split"
                            | "chunk_by"
                            | "rchunks"
                            | "rchunks_exact"
                            | "rchunks_mut"
                            | "rchunks_exact_mut"
                    )
                    || shape.is_inexact && needs_exact(&name)
                    || shape.has_effects && passes_over(&name);
                shape.is_inexact |= INEXACT_ADAPTORS.contains(&name.as_str());
                shape.has_effects |= name == "map" && args.iter().any(|arg| self.may_have_effects(arg));
                shape
            }
            ExprKind::Path { .. } | ExprKind::Field { .. } | ExprKind::Index { .. } => {
                let needs_values = matches!(self.place_type(expr), Some(Ty::Struct(..)));
                Shape { needs_values, ..Shape::default() }
            }
            ExprKind::Range { end: None, .. } => Shape { needs_values: true, ..Shape::default() },
            _ => Shape::default(),
        }
    }

    /// Returns true for a function that may do more than compute its value: a closure of which the text says so, or one in a variable.
    fn may_have_effects(&self, function: &Expr) -> bool {
        match &function.kind {
            ExprKind::Closure(id) => self.text_closures[id.0].has_effects,
            ExprKind::Path { .. } => matches!(self.table.expr(function.id), Meaning::Local(_)),
            _ => false,
        }
    }

    /// The type of a variable, or of a field or an element of one, behind references, before it is inferred where it stands.
    fn place_type(&mut self, expr: &'p Expr) -> Option<Ty> {
        let ty = match &expr.kind {
            ExprKind::Path { .. } => match self.table.expr(expr.id) {
                Meaning::Local(id) => self.locals[id.0].clone(),
                _ => return None,
            },
            ExprKind::Field { base, member } => {
                let place = self.place_type(base)?;
                self.field_ty(&place, member)?
            }
            ExprKind::Index { base, index } if !matches!(index.kind, ExprKind::Range { .. }) => {
                match self.place_type(base)? {
                    Ty::Array(element, _) | Ty::Slice(element, _) => (*element).clone(),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let mut ty = self.vars.shallow(&ty);
        while let Ty::Ref(inner, _) = &ty {
            ty = self.vars.shallow(&inner.clone());
        }
        Some(ty)
    }

    /// The items of an iterator that is a value.
    pub(super) fn item_of(&mut self, ty: &Ty) -> Option<Ty> {
        self.output_of("Iterator", "Item", ty)
    }

    /// The associated type of a type's impl of a trait of the standard library.
    fn output_of(&mut self, of_trait: &str, name: &str, ty: &Ty) -> Option<Ty> {
        let ty = match self.vars.shallow(ty) {
            Ty::Ref(inner, true) => self.vars.shallow(&inner),
            other => other,
        };
        let Ty::Struct(..) = ty else { return None };
        let program = self.world.program;
        for (index, decl) in program.impls.iter().enumerate() {
            if decl.of_trait.as_ref().is_none_or(|of| of.0 != of_trait) {
                continue;
            }
            let Some(output) = decl.outputs.iter().find(|row| row.0 == name) else { continue };
            let id = ImplId(index);
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let own = self.world.self_type(&mut self.vars, id, &args);
            if self.vars.try_unify(&own, &ty) {
                self.decide_by_bounds_of(id, &args, 0);
                let env = Env::new(Text::Impl(id), args);
                let item = self.world.lower_type(&mut self.vars, &env, &output.1);
                return Some(self.vars.shallow(&item));
            }
        }
        None
    }

    /// The iterator that `into_iter` makes of a type.
    pub(super) fn iterator_of(&mut self, ty: &Ty) -> Option<Ty> {
        if let Some(made) = self.world.language_iterator(&self.vars, ty) {
            return Some(made);
        }
        match self.vars.shallow(ty) {
            Ty::Ref(..) => self.item_of(ty).is_some().then(|| self.vars.shallow(ty)),
            known @ Ty::Struct(..) => match self.item_of(&known) {
                Some(_) => Some(known),
                None => self.output_of("IntoIterator", "IntoIter", &known),
            },
            _ => None,
        }
    }

    /// `for` over a value: keeps the call of `next` at the loop.
    pub(super) fn iterated_value(&mut self, of: &'p Expr, ty: &Ty) -> Option<Ty> {
        let item = self.item_of(ty)?;
        let place = match self.vars.shallow(ty) {
            Ty::Ref(inner, _) => self.vars.shallow(&inner),
            other => other,
        };
        let (id, function, prefix) = self.trait_functions("Iterator", &place, "next").pop()?;
        self.bind_impl(id, &prefix, &place);
        let types = self.function_args(function, Some(prefix), None);
        self.resolved.insert(of.id, Resolved::Invoke(function, types));
        Some(item)
    }

    /// `for` over what an `impl IntoIterator` of the user's makes an iterator of: keeps the call of `into_iter`.
    pub(super) fn iterated_by_trait(&mut self, of: &'p Expr, ty: &Ty) -> Option<Ty> {
        let place = match ty {
            Ty::Ref(inner, _) => self.vars.shallow(inner),
            other => other.clone(),
        };
        let (Ty::Struct(..) | Ty::Enum(_)) = place else { return None };
        let (id, function, prefix) = self.trait_functions("IntoIterator", ty, "into_iter").pop()?;
        self.bind_impl(id, &prefix, ty);
        let types = self.function_args(function, Some(prefix), None);
        let (_, result) = self.world.signature(&mut self.vars, function, &types);
        self.into_iters.insert(of.id, (function, types));
        let iterator = self.vars.shallow(&result);
        if iterator == Ty::Error {
            return Some(Ty::Error);
        }
        self.iterated_value(of, &iterator)
    }

    /// `for` over an `Option`, a `Result`, or a reference to one: keeps the call that makes an iterator of it.
    pub(super) fn iterated_option(&mut self, expr: &'p Expr, ty: &Ty) -> Option<Ty> {
        let place = match ty {
            Ty::Ref(inner, _) => self.vars.shallow(inner),
            other => other.clone(),
        };
        let (of, types): (_, Rc<[Ty]>) = match (&place, self.world.of_result(&place)) {
            (Ty::Option(some), _) => ("option", Rc::from([(**some).clone()])),
            (_, Some(types)) => ("result", Rc::from(types)),
            (_, None) => return None,
        };
        let method = match ty {
            Ty::Ref(_, true) => "iter_mut",
            Ty::Ref(_, false) => "iter",
            _ => "into_iter",
        };
        let function = self.world.library.get(&format!("{of}_{method}")).copied()?;
        let (_, iterator) = self.world.signature(&mut self.vars, function, &types);
        self.into_iters.insert(expr.id, (function, types));
        self.iterated_value(expr, &iterator)
    }

    /// A range that is a value.
    pub(super) fn range_value(&mut self, expr: &'p Expr, ends: (bool, bool, bool), ty: Ty) -> Ty {
        let (Ty::Range(item), Some(name)) = (
            &ty,
            match ends {
                (true, true, false) => Some("range"),
                (true, true, true) => Some("range_inclusive"),
                (true, false, _) => Some("range_from"),
                _ => None,
            },
        ) else {
            return ty;
        };
        let Some(function) = self.world.library.get(&format!("values_of_{name}")).copied() else { return ty };
        let types: Rc<[Ty]> = Rc::from([(**item).clone()]);
        let (_, result) = self.world.signature(&mut self.vars, function, &types);
        self.resolved.insert(expr.id, Resolved::Invoke(function, types));
        self.vars.shallow(&result)
    }

    /// `array.into_iter()` as a value.
    pub(super) fn array_value(&mut self, call: &Method<'p>) -> Option<Ty> {
        let function = self.world.library.get("values_of_array").copied()?;
        Some(self.call_method(call, function, None))
    }

    /// An iterator over a slice as a value.
    pub(super) fn slice_value(
        &mut self,
        call: &Method<'p>,
        step: &Step,
        source: Source,
        writes: bool,
        mutable: bool,
    ) -> Option<Ty> {
        let name = match source {
            Source::Slice | Source::Array => "iter",
            Source::ChunksExact => "chunks_exact",
            Source::Chunks => "chunks",
            Source::Windows => "windows",
        };
        let suffix = if writes { "_mut" } else { "" };
        let function = self.world.library.get(&format!("values_of_{name}{suffix}")).copied()?;
        if writes && !mutable {
            self.report_shared_slice(call.receiver);
        }
        self.as_slice(call.receiver, step, writes);
        let types = self.function_args(function, None, None);
        Some(self.call_method_with(call, function, types))
    }

    /// A method of an iterator that is a value.
    pub(super) fn value_method(&mut self, call: &Method<'p>, name: &str, step: &Step) -> Option<Ty> {
        if !self.has_iterators() || matches!(step.place, Ty::Ref(_, false)) {
            return None;
        }
        let item = self.item_of(&step.place)?;
        let made = match name {
            "sum" => self.made_of_items(call, ("Sum", "sum"), step, &item),
            "product" => self.made_of_items(call, ("Product", "product"), step, &item),
            "collect" => self.made_of_items(call, ("FromIterator", "from_iter"), step, &item),
            _ => None,
        };
        if made.is_some() {
            return made;
        }
        let of_references = matches!(item, Ty::Ref(..));
        let own = self.made_within(call, name, &item);
        let summed = matches!(name, "sum" | "product").then(|| self.summed_value(&item)).flatten();
        let behind = match name {
            _ if own.is_some() => match item {
                Ty::Option(_) => format!("{name}_of_own_options"),
                _ => format!("{name}_of_own_results"),
            },
            "sum" | "product" if of_references => format!("{name}_of_references"),
            "sum" | "product" if summed.is_some() => match item {
                Ty::Option(_) => format!("{name}_of_options"),
                _ => format!("{name}_of_results"),
            },
            "sum" | "product" => format!("{name}_of_values"),
            _ => name.to_owned(),
        };
        // `len` is what `ExactSizeIterator` provides for the user's own iterators.
        let is_there = name != "len"
            || self.tile_type(&step.place).is_none() && self.has_through(&step.place, "size_hint");
        let function = self.world.library.get(&format!("iterator_{behind}")).copied();
        let Some(function) = function.filter(|_| is_there) else {
            let is_own = match self.vars.shallow(&step.place) {
                Ty::Struct(id, _) => self.world.program.structs[id.0].scope.is_library,
                _ => false,
            };
            let is_other = matches!(name, "clone" | "into" | "eq" | "ne");
            return (is_own && !is_other).then(|| self.no_iterator_method(call, name));
        };
        if matches!(name, "rev" | "rfold" | "rfind" | "nth_back" | "rposition")
            && !self.has_through(&step.place, "next_back")
        {
            let found = self.describe(&step.place);
            self.all(call.args);
            self.error(
                call.name,
                format!("expected an iterator that also gives items from the back before `.{name}()`, found {found}\nhelp: write `.{name}()` at a range or a slice, before what drops items"),
            );
            return Some(Ty::Error);
        }
        if name == "rposition" && !self.has_through(&step.place, "len") {
            let found = self.describe(&step.place);
            self.all(call.args);
            let message = format!(
                "expected an iterator that knows its length before `.rposition()`, found {found}\nhelp: write `.rposition()` before what \
                 drops or joins items, or count from the front by `.position(…)`"
            );
            self.error(call.name, message);
            return Some(Ty::Error);
        }
        // A method with `&mut self` takes a `&mut I` as it is, for `I`: the next step of the receiver finds it.
        let first = self.world.program.functions[function.0].params.first().map(|param| &param.ty.kind);
        if let (Some(TypeKind::Ref { mutable: true, .. }), Ty::Ref(_, true)) = (first, &step.place) {
            return None;
        }
        if let (Some(value), None) = (&summed, &own)
            && self.tile_type(value).is_none()
        {
            self.claim(value, Class::Number, call.name.into(), if name == "sum" { "sum" } else { "product" });
        }
        let types = self.function_args(function, None, None);
        let given = |infer: &mut Self, of: &str, ty: &Ty| infer.decide(function, &types, of, ty);
        given(self, "I", &step.place);
        given(self, "A", &item);
        if let Ty::Ref(referent, _) = &item
            && (of_references && behind.starts_with("sum")
                || behind.starts_with("product")
                || matches!(name, "copied" | "cloned"))
        {
            given(self, "B", &referent.clone());
        }
        if let Some(made) = &own {
            let value = self.world.tried_value(&item).unwrap_or(Ty::Error);
            given(self, "B", made);
            given(self, "C", &value);
        } else if let Some(value) = &summed {
            given(self, "B", value);
        }
        if (own.is_some() || summed.is_some())
            && let Some([_, error]) = self.world.of_result(&item)
        {
            given(self, "E", &error);
        }
        if name == "flatten" {
            self.decide_inner(function, &types, &item);
        }
        match self.world.program.functions[function.0].params.first().map(|param| &param.ty.kind) {
            Some(TypeKind::Ref { mutable, .. }) => self.borrow(call.receiver, step, *mutable),
            _ => self.follow(call.receiver, step),
        }
        let result = self.call_method_with(call, function, types.clone());
        if name == "try_for_each" {
            return Some(self.tried(call, &result, &Ty::Unit));
        }
        if name == "try_fold"
            && let Some(total) = self.argument(function, &types, "S")
        {
            return Some(self.tried(call, &result, &total));
        }
        if (matches!(name, "zip" | "chain" | "flat_map") || library::is_comparison(name))
            && let Some(other) = self.argument(function, &types, "K")
        {
            let other = self.known(&other);
            self.decide_inner(function, &types, &other);
            if let ("chain", Some(items)) = (name, self.argument(function, &types, "C")) {
                let _ = self.vars.try_unify(&items, &item);
            }
        }
        Some(self.vars.shallow(&result))
    }

    /// The type of `try_fold`: an `Option` or a `Result` of the total.
    pub(super) fn tried(&mut self, call: &Method<'p>, result: &Ty, total: &Ty) -> Ty {
        let known = self.known(result);
        if known == Ty::Error {
            return Ty::Error;
        }
        let given = self.world.tried_value(&known);
        if !given.is_some_and(|given| self.vars.try_unify(&given, total)) {
            let (total, found) = (self.describe(total), self.describe(&known));
            let at = call.args.get(1).map_or(call.expr.loc, |arg| arg.loc);
            self.error(
                at,
                format!(
                    "expected a closure that gives an `Option` or a `Result` of {total}, found one that gives {found}\nhelp: write \
                     `Some(value)` or `Ok(value)`, or `.fold(…)` if it never ends early"
                ),
            );
            return Ty::Error;
        }
        known
    }

    /// The generic argument of this name.
    fn argument(&self, function: FunctionId, types: &Rc<[Ty]>, name: &str) -> Option<Ty> {
        let generics = &self.world.program.functions[function.0].generics;
        let index = generics.iter().position(|param| param.name == name)?;
        types.get(index).cloned()
    }

    fn decide(&mut self, function: FunctionId, types: &Rc<[Ty]>, name: &str, ty: &Ty) {
        if let Some(arg) = self.argument(function, types, name) {
            let _ = self.vars.try_unify(&arg, ty);
        }
    }

    /// The iterator `J` of something that is iterated over within, and its items `C`.
    fn decide_inner(&mut self, function: FunctionId, types: &Rc<[Ty]>, of: &Ty) {
        let Some(inner) = self.iterator_of(of) else { return };
        self.decide(function, types, "J", &inner);
        if let Some(item) = self.item_of(&inner) {
            self.decide(function, types, "C", &item);
        }
    }

    /// The type that `sum`, `product` and `collect` are to give, as far as it is written or expected.
    pub(super) fn asked_type(&mut self, call: &Method<'p>) -> Option<Ty> {
        let env = self.env.clone();
        let ty = match (call.generics.and_then(|generics| generics.args.first()), &call.hint) {
            (Some(arg), _) => self.world.lower_arg(&mut self.vars, &env, arg),
            (None, Hint::Must(ty)) => ty.clone(),
            (None, Hint::None | Hint::Literal(_)) => return None,
        };
        Some(self.vars.shallow(&ty))
    }

    /// The user's own type that `sum`, `product` and `collect` make of the values in options or results: the first without one ends it.
    fn made_within(&mut self, call: &Method<'p>, name: &str, item: &Ty) -> Option<Ty> {
        let (of_trait, function) = match name {
            "sum" => ("Sum", "sum"),
            "product" => ("Product", "product"),
            "collect" => ("FromIterator", "from_iter"),
            _ => return None,
        };
        self.summed_value(item)?;
        let to = self.asked_type(call)?;
        let is_same = self.world.tried(&to)? == self.world.tried(item)?;
        let made = self.world.tried_value(&to).filter(|_| is_same)?;
        let made = self.vars.shallow(&made);
        (is_own(&made) && !self.trait_functions(of_trait, &made, function).is_empty()).then_some(made)
    }

    /// `sum`, `product` and `collect` by the user's impl of a trait, whose function takes the iterator.
    fn made_of_items(
        &mut self,
        call: &Method<'p>,
        (of_trait, name): (&str, &str),
        step: &Step,
        item: &Ty,
    ) -> Option<Ty> {
        let to = self.asked_type(call).unwrap_or_else(|| self.vars.shallow(item));
        for (id, function, prefix) in self.trait_functions(of_trait, &to, name) {
            let decl = &self.world.program.impls[id.0];
            let env = Env::new(Text::Impl(id), prefix.clone());
            let summed = match decl.of_trait.as_ref().and_then(|of| of.1.first()) {
                Some(arg) => self.world.lower_arg(&mut self.vars, &env, arg),
                None => to.clone(),
            };
            if self.vars.could_unify(&summed, item) {
                self.bind_impl(id, &prefix, &to);
                self.follow(call.receiver, step);
                let types = self.function_args(function, Some(prefix), None);
                let made = self.call_method_with(call, function, types);
                return Some(self.vars.shallow(&made));
            }
        }
        None
    }

    /// The items that a function's bounds ask of its iterators: `impl Iterator<Item = T>`, of which the arguments are known.
    pub(super) fn bound_items(&mut self, function: FunctionId, types: &Rc<[Ty]>) {
        let decl = &self.world.program.functions[function.0];
        let first = self.world.owner_generics(function);
        let mut bounds: Vec<(Ty, &'p Type)> = Vec::new();
        let unnamed = decl.params.iter().flat_map(|param| param.ty.opaque_parts());
        for (part, ty) in unnamed.zip(types.iter().skip(first + decl.generics.len())) {
            if let TypeKind::ImplTrait { item: Some(item), .. } = &part.kind {
                bounds.push((ty.clone(), item));
            }
        }
        for (index, param) in decl.generics.iter().enumerate() {
            if let GenericParamKind::Type { item: Some(item), .. } = &param.kind {
                bounds.push((types[first + index].clone(), item));
            }
        }
        let env = Env::new(Text::Function(function), types.clone());
        for (of, item) in bounds {
            let of = self.known(&of);
            if let Some(iterator) = self.iterator_of(&of)
                && let Some(found) = self.item_of(&iterator)
            {
                let item = self.world.lower_type(&mut self.vars, &env, item);
                let _ = self.vars.try_unify(&item, &found);
            }
        }
    }

    /// The items of the `impl Iterator<Item = T>` that the function being inferred returns.
    pub(super) fn returned_items(&mut self, opaque: &[(&'p Type, Ty)]) {
        for (part, ty) in opaque {
            if let TypeKind::ImplTrait { item: Some(item), .. } = &part.kind
                && let Some(found) = self.item_of(ty)
            {
                let env = self.env.clone();
                let item = self.world.lower_type(&mut self.vars, &env, item);
                let _ = self.vars.try_unify(&item, &found);
            }
        }
    }

    /// Returns true if an iterator has this method, as has every one that it adapts: `next_back`, `len`.
    fn has_through(&mut self, ty: &Ty, method: &str) -> bool {
        let ty = match self.vars.shallow(ty) {
            Ty::Ref(inner, true) => self.vars.shallow(&inner),
            other => other,
        };
        let Ty::Struct(id, args) = &ty else { return false };
        if self.impl_functions(&ty, method).is_empty() {
            return false;
        }
        // The adaptors of the library have no bounds: what they adapt is `I` and `J`.
        let decl = &self.world.program.structs[id.0];
        !decl.scope.is_library
            || decl.generics.iter().zip(args.iter()).all(|(param, arg)| {
                !(param.name == "I" || param.name == "J") || self.has_through(arg, method)
            })
    }
}
