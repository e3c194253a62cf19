//! `disjoint`: partitions give each thread what an index and its guard would, at the same cost, and panic where they would overlap.

use kernel_runtime::prelude::*;

use crate::harness::{devices, same_results};

mod parts {
    use kernel_runtime::prelude::*;

    #[kernel(disjoint)]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if let Some(out) = out.per_thread() {
            *out = 2.0 * x[i];
        }
    }
}

mod indices {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = 2.0 * x[i];
        }
    }
}

#[test]
fn parts_are_what_indices_reach() {
    same_results!("disjoint", parts, indices);
}

/// The instructions of the version that runs where all launch guards hold.
fn instructions(kernel: &kernel_runtime::Kernel) -> usize {
    let entry = kernel.variants()[0].check_free.first().map(|free| free.variant.entry);
    let entry = entry.expect("a version without checks");
    let text = kernel.ptx().split(".entry ").find(|text| text.starts_with(entry)).expect("its text");
    text.lines().filter(|line| line.ends_with(';') && !line.contains(".loc")).count()
}

/// An `Option` of a reference is a selection; nothing else is there beside the index and its guard.
#[test]
fn parts_cost_a_selection_at_most() {
    let (parts, indices) = (instructions(&parts::k::KERNEL), instructions(&indices::k::KERNEL));
    assert!(parts <= indices + 2, "{parts} and {indices} instructions: {}", parts::k::KERNEL.ptx());
}

#[kernel(disjoint)]
fn everything(chunk: usize, threads: &mut [u32], chunks: &mut [u32], warps: &mut [u32], blocks: &mut [u32]) {
    let i = global_idx().x as u32;
    if let Some(own) = threads.per_thread() {
        *own += i + 1;
    }
    for own in chunks.chunk_per_thread(chunk) {
        *own += i + 1;
    }
    if let Some(own) = warps.per_warp() {
        *own += i + 1;
    }
    if let Some(own) = blocks.per_block() {
        *own += i + 1;
    }
}

#[test]
fn each_element_has_one_thread() {
    for chunk in [0, 1, 3, 50, usize::MAX] {
        let chunk_of = |element: usize| match chunk {
            0 => 0,
            _ => (element / chunk + 1) as u32,
        };
        let threads: Vec<u32> = (1..=70).collect();
        let chunks: Vec<u32> = (0..100).map(chunk_of).collect();
        // Blocks of 80 threads have three warps, the last of them with 16 lanes.
        let warps = [1, 33, 65, 81, 113];
        let blocks = [1, 81, 0];
        let mut cpu = (vec![0; 70], vec![0; 100], vec![0; 5], vec![0; 3]);
        everything::cpu(chunk, &mut cpu.0, &mut cpu.1, &mut cpu.2, &mut cpu.3)
            .grid(2)
            .block(80)
            .run()
            .unwrap();
        assert_eq!(
            cpu,
            (threads.clone(), chunks.clone(), warps.to_vec(), blocks.to_vec()),
            "chunks of {chunk}"
        );
        for gpu in devices() {
            let mut found = (
                gpu.zeros::<u32>(70).unwrap(),
                gpu.zeros::<u32>(100).unwrap(),
                gpu.zeros::<u32>(5).unwrap(),
                gpu.zeros::<u32>(3).unwrap(),
            );
            everything(chunk, &mut found.0, &mut found.1, &mut found.2, &mut found.3)
                .grid(2)
                .block(80)
                .run()
                .unwrap();
            assert_eq!(found.0.to_vec().unwrap(), threads, "{gpu}");
            assert_eq!(found.1.to_vec().unwrap(), chunks, "{gpu}, chunks of {chunk}");
            assert_eq!(found.2.to_vec().unwrap(), warps, "{gpu}");
            assert_eq!(found.3.to_vec().unwrap(), blocks, "{gpu}");
        }
    }
}

#[test]
fn launches_along_other_axes_panic() {
    for gpu in devices() {
        let x = gpu.upload(&[1.0f32; 64]).unwrap();
        let mut out = gpu.zeros::<f32>(64).unwrap();
        for (grid, block, expected) in [
            ([2, 2, 1], [32, 1, 1], "expected a grid along x alone"),
            ([1, 1, 2], [32, 1, 1], "expected a grid along x alone"),
            ([2, 1, 1], [16, 2, 1], "expected blocks along x alone"),
        ] {
            let error = parts::k(&x, &mut out).grid(grid).block(block).run().unwrap_err().to_string();
            assert!(error.contains(expected), "{gpu}, {grid:?} x {block:?}: {error}");
        }
        assert_eq!(out.to_vec().unwrap(), [0.0; 64], "{gpu}");
    }
    let error =
        parts::k::cpu(&[1.0; 64], &mut [0.0; 64]).grid([2, 2, 1]).block(16).run().unwrap_err().to_string();
    assert!(error.contains("expected a grid along x alone"), "{error}");
}
