//! Forces between atoms that are near each other, in tiles of 32 × 32 pairs: how many lanes of a warp work at once, and how many
//! tiles have any work, is a matter of how the atoms are sorted.

use std::collections::BTreeSet;

use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::together;
use crate::{Example, Outcome, random};

/// The kernels, and the force between two atoms. The reference calls it as well.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// Threads of a block: four rows of tiles.
    pub const BLOCK: usize = 128;

    /// The Lennard-Jones force on an atom from another one that is `away`, over the distance, and the energy of the pair; for an energy
    /// at rest of 1 at the distance `2^(1/6) * sigma`.
    #[device]
    pub fn lennard_jones(sigma: f32, squared: f32) -> [f32; 2] {
        let ratio = sigma * sigma / squared;
        let sixth = ratio * ratio * ratio;
        let energy = 4.0 * sixth * (sixth - 1.0);
        let force = 24.0 * sixth * 2.0f32.mul_add(sixth, -1.0) / squared;
        [force, energy]
    }

    /// The square of a distance.
    #[device]
    pub fn squared(away: F32x4) -> f32 {
        away.x.mul_add(away.x, away.y.mul_add(away.y, away.z * away.z))
    }

    /// The boxes around 32 atoms each: their lowest and highest coordinates.
    #[kernel(block(BLOCK))]
    pub fn tile_boxes(atoms: &[F32x4], low: &mut [F32x4], high: &mut [F32x4]) {
        let i = global_idx().x;
        let here = if i < atoms.len() { atoms[i] } else { atoms[atoms.len() - 1] };
        let lowest =
            F32x4::new(warp::reduce_min(here.x), warp::reduce_min(here.y), warp::reduce_min(here.z), 0.0);
        let highest =
            F32x4::new(warp::reduce_max(here.x), warp::reduce_max(here.y), warp::reduce_max(here.z), 0.0);
        let tile = i / 32;
        if warp::lane_id() == 0 && tile < low.len() && tile < high.len() {
            low[tile] = lowest;
            high[tile] = highest;
        }
    }

    /// The force on each atom from those nearer than the cutoff, and the energy as fourth element. A warp has 32 atoms and goes through tiles of 32
    /// others, of which each lane loads one and hands it around. `excluded[[tile, i]]` has a bit for each atom of the tile that doesn't
    /// interact with atom `i`: itself, and those that it is bonded to. With `SKIP`, tiles whose boxes are farther apart than the cutoff are
    /// left out.
    #[kernel(instances(SKIP = [false, true]), block(BLOCK))]
    pub fn forces<const SKIP: bool>(
        scales: [f32; 2],
        atoms: &[F32x4],
        excluded: Matrix<'_, u32>,
        low: &[F32x4],
        high: &[F32x4],
        out: &mut [F32x4],
    ) {
        const NOWHERE: F32x4 = F32x4::splat(1e9);
        let [cutoff, sigma] = scales;
        let i = global_idx().x;
        let row = i / 32;
        let here = if i < atoms.len() { atoms[i] } else { -NOWHERE };
        let mut sum = F32x4::splat(0.0);
        for tile in 0..excluded.rows() {
            if SKIP && row < low.len() && row < high.len() && tile < low.len() && tile < high.len() {
                let zero = F32x4::splat(0.0);
                let gap = (low[tile] - high[row]).max(low[row] - high[tile]).max(zero);
                if squared(gap) >= cutoff * cutoff {
                    continue;
                }
            }
            let j = 32 * tile + warp::lane_id();
            let of_lane = if j < atoms.len() { atoms[j] } else { NOWHERE };
            let mask = if i < excluded.columns() { excluded[[tile, i]] } else { 0 };
            for lane in 0..32 {
                let away = here - warp::broadcast(of_lane, lane);
                let squared = squared(away);
                #[branch]
                if squared < cutoff * cutoff && mask >> lane & 1 == 0 {
                    let [force, energy] = lennard_jones(sigma, squared);
                    sum.x = force.mul_add(away.x, sum.x);
                    sum.y = force.mul_add(away.y, sum.y);
                    sum.z = force.mul_add(away.z, sum.z);
                    sum.w += 0.5 * energy;
                }
            }
        }
        if i < out.len() {
            out[i] = sum;
        }
    }
}

use kernels::{forces, lennard_jones, squared, tile_boxes};

const TOPIC: &str = "divergence";
/// Atoms lie in a cube whose side is 1.
const CUTOFF: f32 = 0.1875;
/// The distance at which a pair has no energy.
const SIGMA: f32 = 0.03125;
/// Atoms of a molecule, which are bonded to each other.
const MOLECULE: usize = 4;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(forces::kernel::<false>(), TOPIC, "forces within a cutoff, unsorted", 12, |gpu, n| {
        run(gpu, false, &System::new(n))
    }),
    Example::new(
        forces::kernel::<false>(),
        TOPIC,
        "forces within a cutoff, sorted by place",
        12,
        |gpu, n| run(gpu, false, &System::new(n).sorted()),
    ),
    Example::new(forces::kernel::<true>(), TOPIC, "the same, far tiles skipped, unsorted", 12, |gpu, n| {
        run(gpu, true, &System::new(n))
    }),
    Example::new(forces::kernel::<true>(), TOPIC, "the same, far tiles skipped, sorted", 12, |gpu, n| {
        run(gpu, true, &System::new(n).sorted())
    }),
];

