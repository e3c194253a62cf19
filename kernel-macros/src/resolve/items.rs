//! Items by their paths: through modules, `use`, `*`, linked libraries, and the names of the language itself.

use super::{TypeMeaning, segments};
use crate::ast::{EnumDeclId, Item, ItemKind, ModuleId, Program, StructDeclId, TraitId, UseId};
use crate::atomics::{AtomicKind, Ordering, Scope};
use crate::builtins::{self, Signature};
use crate::constants;
use crate::device::{library, numbers, primitives};
use crate::diagnostics::{Diagnostics, Loc};
use crate::own_path;
use crate::typed::{ConstValue, Scalar};

/// Most steps from one `use` to the next.
pub(super) const STEPS: usize = 32;

/// The two kinds of names: a struct and a function may have one together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    /// Functions, constants, constructors.
    Value,
    /// Types and modules.
    Type,
}

/// The item or type that a path refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// An item other than a module or a `use`.
    Item(ItemKind),
    /// A module.
    Module(ModuleId),
    /// A type that is no item.
    Type(TypeMeaning),
    /// A variant.
    Variant(EnumDeclId, usize),
    /// A variant of an enum with data.
    DataVariant(StructDeclId, usize),
    /// All but the last name is a trait, and the last belongs to it.
    OfTrait(Option<TraitId>),
    /// All but the last name is a type, and the last belongs to it.
    Associated,
    /// A function of the language.
    Builtin(&'static Signature),
    /// A function of the library behind this name.
    Library(&'static str),
    /// A constant of the language.
    Known(ConstValue),
    Some,
    None,
    /// The library's enum `Result`.
    Result,
    /// A variant of `Result`, by its index.
    Outcome(usize),
    /// `Ordering::Relaxed`
    Ordering(Ordering),
    /// `Scope::Block`
    Scope(Scope),
}

/// Prefixes of paths to the types of the language: `core::option::Option`.
const TYPE_PREFIXES: &[&[&str]] = &[
    &[],
    &["device"],
    &["kernel_runtime"],
    &["kernel_runtime", "device"],
    &["kernel_runtime", "prelude"],
    &["half"],
    &["core", "option"],
    &["std", "option"],
    &["core", "primitive"],
    &["std", "primitive"],
    &["core", "result"],
    &["std", "result"],
    &["core", "sync", "atomic"],
    &["std", "sync", "atomic"],
];

/// The items of a program, to be found.
#[derive(Clone, Copy)]
pub(super) struct Items<'a> {
    pub(super) program: &'a Program,
}

impl<'a> Items<'a> {
    /// Reports names that a module declares twice.
    pub(super) fn check_modules(self, diagnostics: &mut Diagnostics) {
        for module in &self.program.modules {
            self.check_twice(&module.items, diagnostics);
        }
    }

    /// Reports names that are declared twice.
    pub(super) fn check_twice(self, items: &[Item], diagnostics: &mut Diagnostics) {
        for (index, item) in items.iter().enumerate() {
            let same = |earlier: &&Item| {
                earlier.name == item.name
                    && [Namespace::Value, Namespace::Type]
                        .iter()
                        .any(|space| self.is_in(earlier.kind, *space) && self.is_in(item.kind, *space))
            };
            // A `use` may bring a type and a function of one name; rustc sees what it brings.
            let is_use = |kind| matches!(kind, ItemKind::Use(_));
            if let Some(earlier) = items[..index].iter().find(same)
                && !is_use(item.kind)
                && !is_use(earlier.kind)
            {
                let (name, what) = (&item.name, self.noun(item.kind));
                let message =
                    format!("expected a new name, found the {what} `{name}` again\nhelp: rename one of them");
                diagnostics.error(Loc::from(name), message);
            }
        }
    }

