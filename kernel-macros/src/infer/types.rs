//! Types as written, in the scope of one text and with its generic arguments.

use std::rc::Rc;

use super::ty::Ty;
use super::unify::Vars;
use super::world::World;
use crate::ast::{
    Expr, ExprKind, FunctionId, GenericArg, GenericParam, GenericParamKind, Impl, ImplId, Literal, Struct,
    StructDeclId, TraitName, Type, TypeKind,
};
use crate::atomics::{Atomic, Scope};
use crate::device::library::{self, Multiple};
use crate::diagnostics::Loc;
use crate::literal;
use crate::resolve::{ConstMeaning, Meaning, Text, TypeMeaning};
use crate::typed::{Constant, Scalar};

/// The help for types of too many parts.
pub const TOO_LARGE: &str = "expected a type of at most 1000 parts, as tuples, structs and their generic arguments have them, found \
                             more\nhelp: use an array, or a struct without generic parameters for a part of it";

/// Returns true if the type contains a free type variable.
pub(super) fn holds_variable(ty: &Ty) -> bool {
    matches!(ty, Ty::Var(_)) || ty.children().into_iter().any(holds_variable)
}

/// Returns true if the type has pointers to functions in it.
pub fn holds_pointer(ty: &Ty) -> bool {
    matches!(ty, Ty::FnPtr(_)) || ty.children().into_iter().any(holds_pointer)
}

/// The type with mistakes in place of variables.
pub(super) fn without_variables(ty: &Ty) -> Ty {
    match ty {
        Ty::Var(_) => Ty::Error,
        known => known.map(&mut without_variables),
    }
}

/// The article before a name.
fn article(name: &str) -> &'static str {
    if name.starts_with('A') { "an" } else { "a" }
}

/// The expression in braces, `{ N }`, as a generic argument may be written.
fn without_braces(mut expr: &Expr) -> &Expr {
    while let ExprKind::Block(block) = &expr.kind
        && let (Some(value), true) = (&block.value, block.stmts.is_empty())
    {
        expr = value;
    }
    expr
}

/// Constant arguments in the types of their parameters.
pub(super) fn fit_consts(params: &[GenericParam], args: Vec<Ty>) -> Vec<Ty> {
    let fit = |(arg, param): (Ty, &GenericParam)| match (&arg, &param.kind) {
        (Ty::Const(value), GenericParamKind::Const(ty)) => match &ty.kind {
            TypeKind::Path { path, .. } => match Scalar::from_name(&super::path::last_name(path)) {
                Some(scalar) => Ty::Const(literal::wrap_int(scalar, literal::to_int(*value))),
                None => arg,
            },
            _ => arg,
        },
        _ => arg,
    };
    args.into_iter().zip(params).map(fit).collect()
}

/// Number of the iterators that an adaptor of the library's adapts, `I` and `J`, if its other parameters follow from them: the types of
/// their items, `A` and `C`, and `B`, to which those of the first refer.
fn adapted(decl: &Struct) -> Option<usize> {
    let is_of = |param: &GenericParam, names: &[&str]| names.iter().any(|name| param.name == name);
    let all =
        decl.scope.is_library && decl.generics.iter().all(|param| is_of(param, &["I", "J", "A", "B", "C"]));
    let count = decl.generics.iter().filter(|param| is_of(param, &["I", "J"])).count();
    (all && count > 0).then_some(count)
}

/// The parts of a function's result that are `impl Trait` with what they are in a type.
pub(super) fn opaque_types<'t>(written: &'t Type, ty: &Ty, vars: &Vars) -> Vec<(&'t Type, Ty)> {
    let ty = vars.shallow(ty);
    let all = |pairs: Vec<(&'t Type, Ty)>| {
        pairs.into_iter().flat_map(|(written, ty)| opaque_types(written, &ty, vars)).collect()
    };
    match (&written.kind, &ty) {
        (TypeKind::ImplFn { .. } | TypeKind::ImplTrait { .. }, _) => vec![(written, ty)],
        (TypeKind::Path { args, .. }, Ty::Struct(_, types)) => {
            let pairs = args.iter().zip(types.iter()).filter_map(|(arg, ty)| match arg {
                GenericArg::Type(arg) => Some((arg, ty.clone())),
                GenericArg::Const(_) => None,
            });
            all(pairs.collect())
        }
        (TypeKind::Path { args, .. }, Ty::Option(some)) => match &args[..] {
            [GenericArg::Type(arg)] => opaque_types(arg, some, vars),
            _ => Vec::new(),
        },
        (TypeKind::Tuple(parts), Ty::Tuple(types)) => all(parts.iter().zip(types.iter().cloned()).collect()),
        (TypeKind::Array { element, .. }, Ty::Array(of, _)) => opaque_types(element, of, vars),
        _ => Vec::new(),
    }
}

/// Most types at once that one name is being found to stand for, with different arguments.
const MOST_OPEN: usize = 32;

