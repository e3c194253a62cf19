//! Kernels with `tune(…)`: what the runtime chooses from, as `k::TUNED` or, where a launch still names generic arguments, as
//! `k: TunedInstance<(f32,)>`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::instances::{Compiled, Generics};
use super::{Outline, copy_name, kernel_name, plain};
use crate::attrs::{PerThread, Tune, TunedBlock};
use crate::diagnostics::Diagnostics;
use crate::typed::{GenericArg, Kernel};

/// The value of a parameter that is a number, in one instance.
fn number(kernel: &Kernel, params: &[&Ident], name: &Ident) -> Option<u64> {
    let index = params.iter().position(|param| *param == name)?;
    match kernel.instance.get(index)? {
        GenericArg::Const(value) => Some(value.bits),
        GenericArg::Type(_) => None,
    }
}

/// Compiles an instance whose parameter is the block size for just this block.
pub fn fix_block(kernel: &mut Kernel, params: &[&Ident], tune: &Tune, diagnostics: &mut Diagnostics) {
    let Some(TunedBlock::Param(name)) = &tune.block else { return };
    let most = ptx::target::MAX_THREADS_PER_BLOCK;
    let found = number(kernel, params, name).unwrap_or(0);
    match u32::try_from(found) {
        Ok(threads) if (1..=most).contains(&threads) => kernel.attrs.bounds.block = Some([threads, 1, 1]),
        Ok(_) | Err(_) => {
            let message = format!(
                "expected 1 to {most} threads per block, found {found} for `{name}`\nhelp: `{name}` is the block size here: \
                 leave the value out"
            );
            diagnostics.error(name, message);
        }
    }
}

/// A tuned kernel.
pub struct Tuned<'k> {
    pub tune: &'k Tune,
    /// The parameters that are not tuned.
    pub open: Generics,
    /// The names of all parameters, in order.
    pub params: Vec<&'k Ident>,
}

