//! `macro_rules!` of a module or a body, expanded before anything else reads the item: an attribute is given what rustc has not expanded.
//!
//! Matching and transcription are those of the Rust Reference, "Macros By Example", without its check that a repetition's end can be
//! told by one token: a repetition takes as much as matches. Names that a macro writes have the hygiene of `Span::mixed_site`.

use std::cell::Cell;
use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};

/// Expansions within expansions, as rustc's `recursion_limit`.
const MOST_DEPTH: usize = 128;

/// A part of what a rule matches.
enum Matcher {
    Token(TokenTree),
    Group(Delimiter, Vec<Matcher>),
    /// `$name:kind`
    Fragment(String, String),
    /// `$(…) separator operator`
    Repeat(Vec<Matcher>, Option<Punct>, char),
}

/// The tokens that a fragment has matched; in a repetition one for each time.
#[derive(Clone)]
enum Matched {
    Once(TokenStream),
    Each(Vec<Matched>),
}

type Bindings = HashMap<String, Matched>;

struct Rule {
    matcher: Vec<Matcher>,
    body: TokenStream,
}

/// Tokens that all calls in an item may become together: each call may hold several, so their depth bounds nothing.
const MOST_TOKENS: usize = 1 << 18;

/// The macros in reach.
#[derive(Default)]
struct Macros {
    by_name: HashMap<String, Vec<Rule>>,
    /// Tokens that calls have become.
    tokens: Cell<usize>,
}

/// The item with its own macros expanded, and with fragments of the macro that it comes from kept whole; `None` if there is neither.
pub fn expand(item: &TokenStream) -> Option<TokenStream> {
    let mut macros = Macros::default();
    macros.declare(item.clone());
    (!macros.by_name.is_empty() || holds_fragment(item.clone())).then(|| macros.expanded(item.clone(), 0))
}

/// Returns true if there is a group without delimiters, which a fragment of a macro outside is: `$x:expr`.
fn holds_fragment(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::None || holds_fragment(group.stream()),
        _ => false,
    })
}

fn is_punct(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

impl Macros {
    /// Notes every `macro_rules! name { … }` in the tokens.
    fn declare(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            if let Some((name, rules)) = declaration(&trees[at..]) {
                let rules = rules_of(rules.stream());
                self.by_name.insert(name.to_string(), rules);
            } else if let TokenTree::Group(group) = tree {
                self.declare(group.stream());
            }
        }
    }

    /// The tokens without declarations, and with calls of the macros expanded.
    fn expanded(&self, tokens: TokenStream, depth: usize) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut done: Vec<TokenTree> = Vec::new();
        let mut at = 0;
        while at < trees.len() {
            if declaration(&trees[at..]).is_some() {
                at += 4;
                at += usize::from(is_punct(trees.get(at), ';'));
                continue;
            }
            if let [TokenTree::Ident(name), mark, TokenTree::Group(group), ..] = &trees[at..]
                && is_punct(Some(mark), '!')
                && depth < MOST_DEPTH
                && let Some(tokens) = self.call(&name.to_string(), group.stream())
            {
                let tokens = self.expanded(tokens, depth + 1);
                at += 3;
                let begins = match done.last() {
                    None => true,
                    Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
                    Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
                    Some(TokenTree::Ident(_) | TokenTree::Literal(_)) => false,
                };
                let ends = at == trees.len()
                    || is_punct(trees.get(at), ';')
                    || group.delimiter() == Delimiter::Brace;
                if begins && ends {
                    let own: Vec<TokenTree> = tokens.into_iter().collect();
                    // The macro's own semicolon, or its block, ends the statement.
                    let is_closed = match own.last() {
                        None => true,
                        Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
                        Some(TokenTree::Group(last)) if last.delimiter() == Delimiter::Brace => {
                            are_items(&own)
                        }
                        Some(_) => false,
                    };
                    done.extend(own);
                    at += usize::from(is_closed && is_punct(trees.get(at), ';'));
                } else {
                    done.push(whole(tokens));
                }
                continue;
            }
            done.push(match &trees[at] {
                // A fragment, in which a macro may have been called. A block may be a function's.
                TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                    let tokens = self.expanded(group.stream(), depth);
                    match is_block(&tokens) {
                        true => Group::new(Delimiter::None, tokens).into(),
                        false => whole(tokens),
                    }
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.expanded(group.stream(), depth));
                    inner.set_span(group.span());
                    inner.into()
                }
                tree => tree.clone(),
            });
            at += 1;
        }
        done.into_iter().collect()
    }

    /// The expansion of a call of a macro, by the first rule that matches.
    fn call(&self, name: &str, input: TokenStream) -> Option<TokenStream> {
        if self.tokens.get() > MOST_TOKENS {
            return None;
        }
        let made = self.by_name.get(name)?.iter().find_map(|rule| {
            let bindings = matched(&rule.matcher, input.clone()).ok()?;
            transcribed(rule.body.clone(), &bindings)
        })?;
        self.tokens.set(self.tokens.get() + 1 + count(&made));
        Some(made)
    }
}

