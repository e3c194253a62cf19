//! Attributes of `let` that are collectives of a warp or block: each stands for a call of a function with the initial value.
//!
//! The call is made of tokens, so that parsing and the copy for rustc have the same one.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use crate::device::collectives::OPERATIONS;
use crate::diagnostics::{Diagnostic, Loc, did_you_mean, shown};

/// A row of the table.
struct Collective {
    name: &'static str,
    /// `warp` or `block`.
    module: &'static str,
    what: What,
    /// Takes `mask = m` and, of the functions that have a width, `width = n`.
    mask: bool,
    width: bool,
}

/// The argument that a collective requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// None: the function has the attribute's name.
    Nothing,
    /// The source lane.
    Lane,
    /// An operation, for the function with this beginning.
    Operation(&'static str),
    /// An operation, for a scan, which may be `exclusive`.
    Scan,
    /// An operation that the hardware has.
    Redux,
}

const COLLECTIVES: &[Collective] = &[
    Collective { name: "shfl", module: "warp", what: What::Lane, mask: true, width: true },
    Collective {
        name: "warp_reduce",
        module: "warp",
        what: What::Operation("reduce"),
        mask: true,
        width: true,
    },
    Collective { name: "warp_scan", module: "warp", what: What::Scan, mask: true, width: true },
    Collective {
        name: "block_reduce",
        module: "block",
        what: What::Operation("reduce"),
        mask: false,
        width: false,
    },
    Collective { name: "block_scan", module: "block", what: What::Scan, mask: false, width: false },
    Collective { name: "redux", module: "warp", what: What::Redux, mask: true, width: false },
    Collective { name: "ballot", module: "warp", what: What::Nothing, mask: true, width: false },
    Collective { name: "any", module: "warp", what: What::Nothing, mask: true, width: false },
    Collective { name: "all", module: "warp", what: What::Nothing, mask: true, width: false },
    Collective { name: "match_any", module: "warp", what: What::Nothing, mask: true, width: false },
    Collective { name: "match_all", module: "warp", what: What::Nothing, mask: true, width: false },
];

/// The ways to choose the source lane of a shuffle.
const LANES: &[&str] = &["up", "down", "xor", "idx"];

/// The operations of `redux.sync` (PTX ISA).
const REDUX: &[&str] = &["add", "min", "max", "and", "or", "xor"];

/// `name` or `name = value` in an attribute.
struct Argument {
    name: Ident,
    value: Option<syn::Expr>,
}

impl Parse for Argument {
    fn parse(input: ParseStream) -> syn::Result<Argument> {
        let name = input.call(syn::ext::IdentExt::parse_any)?;
        let value = match input.parse::<Option<syn::Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Argument { name, value })
    }
}

/// The arguments of an attribute.
#[derive(Default)]
struct Said<'a> {
    /// Operation or kind of shuffle.
    word: Option<&'a Argument>,
    exclusive: Option<&'a Ident>,
    width: Option<&'a syn::Expr>,
    mask: Option<&'a syn::Expr>,
}

/// The initial value of a `let` with such an attribute: `warp::reduce_add(value)` for `#[warp_reduce(add)]`.
pub fn call(attr: &syn::Attribute, value: &syn::Expr) -> Result<syn::Expr, Vec<Diagnostic>> {
    let row = COLLECTIVES.iter().find(|row| attr.path().is_ident(row.name));
    let Some(row) = row else {
        let message = "expected a collective\nhelp: leave the attribute out".to_owned();
        return Err(vec![Diagnostic::new(Loc::of(attr), message)]);
    };
    let arguments = arguments(row, attr).map_err(|mistake| vec![mistake])?;
    let mut mistakes = Vec::new();
    let said = row.said(attr, &arguments, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    // The function without a mask has less to compute.
    let said = Said { mask: said.mask.filter(|mask| !is_all_lanes(mask)), ..said };
    let span = attr.path().span();
    let tokens = row.tokens(&said, value, span);
    syn::parse2(tokens).map_err(|error| vec![Diagnostic::new(span, error.to_string())])
}

/// `u32::MAX`, `0xffff_ffff`, `!0`
fn is_all_lanes(mask: &syn::Expr) -> bool {
    match mask {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(mask), .. }) => {
            mask.base10_parse::<u64>().is_ok_and(|mask| mask == u64::from(u32::MAX))
        }
        syn::Expr::Path(_) | syn::Expr::Unary(_) => matches!(&*shown(mask), "u32::MAX" | "! 0" | "!0"),
        _ => false,
    }
}

