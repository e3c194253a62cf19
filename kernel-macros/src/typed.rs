//! The typed tree: what checking produces, and all that lowering and the CPU copy read.
//!
//! Every name is resolved, every type is known, every expression has the span of the tokens it came from. Generics are
//! gone: each instance of a function is a [`Function`] of its own. What Rust does silently is written out: references that
//! are taken or followed for a method call, arrays that become slices, operators of the user's own types that are calls.
//! Nothing in it is refused any more: later phases do not report errors.
//!
//! **Places and values.** `Local`, `Index`, `Field` of a place and `Deref` are places; every
//! other expression is a value. A place that stands where a value is wanted is read (all types of the language are plain
//! data and are copied). `Ref` takes a place, or a value, which then lives in a temporary until the enclosing block ends.

use proc_macro2::{Ident, Span};

pub use crate::ast::BranchAttr;
use crate::atomics::{Atomic, AtomicOp, Ordering, Scope};
use crate::attrs::KernelAttrs;
use crate::builtins::Builtin;
use crate::diagnostics::Loc;

/// A kernel: one instance of it, and everything that it calls.
pub struct Kernel {
    /// The function's name.
    pub name: Ident,
    /// The arguments of `#[kernel(…)]`.
    pub attrs: KernelAttrs,
    /// The generic arguments of this instance, in order; empty if the kernel is not generic.
    pub instance: Vec<GenericArg>,
    /// The user's structs, instances each, by [`StructId`].
    pub structs: Vec<StructDef>,
    /// The user's enums, by [`EnumId`].
    pub enums: Vec<EnumDef>,
    /// The kernel's own function first, then the device functions and methods that are reached from it, by [`FnId`]. None
    /// calls itself, directly or not: lowering puts each call's body in place.
    pub functions: Vec<Function>,
}

impl Kernel {
    /// The kernel's own function: its parameters are the kernel's, its value is `()`.
    pub fn entry(&self) -> &Function {
        &self.functions[0]
    }

    /// The function with this index.
    pub fn function(&self, id: FnId) -> &Function {
        &self.functions[id.0]
    }

    /// All formats, in the order of their numbers.
    pub fn formats(&self) -> impl Iterator<Item = &Format> {
        self.functions.iter().flat_map(|function| &function.formats)
    }

    /// The number of a function's format among those of the kernel.
    pub fn format_number(&self, function: FnId, format: FormatId) -> usize {
        let before = &self.functions[..function.0];
        before.iter().map(|function| function.formats.len()).sum::<usize>() + format.0
    }
}

/// A generic argument of a kernel's instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GenericArg {
    /// For `T`.
    Type(Ty),
    /// For `const N: usize` and its like.
    Const(ConstValue),
}

/// A function, monomorphic.
pub struct Function {
    /// Its name as written.
    pub name: Ident,
    /// Number of parameters among `locals`; they come first, in order, `self` included.
    pub param_count: usize,
    /// Parameters, then every variable that the body and its closures bind. Shadowing makes two.
    pub locals: Vec<Local>,
    /// The constants that it uses: its own, those of its module, associated ones; evaluated for this instance.
    pub consts: Vec<Const>,
    /// The closures in its body.
    pub closures: Vec<Closure>,
    /// The attributes of its loops, by [`LoopId`]; `None` for most.
    pub loops: Vec<Option<LoopAttr>>,
    /// The texts with values in them that it panics with or prints, by [`FormatId`].
    pub formats: Vec<Format>,
    /// The type of its value.
    pub result: Ty,
    /// The body.
    pub body: Block,
    /// Set for functions of the compiler's own device library: their spans are not in the user's text, so code inlined from them has
    /// the location of the call.
    pub is_library: bool,
    /// Operators on integers, and what is defined by them, panic when they overflow. Of the library only functions that
    /// stand for ones of Rust's that do so have it.
    pub checks_overflow: bool,
}

impl Function {
    /// The parameters, in order.
    pub fn params(&self) -> &[Local] {
        &self.locals[..self.param_count]
    }

    /// The variable with this index.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0]
    }
}

/// Searches a type and the parts of its values, which are fields and elements, in this order.
pub fn find_part<R>(ty: &Ty, structs: &[StructDef], find: &impl Fn(&Ty) -> Option<R>) -> Option<R> {
    find(ty).or_else(|| match ty {
        Ty::Struct(id) => structs[id.0].fields.iter().find_map(|field| find_part(&field.ty, structs, find)),
        Ty::Tuple(parts) => parts.iter().find_map(|part| find_part(part, structs, find)),
        Ty::Array(inner, _) | Ty::Option(inner) => find_part(inner, structs, find),
        Ty::Unit
        | Ty::Never
        | Ty::Scalar(_)
        | Ty::Dim3
        | Ty::Enum(_)
        | Ty::Atomic(_)
        | Ty::Vector(..)
        | Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => None,
    })
}