/// Tokens in groups, too.
fn count(tokens: &TokenStream) -> usize {
    let of_tree = |tree| match tree {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
    };
    tokens.clone().into_iter().map(of_tree).sum()
}

fn is_block(tokens: &TokenStream) -> bool {
    let mut trees = tokens.clone().into_iter();
    let first = trees.next();
    matches!(&first, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
        && trees.next().is_none()
}

/// The tokens as one whatever stands around them. rustc reads the tokens in a group without delimiters as if there were none, so an
/// expression of several parts, or one that would be a statement of its own, is put into parentheses.
fn whole(tokens: TokenStream) -> TokenTree {
    use syn::Expr;
    let stands_alone = |expr: &Expr| {
        matches!(
            expr,
            Expr::Path(_)
                | Expr::Lit(_)
                | Expr::Call(_)
                | Expr::MethodCall(_)
                | Expr::Field(_)
                | Expr::Index(_)
                | Expr::Paren(_)
                | Expr::Tuple(_)
                | Expr::Array(_)
                | Expr::Repeat(_)
                | Expr::Macro(_)
                | Expr::Group(_)
                | Expr::Verbatim(_)
                | Expr::Infer(_)
                // Statements, and what stands in attributes: `doc = "…"`.
                | Expr::Let(_)
                | Expr::Assign(_)
        )
    };
    let delimiter = match syn::parse2::<Expr>(tokens.clone()) {
        Ok(expr) if !stands_alone(&expr) => Delimiter::Parenthesis,
        Ok(_) | Err(_) => Delimiter::None,
    };
    let first = tokens.clone().into_iter().next();
    let mut group = Group::new(delimiter, tokens);
    if let Some(first) = first {
        group.set_span(Span::mixed_site().located_at(first.span()));
    }
    group.into()
}

/// Returns true for items alone, after which no semicolon may stand in a module.
fn are_items(trees: &[TokenTree]) -> bool {
    let is_item = |item: &syn::Item| !matches!(item, syn::Item::Macro(_) | syn::Item::Verbatim(_));
    syn::parse2::<syn::File>(trees.iter().cloned().collect())
        .is_ok_and(|file| !file.items.is_empty() && file.items.iter().all(is_item))
}

/// `macro_rules! name { … }` at the start of the tokens.
fn declaration(trees: &[TokenTree]) -> Option<(&Ident, &Group)> {
    match trees {
        [TokenTree::Ident(word), mark, TokenTree::Ident(name), TokenTree::Group(rules), ..]
            if word == "macro_rules" && is_punct(Some(mark), '!') =>
        {
            Some((name, rules))
        }
        _ => None,
    }
}

/// `(matcher) => { body }; …`
fn rules_of(tokens: TokenStream) -> Vec<Rule> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let groups: Vec<&Group> = trees
        .iter()
        .filter_map(|tree| match tree {
            TokenTree::Group(group) => Some(group),
            _ => None,
        })
        .collect();
    let pairs = groups.chunks_exact(2);
    pairs.map(|pair| Rule { matcher: matchers(pair[0].stream()), body: pair[1].stream() }).collect()
}

