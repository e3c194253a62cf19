//! Texts with values in them: what panics and prints show.

use kernel_abi::output::MOST_WORDS;

use super::Checker;
use crate::ast::{Expr, Message, MessageUse};
use crate::device::primitives;
use crate::diagnostics::Loc;
use crate::typed::{
    self, BindMode, Block, EnumDef, ExprKind as Typed, Format, FormatArg, FormatId, Output, Pattern, Stmt,
    StructDef, Ty, UnaryOp,
};

impl<'p> Checker<'_, '_, 'p> {
    /// A format of the function.
    pub(super) fn format(&mut self, format: Format) -> FormatId {
        self.formats.push(format);
        FormatId(self.formats.len() - 1)
    }

    pub(super) fn panic(&mut self, message: &'p Message) -> Typed {
        let (format, args) = self.message(message, None);
        Typed::Panic { format: self.format(format), args }
    }

    pub(super) fn print(&mut self, to: Output, message: &'p Message) -> Typed {
        let (format, args) = self.message(message, Some(to));
        Typed::Print { format: self.format(format), args }
    }

    /// A text, and the values in it.
    fn message(&mut self, message: &'p Message, output: Option<Output>) -> (Format, Vec<typed::Expr>) {
        let (mut shown, mut values, mut words) = (Vec::new(), Vec::new(), 0);
        for arg in &message.args {
            let value = self.value(&arg.value);
            match self.words(&value.ty) {
                Some(more) => words += more,
                None => self.report_not_shown(arg.value.loc, &value.ty),
            }
            self.require_debug(arg.value.loc, &value.ty);
            if words > MOST_WORDS {
                let message = format!(
                    "expected at most {MOST_WORDS} scalars in one message, found {words} up to here\nhelp: show them in several"
                );
                self.error(arg.value.loc, message);
                words = 0;
            }
            let is_count = arg.uses.contains(&MessageUse::Count);
            shown.push(FormatArg { name: arg.name.clone(), is_count, ty: value.ty.clone() });
            values.push(value);
        }
        (Format { text: message.text.clone(), args: shown, output }, values)
    }

    /// An `impl` of one's own would be run by the host, of the values that come from the device, and none can be read: so what messages
    /// show is what rustc derives.
    pub(super) fn require_debug(&mut self, loc: Loc, ty: &Ty) {
        let world = &self.infer.world;
        if let Some(name) = without_debug(ty, &world.structs, &world.enums) {
            let message = format!(
                "expected `#[derive(Debug)]` on `{name}`, which the message shows, found none\nhelp: write it above the type; an `impl` of one's own is not supported"
            );
            self.error(loc, message);
        }
    }

    fn report_not_shown(&mut self, loc: Loc, ty: &Ty) {
        let help = match ty {
            Ty::Slice { .. } | Ty::SharedDyn(_) | Ty::Shared(_) => "show its elements, in a loop",
            Ty::Closure { .. } | Ty::Function(_) => "call it",
            _ => "show its parts",
        };
        let found = crate::infer::written(ty, &self.infer.world.structs, &self.infer.world.enums);
        self.error(
            loc,
            format!("expected a value that a message can show, found one of type `{found}`\nhelp: {help}"),
        );
    }

    /// `assert_eq!` and `assert_ne!`: the operands are kept, so that the message has their values.
    pub(super) fn assert_compare(&mut self, expr: &'p Expr, holds: &'p Expr, message: &'p Message) -> Typed {
        let (span, holds_loc) = (expr.loc.start, holds.loc);
        let mut holds = self.value(holds);
        let mut stmts = Vec::new();
        let mut operands = Vec::new();
        for (name, operand) in ["left", "right"].into_iter().zip(compared(&mut holds)) {
            self.require_debug(holds_loc, &operand.ty);
            let local = self.temporary(name, operand.ty.clone(), operand.span);
            let kept = self.local(local, operand.span);
            let pattern = Pattern::Bind { local, mode: BindMode::Value, inner: None };
            let span = operand.span;
            let init = std::mem::replace(operand, kept);
            stmts.push(Stmt::Let { pattern, init, otherwise: None, span });
            operands.push((name, self.local(local, span)));
        }
        let (mut format, mut args) = self.message(message, None);
        let shown = operands.into_iter().map(|(name, operand)| (name, followed(operand)));
        let shown: Vec<_> = shown.collect();
        let words = |checker: &Self, ty: &Ty| checker.words(ty).unwrap_or(MOST_WORDS + 1);
        let mut all = args.iter().chain(shown.iter().map(|(_, value)| value));
        // If the values are too long, the condition's text is enough.
        if shown.len() == 2 && all.try_fold(0, |sum, value| within(sum + words(self, &value.ty))).is_some() {
            format.text += "\n  left: {left__:?}\n right: {right__:?}";
            for (name, value) in shown {
                let name = Some(format!("{name}__"));
                format.args.push(FormatArg { name, is_count: false, ty: value.ty.clone() });
                args.push(value);
            }
        }
        let bool = holds.ty.clone();
        let fails = Typed::Unary { op: UnaryOp::Not, arg: Box::new(holds) };
        let fails = typed::Expr { kind: fails, ty: bool, span };
        let panic = Typed::Panic { format: self.format(format), args };
        let panic = Stmt::Expr(typed::Expr { kind: panic, ty: Ty::Never, span });
        let then = Block { stmts: vec![panic], value: None, span };
        let check = Typed::If { cond: Box::new(fails), then, otherwise: None, attr: None };
        stmts.push(Stmt::Expr(typed::Expr { kind: check, ty: Ty::Unit, span }));
        Typed::Block(Block { stmts, value: None, span })
    }

