//! The run copy: the typed tree printed back as Rust that runs on the CPU, against `kernel_runtime::cpu::run`.
//!
//! One function for each of the typed tree, one module for each instance of a kernel. It means what the PTX means:
//! integers wrap, shifts mask, contracted sums are fused, indices are checked. Tokens keep the spans of what they came from,
//! so that panics and a debugger name the user's lines.
//!
//! rustc never finds a mistake in it, for the user's own text is checked by the check copy, and one mistake gives one error.
//! So nothing is borrowed: references are `*mut T`, slices are `run::Slice` (pointer and length), closures are
//! `*mut dyn FnMut` into a slot of the frame that makes them, and capture by pointer. Every variable is `mut` and has a value
//! from the start. What is sound in the check copy is sound here.

mod atomic;
mod call;
mod closure;
mod compare;
mod constant;
mod control;
mod expr;
mod iter;
pub mod message;
mod pattern;
mod place;
mod steps;
#[cfg(test)]
mod tests;
mod types;

pub use constant::value as const_value;
pub use types::{field_name, struct_name, vector_name};

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::typed::{ConstId, FnId, Function, Kernel, LocalId, LoopId};
use closure::Frame;

/// Prints an instance as `mod name { … }`, whose `pub unsafe fn entry(args: &[*const ()])` takes a pointer to each argument.
pub fn instance(kernel: &Kernel, name: &Ident) -> TokenStream {
    let types = types::structs(kernel);
    let functions = (0..kernel.functions.len()).map(|index| Printer::new(kernel, FnId(index)).function());
    let formats = message::functions(kernel);
    let entry = function_name(kernel, FnId(0));
    let args = kernel.entry().params().iter().enumerate().map(|(index, param)| {
        let ty = types::ty(kernel, &param.ty);
        quote!(run::arg::<#ty>(args, #index))
    });
    quote! {
        mod #name {
            use ::kernel_runtime::cpu::run;
            use ::kernel_runtime::cpu::run::prelude::*;
            #types
            pub unsafe fn entry(args: &[*const ()]) {
                unsafe { #entry(#(#args),*) }
            }
            #(#functions)*
            #formats
        }
    }
}

/// The lints that the copy could offend: all of them. Those that rustc denies, and those that a crate may deny, are named, for
/// `warnings` leaves them out.
pub fn lints() -> TokenStream {
    quote! {
        #[allow(
            warnings, unused, nonstandard_style, future_incompatible, rust_2018_idioms, let_underscore, deprecated,
            missing_docs, missing_debug_implementations, missing_copy_implementations, trivial_casts, trivial_numeric_casts,
            unreachable_pub, unnameable_types, unused_qualifications, unused_results, unused_lifetimes, unused_import_braces,
            single_use_lifetimes, variant_size_differences, keyword_idents, non_ascii_idents, unit_bindings,
            explicit_outlives_requirements, absolute_paths_not_starting_with_crate, redundant_lifetimes, redundant_imports,
            unsafe_op_in_unsafe_fn, ambiguous_negative_literals, let_underscore_drop,
            arithmetic_overflow, unconditional_panic, overflowing_literals, invalid_value,
            dangerous_implicit_autorefs, ambiguous_wide_pointer_comparisons, unconditional_recursion, static_mut_refs,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
    }
}

/// A name that no name of the user's can be mistaken for.
fn own(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(span))
}

/// The name of a function in the copy.
fn function_name(kernel: &Kernel, id: FnId) -> Ident {
    let name = &kernel.function(id).name;
    format_ident!("f{}_{}", id.0, name, span = name.span())
}

/// Prints one function.
struct Printer<'k> {
    kernel: &'k Kernel,
    id: FnId,
    /// The variables' names: those that are written twice get numbers.
    names: Vec<Ident>,
    /// The function's frame, then those of the closures around what is printed now.
    frames: Vec<Frame>,
    /// Number of calls of `shared` so far: the number distinguishes variables in shared memory.
    shared_calls: usize,
    /// Slots so far.
    slots: usize,
    /// The expression whose value the variable `__step` holds: see [`steps`].
    step: Option<*const crate::typed::Expr>,
}

impl<'k> Printer<'k> {
    fn new(kernel: &'k Kernel, id: FnId) -> Printer<'k> {
        let names = local_names(kernel.function(id));
        Printer { kernel, id, names, frames: Vec::new(), shared_calls: 0, slots: 0, step: None }
    }

    fn current(&self) -> &'k Function {
        self.kernel.function(self.id)
    }

    fn function(mut self) -> TokenStream {
        let function = self.current();
        let name = function_name(self.kernel, self.id);
        let consts = function.consts.iter().enumerate().map(|(index, constant)| {
            let (name, ty) = (self.const_name(ConstId(index)), types::ty(self.kernel, &constant.ty));
            let value = constant::constant(self.kernel, &constant.value, &constant.ty, constant.name.span());
            quote!(const #name: #ty = #value;)
        });
        let consts = consts.collect::<TokenStream>();
        let params: Vec<LocalId> = (0..function.param_count).map(LocalId).collect();
        let (head, frame) = self.in_frame(&params, &[], |printer| {
            printer.frame().keeps = closure::holds_closure(printer.kernel, &function.result);
            printer.block(&function.body)
        });
        let params = params.iter().map(|&id| self.declaration(id));
        let result = types::result(self.kernel, &function.result);
        // A panic in the device library is reported at the call, as on the GPU.
        let track = function.is_library.then(|| quote!(#[track_caller]));
        let hoisted = frame.hoisted;
        quote! {
            #track
            unsafe fn #name(#(#params),*) -> #result {
                #consts
                unsafe { #hoisted #head }
            }
        }
    }

    /// `mut name: type`
    fn declaration(&self, id: LocalId) -> TokenStream {
        let (name, ty) = (&self.names[id.0], types::ty(self.kernel, &self.current().local(id).ty));
        quote!(mut #name: #ty)
    }

    /// A variable's value before its first assignment.
    fn unset(&self) -> TokenStream {
        quote!(run::poison())
    }

    fn const_name(&self, id: ConstId) -> Ident {
        format_ident!("k{}_{}", id.0, self.current().consts[id.0].name)
    }

    /// The name of a new slot.
    fn slot(&mut self, span: Span) -> Ident {
        self.slots += 1;
        own(&format!("slot{}", self.slots), span)
    }
}

fn label(id: LoopId) -> syn::Lifetime {
    syn::Lifetime::new(&format!("'loop{}", id.0), Span::mixed_site())
}

/// A name for each variable: as written, with its number where another has the same.
fn local_names(function: &Function) -> Vec<Ident> {
    let mut count = HashMap::<String, usize>::new();
    for local in &function.locals {
        *count.entry(local.name.to_string()).or_default() += 1;
    }
    // A variable may be called as another one with its number is: `x_3`.
    let mut taken: HashSet<String> = count.keys().cloned().collect();
    let name = |(index, local): (usize, &crate::typed::Local)| {
        let text = local.name.to_string();
        let plain = text.strip_prefix("r#").unwrap_or(&text);
        let is_own = crate::views::plain(&local.name).is_some()
            || plain.starts_with(|c: char| c == '_' || c.is_ascii_digit())
            || text == "self";
        if count[&text] == 1 && !is_own {
            return local.name.clone();
        }
        let plain = crate::views::plain(&local.name).unwrap_or_else(|| plain.to_owned());
        let mut numbered = format!("{plain}_{index}");
        while !taken.insert(numbered.clone()) {
            numbered.push('_');
        }
        Ident::new(&numbered, local.name.span())
    };
    function.locals.iter().enumerate().map(name).collect()
}
