//! Methods of atomics, and the places where an order or a scope is written.

use super::method::{Method, Step};
use super::{Hint, Infer, Resolved, Ty};
use crate::ast::Expr;
use crate::atomics::{self, Arg, Atomic, Gives, Scope};
use crate::diagnostics::did_you_mean;
use crate::resolve::Meaning;
use crate::typed::Scalar;

impl<'p> Infer<'_, 'p> {
    /// The type of the call if atomics have such a method.
    pub(super) fn atomic_method(
        &mut self,
        call: &Method<'p>,
        name: &str,
        step: &Step,
        atomic: Atomic,
    ) -> Option<Ty> {
        if let Some((_, _, scope)) = Scope::VIEWS.iter().find(|view| view.0 == name) {
            if atomic.scope != Scope::Device {
                return None;
            }
            self.borrow(call.receiver, step, false);
            if !call.args.is_empty() {
                self.report_count(call.expr.loc, name, 0, call.args.len());
                self.all(call.args);
            }
            self.resolved.insert(call.expr.id, Resolved::View);
            return Some(Ty::Atomic(Atomic { scope: *scope, ..atomic }).reference(false));
        }
        let method = atomics::method(name).filter(|method| method.is_of(atomic.kind))?;
        self.borrow(call.receiver, step, false);
        let value = match atomic.kind.value() {
            (scalar, 1) => Ty::Scalar(scalar),
            (scalar, lanes) => Ty::Vector(scalar, lanes),
        };
        if method.args.len() != call.args.len() {
            let orders = method.args.iter().any(|arg| matches!(arg, Arg::Order(_)));
            if orders && call.args.len() < method.args.len() {
                let message = format!(
                    "expected {} arguments to `{name}`, found {}\nhelp: write `{}`",
                    method.args.len(),
                    call.args.len(),
                    usage(method)
                );
                self.error(call.expr.loc, message);
            } else {
                self.report_count(call.expr.loc, name, method.args.len(), call.args.len());
            }
            self.all(call.args);
            return Some(Ty::Error);
        }
        for (arg, expected) in call.args.iter().zip(method.args) {
            match expected {
                Arg::Value => {
                    self.operand(arg, &Hint::Must(value.clone()));
                }
                Arg::Order(_) => self.order(arg),
                Arg::Function => {
                    self.callable_arg(arg, std::slice::from_ref(&value), &Ty::option(value.clone()));
                }
            }
        }
        self.resolved.insert(call.expr.id, Resolved::Atomic(method));
        Some(match method.gives {
            Gives::Unit => Ty::Unit,
            Gives::Value => value,
            Gives::Result => self.world.result(value.clone(), value),
        })
    }

    /// An order: it is decided when the kernel is compiled, so it is written where it is used.
    pub(super) fn order(&mut self, arg: &'p Expr) {
        let ty = self.operand(arg, &Hint::None);
        self.named(arg, &ty, &Ty::Ordering, "an order of memory accesses", "`Ordering::Relaxed`");
    }

    /// A scope.
    pub(super) fn scope(&mut self, arg: &'p Expr) {
        let ty = self.operand(arg, &Hint::None);
        self.named(arg, &ty, &Ty::Scope, "a scope", "`Scope::Block`, `Scope::Device` or `Scope::System`");
    }

    fn named(&mut self, arg: &'p Expr, ty: &Ty, expected: &Ty, what: &str, example: &str) {
        let ty = self.known(ty);
        match self.table.expr(arg.id) {
            Meaning::Ordering(_) if *expected == Ty::Ordering => {}
            Meaning::Scope(_) if *expected == Ty::Scope => {}
            _ if ty == Ty::Error => {}
            _ if ty == *expected => self.error(
                arg.loc,
                format!("expected {what} as a constant, found a variable\nhelp: write it where it is used: {example}"),
            ),
            _ => {
                let found = self.describe(&ty);
                self.error(arg.loc, format!("expected {what}, found {found}\nhelp: write {example}"));
                // An unresolved type variable would be reported again.
                let _ = self.vars.try_unify(&ty, &Ty::Error);
            }
        }
    }

    /// Reports an assignment with an operator on an atomic, as `a[i] += 1`: a load and a store are not one
    /// atomic access. The help names the method to use.
    pub(super) fn report_atomic_assignment(&mut self, place: &Expr, ty: &Ty, symbol: &str) {
        const METHODS: &[(&str, &str)] = &[
            ("+=", "fetch_add"),
            ("-=", "fetch_sub"),
            ("&=", "fetch_and"),
            ("|=", "fetch_or"),
            ("^=", "fetch_xor"),
        ];
        let help = match METHODS.iter().find(|row| row.0 == symbol) {
            Some((_, method)) => format!("write `.{method}(value, Ordering::Relaxed)`"),
            None => "write `.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |value| Some(…))`".to_owned(),
        };
        let found = self.describe(ty);
        self.error(place.loc, format!("expected a number for `{symbol}`, found {found}\nhelp: {help}"));
    }

    pub(super) fn help_for_atomic(&self, atomic: Atomic, name: &str) -> String {
        let kind = atomic.kind;
        if let Some(method) = atomics::method(name) {
            let kinds = atomics::AtomicKind::TABLE.iter().filter(|row| method.is_of(row.0));
            let names: Vec<String> = kinds.map(|row| format!("`{}`", row.1)).collect();
            return format!("{} have it; others have `fetch_update`", names.join(", "));
        }
        if Scope::VIEWS.iter().any(|view| view.0 == name) {
            return "the scope is said already: ask the atomic itself for another".to_owned();
        }
        let known = atomics::METHODS.iter().filter(|method| method.is_of(kind)).map(|method| method.name);
        if let Some(near) = did_you_mean(name, known) {
            return format!("did you mean `{near}`?");
        }
        let value = match kind.value() {
            (Scalar::F16, _) => "F16x2",
            (scalar, _) => scalar.name(),
        };
        format!("read the `{value}` first: `.load(Ordering::Relaxed)`")
    }
}

/// The syntax of a method's call, for messages.
fn usage(method: &atomics::Method) -> String {
    let args = method.args.iter().map(|arg| match arg {
        Arg::Value => "value",
        Arg::Order(_) => "Ordering::Relaxed",
        Arg::Function => "|old| Some(…)",
    });
    format!("{}({})", method.name, args.collect::<Vec<_>>().join(", "))
}
