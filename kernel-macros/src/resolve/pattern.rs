//! Patterns: their bindings, and their names that are constants.

use std::collections::HashSet;

use super::Meaning;
use super::walk::Resolver;
use crate::ast::{PatKind, Pattern};
use crate::typed::LocalId;

/// The refutability of a pattern's position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It must be irrefutable: `let`, `for`, a parameter.
    Always,
    /// It may be refutable: `match`, `if let`, `let … else`.
    Perhaps,
}

/// The variables that a pattern binds, in order.
type Bound = Vec<LocalId>;

impl<'a> Resolver<'a, '_> {
    /// Resolves a pattern and brings what it binds into scope.
    pub(super) fn pattern(&mut self, pattern: &'a Pattern, place: Place) {
        let mut bound = Bound::new();
        self.part(pattern, place, &mut bound);
        for id in bound {
            self.bind(id);
        }
    }

    /// The parameters of a closure: no two of them bind one name.
    pub(super) fn patterns_together(&mut self, patterns: &[&'a Pattern]) {
        let mut bound = Bound::new();
        for pattern in patterns {
            self.part(pattern, Place::Always, &mut bound);
        }
        for id in bound {
            self.bind(id);
        }
    }

    fn part(&mut self, pattern: &'a Pattern, place: Place, bound: &mut Bound) {
        match &pattern.kind {
            PatKind::Wild | PatKind::Rest => {}
            PatKind::Bind { local, by_ref, inner } => {
                let plain = by_ref.is_none() && inner.is_none() && !self.locals[local.0].mutable;
                let meaning = self.binding(pattern, *local, plain, place);
                self.table.pats[pattern.id.0] = meaning;
                if let Meaning::Local(id) = meaning {
                    self.declare(id, bound);
                }
                if let Some(inner) = inner {
                    self.part(inner, place, bound);
                }
            }
            PatKind::Literal(expr) => self.expr(expr),
            PatKind::Path { path, of } => {
                self.table.pats[pattern.id.0] = self.path_pattern(pattern.loc, path, of.as_deref());
            }
            PatKind::Range { start, end, .. } => {
                for bound in start.iter().chain(end) {
                    self.expr(bound);
                }
            }
            PatKind::Tuple(parts) | PatKind::Slice(parts) => self.parts(parts, place, bound),
            PatKind::TupleStruct { path, parts } => {
                self.table.pats[pattern.id.0] = self.tuple_struct(path);
                self.parts(parts, place, bound);
            }
            PatKind::Struct { ty, fields, .. } => {
                self.ty(ty);
                for (_, part) in fields {
                    self.part(part, place, bound);
                }
            }
            PatKind::Ref { inner, .. } => self.part(inner, place, bound),
            PatKind::Or(cases) => self.alternatives(cases, place, bound),
        }
    }

    fn parts(&mut self, parts: &'a [Pattern], place: Place, bound: &mut Bound) {
        for part in parts {
            self.part(part, place, bound);
        }
    }

    fn declare(&mut self, id: LocalId, bound: &mut Bound) {
        let name = &self.locals[id.0].name;
        if bound.iter().any(|other| self.locals[other.0].name == *name) {
            let message =
                format!("expected a new name in the pattern, found `{name}` again\nhelp: rename one of them");
            self.diagnostics.error(name, message);
            return;
        }
        bound.push(id);
    }

    /// A name in a pattern: a variable, unless a constant, a unit struct or `None` has it.
    fn binding(&mut self, pattern: &Pattern, local: LocalId, plain: bool, place: Place) -> Meaning {
        let name = &self.locals[local.0].name;
        let constant = match self.find_name(&name.to_string()) {
            Some(
                meaning @ (Meaning::Const(_)
                | Meaning::ConstParam(_)
                | Meaning::Known(_)
                | Meaning::Variant(..)
                | Meaning::DataVariant(..)
                | Meaning::None),
            ) => meaning,
            // A tuple struct's name alone is no pattern, and rustc says so; a unit struct's is.
            Some(meaning @ Meaning::Struct(id)) if self.items.program.structs[id.0].fields.is_empty() => {
                meaning
            }
            _ => return Meaning::Local(local),
        };
        let is_constant = matches!(constant, Meaning::Const(_) | Meaning::ConstParam(_) | Meaning::Known(_));
        if is_constant && (place == Place::Always || !plain) {
            let message = format!(
                "expected a new variable, found the constant `{name}`\nhelp: give the variable another name"
            );
            self.diagnostics.error(pattern.loc, message);
            return Meaning::Error;
        }
        constant
    }

    /// `a | b`: each binds the same names.
    fn alternatives(&mut self, cases: &'a [Pattern], place: Place, bound: &mut Bound) {
        let mut first: Option<Bound> = None;
        for case in cases {
            let mut of_case = Bound::new();
            self.part(case, place, &mut of_case);
            let Some(first) = &first else {
                first = Some(of_case);
                continue;
            };
            let (a, b): (HashSet<_>, HashSet<_>) = (first.iter().collect(), of_case.iter().collect());
            if let Some(id) = a.symmetric_difference(&b).min() {
                let name = &self.locals[id.0].name;
                let message = format!(
                    "expected each alternative to bind the same names, found `{name}` in one of them only\nhelp: bind it in \
                     each, or write `_`"
                );
                self.diagnostics.error(case.loc, message);
            }
        }
        for id in first.into_iter().flatten() {
            self.declare(id, bound);
        }
    }
}
