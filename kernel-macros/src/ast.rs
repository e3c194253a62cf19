//! The tree that parsing makes: the Rust that the language has, names not yet resolved, types not yet known.
//!
//! Items of a module, of blocks and of impls are gathered in one [`Program`] and numbered; blocks say which they declare.
//! Within each function, variables, loops, closures, expressions, patterns and types are numbered in the order of the text;
//! later phases keep what they find out about them in tables by these numbers. Parentheses are gone, and so is everything
//! that the language refuses.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::Ident;

use crate::attrs::KernelAttrs;
use crate::diagnostics::Loc;
use crate::typed::{BinaryOp, ClosureId, LocalId, LoopId, Output, Scalar, UnaryOp};

/// Everything that one expansion sees: of one `#[kernel]` function, of a `#[kernel_module]` with what it links, or of files of
/// the device library.
#[derive(Default)]
pub struct Program {
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// Every function: kernels, device functions, nested functions, associated functions and methods.
    pub functions: Vec<Function>,
    /// Every struct.
    pub structs: Vec<Struct>,
    /// Every enum.
    pub enums: Vec<Enum>,
    /// Every constant: of modules, blocks and impls.
    pub consts: Vec<Const>,
    /// Every `type` alias.
    pub aliases: Vec<Alias>,
    /// Every `impl`.
    pub impls: Vec<Impl>,
    /// Every module: the root first, then the inline modules in it and the libraries that it links.
    pub modules: Vec<Module>,
    /// Every name that a `use` brings in.
    pub uses: Vec<Use>,
    /// The names of the compiler's own device library, as far as it was read: one flat module.
    pub library: Vec<Item>,
    /// Every name that follows a `.` or ends a path, and the last two of a path to a type: what of the device library may be needed.
    pub mentioned: BTreeSet<String>,
    /// The methods that its operators ask where their operands are no numbers.
    pub compared: BTreeSet<&'static str>,
    /// An operator that compares was found to be a call of a function of the device library that was not read.
    pub lacks_comparisons: Cell<bool>,
}

macro_rules! indices {
    ($($(#[$meta:meta])* $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub usize);
    )*};
}

indices! {
    /// Index of a [`Function`] in its program. One of these has an instance, a [`crate::typed::FnId`], for each set of generic
    /// arguments that it is called with.
    FunctionId;
    /// Index of a [`Struct`] in its program.
    StructDeclId;
    /// Index of an [`Enum`] in its program.
    EnumDeclId;
    /// Index of a [`Const`] in its program.
    ConstDeclId;
    /// Index of an [`Alias`] in its program.
    AliasId;
    /// Index of an [`Impl`] in its program.
    ImplId;
    /// Index of a [`Module`] in its program; the root is 0.
    ModuleId;
    /// Index of a [`Use`] in its program.
    UseId;
    /// Number of an expression in its body.
    ExprId;
    /// Number of a pattern in its body.
    PatId;
    /// Number of a type in its body.
    TypeId;
}

/// A name that a module or block declares.
#[derive(Clone)]
pub struct Item {
    /// The name.
    pub name: Ident,
    /// Its kind and its index in the table of that kind.
    pub kind: ItemKind,
}

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ItemKind {
    Function(FunctionId),
    Struct(StructDeclId),
    Enum(EnumDeclId),
    Const(ConstDeclId),
    Alias(AliasId),
    Module(ModuleId),
    Use(UseId),
    /// A function of a module without `#[device]`: only rustc reads it.
    Host,
    /// A trait: what its impls leave out was added to them. One of the compiler's own library has no number.
    Trait(Option<TraitId>),
}

/// The number of a trait of the user's own, in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraitId(pub usize);

/// A trait that an impl, a bound or a path names. Two of the user's own may share a name; others are known by theirs.
#[derive(Clone, Debug)]
pub struct TraitName {
    /// The name that its declaration gives it.
    pub name: Ident,
    /// Its number, if it is the user's own.
    pub own: Option<TraitId>,
}

impl PartialEq for TraitName {
    fn eq(&self, other: &TraitName) -> bool {
        self.own == other.own && (self.own.is_some() || self.name == other.name)
    }
}

/// A name alone is that of a trait which is not the user's own.
impl PartialEq<str> for TraitName {
    fn eq(&self, other: &str) -> bool {
        self.own.is_none() && self.name == other
    }
}

impl PartialEq<&str> for TraitName {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl std::fmt::Display for TraitName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.name.fmt(f)
    }
}

