//! Operations of a warp that a lane does not take part in.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "shuffle_in_a_branch",
        detector: Detector::MissingLane,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
mov.u32 %r0, 0;
-setp.ge.u32 %p0, %t, 16;
+setp.ge.u32 %p0, %t, 32;
@%p0 bra JOIN;
shfl.sync.bfly.b32 %r0, %t, 1, 31, -1;
JOIN:
bar.warp.sync -1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `shuffle_in_a_branch` stopped by the simulator: lanes 0xffff0000 of the member mask 0xffffffff do not come here: they are elsewhere (PTX line 32, `bar.warp.sync`, from shuffle_in_a_branch:7:1)
              in `shuffle_in_a_branch`, block (0, 0, 0), thread (0, 0, 0), PTX line 29, `shfl.sync.bfly.b32`, from shuffle_in_a_branch:5:1"#]],
    },
    Case {
        name: "lane_outside_its_mask",
        detector: Detector::MissingLane,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-mov.u32 %r1, 0xffff;
+mov.u32 %r1, 0xffffffff;
shfl.sync.bfly.b32 %r0, %t, 1, 31, %r1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `lane_outside_its_mask` stopped by the simulator: lane 16 is not in its own member mask 0x0000ffff
            help: let the mask name every lane that comes here, and no other: what a ballot on the condition gives, where all lanes are still together
              in `lane_outside_its_mask`, block (0, 0, 0), thread (16, 0, 0), PTX line 25, `shfl.sync.bfly.b32`, from lane_outside_its_mask:3:1"#]],
    },
    Case {
        name: "lane_that_is_not_named",
        detector: Detector::MissingLane,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
mov.u32 %r0, 0;
setp.ge.u32 %p0, %t, 16;
@%p0 bra JOIN;
-shfl.sync.down.b32 %r0, %t, 8, 31, 0xffff;
+shfl.sync.down.b32 %r0, %t, 8, 0x100f, 0xffff;
JOIN:
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `lane_that_is_not_named` stopped by the simulator: lane 8 reads lane 16, which is not in the member mask; the mask is 0x0000ffff
            help: put it into the mask, or read a lane that is in it
              in `lane_that_is_not_named`, block (0, 0, 0), thread (8, 0, 0), PTX line 29, `shfl.sync.down.b32`, from lane_that_is_not_named:4:1"#]],
    },
    Case {
        name: "lanes_that_do_not_exist",
        detector: Detector::MissingLane,
        blocks: 1,
        threads: 48,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
-shfl.sync.idx.b32 %r0, %t, 20, 31, -1;
+shfl.sync.idx.b32 %r0, %t, 10, 31, -1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `lanes_that_do_not_exist` stopped by the simulator: lane 0 reads lane 20, which is no thread: the number of threads of the block is no multiple of 32; the mask is 0xffffffff
            help: launch blocks of whole warps, with threads that have a neutral value, or leave out of the mask what is no thread
              in `lanes_that_do_not_exist`, block (0, 0, 0), thread (32, 0, 0), PTX line 23, `shfl.sync.idx.b32`, from lanes_that_do_not_exist:1:1"#]],
    },
    Case {
        name: "vote_in_a_loop",
        detector: Detector::MissingLane,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
mov.u32 %r0, 0;
-and.b32 %r1, %t, 1;
+mov.u32 %r1, 1;
LOOP:
setp.lt.u32 %p1, %t, 8;
vote.sync.ballot.b32 %r2, %p1, -1;
add.u32 %r0, %r0, %r2;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p0, %r1, 3;
@%p0 bra LOOP;
bar.warp.sync -1;
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `vote_in_a_loop` stopped by the simulator: lanes 0xaaaaaaaa of the member mask 0xffffffff do not come here: they are elsewhere (PTX line 40, `bar.warp.sync`, from vote_in_a_loop:11:1)
              in `vote_in_a_loop`, block (0, 0, 0), thread (0, 0, 0), PTX line 30, `vote.sync.ballot.b32`, from vote_in_a_loop:6:1"#]],
    },
];
