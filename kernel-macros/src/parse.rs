//! `syn`'s tree → [`ast`]: keeps the Rust that the language has and refuses the rest, each at its token, saying what to
//! write instead.

mod expr;
mod refuse;
mod stmt;
mod types;

use proc_macro2::{Group, Ident};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::spanned::Spanned;

use crate::ast;
use crate::diagnostics::{Diagnostics, Loc, shown};
use crate::typed::{ConstId, Ty};

/// A function as `syn` read it; a mistake in the body leaves the rest.
pub struct Item {
    /// Attributes other than `#[kernel]`.
    pub outer: Vec<syn::Attribute>,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// From `fn` to the brace.
    pub sig: syn::Signature,
    /// Attributes inside the body.
    inner: Vec<syn::Attribute>,
    /// The body.
    body: syn::Result<Vec<syn::Stmt>>,
    brace: Loc,
}

impl Parse for Item {
    fn parse(input: ParseStream) -> syn::Result<Item> {
        let outer = input.call(syn::Attribute::parse_outer)?;
        let vis = input.parse()?;
        if let Some((what, span)) = other_item(input) {
            let message = format!(
                "expected a function under `#[kernel]`, found {what}\nhelp: put it on a `fn` with the kernel's body"
            );
            return Err(syn::Error::new(span, message));
        }
        let sig: syn::Signature = input.parse()?;
        if input.peek(syn::Token![;]) {
            let message = "expected a function body, found `;`\nhelp: write the kernel between `{` and `}`";
            return Err(input.error(message));
        }
        let group: Group = input.parse()?;
        let statements = |content: ParseStream| {
            Ok((content.call(syn::Attribute::parse_inner)?, content.call(syn::Block::parse_within)?))
        };
        let (inner, body) = match statements.parse2(group.stream()) {
            Ok((inner, stmts)) => (inner, Ok(stmts)),
            Err(error) => (Vec::new(), Err(error)),
        };
        let brace = Loc { start: group.span_open(), end: group.span_close() };
        Ok(Item { outer, vis, sig, inner, body, brace })
    }
}

/// What stands here, if it is an item but no function.
fn other_item(input: ParseStream) -> Option<(&'static str, proc_macro2::Span)> {
    const ITEMS: &[(&str, &str)] = &[
        ("struct", "a struct"),
        ("enum", "an enum"),
        ("union", "a union"),
        ("trait", "a trait"),
        ("impl", "an `impl`"),
        ("mod", "a module"),
        ("static", "a static"),
        ("type", "a type alias"),
        ("use", "a `use`"),
        ("macro_rules", "a macro"),
    ];
    let word: Ident = input.fork().call(syn::ext::IdentExt::parse_any).ok()?;
    let row = ITEMS.iter().find(|row| word == row.0)?;
    Some((row.1, word.span()))
}

/// Reads the signature and the body. What it refuses is in the diagnostics; the tree is whole only if nothing was.
pub fn parse_item(item: Item, diagnostics: &mut Diagnostics) -> (Vec<Param>, ast::Kernel) {
    let mut parser = Parser {
        diagnostics,
        locals: Vec::new(),
        consts: Vec::new(),
        const_count: 0,
        expr_count: 0,
        loop_count: 0,
        type_params: item.sig.generics.type_params().map(|param| param.ident.clone()).collect(),
    };
    let params = parser.signature(&item.sig);
    parser.attributes(&item.inner);
    let param_count = parser.locals.len();
    let body = match item.body {
        Ok(stmts) => parser.stmts(&stmts, item.brace),
        Err(error) => {
            parser.diagnostics.syntax(&error);
            ast::Block { stmts: Vec::new(), value: None, loc: item.brace }
        }
    };
    let Parser { locals, mut consts, expr_count, loop_count, .. } = parser;
    consts.sort_by_key(|(id, _)| *id);
    let consts = consts.into_iter().map(|(_, item)| item).collect();
    (params, ast::Kernel { locals, param_count, consts, body, expr_count, loop_count })
}

/// A parameter as far as it could be understood.
pub struct Param {
    /// Its name, or one made up.
    pub name: Ident,
    /// Its type; `None` if that is no type for a parameter.
    pub ty: Option<Ty>,
}

/// Walks `syn`'s tree once, numbering as it goes.
struct Parser<'d> {
    diagnostics: &'d mut Diagnostics,
    locals: Vec<ast::Local>,
    consts: Vec<(ConstId, ast::Const)>,
    const_count: usize,
    expr_count: usize,
    loop_count: usize,
    /// The kernel's type parameters: refused where they are declared, not where they are used.
    type_params: Vec<Ident>,
}

