//! Hygiene: variables and labels that a `macro_rules!` macro writes are apart from those of the same name that were handed to it.
//!
//! Names are found by their text. Macros of the item itself have been expanded with names of their own (`declarative`); this is for
//! the macros around it. Where two variables of one text come from different expansions, rustc tells them apart and the text does not:
//! the kernel is refused, before it means something else to each; so it is where the other one is an item. Where there is only one,
//! rustc says in the check copy whether it is seen.

use proc_macro2::{Ident, Span};

use super::walk::{Binding, Resolver};
use crate::typed::LocalId;

/// The expansion that a token comes from, as far as a stable compiler tells: the number in `#3 bytes(10..12)`.
fn expansion(span: Span) -> Option<String> {
    let shown = format!("{span:?}");
    let number = shown.strip_prefix('#')?.split(' ').next()?.to_owned();
    (!number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())).then_some(number)
}

/// The first of the candidates, the innermost first, is from another expansion than the name, and a later one from the same.
fn is_ambiguous(name: Span, candidates: impl Iterator<Item = Span>) -> bool {
    let Some(own) = expansion(name) else { return false };
    let mut candidates = candidates.filter_map(expansion);
    candidates.next().is_some_and(|first| first != own) && candidates.any(|other| other == own)
}

impl Resolver<'_, '_> {
    /// Refuses a variable that rustc may take for another one.
    pub(super) fn check_variable(&mut self, name: &Ident, found: LocalId) {
        let written = name.to_string();
        let candidates = self.names.iter().rev().filter(|entry| entry.0 == written);
        let locals = candidates.filter_map(|(_, binding)| match binding {
            Binding::Local(id) => Some(self.locals[id.0].name.span()),
            // Items have no hygiene: a name of any expansion may be one.
            Binding::Item(_) => Some(name.span()),
            Binding::ConstParam(_) | Binding::TypeParam(_) => None,
        });
        if is_ambiguous(name.span(), locals) {
            let other = self.locals[found.0].name.span().start();
            let message = format!(
                "expected one variable `{written}`, found another one on line {}, which comes from a macro's other side: rustc keeps \
                 variables that a macro writes apart from those that are handed to it\nhelp: rename one of them",
                other.line
            );
            self.diagnostics.error(name, message);
        }
    }

    /// Reports a label that is ambiguous in the same way.
    pub(super) fn check_label(&mut self, label: &syn::Lifetime) {
        let same = self.loops.iter().rev().filter_map(|open| open.label).filter(|other| *other == label);
        if is_ambiguous(label.apostrophe, same.map(|other| other.apostrophe)) {
            let message = format!(
                "expected one label `{label}`, found two, one of which comes from a macro's other side: rustc keeps labels that a \
                 macro writes apart from those that are handed to it\nhelp: rename one of them"
            );
            self.diagnostics.error(label.span(), message);
        }
    }
}