fn arguments(row: &Collective, attr: &syn::Attribute) -> Result<Vec<Argument>, Diagnostic> {
    let malformed = |loc: Loc, found: String| {
        let message =
            format!("expected {} in `#[{}]`, found {found}\nhelp: {}", row.expected(), row.name, row.help());
        Diagnostic::new(loc, message)
    };
    match &attr.meta {
        syn::Meta::Path(_) => Ok(Vec::new()),
        syn::Meta::List(list) => {
            match list.parse_args_with(Punctuated::<Argument, syn::Token![,]>::parse_terminated) {
                Ok(arguments) => Ok(arguments.into_iter().collect()),
                Err(error) => {
                    let found = shown(&list.tokens);
                    Err(malformed(error.span().into(), format!("`{found}`")))
                }
            }
        }
        syn::Meta::NameValue(pair) => Err(malformed(Loc::of(&pair.value), "a value after `=`".to_owned())),
    }
}

impl Collective {
    /// Describes the required argument.
    fn expected(&self) -> String {
        let listed = |words: &[&str]| {
            let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            match quoted.split_last() {
                Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
                None => String::new(),
            }
        };
        match self.what {
            What::Nothing => "nothing but `mask = m`".to_owned(),
            What::Lane | What::Operation(_) | What::Scan | What::Redux => listed(self.words()),
        }
    }

