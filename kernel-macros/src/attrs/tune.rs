//! `tune(N = [1, 4], block = [128, 256], per_thread = N)`: what the runtime times to find the best, and how the launch
//! depends on it.

use proc_macro2::Ident;
use ptx::target::{MAX_BLOCK_DIM, MAX_THREADS_PER_BLOCK};
use quote::ToTokens;
use syn::Token;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;

use super::instances::arguments;
use super::number::{Quantity, evaluate};
use super::{Attribute, Checker};
use crate::diagnostics::{Diagnostics, Loc, did_you_mean, shown};

const USAGE: &str = "tune(N = [1, 2, 4], block = [128, 256])";

/// More elements per thread than this are a mistake: whatever is unrolled by it would not be compiled in time.
const MOST_PER_THREAD: u32 = 1 << 16;

const THREADS: Quantity =
    Quantity { what: "the number of threads per block", unit: "thread", per: "per block" };
const ELEMENTS: Quantity =
    Quantity { what: "the number of elements per thread", unit: "element", per: "per thread" };

/// The checked arguments of `tune(…)`.
#[derive(Clone, Debug)]
pub struct Tune {
    /// Generic parameters and what they may be, in the order written.
    pub lists: Vec<(Ident, Vec<syn::GenericArgument>)>,
    /// `block = …`
    pub block: Option<TunedBlock>,
    /// `per_thread = …`: number of elements of `over(n)` for each thread.
    pub per_thread: Option<PerThread>,
    /// Part of a mistake that was reported: nobody knows which parameters are tuned.
    pub is_broken: bool,
    loc: Loc,
}

/// The source of the block size.
#[derive(Clone, Debug)]
pub enum TunedBlock {
    /// From a list of its own.
    Sizes(Vec<[u32; 3]>),
    /// It is what this parameter of the kernel is.
    Param(Ident),
}

/// Number of elements of `over(n)` for each thread.
#[derive(Clone, Debug)]
pub enum PerThread {
    /// This number.
    Number(u32),
    /// The value of this parameter of the kernel.
    Param(Ident),
}

/// `tune(…)` as written.
#[derive(Clone)]
pub(super) struct Written {
    lists: Vec<(Ident, Vec<syn::GenericArgument>)>,
    block: Option<(Ident, WrittenBlock)>,
    per_thread: Option<(Ident, syn::Expr)>,
    /// Parameters that were given again.
    again: Vec<Ident>,
}

#[derive(Clone)]
enum WrittenBlock {
    Sizes(Vec<syn::Expr>),
    Other(Box<syn::Expr>),
}