fn matchers(tokens: TokenStream) -> Vec<Matcher> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        match &trees[at..] {
            [dollar, TokenTree::Ident(name), colon, TokenTree::Ident(kind), ..]
                if is_punct(Some(dollar), '$') && is_punct(Some(colon), ':') =>
            {
                found.push(Matcher::Fragment(name.to_string(), kind.to_string()));
                at += 4;
            }
            [dollar, TokenTree::Group(group), ..] if is_punct(Some(dollar), '$') => {
                let (separator, operator, length) = repetition(&trees[at + 2..]);
                found.push(Matcher::Repeat(matchers(group.stream()), separator, operator));
                at += 2 + length;
            }
            [TokenTree::Group(group), ..] => {
                found.push(Matcher::Group(group.delimiter(), matchers(group.stream())));
                at += 1;
            }
            [other, ..] => {
                found.push(Matcher::Token(other.clone()));
                at += 1;
            }
            [] => {}
        }
    }
    found
}

/// The separator and the operator after `$(…)`, and the number of their tokens.
fn repetition(trees: &[TokenTree]) -> (Option<Punct>, char, usize) {
    let operator = |tree: Option<&TokenTree>| match tree {
        Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '*' | '+' | '?') => Some(punct.as_char()),
        _ => None,
    };
    match (operator(trees.first()), trees.first(), operator(trees.get(1))) {
        (Some(first), _, None) => (None, first, 1),
        (_, Some(TokenTree::Punct(separator)), Some(second)) => (Some(separator.clone()), second, 2),
        (first, _, _) => (None, first.unwrap_or('*'), usize::from(first.is_some())),
    }
}

/// Matches all of the tokens.
fn matched(matcher: &[Matcher], tokens: TokenStream) -> syn::Result<Bindings> {
    let parse = |input: ParseStream<'_>| {
        let mut bindings = Bindings::new();
        match_in(matcher, input, &mut bindings)?;
        Ok(bindings)
    };
    parse.parse2(tokens)
}

fn match_in(matcher: &[Matcher], input: ParseStream<'_>, bindings: &mut Bindings) -> syn::Result<()> {
    for part in matcher {
        match part {
            Matcher::Token(token) => {
                if input.parse::<TokenTree>()?.to_string() != token.to_string() {
                    return Err(input.error("another token"));
                }
            }
            Matcher::Group(delimiter, inner) => match input.parse::<TokenTree>()? {
                TokenTree::Group(group) if group.delimiter() == *delimiter => {
                    bindings.extend(matched(inner, group.stream())?);
                }
                _ => return Err(input.error("another token")),
            },
            Matcher::Fragment(name, kind) => {
                let tokens = fragment(kind, input)?;
                bindings.insert(name.clone(), Matched::Once(tokens));
            }
            Matcher::Repeat(inner, separator, operator) => {
                let mut each: Vec<Bindings> = Vec::new();
                while !(input.is_empty() || *operator == '?' && each.len() == 1) {
                    let ahead = input.fork();
                    if let (Some(separator), false) = (separator, each.is_empty())
                        && !ahead.parse::<Punct>().is_ok_and(|punct| punct.as_char() == separator.as_char())
                    {
                        break;
                    }
                    let mut own = Bindings::new();
                    // Without progress the repetition would go on for ever; rustc refuses one that can match nothing.
                    if match_in(inner, &ahead, &mut own).is_err() || ahead.cursor() == input.cursor() {
                        break;
                    }
                    input.advance_to(&ahead);
                    each.push(own);
                }
                if *operator == '+' && each.is_empty() {
                    return Err(input.error("nothing to repeat"));
                }
                for name in names(inner) {
                    let all = each.iter().filter_map(|own| own.get(&name).cloned()).collect();
                    bindings.insert(name, Matched::Each(all));
                }
            }
        }
    }
    Ok(())
}

/// The names of all fragments.
fn names(matcher: &[Matcher]) -> Vec<String> {
    let of_part = |part: &Matcher| match part {
        Matcher::Token(_) => Vec::new(),
        Matcher::Fragment(name, _) => vec![name.clone()],
        Matcher::Group(_, inner) | Matcher::Repeat(inner, ..) => names(inner),
    };
    matcher.iter().flat_map(of_part).collect()
}

