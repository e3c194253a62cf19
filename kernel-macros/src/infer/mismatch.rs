//! The messages about types: what was expected, what was found, what to write.

use super::{Claim, Infer, Kind, Ty};
use crate::ast::{Block, Expr, ExprKind, FunctionId, Literal, Stmt};
use crate::atomics::{Atomic, Scope};
use crate::builtins::Class;
use crate::device::{library, primitives};
use crate::diagnostics::Loc;
use crate::resolve::Meaning;
use crate::typed::{self, EnumDef, Scalar, StructDef, UnaryOp};

/// A type as written in Rust; the structs and enums are the kernel's.
pub fn written(ty: &typed::Ty, structs: &[StructDef], enums: &[EnumDef]) -> String {
    let inner = |ty: &typed::Ty| written(ty, structs, enums);
    match ty {
        typed::Ty::Unit => "()".to_owned(),
        typed::Ty::Never => "!".to_owned(),
        typed::Ty::Scalar(scalar) => scalar.name().to_owned(),
        typed::Ty::Dim3 => "Dim3".to_owned(),
        typed::Ty::Tuple(parts) => match &parts[..] {
            [only] => format!("({},)", inner(only)),
            // The result of an atomic method: see `World::intern`.
            [value, _, typed::Ty::Never] => format!("Result<{0}, {0}>", inner(value)),
            parts => format!("({})", parts.iter().map(inner).collect::<Vec<_>>().join(", ")),
        },
        typed::Ty::Array(element, len) => format!("[{}; {len}]", inner(element)),
        typed::Ty::Struct(id) => structs[id.0].name.clone(),
        typed::Ty::Enum(id) => enums[id.0].name.clone(),
        typed::Ty::Option(some) => format!("Option<{}>", inner(some)),
        typed::Ty::Atomic(atomic) => atomic_name(*atomic),
        typed::Ty::Vector(scalar, lanes) => vector_name(*scalar, *lanes),
        typed::Ty::Ref { inner: to, mutable: false } => format!("&{}", inner(to)),
        typed::Ty::Ref { inner: to, mutable: true } => format!("&mut {}", inner(to)),
        typed::Ty::Ptr { inner: to, mutable: false } => format!("*const {}", inner(to)),
        typed::Ty::Ptr { inner: to, mutable: true } => format!("*mut {}", inner(to)),
        typed::Ty::Slice { element, mutable: false } => format!("&[{}]", inner(element)),
        typed::Ty::Slice { element, mutable: true } => format!("&mut [{}]", inner(element)),
        typed::Ty::Shared(of) => format!("Shared<{}>", inner(of)),
        typed::Ty::SharedDyn(of) => format!("SharedDyn<{}>", inner(of)),
        typed::Ty::Closure { owner, id } => format!("closure {}.{}", owner.0, id.0),
        typed::Ty::Function(id) => format!("function {}", id.0),
    }
}

/// `AtomicU32`, `BlockScope<AtomicU32>`
pub fn atomic_name(atomic: Atomic) -> String {
    let name = atomic.kind.name();
    match Scope::VIEWS.iter().find(|view| view.2 == atomic.scope) {
        Some((_, view, _)) => format!("{view}<{name}>"),
        None => name.to_owned(),
    }
}

/// `F32x4`
pub fn vector_name(scalar: Scalar, lanes: u32) -> String {
    let name = scalar.name();
    format!("{}{}x{lanes}", name[..1].to_uppercase(), &name[1..])
}

