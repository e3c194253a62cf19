//! Texts with values in them: functions that make them with Rust's own `format!`, of values for the run copy, and of the
//! words that a device left in a record.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::{Printer, own, types};
use crate::device::primitives;
use crate::typed::{Expr, Format, FormatId, Kernel, Output, Scalar, Ty};

/// The function of a format that takes words.
pub fn from_words_name(number: usize) -> Ident {
    format_ident!("format_{number}")
}

/// The function of a format that takes values.
fn text_name(number: usize) -> Ident {
    format_ident!("text_{number}")
}

/// The variant of the runtime's enum.
pub fn output(output: Output) -> Ident {
    match output {
        Output::Stdout => format_ident!("Stdout"),
        Output::Stderr => format_ident!("Stderr"),
    }
}

/// The functions of all formats.
pub fn functions(kernel: &Kernel) -> TokenStream {
    kernel.formats().enumerate().map(|(number, format)| function(kernel, number, format)).collect()
}

fn function(kernel: &Kernel, number: usize, format: &Format) -> TokenStream {
    let span = Span::call_site();
    let (text, of_words) = (text_name(number), from_words_name(number));
    let names: Vec<Ident> = (0..format.args.len()).map(|index| own(&format!("v{index}"), span)).collect();
    let params = names.iter().zip(&format.args).map(|(name, arg)| {
        let ty = types::ty(kernel, &arg.ty);
        quote!(#name: #ty)
    });
    let shown = names.iter().zip(&format.args).map(|(name, arg)| {
        let value = shown(kernel, &arg.ty, &name.to_token_stream());
        match &arg.name {
            None => value,
            Some(name) => {
                // `name` came from the user's own tokens or from a text that was parsed.
                let name = name.parse::<TokenStream>().unwrap_or_default();
                quote!(#name = #value)
            }
        }
    });
    let shown: Vec<TokenStream> = shown.collect();
    let literal = Literal::string(&format.text);
    let counts = names.iter().zip(&format.args).filter(|(_, arg)| arg.is_count).map(|(name, _)| name);
    let counts: Vec<&Ident> = counts.collect();
    // Rust's own formatting panics there.
    let fits = (!counts.is_empty()).then(|| {
        let ends_line = format.text.ends_with('\n');
        quote!(if let ::kernel_runtime::vocabulary::core::option::Option::Some(text) = run::too_wide(&[#(#counts),*], #ends_line) {
            return text;
        })
    });
    let words = own("words", span);
    let values = format.args.iter().map(|arg| from_words(kernel, &arg.ty, &words));
    quote! {
        fn #text(#(#params),*) -> run::Text {
            #fits
            run::text(::kernel_runtime::vocabulary::core::format_args!(#literal #(, #shown)*))
        }
        pub fn #of_words(words: &[u64]) -> run::Text {
            let #words = &mut run::Words::new(words);
            #text(#(#values),*)
        }
    }
}

/// A value as the text shows it.
fn shown(kernel: &Kernel, ty: &Ty, value: &TokenStream) -> TokenStream {
    match ty {
        Ty::Scalar(_) | Ty::Unit => value.clone(),
        _ => primitive(kernel, ty, value).unwrap_or_else(|| shown_deeply(kernel, ty, value)),
    }
}

/// A character or an integer of 128 bits, which are structs of words here, as Rust's own.
fn primitive(kernel: &Kernel, ty: &Ty, value: &TokenStream) -> Option<TokenStream> {
    let Ty::Struct(id) = ty else { return None };
    let item = &kernel.structs[id.0];
    if !item.is_library || !primitives::is_primitive(&item.name) {
        return None;
    }
    let name = Ident::new(&item.name, Span::call_site());
    let primitive = quote!(::kernel_runtime::vocabulary::core::primitive);
    let words = item.fields.iter().map(|field| types::field_name(field, Span::call_site()));
    Some(match &words.collect::<Vec<Ident>>()[..] {
        [lo, hi] => {
            quote!((((#value.#hi as #primitive::u128) << 64 | #value.#lo as #primitive::u128) as #primitive::#name))
        }
        [code] => {
            quote!(#primitive::#name::from_u32(#value.#code).unwrap_or(#primitive::#name::REPLACEMENT_CHARACTER))
        }
        _ => return None,
    })
}

/// A value as part of another: a `Shown`.
fn shown_deeply(kernel: &Kernel, ty: &Ty, value: &TokenStream) -> TokenStream {
    let part = |ty: &Ty, value: TokenStream| shown_deeply(kernel, ty, &value);
    if let Some(primitive) = primitive(kernel, ty, value) {
        return quote!(run::Shown::plain(#primitive));
    }
    match ty {
        Ty::Enum(id) => {
            let item = &kernel.enums[id.0];
            let rows = item.variants.iter().map(|(name, number)| {
                let (name, number) = (name.to_string(), Literal::i128_unsuffixed(*number));
                let name = name.strip_prefix("r#").unwrap_or(&name);
                quote!((#number, #name))
            });
            quote!(run::Shown::variant((#value) as i128, &[#(#rows),*]))
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().enumerate().map(|(index, ty)| {
                let index = syn::Index::from(index);
                part(ty, quote!(#value.#index))
            });
            quote!(run::Shown::tuple("", [#(#parts),*]))
        }
        Ty::Struct(id) if !kernel.structs[id.0].variants.is_empty() => {
            let item = &kernel.structs[id.0];
            let Some(Ty::Enum(tag)) = item.fields.first().map(|field| &field.ty) else { return quote!(()) };
            let tag_name = types::field_name(&item.fields[0], Span::call_site());
            let arms =
                item.variants.iter().zip(&kernel.enums[tag.0].variants).map(|(variant, (_, number))| {
                    let number = Literal::i128_unsuffixed(*number);
                    let name = variant.name.to_string();
                    let name = name.strip_prefix("r#").unwrap_or(&name);
                    let parts = variant.fields.iter().map(|(_, index)| {
                        let (field, path) =
                            (&item.fields[*index], types::field_path(item, *index, Span::call_site()));
                        match item.is_union() {
                            true => part(&field.ty, quote!((unsafe { #value.#path }))),
                            false => part(&field.ty, quote!(#value.#path)),
                        }
                    });
                    let parts: Vec<TokenStream> = parts.collect();
                    let members = variant.fields.iter().map(|(member, _)| match member {
                        syn::Member::Named(name) => name.to_string(),
                        syn::Member::Unnamed(index) => index.index.to_string(),
                    });
                    let shown = match (variant.is_tuple, parts.is_empty()) {
                        (true, true) => quote!(run::Shown::variant(0, &[(0, #name)])),
                        (true, false) => quote!(run::Shown::tuple(#name, [#(#parts),*])),
                        (false, _) => quote!(run::Shown::structure(#name, [#((#members, #parts)),*])),
                    };
                    quote!(#number => #shown,)
                });
            quote!(match #value.#tag_name as i128 { #(#arms)* number => run::Shown::variant(number, &[]) })
        }
        Ty::Struct(id) => {
            let item = &kernel.structs[id.0];
            let name = item.name.split('<').next().unwrap_or_default().trim_end_matches("::");
            let fields = item.fields.iter().map(|field| {
                let member = types::field_name(field, Span::call_site());
                part(&field.ty, quote!(#value.#member))
            });
            let fields: Vec<TokenStream> = fields.collect();
            let named = item.fields.iter().map(|field| match &field.member {
                syn::Member::Named(name) => Some(name.to_string()),
                syn::Member::Unnamed(_) => None,
            });
            match named.collect::<Option<Vec<String>>>() {
                Some(names) => quote!(run::Shown::structure(#name, [#((#names, #fields)),*])),
                None => quote!(run::Shown::tuple(#name, [#(#fields),*])),
            }
        }
        Ty::Array(element, _) => {
            let item = own("item", Span::call_site());
            let inner = part(element, item.to_token_stream());
            quote!(run::Shown::list(#value.into_iter().map(|#item| #inner)))
        }
        Ty::Option(inner) => {
            let item = own("item", Span::call_site());
            let inner = part(inner, item.to_token_stream());
            quote!(run::Shown::option(#value.get().map(|#item| #inner)))
        }
        // The language's own types are formatted by rustc.
        Ty::Unit
        | Ty::Scalar(_)
        | Ty::Dim3
        | Ty::Vector(..)
        | Ty::Never
        | Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Atomic(_)
        | Ty::Function(_) => quote!(run::Shown::plain(#value)),
    }
}

/// A value made of the next words.
fn from_words(kernel: &Kernel, ty: &Ty, words: &Ident) -> TokenStream {
    let part = |ty: &Ty| from_words(kernel, ty, words);
    match ty {
        Ty::Scalar(_) | Ty::Enum(_) => {
            let ty = types::ty(kernel, ty);
            quote!(#words.next::<#ty>())
        }
        Ty::Dim3 => {
            let axis = part(&Ty::Scalar(Scalar::Usize));
            quote!(run::Dim3 { x: #axis, y: #axis, z: #axis })
        }
        Ty::Vector(scalar, lanes) => {
            let ty = types::ty(kernel, ty);
            let lanes = (0..*lanes).map(|_| part(&Ty::Scalar(*scalar)));
            quote!(#ty::new(#(#lanes),*))
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(part);
            quote!((#(#parts,)*))
        }
        Ty::Array(element, len) => {
            let parts = (0..*len).map(|_| part(element));
            quote!([#(#parts),*])
        }
        Ty::Struct(id) => {
            let (name, item) = (types::struct_name(kernel, *id), &kernel.structs[id.0]);
            if item.is_union() {
                let parts = item.fields.iter().map(|field| part(&field.ty));
                return quote!(#name::of_parts(#(#parts),*));
            }
            let fields = item.fields.iter().map(|field| {
                let (name, value) = (types::field_name(field, Span::call_site()), part(&field.ty));
                quote!(#name: #value)
            });
            quote!(#name { #(#fields),* })
        }
        Ty::Option(inner) => {
            let inner = part(inner);
            quote!({
                let value = #inner;
                run::Option::when(#words.next::<bool>(), value)
            })
        }
        // Checking lets no others come here.
        Ty::Unit
        | Ty::Never
        | Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Atomic(_)
        | Ty::Function(_) => quote!(()),
    }
}

impl Printer<'_> {
    /// The text of a format with these values.
    pub(super) fn text(&mut self, format: FormatId, args: &[Expr], span: Span) -> TokenStream {
        let mut name = text_name(self.kernel.format_number(self.id, format));
        name.set_span(span);
        let args = self.list(args);
        quote_spanned!(span=> #name(#(#args),*))
    }

    pub(super) fn print(&mut self, format: FormatId, args: &[Expr], span: Span) -> TokenStream {
        let text = self.text(format, args, span);
        let output = output(self.current().formats[format.0].output.unwrap_or(Output::Stdout));
        quote_spanned!(span=> run::print(run::Output::#output, #text))
    }
}
