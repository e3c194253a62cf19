//! Accesses outside memory, across its grain, and after its end.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "past_the_end",
        detector: Detector::OutOfGlobal,
        blocks: 2,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(100),
        body: "\
+setp.ge.u32 %p0, %i, 100;
+@%p0 bra END;
ld.global.u32 %r0, [%xi];
st.global.u32 [%yi], %r0;
END:",
        expected: expect![[r#"
            kernel `past_the_end` stopped by the simulator: read of `x[100]` is out of bounds, right past its end: `x` is a buffer of 100 `u32` made at harness.rs
            help: compare the index with the length before the access
              in `past_the_end`, block (1, 0, 0), thread (36, 0, 0), PTX line 23, `ld.global.u32`, from past_the_end:3:1
              28 times"#]],
    },
    Case {
        name: "before_the_start",
        detector: Detector::OutOfGlobal,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
+setp.eq.u32 %p0, %i, 0;
+@%p0 bra END;
ld.global.u32 %r0, [%xi+-4];
st.global.u32 [%yi], %r0;
END:",
        expected: expect![[r#"
            kernel `before_the_start` stopped by the simulator: read of `x[-1]` is out of bounds, 1 element before its start: `x` is a buffer of 64 `u32` made at harness.rs
            help: compare the index with the length before the access
              in `before_the_start`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `ld.global.u32`, from before_the_start:3:1"#]],
    },
    Case {
        name: "vector_over_the_edge",
        detector: Detector::OutOfGlobal,
        blocks: 1,
        threads: 8,
        dynamic_shared: 0,
        data: Data::Zeros(30),
        body: "\
+setp.ge.u32 %p0, %i, 7;
+@%p0 bra END;
mul.wide.u32 %d0, %i, 16;
add.u64 %d0, %x, %d0;
ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];
add.u32 %r0, %r0, %r3;
st.global.u32 [%yi], %r0;
END:",
        expected: expect![[r#"
            kernel `vector_over_the_edge` stopped by the simulator: read of `x[28..32]` is out of bounds, 2 elements of it past its end: `x` is a buffer of 30 `u32` made at harness.rs
            help: compare the index with the length before the access
              in `vector_over_the_edge`, block (0, 0, 0), thread (7, 0, 0), PTX line 27, `ld.global.v4.u32`, from vector_over_the_edge:5:1"#]],
    },
    Case {
        name: "atomic_far_behind",
        detector: Detector::OutOfGlobal,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(32),
        body: "\
-atom.global.add.u32 %r0, [%x+4096], %t;
+atom.global.add.u32 %r0, [%x+124], %t;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `atomic_far_behind` stopped by the simulator: write of `x[1024]` is out of bounds, 992 elements past its end: `x` is a buffer of 32 `u32` made at harness.rs
            help: compare the index with the length before the access
              in `atomic_far_behind`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `atom.global.add.u32`, from atomic_far_behind:1:1
              32 times"#]],
    },
    Case {
        name: "behind_a_tile",
        detector: Detector::OutOfShared,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-.shared .align 4 .b32 tile[32];
+.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
st.shared.u32 [%r1], %t;
bar.sync 0;
ld.shared.u32 %r0, [tile+4];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `behind_a_tile` stopped by the simulator: write of `tile[32]` is out of bounds, right past its end: `tile` is a shared variable of 128 bytes
            help: compare the index with the length before the access
              in `behind_a_tile`, block (0, 0, 0), thread (32, 0, 0), PTX line 30, `st.shared.u32`, from behind_a_tile:6:1
              32 times"#]],
    },
    Case {
        name: "too_little_dynamic_memory",
        detector: Detector::OutOfShared,
        blocks: 1,
        threads: 32,
        dynamic_shared: 64,
        data: Data::Zeros(64),
        body: "\
+setp.ge.u32 %p0, %t, 16;
+@%p0 bra MET;
mov.u32 %r1, dynamic;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
st.shared.u32 [%r1], %t;
MET:
bar.sync 0;
ld.shared.u32 %r0, [dynamic];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `too_little_dynamic_memory` stopped by the simulator: write of `dynamic[16]` is out of bounds, right past its end: `dynamic` is a dynamic shared array of 64 bytes
            help: compare the index with the length before the access
              in `too_little_dynamic_memory`, block (0, 0, 0), thread (16, 0, 0), PTX line 29, `st.shared.u32`, from too_little_dynamic_memory:6:1
              16 times"#]],
    },
    Case {
        name: "before_a_tile",
        detector: Detector::OutOfShared,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[32];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
st.shared.u32 [%r1], %t;
bar.sync 0;
+setp.eq.u32 %p0, %t, 0;
+@%p0 bra END;
ld.shared.u32 %r0, [%r1+-4];
st.global.u32 [%yi], %r0;
END:",
        expected: expect![[r#"
            kernel `before_a_tile` stopped by the simulator: read of `tile[-1]` is out of bounds, 4 bytes before its start: `tile` is a shared variable of 128 bytes
            help: compare the index with the length before the access
              in `before_a_tile`, block (0, 0, 0), thread (0, 0, 0), PTX line 34, `ld.shared.u32`, from before_a_tile:9:1"#]],
    },
    Case {
        name: "behind_a_variable",
        detector: Detector::OutOfLocal,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.local .align 4 .b32 v[4];
mov.u64 %d0, v;
st.local.u32 [%d0], %t;
st.local.u32 [%d0+4], %t;
st.local.u32 [%d0+8], %t;
st.local.u32 [%d0+12], %t;
-and.b32 %r1, %t, 7;
+and.b32 %r1, %t, 3;
mul.wide.u32 %d1, %r1, 4;
add.u64 %d1, %d0, %d1;
ld.local.u32 %r0, [%d1];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `behind_a_variable` stopped by the simulator: read of 4 bytes at local address 0x10 is out of bounds: it goes beyond the end of the 16 bytes at 0x0
              in `behind_a_variable`, block (0, 0, 0), thread (4, 0, 0), PTX line 40, `ld.local.u32`, from behind_a_variable:11:1
              16 times"#]],
    },
    Case {
        name: "before_a_variable",
        detector: Detector::OutOfLocal,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.local .align 4 .b32 v[4];
mov.u64 %d0, v;
-sub.u32 %r1, %t, 1;
+mov.u32 %r1, %t;
and.b32 %r2, %t, 3;
sub.u32 %r1, %r1, %t;
add.u32 %r1, %r1, %r2;
mul.wide.s32 %d1, %r1, 4;
add.u64 %d1, %d0, %d1;
st.local.u32 [%d1], %t;
ld.local.u32 %r0, [%d1];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `before_a_variable` stopped by the simulator: write of 4 bytes at local address 0xfffffffffffffffc is out of bounds: 4 bytes before the 16 bytes at 0x0
              in `before_a_variable`, block (0, 0, 0), thread (0, 0, 0), PTX line 38, `st.local.u32`, from before_a_variable:10:1
              8 times"#]],
    },
    Case {
        name: "variable_by_generic_address",
        detector: Detector::OutOfLocal,
        blocks: 1,
        threads: 8,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.local .align 8 .b64 v[4];
mov.u64 %d0, v;
cvta.local.u64 %d0, %d0;
-and.b32 %r1, %t, 7;
+and.b32 %r1, %t, 3;
mul.wide.u32 %d1, %r1, 8;
add.u64 %d1, %d0, %d1;
mov.u64 %d2, 1;
st.u64 [%d1], %d2;
ld.u64 %d2, [%d1];
cvt.u32.u64 %r0, %d2;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `variable_by_generic_address` stopped by the simulator: write of 8 bytes at local address 0x20 is out of bounds: it goes beyond the end of the 32 bytes at 0x0
              in `variable_by_generic_address`, block (0, 0, 0), thread (4, 0, 0), PTX line 36, `st.u64`, from variable_by_generic_address:9:1
              4 times"#]],
    },
    Case {
        name: "word_at_half_a_word",
        detector: Detector::Misaligned,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-ld.global.u32 %r0, [%xi+2];
+ld.global.u32 %r0, [%xi+4];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `word_at_half_a_word` stopped by the simulator: read of `x[0..2]` is misaligned: the address must be a multiple of 4; `x` is a buffer of 64 `u32` made at harness.rs
            help: begin at such an address, or make accesses of fewer bytes
              in `word_at_half_a_word`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `ld.global.u32`, from word_at_half_a_word:1:1
              32 times"#]],
    },
    Case {
        name: "vector_at_every_word",
        detector: Detector::Misaligned,
        blocks: 1,
        threads: 16,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-mul.wide.u32 %d0, %i, 4;
+mul.wide.u32 %d0, %i, 16;
add.u64 %d0, %x, %d0;
ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];
add.u32 %r0, %r0, %r3;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `vector_at_every_word` stopped by the simulator: read of `x[1..5]` is misaligned: the address must be a multiple of 16; `x` is a buffer of 64 `u32` made at harness.rs
            help: begin at such an address, or make accesses of fewer bytes
              in `vector_at_every_word`, block (0, 0, 0), thread (1, 0, 0), PTX line 27, `ld.global.v4.u32`, from vector_at_every_word:4:1
              12 times"#]],
    },
    Case {
        name: "double_in_shared_memory",
        detector: Detector::Misaligned,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 tile[32];
mov.u32 %r1, tile;
-shl.b32 %r2, %t, 2;
+shl.b32 %r2, %t, 3;
add.u32 %r1, %r1, %r2;
cvt.u64.u32 %d0, 7;
st.shared.u64 [%r1], %d0;
ld.shared.u64 %d0, [%r1];
cvt.u32.u64 %r0, %d0;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `double_in_shared_memory` stopped by the simulator: write of `tile[0..2]` is misaligned: the address must be a multiple of 8; `tile` is a shared variable of 256 bytes, counted here in elements of 8
            help: begin at such an address, or make accesses of fewer bytes
              in `double_in_shared_memory`, block (0, 0, 0), thread (1, 0, 0), PTX line 32, `st.shared.u64`, from double_in_shared_memory:7:1
              16 times"#]],
    },
    Case {
        name: "atomic_between_words",
        detector: Detector::Misaligned,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-atom.global.add.u32 %r0, [%x+6], 1;
+atom.global.add.u32 %r0, [%x+8], 1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `atomic_between_words` stopped by the simulator: write of `x[1..3]` is misaligned: the address must be a multiple of 4; `x` is a buffer of 64 `u32` made at harness.rs
            help: begin at such an address, or make accesses of fewer bytes
              in `atomic_between_words`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `atom.global.add.u32`, from atomic_between_words:1:1
              32 times"#]],
    },
    Case {
        name: "read_after_free",
        detector: Detector::Freed,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Freed(64),
        body: "\
ld.global.u32 %r0, [%xi+128];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `read_after_free` stopped by the simulator: read of `x[32]` uses memory that was freed: `x` is a buffer of 64 `u32` made at harness.rs, which was dropped
            help: keep the buffer until the launch is over
              in `read_after_free`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `ld.global.u32`, from read_after_free:1:1
              32 times"#]],
    },
    Case {
        name: "write_after_free",
        detector: Detector::Freed,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Freed(64),
        body: "\
st.global.u32 [%xi], %t;",
        expected: expect![[r#"
            kernel `write_after_free` stopped by the simulator: write of `x[0]` uses memory that was freed: `x` is a buffer of 64 `u32` made at harness.rs, which was dropped
            help: keep the buffer until the launch is over
              in `write_after_free`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `st.global.u32`, from write_after_free:1:1
              32 times"#]],
    },
    Case {
        name: "atomic_after_free",
        detector: Detector::Freed,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Freed(64),
        body: "\
atom.global.add.u32 %r0, [%x+252], 1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `atomic_after_free` stopped by the simulator: write of `x[63]` uses memory that was freed: `x` is a buffer of 64 `u32` made at harness.rs, which was dropped
            help: keep the buffer until the launch is over
              in `atomic_after_free`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `atom.global.add.u32`, from atomic_after_free:1:1
              32 times"#]],
    },
];
