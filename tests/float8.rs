//! Floats of eight bits: conversions of the CPU reference, of the simulator with and without the instructions that sm_89 has for them, of a GPU
//! where there is one, and of the host.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu};
use tests::cuda_or_skip;

macro_rules! conversions {
    ($module:ident $ty:ident) => {
        mod $module {
            use super::*;

            #[kernel(arch(sm_75, sm_89))]
            pub fn narrowed(x: &[f32], y: &mut [$ty]) {
                let i = global_idx().x;
                if i < x.len() {
                    y[i] = $ty::from_f32(x[i]);
                }
            }

            #[kernel(arch(sm_75, sm_89))]
            pub fn widened(x: &[$ty], y: &mut [f32]) {
                let i = global_idx().x;
                if i < x.len() {
                    y[i] = x[i].to_f32();
                }
            }

            /// Bytes with a bit for each result of a comparison, and of what else is asked of a number.
            #[kernel(arch(sm_75, sm_89))]
            pub fn compared(x: &[$ty], with: $ty, y: &mut [u8]) {
                let i = global_idx().x;
                if i < x.len() {
                    let found = [
                        x[i] == with,
                        x[i] < with,
                        x[i] >= with,
                        x[i].is_nan(),
                        x[i] == $ty::ONE,
                        x[i] <= $ty::MAX,
                    ];
                    let mut bits = 0;
                    for (place, is) in found.iter().enumerate() {
                        bits |= (*is as u8) << place as u32;
                    }
                    y[i] = bits;
                }
            }

            #[test]
            fn conversions_agree() {
                let mut numbers: Vec<f32> =
                    (0..=u16::MAX).map(|high| f32::from_bits(u32::from(high) << 16)).collect();
                // Around the middle between two, where one bit decides.
                let middles = (0..0x7fffu32).flat_map(|high| {
                    [0x7fff, 0x8000, 0x8001, 0xffff].map(|low| f32::from_bits(high << 16 | low))
                });
                numbers.extend(middles);
                numbers.extend([
                    f32::MAX,
                    f32::MIN,
                    f32::INFINITY,
                    f32::NEG_INFINITY,
                    f32::NAN,
                    -f32::NAN,
                    448.0,
                    464.0,
                    464.1,
                    480.0,
                ]);
                let all: Vec<$ty> = (0..=u8::MAX).map($ty::from_bits).collect();
                let bits = |values: &[$ty]| -> Vec<u8> { values.iter().map(|x| x.to_bits()).collect() };
                let of_f32 = |values: &[f32]| -> Vec<u32> {
                    values.iter().map(|x| if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }).collect()
                };
                let expected: Vec<u8> = numbers.iter().map(|&x| $ty::from_f32(x).to_bits()).collect();
                let values: Vec<f32> = all.iter().map(|x| x.to_f32()).collect();
                let with = $ty::from_f32(-1.5);
                let comparisons: Vec<u8> = all
                    .iter()
                    .map(|x| {
                        let (x, with) = (x.to_f32(), with.to_f32());
                        let found =
                            [x == with, x < with, x >= with, x.is_nan(), x == 1.0, x <= $ty::MAX.to_f32()];
                        found.iter().enumerate().map(|(place, is)| u8::from(*is) << place).sum()
                    })
                    .collect();
                for target in [Arch::Sm75, Arch::Sm89] {
                    let (mut narrow, mut wide, mut found) =
                        (vec![$ty::ZERO; numbers.len()], vec![0.0; 256], vec![0; 256]);
                    narrowed::cpu(&numbers, &mut narrow)
                        .over(numbers.len())
                        .target(target)
                        .run()
                        .expect("runs");
                    widened::cpu(&all, &mut wide).over(256).target(target).run().expect("runs");
                    compared::cpu(&all, with, &mut found).over(256).target(target).run().expect("runs");
                    assert_eq!(bits(&narrow), expected, "on the CPU, {target:?}");
                    assert_eq!(of_f32(&wide), of_f32(&values), "on the CPU, {target:?}");
                    assert_eq!(found, comparisons, "on the CPU, {target:?}");
                }
                for gpu in
                    [Some(Gpu::simulator(Arch::Sm75)), Some(Gpu::simulator(Arch::Sm89)), cuda_or_skip()]
                        .into_iter()
                        .flatten()
                {
                    let (x, of_all) = (gpu.upload(&numbers).unwrap(), gpu.upload(&all).unwrap());
                    let mut narrow = gpu.zeros::<$ty>(numbers.len()).unwrap();
                    let (mut wide, mut found) =
                        (gpu.zeros::<f32>(256).unwrap(), gpu.zeros::<u8>(256).unwrap());
                    narrowed(&x, &mut narrow).over(numbers.len()).run().expect("runs");
                    widened(&of_all, &mut wide).over(256).run().expect("runs");
                    compared(&of_all, with, &mut found).over(256).run().expect("runs");
                    assert_eq!(bits(&narrow.to_vec().unwrap()), expected, "on {}", gpu.describe());
                    assert_eq!(of_f32(&wide.to_vec().unwrap()), of_f32(&values), "on {}", gpu.describe());
                    assert_eq!(found.to_vec().unwrap(), comparisons, "on {}", gpu.describe());
                }
            }

            /// The nearest number is found by looking at all.
            #[test]
            fn the_host_rounds_to_the_nearest() {
                let finite: Vec<$ty> =
                    (0..=u8::MAX).map($ty::from_bits).filter(|x| x.to_f32().is_finite()).collect();
                for step in 0..40_000 {
                    let x = (f64::from(step - 20_000) / 37.0) as f32 * if step % 3 == 0 { 1.0 } else { 1e-4 };
                    let found = $ty::from_f32(x);
                    let distance = |y: &$ty| (f64::from(y.to_f32()) - f64::from(x)).abs();
                    let least = finite.iter().map(distance).fold(f64::INFINITY, f64::min);
                    assert_eq!(distance(&found), least, "{x}: {found:?}");
                }
            }

            #[test]
            fn ptxas_takes_them() {
                let [old, new] = narrowed::KERNEL.variants() else { panic!("two variants") };
                assert!(!old.ptx.contains("satfinite") && new.ptx.contains("cvt.rn.satfinite."));
                for kernel in [&narrowed::KERNEL, &widened::KERNEL, &compared::KERNEL] {
                    for variant in kernel.variants() {
                        let texts = [(kernel.name(), variant.ptx)];
                        let Some(reports) = tests::toolchain::assemble_all_everywhere(&texts) else { return };
                        assert!(!reports[0].is_empty(), "{}", kernel.name());
                    }
                }
            }
        }
    };
}
conversions!(e4m3 E4M3);
conversions!(e5m2 E5M2);

