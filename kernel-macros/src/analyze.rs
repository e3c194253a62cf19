//! The front end: from the tokens of an attribute and its item to the typed tree.

use std::collections::HashSet;

use proc_macro2::TokenStream;

use crate::ast::Program;
use crate::attrs::{Tune, const_params, parse_attrs};
use crate::called::mark_called;
use crate::chains::split_reductions;
use crate::check::check;
use crate::closed::Closed;
use crate::closure_copies;
use crate::copy::check_copy;
use crate::device::library;
use crate::diagnostics::{Diagnostic, Diagnostics, Mistakes, once_each};
use crate::parse::{
    Item, Library, Param, ParsedModule, check_library, params, parse_kernel, parse_library, parse_module,
};
use crate::partitions;
use crate::resolve::resolve;
use crate::typed;

/// The result of analysing the tokens of one macro call.
pub struct Analysis {
    /// Every mistake. If there is any, no kernel has instances.
    pub errors: Vec<Diagnostic>,
    /// The kernels: one of `#[kernel]`, any number of `#[kernel_module]`; none if the tokens hold no function.
    pub kernels: Vec<AnalyzedKernel>,
    /// An operator is a call of a function of the device library that was not read: nothing else holds then.
    lacks_comparisons: bool,
}

/// A kernel as far as it could be understood.
pub struct AnalyzedKernel {
    /// The signature that callers see.
    pub signature: Signature,
    /// `tune(…)`: what launches leave open.
    pub tune: Option<Tune>,
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
    with_what_it_needs(|asked| ((), analyze_with(attr.clone(), item.clone(), asked))).1
}

/// Analyses a program, to which these names of parts of the device library are added that take a while to parse, once more with each
/// part that it turns out to need: with the functions behind its comparisons if one of them is such a call, and with the iterators if
/// it has mistakes without them (an `Option` in a `for`, a method of a range). The mistakes reported are those without iterators.
fn with_what_it_needs<M>(analyze: impl Fn(&[&str]) -> (M, Analysis)) -> (M, Analysis) {
    let with_comparisons = |asked: &[&str]| {
        let first = analyze(asked);
        match first.1.lacks_comparisons {
            true => analyze(&[asked, &[library::COMPARISONS]].concat()),
            false => first,
        }
    };
    let first = with_comparisons(&[]);
    if first.1.errors.is_empty() {
        return first;
    }
    let second = with_comparisons(&[library::ITERATOR]);
    if second.1.errors.is_empty() { second } else { first }
}

fn analyze_with(attr: TokenStream, item: TokenStream, asked: &[&str]) -> Analysis {
    let mut diagnostics = Diagnostics::default();
    let item: syn::Result<Item> = syn::parse2(item);
    let generics = item.as_ref().map(|item| const_params(&item.sig)).unwrap_or_default();
    let (attrs, instances) = parse_attrs(attr, &generics, &mut diagnostics);
    let item = match item {
        Ok(item) => item,
        Err(error) => {
            diagnostics.syntax(&error);
            let errors = diagnostics.into_errors();
            return Analysis { errors, kernels: Vec::new(), lacks_comparisons: false };
        }
    };
    let mut program = parse_kernel(&item, attrs, instances.as_ref(), &mut diagnostics);
    program.mentioned.extend(asked.iter().map(|name| (*name).to_owned()));
    finish(program, std::slice::from_ref(&item), &Closed::new(Vec::new(), []), diagnostics)
}

/// Runs the phases on `#[kernel_module] item`, and marks what kernels call in its libraries. The errors of `diagnostics` are among those of the result.
pub fn analyze_module(
    mut item: syn::ItemMod,
    libraries: &mut [Library],
    diagnostics: Diagnostics,
) -> (ParsedModule, Analysis) {
    mark_called(&mut item, libraries);
    let libraries = &*libraries;
    with_what_it_needs(|asked| {
        let mut diagnostics = diagnostics.clone();
        let (module, mut program) = parse_module(item.clone(), libraries, &mut diagnostics);
        program.mentioned.extend(asked.iter().map(|name| (*name).to_owned()));
        let links = libraries.iter().map(|library| library.path.clone()).collect();
        let closed = Closed::of_module(links, &module.name, &module.source);
        let analysis = finish(program, &module.kernels, &closed, diagnostics);
        (module, analysis)
    })
}

/// The mistakes in a `#[device_library]` that show without a kernel that uses it.
pub fn analyze_library(
    item: syn::ItemMod,
    libraries: &[Library],
    mut diagnostics: Diagnostics,
) -> Vec<Diagnostic> {
    let mut program = check_library(item, libraries, &mut diagnostics);
    if diagnostics.finish().is_ok() {
        load_library(&mut program, &mut diagnostics);
        resolve(&program, &mut diagnostics);
    }
    diagnostics.into_errors()
}

/// The mistakes that parsing and resolution find in a `#[kernel]` or a `#[kernel_module]`.
#[cfg(test)]
pub fn resolved(attr: TokenStream, item: TokenStream) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::default();
    let program = match syn::parse2::<syn::ItemMod>(item.clone()) {
        Ok(mut module) => {
            mark_called(&mut module, &mut []);
            Ok(parse_module(module, &[], &mut diagnostics).1)
        }
        Err(_) => syn::parse2(item).map(|item: Item| {
            let (attrs, instances) = parse_attrs(attr, &const_params(&item.sig), &mut diagnostics);
            parse_kernel(&item, attrs, instances.as_ref(), &mut diagnostics)
        }),
    };
    match program {
        Ok(mut program) if diagnostics.finish().is_ok() => {
            load_library(&mut program, &mut diagnostics);
            resolve(&program, &mut diagnostics);
        }
        Ok(_) => {}
        Err(error) => diagnostics.syntax(&error),
    }
    diagnostics.into_errors()
}