/// Returns true if a type or a part of its values is such a one.
pub fn holds(ty: &Ty, structs: &[StructDef], is: impl Fn(&Ty) -> bool) -> bool {
    find_part(ty, structs, &|part| is(part).then_some(())).is_some()
}

/// Returns true if a type and all that it holds have an order that is the language's or derived, and hold no references, which are
/// compared by functions.
pub fn is_ordered(ty: &Ty, structs: &[StructDef]) -> bool {
    !holds(ty, structs, |part| match part {
        Ty::Struct(id) => !structs[id.0].ordered,
        Ty::Ref { .. } | Ty::Slice { .. } => true,
        _ => false,
    })
}

/// A text with values in it, of a panic or of a print.
pub struct Format {
    /// The format string, as `format!` takes it.
    pub text: String,
    /// Its arguments, in order.
    pub args: Vec<FormatArg>,
    /// The output that it is printed to; `None` for a panic, which goes into the launch's error.
    pub output: Option<Output>,
}

/// An argument of a format.
pub struct FormatArg {
    /// The name that the text knows it by, if it has one.
    pub name: Option<String>,
    /// The text takes it for a width or a precision.
    pub is_count: bool,
    /// A type that can be shown: scalars, enums, vectors, and tuples, arrays, structs and `Option`s of these.
    pub ty: Ty,
}

/// One of the host's outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// That of `println!`.
    Stdout,
    /// That of `eprintln!`.
    Stderr,
}

/// A closure. It never escapes: it is called, or handed to a function or iterator that calls it, while the variables that
/// it mentions live. Its body refers to the enclosing function's variables by their [`LocalId`]s.
pub struct Closure {
    /// Its parameters; patterns are taken apart at the start of the body.
    pub params: Vec<LocalId>,
    /// The type of its value.
    pub result: Ty,
    /// `move`: variables that it mentions are copied when the closure is made.
    pub captures: Option<Vec<LocalId>>,
    /// Without `move`: references that it mentions and does not assign to. They are copied, too, as rustc's closures capture what a
    /// reference refers to: such a closure may outlive the variable, which may refer to something else later.
    pub references: Vec<LocalId>,
    /// The body.
    pub body: Box<Expr>,
}

impl Closure {
    /// The variables that are copied when the closure is made.
    pub fn copied(&self) -> impl Iterator<Item = LocalId> {
        self.captures.iter().flatten().chain(&self.references).copied()
    }
}

/// A struct, or an instance of a generic one.
#[derive(Debug)]
pub struct StructDef {
    /// The path in the user's own code, instance arguments included: `Vec3`, `Complex<f32>`.
    pub path: proc_macro2::TokenStream,
    /// Its name, for messages and PTX.
    pub name: String,
    /// Its fields, in the order of declaration, which is the order in memory (`repr(C)`). Of an enum with data the first is
    /// the discriminant, the others are what its variants hold: those of different variants share one if they have one
    /// type and are not in a union, and one that the variant does not have is zero.
    pub fields: Vec<Field>,
    /// Of an enum with data: its variants, by their indices in the discriminant's [`EnumDef`]. Empty for structs.
    pub variants: Vec<VariantDef>,
    /// `#[repr(C)]` or `#[repr(transparent)]`: may be a kernel's parameter. Of an enum with data: `#[repr(C, u32)]`.
    pub repr_c: bool,
    /// `#[derive(Element)]`: may be an element of a slice.
    pub is_element: bool,
    /// `#[repr(align(n))]`.
    pub align: Option<u32>,
    /// `#[derive(Debug)]`: how messages show it is known.
    pub shown: bool,
    /// `#[derive(PartialOrd)]`.
    pub ordered: bool,
    /// `core::cmp::Reverse`: its order is that of its field the other way round.
    pub reversed: bool,
    /// A field has a pointer to a function in it, which is a number here and something else to the host.
    pub holds_pointer: bool,
    /// The device library has it.
    pub is_library: bool,
    /// The extent of its values; `None` while its fields are computed. Cached, because structs may nest deeply.
    pub extent: Option<Extent>,
}

impl StructDef {
    /// Returns true for an enum whose variants share their bytes in memory.
    pub fn is_union(&self) -> bool {
        self.repr_c && !self.variants.is_empty()
    }
}

/// A variant of an enum with data.
#[derive(Debug)]
pub struct VariantDef {
    /// Its name.
    pub name: Ident,
    /// `V(…)` or `V`, not `V { … }`.
    pub is_tuple: bool,
    /// Its fields: the name of each, and its index among those of the enum.
    pub fields: Vec<(syn::Member, usize)>,
}

/// The size of a type's values; numbers saturate at 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes in memory.
    pub bytes: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// SSA values.
    pub scalars: u64,
    /// True if the type contains an array.
    pub has_array: bool,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name or number.
    pub member: syn::Member,
    /// Its type.
    pub ty: Ty,
}

