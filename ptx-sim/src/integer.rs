//! Integer instructions of PTX that Rust has no operator for: bit fields, permutations, funnel shifts, total division.

/// Integers of the widths of PTX, with the operations that differ from Rust's.
pub(crate) trait Integer: Copy {
    /// `div`: by zero gives all ones, the least value by −1 gives itself.
    fn divide(self, by: Self) -> Self;
    /// `rem`: by zero gives all ones.
    fn remainder(self, by: Self) -> Self;
    /// `shl`: an amount of the width or more gives zero.
    fn shift_left(self, amount: u32) -> Self;
    /// `shr`: an amount of the width or more fills with the sign.
    fn shift_right(self, amount: u32) -> Self;
}

macro_rules! integers {
    ($($ty:ident, $ones:expr);* $(;)?) => {$(
        impl Integer for $ty {
            #[inline(always)]
            fn divide(self, by: $ty) -> $ty { if by == 0 { $ones } else { self.wrapping_div(by) } }
            #[inline(always)]
            fn remainder(self, by: $ty) -> $ty { if by == 0 { $ones } else { self.wrapping_rem(by) } }
            #[inline(always)]
            fn shift_left(self, amount: u32) -> $ty { if amount < $ty::BITS { self << amount } else { 0 } }
            #[inline(always)]
            fn shift_right(self, amount: u32) -> $ty {
                // Two steps: an amount of the whole width is legal here and not in Rust.
                let amount = amount.min($ty::BITS);
                (self >> (amount / 2)) >> (amount - amount / 2)
            }
        }
    )*};
}

integers! { u16, u16::MAX; u32, u32::MAX; u64, u64::MAX; i16, -1; i32, -1; i64, -1; }

/// Positions and lengths are 8 bits wide. The 64-bit forms take more as what it is: that is what sm_90 does.
#[inline(always)]
fn field_bounds(width: u32, position: u32, length: u32) -> (u32, u32) {
    if width == 32 { (position & 0xff, length & 0xff) } else { (position.min(256), length.min(256)) }
}

/// `bfe.u32` and `bfe.u64`: `length` bits of `value` from `position`.
#[inline(always)]
pub(crate) fn extract_field(value: u64, width: u32, position: u32, length: u32) -> u64 {
    let (position, length) = field_bounds(width, position, length);
    let value = if width == 32 { value & 0xffff_ffff } else { value };
    value.shift_right(position) & low_bits(length)
}

/// `bfe.s32` and `bfe.s64`: as the unsigned form, filled with the bit at min(position + length − 1, width − 1).
#[inline(always)]
pub(crate) fn extract_signed_field(value: u64, width: u32, position: u32, length: u32) -> u64 {
    let (position, length) = field_bounds(width, position, length);
    if length == 0 {
        return 0;
    }
    let sign = value >> (position + length - 1).min(width - 1) & 1;
    // Beyond the top bit of the value, and beyond the field, only the sign is left.
    let taken = length.min(width.saturating_sub(position));
    let field = if taken == 0 { 0 } else { extract_field(value, width, position, taken) };
    if sign == 1 { field | !low_bits(taken) } else { field }
}

/// `bfi`: the low `length` bits of `field` put into `base` at `position`.
#[inline(always)]
pub(crate) fn insert_field(field: u64, base: u64, width: u32, position: u32, length: u32) -> u64 {
    let (position, length) = field_bounds(width, position, length);
    if length == 0 || position >= width {
        return base;
    }
    let mask = low_bits(length).shift_left(position);
    base & !mask | field.shift_left(position) & mask
}

#[inline(always)]
fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// `bfind`: the position of the most significant bit that is not a sign, or all ones.
#[inline(always)]
pub(crate) fn find_top_bit(value: u64) -> u32 {
    63u32.wrapping_sub(value.leading_zeros())
}

/// `prmt.b32` in its default mode: each nibble of `selector` picks a byte of `b:a`, bit 3 replicates its sign.
#[inline(always)]
pub(crate) fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, i| {
        let nibble = selector >> (4 * i) & 0xf;
        let byte = (bytes >> (8 * (nibble & 7))) as u8;
        let byte = if nibble & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte };
        result | u32::from(byte) << (8 * i)
    })
}

/// The six other modes of `prmt`: the selector that the default mode needs for the same result.
/// Rows are `c & 3`; the four digits are the bytes of the result, most significant first (PTX ISA, `prmt`).
pub(crate) const PERMUTE_MODES: [(&str, [u32; 4]); 6] = [
    ("f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
    ("b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
    ("rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
    ("ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
    ("ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
    ("rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
];

/// `shf.l`: the upper word of `high:low` shifted left by at most 32.
#[inline(always)]
pub(crate) fn funnel_left(low: u32, high: u32, amount: u32) -> u32 {
    let value = u64::from(high) << 32 | u64::from(low);
    (value << amount >> 32) as u32
}

/// `shf.r`: the lower word of `high:low` shifted right by at most 32.
#[inline(always)]
pub(crate) fn funnel_right(low: u32, high: u32, amount: u32) -> u32 {
    let value = u64::from(high) << 32 | u64::from(low);
    (value >> amount) as u32
}

/// `lop3.b32`: the truth table `table` applied to each bit of a, b, c.
#[inline(always)]
pub(crate) fn logic3(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let term = |index: u32| {
        let pick = |bit: u32, value: u32| if index & bit != 0 { value } else { !value };
        let minterm = pick(4, a) & pick(2, b) & pick(1, c);
        minterm & 0u32.wrapping_sub(table >> index & 1)
    };
    (0..8).fold(0, |result, index| result | term(index))
}

/// `dp4a`: the dot product of four bytes added to `c`; signedness by operand.
#[inline(always)]
pub fn dot4(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    let byte = |word: u32, i: u32, signed: bool| {
        let byte = (word >> (8 * i)) as u8;
        if signed { i32::from(byte as i8) } else { i32::from(byte) }
    };
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32))
}

/// `dp2a`: two halves of `a` times two bytes of `b`, the upper ones if `high`.
#[inline(always)]
pub(crate) fn dot2(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    (0..2).fold(c, |sum, i| {
        let half = (a >> (16 * i)) as u16;
        let byte = (b >> (8 * i + if high { 16 } else { 0 })) as u8;
        let half = if a_signed { i32::from(half as i16) } else { i32::from(half) };
        let byte = if b_signed { i32::from(byte as i8) } else { i32::from(byte) };
        sum.wrapping_add((half * byte) as u32)
    })
}

/// The absolute difference of each pair of bytes.
#[inline(always)]
pub(crate) fn byte_differences(a: u32, b: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|byte| a[byte].abs_diff(b[byte])))
}

/// `bmsk`: ones in `[position, position + length)`.
#[inline(always)]
pub(crate) fn bit_mask(position: u32, length: u32) -> u32 {
    (low_bits(length.min(32)).shift_left(position)) as u32
}

/// `fns`: the position of the `offset`-th set bit of `mask` counted from `base`, upwards for positive offsets.
pub(crate) fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let (base, step) = (base as i32, if offset < 0 { -1 } else { 1 });
    let mut left = offset.unsigned_abs().max(1);
    if offset == 0 {
        return if (0..32).contains(&base) && mask >> base & 1 == 1 { base as u32 } else { u32::MAX };
    }
    let mut position = base;
    while (0..32).contains(&position) {
        if mask >> position & 1 == 1 {
            left -= 1;
            if left == 0 {
                return position as u32;
            }
        }
        position += step;
    }
    u32::MAX
}
