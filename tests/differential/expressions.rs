//! Operators, casts, methods, conditions.

use crate::harness::cases;

mod kernels {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn integers(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let a = ints[i];
        let b = ints[(i * 7 + 3) % ints.len()];
        let d = b | 1;
        let quotient = if d == -1 { 0 } else { a / d + a % d };
        let wide = (a as i64) * (b as i64) - 5;
        let small = (a as i8) * (b as i8) + (n as i8);
        let unsigned = (a as u16) / ((b as u16) | 1);
        let mix = (a & b) ^ (a | n) ^ !b ^ (a << b) ^ (a >> (b & 63)) ^ -a;
        out[i] = (a + b * n - quotient + mix) as u64 ^ wide as u64 ^ (small as u64) << 8 ^ unsigned as u64;
        results[i] = floats[i];
    }

    #[kernel]
    pub fn floats(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let a = floats[i];
        let b = floats[(i * 5 + 1) % floats.len()];
        let c = ints[i] as f32;
        let fused = a * b + c - b * c;
        let wide = (a as f64) * (b as f64) / (c as f64 + 0.5);
        let mut sum = a.sqrt() + b.abs().recip();
        sum += a * 0.1;
        sum -= b * c;
        sum /= n as f32;
        results[i] = fused + sum;
        out[i] = (wide as i64) as u64;
    }

    #[kernel(fp_contract(off))]
    pub fn floats_not_contracted(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let mut sum = floats[i] * 1.1 + n as f32;
        sum += sum * 3.3;
        results[i] = sum - floats[i] * 0.7;
        out[i] = ints[i] as u64;
    }

    #[kernel]
    pub fn rounding_and_ends(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let x = floats[i];
        let y = floats[(i + 1) % floats.len()];
        let rounded = x.floor() + x.ceil() * 2.0 + x.trunc() * 3.0 + x.round_ties_even() * 5.0;
        let ends = x.min(y) + x.max(y) * 0.5 + x.clamp(-1.0, n as f32);
        results[i] = rounded + ends + x.mul_add(y, 1.0) + x.copysign(ints[i] as f32);
        let class = (x.is_nan() as u64) + (x.is_infinite() as u64) * 2 + (x.is_finite() as u64) * 4;
        out[i] = class + 8 * ((ints[i] as f32).to_bits() as u64) + (f32::from_bits(7).to_bits() as u64);
    }

    #[kernel]
    pub fn casts(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let f = floats[i];
        let k = ints[i];
        let mut all = (f as i8) as u64;
        all = all * 31 + (f as u8) as u64;
        all = all * 31 + (f as i16) as u64;
        all = all * 31 + (f as u16) as u64;
        all = all * 31 + (f as i32) as u64;
        all = all * 31 + (f as u32) as u64;
        all = all * 31 + (f as i64) as u64;
        all = all * 31 + f as u64;
        all = all * 31 + (f as f64 * 1e10) as u64;
        all = all * 31 + (k as u8 as i64) as u64;
        all = all * 31 + (k as i16 as u32) as u64;
        out[i] = all + (n as usize) as u64 + ((k > 3) as u64);
        results[i] =
            (k as i64 * 1_000_003) as f32 + (k as u64) as f32 + (k as f64 / 3.0) as f32 + (k as u8) as f32;
    }

    #[kernel]
    pub fn methods(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let a = ints[i];
        let b = ints[(i + 11) % ints.len()];
        let u = a as u32;
        let w = (a as u64) << 17 ^ b as u64;
        let mut all = (a.min(b) as u64) * 3 + (a.max(b) as u64) * 5 + (a.clamp(-100, n) as u64) * 7;
        all ^= (a.abs() as u64) ^ (a.signum() as u64) ^ (a.abs_diff(b) as u64) ^ (a.unsigned_abs() as u64);
        all += (u.count_ones() + u.count_zeros() * 2 + u.leading_zeros() * 3 + u.trailing_zeros() * 5) as u64;
        all += (w.count_ones() + w.leading_zeros() * 3 + w.trailing_zeros() * 5) as u64;
        all ^= (u.rotate_left(5) ^ u.rotate_right(b as u32) ^ u.reverse_bits() ^ u.swap_bytes()) as u64;
        all ^= w.rotate_left(45) ^ w.reverse_bits() ^ w.swap_bytes();
        let byte = a as u8;
        let short = b as i16;
        all += (byte.leading_zeros() + byte.rotate_left(3) as u32 + byte.reverse_bits() as u32) as u64;
        all += (short.swap_bytes() as u64) ^ (short.rotate_right(7) as u64) ^ (short.leading_zeros() as u64);
        all += u.is_power_of_two() as u64;
        all += a.wrapping_add(b).wrapping_sub(7).wrapping_mul(n).wrapping_neg() as u64;
        all ^= (a.wrapping_shl(b as u32) as u64) ^ (a.wrapping_shr(40) as u64);
        out[i] = all;
        results[i] = floats[i];
    }

    #[kernel]
    pub fn conditions(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        const LIMIT: i32 = 100;
        const SCALE: f32 = 1.0 / 3.0;
        let i = global_idx().x;
        if i >= out.len() || i >= 300 {
            return;
        }
        let a = ints[i];
        let f = floats[i];
        let kind: u64 = if a < 0 && f > 0.0 || a == n {
            1
        } else if !(f <= 1.0) {
            2
        } else {
            let a = a & 0xff;
            if a > LIMIT { 3 } else { 4 }
        };
        let both = (a > 5) & (f < 2.0) | (a < -5) ^ (f != f);
        let ordered = (a > 0) < (f > 0.0);
        let late;
        if both {
            late = 10;
        } else {
            late = 20;
        }
        out[i] = kind * 100 + late + (both as u64) * 1000 + (ordered as u64) * 2000;
        results[i] = SCALE * f;
    }

    #[kernel]
    pub fn updates(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        results[i] = floats[i];
        results[i] += floats[(i + 1) % 64] * 2.0;
        results[i] *= 0.5;
        out[i] = ints[i] as u64;
        out[i] += 17;
        out[i] ^= n as u64;
        out[i] <<= 3 + (i & 1);
        out[i] %= 1_000_003;
        out[i] |= 1 << 40;
    }
}

cases! { kernels:
    integers: 4, 128;
    floats: 4, 128;
    floats_not_contracted: 4, 128;
    rounding_and_ends: 4, 128;
    casts: 4, 128;
    methods: 4, 128;
    conditions: 5, 128;
    updates: 2, 256;
}
