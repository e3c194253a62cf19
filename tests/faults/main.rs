//! Kernels with a planted fault: on the CPU copy, the simulator and a GPU where there is one (`REQUIRE_GPU=1` makes its absence a
//! failure) each leaves the right record, message with its values, place, block and thread, nothing hangs, and the next launch works.

// The faults are written as people write them.
#![allow(clippy::all)]

mod cost;
mod grid;
mod harness;
mod kinds;
mod names;
mod overflow;
mod places;
mod together;

#[test]
fn there_are_enough() {
    let tables = [grid::TITLES, kinds::TITLES, overflow::TITLES, places::TITLES, together::TITLES];
    let mut titles = tables.concat();
    assert!(titles.len() >= 40, "{}", titles.len());
    titles.sort_unstable();
    assert!(titles.windows(2).all(|pair| pair[0] != pair[1]), "two have the same title");
}