/// A module.
#[derive(Default)]
pub struct Module {
    /// Its name; of the root that of the `#[kernel_module]`.
    pub name: Option<Ident>,
    /// The module around it; `None` for the root.
    pub parent: Option<ModuleId>,
    /// Its names.
    pub items: Vec<Item>,
    /// Of the root: the libraries that it links, by the last name of their paths.
    pub libraries: Vec<Item>,
    /// `use path::*`
    pub globs: Vec<syn::Path>,
}

/// A name that a `use` brings in.
pub struct Use {
    /// The imported path.
    pub path: syn::Path,
    /// Module that `self` and `super` in the path are relative to.
    pub module: ModuleId,
}

/// A kernel.
pub struct Kernel {
    /// Its function: without a result, without `self`.
    pub function: FunctionId,
    /// The arguments of `#[kernel(…)]`.
    pub attrs: KernelAttrs,
    /// `instances(…)`: for each instance its arguments in the order of the generic parameters. One empty list if the kernel is
    /// not generic.
    pub instances: Vec<Vec<GenericArg>>,
}

/// Numbers of nodes of one text, each kind numbered from 0: of a function with its signature, or of a constant, a struct,
/// an enum, an impl or an alias.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Number of expressions.
    pub exprs: usize,
    /// Number of patterns.
    pub pats: usize,
    /// Number of types.
    pub types: usize,
    /// Number of loops and labelled blocks.
    pub loops: usize,
}

/// A function.
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// Its generic parameters, those of its impl not among them.
    pub generics: Vec<GenericParam>,
    /// The bounds of its `where` clause on the calls and conversions of other types than these: of a parameter of its impl, of `T::Item`.
    pub clauses: Vec<Clause>,
    /// The impl that it belongs to.
    pub owner: Option<ImplId>,
    /// `self`, which is then the first parameter and local 0.
    pub receiver: Option<Receiver>,
    /// Its parameters, `self` not among them. A pattern is taken apart at the start of the body.
    pub params: Vec<Param>,
    /// The result type; `None` for `()`.
    pub result: Option<Type>,
    /// Every variable of the body, parameters first: `self`, then one for each of `params`.
    pub locals: Vec<Local>,
    /// Every closure of the body.
    pub closures: Vec<Closure>,
    /// The attributes of its loops, by [`LoopId`].
    pub loops: Vec<LoopAttrs>,
    /// The body.
    pub body: Block,
    /// The numbers of its nodes.
    pub counts: Counts,
    /// Its scope: items of the blocks around a nested function are visible in it, their variables are not.
    pub scope: Scope,
    /// Is part of the compiler's own device library.
    pub is_library: bool,
    /// A method of the library without `pub`: the library's own functions alone see it. rustc does not know it, and may know another of
    /// its name.
    pub is_private: bool,
    /// `unsafe fn`
    pub is_unsafe: bool,
    /// `-> !`: no call of it comes back.
    pub diverges: bool,
    /// The expressions inside of `unsafe` blocks, by their numbers.
    pub unsafe_exprs: Vec<Range<usize>>,
}

/// The items visible at one point: those of its module, and those of the enclosing blocks, outermost first.
#[derive(Clone, Default)]
pub struct Scope {
    /// The module.
    pub module: ModuleId,
    /// The items of the blocks.
    pub blocks: Vec<Vec<Item>>,
    /// `use path::*` in the blocks.
    pub globs: Vec<syn::Path>,
    /// Variables of the function around, which are not seen: for messages.
    pub variables: Vec<String>,
    /// Is part of the compiler's own device library.
    pub is_library: bool,
}

/// The form in which a method takes `self`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// `self`
    Value,
    /// `&self`
    Ref,
    /// `&mut self`
    RefMut,
}

/// A parameter.
pub struct Param {
    /// The variable, named as written or made up for a pattern.
    pub local: LocalId,
    /// The pattern that destructures the argument, if it is not a plain name.
    pub pattern: Option<Pattern>,
    /// Its type.
    pub ty: Type,
}

/// A generic parameter.
pub struct GenericParam {
    /// Its name.
    pub name: Ident,
    /// Its kind.
    pub kind: GenericParamKind,
    /// The argument of types that leave it out.
    pub default: Option<GenericArg>,
}

