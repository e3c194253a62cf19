//! Constructs of the language.

use super::{check, check_body};
use expect_test::expect;

#[test]
fn saxpy() {
    check(
        "#[kernel(launch_bounds(256, 8))] pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            if i < y.len() { y[i] = a * x[i] + y[i]; }
        }",
        expect![[r#"
            max_threads 256, min_blocks 8
            fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
                let i: usize = GlobalIdx() -> Dim3.x;
                if.() Lt.usize(i, Len(y) -> usize) {
                    y[i] = Add.f32(Mul.f32(a, x[i]), y[i]);
                }
            }"#]],
    );
}

#[test]
fn every_scalar_type() {
    check(
        "fn k(a: bool, b: i8, c: i16, d: i32, e: i64, f: isize, g: u8, h: u16, i: u32, j: u64, k: usize, l: f32, m: f64) {
            let _ = -128i8; let _ = 255u8; let _ = -2_147_483_648; let _ = 0xffff_ffffu32; let _ = 1e3f32; let _ = 1f64;
            let _ = 18446744073709551615u64; let _ = b'a'; let _ = 1_000.5; let _ = true;
        }",
        expect![[r#"
            fn k(a: bool, b: i8, c: i16, d: i32, e: i64, f: isize, g: u8, h: u16, i: u32, j: u64, k: usize, l: f32, m: f64) {
                let _ = Neg(-128i8);
                let _ = 255u8;
                let _ = Neg(-2147483648i32);
                let _ = 4294967295u32;
                let _ = 1000.0f32;
                let _ = 1.0f64;
                let _ = 18446744073709551615u64;
                let _ = 97u8;
                let _ = 1000.5f64;
                let _ = true;
            }"#]],
    );
}

#[test]
fn literals_take_the_type_that_is_needed() {
    check_body(
        "let mut i = 0; i += 1; y[i] = x[2];",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let mut i: usize = 0usize;
            i Add= 1usize;
            y[i] = x[2usize];
        }"#]],
    );
    check_body(
        "let s = 2.0; y[0] = s * a;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let s: f32 = 2.0f32;
            y[0usize] = Mul.f32(s, a);
        }"#]],
    );
    check_body(
        "let i = 1; let f = 1.5;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let i: i32 = 1i32;
            let f: f64 = 1.5f64;
        }"#]],
    );
    check_body(
        "let i = 1 << 3u8; let j: u64 = 1 << n;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let i: i32 = Shl.i32(1i32, 3u8);
            let j: u64 = Shl.u64(1u64, n);
        }"#]],
    );
    check_body(
        "let b = 300 as u16; let c = 1 as f32; let d = 1.5 as i32; let e = 7 as u64;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let b: u16 = (300u16: u16 as u16);
            let c: f32 = (1i32: i32 as f32);
            let d: i32 = (1.5f64: f64 as i32);
            let e: u64 = (7u64: u64 as u64);
        }"#]],
    );
    check_body(
        "let m = (1 + 2) as u64;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let m: u64 = (Add.i32(1i32, 2i32): i32 as u64);
        }"#]],
    );
    check_body(
        "let m = -1 as i64;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let m: i64 = (Neg(1i64): i64 as i64);
        }"#]],
    );
}

#[test]
fn shadowing_and_scopes() {
    check_body(
        "let v = a; let v = v as f64; { let v = 1u8; let _ = v; } let _ = v;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let v#7: f32 = a;
            let v#8: f64 = (v#7: f32 as f64);
            {
                let v#9: u8 = 1u8;
                let _ = v#9;
            };
            let _ = v#8;
        }"#]],
    );
}

#[test]
fn deferred_initialisation() {
    check_body(
        "let v; if p { v = a; } else { v = 2.0; } y[0] = v;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let v: f32;
            if.() p {
                v = a;
            } else {
                v = 2.0f32;
            };
            y[0usize] = v;
        }"#]],
    );
}

