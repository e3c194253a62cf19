//! `#[cfg(…)]`, `#[cfg_attr(…)]` and `cfg!(…)` in what the compiler reads.
//!
//! A macro does not know the crate's configuration, but rustc does where the expansion stands: the item is written twice, under a
//! predicate with what it keeps and under its negation without, and the one that is left is expanded again for the next predicate.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, Item, Stmt};

use crate::declarative;
use crate::diagnostics::Diagnostic;

/// Expands `#[name(attr)] item`, its own macros first, if nothing in it is configured; else writes it for both values of the first
/// predicate.
pub fn expand(
    name: &str,
    attr: TokenStream,
    item: TokenStream,
    expand: impl FnOnce(TokenStream, TokenStream) -> TokenStream,
    refuse: impl FnOnce(TokenStream, Diagnostic) -> TokenStream,
) -> TokenStream {
    if let Some(both) = split(name, &attr, &item) {
        return both;
    }
    match declarative::expand(&item) {
        // The expansion of its macros may have `cfg` attributes, too.
        Ok(Some(item)) => split(name, &attr, &item).unwrap_or_else(|| expand(attr, item)),
        Ok(None) => expand(attr, item),
        Err(error) => refuse(item, Diagnostic::new(error.span(), error.to_string())),
    }
}

