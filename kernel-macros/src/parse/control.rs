//! Control flow: conditions, `match`, loops, what leaves them, closures.

use syn::spanned::Spanned;

use super::{Parser, effects};
use crate::ast::{Arm, Closure, Expr, ExprKind, LoopAttrs, Origin};
use crate::device::library;
use crate::diagnostics::Loc;
use crate::typed::{ClosureId, LoopId};

impl Parser<'_> {
    pub(super) fn block_expr(&mut self, inner: &syn::ExprBlock) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let Some(label) = &inner.label else {
            let block = self.block(&inner.block);
            let loc = block.loc;
            return self.node(ExprKind::Block(block), loc);
        };
        let id = self.next_loop(LoopAttrs::default());
        let body = self.block(&inner.block);
        let loc = Loc::between(label.name.span(), body.loc);
        self.node(ExprKind::Labeled { id, label: label.name.clone(), body }, loc)
    }

    /// Parses a position that may hold `let pattern = value`: the condition of `if` and `while`, and guards.
    pub(super) fn cond(&mut self, expr: &syn::Expr) -> Option<Expr> {
        match expr {
            syn::Expr::Let(inner) => {
                self.attributes(&inner.attrs);
                // The value does not see what the pattern binds; numbers follow the text all the same.
                let pattern = self.pattern(&inner.pat);
                let value = self.boxed(&inner.expr);
                let (pattern, value) = (pattern?, value?);
                let loc = Loc::between(inner.let_token.span(), value.loc);
                self.node(ExprKind::Let { pattern, value }, loc)
            }
            syn::Expr::Binary(inner) if matches!(inner.op, syn::BinOp::And(_)) => {
                self.attributes(&inner.attrs);
                let lhs = self.cond(&inner.left);
                let rhs = self.cond(&inner.right);
                let (lhs, rhs) = (Box::new(lhs?), Box::new(rhs?));
                let loc = Loc::between(lhs.loc, rhs.loc);
                self.node(ExprKind::Logical { and: true, lhs, rhs }, loc)
            }
            syn::Expr::Group(inner) => self.cond(&inner.expr),
            other => self.expr(other),
        }
    }

    pub(super) fn if_expr(&mut self, inner: &syn::ExprIf) -> Option<Expr> {
        let attr = self.branch_attribute(&inner.attrs);
        let cond = self.cond(&inner.cond);
        let then = self.block(&inner.then_branch);
        let otherwise = self.optional(inner.else_branch.as_ref().map(|(_, branch)| &**branch))?;
        let end = otherwise.as_ref().map_or(then.loc, |branch| branch.loc);
        let loc = Loc::between(inner.if_token.span(), end);
        self.node(ExprKind::If { cond: Box::new(cond?), then, otherwise, attr }, loc)
    }

    pub(super) fn match_expr(&mut self, inner: &syn::ExprMatch) -> Option<Expr> {
        let attr = self.branch_attribute(&inner.attrs);
        let value = self.boxed(&inner.expr);
        let arms: Vec<_> = inner.arms.iter().map(|arm| self.arm(arm)).collect();
        let loc = Loc::between(inner.match_token.span(), inner.brace_token.span.close());
        let arms = arms.into_iter().collect::<Option<_>>()?;
        self.node(ExprKind::Match { value: value?, arms, attr, question_mark: false }, loc)
    }

    fn arm(&mut self, arm: &syn::Arm) -> Option<Arm> {
        self.attributes(&arm.attrs);
        let (pattern, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (self.pattern(&guarded.pat), Some(self.cond(&guarded.guard))),
            other => (self.pattern(other), None),
        };
        let body = self.expr(&arm.body);
        let guard = match guard {
            Some(guard) => Some(guard?),
            None => None,
        };
        Some(Arm { pattern: pattern?, guard, body: body? })
    }

    /// `value?`
    pub(super) fn try_expr(&mut self, inner: &syn::ExprTry) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let value = self.boxed(&inner.expr)?;
        let mark = inner.question_token.span();
        let loc = Loc::between(value.loc, mark);
        self.draft.mentioned.insert(library::CONTROL_FLOW.to_owned());
        let some = syn::parse_quote_spanned!(mark=> ::core::option::Option::Some(value));
        let arms = vec![
            Arm {
                pattern: self.pattern(&some)?,
                guard: None,
                body: self.expr(&syn::parse_quote_spanned!(mark=> value))?,
            },
            Arm {
                pattern: self.pattern(&syn::parse_quote_spanned!(mark=> ::core::option::Option::None))?,
                guard: None,
                body: self.expr(&syn::parse_quote_spanned!(mark=> return ::core::option::Option::None))?,
            },
            Arm {
                pattern: self
                    .pattern(&syn::parse_quote_spanned!(mark=> ::core::result::Result::Ok(value)))?,
                guard: None,
                body: self.expr(&syn::parse_quote_spanned!(mark=> value))?,
            },
            Arm {
                pattern: self
                    .pattern(&syn::parse_quote_spanned!(mark=> ::core::result::Result::Err(error)))?,
                guard: None,
                body: self.expr(
                    &syn::parse_quote_spanned!(mark=> return ::core::result::Result::Err(error.into())),
                )?,
            },
            Arm {
                pattern: self
                    .pattern(&syn::parse_quote_spanned!(mark=> ::core::ops::ControlFlow::Continue(value)))?,
                guard: None,
                body: self.expr(&syn::parse_quote_spanned!(mark=> value))?,
            },
            Arm {
                pattern: self
                    .pattern(&syn::parse_quote_spanned!(mark=> ::core::ops::ControlFlow::Break(value)))?,
                guard: None,
                body: self
                    .expr(&syn::parse_quote_spanned!(mark=> return ::core::ops::ControlFlow::Break(value)))?,
            },
        ];
        self.node(ExprKind::Match { value, arms, attr: None, question_mark: true }, loc)
    }

    fn new_loop(
        &mut self,
        attrs: &[syn::Attribute],
        label: &Option<syn::Label>,
    ) -> (LoopId, Option<syn::Lifetime>) {
        let attrs = self.loop_attributes(attrs);
        (self.next_loop(attrs), label.as_ref().map(|label| label.name.clone()))
    }

    pub(super) fn loop_expr(&mut self, inner: &syn::ExprLoop) -> Option<Expr> {
        let (id, label) = self.new_loop(&inner.attrs, &inner.label);
        let body = self.block(&inner.body);
        let loc = Loc::between(inner.loop_token.span(), body.loc);
        self.node(ExprKind::Loop { id, label, body }, loc)
    }

    pub(super) fn while_expr(&mut self, inner: &syn::ExprWhile) -> Option<Expr> {
        let (id, label) = self.new_loop(&inner.attrs, &inner.label);
        let cond = self.cond(&inner.cond);
        let body = self.block(&inner.body);
        let loc = Loc::between(inner.while_token.span(), body.loc);
        self.node(ExprKind::While { id, label, cond: Box::new(cond?), body }, loc)
    }

    pub(super) fn for_expr(&mut self, inner: &syn::ExprForLoop) -> Option<Expr> {
        let (id, label) = self.new_loop(&inner.attrs, &inner.label);
        let pattern = self.pattern(&inner.pat);
        if super::iter::is_open_range(&inner.expr) {
            self.draft.mentioned.insert(library::ITERATOR.to_owned());
        }
        let iter = self.boxed(&inner.expr);
        let body = self.block(&inner.body);
        let loc = Loc::between(inner.for_token.span(), body.loc);
        self.node(ExprKind::For { id, label, pattern: pattern?, iter: iter?, body }, loc)
    }

    pub(super) fn break_expr(&mut self, inner: &syn::ExprBreak) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let value = self.optional(inner.expr.as_deref())?;
        let label = inner.label.clone();
        let start = inner.break_token.span();
        let end = match (&value, &label) {
            (Some(value), _) => value.loc.end,
            (None, Some(label)) => label.span(),
            (None, None) => start,
        };
        self.node(ExprKind::Break { label, value }, Loc { start, end })
    }

    pub(super) fn continue_expr(&mut self, inner: &syn::ExprContinue) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let label = inner.label.clone();
        let start = inner.continue_token.span();
        let end = label.as_ref().map_or(start, syn::Lifetime::span);
        self.node(ExprKind::Continue { label }, Loc { start, end })
    }

    pub(super) fn return_expr(&mut self, inner: &syn::ExprReturn) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let value = self.optional(inner.expr.as_deref())?;
        let start = inner.return_token.span();
        let end = value.as_ref().map_or(start, |value| value.loc.end);
        self.node(ExprKind::Return(value), Loc { start, end })
    }

    pub(super) fn closure(&mut self, inner: &syn::ExprClosure) -> Option<Expr> {
        self.attributes(&inner.attrs);
        if let Some(token) = &inner.asyncness {
            self.error(token.span(), "expected a closure, found an `async` one\nhelp: leave `async` out");
            return None;
        }
        let id = ClosureId(self.text.closures.len());
        self.text.closures.push(None);
        // Alternatives around do not reach into the closure.
        let around = std::mem::take(&mut self.text.alternatives);
        let params: Vec<_> = inner
            .inputs
            .iter()
            .map(|input| match input {
                syn::Pat::Type(typed) => {
                    let pattern = self.pattern_of(&typed.pat, Origin::ClosureParam);
                    let ty = self.ty(&typed.ty);
                    Some((pattern?, Some(ty?)))
                }
                other => Some((self.pattern_of(other, Origin::ClosureParam)?, None)),
            })
            .collect();
        let result = match &inner.output {
            syn::ReturnType::Default => Some(None),
            syn::ReturnType::Type(_, ty) => self.ty(ty).map(Some),
        };
        let body = self.boxed(&inner.body);
        self.text.alternatives = around;
        let (params, body) = (params.into_iter().collect::<Option<_>>()?, body?);
        let start = inner.capture.map_or(inner.inputs_begin.span(), |token| token.span());
        let loc = Loc::between(start, body.loc);
        let moves = inner.capture.is_some();
        let has_effects = effects::closure_has_effects(inner);
        self.text.closures[id.0] = Some(Closure { params, result: result?, moves, body, has_effects });
        self.node(ExprKind::Closure(id), loc)
    }
}
