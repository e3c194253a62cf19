//! Calls of what the language knows.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Printer, ty};
use crate::builtins::Builtin;
use crate::typed::{Expr, Ty};

/// How a builtin is written in the hidden copy.
enum Form {
    /// A function of `kernel_runtime::device`.
    Device(TokenStream),
    /// Rust's own method of this name.
    Method(&'static str),
    /// `device::shared_at::<T>(number)`.
    Shared,
    /// Rust's own function `T::from_bits`, of the result's type.
    FromBits,
    /// `clamp` of integers without Rust's check.
    IntClamp,
}

/// How `builtin` is written, for floats or for integers where they differ.
fn form(builtin: Builtin, is_float: bool) -> Form {
    match builtin {
        Builtin::ThreadIdx => Form::Device(quote!(thread_idx)),
        Builtin::BlockIdx => Form::Device(quote!(block_idx)),
        Builtin::BlockDim => Form::Device(quote!(block_dim)),
        Builtin::GridDim => Form::Device(quote!(grid_dim)),
        Builtin::GlobalIdx => Form::Device(quote!(global_idx)),
        Builtin::GlobalSize => Form::Device(quote!(global_size)),
        Builtin::LaneId => Form::Device(quote!(warp::lane_id)),
        Builtin::WarpId => Form::Device(quote!(warp::warp_id)),
        Builtin::Barrier => Form::Device(quote!(barrier)),
        Builtin::ShflUp => Form::Device(quote!(warp::shfl_up)),
        Builtin::ShflDown => Form::Device(quote!(warp::shfl_down)),
        Builtin::ShflXor => Form::Device(quote!(warp::shfl_xor)),
        Builtin::ShflIdx => Form::Device(quote!(warp::shfl_idx)),
        Builtin::Shared => Form::Shared,
        // Rust leaves open which zero the smaller one is, and its `clamp` panics.
        Builtin::Min if is_float => Form::Device(quote!(ops::min)),
        Builtin::Max if is_float => Form::Device(quote!(ops::max)),
        Builtin::Clamp if is_float => Form::Device(quote!(ops::clamp)),
        Builtin::Clamp => Form::IntClamp,
        Builtin::MulAdd => Form::Device(quote!(ops::mul_add)),
        Builtin::FromBits => Form::FromBits,
        Builtin::Abs if !is_float => Form::Method("wrapping_abs"),
        Builtin::Abs => Form::Method("abs"),
        Builtin::Len => Form::Method("len"),
        Builtin::Sqrt => Form::Method("sqrt"),
        Builtin::Min => Form::Method("min"),
        Builtin::Max => Form::Method("max"),
        Builtin::Floor => Form::Method("floor"),
        Builtin::Ceil => Form::Method("ceil"),
        Builtin::Trunc => Form::Method("trunc"),
        Builtin::RoundTiesEven => Form::Method("round_ties_even"),
        Builtin::Copysign => Form::Method("copysign"),
        Builtin::Recip => Form::Method("recip"),
        Builtin::IsNan => Form::Method("is_nan"),
        Builtin::IsInfinite => Form::Method("is_infinite"),
        Builtin::IsFinite => Form::Method("is_finite"),
        Builtin::ToBits => Form::Method("to_bits"),
        Builtin::WrappingAdd => Form::Method("wrapping_add"),
        Builtin::WrappingSub => Form::Method("wrapping_sub"),
        Builtin::WrappingMul => Form::Method("wrapping_mul"),
        Builtin::WrappingNeg => Form::Method("wrapping_neg"),
        Builtin::WrappingShl => Form::Method("wrapping_shl"),
        Builtin::WrappingShr => Form::Method("wrapping_shr"),
        Builtin::AbsDiff => Form::Method("abs_diff"),
        Builtin::UnsignedAbs => Form::Method("unsigned_abs"),
        Builtin::Signum => Form::Method("signum"),
        Builtin::CountOnes => Form::Method("count_ones"),
        Builtin::CountZeros => Form::Method("count_zeros"),
        Builtin::LeadingZeros => Form::Method("leading_zeros"),
        Builtin::TrailingZeros => Form::Method("trailing_zeros"),
        Builtin::RotateLeft => Form::Method("rotate_left"),
        Builtin::RotateRight => Form::Method("rotate_right"),
        Builtin::ReverseBits => Form::Method("reverse_bits"),
        Builtin::SwapBytes => Form::Method("swap_bytes"),
        Builtin::IsPowerOfTwo => Form::Method("is_power_of_two"),
    }
}

impl Printer<'_> {
    pub(super) fn call(&mut self, builtin: Builtin, args: &[Expr], result: &Ty, span: Span) -> TokenStream {
        let receiver_is_float =
            args.first().is_some_and(|arg| matches!(&arg.ty, Ty::Scalar(scalar) if scalar.is_float()));
        match form(builtin, receiver_is_float) {
            Form::Device(function) => {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>();
                let function: TokenStream = respan(function, span);
                quote_spanned!(span=> ::kernel_runtime::device::#function(#(#args),*))
            }
            Form::Method(name) => {
                let [receiver, rest @ ..] = args else { return TokenStream::new() };
                let receiver = self.operand(receiver);
                let rest = rest.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>();
                let name = Ident::new(name, span);
                quote_spanned!(span=> #receiver.#name(#(#rest),*))
            }
            Form::IntClamp => {
                let args = args.iter().map(|arg| self.operand(arg)).collect::<Vec<_>>();
                let [value, low, high] = &args[..] else { return TokenStream::new() };
                quote_spanned!(span=> #value.max(#low).min(#high))
            }
            Form::FromBits => {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>();
                let ty = ty(result);
                quote_spanned!(span=> #ty::from_bits(#(#args),*))
            }
            Form::Shared => {
                let number = self.shared_calls;
                self.shared_calls += 1;
                let array = match result {
                    Ty::Shared(array) => ty(array),
                    Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Slice { .. } | Ty::Array(..) => {
                        ty(result)
                    }
                };
                quote_spanned!(span=> ::kernel_runtime::device::shared_at::<#array>(#number))
            }
        }
    }
}

fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
