//! The device library: math functions written in the language that `#[kernel]` compiles, and in plain Rust.
//!
//! Only IEEE operations, each rounded where it is written (`mul_add` where a fused one is meant), and those of `fast` whose hardware
//! is modelled bit for bit (`exp2`, `recip`, `rsqrt`), so that the GPU, the simulator and rustc give the same bits. No function and no constant of one file has the name of another's: the
//! compiler reads the files as one flat module and skips their `use` lines. Largest errors are in units in the last
//! place (ulp) of the exact result: f32 functions of one argument over all 2³² inputs, the others over random ones.
//!
//! The compiler takes the files as text from [`library`]; rustc compiles them in tests only.
#![cfg_attr(
    test,
    allow(
        // Constants of polynomials.
        clippy::approx_constant,
        clippy::excessive_precision,
        // `x >= a && x <= b` is in the language, `contains` is not.
        clippy::manual_range_contains,
        // Functions that only kernels call.
        dead_code,
        // Methods that are written here.
        clippy::len_zero,
        clippy::redundant_pattern_matching,
        clippy::manual_unwrap_or_default,
        clippy::manual_map,
        clippy::manual_is_variant_and,
        clippy::manual_filter,
        clippy::question_mark,
        clippy::needless_range_loop,
        clippy::manual_swap,
        clippy::manual_memcpy,
        clippy::manual_slice_fill,
        // `x - x` is 0 for a number and NaN for an infinity.
        clippy::eq_op
    )
)]

pub mod collectives;
// Until the compiler asks it.
#[cfg_attr(not(test), allow(dead_code))]
pub mod library;
pub mod numbers;
pub mod primitives;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vocabulary;

/// The files as modules for rustc, each seen whole from here.
#[cfg(test)]
macro_rules! modules {
    ($($name:ident)*) => {$(
        mod $name;
        #[allow(unused_imports)]
        pub use self::$name::*;
    )*};
}
#[cfg(test)]
modules! {
    ascii block_collectives erf_f32 erf_f64 exp_f32 exp_f64 fast gamma_f32 gamma_f64 gamma_log hyperbolic_f32 hyperbolic_f64
    integer integer_panics integer_roots integer_signed integer_unsigned inverse_trig_f32 inverse_trig_f64 log_f32 log_f64 norm option
    partition result
    payne_hanek power_f32 power_f64 remainder rounding scale slice trig_f32 trig_f64 trig_pi warp_collectives
}
