//! Registers that the assembler gives a kernel that wants many, by its attributes.

use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;
use tests::registers;
use tests::toolchain::{Ptxas, require_or_skip};

use crate::harness::devices;

#[test]
fn the_assembler_keeps_to_the_bounds() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let report = |kernel: &Kernel| {
        let report = ptxas.assemble(kernel.ptx(), Arch::Sm90);
        report.unwrap_or_else(|log| panic!("{log}")).entries.remove(0)
    };
    let (free, eight, at_most) = (
        report(&registers::free::KERNEL),
        report(&registers::eight_blocks::KERNEL),
        report(&registers::at_most_40::KERNEL),
    );
    assert!(free.registers > 64 && free.spill_stores == 0, "{free:?}");
    // 256 threads and 8 blocks have 65 536 registers.
    assert!(eight.registers <= 32 && eight.spill_stores > 0, "{eight:?}");
    assert!(at_most.registers <= 40 && at_most.spill_stores > 0, "{at_most:?}");
}

/// Launches a kernel of so many iterations on these buffers.
type Launcher = fn(u32, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>;

/// Without launch bounds the assembler leaves room for no block in particular, and neither does the estimate, which refuses no
/// block either.
#[test]
fn without_bounds_a_kernel_has_what_it_wants() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let attributes = |kernel: &Kernel| kernel.attributes(&gpu).unwrap();
    let (free, unbounded) = (attributes(&registers::free::KERNEL), attributes(&registers::unbounded::KERNEL));
    assert!(free.registers > 64, "{free}");
    assert_eq!(unbounded.registers, free.registers);
    assert_eq!(unbounded.max_threads, 1024, "{unbounded}");
    // Bounds that ask for larger blocks leave them 64.
    assert_eq!(attributes(&registers::largest_block::KERNEL).registers, 64);
}

/// Few registers give the same results as many.
#[test]
fn spilled_registers_change_nothing() {
    for gpu in devices() {
        let x = gpu.upload(&(0..512).map(|i| i as f32 / 512.0).collect::<Vec<_>>()).unwrap();
        let mut results = Vec::new();
        let kernels: [Launcher; 3] = [
            |rounds, x, y| registers::free(rounds, x, y).grid(2).block(256).run(),
            |rounds, x, y| registers::eight_blocks(rounds, x, y).grid(2).block(256).run(),
            |rounds, x, y| registers::at_most_40(rounds, x, y).grid(2).block(256).run(),
        ];
        for kernel in kernels {
            let mut y = gpu.zeros::<f32>(512).unwrap();
            kernel(5, &x, &mut y).unwrap();
            results.push(y.to_vec().unwrap());
        }
        assert!(results[0] == results[1] && results[1] == results[2], "on {gpu}");
        assert!(results[0].iter().all(|&sum| sum > 0.0));
    }
}

/// The simulator has no assembler: nothing is known of spilled registers, and the estimate of registers refuses nothing.
#[test]
fn promises_are_held_to_by_what_is_certain() {
    let gpu = Gpu::simulator(Arch::Sm90);
    assert_eq!(registers::never_spills::KERNEL.spilled_bytes(&gpu).unwrap(), None);
    let (x, mut y) = (gpu.zeros::<f32>(512).unwrap(), gpu.zeros::<f32>(512).unwrap());
    registers::never_spills(1, &x, &mut y).over(512).run().unwrap();
    registers::half_full(1, &x, &mut y).over(512).run().unwrap();
    let error = registers::half_full(1, &x, &mut y).over(512).shared(100_000).run().unwrap_err();
    assert!(error.to_string().contains("but the kernel says `occupancy(min = 0.75)`"), "{error}");
}
