//! Instructions of groups of four warps that some of them miss, and registers that a block does not have.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};
use crate::products::{filled, tiles};

pub const CASES: &[Case] = &[
    Case {
        name: "product_of_three_warps",
        detector: Detector::PartialGroup,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
setp.ge.u32 %p1, %t, 96;
-@%p1 bra END;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
END:
st.global.u32 [%yi], %t;"
        ),
        expected: expect![[r#"
            kernel `product_of_three_warps` stopped by the simulator: this needs the four warps of its group, but warp 3 does not come
            help: decide for whole groups, by the thread's index divided by 128, who comes here, and launch blocks of whole groups
              in `product_of_three_warps`, block (0, 0, 0), thread (0, 0, 0), PTX line 78, `wgmma.wait_group.sync.aligned`, from product_of_three_warps:30:1"#]],
    },
    Case {
        name: "product_of_half_a_group",
        detector: Detector::PartialGroup,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
-setp.ge.u32 %p1, %t, 64;
+setp.ge.u32 %p1, %t, 128;
@%p1 bra END;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
END:
bar.sync 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `product_of_half_a_group` stopped by the simulator: this needs the four warps of its group, but warps 2 and 3 do not come: they are elsewhere (PTX line 81, `bar.sync`, from product_of_half_a_group:33:1)
            help: decide for whole groups, by the thread's index divided by 128, who comes here, and launch blocks of whole groups
              in `product_of_half_a_group`, block (0, 0, 0), thread (0, 0, 0), PTX line 78, `wgmma.wait_group.sync.aligned`, from product_of_half_a_group:31:1"#]],
    },
    Case {
        name: "registers_of_one_warp",
        detector: Detector::PartialGroup,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p1, %t, 32;
-@%p1 bra END;
setmaxnreg.dec.sync.aligned.u32 40;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `registers_of_one_warp` stopped by the simulator: this needs the four warps of its group, but warps 1, 2 and 3 do not come
            help: decide for whole groups, by the thread's index divided by 128, who comes here, and launch blocks of whole groups
              in `registers_of_one_warp`, block (0, 0, 0), thread (0, 0, 0), PTX line 27, `setmaxnreg.dec.sync.aligned.u32`, from registers_of_one_warp:3:1"#]],
    },
    Case {
        name: "more_registers_than_there_are",
        detector: Detector::RegisterPool,
        blocks: 1,
        threads: 384,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p1, %t, 128;
@%p1 bra TAKE;
-setmaxnreg.dec.sync.aligned.u32 80;
+setmaxnreg.dec.sync.aligned.u32 56;
bra END;
TAKE:
setmaxnreg.inc.sync.aligned.u32 224;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `more_registers_than_there_are` stopped by the simulator: the warps of the block ask for 67584 registers in all, and it has 64512: on a GPU this waits for ever
            help: give as many back elsewhere by `setmaxnreg.dec`, in groups of warps that need few
              in `more_registers_than_there_are`, block (0, 0, 0), thread (352, 0, 0), PTX line 32, `setmaxnreg.inc.sync.aligned.u32`, from more_registers_than_there_are:7:1"#]],
    },
    Case {
        name: "taken_before_anybody_gives",
        detector: Detector::RegisterPool,
        blocks: 1,
        threads: 384,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p1, %t, 128;
@%p1 bra TAKE;
+setmaxnreg.dec.sync.aligned.u32 24;
bra END;
TAKE:
setmaxnreg.inc.sync.aligned.u32 240;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `taken_before_anybody_gives` stopped by the simulator: the warps of the block ask for 82944 registers in all, and it has 64512: on a GPU this waits for ever
            help: give as many back elsewhere by `setmaxnreg.dec`, in groups of warps that need few
              in `taken_before_anybody_gives`, block (0, 0, 0), thread (352, 0, 0), PTX line 30, `setmaxnreg.inc.sync.aligned.u32`, from taken_before_anybody_gives:6:1"#]],
    },
    Case {
        name: "given_instead_of_taken",
        detector: Detector::RegisterPool,
        blocks: 1,
        threads: 384,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
setp.ge.u32 %p1, %t, 128;
@%p1 bra END;
setmaxnreg.dec.sync.aligned.u32 24;
bar.sync 1, 128;
-setmaxnreg.dec.sync.aligned.u32 40;
+setmaxnreg.inc.sync.aligned.u32 40;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `given_instead_of_taken` stopped by the simulator: `setmaxnreg.dec` to 40 registers in a warp whose threads have 24
            help: `.dec` gives registers back and `.inc` takes some
              in `given_instead_of_taken`, block (0, 0, 0), thread (0, 0, 0), PTX line 31, `setmaxnreg.dec.sync.aligned.u32`, from given_instead_of_taken:5:1
              4 times"#]],
    },
];
