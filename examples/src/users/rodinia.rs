//! Rodinia and HeCBench: grids, graphs, sparse matrices, dynamic programming.

use kernel_runtime::prelude::*;

/// A step of the temperatures of a chip; the borders are their own neighbours.
#[kernel]
pub fn hotspot(rows: usize, columns: usize, power: &[f32], temperature: &[f32], result: &mut [f32]) {
    let column = global_idx().x;
    let row = global_idx().y;
    if row < rows && column < columns {
        let north = if row == 0 { 0 } else { row - 1 };
        let south = if row == rows - 1 { row } else { row + 1 };
        let west = if column == 0 { 0 } else { column - 1 };
        let east = if column == columns - 1 { column } else { column + 1 };
        let centre = temperature[row * columns + column];
        result[row * columns + column] = centre
            + 0.1
                * (power[row * columns + column]
                    + (temperature[south * columns + column] + temperature[north * columns + column]
                        - 2.0 * centre)
                        * 0.2
                    + (temperature[row * columns + east] + temperature[row * columns + west] - 2.0 * centre)
                        * 0.3
                    + (80.0 - centre) * 0.05);
    }
}

/// One row of the cheapest paths from the top of a grid.
#[kernel]
pub fn pathfinder(row: usize, columns: usize, wall: &[f32], before: &[f32], costs: &mut [f32]) {
    let i = global_idx().x;
    if i < columns {
        let mut shortest = before[i];
        if i > 0 {
            shortest = shortest.min(before[i - 1]);
        }
        if i < columns - 1 {
            shortest = shortest.min(before[i + 1]);
        }
        costs[i] = shortest + wall[row * columns + i];
    }
}

/// Diffusion coefficients of speckle-reducing anisotropic diffusion, elements in one dimension.
#[kernel]
pub fn srad(rows: u32, columns: u32, q0: f32, image: &[f32], coefficients: &mut [f32]) {
    let id = global_idx().x as u32;
    if id < rows * columns {
        let row = id / columns;
        let column = id % columns;
        let north = if row > 0 { row - 1 } else { 0 };
        let south = if row < rows - 1 { row + 1 } else { row };
        let west = if column > 0 { column - 1 } else { 0 };
        let east = if column < columns - 1 { column + 1 } else { column };
        let centre = image[id as usize] + 2.0;
        let dn = image[(north * columns + column) as usize] + 2.0 - centre;
        let ds = image[(south * columns + column) as usize] + 2.0 - centre;
        let dw = image[(row * columns + west) as usize] + 2.0 - centre;
        let de = image[(row * columns + east) as usize] + 2.0 - centre;
        let g2 = (dn * dn + ds * ds + dw * dw + de * de) / (centre * centre);
        let l = (dn + ds + dw + de) / centre;
        let numerator = 0.5 * g2 - (1.0 / 16.0) * (l * l);
        let denominator = 1.0 + 0.25 * l;
        let q = numerator / (denominator * denominator);
        let c = 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)));
        coefficients[id as usize] = c.clamp(0.0, 1.0);
    }
}

/// One anti-diagonal of Needleman and Wunsch's alignment.
#[kernel]
pub fn needle(columns: usize, diagonal: usize, penalty: f32, reference: &[f32], scores: &mut [f32]) {
    let t = global_idx().x;
    if t < diagonal {
        let row = t + 1;
        let column = diagonal - t;
        if row < columns && column < columns {
            let at = row * columns + column;
            let matched = scores[at - columns - 1] + reference[at];
            let deleted = scores[at - columns] - penalty;
            let inserted = scores[at - 1] - penalty;
            scores[at] = matched.max(deleted).max(inserted);
        }
    }
}

/// The nearest centre of each point; features are a point's length apart.
#[kernel]
pub fn kmeans(
    points: usize,
    clusters: usize,
    features: usize,
    feature: &[f32],
    centres: &[f32],
    membership: &mut [f32],
) {
    let point = global_idx().x;
    if point < points {
        let mut nearest = 0;
        let mut shortest = f32::MAX;
        for cluster in 0..clusters {
            let mut distance = 0.0f32;
            for k in 0..features {
                let difference = feature[k * points + point] - centres[cluster * features + k];
                distance += difference * difference;
            }
            if distance < shortest {
                shortest = distance;
                nearest = cluster;
            }
        }
        membership[point] = nearest as f32;
    }
}

/// The second kernel of Gaussian elimination: what is right of and below the pivot.
#[kernel]
pub fn gaussian(size: usize, pivot: usize, multipliers: &[f32], a: &mut [f32]) {
    let x = global_idx().x;
    let y = global_idx().y;
    if x < size - 1 - pivot && y < size - pivot {
        let row = x + 1 + pivot;
        let column = y + pivot;
        a[size * row + column] -= multipliers[size * row + pivot] * a[size * pivot + column];
    }
}

/// A level of a breadth-first search.
#[kernel]
pub fn bfs(nodes: usize, depth: u32, starts: &[u32], edges: &[u32], levels: &[AtomicU32]) {
    let node = global_idx().x;
    if node < nodes && levels[node].load(Ordering::Relaxed) == depth {
        for e in starts[node] as usize..starts[node + 1] as usize {
            let id = edges[e] as usize;
            if levels[id].load(Ordering::Relaxed) == u32::MAX {
                levels[id].store(depth + 1, Ordering::Relaxed);
            }
        }
    }
}

/// A sparse matrix in compressed rows by a vector, a thread for each row.
#[kernel]
pub fn spmv_csr(rows: usize, starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx().x;
    if row < rows {
        let start = starts[row] as usize;
        let end = starts[row + 1] as usize;
        let mut sum = 0.0f32;
        for j in start..end {
            sum += values[j] * x[columns[j] as usize];
        }
        y[row] = sum;
    }
}

/// A sparse matrix of equally long rows, stored by columns, by a vector.
#[kernel]
pub fn spmv_ell(rows: usize, width: usize, columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx().x;
    if row < rows {
        let mut sum = 0.0f32;
        for k in 0..width {
            let at = k * rows + row;
            sum += values[at] * x[columns[at] as usize];
        }
        y[row] = sum;
    }
}
