//! `#[derive(Element)]`: a struct of plain data, or an enum, becomes what buffers hold.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;

use super::params::{mentions, parameters};
use crate::device::library;
use crate::diagnostics::shown;
use crate::resolve;
use crate::typed::Scalar;

/// Expands the derive: the struct is `repr(C)` or `repr(transparent)`, its fields are plain data, and nothing is between them.
pub fn derive_element(item: TokenStream) -> TokenStream {
    match syn::parse2::<syn::DeriveInput>(item).and_then(|item| implement(&item)) {
        Ok(tokens) => tokens,
        Err(error) => error.to_compile_error(),
    }
}

/// Reports a field type that is known not to be plain data, with a replacement.
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

/// The type of a field's values: arrays are replaced by their elements, at any depth.
pub(super) fn base(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Array(array) => base(&array.elem),
        syn::Type::Paren(inner) => base(&inner.elem),
        syn::Type::Group(inner) => base(&inner.elem),
        other => other,
    }
}

/// Returns true for a type that need not be the one that the same text means elsewhere: a macro, or a computed argument, may hold `line!()`.
fn depends_on_place(ty: TokenStream) -> bool {
    ty.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace || depends_on_place(group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '!',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

/// The words of the `repr` attributes, `r#align` as `align`.
fn repr_words(attrs: &[syn::Attribute]) -> Vec<Ident> {
    fn words(tokens: TokenStream, found: &mut Vec<Ident>) {
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => words(group.stream(), found),
                TokenTree::Ident(name) => found.push(name.unraw()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    for attr in attrs {
        if attr.path().get_ident().is_some_and(|name| name.unraw() == "repr")
            && let syn::Meta::List(list) = &attr.meta
        {
            words(list.tokens.clone(), &mut found);
        }
    }
    found
}

/// Nothing can be said of a generic struct's size before its arguments are known, so there must be no padding whatever they are: an
/// alignment of its own makes some at the end, and fields of types that are aligned differently between them.
fn may_have_padding(item: &syn::DeriveInput, types: &[&syn::Type], params: &[String]) -> Option<syn::Error> {
    let name = &item.ident;
    if let Some(aligned) = repr_words(&item.attrs).into_iter().find(|word| word == "align") {
        let message = format!(
            "expected no `align` on the generic struct `{name}`, whose size would end in padding for some arguments\nhelp: give each \
             instance a struct of its own, or add the alignment by a field"
        );
        return Some(syn::Error::new_spanned(aligned, message));
    }
    let first = types.first().map(|ty| base(ty).to_token_stream().to_string());
    let is_open =
        |ty: &syn::Type| depends_on_place(ty.to_token_stream()) || mentions(ty.to_token_stream(), params);
    let differs = |ty: &&&syn::Type| Some(base(ty).to_token_stream().to_string()) != first;
    let any_open = types.iter().any(|ty| is_open(base(ty)));
    let by_macro = types.iter().find(|ty| depends_on_place(base(ty).to_token_stream()));
    let wrong = by_macro.or_else(|| types.iter().find(differs).filter(|_| any_open))?;
    let message = format!(
        "expected fields of one type, or arrays of it, in the generic struct `{name}`: others may have padding between them\nhelp: give \
         each instance a struct of its own, or make the fields alike"
    );
    Some(syn::Error::new_spanned(wrong, message))
}

/// The assertion that there is no padding whatever the arguments are: what the fields consist of is aligned alike, and every size is a
/// multiple of its type's alignment. Fields of one open type are.
fn same_alignment(name: &Ident, types: &[&syn::Type], params: &[String]) -> TokenStream {
    let bases: Vec<&syn::Type> =
        types.iter().map(|ty| base(ty)).filter(|ty| !mentions(ty.to_token_stream(), params)).collect();
    let [first, rest @ ..] = &bases[..] else { return TokenStream::new() };
    if rest.is_empty() {
        return TokenStream::new();
    }
    let message = format!(
        "`{name}` has padding for some arguments: its fields are aligned differently\nhelp: make the fields, or what arrays among them \
         consist of, of one size"
    );
    quote_spanned! {name.span()=>
        const _: () = ::kernel_runtime::vocabulary::core::assert!(
            true #(
                && ::kernel_runtime::vocabulary::core::mem::align_of::<#rest>()
                    == ::kernel_runtime::vocabulary::core::mem::align_of::<#first>()
            )*,
            #message
        );
    }
}

/// The assertion that all bytes of a struct belong to its fields, a statement.
fn no_padding(name: &Ident, types: &[&syn::Type]) -> TokenStream {
    let message = format!(
        "`{name}` has padding, bytes that belong to no field\nhelp: order the fields from large to small, or add fields that fill the \
         gap"
    );
    quote_spanned! {name.span()=>
        ::kernel_runtime::vocabulary::core::assert!(
            ::kernel_runtime::vocabulary::core::mem::size_of::<#name>()
                == 0 #(+ ::kernel_runtime::vocabulary::core::mem::size_of::<#types>())*,
            #message
        );
    }
}

/// Returns true for `PhantomData<T>`, by its name: it has no bytes.
fn is_phantom(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == library::PHANTOM))
}

/// The proof that these fields are what their types are called.
fn are_phantoms<'m>(
    item: &syn::DeriveInput,
    members: impl Iterator<Item = &'m (syn::Member, &'m syn::Field)>,
) -> TokenStream {
    let (impl_generics, _, clause) = item.generics.split_for_impl();
    let proofs = members.map(|(_, field)| {
        let ty = &field.ty;
        quote_spanned! {syn::spanned::Spanned::span(ty)=>
            const _: () = {
                #[allow(dead_code)]
                fn is_phantom #impl_generics () #clause {
                    ::kernel_runtime::identity::is_phantom::<#ty>();
                }
            };
        }
    });
    proofs.collect()
}

