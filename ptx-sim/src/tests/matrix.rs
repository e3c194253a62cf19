//! Fragments of matrices, asynchronous copies, barriers in memory.
//!
//! The place of an element in a fragment follows the formulas of the manual (PTX ISA, "Matrix Fragments for mma").

use super::*;

/// Small numbers, exact in every format.
fn left(row: usize, column: usize) -> i32 {
    (row * 3 + column * 5) as i32 % 7 - 3
}

fn right(row: usize, column: usize) -> i32 {
    (row * 2 + column * 3) as i32 % 5 - 2
}

fn plus(row: usize, column: usize) -> i32 {
    row as i32 - column as i32
}

fn f16(value: i32) -> u32 {
    let magnitude = [0, 0x3c00, 0x4000, 0x4200, 0x4400][value.unsigned_abs() as usize];
    if value < 0 { magnitude | 0x8000 } else { magnitude }
}

fn bf16(value: i32) -> u32 {
    (value as f32).to_bits() >> 16
}

fn tf32(value: i32) -> u32 {
    (value as f32).to_bits()
}

fn s8(value: i32) -> u32 {
    value as u8 as u32
}

fn e4m3(value: i32) -> u32 {
    let magnitude = [0, 0x38, 0x40, 0x44, 0x48][value.unsigned_abs() as usize];
    if value < 0 { magnitude | 0x80 } else { magnitude }
}

/// The places of the manual: row and column of element `i` of a fragment, by g and t.
type Place = fn(usize, usize, usize) -> (usize, usize);

struct Case {
    instruction: &'static str,
    k: usize,
    /// Elements of a lane of A and B, in how many registers.
    a: (usize, usize, Place),
    b: (usize, usize, Place),
    bits: fn(i32) -> u32,
    integer: bool,
}

const CASES: &[Case] = &[
    Case {
        instruction: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        k: 16,
        a: (8, 4, |g, t, i| {
            (
                if i < 2 || (4..6).contains(&i) { g } else { g + 8 },
                t * 2 + (i & 1) + if i < 4 { 0 } else { 8 },
            )
        }),
        b: (4, 2, |g, t, i| (t * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, g)),
        bits: f16,
        integer: false,
    },
    Case {
        instruction: "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
        k: 8,
        a: (4, 2, |g, t, i| (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1))),
        b: (2, 1, |g, t, i| (t * 2 + i, g)),
        bits: bf16,
        integer: false,
    },
    Case {
        instruction: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        k: 8,
        a: (4, 4, |g, t, i| (if i == 0 || i == 2 { g } else { g + 8 }, if i < 2 { t } else { t + 4 })),
        b: (2, 2, |g, t, i| (if i == 0 { t } else { t + 4 }, g)),
        bits: tf32,
        integer: false,
    },
    Case {
        instruction: "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
        k: 32,
        a: (16, 4, |g, t, i| {
            (
                if i < 4 || (8..12).contains(&i) { g } else { g + 8 },
                t * 4 + (i & 3) + if i < 8 { 0 } else { 16 },
            )
        }),
        b: (8, 2, |g, t, i| (t * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, g)),
        bits: s8,
        integer: true,
    },
    Case {
        instruction: "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
        k: 32,
        a: (16, 4, |g, t, i| {
            (
                if i < 4 || (8..12).contains(&i) { g } else { g + 8 },
                t * 4 + (i & 3) + if i < 8 { 0 } else { 16 },
            )
        }),
        b: (8, 2, |g, t, i| (t * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, g)),
        bits: e4m3,
        integer: false,
    },
];

/// The product of the matrices above.
fn product(k: usize, row: usize, column: usize) -> i32 {
    (0..k).fold(plus(row, column), |sum, index| sum + left(row, index) * right(index, column))
}

fn vector(prefix: &str, first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|number| format!("{prefix}{number}")).collect();
    format!("{{{}}}", names.join(", "))
}

