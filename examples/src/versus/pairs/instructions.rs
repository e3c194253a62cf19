//! Pairs whose instructions count: the ladder of the polynomial, and functions.

use super::shapes::{BLOCK, of_one};
use crate::instructions::accuracy::{exp_accurate, exp_fast, sin_accurate, sin_fast};
use crate::instructions::polynomial::kernels::{estrin_horner, horner_fused, horner_unfused, running_power};
use crate::versus::Pair;

const TOPIC: &str = "instructions";

/// Tolerance between two libraries' functions: an ulp of each.
const TWO_ULPS: f32 = 4e-7;

/// The pairs.
pub static PAIRS: &[Pair] = &[
    of_one((&running_power::KERNEL, TOPIC, "running_power"), "degree 64, a running power", 1e-5, |data| {
        running_power(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    of_one(
        (&horner_unfused::KERNEL, TOPIC, "horner_unfused"),
        "degree 64, Horner, not fused",
        1e-5,
        |data| horner_unfused(&data.x, &mut data.out).over(data.n).block(BLOCK),
    ),
    of_one((&horner_fused::KERNEL, TOPIC, "horner_fused"), "degree 64, Horner", 1e-5, |data| {
        horner_fused(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    of_one((&estrin_horner::KERNEL, TOPIC, "estrin_horner"), "degree 64, Estrin, Horner", 1e-5, |data| {
        estrin_horner(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    of_one((&exp_accurate::KERNEL, TOPIC, "exp_accurate"), "exp", TWO_ULPS, |data| {
        exp_accurate(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    of_one((&exp_fast::KERNEL, TOPIC, "exp_fast"), "exp by the hardware", TWO_ULPS, |data| {
        exp_fast(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    of_one((&sin_accurate::KERNEL, TOPIC, "sin_accurate"), "sin", TWO_ULPS, |data| {
        sin_accurate(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
    of_one((&sin_fast::KERNEL, TOPIC, "sin_fast"), "sin by the hardware", TWO_ULPS, |data| {
        sin_fast(&data.x, &mut data.out).over(data.n).block(BLOCK)
    }),
];