/// The kind of a generic parameter.
#[allow(clippy::large_enum_variant)] // there are few
pub enum GenericParamKind {
    /// A type. Its bounds matter to rustc; the compiler looks for `Fn(A, B) -> C`, `FnMut`, `FnOnce` among them, which say
    /// what a closure takes and gives, and for traits of the user's, which say what a blanket impl is for.
    Type {
        /// The traits among its bounds.
        bounds: Vec<TraitName>,
        /// The signature in a bound `Fn(A, B) -> C`, with the result last.
        callable: Option<(Vec<Type>, Option<Type>)>,
        /// `T` of a bound `Iterator<Item = T>`.
        item: Option<Type>,
        /// `T` of a bound `Into<T>`, if there is one of them.
        into: Option<Box<Type>>,
        /// Traits of the user's own with generic arguments among its bounds: `Sample` and `T` of `Sample<T>`.
        applied: Vec<(TraitName, Vec<GenericArg>)>,
    },
    /// A constant of this scalar type.
    Const(Type),
}

/// `T: Fn(A, B) -> C` or `T: Into<U>` in a `where` clause.
pub struct Clause {
    /// The type that the bound is of.
    pub of: Type,
    /// The signature in a bound `Fn(A, B) -> C`, with the result last.
    pub callable: Option<(Vec<Type>, Option<Type>)>,
    /// `T` of a bound `Into<T>`.
    pub into: Option<Type>,
}

/// A generic argument as written.
#[allow(clippy::large_enum_variant)] // there are few
pub enum GenericArg {
    /// A type. A plain name may also be that of a constant: resolution tells.
    Type(Type),
    /// A literal or a block.
    Const(Expr),
}

/// A struct.
pub struct Struct {
    /// Its name.
    pub name: Ident,
    /// Its generic parameters.
    pub generics: Vec<GenericParam>,
    /// Its fields.
    pub fields: Vec<(syn::Member, Type)>,
    /// `S(…)` rather than `S { … }`; also `struct S;`.
    pub is_tuple: bool,
    /// `#[repr(C)]`, `#[repr(transparent)]`.
    pub repr_c: bool,
    /// `#[repr(align(n))]`.
    pub align: Option<u32>,
    /// The derived traits: `PartialEq`, `Default`, `Clone`, …
    pub derives: Vec<Ident>,
    /// Of an enum with data: its variants. `fields` has those of all variants, in order.
    pub variants: Option<Variants>,
    /// The numbers of its nodes.
    pub counts: Counts,
    /// Its scope.
    pub scope: Scope,
}

/// The variants of an enum with data, which is a struct of a discriminant and the variants' fields.
pub struct Variants {
    /// The type of the discriminant: an enum without data that has the same variants.
    pub tag: EnumDeclId,
    /// The variants.
    pub list: Vec<Variant>,
}

/// A variant of an enum with data.
pub struct Variant {
    /// Its name.
    pub name: Ident,
    /// Its form.
    pub form: VariantForm,
    /// Its fields among those of the enum.
    pub fields: Range<usize>,
}

/// The form of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantForm {
    /// `V`
    Unit,
    /// `V(…)`
    Tuple,
    /// `V { … }`
    Named,
}

impl Struct {
    /// The variant with this index, if it is an enum.
    pub fn variant(&self, index: usize) -> Option<&Variant> {
        self.variants.as_ref()?.list.get(index)
    }

    /// The fields of a variant.
    pub fn variant_fields(&self, variant: &Variant) -> &[(syn::Member, Type)] {
        &self.fields[variant.fields.clone()]
    }

    /// The noun for it in messages.
    pub fn noun(&self) -> &'static str {
        if self.variants.is_some() { "enum" } else { "struct" }
    }
}

/// An enum without data.
pub struct Enum {
    /// Its name.
    pub name: Ident,
    /// `#[repr(u8)]` and the like; `bool` for the discriminant of an enum with data that has two variants.
    pub repr: Option<Scalar>,
    /// Variants, with their discriminants as written; these are constants.
    pub variants: Vec<(Ident, Option<ConstDeclId>)>,
    /// The variant with `#[default]`.
    pub default: Option<usize>,
    /// The derived traits.
    pub derives: Vec<Ident>,
    /// The scope that it is declared in.
    pub scope: Scope,
}

