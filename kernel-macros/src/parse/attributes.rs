//! Attributes of ours on statements: their table, their positions, and their arguments.

use quote::ToTokens;

use super::{Parser, collective};
use crate::ast::{BranchAttr, Expr, LoopAttr, LoopAttrs};
use crate::diagnostics::{Loc, did_you_mean, shown};

/// The statement that an attribute is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// `for`, `while`, `loop`
    Loop,
    /// `if`, `match`
    If,
    /// `let` with an initial value
    Let,
}

impl Position {
    fn name(self) -> &'static str {
        match self {
            Position::Loop => "a loop",
            Position::If => "an `if` or a `match`",
            Position::Let => "a `let`",
        }
    }
}

/// Every attribute of ours on statements: its name, where it may stand, how it is written.
pub const TABLE: &[(&str, Position, &str)] = &[
    ("unroll", Position::Loop, "#[unroll]` or `#[unroll(n)]"),
    ("ilp", Position::Loop, "#[ilp(n)]"),
    ("prefetch", Position::Loop, "#[prefetch(n)]"),
    ("predicate", Position::If, "#[predicate]"),
    ("branch", Position::If, "#[branch]"),
    ("shfl", Position::Let, "#[shfl(down = 16)]"),
    ("warp_reduce", Position::Let, "#[warp_reduce(add)]"),
    ("warp_scan", Position::Let, "#[warp_scan(add)]"),
    ("block_reduce", Position::Let, "#[block_reduce(add)]"),
    ("block_scan", Position::Let, "#[block_scan(add)]"),
    ("redux", Position::Let, "#[redux(add)]"),
    ("ballot", Position::Let, "#[ballot]"),
    ("any", Position::Let, "#[any]"),
    ("all", Position::Let, "#[all]"),
    ("match_any", Position::Let, "#[match_any]"),
    ("match_all", Position::Let, "#[match_all]"),
];

/// Attributes that are implemented; the others are refused.
const COMPILED: &[&str] = &[
    "unroll",
    "ilp",
    "prefetch",
    "predicate",
    "branch",
    "shfl",
    "warp_reduce",
    "warp_scan",
    "block_reduce",
    "block_scan",
    "redux",
    "ballot",
    "any",
    "all",
    "match_any",
    "match_all",
];

/// The row of an attribute, if it is one of ours.
fn row(attr: &syn::Attribute) -> Option<&'static (&'static str, Position, &'static str)> {
    TABLE.iter().find(|row| attr.path().is_ident(row.0))
}

/// The kind of statement that the attribute of this name belongs on, if it is one of ours.
pub fn place_in_body(name: &str) -> Option<&'static str> {
    TABLE.iter().find(|row| row.0 == name).map(|row| row.1.name())
}

/// The attribute of ours that a misspelled name is closest to.
pub fn near(name: &str) -> Option<&'static str> {
    did_you_mean(name, TABLE.iter().map(|row| row.0))
}

/// Returns true if the attribute is one of ours.
pub fn is_ours(attr: &syn::Attribute) -> bool {
    row(attr).is_some()
}

