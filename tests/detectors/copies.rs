//! Asynchronous copies whose bytes are used before anybody has waited for them.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "copy_without_a_wait",
        detector: Detector::MissingWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
cp.async.ca.shared.global [%r1], [%xi], 4;
cp.async.commit_group;
+cp.async.wait_group 0;
bar.sync 0;
ld.shared.u32 %r0, [%r1];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `copy_without_a_wait` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 30, `cp.async.ca.shared.global`, from copy_without_a_wait:5:1)
            help: wait for it: `cp.async.commit_group` behind it and `cp.async.wait_group`, then a barrier for other threads
              in `copy_without_a_wait`, block (0, 0, 0), thread (0, 0, 0), PTX line 36, `ld.shared.u32`, from copy_without_a_wait:9:1
              64 times"#]],
    },
    Case {
        name: "copy_into_what_others_still_read",
        detector: Detector::MissingWait,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
xor.b32 %r2, %r2, 128;
mov.u32 %r3, tile;
add.u32 %r2, %r3, %r2;
st.shared.u32 [%r1], %t;
bar.sync 0;
setp.lt.u32 %p0, %t, 32;
+@!%p0 ld.shared.u32 %r0, [%r2];
+bar.sync 0;
@%p0 cp.async.ca.shared.global [%r1], [%xi], 4;
cp.async.commit_group;
-@!%p0 ld.shared.u32 %r0, [%r2];
bar.sync 0;
cp.async.wait_group 0;
@%p0 mov.u32 %r0, 1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `copy_into_what_others_still_read` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 42, `cp.async.ca.shared.global`, from copy_into_what_others_still_read:13:1)
            help: nothing orders this access and the start of the copy: if it uses what was there before, put a barrier between it and the start, else wait: `cp.async.commit_group` behind it and `cp.async.wait_group`, then a barrier for other threads
              in `copy_into_what_others_still_read`, block (0, 0, 0), thread (32, 0, 0), PTX line 46, `ld.shared.u32`, from copy_into_what_others_still_read:15:1
              32 times"#]],
    },
    Case {
        name: "waits_for_the_group_before",
        detector: Detector::MissingWait,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
cp.async.ca.shared.global [%r1], [%xi], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r1+128], [%xi+128], 4;
cp.async.commit_group;
-cp.async.wait_group 1;
+cp.async.wait_group 0;
bar.sync 0;
ld.shared.u32 %r0, [%r1];
ld.shared.u32 %r3, [%r1+128];
add.u32 %r0, %r0, %r3;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `waits_for_the_group_before` stopped by the simulator: read of `tile[32]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 34, `cp.async.ca.shared.global`, from waits_for_the_group_before:7:1)
            help: wait for it: `cp.async.commit_group` behind it and `cp.async.wait_group`, then a barrier for other threads
              in `waits_for_the_group_before`, block (0, 0, 0), thread (0, 0, 0), PTX line 44, `ld.shared.u32`, from waits_for_the_group_before:13:1
              32 times"#]],
    },
    Case {
        name: "copy_that_is_not_committed",
        detector: Detector::MissingWait,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
cp.async.ca.shared.global [%r1], [%xi], 4;
+cp.async.commit_group;
cp.async.wait_group 0;
bar.sync 0;
ld.shared.u32 %r0, [%r1];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `copy_that_is_not_committed` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 30, `cp.async.ca.shared.global`, from copy_that_is_not_committed:5:1)
            help: wait for it: `cp.async.commit_group` behind it and `cp.async.wait_group`, then a barrier for other threads
              in `copy_that_is_not_committed`, block (0, 0, 0), thread (0, 0, 0), PTX line 36, `ld.shared.u32`, from copy_that_is_not_committed:9:1
              32 times"#]],
    },
    Case {
        name: "copy_over_what_was_there",
        detector: Detector::MissingWait,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 4 .b32 tile[64];
mov.u32 %r1, tile;
shl.b32 %r2, %t, 2;
add.u32 %r1, %r1, %r2;
st.shared.u32 [%r1], %t;
bar.sync 0;
ld.shared.u32 %r3, [%r1];
cp.async.ca.shared.global [%r1], [%xi], 4;
cp.async.commit_group;
+cp.async.wait_all;
ld.shared.u32 %r0, [%r1];
add.u32 %r0, %r0, %r3;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `copy_over_what_was_there` stopped by the simulator: read of `tile[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 36, `cp.async.ca.shared.global`, from copy_over_what_was_there:8:1)
            help: wait for it: `cp.async.commit_group` behind it and `cp.async.wait_group`, then a barrier for other threads
              in `copy_over_what_was_there`, block (0, 0, 0), thread (0, 0, 0), PTX line 40, `ld.shared.u32`, from copy_over_what_was_there:11:1
              32 times"#]],
    },
];
