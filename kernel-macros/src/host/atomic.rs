//! Accesses to atomics: functions of `run::atomic` on the place.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

use super::Printer;
use crate::atomics::AtomicOp;
use crate::typed::AtomicAccess;

impl Printer<'_> {
    pub(super) fn atomic(&mut self, access: &AtomicAccess, span: Span) -> TokenStream {
        let place = self.expr(&access.place);
        if access.op == AtomicOp::Update {
            let function = self.callable(&access.args[0], 1);
            return quote_spanned!(span=> run::atomic::update(#place, #function));
        }
        let args: Vec<_> = access.args.iter().map(|arg| self.expr(arg)).collect();
        let function = Ident::new(name(access.op), span);
        quote_spanned!(span=> run::atomic::#function(#place #(, #args)*))
    }
}

fn name(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Load => "load",
        AtomicOp::Store => "store",
        AtomicOp::Swap => "swap",
        AtomicOp::CompareExchange => "compare_exchange",
        AtomicOp::Add => "add",
        AtomicOp::Sub => "sub",
        AtomicOp::And => "and",
        AtomicOp::Nand => "nand",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Min => "min",
        AtomicOp::Max => "max",
        AtomicOp::Update => "update",
    }
}
