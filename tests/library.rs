//! Ready-made products and attention of `kernel-library`, on the simulator and on a GPU where there is one, against plain Rust.

use kernel_library::{
    Activation, Attention, AttentionElement, Layout, MatmulElement, Precision, Workspace, attention, matmul,
};
use kernel_runtime::prelude::*;
use tests::cuda_or_skip;
use tests::toolchain::{Ptxas, require_or_skip};

/// Xorshift numbers.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32 * 2.0 - 1.0
    }
}

/// A number of a matrix.
trait Sample: Element {
    fn of(x: f32) -> Self;
    fn value(self) -> f64;
}

macro_rules! samples {
    ($($ty:ident |$x:ident| $of:expr, |$y:ident| $value:expr;)*) => {$(
        impl Sample for $ty {
            fn of($x: f32) -> $ty {
                $of
            }
            fn value(self) -> f64 {
                let $y = self;
                $value
            }
        }
    )*};
}
samples! {
    f16 |x| f16::from_f32(x), |y| y.to_f64();
    bf16 |x| bf16::from_f32(x), |y| y.to_f64();
    f32 |x| x, |y| y.into();
    E4M3 |x| E4M3::from_f32(x), |y| y.to_f32().into();
    E5M2 |x| E5M2::from_f32(x), |y| y.to_f32().into();
}

fn everywhere() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm80), Gpu::simulator(Arch::Sm90a)].into_iter().chain(cuda_or_skip())
}

/// Small whole numbers: products and sums are exact, but for the last rounding.
fn products<T: MatmulElement<Output = U> + Sample, U: Sample>(transposed: bool) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for [m, n, k] in [[1usize, 1, 1], [130, 264, 136], [200, 72, 65]] {
        let mut numbers =
            |len: usize| -> Vec<T> { (0..len).map(|_| T::of((3.0 * random.number()).round())).collect() };
        let (a, b) = (numbers(m * k), numbers(k * n));
        let bias: Vec<f32> = (0..n).map(|at| (at % 7) as f32).collect();
        let at =
            |row: usize, column: usize| if transposed { b[column * k + row] } else { b[row * n + column] };
        let sum = |place: usize| -> f64 {
            (0..k).map(|i| a[place / n * k + i].value() * at(i, place % n).value()).sum::<f64>() * 0.5
        };
        let plain: Vec<U> = (0..m * n).map(|place| U::of(sum(place) as f32)).collect();
        let biased: Vec<U> =
            (0..m * n).map(|place| U::of((sum(place) as f32 + bias[place % n]).max(0.0))).collect();
        for gpu in everywhere() {
            let what = format!("{m} × {n} × {k} of {} on {}", std::any::type_name::<T>(), gpu.describe());
            let (of_a, of_b, of_bias) =
                (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap(), gpu.upload(&bias).unwrap());
            let mut c = gpu.zeros::<U>(m * n).unwrap();
            let (rows, columns) = if transposed { (n, k) } else { (k, n) };
            // In the second round there is memory for copies of matrices, whose rows are at multiples of 16 bytes.
            let mut workspace = Workspace::default();
            for (with_bias, with_workspace) in [(false, false), (true, true), (false, true)] {
                let (left, right) = (of_a.matrix(m, k).unwrap(), of_b.matrix(rows, columns).unwrap());
                let mut product = matmul(left, right, c.matrix_mut(m, n).unwrap()).scale(0.5);
                if with_workspace {
                    product = product.workspace(&mut workspace);
                }
                if transposed {
                    product = product.transposed();
                }
                if with_bias {
                    product = product.bias(&of_bias).activation(Activation::Relu);
                }
                product.run().unwrap_or_else(|error| panic!("{what}: {error}"));
                let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(Sample::value).collect();
                let expected = if with_bias { &biased } else { &plain };
                assert!(
                    found.iter().zip(expected).all(|(found, expected)| *found == expected.value()),
                    "{what}, bias: {with_bias}, workspace: {with_workspace}"
                );
            }
        }
    }
}

#[test]
fn products_of_every_element() {
    products::<f16, f16>(false);
    products::<bf16, bf16>(false);
    products::<f32, f32>(false);
    products::<E4M3, bf16>(false);
    products::<E5M2, bf16>(false);
}

#[test]
fn products_with_the_right_matrix_transposed() {
    products::<f16, f16>(true);
    products::<bf16, bf16>(true);
    products::<f32, f32>(true);
    products::<E4M3, bf16>(true);
    products::<E5M2, bf16>(true);
}

/// A product of `f32` in `f64`: for each element the sum, that of the magnitudes, and that of fused multiply-adds in `f32`.
fn sums_of(a: &[f32], b: &[f32], [m, n, k]: [usize; 3], transposed: bool) -> Vec<(f64, f64, f32)> {
    let at = |row: usize, column: usize| if transposed { b[column * k + row] } else { b[row * n + column] };
    let sums = |place: usize| {
        let terms = (0..k).map(|i| (a[place / n * k + i], at(i, place % n)));
        terms.fold((0.0, 0.0, 0.0f32), |(sum, all, fused), (x, y)| {
            let term = f64::from(x) * f64::from(y);
            (sum + term, all + term.abs(), x.mul_add(y, fused))
        })
    };
    (0..m * n).map(sums).collect()
}

