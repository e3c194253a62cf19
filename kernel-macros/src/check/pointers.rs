//! Calls of pointers to functions: a function for each type of them, which chooses among those that are handed over as such.

use proc_macro2::Ident;

use super::Checker;
use crate::ast;
use crate::infer::Ty;
use crate::infer::world::{InstanceState, Pointers, World};
use crate::resolve::Text;
use crate::typed::{
    self, BinaryOp, Block, ClosureId, ConstValue, Expr, ExprKind, FnId, Format, FormatId, Function, Local,
    LocalId, Pattern, Scalar, Stmt, Ty as Typed,
};
use crate::walk;

/// The number of a pointer as a value.
pub(super) fn number_of_pointer(number: usize) -> ConstValue {
    ConstValue { ty: Scalar::U64, bits: number as u64 }
}

/// Builds the functions that call pointers, once all that are handed over are known.
pub(super) fn build(world: &mut World<'_>) {
    for pointers in std::mem::take(&mut world.pointers) {
        let function = caller(world, &pointers);
        let instance = &mut world.instances[pointers.call.0];
        instance.calls = pointers.functions;
        instance.state = InstanceState::Done(Box::new(function));
    }
}

impl Checker<'_, '_, '_> {
    /// The closure as a function of its own.
    pub(super) fn function_of(&mut self, id: ClosureId, expr: &ast::Expr) -> Option<FnId> {
        let name = match self.infer.env.text {
            Text::Function(function) => self.infer.world.program.functions[function.0].name.clone(),
            _ => return None,
        };
        // A tree of its own: constants and texts have other numbers there.
        let mut own = Checker::new(&mut *self.infer);
        own.closure(id);
        let captured = own.mentioned.iter().next().map(|local| own.locals[local.0].name.to_string());
        let Checker { locals, consts, mut closures, formats, .. } = own;
        let is_nested = closures.iter().filter(|closure| closure.is_some()).count() > 1;
        let closure = closures[id.0].take()?;
        let refused = match captured {
            Some(name) => Some(format!(
                "expected a closure that captures nothing to point to, found one that captures `{name}`\nhelp: keep each closure in a variable of \
                 its own, and choose where they are called: `match i {{ 0 => f(v), _ => g(v) }}`"
            )),
            None if is_nested => Some(
                "expected a closure without others in it to point to, found one with such\nhelp: write a function, \
                 `fn name(…) -> … { … }`, and its name here"
                    .to_owned(),
            ),
            None => None,
        };
        if let Some(message) = refused {
            self.infer.world.diagnostics.error_at_first(expr.loc, message);
            return None;
        }
        // Parameters come first.
        let others = (0..locals.len()).map(LocalId).filter(|local| !closure.params.contains(local));
        let order: Vec<LocalId> = closure.params.iter().copied().chain(others).collect();
        let mut numbers = vec![LocalId(0); locals.len()];
        order.iter().enumerate().for_each(|(to, from)| numbers[from.0] = LocalId(to));
        let mut locals: Vec<Option<Local>> = locals.into_iter().map(Some).collect();
        let locals = order.iter().filter_map(|local| locals[local.0].take()).collect();
        let typed::Closure { params, result, mut body, .. } = closure;
        renumber(&mut body, &numbers);
        let span = body.span;
        let function = Function {
            name,
            param_count: params.len(),
            locals,
            consts,
            closures: Vec::new(),
            loops: Vec::new(),
            formats,
            result,
            body: Block { stmts: Vec::new(), value: Some(body), span },
            is_library: false,
            checks_overflow: self.infer.world.attrs.overflow_checks,
        };
        Some(self.infer.world.add(function))
    }
}

/// Gives the variables other numbers.
fn renumber(e: &mut Expr, numbers: &[LocalId]) {
    match &mut e.kind {
        ExprKind::Local(local) => *local = numbers[local.0],
        ExprKind::Let { pattern, .. } => in_pattern(pattern, numbers),
        ExprKind::Match { arms, .. } => {
            arms.iter_mut().for_each(|arm| in_pattern(&mut arm.pattern, numbers));
        }
        ExprKind::For { pattern, body, .. } => {
            in_pattern(pattern, numbers);
            in_block(body, numbers);
        }
        ExprKind::Block(body)
        | ExprKind::Labeled { body, .. }
        | ExprKind::Loop { body, .. }
        | ExprKind::While { body, .. }
        | ExprKind::If { then: body, .. } => in_block(body, numbers),
        _ => {}
    }
    walk::children(e, &mut |part| renumber(part, numbers));
}

