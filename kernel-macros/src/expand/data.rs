//! A kernel's `KernelData`: its PTX and all that the runtime knows of it.

use kernel_abi::tensor_map::TensorMapParam;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use ptx_gen::ir::{LaunchBounds, Remark};
use ptx_gen::{Called, CheckFreeKernel, CoarsenedKernel, CompiledKernel};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::host_tests::host_tests;
use super::instances::{Compiled, data_type, user_type};
use super::params::{inner, mentions, parameters};
use super::remarks::remarks;
use super::variants::CompiledVariant;
use super::{Param, copy_name, plain};
use crate::check::layout;
use crate::host;
use crate::lower::layout::Layout;
use crate::typed::{EnumId, Field, GenericArg, Kernel, Output, Scalar, StructDef, StructId, Ty};

/// The parts of a kernel that are known without compiling it.
pub struct Outline<'o> {
    pub name: &'o Ident,
    pub params: &'o [Param<'o>],
}

impl Outline<'_> {
    /// Of an instance.
    pub fn data(&self, compiled: &Compiled, index: usize) -> TokenStream {
        if compiled.variants.is_empty() {
            return self.no_data();
        }
        let attrs = &compiled.kernel.attrs;
        let (bounds, min_occupancy, no_spills) =
            (bounds(&attrs.bounds, &compiled.variants), option(attrs.min_occupancy), attrs.no_spills);
        let (elements, wide_index) = (compiled.variants[0].facts.elements, attrs.wide_index);
        let ignores_blocks = compiled.variants.iter().all(|variant| variant.facts.ignores_blocks);
        let cpu_variables = variable_bytes(&compiled.kernel);
        let variants =
            compiled.variants.iter().map(|variant| self::variant(&compiled.kernel, variant, index));
        let rest = quote! {
            variants: &[#(#variants),*],
            bounds: #bounds,
            min_occupancy: #min_occupancy,
            no_spills: #no_spills,
            elements: #elements,
            wide_index: #wide_index,
            ignores_blocks: #ignores_blocks,
            cpu_variables: #cpu_variables,
        };
        let parts = self.params.iter().flat_map(Param::parts);
        let params = compiled.kernel.entry().params().iter().zip(parts).map(|(local, (name, written))| {
            let kind = kind(&compiled.kernel, &local.ty, index, &written);
            quote! {
                ::kernel_runtime::ParamData { name: #name, kind: ::kernel_runtime::ParamKind::#kind }
            }
        });
        let name = match &compiled.kernel.instance[..] {
            [] => plain(self.name),
            _ => format!("{}::<{}>", plain(self.name), compiled.arguments_text()),
        };
        self.kernel_data(&name, params.collect(), &rest)
    }

    /// Of a kernel that was refused.
    pub fn no_data(&self) -> TokenStream {
        let rest = quote!(variants: &[], ..::kernel_runtime::KernelData::EMPTY);
        self.kernel_data(&plain(self.name), Vec::new(), &rest)
    }

    fn kernel_data(&self, name: &str, params: Vec<TokenStream>, rest: &TokenStream) -> TokenStream {
        let span = self.name.span();
        let (file, line) = (span.file(), span.start().line as u32);
        quote! {
            ::kernel_runtime::KernelData {
                name: #name, params: &[#(#params),*], file: #file, line: #line, #rest
            }
        }
    }
}

/// The bytes of all variables of a kernel and of what it calls: a bound of what is on the stack at once, for nothing calls itself.
fn variable_bytes(kernel: &Kernel) -> Literal {
    let locals = kernel.functions.iter().flat_map(|function| &function.locals);
    let bytes = locals.map(|local| layout(&local.ty, &kernel.structs).0.unwrap_or(u64::MAX));
    Literal::u64_unsuffixed(bytes.fold(0, u64::saturating_add))
}

/// A `Variant`.
fn variant(kernel: &Kernel, compiled: &CompiledVariant, index: usize) -> TokenStream {
    let CompiledVariant { target, ptx, facts, called, files } = compiled;
    let CompiledKernel { name, shared_bytes, local_bytes, panics, prints, .. } = facts;
    let CompiledKernel { check_free, coarsened, .. } = facts;
    let file_of = |file: ptx_gen::ir::FileId| files.get(file.0 as usize).map_or("", String::as_str);
    let panics = panics.values().map(|site| {
        let kind = Ident::new(&format!("{:?}", site.kind), Span::call_site());
        let message = option(site.message.as_deref());
        let format = option(site.format.map(|format| format_function(index, format)));
        let (file, line, column) = (file_of(site.location.file), site.location.line, site.location.column);
        let calls = site.calls.iter().map(|call| {
            let (file, line, column) = (file_of(call.file), call.line, call.column);
            quote!(::kernel_runtime::CallSite { file: #file, line: #line, column: #column })
        });
        quote! {
            ::kernel_runtime::PanicSite {
                kind: ::kernel_runtime::PanicKind::#kind, message: #message, format: #format,
                file: #file, line: #line, column: #column, calls: &[#(#calls),*]
            }
        }
    });
    let outputs: Vec<Option<Output>> = kernel.formats().map(|format| format.output).collect();
    let prints = prints.values().map(|site| {
        let words = site.format.words as usize;
        let output = outputs.get(site.format.number as usize).copied().flatten().unwrap_or(Output::Stdout);
        let output = host::message::output(output);
        let format = format_function(index, site.format);
        let (file, line, column) = (file_of(site.location.file), site.location.line, site.location.column);
        quote! {
            ::kernel_runtime::PrintSite {
                output: ::kernel_runtime::Output::#output, words: #words, format: #format,
                file: #file, line: #line, column: #column
            }
        }
    });
    // Both enums are one.
    let target = format_ident!("{target:?}");
    let text = Literal::string(ptx);
    let called = calls_of_lines(called, file_of);
    let maps = facts.maps.iter().map(|TensorMapParam { at, element_bytes }| {
        quote!(::kernel_runtime::abi::TensorMapParam { at: #at, element_bytes: #element_bytes })
    });
    let entry =
        |name: &str, numbers: [u32; 2], takes: [bool; 2], said: &[Remark], versions: [TokenStream; 2]| {
            let ([shared_bytes, local_bytes], [record, buffer]) = (numbers, takes);
            let remarks = remarks(said, file_of);
            let [check_free, coarsened] = versions;
            quote! {
                ::kernel_runtime::Variant {
                    target: ::kernel_runtime::Arch::#target,
                    entry: #name,
                    ptx: PTX,
                    called: CALLED,
                    shared_bytes: #shared_bytes,
                    local_bytes: #local_bytes,
                    panics: PANICS,
                    has_panic_param: #record,
                    prints: PRINTS,
                    has_print_param: #buffer,
                    maps: MAPS,
                    remarks: #remarks,
                    check_free: #check_free,
                    coarsened: #coarsened,
                }
            }
        };
    let none = || quote!(::kernel_runtime::vocabulary::core::option::Option::None);
    let twins = check_free.iter().map(|twin| {
        let CheckFreeKernel { name, tests, shared_bytes, local_bytes, remarks, .. } = twin;
        let takes = [twin.takes_panic_record, twin.takes_print_buffer];
        let tests = host_tests(tests, file_of);
        let variant = entry(name, [*shared_bytes, *local_bytes], takes, remarks, [quote!(&[]), none()]);
        quote!(::kernel_runtime::CheckFree { tests: #tests, variant: &#variant })
    });
    let twins = quote!(&[#(#twins),*]);
    let coarsened = coarsened.as_ref().map(|version| {
        let CoarsenedKernel { name, elements, tests, local_bytes, remarks } = version;
        let tests = host_tests(tests, file_of);
        let variant = entry(name, [0, *local_bytes], [false; 2], remarks, [quote!(&[]), none()]);
        quote! {
            ::kernel_runtime::vocabulary::core::option::Option::Some(::kernel_runtime::Coarsened {
                elements: #elements, tests: #tests, variant: &#variant
            })
        }
    });
    let numbers = [*shared_bytes, *local_bytes];
    let takes = [facts.takes_panic_record, facts.takes_print_buffer];
    let coarsened = coarsened.unwrap_or_else(none);
    let variant = entry(name, numbers, takes, &facts.remarks, [twins, coarsened]);
    quote! {
        {
            const PTX: &str = #text;
            const CALLED: ::kernel_runtime::Called = #called;
            const MAPS: &[::kernel_runtime::abi::TensorMapParam] = &[#(#maps),*];
            const PANICS: &[::kernel_runtime::PanicSite] = &[#(#panics),*];
            const PRINTS: &[::kernel_runtime::PrintSite] = &[#(#prints),*];
            #variant
        }
    }
}

/// A `Called`.
fn calls_of_lines<'f>(called: &Called, file_of: impl Fn(ptx_gen::ir::FileId) -> &'f str) -> TokenStream {
    // 0 is no call.
    let number = |site: Option<usize>| Literal::usize_unsuffixed(site.map_or(0, |site| site + 1));
    let sites = called.sites.iter().map(|&(location, outer)| {
        let (file, line, column, outer) =
            (file_of(location.file), location.line, location.column, number(outer));
        quote!((::kernel_runtime::CallSite { file: #file, line: #line, column: #column }, #outer))
    });
    let lines = called.lines.iter().map(|&(line, site)| {
        let (line, site) = (Literal::u32_unsuffixed(line), number(site));
        quote!((#line, #site))
    });
    quote!(::kernel_runtime::Called { sites: &[#(#sites),*], lines: &[#(#lines),*] })
}

/// The function that makes a text of words.
fn format_function(index: usize, format: ptx_gen::ir::Format) -> TokenStream {
    let (module, name) = (copy_name(index), host::message::from_words_name(format.number as usize));
    quote!(#module::#name)
}

/// A `Bounds`.
fn bounds(bounds: &LaunchBounds, variants: &[CompiledVariant]) -> TokenStream {
    // A variant may have collectives that others lack.
    let rows = variants.iter().map(|variant| variant.facts.shape).max().unwrap_or_default();
    let rows = format_ident!("{rows:?}");
    let shape = |shape: Option<[u32; 3]>| option(shape.map(|[x, y, z]| quote!([#x, #y, #z])));
    let (max_threads, min_blocks) = (option(bounds.max_threads), option(bounds.min_blocks));
    let (max_cluster, max_registers) = (option(bounds.max_cluster), option(bounds.max_registers));
    let (block, cluster) = (shape(bounds.block), shape(bounds.cluster));
    let LaunchBounds { cooperative, nonportable_cluster, .. } = *bounds;
    quote! {
        ::kernel_runtime::Bounds {
            max_threads: #max_threads, min_blocks: #min_blocks, max_cluster: #max_cluster,
            block: #block, cluster: #cluster, max_registers: #max_registers, cooperative: #cooperative,
            nonportable_cluster: #nonportable_cluster,
            shape: ::kernel_runtime::BlockShape::#rows
        }
    }
}

fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::kernel_runtime::vocabulary::core::option::Option::Some(#value)),
        None => quote!(::kernel_runtime::vocabulary::core::option::Option::None),
    }
}

/// The runtime's description of a parameter of this type.
fn kind(kernel: &Kernel, ty: &Ty, index: usize, written: &str) -> TokenStream {
    match ty {
        Ty::Scalar(scalar) => {
            let scalar = scalar_variant(*scalar);
            quote!(Scalar(::kernel_runtime::ScalarType::#scalar))
        }
        Ty::Slice { element, .. } if let Ty::Atomic(atomic) = **element => {
            let ty = in_copy(kernel, &atomic.kind.value_ty(), index);
            quote!(Slice { element: ::kernel_runtime::ElementType::of::<#ty>(#written), mutable: true })
        }
        Ty::Slice { element, mutable } => {
            let ty = in_copy(kernel, element, index);
            quote!(Slice { element: ::kernel_runtime::ElementType::of::<#ty>(#written), mutable: #mutable })
        }
        Ty::Ptr { inner, mutable } => {
            let ty = in_copy(kernel, inner, index);
            quote!(Pointer { to: ::kernel_runtime::ElementType::of::<#ty>(#written), mutable: #mutable })
        }
        _ => {
            let mut leaves = Vec::new();
            let whole = in_copy(kernel, ty, index);
            self::leaves(kernel, ty, index, &quote!(0), &mut leaves);
            quote! {
                Value {
                    ty: ::kernel_runtime::ElementType::of::<#whole>(#written),
                    scalars: &[#(#leaves),*]
                }
            }
        }
    }
}

/// The variant of `ScalarType`: both enums name them alike.
fn scalar_variant(scalar: Scalar) -> Ident {
    format_ident!("{scalar:?}")
}

/// A type as the copy of this instance prints it, seen from beside its module.
fn in_copy(kernel: &Kernel, ty: &Ty, index: usize) -> TokenStream {
    match ty {
        Ty::Struct(id) => {
            let (module, name) = (copy_name(index), host::struct_name(kernel, *id));
            quote!(#module::#name)
        }
        Ty::Enum(id) => in_copy(kernel, &Ty::Scalar(kernel.enums[id.0].repr), index),
        Ty::Array(element, len) => {
            let (element, len) = (in_copy(kernel, element, index), Literal::u64_unsuffixed(*len));
            quote!([#element; #len])
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| in_copy(kernel, part, index));
            quote!((#(#parts,)*))
        }
        _ => user_type(kernel, ty),
    }
}

/// The scalars that a value consists of, with their offsets in it, computed by rustc.
fn leaves(kernel: &Kernel, ty: &Ty, index: usize, at: &TokenStream, leaves_so_far: &mut Vec<TokenStream>) {
    let whole = in_copy(kernel, ty, index);
    match ty {
        Ty::Scalar(scalar) => {
            let scalar = scalar_variant(*scalar);
            leaves_so_far.push(quote!((#at, ::kernel_runtime::ScalarType::#scalar)));
        }
        Ty::Enum(id) => leaves(kernel, &Ty::Scalar(kernel.enums[id.0].repr), index, at, leaves_so_far),
        // Fields of its variants share their bytes: those of a variant that it is not are whatever lies there.
        Ty::Struct(id) if kernel.structs[id.0].is_union() => {
            for part in Layout::new(kernel).parts(ty) {
                let offset = Literal::u64_unsuffixed(part.offset);
                leaves(kernel, &part.ty, index, &quote!(#at + #offset), leaves_so_far);
            }
        }
        Ty::Struct(id) => {
            for field in &kernel.structs[id.0].fields {
                let name = host::field_name(field, Span::call_site());
                let at = quote!(#at + ::kernel_runtime::vocabulary::core::mem::offset_of!(#whole, #name));
                leaves(kernel, &field.ty, index, &at, leaves_so_far);
            }
        }
        Ty::Tuple(parts) => {
            for (number, part) in parts.iter().enumerate() {
                let number = syn::Index::from(number);
                let at = quote!(#at + ::kernel_runtime::vocabulary::core::mem::offset_of!(#whole, #number));
                leaves(kernel, part, index, &at, leaves_so_far);
            }
        }
        Ty::Array(element, len) => {
            let part = in_copy(kernel, element, index);
            for number in 0..*len as usize {
                let at = quote!(#at + #number * ::kernel_runtime::vocabulary::core::mem::size_of::<#part>());
                leaves(kernel, element, index, &at, leaves_so_far);
            }
        }
        Ty::Vector(scalar, lanes) => {
            let bytes = scalar.bits() as usize / 8;
            for number in 0..*lanes as usize {
                let offset = number * bytes;
                leaves(kernel, &Ty::Scalar(*scalar), index, &quote!(#at + #offset), leaves_so_far);
            }
        }
        // No parameter by value is of these types.
        Ty::Unit
        | Ty::Never
        | Ty::Dim3
        | Ty::Option(_)
        | Ty::Atomic(_)
        | Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => {}
    }
}

/// Assertions that the types of the parameters are those that the compiler took them for, for rustc to evaluate.
pub fn identities(compiled: &Compiled, params: &[Param<'_>], generics: &syn::Generics) -> TokenStream {
    let kernel = &compiled.kernel;
    // After a mistake that was reported nothing follows from it.
    if compiled.variants.is_empty() {
        return TokenStream::new();
    }
    let written = params.iter().flat_map(Param::written_types);
    let types = kernel.entry().params().iter().zip(written).filter_map(|(local, written)| {
        let (written, meant) = (written?, data_type(kernel, inner(&local.ty))?);
        let span = syn::spanned::Spanned::span(written);
        if !mentions(written.to_token_stream(), &parameters(generics)) {
            return Some(quote_spanned! {span=>
                const _: () = ::kernel_runtime::identity::same::<#written, #meant>();
            });
        }
        // The type as rustc knows it from the parameters and their bounds: `R::Item` is no type for an alias `R`.
        let ((declared, _, clause), arguments) = (generics.split_for_impl(), generic_arguments(kernel));
        Some(quote_spanned! {span=>
            const _: fn() = || {
                fn written #declared() -> ::kernel_runtime::vocabulary::core::marker::PhantomData<#written> #clause {
                    ::kernel_runtime::vocabulary::core::marker::PhantomData
                }
                ::kernel_runtime::identity::same_as::<
                    _,
                    ::kernel_runtime::vocabulary::core::marker::PhantomData<#meant>,
                >(&written::<#arguments>());
            };
        })
    });
    let (mut structs, mut enums) = (Vec::new(), Vec::new());
    for param in kernel.entry().params() {
        reached(kernel, &param.ty, &mut structs, &mut enums);
    }
    let fields = structs.iter().map(|id| {
        let item = &kernel.structs[id.0];
        let (user, value) = (&item.path, &Ident::new("value", Span::mixed_site()));
        let fields = users_fields(item).filter_map(|field| {
            let (member, meant) = (&field.member, data_type(kernel, &field.ty)?);
            Some(quote!(::kernel_runtime::identity::same_as::<_, #meant>(&#value.#member);))
        });
        let of_variants = item.variants.iter().filter(|_| item.is_union()).flat_map(|variant| {
            let of = &variant.name;
            variant.fields.iter().filter_map(move |(member, index)| {
                let meant = data_type(kernel, &item.fields[*index].ty)?;
                Some(quote! {
                    if let #user::#of { #member: #value, .. } = #value {
                        ::kernel_runtime::identity::same_as::<_, #meant>(#value);
                    }
                })
            })
        });
        let of_variants: Vec<TokenStream> = of_variants.collect();
        quote! {
            const _: fn(&#user) = |#value| {
                let _ = #value;
                #(#fields)*
                #(#of_variants)*
            };
        }
    });
    quote!(#(#types)* #(#fields)*)
}

/// The arguments of an instance for the generic parameters of its kernel.
fn generic_arguments(kernel: &Kernel) -> TokenStream {
    let arguments = kernel.instance.iter().map(|argument| match argument {
        GenericArg::Type(ty) => user_type(kernel, ty),
        GenericArg::Const(value) => {
            let value = host::const_value(*value, Span::call_site());
            quote!({ #value })
        }
    });
    quote!(#(#arguments),*)
}

/// Assertions that the structs among the parameters are laid out as the copy's are, for rustc to evaluate.
pub fn layouts(compiled: &Compiled, index: usize) -> TokenStream {
    let kernel = &compiled.kernel;
    let (mut structs, mut enums) = (Vec::new(), Vec::new());
    for param in kernel.entry().params() {
        reached(kernel, &param.ty, &mut structs, &mut enums);
    }
    let numbers = enums.iter().map(|id| {
        let item = &kernel.enums[id.0];
        let (user, own) = (&item.path, in_copy(kernel, &Ty::Enum(*id), index));
        let message = format!(
            "`{}` is not as large as kernels expect\nhelp: write `#[repr({})]` before it",
            item.name,
            item.repr.name()
        );
        let repr = user_type(kernel, &Ty::Scalar(item.repr));
        let numbers = item.variants.iter().map(|(variant, number)| {
            let number = Literal::i128_unsuffixed(*number);
            let message = format!(
                "`{}::{variant}` is another number than kernels take it for\nhelp: write its number as a literal",
                item.name
            );
            quote_spanned! {kernel.name.span()=>
                ::kernel_runtime::vocabulary::core::assert!(#user::#variant as #repr == #number, #message);
            }
        });
        quote_spanned! {kernel.name.span()=>
            ::kernel_runtime::vocabulary::core::assert!(::kernel_runtime::vocabulary::core::mem::size_of::<#user>() == ::kernel_runtime::vocabulary::core::mem::size_of::<#own>(), #message);
            #(#numbers)*
        }
    });
    let checks = structs.iter().map(|id| {
        let item = &kernel.structs[id.0];
        let (user, own) = (&item.path, in_copy(kernel, &Ty::Struct(*id), index));
        let message =
            format!("`{}` is not laid out as kernels expect\nhelp: write `#[repr(C)]` before it", item.name);
        let offsets = users_fields(item).map(|field| {
            let (member, name) = (&field.member, host::field_name(field, Span::call_site()));
            quote!(::kernel_runtime::vocabulary::core::mem::offset_of!(#user, #member) == ::kernel_runtime::vocabulary::core::mem::offset_of!(#own, #name))
        });
        let span = kernel.name.span();
        let numbers = variant_numbers(kernel, item);
        quote_spanned! {span=>
            #numbers
            ::kernel_runtime::vocabulary::core::assert!(
                ::kernel_runtime::vocabulary::core::mem::size_of::<#user>() == ::kernel_runtime::vocabulary::core::mem::size_of::<#own>()
                    && ::kernel_runtime::vocabulary::core::mem::align_of::<#user>() == ::kernel_runtime::vocabulary::core::mem::align_of::<#own>()
                    #(&& #offsets)*,
                #message
            );
        }
    });
    quote!(#(#numbers)* #(#checks)*)
}

/// Assertions that the variants of an enum with data have the numbers that kernels take them for: those that its derive found.
fn variant_numbers(kernel: &Kernel, item: &StructDef) -> TokenStream {
    let Some(Ty::Enum(tag)) = item.fields.first().map(|field| &field.ty).filter(|_| item.is_union()) else {
        return TokenStream::new();
    };
    let (user, span) = (&item.path, kernel.name.span());
    let numbers = kernel.enums[tag.0].variants.iter().enumerate().map(|(index, (variant, number))| {
        let number = Literal::i128_unsuffixed(*number);
        let message = format!(
            "`{}::{variant}` is another number than kernels take it for\nhelp: write its number as a literal",
            item.name
        );
        quote_spanned! {span=>
            ::kernel_runtime::vocabulary::core::assert!(<#user as ::kernel_runtime::Element>::NUMBERS[#index] == #number, #message);
        }
    });
    quote!(#(#numbers)*)
}

/// The fields that user's code sees by their names: those of a struct of the library are its own, those of an enum are in its variants.
fn users_fields(item: &StructDef) -> impl Iterator<Item = &Field> {
    item.fields.iter().filter(|_| !item.is_library && !item.is_union())
}

/// The structs and enums that a type contains.
fn reached(kernel: &Kernel, ty: &Ty, structs: &mut Vec<StructId>, enums: &mut Vec<EnumId>) {
    match ty {
        Ty::Struct(id) => {
            if !structs.contains(id) {
                structs.push(*id);
                let item = &kernel.structs[id.0];
                // The discriminant of an enum with data is no type of its own to rustc.
                let fields = item.fields.iter().skip(usize::from(item.is_union()));
                fields.for_each(|field| reached(kernel, &field.ty, structs, enums));
            }
        }
        Ty::Enum(id) => {
            if !enums.contains(id) {
                enums.push(*id);
            }
        }
        Ty::Tuple(parts) => parts.iter().for_each(|part| reached(kernel, part, structs, enums)),
        Ty::Array(inner, _)
        | Ty::Option(inner)
        | Ty::Shared(inner)
        | Ty::SharedDyn(inner)
        | Ty::Slice { element: inner, .. }
        | Ty::Ref { inner, .. }
        | Ty::Ptr { inner, .. } => reached(kernel, inner, structs, enums),
        Ty::Unit
        | Ty::Never
        | Ty::Scalar(_)
        | Ty::Dim3
        | Ty::Atomic(_)
        | Ty::Vector(..)
        | Ty::Closure { .. }
        | Ty::Function(_) => {}
    }
}