/// The largest difference of a sum of `k` products, as a part of the sum of their magnitudes, `M`.
///
/// - `Tf32`: rounding an element to 11 bits changes it by `2⁻¹¹` of it at most, so a product by `2⁻¹⁰ + 2⁻²²`. Each instruction adds 8 products to a sum, and
///   rounds it: `k / 8` times by `u` of `M`.
/// - `Tf32x3`: of `x = large + small + rest` the nearest number of tf32 leaves `|x - large| ≤ 2⁻¹¹ |x|`, and that of what is left `|rest| ≤ 2⁻²² |x|`.
///   A product lacks `small * small` and both rests: `3 · 2⁻²²`. Four instructions round each of the `3 k / 32` sums of a stage, whose magnitudes
///   are `M` in all, and as many additions round their sum: `(4 + 3 k / 32) u`.
///
/// Products of what is rounded are larger than `M` by less than `2⁻⁹` of it. `u` is `2⁻²⁴` where the instructions round to the nearest `f32`, as on the simulator;
/// PTX leaves it open, and tensor cores cut off: `2⁻²²` is that of three such sums for each instruction, of products, and with the sum before.
fn bound(precision: Precision, k: usize, on_device: bool) -> f64 {
    let u = if on_device { 2f64.powi(-22) } else { 2f64.powi(-24) };
    let sums = |count: usize| count as f64 * u;
    let bound = match precision {
        Precision::Tf32 => 2f64.powi(-10) + 2f64.powi(-22) + sums(k.div_ceil(8)),
        Precision::Tf32x3 => 3.0 * 2f64.powi(-22) + sums(4 + 3 * k.div_ceil(32)),
        Precision::F32 => 0.0,
    };
    bound * (1.0 + 2f64.powi(-9))
}