    /// Number of 32-bit words of a value of this type in a message; `None` if messages cannot show the type.
    fn words(&self, ty: &Ty) -> Option<usize> {
        words(ty, &self.infer.world.structs)
    }
}

fn within(words: usize) -> Option<usize> {
    (words <= MOST_WORDS).then_some(words)
}

/// The operands of a comparison.
fn compared(holds: &mut typed::Expr) -> Vec<&mut typed::Expr> {
    match &mut holds.kind {
        Typed::Binary { lhs, rhs, .. } => vec![lhs, rhs],
        Typed::Invoke { args, .. } => args.iter_mut().collect(),
        Typed::Unary { op: UnaryOp::Not, arg } => compared(arg),
        _ => Vec::new(),
    }
}

/// Dereferences a value of a reference type until it is not a reference.
fn followed(value: typed::Expr) -> typed::Expr {
    let (span, inner) = (value.span, value.ty.clone());
    match inner {
        Ty::Ref { inner, .. } => {
            followed(typed::Expr { kind: Typed::Deref(Box::new(value)), ty: *inner, span })
        }
        _ => value,
    }
}

fn words(ty: &Ty, structs: &[StructDef]) -> Option<usize> {
    match ty {
        Ty::Unit => Some(0),
        Ty::Scalar(_) | Ty::Enum(_) => Some(1),
        Ty::Dim3 => Some(3),
        Ty::Vector(_, lanes) => Some(*lanes as usize),
        Ty::Option(inner) => Some(words(inner, structs)? + 1),
        Ty::Array(element, len) => Some(words(element, structs)?.saturating_mul(*len as usize)),
        Ty::Tuple(parts) => total(parts, structs),
        Ty::Struct(id) => total(structs[id.0].fields.iter().map(|field| &field.ty), structs),
        Ty::Never
        | Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Atomic(_)
        | Ty::Function(_) => None,
    }
}

/// The first struct or enum in a type whose `Debug` is not derived.
fn without_debug<'t>(ty: &Ty, structs: &'t [StructDef], enums: &'t [EnumDef]) -> Option<&'t str> {
    let inner = |ty: &Ty| without_debug(ty, structs, enums);
    match ty {
        Ty::Enum(id) => (!enums[id.0].shown).then_some(&enums[id.0].name),
        Ty::Struct(id) if structs[id.0].is_library && primitives::is_primitive(&structs[id.0].name) => None,
        Ty::Struct(id) if structs[id.0].shown => {
            structs[id.0].fields.iter().find_map(|field| inner(&field.ty))
        }
        Ty::Struct(id) => Some(&structs[id.0].name),
        Ty::Option(part) | Ty::Array(part, _) => inner(part),
        Ty::Ref { inner: part, .. } | Ty::Slice { element: part, .. } => inner(part),
        Ty::Tuple(parts) => parts.iter().find_map(inner),
        Ty::Unit
        | Ty::Scalar(_)
        | Ty::Dim3
        | Ty::Vector(..)
        | Ty::Never
        | Ty::Ptr { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Atomic(_)
        | Ty::Function(_) => None,
    }
}

fn total<'t>(parts: impl IntoIterator<Item = &'t Ty>, structs: &[StructDef]) -> Option<usize> {
    parts.into_iter().try_fold(0, |sum: usize, part| Some(sum.saturating_add(words(part, structs)?)))
}