/// Parses a fragment. An expression stays one, whatever stands around it.
fn fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    fn parsed<T: Parse + ToTokens>(input: ParseStream<'_>) -> syn::Result<TokenStream> {
        Ok(input.parse::<T>()?.into_token_stream())
    }
    let whole = |tokens: TokenStream| whole(tokens).into();
    Ok(match kind {
        "ident" => input.call(Ident::parse_any)?.into_token_stream(),
        "expr" | "expr_2021" => whole(parsed::<syn::Expr>(input)?),
        "ty" => TokenTree::from(Group::new(Delimiter::None, parsed::<syn::Type>(input)?)).into(),
        "tt" => parsed::<TokenTree>(input)?,
        "literal" => {
            let sign: Option<syn::Token![-]> = input.parse()?;
            let literal: syn::Lit = input.parse()?;
            let mut tokens = sign.into_token_stream();
            literal.to_tokens(&mut tokens);
            whole(tokens)
        }
        "path" => parsed::<syn::Path>(input)?,
        "block" => parsed::<syn::Block>(input)?,
        "stmt" => parsed::<syn::Stmt>(input)?,
        "item" => parsed::<syn::Item>(input)?,
        "lifetime" => parsed::<syn::Lifetime>(input)?,
        "vis" => parsed::<syn::Visibility>(input)?,
        "meta" => parsed::<syn::Meta>(input)?,
        "pat" => input.call(syn::Pat::parse_multi_with_leading_vert)?.into_token_stream(),
        "pat_param" => input.call(syn::Pat::parse_single)?.into_token_stream(),
        _ => return Err(input.error("an unknown kind of fragment")),
    })
}

/// The body of a rule with what was matched in place of the fragments' names; `None` if a repetition repeats nothing known.
fn transcribed(body: TokenStream, bindings: &Bindings) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let mut done = TokenStream::new();
    let mut at = 0;
    while at < trees.len() {
        match &trees[at..] {
            [dollar, TokenTree::Ident(name), ..] if is_punct(Some(dollar), '$') => {
                match bindings.get(&name.to_string()) {
                    Some(Matched::Once(tokens)) => done.extend(tokens.clone()),
                    Some(Matched::Each(_)) => return None,
                    None if name == "crate" => done.extend([trees[at + 1].clone()]),
                    None => return None,
                }
                at += 2;
            }
            [dollar, TokenTree::Group(group), ..] if is_punct(Some(dollar), '$') => {
                let (separator, _, length) = repetition(&trees[at + 2..]);
                let mut used = Vec::new();
                used_in(group.stream(), &mut used);
                let counts = used.iter().filter_map(|name| match bindings.get(name) {
                    Some(Matched::Each(all)) => Some(all.len()),
                    Some(Matched::Once(_)) | None => None,
                });
                let count = counts.clone().max()?;
                if counts.min() != Some(count) {
                    return None;
                }
                for index in 0..count {
                    let mut own = bindings.clone();
                    for name in &used {
                        if let Some(Matched::Each(all)) = bindings.get(name) {
                            own.insert(name.clone(), all[index].clone());
                        }
                    }
                    if let (Some(separator), true) = (&separator, index > 0) {
                        done.extend([TokenTree::from(Punct::new(separator.as_char(), Spacing::Alone))]);
                    }
                    done.extend(transcribed(group.stream(), &own)?);
                }
                at += 2 + length;
            }
            [TokenTree::Group(group), ..] => {
                let mut inner = Group::new(group.delimiter(), transcribed(group.stream(), bindings)?);
                inner.set_span(group.span());
                done.extend([TokenTree::from(inner)]);
                at += 1;
            }
            [TokenTree::Ident(name), ..] => {
                let mut name = name.clone();
                name.set_span(Span::mixed_site().located_at(name.span()));
                done.extend([TokenTree::from(name)]);
                at += 1;
            }
            [other, ..] => {
                done.extend([other.clone()]);
                at += 1;
            }
            [] => {}
        }
    }
    Some(done)
}