/// Returns true for a scalar or a vector, by its name: any bytes are a value.
fn is_number(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else { return false };
    let Some(name) = path.path.segments.last().map(|last| last.ident.to_string()) else { return false };
    path.path.segments.len() == 1 && (Scalar::from_name(&name).is_some() || resolve::vector(&name).is_some())
}

/// The type of the bytes of a value, where a value may be.
fn bits(name: &Ident) -> TokenStream {
    quote! {
        /// The bytes of a value, where a value may be.
        #[derive(
            ::kernel_runtime::vocabulary::core::clone::Clone,
            ::kernel_runtime::vocabulary::core::marker::Copy,
        )]
        #[repr(C)]
        pub struct __Bits {
            bytes: [::kernel_runtime::vocabulary::core::primitive::u8; ::kernel_runtime::vocabulary::core::mem::size_of::<#name>()],
            align: [#name; 0],
        }
        // SAFETY: bytes, as many as a multiple of the alignment.
        unsafe impl ::kernel_runtime::bytemuck::Zeroable for __Bits {}
        // SAFETY: as above.
        unsafe impl ::kernel_runtime::bytemuck::AnyBitPattern for __Bits {}
    }
}

/// The impls of a struct with fields of types that the derive does not know: enums may be among them, of which not any bytes are a
/// value. What comes back from a device is checked field by field, which asks each type once whether it is an element.
fn checked(
    item: &syn::DeriveInput,
    members: &[(syn::Member, &syn::Field)],
    (types, all): (&[&syn::Type], &[&syn::Type]),
    holds_enums: bool,
) -> TokenStream {
    let name = &item.ident;
    let are_values =
        quote::format_ident!("{}", if holds_enums { "__are_values" } else { "__are_whole_values" });
    let padding = no_padding(name, all);
    let bits = bits(name);
    let fields = members.iter().map(|(member, field)| {
        let ty = &field.ty;
        let element = base(ty);
        quote_spanned! {syn::spanned::Spanned::span(element)=>
            && unsafe {
                ::kernel_runtime::#are_values::<#element>(
                    bytes.add(::kernel_runtime::vocabulary::core::mem::offset_of!(#name, #member)),
                    ::kernel_runtime::vocabulary::core::mem::size_of::<#ty>(),
                )
            }
        }
    });
    let writes = members.iter().map(|(member, field)| {
        let element = base(&field.ty);
        quote! {
            ::kernel_runtime::__write::<#element, _>(
                &value.#member,
                bytes,
                ::kernel_runtime::vocabulary::core::mem::offset_of!(#name, #member),
            );
        }
    });
    let as_element = match holds_enums {
        true => quote! {
            // SAFETY: as many bytes as the values have: each is zero, or a field's, as its own impl writes it.
            unsafe impl ::kernel_runtime::Element for #name
            where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static
            {
                #[allow(clippy::undocumented_unsafe_blocks)]
                fn bytes_of(values: &[Self]) -> ::kernel_runtime::Bytes<'_> {
                    // SAFETY: each field is what the derive sees, or an array of it.
                    ::kernel_runtime::__written(values, |value, bytes| unsafe { #(#writes)* })
                }
            }
        },
        false => quote! {
            // SAFETY: laid out in the order of its fields, without padding; each is an element, as the check above asks, and so has no
            // uninitialised bytes.
            unsafe impl ::kernel_runtime::bytemuck::NoUninit for #name {}
        },
    };
    quote! {
        const _: () = {
            #bits
            // One body: where a field is no element, nothing is said of padding.
            #[allow(clippy::identity_op, clippy::nonminimal_bool, clippy::undocumented_unsafe_blocks)]
            const IS_VALID: fn(*const ::kernel_runtime::vocabulary::core::primitive::u8)
                -> ::kernel_runtime::vocabulary::core::primitive::bool =
            {
                #padding
                // SAFETY: the field's own bytes, aligned as in a value.
                |bytes| true #(#fields)*
            };
            // SAFETY: as large and as aligned as `__Bits`, and valid where each field is.
            unsafe impl ::kernel_runtime::bytemuck::CheckedBitPattern for #name {
                type Bits = __Bits;
                fn is_valid_bit_pattern(bits: &__Bits) -> ::kernel_runtime::vocabulary::core::primitive::bool {
                    IS_VALID(bits.bytes.as_ptr())
                }
            }
        };
        // SAFETY: zero bytes are a value of each field, by its own impl.
        unsafe impl ::kernel_runtime::bytemuck::Zeroable for #name
        where #(for<'any> #types: ::kernel_runtime::bytemuck::Zeroable),* {}
        #as_element
    }
}

/// `#[element(holds_enums)]`: an enum with data is in the struct.
fn holds_enums(attrs: &[syn::Attribute]) -> syn::Result<bool> {
    let mut found = false;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(HELPER)) {
        attr.parse_nested_meta(|meta| match meta.path.is_ident(HOLDS_ENUMS) {
            true => {
                found = true;
                Ok(())
            }
            false => {
                let word = shown(&meta.path);
                let message = format!(
                    "expected `{HOLDS_ENUMS}`, found `{word}`\nhelp: write `#[{HELPER}({HOLDS_ENUMS})]`"
                );
                Err(syn::Error::new_spanned(&meta.path, message))
            }
        })?;
    }
    Ok(found)
}

