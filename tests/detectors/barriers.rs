//! Barriers of a block that part of a warp comes to, or that threads do not agree on.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "barrier_in_a_branch",
        detector: Detector::DivergentBarrier,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
mov.u32 %r0, 1;
-setp.ge.u32 %p0, %t, 16;
+setp.ge.u32 %p0, %t, 64;
@%p0 bra JOIN;
bar.sync 0;
mov.u32 %r0, 2;
JOIN:
bar.sync 0;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `barrier_in_a_branch` stopped by the simulator: only lanes 0x0000ffff of the warp have come to this barrier, lanes 0xffff0000 are elsewhere (PTX line 34, `bar.sync`, from barrier_in_a_branch:8:1)
              in `barrier_in_a_branch`, block (0, 0, 0), thread (0, 0, 0), PTX line 29, `bar.sync`, from barrier_in_a_branch:5:1"#]],
    },
    Case {
        name: "barrier_on_both_sides",
        detector: Detector::DivergentBarrier,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-and.b32 %r1, %t, 1;
+and.b32 %r1, %t, 32;
setp.eq.u32 %p0, %r1, 0;
@%p0 bra EVEN;
bar.sync 0;
mov.u32 %r0, 1;
bra JOIN;
EVEN:
bar.sync 0;
mov.u32 %r0, 2;
JOIN:
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `barrier_on_both_sides` stopped by the simulator: only lanes 0xaaaaaaaa of the warp have come to this barrier, lanes 0x55555555 are elsewhere (PTX line 36, `bar.sync`, from barrier_on_both_sides:9:1)
              in `barrier_on_both_sides`, block (0, 0, 0), thread (1, 0, 0), PTX line 29, `bar.sync`, from barrier_on_both_sides:5:1"#]],
    },
    Case {
        name: "loop_of_different_length",
        detector: Detector::DivergentBarrier,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
mov.u32 %r0, 0;
-and.b32 %r1, %t, 3;
+and.b32 %r1, %n, 3;
LOOP:
bar.sync 0;
add.u32 %r0, %r0, 1;
setp.le.u32 %p0, %r0, %r1;
@%p0 bra LOOP;
bar.sync 1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `loop_of_different_length` stopped by the simulator: only lanes 0xeeeeeeee of the warp have come to this barrier, lanes 0x11111111 are elsewhere (PTX line 36, `bar.sync`, from loop_of_different_length:9:1)
              in `loop_of_different_length`, block (0, 0, 0), thread (1, 0, 0), PTX line 28, `bar.sync`, from loop_of_different_length:5:1"#]],
    },
    Case {
        name: "two_barriers",
        detector: Detector::MismatchedBarrier,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p0, %t, 32;
@%p0 bra SECOND;
bar.sync 0;
bra JOIN;
SECOND:
-bar.sync 1;
+bar.sync 0;
JOIN:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `two_barriers` stopped by the simulator: barrier 0 waits for all threads of the block, but warp 1 waits at barrier 1 (PTX line 32, `bar.sync`, from two_barriers:6:1)
              in `two_barriers`, block (0, 0, 0), thread (0, 0, 0), PTX line 27, `bar.sync`, from two_barriers:3:1"#]],
    },
    Case {
        name: "two_counts",
        detector: Detector::MismatchedBarrier,
        blocks: 1,
        threads: 96,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p0, %t, 64;
@%p0 bra END;
setp.ge.u32 %p0, %t, 32;
@%p0 bra SECOND;
bar.sync 1, 64;
bra END;
SECOND:
-bar.sync 1, 96;
+bar.sync 1, 64;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `two_counts` stopped by the simulator: barrier 1 for 96 threads, to which others come for 64 (PTX line 31, `bar.sync`, from two_counts:5:1)
              in `two_counts`, block (0, 0, 0), thread (32, 0, 0), PTX line 36, `bar.sync`, from two_counts:8:1"#]],
    },
    Case {
        name: "arrives_for_others",
        detector: Detector::MismatchedBarrier,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
-bar.arrive 2, 32;
+bar.arrive 2, 64;
bra END;
TAKE:
bar.sync 2, 64;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `arrives_for_others` stopped by the simulator: barrier 2 for 64 threads, to which others come for 32 (PTX line 27, `bar.arrive`, from arrives_for_others:3:1)
              in `arrives_for_others`, block (0, 0, 0), thread (32, 0, 0), PTX line 32, `bar.sync`, from arrives_for_others:7:1"#]],
    },
    Case {
        name: "half_a_warp",
        detector: Detector::MismatchedBarrier,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-mov.u32 %r1, 48;
+mov.u32 %r1, 64;
bar.sync 1, %r1;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `half_a_warp` stopped by the simulator: barrier 1 with 48 threads: there are 16 barriers, and counts are multiples of 32 up to the block
              in `half_a_warp`, block (0, 0, 0), thread (0, 0, 0), PTX line 25, `bar.sync`, from half_a_warp:3:1"#]],
    },
];