/// The names after `$` in the tokens.
fn used_in(tokens: TokenStream, names: &mut Vec<String>) {
    let mut after_dollar = false;
    for tree in tokens {
        match &tree {
            TokenTree::Ident(name) if after_dollar => names.push(name.to_string()),
            TokenTree::Group(group) => used_in(group.stream(), names),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        after_dollar = is_punct(Some(&tree), '$');
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    fn check(item: &str, expected: Expect) {
        let item = item.parse().expect("the test's source has Rust's tokens");
        let tokens = super::expand(&item);
        expected.assert_eq(&tokens.map_or("nothing to expand".to_owned(), |tokens| tokens.to_string()));
    }

    #[test]
    fn fragments_and_repetitions() {
        check(
            "mod m { macro_rules! swap { ($s:ident, $a:expr, $b:expr) => { $s[$a] = $s[$b]; $s[$b] = 1; }; } fn f() { swap!(s, 1, 2 + 3); } }",
            expect!["mod m { fn f () { s [1] = s [(2 + 3)] ; s [(2 + 3)] = 1 ; } }"],
        );
        check(
            "fn k() { macro_rules! map { ($($k:literal => [$($v:expr),*]);+ $(;)?) => { [$( ($k, [$($v),*]) ),+] } } let t = map!(1 => [2, 3]; -4 => [];); }",
            expect!["fn k () { let t = [(1 , [2 , 3]) , ((- 4) , [])] ; }"],
        );
        check(
            "mod m { macro_rules! fns { ($($name:ident: $t:ty = $op:tt),*) => { $( fn $name(x: $t) -> $t { x $op x } )* } } fns! { a: f32 = +, b: u32 = ^ } }",
            expect!["mod m { fn a (x : f32) -> f32 { x +x } fn b (x : u32) -> u32 { x ^ x } }"],
        );
    }

    #[test]
    fn semicolons_after_items() {
        check(
            "mod m { macro_rules! unit { ($($n:ident),*) => { $( struct $n; impl $n { fn f(&self) {} } )* } } unit!(A, B); fn f() { unit!(C); 1 } }",
            expect![
                "mod m { struct A ; impl A { fn f (& self) { } } struct B ; impl B { fn f (& self) { } } fn f () { struct C ; impl C { fn f (& self) { } } 1 } }"
            ],
        );
        check(
            "fn k() { macro_rules! max { ($a:expr, $b:expr) => { if $a > $b { $a } else { $b } } } max!(1, 2); }",
            expect!["fn k () { if 1 > 2 { 1 } else { 2 } ; }"],
        );
    }

    /// An inner repetition that matches nothing ends the outer one, as no input is left to wait for.
    #[test]
    fn repetitions_without_progress() {
        check(
            "mod m { macro_rules! all { ($($($x:ident)*)*) => { $($($x();)*)* }; ($x:literal) => { $x } } fn f() { all!(1); all!(a b); } }",
            expect!["mod m { fn f () { 1 ; a () ; b () ; } }"],
        );
    }

    /// The call that is one too many stays, and is reported.
    #[test]
    fn doubling_ends() {
        let item =
            "mod m { macro_rules! d { ($($t:tt)*) => { d!($($t)* +); d!($($t)* -); } } fn f() { d!(); } }";
        let item = item.parse().expect("the test's source has Rust's tokens");
        let tokens = super::expand(&item).expect("it has a macro");
        assert!(super::count(&tokens) < 8 * super::MOST_TOKENS);
        assert!(tokens.to_string().contains("d !"));
    }

    #[test]
    fn macros_in_macros() {
        check(
            "mod m { macro_rules! max { ($x:expr) => { $x }; ($x:expr, $($rest:expr),+) => {{ let a = $x; let b = max!($($rest),+); if a > b { a } else { b } }}; } \
             fn f() -> u32 { assert!(max!(1) > 0); max!(1, 2) + 1 } }",
            expect![
                "mod m { fn f () -> u32 { assert ! (1 > 0) ; ({ let a = 1 ; let b = 2 ; if a > b { a } else { b } }) + 1 } }"
            ],
        );
    }

    #[test]
    fn what_no_rule_matches_stays() {
        check(
            "mod m { macro_rules! one { ($x:ident) => { $x } } fn f() { one!(1); } }",
            expect!["mod m { fn f () { one ! (1) ; } }"],
        );
        check("fn k() { let a = 1; }", expect!["nothing to expand"]);
    }
}