impl<'p> Infer<'_, 'p> {
    /// A type in a message.
    pub(crate) fn describe(&self, ty: &Ty) -> String {
        let ty = self.vars.resolve(ty);
        match &ty {
            Ty::Var(var) => match self.vars.kind(*var) {
                Kind::Any => "a value".to_owned(),
                Kind::Int => "an integer".to_owned(),
                Kind::Float => "a float".to_owned(),
            },
            Ty::Error => "a mistake".to_owned(),
            Ty::Shared(inner) => format!("a shared `{}`", self.world.describe_known(inner)),
            Ty::Closure(..) => "a closure".to_owned(),
            Ty::Function(id, _) => format!("the function `{}`", self.world.function_name(*id)),
            Ty::Range(_) => "a range".to_owned(),
            Ty::Iter(..) => "an iterator".to_owned(),
            known => format!("`{}`", self.world.describe_known(known)),
        }
    }

    pub(super) fn report_mismatch(&mut self, expr: &Expr, expected: &Ty, found: &Ty) {
        // Two tiles or fragments in each other's place are one mistake.
        if let Some((other_expected, other_found)) = self.mismatch.replace((expected.clone(), found.clone()))
            && self.vars.could_unify(expected, &other_found)
            && self.vars.could_unify(&other_expected, found)
            && !self.vars.could_unify(expected, &other_expected)
            && self.tile_type(expected).is_some()
            && self.tile_type(found).is_some()
        {
            return;
        }
        let help = self.help_for_mismatch(expr, expected, found);
        self.report_types(expr, expected, found, &help);
    }

    /// A mismatch of operands: beside a float literal the integer may be the one to be converted.
    pub(super) fn report_operand(&mut self, expr: &Expr, expected: &Ty, found: &Ty) {
        match (expected, found) {
            (Ty::Scalar(scalar), Ty::Var(var)) if scalar.is_int() && self.vars.kind(*var) == Kind::Float => {
                let convert = "convert the other operand with `as f32`";
                let help = match &expr.kind {
                    ExprKind::Literal(literal) => help_for_literal(literal, "", *scalar),
                    _ => None,
                };
                let help = help.map_or_else(|| convert.to_owned(), |help| format!("{help}, or {convert}"));
                self.report_types(expr, expected, found, &help);
            }
            _ => self.report_mismatch(expr, expected, found),
        }
    }

    pub(super) fn report_types(&mut self, expr: &Expr, expected: &Ty, found: &Ty, help: &str) {
        let message =
            format!("expected {}, found {}\nhelp: {help}", self.describe(expected), self.describe(found));
        self.error(expr.loc, message);
        self.distrust(expr);
        self.distrust_index(expr, found, expected);
        // A type variable that is still free could be bound to a wrong type later.
        for ty in [expected, found] {
            if let Ty::Var(_) = self.vars.shallow(ty) {
                let _ = self.vars.try_unify(ty, &Ty::Error);
            }
        }
    }

    /// A variable that is an index without its axis is one mistake, made where it is declared, however often it is used.
    pub(super) fn distrust(&mut self, expr: &Expr) {
        if let Meaning::Local(local) = self.table.expr(expr.id)
            && self.vars.shallow(&self.locals[local.0]) == Ty::Dim3
        {
            self.locals[local.0] = Ty::Error;
        }
    }

    /// An integer variable that should be a `usize` is one mistake, however often it is an index or compared with a length.
    pub(super) fn distrust_index(&mut self, expr: &Expr, own: &Ty, other: &Ty) -> bool {
        let is_other_int =
            matches!(self.vars.shallow(own), Ty::Scalar(own) if own.is_int() && own != Scalar::Usize);
        if let Meaning::Local(local) = self.table.expr(expr.id)
            && is_other_int
            && self.vars.shallow(other) == Ty::Scalar(Scalar::Usize)
        {
            self.locals[local.0] = Ty::Error;
            return true;
        }
        false
    }

    /// A `usize` beside a variable of another integer type: the variable is often an index.
    pub(super) fn report_index(&mut self, variable: &Expr, usize: &Expr, own: &Ty) {
        let (own, found) = (self.describe(own), self.describe(&Ty::Scalar(Scalar::Usize)));
        let name = match &variable.kind {
            ExprKind::Path { path, .. } => super::path::last_name(path),
            _ => String::new(),
        };
        let to = own.trim_matches('`');
        let message = format!(
            "expected {own}, found {found}\nhelp: make `{name}` a {found}, as indices and lengths are, or convert with `as {to}`"
        );
        self.error(usize.loc, message);
    }

    fn help_for_mismatch(&self, expr: &Expr, expected: &Ty, found: &Ty) -> String {
        let expected = self.vars.resolve(expected);
        let found = self.vars.resolve(found);
        if let (ExprKind::Assign { .. }, Ty::Scalar(Scalar::Bool)) = (&expr.kind, &expected) {
            return "compare with `==`".to_owned();
        }
        if expected == Ty::Unit {
            return "end it with `;`".to_owned();
        }
        let is_callable = |ty: &Ty| matches!(ty, Ty::Function(..) | Ty::Closure(..));
        let are_closures = matches!((&expected, &found), (Ty::Closure(..), Ty::Closure(..)));
        if is_callable(&expected) && is_callable(&found) && !are_closures {
            return "every function is a type of its own: write that of the variable, `let f: fn(f32) -> f32 = …;`"
                .to_owned();
        }
        if let (Ty::FnPtr(_), Ty::Function(..)) = (&expected, &found) {
            return "hand over a function with these parameters and this result, or write `fn(…) -> …` as it has them".to_owned();
        }
        if let (Ty::FnPtr(_), Ty::Closure(..)) = (&expected, &found) {
            return "write a function, `fn name(…) -> … { … }`, and its name here".to_owned();
        }
        let (literal, sign) = match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Neg, arg } => (&arg.kind, "-"),
            kind => (kind, ""),
        };
        if let (ExprKind::Literal(literal), Ty::Scalar(scalar)) = (literal, &expected)
            && let Some(help) = help_for_literal(literal, sign, *scalar)
        {
            return help;
        }
        let is_number = |ty: &Ty| match ty {
            Ty::Scalar(scalar) => Class::Number.holds(*scalar),
            Ty::Var(var) => self.vars.kind(*var) != Kind::Any,
            _ => false,
        };
        match (&expected, &found) {
            (Ty::Scalar(Scalar::Bool), Ty::Scalar(Scalar::F16 | Scalar::Bf16)) => {
                "compare: `.to_f32() != 0.0`".to_owned()
            }
            (Ty::Scalar(Scalar::Bool), found) if is_number(found) => {
                let is_float = match found {
                    Ty::Scalar(scalar) => scalar.is_float(),
                    Ty::Var(var) => self.vars.kind(*var) == Kind::Float,
                    _ => false,
                };
                format!("compare: `!= {}`", if is_float { "0.0" } else { "0" })
            }
            (Ty::Scalar(to), Ty::Scalar(Scalar::Bool)) if to.is_int() => {
                format!("convert with `as {}`", to.name())
            }
            (to, Ty::Scalar(Scalar::Bool)) if is_number(to) => "write `if b { 1.0 } else { 0.0 }`".to_owned(),
            (to, from) if let (Some(to), Some(_)) = (self.small_float(to), self.small_float(from)) => {
                format!("convert with `{to}::from_f32(x.to_f32())`")
            }
            (to, from) if let (Some(to), true) = (self.small_float(to), is_number(from)) => {
                format!("convert with `{to}::from_f32(x)`")
            }
            (Ty::Scalar(to), from) if self.small_float(from).is_some() && is_number(&expected) => {
                format!(
                    "convert with `to_f32()`{}",
                    if *to == Scalar::F32 { String::new() } else { format!(" and `as {}`", to.name()) }
                )
            }
            // `as` binds closer than the operators.
            (Ty::Scalar(to), found) if is_number(found) && matches!(expr.kind, ExprKind::Binary { .. }) => {
                format!("convert with `(…) as {}`", to.name())
            }
            (Ty::Scalar(to), found) if is_number(found) => format!("convert with `as {}`", to.name()),
            (Ty::Option(inner), found) if **inner == *found => "write `Some(…)`".to_owned(),
            (to, Ty::Option(inner)) if **inner == *to => {
                "take the value out of it: `unwrap()`, or `if let Some(v) = …`".to_owned()
            }
            (Ty::Ref(inner, true), found)
                if let Some((value, name)) = &self.assigned
                    && *value == expr.id
                    && (**inner == *found || is_number(inner) && is_number(found)) =>
            {
                format!("write `*{name}` on the left: `{name}` refers to what is written")
            }
            (Ty::Ref(inner, mutable), found) if **inner == *found => {
                format!("write `{}` before it", if *mutable { "&mut " } else { "&" }.trim())
            }
            (Ty::Ref(inner, mutable), Ty::Struct(found, _)) if matches!(**inner, Ty::Struct(id, _) if id == *found) =>
            {
                format!("write `{}` before it", if *mutable { "&mut" } else { "&" })
            }
            (_, Ty::Struct(id, _))
                if self.world.program.structs[id.0].scope.is_library
                    && let Some(help) =
                        library::help_for_value(&self.world.program.structs[id.0].name.to_string()) =>
            {
                help.to_owned()
            }
            // A literal whose type is open yet.
            (Ty::Ref(inner, mutable), Ty::Var(_)) if is_number(inner) && is_number(&found) => {
                format!("write `{}` before it", if *mutable { "&mut" } else { "&" })
            }
            (Ty::Atomic(_), found) if is_number(found) => {
                "write it by `.store(value, Ordering::Relaxed)`".to_owned()
            }
            (Ty::Ref(to, _), Ty::Ref(from, _))
                if self.tile_type(to).is_some_and(|to| to == "SharedTile")
                    && self.tile_type(from).is_some_and(|from| from.starts_with("Matrix")) =>
            {
                "copy a part of the matrix to a tile first: `tile.load(&matrix, [row, column])`".to_owned()
            }
            (Ty::Slice(element, mutable), Ty::Array(other, _)) if element == other => {
                format!("write `{}` before it", if *mutable { "&mut" } else { "&" })
            }
            (to, Ty::Ref(inner, _)) if **inner == *to => "write `*` before it".to_owned(),
            (Ty::Ref(to, true), Ty::Ref(inner, false)) if to == inner || matches!(**to, Ty::Var(_)) => {
                "it can only be read: take it by `&mut` where it comes from".to_owned()
            }
            (Ty::Slice(to, true), Ty::Slice(inner, false)) if to == inner => {
                "it can only be read: declare it `&mut [T]` where it comes from".to_owned()
            }
            (Ty::Ptr(to, true), Ty::Ptr(inner, false)) if to == inner => {
                "it can only be read: write `.cast_mut()` where you know better".to_owned()
            }
            (Ty::Ptr(_, mutable), Ty::Slice(..) | Ty::Array(..)) => {
                format!("write `.{}()`", if *mutable { "as_mut_ptr" } else { "as_ptr" })
            }
            (Ty::Ref(to, false), Ty::Slice(..)) if let Ty::Array(_, len) = self.vars.shallow(to) => {
                let len = match self.vars.shallow(&len) {
                    Ty::Const(value) => value.bits.to_string(),
                    _ => "N".to_owned(),
                };
                format!("write `.first_chunk::<{len}>().unwrap()` behind the slice, without the `&`")
            }
            (Ty::Ref(to, _), Ty::Ref(from, _)) if self.is_matrix_of_atomics(to, from) => {
                "take the elements as a slice of atomics, and make a matrix of them: `c: &[AtomicF32]`, `let c = Matrix::new(c, [rows, columns]);`"
                    .to_owned()
            }
            (Ty::Vector(to, lanes), Ty::Vector(..)) => {
                format!("take a value of type `{}`", vector_name(*to, *lanes))
            }
            (Ty::Ref(to, _), Ty::Ref(..)) => {
                format!("refer to a value of type `{}`", self.world.describe_known(to))
            }
            (Ty::Ptr(to, mutable), Ty::Ptr(..)) => {
                let to = self.world.describe_known(to);
                format!("write `.cast::<{to}>()`, or `as *{} {to}`", if *mutable { "mut" } else { "const" })
            }
            (Ty::Closure(..), Ty::Closure(..)) => {
                "each closure has a type of its own: write one, and let it choose with `if` or `match`"
                    .to_owned()
            }
            (Ty::Scalar(to), Ty::Option(some))
                if let Ty::Ref(inner, _) = self.vars.shallow(some)
                    && self.vars.shallow(&inner) == Ty::Scalar(*to) =>
            {
                "take the value out of it: `*….unwrap()`, or `if let Some(&v) = …`".to_owned()
            }
            (Ty::Array(element, len), Ty::Scalar(from)) => {
                let len = match self.vars.shallow(len) {
                    Ty::Const(value) => value.bits,
                    _ => 0,
                };
                match (self.vars.shallow(element), from, len) {
                    (Ty::Scalar(Scalar::U32), Scalar::U64, 2) => {
                        "write its halves: `[v as u32, (v >> 32) as u32]`".to_owned()
                    }
                    (Ty::Scalar(element), _, 1..) => format!("write an array of `{}`: `[v; {len}]`", element.name()),
                    _ => self.help_for_scalar(&Ty::Scalar(*from)),
                }
            }
            (Ty::Array(..), Ty::Array(..)) => "make both of the same length and element".to_owned(),
            (_, found) => self.help_for_scalar(found),
        }
    }

    /// Returns true for a matrix of atomics and one of other elements.
    fn is_matrix_of_atomics(&self, to: &Ty, from: &Ty) -> bool {
        let is_matrix = |ty: &Ty| self.tile_type(ty).is_some_and(|name| name == "Matrix");
        let is_of_atomics = match self.vars.shallow(to) {
            Ty::Struct(_, args) => {
                args.first().is_some_and(|of| matches!(self.vars.shallow(of), Ty::Atomic(_)))
            }
            _ => false,
        };
        is_matrix(to) && is_of_atomics && is_matrix(from)
    }

    /// Suggests how to get a scalar out of a value of this type.
    pub(super) fn help_for_scalar(&self, found: &Ty) -> String {
        match found {
            ty if let Some(name) = self.primitive(ty) => primitives::help_for_number(&name),
            Ty::Dim3 => "pick an axis: `.x`, `.y` or `.z`",
            Ty::Slice(..) | Ty::Shared(_) | Ty::SharedDyn(_) | Ty::Array(..) => "pick an element: `[i]`",
            Ty::Unit => "write an expression with a value",
            ty if self.small_float(ty).is_some() => "convert with `to_f32()`",
            Ty::Struct(..) => "pick a field",
            Ty::Tuple(_) => "pick a field: `.0`",
            Ty::Vector(..) => "pick a lane: `.x`",
            Ty::Enum(_) => "convert with `as u32`, or use `match`",
            Ty::Option(_) => "take the value out of it: `unwrap()`, or `if let Some(v) = …`",
            ty if self.world.of_result(ty).is_some() => "take the value out of it: `unwrap()`, or `match`",
            Ty::Atomic(_) => "read it: `.load(Ordering::Relaxed)`",
            Ty::Ordering | Ty::Scope => "it has a meaning as an argument of atomics only",
            Ty::Ref(..) => "write `*` before it",
            Ty::Ptr(..) => "read it: `unsafe { *p }`",
            Ty::Closure(..) | Ty::Function(..) | Ty::FnPtr(_) => "call it: `f(…)`",
            Ty::Range(_) | Ty::Iter(..) => "write a `for` loop, or `.sum()`",
            Ty::Scalar(_) | Ty::Never | Ty::Const(_) | Ty::Var(_) | Ty::Error => "make both of the same type",
        }
        .to_owned()
    }

    pub(super) fn report_class(&mut self, claim: &Claim, found: &Ty) {
        let what = claim.what;
        let help = match (what, found) {
            (".." | "-" | "!" | "<<" | ">>", found)
                if let Some(name) = self.primitive(found)
                    && name != primitives::CHAR =>
            {
                format!("write the type of the literals where they stand: `0{name}`")
            }
            ("%", Ty::Scalar(scalar)) if scalar.is_float() => "write `a - (a / b).trunc() * b`".to_owned(),
            ("-", Ty::Scalar(scalar)) if claim.class == Class::SignedOrFloat && scalar.is_int() => {
                "write `a - x` to subtract it, `x.wrapping_neg()` for the two's complement, or use a signed type".to_owned()
            }
            ("!", Ty::Scalar(_)) => "write `-x` for the negative, or compare with `== 0.0`".to_owned(),
            ("^", Ty::Scalar(_)) => {
                "write `x.powi(2)` for a power, and work on the bits for an exclusive or: `f32::from_bits(x.to_bits() ^ mask)`".to_owned()
            }
            ("&" | "|", Ty::Scalar(_)) => {
                "work on the bits: `f32::from_bits(x.to_bits() & mask)`".to_owned()
            }
            (_, Ty::Scalar(Scalar::Bool)) => {
                "convert with `as u32`, to a float with `as u32 as f32`, or use `&&`, `||`, `!`".to_owned()
            }
            (_, Ty::Scalar(_)) if claim.class == Class::Int => "convert with `as usize`".to_owned(),
            (_, Ty::Scalar(_)) if claim.class == Class::F32 => "convert with `as f32`".to_owned(),
            (_, found) => self.help_for_scalar(found),
        };
        let expected = claim.class.name();
        let found = self.describe(found);
        self.error(claim.loc, format!("expected {expected} for `{what}`, found {found}\nhelp: {help}"));
    }

    /// A slice that is only read is to be written.
    pub(super) fn report_shared_slice(&mut self, place: &Expr) {
        let ty = self.describe(&self.exprs[place.id.0].clone());
        let mut root = place;
        while let ExprKind::Index { base, .. } | ExprKind::Deref(base) | ExprKind::Field { base, .. } =
            &root.kind
        {
            root = base;
        }
        let help = match self.local_name(root) {
            Some(name) => format!("declare `{name}` with `&mut`"),
            None => "take it by `&mut` where it comes from".to_owned(),
        };
        self.error(place.loc, format!("expected a slice that can be written, found {ty}\nhelp: {help}"));
    }

    /// A block that should have a value ends without one.
    pub(super) fn report_no_value(&mut self, block: &Block, expected: &Ty) {
        let expected = self.describe(expected);
        let (loc, help) = match block.stmts.last() {
            Some(Stmt::Expr { expr, semicolon: true }) if self.expr_ty(expr.id) != Ty::Unit => {
                (expr.loc, "leave the `;` out after it, so that it is the block's value".to_owned())
            }
            _ => (Loc::from(block.loc.end), format!("end the block with {expected}")),
        };
        self.error(loc, format!("expected {expected}, found a block without a value\nhelp: {help}"));
    }

    pub(super) fn report_no_else(&mut self, expr: &Expr, expected: &Ty) {
        let expected = self.describe(expected);
        let message =
            format!("expected {expected}, found an `if` without `else`\nhelp: add an `else` with a value");
        self.error(expr.loc, message);
    }

    pub(super) fn report_no_break_value(&mut self, expr: &Expr, expected: &Ty) {
        let expected = self.describe(expected);
        let message = format!(
            "expected {expected} as the loop's value, found `break` without one\nhelp: write `break value`"
        );
        self.error(expr.loc, message);
    }

    pub(super) fn example_literal(&self, ty: &Ty) -> &'static str {
        match self.vars.resolve(ty) {
            Ty::Var(var) if self.vars.kind(var) == Kind::Int => "2_u32",
            _ => "2.0_f32",
        }
    }
}

