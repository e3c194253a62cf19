//! The video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions"), each lane by itself.

use ptx::selector::Part;

use crate::registers::{LANES, Registers, Slot, lanes};

/// A comparison of `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
        }
    }
}

/// Arithmetic function of an instruction on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Sub,
    Average,
    AbsoluteDifference,
    Min,
    Max,
    /// By 32 places at most, or modulo 32.
    ShiftLeft {
        wrap: bool,
    },
    ShiftRight {
        wrap: bool,
    },
    Set(Comparison),
}

impl Function {
    /// The result, exact: numbers have 33 bits at most, and are shifted by 32 places at most.
    fn of(self, a: i64, b: i64) -> i128 {
        let amount = |wrap: bool| if wrap { b & 31 } else { b.min(32) };
        let (wide_a, wide_b) = (i128::from(a), i128::from(b));
        match self {
            Function::Add => wide_a + wide_b,
            Function::Sub => wide_a - wide_b,
            // Rounded away from zero for sums that are not negative, as the manual has it.
            Function::Average => (wide_a + wide_b + i128::from(a + b >= 0)) >> 1,
            Function::AbsoluteDifference => (wide_a - wide_b).abs(),
            Function::Min => wide_a.min(wide_b),
            Function::Max => wide_a.max(wide_b),
            // Intermediate results have 34 bits, of which only shifts take more.
            Function::ShiftLeft { wrap } => wide_a << amount(wrap) << (128 - 34) >> (128 - 34),
            Function::ShiftRight { wrap } => wide_a >> amount(wrap),
            Function::Set(comparison) => comparison.holds(a, b).into(),
        }
    }
}

/// Secondary operation on the result and a third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    Nothing,
    Add,
    Min,
    Max,
    /// The result takes the place of a part.
    Merge(Part),
}

/// Set for a result and operands that are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signs {
    pub(crate) result: bool,
    pub(crate) a: bool,
    pub(crate) b: bool,
}

/// A product whose scaled sum is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    /// The product is subtracted.
    pub(crate) negative: bool,
    /// The summand is subtracted.
    pub(crate) minus: bool,
    /// One more is added.
    pub(crate) plus_one: bool,
    /// Number of bits by which the sum is shifted right.
    pub(crate) shift: u8,
}

/// A video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Video {
    Scalar {
        f: Function,
        signs: Signs,
        saturate: bool,
        a: Part,
        b: Part,
        second: Second,
    },
    Product {
        product: Product,
        signs: Signs,
        saturate: bool,
        a: Part,
        b: Part,
    },
    /// Two or four elements. What the mask leaves out is that of the third operand, or no summand.
    Elements {
        f: Function,
        signs: Signs,
        saturate: bool,
        four: bool,
        sum: bool,
        mask: u8,
        a: [u8; 4],
        b: [u8; 4],
    },
}

impl Video {
    #[inline(never)]
    pub(crate) fn run(self, registers: &mut Registers, on: u32, target: Slot, sources: [Slot; 3]) {
        let [a, b, c]: [[u32; LANES]; 3] = sources.map(|slot| registers.w[slot.index()]);
        let target = &mut registers.w[target.index()];
        for lane in lanes(on) {
            target[lane] = self.of(a[lane], b[lane], c[lane]);
        }
    }

    fn of(self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Video::Scalar { f, signs, saturate, a: part_a, b: part_b, second } => {
                let exact = f.of(part(a, part_a, signs.a), part(b, part_b, signs.b));
                let bits = match second {
                    Second::Merge(part) => bits_of(part),
                    Second::Nothing | Second::Add | Second::Min | Second::Max => 32,
                };
                // Without saturation the second operation sees the low 32 bits, as in the code that `ptxas` makes of it.
                let whole = |value: u32| i128::from(part(value, Part::Whole, signs.result));
                let result = if saturate { clamp(exact, bits, signs.result) } else { whole(exact as u32) };
                let third = whole(c);
                match second {
                    Second::Nothing => result as u32,
                    Second::Add => (result + third) as u32,
                    Second::Min => result.min(third) as u32,
                    Second::Max => result.max(third) as u32,
                    Second::Merge(part) => merge(result as u32, part, c),
                }
            }
            Video::Product { product, signs, saturate, a: part_a, b: part_b } => {
                let signed = signs.a || signs.b || product.negative || product.minus;
                let whole = i128::from(part(a, part_a, signs.a)) * i128::from(part(b, part_b, signs.b));
                let summand = i128::from(part(c, Part::Whole, signed));
                let whole = if product.negative { -whole } else { whole };
                let summand = if product.minus { -summand } else { summand };
                let scaled = (whole + summand + i128::from(product.plus_one)) >> product.shift;
                if saturate { clamp(scaled, 32, signed) as u32 } else { scaled as u32 }
            }
            Video::Elements { f, signs, saturate, four, sum, mask, a: from_a, b: from_b } => {
                let (count, bits) = if four { (4, 8) } else { (2, 16) };
                let both = u64::from(b) << 32 | u64::from(a);
                let element = |at: u8, signed: bool| {
                    let raw = (both >> (u32::from(at) * bits)) as u32;
                    extend(raw, bits, signed)
                };
                let (mut total, mut merged) = (c, 0);
                for at in 0..count {
                    let exact = f.of(element(from_a[at], signs.a), element(from_b[at], signs.b));
                    let result = if saturate { clamp(exact, bits, signs.result) } else { exact };
                    let place = at as u32 * bits;
                    let kept = u32::MAX >> (32 - bits) << place;
                    if mask >> at & 1 == 1 {
                        total = total.wrapping_add(result as u32);
                        merged |= (result as u32) << place & kept;
                    } else {
                        merged |= c & kept;
                    }
                }
                if sum { total } else { merged }
            }
        }
    }
}

fn bits_of(part: Part) -> u32 {
    match part {
        Part::Whole => 32,
        Part::Byte(_) => 8,
        Part::Half(_) => 16,
    }
}

fn shift_of(part: Part) -> u32 {
    match part {
        Part::Whole => 0,
        Part::Byte(at) => 8 * u32::from(at),
        Part::Half(at) => 16 * u32::from(at),
    }
}

fn extend(raw: u32, bits: u32, signed: bool) -> i64 {
    let unused = 32 - bits;
    if signed { i64::from(((raw << unused) as i32) >> unused) } else { i64::from(raw << unused >> unused) }
}

/// A part of a register, extended.
fn part(value: u32, part: Part, signed: bool) -> i64 {
    extend(value >> shift_of(part), bits_of(part), signed)
}

fn clamp(value: i128, bits: u32, signed: bool) -> i128 {
    let (least, most) =
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    value.clamp(least, most)
}

/// The third operand with a part replaced.
fn merge(value: u32, part: Part, c: u32) -> u32 {
    let kept = u32::MAX >> (32 - bits_of(part)) << shift_of(part);
    (value << shift_of(part)) & kept | c & !kept
}
