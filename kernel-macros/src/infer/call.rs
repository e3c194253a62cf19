//! Calls of functions.

use std::rc::Rc;

use super::method::{Reported, Step};
use super::path::{Associated, last_name};
use super::types::fit_consts;
use super::{Env, Hint, Infer, Kind, OF_THE_LANGUAGE, Opaque, Resolved, Ty};
use crate::ast::{
    ConstDeclId, Expr, ExprKind, FunctionId, GenericParamKind, Generics, ImplId, Literal, StructDeclId,
    TraitId, TraitName, Type, TypeKind, VariantForm,
};
use crate::builtins::{self, Builtin, Form, Signature, Slot};
use crate::device::{library, primitives};
use crate::diagnostics::Loc;
use crate::resolve::{Meaning, Text, TypeMeaning, is_default};
use crate::typed::Scalar;

impl<'p> Infer<'_, 'p> {
    pub(super) fn call(&mut self, expr: &'p Expr, callee: &'p Expr, args: &'p [Expr], hint: &Hint) -> Ty {
        let ExprKind::Path { path, of, generics } = &callee.kind else {
            return self.call_value(expr, callee, args);
        };
        let args_refs: Vec<&'p Expr> = args.iter().collect();
        match self.table.expr(callee.id) {
            Meaning::Function(function) => {
                self.call_function(expr, function, None, generics.as_ref(), &args_refs, hint)
            }
            Meaning::Builtin(function) if matches!(function.form, Form::Pointer | Form::Slice) => {
                self.pointer_function(expr, function, generics.as_ref(), &args_refs, hint)
            }
            Meaning::Builtin(function) if function.form == Form::Memory => {
                self.memory_function(expr, function, generics.as_ref(), args)
            }
            Meaning::Builtin(function) => self.call_builtin(expr, function, generics.as_ref(), &args_refs),
            Meaning::Library(module) => {
                let name = last_name(path);
                let form = library::Form::Path(module);
                let decides = library::deciding_argument(form, &name);
                let ty = match args.get(decides) {
                    Some(arg) => self.operand(arg, &Hint::None),
                    None => Ty::Unit,
                };
                let row = match self.known(&ty) {
                    Ty::Scalar(scalar) => library::find(form, &name, scalar),
                    Ty::Vector(lane, _) => library::find_for_vectors(form, &name, lane),
                    Ty::Var(var) => match self.vars.kind(var) {
                        Kind::Int => library::find(form, &name, Scalar::I32),
                        Kind::Float => library::find(form, &name, Scalar::F32),
                        Kind::Any => None,
                    },
                    _ => None,
                };
                let function = row.and_then(|row| self.world.library.get(row.function).copied());
                match function {
                    Some(function) => {
                        self.call_function(expr, function, None, generics.as_ref(), &args_refs, hint)
                    }
                    None => {
                        self.all(args);
                        if ty != Ty::Error {
                            let found = self.describe(&ty);
                            let (loc, expected) = match args.get(decides) {
                                Some(arg) => (arg.loc, library::expected(form, &name)),
                                None => (expr.loc, "a value".to_owned()),
                            };
                            self.error(
                                loc,
                                format!("expected {expected} for `{module}::{name}`, found {found}\nhelp: convert with `as`"),
                            );
                        }
                        Ty::Error
                    }
                }
            }
            Meaning::Struct(id) => {
                let count = self.world.program.structs[id.0].generics.len();
                let env = self.env.clone();
                let what = format!("`{}`", self.world.program.structs[id.0].name);
                let written = generics.as_ref().map_or(&[][..], |generics| &generics.args);
                let types = self.world.lower_args(&mut self.vars, &env, written, count, 0, expr.loc, &what);
                let types = fit_consts(&self.world.program.structs[id.0].generics, types);
                self.constructor(expr, id, types.into(), args, hint)
            }
            Meaning::SelfStruct(id) => {
                let own = self.env.args.clone();
                match self.world.self_type(&mut self.vars, id, &own) {
                    Ty::Struct(id, types) => self.constructor(expr, id, types, args, hint),
                    _ => {
                        self.all(args);
                        Ty::Error
                    }
                }
            }
            Meaning::Some => self.some(expr, args, hint),
            Meaning::DataVariant(id, index) => {
                let ty = self.variant_type(expr, id, of.as_deref(), generics.as_ref());
                self.variant_constructor(expr, ty, (id, index), args, hint)
            }
            Meaning::Associated => {
                let name = last_name(path);
                let ty = match (is_default(path), hint) {
                    (true, Hint::Must(ty)) => self.known(ty),
                    (true, Hint::None | Hint::Literal(_)) => self.vars.any(),
                    (false, _) => self.path_type(of.as_deref()),
                };
                if let Ty::Var(_) = ty {
                    self.error(expr.loc, "expected a known type, found nothing that decides it\nhelp: write it: `f32::default()`");
                    self.all(args);
                    return Ty::Error;
                }
                self.call_associated(expr, &ty, &name, generics.as_ref(), args, hint)
            }
            Meaning::OfTrait(own) => {
                let of_trait = (of.as_deref(), own);
                self.call_of_trait(expr, &last_name(path), of_trait, generics.as_ref(), args, hint)
            }
            Meaning::Error => {
                self.all(args);
                Ty::Error
            }
            Meaning::Local(_)
            | Meaning::Const(_)
            | Meaning::ConstParam(_)
            | Meaning::Known(_)
            | Meaning::Variant(..)
            | Meaning::Ordering(_)
            | Meaning::Scope(_)
            | Meaning::None
            | Meaning::Loop(_)
            | Meaning::Nothing => self.call_value(expr, callee, args),
        }
    }

    pub(super) fn all(&mut self, args: &'p [Expr]) {
        for arg in args {
            let hint = if is_closure(arg) { Hint::Must(Ty::Error) } else { Hint::None };
            self.expr(arg, &hint);
        }
    }

    fn some(&mut self, expr: &'p Expr, args: &'p [Expr], hint: &Hint) -> Ty {
        let [arg] = args else {
            self.report_count(expr.loc, "Some", 1, args.len());
            self.all(args);
            return Ty::Error;
        };
        let inner = match hint {
            Hint::Must(ty) | Hint::Literal(ty) => match self.vars.shallow(ty) {
                Ty::Option(inner) => self.vars.shallow(&inner),
                _ => self.vars.any(),
            },
            Hint::None => self.vars.any(),
        };
        self.resolved.insert(expr.id, Resolved::Some);
        match self.operand(arg, &Hint::Must(inner.clone())) {
            Ty::Error => Ty::Error,
            _ => Ty::option(inner),
        }
    }

    fn constructor(
        &mut self,
        expr: &'p Expr,
        id: StructDeclId,
        types: Rc<[Ty]>,
        args: &'p [Expr],
        hint: &Hint,
    ) -> Ty {
        let decl = &self.world.program.structs[id.0];
        if !decl.is_tuple {
            let message =
                format!("expected a function, found the struct `{0}`\nhelp: write `{0} {{ … }}`", decl.name);
            self.error(expr.loc, message);
            self.all(args);
            return Ty::Error;
        }
        let ty = Ty::Struct(id, types.clone());
        if let Hint::Must(expected) | Hint::Literal(expected) = hint {
            let _ = self.vars.try_unify(&ty, expected);
        }
        let fields = self.world.struct_fields(&mut self.vars, id, &types);
        if fields.len() != args.len() {
            self.report_count(expr.loc, &decl.name.to_string(), fields.len(), args.len());
            self.all(args);
            return Ty::Error;
        }
        self.field_values((id, None), &types, fields, args);
        self.resolved.insert(expr.id, Resolved::Constructor);
        ty
    }

    /// The values of fields by position.
    fn field_values(
        &mut self,
        of: (StructDeclId, Option<usize>),
        types: &Rc<[Ty]>,
        mut fields: Vec<Ty>,
        args: &'p [Expr],
    ) {
        let is_open = self.is_open(types);
        let mut held = Vec::new();
        let bounds = self.world.struct_callables(&mut self.vars, of.0, types);
        let outer = self.bounds.len();
        self.bounds.extend(bounds);
        for (index, arg) in args.iter().enumerate() {
            if is_open {
                fields = self.fields_of(of.0, of.1, types);
            }
            self.operand(arg, &Hint::Must(fields[index].clone()));
            held.push((index, arg, fields[index].clone()));
        }
        self.bounds.truncate(outer);
        if is_open {
            self.decide_fields(of, types, &held);
        }
    }

    /// `Trait::method(value, …)`: the type of the first argument, or else the expected one, is that of the impl.
    fn call_of_trait(
        &mut self,
        expr: &'p Expr,
        name: &str,
        (of_trait, own): (Option<&'p Type>, Option<TraitId>),
        generics: Option<&'p Generics>,
        args: &'p [Expr],
        hint: &Hint,
    ) -> Ty {
        let mut candidates = Vec::new();
        if let Some(first) = args.first() {
            let ty = self.operand(first, &Hint::None);
            let mut ty = self.known(&ty);
            candidates.push(ty.clone());
            while let Ty::Ref(inner, _) = &ty {
                ty = self.known(&inner.clone());
                candidates.push(ty.clone());
            }
        }
        if let Hint::Must(ty) = hint {
            candidates.push(self.known(ty));
        }
        for ty in &candidates {
            if let Ty::Slice(element, _) = ty {
                let mut found = self.unsized_functions(element, name);
                if found.len() > 1
                    && let Some(TypeKind::Path { args: written, .. }) = of_trait.map(|of| &of.kind)
                {
                    let env = self.env.clone();
                    found.retain(|(id, _, prefix)| {
                        let of = self.world.program.impls[id.0].of_trait.as_ref();
                        of.is_some_and(|of| of.0.own == own) && self.fits_args(*id, prefix, (&env, written))
                    });
                }
                match self.unsized_function(expr.loc, element, name, found) {
                    Ok(Some((function, prefix))) => {
                        let args: Vec<&'p Expr> = args.iter().collect();
                        return self.call_function(expr, function, Some(prefix), generics, &args, hint);
                    }
                    Err(Reported) => {
                        self.all(args);
                        return Ty::Error;
                    }
                    Ok(None) => {}
                }
            }
            if matches!(ty, Ty::Var(_) | Ty::Error) || self.functions_of(own, ty, name).is_empty() {
                continue;
            }
            if let Some(function) = self.function_of_trait(ty, name, (of_trait, own)) {
                let args: Vec<&'p Expr> = args.iter().collect();
                return self.call_function(expr, function.0, Some(function.1), generics, &args, hint);
            }
            return self.call_associated(expr, ty, name, generics, args, hint);
        }
        self.all(args);
        if !candidates.contains(&Ty::Error) {
            let message = format!(
                "expected a value whose type has an `impl` with `{name}`, found none\nhelp: write the type: `<f32>::{name}(…)`"
            );
            self.error(expr.loc, message);
        }
        Ty::Error
    }

    /// The functions of this name of the impls of a trait that the type could be of.
    fn functions_of(
        &mut self,
        own: Option<TraitId>,
        ty: &Ty,
        name: &str,
    ) -> Vec<(ImplId, FunctionId, Rc<[Ty]>)> {
        let program = self.world.program;
        let mut found = self.impl_functions(ty, name);
        found.retain(|(id, ..)| program.impls[id.0].of_trait.as_ref().is_some_and(|of| of.0.own == own));
        found
    }

    /// The function that `Trait::<Args>::name` means for a type, with the arguments of its impl, which those of the trait decide.
    fn function_of_trait(
        &mut self,
        ty: &Ty,
        name: &str,
        (of_trait, own): (Option<&'p Type>, Option<TraitId>),
    ) -> Option<super::world::Instantiated> {
        let Some(TypeKind::Path { args: written, .. }) = of_trait.map(|of| &of.kind) else {
            return None;
        };
        let env = self.env.clone();
        let found = self.functions_of(own, ty, name);
        // Several impls of one trait differ in its arguments alone.
        if written.is_empty() && found.len() != 1 {
            return None;
        }
        for (id, function, prefix) in found {
            let (_, args) = self.world.program.impls[id.0].of_trait.as_ref()?;
            let of_impl = Env::new(Text::Impl(id), prefix.clone());
            let pairs: Vec<(Ty, Ty)> = args
                .iter()
                .zip(written)
                .map(|(arg, written)| {
                    let arg = self.world.lower_arg(&mut self.vars, &of_impl, arg);
                    (arg, self.world.lower_arg(&mut self.vars, &env, written))
                })
                .collect();
            let fits =
                self.vars.attempt(|vars| pairs.iter().all(|(arg, written)| vars.unify(arg, written).is_ok()));
            if fits {
                self.bind_impl(id, &prefix, ty);
                return Some((function, prefix));
            }
        }
        None
    }

    /// `E::V(…)`
    fn variant_constructor(
        &mut self,
        expr: &'p Expr,
        ty: Ty,
        (id, index): (StructDeclId, usize),
        args: &'p [Expr],
        hint: &Hint,
    ) -> Ty {
        let name = self.variant_name(id, index);
        let help = match self.world.program.structs[id.0].variant(index).map(|variant| variant.form) {
            Some(VariantForm::Named) => format!("write `{name} {{ … }}`"),
            Some(VariantForm::Unit) => format!("write `{name}`"),
            Some(VariantForm::Tuple) | None => String::new(),
        };
        if !help.is_empty() {
            let message =
                format!("expected a variant with values in parentheses, found `{name}`\nhelp: {help}");
            self.error(expr.loc, message);
            self.all(args);
            return Ty::Error;
        }
        if let Hint::Must(expected) | Hint::Literal(expected) = hint {
            let _ = self.vars.try_unify(&ty, expected);
        }
        let Ty::Struct(_, types) = &ty else { return Ty::Error };
        let fields = self.world.variant_fields(&mut self.vars, id, index, types);
        if fields.len() != args.len() {
            self.report_count(expr.loc, &name, fields.len(), args.len());
            self.all(args);
            return Ty::Error;
        }
        self.field_values((id, Some(index)), types, fields, args);
        self.resolved.insert(expr.id, Resolved::Variant(index));
        ty
    }

    fn call_value(&mut self, expr: &'p Expr, callee: &'p Expr, args: &'p [Expr]) -> Ty {
        let ty = self.operand(callee, &Hint::None);
        let mut place = self.known(&ty);
        while let Ty::Ref(inner, _) = &place {
            let inner = inner.clone();
            self.adjust(callee, [super::Adjust::Deref]);
            place = self.known(&inner);
        }
        let signature = match &place {
            Ty::Closure(owner, id) => self.closure_signature(*owner, *id),
            Ty::Function(function, types) => {
                Some(self.world.signature(&mut self.vars, *function, &types.clone()))
            }
            Ty::FnPtr(parts) => parts.split_last().map(|(result, params)| (params.to_vec(), result.clone())),
            Ty::Error => None,
            Ty::Var(_) if let Some(signature) = self.signature_of_opaque(&place) => Some(signature),
            other => {
                let found = self.describe(other);
                let message = format!(
                    "expected a function or a closure, found {found}\nhelp: only these can be called"
                );
                self.error(callee.loc, message);
                None
            }
        };
        let Some((params, result)) = signature else {
            self.all(args);
            return Ty::Error;
        };
        if let Some(name) = self.param_without_bounds(callee) {
            let types: Vec<Ty> = args.iter().map(|arg| self.operand(arg, &Hint::None)).collect();
            let types: Vec<String> =
                types.iter().map(|ty| self.describe(ty).trim_matches('`').to_owned()).collect();
            let message = format!(
                "expected a bound of `{name}` that says how it is called, found none\nhelp: write it: `{name}: Fn({}) -> …`",
                types.join(", ")
            );
            let Text::Function(function) = self.env.text else { return Ty::Error };
            // Of a module rustc reports it.
            match self.world.program.functions[function.0].scope.blocks.is_empty() {
                true => self.world.diagnostics.error_known_to_rustc(callee.loc, message),
                false => self.error(callee.loc, message),
            }
            return Ty::Error;
        }
        if params.len() != args.len() {
            let name = self.local_name(callee).unwrap_or_else(|| "the closure".to_owned());
            self.report_count(expr.loc, &name, params.len(), args.len());
            self.all(args);
            return Ty::Error;
        }
        for (arg, param) in args.iter().zip(&params) {
            self.operand(arg, &Hint::Must(param.clone()));
        }
        self.resolved.insert(expr.id, Resolved::InvokeValue);
        self.vars.shallow(&result)
    }

    /// The name of the type parameter without any bound that a parameter of this function has as its type.
    fn param_without_bounds(&self, callee: &Expr) -> Option<String> {
        let (Meaning::Local(local), Text::Function(function)) = (self.table.expr(callee.id), self.env.text)
        else {
            return None;
        };
        let decl = &self.world.program.functions[function.0];
        let param = decl.params.iter().find(|param| param.local == local)?;
        let TypeMeaning::Param(index) = self.table.ty(param.ty.id) else { return None };
        let own = index.checked_sub(self.world.owner_generics(function))?;
        let generic = decl.generics.get(own)?;
        match &generic.kind {
            GenericParamKind::Type { bounds, callable: None, .. }
                if bounds.is_empty() && !decl.is_library =>
            {
                Some(generic.name.to_string())
            }
            _ => None,
        }
    }

    pub(super) fn report_count(&mut self, loc: Loc, name: &str, expected: usize, found: usize) {
        let name = &library::shown(name);
        let help = match &builtins::with_more_arguments(name, found)[..] {
            [] if found > expected => "leave the rest out".to_owned(),
            _ if found < expected => "add what is missing".to_owned(),
            others => format!("with so many write {}", others.join(" or ")),
        };
        let message = format!(
            "expected {expected} argument{} to `{name}`, found {found}\nhelp: {help}",
            if expected == 1 { "" } else { "s" },
        );
        self.error(loc, message);
    }

    /// The generic arguments of a function: those of its impl, those that are written or else new variables, those of
    /// `impl Fn`.
    pub(super) fn function_args(
        &mut self,
        function: FunctionId,
        prefix: Option<Rc<[Ty]>>,
        generics: Option<&'p Generics>,
    ) -> Rc<[Ty]> {
        let program = self.world.program;
        let decl = &program.functions[function.0];
        let owner = self.world.owner_generics(function);
        let mut args: Vec<Ty> = match prefix {
            Some(prefix) => prefix.iter().cloned().collect(),
            None => (0..owner).map(|_| self.vars.any()).collect(),
        };
        let env = self.env.clone();
        match generics {
            Some(generics) => {
                let what = format!("`{}`", decl.name);
                let count = decl.generics.len();
                let written = self.world.lower_args(
                    &mut self.vars,
                    &env,
                    &generics.args,
                    count,
                    0,
                    generics.loc,
                    &what,
                );
                let written = match generics.args.len() == count {
                    true => self.world.fit_args(&decl.generics, &generics.args, written),
                    false => written,
                };
                args.extend(written);
            }
            None => args.extend(decl.generics.iter().map(|_| self.vars.any())),
        }
        let rest = self.world.impl_fns(function).len();
        args.extend((0..rest).map(|_| self.vars.any()));
        args.into()
    }

    /// A call of a function of the user's or of the library.
    pub(super) fn call_function(
        &mut self,
        expr: &'p Expr,
        function: FunctionId,
        prefix: Option<Rc<[Ty]>>,
        generics: Option<&'p Generics>,
        args: &[&'p Expr],
        hint: &Hint,
    ) -> Ty {
        let types = self.function_args(function, prefix, generics);
        let types = self.at_call(function, types, expr);
        let (params, result) = self.signature_for(function, &types, hint);
        // The returned closure has the signature of the parameter that it is passed to.
        if let Hint::Must(expected) = hint
            && let Some((takes, gives)) = self.bound(expected)
            && let Some((params, result)) = self.returned_signature(function, &types)
            && takes.len() == params.len()
        {
            for (takes, param) in takes.iter().chain([&gives]).zip(params.iter().chain([&result])) {
                let _ = self.vars.try_unify(takes, param);
            }
        }
        let name = self.world.program.functions[function.0].name.to_string();
        if params.len() != args.len() {
            self.report_function_count(expr, &name, params.len(), args.len());
            args.iter().for_each(|arg| self.all(std::slice::from_ref(*arg)));
            return Ty::Error;
        }
        self.resolved.insert(expr.id, Resolved::Invoke(function, types.clone()));
        let mistakes = self.world.diagnostics.count();
        self.pass(function, &types, &params, &result, args, hint, expr.loc);
        self.project(function, &types, &params, &result, expr);
        // Arguments that do not fit may be right, and the generic arguments wrong: the type of the result is not known.
        if !types.is_empty() && self.world.diagnostics.count() > mistakes {
            return Ty::Error;
        }
        self.vars.shallow(&result)
    }

    /// Reports a number of arguments; a reduction or scan without an operator is the one of an operation.
    fn report_function_count(&mut self, expr: &Expr, name: &str, expected: usize, found: usize) {
        let written = name.strip_suffix("_by").and_then(|name| name.split_once('_'));
        let Some((module @ ("warp" | "block"), collective)) = written else {
            self.report_count(expr.loc, name, expected, found);
            return;
        };
        let args = if collective == "reduce" { "v, |a, b| …" } else { "v, identity, |a, b| …" };
        let message = format!(
            "expected {expected} arguments to `{module}::{collective}`, found {found}\nhelp: for a sum call `{module}::{collective}_add(v)`, and \
             give an operator of your own with the rest: `{module}::{collective}({args})`"
        );
        self.error(expr.loc, message);
    }

    /// The signature of a function where this result is expected: what decides a type parameter decides the associated types of
    /// it, too.
    pub(super) fn signature_for(
        &mut self,
        function: FunctionId,
        types: &Rc<[Ty]>,
        hint: &Hint,
    ) -> (Vec<Ty>, Ty) {
        let (params, result) = self.world.signature(&mut self.vars, function, types);
        if let Hint::Must(expected) = hint
            && self.has_projection(function)
            && self.vars.try_unify(&result, expected)
        {
            return self.world.signature(&mut self.vars, function, types);
        }
        (params, result)
    }

    /// Associated types of what the arguments decided.
    pub(super) fn project(
        &mut self,
        function: FunctionId,
        types: &Rc<[Ty]>,
        params: &[Ty],
        result: &Ty,
        expr: &Expr,
    ) {
        if !self.has_projection(function) {
            return;
        }
        // An expression that is inferred again has new types.
        self.opaques.retain(|open| open.expr != expr.id);
        if self.is_opaque(function) && self.is_open(types) {
            let (types, result) = (types.clone(), result.clone());
            self.opaques.push(Opaque { expr: expr.id, function, types, result, loc: expr.loc });
        }
        let (known_params, known_result) = self.world.signature(&mut self.vars, function, types);
        for (known, found) in known_params.iter().zip(params).chain([(&known_result, result)]) {
            let _ = self.vars.try_unify(known, found);
        }
    }

    /// Decides the results of calls of functions that return `impl Trait` whose generic arguments became known. Returns true if there was
    /// one.
    pub(super) fn decide_opaques(&mut self) -> bool {
        let mut progress = false;
        for open in std::mem::take(&mut self.opaques) {
            if self.is_open(&open.types) {
                self.opaques.push(open);
                continue;
            }
            let (_, known) = self.world.signature(&mut self.vars, open.function, &open.types);
            progress |= self.vars.try_unify(&known, &open.result);
        }
        progress
    }

    /// Reports calls of functions that return `impl Trait` whose generic arguments nothing decides.
    pub(super) fn refuse_opaques(&mut self) {
        self.decide_opaques();
        for Opaque { result, loc, .. } in std::mem::take(&mut self.opaques) {
            if self.is_open(std::slice::from_ref(&result)) {
                self.error(
                    loc,
                    "expected known types in what is called here, found nothing that decides them\nhelp: write those of the closures' \
                     parameters: `|value: f32| …`",
                );
                let _ = self.vars.try_unify(&result, &Ty::Error);
            }
        }
    }

    /// The signature of the `impl Fn(A) -> B` that a function returns, with these generic arguments.
    fn returned_signature(&mut self, function: FunctionId, types: &Rc<[Ty]>) -> Option<(Vec<Ty>, Ty)> {
        let result = self.world.program.functions[function.0].result.as_ref()?;
        let env = Env::new(Text::Function(function), types.clone());
        self.world.impl_fn_signature(&mut self.vars, &env, result)
    }

    /// The signature of what a call gives that is still among [`Infer::opaques`].
    pub(super) fn signature_of_opaque(&mut self, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        let ty = self.vars.shallow(ty);
        let found = self.opaques.iter().find(|open| self.vars.shallow(&open.result) == ty)?;
        let (function, types) = (found.function, found.types.clone());
        self.returned_signature(function, &types)
    }

    /// Returns true if `impl Trait` is in the function's result.
    fn is_opaque(&self, function: FunctionId) -> bool {
        let result = self.world.program.functions[function.0].result.as_ref();
        result.is_some_and(|ty| !ty.opaque_parts().is_empty())
    }

    /// The generic arguments of a call. One of a function that returns `impl Trait` has its place in the text among them: what is
    /// returned may hold closures, whose variables are those of this call.
    pub(super) fn at_call(&self, function: FunctionId, types: Rc<[Ty]>, expr: &Expr) -> Rc<[Ty]> {
        if !self.is_opaque(function) {
            return types;
        }
        let place = (self.me.0 as u64) << 32 | expr.id.0 as u64;
        types.iter().cloned().chain([Ty::len(place)]).collect()
    }

    /// Returns true if the signature names an associated type of a type parameter.
    fn has_projection(&self, function: FunctionId) -> bool {
        self.is_opaque(function) || self.world.names.of(Text::Function(function)).has_projection()
    }

    /// Checks arguments against parameters: closures last, when what they take is known.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn pass(
        &mut self,
        function: FunctionId,
        types: &Rc<[Ty]>,
        params: &[Ty],
        result: &Ty,
        args: &[&'p Expr],
        hint: &Hint,
        loc: Loc,
    ) {
        if let Hint::Must(expected) = hint {
            let _ = self.vars.try_unify(result, expected);
        }
        let mut bounds = self.world.callables(&mut self.vars, function, types);
        let outer = self.bounds.len();
        self.bounds.extend(bounds.iter().cloned());
        for closures in [false, true] {
            if closures {
                self.bound_items(function, types);
                self.bound_traits(function, types);
                // The signatures of functions that were handed over say what closures take.
                let is_known = |this: &Self, bound: &(Ty, _, _)| !this.is_any(&bound.0);
                let (known, open) = bounds.into_iter().partition(|bound| is_known(self, bound));
                bounds = open;
                self.hold_to_bounds(known, loc);
            }
            for (arg, param) in args.iter().zip(params) {
                if is_closure(arg) == closures {
                    self.operand(arg, &Hint::Must(param.clone()));
                }
            }
        }
        self.bounds.truncate(outer);
        self.hold_to_bounds(bounds, loc);
    }

    /// `size_of::<T>()`
    fn memory_function(
        &mut self,
        expr: &'p Expr,
        function: &'static Signature,
        generics: Option<&'p Generics>,
        args: &'p [Expr],
    ) -> Ty {
        let written = match generics {
            Some(Generics { args, .. }) if args.len() == 1 => &args[0],
            other => {
                let loc = other.map_or(expr.loc, |generics| generics.loc);
                let name = function.name;
                self.error(
                    loc,
                    format!("expected the type that `{name}` is to look at\nhelp: write `{name}::<f32>()`"),
                );
                self.all(args);
                return Ty::Error;
            }
        };
        if !args.is_empty() {
            self.report_count(expr.loc, function.name, 0, args.len());
            self.all(args);
            return Ty::Error;
        }
        let env = self.env.clone();
        let ty = self.world.lower_arg(&mut self.vars, &env, written);
        self.measured.insert(expr.id, ty);
        self.resolved.insert(expr.id, Resolved::Builtin(function));
        Ty::USIZE
    }

    fn call_builtin(
        &mut self,
        expr: &'p Expr,
        function: &'static Signature,
        generics: Option<&'p Generics>,
        args: &[&'p Expr],
    ) -> Ty {
        if function.builtin == Builtin::Dot4
            && generics.is_none()
            && let [a, b, c] = args
        {
            self.resolved.insert(expr.id, Resolved::Builtin(function));
            return self.dot4([a, b], c);
        }
        if let (Builtin::ClusterShared { mutable }, None, [variable, rank]) =
            (function.builtin, generics, args)
        {
            self.resolved.insert(expr.id, Resolved::Builtin(function));
            self.operand(rank, &Hint::Must(Ty::Scalar(Scalar::Usize)));
            return self.cluster_shared(function.name, variable, mutable);
        }
        // Functions of the library alone, whose arguments it gives the right types.
        if matches!(function.builtin, Builtin::TensorMap | Builtin::GroupProducts(_)) {
            let found: Vec<Ty> = args.iter().map(|arg| self.operand(arg, &Hint::None)).collect();
            self.resolved.insert(expr.id, Resolved::Builtin(function));
            return match (function.result, found.into_iter().next()) {
                (Slot::Same, Some(sums)) => sums,
                (result, _) => self.slot(result, &Ty::Error),
            };
        }
        let is_shared = matches!(function.builtin, Builtin::Shared | Builtin::SharedDyn);
        let shared = match (is_shared, generics) {
            (true, generics) => self.shared(expr, function.builtin, generics),
            (false, Some(generics)) => {
                let message =
                    format!("expected no generic arguments to `{}`\nhelp: leave them out", function.name);
                self.error(generics.loc, message);
                Ty::Error
            }
            (false, None) => Ty::Error,
        };
        let same = match function.class {
            builtins::Class::F32 => Ty::Scalar(Scalar::F32),
            _ => self.vars.fresh(Kind::Any),
        };
        let errors = self.world.diagnostics.count();
        if !self.arguments(expr.loc, function.name, function.params, args, &same) {
            return Ty::Error;
        }
        // Of a distance in the value's place the result would be another mistake.
        if builtins::is_shuffle(function.builtin) && self.world.diagnostics.count() > errors {
            return Ty::Error;
        }
        if matches!(function.builtin, Builtin::Mma | Builtin::MmaSparse) {
            let found = self.vars.shallow(&same);
            if !matches!(found, Ty::Error) && self.slot(Slot::Accumulator, &same) == Ty::Error {
                let found = self.describe(&found);
                let kept = if function.builtin == Builtin::MmaSparse { " that are kept" } else { "" };
                self.error(
                    args[0].loc,
                    format!(
                        "expected the lane's elements of a left matrix, found {found}\nhelp: it is an `F16x8` or a `Bf16x8` of \
                         16 × 16 elements{kept}, an `F16x4` or a `Bf16x4` of 16 × 8"
                    ),
                );
                return Ty::Error;
            }
        } else if let Some(position) = function.params.iter().position(|slot| *slot == Slot::Same) {
            let loc = args[position].loc;
            // Vectors are shuffled lane by lane.
            let is_vector = match self.vars.shallow(&same) {
                Ty::Vector(..) => function.form == Form::Warp,
                // Of what the user's own operator combines, part by part.
                known => {
                    self.in_library()
                        && builtins::is_shuffle(function.builtin)
                        && is_plain(&self.vars.resolve(&known))
                }
            };
            if !is_vector {
                self.claim(&same, function.class, loc, function.name);
            }
        }
        self.resolved.insert(expr.id, Resolved::Builtin(function));
        match function.result {
            Slot::Shared => shared,
            other => self.slot(other, &same),
        }
    }

    /// The type of another block's variable, by a reference to that of this block.
    fn cluster_shared(&mut self, name: &str, variable: &'p Expr, mutable: bool) -> Ty {
        let place = match &variable.kind {
            ExprKind::Ref { place, mutable: given } if *given || !mutable => &**place,
            _ => variable,
        };
        let found = self.operand(place, &Hint::None);
        let found = self.vars.shallow(&found);
        match &found {
            Ty::Error => Ty::Error,
            Ty::Shared(of) if !std::ptr::eq(place, variable) => (**of).clone().reference(mutable),
            Ty::SharedDyn(of) if !std::ptr::eq(place, variable) => Ty::Slice(of.clone(), mutable),
            _ => {
                let sign = if mutable { "&mut " } else { "&" };
                let found = self.describe(&found);
                self.error(
                    variable.loc,
                    format!(
                        "expected a reference to a variable in shared memory, found {found}\nhelp: declare `let mut tile = \
                         shared::<[f32; 256]>();`, and write `cluster::{name}({sign}tile, rank)`"
                    ),
                );
                Ty::Error
            }
        }
    }

    /// `dot4(a, b, c)`: four `u8` are an `u32`, four `i8` an `i32`, and so is their sum unless both are `u32`.
    fn dot4(&mut self, factors: [&'p Expr; 2], sum: &'p Expr) -> Ty {
        let mut are_unsigned = true;
        for factor in factors {
            let found = self.operand(factor, &Hint::None);
            match self.vars.shallow(&found) {
                Ty::Scalar(Scalar::U32) | Ty::Error => {}
                Ty::Scalar(Scalar::I32) => are_unsigned = false,
                Ty::Var(_) if self.vars.try_unify(&found, &Ty::Scalar(Scalar::I32)) => are_unsigned = false,
                other => {
                    let found = self.describe(&other);
                    let message = format!(
                        "expected four bytes in an `i32` or `u32`, which are `i8` or `u8`, found {found}\nhelp: make it of bytes: \
                         `i32::from_ne_bytes([a, b, c, d])`, `u32::from_ne_bytes([a, b, c, d])`"
                    );
                    self.error(factor.loc, message);
                    are_unsigned = false;
                }
            }
        }
        let result = Ty::Scalar(if are_unsigned { Scalar::U32 } else { Scalar::I32 });
        self.operand(sum, &Hint::Must(result.clone()));
        result
    }

    /// The type in `shared::<T>()`.
    fn shared(&mut self, expr: &Expr, builtin: Builtin, generics: Option<&'p Generics>) -> Ty {
        let env = self.env.clone();
        match generics {
            Some(Generics { args, .. }) if args.len() == 1 => {
                match self.world.lower_arg(&mut self.vars, &env, &args[0]) {
                    Ty::Error => Ty::Error,
                    ty if builtin == Builtin::Shared => Ty::Shared(Rc::new(ty)),
                    ty => Ty::SharedDyn(Rc::new(ty)),
                }
            }
            other => {
                let loc = other.map_or(expr.loc, |generics| generics.loc);
                let message = match builtin {
                    Builtin::Shared => {
                        "expected the type of the shared array\nhelp: write `shared::<[f32; 256]>()`"
                    }
                    _ => "expected the type of the shared elements\nhelp: write `shared_dyn::<f32>()`",
                };
                self.error(loc, message);
                Ty::Error
            }
        }
    }

    /// Checks arguments against a builtin's slots.
    pub(super) fn arguments(
        &mut self,
        loc: Loc,
        name: &str,
        slots: &[Slot],
        args: &[&'p Expr],
        same: &Ty,
    ) -> bool {
        if slots.len() != args.len() {
            self.report_count(loc, name, slots.len(), args.len());
            for arg in args {
                self.expr(arg, &Hint::None);
            }
            return false;
        }
        for (slot, arg) in slots.iter().zip(args) {
            match slot {
                Slot::Order => self.order(arg),
                Slot::Scope => self.scope(arg),
                Slot::LaneOperand => self.lane_operand(arg),
                slot => {
                    let ty = self.slot(*slot, same);
                    self.operand(arg, &Hint::Must(ty));
                }
            }
        }
        true
    }

    /// The lane, distance or mask of a shuffle. A literal is an `i32`, where nothing else says what it is.
    fn lane_operand(&mut self, arg: &'p Expr) {
        let found = self.operand(arg, &Hint::None);
        match self.vars.shallow(&found) {
            Ty::Var(var) if self.vars.kind(var) != Kind::Float => self.lane_operands.push((arg, found)),
            _ => self.judge_lane_operand(arg, found),
        }
    }

    /// Reports a lane, distance or mask of another type than these may have.
    pub(super) fn judge_lane_operand(&mut self, arg: &'p Expr, found: Ty) {
        match self.vars.shallow(&found) {
            Ty::Scalar(scalar) if builtins::LANE_OPERANDS.contains(&scalar) => {}
            _ => {
                self.operand_found(arg, found, &Ty::Scalar(Scalar::U32));
            }
        }
    }

    pub(super) fn slot(&self, slot: Slot, same: &Ty) -> Ty {
        let same = self.vars.shallow(same);
        let lane = || match &same {
            Ty::Vector(scalar, _) => Ty::Scalar(*scalar),
            _ => Ty::Error,
        };
        match slot {
            Slot::Same => same,
            Slot::Fixed(scalar) => Ty::Scalar(scalar),
            Slot::Vector(scalar, lanes) => Ty::Vector(scalar, lanes),
            Slot::Unsigned => match same {
                Ty::Scalar(scalar) => Ty::Scalar(builtins::unsigned(scalar)),
                _ => Ty::Error,
            },
            Slot::LaneOperand => Ty::Scalar(Scalar::U32),
            Slot::Unit => Ty::Unit,
            Slot::Order => Ty::Ordering,
            Slot::Scope => Ty::Scope,
            Slot::Dim3 => Ty::Dim3,
            Slot::Shared => Ty::Error,
            Slot::Lane => lane(),
            Slot::LaneArray => match &same {
                Ty::Vector(_, lanes) => Ty::array(lane(), u64::from(*lanes)),
                _ => Ty::Error,
            },
            Slot::LaneSlice => Ty::Slice(Rc::new(lane()), false),
            Slot::LaneSliceMut => Ty::Slice(Rc::new(lane()), true),
            Slot::RightFragment => match &same {
                Ty::Vector(lane, lanes) if is_left_fragment(*lane, *lanes) => Ty::Vector(*lane, lanes / 2),
                _ => Ty::Error,
            },
            Slot::SparseRight => match &same {
                Ty::Vector(lane, lanes) if is_left_fragment(*lane, *lanes) => same,
                _ => Ty::Error,
            },
            Slot::Accumulator => match &same {
                Ty::Vector(lane, lanes) if is_left_fragment(*lane, *lanes) => Ty::Vector(Scalar::F32, 4),
                _ => Ty::Error,
            },
        }
    }

    /// `T::name(args)`
    fn call_associated(
        &mut self,
        expr: &'p Expr,
        ty: &Ty,
        name: &str,
        generics: Option<&'p Generics>,
        args: &'p [Expr],
        hint: &Hint,
    ) -> Ty {
        let refs: Vec<&'p Expr> = args.iter().collect();
        if *ty == Ty::Error {
            self.all(args);
            return Ty::Error;
        }
        // Of several `From`s the argument says which.
        if name == "from"
            && let [arg] = args
        {
            return self.from(expr, ty, arg);
        }
        match self.associated(expr.loc, ty, name) {
            Associated::Function(function, prefix) => {
                return self.call_function(expr, function, Some(prefix), generics, &refs, hint);
            }
            // `Self::F(x)`: the constant is a pointer to a function.
            Associated::Const(id, _)
                if let ExprKind::Call { callee, .. } = &expr.kind
                    && self.is_pointer(id) =>
            {
                return self.call_value(expr, callee, args);
            }
            Associated::Const(..) => {
                let found = self.describe(ty);
                self.error(expr.loc, format!("expected a function, found the constant `{name}` of {found}\nhelp: leave the `()` out"));
                self.all(args);
                return Ty::Error;
            }
            Associated::Ambiguous => {
                self.all(args);
                return Ty::Error;
            }
            Associated::Other => {}
        }
        if name == "default" && args.is_empty() {
            if let Err(part) = self.has_default(ty) {
                let found = self.describe(&part);
                self.error(expr.loc, format!("expected a type that has a default, found {found}\nhelp: write `#[derive(Default)]` above it"));
                return Ty::Error;
            }
            self.resolved.insert(expr.id, Resolved::Default);
            return ty.clone();
        }
        if let ("try_from", [arg], true) = (name, args, self.is_integer(ty)) {
            return self.try_from_integer(expr, ty, arg);
        }
        if let ("try_from", [arg]) = (name, args)
            && self.is_array(ty)
        {
            return self.try_from_slice(expr, ty, arg);
        }
        match ty {
            Ty::Scalar(scalar) => self.call_scalar_associated(expr, *scalar, name, generics, args, hint),
            Ty::Vector(scalar, lanes) => self.call_vector_associated(expr, (*scalar, *lanes), name, args),
            _ => {
                if let Some(function) = self.ordering_method(ty, name) {
                    return self.call_function(expr, function, None, generics, &refs, hint);
                }
                self.all(args);
                self.report_no_associated(expr, ty, name, "function");
                Ty::Error
            }
        }
    }

    /// Returns true for a constant that is a pointer to a function, or to a closure.
    fn is_pointer(&self, id: ConstDeclId) -> bool {
        let program = self.world.program;
        let decl = &program.consts[id.0];
        let of_closure = decl.function.and_then(|function| program.functions[function.0].result.as_ref());
        matches!(of_closure.unwrap_or(&decl.ty).kind, TypeKind::FnPtr { .. } | TypeKind::ImplFn { .. })
    }

    /// Returns true for an integer, also one of 128 bits.
    pub(super) fn is_integer(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(scalar) => scalar.is_int(),
            ty => self.primitive(ty).is_some_and(|name| primitives::WIDE.contains(&name.as_str())),
        }
    }

    /// `u32::try_from(x)` of an integer.
    fn try_from_integer(&mut self, expr: &'p Expr, ty: &Ty, arg: &'p Expr) -> Ty {
        let found = self.operand(arg, &Hint::None);
        let from = match self.known(&found) {
            Ty::Error => return Ty::Error,
            // A literal.
            Ty::Var(var) if self.vars.kind(var) == Kind::Int => {
                let fallback = Ty::Scalar(Scalar::I32);
                let _ = self.vars.try_unify(&found, &fallback);
                Some(fallback)
            }
            from => self.is_integer(&from).then_some(from),
        };
        if let (Some(from), Some(error), Some(function)) =
            (from, self.library_type("TryFromIntError"), self.world.library.get("integer_try_from").copied())
        {
            self.resolved.insert(expr.id, Resolved::Invoke(function, Rc::from([from, ty.clone()])));
            return self.world.result(ty.clone(), error);
        }
        let (to, found) = (self.describe(ty), self.describe(&found));
        let to = to.trim_matches('`');
        let message =
            format!("expected an integer for `{to}::try_from`, found {found}\nhelp: convert with `as {to}`");
        self.error(arg.loc, message);
        Ty::Error
    }

    /// Returns true for an array, and for a reference to one.
    fn is_array(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Ref(inner, _) => matches!(self.vars.shallow(inner), Ty::Array(..)),
            ty => matches!(ty, Ty::Array(..)),
        }
    }

    /// `<[f32; 4]>::try_from(x)` of a slice.
    fn try_from_slice(&mut self, expr: &'p Expr, ty: &Ty, arg: &'p Expr) -> Ty {
        let found = self.operand(arg, &Hint::None);
        match self.known(&found) {
            Ty::Error => Ty::Error,
            place @ Ty::Slice(..) => {
                let step = Step { place, path: Vec::new(), through: None };
                self.converted_slice(expr, arg, &step, ty);
                self.world.result(ty.clone(), Ty::Unit)
            }
            other => {
                let (to, found) = (self.describe(ty), self.describe(&other));
                let to = to.trim_matches('`');
                let message = format!(
                    "expected a slice for `<{to}>::try_from`, found {found}\nhelp: give it a part: `<{to}>::try_from(&x[a..b])`"
                );
                self.error(arg.loc, message);
                Ty::Error
            }
        }
    }

    fn call_scalar_associated(
        &mut self,
        expr: &'p Expr,
        scalar: Scalar,
        name: &str,
        generics: Option<&'p Generics>,
        args: &'p [Expr],
        hint: &Hint,
    ) -> Ty {
        let ty = Ty::Scalar(scalar);
        let refs: Vec<&'p Expr> = args.iter().collect();
        if let ("from_f32" | "from_f64", [arg], true) = (name, args, scalar.is_float()) {
            let from = if name == "from_f32" { Scalar::F32 } else { Scalar::F64 };
            self.operand(arg, &Hint::Must(Ty::Scalar(from)));
            self.resolved.insert(expr.id, Resolved::Cast);
            return ty;
        }
        if let ("to_f32" | "to_f64", [arg], Scalar::F16 | Scalar::Bf16) = (name, args, scalar) {
            let to = if name == "to_f32" { Scalar::F32 } else { Scalar::F64 };
            self.operand(arg, &Hint::Must(ty));
            self.resolved.insert(expr.id, Resolved::Cast);
            return Ty::Scalar(to);
        }
        if let ("from_le_bytes" | "from_ne_bytes" | "from_be_bytes", [arg]) = (name, args)
            && scalar != Scalar::Bool
        {
            let bytes = Ty::array(Ty::Scalar(Scalar::U8), u64::from(scalar.bits() / 8));
            self.operand(arg, &Hint::Must(bytes));
            self.resolved.insert(expr.id, Resolved::FromBytes(name == "from_be_bytes"));
            return ty;
        }
        if let ("from_le", [arg], true) = (name, args, scalar.is_int()) {
            self.operand(arg, &Hint::Must(ty.clone()));
            self.resolved.insert(expr.id, Resolved::Same);
            return ty;
        }
        let name = if name == "from_be" { "swap_bytes" } else { name };
        if let Some(function) = builtins::associated(name)
            && function.class.holds(scalar)
            && function.builtin != Builtin::Len
        {
            // `f32::max(a, b)` has its receiver among the arguments.
            let receiver = (function.form == Form::Method).then_some(Slot::Same);
            let slots: Vec<Slot> = receiver.into_iter().chain(function.params.iter().copied()).collect();
            if !self.arguments(expr.loc, function.name, &slots, &refs, &ty) {
                return Ty::Error;
            }
            self.resolved.insert(expr.id, Resolved::Builtin(function));
            return self.slot(function.result, &ty);
        }
        if let Some(function) = self.library_method(&ty, name) {
            return self.call_function(expr, function, None, generics, &refs, hint);
        }
        self.all(args);
        self.report_no_associated(expr, &ty, name, "function");
        Ty::Error
    }

    fn call_vector_associated(
        &mut self,
        expr: &'p Expr,
        vector: (Scalar, u32),
        name: &str,
        args: &'p [Expr],
    ) -> Ty {
        let ty = Ty::Vector(vector.0, vector.1);
        let refs: Vec<&'p Expr> = args.iter().collect();
        let found = match name {
            "new" => Some((&builtins::VECTOR_NEW, vec![Slot::Lane; vector.1 as usize])),
            _ => builtins::vector_associated(name).map(|row| (row, row.params.to_vec())).or_else(|| {
                let row = builtins::vector_method(name)?;
                Some((row, std::iter::once(Slot::Same).chain(row.params.iter().copied()).collect()))
            }),
        };
        // Matrices in shared memory have elements of 16 bits; to the library, words of whatever they are made of.
        let is_missing = |row: &Signature| {
            matches!(row.builtin, Builtin::LoadMatrix | Builtin::LoadMatrixTransposed)
                && !matches!(vector.0, Scalar::F16 | Scalar::Bf16)
        };
        let Some((function, slots)) = found.filter(|(row, _)| !is_missing(row)) else {
            self.all(args);
            self.report_no_associated(expr, &ty, name, "function");
            return Ty::Error;
        };
        if !self.arguments(expr.loc, name, &slots, &refs, &ty) {
            return Ty::Error;
        }
        self.resolved.insert(expr.id, Resolved::Builtin(function));
        self.slot(function.result, &ty)
    }

    /// `T::from(arg)`
    pub(super) fn from(&mut self, expr: &'p Expr, ty: &Ty, arg: &'p Expr) -> Ty {
        let (qualified, implied) = (self.of_trait.take(), std::mem::take(&mut self.implied_traits));
        let of_param = self.of_param;
        // A literal takes the type of the result if nothing else is said.
        let found = self.operand(arg, &Hint::None);
        let found = self.known(&found);
        self.of_param = of_param;
        if let Some((param, bound)) = self.bound_without_from(expr, arg) {
            let (source, literal) = match self.vars.shallow(&found) {
                Ty::Scalar(scalar) if scalar.is_float() => ("f32", "0.5_f32"),
                Ty::Var(var) if self.vars.kind(var) == Kind::Float => ("f32", "0.5_f32"),
                _ => ("u8", "2_u8"),
            };
            let message = format!(
                "expected a bound `From<…>` of the type parameter `{param}`, found `{bound}`\nhelp: write `{param}: {bound} + From<{source}>`, and \
                 `{param}::from({literal})`"
            );
            self.error(arg.loc, message);
            return Ty::Error;
        }
        if self.is_inexact_of_param(expr, ty, arg) {
            self.error(
                arg.loc,
                "expected a literal with its type, found one that a bound `From<…>` of the type parameter decides\nhelp: write the type \
                 after it, as in `0.5_f32`",
            );
            return Ty::Error;
        }
        // The path or the bounds of a type parameter may say whose it is.
        let program = self.world.program;
        let bound = |id: ImplId| {
            let of_trait = program.impls[id.0].of_trait.as_ref().map(|of| &of.0);
            of_trait.is_some_and(|of_trait| implied.contains(&of_trait))
        };
        let is_standard = implied.iter().any(|of_trait| **of_trait == *"From");
        let mut functions = self.impl_functions(ty, "from");
        functions.retain(|(id, ..)| {
            let of_trait = program.impls[id.0].of_trait.as_ref().map(|of| &of.0);
            let is_meant = qualified.is_none_or(|(wanted, _)| of_trait == Some(wanted));
            is_meant && (!is_standard || !program.impls[id.0].of_own_trait || bound(*id))
        });
        functions.sort_by_key(|row| !bound(row.0));
        for (id, function, prefix) in functions {
            let (params, _) = self.world.signature(&mut self.vars, function, &prefix);
            let own = self.world.self_type(&mut self.vars, id, &prefix);
            let fits = self.vars.attempt(|vars| {
                vars.unify(&own, ty).is_ok()
                    && params.first().is_some_and(|param| vars.unify(param, &found).is_ok())
            });
            if fits {
                let args = self.function_args(function, Some(prefix), None);
                self.resolved.insert(expr.id, Resolved::Invoke(function, args));
                return ty.clone();
            }
        }
        let found = self.literal_of_param(ty, arg, &found).unwrap_or(found);
        if self.convert(expr, ty, &found) {
            return ty.clone();
        }
        if found != Ty::Error {
            let (expected, found) = (self.describe(ty), self.describe(&found));
            let help = match (self.is_scalar(ty), found.as_str()) {
                (Some(to), _) => format!("convert with `as {}`", to.name()),
                _ => format!(
                    "write `impl From<{}> for {}`",
                    found.trim_matches('`'),
                    expected.trim_matches('`')
                ),
            };
            self.error(arg.loc, format!("expected a value that {expected} can be made from without loss, found {found}\nhelp: {help}"));
        }
        Ty::Error
    }

    /// The type of a literal in `T::from(1)` where `T` is a float in this instance: a bound of the type parameter decides it, `From<u8>` say,
    /// and the number is the same whichever it is.
    fn literal_of_param(&mut self, ty: &Ty, arg: &Expr, found: &Ty) -> Option<Ty> {
        let (Ty::Scalar(to), Ty::Var(var)) = (ty, found) else { return None };
        if !to.is_float() || self.vars.kind(*var) != Kind::Int || !(self.of_param || self.is_generic()) {
            return None;
        }
        let is_wide = *to == Scalar::F64;
        let from = match &arg.kind {
            ExprKind::Literal(_) if is_wide => Scalar::U32,
            ExprKind::Literal(_) => Scalar::U16,
            ExprKind::Unary { arg, .. } if matches!(arg.kind, ExprKind::Literal(_)) && is_wide => Scalar::I32,
            ExprKind::Unary { arg, .. } if matches!(arg.kind, ExprKind::Literal(_)) => Scalar::I16,
            _ => return None,
        };
        let from = Ty::Scalar(from);
        self.vars.try_unify(found, &from).then_some(from)
    }

    /// The type parameter of `T::from(0.5)`, and its bound, where all of its bounds are the language's own, none of which has numbers made from
    /// others: rustc finds nothing but `From<T>` then.
    fn bound_without_from(&self, expr: &Expr, arg: &Expr) -> Option<(String, String)> {
        let ExprKind::Call { callee, .. } = &expr.kind else { return None };
        let ExprKind::Path { path, .. } = &callee.kind else { return None };
        let param = path.segments.first().filter(|_| path.segments.len() == 2)?;
        let number = match &arg.kind {
            ExprKind::Unary { arg, .. } => arg,
            _ => arg,
        };
        if !matches!(number.kind, ExprKind::Literal(_) | ExprKind::Cast { .. }) {
            return None;
        }
        let program = self.world.program;
        let Text::Function(function) = self.env.text else { return None };
        let decl = &program.functions[function.0];
        let of_owner = decl.owner.map(|owner| &program.impls[owner.0].generics);
        let mut params = decl.generics.iter().chain(of_owner.into_iter().flatten());
        let param = params.find(|known| known.name == param.ident)?;
        let GenericParamKind::Type { bounds, .. } = &param.kind else { return None };
        let is_of_language = |bound: &TraitName| OF_THE_LANGUAGE.iter().any(|name| *bound == *name);
        let is_number = |bound: &&TraitName| ["Number", "Float", "Int"].iter().any(|name| **bound == *name);
        let bound = bounds.iter().find(is_number).filter(|_| bounds.iter().all(is_of_language))?;
        Some((param.name.to_string(), bound.to_string()))
    }

    /// Returns true for a literal that is another number as an `f32` than as an `f64`, in `T::from(0.1)` where `T` is `f64` in this instance.
    fn is_inexact_of_param(&self, expr: &Expr, ty: &Ty, arg: &Expr) -> bool {
        let ExprKind::Call { callee, .. } = &expr.kind else { return false };
        let is_written = matches!(&callee.kind, ExprKind::Path { path, .. }
            if path.segments.first().is_some_and(|first| first.ident == "f64"));
        let is_inexact = match &arg.kind {
            ExprKind::Literal(Literal::Float { digits, suffix: None }) => {
                digits.parse().is_ok_and(|value: f64| f64::from(value as f32) != value)
            }
            _ => false,
        };
        is_inexact && !is_written && self.vars.shallow(ty) == Ty::Scalar(Scalar::F64) && self.is_generic()
    }

    /// Returns true if `From` makes one type of the other.
    pub(super) fn converts(&mut self, to: &Ty, from: &Ty) -> bool {
        if self.vars.could_unify(to, from) {
            return true;
        }
        if let (Some(to), Ty::Scalar(from)) = (self.is_scalar(to), from) {
            return is_lossless(*from, to);
        }
        let functions = self.impl_functions(to, "from");
        functions.into_iter().any(|(id, function, prefix)| {
            let (params, _) = self.world.signature(&mut self.vars, function, &prefix);
            let own = self.world.self_type(&mut self.vars, id, &prefix);
            self.vars.could_unify(&own, to)
                && params.first().is_some_and(|param| self.vars.could_unify(param, from))
        })
    }

    /// A lossless conversion between scalars, or to the same type.
    pub(super) fn convert(&mut self, expr: &'p Expr, to: &Ty, from: &Ty) -> bool {
        if self.vars.try_unify(to, from) {
            self.resolved.insert(expr.id, Resolved::Same);
            return true;
        }
        if let (Ty::Tuple(parts), Ty::Array(element, len)) | (Ty::Array(element, len), Ty::Tuple(parts)) =
            (self.vars.shallow(to), self.vars.shallow(from))
            && (1..=12).contains(&parts.len())
            && self.vars.try_unify(&len, &Ty::len(parts.len() as u64))
            && parts.iter().all(|part| self.vars.try_unify(&element, part))
        {
            self.resolved.insert(expr.id, Resolved::Repacked);
            return true;
        }
        // `Option<T>` has `From<T>`.
        if let Ty::Option(some) = self.vars.shallow(to)
            && self.vars.try_unify(&some, from)
            && let Some(function) = self.world.library.get("option_from").copied()
        {
            self.resolved.insert(expr.id, Resolved::Invoke(function, Rc::from([self.vars.shallow(&some)])));
            return true;
        }
        let (Some(to), from) = (self.is_scalar(to), self.vars.shallow(from)) else { return false };
        let lossless = match from {
            Ty::Scalar(from) => is_lossless(from, to),
            // The literal falls back to `i32`, `f64`.
            Ty::Var(var) => match self.vars.kind(var) {
                Kind::Int => is_lossless(Scalar::I32, to),
                Kind::Float => is_lossless(Scalar::F64, to),
                Kind::Any => false,
            },
            _ => false,
        };
        if lossless {
            self.resolved.insert(expr.id, Resolved::Cast);
        }
        lossless
    }

    /// `Ok` if the type has a default that needs no function of the user's; else the part that has none.
    pub(super) fn has_default(&mut self, ty: &Ty) -> Result<(), Ty> {
        let ty = self.vars.shallow(ty);
        match &ty {
            Ty::Scalar(_)
            | Ty::Unit
            | Ty::Option(_)
            | Ty::Vector(..)
            | Ty::Slice(..)
            | Ty::Var(_)
            | Ty::Error => Ok(()),
            Ty::Tuple(parts) => parts.iter().try_for_each(|part| self.has_default(part)),
            Ty::Array(element, _) => self.has_default(element),
            Ty::Enum(id) if self.world.program.enums[id.0].default.is_some() => Ok(()),
            Ty::Struct(id, args) => {
                if !self.impl_functions(&ty, "default").is_empty() {
                    return Ok(());
                }
                let decl = &self.world.program.structs[id.0];
                if let Some(variants) = &decl.variants {
                    let default = self.world.program.enums[variants.tag.0].default;
                    return default.map(|_| ()).ok_or(ty);
                }
                if !decl.derives.iter().any(|derive| derive == "Default") {
                    return Err(ty);
                }
                let fields = self.world.struct_fields(&mut self.vars, *id, args);
                fields.iter().try_for_each(|field| self.has_default(field))
            }
            _ => Err(ty),
        }
    }
}

pub(super) fn is_closure(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Closure(_))
}

/// Returns true if Rust has `impl From<from> for to`.
fn is_lossless(from: Scalar, to: Scalar) -> bool {
    let mantissa = |scalar: Scalar| match scalar {
        Scalar::F16 => 11,
        Scalar::Bf16 => 8,
        Scalar::F32 => 24,
        _ => 53,
    };
    match (from, to) {
        (Scalar::Bool, to) => to.is_int() || matches!(to, Scalar::F32 | Scalar::F64),
        (Scalar::Usize | Scalar::Isize, _) => false,
        (from, Scalar::Usize) => matches!(from, Scalar::U8 | Scalar::U16),
        (from, Scalar::Isize) => matches!(from, Scalar::U8 | Scalar::I8 | Scalar::I16),
        (_, Scalar::Bool) => false,
        (Scalar::F16 | Scalar::Bf16, Scalar::F16 | Scalar::Bf16) => false,
        (from, to) if from.is_float() => to.is_float() && from.bits() < to.bits(),
        (from, to) if to.is_float() => from.bits() < mantissa(to),
        (from, to) if from.is_signed() == to.is_signed() => from.bits() < to.bits(),
        (from, to) => !from.is_signed() && from.bits() < to.bits(),
    }
}

/// Returns true for the vectors that hold a lane's elements of the left matrix of [`Builtin::Mma`].
const fn is_left_fragment(lane: Scalar, lanes: u32) -> bool {
    matches!((lane, lanes), (Scalar::F16 | Scalar::Bf16, 4 | 8))
}

/// Returns true for what lanes can exchange part by part.
fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Vector(..) | Ty::Enum(_) => true,
        Ty::Struct(..) => true,
        Ty::Tuple(parts) => parts.iter().all(is_plain),
        Ty::Array(element, _) | Ty::Option(element) => is_plain(element),
        _ => false,
    }
}
