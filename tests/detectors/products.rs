//! Products of groups of four warps (`wgmma`), and fences between the generic and the async proxy: PTX ISA, "Asynchronous Warpgroup Level Matrix
//! Instructions" and "Async proxy".

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

/// Tiles of 64 × 16 and 16 × 8 ones, filled by the threads, and the addresses of what each has filled; descriptors of the tiles.
macro_rules! tiles {
    () => {
        "\
.shared .align 128 .b8 a[2048];
.shared .align 128 .b8 b[256];
.reg .f32 %f<8>;
mov.u32 %r1, a;
mov.u32 %r2, b;
shl.b32 %r3, %t, 4;
add.u32 %r4, %r1, %r3;
add.u32 %r6, %r2, %r3;
mov.u32 %r5, 0x3c003c00;
setp.lt.u32 %p0, %t, 16;
shr.u32 %r7, %r1, 4;
cvt.u64.u32 %d1, %r7;
or.b64 %d1, %d1, 0x1000080000;
shr.u32 %r7, %r2, 4;
cvt.u64.u32 %d2, %r7;
or.b64 %d2, %d2, 0x1000080000;
mov.f32 %f0, 0f00000000;
mov.f32 %f1, 0f00000000;
mov.f32 %f2, 0f00000000;
mov.f32 %f3, 0f00000000;
"
    };
}

/// As above, and the tiles are there for products.
macro_rules! filled {
    () => {
        concat!(
            tiles!(),
            "\
st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};
@%p0 st.shared.v4.u32 [%r6], {%r5, %r5, %r5, %r5};
fence.proxy.async;
bar.sync 0;
"
        )
    };
}

pub(crate) use {filled, tiles};