#[test]
fn products_of_fragments() {
    for Case { instruction, k, a, b, bits, integer } in CASES {
        let pack = |(elements, registers, place): &(usize, usize, Place),
                    lane: usize,
                    value: fn(usize, usize) -> i32| {
            let per = elements / registers;
            (0..*registers)
                .map(|register| {
                    (0..per).fold(0, |word, index| {
                        let (row, column) = place(lane / 4, lane % 4, register * per + index);
                        word | bits(value(row, column)) << (32 / per * index)
                    })
                })
                .collect::<Vec<u32>>()
        };
        let number = |value: i32| if *integer { value as u32 } else { (value as f32).to_bits() };
        let of_sum = |lane: usize, i: usize| (lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
        // 16 words for each lane: A, B, C, then the result.
        let mut run = Run::block(32, 32 * 16);
        for lane in 0..32 {
            let words = &mut run.words[16 * lane..];
            let (left, right) = (pack(a, lane, left), pack(b, lane, right));
            words[..left.len()].copy_from_slice(&left);
            words[4..4 + right.len()].copy_from_slice(&right);
            for i in 0..4 {
                let (row, column) = of_sum(lane, i);
                words[8 + i] = number(plus(row, column));
            }
        }
        let (c, d) = if *integer { ("%r10", "%r15") } else { ("%f10", "%f15") };
        let (c, d) = (vector(&c[..2], 10, 4), vector(&d[..2], 15, 4));
        let body = format!(
            "mov.u32 %r30, %tid.x;\nmul.wide.u32 %rd1, %r30, 64;\nadd.s64 %rd1, %rd0, %rd1;
            ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%rd1];\nld.global.v2.b32 {{%r5, %r6}}, [%rd1+16];
            ld.global.v4.b32 {c}, [%rd1+32];\n{instruction} {d}, {}, {}, {c};\nst.global.v4.b32 [%rd1+48], {d};\nret;",
            vector("%r", 1, a.1),
            vector("%r", 5, b.1),
        );
        run.run(&body).unwrap_or_else(|fault| panic!("{instruction}: {fault}"));
        for lane in 0..32 {
            for i in 0..4 {
                let (row, column) = of_sum(lane, i);
                let (expected, found) = (number(product(*k, row, column)), run.words[16 * lane + 12 + i]);
                assert_eq!(found, expected, "{instruction}: row {row}, column {column}");
            }
        }
    }
}

#[test]
fn products_of_doubles() {
    let mut run = Run::block(32, 32 * 12);
    let put = |words: &mut [u32], value: i32| {
        let bits = f64::from(value).to_bits();
        (words[0], words[1]) = (bits as u32, (bits >> 32) as u32);
    };
    for lane in 0..32 {
        let (g, t) = (lane / 4, lane % 4);
        put(&mut run.words[12 * lane..], left(g, t));
        put(&mut run.words[12 * lane + 2..], right(t, g));
        put(&mut run.words[12 * lane + 4..], plus(g, 2 * t));
        put(&mut run.words[12 * lane + 6..], plus(g, 2 * t + 1));
    }
    run.run(
        "mov.u32 %r30, %tid.x;\nmul.wide.u32 %rd1, %r30, 48;\nadd.s64 %rd1, %rd0, %rd1;
        ld.global.v2.f64 {%fd1, %fd2}, [%rd1];\nld.global.v2.f64 {%fd3, %fd4}, [%rd1+16];
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};
        st.global.v2.f64 [%rd1+32], {%fd5, %fd6};\nret;",
    )
    .unwrap();
    for lane in 0..32 {
        for i in 0..2 {
            let words = &run.words[12 * lane + 8 + 2 * i..];
            let found = f64::from_bits(u64::from(words[0]) | u64::from(words[1]) << 32);
            assert_eq!(found, f64::from(product(4, lane / 4, 2 * (lane % 4) + i)));
        }
    }
}

#[test]
fn matrices_of_rows_in_shared_memory() {
    for transposed in [false, true] {
        // Element (row, column) of matrix m is 100 m + 10 row + column.
        let mut run = Run::block(32, 32 * 8);
        for lane in 0..32 {
            for pair in 0..4 {
                let element = |column: usize| (100 * (lane / 8) + 10 * (lane % 8) + column) as u32;
                run.words[8 * lane + pair] = element(2 * pair) | element(2 * pair + 1) << 16;
            }
        }
        let trans = if transposed { ".trans" } else { "" };
        run.run(&format!(
            ".shared .align 16 .b8 tile[1024];\nmov.u32 %r30, %tid.x;\nmul.wide.u32 %rd1, %r30, 32;\nadd.s64 %rd1, %rd0, %rd1;
            shl.b32 %r31, %r30, 4;\nmov.u32 %r32, tile;\nadd.u32 %r31, %r31, %r32;
            ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%rd1];\nst.shared.v4.b32 [%r31], {{%r1, %r2, %r3, %r4}};
            bar.warp.sync -1;
            ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r5, %r6, %r7, %r8}}, [%r31];
            st.global.v4.b32 [%rd1+16], {{%r5, %r6, %r7, %r8}};
            // Stored again in another place, and the first one moved.
            bar.warp.sync -1;
            stmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 [%r31+512], {{%r5, %r6, %r7, %r8}};
            bar.warp.sync -1;
            ld.shared.v4.b32 {{%r9, %r10, %r11, %r12}}, [%r31+512];
            setp.ne.u32 %p1, %r9, %r1;\n@%p1 trap;\nsetp.ne.u32 %p1, %r12, %r4;\n@%p1 trap;
            movmatrix.sync.aligned.m8n8.trans.b16 %r13, %r5;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r14, %r13;
            setp.ne.u32 %p1, %r14, %r5;\n@%p1 trap;\nret;",
        ))
        .unwrap_or_else(|fault| panic!("{fault}"));
        for lane in 0..32 {
            for matrix in 0..4 {
                let (row, column) = (lane / 4, 2 * (lane % 4));
                let element = |column: usize| {
                    let (row, column) = if transposed { (column, row) } else { (row, column) };
                    (100 * matrix + 10 * row + column) as u32
                };
                let expected = element(column) | element(column + 1) << 16;
                assert_eq!(run.words[8 * lane + 4 + matrix], expected, "lane {lane}, matrix {matrix}");
            }
        }
    }
}

