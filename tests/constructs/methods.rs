//! Methods of numbers whose results are exact.

crate::harness::constructs! {
    "`abs`, `signum`, `min`, `max`, `clamp` of integers" integer_methods -> i32 |i, x, f| { x[i].abs() + x[i].signum() * 100 + x[i].min(3) + x[i].max(-3) + x[i].clamp(-10, 10) }
    "`min`, `max`, `clamp` before an integer's type is decided" undecided_integers -> i32 |i, x, f| {
        let (mut best, mut least, mut count) = (0, 100, 0);
        for k in 0..5 {
            let value = x[(i + k) % 50];
            best = best.max(value);
            least = least.min(value).wrapping_add(1);
            count = 3.max(count.clamp(0, 9) + 1);
        }
        let bits: u8 = 7.min(i as u8);
        best * 100 + least + count + bits as i32
    }
    "`abs`, `min`, `max`, `clamp`, `copysign` of floats" float_methods -> f32 |i, x, f| { f[i].abs() + f[i].min(1.5) * 2.0 + f[i].max(-1.5) + f[i].clamp(-2.0, 3.0) + 1.0f32.copysign(f[i]) }
    "`sqrt` and `recip`" sqrt_recip -> f32 |i, x, f| { f[i].abs().sqrt() + (f[i] - 0.1).recip() }
    "`mul_add`" mul_add -> f32 |i, x, f| { f[i].mul_add(1.1, -0.3) + 0.1f32.mul_add(f[i], f[i]) }
    "`floor`, `ceil`, `trunc`, `round`, `round_ties_even`, `fract`" rounding -> f32 |i, x, f| { f[i].floor() + f[i].ceil() * 3.0 + f[i].trunc() * 5.0 + f[i].round() * 7.0 + f[i].round_ties_even() * 11.0 + f[i].fract() }
    "`signum`, `to_degrees`, `to_radians` of floats" float_more -> f32 |i, x, f| { f[i].signum() + f[i].to_radians() * 2.0 }
    "`rem_euclid` and `div_euclid`" euclid -> i32 |i, x, f| { x[i].rem_euclid(7) * 100 + x[i].div_euclid(7) }
    "`is_nan`, `is_finite`, `is_infinite`, `is_sign_negative`" float_class -> i32 |i, x, f| { let v = f[i] / (x[i] / 40) as f32; v.is_nan() as i32 + v.is_finite() as i32 * 2 + v.is_infinite() as i32 * 4 + (!v.is_nan() && v.is_sign_negative()) as i32 * 8 }
    "`to_bits` and `from_bits`" float_bits -> f32 |i, x, f| { f32::from_bits(f[i].to_bits() ^ 0x8000_0000) + f32::from_bits(0x3f80_0000) }
    "wrapping arithmetic" wrapping -> i32 |i, x, f| { x[i].wrapping_mul(0x7fff_1234).wrapping_add(i32::MAX).wrapping_sub(77).wrapping_neg() }
    "arithmetic without overflow by `unchecked_add`, `unchecked_sub`, `unchecked_mul`" unchecked_arithmetic -> i64 |i, x, f| { unsafe { ((x[i] as i8 as i16).unchecked_mul(i as i16 % 90).unchecked_sub(200) as i64).unchecked_add((i as u32).unchecked_mul(3) as i64) } }
    "saturating arithmetic" saturating -> i32 |i, x, f| { (x[i] as i8).saturating_add(100) as i32 + (x[i] as u8).saturating_sub(100) as i32 + x[i].saturating_mul(100_000_000) / 1000 }
    "checked arithmetic" checked -> i32 |i, x, f| { (x[i] as i8).checked_add(100).map_or(-1, |v| v as i32) + x[i].checked_div(i as i32 % 3).unwrap_or(-7) + (x[i] as u32).checked_sub(5).is_some() as i32 }
    "overflowing arithmetic" overflowing -> i32 |i, x, f| { let (v, o) = (x[i] as i8).overflowing_add(100); v as i32 * 2 + o as i32 }
    "`pow`" power -> i64 |i, x, f| { (x[i] as i64).pow(3) + (i as i64 % 7).pow(i as u32 % 9) }
    "`isqrt`, `ilog2`, `ilog10`" integer_roots -> u32 |i, x, f| { let v = i as u32 * 997 + 1; v.isqrt() * 100 + v.ilog2() * 10 + v.ilog10() }
    "`ilog10` of 128 bits" wide_ilog10 -> u32 |i, x, f| {
        let v = (i as u128 * 0x9e37_79b9_7f4a_7c15 + 1) << (i % 65);
        let w = i128::MAX / (x[i] as i128 * x[i] as i128 + 1);
        v.ilog10() + 100 * w.ilog10() + 10_000 * v.checked_ilog10().unwrap_or(99) + 1_000_000 * (x[i] as i128).checked_ilog10().unwrap_or(99)
    }
    "`then` and `then_some` of `bool`" bool_then -> i32 |i, x, f| { (x[i] > 0).then_some(x[i]).unwrap_or(9) + (x[i] % 3 == 0).then(|| x[(i + 1) % 50] * 2).map_or(-5, |v| v + 1) }
    "ASCII characters" ascii -> u32 |i, x, f| {
        let c = (i * 5 + (x[i] & 7) as usize) as u8;
        let bits = [c.is_ascii(), c.is_ascii_digit(), c.is_ascii_hexdigit(), c.is_ascii_uppercase(), c.is_ascii_lowercase(), c.is_ascii_alphabetic(),
            c.is_ascii_alphanumeric(), c.is_ascii_whitespace(), c.is_ascii_graphic(), c.is_ascii_punctuation(), c.is_ascii_control()];
        let mut s = c.to_ascii_uppercase() as u32 * 256 + c.to_ascii_lowercase() as u32;
        for b in bits { s = s * 2 + b as u32; }
        s
    }
    "counting bits" bit_counts -> u32 |i, x, f| { let v = x[i] as u32; v.count_ones() + v.leading_zeros() * 3 + v.trailing_zeros() * 5 + (!v).leading_ones() + (!v).trailing_ones() }
    "rotations and reversals" bit_moves -> u32 |i, x, f| { let v = x[i] as u32; v.rotate_left(5) ^ v.rotate_right(3) ^ v.reverse_bits() ^ v.swap_bytes() }
    "`next_power_of_two`, `is_power_of_two`, `div_ceil`, `next_multiple_of`" powers_of_two -> u32 |i, x, f| { let v = i as u32; v.next_power_of_two() + v.is_power_of_two() as u32 * 1000 + v.div_ceil(7) * 3 + v.next_multiple_of(8) }
    "`abs_diff` and `unsigned_abs`" differences -> u32 |i, x, f| { x[i].abs_diff(13) + x[i].unsigned_abs() }
    "methods by path" methods_by_path -> f32 |i, x, f| { f32::max(f[i], 1.0) + i32::abs(x[i]) as f32 + f32::sqrt(4.0) }
    "methods of literals and of expressions" methods_of_expressions -> i32 |i, x, f| { (x[i] + 3).abs().min(20).pow(2) + 7i32.max(x[i]) }
    "methods of `f64`" double_methods -> f64 |i, x, f| { let d = f[i] as f64; d.abs().sqrt() + d.floor() * 2.0 + d.mul_add(1.1, 0.7) + d.max(0.3) + d.round() }
    "`midpoint` and `powi`-free powers" integer_midpoint -> u32 |i, x, f| { (i as u32).midpoint(77) }
    "`total order` by bits" ordering_by_bits -> i32 |i, x, f| { let b = f[i].to_bits() as i32; b ^ (((b >> 31) as u32) >> 1) as i32 }
    "signed and unsigned together" mixed_signs -> u64 |i, x, f| {
        let (v, w) = (i as u32, x[i] as i64);
        let s = v.wrapping_add_signed(x[i]) as u64 + v.saturating_add_signed(x[i]) as u64 * 3 + v.checked_add_signed(x[i]).map_or(9, |v| v as u64) * 5;
        let t = (x[i] as i8).wrapping_add_unsigned(i as u8 * 5) as u64 ^ w.wrapping_sub_unsigned(7) as u64;
        s ^ t ^ (250u8.saturating_add_signed(x[i] as i8) as u64) << 40
    }
    "`checked_rem_euclid` and `checked_div_euclid`" checked_euclid -> i32 |i, x, f| { let b = x[49 - i] % 3; x[i].checked_rem_euclid(b).unwrap_or(50) * 100 + x[i].checked_div_euclid(b).unwrap_or(60) }
    "ASCII methods by their paths, and of byte strings" ascii_paths -> u32 |i, x, f| {
        let c = [(i * 5) as u8, b'K', x[i] as u8];
        let s = c.iter().filter(|b| b.is_ascii_alphabetic()).count() as u32 + c.iter().any(u8::is_ascii_digit) as u32 * 10;
        s + b"gpu"[..i % 4].eq_ignore_ascii_case(&b"GPU"[..3 - i % 2]) as u32 * 100
    }
    "`try_from` and `try_into` of integers" try_from_integers -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Even(u8);
        #[derive(Clone, Copy)] enum Wrong { Odd, Range }
        impl From<core::num::TryFromIntError> for Wrong { fn from(_: core::num::TryFromIntError) -> Wrong { Wrong::Range } }
        impl TryFrom<i32> for Even {
            type Error = Wrong;
            fn try_from(v: i32) -> Result<Even, Wrong> { let byte = u8::try_from(v)?; if byte & 1 == 0 { Ok(Even(byte)) } else { Err(Wrong::Odd) } }
        }
        fn taken(e: Even) -> i32 { e.0 as i32 }
        fn half(v: i32) -> Result<i32, Wrong> { Ok(taken(v.try_into()?) / 2) }
        let code = match half(x[i]) { Ok(v) => v, Err(Wrong::Odd) => 1000, Err(Wrong::Range) => 2000 };
        let narrow: i8 = (x[i] as i64 * 3).try_into().unwrap_or(i8::MIN);
        let index: usize = usize::try_from(x[i]).unwrap_or(50);
        let signed = i64::try_from(x[i] as i64 as u64).is_ok() as i32;
        let same = u32::try_from(7u32).unwrap() as i32;
        code + narrow as i32 * 3 + index as i32 * 7 + signed * 11 + same + i32::try_from(x[i] as i64 * 100_000_000).map_or(13, |v| v / 1000)
    }
    "`trim_ascii` and its like" trim_ascii -> i32 |i, x, f| {
        let text = b"  \t ab c\n ";
        let part = &text[i % 5..text.len() - i % 3];
        (part.trim_ascii().len() * 10_000 + part.trim_ascii_start().len() * 100 + part.trim_ascii_end().len()) as i32 + part.trim_ascii().first().map_or(0, |c| *c as i32)
    }
    "`as` between floats and `u128`, `i128`" wide_float_casts -> i32 |i, x, f| {
        let big = f[i] as f64 * 1.0e30;
        let (u, s) = (big as u128, big as i128);
        let edges = [f32::INFINITY as u128, f32::NAN as u128, (f[i] * 3.0e38) as u128, 1.9e19f32 as u128];
        let signed = [f64::NEG_INFINITY as i128, -1.8e38f64 as i128, (f[i] * 2.0e37) as i128, f[i] as i128];
        let fold = |s: i32, v: u128| s.wrapping_mul(31).wrapping_add((v >> 96) as i32 ^ (v >> 40) as i32 ^ v as i32);
        let all = edges.iter().fold(fold(0, u), |t, v| fold(t, *v));
        signed.iter().fold(fold(all, s as u128), |t, v| fold(t, *v as u128)).wrapping_add((u as f32 as i128 as f64 == s as f64) as i32)
    }
    "references to numbers of the library as operands" library_references -> i32 |i, x, f| {
        let words = [core::num::Wrapping(x[i]), core::num::Wrapping(i32::MAX)];
        let total = words.iter().fold(core::num::Wrapping(1), |t, v| t * v + (v - words[0]));
        let wide = [x[i] as i128, -3, 1 << 50];
        let mut sum = 0i128;
        for v in &wide { sum += v; }
        let even = wide.iter().filter(|v| *v % 2 == 0).map(|v| v * v + (v << 3)).sum::<i128>();
        total.0 ^ (sum >> 40) as i32 ^ (even >> 60) as i32 ^ even as i32
    }
    "ranges of `u128` and `i128`" wide_ranges -> i32 |i, x, f| {
        let (first, last) = (u128::from(x[i] as u32 % 9) - 0, u128::from(i as u32 % 16));
        let mut sum = 0;
        for k in first..last { sum += k << 70; }
        for k in (1..=last).rev().step_by(2) { sum = sum * 3 + k; }
        let kept: i128 = (-3..last as i128).filter(|k| k % 2 == 0).map(|k| -1 * k * k).sum();
        let few = (first..1 << 100).contains(&last);
        (sum >> 64) as i32 + sum as i32 + kept as i32 + few as i32
    }
    "methods of `i128` that round down or check" wide_euclid -> i32 |i, x, f| {
        let v = (x[i] as i128 - 25) << 66;
        let d = i128::from(x[(i + 1) % 50]) - 20;
        let d = if d == 0 { 7 } else { d };
        let product = v.checked_mul(d << 60).unwrap_or(11) ^ v.saturating_mul(d << 50) ^ v.checked_pow(2).unwrap_or(3);
        (v.div_euclid(d) >> 60) as i32 ^ v.rem_euclid(d) as i32 ^ (product >> 96) as i32 ^ product as i32 ^ v.abs_diff(d).ilog2() as i32
    }
    "`sum` and `product` of `u128` and `i128`" wide_sums -> i32 |i, x, f| {
        let total: i128 = x[..=i].iter().map(|v| *v as i128 * i128::from(*v) << 60).sum();
        let product = [3u128, 1 << 50, (i + 1) as u128].iter().product::<u128>();
        let referenced: u128 = [product, 7, u128::MAX >> 3].iter().sum();
        (total >> 70) as i32 ^ (referenced >> 90) as i32 ^ (product >> 40) as i32
    }
    "civil dates" civil_dates -> i32 |i, x, f| {
        const fn is_leap(year: i32) -> bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        let z = x[i] * 5000 + 719_468;
        let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097) as u32);
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
        let year = yoe as i32 + era * 400 + (month <= 2) as i32;
        year * 10_000 + month as i32 * 100 + day as i32 + is_leap(year) as i32 * 50
    }
    "modular arithmetic by `u128`" modular_wide -> i32 |i, x, f| {
        const P: u64 = 0xffff_ffff_0000_0001;
        fn mul(a: u64, b: u64) -> u64 { (a as u128 * b as u128 % P as u128) as u64 }
        fn pow(mut base: u64, mut n: u64) -> u64 { let mut power = 1; while n > 0 { if n & 1 == 1 { power = mul(power, base); } base = mul(base, base); n >>= 1; } power }
        let v = (x[i] as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % P;
        let inverse = pow(v, P - 2);
        (mul(v, inverse) == (v != 0) as u64) as i32 * 1000 + (inverse >> 40) as i32
    }
    "multiplication of 256 bits by limbs and carries" limbs -> i32 |i, x, f| {
        let a: [u64; 4] = core::array::from_fn(|k| (x[(i + k) % 50] as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut out = [0u64; 4];
        for (k, &p) in a.iter().enumerate() {
            let mut carry = 0u128;
            for (j, &q) in a.iter().enumerate().take(4 - k) { let t = p as u128 * q as u128 + out[k + j] as u128 + carry; out[k + j] = t as u64; carry = t >> 64; }
        }
        let mut carry = false;
        for (limb, &add) in out.iter_mut().zip(&a) { let (sum, first) = limb.overflowing_add(add); let (sum, second) = sum.overflowing_add(carry as u64); *limb = sum; carry = first | second; }
        let zeros = out.iter().rev().position(|&limb| limb != 0).map_or(256, |at| at as u32 * 64 + out[3 - at].leading_zeros());
        out.iter().fold(zeros as i32 + carry as i32, |s, limb| s ^ (limb >> 13) as i32 ^ *limb as i32) + a.iter().rev().cmp(out.iter().rev()) as i32
    }
    "`core::num::Wrapping`" wrapping_type -> i32 |i, x, f| {
        use core::num::Wrapping; let mut s = Wrapping(x[i] as u32); for _ in 0..3 { s = s * Wrapping(1664525) + Wrapping(1013904223); s ^= s >> 16; s <<= 1; s -= Wrapping(!s.0); s = -s / Wrapping(3); } s.0 as i32
    }
    "roots, logarithms and powers of integers in one expression" int_methods -> i32 |i, x, f| {
        let v = x[i]; let u = (v + 50) as u32; v.pow(2) + v.signum() + u.isqrt() as i32 + u.checked_ilog2().unwrap_or(0) as i32 + v.checked_neg().unwrap_or(0) + v.wrapping_abs() + u.is_multiple_of(3) as i32 + u.checked_next_power_of_two().unwrap_or(1) as i32 + i32::midpoint(v, 7) + v.saturating_pow(3) % 1000
    }
    "methods of floats in one expression" float_expression -> f32 |i, x, f| {
        let v = f[i]; v.rem_euclid(3.0) + v.abs().sqrt().mul_add(2.0, 1.0) + v.copysign(-1.0) + v.to_radians() + v.clamp(-1.0, 1.0) + (v as i32 as f32).max(v.fract()) + v.hypot(2.0).recip() + f32::from(3u8) + v.total_cmp(&0.0) as i32 as f32 + v.is_sign_negative() as i32 as f32
    }
    "`core::num::Saturating`" saturating_type -> i32 |i, x, f| {
        use core::num::Saturating; let mut s = Saturating(x[i] as i8); s += Saturating(90); s = s * Saturating(2) - Saturating(30); s /= Saturating(3); let u = Saturating(x[i] as u8) - Saturating(200); s |= Saturating(1); (-s).0 as i32 + u.0 as i32 * 3 + Saturating(x[i]).pow(9).0 / 7 + Saturating::<u8>::MAX.0 as i32
    }
    "`core::num::NonZeroU32` and its like" non_zero -> i32 |i, x, f| {
        use core::num::{NonZero, NonZeroI32, NonZeroU32, NonZeroU64};
        #[derive(Clone, Copy, PartialEq)] struct Id(NonZeroU32);
        impl Id { fn at(i: usize) -> Option<Self> { NonZeroU32::new(i as u32 % 5).map(Self) } }
        const SEVEN: NonZeroU32 = NonZeroU32::new(7).unwrap();
        let d = NonZeroU32::new(x[i].unsigned_abs() % 9).unwrap_or(SEVEN);
        let signed = NonZeroI32::new(x[i]).map_or(-1, |v| v.unsigned_abs().get() as i32 + v.is_negative() as i32);
        let wide = NonZeroU64::new(i as u64).and_then(|n| n.checked_mul(NonZero::new(3)?)).map_or(0, NonZeroU64::get);
        let id = Id::at(i).map_or(0, |id| id.0.get()) + u32::from(Id::at(i) == Id::at(i + 5)) * 100;
        let tried: Result<NonZeroU32, _> = (i as u32 % 3).try_into();
        (1000u32 / d + 1000 % d) as i32 + signed * 3 + wide as i32 + id as i32 + (d | 8).leading_zeros() as i32 + d.ilog2() as i32 + (d > SEVEN) as i32 + tried.is_ok() as i32 + u32::from(d.saturating_add(2)) as i32
    }
    "`try_from` and `try_into` of `u128` and `i128`, and their bytes" wide_conversions -> i32 |i, x, f| {
        let v = x[i] as i128 * 0x1234_5678_9abc_def0_1234; let u = v as u128;
        let tried = [u64::try_from(u >> 40).is_ok(), u128::try_from(x[i]).is_ok(), i64::try_from(v).is_err(), i128::try_from(u).is_ok(), u8::try_from(x[i] as u128 & 0x1ff).is_ok()];
        let small: u32 = ((x[i] as u128) & 0xffff).try_into().unwrap_or(7); let wide: u128 = x[i].try_into().unwrap_or(9);
        let (le, be) = (u.to_le_bytes(), v.to_be_bytes());
        let back = (u128::from_le_bytes(le) == u) as i32 + (i128::from_be_bytes(be) == v) as i32 * 2;
        tried.iter().fold(0, |s, b| s * 2 + *b as i32) + small as i32 + wide as i32 + (le[3] ^ be[2]) as i32 + back * 100
    }
    "`Wrapping` and `Saturating` with an integer assigned by an operator" wrapper_assigned -> i32 |i, x, f| {
        use core::num::{Saturating, Wrapping};
        trait Meter { type Raw; fn record(&mut self, amount: Self::Raw); } impl Meter for Saturating<u8> { type Raw = u8; fn record(&mut self, amount: u8) { *self += amount; } } impl Meter for Wrapping<i16> { type Raw = i16; fn record(&mut self, amount: i16) { *self -= amount; } }
        let (mut a, mut b) = (Saturating(200u8), Wrapping(i16::MIN + 3));
        a.record(x[i] as u8);
        b.record(x[i] as i16);
        b += 1;
        b ^= 5;
        a.0 as i32 * 7 + b.0 as i32
    }
    "operators of literals that turn out to be of 128 bits" wide_literals -> u64 |i, x, f| {
        fn divisor(n: u128) -> u128 { let mut d = 2; while d * d <= n && n % d != 0 { d += 1; } if d * d > n { n } else { d } }
        let n = (x[i].unsigned_abs() as u128 % 500) + 2;
        let mut sign = -1; sign *= -3; sign = -sign; let signed: i128 = sign; let shifted = { let mut one = 1; one <<= 70; one | n };
        divisor(n) as u64 + (signed == -3) as u64 * 1000 + (shifted >> 64) as u64 * 10_000
    }
    "conversions whose target what follows decides" decided_later -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Card { rank: u8 }
        impl TryFrom<u8> for Card { type Error = (); fn try_from(v: u8) -> Result<Self, ()> { if v < 40 { Ok(Card { rank: v % 13 + 2 }) } else { Err(()) } } }
        fn deal(from: &[u8]) -> Option<i32> {
            let mut hand = [Card { rank: 0 }; 3];
            for (slot, &card) in hand.iter_mut().zip(from) { *slot = card.try_into().ok()?; }
            Some(hand.iter().map(|card| card.rank as i32).sum())
        }
        let by = x[i] as i8; let at = (i * 3).checked_add_signed(by.into()).map_or(-1, |at| at as i32);
        let cards = [i as u8, 7, x[i] as u8]; let narrow: i16 = x[i].try_into().unwrap_or(-7);
        deal(&cards).unwrap_or(-100) * 1000 + at + i32::from(narrow)
    }
    "letters of byte strings made capitals in place" make_ascii -> i32 |i, x, f| {
        let mut bytes = *b"abcX-z";
        let (used, left) = bytes.split_at_mut(i % 5);
        used.make_ascii_uppercase();
        left.make_ascii_lowercase();
        let mut last = bytes[5];
        last.make_ascii_uppercase();
        bytes.iter().fold(0, |sum, byte| sum * 3 + *byte as i32) + last as i32
    }
    "`Pcg32` and `Philox4x32`" random_numbers -> f64 |i, x, f| {
        let mut pcg = Pcg32::new(x[i] as u64, i as u64);
        let mut philox = Philox4x32::new(0x1234_5678_9abc ^ x[i] as u64, i as u64 | 7 << 40);
        let mut sum = 0.0;
        for k in 0..i {
            let number = if k % 3 == 0 { philox.next_f64() } else { pcg.next_f32() as f64 };
            sum = sum * 0.5 + number;
            if k % 7 == 2 { philox.skip(k as u64 % 11); pcg.skip(x[k].unsigned_abs() as u64); }
            if k % 5 == 4 { let [a, b, c, d] = philox.next_block(); sum += (a ^ b ^ c ^ d) as f64; }
        }
        let kept = philox;
        let words = Philox4x32::block([i as u32, 3], [x[i] as u32, 0, u32::MAX, 1]);
        const FIRST: u32 = { let mut rng = Pcg32::new(42, 54); rng.next_u32() };
        sum + (philox.next_u64() ^ pcg.next_u64()) as f64 + (kept == philox) as i32 as f64 + words[i % 4] as f64 + FIRST as f64
    }
}
