//! Tokens as rustc's macros count them: `&&`, `..=` and `'a` are one each, and so is a fragment that another macro has matched.

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};
use syn::parse::ParseStream;

use super::marks;

/// Operators of several characters, the longest first.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "..=", "&&", "||", "==", "!=", "<=", ">=", "->", "<-", "=>", "::", "..", "<<", ">>",
    "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=",
];

/// The number of trees that the first token has.
pub fn length(trees: &[TokenTree]) -> usize {
    let Some(TokenTree::Punct(first)) = trees.first() else { return trees.len().min(1) };
    if first.as_char() == '\'' && matches!(trees.get(1), Some(TokenTree::Ident(_))) {
        return 2;
    }
    // The characters that follow each other without a space.
    let mut text = String::new();
    for tree in trees.iter().take(3) {
        let TokenTree::Punct(punct) = tree else { break };
        text.push(punct.as_char());
        if punct.spacing() == Spacing::Alone {
            break;
        }
    }
    OPERATORS.iter().find(|operator| text.starts_with(**operator)).map_or(1, |operator| operator.len())
}

/// The trees of a token that no next one joins.
pub fn apart(token: &[TokenTree]) -> Vec<TokenTree> {
    let mut token = token.to_vec();
    if let Some(TokenTree::Punct(last)) = token.last_mut() {
        let mut alone = Punct::new(last.as_char(), Spacing::Alone);
        alone.set_span(last.span());
        *last = alone;
    }
    token
}

/// The text of a token without what tells its origin.
pub fn text(token: &[TokenTree]) -> String {
    marks::unmarked(&token.iter().map(ToString::to_string).collect::<String>())
}

/// The next token of the input.
pub fn next(input: ParseStream<'_>) -> syn::Result<Vec<TokenTree>> {
    input.step(|cursor| {
        let (mut trees, mut after) = (Vec::new(), Vec::new());
        let mut at = *cursor;
        while trees.len() < 3
            && let Some((tree, rest)) = at.token_tree()
        {
            trees.push(tree);
            after.push(rest);
            at = rest;
        }
        match length(&trees) {
            0 => Err(cursor.error("the end of the tokens")),
            length => {
                trees.truncate(length);
                Ok((trees, after[length - 1]))
            }
        }
    })
}

/// The kinds of fragments that stay whole, by what they may be matched as again.
///
/// A fragment is in a group without delimiters, and this is in as many around it as its number is: groups have no other room for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Of a macro around the item, which does not tell.
    Unknown = 1,
    /// A block, a statement, an item, a visibility, a path in an attribute.
    Other,
    Type,
    /// An expression or a literal.
    Expression,
    Pattern,
    Path,
}

const KINDS: [Kind; 6] =
    [Kind::Unknown, Kind::Other, Kind::Type, Kind::Expression, Kind::Pattern, Kind::Path];

/// The only tree of the tokens.
pub fn only(tokens: &TokenStream) -> Option<TokenTree> {
    let mut trees = tokens.clone().into_iter();
    trees.next().filter(|_| trees.next().is_none())
}

fn fragment_of(tree: &TokenTree) -> Option<&Group> {
    match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => Some(group),
        _ => None,
    }
}

/// A fragment that stays whole. One that was before keeps its kind.
pub fn opaque(kind: Kind, tokens: TokenStream) -> TokenTree {
    match only(&tokens) {
        Some(tree) if fragment_of(&tree).is_some() => tree,
        _ => {
            let mut group = Group::new(Delimiter::None, tokens);
            for _ in 1..kind as usize {
                group = Group::new(Delimiter::None, TokenTree::from(group).into());
            }
            group.into()
        }
    }
}

/// The kind of a fragment, and its tokens.
pub fn fragment(tree: &TokenTree) -> Option<(Kind, TokenStream)> {
    let mut group = fragment_of(tree)?.clone();
    let mut depth = 0;
    while let Some(tree) = only(&group.stream())
        && let Some(inner) = fragment_of(&tree)
    {
        group = inner.clone();
        depth += 1;
    }
    Some((KINDS.get(depth).copied().unwrap_or(Kind::Unknown), group.stream()))
}
