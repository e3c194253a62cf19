//! Sorts, transforms, simulations, tables of functions, printing.

use std::f64::consts::TAU;

use crate::harness::{close, devices, random, run};

#[test]
fn sorts_by_merging() {
    for device in devices("algorithms") {
        let data: Vec<i32> = random(4096).iter().map(|&value| value as i32 % 1000).collect();
        let (x, mut y) = (device.upload(&data), device.zeros::<i32>(4096));
        run(device.launch("merge_sort").arg(&x).arg(&mut y).grid(4).block(256));
        let mut expected = data;
        expected.chunks_mut(1024).for_each(<[i32]>::sort);
        assert_eq!(y.to_vec().unwrap(), expected);
    }
}

#[test]
fn transforms_of_fourier() {
    for device in devices("algorithms") {
        let data: Vec<f32> = random(1024).iter().map(|&value| (value % 200) as f32 / 100.0 - 1.0).collect();
        let mut x = device.upload(&data);
        run(device.launch("fourier").arg(&mut x).grid(2).block(128));
        let found = x.to_vec().unwrap();
        for (data, found) in data.chunks(512).zip(found.chunks(512)) {
            for k in 0..256 {
                let (mut real, mut imaginary) = (0.0, 0.0);
                for (n, pair) in data.chunks(2).enumerate() {
                    let (sine, cosine) = (-TAU * (k * n % 256) as f64 / 256.0).sin_cos();
                    real += f64::from(pair[0]) * cosine - f64::from(pair[1]) * sine;
                    imaginary += f64::from(pair[0]) * sine + f64::from(pair[1]) * cosine;
                }
                close("real part", f64::from(found[2 * k]), real, 1e-4);
                close("imaginary part", f64::from(found[2 * k + 1]), imaginary, 1e-4);
            }
        }
    }
}

#[test]
fn bodies_attract_each_other() {
    for device in devices("algorithms") {
        let body: Vec<f32> = random(4 * 128).iter().map(|&value| (value % 64) as f32 / 16.0).collect();
        let (x, mut y) = (device.upload(&body), device.zeros::<f32>(4 * 128));
        run(device.launch("bodies").arg(&x).arg(&mut y).arg(128).grid(2).block(64).shared(64 * 16));
        let found = y.to_vec().unwrap();
        for (me, found) in body.chunks(4).zip(found.chunks(4)) {
            let mut sum = [0f64; 3];
            for other in body.chunks(4) {
                let d: [f64; 3] = std::array::from_fn(|axis| f64::from(other[axis]) - f64::from(me[axis]));
                let inverse = 1.0 / (d.iter().map(|d| d * d).sum::<f64>() + 0.01).sqrt();
                (0..3).for_each(|axis| sum[axis] += d[axis] * f64::from(other[3]) * inverse.powi(3));
            }
            (0..3).for_each(|axis| close("acceleration", f64::from(found[axis]), sum[axis], 1e-4));
        }
    }
}

#[test]
fn the_set_of_mandelbrot() {
    let (width, height) = (60, 44);
    for device in devices("algorithms") {
        let mut out = device.zeros::<u8>((width * height) as usize);
        let launch = device.launch("mandelbrot").arg(&mut out).arg(width).arg(height);
        run(launch.grid((4, 6)).block((16, 8)));
        let found = out.to_vec().unwrap();
        let steps = |x: i32, y: i32| {
            let cx = -2.0 + 3.0 * f64::from(x) / f64::from(width);
            let cy = -1.5 + 3.0 * f64::from(y) / f64::from(height);
            let (mut zx, mut zy, mut n) = (0f64, 0f64, 0);
            while n < 200 && zx * zx + zy * zy < 4.0 {
                (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
                n += 1;
            }
            n
        };
        // nvcc contracts to fma: near the edge of the set the number of steps may differ.
        let expected = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| steps(x, y));
        let different =
            expected.zip(&found).filter(|(expected, found)| *expected != i32::from(**found)).count();
        assert!(different <= found.len() / 100, "{different} of {}", found.len());
    }
}

