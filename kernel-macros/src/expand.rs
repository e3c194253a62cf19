//! The phases in order, and what `#[kernel]` leaves in the program.
//!
//! After a mistake the same items come out, with nothing in them: what uses the kernel still compiles, and one mistake
//! gives one error.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use ptx_gen::{Compiled, CompiledKernel};
use quote::{quote, quote_spanned};

use crate::analyze::{Failed, Signature, analyze};
use crate::contract::contract;
use crate::host;
use crate::lower::lower;
use crate::typed::{Kernel, Scalar, Ty};

/// Expands `#[kernel(attr)] item`.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    match analyze(attr, item) {
        Ok(kernel) => compile(kernel),
        Err(failed) => refuse(&failed),
    }
}

/// From the typed tree to the tokens.
fn compile(mut kernel: Kernel) -> TokenStream {
    contract(&mut kernel);
    let module = lower(&kernel);
    let outline = Outline::of_kernel(&kernel);
    let body = host::body_function(&kernel);
    match ptx_gen::compile(&module, None) {
        Ok(compiled) => items(&outline, &data(&kernel, &module.files, &compiled), &body),
        Err(error) => {
            // Checking admits only what lowers to valid IR.
            let message = format!(
                "this kernel shows a mistake of the compiler; please report it with the kernel's text\n{error}"
            );
            let error = syn::Error::new(kernel.name.span(), message).to_compile_error();
            let items = items(&outline, &no_data(&outline), &body);
            quote!(#error #items)
        }
    }
}

/// The errors, and items that do nothing.
fn refuse(failed: &Failed) -> TokenStream {
    let errors = failed.to_compile_errors();
    let Some(signature) = &failed.signature else { return errors };
    let outline = Outline::of_signature(signature);
    let params = outline.params.iter().map(Param::view).collect::<Vec<_>>();
    let items =
        items(&outline, &no_data(&outline), &quote!(#[allow(unused_variables)] fn body(#(#params),*) {}));
    quote!(#errors #items)
}

/// What callers see of a kernel.
struct Outline<'k> {
    name: &'k Ident,
    vis: &'k syn::Visibility,
    outer: &'k [syn::Attribute],
    params: Vec<Param<'k>>,
}

/// A parameter; without a type if that was refused.
struct Param<'k> {
    name: &'k Ident,
    ty: Option<&'k Ty>,
}

impl<'k> Outline<'k> {
    fn of_kernel(kernel: &'k Kernel) -> Outline<'k> {
        let Kernel { name, vis, outer, .. } = kernel;
        let params = kernel.entry().params().iter().map(|param| Param { name: &param.name, ty: Some(&param.ty) });
        Outline { name, vis, outer, params: params.collect() }
    }

    fn of_signature(signature: &'k Signature) -> Outline<'k> {
        let Signature { name, vis, outer, params } = signature;
        let params = params.iter().map(|param| Param { name: &param.name, ty: param.ty.as_ref() });
        Outline { name, vis, outer, params: params.collect() }
    }

    /// The name without `r#`.
    fn plain_name(&self) -> String {
        plain(self.name)
    }
}

fn plain(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

/// What a parameter of this type is to the launch and on the CPU.
enum Kind {
    Scalar(Scalar),
    Slice {
        element: Scalar,
        mutable: bool,
    },
    /// Not known, after a mistake.
    Unknown,
}

impl Param<'_> {
    fn kind(&self) -> Kind {
        match self.ty {
            Some(Ty::Scalar(scalar)) => Kind::Scalar(*scalar),
            Some(Ty::Slice { element, mutable }) => match **element {
                Ty::Scalar(element) => Kind::Slice { element, mutable: *mutable },
                _ => Kind::Unknown,
            },
            Some(_) | None => Kind::Unknown,
        }
    }

    /// As a parameter of the launch function.
    fn launch(&self) -> TokenStream {
        let name = self.name;
        let span = name.span();
        match self.kind() {
            Kind::Scalar(scalar) => {
                let ty = host::scalar_name(scalar, span);
                quote!(#name: #ty)
            }
            Kind::Slice { element, mutable } => {
                let ty = host::scalar_name(element, span);
                let argument = Ident::new(if mutable { "SliceMutArg" } else { "SliceArg" }, span);
                quote!(#name: impl ::kernel_runtime::#argument<'gpu, #ty>)
            }
            Kind::Unknown => quote!(#name: impl ::core::marker::Sized),
        }
    }

    /// As a parameter of the CPU copy.
    fn cpu(&self) -> TokenStream {
        let name = self.name;
        match self.kind() {
            Kind::Scalar(scalar) => {
                let ty = host::scalar_name(scalar, name.span());
                quote!(#name: #ty)
            }
            Kind::Slice { element, mutable } => {
                let ty = host::scalar_name(element, name.span());
                let mutable = mutable.then(|| quote!(mut));
                quote!(#name: &'host #mutable [#ty])
            }
            Kind::Unknown => quote!(#name: impl ::core::marker::Copy + 'host),
        }
    }

    /// As a parameter of the body.
    fn view(&self) -> TokenStream {
        let name = self.name;
        match self.kind() {
            Kind::Scalar(scalar) => {
                let ty = host::scalar_name(scalar, name.span());
                quote!(#name: #ty)
            }
            Kind::Slice { element, mutable } => {
                let ty = host::scalar_name(element, name.span());
                let view = view_name(mutable);
                quote!(#name: ::kernel_runtime::device::#view<'_, #ty>)
            }
            Kind::Unknown => quote!(#name: impl ::core::marker::Copy),
        }
    }

    /// The statement that adds the argument to `launch`.
    fn argument(&self, launch: &Ident) -> TokenStream {
        let (name, text) = (self.name, plain(self.name));
        match self.kind() {
            Kind::Scalar(_) => quote!(#launch.scalar(#text, #name);),
            Kind::Slice { mutable: false, .. } => quote!(#launch.slice(#text, #name);),
            Kind::Slice { mutable: true, .. } => quote!(#launch.slice_mut(#text, #name);),
            Kind::Unknown => quote!(let _ = #name;),
        }
    }

    /// The statement that turns a slice into the view that the body takes.
    fn to_view(&self) -> Option<TokenStream> {
        let name = self.name;
        match self.kind() {
            Kind::Scalar(_) | Kind::Unknown => None,
            Kind::Slice { mutable, .. } => {
                let view = view_name(mutable);
                Some(quote!(let #name = ::kernel_runtime::device::#view::new(#name);))
            }
        }
    }

    /// Its `ParamData`, if its type is known.
    fn data(&self) -> Option<TokenStream> {
        let name = plain(self.name);
        let kind = match self.kind() {
            Kind::Scalar(scalar) => {
                let scalar = scalar_variant(scalar);
                quote!(Scalar(::kernel_runtime::ScalarType::#scalar))
            }
            Kind::Slice { element, mutable } => {
                let element = scalar_variant(element);
                quote!(Slice { element: ::kernel_runtime::ScalarType::#element, mutable: #mutable })
            }
            Kind::Unknown => return None,
        };
        Some(quote! {
            ::kernel_runtime::ParamData { name: #name, kind: ::kernel_runtime::ParamKind::#kind }
        })
    }
}

fn view_name(mutable: bool) -> Ident {
    Ident::new(if mutable { "SliceMut" } else { "Slice" }, Span::call_site())
}

/// The variant of `ScalarType`: both enums name them alike.
fn scalar_variant(scalar: Scalar) -> Ident {
    Ident::new(&format!("{scalar:?}"), Span::call_site())
}

/// The launch function, and the module with the kernel's data and its copy for the CPU.
fn items(outline: &Outline<'_>, data: &TokenStream, body: &TokenStream) -> TokenStream {
    let Outline { name, vis, outer, params } = outline;
    let span = name.span();
    let launch = Ident::new("launch", Span::mixed_site());
    let launch_params = params.iter().map(Param::launch);
    let arguments = params.iter().map(|param| param.argument(&launch));
    let cpu_params = params.iter().map(Param::cpu);
    let views = params.iter().filter_map(Param::to_view);
    let names = params.iter().map(|param| param.name);
    let conditions = outer.iter().filter(|attr| attr.path().is_ident("cfg"));
    let module_doc = format!("What the kernel `{}` consists of.", outline.plain_name());
    let function = quote_spanned! {span=>
        #vis fn #name<'gpu>(#(#launch_params),*) -> ::kernel_runtime::Launch<'gpu> {
            #[allow(unused_mut)]
            let mut #launch = ::kernel_runtime::Launch::new(&#name::KERNEL);
            #(#arguments)*
            #launch
        }
    };
    quote! {
        #(#outer)*
        #[allow(clippy::too_many_arguments)]
        #function

        #(#conditions)*
        #[doc = #module_doc]
        #[allow(dead_code, non_snake_case)]
        #vis mod #name {
            /// The compiled kernel.
            pub static KERNEL: ::kernel_runtime::Kernel = ::kernel_runtime::Kernel::new(&#data);

            /// Runs the body as ordinary Rust on the CPU.
            #[allow(clippy::too_many_arguments)]
            pub fn cpu<'host>(#(#cpu_params),*) -> ::kernel_runtime::cpu::CpuLaunch<'host> {
                #(#views)*
                ::kernel_runtime::cpu::CpuLaunch::new(&KERNEL, move || body(#(#names),*))
            }

            #body
        }
    }
}

/// The kernel's `KernelData`.
fn data(kernel: &Kernel, files: &[String], compiled: &Compiled) -> TokenStream {
    let outline = Outline::of_kernel(kernel);
    let Some(facts) = compiled.kernels.first() else { return no_data(&outline) };
    let CompiledKernel { name: entry, takes_panic_record, bounds, shared_bytes, panics, .. } = facts;
    let file_of = |file: ptx_gen::ir::FileId| files.get(file.0 as usize).map_or("", String::as_str);
    let (max_threads, min_blocks) = (option(bounds.max_threads), option(bounds.min_blocks));
    let block = match bounds.block {
        Some([x, y, z]) => quote!(::core::option::Option::Some([#x, #y, #z])),
        None => quote!(::core::option::Option::None),
    };
    let panics = panics.values().map(|site| {
        let kind = Ident::new(&format!("{:?}", site.kind), Span::call_site());
        let message = option(site.message.as_deref());
        let (file, line, column) = (file_of(site.location.file), site.location.line, site.location.column);
        quote! {
            ::kernel_runtime::PanicSite {
                kind: ::kernel_runtime::PanicKind::#kind, message: #message,
                file: #file, line: #line, column: #column
            }
        }
    });
    let ptx = Literal::string(&compiled.ptx);
    let rest = quote! {
        entry: #entry,
        ptx: #ptx,
        bounds: ::kernel_runtime::Bounds { max_threads: #max_threads, min_blocks: #min_blocks, block: #block },
        shared_bytes: #shared_bytes,
        panics: &[#(#panics),*],
        has_panic_param: #takes_panic_record,
    };
    kernel_data(&outline, &rest)
}

fn option(value: Option<impl quote::ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// The `KernelData` of a kernel that was refused.
fn no_data(outline: &Outline<'_>) -> TokenStream {
    let rest = quote! {
        entry: "",
        ptx: "",
        bounds: ::kernel_runtime::Bounds::NONE,
        shared_bytes: 0,
        panics: &[],
        has_panic_param: false,
    };
    kernel_data(outline, &rest)
}

/// What is known without compiling, and the rest.
fn kernel_data(outline: &Outline<'_>, rest: &TokenStream) -> TokenStream {
    let name = outline.plain_name();
    let params = outline.params.iter().filter_map(Param::data);
    let span = outline.name.span();
    let (file, line) = (span.file(), span.start().line as u32);
    quote! {
        ::kernel_runtime::KernelData { name: #name, params: &[#(#params),*], file: #file, line: #line, #rest }
    }
}