/// `impl … Type { … }`, `impl Add for Type { … }`.
pub struct Impl {
    /// Its generic parameters.
    pub generics: Vec<GenericParam>,
    /// The implementing type.
    pub self_ty: Type,
    /// The trait, with its arguments: `Mul<f32>`. One of `core::ops` (operators), `Default`, `Clone`, `PartialEq`, `PartialOrd`,
    /// `From`, or of the user's own.
    pub of_trait: Option<(TraitName, Vec<GenericArg>)>,
    /// Of a trait of the user's own.
    pub of_own_trait: bool,
    /// Functions and constants that its trait provides, and it leaves as they are.
    pub provided: Vec<Ident>,
    /// Is what a `derive` of an order stands for: it counts only for types that the language does not compare by itself.
    pub is_derived: bool,
    /// `type Output = …;`
    pub outputs: Vec<(Ident, Type)>,
    /// Functions and methods by name.
    pub functions: Vec<(Ident, FunctionId)>,
    /// Associated constants by name.
    pub consts: Vec<(Ident, ConstDeclId)>,
    /// The numbers of its nodes.
    pub counts: Counts,
    /// Its scope.
    pub scope: Scope,
}

/// `type Name<…> = …;`
pub struct Alias {
    /// Its name.
    pub name: Ident,
    /// Its generic parameters.
    pub generics: Vec<GenericParam>,
    /// The aliased type.
    pub ty: Type,
    /// The numbers of its nodes.
    pub counts: Counts,
    /// Its scope.
    pub scope: Scope,
}

/// `const NAME: T = …;` in a module, a block or an impl, or an enum's discriminant.
pub struct Const {
    /// Its name.
    pub name: Ident,
    /// The impl that it belongs to.
    pub owner: Option<ImplId>,
    /// Its type.
    pub ty: Type,
    /// Its initial value.
    pub init: Expr,
    /// True for a string, which only the host reads: type and initial value are `()` here.
    pub is_text: bool,
    /// The function that makes the value where it holds closures: a use of the constant is a call. Type and initial value are `()` here.
    pub function: Option<FunctionId>,
    /// Variables of blocks in the initial value.
    pub locals: Vec<Local>,
    /// The expressions inside of `unsafe` blocks, by their numbers.
    pub unsafe_exprs: Vec<Range<usize>>,
    /// The numbers of its nodes.
    pub counts: Counts,
    /// Its scope.
    pub scope: Scope,
}

/// A variable or parameter.
pub struct Local {
    /// Its name.
    pub name: Ident,
    /// Declared `mut`.
    pub mutable: bool,
    /// The construct that declares it.
    pub origin: Origin,
}

/// The construct that declares a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A parameter of the function.
    Param,
    /// A parameter of a closure.
    ClosureParam,
    /// A pattern of `let` with an initial value, of `match`, `if let`, `for`.
    Pattern,
    /// `let` without an initial value.
    LetUninit,
}

/// A closure.
pub struct Closure {
    /// Its parameters, with their types where they are written.
    pub params: Vec<(Pattern, Option<Type>)>,
    /// Its result where it is written.
    pub result: Option<Type>,
    /// `move`
    pub moves: bool,
    /// The body.
    pub body: Box<Expr>,
    /// A call of it may do more than compute its value, as far as the text tells.
    pub has_effects: bool,
}

/// A type as written.
pub struct Type {
    /// Its number.
    pub id: TypeId,
    /// Its kind.
    pub kind: TypeKind,
    /// Its location in the source.
    pub loc: Loc,
}

