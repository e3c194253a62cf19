//! Frames and closures: what lives where, and how a closure reaches the variables around it.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Printer, function_name, own, types};
use crate::typed::{self, ClosureId, Expr, Kernel, LocalId, Ty};

/// The variables of a function's or closure's body while it is printed.
#[derive(Default)]
pub struct Frame {
    /// Variables that it declares, and those that a closure copied.
    pub declared: HashSet<LocalId>,
    /// Variables that it captures from the frame around it, by pointer.
    pub captured: Vec<LocalId>,
    /// True if closures made in the body may be in what it returns, so that they outlive it.
    pub keeps: bool,
    /// Declarations at the top of the body: slots of temporaries, variables that conditions bind.
    pub hoisted: TokenStream,
}

/// Returns true if values of the type hold closures.
pub(super) fn holds_closure(kernel: &Kernel, ty: &Ty) -> bool {
    typed::holds(ty, &kernel.structs, |part| matches!(part, Ty::Closure { .. }))
}

impl Printer<'_> {
    /// Prints something in a frame of its own, which declares `locals`.
    pub(super) fn in_frame(
        &mut self,
        locals: &[LocalId],
        copied: &[LocalId],
        print: impl FnOnce(&mut Self) -> TokenStream,
    ) -> (TokenStream, Frame) {
        let declared = locals.iter().chain(copied).copied().collect();
        self.frames.push(Frame { declared, ..Frame::default() });
        let tokens = print(self);
        (tokens, self.frames.pop().unwrap_or_default())
    }

    /// The innermost frame.
    pub(super) fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// A variable: a place.
    pub(super) fn local(&mut self, id: LocalId, span: Span) -> TokenStream {
        let mut name = self.names[id.0].clone();
        // The hygiene is that of the declaration: `span` may be a token of another macro.
        name.set_span(name.span().located_at(span));
        let frame = self.frame();
        if frame.declared.contains(&id) {
            return quote!(#name);
        }
        if !frame.captured.contains(&id) {
            frame.captured.push(id);
        }
        let pointer = self.pointer_name(id, span);
        quote_spanned!(span=> (*#pointer))
    }

    fn pointer_name(&self, id: LocalId, span: Span) -> proc_macro2::Ident {
        own(&format!("at_{}", self.names[id.0]), span)
    }

    /// A closure is made: it goes into a slot of the frame, and its value is a pointer to it.
    pub(super) fn closure(&mut self, id: ClosureId, span: Span) -> TokenStream {
        let closure = &self.current().closures[id.0];
        let copied: Vec<LocalId> = closure.copied().collect();
        let keeps = holds_closure(self.kernel, &closure.result);
        let (body, frame) = self.in_frame(&closure.params, &copied, |printer| {
            printer.frame().keeps = keeps;
            printer.expr(&closure.body)
        });
        let copies: Vec<_> = copied
            .iter()
            .map(|&id| {
                let place = self.local(id, span);
                let name = &self.names[id.0];
                quote_spanned!(span=> let mut #name = #place;)
            })
            .collect();
        let pointers: Vec<_> = frame
            .captured
            .iter()
            .map(|&id| {
                let place = self.local(id, span);
                let pointer = self.pointer_name(id, span);
                quote_spanned!(span=> let #pointer = &raw mut #place;)
            })
            .collect();
        let params: Vec<_> = closure.params.iter().map(|&id| self.declaration(id)).collect();
        let result = types::ty(self.kernel, &closure.result);
        let ty = types::closure(self.kernel, closure, self.current());
        let hoisted = frame.hoisted;
        if self.frame().keeps {
            return quote_spanned!(span=> {
                #(#copies)*
                #(#pointers)*
                let closure: #ty = run::Callable::new(run::keep(move |#(#params),*| -> #result { #hoisted #body }));
                closure
            });
        }
        let slot = self.slot(span);
        self.frame().hoisted.extend(quote!(let mut #slot = run::slot();));
        quote_spanned!(span=> {
            #(#copies)*
            #(#pointers)*
            let closure: #ty = run::Callable::new(#slot.write(move |#(#params),*| -> #result { #hoisted #body }));
            closure
        })
    }

    /// Something that can be called, as the closure that an iterator's method takes.
    pub(super) fn callable(&mut self, callee: &Expr, arity: usize) -> TokenStream {
        let span = callee.span;
        let args: Vec<_> = ["a", "b"][..arity].iter().map(|name| own(name, span)).collect();
        let (mut ty, mut refs) = (&callee.ty, 0);
        while let Ty::Ref { inner, .. } = ty {
            (ty, refs) = (inner, refs + 1);
        }
        match ty {
            Ty::Function(id) => {
                let name = function_name(self.kernel, *id);
                quote_spanned!(span=> move |#(#args),*| #name(#(#args),*))
            }
            _ => {
                let (value, function) = (self.expr(callee), own("f", span));
                let stars = std::iter::repeat_n(quote_spanned!(span=> *), refs);
                quote_spanned!(span=> { let #function = #(#stars)* #value; move |#(#args),*| (*#function.get())(#(#args),*) })
            }
        }
    }

    /// A call of a closure, or of a function that was handed over.
    pub(super) fn invoke_value(&mut self, callee: &Expr, args: &[Expr], whole: &Expr) -> TokenStream {
        let span = whole.span;
        if let Ty::Function(id) = callee.ty {
            return self.invoke(function_name(self.kernel, id), args, span);
        }
        let callee = self.expr(callee);
        let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        let call = quote_spanned!(span=> (*(#callee).get())(#(#args),*));
        // `dyn FnMut() -> !` can't be written.
        if whole.ty == Ty::Never { quote_spanned!(span=> { #call; run::unreachable() }) } else { call }
    }

    pub(super) fn invoke(&mut self, mut name: proc_macro2::Ident, args: &[Expr], span: Span) -> TokenStream {
        name.set_span(span);
        let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        quote_spanned!(span=> #name(#(#args),*))
    }
}