    /// The noun for an item in messages.
    pub(super) fn noun(self, kind: ItemKind) -> &'static str {
        match kind {
            ItemKind::Function(_) | ItemKind::Host => "function",
            ItemKind::Struct(id) => self.program.structs[id.0].noun(),
            ItemKind::Enum(_) => "enum",
            ItemKind::Const(_) => "constant",
            ItemKind::Alias(_) => "type alias",
            ItemKind::Module(_) => "module",
            ItemKind::Use(_) => "name",
            ItemKind::Trait(_) => "trait",
        }
    }

    pub(super) fn is_in(self, kind: ItemKind, space: Namespace) -> bool {
        match kind {
            ItemKind::Function(_) | ItemKind::Const(_) | ItemKind::Host => space == Namespace::Value,
            ItemKind::Enum(_) | ItemKind::Alias(_) | ItemKind::Module(_) | ItemKind::Trait(_) => {
                space == Namespace::Type
            }
            ItemKind::Struct(id) => space == Namespace::Type || self.program.structs[id.0].is_tuple,
            ItemKind::Use(_) => true,
        }
    }

    /// An item with this name; a `use` is followed.
    pub(super) fn among(self, items: &[Item], name: &str, space: Namespace, steps: usize) -> Option<Target> {
        let of_name = items.iter().filter(|item| item.name == name && self.is_in(item.kind, space));
        of_name.filter_map(|item| self.target(item.kind, space, steps)).next()
    }

    fn target(self, kind: ItemKind, space: Namespace, steps: usize) -> Option<Target> {
        match kind {
            ItemKind::Module(id) => Some(Target::Module(id)),
            ItemKind::Use(id) => self.used(id, space, steps),
            other => Some(Target::Item(other)),
        }
    }

    fn used(self, id: UseId, space: Namespace, steps: usize) -> Option<Target> {
        let used = &self.program.uses[id.0];
        self.path_from(used.module, &segments(&used.path), space, steps.checked_sub(1)?)
    }

    /// Resolves `name` in a module.
    fn in_module(self, module: ModuleId, name: &str, space: Namespace, steps: usize) -> Option<Target> {
        let steps = steps.checked_sub(1)?;
        let module_data = &self.program.modules[module.0];
        self.among(&module_data.items, name, space, steps)
            .or_else(|| self.through_globs(module, &module_data.globs, name, space, steps))
            .or_else(|| match space {
                Namespace::Type => self.among(&module_data.libraries, name, space, steps),
                Namespace::Value => None,
            })
    }

    /// Resolves a name through `use path::*`.
    pub(super) fn through_globs(
        self,
        module: ModuleId,
        globs: &[syn::Path],
        name: &str,
        space: Namespace,
        steps: usize,
    ) -> Option<Target> {
        let steps = steps.checked_sub(1)?;
        globs.iter().find_map(|glob| {
            let mut path = segments(glob);
            path.push(name.to_owned());
            // Without a first name of its own, `use super::*` would lead back here.
            match self.path_from(module, &path, space, steps) {
                Some(Target::Associated) | None => None,
                found => found,
            }
        })
    }

    /// Resolves a path whose first name is relative to a module.
    pub(super) fn path_from(
        self,
        module: ModuleId,
        path: &[String],
        space: Namespace,
        steps: usize,
    ) -> Option<Target> {
        let steps = steps.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        match (first.as_str(), self.program.modules[module.0].parent) {
            ("self", _) if rest.is_empty() => Some(Target::Module(module)),
            ("self", _) => self.path_from(module, rest, space, steps),
            ("super", Some(parent)) if rest.is_empty() => Some(Target::Module(parent)),
            ("super", Some(parent)) => self.path_from(parent, rest, space, steps),
            ("crate", _) if let found @ Some(_) = self.own_path(rest, space, steps) => found,
            ("super" | "crate", _) => self.outside(rest, space, steps),
            _ => {
                let of_first = if rest.is_empty() { space } else { Namespace::Type };
                match self.in_module(module, first, of_first, steps) {
                    Some(target) => self.onwards(target, rest, space, steps),
                    None => match self.standard_path(module, first) {
                        Some(mut whole) => {
                            whole.extend_from_slice(rest);
                            self.outside(&whole, space, steps)
                        }
                        None => self.outside(path, space, steps),
                    },
                }
            }
        }
    }

    /// Resolves a path from the root of the crate that names the module itself: `crate::waves::Wave`.
    fn own_path(self, path: &[String], space: Namespace, steps: usize) -> Option<Target> {
        let own = self.program.modules[0].name.as_ref()?;
        let own = own.to_string();
        // The last name of a value's path is the value's.
        let end = path.len() - usize::from(space == Namespace::Value && !path.is_empty());
        own_path::places(&path[..end], &own)
            .find_map(|at| self.onwards(Target::Module(ModuleId(0)), &path[at + 1..], space, steps))
    }

    /// The path of a `use` of the standard library.
    pub(super) fn standard(self, item: &Item) -> Option<Vec<String>> {
        let ItemKind::Use(id) = item.kind else { return None };
        let path = segments(&self.program.uses[id.0].path);
        matches!(path.first().map(String::as_str), Some("core" | "std")).then_some(path)
    }

    /// The path of the module of the standard library that a name stands for in a module: `cmp` by `use std::cmp;`, there or in a
    /// module around that it sees by `use super::*`.
    fn standard_path(self, mut module: ModuleId, name: &str) -> Option<Vec<String>> {
        loop {
            let module_data = &self.program.modules[module.0];
            let mut of_name = module_data.items.iter().filter(|item| item.name == name);
            if let Some(path) = of_name.find_map(|item| self.standard(item)) {
                return Some(path);
            }
            let sees_parent = module_data.globs.iter().any(|glob| glob.is_ident("super"));
            module = module_data.parent.filter(|_| sees_parent)?;
        }
    }

    /// Resolves the remaining names of a path from the target of the first ones.
    pub(super) fn onwards(
        self,
        target: Target,
        rest: &[String],
        space: Namespace,
        steps: usize,
    ) -> Option<Target> {
        let Some((name, after)) = rest.split_first() else { return Some(target) };
        match target {
            Target::Module(id) => {
                let of_name = if after.is_empty() { space } else { Namespace::Type };
                let module = &self.program.modules[id.0];
                let found = match name.as_str() {
                    "super" => module.parent.map(Target::Module),
                    "self" => Some(target),
                    _ => self.in_module(id, name, of_name, steps),
                };
                self.onwards(found?, after, space, steps)
            }
            Target::Item(ItemKind::Enum(id)) => {
                let variants = &self.program.enums[id.0].variants;
                match variants.iter().position(|variant| variant.0 == name) {
                    Some(index) if after.is_empty() => Some(Target::Variant(id, index)),
                    Some(_) | None => after.is_empty().then_some(Target::Associated),
                }
            }
            Target::Item(ItemKind::Struct(id)) => {
                let variants = self.program.structs[id.0].variants.iter().flat_map(|variants| &variants.list);
                match variants.enumerate().find(|(_, variant)| variant.name == name) {
                    Some((index, _)) if after.is_empty() => Some(Target::DataVariant(id, index)),
                    Some(_) | None => after.is_empty().then_some(Target::Associated),
                }
            }
            Target::Item(ItemKind::Alias(_)) => after.is_empty().then_some(Target::Associated),
            Target::Item(ItemKind::Trait(own)) => after.is_empty().then_some(Target::OfTrait(own)),
            Target::Type(meaning) => after.is_empty().then(|| of_type(meaning, name)),
            Target::Item(
                ItemKind::Function(_)
                | ItemKind::Const(_)
                | ItemKind::Module(_)
                | ItemKind::Use(_)
                | ItemKind::Host,
            )
            | Target::Variant(..)
            | Target::DataVariant(..)
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

    /// A path from outside of what the macro sees: into a linked library, or to what the language has.
    pub(super) fn outside(self, path: &[String], space: Namespace, steps: usize) -> Option<Target> {
        let libraries = &self.program.modules[0].libraries;
        // A module that holds the library may have its name: the last that leads somewhere counts.
        for (index, name) in path.iter().enumerate().rev() {
            if let Some(library) = libraries.iter().find(|item| item.name == name)
                && let ItemKind::Module(id) = library.kind
                && let found @ Some(_) =
                    self.onwards(Target::Module(id), &path[index + 1..], space, steps.checked_sub(1)?)
            {
                return found;
            }
        }
        if let Some(rest) = of_ordering(path) {
            let steps = steps.checked_sub(1)?;
            let ordering = self.among(&self.program.library, "Ordering", Namespace::Type, steps);
            if let Some(ordering) = ordering {
                return self.onwards(ordering, rest, space, steps);
            }
        }
        if let Some((name, rest)) = of_library(path) {
            let found = self.among(&self.program.library, name, Namespace::Type, steps.checked_sub(1)?);
            if let Some(found) = found {
                return self.onwards(found, rest, space, steps.checked_sub(1)?);
            }
        }
        if let Some((name, rest)) = of_standard(path) {
            let found = self.among(&self.program.library, name, Namespace::Type, steps.checked_sub(1)?);
            if let Some(found) = found {
                return self.onwards(found, rest, space, steps.checked_sub(1)?);
            }
        }
        match known(path, space) {
            // Some are generic: one function for every type.
            Some(Target::Library(module)) => {
                let rows = library::methods().filter(|row| {
                    row.form == library::Form::Path(module)
                        && path.last().is_some_and(|name| name == row.name)
                });
                match &rows.collect::<Vec<_>>()[..] {
                    [only] if only.receiver == library::Receiver::Any(builtins::Class::Scalar) => {
                        self.among(&self.program.library, only.function, space, steps.checked_sub(1)?)
                    }
                    _ => Some(Target::Library(module)),
                }
            }
            Some(Target::Result) => self.result().map(|id| Target::Item(ItemKind::Struct(id))),
            Some(Target::Outcome(index)) => self.result().map(|id| Target::DataVariant(id, index)),
            other => other,
        }
    }

    /// The library's `Result`.
    fn result(self) -> Option<StructDeclId> {
        self.program.library.iter().find_map(|item| match item.kind {
            ItemKind::Struct(id) if item.name == "Result" => Some(id),
            _ => None,
        })
    }
}

/// The names after `core::cmp::Ordering`; a path that ends with one of its variants may leave the modules out.
fn of_ordering(path: &[String]) -> Option<&[String]> {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    match words[..] {
        ["core" | "std", "cmp", "Ordering", ..] => Some(&path[3..]),
        [.., "Ordering", "Less" | "Equal" | "Greater"] => Some(&path[path.len() - 1..]),
        _ => None,
    }
}

/// The type of the library that a path begins with, and the names after it.
fn of_library(path: &[String]) -> Option<(&'static str, &[String])> {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let prefix =
        words.iter().take_while(|word| matches!(**word, "kernel_runtime" | "device" | "prelude")).count();
    let tiles = library::TILE_TYPES.iter().map(|row| (row.module, row.name));
    let floats = library::FLOATS_OF_8_BITS.iter().chain(library::SMALL_FLOATS);
    let others = floats.chain(library::GENERATORS).map(|name| (None, *name));
    tiles.chain(others).find_map(|(module, of)| {
        let rest = match (module, &words[prefix..]) {
            (Some(module), [first, name, ..]) if *first == module && *name == of => prefix + 2,
            (None, [name, ..]) if *name == of => prefix + 1,
            _ => return None,
        };
        Some((of, &path[rest..]))
    })
}

/// The type of the library that a path of the standard library begins with, and the names after it.
fn of_standard(path: &[String]) -> Option<(&'static str, &[String])> {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    if let Some(name) = primitives::ALL.iter().find(|name| words.first() == Some(*name)) {
        return Some((name, &path[1..]));
    }
    let ["core" | "std", module, name, ..] = words[..] else { return None };
    let renamed = library::RENAMED_TYPES.iter().find(|row| (module, name) == (row.0, row.1));
    let same = || library::STANDARD_TYPES.iter().find(|row| (module, name) == **row).map(|row| row.1);
    let non_zero = || numbers::NON_ZERO.iter().find(|of| module == "num" && name == **of).copied();
    Some((renamed.map(|row| row.2).or_else(same).or_else(non_zero)?, &path[3..]))
}