/// Each precision, with the right matrix as it is and transposed, of sizes that no tile divides, and in memory where no row begins at a multiple of
/// 16 bytes.
#[test]
fn products_of_singles_are_as_precise_as_they_say() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for ([m, n, k], offset) in
        [([1usize, 1, 1], 0), ([67, 130, 96], 0), ([130, 201, 77], 1), ([40, 68, 300], 3)]
    {
        let mut numbers = |len: usize| -> Vec<f32> { (0..len).map(|_| random.number()).collect() };
        let (a, b) = (numbers(offset + m * k), numbers(offset + k * n));
        let bias = numbers(n);
        for transposed in [false, true] {
            let sums = sums_of(&a[offset..], &b[offset..], [m, n, k], transposed);
            for gpu in everywhere() {
                let (of_a, of_b, of_bias) =
                    (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap(), gpu.upload(&bias).unwrap());
                let mut c = gpu.zeros::<f32>(m * n).unwrap();
                let mut workspace = Workspace::default();
                let right = if transposed { [n, k] } else { [k, n] };
                for precision in [Precision::Tf32, Precision::Tf32x3, Precision::F32] {
                    for (with_bias, with_workspace) in [(false, true), (true, false)] {
                        let left = of_a.slice(offset..).unwrap().matrix(m, k).unwrap();
                        let right = of_b.slice(offset..).unwrap().matrix(right[0], right[1]).unwrap();
                        let mut product =
                            matmul(left, right, c.matrix_mut(m, n).unwrap()).precision(precision);
                        if transposed {
                            product = product.transposed();
                        }
                        if with_bias {
                            product = product.bias(&of_bias).activation(Activation::Relu).scale(0.5);
                        }
                        if with_workspace {
                            product = product.workspace(&mut workspace);
                        }
                        let what = format!(
                            "{precision:?} of {m} × {n} × {k}, transposed: {transposed}, bias: {with_bias}, on {}",
                            gpu.describe()
                        );
                        product.run().unwrap_or_else(|error| panic!("{what}: {error}"));
                        for (place, (found, (sum, all, fused))) in
                            c.to_vec().unwrap().into_iter().zip(&sums).enumerate()
                        {
                            let bias = bias[place % n];
                            if precision == Precision::F32 {
                                let expected = if with_bias { (0.5 * fused + bias).max(0.0) } else { *fused };
                                assert_eq!(found, expected, "{what}, element {place}");
                                continue;
                            }
                            let bound = bound(precision, k, !gpu.is_simulator()) * all;
                            let (expected, bound) = if with_bias {
                                let sum = 0.5 * sum + f64::from(bias);
                                // Rounded once more.
                                (sum.max(0.0), 0.5 * bound + sum.abs() * 2f64.powi(-23))
                            } else {
                                (*sum, bound)
                            };
                            let error = (f64::from(found) - expected).abs();
                            assert!(
                                error <= bound,
                                "{what}, element {place}: {found}, {expected}, {error} > {bound}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Sums of no products are the bias.
#[test]
fn products_of_matrices_without_columns() {
    let gpu = Gpu::simulator(Arch::Sm90a);
    let (none, bias) = (gpu.zeros::<f32>(0).unwrap(), gpu.upload(&[1.0f32, 2.0]).unwrap());
    for precision in [Precision::Tf32, Precision::Tf32x3, Precision::F32] {
        for transposed in [false, true] {
            let mut c = gpu.upload(&[5.0f32; 3 * 2]).unwrap();
            let right = if transposed { none.matrix(2, 0) } else { none.matrix(0, 2) }.unwrap();
            let product = matmul(none.matrix(3, 0).unwrap(), right, c.matrix_mut(3, 2).unwrap());
            let product = product.precision(precision).bias(&bias);
            let product = if transposed { product.transposed() } else { product };
            product.run().unwrap_or_else(|error| panic!("{precision:?}, transposed: {transposed}: {error}"));
            assert_eq!(c.to_vec().unwrap(), [1.0, 2.0].repeat(3), "{precision:?}, transposed: {transposed}");
        }
    }
}

/// The largest numbers have no nearest one of tf32, and the smallest no part below them.
#[test]
fn parts_of_extreme_numbers() {
    let numbers = [f32::MAX, -f32::MAX, 3.4028e38, f32::MIN_POSITIVE, 1e-40, 0.0, -0.0, 1.0];
    for gpu in everywhere() {
        let (a, b) = (gpu.upload(&numbers).unwrap(), gpu.upload(&[0.5f32]).unwrap());
        let mut c = gpu.zeros::<f32>(8).unwrap();
        let product = matmul(a.matrix(8, 1).unwrap(), b.matrix(1, 1).unwrap(), c.matrix_mut(8, 1).unwrap());
        product.precision(Precision::Tf32x3).run().expect("runs");
        for (number, found) in numbers.iter().zip(c.to_vec().unwrap()) {
            let error = (found - 0.5 * number).abs();
            assert!(error <= 2f32.powi(-22) * number.abs() + f32::MIN_POSITIVE, "{number}: {found}");
        }
    }
}

/// Kernels for `f32` on the CPU reference, which gives the bits of the simulator.
#[test]
fn products_of_singles_on_the_cpu() {
    use kernel_library::kernels::matmul::{matmul_f32, matmul_warps_tf32x3, split};
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let [m, n, k] = [70usize, 45, 50];
    let mut numbers = |len: usize| -> Vec<f32> { (0..len).map(|_| random.number()).collect() };
    let (a, b) = (numbers(m * k), numbers(k * n));
    let turned: Vec<f32> = (0..n * k).map(|at| b[at % k * n + at / k]).collect();
    let gpu = Gpu::simulator(Arch::Sm80);
    let simulated = |precision: Precision| {
        let (a, b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
        let mut c = gpu.zeros::<f32>(m * n).unwrap();
        let (a, b) = (a.matrix(m, k).unwrap(), b.matrix(k, n).unwrap());
        matmul(a, b, c.matrix_mut(m, n).unwrap()).precision(precision).run().expect("runs");
        c.to_vec().unwrap()
    };
    let mut found = vec![0.0f32; m * n];
    let turned_left: Vec<f32> = (0..k * m).map(|at| a[at % m * k + at / m]).collect();
    let (left, right) = (Matrix::new(&turned_left, [k, m]), Matrix::new(&b, [k, n]));
    let product = matmul_f32::cpu::<64, 128>(left, right, MatrixMut::new(&mut found, [m, n]), &[], 1.0, 0);
    product.grid(2).shared(2 * (64 + 128) * 128).run().expect("runs");
    assert_eq!(found, simulated(Precision::F32));

    let parts = |of: &[f32], rows: usize| {
        let mut parts = vec![0.0f32; 2 * of.len()];
        let y = MatrixMut::new(&mut parts, [2 * rows, k]);
        split::cpu(Matrix::new(of, [rows, k]), y).grid((rows.div_ceil(8) as u32, 1)).run().expect("runs");
        parts
    };
    let (left, right) = (parts(&a, m), parts(&turned, n));
    let (left, right) = (Matrix::new(&left, [2 * m, k]), Matrix::new(&right, [2 * n, k]));
    let product = matmul_warps_tf32x3::cpu(left, right, MatrixMut::new(&mut found, [m, n]), &[], 1.0, 0);
    product.grid((1, 1)).shared(3 * 256 * 128).run().expect("runs");
    assert_eq!(found, simulated(Precision::Tf32x3));
}

#[test]
fn activations_are_near() {
    let integral = |x: f64| 0.5 * (1.0 + libm::erf(x / std::f64::consts::SQRT_2));
    for gpu in everywhere() {
        let x: Vec<f32> = (0..256).map(|at| (at as f32 - 128.0) / 16.0).collect();
        // The product of a column of numbers and one.
        let (a, b) = (gpu.upload(&x).unwrap(), gpu.upload(&[1.0f32]).unwrap());
        let mut c = gpu.zeros::<f32>(256).unwrap();
        for (activation, expected) in [
            (Activation::Gelu, &(|x: f64| x * integral(x)) as &dyn Fn(f64) -> f64),
            (Activation::Silu, &|x: f64| x / (1.0 + (-x).exp())),
            (Activation::Relu, &|x: f64| x.max(0.0)),
            (Activation::None, &|x: f64| x),
        ] {
            let (left, right) = (a.matrix(256, 1).unwrap(), b.matrix(1, 1).unwrap());
            matmul(left, right, c.matrix_mut(256, 1).unwrap()).activation(activation).run().expect("runs");
            for (x, found) in x.iter().zip(c.to_vec().unwrap()) {
                let expected = expected((*x).into());
                assert!(
                    (f64::from(found) - expected).abs() < 3e-3,
                    "{activation:?} of {x}: {found}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let gpu = Gpu::simulator(Arch::Sm80);
    let (a, b, bias) =
        (gpu.zeros::<f16>(64).unwrap(), gpu.zeros::<f16>(64).unwrap(), gpu.zeros::<f32>(3).unwrap());
    let mut c = gpu.zeros::<f16>(64).unwrap();
    let mut refused =
        |left: [usize; 2], right: [usize; 2], sum: [usize; 2], transposed: bool, with_bias: bool| {
            let (left, right) = (a.matrix(left[0], left[1]).unwrap(), b.matrix(right[0], right[1]).unwrap());
            let mut product = matmul(left, right, c.matrix_mut(sum[0], sum[1]).unwrap());
            if transposed {
                product = product.transposed();
            }
            if with_bias {
                product = product.bias(&bias);
            }
            product.run().expect_err("does not fit").to_string()
        };
    expect_test::expect![[r#"
        expected a right matrix of 8 × 4, for a left one of 2 × 8 and a product with 4 columns, found one of 4 × 8
        help: take matrices of `rows × inner`, `inner × columns` and `rows × columns`, or with `.transposed()` a right one of `columns × inner`"#]]
    .assert_eq(&refused([2, 8], [4, 8], [2, 4], false, false));
    expect_test::expect![[r#"
        expected a right matrix of 4 × 8, for a left one of 2 × 8 and a product with 4 columns, found one of 8 × 4
        help: take matrices of `rows × inner`, `inner × columns` and `rows × columns`, or with `.transposed()` a right one of `columns × inner`"#]]
    .assert_eq(&refused([2, 8], [8, 4], [2, 4], true, false));
    expect_test::expect![[r#"
        expected a product with 2 rows, as the left matrix has, found one of 3 × 4
        help: take matrices of `rows × inner`, `inner × columns` and `rows × columns`"#]]
    .assert_eq(&refused([2, 8], [8, 4], [3, 4], false, false));
    expect_test::expect![[r#"
        expected a bias for each of 4 columns of the product, found 3
        help: take as many as the product has columns"#]]
    .assert_eq(&refused([2, 8], [8, 4], [2, 4], false, true));
}

/// On Hopper no product of a group waits for another one, and no register is spilled but a few words by versions with all checks, which launches take
/// whose guards fail.
#[test]
fn ptxas_takes_the_kernels() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    use kernel_library::kernels::{attention, matmul};
    let mut found = Vec::new();
    macro_rules! assembled {
        ($($kernel:expr;)*) => {$(
            let kernel: &kernel_runtime::Kernel = $kernel;
            for variant in kernel.variants() {
                let report = ptxas.assemble(variant.ptx, variant.target).unwrap_or_else(|log| panic!("{}: {log}", kernel.name()));
                for entry in report.entries.iter().filter(|_| variant.target == Arch::Sm90a) {
                    // The warps that fill its stages keep some words in memory, none of which its loop needs.
                    let may_spill = entry.name.starts_with("keys_128");
                    // With heads of 256 elements two words that a step of 64 keys reads back once.
                    let most = if entry.name.starts_with("attention_256") { 32 } else { 0 };
                    if !entry.losses.is_empty() || entry.spill_loads > most && !may_spill {
                        found.push(format!("{}: {entry:?}", kernel.name()));
                    }
                }
            }
        )*};
    }
    assembled! {
        matmul::matmul_groups::kernel::<f16, 128, 256>();
        matmul::matmul_groups::kernel::<bf16, 64, 128>();
        matmul::matmul_groups_transposed::kernel::<bf16, 128, 256>();
        matmul::matmul_groups_transposed::kernel::<f16, 128, 128>();
        matmul::matmul_groups_bytes::kernel::<E4M3, 128, 192>();
        matmul::matmul_groups_bytes::kernel::<E5M2, 64, 128>();
        matmul::matmul_groups_tf32::kernel::<128, 256>();
        matmul::matmul_groups_tf32::kernel::<64, 128>();
        matmul::matmul_warps::kernel::<f16>();
        matmul::matmul_warps_bytes_transposed::kernel::<E4M3>();
        &matmul::matmul_warps_tf32_transposed::KERNEL;
        matmul::matmul_groups_tf32x3::kernel::<128, 192>();
        matmul::matmul_groups_tf32x3::kernel::<64, 128>();
        &matmul::matmul_warps_tf32x3::KERNEL;
        matmul::matmul_f32::kernel::<128, 256>();
        matmul::matmul_f32::kernel::<64, 128>();
        matmul::copy::kernel::<E4M3>();
        &matmul::split::KERNEL;
        &matmul::split_transposed::KERNEL;
        attention::attention_64::kernel::<f16>();
        attention::attention_128::kernel::<bf16>();
        attention::attention_256::kernel::<f16>();
        attention::attention_64_by_warps::kernel::<bf16>();
        attention::attention_128_by_warps::kernel::<f16>();
        attention::attention_256_by_warps::kernel::<bf16>();
        attention::statistics::kernel::<f16>();
        attention::keys_64::kernel::<f16>();
        attention::keys_128::kernel::<bf16>();
        attention::all_64::kernel::<f16>();
        attention::all_64::kernel::<bf16>();
        attention::scaled_sums::kernel::<bf16>();
        attention::queries_64::kernel::<bf16>();
        attention::queries_128::kernel::<f16>();
        attention::keys_64_by_warps::kernel::<f16>();
        attention::keys_128_by_warps::kernel::<bf16>();
        attention::queries_64_by_warps::kernel::<bf16>();
        attention::queries_128_by_warps::kernel::<f16>();
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Sizes of a call.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    sequences: usize,
    heads: usize,
    key_heads: usize,
    queries: usize,
    keys: usize,
    size: usize,
    layout: Layout,
    causal: bool,
}

impl Sizes {
    /// The place of an element of a head, of so many heads with so many tokens.
    fn place(&self, [sequence, head, token, element]: [usize; 4], heads: usize, tokens: usize) -> usize {
        match self.layout {
            Layout::BySequence => ((sequence * tokens + token) * heads + head) * self.size + element,
            Layout::ByHead => ((sequence * heads + head) * tokens + token) * self.size + element,
        }
    }

    /// Rows and columns of a matrix of so many heads with so many tokens.
    fn shape(&self, heads: usize, tokens: usize) -> (usize, usize) {
        match self.layout {
            Layout::BySequence => (self.sequences * tokens, heads * self.size),
            Layout::ByHead => (self.sequences * heads * tokens, self.size),
        }
    }

    /// Calls a function with the place of each query's row, those of the rows of the keys that it sees, their weights, and the logarithm of the sum of
    /// the exponentials.
    fn for_queries(&self, q: &[f64], k: &[f64], mut each: impl FnMut(usize, &[usize], &[f64], f64)) {
        for sequence in 0..self.sequences {
            for head in 0..self.heads {
                let key_head = head / (self.heads / self.key_heads);
                for query in 0..self.queries {
                    let seen = if self.causal { self.keys - self.queries + query + 1 } else { self.keys };
                    let own = self.place([sequence, head, query, 0], self.heads, self.queries);
                    let keys: Vec<usize> = (0..seen)
                        .map(|key| self.place([sequence, key_head, key, 0], self.key_heads, self.keys))
                        .collect();
                    let score = |at: &usize| {
                        (0..self.size).map(|e| q[own + e] * k[at + e]).sum::<f64>()
                            / (self.size as f64).sqrt()
                    };
                    let scores: Vec<f64> = keys.iter().map(score).collect();
                    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let total: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
                    let log_sum = largest + total.ln();
                    let weights: Vec<f64> = scores.iter().map(|score| (score - log_sum).exp()).collect();
                    each(own, &keys, &weights, log_sum);
                }
            }
        }
    }

    /// The output, and the logarithms of the sums.
    fn expected(&self, q: &[f64], k: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut output, mut log_sums) = (vec![0.0; q.len()], Vec::new());
        self.for_queries(q, k, |own, keys, weights, log_sum| {
            for (at, weight) in keys.iter().zip(weights) {
                (0..self.size).for_each(|e| output[own + e] += weight * v[at + e]);
            }
            log_sums.push(log_sum);
        });
        (output, log_sums)
    }

    /// The gradients of queries, keys and values.
    fn gradients(&self, q: &[f64], k: &[f64], v: &[f64], gradient: &[f64]) -> [Vec<f64>; 3] {
        let [mut of_q, mut of_k, mut of_v] = [q, k, v].map(|of| vec![0.0; of.len()]);
        self.for_queries(q, k, |own, keys, weights, _| {
            let change = |at: &usize| (0..self.size).map(|e| gradient[own + e] * v[at + e]).sum::<f64>();
            let changes: Vec<f64> = keys.iter().map(change).collect();
            let mean: f64 = changes.iter().zip(weights).map(|(change, weight)| change * weight).sum();
            for ((at, weight), change) in keys.iter().zip(weights).zip(changes) {
                let slope = weight * (change - mean) / (self.size as f64).sqrt();
                for e in 0..self.size {
                    of_q[own + e] += slope * k[at + e];
                    of_k[at + e] += slope * q[own + e];
                    of_v[at + e] += weight * gradient[own + e];
                }
            }
        });
        [of_q, of_k, of_v]
    }
}

fn attends<T: AttentionElement + Sample>(sizes: Sizes) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut numbers = |len: usize| -> Vec<T> { (0..len).map(|_| T::of(2.0 * random.number())).collect() };
    let Sizes { sequences, heads, key_heads, queries, keys, size, .. } = sizes;
    let q = numbers(sequences * heads * queries * size);
    let (k, v) = (numbers(sequences * key_heads * keys * size), numbers(sequences * key_heads * keys * size));
    let values = |of: &[T]| -> Vec<f64> { of.iter().map(|x| x.value()).collect() };
    let (expected, log_sums) = sizes.expected(&values(&q), &values(&k), &values(&v));
    // Heads of 256 elements have no backward pass.
    let gradient = numbers(q.len());
    let gradients =
        (size < 256).then(|| sizes.gradients(&values(&q), &values(&k), &values(&v), &values(&gradient)));
    for gpu in everywhere() {
        let what = format!("{sizes:?} on {}", gpu.describe());
        let [of_q, of_k, of_v, slopes] = [&q, &k, &v, &gradient].map(|data| gpu.upload(data).unwrap());
        let mut o = gpu.upload(&vec![T::of(7.0); q.len()]).unwrap();
        let mut sums = gpu.upload(&vec![7.0f32; log_sums.len()]).unwrap();
        let forward = launch(sizes, [&of_q, &of_k, &of_v], &mut o);
        let forward = if size < 256 { forward.log_sums(&mut sums) } else { forward };
        forward.run().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_near(&o.to_vec().unwrap(), &expected, &what);
        let Some(gradients) = &gradients else { continue };
        assert_near(&sums.to_vec().unwrap(), &log_sums, &format!("logarithms of {what}"));
        let ((rows, columns), of_keys) = (sizes.shape(heads, queries), sizes.shape(key_heads, keys));
        for deterministic in [false, true] {
            let [mut to_q, mut to_k, mut to_v] =
                [&q, &k, &v].map(|data| gpu.upload(&vec![T::of(7.0); data.len()]).unwrap());
            let outputs = [
                to_q.matrix_mut(rows, columns).unwrap(),
                to_k.matrix_mut(of_keys.0, of_keys.1).unwrap(),
                to_v.matrix_mut(of_keys.0, of_keys.1).unwrap(),
            ];
            let backward = launch(sizes, [&of_q, &of_k, &of_v], &mut o)
                .log_sums(&mut sums)
                .backward(slopes.matrix(rows, columns).unwrap(), outputs);
            let backward = if deterministic { backward.deterministic() } else { backward };
            backward.run().unwrap_or_else(|error| panic!("{what}: {error}"));
            let found = [("q", &to_q), ("k", &to_k), ("v", &to_v)];
            for ((name, found), expected) in found.into_iter().zip(gradients) {
                let what = format!("gradient of {name}, deterministic: {deterministic}, {what}");
                assert_near(&found.to_vec().unwrap(), expected, &what);
            }
        }
    }
}

/// Near relative to the largest, of elements with 8 bits of precision or more.
fn assert_near<T: Sample>(found: &[T], expected: &[f64], what: &str) {
    let largest = expected.iter().fold(1.0, |largest: f64, x| largest.max(x.abs()));
    let error = found.iter().zip(expected).map(|(a, b)| (a.value() - b).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && error < 1e-2 * largest, "{what}: off by {error}");
}

fn launch<'a, T: AttentionElement>(
    sizes: Sizes,
    [q, k, v]: [&'a DeviceBuffer<T>; 3],
    o: &'a mut DeviceBuffer<T>,
) -> Attention<'a, T> {
    let Sizes { sequences, heads, key_heads, queries, keys, layout, causal, .. } = sizes;
    let ((rows, columns), of_keys) = (sizes.shape(heads, queries), sizes.shape(key_heads, keys));
    let matrix = |of: &'a DeviceBuffer<T>| of.matrix(of_keys.0, of_keys.1).unwrap();
    let attention = attention(
        q.matrix(rows, columns).unwrap(),
        matrix(k),
        matrix(v),
        o.matrix_mut(rows, columns).unwrap(),
    )
    .sequences(sequences)
    .heads(heads)
    .key_heads(key_heads)
    .layout(layout);
    if causal { attention.causal() } else { attention }
}

const SIZES: Sizes = Sizes {
    sequences: 1,
    heads: 1,
    key_heads: 1,
    queries: 200,
    keys: 200,
    size: 64,
    layout: Layout::BySequence,
    causal: false,
};

#[test]
fn attention_of_every_head() {
    for size in [64, 128, 256] {
        for causal in [false, true] {
            attends::<f16>(Sizes { size, causal, ..SIZES });
        }
        attends::<bf16>(Sizes { size, queries: 33, keys: 130, causal: true, ..SIZES });
    }
}

#[test]
fn heads_and_sequences_lie_in_both_ways() {
    for layout in [Layout::BySequence, Layout::ByHead] {
        // The rows of a head are no multiple of those of a tile, nor of a store.
        attends::<f16>(Sizes {
            sequences: 2,
            heads: 4,
            key_heads: 2,
            queries: 19,
            keys: 19,
            layout,
            causal: true,
            ..SIZES
        });
        attends::<bf16>(Sizes {
            sequences: 2,
            heads: 3,
            key_heads: 1,
            queries: 5,
            keys: 150,
            layout,
            ..SIZES
        });
    }
}

/// Sequences of different lengths are as each alone: one without queries, one shorter than a tile, one of several.
#[test]
fn packed_sequences_are_as_each_alone() {
    let lengths = [(5, 9), (0, 3), (210, 210), (64, 200)];
    let starts = |of: fn(&(usize, usize)) -> usize| -> Vec<usize> {
        std::iter::once(0)
            .chain(lengths.iter().scan(0, |sum, length| {
                *sum += of(length);
                Some(*sum)
            }))
            .collect()
    };
    let (query_starts, key_starts) = (starts(|length| length.0), starts(|length| length.1));
    let (rows, keys) = (query_starts[4], key_starts[4]);
    let (heads, key_heads, size) = (4, 2, 64);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut numbers = |len: usize| -> Vec<f16> { (0..len).map(|_| f16::of(2.0 * random.number())).collect() };
    let q = numbers(rows * heads * size);
    let (k, v) = (numbers(keys * key_heads * size), numbers(keys * key_heads * size));
    let gradient = numbers(q.len());
    for (gpu, causal) in everywhere().flat_map(|gpu| [(gpu.clone(), false), (gpu, true)]) {
        let [of_q, of_k, of_v] = [&q, &k, &v].map(|data| gpu.upload(data).unwrap());
        let [of_queries, of_keys] = [&query_starts, &key_starts].map(|starts| {
            let starts: Vec<u32> = starts.iter().map(|start| *start as u32).collect();
            gpu.upload(&starts).unwrap()
        });
        let mut o = gpu.upload(&vec![f16::of(7.0); q.len()]).unwrap();
        let mut sums = gpu.zeros::<f32>(lengths.len() * heads * 210).unwrap();
        let slopes = gpu.upload(&gradient).unwrap();
        let [mut to_q, mut to_k, mut to_v] =
            [&q, &k, &v].map(|data| gpu.upload(&vec![f16::of(7.0); data.len()]).unwrap());
        for is_backward in [false, true] {
            let attention = attention(
                of_q.matrix(rows, heads * size).unwrap(),
                of_k.matrix(keys, key_heads * size).unwrap(),
                of_v.matrix(keys, key_heads * size).unwrap(),
                o.matrix_mut(rows, heads * size).unwrap(),
            )
            .heads(heads)
            .key_heads(key_heads)
            .packed(&of_queries, &of_keys, 210)
            .log_sums(&mut sums);
            let attention = if causal { attention.causal() } else { attention };
            let run = if is_backward {
                let outputs = [
                    to_q.matrix_mut(rows, heads * size).unwrap(),
                    to_k.matrix_mut(keys, key_heads * size).unwrap(),
                    to_v.matrix_mut(keys, key_heads * size).unwrap(),
                ];
                attention.backward(slopes.matrix(rows, heads * size).unwrap(), outputs).run()
            } else {
                attention.run().map(|_| ())
            };
            run.unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
        }
        let found = o.to_vec().unwrap();
        for (index, &(queries, keys)) in lengths.iter().enumerate() {
            let part = |of: &[f16], start: usize, count: usize, heads: usize| -> Vec<f64> {
                of[start * heads * size..(start + count) * heads * size].iter().map(|x| x.value()).collect()
            };
            let sizes = Sizes { heads, key_heads, queries, keys, causal, ..SIZES };
            let what = format!("{queries} queries, {keys} keys on {}", gpu.describe());
            let (own, own_keys) = (query_starts[index], key_starts[index]);
            let [q, slopes] = [&q, &gradient].map(|of| part(of, own, queries, heads));
            let [k, v] = [&k, &v].map(|of| part(of, own_keys, keys, key_heads));
            let near = |found: &[f64], expected: &[f64], of: &str| {
                let largest = expected.iter().fold(1.0, |largest: f64, x| largest.max(x.abs()));
                let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(error < 1e-2 * largest, "{of} of {what}: off by {error}");
            };
            near(&part(&found, own, queries, heads), &sizes.expected(&q, &k, &v).0, "output");
            let [of_q, of_k, of_v] = sizes.gradients(&q, &k, &v, &slopes);
            near(&part(&to_q.to_vec().unwrap(), own, queries, heads), &of_q, "gradient of q");
            near(&part(&to_k.to_vec().unwrap(), own_keys, keys, key_heads), &of_k, "gradient of k");
            near(&part(&to_v.to_vec().unwrap(), own_keys, keys, key_heads), &of_v, "gradient of v");
        }
    }
}

/// Values behind those of a head are no numbers.
#[test]
fn heads_do_not_see_each_other() {
    let sizes = Sizes { heads: 2, key_heads: 2, queries: 20, keys: 20, layout: Layout::ByHead, ..SIZES };
    for gpu in everywhere() {
        let ones = vec![f16::ONE; 2 * 20 * 64];
        let v: Vec<f16> = (0..2 * 20 * 64).map(|at| if at < 20 * 64 { f16::ONE } else { f16::NAN }).collect();
        let [q, k, v] = [&ones, &ones, &v].map(|data| gpu.upload(data).unwrap());
        let mut o = gpu.zeros::<f16>(2 * 20 * 64).unwrap();
        let mut sums = gpu.zeros::<f32>(2 * 20).unwrap();
        launch(sizes, [&q, &k, &v], &mut o).log_sums(&mut sums).run().expect("runs");
        let found = o.to_vec().unwrap();
        assert!(found[..20 * 64].iter().all(|x| *x == f16::ONE), "on {}", gpu.describe());
        assert!(found[20 * 64..].iter().all(|x| x.is_nan()), "on {}", gpu.describe());
        let [mut of_q, mut of_k, mut of_v] = [(); 3].map(|()| gpu.zeros::<f16>(2 * 20 * 64).unwrap());
        let outputs = [&mut of_q, &mut of_k, &mut of_v].map(|buffer| buffer.matrix_mut(2 * 20, 64).unwrap());
        launch(sizes, [&q, &k, &v], &mut o)
            .log_sums(&mut sums)
            .backward(q.matrix(2 * 20, 64).unwrap(), outputs)
            .run()
            .expect("runs");
        for gradient in [of_q, of_k, of_v] {
            let found = gradient.to_vec().unwrap();
            assert!(found[..20 * 64].iter().all(|x| x.to_f32().is_finite()), "on {}", gpu.describe());
        }
    }
}

#[test]
fn heads_that_do_not_fit_are_refused() {
    let gpu = Gpu::simulator(Arch::Sm80);
    let x = gpu.zeros::<f16>(4096).unwrap();
    let mut o = gpu.zeros::<f16>(4096).unwrap();
    let mut refused =
        |sizes: Sizes| launch(sizes, [&x, &x, &x], &mut o).run().expect_err("does not fit").to_string();
    expect_test::expect![[r#"
        expected heads of 64, 128 or 256 elements, found 32
        help: fill heads with zeros up to the next of these, and give the scale by `.scale(…)`"#]]
    .assert_eq(&refused(Sizes { queries: 8, keys: 8, size: 32, ..SIZES }));
    expect_test::expect![[r#"
        expected one sequence or more, and as many heads as keys have, or a multiple of them, found 1 sequences, 3 heads and 2 of keys
        help: give heads of queries by `.heads(…)`, those of keys and values by `.key_heads(…)`"#]]
    .assert_eq(&refused(Sizes { heads: 3, key_heads: 2, queries: 8, keys: 8, ..SIZES }));
    expect_test::expect![[r#"
        expected at least 8 keys of a sequence, as many as its queries, for causal attention, found 4
        help: leave `.causal()` out, or give all keys"#]]
    .assert_eq(&refused(Sizes { queries: 8, keys: 4, causal: true, ..SIZES }));
    let starts = [gpu.upload(&[0u32, 8]).unwrap(), gpu.upload(&[0u32, 3, 8]).unwrap()];
    let mut o = gpu.zeros::<f16>(4096).unwrap();
    let sizes = Sizes { queries: 8, keys: 8, ..SIZES };
    let packed = launch(sizes, [&x, &x, &x], &mut o).packed(&starts[0], &starts[1], 8);
    expect_test::expect![[r#"
        expected a start for each packed sequence and the end of the last, of queries and of keys, with the heads of a token side by side, found 2 starts of queries and 3 of keys, `.sequences(1)`, and `Layout::BySequence`
        help: leave `.sequences(…)` and `.layout(…)` out, and give both lists the same length"#]].assert_eq(&packed.run().expect_err("does not fit").to_string());
    let mut o = gpu.zeros::<f16>(4096).unwrap();
    let wrong = attention(
        x.matrix(8, 64).unwrap(),
        x.matrix(8, 64).unwrap(),
        x.matrix(9, 64).unwrap(),
        o.matrix_mut(8, 64).unwrap(),
    );
    expect_test::expect![[r#"
        expected a matrix of 8 × 64 for values, of 1 sequences, 1 heads and 1 of keys, found one of 9 × 64
        help: give sequences, heads and layout as they lie in the matrices: `.sequences(…).heads(…).key_heads(…).layout(…)`"#]]
    .assert_eq(&wrong.run().expect_err("does not fit").to_string());
    let mut o = gpu.zeros::<f16>(4096).unwrap();
    let [mut of_q, mut of_k, mut of_v] = [(); 3].map(|()| gpu.zeros::<f16>(4096).unwrap());
    let mut backward = |sizes: Sizes, sums: Option<&mut DeviceBuffer<f32>>, rows: usize| {
        let call = launch(sizes, [&x, &x, &x], &mut o);
        let call = if let Some(sums) = sums { call.log_sums(sums) } else { call };
        let columns = 512 / rows;
        let outputs = [&mut of_q, &mut of_k, &mut of_v].map(|of| of.matrix_mut(rows, columns).unwrap());
        let refused = call.backward(x.matrix(8, sizes.size).unwrap(), outputs).run();
        refused.expect_err("does not fit").to_string()
    };
    let mut sums = gpu.zeros::<f32>(7).unwrap();
    expect_test::expect![[r#"
        expected the logarithms of the sums, which the forward pass writes, found none
        help: give both passes the same buffer: `.log_sums(&mut sums)`"#]]
    .assert_eq(&backward(sizes, None, 8));
    expect_test::expect![[r#"
        expected 8 logarithms of sums, of 1 sequences, 1 heads and 8 queries, found a buffer of 7
        help: make it by `gpu.zeros::<f32>(sequences * heads * queries)?`"#]]
    .assert_eq(&backward(sizes, Some(&mut sums), 8));
    expect_test::expect![[r#"
        expected a matrix of 8 × 64 for the gradient of the queries, found one of 4 × 128
        help: make it as large as what it is the gradient of"#]]
    .assert_eq(&backward(sizes, None, 4));
    let mut o = gpu.zeros::<f16>(4096).unwrap();
    let large = launch(Sizes { size: 256, ..sizes }, [&x, &x, &x], &mut o).log_sums(&mut sums);
    expect_test::expect![[r#"
        expected heads of 64 or 128 elements, of which there are logarithms of sums and gradients, found 256
        help: leave `.log_sums(…)` out"#]]
    .assert_eq(&large.run().expect_err("does not fit").to_string());
    // More rows than can be counted, of which there are none.
    let mut o_none = gpu.zeros::<f16>(0).unwrap();
    let empty = gpu.zeros::<f16>(0).unwrap();
    let none = empty.matrix(0, 64).unwrap();
    let countless = attention(none, none, none, o_none.matrix_mut(0, 64).unwrap())
        .sequences(usize::MAX)
        .heads(2)
        .key_heads(2)
        .layout(Layout::ByHead);
    expect_test::expect![[r#"
        expected fewer rows than `usize` counts, found 18446744073709551615 × 2 × 0
        help: check the sequences"#]]
    .assert_eq(&countless.run().map_or_else(|error| error.to_string(), |_| "it ran".to_owned()));
    // The product of sequences and heads is 2⁶⁴.
    let mut o = gpu.zeros::<f16>(4096).unwrap();
    let x = x.matrix(8, 64).unwrap();
    let many =
        attention(x, x, x, o.matrix_mut(8, 64).unwrap()).sequences(1 << 63).heads(2).layout(Layout::ByHead);
    expect_test::expect![[r#"
        expected a matrix of 0 × 64 for queries, of 9223372036854775808 sequences, 2 heads and 2 of keys, found one of 8 × 64
        help: give sequences, heads and layout as they lie in the matrices: `.sequences(…).heads(…).key_heads(…).layout(…)`"#]]
    .assert_eq(&many.run().expect_err("does not fit").to_string());
}
