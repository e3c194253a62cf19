//! Type variables and their unification.

use std::rc::Rc;

use super::ty::Ty;
use crate::ast::StructDeclId;
use crate::typed::Scalar;

/// The most parts that a type may have.
const MOST_PARTS: usize = 1000;

/// A type variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Var(usize);

/// The types that a variable may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Any,
    /// An integer: the type of `1`; `i32` if nothing else decides.
    Int,
    /// A float: the type of `1.0`; `f64` if nothing else decides.
    Float,
}

#[derive(Clone, Debug)]
enum State {
    Free(Kind),
    Bound(Ty),
}

/// The variables of a text.
#[derive(Default)]
pub struct Vars {
    states: Vec<State>,
    /// The integers that are structs of the library.
    wide: Rc<[StructDeclId]>,
    /// The variables bound during a trial, with their previous states, to undo it.
    trail: Vec<(Var, State)>,
    trials: usize,
}

/// The mark of two types that are not the same.
#[derive(Debug)]
pub struct Differ;

impl Vars {
    /// None, where integers may be of these structs, too.
    pub fn new(wide: &Rc<[StructDeclId]>) -> Vars {
        Vars { wide: wide.clone(), ..Vars::default() }
    }

    /// A new variable.
    pub fn fresh(&mut self, kind: Kind) -> Ty {
        self.states.push(State::Free(kind));
        Ty::Var(Var(self.states.len() - 1))
    }

    /// A new variable for anything.
    pub fn any(&mut self) -> Ty {
        self.fresh(Kind::Any)
    }