impl Parser<'_> {
    /// The attributes of ours among those of a statement, each with its name. Others are checked as everywhere, and so are
    /// ours where they must not stand; `position` says where they do.
    fn ours<'a>(
        &mut self,
        attrs: &'a [syn::Attribute],
        position: Position,
    ) -> Vec<(&'static str, &'a syn::Attribute)> {
        let mut ours: Vec<(&'static str, &syn::Attribute)> = Vec::new();
        for attr in attrs {
            let Some(&(name, at, _)) = row(attr).filter(|row| row.1 == position) else {
                self.attributes(std::slice::from_ref(attr));
                continue;
            };
            debug_assert_eq!(at, position);
            if ours.iter().any(|(earlier, _)| *earlier == name) {
                let message = format!(
                    "expected each attribute once, found `#[{name}]` again\nhelp: leave one of them out"
                );
                self.error(Loc::of(attr), message);
            } else if COMPILED.contains(&name) {
                ours.push((name, attr));
            } else {
                let message = format!("`#[{name}]` is not supported in kernels yet\nhelp: leave it out");
                self.error(Loc::of(attr), message);
            }
        }
        ours
    }

    /// One of ours at a place that is none for it.
    pub(super) fn misplaced(&mut self, attr: &syn::Attribute) {
        let Some((name, position, _)) = row(attr) else { return };
        let expected = position.name();
        let message = format!(
            "expected `#[{name}]` on {expected}, found it elsewhere\nhelp: put it directly before {expected}"
        );
        self.error(Loc::of(attr), message);
    }

    /// The attributes of a loop.
    pub(super) fn loop_attributes(&mut self, attrs: &[syn::Attribute]) -> LoopAttrs {
        let mut found = LoopAttrs::default();
        for (name, attr) in self.ours(attrs, Position::Loop) {
            let count = self.count(name, attr);
            let attr = LoopAttr { count: count.map(Box::new), loc: Loc::of(attr) };
            match name {
                "unroll" => found.unroll = Some(attr),
                "ilp" => found.ilp = Some(attr),
                _ => found.prefetch = Some(attr),
            }
        }
        found
    }

    /// `(n)`: a constant expression.
    fn count(&mut self, name: &str, attr: &syn::Attribute) -> Option<Expr> {
        let arguments = match &attr.meta {
            syn::Meta::Path(_) => return None,
            syn::Meta::List(list) => syn::parse2::<syn::Expr>(list.tokens.clone()),
            syn::Meta::NameValue(_) => Err(syn::Error::new_spanned(attr, "")),
        };
        match arguments {
            Ok(count) => self.expr(&count),
            Err(_) => {
                let usage = TABLE.iter().find(|row| row.0 == name).map_or("", |row| row.2);
                let found = shown(&attr.meta.to_token_stream());
                let message =
                    format!("expected one number in `#[{name}]`, found `{found}`\nhelp: write `{usage}`");
                self.error(Loc::of(attr), message);
                None
            }
        }
    }

    /// The attribute of an `if`.
    pub(super) fn branch_attribute(&mut self, attrs: &[syn::Attribute]) -> Option<BranchAttr> {
        let mut found = Vec::new();
        for (name, attr) in self.ours(attrs, Position::If) {
            if !matches!(attr.meta, syn::Meta::Path(_)) {
                let written = shown(&attr.meta.to_token_stream());
                let message = format!(
                    "expected `#[{name}]` alone, found `{written}`\nhelp: leave out what follows the name"
                );
                self.error(Loc::of(attr), message);
            }
            found.push(BranchAttr { predicate: name == "predicate", loc: Loc::of(attr) });
        }
        if let [first, second, ..] = &found[..] {
            let (first, again) =
                if first.predicate { ("predicate", "branch") } else { ("branch", "predicate") };
            let message = format!(
                "expected `#[predicate]` or `#[branch]`, found `#[{again}]` after `#[{first}]`\nhelp: leave one of them out"
            );
            self.error(second.loc, message);
        }
        found.into_iter().next()
    }

    /// The initial value of a `let`, if it has one: with a collective on the `let`, the call of that. `None` if something was
    /// refused.
    pub(super) fn initial_value(&mut self, local: &syn::Local) -> Option<Option<Expr>> {
        let collectives = self.ours(&local.attrs, Position::Let);
        let init = local.init.as_ref().map(|init| &*init.expr);
        match (&collectives[..], init) {
            ([], None) => Some(None),
            ([], Some(init)) => self.expr(init).map(Some),
            ([(name, attr), ..], None) => {
                let message = format!(
                    "expected `#[{name}]` on a `let` with an initial value, found none\nhelp: write `let name = value;`: the attribute \
                     is about the value"
                );
                self.error(Loc::of(*attr), message);
                None
            }
            ([(_, attr)], Some(init)) => match collective::call(attr, init) {
                Ok(call) => self.expr(&call).map(Some),
                Err(mistakes) => {
                    for mistake in mistakes {
                        self.error(mistake.loc, mistake.message);
                    }
                    None
                }
            },
            ([(first, _), (second, attr), ..], Some(_)) => {
                let message = format!(
                    "expected one collective on a `let`, found `#[{second}]` after `#[{first}]`\nhelp: write one `let` for each"
                );
                self.error(Loc::of(*attr), message);
                None
            }
        }
    }
}