#[kernel_module]
mod quantised {
    use kernel_runtime::prelude::*;

    /// Weights of a row with a scale each, as quantised networks have them.
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Scaled {
        pub scale: f32,
        pub weights: [E4M3; 4],
    }

    #[kernel]
    pub fn dequantised(rows: &[Scaled], y: &mut [f32]) {
        let i = global_idx().x;
        if i < y.len() {
            let row = rows[i / 4];
            y[i] = row.scale * row.weights[i % 4].to_f32();
        }
    }
}
use quantised::{Scaled, dequantised};

#[test]
fn fields_of_structs_are_floats_of_8_bits() {
    let rows: Vec<Scaled> = (0..10)
        .map(|i| Scaled { scale: i as f32, weights: [0.5, 1.0, 1.5, 2.0].map(E4M3::from_f32) })
        .collect();
    let expected: Vec<f32> = (0..40).map(|i| (i / 4) as f32 * (0.5 + 0.5 * (i % 4) as f32)).collect();
    let mut on_cpu = vec![0.0; 40];
    dequantised::cpu(&rows, &mut on_cpu).over(40).run().expect("runs");
    assert_eq!(on_cpu, expected);
    let gpu = Gpu::simulator(Arch::Sm90);
    let (rows, mut y) = (gpu.upload(&rows).unwrap(), gpu.zeros::<f32>(40).unwrap());
    dequantised(&rows, &mut y).over(40).run().expect("runs");
    assert_eq!(y.to_vec().unwrap(), expected);
}
