//! Bulk copies whose bytes are used before anybody has waited for them, or that nobody waits for.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "bulk_copy_without_a_wait",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
READY:
bar.sync 0;
+WAIT:
+mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
+@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `bulk_copy_without_a_wait` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 43, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from bulk_copy_without_a_wait:12:1)
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `bulk_copy_without_a_wait`, block (0, 0, 0), thread (0, 0, 0), PTX line 48, `ld.shared.u32`, from bulk_copy_without_a_wait:18:1
              64 times"#]],
    },
    Case {
        name: "waits_for_the_phase_before",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
READY:
bar.sync 0;
WAIT:
-mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 1;
+mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;
-LAST:
-mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
-@!%p1 bra LAST;",
        expected: expect![[r#"
            kernel `waits_for_the_phase_before` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 43, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from waits_for_the_phase_before:12:1)
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `waits_for_the_phase_before`, block (0, 0, 0), thread (0, 0, 0), PTX line 53, `ld.shared.u32`, from waits_for_the_phase_before:19:1
              32 times"#]],
    },
    Case {
        name: "waits_for_another_barrier",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
.shared .align 8 .b64 other;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
mbarrier.init.shared.b64 [other], 1;
mbarrier.arrive.shared.b64 %d2, [other];
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
READY:
bar.sync 0;
WAIT:
-mbarrier.try_wait.parity.shared.b64 %p1, [other], 0;
+mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;
-LAST:
-mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
-@!%p1 bra LAST;",
        expected: expect![[r#"
            kernel `waits_for_another_barrier` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 48, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from waits_for_another_barrier:15:1)
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `waits_for_another_barrier`, block (0, 0, 0), thread (0, 0, 0), PTX line 58, `ld.shared.u32`, from waits_for_another_barrier:22:1
              32 times"#]],
    },
    Case {
        name: "only_one_thread_waits",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
READY:
bar.sync 0;
@%p0 bra OTHERS;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
OTHERS:
+bar.sync 0;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `only_one_thread_waits` stopped by the simulator: race: read of `tile[32]` and a write of thread (0, 0, 0) (PTX line 43, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from only_one_thread_waits:12:1), and nothing orders them; `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `only_one_thread_waits`, block (0, 0, 0), thread (32, 0, 0), PTX line 56, `ld.shared.u32`, from only_one_thread_waits:21:1
              32 times"#]],
    },
    Case {
        name: "overwritten_while_it_is_stored",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
st.shared.u32 [%r3], %t;
fence.proxy.async;
bar.sync 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra STORED;
cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 256;
cp.async.bulk.commit_group;
+cp.async.bulk.wait_group.read 0;
STORED:
bar.sync 0;
st.shared.u32 [%r3], 7;
-cp.async.bulk.wait_group.read 0;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `overwritten_while_it_is_stored` stopped by the simulator: write of `tile[0]` does not wait for the copy that reads these bytes, started by thread (0, 0, 0) (PTX line 43, `cp.async.bulk.global.shared::cta.bulk_group`, from overwritten_while_it_is_stored:12:1)
            help: wait for it: `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group`, then a barrier for other threads
              in `overwritten_while_it_is_stored`, block (0, 0, 0), thread (0, 0, 0), PTX line 50, `st.shared.u32`, from overwritten_while_it_is_stored:17:1
              32 times"#]],
    },
    Case {
        name: "overwritten_by_another_copy",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
st.shared.u32 [%r3], %t;
fence.proxy.async;
bar.sync 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra STORED;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 256;
cp.async.bulk.commit_group;
+cp.async.bulk.wait_group.read 0;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%y], 256, [%r2];
-cp.async.bulk.wait_group.read 0;
STORED:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi+1024], %r0;",
        expected: expect![[r#"
            kernel `overwritten_by_another_copy` stopped by the simulator: write of `tile[0]` does not wait for the copy that reads these bytes, started by thread (0, 0, 0) (PTX line 47, `cp.async.bulk.global.shared::cta.bulk_group`, from overwritten_by_another_copy:14:1)
            help: wait for it: `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group`, then a barrier for other threads
              in `overwritten_by_another_copy`, block (0, 0, 0), thread (0, 0, 0), PTX line 53, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from overwritten_by_another_copy:18:1"#]],
    },
    Case {
        name: "store_that_nobody_awaits",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
st.shared.u32 [%r3], %t;
fence.proxy.async;
bar.sync 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra STORED;
cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 256;
cp.async.bulk.commit_group;
+cp.async.bulk.wait_group 0;
STORED:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `store_that_nobody_awaits` stopped by the simulator: nothing waits for this copy before the block ends
            help: wait for it: `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group`, then a barrier for other threads
              in `store_that_nobody_awaits`, block (0, 0, 0), thread (0, 0, 0), PTX line 43, `cp.async.bulk.global.shared::cta.bulk_group`, from store_that_nobody_awaits:12:1"#]],
    },
    Case {
        name: "store_that_is_not_committed",
        detector: Detector::MissingBulkWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
st.shared.u32 [%r3], %t;
fence.proxy.async;
bar.sync 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra STORED;
cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 256;
+cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
STORED:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `store_that_is_not_committed` stopped by the simulator: nothing waits for this copy before the block ends
            help: wait for it: `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group`, then a barrier for other threads
              in `store_that_is_not_committed`, block (0, 0, 0), thread (0, 0, 0), PTX line 43, `cp.async.bulk.global.shared::cta.bulk_group`, from store_that_is_not_committed:12:1"#]],
    },
];
