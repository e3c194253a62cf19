//! `macro_rules!` of a module or a body, expanded before anything else reads the item: an attribute is given what rustc has not expanded.
//!
//! Matching and transcription are those of the Rust Reference, "Macros By Example", without its check that a repetition's end can be
//! told by one token: a repetition takes as much as matches. A definition counts from where it stands to the end of its block.
//! Names that a macro writes are [marked](marks), and [hygiene] finds what they mean.

mod hygiene;
mod marks;
mod tokens;

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};

use tokens::Kind;

pub use marks::{as_written, name_as_written};

/// Expansions within expansions, as rustc's `recursion_limit`.
const MOST_DEPTH: usize = 128;

/// A part of what a rule matches.
enum Matcher {
    /// One token, by its text.
    Token(String),
    Group(Delimiter, Vec<Matcher>),
    /// `$name:kind`
    Fragment(String, String),
    /// `$(…) separator operator`
    Repeat(Vec<Matcher>, Option<Vec<TokenTree>>, char),
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

/// The macros of an item.
#[derive(Default)]
struct Macros {
    /// Those in scope, by their names; the last one of a name counts.
    scope: Vec<(String, usize)>,
    definitions: Vec<Rc<Vec<Rule>>>,
    /// The definition that each expansion is of.
    expansions: Vec<usize>,
    /// Tokens that calls have become.
    tokens: usize,
    errors: Vec<syn::Error>,
}

/// The item with its own macros expanded, and with fragments of the macro that it comes from kept whole; `None` if there is neither.
pub fn expand(item: &TokenStream) -> syn::Result<Option<TokenStream>> {
    if !needs_expansion(item.clone()) {
        return Ok(None);
    }
    let mut macros = Macros::default();
    let mut expanded = macros.expanded(collapsed(item.clone()), 0);
    if !macros.definitions.is_empty() {
        expanded = hygiene::resolved(expanded, &macros.expansions, &mut macros.errors);
    }
    let mut errors = macros.errors.into_iter();
    let Some(mut first) = errors.next() else { return Ok(Some(expanded)) };
    first.extend(errors);
    Err(first)
}

/// Returns true if there is a macro's definition, or a group without delimiters, which a fragment of a macro outside is: `$x:expr`.
fn needs_expansion(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::None || needs_expansion(group.stream()),
        TokenTree::Ident(name) => name == "macro_rules",
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The tokens with fragments of fragments as fragments: the number of groups tells the kind of [ours](tokens::Kind).
fn collapsed(tokens: TokenStream) -> TokenStream {
    let of_tree = |tree| match tree {
        TokenTree::Group(group) => {
            let stream = collapsed(group.stream());
            if group.delimiter() == Delimiter::None
                && let Some(only) = tokens::only(&stream)
                && tokens::fragment(&only).is_some()
            {
                return only;
            }
            let mut inner = Group::new(group.delimiter(), stream);
            inner.set_span(group.span());
            inner.into()
        }
        tree => tree,
    };
    tokens.into_iter().map(of_tree).collect()
}

fn is_punct(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

impl Macros {
    /// Defines `macro_rules! name { … }`, and returns what stands for it until [hygiene] has seen it.
    fn define(&mut self, name: &Ident, rules: TokenStream) -> [TokenTree; 4] {
        let definition = self.definitions.len();
        self.definitions.push(Rc::new(rules_of(rules)));
        self.scope.push((marks::unmarked(&name.to_string()), definition));
        hygiene::definition(definition, name.span())
    }

    /// The attributes of a definition, the last of what is done, go with it.
    fn take_attributes(&mut self, done: &mut Vec<TokenTree>) {
        while let [.., mark, TokenTree::Group(group)] = &done[..]
            && is_punct(Some(mark), '#')
            && group.delimiter() == Delimiter::Bracket
        {
            let name = group.stream().into_iter().next();
            if let Some(TokenTree::Ident(name)) = name
                && matches!(&*marks::unmarked(&name.to_string()), "cfg" | "cfg_attr")
            {
                let message = format!(
                    "expected a macro without `{name}` here, found one with it: whether it is there would have to be known \
                     while other macros are expanded\nhelp: write `cfg!(…)` in its body instead",
                    name = marks::unmarked(&name.to_string())
                );
                self.errors.push(syn::Error::new(name.span(), message));
            }
            done.truncate(done.len() - 2);
        }
    }

    /// The tokens of a block, or of other brackets: what is defined in them ends with them.
    fn expanded(&mut self, tokens: TokenStream, depth: usize) -> TokenStream {
        let outer = self.scope.len();
        let done = self.expanded_here(tokens, depth);
        self.scope.truncate(outer);
        done
    }

    /// The tokens without definitions, and with calls of the macros expanded.
    fn expanded_here(&mut self, tokens: TokenStream, depth: usize) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut done: Vec<TokenTree> = Vec::new();
        let mut at = 0;
        while at < trees.len() {
            if let Some((name, rules)) = declaration(&trees[at..]) {
                self.take_attributes(&mut done);
                done.extend(self.define(name, rules.stream()));
                at += 4;
                at += usize::from(is_punct(trees.get(at), ';'));
                continue;
            }
            if let [TokenTree::Ident(name), mark, TokenTree::Group(group), ..] = &trees[at..]
                && is_punct(Some(mark), '!')
                && depth < MOST_DEPTH
                && let Some(tokens) = self.call(name, group.stream())
            {
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
                    let tokens = self.expanded_here(tokens, depth + 1);
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
                    let tokens = self.expanded(tokens, depth + 1);
                    done.push(whole(tokens));
                }
                continue;
            }
            match &trees[at] {
                // A fragment, in which a macro may have been called.
                tree if let Some((kind, tokens)) = tokens::fragment(tree) => {
                    let is_type = matches!(done.last(), Some(TokenTree::Ident(word)) if word == "as");
                    let tokens = match kind {
                        Kind::Other | Kind::Pattern => self.expanded_here(tokens, depth),
                        _ => self.expanded(tokens, depth),
                    };
                    match kind {
                        Kind::Other | Kind::Pattern => done.extend(tokens),
                        Kind::Path if !is_type => done.extend(tokens),
                        // A block may be a function's.
                        Kind::Unknown if is_block(&tokens) => {
                            done.push(Group::new(Delimiter::None, tokens).into());
                        }
                        Kind::Type => done.push(Group::new(Delimiter::None, tokens).into()),
                        Kind::Unknown | Kind::Expression | Kind::Path => done.push(whole(tokens)),
                    }
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.expanded(group.stream(), depth));
                    inner.set_span(group.span());
                    done.push(inner.into());
                }
                tree => done.push(tree.clone()),
            }
            at += 1;
        }
        done.into_iter().collect()
    }