#[test]
fn the_game_of_life() {
    for device in devices("algorithms") {
        let rows = 100;
        let cells: Vec<u32> = random(rows).iter().map(|&value| value as u32 & (value >> 32) as u32).collect();
        let (x, mut y) = (device.upload(&cells), device.zeros::<u32>(rows));
        run(device.launch("life").arg(&x).arg(&mut y).arg(rows as i32).grid(4).block(32));
        let alive = |row: usize, column: usize| cells[row % rows] >> (column % 32) & 1;
        let next = |row: usize| {
            (0..32).fold(0u32, |word, column| {
                let mut around = 0;
                for dr in [rows - 1, 0, 1] {
                    for dc in [31, 0, 1] {
                        around += alive(row + dr, column + dc);
                    }
                }
                let here = alive(row, column);
                word | u32::from(around - here == 3 || (around - here == 2 && here == 1)) << column
            })
        };
        assert_eq!(y.to_vec().unwrap(), (0..rows).map(next).collect::<Vec<u32>>());
    }
}

#[test]
fn a_stencil_with_a_halo() {
    for device in devices("algorithms") {
        let plane: Vec<f32> = random(1024).iter().map(|&value| (value % 256) as f32).collect();
        let mut x = device.upload(&plane);
        run(device.launch("stencil").arg(&mut x).arg(3).grid(1).block((32, 32)));
        let mut now = plane;
        for _ in 0..3 {
            let at = |x: i32, y: i32| {
                let inside = (0..32).contains(&x) && (0..32).contains(&y);
                if inside { now[(y * 32 + x) as usize] } else { 0.0 }
            };
            let next = (0..1024)
                .map(|i| (i % 32, i / 32))
                .map(|(x, y)| 0.25 * (at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y)));
            now = next.collect();
        }
        assert_eq!(x.to_vec().unwrap(), now);
    }
}

#[test]
fn a_machine_with_a_table_of_jumps() {
    // x x * 3 - dup 9 ^ + …; where the number is odd, a part is left out.
    let program: &[u8] = &[0, 0, 4, 1, 3, 3, 5, 9, 2, 5, 7, 3, 1, 100, 2, 1, 7, 6, 3, 8];
    for device in devices("algorithms") {
        let (text, mut out) = (device.upload(program), device.zeros::<i32>(64));
        run(device.launch("machine").arg(&text).arg(program.len() as i32).arg(&mut out).grid(1).block(64));
        let expected: Vec<i32> = (0..64).map(|x| machine(program, x)).collect();
        assert_eq!(out.to_vec().unwrap(), expected);
    }
}

fn machine(program: &[u8], x: i32) -> i32 {
    let (mut stack, mut at) = (Vec::new(), 0);
    while at < program.len() {
        let mut pop = || stack.pop().unwrap_or(0);
        match program[at] {
            0 => stack.push(x),
            1 => {
                at += 1;
                stack.push(i32::from(program[at]));
            }
            operation @ 2..=4 => {
                let (b, a) = (pop(), pop());
                stack.push(match operation {
                    2 => a + b,
                    3 => a - b,
                    _ => a * b,
                });
            }
            5 => {
                let a = pop();
                stack.extend([a, a]);
            }
            6 => {
                let (b, a) = (pop(), pop());
                stack.extend([b, a]);
            }
            7 => {
                if pop() & 1 == 1 {
                    at += usize::from(program[at + 1]);
                }
                at += 1;
            }
            8 => {
                let a = pop();
                stack.push(-a);
            }
            _ => {
                let a = pop();
                stack.push(a ^ a << 1);
            }
        }
        at += 1;
    }
    stack.pop().unwrap_or(0)
}