    /// The operations or kinds, of which one is said.
    fn words(&self) -> &'static [&'static str] {
        match self.what {
            What::Nothing => &[],
            What::Lane => LANES,
            What::Operation(_) | What::Scan => OPERATIONS,
            What::Redux => REDUX,
        }
    }

    fn help(&self) -> String {
        let what = match self.what {
            What::Nothing => "",
            What::Lane => "(down = 16)",
            What::Operation(_) | What::Scan | What::Redux => "(add)",
        };
        format!("write `#[{}{what}]`", self.name)
    }

    /// The optional arguments.
    fn options(&self) -> &'static [&'static str] {
        match (self.what, self.width, self.mask) {
            (What::Scan, true, _) => &["exclusive", "width = n", "mask = m"],
            (What::Scan, false, _) => &["exclusive"],
            (_, true, _) => &["width = n", "mask = m"],
            (_, false, true) => &["mask = m"],
            (_, false, false) => &[],
        }
    }

    /// The arguments by what they say. What is wrong goes to `mistakes`.
    fn said<'a>(
        &self,
        attr: &syn::Attribute,
        arguments: &'a [Argument],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Said<'a> {
        let mut said = Said::default();
        let words = self.words();
        for argument in arguments {
            let name = argument.name.to_string();
            if let Some(syn::Expr::Unary(value)) = &argument.value
                && let syn::UnOp::Neg(_) = value.op
            {
                let (loc, found) = (Loc::of(value), shown(value).replace("- ", "-"));
                let message = format!(
                    "expected 0 or more for `{name}`, found `{found}`\nhelp: {}",
                    if self.what == What::Lane {
                        "`up` and `down` say the direction"
                    } else {
                        "leave the sign out"
                    }
                );
                mistakes.push(Diagnostic::new(loc, message));
                continue;
            }
            let mut wrong = |message: String| {
                mistakes.push(Diagnostic::new(argument.name.span(), message));
            };
            let twice = || format!("expected `{name}` once, found it again\nhelp: leave one of them out");
            match (&*name, &argument.value) {
                ("width", Some(value)) if self.width => {
                    if said.width.replace(value).is_some() {
                        wrong(twice());
                    }
                }
                ("mask", Some(value)) if self.mask => {
                    if said.mask.replace(value).is_some() {
                        wrong(twice());
                    }
                }
                ("exclusive", None) if self.what == What::Scan => {
                    if said.exclusive.replace(&argument.name).is_some() {
                        wrong(twice());
                    }
                }
                (word, value) if words.contains(&word) => match (said.word, value) {
                    (Some(first), _) => wrong(format!(
                        "expected one of {}, found `{word}` after `{}`\nhelp: leave one of them out",
                        self.expected(),
                        first.name
                    )),
                    (None, None) if self.what == What::Lane => wrong(format!(
                        "expected `{word} = n`, found `{word}`\nhelp: say how far, or which lane: `#[shfl({word} = 1)]`"
                    )),
                    (None, Some(_)) if self.what != What::Lane => {
                        wrong(format!("expected `{word}`, found `{word} = …`\nhelp: {}", self.help()))
                    }
                    (None, _) => said.word = Some(argument),
                },
                ("exclusive", Some(_)) if self.what == What::Scan => {
                    wrong(
                        "expected `exclusive`, found `exclusive = …`\nhelp: write `exclusive` alone"
                            .to_owned(),
                    );
                }
                ("width" | "mask", None) => {
                    wrong(format!("expected `{name} = n`, found `{name}`\nhelp: say which"));
                }
                ("width" | "mask", Some(_)) if self.module == "block" => wrong(format!(
                    "expected nothing about lanes in `#[{}]`, found `{name}`\nhelp: every thread of the block takes part: \
                     `#[warp_{}(…)]` knows `{name}`",
                    self.name,
                    self.name.trim_start_matches("block_")
                )),
                (word, _) => wrong(self.unknown(word, said.word.is_some() || words.is_empty())),
            }
        }
        if said.word.is_none() && !words.is_empty() && mistakes.is_empty() {
            let message = format!(
                "expected {} in `#[{}]`, found nothing\nhelp: {}",
                self.expected(),
                self.name,
                self.help()
            );
            mistakes.push(Diagnostic::new(Loc::of(attr), message));
        }
        said
    }

    /// A word that is not known; `complete` if only options may follow.
    fn unknown(&self, word: &str, complete: bool) -> String {
        let name = self.name;
        if complete {
            let options: Vec<String> = self.options().iter().map(|option| format!("`{option}`")).collect();
            return match &options[..] {
                [] => format!("expected nothing more in `#[{name}]`, found `{word}`\nhelp: leave it out"),
                _ => format!(
                    "expected {} in `#[{name}]`, found `{word}`\nhelp: leave it out",
                    options.join(" or ")
                ),
            };
        }
        /// Common other names of the operations.
        const OTHER_NAMES: &[(&str, &str)] = &[
            ("sum", "add"),
            ("plus", "add"),
            ("product", "mul"),
            ("minimum", "min"),
            ("maximum", "max"),
            ("bfly", "xor"),
            ("index", "idx"),
            ("lane", "idx"),
        ];
        let words = self.words();
        let other = OTHER_NAMES.iter().find(|row| row.0 == word && words.contains(&row.1));
        let meant = other.map(|row| row.1).or_else(|| did_you_mean(word, words.iter().copied()));
        let help = match meant {
            Some(meant) if self.what == What::Lane => format!("write `#[{name}({meant} = …)]`"),
            Some(meant) => format!("write `#[{name}({meant})]`"),
            None => self.help(),
        };
        format!("expected {} in `#[{name}]`, found `{word}`\nhelp: {help}", self.expected())
    }

    /// `::kernel_runtime::device::warp::shfl_down_width_sync(mask, value, 16, 8)`
    fn tokens(&self, said: &Said<'_>, value: &syn::Expr, span: Span) -> TokenStream {
        let word = said.word.map(|word| word.name.to_string()).unwrap_or_default();
        let mut function = match self.what {
            What::Nothing => self.name.to_owned(),
            What::Lane => format!("shfl_{word}"),
            What::Operation(kind) => format!("{kind}_{word}"),
            What::Redux => format!("redux_{word}"),
            What::Scan if said.exclusive.is_some() => format!("exclusive_scan_{word}"),
            What::Scan => format!("scan_{word}"),
        };
        for (suffix, option) in [("_width", said.width), ("_sync", said.mask)] {
            if option.is_some() {
                function.push_str(suffix);
            }
        }
        let (module, function) = (Ident::new(self.module, span), Ident::new(&function, span));
        let lane = said.word.and_then(|word| word.value.as_ref());
        let arguments = [said.mask, Some(value), lane, said.width].into_iter().flatten();
        quote_spanned!(span=> ::kernel_runtime::device::#module::#function(#(#arguments),*))
    }
}