fn help_for_literal(literal: &Literal, sign: &str, expected: Scalar) -> Option<String> {
    match literal {
        Literal::Int { value: Some(value), suffix: None } if expected.is_float() => {
            Some(format!("write `{sign}{value}.0`"))
        }
        Literal::Float { digits, suffix: None } if expected.is_int() => {
            let whole = digits.strip_suffix(".0").or(digits.strip_suffix('.'))?;
            Some(format!("write `{sign}{whole}`"))
        }
        Literal::Int { suffix: Some(suffix), .. } | Literal::Float { suffix: Some(suffix), .. }
            if expected != Scalar::Bool && suffix.is_float() == expected.is_float() =>
        {
            Some(format!("write the suffix `{}`", expected.name()))
        }
        Literal::Bool(_) | Literal::Primitive { .. } | Literal::Int { .. } | Literal::Float { .. } => None,
    }
}

impl super::world::World<'_> {
    /// A function's name as it is called: `max`, of the library's `value_max`.
    fn function_name(&self, id: FunctionId) -> String {
        let function = &self.program.functions[id.0];
        let name = function.name.to_string();
        match name.split_once('_') {
            Some((_, method)) if function.is_library => method.to_owned(),
            _ => name,
        }
    }

    /// A type as written in Rust.
    pub(crate) fn describe_known(&self, ty: &Ty) -> String {
        let inner = |ty: &Ty| self.describe_known(ty);
        let list = |parts: &[Ty]| parts.iter().map(inner).collect::<Vec<_>>().join(", ");
        match ty {
            Ty::Unit => "()".to_owned(),
            Ty::Never => "!".to_owned(),
            Ty::Scalar(scalar) => scalar.name().to_owned(),
            Ty::Dim3 => "Dim3".to_owned(),
            Ty::Tuple(parts) if parts.len() == 1 => format!("({},)", inner(&parts[0])),
            Ty::Tuple(parts) => format!("({})", list(parts)),
            Ty::Array(element, len) => format!("[{}; {}]", inner(element), inner(len)),
            Ty::Struct(id, args) => {
                let name = &self.program.structs[id.0].name;
                if args.is_empty() { name.to_string() } else { format!("{name}<{}>", list(args)) }
            }
            Ty::Enum(id) => self.program.enums[id.0].name.to_string(),
            Ty::Option(some) => format!("Option<{}>", inner(some)),
            Ty::Atomic(atomic) => atomic_name(*atomic),
            Ty::Ordering => "Ordering".to_owned(),
            Ty::Scope => "Scope".to_owned(),
            Ty::Vector(scalar, lanes) => vector_name(*scalar, *lanes),
            Ty::Ref(to, mutable) => format!("{}{}", if *mutable { "&mut " } else { "&" }, inner(to)),
            Ty::Ptr(to, mutable) => format!("*{} {}", if *mutable { "mut" } else { "const" }, inner(to)),
            Ty::Slice(element, mutable) => {
                format!("{}[{}]", if *mutable { "&mut " } else { "&" }, inner(element))
            }
            Ty::Shared(of) => format!("Shared<{}>", inner(of)),
            Ty::SharedDyn(of) => format!("SharedDyn<{}>", inner(of)),
            Ty::Closure(..) => "a closure".to_owned(),
            Ty::Function(id, _) => self.function_name(*id),
            Ty::FnPtr(parts) => {
                let (result, params) = parts.split_last().unwrap_or((&Ty::Unit, &[]));
                let arrow =
                    if *result == Ty::Unit { String::new() } else { format!(" -> {}", inner(result)) };
                format!("fn({}){arrow}", list(params))
            }
            Ty::Range(_) => "a range".to_owned(),
            Ty::Iter(..) => "an iterator".to_owned(),
            Ty::Const(value) => match value.ty {
                Scalar::Bool => (value.bits == 1).to_string(),
                _ => crate::literal::to_int(*value).to_string(),
            },
            Ty::Var(_) | Ty::Error => "_".to_owned(),
        }
    }
}
