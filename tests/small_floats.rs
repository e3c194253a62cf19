//! Floats of six and four bits and scales of blocks: conversions of the host, the CPU reference, the simulator with and without the instructions that
//! `sm_100a` has for them, and a GPU where there is one, against definitions that are written here.

use half::f16;
use kernel_runtime::prelude::*;
use tests::cuda_or_skip;

/// The value of so many bits by the definition: sign, exponent with a bias, fraction.
fn value(bits: u32, code: u8, fraction: u32, bias: i32) -> f64 {
    let magnitude = u32::from(code) & ((1 << (bits - 1)) - 1);
    let (exponent, digits) = ((magnitude >> fraction) as i32, f64::from(magnitude & ((1 << fraction) - 1)));
    let digits = digits / f64::from(1 << fraction);
    let value = match exponent {
        0 => digits * 2f64.powi(1 - bias),
        _ => (1.0 + digits) * 2f64.powi(exponent - bias),
    };
    if code >> (bits - 1) & 1 == 1 { -value } else { value }
}

/// The code that a number is rounded to: of the nearest value, of two the even code; beyond the largest that one, for NaN too.
fn rounded(x: f32, bits: u32, fraction: u32, bias: i32) -> u8 {
    let largest = ((1 << (bits - 1)) - 1) as u8;
    if x.is_nan() {
        return largest;
    }
    let sign = if x.is_sign_negative() { 1 << (bits - 1) } else { 0 };
    let distance = |code: u8| (value(bits, code, fraction, bias) - f64::from(x.abs()).min(1e9)).abs();
    let nearest =
        (0..=largest).min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then((a % 2).cmp(&(b % 2))));
    nearest.unwrap_or(0) | sign
}

/// All of `f16`, and around each of them what decides between neighbours.
fn numbers() -> Vec<f32> {
    let halves = (0..=u16::MAX).map(|bits| f16::from_bits(bits).to_f32());
    let near = (0..=u16::MAX).step_by(8).flat_map(|bits| {
        let x = f16::from_bits(bits).to_f32();
        [x.next_up(), x.next_down()]
    });
    let others = [f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, 1e-40, -1e-40];
    halves.chain(near).chain(others).collect()
}

/// Simulators with integers and with instructions, and a GPU.
fn devices() -> impl Iterator<Item = Gpu> {
    [Arch::Sm75, Arch::Sm100a, Arch::Sm120a].map(Gpu::simulator).into_iter().chain(cuda_or_skip())
}

