//! Threads that wait for the end of a phase of a barrier in memory, which does not come.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "one_arrival_too_few",
        detector: Detector::PhaseDeadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
-mbarrier.init.shared.b64 [%r2], 65;
+mbarrier.init.shared.b64 [%r2], 64;
READY:
bar.sync 0;
mbarrier.arrive.shared.b64 %d1, [%r2];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `one_arrival_too_few` stopped by the simulator: deadlock in `one_arrival_too_few`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `bar[0]`: 1 of 65 arrivals are missing (PTX line 38, `mbarrier.try_wait.parity.shared.b64`, from one_arrival_too_few:11:1)
              warp 1 lanes 0xffffffff wait for the barrier `bar[0]`: 1 of 65 arrivals are missing (PTX line 38, `mbarrier.try_wait.parity.shared.b64`, from one_arrival_too_few:11:1)"#]],
    },
    Case {
        name: "bytes_that_nobody_sends",
        detector: Detector::PhaseDeadlock,
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
-mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 512;
+mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `bytes_that_nobody_sends` stopped by the simulator: deadlock in `bytes_that_nobody_sends`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `bar[0]`: all arrivals have come, but not 256 bytes that were announced (PTX line 49, `mbarrier.try_wait.parity.shared.b64`, from bytes_that_nobody_sends:17:1)
              warp 1 lanes 0xffffffff wait for the barrier `bar[0]`: all arrivals have come, but not 256 bytes that were announced (PTX line 49, `mbarrier.try_wait.parity.shared.b64`, from bytes_that_nobody_sends:17:1)"#]],
    },
    Case {
        name: "full_waits_for_empty",
        detector: Detector::PhaseDeadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [full], 32;
mbarrier.init.shared.b64 [empty], 32;
READY:
bar.sync 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
GIVE:
-mbarrier.try_wait.parity.shared.b64 %p1, [empty], 0;
+mbarrier.try_wait.parity.shared.b64 %p1, [empty], 1;
@!%p1 bra GIVE;
mbarrier.arrive.shared.b64 %d1, [full];
bra END;
TAKE:
mbarrier.try_wait.parity.shared.b64 %p1, [full], 0;
@!%p1 bra TAKE;
mbarrier.arrive.shared.b64 %d1, [empty];
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `full_waits_for_empty` stopped by the simulator: deadlock in `full_waits_for_empty`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `empty[0]`: 32 of 32 arrivals are missing (PTX line 41, `mbarrier.try_wait.parity.shared.b64`, from full_waits_for_empty:12:1)
              warp 1 lanes 0xffffffff wait for the barrier `full[0]`: 32 of 32 arrivals are missing (PTX line 50, `mbarrier.try_wait.parity.shared.b64`, from full_waits_for_empty:18:1)"#]],
    },
    Case {
        name: "arrives_behind_its_own_wait",
        detector: Detector::PhaseDeadlock,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 32;
READY:
bar.warp.sync -1;
setp.ne.u32 %p0, %t, 31;
+mbarrier.arrive.shared.b64 %d1, [%r2];
-@%p0 mbarrier.arrive.shared.b64 %d1, [%r2];
WAIT:
mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
-@!%p0 mbarrier.arrive.shared.b64 %d1, [%r2];
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `arrives_behind_its_own_wait` stopped by the simulator: deadlock in `arrives_behind_its_own_wait`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `bar[0]`: 1 of 32 arrivals are missing (PTX line 40, `mbarrier.test_wait.parity.shared.b64`, from arrives_behind_its_own_wait:12:1)"#]],
    },
    Case {
        name: "waits_behind_a_thread_that_counts",
        detector: Detector::PhaseDeadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
-mbarrier.init.shared.b64 [%r2], 2;
+mbarrier.init.shared.b64 [%r2], 1;
mbarrier.arrive.shared.b64 %d1, [%r2];
READY:
bar.sync 0;
mov.u32 %r4, 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra END;
WAIT:
add.u32 %r4, %r4, 1;
mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
END:
bar.sync 0;
st.global.u32 [%yi], %r4;",
        expected: expect![[r#"
            kernel `waits_behind_a_thread_that_counts` stopped by the simulator: deadlock in `waits_behind_a_thread_that_counts`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `bar[0]`: 1 of 2 arrivals are missing (PTX line 46, `mbarrier.test_wait.parity.shared.b64`, from waits_behind_a_thread_that_counts:15:1)
              warp 1 lanes 0xffffffff wait at barrier 0 (PTX line 51, `bar.sync`, from waits_behind_a_thread_that_counts:18:1)"#]],
    },
];
