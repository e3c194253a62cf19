//! `launch_bounds`, `block`, `cluster`, `maxnreg`, and the promises `occupancy` and `spills`.

use kernel_runtime::prelude::*;
use kernel_runtime::{Kernel, LaunchError};

use crate::harness::{devices, same_results};

mod plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = 2.0 * x[i] + 1.0;
        }
    }
}

/// A copy of the plain kernel with these attributes.
macro_rules! with {
    ($name:ident, $($attribute:tt)*) => {
        mod $name {
            use kernel_runtime::prelude::*;

            #[kernel($($attribute)*)]
            pub fn k(x: &[f32], out: &mut [f32]) {
                let i = global_idx().x;
                if i < out.len() {
                    out[i] = 2.0 * x[i] + 1.0;
                }
            }
        }
    };
}

with!(launch_bounds, launch_bounds(256, 8));
with!(block, block(128));
with!(cluster, cluster(2));
with!(max_cluster, launch_bounds(128, 1, 4));
with!(maxnreg, maxnreg(24));
with!(occupancy, occupancy(min = 0.25));
with!(spills, spills(0));

#[test]
fn launch_bounds_change_nothing() {
    same_results!("launch_bounds", launch_bounds, plain);
}

#[test]
fn a_fixed_block_changes_nothing() {
    same_results!("block", block, plain);
}

#[test]
fn a_cluster_changes_nothing() {
    same_results!("cluster", cluster, plain);
}

#[test]
fn a_largest_cluster_changes_nothing() {
    same_results!("max_cluster", max_cluster, plain);
}

#[test]
fn a_bound_of_registers_changes_nothing() {
    same_results!("maxnreg", maxnreg, plain);
}

#[test]
fn promises_change_nothing() {
    same_results!("occupancy", occupancy, plain);
    same_results!("spills", spills, plain);
}

/// Asserts that every device refuses a launch, for the same reason.
#[track_caller]
fn refused(launch: impl Fn(&Gpu) -> Result<LaunchReport>, expected: impl Fn(&LaunchError) -> bool) {
    for gpu in devices() {
        match launch(&gpu) {
            Err(Error::Launch { reason, .. }) if expected(&reason) => {}
            Err(other) => panic!("on {gpu}: {other}"),
            Ok(_) => panic!("launched on {gpu}"),
        }
    }
}

/// Launches a kernel on these buffers, with a grid.
type Launcher = fn(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>, [u32; 3]) -> Result<LaunchReport>;

#[test]
fn launches_beyond_a_bound_do_not_start() {
    let run = |kernel: Launcher, grid| {
        move |gpu: &Gpu| {
            let (x, mut out) = (gpu.zeros(4096)?, gpu.zeros(4096)?);
            kernel(&x, &mut out, grid)
        }
    };
    refused(run(|x, out, grid| cluster::k(x, out).grid(grid).block(64).run(), [3, 1, 1]), |reason| {
        matches!(reason, LaunchError::PartOfCluster { blocks: 3, cluster: 2, .. })
    });
    refused(
        run(|x, out, grid| cluster::k(x, out).grid(grid).block(64).cluster(4).run(), [4, 1, 1]),
        |reason| matches!(reason, LaunchError::ClusterFixed { expected: [2, 1, 1], found: [4, 1, 1] }),
    );
    refused(
        run(|x, out, grid| max_cluster::k(x, out).grid(grid).block(64).cluster(8).run(), [8, 1, 1]),
        |reason| matches!(reason, LaunchError::ClusterTooLarge { found: 8, limit: 4, .. }),
    );
    refused(
        run(|x, out, grid| occupancy::k(x, out).grid(grid).block(32).shared(40_000).run(), [1, 1, 1]),
        |reason| matches!(reason, LaunchError::Occupancy { .. }),
    );
}

#[test]
fn clusters_that_the_launch_asks_for() {
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    for gpu in devices().filter(|gpu| gpu.attributes().compute_capability >= (9, 0)) {
        let (from, mut to) = (gpu.upload(&x).unwrap(), gpu.zeros::<f32>(1000).unwrap());
        max_cluster::k(&from, &mut to).over(1000).block(64).cluster(4).run().unwrap();
        let expected: Vec<f32> = x.iter().map(|x| 2.0 * x + 1.0).collect();
        assert_eq!(to.to_vec().unwrap(), expected, "on {gpu}");
        // As many blocks as it takes, in whole clusters.
        let report = cluster::k(&from, &mut to).over(1000).block(100).run().unwrap();
        assert_eq!(report.grid, [10, 1, 1]);
        let report = cluster::k(&from, &mut to).over(1000).block(128).run().unwrap();
        assert_eq!(report.grid, [8, 1, 1]);
    }
    let old = Gpu::simulator(Arch::Sm80);
    let (from, mut to) = (old.upload(&x).unwrap(), old.zeros::<f32>(1000).unwrap());
    let error = plain::k(&from, &mut to).grid(8).block(128).cluster(2).run().unwrap_err();
    assert!(matches!(error, Error::Launch { reason: LaunchError::NoClusters { .. }, .. }), "{error}");
    let error = cluster::k(&from, &mut to).over(1000).run().unwrap_err();
    assert!(matches!(error, Error::NoVariant { .. }), "{error}");
}

