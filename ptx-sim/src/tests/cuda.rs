//! CUDA programs, compiled to PTX by nvcc 13.0 (`cuda/regenerate.sh`), against the CPU. All run under the sanitizer.

use super::*;

const ALGORITHMS: &str = include_str!("cuda/algorithms.ptx");

/// A buffer of the host that a kernel gets.
trait Data {
    fn bytes(&self) -> Vec<u8>;
    fn set(&mut self, bytes: &[u8]);
}

macro_rules! data {
    ($($ty:ty),*) => {$(
        impl Data for Vec<$ty> {
            fn bytes(&self) -> Vec<u8> {
                self.iter().flat_map(|value| value.to_le_bytes()).collect()
            }
            fn set(&mut self, bytes: &[u8]) {
                let chunks = bytes.chunks_exact(size_of::<$ty>());
                *self = chunks.map(|chunk| <$ty>::from_le_bytes(chunk.try_into().unwrap())).collect();
            }
        }
    )*};
}

data!(u8, u16, i32, u32, f32, f64, u128);

/// An argument of a kernel.
enum Arg<'a> {
    Buffer(&'a mut dyn Data),
    Int(i32),
    Word(u32),
}

use Arg::{Buffer, Int, Word};

/// Runs a kernel and copies the buffers back; the sanitizer must find nothing.
fn launch_kernel(name: &str, grid: [u32; 2], block: [u32; 2], shared: u32, arguments: &mut [Arg<'_>]) {
    use std::sync::OnceLock;
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| Program::load(ALGORITHMS).unwrap_or_else(|error| panic!("{error}")));
    let kernel = program.kernel(name).unwrap_or_else(|| panic!("no kernel {name}"));
    let memory = Memory::new();
    let mut params: Vec<u8> = Vec::new();
    let mut addresses = Vec::new();
    for (argument, parameter) in arguments.iter().zip(&program.info(kernel).parameters) {
        params.resize(parameter.offset as usize, 0);
        match argument {
            Buffer(data) => {
                let bytes = data.bytes();
                let address = memory.allocate(bytes.len() as u64, 16);
                memory.write(address, &bytes).unwrap();
                params.extend_from_slice(&address.to_le_bytes());
                addresses.push((address, bytes.len()));
            }
            Int(value) => params.extend_from_slice(&value.to_le_bytes()),
            Word(value) => params.extend_from_slice(&value.to_le_bytes()),
        }
    }
    let config =
        LaunchConfig { grid: [grid[0], grid[1], 1], block: [block[0], block[1], 1], dynamic_shared: shared };
    let outcome = run(program, kernel, &memory, &config, &params, &Options::default());
    outcome.result.unwrap_or_else(|fault| panic!("{name}: {fault}"));
    let found: Vec<String> = outcome.reports.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{name}: {}", found.join("\n"));
    let mut addresses = addresses.into_iter();
    for argument in arguments {
        if let Buffer(data) = argument {
            let (address, bytes) = addresses.next().unwrap();
            let mut raw = vec![0; bytes];
            memory.read(address, &mut raw).unwrap();
            data.set(&raw);
        }
    }
}

/// Numbers that look random.
fn random(count: usize) -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
    .take(count)
}

#[test]
fn a_product_of_matrices() {
    let n = 48;
    let mut a: Vec<f32> = (0..n * n).map(|i| (i % 11) as f32 - 5.0).collect();
    let mut b: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 * 0.5).collect();
    let mut c = vec![0f32; n * n];
    let (left, right) = (a.clone(), b.clone());
    let arguments = &mut [Buffer(&mut a), Buffer(&mut b), Buffer(&mut c), Int(n as i32)];
    launch_kernel("product", [3, 3], [16, 16], 0, arguments);
    for row in 0..n {
        for column in 0..n {
            let sum: f32 = (0..n).map(|k| left[row * n + k] * right[k * n + column]).sum();
            assert_eq!(c[row * n + column], sum);
        }
    }
}

#[test]
fn a_transpose() {
    let n = 64;
    let mut x: Vec<i32> = (0..n * n).collect();
    let mut y = vec![0; (n * n) as usize];
    launch_kernel("transpose", [2, 2], [32, 8], 0, &mut [Buffer(&mut x), Buffer(&mut y), Int(n)]);
    assert!((0..n * n).all(|i| y[i as usize] == i % n * n + i / n));
}

#[test]
fn sorts() {
    let mut data: Vec<i32> = random(256).map(|value| value as i32).collect();
    let mut expected = data.clone();
    expected.sort_unstable();
    launch_kernel("bitonic", [1, 1], [128, 1], 1024, &mut [Buffer(&mut data)]);
    assert_eq!(data, expected);
    let mut data: Vec<u32> = random(256).map(|value| value as u32).collect();
    let mut expected = data.clone();
    expected.sort_unstable();
    launch_kernel("cub_sort", [1, 1], [64, 1], 0, &mut [Buffer(&mut data)]);
    assert_eq!(data, expected);
}

#[test]
fn a_histogram() {
    let mut x: Vec<u8> = random(5000).map(|value| (value % 97) as u8).collect();
    let mut bins = vec![0u32; 256];
    let mut expected = vec![0u32; 256];
    x.iter().for_each(|&value| expected[usize::from(value)] += 1);
    let count = x.len() as i32;
    launch_kernel("histogram", [4, 1], [128, 1], 0, &mut [Buffer(&mut x), Buffer(&mut bins), Int(count)]);
    assert_eq!(bins, expected);
}

