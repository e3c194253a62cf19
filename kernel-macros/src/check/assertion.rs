//! Assertions of the device library about constants, such as the shapes of tiles: what never holds is a mistake of the call.

use super::Checker;
use crate::diagnostics::Loc;
use crate::typed::{self, Block, ExprKind as Typed, Stmt};

impl Checker<'_, '_, '_> {
    /// Reports `if cond { panic!(…) }` of the library whose condition is a constant that holds, at the user's call that leads to it.
    pub(super) fn static_assertion(&mut self, loc: Loc, cond: &typed::Expr, then: &Block) {
        let [Stmt::Expr(typed::Expr { kind: Typed::Panic { format, args }, .. })] = &then.stmts[..] else {
            return;
        };
        if !self.in_library() || self.known_u32(loc, cond) != Some(1) {
            return;
        }
        let mut message = self.formats[format.0].text.clone();
        for arg in args {
            if let Some(value) = self.known_u32(loc, arg) {
                message = message.replacen("{}", &value.to_string(), 1);
            }
        }
        self.error(self.users_place(loc), message);
    }
}
