//! Attributes of a device: its architecture, its size, its clocks. Also the sizes that the simulator stands for.

use std::fmt;

use ptx::target::{Arch, Limits};

use crate::error::Error;

/// Attributes and limits of a device.
#[derive(Clone, Debug)]
pub struct DeviceAttributes {
    /// A name for the reader; the driver's, with the device's number.
    pub name: String,
    /// Its architecture; of a device newer than this program, the nearest known below.
    pub arch: Arch,
    /// Its compute capability as (major, minor).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Resources of one SM, and limits of one block.
    pub limits: Limits,
    /// Most threads per block.
    pub max_threads_per_block: u32,
    /// Most threads of a block along x, y, z.
    pub max_block: [u32; 3],
    /// Most blocks of a grid along x, y, z.
    pub max_grid: [u32; 3],
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// L2 cache in bytes; 0 in the simulator, whose profiler models caches without a size for this one.
    pub l2_bytes: u64,
    /// The most of it that can be [set aside](crate::Gpu::set_aside_l2), in bytes; none in the simulator, which takes any number.
    pub persisting_l2_bytes: Option<u64>,
    /// The most bytes that a launch can ask to [keep there](crate::Launch::keep_in_l2); none in the simulator, which takes any number.
    pub l2_window_bytes: Option<u64>,
    /// Peak clock of the SMs in kHz.
    pub clock_khz: u32,
    /// Peak bandwidth of the memory in bytes per second, by its clock and the width of its bus; none where unknown.
    pub memory_bandwidth: Option<f64>,
    /// The CUDA version that the driver supports, as (major, minor); none in the simulator.
    pub driver_version: Option<(u32, u32)>,
    /// Why this is the simulator although a CUDA device was preferred.
    pub(crate) fallback: Option<Error>,
}

/// The size of the device that the simulator of an architecture stands for: that of a well-known product.
struct SimulatedDevice {
    arch: Arch,
    /// The product.
    like: &'static str,
    sms: u32,
    memory_gib: u64,
    clock_mhz: u32,
}

/// One row per chip; an architecture with a letter is the same chip. Products of other sizes exist of each.
const SIMULATED: &[SimulatedDevice] = &[
    row(Arch::Sm75, "T4", 40, 16, 1590),
    row(Arch::Sm80, "A100", 108, 80, 1410),
    row(Arch::Sm86, "RTX 3090", 82, 24, 1695),
    row(Arch::Sm87, "Jetson AGX Orin", 16, 64, 1300),
    row(Arch::Sm89, "RTX 4090", 128, 24, 2520),
    row(Arch::Sm90, "H200", 132, 141, 1980),
    row(Arch::Sm100, "B200", 148, 180, 1965),
    row(Arch::Sm103, "B300", 148, 270, 1920),
    row(Arch::Sm110, "Jetson AGX Thor", 20, 128, 1575),
    row(Arch::Sm120, "RTX 5090", 170, 32, 2407),
    row(Arch::Sm121, "DGX Spark", 48, 128, 2418),
];

const fn row(arch: Arch, like: &'static str, sms: u32, memory_gib: u64, clock_mhz: u32) -> SimulatedDevice {
    SimulatedDevice { arch, like, sms, memory_gib, clock_mhz }
}

impl DeviceAttributes {
    /// The device that the simulator of this architecture stands for: the limits are the architecture's, the number
    /// of SMs, the memory and the clock those of a well-known product of it (an H200 for [`Arch::Sm90`]).
    ///
    /// The SMs count in the answers about occupancy only, and the clock nowhere: the simulator counts instructions, and its
    /// profiler models caches and waiting in cycles of one SM, not in seconds. The memory is what allocations are checked against; the host has to have it when it is used.
    pub fn simulated(arch: Arch) -> DeviceAttributes {
        let same_chip = |row: &&SimulatedDevice| row.arch.number() == arch.number();
        // Every architecture has a row, a test says; should one be missing, the last stands in.
        let row = SIMULATED.iter().find(same_chip).unwrap_or(&SIMULATED[SIMULATED.len() - 1]);
        DeviceAttributes {
            name: format!("simulator of {arch}"),
            arch,
            compute_capability: arch.compute_capability(),
            sms: row.sms,
            limits: *arch.limits(),
            max_threads_per_block: ptx::target::MAX_THREADS_PER_BLOCK,
            max_block: ptx::target::MAX_BLOCK_DIM,
            max_grid: ptx::target::MAX_GRID_DIM,
            memory_bytes: row.memory_gib << 30,
            l2_bytes: 0,
            persisting_l2_bytes: None,
            l2_window_bytes: None,
            clock_khz: row.clock_mhz * 1000,
            memory_bandwidth: None,
            driver_version: None,
            fallback: None,
        }
    }

    /// The product whose size the simulator of this architecture has.
    pub fn simulated_like(arch: Arch) -> &'static str {
        SIMULATED.iter().find(|row| row.arch.number() == arch.number()).map_or("", |row| row.like)
    }
}

impl fmt::Display for DeviceAttributes {
    /// `NVIDIA H200 (CUDA device 0), sm_90, 132 SMs, 140 GiB, CUDA 13.0`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gib = self.memory_bytes >> 30;
        let DeviceAttributes { name, sms, .. } = self;
        match self.driver_version {
            Some((major, minor)) => {
                write!(f, "{name}, {}, {sms} SMs, {gib} GiB, CUDA {major}.{minor}", self.arch)
            }
            None => {
                let like = DeviceAttributes::simulated_like(self.arch);
                write!(f, "{name}, {sms} SMs and {gib} GiB as {like} has")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_architecture_can_be_simulated() {
        for &arch in Arch::ALL {
            assert!(SIMULATED.iter().any(|row| row.arch.number() == arch.number()), "{arch}");
        }
        expect!["simulator of sm_90, 132 SMs and 141 GiB as H200 has"]
            .assert_eq(&DeviceAttributes::simulated(Arch::Sm90).to_string());
    }
}