/// Resolves a path to a name of the language.
pub(super) fn known(path: &[String], space: Namespace) -> Option<Target> {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    if space == Namespace::Type {
        return match words[..] {
            ["Result"] | ["core" | "std", "result", "Result"] => Some(Target::Result),
            _ => known_type(path).map(Target::Type),
        };
    }
    match words[..] {
        ["Some"] => return Some(Target::Some),
        ["None"] => return Some(Target::None),
        ["Ok"] | ["Result", "Ok"] | ["core" | "std", "result", "Result", "Ok"] => {
            return Some(Target::Outcome(0));
        }
        ["Err"] | ["Result", "Err"] | ["core" | "std", "result", "Result", "Err"] => {
            return Some(Target::Outcome(1));
        }
        _ => {}
    }
    if let Some(function) = builtins::function(path) {
        return Some(Target::Builtin(function));
    }
    let (name, prefix) = path.split_last()?;
    let last_prefix = match prefix.last() {
        Some(module) => module,
        // The only function of the prelude of the standard library.
        None if name == "drop" => "mem",
        None => "",
    };
    for row in library::methods() {
        if let library::Form::Path(module) = row.form
            && module == last_prefix
            && row.name == name
        {
            return Some(Target::Library(module));
        }
    }
    if let Some(value) = constants::constant(path) {
        return Some(Target::Known(value));
    }
    known_type(prefix).map(|meaning| of_type(meaning, name))
}