/// An item under `#[name(attr)]` for both values of the first predicate in it; `None` if there is none.
fn split(name: &str, attr: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    // Most items have none, and are not parsed for it.
    if !mentions_cfg(item.clone()) {
        return None;
    }
    let item: Item = syn::parse2(item.clone()).ok()?;
    let mut search = Configure { decided: None, found: None };
    search.whole(&mut item.clone());
    let predicate = search.found?;
    let name = Ident::new(name, Span::call_site());
    let under = |value: bool| {
        let mut item = item.clone();
        let decided = Some((predicate.to_string(), value));
        Configure { decided, found: None }.whole(&mut item);
        quote!(#[::kernel_runtime::prelude::#name(#attr)] #item)
    };
    let (kept, left_out) = (under(true), under(false));
    Some(quote!(#[cfg(#predicate)] #kept #[cfg(not(#predicate))] #left_out))
}

fn mentions_cfg(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => name == "cfg" || name == "cfg_attr",
        TokenTree::Group(group) => mentions_cfg(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Returns true if the tokens are a predicate by their form: a name, `name = "value"`, `all(…)`, `true`. Others stay for the parser of kernels
/// to report, once.
pub fn is_predicate(tokens: &TokenStream) -> bool {
    syn::parse2::<syn::Meta>(tokens.clone()).is_ok() || syn::parse2::<syn::LitBool>(tokens.clone()).is_ok()
}

/// Finds the first predicate, or writes the item for a value of one.
struct Configure {
    decided: Option<(String, bool)>,
    found: Option<TokenStream>,
}

impl Configure {
    /// The value of a predicate, if it is the one that is decided.
    fn value(&mut self, predicate: &TokenStream) -> Option<bool> {
        match &self.decided {
            Some((decided, value)) => (*decided == predicate.to_string()).then_some(*value),
            None => {
                if is_predicate(predicate) {
                    self.found.get_or_insert_with(|| predicate.clone());
                }
                None
            }
        }
    }

    /// The item under the attribute, which rustc configures itself but for its `cfg_attr`s.
    fn whole(&mut self, item: &mut Item) {
        if let Some(attrs) = item_attrs(item) {
            self.given(attrs);
        }
        self.visit_item_mut(item);
    }

    /// Removes what is decided from the attributes. Returns false if what they stand at goes with them.
    fn keeps(&mut self, attrs: &mut Vec<Attribute>) -> bool {
        self.given(attrs);
        let mut keeps = true;
        attrs.retain(|attr| {
            let syn::Meta::List(list) = &attr.meta else { return true };
            if !list.path.is_ident("cfg") {
                return true;
            }
            let value = self.value(&list.tokens);
            keeps &= value != Some(false);
            value.is_none()
        });
        keeps
    }

    /// Writes the attributes that a decided `cfg_attr` gives in its place.
    fn given(&mut self, attrs: &mut Vec<Attribute>) {
        let mut rest = std::mem::take(attrs).into_iter().rev().collect::<Vec<_>>();
        while let Some(attr) = rest.pop() {
            match self.of_cfg_attr(&attr) {
                // They may be conditional, too.
                Some(given) => rest.extend(given.into_iter().rev()),
                None => attrs.push(attr),
            }
        }
    }

    /// The attributes that a `cfg_attr` gives, if its predicate is decided.
    fn of_cfg_attr(&mut self, attr: &Attribute) -> Option<Vec<Attribute>> {
        if !attr.path().is_ident("cfg_attr") {
            return None;
        }
        let metas = attr.parse_args_with(Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated).ok()?;
        let mut metas = metas.into_iter();
        let value = self.value(&metas.next()?.to_token_stream())?;
        let given = metas.filter(|_| value).map(|meta| Attribute { meta, ..attr.clone() });
        Some(given.collect())
    }

    /// As [`keeps`](Self::keeps), of an item: rustc configures tests and kernels itself.
    fn keeps_item(&mut self, item: &mut Item) -> bool {
        let is_rustcs = |attr: &Attribute| {
            let is_test = attr.path().is_ident("cfg")
                && attr.parse_args::<syn::Path>().is_ok_and(|predicate| predicate.is_ident("test"));
            is_test || attr.path().segments.last().is_some_and(|last| last.ident == "kernel")
        };
        // A macro is expanded before rustc sees whether it is there.
        let is_macro = matches!(item, Item::Macro(_));
        match item_attrs(item) {
            Some(attrs) if is_macro => self.keeps(attrs),
            Some(attrs) if !attrs.iter().any(is_rustcs) => self.keeps(attrs),
            Some(attrs) => {
                self.given(attrs);
                true
            }
            None => true,
        }
    }

    fn statements(&mut self, stmts: &mut Vec<Stmt>) {
        stmts.retain_mut(|stmt| match stmt {
            Stmt::Local(local) => self.keeps(&mut local.attrs),
            Stmt::Item(item) => self.keeps_item(item),
            Stmt::Expr(expr, _) => expr_attrs(expr).is_none_or(|attrs| self.keeps(attrs)),
            Stmt::Macro(mac) => self.keeps(&mut mac.attrs),
        });
    }

    /// `cfg!(…)` among the tokens of another macro.
    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut done: Vec<TokenTree> = Vec::new();
        for tree in tokens {
            let TokenTree::Group(group) = tree else {
                done.push(tree);
                continue;
            };
            let called = match &done[..] {
                [.., TokenTree::Ident(name), TokenTree::Punct(mark)] => {
                    name == "cfg" && mark.as_char() == '!'
                }
                _ => false,
            };
            match called.then(|| self.value(&group.stream())).flatten() {
                Some(value) => {
                    done.truncate(done.len() - 2);
                    done.push(Ident::new(if value { "true" } else { "false" }, group.span()).into());
                }
                None => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    done.push(inner.into());
                }
            }
        }
        done.into_iter().collect()
    }
}

impl VisitMut for Configure {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.statements(&mut block.stmts);
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain_mut(|item| self.keeps_item(item));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        item.items.retain_mut(|part| match part {
            syn::ImplItem::Const(part) => self.keeps(&mut part.attrs),
            syn::ImplItem::Fn(part) => self.keeps(&mut part.attrs),
            syn::ImplItem::Type(part) => self.keeps(&mut part.attrs),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        item.items.retain_mut(|part| match part {
            syn::TraitItem::Const(part) => self.keeps(&mut part.attrs),
            syn::TraitItem::Fn(part) => self.keeps(&mut part.attrs),
            syn::TraitItem::Type(part) => self.keeps(&mut part.attrs),
            _ => true,
        });
        visit_mut::visit_item_trait_mut(self, item);
    }

    fn visit_expr_match_mut(&mut self, expr: &mut syn::ExprMatch) {
        expr.arms.retain_mut(|arm| self.keeps(&mut arm.attrs));
        visit_mut::visit_expr_match_mut(self, expr);
    }

    fn visit_fields_named_mut(&mut self, fields: &mut syn::FieldsNamed) {
        fields.named = std::mem::take(&mut fields.named)
            .into_iter()
            .filter_map(|mut field| self.keeps(&mut field.attrs).then_some(field))
            .collect();
        visit_mut::visit_fields_named_mut(self, fields);
    }

    fn visit_item_enum_mut(&mut self, item: &mut syn::ItemEnum) {
        item.variants = std::mem::take(&mut item.variants)
            .into_iter()
            .filter_map(|mut variant| self.keeps(&mut variant.attrs).then_some(variant))
            .collect();
        visit_mut::visit_item_enum_mut(self, item);
    }

    fn visit_expr_struct_mut(&mut self, expr: &mut syn::ExprStruct) {
        expr.fields = std::mem::take(&mut expr.fields)
            .into_iter()
            .filter_map(|mut field| self.keeps(&mut field.attrs).then_some(field))
            .collect();
        visit_mut::visit_expr_struct_mut(self, expr);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Macro(call) = expr
            && call.mac.path.is_ident("cfg")
        {
            if let Some(value) = self.value(&call.mac.tokens) {
                let span =
                    call.mac.path.segments.first().map_or_else(Span::call_site, |first| first.ident.span());
                let value = syn::LitBool { value, span };
                *expr = Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit: syn::Lit::Bool(value) });
            }
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
    }
}

fn item_attrs(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    Some(match item {
        Item::Const(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Macro(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return None,
    })
}

/// The attributes of a statement's expression; those before an operator are its left operand's.
fn expr_attrs(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    Some(match expr {
        Expr::Assign(expr) => return expr_attrs(&mut expr.left),
        Expr::Binary(expr) => return expr_attrs(&mut expr.left),
        Expr::Cast(expr) => return expr_attrs(&mut expr.expr),
        Expr::Block(expr) => &mut expr.attrs,
        Expr::Break(expr) => &mut expr.attrs,
        Expr::Call(expr) => &mut expr.attrs,
        Expr::Continue(expr) => &mut expr.attrs,
        Expr::Field(expr) => &mut expr.attrs,
        Expr::ForLoop(expr) => &mut expr.attrs,
        Expr::If(expr) => &mut expr.attrs,
        Expr::Index(expr) => &mut expr.attrs,
        Expr::Loop(expr) => &mut expr.attrs,
        Expr::Macro(expr) => &mut expr.attrs,
        Expr::Match(expr) => &mut expr.attrs,
        Expr::MethodCall(expr) => &mut expr.attrs,
        Expr::Path(expr) => &mut expr.attrs,
        Expr::Return(expr) => &mut expr.attrs,
        Expr::Tuple(expr) => &mut expr.attrs,
        Expr::Unary(expr) => &mut expr.attrs,
        Expr::Unsafe(expr) => &mut expr.attrs,
        Expr::While(expr) => &mut expr.attrs,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    fn check(item: &str, expected: Expect) {
        let item = item.parse().expect("the test's source has Rust's tokens");
        let tokens = super::split("kernel", &"block(64)".parse().unwrap_or_default(), &item);
        let shown = tokens.map_or("nothing to decide".to_owned(), |tokens| tokens.to_string());
        expected.assert_eq(&shown.replace("# [cfg", "\n# [cfg").replace("# [:: kernel", "\n# [:: kernel"));
    }

    #[test]
    fn an_item_is_written_for_both_values_of_its_first_predicate() {
        check(
            "fn k(y: &mut [f32]) { #[cfg(feature = \"fine\")] { y[0] = 1.0; } #[cfg(unix)] let v = 2.0; assert!(cfg!(feature = \"fine\") || y.len() > 1); }",
            expect![[r#"

                # [cfg (feature = "fine")] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] fn k (y : & mut [f32]) { { y [0] = 1.0 ; } 
                # [cfg (unix)] let v = 2.0 ; assert ! (true || y . len () > 1) ; } 
                # [cfg (not (feature = "fine"))] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] fn k (y : & mut [f32]) { 
                # [cfg (unix)] let v = 2.0 ; assert ! (false || y . len () > 1) ; }"#]],
        );
        check(
            "fn k(y: &mut [f32]) { y[0] = if cfg!(unix) { 1.0 } else { 2.0 }; #[cfg(unix)] y[1] = match y[0] { #[cfg(unix)] 0.0 => 1.0, _ => S { #[cfg(unix)] a: 1.0 }.a }; }",
            expect![[r#"

                # [cfg (unix)] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] fn k (y : & mut [f32]) { y [0] = if true { 1.0 } else { 2.0 } ; y [1] = match y [0] { 0.0 => 1.0 , _ => S { a : 1.0 } . a } ; } 
                # [cfg (not (unix))] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] fn k (y : & mut [f32]) { y [0] = if false { 1.0 } else { 2.0 } ; }"#]],
        );
        check(
            "mod m { #[cfg(unix)] const N: u32 = 1; enum E { A, #[cfg(unix)] B } impl S { #[cfg(unix)] fn f() {} } }",
            expect![[r#"

                # [cfg (unix)] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] mod m { const N : u32 = 1 ; enum E { A , B } impl S { fn f () { } } } 
                # [cfg (not (unix))] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] mod m { enum E { A } impl S { } }"#]],
        );
    }

    #[test]
    fn attributes_are_given_by_their_predicate() {
        check(
            "#[cfg_attr(unix, inline)] mod m { #[cfg_attr(unix, derive(Clone, Copy), repr(C))] struct S(f32); #[cfg_attr(unix, allow(dead_code))] #[kernel] fn k() {} }",
            expect![[r#"

                # [cfg (unix)] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] # [inline] mod m { # [derive (Clone , Copy)] # [repr (C)] struct S (f32) ; # [allow (dead_code)] # [kernel] fn k () { } } 
                # [cfg (not (unix))] 
                # [:: kernel_runtime :: prelude :: kernel (block (64))] mod m { struct S (f32) ; # [kernel] fn k () { } }"#]],
        );
    }

    #[test]
    fn what_rustc_configures_itself_stays() {
        check(
            "mod m { #[cfg(test)] mod tests {} #[cfg(unix)] #[kernel] fn k() {} }",
            expect!["nothing to decide"],
        );
        check("fn k() { let cfg = 1; }", expect!["nothing to decide"]);
    }

    /// Macros are expanded here, so those of tests as well are decided first.
    #[test]
    fn a_macro_of_tests_is_decided() {
        check(
            "fn k() { #[cfg(test)] macro_rules! v { () => { 2 } } f(); }",
            expect![[r#"

            # [cfg (test)] 
            # [:: kernel_runtime :: prelude :: kernel (block (64))] fn k () { macro_rules ! v { () => { 2 } } f () ; } 
            # [cfg (not (test))] 
            # [:: kernel_runtime :: prelude :: kernel (block (64))] fn k () { f () ; }"#]],
        );
    }
}