/// The types.
pub enum TypeKind {
    /// A name with generic arguments: a scalar, `Option<T>`, `F32x4`, a struct, an enum, a type parameter, `Self`, an alias,
    /// `Self::Output`, `Shared<T>`.
    Path {
        /// The names.
        path: syn::Path,
        /// The arguments of the last name.
        args: Vec<GenericArg>,
        /// True in an expression or a pattern, where arguments that are left out are inferred; elsewhere they are the defaults.
        is_value: bool,
    },
    /// `()`, `(A, B)`
    Tuple(Vec<Type>),
    /// `[T; N]`
    Array {
        /// The element type.
        element: Box<Type>,
        /// The length: a constant expression.
        len: Box<Expr>,
    },
    /// `&[T]`, `&mut [T]`
    Slice {
        /// The element type.
        element: Box<Type>,
        /// `&mut`
        mutable: bool,
    },
    /// `[T]`, as `type Target = [T];` has it.
    Unsized(Box<Type>),
    /// `&T`, `&mut T`
    Ref {
        /// The referent's type.
        inner: Box<Type>,
        /// `&mut`
        mutable: bool,
    },
    /// `*const T`, `*mut T`
    Ptr {
        /// The pointee type.
        inner: Box<Type>,
        /// `*mut`
        mutable: bool,
    },
    /// `impl Fn(A, B) -> C` in a parameter: an unnamed type parameter.
    ImplFn {
        /// The parameter types.
        params: Vec<Type>,
        /// The result type.
        result: Option<Box<Type>>,
    },
    /// `fn(A, B) -> C` anywhere but as the whole type of a function's parameter, where it is an [`ImplFn`](TypeKind::ImplFn).
    FnPtr {
        /// The parameter types.
        params: Vec<Type>,
        /// The result type.
        result: Option<Box<Type>>,
    },
    /// `impl Trait`: in a parameter an unnamed type parameter, as a result the type of the body.
    ImplTrait {
        /// `T` of `impl Iterator<Item = T>`.
        item: Option<Box<Type>>,
        /// The traits among its bounds.
        bounds: Vec<TraitName>,
        /// `T` of a bound `Into<T>`.
        into: Option<Box<Type>>,
    },
    /// `T as Trait` before an associated name.
    Qualified {
        /// The type.
        of: Box<Type>,
        /// The trait.
        of_trait: TraitName,
        /// Its arguments, as far as they are plain: `u32` of `T as Op<u32>`.
        args: Vec<GenericArg>,
    },
    /// `<X as Trait>::Name` of a type that is no single name.
    Projected {
        /// The type.
        of: Box<Type>,
        /// The trait.
        of_trait: TraitName,
        /// Its arguments, as far as they are plain.
        args: Vec<GenericArg>,
        /// The name of the associated type.
        name: Ident,
    },
    /// `_`
    Infer,
}

impl Type {
    /// The parts of the type of a function's parameter or result that are `impl Trait`, in order.
    pub fn opaque_parts(&self) -> Vec<&Type> {
        match &self.kind {
            TypeKind::ImplFn { .. } | TypeKind::ImplTrait { .. } => vec![self],
            TypeKind::Path { args, .. } => {
                let types = args.iter().filter_map(|arg| match arg {
                    GenericArg::Type(ty) => Some(ty),
                    GenericArg::Const(_) => None,
                });
                types.flat_map(Type::opaque_parts).collect()
            }
            TypeKind::Tuple(parts) => parts.iter().flat_map(Type::opaque_parts).collect(),
            TypeKind::Array { element: of, .. }
            | TypeKind::Slice { element: of, .. }
            | TypeKind::Unsized(of)
            | TypeKind::Ref { inner: of, .. } => of.opaque_parts(),
            _ => Vec::new(),
        }
    }
}

/// A block. Its value is that of its last expression.
pub struct Block {
    /// The items it declares: functions, structs, enums, constants, aliases; visible in the whole block.
    pub items: Vec<Item>,
    /// `use path::*` in it.
    pub globs: Vec<syn::Path>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The last expression, without a semicolon.
    pub value: Option<Box<Expr>>,
    /// Both braces and what is between.
    pub loc: Loc,
}

/// The attributes of a loop, as parsed.
#[derive(Default)]
pub struct LoopAttrs {
    /// `#[unroll]`, `#[unroll(n)]`
    pub unroll: Option<LoopAttr>,
    /// `#[ilp(n)]`
    pub ilp: Option<LoopAttr>,
    /// `#[prefetch(n)]`
    pub prefetch: Option<LoopAttr>,
}

impl LoopAttrs {
    /// Those that are there, with their names.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &LoopAttr)> {
        let all = [("unroll", &self.unroll), ("ilp", &self.ilp), ("prefetch", &self.prefetch)];
        all.into_iter().filter_map(|(name, attr)| Some((name, attr.as_ref()?)))
    }
}

/// An attribute of a loop.
pub struct LoopAttr {
    /// The number in parentheses: a constant expression.
    pub count: Option<Box<Expr>>,
    /// The attribute.
    pub loc: Loc,
}

/// `#[predicate]` or `#[branch]` on an `if`.
#[derive(Clone, Copy, Debug)]
pub struct BranchAttr {
    /// `#[predicate]`
    pub predicate: bool,
    /// The attribute.
    pub loc: Loc,
}

