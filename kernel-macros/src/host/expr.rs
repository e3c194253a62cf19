//! Expressions: values and places alike, for all types of the copy are plain data that reading copies.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::{Printer, constant, function_name, types};
use crate::typed::{BinaryOp, Expr, ExprKind, Scalar, StructId, Ty, UnaryOp};

impl Printer<'_> {
    /// An expression where an operand or a method's receiver stands.
    pub(super) fn operand(&mut self, expr: &Expr) -> TokenStream {
        let tokens = self.expr(expr);
        if is_atom(&expr.kind) {
            return tokens;
        }
        let span = expr.span;
        quote_spanned!(span=> (#tokens))
    }

    pub(super) fn list<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<TokenStream> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    /// An expression in one piece.
    pub(super) fn whole(&mut self, expr: &Expr) -> TokenStream {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Literal(value) => constant::literal(*value, span),
            ExprKind::Path(value) => constant::value(*value, span),
            ExprKind::Local(id) => self.local(*id, span),
            ExprKind::Const(id) => {
                let mut name = self.const_name(*id);
                name.set_span(span);
                name.into_token_stream()
            }
            ExprKind::Closure(id) => self.closure(*id, span),
            ExprKind::Function | ExprKind::Unit => quote_spanned!(span=> ()),
            ExprKind::Tuple(parts) => {
                let parts = self.list(parts);
                quote_spanned!(span=> (#(#parts,)*))
            }
            ExprKind::Array(parts) => {
                let parts = self.list(parts);
                quote_spanned!(span=> [#(#parts),*])
            }
            ExprKind::Repeat(value) => {
                let value = self.expr(value);
                let len = match &expr.ty {
                    Ty::Array(_, len) => *len,
                    _ => 0,
                };
                let len = Literal::u64_unsuffixed(len);
                quote_spanned!(span=> [#value; #len])
            }
            ExprKind::Struct { fields, base } => self.structure(&expr.ty, fields, base.as_deref(), span),
            ExprKind::Variant(index) => self.variant(&expr.ty, *index, span),
            ExprKind::Some(value) => {
                let value = self.expr(value);
                quote_spanned!(span=> run::Option::Some(#value))
            }
            ExprKind::None => {
                let ty = types::ty(self.kernel, &expr.ty);
                quote_spanned!(span=> <#ty>::None)
            }
            ExprKind::Field { base, index } => {
                let tokens = self.operand(base);
                self.field(tokens, &base.ty, *index, span)
            }
            ExprKind::Axis { base, axis } => {
                let base = self.operand(base);
                let axis = Ident::new(["x", "y", "z"][*axis], span);
                quote_spanned!(span=> #base.#axis)
            }
            ExprKind::Deref(pointer) => {
                let pointer = self.operand(pointer);
                quote_spanned!(span=> (*#pointer))
            }
            ExprKind::Ref(place) => self.pointer(place, matches!(expr.ty, Ty::Ref { mutable: true, .. })),
            ExprKind::Unsize(value) => {
                let tokens = self.expr(value);
                match value.ty {
                    Ty::SharedDyn(_) | Ty::Slice { .. } => tokens,
                    _ => quote_spanned!(span=> run::unsize(#tokens)),
                }
            }
            ExprKind::Subslice { base, start, end, inclusive } => {
                let base = self.operand(base);
                let parts = [start, end].map(|part| part.as_ref().map(|part| self.expr(part)));
                match (parts, inclusive) {
                    ([Some(start), Some(end)], false) => quote_spanned!(span=> #base.part(#start, #end)),
                    ([Some(start), Some(end)], true) => {
                        quote_spanned!(span=> #base.part_inclusive(#start, #end))
                    }
                    ([Some(start), None], _) => quote_spanned!(span=> #base.part_from(#start)),
                    ([None, Some(end)], false) => quote_spanned!(span=> #base.part(0, #end)),
                    ([None, Some(end)], true) => quote_spanned!(span=> #base.part_inclusive(0, #end)),
                    ([None, None], _) => base,
                }
            }
            ExprKind::Unary { op, arg } => self.unary(*op, arg, span),
            ExprKind::Binary { op, lhs, rhs } => {
                let (lhs_tokens, rhs_tokens) = (self.operand(lhs), self.operand(rhs));
                self.binary(*op, &lhs.ty, lhs_tokens, rhs_tokens, span)
            }
            ExprKind::Logical { and, lhs, rhs } => {
                let (lhs, rhs) = (self.operand(lhs), self.operand(rhs));
                if *and { quote_spanned!(span=> #lhs && #rhs) } else { quote_spanned!(span=> #lhs || #rhs) }
            }
            ExprKind::MulAdd { a, b, c, negate_product, negate_c, product_first } => {
                if *product_first {
                    let (a, b) = (self.negated_if(*negate_product, a), self.expr(b));
                    let c = self.negated_if(*negate_c, c);
                    quote_spanned!(span=> run::mul_add(#a, #b, #c))
                } else {
                    let c = self.negated_if(*negate_c, c);
                    let (a, b) = (self.negated_if(*negate_product, a), self.expr(b));
                    quote_spanned!(span=> run::add_mul(#c, #a, #b))
                }
            }
            ExprKind::Cast(arg) => self.cast(arg, &expr.ty, span),
            ExprKind::Index { base, index } => self.index(base, index, span),
            ExprKind::Call { builtin, args } => self.call(*builtin, args, &expr.ty, span),
            ExprKind::Atomic(access) => self.atomic(access, span),
            ExprKind::Fence { .. } => quote_spanned!(span=> run::thread_fence()),
            ExprKind::Invoke { function, args } => {
                self.invoke(function_name(self.kernel, *function), args, span)
            }
            ExprKind::InvokeValue { callee, args } => self.invoke_value(callee, args, expr),
            ExprKind::Consume { iter, how } => self.consume(iter, how, span),
            ExprKind::InlinePtx(ptx) => match &ptx.cpu {
                Some(cpu) => {
                    // The inputs are for the PTX alone: this expression reads their variables itself.
                    let cpu = self.expr(cpu);
                    quote_spanned!(span=> { #cpu })
                }
                None => quote_spanned!(span=> run::inline_ptx()),
            },
            ExprKind::Panic { format, args } => {
                let text = self.text(*format, args, span);
                quote_spanned!(span=> run::panic(#text))
            }
            ExprKind::Print { format, args } => self.print(*format, args, span),
            ExprKind::Let { pattern, value } => self.condition(pattern, value),
            ExprKind::Match { value, arms, .. } => self.matching(value, arms, span),
            ExprKind::Assign { place, value } => {
                let (value, place) = (self.expr(value), self.expr(place));
                quote_spanned!(span=> #place = #value)
            }
            ExprKind::AssignOp { op, place, value } => self.assign_op(*op, place, value, span),
            ExprKind::AssignMulAdd { place, a, b, negate_product } => {
                self.assign_mul_add(place, (a, b), *negate_product, span)
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Labeled { .. }
            | ExprKind::If { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_) => self.control(expr),
        }
    }

    fn structure(
        &mut self,
        ty: &Ty,
        given: &[(usize, Expr)],
        base: Option<&Expr>,
        span: Span,
    ) -> TokenStream {
        let Ty::Struct(id) = ty else { return quote_spanned!(span=> ()) };
        let (name, item) = (types::struct_name(self.kernel, *id), &self.kernel.structs[id.0]);
        let fields = given.iter().map(|(index, value)| {
            let (name, value) = (types::field_name(&item.fields[*index], span), self.expr(value));
            quote_spanned!(span=> #name: #value)
        });
        let mut fields: Vec<_> = fields.collect();
        if item.is_union() {
            return self.enum_of_union(*id, given, fields, span);
        }
        if base.is_none() {
            let absent = (0..item.fields.len()).filter(|index| given.iter().all(|row| row.0 != *index));
            fields.extend(absent.map(|index| {
                let name = types::field_name(&item.fields[index], span);
                quote_spanned!(span=> #name: run::poison())
            }));
        }
        let base = base.map(|base| {
            let base = self.expr(base);
            quote_spanned!(span=> ..#base)
        });
        quote_spanned!(span=> #name { #(#fields,)* #base })
    }

    /// An enum whose variants share their bytes, of the number and the fields of one variant.
    fn enum_of_union(
        &self,
        id: StructId,
        given: &[(usize, Expr)],
        fields: Vec<TokenStream>,
        span: Span,
    ) -> TokenStream {
        let item = &self.kernel.structs[id.0];
        let (name, of) = (types::struct_name(self.kernel, id), types::union_name(self.kernel, id));
        let (numbers, fields): (Vec<_>, Vec<_>) =
            given.iter().zip(fields).partition(|((index, _), _)| *index == 0);
        let numbers = numbers.into_iter().map(|row| row.1);
        let variant = fields.first().and_then(|((index, _), _)| types::holder(item, *index));
        let Some(variant) = variant else {
            return quote_spanned!(span=> #name { #(#numbers,)* of: #of { none: () } });
        };
        let (member, own) = (types::member_name(variant), types::variant_name(self.kernel, id, variant));
        let fields = fields.into_iter().map(|row| row.1);
        quote_spanned!(span=> #name { #(#numbers,)* of: #of { #member: #own { #(#fields),* } } })
    }

    /// An enum's variant is its number.
    fn variant(&self, ty: &Ty, index: usize, span: Span) -> TokenStream {
        let Ty::Enum(id) = ty else { return quote_spanned!(span=> ()) };
        let item = &self.kernel.enums[id.0];
        let mask = if item.repr.bits() == 64 { u64::MAX } else { (1 << item.repr.bits()) - 1 };
        let bits = item.variants[index].1 as u64 & mask;
        constant::value(crate::typed::ConstValue { ty: item.repr, bits }, span)
    }

    fn cast(&mut self, arg: &Expr, to: &Ty, span: Span) -> TokenStream {
        let mut tokens = self.operand(arg);
        // `f32::from(b)`: there is no `as` from `bool` to a float.
        if matches!((&arg.ty, to), (Ty::Scalar(Scalar::Bool), Ty::Scalar(to)) if to.is_float()) {
            tokens = quote_spanned!(span=> (#tokens as u8));
        }
        let half = |ty: &Ty| matches!(ty, Ty::Scalar(Scalar::F16 | Scalar::Bf16));
        let ty = types::ty(self.kernel, to);
        match (half(&arg.ty), half(to)) {
            (false, false) => quote_spanned!(span=> #tokens as #ty),
            (true, false) => quote_spanned!(span=> (#tokens.to_f32() as #ty)),
            (false, true) => quote_spanned!(span=> <#ty as run::Half>::from_f64(#tokens as f64)),
            (true, true) => quote_spanned!(span=> <#ty as run::Half>::from_f64(#tokens.to_f64())),
        }
    }

    fn unary(&mut self, op: UnaryOp, arg: &Expr, span: Span) -> TokenStream {
        let tokens = self.operand(arg);
        let wraps = matches!(&arg.ty, Ty::Scalar(scalar) if scalar.is_int());
        match op {
            UnaryOp::Not => quote_spanned!(span=> !#tokens),
            UnaryOp::Neg if self.is_checked(&arg.ty) && !matches!(arg.kind, ExprKind::Literal(_)) => {
                quote_spanned!(span=> run::overflow::neg(#tokens))
            }
            // `-128i8` is one literal to rustc, `128i8.wrapping_neg()` is out of range.
            UnaryOp::Neg if wraps && !matches!(arg.kind, ExprKind::Literal(_)) => {
                quote_spanned!(span=> #tokens.wrapping_neg())
            }
            UnaryOp::Neg => quote_spanned!(span=> -#tokens),
        }
    }

    /// An operator on operands of type `ty` (the right one of a shift may have another).
    pub(super) fn binary(
        &self,
        op: BinaryOp,
        ty: &Ty,
        lhs: TokenStream,
        rhs: TokenStream,
        span: Span,
    ) -> TokenStream {
        let wraps = matches!(ty, Ty::Scalar(scalar) if scalar.is_int());
        if let (Some(name), true) = (checked_name(op), self.is_checked(ty)) {
            let name = Ident::new(name, span);
            return quote_spanned!(span=> run::overflow::#name(#lhs, #rhs));
        }
        if let Some(compared) = self.compare_behind(op, ty, (&lhs, &rhs), span) {
            return compared;
        }
        match op {
            BinaryOp::Add if wraps => quote_spanned!(span=> #lhs.wrapping_add(#rhs)),
            BinaryOp::Sub if wraps => quote_spanned!(span=> #lhs.wrapping_sub(#rhs)),
            BinaryOp::Mul if wraps => quote_spanned!(span=> #lhs.wrapping_mul(#rhs)),
            // Only the amount's lowest bits count, so cutting it does no harm.
            BinaryOp::Shl if wraps => quote_spanned!(span=> #lhs.wrapping_shl(#rhs as u32)),
            BinaryOp::Shr if wraps => quote_spanned!(span=> #lhs.wrapping_shr(#rhs as u32)),
            BinaryOp::Add => quote_spanned!(span=> #lhs + #rhs),
            BinaryOp::Sub => quote_spanned!(span=> #lhs - #rhs),
            BinaryOp::Mul => quote_spanned!(span=> #lhs * #rhs),
            BinaryOp::Shl => quote_spanned!(span=> #lhs << #rhs),
            BinaryOp::Shr => quote_spanned!(span=> #lhs >> #rhs),
            BinaryOp::Div => quote_spanned!(span=> #lhs / #rhs),
            BinaryOp::Rem => quote_spanned!(span=> #lhs % #rhs),
            BinaryOp::And => quote_spanned!(span=> #lhs & #rhs),
            BinaryOp::Or => quote_spanned!(span=> #lhs | #rhs),
            BinaryOp::Xor => quote_spanned!(span=> #lhs ^ #rhs),
            BinaryOp::Eq => quote_spanned!(span=> #lhs == #rhs),
            BinaryOp::Ne => quote_spanned!(span=> #lhs != #rhs),
            BinaryOp::Lt => quote_spanned!(span=> #lhs < #rhs),
            BinaryOp::Le => quote_spanned!(span=> #lhs <= #rhs),
            BinaryOp::Gt => quote_spanned!(span=> #lhs > #rhs),
            BinaryOp::Ge => quote_spanned!(span=> #lhs >= #rhs),
        }
    }
}

impl Printer<'_> {
    /// Returns true if operators on this type panic on overflow.
    pub(super) fn is_checked(&self, ty: &Ty) -> bool {
        let is_int = matches!(ty, Ty::Scalar(scalar) | Ty::Vector(scalar, _) if scalar.is_int());
        is_int && self.current().checks_overflow
    }
}

/// The function of `run::overflow` behind an operator.
fn checked_name(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Add => Some("add"),
        BinaryOp::Sub => Some("sub"),
        BinaryOp::Mul => Some("mul"),
        BinaryOp::Shl => Some("shl"),
        BinaryOp::Shr => Some("shr"),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => None,
    }
}

/// Returns true if the printed expression can be an operand or a receiver without parentheses.
fn is_atom(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Literal(_)
        | ExprKind::Path(_)
        | ExprKind::Local(_)
        | ExprKind::Const(_)
        | ExprKind::Function
        | ExprKind::Unit
        | ExprKind::Tuple(_)
        | ExprKind::Array(_)
        | ExprKind::Repeat(_)
        | ExprKind::Variant(_)
        | ExprKind::Some(_)
        | ExprKind::None
        | ExprKind::Field { .. }
        | ExprKind::Deref(_)
        | ExprKind::Ref(_)
        | ExprKind::Axis { .. }
        | ExprKind::Index { .. }
        | ExprKind::Subslice { .. }
        | ExprKind::Invoke { .. }
        | ExprKind::Atomic(_)
        | ExprKind::Fence { .. }
        | ExprKind::MulAdd { .. } => true,
        // A literal struct is none in a condition; the rest is operators and blocks.
        ExprKind::Struct { .. }
        | ExprKind::Closure(_)
        | ExprKind::Unsize(_)
        | ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Logical { .. }
        | ExprKind::Cast(_)
        | ExprKind::Call { .. }
        | ExprKind::InvokeValue { .. }
        | ExprKind::Consume { .. }
        | ExprKind::InlinePtx(_)
        | ExprKind::Panic { .. }
        | ExprKind::Print { .. }
        | ExprKind::Let { .. }
        | ExprKind::Match { .. }
        | ExprKind::Assign { .. }
        | ExprKind::AssignOp { .. }
        | ExprKind::AssignMulAdd { .. }
        | ExprKind::Block(_)
        | ExprKind::Labeled { .. }
        | ExprKind::If { .. }
        | ExprKind::Loop { .. }
        | ExprKind::While { .. }
        | ExprKind::For { .. }
        | ExprKind::Break { .. }
        | ExprKind::Continue { .. }
        | ExprKind::Return(_) => false,
    }
}