impl Tuned<'_> {
    /// The `&'static Tuned` of the open arguments in scope.
    pub fn path(&self, name: &Ident) -> TokenStream {
        match self.open.arguments() {
            Some(arguments) => quote!(<#name as ::kernel_runtime::TunedInstance<#arguments>>::TUNED),
            None => quote!(#name::TUNED),
        }
    }

    /// That the open arguments have instances.
    pub fn bound(&self, name: &Ident) -> Option<TokenStream> {
        let arguments = self.open.arguments()?;
        Some(quote!(#name: ::kernel_runtime::TunedInstance<#arguments>,))
    }

    /// Those of the run copies that answer for launches on the CPU.
    pub fn entry(&self, name: &Ident) -> TokenStream {
        match self.open.arguments() {
            Some(arguments) => quote!(<#name as ::kernel_runtime::TunedInstance<#arguments>>::ENTRY),
            None => {
                let copy = copy_name(0);
                quote!(#copy::entry)
            }
        }
    }

    /// The items beside the kernel's statics, and the items in its `impl`.
    pub fn items(&self, outline: &Outline<'_>, instances: &[Compiled]) -> (TokenStream, TokenStream) {
        let name = outline.name;
        let groups: Vec<&[Compiled]> = instances.chunks(self.tune.combinations().max(1)).collect();
        let tuned_name = |index: usize| format_ident!("TUNED_{index}");
        let mut statics = TokenStream::new();
        for (number, group) in groups.iter().enumerate() {
            let tuned = tuned_name(number);
            let first = number * self.tune.combinations();
            let candidates = group
                .iter()
                .enumerate()
                .flat_map(|(index, compiled)| self.candidates(outline, compiled, first + index));
            let shown = self.shown_name(name, &group[0]);
            statics.extend(quote! {
                // SAFETY: the candidates are instances of one kernel.
                static #tuned: ::kernel_runtime::Tuned = unsafe {
                    ::kernel_runtime::Tuned::new(&::kernel_runtime::TunedData {
                        name: #shown, module: ::kernel_runtime::vocabulary::core::module_path!(), candidates: &[#(#candidates),*]
                    })
                };
            });
            if self.open.arguments().is_some() {
                let arguments = group[0].arguments_of(|index| !self.tune.tunes(self.params[index]));
                let copy = copy_name(first);
                statics.extend(quote! {
                    // SAFETY: both are of the instances with these arguments.
                    unsafe impl ::kernel_runtime::TunedInstance<#arguments> for #name {
                        const TUNED: &'static ::kernel_runtime::Tuned = &#tuned;
                        const ENTRY: ::kernel_runtime::cpu::Entry = #copy::entry;
                    }
                });
            }
        }
        let own = match self.open.arguments() {
            None => {
                let value = match groups.first() {
                    Some(_) => {
                        let tuned = tuned_name(0);
                        quote!(&#tuned)
                    }
                    None => self.refused(outline),
                };
                quote! {
                    /// The instances that a launch chooses from, and what was found out about them.
                    pub const TUNED: &'static ::kernel_runtime::Tuned = #value;
                }
            }
            Some(_) => {
                let (declared, path) = (self.open.declared(TokenStream::new()), self.path(name));
                let (bounds, value) = match outline.failed {
                    true => (TokenStream::new(), quote!(#name::TUNED)),
                    false => (outline.open_bounds(), path),
                };
                // After a mistake nobody knows which of both was meant.
                let other = outline.failed.then(|| {
                    let refused = self.refused(outline);
                    quote!(#[doc(hidden)] pub const TUNED: &'static ::kernel_runtime::Tuned = #refused;)
                });
                quote! {
                    #other
                    /// The instances that a launch chooses from, and what was found out about them.
                    pub const fn tuned #declared() -> &'static ::kernel_runtime::Tuned #bounds {
                        #value
                    }
                }
            }
        };
        (statics, own)
    }

    /// `every::<f32>`
    fn shown_name(&self, name: &Ident, compiled: &Compiled) -> String {
        let open: Vec<String> = (0..self.params.len())
            .filter(|&index| !self.tune.tunes(self.params[index]))
            .map(|index| compiled.argument_text(index))
            .collect();
        match &open[..] {
            [] => plain(name),
            open => format!("{}::<{}>", plain(name), open.join(", ")),
        }
    }

    /// The candidates of one instance: one for each block size.
    fn candidates(&self, outline: &Outline<'_>, compiled: &Compiled, index: usize) -> Vec<TokenStream> {
        let name = outline.name;
        let kernel = match outline.generics.arguments() {
            Some(_) => {
                let kernel = kernel_name(index);
                quote!(&#kernel)
            }
            None => quote!(&#name::KERNEL),
        };
        let generic = self.tune.lists.iter().map(|(name, _)| {
            let position = self.params.iter().position(|param| *param == name);
            // A negative number is an argument in braces.
            let value = position.map(|index| compiled.argument_text(index)).unwrap_or_default();
            let (name, value) = (plain(name), value.trim_matches(['{', '}']));
            quote!((#name, #value))
        });
        let generic: Vec<TokenStream> = generic.collect();
        let per_thread = match &self.tune.per_thread {
            None => 1,
            Some(PerThread::Number(number)) => *number,
            Some(PerThread::Param(name)) => number(&compiled.kernel, &self.params, name)
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(1),
        };
        let candidate = |settings: TokenStream, block: TokenStream| {
            quote! {
                ::kernel_runtime::Candidate {
                    settings: &[#settings], kernel: #kernel, block: #block, per_thread: #per_thread
                }
            }
        };
        match &self.tune.block {
            None => vec![candidate(
                quote!(#(#generic),*),
                quote!(::kernel_runtime::vocabulary::core::option::Option::None),
            )],
            Some(TunedBlock::Param(_)) => {
                let [x, y, z] = compiled.kernel.attrs.bounds.block.unwrap_or([1; 3]);
                vec![candidate(
                    quote!(#(#generic),*),
                    quote!(::kernel_runtime::vocabulary::core::option::Option::Some([#x, #y, #z])),
                )]
            }
            Some(TunedBlock::Sizes(sizes)) => {
                let one = |&[x, y, z]: &[u32; 3]| {
                    let text = size_text([x, y, z]);
                    let settings = quote!(#(#generic,)* ("block", #text));
                    candidate(
                        settings,
                        quote!(::kernel_runtime::vocabulary::core::option::Option::Some([#x, #y, #z])),
                    )
                };
                sizes.iter().map(one).collect()
            }
        }
    }

    /// After a mistake.
    fn refused(&self, outline: &Outline<'_>) -> TokenStream {
        let (name, kernel) = (plain(outline.name), outline.refused_path());
        quote! {
            &unsafe { ::kernel_runtime::Tuned::new(&::kernel_runtime::TunedData {
                name: #name,
                module: ::kernel_runtime::vocabulary::core::module_path!(),
                candidates: &[::kernel_runtime::Candidate {
                    settings: &[], kernel: #kernel, block: ::kernel_runtime::vocabulary::core::option::Option::None, per_thread: 1
                }],
            }) }
        }
    }
}

/// `128`, `16 × 16`
fn size_text(size: [u32; 3]) -> String {
    let used = size.iter().rposition(|&size| size > 1).map_or(1, |last| last + 1);
    size[..used].iter().map(u32::to_string).collect::<Vec<_>>().join(" × ")
}
