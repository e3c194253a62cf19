//! Products of matrices by tensor cores: the CPU reference and the simulator against plain Rust, bit for bit.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu};

use self::matmul::matmul_tensor;

#[path = "tensor/clusters.rs"]
mod clusters;
#[path = "tensor/dot.rs"]
mod dot;
#[path = "tensor/elements.rs"]
mod elements;
#[path = "tensor/epilogues.rs"]
mod epilogues;
#[path = "tensor/exchange.rs"]
mod exchange;
#[path = "tensor/groups.rs"]
mod groups;
#[path = "tensor/matmul.rs"]
mod matmul;
#[path = "tensor/sizes.rs"]
mod sizes;
#[path = "tensor/sparse.rs"]
mod sparse;
#[path = "tensor/specialized.rs"]
mod specialized;
#[path = "tensor/stages.rs"]
mod stages;
#[path = "tensor/tiles.rs"]
mod tiles;

/// Kernels of one warp that multiply 16 × K by K × 8 elements and add 16 × 8, and their tests.
macro_rules! atoms {
    ($($kernel:ident $test:ident $element:ident $left:ident $right:ident $k:literal;)*) => {$(
        #[kernel(block(32))]
        fn $kernel(a: &[$element], b: &[$element], c: &[f32], d: &mut [f32]) {
            let (g, t) = (warp::lane_id() / 4, 2 * (warp::lane_id() % 4));
            let mut left = $left::splat(a[0]);
            let mut right = $right::splat(b[0]);
            let mut sum = F32x4::splat(0.0);
            #[unroll]
            for i in 0..$k / 2 {
                left[i] = a[$k * (g + 8 * (i / 2 % 2)) + t + i % 2 + 8 * (i / 4)];
            }
            #[unroll]
            for i in 0..$k / 4 {
                right[i] = b[8 * (t + i % 2 + 8 * (i / 2)) + g];
            }
            #[unroll]
            for i in 0..4 {
                sum[i] = c[8 * (g + 8 * (i / 2)) + t + i % 2];
            }
            let sum = warp::mma(left, right, sum);
            #[unroll]
            for i in 0..4 {
                d[8 * (g + 8 * (i / 2)) + t + i % 2] = sum[i];
            }
        }

        #[test]
        fn $test() {
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            // Small integers, whose sums are exact in any order, then numbers that are rounded.
            for integers in [true, false] {
                let a: Vec<$element> = (0..16 * $k).map(|_| $element::from_f64(random.number(integers))).collect();
                let b: Vec<$element> = (0..$k * 8).map(|_| $element::from_f64(random.number(integers))).collect();
                let c: Vec<f32> = (0..16 * 8).map(|_| random.number(integers) as f32).collect();
                let sum = |row: usize, column: usize| {
                    let start = f64::from(c[8 * row + column]);
                    (0..$k).fold(start, |sum, k| f64::mul_add(a[$k * row + k].to_f64(), b[8 * k + column].to_f64(), sum)) as f32
                };
                let expected: Vec<f32> = (0..16 * 8).map(|place| sum(place / 8, place % 8)).collect();
                let mut on_cpu = vec![0.0; 16 * 8];
                $kernel::cpu(&a, &b, &c, &mut on_cpu).grid(1).block(32).run().expect("runs on the CPU");
                assert_eq!(bits(&on_cpu), bits(&expected), "on the CPU, integers: {integers}");
                let gpu = Gpu::simulator(Arch::Sm90);
                let (a, b, c) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap(), gpu.upload(&c).unwrap());
                let mut d = gpu.zeros(16 * 8).unwrap();
                $kernel(&a, &b, &c, &mut d).grid(1).block(32).run().expect("runs on the simulator");
                assert_eq!(bits(&d.to_vec().unwrap()), bits(&expected), "simulated, integers: {integers}");
            }
        }
    )*};
}
atoms! {
    f16_16 products_of_f16_by_16 f16 F16x8 F16x4 16;
    f16_8 products_of_f16_by_8 f16 F16x4 F16x2 8;
    bf16_16 products_of_bf16_by_16 bf16 Bf16x8 Bf16x4 16;
    bf16_8 products_of_bf16_by_8 bf16 Bf16x4 Bf16x2 8;
}

