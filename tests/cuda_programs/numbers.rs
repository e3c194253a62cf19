//! Halves, bytes, 128 bits, carries, rounding modes, the mathematical library.

use crate::harness::{close, devices, random, run};

fn f16(value: f32) -> u16 {
    half::f16::from_f32(value).to_bits()
}

#[test]
fn functions_of_halves() {
    for device in devices("numbers") {
        let values: Vec<f32> = (0..32).map(|i| 0.25 + 0.125 * i as f32).collect();
        let pair = |low: f32, high: f32| u32::from(f16(low)) | u32::from(f16(high)) << 16;
        let words: Vec<u32> = values.iter().map(|&v| pair(v, v + 1.0)).collect();
        let (x, mut y) = (device.upload(&words), device.zeros::<u32>(32 * 8));
        run(device.launch("half_functions").arg(&x).arg(&mut y).grid(1).block(32));
        let found = y.to_vec().unwrap();
        for (i, found) in found.chunks(8).enumerate() {
            for (part, shift) in [(0.0, 0), (1.0, 16)] {
                let v = values[i] + part;
                let expected = [
                    v.sqrt(),
                    (v * v - 4.0).max(0.0),
                    v.max(if shift == 0 { 1.5 } else { 2.5 }),
                    f32::from(half::f16::from_f32(v * 1.25)).round_ties_even(),
                    (v - 1.0).clamp(0.0, 1.0),
                    v.log2().ceil(),
                    -(v - 3.0).abs(),
                    if v > 2.0 { 1.0 } else { 0.0 },
                ];
                for (index, expected) in expected.into_iter().enumerate() {
                    let found = half::f16::from_bits((found[index] >> shift) as u16);
                    close(&format!("function {index} of {v}"), found.to_f64(), f64::from(expected), 1e-3);
                }
            }
        }
    }
}

#[test]
fn functions_of_brain_floats() {
    for device in devices("numbers") {
        let values: Vec<half::bf16> = (0..32).map(|i| half::bf16::from_f32(0.25 * i as f32 - 2.0)).collect();
        let bits: Vec<u16> = values.iter().map(|value| value.to_bits()).collect();
        let (x, mut y) = (device.upload(&bits), device.zeros::<f32>(32 * 6));
        run(device.launch("brain_functions").arg(&x).arg(&mut y).grid(1).block(32));
        let found = y.to_vec().unwrap();
        for (value, found) in values.iter().zip(found.chunks(6)) {
            let (v, round) = (value.to_f32(), |value: f32| half::bf16::from_f32(value).to_f32());
            let expected = [
                round(v * v + v),
                round(v * 3.0),
                v.min(1.5),
                round(v + 0.125),
                v / 4.0,
                if v < 2.0 { 1.0 } else { 0.0 },
            ];
            assert_eq!(found, expected, "{v}");
        }
    }
}

/// The nearest value of a format with so many bits of exponent and mantissa, ties to even, what is too large as `most`.
fn small_float(x: f32, exponent: i32, mantissa: i32, most: f64) -> f64 {
    let bias = (1 << (exponent - 1)) - 1;
    let x = f64::from(x);
    let power = (x.abs().log2().floor() as i32).max(1 - bias);
    let unit = f64::from(power - mantissa).exp2();
    ((x / unit).round_ties_even() * unit).clamp(-most, most)
}