#[test]
fn products_of_wmma() {
    // A by rows at 0, B by columns at 512 bytes, C by rows at 1024, D by columns at 2048; halves of A and B.
    let mut run = Run::block(32, 1024);
    for row in 0..16 {
        for column in 0..16 {
            let (a, b) = (row * 16 + column, column * 16 + row);
            run.words[a / 2] |= f16(left(row, column)) << (16 * (a % 2));
            run.words[128 + b / 2] |= f16(right(row, column)) << (16 * (b % 2));
            run.words[256 + a] = (plus(row, column) as f32).to_bits();
        }
    }
    let (a, b) = (vector("%r", 1, 8), vector("%r", 11, 8));
    run.run(&format!(
        ".reg .f32 %g<20>;\nwmma.load.a.sync.aligned.row.m16n16k16.global.f16 {a}, [%rd0], 16;
        wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {b}, [%rd0+512], 16;
        wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {c}, [%rd0+1024], 16;
        wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {d}, {a}, {b}, {c};
        wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd0+2048], {d}, 16;\nret;",
        c = vector("%g", 0, 8),
        d = vector("%g", 10, 8),
    ))
    .unwrap();
    for row in 0..16 {
        for column in 0..16 {
            assert_eq!(f32::from_bits(run.words[512 + column * 16 + row]), product(16, row, column) as f32);
        }
    }
}

#[test]
fn copies_arrive_when_they_are_waited_for() {
    let copy = "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nshl.b32 %r3, %r2, 2;
        .shared .align 16 .b32 s[64];\nmov.u32 %r4, s;\nadd.u32 %r3, %r3, %r4;\nst.shared.u32 [%r3], 1;\nst.shared.u32 [%r3+128], 2;
        cp.async.ca.shared.global [%r3], [%rd1], 4;\ncp.async.commit_group;
        cp.async.ca.shared.global [%r3+128], [%rd1], 4, 0;\ncp.async.commit_group;\nWAIT
        ld.shared.u32 %r5, [%r3];\nld.shared.u32 %r6, [%r3+128];\nmad.lo.u32 %r1, %r6, 1000, %r5;\nst.global.u32 [%rd1+128], %r1;\nret;";
    for (wait, expected) in [
        ("", 2001),
        ("cp.async.wait_group 1;", 2007),
        ("cp.async.wait_group 0;", 7),
        ("cp.async.wait_all;", 7),
    ] {
        let mut run = Run::block(32, 64);
        run.words[..32].fill(7);
        let program = Program::load(&module(&copy.replace("WAIT", wait))).unwrap();
        let found = run.outcome(&program, false).result;
        assert!(found.is_ok(), "{found:?}");
        assert_eq!(run.words[32..], [expected; 32], "{wait}");
    }
}

#[test]
fn a_copy_that_nobody_waits_for_is_found() {
    let body = "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nshl.b32 %r3, %r2, 2;
        .shared .align 16 .b32 s[32];\nmov.u32 %r4, s;\nadd.u32 %r3, %r3, %r4;
        cp.async.ca.shared.global [%r3], [%rd1], 4;\ncp.async.commit_group;\nWAIT\nld.shared.u32 %r5, [%r3];\nret;";
    let reports = |body: &str| {
        let program = Program::load(&module(body)).unwrap();
        let outcome = Run::block(32, 64).outcome(&program, true);
        outcome.reports.iter().map(ToString::to_string).collect::<Vec<String>>().join("\n")
    };
    assert_eq!(reports(&body.replace("WAIT", "cp.async.wait_group 0;")), "");
    assert!(reports(&body.replace("WAIT", "")).contains("does not wait for the copy"));
}