/// The generic arguments of a text.
#[derive(Clone)]
pub struct Env {
    /// The text.
    pub text: Text,
    /// The arguments: those of the impl first.
    pub args: Rc<[Ty]>,
}

impl Env {
    /// The text with these arguments.
    pub fn new(text: Text, args: Rc<[Ty]>) -> Env {
        Env { text, args }
    }
}

fn env_of(key: &(FunctionId, Rc<[Ty]>)) -> Env {
    Env::new(Text::Function(key.0), key.1.clone())
}

impl<'p> World<'p> {
    /// A type as written; `_` is a new variable.
    pub fn lower_type(&mut self, vars: &mut Vars, env: &Env, ty: &'p Type) -> Ty {
        match &ty.kind {
            TypeKind::Path { args, is_value, .. } => self.lower_path(vars, env, ty, args, !is_value),
            TypeKind::Tuple(parts) => {
                Ty::tuple(parts.iter().map(|part| self.lower_type(vars, env, part)).collect())
            }
            TypeKind::Array { element, len } => {
                let element = self.lower_type(vars, env, element);
                match self.array_len(vars, env, len) {
                    Some(len) => Ty::Array(Rc::new(element), Rc::new(len)),
                    None => Ty::Error,
                }
            }
            TypeKind::Slice { element, mutable } => {
                Ty::Slice(Rc::new(self.lower_type(vars, env, element)), *mutable)
            }
            TypeKind::Unsized(element) => Ty::Slice(Rc::new(self.lower_type(vars, env, element)), false),
            TypeKind::Ref { inner, mutable } => match self.lower_type(vars, env, inner) {
                Ty::Slice(element, _) if self.is_unsized(env, inner) => Ty::Slice(element, *mutable),
                inner => inner.reference(*mutable),
            },
            TypeKind::Ptr { inner, mutable } => Ty::Ptr(Rc::new(self.lower_type(vars, env, inner)), *mutable),
            TypeKind::FnPtr { params, result } => {
                let params = params.iter().map(|param| self.lower_type(vars, env, param));
                let mut parts: Vec<Ty> = params.collect();
                parts.push(result.as_ref().map_or(Ty::Unit, |result| self.lower_type(vars, env, result)));
                Ty::FnPtr(parts.into())
            }
            TypeKind::ImplFn { .. } | TypeKind::ImplTrait { .. } => match self.impl_fn(env, ty) {
                Some(arg) => arg,
                None => self.opaque(vars, env, ty),
            },
            TypeKind::Qualified { of, .. } => self.lower_type(vars, env, of),
            TypeKind::Projected { of, of_trait, args, name } => {
                let own = self.lower_type(vars, env, of);
                let own = vars.shallow(&own);
                let args: Vec<Ty> = args.iter().map(|arg| self.lower_arg(vars, env, arg)).collect();
                let of_trait = Some((of_trait, &args[..]));
                self.projection_of(vars, env.text, &own, (of_trait, &name.to_string()), ty.loc)
            }
            TypeKind::Infer => vars.any(),
        }
    }

    /// Returns true for `Self` or an associated type that is `[T]`.
    fn is_unsized(&self, env: &Env, ty: &Type) -> bool {
        match self.names.of(env.text).ty(ty.id) {
            TypeMeaning::Output(id, index) => {
                matches!(self.program.impls[id.0].outputs[index].1.kind, TypeKind::Unsized(_))
            }
            TypeMeaning::SelfType(id) => self.is_for_unsized(id),
            _ => false,
        }
    }

    /// Returns true for an `impl` for `[T]`.
    pub fn is_for_unsized(&self, id: ImplId) -> bool {
        matches!(self.program.impls[id.0].self_ty.kind, TypeKind::Unsized(_))
    }