/// A statement.
#[allow(clippy::large_enum_variant)] // most are the large one
pub enum Stmt {
    /// `let pattern: ty = init else { … };`
    Let {
        /// The pattern.
        pattern: Pattern,
        /// Its type as written.
        ty: Option<Type>,
        /// Its initial value.
        init: Option<Expr>,
        /// The `else` block, which runs if the pattern does not match.
        otherwise: Option<Block>,
        /// The statement.
        loc: Loc,
    },
    /// An expression and whether a semicolon follows.
    Expr {
        /// The expression.
        expr: Expr,
        /// `;`
        semicolon: bool,
    },
}

/// A pattern.
pub struct Pattern {
    /// Its number.
    pub id: PatId,
    /// Its kind.
    pub kind: PatKind,
    /// Its location in the source.
    pub loc: Loc,
}

/// The patterns.
pub enum PatKind {
    /// `_`
    Wild,
    /// `..` among the parts of a tuple, struct or slice pattern.
    Rest,
    /// `x`, `mut x`, `ref x`, `x @ pattern`. A plain name may also be that of a constant or unit struct: resolution tells.
    Bind {
        /// The variable, if it is one.
        local: LocalId,
        /// `ref`, `ref mut`
        by_ref: Option<bool>,
        /// `@ pattern`
        inner: Option<Box<Pattern>>,
    },
    /// A literal or a negated one.
    Literal(Box<Expr>),
    /// `f32::MAX`, `Self::ZERO`, `E::A`: a constant or variant with a path. (A plain name is a `Bind`.)
    Path {
        /// The names.
        path: syn::Path,
        /// All but the last of the names, as in [`ExprKind::Path`].
        of: Option<Box<Type>>,
    },
    /// `a..=b`, `a..b`, `a..`, `..=b`: literals and constants.
    Range {
        /// First.
        start: Option<Box<Expr>>,
        /// Last.
        end: Option<Box<Expr>>,
        /// `..=`
        inclusive: bool,
    },
    /// `(a, .., b)`
    Tuple(Vec<Pattern>),
    /// `S(a, ..)`, `Some(x)`
    TupleStruct {
        /// The struct, `Self`, or `Some`.
        path: syn::Path,
        /// The parts.
        parts: Vec<Pattern>,
    },
    /// `S { a, b: pattern, .. }`
    Struct {
        /// The struct, `Self` or an alias.
        ty: Type,
        /// Fields with their patterns.
        fields: Vec<(syn::Member, Pattern)>,
        /// `..`
        rest: bool,
    },
    /// `[a, rest @ .., b]`
    Slice(Vec<Pattern>),
    /// `&pattern`, `&mut pattern`
    Ref {
        /// The pattern of the referent.
        inner: Box<Pattern>,
        /// `&mut`
        mutable: bool,
    },
    /// `a | b`. The same names in each are the same variables: those of the first.
    Or(Vec<Pattern>),
}

/// An expression.
pub struct Expr {
    /// Its number.
    pub id: ExprId,
    /// Its kind.
    pub kind: ExprKind,
    /// Its location in the source.
    pub loc: Loc,
}

impl Expr {
    /// The location at which rustc reports a panic of this expression: for a method call the method's name.
    pub fn place(&self) -> proc_macro2::Span {
        match &self.kind {
            ExprKind::Method { name, .. } => name.span(),
            _ => self.loc.start,
        }
    }
}

/// A literal, its value not yet of a type.
pub enum Literal {
    /// `true`, `false`
    Bool(bool),
    /// `255`, `0xff_u8`
    Int {
        /// The number; `None` if it does not fit 128 bits.
        value: Option<u128>,
        /// The suffix.
        suffix: Option<Scalar>,
    },
    /// `'a'`, `1_u128`: of a type that the library declares.
    Primitive {
        /// The type.
        ty: &'static str,
        /// The number; `None` if it does not fit 128 bits.
        value: Option<u128>,
    },
    /// `1.5`, `1e3_f32`, `1f32`
    Float {
        /// The digits without suffix and underscores.
        digits: String,
        /// The suffix.
        suffix: Option<Scalar>,
    },
}

