//! What is written in `#[kernel(…)]`, parsed and checked.

use proc_macro2::{Ident, TokenStream};
use ptx_gen::occupancy::{LaunchBoundsError, check_launch_bounds};
use ptx_gen::target::MAX_THREADS_PER_BLOCK;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use crate::diagnostics::{Diagnostics, Loc, did_you_mean, shown};

mod instances;

pub use instances::Instances;

/// The attributes of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelAttrs {
    /// `launch_bounds(max_threads, …)`
    pub max_threads: Option<u32>,
    /// `launch_bounds(…, min_blocks)`
    pub min_blocks: Option<u32>,
    /// `block(x, y, z)`
    pub block: Option<[u32; 3]>,
    /// `fp_contract(off)`: `a * b + c` stays two operations.
    pub fp_contract_off: bool,
}

/// The most threads along each axis of a block (CUDA C++ Programming Guide, technical specifications).
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];

/// What a number counts, in messages.
struct Quantity {
    what: &'static str,
    unit: &'static str,
    per: &'static str,
}

const THREADS: Quantity =
    Quantity { what: "the number of threads per block", unit: "thread", per: "per block" };
const BLOCKS: Quantity = Quantity { what: "the number of blocks per SM", unit: "block", per: "per SM" };
const AXES: [Quantity; 3] = [
    Quantity { what: "the block's size along x", unit: "thread", per: "along x" },
    Quantity { what: "the block's size along y", unit: "thread", per: "along y" },
    Quantity { what: "the block's size along z", unit: "thread", per: "along z" },
];

/// Where an attribute's arguments are checked.
type Handler = fn(&mut Checker<'_>, &Attribute);

/// Every attribute of a kernel: its name, how it is written, what checks its arguments.
const TABLE: &[(&str, &str, Handler)] = &[
    ("launch_bounds", "launch_bounds(max_threads[, min_blocks])", |checker, it| checker.launch_bounds(it)),
    ("block", "block(x[, y[, z]])", |checker, it| checker.block(it)),
    ("fp_contract", "fp_contract(off)", |checker, it| checker.fp_contract(it)),
    ("instances", "instances(T = [f32, f64], N = [128, 256])", |checker, it| {
        checker.instances.clone_from(&it.instances);
    }),
];

/// Attributes that the language will have.
const PLANNED: &[&str] =
    &["cluster", "maxnreg", "arch", "tune", "coarsen", "fast_math", "index", "checks", "occupancy", "spills"];

/// Reads the attributes. What is wrong is in the diagnostics and left out of the result.
pub fn parse_attrs(attr: TokenStream, diagnostics: &mut Diagnostics) -> (KernelAttrs, Option<Instances>) {
    let mut checker = Checker { diagnostics, attrs: KernelAttrs::default(), instances: None };
    match Punctuated::<Attribute, syn::Token![,]>::parse_terminated.parse2(attr) {
        Ok(attributes) => checker.all(&attributes.into_iter().collect::<Vec<_>>()),
        Err(error) => {
            checker.diagnostics.syntax(&error);
            checker.instances = Some(Instances::broken(error.span().into()));
        }
    }
    (checker.attrs, checker.instances)
}

/// Reads the arguments of `#[kernel_module(link(…))]`: the paths of the libraries.
pub fn parse_links(attr: TokenStream, diagnostics: &mut Diagnostics) -> Vec<syn::Path> {
    let links = |input: ParseStream| {
        let mut paths = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.call(syn::ext::IdentExt::parse_any)?;
            if name != "link" {
                let message = format!(
                    "expected `link(library)`, found `{name}`\nhelp: attributes of a kernel stand on the kernel"
                );
                return Err(syn::Error::new(name.span(), message));
            }
            let content;
            syn::parenthesized!(content in input);
            paths.extend(content.call(Punctuated::<syn::Path, syn::Token![,]>::parse_terminated)?);
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(paths)
    };
    links.parse2(attr).unwrap_or_else(|error| {
        diagnostics.syntax(&error);
        Vec::new()
    })
}

/// `name` or `name(arguments)`
struct Attribute {
    name: Ident,
    args: Vec<syn::Expr>,
    /// What is between the parentheses of `instances`.
    instances: Option<Instances>,
    loc: Loc,
}

impl Parse for Attribute {
    fn parse(input: ParseStream) -> syn::Result<Attribute> {
        if input.peek(syn::Lit) {
            let message = format!(
                "expected an attribute of kernels, found a literal\nhelp: the attributes are {}",
                names()
            );
            return Err(input.error(message));
        }
        let name: Ident = input.call(syn::ext::IdentExt::parse_any)?;
        if input.peek(syn::Token![=]) {
            let message =
                format!("expected `(` after `{name}`, found `=`\nhelp: the attributes are {}", names());
            return Err(input.error(message));
        }
        let mut attribute = Attribute { args: Vec::new(), instances: None, loc: (&name).into(), name };
        if input.peek(syn::token::Paren) {
            let content;
            let parens = syn::parenthesized!(content in input);
            attribute.loc = Loc::between(&attribute.name, parens.span.close());
            if attribute.name == "instances" {
                attribute.instances = Some(Instances::parse(&content, attribute.loc)?);
            } else {
                let args = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated(&content)?;
                attribute.args = args.into_iter().collect();
            }
        }
        Ok(attribute)
    }
}

struct Checker<'d> {
    diagnostics: &'d mut Diagnostics,
    attrs: KernelAttrs,
    instances: Option<Instances>,
}