/// An enum whose variants hold nothing.
#[derive(Debug)]
pub struct EnumDef {
    /// The path in the user's own code.
    pub path: proc_macro2::TokenStream,
    /// Its name.
    pub name: String,
    /// The integer that it is in memory and by `as`; `isize`'s values fit 32 bits unless `repr` says otherwise.
    pub repr: Scalar,
    /// Variants with their numbers.
    pub variants: Vec<(Ident, i128)>,
    /// `#[derive(Debug)]`: how messages show it is known.
    pub shown: bool,
    /// Its integer is written, `#[repr(u32)]`.
    pub has_repr: bool,
    /// `#[derive(Element)]` without a `repr`, which the derive reports.
    pub lacks_repr: bool,
}

/// Index of a [`Function`] in its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FnId(pub usize);

/// Index of a [`Closure`] in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClosureId(pub usize);

/// Index of a [`StructDef`] in its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub usize);

/// Index of an [`EnumDef`] in its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub usize);

/// Index of a [`Local`] in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub usize);

/// Index of a [`Format`] in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatId(pub usize);

/// Index of a [`Const`] in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(pub usize);

/// A loop or labelled block, for `break` and `continue` to name; numbered in the order of the text, by function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub usize);

/// An attribute of a loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopAttr {
    /// The request.
    pub ask: LoopAsk,
    /// The attribute.
    pub loc: Loc,
}

/// The request of a loop attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopAsk {
    /// `#[unroll]`: full unrolling, one copy of the body for each iteration, and no loop.
    Whole,
    /// `#[unroll(n)]`: unrolling by this factor, at least two.
    By(u32),
    /// `#[unroll(1)]`: no unrolling.
    Stay,
    /// `#[ilp(n)]`: this number of independent chains, at least two.
    Chains(u32),
    /// `#[prefetch(n)]`: loads this number of iterations ahead, at least one.
    Ahead(u32),
}

/// A variable or parameter.
pub struct Local {
    /// Its name as written.
    pub name: Ident,
    /// Its type.
    pub ty: Ty,
    /// Declared `mut`.
    pub mutable: bool,
    /// Its type has pointers to functions in it, which are numbers here and something else to the user.
    pub holds_pointer: bool,
}

/// A constant that a function uses.
pub struct Const {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Ty,
    /// Its value.
    pub value: Constant,
}

/// The value of a constant of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A scalar, or the number of an enum's variant in its `repr`.
    Scalar(ConstValue),
    /// The fields of a struct or tuple, the elements of an array, the lanes of a vector; `()` has none.
    Aggregate(Vec<Constant>),
    /// An `Option`.
    Option(Option<Box<Constant>>),
}

impl Constant {
    /// Number of nodes in the tree of the value; at least 1.
    pub fn scalars(&self) -> u64 {
        match self {
            Constant::Scalar(_) | Constant::Option(None) => 1,
            Constant::Aggregate(parts) => 1 + parts.iter().map(Constant::scalars).sum::<u64>(),
            Constant::Option(Some(value)) => 1 + value.scalars(),
        }
    }
}

/// A constant of a scalar type, by its bits; `bool` is 0 or 1, integers are cut to their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConstValue {
    /// Its type.
    pub ty: Scalar,
    /// Its bits; zero above the type's width.
    pub bits: u64,
}

impl ConstValue {
    /// Its value as an integer.
    pub fn integer(self) -> i128 {
        let shift = 64 - self.ty.bits().min(64);
        match self.ty.is_signed() {
            true => i128::from(((self.bits << shift) as i64) >> shift),
            false => i128::from(self.bits),
        }
    }
}

/// Rust's scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F16,
    Bf16,
    F32,
    F64,
}

impl Scalar {
    /// Every scalar with its name in Rust and its width in bits; `usize` is 64 bits wide, as on the host.
    pub const TABLE: &[(Scalar, &str, u32)] = &[
        (Scalar::Bool, "bool", 1),
        (Scalar::I8, "i8", 8),
        (Scalar::I16, "i16", 16),
        (Scalar::I32, "i32", 32),
        (Scalar::I64, "i64", 64),
        (Scalar::Isize, "isize", 64),
        (Scalar::U8, "u8", 8),
        (Scalar::U16, "u16", 16),
        (Scalar::U32, "u32", 32),
        (Scalar::U64, "u64", 64),
        (Scalar::Usize, "usize", 64),
        (Scalar::F16, "f16", 16),
        (Scalar::Bf16, "bf16", 16),
        (Scalar::F32, "f32", 32),
        (Scalar::F64, "f64", 64),
    ];

