//! Vectors of a few lanes.

crate::harness::constructs! {
    "making a vector, its lanes" vector_lanes -> f32 |i, x, f| { let v = F32x4::new(f[i], 1.0, 2.0, 3.0); v.x * v.y + v.z * v.w }
    "`splat`" vector_splat -> f32 |i, x, f| { let v = F32x2::splat(f[i]); v.x + v.y }
    "arithmetic by lane" vector_arithmetic -> f32 |i, x, f| { let a = F32x4::new(f[i], 1.0, -2.0, 0.5); let b = F32x4::splat(3.0); let c = (a + b) * a - b / F32x4::new(1.0, 2.0, 4.0, 8.0); c.x + c.y * 2.0 + c.z * 4.0 + c.w * 8.0 }
    "a scalar on the right" vector_scalar -> f32 |i, x, f| { let a = F32x2::new(f[i], 1.5) * 2.0 + 1.0; a.x - a.y }
    "compound assignment of vectors" vector_compound -> f32 |i, x, f| { let mut a = F32x2::splat(f[i]); a += F32x2::new(1.0, 2.0); a *= a; a.x = a.y + 1.0; a.x * a.y }
    "negation of vectors" vector_negation -> f32 |i, x, f| { let a = -F32x2::new(f[i], 2.0); a.x * a.y }
    "lanes by index" vector_index -> f32 |i, x, f| { let mut a = F32x4::new(1.0, 2.0, 3.0, 4.0); a[1] = f[i]; a[i % 4] + a[1] }
    "arrays and vectors" vector_arrays -> f32 |i, x, f| { let a = F32x4::from_array([f[i], 2.0, 3.0, 4.0]); let b = a.to_array(); b[0] * b[3] }
    "`min`, `max`, `abs`, `sqrt`, `mul_add`, `sum`" vector_methods -> f32 |i, x, f| { let a = F32x4::new(f[i], -1.0, 2.0, 4.0); let b = a.abs().sqrt().min(F32x4::splat(1.9)).max(F32x4::splat(0.5)); a.mul_add(b, F32x4::splat(1.0)).sum() }
    "vectors of integers" vector_integers -> u32 |i, x, f| { let a = U32x4::new(x[i] as u32 & 0xff, 1, 2, 3); let b = a + U32x4::splat(5) * a; b.x + b.y * 10 + b.z * 100 + b.w * 1000 }
    "signed vectors" vector_signed -> i32 |i, x, f| { let a = I32x2::new(x[i], 7) - I32x2::new(3, 9); a.x * a.y }
    "`F64x2`" vector_doubles -> f64 |i, x, f| { let a = F64x2::new(f[i] as f64, 0.1) * F64x2::splat(0.3); a.x + a.y }
    "loads from a slice" vector_load -> f32 |i, x, f| { let v = F32x4::load(f, i % 12 * 4); v.x + v.y * 2.0 + v.z * 3.0 + v.w * 4.0 }
    "stores to a slice" vector_store -> f32 |i, x, f| { let mut a = [0.0; 8]; F32x2::new(f[i], 2.0).store(&mut a, i % 4 * 2); a[0] + a[1] * 2.0 + a[2] * 3.0 + a[5] * 4.0 + a[6] }
    "`F16x2`" vector_half -> f32 |i, x, f| { let a = F16x2::new(f16::from_f32(f[i]), f16::from_f32(0.3)); let b = a * a + F16x2::splat(f16::ONE); b.x.to_f32() + b.y.to_f32() }
    "`F16x8` and `Bf16x4`" vector_more_halves -> f32 |i, x, f| { let a = F16x8::splat(f16::from_f32(f[i])); let b = Bf16x4::splat(bf16::from_f32(f[i])); let c = b + b; a.sum().to_f32() + c.x.to_f32() }
    "comparison of vectors" vector_equality -> i32 |i, x, f| { (I32x2::new(x[i] & 1, 2) == I32x2::new(1, 2)) as i32 }
    "vectors in structs, functions and loops" vector_everywhere -> f32 |i, x, f| { #[derive(Clone, Copy)] struct S { v: F32x2 } fn step(s: S, k: f32) -> S { S { v: s.v * k + 1.0 } } let mut s = S { v: F32x2::new(f[i], 0.5) }; for k in 0..5 { s = step(s, k as f32 * 0.25); } s.v.x + s.v.y }
}