macro_rules! conversions {
    ($module:ident $ty:ident { bits: $bits:literal, fraction: $fraction:literal, bias: $bias:literal }) => {
        mod $module {
            use super::*;

            #[kernel(arch(sm_75, sm_100a, sm_120a))]
            pub fn narrowed(x: &[f32], y: &mut [$ty]) {
                let i = global_idx().x;
                if i < x.len() {
                    y[i] = $ty::from_f32(x[i]);
                }
            }

            #[kernel(arch(sm_75, sm_100a, sm_120a))]
            pub fn widened(x: &[$ty], y: &mut [f32], z: &mut [u8]) {
                let i = global_idx().x;
                if i < x.len() {
                    y[i] = x[i].to_f32();
                    let is_small = x[i] < $ty::ONE && x[i] != $ty::ZERO;
                    z[i] = x[i].to_bits() | (is_small as u8) << 7;
                }
            }

            #[test]
            fn all_codes_and_halves() -> Result<()> {
                let bytes: Vec<u8> = (0..=u8::MAX).collect();
                let codes: &[$ty] = bytemuck::cast_slice(&bytes);
                let code = |index: usize| index as u8 & ((1 << $bits) - 1);
                let values: Vec<f32> =
                    (0..256).map(|index| value($bits, code(index), $fraction, $bias) as f32).collect();
                let bits: Vec<u8> = (0..256)
                    .map(|index| code(index) | u8::from(values[index] < 1.0 && values[index] != 0.0) << 7)
                    .collect();
                let numbers = numbers();
                let expected: Vec<u8> =
                    numbers.iter().map(|&x| rounded(x, $bits, $fraction, $bias)).collect();
                for (index, of) in codes.iter().enumerate() {
                    assert_eq!(of.to_f32().to_bits(), values[index].to_bits(), "{index:#x} on the host");
                    assert_eq!(of.to_f16().to_f32().to_bits(), values[index].to_bits());
                    assert_eq!($ty::from_f32(values[index]).to_bits(), code(index), "{index:#x} on the host");
                    assert_eq!($ty::from_bits(index as u8).to_bits(), code(index));
                }
                for (&x, &expected) in numbers.iter().zip(&expected) {
                    assert_eq!($ty::from_f32(x).to_bits(), expected, "{x:e} on the host");
                }
                assert_eq!($ty::ONE.to_f32(), 1.0);
                assert_eq!(
                    $ty::ONE.to_f32() + $ty::EPSILON.to_f32(),
                    $ty::from_bits($ty::ONE.to_bits() + 1).to_f32()
                );
                assert_eq!($ty::MIN.to_f32(), -$ty::MAX.to_f32());

                let mut narrow = vec![$ty::ZERO; numbers.len()];
                narrowed::cpu(&numbers, &mut narrow).over(numbers.len()).run()?;
                let raw = |values: &[$ty]| bytemuck::cast_slice::<_, u8>(values).to_vec();
                assert!(raw(&narrow) == expected, "on the CPU");
                let (mut wide, mut found) = (vec![0.0; 256], vec![0; 256]);
                widened::cpu(codes, &mut wide, &mut found).over(256).run()?;
                let of_f32 = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(of_f32(&wide), of_f32(&values), "on the CPU");
                assert_eq!(found, bits, "on the CPU");
                for gpu in devices() {
                    let (x, of_all) = (gpu.upload(&numbers)?, gpu.upload(codes)?);
                    let mut narrow = gpu.zeros::<$ty>(numbers.len())?;
                    narrowed(&x, &mut narrow).over(numbers.len()).run()?;
                    assert!(raw(&narrow.to_vec()?) == expected, "on {}", gpu.describe());
                    let (mut wide, mut found) = (gpu.zeros::<f32>(256)?, gpu.zeros::<u8>(256)?);
                    widened(&of_all, &mut wide, &mut found).over(256).run()?;
                    assert_eq!(of_f32(&wide.to_vec()?), of_f32(&values), "on {}", gpu.describe());
                    assert_eq!(found.to_vec()?, bits, "on {}", gpu.describe());
                }
                Ok(())
            }

            #[test]
            fn ptxas_takes_them() {
                let [old, new, other] = narrowed::KERNEL.variants() else { panic!("three variants") };
                assert!(!old.ptx.contains("satfinite"));
                assert!([new, other].iter().all(|variant| variant.ptx.contains("cvt.rn.satfinite.e")));
                for kernel in [&narrowed::KERNEL, &widened::KERNEL] {
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
conversions!(e2m3 E2M3 { bits: 6, fraction: 3, bias: 1 });
conversions!(e3m2 E3M2 { bits: 6, fraction: 2, bias: 3 });
conversions!(e2m1 E2M1 { bits: 4, fraction: 1, bias: 1 });

#[kernel(arch(sm_75, sm_100a, sm_120a))]
fn packed(x: &[f32], y: &mut [E2M1x2], z: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        let two = E2M1x2::from_f32([x[2 * i], x[2 * i + 1]]);
        y[i] = E2M1x2::new(two.low(), two.high());
        let [low, high] = y[i].to_f32();
        z[2 * i] = low;
        z[2 * i + 1] = high;
    }
}

#[test]
fn pairs_in_a_byte() -> Result<()> {
    let numbers = numbers();
    let codes: Vec<u8> = numbers.iter().map(|&x| rounded(x, 4, 1, 1)).collect();
    let expected: Vec<u8> = codes.chunks_exact(2).map(|two| two[0] | two[1] << 4).collect();
    let values: Vec<f32> = codes.iter().map(|&code| value(4, code, 1, 1) as f32).collect();
    let count = expected.len();
    let (mut y, mut z) = (vec![E2M1x2::ZERO; count], vec![0.0; numbers.len()]);
    packed::cpu(&numbers, &mut y, &mut z).over(count).run()?;
    assert!(bytemuck::cast_slice::<_, u8>(&y) == expected, "on the CPU");
    assert!(z == values, "on the CPU");
    for gpu in devices() {
        let (x, mut y, mut z) =
            (gpu.upload(&numbers)?, gpu.zeros::<E2M1x2>(count)?, gpu.zeros::<f32>(numbers.len())?);
        packed(&x, &mut y, &mut z).over(count).run()?;
        assert!(bytemuck::cast_slice::<_, u8>(&y.to_vec()?) == expected, "on {}", gpu.describe());
        assert!(z.to_vec()? == values, "on {}", gpu.describe());
    }
    Ok(())
}

#[kernel(arch(sm_75, sm_89, sm_100a))]
fn scales(x: &[f32], mantissas: &mut [UE4M3], up: &mut [E8M0], down: &mut [E8M0]) {
    let i = global_idx().x;
    if i < x.len() {
        mantissas[i] = UE4M3::from_f32(x[i]);
        up[i] = E8M0::from_f32(x[i]);
        down[i] = E8M0::from_f32_down(x[i]);
    }
}

#[kernel(arch(sm_75, sm_89, sm_100a))]
fn of_scales(mantissas: &[UE4M3], powers: &[E8M0], y: &mut [f32], z: &mut [f32]) {
    let i = global_idx().x;
    if i < mantissas.len() {
        y[i] = mantissas[i].to_f32();
        z[i] = powers[i].to_f32();
    }
}

/// Powers of two up to the largest, by their definition: the next one that is not below, or not above, a magnitude.
fn power(x: f32, up: bool) -> u8 {
    let x = f64::from(x).abs();
    let of = |code: u8| 2f64.powi(i32::from(code) - 127);
    match up {
        _ if x.is_nan() => 0xff,
        true => (0..0xfe).find(|&code| of(code) >= x).unwrap_or(0xfe),
        false => (0..=0xfe).rev().find(|&code| of(code) <= x).unwrap_or(0),
    }
}

/// Without a sign, by the definition of the float with one.
fn positive(x: f32) -> u8 {
    let finite = |code: &u8| *code != 0x7f;
    let distance = |code: u8| (value(8, code, 3, 7) - f64::from(x).clamp(0.0, 1e9)).abs();
    let nearest = (0..0x80)
        .filter(finite)
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then((a % 2).cmp(&(b % 2))));
    if x.is_nan() { 0x7f } else { nearest.unwrap_or(0) }
}

#[test]
fn scales_of_blocks() -> Result<()> {
    let mut numbers = numbers();
    numbers.extend((0..=u8::MAX).flat_map(|exponent| {
        [0, 1, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_ffff]
            .map(|low| f32::from_bits(u32::from(exponent) << 23 | low))
    }));
    let expected: [Vec<u8>; 3] = [
        numbers.iter().map(|&x| positive(x)).collect(),
        numbers.iter().map(|&x| power(x, true)).collect(),
        numbers.iter().map(|&x| power(x, false)).collect(),
    ];
    let bits = |x: f32| if x.is_nan() { 0x7fff_ffff } else { x.to_bits() };
    let values: Vec<u32> = (0..=u8::MAX)
        .map(|code| match code & 0x7f {
            0x7f => 0x7fff_ffff,
            code => bits(value(8, code, 3, 7) as f32),
        })
        .collect();
    let powers: Vec<u32> = (0..=u8::MAX)
        .map(|code| if code == 0xff { 0x7fff_ffff } else { bits(2f64.powi(i32::from(code) - 127) as f32) })
        .collect();
    for (index, &x) in numbers.iter().enumerate() {
        assert_eq!(UE4M3::from_f32(x).to_bits(), expected[0][index], "{x:e} on the host");
        assert_eq!(E8M0::from_f32(x).to_bits(), expected[1][index], "{x:e} on the host");
        assert_eq!(E8M0::from_f32_down(x).to_bits(), expected[2][index], "{x:e} on the host");
    }
    let count = numbers.len();
    let (mut mantissas, mut up, mut down) =
        (vec![UE4M3::ZERO; count], vec![E8M0::ONE; count], vec![E8M0::ONE; count]);
    scales::cpu(&numbers, &mut mantissas, &mut up, &mut down).over(count).run()?;
    assert!(bytemuck::cast_slice::<_, u8>(&mantissas) == expected[0], "on the CPU");
    assert!(bytemuck::cast_slice::<_, u8>(&up) == expected[1], "on the CPU");
    assert!(bytemuck::cast_slice::<_, u8>(&down) == expected[2], "on the CPU");
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let (all, of_powers): (&[UE4M3], &[E8M0]) = (bytemuck::cast_slice(&bytes), bytemuck::cast_slice(&bytes));
    let of_bits = |values: &[f32]| values.iter().map(|&x| bits(x)).collect::<Vec<u32>>();
    let (mut y, mut z) = (vec![0.0; 256], vec![0.0; 256]);
    of_scales::cpu(all, of_powers, &mut y, &mut z).over(256).run()?;
    assert_eq!((of_bits(&y), of_bits(&z)), (values.clone(), powers.clone()), "on the CPU");
    for gpu in devices() {
        let x = gpu.upload(&numbers)?;
        let (mut mantissas, mut up, mut down) =
            (gpu.zeros::<UE4M3>(count)?, gpu.zeros::<E8M0>(count)?, gpu.zeros::<E8M0>(count)?);
        scales(&x, &mut mantissas, &mut up, &mut down).over(count).run()?;
        assert!(bytemuck::cast_slice::<_, u8>(&mantissas.to_vec()?) == expected[0], "on {}", gpu.describe());
        assert!(bytemuck::cast_slice::<_, u8>(&up.to_vec()?) == expected[1], "on {}", gpu.describe());
        assert!(bytemuck::cast_slice::<_, u8>(&down.to_vec()?) == expected[2], "on {}", gpu.describe());
        let (all, of_powers) = (gpu.upload(all)?, gpu.upload(of_powers)?);
        let (mut y, mut z) = (gpu.zeros::<f32>(256)?, gpu.zeros::<f32>(256)?);
        of_scales(&all, &of_powers, &mut y, &mut z).over(256).run()?;
        assert_eq!(
            (of_bits(&y.to_vec()?), of_bits(&z.to_vec()?)),
            (values.clone(), powers.clone()),
            "on {gpu}"
        );
    }
    Ok(())
}
