//! Tests of the phases, through [`check`] and [`check_error`].

mod attributes;
mod coarsen;
mod constructs;
mod copy;
mod cuda_names;
mod disjoint;
mod fuzz;
mod growth;
mod guards;
mod indices;
mod language;
mod limits;
mod loops;
mod matrices;
mod messages;
mod mistakes;
mod named_barriers;
mod names;
mod newcomers;
mod print;
mod refusals;
mod tile_mistakes;
mod tiles;
mod traits;
mod unsafety;

use expect_test::Expect;

use crate::analyze::{analyze, analyze_module};
use crate::typed;

/// `#[kernel(attr)] fn …` as tokens with positions in this text.
pub(crate) fn analyzed(source: &str) -> Result<Vec<typed::Kernel>, Vec<crate::diagnostics::Diagnostic>> {
    let tokens: proc_macro2::TokenStream = source.parse().expect("the test's source has Rust's tokens");
    let (attr, item) = split_attribute(tokens);
    let analysis = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Mod(module)) => analyze_module(module, &mut [], Default::default()).1,
        Ok(_) | Err(_) => analyze(attr, item),
    };
    if !analysis.errors.is_empty() {
        return Err(analysis.errors);
    }
    Ok(analysis.kernels.into_iter().flat_map(|kernel| kernel.instances).collect())
}

/// The errors of the passes for a kernel that the front end accepts.
#[track_caller]
#[allow(dead_code)]
fn check_refusals(source: &str, expected: Expect) {
    let kernels = analyzed(source).unwrap_or_else(|errors| panic!("{}", errors_in(source, &errors)));
    let (_, errors) = crate::expand::Compiled::all(kernels);
    expected.assert_eq(&errors_in(source, &errors));
}

/// Takes the leading `#[kernel(…)]` off, if there is one.
fn split_attribute(tokens: proc_macro2::TokenStream) -> (proc_macro2::TokenStream, proc_macro2::TokenStream) {
    use proc_macro2::TokenTree;
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let [TokenTree::Punct(hash), TokenTree::Group(brackets), rest @ ..] = &trees[..] else {
        return (Default::default(), trees.into_iter().collect());
    };
    let inner: Vec<TokenTree> = brackets.stream().into_iter().collect();
    match &inner[..] {
        [TokenTree::Ident(name), arguments @ ..] if hash.as_char() == '#' && name == "kernel" => {
            let attr = match arguments {
                [TokenTree::Group(group)] => group.stream(),
                _ => Default::default(),
            };
            (attr, rest.iter().cloned().collect())
        }
        _ => (Default::default(), trees.into_iter().collect()),
    }
}

/// The typed tree of a kernel, or its errors.
#[track_caller]
fn check(source: &str, expected: Expect) {
    expected.assert_eq(&match analyzed(source) {
        Ok(kernels) => kernels.iter().map(print::kernel).collect::<Vec<_>>().join("\n"),
        Err(errors) => errors_in(source, &errors),
    });
}

/// The typed tree of a body between `x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool`.
#[track_caller]
fn check_body(body: &str, expected: Expect) {
    check(&in_kernel(body), expected);
}

fn in_kernel(body: &str) -> String {
    format!("fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {{\n{body}\n}}")
}

/// The mistakes that parsing and resolution find: where, what text is underlined, the message.
#[track_caller]
fn check_names(source: &str, expected: Expect) {
    let tokens: proc_macro2::TokenStream = source.parse().expect("the test's source has Rust's tokens");
    let (attr, item) = split_attribute(tokens);
    let errors = crate::analyze::resolved(attr, item);
    expected.assert_eq(&if errors.is_empty() { "accepted".to_owned() } else { errors_in(source, &errors) });
}

/// The errors in a function: where, what text is underlined, the message.
#[track_caller]
fn check_error(source: &str, expected: Expect) {
    expected.assert_eq(&match analyzed(source) {
        Ok(_) => "accepted".to_owned(),
        Err(errors) => errors_in(source, &errors),
    });
}

/// The errors in a body, as [`check_body`]; lines count from the body's first.
#[track_caller]
fn check_body_error(body: &str, expected: Expect) {
    check_error(&in_kernel(body), expected);
}

fn errors_in(source: &str, errors: &[crate::diagnostics::Diagnostic]) -> String {
    let shown: Vec<String> = errors
        .iter()
        .map(|error| {
            let (start, end) = (error.loc.start.start(), error.loc.end.end());
            format!(
                "{}:{} `{}`: {}",
                start.line,
                start.column + 1,
                underlined(source, start, end),
                error.message
            )
        })
        .collect();
    shown.join("\n")
}

fn underlined(source: &str, start: proc_macro2::LineColumn, end: proc_macro2::LineColumn) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let cut = |line: usize, from: usize, to: usize| {
        // An error in the library's text would be beyond.
        let line = lines.get(line - 1).copied().unwrap_or("(in the library)");
        line.chars().skip(from).take(to - from).collect::<String>()
    };
    if start.line == end.line {
        return cut(start.line, start.column, end.column);
    }
    format!("{} … {}", cut(start.line, start.column, usize::MAX), cut(end.line, 0, end.column).trim_start())
}
