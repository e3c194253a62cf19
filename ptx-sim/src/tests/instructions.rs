//! Single instructions on chosen bit patterns.
//!
//! A row gives the sources (registers 1, 2, … of the class that the instruction names) in hexadecimal, one thread a row.

use expect_test::{Expect, expect};

use super::*;

/// Registers of a class: prefix, bits, the type that moves them.
const CLASSES: &[(&str, u32, &str)] = &[
    ("%rd", 64, "b64"),
    ("%fd", 64, "b64"),
    ("%r", 32, "b32"),
    ("%f", 32, "b32"),
    ("%h", 16, "b16"),
    ("%p", 1, "pred"),
];

/// The registers that a text names: class and number.
fn registers(text: &str) -> Vec<((&'static str, u32, &'static str), usize)> {
    let mut found: Vec<_> = Vec::new();
    for token in text.split(|c: char| !(c.is_alphanumeric() || c == '%')) {
        let class = CLASSES.iter().find(|(prefix, ..)| {
            token.strip_prefix(prefix).is_some_and(|rest| rest.parse::<usize>().is_ok())
        });
        if let Some(&class) = class {
            let register = (class, token[class.0.len()..].parse().unwrap());
            if !found.contains(&register) {
                found.push(register);
            }
        }
    }
    found
}

/// The text of a kernel that loads the sources of a thread, runs the instruction, and stores register 10 of a class.
pub(super) fn kernel_of(instruction: &str, sources: usize) -> String {
    let stride = 8 * (sources + 1);
    let mut body = format!("mov.u32 %r30, %tid.x;\nmad.wide.u32 %rd30, %r30, {stride}, %rd0;\n");
    let mut result = String::new();
    for ((prefix, bits, ty), number) in registers(instruction) {
        if number == 10 {
            result = match bits {
                1 => format!("selp.u64 %rd31, 1, 0, {prefix}10;\n"),
                64 => format!("mov.b64 %rd31, {prefix}10;\n"),
                32 => format!("mov.b32 %r31, {prefix}10;\ncvt.u64.u32 %rd31, %r31;\n"),
                _ => format!("cvt.u64.u16 %rd31, {prefix}10;\n"),
            };
        } else if number <= sources {
            let at = 8 * number;
            body += &match bits {
                1 => format!("ld.global.u32 %r31, [%rd30+{at}];\nsetp.ne.u32 {prefix}{number}, %r31, 0;\n"),
                _ => format!("ld.global.{ty} {prefix}{number}, [%rd30+{at}];\n"),
            };
        }
    }
    module(&format!("{body}{instruction}\n{result}st.global.u64 [%rd30], %rd31;\nret;"))
}

/// The results of an instruction on rows of sources.
pub(super) fn results(instruction: &str, rows: &[Vec<u64>]) -> Vec<u64> {
    let sources = rows.first().map_or(0, Vec::len);
    let program = Program::load(&kernel_of(instruction, sources)).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::new();
    for rows in rows.chunks(512) {
        let mut run = Run::block(rows.len() as u32, 0);
        run.words = rows
            .iter()
            .flat_map(|row| std::iter::once(0).chain(row.iter().copied()))
            .flat_map(|value| [value as u32, (value >> 32) as u32])
            .collect();
        run.run_program(&program).unwrap_or_else(|fault| panic!("{instruction}: {fault}"));
        let stride = 2 * (sources + 1);
        out.extend(run.words.chunks(stride).map(|row| u64::from(row[0]) | u64::from(row[1]) << 32));
    }
    out
}