    /// The scalar with this name.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Self::TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Its name in Rust.
    pub fn name(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// Its width in bits; 1 for `bool`.
    pub fn bits(self) -> u32 {
        Self::TABLE[self as usize].2
    }

    /// Returns true for integer types.
    pub fn is_int(self) -> bool {
        self != Scalar::Bool && !self.is_float()
    }

    /// Returns true for signed integer types.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    /// Returns true for floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `()`
    Unit,
    /// `!`, the type of `break`, `continue`, `return`, of a `loop` without `break`, and of a block that ends with one. It
    /// stands where a value of any type was expected only as: an initial or assigned value, a block's last expression, a
    /// branch of `if`, the value of `break`. An operand, index, argument or condition is never of this type.
    Never,
    /// A scalar.
    Scalar(Scalar),
    /// The result type of `thread_idx()` and its like: fields `x`, `y`, `z` of type `usize`.
    Dim3,
    /// `(A, B)`; never empty.
    Tuple(Vec<Ty>),
    /// `[T; N]`.
    Array(Box<Ty>, u64),
    /// A struct.
    Struct(StructId),
    /// An enum without data.
    Enum(EnumId),
    /// `Option<T>`.
    Option(Box<Ty>),
    /// `AtomicU32` and its like: of places only, for nothing reads them whole.
    Atomic(Atomic),
    /// `F32x4` and its like: the lanes' type and their number. `f16` and `bf16` ones have 2, 4 or 8 lanes, the others 2 or
    /// 4, of at most 16 bytes in all.
    Vector(Scalar, u32),
    /// `&T`, `&mut T`; never of a slice.
    Ref {
        /// The referent's type.
        inner: Box<Ty>,
        /// `&mut`.
        mutable: bool,
    },
    /// `*const T`, `*mut T`
    Ptr {
        /// The pointee type.
        inner: Box<Ty>,
        /// `*mut`.
        mutable: bool,
    },
    /// `&[T]` or `&mut [T]`: a parameter of the kernel, a part of one, or of an array.
    Slice {
        /// Its elements: scalars, vectors, `repr_c` structs of these; within the kernel also arrays, tuples and so on.
        element: Box<Ty>,
        /// `&mut`.
        mutable: bool,
    },
    /// The result type of `shared::<T>()`: a handle to the block's variable of type `T`. `Deref` of it is that place.
    Shared(Box<Ty>),
    /// The result type of `shared_dyn::<T>()`: the block's dynamic shared memory, as many `T` as fit. It has only `len` and, after
    /// `Unsize`, the methods of slices.
    SharedDyn(Box<Ty>),
    /// The type of a closure.
    Closure {
        /// The function whose body makes it.
        owner: FnId,
        /// The closure.
        id: ClosureId,
    },
    /// The type of a function that is handed over by its name.
    Function(FnId),
}

/// A block: its value is that of its last expression, or `()`.
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The last expression, without a semicolon.
    pub value: Option<Box<Expr>>,
    /// The whole block.
    pub span: Span,
}

/// A statement.
pub enum Stmt {
    /// `let x: T;`: assigned before it is read, which rustc checks.
    Declare(LocalId),
    /// `let pattern = init;`, and with `else`. A pattern without `else` matches always.
    Let {
        /// The pattern.
        pattern: Pattern,
        /// The value, or place: bindings by reference refer to it.
        init: Expr,
        /// The `else` block, which diverges, if the pattern does not match.
        otherwise: Option<Block>,
        /// The statement.
        span: Span,
    },
    /// An expression whose value is dropped.
    Expr(Expr),
}

/// A pattern. Reference patterns and default binding modes are resolved: a pattern is tested against a place (or a value
/// that was put into a temporary); where it goes through a reference it says so.
#[derive(Clone)]
pub enum Pattern {
    /// `_`, `..`: matches, binds nothing.
    Wild,
    /// `x`, `ref x`, `x @ pattern`.
    Bind {
        /// The variable.
        local: LocalId,
        /// By value, or by reference to the place: then the variable is of type [`Ty::Ref`].
        mode: BindMode,
        /// The pattern after `@`.
        inner: Option<Box<Pattern>>,
    },
    /// The scalar or enum value equals this constant. Floats compare as `==` does.
    Constant(ConstValue),
    /// `a..=b`, `a..b`, `a..`, `..=b` of an integer or float.
    Range {
        /// First.
        start: Option<ConstValue>,
        /// Last.
        end: Option<ConstValue>,
        /// `..=`
        inclusive: bool,
    },
    /// A tuple, struct, vector or array with patterns for some of its fields or elements, by number.
    Fields(Vec<(usize, Pattern)>),
    /// `rest @ ..` of an array, in [`Fields`](Pattern::Fields) alone: the elements from its number on, as an array of this type.
    Rest {
        /// The array type.
        ty: Ty,
        /// A binding.
        pattern: Box<Pattern>,
    },
    /// A slice pattern `[a, b, .., c]` on a `Ty::Slice`, whose length must be `before.len() + after.len()`, or at least
    /// that with `rest`. (On arrays it is `Fields`.)
    Slice {
        /// From the front.
        before: Vec<Pattern>,
        /// `rest @ ..` or `..`: bound to a slice.
        rest: Option<Box<Pattern>>,
        /// From the back.
        after: Vec<Pattern>,
    },
    /// `Some(pattern)`.
    Some(Box<Pattern>),
    /// `None`.
    None,
    /// Follows the reference in this place.
    Deref(Box<Pattern>),
    /// `a | b`: binds the same variables in each.
    Or(Vec<Pattern>),
}

