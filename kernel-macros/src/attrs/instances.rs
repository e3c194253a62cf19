//! `instances(T = [f32, f64], N = [128, 256])`: with which arguments a generic kernel is compiled.

use proc_macro2::Ident;
use syn::Token;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::Tune;
use crate::diagnostics::{Diagnostics, Loc, did_you_mean};

/// More instances than these are a mistake: each is compiled while rustc runs.
const MOST: usize = 256;

/// The arguments of `instances(…)`: a list for each parameter, which stand for their Cartesian product, or the instances as tuples.
#[derive(Clone)]
pub struct Instances {
    /// `T = [f32, f64]`
    lists: Vec<(Ident, Vec<syn::GenericArgument>)>,
    /// `(f32, 128)`
    tuples: Vec<(Loc, Vec<syn::GenericArgument>)>,
    loc: Loc,
    /// Part of a mistake that was reported.
    broken: bool,
}

impl Instances {
    /// Stands for what could not be read.
    pub fn broken(loc: Loc) -> Instances {
        Instances { lists: Vec::new(), tuples: Vec::new(), loc, broken: true }
    }

    /// Of a kernel without `instances(…)` all of whose parameters are tuned.
    pub fn none(loc: Loc) -> Instances {
        Instances { lists: Vec::new(), tuples: Vec::new(), loc, broken: false }
    }

