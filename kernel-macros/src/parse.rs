//! `syn`'s tree → [`ast`]: keeps the Rust that the language has and refuses the rest, each at its token, saying what to
//! write instead.

mod assignee;
pub mod attributes;
pub mod collective;
mod control;
mod derived;
mod effects;
pub(crate) mod expr;
mod format;
mod function;
mod generics;
mod inline;
mod item;
mod iter;
mod macros;
mod module;
mod passed;
mod pattern;
mod ranges;
mod refuse;
mod shared;
mod spelled;
mod stmt;
mod traits;
mod types;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, TokenTree};
use syn::parse::{Parse, ParseStream, Parser as _};

use crate::ast::{self, Counts, ExprId, FunctionId, ModuleId, Program, Scope};
use crate::attrs::{Instances, KernelAttrs};
use crate::diagnostics::{Diagnostics, Loc};
use crate::typed::LoopId;

pub(crate) use effects::passes_over;
pub use item::{is_for_tests, is_seen};
pub use macros::is_macro;
pub use module::{Library, ModuleItem, ParsedModule, check_library, is_ours, parse_module, without_marks};

/// A function as `syn` read it; a mistake in the body leaves the rest.
pub struct Item {
    /// Attributes other than `#[kernel]`.
    pub outer: Vec<syn::Attribute>,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// From `fn` to the brace.
    pub sig: syn::Signature,
    /// The body with its braces.
    pub body: Group,
    /// Attributes inside the body.
    inner: Vec<syn::Attribute>,
    stmts: syn::Result<Vec<syn::Stmt>>,
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
        let body = body_of(input)?;
        let statements = |content: ParseStream| {
            Ok((content.call(syn::Attribute::parse_inner)?, content.call(syn::Block::parse_within)?))
        };
        let (inner, stmts) = match statements.parse2(body.stream()) {
            Ok((inner, stmts)) => (inner, Ok(stmts)),
            Err(error) => (Vec::new(), Err(error)),
        };
        Ok(Item { outer, vis, sig, body, inner, stmts })
    }
}

impl Item {
    /// The statements of the body, if it could be read.
    pub fn statements(&self) -> Option<&[syn::Stmt]> {
        self.stmts.as_deref().ok()
    }

    /// Attributes inside the body.
    pub fn inner_attributes(&self) -> &[syn::Attribute] {
        &self.inner
    }
}

/// The group of the body; a macro's `$body:block` comes in a group without delimiters.
fn body_of(input: ParseStream) -> syn::Result<Group> {
    let group = input.step(|cursor| match cursor.token_tree() {
        Some((TokenTree::Group(group), rest)) => Ok((group, rest)),
        _ => Err(cursor.error("expected the kernel's body in braces")),
    });
    let mut group = group?;
    while group.delimiter() == Delimiter::None
        && let Some(TokenTree::Group(inner)) = group.stream().into_iter().next()
    {
        group = inner;
    }
    Ok(group)
}

/// Describes the item at this position, if it is an item but no function.
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

/// Reads one `#[kernel]` function and what is in its body. What is refused is in the diagnostics; the tree is whole only if
/// nothing was.
pub fn parse_kernel(
    item: &Item,
    attrs: KernelAttrs,
    instances: Option<&Instances>,
    diagnostics: &mut Diagnostics,
) -> Program {
    let mut parser = Parser::new(diagnostics);
    parser.kernel(item, attrs, instances);
    parser.finish()
}

/// Adds a file of the compiler's own device library.
pub fn parse_library(program: &mut Program, source: &str, diagnostics: &mut Diagnostics) {
    match syn::parse_str::<syn::File>(source) {
        Ok(file) => {
            let draft = Draft::of(std::mem::take(program));
            let scope = Scope { is_library: true, ..Scope::default() };
            let mut parser = Parser { draft, scope, ..Parser::new(diagnostics) };
            parser.library(&file.items);
            *program = parser.finish();
        }
        Err(error) => diagnostics.syntax(&error),
    }
}

/// A parameter's name and type.
pub struct Param {
    /// Its name, or one made up.
    pub name: Ident,
    /// Its type as written.
    pub ty: syn::Type,
}

/// The parameters of a kernel as its callers see them.
pub fn params(sig: &syn::Signature) -> Vec<Param> {
    let params = sig.inputs.iter().enumerate().map(|(index, input)| match input {
        syn::FnArg::Typed(param) => {
            let name = function::plain_name(&param.pat).map(|pat| pat.ident.clone());
            let name =
                name.unwrap_or_else(|| function::made_up(index, syn::spanned::Spanned::span(&param.pat)));
            Param { name, ty: (*param.ty).clone() }
        }
        syn::FnArg::Receiver(receiver) => {
            Param { name: function::made_up(index, receiver.self_token.span), ty: syn::parse_quote!(()) }
        }
    });
    params.collect()
}

