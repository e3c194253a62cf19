//! Names: what every path, call, `break` and `continue` refers to.
//!
//! Scopes are Rust's: a `let` is seen from its end to the end of its block and may shadow; a constant is seen in the
//! whole block that declares it; constants see constants, not variables.

use proc_macro2::Ident;

use crate::ast::{self, Block, Expr, ExprId, ExprKind, Kernel, Range, RangeAdaptor, Stmt, Type, TypeKind};
use crate::builtins::{self, Form, Signature};
use crate::constants;
use crate::diagnostics::{Diagnostics, did_you_mean};
use crate::typed::{ConstId, ConstValue, LocalId, LoopId, Scalar};

/// What an expression refers to.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// It is no name, no call of a function, no `break` or `continue`.
    Nothing,
    /// A variable.
    Local(LocalId),
    /// A constant of the body.
    Const(ConstId),
    /// A constant with a path.
    Known(ConstValue),
    /// A function of the language; of this type, if the path said so: `f32::max(a, b)`.
    Function(&'static Signature, Option<Scalar>),
    /// The loop that `break` leaves or `continue` continues.
    Loop(LoopId),
    /// A mistake that has been reported.
    Error,
}

/// The meaning of every expression.
pub struct Names {
    meanings: Vec<Meaning>,
}

impl Names {
    /// Of this one.
    pub fn of(&self, id: ExprId) -> Meaning {
        self.meanings[id.0]
    }
}

/// Resolves all names.
pub fn resolve(name: &Ident, kernel: &Kernel, diagnostics: &mut Diagnostics) -> Names {
    let mut resolver = Resolver {
        name,
        kernel,
        diagnostics,
        meanings: vec![Meaning::Nothing; kernel.expr_count],
        scope: Vec::new(),
        loops: Vec::new(),
        in_const: false,
    };
    for id in 0..kernel.param_count {
        resolver.bind(LocalId(id));
    }
    resolver.block(&kernel.body);
    Names { meanings: resolver.meanings }
}

#[derive(Clone, Copy)]
enum Binding {
    Local(LocalId),
    Const(ConstId),
}

struct OpenLoop<'a> {
    id: LoopId,
    label: Option<&'a syn::Lifetime>,
    /// What kind of loop it is, as written.
    keyword: &'static str,
}

struct Resolver<'a> {
    name: &'a Ident,
    kernel: &'a Kernel,
    diagnostics: &'a mut Diagnostics,
    meanings: Vec<Meaning>,
    /// What is in scope; the last of a name counts.
    scope: Vec<(String, Binding)>,
    loops: Vec<OpenLoop<'a>>,
    /// Inside the value of a constant or the length of an array.
    in_const: bool,
}

impl<'a> Resolver<'a> {
    fn bind(&mut self, id: LocalId) {
        let local = &self.kernel.locals[id.0];
        let name = local.name.to_string();
        if let Some(Binding::Const(_)) = self.lookup(&name)
            && local.origin != ast::Origin::Param
        {
            let message = format!(
                "expected a new variable, found the constant `{name}`\nhelp: give the variable another name"
            );
            self.diagnostics.error(&local.name, message);
        }
        self.scope.push((name, Binding::Local(id)));
    }

    fn lookup(&self, name: &str) -> Option<Binding> {
        self.scope.iter().rev().find(|entry| entry.0 == name).map(|entry| entry.1)
    }

    fn block(&mut self, block: &'a Block) {
        let outer = self.scope.len();
        self.declare_consts(&block.stmts);
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        if let Some(value) = &block.value {
            self.expr(value);
        }
        self.scope.truncate(outer);
    }

    fn declare_consts(&mut self, stmts: &[Stmt]) {
        let outer = self.scope.len();
        for stmt in stmts {
            let Stmt::Const(id) = stmt else { continue };
            let ident = &self.kernel.consts[id.0].name;
            let name = ident.to_string();
            if self.scope[outer..].iter().any(|entry| entry.0 == name) {
                let message = format!(
                    "expected a new name, found the constant `{name}` again\nhelp: rename one of them"
                );
                self.diagnostics.error(ident, message);
            }
            self.scope.push((name, Binding::Const(*id)));
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Let { local, init, .. } => {
                if let Some(init) = init {
                    self.expr(init);
                }
                if let Some(local) = local {
                    self.bind(*local);
                }
            }
            Stmt::Expr { expr, .. } => self.expr(expr),
            Stmt::Const(id) => {
                let kernel = self.kernel;
                self.constant(&kernel.consts[id.0].init);
            }
        }
    }

