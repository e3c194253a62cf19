//! Number of blocks that a device runs at once: a cooperative grid has to be no larger, and `fill` launches as many.

use ptx::occupancy::Limiters;

use crate::backend::LaunchConfig;
use crate::error::{LaunchError, Result};
use crate::gpu::{Gpu, LoadedKernel};

/// The blocks of one launch that run at once.
pub(crate) struct Resident {
    threads: u32,
    /// On each multiprocessor.
    per_sm: u32,
    sms: u32,
    /// Why no more.
    limiters: Limiters,
}

impl Resident {
    /// On an empty device, of blocks of this size and with so much shared memory.
    pub(crate) fn new(loaded: &LoadedKernel, gpu: &Gpu, config: &LaunchConfig) -> Result<Resident> {
        let threads = config.block.iter().product();
        let found = loaded.certain_occupancy(gpu, threads, config.dynamic_shared)?;
        let sms = gpu.attributes().sms;
        Ok(Resident { threads, per_sm: found.active_blocks, sms, limiters: found.limiters })
    }

    /// Chooses the grid where it is to fill the device, and refuses a cooperative one that does not fit.
    pub(crate) fn bound(&self, fill: bool, config: &mut LaunchConfig) -> Result<(), LaunchError> {
        let most = self.per_sm.saturating_mul(self.sms);
        if most == 0 {
            return Err(LaunchError::DoesNotFit { threads: self.threads, limiters: self.limiters });
        }
        if fill {
            config.grid = grid(most, config.cluster);
        }
        let blocks: u64 = config.grid.into_iter().map(u64::from).fold(1, u64::saturating_mul);
        // With clusters the driver counts.
        if config.cooperative && config.cluster.is_none() && blocks > u64::from(most) {
            let Resident { threads, per_sm, sms, .. } = *self;
            return Err(LaunchError::NotResident { blocks, threads, limit: most, per_sm, sms });
        }
        Ok(())
    }
}

/// So many blocks along x, in whole clusters, of which there is one at least; what clusters may be is checked later.
fn grid(most: u32, cluster: Option<[u32; 3]>) -> [u32; 3] {
    let Some([x, y, z]) = cluster else { return [most, 1, 1] };
    let along = most / y.saturating_mul(z).max(1);
    [(along - along % x.max(1)).max(x), y, z]
}
