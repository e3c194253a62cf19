//! Threads that wait for what does not come, and loops that do not end.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "a_warp_that_does_not_come",
        detector: Detector::Deadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p0, %t, 32;
-@%p0 bra END;
bar.sync 1, 64;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `a_warp_that_does_not_come` stopped by the simulator: deadlock in `a_warp_that_does_not_come`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait at barrier 1 for 64 threads, of which 32 have come (PTX line 27, `bar.sync`, from a_warp_that_does_not_come:3:1)
            help: let as many threads come to the barrier as it waits for, or wait for as many as come: the multiple of 32 that is the threads of their warps"#]],
    },
    Case {
        name: "each_waits_for_the_other",
        detector: Detector::Deadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p0, %t, 32;
@%p0 bra SECOND;
bar.sync 1, 64;
bar.arrive 2, 64;
bra END;
SECOND:
-bar.sync 2, 64;
-bar.arrive 1, 64;
+bar.arrive 1, 64;
+bar.sync 2, 64;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `each_waits_for_the_other` stopped by the simulator: deadlock in `each_waits_for_the_other`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait at barrier 1 for 64 threads, of which 32 have come (PTX line 27, `bar.sync`, from each_waits_for_the_other:3:1)
              warp 1 lanes 0xffffffff wait at barrier 2 for 64 threads, of which 32 have come (PTX line 34, `bar.sync`, from each_waits_for_the_other:7:1)
            help: warps wait at different barriers, each for those at the other: let all come to them in one order"#]],
    },
    Case {
        name: "comes_twice_before_the_others",
        detector: Detector::Deadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
bar.arrive 1, 64;
+bar.sync 2, 64;
bar.arrive 1, 64;
bra END;
TAKE:
bar.sync 1, 64;
+bar.arrive 2, 64;
bar.sync 1, 64;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `comes_twice_before_the_others` stopped by the simulator: deadlock in `comes_twice_before_the_others`, block (0, 0, 0):
              warp 1 lanes 0xffffffff wait at barrier 1 for 64 threads, of which 32 have come; warp 0 has come to it twice before others had come (PTX line 29, `bar.arrive`, from comes_twice_before_the_others:5:1) (PTX line 36, `bar.sync`, from comes_twice_before_the_others:10:1)
            help: who comes twice before the others have come counts for two: wait between both, at a barrier of another number to which the others come when they are done, `barrier::named`"#]],
    },
    Case {
        name: "waits_once_too_often",
        detector: Detector::Deadlock,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
mov.u32 %r0, 0;
setp.ge.u32 %p0, %t, 32;
@%p0 bra TAKE;
GIVE:
bar.sync 1, 64;
add.u32 %r0, %r0, 1;
setp.lt.u32 %p0, %r0, 3;
@%p0 bra GIVE;
bra END;
TAKE:
bar.sync 1, 64;
add.u32 %r0, %r0, 1;
-setp.lt.u32 %p0, %r0, 4;
+setp.lt.u32 %p0, %r0, 3;
@%p0 bra TAKE;
END:
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `waits_once_too_often` stopped by the simulator: deadlock in `waits_once_too_often`, block (0, 0, 0):
              warp 1 lanes 0xffffffff wait at barrier 1 for 64 threads, of which 32 have come (PTX line 41, `bar.sync`, from waits_once_too_often:11:1)
            help: let as many threads come to the barrier as it waits for, or wait for as many as come: the multiple of 32 that is the threads of their warps"#]],
    },
    Case {
        name: "counter_that_stays",
        detector: Detector::EndlessLoop,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
mov.u32 %r0, 0;
LOOP:
-add.u32 %r0, %r0, 0;
+add.u32 %r0, %r0, 1;
setp.lt.u32 %p0, %r0, 9;
@%p0 bra LOOP;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `counter_that_stays` stopped by the simulator: the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `counter_that_stays`, block (0, 0, 0), thread (0, 0, 0), PTX line 26, `add.u32`, from counter_that_stays:3:1"#]],
    },
    Case {
        name: "lock_that_is_not_given_back",
        detector: Detector::EndlessLoop,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p1, %t, 2;
@%p1 bra END;
SPIN:
atom.acquire.gpu.global.cas.b32 %r0, [%x], 0, 1;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra SPIN;
ld.global.u32 %r1, [%x+4];
add.u32 %r1, %r1, 1;
st.global.u32 [%x+4], %r1;
+st.release.gpu.global.u32 [%x], 0;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `lock_that_is_not_given_back` stopped by the simulator: deadlock in `lock_that_is_not_given_back`, block (0, 0, 0):
              warp 0 lanes 0x00000002 loop until `x[0]` changes, which nobody does: thread (0, 0, 0) of block number 0 took it last (PTX line 28, `atom.acquire.gpu.global.cas.b32`, from lock_that_is_not_given_back:4:1); `x` is a buffer of 64 `u32` made at harness.rs (PTX line 28, `atom.acquire.gpu.global.cas.b32`, from lock_that_is_not_given_back:4:1)
            help: let a thread that runs write there, and give a lock back on every path; several locks are taken in one order by all threads"#]],
    },
    Case {
        name: "flag_that_is_reset_too_late",
        detector: Detector::EndlessLoop,
        blocks: 2,
        threads: 1,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ne.u32 %p0, %b, 0;
@%p0 bra TAKE;
st.release.gpu.global.u32 [%x], 1;
bra END;
TAKE:
-st.relaxed.gpu.global.u32 [%x], 0;
LOOK:
ld.acquire.gpu.global.u32 %r0, [%x];
setp.eq.u32 %p0, %r0, 0;
@%p0 bra LOOK;
END:
st.global.u32 [%yi], %b;",
        expected: expect![[r#"
            kernel `flag_that_is_reset_too_late` stopped by the simulator: deadlock in `flag_that_is_reset_too_late`, block (1, 0, 0):
              warp 0 lanes 0x00000001 loop until `x[0]` changes, which nobody does: it is 0, as thread (0, 0, 0) of block number 1, which waits here itself, stored last (PTX line 32, `st.relaxed.gpu.global.u32`, from flag_that_is_reset_too_late:6:1); `x` is a buffer of 64 `u32` made at harness.rs (PTX line 35, `ld.acquire.gpu.global.u32`, from flag_that_is_reset_too_late:8:1)
            help: let a thread that runs write there"#]],
    },
    Case {
        name: "flag_that_nobody_sets",
        detector: Detector::EndlessLoop,
        blocks: 2,
        threads: 1,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ne.u32 %p0, %b, 0;
@%p0 bra TAKE;
-st.release.gpu.global.u32 [%x+4], 1;
+st.release.gpu.global.u32 [%x], 1;
bra END;
TAKE:
ld.acquire.gpu.global.u32 %r0, [%x];
setp.eq.u32 %p0, %r0, 0;
@%p0 bra TAKE;
END:
st.global.u32 [%yi], %b;",
        expected: expect![[r#"
            kernel `flag_that_nobody_sets` stopped by the simulator: deadlock in `flag_that_nobody_sets`, block (1, 0, 0):
              warp 0 lanes 0x00000001 loop until `x[0]` changes, which nobody does: it is 0; `x` is a buffer of 64 `u32` made at harness.rs (PTX line 32, `ld.acquire.gpu.global.u32`, from flag_that_nobody_sets:7:1)
            help: let a thread that runs write there"#]],
    },
];
