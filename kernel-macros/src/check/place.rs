//! What can stand left of `=`, and where slices and shared arrays can stand.

use super::Checker;
use crate::ast::{Expr, ExprKind, Origin};
use crate::builtins::Builtin;
use crate::infer::written;
use crate::resolve::Meaning;
use crate::typed::{self, LocalId, Ty};

impl Checker<'_> {
    /// A call of `shared`.
    pub(super) fn shared_call(&self, expr: &Expr) -> Option<()> {
        match self.names.of(expr.id) {
            Meaning::Function(function, _) if function.builtin == Builtin::Shared => Some(()),
            _ => None,
        }
    }

    /// An expression whose value is used: of a slice or a shared array only elements and the length are.
    pub(super) fn value(&mut self, expr: &Expr) -> typed::Expr {
        match self.types.expr(expr.id) {
            Ty::Slice { .. } | Ty::Shared(_) => self.refuse_whole(expr),
            Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Array(..) => {}
        }
        self.build(expr)
    }

    fn refuse_whole(&mut self, expr: &Expr) {
        if self.shared_call(expr).is_some() {
            let message = "expected `shared` as the initial value of a variable, found it inside an expression\nhelp: write \
                           `let mut tile = shared::<[T; N]>();`";
            self.error(expr.loc, message);
        } else if let ExprKind::Path(_) | ExprKind::Index { .. } = &expr.kind {
            let ty = match self.types.expr(expr.id) {
                Ty::Shared(array) => format!("a shared `{}`", written(array)),
                other => format!("a `{}`", written(other)),
            };
            let message = format!(
                "expected a value that can be copied, found {ty}\nhelp: use its elements `[i]` and its `len()` where they are \
                 needed"
            );
            self.error(expr.loc, message);
        }
        // Blocks and `if` report where their value is.
    }

    /// What is indexed, or asked for its length.
    pub(super) fn base(&mut self, expr: &Expr) -> typed::Expr {
        match &expr.kind {
            ExprKind::Path(_) | ExprKind::Index { .. } => self.build(expr),
            _ => self.value(expr),
        }
    }

    /// A place that is assigned to.
    pub(super) fn place(&mut self, expr: &Expr, compound: bool) -> typed::Expr {
        match &expr.kind {
            ExprKind::Path(_) => match self.names.of(expr.id) {
                Meaning::Local(id) => self.assigned_local(expr, id, compound),
                _ => self.error(
                    expr.loc,
                    "expected a variable or an element before `=`, found a constant\nhelp: assign to a variable",
                ),
            },
            ExprKind::Index { .. } => self.assigned_element(expr),
            ExprKind::Field { .. } => self.error(
                expr.loc,
                "expected a variable or an element before `=`, found a field of a `Dim3`, which is a copy\nhelp: assign to a \
                 variable",
            ),
            _ => self.error(
                expr.loc,
                "expected a variable or an element before `=`, found a value\nhelp: assign to a variable, or compare with \
                 `==`",
            ),
        }
        self.build(expr)
    }

    fn assigned_local(&mut self, expr: &Expr, id: LocalId, compound: bool) {
        let local = &self.kernel.locals[id.0];
        let name = &local.name;
        let message = match (self.types.local(id), local.origin) {
            (Ty::Slice { .. } | Ty::Shared(_), _) => {
                format!(
                    "expected an element before `=`, found `{name}`, which is not a variable\nhelp: assign to its elements: \
                     `{name}[i]`"
                )
            }
            _ if local.mutable => return,
            // That it is assigned once is for rustc to see.
            (_, Origin::LetUninit) if !compound => return,
            (_, Origin::Param) => {
                format!(
                    "expected a mutable variable, found the parameter `{name}`\nhelp: declare it `mut {name}`"
                )
            }
            (_, Origin::Let | Origin::LetUninit) => {
                format!("expected a mutable variable, found `{name}`\nhelp: declare it `let mut {name}`")
            }
            (_, Origin::For) => {
                format!(
                    "expected a mutable variable, found the loop variable `{name}`\nhelp: declare it `for mut {name}`"
                )
            }
        };
        self.error(expr.loc, message);
    }

    fn assigned_element(&mut self, expr: &Expr) {
        if let Ty::Shared(row) = self.types.expr(expr.id) {
            let message = format!(
                "expected a scalar element before `=`, found a whole `{}`\nhelp: assign to its elements in a loop",
                written(row)
            );
            self.error(expr.loc, message);
            return;
        }
        let mut root = expr;
        while let ExprKind::Index { base, .. } = &root.kind {
            root = base;
        }
        let Meaning::Local(id) = self.names.of(root.id) else { return };
        let local = &self.kernel.locals[id.0];
        let name = &local.name;
        let message = match self.types.local(id) {
            Ty::Slice { element, mutable: false } => format!(
                "expected a slice that can be written, found `{name}: &[{0}]`\nhelp: declare it `{name}: &mut [{0}]`",
                element.name()
            ),
            Ty::Shared(_) if !local.mutable => {
                format!("expected a mutable shared array, found `{name}`\nhelp: declare it `let mut {name}`")
            }
            Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Dim3
            | Ty::Array(..) => return,
        };
        self.error(expr.loc, message);
    }
}