/// The helper attribute of the derive.
pub const HELPER: &str = "element";
/// The word in it that says of a struct that an enum with data is in it.
pub const HOLDS_ENUMS: &str = "holds_enums";

fn implement(item: &syn::DeriveInput) -> syn::Result<TokenStream> {
    let name = &item.ident;
    let data = match &item.data {
        syn::Data::Struct(data) => data,
        syn::Data::Enum(data) => return implement_enum(item, data),
        syn::Data::Union(_) => {
            return Err(syn::Error::new(
                name.span(),
                "expected a struct or an enum, found a union\nhelp: store an integer, and convert it: `f32::from_bits(…)`",
            ));
        }
    };
    let words = repr_words(&item.attrs);
    if let Some(packed) = words.iter().find(|word| *word == "packed") {
        let message = format!(
            "expected fields at addresses that their types ask for in `{name}`, found `packed`\nhelp: leave it out, and put the larger fields \
             first, or bytes in place of padding: `[u8; 3]`"
        );
        return Err(syn::Error::new_spanned(packed, message));
    }
    let has_layout = words.iter().any(|word| word == "C" || word == "transparent");
    if !has_layout {
        let message = format!(
            "expected `#[repr(C)]` on `{name}`, whose layout Rust otherwise leaves open\nhelp: write `#[repr(C)]` before it"
        );
        return Err(syn::Error::new(name.span(), message));
    }
    let members = data.fields.members().zip(&data.fields);
    let (phantoms, members): (Vec<_>, Vec<_>) = members.partition(|(_, field)| is_phantom(&field.ty));
    let types: Vec<_> = members.iter().map(|(_, field)| &field.ty).collect();
    // A `PhantomData` of one's own is reported as that, not as padding.
    let all: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    let phantoms = are_phantoms(item, phantoms.iter());
    if let Some(error) = data.fields.iter().filter_map(no_element).reduce(|mut errors, error| {
        errors.combine(error);
        errors
    }) {
        return Err(error);
    }
    let params = parameters(&item.generics);
    let is_generic =
        item.generics.params.iter().any(|param| !matches!(param, syn::GenericParam::Lifetime(_)));
    if is_generic && let Some(error) = may_have_padding(item, &types, &params) {
        return Err(error);
    }
    let (impl_generics, type_generics, clause) = item.generics.split_for_impl();
    let clause = clause.map(|clause| clause.predicates.to_token_stream());
    if !is_generic && !types.iter().all(|ty| is_number(base(ty))) {
        let impls = checked(item, &members, (&types, &all), holds_enums(&item.attrs)?);
        return Ok(quote!(#impls #phantoms));
    }
    let plain = types.iter().map(|ty| {
        let span = syn::spanned::Spanned::span(ty);
        // A bound that names no parameter is checked where it stands.
        quote_spanned!(span=> #ty: ::kernel_runtime::Element + ::kernel_runtime::bytemuck::Pod)
    });
    let plain = plain.collect::<Vec<_>>();
    let padding = match is_generic {
        false => {
            let assertion = no_padding(name, &all);
            quote!(#[allow(clippy::identity_op)] const _: () = { #assertion };)
        }
        true => same_alignment(name, &types, &params),
    };
    Ok(quote! {
        #padding
        #phantoms
        // SAFETY: laid out in the order of its fields, all of which are plain data, without padding.
        unsafe impl #impl_generics ::kernel_runtime::bytemuck::Zeroable for #name #type_generics
        where #(#plain,)* #clause {}
        // SAFETY: as above.
        unsafe impl #impl_generics ::kernel_runtime::bytemuck::Pod for #name #type_generics
        where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static, #(#plain,)* #clause {}
    })
}

/// The integer type of `#[repr(u32)]`; none if there are several, of which rustc takes one after a lint.
pub fn repr_of(attrs: &[syn::Attribute]) -> Option<Ident> {
    const INTEGERS: &[&str] = &["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];
    let words = repr_words(attrs).into_iter();
    let mut integers = words.filter(|name| INTEGERS.iter().any(|integer| name == integer));
    integers.next().filter(|_| integers.next().is_none())
}

/// An enum whose variants hold nothing: laid out as its number, and checked when it comes back from a device.
fn implement_enum(item: &syn::DeriveInput, data: &syn::DataEnum) -> syn::Result<TokenStream> {
    let name = &item.ident;
    if data.variants.iter().any(|variant| !variant.fields.is_empty()) {
        return implement_union(item, data);
    }
    let Some(repr) = repr_of(&item.attrs) else {
        let message = format!(
            "expected `#[repr(u32)]`, or another integer, on `{name}`, whose size Rust otherwise leaves open\nhelp: write `#[repr(u32)]` \
             before it"
        );
        return Err(syn::Error::new(name.span(), message));
    };
    let variants: Vec<&Ident> = data.variants.iter().map(|variant| &variant.ident).collect();
    let message = format!(
        "`{name}` has no variant with the number 0, which new buffers hold\nhelp: give one variant the number 0, or add one: `None = 0`"
    );
    Ok(quote_spanned! {name.span()=>
        #[allow(clippy::nonminimal_bool)]
        const _: () = ::kernel_runtime::vocabulary::core::assert!(
            false #(|| #name::#variants as ::kernel_runtime::vocabulary::core::primitive::#repr == 0)*,
            #message
        );
        // SAFETY: zero is the number of a variant, by the assertion above.
        unsafe impl ::kernel_runtime::bytemuck::Zeroable for #name {}
        // SAFETY: laid out as an integer, by its `repr`.
        unsafe impl ::kernel_runtime::bytemuck::NoUninit for #name
        where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static {}
        // SAFETY: laid out as the integer, and valid where that is the number of a variant.
        unsafe impl ::kernel_runtime::bytemuck::CheckedBitPattern for #name
        where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static
        {
            type Bits = ::kernel_runtime::vocabulary::core::primitive::#repr;
            #[allow(clippy::nonminimal_bool)]
            fn is_valid_bit_pattern(bits: &Self::Bits) -> ::kernel_runtime::vocabulary::core::primitive::bool {
                false #(|| *bits == #name::#variants as ::kernel_runtime::vocabulary::core::primitive::#repr)*
            }
        }
    })
}

/// Reports an enum with data that is not laid out as a number and a union.
fn no_union(item: &syn::DeriveInput) -> Option<syn::Error> {
    let name = &item.ident;
    let words = repr_words(&item.attrs);
    let repr = repr_of(&item.attrs);
    let of_c = words.iter().any(|word| word == "C");
    let (why, at, int) = match (&repr, of_c) {
        (Some(_), true) => return None,
        (Some(int), false) => {
            ("whose variants are otherwise laid out each in its own way", int, int.to_string())
        }
        (None, true) => ("whose number is otherwise as wide as C has it", name, "u32".to_owned()),
        (None, false) => ("whose layout Rust otherwise leaves open", name, "u32".to_owned()),
    };
    let message = format!(
        "expected `#[repr(C, {int})]` on `{name}`, {why}\nhelp: write `#[repr(C, {int})]` before it: a number, then what the variant holds"
    );
    Some(syn::Error::new(at.span(), message))
}

/// An enum with data: a number, then a union of a struct for each variant (RFC 2195). It has bytes that hold nothing, so it goes to a device
/// by way of zeros, and is checked when it comes back.
fn implement_union(item: &syn::DeriveInput, data: &syn::DataEnum) -> syn::Result<TokenStream> {
    let name = &item.ident;
    if let Some(error) = no_union(item) {
        return Err(error);
    }
    if !item.generics.params.is_empty() {
        let message = format!(
            "expected an enum without parameters as an element, found `{name}` with some\nhelp: write an enum for each of the types"
        );
        return Err(syn::Error::new_spanned(&item.generics, message));
    }
    let fields = data.variants.iter().flat_map(|variant| &variant.fields);
    if let Some(error) = fields.clone().filter_map(no_element).reduce(|mut errors, error| {
        errors.combine(error);
        errors
    }) {
        return Err(error);
    }
    let Some(repr) = repr_of(&item.attrs) else { return Ok(TokenStream::new()) };
    let int = quote!(::kernel_runtime::vocabulary::core::primitive::#repr);
    let types = fields.map(|field| &field.ty);
    let (mut payloads, mut members) = (Vec::new(), Vec::new());
    let (mut numbers, mut tests, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    for (index, variant) in data.variants.iter().enumerate() {
        let (payload, number) =
            (quote::format_ident!("__Payload{index}"), quote::format_ident!("__NUMBER{index}"));
        let value = match (&variant.discriminant, index.checked_sub(1)) {
            (Some((_, value)), _) => value.to_token_stream(),
            (None, None) => quote!(0),
            (None, Some(before)) => {
                let before = quote::format_ident!("__NUMBER{before}");
                quote!(#before + 1)
            }
        };
        numbers.push(quote!(const #number: #int = #value;));
        let names: Vec<Ident> =
            (0..variant.fields.len()).map(|field| quote::format_ident!("field{field}")).collect();
        let own: Vec<&syn::Type> = variant.fields.iter().map(|field| &field.ty).collect();
        payloads.push(quote! {
            #[repr(C)]
            #[derive(
                ::kernel_runtime::vocabulary::core::clone::Clone,
                ::kernel_runtime::vocabulary::core::marker::Copy,
            )]
            struct #payload { #(#names: #own),* }
        });
        let member = quote::format_ident!("payload{index}");
        members.push(quote!(#member: #payload));
        let at = names.iter().map(|field| {
            quote!(__PAYLOAD + ::kernel_runtime::vocabulary::core::mem::offset_of!(#payload, #field))
        });
        let at: Vec<TokenStream> = at.collect();
        let valid = own.iter().zip(&at).map(|(ty, at)| {
            let element = base(ty);
            quote_spanned! {syn::spanned::Spanned::span(element)=>
                && unsafe {
                    ::kernel_runtime::__are_values::<#element>(
                        bytes.add(#at),
                        ::kernel_runtime::vocabulary::core::mem::size_of::<#ty>(),
                    )
                }
            }
        });
        tests.push(quote!(|| number == #number #(#valid)*));
        let (of, written) = (&variant.ident, variant.fields.members());
        let elements = own.iter().map(|ty| base(ty));
        writes.push(quote! {
            #name::#of { #(#written: #names),* } => {
                ::kernel_runtime::__write::<#int, _>(&#number, bytes, 0);
                #(::kernel_runtime::__write::<#elements, _>(#names, bytes, #at);)*
            }
        });
    }
    let bits = bits(name);
    let number_names: Vec<Ident> =
        (0..numbers.len()).map(|index| quote::format_ident!("__NUMBER{index}")).collect();
    let message = format!(
        "`{name}` has no variant with the number 0, which new buffers hold\nhelp: give one variant the number 0, or add one: `None = 0`"
    );
    let types: Vec<_> = types.collect();
    Ok(quote_spanned! {name.span()=>
        const _: () = {
            #bits
            #(#payloads)*
            #[repr(C)]
            union __Payload { #(#members,)* }
            #[repr(C)]
            struct __Layout { number: #int, payload: __Payload }
            const __PAYLOAD: ::kernel_runtime::vocabulary::core::primitive::usize =
                ::kernel_runtime::vocabulary::core::mem::offset_of!(__Layout, payload);
            #(#numbers)*
            #[allow(clippy::nonminimal_bool)]
            const _: () = ::kernel_runtime::vocabulary::core::assert!(false #(|| #number_names == 0)*, #message);
            // SAFETY: as large and as aligned as `__Bits`; valid where the number is that of a variant, and each field of it is valid.
            unsafe impl ::kernel_runtime::bytemuck::CheckedBitPattern for #name
            where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static
            {
                type Bits = __Bits;
                #[allow(clippy::nonminimal_bool, clippy::undocumented_unsafe_blocks)]
                fn is_valid_bit_pattern(bits: &__Bits) -> ::kernel_runtime::vocabulary::core::primitive::bool {
                    let bytes = bits.bytes.as_ptr();
                    // SAFETY: the number is what comes first, aligned as the whole is.
                    let number = unsafe { *bytes.cast::<#int>() };
                    // SAFETY: the fields' own bytes, aligned as in a value.
                    false #(#tests)*
                }
            }
            // SAFETY: zero is the number of a variant, by the assertion above, and zero bytes are a value of each field, by its own impl.
            unsafe impl ::kernel_runtime::bytemuck::Zeroable for #name
            where #(for<'any> #types: ::kernel_runtime::bytemuck::Zeroable),* {}
            // SAFETY: as many bytes as the values have, zeros but for the number and the variant's fields.
            unsafe impl ::kernel_runtime::Element for #name
            where Self: ::kernel_runtime::vocabulary::core::marker::Copy + 'static
            {
                const NUMBER_BYTES: ::kernel_runtime::vocabulary::core::primitive::usize =
                    ::kernel_runtime::vocabulary::core::mem::size_of::<#int>();
                const NUMBERS: &'static [::kernel_runtime::vocabulary::core::primitive::i128] =
                    &[#(#number_names as ::kernel_runtime::vocabulary::core::primitive::i128),*];
                #[allow(clippy::undocumented_unsafe_blocks)]
                fn bytes_of(
                    values: &[Self],
                ) -> ::kernel_runtime::Bytes<'_> {
                    // SAFETY: each field is what the derive sees, or an array of it.
                    ::kernel_runtime::__written(values, |value, bytes| unsafe { match value { #(#writes)* } })
                }
            }
        };
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    fn refused(item: &str) -> String {
        let tokens = super::derive_element(item.parse().expect("Rust's tokens")).to_string();
        let (_, message) = tokens.split_once('"').unwrap_or_default();
        message.trim_end_matches("\" }").replace("\\n", "\n")
    }

    #[test]
    fn an_enum_with_data_is_a_number_and_a_union() {
        let body = "enum Hit { Miss, At { t: f32 } }";
        expect![[r#"
            expected `#[repr(C, u32)]` on `Hit`, whose number is otherwise as wide as C has it
            help: write `#[repr(C, u32)]` before it: a number, then what the variant holds"#]]
        .assert_eq(&refused(&format!("#[repr(C)] {body}")));
        expect![[r#"
            expected `#[repr(C, u16)]` on `Hit`, whose variants are otherwise laid out each in its own way
            help: write `#[repr(C, u16)]` before it: a number, then what the variant holds"#]]
        .assert_eq(&refused(&format!("#[repr(u16)] {body}")));
        expect![[r#"
            expected `#[repr(C, u32)]` on `Hit`, whose layout Rust otherwise leaves open
            help: write `#[repr(C, u32)]` before it: a number, then what the variant holds"#]]
        .assert_eq(&refused(body));
        expect![[r#"
            expected an enum without parameters as an element, found `Hit` with some
            help: write an enum for each of the types"#]]
        .assert_eq(&refused("#[repr(C, u32)] enum Hit<T> { Miss, At { t: T } }"));
        expect![[r#"
            expected plain data as field of an element, found `bool`
            help: use `u8` or `u32`, and compare with `!= 0`: not every byte is a `bool`" } :: core :: compile_error ! { "expected plain data as field of an element, found `Option<u32>`
            help: use a number that stands for none"#]].assert_eq(&refused("#[repr(C, u32)] enum Hit { Miss, At(bool), Near(Option<u32>) }"));
    }
}