    fn constant(&mut self, expr: &'a Expr) {
        let outer = std::mem::replace(&mut self.in_const, true);
        let loops = std::mem::take(&mut self.loops);
        self.expr(expr);
        self.loops = loops;
        self.in_const = outer;
    }

    fn exprs<'e: 'a>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Return => {}
            ExprKind::Path(path) => self.meanings[expr.id.0] = self.path(expr, path),
            ExprKind::Unary { arg, .. } | ExprKind::Cast { arg, .. } => self.expr(arg),
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Logical { lhs, rhs, .. } => {
                self.exprs([&**lhs, &**rhs]);
            }
            ExprKind::Field { base, .. } => self.expr(base),
            ExprKind::Index { base, index } => self.exprs([&**base, &**index]),
            ExprKind::Call { path, generics, args } => {
                self.meanings[expr.id.0] = self.function(expr, path);
                for ty in generics.iter().flat_map(|generics| &generics.types) {
                    self.ty(ty);
                }
                self.exprs(args);
            }
            ExprKind::Method { receiver, args, .. } => {
                self.expr(receiver);
                self.exprs(args);
            }
            ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
                self.exprs([&**place, &**value]);
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { cond, then, otherwise } => {
                self.expr(cond);
                self.block(then);
                self.exprs(otherwise.as_deref());
            }
            ExprKind::Loop { id, label, body } => self.in_loop(*id, label, "loop", body),
            ExprKind::While { id, label, cond, body } => {
                self.expr(cond);
                self.in_loop(*id, label, "while", body);
            }
            ExprKind::For { id, label, local, range, body } => {
                self.range(range);
                let outer = self.scope.len();
                if let Some(local) = local {
                    self.bind(*local);
                }
                self.in_loop(*id, label, "for", body);
                self.scope.truncate(outer);
            }
            ExprKind::Break { label, value } => {
                self.exprs(value.as_deref());
                self.meanings[expr.id.0] = self.target(expr, "break", label.as_ref(), value.as_deref());
            }
            ExprKind::Continue { label } => {
                self.meanings[expr.id.0] = self.target(expr, "continue", label.as_ref(), None);
            }
        }
    }

    fn range(&mut self, range: &'a Range) {
        self.exprs([&range.start, &range.end]);
        for adaptor in &range.adaptors {
            match adaptor {
                RangeAdaptor::Rev => {}
                RangeAdaptor::StepBy(step) => self.expr(step),
            }
        }
    }

    fn ty(&mut self, ty: &'a Type) {
        match &ty.kind {
            TypeKind::Array { element, len } => {
                self.constant(len);
                self.ty(element);
            }
            TypeKind::Scalar(_) | TypeKind::Slice { .. } | TypeKind::Unit | TypeKind::Infer => {}
        }
    }

    fn in_loop(
        &mut self,
        id: LoopId,
        label: &'a Option<syn::Lifetime>,
        keyword: &'static str,
        body: &'a Block,
    ) {
        self.loops.push(OpenLoop { id, label: label.as_ref(), keyword });
        self.block(body);
        self.loops.pop();
    }

    fn target(
        &mut self,
        expr: &Expr,
        word: &str,
        label: Option<&syn::Lifetime>,
        value: Option<&Expr>,
    ) -> Meaning {
        let target = match label {
            None => self.loops.last(),
            Some(label) => self.loops.iter().rev().find(|open| open.label == Some(label)),
        };
        let Some(target) = target else {
            match label {
                None => self.diagnostics.error(
                    expr.loc,
                    format!("expected `{word}` inside a loop, found it outside\nhelp: leave the kernel with `return`"),
                ),
                Some(label) => {
                    let written = label.to_string();
                    let known: Vec<String> =
                        self.loops.iter().filter_map(|open| open.label).map(ToString::to_string).collect();
                    let help = match did_you_mean(&written, known.iter().map(String::as_str)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("write `{written}:` before the loop that is meant"),
                    };
                    self.diagnostics.error(
                        label.span(),
                        format!("expected the label of an enclosing loop, found `{written}`\nhelp: {help}"),
                    );
                }
            }
            return Meaning::Error;
        };
        if let Some(value) = value
            && target.keyword != "loop"
        {
            let message = format!(
                "expected `break` without a value, found one in a `{}`: only `loop` has a value\nhelp: assign the value to \
                 a variable before `break`",
                target.keyword
            );
            self.diagnostics.error(value.loc, message);
            return Meaning::Error;
        }
        Meaning::Loop(target.id)
    }

    fn path(&mut self, expr: &Expr, path: &syn::Path) -> Meaning {
        let segments = segments(path);
        if let [name] = &segments[..] {
            match self.lookup(name) {
                Some(Binding::Local(id)) if !self.in_const => return Meaning::Local(id),
                Some(Binding::Local(_)) => {
                    let message = format!(
                        "expected a constant, found the variable `{name}`\nhelp: declare `const NAME: T = …;` and use that"
                    );
                    self.diagnostics.error(expr.loc, message);
                    return Meaning::Error;
                }
                Some(Binding::Const(id)) => return Meaning::Const(id),
                None => {}
            }
        }
        if let Some(value) = constants::constant(&segments) {
            return Meaning::Known(value);
        }
        let help = self.help_for_name(&segments);
        let what = if segments.len() == 1 { "a variable or a constant" } else { "a constant" };
        let message =
            format!("expected {what}, found the unknown name `{}`\nhelp: {help}", segments.join("::"));
        self.diagnostics.error(expr.loc, message);
        Meaning::Error
    }

    fn help_for_name(&self, segments: &[String]) -> String {
        if let Some(function) = builtins::function(segments) {
            return format!("call it: `{}()`", function.name);
        }
        if let Some(help) = constants::near(segments) {
            return help;
        }
        let [name] = segments else {
            return "constants outside the kernel are not seen: declare it in the body".to_owned();
        };
        if let Some((_, help)) = builtins::OTHER_NAMES.iter().find(|row| row.0 == name) {
            return (*help).to_owned();
        }
        if let Some(near) = did_you_mean(name, self.scope.iter().map(|entry| entry.0.as_str())) {
            return format!("did you mean `{near}`?");
        }
        if name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
            return format!(
                "constants outside the kernel are not seen: declare `const {name}: T = …;` in the body"
            );
        }
        "declare it with `let`, or pass it as a parameter".to_owned()
    }

    fn function(&mut self, expr: &Expr, path: &syn::Path) -> Meaning {
        let segments = segments(path);
        let loc = crate::diagnostics::Loc {
            start: expr.loc.start,
            end: path.segments.last().map_or(expr.loc.start, |segment| segment.ident.span()),
        };
        if let [name] = &segments[..]
            && self.lookup(name).is_some()
        {
            let message = format!(
                "expected a function, found the variable `{name}`\nhelp: closures are not supported yet: write the \
                 expression here"
            );
            self.diagnostics.error(loc, message);
            return Meaning::Error;
        }
        if let Some(function) = builtins::function(&segments) {
            return Meaning::Function(function, None);
        }
        if let [ty, name] = &segments[..]
            && let Some(scalar) = Scalar::from_name(ty)
            && let Some(function) = builtins::associated(name)
            && function.class.holds(scalar)
            && function.name != "len"
        {
            return Meaning::Function(function, Some(scalar));
        }
        let help = self.help_for_function(&segments);
        let message =
            format!("expected a function of the language, found `{}`\nhelp: {help}", segments.join("::"));
        self.diagnostics.error(loc, message);
        Meaning::Error
    }

    fn help_for_function(&self, segments: &[String]) -> String {
        let Some((name, prefix)) = segments.split_last() else { return String::new() };
        if prefix.is_empty() && self.name == name {
            return "recursion is not possible on the GPU: write a loop".to_owned();
        }
        if let Some((_, help)) = builtins::OTHER_NAMES.iter().find(|row| row.0 == name) {
            return (*help).to_owned();
        }
        if prefix.is_empty() && Scalar::from_name(name).is_some() {
            return format!("convert with `as {name}`");
        }
        if let Some(row) = builtins::TABLE.iter().find(|row| row.name == name) {
            return match prefix {
                [ty] if Scalar::from_name(ty).is_some() => {
                    format!("`{name}` needs {}: convert with `as`", row.class.name())
                }
                _ => format!("write `{}`", usage(row)),
            };
        }
        if let Some(near) = did_you_mean(name, builtins::TABLE.iter().map(|row| row.name))
            && let Some(row) = builtins::TABLE.iter().find(|row| row.name == near)
        {
            return format!("did you mean `{}`?", usage(row));
        }
        "functions of your own are not supported yet: write the code here".to_owned()
    }
}

/// How a function is called.
fn usage(row: &Signature) -> String {
    let dots = if row.params.is_empty() { "" } else { "…" };
    match row.form {
        Form::Function => format!("{}({dots})", row.name),
        Form::Warp => format!("warp::{}({dots})", row.name),
        Form::Method => format!("value.{}({dots})", row.name),
        Form::Associated => format!("f32::{}({dots})", row.name),
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}