/// Every form of `ldmatrix`, of a tile of 32 rows of eight elements each.
#[kernel(block(32))]
fn loads(x: &[f16], out: &mut [f32]) {
    let mut tile = shared::<[f16; 512]>();
    let lane = warp::lane_id();
    #[unroll]
    for i in 0..8 {
        tile[16 * lane + i] = x[8 * lane + i];
    }
    warp::sync();
    let one = F16x2::load_matrix(&tile[..], 16 * lane);
    let two = F16x4::load_matrix_transposed(&tile[..], 16 * lane);
    let four = F16x8::load_matrix(&tile[..], 16 * lane);
    let turned = F16x8::load_matrix_transposed(&tile[..], 16 * lane);
    let part = F16x2::load_matrix_transposed(&tile[16..], 16 * (lane % 8));
    #[unroll]
    for i in 0..8 {
        out[32 * lane + i] = four[i].to_f32();
        out[32 * lane + 8 + i] = turned[i].to_f32();
    }
    #[unroll]
    for i in 0..4 {
        out[32 * lane + 16 + i] = two[i].to_f32();
    }
    #[unroll]
    for i in 0..2 {
        out[32 * lane + 20 + i] = one[i].to_f32();
        out[32 * lane + 22 + i] = part[i].to_f32();
    }
}

#[test]
fn matrices_from_shared_memory() {
    let x: Vec<f16> = (0..256).map(|i| f16::from_f32(i as f32)).collect();
    let mut expected = vec![0.0f32; 32 * 32];
    for lane in 0..32 {
        let (g, t) = (lane / 4, 2 * (lane % 4));
        let plain = |first: usize, i: usize| x[8 * (first + 8 * (i / 2) + g) + t + i % 2].to_f32();
        let turned = |first: usize, i: usize| x[8 * (first + 8 * (i / 2) + t + i % 2) + g].to_f32();
        let row = &mut expected[32 * lane..][..24];
        for i in 0..8 {
            (row[i], row[8 + i]) = (plain(0, i), turned(0, i));
        }
        for i in 0..4 {
            row[16 + i] = turned(0, i);
        }
        for i in 0..2 {
            (row[20 + i], row[22 + i]) = (plain(0, i), turned(1, i));
        }
    }
    let mut on_cpu = vec![0.0; 32 * 32];
    loads::cpu(&x, &mut on_cpu).grid(1).block(32).run().expect("runs on the CPU");
    assert_eq!(on_cpu, expected, "on the CPU");
    let gpu = Gpu::simulator(Arch::Sm75);
    let mut out = gpu.zeros(32 * 32).unwrap();
    loads(&gpu.upload(&x).unwrap(), &mut out).grid(1).block(32).run().expect("runs on the simulator");
    assert_eq!(out.to_vec().unwrap(), expected, "simulated");
}

/// A row beyond the tile and one that does not begin at a multiple of 16 bytes.
#[kernel(block(32))]
fn load_at(start: usize, out: &mut [f32]) {
    let mut tile = shared::<[f16; 256]>();
    #[unroll]
    for i in 0..8 {
        tile[8 * warp::lane_id() + i] = f16::ONE;
    }
    warp::sync();
    out[warp::lane_id()] = F16x2::load_matrix(&tile[..], start).x.to_f32();
}

