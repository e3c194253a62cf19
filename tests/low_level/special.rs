//! Special registers and `nanosleep`: what they hold on the simulator, on the CPU and on a GPU, and that clocks are read where
//! they stand.

use kernel_runtime::prelude::*;

use crate::devices;

/// One thread's view: the lane's masks, its warp, its cluster of one block.
#[kernel]
fn places(out: &mut [u32]) {
    let i = global_idx().x;
    if i < out.len() {
        let lane = warp::lane_id() as u32;
        let masks = warp::lane_mask_eq() == 1 << lane
            && warp::lane_mask_lt() == (1 << lane) - 1
            && warp::lane_mask_le() == warp::lane_mask_lt() | warp::lane_mask_eq()
            && warp::lane_mask_gt() == !warp::lane_mask_le()
            && warp::lane_mask_ge() == !warp::lane_mask_lt();
        let here = special::smid() < special::nsmid() && special::warpid() < special::nwarpid().max(64);
        let memory = special::dynamic_smem_size() == 96 && special::total_smem_size() >= 96;
        out[i] = masks as u32
            + 2 * here as u32
            + 4 * memory as u32
            + 8 * (special::gridid() == special::gridid()) as u32;
    }
}

#[test]
fn where_a_thread_is() {
    let mut out = [0; 80];
    places::cpu(&mut out).grid(2).block(40).shared(96).run().expect("the CPU runs it");
    assert_eq!(out, [15; 80], "on the CPU");
    for gpu in devices() {
        let mut out = gpu.zeros::<u32>(80).expect("there is room");
        places(&mut out).grid(2).block(40).shared(96).run().expect("it runs");
        assert_eq!(out.to_vec().expect("it is there"), [15; 80], "on {gpu}");
    }
}

#[kernel]
fn clocks(out: &mut [u64]) {
    let i = global_idx().x;
    if i < out.len() {
        let (start, low, time) = (special::clock64(), special::clock(), special::globaltimer());
        nanosleep(100);
        let (end, high, later) = (special::clock64(), special::clock(), special::globaltimer());
        out[i] = (end > start) as u64 + 2 * (high != low) as u64 + 4 * (later >= time) as u64;
    }
}

#[test]
fn clocks_go_on() {
    let mut out = [0; 40];
    clocks::cpu(&mut out).grid(1).block(64).run().expect("the CPU runs it");
    assert_eq!(out, [7; 40], "on the CPU");
    for gpu in devices() {
        let mut out = gpu.zeros::<u64>(40).expect("there is room");
        clocks(&mut out).grid(1).block(64).run().expect("it runs");
        assert_eq!(out.to_vec().expect("it is there"), [7; 40], "on {gpu}");
    }
}

#[test]
fn every_reading_stays() {
    let ptx = clocks::KERNEL.ptx();
    for (text, count) in [("%clock64;", 2), ("%clock;", 2), ("%globaltimer;", 2), ("nanosleep.u32", 1)] {
        assert_eq!(ptx.matches(text).count(), count, "{text} in {ptx}");
    }
}

#[kernel(cluster(2))]
fn clusters(out: &mut [u32]) {
    let i = global_idx().x;
    if i < out.len() {
        let (at, size) = (special::cluster_ctaid(), special::cluster_nctaid());
        let same = at.x as u32 == special::cluster_ctarank() && size.x as u32 == special::cluster_nctarank();
        let whole = special::clusterid().x * size.x + at.x == block_idx().x
            && special::nclusterid().x * size.x == grid_dim().x
            && at.y + at.z + special::clusterid().y + special::nclusterid().z == 1;
        out[i] = (size.x * 10 + at.x * 100) as u32 + same as u32 + 2 * whole as u32;
    }
}

#[test]
fn blocks_know_their_cluster() {
    for gpu in devices().filter(|gpu| gpu.arch() >= Arch::Sm90) {
        let mut out = gpu.zeros::<u32>(128).expect("there is room");
        clusters(&mut out).grid(4).block(32).run().expect("it runs");
        let expected: Vec<u32> = (0..128).map(|k| 23 + 100 * (k / 32 % 2)).collect();
        assert_eq!(out.to_vec().expect("it is there"), expected, "on {gpu}");
    }
}

#[test]
fn ptxas_takes_them() {
    for ptx in [places::KERNEL.ptx(), clocks::KERNEL.ptx(), clusters::KERNEL.ptx()] {
        if tests::toolchain::assemble_all_everywhere(&[("special", ptx)]).is_none() {
            return;
        }
    }
}