#[test]
fn floats_in_bytes() {
    for device in devices("numbers") {
        let values: Vec<f32> =
            (0..64).map(|i| 1.37f32.powi(i - 30) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let (x, mut y, mut raw) = (device.upload(&values), device.zeros::<f32>(128), device.zeros::<u32>(64));
        run(device.launch("bytes_of_floats").arg(&x).arg(&mut y).arg(&mut raw).grid(1).block(64));
        let (found, raw) = (y.to_vec().unwrap(), raw.to_vec().unwrap());
        for (i, &value) in values.iter().enumerate() {
            assert_eq!(f64::from(found[2 * i]), small_float(value, 4, 3, 448.0), "{value} as e4m3");
            assert_eq!(f64::from(found[2 * i + 1]), small_float(value, 5, 2, 57344.0), "{value} as e5m2");
            // The second of the four is the first with the other sign.
            assert_eq!(raw[i] & 0xff ^ 0x80, raw[i] >> 8 & 0xff, "{value} as four");
        }
    }
}

#[test]
fn numbers_of_128_bits() {
    for device in devices("numbers") {
        let (a, b) = (random(64), random(128)[64..].to_vec());
        let (x, y, mut out) = (device.upload(&a), device.upload(&b), device.zeros::<u64>(64 * 8));
        run(device.launch("wide_numbers").arg(&x).arg(&y).arg(&mut out).grid(1).block(64));
        let found = out.to_vec().unwrap();
        for (i, found) in found.chunks(8).enumerate() {
            let (a, b) = (u128::from(a[i]), u128::from(b[i]));
            let (product, difference) = (a * b, a as i128 - b as i128);
            let expected = [
                product,
                (difference >> (i & 63)) as u128,
                product % 1_000_000_007 + u128::from(difference < 0),
                product << (i + 7) | product >> 64,
            ];
            let found: Vec<u128> =
                found.chunks(2).map(|half| u128::from(half[1]) << 64 | u128::from(half[0])).collect();
            assert_eq!(found, expected, "thread {i}");
        }
    }
}

#[test]
fn sums_of_256_bits() {
    for device in devices("numbers") {
        let words: Vec<u32> =
            random(512).iter().map(|&value| if value % 4 == 0 { u32::MAX } else { value as u32 }).collect();
        let (a, b) = words.split_at(256);
        let (x, y) = (device.upload(a), device.upload(b));
        let (mut sum, mut difference) = (device.zeros::<u32>(256), device.zeros::<u32>(256));
        let launch = device.launch("long_sums").arg(&x).arg(&y).arg(&mut sum).arg(&mut difference);
        run(launch.grid(1).block(32));
        let (sum, difference) = (sum.to_vec().unwrap(), difference.to_vec().unwrap());
        for start in (0..256).step_by(8) {
            let (mut carry, mut borrow) = (0i64, 0i64);
            for i in start..start + 8 {
                carry += i64::from(a[i]) + i64::from(b[i]);
                borrow += i64::from(a[i]) - i64::from(b[i]);
                assert_eq!((sum[i], difference[i]), (carry as u32, borrow as u32));
                (carry, borrow) = (carry >> 32, borrow >> 32);
            }
        }
    }
}

#[test]
fn digests_of_sha256() {
    for device in devices("numbers") {
        let texts: Vec<String> =
            (0..32).map(|i| "abc".repeat(i % 8) + if i == 1 { "" } else { "x" }).collect();
        let mut words = Vec::new();
        for text in ["abc", ""].into_iter().chain(texts.iter().map(String::as_str)).take(32) {
            let mut block = text.as_bytes().to_vec();
            block.push(0x80);
            block.resize(56, 0);
            block.extend((8 * text.len() as u64).to_be_bytes());
            words.extend(block.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())));
        }
        let (x, mut y) = (device.upload(&words), device.zeros::<u32>(32 * 8));
        run(device.launch("sha256").arg(&x).arg(&mut y).grid(1).block(32));
        let found = y.to_vec().unwrap();
        let hexadecimal =
            |digest: &[u32]| digest.iter().map(|word| format!("{word:08x}")).collect::<String>();
        // FIPS 180-4, and the digest of nothing.
        assert_eq!(
            hexadecimal(&found[..8]),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            hexadecimal(&found[8..16]),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}

#[test]
fn several_numbers_in_a_word() {
    for device in devices("numbers") {
        let words: Vec<u32> = random(128).iter().map(|&value| value as u32).collect();
        let (a, b) = words.split_at(64);
        let (x, y, mut out) = (device.upload(a), device.upload(b), device.zeros::<u32>(64 * 14));
        run(device.launch("in_a_word").arg(&x).arg(&y).arg(&mut out).grid(1).block(64));
        let found = out.to_vec().unwrap();
        for ((&a, &b), found) in a.iter().zip(b).zip(found.chunks(14)) {
            let bytes = |f: &dyn Fn(u8, u8) -> u8| {
                let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
                u32::from_le_bytes(std::array::from_fn(|i| f(a[i], b[i])))
            };
            let halves = |f: &dyn Fn(i16, i16) -> i16| {
                let part = |shift: u32| f((a >> shift) as i16, (b >> shift) as i16) as u16;
                u32::from(part(0)) | u32::from(part(16)) << 16
            };
            let dot = |signed: bool, start: i32| {
                let byte = |value: u8| if signed { i32::from(value as i8) } else { i32::from(value) };
                let products =
                    a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| byte(a) * byte(b));
                (start + products.sum::<i32>()) as u32
            };
            let sad =
                a.to_le_bytes().iter().zip(b.to_le_bytes()).map(|(a, b)| u32::from(a.abs_diff(b))).sum();
            let low = i32::from(a as i16) * i32::from(b as i8)
                + i32::from((a >> 16) as i16) * i32::from((b >> 8) as i8);
            let expected = [
                bytes(&u8::wrapping_add),
                bytes(&u8::saturating_sub),
                bytes(&u8::abs_diff),
                halves(&|a, b| a.max(b)),
                bytes(&|a, b| if a > b { 0xff } else { 0 }),
                bytes(&|a, b| u16::midpoint(u16::from(a), u16::from(b) + 1) as u8),
                dot(true, 7),
                dot(false, 7),
                sad,
                (low - 3) as u32,
                halves(&|a, b| a.min(b)),
                ((a as i32).wrapping_add(b as i32)).max(5) as u32,
                (a as i32).max(b as i32).max(9) as u32,
                halves(&i16::saturating_add),
            ];
            assert_eq!(found, expected, "{a:#x} and {b:#x}");
        }
    }
}