    /// The type that a name stands for, the `index`th of its text.
    fn lower_named(&mut self, vars: &mut Vars, (env, ty): (&Env, &'p Type), index: usize, loc: Loc) -> Ty {
        let name = (env.text, index);
        if let Some(known) = self.named.get(&(name, env.args.clone())) {
            return known.clone();
        }
        let mut open = self.open_names.iter().filter(|open| open.0 == name).peekable();
        // `type State = (A::State, B::State)` of an impl is open several times where the parts are such tuples.
        let is_nested = matches!(env.text, Text::Impl(_))
            && open.clone().count() < MOST_OPEN
            && !env.args.iter().any(|arg| vars.is_large(arg));
        let args: Rc<[Ty]> = match is_nested {
            true => env.args.iter().map(|arg| vars.resolve(arg)).collect(),
            false => Rc::from([]),
        };
        if open.peek().is_some() && (!is_nested || open.any(|open| open.1 == args)) {
            let message = "expected a name for another type, found one that stands for itself\nhelp: write the type in full";
            self.diagnostics.error_at_first(loc, message);
            return Ty::Error;
        }
        self.open_names.push((name, args));
        let lowered = self.lower_type(vars, env, ty);
        self.open_names.pop();
        let lowered = self.limited(vars, lowered, loc);
        if lowered == Ty::Error || !holds_variable(&lowered) && !env.args.iter().any(holds_variable) {
            self.named.insert((name, env.args.clone()), lowered.clone());
        }
        lowered
    }

    /// The type, if it is not too large.
    fn limited(&mut self, vars: &Vars, ty: Ty, loc: Loc) -> Ty {
        if !vars.is_large(&ty) {
            return ty;
        }
        self.diagnostics.error_at_first(loc, TOO_LARGE);
        Ty::Error
    }

    /// The generic argument that an `impl Trait` of a parameter is.
    fn impl_fn(&self, env: &Env, ty: &'p Type) -> Option<Ty> {
        let Text::Function(function) = env.text else { return Some(Ty::Error) };
        let first = self.owner_generics(function) + self.program.functions[function.0].generics.len();
        let index = self.impl_fns(function).iter().position(|id| *id == ty.id)?;
        Some(env.args.get(first + index).cloned().unwrap_or(Ty::Error))
    }

    /// The type behind an `impl Trait` in a function's result: that of its body, which is inferred for it. A variable as long as the
    /// generic arguments are not known.
    fn opaque(&mut self, vars: &mut Vars, env: &Env, ty: &'p Type) -> Ty {
        let Text::Function(function) = env.text else { return Ty::Error };
        let loc = ty.loc;
        let part_of = |result: &Ty| {
            let written = self.program.functions[function.0].result.as_ref();
            let parts =
                written.map(|written| opaque_types(written, result, &Vars::default())).unwrap_or_default();
            parts.into_iter().find(|part| part.0.id == ty.id).map_or(Ty::Error, |part| part.1)
        };
        let args: Rc<[Ty]> = env.args.iter().map(|arg| vars.resolve(arg)).collect();
        if args.iter().any(holds_variable) {
            return vars.any();
        }
        let key = (function, args);
        if let Some(known) = self.opaque_results.get(&key) {
            return part_of(known);
        }
        if self.open_results.contains(&key) {
            return vars.any();
        }
        self.open_results.push(key.clone());
        let id = self.instance(function, key.1.clone(), None);
        let mistakes = self.diagnostics.count();
        let mut infer = super::Infer::new(self, env_of(&key), id);
        infer.function(function);
        let mut result = infer.result();
        self.open_results.pop();
        if holds_variable(&result) {
            if self.diagnostics.count() == mistakes {
                let message = "expected a result whose type is known, found nothing that decides it\nhelp: write the type";
                self.diagnostics.error(loc, message);
            }
            result = Ty::Error;
        }
        self.opaque_results.insert(key, result.clone());
        let written = self.program.functions[function.0].result.as_ref();
        let parts =
            written.map(|written| opaque_types(written, &result, &Vars::default())).unwrap_or_default();
        parts.into_iter().find(|part| part.0.id == ty.id).map_or(Ty::Error, |part| part.1)
    }

    fn lower_path(
        &mut self,
        vars: &mut Vars,
        env: &Env,
        ty: &'p Type,
        args: &'p [GenericArg],
        has_defaults: bool,
    ) -> Ty {
        let program = self.program;
        let meaning = self.names.of(env.text).ty(ty.id);
        let one = |world: &mut Self, vars: &mut Vars| {
            let args = world.lower_args(vars, env, args, 1, 0, ty.loc, "a type");
            Rc::new(args[0].clone())
        };
        let with_defaults = |world: &mut Self, vars: &mut Vars, generics, text| {
            match (has_defaults, args) {
                (true, _) => world.with_defaults(vars, env, args, generics, text),
                (false, []) => None,
                // In the path of an expression what is left out is inferred.
                (false, _) => world.with_unknown(vars, env, args, generics),
            }
        };
        match meaning {
            TypeMeaning::Scalar(scalar) => Ty::Scalar(scalar),
            TypeMeaning::Vector(scalar, lanes) => Ty::Vector(scalar, lanes),
            TypeMeaning::Dim3 => Ty::Dim3,
            TypeMeaning::Option => Ty::Option(one(self, vars)),
            TypeMeaning::Atomic(kind) => Ty::Atomic(Atomic { kind, scope: Scope::Device }),
            TypeMeaning::Scoped(scope) => match &*one(self, vars) {
                Ty::Atomic(Atomic { kind, scope: Scope::Device }) => {
                    Ty::Atomic(Atomic { kind: *kind, scope })
                }
                Ty::Error => Ty::Error,
                other => {
                    let found = self.describe_known(&vars.resolve(other));
                    let message = format!(
                        "expected an atomic with this scope, found `{found}`\nhelp: write `BlockScope<AtomicU32>` and the like"
                    );
                    self.diagnostics.error(ty.loc, message);
                    Ty::Error
                }
            },
            TypeMeaning::Ordering => Ty::Ordering,
            TypeMeaning::Scope => Ty::Scope,
            TypeMeaning::Shared => Ty::Shared(one(self, vars)),
            TypeMeaning::SharedDyn => Ty::SharedDyn(one(self, vars)),
            TypeMeaning::Struct(id) => {
                let decl = &program.structs[id.0];
                let what = format!("`{}`", decl.name);
                let args = match args {
                    // `Peekable<I>` as the standard library has it; here its second parameter is the type of the items.
                    written if adapted(decl) == Some(written.len()) => {
                        let iterators: Vec<Ty> =
                            written.iter().map(|arg| self.lower_arg(vars, env, arg)).collect();
                        let items: Vec<Ty> = iterators
                            .iter()
                            .map(|of| self.projection(vars, env.text, &vars.shallow(of), "Item", ty.loc))
                            .collect();
                        let mut next = iterators.iter();
                        let params = decl.generics.iter().map(|param| match &*param.name.to_string() {
                            "A" => items[0].clone(),
                            "B" => match vars.shallow(&items[0]) {
                                Ty::Ref(inner, _) => vars.shallow(&inner),
                                _ => Ty::Error,
                            },
                            "C" => items[items.len() - 1].clone(),
                            _ => next.next().cloned().unwrap_or(Ty::Error),
                        });
                        params.collect()
                    }
                    _ => match with_defaults(self, vars, &decl.generics, Text::Struct(id)) {
                        Some(args) => args,
                        None => self.lower_args(vars, env, args, decl.generics.len(), 0, ty.loc, &what),
                    },
                };
                let args = fit_consts(&decl.generics, args);
                if decl.scope.is_library && !self.is_tile(vars, &decl.name.to_string(), &args, ty.loc) {
                    return Ty::Error;
                }
                self.limited(vars, Ty::Struct(id, args.into()), ty.loc)
            }
            TypeMeaning::Enum(id) => Ty::Enum(id),
            TypeMeaning::Variant(id, _) => {
                Ty::Struct(id, program.structs[id.0].generics.iter().map(|_| vars.any()).collect())
            }
            TypeMeaning::Alias(id) => {
                let alias = &program.aliases[id.0];
                let what = format!("`{}`", alias.name);
                let args = match with_defaults(self, vars, &alias.generics, Text::Alias(id)) {
                    Some(args) => args,
                    None => self.lower_args(vars, env, args, alias.generics.len(), 0, ty.loc, &what),
                };
                let args = fit_consts(&alias.generics, args);
                let env = Env::new(Text::Alias(id), args.into());
                self.lower_named(vars, (&env, &alias.ty), 0, ty.loc)
            }
            TypeMeaning::Param(index) => env.args.get(index).cloned().unwrap_or(Ty::Error),
            TypeMeaning::SelfType(id) => {
                let env = Env::new(Text::Impl(id), env.args.clone());
                self.lower_named(vars, (&env, &program.impls[id.0].self_ty), 0, ty.loc)
            }
            TypeMeaning::Output(id, index) => {
                let env = Env::new(Text::Impl(id), env.args.clone());
                self.lower_named(vars, (&env, &program.impls[id.0].outputs[index].1), 1 + index, ty.loc)
            }
            TypeMeaning::Projection(index) => {
                let TypeKind::Path { path, .. } = &ty.kind else { return Ty::Error };
                let own = env.args.get(index).map_or(Ty::Error, |own| vars.shallow(own));
                self.projection(vars, env.text, &own, &super::path::last_name(path), ty.loc)
            }
            TypeMeaning::OfSelf(id) => {
                let TypeKind::Path { path, .. } = &ty.kind else { return Ty::Error };
                let own = self.self_type(vars, id, &env.args);
                self.projection(vars, env.text, &own, &super::path::last_name(path), ty.loc)
            }
            TypeMeaning::Constant(_) => self.lower_arg_constant(env, meaning),
            TypeMeaning::Nothing | TypeMeaning::Error => Ty::Error,
        }
    }

    /// Reports elements and shapes that a type of the library cannot have.
    fn is_tile(&mut self, vars: &Vars, name: &str, args: &[Ty], loc: Loc) -> bool {
        let Some(row) = library::TILE_TYPES.iter().find(|row| row.name == name) else { return true };
        let element = args.first().map_or(Ty::Error, |element| vars.shallow(element));
        let own_name = match &element {
            Ty::Struct(id, _) => {
                let decl = &self.program.structs[id.0];
                decl.scope.is_library.then(|| decl.name.to_string())
            }
            _ => None,
        };
        let fits = match &element {
            Ty::Scalar(scalar) => row.elements.contains(&scalar.name()),
            Ty::Var(_) | Ty::Error => true,
            _ => own_name.is_some_and(|name| row.elements.contains(&&*name)),
        };
        if !row.elements.is_empty() && !fits {
            let names: Vec<String> = row.elements.iter().map(|name| format!("`{name}`")).collect();
            let (last, others) = names
                .split_last()
                .map_or((String::new(), &names[..]), |(last, others)| (last.clone(), others));
            let (expected, found) =
                (format!("{} or {last}", others.join(", ")), self.describe_known(&vars.resolve(&element)));
            let article = article(name);
            let message = format!(
                "expected {expected} for the elements of {article} `{name}`, found `{found}`\nhelp: {}",
                row.help
            );
            self.diagnostics.error(loc, message);
            return false;
        }
        // Nothing is said of the shape before the elements are known.
        let bits = match &element {
            Ty::Scalar(scalar) => scalar.bits(),
            Ty::Struct(..) => 8,
            _ if row.multiples.iter().any(|multiple| matches!(multiple, Multiple::Bytes(_))) => return true,
            _ => 8,
        };
        let multiples: Vec<u64> = row.multiples.iter().map(|multiple| multiple.of(bits)).collect();
        if name == library::STAGES && !self.is_stage(&element) {
            let found = self.describe_known(&vars.resolve(&element));
            let message = format!(
                "expected a `SharedTile` as a stage, or a tuple of two or three, found `{found}`\nhelp: write `Stages<(SharedTile<f16, 64, \
                 32>, SharedTile<f16, 32, 64>), 3>`"
            );
            self.diagnostics.error(loc, message);
            return false;
        }
        let sizes = args[args.len() - row.multiples.len()..].iter().map(|arg| match vars.shallow(arg) {
            Ty::Const(value) => Some(value.bits),
            _ => None,
        });
        let sizes: Option<Vec<u64>> = sizes.collect();
        let Some(sizes) = sizes else { return true };
        if name == library::STAGES && sizes[0] < 2 {
            let message = format!(
                "expected at least 2 stages, one to fill while another is read, found {}\nhelp: write `2`, or load single tiles: \
                 `tile.load(…)` with a `barrier()` before and after what reads them",
                sizes[0]
            );
            self.diagnostics.error(loc, message);
            return false;
        }
        let fits = |(size, of): (&u64, &u64)| *size > 0 && size.is_multiple_of(*of);
        if sizes.iter().zip(&multiples).all(fits) {
            return true;
        }
        let up = |size: u64, of: u64| size.max(1).next_multiple_of(of);
        let list = |numbers: Vec<u64>| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ");
        let (expected, found) = (list(multiples.clone()), list(sizes.clone()));
        let next = list(sizes.iter().zip(&multiples).map(|(size, of)| up(*size, *of)).collect());
        let article = article(name);
        let message = format!(
            "expected multiples of {expected} as the shape of {article} `{name}`, found {found}\nhelp: take the next larger one, {next}: what is \
             beyond the edges of a matrix is zero when it is loaded, and left out when it is stored"
        );
        self.diagnostics.error(loc, message);
        false
    }

    /// Returns true for a tile and tuples of two or three stages, and for what is not known yet.
    fn is_stage(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Struct(id, _) => self.program.structs[id.0].name == "SharedTile",
            Ty::Tuple(parts) => matches!(parts.len(), 2 | 3) && parts.iter().all(|part| self.is_stage(part)),
            Ty::Var(_) | Ty::Error => true,
            _ => false,
        }
    }