#[test]
fn selectors_of_sparse_matrices_name_one_of_four_lanes() {
    // The metadata are the lane's number, which tells the lanes apart.
    let product = |selector: &str| {
        let mut run = Run::block(32, 32);
        let body = "mov.u32 %r2, %tid.x;\nshl.b32 %r3, %r2, 3;\nadd.u32 %r3, %r3, 0x44444444;
            mov.u32 %r4, 0x3c003c00;\nmad.lo.u32 %r5, %r2, 65537, 0x3c003c00;
            mov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;
            mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r4, %r4}, \
            {%r5, %r4}, {%f1, %f2, %f3, %f4}, %r3, SELECTOR;
            mul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.f32 [%rd1], %f1;\nret;";
        run.run(&body.replace("SELECTOR", selector)).unwrap_or_else(|fault| panic!("{fault}"));
        run.words
    };
    assert_eq!(product("0xffffffff"), product("3"));
    assert_eq!(product("4"), product("0"));
}

#[test]
fn barriers_in_memory_count_arrivals_and_bytes() {
    // Warp 1 waits for the 32 arrivals of warp 0, then for a bulk copy that it announced.
    let mut run = Run::block(64, 64);
    run.words[..8].copy_from_slice(&[11, 12, 13, 14, 15, 16, 17, 18]);
    run.run(
        ".shared .align 8 .b64 bar;\n.shared .align 16 .b32 tile[8];\n.shared .b32 flag;\nmov.u32 %r2, %tid.x;\nmov.u32 %r10, bar;
        setp.ne.u32 %p1, %r2, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [%r10], 32;\nfence.proxy.async;\nREADY:\nbar.sync 0;
        setp.ge.u32 %p1, %r2, 32;\n@%p1 bra TAKE;
        setp.ne.u32 %p2, %r2, 0;\n@%p2 bra ARRIVE;\nst.shared.u32 [flag], 5;\nARRIVE:
        mbarrier.arrive.shared.b64 %rd5, [%r10];\nbra END;
        TAKE:\nmov.u32 %r3, 0;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r10], %r3;\n@!%p3 bra WAIT;
        ld.shared.u32 %r4, [flag];
        setp.ne.u32 %p2, %r2, 32;\n@%p2 bra JOIN;\nmbarrier.arrive.expect_tx.shared.b64 %rd6, [%r10], 32;
        mov.u32 %r5, tile;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd0], 32, [%r10];\nbra JOINED;
        JOIN:\nmbarrier.arrive.shared.b64 %rd6, [%r10];\nJOINED:
        AGAIN:\nmbarrier.test_wait.parity.shared.b64 %p3, [%r10], 1;\n@!%p3 bra AGAIN;
        sub.u32 %r6, %r2, 32;\nand.b32 %r6, %r6, 7;\nshl.b32 %r6, %r6, 2;\nmov.u32 %r5, tile;\nadd.u32 %r5, %r5, %r6;
        ld.shared.u32 %r7, [%r5];\nadd.u32 %r7, %r7, %r4;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;
        st.global.u32 [%rd1], %r7;\nEND:\nret;",
    )
    .unwrap_or_else(|fault| panic!("{fault}"));
    let expected: Vec<u32> = (0..32).map(|index| 16 + index % 8).collect();
    assert_eq!(run.words[32..], expected);
}

#[test]
fn asynchronous_reductions_add_up() {
    // Two under way at once to the same word: neither is lost.
    let mut run = Run::block(32, 32);
    run.run(
        ".shared .align 8 .b64 bar;\n.shared .align 4 .b32 sum;\nmov.u32 %r2, %tid.x;\nmov.u32 %r10, bar;\nmov.u32 %r11, sum;
        setp.ne.u32 %p1, %r2, 0;\n@%p1 bra READY;\nst.shared.u32 [%r11], 100;
        mbarrier.init.shared.b64 [%r10], 1;\nmbarrier.arrive.expect_tx.shared.b64 %rd5, [%r10], 128;\nREADY:\nbar.sync 0;
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r11], %r2, [%r10];
        WAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r10], 0;\n@!%p3 bra WAIT;
        ld.shared.u32 %r1, [%r11];\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r1;\nret;",
    )
    .unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(run.words, [100 + 31 * 16; 32]);
}

#[test]
fn a_lane_that_is_missing() {
    let fault =
        Run::block(16, 8).run("mov.u32 %r1, 0;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\nret;");
    let text = fault.unwrap_err().to_string();
    assert!(text.contains("needs all 32 lanes of the warp, but lanes 0xffff0000"), "{text}");
}
