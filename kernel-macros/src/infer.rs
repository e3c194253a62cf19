//! Types: what every expression and variable is, found by unification with expected types pushed down, as rustc does.
//!
//! A mistake makes the type of the expression at fault [`Ty::Error`], which fits everything: it is reported once.

mod block;
mod call;
mod constant;
mod expr;
mod mismatch;
mod operator;
mod unify;

use crate::ast::{Expr, ExprId, Kernel, Type, TypeKind};
use crate::builtins::{Class, Signature};
use crate::diagnostics::{Diagnostics, Loc};
use crate::resolve::Names;
use crate::typed::{self, ConstId, ConstValue, LocalId, Scalar};
use unify::{Kind, Vars};

pub(crate) use expr::axis;
pub(crate) use mismatch::written;

/// A type during inference.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// Known.
    Known(typed::Ty),
    /// To be found out.
    Var(unify::Var),
    /// Part of a mistake that has been reported.
    Error,
}

impl Ty {
    const UNIT: Ty = Ty::Known(typed::Ty::Unit);
    const NEVER: Ty = Ty::Known(typed::Ty::Never);

    const fn scalar(scalar: Scalar) -> Ty {
        Ty::Known(typed::Ty::Scalar(scalar))
    }
}

/// What was found out.
pub struct Types {
    exprs: Vec<typed::Ty>,
    locals: Vec<typed::Ty>,
    /// The values of the constants.
    pub consts: Vec<ConstValue>,
    /// The methods that are called.
    methods: Vec<Option<&'static Signature>>,
}

impl Types {
    /// Of an expression.
    pub fn expr(&self, id: ExprId) -> &typed::Ty {
        &self.exprs[id.0]
    }

    /// Of a variable.
    pub fn local(&self, id: LocalId) -> &typed::Ty {
        &self.locals[id.0]
    }

    /// The method that an expression calls.
    pub fn method(&self, id: ExprId) -> Option<&'static Signature> {
        self.methods[id.0]
    }
}

/// Infers all types. Mistakes are in the diagnostics; the result is of use only if there are none.
pub fn infer(kernel: &Kernel, names: &Names, diagnostics: &mut Diagnostics) -> Types {
    let mut infer = Infer {
        kernel,
        names,
        diagnostics,
        vars: Vars::default(),
        exprs: vec![Ty::Error; kernel.expr_count],
        locals: Vec::new(),
        loops: vec![Ty::Error; kernel.loop_count],
        broken: vec![false; kernel.loop_count],
        methods: vec![None; kernel.expr_count],
        consts: vec![constant::State::Unknown; kernel.consts.len()],
        claims: Vec::new(),
        casts: Vec::new(),
        diverges: false,
    };
    infer.declare_locals();
    for id in 0..kernel.consts.len() {
        infer.const_value(ConstId(id));
    }
    infer.body(&kernel.body);
    infer.settle(0);
    infer.report_unknown_locals();
    infer.finish()
}

/// What the place of an expression expects of it.
#[derive(Clone, Debug)]
enum Hint {
    /// Nothing.
    None,
    /// A literal takes this type if it can: the operand of `as`.
    Literal(Ty),
    /// It must be of this type. Blocks and `if` report a mismatch where their value is.
    Must(Ty),
}

/// A type that must be of a class, checked when it is known.
struct Claim {
    ty: Ty,
    class: Class,
    loc: Loc,
    /// For what: `+`, `shfl_down`.
    what: &'static str,
}

/// `arg as to`, checked when the type of `arg` is known.
struct Cast {
    arg: ExprId,
    loc: Loc,
    to: Scalar,
}

