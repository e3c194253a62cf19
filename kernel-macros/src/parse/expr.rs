//! Expressions, other than control flow.

use syn::spanned::Spanned;

use super::types::{path_loc, strip};
use super::{Parser, effects, iter};
use crate::ast::{Expr, ExprKind, Generics, Literal, Type, TypeKind};
use crate::device::{library, primitives};
use crate::diagnostics::Loc;
use crate::typed::{BinaryOp, Scalar, UnaryOp};

/// The kind of an operator of `syn`.
enum Operator {
    Binary(BinaryOp),
    Assign(BinaryOp),
    Logical { and: bool },
}

/// A path taken apart: its names, all but the last as a type, the generic arguments of the last.
type SplitPath = (syn::Path, Option<Box<Type>>, Option<Generics>);

/// The message for strings.
pub(crate) const NO_STRINGS: &str = "strings are not supported in kernels\nhelp: write an `enum` for an error or a name, and `b\"…\"` for bytes, \
                                     or pass them as a `&[u8]` parameter";

/// The help for a macro that is called as a function.
fn without_bang(name: &syn::Ident) -> Option<String> {
    const MACROS: [&str; 5] = ["println", "print", "eprintln", "eprint", "panic"];
    MACROS.iter().any(|other| name == other).then(|| format!("it is a macro: write `{name}!(…)`"))
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
            E::Lit(inner) => {
                self.attributes(&inner.attrs);
                self.literal(&inner.lit)
            }
            E::Path(inner) => self.path(inner),
            E::Unary(inner) => self.unary(inner),
            E::Binary(inner) => self.binary(inner),
            E::Cast(inner) => self.cast(inner),
            E::Field(inner) => self.field(inner),
            E::Index(inner) => self.index(inner),
            E::Call(inner) => self.call(inner),
            E::MethodCall(inner) => self.method(inner),
            E::Assign(inner) => self.assign(inner),
            E::Infer(inner) => self.node(ExprKind::Underscore, inner.underscore_token.span()),
            E::Reference(inner) => self.reference_expr(inner),
            E::RawAddr(inner) => self.raw_address(inner),
            E::Range(inner) => self.range(inner),
            E::Tuple(inner) => {
                self.attributes(&inner.attrs);
                let parts = self.exprs(&inner.elems)?;
                let parens = inner.paren_token.span;
                self.node(ExprKind::Tuple(parts), Loc::between(parens.open(), parens.close()))
            }
            E::Array(inner) => {
                self.attributes(&inner.attrs);
                let parts = self.exprs(&inner.elems)?;
                let brackets = inner.bracket_token.span;
                self.node(ExprKind::Array(parts), Loc::between(brackets.open(), brackets.close()))
            }
            E::Repeat(inner) => {
                self.attributes(&inner.attrs);
                let value = self.boxed(&inner.expr);
                let len = self.boxed(&inner.len);
                let brackets = inner.bracket_token.span;
                let kind = ExprKind::Repeat { value: value?, len: len? };
                self.node(kind, Loc::between(brackets.open(), brackets.close()))
            }
            E::Struct(inner) => self.struct_expr(inner),
            E::Closure(inner) => self.closure(inner),
            E::Block(inner) => self.block_expr(inner),
            E::Unsafe(inner) => {
                self.attributes(&inner.attrs);
                let first = self.text.counts.exprs;
                let block = self.block(&inner.block);
                self.text.unsafe_exprs.push(first..self.text.counts.exprs);
                let loc = Loc::between(inner.unsafe_token.span(), block.loc);
                self.node(ExprKind::Block(block), loc)
            }
            // rustc sees to it that its value is a constant.
            E::Const(inner) => {
                self.attributes(&inner.attrs);
                let block = self.block(&inner.block);
                let loc = Loc::between(inner.const_token.span(), block.loc);
                self.node(ExprKind::Block(block), loc)
            }
            E::If(inner) => self.if_expr(inner),
            E::Match(inner) => self.match_expr(inner),
            E::Try(inner) => self.try_expr(inner),
            E::Loop(inner) => self.loop_expr(inner),
            E::While(inner) => self.while_expr(inner),
            E::ForLoop(inner) => self.for_expr(inner),
            E::Break(inner) => self.break_expr(inner),
            E::Continue(inner) => self.continue_expr(inner),
            E::Return(inner) => self.return_expr(inner),
            E::Macro(inner) => {
                self.attributes(&inner.attrs);
                self.macro_expr(&inner.mac)
            }
            other => {
                self.refuse_expr(other);
                None
            }
        }
    }

    /// Numbers it. Always `Some`, for use as a last expression.
    pub(super) fn node(&mut self, kind: ExprKind, loc: impl Into<Loc>) -> Option<Expr> {
        let id = self.next_expr();
        Some(Expr { id, kind, loc: loc.into() })
    }

    pub(super) fn boxed(&mut self, expr: &syn::Expr) -> Option<Box<Expr>> {
        self.expr(expr).map(Box::new)
    }

    pub(super) fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e syn::Expr>) -> Option<Vec<Expr>> {
        let exprs: Vec<_> = exprs.into_iter().map(|expr| self.expr(expr)).collect();
        exprs.into_iter().collect()
    }

    /// An optional part; the outer `None` is for one that was refused.
    pub(super) fn optional(&mut self, expr: Option<&syn::Expr>) -> Option<Option<Box<Expr>>> {
        match expr {
            Some(expr) => self.boxed(expr).map(Some),
            None => Some(None),
        }
    }

    /// A literal; one of a pattern may be negative.
    pub(super) fn literal(&mut self, lit: &syn::Lit) -> Option<Expr> {
        let span = lit.span();
        let mut negative = false;
        let mut strip = |digits: &str| match digits.strip_prefix('-') {
            Some(rest) => {
                negative = true;
                rest.to_owned()
            }
            None => digits.to_owned(),
        };
        let literal = match lit {
            syn::Lit::Bool(lit) => Literal::Bool(lit.value),
            syn::Lit::Byte(lit) => {
                Literal::Int { value: Some(u128::from(lit.value())), suffix: Some(Scalar::U8) }
            }
            syn::Lit::Int(lit) if let Some(ty) = primitives::WIDE.iter().find(|ty| **ty == lit.suffix()) => {
                self.draft.mentioned.insert((*ty).to_owned());
                Literal::Primitive { ty, value: strip(lit.base10_digits()).parse().ok() }
            }
            syn::Lit::Int(lit) => {
                let value = strip(lit.base10_digits()).parse().ok();
                Literal::Int { value, suffix: self.suffix(lit.suffix(), span)? }
            }
            syn::Lit::Float(lit) => {
                let digits = strip(lit.base10_digits());
                Literal::Float { digits, suffix: self.suffix(lit.suffix(), span)? }
            }
            syn::Lit::Char(lit) => {
                self.draft.mentioned.insert(primitives::CHAR.to_owned());
                Literal::Primitive { ty: primitives::CHAR, value: Some(u128::from(u32::from(lit.value()))) }
            }
            syn::Lit::ByteStr(lit) => return self.byte_string(&lit.value(), span),
            _ => {
                self.error(span, NO_STRINGS);
                return None;
            }
        };
        let expr = self.node(ExprKind::Literal(literal), span)?;
        if !negative {
            return Some(expr);
        }
        self.node(ExprKind::Unary { op: UnaryOp::Neg, arg: Box::new(expr) }, span)
    }

    /// `b"…"`: a reference to an array.
    fn byte_string(&mut self, bytes: &[u8], span: proc_macro2::Span) -> Option<Expr> {
        let elements: Option<Vec<Expr>> = bytes.iter().map(|&byte| self.byte(byte, span)).collect();
        let place = Box::new(self.node(ExprKind::Array(elements?), span)?);
        self.node(ExprKind::Ref { place, mutable: false }, span)
    }

    /// One byte of a literal.
    pub(super) fn byte(&mut self, byte: u8, span: proc_macro2::Span) -> Option<Expr> {
        let literal = Literal::Int { value: Some(u128::from(byte)), suffix: Some(Scalar::U8) };
        self.node(ExprKind::Literal(literal), span)
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
        let mut loc = path_loc(&inner.path);
        if let Some(qself) = &inner.qself {
            loc = Loc::between(qself.lt_token.span(), loc);
        }
        let (path, of, generics) = self.split_path(inner.qself.as_ref(), &inner.path)?;
        self.node(ExprKind::Path { path, of, generics }, loc)
    }

    /// Mentions a function or a method, and what it may become.
    fn mention(&mut self, name: &str) {
        let behind: &[&str] = match name {
            "into" => &["from"],
            "try_into" => &["try_into_ref", "try_into_mut"],
            "try_from" => &["try_into", "try_into_ref", "try_into_mut"],
            _ => &[],
        };
        self.draft.mentioned.extend(behind.iter().chain([&name]).map(|name| (*name).to_owned()));
    }

    pub(super) fn split_path(&mut self, qself: Option<&syn::QSelf>, path: &syn::Path) -> Option<SplitPath> {
        let mut path = path.clone();
        let arguments = std::mem::take(&mut path.segments.last_mut()?.arguments);
        let generics = match arguments {
            syn::PathArguments::None => None,
            syn::PathArguments::AngleBracketed(arguments)
                if self.shared_without_length(&path, &arguments) =>
            {
                return None;
            }
            syn::PathArguments::AngleBracketed(arguments) => Some(self.turbofish(&arguments)?),
            other @ syn::PathArguments::Parenthesized(_) => {
                self.error(Loc::of(&other), "expected no generic arguments here\nhelp: leave them out");
                return None;
            }
        };
        let last = path.segments.last()?.clone();
        self.mention(&last.ident.to_string());
        if path.segments.iter().rev().nth(1).is_some_and(|module| module.ident == "iter") {
            self.draft.mentioned.insert("iter::".to_owned());
        }
        if let Some(syn::QSelf { ty, position: 0, .. }) = qself
            && let syn::Type::Path(named) = strip(ty)
            && named.qself.is_none()
        {
            // `<T>::name` is `T::name`.
            let of_type = Some(Box::new(self.ty(ty)?));
            let mut whole = named.path.clone();
            whole.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
            whole.segments.extend(path.segments);
            return Some((whole, of_type, generics));
        }
        if let Some(qself) = qself {
            let of = Box::new(self.ty(&qself.ty)?);
            let loc = of.loc;
            let of = match path.segments.iter().rev().nth(1) {
                Some(segment) => {
                    let args = match &segment.arguments {
                        syn::PathArguments::AngleBracketed(arguments)
                            if super::generics::are_plain(arguments) =>
                        {
                            self.generic_args(arguments)?
                        }
                        _ => Vec::new(),
                    };
                    let of_trait = self.trait_name(&super::traits::before(&path, path.segments.len() - 1))?;
                    self.new_type(TypeKind::Qualified { of, of_trait, args }, loc)?
                }
                None => *of,
            };
            return Some((last.ident.into(), Some(Box::new(of)), generics));
        }
        let mut of = None;
        if path.segments.len() > 1 {
            let count = path.segments.len() - 1;
            let prefix = syn::Path {
                leading_colon: path.leading_colon,
                segments: path.segments.iter().take(count).cloned().collect(),
            };
            of = Some(Box::new(self.path_as_type(&prefix)?));
        }
        for segment in &mut path.segments {
            segment.arguments = syn::PathArguments::None;
        }
        Some((path, of, generics))
    }

    fn unary(&mut self, inner: &syn::ExprUnary) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let (op, span) = match inner.op {
            syn::UnOp::Neg(token) => (UnaryOp::Neg, token.span()),
            syn::UnOp::Not(token) => (UnaryOp::Not, token.span()),
            syn::UnOp::Deref(token) => {
                let arg = self.boxed(&inner.expr)?;
                let loc = Loc::between(token.span(), arg.loc);
                return self.node(ExprKind::Deref(arg), loc);
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

    fn reference_expr(&mut self, inner: &syn::ExprReference) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let place = self.boxed(&inner.expr)?;
        let loc = Loc::between(inner.and_token.span(), place.loc);
        self.node(ExprKind::Ref { place, mutable: inner.mutability.is_some() }, loc)
    }

    /// `&raw const place`: a reference as a pointer.
    fn raw_address(&mut self, inner: &syn::ExprRawAddr) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let mutable = matches!(inner.mutability, syn::PointerMutability::Mut(_));
        let place = self.boxed(&inner.expr)?;
        // `&raw const *p` reads nothing.
        if matches!(place.kind, ExprKind::Deref(_)) {
            self.text.unsafe_exprs.push(place.id.0..place.id.0 + 1);
        }
        let loc = Loc::between(inner.and_token.span(), place.loc);
        let arg = Box::new(self.node(ExprKind::Ref { place, mutable }, loc)?);
        let of = Box::new(self.new_type(TypeKind::Infer, loc)?);
        let ty = self.new_type(TypeKind::Ptr { inner: of, mutable }, loc)?;
        self.node(ExprKind::Cast { arg, ty }, loc)
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
        if let Operator::Binary(BinaryOp::Rem) | Operator::Assign(BinaryOp::Rem) = operator {
            self.draft.mentioned.insert("%".to_owned());
        }
        if let Operator::Binary(op) = operator {
            self.draft.compared.extend(library::methods_of_comparison(op));
        }
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
        let ty = self.ty(&inner.ty);
        let (arg, ty) = (arg?, ty?);
        let loc = Loc::between(arg.loc, ty.loc);
        self.node(ExprKind::Cast { arg, ty }, loc)
    }

    fn field(&mut self, inner: &syn::ExprField) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let base = self.boxed(&inner.base)?;
        let member = inner.member.clone();
        let loc = Loc::between(base.loc, member.span());
        self.node(ExprKind::Field { base, member }, loc)
    }

    fn index(&mut self, inner: &syn::ExprIndex) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let base = self.boxed(&inner.expr);
        let index = self.boxed(&inner.index);
        let (base, index) = (base?, index?);
        let loc = Loc::between(base.loc, inner.bracket_token.span.close());
        self.node(ExprKind::Index { base, index }, loc)
    }

    fn range(&mut self, inner: &syn::ExprRange) -> Option<Expr> {
        self.attributes(&inner.attrs);
        let start = self.optional(inner.start.as_deref());
        let end = self.optional(inner.end.as_deref());
        let (start, end) = (start?, end?);
        let dots = Loc::of(&inner.limits);
        let first = start.as_ref().map_or(dots, |start| start.loc);
        let last = end.as_ref().map_or(dots, |end| end.loc);
        let inclusive = matches!(inner.limits, syn::RangeLimits::Closed(_));
        self.node(ExprKind::Range { start, end, inclusive }, Loc::between(first, last))
    }

    fn struct_expr(&mut self, inner: &syn::ExprStruct) -> Option<Expr> {
        self.attributes(&inner.attrs);
        if let Some(qself) = &inner.qself {
            let message = "qualified paths are not supported here\nhelp: write the struct's name";
            self.error(qself.lt_token.span(), message);
            return None;
        }
        let ty = self.path_as_type(&inner.path);
        let mut fields = Vec::new();
        for field in &inner.fields {
            self.attributes(&field.attrs);
            fields.push(self.expr(&field.expr).map(|value| (field.member.clone(), value)));
        }
        if let (Some(dots), None) = (&inner.dot2_token, &inner.rest) {
            let message = "expected a value after `..`\nhelp: write `..base`, or every field";
            self.error(Loc::of(dots), message);
            return None;
        }
        let base = self.optional(inner.rest.as_deref());
        let ty = ty?;
        let loc = Loc::between(ty.loc, inner.brace_token.span.close());
        let fields = fields.into_iter().collect::<Option<_>>()?;
        self.node(ExprKind::Struct { ty, fields, base: base? }, loc)
    }

    fn call(&mut self, inner: &syn::ExprCall) -> Option<Expr> {
        self.attributes(&inner.attrs);
        if let Some(zipped) = self.zipped(inner) {
            return self.method(&zipped?);
        }
        if let Some(method) = self.of_slice(inner).or_else(|| self.of_standard_trait(inner)) {
            return self.method(&method);
        }
        if let Some(operator) = self.as_operator(inner) {
            return self.expr(&operator);
        }
        let callee = self.boxed(&inner.func);
        // C's functions that take a text, which would be reported instead.
        let is_text =
            |arg: &syn::Expr| matches!(arg, syn::Expr::Lit(lit) if matches!(lit.lit, syn::Lit::Str(_)));
        if let syn::Expr::Path(path) = &*inner.func
            && let Some(name) = path.path.get_ident()
            && inner.args.iter().any(is_text)
            && let Some(help) = crate::cuda_names::help(&name.to_string()).or_else(|| without_bang(name))
        {
            let message = format!("expected a function, found the unknown name `{name}`\nhelp: {help}");
            self.error(Loc::of(name), message);
            return None;
        }
        let args = self.passed(&inner.args);
        let (callee, args) = (callee?, args?);
        let loc = Loc::between(callee.loc, inner.paren_token.span.close());
        self.node(ExprKind::Call { callee, args }, loc)
    }

    fn method(&mut self, inner: &syn::ExprMethodCall) -> Option<Expr> {
        let of_traits = inner.attrs.iter().any(super::passed::is_of_traits);
        if !of_traits {
            self.attributes(&inner.attrs);
        }
        // `"+-".contains(c)`
        if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &*inner.receiver
            && inner.method == "contains"
        {
            let of: Vec<String> = text.value().chars().map(|c| format!("{c:?}")).collect();
            let message = format!(
                "strings are not supported in kernels\nhelp: write `matches!(c, {})`",
                of.join(" | ")
            );
            self.error(text.span(), message);
            return None;
        }
        let receiver = self.boxed(&inner.receiver);
        let generics = match &inner.turbofish {
            Some(turbofish) => self.turbofish(turbofish).map(Some),
            None => Some(None),
        };
        let args = match inner.args.first() {
            // The text of `expect("…")` is what it panics with.
            Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }))
                if inner.method == "expect" && inner.args.len() == 1 =>
            {
                let message = super::macros::plain(&super::macros::braces_doubled(&text.value()));
                self.node(ExprKind::Panic(message), text.span()).map(|panic| vec![panic])
            }
            _ => self.passed(&inner.args),
        };
        let receiver = receiver?;
        let method = inner.method.to_string();
        if let Some(syn::Expr::Range(range)) = inner.args.first() {
            let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
            let behind =
                library::range_method(&method, range.start.is_some(), range.end.is_some(), inclusive);
            self.draft.mentioned.insert(behind);
        }
        if library::is_comparison(&method) && iter::is_chain(&inner.receiver) {
            self.draft.mentioned.insert(library::ITERATOR.to_owned());
        }
        if iter::is_open_range(&inner.receiver) || inner.args.iter().any(iter::is_open_range) {
            self.draft.mentioned.insert(library::ITERATOR.to_owned());
        }
        if effects::passes_over(&method) && effects::maps_with_effects(&inner.receiver) {
            self.draft.mentioned.insert(library::ITERATOR.to_owned());
        }
        let loc = Loc::between(receiver.loc, inner.paren_token.span.close());
        self.mention(&method);
        let kind = ExprKind::Method {
            receiver,
            name: inner.method.clone(),
            generics: generics?,
            args: args?,
            of_traits,
        };
        self.node(kind, loc)
    }

    fn assign(&mut self, inner: &syn::ExprAssign) -> Option<Expr> {
        self.attributes(&inner.attrs);
        if let Some(written_out) = super::assignee::written_out(inner) {
            return self.expr(&written_out);
        }
        let place = self.boxed(&inner.left);
        let value = self.boxed(&inner.right);
        let (place, value) = (place?, value?);
        let loc = Loc::between(place.loc, value.loc);
        self.node(ExprKind::Assign { place, value }, loc)
    }
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
