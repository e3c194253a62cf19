//! Types during inference: like those of the typed tree, with variables at any depth.

use std::rc::Rc;

use super::unify::Var;
use crate::ast::{EnumDeclId, FunctionId, StructDeclId};
use crate::atomics::Atomic;
use crate::typed::{ClosureId, ConstValue, FnId, Scalar};

/// A type during inference. Lengths of arrays and constant generic arguments are [`Ty::Const`], so that one unification does
/// for all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `()`
    Unit,
    /// `!`
    Never,
    /// A scalar.
    Scalar(Scalar),
    /// `Dim3`
    Dim3,
    /// `(A, B)`; never empty.
    Tuple(Rc<[Ty]>),
    /// `[T; N]`: the element and the length.
    Array(Rc<Ty>, Rc<Ty>),
    /// A struct or an enum with data, with its generic arguments.
    Struct(StructDeclId, Rc<[Ty]>),
    /// An enum without data.
    Enum(EnumDeclId),
    /// `Option<T>`
    Option(Rc<Ty>),
    /// `AtomicU32`, also `BlockScope<AtomicU32>`
    Atomic(Atomic),
    /// `Ordering`
    Ordering,
    /// `Scope`
    Scope,
    /// `F32x4`
    Vector(Scalar, u32),
    /// `&T`, and whether it is `&mut T`.
    Ref(Rc<Ty>, bool),
    /// `*const T`, and whether it is `*mut T`.
    Ptr(Rc<Ty>, bool),
    /// `&[T]`, and whether it is `&mut [T]`.
    Slice(Rc<Ty>, bool),
    /// `Shared<T>`
    Shared(Rc<Ty>),
    /// `SharedDyn<T>`
    SharedDyn(Rc<Ty>),
    /// A closure.
    Closure(FnId, ClosureId),
    /// A function handed over by its name.
    Function(FunctionId, Rc<[Ty]>),
    /// `fn(A, B) -> C`: the parameter types and, last, the result type.
    FnPtr(Rc<[Ty]>),
    /// `a..b` of these.
    Range(Rc<Ty>),
    /// An iterator of these, and whether it knows its length.
    Iter(Rc<Ty>, bool),
    /// A constant as a generic argument.
    Const(ConstValue),
    /// To be found out.
    Var(Var),
    /// Part of a mistake that has been reported.
    Error,
}

impl Ty {
    /// `bool`
    pub const BOOL: Ty = Ty::Scalar(Scalar::Bool);
    /// `usize`
    pub const USIZE: Ty = Ty::Scalar(Scalar::Usize);

    /// `[element; len]`
    pub fn array(element: Ty, len: u64) -> Ty {
        Ty::Array(Rc::new(element), Rc::new(Ty::len(len)))
    }

    /// A length.
    pub fn len(len: u64) -> Ty {
        Ty::Const(ConstValue { ty: Scalar::Usize, bits: len })
    }

    /// `Option<some>`
    pub fn option(some: Ty) -> Ty {
        Ty::Option(Rc::new(some))
    }

    /// `&self`, `&mut self`: of what already is a slice, the slice.
    pub fn reference(self, mutable: bool) -> Ty {
        Ty::Ref(Rc::new(self), mutable)
    }

    /// A tuple, or `()`.
    pub fn tuple(parts: Vec<Ty>) -> Ty {
        if parts.is_empty() { Ty::Unit } else { Ty::Tuple(parts.into()) }
    }

    /// The types directly inside of this one.
    pub fn children(&self) -> Vec<&Ty> {
        match self {
            Ty::Tuple(parts) | Ty::Struct(_, parts) | Ty::Function(_, parts) | Ty::FnPtr(parts) => {
                parts.iter().collect()
            }
            Ty::Array(element, len) => vec![element, len],
            Ty::Option(inner)
            | Ty::Ref(inner, _)
            | Ty::Ptr(inner, _)
            | Ty::Slice(inner, _)
            | Ty::Shared(inner)
            | Ty::SharedDyn(inner)
            | Ty::Range(inner)
            | Ty::Iter(inner, _) => vec![inner],
            Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Dim3
            | Ty::Enum(_)
            | Ty::Atomic(_)
            | Ty::Ordering
            | Ty::Scope
            | Ty::Vector(..)
            | Ty::Closure(..)
            | Ty::Const(_)
            | Ty::Var(_)
            | Ty::Error => Vec::new(),
        }
    }

    /// Number of types in the tree, the root included.
    pub fn parts(&self) -> usize {
        1 + self.children().into_iter().map(Ty::parts).sum::<usize>()
    }

    /// The type with each part replaced.
    pub fn map(&self, f: &mut dyn FnMut(&Ty) -> Ty) -> Ty {
        let mut one = |inner: &Rc<Ty>| Rc::new(f(inner));
        match self {
            Ty::Array(element, len) => {
                let element = one(element);
                Ty::Array(element, one(len))
            }
            Ty::Option(inner) => Ty::Option(one(inner)),
            Ty::Ref(inner, mutable) => Ty::Ref(one(inner), *mutable),
            Ty::Ptr(inner, mutable) => Ty::Ptr(one(inner), *mutable),
            Ty::Slice(inner, mutable) => Ty::Slice(one(inner), *mutable),
            Ty::Shared(inner) => Ty::Shared(one(inner)),
            Ty::SharedDyn(inner) => Ty::SharedDyn(one(inner)),
            Ty::Range(inner) => Ty::Range(one(inner)),
            Ty::Iter(inner, exact) => Ty::Iter(one(inner), *exact),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(f).collect()),
            Ty::Struct(id, args) => Ty::Struct(*id, args.iter().map(f).collect()),
            Ty::Function(id, args) => Ty::Function(*id, args.iter().map(f).collect()),
            Ty::FnPtr(parts) => Ty::FnPtr(parts.iter().map(f).collect()),
            Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Dim3
            | Ty::Enum(_)
            | Ty::Atomic(_)
            | Ty::Ordering
            | Ty::Scope
            | Ty::Vector(..)
            | Ty::Closure(..)
            | Ty::Const(_)
            | Ty::Var(_)
            | Ty::Error => self.clone(),
        }
    }
}