struct Infer<'a> {
    kernel: &'a Kernel,
    names: &'a Names,
    diagnostics: &'a mut Diagnostics,
    vars: Vars,
    exprs: Vec<Ty>,
    locals: Vec<Ty>,
    /// The type of each loop's value.
    loops: Vec<Ty>,
    /// Whether a `break` leaves it.
    broken: Vec<bool>,
    methods: Vec<Option<&'static Signature>>,
    consts: Vec<constant::State>,
    claims: Vec<Claim>,
    casts: Vec<Cast>,
    /// Whether what was just looked at never ends, as `return`.
    diverges: bool,
}

impl Infer<'_> {
    fn declare_locals(&mut self) {
        for local in &self.kernel.locals {
            let ty = match &local.ty {
                Some(ty) => self.written(ty),
                None => self.vars.fresh(Kind::Any),
            };
            self.locals.push(ty);
        }
    }

    /// The type of a variable, a constant or a cast as written.
    fn written(&mut self, ty: &Type) -> Ty {
        match &ty.kind {
            TypeKind::Scalar(scalar) => Ty::scalar(*scalar),
            TypeKind::Slice { element, mutable } => {
                Ty::Known(typed::Ty::Slice { element: *element, mutable: *mutable })
            }
            TypeKind::Unit => Ty::UNIT,
            TypeKind::Infer => self.vars.fresh(Kind::Any),
            TypeKind::Array { element, len } => self.array(element, len),
        }
    }

    fn array(&mut self, element: &Type, len: &Expr) -> Ty {
        let len = self.array_len(len);
        match (self.written(element), len) {
            (Ty::Known(element), Some(len)) => Ty::Known(typed::Ty::Array(Box::new(element), len)),
            (Ty::Known(_) | Ty::Var(_) | Ty::Error, _) => Ty::Error,
        }
    }

    /// The type of an expression, as far as it is known by now.
    fn expr_ty(&self, id: ExprId) -> Ty {
        self.vars.resolve(&self.exprs[id.0])
    }

    /// The type must be of the class: reported at once if it is known, else when it is.
    fn claim(&mut self, ty: &Ty, class: Class, loc: Loc, what: &'static str) {
        self.claims.push(Claim { ty: ty.clone(), class, loc, what });
        if let Ty::Known(_) = self.vars.resolve(ty)
            && let Some(claim) = self.claims.pop()
        {
            self.judge(&claim);
        }
    }

    fn judge(&mut self, claim: &Claim) -> bool {
        let Ty::Known(known) = self.vars.resolve(&claim.ty) else { return true };
        match known {
            typed::Ty::Scalar(scalar) if claim.class.holds(scalar) => true,
            other => {
                self.report_class(claim, &other);
                false
            }
        }
    }

    /// Decides what is still open since the mark: literals fall back, then claims and casts are judged.
    fn settle(&mut self, mark: usize) {
        self.vars.fall_back(mark);
        for claim in std::mem::take(&mut self.claims) {
            self.judge(&claim);
        }
        for cast in std::mem::take(&mut self.casts) {
            self.judge_cast(&cast);
        }
    }

    fn report_unknown_locals(&mut self) {
        for (local, ty) in self.kernel.locals.iter().zip(&self.locals) {
            if let Ty::Var(_) = self.vars.resolve(ty) {
                let name = &local.name;
                let message = format!(
                    "expected a type for `{name}`, found nothing that decides it\nhelp: write it: `let {name}: f32`"
                );
                self.diagnostics.error(name, message);
            }
        }
    }

    fn finish(self) -> Types {
        // What is still open or wrong here was reported; or it is the type of something never reached.
        let known = |ty: &Ty| match self.vars.resolve(ty) {
            Ty::Known(ty) => ty,
            Ty::Var(_) | Ty::Error => typed::Ty::Never,
        };
        let zero = ConstValue { ty: Scalar::I32, bits: 0 };
        Types {
            exprs: self.exprs.iter().map(known).collect(),
            locals: self.locals.iter().map(known).collect(),
            consts: self.consts.iter().map(|state| state.value().unwrap_or(zero)).collect(),
            methods: self.methods,
        }
    }
}
