//! `inline_ptx!("add.rn.f32 {d}, {a}, {b};", d = out(f32), a = in(f32) x, b = in(f32) y, options(pure, nomem), cpu = a + b)`.
//!
//! The inputs become variables with the operands' names, visible in the PTX and in `cpu = …`; the outputs are the value of the
//! whole, or are assigned to the places given.

use proc_macro2::Ident;
use quote::{format_ident, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::{Token, parenthesized, token};

use super::Parser;
use crate::ast::{Block, Expr, ExprKind, InlineOperand, InlinePiece, InlinePtx};
use crate::diagnostics::Loc;

/// An operand as written.
struct Operand {
    name: Option<Ident>,
    kind: Kind,
    loc: Loc,
}

#[allow(clippy::large_enum_variant)] // there are few
enum Kind {
    In(syn::Type, syn::Expr),
    Out(syn::Type, Option<syn::Expr>),
    InOut(syn::Type, syn::Expr, Option<syn::Expr>),
    Const(syn::Expr),
}

/// The arguments of the macro.
#[derive(Default)]
struct Arguments {
    templates: Vec<syn::LitStr>,
    operands: Vec<Operand>,
    options: Vec<Ident>,
    cpu: Option<syn::Expr>,
}

fn arguments(input: ParseStream) -> syn::Result<Arguments> {
    let mut arguments = Arguments::default();
    while input.peek(syn::LitStr) {
        arguments.templates.push(input.parse()?);
        if input.is_empty() {
            break;
        }
        input.parse::<Token![,]>()?;
    }
    if arguments.templates.is_empty() {
        return Err(input.error("expected PTX in a string literal\nhelp: write `inline_ptx!(\"mov.u32 {lane}, %laneid;\", lane = out(u32))`"));
    }
    while !input.is_empty() {
        argument(input, &mut arguments)?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(arguments)
}

fn argument(input: ParseStream, arguments: &mut Arguments) -> syn::Result<()> {
    const OPERANDS: &str = "expected `in(f32) value`, `out(f32)`, `inout(f32) place` or `const N`";
    let word =
        |input: ParseStream, word: &str| input.fork().parse::<Ident>().is_ok_and(|ident| ident == word);
    if word(input, "options") && input.peek2(token::Paren) {
        input.parse::<Ident>()?;
        let content;
        parenthesized!(content in input);
        arguments.options.extend(content.parse_terminated(|input| input.parse::<Ident>(), Token![,])?);
        return Ok(());
    }
    let name = match input.peek(syn::Ident) && input.peek2(Token![=]) {
        true => {
            let name = input.parse::<Ident>()?;
            input.parse::<Token![=]>()?;
            Some(name)
        }
        false => None,
    };
    if name.as_ref().is_some_and(|name| name == "cpu") {
        arguments.cpu = Some(input.parse()?);
        return Ok(());
    }
    let start = input.span();
    let ty = |input: ParseStream| {
        let content;
        parenthesized!(content in input);
        content.parse::<syn::Type>()
    };
    let is_end = |input: ParseStream| input.is_empty() || input.peek(Token![,]);
    let kind = if input.peek(Token![in]) {
        input.parse::<Token![in]>()?;
        Kind::In(ty(input)?, input.parse()?)
    } else if input.peek(Token![const]) {
        input.parse::<Token![const]>()?;
        Kind::Const(input.parse()?)
    } else if word(input, "out") {
        input.parse::<Ident>()?;
        let ty = ty(input)?;
        Kind::Out(ty, if is_end(input) { None } else { Some(input.parse()?) })
    } else if word(input, "inout") {
        input.parse::<Ident>()?;
        let (ty, value) = (ty(input)?, input.parse()?);
        let to = match input.parse::<Option<Token![=>]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Kind::InOut(ty, value, to)
    } else {
        return Err(input.error(OPERANDS));
    };
    arguments.operands.push(Operand { name, kind, loc: start.into() });
    Ok(())
}

/// A piece of a template as written.
enum Piece {
    Text(String),
    /// A name, a number, or nothing for the next one.
    Operand(String),
}

fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                plain.push(c);
            }
            '{' => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                let mut name = String::new();
                loop {
                    match chars.next()? {
                        '}' => break,
                        c => name.push(c),
                    }
                }
                pieces.push(Piece::Operand(name.trim().to_owned()));
            }
            '}' => return None,
            c => plain.push(c),
        }
    }
    pieces.push(Piece::Text(plain));
    Some(pieces)
}

