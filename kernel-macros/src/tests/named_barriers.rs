//! Barriers with numbers for some of a block's warps.

use super::{check_error, check_refusals};
use expect_test::expect;

#[test]
fn accepts_conditions_that_do_not_part_warps() {
    check_refusals(
        "#[kernel(block(128))] fn k(x: &[u32], y: &mut [u32]) {
            let mut tile = shared::<[u32; 32]>();
            let t = thread_idx().x;
            match warp::warp_id() {
                0 => {
                    tile[t] = x[t];
                    barrier::arrive::<1>(64);
                }
                1 => {
                    barrier::named::<1>(64);
                    y[t] = tile[t - 32];
                }
                warp => barrier::named::<15>(32 * (warp / 2 + 1)),
            }
        }",
        expect![""],
    );
}

#[test]
fn refuses_conditions_that_part_warps() {
    check_refusals(
        "#[kernel(block(64))] fn k(y: &mut [u32]) {
            let t = thread_idx().x;
            if t < 48 {
                barrier::named::<1>(32);
            }
            y[t] = 1;
        }",
        expect![[r#"
            4:17 `barrier`: expected all 32 lanes of the warp to come here together, found a condition at 3:16 that varies within warps, as it depends on `thread_idx().x`, read at 2:21
            help: move it out of the condition"#]],
    );
    check_refusals(
        "#[kernel(block(64))] fn k(n: &[u32], y: &mut [u32]) {
            let t = thread_idx().x;
            for _ in 0..n[t] {
                barrier::arrive::<1>(64);
            }
            y[t] = 1;
        }",
        expect![[r#"
            4:17 `barrier`: expected all 32 lanes of the warp to come here together, but they leave the loop in different rounds: its condition at 3:13 varies within warps, as it depends on `thread_idx().x`, read at 2:21
            help: make as many rounds in every thread, and put what only some do under a condition"#]],
    );
}

/// `barrier()` is for all threads of the block.
#[test]
fn refuses_barriers_of_the_block_for_some_warps() {
    check_refusals(
        "#[kernel(block(64))] fn k(y: &mut [u32]) {
            if warp::warp_id() == 0 {
                barrier();
            } else {
                barrier::named::<1>(32);
            }
            y[thread_idx().x] = 1;
        }",
        expect![[r#"
            3:17 `barrier`: expected all threads of the block to come here together, found a condition at 2:16 that varies between threads, as it depends on the warp, read at 2:16
            help: move it out of the condition"#]],
    );
}

#[test]
fn refuses_numbers_that_are_none() {
    check_error(
        "fn k(y: &mut [u32]) { barrier::named::<0>(64); }",
        expect![
            "1:23 `barrier::named::<0>(64)`: expected a barrier from 1 to 15, found 0: 0 is that of `barrier()`"
        ],
    );
    check_error(
        "fn k(y: &mut [u32]) { barrier::arrive::<16>(64); }",
        expect![
            "1:23 `barrier::arrive::<16>(64)`: expected a barrier from 1 to 15, found 16: 0 is that of `barrier()`"
        ],
    );
    check_error(
        "fn k(y: &mut [u32]) { barrier::named::<3>(48); }",
        expect![[r#"
        1:43 `48`: expected a number of threads that is a multiple of 32, as whole warps come to a barrier, found 48
        help: as it is written, every launch panics here"#]],
    );
    check_error(
        "fn k(y: &mut [u32]) { barrier::named::<3>(0); }",
        expect![[r#"
        1:43 `0`: expected a number of threads that is a multiple of 32, as whole warps come to a barrier, found 0
        help: as it is written, every launch panics here"#]],
    );
    check_error(
        "fn k(y: &mut [u32]) { barrier::named(32); }",
        expect![[r#"
        1:23 `barrier::named(32)`: expected a number for `ID` of `barrier::named`, found nothing that decides it
        help: write it: `barrier::named::<1>(…)`"#]],
    );
    check_error(
        "fn k(y: &mut [u32]) { barrier::wait::<3>(32); }",
        expect![[r#"
        1:23 `barrier::wait`: expected a function, found the unknown name `barrier::wait`
        help: there are `barrier::named` and `barrier::arrive`"#]],
    );
    check_error(
        "fn k(y: &mut [u32]) { barrier::named::<1>(); }",
        expect![[r#"
        1:23 `barrier::named::<1>()`: expected 1 argument to `barrier::named`, found 0
        help: add what is missing"#]],
    );
}

#[test]
fn refuses_more_threads_than_a_block_has() {
    check_refusals(
        "#[kernel(block(64))] fn k(y: &mut [u32]) { barrier::named::<1>(96); y[thread_idx().x] = 1; }",
        expect![],
    );
    check_refusals(
        "#[kernel(launch_bounds(128))] fn k(y: &mut [u32]) { barrier::arrive::<1>(160); y[thread_idx().x] = 1; }",
        expect![[r#"
            1:53 `barrier`: expected at most the threads of a block, 128 by `launch_bounds`, found a barrier for 160
            help: count the threads that come to it"#]],
    );
    check_refusals(
        "#[kernel(block(48))] fn k(y: &mut [u32]) { barrier::named::<1>(32); y[thread_idx().x] = 1; }",
        expect![[r#"
            1:44 `barrier`: expected blocks of whole warps, for all 32 lanes take part here, found `block` with 48 threads: the last warp has 16
            help: make it 64 threads"#]],
    );
}

#[test]
fn refuses_counts_that_vary_within_warps() {
    check_refusals(
        "#[kernel(block(64))] fn k(y: &mut [u32]) {
            let t = thread_idx().x;
            barrier::named::<1>(32 * (1 + t % 2));
            y[t] = 1;
        }",
        expect![[r#"
            3:13 `barrier`: expected the same number of threads in all lanes of a warp, found one that varies within warps
            help: compute it from what all lanes have, such as `warp::warp_id()`"#]],
    );
}
