//! Products of matrices, on every path of the tensor cores.

use half::{bf16, f16};
use kernel_runtime::prelude::Element;

use crate::harness::{close, devices, random, run};

/// Small numbers from `least` on.
fn small(count: usize, seed: u64, least: i32, range: u64) -> Vec<i32> {
    random(count).iter().map(|&value| (value / seed % range) as i32 + least).collect()
}

/// A B: A by rows, B by columns.
fn product(a: &[i32], b: &[i32], [m, n, k]: [usize; 3]) -> Vec<f64> {
    let at = |row: usize, column: usize| {
        (0..k).map(|i| f64::from(a[row * k + i]) * f64::from(b[column * k + i])).sum()
    };
    (0..m * n).map(|index| at(index / n, index % n)).collect()
}

/// Runs a kernel of two matrices and a length.
fn check<T: Element, C: Element>(
    kernel: &str,
    [m, n, k]: [usize; 3],
    (least, range): (i32, u64),
    to: impl Fn(i32) -> T,
    from: impl Fn(C) -> f64,
) {
    let (a, b) = (small(m * k, 1, least, range), small(n * k, 977, least, range));
    let expected = product(&a, &b, [m, n, k]);
    for device in devices("tensor") {
        let upload =
            |values: &[i32]| device.upload(&values.iter().map(|&value| to(value)).collect::<Vec<T>>());
        let (x, y, mut c) = (upload(&a), upload(&b), device.zeros::<C>(m * n));
        run(device.launch(kernel).arg(&x).arg(&y).arg(&mut c).arg(k as i32).grid(1).block(32));
        let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(&from).collect();
        assert_eq!(found, expected, "{kernel}");
    }
}

#[test]
fn products_of_warps() {
    let size = [16, 16, 48];
    check("wmma_half", size, (-4, 9), |v| f16::from_f32(v as f32), |c: f32| f64::from(c));
    check("wmma_half_sums", size, (-2, 5), |v| f16::from_f32(v as f32), |c: f16| c.to_f64());
    check("wmma_brain", size, (-4, 9), |v| bf16::from_f32(v as f32), |c: f32| f64::from(c));
    check("wmma_tf32", size, (-40, 81), |v| v as f32, |c: f32| f64::from(c));
    check("wmma_bytes", size, (-128, 256), |v| v as i8, |c: i32| f64::from(c));
    check("wmma_unsigned", size, (0, 256), |v| v as u8, |c: i32| f64::from(c));
    check("wmma_doubles", [8, 8, 12], (-1000, 2001), f64::from, |c: f64| c);
}

/// Columns of a matrix as rows.
fn by_rows(b: &[i32], n: usize, k: usize) -> Vec<i32> {
    (0..k * n).map(|index| b[index % n * k + index / n]).collect()
}

#[test]
fn rows_by_way_of_shared_memory() {
    let (a, b) = (small(256, 1, -5, 11), small(128, 31, -5, 11));
    for device in devices("tensor") {
        let halves =
            |values: &[i32]| values.iter().map(|&value| f16::from_f32(value as f32)).collect::<Vec<f16>>();
        let (x, y) = (device.upload(&halves(&a)), device.upload(&halves(&by_rows(&b, 8, 16))));
        let mut c = device.zeros::<f32>(128);
        run(device.launch("ldmatrix_half").arg(&x).arg(&y).arg(&mut c).grid(1).block(32));
        let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(f64::from).collect();
        assert_eq!(found, product(&a, &b, [16, 8, 16]));
    }
}

#[test]
fn products_of_bytes() {
    // e4m3: sign, 4 bits of exponent, 3 of mantissa; e5m2 likewise.
    let value = |byte: u8, exponent: i32, mantissa: i32| {
        let bias = (1 << (exponent - 1)) - 1;
        let (sign, rest) = (if byte & 0x80 == 0 { 1.0 } else { -1.0 }, i32::from(byte & 0x7f));
        let (power, fraction) = (rest >> mantissa, f64::from(rest & ((1 << mantissa) - 1)));
        let scale = f64::from(1 << mantissa);
        match power {
            0 => sign * fraction / scale * f64::from(1 - bias).exp2(),
            _ => sign * (1.0 + fraction / scale) * f64::from(power - bias).exp2(),
        }
    };
    // Exponents near 1, so that the sums are exact.
    let a: Vec<u8> = random(16 * 32).iter().map(|&value| (value as u8 & 0x87) | 0x38).collect();
    let b: Vec<u8> = random(8 * 32).iter().map(|&value| ((value >> 9) as u8 & 0x83) | 0x3c).collect();
    for device in devices("tensor") {
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
        };
        let (x, y, mut c) = (device.upload(&words(&a)), device.upload(&words(&b)), device.zeros::<f32>(128));
        run(device.launch("mma_fp8").arg(&x).arg(&y).arg(&mut c).grid(1).block(32));
        for (index, found) in c.to_vec().unwrap().into_iter().enumerate() {
            let (row, column) = (index / 8, index % 8);
            let term = |k: usize| value(a[row * 32 + k], 4, 3) * value(b[column * 32 + k], 5, 2);
            // The hardware may add with fewer bits.
            close("sum", f64::from(found), (0..32).map(term).sum(), 1e-3);
        }
    }
}

