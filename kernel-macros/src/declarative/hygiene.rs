//! Hygiene of `macro_rules!`: each expansion has variables and labels of its own.
//!
//! As in rustc, a name is a variable's if its text and its [marks](marks) are; where the definition of the macro that the last mark is
//! of has been passed on the way outwards, the mark no longer counts: names of a macro that it does not bind are those in scope where
//! it is defined. Items have no hygiene. What comes after this phase knows names by their texts alone, so variables of one text with
//! other marks are given numbers: `t·2`.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, Pat};

use super::{is_punct, marks};

/// Prefix of the names that stand for definitions; their numbers follow.
const DEFINITION: &str = "definition··";

/// `macro_rules! definition··3 {}`: what stands for a macro's definition until hygiene has seen it.
pub fn definition(number: usize, span: Span) -> [TokenTree; 4] {
    [
        Ident::new("macro_rules", span).into(),
        Punct::new('!', Spacing::Alone).into(),
        Ident::new(&format!("{DEFINITION}{number}"), span).into(),
        Group::new(Delimiter::Brace, TokenStream::new()).into(),
    ]
}

fn number_of(name: &Ident) -> Option<usize> {
    name.to_string().strip_prefix(DEFINITION)?.parse().ok()
}

/// Returns true for what stands for a definition.
pub fn is_definition(item: &syn::ItemMacro) -> bool {
    item.ident.as_ref().is_some_and(|name| number_of(name).is_some())
}

/// The number of the definition at the start of the trees.
fn definition_at(trees: &[TokenTree]) -> Option<usize> {
    match trees {
        [TokenTree::Ident(word), mark, TokenTree::Ident(name), ..]
            if word == "macro_rules" && is_punct(Some(mark), '!') =>
        {
            number_of(name)
        }
        _ => None,
    }
}

/// The tokens without marks, and with names of their own for variables and labels of expansions that would be taken for others.
/// `expansions` has the definition of each.
pub fn resolved(tokens: TokenStream, expansions: &[usize], errors: &mut Vec<syn::Error>) -> TokenStream {
    let mut written = Vec::new();
    let numbered = number(tokens, &mut written);
    let mut taken = HashSet::new();
    let mut constants = HashSet::new();
    note(numbered.clone(), &mut taken, &mut constants);
    let uses = written.iter().map(|_| None).collect();
    let mut walk = Walk {
        written: &written,
        expansions,
        constants: &constants,
        scope: Vec::new(),
        bound: 0,
        refutable: false,
        function: 0,
        functions: vec![HashMap::new()],
        is_in_function: false,
        uses,
        errors,
    };
    // Tokens that are no item are reported by the parser of kernels.
    if let Ok(item) = syn::parse2::<syn::Item>(numbered.clone()) {
        walk.visit_item(&item);
    }
    let names = walk.names(&mut taken);
    rewritten(numbered, &written, &names)
}

/// A name that a macro has written: its text, its marks.
struct Written {
    base: String,
    marks: Vec<usize>,
}

/// Gives each marked name in the tokens a mark of its own, its index.
fn number(tokens: TokenStream, written: &mut Vec<Written>) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut done: Vec<TokenTree> = Vec::new();
    let mut next = |text: &str| {
        let (base, marks) = marks::parts(text);
        if marks.is_empty() {
            return None;
        }
        let text = marks::text_marked(&base, written.len());
        written.push(Written { base, marks });
        Some(text)
    };
    let mut at = 0;
    let mut groups = Vec::new();
    while at < trees.len() {
        if definition_at(&trees[at..]).is_some() {
            done.extend(trees[at..].iter().take(4).cloned());
            at += 4;
            continue;
        }
        done.push(match &trees[at] {
            TokenTree::Group(group) => {
                groups.push(done.len());
                group.clone().into()
            }
            TokenTree::Ident(name) => match next(&name.to_string()) {
                Some(text) => marks::renamed(name, &text).into(),
                None => name.clone().into(),
            },
            TokenTree::Literal(literal) => {
                marks::with_names(literal, |name| next(name).unwrap_or_else(|| name.to_owned())).into()
            }
            punct => punct.clone(),
        });
        at += 1;
    }
    for index in groups {
        if let TokenTree::Group(group) = &done[index] {
            let mut inner = Group::new(group.delimiter(), number(group.stream(), written));
            inner.set_span(group.span());
            done[index] = inner.into();
        }
    }
    done.into_iter().collect()
}