impl Parser<'_> {
    pub(super) fn inline_ptx(&mut self, mac: &syn::Macro) -> Option<Expr> {
        let loc = Loc::of(mac);
        let arguments = match arguments.parse2(mac.tokens.clone()) {
            Ok(arguments) => arguments,
            Err(error) => {
                self.diagnostics.syntax(&error);
                return None;
            }
        };
        let mistakes = self.diagnostics.count();
        let (template, lines) = self.template(&arguments);
        let (pure, nomem) = self.options(&arguments);
        self.placed(&arguments.operands);
        if self.diagnostics.count() > mistakes {
            return None;
        }
        // The inputs.
        let span = arguments.templates[0].span();
        let (mut names, mut types, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (index, operand) in arguments.operands.iter().enumerate() {
            if let Kind::In(ty, value) | Kind::InOut(ty, value, _) = &operand.kind {
                let unnamed = || format_ident!("operand{index}", span = span);
                names.push(operand.name.clone().unwrap_or_else(unnamed));
                types.push(ty);
                values.push(value);
            }
        }
        let bind: Option<syn::Stmt> = (!names.is_empty())
            .then(|| syn::parse2(quote!(let (#(#names,)*): (#(#types,)*) = (#(#values,)*);)))
            .transpose()
            .ok()?;
        let stmts = match &bind {
            Some(bind) => vec![self.stmt(bind)?],
            None => Vec::new(),
        };
        let mut read = names.iter();
        let mut operands = Vec::new();
        let mut places = Vec::new();
        for operand in &arguments.operands {
            let mut value = |parser: &mut Self| {
                let name = read.next()?;
                parser.expr(&syn::parse2(quote!(#name)).ok()?)
            };
            operands.push(match &operand.kind {
                Kind::In(..) => InlineOperand::In(value(self)?),
                Kind::Out(ty, place) => {
                    places.extend(place);
                    InlineOperand::Out(self.ty(ty)?)
                }
                Kind::InOut(ty, from, to) => {
                    places.push(to.as_ref().unwrap_or(from));
                    InlineOperand::InOut(value(self)?, self.ty(ty)?)
                }
                Kind::Const(value) => InlineOperand::Const(self.expr(value)?),
            });
        }
        let cpu = match &arguments.cpu {
            Some(cpu) => Some(self.boxed(cpu)?),
            None => None,
        };
        let shown = |(index, operand): (usize, &Operand)| match &operand.name {
            Some(name) => format!("{{{name}}}"),
            None => format!("{{{index}}}"),
        };
        let names = arguments.operands.iter().enumerate().map(shown).collect();
        let inline = InlinePtx { template, lines, names, operands, pure, nomem, cpu };
        let value = self.node(ExprKind::InlinePtx(Box::new(inline)), loc)?;
        let block = Block { items: Vec::new(), globs: Vec::new(), stmts, value: Some(Box::new(value)), loc };
        let value = self.node(ExprKind::Block(block), loc)?;
        if places.is_empty() {
            return Some(value);
        }
        let mut places = self.exprs(places)?;
        let place = match places.len() {
            1 => places.pop()?,
            _ => self.node(ExprKind::Tuple(places), loc)?,
        };
        self.node(ExprKind::Assign { place: Box::new(place), value: Box::new(value) }, loc)
    }

    /// The pieces of the text, and the literal that each of its lines is from.
    fn template(&mut self, arguments: &Arguments) -> (Vec<InlinePiece>, Vec<Loc>) {
        let (mut template, mut lines) = (Vec::new(), Vec::new());
        let mistakes = self.diagnostics.count();
        let mut used = vec![false; arguments.operands.len()];
        let mut next = 0;
        for literal in &arguments.templates {
            let text = literal.value();
            lines.extend(std::iter::repeat_n(Loc::from(literal.span()), text.matches('\n').count() + 1));
            let Some(pieces) = pieces(&text) else {
                let message =
                    "expected braces in pairs, as in `format!`\nhelp: write `{{` and `}}` for those of PTX";
                self.error(literal.span(), message);
                continue;
            };
            for piece in pieces {
                let name = match piece {
                    Piece::Text(text) => {
                        template.push(InlinePiece::Text(text));
                        continue;
                    }
                    Piece::Operand(name) => name,
                };
                let index = if name.is_empty() {
                    next += 1;
                    Some(next - 1)
                } else {
                    let named = |operand: &Operand| operand.name.as_ref().is_some_and(|known| *known == name);
                    name.parse().ok().or_else(|| arguments.operands.iter().position(named))
                };
                match index.filter(|index| *index < used.len()) {
                    Some(index) => {
                        used[index] = true;
                        template.push(InlinePiece::Operand(index));
                    }
                    None => {
                        let message = format!(
                            "expected an operand, found `{{{name}}}`, of which there is none\nhelp: add it: `{0} = in(f32) value`; \
                             braces of PTX are written `{{{{` and `}}}}`",
                            if name.is_empty() { "name" } else { &name }
                        );
                        self.error(literal.span(), message);
                    }
                }
            }
            template.push(InlinePiece::Text("\n".to_owned()));
        }
        for (operand, used) in arguments.operands.iter().zip(used) {
            if !used && self.diagnostics.count() == mistakes {
                let name = operand.name.as_ref().map_or("{}".to_owned(), |name| format!("{{{name}}}"));
                let message = format!(
                    "expected every operand in the text, found none for `{name}`\nhelp: write it there, or leave it out"
                );
                self.error(operand.name.as_ref().map_or(operand.loc, Loc::from), message);
            }
        }
        let mut names: Vec<&Ident> = Vec::new();
        for name in arguments.operands.iter().filter_map(|operand| operand.name.as_ref()) {
            if names.contains(&name) {
                self.error(
                    name,
                    format!("expected each operand once, found `{name}` again\nhelp: give it another name"),
                );
            }
            names.push(name);
        }
        (template, lines)
    }

    /// `pure`, `nomem`
    fn options(&mut self, arguments: &Arguments) -> (bool, bool) {
        let (mut pure, mut nomem) = (None, None);
        for option in &arguments.options {
            let known = match option.to_string().as_str() {
                "pure" => &mut pure,
                "nomem" => &mut nomem,
                other => {
                    let message = format!("expected `pure` or `nomem`, found `{other}`\nhelp: leave it out");
                    self.error(option, message);
                    continue;
                }
            };
            if known.replace(option).is_some() {
                self.error(
                    option,
                    format!("expected each option once, found `{option}` again\nhelp: leave it out"),
                );
            }
        }
        let writes =
            arguments.operands.iter().any(|operand| matches!(operand.kind, Kind::Out(..) | Kind::InOut(..)));
        if let Some(pure) = pure {
            if nomem.is_none() {
                self.error(pure, "expected `nomem` with `pure`: what follows from the operands alone reads no memory\nhelp: write `options(pure, nomem)`");
            } else if !writes {
                self.error(pure, "expected something that is written, found none: pure PTX that writes nothing does nothing\nhelp: leave `pure` out, or add an `out`");
            }
        }
        (pure.is_some(), nomem.is_some())
    }

    /// Either everything that is written has a place, or nothing.
    fn placed(&mut self, operands: &[Operand]) {
        let mut first = None;
        for operand in operands {
            let placed = match &operand.kind {
                Kind::Out(_, place) => place.is_some(),
                Kind::InOut(..) => true,
                Kind::In(..) | Kind::Const(_) => continue,
            };
            if *first.get_or_insert(placed) != placed {
                let message = "expected places for all that is written, or for none\nhelp: write `out(f32) place` for each; without places the \
                               values are those of the macro";
                self.error(operand.loc, message);
                return;
            }
        }
    }
}