/// The most alternatives into which a pattern is taken apart.
const MOST_ALTERNATIVES: usize = 32;

impl Pattern {
    /// Returns true if the pattern is a single condition on the value itself and binds nothing.
    pub fn is_plain(&self) -> bool {
        match self {
            Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => true,
            Pattern::Or(alternatives) => alternatives.iter().all(Pattern::is_plain),
            Pattern::Wild
            | Pattern::Bind { .. }
            | Pattern::Fields(_)
            | Pattern::Rest { .. }
            | Pattern::Slice { .. }
            | Pattern::Some(_)
            | Pattern::Deref(_) => false,
        }
    }

    fn binds(&self) -> bool {
        match self {
            Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => false,
            Pattern::Bind { .. } => true,
            Pattern::Fields(parts) => parts.iter().any(|(_, part)| part.binds()),
            Pattern::Slice { before, rest, after } => {
                before.iter().chain(rest.as_deref()).chain(after).any(Pattern::binds)
            }
            Pattern::Some(inner) | Pattern::Deref(inner) | Pattern::Rest { pattern: inner, .. } => {
                inner.binds()
            }
            Pattern::Or(alternatives) => alternatives.iter().any(Pattern::binds),
        }
    }

    /// The patterns, without alternatives that bind, of which one matches where this does, in their order: a guard is asked for each that
    /// matches until it holds. Of very many the alternatives stay, and it is asked for the first.
    pub fn alternatives(&self) -> Vec<Pattern> {
        let all: Vec<Pattern> = match self {
            Pattern::Or(each) if self.binds() => each.iter().flat_map(Pattern::alternatives).collect(),
            Pattern::Bind { local, mode, inner: Some(inner) } => {
                let bind = |inner| Pattern::Bind { local: *local, mode: *mode, inner: Some(Box::new(inner)) };
                inner.alternatives().into_iter().map(bind).collect()
            }
            Pattern::Some(inner) => {
                inner.alternatives().into_iter().map(|inner| Pattern::Some(Box::new(inner))).collect()
            }
            Pattern::Deref(inner) => {
                inner.alternatives().into_iter().map(|inner| Pattern::Deref(Box::new(inner))).collect()
            }
            Pattern::Fields(fields) => {
                let parts = combinations(fields.iter().map(|(_, part)| part));
                let numbered =
                    |parts: Vec<Pattern>| fields.iter().map(|(index, _)| *index).zip(parts).collect();
                parts.into_iter().map(|parts| Pattern::Fields(numbered(parts))).collect()
            }
            Pattern::Slice { before, rest, after } => {
                let apart = |mut parts: Vec<Pattern>| {
                    let after = parts.split_off(before.len());
                    Pattern::Slice { before: parts, rest: rest.clone(), after }
                };
                combinations(before.iter().chain(after)).into_iter().map(apart).collect()
            }
            _ => vec![self.clone()],
        };
        if all.len() > MOST_ALTERNATIVES { vec![self.clone()] } else { all }
    }
}

/// All combinations of an alternative of each pattern.
fn combinations<'p>(parts: impl Iterator<Item = &'p Pattern>) -> Vec<Vec<Pattern>> {
    parts.fold(vec![Vec::new()], |so_far, part| {
        let mut each = part.alternatives();
        if so_far.len() * each.len() > MOST_ALTERNATIVES {
            each = vec![part.clone()];
        }
        let with = |before: &Vec<Pattern>| -> Vec<Vec<Pattern>> {
            each.iter().map(|part| before.iter().chain([part]).cloned().collect()).collect()
        };
        so_far.iter().flat_map(with).collect()
    })
}

/// The mode of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindMode {
    /// A copy.
    Value,
    /// A reference.
    Ref {
        /// `&mut`.
        mutable: bool,
    },
}

/// `pattern if guard => body`
pub struct Arm {
    /// The pattern.
    pub pattern: Pattern,
    /// A `bool`.
    pub guard: Option<Expr>,
    /// The value of the `match` if the arm is taken.
    pub body: Expr,
}

/// An expression.
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// The tokens it came from.
    pub span: Span,
}

