//! Paths: what one means where a value, a function, a pattern or a type is expected.

use super::help::is_constant;
use super::items::{Namespace, STEPS, Target};
use super::walk::{Binding, Resolver};
use super::{Meaning, TypeMeaning, segments};
use crate::ast::{Expr, GenericArg, Generics, ItemKind, Type, TypeKind};
use crate::builtins::Builtin;
use crate::diagnostics::Loc;

impl<'a> Resolver<'a, '_> {
    pub(super) fn path_expr(
        &mut self,
        expr: &'a Expr,
        path: &'a syn::Path,
        of: Option<&'a Type>,
        generics: Option<&'a Generics>,
        called: bool,
    ) {
        // Inference finds the type.
        if is_default(path) && self.find_value(path).is_none() {
            self.table.exprs[expr.id.0] = Meaning::Associated;
            return;
        }
        let meaning = self.path_meaning(expr.loc, path, of, called);
        self.table.exprs[expr.id.0] = meaning;
        self.prefix(meaning, of);
        let outer = self.in_shared;
        self.in_shared = matches!(meaning, Meaning::Builtin(function) if function.builtin == Builtin::Shared);
        for arg in generics.iter().flat_map(|generics| &generics.args) {
            self.generic_arg(arg);
        }
        self.in_shared = outer;
    }

    pub(super) fn path_pattern(&mut self, loc: Loc, path: &'a syn::Path, of: Option<&'a Type>) -> Meaning {
        let meaning = self.path_meaning(loc, path, of, false);
        self.prefix(meaning, of);
        if let Meaning::Function(_) | Meaning::Local(_) | Meaning::Builtin(_) | Meaning::Library(_) = meaning
        {
            let message = format!(
                "expected a constant or a variant, found the function `{}`\nhelp: bind a name and compare it in a guard",
                segments(path).join("::")
            );
            self.diagnostics.error(loc, message);
            return Meaning::Error;
        }
        meaning
    }

    /// The names before the last, where they are a type.
    fn prefix(&mut self, meaning: Meaning, of: Option<&'a Type>) {
        let Some(of) = of else { return };
        match meaning {
            Meaning::Associated => self.ty(of),
            // `Option::<f32>::None`: only the arguments matter.
            _ => {
                if let TypeKind::Path { path, args, .. } = &of.kind {
                    if let Some(meaning) = self.find_type(path) {
                        self.table.types[of.id.0] = meaning;
                    }
                    for arg in args {
                        self.generic_arg(arg);
                    }
                }
            }
        }
    }

    fn path_meaning(&mut self, loc: Loc, path: &syn::Path, of: Option<&Type>, called: bool) -> Meaning {
        let words = segments(path);
        // `<[f32; 4]>::len`
        if of.is_some() && words.len() == 1 {
            return Meaning::Associated;
        }
        match self.find_value(path) {
            Some(Meaning::Local(_)) if self.in_const => {
                let dynamic = match self.in_shared {
                    true => {
                        ", or take memory of the size that the launch gives: `shared_dyn::<f32>()`, and `.shared(bytes)` there"
                    }
                    false => "",
                };
                let message = format!(
                    "expected a constant, found the variable `{}`\nhelp: declare `const NAME: T = …;` and use that{dynamic}",
                    words.join("::")
                );
                self.diagnostics.error(loc, message);
                Meaning::Error
            }
            Some(Meaning::Local(id)) => {
                if let Some(segment) = path.segments.first() {
                    self.check_variable(&segment.ident, id);
                }
                Meaning::Local(id)
            }
            Some(Meaning::Builtin(_)) if !called => self.unknown_value(loc, &words),
            Some(
                Meaning::Const(_)
                | Meaning::ConstParam(_)
                | Meaning::Known(_)
                | Meaning::Variant(..)
                | Meaning::Ordering(_)
                | Meaning::Scope(_)
                | Meaning::None,
            ) if called => {
                let message = format!(
                    "expected a function, found the constant `{}`\nhelp: use it without parentheses",
                    words.join("::")
                );
                self.diagnostics.error(loc, message);
                Meaning::Error
            }
            Some(Meaning::Associated) if !called && self.is_misspelt(path) => self.unknown_value(loc, &words),
            Some(meaning) => meaning,
            None if self.is_host(&words) => {
                let name = words.join("::");
                let message = format!(
                    "expected a device function, found `{name}`, which is for the host\nhelp: write `#[device]` before it"
                );
                self.diagnostics.error(loc, message);
                Meaning::Error
            }
            None if matches!(self.find_type(path), Some(TypeMeaning::Struct(_))) => {
                let name = words.join("::");
                let message =
                    format!("expected a value, found the struct `{name}`\nhelp: write `{name} {{ … }}`");
                self.diagnostics.error(loc, message);
                Meaning::Error
            }
            None if called => self.unknown_function(loc, &words),
            None => self.unknown_value(loc, &words),
        }
    }

    /// `f32::INFINTY`, `Mode::Fsat`: nothing that inference could find is written like this.
    fn is_misspelt(&self, path: &syn::Path) -> bool {
        let Some(last) = path.segments.last() else { return false };
        let name = last.ident.to_string();
        let prefix = syn::Path {
            leading_colon: path.leading_colon,
            segments: path.segments.iter().take(path.segments.len() - 1).cloned().collect(),
        };
        let impls = &self.items.program.impls;
        let mut consts = impls.iter().flat_map(|item| item.consts.iter().map(|row| &row.0));
        match self.find_type(&prefix) {
            Some(TypeMeaning::Scalar(_)) => {
                !name.contains(|c: char| c.is_lowercase()) && !consts.any(|known| *known == name)
            }
            Some(meaning) if self.is_enum(meaning) => {
                let functions = impls.iter().flat_map(|item| item.functions.iter().map(|row| &row.0));
                name.contains(char::is_uppercase) && !consts.chain(functions).any(|known| *known == name)
            }
            _ => false,
        }
    }

    fn is_enum(&self, meaning: TypeMeaning) -> bool {
        match meaning {
            TypeMeaning::Enum(_) => true,
            TypeMeaning::Struct(id) => self.items.program.structs[id.0].variants.is_some(),
            _ => false,
        }
    }

    fn is_host(&self, words: &[String]) -> bool {
        matches!(self.target(words, Namespace::Value), Some(Target::Item(ItemKind::Host)))
    }

    /// The meaning of a path as a value, if any.
    pub(super) fn find_value(&self, path: &syn::Path) -> Option<Meaning> {
        let words = segments(path);
        if let [name] = &words[..] {
            match self.lookup(name, Namespace::Value) {
                Some(Binding::Local(id)) => return Some(Meaning::Local(id)),
                Some(Binding::ConstParam(index)) => return Some(Meaning::ConstParam(index)),
                Some(Binding::TypeParam(_) | Binding::Item(_)) | None => {}
            }
            if let ("Self", Some(owner)) = (name.as_str(), self.owner) {
                return Some(Meaning::SelfStruct(owner));
            }
        }
        meaning(self.target(&words, Namespace::Value)?)
    }

    /// The meaning of a name as a value in a pattern, where variables do not count.
    pub(super) fn find_name(&self, name: &str) -> Option<Meaning> {
        let param = self.names.iter().rev().find_map(|entry| match entry.1 {
            Binding::ConstParam(index) if entry.0 == name => Some(index),
            Binding::ConstParam(_) | Binding::Local(_) | Binding::TypeParam(_) | Binding::Item(_) => None,
        });
        match param {
            Some(index) => Some(Meaning::ConstParam(index)),
            None => meaning(self.target(&[name.to_owned()], Namespace::Value)?),
        }
    }

    /// Resolves a path in the current scope.
    fn target(&self, words: &[String], space: Namespace) -> Option<Target> {
        let (first, rest) = words.split_first()?;
        let of_first = if rest.is_empty() { space } else { Namespace::Type };
        let items = self.items;
        // The items of the blocks around, the innermost last.
        for (name, binding) in self.names.iter().rev() {
            match binding {
                Binding::Item(item) if name == first => {
                    // `use E::V` of an enum that a block declares.
                    let of_block = match item.kind {
                        ItemKind::Use(id) => {
                            let path = segments(&items.program.uses[id.0].path);
                            (path.len() > 1).then(|| self.through_block(&path, of_first)).flatten()
                        }
                        _ => None,
                    };
                    let found =
                        of_block.or_else(|| items.among(std::slice::from_ref(item), first, of_first, STEPS));
                    if let Some(found) = found {
                        return items.onwards(found, rest, space, STEPS);
                    }
                    if let Some(mut whole) = items.standard(item) {
                        whole.extend_from_slice(rest);
                        return items.outside(&whole, space, STEPS);
                    }
                }
                // `T::new`, `T::Item::new`
                Binding::TypeParam(_)
                    if name == first && (1..=of_associated(space)).contains(&rest.len()) =>
                {
                    return Some(Target::Associated);
                }
                Binding::Item(_) | Binding::TypeParam(_) | Binding::Local(_) | Binding::ConstParam(_) => {}
            }
        }
        if first == "Self" {
            let owner = self.owner?;
            let [last] = rest else {
                return (rest.len() == of_associated(space)).then_some(Target::Associated);
            };
            let own = &items.program.impls[owner.0].self_ty;
            if let TypeKind::Path { path, .. } = &own.kind
                && !path.is_ident("Self")
            {
                let mut words = segments(path);
                words.push(last.clone());
                if let Some(found @ (Target::Variant(..) | Target::DataVariant(..))) =
                    self.target(&words, space)
                {
                    return Some(found);
                }
            }
            return Some(Target::Associated);
        }
        // `use E::*` of an enum that a block declares, or of what the module has.
        let of_blocks =
            self.globs.iter().rev().find_map(|glob| self.through_block_glob(glob, first, of_first));
        let found =
            of_blocks.or_else(|| items.through_globs(self.module, &self.globs, first, of_first, STEPS));
        if let Some(found) = found {
            return items.onwards(found, rest, space, STEPS);
        }
        if self.is_library {
            let own = items.among(&items.program.library, first, of_first, STEPS);
            return match own {
                Some(found) => items.onwards(found, rest, space, STEPS),
                None => items.outside(words, space, STEPS),
            };
        }
        items.path_from(self.module, words, space, STEPS)
    }

    /// Resolves a name through a `use path::*` whose path begins with an item of an enclosing block.
    fn through_block_glob(&self, glob: &syn::Path, name: &str, space: Namespace) -> Option<Target> {
        let mut words = segments(glob);
        words.push(name.to_owned());
        self.through_block(&words, space)
    }

    /// Resolves the path of a `use` that begins with an item of an enclosing block.
    fn through_block(&self, words: &[String], space: Namespace) -> Option<Target> {
        let first = words.first()?.clone();
        let item = self.names.iter().rev().find_map(|(other, binding)| match binding {
            Binding::Item(item) if *other == first => Some(item),
            _ => None,
        })?;
        let found = self.items.among(std::slice::from_ref(item), &first, Namespace::Type, STEPS)?;
        match self.items.onwards(found, &words[1..], space, STEPS) {
            Some(Target::Associated) | None => None,
            found => found,
        }
    }

    /// The meaning of a path as a type, if any.
    pub(super) fn find_type(&self, path: &syn::Path) -> Option<TypeMeaning> {
        let words = segments(path);
        if let [name] = &words[..] {
            if let Some(Binding::TypeParam(index)) = self.lookup(name, Namespace::Type) {
                return Some(TypeMeaning::Param(index));
            }
            if name == "Self" {
                return self.owner.map(TypeMeaning::SelfType);
            }
        }
        if let [first, _] = &words[..]
            && let Some(Binding::TypeParam(index)) = self.lookup(first, Namespace::Type)
        {
            return Some(TypeMeaning::Projection(index));
        }
        if let ([first, name], Some(owner)) = (&words[..], self.owner)
            && first == "Self"
        {
            let outputs = &self.items.program.impls[owner.0].outputs;
            if let Some(index) = outputs.iter().position(|output| output.0 == name) {
                return Some(TypeMeaning::Output(owner, index));
            }
            if !matches!(self.target(&words, Namespace::Type), Some(Target::DataVariant(..)))
                && self.items.program.impls.iter().any(|of| of.outputs.iter().any(|output| output.0 == name))
            {
                return Some(TypeMeaning::OfSelf(owner));
            }
        }
        match self.target(&words, Namespace::Type)? {
            Target::Item(ItemKind::Struct(id)) => Some(TypeMeaning::Struct(id)),
            Target::Item(ItemKind::Enum(id)) => Some(TypeMeaning::Enum(id)),
            Target::Item(ItemKind::Alias(id)) => Some(TypeMeaning::Alias(id)),
            Target::Type(meaning) => Some(meaning),
            Target::DataVariant(id, index) => Some(TypeMeaning::Variant(id, index)),
            Target::Item(
                ItemKind::Function(_)
                | ItemKind::Const(_)
                | ItemKind::Module(_)
                | ItemKind::Use(_)
                | ItemKind::Trait(_)
                | ItemKind::Host,
            )
            | Target::Module(_)
            | Target::Variant(..)
            | Target::OfTrait(_)
            | Target::Associated
            | Target::Builtin(_)
            | Target::Library(_)
            | Target::Known(_)
            | Target::Some
            | Target::None
            | Target::Result
            | Target::Outcome(_)
            | Target::Ordering(_)
            | Target::Scope(_) => None,
        }
    }

    pub(super) fn path_type(&mut self, ty: &Type, path: &syn::Path, args: &[GenericArg]) -> TypeMeaning {
        match self.find_type(path) {
            Some(
                meaning @ (TypeMeaning::Scalar(_)
                | TypeMeaning::Vector(..)
                | TypeMeaning::Dim3
                | TypeMeaning::Atomic(_)
                | TypeMeaning::Ordering
                | TypeMeaning::Scope
                | TypeMeaning::Enum(_)
                | TypeMeaning::Param(_)
                | TypeMeaning::SelfType(_)
                | TypeMeaning::Projection(_)
                | TypeMeaning::OfSelf(_)
                | TypeMeaning::Output(..)),
            ) if !args.is_empty() => {
                let message = format!(
                    "expected no generic arguments to `{}`\nhelp: leave them out",
                    segments(path).join("::")
                );
                self.diagnostics.error(ty.loc, message);
                let _ = meaning;
                TypeMeaning::Error
            }
            Some(meaning) => meaning,
            None => {
                let words = segments(path);
                let is_variable =
                    |name: &str| matches!(self.lookup(name, Namespace::Value), Some(Binding::Local(_)));
                let message = match &words[..] {
                    [name] if is_variable(name) => format!(
                        "expected a type or a constant, found the variable `{name}`, which is known only when the kernel runs\nhelp: write a \
                         number, or make `{name}` a constant or a generic parameter: `const {}: usize`",
                        name.to_uppercase()
                    ),
                    [name] if name.len() > 1 && is_constant(name) => {
                        let help = self.help_for_name(&words);
                        format!(
                            "expected a type or a constant, found the unknown name `{name}`\nhelp: {help}"
                        )
                    }
                    _ => self.other_type(&words).unwrap_or_else(|| {
                        let help = self.help_for_type(&words);
                        format!("expected a type, found `{}`\nhelp: {help}", words.join("::"))
                    }),
                };
                self.diagnostics.error_at_first(ty.loc, message);
                TypeMeaning::Error
            }
        }
    }

    /// The struct of `S(a, b)` in a pattern, or `Some`.
    pub(super) fn tuple_struct(&mut self, path: &syn::Path) -> Meaning {
        let loc = path_loc(path);
        let words = segments(path);
        let found = match &words[..] {
            // A variable of the same name does not count.
            [name] if name != "Self" => self.find_name(name),
            _ => self.find_value(path),
        };
        match found {
            Some(
                meaning @ (Meaning::Struct(_)
                | Meaning::SelfStruct(_)
                | Meaning::Some
                | Meaning::DataVariant(..)),
            ) => meaning,
            _ => {
                match self.other_type(&words) {
                    Some(message) => self.diagnostics.error_at_first(loc, message),
                    None => {
                        let help = self.help_for_type(&words);
                        let found = words.join("::");
                        let message =
                            format!("expected a tuple struct or `Some`, found `{found}`\nhelp: {help}");
                        self.diagnostics.error(loc, message);
                    }
                }
                Meaning::Error
            }
        }
    }
}

