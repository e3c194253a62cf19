//! `fast_math`, `index(u64)`, `checks(overflow)`.

use expect_test::{Expect, expect};
use ptx_gen::ir::{BinaryOp, InstData, IntCond, Value};

use super::{check_with, lowered_with};

/// The IR of an expression of four numbers under `fast_math`.
#[track_caller]
fn fast(body: &str, expected: Expect) {
    check_with("fast_math", &format!("fn k(a: f32, b: f32, c: f32, d: f32) {{ let _ = {body}; }}"), expected);
}

#[test]
fn quotients_and_roots() {
    fast(
        "a / b",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = fdiv_approx v0, v1
            return
        }"#]],
    );
    fast(
        "1.0 / a.sqrt()",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = const 1.0
            v5: f32 = sqrt_approx v0
            v6: f32 = rsqrt_approx v0
            return
        }"#]],
    );
    fast(
        "a / b.sqrt()",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = sqrt_approx v1
            v5: f32 = rsqrt_approx v1
            v6: f32 = fmul v0, v5
            return
        }"#]],
    );
    fast(
        "a.recip()",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = rcp_approx v0
            return
        }"#]],
    );
}

#[test]
fn constants_join() {
    fast(
        "a / 3.0 * 2.0",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = const 3.0
            v5: f32 = const 0.33333334
            v6: f32 = fmul v0, v5
            v7: f32 = const 2.0
            v8: f32 = const 0.6666667
            v9: f32 = fmul v0, v8
            return
        }"#]],
    );
    // Its reciprocal is subnormal.
    fast(
        "a / 3e38",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = const 3e38
            v5: f32 = fdiv_approx v0, v4
            return
        }"#]],
    );
}

#[test]
fn long_sums_go_in_pairs() {
    fast(
        "a + b + c + d + 1.0",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = const 1.0
            v5: f32 = fadd v0, v1
            v6: f32 = fadd v2, v3
            v7: f32 = fadd v5, v6
            v8: f32 = fadd v7, v4
            return
        }"#]],
    );
    fast(
        "a + b + c",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = fadd v0, v1
            v5: f32 = fadd v4, v2
            return
        }"#]],
    );
}

