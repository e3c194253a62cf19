//! Types: what every expression, pattern and variable is, found by unification with expected types pushed down, as rustc
//! does; what method calls, operators and paths mean; which references are taken or followed silently.
//!
//! Each instance of a function is inferred on its own, with its generic arguments known. A mistake makes the type of the
//! expression at fault [`Ty::Error`], which fits everything: it is reported once.

mod atomic;
mod block;
mod bounds;
mod call;
mod closure;
mod expr;
mod field;
mod iter;
mod method;
mod mismatch;
mod operator;
mod path;
mod pattern;
mod pointer;
mod rigid;
pub(crate) mod ty;
pub(crate) mod types;
mod unify;
mod values;
pub(crate) mod world;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{self, Expr, ExprId, FunctionId, GenericParamKind, ImplId, PatId, TypeKind};
use crate::atomics::Method;
use crate::builtins::{Class, Signature};
use crate::device::library;
use crate::diagnostics::Loc;
use crate::resolve::{Table, Text};
use crate::typed::{self, BinaryOp, ClosureId, ConstValue, FnId, LocalId, Scalar};
pub(crate) use expr::is_destructuring;
pub(crate) use field::{AXES, axis, member_name};
pub(crate) use iter::{Adaptor, Consume, Source};
use method::Step;
pub(crate) use mismatch::written;
pub(crate) use pattern::{holds_rest, is_rest};
pub(crate) use ty::Ty;
pub(crate) use types::{Env, holds_pointer};
use unify::{Kind, Vars};
pub(crate) use values::is_iterator_method;
use world::World;

/// An implicit adjustment of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjust {
    /// A reference is followed, or a shared variable's handle.
    Deref,
    /// A reference is taken.
    Ref(bool),
    /// A reference to an array, or dynamic shared memory, becomes a slice.
    Unsize(bool),
    /// A `&mut [T]` becomes a `&[T]`.
    Share,
    /// A reference becomes a pointer, or a `*mut T` a `*const T`.
    Raw(bool),
    /// A function becomes a pointer to it: the number of its type among [`Infer::pointer_types`].
    Point(usize),
    /// A value of the user's type becomes the place that its `deref` or `deref_mut` gives: the number of an [`OwnDeref`].
    Own(usize),
}

/// A dereference by the user's `impl Deref`.
#[derive(Clone, Debug)]
pub struct OwnDeref {
    /// `deref`, and the arguments of its impl.
    pub read: (FunctionId, Rc<[Ty]>),
    /// `deref_mut`, with the same.
    pub write: Option<(FunctionId, Rc<[Ty]>)>,
    /// The type of the place.
    pub target: Ty,
    /// True if the place is known to be changed, other than by what stands around it.
    pub is_written: bool,
}

