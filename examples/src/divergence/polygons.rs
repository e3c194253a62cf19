//! Polygons: corrections for the cells that the edges of one pass, with branches and with arithmetic; and blocks whose shape follows what
//! they draw.
//!
//! A cell, a square whose side is 1, is inside of a polygon, outside, or at its edges, where a correction says which part of it is covered. The area of a polygon in a cell is the integral of `x` around it, with `x` counted from the left side of the cell and clamped to the cell
//! (Green's theorem). An edge counts where it is in the cell's row: what is beyond the right side is a rectangle of the cell's width, what is in
//! the cell a trapezoid, and what is before the left side nothing. With branches these are cases, of edges and of the corners of a cell that they
//! pass; as data each edge has multipliers, and clamped coordinates make of every case the same formula, in which what does not apply is 0.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// The kernels that cover cells, and edges as data.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// An edge that is not level, from its lower end up. In a polygon that turns left, an outer one, those that go up count as they are.
    #[derive(Clone, Copy, Debug, Element)]
    #[repr(C)]
    pub struct Edge {
        /// The coordinate of the lower end along the row.
        pub x: f32,
        /// The height of the lower end.
        pub low: f32,
        /// The height of the upper end.
        pub high: f32,
        /// Steps to the right for each step up.
        pub right: f32,
        /// Steps up for each step to the right; very many of an upright edge.
        pub up: f32,
        /// 1 for an edge that leans to the right, whose upper part may be beyond the right side of a cell; else 0.
        pub upper: f32,
        /// 1 for an edge that leans to the left, whose lower part may be beyond the right side of a cell; else 0.
        pub lower: f32,
        /// 1 for an edge of the polygon that goes up, -1 for one that goes down.
        pub sign: f32,
    }

    /// The part of each cell, given by its lower left corner, that a polygon covers. Ends of edges and sides of cells are told apart by branches.
    #[kernel]
    pub fn coverage_branches(cells: &[F32x2], vertices: &[F32x2], out: &mut [f32]) {
        let i = global_idx().x;
        if i < cells.len() && i < out.len() {
            let (x, y) = (cells[i].x, cells[i].y);
            let mut area = 0.0f32;
            for k in 0..vertices.len() {
                let a = vertices[k];
                let b = if k + 1 < vertices.len() { vertices[k + 1] } else { vertices[0] };
                #[branch]
                if a.y == b.y {
                    continue;
                }
                let (from, to, sign) = if a.y < b.y { (a, b, 1.0) } else { (b, a, -1.0f32) };
                #[branch]
                if to.y <= y || from.y >= y + 1.0 {
                    continue;
                }
                let (low, high) = (from.y.max(y), to.y.min(y + 1.0));
                #[branch]
                if from.x.max(to.x) <= x {
                    continue;
                }
                #[branch]
                if from.x.min(to.x) >= x + 1.0 {
                    area += sign * (high - low);
                    continue;
                }
                #[branch]
                if from.x == to.x {
                    area += sign * ((high - low) * (from.x - x));
                    continue;
                }
                // The edge passes the corners of the cell, or stops in it.
                let up = (to.y - from.y) / (to.x - from.x);
                let right = (to.x - from.x) / (to.y - from.y);
                let left_side = up.mul_add(x - from.x, from.y);
                let right_side = up.mul_add(x + 1.0 - from.x, from.y);
                let (enter, leave, beyond) = if up > 0.0 {
                    let (enter, leave) = (left_side.clamp(low, high), right_side.clamp(low, high));
                    (enter, leave, high - leave)
                } else {
                    let (enter, leave) = (right_side.clamp(low, high), left_side.clamp(low, high));
                    (enter, leave, enter - low)
                };
                let middle = right.mul_add(0.5 * (enter + leave) - from.y, from.x) - x;
                area += sign * (leave - enter).mul_add(middle, beyond);
            }
            out[i] = area;
        }
    }

    /// The covered part of each cell without branches: every edge adds the same formula.
    #[kernel]
    pub fn coverage_arithmetic(cells: &[F32x2], edges: &[Edge], out: &mut [f32]) {
        let i = global_idx().x;
        if i < cells.len() && i < out.len() {
            let (x, y) = (cells[i].x, cells[i].y);
            let mut area = 0.0f32;
            for edge in edges {
                let (low, high) = (y.clamp(edge.low, edge.high), (y + 1.0).clamp(edge.low, edge.high));
                let left_side = edge.up.mul_add(x - edge.x, edge.low).clamp(low, high);
                let right_side = edge.up.mul_add(x + 1.0 - edge.x, edge.low).clamp(low, high);
                let beyond = edge.upper.mul_add(high - right_side, edge.lower * (right_side - low));
                let middle = edge.right.mul_add(0.5 * (left_side + right_side) - edge.low, edge.x) - x;
                let inside = (right_side - left_side).abs().mul_add(middle, beyond);
                area = edge.sign.mul_add(inside, area);
            }
            out[i] = area;
        }
    }
}