#[test]
fn rows_beyond_the_tile_are_panics() {
    for (start, message) in [(249, "257"), (4, "multiple of 8")] {
        let mut out = vec![0.0; 32];
        let error = load_at::cpu(start, &mut out).grid(1).block(32).run().expect_err("panics on the CPU");
        assert!(error.to_string().contains(message), "{error}");
        let gpu = Gpu::simulator(Arch::Sm80);
        let mut out = gpu.zeros(32).unwrap();
        let error = load_at(start, &mut out).grid(1).block(32).run().expect_err("panics when simulated");
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn ptxas_takes_them_for_every_architecture() {
    let kernels = [
        ("f16_16", f16_16::KERNEL.ptx().to_owned()),
        ("f16_8", f16_8::KERNEL.ptx().to_owned()),
        ("bf16_16", bf16_16::KERNEL.ptx().to_owned()),
        ("bf16_8", bf16_8::KERNEL.ptx().to_owned()),
        ("loads", loads::KERNEL.ptx().to_owned()),
    ];
    let texts: Vec<(&str, &str)> = kernels.iter().map(|(name, ptx)| (*name, ptx.as_str())).collect();
    let Some(reports) = tests::toolchain::assemble_all_everywhere(&texts) else { return };
    // sm_75 has ldmatrix and the smallest product.
    let oldest = |index: usize| reports[index].iter().map(|(arch, _)| *arch).min();
    assert_eq!([0, 1, 4].map(oldest), [Some(Arch::Sm80), Some(Arch::Sm75), Some(Arch::Sm75)]);
}

/// Half a warp: known only when it is launched.
#[kernel]
fn any_block(d: &mut [f32]) {
    let left = F16x8::splat(f16::ONE);
    let right = F16x4::splat(f16::ONE);
    d[thread_idx().x] = warp::mma(left, right, F32x4::splat(0.0)).x;
}

#[test]
fn lanes_that_are_missing_are_reported() {
    let mut d = vec![0.0; 32];
    any_block::cpu(&mut d).grid(1).block(32).run().expect("runs on the CPU");
    assert_eq!(d, [16.0; 32]);
    let error = any_block::cpu(&mut d).grid(1).block(16).run().expect_err("lanes are missing");
    let text = error.to_string();
    assert!(text.contains("lane 16 of warp 0") && text.contains("needs all 32 lanes"), "{text}");
}

/// A product in tiles at sizes that no tile divides, with numbers that are rounded: the CPU reference and the simulator agree bit
/// for bit, and with a sum in `f64` within the bound of K + 1 roundings to `f32` of the sum of magnitudes.
#[test]
fn products_of_any_size() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for [m, n, k] in [[1usize, 1, 1], [3, 130, 17], [129, 5, 40], [33, 64, 65]] {
        let a: Vec<f16> = (0..m * k).map(|_| f16::from_f64(random.number(false))).collect();
        let b: Vec<f16> = (0..k * n).map(|_| f16::from_f64(random.number(false))).collect();
        let grid = (n.div_ceil(128) as u32, m.div_ceil(128) as u32);
        let mut on_cpu = vec![0.0; m * n];
        matmul_tensor::cpu(m, n, k, &a, &b, &mut on_cpu)
            .grid(grid)
            .block(256)
            .run()
            .expect("runs on the CPU");
        let gpu = Gpu::simulator(Arch::Sm80);
        let (of_a, of_b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
        let mut c = gpu.zeros(m * n).unwrap();
        matmul_tensor(m, n, k, &of_a, &of_b, &mut c).grid(grid).run().expect("runs on the simulator");
        let simulated = c.to_vec().unwrap();
        assert_eq!(bits(&on_cpu), bits(&simulated), "{m} × {n} × {k}");
        for (place, &found) in simulated.iter().enumerate() {
            let (row, column) = (place / n, place % n);
            let terms = (0..k).map(|i| a[row * k + i].to_f64() * b[i * n + column].to_f64());
            let (sum, magnitude) = terms.fold((0.0, 0.0), |(sum, all), term| (sum + term, all + term.abs()));
            let bound = (k + 1) as f64 * f64::from(f32::EPSILON) * magnitude;
            assert!(
                (f64::from(found) - sum).abs() <= bound,
                "{m} × {n} × {k}, element {place}: {found}, {sum}"
            );
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// A small generator of numbers: xorshift64.
struct Random(u64);

impl Random {
    /// An integer from -8 to 8, or a number with many bits.
    fn number(&mut self, integer: bool) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let number = (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 16.0 - 8.0;
        if integer { number.round() } else { number / 3.0 }
    }
}