/// Returns true if a rounded result lies on the side of the exact one that its mode asks for: the sign of exact minus
/// found tells on which side the exact one is.
fn rounds(mode: usize, found: f64, exactly_minus_found: f64) -> bool {
    match mode {
        // To zero.
        1 => exactly_minus_found == 0.0 || (exactly_minus_found > 0.0) == (found > 0.0) || found == 0.0,
        2 => exactly_minus_found <= 0.0,
        3 => exactly_minus_found >= 0.0,
        _ => true,
    }
}

#[test]
fn every_rounding_mode() {
    let numbers = random(128);
    let single: Vec<f32> = numbers
        .iter()
        .map(|&n| (1.0 + (n % 9973) as f32 / 9973.0) * f32::exp2((n >> 60) as f32 - 6.0))
        .collect();
    let double: Vec<f64> = numbers.iter().map(|&n| 1.0 + (n % 999_983) as f64 / 999_983.0).collect();
    let ((a, b), (c, d)) = (single.split_at(64), double.split_at(64));
    for device in devices("numbers") {
        let (x, y, mut f) = (device.upload(a), device.upload(b), device.zeros::<f32>(64 * 24));
        let (u, v, mut g) = (device.upload(c), device.upload(d), device.zeros::<f64>(64 * 12));
        let launch = device.launch("roundings").arg(&x).arg(&y).arg(&mut f).arg(&u).arg(&v).arg(&mut g);
        run(launch.grid(1).block(64));
        let (f, g) = (f.to_vec().unwrap(), g.to_vec().unwrap());
        for (i, f) in f.chunks(24).enumerate() {
            let (x, y) = (f64::from(a[i]), f64::from(b[i]));
            for mode in 0..4 {
                // In f64 these are exact, or far more exact than the difference that counts.
                let found = |operation: usize| f64::from(f[4 * operation + mode]);
                let sides = [
                    (x + y) - found(0),
                    x * y - found(1),
                    x.mul_add(y, x) - found(2),
                    x - found(3) * y,
                    x - found(4) * found(4),
                    1.0 - found(5) * x,
                ];
                for (operation, side) in sides.into_iter().enumerate() {
                    assert!(
                        rounds(mode, found(operation), side),
                        "operation {operation}, mode {mode} of {x}, {y}"
                    );
                    assert!(side.abs() <= 1e-6 * found(operation).abs().max(1.0) * y.max(x).max(1.0));
                }
                if mode == 0 {
                    let expected = [
                        a[i] + b[i],
                        a[i] * b[i],
                        a[i].mul_add(b[i], a[i]),
                        a[i] / b[i],
                        a[i].sqrt(),
                        1.0 / a[i],
                    ];
                    (0..6).for_each(|operation| assert_eq!(found(operation), f64::from(expected[operation])));
                }
            }
        }
        for (i, g) in g.chunks(12).enumerate() {
            let (u, v) = (c[i], d[i]);
            // Both neighbours of what is exact, to zero below and up above, as everything is positive.
            let (sum, product, fused) = (u + v, u * v, u.mul_add(v, u));
            for (found, nearest) in [(&g[..3], sum), (&g[3..6], product), (&g[6..9], fused)] {
                assert_eq!(found[0], found[2]);
                assert!(found[0] == found[1] || found[0].next_up() == found[1]);
                assert!(nearest == found[0] || nearest == found[1]);
            }
            assert_eq!(g[9..], [u / v, u.sqrt(), 1.0 / v]);
        }
    }
}

