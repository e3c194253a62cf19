//! Operators and casts.

use std::rc::Rc;

use super::expr::is_of_literals;
use super::method::{Method, Step};
use super::{Adjust, Cast, Hint, Infer, Kind, LiteralOperator, OfLiterals, Pending, Resolved, Ty};
use crate::ast::{Expr, ExprKind, FunctionId};
use crate::builtins::Class;
use crate::device::{library, primitives};
use crate::diagnostics::Loc;
use crate::typed::{self, BinaryOp, Scalar, UnaryOp};

/// The class of an operator's operands, whether it compares or shifts, and the traits of `core::ops` and `core::cmp` that overload it.
pub(crate) struct Rule {
    pub(crate) symbol: &'static str,
    class: Class,
    pub(crate) compares: bool,
    shifts: bool,
    overloaded: (&'static str, &'static str),
    assigns: (&'static str, &'static str),
}

/// One row for each operator, in the order of [`BinaryOp`].
#[rustfmt::skip]
const RULES: [Rule; 16] = {
    const fn row(symbol: &'static str, class: Class, compares: bool, shifts: bool, overloaded: (&'static str, &'static str), assigns: (&'static str, &'static str)) -> Rule {
        Rule { symbol, class, compares, shifts, overloaded, assigns }
    }
    const NONE: (&str, &str) = ("", "");
    [
        row("+", Class::Number, false, false, ("Add", "add"), ("AddAssign", "add_assign")),
        row("-", Class::Number, false, false, ("Sub", "sub"), ("SubAssign", "sub_assign")),
        row("*", Class::Number, false, false, ("Mul", "mul"), ("MulAssign", "mul_assign")),
        row("/", Class::Number, false, false, ("Div", "div"), ("DivAssign", "div_assign")),
        row("%", Class::Number, false, false, ("Rem", "rem"), ("RemAssign", "rem_assign")),
        row("&", Class::IntOrBool, false, false, ("BitAnd", "bitand"), ("BitAndAssign", "bitand_assign")),
        row("|", Class::IntOrBool, false, false, ("BitOr", "bitor"), ("BitOrAssign", "bitor_assign")),
        row("^", Class::IntOrBool, false, false, ("BitXor", "bitxor"), ("BitXorAssign", "bitxor_assign")),
        row("<<", Class::Int, false, true, ("Shl", "shl"), ("ShlAssign", "shl_assign")),
        row(">>", Class::Int, false, true, ("Shr", "shr"), ("ShrAssign", "shr_assign")),
        row("==", Class::Scalar, true, false, ("PartialEq", "eq"), NONE),
        row("!=", Class::Scalar, true, false, ("PartialEq", "eq"), NONE),
        row("<", Class::Scalar, true, false, ("PartialOrd", "partial_cmp"), NONE),
        row("<=", Class::Scalar, true, false, ("PartialOrd", "partial_cmp"), NONE),
        row(">", Class::Scalar, true, false, ("PartialOrd", "partial_cmp"), NONE),
        row(">=", Class::Scalar, true, false, ("PartialOrd", "partial_cmp"), NONE),
    ]
};

/// Returns true for a slice, of whatever length.
fn is_slice(ty: &Ty) -> bool {
    matches!(ty, Ty::Slice(..) | Ty::SharedDyn(_))
}

/// The type of the elements of a slice or array.
fn element_of(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Slice(element, _) | Ty::Array(element, _) | Ty::SharedDyn(element) => Some((**element).clone()),
        _ => None,
    }
}

pub(crate) fn rule(op: BinaryOp) -> &'static Rule {
    &RULES[op as usize]
}

/// Returns true for the method of an operator that a scalar has, and that gives one: `add` of numbers, `neg` of those with a sign.
pub(super) fn is_method_of(scalar: Scalar, name: &str) -> bool {
    match name {
        "neg" => Class::SignedOrFloat.holds(scalar),
        "not" => Class::IntOrBool.holds(scalar),
        _ => {
            let rule = RULES.iter().find(|rule| rule.overloaded.1 == name);
            rule.is_some_and(|rule| !rule.compares && !rule.shifts && rule.class.holds(scalar))
        }
    }
}

