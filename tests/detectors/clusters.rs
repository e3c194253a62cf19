//! Shared memory of blocks of a cluster that have ended.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "reads_a_block_that_has_ended",
        detector: Detector::EndedBlock,
        blocks: 2,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r4, %cluster_ctarank;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
setp.eq.u32 %p1, %r4, 0;
@%p1 bra OWNER;
mapa.shared::cluster.u32 %r5, %r1, 0;
mapa.shared::cluster.u32 %r6, %r2, 0;
mov.u32 %r7, 0;
LATER:
add.u32 %r7, %r7, 1;
setp.lt.u32 %p2, %r7, 20000;
@%p2 bra LATER;
ld.shared::cluster.u32 %r0, [%r5];
OWNER:
+barrier.cluster.arrive.aligned;
+barrier.cluster.wait.aligned;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `reads_a_block_that_has_ended` stopped by the simulator: read of `tile[0]` is in block 0 of the cluster, which has ended
            help: let the blocks wait for each other before they end: `cluster::sync()`, in PTX `barrier.cluster`
              in `reads_a_block_that_has_ended`, block (1, 0, 0), thread (0, 0, 0), PTX line 58, `ld.shared::cluster.u32`, from reads_a_block_that_has_ended:20:1
              32 times"#]],
    },
    Case {
        name: "adds_to_a_block_that_has_ended",
        detector: Detector::EndedBlock,
        blocks: 2,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r4, %cluster_ctarank;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
setp.eq.u32 %p1, %r4, 0;
@%p1 bra OWNER;
mapa.shared::cluster.u32 %r5, %r1, 0;
mapa.shared::cluster.u32 %r6, %r2, 0;
mov.u32 %r7, 0;
LATER:
add.u32 %r7, %r7, 1;
setp.lt.u32 %p2, %r7, 20000;
@%p2 bra LATER;
red.relaxed.cluster.shared::cluster.add.u32 [%r5], 1;
OWNER:
+barrier.cluster.arrive.aligned;
+barrier.cluster.wait.aligned;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `adds_to_a_block_that_has_ended` stopped by the simulator: write of `tile[0]` is in block 0 of the cluster, which has ended
            help: let the blocks wait for each other before they end: `cluster::sync()`, in PTX `barrier.cluster`
              in `adds_to_a_block_that_has_ended`, block (1, 0, 0), thread (0, 0, 0), PTX line 58, `red.relaxed.cluster.shared::cluster.add.u32`, from adds_to_a_block_that_has_ended:20:1
              32 times"#]],
    },
    Case {
        name: "arrives_at_a_block_that_has_ended",
        detector: Detector::EndedBlock,
        blocks: 2,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r4, %cluster_ctarank;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
setp.eq.u32 %p1, %r4, 0;
@%p1 bra OWNER;
mapa.shared::cluster.u32 %r5, %r1, 0;
mapa.shared::cluster.u32 %r6, %r2, 0;
mov.u32 %r7, 0;
LATER:
add.u32 %r7, %r7, 1;
setp.lt.u32 %p2, %r7, 20000;
@%p2 bra LATER;
@!%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];
OWNER:
+barrier.cluster.arrive.aligned;
+barrier.cluster.wait.aligned;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `arrives_at_a_block_that_has_ended` stopped by the simulator: write of `bar[0]` is in block 0 of the cluster, which has ended
            help: let the blocks wait for each other before they end: `cluster::sync()`, in PTX `barrier.cluster`
              in `arrives_at_a_block_that_has_ended`, block (1, 0, 0), thread (0, 0, 0), PTX line 58, `mbarrier.arrive.release.cluster.shared::cluster.b64`, from arrives_at_a_block_that_has_ended:20:1"#]],
    },
    Case {
        name: "copies_to_a_block_that_has_ended",
        detector: Detector::EndedBlock,
        blocks: 2,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r4, %cluster_ctarank;
setp.ne.u32 %p0, %t, 0;
@!%p0 mbarrier.init.shared.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
setp.eq.u32 %p1, %r4, 0;
+selp.u32 %r8, 256, 0, %p1;
+@!%p0 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], %r8;
@%p1 bra OWNER;
mapa.shared::cluster.u32 %r5, %r1, 0;
mapa.shared::cluster.u32 %r6, %r2, 0;
mov.u32 %r7, 0;
LATER:
add.u32 %r7, %r7, 1;
setp.lt.u32 %p2, %r7, 20000;
@%p2 bra LATER;
@!%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r1], 256, [%r6];
OWNER:
+barrier.cluster.arrive.aligned;
+barrier.cluster.wait.aligned;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `copies_to_a_block_that_has_ended` stopped by the simulator: write of `tile[0]` is in block 0 of the cluster, which has ended
            help: let the blocks wait for each other before they end: `cluster::sync()`, in PTX `barrier.cluster`
              in `copies_to_a_block_that_has_ended`, block (1, 0, 0), thread (0, 0, 0), PTX line 58, `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes`, from copies_to_a_block_that_has_ended:22:1"#]],
    },
];