    /// Reads what is between the parentheses.
    pub fn parse(input: ParseStream, loc: Loc) -> syn::Result<Instances> {
        let mut instances = Instances { lists: Vec::new(), tuples: Vec::new(), loc, broken: false };
        while !input.is_empty() {
            let content;
            if input.peek(syn::token::Paren) {
                let parens = syn::parenthesized!(content in input);
                let at = Loc::between(parens.span.open(), parens.span.close());
                instances.tuples.push((at, arguments(&content)?));
            } else {
                let name: Ident = input.parse()?;
                if !input.peek(Token![=]) {
                    let message = format!("expected `=` after `{name}`\nhelp: write `{name} = […]`");
                    return Err(input.error(message));
                }
                input.parse::<Token![=]>()?;
                if !input.peek(syn::token::Bracket) {
                    let message =
                        format!("expected a list of what `{name}` may be\nhelp: write `{name} = […]`");
                    return Err(input.error(message));
                }
                syn::bracketed!(content in input);
                instances.lists.push((name, arguments(&content)?));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(instances)
    }

    /// The arguments of each instance, in the order of the kernel's parameters; `None` after a mistake. What is tuned
    /// changes fastest: the instances among which one launch chooses stand together.
    pub fn rows(
        &self,
        params: &[&Ident],
        tune: Option<&Tune>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Vec<syn::GenericArgument>>> {
        if self.broken || tune.is_some_and(|tune| tune.is_broken) {
            return None;
        }
        let before = diagnostics.count();
        let tuned: &[(Ident, Vec<syn::GenericArgument>)] = tune.map_or(&[], |tune| &tune.lists);
        let is_tuned = |param: &Ident| tuned.iter().any(|(name, _)| name == param);
        for (name, _) in self.lists.iter().filter(|(name, _)| is_tuned(name)) {
            let message = format!(
                "expected `{name}` in one list, found it in `instances` and in `tune`\nhelp: leave it in `tune` to have \
                 it chosen, or in `instances` to have the launch say it"
            );
            diagnostics.error(name, message);
        }
        let open: Vec<&Ident> = params.iter().copied().filter(|param| !is_tuned(param)).collect();
        let rows = if diagnostics.count() > before {
            Vec::new()
        } else if self.tuples.is_empty() {
            self.product(&open, diagnostics)
        } else {
            self.listed(&open, diagnostics)
        };
        let rows = with_tuned(rows, &open, params, tuned);
        if diagnostics.count() > before {
            return None;
        }
        if rows.is_empty() || rows.len() > MOST {
            let help = match tuned {
                [] => "list the arguments that are used: `instances(T = [f32, f64])`",
                _ => "list fewer values: each combination is compiled",
            };
            let message = format!("expected 1 to {MOST} instances, found {}\nhelp: {help}", rows.len());
            diagnostics.error(self.loc, message);
            return None;
        }
        Some(rows)
    }

    fn listed(&self, params: &[&Ident], diagnostics: &mut Diagnostics) -> Vec<Vec<syn::GenericArgument>> {
        if let Some((name, _)) = self.lists.first() {
            let message =
                "expected either lists or instances one by one, found both\nhelp: put this into each of them";
            diagnostics.error(name, message);
        }
        for (loc, tuple) in &self.tuples {
            if tuple.len() != params.len() {
                let names: Vec<String> = params.iter().map(ToString::to_string).collect();
                let message = format!(
                    "expected {} argument{}, found {}\nhelp: write one for each of `{}`",
                    params.len(),
                    if params.len() == 1 { "" } else { "s" },
                    tuple.len(),
                    names.join("`, `")
                );
                diagnostics.error(*loc, message);
            }
        }
        self.tuples.iter().map(|(_, tuple)| tuple.clone()).collect()
    }

    fn product(&self, params: &[&Ident], diagnostics: &mut Diagnostics) -> Vec<Vec<syn::GenericArgument>> {
        for (index, (name, _)) in self.lists.iter().enumerate() {
            if self.lists[..index].iter().any(|earlier| earlier.0 == *name) {
                let message =
                    format!("expected each parameter once, found `{name}` again\nhelp: make it one list");
                diagnostics.error(name, message);
            } else if !params.contains(&name) {
                let known: Vec<String> = params.iter().map(ToString::to_string).collect();
                let help = match did_you_mean(&name.to_string(), known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if known.is_empty() => "the kernel is not generic: leave `instances` out".to_owned(),
                    None => format!("the parameters are `{}`", known.join("`, `")),
                };
                let message =
                    format!("expected a generic parameter of the kernel, found `{name}`\nhelp: {help}");
                diagnostics.error(name, message);
            }
        }
        let known = |row: &(Ident, _)| params.contains(&&row.0);
        if !self.lists.iter().all(known) {
            return Vec::new();
        }
        let mut rows = vec![Vec::new()];
        for param in params {
            let Some((name, list)) = self.lists.iter().find(|row| row.0 == **param) else {
                let message = format!(
                    "expected a list for the parameter `{param}`, found none\nhelp: add `{param} = […]`"
                );
                diagnostics.error(self.loc, message);
                continue;
            };
            if list.is_empty() {
                let message = format!(
                    "expected at least one argument for `{name}`, found none\nhelp: add one to the list"
                );
                diagnostics.error(name, message);
            }
            if rows.len() * list.len() > MOST {
                // Too many, which is said when they are counted.
                return vec![Vec::new(); rows.len() * list.len()];
            }
            let extended = rows.iter().flat_map(|row: &Vec<syn::GenericArgument>| {
                list.iter().map(|argument| row.iter().chain([argument]).cloned().collect())
            });
            rows = extended.collect();
        }
        rows
    }
}

/// Each row of the open parameters with each combination of what is tuned, in the order of all parameters.
fn with_tuned(
    rows: Vec<Vec<syn::GenericArgument>>,
    open: &[&Ident],
    params: &[&Ident],
    tuned: &[(Ident, Vec<syn::GenericArgument>)],
) -> Vec<Vec<syn::GenericArgument>> {
    let combinations: usize = tuned.iter().map(|(_, list)| list.len()).product();
    if tuned.is_empty() || rows.len().saturating_mul(combinations) > MOST {
        // Too many, which is said when they are counted.
        return if tuned.is_empty() {
            rows
        } else {
            vec![Vec::new(); rows.len().saturating_mul(combinations).min(1 << 20)]
        };
    }
    let place = |row: &[syn::GenericArgument], number: usize| {
        let mut number = number;
        // The last of the lists changes fastest.
        let mut chosen = Vec::new();
        for (name, list) in tuned.iter().rev() {
            chosen.push((name, &list[number % list.len()]));
            number /= list.len();
        }
        let argument = |param: &&Ident| {
            let own = chosen.iter().find(|(name, _)| *name == *param).map(|(_, argument)| *argument);
            let given =
                || open.iter().zip(row).find(|(name, _)| *name == param).map(|(_, argument)| argument);
            own.or_else(given).cloned()
        };
        params.iter().filter_map(argument).collect()
    };
    rows.iter().flat_map(|row| (0..combinations).map(move |number| place(row, number))).collect()
}

/// Types, literals, names and blocks.
pub(super) fn arguments(input: ParseStream) -> syn::Result<Vec<syn::GenericArgument>> {
    let argument = |input: ParseStream| {
        // `-1` is no generic argument without braces, but there is nothing else that it could be here.
        if input.peek(Token![-]) {
            return input.parse().map(syn::GenericArgument::Const);
        }
        input.parse()
    };
    let list = Punctuated::<syn::GenericArgument, Token![,]>::parse_terminated_with(input, argument)?;
    for argument in &list {
        if let syn::GenericArgument::Type(_) | syn::GenericArgument::Const(_) = argument {
            continue;
        }
        return Err(syn::Error::new(
            argument.span(),
            "expected a type or a constant\nhelp: write `T = [f32, f64]`",
        ));
    }
    Ok(list.into_iter().collect())
}