#[test]
fn blocks_and_ifs_are_values() {
    check_body(
        "let v = if p { 1 } else if u > 3 { let t = u; t * 2 } else { return };
         let w = { let q = v; q + 1 };
         y[0] = w as f32;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let v: u32 = if.u32 p {
                    1u32
                } else if.u32 Gt.u32(u, 3u32) {
                    let t: u32 = u;
                    Mul.u32(t, 2u32)
                } else {
                    return
                };
                let w: u32 = {
                    let q: u32 = v;
                    Add.u32(q, 1u32)
                };
                y[0usize] = (w: u32 as f32);
            }"#]],
    );
}

#[test]
fn ranges() {
    check_body(
        "for i in 0..n { y[i] = 0.0; }
         for i in (0..=u).rev() { let _ = i; }
         for i in (k..10).step_by(2).rev() { let _ = i; }
         for mut i in 0..8 { i += 1; let _ = i; }
         for _ in 0..3 {}",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                #0: for i#7: usize in (0usize..n) {
                    y[i#7] = 0.0f32;
                };
                #1: for i#8: u32 in (0u32..=u).rev() {
                    let _ = i#8;
                };
                #2: for i#9: i32 in (k..10i32).step_by(2usize).rev() {
                    let _ = i#9;
                };
                #3: for mut i#10: i32 in (0i32..8i32) {
                    i#10 Add= 1i32;
                    let _ = i#10;
                };
                #4: for _ in (0i32..3i32) {
                }
            }"#]],
    );
}

#[test]
fn loops_and_labels() {
    check_body(
        "let mut i = 0u32;
         let found = 'outer: loop {
             while i < u {
                 i += 1;
                 if i == 7 { break 'outer i; }
                 if i == 3 { continue 'outer; }
                 if i == 5 { break; }
             }
             'inner: for _ in 0..4 { continue 'inner; }
             break 0;
         };
         y[0] = found as f32;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let mut i: u32 = 0u32;
                let found: u32 = 'outer#0: loop.u32 {
                    #1: while Lt.u32(i, u) {
                        i Add= 1u32;
                        if.() Eq.u32(i, 7u32) {
                            break #0 i;
                        };
                        if.() Eq.u32(i, 3u32) {
                            continue #0;
                        };
                        if.() Eq.u32(i, 5u32) {
                            break #1;
                        }
                    };
                    'inner#2: for _ in (0i32..4i32) {
                        continue #2;
                    };
                    break #0 0u32;
                };
                y[0usize] = (found: u32 as f32);
            }"#]],
    );
}

#[test]
fn a_loop_without_break_is_never() {
    check_body(
        "let v: f32 = if p { a } else { loop {} }; y[0] = v;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let v: f32 = if.f32 p {
                a
            } else {
                #0: loop.! {
                }
            };
            y[0usize] = v;
        }"#]],
    );
}

#[test]
fn operators() {
    check_body(
        "let b = (k + 1) * 2 - 3 / 4 % 5 & 6 | 7 ^ 8;
         let c = k << 2 >> u;
         let d = !k == -k && !p || a >= 1.0 && p != true;
         let mut m = u; m <<= 1; m >>= k; m |= 1; m &= !2; m ^= 3; m %= 4; m /= 5; m *= 6; m -= 7;
         y[n] += a * x[0];
         y[0] /= a;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let b: i32 = Or.i32(And.i32(Sub.i32(Mul.i32(Add.i32(k, 1i32), 2i32), Rem.i32(Div.i32(3i32, 4i32), 5i32)), 6i32), Xor.i32(7i32, 8i32));
                let c: i32 = Shr.i32(Shl.i32(k, 2i32), u);
                let d: bool = ((Eq.i32(Not(k), Neg(k)) && Not(p)) || (Ge.f32(a, 1.0f32) && Ne.bool(p, true)));
                let mut m: u32 = u;
                m Shl= 1i32;
                m Shr= k;
                m Or= 1u32;
                m And= Not(2u32);
                m Xor= 3u32;
                m Rem= 4u32;
                m Div= 5u32;
                m Mul= 6u32;
                m Sub= 7u32;
                y[n] Add= Mul.f32(a, x[0usize]);
                y[0usize] Div= a;
            }"#]],
    );
}