impl<'p> Infer<'_, 'p> {
    pub(super) fn unary(&mut self, expr: &'p Expr, op: UnaryOp, arg: &'p Expr, hint: &Hint) -> Ty {
        // The operand has the type of the whole; a mismatch of the whole is reported there.
        let hint = match hint {
            Hint::Must(ty) | Hint::Literal(ty) => Hint::Literal(ty.clone()),
            Hint::None => Hint::None,
        };
        let ty = self.operand(arg, &hint);
        let ty = self.known(&ty);
        let (class, symbol, overloaded, method) = match op {
            UnaryOp::Neg => (Class::SignedOrFloat, "-", "Neg", "neg"),
            UnaryOp::Not => (Class::IntOrBool, "!", "Not", "not"),
        };
        let of = match &ty {
            Ty::Ref(inner, _) => self.vars.shallow(inner),
            other => other.clone(),
        };
        if let Some((function, args, result)) = self.overloaded(overloaded, method, &ty, None) {
            self.resolved.insert(expr.id, Resolved::Invoke(function, args));
            return result;
        }
        match of {
            Ty::Vector(scalar, _) if op == UnaryOp::Neg && class.holds(scalar) => ty,
            Ty::Struct(..) | Ty::Enum(_) => {
                let found = self.describe(&of);
                let help = match self.help_of_library(&of) {
                    Some(help) => help.to_owned(),
                    None => format!("write `impl core::ops::{overloaded} for {}`", found.trim_matches('`')),
                };
                let message = format!("expected a type that has `{symbol}`, found {found}\nhelp: {help}");
                self.error(arg.loc, message);
                Ty::Error
            }
            of => {
                if let Ty::Ref(..) = ty
                    && self.is_scalar_like(&of)
                {
                    self.adjust(arg, [Adjust::Deref]);
                }
                // Of `-1` where an index is expected, the whole is at fault; of `-u`, what stands after the sign.
                let loc = if let ExprKind::Literal(_) = arg.kind { expr.loc } else { arg.loc };
                let before = self.claims.len();
                let ty = self.claimed(of, class, loc, symbol);
                if let Ty::Var(_) = ty {
                    self.of_literals(expr, LiteralOperator::Unary(overloaded, method), ty.clone(), before);
                }
                ty
            }
        }
    }

    /// The type, or [`Ty::Error`] if it is known not to be of the class.
    pub(super) fn claimed(&mut self, ty: Ty, class: Class, loc: Loc, what: &'static str) -> Ty {
        let before = self.world.diagnostics.count();
        self.claim(&ty, class, loc, what);
        if self.world.diagnostics.count() > before { Ty::Error } else { ty }
    }

    pub(super) fn claimed_if_known(&mut self, ty: Ty, class: Class, expr: &Expr, what: &'static str) -> Ty {
        match self.vars.shallow(&ty) {
            Ty::Var(_) | Ty::Error => ty,
            known => self.claimed(known, class, expr.loc, what),
        }
    }

    pub(super) fn binary(
        &mut self,
        expr: &'p Expr,
        op: BinaryOp,
        lhs: &'p Expr,
        rhs: &'p Expr,
        hint: &Hint,
    ) -> Ty {
        let of_whole = match hint {
            Hint::Must(ty) | Hint::Literal(ty) if !rule(op).compares => self.wide_literals(ty),
            _ => Hint::None,
        };
        // The literals of `-1 * x` are of the type of `x`, which is asked first.
        let is_turned = !rule(op).shifts
            && matches!(lhs.kind, ExprKind::Unary { .. } | ExprKind::Binary { .. })
            && is_of_literals(lhs)
            && !is_of_literals(rhs);
        let (left, right) = if is_turned {
            let right = self.operand(rhs, &of_whole);
            let wanted = match of_whole {
                Hint::None => self.wide_literals(&right),
                of_whole => of_whole,
            };
            (self.operand(lhs, &wanted), right)
        } else {
            let left = self.operand(lhs, &of_whole);
            let wanted = self.only_operand(op, &left, rhs, false);
            let right = self.operand(rhs, &wanted);
            (left, right)
        };
        self.refuse_open_sum(lhs);
        let left = self.known(&left);
        let right = self.known(&right);
        if let Some(ty) = self.operator(expr, op, lhs, rhs, &left, &right, false) {
            return ty;
        }
        let result = match rule(op).compares {
            true => Ty::BOOL,
            false => self.vars.any(),
        };
        self.pending.push(Pending {
            expr,
            op,
            lhs,
            rhs,
            left,
            right,
            result: result.clone(),
            assigns: false,
        });
        result
    }

    pub(super) fn assign_op(&mut self, expr: &'p Expr, op: BinaryOp, place: &'p Expr, value: &'p Expr) {
        let left = self.operand(place, &Hint::None);
        let wanted = self.only_operand(op, &left, value, true);
        let right = self.operand(value, &wanted);
        let left = self.known(&left);
        let right = self.known(&right);
        if self.operator(expr, op, place, value, &left, &right, true).is_none() {
            let result = Ty::Unit;
            self.pending.push(Pending {
                expr,
                op,
                lhs: place,
                rhs: value,
                left,
                right,
                result,
                assigns: true,
            });
        }
    }

    /// The type of the right operand where the user's type has the operator once, and the right side is a sum, a product, a collection or a
    /// conversion, which is of the type that is wanted.
    fn only_operand(&mut self, op: BinaryOp, left: &Ty, right: &Expr, assigns: bool) -> Hint {
        let ExprKind::Method { name, .. } = &right.kind else {
            return if rule(op).shifts { Hint::None } else { self.wide_literals(left) };
        };
        let left = self.vars.shallow(left);
        // An operator of numbers has one type on both sides. Of a sum that is so in comparisons alone: numbers are added to references, too.
        let is_of_one_type = match rule(op).compares {
            true => ["into", "sum", "product"].iter().any(|other| name == other),
            false => name == "into" && !rule(op).shifts,
        };
        if let (Ty::Scalar(_), true) = (&left, is_of_one_type) {
            return Hint::Must(left);
        }
        if !matches!(left, Ty::Struct(..))
            || !["sum", "product", "into", "collect"].iter().any(|other| name == other)
        {
            return Hint::None;
        }
        let rule = rule(op);
        let (of_trait, method) = if assigns { rule.assigns } else { rule.overloaded };
        let found = self.trait_functions(of_trait, &left, method);
        let [(id, function, args)] = &found[..] else {
            // A comparison that is derived is one with the same type.
            return if rule.compares && found.is_empty() { Hint::Must(left) } else { Hint::None };
        };
        let own = self.world.self_type(&mut self.vars, *id, args);
        let (params, _) = self.world.signature(&mut self.vars, *function, args);
        match (self.vars.try_unify(&own, &left), params.get(1)) {
            (true, Some(param)) => Hint::Must(match self.vars.resolve(param) {
                // A comparison takes its operands by reference, and is written with the values.
                Ty::Ref(inner, _) if rule.compares => (*inner).clone(),
                param => param,
            }),
            _ => Hint::None,
        }
    }

    /// Literals of a type beside which one of 128 bits stands: their operators are functions, found before literals fall back.
    pub(super) fn wide_literals(&self, ty: &Ty) -> Hint {
        let (place, _) = self.peeled(ty);
        match self.primitive(&place) {
            Some(_) => Hint::Literal(place),
            None => Hint::None,
        }
    }

    /// Tries the operators again whose operands were not known.
    pub(super) fn retry(&mut self) {
        loop {
            let mut progress = false;
            for open in std::mem::take(&mut self.pending) {
                let (left, right) = (self.vars.shallow(&open.left), self.vars.shallow(&open.right));
                match self.operator(open.expr, open.op, open.lhs, open.rhs, &left, &right, open.assigns) {
                    Some(ty) => {
                        progress = true;
                        self.decided(&open, &ty);
                    }
                    None => self.pending.push(open),
                }
            }
            progress |= self.decide_conversions() | self.decide_opaques();
            if !progress {
                return;
            }
        }
    }

    fn decided(&mut self, open: &Pending<'p>, ty: &Ty) {
        if !open.assigns && !self.vars.try_unify(&open.result, ty) {
            let expected = self.vars.shallow(&open.result);
            self.report_mismatch(open.expr, &expected, ty);
        }
    }

    /// Decides the right side of operators whose left side is a number: nothing else would. Literals elsewhere may follow from it, so it is
    /// done before they fall back.
    pub(super) fn force_numbers(&mut self) {
        let open: Vec<(Ty, Ty)> = self
            .pending
            .iter()
            .filter(|open| !rule(open.op).shifts)
            .map(|open| (self.vars.shallow(&open.left), open.right.clone()))
            .collect();
        for (left, right) in open {
            if let Ty::Scalar(_) = left
                && self.is_any(&right)
            {
                let _ = self.vars.try_unify(&left, &right);
            }
        }
        self.retry();
    }

    /// Keeps an operator of literals, with what it claimed of their type: in `while d * d <= n` behind `let mut d = 2` it is found later that
    /// they are of 128 bits, whose operators are functions.
    fn of_literals(&mut self, expr: &'p Expr, operator: LiteralOperator<'p>, left: Ty, before: usize) {
        if !self.world.wide.is_empty() {
            let claims = self.claims.split_off(before);
            self.of_literals.push(OfLiterals { expr, operator, left, claims });
        }
    }

    /// Resolves the operators of literals that turned out to be of 128 bits.
    pub(super) fn settle_literals(&mut self) {
        for OfLiterals { expr, operator, left, claims } in std::mem::take(&mut self.of_literals) {
            let left = self.vars.shallow(&left);
            if self.primitive(&left).is_none() {
                self.claims.extend(claims);
                continue;
            }
            match operator {
                LiteralOperator::Unary(of_trait, method) => {
                    if let Some((function, args, _)) = self.overloaded(of_trait, method, &left, None) {
                        self.resolved.insert(expr.id, Resolved::Invoke(function, args));
                    } else {
                        self.claims.extend(claims);
                    }
                }
                LiteralOperator::Binary { op, lhs, rhs, right, assigns } => {
                    let right = self.vars.shallow(&right);
                    self.operator(expr, op, lhs, rhs, &left, &right, assigns);
                }
            }
        }
    }

    /// Resolves the operators that are still pending at the end: both operands are taken to be of one type.
    pub(super) fn force_pending(&mut self) {
        while let Some(open) = self.pending.pop() {
            let unified = rule(open.op).shifts || self.vars.try_unify(&open.left, &open.right);
            if unified && !open.assigns {
                let _ = self.vars.try_unify(&open.result, &open.left);
            }
            let (left, right) = (self.vars.shallow(&open.left), self.vars.shallow(&open.right));
            if let Some(ty) =
                self.operator(open.expr, open.op, open.lhs, open.rhs, &left, &right, open.assigns)
            {
                self.decided(&open, &ty);
            }
            self.retry();
        }
    }

    /// The type of an operator's result; `None` if the operands' types do not say yet.
    #[allow(clippy::too_many_arguments)]
    fn operator(
        &mut self,
        expr: &'p Expr,
        op: BinaryOp,
        lhs: &'p Expr,
        rhs: &'p Expr,
        left: &Ty,
        right: &Ty,
        assigns: bool,
    ) -> Option<Ty> {
        let rule = rule(op);
        let (mut left_place, left_refs) = self.peeled(left);
        let (right_place, right_refs) = self.peeled(right);
        if !rule.shifts
            && let Ty::Var(_) = left_place
            && self.primitive(&right_place).is_some()
            && self.vars.try_unify(&left_place, &right_place)
        {
            left_place = right_place.clone();
        }
        if left_place == Ty::Error || right_place == Ty::Error {
            return Some(if rule.compares && !assigns { Ty::BOOL } else { Ty::Error });
        }
        let scalars = self.is_scalar_like(&left_place) && self.is_scalar_like(&right_place);
        // A compound assignment's left side is a place, which no reference stands for.
        let refs_fit = match (assigns, rule.compares) {
            (true, _) => left_refs == 0 && right_refs <= 1,
            (false, true) => left_refs == right_refs,
            (false, false) => left_refs <= 1 && right_refs <= 1,
        };
        if scalars && refs_fit {
            self.adjust(lhs, std::iter::repeat_n(Adjust::Deref, left_refs));
            self.adjust(rhs, std::iter::repeat_n(Adjust::Deref, right_refs));
            let of_literals = matches!(left_place, Ty::Var(_));
            let before = self.claims.len();
            let ty = self.scalar_operator(op, lhs, rhs, &left_place, &right_place, assigns);
            if of_literals {
                let operator = LiteralOperator::Binary { op, lhs, rhs, right: right_place, assigns };
                self.of_literals(expr, operator, left_place, before);
            }
            return Some(ty);
        }
        if self.is_any(&left_place) || self.is_any(&right_place) && !matches!(left_place, Ty::Vector(..)) {
            return None;
        }
        let (of_trait, method) = if assigns { rule.assigns } else { rule.overloaded };
        // `a == b` takes both by reference, `a += b` its left side; the impl's type is that of the operand.
        let mut own = self.overloaded(of_trait, method, left, Some(right));
        let mut places = [left, right];
        // References are compared as what they lead to, and stand for a number of the library in its operators.
        let is_of_library = match left_place {
            Ty::Struct(id, _) => self.world.program.structs[id.0].scope.is_library,
            _ => false,
        };
        let through = match rule.compares {
            true => left_refs == right_refs,
            false => refs_fit && is_of_library,
        };
        if own.is_none() && through && left_refs + right_refs > 0 {
            own = self.overloaded(of_trait, method, &left_place, Some(&right_place));
            if own.is_some() {
                self.adjust(lhs, std::iter::repeat_n(Adjust::Deref, left_refs));
                self.adjust(rhs, std::iter::repeat_n(Adjust::Deref, right_refs));
                places = [&left_place, &right_place];
            }
        }
        // The method of the operator itself, which `PartialEq` and `PartialOrd` provide otherwise.
        if own.is_some()
            && let Some(provided) = provided_method(op)
            && let Some((function, args, _)) = self.overloaded(of_trait, provided, places[0], Some(places[1]))
        {
            self.resolved.insert(expr.id, Resolved::Invoke(function, args));
            return Some(Ty::BOOL);
        }
        if let Some((function, args, result)) = own {
            self.resolve_operator(expr, op, function, args);
            return Some(match (assigns, rule.compares) {
                (true, _) => Ty::Unit,
                (false, true) => Ty::BOOL,
                (false, false) => result,
            });
        }
        if let Ty::Vector(scalar, _) = left_place {
            return Some(self.vector_operator(
                expr,
                op,
                lhs,
                rhs,
                &left_place,
                scalar,
                &right_place,
                assigns,
            ));
        }
        if left_refs == right_refs
            && let Some(ty) = self.own_parts(expr, op, lhs, rhs, &left_place, &right_place, left_refs)
        {
            return Some(ty);
        }
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let slices = match equality {
            true => is_slice(&left_place) || is_slice(&right_place),
            // A slice and an array have no order, as in Rust.
            false => rule.compares && is_slice(&left_place) && is_slice(&right_place),
        };
        if slices
            && let (Some(first), Some(second)) = (element_of(&left_place), element_of(&right_place))
            && self.vars.try_unify(&first, &second)
            && let Some(function) = self.world.comparison(&format!("slice_{method}"))
        {
            self.compared_slice(lhs, left);
            self.compared_slice(rhs, right);
            self.resolve_operator(expr, op, function, Rc::from([first.clone()]));
            let has_own = self.overloaded(of_trait, method, &first, Some(&first)).is_some();
            if !has_own && self.order_of_parts(&first, method).is_none() {
                self.require_comparable(&first, op, lhs);
            }
            return Some(Ty::BOOL);
        }
        if rule.compares && left_refs == right_refs && self.vars.try_unify(&left_place, &right_place) {
            self.adjust(lhs, std::iter::repeat_n(Adjust::Deref, left_refs));
            self.adjust(rhs, std::iter::repeat_n(Adjust::Deref, right_refs));
            self.require_comparable(&left_place, op, lhs);
            return Some(Ty::BOOL);
        }
        self.report_operator(op, lhs, rhs, left, right, assigns);
        Some(if rule.compares { Ty::BOOL } else { Ty::Error })
    }

    /// The function of the library that compares options, tuples or arrays of a type with an order or an equality of its own, and its
    /// generic arguments.
    pub(super) fn order_of_parts(&mut self, ty: &Ty, method: &str) -> Option<(FunctionId, Rc<[Ty]>)> {
        let of_trait = match method {
            "eq" => "PartialEq",
            "partial_cmp" => "PartialOrd",
            "cmp" => "Ord",
            _ => return None,
        };
        let (of, parts) = match self.vars.shallow(ty) {
            Ty::Option(some) => ("option".to_owned(), vec![(*some).clone()]),
            Ty::Tuple(parts) => (format!("tuple{}", parts.len()), parts.to_vec()),
            Ty::Array(element, len) => ("elements".to_owned(), vec![(*element).clone(), (*len).clone()]),
            _ => return None,
        };
        let parts: Rc<[Ty]> = parts.iter().map(|part| self.vars.shallow(part)).collect();
        let is_own = parts.iter().any(|part| {
            is_slice(&self.peeled(part).0)
                || self.order_of_parts(part, method).is_some()
                || self.overloaded(of_trait, method, part, (method != "cmp").then_some(part)).is_some()
        });
        let function = if is_own { self.world.comparison(&format!("{of}_{method}"))? } else { return None };
        Some((function, parts))
    }

    #[allow(clippy::too_many_arguments)]
    fn own_parts(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        left: &Ty,
        right: &Ty,
        refs: usize,
    ) -> Option<Ty> {
        let rule = rule(op);
        let (_, method) = rule.overloaded;
        if !rule.compares {
            return None;
        }
        let found = self.order_of_parts(left, method);
        let (function, args) = match found {
            Some(found) => found,
            None => self.order_of_parts(right, method)?,
        };
        if !self.vars.try_unify(left, right) {
            return None;
        }
        self.adjust(lhs, std::iter::repeat_n(Adjust::Deref, refs));
        self.adjust(rhs, std::iter::repeat_n(Adjust::Deref, refs));
        self.resolve_operator(expr, op, function, args);
        Some(Ty::BOOL)
    }

    /// An operator is a call of this function: `!=` is what it does not say, `<` and its like are what its order says.
    fn resolve_operator(&mut self, expr: &Expr, op: BinaryOp, function: FunctionId, args: Rc<[Ty]>) {
        let resolved = match op {
            BinaryOp::Ne => Resolved::InvokeNot(function, args),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                // The function gives an order, which is no `bool`.
                let asks = provided_method(op).map(|method| format!("compared_{method}"));
                let Some(then) = asks.and_then(|function| self.world.comparison(&function)) else {
                    let symbol = rule(op).symbol;
                    let message = format!(
                        "expected an order that `{symbol}` can ask, found none in the library\nhelp: write `a.partial_cmp(&b)`, and `match` what it gives"
                    );
                    self.error(expr.loc, message);
                    return;
                };
                Resolved::InvokeOrder(function, args, then)
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Eq => Resolved::Invoke(function, args),
        };
        self.resolved.insert(expr.id, resolved);
    }

    /// `x.add(y)` of a number: what `x + y` is.
    pub(super) fn operator_method(&mut self, call: &Method<'p>, name: &str, step: &Step) -> Option<Ty> {
        let (Ty::Scalar(_), [arg]) = (&step.place, call.args) else { return None };
        let op = operator_called(name)?;
        self.follow(call.receiver, step);
        let hint = if rule(op).shifts { Hint::None } else { Hint::Literal(step.place.clone()) };
        let right = self.operand(arg, &hint);
        let right = self.known(&right);
        self.resolved.insert(call.expr.id, Resolved::Operator(op));
        self.operator(call.expr, op, call.receiver, arg, &step.place, &right, false)
    }

    /// Returns true for `x.mul(y)` of two numbers where the program has an `impl Mul<Vec3> for f32`, too: the argument decides.
    pub(super) fn is_of_numbers(&mut self, call: &Method<'p>, name: &str, step: &Step) -> bool {
        let (Ty::Scalar(_), [arg]) = (&step.place, call.args) else { return false };
        if operator_called(name).is_none() || self.impl_functions(&step.place, name).is_empty() {
            return false;
        }
        let ty = self.operand(arg, &Hint::None);
        match self.peeled(&ty).0 {
            Ty::Scalar(_) => true,
            Ty::Var(var) => self.vars.kind(var) != Kind::Any,
            _ => false,
        }
    }

    /// Makes an operand of `==` a slice.
    fn compared_slice(&mut self, operand: &Expr, ty: &Ty) {
        let mut step = Step { place: self.vars.shallow(ty), path: Vec::new(), through: None };
        while let Ty::Ref(inner, mutable) = &step.place {
            let place = self.vars.shallow(&inner.clone());
            step.path.push(Adjust::Deref);
            step = Step { through: Some(*mutable), path: step.path, place };
        }
        self.as_slice(operand, &step, false);
    }

    /// Reports a part of a type that the comparison does not take.
    fn require_comparable(&mut self, ty: &Ty, op: BinaryOp, at: &Expr) {
        let Err(part) = self.comparable(ty, matches!(op, BinaryOp::Eq | BinaryOp::Ne)) else { return };
        let part = self.vars.shallow(&part);
        let found = self.describe(&part);
        let has_own = self.overloaded("PartialOrd", "partial_cmp", &part, Some(&part)).is_some();
        let help = match (&part, op) {
            (Ty::Struct(..) | Ty::Enum(_), _) if has_own && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                "compare it alone, or as a part of a tuple of up to four: there its `impl PartialOrd` is asked"
                    .to_owned()
            }
            (Ty::Struct(..), BinaryOp::Eq | BinaryOp::Ne) => {
                "write `#[derive(PartialEq)]` above it".to_owned()
            }
            (Ty::Enum(_), BinaryOp::Eq | BinaryOp::Ne) => {
                "write `#[derive(PartialEq)]` above it, or use `match`".to_owned()
            }
            (Ty::Enum(_) | Ty::Struct(..), _) => {
                "write `#[derive(PartialEq, PartialOrd)]` above it".to_owned()
            }
            (Ty::Dim3, _) => "pick an axis: `.x`, `.y` or `.z`".to_owned(),
            (Ty::Ref(..), _) => "compare its parts: what the references in them lead to".to_owned(),
            (Ty::Slice(..), _) if let (true, Some(name)) = (op != BinaryOp::Ne, provided_method(op)) => {
                format!("write `a.iter().{name}(b.iter())`")
            }
            _ => "compare its parts".to_owned(),
        };
        self.error(
            at.loc,
            format!("expected a type that has `{}`, found {found}\nhelp: {help}", rule(op).symbol),
        );
    }

    fn peeled(&self, ty: &Ty) -> (Ty, usize) {
        let mut place = self.vars.shallow(ty);
        let mut refs = 0;
        while let Ty::Ref(inner, _) = &place {
            place = self.vars.shallow(&inner.clone());
            refs += 1;
        }
        (place, refs)
    }

    fn scalar_operator(
        &mut self,
        op: BinaryOp,
        lhs: &'p Expr,
        rhs: &'p Expr,
        left: &Ty,
        right: &Ty,
        assigns: bool,
    ) -> Ty {
        let rule = rule(op);
        let (left, right) = (left.clone(), right.clone());
        if assigns {
            let left = self.claimed(left, rule.class, lhs.loc, rule.symbol);
            if rule.shifts {
                self.claim(&right, Class::Int, rhs.loc, rule.symbol);
            } else if !self.vars.try_unify(&left, &right) {
                self.report_mismatch(rhs, &left, &right);
            }
            return Ty::Unit;
        }
        let ty = if rule.shifts {
            let left = self.claimed(left, rule.class, lhs.loc, rule.symbol);
            self.claim(&right, Class::Int, rhs.loc, rule.symbol);
            left
        } else {
            // Of two operands the one that cannot be is at fault, not that it differs from the other.
            let left = self.claimed_if_known(left, rule.class, lhs, rule.symbol);
            let right = match left {
                Ty::Error => Ty::Error,
                _ => self.claimed_if_known(right, rule.class, rhs, rule.symbol),
            };
            let ty = self.same(lhs, &left, rhs, &right);
            self.claimed(ty, rule.class, lhs.loc, rule.symbol)
        };
        if rule.compares { Ty::BOOL } else { ty }
    }

    #[allow(clippy::too_many_arguments)]
    fn vector_operator(
        &mut self,
        expr: &'p Expr,
        op: BinaryOp,
        lhs: &'p Expr,
        rhs: &'p Expr,
        vector: &Ty,
        lane: Scalar,
        right: &Ty,
        assigns: bool,
    ) -> Ty {
        let rule = rule(op);
        let class = if op == BinaryOp::Rem { Class::Int } else { rule.class };
        let result = if assigns { Ty::Unit } else { vector.clone() };
        if rule.compares || rule.shifts || !class.holds(lane) {
            if matches!(op, BinaryOp::Eq | BinaryOp::Ne) && self.vars.try_unify(vector, right) {
                return Ty::BOOL;
            }
            let found = self.describe(vector);
            let message = format!(
                "expected a type that has `{}`, found {found}\nhelp: write it for each lane: `v.x`, or `v[i]` in a loop",
                rule.symbol
            );
            self.error(lhs.loc, message);
            return if rule.compares { Ty::BOOL } else { Ty::Error };
        }
        if self.vars.try_unify(vector, right) {
            return result;
        }
        if self.vars.try_unify(&Ty::Scalar(lane), right) {
            self.resolved.insert(expr.id, Resolved::Splat);
            return result;
        }
        self.report_mismatch(rhs, vector, right);
        Ty::Error
    }

    /// `Ok` if the whole type supports `==`, or `<`; else the part that does not.
    pub(crate) fn comparable(&mut self, ty: &Ty, equality: bool) -> Result<(), Ty> {
        let ty = self.vars.shallow(ty);
        match &ty {
            Ty::Scalar(_) | Ty::Error | Ty::Unit | Ty::Var(_) | Ty::Ptr(..) => Ok(()),
            Ty::Enum(id) => {
                let derives = &self.world.program.enums[id.0].derives;
                let wanted = if equality { "PartialEq" } else { "PartialOrd" };
                if derives.iter().any(|derive| derive == wanted) { Ok(()) } else { Err(ty) }
            }
            Ty::Tuple(parts) => parts.iter().try_for_each(|part| self.comparable(part, equality)),
            Ty::Array(element, _) if self.holds_reference(element) => Err((**element).clone()),
            Ty::Array(inner, _) | Ty::Ref(inner, _) => self.comparable(inner, equality),
            Ty::Option(some) => self.comparable(some, equality),
            Ty::Vector(..) if equality => Ok(()),
            Ty::Struct(id, args) => {
                let derives = &self.world.program.structs[id.0].derives;
                let wanted = if equality { "PartialEq" } else { "PartialOrd" };
                if !derives.iter().any(|derive| derive == wanted) {
                    return Err(ty.clone());
                }
                let fields = self.world.struct_fields(&mut self.vars, *id, args);
                // Variants share registers: what a reference of another variant leads to is not read. In the run copy the `derive`
                // of a struct compares addresses.
                if let Some(reference) = fields.iter().find(|field| self.holds_reference(field)) {
                    return Err(reference.clone());
                }
                fields.iter().try_for_each(|field| self.comparable(field, equality))
            }
            _ => Err(ty),
        }
    }

    /// Returns true if a derived order is none of functions: the language's own.
    pub(super) fn is_compared_whole(&mut self, ty: &Ty, equality: bool) -> bool {
        self.comparable(ty, equality).is_ok()
    }

    /// Returns true if a value of the type has a reference in it.
    pub(super) fn holds_reference(&mut self, ty: &Ty) -> bool {
        match self.vars.shallow(ty) {
            Ty::Ref(..) | Ty::Slice(..) => true,
            // It may lead back to the type that it is in.
            Ty::Ptr(..) => false,
            Ty::Struct(id, args) => {
                let fields = self.world.struct_fields(&mut self.vars, id, &args);
                fields.iter().any(|field| self.holds_reference(field))
            }
            known => known.children().into_iter().any(|part| self.holds_reference(part)),
        }
    }

    /// The user's own operator for these operands: the function, its impl's arguments, its result.
    pub(super) fn overloaded(
        &mut self,
        of_trait: &str,
        method: &str,
        left: &Ty,
        right: Option<&Ty>,
    ) -> Option<(FunctionId, Rc<[Ty]>, Ty)> {
        if self.world.program.impls.is_empty() {
            return None;
        }
        let program = self.world.program;
        for (id, function, args) in self.trait_functions(of_trait, left, method) {
            let own = self.world.self_type(&mut self.vars, id, &args);
            let (params, result) = self.world.signature(&mut self.vars, function, &args);
            let by_ref = matches!(of_trait, "PartialEq" | "PartialOrd");
            let fits = self.vars.attempt(|vars| {
                vars.unify(&own, left).is_ok()
                    && match (right, params.get(1)) {
                        (Some(right), Some(param)) => match (by_ref, param) {
                            (true, Ty::Ref(inner, _)) => vars.unify(inner, right).is_ok(),
                            _ => vars.unify(param, right).is_ok(),
                        },
                        (None, None) => true,
                        _ => false,
                    }
            });
            debug_assert!(program.functions[function.0].owner == Some(id));
            if fits {
                // `r * 2` by `impl<T: Into<Ratio>> Mul<T> for Ratio`.
                self.decide_by_bounds_of(id, &args, 0);
                return Some((function, args, result));
            }
        }
        None
    }

    /// The type of what a function gives with these generic arguments.
    pub(crate) fn result_of(&mut self, function: FunctionId, args: &Rc<[Ty]>) -> typed::Ty {
        let (_, result) = self.world.signature(&mut self.vars, function, args);
        self.intern(&result)
    }

    /// Two operands of one type: that type. A literal that cannot be of the other's type is the one at fault.
    pub(super) fn same(&mut self, lhs: &Expr, left: &Ty, rhs: &Expr, right: &Ty) -> Ty {
        if self.vars.try_unify(left, right) {
            return if *left == Ty::Error { Ty::Error } else { self.vars.shallow(right) };
        }
        match (self.vars.shallow(left), self.vars.shallow(right)) {
            (left @ Ty::Var(_), right) if !matches!(right, Ty::Var(_)) => {
                self.report_operand(lhs, &right, &left)
            }
            (left, right) if self.distrust_index(lhs, &left, &right) => {
                self.report_index(lhs, rhs, &left);
            }
            (left, right) => self.report_operand(rhs, &left, &right),
        }
        Ty::Error
    }

    pub(super) fn logical(&mut self, lhs: &'p Expr, rhs: &'p Expr) -> Ty {
        self.operand(lhs, &Hint::Must(Ty::BOOL));
        let before = self.diverges;
        self.operand(rhs, &Hint::Must(Ty::BOOL));
        self.diverges = before;
        Ty::BOOL
    }

    /// The function behind a cast from or to a primitive type that is a struct of the library. True if it is such a cast.
    fn primitive_cast(&mut self, cast: &Cast, from: &Ty, to: &Ty) -> bool {
        let (of_from, of_to) = (self.primitive(from), self.primitive(to));
        let name = |scalar: Scalar| match scalar {
            Scalar::Bool => "bool",
            scalar if scalar.is_int() => "int",
            _ => "float",
        };
        let (function, generic) = match (of_from, of_to, from, to) {
            (Some(from), Some(to), ..) => (primitives::cast(&from, &to), None),
            (Some(of_from), None, _, Ty::Scalar(scalar)) => {
                (primitives::cast(&of_from, name(*scalar)), Some(to))
            }
            (None, Some(of_to), Ty::Scalar(scalar), _) => {
                (primitives::cast(name(*scalar), &of_to), Some(from))
            }
            (None, Some(_), Ty::Error | Ty::Var(_), _) => return true,
            (None, None, ..) => return false,
            (Some(_), None, ..) | (None, Some(_), ..) => (String::new(), None),
        };
        let is_byte = |ty: &Ty| *ty == Ty::Scalar(Scalar::U8);
        let known =
            self.world.library.get(&function).copied().filter(|_| function != "int_as_char" || is_byte(from));
        match known {
            Some(function) => {
                let args = match self.world.generics(function) {
                    0 => Rc::from([]),
                    _ => generic.into_iter().cloned().collect(),
                };
                self.resolved.insert(cast.expr, Resolved::Invoke(function, args));
            }
            None => {
                let (found, into) = (self.describe(from), self.describe(to));
                let into = into.trim_matches('`');
                let help = match into {
                    primitives::CHAR => {
                        "only a byte is one: `x as u8 as char`, or `char::from_u32(x)`".to_owned()
                    }
                    _ => format!("convert by way of an integer: `as u64 as {into}`"),
                };
                let message =
                    format!("expected a type that `as {into}` can convert, found {found}\nhelp: {help}");
                self.error(cast.loc, message);
            }
        }
        true
    }

    pub(super) fn judge_cast(&mut self, cast: &Cast) {
        let (from, to) = (self.vars.shallow(&self.exprs[cast.arg.0]), self.vars.shallow(&cast.to));
        if self.primitive_cast(cast, &from, &to) {
            return;
        }
        let to = match self.vars.shallow(&cast.to) {
            Ty::Scalar(to) => to,
            Ty::Ptr(to, mutable) => return self.judge_pointer_cast(cast, &to, mutable),
            _ => return,
        };
        let from = match self.vars.shallow(&self.exprs[cast.arg.0]) {
            Ty::Scalar(from) => from,
            Ty::Error | Ty::Var(_) => return,
            Ty::Enum(_) | Ty::Ptr(..) if to.is_int() => return,
            other => {
                let help = match &other {
                    Ty::Enum(_) => format!("write `as i32 as {}`", to.name()),
                    Ty::Ref(inner, _) if self.is_scalar_like(inner) => "write `*` before it".to_owned(),
                    _ => self.help_for_scalar(&other),
                };
                let message = format!(
                    "expected a scalar before `as {}`, found {}\nhelp: {help}",
                    to.name(),
                    self.describe(&other),
                );
                self.error(cast.loc, message);
                return;
            }
        };
        let help = match (from, to) {
            (Scalar::F16 | Scalar::Bf16, to) => match to {
                Scalar::F32 => "write `x.to_f32()`".to_owned(),
                Scalar::F64 => "write `x.to_f64()`".to_owned(),
                to => format!("write `x.to_f32() as {}`", to.name()),
            },
            (Scalar::Bool, to) if to.is_float() => {
                format!("write `if b {{ 1.0 }} else {{ 0.0 }}`, or `b as u8 as {}`", to.name())
            }
            (from, Scalar::Bool) if from.is_float() => "compare: `!= 0.0`".to_owned(),
            (from, Scalar::Bool) if from != Scalar::Bool => "compare: `!= 0`".to_owned(),
            _ => return,
        };
        let message = format!(
            "expected a type that `as {}` can convert, found `{}`\nhelp: {help}",
            to.name(),
            from.name()
        );
        self.error(cast.loc, message);
    }

    fn report_operator(
        &mut self,
        op: BinaryOp,
        lhs: &'p Expr,
        rhs: &'p Expr,
        left: &Ty,
        right: &Ty,
        assigns: bool,
    ) {
        let rule = rule(op);
        let (left_place, left_refs) = self.peeled(left);
        let (right_place, _) = self.peeled(right);
        let symbol = if assigns { format!("{}=", rule.symbol) } else { rule.symbol.to_owned() };
        let (of_trait, _) = if assigns { rule.assigns } else { rule.overloaded };
        let user = |ty: &Ty| matches!(ty, Ty::Struct(..) | Ty::Enum(_));
        if self.is_scalar_like(&left_place) && self.is_scalar_like(&right_place) {
            // Only a reference too many.
            let (at, ty, place) =
                match assigns && left_refs > 0 || left_refs > 0 && rule.compares && right == &right_place {
                    true => (lhs, left, &left_place),
                    false => (rhs, right, &right_place),
                };
            let (expected, found) = (self.describe(place), self.describe(ty));
            self.error(
                at.loc,
                format!("expected {expected} for `{symbol}`, found {found}\nhelp: write `*` before it"),
            );
            return;
        }
        if let Some(name) = self.primitive(&left_place).filter(|_| !of_trait.is_empty()) {
            let (found, other) = (self.describe(&left_place), self.describe(right));
            let help = primitives::help_for_operand(&name);
            let message =
                format!("expected a type that has `{symbol}` with {other}, found {found}\nhelp: {help}");
            self.error(if name == primitives::CHAR { lhs.loc } else { rhs.loc }, message);
            return;
        }
        if user(&left_place) && !of_trait.is_empty() {
            let (found, other) = (self.describe(&left_place), self.describe(right));
            let (_, method) = if assigns { rule.assigns } else { rule.overloaded };
            if left_refs > 0
                && !rule.compares
                && self.overloaded(of_trait, method, &left_place, Some(right)).is_some()
            {
                let found = self.describe(left);
                let message = format!(
                    "expected a type that has `{symbol}` with {other}, found {found}\nhelp: write `*` before it"
                );
                self.error(lhs.loc, message);
                return;
            }
            let argument = match right {
                right if self.vars.could_unify(&left_place, right) => String::new(),
                Ty::Var(_) => format!("<{}>", self.example(right)),
                _ => format!("<{}>", other.trim_matches('`')),
            };
            let help = match rule.compares {
                _ if let Some(help) = self.help_of_library(&left_place) => help.to_owned(),
                true => "compare with a value of the same type, or write `impl PartialEq`".to_owned(),
                false => {
                    format!("write `impl core::ops::{of_trait}{argument} for {}`", found.trim_matches('`'))
                }
            };
            let message =
                format!("expected a type that has `{symbol}` with {other}, found {found}\nhelp: {help}");
            self.error(lhs.loc, message);
            return;
        }
        if rule.compares
            && !self.is_scalar_like(&left_place)
            && self.vars.could_unify(&left_place, &right_place)
        {
            let (expected, found) = (self.describe(left), self.describe(right));
            self.error(rhs.loc, format!("expected {expected} for `{symbol}`, found {found}\nhelp: write `*` or `&` so that both are alike"));
            return;
        }
        if let (true, Ty::Atomic(_)) = (assigns, &left_place) {
            self.report_atomic_assignment(lhs, &left_place, &symbol);
        } else if !self.is_scalar_like(&left_place) {
            let claim =
                super::Claim { ty: left_place.clone(), class: rule.class, loc: lhs.loc, what: rule.symbol };
            self.report_class(&claim, left);
            self.distrust(lhs);
        } else if user(&right_place) && !of_trait.is_empty() {
            let (found, other) = (self.describe(left), self.describe(right));
            let help = match self.help_of_library(&right_place) {
                Some(help) => help.to_owned(),
                None => format!(
                    "write `impl core::ops::{of_trait}<{}> for {}`",
                    other.trim_matches('`'),
                    self.example(&left_place)
                ),
            };
            let message =
                format!("expected a type that has `{symbol}` with {other}, found {found}\nhelp: {help}");
            self.error(lhs.loc, message);
        } else {
            let claim =
                super::Claim { ty: right_place.clone(), class: rule.class, loc: rhs.loc, what: rule.symbol };
            self.report_class(&claim, right);
            self.distrust(rhs);
        }
    }

    /// Help for an operator that a type of the library does not have.
    fn help_of_library(&self, ty: &Ty) -> Option<&'static str> {
        library::help_for_use(&self.tile_type(ty)?)
    }

    /// A type that a number could have.
    pub(super) fn example(&self, ty: &Ty) -> &'static str {
        match self.vars.shallow(ty) {
            Ty::Var(var) if self.vars.kind(var) == Kind::Int => "u32",
            Ty::Scalar(scalar) => scalar.name(),
            _ => "f32",
        }
    }
}

/// The method of a comparison that its trait provides.
fn provided_method(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Ne => Some("ne"),
        _ => library::methods_of_comparison(op).get(1).copied(),
    }
}

/// The operator that a method of its trait is: `mul` is `*`.
fn operator_called(method: &str) -> Option<BinaryOp> {
    const OPERATORS: [BinaryOp; 10] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::Shr,
    ];
    OPERATORS.into_iter().find(|op| rule(*op).overloaded.1 == method)
}