impl Parser<'_> {
    fn error(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        self.diagnostics.error(at, message);
    }

    fn signature(&mut self, sig: &syn::Signature) -> Vec<Param> {
        self.qualifiers(sig);
        if let Some(variadic) = &sig.variadic {
            self.error(
                Loc::of(variadic),
                "expected a parameter, found `...`\nhelp: a kernel takes scalars and slices",
            );
        }
        if let syn::ReturnType::Type(_, ty) = &sig.output
            && !matches!(&**ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
        {
            let message = format!(
                "expected a kernel without a return type, found `-> {}`\nhelp: return nothing and write results to a \
                 `&mut [T]` parameter",
                shown(ty)
            );
            self.error(Loc::of(ty), message);
        }
        sig.inputs.iter().enumerate().map(|(index, input)| self.param(index, input)).collect()
    }

    fn qualifiers(&mut self, sig: &syn::Signature) {
        if let Some(token) = &sig.asyncness {
            self.error(
                token.span(),
                "expected `fn`, found `async fn`: a kernel runs to its end\nhelp: leave `async` out",
            );
        }
        if let Some(token) = &sig.constness {
            self.error(
                token.span(),
                "expected `fn`, found `const fn`: a kernel runs on the GPU only\nhelp: leave `const` out",
            );
        }
        if let syn::Safety::Unsafe(token) = &sig.safety {
            self.error(
                token.span(),
                "`unsafe fn` kernels are not supported yet\nhelp: leave `unsafe` out: every access is checked",
            );
        }
        if let syn::Safety::Safe(token) = &sig.safety {
            self.error(token.span(), "expected `fn`, found `safe fn`\nhelp: leave `safe` out");
        }
        if let Some(abi) = &sig.abi {
            self.error(
                Loc::of(abi),
                "expected a Rust function, found `extern`\nhelp: leave `extern` out: the kernel's PTX entry has its name",
            );
        }
        if !sig.generics.params.is_empty() {
            self.error(
                Loc::of(&sig.generics),
                "generic kernels are not supported yet\nhelp: write one kernel for each type, with its types in full",
            );
        } else if let Some(clause) = &sig.generics.where_clause {
            self.error(Loc::of(clause), "`where` is not supported on kernels\nhelp: leave it out");
        }
        let name = sig.ident.to_string();
        if !name.is_ascii() {
            let message =
                format!("expected an ASCII name, found `{name}`: PTX has no others\nhelp: rename the kernel");
            self.error(&sig.ident, message);
        }
    }

    fn param(&mut self, index: usize, input: &syn::FnArg) -> Param {
        let made_up = |span| Ident::new(&format!("arg{index}"), span);
        let param = match input {
            syn::FnArg::Typed(param) => param,
            syn::FnArg::Receiver(receiver) => {
                self.error(
                    Loc::of(receiver),
                    "expected a parameter, found `self`: a kernel is a free function\nhelp: move it out of the `impl` and \
                     pass scalars and slices",
                );
                return Param { name: made_up(receiver.self_token.span), ty: None };
            }
        };
        self.refuse_attributes(&param.attrs, "a parameter");
        let (name, mutable) = match &*param.pat {
            syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                (pat.ident.clone(), pat.mutability.is_some())
            }
            syn::Pat::Wild(wild) => {
                self.error(
                    wild.underscore_token.span(),
                    "expected a name, found `_`\nhelp: name the parameter: `_unused`",
                );
                return Param { name: made_up(wild.underscore_token.span()), ty: None };
            }
            other => {
                let message = "expected a name, found a pattern: patterns in parameters are not supported\nhelp: name the \
                               parameter and take it apart in the body";
                self.error(Loc::of(other), message);
                return Param { name: made_up(other.span()), ty: None };
            }
        };
        let ty = self.param_type(&param.ty);
        if self.locals.iter().any(|local| local.name == name) {
            let message = format!(
                "expected a new name, found `{name}`, which an earlier parameter has\nhelp: rename one of them"
            );
            self.error(&name, message);
            return Param { name: made_up(name.span()), ty: ty.as_ref().and_then(types::param_ty) };
        }
        let known = ty.as_ref().and_then(types::param_ty);
        self.locals.push(ast::Local { name: name.clone(), mutable, ty, origin: ast::Origin::Param });
        Param { name, ty: known }
    }
}
