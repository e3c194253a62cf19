//! Names: what every path, pattern, type, `break` and `continue` refers to.
//!
//! Scopes are Rust's: a variable is seen from the end of its `let` to the end of its block and may shadow; an item is
//! seen in the whole block or module that declares it; items see items, not variables and not the generic parameters
//! around them.

mod help;
mod hygiene;
mod items;
mod path;
mod pattern;
mod walk;

use std::collections::HashMap;

use crate::ast::{
    AliasId, ConstDeclId, EnumDeclId, ExprId, FunctionId, Impl, ImplId, PatId, Program, StructDeclId, TypeId,
};
use crate::atomics::{AtomicKind, Ordering, Scope};
use crate::builtins::Signature;
use crate::diagnostics::Diagnostics;
use crate::typed::{ConstValue, LocalId, LoopId, Scalar};
use items::Items;
pub(crate) use items::vector;
pub(crate) use path::is_default;

/// The meaning of an expression's or a pattern's path.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// It is no path, no binding, no `break` or `continue`.
    Nothing,
    /// A variable. In a pattern: it is bound here; in the alternatives of an `a | b` it is that of the first.
    Local(LocalId),
    /// A constant of the user's.
    Const(ConstDeclId),
    /// A constant generic parameter, by its index: those of the impl first, then the function's own.
    ConstParam(usize),
    /// A constant with a path that the language knows: `f32::MAX`, `core::f32::consts::PI`.
    Known(ConstValue),
    /// A function of the user's or of the device library; called, or handed over by its name.
    Function(FunctionId),
    /// A function of the language: `thread_idx`, `warp::shfl_up`, `shared`.
    Builtin(&'static Signature),
    /// A unit struct, a tuple struct's constructor, in a pattern also the struct itself.
    Struct(StructDeclId),
    /// `Self` as a value, a constructor or in a pattern: the impl's own type.
    SelfStruct(ImplId),
    /// A variant of an enum.
    Variant(EnumDeclId, usize),
    /// A function of the device library behind this name: `warp`, `block`, `fast`. Which one depends on the types: see
    /// [`crate::device::library::find`].
    Library(&'static str),
    /// `Some`
    Some,
    /// `None`
    None,
    /// A variant of an enum with data, by its index.
    DataVariant(StructDeclId, usize),
    /// `Ordering::Relaxed`
    Ordering(Ordering),
    /// `Scope::Block`
    Scope(Scope),
    /// The last name of the path belongs to the type `of`: `f32::max`, `Vec3::new`, `Self::ZERO`, `T::MAX`. Whether it exists is for
    /// inference to say. (Constants of scalars are `Known`, variants of enums `Variant`.)
    Associated,
    /// A function of a trait: `Trait::method(value)`. The first argument's type says which.
    OfTrait(Option<crate::ast::TraitId>),
    /// The loop or labelled block that `break` leaves or `continue` continues.
    Loop(LoopId),
    /// A mistake that has been reported.
    Error,
}

/// The meaning of a type's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TypeMeaning {
    /// It is no path, or (as the `of` of a path) no type.
    Nothing,
    /// A scalar.
    Scalar(Scalar),
    /// `F32x4`: the lanes' type and number.
    Vector(Scalar, u32),
    /// `Dim3`
    Dim3,
    /// `Option<T>`
    Option,
    /// A variant of an enum with data, as in `E::V { … }`.
    Variant(StructDeclId, usize),
    /// `AtomicU32`
    Atomic(AtomicKind),
    /// `BlockScope<A>`, `SystemScope<A>`
    Scoped(Scope),
    /// `Ordering`
    Ordering,
    /// `Scope`
    Scope,
    /// `Shared<T>`
    Shared,
    /// `SharedDyn<T>`
    SharedDyn,
    /// A struct.
    Struct(StructDeclId),
    /// An enum.
    Enum(EnumDeclId),
    /// An alias.
    Alias(AliasId),
    /// A generic parameter, by its index: those of the impl first, then the function's own.
    Param(usize),
    /// `Self` in an impl.
    SelfType(ImplId),
    /// `Self::Output`: the impl and the index among its `outputs`.
    Output(ImplId, usize),
    /// `T::Name` of a generic parameter, by its index: the associated type `Name` of what stands for it.
    Projection(usize),
    /// `Self::Name` that another impl for the same type declares, such as `Self::Item` in a trait that extends `Iterator`.
    OfSelf(ImplId),
    /// As a generic argument: a constant, a [`Meaning::Const`], `ConstParam` or `Known`.
    Constant(ConstMeaning),
    /// A mistake that has been reported.
    Error,
}