#[test]
fn a_table_of_functions() {
    for device in devices("algorithms") {
        let data: Vec<f32> = (0..32).map(|i| i as f32).collect();
        let mut x = device.upload(&data);
        run(device.launch("table_of_functions").arg(&mut x).grid(1).block(32));
        let functions: [fn(f32) -> f32; 3] = [|x| x * x, |x| x * x * x, |x| x / 2.0];
        let expected: Vec<f32> = data.iter().enumerate().map(|(i, x)| functions[i % 3](*x)).collect();
        assert_eq!(x.to_vec().unwrap(), expected);
    }
}

#[test]
fn printing() {
    for device in devices("algorithms") {
        let report = run(device.launch("prints").arg(2).grid(2).block(32));
        // A GPU prints to the standard output only.
        let Some(printed) = report.printed else { continue };
        let mut lines: Vec<&str> = printed.lines().collect();
        lines.sort_unstable();
        let expected = [
            "block 0 thread 0:  0.00 text a 0 ff%",
            "block 0 thread 1:  0.50 text b -1234567890123 100%",
            "block 1 thread 0:  0.00 text a 0 ff%",
            "block 1 thread 1:  0.50 text b -1234567890123 100%",
        ];
        assert_eq!(lines, expected);
    }
}

#[test]
fn an_assertion_that_fails() {
    let device = &devices("algorithms")[0];
    // SAFETY: the kernel only prints.
    let error = unsafe { device.launch("prints").arg(0).grid(1).block(32).run() }.unwrap_err().to_string();
    assert!(error.contains("assertion `n > 0` failed in `void prints(int)`, algorithms.cu:"), "{error}");
}

#[test]
fn a_transform_modulo_a_prime() {
    const PRIME: u64 = 998_244_353;
    let power = |mut base: u64, mut exponent: u64| {
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base % PRIME;
            }
            base = base * base % PRIME;
            exponent >>= 1;
        }
        result
    };
    let root = power(3, (PRIME - 1) / 512);
    for device in devices("algorithms") {
        let data: Vec<u32> = random(512).iter().map(|value| (value % PRIME) as u32).collect();
        let roots: Vec<u32> = (0..256).map(|k| power(root, k) as u32).collect();
        let (mut x, roots) = (device.upload(&data), device.upload(&roots));
        run(device.launch("number_transform").arg(&mut x).arg(&roots).grid(1).block(256));
        let found = x.to_vec().unwrap();
        for k in (0..512).step_by(37) {
            let terms = data
                .iter()
                .enumerate()
                .map(|(n, &value)| u64::from(value) * power(root, (k * n) as u64 % 512));
            assert_eq!(u64::from(found[k]), terms.fold(0, |sum, term| (sum + term) % PRIME));
        }
    }
}

#[test]
fn distances_in_a_graph() {
    let n = 600;
    let numbers = random(n * 3);
    let mut edges: Vec<Vec<i32>> = vec![Vec::new(); n];
    for (index, number) in numbers.iter().enumerate() {
        edges[index / 3].push((number % n as u64) as i32);
    }
    let mut offsets = vec![0];
    edges.iter().for_each(|targets| offsets.push(offsets[offsets.len() - 1] + targets.len() as i32));
    let mut expected = vec![1 << 30; n];
    expected[0] = 0;
    let mut queue = std::collections::VecDeque::from([0usize]);
    while let Some(vertex) = queue.pop_front() {
        for &target in &edges[vertex] {
            if expected[target as usize] == 1 << 30 {
                expected[target as usize] = expected[vertex] + 1;
                queue.push_back(target as usize);
            }
        }
    }
    for device in devices("algorithms") {
        let (offsets, targets) = (device.upload(&offsets), device.upload(&edges.concat()));
        let mut distance = device.zeros::<i32>(n);
        let launch = device.launch("distances").arg(&offsets).arg(&targets).arg(&mut distance).arg(n as i32);
        run(launch.grid(1).block(256));
        assert_eq!(distance.to_vec().unwrap(), expected);
    }
}
