//! Evaluation of the typed tree: constants, and the functions that they call.
//!
//! A reference is the value that it refers to. Only parameters change what they refer to: the caller stores what they are in the end, which
//! is the same because nothing else is changed through a reference, and none is returned. Values are [`Constant`]s.
//! Overflow is a mistake, as rustc has it; a budget of steps ends what does not end.

pub(super) mod arith;
mod builtin;
mod pattern;

use std::rc::Rc;

use crate::diagnostics::Loc;
use crate::infer::world::{InstanceState, World};
use crate::typed::{
    Block, Const, ConstValue, Constant, Expr, ExprKind, FnId, Format, Iter, IterKind, LocalId, LoopId,
    Pattern, Scalar, Stmt, Ty,
};
pub(crate) use arith::{binary, cast, unary};

/// Number of steps for one constant: each expression and each scalar that is copied is a step.
const BUDGET: u64 = 20_000_000;

const TOO_MANY_STEPS: &str = "expected a constant that is evaluated in 20 million steps, found one that takes more\nhelp: make its loops \
                              shorter, or its arrays, or compute it on the host";

/// Most nested calls.
const MAX_CALLS: usize = 100;

/// Why an evaluation does not go on where it is.
enum Flow {
    Break(LoopId, Constant),
    Continue(LoopId),
    Return(Constant),
    /// A mistake; `None` if it was reported.
    Fail(Option<String>),
}

type Outcome<T = Constant> = Result<T, Flow>;

/// Evaluates expressions.
pub(super) struct Machine<'m, 'p> {
    world: &'m mut World<'p>,
    loc: Loc,
    budget: u64,
    calls: usize,
}

/// The variables of a call.
struct Frame<'f> {
    locals: Vec<Option<Constant>>,
    /// Number of parameters among them; they come first.
    params: usize,
    consts: &'f [Const],
    formats: &'f [Format],
}

fn fail<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Flow::Fail(Some(message.into())))
}

fn unsupported<T>() -> Outcome<T> {
    fail(
        "expected a constant expression, found one that is not supported in constants yet\nhelp: use literals, constants, \
         operators, `as`, `if`, loops, and functions of these",
    )
}

impl<'m, 'p> Machine<'m, 'p> {
    pub(super) fn new(world: &'m mut World<'p>, loc: Loc) -> Machine<'m, 'p> {
        Machine { world, loc, budget: BUDGET, calls: 0 }
    }

    /// The expression's value with these values of the variables, as far as they are known, or why there is none.
    pub(super) fn run(
        mut self,
        expr: &Expr,
        locals: Vec<Option<Constant>>,
        (consts, formats): (&[Const], &[Format]),
    ) -> Result<Constant, Option<String>> {
        let mut frame = Frame { locals, params: 0, consts, formats };
        match self.expr(&mut frame, expr) {
            Ok(value) | Err(Flow::Return(value)) => Ok(value),
            Err(Flow::Fail(message)) => Err(message),
            Err(Flow::Break(..) | Flow::Continue(_)) => Err(None),
        }
    }

