//! The blocks of a cluster: their barrier, and the place of each among them.
//!
//! Only in kernels with `cluster(…)`, or with a largest cluster in `launch_bounds`. Axes of clusters and the cluster's own index are
//! registers: [`special::cluster_nctaid`], [`special::clusterid`].
//!
//! [`special::cluster_nctaid`]: super::special::cluster_nctaid
//! [`special::clusterid`]: super::special::clusterid

use std::panic::Location;

use super::shared::outside;
use super::{Dim3, InShared};
use crate::cpu::fiber;

/// Waits until every thread of the cluster that has not ended is here. Writes before it are seen after it, by all.
#[doc(alias("this_cluster", "barrier_arrive", "barrier_wait"))]
#[track_caller]
pub fn sync() {
    fiber::suspend(fiber::Wait::Cluster { at: Location::caller() });
}

/// The block's place in its cluster, x fastest: `%cluster_ctarank`.
#[doc(alias = "cluster_ctarank")]
pub fn block_rank() -> usize {
    fiber::position("cluster::block_rank").rank()
}

/// Blocks per cluster: `%cluster_nctarank`.
#[doc(alias("num_blocks", "cluster_nctarank"))]
pub fn blocks() -> usize {
    fiber::position("cluster::blocks").cluster_size.iter().product::<u32>() as usize
}

/// The block's index in its cluster: `%cluster_ctaid`.
#[doc(alias("block_index", "cluster_ctaid"))]
pub fn block_idx() -> Dim3 {
    Dim3::of(fiber::position("cluster::block_idx").in_cluster())
}

/// The variable in shared memory of another block of the cluster, or of this one: that which `variable` is here. Reading it is
/// `ld.shared::cluster`.
///
/// # Panics
/// If no block of the cluster has that place, or outside kernels.
#[doc(alias("map_shared_rank", "mapa"))]
#[track_caller]
pub fn shared<V: InShared>(_variable: &V, _rank: usize) -> &V::Content {
    outside("cluster::shared")
}

/// As [`shared`], to be written.
///
/// # Panics
/// As [`shared`].
#[doc(alias("map_shared_rank", "mapa"))]
#[track_caller]
pub fn shared_mut<V: InShared>(_variable: &mut V, _rank: usize) -> &mut V::Content {
    outside("cluster::shared_mut")
}