pub const CASES: &[Case] = &[
    Case {
        name: "operand_without_a_proxy_fence",
        detector: Detector::MissingProxyFence,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            tiles!(),
            "\
st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};
@%p0 st.shared.v4.u32 [%r6], {%r5, %r5, %r5, %r5};
+fence.proxy.async;
bar.sync 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `operand_without_a_proxy_fence` stopped by the simulator: read of `a[0]` by the async proxy, and a write of thread (0, 0, 0) (PTX line 60, `st.shared.v4.u32`, from operand_without_a_proxy_fence:21:1) by the generic proxy before it, with no proxy fence between them; `a` is a shared variable of 2048 bytes, counted here in elements of 16
            help: put `fence.proxy.async.shared::cta`, behind `mbarrier.init` also `fence.mbarrier_init.release.cluster`, after the write in the thread that makes it, before the barrier that orders the two
              in `operand_without_a_proxy_fence`, block (0, 0, 0), thread (0, 0, 0), PTX line 68, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from operand_without_a_proxy_fence:26:1
              128 times
            read of `b[0]` by the async proxy, and a write of thread (0, 0, 0) (PTX line 62, `st.shared.v4.u32`, from operand_without_a_proxy_fence:22:1) by the generic proxy before it, with no proxy fence between them; `b` is a shared variable of 256 bytes, counted here in elements of 16
            help: put `fence.proxy.async.shared::cta`, behind `mbarrier.init` also `fence.mbarrier_init.release.cluster`, after the write in the thread that makes it, before the barrier that orders the two
              in `operand_without_a_proxy_fence`, block (0, 0, 0), thread (0, 0, 0), PTX line 68, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from operand_without_a_proxy_fence:26:1
              64 times"#]],
    },
    Case {
        name: "fence_before_the_write",
        detector: Detector::MissingProxyFence,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            tiles!(),
            "\
@%p0 st.shared.v4.u32 [%r6], {%r5, %r5, %r5, %r5};
-fence.proxy.async;
st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};
+fence.proxy.async;
bar.sync 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `fence_before_the_write` stopped by the simulator: read of `a[0]` by the async proxy, and a write of thread (0, 0, 0) (PTX line 64, `st.shared.v4.u32`, from fence_before_the_write:23:1) by the generic proxy before it, with no proxy fence between them; `a` is a shared variable of 2048 bytes, counted here in elements of 16
            help: put `fence.proxy.async.shared::cta`, behind `mbarrier.init` also `fence.mbarrier_init.release.cluster`, after the write in the thread that makes it, before the barrier that orders the two
              in `fence_before_the_write`, block (0, 0, 0), thread (0, 0, 0), PTX line 70, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from fence_before_the_write:27:1
              128 times"#]],
    },
    Case {
        name: "stored_without_a_proxy_fence",
        detector: Detector::MissingProxyFence,
        blocks: 1,
        threads: 64,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[256];
mov.u32 %r1, tile;
shl.b32 %r3, %t, 2;
add.u32 %r3, %r1, %r3;
add.u32 %r4, %t, 1;
st.shared.u32 [%r3], %r4;
+fence.proxy.async;
bar.sync 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra STORED;
cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 256;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
STORED:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `stored_without_a_proxy_fence` stopped by the simulator: read of `tile[0]` by the async proxy, and a write of thread (0, 0, 0) (PTX line 32, `st.shared.u32`, from stored_without_a_proxy_fence:6:1) by the generic proxy before it, with no proxy fence between them; `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: put `fence.proxy.async.shared::cta`, behind `mbarrier.init` also `fence.mbarrier_init.release.cluster`, after the write in the thread that makes it, before the barrier that orders the two
              in `stored_without_a_proxy_fence`, block (0, 0, 0), thread (0, 0, 0), PTX line 40, `cp.async.bulk.global.shared::cta.bulk_group`, from stored_without_a_proxy_fence:11:1
              64 times"#]],
    },
    Case {
        name: "barrier_without_a_proxy_fence",
        detector: Detector::MissingProxyFence,
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
+fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 256, [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
ld.shared.u32 %r0, [%r3];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `barrier_without_a_proxy_fence` stopped by the simulator: write of `bar[0]` by the async proxy, and a write of thread (0, 0, 0) (PTX line 37, `mbarrier.init.shared.b64`, from barrier_without_a_proxy_fence:9:1) by the generic proxy before it, with no proxy fence between them; `bar` is a shared variable of 8 bytes, counted here in elements of 8
            help: put `fence.proxy.async.shared::cta`, behind `mbarrier.init` also `fence.mbarrier_init.release.cluster`, after the write in the thread that makes it, before the barrier that orders the two
              in `barrier_without_a_proxy_fence`, block (0, 0, 0), thread (0, 0, 0), PTX line 41, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from barrier_without_a_proxy_fence:12:1"#]],
    },
    Case {
        name: "first_product_without_a_fence",
        detector: Detector::MissingProductFence,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
+wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `first_product_without_a_fence` stopped by the simulator: no `wgmma.fence` comes before this product: it is the first one of the warp
            help: put `wgmma.fence.sync.aligned` in front of the products of a group, behind all that computes their registers
              in `first_product_without_a_fence`, block (0, 0, 0), thread (0, 0, 0), PTX line 68, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from first_product_without_a_fence:26:1
              4 times"#]],
    },
    Case {
        name: "sums_scaled_between_products",
        detector: Detector::MissingProductFence,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mul.f32 %f0, %f0, 0f3f000000;
+wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `sums_scaled_between_products` stopped by the simulator: no `wgmma.fence` comes before this product: another instruction accesses registers of it (PTX line 76, `mul.f32`, from sums_scaled_between_products:29:1)
            help: put `wgmma.fence.sync.aligned` in front of the products of a group, behind all that computes their registers
              in `sums_scaled_between_products`, block (0, 0, 0), thread (0, 0, 0), PTX line 78, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from sums_scaled_between_products:31:1
              4 times"#]],
    },
    Case {
        name: "left_matrix_made_behind_the_fence",
        detector: Detector::MissingProductFence,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
-wgmma.fence.sync.aligned;
add.u32 %r8, %r5, 0;
+wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r8, %r8, %r8, %r8}, %d2, 1, 1, 1, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `left_matrix_made_behind_the_fence` stopped by the simulator: no `wgmma.fence` comes before this product: another instruction accesses registers of it (PTX line 70, `add.u32`, from left_matrix_made_behind_the_fence:26:1)
            help: put `wgmma.fence.sync.aligned` in front of the products of a group, behind all that computes their registers
              in `left_matrix_made_behind_the_fence`, block (0, 0, 0), thread (0, 0, 0), PTX line 72, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from left_matrix_made_behind_the_fence:28:1
              4 times"#]],
    },
    Case {
        name: "sums_stored_before_the_wait",
        detector: Detector::PendingRegisters,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
-st.global.f32 [%yi], %f0;
wgmma.wait_group.sync.aligned 0;
+st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `sums_stored_before_the_wait` stopped by the simulator: this instruction reads registers of a product under way, started by thread (0, 0, 0) (PTX line 70, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from sums_stored_before_the_wait:26:1)
            help: wait for it first: `wgmma.wait_group`
              in `sums_stored_before_the_wait`, block (0, 0, 0), thread (0, 0, 0), PTX line 74, `st.global.f32`, from sums_stored_before_the_wait:28:1
              4 times"#]],
    },
    Case {
        name: "sums_changed_before_the_wait",
        detector: Detector::PendingRegisters,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
-mov.f32 %f0, 0f40000000;
wgmma.wait_group.sync.aligned 0;
+mov.f32 %f0, 0f40000000;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `sums_changed_before_the_wait` stopped by the simulator: this instruction writes registers of a product under way, started by thread (0, 0, 0) (PTX line 70, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from sums_changed_before_the_wait:26:1)
            help: wait for it first: `wgmma.wait_group`
              in `sums_changed_before_the_wait`, block (0, 0, 0), thread (0, 0, 0), PTX line 74, `mov.f32`, from sums_changed_before_the_wait:28:1
              4 times"#]],
    },
    Case {
        name: "waits_for_all_groups_but_one",
        detector: Detector::PendingRegisters,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
-wgmma.wait_group.sync.aligned 1;
+wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;
wgmma.wait_group.sync.aligned 0;"
        ),
        expected: expect![[r#"
            kernel `waits_for_all_groups_but_one` stopped by the simulator: this instruction reads registers of a product under way, started by thread (0, 0, 0) (PTX line 70, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from waits_for_all_groups_but_one:26:1)
            help: wait for it first: `wgmma.wait_group`
              in `waits_for_all_groups_but_one`, block (0, 0, 0), thread (0, 0, 0), PTX line 76, `st.global.f32`, from waits_for_all_groups_but_one:30:1
              4 times"#]],
    },
    Case {
        name: "left_matrix_changed_before_the_wait",
        detector: Detector::PendingRegisters,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
mov.u32 %r8, %r5;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r8, %r8, %r8, %r8}, %d2, 1, 1, 1, 0;
wgmma.commit_group.sync.aligned;
-mov.u32 %r8, 0;
wgmma.wait_group.sync.aligned 0;
+mov.u32 %r8, 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `left_matrix_changed_before_the_wait` stopped by the simulator: this instruction writes registers of a product under way, started by thread (0, 0, 0) (PTX line 72, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from left_matrix_changed_before_the_wait:27:1)
            help: wait for it first: `wgmma.wait_group`
              in `left_matrix_changed_before_the_wait`, block (0, 0, 0), thread (0, 0, 0), PTX line 76, `mov.u32`, from left_matrix_changed_before_the_wait:29:1
              4 times"#]],
    },
    Case {
        name: "product_in_no_group",
        detector: Detector::UncommittedProduct,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
+wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `product_in_no_group` stopped by the simulator: this instruction reads registers of a product under way, started by thread (0, 0, 0) (PTX line 70, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from product_in_no_group:26:1)
            help: the product is in no group: put `wgmma.commit_group` behind it, and wait for it first: `wgmma.wait_group`
              in `product_in_no_group`, block (0, 0, 0), thread (0, 0, 0), PTX line 74, `st.global.f32`, from product_in_no_group:29:1
              4 times"#]],
    },
    Case {
        name: "committed_too_early",
        detector: Detector::UncommittedProduct,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
-wgmma.commit_group.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
+wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `committed_too_early` stopped by the simulator: this instruction reads registers of a product under way, started by thread (0, 0, 0) (PTX line 72, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from committed_too_early:27:1)
            help: the product is in no group: put `wgmma.commit_group` behind it, and wait for it first: `wgmma.wait_group`
              in `committed_too_early`, block (0, 0, 0), thread (0, 0, 0), PTX line 76, `st.global.f32`, from committed_too_early:30:1
              4 times"#]],
    },
    Case {
        name: "second_product_in_no_group",
        detector: Detector::UncommittedProduct,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, %d1, %d2, 0, 1, 1, 0, 0;
+wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f4;"
        ),
        expected: expect![[r#"
            kernel `second_product_in_no_group` stopped by the simulator: this instruction reads registers of a product under way, started by thread (0, 0, 0) (PTX line 74, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from second_product_in_no_group:28:1)
            help: the product is in no group: put `wgmma.commit_group` behind it, and wait for it first: `wgmma.wait_group`
              in `second_product_in_no_group`, block (0, 0, 0), thread (0, 0, 0), PTX line 78, `st.global.f32`, from second_product_in_no_group:31:1
              4 times"#]],
    },
    Case {
        name: "product_that_nobody_awaits",
        detector: Detector::UncommittedProduct,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
+wgmma.wait_group.sync.aligned 0;
st.global.u32 [%yi], %t;"
        ),
        expected: expect![[r#"
            kernel `product_that_nobody_awaits` stopped by the simulator: nothing waits for this product before the block ends
            help: wait for it: `wgmma.commit_group` and `wgmma.wait_group`, then a barrier for other threads
              in `product_that_nobody_awaits`, block (0, 0, 0), thread (0, 0, 0), PTX line 70, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from product_that_nobody_awaits:26:1
              4 times"#]],
    },
    Case {
        name: "operand_overwritten_under_way",
        detector: Detector::OperandUnderWay,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
+wgmma.wait_group.sync.aligned 0;
bar.sync 0;
-mov.u32 %r5, 7;
st.shared.u32 [%r4], %r5;
-wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `operand_overwritten_under_way` stopped by the simulator: write of `a[0]` does not wait for the product that reads these bytes, started by thread (0, 0, 0) (PTX line 70, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from operand_overwritten_under_way:26:1)
            help: wait for it: `wgmma.commit_group` and `wgmma.wait_group`, then a barrier for other threads
              in `operand_overwritten_under_way`, block (0, 0, 0), thread (0, 0, 0), PTX line 78, `st.shared.u32`, from operand_overwritten_under_way:31:1
              128 times"#]],
    },
    Case {
        name: "operand_overwritten_by_a_copy",
        detector: Detector::OperandUnderWay,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
.shared .align 8 .b64 bar;
mov.u32 %r9, bar;
setp.ne.u32 %p1, %t, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [%r9], 1;
fence.mbarrier_init.release.cluster;
READY:
bar.sync 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
+wgmma.wait_group.sync.aligned 0;
bar.sync 0;
@%p1 bra NEXT;
mbarrier.arrive.expect_tx.shared.b64 %d4, [%r9], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%x], 256, [%r9];
NEXT:
bar.sync 0;
-wgmma.wait_group.sync.aligned 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;
@!%p2 bra WAIT;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `operand_overwritten_by_a_copy` stopped by the simulator: write of `b[0]` does not wait for the product that reads these bytes, started by thread (0, 0, 0) (PTX line 84, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from operand_overwritten_by_a_copy:34:1)
            help: wait for it: `wgmma.commit_group` and `wgmma.wait_group`, then a barrier for other threads
              in `operand_overwritten_by_a_copy`, block (0, 0, 0), thread (0, 0, 0), PTX line 94, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from operand_overwritten_by_a_copy:40:1"#]],
    },
    Case {
        name: "operand_that_has_not_come",
        detector: Detector::OperandUnderWay,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            filled!(),
            "\
.shared .align 8 .b64 bar;
mov.u32 %r9, bar;
setp.ne.u32 %p1, %t, 0;
@%p1 bra READY;
mbarrier.init.shared.b64 [%r9], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared.b64 %d4, [%r9], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%x], 256, [%r9];
READY:
bar.sync 0;
+FULL:
+mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;
+@!%p2 bra FULL;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
-LATE:
-mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;
-@!%p2 bra LATE;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `operand_that_has_not_come` stopped by the simulator: read of `b[0]` does not wait for the copy that brings these bytes, started by thread (0, 0, 0) (PTX line 81, `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, from operand_that_has_not_come:32:1)
            help: wait for it: `mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier
              in `operand_that_has_not_come`, block (0, 0, 0), thread (0, 0, 0), PTX line 88, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from operand_that_has_not_come:39:1
              64 times"#]],
    },
    Case {
        name: "operand_without_a_barrier",
        detector: Detector::OperandUnderWay,
        blocks: 1,
        threads: 128,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: concat!(
            tiles!(),
            "\
st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};
@%p0 st.shared.v4.u32 [%r6], {%r5, %r5, %r5, %r5};
fence.proxy.async;
+bar.sync 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
st.global.f32 [%yi], %f0;"
        ),
        expected: expect![[r#"
            kernel `operand_without_a_barrier` stopped by the simulator: race: read of `b[0]` and a write of thread (0, 0, 0) (PTX line 62, `st.shared.v4.u32`, from operand_without_a_barrier:22:1), and nothing orders them; `b` is a shared variable of 256 bytes, counted here in elements of 16
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `operand_without_a_barrier`, block (0, 0, 0), thread (32, 0, 0), PTX line 68, `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16`, from operand_without_a_barrier:26:1
              48 times"#]],
    },
];