/// The resolution of a call, a method call, an operator or a path.
#[derive(Clone, Debug)]
pub enum Resolved {
    /// A function or method that the language knows.
    Builtin(&'static Signature),
    /// A function or method of the user's or of the library; operators too.
    Invoke(FunctionId, Rc<[Ty]>),
    /// `a != b` by the user's `eq`.
    InvokeNot(FunctionId, Rc<[Ty]>),
    /// `a < b` by the user's `partial_cmp`, and the function of the library that says what its result means.
    InvokeOrder(FunctionId, Rc<[Ty]>, FunctionId),
    /// An array made of a tuple of its elements' types, or a tuple of an array.
    Repacked,
    /// A closure, or a function that was handed over.
    InvokeValue,
    /// A method of an atomic.
    Atomic(&'static Method),
    /// An atomic with another scope.
    View,
    /// A tuple struct.
    Constructor,
    /// A variant of an enum with data, by its index.
    Variant(usize),
    /// `Some(…)`
    Some,
    /// `value?`
    QuestionMark(block::Tried),
    /// A conversion between scalars: `f64::from(x)`, `x.into()`, `x.to_f32()`.
    Cast,
    /// The operand of a conversion or of `clone`, unchanged.
    Same,
    /// `x.to_le_bytes()`, or `to_be_bytes` if true.
    ToBytes(bool),
    /// `u32::from_le_bytes(…)`, or `from_be_bytes` if true.
    FromBytes(bool),
    /// `T::default()`
    Default,
    /// `option.expect("…")`
    Expect(String),
    /// A constant.
    Const(ast::ConstDeclId, Rc<[Ty]>),
    /// A constant that the language knows.
    Known(ConstValue),
    /// A vector with a scalar on its right.
    Splat,
    /// `array.len()`
    ArrayLen(u64),
    /// The source of an iterator.
    Source(Source),
    /// An iterator adaptor.
    Adaptor(Adaptor),
    /// A method that consumes an iterator.
    Consume(Consume),
    /// An index by `Index::index` of the user's, and `index_mut` if there is one.
    UserIndex((FunctionId, Rc<[Ty]>), Option<(FunctionId, Rc<[Ty]>)>),
    /// An index by a range that is a value.
    RangeIndex,
    /// `range.contains(&x)`
    Contains,
    /// `x.add(y)` of numbers: the operator.
    Operator(BinaryOp),
}

/// The inferred types of a pattern.
#[derive(Clone, Debug)]
pub struct PatInfo {
    /// The type of its scrutinee, without the references that it dereferences implicitly.
    pub ty: Ty,
    /// Number of references that it dereferences implicitly.
    pub derefs: usize,
    /// For a binding: by reference, and whether by a mutable one.
    pub by_ref: Option<bool>,
}

/// The type that an expression's context expects of it.
#[derive(Clone, Debug)]
pub(crate) enum Hint {
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
    /// The operation that requires it: `+`, `shfl_down`.
    what: &'static str,
}

/// A call of a function that returns `impl Trait` whose generic arguments are not all known yet.
struct Opaque {
    expr: ExprId,
    function: FunctionId,
    types: Rc<[Ty]>,
    result: Ty,
    loc: Loc,
}

/// `arg as to`, checked when the type of `arg` is known.
struct Cast {
    expr: ExprId,
    arg: ExprId,
    loc: Loc,
    to: Ty,
}

/// An operator whose operands' types are not known yet.
struct Pending<'p> {
    expr: &'p Expr,
    op: BinaryOp,
    lhs: &'p Expr,
    rhs: &'p Expr,
    left: Ty,
    right: Ty,
    result: Ty,
    assigns: bool,
}

/// An operator of literals whose type was not known.
struct OfLiterals<'p> {
    expr: &'p Expr,
    operator: LiteralOperator<'p>,
    left: Ty,
    claims: Vec<Claim>,
}

enum LiteralOperator<'p> {
    /// The trait that overloads it, and its method.
    Unary(&'static str, &'static str),
    Binary {
        op: BinaryOp,
        lhs: &'p Expr,
        rhs: &'p Expr,
        right: Ty,
        assigns: bool,
    },
}

/// The traits of bounds that the language has itself, and Rust's own of plain data.
const OF_THE_LANGUAGE: &[&str] = &["Number", "Float", "Int", "Element", "Copy", "Clone", "Default"];

