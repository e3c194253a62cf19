//! `f16` and `bf16`.

crate::harness::constructs! {
    "`f16` from and to `f32`" f16_conversion -> f32 |i, x, f| { let h = f16::from_f32(f[i] * 1.01); h.to_f32() * 2.0 }
    "`bf16` from and to `f32`" bf16_conversion -> f32 |i, x, f| { let h = bf16::from_f32(f[i] * 1.01); h.to_f32() * 2.0 }
    "`f16` arithmetic" f16_arithmetic -> f32 |i, x, f| { let (a, b) = (f16::from_f32(f[i] * 1.3), f16::from_f32(0.7)); ((a + b) * (a - b) / (b + f16::from_f32(2.0))).to_f32() }
    "`bf16` arithmetic" bf16_arithmetic -> f32 |i, x, f| { let (a, b) = (bf16::from_f32(f[i] * 1.3), bf16::from_f32(0.7)); ((a + b) * (a - b) / (b + bf16::from_f32(2.0))).to_f32() }
    "compound assignment of `f16`" f16_compound -> f32 |i, x, f| { let mut a = f16::from_f32(f[i]); a += f16::ONE; a *= f16::from_f32(1.1); a -= f16::from_f32(0.2); (-a).to_f32() }
    "comparison of `f16`" f16_comparison -> i32 |i, x, f| { let (a, b) = (f16::from_f32(f[i]), f16::from_f32(1.5)); (a < b) as i32 + (a == b) as i32 * 2 + (a >= f16::ZERO) as i32 * 4 }
    "`f16` bits" f16_bits -> u32 |i, x, f| { f16::from_f32(f[i] * 0.3).to_bits() as u32 + bf16::from_bits(0x3f80).to_bits() as u32 }
    "signs, classes and `total_cmp` of `f16` and `bf16`" half_classes -> i32 |i, x, f| {
        let (h, b) = (f16::from_f32(f[i] * [1.0, 1e-6, 1e6, 0.0][i % 4]), bf16::from_f32(f[i] * [1.0, 1e-39, 3e38, 0.0][i % 4]));
        let signs = h.is_sign_negative() as i32 + 2 * h.is_sign_positive() as i32 + 4 * b.is_sign_negative() as i32 + 8 * b.is_sign_positive() as i32;
        let orders = h.total_cmp(&f16::NEG_ZERO) as i32 * 3 + b.total_cmp(&bf16::NEG_ZERO) as i32;
        signs + 16 * h.is_normal() as i32 + 32 * b.is_normal() as i32 + 100 * orders + 10_000 * (h.signum().to_f32() + 3.0 * b.signum().to_f32()) as i32
    }
    "constants of `f16` and `bf16`" half_constants -> f32 |i, x, f| {
        let h = (f16::PI + f16::from_f32(f[i])) * f16::NEG_ONE * f16::LN_2;
        h.to_f32() + (bf16::SQRT_2 - bf16::NEG_ONE).to_f32() + (f16::MIN_POSITIVE_SUBNORMAL.to_bits() ^ f16::NEG_ZERO.to_bits() ^ f16::MAX_SUBNORMAL.to_bits()) as f32
    }
    "arrays of `f16`" f16_array -> f32 |i, x, f| { let mut a = [f16::ZERO; 4]; a[i % 4] = f16::from_f32(f[i]); (a[0] + a[1] + a[2] * a[3]).to_f32() }
    "`f16` and `f64`" f16_double -> f64 |i, x, f| { f16::from_f64(f[i] as f64 * 1.00001).to_f64() * 3.0 }
    "`E2M3`, `E3M2` and `E2M1`" few_bits -> f32 |i, x, f| { E2M3::from_f32(f[i]).to_f32() + 10.0 * E3M2::from_f32(f[i]).to_f32() + E2M1::from_f32(f[i] * 0.3).to_f32() }
    "`E2M1x2`" pair_of_four_bits -> u32 |i, x, f| { let two = E2M1x2::from_f32([f[i], 0.5]); two.to_bits() as u32 + two.high().to_bits() as u32 * 256 + (two == E2M1x2::new(two.low(), E2M1::EPSILON)) as u32 * 65536 }
    "`UE4M3` and `E8M0`" scales_of_blocks -> f32 |i, x, f| { UE4M3::from_f32(f[i]).to_f32() * E8M0::from_f32(f[i]).to_f32() + E8M0::from_f32_down(f[i]).to_f32() }
    "`f16` in a loop" f16_loop -> f32 |i, x, f| { let mut s = f16::ZERO; for k in 0..10 { s += f16::from_f32(f[(i + k) % 50] * 0.25); } s.to_f32() }
}
