//! The device library: math functions written in the language that `#[kernel]` compiles, and in plain Rust.
//!
//! Only IEEE operations, each rounded where it is written (`mul_add` where a fused one is meant), so that the GPU, the
//! simulator and rustc give the same bits. No function and no constant of one file has the name of another's: the
//! compiler reads the files as one flat module and skips their `use` lines. Largest errors are in units in the last
//! place (ulp) of the exact result: f32 functions of one argument over all 2³² inputs, the others over random ones.
#![allow(clippy::approx_constant, clippy::excessive_precision, clippy::manual_range_contains)]
// `x - x` is 0 for a number and NaN for an infinity.
#![allow(clippy::eq_op)]

mod erf_f32;
mod erf_f64;
mod exp_f32;
mod exp_f64;
mod gamma_f32;
mod gamma_f64;
mod hyperbolic_f32;
mod hyperbolic_f64;
mod inverse_trig_f32;
mod inverse_trig_f64;
mod log_f32;
mod log_f64;
mod payne_hanek;
mod power_f32;
mod power_f64;
mod rounding;
mod scale;
mod trig_f32;
mod trig_f64;

#[cfg(test)]
mod tests;

#[allow(unused_imports)]
pub use self::{
    erf_f32::*, erf_f64::*, exp_f32::*, exp_f64::*, gamma_f32::*, gamma_f64::*, hyperbolic_f32::*,
    hyperbolic_f64::*, inverse_trig_f32::*, inverse_trig_f64::*, log_f32::*, log_f64::*, payne_hanek::*,
    power_f32::*, power_f64::*, rounding::*, scale::*, trig_f32::*, trig_f64::*,
};
