//! The front end: from the tokens of an attribute and a function to the typed tree.

use proc_macro2::TokenStream;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::parse::{Item, Param, parse_item};
use crate::resolve::resolve;
use crate::typed;

/// What became of the tokens of one macro call.
pub struct Analysis {
    /// Every mistake. If there is any, no kernel has instances.
    pub errors: Vec<Diagnostic>,
    /// The kernels: one of `#[kernel]`, any number of `#[kernel_module]`; none if the tokens hold no function.
    pub kernels: Vec<AnalyzedKernel>,
}

/// A kernel as far as it could be understood.
pub struct AnalyzedKernel {
    /// What callers see of it.
    pub signature: Signature,
    /// Its instances in the order of `instances(…)`; one if it is not generic. Empty after a mistake.
    pub instances: Vec<typed::Kernel>,
    /// The user's own tokens as an ordinary function, for rustc to check: `fn name(…) { … }`.
    pub copy: TokenStream,
}

/// A kernel's signature as written.
pub struct Signature {
    /// Attributes other than ours.
    pub outer: Vec<syn::Attribute>,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// From `fn` to the brace; its generics with it.
    pub sig: syn::Signature,
    /// Its parameters; patterns have names made up.
    pub params: Vec<Param>,
}

/// Runs the phases on `#[kernel(attr)] item`. Every phase reports all that it finds.
pub fn analyze(attr: TokenStream, item: TokenStream) -> Analysis {
    let mut diagnostics = Diagnostics::default();
    let _ = attr;
    let item: Item = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => {
            diagnostics.syntax(&error);
            return Analysis { errors: diagnostics.into_errors(), kernels: Vec::new() };
        }
    };
    let program = parse_item(item, &mut diagnostics);
    let _names = resolve(&program, &mut diagnostics);
    unreachable!()
}
