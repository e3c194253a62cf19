//! Cost of an instance, estimated from the simulator's counts. It compares instances of one kernel; it is no time.

use crate::attributes::DeviceAttributes;
use crate::backend::LaunchConfig;
use ptx_sim::LaunchStats;

/// Warp instructions that an SM starts per cycle: one for each of its four sub-partitions.
const ISSUED_PER_CYCLE: f64 = 4.0;
/// Cycles of an SM's share of the memory's bandwidth that a sector of 32 bytes takes: on an H200, 4.8 TB/s over 132 SMs
/// of 1.98 GHz are 18.4 bytes per cycle and SM.
const CYCLES_PER_SECTOR: f64 = 32.0 / 18.4;

/// Clock cycles of the launch when nothing overlaps inside a block, and blocks go to the SMs in turn.
///
/// More instructions, more sectors and more passes over shared memory always cost more; so do blocks so few and large that
/// SMs are left without one. Latency, caches and occupancy are not in it.
pub(super) fn cycles(stats: &LaunchStats, config: &LaunchConfig, device: &DeviceAttributes) -> f64 {
    let blocks = config.grid.iter().map(|&size| u64::from(size)).product::<u64>().max(1);
    let work = stats.warp_instructions as f64 / ISSUED_PER_CYCLE
        + stats.sectors as f64 * CYCLES_PER_SECTOR
        + stats.wavefronts as f64;
    let rounds = blocks.div_ceil(u64::from(device.sms.max(1)));
    work / blocks as f64 * rounds as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx::target::Arch;

    #[test]
    fn more_work_costs_more_and_few_blocks_leave_sms_idle() {
        let device = DeviceAttributes::simulated(Arch::Sm90);
        let cost = |warp_instructions, sectors, wavefronts, blocks| {
            let stats = LaunchStats { warp_instructions, sectors, wavefronts, ..LaunchStats::default() };
            let config = LaunchConfig {
                grid: [blocks, 1, 1],
                block: [32, 1, 1],
                cluster: None,
                cooperative: false,
                l2: None,
                dynamic_shared: 0,
                sanitize: false,
                steps: None,
                patience: None,
                profile: false,
                progress: None,
            };
            cycles(&stats, &config, &device)
        };
        let plain = cost(13_200, 1_320, 132, 132);
        assert!((plain - (25.0 + 10.0 * CYCLES_PER_SECTOR + 1.0)).abs() < 1e-9, "{plain}");
        assert!(cost(13_201, 1_320, 132, 132) > plain);
        assert!(cost(13_200, 1_321, 132, 132) > plain);
        assert!(cost(13_200, 1_320, 133, 132) > plain);
        // As much work in half as many blocks leaves half of the SMs idle; one block more than SMs takes two waves.
        assert!((cost(13_200, 1_320, 132, 66) - 2.0 * plain).abs() < 1e-9);
        assert!(cost(13_200, 1_320, 132, 133) > 1.9 * plain);
    }
}