/// The types in one text.
pub struct Infer<'w, 'p> {
    /// State that is shared by all texts.
    pub world: &'w mut World<'p>,
    /// The text.
    pub env: Env,
    /// The instance, if the text is a function's.
    pub me: FnId,
    /// The meanings of its names.
    pub table: &'p Table,
    /// Its variables.
    pub text_locals: &'p [ast::Local],
    /// Its closures.
    pub text_closures: &'p [ast::Closure],
    pub(crate) vars: Vars,
    exprs: Vec<Ty>,
    pats: Vec<Option<PatInfo>>,
    locals: Vec<Ty>,
    adjusts: HashMap<ExprId, Vec<Adjust>>,
    resolved: HashMap<ExprId, Resolved>,
    /// The parameter types and the result type of each closure.
    closures: Vec<Option<(Vec<Ty>, Ty)>>,
    /// The type of each loop's value.
    loops: Vec<Ty>,
    /// True for a loop that a `break` leaves.
    broken: Vec<bool>,
    /// The result types that `return` must have, innermost closure last.
    results: Vec<Ty>,
    claims: Vec<Claim>,
    casts: Vec<Cast>,
    pending: Vec<Pending<'p>>,
    of_literals: Vec<OfLiterals<'p>>,
    /// Calls of `into` whose result's type was not known: the call, to what, from what.
    conversions: Vec<(&'p Expr, Ty, Ty)>,
    /// `x.try_into()` of slices: the call, its receiver, where that was found, and to what.
    arrays: Vec<(&'p Expr, &'p Expr, Step, Ty)>,
    /// Calls of `sum` and `product` whose type is not written: the call, its name, the type of the result, that of the items.
    open_sums: Vec<(&'p Expr, &'p proc_macro2::Ident, Ty, Ty)>,
    /// Lanes, distances and masks of shuffles whose type was not known.
    lane_operands: Vec<(&'p Expr, Ty)>,
    /// The types of the values of `?`.
    tried: Vec<Ty>,
    /// The calls of `into_iter` of the user's own by `for` loops.
    into_iters: HashMap<ExprId, (FunctionId, Rc<[Ty]>)>,
    /// The types of keys by which iterators are compared.
    keys: HashMap<ExprId, Ty>,
    /// The types in calls of `size_of` and its like.
    measured: HashMap<ExprId, Ty>,
    /// The scalar type in place of which another was tried, and the types of the expressions then: see [`rigid`](self::rigid).
    probe: Option<(Ty, Option<Vec<Ty>>)>,
    /// The other type, while that is found out.
    probes: Option<Ty>,
    /// Slices that a method changes: parts of places.
    written_slices: HashSet<ExprId>,
    /// The dereferences by the user's `impl Deref`.
    own_derefs: Vec<OwnDeref>,
    /// Parameter types and, last, the result type of pointers that functions become.
    pointer_types: Vec<Rc<[Ty]>>,
    /// Calls of functions that return `impl Trait` whose generic arguments are not known yet.
    opaques: Vec<Opaque>,
    /// Signatures of callable type variables: parameters of a generic function that is being called.
    bounds: Vec<(Ty, Vec<Ty>, Ty)>,
    /// The types that the last mismatch expected and found.
    mismatch: Option<(Ty, Ty)>,
    /// The value of the assignment at hand, and the variable on its left.
    assigned: Option<(ExprId, String)>,
    /// True if the expression just inferred diverges, as `return` does.
    diverges: bool,
    /// True if the last path began with a generic parameter.
    of_param: bool,
    /// True for a scalar or vector that is written as such before the last name of a path, or by an alias or `Self`.
    of_written: bool,
    /// The trait of the last path `<T as Trait>::name`.
    of_trait: Option<(&'p ast::TraitName, &'p [ast::GenericArg])>,
    /// The traits that the type before the last name of a path has where it stands.
    implied_traits: Vec<&'p ast::TraitName>,
    /// True if an iterator that is inferred next is consumed where it is written: one loop is made of the whole chain. Any other
    /// is a value of the device library's types.
    fused: bool,
}

/// Stands for the instance in texts that are not functions.
pub const NO_INSTANCE: FnId = FnId(usize::MAX);

impl<'w, 'p> Infer<'w, 'p> {
    /// Nothing inferred yet.
    pub fn new(world: &'w mut World<'p>, env: Env, me: FnId) -> Infer<'w, 'p> {
        let program = world.program;
        let (counts, text_locals, text_closures): (_, &[ast::Local], &[ast::Closure]) = match env.text {
            Text::Function(id) => {
                let function = &program.functions[id.0];
                (function.counts, &function.locals, &function.closures)
            }
            Text::Const(id) => (program.consts[id.0].counts, &program.consts[id.0].locals, &[]),
            Text::Struct(id) => (program.structs[id.0].counts, &[], &[]),
            Text::Alias(id) => (program.aliases[id.0].counts, &[], &[]),
            Text::Impl(id) => (program.impls[id.0].counts, &[], &[]),
        };
        let table = world.names.of(env.text);
        let mut vars = Vars::new(&world.wide);
        let locals = (0..text_locals.len()).map(|_| vars.any()).collect();
        Infer {
            world,
            env,
            me,
            table,
            text_locals,
            text_closures,
            vars,
            exprs: vec![Ty::Error; counts.exprs],
            pats: vec![None; counts.pats],
            locals,
            adjusts: HashMap::new(),
            resolved: HashMap::new(),
            closures: vec![None; text_closures.len()],
            loops: vec![Ty::Error; counts.loops],
            broken: vec![false; counts.loops],
            results: Vec::new(),
            claims: Vec::new(),
            casts: Vec::new(),
            pending: Vec::new(),
            of_literals: Vec::new(),
            conversions: Vec::new(),
            arrays: Vec::new(),
            open_sums: Vec::new(),
            lane_operands: Vec::new(),
            tried: Vec::new(),
            into_iters: HashMap::new(),
            keys: HashMap::new(),
            measured: HashMap::new(),
            opaques: Vec::new(),
            bounds: Vec::new(),
            probe: None,
            probes: None,
            written_slices: HashSet::new(),
            own_derefs: Vec::new(),
            pointer_types: Vec::new(),
            mismatch: None,
            assigned: None,
            diverges: false,
            of_param: false,
            of_written: false,
            of_trait: None,
            implied_traits: Vec::new(),
            fused: false,
        }
    }

    /// Infers a function's body.
    pub fn function(&mut self, id: FunctionId) {
        let function = &self.world.program.functions[id.0];
        let args = self.env.args.clone();
        let (params, result) = self.world.signature(&mut self.vars, id, &args);
        for (index, ty) in params.iter().enumerate() {
            self.locals[index] = ty.clone();
        }
        self.results.push(result.clone());
        for param in &function.params {
            if let Some(pattern) = &param.pattern {
                let ty = self.locals[param.local.0].clone();
                self.pattern(pattern, &ty);
            }
        }
        let env = self.env.clone();
        let written = function.result.as_ref();
        let opaque = written.map(|ty| types::opaque_types(ty, &result, &self.vars)).unwrap_or_default();
        let mut bounds = Vec::new();
        for (part, ty) in &opaque {
            if let Some((params, gives)) = self.world.impl_fn_signature(&mut self.vars, &env, part) {
                bounds.push((ty.clone(), params, gives));
            }
        }
        self.bounds.extend(bounds.iter().cloned());
        self.block(&function.body, &Hint::Must(result.clone()));
        self.bounds.clear();
        self.hold_to_bounds(bounds, function.body.loc);
        self.returned_items(&opaque);
        self.settle();
        self.report_unknown_locals();
        for (index, signature) in self.closures.iter().enumerate() {
            if let Some((params, result)) = signature {
                let params = params.iter().map(|ty| self.vars.resolve(ty)).collect();
                let signature = (params, self.vars.resolve(result));
                self.world.closures.insert((self.me, ClosureId(index)), signature);
            }
        }
    }

    /// Returns true in a text of the device library.
    fn in_library(&self) -> bool {
        self.world.program.is_of_library(self.env.text)
    }

    /// The type of the result of the function that was inferred.
    pub(crate) fn result(&self) -> Ty {
        self.results.first().map_or(Ty::Error, |result| self.vars.resolve(result))
    }

    /// Infers an expression of this type that stands alone: a constant's value, an array's length.
    pub fn alone(&mut self, expr: &'p Expr, ty: Option<&Ty>) {
        match ty {
            Some(ty) => self.operand(expr, &Hint::Must(ty.clone())),
            None => self.operand(expr, &Hint::None),
        };
        self.settle();
        // The variables of a text are not those of a length in it.
        if let Text::Const(id) = self.env.text
            && self.world.program.consts[id.0].init.id == expr.id
        {
            self.report_unknown_locals();
        }
    }

    /// The type of an expression before what is done silently, at every depth.
    pub fn expr_ty(&self, id: ExprId) -> Ty {
        self.vars.resolve(&self.exprs[id.0])
    }

    /// The type of a variable.
    pub fn local_ty(&self, id: LocalId) -> Ty {
        match self.table.is_variable(id) || id.0 < self.param_count() {
            true => self.vars.resolve(&self.locals[id.0]),
            false => Ty::Unit,
        }
    }

    /// The type that a call of `size_of` or its like is about.
    pub fn measured(&mut self, id: ExprId) -> typed::Ty {
        let ty = self.measured.get(&id).cloned().unwrap_or(Ty::Error);
        self.intern(&ty)
    }

    /// Those keys where they have an order of their own.
    pub fn own_key_of(&mut self, id: ExprId) -> Option<Ty> {
        let key = self.keys.get(&id)?.clone();
        let key = self.vars.resolve(&key);
        self.has_own_key(&key).then_some(key)
    }

    /// The type of the keys by which a call of `min_by_key` or `max_by_key` compares.
    pub fn key_of(&mut self, id: ExprId) -> typed::Ty {
        let key = self.keys.get(&id).map_or(Ty::Error, |key| self.vars.resolve(key));
        self.intern(&key)
    }

    fn param_count(&self) -> usize {
        match self.env.text {
            Text::Function(id) => {
                let function = &self.world.program.functions[id.0];
                function.params.len() + usize::from(function.receiver.is_some())
            }
            _ => 0,
        }
    }

    /// The inferred types of a pattern.
    pub fn pat(&self, id: PatId) -> PatInfo {
        match &self.pats[id.0] {
            Some(info) => PatInfo { ty: self.vars.resolve(&info.ty), ..info.clone() },
            None => PatInfo { ty: Ty::Error, derefs: 0, by_ref: None },
        }
    }

    /// The implicit adjustments of an expression.
    pub fn adjusts(&self, id: ExprId) -> &[Adjust] {
        self.adjusts.get(&id).map_or(&[], |adjusts| adjusts)
    }

    /// Returns true for a slice that a method changes.
    pub fn is_written_slice(&self, id: ExprId) -> bool {
        self.written_slices.contains(&id)
    }

    /// The call of the user's own `into_iter` by a `for` loop.
    pub fn iterator_made(&self, id: ExprId) -> Option<(FunctionId, Rc<[Ty]>)> {
        let (function, args) = self.into_iters.get(&id)?;
        Some((*function, args.iter().map(|arg| self.vars.resolve(arg)).collect()))
    }

    /// The type of a pointer that a function becomes, with every type known.
    pub fn pointer_type(&self, index: usize) -> Rc<[Ty]> {
        self.pointer_types[index].iter().map(|part| self.vars.resolve(part)).collect()
    }

    /// A dereference by the user's own trait, with every type known.
    pub fn own_deref(&self, index: usize) -> OwnDeref {
        let known = |args: &Rc<[Ty]>| args.iter().map(|arg| self.vars.resolve(arg)).collect();
        let OwnDeref { read, write, target, is_written } = &self.own_derefs[index];
        OwnDeref {
            read: (read.0, known(&read.1)),
            write: write.as_ref().map(|write| (write.0, known(&write.1))),
            target: self.vars.resolve(target),
            is_written: *is_written,
        }
    }

    /// `*value` of a type with an `impl Deref` of the user's own: the place is changed if `mutable`, or what stands around it
    /// changes it.
    fn dereferenced(&mut self, ty: &Ty, mutable: bool) -> Option<(Adjust, Ty)> {
        let (Ty::Struct(..) | Ty::Enum(_)) = ty else { return None };
        let of_trait = |this: &mut Self, name: &str, method: &str| {
            let (id, function, args) = this.trait_functions(name, ty, method).into_iter().next()?;
            this.bind_impl(id, &args, ty);
            Some((function, args))
        };
        let read = of_trait(self, "Deref", "deref")?;
        let write = of_trait(self, "DerefMut", "deref_mut");
        let (_, result) = self.world.signature(&mut self.vars, read.0, &read.1);
        let target = match self.vars.shallow(&result) {
            Ty::Ref(inner, _) => self.vars.shallow(&inner),
            // The place is the slice itself.
            Ty::Slice(element, _) => Ty::Slice(element, write.is_some()),
            _ => return None,
        };
        self.own_derefs.push(OwnDeref { read, write, target: target.clone(), is_written: mutable });
        Some((Adjust::Own(self.own_derefs.len() - 1), target))
    }

    /// The resolution of a call, operator or path, with every type known.
    pub fn resolved(&self, id: ExprId) -> Option<Resolved> {
        let known = |args: &Rc<[Ty]>| args.iter().map(|arg| self.vars.resolve(arg)).collect();
        Some(match self.resolved.get(&id)? {
            Resolved::Invoke(function, args) => Resolved::Invoke(*function, known(args)),
            Resolved::InvokeNot(function, args) => Resolved::InvokeNot(*function, known(args)),
            Resolved::InvokeOrder(function, args, then) => {
                Resolved::InvokeOrder(*function, known(args), *then)
            }
            Resolved::UserIndex(index, index_mut) => Resolved::UserIndex(
                (index.0, known(&index.1)),
                index_mut.as_ref().map(|index_mut| (index_mut.0, known(&index_mut.1))),
            ),
            Resolved::Const(id, args) => Resolved::Const(*id, known(args)),
            other => other.clone(),
        })
    }

    /// The parameter types and the result type of a closure.
    pub fn closure_signature(&self, owner: FnId, id: ClosureId) -> Option<(Vec<Ty>, Ty)> {
        match owner == self.me {
            true => self.closures[id.0].clone(),
            false => self.world.closures.get(&(owner, id)).cloned(),
        }
    }

    fn error(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        self.world.diagnostics.error(at, message);
    }

    /// The type as far as it is known; open operators are tried again if that may help.
    fn known(&mut self, ty: &Ty) -> Ty {
        match self.vars.shallow(ty) {
            Ty::Var(var)
                if self.vars.kind(var) == Kind::Any
                    && !(self.pending.is_empty() && self.opaques.is_empty()) =>
            {
                self.retry();
                self.vars.shallow(ty)
            }
            known => known,
        }
    }

    fn is_any(&self, ty: &Ty) -> bool {
        matches!(self.vars.shallow(ty), Ty::Var(var) if self.vars.kind(var) == Kind::Any)
    }

    fn adjust(&mut self, expr: &Expr, adjusts: impl IntoIterator<Item = Adjust>) {
        self.adjusts.entry(expr.id).or_default().extend(adjusts);
    }

    /// The type must be of the class: reported at once if it is known, else when it is.
    fn claim(&mut self, ty: &Ty, class: Class, loc: Loc, what: &'static str) {
        let claim = Claim { ty: ty.clone(), class, loc, what };
        match self.vars.shallow(ty) {
            Ty::Var(_) => self.claims.push(claim),
            _ => {
                self.judge(&claim);
            }
        }
    }

    fn judge(&mut self, claim: &Claim) -> bool {
        match self.vars.shallow(&claim.ty) {
            Ty::Var(_) | Ty::Error => true,
            Ty::Scalar(scalar) if claim.class.holds(scalar) => true,
            other => {
                self.report_class(claim, &other);
                false
            }
        }
    }

    /// Decides what is still open: literals fall back, then operators, claims and casts are judged.
    fn settle(&mut self) {
        self.retry();
        self.refuse_conversions_to_literals();
        self.refuse_open_sums();
        self.force_numbers();
        self.vars.fall_back();
        self.retry();
        self.force_pending();
        self.vars.fall_back();
        for (expr, receiver, step, to) in std::mem::take(&mut self.arrays) {
            self.converted_slice(expr, receiver, &step, &to);
        }
        for (expr, to, from) in std::mem::take(&mut self.conversions) {
            let (to, from) = (self.vars.shallow(&to), self.vars.shallow(&from));
            self.converted(expr, &to, &from);
        }
        self.discard_tried();
        self.refuse_opaques();
        self.settle_literals();
        for claim in std::mem::take(&mut self.claims) {
            self.judge(&claim);
        }
        for (arg, found) in std::mem::take(&mut self.lane_operands) {
            self.judge_lane_operand(arg, found);
        }
        for cast in std::mem::take(&mut self.casts) {
            self.judge_cast(&cast);
        }
    }

    /// Makes `()` of the values of `?` that nothing asks for: `Err(e)?;`. rustc's fallback of types beside diverging branches.
    fn discard_tried(&mut self) {
        for ty in std::mem::take(&mut self.tried) {
            if self.is_any(&ty) {
                let _ = self.vars.try_unify(&ty, &Ty::Unit);
            }
        }
    }

    /// Reports `x.into()` and `x.try_into()` whose target nothing but the type of literals could decide, in a text with type parameters:
    /// there a bound on an associated type may decide it for rustc, and the type that literals fall back to would be another one.
    fn refuse_conversions_to_literals(&mut self) {
        let is_data =
            |arg: &Ty| !matches!(arg, Ty::Const(_) | Ty::Closure(..) | Ty::Function(..) | Ty::FnPtr(_));
        if !self.env.args.iter().any(is_data) {
            return;
        }
        let fallible = self.arrays.iter().map(|row| (row.0, row.3.clone()));
        let conversions = self.conversions.iter().map(|row| (row.0, row.1.clone()));
        for (expr, to) in conversions.chain(fallible).collect::<Vec<_>>() {
            if let Ty::Var(_) = self.vars.shallow(&to) {
                self.report_no_target(expr, &to);
            }
        }
    }

    fn report_unknown_locals(&mut self) {
        for (index, local) in self.text_locals.iter().enumerate() {
            if !self.table.is_variable(LocalId(index)) {
                continue;
            }
            let name = &local.name;
            let ty = self.vars.resolve(&self.locals[index]);
            match self.problem(&ty) {
                None => {}
                Some(Problem::Unknown) => {
                    let shaped = self.tile_type(&ty).and_then(|name| library::example_type(&name));
                    let example = shaped.unwrap_or_else(|| self.type_example(&ty).to_string());
                    let message = format!(
                        "expected a type for `{name}`, found nothing that decides it\nhelp: write it: `let {name}: {example}`"
                    );
                    self.error(name, message);
                }
                Some(Problem::Iterator(what)) => {
                    let message = format!(
                        "expected a value that can be kept in a variable, found {what} for `{name}`\nhelp: write it where it is used: in the `for`, or with what consumes it"
                    );
                    self.error(name, message);
                }
            }
        }
    }

    fn problem(&self, ty: &Ty) -> Option<Problem> {
        match ty {
            Ty::Var(_) => Some(Problem::Unknown),
            Ty::Range(_) => Some(Problem::Iterator("a range")),
            Ty::Iter(..) => Some(Problem::Iterator("an iterator")),
            other => other.children().into_iter().find_map(|part| self.problem(part)),
        }
    }

    fn type_example(&self, ty: &Ty) -> String {
        match ty {
            Ty::Option(_) => "Option<f32>".to_owned(),
            Ty::Array(..) => "[f32; 4]".to_owned(),
            Ty::Tuple(_) => "(f32, f32)".to_owned(),
            _ => "f32".to_owned(),
        }
    }

    /// The functions with this name of impls that the type could be of: the impl, the function, fresh arguments of the impl.
    pub(crate) fn impl_functions(&mut self, ty: &Ty, name: &str) -> Vec<(ImplId, FunctionId, Rc<[Ty]>)> {
        let program = self.world.program;
        let mut found = Vec::new();
        for (index, decl) in program.impls.iter().enumerate() {
            let Some((_, function)) = decl.functions.iter().find(|row| row.0 == name) else { continue };
            if program.functions[function.0].is_private && !self.in_library() {
                continue;
            }
            let id = ImplId(index);
            if self.world.is_for_unsized(id) || !program.sees(self.env.text, decl) {
                continue;
            }
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let own = self.world.self_type(&mut self.vars, id, &args);
            let is_for = self.vars.could_be_for(&own, ty) && self.meets_bounds(id, ty);
            if is_for && !(decl.is_derived && self.is_compared_whole(ty, name == "eq")) {
                found.push((id, *function, args));
            }
        }
        found
    }

    /// Returns true if a trait of the user's own has impls, and none for the type. A trait with the name of one of the language's may
    /// be that one.
    pub(crate) fn has_no_impl(&mut self, of_trait: &ast::TraitName, ty: &Ty) -> bool {
        if OF_THE_LANGUAGE.iter().any(|name| *of_trait == *name) {
            return false;
        }
        let program = self.world.program;
        let is_of = |decl: &ast::Impl| decl.of_trait.as_ref().is_some_and(|of| of.0 == *of_trait);
        let mut is_own = false;
        for (index, decl) in program.impls.iter().enumerate().filter(|(_, decl)| is_of(decl)) {
            if !decl.of_own_trait {
                return false;
            }
            is_own = true;
            let args: Rc<[Ty]> = decl.generics.iter().map(|_| self.vars.any()).collect();
            let own = self.world.self_type(&mut self.vars, ImplId(index), &args);
            if self.vars.could_unify(&own, ty) {
                return false;
            }
        }
        is_own
    }

    /// Returns false if a blanket impl, `impl<T: Trait> Other for T`, asks for a trait of the user's own that the type has no
    /// impl of. rustc checks all other bounds.
    pub(crate) fn meets_bounds(&mut self, id: ImplId, ty: &Ty) -> bool {
        let program = self.world.program;
        let decl = &program.impls[id.0];
        let TypeKind::Path { path, .. } = &decl.self_ty.kind else { return true };
        let Some(param) = decl.generics.iter().find(|param| path.is_ident(&param.name)) else { return true };
        let GenericParamKind::Type { bounds, callable, .. } = &param.kind else { return true };
        let is_called =
            matches!(ty, Ty::Closure(..) | Ty::Function(..) | Ty::FnPtr(_) | Ty::Var(_) | Ty::Error);
        if callable.is_some() && !is_called {
            return false;
        }
        bounds.iter().all(|bound| {
            let mut impls = program.impls.iter().enumerate().filter(|(index, other)| {
                *index != id.0
                    && other.of_own_trait
                    && other.of_trait.as_ref().is_some_and(|of| of.0 == *bound)
            });
            let is_own = impls.clone().next().is_some();
            let fits = impls.any(|(index, other)| {
                let args: Rc<[Ty]> = other.generics.iter().map(|_| self.vars.any()).collect();
                let own = self.world.self_type(&mut self.vars, ImplId(index), &args);
                self.vars.could_unify(&own, ty)
            });
            !is_own || fits
        })
    }

    /// As [`Infer::impl_functions`], of an impl of this trait.
    pub(super) fn trait_functions(
        &mut self,
        of_trait: &str,
        ty: &Ty,
        name: &str,
    ) -> Vec<(ImplId, FunctionId, Rc<[Ty]>)> {
        let program = self.world.program;
        let mut found = self.impl_functions(ty, name);
        found.retain(|(id, ..)| {
            program.impls[id.0].of_trait.as_ref().is_some_and(|(name, _)| name == of_trait)
        });
        found
    }

    fn is_scalar(&self, ty: &Ty) -> Option<Scalar> {
        match self.vars.shallow(ty) {
            Ty::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// A number, or a literal that will be one; `bool` too.
    fn is_scalar_like(&self, ty: &Ty) -> bool {
        match self.vars.shallow(ty) {
            Ty::Scalar(_) => true,
            Ty::Var(var) => self.vars.kind(var) != Kind::Any,
            _ => false,
        }
    }

    /// The type of the typed tree.
    pub fn intern(&mut self, ty: &Ty) -> typed::Ty {
        let ty = self.vars.resolve(ty);
        self.world.intern(&ty)
    }
}

/// Why a variable cannot be of a type.
enum Problem {
    Unknown,
    Iterator(&'static str),
}
