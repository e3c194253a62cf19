//! The expansion of `#[kernel]`: a function that prepares a launch, and beside it an empty type of the same name
//! that holds the rest: `saxpy::KERNEL`, `saxpy::cpu(…)`; of a generic kernel also `saxpy::kernel::<…>()` and
//! `saxpy::INSTANCES`.
//!
//! Two copies of the body come with it: the user's own tokens for rustc to check, and the typed tree printed back to
//! run. After a mistake the same items are emitted with empty bodies: code that uses the kernel still compiles, and one mistake
//! gives one error.

mod checks;
mod data;
mod dump;
pub mod editor;
mod element;
mod host_tests;
mod imports;
mod instances;
mod module;
mod params;
mod remarks;
mod surroundings;
mod tuned;
mod variants;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};

use crate::analyze::{AnalyzedKernel, analyze};
use crate::closed::{self, Closed};
use crate::diagnostics::{Diagnostic, Diagnostics, to_compile_errors};
use crate::host;
use crate::lower::layout::Layout;
use crate::nesting;
use crate::views;
pub use element::{HELPER, derive_element, repr_of};
pub use instances::Compiled;
pub use module::{holders, marked, module_items};
use params::Param;
use tuned::Tuned;

/// Expands `#[kernel(attr)] item`.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut misplaced = Diagnostics::default();
    surroundings::check(&item, &mut misplaced);
    if misplaced.finish().is_err() {
        return to_compile_errors(&misplaced.into_errors());
    }
    let editor = editor::function(&item);
    let imports = shown_to_rustc(&imports::of_kernel(&item));
    let analysis = analyze(attr, item);
    let failed = !analysis.errors.is_empty();
    let kernels = analysis.kernels.into_iter().map(|kernel| {
        let (items, copy) = kernel_items(kernel, failed);
        let check = copy.map(|copy| {
            let module = closed::module(&closed::kernel_module(), &Closed::new(Vec::new(), []), &copy);
            shown_to_rustc(&closed::copy(&[], &module))
        });
        quote!(#items #check)
    });
    let (errors, kernels) = (to_compile_errors(&analysis.errors), kernels.collect::<TokenStream>());
    quote!(#editor #errors #kernels #imports)
}

/// The check copy, which editors do not see: they have [their own](editor).
fn shown_to_rustc(copy: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(not(rust_analyzer))]
            #[allow(unused_qualifications)]
            const _: () = { #copy };
        };
    }
}

