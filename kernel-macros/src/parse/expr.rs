//! Expressions.

use proc_macro2::Ident;
use syn::spanned::Spanned;

use super::Parser;
use crate::ast::{Expr, ExprId, ExprKind, Generics, Literal, Origin, Range, RangeAdaptor};
use crate::diagnostics::Loc;
use crate::typed::{BinaryOp, LoopId, Scalar, UnaryOp};

/// What an operator of `syn` is here.
enum Operator {
    Binary(BinaryOp),
    Assign(BinaryOp),
    Logical { and: bool },
}

impl Parser<'_> {
    /// `None` if it was refused. Every part is looked at even so, to find all mistakes.
    pub(super) fn expr(&mut self, expr: &syn::Expr) -> Option<Expr> {
        use syn::Expr as E;
        match expr {
            E::Paren(inner) => {
                self.attributes(&inner.attrs);
                let mut expr = self.expr(&inner.expr)?;
                let parens = inner.paren_token.span;
                expr.loc = Loc::between(parens.open(), parens.close());
                Some(expr)
            }
            E::Group(inner) => self.expr(&inner.expr),
            E::Lit(inner) => self.literal(&inner.lit),
            E::Path(inner) => self.path(inner),
            E::Unary(inner) => self.unary(inner),
            E::Binary(inner) => self.binary(inner),
            E::Cast(inner) => self.cast(inner),
            E::Field(inner) => self.field(inner),
            E::Index(inner) => self.index(inner),
            E::Call(inner) => self.call(inner),
            E::MethodCall(inner) => self.method(inner),
            E::Assign(inner) => self.assign(inner),
            E::Block(inner) => self.block_expr(inner),
            E::If(inner) => self.if_expr(inner),
            E::Loop(inner) => self.loop_expr(inner),
            E::While(inner) => self.while_expr(inner),
            E::ForLoop(inner) => self.for_expr(inner),
            E::Break(inner) => self.break_expr(inner),
            E::Continue(inner) => {
                let label = inner.label.clone();
                let start = inner.continue_token.span();
                let end = label.as_ref().map_or(start, syn::Lifetime::span);
                self.node(ExprKind::Continue { label }, Loc { start, end })
            }
            E::Return(inner) => self.return_expr(inner),
            E::Tuple(inner) if inner.elems.is_empty() => {
                let parens = inner.paren_token.span;
                let loc = Loc::between(parens.open(), parens.close());
                let unit = crate::ast::Block { stmts: Vec::new(), value: None, loc };
                self.node(ExprKind::Block(unit), loc)
            }
            E::Macro(inner) => {
                self.refuse_macro(&inner.mac);
                None
            }
            other => {
                self.refuse_expr(other);
                None
            }
        }
    }

    /// Numbers it. Always `Some`, for use as a last expression.
    fn node(&mut self, kind: ExprKind, loc: Loc) -> Option<Expr> {
        let id = ExprId(self.expr_count);
        self.expr_count += 1;
        Some(Expr { id, kind, loc })
    }

    fn boxed(&mut self, expr: &syn::Expr) -> Option<Box<Expr>> {
        self.expr(expr).map(Box::new)
    }

    fn literal(&mut self, lit: &syn::Lit) -> Option<Expr> {
        let span = lit.span();
        let literal = match lit {
            syn::Lit::Bool(lit) => Literal::Bool(lit.value),
            syn::Lit::Byte(lit) => {
                Literal::Int { value: Some(u128::from(lit.value())), suffix: Some(Scalar::U8) }
            }
            syn::Lit::Int(lit) => {
                let suffix = self.suffix(lit.suffix(), span)?;
                Literal::Int { value: lit.base10_parse().ok(), suffix }
            }
            syn::Lit::Float(lit) => {
                let suffix = self.suffix(lit.suffix(), span)?;
                Literal::Float { digits: lit.base10_digits().to_owned(), suffix }
            }
            syn::Lit::Char(_) => {
                self.error(span, "`char` is not supported in kernels\nhelp: use a number, or a byte: `b'a'`");
                return None;
            }
            _ => {
                self.error(
                    span,
                    "strings are not supported in kernels\nhelp: pass bytes as a `&[u8]` parameter",
                );
                return None;
            }
        };
        self.node(ExprKind::Literal(literal), span.into())
    }

    fn suffix(&mut self, suffix: &str, span: proc_macro2::Span) -> Option<Option<Scalar>> {
        if suffix.is_empty() {
            return Some(None);
        }
        match Scalar::from_name(suffix) {
            Some(scalar) if scalar != Scalar::Bool => Some(Some(scalar)),
            _ => {
                let message = format!(
                    "expected the suffix of a scalar type, found `{suffix}`\nhelp: write one of `i32`, `u32`, `usize`, \
                     `f32`, …"
                );
                self.error(span, message);
                None
            }
        }
    }

    fn path(&mut self, inner: &syn::ExprPath) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let loc = path_loc(&inner.path);
        if let Some(qself) = &inner.qself {
            let message = "qualified paths are not supported in kernels yet\nhelp: write `T::NAME`";
            self.error(Loc::between(qself.lt_token.span(), loc), message);
            return None;
        }
        let (path, generics) = self.split_generics(&inner.path)?;
        if let Some(generics) = generics {
            self.error(generics.loc, "expected no generic arguments here\nhelp: leave them out");
            return None;
        }
        self.node(ExprKind::Path(path), loc)
    }

    /// The path without the generic arguments of its last segment, and these.
    fn split_generics(&mut self, path: &syn::Path) -> Option<(syn::Path, Option<Generics>)> {
        let mut path = path.clone();
        let last = path.segments.len().saturating_sub(1);
        let mut generics = None;
        for (index, segment) in path.segments.iter_mut().enumerate() {
            match std::mem::take(&mut segment.arguments) {
                syn::PathArguments::None => {}
                syn::PathArguments::AngleBracketed(arguments) if index == last => {
                    generics = Some(self.generics(&arguments)?);
                }
                other => {
                    self.error(Loc::of(&other), "expected no generic arguments here\nhelp: leave them out");
                    return None;
                }
            }
        }
        Some((path, generics))
    }

    fn generics(&mut self, arguments: &syn::AngleBracketedGenericArguments) -> Option<Generics> {
        let mut types = Vec::new();
        for argument in &arguments.args {
            match argument {
                syn::GenericArgument::Type(ty) => types.push(self.shared_type(ty)?),
                other => {
                    let message = "expected an array type\nhelp: write `shared::<[f32; 256]>()`";
                    self.error(Loc::of(other), message);
                    return None;
                }
            }
        }
        let loc = Loc::between(arguments.lt_token.span(), arguments.gt_token.span());
        Some(Generics { types, loc })
    }

    fn unary(&mut self, inner: &syn::ExprUnary) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let (op, span) = match inner.op {
            syn::UnOp::Neg(token) => (UnaryOp::Neg, token.span()),
            syn::UnOp::Not(token) => (UnaryOp::Not, token.span()),
            syn::UnOp::Deref(token) => {
                let message =
                    "`*` is not supported in kernels: nothing is a reference\nhelp: use the value itself";
                self.error(token.span(), message);
                return None;
            }
            _ => {
                self.refuse_expr(&inner.expr);
                return None;
            }
        };
        let arg = self.boxed(&inner.expr)?;
        let loc = Loc::between(span, arg.loc);
        self.node(ExprKind::Unary { op, arg }, loc)
    }

    fn binary(&mut self, inner: &syn::ExprBinary) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let lhs = self.boxed(&inner.left);
        let rhs = self.boxed(&inner.right);
        let Some(operator) = operator(&inner.op) else {
            self.error(
                Loc::of(&inner.op),
                "this operator is not supported in kernels\nhelp: write it another way",
            );
            return None;
        };
        let (lhs, rhs) = (lhs?, rhs?);
        let loc = Loc::between(lhs.loc, rhs.loc);
        let kind = match operator {
            Operator::Binary(op) => ExprKind::Binary { op, lhs, rhs },
            Operator::Assign(op) => ExprKind::AssignOp { op, place: lhs, value: rhs },
            Operator::Logical { and } => ExprKind::Logical { and, lhs, rhs },
        };
        self.node(kind, loc)
    }

    fn cast(&mut self, inner: &syn::ExprCast) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let arg = self.boxed(&inner.expr);
        let ty = self.value_type(&inner.ty, false);
        let (arg, ty) = (arg?, ty?);
        let loc = Loc::between(arg.loc, ty.loc);
        self.node(ExprKind::Cast { arg, ty }, loc)
    }

    fn field(&mut self, inner: &syn::ExprField) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let base = self.boxed(&inner.base)?;
        let name = match &inner.member {
            syn::Member::Named(name) => name.clone(),
            syn::Member::Unnamed(index) => {
                let message = format!(
                    "expected a field of `Dim3`, found `.{}`: tuples are not supported yet\nhelp: write `.x`, `.y` or `.z`",
                    index.index
                );
                self.error(index.span, message);
                return None;
            }
        };
        let loc = Loc::between(base.loc, &name);
        self.node(ExprKind::Field { base, name }, loc)
    }

    fn index(&mut self, inner: &syn::ExprIndex) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let base = self.boxed(&inner.expr);
        if let syn::Expr::Range(range) = &*inner.index {
            let message =
                "sub-slices are not supported in kernels yet\nhelp: index with an offset: `x[start + i]`";
            self.error(Loc::of(range), message);
            return None;
        }
        let index = self.boxed(&inner.index);
        let (base, index) = (base?, index?);
        let loc = Loc::between(base.loc, inner.bracket_token.span.close());
        self.node(ExprKind::Index { base, index }, loc)
    }

    fn call(&mut self, inner: &syn::ExprCall) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let args: Vec<_> = inner.args.iter().map(|arg| self.expr(arg)).collect();
        let function = match &*inner.func {
            syn::Expr::Path(path) if path.qself.is_none() => &path.path,
            other => {
                let message = "expected the name of a function, found an expression\nhelp: call a function of the language by name";
                self.error(Loc::of(other), message);
                return None;
            }
        };
        let loc = Loc::between(path_loc(function), inner.paren_token.span.close());
        let (path, generics) = self.split_generics(function)?;
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        self.node(ExprKind::Call { path, generics, args }, loc)
    }

    fn method(&mut self, inner: &syn::ExprMethodCall) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let receiver = self.boxed(&inner.receiver);
        let args: Vec<_> = inner.args.iter().map(|arg| self.expr(arg)).collect();
        if let Some(turbofish) = &inner.turbofish {
            self.error(Loc::of(turbofish), "expected no generic arguments here\nhelp: leave them out");
            return None;
        }
        let receiver = receiver?;
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        let loc = Loc::between(receiver.loc, inner.paren_token.span.close());
        self.node(ExprKind::Method { receiver, name: inner.method.clone(), args }, loc)
    }

    fn assign(&mut self, inner: &syn::ExprAssign) -> Option<Expr> {
        self.attributes(&inner.attrs);
        if let syn::Expr::Infer(token) = &*inner.left {
            let message = "`_ = …` is not supported in kernels yet\nhelp: write `let _ = …;`";
            self.error(token.underscore_token.span(), message);
            return None;
        }
        let place = self.boxed(&inner.left);
        let value = self.boxed(&inner.right);
        let (place, value) = (place?, value?);
        let loc = Loc::between(place.loc, value.loc);
        self.node(ExprKind::Assign { place, value }, loc)
    }

    fn block_expr(&mut self, inner: &syn::ExprBlock) -> Option<Expr> {
        self.attributes(&inner.attrs);
        if let Some(label) = &inner.label {
            let message = format!(
                "labelled blocks are not supported in kernels yet\nhelp: write `{name}: loop {{ … break {name}; }}`",
                name = label.name
            );
            self.error(label.name.span(), message);
            return None;
        }
        let block = self.block(&inner.block);
        let loc = block.loc;
        self.node(ExprKind::Block(block), loc)
    }

    fn if_expr(&mut self, inner: &syn::ExprIf) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let cond = self.boxed(&inner.cond);
        let then = self.block(&inner.then_branch);
        let otherwise = match &inner.else_branch {
            Some((_, branch)) => Some(self.boxed(branch)?),
            None => None,
        };
        let end = otherwise.as_ref().map_or(then.loc, |branch| branch.loc);
        let loc = Loc::between(inner.if_token.span(), end);
        self.node(ExprKind::If { cond: cond?, then, otherwise }, loc)
    }

    fn new_loop(&mut self, label: &Option<syn::Label>) -> (LoopId, Option<syn::Lifetime>) {
        let id = LoopId(self.loop_count);
        self.loop_count += 1;
        (id, label.as_ref().map(|label| label.name.clone()))
    }

    fn loop_expr(&mut self, inner: &syn::ExprLoop) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let (id, label) = self.new_loop(&inner.label);
        let body = self.block(&inner.body);
        let loc = Loc::between(inner.loop_token.span(), body.loc);
        self.node(ExprKind::Loop { id, label, body }, loc)
    }

    fn while_expr(&mut self, inner: &syn::ExprWhile) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let (id, label) = self.new_loop(&inner.label);
        let cond = self.boxed(&inner.cond);
        let body = self.block(&inner.body);
        let loc = Loc::between(inner.while_token.span(), body.loc);
        self.node(ExprKind::While { id, label, cond: cond?, body }, loc)
    }

    fn for_expr(&mut self, inner: &syn::ExprForLoop) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let (id, label) = self.new_loop(&inner.label);
        let local = self.binding(&inner.pat, Origin::For);
        let range = self.range(&inner.expr);
        let body = self.block(&inner.body);
        let loc = Loc::between(inner.for_token.span(), body.loc);
        self.node(ExprKind::For { id, label, local: local?, range: Box::new(range?), body }, loc)
    }

    /// `a..b`, `a..=b`, and these in parentheses with `.rev()` and `.step_by(n)`.
    fn range(&mut self, expr: &syn::Expr) -> Option<Range> {
        match expr {
            syn::Expr::Paren(inner) => self.range(&inner.expr),
            syn::Expr::Group(inner) => self.range(&inner.expr),
            syn::Expr::Range(inner) => self.plain_range(inner),
            syn::Expr::MethodCall(call) if call.method == "rev" || call.method == "step_by" => {
                let mut range = self.range(&call.receiver)?;
                range.adaptors.push(self.adaptor(&call.method, call)?);
                Some(range)
            }
            syn::Expr::MethodCall(call) if is_range(&call.receiver) => {
                let message = format!(
                    "expected `rev` or `step_by`, found `{}`: other adaptors of ranges are not supported yet\nhelp: compute \
                     it in the loop",
                    call.method
                );
                self.error(&call.method, message);
                None
            }
            other => {
                let message = "expected a range after `in`: other iterators are not supported yet\nhelp: loop over indices: \
                               `for i in 0..x.len()`";
                self.error(Loc::of(other), message);
                None
            }
        }
    }

    fn plain_range(&mut self, inner: &syn::ExprRange) -> Option<Range> {
        let (Some(start), Some(end)) = (&inner.start, &inner.end) else {
            let message = "expected a range with start and end\nhelp: write `start..end` or `start..=end`";
            self.error(Loc::of(inner), message);
            return None;
        };
        let start = self.expr(start);
        let end = self.expr(end);
        let inclusive = matches!(inner.limits, syn::RangeLimits::Closed(_));
        Some(Range { start: start?, end: end?, inclusive, adaptors: Vec::new() })
    }

    fn adaptor(&mut self, name: &Ident, call: &syn::ExprMethodCall) -> Option<RangeAdaptor> {
        let expected = usize::from(name == "step_by");
        if call.args.len() != expected {
            let message = format!(
                "expected {expected} argument{} to `{name}`, found {}\nhelp: write `.rev()` or `.step_by(n)`",
                if expected == 1 { "" } else { "s" },
                call.args.len()
            );
            self.error(name, message);
            return None;
        }
        match call.args.first() {
            Some(step) => Some(RangeAdaptor::StepBy(self.expr(step)?)),
            None => Some(RangeAdaptor::Rev),
        }
    }

    fn break_expr(&mut self, inner: &syn::ExprBreak) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let value = match &inner.expr {
            Some(value) => Some(self.boxed(value)?),
            None => None,
        };
        let label = inner.label.clone();
        let start = inner.break_token.span();
        let end = match (&value, &label) {
            (Some(value), _) => value.loc.end,
            (None, Some(label)) => label.span(),
            (None, None) => start,
        };
        self.node(ExprKind::Break { label, value }, Loc { start, end })
    }

    fn return_expr(&mut self, inner: &syn::ExprReturn) -> Option<Expr> {
        self.attributes(&inner.attrs);
        if let Some(value) = &inner.expr
            && !matches!(&**value, syn::Expr::Tuple(tuple) if tuple.elems.is_empty())
        {
            let message = "expected `return` without a value: a kernel returns nothing\nhelp: write the result to a \
                           `&mut [T]` parameter";
            self.error(Loc::of(value), message);
            return None;
        }
        self.node(ExprKind::Return, inner.return_token.span().into())
    }
}