/// A constant that stands as a generic argument.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ConstMeaning {
    Const(ConstDeclId),
    ConstParam(usize),
    Known(ConstValue),
}

/// A text: the unit within which expressions, patterns and types are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Text {
    Function(FunctionId),
    Const(ConstDeclId),
    Struct(StructDeclId),
    Alias(AliasId),
    Impl(ImplId),
}

/// The meanings in one text.
#[derive(Debug, Default)]
pub struct Table {
    exprs: Vec<Meaning>,
    pats: Vec<Meaning>,
    types: Vec<TypeMeaning>,
    /// For each entry of `locals` true if it is a variable; a name in a pattern that refers to a constant is none.
    bound: Vec<bool>,
}

impl Table {
    /// Of an expression.
    pub fn expr(&self, id: ExprId) -> Meaning {
        self.exprs[id.0]
    }

    /// Of a pattern.
    pub fn pat(&self, id: PatId) -> Meaning {
        self.pats[id.0]
    }

    /// Of a type.
    pub fn ty(&self, id: TypeId) -> TypeMeaning {
        self.types[id.0]
    }

    /// Returns true if a type in the text is an associated one of a generic parameter.
    pub fn has_projection(&self) -> bool {
        self.types
            .iter()
            .any(|meaning| matches!(meaning, TypeMeaning::Projection(_) | TypeMeaning::OfSelf(_)))
    }

    /// Returns true if a pattern binds this entry of the text's `locals`.
    pub fn is_variable(&self, id: LocalId) -> bool {
        self.bound[id.0]
    }
}

/// The meaning of every path in a program.
#[derive(Debug, Default)]
pub struct Names {
    tables: HashMap<Text, Table>,
}

impl Names {
    /// Those in one text.
    pub fn of(&self, text: Text) -> &Table {
        &self.tables[&text]
    }
}

/// Resolves all names.
pub fn resolve(program: &Program, diagnostics: &mut Diagnostics) -> Names {
    let mut names = Names::default();
    let items = Items { program };
    items.check_modules(diagnostics);
    for text in program.texts() {
        let table = walk::text(&items, text, diagnostics);
        names.tables.insert(text, table);
    }
    names
}

impl Program {
    /// Everything that is numbered on its own.
    fn texts(&self) -> impl Iterator<Item = Text> {
        let functions = (0..self.functions.len()).map(|id| Text::Function(FunctionId(id)));
        let consts = (0..self.consts.len()).map(|id| Text::Const(ConstDeclId(id)));
        let structs = (0..self.structs.len()).map(|id| Text::Struct(StructDeclId(id)));
        let aliases = (0..self.aliases.len()).map(|id| Text::Alias(AliasId(id)));
        let impls = (0..self.impls.len()).map(|id| Text::Impl(ImplId(id)));
        functions.chain(consts).chain(structs).chain(aliases).chain(impls)
    }

    /// Returns true for a text of the compiler's own device library.
    pub fn is_of_library(&self, text: Text) -> bool {
        match text {
            Text::Function(id) => self.functions[id.0].is_library,
            Text::Const(id) => self.consts[id.0].scope.is_library,
            Text::Struct(id) => self.structs[id.0].scope.is_library,
            Text::Alias(id) => self.aliases[id.0].scope.is_library,
            Text::Impl(id) => self.impls[id.0].scope.is_library,
        }
    }

    /// Returns true if names of an impl's items may be meant in a text: the library knows none of the user's own traits.
    pub fn sees(&self, text: Text, decl: &Impl) -> bool {
        !decl.of_own_trait || decl.scope.is_library || !self.is_of_library(text)
    }
}

/// The language itself has something under this path.
pub fn is_known(path: &[String]) -> bool {
    [items::Namespace::Value, items::Namespace::Type].iter().any(|space| items::known(path, *space).is_some())
}

/// A path as words.
fn segments(path: &syn::Path) -> Vec<String> {
    let mut words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    if words.len() > 1 {
        let first = std::mem::take(&mut words[0]);
        words[0] = crate::crate_name::usual(first);
    }
    words
}
