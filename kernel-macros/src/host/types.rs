//! Types of the run copy.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::typed::{Closure, Field, Function, Kernel, Scalar, StructDef, StructId, Ty, VariantDef};

/// The structs that shared memory holds.
fn shared_structs(kernel: &Kernel) -> HashSet<usize> {
    fn visit(kernel: &Kernel, ty: &Ty, found: &mut HashSet<usize>) {
        match ty {
            Ty::Struct(id) if found.insert(id.0) => {
                kernel.structs[id.0].fields.iter().for_each(|field| visit(kernel, &field.ty, found));
            }
            Ty::Tuple(parts) => parts.iter().for_each(|part| visit(kernel, part, found)),
            Ty::Array(inner, _) | Ty::Option(inner) => visit(kernel, inner, found),
            // Nothing in them, or nothing that shared memory may hold.
            Ty::Struct(_)
            | Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Dim3
            | Ty::Enum(_)
            | Ty::Atomic(_)
            | Ty::Vector(..)
            | Ty::Ref { .. }
            | Ty::Ptr { .. }
            | Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::SharedDyn(_)
            | Ty::Closure { .. }
            | Ty::Function(_) => {}
        }
    }
    let mut found = HashSet::new();
    for local in kernel.functions.iter().flat_map(|function| &function.locals) {
        if let Ty::Shared(of) | Ty::SharedDyn(of) = &local.ty {
            visit(kernel, of, &mut found);
        }
    }
    found
}