#[test]
fn products_of_few_bits() {
    let (a, b) = (small(16 * 64, 1, -8, 16), small(8 * 64, 7, 0, 16));
    let words = |values: &[i32]| -> Vec<u32> {
        let word = |part: &[i32]| part.iter().rev().fold(0, |word, &value| word << 4 | (value as u32 & 15));
        values.chunks(8).map(word).collect()
    };
    let numbers: Vec<u32> = random(16 * 8 + 8 * 8).iter().map(|&value| value as u32).collect();
    for device in devices("tensor") {
        let (x, y, mut c) = (device.upload(&words(&a)), device.upload(&words(&b)), device.zeros::<i32>(128));
        run(device.launch("mma_nibbles").arg(&x).arg(&y).arg(&mut c).grid(1).block(32));
        let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(f64::from).collect();
        assert_eq!(found, product(&a, &b, [16, 8, 64]));
        let (left, right) = numbers.split_at(128);
        let (x, y) = (device.upload(left), device.upload(right));
        run(device.launch("mma_bits").arg(&x).arg(&y).arg(&mut c).grid(1).block(32));
        let both = |row: usize, column: usize| -> u32 {
            (0..8).map(|k| (left[row * 8 + k] & right[column * 8 + k]).count_ones()).sum()
        };
        let expected: Vec<i32> = (0..128).map(|index| both(index / 8, index % 8) as i32).collect();
        assert_eq!(c.to_vec().unwrap(), expected);
    }
}

#[test]
fn half_of_the_elements_are_there() {
    let (values, b) = (small(16 * 16, 1, -5, 11), small(8 * 32, 13, -5, 11));
    // Of each four neighbours two, in order.
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let chosen: Vec<(usize, usize)> =
        random(16 * 8).iter().map(|&value| pairs[(value % 6) as usize]).collect();
    let mut a = vec![0; 16 * 32];
    for (group, &(first, second)) in chosen.iter().enumerate() {
        a[group * 4 + first] = values[group * 2];
        a[group * 4 + second] = values[group * 2 + 1];
    }
    // Lane 4g: of the first four groups of rows g and g + 8; lane 4g + 1: of the others. The rest says nothing.
    let nibble = |row: usize, group: usize| {
        let (first, second) = chosen[row * 8 + group];
        (first | second << 2) as u32
    };
    let said = |lane: usize| {
        let (g, half) = (lane / 4, lane % 4);
        let row =
            |row: usize| (0..4).fold(0, |word, index| word | nibble(row, 4 * half + index) << (4 * index));
        if half < 2 { row(g) | row(g + 8) << 16 } else { 0 }
    };
    let said: Vec<u32> = (0..32).map(said).collect();
    for device in devices("tensor") {
        let halves = |values: &[i32]| -> Vec<u32> {
            let bits = |value: i32| u32::from(f16::from_f32(value as f32).to_bits());
            values.chunks(2).map(|pair| bits(pair[0]) | bits(pair[1]) << 16).collect()
        };
        let (x, y, said) =
            (device.upload(&halves(&values)), device.upload(&halves(&b)), device.upload(&said));
        let mut c = device.zeros::<f32>(128);
        run(device.launch("mma_sparse").arg(&x).arg(&said).arg(&y).arg(&mut c).grid(1).block(32));
        let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(f64::from).collect();
        assert_eq!(found, product(&a, &b, [16, 8, 32]));
    }
}

#[test]
fn products_of_groups_of_warps() {
    for device in devices("tensor") {
        let (a, b) = (small(64 * 32, 1, -5, 11), small(16 * 32, 17, -5, 11));
        let halves =
            |values: &[i32]| values.iter().map(|&value| f16::from_f32(value as f32)).collect::<Vec<f16>>();
        let (x, y, mut c) =
            (device.upload(&halves(&a)), device.upload(&halves(&b)), device.zeros::<f32>(64 * 16));
        run(device.launch("wgmma_half").arg(&x).arg(&y).arg(&mut c).grid(1).block(128));
        let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(f64::from).collect();
        assert_eq!(found, product(&a, &b, [64, 16, 32]));

        let (a, b) = (small(64 * 16, 1, -5, 11), small(8 * 16, 17, -5, 11));
        let brains =
            |values: &[i32]| values.iter().map(|&value| bf16::from_f32(value as f32)).collect::<Vec<bf16>>();
        let (x, y) = (device.upload(&brains(&a)), device.upload(&brains(&by_rows(&b, 8, 16))));
        let mut c = device.zeros::<f32>(64 * 8);
        run(device.launch("wgmma_brain_registers").arg(&x).arg(&y).arg(&mut c).grid(1).block(128));
        let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(f64::from).collect();
        let expected: Vec<f64> = product(&a, &b, [64, 8, 16]).into_iter().map(|value| 1.0 - value).collect();
        assert_eq!(found, expected);

        let (a, b) = (small(64 * 32, 1, -128, 256), small(8 * 32, 17, 0, 256));
        let x = device.upload(&a.iter().map(|&value| value as i8).collect::<Vec<i8>>());
        let y = device.upload(&b.iter().map(|&value| value as u8).collect::<Vec<u8>>());
        let mut c = device.zeros::<i32>(64 * 8);
        run(device.launch("wgmma_bytes").arg(&x).arg(&y).arg(&mut c).grid(1).block(128));
        let found: Vec<f64> = c.to_vec().unwrap().into_iter().map(f64::from).collect();
        assert_eq!(found, product(&a, &b, [64, 8, 32]));
    }
}
