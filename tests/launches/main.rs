//! Random launches, right and wrong: wrong sizes, devices and bounds. Mistakes are reported before anything runs, by an error that is
//! one of those that the model expects and names the argument; what is right computes what the host does; what panics comes back
//! where it should; and at the end nothing is left, of the device's memory or the host's.
//!
//! `LAUNCHES=1000000` says how many; a few thousand otherwise. They run on the simulator, and on a GPU where there is one
//! (`REQUIRE_GPU=1` makes its absence a failure).

mod counting;
mod kernels;
mod model;
mod random;

use std::sync::{Mutex, PoisonError};

use kernel_runtime::prelude::*;
use kernel_runtime::{Error, LaunchError};

use model::World;
use random::Random;

/// Tests count the memory of the process: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn launches() -> usize {
    std::env::var("LAUNCHES").ok().and_then(|text| text.parse().ok()).unwrap_or(4_000)
}

/// The first CUDA device, if there is one; a failure without where one is required.
fn cuda() -> Option<Gpu> {
    match Gpu::cuda(0) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            let required = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            None
        }
    }
}

/// Runs them with buffers on `gpu` and now and then on another device.
fn run(gpu: &Gpu, count: usize) {
    let elsewhere = Gpu::simulator(Arch::Sm80);
    let mut random = Random::new(0x5eed + count as u64);
    let mut told = Vec::new();
    // A device keeps the kernels that it has been given. One of them rarely comes to the other device by chance.
    for gpu in [gpu, &elsewhere] {
        for kernel in [&kernels::scaled::KERNEL, &kernels::bounded::KERNEL, &kernels::fixed::KERNEL] {
            kernel.attributes(gpu).expect("a kernel that loads");
        }
    }
    // Threads are started, streams made, lists grow; then nothing more stays.
    let warm = (count / 4).clamp(200, 2000);
    let mut before = None;
    for round in 0..2 {
        let mut world = World::new(gpu, &elsewhere).expect("buffers");
        for number in 0..if round == 0 { warm } else { count } {
            let outcome = world.launch(&mut random);
            let seen =
                outcome.unwrap_or_else(|problem| panic!("launch {number} of round {round}: {problem}"));
            match told.iter_mut().find(|(kind, _)| *kind == seen) {
                Some((_, times)) => *times += 1,
                None => told.push((seen, 1usize)),
            }
        }
        world.finish().expect("every panic was told");
        let now = (counting::live(), gpu.free_memory().expect("memory"));
        if let Some((host, device)) = before.replace(now) {
            let host: counting::Live = host;
            // Lists grow to twice their length when they grow: a few more bytes, no more pieces.
            assert!(
                now.0.pieces() <= host.pieces() + 64,
                "the host's memory: {host:?} before, {:?} after",
                now.0
            );
            assert!(
                now.0.bytes <= host.bytes + (128 << 10),
                "the host's memory: {host:?} before, {:?} after",
                now.0
            );
            assert!(now.1 >= device, "the device's memory: {device} bytes free before, {} after", now.1);
        }
    }
    told.sort();
    println!("{gpu}:");
    told.iter().for_each(|(kind, times)| println!("{times:8} {kind}"));
    // The generator has not lost its way.
    for needed in [
        "ran",
        "started",
        "panicked",
        "OtherDevice x",
        "OtherDevice y",
        "SharedMemory",
        "BlockTooLarge",
        "Empty",
    ] {
        assert!(told.iter().any(|(kind, _)| kind == needed), "no launch with the outcome `{needed}`");
    }
}

#[test]
fn on_the_simulator() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    run(&Gpu::simulator(Arch::Sm90), launches());
}

#[test]
fn on_a_gpu() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(gpu) = cuda() {
        run(&gpu, launches());
    }
}

/// A device knows a kernel by the address of its data: the same wherever the program names it, or it would be loaded again.
#[test]
fn kernels_are_at_one_address() {
    let here = [&kernels::scaled::KERNEL, &kernels::bounded::KERNEL, &kernels::fixed::KERNEL];
    for (here, there) in here.into_iter().zip(model::kernels()) {
        assert!(std::ptr::eq(here.data(), there), "{}", here.name());
    }
}

/// A buffer that is longer than 32 bits count is refused by name, and taken with `index(u64)`.
#[test]
fn slices_beyond_32_bits() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(gpu) = cuda() else { return };
    let len = (1usize << 32) + 5;
    let mut long = gpu.zeros::<u8>(len).unwrap();
    let error = kernels::last(&mut long).grid(1).block(1).run().unwrap_err();
    let Error::Launch { reason: LaunchError::SliceTooLong { argument, length }, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((argument, length), ("x", len));
    kernels::last_of_many(&mut long).grid(1).block(1).run().unwrap();
    assert_eq!(long.to_vec().unwrap().iter().rposition(|&byte| byte == 7), Some(len - 1));
}
