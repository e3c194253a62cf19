//! Speeds of the devices that the simulator stands for: the divisors of an estimate.

use ptx::target::Arch;

use super::Class;

/// The speeds of a product, per SM and cycle unless they say otherwise.
///
/// Lanes of arithmetic are those of the table "Throughput of Native Arithmetic Instructions" in NVIDIA's CUDA C++ programming
/// guide; products of matrices and memory are of the data sheets. The way to the second-level cache is about what
/// microbenchmarks reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    arch: Arch,
    float32: u32,
    float64: u32,
    half: u32,
    integer: u32,
    special: u32,
    conversion: u32,
    /// Multiply-adds of 16-bit floats in products of matrices.
    matrix: u32,
    /// Bytes between an SM and the second-level cache.
    l2_bytes: u32,
    /// Bandwidth of the memory of the device in GB/s.
    memory: u32,
}

const MACHINES: &[Machine] = &[
    row(Arch::Sm75, [64, 2, 64, 64, 16, 16], 512, 32, 320),
    row(Arch::Sm80, [64, 32, 128, 64, 16, 16], 1024, 47, 2039),
    row(Arch::Sm86, [128, 2, 64, 64, 16, 64], 512, 32, 936),
    row(Arch::Sm87, [128, 2, 64, 64, 16, 64], 1024, 32, 205),
    row(Arch::Sm89, [128, 2, 64, 64, 16, 64], 512, 32, 1008),
    row(Arch::Sm90, [128, 64, 128, 64, 16, 64], 2048, 46, 4800),
    row(Arch::Sm100, [128, 64, 128, 64, 16, 64], 4096, 46, 8000),
    row(Arch::Sm103, [128, 2, 128, 64, 32, 64], 4096, 46, 8000),
    row(Arch::Sm110, [128, 2, 128, 64, 16, 64], 2048, 32, 273),
    row(Arch::Sm120, [128, 2, 64, 64, 16, 64], 512, 32, 1792),
    row(Arch::Sm121, [128, 2, 64, 64, 16, 64], 512, 32, 273),
];

/// Lanes in the order f32, f64, 16-bit, integer, special, conversion.
const fn row(arch: Arch, lanes: [u32; 6], matrix: u32, l2_bytes: u32, memory: u32) -> Machine {
    let [float32, float64, half, integer, special, conversion] = lanes;
    Machine { arch, float32, float64, half, integer, special, conversion, matrix, l2_bytes, memory }
}

/// The name of the bound by divisions of all kinds.
pub(super) const DIVISIONS: &str = "divisions and exact roots";

/// The name of the bound by requests to the first-level cache.
pub(super) const NEAR: &str = "first-level cache";

/// Instructions of the machine that a division or an exact root takes, about.
pub(super) const DIVISION: f64 = 10.0;

/// Instructions of the machine that a division or a remainder of integers of 32 bits takes, about.
pub(super) const INTEGER_DIVISION: u64 = 20;

/// Warp instructions that an SM starts in a cycle: one for each sub-partition.
pub(super) const ISSUE: f64 = 4.0;

impl Machine {
    /// The product that the simulator of an architecture stands for.
    pub(super) fn of(arch: Arch) -> &'static Machine {
        let same_chip = |machine: &&Machine| machine.arch.number() == arch.number();
        // Every architecture has a row, a test says.
        MACHINES.iter().find(same_chip).unwrap_or(&MACHINES[MACHINES.len() - 1])
    }

    pub(super) fn memory_bytes_per_second(&self) -> f64 {
        f64::from(self.memory) * 1e9
    }

    pub(super) fn l2_bytes(&self) -> f64 {
        f64::from(self.l2_bytes)
    }

    /// Floating-point operations of an SM in a cycle, outside products of matrices.
    pub(super) fn operations(&self) -> f64 {
        2.0 * f64::from(self.float32)
    }

    /// Operations of an SM in a cycle in products of matrices.
    pub(super) fn matrix_operations(&self) -> f64 {
        2.0 * f64::from(self.matrix)
    }

    /// The unit that executes a class of arithmetic, and the cycles that a warp instruction of it takes there.
    pub(super) fn pipe(&self, class: Class) -> Option<(&'static str, f64)> {
        let (name, lanes) = match class {
            Class::Float32 => ("f32 units", self.float32),
            Class::Float64 => ("f64 units", self.float64),
            Class::Half => ("16-bit float units", self.half),
            Class::Integer | Class::Compare => ("integer units", self.integer),
            Class::Special => ("special function units", self.special),
            Class::Conversion => ("conversion units", self.conversion),
            Class::Division => {
                return Some((DIVISIONS, 32.0 * DIVISION / f64::from(self.float32)));
            }
            Class::Matrix
            | Class::Move
            | Class::Parameter
            | Class::Load
            | Class::Store
            | Class::Atomic
            | Class::Copy
            | Class::Collective
            | Class::Synchronization
            | Class::Control
            | Class::Other => return None,
        };
        Some((name, 32.0 / f64::from(lanes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_architecture_has_speeds() {
        for &arch in Arch::ALL {
            assert_eq!(Machine::of(arch).arch.number(), arch.number(), "{arch}");
        }
    }
}