    /// The associated type of this name; one that is not known yet of a type that is not.
    fn projection(&mut self, vars: &mut Vars, text: Text, own: &Ty, name: &str, loc: Loc) -> Ty {
        self.projection_of(vars, text, own, (None, name), loc)
    }

    /// As [`World::projection`], of the trait that is named.
    fn projection_of(
        &mut self,
        vars: &mut Vars,
        text: Text,
        own: &Ty,
        (of_trait, name): (Option<(&TraitName, &[Ty])>, &str),
        loc: Loc,
    ) -> Ty {
        if matches!(own, Ty::Var(_) | Ty::Error) {
            return vars.any();
        }
        let program = self.program;
        let is_meant = move |decl: &Impl| {
            of_trait.is_none_or(|(of_trait, _)| {
                // An iterator is its own `IntoIterator`.
                let is_one =
                    |of: &TraitName| *of == *of_trait || *of == "Iterator" && *of_trait == "IntoIterator";
                decl.of_trait.as_ref().is_some_and(|of| is_one(&of.0))
            })
        };
        let seen = || {
            let impls = program.impls.iter().enumerate();
            impls.filter(move |(_, decl)| program.sees(text, decl) && is_meant(decl))
        };
        let mut of_own = 0;
        for (index, decl) in seen().filter(|(_, decl)| decl.of_own_trait) {
            if decl.outputs.iter().any(|row| row.0 == name) {
                let args: Rc<[Ty]> = decl.generics.iter().map(|_| vars.any()).collect();
                let of = self.self_type(vars, ImplId(index), &args);
                let is_written = self.is_of_arguments(vars, ImplId(index), &args, of_trait);
                of_own += usize::from(is_written && vars.could_unify(&of, own));
            }
        }
        if of_own > 1 {
            let found = self.describe_known(&vars.resolve(own));
            let message = format!(
                "expected one associated type `{name}` of `{found}`, found {of_own}\nhelp: give each trait's another name"
            );
            self.diagnostics.error(loc, message);
            return Ty::Error;
        }
        for (index, decl) in seen() {
            let Some(position) = decl.outputs.iter().position(|row| row.0 == name) else { continue };
            let id = ImplId(index);
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| vars.any()).collect();
            let of = self.self_type(vars, id, &args);
            if self.is_of_arguments(vars, id, &args, of_trait) && vars.try_unify(&of, own) {
                let args: Rc<[Ty]> = args.iter().map(|arg| vars.resolve(arg)).collect();
                let env = Env::new(Text::Impl(id), args);
                return self.lower_named(vars, (&env, &decl.outputs[position].1), 1 + position, loc);
            }
        }
        let iterates = self.language_iterator(vars, own);
        let is_iterator = |decl: &Impl| decl.of_trait.as_ref().is_some_and(|of| of.0 == "Iterator");
        match (name, iterates) {
            ("IntoIter", Some(iterator)) => return iterator,
            ("Item", Some(iterator)) => return self.projection(vars, text, &iterator, name, loc),
            // An iterator is its own.
            ("IntoIter", None) => {
                for (index, decl) in program.impls.iter().enumerate().filter(|(_, decl)| is_iterator(decl)) {
                    let args: Rc<[Ty]> = decl.generics.iter().map(|_| vars.any()).collect();
                    let of = self.self_type(vars, ImplId(index), &args);
                    if vars.could_unify(&of, own) {
                        return own.clone();
                    }
                }
            }
            _ => {}
        }
        // An operator's `Output` of a scalar or a vector.
        match own {
            Ty::Scalar(_) | Ty::Vector(..) if name == "Output" => own.clone(),
            _ => {
                let found = self.describe_known(&vars.resolve(own));
                let message = format!(
                    "expected a type that has an associated type `{name}`, found `{found}`\nhelp: write the `impl` with `type {name} = …;`"
                );
                self.diagnostics.error(loc, message);
                Ty::Error
            }
        }
    }

    /// Returns true if an impl with these arguments may be of the trait's arguments that are written: none stand for any.
    fn is_of_arguments(
        &mut self,
        vars: &mut Vars,
        id: ImplId,
        args: &Rc<[Ty]>,
        of_trait: Option<(&TraitName, &[Ty])>,
    ) -> bool {
        let program = self.program;
        let (Some((_, wanted)), Some((_, written))) = (of_trait, &program.impls[id.0].of_trait) else {
            return true;
        };
        let env = Env::new(Text::Impl(id), args.clone());
        // `impl Mul for V` is `impl Mul<V> for V`.
        let given: Vec<Ty> = match (&written[..], program.impls[id.0].of_own_trait) {
            ([], false) => vec![self.self_type(vars, id, args)],
            (written, _) => written.iter().map(|arg| self.lower_arg(vars, &env, arg)).collect(),
        };
        wanted.iter().zip(&given).all(|(wanted, given)| vars.could_unify(wanted, given))
    }

    /// The type that an impl is for.
    pub fn self_type(&mut self, vars: &mut Vars, id: ImplId, args: &Rc<[Ty]>) -> Ty {
        let program = self.program;
        self.lower_type(vars, &Env::new(Text::Impl(id), args.clone()), &program.impls[id.0].self_ty)
    }

    fn lower_arg_constant(&mut self, env: &Env, meaning: TypeMeaning) -> Ty {
        let TypeMeaning::Constant(constant) = meaning else { return Ty::Error };
        match constant {
            ConstMeaning::ConstParam(index) => env.args.get(index).cloned().unwrap_or(Ty::Error),
            ConstMeaning::Known(value) => Ty::Const(value),
            ConstMeaning::Const(id) => {
                let args = self.const_args(id, &env.args);
                match self.const_value(id, &args) {
                    Some((_, Constant::Scalar(value))) => Ty::Const(value),
                    _ => Ty::Error,
                }
            }
        }
    }

    /// Generic arguments as written: `expected` of them, or none at all, then each is a new variable. `skip` is how many
    /// belong to what is around, which messages do not count.
    #[allow(clippy::too_many_arguments)]
    pub fn lower_args(
        &mut self,
        vars: &mut Vars,
        env: &Env,
        args: &'p [GenericArg],
        expected: usize,
        skip: usize,
        loc: Loc,
        what: &str,
    ) -> Vec<Ty> {
        let _ = skip;
        if args.is_empty() {
            return (0..expected).map(|_| vars.any()).collect();
        }
        if args.len() != expected {
            let message = format!(
                "expected {expected} generic argument{} of {what}, found {}\nhelp: {}",
                if expected == 1 { "" } else { "s" },
                args.len(),
                if args.len() > expected { "leave the rest out" } else { "add what is missing" }
            );
            self.diagnostics.error(loc, message);
            return vec![Ty::Error; expected];
        }
        args.iter().map(|arg| self.lower_arg(vars, env, arg)).collect()
    }

    /// The arguments as written with the defaults of those that are left out; `None` if none is, or has no default.
    fn with_defaults(
        &mut self,
        vars: &mut Vars,
        env: &Env,
        args: &'p [GenericArg],
        generics: &'p [GenericParam],
        text: Text,
    ) -> Option<Vec<Ty>> {
        let left_out = generics.get(args.len()..).filter(|left_out| !left_out.is_empty())?;
        let defaults: Vec<&GenericArg> =
            left_out.iter().map(|param| param.default.as_ref()).collect::<Option<_>>()?;
        let mut known: Vec<Ty> = args.iter().map(|arg| self.lower_arg(vars, env, arg)).collect();
        for default in defaults {
            // A default may name the parameters before it.
            let env = Env::new(text, known.as_slice().into());
            known.push(self.lower_arg(vars, &env, default));
        }
        Some(known)
    }

    /// The arguments as written and variables for those that are left out; `None` if none is, or has no default.
    fn with_unknown(
        &mut self,
        vars: &mut Vars,
        env: &Env,
        args: &'p [GenericArg],
        generics: &[GenericParam],
    ) -> Option<Vec<Ty>> {
        let left_out = generics.get(args.len()..).filter(|left_out| !left_out.is_empty())?;
        if left_out.iter().any(|param| param.default.is_none()) {
            return None;
        }
        let mut known: Vec<Ty> = args.iter().map(|arg| self.lower_arg(vars, env, arg)).collect();
        known.extend(left_out.iter().map(|_| vars.any()));
        Some(known)
    }

    /// One generic argument.
    pub fn lower_arg(&mut self, vars: &mut Vars, env: &Env, arg: &'p GenericArg) -> Ty {
        match arg {
            GenericArg::Type(ty) => self.lower_type(vars, env, ty),
            GenericArg::Const(expr) => self.const_arg(vars, env, expr),
        }
    }

    fn const_arg(&mut self, vars: &mut Vars, env: &Env, expr: &'p Expr) -> Ty {
        let expr = without_braces(expr);
        let names = self.names.of(env.text);
        match (&expr.kind, names.expr(expr.id)) {
            (ExprKind::Path { .. }, Meaning::ConstParam(index)) => {
                env.args.get(index).cloned().unwrap_or(Ty::Error)
            }
            // Its type is that of the parameter: an unsuffixed literal fits any, see `fit_const`.
            (ExprKind::Literal(Literal::Int { value: Some(value), suffix: None }), _) => {
                Ty::len(*value as u64)
            }
            _ => self.constant_in_type(vars, env, expr, None).unwrap_or(Ty::Error),
        }
    }

    /// The value of a constant expression in a type; a new variable if it depends on generic arguments that are not decided yet.
    fn constant_in_type(
        &mut self,
        vars: &mut Vars,
        env: &Env,
        expr: &'p Expr,
        ty: Option<&Ty>,
    ) -> Option<Ty> {
        let args: Vec<Ty> = env.args.iter().map(|arg| vars.resolve(arg)).collect();
        let is_open = args.iter().any(holds_variable);
        // The variables are those of another text.
        let known = Env::new(env.text, args.iter().map(without_variables).collect());
        let mistakes = self.diagnostics.count();
        let value = match ty {
            Some(ty) => self.evaluate_as(&known, expr, ty),
            None => self.evaluate_any(&known, expr),
        };
        match value {
            Some(Constant::Scalar(value)) => Some(Ty::Const(value)),
            None if is_open && self.diagnostics.count() == mistakes => Some(vars.any()),
            Some(Constant::Aggregate(_) | Constant::Option(_)) => {
                let message = "expected a number of at most 64 bits or a `bool`, found another constant\nhelp: write a \
                               number without a suffix, or convert it with `as usize`";
                self.diagnostics.error(expr.loc, message);
                None
            }
            None => None,
        }
    }

    /// Written generic arguments as their parameters have them: a type for a constant, and the other way round, is a mistake.
    pub fn fit_args(&mut self, params: &[GenericParam], written: &[GenericArg], args: Vec<Ty>) -> Vec<Ty> {
        let fit = |(param, (written, arg)): (&GenericParam, (&GenericArg, Ty))| {
            let (expected, found, help) = match (&param.kind, &arg) {
                (_, Ty::Var(_) | Ty::Error) => return arg,
                (GenericParamKind::Const(_), Ty::Const(_)) => return arg,
                (GenericParamKind::Const(_), _) => ("a constant", "a type", "write a number"),
                (GenericParamKind::Type { .. }, Ty::Const(_)) => {
                    ("a type", "a constant", "write a type, such as `f32`")
                }
                (GenericParamKind::Type { .. }, _) => return arg,
            };
            let loc = match written {
                GenericArg::Type(ty) => ty.loc,
                GenericArg::Const(expr) => expr.loc,
            };
            let message = format!("expected {expected} for `{}`, found {found}\nhelp: {help}", param.name);
            self.diagnostics.error(loc, message);
            Ty::Error
        };
        let args = params.iter().zip(written.iter().zip(args)).map(fit).collect();
        fit_consts(params, args)
    }

    /// The length of an array: at least 1, or a variable as long as what it depends on is not decided.
    pub fn array_len(&mut self, vars: &mut Vars, env: &Env, len: &'p Expr) -> Option<Ty> {
        let len = without_braces(len);
        let names = self.names.of(env.text);
        let value = match (&len.kind, names.expr(len.id)) {
            (ExprKind::Path { .. }, Meaning::ConstParam(index)) => vars.shallow(env.args.get(index)?),
            (ExprKind::Literal(Literal::Int { value: Some(value), suffix: None }), _)
                if *value <= u128::from(u64::MAX) =>
            {
                Ty::len(*value as u64)
            }
            _ => self.constant_in_type(vars, env, len, Some(&Ty::USIZE))?,
        };
        let Ty::Const(value) = value else { return Some(value) };
        if value.bits == 0 {
            self.diagnostics
                .error(len.loc, "expected at least 1 element, found 0\nhelp: write a length of 1 or more");
            return None;
        }
        Some(Ty::len(value.bits))
    }

    /// A function's parameters, `self` first, and its result, with these generic arguments.
    pub fn signature(&mut self, vars: &mut Vars, function: FunctionId, args: &Rc<[Ty]>) -> (Vec<Ty>, Ty) {
        let program = self.program;
        let decl = &program.functions[function.0];
        let env = Env::new(Text::Function(function), args.clone());
        let mut params = Vec::with_capacity(decl.params.len() + 1);
        if let (Some(receiver), Some(owner)) = (decl.receiver, decl.owner) {
            let own = self.self_type(vars, owner, args);
            let mutable = receiver == crate::ast::Receiver::RefMut;
            params.push(match own {
                Ty::Slice(element, _) if self.is_for_unsized(owner) => Ty::Slice(element, mutable),
                own if receiver == crate::ast::Receiver::Value => own,
                own => own.reference(mutable),
            });
        }
        for param in &decl.params {
            params.push(self.lower_type(vars, &env, &param.ty));
        }
        let result = match &decl.result {
            Some(ty) => self.lower_type(vars, &env, ty),
            None => Ty::Unit,
        };
        (params, result)
    }

    /// The signatures with which a function's callable generic parameters are called: the argument, its parameter types, its result type.
    pub fn callables(
        &mut self,
        vars: &mut Vars,
        function: FunctionId,
        args: &Rc<[Ty]>,
    ) -> Vec<(Ty, Vec<Ty>, Ty)> {
        let program = self.program;
        let decl = &program.functions[function.0];
        let env = Env::new(Text::Function(function), args.clone());
        let first = self.owner_generics(function);
        let mut found = self.callable_params(vars, &decl.generics, &env, first);
        if let Some(owner) = decl.owner {
            let env = Env::new(Text::Impl(owner), args.clone());
            found.extend(self.callable_params(vars, &program.impls[owner.0].generics, &env, 0));
        }
        for clause in &decl.clauses {
            let Some((params, result)) = &clause.callable else { continue };
            let of = self.lower_type(vars, &env, &clause.of);
            let params = params.iter().map(|ty| self.lower_type(vars, &env, ty)).collect();
            let result = result.as_ref().map_or(Ty::Unit, |ty| self.lower_type(vars, &env, ty));
            found.push((of, params, result));
        }
        for part in decl.params.iter().flat_map(|param| param.ty.opaque_parts()) {
            if let Some((params, result)) = self.impl_fn_signature(vars, &env, part) {
                found.push((self.impl_fn(&env, part).unwrap_or(Ty::Error), params, result));
            }
        }
        found
    }

    /// As [`World::callables`], of a struct's generic parameters.
    pub fn struct_callables(
        &mut self,
        vars: &mut Vars,
        id: StructDeclId,
        args: &Rc<[Ty]>,
    ) -> Vec<(Ty, Vec<Ty>, Ty)> {
        let program = self.program;
        let env = Env::new(Text::Struct(id), args.clone());
        self.callable_params(vars, &program.structs[id.0].generics, &env, 0)
    }

    /// The callable ones of generic parameters, the first of which has this index.
    fn callable_params(
        &mut self,
        vars: &mut Vars,
        generics: &'p [GenericParam],
        env: &Env,
        first: usize,
    ) -> Vec<(Ty, Vec<Ty>, Ty)> {
        let mut found = Vec::new();
        for (index, param) in generics.iter().enumerate() {
            let GenericParamKind::Type { callable: Some((params, result)), .. } = &param.kind else {
                continue;
            };
            let params = params.iter().map(|ty| self.lower_type(vars, env, ty)).collect();
            let result = result.as_ref().map_or(Ty::Unit, |ty| self.lower_type(vars, env, ty));
            found.push((env.args[first + index].clone(), params, result));
        }
        found
    }

    /// The parameter types and the result type of `impl Fn(A) -> B`.
    pub fn impl_fn_signature(&mut self, vars: &mut Vars, env: &Env, ty: &'p Type) -> Option<(Vec<Ty>, Ty)> {
        let TypeKind::ImplFn { params, result } = &ty.kind else { return None };
        let params = params.iter().map(|ty| self.lower_type(vars, env, ty)).collect();
        Some((params, result.as_ref().map_or(Ty::Unit, |ty| self.lower_type(vars, env, ty))))
    }
}
