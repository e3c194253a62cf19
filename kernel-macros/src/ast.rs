//! The tree that parsing makes: the Rust that the language has, names not yet resolved, types not yet known.
//!
//! Variables, constants, loops and expressions are numbered in the order of the text; later phases keep what they find
//! out about them in tables by these numbers. Parentheses are gone, and so is everything that the language refuses.

use proc_macro2::Ident;

use crate::diagnostics::Loc;
use crate::typed::{BinaryOp, ConstId, LocalId, LoopId, Scalar, UnaryOp};

/// The body of a kernel with its parameters.
pub struct Kernel {
    /// Parameters first, then every variable that the body binds.
    pub locals: Vec<Local>,
    /// How many of them are parameters.
    pub param_count: usize,
    /// The constants that the body declares.
    pub consts: Vec<Const>,
    /// The body.
    pub body: Block,
    /// How many expressions there are.
    pub expr_count: usize,
    /// How many loops there are.
    pub loop_count: usize,
}

/// Index of an [`Expr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprId(pub usize);

/// A variable where it is bound.
pub struct Local {
    /// Its name.
    pub name: Ident,
    /// Declared `mut`.
    pub mutable: bool,
    /// The type after the colon.
    pub ty: Option<Type>,
    /// What binds it.
    pub origin: Origin,
}

/// What binds a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A parameter.
    Param,
    /// `let x = …`
    Let,
    /// `let x;`
    LetUninit,
    /// `for x in …`
    For,
}

/// `const NAME: T = init;`
pub struct Const {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub init: Expr,
}

/// A type as written.
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub loc: Loc,
}

/// The types that can be written.
pub enum TypeKind {
    /// `f32`, `core::primitive::f32` not among them.
    Scalar(Scalar),
    /// `&[T]`, `&mut [T]`
    Slice {
        /// `T`
        element: Scalar,
        /// `&mut`
        mutable: bool,
    },
    /// `[T; N]`
    Array {
        /// `T`
        element: Box<Type>,
        /// `N`, a constant expression.
        len: Box<Expr>,
    },
    /// `()`
    Unit,
    /// `_`
    Infer,
}

/// `{ … }`
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The last expression, without a semicolon.
    pub value: Option<Box<Expr>>,
    /// With its braces.
    pub loc: Loc,
}

/// A statement.
pub enum Stmt {
    /// `let`
    Let {
        /// `None` for `let _ = …`.
        local: Option<LocalId>,
        /// The type after the colon, if the variable is `_`; else it is with the variable.
        ty: Option<Type>,
        /// The initial value.
        init: Option<Expr>,
        /// The statement.
        loc: Loc,
    },
    /// An expression.
    Expr {
        /// Which.
        expr: Expr,
        /// With a semicolon after it.
        semicolon: bool,
    },
    /// A constant.
    Const(ConstId),
}

/// An expression.
pub struct Expr {
    /// Its number.
    pub id: ExprId,
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub loc: Loc,
}

/// A literal.
pub enum Literal {
    /// `true`, `false`
    Bool(bool),
    /// An integer, with its suffix; it may stand for a float if that is its suffix.
    Int {
        /// Without sign. `None` if it is beyond 128 bits.
        value: Option<u128>,
        /// `u8` in `1u8`.
        suffix: Option<Scalar>,
    },
    /// A float: digits as Rust's parser takes them.
    Float {
        /// The digits.
        digits: String,
        /// `f32` in `1.0f32`.
        suffix: Option<Scalar>,
    },
}

/// The expressions.
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// A name: a variable, a constant, or a constant with a path.
    Path(syn::Path),
    /// `-a`, `!a`
    Unary {
        /// Which.
        op: UnaryOp,
        /// Of what.
        arg: Box<Expr>,
    },
    /// `a + b`
    Binary {
        /// Which.
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
    /// `a as T`
    Cast {
        /// What.
        arg: Box<Expr>,
        /// To what.
        ty: Type,
    },
    /// `a.x`
    Field {
        /// Of what.
        base: Box<Expr>,
        /// Which.
        name: Ident,
    },
    /// `a[i]`
    Index {
        /// What.
        base: Box<Expr>,
        /// Where.
        index: Box<Expr>,
    },
    /// `f(…)`, `warp::f(…)`, `f32::f(…)`, `shared::<T>()`
    Call {
        /// The function, generic arguments removed.
        path: syn::Path,
        /// The generic arguments.
        generics: Option<Generics>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `a.f(…)`
    Method {
        /// `a`
        receiver: Box<Expr>,
        /// `f`
        name: Ident,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `place = value`
    Assign {
        /// To what.
        place: Box<Expr>,
        /// What.
        value: Box<Expr>,
    },
    /// `place += value`
    AssignOp {
        /// Which.
        op: BinaryOp,
        /// To what.
        place: Box<Expr>,
        /// What.
        value: Box<Expr>,
    },
    /// `{ … }`
    Block(Block),
    /// `if c { … } else { … }`
    If {
        /// `c`
        cond: Box<Expr>,
        /// The first block.
        then: Block,
        /// A block or an `if`.
        otherwise: Option<Box<Expr>>,
    },
    /// `loop { … }`
    Loop {
        /// Its number.
        id: LoopId,
        /// `'a:`
        label: Option<syn::Lifetime>,
        /// The body.
        body: Block,
    },
    /// `while c { … }`
    While {
        /// Its number.
        id: LoopId,
        /// `'a:`
        label: Option<syn::Lifetime>,
        /// `c`
        cond: Box<Expr>,
        /// The body.
        body: Block,
    },
    /// `for i in r { … }`
    For {
        /// Its number.
        id: LoopId,
        /// `'a:`
        label: Option<syn::Lifetime>,
        /// `i`; `None` for `_`.
        local: Option<LocalId>,
        /// `r`
        range: Box<Range>,
        /// The body.
        body: Block,
    },
    /// `break 'a value`
    Break {
        /// `'a`
        label: Option<syn::Lifetime>,
        /// `value`
        value: Option<Box<Expr>>,
    },
    /// `continue 'a`
    Continue {
        /// `'a`
        label: Option<syn::Lifetime>,
    },
    /// `return`
    Return,
}

/// `::<…>`
pub struct Generics {
    /// The types.
    pub types: Vec<Type>,
    /// With its angle brackets.
    pub loc: Loc,
}

/// What a `for` runs over.
pub struct Range {
    /// The first value.
    pub start: Expr,
    /// The end.
    pub end: Expr,
    /// `..=`
    pub inclusive: bool,
    /// What is called on it, in order.
    pub adaptors: Vec<RangeAdaptor>,
}

/// What is called on a range.
pub enum RangeAdaptor {
    /// `.rev()`
    Rev,
    /// `.step_by(n)`
    StepBy(Expr),
}