#[test]
fn functions_of_the_hardware() {
    fast(
        "a.sin() + b.powf(c)",
        expect![[r#"
        kernel k(param0 a: f32, param1 b: f32, param2 c: f32, param3 d: f32) ftz {
        block0:
            v0: f32 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: f32 = param3
            v4: f32 = sin_approx v0
            v5: f32 = lg2_approx v1
            v6: f32 = fmul v2, v5
            v7: f32 = ex2_approx v6
            v8: f32 = fadd v4, v7
            return
        }"#]],
    );
}

/// `f64` and floats of 16 bits stay as they are.
#[test]
fn other_floats_stay() {
    check_with(
        "fast_math",
        "fn k(a: f64) { let _ = (a / 3.0).sqrt(); }",
        expect![[r#"
            kernel k(param0 a: f64) ftz {
            block0:
                v0: f64 = param0
                v1: f64 = const 3.0
                v2: f64 = fdiv v0, v1
                v3: f64 = sqrt v2
                return
            }"#]],
    );
}

#[test]
fn wide_indices() {
    check_with(
        "index(u64)",
        "fn k(x: &mut [u8]) { let i = global_idx().x; if i < x.len() { x[i] = 1; } }",
        expect![[r#"
            kernel k(param0 x: i64 ptr align 1, param1 x_len: i64) {
                panic0 index "x"
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i64 = param1
                v3: i32 = special ctaid.x
                v4: i64 = zext v3
                v5: i32 = special ntid.x
                v6: i64 = zext v5
                v7: i64 = mul nuw v4, v6
                v8: i32 = special tid.x
                v9: i64 = zext v8
                v10: i64 = add nuw v7, v9
                v11: bool = icmp ult v10, v2
                branch v11, block1, block2
            block1:
                v12: i8 = const 1
                v13: bool = icmp ult v10, v2
                branch v13, block3, block4
            block3:
                v14: i64 = add nuw v1, v10
                store.generic v14, v12
                jump block2
            block2:
                return
            block4:
                panic panic0(v10, v2)
            }"#]],
    );
}

/// The comparison that each operator checks, and how it panics: one line each.
#[track_caller]
fn checked(params: &str, exprs: &[&str], expected: Expect) {
    let mut lines = String::new();
    for expr in exprs {
        let source = format!("fn k({params}) {{ let _ = {expr}; }}");
        let func = lowered_with("checks(overflow)", &source).functions.remove(0);
        let text = func.to_string();
        let ops = text.lines().map(str::trim).filter(|line| line.starts_with('v') && !line.contains("param"));
        let ops: Vec<&str> = ops.map(|line| line.split_once(" = ").map_or(line, |parts| parts.1)).collect();
        let ops: Vec<&str> = ops.into_iter().map(|line| line.split(" @").next().unwrap_or(line)).collect();
        let panics: Vec<_> = func.panics.values().map(|site| site.kind.as_str()).collect();
        lines += &format!("{expr}: {} => {}\n", ops.join("; "), panics.join(" "));
    }
    expected.assert_eq(&lines);
}

#[test]
fn checks_of_unsigned_integers() {
    checked(
        "a: u32, b: u32",
        &[
            "a + b",
            "a + 7",
            "7 + a",
            "a - b",
            "a - 7",
            "a * b",
            "a * 10",
            "a * 1",
            "a << b",
            "a >> 31",
            "a.wrapping_add(b)",
        ],
        expect![[r#"
            a + b: not v1; icmp ule v0, v2; add nuw v0, v1 => add_overflow
            a + 7: const 7; const -8; icmp ule v0, v3; add nuw v0, v2 => add_overflow
            7 + a: const 7; const -8; icmp ule v0, v3; add nuw v2, v0 => add_overflow
            a - b: icmp uge v0, v1; sub nuw v0, v1 => sub_overflow
            a - 7: const 7; const 7; icmp uge v0, v3; sub nuw v0, v2 => sub_overflow
            a * b: umulhi v0, v1; const 0; icmp eq v2, v3; mul nuw v0, v1 => mul_overflow
            a * 10: const 10; const 429496729; icmp ule v0, v3; mul nuw v0, v2 => mul_overflow
            a * 1: const 1; mul nuw v0, v2 => 
            a << b: const 32; icmp ult v1, v2; shl v0, v1 => shl_overflow
            a >> 31: const 31; lshr v0, v2 => 
            a.wrapping_add(b): add v0, v1 => 
        "#]],
    );
}

#[test]
fn checks_of_signed_integers() {
    checked(
        "a: i32, b: i32",
        &[
            "a + b",
            "a + 7",
            "a + -7",
            "a - b",
            "a - 7",
            "a - i32::MIN",
            "a * b",
            "a * 10",
            "a * -1",
            "a * -10",
            "a * i32::MIN",
            "-a",
            "-128i8",
            "a.abs()",
            "a << b",
            "a >> (b as u8)",
        ],
        expect![[r#"
            a + b: add v0, v1; xor v0, v2; xor v1, v2; and v3, v4; const 0; icmp sge v5, v6; add v0, v1 => add_overflow
            a + 7: const 7; const 2147483640; icmp sle v0, v3; add v0, v2 => add_overflow
            a + -7: const 7; neg v2; const 0x80000007; icmp sge v0, v4; add v0, v3 => add_overflow
            a - b: sub v0, v1; xor v0, v1; xor v0, v2; and v3, v4; const 0; icmp sge v5, v6; sub v0, v1 => sub_overflow
            a - 7: const 7; const 0x80000007; icmp sge v0, v3; sub v0, v2 => sub_overflow
            a - i32::MIN: const 0x80000000; const -1; icmp sle v0, v3; sub v0, v2 => sub_overflow
            a * b: smulhi v0, v1; mul v0, v1; const 31; ashr v3, v4; icmp eq v2, v5; mul v0, v1 => mul_overflow
            a * 10: const 10; const 214748364; add v0, v3; const 429496728; icmp ule v4, v5; mul v0, v2 => mul_overflow
            a * -1: const 1; neg v2; const 2147483647; add v0, v4; const -2; icmp ule v5, v6; mul v0, v3 => mul_overflow
            a * -10: const 10; neg v2; const 214748364; add v0, v4; const 429496728; icmp ule v5, v6; mul v0, v3 => mul_overflow
            a * i32::MIN: const 0x80000000; const 1; icmp ule v0, v3; mul v0, v2 => mul_overflow
            -a: const 0x80000000; icmp ne v0, v2; neg v0 => neg_overflow
            -128i8: const -128; neg v2 => 
            a.abs(): const 0x80000000; icmp ne v0, v2; neg v0; smax v0, v4 => neg_overflow
            a << b: const 32; icmp ult v1, v2; shl v0, v1 => shl_overflow
            a >> (b as u8): trunc_int v1; const 32; icmp ult v2, v3; zext v2; ashr v0, v5 => shr_overflow
        "#]],
    );
}

#[test]
fn checks_of_narrow_integers() {
    checked(
        "a: u8, b: u8",
        &["a + b", "a - b", "a * b"],
        expect![[r#"
        a + b: not v1; icmp ule v0, v2; add nuw v0, v1 => add_overflow
        a - b: icmp uge v0, v1; sub nuw v0, v1 => sub_overflow
        a * b: umulhi v0, v1; const 0; icmp eq v2, v3; mul nuw v0, v1 => mul_overflow
    "#]],
    );
    checked(
        "a: i8, b: i8",
        &["a + b", "a - b", "a * b"],
        expect![[r#"
        a + b: add v0, v1; xor v0, v2; xor v1, v2; and v3, v4; const 0; icmp sge v5, v6; add v0, v1 => add_overflow
        a - b: sub v0, v1; xor v0, v1; xor v0, v2; and v3, v4; const 0; icmp sge v5, v6; sub v0, v1 => sub_overflow
        a * b: smulhi v0, v1; mul v0, v1; const 7; ashr v3, v4; icmp eq v2, v5; mul v0, v1 => mul_overflow
    "#]],
    );
}

/// Interprets the check of the function's only operator: true if `argument`, an `i8` or `u8`, passes it.
fn passes(func: &ptx_gen::ir::Function, argument: u8) -> bool {
    let mut fits = true;
    let mut known = std::collections::HashMap::<Value, u8>::new();
    for inst in func.insts.keys() {
        let Some(result) = func.results[inst] else { continue };
        let bits = match &func.insts[inst] {
            InstData::Param { .. } => argument,
            InstData::Const { bits } => *bits as u8,
            InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } => known[a].wrapping_add(known[b]),
            InstData::IntCompare { cond, args } => {
                let [x, y] = args.map(|arg| known[&arg]);
                fits = match cond {
                    IntCond::ULe => x <= y,
                    IntCond::UGe => x >= y,
                    IntCond::SLe => x as i8 <= y as i8,
                    IntCond::SGe => x as i8 >= y as i8,
                    other => panic!("a check by `{other}`"),
                };
                0
            }
            _ => 0,
        };
        known.insert(result, bits);
    }
    fits
}

/// Each number with each constant: the checks find those pairs that overflow, and no others.
#[test]
fn checks_against_constants_are_exact() {
    macro_rules! every_pair {
        ($ty:ident: $($expr:literal $method:ident;)*) => {$(
            for constant in $ty::MIN..=$ty::MAX {
                let (ty, expr) = (stringify!($ty), $expr);
                let source = format!("fn k(a: {ty}) {{ const F: {ty} = {constant}; let _ = {expr}; }}");
                let func = lowered_with("checks(overflow)", &source).functions.remove(0);
                for a in $ty::MIN..=$ty::MAX {
                    let expected = a.$method(constant).is_some();
                    assert_eq!(passes(&func, a as u8), expected, "{expr} for {a} and {constant}");
                }
            }
        )*};
    }
    every_pair!(i8: "a + F" checked_add; "F + a" checked_add; "a - F" checked_sub; "a * F" checked_mul; "F * a" checked_mul;);
    every_pair!(u8: "a + F" checked_add; "a - F" checked_sub; "F * a" checked_mul;);
}
