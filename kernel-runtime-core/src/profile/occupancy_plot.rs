//! Occupancy by block size as a drawing.

use std::fmt::Write;

use super::{OccupancyPoint, OccupancyProfile};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
/// Left, right, top, bottom: room for the labels.
const MARGIN: [f64; 4] = [64.0, 16.0, 18.0, 44.0];

/// A column for each block size, the launched one marked; the axes are labelled.
pub(super) fn svg(occupancy: &OccupancyProfile) -> String {
    let [left, right, top, bottom] = MARGIN;
    let (inner_width, inner_height) = (WIDTH - left - right, HEIGHT - top - bottom);
    let most_threads = f64::from(occupancy.curve.last().map_or(1024, |point| point.threads).max(32));
    let column = inner_width * 32.0 / most_threads;
    let x = |threads: u32| left + inner_width * (f64::from(threads) - 32.0) / most_threads;
    let y =
        |warps: u32| top + inner_height * (1.0 - f64::from(warps) / f64::from(occupancy.max_warps.max(1)));
    let floor = top + inner_height;
    let mut out = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"occupancy by block size\">"
    );
    for quarter in 0..=4 {
        let at = top + inner_height * (1.0 - f64::from(quarter) / 4.0);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} %</text>",
            WIDTH - right,
            left - 8.0,
            at + 4.0,
            25 * quarter
        );
    }
    // The launched size need not be a number of whole warps.
    let launched = occupancy.launched.threads.div_ceil(32);
    for point in &occupancy.curve {
        let OccupancyPoint { threads, active_blocks, active_warps, limited_by } = point;
        let class = if threads.div_ceil(32) == launched { "column now" } else { "column" };
        let top = y(*active_warps);
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\">\
             <title>{threads} threads: {active_blocks} blocks, {active_warps} warps per SM, limited by {limited_by}</title></rect>",
            x(*threads) + 0.12 * column,
            0.76 * column,
            (floor - top).max(0.5)
        );
    }
    for label in
        occupancy.curve.iter().filter(|point| point.threads.is_multiple_of(128) || point.threads == 32)
    {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(label.threads) + column / 2.0,
            floor + 16.0,
            label.threads
        );
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">threads per block</text>\
         <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">occupancy</text></svg>",
        left + inner_width / 2.0,
        HEIGHT - 8.0,
        top + inner_height / 2.0
    );
    out
}
