//! `warp::mma_sparse` against plain Rust: of pruned matrices, on the CPU and the simulator, bit for bit.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu, Sparse24};

use super::{Random, bits};

/// Kernels of one warp that multiply 16 × 2 K, of which K columns are kept, by 2 K × 8 elements, and their tests.
macro_rules! atoms {
    ($($kernel:ident $test:ident $element:ident $fragment:ident $kept:literal;)*) => {$(
        #[kernel(block(32), arch(sm_80, sm_90))]
        fn $kernel(a: &[$element], metadata: &[u32], b: &[$element], c: &[f32], d: &mut [f32]) {
            let lane = warp::lane_id();
            let (g, t) = (lane / 4, 2 * (lane % 4));
            let mut left = $fragment::splat(a[0]);
            let mut right = $fragment::splat(b[0]);
            let mut sum = F32x4::splat(0.0);
            #[unroll]
            for i in 0..$kept / 2 {
                left[i] = a[$kept * (g + 8 * (i / 2 % 2)) + t + i % 2 + 8 * (i / 4)];
                right[i] = b[8 * (t + i % 2 + 8 * (i / 2)) + g];
            }
            #[unroll]
            for i in 0..4 {
                sum[i] = c[8 * (g + 8 * (i / 2)) + t + i % 2];
            }
            // Only the first two lanes of each four have metadata that counts, or the first.
            let own = if lane % 4 < 2 { metadata[2 * g + lane % 2] } else { 0xdead_beef };
            let sum = warp::mma_sparse(left, right, sum, own);
            #[unroll]
            for i in 0..4 {
                d[8 * (g + 8 * (i / 2)) + t + i % 2] = sum[i];
            }
        }

        #[test]
        fn $test() {
            const K: usize = 2 * $kept;
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            for integers in [true, false] {
                let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| random.number(integers)).collect() };
                let dense: Vec<$element> = numbers(16 * K).into_iter().map($element::from_f64).collect();
                let b: Vec<$element> = numbers(K * 8).into_iter().map($element::from_f64).collect();
                let c: Vec<f32> = numbers(16 * 8).into_iter().map(|x| x as f32).collect();
                // A tile is 32 columns wide: of 16 the first half of its metadata is asked for.
                let sparse = Sparse24::prune(&dense, 16, K).expect("16 rows");
                let values: Vec<$element> = sparse.values().chunks(16).flat_map(|row| &row[..$kept]).copied().collect();
                let pruned = sparse.to_dense();
                let sum = |row: usize, column: usize| {
                    let start = f64::from(c[8 * row + column]);
                    let add = |sum: f64, k: usize| f64::mul_add(pruned[32 * row + k].to_f64(), b[8 * k + column].to_f64(), sum);
                    (0..K).fold(start, add) as f32
                };
                let expected: Vec<f32> = (0..16 * 8).map(|place| sum(place / 8, place % 8)).collect();
                let mut on_cpu = vec![0.0; 16 * 8];
                let run = $kernel::cpu(&values, sparse.metadata(), &b, &c, &mut on_cpu).grid(1).block(32).run();
                run.expect("runs on the CPU");
                assert_eq!(bits(&on_cpu), bits(&expected), "on the CPU, integers: {integers}");
                let gpu = Gpu::simulator(Arch::Sm90);
                let (a, b, c) = (gpu.upload(&values).unwrap(), gpu.upload(&b).unwrap(), gpu.upload(&c).unwrap());
                let metadata = gpu.upload(sparse.metadata()).unwrap();
                let mut d = gpu.zeros(16 * 8).unwrap();
                $kernel(&a, &metadata, &b, &c, &mut d).grid(1).block(32).run().expect("runs on the simulator");
                assert_eq!(bits(&d.to_vec().unwrap()), bits(&expected), "simulated, integers: {integers}");
            }
        }
    )*};
}
atoms! {
    f16_32 sparse_products_of_f16_by_32 f16 F16x8 16;
    f16_16 sparse_products_of_f16_by_16 f16 F16x4 8;
    bf16_32 sparse_products_of_bf16_by_32 bf16 Bf16x8 16;
    bf16_16 sparse_products_of_bf16_by_16 bf16 Bf16x4 8;
}

/// The text that the architectures get is what `ptxas` takes, and its instruction is there.
#[test]
fn the_instruction_is_there() {
    for (kernel, instruction) in [
        (&f16_32::KERNEL, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"),
        (&bf16_16::KERNEL, "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
    ] {
        assert!(kernel.ptx().contains(instruction), "{}", kernel.ptx());
    }
}
