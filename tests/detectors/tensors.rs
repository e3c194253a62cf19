//! Rows of matrices at the wrong places (`ldmatrix`, `stmatrix`), and copies of tensors that their maps do not allow.

use expect_test::expect;

use crate::harness::{Case, Data, Detector};

pub const CASES: &[Case] = &[
    Case {
        name: "rows_at_eight_bytes",
        detector: Detector::MatrixRows,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[1024];
mov.u32 %r1, tile;
shl.b32 %r3, %t, 4;
add.u32 %r3, %r1, %r3;
-add.u32 %r3, %r3, 8;
mov.u32 %r5, 1;
stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r5};
bar.sync 0;
ld.shared.u32 %r0, [%r1+64];
st.global.u32 [%yi], %r0;",
        expected: expect![[r#"
            kernel `rows_at_eight_bytes` stopped by the simulator: write of `tile[0..2]` is misaligned: the address must be a multiple of 16; `tile` is a shared variable of 1024 bytes, counted here in elements of 16
            help: begin at such an address, or make accesses of fewer bytes
              in `rows_at_eight_bytes`, block (0, 0, 0), thread (0, 0, 0), PTX line 34, `stmatrix.sync.aligned.m8n8.x1.shared.b16`, from rows_at_eight_bytes:7:1"#]],
    },
    Case {
        name: "four_matrices_at_four_bytes",
        detector: Detector::MatrixRows,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[1024];
mov.u32 %r1, tile;
-mov.u32 %r4, 20;
+mov.u32 %r4, 16;
mad.lo.u32 %r3, %t, %r4, %r1;
mov.u32 %r5, 1;
stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r5, %r5, %r5, %r5};
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `four_matrices_at_four_bytes` stopped by the simulator: write of `tile[1..3]` is misaligned: the address must be a multiple of 16; `tile` is a shared variable of 1024 bytes, counted here in elements of 16
            help: begin at such an address, or make accesses of fewer bytes
              in `four_matrices_at_four_bytes`, block (0, 0, 0), thread (1, 0, 0), PTX line 32, `stmatrix.sync.aligned.m8n8.x4.shared.b16`, from four_matrices_at_four_bytes:7:1"#]],
    },
    Case {
        name: "loads_rows_at_odd_places",
        detector: Detector::MatrixRows,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Zeros(64),
        body: "\
.shared .align 16 .b8 tile[1024];
mov.u32 %r1, tile;
shl.b32 %r3, %t, 4;
add.u32 %r3, %r1, %r3;
mov.u32 %r5, 1;
st.shared.v4.u32 [%r3], {%r5, %r5, %r5, %r5};
bar.sync 0;
-setp.eq.u32 %p0, %t, 3;
-@%p0 add.u32 %r3, %r3, 4;
ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%r3];
st.global.u32 [%yi], %r6;",
        expected: expect![[r#"
            kernel `loads_rows_at_odd_places` stopped by the simulator: read of `tile[3..5]` is misaligned: the address must be a multiple of 16; `tile` is a shared variable of 1024 bytes, counted here in elements of 16
            help: begin at such an address, or make accesses of fewer bytes
              in `loads_rows_at_odd_places`, block (0, 0, 0), thread (3, 0, 0), PTX line 40, `ldmatrix.sync.aligned.m8n8.x2.shared.b16`, from loads_rows_at_odd_places:10:1"#]],
    },
    Case {
        name: "coordinates_of_another_rank",
        detector: Detector::TensorMap,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Map,
        body: "\
.shared .align 128 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r6, 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
-cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x, {%r6, %r6, %r6}], [%r2];
+cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x, {%r6, %r6}], [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `coordinates_of_another_rank` stopped by the simulator: the tensor has 2 dimensions, the copy 3 coordinates
            help: copy it by `.2d`, with a coordinate for each dimension
              in `coordinates_of_another_rank`, block (0, 0, 0), thread (0, 0, 0), PTX line 41, `cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes`, from coordinates_of_another_rank:11:1"#]],
    },
    Case {
        name: "box_at_a_multiple_of_sixteen",
        detector: Detector::TensorMap,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Map,
        body: "\
.shared .align 128 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r6, 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
-add.u32 %r1, %r1, 16;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x, {%r6, %r6}], [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `box_at_a_multiple_of_sixteen` stopped by the simulator: write of `tile[0..2]` is misaligned: the address must be a multiple of 128; `tile` is a shared variable of 256 bytes, counted here in elements of 128
            help: begin at such an address, or make accesses of fewer bytes
              in `box_at_a_multiple_of_sixteen`, block (0, 0, 0), thread (0, 0, 0), PTX line 43, `cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes`, from box_at_a_multiple_of_sixteen:12:1"#]],
    },
    Case {
        name: "box_from_the_second_element",
        detector: Detector::TensorMap,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Map,
        body: "\
.shared .align 128 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r6, 0;
-mov.u32 %r7, 2;
+mov.u32 %r7, 4;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x, {%r7, %r6}], [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `box_from_the_second_element` stopped by the simulator: the box begins at element 2 of a row, which is no multiple of 4: of elements of 4 bytes a box has to begin at a multiple of 16 bytes
            help: make the first coordinate such a multiple, or read the elements without a tensor map
              in `box_from_the_second_element`, block (0, 0, 0), thread (0, 0, 0), PTX line 43, `cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes`, from box_from_the_second_element:13:1"#]],
    },
    Case {
        name: "no_map_at_all",
        detector: Detector::TensorMap,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Map,
        body: "\
.shared .align 128 .b8 tile[256];
.shared .align 8 .b64 bar;
mov.u32 %r1, tile;
mov.u32 %r2, bar;
mov.u32 %r6, 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r2], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 256;
-mov.u64 %x, %y;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x, {%r6, %r6}], [%r2];
READY:
bar.sync 0;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `no_map_at_all` stopped by the simulator: the bytes are no tensor map that this simulator's host has encoded
            help: hand the map over as an argument, `const __grid_constant__ CUtensorMap` in CUDA C++, and take its address
              in `no_map_at_all`, block (0, 0, 0), thread (0, 0, 0), PTX line 43, `cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes`, from no_map_at_all:12:1"#]],
    },
    Case {
        name: "bitwise_sum_of_floats",
        detector: Detector::TensorMap,
        blocks: 1,
        threads: 32,
        dynamic_shared: 0,
        data: Data::Map,
        body: "\
.shared .align 128 .b8 tile[256];
mov.u32 %r1, tile;
mov.u32 %r6, 0;
shl.b32 %r3, %t, 3;
add.u32 %r3, %r1, %r3;
mov.u32 %r5, 0x3f800000;
st.shared.v2.u32 [%r3], {%r5, %r5};
fence.proxy.async;
bar.sync 0;
setp.ne.u32 %p0, %t, 0;
@%p0 bra END;
-cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group [%x, {%r6, %r6}], [%r1];
+cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%x, {%r6, %r6}], [%r1];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
END:
st.global.u32 [%yi], %t;",
        expected: expect![[r#"
            kernel `bitwise_sum_of_floats` stopped by the simulator: the tensor's elements have no such reduction
            help: those of floats are `.add`, `.min` and `.max`
              in `bitwise_sum_of_floats`, block (0, 0, 0), thread (0, 0, 0), PTX line 44, `cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group`, from bitwise_sum_of_floats:12:1"#]],
    },
];
