//! The arguments of `#[kernel(…)]`: the table of attributes, and the parser that reads them.
//!
//! The files of `attrs/` check the meaning of the attributes: each one as it is read, then all of them against each other,
//! once the last one is read.

mod arch;
mod arithmetic;
mod coarsen;
mod instances;
mod launch;
mod links;
mod number;
mod promises;
mod tune;

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use ptx::target::Arch;
use ptx_gen::ir::LaunchBounds;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;

use crate::diagnostics::{Diagnostics, Loc, did_you_mean};
use crate::parse::attributes::place_in_body;

pub use instances::Instances;
pub use links::parse_links;
pub use number::evaluate;
pub use tune::{PerThread, Tune, TunedBlock};

/// The attributes of a kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelAttrs {
    /// `launch_bounds(…)`, `block(…)`, `cluster(…)`, `cooperative`, `maxnreg(…)`
    pub bounds: LaunchBounds,
    /// `arch(…)`: the architectures in ascending order, and where each is written. Empty if it is left out.
    pub archs: Vec<(Arch, Loc)>,
    /// `occupancy(min = …)`: the part of an SM's warps that every launch must be able to fill, above 0 and at most 1.
    pub min_occupancy: Option<f32>,
    /// `spills(0)`: no register may spill to memory.
    pub no_spills: bool,
    /// `fp_contract(off)`: `a * b + c` stays two operations.
    pub fp_contract_off: bool,
    /// `coarsen(n)`: the elements that a thread does, a power of two up to 16; with 1 it does one in every launch.
    pub coarsen: Option<u32>,
    /// `fast_math`: `f32` is approximated and flushed as by CUDA's `-use_fast_math`.
    pub fast_math: bool,
    /// `index(u64)`: lengths of slices and indices of threads may need more than 32 bits.
    pub wide_index: bool,
    /// `checks(overflow)`: integers that overflow panic.
    pub overflow_checks: bool,
    /// `deny_checks`: no check may remain once the launch guards hold.
    pub deny_checks: bool,
    /// `disjoint`: `&mut [T]` parameters are accessed in parts that one thread has for itself.
    pub disjoint: bool,
    /// `tune(…)`: what the runtime times.
    pub tune: Option<Tune>,
    /// The location of each attribute, by its name.
    pub written: BTreeMap<String, Loc>,
    /// Attributes that bound launches, where one of them names a generic parameter: each instance has bounds of its own.
    pub open: OpenBounds,
}

impl KernelAttrs {
    /// The architectures that are named.
    pub fn arch_names(&self) -> Vec<Arch> {
        self.archs.iter().map(|&(arch, _)| arch).collect()
    }
}

/// Attributes that bound launches and name generic parameters; none in most kernels.
#[derive(Clone, Default)]
pub struct OpenBounds(Vec<Attribute>);

impl std::fmt::Debug for OpenBounds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|attribute| attribute.name.to_string())).finish()
    }
}

/// A constant generic parameter and its value in one instance.
pub type ConstArg = (String, i128);

impl KernelAttrs {
    /// Gives the attributes that name generic parameters their meaning in an instance with these values.
    pub fn close(&mut self, values: &[ConstArg], diagnostics: &mut Diagnostics) {
        let OpenBounds(attributes) = std::mem::take(&mut self.open);
        if attributes.is_empty() {
            return;
        }
        let attrs = KernelAttrs { bounds: LaunchBounds::default(), ..std::mem::take(self) };
        let mut checker =
            Checker { diagnostics, attrs, instances: None, generics: &[], values, is_open: false };
        for attribute in &attributes {
            if let Some((.., handler)) = TABLE.iter().find(|row| attribute.name == row.0) {
                handler(&mut checker, attribute);
            }
        }
        checker.check_launch(&attributes);
        *self = checker.attrs;
    }
}