#[test]
fn registers_are_bounded() {
    // The simulator's estimate stays within the bounds, as the assembler's allocation does.
    let kernels: [(&Kernel, u32); 2] = [(&launch_bounds::k::KERNEL, 32), (&maxnreg::k::KERNEL, 24)];
    for gpu in devices() {
        for (kernel, most) in kernels {
            let attributes = kernel.attributes(&gpu).unwrap();
            assert!(attributes.registers <= most, "{} on {gpu}: {attributes}", kernel.name());
        }
        let spilled = spills::k::KERNEL.spilled_bytes(&gpu).unwrap();
        assert_eq!(spilled, (!gpu.is_simulator()).then_some(0));
    }
}

/// Positions that the blocks of a grid of 4 × 4 in clusters of 2 × 2 read: that of the block in its cluster, by axis and by
/// rank, and that of the cluster in the grid.
#[test]
fn blocks_know_their_cluster() {
    let expected: Vec<u32> = (0..16u32)
        .flat_map(|block| {
            let (x, y) = (block % 4, block / 4);
            [x % 2, y % 2, x % 2 + 2 * (y % 2), x / 2 + 2 * (y / 2)]
        })
        .collect();
    for gpu in devices().filter(|gpu| gpu.attributes().compute_capability >= (9, 0)) {
        let mut out = gpu.zeros::<u32>(64).unwrap();
        let function = gpu.load_ptx(include_str!("../data/cluster.ptx")).unwrap().function("ranks").unwrap();
        // SAFETY: the kernel writes four numbers for each of 16 blocks.
        unsafe { function.launch().arg(&mut out).grid((4, 4)).block(1).run() }.unwrap();
        assert_eq!(out.to_vec().unwrap(), expected, "on {gpu}");
    }
}

/// Blocks as large as a generic parameter says, which hides a constant of its name, and a type parameter that only chooses code.
#[kernel_module]
mod by_parameters {
    use kernel_runtime::prelude::*;

    const N: usize = 7;

    pub trait Operation {
        const FIRST: u32;
        fn apply(a: u32, b: u32) -> u32;
    }
    pub struct Sum;
    pub struct Greatest;
    impl Operation for Sum {
        const FIRST: u32 = 0;
        fn apply(a: u32, b: u32) -> u32 {
            a + b
        }
    }
    impl Operation for Greatest {
        const FIRST: u32 = u32::MIN;
        fn apply(a: u32, b: u32) -> u32 {
            a.max(b)
        }
    }

    #[kernel(instances(O = [Sum, Greatest], N = [32, 64]), block(N / 2, 2))]
    pub fn reduce<O: Operation, const N: usize>(x: &[u32], out: &mut [u32]) {
        let i = thread_idx().y * block_dim().x + thread_idx().x + N * block_idx().x;
        let all = block::reduce(if i < x.len() { x[i] } else { O::FIRST }, |a, b| O::apply(a, b));
        if i.is_multiple_of(N) && block_idx().x < out.len() {
            out[block_idx().x] = all;
        }
    }

    #[kernel]
    pub fn sevens(out: &mut [u32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = N as u32;
        }
    }
}

#[test]
fn each_instance_has_its_block() -> Result<()> {
    use by_parameters::{Greatest, Sum, reduce, sevens};
    for gpu in devices() {
        let x = gpu.upload(&(0..128).collect::<Vec<u32>>())?;
        let mut out = gpu.zeros::<u32>(2)?;
        let report = reduce::<Sum, 64>(&x, &mut out).grid(2).run()?;
        assert_eq!((report.block, out.to_vec()?), ([32, 2, 1], vec![2016, 6112]));
        let report = reduce::<Greatest, 32>(&x, &mut out).grid(2).run()?;
        assert_eq!((report.block, out.to_vec()?), ([16, 2, 1], vec![31, 63]));
        let wrong = reduce::<Sum, 32>(&x, &mut out).grid(2).block(32).run().unwrap_err();
        assert!(wrong.to_string().contains("the kernel says `block(16, 2, 1)`"), "{wrong}");
        sevens(&mut out).grid(1).block(2).run()?;
        assert_eq!(out.to_vec()?, [7, 7]);
    }
    Ok(())
}