impl Written {
    /// Reads what is between the parentheses.
    pub(super) fn parse(input: ParseStream) -> syn::Result<Written> {
        let mut written = Written { lists: Vec::new(), block: None, per_thread: None, again: Vec::new() };
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let list = if name == "per_thread" { "1" } else { "[…]" };
            if !input.peek(Token![=]) {
                let message =
                    format!("expected `=` after `{name}`\nhelp: write what it may be: `{name} = {list}`");
                return Err(syn::Error::new(name.span(), message));
            }
            input.parse::<Token![=]>()?;
            let known = written.lists.iter().any(|(earlier, _)| *earlier == name)
                || (name == "block" && written.block.is_some())
                || (name == "per_thread" && written.per_thread.is_some());
            if known {
                written.again.push(name.clone());
            }
            if name == "per_thread" {
                written.per_thread = Some((name, input.parse()?));
            } else if input.peek(syn::token::Bracket) {
                let content;
                syn::bracketed!(content in input);
                if name == "block" {
                    let sizes = Punctuated::<syn::Expr, Token![,]>::parse_terminated(&content)?;
                    written.block = Some((name, WrittenBlock::Sizes(sizes.into_iter().collect())));
                } else {
                    written.lists.push((name, arguments(&content)?));
                }
            } else if name == "block" {
                written.block = Some((name, WrittenBlock::Other(Box::new(input.parse()?))));
            } else {
                let message = format!("expected a list of what `{name}` may be\nhelp: write `{name} = […]`");
                return Err(input.error(message));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(written)
    }
}

/// An expression that is a single name.
fn as_name(expr: &syn::Expr) -> Option<&Ident> {
    match expr {
        syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

impl Checker<'_> {
    pub(super) fn tune(&mut self, attribute: &Attribute) {
        let nothing = |checker: &mut Self| {
            let message = format!("expected what to tune, found nothing\nhelp: write `{USAGE}`");
            checker.diagnostics.error(attribute.loc, message);
            checker.attrs.tune = Some(Tune::broken(attribute.loc));
        };
        let Some(written) = &attribute.tune else {
            return nothing(self);
        };
        let mistakes = self.diagnostics.count();
        for name in &written.again {
            let message = format!("expected `{name}` once, found it again\nhelp: make it one list");
            self.diagnostics.error(name, message);
        }
        for (name, list) in &written.lists {
            self.values(name, list);
        }
        let block = written.block.as_ref().and_then(|(name, block)| self.tuned_block(name, block));
        let per_thread = written.per_thread.as_ref().and_then(|(_, expr)| match as_name(expr) {
            Some(name) => Some(PerThread::Param(name.clone())),
            None => self.number(expr, &ELEMENTS, 1, MOST_PER_THREAD).map(PerThread::Number),
        });
        let sizes = matches!(&written.block, Some((_, WrittenBlock::Sizes(_))));
        if written.lists.is_empty() && !sizes && self.diagnostics.count() == mistakes {
            return nothing(self);
        }
        let (lists, loc) = (written.lists.clone(), attribute.loc);
        self.attrs.tune = Some(Tune { lists, block, per_thread, is_broken: false, loc });
    }

    /// At least one, each once.
    fn values(&mut self, name: &Ident, values: &[impl ToTokens]) {
        if values.is_empty() {
            let message =
                format!("expected at least one value for `{name}`, found none\nhelp: add one to the list");
            self.diagnostics.error(name, message);
        }
        let texts: Vec<String> = values.iter().map(|value| shown(value)).collect();
        for (index, value) in values.iter().enumerate() {
            if texts[..index].contains(&texts[index]) {
                let message = format!(
                    "expected each value of `{name}` once, found `{}` again\nhelp: leave it out",
                    texts[index]
                );
                self.diagnostics.error(Loc::of(value), message);
            }
        }
    }

    fn tuned_block(&mut self, name: &Ident, block: &WrittenBlock) -> Option<TunedBlock> {
        match block {
            WrittenBlock::Sizes(sizes) => {
                self.values(name, sizes);
                let sizes: Vec<_> = sizes.iter().map(|size| self.block_size(size)).collect();
                sizes.into_iter().collect::<Option<_>>().map(TunedBlock::Sizes)
            }
            WrittenBlock::Other(expr) => match as_name(expr) {
                Some(name) => Some(TunedBlock::Param(name.clone())),
                None => {
                    let message = format!(
                        "expected a list of block sizes or a parameter of the kernel, found `{}`\nhelp: write \
                         `block = [128, 256]`; a block size alone is not tuned: `#[kernel(block(128))]`",
                        shown(expr)
                    );
                    self.diagnostics.error(Loc::of(expr), message);
                    None
                }
            },
        }
    }

    /// `128`, `(16, 16)`
    fn block_size(&mut self, expr: &syn::Expr) -> Option<[u32; 3]> {
        let syn::Expr::Tuple(tuple) = expr else {
            return Some([self.number(expr, &THREADS, 1, MAX_THREADS_PER_BLOCK)?, 1, 1]);
        };
        let mut size = [1; 3];
        if !(1..=3).contains(&tuple.elems.len()) {
            let message = format!(
                "expected 1 to 3 sizes of a block, found {}\nhelp: write `(x, y)` or `(x, y, z)`",
                tuple.elems.len()
            );
            self.diagnostics.error(Loc::of(expr), message);
            return None;
        }
        for (axis, part) in tuple.elems.iter().enumerate() {
            size[axis] = self.number(part, &THREADS, 1, MAX_BLOCK_DIM[axis])?;
        }
        let threads: u32 = size.iter().product();
        if threads > MAX_THREADS_PER_BLOCK {
            let message = format!(
                "expected at most {MAX_THREADS_PER_BLOCK} threads per block, found {threads}\nhelp: make the block smaller"
            );
            self.diagnostics.error(Loc::of(expr), message);
            return None;
        }
        Some(size)
    }

    /// Against `block` and `launch_bounds`, once all are read.
    pub(super) fn check_tune(&mut self, attributes: &[Attribute]) {
        let written = attributes.iter().find_map(|attribute| attribute.tune.as_ref());
        let Some((name, block)) = written.and_then(|written| written.block.as_ref()) else { return };
        if self.attrs.bounds.block.is_some() {
            let message = "expected one source of the block size, found `block(…)` and `tune(block = …)`\nhelp: leave \
                           `block(…)` out to have it tuned";
            self.diagnostics.error(name, message);
        }
        let (WrittenBlock::Sizes(written), Some(TunedBlock::Sizes(sizes)), Some(most)) = (
            block,
            self.attrs.tune.as_ref().and_then(|tune| tune.block.as_ref()),
            self.attrs.bounds.max_threads,
        ) else {
            return;
        };
        for (expr, size) in written.iter().zip(sizes) {
            let threads: u32 = size.iter().product();
            if threads > most {
                self.diagnostics.error(Loc::of(expr), beyond_bounds(most, threads));
            }
        }
    }
}

fn beyond_bounds(most: u32, threads: u32) -> String {
    format!(
        "expected at most {most} threads per block, as `launch_bounds({most})` says, found {threads}\nhelp: leave it out \
         or write `launch_bounds({threads})`"
    )
}

impl Tune {
    /// Stands for what could not be read.
    pub fn broken(loc: Loc) -> Tune {
        Tune { lists: Vec::new(), block: None, per_thread: None, is_broken: true, loc }
    }

    /// The location of the attribute.
    pub fn loc(&self) -> Loc {
        self.loc
    }

    /// Returns true if this generic parameter is tuned, so that launches do not name it.
    pub fn tunes(&self, param: &Ident) -> bool {
        self.is_broken || self.lists.iter().any(|(name, _)| name == param)
    }

    /// Number of instances for each combination of the other parameters.
    pub fn combinations(&self) -> usize {
        self.lists.iter().map(|(_, list)| list.len()).product()
    }

    /// Against the kernel's signature.
    pub fn check(&self, sig: &syn::Signature, max_threads: Option<u32>, diagnostics: &mut Diagnostics) {
        if self.is_broken {
            return;
        }
        let params: Vec<String> = sig
            .generics
            .params
            .iter()
            .filter_map(|param| match param {
                syn::GenericParam::Type(param) => Some(param.ident.to_string()),
                syn::GenericParam::Const(param) => Some(param.ident.to_string()),
                syn::GenericParam::Lifetime(_) => None,
            })
            .collect();
        for (name, _) in &self.lists {
            if !params.contains(&name.to_string()) {
                let message = format!(
                    "expected a generic parameter of the kernel, `block` or `per_thread`, found `{name}`\nhelp: {}",
                    instead(name, &params)
                );
                diagnostics.error(name, message);
            }
        }
        for (role, name) in self.roles() {
            let is_integer = sig.generics.const_params().any(|param| {
                param.ident == *name
                    && !["bool", "char"].contains(&param.ty.to_token_stream().to_string().as_str())
            });
            if is_integer {
                continue;
            }
            let message = format!(
                "expected a number or an integer parameter of the kernel as `{role}`, found `{name}`\nhelp: declare it: \
                 `const {name}: usize`, with `{name} = […]` in `tune`"
            );
            diagnostics.error(name, message);
        }
        if let Some(TunedBlock::Param(param)) = &self.block {
            self.check_block_values(param, max_threads.unwrap_or(MAX_THREADS_PER_BLOCK), diagnostics);
        }
        self.check_parameters(sig, diagnostics);
    }

    /// The parameters that say how the launch is made.
    fn roles(&self) -> impl Iterator<Item = (&'static str, &Ident)> {
        let block = match &self.block {
            Some(TunedBlock::Param(name)) => Some(("block", name)),
            Some(TunedBlock::Sizes(_)) | None => None,
        };
        let per_thread = match &self.per_thread {
            Some(PerThread::Param(name)) => Some(("per_thread", name)),
            Some(PerThread::Number(_)) | None => None,
        };
        block.into_iter().chain(per_thread)
    }

    /// Reports values of the block size's parameter that are literals and out of range.
    fn check_block_values(&self, param: &Ident, most: u32, diagnostics: &mut Diagnostics) {
        let values = self.lists.iter().filter(|(name, _)| name == param).flat_map(|(_, list)| list);
        for value in values {
            let syn::GenericArgument::Const(expr) = value else { continue };
            match evaluate(expr, &[]) {
                Ok(threads) if threads < 1 || threads > i128::from(MAX_THREADS_PER_BLOCK) => {
                    let message = format!(
                        "expected 1 to {MAX_THREADS_PER_BLOCK} threads per block, found {threads}\nhelp: `{param}` is the \
                         block size here: leave the value out"
                    );
                    diagnostics.error(Loc::of(expr), message);
                }
                Ok(threads) if threads > i128::from(most) => {
                    let threads = u32::try_from(threads).unwrap_or(u32::MAX);
                    diagnostics.error(Loc::of(expr), beyond_bounds(most, threads));
                }
                // A value that is not a literal is checked when it is evaluated.
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// All instances take the same arguments.
    fn check_parameters(&self, sig: &syn::Signature, diagnostics: &mut Diagnostics) {
        for input in &sig.inputs {
            let syn::FnArg::Typed(param) = input else { continue };
            for (name, _) in &self.lists {
                if mentions(param.ty.to_token_stream(), name) {
                    let message = format!(
                        "expected a type without `{name}`, which is tuned: a launch has the same arguments for every \
                         instance\nhelp: list `{name}` in `instances(…)` instead, so that the launch says what it is"
                    );
                    diagnostics.error(Loc::of(&param.ty), message);
                }
            }
        }
    }
}

fn instead(name: &Ident, params: &[String]) -> String {
    let others = ["block", "per_thread"];
    let known = params.iter().map(String::as_str).chain(others);
    match did_you_mean(&name.to_string(), known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if params.is_empty() => {
            format!(
                "the kernel is not generic: declare it, `const {name}: usize`, or tune `block = [128, 256]`"
            )
        }
        None => format!("the parameters are `{}`", params.join("`, `")),
    }
}

fn mentions(tokens: proc_macro2::TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|tree| match tree {
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), name),
        proc_macro2::TokenTree::Ident(ident) => ident == *name,
        proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => false,
    })
}
