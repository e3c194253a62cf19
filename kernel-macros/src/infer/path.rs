//! Paths: constants, functions handed over by name, unit structs, and what belongs to a type.

use std::rc::Rc;

use super::types::fit_consts;
use super::{Env, Hint, Infer, Resolved, Ty};
use crate::ast::{
    ConstDeclId, Expr, ExprKind, Function, FunctionId, GenericArg, GenericParamKind, Generics, Impl, ImplId,
    TraitName, Type, TypeKind, VariantForm,
};
use crate::device::{library, primitives};
use crate::diagnostics::{Loc, did_you_mean};
use crate::parse::expr::NO_STRINGS;
use crate::resolve::{Meaning, Text, TypeMeaning, is_default};
use crate::typed::{Constant, Scalar};
use crate::{builtins, constants};

/// The resolution of `T::name`.
pub(super) enum Associated {
    /// A constant of an impl, with the impl's arguments.
    Const(ConstDeclId, Rc<[Ty]>),
    /// A function of an impl, with the impl's arguments.
    Function(FunctionId, Rc<[Ty]>),
    /// No item of the user's.
    Other,
    /// Several items, which is reported.
    Ambiguous,
}

/// The last name of a path.
pub(super) fn last_name(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// A method or constant that a type has from several places.
pub(super) struct Ambiguity {
    /// The trait of the user's own.
    pub(super) of_trait: TraitName,
    /// True if the type has one of the language's.
    pub(super) by_language: bool,
    /// True if one `impl` alone gives it.
    pub(super) is_one: bool,
}

/// Methods that values of the language have without a function of the library: of all types, of options and of slices.
const BUILT_IN: &[&str] = &[
    "clone",
    "into",
    "try_into",
    "into_iter",
    "expect",
    "len",
    "get_unchecked",
    "get_unchecked_mut",
    "as_ptr",
    "as_mut_ptr",
    "iter",
    "iter_mut",
    "chunks_exact",
    "chunks_exact_mut",
    "chunks",
    "chunks_mut",
    "windows",
];

impl<'p> Infer<'_, 'p> {
    pub(super) fn path(
        &mut self,
        expr: &'p Expr,
        path: &'p syn::Path,
        of: Option<&'p Type>,
        generics: Option<&'p Generics>,
        hint: &Hint,
    ) -> Ty {
        match self.table.expr(expr.id) {
            Meaning::Local(id) => self.vars.shallow(&self.locals[id.0]),
            Meaning::Const(id) => self.constant(expr, id, Rc::from([])),
            Meaning::ConstParam(index) => match self.env.args.get(index) {
                Some(Ty::Const(value)) => {
                    self.resolved.insert(expr.id, Resolved::Known(*value));
                    Ty::Scalar(value.ty)
                }
                _ => Ty::Error,
            },
            Meaning::Known(value) => {
                self.resolved.insert(expr.id, Resolved::Known(value));
                Ty::Scalar(value.ty)
            }
            Meaning::Function(function) => self.function_value(function, None, generics),
            Meaning::Struct(id) => match self.variant_type(expr, id, of, generics) {
                Ty::Struct(id, args) => self.unit_struct(expr, id, args),
                _ => Ty::Error,
            },
            Meaning::SelfStruct(id) => {
                let args = self.env.args.clone();
                match self.world.self_type(&mut self.vars, id, &args) {
                    Ty::Struct(id, args) => self.unit_struct(expr, id, args),
                    _ => Ty::Error,
                }
            }
            Meaning::Variant(id, _) => Ty::Enum(id),
            Meaning::Ordering(_) => Ty::Ordering,
            Meaning::Scope(_) => Ty::Scope,
            Meaning::DataVariant(id, index) => self.unit_variant(expr, (id, index), (of, generics), hint),
            Meaning::None => {
                let some = match generics {
                    Some(generics) => {
                        let env = self.env.clone();
                        let what = "`None`";
                        let args = self.world.lower_args(
                            &mut self.vars,
                            &env,
                            &generics.args,
                            1,
                            0,
                            generics.loc,
                            what,
                        );
                        args.into_iter().next().unwrap_or(Ty::Error)
                    }
                    None => self.vars.any(),
                };
                let ty = Ty::option(some);
                if let Hint::Must(expected) | Hint::Literal(expected) = hint {
                    let _ = self.vars.try_unify(&ty, expected);
                }
                ty
            }
            Meaning::Some => {
                self.error(expr.loc, "expected a value, found `Some` without one\nhelp: write a closure: `|value| Some(value)`");
                Ty::Error
            }
            Meaning::Builtin(function) => {
                let dots = if function.params.is_empty() { "" } else { "…" };
                self.error(
                    expr.loc,
                    format!(
                        "expected a value, found the function `{0}`\nhelp: call it: `{0}({dots})`",
                        function.name
                    ),
                );
                Ty::Error
            }
            Meaning::Library(module) => {
                let name = last_name(path);
                self.error(
                    expr.loc,
                    format!("expected a value, found the function `{module}::{name}`\nhelp: call it: `{module}::{name}(…)`"),
                );
                Ty::Error
            }
            Meaning::OfTrait(_) => {
                let name = last_name(path);
                let program = self.world.program;
                let mut functions = program.impls.iter().flat_map(|decl| &decl.functions);
                let is_method =
                    functions.any(|row| row.0 == name && program.functions[row.1.0].receiver.is_some());
                let help = match is_method {
                    true => format!("write a closure: `|value| value.{name}()`"),
                    false => format!("name the type whose it is: `T::{name}`"),
                };
                self.error(expr.loc, format!("expected a value, found `{name}` of a trait\nhelp: {help}"));
                Ty::Error
            }
            Meaning::Associated => self.associated_value(expr, path, of, generics),
            Meaning::Nothing | Meaning::Loop(_) | Meaning::Error => Ty::Error,
        }
    }

    /// A variant without data of an enum with data.
    fn unit_variant(
        &mut self,
        expr: &'p Expr,
        (id, index): (crate::ast::StructDeclId, usize),
        generics: (Option<&'p Type>, Option<&'p Generics>),
        hint: &Hint,
    ) -> Ty {
        let name = self.variant_name(id, index);
        let (expected, help) =
            match self.world.program.structs[id.0].variant(index).map(|variant| variant.form) {
                Some(VariantForm::Tuple) => {
                    let values = self.declared(id, Some(index)).len();
                    let names: Vec<String> = (0..values).map(|number| format!("v{number}")).collect();
                    let names = names.join(", ");
                    ("a value", format!("write a closure: `|{names}| {name}({names})`"))
                }
                Some(VariantForm::Named) => ("a value", format!("write `{name} {{ … }}`")),
                Some(VariantForm::Unit) | None => {
                    let ty = self.variant_type(expr, id, generics.0, generics.1);
                    if let Hint::Must(expected) | Hint::Literal(expected) = hint {
                        let _ = self.vars.try_unify(&ty, expected);
                    }
                    self.resolved.insert(expr.id, Resolved::Variant(index));
                    return ty;
                }
            };
        self.error(
            expr.loc,
            format!("expected {expected}, found `{name}` without what it holds\nhelp: {help}"),
        );
        Ty::Error
    }

    /// The enum of `E::<T>::V` and `V::<T>`, the unit struct of `S::<T>`.
    pub(super) fn variant_type(
        &mut self,
        expr: &'p Expr,
        id: crate::ast::StructDeclId,
        of: Option<&'p Type>,
        generics: Option<&'p Generics>,
    ) -> Ty {
        let before = match of.map(|of| &of.kind) {
            Some(TypeKind::Path { args, .. }) => &args[..],
            _ => &[],
        };
        let written = generics.map_or(before, |generics| &generics.args);
        let decl = &self.world.program.structs[id.0];
        let (count, what) = (decl.generics.len(), format!("`{}`", decl.name));
        let env = self.env.clone();
        let args = self.world.lower_args(&mut self.vars, &env, written, count, 0, expr.loc, &what);
        Ty::Struct(id, fit_consts(&decl.generics, args).into())
    }

    fn constant(&mut self, expr: &Expr, id: ConstDeclId, args: Rc<[Ty]>) -> Ty {
        let program = self.world.program;
        if program.consts[id.0].is_text {
            self.error(expr.loc, NO_STRINGS);
            return Ty::Error;
        }
        if let Some(function) = program.consts[id.0].function {
            let (_, ty) = self.world.signature(&mut self.vars, function, &args);
            self.resolved.insert(expr.id, Resolved::Invoke(function, args));
            return ty;
        }
        let env = Env::new(Text::Const(id), args.clone());
        let ty = self.world.lower_type(&mut self.vars, &env, &program.consts[id.0].ty);
        self.resolved.insert(expr.id, Resolved::Const(id, args));
        ty
    }

    fn function_value(
        &mut self,
        function: FunctionId,
        prefix: Option<Rc<[Ty]>>,
        generics: Option<&'p Generics>,
    ) -> Ty {
        let args = self.function_args(function, prefix, generics);
        Ty::Function(function, args)
    }

    fn unit_struct(&mut self, expr: &Expr, id: crate::ast::StructDeclId, args: Rc<[Ty]>) -> Ty {
        let decl = &self.world.program.structs[id.0];
        if !decl.fields.is_empty() {
            let help = match decl.is_tuple {
                true => format!("write `{}(…)`", decl.name),
                false => format!("write `{} {{ … }}`", decl.name),
            };
            let message = format!("expected a value, found the struct `{}`\nhelp: {help}", decl.name);
            self.error(expr.loc, message);
            return Ty::Error;
        }
        self.resolved.insert(expr.id, Resolved::Constructor);
        Ty::Struct(id, args)
    }

    /// The type before the last name of a path.
    pub(super) fn path_type(&mut self, of: Option<&'p Type>) -> Ty {
        let env = self.env.clone();
        let meaning = of.map(|of| self.world.names.of(env.text).ty(of.id));
        self.of_param = matches!(meaning, Some(TypeMeaning::Param(_)));
        self.of_trait = match of.map(|of| &of.kind) {
            Some(TypeKind::Qualified { of_trait, args, .. }) => Some((of_trait, &args[..])),
            _ => None,
        };
        self.implied_traits = of.map_or_else(Vec::new, |of| self.implied_traits_of(of));
        self.of_written = match meaning {
            Some(
                TypeMeaning::Scalar(_)
                | TypeMeaning::Vector(..)
                | TypeMeaning::Alias(_)
                | TypeMeaning::Struct(_)
                | TypeMeaning::Enum(_),
            ) => true,
            // In a default method it is a type parameter.
            Some(TypeMeaning::SelfType(_)) => self.implied_traits.is_empty(),
            _ => false,
        };
        match of {
            Some(of) => {
                let ty = self.world.lower_type(&mut self.vars, &env, of);
                self.vars.shallow(&ty)
            }
            None => Ty::Error,
        }
    }

    /// The traits that are bounds of `T` in `T::NAME`: where the type of an instance has several such names, rustc looks at theirs. Of
    /// `Self::NAME` in a default method it is the method's own.
    fn implied_traits_of(&self, of: &Type) -> Vec<&'p TraitName> {
        let program = self.world.program;
        let names = self.world.names.of(self.env.text);
        if let TypeMeaning::SelfType(id) = names.ty(of.id) {
            let decl = &program.impls[id.0];
            let is_provided = match self.env.text {
                Text::Function(function) => decl.provided.contains(&program.functions[function.0].name),
                Text::Const(constant) => decl.provided.contains(&program.consts[constant.0].name),
                _ => false,
            };
            return decl.of_trait.iter().filter(|_| is_provided).map(|of| &of.0).collect();
        }
        let (TypeMeaning::Param(index), Text::Function(function)) = (names.ty(of.id), self.env.text) else {
            return Vec::new();
        };
        let decl = &program.functions[function.0];
        let of_owner = decl.owner.map_or(&[][..], |owner| &program.impls[owner.0].generics);
        match of_owner.iter().chain(&decl.generics).nth(index).map(|param| &param.kind) {
            Some(GenericParamKind::Type { bounds, .. }) => bounds.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Reports a name that a trait of the user's own gives a type which has it from elsewhere too. Calls are resolved by the type
    /// of an instance alone, where rustc looks at the trait of a bound or path: both mean the same only if there is one.
    pub(super) fn ambiguous(&mut self, loc: Loc, ty: &Ty, name: &str) -> bool {
        match self.ambiguity(ty, name) {
            // On trial the trait's will do.
            Some(_) if self.probes.is_some() => false,
            Some(found) => {
                self.report_ambiguity(loc, ty, name, &found);
                true
            }
            None => false,
        }
    }

    /// The traits and types that a method or constant of a type could be of, if there are several.
    pub(super) fn ambiguity(&mut self, ty: &Ty, name: &str) -> Option<Ambiguity> {
        let program = self.world.program;
        let (text, in_library) = (self.env.text, self.in_library());
        let named = |decl: &Impl| {
            let seen =
                decl.functions.iter().filter(|row| in_library || !program.functions[row.1.0].is_private);
            let functions = seen.map(|row| &row.0);
            let items = functions.chain(decl.consts.iter().map(|row| &row.0));
            program.sees(text, decl) && items.into_iter().any(|item| item == name)
        };
        if !program.impls.iter().any(|decl| decl.of_own_trait && named(decl)) {
            return None;
        }
        let (mut count, mut own, mut is_same) = (0, None, false);
        for (index, decl) in program.impls.iter().enumerate().filter(|(_, decl)| named(decl)) {
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let of = self.world.self_type(&mut self.vars, ImplId(index), &args);
            if self.vars.could_be_for(&of, ty) && self.meets_bounds(ImplId(index), ty) {
                count += 1;
                own = own.or(decl.of_trait.as_ref().filter(|_| decl.of_own_trait));
                let function = decl.functions.iter().find(|row| row.0 == name);
                // In a path `T::NAME` the bounds of `T` say which constant it is; where they do not, rustc asks.
                is_same = match function {
                    Some(row) => forwards(&program.functions[row.1.0], name),
                    None => self.of_param,
                };
            }
        }
        let (of_trait, _) = own?;
        let by_language = match self.vars.shallow(ty) {
            Ty::Scalar(_) if BUILT_IN.contains(&name) => true,
            Ty::Scalar(scalar) => {
                (constants::of_scalar(scalar, name).is_some() && !constants::is_of_trait(scalar, name))
                    || builtins::method(name).is_some_and(|row| row.class.holds(scalar))
                    || self.library_method(ty, name).is_some()
            }
            Ty::Struct(..) | Ty::Enum(_) | Ty::Var(_) => false,
            // rustc takes the trait's method of an array before that of the slice which the array becomes.
            _ => {
                self.library_method(ty, name).is_some()
                    || BUILT_IN.contains(&name)
                    || library::RANGE_METHODS.contains(&name)
                    || builtins::method(name).is_some()
                    || builtins::vector_method(name).is_some()
            }
        };
        if count == 1 && (!by_language || is_same) {
            return None;
        }
        Some(Ambiguity { of_trait: of_trait.clone(), by_language, is_one: count == 1 })
    }

    /// Returns true for a function or constant that a scalar or vector has without a trait: in a path by the name of the type, such as
    /// `f16::from_f32`, it comes before that of a trait of the user's.
    fn has_by_itself(&mut self, ty: &Ty, name: &str) -> bool {
        match ty {
            Ty::Scalar(scalar) => {
                let is_small = matches!(scalar, Scalar::F16 | Scalar::Bf16);
                let is_constant =
                    constants::of_scalar(*scalar, name).is_some() && !constants::is_of_trait(*scalar, name);
                let is_of_bytes = matches!(name, "from_le_bytes" | "from_ne_bytes" | "from_be_bytes");
                is_constant
                    || is_of_bytes && *scalar != Scalar::Bool
                    || is_small && matches!(name, "from_f32" | "from_f64" | "to_f32" | "to_f64")
                    || scalar.is_int() && matches!(name, "from_le" | "from_be")
                    || builtins::associated(name).is_some_and(|row| row.class.holds(*scalar))
                    || self.library_method(ty, name).is_some()
            }
            Ty::Vector(..) => {
                name == "new"
                    || builtins::vector_associated(name).or_else(|| builtins::vector_method(name)).is_some()
            }
            _ => false,
        }
    }

    /// Returns true if an `impl` without a trait gives the type a function or constant of this name. Of the library's types rustc need not
    /// know the functions, so that they count for none; the constants of integers are those of the standard library.
    fn has_in_own_impl(&mut self, ty: &Ty, name: &str) -> bool {
        let (program, text) = (self.world.program, self.env.text);
        program.impls.iter().enumerate().filter(|(_, decl)| decl.of_trait.is_none()).any(|(index, decl)| {
            let has = match decl.scope.is_library {
                true => self.is_wide(ty) && decl.consts.iter().any(|row| row.0 == name),
                false => {
                    let rows = decl.functions.iter().map(|row| &row.0);
                    rows.chain(decl.consts.iter().map(|row| &row.0)).any(|row| row == name)
                }
            };
            if !has || !program.sees(text, decl) {
                return false;
            }
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let of = self.world.self_type(&mut self.vars, ImplId(index), &args);
            self.vars.could_be_for(&of, ty)
        })
    }

    /// Returns true for an integer of 128 bits.
    fn is_wide(&self, ty: &Ty) -> bool {
        let Ty::Struct(id, _) = ty else { return false };
        let decl = &self.world.program.structs[id.0];
        decl.scope.is_library && primitives::WIDE.iter().any(|name| decl.name == name)
    }

    pub(super) fn report_ambiguity(&mut self, loc: Loc, ty: &Ty, name: &str, found: &Ambiguity) {
        let Ambiguity { of_trait, by_language, .. } = found;
        let found = self.describe(ty);
        let other = if *by_language { "a method or constant of the language" } else { "another `impl`" };
        self.error(
            loc,
            format!(
                "expected one `{name}` of {found}, found that of `{of_trait}` and that of {other}\n\
                 help: give the one of `{of_trait}` another name"
            ),
        );
    }

    /// Resolves `ty::name` in the user's impls.
    pub(super) fn associated(&mut self, loc: Loc, ty: &Ty, name: &str) -> Associated {
        let program = self.world.program;
        // `<T as Trait>::name` of a trait that the user has impls of says which.
        let qualified = self.of_trait.take().filter(|(of_trait, _)| {
            let is_of = |decl: &&Impl| decl.of_trait.as_ref().is_some_and(|of| of.0 == **of_trait);
            let mut impls = program.impls.iter().filter(is_of);
            impls.any(|decl| decl.of_own_trait || !decl.scope.is_library) || self.in_library()
        });
        let (of_trait, of_trait_args) = (qualified.map(|of| of.0), qualified.map(|of| of.1));
        let implied = std::mem::take(&mut self.implied_traits);
        let is_written = std::mem::take(&mut self.of_written) && of_trait.is_none();
        if is_written && self.has_by_itself(ty, name) {
            return Associated::Other;
        }
        // As in Rust, what an `impl` without a trait gives the type comes before what traits give it.
        let is_inherent = is_written && self.has_in_own_impl(ty, name);
        // `T::ONE` behind `T: Number` is the prelude's, also for a type to which a trait of the user's own gives another.
        let is_own = |of_trait: &TraitName| {
            let mut traits = program.impls.iter().filter(|decl| decl.of_own_trait);
            traits.any(|decl| decl.of_trait.as_ref().is_some_and(|of| of.0 == *of_trait))
        };
        if let (Ty::Scalar(scalar), true) = (ty, self.of_param && of_trait.is_none())
            && implied.iter().any(|bound| *bound == "Number")
            && !implied.iter().any(|bound| is_own(bound))
            && constants::of_scalar(*scalar, name).is_some()
        {
            return Associated::Other;
        }
        let implied = match of_trait.is_none() && !implied.is_empty() && self.ambiguity(ty, name).is_some() {
            true => implied.into_iter().find(|of_trait| {
                let is_of = |decl: &&Impl| decl.of_trait.as_ref().is_some_and(|of| of.0 == **of_trait);
                let has = |decl: &Impl| {
                    decl.consts.iter().any(|row| row.0 == name)
                        || decl.functions.iter().any(|row| row.0 == name)
                };
                program.impls.iter().filter(is_of).any(has)
            }),
            false => None,
        };
        let of_trait = of_trait.or(implied);
        let is_meant = |decl: &Impl| match is_inherent {
            true => decl.of_trait.is_none(),
            false => {
                of_trait.is_none_or(|of_trait| decl.of_trait.as_ref().is_some_and(|of| of.0 == *of_trait))
            }
        };
        if of_trait.is_none() && !is_inherent && self.ambiguous(loc, ty, name) {
            return Associated::Ambiguous;
        }
        let functions = self.impl_functions(ty, name);
        let found = functions.into_iter().find(|(id, _, args)| {
            is_meant(&program.impls[id.0]) && self.is_written(*id, args, ty, of_trait_args)
        });
        if let Some((id, function, args)) = found {
            self.bind_impl(id, &args, ty);
            return Associated::Function(function, args);
        }
        for (index, decl) in program.impls.iter().enumerate().filter(|(_, decl)| is_meant(decl)) {
            let Some((_, constant)) = decl.consts.iter().find(|row| row.0 == name) else { continue };
            if !program.sees(self.env.text, decl) {
                continue;
            }
            let id = ImplId(index);
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            if !self.is_written(id, &args, ty, of_trait_args) {
                continue;
            }
            let own = self.world.self_type(&mut self.vars, id, &args);
            if self.vars.try_unify(&own, ty) {
                return Associated::Const(*constant, args);
            }
        }
        Associated::Other
    }

    /// The impl's arguments are those that make it the type's.
    pub(super) fn bind_impl(&mut self, id: ImplId, args: &Rc<[Ty]>, ty: &Ty) {
        let own = self.world.self_type(&mut self.vars, id, args);
        let _ = self.vars.try_unify(&own, ty);
        self.bind_by_bounds(id, args, ty);
        self.decide_by_bounds_of(id, args, 0);
    }

    /// The arguments of the impl that only its trait names, `N` of `impl<const N: usize> Shape<N> for Square`, are those in the bound
    /// `T: Shape<M>` of the type parameter that the type stands for.
    fn bind_by_bounds(&mut self, id: ImplId, args: &Rc<[Ty]>, ty: &Ty) {
        let program = self.world.program;
        let Some((of_trait, written)) = &program.impls[id.0].of_trait else { return };
        if written.is_empty() || !self.is_open(args) {
            return;
        }
        let Some((env, bound)) = self.bound_on(of_trait, ty) else { return };
        let of_impl = Env::new(Text::Impl(id), args.clone());
        for (bound, written) in bound.iter().zip(written) {
            let bound = self.world.lower_arg(&mut self.vars, &env, bound);
            let written = self.world.lower_arg(&mut self.vars, &of_impl, written);
            let _ = self.vars.try_unify(&written, &bound);
        }
    }

    /// Returns false for an impl of another trait than the bound says on the type parameter that the type stands for: of
    /// `impl Op<f32> for Plus` and `impl Op<u32> for Plus` the bound `O: Op<T>` means one.
    pub(super) fn fits_bound(&mut self, id: ImplId, args: &Rc<[Ty]>, ty: &Ty) -> bool {
        let program = self.world.program;
        let Some((of_trait, written)) = &program.impls[id.0].of_trait else { return true };
        if written.is_empty() {
            return true;
        }
        let Some((env, bound)) = self.bound_on(of_trait, ty) else { return true };
        self.fits_args(id, args, (&env, bound))
    }

    /// Returns true if an impl is of the trait with the arguments that a path `<T as Trait<A>>::name` or a bound on `T` says.
    fn is_written(
        &mut self,
        id: ImplId,
        args: &Rc<[Ty]>,
        ty: &Ty,
        qualified: Option<&'p [GenericArg]>,
    ) -> bool {
        match qualified {
            Some(written) if !written.is_empty() => {
                let env = self.env.clone();
                self.fits_args(id, args, (&env, written))
            }
            _ => self.fits_bound(id, args, ty),
        }
    }

    /// Returns true if an impl is one of its trait with these arguments.
    pub(super) fn fits_args(
        &mut self,
        id: ImplId,
        args: &Rc<[Ty]>,
        (env, bound): (&Env, &'p [GenericArg]),
    ) -> bool {
        let program = self.world.program;
        let written = program.impls[id.0].of_trait.as_ref().map_or(&[][..], |of| &of.1);
        let of_impl = Env::new(Text::Impl(id), args.clone());
        // `impl Sum for V` is `impl Sum<V> for V`.
        if let ([bound], [], false) = (bound, written, program.impls[id.0].of_own_trait) {
            let bound = self.world.lower_arg(&mut self.vars, env, bound);
            let own = self.world.self_type(&mut self.vars, id, args);
            return self.vars.could_unify(&own, &bound);
        }
        bound.iter().zip(written).all(|(bound, written)| {
            let bound = self.world.lower_arg(&mut self.vars, env, bound);
            let written = self.world.lower_arg(&mut self.vars, &of_impl, written);
            self.vars.could_unify(&written, &bound)
        })
    }

    /// The arguments of a trait in the one bound by it on the type parameter that the type stands for: `T` of `O: Op<T>`.
    fn bound_on(&mut self, of_trait: &TraitName, ty: &Ty) -> Option<(Env, &'p [GenericArg])> {
        let program = self.world.program;
        let Text::Function(function) = self.env.text else { return None };
        let ty = self.vars.resolve(ty);
        let decl = &program.functions[function.0];
        let of_owner = decl.owner.map_or(&[][..], |owner| &program.impls[owner.0].generics);
        let given = self.env.args.clone();
        let mut found = Vec::new();
        for (index, param) in of_owner.iter().chain(&decl.generics).enumerate() {
            let GenericParamKind::Type { applied, .. } = &param.kind else { continue };
            if given.get(index) != Some(&ty) {
                continue;
            }
            let env = match decl.owner {
                Some(owner) if index < of_owner.len() => {
                    Env::new(Text::Impl(owner), given[..of_owner.len()].into())
                }
                _ => self.env.clone(),
            };
            found.extend(applied.iter().filter(|of| of.0 == *of_trait).map(|of| (env.clone(), &of.1[..])));
        }
        match found.len() {
            1 => found.pop(),
            _ => None,
        }
    }

    fn associated_value(
        &mut self,
        expr: &'p Expr,
        path: &'p syn::Path,
        of: Option<&'p Type>,
        generics: Option<&'p Generics>,
    ) -> Ty {
        let name = last_name(path);
        let default = self.world.library.get("value_default").copied().filter(|_| name == "default");
        // The parameter that it is handed to decides the type.
        if let (Some(function), true) = (default, is_default(path)) {
            return Ty::Function(function, Rc::from([self.vars.any()]));
        }
        let ty = self.path_type(of);
        if ty == Ty::Error {
            return Ty::Error;
        }
        match self.associated(expr.loc, &ty, &name) {
            Associated::Ambiguous => return Ty::Error,
            Associated::Const(id, args) => return self.constant(expr, id, args),
            Associated::Function(function, args) => {
                return self.function_value(function, Some(args), generics);
            }
            Associated::Other => {}
        }
        if let (Some(function), Ok(())) = (default, self.has_default(&ty)) {
            return Ty::Function(function, Rc::from([ty]));
        }
        let is_written = of.is_some_and(is_scalar);
        if let Ty::Scalar(scalar) = ty
            && let Some(value) = constants::of_scalar(scalar, &name)
            && !(is_written && constants::is_of_trait(scalar, &name))
        {
            self.resolved.insert(expr.id, Resolved::Known(value));
            return Ty::Scalar(value.ty);
        }
        // `f32::max` handed over by its name.
        if let Ty::Scalar(scalar) = ty {
            let by_name = self.world.library.get(&format!("value_{name}")).copied();
            // Those with `&self`.
            if let Some(function) = by_name.filter(|_| super::method::takes_reference(&name))
                && match name.as_str() {
                    "cmp" => scalar.is_int(),
                    "partial_cmp" => scalar != Scalar::Bool,
                    _ => self.library_method(&ty, &name).is_some(),
                }
            {
                let types = (0..self.world.generics(function)).map(|_| ty.clone());
                return Ty::Function(function, types.collect());
            }
            if let Some(function) = self.library_method(&ty, &name) {
                return match self.world.generics(function) {
                    0 => Ty::Function(function, Rc::from([])),
                    _ => Ty::Function(function, Rc::from([ty])),
                };
            }
            let holds = super::operator::is_method_of(scalar, &name)
                || builtins::method(&name).is_some_and(|row| row.class.holds(scalar));
            if let (true, Some(function)) = (holds, by_name) {
                return Ty::Function(function, Rc::from([ty]));
            }
        }
        // `Best::max` of the order of a type of the user's.
        if let Some(function) = self.ordering_method(&ty, &name) {
            return Ty::Function(function, Rc::from([ty]));
        }
        if let Ty::Enum(id) = ty
            && self.world.program.enums[id.0].variants.iter().any(|variant| variant.0 == name)
        {
            // A variant behind a type parameter.
            return ty;
        }
        // `map(u32::neg)` means a function.
        let what =
            if name.starts_with(char::is_lowercase) && name != "from" { "function" } else { "constant" };
        self.report_no_associated(expr, &ty, &name, what);
        Ty::Error
    }

    /// The value of the constant `T::NAME` in a pattern.
    pub(crate) fn associated_constant(&mut self, path: &syn::Path, of: Option<&'p Type>) -> Option<Constant> {
        let ty = self.path_type(of);
        let name = last_name(path);
        match (self.associated(Loc::of(path), &ty, &name), &ty) {
            (Associated::Const(id, args), _) => {
                let args = args.iter().map(|arg| self.vars.resolve(arg)).collect();
                self.world.const_value(id, &args).map(|(_, value)| value)
            }
            (_, Ty::Scalar(scalar)) => constants::of_scalar(*scalar, &name).map(Constant::Scalar),
            _ => None,
        }
    }

    pub(super) fn report_no_associated(&mut self, expr: &Expr, ty: &Ty, name: &str, what: &str) {
        let found = self.describe(ty);
        let program = self.world.program;
        let mut names: Vec<String> = Vec::new();
        for index in 0..program.impls.len() {
            let decl = &program.impls[index];
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let own = self.world.self_type(&mut self.vars, ImplId(index), &args);
            if self.vars.could_unify(&own, ty) {
                let rows =
                    decl.functions.iter().map(|row| &row.0).chain(decl.consts.iter().map(|row| &row.0));
                names.extend(rows.map(ToString::to_string));
            }
        }
        let scalar = match ty {
            Ty::Scalar(scalar) => Some(*scalar),
            _ => None,
        };
        let near = did_you_mean(name, names.iter().map(String::as_str));
        let help = match (near, scalar) {
            _ if what == "constant" && name == "from" => {
                format!("write a closure: `|value| {}::from(value)`", found.trim_matches('`'))
            }
            (None, Some(scalar)) if let Some(constant) = constant_called(name) => match self.of_param {
                true => format!("the constant is `T::{constant}`, without `()`"),
                false
                    if constants::of_scalar(scalar, constant).is_some()
                        && !constants::is_of_trait(scalar, constant) =>
                {
                    format!("write `{}::{constant}`", scalar.name())
                }
                false => {
                    let digit = if constant == "ZERO" { "0" } else { "1" };
                    format!("write the literal: `{digit}{}`", if scalar.is_float() { ".0" } else { "" })
                }
            },
            (Some(near), _) => format!("did you mean `{}::{near}`?", found.trim_matches('`')),
            (None, Some(scalar)) => constants::near(&[scalar.name().to_owned(), name.to_owned()])
                .or_else(|| self.help_for_scalar_function(scalar, name))
                .unwrap_or_else(|| format!("`{}` has no such {what}", scalar.name())),
            (None, None) if let Ty::Atomic(_) = ty => {
                let name = found.trim_matches('`');
                format!("take a `&[{name}]`, or write `shared::<[{name}; 1]>()` for one of the block")
            }
            (None, None) => match self.tile_type(ty).and_then(|name| library::help_for_making(&name)) {
                Some(help) => help.to_owned(),
                None => format!("declare it in an `impl {}`", found.trim_matches('`')),
            },
        };
        let message = format!("expected a {what} of {found}, found the unknown name `{name}`\nhelp: {help}");
        self.error(expr.loc, message);
    }

    fn help_for_scalar_function(&self, scalar: Scalar, name: &str) -> Option<String> {
        if name == "neg" {
            let ty = scalar.name();
            return Some(format!("`{ty}` has no sign: write `{ty}::wrapping_neg`, or convert with `as`"));
        }
        if name == "try_from" {
            return Some(format!("convert with `as {}`", scalar.name()));
        }
        if let Some(row) = builtins::associated(name) {
            return Some(match row.class.holds(scalar) {
                true => format!("call it: `{}::{name}(…)`", scalar.name()),
                false => format!("`{name}` needs {}: convert with `as`", row.class.name()),
            });
        }
        builtins::other_name(name)
    }
}

/// The constant of the language that the crate `num_traits` has as a function.
fn constant_called(name: &str) -> Option<&'static str> {
    const CONSTANTS: &[(&str, &str)] = &[
        ("zero", "ZERO"),
        ("one", "ONE"),
        ("infinity", "INFINITY"),
        ("neg_infinity", "NEG_INFINITY"),
        ("nan", "NAN"),
        ("epsilon", "EPSILON"),
        ("min_positive_value", "MIN_POSITIVE"),
    ];
    CONSTANTS.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// Returns true for a method that does nothing but call the one of the same name that its type has from the language:
/// `fn sqrt(self) -> f32 { self.sqrt() }`, `{ f32::sqrt(self) }`. Then it does not matter which of the two a call means.
fn forwards(function: &Function, name: &str) -> bool {
    let body = &function.body;
    let (Some(value), true) = (&body.value, body.stmts.is_empty()) else { return false };
    let names: Vec<String> = function.locals.iter().map(|local| local.name.to_string()).collect();
    let is_local = |expr: &Expr, index: usize| match &expr.kind {
        ExprKind::Path { path, of: None, generics: None } => {
            names.get(index).is_some_and(|name| path.is_ident(name.as_str()))
        }
        _ => false,
    };
    let in_order = |args: &[Expr], first: usize| {
        args.len() + first == function.params.len() + usize::from(function.receiver.is_some())
            && args.iter().enumerate().all(|(index, arg)| is_local(arg, first + index))
    };
    match &value.kind {
        ExprKind::Method { receiver, name: called, generics: None, args, .. } => {
            called == name && is_local(receiver, 0) && in_order(args, 1)
        }
        ExprKind::Call { callee, args } => match &callee.kind {
            ExprKind::Path { path, generics: None, .. } => {
                let words: Vec<String> =
                    path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                let [.., of, called] = &words[..] else { return false };
                called == name && Scalar::from_name(of).is_some() && in_order(args, 0)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns true for a scalar that is written as such: `f32`, not a parameter or an alias that stands for it.
fn is_scalar(ty: &Type) -> bool {
    matches!(&ty.kind, TypeKind::Path { path, .. }
        if path.get_ident().is_some_and(|name| Scalar::from_name(&name.to_string()).is_some()))
}