/// The user's structs as own plain types, laid out as those are.
pub fn structs(kernel: &Kernel) -> TokenStream {
    let shared = shared_structs(kernel);
    let print = |(index, item): (usize, &StructDef)| {
        if item.is_union() {
            return enum_with_union(kernel, StructId(index), shared.contains(&index));
        }
        let name = struct_name(kernel, StructId(index));
        let fields = item.fields.iter().map(|field| {
            let (name, ty) = (field_name(field, Span::call_site()), ty(kernel, &field.ty));
            quote!(pub #name: #ty)
        });
        let align = item.align.map(|align| {
            let align = proc_macro2::Literal::u32_unsuffixed(align);
            quote!(, align(#align))
        });
        let memory = shared.contains(&index).then(|| {
            let types: Vec<_> = item.fields.iter().map(|field| ty(kernel, &field.ty)).collect();
            let names = item.fields.iter().map(|field| field_name(field, Span::call_site()));
            quote! {
                // SAFETY: each field is such a value, and they leave no padding where their sizes add up to the whole.
                unsafe impl run::Memory for #name {
                    const ANY_BYTES: ::core::primitive::bool =
                        #(<#types as run::Memory>::ANY_BYTES &&)*
                        ::core::mem::size_of::<#name>() == 0 #(+ ::core::mem::size_of::<#types>())*;
                    unsafe fn poison(place: *mut #name) {
                        unsafe { #(run::Memory::poison(&raw mut (*place).#names);)* }
                    }
                }
            }
        });
        // Values with a part that has an order of its own are compared by functions.
        let is_ordered = crate::typed::is_ordered(&Ty::Struct(StructId(index)), &kernel.structs);
        let order = (is_ordered && !item.reversed).then(|| quote!(#[derive(PartialOrd)]));
        let reversed = (is_ordered && item.reversed).then(|| {
            quote! {
                impl ::core::cmp::PartialOrd for #name {
                    fn partial_cmp(&self, other: &Self) -> ::core::option::Option<::core::cmp::Ordering> {
                        ::core::cmp::PartialOrd::partial_cmp(&other.p0, &self.p0)
                    }
                }
            }
        });
        quote! {
            #[derive(Clone, Copy, PartialEq)]
            #order
            #[repr(C #align)]
            pub struct #name { #(#fields),* }
            #reversed
            #memory
        }
    };
    kernel.structs.iter().enumerate().map(print).collect()
}

/// An enum whose variants share their bytes: a number, then a union of a struct for each variant that holds something.
fn enum_with_union(kernel: &Kernel, id: StructId, is_shared: bool) -> TokenStream {
    let item = &kernel.structs[id.0];
    let Some(tag) = item.fields.first() else { return TokenStream::new() };
    let (name, of) = (struct_name(kernel, id), union_name(kernel, id));
    let (number_name, number_ty) = (field_name(tag, Span::call_site()), ty(kernel, &tag.ty));
    let align = item.align.map(|align| {
        let align = proc_macro2::Literal::u32_unsuffixed(align);
        quote!(, align(#align))
    });
    let is_ordered = crate::typed::is_ordered(&Ty::Struct(id), &kernel.structs);
    let order = is_ordered.then(|| quote!(#[derive(PartialOrd)]));
    let (mut structs, mut members) = (Vec::new(), Vec::new());
    let (mut equal, mut ordered, mut made, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for index in 0..item.variants.len() {
        let variant = &item.variants[index];
        if variant.fields.is_empty() {
            continue;
        }
        let (member, own) = (member_name(index), variant_name(kernel, id, index));
        let number = number_of(kernel, tag, index);
        let fields: Vec<&Field> = variant.fields.iter().map(|(_, field)| &item.fields[*field]).collect();
        let names: Vec<Ident> = fields.iter().map(|field| field_name(field, Span::call_site())).collect();
        let types: Vec<TokenStream> = fields.iter().map(|field| ty(kernel, &field.ty)).collect();
        structs.push(quote! {
            #[derive(Clone, Copy, PartialEq)]
            #order
            #[repr(C)]
            pub struct #own { #(pub #names: #types),* }
        });
        members.push(quote!(pub #member: #own));
        equal.push(quote!(if self.#number_name == #number { return unsafe { self.of.#member == other.of.#member }; }));
        ordered.push(quote! {
            if self.#number_name == #number && other.#number_name == #number {
                return unsafe { ::core::cmp::PartialOrd::partial_cmp(&self.of.#member, &other.of.#member) };
            }
        });
        made.push(quote! {
            if #number_name == #number { return #name { #number_name, of: #of { #member: #own { #(#names),* } } }; }
        });
        parts.push(quote! {
            #(
                /// The field, or zero in another variant.
                pub unsafe fn #names(&self) -> #types {
                    if self.#number_name == #number { unsafe { self.of.#member.#names } } else { unsafe { ::core::mem::zeroed() } }
                }
            )*
        });
    }
    let names: Vec<Ident> =
        item.fields.iter().skip(1).map(|field| field_name(field, Span::call_site())).collect();
    let types = item.fields.iter().skip(1).map(|field| ty(kernel, &field.ty));
    let order = is_ordered.then(|| {
        quote! {
            impl ::core::cmp::PartialOrd for #name {
                fn partial_cmp(&self, other: &Self) -> ::core::option::Option<::core::cmp::Ordering> {
                    #(#ordered)*
                    ::core::cmp::PartialOrd::partial_cmp(&self.#number_name, &other.#number_name)
                }
            }
        }
    });
    let memory = is_shared.then(|| {
        quote! {
            // SAFETY: an element of slices: all bytes zero are the variant of the number 0.
            unsafe impl run::Memory for #name {
                const ANY_BYTES: ::core::primitive::bool = false;
                unsafe fn poison(place: *mut #name) {
                    unsafe { place.write_bytes(0, 1) }
                }
            }
        }
    });
    quote! {
        #(#structs)*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub union #of { pub none: (), #(#members),* }
        #[derive(Clone, Copy)]
        #[repr(C #align)]
        pub struct #name { pub #number_name: #number_ty, pub of: #of }
        impl #name {
            /// The variant of this number, of all fields of all variants.
            pub const fn of_parts(#number_name: #number_ty, #(#names: #types),*) -> #name {
                #(#made)*
                #name { #number_name, of: #of { none: () } }
            }
            #(#parts)*
        }
        impl ::core::cmp::PartialEq for #name {
            fn eq(&self, other: &Self) -> ::core::primitive::bool {
                if self.#number_name != other.#number_name { return false; }
                #(#equal)*
                true
            }
        }
        #order
        #memory
    }
}

/// The number of an enum's variant, whose discriminant this is.
fn number_of(kernel: &Kernel, tag: &Field, index: usize) -> TokenStream {
    let number = crate::lower::layout::Layout::new(kernel).variant(&tag.ty, index);
    super::constant::value(number, Span::call_site())
}

/// The union of an enum whose variants share their bytes.
pub fn union_name(kernel: &Kernel, id: StructId) -> Ident {
    format_ident!("{}Of", struct_name(kernel, id))
}

/// The struct of a variant in it.
pub fn variant_name(kernel: &Kernel, id: StructId, index: usize) -> Ident {
    format_ident!("{}V{index}", struct_name(kernel, id))
}

/// The member of the union that is a variant's struct.
pub fn member_name(index: usize) -> Ident {
    format_ident!("v{index}")
}

/// The variant of an enum whose variants share their bytes that has this field.
pub fn holder(item: &StructDef, field: usize) -> Option<usize> {
    let holds = |variant: &VariantDef| variant.fields.iter().any(|row| row.1 == field);
    item.variants.iter().position(holds).filter(|_| item.is_union())
}

/// The way from a value to a field of it, behind a dot.
pub fn field_path(item: &StructDef, field: usize, span: Span) -> TokenStream {
    let name = field_name(&item.fields[field], span);
    match holder(item, field) {
        Some(variant) => {
            let member = Ident::new(&format!("v{variant}"), span);
            quote_spanned!(span=> of.#member.#name)
        }
        None => name.into_token_stream(),
    }
}

/// The name of a struct in the copy.
pub fn struct_name(kernel: &Kernel, id: StructId) -> Ident {
    let plain: String =
        kernel.structs[id.0].name.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    format_ident!("S{}_{plain}", id.0)
}

/// A field's name; numbers get a letter before them.
pub fn field_name(field: &Field, span: Span) -> Ident {
    match &field.member {
        syn::Member::Named(name) => {
            let mut name = name.clone();
            name.set_span(span);
            name
        }
        syn::Member::Unnamed(index) => format_ident!("p{}", index.index, span = span),
    }
}

/// A scalar type.
pub fn scalar(scalar: Scalar, span: Span) -> TokenStream {
    let name = Ident::new(scalar.name(), span);
    match scalar {
        Scalar::F16 | Scalar::Bf16 => quote!(run::#name),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::Isize
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Usize
        | Scalar::F32
        | Scalar::F64 => name.into_token_stream(),
    }
}

/// The name of a vector type: `F32x4`.
pub fn vector_name(scalar: Scalar, lanes: u32) -> Ident {
    let name = scalar.name();
    let (first, rest) = name.split_at(1);
    format_ident!("{}{rest}x{lanes}", first.to_uppercase())
}

/// Any type. That of a diverging expression is `()` where it must be written.
pub fn ty(kernel: &Kernel, which: &Ty) -> TokenStream {
    let inner = |inner: &Ty| ty(kernel, inner);
    match which {
        Ty::Unit | Ty::Never | Ty::Function(_) => quote!(()),
        Ty::Scalar(which) => scalar(*which, Span::call_site()),
        Ty::Dim3 => quote!(run::Dim3),
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(inner);
            quote!((#(#parts,)*))
        }
        Ty::Array(element, len) => {
            let (element, len) = (inner(element), proc_macro2::Literal::u64_unsuffixed(*len));
            quote!([#element; #len])
        }
        Ty::Struct(id) => struct_name(kernel, *id).into_token_stream(),
        Ty::Enum(id) => scalar(kernel.enums[id.0].repr, Span::call_site()),
        Ty::Option(value) => {
            let value = inner(value);
            quote!(run::Option<#value>)
        }
        Ty::Atomic(atomic) => inner(&atomic.kind.value_ty()),
        Ty::Vector(scalar, lanes) => {
            let name = vector_name(*scalar, *lanes);
            quote!(run::#name)
        }
        Ty::Ref { inner: value, .. } | Ty::Ptr { inner: value, .. } | Ty::Shared(value) => {
            let value = inner(value);
            quote!(*mut #value)
        }
        Ty::Slice { element, .. } | Ty::SharedDyn(element) => {
            let element = inner(element);
            quote!(run::Slice<#element>)
        }
        Ty::Closure { owner, id } => {
            let owner = kernel.function(*owner);
            closure(kernel, &owner.closures[id.0], owner)
        }
    }
}

/// The type of a closure: a pointer to it.
pub fn closure(kernel: &Kernel, closure: &Closure, owner: &Function) -> TokenStream {
    let params = closure.params.iter().map(|&id| ty(kernel, &owner.local(id).ty));
    let result = ty(kernel, &closure.result);
    quote!(run::Callable<dyn FnMut(#(#params),*) -> #result>)
}

/// The type of a function's value.
pub fn result(kernel: &Kernel, which: &Ty) -> TokenStream {
    if *which == Ty::Never { quote!(!) } else { ty(kernel, which) }
}
