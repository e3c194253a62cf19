//! Blocks, statements, and what has blocks: `if`, `match` and the loops.

use super::{Hint, Infer, Kind, Ty};
use crate::ast::{Arm, Block, Expr, ExprKind, PatKind, Pattern, Stmt, Type};
use crate::resolve::{Meaning, is_default};
use crate::typed::{LoopId, Scalar};

/// The type of the value before a `?`, in the order of the arms that the parser gives it: two for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tried {
    Option,
    Result,
    ControlFlow,
}

impl Tried {
    /// Those of the arms of `value?` that count.
    pub(crate) fn arms(self, arms: &[Arm]) -> &[Arm] {
        &arms[2 * self as usize..][..2]
    }

    /// The type and the variant that goes on, for messages.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Tried::Option => ("an `Option`", "Some(value)"),
            Tried::Result => ("a `Result`", "Ok(value)"),
            Tried::ControlFlow => ("a `ControlFlow`", "ControlFlow::Continue(value)"),
        }
    }

    /// Help for one in a function that gives another.
    fn help_in(self, other: Tried) -> String {
        match (self, other) {
            (Tried::Result, Tried::Option) => "write `.ok()?`".to_owned(),
            (Tried::Option, Tried::Result) => "write `.ok_or(…)?`".to_owned(),
            (Tried::ControlFlow, Tried::Option) => "write `.continue_value()?`".to_owned(),
            (Tried::ControlFlow, Tried::Result) => "write `.continue_value().ok_or(…)?`".to_owned(),
            _ => {
                let (_, value) = self.described();
                format!("write `let {value} = … else {{ return ControlFlow::Break(…) }};`")
            }
        }
    }
}

