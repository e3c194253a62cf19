//! `#[derive(Element)]`: a struct of plain data becomes what buffers hold.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use crate::diagnostics::shown;

/// Expands the derive: the struct is `repr(C)` or `repr(transparent)`, its fields are plain data, and nothing is between them.
pub fn derive_element(item: TokenStream) -> TokenStream {
    match syn::parse2::<syn::DeriveInput>(item).and_then(|item| implement(&item)) {
        Ok(tokens) => tokens,
        Err(error) => error.to_compile_error(),
    }
}

/// What is known to be no plain data, with what to write instead.
fn no_element(field: &syn::Field) -> Option<syn::Error> {
    const INSTEAD: &[(&str, &str)] = &[
        ("bool", "use `u8` or `u32`, and compare with `!= 0`: not every byte is a `bool`"),
        ("char", "use `u32`: not every number is a `char`"),
        ("String", "keep the text on the host, and an index into it here"),
    ];
    /// With generic arguments: a struct of the user may have such a name.
    const GENERIC: &[(&str, &str)] = &[
        ("Vec", "use an array, or an index into another buffer"),
        ("Box", "use the value itself, or an index into another buffer"),
        ("Option", "use a number that stands for none"),
    ];
    let help = match &field.ty {
        syn::Type::Reference(_) => "use an index into another buffer: the GPU does not see the host's memory",
        syn::Type::Path(path) => {
            let last = path.path.segments.last()?;
            let table = if last.arguments.is_empty() { INSTEAD } else { GENERIC };
            table.iter().find(|row| last.ident == row.0)?.1
        }
        _ => return None,
    };
    let message =
        format!("expected plain data as field of an element, found `{}`\nhelp: {help}", shown(&field.ty));
    Some(syn::Error::new_spanned(&field.ty, message))
}

fn implement(item: &syn::DeriveInput) -> syn::Result<TokenStream> {
    let name = &item.ident;
    let syn::Data::Struct(data) = &item.data else {
        return Err(syn::Error::new(
            name.span(),
            "expected a struct, found an enum or a union\nhelp: store its number: an integer is an element",
        ));
    };
    let has_layout = item.attrs.iter().filter(|attr| attr.path().is_ident("repr")).any(|attr| {
        let written = attr.meta.to_token_stream().to_string();
        ["C", "transparent"]
            .iter()
            .any(|repr| written.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == *repr))
    });
    if !has_layout {
        let message = format!(
            "expected `#[repr(C)]` on `{name}`, whose layout Rust otherwise leaves open\nhelp: write `#[repr(C)]` before it"
        );
        return Err(syn::Error::new(name.span(), message));
    }
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    if let Some(error) = data.fields.iter().filter_map(no_element).reduce(|mut errors, error| {
        errors.combine(error);
        errors
    }) {
        return Err(error);
    }
    let is_generic = item.generics.type_params().next().is_some();
    let first = types.first().map(|ty| ty.to_token_stream().to_string());
    if is_generic && types.iter().any(|ty| Some(ty.to_token_stream().to_string()) != first) {
        let message = format!(
            "expected fields of one type in the generic struct `{name}`: others may have padding between them\n\
             help: give each instance a struct of its own, or make the fields alike"
        );
        return Err(syn::Error::new(name.span(), message));
    }
    let (impl_generics, type_generics, clause) = item.generics.split_for_impl();
    let clause = clause.map(|clause| clause.predicates.to_token_stream());
    let plain = types.iter().map(|ty| {
        let span = syn::spanned::Spanned::span(ty);
        // A bound that names no parameter is checked where it stands.
        quote_spanned!(span=> #ty: ::kernel_runtime::Element + ::kernel_runtime::bytemuck::Pod)
    });
    let plain = plain.collect::<Vec<_>>();
    let padding = (!is_generic && item.generics.const_params().next().is_none()).then(|| {
        let message =
            format!("`{name}` has padding, bytes that belong to no field\nhelp: order the fields from large to small, or add fields that fill the gap");
        quote_spanned! {name.span()=>
            #[allow(clippy::identity_op)]
            const _: () = assert!(
                ::core::mem::size_of::<#name>() == 0 #(+ ::core::mem::size_of::<#types>())*,
                #message
            );
        }
    });
    Ok(quote! {
        #padding
        // SAFETY: laid out in the order of its fields, all of which are plain data, without padding.
        #[allow(unsafe_code)]
        unsafe impl #impl_generics ::kernel_runtime::bytemuck::Zeroable for #name #type_generics
        where #(#plain,)* #clause {}
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe impl #impl_generics ::kernel_runtime::bytemuck::Pod for #name #type_generics
        where Self: ::core::marker::Copy + 'static, #(#plain,)* #clause {}
    })
}