/// Kernels that run beside those of the examples.
pub static PARTS: &[&Kernel] = &[&tile_boxes::KERNEL];

/// Atoms, and the pairs of them that don't interact.
struct System {
    atoms: Vec<F32x4>,
    /// Both orders of each pair.
    excluded: BTreeSet<[usize; 2]>,
}

impl System {
    /// So many molecules of four atoms, anywhere, that there are about `n` pairs of atoms.
    fn new(n: usize) -> System {
        let molecules = ((n as f64).sqrt() / MOLECULE as f64).ceil() as usize;
        let [centres, offsets] = [(16, molecules), (17, molecules * MOLECULE)].map(|(seed, count)| {
            let numbers = random(seed, 3 * count);
            let point = |part: &[f32]| F32x4::new(part[0], part[1], part[2], 0.0);
            numbers.chunks_exact(3).map(point).collect::<Vec<F32x4>>()
        });
        let atoms = offsets.iter().enumerate().map(|(at, offset)| {
            centres[at / MOLECULE] + (*offset - F32x4::new(0.5, 0.5, 0.5, 0.0)) * F32x4::splat(SIGMA)
        });
        let bonded = |at: usize| {
            (at / MOLECULE * MOLECULE..(at / MOLECULE + 1) * MOLECULE).map(move |other| [at, other])
        };
        System { atoms: atoms.collect(), excluded: (0..MOLECULE * molecules).flat_map(bonded).collect() }
    }

    /// Sorts the atoms in Morton's order of cells of half the cutoff: neighbours in the list are neighbours in space.
    fn sorted(self) -> System {
        let cell = |x: f32| (x / CUTOFF * 2.0).max(0.0) as u32;
        let code =
            |atom: &F32x4| spread(cell(atom.x)) | spread(cell(atom.y)) << 1 | spread(cell(atom.z)) << 2;
        let mut order: Vec<usize> = (0..self.atoms.len()).collect();
        order.sort_by_key(|&at| code(&self.atoms[at]));
        let mut place = vec![0; order.len()];
        for (to, &from) in order.iter().enumerate() {
            place[from] = to;
        }
        System {
            atoms: order.iter().map(|&at| self.atoms[at]).collect(),
            excluded: self.excluded.iter().map(|pair| pair.map(|at| place[at])).collect(),
        }
    }

    /// A row for each tile, in which every atom has a bit for each of the tile's atoms.
    fn masks(&self) -> Vec<u32> {
        let atoms = self.atoms.len();
        let mut masks = vec![0; atoms.div_ceil(32) * atoms];
        for &[i, j] in &self.excluded {
            masks[j / 32 * atoms + i] |= 1 << (j % 32);
        }
        masks
    }

    /// The forces and energies, in the order in which the kernels add them.
    fn forces(&self) -> Vec<f32> {
        let of_atom = |i: usize| {
            let mut sum = [0.0f32; 4];
            for (j, &other) in self.atoms.iter().enumerate() {
                let away = self.atoms[i] - other;
                let squared = squared(away);
                if squared < CUTOFF * CUTOFF && !self.excluded.contains(&[i, j]) {
                    let [force, energy] = lennard_jones(SIGMA, squared);
                    for (sum, away) in sum.iter_mut().zip(away.to_array()).take(3) {
                        *sum = force.mul_add(away, *sum);
                    }
                    sum[3] = 0.5f32.mul_add(energy, sum[3]);
                }
            }
            sum
        };
        (0..self.atoms.len()).into_par_iter().flat_map_iter(of_atom).collect()
    }
}

/// The bits of a number below 1024, each followed by two zeros.
fn spread(number: u32) -> u32 {
    (0..10).map(|bit| (number >> bit & 1) << (3 * bit)).sum()
}

fn run(gpu: &Gpu, skip: bool, system: &System) -> Result<Outcome> {
    let atoms = gpu.upload(&system.atoms)?;
    let masks = gpu.upload(&system.masks())?;
    let tiles = atoms.len().div_ceil(32);
    let (mut low, mut high) = (gpu.zeros::<F32x4>(tiles)?, gpu.zeros::<F32x4>(tiles)?);
    let mut out = gpu.zeros::<F32x4>(atoms.len())?;
    let boxes =
        if skip { Some(tile_boxes(&atoms, &mut low, &mut high).over(atoms.len()).run()?) } else { None };
    let excluded = masks.matrix(tiles, atoms.len())?;
    let launch = match skip {
        true => forces::<true>([CUTOFF, SIGMA], &atoms, excluded, &low, &high, &mut out),
        false => forces::<false>([CUTOFF, SIGMA], &atoms, excluded, &low, &high, &mut out),
    };
    let report = launch.over(atoms.len()).run()?;
    let report = match boxes {
        Some(boxes) => together([boxes, report]),
        None => report,
    };
    let output = out.to_vec()?.into_iter().flat_map(F32x4::to_array).collect();
    Ok(Outcome { report, output, expected: system.forces(), tolerance: 0.0 })
}
