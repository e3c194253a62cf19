//! `arch(…)` and `target::at_least(…)`: a variant for each architecture, of which a device runs one.

use expect_test::{Expect, expect};
use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;
use tests::toolchain::assemble_everywhere;

use crate::harness::{check_ptx, devices, same_results};

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

mod variants {
    use kernel_runtime::prelude::*;

    #[kernel(arch(sm_75, sm_80, sm_90, sm_90a))]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = 2.0 * x[i] + 1.0;
        }
    }
}

#[test]
fn architectures_change_nothing() {
    same_results!("arch", variants, plain);
    for variant in variants::k::KERNEL.variants() {
        assert!(variant.ptx.contains(&format!(".target {}\n", variant.target)), "{}", variant.target);
        assemble_everywhere(variant.ptx);
    }
}

/// Tells which variant runs: the number of the newest architecture that it knows to have.
#[kernel(arch(sm_75, sm_80, sm_100))]
fn which(out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let i = thread_idx().x;
    tile[i] = if target::at_least(100) {
        100
    } else if target::at_least(80) && !target::at_least(90) {
        let mut other = shared::<[u32; 64]>();
        other[i] = 80;
        barrier();
        other[i]
    } else {
        75
    };
    barrier();
    out[i] = tile[31 - i];
}

fn tell(gpu: &Gpu) -> Result<u32> {
    let mut out = gpu.zeros::<u32>(32)?;
    which(&mut out).grid(1).block(32).run()?;
    Ok(out.to_vec()?[0])
}

#[test]
fn each_device_runs_its_variant() {
    for (arch, expected) in [
        (Arch::Sm75, 75),
        (Arch::Sm80, 80),
        (Arch::Sm89, 80),
        (Arch::Sm90, 80),
        (Arch::Sm100, 100),
        (Arch::Sm121, 100),
    ] {
        assert_eq!(tell(&Gpu::simulator(arch)).unwrap(), expected, "{arch}");
        let mut out = [0; 32];
        let target = which::KERNEL.variant(&Gpu::simulator(arch)).unwrap().target;
        which::cpu(&mut out).target(target).grid(1).block(32).run().unwrap();
        assert_eq!(out, [expected; 32], "the CPU as {arch}");
    }
    for gpu in devices() {
        let variant = which::KERNEL.variant(&gpu).unwrap();
        assert_eq!(tell(&gpu).unwrap(), variant.target.number(), "{gpu}");
    }
    let mut out = [0; 32];
    which::cpu(&mut out).grid(1).block(32).run().unwrap();
    assert_eq!(out, [100; 32], "the CPU stands for the newest");
}

#[test]
fn what_a_variant_rules_out_is_not_in_it() {
    check_ptx("at_least", &which::KERNEL);
    let sizes: Vec<(Arch, u32)> =
        which::KERNEL.variants().iter().map(|variant| (variant.target, variant.shared_bytes)).collect();
    assert_eq!(sizes, [(Arch::Sm75, 128), (Arch::Sm80, 128 + 256), (Arch::Sm100, 128)]);
    for variant in which::KERNEL.variants() {
        assemble_everywhere(variant.ptx);
    }
}

/// The least of each warp, by the instruction that came with `sm_80` where there is one.
#[kernel]
fn least_of_warp(x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    let least = warp::reduce_min(if i < x.len() { x[i] } else { u32::MAX });
    if i < out.len() {
        out[i] = least;
    }
}

/// A sum of floats, which no architecture has an instruction for.
#[kernel]
fn sum_of_warp(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    let sum = warp::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if i < out.len() {
        out[i] = sum;
    }
}

/// The least of each warp in a cluster, which `sm_90` has.
#[kernel(cluster(2))]
fn least_in_cluster(x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    let least = warp::reduce_min(if i < x.len() { x[i] } else { u32::MAX });
    cluster::sync();
    if i < out.len() {
        out[i] = least;
    }
}

/// Without `arch(…)` there is a variant for each architecture from which on the library does something better.
#[test]
fn the_library_decides_what_variants_there_are() {
    let of = |kernel: &Kernel| -> Vec<(Arch, bool)> {
        let variants = kernel.variants().iter();
        variants.map(|variant| (variant.target, variant.ptx.contains("redux.sync"))).collect()
    };
    assert_eq!(of(&least_of_warp::KERNEL), [(Arch::Sm75, false), (Arch::Sm80, true)]);
    assert_eq!(of(&sum_of_warp::KERNEL), [(Arch::Sm75, false)]);
    assert_eq!(of(&least_in_cluster::KERNEL), [(Arch::Sm90, true)]);
    let x: Vec<u32> = (0..256).map(|i| (i * 37 + 11) % 256).collect();
    let expected: Vec<u32> = (0..256).map(|i| *x[i / 32 * 32..][..32].iter().min().unwrap()).collect();
    let gpus = [Arch::Sm75, Arch::Sm80, Arch::Sm90].map(Gpu::simulator);
    for gpu in gpus.into_iter().chain(devices()) {
        let (input, mut out) = (gpu.upload(&x).unwrap(), gpu.zeros::<u32>(256).unwrap());
        least_of_warp(&input, &mut out).grid(4).block(64).run().unwrap();
        assert_eq!(out.to_vec().unwrap(), expected, "{gpu}");
    }
    for kernel in [&least_of_warp::KERNEL, &least_in_cluster::KERNEL] {
        for variant in kernel.variants() {
            assemble_everywhere(variant.ptx);
        }
    }
}

#[allow(dead_code)]
mod only {
    use kernel_runtime::prelude::*;

    #[kernel(arch(sm_80, sm_90a))]
    pub fn some(out: &mut [u32]) {
        out[thread_idx().x] = 1;
    }

    #[kernel(cluster(2))]
    pub fn clusters(out: &mut [u32]) {
        out[thread_idx().x] = 1;
    }
}

#[test]
fn a_device_without_a_variant_is_told() {
    #[track_caller]
    fn check(kernel: &Kernel, arch: Arch, expected: Expect) {
        let told = match kernel.variant(&Gpu::simulator(arch)) {
            Ok(variant) => variant.target.to_string(),
            Err(error) => error.to_string().replace(file!(), "arch.rs"),
        };
        // The line moves.
        let told: String = match (told.find("arch.rs:"), told.find(") has")) {
            (Some(start), Some(end)) => format!("{}arch.rs{}", &told[..start], &told[end..]),
            _ => told,
        };
        expected.assert_eq(&told);
    }
    check(&only::some::KERNEL, Arch::Sm90, expect!["sm_90a"]);
    check(&only::some::KERNEL, Arch::Sm100, expect!["sm_80"]);
    check(
        &only::some::KERNEL,
        Arch::Sm75,
        expect![[r#"
        kernel `some` (arch.rs) has no variant for simulator of sm_75, compute capability 7.5: it is compiled for sm_80, sm_90a
        help: name `sm_75` in its `arch(…)`: then it is compiled for this device, or the compiler says what the device lacks"#]],
    );
    check(
        &only::clusters::KERNEL,
        Arch::Sm89,
        expect![[r#"
        kernel `clusters` (arch.rs) has no variant for simulator of sm_89, compute capability 8.9: it is compiled for sm_90
        help: name `sm_89` in its `arch(…)`: then it is compiled for this device, or the compiler says what the device lacks"#]],
    );
}