#[test]
fn conversions_of_numbers() {
    let special: [f64; 16] =
        [0.5, 1.5, -0.5, 2.5, -2.5, 1e9, -3e9, 5e9, 0.1, -0.1, 255.7, -128.3, 65535.6, 1e12, -7.0, 33.3];
    for device in devices("numbers") {
        let (x, mut out) = (device.upload(&special), device.zeros::<i64>(16 * 16));
        run(device.launch("conversions").arg(&x).arg(&mut out).grid(1).block(16));
        let found = out.to_vec().unwrap();
        for (&x, found) in special.iter().zip(found.chunks(16)) {
            let y = x as f32;
            let floor = x.floor() as i64;
            let ints = [
                i64::from(y.round_ties_even() as i32),
                i64::from(y as i32),
                i64::from(y.ceil() as i32),
                i64::from(y.floor() as i32),
                i64::from(x.round_ties_even() as i32),
                i64::from(x as u32),
                x.ceil() as i64,
                floor,
                x as u64 as i64,
                i64::from(y.round_ties_even() as u32),
            ];
            assert_eq!(found[..10], ints, "{x}");
            let up = f64::from_bits(found[12] as u64);
            assert!(
                up as i128 >= i128::from(floor) * 1_234_567
                    && (up.next_down().floor() as i128) < i128::from(floor) * 1_234_567
            );
            let (above, below) = (f32::from_bits(found[14] as u32), f32::from_bits(found[15] as u32));
            assert!(
                f64::from(below) <= x
                    && x <= f64::from(above)
                    && (above == below || below.next_up() == above)
            );
        }
    }
}

#[test]
fn more_of_the_library() {
    let values: Vec<f64> = (0..48).map(|i| f64::from(i) * 0.121 - 2.9).collect();
    for device in devices("numbers") {
        let n = values.len();
        let (x, mut y, mut singles) =
            (device.upload(&values), device.zeros::<f64>(16 * n), device.zeros::<f32>(12 * n));
        let launch = device.launch("library").arg(&x).arg(&mut y).arg(&mut singles).arg(n as i32);
        run(launch.grid(1).block(64));
        let (found, singles) = (y.to_vec().unwrap(), singles.to_vec().unwrap());
        for (i, &v) in values.iter().enumerate() {
            let o = &found[16 * i..][..16];
            let expected = [
                libm::lgamma(v + 3.5),
                libm::tgamma(v + 3.5),
                libm::erfc(v),
                // The inverse is tried the other way round.
                o[3],
                0.5 * libm::erfc(-v / std::f64::consts::SQRT_2),
                libm::j0(v),
                libm::y1(v + 4.0),
                v.asinh(),
                (v + 4.0).acosh(),
                (v / 4.0).atanh(),
                v.exp_m1(),
                (v + 3.2).ln_1p(),
                1.0 / (v + 4.0).cbrt(),
                (std::f64::consts::PI * v).sin(),
                v % 0.37,
                libm::remainder(v, 0.37),
            ];
            for (index, expected) in expected.into_iter().enumerate() {
                close(&format!("function {index} of {v}"), o[index], expected, 1e-12);
            }
            close("erfc(erfcinv)", libm::erfc(o[3]), 0.3 + 0.1 * v, 1e-12);
            let (s, w) = (&singles[12 * i..][..12], f64::from(v as f32));
            let expected = [
                (w + 4.0).log2(),
                10f64.powf(w),
                w.atan2(-1.5),
                (w / 4.0).asin(),
                w.sinh(),
                (std::f64::consts::PI * w).cos(),
                1.0 / (w * w + 5.0).sqrt(),
                w * 32.0,
                f64::from((v as f32).next_up()),
                f64::from((v as f32 * 3.0).round()),
                w.exp(),
                (w + 4.0).ln(),
            ];
            for (index, expected) in expected.into_iter().enumerate() {
                close(&format!("single function {index} of {v}"), f64::from(s[index]), expected, 2e-6);
            }
        }
    }
}
