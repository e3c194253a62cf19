//! Patterns: a pattern becomes a condition that also assigns what it binds.
//!
//! `Some((a, 1..=3))` on a place `p` becomes `run::is_some(&raw mut p) && { a = …; true } && …`. So `if let`, chains of
//! them, `match` and `let … else` are all conditions. What conditions bind is declared at the top of the frame.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Printer, constant, own, types};
use crate::typed::{Arm, BindMode, Expr, ExprKind, Pattern, Ty};

impl Printer<'_> {
    /// `let pattern = value` as a condition.
    pub(super) fn condition(&mut self, pattern: &Pattern, value: &Expr) -> TokenStream {
        let span = value.span;
        let (setup, place) = self.scrutinee(value);
        let declarations = self.declare(pattern);
        self.frame().hoisted.extend(declarations);
        let test = self.test(pattern, &place, &value.ty, span);
        quote_spanned!(span=> { #setup #test })
    }

    /// `match`: the last arm matches what none before it does. It is not tested again, as on the device: another thread may have
    /// changed the value since the arms before were tried, and what the arm binds would be left unset.
    pub(super) fn matching(&mut self, value: &Expr, arms: &[Arm], span: Span) -> TokenStream {
        let (setup, place) = self.scrutinee(value);
        let mut tokens = TokenStream::new();
        for (index, Arm { pattern, guard, body }) in arms.iter().enumerate() {
            let declarations = self.declare(pattern);
            self.frame().hoisted.extend(declarations);
            let is_last = index + 1 == arms.len();
            let is_known = is_last && guard.is_none();
            let test = match guard {
                None => self.test_unless(is_known, pattern, &place, &value.ty, span),
                Some(guard) => {
                    let each = pattern.alternatives().into_iter().map(|alternative| {
                        let test = self.test(&alternative, &place, &value.ty, span);
                        let guard = self.operand(guard);
                        quote_spanned!(span=> #test && #guard)
                    });
                    let each: Vec<TokenStream> = each.collect();
                    quote_spanned!(span=> #(#each)||*)
                }
            };
            let (body, body_span) = (self.expr(body), body.span);
            tokens.extend(match is_known {
                true => quote_spanned!(body_span=> { let _ = #test; #body }),
                false => quote_spanned!(body_span=> if #test { #body } else),
            });
            if is_last && arms[index].guard.is_some() {
                tokens.extend(quote_spanned!(span=> { run::unreachable() }));
            }
        }
        quote_spanned!(span=> { #setup #tokens })
    }

    /// The scrutinee of a pattern: statements, and a place that is cheap to name again.
    pub(super) fn scrutinee(&mut self, value: &Expr) -> (TokenStream, TokenStream) {
        let span = value.span;
        if let ExprKind::Local(id) = value.kind {
            return (TokenStream::new(), self.local(id, span));
        }
        let name = own("matched", span);
        if let (Ty::Scalar(_) | Ty::Enum(_) | Ty::Never, false) = (&value.ty, self.is_place(value)) {
            let (tokens, ty) = (self.expr(value), types::ty(self.kernel, &value.ty));
            return (quote_spanned!(span=> let mut #name: #ty = #tokens;), quote!(#name));
        }
        let pointer = self.pointer(value, true);
        (quote_spanned!(span=> let #name = #pointer;), quote!((*#name)))
    }

    /// The item of a `for` and the statements that take it apart.
    pub(super) fn item(&mut self, pattern: &Pattern, ty: &Ty, span: Span) -> (TokenStream, TokenStream) {
        match pattern {
            Pattern::Wild => (quote!(_), TokenStream::new()),
            Pattern::Bind { local, mode: BindMode::Value, inner: None } => {
                self.frame().declared.insert(*local);
                let name = &self.names[local.0];
                (quote!(mut #name), TokenStream::new())
            }
            _ => {
                let name = own("item", span);
                let declarations = self.declare(pattern);
                let test = self.test(pattern, &quote!(#name), ty, span);
                (quote!(mut #name), quote_spanned!(span=> #declarations let _ = #test;))
            }
        }
    }

    /// Declares what a pattern binds, with any value.
    pub(super) fn declare(&mut self, pattern: &Pattern) -> TokenStream {
        let mut tokens = TokenStream::new();
        self.declare_into(pattern, &mut tokens);
        tokens
    }

    fn declare_into(&mut self, pattern: &Pattern, tokens: &mut TokenStream) {
        match pattern {
            Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => {}
            Pattern::Bind { local, inner, .. } => {
                // The alternatives of `a | b` bind the same variables.
                if self.frame().declared.insert(*local) {
                    let (declaration, unset) = (self.declaration(*local), self.unset());
                    tokens.extend(quote!(let #declaration = #unset;));
                }
                if let Some(inner) = inner {
                    self.declare_into(inner, tokens);
                }
            }
            Pattern::Fields(parts) => parts.iter().for_each(|(_, part)| self.declare_into(part, tokens)),
            Pattern::Slice { before, rest, after } => {
                let parts = before.iter().chain(rest.as_deref()).chain(after);
                parts.for_each(|part| self.declare_into(part, tokens));
            }
            Pattern::Some(inner) | Pattern::Deref(inner) | Pattern::Rest { pattern: inner, .. } => {
                self.declare_into(inner, tokens);
            }
            Pattern::Or(parts) => parts.iter().for_each(|part| self.declare_into(part, tokens)),
        }
    }

    /// A condition: whether what is in `place` matches. Binds.
    pub(super) fn test(
        &mut self,
        pattern: &Pattern,
        place: &TokenStream,
        ty: &Ty,
        span: Span,
    ) -> TokenStream {
        self.test_unless(false, pattern, place, ty, span)
    }

    /// The condition of a pattern that may be known to match: then it binds, and looks at no number.
    fn test_unless(
        &mut self,
        is_known: bool,
        pattern: &Pattern,
        place: &TokenStream,
        ty: &Ty,
        span: Span,
    ) -> TokenStream {
        let mut tests = Vec::new();
        self.tests(is_known, pattern, place, ty, span, &mut tests);
        match &tests[..] {
            [] => quote_spanned!(span=> true),
            [only] => quote_spanned!(span=> (#only)),
            _ => quote_spanned!(span=> (#(#tests)&&*)),
        }
    }

    fn tests(
        &mut self,
        is_known: bool,
        pattern: &Pattern,
        place: &TokenStream,
        ty: &Ty,
        span: Span,
        tests: &mut Vec<TokenStream>,
    ) {
        match pattern {
            // A rest is bound where its array is.
            Pattern::Wild | Pattern::Rest { .. } => {}
            Pattern::Constant(_) | Pattern::Range { .. } if is_known => {}
            Pattern::Bind { local, mode, inner } => {
                if let Some(inner) = inner {
                    self.tests(is_known, inner, place, ty, span, tests);
                }
                let name = self.local(*local, self.names[local.0].span());
                tests.push(match mode {
                    BindMode::Value => quote_spanned!(span=> { #name = #place; true }),
                    BindMode::Ref { .. } => quote_spanned!(span=> { #name = &raw mut #place; true }),
                });
            }
            Pattern::Constant(value) => {
                let value = constant::value(*value, span);
                tests.push(quote_spanned!(span=> #place == #value));
            }
            Pattern::Range { start, end, inclusive } => {
                if let Some(start) = start {
                    let start = constant::value(*start, span);
                    tests.push(quote_spanned!(span=> #place >= #start));
                }
                if let Some(end) = end {
                    let end = constant::value(*end, span);
                    tests.push(match inclusive {
                        true => quote_spanned!(span=> #place <= #end),
                        false => quote_spanned!(span=> #place < #end),
                    });
                }
            }
            Pattern::Fields(parts) => {
                for (index, part) in parts {
                    if let (Pattern::Rest { ty: rest, pattern }, Ty::Array(element, _)) = (part, ty) {
                        let (element, array) =
                            (types::ty(self.kernel, element), types::ty(self.kernel, rest));
                        let from = quote_spanned!(span=> (&raw mut #place).cast::<#element>().add(#index));
                        let place = quote_spanned!(span=> (*#from.cast::<#array>()));
                        self.tests(is_known, pattern, &place, rest, span, tests);
                        continue;
                    }
                    let field = self.field(place.clone(), ty, *index, span);
                    self.tests(is_known, part, &field, &self.part_type(ty, *index), span, tests);
                }
            }
            Pattern::Slice { before, rest, after } => {
                let Ty::Slice { element, .. } = ty else { return };
                let (front, back) = (before.len(), after.len());
                let least = front + back;
                tests.push(match rest {
                    Some(_) => quote_spanned!(span=> #place.len() >= #least),
                    None => quote_spanned!(span=> #place.len() == #least),
                });
                for (index, part) in before.iter().enumerate() {
                    let item = quote_spanned!(span=> (*#place.at(#index)));
                    self.tests(is_known, part, &item, element, span, tests);
                }
                if let Some(rest) = rest {
                    let middle = quote_spanned!(span=> #place.part(#front, #place.len() - #back));
                    self.tests(is_known, rest, &middle, ty, span, tests);
                }
                for (index, part) in after.iter().enumerate() {
                    let from_back = back - index;
                    let item = quote_spanned!(span=> (*#place.at(#place.len() - #from_back)));
                    self.tests(is_known, part, &item, element, span, tests);
                }
            }
            Pattern::Some(inner) => {
                tests.push(quote_spanned!(span=> run::is_some(&raw mut #place)));
                let payload = quote_spanned!(span=> (*run::payload(&raw mut #place)));
                let Ty::Option(of) = ty else { return };
                self.tests(is_known, inner, &payload, of, span, tests);
            }
            Pattern::None => tests.push(quote_spanned!(span=> !run::is_some(&raw mut #place))),
            Pattern::Deref(inner) => {
                let target = quote_spanned!(span=> (*#place));
                let (Ty::Ref { inner: of, .. } | Ty::Shared(of)) = ty else { return };
                self.tests(is_known, inner, &target, of, span, tests);
            }
            Pattern::Or(parts) => {
                let last = parts.len().saturating_sub(1);
                let parts = parts.iter().enumerate().map(|(index, part)| {
                    // The last alternative matches what none before it does.
                    self.test_unless(is_known && index == last, part, place, ty, span)
                });
                let parts: Vec<_> = parts.collect();
                tests.push(quote_spanned!(span=> (#(#parts)||*)));
            }
        }
    }

    /// The type of a field or element.
    fn part_type(&self, ty: &Ty, index: usize) -> Ty {
        match ty {
            Ty::Tuple(parts) => parts[index].clone(),
            Ty::Array(element, _) => (**element).clone(),
            Ty::Struct(id) => self.kernel.structs[id.0].fields[index].ty.clone(),
            Ty::Vector(scalar, _) => Ty::Scalar(*scalar),
            _ => Ty::Scalar(crate::typed::Scalar::Usize),
        }
    }
}