/// The program as it grows: an entry is `None` until it was read, so that items may name each other.
#[derive(Default)]
struct Draft {
    kernels: Vec<ast::Kernel>,
    functions: Vec<Option<ast::Function>>,
    structs: Vec<Option<ast::Struct>>,
    enums: Vec<Option<ast::Enum>>,
    consts: Vec<Option<ast::Const>>,
    aliases: Vec<Option<ast::Alias>>,
    impls: Vec<Option<ast::Impl>>,
    modules: Vec<ast::Module>,
    uses: Vec<ast::Use>,
    library: Vec<ast::Item>,
    mentioned: BTreeSet<String>,
    compared: BTreeSet<&'static str>,
}

impl Draft {
    fn of(program: Program) -> Draft {
        fn some<T>(items: Vec<T>) -> Vec<Option<T>> {
            items.into_iter().map(Some).collect()
        }
        Draft {
            kernels: program.kernels,
            functions: some(program.functions),
            structs: some(program.structs),
            enums: some(program.enums),
            consts: some(program.consts),
            aliases: some(program.aliases),
            impls: some(program.impls),
            modules: program.modules,
            uses: program.uses,
            library: program.library,
            mentioned: program.mentioned,
            compared: program.compared,
        }
    }
}

/// Nodes that are numbered from 0: those of a function, a constant, a struct, an impl or an alias.
#[derive(Default)]
struct Text {
    counts: Counts,
    locals: Vec<ast::Local>,
    closures: Vec<Option<ast::Closure>>,
    loops: Vec<ast::LoopAttrs>,
    /// The expressions inside of `unsafe` blocks, by their numbers.
    unsafe_exprs: Vec<Range<usize>>,
    /// The variables of the first alternative of each `a | b` around: those of the others are the same.
    alternatives: Vec<Vec<(String, crate::typed::LocalId)>>,
}

/// Walks `syn`'s tree once, numbering as it goes.
struct Parser<'d> {
    diagnostics: &'d mut Diagnostics,
    draft: Draft,
    text: Text,
    /// The scope at the current position.
    scope: Scope,
    /// The traits that were declared so far.
    traits: Vec<traits::OwnTrait>,
    /// The number of values that the tuple structs and variants of this name take, the latter also as `E::V`; none if several
    /// differ.
    constructors: HashMap<String, Option<usize>>,
    /// The aliases that were refused because they are of slices.
    slice_aliases: Vec<Ident>,
    /// The name of the type of the impl that is being read.
    own_type: Option<String>,
    /// An impl of the user's gives a type an order.
    own_orders: bool,
}

impl<'d> Parser<'d> {
    fn new(diagnostics: &'d mut Diagnostics) -> Parser<'d> {
        let draft = Draft { modules: vec![ast::Module::default()], ..Draft::default() };
        Parser {
            diagnostics,
            draft,
            text: Text::default(),
            scope: Scope::default(),
            traits: Vec::new(),
            slice_aliases: Vec::new(),
            own_type: None,
            own_orders: false,
            constructors: ["Some", "Ok", "Err"].map(|name| (name.to_owned(), Some(1))).into(),
        }
    }

    /// The program. Something that was refused leaves a gap, but then there are errors and nobody reads it.
    fn finish(self) -> Program {
        let Draft { kernels, functions, structs, enums, consts, aliases, impls, .. } = self.draft;
        Program {
            kernels,
            functions: functions.into_iter().flatten().collect(),
            structs: structs.into_iter().flatten().collect(),
            enums: enums.into_iter().flatten().collect(),
            consts: consts.into_iter().flatten().collect(),
            aliases: aliases.into_iter().flatten().collect(),
            impls: impls.into_iter().flatten().collect(),
            modules: self.draft.modules,
            uses: self.draft.uses,
            library: self.draft.library,
            mentioned: self.draft.mentioned,
            compared: self.draft.compared,
            lacks_comparisons: Cell::new(false),
        }
    }

    fn error(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        self.diagnostics.error(at, message);
    }

    /// Reads something that is numbered on its own.
    fn in_text<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, Text) {
        let outer = std::mem::take(&mut self.text);
        let result = read(self);
        (result, std::mem::replace(&mut self.text, outer))
    }

    fn next_expr(&mut self) -> ExprId {
        self.text.counts.exprs += 1;
        ExprId(self.text.counts.exprs - 1)
    }

    fn next_loop(&mut self, attrs: ast::LoopAttrs) -> LoopId {
        self.text.loops.push(attrs);
        self.text.counts.loops += 1;
        LoopId(self.text.counts.loops - 1)
    }

    fn kernel(&mut self, item: &Item, attrs: KernelAttrs, instances: Option<&Instances>) {
        self.kernel_qualifiers(&item.sig);
        let id = self.reserve_function();
        let instances = self.kernel_function(id, item, &attrs, instances);
        self.draft.kernels.push(ast::Kernel { function: id, attrs, instances });
    }

    fn reserve_function(&mut self) -> FunctionId {
        self.draft.functions.push(None);
        FunctionId(self.draft.functions.len() - 1)
    }

    fn module(&mut self) -> &mut ast::Module {
        let ModuleId(index) = self.scope.module;
        &mut self.draft.modules[index]
    }
}

/// A block's statements for a function whose body could not be read.
fn no_statements(body: &Group) -> ast::Block {
    let loc = Loc { start: body.span_open(), end: body.span_close() };
    ast::Block { items: Vec::new(), globs: Vec::new(), stmts: Vec::new(), value: None, loc }
}