#[test]
fn casts() {
    check_body(
        "let _ = a as u8; let _ = k as f64; let _ = p as usize; let _ = u as i8 as u64 as f32;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let _ = (a: f32 as u8);
            let _ = (k: i32 as f64);
            let _ = (p: bool as usize);
            let _ = (((u: u32 as i8): i8 as u64): u64 as f32);
        }"#]],
    );
}

#[test]
fn float_methods() {
    check_body(
        "y[0] = a.sqrt().abs().min(1.0).max(0.0).clamp(0.0, 1.0).mul_add(2.0, a).floor().ceil().trunc();
         y[1] = a.round_ties_even().copysign(-1.0).recip();
         let b = a.is_nan() || a.is_infinite() || a.is_finite();
         let bits = a.to_bits(); let d = 1.0f64.to_bits();
         y[2] = f32::from_bits(bits ^ 1); let e = f64::from_bits(d);
         y[3] = f32::max(a, 0.0);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                y[0usize] = Trunc(Ceil(Floor(MulAdd(Clamp(Max(Min(Abs(Sqrt(a) -> f32) -> f32, 1.0f32) -> f32, 0.0f32) -> f32, 0.0f32, 1.0f32) -> f32, 2.0f32, a) -> f32) -> f32) -> f32) -> f32;
                y[1usize] = Recip(Copysign(RoundTiesEven(a) -> f32, Neg(1.0f32)) -> f32) -> f32;
                let b: bool = ((IsNan(a) -> bool || IsInfinite(a) -> bool) || IsFinite(a) -> bool);
                let bits: u32 = ToBits(a) -> u32;
                let d: u64 = ToBits(1.0f64) -> u64;
                y[2usize] = FromBits(Xor.u32(bits, 1u32)) -> f32;
                let e: f64 = FromBits(d) -> f64;
                y[3usize] = Max(a, 0.0f32) -> f32;
            }"#]],
    );
}

#[test]
fn integer_methods() {
    check_body(
        "let a = k.abs().min(3).max(4).clamp(0, 9).signum().unsigned_abs();
         let b = u.wrapping_add(1).wrapping_sub(2).wrapping_mul(3).wrapping_neg().wrapping_shl(4).wrapping_shr(5);
         let c = k.abs_diff(4); let d = n.count_ones() + n.count_zeros() + n.leading_zeros() + n.trailing_zeros();
         let e = u.rotate_left(1).rotate_right(u).reverse_bits().swap_bytes().is_power_of_two();
         let f = u32::min(u, 3);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let a#7: u32 = UnsignedAbs(Signum(Clamp(Max(Min(Abs(k) -> i32, 3i32) -> i32, 4i32) -> i32, 0i32, 9i32) -> i32) -> i32) -> u32;
                let b: u32 = WrappingShr(WrappingShl(WrappingNeg(WrappingMul(WrappingSub(WrappingAdd(u, 1u32) -> u32, 2u32) -> u32, 3u32) -> u32) -> u32, 4u32) -> u32, 5u32) -> u32;
                let c: u32 = AbsDiff(k, 4i32) -> u32;
                let d: u32 = Add.u32(Add.u32(Add.u32(CountOnes(n) -> u32, CountZeros(n) -> u32), LeadingZeros(n) -> u32), TrailingZeros(n) -> u32);
                let e: bool = IsPowerOfTwo(SwapBytes(ReverseBits(RotateRight(RotateLeft(u, 1u32) -> u32, u) -> u32) -> u32) -> u32) -> bool;
                let f: u32 = Min(u, 3u32) -> u32;
            }"#]],
    );
}