/// Notes all names, without marks, and those of constants, statics and unit structs.
fn note(tokens: TokenStream, taken: &mut HashSet<String>, constants: &mut HashSet<String>) {
    let mut is_constant = false;
    for tree in tokens {
        let mut next_is = false;
        match tree {
            TokenTree::Ident(name) => {
                let (base, _) = marks::parts(&name.to_string());
                next_is =
                    matches!(&*base, "const" | "static" | "struct" | "use") || is_constant && base == "mut";
                if is_constant {
                    constants.insert(base.clone());
                }
                taken.insert(base);
            }
            TokenTree::Group(group) => note(group.stream(), taken, constants),
            TokenTree::Literal(literal) => {
                let source = literal.to_string();
                taken.extend(marks::captured(&source).into_iter().map(|name| source[name].to_owned()));
            }
            TokenTree::Punct(_) => {}
        }
        is_constant = next_is;
    }
}

/// The meaning of a name, with the marks that it has where it is bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    Bound(Vec<usize>),
    /// An item, or nothing.
    Free,
}

struct Use {
    function: usize,
    /// Its text; a label's with the apostrophe.
    name: String,
    meaning: Meaning,
    /// A field and a variable in one: `S { t }`.
    is_shorthand: bool,
}

enum Entry {
    Definition(usize),
    Variable { name: String, marks: Vec<usize>, id: usize },
}

struct Walk<'w> {
    written: &'w [Written],
    expansions: &'w [usize],
    constants: &'w HashSet<String>,
    /// The variables, labels and definitions in scope.
    scope: Vec<Entry>,
    /// Number of variables and labels so far.
    bound: usize,
    /// Within a pattern that may not match.
    refutable: bool,
    /// The current function; 0 outside of functions.
    function: usize,
    /// The meanings that each name has in a function, in order.
    functions: Vec<HashMap<String, Vec<Meaning>>>,
    is_in_function: bool,
    /// The meaning of each written name; none if it is neither a variable nor a label.
    uses: Vec<Option<Use>>,
    errors: &'w mut Vec<syn::Error>,
}