impl Checker<'_> {
    fn all(&mut self, attributes: &[Attribute]) {
        for (index, attribute) in attributes.iter().enumerate() {
            let name = attribute.name.to_string();
            let Some((_, _, handler)) = TABLE.iter().find(|row| row.0 == name) else {
                self.unknown(attribute, &name);
                continue;
            };
            if attributes[..index].iter().any(|earlier| earlier.name == name) {
                let message = format!(
                    "expected each attribute once, found `{name}` again\nhelp: leave one of them out"
                );
                self.diagnostics.error(&attribute.name, message);
                continue;
            }
            handler(self, attribute);
        }
        let block = attributes.iter().find(|attribute| attribute.name == "block");
        if let (Some(block), Some(shape), Some(max)) = (block, self.attrs.block, self.attrs.max_threads) {
            let threads: u32 = shape.iter().product();
            if threads > max {
                let message = format!(
                    "expected at most {max} threads per block, as `launch_bounds({max})` says, found `block` with \
                     {threads}\nhelp: make the block smaller or write `launch_bounds({threads})`"
                );
                self.diagnostics.error(block.loc, message);
            }
        }
    }

    fn unknown(&mut self, attribute: &Attribute, name: &str) {
        let message = if PLANNED.contains(&name) {
            format!("`{name}` is not supported yet\nhelp: leave it out")
        } else {
            let help = match did_you_mean(name, TABLE.iter().map(|row| row.0)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the attributes are {}", names()),
            };
            format!("expected an attribute of kernels, found `{name}`\nhelp: {help}")
        };
        self.diagnostics.error(&attribute.name, message);
    }

    /// Refuses too few and too many arguments.
    fn count(&mut self, attribute: &Attribute, least: usize, most: usize) -> bool {
        let found = attribute.args.len();
        let loc = match (attribute.args.get(most), attribute.args.last()) {
            (Some(first), Some(last)) => Loc::between(Loc::of(first), Loc::of(last)),
            _ if found < least => attribute.loc,
            _ => return true,
        };
        let expected = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let name = attribute.name.to_string();
        let usage = TABLE.iter().find(|row| row.0 == name).map_or("", |row| row.1);
        let plural = if most == 1 { "" } else { "s" };
        let message =
            format!("expected {expected} argument{plural} to `{name}`, found {found}\nhelp: write `{usage}`");
        self.diagnostics.error(loc, message);
        false
    }

    /// A constant within bounds.
    fn number(&mut self, expr: &syn::Expr, quantity: &Quantity, most: u32) -> Option<u32> {
        let Quantity { what, unit, per } = quantity;
        let value = match evaluate(expr) {
            Ok(value) => value,
            Err((loc, found)) => {
                let message = format!("expected {what}, a constant integer, found {found}");
                self.diagnostics.error(loc, message);
                return None;
            }
        };
        let message = if value < 1 {
            format!("expected at least 1 {unit} {per}, found {value}\nhelp: write a number from 1 to {most}")
        } else if value > i128::from(most) {
            format!(
                "expected at most {most} {unit}s {per}, found {value}\nhelp: write a number from 1 to {most}"
            )
        } else {
            return u32::try_from(value).ok();
        };
        self.diagnostics.error(Loc::of(expr), message);
        None
    }

    fn launch_bounds(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 2) {
            return;
        }
        let max = self.number(&attribute.args[0], &THREADS, MAX_THREADS_PER_BLOCK);
        let min = match attribute.args.get(1) {
            Some(expr) => match evaluate(expr).map(u32::try_from) {
                // Too many for any SM, whatever the number is: said below.
                Ok(Ok(blocks)) => Some((expr, blocks)),
                Ok(Err(_)) | Err(_) => {
                    self.number(expr, &BLOCKS, 32);
                    None
                }
            },
            None => None,
        };
        self.attrs.max_threads = max;
        let (Some(max), Some((expr, blocks))) = (max, min) else { return };
        match check_launch_bounds(max, blocks, &[]) {
            Ok(()) => self.attrs.min_blocks = Some(blocks),
            Err(
                error @ (LaunchBoundsError::NoBlocks
                | LaunchBoundsError::NoThreads
                | LaunchBoundsError::TooManyThreads { .. }
                | LaunchBoundsError::BeyondSm { .. }),
            ) => self.diagnostics.error(Loc::of(expr), error.to_string()),
        }
    }

    fn block(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 3) {
            return;
        }
        let mut shape = [1; 3];
        let mut valid = true;
        for (axis, expr) in attribute.args.iter().enumerate() {
            match self.number(expr, &AXES[axis], MAX_BLOCK[axis]) {
                Some(size) => shape[axis] = size,
                None => valid = false,
            }
        }
        let threads: u32 = shape.iter().product();
        if valid && threads > MAX_THREADS_PER_BLOCK {
            let message = format!(
                "expected at most {MAX_THREADS_PER_BLOCK} threads per block, found {} = {threads}\nhelp: make the block \
                 smaller",
                shape.map(|size| size.to_string()).join(" × ")
            );
            self.diagnostics.error(attribute.loc, message);
            valid = false;
        }
        self.attrs.block = valid.then_some(shape);
    }

    fn fp_contract(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 1) {
            return;
        }
        let arg = &attribute.args[0];
        let written = shown(arg);
        match written.as_str() {
            "off" => self.attrs.fp_contract_off = true,
            "on" | "fast" => self.diagnostics.error(
                Loc::of(arg),
                format!(
                    "expected `off`, found `{written}`\nhelp: leave `fp_contract` out: contraction is on by default"
                ),
            ),
            _ => self.diagnostics.error(
                Loc::of(arg),
                format!("expected `off`, found `{written}`\nhelp: write `fp_contract(off)`"),
            ),
        }
    }
}