/// In the statements themselves, not in their expressions.
fn in_block(block: &mut Block, numbers: &[LocalId]) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Declare(local) => *local = numbers[local.0],
            Stmt::Let { pattern, otherwise, .. } => {
                in_pattern(pattern, numbers);
                otherwise.iter_mut().for_each(|otherwise| in_block(otherwise, numbers));
            }
            Stmt::Expr(_) => {}
        }
    }
}

fn in_pattern(pattern: &mut Pattern, numbers: &[LocalId]) {
    match pattern {
        Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => {}
        Pattern::Bind { local, inner, .. } => {
            *local = numbers[local.0];
            inner.iter_mut().for_each(|inner| in_pattern(inner, numbers));
        }
        Pattern::Fields(fields) => fields.iter_mut().for_each(|(_, part)| in_pattern(part, numbers)),
        Pattern::Slice { before, rest, after } => {
            before.iter_mut().chain(after).for_each(|part| in_pattern(part, numbers));
            rest.iter_mut().for_each(|rest| in_pattern(rest, numbers));
        }
        Pattern::Some(inner) | Pattern::Deref(inner) | Pattern::Rest { pattern: inner, .. } => {
            in_pattern(inner, numbers);
        }
        Pattern::Or(parts) => parts.iter_mut().for_each(|part| in_pattern(part, numbers)),
    }
}

/// `fn call_pointer(f: u64, a: A, b: B) -> C { if f == 0 { first(a, b) } else if f == 1 { … } else { last(a, b) } }`
fn caller(world: &mut World<'_>, pointers: &Pointers) -> Function {
    let span = world.program.functions[world.instances[0].function.0].name.span();
    let (result, params) = pointers.parts.split_last().unwrap_or((&Ty::Unit, &[]));
    let result = world.intern(result);
    let params: Vec<Typed> =
        std::iter::once(Typed::Scalar(Scalar::U64)).chain(params.iter().map(|ty| world.intern(ty))).collect();
    let local =
        |index: usize| Expr { kind: ExprKind::Local(LocalId(index)), ty: params[index].clone(), span };
    let invoke = |function: FnId| {
        let args = (1..params.len()).map(local).collect();
        Expr { kind: ExprKind::Invoke { function, args }, ty: result.clone(), span }
    };
    let block = |value: Expr| Block { stmts: Vec::new(), value: Some(Box::new(value)), span };
    let mut rest = pointers.functions.iter().enumerate().rev();
    // Without a function there is no pointer, and no call that runs.
    let last = match rest.next() {
        Some((_, last)) => invoke(last.0),
        None => {
            let kind = ExprKind::Panic { format: FormatId(0), args: Vec::new() };
            Expr { kind, ty: Typed::Never, span }
        }
    };
    let value = rest.fold(last, |otherwise, (number, function)| {
        let number =
            Expr { kind: ExprKind::Literal(number_of_pointer(number)), ty: Typed::Scalar(Scalar::U64), span };
        let (lhs, rhs) = (Box::new(local(0)), Box::new(number));
        let cond = ExprKind::Binary { op: BinaryOp::Eq, lhs, rhs };
        let cond = Box::new(Expr { kind: cond, ty: Typed::Scalar(Scalar::Bool), span });
        let otherwise = match otherwise.kind {
            ExprKind::If { .. } => otherwise,
            _ => Expr { ty: otherwise.ty.clone(), kind: ExprKind::Block(block(otherwise)), span },
        };
        let then = block(invoke(function.0));
        let kind = ExprKind::If { cond, then, otherwise: Some(Box::new(otherwise)), attr: None };
        Expr { kind, ty: result.clone(), span }
    });
    let locals = params.iter().enumerate().map(|(index, ty)| {
        let name = if index == 0 { "pointer".to_owned() } else { format!("argument_{index}") };
        Local { name: Ident::new(&name, span), ty: ty.clone(), mutable: false, holds_pointer: false }
    });
    Function {
        name: Ident::new("call_pointer", span),
        param_count: params.len(),
        locals: locals.collect(),
        consts: Vec::new(),
        closures: Vec::new(),
        loops: Vec::new(),
        formats: vec![Format { text: "no function".to_owned(), args: Vec::new(), output: None }],
        body: block(value),
        result,
        is_library: true,
        checks_overflow: false,
    }
}
