//! Arithmetic of 16-bit numbers, one or two in a register: `.f16`, `.bf16`, and pairs of integers.
//!
//! Floats are computed in f64. That is exact for products, and for sums up to an error whose sign decides ties.

use crate::float::{Float, Rounding, sum_error};
use crate::narrow::{BRAIN, Format, HALF};
use crate::registers::{LANES, Registers, Slot, lanes};

/// Arithmetic function of a packed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Sub,
    Mul,
    Fma,
    Neg,
    Abs,
    Min,
    Max,
    /// `.NaN`: NaN if either is.
    MinNan,
    MaxNan,
    /// `.xorsign.abs`: of the magnitudes, the sign that of the product.
    MinXorsign,
    MaxXorsign,
    MinNanXorsign,
    MaxNanXorsign,
    Exp2,
    Tanh,
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Half,
    Brain,
    Unsigned,
    Signed,
}

/// Modifier applied to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    Plain,
    /// `.sat`: clamped to [0, 1].
    Saturate,
    /// `.relu`: what is negative becomes zero.
    Relu,
}

/// An instruction on 16-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) function: Function,
    pub(crate) element: Element,
    /// Two in a register.
    pub(crate) pair: bool,
    pub(crate) flush: bool,
    pub(crate) finish: Finish,
}

impl Packed {
    #[inline(never)]
    pub(crate) fn run(self, registers: &mut Registers, mask: u32, target: Slot, sources: [Slot; 3]) {
        let [a, b, c]: [[u32; LANES]; 3] = sources.map(|slot| registers.w[slot.index()]);
        let target = &mut registers.w[target.index()];
        for lane in lanes(mask) {
            let low = self.element(a[lane], b[lane], c[lane]);
            let high = if self.pair { self.element(a[lane] >> 16, b[lane] >> 16, c[lane] >> 16) } else { 0 };
            target[lane] = high << 16 | low;
        }
    }

    /// Addition that neither flushes nor saturates.
    pub(crate) fn addition(element: Element, pair: bool) -> Packed {
        Packed { function: Function::Add, element, pair, flush: false, finish: Finish::Plain }
    }

    /// The result for two registers.
    pub(crate) fn of(self, a: u32, b: u32) -> u32 {
        let high = if self.pair { self.element(a >> 16, b >> 16, 0) } else { 0 };
        high << 16 | self.element(a, b, 0)
    }

    /// Computes with the low halves.
    #[inline]
    fn element(self, a: u32, b: u32, c: u32) -> u32 {
        let (a, b, c) = (a & 0xffff, b & 0xffff, c & 0xffff);
        match self.element {
            Element::Half => self.float(HALF, a, b, c),
            Element::Brain => self.float(BRAIN, a, b, c),
            Element::Unsigned => self.integer(a as i32, b as i32),
            Element::Signed => self.integer(i32::from(a as i16), i32::from(b as i16)),
        }
    }

    fn integer(self, a: i32, b: i32) -> u32 {
        let result = match self.function {
            Function::Add => a + b,
            Function::Sub => a - b,
            Function::Mul | Function::Fma => a.wrapping_mul(b),
            Function::Min | Function::MinNan | Function::MinXorsign | Function::MinNanXorsign => a.min(b),
            Function::Max | Function::MaxNan | Function::MaxXorsign | Function::MaxNanXorsign => a.max(b),
            Function::Neg => -a,
            Function::Abs => a.abs(),
            Function::Exp2 | Function::Tanh => a,
        };
        let result = if self.finish == Finish::Relu { result.max(0) } else { result };
        result as u32 & 0xffff
    }

    fn float(self, format: Format, a: u32, b: u32, c: u32) -> u32 {
        let flush = |raw: u32| if self.flush { format.flush(raw) } else { raw };
        let [a, b, c] = [a, b, c].map(|raw| format.value(flush(raw)));
        let (value, error) = match self.function {
            Function::Add => sum(a, b),
            Function::Sub => sum(a, -b),
            Function::Mul => (a * b, 0.0),
            Function::Fma => sum(a * b, c),
            Function::Neg => (-a, 0.0),
            Function::Abs => (a.abs(), 0.0),
            Function::Min => (a.lesser(b), 0.0),
            Function::Max => (a.greater(b), 0.0),
            Function::MinNan => (a.lesser_or_nan(b), 0.0),
            Function::MaxNan => (a.greater_or_nan(b), 0.0),
            Function::MinXorsign => (sign_of_product(a.abs().lesser(b.abs()), a, b), 0.0),
            Function::MaxXorsign => (sign_of_product(a.abs().greater(b.abs()), a, b), 0.0),
            Function::MinNanXorsign => (sign_of_product(a.abs().lesser_or_nan(b.abs()), a, b), 0.0),
            Function::MaxNanXorsign => (sign_of_product(a.abs().greater_or_nan(b.abs()), a, b), 0.0),
            Function::Exp2 => (a.exp2(), 0.0),
            Function::Tanh => (a.tanh(), 0.0),
        };
        let (value, error) = match self.finish {
            Finish::Plain => (value, error),
            Finish::Saturate if value > 1.0 || value <= 0.0 || value.is_nan() => (value.saturate(), 0.0),
            Finish::Relu if value < 0.0 || (value == 0.0 && value.is_sign_negative()) => (0.0, 0.0),
            Finish::Saturate | Finish::Relu => (value, error),
        };
        flush(format.round(value, error, Rounding::Nearest, false))
    }
}

/// `a + b` and what is missing from it.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, if sum.is_finite() { sum_error(a, b, sum) } else { 0.0 })
}

fn sign_of_product(magnitude: f64, a: f64, b: f64) -> f64 {
    if a.is_sign_negative() != b.is_sign_negative() { -magnitude } else { magnitude }
}