/// Runs an instruction on the rows of a text and compares `sources → result` of each.
fn check(instruction: &str, rows: &str, expected: Expect) {
    let parse =
        |word: &str| u64::from_str_radix(word, 16).unwrap_or_else(|_| panic!("`{word}` is no number"));
    let rows: Vec<Vec<u64>> =
        rows.split(',').map(|row| row.split_whitespace().map(parse).collect()).collect();
    let lines: Vec<String> = results(instruction, &rows)
        .into_iter()
        .zip(&rows)
        .map(|(result, row)| {
            let sources: Vec<String> = row.iter().map(|value| format!("{value:x}")).collect();
            format!("{} → {result:x}\n", sources.join(" "))
        })
        .collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn shift_amounts_clamp() {
    let rows = "80000001 0, 80000001 1, 80000001 1f, 80000001 20, 80000001 ffffffff";
    check(
        "shl.b32 %r10, %r1, %r2;",
        rows,
        expect![[r#"
        80000001 0 → 80000001
        80000001 1 → 2
        80000001 1f → 80000000
        80000001 20 → 0
        80000001 ffffffff → 0
    "#]],
    );
    check(
        "shr.u32 %r10, %r1, %r2;",
        rows,
        expect![[r#"
        80000001 0 → 80000001
        80000001 1 → 40000000
        80000001 1f → 1
        80000001 20 → 0
        80000001 ffffffff → 0
    "#]],
    );
    check(
        "shr.s32 %r10, %r1, %r2;",
        rows,
        expect![[r#"
        80000001 0 → 80000001
        80000001 1 → c0000000
        80000001 1f → ffffffff
        80000001 20 → ffffffff
        80000001 ffffffff → ffffffff
    "#]],
    );
    let rows = "8000000000000001 0, 8000000000000001 3f, 8000000000000001 40, 8000000000000001 100000001";
    check(
        "shl.b64 %rd10, %rd1, %r2;",
        rows,
        expect![[r#"
        8000000000000001 0 → 8000000000000001
        8000000000000001 3f → 8000000000000000
        8000000000000001 40 → 0
        8000000000000001 100000001 → 2
    "#]],
    );
    check(
        "shr.s64 %rd10, %rd1, %r2;",
        rows,
        expect![[r#"
        8000000000000001 0 → 8000000000000001
        8000000000000001 3f → ffffffffffffffff
        8000000000000001 40 → ffffffffffffffff
        8000000000000001 100000001 → c000000000000000
    "#]],
    );
    check(
        "shr.s16 %h10, %h1, %r2;",
        "8000 1, 8000 10, 7fff 10, 8000 ff",
        expect![[r#"
        8000 1 → c000
        8000 10 → ffff
        7fff 10 → 0
        8000 ff → ffff
    "#]],
    );
    check(
        "shf.l.wrap.b32 %r10, %r1, %r2, %r3;",
        "89abcdef 1234567 4, 89abcdef 1234567 24",
        expect![[r#"
        89abcdef 1234567 4 → 12345678
        89abcdef 1234567 24 → 12345678
    "#]],
    );
    check(
        "shf.l.clamp.b32 %r10, %r1, %r2, %r3;",
        "89abcdef 1234567 4, 89abcdef 1234567 24",
        expect![[r#"
        89abcdef 1234567 4 → 12345678
        89abcdef 1234567 24 → 89abcdef
    "#]],
    );
    check(
        "shf.r.wrap.b32 %r10, %r1, %r2, %r3;",
        "89abcdef 1234567 4, 89abcdef 1234567 24",
        expect![[r#"
        89abcdef 1234567 4 → 789abcde
        89abcdef 1234567 24 → 789abcde
    "#]],
    );
    check(
        "shf.r.clamp.b32 %r10, %r1, %r2, %r3;",
        "89abcdef 1234567 4, 89abcdef 1234567 24",
        expect![[r#"
        89abcdef 1234567 4 → 789abcde
        89abcdef 1234567 24 → 1234567
    "#]],
    );
}

#[test]
fn conversions_from_float_saturate() {
    let floats = "7fc00000, 7f800000, ff800000, 4f000000, cf000001, bfc00000, 3fc00000, 40200000, 80000001";
    check(
        "cvt.rzi.s32.f32 %r10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 0
        7f800000 → 7fffffff
        ff800000 → 80000000
        4f000000 → 7fffffff
        cf000001 → 80000000
        bfc00000 → ffffffff
        3fc00000 → 1
        40200000 → 2
        80000001 → 0
    "#]],
    );
    check(
        "cvt.rni.s32.f32 %r10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 0
        7f800000 → 7fffffff
        ff800000 → 80000000
        4f000000 → 7fffffff
        cf000001 → 80000000
        bfc00000 → fffffffe
        3fc00000 → 2
        40200000 → 2
        80000001 → 0
    "#]],
    );
    check(
        "cvt.rmi.s32.f32 %r10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 0
        7f800000 → 7fffffff
        ff800000 → 80000000
        4f000000 → 7fffffff
        cf000001 → 80000000
        bfc00000 → fffffffe
        3fc00000 → 1
        40200000 → 2
        80000001 → ffffffff
    "#]],
    );
    check(
        "cvt.rpi.u32.f32 %r10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 0
        7f800000 → ffffffff
        ff800000 → 0
        4f000000 → 80000000
        cf000001 → 0
        bfc00000 → 0
        3fc00000 → 2
        40200000 → 3
        80000001 → 0
    "#]],
    );
    check(
        "cvt.rzi.u32.f32 %r10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 0
        7f800000 → ffffffff
        ff800000 → 0
        4f000000 → 80000000
        cf000001 → 0
        bfc00000 → 0
        3fc00000 → 1
        40200000 → 2
        80000001 → 0
    "#]],
    );
    check(
        "cvt.rzi.s64.f32 %rd10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 8000000000000000
        7f800000 → 7fffffffffffffff
        ff800000 → 8000000000000000
        4f000000 → 80000000
        cf000001 → ffffffff7fffff00
        bfc00000 → ffffffffffffffff
        3fc00000 → 1
        40200000 → 2
        80000001 → 0
    "#]],
    );
    check(
        "cvt.rzi.u64.f32 %rd10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 8000000000000000
        7f800000 → ffffffffffffffff
        ff800000 → 0
        4f000000 → 80000000
        cf000001 → 0
        bfc00000 → 0
        3fc00000 → 1
        40200000 → 2
        80000001 → 0
    "#]],
    );
    check(
        "cvt.rzi.s16.f32 %h10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 0
        7f800000 → 7fff
        ff800000 → 8000
        4f000000 → 7fff
        cf000001 → 8000
        bfc00000 → ffff
        3fc00000 → 1
        40200000 → 2
        80000001 → 0
    "#]],
    );
    check(
        "cvt.rzi.u8.f32 %r10, %f1;",
        floats,
        expect![[r#"
        7fc00000 → 0
        7f800000 → ff
        ff800000 → 0
        4f000000 → ff
        cf000001 → 0
        bfc00000 → 0
        3fc00000 → 1
        40200000 → 2
        80000001 → 0
    "#]],
    );
    let doubles = "7ff8000000000000, 7ff0000000000000, fff0000000000000, c1e0000000200000, 3fe0000000000000, \
                   4004000000000000, 41f0000000000000";
    check(
        "cvt.rzi.s32.f64 %r10, %fd1;",
        doubles,
        expect![[r#"
        7ff8000000000000 → 80000000
        7ff0000000000000 → 7fffffff
        fff0000000000000 → 80000000
        c1e0000000200000 → 80000000
        3fe0000000000000 → 0
        4004000000000000 → 2
        41f0000000000000 → 7fffffff
    "#]],
    );
    check(
        "cvt.rzi.u32.f64 %r10, %fd1;",
        doubles,
        expect![[r#"
        7ff8000000000000 → 80000000
        7ff0000000000000 → ffffffff
        fff0000000000000 → 0
        c1e0000000200000 → 0
        3fe0000000000000 → 0
        4004000000000000 → 2
        41f0000000000000 → ffffffff
    "#]],
    );
    check(
        "cvt.rzi.s64.f64 %rd10, %fd1;",
        doubles,
        expect![[r#"
        7ff8000000000000 → 8000000000000000
        7ff0000000000000 → 7fffffffffffffff
        fff0000000000000 → 8000000000000000
        c1e0000000200000 → ffffffff7fffffff
        3fe0000000000000 → 0
        4004000000000000 → 2
        41f0000000000000 → 100000000
    "#]],
    );
    check(
        "cvt.rni.u64.f64 %rd10, %fd1;",
        doubles,
        expect![[r#"
        7ff8000000000000 → 8000000000000000
        7ff0000000000000 → ffffffffffffffff
        fff0000000000000 → 0
        c1e0000000200000 → 0
        3fe0000000000000 → 0
        4004000000000000 → 2
        41f0000000000000 → 100000000
    "#]],
    );
}

#[test]
fn conversions_to_float_round() {
    let doubles = "3ff0000010000000, 3ff0000030000000, 7ff8000000000001, 47f0000000000000, 36a0000000000000, 36a0000000000001, 8000000000000000";
    check(
        "cvt.rn.f32.f64 %f10, %fd1;",
        doubles,
        expect![[r#"
            3ff0000010000000 → 3f800000
            3ff0000030000000 → 3f800002
            7ff8000000000001 → 7fc00000
            47f0000000000000 → 7f800000
            36a0000000000000 → 1
            36a0000000000001 → 1
            8000000000000000 → 80000000
        "#]],
    );
    check(
        "cvt.rz.f32.f64 %f10, %fd1;",
        doubles,
        expect![[r#"
            3ff0000010000000 → 3f800000
            3ff0000030000000 → 3f800001
            7ff8000000000001 → 7fc00000
            47f0000000000000 → 7f7fffff
            36a0000000000000 → 1
            36a0000000000001 → 1
            8000000000000000 → 80000000
        "#]],
    );
    check(
        "cvt.rm.f32.f64 %f10, %fd1;",
        doubles,
        expect![[r#"
            3ff0000010000000 → 3f800000
            3ff0000030000000 → 3f800001
            7ff8000000000001 → 7fc00000
            47f0000000000000 → 7f7fffff
            36a0000000000000 → 1
            36a0000000000001 → 1
            8000000000000000 → 80000000
        "#]],
    );
    check(
        "cvt.rp.f32.f64 %f10, %fd1;",
        doubles,
        expect![[r#"
            3ff0000010000000 → 3f800001
            3ff0000030000000 → 3f800002
            7ff8000000000001 → 7fc00000
            47f0000000000000 → 7f800000
            36a0000000000000 → 1
            36a0000000000001 → 2
            8000000000000000 → 80000000
        "#]],
    );
    let integers = "1000001, 1000003, ffffffff, 80000000, ffffff7f";
    check(
        "cvt.rn.f32.u32 %f10, %r1;",
        integers,
        expect![[r#"
        1000001 → 4b800000
        1000003 → 4b800002
        ffffffff → 4f800000
        80000000 → 4f000000
        ffffff7f → 4f7fffff
    "#]],
    );
    check(
        "cvt.rn.f32.s32 %f10, %r1;",
        integers,
        expect![[r#"
        1000001 → 4b800000
        1000003 → 4b800002
        ffffffff → bf800000
        80000000 → cf000000
        ffffff7f → c3010000
    "#]],
    );
    check(
        "cvt.rz.f32.u32 %f10, %r1;",
        integers,
        expect![[r#"
        1000001 → 4b800000
        1000003 → 4b800001
        ffffffff → 4f7fffff
        80000000 → 4f000000
        ffffff7f → 4f7fffff
    "#]],
    );
    check(
        "cvt.rp.f32.s32 %f10, %r1;",
        integers,
        expect![[r#"
        1000001 → 4b800001
        1000003 → 4b800002
        ffffffff → bf800000
        80000000 → cf000000
        ffffff7f → c3010000
    "#]],
    );
    check(
        "cvt.rn.f64.u64 %fd10, %rd1;",
        "ffffffffffffffff, 20000000000001, 8000000000000000",
        expect![[r#"
        ffffffffffffffff → 43f0000000000000
        20000000000001 → 4340000000000000
        8000000000000000 → 43e0000000000000
    "#]],
    );
    check(
        "cvt.rn.f64.s64 %fd10, %rd1;",
        "ffffffffffffffff, 20000000000001, 8000000000000000",
        expect![[r#"
        ffffffffffffffff → bff0000000000000
        20000000000001 → 4340000000000000
        8000000000000000 → c3e0000000000000
    "#]],
    );
    check(
        "cvt.rn.f32.u64 %f10, %rd1;",
        "ffffffffffffffff, 8000008000000001, 8000008000000000",
        expect![[r#"
        ffffffffffffffff → 5f800000
        8000008000000001 → 5f000001
        8000008000000000 → 5f000000
    "#]],
    );
    check(
        "cvt.rni.f32.f32 %f10, %f1;",
        "3f000000, 3fc00000, bf000000, 7fc00001",
        expect![[r#"
        3f000000 → 0
        3fc00000 → 40000000
        bf000000 → 80000000
        7fc00001 → 7fffffff
    "#]],
    );
    check(
        "cvt.sat.f32.f32 %f10, %f1;",
        "3f000000, 3fc00000, bf000000, 7fc00001, 80000000",
        expect![[r#"
        3f000000 → 3f000000
        3fc00000 → 3f800000
        bf000000 → 0
        7fc00001 → 0
        80000000 → 0
    "#]],
    );
    check(
        "cvt.rn.f16.f32 %h10, %f1;",
        "3f800000, 477ff000, 33000000, 33000001, 7fc00000, 3f801000, 3f803000",
        expect![[r#"
        3f800000 → 3c00
        477ff000 → 7c00
        33000000 → 0
        33000001 → 1
        7fc00000 → 7fff
        3f801000 → 3c00
        3f803000 → 3c02
    "#]],
    );
    check(
        "cvt.f32.f16 %f10, %h1;",
        "3c00, 7c00, fe01, 0001, 83ff",
        expect![[r#"
        3c00 → 3f800000
        7c00 → 7f800000
        fe01 → 7fffffff
        1 → 33800000
        83ff → b87fc000
    "#]],
    );
    check(
        "cvt.rn.bf16.f32 %h10, %f1;",
        "3f800000, 3f808000, 3f818000, 7f7fffff, 7fc00000, 00010000",
        expect![[r#"
        3f800000 → 3f80
        3f808000 → 3f80
        3f818000 → 3f82
        7f7fffff → 7f80
        7fc00000 → 7fff
        10000 → 1
    "#]],
    );
}

#[test]
fn conversions_between_integers() {
    check(
        "cvt.s32.s8 %r10, %r1;",
        "80, 17f, ffffff01",
        expect![[r#"
        80 → ffffff80
        17f → 7f
        ffffff01 → 1
    "#]],
    );
    check(
        "cvt.u32.u8 %r10, %r1;",
        "80, 17f, ffffff01",
        expect![[r#"
        80 → 80
        17f → 7f
        ffffff01 → 1
    "#]],
    );
    check(
        "cvt.u64.s32 %rd10, %r1;",
        "80000000, 7fffffff",
        expect![[r#"
        80000000 → ffffffff80000000
        7fffffff → 7fffffff
    "#]],
    );
    check(
        "cvt.s64.u32 %rd10, %r1;",
        "80000000, 7fffffff",
        expect![[r#"
        80000000 → 80000000
        7fffffff → 7fffffff
    "#]],
    );
    check(
        "cvt.sat.u8.s32 %r10, %r1;",
        "80000000, 7fffffff, fe",
        expect![[r#"
        80000000 → 0
        7fffffff → ff
        fe → fe
    "#]],
    );
    check(
        "cvt.sat.s16.s32 %h10, %r1;",
        "80000000, 7fffffff, fe",
        expect![[r#"
        80000000 → 8000
        7fffffff → 7fff
        fe → fe
    "#]],
    );
    check(
        "cvt.sat.s32.u64 %r10, %rd1;",
        "80000000, 7fffffff, ffffffffffffffff",
        expect![[r#"
        80000000 → 7fffffff
        7fffffff → 7fffffff
        ffffffffffffffff → 7fffffff
    "#]],
    );
    check(
        "cvt.u32.u16 %r10, %rd1;",
        "123456789",
        expect![[r#"
        123456789 → 6789
    "#]],
    );
}

#[test]
fn minimum_and_maximum_of_nan_and_zero() {
    let rows = "7fc00000 3f800000, 3f800000 ffc00001, ffc00000 7fc00000, 80000000 0, 0 80000000, 1 80000001";
    check(
        "min.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        7fc00000 3f800000 → 3f800000
        3f800000 ffc00001 → 3f800000
        ffc00000 7fc00000 → 7fffffff
        80000000 0 → 80000000
        0 80000000 → 80000000
        1 80000001 → 80000001
    "#]],
    );
    check(
        "max.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        7fc00000 3f800000 → 3f800000
        3f800000 ffc00001 → 3f800000
        ffc00000 7fc00000 → 7fffffff
        80000000 0 → 0
        0 80000000 → 0
        1 80000001 → 1
    "#]],
    );
    check(
        "min.NaN.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        7fc00000 3f800000 → 7fffffff
        3f800000 ffc00001 → 7fffffff
        ffc00000 7fc00000 → 7fffffff
        80000000 0 → 80000000
        0 80000000 → 80000000
        1 80000001 → 80000001
    "#]],
    );
    check(
        "max.ftz.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        7fc00000 3f800000 → 3f800000
        3f800000 ffc00001 → 3f800000
        ffc00000 7fc00000 → 7fffffff
        80000000 0 → 0
        0 80000000 → 0
        1 80000001 → 0
    "#]],
    );
    let rows = "7ff8000000000000 3ff0000000000000, 8000000000000000 0, 0 8000000000000000";
    check(
        "min.f64 %fd10, %fd1, %fd2;",
        rows,
        expect![[r#"
        7ff8000000000000 3ff0000000000000 → 3ff0000000000000
        8000000000000000 0 → 8000000000000000
        0 8000000000000000 → 8000000000000000
    "#]],
    );
    check(
        "max.f64 %fd10, %fd1, %fd2;",
        rows,
        expect![[r#"
        7ff8000000000000 3ff0000000000000 → 3ff0000000000000
        8000000000000000 0 → 0
        0 8000000000000000 → 0
    "#]],
    );
}

#[test]
fn float_arithmetic_rounds_and_flushes() {
    let rows =
        "3f800000 33800000, 3f800000 33800001, 1 1, 7f7fffff 7f7fffff, 7f800000 ff800000, 3f800000 bf800000";
    check(
        "add.rn.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 3f800000
        3f800000 33800001 → 3f800001
        1 1 → 2
        7f7fffff 7f7fffff → 7f800000
        7f800000 ff800000 → 7fffffff
        3f800000 bf800000 → 0
    "#]],
    );
    check(
        "add.rz.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 3f800000
        3f800000 33800001 → 3f800000
        1 1 → 2
        7f7fffff 7f7fffff → 7f7fffff
        7f800000 ff800000 → 7fffffff
        3f800000 bf800000 → 0
    "#]],
    );
    check(
        "add.rm.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 3f800000
        3f800000 33800001 → 3f800000
        1 1 → 2
        7f7fffff 7f7fffff → 7f7fffff
        7f800000 ff800000 → 7fffffff
        3f800000 bf800000 → 80000000
    "#]],
    );
    check(
        "add.rp.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 3f800001
        3f800000 33800001 → 3f800001
        1 1 → 2
        7f7fffff 7f7fffff → 7f800000
        7f800000 ff800000 → 7fffffff
        3f800000 bf800000 → 0
    "#]],
    );
    check(
        "add.ftz.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 3f800000
        3f800000 33800001 → 3f800001
        1 1 → 0
        7f7fffff 7f7fffff → 7f800000
        7f800000 ff800000 → 7fffffff
        3f800000 bf800000 → 0
    "#]],
    );
    check(
        "add.sat.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 3f800000
        3f800000 33800001 → 3f800000
        1 1 → 2
        7f7fffff 7f7fffff → 3f800000
        7f800000 ff800000 → 0
        3f800000 bf800000 → 0
    "#]],
    );
    check(
        "sub.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 3f7fffff
        3f800000 33800001 → 3f7fffff
        1 1 → 0
        7f7fffff 7f7fffff → 0
        7f800000 ff800000 → 7f800000
        3f800000 bf800000 → 40000000
    "#]],
    );
    check(
        "mul.rn.f32 %f10, %f1, %f2;",
        rows,
        expect![[r#"
        3f800000 33800000 → 33800000
        3f800000 33800001 → 33800001
        1 1 → 0
        7f7fffff 7f7fffff → 7f800000
        7f800000 ff800000 → ff800000
        3f800000 bf800000 → bf800000
    "#]],
    );
    check(
        "div.rn.f32 %f10, %f1, %f2;",
        "3f800000 40400000, 3f800000 0, 0 0, 1 40000000, 3f800000 7f7fffff",
        expect![[r#"
        3f800000 40400000 → 3eaaaaab
        3f800000 0 → 7f800000
        0 0 → 7fffffff
        1 40000000 → 0
        3f800000 7f7fffff → 200000
    "#]],
    );
    check(
        "sqrt.rn.f32 %f10, %f1;",
        "40000000, 80000000, bf800000, 1",
        expect![[r#"
        40000000 → 3fb504f3
        80000000 → 80000000
        bf800000 → 7fffffff
        1 → 1a3504f3
    "#]],
    );
    check(
        "rcp.rn.f32 %f10, %f1;",
        "40400000, 80000000, ff800000, 1",
        expect![[r#"
        40400000 → 3eaaaaab
        80000000 → ff800000
        ff800000 → 80000000
        1 → 7f800000
    "#]],
    );
    check(
        "fma.rn.f32 %f10, %f1, %f2, %f3;",
        "3f800001 3f800001 bf800002, 7f800000 0 3f800000, 1 3f000000 0",
        expect![[r#"
        3f800001 3f800001 bf800002 → 28800000
        7f800000 0 3f800000 → 7fffffff
        1 3f000000 0 → 0
    "#]],
    );
    check(
        "fma.rn.f64 %fd10, %fd1, %fd2, %fd3;",
        "3ff0000000000001 3ff0000000000001 bff0000000000002",
        expect![[r#"
        3ff0000000000001 3ff0000000000001 bff0000000000002 → 3970000000000000
    "#]],
    );
    check(
        "neg.f32 %f10, %f1;",
        "0, 7fc00000, 1",
        expect![[r#"
        0 → 80000000
        7fc00000 → 7fffffff
        1 → 80000001
    "#]],
    );
    check(
        "abs.ftz.f32 %f10, %f1;",
        "80000000, 80000001, c0000000",
        expect![[r#"
        80000000 → 0
        80000001 → 0
        c0000000 → 40000000
    "#]],
    );
    check(
        "copysign.f32 %f10, %f1, %f2;",
        "80000000 3f800000, 0 bf800000",
        expect![[r#"
        80000000 3f800000 → bf800000
        0 bf800000 → 3f800000
    "#]],
    );
}

#[test]
fn approximations_have_the_values_that_the_manual_fixes() {
    check(
        "ex2.approx.ftz.f32 %f10, %f1;",
        "0, 80000000, ff800000, 7f800000, 7fc00000, 40000000, c3000000",
        expect![[r#"
        0 → 3f800000
        80000000 → 3f800000
        ff800000 → 0
        7f800000 → 7f800000
        7fc00000 → 7fffffff
        40000000 → 40800000
        c3000000 → 0
    "#]],
    );
    check(
        "lg2.approx.f32 %f10, %f1;",
        "0, 80000000, bf800000, 7f800000, 41000000, 1",
        expect![[r#"
        0 → ff800000
        80000000 → ff800000
        bf800000 → 7fffffff
        7f800000 → 7f800000
        41000000 → 40400000
        1 → c3150000
    "#]],
    );
    check(
        "rsqrt.approx.f32 %f10, %f1;",
        "0, 80000000, bf800000, 7f800000, 40800000",
        expect![[r#"
        0 → 7f800000
        80000000 → ff800000
        bf800000 → 7fffffff
        7f800000 → 0
        40800000 → 3f000000
    "#]],
    );
    check(
        "sin.approx.f32 %f10, %f1;",
        "0, 80000000, 7f800000, 3fc90fdb",
        expect![[r#"
        0 → 0
        80000000 → 80000000
        7f800000 → 7fffffff
        3fc90fdb → 3f800000
    "#]],
    );
    check(
        "cos.approx.f32 %f10, %f1;",
        "0, 80000000, 7f800000",
        expect![[r#"
        0 → 3f800000
        80000000 → 3f800000
        7f800000 → 7fffffff
    "#]],
    );
    check(
        "tanh.approx.f32 %f10, %f1;",
        "0, 7f800000, ff800000, 3f800000",
        expect![[r#"
        0 → 0
        7f800000 → 3f800000
        ff800000 → bf800000
        3f800000 → 3f42f7d6
    "#]],
    );
}

#[test]
fn comparisons_with_nan() {
    let rows = "7fc00000 3f800000, 3f800000 3f800000, 0 80000000, bf800000 3f800000, 40000000 3f800000";
    for (form, expected) in [
        (
            "eq",
            expect![[r#"
            7fc00000 3f800000 → 0
            3f800000 3f800000 → 1
            0 80000000 → 1
            bf800000 3f800000 → 0
            40000000 3f800000 → 0
        "#]],
        ),
        (
            "ne",
            expect![[r#"
            7fc00000 3f800000 → 0
            3f800000 3f800000 → 0
            0 80000000 → 0
            bf800000 3f800000 → 1
            40000000 3f800000 → 1
        "#]],
        ),
        (
            "lt",
            expect![[r#"
            7fc00000 3f800000 → 0
            3f800000 3f800000 → 0
            0 80000000 → 0
            bf800000 3f800000 → 1
            40000000 3f800000 → 0
        "#]],
        ),
        (
            "ge",
            expect![[r#"
            7fc00000 3f800000 → 0
            3f800000 3f800000 → 1
            0 80000000 → 1
            bf800000 3f800000 → 0
            40000000 3f800000 → 1
        "#]],
        ),
        (
            "equ",
            expect![[r#"
            7fc00000 3f800000 → 1
            3f800000 3f800000 → 1
            0 80000000 → 1
            bf800000 3f800000 → 0
            40000000 3f800000 → 0
        "#]],
        ),
        (
            "neu",
            expect![[r#"
            7fc00000 3f800000 → 1
            3f800000 3f800000 → 0
            0 80000000 → 0
            bf800000 3f800000 → 1
            40000000 3f800000 → 1
        "#]],
        ),
        (
            "ltu",
            expect![[r#"
            7fc00000 3f800000 → 1
            3f800000 3f800000 → 0
            0 80000000 → 0
            bf800000 3f800000 → 1
            40000000 3f800000 → 0
        "#]],
        ),
        (
            "leu",
            expect![[r#"
            7fc00000 3f800000 → 1
            3f800000 3f800000 → 1
            0 80000000 → 1
            bf800000 3f800000 → 1
            40000000 3f800000 → 0
        "#]],
        ),
        (
            "gtu",
            expect![[r#"
            7fc00000 3f800000 → 1
            3f800000 3f800000 → 0
            0 80000000 → 0
            bf800000 3f800000 → 0
            40000000 3f800000 → 1
        "#]],
        ),
        (
            "geu",
            expect![[r#"
            7fc00000 3f800000 → 1
            3f800000 3f800000 → 1
            0 80000000 → 1
            bf800000 3f800000 → 0
            40000000 3f800000 → 1
        "#]],
        ),
        (
            "num",
            expect![[r#"
            7fc00000 3f800000 → 0
            3f800000 3f800000 → 1
            0 80000000 → 1
            bf800000 3f800000 → 1
            40000000 3f800000 → 1
        "#]],
        ),
        (
            "nan",
            expect![[r#"
            7fc00000 3f800000 → 1
            3f800000 3f800000 → 0
            0 80000000 → 0
            bf800000 3f800000 → 0
            40000000 3f800000 → 0
        "#]],
        ),
    ] {
        check(&format!("setp.{form}.f32 %p10, %f1, %f2;"), rows, expected);
    }
    check(
        "setp.lt.s32 %p10, %r1, %r2;",
        "ffffffff 0, 0 ffffffff",
        expect![[r#"
        ffffffff 0 → 1
        0 ffffffff → 0
    "#]],
    );
    check(
        "setp.lo.u32 %p10, %r1, %r2;",
        "ffffffff 0, 0 ffffffff",
        expect![[r#"
        ffffffff 0 → 0
        0 ffffffff → 1
    "#]],
    );
    check(
        "setp.lt.and.s32 %p10|%p2, %r1, %r2, !%p3;",
        "ffffffff 0 0, ffffffff 0 1, 0 0 0",
        expect![[r#"
        ffffffff 0 0 → 1
        ffffffff 0 1 → 0
        0 0 0 → 0
    "#]],
    );
    check(
        "setp.lt.or.s32 %p2|%p10, %r1, %r2, %p3;",
        "ffffffff 0 0, ffffffff 0 1, 0 0 0",
        expect![[r#"
        ffffffff 0 0 → 0
        ffffffff 0 1 → 1
        0 0 0 → 1
    "#]],
    );
    check(
        "set.gt.u32.f32 %r10, %f1, %f2;",
        rows,
        expect![[r#"
        7fc00000 3f800000 → 0
        3f800000 3f800000 → 0
        0 80000000 → 0
        bf800000 3f800000 → 0
        40000000 3f800000 → ffffffff
    "#]],
    );
    check(
        "set.eq.f32.s32 %f10, %r1, %r2;",
        "1 1, 1 2",
        expect![[r#"
        1 1 → 3f800000
        1 2 → 0
    "#]],
    );
}

#[test]
fn integer_arithmetic() {
    check(
        "mul.hi.s32 %r10, %r1, %r2;",
        "80000000 80000000, ffffffff 2",
        expect![[r#"
        80000000 80000000 → 40000000
        ffffffff 2 → ffffffff
    "#]],
    );
    check(
        "mul.wide.s32 %rd10, %r1, %r2;",
        "80000000 80000000, ffffffff 2",
        expect![[r#"
        80000000 80000000 → 4000000000000000
        ffffffff 2 → fffffffffffffffe
    "#]],
    );
    check(
        "mul.wide.u16 %r10, %h1, %h2;",
        "ffff ffff",
        expect![[r#"
        ffff ffff → fffe0001
    "#]],
    );
    check(
        "mad.hi.u32 %r10, %r1, %r2, %r3;",
        "ffffffff ffffffff 5",
        expect![[r#"
        ffffffff ffffffff 5 → 3
    "#]],
    );
    check(
        "mad.wide.s32 %rd10, %r1, %r2, %rd3;",
        "ffffffff 2 1",
        expect![[r#"
        ffffffff 2 1 → ffffffffffffffff
    "#]],
    );
    check(
        "mul.hi.u64 %rd10, %rd1, %rd2;",
        "ffffffffffffffff ffffffffffffffff",
        expect![[r#"
        ffffffffffffffff ffffffffffffffff → fffffffffffffffe
    "#]],
    );
    check(
        "div.s32 %r10, %r1, %r2;",
        "80000000 ffffffff, 7 fffffffe, 7 0",
        expect![[r#"
        80000000 ffffffff → 80000000
        7 fffffffe → fffffffd
        7 0 → ffffffff
    "#]],
    );
    check(
        "rem.s32 %r10, %r1, %r2;",
        "80000000 ffffffff, fffffff9 2, 7 0",
        expect![[r#"
        80000000 ffffffff → 0
        fffffff9 2 → ffffffff
        7 0 → ffffffff
    "#]],
    );
    check(
        "div.u64 %rd10, %rd1, %rd2;",
        "8000000000000000 3, 7 0",
        expect![[r#"
        8000000000000000 3 → 2aaaaaaaaaaaaaaa
        7 0 → ffffffffffffffff
    "#]],
    );
    check(
        "add.sat.s32 %r10, %r1, %r2;",
        "7fffffff 1, 80000000 ffffffff",
        expect![[r#"
        7fffffff 1 → 7fffffff
        80000000 ffffffff → 80000000
    "#]],
    );
    check(
        "abs.s32 %r10, %r1;",
        "80000000, ffffffff",
        expect![[r#"
        80000000 → 80000000
        ffffffff → 1
    "#]],
    );
    check(
        "min.s16 %h10, %h1, %h2;",
        "8000 1",
        expect![[r#"
        8000 1 → 8000
    "#]],
    );
    check(
        "sad.s32 %r10, %r1, %r2, %r3;",
        "80000000 7fffffff 1",
        expect![[r#"
        80000000 7fffffff 1 → 0
    "#]],
    );
    check(
        "dp4a.s32.u32 %r10, %r1, %r2, %r3;",
        "ff01ff01 ff020304 a",
        expect![[r#"
        ff01ff01 ff020304 a → ffffff0e
    "#]],
    );
}

#[test]
fn carries_and_borrows() {
    check(
        "add.cc.u32 %r11, %r1, %r2;\naddc.u32 %r10, 0, 0;",
        "ffffffff 1, ffffffff 0",
        expect![[r#"
        ffffffff 1 → 1
        ffffffff 0 → 0
    "#]],
    );
    check(
        "sub.cc.u32 %r11, %r1, %r2;\nsubc.u32 %r10, 5, 0;",
        "0 1, 1 0, 5 5",
        expect![[r#"
        0 1 → 4
        1 0 → 5
        5 5 → 5
    "#]],
    );
    // The flag that a subtraction leaves is a carry: set when there is no borrow. nvcc relies on it.
    check(
        "sub.cc.u32 %r11, %r1, %r2;\naddc.u32 %r10, 0, 0;",
        "0 1, 1 0, 5 5",
        expect![[r#"
            0 1 → 0
            1 0 → 1
            5 5 → 1
        "#]],
    );
    check(
        "add.cc.u32 %r11, %r1, %r2;\nsubc.u32 %r10, 5, 1;",
        "ffffffff 1, 1 1",
        expect![[r#"
            ffffffff 1 → 4
            1 1 → 3
        "#]],
    );
    check(
        "mad.lo.cc.u32 %r11, %r1, %r2, %r3;\nmadc.hi.u32 %r10, %r1, %r2, 0;",
        "ffffffff ffffffff ffffffff",
        expect![[r#"
        ffffffff ffffffff ffffffff → ffffffff
    "#]],
    );
    check(
        "add.cc.s64 %rd11, %rd1, %rd2;\naddc.s64 %rd10, 0, 0;",
        "ffffffffffffffff 1",
        expect![[r#"
        ffffffffffffffff 1 → 1
    "#]],
    );
}

#[test]
fn bit_fields() {
    let rows = "f0f0f0f0 4 8, f0f0f0f0 0 0, f0f0f0f0 1c 8, f0f0f0f0 20 4, f0f0f0f0 104 8, f0f0f0f0 0 ff";
    check(
        "bfe.u32 %r10, %r1, %r2, %r3;",
        rows,
        expect![[r#"
        f0f0f0f0 4 8 → f
        f0f0f0f0 0 0 → 0
        f0f0f0f0 1c 8 → f
        f0f0f0f0 20 4 → 0
        f0f0f0f0 104 8 → f
        f0f0f0f0 0 ff → f0f0f0f0
    "#]],
    );
    check(
        "bfe.s32 %r10, %r1, %r2, %r3;",
        rows,
        expect![[r#"
        f0f0f0f0 4 8 → f
        f0f0f0f0 0 0 → 0
        f0f0f0f0 1c 8 → ffffffff
        f0f0f0f0 20 4 → ffffffff
        f0f0f0f0 104 8 → f
        f0f0f0f0 0 ff → f0f0f0f0
    "#]],
    );
    check(
        "bfe.s64 %rd10, %rd1, %r2, %r3;",
        "8000000000000000 3c 8, 80 0 8, 80 0 0",
        expect![[r#"
        8000000000000000 3c 8 → fffffffffffffff8
        80 0 8 → ffffffffffffff80
        80 0 0 → 0
    "#]],
    );
    check(
        "bfi.b32 %r10, %r1, %r2, %r3, %r4;",
        "ff 0 4 4, ff 0 1c 8, ff 1 20 4, ff 1 0 0, ff 0 104 4",
        expect![[r#"
        ff 0 4 4 → f0
        ff 0 1c 8 → f0000000
        ff 1 20 4 → 1
        ff 1 0 0 → 1
        ff 0 104 4 → f0
    "#]],
    );
    check(
        "bfind.u32 %r10, %r1;",
        "0, 1, 80000000",
        expect![[r#"
        0 → ffffffff
        1 → 0
        80000000 → 1f
    "#]],
    );
    check(
        "bfind.s32 %r10, %r1;",
        "0, ffffffff, 80000000, fffffffe",
        expect![[r#"
        0 → ffffffff
        ffffffff → ffffffff
        80000000 → 1e
        fffffffe → 0
    "#]],
    );
    check(
        "bfind.shiftamt.u32 %r10, %r1;",
        "0, 1, 80000000",
        expect![[r#"
        0 → ffffffff
        1 → 1f
        80000000 → 0
    "#]],
    );
    check(
        "bfind.u64 %r10, %rd1;",
        "0, 8000000000000000",
        expect![[r#"
        0 → ffffffff
        8000000000000000 → 3f
    "#]],
    );
    check(
        "prmt.b32 %r10, %r1, %r2, %r3;",
        "83828180 87868584 7531, 83828180 87868584 fa98, 3020100 7060504 fa98",
        expect![[r#"
        83828180 87868584 7531 → 87858381
        83828180 87868584 fa98 → ffffffff
        3020100 7060504 fa98 → 0
    "#]],
    );
    for (mode, expected) in [
        (
            "f4e",
            expect![[r#"
            3020100 7060504 0 → 3020100
            3020100 7060504 1 → 4030201
            3020100 7060504 2 → 5040302
            3020100 7060504 7 → 6050403
        "#]],
        ),
        (
            "b4e",
            expect![[r#"
            3020100 7060504 0 → 5060700
            3020100 7060504 1 → 6070001
            3020100 7060504 2 → 7000102
            3020100 7060504 7 → 10203
        "#]],
        ),
        (
            "rc8",
            expect![[r#"
            3020100 7060504 0 → 0
            3020100 7060504 1 → 1010101
            3020100 7060504 2 → 2020202
            3020100 7060504 7 → 3030303
        "#]],
        ),
        (
            "ecl",
            expect![[r#"
            3020100 7060504 0 → 3020100
            3020100 7060504 1 → 3020101
            3020100 7060504 2 → 3020202
            3020100 7060504 7 → 3030303
        "#]],
        ),
        (
            "ecr",
            expect![[r#"
            3020100 7060504 0 → 0
            3020100 7060504 1 → 1010100
            3020100 7060504 2 → 2020100
            3020100 7060504 7 → 3020100
        "#]],
        ),
        (
            "rc16",
            expect![[r#"
            3020100 7060504 0 → 1000100
            3020100 7060504 1 → 3020302
            3020100 7060504 2 → 1000100
            3020100 7060504 7 → 3020302
        "#]],
        ),
    ] {
        check(
            &format!("prmt.b32.{mode} %r10, %r1, %r2, %r3;"),
            "3020100 7060504 0, 3020100 7060504 1, 3020100 7060504 2, 3020100 7060504 7",
            expected,
        );
    }
    check(
        "lop3.b32 %r10, %r1, %r2, %r3, 0xe8;",
        "ff00ff00 f0f0f0f0 cccccccc",
        expect![[r#"
        ff00ff00 f0f0f0f0 cccccccc → fcc0fcc0
    "#]],
    );
    check(
        "brev.b32 %r10, %r1;",
        "1, f0000000",
        expect![[r#"
        1 → 80000000
        f0000000 → f
    "#]],
    );
    check(
        "clz.b64 %r10, %rd1;",
        "0, 1",
        expect![[r#"
        0 → 40
        1 → 3f
    "#]],
    );
    check(
        "popc.b64 %r10, %rd1;",
        "ffffffffffffffff",
        expect![[r#"
        ffffffffffffffff → 40
    "#]],
    );
    check(
        "bmsk.clamp.b32 %r10, %r1, %r2;",
        "4 8, 1f 8, 20 1, 0 20, 0 0",
        expect![[r#"
        4 8 → ff0
        1f 8 → 80000000
        20 1 → 0
        0 20 → ffffffff
        0 0 → 0
    "#]],
    );
    check(
        "fns.b32 %r10, %r1, 0, %r2;",
        "f0 1, f0 2, f0 5",
        expect![[r#"
        f0 1 → 4
        f0 2 → 5
        f0 5 → ffffffff
    "#]],
    );
}

#[test]
fn vectors_are_packed_low_part_first() {
    check(
        "mov.b64 %rd10, {%r1, %r2};",
        "1 2",
        expect![[r#"
        1 2 → 200000001
    "#]],
    );
    check(
        "mov.b64 {%r10, %r11}, %rd1;",
        "100000002",
        expect![[r#"
        100000002 → 2
    "#]],
    );
    check(
        "mov.b32 {_, %h10}, %r1;",
        "10002",
        expect![[r#"
        10002 → 1
    "#]],
    );
    check(
        "mov.b64 %rd10, {%h1, %h2, %h3, %h4};",
        "1 2 3 4",
        expect![[r#"
        1 2 3 4 → 4000300020001
    "#]],
    );
}

#[test]
fn choices() {
    check(
        "selp.b32 %r10, %r1, %r2, %p3;",
        "1 2 0, 1 2 1",
        expect![[r#"
        1 2 0 → 2
        1 2 1 → 1
    "#]],
    );
    check(
        "selp.f64 %fd10, %fd1, %fd2, !%p3;",
        "1 2 0, 1 2 1",
        expect![[r#"
        1 2 0 → 1
        1 2 1 → 2
    "#]],
    );
    check(
        "slct.s32.f32 %r10, %r1, %r2, %f3;",
        "1 2 80000000, 1 2 bf800000, 1 2 7fc00000",
        expect![[r#"
        1 2 80000000 → 1
        1 2 bf800000 → 2
        1 2 7fc00000 → 2
    "#]],
    );
    check(
        "testp.subnormal.f32 %p10, %f1;",
        "1, 0, 3f800000",
        expect![[r#"
        1 → 1
        0 → 0
        3f800000 → 0
    "#]],
    );
    check(
        "and.pred %p10, %p1, !%p2;",
        "1 0, 1 1",
        expect![[r#"
        1 0 → 1
        1 1 → 0
    "#]],
    );
    check(
        "not.pred %p10, %p1;",
        "1, 0",
        expect![[r#"
        1 → 0
        0 → 1
    "#]],
    );
}

#[test]
fn lop3_says_whether_its_result_is_zero() {
    check(
        "lop3.or.b32 %r11|%p10, %r1, %r2, %r3, 0x80, %p4;",
        "1 1 1 0, 1 2 4 0, 1 2 4 1",
        expect![[r#"
            1 1 1 0 → 1
            1 2 4 0 → 0
            1 2 4 1 → 1
        "#]],
    );
}

#[test]
fn pairs_compare_into_two_predicates() {
    check(
        "setp.lt.f16x2 %p11|%p10, %r1, %r2;",
        "40003c00 3c004000, 3c004000 40003c00",
        expect![[r#"
            40003c00 3c004000 → 0
            3c004000 40003c00 → 1
        "#]],
    );
    check(
        "setp.eq.and.bf16x2 %p10|%p11, %r1, %r2, %p3;",
        "3f803f80 40003f80 1, 3f803f80 40003f80 0",
        expect![[r#"
            3f803f80 40003f80 1 → 1
            3f803f80 40003f80 0 → 0
        "#]],
    );
}

#[test]
fn approximations_of_halves_are_rounded() {
    // 2^0.5 = 1.414 = 0x3da8; tanh 1 = 0.7616 = 0x3a18.
    check(
        "ex2.approx.f16x2 %r10, %r1;",
        "38003c00, c0007c00",
        expect![[r#"
            38003c00 → 3da84000
            c0007c00 → 34007c00
        "#]],
    );
    check(
        "tanh.approx.f16 %h10, %h1;",
        "3c00, 0, fc00",
        expect![[r#"
            3c00 → 3a18
            0 → 0
            fc00 → bc00
        "#]],
    );
}
