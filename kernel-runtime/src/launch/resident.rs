//! How many blocks a device runs at once: a cooperative grid has to be no larger, and `fill` launches as many.

use ptx_gen::occupancy::Limiters;

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

    fn blocks(&self) -> u32 {
        self.per_sm.saturating_mul(self.sms)
    }

    /// So many along x, in whole clusters; none if not even one runs.
    pub(crate) fn grid(&self, cluster: Option<[u32; 3]>) -> Option<[u32; 3]> {
        let [x, y, z] = cluster.unwrap_or([1; 3]);
        let across = y.checked_mul(z)?;
        let along = self.blocks().checked_div(across)?;
        let whole = along - along.checked_rem(x)?;
        (whole > 0).then_some([whole, y, z])
    }

    /// Not one block runs.
    pub(crate) fn too_small(&self) -> LaunchError {
        LaunchError::DoesNotFit { threads: self.threads, limiters: self.limiters }
    }

    /// Whether all of a grid does.
    pub(crate) fn check(&self, grid: [u32; 3]) -> Result<(), LaunchError> {
        let blocks = grid.into_iter().map(u64::from).product();
        match self.blocks() {
            0 => Err(self.too_small()),
            limit if blocks <= u64::from(limit) => Ok(()),
            limit => {
                let Resident { threads, per_sm, sms, .. } = *self;
                Err(LaunchError::NotResident { blocks, threads, limit, per_sm, sms })
            }
        }
    }
}
