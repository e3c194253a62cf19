//! Barriers in memory (`mbarrier`) that are used before, beside or after their lives; stages that are written or released too early; wrong numbers of
//! bytes; and copies that the block does not wait for.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "barrier_that_nobody_begins",
        detector: Detector::BarrierMisuse,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
+mbarrier.init.shared.b64 [%r2], 64;
READY:
bar.sync 0;
mbarrier.arrive.shared.b64 %d1, [%r2];
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `barrier_that_nobody_begins` stopped by the simulator: write of `bar[0]` finds no barrier there: nobody has initialised it
            help: let one thread begin it, `mbarrier.init`, and the others wait at a barrier of the block before they use it
              in `barrier_that_nobody_begins`, block (0, 0, 0), thread (0, 0, 0), PTX line 33, `mbarrier.arrive.shared.b64`, from barrier_that_nobody_begins:8:1
              32 times"#]],
    },
    Case {
        name: "barrier_begun_in_a_loop",
        detector: Detector::BarrierMisuse,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
mov.u32 %r4, 0;
setp.ne.u32 %p0, %t, 0;
+@!%p0 mbarrier.init.shared.b64 [%r2], 64;
+bar.sync 0;
LOOP:
-@!%p0 mbarrier.init.shared.b64 [%r2], 64;
bar.sync 0;
mbarrier.arrive.shared.b64 %d1, [%r2];
WAIT:
mbarrier.test_wait.shared.b64 %p1, [%r2], %d1;
@!%p1 bra WAIT;
bar.sync 0;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra LOOP;
st.global.u32 [%yi], %r4;",
        expected: expect![[r#"
            kernel `barrier_begun_in_a_loop` stopped by the simulator: write of `bar[0]` begins a barrier that is there already (PTX line 31, `mbarrier.init.shared.b64`, from barrier_begun_in_a_loop:8:1)
            help: begin it once, outside of loops, or end it first: `mbarrier.inval`
              in `barrier_begun_in_a_loop`, block (0, 0, 0), thread (0, 0, 0), PTX line 31, `mbarrier.init.shared.b64`, from barrier_begun_in_a_loop:8:1"#]],
    },
    Case {
        name: "used_after_its_end",
        detector: Detector::BarrierMisuse,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r2], 64;
bar.sync 0;
mbarrier.arrive.shared.b64 %d1, [%r2];
WAIT:
mbarrier.test_wait.shared.b64 %p1, [%r2], %d1;
@!%p1 bra WAIT;
bar.sync 0;
-@!%p0 mbarrier.inval.shared.b64 [%r2];
-bar.sync 0;
mbarrier.arrive.shared.b64 %d1, [%r2];
+bar.sync 0;
+@!%p0 mbarrier.inval.shared.b64 [%r2];
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `used_after_its_end` stopped by the simulator: write of `bar[0]` finds no barrier there: it has ended (PTX line 41, `mbarrier.inval.shared.b64`, from used_after_its_end:11:1)
            help: let one thread begin it, `mbarrier.init`, and the others wait at a barrier of the block before they use it
              in `used_after_its_end`, block (0, 0, 0), thread (0, 0, 0), PTX line 45, `mbarrier.arrive.shared.b64`, from used_after_its_end:13:1
              32 times"#]],
    },
    Case {
        name: "arrives_twice",
        detector: Detector::ReleasedTwice,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r2], 32;
bar.sync 0;
mbarrier.arrive.shared.b64 %d1, [%r2];
setp.eq.u32 %p1, %t, 31;
-@%p1 mbarrier.arrive.shared.b64 %d1, [%r2], 32;
-@%p1 mbarrier.arrive.shared.b64 %d1, [%r2];
-@!%p0 mbarrier.arrive.shared.b64 %d1, [%r2], 32;
WAIT:
mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `arrives_twice` stopped by the simulator: 32 arrivals at a barrier that waits for 31
            help: let as many threads arrive in each phase as `mbarrier.init` says, each once, and none for the next phase before it has waited for this one
              in `arrives_twice`, block (0, 0, 0), thread (0, 0, 0), PTX line 40, `mbarrier.arrive.shared.b64`, from arrives_twice:10:1"#]],
    },
    Case {
        name: "written_before_it_is_released",
        detector: Detector::StageOverwritten,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 stage[256];
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [full], 32;
mbarrier.init.shared.b64 [empty], 32;
READY:
bar.sync 0;
mov.u32 %r1, stage;
and.b32 %r3, %t, 31;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
mov.u32 %r4, 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
GIVE:
xor.b32 %r5, %r4, 1;
EMPTY:
mbarrier.try_wait.parity.shared.b64 %p1, [empty], %r5;
@!%p1 bra EMPTY;
add.u32 %r6, %r4, 7;
st.shared.u32 [%r3], %r6;
mbarrier.arrive.shared.b64 %d1, [full];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra GIVE;
bra END;
TAKE:
FULL:
mbarrier.try_wait.parity.shared.b64 %p1, [full], %r4;
@!%p1 bra FULL;
-mbarrier.arrive.shared.b64 %d1, [empty];
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;
+mbarrier.arrive.shared.b64 %d1, [empty];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra TAKE;
END:
st.global.u32 [%yi], %r4;",
        expected: expect![[r#"
            kernel `written_before_it_is_released` stopped by the simulator: race: write of `stage[0]` and a read of thread (32, 0, 0) (PTX line 81, `ld.shared.u32`, from written_before_it_is_released:34:1), and nothing orders them; `stage` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `written_before_it_is_released`, block (0, 0, 0), thread (0, 0, 0), PTX line 61, `st.shared.u32`, from written_before_it_is_released:23:1
              32 times"#]],
    },
    Case {
        name: "released_by_one_of_two_readers",
        detector: Detector::StageOverwritten,
        blocks: 1,
        threads: 96,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 stage[256];
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [full], 32;
-mbarrier.init.shared.b64 [empty], 32;
+mbarrier.init.shared.b64 [empty], 64;
READY:
bar.sync 0;
mov.u32 %r1, stage;
and.b32 %r3, %t, 31;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
mov.u32 %r4, 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
GIVE:
xor.b32 %r5, %r4, 1;
EMPTY:
mbarrier.try_wait.parity.shared.b64 %p1, [empty], %r5;
@!%p1 bra EMPTY;
add.u32 %r6, %r4, 7;
st.shared.u32 [%r3], %r6;
mbarrier.arrive.shared.b64 %d1, [full];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra GIVE;
bra END;
TAKE:
mbarrier.try_wait.parity.shared.b64 %p1, [full], %r4;
@!%p1 bra TAKE;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;
-setp.lt.u32 %p3, %t, 64;
+setp.lt.u32 %p3, %t, 96;
@%p3 mbarrier.arrive.shared.b64 %d1, [empty];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra TAKE;
END:
st.global.u32 [%yi], %r4;",
        expected: expect![[r#"
            kernel `released_by_one_of_two_readers` stopped by the simulator: race: write of `stage[0]` and a read of thread (64, 0, 0) (PTX line 78, `ld.shared.u32`, from released_by_one_of_two_readers:33:1), and nothing orders them; `stage` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `released_by_one_of_two_readers`, block (0, 0, 0), thread (0, 0, 0), PTX line 61, `st.shared.u32`, from released_by_one_of_two_readers:24:1
              32 times"#]],
    },
    Case {
        name: "released_for_others_too_early",
        detector: Detector::StageOverwritten,
        blocks: 1,
        threads: 96,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 stage[256];
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [full], 32;
mbarrier.init.shared.b64 [empty], 1;
READY:
bar.sync 0;
mov.u32 %r1, stage;
and.b32 %r3, %t, 31;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
mov.u32 %r4, 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
GIVE:
xor.b32 %r5, %r4, 1;
EMPTY:
mbarrier.try_wait.parity.shared.b64 %p1, [empty], %r5;
@!%p1 bra EMPTY;
add.u32 %r6, %r4, 7;
st.shared.u32 [%r3], %r6;
mbarrier.arrive.shared.b64 %d1, [full];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra GIVE;
bra END;
TAKE:
mbarrier.try_wait.parity.shared.b64 %p1, [full], %r4;
@!%p1 bra TAKE;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;
setp.eq.u32 %p3, %t, 32;
+bar.sync 1, 64;
@%p3 mbarrier.arrive.shared.b64 %d1, [empty];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra TAKE;
END:
st.global.u32 [%yi], %r4;",
        expected: expect![[r#"
            kernel `released_for_others_too_early` stopped by the simulator: race: write of `stage[0]` and a read of thread (64, 0, 0) (PTX line 78, `ld.shared.u32`, from released_for_others_too_early:32:1), and nothing orders them; `stage` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `released_for_others_too_early`, block (0, 0, 0), thread (0, 0, 0), PTX line 61, `st.shared.u32`, from released_for_others_too_early:23:1
              32 times"#]],
    },
    Case {
        name: "filled_without_a_look",
        detector: Detector::PhaseDeadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 stage[256];
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [full], 32;
mbarrier.init.shared.b64 [empty], 32;
READY:
bar.sync 0;
mov.u32 %r1, stage;
and.b32 %r3, %t, 31;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
mov.u32 %r4, 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
GIVE:
xor.b32 %r5, %r4, 1;
+EMPTY:
+mbarrier.try_wait.parity.shared.b64 %p1, [empty], %r5;
+@!%p1 bra EMPTY;
add.u32 %r6, %r4, 7;
st.shared.u32 [%r3], %r6;
mbarrier.arrive.shared.b64 %d1, [full];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra GIVE;
bra END;
TAKE:
FULL:
mbarrier.try_wait.parity.shared.b64 %p1, [full], %r4;
@!%p1 bra FULL;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;
mbarrier.arrive.shared.b64 %d1, [empty];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra TAKE;
END:
st.global.u32 [%yi], %r4;",
        expected: expect![[r#"
            kernel `filled_without_a_look` stopped by the simulator: deadlock in `filled_without_a_look`, block (0, 0, 0):
              warp 1 lanes 0xffffffff wait for the barrier `full[0]`: 32 of 32 arrivals are missing (PTX line 70, `mbarrier.try_wait.parity.shared.b64`, from filled_without_a_look:31:1)"#]],
    },
    Case {
        name: "released_twice_by_each",
        detector: Detector::ReleasedTwice,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 stage[256];
.shared .align 8 .b64 full;
.shared .align 8 .b64 empty;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [full], 32;
mbarrier.init.shared.b64 [empty], 32;
READY:
bar.sync 0;
mov.u32 %r1, stage;
and.b32 %r3, %t, 31;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
mov.u32 %r4, 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
GIVE:
xor.b32 %r5, %r4, 1;
EMPTY:
mbarrier.try_wait.parity.shared.b64 %p1, [empty], %r5;
@!%p1 bra EMPTY;
add.u32 %r6, %r4, 7;
st.shared.u32 [%r3], %r6;
mbarrier.arrive.shared.b64 %d1, [full];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra GIVE;
bra END;
TAKE:
FULL:
mbarrier.try_wait.parity.shared.b64 %p1, [full], %r4;
@!%p1 bra FULL;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;
mbarrier.arrive.shared.b64 %d1, [empty];
-mbarrier.arrive.shared.b64 %d1, [empty];
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra TAKE;
END:
st.global.u32 [%yi], %r4;",
        expected: expect![[r#"
            kernel `released_twice_by_each` stopped by the simulator: deadlock in `released_twice_by_each`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `empty[0]`: 32 of 32 arrivals are missing (PTX line 55, `mbarrier.try_wait.parity.shared.b64`, from released_twice_by_each:20:1)
              warp 1 lanes 0xffffffff wait for the barrier `full[0]`: 32 of 32 arrivals are missing (PTX line 75, `mbarrier.try_wait.parity.shared.b64`, from released_twice_by_each:31:1)"#]],
    },
    Case {
        name: "one_count_for_two_warps",
        detector: Detector::ReleasedTwice,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 8 .b64 bar;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
-@!%p0 mbarrier.init.shared.b64 [%r2], 48;
+@!%p0 mbarrier.init.shared.b64 [%r2], 64;
bar.sync 0;
mov.u32 %r4, 32;
and.b32 %r5, %t, 31;
setp.ne.u32 %p1, %r5, 0;
@!%p1 mbarrier.arrive.shared.b64 %d1, [%r2], %r4;
WAIT:
mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `one_count_for_two_warps` stopped by the simulator: 32 arrivals at a barrier that waits for 16
            help: let as many threads arrive in each phase as `mbarrier.init` says, each once, and none for the next phase before it has waited for this one
              in `one_count_for_two_warps`, block (0, 0, 0), thread (32, 0, 0), PTX line 38, `mbarrier.arrive.shared.b64`, from one_count_for_two_warps:10:1"#]],
    },
    Case {
        name: "fewer_bytes_announced",
        detector: Detector::WrongBytes,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[512];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
-mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 128;
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
            kernel `fewer_bytes_announced` stopped by the simulator: deadlock in `fewer_bytes_announced`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `bar[0]`: all arrivals have come, and 128 bytes that nobody has announced (PTX line 49, `mbarrier.try_wait.parity.shared.b64`, from fewer_bytes_announced:17:1)
              warp 1 lanes 0xffffffff wait for the barrier `bar[0]`: all arrivals have come, and 128 bytes that nobody has announced (PTX line 49, `mbarrier.try_wait.parity.shared.b64`, from fewer_bytes_announced:17:1)"#]],
    },
    Case {
        name: "more_bytes_announced",
        detector: Detector::WrongBytes,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[512];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
-mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 1024;
+mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 512;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%x], 256, [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `more_bytes_announced` stopped by the simulator: deadlock in `more_bytes_announced`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait for the barrier `bar[0]`: all arrivals have come, but not 512 bytes that were announced (PTX line 51, `mbarrier.try_wait.parity.shared.b64`, from more_bytes_announced:18:1)
              warp 1 lanes 0xffffffff wait for the barrier `bar[0]`: all arrivals have come, but not 512 bytes that were announced (PTX line 51, `mbarrier.try_wait.parity.shared.b64`, from more_bytes_announced:18:1)"#]],
    },
    Case {
        name: "one_of_two_copies_announced",
        detector: Detector::WrongBytes,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[512];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
-mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
+mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 512;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%x], 256, [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `one_of_two_copies_announced` stopped by the simulator: the block ends with 256 bytes that nobody has announced at the barrier in `bar[0]`
            help: announce as many bytes as the copies of a phase bring, `expect_tx`, and wait for each phase
              in `one_of_two_copies_announced`, block (0, 0, 0), thread (0, 0, 0), PTX line 37, `mbarrier.init.shared.b64`, from one_of_two_copies_announced:9:1"#]],
    },
    Case {
        name: "announced_to_nobody",
        detector: Detector::WrongBytes,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[512];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
-mbarrier.arrive.shared.b64 %d1, [%r2];
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
            kernel `announced_to_nobody` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 43, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from announced_to_nobody:13:1)
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `announced_to_nobody`, block (0, 0, 0), thread (0, 0, 0), PTX line 53, `ld.shared.u32`, from announced_to_nobody:19:1
              64 times"#]],
    },
    Case {
        name: "load_that_nobody_awaits",
        detector: Detector::CopyAtTheEnd,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@%p0 bra END;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
+LAST:
+mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
+@!%p1 bra LAST;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `load_that_nobody_awaits` stopped by the simulator: nothing waits for this copy before the block ends
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `load_that_nobody_awaits`, block (0, 0, 0), thread (0, 0, 0), PTX line 39, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from load_that_nobody_awaits:10:1"#]],
    },
    Case {
        name: "last_stage_of_a_loop",
        detector: Detector::CopyAtTheEnd,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@%p0 bra END;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mov.u32 %r4, 0;
LOOP:
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
-setp.eq.u32 %p2, %r4, 1;
-@%p2 bra END;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r4;
@!%p1 bra WAIT;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, 2;
@%p1 bra LOOP;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `last_stage_of_a_loop` stopped by the simulator: nothing waits for this copy before the block ends
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `last_stage_of_a_loop`, block (0, 0, 0), thread (0, 0, 0), PTX line 42, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from last_stage_of_a_loop:12:1"#]],
    },
    Case {
        name: "leaves_while_a_copy_is_under_way",
        detector: Detector::CopyAtTheEnd,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
setp.ne.u32 %p0, %t, 0;
@%p0 bra END;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
ld.global.u32 %r5, [%x];
-setp.eq.u32 %p2, %r5, 0;
+setp.ne.u32 %p2, %r5, 0;
@%p2 bra END;
LAST:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra LAST;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `leaves_while_a_copy_is_under_way` stopped by the simulator: nothing waits for this copy before the block ends
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `leaves_while_a_copy_is_under_way`, block (0, 0, 0), thread (0, 0, 0), PTX line 39, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from leaves_while_a_copy_is_under_way:10:1"#]],
    },
];