    /// The expansion of a call of a macro, by the first rule that matches.
    fn call(&mut self, called: &Ident, input: TokenStream) -> Option<TokenStream> {
        if self.tokens > MOST_TOKENS {
            return None;
        }
        let name = marks::unmarked(&called.to_string());
        let definition = self.scope.iter().rev().find(|entry| entry.0 == name)?.1;
        let rules = Rc::clone(self.definitions.get(definition)?);
        let expansion = self.expansions.len();
        let furthest = Furthest(Cell::new(called.span()));
        let made = rules.iter().find_map(|rule| {
            let bindings = furthest.noted(matched(&rule.matcher, input.clone(), &furthest)).ok()?;
            transcribed(rule.body.clone(), &bindings, expansion)
        });
        let Some(made) = made else {
            let message = format!(
                "expected tokens that a rule of `{name}!` takes, found others from here on\nhelp: write them as one of its rules says, or add a rule"
            );
            self.errors.push(syn::Error::new(furthest.0.get(), message));
            return None;
        };
        self.expansions.push(definition);
        self.tokens += 1 + count(&made);
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
    let is_item = |item: &syn::Item| match item {
        syn::Item::Macro(item) => hygiene::is_definition(item),
        item => !matches!(item, syn::Item::Verbatim(_)),
    };
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
                found.push(Matcher::Fragment(
                    marks::unmarked(&name.to_string()),
                    marks::unmarked(&kind.to_string()),
                ));
                at += 4;
            }
            [dollar, TokenTree::Group(group), ..] if is_punct(Some(dollar), '$') => {
                let (separator, operator, length) = repetition(&trees[at + 2..]);
                found.push(Matcher::Repeat(matchers(group.stream()), separator, operator));
                at += 2 + length;
            }
            [TokenTree::Group(group), ..] if group.delimiter() != Delimiter::None => {
                found.push(Matcher::Group(group.delimiter(), matchers(group.stream())));
                at += 1;
            }
            rest => {
                let length = tokens::length(rest);
                found.push(Matcher::Token(tokens::text(&rest[..length])));
                at += length;
            }
        }
    }
    found
}