    fn block(&mut self, frame: &mut Frame<'_>, block: &Block) -> Outcome {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Declare(_) => {}
                Stmt::Let { pattern, init, otherwise, .. } => {
                    let value = self.expr(frame, init)?;
                    if !self.matches(frame, pattern, &value)
                        && let Some(otherwise) = otherwise
                    {
                        return self.block(frame, otherwise);
                    }
                }
                Stmt::Expr(expr) => {
                    self.expr(frame, expr)?;
                }
            }
        }
        match &block.value {
            Some(value) => self.expr(frame, value),
            None => Ok(unit()),
        }
    }

    fn exprs(&mut self, frame: &mut Frame<'_>, exprs: &[Expr]) -> Outcome<Vec<Constant>> {
        exprs.iter().map(|expr| self.expr(frame, expr)).collect()
    }

    fn scalar(&mut self, frame: &mut Frame<'_>, expr: &Expr) -> Outcome<ConstValue> {
        match self.expr(frame, expr)? {
            Constant::Scalar(value) => Ok(value),
            Constant::Aggregate(_) | Constant::Option(_) => unsupported(),
        }
    }

    fn truth(&mut self, frame: &mut Frame<'_>, expr: &Expr) -> Outcome<bool> {
        Ok(self.scalar(frame, expr)?.bits == 1)
    }

    fn expr(&mut self, frame: &mut Frame<'_>, expr: &Expr) -> Outcome {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            return fail(TOO_MANY_STEPS);
        }
        match &expr.kind {
            ExprKind::Literal(value) | ExprKind::Path(value) => Ok(Constant::Scalar(*value)),
            ExprKind::Local(_) if is_mutable(&expr.ty) => unsupported(),
            ExprKind::Local(_) | ExprKind::Const(_) => self.read(frame, expr),
            ExprKind::Unit => Ok(unit()),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                Ok(Constant::Aggregate(self.exprs(frame, parts)?))
            }
            ExprKind::Repeat(value) => {
                let value = self.expr(frame, value)?;
                let Ty::Array(_, len) = expr.ty else { return unsupported() };
                let copies = len.saturating_mul(value.scalars());
                if copies > self.budget {
                    return fail(TOO_MANY_STEPS);
                }
                self.budget -= copies;
                Ok(Constant::Aggregate(vec![value; len as usize]))
            }
            ExprKind::Struct { fields, base } => self.struct_expr(frame, expr, fields, base.as_deref()),
            ExprKind::Variant(index) => {
                let Ty::Enum(id) = expr.ty else { return unsupported() };
                let def = &self.world.enums[id.0];
                Ok(Constant::Scalar(crate::literal::wrap_int(def.repr, def.variants[*index].1)))
            }
            ExprKind::Some(value) => Ok(Constant::Option(Some(Box::new(self.expr(frame, value)?)))),
            ExprKind::None => Ok(Constant::Option(None)),
            ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Deref(_) => self.read(frame, expr),
            ExprKind::Unsize(inner) => self.expr(frame, inner),
            ExprKind::Ref(_) if is_mutable(&expr.ty) => unsupported(),
            ExprKind::Ref(inner) => self.expr(frame, inner),
            ExprKind::Unary { op, arg } => {
                let value = self.negatable(frame, arg)?;
                // A literal one beyond the greatest value is written for the least.
                let literal = matches!(arg.kind, ExprKind::Literal(_));
                unary(*op, value, literal).map(Constant::Scalar).or_else(fail)
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (left, right) = (self.expr(frame, lhs)?, self.expr(frame, rhs)?);
                match (left, right) {
                    (Constant::Scalar(left), Constant::Scalar(right)) => {
                        binary(*op, left, right).map(Constant::Scalar).or_else(fail)
                    }
                    (left, right) => arith::compare_whole(*op, &left, &right).map_or_else(unsupported, Ok),
                }
            }
            ExprKind::Logical { and, lhs, rhs } => match self.truth(frame, lhs)? == *and {
                true => self.expr(frame, rhs),
                false => Ok(boolean(!and)),
            },
            ExprKind::Cast(arg) => {
                let value = self.scalar(frame, arg)?;
                match expr.ty {
                    Ty::Scalar(to) => Ok(Constant::Scalar(cast(value, to))),
                    _ => unsupported(),
                }
            }
            ExprKind::Call { builtin, args } => {
                let values = self.exprs(frame, args)?;
                builtin::call(*builtin, &values, &expr.ty).map_or_else(unsupported, Ok)
            }
            ExprKind::Invoke { .. } if is_mutable(&expr.ty) => unsupported(),
            ExprKind::Invoke { function, args } => {
                let places: Vec<Option<&Expr>> = args.iter().map(changed_place).collect();
                let values = args.iter().zip(&places).map(|(arg, place)| match place {
                    Some(place) => self.read(frame, place),
                    None => self.expr(frame, arg),
                });
                let values = values.collect::<Outcome<_>>()?;
                let (result, params) = self.invoke(*function, values)?;
                for (place, param) in places.into_iter().zip(params) {
                    if let (Some(place), Some(value)) = (place, param) {
                        self.assign(frame, place, value)?;
                    }
                }
                Ok(result)
            }
            ExprKind::InlinePtx(_) => fail(
                "expected a constant, found PTX, which only the GPU runs\nhelp: compute it in the kernel",
            ),
            ExprKind::Panic { format, .. } => fail(format!(
                "expected a constant that has a value, found one that panics: {}\nhelp: make it one that does not",
                frame.formats[format.0].text
            )),
            ExprKind::Print { .. } => {
                fail("expected a constant that has a value, found one that prints\nhelp: leave it out")
            }
            ExprKind::Let { pattern, value } => {
                let value = self.expr(frame, value)?;
                Ok(boolean(self.matches(frame, pattern, &value)))
            }
            ExprKind::Match { value, arms, .. } => {
                let value = self.expr(frame, value)?;
                for arm in arms {
                    let Some(guard) = &arm.guard else {
                        if self.matches(frame, &arm.pattern, &value) {
                            return self.expr(frame, &arm.body);
                        }
                        continue;
                    };
                    for alternative in arm.pattern.alternatives() {
                        if self.matches(frame, &alternative, &value) && self.truth(frame, guard)? {
                            return self.expr(frame, &arm.body);
                        }
                    }
                }
                unsupported()
            }
            ExprKind::Assign { place, value } => {
                let value = self.expr(frame, value)?;
                self.assign(frame, place, value)?;
                Ok(unit())
            }
            ExprKind::AssignOp { op, place, value } => {
                let right = self.scalar(frame, value)?;
                let left = self.scalar(frame, place)?;
                let value = binary(*op, left, right).or_else(fail)?;
                self.assign(frame, place, Constant::Scalar(value))?;
                Ok(unit())
            }
            ExprKind::Block(block) => self.block(frame, block),
            ExprKind::Labeled { id, body, .. } => match self.block(frame, body) {
                Err(Flow::Break(target, value)) if target == *id => Ok(value),
                other => other,
            },
            ExprKind::If { cond, then, otherwise, .. } => match (self.truth(frame, cond)?, otherwise) {
                (true, _) => self.block(frame, then),
                (false, Some(otherwise)) => self.expr(frame, otherwise),
                (false, None) => Ok(unit()),
            },
            ExprKind::Loop { id, body, .. } => loop {
                if let Some(value) = self.turn(frame, *id, body)? {
                    return Ok(value);
                }
            },
            ExprKind::While { id, cond, body, .. } => {
                while self.truth(frame, cond)? {
                    if let Some(value) = self.turn(frame, *id, body)? {
                        return Ok(value);
                    }
                }
                Ok(unit())
            }
            ExprKind::For { id, pattern, iter, body, .. } => self.for_loop(frame, *id, pattern, iter, body),
            ExprKind::Break { target, value } => {
                let value = match value {
                    Some(value) => self.expr(frame, value)?,
                    None => unit(),
                };
                Err(Flow::Break(*target, value))
            }
            ExprKind::Continue { target } => Err(Flow::Continue(*target)),
            ExprKind::Return(value) => {
                let value = match value {
                    Some(value) => self.expr(frame, value)?,
                    None => unit(),
                };
                Err(Flow::Return(value))
            }
            ExprKind::Closure(_)
            | ExprKind::Function
            | ExprKind::Subslice { .. }
            | ExprKind::MulAdd { .. }
            | ExprKind::AssignMulAdd { .. }
            | ExprKind::Axis { .. }
            | ExprKind::InvokeValue { .. }
            | ExprKind::Atomic(_)
            | ExprKind::Fence { .. }
            | ExprKind::Consume { .. } => unsupported(),
        }
    }

    /// Reads a place. Only the part that is read is copied, because a table may be large.
    fn read(&mut self, frame: &mut Frame<'_>, place: &Expr) -> Outcome {
        let mut path = Vec::new();
        let mut at = place;
        let mut made = None;
        loop {
            match &at.kind {
                ExprKind::Local(_) | ExprKind::Const(_) => break,
                ExprKind::Field { base, index } => {
                    path.push(*index as u64);
                    at = base;
                }
                ExprKind::Index { base, index } => {
                    path.push(self.scalar(frame, index)?.bits);
                    at = base;
                }
                ExprKind::Deref(inner) | ExprKind::Unsize(inner) => at = inner,
                _ => {
                    made = Some(self.expr(frame, at)?);
                    break;
                }
            }
        }
        let root = match (&made, &at.kind) {
            (Some(made), _) => Some(made),
            (None, ExprKind::Local(id)) => frame.locals.get(id.0).and_then(Option::as_ref),
            (None, ExprKind::Const(id)) => Some(&frame.consts[id.0].value),
            (None, _) => None,
        };
        let Some(mut value) = root else { return unsupported() };
        for index in path.into_iter().rev() {
            let Constant::Aggregate(parts) = value else { return unsupported() };
            match parts.get(index as usize) {
                Some(part) => value = part,
                None => return out_of_bounds(index, parts.len()),
            }
        }
        let scalars = value.scalars();
        if scalars > self.budget {
            return fail(TOO_MANY_STEPS);
        }
        self.budget -= scalars;
        Ok(value.clone())
    }

    /// One iteration of a loop; `Some` value if a `break` leaves the loop.
    fn turn(&mut self, frame: &mut Frame<'_>, id: LoopId, body: &Block) -> Outcome<Option<Constant>> {
        match self.block(frame, body) {
            Ok(_) => Ok(None),
            Err(Flow::Continue(target)) if target == id => Ok(None),
            Err(Flow::Break(target, value)) if target == id => Ok(Some(value)),
            Err(other) => Err(other),
        }
    }

    fn for_loop(
        &mut self,
        frame: &mut Frame<'_>,
        id: LoopId,
        pattern: &Pattern,
        iter: &Iter,
        body: &Block,
    ) -> Outcome {
        let items: Vec<Constant> = match &iter.kind {
            IterKind::Range { start, end, inclusive } => {
                let (start, end) = (self.scalar(frame, start)?, self.scalar(frame, end)?);
                let (first, last) = (crate::literal::to_int(start), crate::literal::to_int(end));
                let last = if *inclusive { last } else { last - 1 };
                if last - first > i128::from(BUDGET) {
                    return unsupported();
                }
                (first..=last)
                    .map(|value| Constant::Scalar(crate::literal::wrap_int(start.ty, value)))
                    .collect()
            }
            IterKind::Array(of) | IterKind::Slice(of) => match self.expr(frame, of)? {
                Constant::Aggregate(parts) => parts,
                Constant::Scalar(_) | Constant::Option(_) => return unsupported(),
            },
            _ => return unsupported(),
        };
        for item in items {
            self.matches(frame, pattern, &item);
            if self.turn(frame, id, body)?.is_some() {
                break;
            }
        }
        Ok(unit())
    }

    fn negatable(&mut self, frame: &mut Frame<'_>, arg: &Expr) -> Outcome<ConstValue> {
        self.scalar(frame, arg)
    }

    fn struct_expr(
        &mut self,
        frame: &mut Frame<'_>,
        expr: &Expr,
        fields: &[(usize, Expr)],
        base: Option<&Expr>,
    ) -> Outcome {
        let Ty::Struct(id) = expr.ty else { return unsupported() };
        let count = self.world.structs[id.0].fields.len();
        let mut parts: Vec<Option<Constant>> = vec![None; count];
        for (index, value) in fields {
            parts[*index] = Some(self.expr(frame, value)?);
        }
        if let Some(base) = base
            && let Constant::Aggregate(others) = self.expr(frame, base)?
        {
            for (place, other) in parts.iter_mut().zip(others) {
                place.get_or_insert(other);
            }
        }
        let fields = &self.world.structs[id.0].fields;
        let parts = parts.into_iter().zip(fields).map(|(part, field)| match part {
            Some(part) => Ok(part),
            None => zero(&field.ty, self.world).map_or_else(unsupported, Ok),
        });
        Ok(Constant::Aggregate(parts.collect::<Outcome<_>>()?))
    }

    fn assign(&mut self, frame: &mut Frame<'_>, place: &Expr, value: Constant) -> Outcome<()> {
        // From the variable to the part that is written.
        let mut path = Vec::new();
        let mut at = place;
        let root = loop {
            match &at.kind {
                ExprKind::Local(id) if is_mutable(&at.ty) && id.0 >= frame.params => return unsupported(),
                ExprKind::Local(id) => break *id,
                ExprKind::Deref(inner) => at = inner,
                ExprKind::Field { base, index } => {
                    path.push(*index as u64);
                    at = base;
                }
                ExprKind::Index { base, index } => {
                    path.push(self.scalar(frame, index)?.bits);
                    at = base;
                }
                _ => return unsupported(),
            }
        };
        if path.is_empty() {
            frame.locals[root.0] = Some(value);
            return Ok(());
        }
        let Some(mut target) = frame.locals[root.0].as_mut() else { return unsupported() };
        for index in path.into_iter().rev() {
            let Constant::Aggregate(parts) = target else { return unsupported() };
            let len = parts.len();
            match parts.get_mut(index as usize) {
                Some(part) => target = part,
                None => return out_of_bounds(index, len),
            }
        }
        *target = value;
        Ok(())
    }

    /// The result of the function, and the values of its parameters when it returns.
    fn invoke(&mut self, id: FnId, args: Vec<Constant>) -> Outcome<(Constant, Vec<Option<Constant>>)> {
        if self.calls == MAX_CALLS {
            return fail(format!(
                "expected a constant with at most {MAX_CALLS} open calls, found more\nhelp: write a loop"
            ));
        }
        if let InstanceState::Pending = self.world.instances[id.0].state {
            super::build(self.world, id);
        }
        let state = std::mem::replace(&mut self.world.instances[id.0].state, InstanceState::Open);
        let InstanceState::Done(function) = state else {
            let message = match state {
                InstanceState::Failed => None,
                _ => Some(
                    "expected a constant with a value, found one that depends on itself\nhelp: write its value".to_owned(),
                ),
            };
            self.world.instances[id.0].state = state;
            return Err(Flow::Fail(message));
        };
        let function = Rc::new(function);
        let params = args.len();
        let mut locals: Vec<Option<Constant>> = args.into_iter().map(Some).collect();
        locals.resize(function.locals.len(), None);
        let mut frame = Frame { locals, params, consts: &function.consts, formats: &function.formats };
        self.calls += 1;
        let result = self.block(&mut frame, &function.body);
        self.calls -= 1;
        let mut locals = frame.locals;
        locals.truncate(params);
        if let Ok(function) = Rc::try_unwrap(function) {
            self.world.instances[id.0].state = InstanceState::Done(function);
        }
        match result {
            Ok(value) | Err(Flow::Return(value)) => Ok((value, locals)),
            Err(other) => Err(other),
        }
    }

    fn matches(&mut self, frame: &mut Frame<'_>, pattern: &Pattern, value: &Constant) -> bool {
        let _ = self.loc;
        pattern::matches(&mut frame.locals, pattern, value)
    }
}