/// The expansion of a kernel that is nested too deep: the items that callers see.
pub fn refuse(item: TokenStream, error: Diagnostic) -> TokenStream {
    let shallow = item.into_iter().map(|tree| match tree {
        TokenTree::Group(group)
            if group.delimiter() == Delimiter::Brace || !nesting::fits(&group.stream()) =>
        {
            Group::new(group.delimiter(), TokenStream::new()).into()
        }
        other => other,
    });
    let shallow: TokenStream = shallow.collect();
    if !nesting::fits(&shallow) {
        return to_compile_errors(&[error]);
    }
    let analysis = analyze(TokenStream::new(), shallow);
    let kernels = analysis.kernels.into_iter().map(|kernel| kernel_items(kernel, true).0);
    let (error, kernels) = (to_compile_errors(&[error]), kernels.collect::<TokenStream>());
    quote!(#error #kernels)
}

/// The items of one kernel, for its own scope, and its copy for rustc to check; no copy after a mistake, which rustc would
/// only report again. `failed` is true if there was a mistake in any kernel.
pub fn kernel_items(kernel: AnalyzedKernel, failed: bool) -> (TokenStream, Option<TokenStream>) {
    let AnalyzedKernel { signature, tune, instances, copy } = kernel;
    let (mut instances, mut mistakes) = (instances, Diagnostics::default());
    let names = generic_names(&signature.sig);
    if let Some(tune) = &tune {
        instances.iter_mut().for_each(|instance| tuned::fix_block(instance, &names, tune, &mut mistakes));
    }
    let (instances, errors) = Compiled::all(instances);
    let errors: Vec<_> = mistakes.into_errors().into_iter().chain(errors).collect();
    let failed = failed || !errors.is_empty();
    let errors = to_compile_errors(&errors);
    let first: Option<&crate::typed::Kernel> = instances.first().map(|compiled| &compiled.kernel);
    let mut next = 0;
    let params = signature.params.iter().map(|param| {
        let index = next;
        next += views::parts_of(&param.ty);
        let local = first.and_then(|kernel| Some((kernel, &kernel.entry().params().get(index)?.ty)));
        let has_union = instances.iter().any(|compiled| {
            let local = compiled.kernel.entry().params().get(index);
            local.is_some_and(|local| Layout::new(&compiled.kernel).has_union(&local.ty))
        });
        Param::new(param, (local, has_union), &signature.sig.generics, failed)
    });
    let outline = Outline {
        name: &signature.sig.ident,
        vis: &signature.vis,
        outer: &signature.outer,
        generics: instances::Generics::new(&signature.sig, failed),
        written_generics: &signature.sig.generics,
        params: params.collect(),
        safety: &signature.sig.safety,
        tuned: tune.as_ref().map(|tune| Tuned {
            tune,
            open: instances::Generics::without(&signature.sig, failed, |param| tune.tunes(param)),
            params: names.clone(),
        }),
        failed: failed || instances.is_empty(),
    };
    let items = outline.items(&instances);
    let check = (!failed).then(|| outline.check_copy(&copy));
    (quote!(#errors #items), check)
}

/// The names of the generic parameters that instances have arguments for, in order.
fn generic_names(sig: &syn::Signature) -> Vec<&Ident> {
    let mut names = Vec::new();
    for param in &sig.generics.params {
        match param {
            syn::GenericParam::Type(param) => names.push(&param.ident),
            syn::GenericParam::Const(param) => names.push(&param.ident),
            syn::GenericParam::Lifetime(_) => {}
        }
    }
    names
}

/// The parts of a kernel that callers see.
struct Outline<'k> {
    name: &'k Ident,
    vis: &'k syn::Visibility,
    outer: &'k [syn::Attribute],
    generics: instances::Generics,
    /// Its generics as written.
    written_generics: &'k syn::Generics,
    params: Vec<Param<'k>>,
    /// `unsafe`, if the kernel is an `unsafe fn`.
    safety: &'k syn::Safety,
    /// With `tune(…)`: what launches leave open.
    tuned: Option<Tuned<'k>>,
    /// There is nothing to launch.
    failed: bool,
}

/// A name without `r#`.
fn plain(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

impl Outline<'_> {
    /// Its `cfg`s: what is made for it stands under the same.
    fn conditions(&self) -> TokenStream {
        self.outer.iter().filter(|attr| attr.path().is_ident("cfg")).map(|attr| quote!(#attr)).collect()
    }

    /// The launch function, the type beside it, and what that holds.
    fn items(&self, instances: &[Compiled]) -> TokenStream {
        let Outline { name, vis, outer, .. } = self;
        let conditions = self.conditions();
        let launch = self.launch_function();
        let doc = format!("What the kernel `{}` consists of.", plain(name));
        let lints = host::lints();
        let copies = instances.iter().enumerate().map(|(index, compiled)| {
            let copy = host::instance(&compiled.kernel, &copy_name(index));
            quote!(#lints #copy)
        });
        let layouts = instances.iter().enumerate().map(|(index, compiled)| {
            let identities = data::identities(compiled, &self.params, self.written_generics);
            let layouts = data::layouts(compiled, index);
            quote!(#identities #layouts)
        });
        let held = self.held(instances);
        let type_name = quote_spanned!(name.span()=> enum #name {});
        quote! {
            // `k::KERNEL` and `k::cpu` are uses of the kernel as well.
            #(#outer)*
            #[allow(dead_code, clippy::too_many_arguments, clippy::multiple_bound_locations)]
            #launch

            #conditions
            #[doc = #doc]
            #[allow(non_camel_case_types, dead_code, missing_debug_implementations, missing_copy_implementations)]
            #vis #type_name

            #conditions
            #[allow(dead_code, unused_qualifications, non_local_definitions, clippy::multiple_bound_locations)]
            const _: () = {
                #(#copies)*
                #(#layouts)*
                #held
            };
        }
    }

    /// `fn saxpy(…) -> Launch`
    fn launch_function(&self) -> TokenStream {
        let Outline { name, vis, safety, .. } = self;
        let start = match &self.tuned {
            Some(tuned) if !self.failed => {
                let tuned = tuned.path(name);
                quote!(tuned(#tuned))
            }
            Some(_) | None => {
                let kernel = self.kernel_path();
                quote!(new(#kernel))
            }
        };
        let declared = self.open_generics().declared(quote!('gpu));
        self.launching(
            &quote_spanned!(name.span()=> #vis #safety fn #name #declared),
            &start,
            &self.open_bounds(),
        )
    }

    /// A function that makes a launch.
    fn launching(&self, head: &TokenStream, start: &TokenStream, bounds: &TokenStream) -> TokenStream {
        let Outline { name, params, .. } = self;
        let launch = Ident::new("launch", Span::mixed_site());
        // SAFETY: the kernel's arguments follow, those of its parameters.
        let start = quote!(unsafe { ::kernel_runtime::Launch::#start });
        let launch_params = params.iter().map(Param::launch);
        let arguments = params.iter().map(|param| param.argument(&launch));
        quote_spanned! {name.span()=>
            #head(#(#launch_params),*) -> ::kernel_runtime::Launch<'gpu> #bounds {
                #[allow(unused_mut)]
                let mut #launch = #start;
                #(#arguments)*
                #launch
            }
        }
    }

    /// `k::instance::<4>(…) -> Launch`: of a tuned kernel, one that does not choose.
    fn instance_function(&self, tuned: &Tuned<'_>) -> TokenStream {
        let Outline { name, generics, safety, .. } = self;
        let kernel = self.kernel_path();
        let obligation = self.obligation();
        let (start, own) = match self.failed {
            true => (quote!(new(#kernel)), None),
            false => {
                let path = tuned.path(name);
                (quote!(instance(#path, #kernel)), tuned.bound(name))
            }
        };
        let (declared, bounds) = (generics.declared(quote!('gpu)), self.bounds());
        let bounds = match &own {
            Some(own) => quote!(#bounds #own),
            None => bounds,
        };
        let head = quote! {
            /// A launch of one instance; its block size is still tuned, if that was.
            #obligation
            #[allow(clippy::too_many_arguments, clippy::multiple_bound_locations)]
            pub #safety fn instance #declared
        };
        self.launching(&head, &start, &bounds)
    }

    /// The documentation of an `unsafe` function that is made for the kernel.
    fn obligation(&self) -> Option<TokenStream> {
        matches!(self.safety, syn::Safety::Unsafe(_)).then(|| {
            quote! {
                ///
                /// # Safety
                /// As the kernel's.
            }
        })
    }

    /// The generic parameters that a launch names.
    fn open_generics(&self) -> &instances::Generics {
        self.tuned.as_ref().map_or(&self.generics, |tuned| &tuned.open)
    }

    /// The kernel of a launch after a mistake.
    fn refused_path(&self) -> TokenStream {
        let name = self.name;
        quote!(&#name::KERNEL)
    }

    /// The kernel of the generic arguments in scope, a `&'static Kernel`.
    fn kernel_path(&self) -> TokenStream {
        let name = self.name;
        match self.generics.arguments() {
            Some(arguments) if !self.failed => {
                quote!(<#name as ::kernel_runtime::Instance<#arguments>>::KERNEL)
            }
            Some(_) | None => self.refused_path(),
        }
    }

    /// `where` that instance is there, and its types are data.
    fn bounds(&self) -> TokenStream {
        self.bounds_of(&self.generics, &quote!(Instance))
    }

    /// The `where` clause with the generic parameters that a launch names.
    fn open_bounds(&self) -> TokenStream {
        match &self.tuned {
            Some(tuned) => self.bounds_of(&tuned.open, &quote!(TunedInstance)),
            None => self.bounds(),
        }
    }

    fn bounds_of(&self, generics: &instances::Generics, listed: &TokenStream) -> TokenStream {
        let (name, user) = (self.name, generics.user_bounds());
        let Some(arguments) = generics.arguments() else { return quote!(where #user) };
        if self.failed {
            return TokenStream::new();
        }
        let elements = self.params.iter().filter_map(Param::element_bound);
        let types = generics.data_types();
        quote! {
            where
                #name: ::kernel_runtime::#listed<#arguments>,
                #(#types: ::kernel_runtime::Element,)*
                #(#elements,)*
                #user
        }
    }

    /// The associated items of the type.
    fn held(&self, instances: &[Compiled]) -> TokenStream {
        let Outline { name, params, generics, .. } = self;
        let outline = data::Outline { name, params };
        let statics = instances.iter().enumerate().map(|(index, compiled)| {
            let (kernel, data) = (kernel_name(index), outline.data(compiled, index));
            quote! {
                // SAFETY: the data is the compiler's.
                static #kernel: ::kernel_runtime::Kernel = unsafe { ::kernel_runtime::Kernel::new(&#data) };
            }
        });
        let refused = outline.no_data();
        let refused = quote!(unsafe { ::kernel_runtime::Kernel::new(&#refused) });
        let own = match generics.arguments() {
            None => {
                let kernel = match instances.first() {
                    Some(compiled) => {
                        let data = outline.data(compiled, 0);
                        // A constant may be at several addresses, a static is at one: devices know kernels by theirs.
                        quote!({
                            static DATA: ::kernel_runtime::KernelData = #data;
                            unsafe { ::kernel_runtime::Kernel::new(&DATA) }
                        })
                    }
                    None => refused,
                };
                quote! {
                    /// The compiled kernel.
                    pub const KERNEL: ::kernel_runtime::Kernel = #kernel;
                }
            }
            Some(_) => {
                let all = instances.iter().enumerate().map(|(index, compiled)| {
                    let (text, kernel) = (compiled.arguments_text(), kernel_name(index));
                    quote!((#text, &#kernel))
                });
                let (declared, bounds, kernel) =
                    (generics.declared(TokenStream::new()), self.bounds(), self.kernel_path());
                let no_kernel = self.no_kernel(instances, &refused);
                quote! {
                    #no_kernel

                    /// The instances with their generic arguments.
                    pub const INSTANCES: &'static [(&'static str, &'static ::kernel_runtime::Kernel)] = &[#(#all),*];

                    /// The compiled kernel of one instance.
                    pub const fn kernel #declared() -> &'static ::kernel_runtime::Kernel #bounds {
                        #kernel
                    }
                }
            }
        };
        let is_generic = generics.arguments().is_some();
        let statics = is_generic.then(|| statics.collect::<TokenStream>());
        let implementations = instances.iter().enumerate().filter(|_| is_generic).map(|(index, compiled)| {
            let (arguments, kernel, copy) = (compiled.arguments(), kernel_name(index), copy_name(index));
            quote! {
                // SAFETY: both are of the instance with these arguments.
                unsafe impl ::kernel_runtime::Instance<#arguments> for #name {
                    const KERNEL: &'static ::kernel_runtime::Kernel = &#kernel;
                    const ENTRY: ::kernel_runtime::cpu::Entry = #copy::entry;
                }
            }
        });
        let cpu = self.cpu_function();
        let (tuned_statics, tuned_own) =
            self.tuned.as_ref().map(|tuned| tuned.items(self, instances)).unwrap_or_default();
        let instance = self.tuned.as_ref().filter(|_| is_generic);
        let instance = instance.map(|tuned| self.instance_function(tuned));
        quote! {
            #statics
            #(#implementations)*
            #tuned_statics
            impl #name {
                #own
                #tuned_own
                #instance
                #cpu
            }
        }
    }

    /// `KERNEL` of a generic kernel, which has several: it is there to say so.
    fn no_kernel(&self, instances: &[Compiled], refused: &TokenStream) -> TokenStream {
        let name = plain(self.name);
        let Some(first) = instances.first().filter(|_| !self.failed) else {
            return quote! {
                #[doc(hidden)]
                pub const KERNEL: ::kernel_runtime::Kernel = #refused;
            };
        };
        let note = format!(
            "`{name}` is generic, with a kernel for each instance\nhelp: write `{name}::kernel::<{}>()`",
            first.arguments_text()
        );
        quote! {
            #[doc(hidden)]
            #[deprecated(note = #note)]
            pub const KERNEL: ::kernel_runtime::Kernel = ::kernel_runtime::vocabulary::core::panic!("{}", #note);
        }
    }

    /// `fn cpu(…) -> CpuLaunch`
    fn cpu_function(&self) -> TokenStream {
        let Outline { name, params, safety, .. } = self;
        let generics = self.open_generics();
        let obligation = self.obligation();
        let cpu_params = params.iter().map(Param::cpu);
        // After a mistake nothing is known of them.
        let known: &[Param<'_>] = if self.failed { &[] } else { params };
        let views = known.iter().filter_map(Param::to_view);
        let names = known.iter().flat_map(Param::cpu_arguments);
        let (declared, bounds, kernel) =
            (generics.declared(quote!('host)), self.open_bounds(), self.kernel_path());
        let kernel = match &self.tuned {
            Some(tuned) if !self.failed => {
                let tuned = tuned.path(name);
                quote!(#tuned.first())
            }
            Some(_) | None => kernel,
        };
        let entry = match generics.arguments() {
            _ if self.failed => quote!(::kernel_runtime::cpu::run::refused),
            _ if let Some(tuned) = &self.tuned => tuned.entry(name),
            Some(arguments) => quote!(<#name as ::kernel_runtime::Instance<#arguments>>::ENTRY),
            None => {
                let copy = copy_name(0);
                quote!(#copy::entry)
            }
        };
        quote! {
            /// Runs the body as ordinary Rust on the CPU.
            #obligation
            #[allow(clippy::too_many_arguments, clippy::multiple_bound_locations, unused_variables)]
            pub #safety fn cpu #declared(#(#cpu_params),*) -> ::kernel_runtime::cpu::CpuLaunch<'host> #bounds {
                #(#views)*
                // SAFETY: the arguments are those of the kernel's parameters, laid out alike: see the assertions.
                unsafe {
                    ::kernel_runtime::cpu::CpuLaunch::new(#kernel, move || unsafe {
                        #entry(&[#((&raw const #names).cast()),*])
                    })
                }
            }
        }
    }

    /// The user's own tokens, for rustc. The editor has a [copy](editor) of its own.
    fn check_copy(&self, copy: &TokenStream) -> TokenStream {
        const LEVELS: [&str; 4] = ["allow", "expect", "warn", "deny"];
        let lints = self.outer.iter().filter(|attr| LEVELS.iter().any(|level| attr.path().is_ident(level)));
        let conditions = self.conditions();
        quote! {
            #conditions
            // `y[i] = a * x[i] + y[i]`, `for k in 0..n { sum += x[k]; }` and `#[warp_reduce(add)] let sum = v; sum` are how
            // kernels say it.
            #[allow(
                dead_code, unstable_name_collisions, clippy::too_many_arguments, clippy::assign_op_pattern,
                clippy::needless_range_loop, clippy::let_and_return
            )]
            #(#lints)*
            #copy
        }
    }
}

/// The module of an instance's copy.
fn copy_name(index: usize) -> Ident {
    format_ident!("copy_{index}")
}

/// The static of an instance's kernel.
fn kernel_name(index: usize) -> Ident {
    format_ident!("KERNEL_{index}")
}
