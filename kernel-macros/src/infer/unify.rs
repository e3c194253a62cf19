//! Type variables and their unification.

use super::Ty;
use crate::typed::{self, Scalar};

/// A type variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Var(usize);

/// What a variable may become.
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

/// The variables of a kernel.
#[derive(Default)]
pub struct Vars {
    states: Vec<State>,
}

/// The mark of two types that are not the same.
#[derive(Debug)]
pub struct Differ;

impl Vars {
    /// A new variable.
    pub fn fresh(&mut self, kind: Kind) -> Ty {
        self.states.push(State::Free(kind));
        Ty::Var(Var(self.states.len() - 1))
    }

    /// The type, as far as it is known by now.
    pub fn resolve(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Ty::Var(var) = ty
            && let State::Bound(bound) = &self.states[var.0]
        {
            ty = bound;
        }
        ty.clone()
    }

    /// What a free variable may become.
    pub fn kind(&self, var: Var) -> Kind {
        match self.states[var.0] {
            State::Free(kind) => kind,
            State::Bound(_) => Kind::Any,
        }
    }

    /// Makes the two types one.
    pub fn unify(&mut self, a: &Ty, b: &Ty) -> Result<(), Differ> {
        match (self.resolve(a), self.resolve(b)) {
            (Ty::Var(a), Ty::Var(b)) if a == b => Ok(()),
            (Ty::Var(a), Ty::Var(b)) => match (self.kind(a), self.kind(b)) {
                (Kind::Any, _) => self.bind(a, Ty::Var(b)),
                (_, Kind::Any) => self.bind(b, Ty::Var(a)),
                (Kind::Int, Kind::Int) | (Kind::Float, Kind::Float) => self.bind(a, Ty::Var(b)),
                (Kind::Int, Kind::Float) | (Kind::Float, Kind::Int) => Err(Differ),
            },
            (Ty::Var(var), Ty::Known(known)) | (Ty::Known(known), Ty::Var(var)) => {
                match self.kind(var).admits(&known) {
                    true => self.bind(var, Ty::Known(known)),
                    false => Err(Differ),
                }
            }
            (Ty::Var(var), Ty::Error) | (Ty::Error, Ty::Var(var)) => self.bind(var, Ty::Error),
            (Ty::Error, Ty::Error | Ty::Known(_)) | (Ty::Known(_), Ty::Error) => Ok(()),
            (Ty::Known(a), Ty::Known(b)) => {
                if a == b {
                    Ok(())
                } else {
                    Err(Differ)
                }
            }
        }
    }

    fn bind(&mut self, var: Var, ty: Ty) -> Result<(), Differ> {
        self.states[var.0] = State::Bound(ty);
        Ok(())
    }

    /// Where [`Vars::fall_back`] may begin later: what is made from now on.
    pub fn mark(&self) -> usize {
        self.states.len()
    }

    /// Literals that nothing else decided become `i32` and `f64`.
    pub fn fall_back(&mut self, mark: usize) {
        for state in &mut self.states[mark..] {
            let scalar = match state {
                State::Free(Kind::Int) => Scalar::I32,
                State::Free(Kind::Float) => Scalar::F64,
                State::Free(Kind::Any) | State::Bound(_) => continue,
            };
            *state = State::Bound(Ty::Known(typed::Ty::Scalar(scalar)));
        }
    }
}

impl Kind {
    fn admits(self, ty: &typed::Ty) -> bool {
        match (self, ty) {
            (Kind::Any, _) => true,
            (Kind::Int, typed::Ty::Scalar(scalar)) => scalar.is_int(),
            (Kind::Float, typed::Ty::Scalar(scalar)) => scalar.is_float(),
            (Kind::Int | Kind::Float, _) => false,
        }
    }
}
