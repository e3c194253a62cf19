//! Copies of closures with a state: refused, because a closure has one state in PTX.
//!
//! A `move` closure that assigns to what it captured is `Copy` in Rust where its captures are, and a copy has a state of its own. Here the
//! type of the closure alone says where its state is. So a variable with such a closure is used as a value once, outside of loops that it
//! is declared before, and then not at all: that is a move.

use std::collections::HashMap;

use proc_macro2::Span;

use crate::check::bindings;
use crate::diagnostics::Diagnostics;
use crate::typed::{Block, Closure, Expr, ExprKind, Function, Kernel, LocalId, Stmt, Ty};
use crate::walk;

/// Checks one instance of a kernel.
pub fn check(kernel: &mut Kernel, diagnostics: &mut Diagnostics) {
    let with_state: Vec<Vec<bool>> = kernel
        .functions
        .iter_mut()
        .map(|function| function.closures.iter_mut().map(has_state).collect())
        .collect();
    if with_state.iter().flatten().all(|has_state| !has_state) {
        return;
    }
    for function in kernel.functions.iter_mut().filter(|function| !function.is_library) {
        let mut uses = Uses { with_state: &with_state, declared: HashMap::new(), of: Vec::new() };
        uses.function(function);
        let Uses { declared, of, .. } = uses;
        let mut reported = Vec::new();
        for (position, used) in of.iter().enumerate().filter(|(_, used)| used.is_value) {
            let is_same = |other: &(usize, &Use)| other.0 != position && other.1.local == used.local;
            let is_repeated = declared.get(&used.local).is_some_and(|depth| *depth < used.depth);
            if (is_repeated || of.iter().enumerate().any(|other| is_same(&other)))
                && !reported.contains(&used.local)
            {
                reported.push(used.local);
                let name = &function.locals[used.local.0].name;
                let message = format!(
                    "expected a closure without a state, found a copy of `{name}`, which assigns to what it captured by `move`: the copy \
                     and `{name}` would share it\nhelp: write `&mut {name}` if they are to share it, else write the closure once more"
                );
                diagnostics.error(used.span, message);
            }
        }
    }
}

/// Returns true if a `move` closure assigns to a part of what it captured, or refers to it by `&mut`.
fn has_state(closure: &mut Closure) -> bool {
    let Some(captures) = &closure.captures else { return false };
    let mut found = false;
    let mut is_written = |expr: &mut Expr| {
        found |= match &expr.kind {
            ExprKind::Assign { place, .. }
            | ExprKind::AssignOp { place, .. }
            | ExprKind::AssignMulAdd { place, .. } => {
                root(place).is_some_and(|local| captures.contains(&local))
            }
            ExprKind::Ref(place) if matches!(expr.ty, Ty::Ref { mutable: true, .. }) => {
                root(place).is_some_and(|local| captures.contains(&local))
            }
            _ => false,
        };
    };
    every(&mut closure.body, &mut is_written);
    found
}

/// Calls `visit` with an expression and all of its parts.
fn every(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(expr);
    walk::children(expr, &mut |child| every(child, visit));
}

/// The variable that a place is a part of; none behind a reference.
fn root(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Field { base, .. } | ExprKind::Axis { base, .. } => root(base),
        ExprKind::Index { base, .. } if matches!(base.ty, Ty::Array(..) | Ty::Vector(..)) => root(base),
        _ => None,
    }
}

/// A mention of a variable with a closure.
struct Use {
    local: LocalId,
    /// Not called and not behind `&mut`.
    is_value: bool,
    /// Number of loops and closures around it.
    depth: usize,
    span: Span,
}

/// The mentions of such variables in a function.
struct Uses<'k> {
    /// By owner and closure.
    with_state: &'k [Vec<bool>],
    /// Number of loops and closures around the declarations.
    declared: HashMap<LocalId, usize>,
    of: Vec<Use>,
}

impl Uses<'_> {
    fn function(&mut self, function: &mut Function) {
        self.declared.extend((0..function.param_count).map(|param| (LocalId(param), 0)));
        self.block(&mut function.body, 0);
        // The calls of a closure are not known: its body may run more often than what is around it.
        const IN_CLOSURE: usize = 1 << 16;
        for closure in &mut function.closures {
            self.declared.extend(closure.params.iter().map(|param| (*param, IN_CLOSURE)));
            self.expr(&mut closure.body, IN_CLOSURE);
        }
    }

    fn block(&mut self, block: &mut Block, depth: usize) {
        for stmt in &mut block.stmts {
            match stmt {
                Stmt::Declare(local) => self.declared.extend([(*local, depth)]),
                Stmt::Let { pattern, init, otherwise, .. } => {
                    let mut bound = Vec::new();
                    bindings(pattern, &mut bound);
                    self.declared.extend(bound.into_iter().map(|local| (local, depth)));
                    self.expr(init, depth);
                    otherwise.iter_mut().for_each(|otherwise| self.block(otherwise, depth));
                }
                Stmt::Expr(expr) => self.expr(expr, depth),
            }
        }
        block.value.iter_mut().for_each(|value| self.expr(value, depth));
    }

    /// An expression whose value is used.
    fn expr(&mut self, expr: &mut Expr, depth: usize) {
        if let Some(local) = root(expr).filter(|_| self.holds_state(&expr.ty)) {
            self.of.push(Use { local, is_value: true, depth, span: expr.span });
            return;
        }
        match &mut expr.kind {
            ExprKind::Ref(place) => self.place(place, depth),
            ExprKind::InvokeValue { callee, args } => {
                self.place(callee, depth);
                args.iter_mut().for_each(|arg| self.expr(arg, depth));
            }
            ExprKind::Block(block) | ExprKind::Labeled { body: block, .. } => self.block(block, depth),
            ExprKind::If { cond, then, otherwise, .. } => {
                self.expr(cond, depth);
                self.block(then, depth);
                otherwise.iter_mut().for_each(|otherwise| self.expr(otherwise, depth));
            }
            ExprKind::Loop { body, .. } => self.block(body, depth + 1),
            ExprKind::While { cond, body, .. } => {
                self.expr(cond, depth + 1);
                self.block(body, depth + 1);
            }
            ExprKind::For { iter, body, .. } => {
                walk::iterator(iter, &mut |part| self.expr(part, depth));
                self.block(body, depth + 1);
            }
            _ => walk::children(expr, &mut |child| self.expr(child, depth)),
        }
    }

    /// An expression that is called or referred to.
    fn place(&mut self, place: &mut Expr, depth: usize) {
        match root(place).filter(|_| self.holds_state(&place.ty)) {
            Some(local) => self.of.push(Use { local, is_value: false, depth, span: place.span }),
            None => self.expr(place, depth),
        }
    }

    fn holds_state(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Closure { owner, id } => self.with_state[owner.0][id.0],
            Ty::Tuple(parts) => parts.iter().any(|part| self.holds_state(part)),
            Ty::Array(inner, _) | Ty::Option(inner) => self.holds_state(inner),
            _ => false,
        }
    }
}