/// Runs the phases after parsing. The items are those of the program's kernels, in order.
fn finish(mut program: Program, items: &[Item], closed: &Closed, mut diagnostics: Diagnostics) -> Analysis {
    let mut instances = phases(&mut program, &mut diagnostics).unwrap_or_default();
    instances.resize_with(items.len(), Vec::new);
    let mistakes = diagnostics.count();
    for (item, instances) in items.iter().zip(&mut instances) {
        close_bounds(item, instances, &mut diagnostics);
    }
    if diagnostics.count() > mistakes {
        instances.iter_mut().for_each(Vec::clear);
    }
    let kernels = items.iter().zip(instances).enumerate().map(|(index, (item, instances))| {
        let tune = program.kernels.get(index).and_then(|kernel| kernel.attrs.tune.clone());
        let signature = Signature {
            outer: item.outer.clone(),
            vis: item.vis.clone(),
            sig: item.sig.clone(),
            params: params(&item.sig),
        };
        // The types of a generic kernel's variables differ from instance to instance.
        let typed = match &instances[..] {
            [only] if only.instance.is_empty() => Some(only.entry()),
            _ => None,
        };
        let copy = check_copy(item, typed, closed);
        AnalyzedKernel { signature, tune, instances, copy }
    });
    Analysis {
        kernels: kernels.collect(),
        errors: once_each(diagnostics.into_errors()),
        lacks_comparisons: program.lacks_comparisons.get(),
    }
}

/// Gives launch bounds that name generic parameters their values in each instance.
fn close_bounds(item: &Item, instances: &mut [typed::Kernel], diagnostics: &mut Diagnostics) {
    let params: Vec<&syn::GenericParam> = item
        .sig
        .generics
        .params
        .iter()
        .filter(|param| !matches!(param, syn::GenericParam::Lifetime(_)))
        .collect();
    for kernel in instances {
        let values =
            params.iter().zip(&kernel.instance).filter_map(|(param, argument)| match (param, argument) {
                (syn::GenericParam::Const(param), typed::GenericArg::Const(value)) => {
                    Some((param.ident.to_string(), value.integer()))
                }
                _ => None,
            });
        let values: Vec<_> = values.collect();
        kernel.attrs.close(&values, diagnostics);
    }
}

/// The instances of each kernel.
fn phases(program: &mut Program, diagnostics: &mut Diagnostics) -> Result<Vec<Vec<typed::Kernel>>, Mistakes> {
    diagnostics.finish()?;
    load_library(program, diagnostics);
    let names = resolve(program, diagnostics);
    let instances = program.kernels.iter().map(|kernel| {
        let of_kernel =
            kernel.instances.iter().map(|instance| check(program, &names, kernel, instance, diagnostics));
        of_kernel.collect()
    });
    let mut instances: Vec<Vec<typed::Kernel>> = instances.collect();
    diagnostics.finish()?;
    instances.iter_mut().flatten().for_each(|kernel| closure_copies::check(kernel, diagnostics));
    instances.iter_mut().flatten().for_each(|kernel| partitions::check(kernel, diagnostics));
    diagnostics.finish()?;
    instances.iter_mut().flatten().for_each(|kernel| split_reductions(kernel, diagnostics));
    diagnostics.finish()?;
    Ok(instances)
}

/// Adds the items of the device library that the program may need, and those that they need in turn.
fn load_library(program: &mut Program, diagnostics: &mut Diagnostics) {
    let mut loaded = HashSet::new();
    parse_library(program, library::RESULT, diagnostics);
    if library::needs_iterators(|name| program.mentioned.contains(name)) {
        parse_library(program, library::ITERATORS, diagnostics);
    }
    let mentions =
        |program: &Program, names: &[&str]| names.iter().any(|name| program.mentioned.contains(*name));
    let (mut tiles, mut parsed) = (false, HashSet::new());
    loop {
        for (names, text) in library::BY_NAME {
            if mentions(program, names) && parsed.insert(*text) {
                parse_library(program, text, diagnostics);
            }
        }
        if !tiles && library::TILE_TYPES.iter().any(|row| program.mentioned.contains(&row.path())) {
            tiles = true;
            let of_floats = match mentions(program, library::FLOATS_OF_8_BITS) {
                true => library::TILES_OF_FLOATS,
                false => "",
            };
            parse_library(program, &[library::TILES, of_floats].concat(), diagnostics);
        }
        if program.mentioned.contains(library::COMPARISONS) {
            program.mentioned.extend(program.compared.iter().map(|name| (*name).to_owned()));
        }
        let items = library::items_for(&program.mentioned);
        let new: Vec<&str> =
            items.iter().filter(|item| loaded.insert(item.name)).map(|item| item.text).collect();
        if new.is_empty() {
            return;
        }
        parse_library(program, &new.join("\n"), diagnostics);
    }
}