fn meaning(target: Target) -> Option<Meaning> {
    match target {
        Target::Item(ItemKind::Function(id)) => Some(Meaning::Function(id)),
        Target::Item(ItemKind::Const(id)) => Some(Meaning::Const(id)),
        Target::Item(ItemKind::Struct(id)) => Some(Meaning::Struct(id)),
        Target::Variant(id, index) => Some(Meaning::Variant(id, index)),
        Target::Associated => Some(Meaning::Associated),
        Target::OfTrait(own) => Some(Meaning::OfTrait(own)),
        Target::Builtin(function) => Some(Meaning::Builtin(function)),
        Target::Library(module) => Some(Meaning::Library(module)),
        Target::Known(value) => Some(Meaning::Known(value)),
        Target::DataVariant(id, index) => Some(Meaning::DataVariant(id, index)),
        Target::Ordering(order) => Some(Meaning::Ordering(order)),
        Target::Scope(scope) => Some(Meaning::Scope(scope)),
        Target::Some => Some(Meaning::Some),
        Target::None => Some(Meaning::None),
        Target::Item(
            ItemKind::Enum(_)
            | ItemKind::Alias(_)
            | ItemKind::Module(_)
            | ItemKind::Use(_)
            | ItemKind::Trait(_)
            | ItemKind::Host,
        )
        | Target::Module(_)
        | Target::Result
        | Target::Outcome(_)
        | Target::Type(_) => None,
    }
}

fn path_loc(path: &syn::Path) -> Loc {
    match (path.segments.first(), path.segments.last()) {
        (Some(first), Some(last)) => Loc { start: first.ident.span(), end: last.ident.span() },
        _ => Loc::of(path),
    }
}

/// `Default::default`
pub(crate) fn is_default(path: &syn::Path) -> bool {
    matches!(&segments(path)[..], [of, name] if of == "Default" && name == "default")
}

/// The most names after a type that may be associated ones: of a value those of a type and of what that has.
fn of_associated(space: Namespace) -> usize {
    match space {
        Namespace::Type => 1,
        Namespace::Value => 2,
    }
}