/// The expressions.
// Labels as written are for the text in tests.
#[cfg_attr(not(test), allow(dead_code))]
pub enum ExprKind {
    /// A literal. A negative one is a `Neg` of it.
    Literal(ConstValue),
    /// A constant with a path that the language knows: `f32::INFINITY`, `u32::MAX`, `core::f32::consts::PI`.
    Path(ConstValue),
    /// A variable: a place.
    Local(LocalId),
    /// A constant of the user's. `Index` of it reads an element without copying the whole.
    Const(ConstId),
    /// A closure is made here.
    Closure(ClosureId),
    /// A function handed over by its name; `self.ty` says which.
    Function,
    /// `()`
    Unit,
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `[a, b, c]`.
    Array(Vec<Expr>),
    /// `[value; N]`.
    Repeat(Box<Expr>),
    /// `S { a, b, ..base }`, `S(a, b)`, `E::V(a, b)`: fields by number, in the order of evaluation.
    Struct {
        /// Fields that are given.
        fields: Vec<(usize, Expr)>,
        /// The struct that the other fields are copied from. Without one, fields that are not given are zero.
        base: Option<Box<Expr>>,
    },
    /// A variant of an enum, by its index in [`EnumDef::variants`].
    Variant(usize),
    /// `Some(value)`.
    Some(Box<Expr>),
    /// `None`.
    None,
    /// `base.0`, `base.name`: of a tuple, struct or vector lane, by number. A place if the base is one.
    Field {
        /// The value or place, not a reference to it.
        base: Box<Expr>,
        /// The field's index.
        index: usize,
    },
    /// `*reference`, `*pointer`, or the variable behind a [`Ty::Shared`]: a place.
    Deref(Box<Expr>),
    /// `&place`, `&mut place`; the type of the whole says which.
    Ref(Box<Expr>),
    /// A reference to an array, or a shared array or `shared_dyn`, as a slice; the type of the whole is the slice's.
    Unsize(Box<Expr>),
    /// `&base[start..end]`: a part of a slice (`base.ty` is a [`Ty::Slice`]) as a slice.
    Subslice {
        /// The slice.
        base: Box<Expr>,
        /// A `usize`; else 0.
        start: Option<Box<Expr>>,
        /// A `usize`; else the length.
        end: Option<Box<Expr>>,
        /// `..=`
        inclusive: bool,
    },
    /// `-a`, `!a`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Of the type of the whole.
        arg: Box<Expr>,
    },
    /// Arithmetic, bit operations, comparisons. Both sides have one scalar or vector type; a shift's amount has any integer
    /// type. Of vectors the operation is by lane (arithmetic only). `==` and `!=` also compare whole tuples, arrays, structs
    /// with a derived `PartialEq`, `Option`s and enums, part by part; `<` and its like also enums.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left.
        lhs: Box<Expr>,
        /// Right.
        rhs: Box<Expr>,
    },
    /// `a && b`, `a || b`: the right side runs only when it is needed.
    Logical {
        /// `&&` if true, else `||`.
        and: bool,
        /// Left.
        lhs: Box<Expr>,
        /// Right.
        rhs: Box<Expr>,
    },
    /// A float product with a sum or difference, as one fused multiply-add: `±(a * b) ± c`.
    MulAdd {
        /// Factor.
        a: Box<Expr>,
        /// Factor.
        b: Box<Expr>,
        /// Summand.
        c: Box<Expr>,
        /// `c - a * b`.
        negate_product: bool,
        /// `a * b - c`.
        negate_c: bool,
        /// The product stands left of the sum, so `a` and `b` are evaluated before `c`.
        product_first: bool,
    },
    /// `arg as T`, with `T` the type of the whole; both are scalars, or `arg` is an enum. A pointer counts as a `usize`, and so
    /// does a reference that becomes one.
    Cast(Box<Expr>),
    /// `.x`, `.y`, `.z` of a [`Ty::Dim3`]: 0, 1, 2.
    Axis {
        /// The value.
        base: Box<Expr>,
        /// 0, 1 or 2.
        axis: usize,
    },
    /// `base[index]`: an element of a place of type array, of a [`Ty::Slice`] value, of an array value or constant.
    Index {
        /// The base: an array (not a reference to it), a slice, or a vector.
        base: Box<Expr>,
        /// A `usize`.
        index: Box<Expr>,
    },
    /// A function or method that the language knows. A method's receiver is the first argument.
    Call {
        /// The function.
        builtin: Builtin,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A method of an atomic.
    Atomic(Box<AtomicAccess>),
    /// `fence(Ordering::AcqRel, Scope::Block)`
    Fence {
        /// Not relaxed.
        order: Ordering,
        /// The threads among which it orders accesses.
        scope: Scope,
    },
    /// A call of a device function or method of the user's or of the library.
    Invoke {
        /// The function.
        function: FnId,
        /// Its arguments, `self` first.
        args: Vec<Expr>,
    },
    /// A call of a closure, or of a function that was handed over: `callee.ty` is a `Closure` or `Function`.
    InvokeValue {
        /// A variable, or the closure itself.
        callee: Box<Expr>,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// An iterator that is consumed at once: `sum`, `fold`, `any`, …
    Consume {
        /// The iterator.
        iter: Box<Iter>,
        /// The consumer.
        how: Consumer,
    },
    /// `panic!`, `unreachable!`, what is left of `assert!` when it fails.
    Panic {
        /// The message, one of the function's formats.
        format: FormatId,
        /// The values in it.
        args: Vec<Expr>,
    },
    /// `println!` and its like: a `()`.
    Print {
        /// The message, one of the function's formats.
        format: FormatId,
        /// The values in it.
        args: Vec<Expr>,
    },
    /// PTX of the user's own; the value is its output, or a tuple of its outputs.
    InlinePtx(Box<InlinePtx>),
    /// `pattern` in `if let`, `while let`, `matches!`: a `bool`; what it binds is seen where the condition holds. It stands
    /// alone as a condition, or as an operand of `&&` in one.
    Let {
        /// The pattern.
        pattern: Box<Pattern>,
        /// The value or place.
        value: Box<Expr>,
    },
    /// `match value { … }`; one of the arms matches.
    Match {
        /// The value or place.
        value: Box<Expr>,
        /// Tried in order.
        arms: Vec<Arm>,
        /// `#[predicate]`, `#[branch]`
        attr: Option<BranchAttr>,
    },
    /// `place = value`.
    Assign {
        /// A place.
        place: Box<Expr>,
        /// Its new value.
        value: Box<Expr>,
    },
    /// `place op= value`.
    AssignOp {
        /// The operator.
        op: BinaryOp,
        /// A place.
        place: Box<Expr>,
        /// The right side. For scalars it is evaluated before the place is read, as in Rust.
        value: Box<Expr>,
    },
    /// `place += a * b` or `place -= a * b` with one rounding, evaluated in the order `a`, `b`, `place`.
    AssignMulAdd {
        /// A place.
        place: Box<Expr>,
        /// Factor.
        a: Box<Expr>,
        /// Factor.
        b: Box<Expr>,
        /// `place -= a * b`.
        negate_product: bool,
    },
    /// `{ … }`
    Block(Block),
    /// `'a: { … }`: its value comes from its end or with `break 'a`.
    Labeled {
        /// Its name for `break`.
        id: LoopId,
        /// The label as written.
        label: syn::Lifetime,
        /// The block.
        body: Block,
    },
    /// `if cond { … } else { … }`
    If {
        /// A `bool`.
        cond: Box<Expr>,
        /// The block that runs if the condition holds.
        then: Block,
        /// A block or another `if`.
        otherwise: Option<Box<Expr>>,
        /// `#[predicate]`, `#[branch]`
        attr: Option<BranchAttr>,
    },
    /// `loop { … }`: its value comes with `break`.
    Loop {
        /// Its name for `break`.
        id: LoopId,
        /// The label as written.
        label: Option<syn::Lifetime>,
        /// The body.
        body: Block,
    },
    /// `while cond { … }`
    While {
        /// Its name for `break`.
        id: LoopId,
        /// The label as written.
        label: Option<syn::Lifetime>,
        /// A `bool`.
        cond: Box<Expr>,
        /// The body.
        body: Block,
    },
    /// `for pattern in iter { … }`
    For {
        /// Its name for `break`.
        id: LoopId,
        /// The label as written.
        label: Option<syn::Lifetime>,
        /// The pattern that destructures each item.
        pattern: Pattern,
        /// The iterator.
        iter: Box<Iter>,
        /// The body.
        body: Block,
    },
    /// `break`, `break 'a value`
    Break {
        /// The loop or labelled block.
        target: LoopId,
        /// The loop's value.
        value: Option<Box<Expr>>,
    },
    /// `continue`
    Continue {
        /// The loop.
        target: LoopId,
    },
    /// `return`, `return value`
    Return(Option<Box<Expr>>),
}

/// An access to an atomic. Its value is the previous one; for `CompareExchange` and `Update` a tuple of that and a `bool`: true if
/// the write happened.
pub struct AtomicAccess {
    /// The operation.
    pub op: AtomicOp,
    /// The kind of the value, and the scope of the access.
    pub atomic: Atomic,
    /// The memory ordering.
    pub order: Ordering,
    /// The ordering of the load of a `CompareExchange` that fails, or of the load that an `Update` begins with.
    pub failure: Ordering,
    /// A reference to the place.
    pub place: Expr,
    /// Values, or the closure of an `Update`.
    pub args: Vec<Expr>,
}

/// PTX of the user's own.
pub struct InlinePtx {
    /// Its statements, with `%_op0`, `%_op1`, … for the outputs, then for the inputs.
    pub text: String,
    /// The types of the outputs: scalars.
    pub outs: Vec<Ty>,
    /// The inputs: scalars.
    pub ins: Vec<Expr>,
    /// It does nothing but compute.
    pub pure: bool,
    /// It may read and write memory.
    pub memory: bool,
    /// The expression that replaces it on the CPU.
    pub cpu: Option<Expr>,
}

/// An iterator, consumed where it stands.
pub struct Iter {
    /// Its kind.
    pub kind: IterKind,
    /// The type of its items.
    pub item: Ty,
    /// The tokens it came from.
    pub span: Span,
}

/// The iterators. All but the last group know their length and can give the item at any index, which lowering uses.
pub enum IterKind {
    /// `start..end`, `start..=end` of an integer type.
    Range {
        /// The first value.
        start: Box<Expr>,
        /// The end.
        end: Box<Expr>,
        /// `..=`
        inclusive: bool,
    },
    /// `slice.iter()`, `.iter_mut()`: items are references; the expression is of type [`Ty::Slice`].
    Slice(Box<Expr>),
    /// An array by value: `for x in [1, 2, 3]`.
    Array(Box<Expr>),
    /// `slice.chunks_exact(n)`, `.chunks_exact_mut(n)`: items are slices. Zero panics.
    ChunksExact {
        /// The slice.
        slice: Box<Expr>,
        /// A `usize`.
        size: Box<Expr>,
    },
    /// `slice.chunks(n)`: the last may be shorter.
    Chunks {
        /// The slice.
        slice: Box<Expr>,
        /// A `usize`.
        size: Box<Expr>,
    },
    /// `slice.windows(n)`.
    Windows {
        /// The slice.
        slice: Box<Expr>,
        /// A `usize`.
        size: Box<Expr>,
    },
    /// `.rev()`
    Rev(Box<Iter>),
    /// `.step_by(n)`, `n` a `usize`; zero panics.
    StepBy(Box<Iter>, Box<Expr>),
    /// `.enumerate()`: items are `(usize, item)`.
    Enumerate(Box<Iter>),
    /// `.zip(other)`.
    Zip(Box<Iter>, Box<Iter>),
    /// `.take(n)`.
    Take(Box<Iter>, Box<Expr>),
    /// `.skip(n)`.
    Skip(Box<Iter>, Box<Expr>),
    /// `.chain(other)`.
    Chain(Box<Iter>, Box<Iter>),
    /// `.copied()`, `.cloned()`: follows the reference.
    Copied(Box<Iter>),
    /// `.map(f)`: `f` is an expression of type `Closure` or `Function`.
    Map(Box<Iter>, Box<Expr>),
    /// `.filter(f)`: after it only `map`, `copied`, what else drops items, and what consumes may follow.
    Filter(Box<Iter>, Box<Expr>),
    /// `.take_while(f)`: as `filter`.
    TakeWhile(Box<Iter>, Box<Expr>),
    /// `.filter_map(f)`: `f` gives an `Option`; as `filter`.
    FilterMap(Box<Iter>, Box<Expr>),
    /// `.map_while(f)`: `f` gives an `Option`; as `filter`.
    MapWhile(Box<Iter>, Box<Expr>),
    /// `.skip_while(f)`: as `filter`.
    SkipWhile(Box<Iter>, Box<Expr>),
    /// `.scan(init, f)`: `init`, and what gives an `Option` of a `&mut` to the state and an item; as `filter`.
    Scan(Box<Iter>, Box<Expr>, Box<Expr>),
    /// `.cycle()`
    Cycle(Box<Iter>),
}

/// The consumer of an iterator.
pub enum Consumer {
    /// `.sum()`: from zero (−0.0 for floats, as Rust has it), in order.
    Sum,
    /// `.product()`
    Product,
    /// `.min()` and `.max()`: an `Option`.
    Extreme {
        /// `max`.
        max: bool,
    },
    /// `.min_by(f)` and `.max_by(f)`: an `Option`.
    ExtremeBy {
        /// `max_by`.
        max: bool,
        /// Gives the `Ordering` of references to two items.
        order: Box<Expr>,
    },
    /// `.min_by_key(f)` and `.max_by_key(f)`: an `Option`.
    ExtremeByKey {
        /// `max_by_key`.
        max: bool,
        /// Gives the key of a reference to an item.
        key: Box<Expr>,
        /// The type of keys.
        ty: Ty,
    },
    /// `.try_fold(init, f)` with a function that gives an `Option`: an `Option`.
    TryFold(Box<Expr>, Box<Expr>),
    /// `.rposition(f)`: an `Option<usize>`.
    RPosition(Box<Expr>),
    /// `.fold(init, f)`: `init`, and the closure or function.
    Fold(Box<Expr>, Box<Expr>),
    /// `.reduce(f)`: an `Option`.
    Reduce(Box<Expr>),
    /// `.for_each(f)`
    ForEach(Box<Expr>),
    /// `.any(f)`
    Any(Box<Expr>),
    /// `.all(f)`
    All(Box<Expr>),
    /// `.position(f)`: an `Option<usize>`.
    Position(Box<Expr>),
    /// `.find(f)`: an `Option`.
    Find(Box<Expr>),
    /// `.count()`
    Count,
    /// `.last()`: an `Option`.
    Last,
    /// `.next()` of an iterator that nothing else reads: an `Option`.
    First,
}

/// Operators on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-a` on signed integers (wraps) and floats.
    Neg,
    /// `!a` on `bool` and integers.
    Not,
}

/// Operators on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// Returns true for an operator that takes its operands by reference and gives a `bool`.
    pub fn compares(self) -> bool {
        use BinaryOp as Op;
        matches!(self, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
    }
}
