//! Patterns.

use syn::spanned::Spanned;

use super::Parser;
use super::types::path_loc;
use crate::ast::{self, Origin, PatId, PatKind, Pattern};
use crate::diagnostics::Loc;
use crate::typed::LocalId;

impl Parser<'_> {
    fn new_pattern(&mut self, kind: PatKind, loc: impl Into<Loc>) -> Option<Pattern> {
        self.text.counts.pats += 1;
        Some(Pattern { id: PatId(self.text.counts.pats - 1), kind, loc: loc.into() })
    }

    /// Of `match`, `if let`, `for`, a `let` with an initial value, a parameter.
    pub(super) fn pattern(&mut self, pat: &syn::Pat) -> Option<Pattern> {
        self.pattern_of(pat, Origin::Pattern)
    }

    pub(super) fn pattern_of(&mut self, pat: &syn::Pat, origin: Origin) -> Option<Pattern> {
        use syn::Pat;
        match pat {
            Pat::Paren(paren) => {
                let mut pattern = self.pattern_of(&paren.pat, origin)?;
                let parens = paren.paren_token.span;
                pattern.loc = Loc::between(parens.open(), parens.close());
                Some(pattern)
            }
            Pat::Wild(wild) => self.new_pattern(PatKind::Wild, wild.underscore_token.span()),
            Pat::Rest(rest) => self.new_pattern(PatKind::Rest, rest.dot2_token.span()),
            Pat::Ident(pat) => self.bind(pat, origin),
            Pat::Lit(syn::PatLit { lit: syn::Lit::ByteStr(lit), .. }) => {
                let bytes = lit.value().into_iter().map(|byte| {
                    let expr = self.byte(byte, lit.span())?;
                    self.new_pattern(PatKind::Literal(Box::new(expr)), lit.span())
                });
                let bytes = bytes.collect::<Option<_>>()?;
                self.new_pattern(PatKind::Slice(bytes), lit.span())
            }
            Pat::Lit(lit) => {
                let expr = self.literal(&lit.lit)?;
                let loc = expr.loc;
                self.new_pattern(PatKind::Literal(Box::new(expr)), loc)
            }
            Pat::Path(path) => {
                let loc = path_loc(&path.path);
                let (path, of, generics) = self.split_path(path.qself.as_ref(), &path.path)?;
                if let Some(generics) = generics {
                    self.error(generics.loc, "expected no generic arguments here\nhelp: leave them out");
                    return None;
                }
                self.new_pattern(PatKind::Path { path, of }, loc)
            }
            Pat::Range(range) => {
                let start = self.bound(range.start.as_deref());
                let end = self.bound(range.end.as_deref());
                let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
                let kind = PatKind::Range { start: start?, end: end?, inclusive };
                self.new_pattern(kind, Loc::of(range))
            }
            Pat::Tuple(tuple) => {
                let parts = self.patterns(&tuple.elems, origin)?;
                let parens = tuple.paren_token.span;
                self.new_pattern(PatKind::Tuple(parts), Loc::between(parens.open(), parens.close()))
            }
            Pat::TupleStruct(tuple) => {
                let parts = self.patterns(&tuple.elems, origin)?;
                let loc = Loc::between(path_loc(&tuple.path), tuple.paren_token.span.close());
                let (path, _, _) = self.split_path(tuple.qself.as_ref(), &tuple.path)?;
                self.new_pattern(PatKind::TupleStruct { path, parts }, loc)
            }
            Pat::Struct(pat) => self.struct_pattern(pat, origin),
            Pat::Slice(slice) => {
                let parts = self.patterns(&slice.elems, origin)?;
                let brackets = slice.bracket_token.span;
                self.new_pattern(PatKind::Slice(parts), Loc::between(brackets.open(), brackets.close()))
            }
            Pat::Reference(pat) => {
                let inner = Box::new(self.pattern_of(&pat.pat, origin)?);
                let loc = Loc::between(pat.and_token.span(), inner.loc);
                self.new_pattern(PatKind::Ref { inner, mutable: pat.mutability.is_some() }, loc)
            }
            Pat::Or(or) => self.alternatives(or, origin),
            Pat::Type(typed) => {
                let message =
                    "expected a pattern without a type here\nhelp: write the type behind the whole pattern";
                self.error(Loc::of(&typed.ty), message);
                None
            }
            other => {
                self.refuse_pattern(other);
                None
            }
        }
    }

    fn patterns<'p>(
        &mut self,
        pats: impl IntoIterator<Item = &'p syn::Pat>,
        origin: Origin,
    ) -> Option<Vec<Pattern>> {
        let parts: Vec<_> = pats.into_iter().map(|pat| self.pattern_of(pat, origin)).collect();
        parts.into_iter().collect()
    }

    /// The outer `None` is for a bound that was refused.
    fn bound(&mut self, bound: Option<&syn::Expr>) -> Option<Option<Box<ast::Expr>>> {
        match bound {
            None => Some(None),
            Some(expr) => self.expr(expr).map(|expr| Some(Box::new(expr))),
        }
    }

    fn bind(&mut self, pat: &syn::PatIdent, origin: Origin) -> Option<Pattern> {
        let mutable = pat.mutability.is_some() && pat.by_ref.is_none();
        let local = self.variable(&pat.ident, mutable, origin);
        let (inner, end) = match &pat.subpat {
            Some((_, inner)) => {
                let inner = self.pattern_of(inner, origin)?;
                let end = inner.loc.end;
                (Some(Box::new(inner)), end)
            }
            None => (None, pat.ident.span()),
        };
        let by_ref = pat.by_ref.map(|_| pat.mutability.is_some());
        let start = match (&pat.by_ref, &pat.mutability) {
            (Some(token), _) => token.span(),
            (None, Some(token)) => token.span(),
            (None, None) => pat.ident.span(),
        };
        self.new_pattern(PatKind::Bind { local, by_ref, inner }, Loc { start, end })
    }

    fn variable(&mut self, name: &syn::Ident, mutable: bool, origin: Origin) -> LocalId {
        let written = name.to_string();
        let same = self.text.alternatives.iter().flatten().find(|entry| entry.0 == written);
        if let Some((_, local)) = same {
            return *local;
        }
        self.text.locals.push(ast::Local { name: name.clone(), mutable, origin });
        LocalId(self.text.locals.len() - 1)
    }

    fn alternatives(&mut self, or: &syn::PatOr, origin: Origin) -> Option<Pattern> {
        let first_local = self.text.locals.len();
        let mut cases = Vec::new();
        let mut loc: Option<Loc> = None;
        for (index, case) in or.cases.iter().enumerate() {
            let case = self.pattern_of(case, origin);
            if index == 0 {
                let bound = self.text.locals.iter().enumerate().skip(first_local);
                let bound = bound.map(|(id, local)| (local.name.to_string(), LocalId(id))).collect();
                self.text.alternatives.push(bound);
            }
            if let Some(case) = &case {
                loc = Some(loc.map_or(case.loc, |loc| Loc::between(loc, case.loc)));
            }
            cases.push(case);
        }
        self.text.alternatives.pop();
        let cases = cases.into_iter().collect::<Option<_>>()?;
        self.new_pattern(PatKind::Or(cases), loc?)
    }

    fn struct_pattern(&mut self, pat: &syn::PatStruct, origin: Origin) -> Option<Pattern> {
        let loc = Loc::between(path_loc(&pat.path), pat.brace_token.span.close());
        let ty = self.path_as_type(&pat.path);
        let mut fields = Vec::new();
        for field in &pat.fields {
            self.attributes(&field.attrs);
            fields.push((field.member.clone(), self.pattern_of(&field.pat, origin)?));
        }
        self.new_pattern(PatKind::Struct { ty: ty?, fields, rest: pat.rest.is_some() }, loc)
    }
}
