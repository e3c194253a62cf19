//! The hidden copy: the typed tree printed back as ordinary Rust against `kernel_runtime::device`.
//!
//! rustc checks it in place of the body: types (every `let` says what was inferred), borrows, initialisation. And it runs
//! on the CPU with the GPU's meaning: integers wrap, shifts mask, contracted sums are fused. Tokens keep the spans of
//! what they came from, so that rustc's errors and the places of panics are the user's.

mod call;
mod place;
#[cfg(test)]
mod tests;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use crate::typed::{
    BinaryOp, Block, ConstValue, Expr, ExprKind, Kernel, Local, LocalId, Range, RangeAdaptor, Scalar, Stmt,
    Ty, UnaryOp,
};

/// Prints the body as `fn body(…) { … }` with a parameter for each of the kernel's.
pub fn body_function(kernel: &Kernel) -> TokenStream {
    let mut printer = Printer { kernel, shared_calls: 0, plain: false };
    let params = kernel.params().iter().map(|param| {
        let (name, ty) = (&param.name, ty(&param.ty));
        match param.ty {
            // A view is written through `&mut self`.
            Ty::Slice { mutable: true, .. } => quote!(#[allow(unused_mut)] mut #name: #ty),
            Ty::Slice { mutable: false, .. }
            | Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Dim3
            | Ty::Array(..)
            | Ty::Shared(_) => {
                let mutable = mutable(param);
                quote!(#mutable #name: #ty)
            }
        }
    });
    let params = params.collect::<Vec<_>>();
    let body = printer.block(&kernel.body);
    const LEVELS: [&str; 4] = ["allow", "expect", "warn", "deny"];
    let lints = kernel.outer.iter().filter(|attr| LEVELS.iter().any(|level| attr.path().is_ident(level)));
    quote! {
        // What is written can look odd in print; lints of names and unused things are the user's to see.
        #[allow(unused_parens, unused_braces, redundant_semicolons, clippy::all, clippy::pedantic, clippy::nursery)]
        #(#lints)*
        fn body(#(#params),*) #body
    }
}

/// The type of a parameter or variable in the hidden copy.
fn ty(ty: &Ty) -> TokenStream {
    match ty {
        Ty::Unit => quote!(()),
        Ty::Never => quote!(!),
        Ty::Scalar(scalar) => scalar_name(*scalar, Span::call_site()).into_token_stream(),
        Ty::Dim3 => quote!(::kernel_runtime::device::Dim3),
        Ty::Slice { element, mutable } => {
            let view = Ident::new(if *mutable { "SliceMut" } else { "Slice" }, Span::call_site());
            let element = scalar_name(*element, Span::call_site());
            quote!(::kernel_runtime::device::#view<'_, #element>)
        }
        Ty::Array(element, len) => {
            let element = self::ty(element);
            let len = proc_macro2::Literal::u64_unsuffixed(*len);
            quote!([#element; #len])
        }
        Ty::Shared(array) => {
            let array = self::ty(array);
            quote!(::kernel_runtime::device::Shared<#array>)
        }
    }
}

/// The name of a scalar type, as tokens at `span`.
pub fn scalar_name(scalar: Scalar, span: Span) -> Ident {
    Ident::new(scalar.name(), span)
}

fn mutable(local: &Local) -> Option<TokenStream> {
    local.mutable.then(|| {
        let span = local.name.span();
        quote_spanned!(span=> mut)
    })
}

/// A name of our own that no name of the user's can be mistaken for.
fn own(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(span))
}

struct Printer<'k> {
    kernel: &'k Kernel,
    /// Calls of `shared` so far: their numbers tell variables in shared memory apart.
    shared_calls: usize,
    /// Inside the initial value of a constant: operators as they are, since rustc checks them for overflow there.
    plain: bool,
}

impl Printer<'_> {
    fn name(&self, id: LocalId) -> &Ident {
        &self.kernel.local(id).name
    }

    /// `{ … }`
    fn block(&mut self, block: &Block) -> TokenStream {
        let mut tokens = TokenStream::new();
        for stmt in &block.stmts {
            tokens.extend(self.stmt(stmt));
        }
        if let Some(value) = &block.value {
            tokens.extend(self.expr(value));
        }
        let span = block.span;
        quote_spanned!(span=> { #tokens })
    }

    fn stmt(&mut self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Let { local, init, span } => {
                let init = init.as_ref().map(|init| {
                    let value = self.expr(init);
                    quote_spanned!(*span=> = #value)
                });
                let Some(id) = local else { return quote_spanned!(*span=> let _ #init;) };
                let local = self.kernel.local(*id);
                let (mutable, name) = (mutable(local), &local.name);
                match &local.ty {
                    // `!` can't be written.
                    Ty::Never => quote_spanned!(*span=> let #mutable #name #init;),
                    Ty::Unit
                    | Ty::Scalar(_)
                    | Ty::Dim3
                    | Ty::Slice { .. }
                    | Ty::Array(..)
                    | Ty::Shared(_) => {
                        let ty = ty(&local.ty);
                        quote_spanned!(*span=> let #mutable #name: #ty #init;)
                    }
                }
            }
            Stmt::Expr(expr) => {
                let span = expr.span;
                let tokens = self.expr(expr);
                quote_spanned!(span=> #tokens;)
            }
            Stmt::Const(id) => {
                let constant = &self.kernel.consts[id.0];
                let (name, ty) = (&constant.name, scalar_name(constant.ty, constant.name.span()));
                let outer = std::mem::replace(&mut self.plain, true);
                let init = self.expr(&constant.init);
                self.plain = outer;
                quote!(const #name: #ty = #init;)
            }
        }
    }

    /// An expression where an operand or a method's receiver stands.
    fn operand(&mut self, expr: &Expr) -> TokenStream {
        let tokens = self.expr(expr);
        if is_atom(&expr.kind) {
            return tokens;
        }
        let span = expr.span;
        quote_spanned!(span=> (#tokens))
    }

    fn expr(&mut self, expr: &Expr) -> TokenStream {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Literal(value) => literal(*value, span),
            ExprKind::Path { path, .. } => path.to_token_stream(),
            ExprKind::Local(id) => {
                let mut name = self.name(*id).clone();
                name.set_span(span);
                name.into_token_stream()
            }
            ExprKind::Const(id) => {
                let mut name = self.kernel.consts[id.0].name.clone();
                name.set_span(span);
                name.into_token_stream()
            }
            ExprKind::Unary { op, arg } => self.unary(*op, arg, span),
            ExprKind::Binary { op, lhs, rhs } => {
                let (lhs_tokens, rhs_tokens) = (self.operand(lhs), self.operand(rhs));
                self.binary(*op, &lhs.ty, lhs_tokens, rhs_tokens, span)
            }
            ExprKind::Logical { and, lhs, rhs } => {
                let (lhs, rhs) = (self.operand(lhs), self.operand(rhs));
                if *and { quote_spanned!(span=> #lhs && #rhs) } else { quote_spanned!(span=> #lhs || #rhs) }
            }
            ExprKind::MulAdd { a, b, c, negate_product, negate_c, product_first } => {
                let (a, b, c) =
                    (self.negated_if(*negate_product, a), self.expr(b), self.negated_if(*negate_c, c));
                if *product_first {
                    quote_spanned!(span=> ::kernel_runtime::device::ops::mul_add(#a, #b, #c))
                } else {
                    quote_spanned!(span=> ::kernel_runtime::device::ops::add_mul(#c, #a, #b))
                }
            }
            ExprKind::Cast(arg) => {
                let (arg, ty) = (self.operand(arg), ty(&expr.ty));
                quote_spanned!(span=> #arg as #ty)
            }
            ExprKind::Axis { base, axis } => {
                let base = self.operand(base);
                let axis = Ident::new(["x", "y", "z"][*axis], span);
                quote_spanned!(span=> #base.#axis)
            }
            ExprKind::Index { base, index } => self.element(base, index, expr),
            ExprKind::Call { builtin, args } => self.call(*builtin, args, &expr.ty, span),
            ExprKind::Assign { place, value } => self.assign(place, value, span),
            ExprKind::AssignOp { op, place, value } => self.assign_op(*op, place, value, span),
            ExprKind::AssignMulAdd { place, a, b, negate_product } => {
                self.assign_mul_add(place, a, b, *negate_product, span)
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { cond, then, otherwise } => {
                let (cond, then) = (self.operand(cond), self.block(then));
                let otherwise = otherwise.as_ref().map(|otherwise| {
                    let otherwise = self.expr(otherwise);
                    quote_spanned!(span=> else #otherwise)
                });
                quote_spanned!(span=> if #cond #then #otherwise)
            }
            ExprKind::Loop { label, body, .. } => {
                let (label, body) = (label.as_ref().map(|l| quote!(#l:)), self.block(body));
                quote_spanned!(span=> #label loop #body)
            }
            ExprKind::While { label, cond, body, .. } => {
                let label = label.as_ref().map(|l| quote!(#l:));
                let (cond, body) = (self.operand(cond), self.block(body));
                quote_spanned!(span=> #label while #cond #body)
            }
            ExprKind::For { label, local, range, body, .. } => {
                let label = label.as_ref().map(|l| quote!(#l:));
                let variable = match local {
                    Some(id) => {
                        let local = self.kernel.local(*id);
                        let (mutable, name) = (mutable(local), &local.name);
                        quote!(#mutable #name)
                    }
                    None => quote_spanned!(span=> _),
                };
                let (range, body) = (self.range(range, span), self.block(body));
                quote_spanned!(span=> #label for #variable in #range #body)
            }
            ExprKind::Break { label, value, .. } => {
                let value = value.as_ref().map(|value| self.operand(value));
                quote_spanned!(span=> break #label #value)
            }
            ExprKind::Continue { label, .. } => quote_spanned!(span=> continue #label),
            ExprKind::Return => quote_spanned!(span=> return),
        }
    }

    fn range(&mut self, range: &Range, span: Span) -> TokenStream {
        let (start, end) = (self.operand(&range.start), self.operand(&range.end));
        let mut tokens = match range.inclusive {
            true => quote_spanned!(span=> (#start..=#end)),
            false => quote_spanned!(span=> (#start..#end)),
        };
        for adaptor in &range.adaptors {
            tokens = match adaptor {
                RangeAdaptor::Rev => quote_spanned!(span=> #tokens.rev()),
                RangeAdaptor::StepBy(step) => {
                    let (step, span) = (self.expr(step), step.span);
                    quote_spanned!(span=> #tokens.step_by(::kernel_runtime::device::ops::step(#step)))
                }
            };
        }
        tokens
    }

    fn negated_if(&mut self, negate: bool, arg: &Expr) -> TokenStream {
        if !negate {
            return self.expr(arg);
        }
        let (arg, span) = (self.operand(arg), arg.span);
        quote_spanned!(span=> -#arg)
    }

    fn unary(&mut self, op: UnaryOp, arg: &Expr, span: Span) -> TokenStream {
        let tokens = self.operand(arg);
        let wraps = match &arg.ty {
            Ty::Scalar(scalar) => scalar.is_int() && !self.plain,
            Ty::Unit | Ty::Never | Ty::Dim3 | Ty::Slice { .. } | Ty::Array(..) | Ty::Shared(_) => false,
        };
        match op {
            UnaryOp::Not => quote_spanned!(span=> !#tokens),
            // `-128i8` is one literal to rustc, `128i8.wrapping_neg()` is out of range.
            UnaryOp::Neg if wraps && !matches!(arg.kind, ExprKind::Literal(_)) => {
                quote_spanned!(span=> #tokens.wrapping_neg())
            }
            UnaryOp::Neg => quote_spanned!(span=> -#tokens),
        }
    }

    /// An operator on operands of type `ty` (the right one of a shift may have another).
    fn binary(&self, op: BinaryOp, ty: &Ty, lhs: TokenStream, rhs: TokenStream, span: Span) -> TokenStream {
        let wraps = matches!(ty, Ty::Scalar(scalar) if scalar.is_int()) && !self.plain;
        match op {
            BinaryOp::Add if wraps => quote_spanned!(span=> #lhs.wrapping_add(#rhs)),
            BinaryOp::Sub if wraps => quote_spanned!(span=> #lhs.wrapping_sub(#rhs)),
            BinaryOp::Mul if wraps => quote_spanned!(span=> #lhs.wrapping_mul(#rhs)),
            // Only the amount's lowest bits count, so cutting it does no harm.
            BinaryOp::Shl if wraps => quote_spanned!(span=> #lhs.wrapping_shl(#rhs as u32)),
            BinaryOp::Shr if wraps => quote_spanned!(span=> #lhs.wrapping_shr(#rhs as u32)),
            BinaryOp::Add => quote_spanned!(span=> #lhs + #rhs),
            BinaryOp::Sub => quote_spanned!(span=> #lhs - #rhs),
            BinaryOp::Mul => quote_spanned!(span=> #lhs * #rhs),
            BinaryOp::Shl => quote_spanned!(span=> #lhs << #rhs),
            BinaryOp::Shr => quote_spanned!(span=> #lhs >> #rhs),
            BinaryOp::Div => quote_spanned!(span=> #lhs / #rhs),
            BinaryOp::Rem => quote_spanned!(span=> #lhs % #rhs),
            BinaryOp::And => quote_spanned!(span=> #lhs & #rhs),
            BinaryOp::Or => quote_spanned!(span=> #lhs | #rhs),
            BinaryOp::Xor => quote_spanned!(span=> #lhs ^ #rhs),
            BinaryOp::Eq => quote_spanned!(span=> #lhs == #rhs),
            BinaryOp::Ne => quote_spanned!(span=> #lhs != #rhs),
            BinaryOp::Lt => quote_spanned!(span=> #lhs < #rhs),
            BinaryOp::Le => quote_spanned!(span=> #lhs <= #rhs),
            BinaryOp::Gt => quote_spanned!(span=> #lhs > #rhs),
            BinaryOp::Ge => quote_spanned!(span=> #lhs >= #rhs),
        }
    }
}

/// Whether the printed expression can be an operand or a receiver without parentheses.
fn is_atom(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Literal(_)
        | ExprKind::Path { .. }
        | ExprKind::Local(_)
        | ExprKind::Const(_)
        | ExprKind::Axis { .. }
        | ExprKind::Index { .. }
        | ExprKind::Call { .. }
        | ExprKind::MulAdd { .. } => true,
        ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Logical { .. }
        | ExprKind::Cast(_)
        | ExprKind::Assign { .. }
        | ExprKind::AssignOp { .. }
        | ExprKind::AssignMulAdd { .. }
        | ExprKind::Block(_)
        | ExprKind::If { .. }
        | ExprKind::Loop { .. }
        | ExprKind::While { .. }
        | ExprKind::For { .. }
        | ExprKind::Break { .. }
        | ExprKind::Continue { .. }
        | ExprKind::Return => false,
    }
}

/// A literal with its type's name behind it.
fn literal(value: ConstValue, span: Span) -> TokenStream {
    use proc_macro2::Literal;
    let bits = value.bits;
    let mut literal = match value.ty {
        Scalar::Bool => {
            return Ident::new(if bits == 0 { "false" } else { "true" }, span).into_token_stream();
        }
        // The literal of a signed type is not negative, but may be one beyond its maximum, under a minus.
        Scalar::I8 => suffixed(bits, "i8"),
        Scalar::I16 => suffixed(bits, "i16"),
        Scalar::I32 => suffixed(bits, "i32"),
        Scalar::I64 => suffixed(bits, "i64"),
        Scalar::Isize => suffixed(bits, "isize"),
        Scalar::U8 => Literal::u8_suffixed(bits as u8),
        Scalar::U16 => Literal::u16_suffixed(bits as u16),
        Scalar::U32 => Literal::u32_suffixed(bits as u32),
        Scalar::U64 => Literal::u64_suffixed(bits),
        Scalar::Usize => Literal::usize_suffixed(bits as usize),
        Scalar::F32 => Literal::f32_suffixed(f32::from_bits(bits as u32)),
        Scalar::F64 => Literal::f64_suffixed(f64::from_bits(bits)),
    };
    literal.set_span(span);
    literal.into_token_stream()
}

fn suffixed(bits: u64, suffix: &str) -> proc_macro2::Literal {
    let text = format!("{bits}{suffix}");
    text.parse().unwrap_or_else(|_| proc_macro2::Literal::u64_unsuffixed(bits))
}