fn is_range(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Paren(inner) => is_range(&inner.expr),
        syn::Expr::MethodCall(inner) => is_range(&inner.receiver),
        syn::Expr::Range(_) => true,
        _ => false,
    }
}

/// Where a path is, without the generic arguments of its last segment.
fn path_loc(path: &syn::Path) -> Loc {
    let first = match (&path.leading_colon, path.segments.first()) {
        (Some(colons), _) => colons.span(),
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => proc_macro2::Span::call_site(),
    };
    let last = path.segments.last().map_or(first, |segment| segment.ident.span());
    Loc { start: first, end: last }
}

fn operator(op: &syn::BinOp) -> Option<Operator> {
    use syn::BinOp as B;
    let operator = match op {
        B::Add(_) => Operator::Binary(BinaryOp::Add),
        B::Sub(_) => Operator::Binary(BinaryOp::Sub),
        B::Mul(_) => Operator::Binary(BinaryOp::Mul),
        B::Div(_) => Operator::Binary(BinaryOp::Div),
        B::Rem(_) => Operator::Binary(BinaryOp::Rem),
        B::BitAnd(_) => Operator::Binary(BinaryOp::And),
        B::BitOr(_) => Operator::Binary(BinaryOp::Or),
        B::BitXor(_) => Operator::Binary(BinaryOp::Xor),
        B::Shl(_) => Operator::Binary(BinaryOp::Shl),
        B::Shr(_) => Operator::Binary(BinaryOp::Shr),
        B::Eq(_) => Operator::Binary(BinaryOp::Eq),
        B::Ne(_) => Operator::Binary(BinaryOp::Ne),
        B::Lt(_) => Operator::Binary(BinaryOp::Lt),
        B::Le(_) => Operator::Binary(BinaryOp::Le),
        B::Gt(_) => Operator::Binary(BinaryOp::Gt),
        B::Ge(_) => Operator::Binary(BinaryOp::Ge),
        B::And(_) => Operator::Logical { and: true },
        B::Or(_) => Operator::Logical { and: false },
        B::AddAssign(_) => Operator::Assign(BinaryOp::Add),
        B::SubAssign(_) => Operator::Assign(BinaryOp::Sub),
        B::MulAssign(_) => Operator::Assign(BinaryOp::Mul),
        B::DivAssign(_) => Operator::Assign(BinaryOp::Div),
        B::RemAssign(_) => Operator::Assign(BinaryOp::Rem),
        B::BitAndAssign(_) => Operator::Assign(BinaryOp::And),
        B::BitOrAssign(_) => Operator::Assign(BinaryOp::Or),
        B::BitXorAssign(_) => Operator::Assign(BinaryOp::Xor),
        B::ShlAssign(_) => Operator::Assign(BinaryOp::Shl),
        B::ShrAssign(_) => Operator::Assign(BinaryOp::Shr),
        _ => return None,
    };
    Some(operator)
}
