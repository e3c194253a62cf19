//! The typed tree: what checking produces, and all that lowering and the hidden Rust copy read.
//!
//! Every name is resolved, every type is known, every expression has the span of the tokens it came from. Nothing in it
//! is refused any more: later phases do not report errors.

use proc_macro2::{Ident, Span};

use crate::attrs::KernelAttrs;
use crate::builtins::Builtin;

/// A kernel.
pub struct Kernel {
    /// The function's name.
    pub name: Ident,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// Attributes other than ours, kept on the launch function: documentation, `cfg`, `allow`.
    pub outer: Vec<syn::Attribute>,
    /// What was written in `#[kernel(…)]`.
    pub attrs: KernelAttrs,
    /// How many of `locals` are parameters; they come first, in order.
    pub param_count: usize,
    /// Parameters, then every variable that the body binds. Shadowing makes two.
    pub locals: Vec<Local>,
    /// The constants that the body declares.
    pub consts: Vec<Const>,
    /// The body. Its value is `()`.
    pub body: Block,
}

impl Kernel {
    /// The parameters, in order.
    pub fn params(&self) -> &[Local] {
        &self.locals[..self.param_count]
    }

    /// The variable with this index.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0]
    }
}

/// Index of a [`Local`] in its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub usize);

/// Index of a [`Const`] in its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(pub usize);

/// A loop, for `break` and `continue` to name; numbered in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub usize);

/// A variable or parameter.
pub struct Local {
    /// Its name as written.
    pub name: Ident,
    /// Its type.
    pub ty: Ty,
    /// Declared `mut`.
    pub mutable: bool,
}

/// `const NAME: T = …;` in the body.
pub struct Const {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Scalar,
    /// What it evaluates to.
    pub value: ConstValue,
    /// The initial expression, for the hidden copy.
    pub init: Expr,
}

/// A constant of a scalar type, by its bits; `bool` is 0 or 1, integers are cut to their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstValue {
    /// Its type.
    pub ty: Scalar,
    /// Its bits; zero above the type's width.
    pub bits: u64,
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

    /// Whether it is an integer type.
    pub fn is_int(self) -> bool {
        !matches!(self, Scalar::Bool | Scalar::F32 | Scalar::F64)
    }

    /// Whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
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
    /// What `thread_idx()` and its like return: fields `x`, `y`, `z` of type `usize`.
    Dim3,
    /// `&[T]` or `&mut [T]`, as a parameter.
    Slice {
        /// Its elements.
        element: Scalar,
        /// `&mut`.
        mutable: bool,
    },
    /// `[T; N]`: so far only inside [`Ty::Shared`].
    Array(Box<Ty>, u64),
    /// What `shared::<T>()` returns: the block's variable of type `T`, an array. The call is always the whole initial value
    /// of a `let`; slices and shared variables are never copied, they stand under `Index` and `Len` only.
    Shared(Box<Ty>),
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
    /// `let x = init;`. Without `init` the variable is assigned before it is read: rustc checks that in the hidden copy.
    Let {
        /// The variable; `None` for `let _ = …`.
        local: Option<LocalId>,
        /// Its initial value.
        init: Option<Expr>,
        /// The statement.
        span: Span,
    },
    /// An expression whose value is dropped.
    Expr(Expr),
    /// A constant is declared here.
    Const(ConstId),
}

/// An expression.
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// The tokens it came from.
    pub span: Span,
}

/// The expressions.
pub enum ExprKind {
    /// A literal. A negative one is a `Neg` of it.
    Literal(ConstValue),
    /// A constant with a path: `f32::INFINITY`, `u32::MAX`, `core::f32::consts::PI`.
    Path {
        /// The path as written.
        path: syn::Path,
        /// What it is.
        value: ConstValue,
    },
    /// A variable: a value, or a place.
    Local(LocalId),
    /// A constant of the body.
    Const(ConstId),
    /// `-a`, `!a`.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Of the type of the whole.
        arg: Box<Expr>,
    },
    /// Arithmetic, bit operations, comparisons. Both sides have one scalar type; a shift's amount has any integer type.
    Binary {
        /// Which.
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
    /// `arg as T`, with `T` the type of the whole; both are scalars.
    Cast(Box<Expr>),
    /// `.x`, `.y`, `.z` of a [`Ty::Dim3`]: 0, 1, 2.
    Axis {
        /// The value.
        base: Box<Expr>,
        /// 0, 1 or 2.
        axis: usize,
    },
    /// `base[index]`: a value, or a place. The base is a slice, a shared variable, or an index into one: with `t` a
    /// `Shared([[f32; 33]; 32])`, `t[i]` is a `Shared([f32; 33])`, which only another index or `len` can follow, and
    /// `t[i][j]` an `f32`.
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// A `usize`.
        index: Box<Expr>,
    },
    /// A function or method that the language knows. A method's receiver is the first argument.
    Call {
        /// Which.
        builtin: Builtin,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `place = value`.
    Assign {
        /// A variable or an index.
        place: Box<Expr>,
        /// Its new value.
        value: Box<Expr>,
    },
    /// `place op= value`.
    AssignOp {
        /// Which.
        op: BinaryOp,
        /// A variable or an index.
        place: Box<Expr>,
        /// The right side. For scalars it is evaluated before the place is read, as in Rust.
        value: Box<Expr>,
    },
    /// `place += a * b` or `place -= a * b` with one rounding, evaluated in the order `a`, `b`, `place`.
    AssignMulAdd {
        /// A variable or an index.
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
    /// `if cond { … } else { … }`
    If {
        /// A `bool`.
        cond: Box<Expr>,
        /// What runs if it holds.
        then: Block,
        /// A block or another `if`.
        otherwise: Option<Box<Expr>>,
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
    /// `for i in range { … }`
    For {
        /// Its name for `break`.
        id: LoopId,
        /// The label as written.
        label: Option<syn::Lifetime>,
        /// The loop variable; `None` for `_`.
        local: Option<LocalId>,
        /// What it runs over.
        range: Box<Range>,
        /// The body.
        body: Block,
    },
    /// `break`, `break 'a value`
    Break {
        /// Which loop.
        target: LoopId,
        /// The label as written.
        label: Option<syn::Lifetime>,
        /// The loop's value.
        value: Option<Box<Expr>>,
    },
    /// `continue`
    Continue {
        /// Which loop.
        target: LoopId,
        /// The label as written.
        label: Option<syn::Lifetime>,
    },
    /// `return`
    Return,
}

/// `start..end`, `start..=end`, and these with `.rev()` and `.step_by(n)`, in the order as written.
pub struct Range {
    /// The first value.
    pub start: Expr,
    /// The end.
    pub end: Expr,
    /// `..=`
    pub inclusive: bool,
    /// The adaptors, in order.
    pub adaptors: Vec<RangeAdaptor>,
    /// The integer type.
    pub ty: Scalar,
}

/// What is called on a range.
pub enum RangeAdaptor {
    /// `.rev()`
    Rev,
    /// `.step_by(n)`, `n` a `usize`; zero panics.
    StepBy(Expr),
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
