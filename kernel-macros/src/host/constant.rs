//! Literals and constants.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::types;
use crate::typed::{ConstValue, Constant, Kernel, Scalar, Ty};

/// A literal of a type; that of a signed type stands for its bits, so `i8::MIN` is `-128`.
pub fn value(value: ConstValue, span: Span) -> TokenStream {
    let bits = value.bits;
    let negative = match value.ty {
        Scalar::Bool => {
            return Ident::new(if bits == 0 { "false" } else { "true" }, span).into_token_stream();
        }
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => return float(value, span),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize => {
            let shift = 64 - value.ty.bits();
            ((bits << shift) as i64) >> shift
        }
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::Usize => 0,
    };
    if negative < 0 {
        let literal = suffixed(negative.unsigned_abs(), value.ty.name(), span);
        return quote_spanned!(span=> (-#literal));
    }
    suffixed(bits, value.ty.name(), span).into_token_stream()
}

/// The literal under a minus may be one beyond its type's maximum.
pub fn literal(value: ConstValue, span: Span) -> TokenStream {
    if value.ty.is_int() {
        return suffixed(value.bits, value.ty.name(), span).into_token_stream();
    }
    self::value(value, span)
}

fn float(value: ConstValue, span: Span) -> TokenStream {
    let bits = value.bits;
    let finite = match value.ty {
        Scalar::F32 => Some(f32::from_bits(bits as u32)).filter(|v| v.is_finite()).map(Literal::f32_suffixed),
        Scalar::F64 => Some(f64::from_bits(bits)).filter(|v| v.is_finite()).map(Literal::f64_suffixed),
        _ => None,
    };
    let positive = bits >> (value.ty.bits() - 1) & 1 == 0;
    if let (Some(mut literal), true) = (finite, positive) {
        literal.set_span(span);
        return literal.into_token_stream();
    }
    let ty = types::scalar(value.ty, span);
    let bits = match value.ty {
        Scalar::F64 => Literal::u64_suffixed(bits),
        Scalar::F32 => Literal::u32_suffixed(bits as u32),
        _ => Literal::u16_suffixed(bits as u16),
    };
    quote_spanned!(span=> #ty::from_bits(#bits))
}

fn suffixed(bits: u64, suffix: &str, span: Span) -> Literal {
    let text = format!("{bits}{suffix}");
    let mut literal = text.parse().unwrap_or_else(|_| Literal::u64_unsuffixed(bits));
    literal.set_span(span);
    literal
}

/// A constant of any type.
pub fn constant(kernel: &Kernel, constant: &Constant, ty: &Ty, span: Span) -> TokenStream {
    let part = |part: &Constant, ty: &Ty| self::constant(kernel, part, ty, span);
    match (constant, ty) {
        (_, Ty::Ref { inner, .. }) => {
            let (value, ty) = (part(constant, inner), types::ty(kernel, inner));
            quote_spanned!(span=> ((&const { #value }) as *const #ty as *mut #ty))
        }
        (Constant::Aggregate(parts), Ty::Slice { element, .. }) => {
            let parts = parts.iter().map(|constant| part(constant, element));
            quote_spanned!(span=> run::Slice::constant(&const { [#(#parts),*] }))
        }
        (Constant::Scalar(scalar), _) => value(*scalar, span),
        (Constant::Option(None), _) => {
            let ty = types::ty(kernel, ty);
            quote_spanned!(span=> <#ty>::None)
        }
        (Constant::Option(Some(inner)), Ty::Option(of)) => {
            let inner = part(inner, of);
            quote_spanned!(span=> run::Option::Some(#inner))
        }
        (Constant::Aggregate(parts), Ty::Tuple(tys)) => {
            let parts = parts.iter().zip(tys).map(|(constant, ty)| part(constant, ty));
            quote_spanned!(span=> (#(#parts,)*))
        }
        (Constant::Aggregate(parts), Ty::Array(of, _)) => {
            let parts = parts.iter().map(|constant| part(constant, of));
            quote_spanned!(span=> [#(#parts),*])
        }
        (Constant::Aggregate(parts), Ty::Struct(id)) => {
            let (name, item) = (types::struct_name(kernel, *id), &kernel.structs[id.0]);
            if item.is_union() {
                let parts = parts.iter().zip(&item.fields).map(|(constant, field)| part(constant, &field.ty));
                return quote_spanned!(span=> #name::of_parts(#(#parts),*));
            }
            let fields = parts.iter().zip(&item.fields).map(|(constant, field)| {
                let (name, value) = (types::field_name(field, span), part(constant, &field.ty));
                quote_spanned!(span=> #name: #value)
            });
            quote_spanned!(span=> #name { #(#fields),* })
        }
        (Constant::Aggregate(parts), Ty::Vector(scalar, lanes)) => {
            let name = types::vector_name(*scalar, *lanes);
            let lane = Ty::Scalar(*scalar);
            let parts = parts.iter().map(|constant| part(constant, &lane));
            quote_spanned!(span=> run::#name::from_array([#(#parts),*]))
        }
        // `()`; no other constant is an aggregate.
        (Constant::Aggregate(_) | Constant::Option(_), _) => quote_spanned!(span=> ()),
    }
}
