//! Calls of what the language knows.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Printer, types};
use crate::builtins::{self, Builtin};
use crate::typed::{Expr, Scalar, Ty};

/// The form of a builtin's call in the copy.
enum Form {
    /// A function in this module of `kernel_runtime::cpu::run`.
    Function(&'static [&'static str], &'static str),
    /// A method of this name, Rust's own or of a trait of `run::prelude`.
    Method(&'static str),
    /// `T::name`, `T` the result's type.
    Associated(&'static str),
    /// `run::name::<T>`, `T` the result's type.
    Load(&'static str),
    /// A null pointer of the result's type.
    Null,
    /// `run::shared::<T>(number)`
    Shared,
    /// Of slices a method; of arrays a constant.
    Len,
}

/// Returns the form of a builtin's call. Those that differ from Rust's function of the same name are listed; the rest is as in the table.
fn form(builtin: Builtin, receiver: Option<&Ty>, checked: bool) -> Form {
    let is_int = matches!(receiver, Some(Ty::Scalar(scalar)) if scalar.is_int());
    match builtin {
        Builtin::Shared | Builtin::SharedDyn => Form::Shared,
        Builtin::Len => Form::Len,
        Builtin::GetUnchecked => Form::Method("at_unchecked"),
        Builtin::SliceAsPtr => Form::Method("start"),
        Builtin::SliceFromRaw => Form::Function(&["Slice"], "from_raw"),
        Builtin::PtrAdd | Builtin::PtrOffset => Form::Function(&["pointer"], "offset"),
        Builtin::PtrSub => Form::Function(&["pointer"], "sub"),
        Builtin::PtrByteOffset => Form::Function(&["pointer"], "byte_offset"),
        Builtin::PtrByteSub => Form::Function(&["pointer"], "byte_sub"),
        Builtin::PtrOffsetFrom => Form::Function(&["pointer"], "offset_from"),
        Builtin::PtrNull => Form::Null,
        Builtin::PtrRead => Form::Method("read"),
        Builtin::PtrWrite => Form::Method("write"),
        Builtin::PtrReadVolatile => Form::Function(&["pointer"], "read_volatile"),
        Builtin::PtrWriteVolatile => Form::Function(&["pointer"], "write_volatile"),
        Builtin::PtrIsNull => Form::Method("is_null"),
        // Of views rather than of slices.
        Builtin::VectorLoad => Form::Load("load"),
        // Checked even so, as `get_unchecked` is: a mistake shows.
        Builtin::LoadMatrix | Builtin::LoadMatrixUnchecked => Form::Load("load_matrix"),
        Builtin::LoadMatrixTransposed | Builtin::LoadMatrixTransposedUnchecked => {
            Form::Load("load_matrix_transposed")
        }
        Builtin::VectorStore => Form::Function(&[], "store"),
        Builtin::VectorNew => Form::Associated("new"),
        // Checked even so, as `get_unchecked` is: a mistake shows.
        Builtin::UncheckedAdd => Form::Function(&["overflow"], "add"),
        Builtin::UncheckedSub => Form::Function(&["overflow"], "sub"),
        Builtin::UncheckedMul => Form::Function(&["overflow"], "mul"),
        // Rust leaves open which zero the smaller one is, and its `clamp` panics.
        Builtin::Min if !is_int => Form::Function(&[], "min"),
        Builtin::Max if !is_int => Form::Function(&[], "max"),
        Builtin::Clamp => Form::Function(&[], if is_int { "clamp_int" } else { "clamp" }),
        Builtin::MulAdd => Form::Function(&[], "mul_add"),
        Builtin::Abs if checked => Form::Function(&["overflow"], "abs"),
        Builtin::VectorSum if checked => Form::Function(&["overflow"], "sum_of_lanes"),
        Builtin::Abs if is_int => Form::Method("wrapping_abs"),
        _ => {
            let row = builtins::TABLE.iter().find(|row| row.builtin == builtin);
            let Some(row) = row else { return Form::Len };
            match row.form {
                builtins::Form::Function => Form::Function(&[], row.name),
                builtins::Form::Warp => Form::Function(&["warp"], row.name),
                builtins::Form::Fast => Form::Function(&["fast"], row.name),
                builtins::Form::Block => Form::Function(&["block"], row.name),
                builtins::Form::Cluster => Form::Function(&["cluster"], row.name),
                builtins::Form::Special => Form::Function(&["special"], row.name),
                builtins::Form::Target => Form::Function(&["target"], row.name),
                builtins::Form::Memory => Form::Function(&[], row.name),
                builtins::Form::Pointer | builtins::Form::Slice => Form::Function(&["pointer"], row.name),
                builtins::Form::Method | builtins::Form::VectorMethod => Form::Method(row.name),
                builtins::Form::Associated | builtins::Form::VectorAssociated => Form::Associated(row.name),
            }
        }
    }
}

impl Printer<'_> {
    pub(super) fn call(&mut self, builtin: Builtin, args: &[Expr], result: &Ty, span: Span) -> TokenStream {
        if builtins::is_shuffle(builtin)
            && let Some(value) = args
                .iter()
                .find(|arg| matches!(arg.ty, Ty::Struct(_) | Ty::Tuple(_) | Ty::Array(..) | Ty::Option(_)))
        {
            return self.exchange(builtin, args, value, span);
        }
        let receiver = args.first().map(|arg| &arg.ty);
        match form(builtin, receiver, receiver.is_some_and(|ty| self.is_checked(ty))) {
            Form::Function(modules, name) => {
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                let modules = modules.iter().map(|module| Ident::new(module, span));
                let name = Ident::new(name, span);
                quote_spanned!(span=> run::#(#modules::)*#name(#(#args),*))
            }
            Form::Method(name) => {
                let [receiver, rest @ ..] = args else { return TokenStream::new() };
                let receiver = self.operand(receiver);
                let rest: Vec<_> = rest.iter().map(|arg| self.expr(arg)).collect();
                let name = Ident::new(name, span);
                quote_spanned!(span=> #receiver.#name(#(#rest),*))
            }
            Form::Associated(name) => {
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                let (ty, name) = (types::ty(self.kernel, result), Ident::new(name, span));
                quote_spanned!(span=> <#ty>::#name(#(#args),*))
            }
            Form::Load(name) => {
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                let ty = types::ty(self.kernel, result);
                let name = Ident::new(name, span);
                quote_spanned!(span=> run::#name::<#ty>(#(#args),*))
            }
            Form::Shared => {
                // Numbers of different functions are apart.
                let number = self.id.0 * 10_000 + self.shared_calls;
                self.shared_calls += 1;
                match result {
                    Ty::SharedDyn(element) => {
                        let element = types::ty(self.kernel, element);
                        quote_spanned!(span=> run::shared_dyn::<#element>())
                    }
                    Ty::Shared(of) => {
                        let of = types::ty(self.kernel, of);
                        quote_spanned!(span=> run::shared::<#of>(#number))
                    }
                    _ => quote!(()),
                }
            }
            Form::Null => {
                let ty = types::ty(self.kernel, result);
                quote_spanned!(span=> (0usize as #ty))
            }
            Form::Len => self.len(args, span),
        }
    }

    /// A shuffle of plain data, part by part.
    fn exchange(&mut self, builtin: Builtin, args: &[Expr], value: &Expr, span: Span) -> TokenStream {
        let Form::Function(modules, name) = form(builtin, None, false) else { return TokenStream::new() };
        let modules = modules.iter().map(|module| Ident::new(module, span));
        let name = Ident::new(name, span);
        let function = quote_spanned!(span=> run::#(#modules::)*#name);
        let mut before = TokenStream::new();
        // The value is at this index among the arguments.
        let mut at = 0;
        let mut operands = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            let operand = super::own(&format!("operand{index}"), span);
            let tokens = self.expr(arg);
            before.extend(quote_spanned!(span=> let #operand = #tokens;));
            if std::ptr::eq(arg, value) {
                at = index;
            }
            operands.push(quote!(#operand));
        }
        let place = operands[at].clone();
        let exchanged = self.exchange_parts(&value.ty, &place, &function, (&operands, at), span);
        quote_spanned!(span=> { #before #exchanged })
    }

    fn exchange_parts(
        &self,
        ty: &Ty,
        place: &TokenStream,
        function: &TokenStream,
        (operands, at): (&[TokenStream], usize),
        span: Span,
    ) -> TokenStream {
        let part =
            |ty: &Ty, place: TokenStream| self.exchange_parts(ty, &place, function, (operands, at), span);
        match ty {
            Ty::Struct(id) => {
                let item = &self.kernel.structs[id.0];
                if item.is_union() {
                    let name = types::struct_name(self.kernel, *id);
                    let parts = item.fields.iter().enumerate().map(|(index, field)| {
                        let name = types::field_name(field, Span::call_site());
                        match index {
                            0 => part(&field.ty, quote_spanned!(span=> #place.#name)),
                            _ => part(&field.ty, quote_spanned!(span=> #place.#name())),
                        }
                    });
                    return quote_spanned!(span=> #name::of_parts(#(#parts),*));
                }
                let fields = item.fields.iter().map(|field| {
                    let name = types::field_name(field, Span::call_site());
                    let value = part(&field.ty, quote_spanned!(span=> #place.#name));
                    quote_spanned!(span=> #name: #value)
                });
                let name = types::struct_name(self.kernel, *id);
                quote_spanned!(span=> #name { #(#fields),* })
            }
            Ty::Tuple(parts) => {
                let parts = parts.iter().enumerate().map(|(index, ty)| {
                    let index = syn::Index::from(index);
                    part(ty, quote_spanned!(span=> #place.#index))
                });
                quote_spanned!(span=> (#(#parts,)*))
            }
            Ty::Array(element, _) => {
                let index = super::own("index", span);
                let value = part(element, quote_spanned!(span=> #place[#index]));
                quote_spanned!(span=> ::core::array::from_fn(|#index| #value))
            }
            // They are no elements of slices, which the function asks for.
            Ty::Scalar(Scalar::Bool) => {
                let bit = part(&Ty::Scalar(Scalar::U32), quote_spanned!(span=> (#place as u32)));
                quote_spanned!(span=> (#bit != 0))
            }
            Ty::Option(inner) => {
                let is_some =
                    part(&Ty::Scalar(Scalar::Bool), quote_spanned!(span=> run::holds_value(#place)));
                let value = part(inner, quote_spanned!(span=> run::value_or_zeros(#place)));
                quote_spanned!(span=> run::Option::when(#is_some, #value))
            }
            _ => {
                let args = operands.iter().enumerate().map(|(index, operand)| match index == at {
                    true => place,
                    false => operand,
                });
                quote_spanned!(span=> #function(#(#args),*))
            }
        }
    }

    fn len(&mut self, args: &[Expr], span: Span) -> TokenStream {
        let [receiver] = args else { return TokenStream::new() };
        let mut ty = &receiver.ty;
        while let Ty::Ref { inner, .. } | Ty::Shared(inner) = ty {
            ty = inner;
        }
        match ty {
            Ty::Array(_, len) => {
                super::constant::value(crate::typed::ConstValue { ty: Scalar::Usize, bits: *len }, span)
            }
            _ => {
                let receiver = self.operand(receiver);
                quote_spanned!(span=> #receiver.len())
            }
        }
    }
}