use kernels::{Edge, coverage_arithmetic, coverage_branches};

/// A block for each box of width, height and depth, with threads in an 8 × 8 × 4 grid: a thin box leaves most of them idle.
#[kernel(block(8, 8, 4))]
pub fn boxes_fixed(boxes: &[U32x4], out: &mut [f32]) {
    let size = boxes[block_idx().x];
    let (width, height, depth, start) = (size.x as usize, size.y as usize, size.z as usize, size.w as usize);
    for z in (thread_idx().z..depth).step_by(4) {
        for y in (thread_idx().y..height).step_by(8) {
            for x in (thread_idx().x..width).step_by(8) {
                let at = start + (z * height + y) * width + x;
                if at < out.len() {
                    out[at] = (x + 2 * y + 3 * z) as f32;
                }
            }
        }
    }
}

/// A block of 256 threads in a line for each box: they take a shape that fits it.
#[kernel(block(256))]
pub fn boxes_virtual(boxes: &[U32x4], out: &mut [f32]) {
    let size = boxes[block_idx().x];
    let (width, height, depth, start) = (size.x as usize, size.y as usize, size.z as usize, size.w as usize);
    // Powers of two: positions are bits of the thread's number.
    let wide = size.x.next_power_of_two().clamp(1, 256);
    let high = size.y.next_power_of_two().max(1).min(256 / wide);
    let deep = (256 / (wide * high)).max(1);
    let thread = thread_idx().x as u32;
    let first_x = (thread & (wide - 1)) as usize;
    let first_y = ((thread / wide) & (high - 1)) as usize;
    let first_z = (thread / (wide * high)) as usize;
    for z in (first_z..depth).step_by(deep as usize) {
        for y in (first_y..height).step_by(high as usize) {
            for x in (first_x..width).step_by(wide as usize) {
                let at = start + (z * height + y) * width + x;
                if at < out.len() {
                    out[at] = (x + 2 * y + 3 * z) as f32;
                }
            }
        }
    }
}

const TOPIC: &str = "divergence";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&coverage_branches::KERNEL, TOPIC, "cells at edges, branches", 12, |gpu, n| {
        let vertices = gpu.upload(&polygon())?;
        coverage(gpu, n, |cells, out| coverage_branches(cells, &vertices, out).over(cells.len()).run())
    }),
    Example::new(&coverage_arithmetic::KERNEL, TOPIC, "cells at edges, arithmetic", 12, |gpu, n| {
        let edges = gpu.upload(&edges())?;
        coverage(gpu, n, |cells, out| coverage_arithmetic(cells, &edges, out).over(cells.len()).run())
    }),
    Example::new(&boxes_fixed::KERNEL, TOPIC, "boxes of many shapes, blocks of 8 × 8 × 4", 4, |gpu, n| {
        boxes(gpu, n, |boxes, out| boxes_fixed(boxes, out).grid(boxes.len() as u32).run())
    }),
    Example::new(
        &boxes_virtual::KERNEL,
        TOPIC,
        "boxes of many shapes, blocks of their shape",
        4,
        |gpu, n| boxes(gpu, n, |boxes, out| boxes_virtual(boxes, out).grid(boxes.len() as u32).run()),
    ),
];

/// A ring 18 cells wide as one polygon: around the outside turning left, by a cut to the inside, around that turning right.
///
/// Its slopes are powers of two and its coordinates multiples of 1/32, so that all areas are exact, in whatever order they are added.
fn polygon() -> Vec<F32x2> {
    const TURN: [[f32; 2]; 4] = [[1.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0]];
    let quarter = |[x, y]: [f32; 2], quarters: usize| (0..quarters).fold([x, y], |[x, y], _| [-y, x]);
    let ring = |start: F32x2, unit: f32| {
        let steps = (0..16).map(move |step| quarter(TURN[step % 4], step / 4));
        let mut at = start;
        let mut vertices = vec![at];
        for [x, y] in steps {
            at += F32x2::new(x * unit, y * unit);
            vertices.push(at);
        }
        vertices
    };
    let start = F32x2::new(0.0, 0.0);
    let mut vertices = ring(start, 2.0);
    vertices.extend(ring(start + F32x2::new(0.0, 4.5), 1.0).into_iter().rev());
    vertices
}

