//! Polygons: how often one winds around a point, with branches and with arithmetic; and blocks whose shape follows what they draw.

use std::f32::consts::TAU;

use kernel_runtime::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// The winding number of a polygon around each point. Three branches an edge, and one for the edge that closes the polygon.
#[kernel]
pub fn winding_branches(vertices: &[F32x2], points: &[F32x2], out: &mut [f32]) {
    let i = global_idx().x;
    if i < points.len() && i < out.len() {
        let point = points[i];
        let mut winding = 0i32;
        for k in 0..vertices.len() {
            let a = vertices[k];
            let b = if k + 1 < vertices.len() { vertices[k + 1] } else { vertices[0] };
            #[branch]
            if a.y <= point.y {
                #[branch]
                if b.y > point.y {
                    let left = (b.x - a.x).mul_add(point.y - a.y, -((point.x - a.x) * (b.y - a.y)));
                    if left > 0.0 {
                        winding += 1;
                    }
                }
            } else if b.y <= point.y {
                let left = (b.x - a.x).mul_add(point.y - a.y, -((point.x - a.x) * (b.y - a.y)));
                if left < 0.0 {
                    winding -= 1;
                }
            }
        }
        out[i] = winding as f32;
    }
}

/// The winding number without branches: edges are data, the closing one too, and each adds the difference of two truth values.
#[kernel]
pub fn winding_arithmetic(edges: &[F32x4], points: &[F32x2], out: &mut [f32]) {
    let i = global_idx().x;
    if i < points.len() && i < out.len() {
        let point = points[i];
        let mut winding = 0i32;
        for edge in edges {
            let (ax, ay, bx, by) = (edge.x, edge.y, edge.z, edge.w);
            let left = (bx - ax).mul_add(point.y - ay, -((point.x - ax) * (by - ay)));
            let up = (ay <= point.y) & (by > point.y) & (left > 0.0);
            let down = (ay > point.y) & (by <= point.y) & (left < 0.0);
            winding += up as i32 - down as i32;
        }
        out[i] = winding as f32;
    }
}

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
    Example::new(&winding_branches::KERNEL, TOPIC, "winding number, branches", 12, |gpu, n| {
        let vertices = gpu.upload(&star())?;
        winding(gpu, n, |points, out| winding_branches(&vertices, points, out).over(points.len()).run())
    }),
    Example::new(&winding_arithmetic::KERNEL, TOPIC, "winding number, arithmetic", 12, |gpu, n| {
        let edges: Vec<F32x4> = edges().map(|[a, b]| F32x4::new(a.x, a.y, b.x, b.y)).collect();
        let edges = gpu.upload(&edges)?;
        winding(gpu, n, |points, out| winding_arithmetic(&edges, points, out).over(points.len()).run())
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

/// A star of 32 vertices.
fn star() -> Vec<F32x2> {
    let vertex = |k: usize| {
        let (sin, cos) = (TAU * k as f32 / 32.0).sin_cos();
        let radius = if k.is_multiple_of(2) { 0.5 } else { 0.25 };
        F32x2::new(0.5 + radius * cos, 0.5 + radius * sin)
    };
    (0..32).map(vertex).collect()
}

fn edges() -> impl Iterator<Item = [F32x2; 2]> {
    let star = star();
    (0..star.len()).map(move |k| [star[k], star[(k + 1) % star.len()]])
}

fn winding(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<F32x2>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // 32 edges for each point: fewer points show it.
    let n = n.min(1 << 16);
    let points = random(18, n).into_iter().zip(random(19, n)).map(|(x, y)| F32x2::new(x, y));
    let points: Vec<F32x2> = points.collect();
    let edges: Vec<[F32x2; 2]> = edges().collect();
    let around = |point: &F32x2| {
        let turn = |&[a, b]: &[F32x2; 2]| {
            let left = (b.x - a.x).mul_add(point.y - a.y, -((point.x - a.x) * (b.y - a.y)));
            match (a.y <= point.y, b.y <= point.y) {
                (true, false) if left > 0.0 => 1,
                (false, true) if left < 0.0 => -1,
                _ => 0,
            }
        };
        edges.iter().map(turn).sum::<i32>() as f32
    };
    let expected = points.iter().map(around).collect();
    from_slice(gpu, &points, expected, 0.0, launch)
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