impl<'p> Infer<'_, 'p> {
    /// The block's type. With [`Hint::Must`] a mismatch is reported here, and the type is that or `!`.
    pub(super) fn block(&mut self, block: &'p Block, hint: &Hint) -> Ty {
        let before = std::mem::replace(&mut self.diverges, false);
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        let ty = match (&block.value, hint) {
            (Some(value), Hint::Must(ty)) => match self.coerce(value, ty) {
                Ty::Never => Ty::Never,
                _ => ty.clone(),
            },
            (Some(value), Hint::None | Hint::Literal(_)) => self.expr(value, hint),
            (None, _) if self.diverges => Ty::Never,
            (None, Hint::Must(ty)) => {
                if !self.vars.try_unify(ty, &Ty::Unit) {
                    self.report_no_value(block, ty);
                }
                ty.clone()
            }
            (None, Hint::None | Hint::Literal(_)) => Ty::Unit,
        };
        self.diverges |= before;
        ty
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        match stmt {
            Stmt::Let { pattern, ty, init, otherwise, .. } => {
                self.let_stmt(pattern, ty.as_ref(), init.as_ref(), otherwise.as_ref());
            }
            Stmt::Expr { expr, semicolon: true } => {
                self.expr(expr, &Hint::None);
            }
            Stmt::Expr { expr, semicolon: false } => {
                self.coerce(expr, &Ty::Unit);
            }
        }
    }

    fn let_stmt(
        &mut self,
        pattern: &'p Pattern,
        ty: Option<&'p Type>,
        init: Option<&'p Expr>,
        otherwise: Option<&'p Block>,
    ) {
        let env = self.env.clone();
        let written = ty.map(|ty| self.world.lower_type(&mut self.vars, &env, ty));
        let ty = match (init, &written) {
            (None, Some(ty)) => ty.clone(),
            (None, None) => self.vars.any(),
            (Some(init), Some(ty)) => {
                if self.coerce(init, ty) == Ty::Never {
                    // The variable is never reached: any type will do.
                    let _ = self.vars.try_unify(ty, &Ty::Unit);
                }
                ty.clone()
            }
            (Some(init), None) => {
                let of_init = self.named_for(init, [pattern]);
                match self.expr(init, &of_init) {
                    Ty::Never => Ty::Unit,
                    ty => ty,
                }
            }
        };
        if let Some(block) = otherwise {
            let before = self.diverges;
            if self.block(block, &Hint::None) != Ty::Never {
                self.error(
                    crate::diagnostics::Loc::from(block.loc.end),
                    "expected an `else` that does not come back, found its end\nhelp: end it with `return`, `break`, `continue` or `panic!`",
                );
            }
            self.diverges = before;
        }
        match init {
            Some(init) => self.pattern_on(pattern, init, &ty),
            None => self.pattern(pattern, &ty),
        }
    }

    pub(super) fn if_expr(
        &mut self,
        expr: &'p Expr,
        cond: &'p Expr,
        then: &'p Block,
        otherwise: Option<&'p Expr>,
        hint: &Hint,
    ) -> Ty {
        self.operand(cond, &Hint::Must(Ty::BOOL));
        let before = std::mem::replace(&mut self.diverges, false);
        let Some(otherwise) = otherwise else {
            if let Hint::Must(ty) = hint
                && !self.vars.try_unify(ty, &Ty::Unit)
            {
                self.report_no_else(expr, ty);
                self.block(then, &Hint::None);
                self.diverges = before;
                return Ty::Error;
            }
            if let Hint::Must(_) = hint {
                self.block(then, &Hint::Must(Ty::Unit));
                self.diverges = before;
                return Ty::Unit;
            }
            // Its value goes somewhere: a branch without one is the mistake, not the value.
            let ty = self.block(then, &Hint::None);
            self.diverges = before;
            if ty != Ty::Never && !self.vars.try_unify(&ty, &Ty::Unit) {
                self.report_no_else(expr, &ty);
                return Ty::Error;
            }
            return Ty::Unit;
        };
        let ty = self.value_ty(hint);
        let errors = self.world.diagnostics.count();
        let first = self.block(then, &Hint::Must(ty.clone()));
        let first_diverges = std::mem::replace(&mut self.diverges, false);
        // A value where `()` is expected is one mistake, though both branches have it.
        let second = match self.world.diagnostics.count() > errors && self.vars.shallow(&ty) == Ty::Unit {
            true => self.expr(otherwise, &Hint::None),
            false => self.coerce(otherwise, &ty),
        };
        self.diverges = before || (first_diverges && self.diverges);
        if first == Ty::Never && second == Ty::Never { Ty::Never } else { ty }
    }

    /// The type of what has several values: the expected one, or that of the first.
    fn value_ty(&mut self, hint: &Hint) -> Ty {
        match hint {
            Hint::Must(ty) => ty.clone(),
            Hint::None | Hint::Literal(_) => self.vars.any(),
        }
    }

    /// The type that the first pattern that names one decides, of a value whose type is that of where it goes.
    pub(super) fn named_for(
        &mut self,
        value: &Expr,
        patterns: impl IntoIterator<Item = &'p Pattern>,
    ) -> Hint {
        let named = match converts(value) {
            true => patterns.into_iter().find_map(|pattern| self.named_in(value, pattern)),
            false => None,
        };
        named.map_or(Hint::None, Hint::Must)
    }

    /// Of a tuple the parts alone whose types are those of where they go: others may be references that the pattern looks through.
    fn named_in(&mut self, value: &Expr, pattern: &'p Pattern) -> Option<Ty> {
        match (&value.kind, &pattern.kind) {
            (ExprKind::Tuple(values), PatKind::Tuple(parts)) if values.len() == parts.len() => {
                let types = values.iter().zip(parts).map(|(value, part)| {
                    let named = if converts(value) { self.named_in(value, part) } else { None };
                    named.unwrap_or_else(|| self.vars.any())
                });
                Some(Ty::tuple(types.collect()))
            }
            _ => self.named_type(pattern),
        }
    }

    pub(super) fn match_expr(
        &mut self,
        expr: &'p Expr,
        value: &'p Expr,
        arms: &'p [Arm],
        question_mark: bool,
        hint: &Hint,
    ) -> Ty {
        // The type that `value.try_into()?` makes is known by where it goes.
        let of_value = match (&value.kind, hint) {
            (ExprKind::Method { name, .. }, Hint::Must(ty)) if question_mark && name == "try_into" => {
                let error = self.vars.any();
                Hint::Literal(self.world.result(ty.clone(), error))
            }
            // Its arms are those of options, results and control flow alike.
            _ if question_mark => Hint::None,
            _ => self.named_for(value, arms.iter().map(|arm| &arm.pattern)),
        };
        let tested = self.operand(value, &of_value);
        let mut arms = arms;
        if question_mark {
            let tried = self.world.tried(&self.vars.shallow(&tested)).unwrap_or(Tried::Option);
            let counts = tried.arms(arms);
            let may_return = self.may_return(expr, &tested);
            // Variables of the arms that are left out have no type to ask for.
            for arm in
                arms.iter().filter(|arm| !may_return || !counts.iter().any(|other| std::ptr::eq(*arm, other)))
            {
                self.pattern(&arm.pattern, &Ty::Error);
            }
            if !may_return {
                return Ty::Error;
            }
            arms = counts;
            self.resolved.insert(expr.id, super::Resolved::QuestionMark(tried));
        }
        let before = std::mem::replace(&mut self.diverges, false);
        for arm in arms {
            self.pattern_on(&arm.pattern, value, &tested);
        }
        let ty = self.value_ty(hint);
        if question_mark {
            self.tried.push(ty.clone());
        }
        let mut all_diverge = true;
        let mut never = true;
        let mut failed = false;
        for arm in arms {
            self.diverges = false;
            if let Some(guard) = &arm.guard {
                self.operand(guard, &Hint::Must(Ty::BOOL));
            }
            let errors = self.world.diagnostics.count();
            // A value where `()` is expected is one mistake, though all arms have it.
            let found = match failed && self.vars.shallow(&ty) == Ty::Unit {
                true => self.expr(&arm.body, &Hint::None),
                false => self.coerce(&arm.body, &ty),
            };
            failed |= self.world.diagnostics.count() > errors;
            never &= found == Ty::Never;
            all_diverge &= self.diverges;
        }
        self.diverges = before || all_diverge && !arms.is_empty();
        if never { Ty::Never } else { ty }
    }

    /// Reports a `?` behind anything but an `Option` or a `Result`, or where the function around it returns none such.
    fn may_return(&mut self, expr: &'p Expr, tested: &Ty) -> bool {
        let tested = self.vars.shallow(tested);
        let of_result = self.world.of_result(&tested);
        let tried = self.world.tried(&tested);
        if !matches!(tested, Ty::Var(_) | Ty::Never) && tried.is_none() {
            if tested != Ty::Error {
                let found = self.describe(&tested);
                self.error(
                    expr.loc,
                    format!("expected an `Option` or a `Result` before `?`, found {found}\nhelp: leave the `?` out"),
                );
            }
            return false;
        }
        let result = self.results.last().cloned();
        let result = result.map(|result| self.vars.shallow(&result));
        let tried = tried.unwrap_or(Tried::Option);
        let (wanted, some) = tried.described();
        let of_function = result.as_ref().and_then(|result| self.world.tried(result));
        let (found, help) = match result {
            Some(Ty::Error) => return false,
            Some(result) if of_function == Some(tried) => {
                return tried != Tried::Result || self.error_converts(expr, &of_result, &result);
            }
            // Of a closure whose value comes later: that is held to it.
            Some(result @ Ty::Var(_)) => {
                let value = self.vars.any();
                let ty = match (of_result, self.world.of_control_flow(&tested)) {
                    (Some([_, error]), _) => self.world.result(value, error),
                    (None, Some([broken, _])) => self.world.control_flow(broken, value),
                    (None, None) => Ty::option(value),
                };
                let _ = self.vars.try_unify(&result, &ty);
                return true;
            }
            Some(other) if let Some(of_function) = of_function => {
                let found = match of_function {
                    Tried::Option => of_function.described().0.to_owned(),
                    Tried::Result | Tried::ControlFlow => self.describe(&other),
                };
                (format!("one that gives {found}"), tried.help_in(of_function))
            }
            Some(Ty::Unit) => {
                ("one without a value".to_owned(), format!("write `let {some} = … else {{ return }};`"))
            }
            Some(other) => (
                format!("one that gives {}", self.describe(&other)),
                format!("write `let {some} = … else {{ return … }};`, or let the function give {wanted}"),
            ),
            None => ("a constant".to_owned(), "write a `match`".to_owned()),
        };
        self.error(
            expr.loc,
            format!("expected `?` in a function that gives {wanted}, found it in {found}\nhelp: {help}"),
        );
        false
    }

    /// Reports a `?` whose error is of a type that the function's error has no `From` for.
    fn error_converts(&mut self, expr: &'p Expr, from: &Option<[Ty; 2]>, result: &Ty) -> bool {
        let (Some([_, from]), Some([_, to])) = (from, self.world.of_result(result)) else { return false };
        let (from, to) = (self.known(from), self.known(&to));
        self.decide_literal_error(&from, &to);
        let from = self.known(&from);
        if self.converts(&to, &from) {
            return true;
        }
        let (expected, found) = (self.describe(&to), self.describe(&from));
        let help = match self.is_scalar(&to) {
            Some(_) => "convert it: `.map_err(|error| …)?`".to_owned(),
            None => format!(
                "write `impl From<{}> for {}`, or `.map_err(|error| …)?`",
                found.trim_matches('`'),
                expected.trim_matches('`')
            ),
        };
        let message = format!(
            "expected an error before `?` that {expected} can be made from, found {found}\nhelp: {help}"
        );
        self.error(expr.loc, message);
        false
    }

    /// Gives a literal as the error before `?` the only type that the function's error can be made from, else the one that
    /// literals fall back to.
    fn decide_literal_error(&mut self, from: &Ty, to: &Ty) {
        let Ty::Var(var) = from else { return };
        let falls_back = match (self.vars.kind(*var), to) {
            (Kind::Any, _) | (_, Ty::Var(_) | Ty::Error) => return,
            (Kind::Int, _) => Scalar::I32,
            (Kind::Float, _) => Scalar::F64,
        };
        let kind = self.vars.kind(*var);
        let mut fits = Vec::new();
        for (scalar, ..) in Scalar::TABLE {
            let ty = Ty::Scalar(*scalar);
            if self.vars.admits(kind, &ty) && self.converts(to, &ty) {
                fits.push(*scalar);
            }
        }
        let decided = if let [only] = fits[..] { only } else { falls_back };
        let _ = self.vars.try_unify(from, &Ty::Scalar(decided));
    }

    pub(super) fn loop_expr(&mut self, id: LoopId, body: &'p Block, hint: &Hint) -> Ty {
        let ty = self.value_ty(hint);
        self.loops[id.0] = ty.clone();
        self.loop_body(body);
        if self.broken[id.0] { ty } else { Ty::Never }
    }

    pub(super) fn labeled(&mut self, id: LoopId, body: &'p Block, hint: &Hint) -> Ty {
        let ty = self.value_ty(hint);
        self.loops[id.0] = ty.clone();
        let before = self.diverges;
        let found = self.block(body, &Hint::Must(ty.clone()));
        self.diverges = before;
        if found == Ty::Never && !self.broken[id.0] { Ty::Never } else { ty }
    }

    pub(super) fn while_expr(&mut self, id: LoopId, cond: &'p Expr, body: &'p Block) -> Ty {
        self.operand(cond, &Hint::Must(Ty::BOOL));
        self.loops[id.0] = Ty::Unit;
        self.loop_body(body);
        Ty::Unit
    }

    pub(super) fn for_expr(
        &mut self,
        expr: &'p Expr,
        id: LoopId,
        pattern: &'p Pattern,
        iter: &'p Expr,
        body: &'p Block,
    ) -> Ty {
        let item = self.iterated(iter, Some(expr));
        self.pattern(pattern, &item);
        self.loops[id.0] = Ty::Unit;
        self.loop_body(body);
        Ty::Unit
    }

    /// Infers a loop's body. The code after the loop stays reachable even if the body diverges.
    fn loop_body(&mut self, body: &'p Block) {
        let before = self.diverges;
        self.block(body, &Hint::Must(Ty::Unit));
        self.diverges = before;
    }

    pub(super) fn break_expr(&mut self, expr: &'p Expr, value: Option<&'p Expr>) {
        let Meaning::Loop(id) = self.table.expr(expr.id) else {
            if let Some(value) = value {
                self.expr(value, &Hint::None);
            }
            return;
        };
        self.broken[id.0] = true;
        let ty = self.loops[id.0].clone();
        match value {
            Some(value) if self.vars.shallow(&ty) == Ty::Unit => {
                self.no_value(
                    value,
                    "break",
                    "write `break`, and keep the value in a variable from before the loop",
                );
            }
            Some(value) => {
                self.coerce(value, &ty);
            }
            None if !self.vars.try_unify(&ty, &Ty::Unit) => self.report_no_break_value(expr, &ty),
            None => {}
        }
    }

    /// The value behind a `return` or `break` where none is expected.
    fn no_value(&mut self, value: &'p Expr, keyword: &str, help: &str) {
        let found = self.expr(value, &Hint::None);
        if !matches!(self.vars.shallow(&found), Ty::Unit | Ty::Never | Ty::Error) {
            let found = self.describe(&found);
            self.error(
                value.loc,
                format!("expected `{keyword}` without a value, found {found}\nhelp: {help}"),
            );
        }
    }

    pub(super) fn return_expr(&mut self, expr: &'p Expr, value: Option<&'p Expr>) {
        let Some(ty) = self.results.last().cloned() else {
            if let Some(value) = value {
                self.expr(value, &Hint::None);
            }
            self.error(
                expr.loc,
                "expected `return` in a function, found it in a constant\nhelp: leave it out",
            );
            return;
        };
        match value {
            Some(value) if self.vars.shallow(&ty) == Ty::Unit => {
                self.no_value(value, "return", "write `return`; results go to a `&mut [T]` parameter");
            }
            Some(value) => {
                self.coerce(value, &ty);
            }
            None if !self.vars.try_unify(&ty, &Ty::Unit) => {
                let expected = self.describe(&ty);
                let message = format!(
                    "expected {expected} as the function's value, found `return` without one\nhelp: write `return value`"
                );
                self.error(expr.loc, message);
            }
            None => {}
        }
    }
}

/// Returns true for `value.into()`, `value.try_into()?`, `items.sum()`, `Default::default()` and their like, whose type is that of where they
/// go, and for blocks that end in one and tuples with one.
fn converts(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Method { name, .. } => {
            ["into", "sum", "product", "collect"].iter().any(|converting| name == converting)
        }
        ExprKind::Match { value, question_mark: true, .. } => {
            matches!(&value.kind, ExprKind::Method { name, .. } if name == "try_into")
        }
        ExprKind::Match { arms, question_mark: false, .. } => arms.iter().any(|arm| converts(&arm.body)),
        ExprKind::Call { callee, .. } => {
            matches!(&callee.kind, ExprKind::Path { path, .. } if is_default(path))
        }
        ExprKind::Tuple(parts) => parts.iter().any(converts),
        ExprKind::Block(block) => block.value.as_deref().is_some_and(converts),
        ExprKind::If { then, otherwise, .. } => {
            [then.value.as_deref(), otherwise.as_deref()].into_iter().any(|value| value.is_some_and(converts))
        }
        _ => false,
    }
}