/// Function that checks an attribute's arguments.
type Handler = fn(&mut Checker<'_>, &Attribute);

/// Every attribute of a kernel: its name, how it is written, what checks its arguments.
const TABLE: &[(&str, &str, Handler)] = &[
    ("launch_bounds", "launch_bounds(max_threads[, min_blocks[, max_cluster]])", |checker, it| {
        checker.launch_bounds(it);
    }),
    ("block", "block(x[, y[, z]])", |checker, it| checker.block(it)),
    ("cluster", "cluster(x[, y[, z]])", |checker, it| checker.cluster(it)),
    ("nonportable_cluster", "nonportable_cluster", |checker, it| checker.nonportable_cluster(it)),
    ("cooperative", "cooperative", |checker, it| checker.cooperative(it)),
    ("maxnreg", "maxnreg(registers)", |checker, it| checker.max_registers(it)),
    ("arch", "arch(sm_80, sm_90a)", |checker, it| checker.arch(it)),
    ("occupancy", "occupancy(min = 0.5)", |checker, it| checker.occupancy(it)),
    ("spills", "spills(0)", |checker, it| checker.spills(it)),
    ("fp_contract", "fp_contract(off)", |checker, it| checker.fp_contract(it)),
    ("coarsen", "coarsen(4)", |checker, it| checker.coarsen(it)),
    ("fast_math", "fast_math", |checker, it| checker.fast_math(it)),
    ("index", "index(u64)", |checker, it| checker.index(it)),
    ("checks", "checks(overflow)", |checker, it| checker.checks(it)),
    ("deny_checks", "deny_checks", |checker, it| checker.deny_checks(it)),
    ("disjoint", "disjoint", |checker, it| checker.disjoint(it)),
    ("instances", "instances(T = [f32, f64], N = [128, 256])", |checker, it| {
        checker.instances.clone_from(&it.instances);
    }),
    ("tune", "tune(N = [1, 2, 4], block = [128, 256])", |checker, it| checker.tune(it)),
];

/// Attributes, and their names in OpenCL, WGSL, HIP, SPIR-V, PTX, Numba and Triton.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "block(256)",
        &[
            "workgroup_size",
            "local_size",
            "reqd_work_group_size",
            "reqntid",
            "threads",
            "numthreads",
            "block_size",
            "block_dim",
            "cube_dim",
        ],
    ),
    ("launch_bounds(256)", &["__launch_bounds__", "maxntid", "max_threads", "amdgpu_flat_work_group_size"]),
    ("launch_bounds(256, 2)", &["minnctapersm", "min_blocks"]),
    ("maxnreg(64)", &["maxrregcount", "max_registers", "__maxnreg__", "num_regs"]),
    ("cluster(2)", &["__cluster_dims__", "cluster_dims", "cluster_size", "reqnctapercluster"]),
    ("fast_math", &["fastmath", "use_fast_math", "fast"]),
];

/// Reads the attributes of a kernel with these constant generic parameters. What is wrong is in the diagnostics and left out of the result.
pub fn parse_attrs(
    attr: TokenStream,
    generics: &[String],
    diagnostics: &mut Diagnostics,
) -> (KernelAttrs, Option<Instances>) {
    let attrs = KernelAttrs::default();
    let mut checker = Checker { diagnostics, attrs, instances: None, generics, values: &[], is_open: false };
    let names_tune = attr.clone().into_iter().any(|tree| tree.to_string() == "tune");
    match Punctuated::<Attribute, syn::Token![,]>::parse_terminated.parse2(attr) {
        Ok(attributes) => checker.all(&attributes.into_iter().collect::<Vec<_>>()),
        Err(error) => {
            checker.diagnostics.syntax(&error);
            let loc = error.span().into();
            checker.instances = Some(Instances::broken(loc));
            checker.attrs.tune = names_tune.then(|| Tune::broken(loc));
        }
    }
    (checker.attrs, checker.instances)
}