impl Walk<'_> {
    /// The text of a name, its marks, and its index if a macro has written it.
    fn parts(&self, text: &str) -> (String, Vec<usize>, Option<usize>) {
        let (base, index) = marks::parts(text);
        match index.first().and_then(|index| Some((*index, self.written.get(*index)?))) {
            Some((index, written)) => (written.base.clone(), written.marks.clone(), Some(index)),
            None => (base, Vec::new(), None),
        }
    }

    fn note(&mut self, name: String, meaning: Meaning, index: Option<usize>, is_shorthand: bool) {
        let meanings = self.functions[self.function].entry(name.clone()).or_default();
        if !meanings.contains(&meaning) {
            meanings.push(meaning.clone());
        }
        if let Some(index) = index {
            self.uses[index] = Some(Use { function: self.function, name, meaning, is_shorthand });
        }
    }

    fn bind(&mut self, sign: &str, text: &str, is_shorthand: bool) {
        let (base, marks, index) = self.parts(text);
        let name = format!("{sign}{base}");
        self.scope.push(Entry::Variable { name: name.clone(), marks: marks.clone(), id: self.bound });
        self.bound += 1;
        self.note(name, Meaning::Bound(marks), index, is_shorthand);
    }

    /// A name that may be a variable's or a label's.
    fn name(&mut self, sign: &str, text: &str, span: Span, is_shorthand: bool) {
        let (base, mut marks, index) = self.parts(text);
        let name = format!("{sign}{base}");
        let mut found = None;
        for entry in self.scope.iter().rev() {
            match entry {
                Entry::Definition(number) => {
                    let last = marks.last().and_then(|mark| self.expansions.get(*mark));
                    if last == Some(number) {
                        marks.pop();
                    }
                }
                Entry::Variable { name: other, marks: theirs, id } if *other == name && *theirs == marks => {
                    found = Some(*id);
                    break;
                }
                Entry::Variable { .. } => {}
            }
        }
        let Some(found) = found else { return self.note(name, Meaning::Free, index, is_shorthand) };
        let last = self.scope.iter().rev().find_map(|entry| match entry {
            Entry::Variable { name: other, marks: theirs, id } if *other == name && *theirs == marks => {
                Some(*id)
            }
            Entry::Variable { .. } | Entry::Definition(_) => None,
        });
        if last != Some(found) {
            let message = format!(
                "expected one `{name}` in scope, found another one between the macro that names it and its call: to rustc it is \
                 the one where the macro is defined\nhelp: rename one of them, or define the macro after both"
            );
            self.errors.push(syn::Error::new(span, message));
        }
        self.note(name, Meaning::Bound(marks), index, is_shorthand);
    }

    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = self.scope.len();
        walk(self);
        self.scope.truncate(outer);
    }

    fn function(&mut self, sig: &syn::Signature, walk: impl FnOnce(&mut Self)) {
        let outer = (self.is_in_function, self.function);
        if !self.is_in_function {
            self.function = self.functions.len();
            self.functions.push(HashMap::new());
            self.is_in_function = true;
        }
        self.scoped(|this| {
            for param in sig.generics.const_params() {
                let (_, marks, _) = this.parts(&param.ident.to_string());
                // The name in types has no hygiene here, so it stays what it is.
                if marks.is_empty() {
                    this.bind("", &param.ident.to_string(), false);
                }
            }
            this.pattern(false, |this| this.visit_signature(sig));
            walk(this);
        });
        (self.is_in_function, self.function) = outer;
    }

    fn pattern(&mut self, refutable: bool, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.refutable, refutable);
        walk(self);
        self.refutable = outer;
    }

    fn label(&mut self, label: Option<&syn::Label>) {
        if let Some(label) = label {
            self.bind("'", &label.name.ident.to_string(), false);
        }
    }

    /// Returns true if a name in a pattern is no new variable: a constant, a unit struct, `None`.
    fn is_constant(&self, base: &str) -> bool {
        let has_case =
            |upper: bool| base.contains(|c: char| if upper { c.is_uppercase() } else { c.is_lowercase() });
        self.constants.contains(base) || has_case(true) && (self.refutable || has_case(false))
    }

    /// The arguments of a macro.
    fn macro_tokens(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let (name, ..) = self.parts(&name);
        match &*name {
            "macro_rules" | "stringify" | "concat" | "cfg" => return,
            "matches" => {
                let parts = |input: ParseStream<'_>| {
                    let value: Expr = input.parse()?;
                    input.parse::<syn::Token![,]>()?;
                    let pattern = Pat::parse_multi_with_leading_vert(input)?;
                    let guard = match input.parse::<Option<syn::Token![if]>>()? {
                        Some(_) => Some(input.parse::<Expr>()?),
                        None => None,
                    };
                    input.parse::<Option<syn::Token![,]>>()?;
                    Ok((value, pattern, guard))
                };
                if let Ok((value, pattern, guard)) = parts.parse2(mac.tokens.clone()) {
                    self.visit_expr(&value);
                    self.scoped(|this| {
                        this.pattern(true, |this| this.visit_pat(&pattern));
                        guard.iter().for_each(|guard| this.visit_expr(guard));
                    });
                    return;
                }
            }
            _ => {}
        }
        let parsed = Punctuated::<Expr, syn::Token![,]>::parse_terminated.parse2(mac.tokens.clone());
        match parsed {
            Ok(arguments) if name != "inline_ptx" => self.arguments(&arguments),
            Ok(_) | Err(_) => self.operands(mac.tokens.clone()),
        }
    }

    /// A format string's values, some of them by name.
    fn arguments(&mut self, arguments: &Punctuated<Expr, syn::Token![,]>) {
        let mut named = HashSet::new();
        for argument in arguments {
            match argument {
                Expr::Assign(assign) if let Some(name) = variable(&assign.left) => {
                    named.insert(self.parts(&name.to_string()).0);
                    self.visit_expr(&assign.right);
                }
                other => self.visit_expr(other),
            }
        }
        for argument in arguments {
            if let Expr::Lit(literal) = without_groups(argument) {
                let source = literal.lit.to_token_stream().to_string();
                for name in marks::captured(&source) {
                    let (base, ..) = self.parts(&source[name.clone()]);
                    if !named.contains(&base) {
                        self.name("", &source[name], literal.lit.span(), false);
                    }
                }
            }
        }
    }

    /// Operands with names of their own, which are those in `cpu = …`: `a = in(f32) x`.
    fn operands(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let named = |operand: &[TokenTree]| match operand {
            [TokenTree::Ident(name), sign, ..]
                if is_punct(Some(sign), '=') && !is_punct(operand.get(2), '=') =>
            {
                Some(name.to_string())
            }
            _ => None,
        };
        let operands = trees.split(|tree| is_punct(Some(tree), ','));
        let names: HashSet<String> =
            operands.clone().filter_map(named).map(|name| self.parts(&name).0).collect();
        for operand in operands {
            let name = named(operand);
            let value = if name.is_some() { &operand[2..] } else { operand };
            match name.is_some_and(|name| self.parts(&name).0 == "cpu") {
                true => self.tokens(value, &names),
                false => self.tokens(value, &HashSet::new()),
            }
        }
    }

    /// Tokens that are no expressions: a name in them may be a variable's, unless a dot is before it.
    fn tokens(&mut self, trees: &[TokenTree], known: &HashSet<String>) {
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => {
                    self.tokens(&group.stream().into_iter().collect::<Vec<_>>(), known);
                }
                TokenTree::Ident(name) => {
                    let after_dot = at > 0 && is_punct(trees.get(at - 1), '.');
                    let text = name.to_string();
                    if !(after_dot || marks::is_keyword(&text) || known.contains(&self.parts(&text).0)) {
                        self.name("", &text, name.span(), false);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// The text of each name that a macro has written, the hygiene of which it is, and whether it is a field's as well.
    fn names(&self, taken: &mut HashSet<String>) -> Vec<Name> {
        let mut chosen: HashMap<(usize, &str, &Meaning), String> = HashMap::new();
        let mut numbers: HashMap<(usize, &str), usize> = HashMap::new();
        let mut names = Vec::new();
        for (written, used) in self.written.iter().zip(&self.uses) {
            let Some(Use { function, name, meaning, is_shorthand }) = used else {
                let text = written.base.clone();
                names.push(Name { text, is_written_by_macro: true, is_used: false, field: None });
                continue;
            };
            let meanings = self.functions[*function].get(name).map_or(&[][..], |meanings| meanings);
            let is_label = name.starts_with('\'');
            let keeps = match meaning {
                Meaning::Bound(marks) if marks.is_empty() => true,
                // The label of another loop is none's.
                Meaning::Free => !is_label,
                Meaning::Bound(_) => {
                    meanings.first() == Some(meaning)
                        && !meanings.contains(&Meaning::Free)
                        && !meanings.contains(&Meaning::Bound(Vec::new()))
                }
            };
            let base = &written.base;
            let text = match keeps {
                true => base.clone(),
                false => chosen
                    .entry((*function, name, meaning))
                    .or_insert_with(|| {
                        let number = numbers.entry((*function, name)).or_insert(1);
                        loop {
                            *number += 1;
                            let text = marks::numbered(base, *number);
                            if !taken.contains(&text) {
                                break text;
                            }
                        }
                    })
                    .clone(),
            };
            let field = (*is_shorthand && !keeps).then(|| base.clone());
            let is_written_by_macro = *meaning != Meaning::Bound(Vec::new());
            names.push(Name { text, is_written_by_macro, is_used: true, field });
        }
        names
    }
}

/// Looks through groups that fragments of macros are in.
fn without_groups(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(inner) => without_groups(&inner.expr),
        other => other,
    }
}

/// The name that an expression is.
fn variable(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, |this| this.visit_block(&item.block));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, |this| this.visit_block(&item.block));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.function(&item.sig, |this| item.default.iter().for_each(|block| this.visit_block(block)));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.scoped(|this| visit::visit_item_mod(this, item));
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        match item.ident.as_ref().and_then(number_of) {
            Some(number) => self.scope.push(Entry::Definition(number)),
            None => self.macro_tokens(&item.mac),
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.macro_tokens(mac);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.scoped(|this| visit::visit_block(this, block));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let mut refutable = false;
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                refutable = true;
                self.visit_expr(otherwise);
            }
        }
        self.pattern(refutable, |this| this.visit_pat(&local.pat));
    }

    fn visit_pat(&mut self, pat: &'ast Pat) {
        match pat {
            Pat::Ident(pat) => {
                let text = pat.ident.to_string();
                let (base, ..) = self.parts(&text);
                let is_plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
                match is_plain && self.is_constant(&base) {
                    true => self.name("", &text, pat.ident.span(), false),
                    false => self.bind("", &text, false),
                }
                if let Some((_, inner)) = &pat.subpat {
                    self.visit_pat(inner);
                }
            }
            Pat::Struct(pat) => {
                self.visit_path(&pat.path);
                for field in &pat.fields {
                    match (field.colon_token, &*field.pat) {
                        (None, Pat::Ident(name)) => self.bind("", &name.ident.to_string(), true),
                        (_, pat) => self.visit_pat(pat),
                    }
                }
            }
            other => visit::visit_pat(self, other),
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(path) => match variable(expr) {
                Some(name) => self.name("", &name.to_string(), name.span(), false),
                None => visit::visit_expr_path(self, path),
            },
            Expr::Struct(expr) => {
                self.visit_path(&expr.path);
                for field in &expr.fields {
                    match (field.colon_token, variable(&field.expr)) {
                        (None, Some(name)) => self.name("", &name.to_string(), name.span(), true),
                        _ => self.visit_expr(&field.expr),
                    }
                }
                expr.rest.iter().for_each(|rest| self.visit_expr(rest));
            }
            Expr::Closure(expr) => self.scoped(|this| {
                this.pattern(false, |this| expr.inputs.iter().for_each(|pat| this.visit_pat(pat)));
                this.visit_return_type(&expr.output);
                this.visit_expr(&expr.body);
            }),
            Expr::ForLoop(expr) => {
                self.visit_expr(&expr.expr);
                self.scoped(|this| {
                    this.pattern(false, |this| this.visit_pat(&expr.pat));
                    this.label(expr.label.as_ref());
                    this.visit_block(&expr.body);
                });
            }
            Expr::While(expr) => self.scoped(|this| {
                this.label(expr.label.as_ref());
                this.visit_expr(&expr.cond);
                this.visit_block(&expr.body);
            }),
            Expr::Loop(expr) => self.scoped(|this| {
                this.label(expr.label.as_ref());
                this.visit_block(&expr.body);
            }),
            Expr::Block(expr) => self.scoped(|this| {
                this.label(expr.label.as_ref());
                this.visit_block(&expr.block);
            }),
            Expr::If(expr) => {
                self.scoped(|this| {
                    this.visit_expr(&expr.cond);
                    this.visit_block(&expr.then_branch);
                });
                expr.else_branch.iter().for_each(|(_, otherwise)| self.visit_expr(otherwise));
            }
            Expr::Match(expr) => {
                self.visit_expr(&expr.expr);
                for arm in &expr.arms {
                    self.scoped(|this| {
                        this.pattern(true, |this| this.visit_pat(&arm.pat));
                        this.visit_expr(&arm.body);
                    });
                }
            }
            Expr::Let(expr) => {
                self.visit_expr(&expr.expr);
                self.pattern(true, |this| this.visit_pat(&expr.pat));
            }
            Expr::Break(expr) => {
                if let Some(label) = &expr.label {
                    self.name("'", &label.ident.to_string(), label.ident.span(), false);
                }
                expr.expr.iter().for_each(|value| self.visit_expr(value));
            }
            Expr::Continue(expr) => {
                if let Some(label) = &expr.label {
                    self.name("'", &label.ident.to_string(), label.ident.span(), false);
                }
            }
            Expr::Verbatim(tokens) => self.operands(tokens.clone()),
            other => visit::visit_expr(self, other),
        }
    }
}

