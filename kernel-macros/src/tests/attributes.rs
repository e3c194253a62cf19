//! Attributes of kernels.

use super::{check, check_error};
use expect_test::{Expect, expect};

#[track_caller]
fn accepted(attr: &str, expected: Expect) {
    check(&format!("#[kernel({attr})] fn k() {{}}"), expected);
}

#[track_caller]
fn refused(attr: &str, expected: Expect) {
    check_error(&format!("#[kernel({attr})] fn k() {{}}"), expected);
}

#[test]
fn launch_bounds() {
    accepted(
        "launch_bounds(256)",
        expect![[r#"
            max_threads 256
            fn k() {
            }"#]],
    );
    accepted(
        "launch_bounds(8 * 32, 1 << 3)",
        expect![[r#"
            max_threads 256, min_blocks 8
            fn k() {
            }"#]],
    );
    accepted(
        "launch_bounds(128, 2), block(64, 2), fp_contract(off)",
        expect![[r#"
            max_threads 128, min_blocks 2, block [64, 2, 1], fp_contract_off
            fn k() {
            }"#]],
    );
    accepted(
        "block(8, 8, 4)",
        expect![[r#"
            block [8, 8, 4]
            fn k() {
            }"#]],
    );
    accepted(
        "",
        expect![[r#"
        fn k() {
        }"#]],
    );
}

/// Each instance has bounds of its own.
#[test]
fn bounds_of_generic_parameters() {
    check(
        "#[kernel(instances(N = [64, 128]), launch_bounds(2 * N, 4), block(N / 8, 8))] fn k<const N: usize>() {}",
        expect![[r#"
            max_threads 128, min_blocks 4, block [8, 8, 1]
            fn k() {
            }
            max_threads 256, min_blocks 4, block [16, 8, 1]
            fn k() {
            }"#]],
    );
    check_error(
        "#[kernel(instances(N = [8, 64]), block(N, N))] fn k<const N: usize>() {}",
        expect![[r#"
        1:34 `block(N, N)`: expected at most 1024 threads per block, found 64 × 64 × 1 = 4096
        help: make the block smaller"#]],
    );
    check_error(
        "#[kernel(instances(N = [0, 32]), block(N))] fn k<const N: usize>() {}",
        expect![[r#"
        1:40 `N`: expected at least 1 thread along x, found 0
        help: write a number from 1 to 1024"#]],
    );
    check_error(
        "#[kernel(instances(N = [32]), block(N), launch_bounds(N / 2))] fn k<const N: usize>() {}",
        expect![[r#"
            1:31 `block(N)`: expected at most 16 threads per block, as `launch_bounds(16)` says, found `block` with 32
            help: make the block smaller or write `launch_bounds(32)`"#]],
    );
    check_error(
        "#[kernel(instances(T = [f32]), block(T))] fn k<T: Copy>() {}",
        expect![[r#"
        1:38 `T`: expected the block's size along x, a constant integer, found the name `T`, whose value attributes do not know
        help: write the number, or the name of a constant of the `#[kernel_module]` that is one: `const T: usize = 128;`"#]],
    );
}

#[test]
fn launch_bounds_out_of_range() {
    refused(
        "launch_bounds(0)",
        expect![[r#"
        1:24 `0`: expected at least 1 thread per block, found 0
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(1025)",
        expect![[r#"
        1:24 `1025`: expected at most 1024 threads per block, found 1025
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(-1)",
        expect![[r#"
        1:24 `-1`: expected at least 1 thread per block, found -1
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(32 * 33)",
        expect![[r#"
        1:24 `32 * 33`: expected at most 1024 threads per block, found 1056
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "launch_bounds(99999999999999999999999999999999999999999)",
        expect![[r#"
        1:24 `99999999999999999999999999999999999999999`: expected the number of threads per block, a constant integer, found `99999999999999999999999999999999999999999`, which is too large
        help: write a smaller number"#]],
    );
    refused(
        "launch_bounds(256, 0)",
        expect![[r#"
        1:29 `0`: expected at least 1 block per SM, found 0
        help: leave the minimum out to ask for nothing"#]],
    );
    refused(
        "launch_bounds(256, -2)",
        expect![[r#"
        1:29 `-2`: expected at least 1 block per SM, found -2
        help: write a number from 1 to 32"#]],
    );
    refused(
        "launch_bounds(256, 9)",
        expect![[r#"
            1:29 `9`: 9 blocks of 256 threads do not fit an SM of any architecture, which holds 2048 threads in at most 32 blocks
            help: ask for at most 8 per SM"#]],
    );
    refused(
        "launch_bounds(32, 5000000000)",
        expect![[r#"
        1:28 `5000000000`: expected at most 32 blocks per SM, found 5000000000
        help: write a number from 1 to 32"#]],
    );
    refused(
        "launch_bounds(64 / 0)",
        expect![[r#"
        1:24 `64 / 0`: expected the number of threads per block, a constant integer, found an expression that overflows
        help: write the number"#]],
    );
}

#[test]
fn launch_bounds_of_the_wrong_kind() {
    refused(
        "launch_bounds(1.5)",
        expect![[r#"
        1:24 `1.5`: expected the number of threads per block, a constant integer, found the float `1.5`
        help: write an integer"#]],
    );
    refused(
        "launch_bounds(N)",
        expect![[r#"
            1:24 `N`: expected the number of threads per block, a constant integer, found the name `N`, whose value attributes do not know
            help: write the number, or the name of a constant of the `#[kernel_module]` that is one: `const N: usize = 128;`"#]],
    );
    refused(
        "launch_bounds(2 * N, 2)",
        expect![[r#"
            1:28 `N`: expected the number of threads per block, a constant integer, found the name `N`, whose value attributes do not know
            help: write the number, or the name of a constant of the `#[kernel_module]` that is one: `const N: usize = 128;`"#]],
    );
    refused(
        "launch_bounds(\"256\")",
        expect![[r#"
        1:24 `"256"`: expected the number of threads per block, a constant integer, found `"256"`
        help: write an integer"#]],
    );
    refused(
        "launch_bounds(f(3))",
        expect![[r#"
        1:24 `f(3)`: expected the number of threads per block, a constant integer, found `f(3)`
        help: write the number"#]],
    );
    refused(
        "launch_bounds(256u8 == 3)",
        expect![[r#"
        1:24 `256u8 == 3`: expected the number of threads per block, a constant integer, found the operator `==`
        help: write the number"#]],
    );
    refused(
        "launch_bounds",
        expect![[r#"
            1:10 `launch_bounds`: expected 1 to 3 arguments to `launch_bounds`, found 0
            help: write `launch_bounds(max_threads[, min_blocks[, max_cluster]])`"#]],
    );
    refused(
        "launch_bounds()",
        expect![[r#"
            1:10 `launch_bounds()`: expected 1 to 3 arguments to `launch_bounds`, found 0
            help: write `launch_bounds(max_threads[, min_blocks[, max_cluster]])`"#]],
    );
    refused(
        "launch_bounds(256, 2, 1, 5)",
        expect![[r#"
            1:35 `5`: expected 1 to 3 arguments to `launch_bounds`, found 4
            help: write `launch_bounds(max_threads[, min_blocks[, max_cluster]])`"#]],
    );
    refused(
        "launch_bounds = 256",
        expect![[r#"
            1:24 `=`: expected `(` after `launch_bounds`, found `=`
            help: write `launch_bounds(256)`"#]],
    );
}

#[test]
fn blocks() {
    refused(
        "block(0)",
        expect![[r#"
        1:16 `0`: expected at least 1 thread along x, found 0
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "block(1025)",
        expect![[r#"
        1:16 `1025`: expected at most 1024 threads along x, found 1025
        help: write a number from 1 to 1024"#]],
    );
    refused(
        "block(1, 1, 65)",
        expect![[r#"
        1:22 `65`: expected at most 64 threads along z, found 65
        help: write a number from 1 to 64"#]],
    );
    refused(
        "block(64, 64)",
        expect![[r#"
        1:10 `block(64, 64)`: expected at most 1024 threads per block, found 64 × 64 × 1 = 4096
        help: make the block smaller"#]],
    );
    refused(
        "block(1, 2, 3, 4)",
        expect![[r#"
        1:25 `4`: expected 1 to 3 arguments to `block`, found 4
        help: write `block(x[, y[, z]])`"#]],
    );
    refused(
        "block(32, 1.0)",
        expect![[r#"
        1:20 `1.0`: expected the block's size along y, a constant integer, found the float `1.0`
        help: write an integer"#]],
    );
    refused(
        "launch_bounds(128), block(16, 16)",
        expect![[r#"
        1:30 `block(16, 16)`: expected at most 128 threads per block, as `launch_bounds(128)` says, found `block` with 256
        help: make the block smaller or write `launch_bounds(256)`"#]],
    );
}

#[test]
fn clusters() {
    accepted(
        "launch_bounds(256, 2, 4)",
        expect![[r#"
        max_threads 256, min_blocks 2, max_cluster 4
        fn k() {
        }"#]],
    );
    accepted(
        "cluster(2, 2), block(64), arch(sm_90a, sm_90)",
        expect![[r#"
        block [64, 1, 1], cluster [2, 2, 1], sm_90, sm_90a
        fn k() {
        }"#]],
    );
    refused(
        "launch_bounds(256, 2, 9)",
        expect![[r#"
            1:32 `9`: expected at most 8 blocks per cluster, as many as every device with clusters holds, found 9
            help: make the cluster smaller, or opt in to up to 16, which some devices hold: add `nonportable_cluster`"#]],
    );
    refused(
        "launch_bounds(256, 2, 0)",
        expect![[r#"
            1:32 `0`: expected at least 1 block per cluster, found 0
            help: write a number from 1 to 16"#]],
    );
    refused(
        "cluster(0)",
        expect![[r#"
            1:18 `0`: expected at least 1 block along x, found 0
            help: write a number from 1 to 16"#]],
    );
    refused(
        "cluster(3, 3)",
        expect![[r#"
            1:10 `cluster(3, 3)`: expected at most 8 blocks per cluster, as many as every device with clusters holds, found 3 × 3 × 1 = 9
            help: make the cluster smaller, or opt in to up to 16, which some devices hold: add `nonportable_cluster`"#]],
    );
    accepted(
        "cluster(4, 4), nonportable_cluster",
        expect![[r#"
        cluster [4, 4, 1]
        fn k() {
        }"#]],
    );
    accepted(
        "nonportable_cluster, launch_bounds(256, 1, 16)",
        expect![[r#"
        max_threads 256, min_blocks 1, max_cluster 16
        fn k() {
        }"#]],
    );
    refused(
        "cluster(16)",
        expect![[r#"
        1:10 `cluster(16)`: expected at most 8 blocks per cluster, as many as every device with clusters holds, found 16 × 1 × 1 = 16
        help: make the cluster smaller, or opt in to up to 16, which some devices hold: add `nonportable_cluster`"#]],
    );
    refused(
        "launch_bounds(256, 1, 16)",
        expect![[r#"
        1:32 `16`: expected at most 8 blocks per cluster, as many as every device with clusters holds, found 16
        help: make the cluster smaller, or opt in to up to 16, which some devices hold: add `nonportable_cluster`"#]],
    );
    refused(
        "cluster(3, 6), nonportable_cluster",
        expect![[r#"
        1:10 `cluster(3, 6)`: expected at most 16 blocks per cluster, found 3 × 6 × 1 = 18
        help: make the cluster smaller"#]],
    );
    refused(
        "cluster(17), nonportable_cluster",
        expect![[r#"
        1:18 `17`: expected at most 16 blocks along x, found 17
        help: write a number from 1 to 16
        1:23 `nonportable_cluster`: expected a kernel with clusters beside `nonportable_cluster`, found none
        help: write `cluster(16)` or `launch_bounds(256, 1, 16)`, too, or leave it out"#]],
    );
    refused(
        "block(64), nonportable_cluster",
        expect![[r#"
        1:21 `nonportable_cluster`: expected a kernel with clusters beside `nonportable_cluster`, found none
        help: write `cluster(16)` or `launch_bounds(256, 1, 16)`, too, or leave it out"#]],
    );
    refused(
        "cluster(16), nonportable_cluster(16)",
        expect![[r#"
        1:43 `16`: expected 0 arguments to `nonportable_cluster`, found 1
        help: write `nonportable_cluster`
        1:10 `cluster(16)`: expected at most 8 blocks per cluster, as many as every device with clusters holds, found 16 × 1 × 1 = 16
        help: make the cluster smaller, or opt in to up to 16, which some devices hold: add `nonportable_cluster`"#]],
    );
    refused(
        "cluster(1, 1, 9)",
        expect![[r#"
            1:10 `cluster(1, 1, 9)`: expected at most 8 blocks per cluster, as many as every device with clusters holds, found 1 × 1 × 9 = 9
            help: make the cluster smaller, or opt in to up to 16, which some devices hold: add `nonportable_cluster`"#]],
    );
    refused(
        "cluster(2, N)",
        expect![[r#"
            1:21 `N`: expected the cluster's size along y, a constant integer, found the name `N`, whose value attributes do not know
            help: write the number, or the name of a constant of the `#[kernel_module]` that is one: `const N: usize = 128;`"#]],
    );
    refused(
        "cluster",
        expect![[r#"
        1:10 `cluster`: expected 1 to 3 arguments to `cluster`, found 0
        help: write `cluster(x[, y[, z]])`"#]],
    );
    refused(
        "launch_bounds(256, 2, 4), cluster(2)",
        expect![[r#"
        1:36 `cluster(2)`: expected either `cluster` or a largest cluster in `launch_bounds`, found both: 2 × 1 × 1 blocks and at most 4
        help: leave the third argument of `launch_bounds` out: `cluster` fixes the size"#]],
    );
    refused(
        "arch(sm_80, sm_90), cluster(2)",
        expect![[r#"
        1:15 `sm_80`: expected sm_90 or later, which has clusters, as `cluster` asks for them, found `sm_80`
        help: leave `sm_80` out of `arch`, or make the kernel another one without clusters"#]],
    );
    refused(
        "arch(sm_75), launch_bounds(128, 1, 2)",
        expect![[r#"
        1:15 `sm_75`: expected sm_90 or later, which has clusters, as `max_cluster` asks for them, found `sm_75`
        help: leave `sm_75` out of `arch`, or make the kernel another one without clusters"#]],
    );
}

#[test]
fn registers() {
    accepted(
        "maxnreg(64)",
        expect![[r#"
        max_registers 64
        fn k() {
        }"#]],
    );
    accepted(
        "maxnreg(64), launch_bounds(1024)",
        expect![[r#"
        max_threads 1024, max_registers 64
        fn k() {
        }"#]],
    );
    accepted(
        "maxnreg(32), launch_bounds(256, 8)",
        expect![[r#"
            max_threads 256, min_blocks 8, max_registers 32
            fn k() {
            }"#]],
    );
    refused(
        "maxnreg(23)",
        expect![[r#"
        1:18 `23`: expected at least 24 registers per thread, found 23
        help: write a number from 24 to 255"#]],
    );
    refused(
        "maxnreg(256)",
        expect![[r#"
        1:18 `256`: expected at most 255 registers per thread, found 256
        help: write a number from 24 to 255"#]],
    );
    refused(
        "maxnreg(65), launch_bounds(1024)",
        expect![[r#"
            1:18 `65`: expected at most 64 registers per thread, as many as a block of 1024 threads has in the register file, found 65
            help: write `maxnreg(64)`, or bound smaller blocks"#]],
    );
    refused(
        "maxnreg(128), block(32, 32)",
        expect![[r#"
            1:18 `128`: expected at most 64 registers per thread, as many as a block of 1024 threads has in the register file, found 128
            help: write `maxnreg(64)`, or bound smaller blocks"#]],
    );
    refused(
        "maxnreg(40), launch_bounds(256, 8)",
        expect![[r#"
            1:18 `40`: expected at most 32 registers per thread, as many as each of 8 blocks of 256 threads on an SM has in the register file, found 40
            help: write `maxnreg(32)`, or bound smaller blocks"#]],
    );
    refused(
        "maxnreg(32, 64)",
        expect![[r#"
        1:22 `64`: expected 1 argument to `maxnreg`, found 2
        help: write `maxnreg(registers)`"#]],
    );
}

#[test]
fn architectures() {
    accepted(
        "arch(sm_90a, sm_80)",
        expect![[r#"
        sm_80, sm_90a
        fn k() {
        }"#]],
    );
    refused(
        "arch",
        expect![[r#"
        1:10 `arch`: expected architectures in `arch`, found none
        help: write `arch(sm_80, sm_90a)`, or leave it out"#]],
    );
    refused(
        "arch()",
        expect![[r#"
        1:10 `arch()`: expected architectures in `arch`, found none
        help: write `arch(sm_80, sm_90a)`, or leave it out"#]],
    );
    refused(
        "arch(sm_91)",
        expect![[r#"
        1:15 `sm_91`: expected an architecture, found `sm_91`
        help: did you mean `sm_90`?"#]],
    );
    refused(
        "arch(90)",
        expect![[r#"
        1:15 `90`: expected an architecture, found `90`
        help: did you mean `sm_90`?"#]],
    );
    refused(
        "arch(compute_90a, \"sm_80\")",
        expect![[r#"
        1:15 `compute_90a`: expected an architecture, found `compute_90a`
        help: did you mean `sm_90a`?
        1:28 `"sm_80"`: expected an architecture, found `"sm_80"`
        help: did you mean `sm_80`?"#]],
    );
    refused(
        "arch(volta)",
        expect![[r#"
        1:15 `volta`: expected an architecture, found `volta`
        help: the architectures are `sm_75`, `sm_80`, `sm_86`, `sm_87`, `sm_89`, `sm_90`, `sm_90a`, `sm_100`, `sm_100a`, `sm_100f`, `sm_103`, `sm_103a`, `sm_103f`, `sm_110`, `sm_110a`, `sm_110f`, `sm_120`, `sm_120a`, `sm_120f`, `sm_121`, `sm_121a`, `sm_121f`"#]],
    );
    refused(
        "arch(sm_80, sm_80)",
        expect![[r#"
        1:22 `sm_80`: expected each architecture once, found `sm_80` again
        help: leave one of them out"#]],
    );
    refused(
        "arch(sm_90, sm_86), launch_bounds(256, 8)",
        expect![[r#"
            1:49 `8`: 8 blocks of 256 threads do not fit an SM of sm_86, which holds 1536 threads in at most 16 blocks
            help: ask for at most 6 per SM"#]],
    );
    refused(
        "arch(sm_90, sm_75), launch_bounds(1024, 2)",
        expect![[r#"
            1:50 `2`: 2 blocks of 1024 threads do not fit an SM of sm_75, which holds 1024 threads in at most 16 blocks
            help: ask for at most 1 per SM"#]],
    );
}

#[test]
fn promises() {
    accepted(
        "occupancy(min = 0.5)",
        expect![[r#"
        min_occupancy 0.5
        fn k() {
        }"#]],
    );
    accepted(
        "occupancy(min = 1), spills(0)",
        expect![[r#"
        min_occupancy 1, no_spills
        fn k() {
        }"#]],
    );
    refused(
        "occupancy(min = 50)",
        expect![[r#"
        1:26 `50`: expected a number above 0 and at most 1, the part of an SM's warps, found `50`
        help: for 50 % write `min = 0.5`"#]],
    );
    refused(
        "occupancy(min = 0)",
        expect![[r#"
        1:26 `0`: expected a number above 0 and at most 1, the part of an SM's warps, found `0`
        help: write `min = 0.5` for half of the warps that an SM holds"#]],
    );
    refused(
        "occupancy(min = 1.5)",
        expect![[r#"
            1:26 `1.5`: expected a number above 0 and at most 1, the part of an SM's warps, found `1.5`
            help: write `min = 0.5` for half of the warps that an SM holds"#]],
    );
    refused(
        "occupancy(0.5)",
        expect![[r#"
        1:20 `0.5`: expected `min = ` and a part of 1, found `0.5`
        help: write `occupancy(min = 0.5)`"#]],
    );
    refused(
        "occupancy(max = 0.5)",
        expect![[r#"
        1:20 `max = 0.5`: expected `min = ` and a part of 1, found `max = 0.5`
        help: write `occupancy(min = 0.5)`"#]],
    );
    refused(
        "occupancy",
        expect![[r#"
        1:10 `occupancy`: expected 1 argument to `occupancy`, found 0
        help: write `occupancy(min = 0.5)`"#]],
    );
    refused(
        "occupancy(min = HALF)",
        expect![[r#"
        1:26 `HALF`: expected a number above 0 and at most 1, the part of an SM's warps, found `HALF`
        help: write `min = 0.5` for half of the warps that an SM holds"#]],
    );
    refused(
        "spills(4)",
        expect![[r#"
        1:17 `4`: expected `0`: a kernel may spill registers or not, found `4`
        help: write `spills(0)` to refuse spilled registers, or leave it out"#]],
    );
    refused(
        "spills",
        expect![[r#"
        1:10 `spills`: expected 1 argument to `spills`, found 0
        help: write `spills(0)`"#]],
    );
    refused(
        "spills(none)",
        expect![[r#"
        1:17 `none`: expected `0`: a kernel may spill registers or not, found `none`
        help: write `spills(0)` to refuse spilled registers, or leave it out"#]],
    );
}

#[test]
fn names_of_attributes() {
    refused(
        "launch_bound(256)",
        expect![[r#"
        1:10 `launch_bound`: expected an attribute of kernels, found `launch_bound`
        help: did you mean `launch_bounds`?"#]],
    );
    refused(
        "unroll(4)",
        expect![[r#"
        1:10 `unroll`: expected an attribute of kernels, found `unroll`
        help: put `#[unroll]` into the body, directly before a loop"#]],
    );
    refused(
        "speed(11)",
        expect![[r#"
            1:10 `speed`: expected an attribute of kernels, found `speed`
            help: the attributes are `launch_bounds(max_threads[, min_blocks[, max_cluster]])`, `block(x[, y[, z]])`, `cluster(x[, y[, z]])`, `nonportable_cluster`, `cooperative`, `maxnreg(registers)`, `arch(sm_80, sm_90a)`, `occupancy(min = 0.5)`, `spills(0)`, `fp_contract(off)`, `coarsen(4)`, `fast_math`, `index(u64)`, `checks(overflow)`, `deny_checks`, `disjoint`, `instances(T = [f32, f64], N = [128, 256])`, `tune(N = [1, 2, 4], block = [128, 256])`"#]],
    );
    refused(
        "workgroup_size(64)",
        expect![[r#"
        1:10 `workgroup_size`: expected an attribute of kernels, found `workgroup_size`
        help: write `block(64)`"#]],
    );
    refused(
        "minnctapersm(2)",
        expect![[r#"
        1:10 `minnctapersm`: expected an attribute of kernels, found `minnctapersm`
        help: write `launch_bounds(256, 2)`"#]],
    );
    refused("coarsen(4)", expect!["accepted"]);
    refused(
        "launch_bounds(64), launch_bounds(64)",
        expect![[r#"
        1:29 `launch_bounds`: expected each attribute once, found `launch_bounds` again
        help: leave one of them out"#]],
    );
    refused(
        "fp_contract(on)",
        expect![[r#"
        1:22 `on`: expected `off`, found `on`
        help: leave `fp_contract` out: contraction is on by default"#]],
    );
    refused(
        "fp_contract",
        expect![[r#"
        1:10 `fp_contract`: expected 1 argument to `fp_contract`, found 0
        help: write `fp_contract(off)`"#]],
    );
    refused(
        "256",
        expect![[r#"
            1:10 `256`: expected an attribute of kernels, found a literal
            help: the attributes are `launch_bounds(max_threads[, min_blocks[, max_cluster]])`, `block(x[, y[, z]])`, `cluster(x[, y[, z]])`, `nonportable_cluster`, `cooperative`, `maxnreg(registers)`, `arch(sm_80, sm_90a)`, `occupancy(min = 0.5)`, `spills(0)`, `fp_contract(off)`, `coarsen(4)`, `fast_math`, `index(u64)`, `checks(overflow)`, `deny_checks`, `disjoint`, `instances(T = [f32, f64], N = [128, 256])`, `tune(N = [1, 2, 4], block = [128, 256])`"#]],
    );
    refused(
        "launch_bounds(0), blok(3)",
        expect![[r#"
        1:24 `0`: expected at least 1 thread per block, found 0
        help: write a number from 1 to 1024
        1:28 `blok`: expected an attribute of kernels, found `blok`
        help: did you mean `block`?"#]],
    );
}

#[test]
fn arithmetic() {
    accepted(
        "fast_math, index(u64), checks(overflow)",
        expect![[r#"
        fast_math, wide_index, overflow_checks
        fn k() {
        }"#]],
    );
    refused(
        "fast_math(on)",
        expect![[r#"
        1:20 `on`: expected 0 arguments to `fast_math`, found 1
        help: write `fast_math`"#]],
    );
    refused(
        "index",
        expect![[r#"
        1:10 `index`: expected 1 argument to `index`, found 0
        help: write `index(u64)`"#]],
    );
    refused(
        "index(u32)",
        expect![[r#"
        1:16 `u32`: expected `u64`, found `u32`
        help: leave `index` out: launches have 32-bit indices by default"#]],
    );
    refused(
        "index(usize)",
        expect![[r#"
        1:16 `usize`: expected `u64`, found `usize`
        help: write `index(u64)`"#]],
    );
    refused(
        "checks",
        expect![[r#"
        1:10 `checks`: expected the checks to make, found none
        help: write `checks(overflow)`"#]],
    );
    refused(
        "checks(overflows)",
        expect![[r#"
        1:17 `overflows`: expected a check to make, found `overflows`
        help: did you mean `overflow`?"#]],
    );
    refused(
        "checks(bounds, overflow)",
        expect![[r#"
        1:17 `bounds`: expected a check to make, found `bounds`
        help: the checks are `overflow`; those of indices and divisors are always made"#]],
    );
    refused(
        "checks(overflow, overflow)",
        expect![[r#"
        1:27 `overflow`: expected each check once, found `overflow` again
        help: leave one of them out"#]],
    );
}