/// Resolves an associated name of a type of the language.
pub(super) fn of_type(meaning: TypeMeaning, name: &str) -> Target {
    match (meaning, name) {
        (TypeMeaning::Option, "Some") => Target::Some,
        (TypeMeaning::Option, "None") => Target::None,
        (TypeMeaning::Ordering, name) => {
            let row = Ordering::NAMES.iter().find(|row| row.0 == name);
            row.map_or(Target::Associated, |row| Target::Ordering(row.1))
        }
        (TypeMeaning::Scope, name) => {
            let row = Scope::NAMES.iter().find(|row| row.0 == name);
            row.map_or(Target::Associated, |row| Target::Scope(row.1))
        }
        (TypeMeaning::Scalar(scalar), name) => {
            match constants::constant(&[scalar.name().to_owned(), name.to_owned()]) {
                Some(value) => Target::Known(value),
                None => Target::Associated,
            }
        }
        _ => Target::Associated,
    }
}

/// A type of the language.
pub(super) fn known_type(path: &[String]) -> Option<TypeMeaning> {
    let (name, prefix) = path.split_last()?;
    if !TYPE_PREFIXES.iter().any(|known| *known == prefix) {
        return None;
    }
    match name.as_str() {
        "Dim3" => Some(TypeMeaning::Dim3),
        "Option" => Some(TypeMeaning::Option),
        "Shared" => Some(TypeMeaning::Shared),
        "SharedDyn" => Some(TypeMeaning::SharedDyn),
        "Ordering" => Some(TypeMeaning::Ordering),
        "Scope" => Some(TypeMeaning::Scope),
        name if name.starts_with("Atomic") => AtomicKind::from_name(name).map(TypeMeaning::Atomic),
        name if name.ends_with("Scope") => {
            Scope::VIEWS.iter().find(|view| view.1 == name).map(|view| TypeMeaning::Scoped(view.2))
        }
        name => Scalar::from_name(name).map(TypeMeaning::Scalar).or_else(|| vector(name)),
    }
}

/// `F32x4`, `Bf16x2`: of at most 16 bytes.
pub(crate) fn vector(name: &str) -> Option<TypeMeaning> {
    let (scalar, lanes) = name.rsplit_once('x')?;
    let scalar = match scalar {
        "F32" => Scalar::F32,
        "U32" => Scalar::U32,
        "I32" => Scalar::I32,
        "F64" => Scalar::F64,
        "F16" => Scalar::F16,
        "Bf16" => Scalar::Bf16,
        _ => return None,
    };
    let lanes = match lanes {
        "2" => 2,
        "4" => 4,
        "8" => 8,
        _ => return None,
    };
    (scalar.bits() * lanes <= 128 && (lanes < 8 || scalar.bits() == 16))
        .then_some(TypeMeaning::Vector(scalar, lanes))
}
