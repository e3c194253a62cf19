//! The scheduler, with bodies written by hand against `device`.

mod collectives;
mod memory;
mod stack;

use std::rc::Rc;

use expect_test::{Expect, expect};
use ptx::target::Arch;

use super::block::{CpuError, Stacks, run as block_run};
use super::fiber::Position;
use super::panics;
use super::run::{self, Slice};
use crate::device::{barrier, block_idx, thread_idx, warp};

/// Runs one block of `threads` threads.
fn launch(threads: u32, body: impl Fn()) -> Result<(), CpuError> {
    panics::install_hook();
    let first = Position {
        thread: [0; 3],
        block: [3, 0, 0],
        block_size: [threads, 1, 1],
        cluster_size: [1; 3],
        grid_size: [4, 1, 1],
        target: Arch::Sm90,
    };
    block_run(&body, &[first], 0, &Stacks::of(512 << 10), &Rc::default())
}

fn check_error(result: Result<(), CpuError>, expected: Expect) {
    let text = match result {
        Ok(()) => "ok".into(),
        // The line changes with every edit of this file.
        Err(error) => error.to_string().split(file!()).map(after_place).collect::<Vec<_>>().join("<here>"),
    };
    expected.assert_eq(&text);
}

/// Text after a place's line and column.
fn after_place(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..2 {
        rest = rest.strip_prefix(':').map_or(rest, |t| t.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    rest
}

#[test]
fn threads_know_where_they_are() {
    let mut data = [0; 40];
    // SAFETY: the data outlives the launch below.
    let view = unsafe { Slice::new_mut(&mut data) };
    launch(40, || {
        let i = thread_idx().x;
        let value = 1000 * block_idx().x + 100 * warp::warp_id() + warp::lane_id();
        // SAFETY: the element is there.
        unsafe { *view.at(i) = value };
    })
    .unwrap();
    assert_eq!((data[0], data[31], data[32], data[39]), (3000, 3031, 3100, 3107));
}

#[test]
fn barriers_order_shared_memory() {
    let mut data = [0; 96];
    // SAFETY: the data outlives the launch below.
    let view = unsafe { Slice::new_mut(&mut data) };
    launch(96, || {
        let tile = run::shared::<[usize; 96]>(0);
        let i = thread_idx().x;
        // SAFETY: the elements are there.
        unsafe { *run::at(tile, i) = i * i };
        barrier();
        // SAFETY: as above.
        unsafe { *view.at(i) = *run::at(tile, 95 - i) };
    })
    .unwrap();
    assert!(data.iter().enumerate().all(|(i, &v)| v == (95 - i) * (95 - i)));
}

#[test]
fn dynamic_shared_memory_is_as_large_as_asked() {
    panics::install_hook();
    let first = Position {
        thread: [0; 3],
        block: [0; 3],
        block_size: [2, 1, 1],
        cluster_size: [1; 3],
        grid_size: [1; 3],
        target: Arch::Sm90,
    };
    // SAFETY: no element is read.
    let body =
        || assert_eq!(unsafe { (run::shared_dyn::<f32>().len(), run::shared_dyn::<u64>().len()) }, (5, 2));
    block_run(&body, &[first], 20, &Stacks::of(512 << 10), &Rc::default()).unwrap();
}

#[test]
fn lanes_vote() {
    launch(40, || {
        let lane = warp::lane_id();
        let alive = if warp::warp_id() == 0 { u32::MAX } else { 0xff };
        assert_eq!(warp::ballot(lane < 3), 0b111);
        assert!(
            warp::any(lane == 2) && !warp::any(lane > 31) && warp::all(lane < 32) && !warp::all(lane == 0)
        );
        assert_eq!(warp::match_any(lane as u32 / 4), 0xf << (lane / 4 * 4));
        if lane < 8 {
            assert_eq!(warp::ballot_sync(0xff, lane.is_multiple_of(2)), 0x55);
            assert_eq!(warp::shfl_xor_sync(0xff, lane, 1), lane ^ 1);
            assert_eq!(warp::active_mask(), 0xff);
        }
        warp::sync();
        assert_eq!(warp::active_mask(), alive);
    })
    .unwrap();
}

#[test]
fn shuffles_sum_a_warp() {
    let mut data = [0.0; 64];
    // SAFETY: the data outlives the launch below.
    let view = unsafe { Slice::new_mut(&mut data) };
    launch(64, || {
        let mut sum = thread_idx().x as f32;
        for delta in [16, 8, 4, 2, 1] {
            sum += warp::shfl_down(sum, delta);
        }
        let sum = warp::shfl_idx(sum, 0);
        // SAFETY: the element is there.
        unsafe { *view.at(thread_idx().x) = sum };
    })
    .unwrap();
    assert_eq!((data[5], data[40]), (496.0, 1520.0));
}

#[test]
fn shuffles_beyond_the_warp_keep_the_value() {
    launch(32, || {
        let lane = warp::lane_id() as i64;
        assert_eq!(warp::shfl_up(lane, 4), if lane < 4 { lane } else { lane - 4 });
        assert_eq!(warp::shfl_down(lane, 4), if lane > 27 { lane } else { lane + 4 });
        assert_eq!(warp::shfl_xor(lane, 5), lane ^ 5);
        assert_eq!(warp::shfl_idx(lane, 33), 1);
    })
    .unwrap();
}

#[test]
fn ended_threads_do_not_hold_up_a_barrier() {
    launch(64, || {
        if thread_idx().x >= 40 {
            return;
        }
        barrier();
    })
    .unwrap();
}

#[test]
// Two barriers, not one: where a thread waits is what counts.
#[allow(clippy::if_same_then_else)]
fn errors_are_clear() {
    check_error(
        launch(8, || {
            if thread_idx().x == 5 {
                panic!("index out of bounds: the len is {} but the index is {}", 3, 7);
            }
        }),
        expect![
            "thread [5, 0, 0] of block [3, 0, 0] panicked at <here>: index out of bounds: the len is 3 but the index is 7"
        ],
    );
    check_error(
        launch(8, || {
            if thread_idx().x < 4 {
                barrier();
            } else {
                barrier();
            }
        }),
        expect![
            "block [3, 0, 0] hangs: thread [0, 0, 0] waits at the barrier at <here>, but thread [4, 0, 0] waits at the barrier at <here>; a barrier needs every thread of the block at the same call, a warp collective every lane of the warp"
        ],
    );
    check_error(
        launch(8, || {
            warp::shfl_down(1, 4);
        }),
        expect![
            "lane 4 of warp 0 in block [3, 0, 0] takes a value from lane 8, which has ended or is not in the block, at <here>"
        ],
    );
    let outside = std::panic::catch_unwind(|| thread_idx().x).unwrap_err();
    expect!["`thread_idx` was called outside a kernel: it has a meaning only in the body of a `#[kernel]` function"]
        .assert_eq(outside.downcast_ref::<String>().unwrap());
}
