//! The blocks of a cluster: their barrier, and the place of each among them.
//!
//! Only in kernels with `cluster(…)`, or with a largest cluster in `launch_bounds`. Axes of clusters and the cluster's own index are
//! registers: [`special::cluster_nctaid`], [`special::clusterid`].
//!
//! [`special::cluster_nctaid`]: super::special::cluster_nctaid
//! [`special::clusterid`]: super::special::clusterid

use std::panic::Location;

use super::Dim3;
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