#[test]
fn identity_by_every_path() {
    check_body(
        "let t = thread_idx(); let i = t.x + device::block_idx().y * kernel_runtime::device::block_dim().z;
         let g = grid_dim().x + global_size().y;
         let l = warp::lane_id() + device::warp::warp_id();
         barrier();",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let t: Dim3 = ThreadIdx() -> Dim3;
                let i: usize = Add.usize(t.x, Mul.usize(BlockIdx() -> Dim3.y, BlockDim() -> Dim3.z));
                let g: usize = Add.usize(GridDim() -> Dim3.x, GlobalSize() -> Dim3.y);
                let l: usize = Add.usize(SpecialIndex(LaneId)() -> usize, WarpId() -> usize);
                Barrier() -> ();
            }"#]],
    );
}

#[test]
fn shared_memory() {
    check_body(
        "const T: usize = 32;
         let mut tile = shared::<[[f32; T + 1]; T]>();
         let mut line = shared::<[u8; 4 * 8]>();
         tile[thread_idx().y][thread_idx().x] = a;
         barrier();
         line[0] += 1;
         y[0] = tile[0][T - 1]; let s = tile.len() + tile[0].len() + line.len();",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                const T: usize = 32usize;
                let mut tile: Shared<[[f32; 33]; 32]> = Shared() -> Shared<[[f32; 33]; 32]>;
                let mut line: Shared<[u8; 32]> = Shared() -> Shared<[u8; 32]>;
                *tile[ThreadIdx() -> Dim3.y][ThreadIdx() -> Dim3.x] = a;
                Barrier() -> ();
                *line[0usize] Add= 1u8;
                y[0usize] = *tile[0usize][Sub.usize(T, 1usize)];
                let s: usize = Add.usize(Add.usize(32usize, {
                    let _ = *tile[0usize];
                    33usize
                }), 32usize);
            }"#]],
    );
}

#[test]
fn shuffles() {
    check_body(
        "let mut s = x[0];
         s += warp::shfl_down(s, 16); s += warp::shfl_xor(s, 1); s += warp::shfl_up(s, u); s += warp::shfl_idx(s, 0);
         let w = warp::shfl_down(n, 1);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let mut s: f32 = x[0usize];
                s Add= ShflDown(s, 16i32) -> f32;
                s Add= ShflXor(s, 1i32) -> f32;
                s Add= ShflUp(s, u) -> f32;
                s Add= ShflIdx(s, 0i32) -> f32;
                let w: usize = ShflDown(n, 1i32) -> usize;
            }"#]],
    );
}

#[test]
fn constants() {
    check_body(
        "const N: usize = 4 * M; const M: usize = 1 << 5; const F: f32 = 1.0 / 3.0; const B: bool = N > 100 && M != 0;
         const I: i8 = -128; const U: u32 = u32::MAX - 1; const S: f64 = core::f64::consts::PI;
         const C: u8 = -1.5 as u8; const D: i32 = if B { -7 / 2 } else { !0 };
         y[N] = F * std::f32::consts::TAU + f32::INFINITY; let w = u32::BITS + U;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                const N: usize = 128usize;
                const F: f32 = 0.3333333432674408f32;
                const U: u32 = 4294967294u32;
                y[N] = Add.f32(Mul.f32(F, 6.2831854820251465f32), inff32);
                let w: u32 = Add.u32(32u32, U);
            }"#]],
    );
}

#[test]
fn early_return() {
    check_body(
        "if n >= y.len() { return; } y[n] = a; return ()",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                if.() Ge.usize(n, Len(y) -> usize) {
                    return;
                };
                y[n] = a;
                return ()
            }"#]],
    );
}

#[test]
fn a_statement_after_return_has_any_type() {
    check_body(
        "let v: f32 = { return; };",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let v: f32 = {
                return;
            };
        }"#]],
    );
}

#[test]
fn lint_attributes_stay_out() {
    check_body(
        "#[allow(unused_variables)] let v = a;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let v: f32 = a;
        }"#]],
    );
}
