//! Arguments of launches, just inside what the host's tests allow.

use kernel_abi::guard::{LaunchFacts, holds};
use ptx_gen::host_test::HostTest;

use super::Random;
use super::writer::{SCALARS, SLICES, Shape};

/// The arguments and the shape of a launch.
#[derive(Clone, Debug)]
pub struct Arguments {
    pub lengths: [u32; SLICES],
    pub scalars: [u64; SCALARS.len()],
    pub grid: [u32; 2],
    pub block: [u32; 2],
}

/// No slice has more elements.
const MOST: u32 = 2000;

impl Arguments {
    fn new(random: &mut Random, shape: Shape) -> Arguments {
        let lengths = std::array::from_fn(|_| random.of(&[0, 1, 7, 16, 32, 64, 100, 500, MOST, MOST, MOST]));
        let scalars = std::array::from_fn(|_| match random.below(8) {
            0 => random.of(&[
                u64::MAX,
                u64::MAX - 1,
                1 << 63,
                (1 << 63) - 1,
                1 << 32,
                0xffff_ffff,
                0x8000_0000,
                0x7fff_ffff,
                0x8000,
                0x7f,
                0x80,
            ]),
            1 => random.next(),
            _ => random.below(40) as u64,
        });
        let blocks = [[1, 1], [8, 1], [16, 2], [32, 1], [33, 1], [4, 7], [64, 1]];
        let fits = |[x, y]: [u32; 2]| {
            shape.max_threads.is_none_or(|most| x * y <= most) && (y == 1 || shape.coarsen.is_none())
        };
        let block = shape.block.unwrap_or_else(|| random.of(&blocks));
        Arguments {
            lengths,
            scalars,
            grid: match random.below(40) {
                0 => [300, 1],
                _ if shape.coarsen.is_some() => random.of(&[[1, 1], [2, 1], [3, 1]]),
                _ => random.of(&[[1, 1], [2, 1], [3, 1], [2, 2], [1, 3]]),
            },
            block: if fits(block) { block } else { [1, 1] },
        }
    }

    /// As PTX lays them out, with addresses that tests do not ask for.
    fn bytes(&self, shape: Shape) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut push = |value: u64, size: usize| {
            bytes.resize(bytes.len().next_multiple_of(size), 0);
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        };
        for len in self.lengths {
            push(0, 8);
            push(len.into(), if shape.is_wide { 8 } else { 4 });
        }
        for (ty, scalar) in SCALARS.into_iter().zip(self.scalars) {
            push(scalar, ty.bytes() as usize);
        }
        bytes
    }

    /// Number of launch guards that hold.
    fn met(&self, tests: &[HostTest], shape: Shape) -> usize {
        let (params, [x, y], [gx, gy]) = (self.bytes(shape), self.block, self.grid);
        let launch = LaunchFacts {
            params: &params,
            block: [x, y, 1],
            grid: [gx, gy, 1],
            dynamic_shared: 0,
            over: None,
        };
        tests.iter().filter(|test| holds(&test.ops, &launch)).count()
    }

    fn meet(&self, tests: &[HostTest], shape: Shape) -> bool {
        self.met(tests, shape) == tests.len()
    }

    /// These arguments with one of them replaced by that of `other`.
    fn with_one_of(mut self, other: &Arguments, random: &mut Random) -> Arguments {
        match random.below(SLICES + SCALARS.len() + 2) {
            0 => self.grid = other.grid,
            1 => self.block = other.block,
            number if number < SLICES + 2 => self.lengths[number - 2] = other.lengths[number - 2],
            number => self.scalars[number - SLICES - 2] = other.scalars[number - SLICES - 2],
        }
        self
    }

    /// Random ones that meet the tests, if some are found, and then as close to their border as can be.
    pub fn that_meet(tests: &[HostTest], shape: Shape, random: &mut Random) -> Option<Arguments> {
        let mut found = Arguments::new(random, shape);
        let mut met = found.met(tests, shape);
        for _ in 0..200 {
            if met == tests.len() {
                break;
            }
            let other = found.clone().with_one_of(&Arguments::new(random, shape), random);
            let met_by_other = other.met(tests, shape);
            if met_by_other >= met {
                (found, met) = (other, met_by_other);
            }
        }
        if met < tests.len() {
            return None;
        }
        if random.below(8) == 0 {
            return Some(found);
        }
        for _ in 0..SLICES + 2 {
            match random.below(3) {
                // The shortest slice that does.
                0 | 1 => {
                    let slice = random.below(SLICES);
                    let mut step = found.lengths[slice];
                    while step > 0 {
                        let mut shorter = found.clone();
                        shorter.lengths[slice] = found.lengths[slice].saturating_sub(step);
                        if shorter.meet(tests, shape) && shorter.lengths != found.lengths {
                            found = shorter;
                        } else {
                            step /= 2;
                        }
                    }
                }
                // The greatest or the least scalar that does.
                _ => {
                    let scalar = random.below(SCALARS.len());
                    let is_up = random.below(3) > 0;
                    let mask = SCALARS[scalar].mask();
                    // The steps become half as long as often as a number has bits.
                    let mut step = mask / 2 + 1;
                    while step > 0 {
                        let mut farther = found.clone();
                        let now = found.scalars[scalar] & mask;
                        let next = if is_up { now.checked_add(step) } else { now.checked_sub(step) };
                        if let Some(next) = next.filter(|&next| next <= mask) {
                            farther.scalars[scalar] = next;
                            if farther.meet(tests, shape) {
                                found = farther;
                            }
                        }
                        step /= 2;
                    }
                }
            }
        }
        Some(found)
    }
}