fn names() -> String {
    TABLE.iter().map(|row| format!("`{}`", row.1)).collect::<Vec<_>>().join(", ")
}

/// The value of a constant expression of integer literals; else where it is none, and what was found there.
fn evaluate(expr: &syn::Expr) -> Result<i128, (Loc, String)> {
    use syn::{BinOp, Expr, Lit, UnOp};
    let refuse = |found: String| Err((Loc::of(expr), found));
    match expr {
        Expr::Paren(inner) => evaluate(&inner.expr),
        Expr::Group(inner) => evaluate(&inner.expr),
        Expr::Lit(inner) => match &inner.lit {
            Lit::Int(lit) => match lit.base10_parse() {
                Ok(value) => Ok(value),
                Err(_) => refuse(format!("`{lit}`, which is too large\nhelp: write a smaller number")),
            },
            Lit::Float(lit) => refuse(format!("the float `{lit}`\nhelp: write an integer")),
            other => refuse(format!("`{}`\nhelp: write an integer", shown(other))),
        },
        Expr::Unary(inner) if matches!(inner.op, UnOp::Neg(_)) => Ok(evaluate(&inner.expr)?.saturating_neg()),
        Expr::Binary(inner) => {
            let (a, b) = (evaluate(&inner.left)?, evaluate(&inner.right)?);
            let value = match inner.op {
                BinOp::Add(_) => a.checked_add(b),
                BinOp::Sub(_) => a.checked_sub(b),
                BinOp::Mul(_) => a.checked_mul(b),
                BinOp::Div(_) => a.checked_div(b),
                BinOp::Rem(_) => a.checked_rem(b),
                BinOp::Shl(_) => {
                    u32::try_from(b).ok().and_then(|b| 1i128.checked_shl(b)).and_then(|p| a.checked_mul(p))
                }
                BinOp::Shr(_) => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)),
                _ => {
                    return refuse(format!("the operator `{}`\nhelp: write the number", shown(&inner.op)));
                }
            };
            match value {
                Some(value) => Ok(value),
                None => refuse("an expression that overflows\nhelp: write the number".to_owned()),
            }
        }
        Expr::Path(inner) => {
            let name = shown(&inner.path);
            refuse(format!(
                "the name `{name}`, whose value is not known when the kernel is compiled\nhelp: write the number"
            ))
        }
        other => {
            let found = shown(other);
            Err((Loc::between(other.span(), Loc::of(other)), format!("`{found}`\nhelp: write the number")))
        }
    }
}