/// The separator and the operator after `$(…)`, and the number of their trees. An operator is none's separator.
fn repetition(trees: &[TokenTree]) -> (Option<Vec<TokenTree>>, char, usize) {
    let operator = |trees: &[TokenTree]| match trees.first() {
        Some(TokenTree::Punct(punct)) if tokens::length(trees) == 1 => {
            Some(punct.as_char()).filter(|sign| matches!(sign, '*' | '+' | '?'))
        }
        _ => None,
    };
    if let Some(first) = operator(trees) {
        return (None, first, 1);
    }
    let length = tokens::length(trees);
    match operator(&trees[length..]) {
        Some(second) => (Some(tokens::apart(&trees[..length])), second, length + 1),
        None => (None, '*', 0),
    }
}

/// The last token that a rule does not take, of all rules of a macro.
struct Furthest(Cell<Span>);

impl Furthest {
    fn noted<T>(&self, result: syn::Result<T>) -> syn::Result<T> {
        let place = |span: Span| (span.start().line, span.start().column);
        if let Err(error) = &result
            && place(error.span()) > place(self.0.get())
        {
            self.0.set(error.span());
        }
        result
    }
}

/// Matches all of the tokens.
fn matched(matcher: &[Matcher], tokens: TokenStream, furthest: &Furthest) -> syn::Result<Bindings> {
    let parse = |input: ParseStream<'_>| {
        let mut bindings = Bindings::new();
        match_in(matcher, input, &mut bindings, furthest)?;
        Ok(bindings)
    };
    parse.parse2(tokens)
}