struct Name {
    text: String,
    /// It is none of the text around the macro.
    is_written_by_macro: bool,
    /// It is a variable's, a label's or an item's.
    is_used: bool,
    /// The field whose shorthand it was.
    field: Option<String>,
}

/// The tokens with the names in place of those with marks, and without definitions.
fn rewritten(tokens: TokenStream, written: &[Written], names: &[Name]) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut done: Vec<TokenTree> = Vec::new();
    let of_text = |text: &str| {
        let (_, marks) = marks::parts(text);
        marks.first().filter(|index| **index < written.len()).and_then(|index| names.get(*index))
    };
    // Values of format strings that are to be added.
    let mut arguments: Vec<(&Name, Span)> = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        if definition_at(&trees[at..]).is_some() {
            at += 4;
            continue;
        }
        match &trees[at] {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), rewritten(group.stream(), written, names));
                inner.set_span(group.span());
                done.push(inner.into());
            }
            TokenTree::Ident(name) => {
                let Some(new) = of_text(&name.to_string()) else {
                    done.push(name.clone().into());
                    at += 1;
                    continue;
                };
                let mut ident = marks::renamed(name, &new.text);
                if new.is_written_by_macro {
                    ident.set_span(marks::of_macro(name.span()));
                    if let Some(TokenTree::Punct(apostrophe)) = done.last_mut()
                        && apostrophe.as_char() == '\''
                    {
                        apostrophe.set_span(marks::of_macro(apostrophe.span()));
                    }
                }
                if let Some(field) = &new.field {
                    // `ref mut t` is `t: ref mut t`.
                    let is_binding = |tree: &TokenTree| matches!(tree, TokenTree::Ident(word) if word == "ref" || word == "mut");
                    let words = done.iter().rev().take_while(|tree| is_binding(tree)).count();
                    let rest = done.split_off(done.len() - words);
                    let mut field = marks::renamed(name, field);
                    field.set_span(ident.span());
                    done.extend([field.into(), Punct::new(':', Spacing::Alone).into()]);
                    done.extend(rest);
                }
                done.push(ident.into());
            }
            TokenTree::Literal(literal) => {
                let mut used: Vec<&Name> = Vec::new();
                let mut renamed = marks::with_names(literal, |text| match of_text(text) {
                    Some(new) => {
                        if new.is_used && used.iter().all(|other| other.text != new.text) {
                            used.push(new);
                        }
                        new.text.clone()
                    }
                    None => text.to_owned(),
                });
                // A literal has one span, which is of one side; names of both become arguments.
                let by_macro = used.iter().filter(|name| name.is_written_by_macro).count();
                if by_macro == used.len() && by_macro > 0 {
                    renamed.set_span(marks::of_macro(literal.span()));
                } else if by_macro > 0 {
                    arguments.extend(used.iter().map(|name| (*name, literal.span())));
                }
                done.push(renamed.into());
            }
            punct => done.push(punct.clone()),
        }
        at += 1;
    }
    for (name, span) in arguments {
        if !is_punct(done.last(), ',') {
            done.push(Punct::new(',', Spacing::Alone).into());
        }
        let value_span = if name.is_written_by_macro { marks::of_macro(span) } else { span };
        done.extend([
            Ident::new(&name.text, span).into(),
            Punct::new('=', Spacing::Alone).into(),
            TokenTree::from(Ident::new(&name.text, value_span)),
        ]);
    }
    done.into_iter().collect()
}
