//! Closures of the typed tree.

use std::collections::HashSet;

use super::Checker;
use crate::lower::visit;
use crate::typed::{self, BindMode, ClosureId, ExprKind, LocalId, Pattern, Stmt, Ty};

impl Checker<'_, '_, '_> {
    /// `|a, b| body`: patterns among the parameters are taken apart at the start of the body.
    pub(super) fn closure(&mut self, id: ClosureId) -> ExprKind {
        let closure = &self.infer.text_closures[id.0];
        let outer_mentioned = std::mem::take(&mut self.mentioned);
        let outer_bound = std::mem::take(&mut self.bound);
        let Some((types, result)) = self.infer.closure_signature(self.infer.me, id) else {
            return ExprKind::Closure(id);
        };
        let result = self.infer.intern(&result);
        if let Ty::Closure { .. } = result {
            self.error(
                closure.body.loc,
                "expected a value, found a closure that would outlive what it captures\nhelp: take all parameters at once, `|a, b| …`, or write a function that \
                 returns it: `fn add(a: f32) -> impl Fn(f32) -> f32 { move |b| a + b }`",
            );
        }
        let mut params = Vec::new();
        let mut stmts = Vec::new();
        let span = closure.body.loc.start;
        for ((pattern, _), ty) in closure.params.iter().zip(types) {
            let ty = self.infer.intern(&ty);
            let loc = pattern.loc;
            let built = self.irrefutable(pattern, &ty);
            match built {
                Pattern::Bind { local, mode: BindMode::Value, inner: None } => params.push(local),
                built => {
                    let local = self.temporary("param", ty, loc.start);
                    let init = self.local(local, loc.start);
                    stmts.push(Stmt::Let { pattern: built, init, otherwise: None, span: loc.start });
                    params.push(local);
                }
            }
        }
        self.bound.extend(params.iter().copied());
        let mut body = self.boxed(&closure.body);
        if !stmts.is_empty() {
            let ty = body.ty.clone();
            let block = typed::Block { stmts, value: Some(body), span };
            body = Box::new(typed::Expr { kind: ExprKind::Block(block), ty, span });
        }
        let captures: Vec<LocalId> = self.mentioned.difference(&self.bound).copied().collect();
        let references = match closure.moves {
            true => Vec::new(),
            false => self.references_among(&captures, &body),
        };
        let copied = closure.moves.then(|| captures.clone());
        self.closures[id.0] = Some(typed::Closure { params, result, captures: copied, references, body });
        self.mentioned = outer_mentioned;
        self.mentioned.extend(captures);
        self.bound = outer_bound;
        ExprKind::Closure(id)
    }
    /// The references among variables that a closure's body mentions and nothing in it assigns to.
    fn references_among(&self, mentioned: &[LocalId], body: &typed::Expr) -> Vec<LocalId> {
        let mut assigned = HashSet::new();
        let mut open = vec![body];
        while let Some(body) = open.pop() {
            let mut inner = Vec::new();
            let mut visit = |expr: &typed::Expr| match &expr.kind {
                ExprKind::Assign { place, .. } => assigned.extend(variable(place)),
                ExprKind::Ref(place) if matches!(expr.ty, Ty::Ref { mutable: true, .. }) => {
                    assigned.extend(variable(place));
                }
                ExprKind::Closure(id) => inner.push(*id),
                _ => {}
            };
            visit::expr(body, &mut visit, &mut |_, _| {});
            let bodies = inner.into_iter().filter_map(|id| self.closures[id.0].as_ref());
            open.extend(bodies.map(|closure| &*closure.body));
        }
        let is_reference = |local: &&LocalId| {
            matches!(self.locals[local.0].ty, Ty::Ref { .. } | Ty::Slice { .. }) && !assigned.contains(*local)
        };
        mentioned.iter().filter(is_reference).copied().collect()
    }
}

/// The variable that a place is as a whole.
fn variable(place: &typed::Expr) -> Option<LocalId> {
    match place.kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}
