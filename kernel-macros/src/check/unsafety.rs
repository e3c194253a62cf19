//! Operations that require `unsafe`.
//!
//! The compiler requires it itself instead of leaving it to rustc, which sees the check copy: an access is unchecked by
//! the compiler's name resolution, not by the item that rustc finds under the same name.

use super::Checker;
use crate::ast::{Expr, FunctionId};
use crate::builtins::{Builtin, Signature};
use crate::diagnostics::Loc;
use crate::resolve::Text;

/// The obligation that a builtin leaves to its caller, if it leaves one.
fn obligation(function: &Signature) -> Option<&'static str> {
    const POINTER: &str = "nothing checks where the pointer leads\nhelp: write `unsafe { … }` around it, and say in a `// SAFETY:` \
                           comment why it stays inside of the memory";
    match function.builtin {
        Builtin::GetUnchecked => Some(
            "its index is not checked\nhelp: write `unsafe { … }` around it, or `x[i]`, which is checked and costs nothing where a \
             condition before it bounds the index",
        ),
        Builtin::UncheckedAdd | Builtin::UncheckedSub | Builtin::UncheckedMul => Some(
            "its overflow is undefined behaviour\nhelp: write `unsafe { … }` around it, and say in a `// SAFETY:` comment why it \
             does not overflow, or use the operator, which wraps",
        ),
        Builtin::SliceFromRaw => Some(
            "nothing checks what the pointer leads to\nhelp: write `unsafe { … }` around it, or take the slice as a parameter",
        ),
        Builtin::PtrAdd
        | Builtin::PtrSub
        | Builtin::PtrOffset
        | Builtin::PtrByteOffset
        | Builtin::PtrByteSub
        | Builtin::PtrOffsetFrom => (!function.name.starts_with("wrapping_")).then_some(POINTER),
        Builtin::PtrRead | Builtin::PtrWrite | Builtin::PtrReadVolatile | Builtin::PtrWriteVolatile => {
            Some(POINTER)
        }
        _ => None,
    }
}

impl Checker<'_, '_, '_> {
    /// Stands in an `unsafe` block or an `unsafe fn`; the device library is trusted.
    fn is_in_unsafe(&self, expr: &Expr) -> bool {
        let program = self.infer.world.program;
        let blocks = match self.infer.env.text {
            Text::Function(id) => {
                let function = &program.functions[id.0];
                if function.is_unsafe || function.is_library {
                    return true;
                }
                &function.unsafe_exprs
            }
            Text::Const(id) => &program.consts[id.0].unsafe_exprs,
            Text::Struct(_) | Text::Alias(_) | Text::Impl(_) => return false,
        };
        blocks.iter().any(|block| block.contains(&expr.id.0))
    }

    fn require_unsafe(&mut self, expr: &Expr, loc: Loc, what: &str, why: &str) {
        if !self.is_in_unsafe(expr) {
            self.error(loc, format!("expected an `unsafe` block around {what}, found none: {why}"));
        }
    }

    /// A call of something that the language knows.
    pub(super) fn builtin_in_unsafe(&mut self, expr: &Expr, function: &Signature) {
        if let Some(why) = obligation(function) {
            self.require_unsafe(expr, expr.loc, &format!("`{}`", function.name), why);
        }
    }

    /// `*p` of a raw pointer.
    pub(super) fn access_in_unsafe(&mut self, expr: &Expr) {
        self.require_unsafe(
            expr,
            expr.loc,
            "an access through a raw pointer",
            "nothing checks where it leads\nhelp: write `unsafe { … }` around it, or take a slice and index it",
        );
    }

    /// `inline_ptx!(…)`
    pub(super) fn inline_ptx_in_unsafe(&mut self, expr: &Expr) {
        self.require_unsafe(
            expr,
            expr.loc,
            "`inline_ptx!`",
            "nothing checks what the PTX does\nhelp: write `unsafe { … }` around it, and say in a `// SAFETY:` comment which memory it \
             accesses",
        );
    }

    /// A call of a function of the user's.
    pub(super) fn call_in_unsafe(&mut self, expr: &Expr, function: FunctionId) {
        let decl = &self.infer.world.program.functions[function.0];
        if decl.is_unsafe {
            let name = &decl.name;
            let what = format!("the call of `{name}`");
            let why = format!(
                "`{name}` is an `unsafe fn`\nhelp: write `unsafe {{ … }}` around it, and keep what its `# Safety` asks for"
            );
            self.require_unsafe(expr, expr.loc, &what, &why);
        }
    }

    /// A function that is handed over, to be called by what knows nothing of its conditions.
    pub(super) fn safe_to_hand_over(&mut self, expr: &Expr, function: FunctionId) {
        let decl = &self.infer.world.program.functions[function.0];
        if decl.is_unsafe {
            let name = &decl.name;
            let message = format!(
                "expected a safe function, found `{name}`, an `unsafe fn`\nhelp: hand over a closure that calls it: `|value| unsafe \
                 {{ {name}(value) }}`"
            );
            self.error(expr.loc, message);
        }
    }
}