    /// The type with its outermost constructor, as far as it is known by now.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Ty::Var(var) = ty
            && let State::Bound(bound) = &self.states[var.0]
        {
            ty = bound;
        }
        ty.clone()
    }

    /// The type, as far as it is known by now, at every depth.
    pub fn resolve(&self, ty: &Ty) -> Ty {
        match self.shallow(ty) {
            known @ (Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Var(_) | Ty::Error) => known,
            known => known.map(&mut |part| self.resolve(part)),
        }
    }

    /// Returns true if the type has more than `MOST_PARTS` parts: a type that contains itself twice grows exponentially.
    pub fn is_large(&self, ty: &Ty) -> bool {
        let mut left = MOST_PARTS;
        self.takes(ty, &mut left).is_none()
    }

    fn takes(&self, ty: &Ty, left: &mut usize) -> Option<()> {
        *left = left.checked_sub(1)?;
        match ty {
            Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Error | Ty::Const(_) => Some(()),
            Ty::Var(_) => match self.shallow(ty) {
                Ty::Var(_) => Some(()),
                known => known.children().into_iter().try_for_each(|part| self.takes(part, left)),
            },
            known => known.children().into_iter().try_for_each(|part| self.takes(part, left)),
        }
    }

    /// The kind of a free variable.
    pub fn kind(&self, var: Var) -> Kind {
        match self.states[var.0] {
            State::Free(kind) => kind,
            State::Bound(_) => Kind::Any,
        }
    }

    /// Returns true for a variable of integers all of which are scalars.
    pub fn is_scalar_integer(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Var(var) if self.kind(*var) == Kind::Int) && self.wide.is_empty()
    }

    /// Makes the two types one; if they differ, what was bound by then stays bound.
    pub fn unify(&mut self, a: &Ty, b: &Ty) -> Result<(), Differ> {
        let (a, b) = (self.shallow(a), self.shallow(b));
        match (&a, &b) {
            (Ty::Var(x), Ty::Var(y)) if x == y => Ok(()),
            (Ty::Var(x), Ty::Var(y)) => match (self.kind(*x), self.kind(*y)) {
                (Kind::Any, _) => self.bind(*x, b),
                (_, Kind::Any) => self.bind(*y, a),
                (Kind::Int, Kind::Int) | (Kind::Float, Kind::Float) => self.bind(*x, b),
                (Kind::Int, Kind::Float) | (Kind::Float, Kind::Int) => Err(Differ),
            },
            (Ty::Var(_), Ty::Never) | (Ty::Never, Ty::Var(_)) => Err(Differ),
            (Ty::Var(var), known) | (known, Ty::Var(var)) => {
                let fits = *known == Ty::Error
                    || self.admits(self.kind(*var), known)
                        && !self.is_large(known)
                        && !self.occurs(*var, known);
                if fits { self.bind(*var, known.clone()) } else { Err(Differ) }
            }
            (Ty::Error, _) | (_, Ty::Error) => Ok(()),
            (Ty::Ref(..), Ty::Ref(..)) | (Ty::Slice(..), Ty::Slice(..)) | (Ty::Ptr(..), Ty::Ptr(..))
                if mutable(&a) != mutable(&b) =>
            {
                Err(Differ)
            }
            (Ty::Struct(x, _), Ty::Struct(y, _)) if x != y => Err(Differ),
            (Ty::Function(x, _), Ty::Function(y, _)) if x != y => Err(Differ),
            (Ty::Tuple(_), Ty::Tuple(_))
            | (Ty::Array(..), Ty::Array(..))
            | (Ty::Struct(..), Ty::Struct(..))
            | (Ty::Option(_), Ty::Option(_))
            | (Ty::Ref(..), Ty::Ref(..))
            | (Ty::Ptr(..), Ty::Ptr(..))
            | (Ty::Slice(..), Ty::Slice(..))
            | (Ty::Shared(_), Ty::Shared(_))
            | (Ty::SharedDyn(_), Ty::SharedDyn(_))
            | (Ty::Function(..), Ty::Function(..))
            | (Ty::FnPtr(_), Ty::FnPtr(_))
            | (Ty::Range(_), Ty::Range(_))
            | (Ty::Iter(..), Ty::Iter(..)) => {
                let (parts, others) = (a.children(), b.children());
                if parts.len() != others.len() {
                    return Err(Differ);
                }
                parts.into_iter().zip(others).try_for_each(|(part, other)| self.unify(part, other))
            }
            (a, b) => match a == b {
                true => Ok(()),
                false => Err(Differ),
            },
        }
    }

    /// Unifies if it can be done, else leaves everything as it was.
    pub fn try_unify(&mut self, a: &Ty, b: &Ty) -> bool {
        self.attempt(|vars| vars.unify(a, b).is_ok())
    }

    /// Returns true if the two types could be unified; binds nothing.
    pub fn could_unify(&mut self, a: &Ty, b: &Ty) -> bool {
        let mut could = false;
        self.attempt(|vars| {
            could = vars.unify(a, b).is_ok();
            false
        });
        could
    }

    /// Returns true if an impl for one type could be for the other. The type of a literal is found out before, if it is an integer of 128 bits.
    pub fn could_be_for(&mut self, own: &Ty, ty: &Ty) -> bool {
        let is_wide = matches!(own, Ty::Struct(id, _) if self.wide.contains(id));
        !(is_wide && matches!(self.shallow(ty), Ty::Var(_))) && self.could_unify(own, ty)
    }

    /// Keeps what is bound only if the trial says so.
    pub fn attempt(&mut self, trial: impl FnOnce(&mut Vars) -> bool) -> bool {
        let mark = self.trail.len();
        self.trials += 1;
        let keep = trial(self);
        self.trials -= 1;
        if !keep {
            for (var, state) in self.trail.drain(mark..).rev() {
                self.states[var.0] = state;
            }
        }
        if self.trials == 0 {
            self.trail.clear();
        }
        keep
    }

    fn occurs(&self, var: Var, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Var(other) => other == var,
            other => other.children().into_iter().any(|part| self.occurs(var, part)),
        }
    }

    fn bind(&mut self, var: Var, ty: Ty) -> Result<(), Differ> {
        let before = std::mem::replace(&mut self.states[var.0], State::Bound(ty));
        if self.trials > 0 {
            self.trail.push((var, before));
        }
        Ok(())
    }

    /// Literals that nothing else decided become `i32` and `f64`.
    pub fn fall_back(&mut self) {
        for state in &mut self.states {
            let scalar = match state {
                State::Free(Kind::Int) => Scalar::I32,
                State::Free(Kind::Float) => Scalar::F64,
                State::Free(Kind::Any) | State::Bound(_) => continue,
            };
            *state = State::Bound(Ty::Scalar(scalar));
        }
    }
}

fn mutable(ty: &Ty) -> Option<bool> {
    match ty {
        Ty::Ref(_, mutable) | Ty::Slice(_, mutable) | Ty::Ptr(_, mutable) => Some(*mutable),
        _ => None,
    }
}

impl Vars {
    /// Returns true if a variable of this kind may be of the type.
    pub(super) fn admits(&self, kind: Kind, ty: &Ty) -> bool {
        match (kind, ty) {
            (Kind::Any, _) => true,
            (Kind::Int, Ty::Scalar(scalar)) => scalar.is_int(),
            (Kind::Int, Ty::Struct(id, _)) => self.wide.contains(id),
            // `f16` and `bf16` have no literals.
            (Kind::Float, Ty::Scalar(scalar)) => matches!(scalar, Scalar::F32 | Scalar::F64),
            (Kind::Int | Kind::Float, _) => false,
        }
    }
}
