//! The front end: from the tokens of an attribute and a function to the typed tree.

use proc_macro2::{Ident, TokenStream};

use crate::attrs::parse_attrs;
use crate::check::{Header, check};
use crate::diagnostics::{Diagnostic, Diagnostics, Mistakes, to_compile_errors};
use crate::infer::infer;
use crate::parse::{Item, Param, parse_item};
use crate::resolve::resolve;
use crate::typed;

/// Why there is no typed tree, and what of the function is known even so.
pub struct Failed {
    /// Every mistake.
    pub errors: Vec<Diagnostic>,
    /// What callers see of the function; `None` if it is no function.
    pub signature: Option<Signature>,
}

impl Failed {
    /// One `compile_error!` for each mistake.
    pub fn to_compile_errors(&self) -> TokenStream {
        to_compile_errors(&self.errors)
    }
}

/// A kernel's signature as far as it could be understood.
pub struct Signature {
    /// Attributes other than ours.
    pub outer: Vec<syn::Attribute>,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// Its name.
    pub name: Ident,
    /// Its parameters; those without a type were refused.
    pub params: Vec<Param>,
}

/// Runs the phases: parse, resolve and infer, check. Every phase reports all that it finds.
pub fn analyze(attr: TokenStream, item: TokenStream) -> Result<typed::Kernel, Box<Failed>> {
    let mut diagnostics = Diagnostics::default();
    let attrs = parse_attrs(attr, &mut diagnostics);
    let item: Item = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => {
            diagnostics.syntax(&error);
            return Err(Box::new(Failed { errors: diagnostics.into_errors(), signature: None }));
        }
    };
    let header =
        Header { name: item.sig.ident.clone(), vis: item.vis.clone(), outer: item.outer.clone(), attrs };
    let mut signature = Signature {
        outer: item.outer.clone(),
        vis: item.vis.clone(),
        name: item.sig.ident.clone(),
        params: Vec::new(),
    };
    match phases(header, item, &mut signature, &mut diagnostics) {
        Ok(kernel) => Ok(kernel),
        Err(Mistakes) => {
            Err(Box::new(Failed { errors: diagnostics.into_errors(), signature: Some(signature) }))
        }
    }
}

fn phases(
    header: Header,
    item: Item,
    signature: &mut Signature,
    diagnostics: &mut Diagnostics,
) -> Result<typed::Kernel, Mistakes> {
    let (params, kernel) = parse_item(item, diagnostics);
    signature.params = params;
    diagnostics.finish()?;
    let names = resolve(&header.name, &kernel, diagnostics);
    let types = infer(&kernel, &names, diagnostics);
    diagnostics.finish()?;
    let typed = check(header, &kernel, &names, &types, diagnostics);
    diagnostics.finish()?;
    Ok(typed)
}
