//! Memory and registers that are read before anybody has written them.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "buffer_that_nobody_filled",
        detector: Detector::MemoryWithoutValue,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Raw(64),
        body: "\
+st.global.u32 [%xi], %t;
ld.global.u32 %r0, [%xi];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `buffer_that_nobody_filled` stopped by the simulator: the kernel leaves an uninitialised value in global memory: it comes from the read of `x[0]`, where nothing was written (PTX line 23, `ld.global.u32`, from buffer_that_nobody_filled:2:1); `x` is a buffer of 64 `u32` made at harness.rs
            help: write it before it is read: memory and registers have no first value
              in `buffer_that_nobody_filled`, block (0, 0, 0), thread (0, 0, 0), PTX line 25, `st.global.u32`, from buffer_that_nobody_filled:3:1
              32 times"#]],
    },
    Case {
        name: "half_of_a_tile",
        detector: Detector::MemoryWithoutValue,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
-setp.ge.u32 %p0, %t, 32;
-@%p0 bra MET;
st.shared.u32 [%r1], %t;
MET:
bar.sync 0;
ld.shared.u32 %r0, [%r1];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `half_of_a_tile` stopped by the simulator: the kernel leaves an uninitialised value in global memory: it comes from the read of `tile[32]`, where nothing was written (PTX line 39, `ld.shared.u32`, from half_of_a_tile:10:1); `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `half_of_a_tile`, block (0, 0, 0), thread (32, 0, 0), PTX line 41, `st.global.u32`, from half_of_a_tile:11:1
              32 times"#]],
    },
    Case {
        name: "element_of_a_variable",
        detector: Detector::MemoryWithoutValue,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.local .align 4 .b32 v[2];
mov.u64 %d0, v;
st.local.u32 [%d0], %t;
+st.local.u32 [%d0+4], %t;
and.b32 %r1, %t, 1;
mul.wide.u32 %d1, %r1, 4;
add.u64 %d0, %d0, %d1;
ld.local.u32 %r0, [%d0];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `element_of_a_variable` stopped by the simulator: the kernel leaves an uninitialised value in global memory: it comes from the read of 4 bytes at local address 0x4, where nothing was written (PTX line 34, `ld.local.u32`, from element_of_a_variable:8:1)
            help: write it before it is read: memory and registers have no first value
              in `element_of_a_variable`, block (0, 0, 0), thread (1, 0, 0), PTX line 36, `st.global.u32`, from element_of_a_variable:9:1
              16 times"#]],
    },
    Case {
        name: "atomic_on_nothing",
        detector: Detector::MemoryWithoutValue,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Raw(64),
        body: "\
+setp.ne.u32 %p0, %t, 0;
+@%p0 bra MET;
+st.global.u32 [%x], 0;
+MET:
+bar.sync 0;
atom.global.add.u32 %r0, [%x], 1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `atomic_on_nothing` stopped by the simulator: read of `x[0]` finds no value: nothing has written there; `x` is a buffer of 64 `u32` made at harness.rs
              in `atomic_on_nothing`, block (0, 0, 0), thread (0, 0, 0), PTX line 23, `atom.global.add.u32`, from atomic_on_nothing:6:1"#]],
    },
    Case {
        name: "set_on_one_path",
        detector: Detector::RegisterWithoutValue,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
+mov.u32 %r1, 0;
setp.ge.u32 %p0, %t, 5;
@%p0 bra JOIN;
mov.u32 %r1, 7;
JOIN:
add.u32 %r0, %r1, 1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `set_on_one_path` stopped by the simulator: the kernel leaves an uninitialised value in global memory: it comes from a register that nothing has written, read at PTX line 30, `add.u32`, from set_on_one_path:6:1
            help: write it before it is read: memory and registers have no first value
              in `set_on_one_path`, block (0, 0, 0), thread (5, 0, 0), PTX line 32, `st.global.u32`, from set_on_one_path:7:1
              27 times"#]],
    },
    Case {
        name: "sum_that_starts_nowhere",
        detector: Detector::RegisterWithoutValue,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
+mov.u32 %r1, 0;
mov.u32 %r2, 0;
LOOP:
add.u32 %r1, %r1, %r2;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p0, %r2, 4;
@%p0 bra LOOP;
st.global.u32 [%yi], %r1;",
        expected: expect![[r#"
            kernel `sum_that_starts_nowhere` stopped by the simulator: the kernel leaves an uninitialised value in global memory: it comes from a register that nothing has written, read at PTX line 26, `add.u32`, from sum_that_starts_nowhere:4:1
            help: write it before it is read: memory and registers have no first value
              in `sum_that_starts_nowhere`, block (0, 0, 0), thread (0, 0, 0), PTX line 34, `st.global.u32`, from sum_that_starts_nowhere:8:1
              32 times"#]],
    },
    Case {
        name: "condition_that_nobody_set",
        detector: Detector::RegisterWithoutValue,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
+setp.lt.u32 %p1, %t, 16;
mov.u32 %r0, 1;
@%p1 mov.u32 %r0, 2;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `condition_that_nobody_set` stopped by the simulator: the kernel leaves an uninitialised value in global memory: it comes from a register that nothing has written, read at PTX line 25, `mov.u32`, from condition_that_nobody_set:3:1
            help: write it before it is read: memory and registers have no first value
              in `condition_that_nobody_set`, block (0, 0, 0), thread (0, 0, 0), PTX line 27, `st.global.u32`, from condition_that_nobody_set:4:1
              32 times"#]],
    },
    Case {
        name: "address_that_nobody_made",
        detector: Detector::RegisterWithoutValue,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.lt.u32 %p0, %t, 32;
+mov.u64 %d0, %xi;
-@!%p0 mov.u64 %d0, %xi;
ld.global.u32 %r0, [%d0];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `address_that_nobody_made` stopped by the simulator: the address of this access depends on an uninitialised value: it comes from a register that nothing has written, read at PTX line 27, `ld.global.u32`, from address_that_nobody_made:4:1
            help: write it before it is read: memory and registers have no first value
              in `address_that_nobody_made`, block (0, 0, 0), thread (0, 0, 0), PTX line 27, `ld.global.u32`, from address_that_nobody_made:4:1
              32 times"#]],
    },
];