/// The names of the constant generic parameters.
pub fn const_params(sig: &syn::Signature) -> Vec<String> {
    let names = sig.generics.const_params().map(|param| param.ident.to_string());
    names.collect()
}

/// `name` or `name(arguments)`
#[derive(Clone)]
struct Attribute {
    name: Ident,
    args: Vec<syn::Expr>,
    /// The arguments of `instances(…)`.
    instances: Option<Instances>,
    /// The arguments of `tune(…)`.
    tune: Option<tune::Written>,
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
            let value = input.fork();
            let value = value.parse::<syn::Token![=]>().and_then(|_| value.parse::<syn::Expr>()).ok();
            let value = value.filter(|value| {
                !matches!(
                    value,
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_) | syn::Lit::Bool(_), .. })
                )
            });
            let form = TABLE.iter().find(|row| name == row.0).map(|row| row.1);
            let help = match (form, value) {
                (None, _) => format!("the attributes are {}", names()),
                (Some(form), Some(value)) if form.contains('(') && !form.contains('=') => {
                    format!("write `{name}({})`", crate::diagnostics::shown(&value).trim_matches(['(', ')']))
                }
                (Some(form), _) => format!("write `{form}`"),
            };
            return Err(input.error(format!("expected `(` after `{name}`, found `=`\nhelp: {help}")));
        }
        let mut attribute =
            Attribute { args: Vec::new(), instances: None, tune: None, loc: (&name).into(), name };
        if input.peek(syn::token::Paren) {
            let content;
            let parens = syn::parenthesized!(content in input);
            attribute.loc = Loc::between(&attribute.name, parens.span.close());
            if attribute.name == "instances" {
                attribute.instances = Some(Instances::parse(&content, attribute.loc)?);
            } else if attribute.name == "tune" {
                attribute.tune = Some(tune::Written::parse(&content)?);
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
    /// Constant generic parameters, whose values are not known yet.
    generics: &'d [String],
    /// Those whose values are known.
    values: &'d [ConstArg],
    /// A bound of launches names one of `generics`.
    is_open: bool,
}

impl Checker<'_> {
    fn all(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            let name = attribute.name.to_string();
            let Some((_, _, handler)) = TABLE.iter().find(|row| row.0 == name) else {
                self.unknown(attribute, &name);
                continue;
            };
            if self.attrs.written.contains_key(&name) {
                let message = format!(
                    "expected each attribute once, found `{name}` again\nhelp: leave one of them out"
                );
                self.diagnostics.error(&attribute.name, message);
                continue;
            }
            self.attrs.written.insert(name, attribute.loc);
            handler(self, attribute);
        }
        if self.is_open {
            let bounds = attributes
                .iter()
                .filter(|attribute| launch::BOUNDS.iter().any(|name| attribute.name == name));
            self.attrs.open = OpenBounds(bounds.cloned().collect());
        } else {
            self.check_launch(attributes);
        }
        self.check_arch();
        self.check_tune(attributes);
    }

    fn unknown(&mut self, attribute: &Attribute, name: &str) {
        let near = did_you_mean(name, TABLE.iter().map(|row| row.0));
        let elsewhere = ELSEWHERE.iter().find(|(_, names)| names.contains(&name));
        let help = match (place_in_body(name), near) {
            _ if let Some((here, _)) = elsewhere => match (here.split_once('('), &attribute.args[..]) {
                (Some((here, one)), [arg]) if !one.contains(',') => {
                    format!("write `{here}({})`", arg.to_token_stream())
                }
                _ => format!("write `{here}`"),
            },
            (Some(place), _) => format!("put `#[{name}]` into the body, directly before {place}"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("the attributes are {}", names()),
        };
        let message = format!("expected an attribute of kernels, found `{name}`\nhelp: {help}");
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
}

fn names() -> String {
    TABLE.iter().map(|row| format!("`{}`", row.1)).collect::<Vec<_>>().join(", ")
}