/// The edges of the polygon that are not level.
fn edges() -> Vec<Edge> {
    let vertices = polygon();
    let edge = |k: usize| {
        let (a, b) = (vertices[k], vertices[(k + 1) % vertices.len()]);
        let (from, to, sign) = if a.y < b.y { (a, b, 1.0) } else { (b, a, -1.0) };
        let (right, up) = (to.x - from.x, to.y - from.y);
        Edge {
            x: from.x,
            low: from.y,
            high: to.y,
            right: right / up,
            up: if right == 0.0 { 1e30 } else { up / right },
            upper: f32::from(right >= 0.0),
            lower: f32::from(right < 0.0),
            sign,
        }
    };
    (0..vertices.len()).map(edge).filter(|edge| edge.low < edge.high).collect()
}

/// The area of a polygon in the cell that begins at (x, y): by clipping it at one side of the cell after another (Sutherland, Hodgman 1974).
fn clipped_area(polygon: &[[f64; 2]], [x, y]: [f64; 2]) -> f64 {
    let sides = [(0, x, 1.0), (0, x + 1.0, -1.0), (1, y, 1.0), (1, y + 1.0, -1.0)];
    let clip = |vertices: Vec<[f64; 2]>, (axis, at, sign): (usize, f64, f64)| {
        let inside = |vertex: [f64; 2]| sign * (vertex[axis] - at) >= 0.0;
        let mut kept = Vec::new();
        for (k, &a) in vertices.iter().enumerate() {
            let b = vertices[(k + 1) % vertices.len()];
            if inside(a) {
                kept.push(a);
            }
            if inside(a) != inside(b) {
                let other = 1 - axis;
                let mut crossing = [at; 2];
                crossing[other] = a[other] + (b[other] - a[other]) / (b[axis] - a[axis]) * (at - a[axis]);
                kept.push(crossing);
            }
        }
        kept
    };
    let kept = sides.into_iter().fold(polygon.to_vec(), clip);
    let twice = |(k, a): (usize, &[f64; 2])| {
        let b = kept[(k + 1) % kept.len()];
        a[0] * b[1] - a[1] * b[0]
    };
    0.5 * kept.iter().enumerate().map(twice).fold(0.0, |sum, part| sum + part)
}

/// Cells that edges pass, in no order, at multiples of 1/32.
fn cells(n: usize) -> Vec<F32x2> {
    let vertices = polygon();
    let numbers = random(18, 4 * n);
    let cell = |numbers: &[f32]| {
        let k = (numbers[0] * vertices.len() as f32) as usize;
        let (a, b) = (vertices[k], vertices[(k + 1) % vertices.len()]);
        let passed = a + (b - a) * F32x2::splat(numbers[1]);
        let corner = (passed - F32x2::new(numbers[2], numbers[3])) * F32x2::splat(32.0);
        F32x2::new(corner.x.ceil() / 32.0, corner.y.ceil() / 32.0)
    };
    numbers.chunks_exact(4).map(cell).collect()
}

fn coverage(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<F32x2>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // 34 edges for each cell: fewer cells show it.
    let cells = cells(n.min(1 << 16));
    let polygon: Vec<[f64; 2]> = polygon().iter().map(|vertex| vertex.to_array().map(f64::from)).collect();
    let area = |cell: &F32x2| clipped_area(&polygon, cell.to_array().map(f64::from)) as f32;
    let expected = cells.par_iter().map(area).collect();
    from_slice(gpu, &cells, expected, 0.0, launch)
}

fn boxes(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<U32x4>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    const SHAPES: [[u32; 3]; 6] = [[256, 2, 1], [3, 100, 1], [16, 16, 2], [5, 5, 5], [1, 1, 300], [40, 3, 2]];
    let mut boxes = Vec::new();
    let mut expected = Vec::new();
    for [width, height, depth] in SHAPES.into_iter().cycle() {
        boxes.push(U32x4::new(width, height, depth, expected.len() as u32));
        for z in 0..depth {
            for y in 0..height {
                expected.extend((0..width).map(|x| (x + 2 * y + 3 * z) as f32));
            }
        }
        if expected.len() >= n {
            break;
        }
    }
    from_slice(gpu, &boxes, expected, 0.0, launch)
}
