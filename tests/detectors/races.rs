//! Accesses of several threads that nothing orders.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "neighbour_without_a_barrier",
        detector: Detector::SharedRace,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
add.u32 %r3, %t, 1;
rem.u32 %r3, %r3, %n;
shl.b32 %r3, %r3, 2;
mov.u32 %r4, tile;
add.u32 %r3, %r3, %r4;
st.shared.u32 [%r1], %t;
+bar.sync 0;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `neighbour_without_a_barrier` stopped by the simulator: race: write of `tile[32]` and a read of thread (31, 0, 0) (PTX line 42, `ld.shared.u32`, from neighbour_without_a_barrier:12:1), and nothing orders them; `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `neighbour_without_a_barrier`, block (0, 0, 0), thread (32, 0, 0), PTX line 40, `st.shared.u32`, from neighbour_without_a_barrier:10:1
              64 times"#]],
    },
    Case {
        name: "loop_without_a_second_barrier",
        detector: Detector::SharedRace,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
add.u32 %r3, %t, 1;
rem.u32 %r3, %r3, %n;
shl.b32 %r3, %r3, 2;
mov.u32 %r4, tile;
add.u32 %r3, %r3, %r4;
mov.u32 %r0, %t;
mov.u32 %r5, 0;
LOOP:
st.shared.u32 [%r1], %r0;
bar.sync 0;
ld.shared.u32 %r0, [%r3];
+bar.sync 0;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p0, %r5, 3;
@%p0 bra LOOP;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `loop_without_a_second_barrier` stopped by the simulator: race: read of `tile[0]` and a write of thread (0, 0, 0) (PTX line 45, `st.shared.u32`, from loop_without_a_second_barrier:13:1), and nothing orders them; `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `loop_without_a_second_barrier`, block (0, 0, 0), thread (63, 0, 0), PTX line 49, `ld.shared.u32`, from loop_without_a_second_barrier:15:1
              128 times"#]],
    },
    Case {
        name: "warp_without_a_barrier",
        detector: Detector::SharedRace,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
add.u32 %r3, %t, 1;
rem.u32 %r3, %r3, %n;
shl.b32 %r3, %r3, 2;
mov.u32 %r4, tile;
add.u32 %r3, %r3, %r4;
st.shared.u32 [%r1], %t;
+bar.warp.sync -1;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `warp_without_a_barrier` stopped by the simulator: race: read of `tile[1]` and a write of thread (1, 0, 0) (PTX line 40, `st.shared.u32`, from warp_without_a_barrier:10:1), and nothing orders them; `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: lanes of a warp are in no order: put a barrier between them, or, if no other warp accesses this, `warp::sync()`, in PTX `bar.warp.sync`, or make both atomic
              in `warp_without_a_barrier`, block (0, 0, 0), thread (0, 0, 0), PTX line 42, `ld.shared.u32`, from warp_without_a_barrier:12:1
              32 times"#]],
    },
    Case {
        name: "all_write_one_word",
        detector: Detector::SharedRace,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 total;
+setp.ne.u32 %p0, %t, 3;
+@%p0 bra MET;
st.shared.u32 [total], %t;
MET:
bar.sync 0;
ld.shared.u32 %r0, [total];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `all_write_one_word` stopped by the simulator: race: write of `total[0]` and a write of thread (31, 0, 0) (PTX line 24, `st.shared.u32`, from all_write_one_word:4:1), and nothing orders them; `total` is a shared variable of 4 bytes, counted here in elements of 4
            help: no barrier parts what one line does: where threads meet in an element, make it one atomic operation, `fetch_add` say, or give each an element of its own; where they meet in two iterations of a loop, put a barrier between these
              in `all_write_one_word`, block (0, 0, 0), thread (32, 0, 0), PTX line 24, `st.shared.u32`, from all_write_one_word:4:1
              94 times"#]],
    },
    Case {
        name: "tree_without_barriers",
        detector: Detector::SharedRace,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
st.shared.u32 [%r1], %t;
bar.sync 0;
mov.u32 %r5, 32;
LOOP:
setp.ge.u32 %p0, %t, %r5;
@%p0 bra MET;
shl.b32 %r6, %r5, 2;
add.u32 %r6, %r1, %r6;
ld.shared.u32 %r7, [%r6];
ld.shared.u32 %r0, [%r1];
add.u32 %r0, %r0, %r7;
st.shared.u32 [%r1], %r0;
MET:
+bar.sync 0;
shr.u32 %r5, %r5, 1;
setp.ne.u32 %p0, %r5, 0;
@%p0 bra LOOP;
setp.ne.u32 %p0, %t, 0;
@%p0 bra END;
st.global.u32 [%y], %r0;
END:",
        expected: expect![[r#"
            kernel `tree_without_barriers` stopped by the simulator: race: read of `tile[16]` and a write of thread (16, 0, 0) (PTX line 51, `st.shared.u32`, from tree_without_barriers:16:1), and nothing orders them; `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: lanes of a warp are in no order: put a barrier between them, or, if no other warp accesses this, `warp::sync()`, in PTX `bar.warp.sync`, or make both atomic
              in `tree_without_barriers`, block (0, 0, 0), thread (0, 0, 0), PTX line 45, `ld.shared.u32`, from tree_without_barriers:13:1
              31 times"#]],
    },
    Case {
        name: "blocks_write_one_word",
        detector: Detector::GlobalRace,
        blocks: 4,
        threads: 1,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-st.global.u32 [%x], %b;
+st.global.u32 [%xi], %b;",
        expected: expect![[r#"
            kernel `blocks_write_one_word` stopped by the simulator: race: write of `x[0]` and a write of thread (0, 0, 0) of block number 1 (PTX line 23, `st.global.u32`, from blocks_write_one_word:1:1), and nothing orders them; `x` is a buffer of 64 `u32` made at harness.rs
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `blocks_write_one_word`, block (2, 0, 0), thread (0, 0, 0), PTX line 23, `st.global.u32`, from blocks_write_one_word:1:1
              2 times"#]],
    },
    Case {
        name: "stencil_in_place",
        detector: Detector::GlobalRace,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(65),
        body: "\
ld.global.u32 %r0, [%xi+4];
add.u32 %r0, %r0, %t;
-st.global.u32 [%xi], %r0;
+st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `stencil_in_place` stopped by the simulator: race: write of `x[32]` and a read of thread (31, 0, 0) (PTX line 23, `ld.global.u32`, from stencil_in_place:1:1), and nothing orders them; `x` is a buffer of 65 `u32` made at harness.rs
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `stencil_in_place`, block (0, 0, 0), thread (32, 0, 0), PTX line 27, `st.global.u32`, from stencil_in_place:3:1
              63 times"#]],
    },
    Case {
        name: "counter_read_plainly",
        detector: Detector::GlobalRace,
        blocks: 2,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ne.u32 %p0, %b, 0;
@%p0 bra READ;
atom.global.add.u32 %r0, [%x], 1;
bra END;
READ:
-ld.global.u32 %r0, [%x];
+atom.global.add.u32 %r0, [%x], 0;
END:
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `counter_read_plainly` stopped by the simulator: race: read of `x[0]` and a write of thread (31, 0, 0) of block number 0 (PTX line 27, `atom.global.add.u32`, from counter_read_plainly:3:1), and nothing orders them; `x` is a buffer of 64 `u32` made at harness.rs
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `counter_read_plainly`, block (1, 0, 0), thread (0, 0, 0), PTX line 32, `ld.global.u32`, from counter_read_plainly:6:1
              32 times"#]],
    },
    Case {
        name: "last_block_without_a_fence",
        detector: Detector::GlobalRace,
        blocks: 4,
        threads: 1,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
st.global.u32 [%xi+4], %n;
+membar.gl;
atom.global.add.u32 %r0, [%x], 1;
setp.ne.u32 %p0, %r0, 3;
@%p0 bra END;
ld.global.u32 %r0, [%x+4];
st.global.u32 [%yi], %r0;
END:",
        expected: expect![[r#"
            kernel `last_block_without_a_fence` stopped by the simulator: race: read of `x[1]` and a write of thread (0, 0, 0) of block number 0 (PTX line 23, `st.global.u32`, from last_block_without_a_fence:1:1), and nothing orders them; `x` is a buffer of 64 `u32` made at harness.rs
            help: the kernel acquires, but releases nothing: let who writes the flag do so, `Ordering::Release` (PTX line 25, `atom.global.add.u32`, from last_block_without_a_fence:3:1); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `last_block_without_a_fence`, block (3, 0, 0), thread (0, 0, 0), PTX line 31, `ld.global.u32`, from last_block_without_a_fence:6:1"#]],
    },
    Case {
        name: "flag_without_acquire",
        detector: Detector::GlobalRace,
        blocks: 2,
        threads: 1,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ne.u32 %p0, %b, 0;
@%p0 bra TAKE;
st.global.u32 [%x+4], 7;
st.release.gpu.global.u32 [%x], 1;
bra END;
TAKE:
-ld.relaxed.gpu.global.u32 %r0, [%x];
+ld.acquire.gpu.global.u32 %r0, [%x];
setp.eq.u32 %p0, %r0, 0;
@%p0 bra TAKE;
ld.global.u32 %r1, [%x+4];
st.global.u32 [%y], %r1;
END:",
        expected: expect![[r#"
            kernel `flag_without_acquire` stopped by the simulator: race: read of `x[1]` and a write of thread (0, 0, 0) of block number 0 (PTX line 27, `st.global.u32`, from flag_without_acquire:3:1), and nothing orders them; `x` is a buffer of 64 `u32` made at harness.rs
            help: the kernel releases, but acquires nothing: let who reads the flag do so, `Ordering::Acquire` (PTX line 34, `ld.relaxed.gpu.global.u32`, from flag_without_acquire:7:1); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `flag_without_acquire`, block (1, 0, 0), thread (0, 0, 0), PTX line 40, `ld.global.u32`, from flag_without_acquire:11:1"#]],
    },
    Case {
        name: "fence_of_the_block",
        detector: Detector::GlobalRace,
        blocks: 2,
        threads: 1,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ne.u32 %p0, %b, 0;
@%p0 bra TAKE;
st.global.u32 [%x+4], 7;
-fence.acq_rel.cta;
+fence.acq_rel.gpu;
st.relaxed.gpu.global.u32 [%x], 1;
bra END;
TAKE:
ld.acquire.gpu.global.u32 %r0, [%x];
setp.eq.u32 %p0, %r0, 0;
@%p0 bra TAKE;
ld.global.u32 %r1, [%x+4];
st.global.u32 [%y], %r1;
END:",
        expected: expect![[r#"
            kernel `fence_of_the_block` stopped by the simulator: race: read of `x[1]` and a write of thread (0, 0, 0) of block number 0 (PTX line 27, `st.global.u32`, from fence_of_the_block:3:1), and nothing orders them; `x` is a buffer of 64 `u32` made at harness.rs
            help: what is of the scope of a block orders no other blocks: take that of the device (PTX line 29, `fence.acq_rel.cta`, from fence_of_the_block:4:1); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `fence_of_the_block`, block (1, 0, 0), thread (0, 0, 0), PTX line 42, `ld.global.u32`, from fence_of_the_block:12:1"#]],
    },
    Case {
        name: "flag_without_release",
        detector: Detector::GlobalRace,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
setp.ne.u32 %p1, %t, 0;
@%p1 bra END;
st.global.u32 [%x+8], 5;
-st.relaxed.gpu.global.u32 [%x], 1;
+st.release.gpu.global.u32 [%x], 1;
bra END;
TAKE:
ld.acquire.gpu.global.u32 %r0, [%x];
setp.eq.u32 %p1, %r0, 0;
@%p1 bra TAKE;
ld.global.u32 %r0, [%x+8];
st.global.u32 [%yi], %r0;
END:",
        expected: expect![[r#"
            kernel `flag_without_release` stopped by the simulator: race: read of `x[2]` and a write of thread (0, 0, 0) (PTX line 31, `st.global.u32`, from flag_without_release:5:1), and nothing orders them; `x` is a buffer of 64 `u32` made at harness.rs
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `flag_without_release`, block (0, 0, 0), thread (32, 0, 0), PTX line 44, `ld.global.u32`, from flag_without_release:13:1
              32 times"#]],
    },
];