/// The expressions.
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// A name: variable, constant, function, unit struct, variant, `T::CONST`. With generic arguments after the last name.
    Path {
        /// The names. Of `<T>::NAME` only the last.
        path: syn::Path,
        /// All but the last of the names, if there are more, as a type: `Vec3` of `Vec3::new`, `[f32; 4]` of `<[f32; 4]>::len`. It is
        /// one only if the meaning of the whole is [`crate::resolve::Meaning::Associated`].
        of: Option<Box<Type>>,
        /// `::<…>`
        generics: Option<Generics>,
    },
    /// `-a`, `!a`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        arg: Box<Expr>,
    },
    /// `*a`
    Deref(Box<Expr>),
    /// `&a`, `&mut a`. Of an index by a range it is a part of a slice.
    Ref {
        /// The place.
        place: Box<Expr>,
        /// `&mut`
        mutable: bool,
    },
    /// `a + b`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left.
        lhs: Box<Expr>,
        /// Right.
        rhs: Box<Expr>,
    },
    /// `a && b`, `a || b`
    Logical {
        /// `&&`
        and: bool,
        /// Left.
        lhs: Box<Expr>,
        /// Right.
        rhs: Box<Expr>,
    },
    /// `arg as ty`
    Cast {
        /// The operand.
        arg: Box<Expr>,
        /// The target type.
        ty: Type,
    },
    /// `base.name`, `base.0`
    Field {
        /// The value or place.
        base: Box<Expr>,
        /// The field's name or index.
        member: syn::Member,
    },
    /// `base[index]`; the index may be a [`ExprKind::Range`].
    Index {
        /// The value or place.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `a..b`, `a..=b`, `a..`, `..b`, `..`: the iterator of a loop, an index, or the receiver of an iterator's method.
    Range {
        /// First.
        start: Option<Box<Expr>>,
        /// Last.
        end: Option<Box<Expr>>,
        /// `..=`
        inclusive: bool,
    },
    /// `()`, `(a, b)`
    Tuple(Vec<Expr>),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `[value; len]`
    Repeat {
        /// The repeated value.
        value: Box<Expr>,
        /// The length: a constant expression.
        len: Box<Expr>,
    },
    /// `S { a, b: value, ..base }`
    Struct {
        /// The struct, `Self` or an alias.
        ty: Type,
        /// Fields with their values, in the order of the text.
        fields: Vec<(syn::Member, Expr)>,
        /// `..base`
        base: Option<Box<Expr>>,
    },
    /// `callee(args)`: the callee is mostly a path: a function, `S` of a tuple struct, `Some`, a variable with a closure.
    Call {
        /// The callee.
        callee: Box<Expr>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `receiver.name::<…>(args)`
    Method {
        /// The receiver.
        receiver: Box<Expr>,
        /// The name.
        name: Ident,
        /// `::<…>`
        generics: Option<Generics>,
        /// The arguments.
        args: Vec<Expr>,
        /// Stands for a function of a standard trait, `Ord::max(a, b)`: a method that a type has without a trait is not meant.
        of_traits: bool,
    },
    /// `|a, b| body`
    Closure(ClosureId),
    /// `place = value`. The left side may be a tuple, array or struct of places, and `_`.
    Assign {
        /// The place on the left of `=`.
        place: Box<Expr>,
        /// The assigned value.
        value: Box<Expr>,
    },
    /// `_` on the left of `=`.
    Underscore,
    /// `place op= value`
    AssignOp {
        /// The operator.
        op: BinaryOp,
        /// The place on the left.
        place: Box<Expr>,
        /// The right operand.
        value: Box<Expr>,
    },
    /// `{ … }`
    Block(Block),
    /// `'a: { … }`
    Labeled {
        /// Its number.
        id: LoopId,
        /// Its label.
        label: syn::Lifetime,
        /// The block.
        body: Block,
    },
    /// `if cond { … } else …`; the condition may hold [`ExprKind::Let`]s joined by `&&`.
    If {
        /// The condition.
        cond: Box<Expr>,
        /// The block that runs if the condition holds.
        then: Block,
        /// A block or another `if`.
        otherwise: Option<Box<Expr>>,
        /// `#[predicate]`, `#[branch]`
        attr: Option<BranchAttr>,
    },
    /// `let pattern = value` in a condition; also what `matches!` becomes, with its guard joined by `&&`.
    Let {
        /// The pattern.
        pattern: Pattern,
        /// The scrutinee.
        value: Box<Expr>,
    },
    /// `match value { … }`; also what `value?` becomes, with the arms of both types that it may stand behind:
    /// `Some(value) => value, None => return None` of an `Option`, then `Ok(value) => value,
    /// Err(error) => return Err(error.into())` of a `Result`. Inference finds which two count.
    Match {
        /// The scrutinee.
        value: Box<Expr>,
        /// The arms.
        arms: Vec<Arm>,
        /// `#[predicate]`, `#[branch]`
        attr: Option<BranchAttr>,
        /// Written as `value?`.
        question_mark: bool,
    },
    /// `loop { … }`
    Loop {
        /// Its number.
        id: LoopId,
        /// Its label.
        label: Option<syn::Lifetime>,
        /// The body.
        body: Block,
    },
    /// `while cond { … }`; the condition as that of `if`.
    While {
        /// Its number.
        id: LoopId,
        /// Its label.
        label: Option<syn::Lifetime>,
        /// The condition.
        cond: Box<Expr>,
        /// The body.
        body: Block,
    },
    /// `for pattern in iter { … }`
    For {
        /// Its number.
        id: LoopId,
        /// Its label.
        label: Option<syn::Lifetime>,
        /// The pattern that destructures each item.
        pattern: Pattern,
        /// The iterator: a range, an array, a reference to one, a slice, or an iterator's method.
        iter: Box<Expr>,
        /// The body.
        body: Block,
    },
    /// `break 'a value`
    Break {
        /// The label.
        label: Option<syn::Lifetime>,
        /// The loop's value.
        value: Option<Box<Expr>>,
    },
    /// `continue 'a`
    Continue {
        /// The label.
        label: Option<syn::Lifetime>,
    },
    /// `return value`
    Return(Option<Box<Expr>>),
    /// `inline_ptx!("…", …)`: the value is what it writes, one or a tuple of all, in order.
    InlinePtx(Box<InlinePtx>),
    /// `panic!`, `unreachable!`, `todo!`; what `assert!` does when it fails; a string literal, which stands only in `expect`.
    Panic(Message),
    /// `assert_eq!`, `assert_ne!` and their `debug_` forms.
    AssertCompare {
        /// `left == right`
        holds: Box<Expr>,
        /// The panic message. `assert_eq!` and `assert_ne!` add the two values to it as `left` and `right`.
        message: Message,
    },
    /// `println!` and its like.
    Print {
        /// The output of the host.
        to: Output,
        /// The printed message, its newline included.
        message: Message,
    },
}

/// A format string and its arguments.
pub struct Message {
    /// The format string, as `format!` takes it.
    pub text: String,
    /// Its arguments in order; variables that the text names follow those that were written.
    pub args: Vec<MessageArg>,
}

/// An argument of a format string.
pub struct MessageArg {
    /// The name that the text knows it by, if it has one.
    pub name: Option<String>,
    /// The value.
    pub value: Expr,
    /// The placeholders that use it, at least one.
    pub uses: Vec<MessageUse>,
}

/// The form of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageUse {
    /// `{}`
    Display,
    /// `{:?}`
    Debug,
    /// As such a format of integers.
    Int(&'static str),
    /// As such a format of numbers.
    Number(&'static str),
    /// A width or precision: a `usize`.
    Count,
}

/// PTX of the user's own.
pub struct InlinePtx {
    /// Its text.
    pub template: Vec<InlinePiece>,
    /// The string literal that each line of the text is from.
    pub lines: Vec<Loc>,
    /// The operands as users know them: `{a}`, `{0}`.
    pub names: Vec<String>,
    /// The operands.
    pub operands: Vec<InlineOperand>,
    /// `options(pure)`
    pub pure: bool,
    /// `options(nomem)`
    pub nomem: bool,
    /// `cpu = …`: what the CPU copy has in its place.
    pub cpu: Option<Box<Expr>>,
}

/// A piece of the text.
pub enum InlinePiece {
    /// As it is.
    Text(String),
    /// An operand, by its index.
    Operand(usize),
}

/// An operand of PTX of the user's own.
#[allow(clippy::large_enum_variant)] // there are few
pub enum InlineOperand {
    /// Read: a variable.
    In(Expr),
    /// Written.
    Out(Type),
    /// Both.
    InOut(Expr, Type),
    /// A number in the text: a constant expression.
    Const(Expr),
}

/// `pattern if guard => body`
pub struct Arm {
    /// The pattern.
    pub pattern: Pattern,
    /// The guard.
    pub guard: Option<Expr>,
    /// The body.
    pub body: Expr,
}

/// Generic arguments after `::`.
pub struct Generics {
    /// The arguments.
    pub args: Vec<GenericArg>,
    /// From `::` to `>`.
    pub loc: Loc,
}