fn match_in(
    matcher: &[Matcher],
    input: ParseStream<'_>,
    bindings: &mut Bindings,
    furthest: &Furthest,
) -> syn::Result<()> {
    for part in matcher {
        match part {
            Matcher::Token(text) => expect_token(text, input)?,
            Matcher::Group(delimiter, inner) => {
                let ahead = input.fork();
                match tokens::next(&ahead)?.first() {
                    Some(TokenTree::Group(group)) if group.delimiter() == *delimiter => {
                        bindings.extend(matched(inner, group.stream(), furthest)?);
                        input.advance_to(&ahead);
                    }
                    _ => return Err(input.error("another token")),
                }
            }
            Matcher::Fragment(name, kind) => {
                let tokens = fragment(kind, input)?;
                bindings.insert(name.clone(), Matched::Once(tokens));
            }
            Matcher::Repeat(inner, separator, operator) => {
                let separator = separator.as_ref().map(|separator| tokens::text(separator));
                let mut each: Vec<Bindings> = Vec::new();
                while !(input.is_empty() || *operator == '?' && each.len() == 1) {
                    let ahead = input.fork();
                    if let (Some(separator), false) = (&separator, each.is_empty())
                        && expect_token(separator, &ahead).is_err()
                    {
                        break;
                    }
                    let mut own = Bindings::new();
                    // Without progress the repetition would go on for ever; rustc refuses one that can match nothing.
                    let matches = furthest.noted(match_in(inner, &ahead, &mut own, furthest));
                    if matches.is_err() || ahead.cursor() == input.cursor() {
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

fn expect_token(text: &str, input: ParseStream<'_>) -> syn::Result<()> {
    let ahead = input.fork();
    let token = tokens::next(&ahead)?;
    match token.first() {
        Some(TokenTree::Group(_)) | None => Err(input.error("another token")),
        Some(_) if tokens::text(&token) != text => Err(input.error("another token")),
        Some(_) => {
            input.advance_to(&ahead);
            Ok(())
        }
    }
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

/// Parses a fragment. All but names, lifetimes and single tokens stay one, whatever stands around them.
fn fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if let Ok(token) = tokens::next(&input.fork())
        && let Some((known, inner)) = token.first().and_then(tokens::fragment)
        && matches!(
            kind,
            "ident"
                | "lifetime"
                | "literal"
                | "block"
                | "stmt"
                | "item"
                | "vis"
                | "meta"
                | "pat"
                | "pat_param"
                | "ty"
                | "path"
        )
    {
        // Another macro's fragment: it is no other one.
        let fits = match (kind, known) {
            ("ident" | "lifetime", _) => false,
            (_, Kind::Unknown) => true,
            ("ty", Kind::Type | Kind::Path) | ("path", Kind::Path) => true,
            ("pat" | "pat_param", Kind::Pattern | Kind::Expression | Kind::Path) => true,
            ("literal", Kind::Expression) => true,
            ("block" | "item" | "vis" | "meta" | "stmt", Kind::Other) => true,
            ("stmt", Kind::Expression | Kind::Path) => true,
            _ => false,
        };
        if !fits || kind == "literal" && !is_literal(&inner) {
            return match kind {
                // It may be empty.
                "vis" => Ok(TokenStream::new()),
                _ => Err(input.error("another fragment")),
            };
        }
        if kind == "literal" {
            return Ok(tokens::next(input)?.into_iter().collect());
        }
    }
    Ok(match kind {
        "ident" => {
            let name = input.call(Ident::parse_any)?;
            if name == "_" {
                return Err(input.error("no name"));
            }
            name.into_token_stream()
        }
        "tt" => {
            let token = tokens::next(input)?;
            tokens::apart(&token).into_iter().collect()
        }
        "lifetime" => parsed::<syn::Lifetime>(input)?,
        "expr" | "expr_2021" => expression(parsed::<syn::Expr>(input)?),
        "literal" => {
            let sign: Option<syn::Token![-]> = input.parse()?;
            let literal: syn::Lit = input.parse()?;
            let mut tokens = sign.into_token_stream();
            literal.to_tokens(&mut tokens);
            expression(tokens)
        }
        "ty" => tokens::opaque(Kind::Type, parsed::<syn::Type>(input)?).into(),
        "path" => tokens::opaque(Kind::Path, parsed::<syn::Path>(input)?).into(),
        "block" => other(parsed::<syn::Block>(input)?),
        "stmt" => other(statement(input)?),
        "item" => other(parsed::<syn::Item>(input)?),
        "vis" => match parsed::<syn::Visibility>(input)? {
            none if none.is_empty() => none,
            written => other(written),
        },
        "meta" => other(parsed::<syn::Meta>(input)?),
        "pat" => pattern(input.call(syn::Pat::parse_multi_with_leading_vert)?),
        "pat_param" => pattern(input.call(syn::Pat::parse_single)?),
        _ => return Err(input.error("an unknown kind of fragment")),
    })
}

fn parsed<T: Parse + ToTokens>(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    Ok(input.parse::<T>()?.into_token_stream())
}

fn other(tokens: TokenStream) -> TokenStream {
    tokens::opaque(Kind::Other, tokens).into()
}

/// An expression, in parentheses where it needs them.
fn expression(tokens: TokenStream) -> TokenStream {
    let inner = match whole(tokens.clone()) {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            TokenTree::Group(group).into()
        }
        _ => tokens,
    };
    tokens::opaque(Kind::Expression, inner).into()
}

/// A statement without its semicolon, which stays where it is.
fn statement(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if input.peek(syn::Token![let]) {
        // rustc takes a `let` without its semicolon, `syn` with it.
        let mut tokens = TokenStream::new();
        let mut text: Vec<TokenTree> = Vec::new();
        let ahead = input.fork();
        while !ahead.is_empty() && !ahead.peek(syn::Token![;]) {
            text.extend(tokens::next(&ahead)?);
        }
        let mut closed: TokenStream = text.iter().cloned().collect();
        closed.extend([TokenTree::from(Punct::new(';', Spacing::Alone))]);
        syn::parse2::<syn::Stmt>(closed)?;
        input.advance_to(&ahead);
        tokens.extend(text);
        return Ok(tokens);
    }
    if let Ok(item) = input.fork().parse::<syn::Item>()
        && !matches!(item, syn::Item::Macro(_) | syn::Item::Verbatim(_))
    {
        return parsed::<syn::Item>(input);
    }
    parsed::<syn::Expr>(input)
}

/// A pattern of several parts is put into parentheses, whatever stands around it.
fn pattern(pattern: syn::Pat) -> TokenStream {
    let tokens = pattern.to_token_stream();
    let tokens = match pattern {
        syn::Pat::Or(_) | syn::Pat::Range(_) => {
            TokenTree::from(Group::new(Delimiter::Parenthesis, tokens)).into()
        }
        _ => tokens,
    };
    tokens::opaque(Kind::Pattern, tokens).into()
}

/// Returns true for a literal alone, perhaps with a sign and in the parentheses that it has for that.
fn is_literal(tokens: &TokenStream) -> bool {
    match syn::parse2::<syn::Expr>(tokens.clone()) {
        Ok(syn::Expr::Lit(_)) => true,
        Ok(syn::Expr::Paren(inner)) => is_literal(&inner.expr.to_token_stream()),
        Ok(syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. })) => {
            matches!(*expr, syn::Expr::Lit(_))
        }
        Ok(_) | Err(_) => false,
    }
}

/// The body of a rule with what was matched in place of the fragments' names, and its own names with the expansion's mark; `None` if
/// a repetition repeats nothing known.
fn transcribed(body: TokenStream, bindings: &Bindings, expansion: usize) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = body.into_iter().collect();
    let mut done = TokenStream::new();
    let mut at = 0;
    while at < trees.len() {
        match &trees[at..] {
            [dollar, TokenTree::Ident(name), ..] if is_punct(Some(dollar), '$') => {
                match bindings.get(&marks::unmarked(&name.to_string())) {
                    Some(Matched::Once(tokens)) => done.extend(tokens.clone()),
                    Some(Matched::Each(_)) => return None,
                    None if name == "crate" => done.extend([trees[at + 1].clone()]),
                    // A macro that the macro defines has fragments of its own.
                    None => done.extend([dollar.clone(), trees[at + 1].clone()]),
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
                        done.extend(separator.iter().cloned());
                    }
                    done.extend(transcribed(group.stream(), &own, expansion)?);
                }
                at += 2 + length;
            }
            [TokenTree::Group(group), ..] => {
                let mut inner =
                    Group::new(group.delimiter(), transcribed(group.stream(), bindings, expansion)?);
                inner.set_span(group.span());
                done.extend([TokenTree::from(inner)]);
                at += 1;
            }
            [TokenTree::Ident(name), rest @ ..] => {
                done.extend([TokenTree::from(match is_name(name, trees[..at].last(), rest) {
                    true => marks::marked(name, expansion),
                    false => {
                        let mut name = name.clone();
                        name.set_span(marks::of_macro(name.span()));
                        name
                    }
                })]);
                at += 1;
            }
            [TokenTree::Literal(literal), ..] => {
                let marked = marks::with_names(literal, |name| marks::text_marked(name, expansion));
                done.extend([TokenTree::from(marked)]);
                at += 1;
            }
            [apostrophe, TokenTree::Ident(name), ..] if is_punct(Some(apostrophe), '\'') => {
                let mut name = name.clone();
                if name == "static" || name == "_" {
                    name.set_span(marks::of_macro(name.span()));
                } else {
                    name = marks::marked(&name, expansion);
                }
                done.extend([apostrophe.clone(), name.into()]);
                at += 2;
            }
            rest => {
                let length = tokens::length(rest);
                done.extend(tokens::apart(&rest[..length]));
                at += length;
            }
        }
    }
    Some(done)
}

/// Returns false for keywords, those among them that are some only where they stand.
fn is_name(name: &Ident, before: Option<&TokenTree>, after: &[TokenTree]) -> bool {
    let text = name.to_string();
    let before_word = matches!(after.first(), Some(TokenTree::Ident(_)));
    match &*text {
        "macro_rules" => !is_punct(after.first(), '!'),
        "union" | "auto" | "default" | "safe" => !before_word,
        "raw" => !(is_punct(before, '&') && before_word),
        text => !marks::is_keyword(text),
    }
}

/// The names after `$` in the tokens.
fn used_in(tokens: TokenStream, names: &mut Vec<String>) {
    let mut after_dollar = false;
    for tree in tokens {
        match &tree {
            TokenTree::Ident(name) if after_dollar => names.push(marks::unmarked(&name.to_string())),
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
        let shown = match super::expand(&item) {
            Ok(None) => "nothing to expand".to_owned(),
            Ok(Some(tokens)) => tokens.to_string(),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
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
            expect!["mod m { fn a (x : f32) -> f32 { x + x } fn b (x : u32) -> u32 { x ^ x } }"],
        );
    }

    #[test]
    fn calls_that_no_rule_takes() {
        check(
            "fn k() { macro_rules! map { ($($k:literal => |$x:ident| $v:expr);+) => { 1 } } map!(1 => |a| a; 2 => || 3); }",
            expect![[r#"
                expected tokens that a rule of `map!` takes, found others from here on
                help: write them as one of its rules says, or add a rule"#]],
        );
        let place = |item: &str| {
            let error = super::expand(&item.parse().expect("tokens")).expect_err("no rule takes the call");
            let start = error.span().start().column;
            item[start..].chars().take(4).collect::<String>()
        };
        let map = "fn k() { macro_rules! map { ($($k:literal => |$x:ident| $v:expr);+) => { 1 } ; (none) => { 2 } }";
        let at = |call: &str| place(&format!("{map} {call} }}"));
        assert_eq!(at("map!(1 => |a| a; 2 => || 3);"), "|| 3");
        assert_eq!(at("map!(1 => |a| a, 2 => |b| 3);"), ", 2 ");
        assert_eq!(at("map!(1 = 2);"), "= 2)");
        assert_eq!(at("map!(none of these);"), "of t");
        assert_eq!(at("f(map!());"), "map!");
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
        let tokens = super::expand(&item).ok().flatten().expect("it has a macro");
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
            expect![[r#"
                expected tokens that a rule of `one!` takes, found others from here on
                help: write them as one of its rules says, or add a rule"#]],
        );
        check("fn k() { let a = 1; }", expect!["nothing to expand"]);
    }

    /// A definition counts from where it stands to the end of its block, that of an expansion, too.
    #[test]
    fn textual_scope() {
        check(
            "mod m { fn f() { macro_rules! v { () => { 1 } } v!(); macro_rules! v { () => { 2 } } { macro_rules! v { () => { 3 } } v!(); } v!(); } fn g() { v!(); } }",
            expect!["mod m { fn f () { 1 ; { 3 ; } 2 ; } fn g () { v ! () ; } }"],
        );
        check(
            "fn k() { macro_rules! def { () => { macro_rules! v { () => { 1 } } } } early!(); { macro_rules! v { () => { 2 } } v!(); } def!(); v!(); macro_rules! early { () => { 3 } } }",
            expect!["fn k () { early ! () ; { 2 ; } 1 ; }"],
        );
        check(
            "fn k() { #[allow(unused_macros)] macro_rules! v { () => { 1 } } v!(); }",
            expect!["fn k () { 1 ; }"],
        );
        check(
            "fn k() { macro_rules! def { () => { #[cfg(test)] macro_rules! v { () => { 1 } } } } def!(); }",
            expect![[r#"
                expected a macro without `cfg` here, found one with it: whether it is there would have to be known while other macros are expanded
                help: write `cfg!(…)` in its body instead"#]],
        );
    }

    /// Operators and lifetimes are one token each, however many characters they have.
    #[test]
    fn tokens_of_several_characters() {
        check(
            "fn k() { macro_rules! count { () => { 0 }; ($head:tt $($tail:tt)*) => { 1 + count!($($tail)*) } } f(count!(a == b), count!('a: x => -1 ..= 2), count!(& & <<= ::)); }",
            expect![
                "fn k () { f ((1 + (1 + (1 + 0))) , (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + 0)))))))) , (1 + (1 + (1 + (1 + 0))))) ; }"
            ],
        );
        check(
            "fn k() { macro_rules! op { (= >) => { 1 }; (=>) => { 2 }; (& $e:expr) => { 3 }; (&& $e:expr) => { 4 }; ($a:ident $op:tt $b:expr) => { $a $op $b } } f(op!(=>), op!(&&a), op!(a && b)); }",
            expect!["fn k () { f (2 , 4 , (a && b)) ; }"],
        );
    }

    /// The first operator after a repetition is its own.
    #[test]
    fn operators_after_repetitions() {
        check(
            "fn k() { macro_rules! less { ($($v:expr),*) => { 0 $(- $v)* + -1 }; ($($v:expr)=>*) => { $($v)&&+ } } f(less!(a, b), less!(a => b)); }",
            expect!["fn k () { f ((0 - a - b + - 1) , (a && b)) ; }"],
        );
    }

    /// A fragment that is handed on matches no tokens, and `_` is no name.
    #[test]
    fn opaque_fragments() {
        check(
            "fn k() { macro_rules! inner { (3) => { 100 }; ($i:ident) => { $i * 2 }; (_) => { 200 }; (-$e:expr) => { 300 }; ($l:literal) => { $l * 3 }; ($e:expr) => { $e + 1 } }   macro_rules! outer { ($e:expr) => { inner!($e) } } macro_rules! direct { ($t:tt) => { inner!($t) } } f(outer!(3), direct!(3), outer!(a), inner!(a), inner!(_), outer!(-a), outer!(b + c), outer!(-4)); }",
            expect![
                "fn k () { f ((3 * 3) , 100 , (a + 1) , (a * 2) , 200 , ((- a) + 1) , ((b + c) + 1) , ((- 4) * 3)) ; }"
            ],
        );
        check(
            "fn k() { macro_rules! three { (3) => { 1 } } macro_rules! outer { ($l:literal) => { three!($l) } } outer!(3); }",
            expect![[r#"
                expected tokens that a rule of `three!` takes, found others from here on
                help: write them as one of its rules says, or add a rule"#]],
        );
        check(
            "fn k() { macro_rules! b { ($t:ty, $p:path, $v:vis, $b:block, $q:pat, $s:stmt) => { $v fn g(a: $t) { $s; let $q = $b; $p(a as $t < 3); } } } macro_rules! a { ($t:ty, $p:path, $v:vis, $b:block, $q:pat, $s:stmt) => { b!($t, $p, $v, $b, $q, $s); } } a!(u32, x::y, pub, { 7 }, 1 | 2, let z = 1); a!(u32, x, , {}, _, z += 1); }",
            expect![
                "fn k () { pub fn g (a : u32) { let z = 1 ; let (1 | 2) = { 7 } ; x :: y (a as u32 < 3) ; } fn g (a·2 : u32) { z += 1 ; let _ = { } ; x (a·2 as u32 < 3) ; } }"
            ],
        );
    }

    /// Each expansion has variables of its own; those that no other one could be taken for keep their names.
    #[test]
    fn variables_of_an_expansion() {
        check(
            "fn k() { macro_rules! sum { ($acc:expr;) => { $acc }; ($acc:expr; $x:expr $(, $r:expr)*) => {{ let t = $x; sum!($acc + t; $($r),*) }}; } let t = 1; f(sum!(0; t, 2)); }",
            expect!["fn k () { let t = 1 ; f ({ let t·2 = t ; { let t·3 = 2 ; ((0 + t·2) + t·3) } }) ; }"],
        );
        check(
            "fn k() { macro_rules! make { () => { let t = 5; } } macro_rules! read { () => { t } } make!(); f(read!()); }",
            expect!["fn k () { let t·2 = 5 ; f (t) ; }"],
        );
        check(
            "fn k() { macro_rules! twice { ($e:expr) => { (|k: u32| $e + k)(1) } } macro_rules! outer { ($v:expr) => {{ let k = $v; for i in 0..k { match i { j if j > k => {} _ => {} } } twice!(k) }} } f(outer!(k)); }",
            expect![
                "fn k () { f ({ let k·2 = k ; for i in 0 .. k·2 { match i { j if j > k·2 => { } _ => { } } } (| k·3 : u32 | k·2 + k·3) (1) }) ; }"
            ],
        );
        check(
            "mod m { fn f() { macro_rules! one { ($v:expr) => {{ let a = $v; a }} } one!(1); } fn g() { one!(1); } }",
            expect!["mod m { fn f () { { let a = 1 ; a } ; } fn g () { one ! (1) ; } }"],
        );
    }

    /// A name that the macro does not bind is the one where the macro is defined.
    #[test]
    fn names_around_a_definition() {
        check(
            "fn k(x: u32) { let t = 1; macro_rules! m { ($e:expr) => { t + x + $e } } f(m!({ let t = 2; t })); }",
            expect!["fn k (x : u32) { let t = 1 ; f (t + x + ({ let t = 2 ; t })) ; }"],
        );
        check(
            "fn k() { let t = 1; macro_rules! m { () => { t } } let t = 2; f(m!()); }",
            expect![[r#"
            expected one `t` in scope, found another one between the macro that names it and its call: to rustc it is the one where the macro is defined
            help: rename one of them, or define the macro after both"#]],
        );
        check(
            "fn k() { macro_rules! outer { ($n:ident) => { let t = 1; macro_rules! $n { () => { t } } } } outer!(m); let t = 2; f(m!(), t); }",
            expect!["fn k () { let t·2 = 1 ; ; let t = 2 ; f (t·2 , t) ; }"],
        );
    }

    /// Fields, named arguments and names of items stay what they are.
    #[test]
    fn names_that_are_no_variables() {
        check(
            "fn k() { macro_rules! m { ($e:expr) => {{ let t = $e; let S { ref mut t, u: S { t: v } } = S { t, u: t.t(t::t, x.t) }; println!(\"{t} {x} {{t}} {:t$}\", t, x = t); stringify!(t); t as t }} } let t = 3; m!(t); let v = 1; m!(v); }",
            expect![[
                r#"fn k () { let t = 3 ; { let t·2 = t ; let S { t : ref mut t·2 , u : S { t : v·2 } } = S { t : t·2 , u : t·2 . t (t :: t , x . t) } ; println ! ("{t·2} {x} {{t}} {:t·2$}" , t·2 , x = t·2) ; stringify ! (t) ; t·2 as t } ; let v = 1 ; { let t·3 = v ; let S { t : ref mut t·3 , u : S { t : v·3 } } = S { t : t·3 , u : t·3 . t (t :: t , x . t) } ; println ! ("{t·3} {x} {{t}} {:t·3$}" , t·3 , x = t·3) ; stringify ! (t) ; t·3 as t } ; }"#
            ]],
        );
        check(
            "fn k() { macro_rules! m { ($e:expr) => {{ let a = $e; inline_ptx!(\"add {a};\", a = in(u32) a, cpu = a) }} } m!(a); }",
            expect![[
                r#"fn k () { { let a·2 = a ; inline_ptx ! ("add {a};" , a = in (u32) a·2 , cpu = a) } ; }"#
            ]],
        );
        check(
            "fn k() { const N: u32 = 1; macro_rules! m { ($e:expr) => { match $e { N => 1, MAX => 2, n => n } } } let n = 2; m!(n); }",
            expect![
                "fn k () { const N : u32 = 1 ; let n = 2 ; match n { N => 1 , MAX => 2 , n·2 => n·2 } ; }"
            ],
        );
    }

    /// A literal has the hygiene of one side only.
    #[test]
    fn format_strings_with_names_of_both_sides() {
        check(
            "fn k() { let i = 1; macro_rules! m { ($e:expr) => {{ let t = $e; println!(\"{t} {i} {t:?}\"); println!(\"{i}\"); println!(\"{t}\",); }} } let t = 3; m!(t); }",
            expect![[
                r#"fn k () { let i = 1 ; let t = 3 ; { let t·2 = t ; println ! ("{t·2} {i} {t·2:?}" , t·2 = t·2 , i = i) ; println ! ("{i}") ; println ! ("{t·2}" ,) ; } ; }"#
            ]],
        );
    }

    /// Labels are as variables.
    #[test]
    fn labels_of_an_expansion() {
        check(
            "fn k() { macro_rules! once { ($b:block) => { 'a: loop { $b break 'a; } } } 'a: loop { once!({ break 'a; }); } }",
            expect!["fn k () { 'a : loop { 'a·2 : loop { { break 'a ; } break 'a·2 ; } ; } }"],
        );
        check(
            "fn k() { macro_rules! out { () => { break 'a } } 'a: loop { out!(); } 'b: loop { macro_rules! out { () => { break 'b } } out!(); } }",
            expect!["fn k () { 'a : loop { break 'a·2 ; } 'b : loop { break 'b ; } }"],
        );
    }
}