/// Returns true for a reference, or what stands for one, that changes what it refers to.
fn is_mutable(ty: &Ty) -> bool {
    match ty {
        Ty::Ref { mutable, .. } | Ty::Slice { mutable, .. } => *mutable,
        Ty::Option(some) => is_mutable(some),
        Ty::Tuple(parts) => parts.iter().any(is_mutable),
        _ => false,
    }
}

/// The place that a call changes through this argument.
fn changed_place(arg: &Expr) -> Option<&Expr> {
    match &arg.kind {
        ExprKind::Ref(place) if is_mutable(&arg.ty) => Some(place),
        ExprKind::Unsize(inner) => changed_place(inner),
        ExprKind::Local(_) if is_mutable(&arg.ty) => Some(arg),
        _ => None,
    }
}

fn unit() -> Constant {
    Constant::Aggregate(Vec::new())
}

fn boolean(value: bool) -> Constant {
    Constant::Scalar(ConstValue { ty: Scalar::Bool, bits: u64::from(value) })
}

/// The value whose every bit is zero.
fn zero(ty: &Ty, world: &World<'_>) -> Option<Constant> {
    let scalar = |ty| Constant::Scalar(ConstValue { ty, bits: 0 });
    let all = |types: &mut dyn Iterator<Item = &Ty>| {
        types.map(|ty| zero(ty, world)).collect::<Option<Vec<_>>>().map(Constant::Aggregate)
    };
    match ty {
        Ty::Unit => Some(unit()),
        Ty::Scalar(ty) => Some(scalar(*ty)),
        Ty::Enum(id) => Some(scalar(world.enums[id.0].repr)),
        Ty::Option(_) => Some(Constant::Option(None)),
        Ty::Tuple(parts) => all(&mut parts.iter()),
        Ty::Struct(id) => all(&mut world.structs[id.0].fields.iter().map(|field| &field.ty)),
        Ty::Array(element, len) => Some(Constant::Aggregate(vec![zero(element, world)?; *len as usize])),
        Ty::Vector(lane, lanes) => Some(Constant::Aggregate(vec![scalar(*lane); *lanes as usize])),
        Ty::Never
        | Ty::Dim3
        | Ty::Atomic(_)
        | Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => None,
    }
}

fn out_of_bounds<T>(index: u64, len: usize) -> Outcome<T> {
    fail(format!("expected an index below {len}, found {index}\nhelp: use a smaller one"))
}

/// Sets a variable.
fn bind(locals: &mut [Option<Constant>], id: LocalId, value: &Constant) {
    if let Some(place) = locals.get_mut(id.0) {
        *place = Some(value.clone());
    }
}