#[test]
fn reductions_and_scans_of_cub() {
    let mut x: Vec<i32> = random(512).map(|value| (value % 1000) as i32 - 500).collect();
    let mut sums = vec![0; 4];
    launch_kernel("cub_reduce", [4, 1], [128, 1], 0, &mut [Buffer(&mut x), Buffer(&mut sums)]);
    let expected: Vec<i32> = x.chunks(128).map(|part| part.iter().sum()).collect();
    assert_eq!(sums, expected);
    let mut total = 0;
    let expected: Vec<i32> = x
        .iter()
        .map(|value| {
            total += value;
            total
        })
        .collect();
    launch_kernel("cub_scan", [1, 1], [128, 1], 0, &mut [Buffer(&mut x)]);
    assert_eq!(x, expected);
}

#[test]
fn the_last_block_adds_what_the_others_left() {
    let mut x: Vec<f32> = (0..3000).map(|i| (i % 13) as f32).collect();
    let expected: f32 = x.iter().sum();
    let (mut partial, mut result) = (vec![0f32; 8], vec![0f32]);
    let arguments = &mut [Buffer(&mut x), Buffer(&mut partial), Buffer(&mut result), Int(3000)];
    launch_kernel("last_block", [8, 1], [64, 1], 0, arguments);
    assert_eq!(result, [expected]);
}

/// Compares within so many parts of the value.
fn close(name: &str, x: f64, found: f64, expected: f64, bound: f64) {
    let error = (found - expected).abs() / expected.abs().max(1e-3);
    assert!(error <= bound, "{name}({x}): {found} instead of {expected}");
}

/// The error function, by its series.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn functions_of_the_library() {
    let mut x: Vec<f64> = (-40..40).map(|i| f64::from(i) * 0.087 + 0.01).collect();
    let mut y = vec![0f64; 8 * x.len()];
    let count = x.len() as i32;
    launch_kernel("mathematics", [1, 1], [128, 1], 0, &mut [Buffer(&mut x), Buffer(&mut y), Int(count)]);
    for (&v, y) in x.iter().zip(y.chunks(8)) {
        let expected = [
            v.sin(),
            v.exp(),
            (v.abs() + 1e-3).ln(),
            v.abs().powf(1.7),
            v.tanh(),
            erf(v),
            v.cbrt(),
            v.atan2(2.5),
        ];
        for (index, expected) in expected.into_iter().enumerate() {
            close(&format!("function {index}"), v, y[index], expected, 1e-10);
        }
    }
    let mut x: Vec<f32> = x.iter().map(|&v| v as f32).collect();
    let mut y = vec![0f32; 8 * x.len()];
    launch_kernel("singles", [1, 1], [128, 1], 0, &mut [Buffer(&mut x), Buffer(&mut y), Int(count)]);
    for (&v, y) in x.iter().zip(y.chunks(8)) {
        let wide = f64::from(v);
        let expected = [
            wide.sin(),
            wide.exp(),
            (f64::from(v.abs() + 1e-3)).ln(),
            wide.abs().powf(f64::from(1.7f32)),
            wide.tan(),
            erf(wide),
            f64::from(v % 0.7f32),
            wide.hypot(2.5),
        ];
        for (index, expected) in expected.into_iter().enumerate() {
            close(&format!("single function {index}"), wide, f64::from(y[index]), expected, 1e-5);
        }
    }
}

#[test]
fn halves_two_at_once() {
    // a = (2, 3); x = (1, i), y = (0.5, 1): exact in f16 for small i.
    let f16 = |value: u32| -> u32 {
        let top = 31 - value.leading_zeros();
        (top + 15) << 10 | (value << (10 - top)) & 0x3ff
    };
    let mut x: Vec<u32> = (1..=32).map(|i| f16(1) | f16(i) << 16).collect();
    let mut y = vec![0x3800 | f16(1) << 16; 32];
    launch_kernel(
        "halves",
        [1, 1],
        [32, 1],
        0,
        &mut [Word(f16(2) | f16(3) << 16), Buffer(&mut x), Buffer(&mut y)],
    );
    let expected: Vec<u32> = (1..=32).map(|i| 0x4100 | f16(3 * i + 1) << 16).collect();
    assert_eq!(y, expected);
}

#[test]
fn division_of_128_bits() {
    let wide = |values: Vec<u64>| -> Vec<u128> {
        values.chunks(2).map(|pair| u128::from(pair[0]) << 64 | u128::from(pair[1])).collect()
    };
    let mut a = wide(random(128).collect());
    let mut b = wide(random(192).skip(64).collect());
    b.iter_mut().enumerate().for_each(|(index, value)| *value >>= 2 * (index % 60));
    let expected: Vec<u128> = a.iter().zip(&b).map(|(a, b)| (a / b) ^ (a % b)).collect();
    launch_kernel("divide", [1, 1], [64, 1], 0, &mut [Buffer(&mut a), Buffer(&mut b)]);
    assert_eq!(b, expected);
}

#[test]
fn calls_that_only_a_stack_can_do() {
    let mut x = vec![0u32; 12];
    launch_kernel("recursion", [1, 1], [12, 1], 0, &mut [Buffer(&mut x)]);
    assert_eq!(x, [1, 2, 3, 4, 2, 3, 4, 5, 3, 5, 7, 9]);
    let mut x: Vec<f32> = (0..32).map(|i| i as f32).collect();
    launch_kernel("virtual_calls", [1, 1], [32, 1], 0, &mut [Buffer(&mut x)]);
    let expected: Vec<f32> = (0..32).map(|i| (i * i * if i % 3 == 0 { 1 } else { 3 }) as f32).collect();
    assert_eq!(x, expected);
    let mut sums = vec![0; 32];
    launch_kernel("lists", [1, 1], [32, 1], 0, &mut [Int(10), Buffer(&mut sums)]);
    assert_eq!(sums, (0..32).map(|i| 45 + 10 * i).collect::<Vec<i32>>());
}
