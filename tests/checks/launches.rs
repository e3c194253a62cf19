//! The version, checked or check-free, that a launch runs by its arguments and shape; both give the same results.

use kernel_runtime::prelude::*;
use kernel_runtime::{ChecksTaken, Kernel};

/// The first CUDA device too, where there is one.
fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

/// The launch guards of a kernel, as text.
fn tests(kernel: &Kernel) -> Vec<&'static str> {
    kernel.report().tests.iter().map(|test| test.text).collect()
}

/// The version that a launch ran: empty for the check-free one, the launch guard that failed, or another word.
fn taken(report: &LaunchReport) -> &'static str {
    match report.checks {
        ChecksTaken::Only => "only",
        ChecksTaken::CheckFree => "",
        ChecksTaken::Partly(test) | ChecksTaken::Failed(test) => test.text,
        ChecksTaken::Asked => "asked",
    }
}

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[test]
fn the_length_of_another_slice() {
    assert_eq!(tests(&saxpy::KERNEL), ["y.len() <= x.len()"]);
    for gpu in devices() {
        let x = gpu.upload(&[1.0f32; 100]).unwrap();
        let mut y = gpu.upload(&[2.0f32; 100]).unwrap();
        let report = saxpy(3.0, &x, &mut y).over(100).run().unwrap();
        assert_eq!((taken(&report), y.to_vec().unwrap()), ("", vec![5.0; 100]));
        // Nobody comes to the elements beyond, but the test does not know.
        let mut longer = gpu.upload(&[2.0f32; 200]).unwrap();
        let report = saxpy(3.0, &x, &mut longer).grid(1).block(64).run().unwrap();
        assert_eq!(taken(&report), "y.len() <= x.len()");
        assert_eq!(longer.to_vec().unwrap(), [vec![5.0; 64], vec![2.0; 136]].concat());
        let text = report.to_string();
        assert!(text.contains("checked, as not `y.len() <= x.len()` (tests/checks/launches.rs:"), "{text}");
        // Somebody does.
        let error = saxpy(3.0, &x, &mut longer).over(200).run().unwrap_err();
        assert!(
            matches!(&error, Error::KernelPanicked { message, .. } if message.starts_with("index out of bounds: the len is 100")),
            "{error}"
        );
        let report = saxpy(0.0, &x, &mut y).over(100).checked(true).run().unwrap();
        assert_eq!((taken(&report), y.to_vec().unwrap()), ("asked", vec![5.0; 100]));
    }
}

#[test]
fn launches_left_to_a_stream() {
    for gpu in devices() {
        let stream = gpu.stream().unwrap();
        let x = gpu.upload(&[1.0f32; 100]).unwrap();
        let [mut y, mut longer] = [100, 200].map(|n| gpu.upload(&vec![2.0f32; n]).unwrap());
        saxpy(3.0, &x, &mut y).over(100).start(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(y.to_vec().unwrap(), [5.0; 100]);
        saxpy(3.0, &x, &mut longer).over(200).start(&stream).unwrap();
        assert!(stream.synchronize().is_err());
    }
}

/// The launch guards of indices in 32 bits: of a size, and of the threads along x.
const ROWS_FIT: &str = "n < 1 << 31";
const THREADS_FIT: &str = "grid_dim().x * block_dim().x <= 1 << 31";

/// Rows of `n`, which may be anything.
#[kernel(deny_checks)]
fn rows(n: usize, a: &[u32], sums: &mut [u32]) {
    let row = global_idx().x;
    if row < n {
        let mut sum = 0;
        for k in 0..n {
            sum += a[row * n + k];
        }
        sums[row] = sum;
    }
}

#[test]
fn products_of_sizes() {
    assert_eq!(tests(&rows::KERNEL), [ROWS_FIT, THREADS_FIT, "n * n <= a.len()", "n <= sums.len()"]);
    for gpu in devices() {
        let a = gpu.upload(&(0..144).collect::<Vec<u32>>()).unwrap();
        let mut sums = gpu.zeros::<u32>(12).unwrap();
        let mut run = |n: usize, threads: usize| {
            rows(n, &a, &mut sums).over(threads).run().map(|report| taken(&report))
        };
        assert_eq!(run(12, 12).unwrap(), "");
        assert_eq!(run(0, 12).unwrap(), "");
        assert!(run(13, 13).is_err());
        // Beyond 64 bits, and beyond 128: `n * n` wraps to zero there.
        for n in [1 << 32, 1 << 63, usize::MAX] {
            assert!(run(n, 12).is_err(), "{n}");
        }
        let expected: Vec<u32> = (0..12).map(|row| (row * 12..row * 12 + 12).sum()).collect();
        rows(12, &a, &mut sums).over(12).run().unwrap();
        assert_eq!(sums.to_vec().unwrap(), expected);
    }
}

/// A block of any size on a tile of 128.
/// Steps of a table as parts of indices.
#[kernel(deny_checks)]
fn neighbours(x: &[u32], sums: &mut [u32], width: usize, height: usize) {
    let (column, row) = (global_idx().x, global_idx().y);
    if column > 0 && column + 1 < width && row > 0 && row + 1 < height {
        let steps = [(-1i32, -1i32), (1, -1), (-1, 1), (1, 1)];
        let mut sum = 0;
        for k in 0..4 {
            let (dx, dy) = steps[k];
            let (left, above) = ((column as i32 - dx) as usize, (row as i32 + dy) as usize);
            sum += x[k * width * height + above * width + left];
        }
        sums[row * width + column] = sum;
    }
}

#[test]
fn steps_of_a_table() {
    let (width, height) = (7, 5);
    let x: Vec<u32> = (0..4 * 35).map(|i| i * i).collect();
    let at = |plane: usize, row: usize, column: usize| x[plane * 35 + row * width + column];
    for gpu in devices() {
        let of_x = gpu.upload(&x).unwrap();
        let mut sums = gpu.zeros::<u32>(35).unwrap();
        let report = neighbours(&of_x, &mut sums, width, height).over((width, height)).run().unwrap();
        assert_eq!(taken(&report), "");
        let found = sums.to_vec().unwrap();
        for (row, column) in (1..height - 1).flat_map(|row| (1..width - 1).map(move |column| (row, column))) {
            let expected = at(0, row - 1, column + 1)
                + at(1, row - 1, column - 1)
                + at(2, row + 1, column + 1)
                + at(3, row + 1, column - 1);
            assert_eq!(found[row * width + column], expected, "{row}, {column}");
        }
        let short = of_x.slice(..x.len() - width - 3).unwrap();
        assert!(neighbours(short, &mut sums, width, height).over((width, height)).run().is_err());
    }
}

#[kernel]
fn window_means(x: &[f32], y: &mut [f32], radius: usize) {
    let i = global_idx().x;
    if i < x.len() {
        let start = i.saturating_sub(radius);
        let end = (i + radius + 1).min(x.len());
        let mut sum = 0.0;
        for v in &x[start..end] {
            sum += *v;
        }
        y[i] = sum / (end - start) as f32;
    }
}

/// That a window does not end before it starts is no guard, which only a handful of threads would meet.
#[test]
fn windows_around_elements() {
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    for gpu in devices() {
        let mut y = gpu.zeros::<f32>(x.len()).unwrap();
        let x = gpu.upload(&x).unwrap();
        let report = window_means(&x, &mut y, 3).over(1000).block(128).run().unwrap();
        assert_eq!(taken(&report), "");
        let means = y.to_vec().unwrap();
        assert_eq!([means[0], means[500], means[999]], [1.5, 500.0, 997.5]);
    }
    let guards = tests(&window_means::KERNEL);
    assert!(guards.iter().all(|guard| !guard.contains("max(")), "{guards:?}");
}

#[kernel(block(128), deny_checks)]
fn rows_as_slices(n: usize, x: &[u32], sums: &mut [u32]) {
    let row = block_idx().x;
    let line = &x[row * n..(row + 1) * n];
    let mut own = 0u32;
    for i in (thread_idx().x..n).step_by(block_dim().x) {
        own += line[i];
    }
    let sum = block::reduce_add(own);
    if thread_idx().x == 0 {
        sums[row] = sum;
    }
}

#[kernel(block(128), deny_checks)]
fn rows_as_parts(n: usize, x: &[u32], sums: &mut [u32]) {
    let row = block_idx().x;
    let line = &x[row * n..][..n];
    let mut own = 0u32;
    for i in (thread_idx().x..n).step_by(block_dim().x) {
        own += line[i];
    }
    let sum = block::reduce_add(own);
    if thread_idx().x == 0 {
        sums[row] = sum;
    }
}

/// `row * n..(row + 1) * n` are `n` elements, wherever the row starts.
#[test]
fn slices_of_rows() {
    for gpu in devices() {
        let x = gpu.upload(&(0..5 * 41).collect::<Vec<u32>>()).unwrap();
        let sums: Vec<u32> = (0..5).map(|row| (row * 41..(row + 1) * 41).sum()).collect();
        for kernel in [&rows_as_slices::KERNEL, &rows_as_parts::KERNEL] {
            let expected =
                [ROWS_FIT, THREADS_FIT, "grid_dim().x * n <= x.len()", "grid_dim().x <= sums.len()"];
            assert_eq!(tests(kernel), expected);
        }
        let mut out = gpu.zeros::<u32>(5).unwrap();
        assert_eq!(taken(&rows_as_slices(41, &x, &mut out).grid(5).run().unwrap()), "");
        assert_eq!(out.to_vec().unwrap(), sums);
        let mut out = gpu.zeros::<u32>(5).unwrap();
        assert_eq!(taken(&rows_as_parts(41, &x, &mut out).grid(5).run().unwrap()), "");
        assert_eq!(out.to_vec().unwrap(), sums);
        // The last row ends beyond.
        let error = rows_as_slices(42, &x, &mut out).grid(5).run().unwrap_err().to_string();
        assert!(error.contains("range end index 210 out of range for slice of length 205"), "{error}");
        assert!(rows_as_parts(42, &x, &mut out).grid(5).run().is_err());
        // The product wraps, the slices do not.
        assert!(rows_as_slices(1 << 63, &x, &mut out).grid(5).run().is_err());
        assert!(rows_as_parts(1 << 63, &x, &mut out).grid(5).run().is_err());
    }
}

#[kernel(block(16, 16))]
fn tiles_of_rows(m: usize, k: usize, a: &[f32], out: &mut [f32]) {
    let (column, row) = (thread_idx().x, global_idx().y);
    let mut sum = 0.0f32;
    for tile in 0..k.div_ceil(16) {
        sum += if row < m && tile * 16 + column < k { a[row * k + tile * 16 + column] } else { 0.0 };
    }
    if row < m {
        out[row * 16 + column] = sum;
    }
}

/// A guard of `p + q` bounds `r + p + q`, in whichever order that is added up.
#[test]
fn guards_of_parts_of_sums() {
    for gpu in devices() {
        let a = gpu.upload(&[1.0f32; 5 * 41]).unwrap();
        let mut out = gpu.zeros::<f32>(5 * 16).unwrap();
        assert_eq!(taken(&tiles_of_rows(5, 41, &a, &mut out).grid((1, 1)).run().unwrap()), "");
        let found = out.to_vec().unwrap();
        let expected = |column| if column < 9 { 3.0 } else { 2.0 };
        assert!(found.iter().enumerate().all(|(i, &sum)| sum == expected(i % 16)), "{found:?}");
        assert!(tiles_of_rows(5, 42, &a, &mut out).grid((1, 1)).run().is_err());
    }
}

#[kernel(deny_checks)]
fn guard_in_a_variable(x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    let inside = i < x.len() && i < out.len();
    if inside {
        out[i] = x[i];
    }
}

/// A guard `a && b` that is kept in a variable implies both conditions: no launch guard is needed.
#[test]
fn guards_kept_in_variables() {
    assert_eq!(tests(&guard_in_a_variable::KERNEL), [""; 0]);
    for gpu in devices() {
        let (x, mut out) = (gpu.upload(&[7u32; 40]).unwrap(), gpu.zeros::<u32>(70).unwrap());
        guard_in_a_variable(&x, &mut out).over(100).run().unwrap();
        assert_eq!(out.to_vec().unwrap(), [[7u32; 40].as_slice(), &[0; 30]].concat());
    }
}

#[kernel]
fn tile(out: &mut [u32]) {
    let mut tile = shared::<[u32; 128]>();
    let t = thread_idx().x;
    tile[t] = t as u32;
    barrier();
    out[global_idx().x] = tile[block_dim().x - 1 - t];
}

#[test]
fn the_shape_of_the_launch() {
    assert_eq!(tests(&tile::KERNEL), ["block_dim().x <= 128", "block_dim().x * grid_dim().x <= out.len()"]);
    for gpu in devices() {
        let mut out = gpu.zeros::<u32>(256).unwrap();
        let mut run =
            |grid: u32, block: u32| tile(&mut out).grid(grid).block(block).run().map(|report| taken(&report));
        assert_eq!(run(2, 128).unwrap(), "");
        assert_eq!(run(4, 64).unwrap(), "");
        assert!(run(1, 160).is_err());
        assert!(run(3, 128).is_err());
        tile(&mut out).grid(2).block(128).run().unwrap();
        let expected: Vec<u32> = (0..128).rev().collect();
        assert_eq!(out.to_vec().unwrap(), expected.repeat(2));
    }
}

/// Without a guard: a thread does four elements, more than there are threads.
#[kernel(coarsen(4))]
fn several_elements(x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    out[i] = x[i] + 1;
}

#[test]
fn elements_beyond_the_number_of_threads() {
    for gpu in devices() {
        let x = gpu.upload(&[1u32; 1024]).unwrap();
        let mut out = gpu.zeros::<u32>(1000).unwrap();
        // 256 threads, which the output has room for, with 1,024 elements, which it has not.
        let error = several_elements(&x, &mut out).grid(1).block(256).run().unwrap_err();
        assert!(matches!(error, Error::KernelPanicked { .. }), "{error}");
        let mut out = gpu.zeros::<u32>(1024).unwrap();
        several_elements(&x, &mut out).grid(1).block(256).run().unwrap();
        assert_eq!(out.to_vec().unwrap(), [2; 1024]);
    }
}

/// Every second element, where there is one: the index of the thread is within the slice that it reads, the doubled one is not.
#[kernel(coarsen(4))]
fn every_second(x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        if 2 * i < x.len() {
            out[i] = x[2 * i];
        } else {
            out[i] = 7;
        }
    }
}

#[test]
fn elements_at_twice_the_index() {
    for gpu in devices() {
        let x = gpu.upload(&(0..64).collect::<Vec<u32>>()).unwrap();
        let mut out = gpu.zeros::<u32>(64).unwrap();
        every_second(&x, &mut out).over(64).run().unwrap();
        let expected: Vec<u32> = (0..64).map(|i| if i < 32 { 2 * i } else { 7 }).collect();
        assert_eq!(out.to_vec().unwrap(), expected);
    }
}

/// Parameters of every size, with gaps between them in the layout.
#[kernel(deny_checks)]
fn many_sizes(a: u8, b: u64, c: bool, d: u16, e: f64, f: u8, g: u32, h: i8, x: &[u8], out: &mut [u32]) {
    let i = global_idx().x;
    if i < out.len() && c && e > 0.0 {
        let k = a as usize + b as usize + d as usize + f as usize + g as usize;
        out[i] = x[k] as u32 + if h < 0 { 1 } else { 0 };
    }
}

#[test]
fn parameters_of_every_size() {
    for gpu in devices() {
        let x = gpu.upload(&(0..100).collect::<Vec<u8>>()).unwrap();
        let mut out = gpu.zeros::<u32>(4).unwrap();
        let mut run = |[a, b, d, f, g]: [u8; 5]| {
            let (b, d, g) = (b.into(), d.into(), g.into());
            many_sizes(a, b, true, d, 1.0, f, g, -1, &x, &mut out).over(4).run().map(|report| taken(&report))
        };
        assert_eq!(run([11, 22, 33, 14, 19]).unwrap(), "");
        // Each of them counts.
        for beyond in 0..5 {
            let mut sizes = [11, 22, 33, 14, 19];
            sizes[beyond] += 1;
            assert!(run(sizes).is_err(), "{beyond}");
        }
        run([1, 2, 3, 4, 5]).unwrap();
        assert_eq!(out.to_vec().unwrap(), [16; 4]);
    }
}

/// Four floats at once, from anywhere in a slice.
#[kernel(deny_checks)]
fn copy_vectors(x: &[f32], out: &mut [f32]) {
    let i = 4 * global_idx().x;
    if i + 3 < out.len() {
        F32x4::load(x, i).store(out, i);
    }
}

#[test]
fn alignment_of_arguments() {
    let kernel = &copy_vectors::KERNEL;
    assert_eq!(
        tests(kernel),
        [
            "out.len() <= x.len()",
            "(x.as_ptr() & 15) == 0",
            "(out.as_ptr() & 15) == 0",
            "4 * grid_dim().x * block_dim().x <= 1 << 32"
        ]
    );
    assert_eq!(kernel.report().checks_left(), 0);
    for gpu in devices() {
        let x = gpu.upload(&[1.5f32; 64]).unwrap();
        let mut out = gpu.zeros::<f32>(64).unwrap();
        let report = copy_vectors(&x, &mut out).over(16).run().unwrap();
        assert_eq!((taken(&report), out.to_vec().unwrap()), ("", vec![1.5; 64]));
    }
}

/// A part of an image, with sizes that have a sign.
#[kernel_module]
mod images {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Image {
        pub width: i32,
        pub height: i32,
    }

    #[kernel(deny_checks)]
    pub fn invert(image: Image, pixels: &mut [u8]) {
        let (x, y) = (global_idx().x as i32, global_idx().y as i32);
        if x >= 0 && x < image.width && y >= 0 && y < image.height {
            let i = y as usize * image.width as usize + x as usize;
            pixels[i] = !pixels[i];
        }
    }
}

#[test]
fn signed_sizes_in_structs() {
    use images::{Image, invert};
    assert_eq!(
        tests(&invert::KERNEL),
        ["image.height * image.width <= pixels.len()", "image.height >= 0", "image.width >= 0"]
    );
    for gpu in devices() {
        let mut pixels = gpu.upload(&[1u8; 48]).unwrap();
        let mut run = |width: i32, height: i32| {
            invert(Image { width, height }, &mut pixels)
                .grid((1, 1))
                .block((8, 8))
                .run()
                .map(|report| taken(&report))
        };
        assert_eq!(run(8, 6).unwrap(), "");
        // Twice is as never; with a negative size nobody does anything, but with checks.
        assert_eq!(run(8, 6).unwrap(), "");
        assert_ne!(run(-8, 6).unwrap(), "");
        assert_ne!(run(8, -6).unwrap(), "");
        assert!(run(8, 7).is_err());
        assert_eq!(pixels.to_vec().unwrap()[..48], [vec![254u8; 48]].concat()[..]);
    }
}

/// Lengths of 64 bits, a part of a slice, a divisor, an assertion.
#[kernel(index(u64), deny_checks)]
fn others(from: usize, by: u32, x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    assert!(by % 2 == 1, "an odd divisor");
    let part = &x[from..];
    if i < out.len() {
        out[i] = part[i] / by;
    }
}

#[test]
fn parts_divisors_assertions() {
    for gpu in devices() {
        let x = gpu.upload(&(0..100).collect::<Vec<u32>>()).unwrap();
        let mut out = gpu.zeros::<u32>(50).unwrap();
        let mut run = |from: usize, by: u32| others(from, by, &x, &mut out).over(50).run();
        assert_eq!(taken(&run(50, 3).unwrap()), "");
        let panic = |result: Result<LaunchReport>| match result {
            Err(Error::KernelPanicked { message, .. }) => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(panic(run(0, 2)), "an odd divisor");
        assert_eq!(panic(run(101, 1)), "range start index 101 out of range for slice of length 100");
        assert!(panic(run(60, 1)).starts_with("index out of bounds: the len is 40"));
        assert_eq!(panic(run(0, 0)), "an odd divisor");
        assert_eq!(taken(&run(10, 7).unwrap()), "");
        let expected: Vec<u32> = (10..60).map(|x| x / 7).collect();
        assert_eq!(out.to_vec().unwrap(), expected);
    }
}

/// Instances, and the runtime's choice among them.
#[kernel(tune(N = [1, 2], block = [32, 64]))]
fn tuned<const N: usize>(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let mut sum = x[i];
        for _ in 0..N {
            sum = sum.max(x[i]);
        }
        out[i] = sum;
    }
}

#[test]
fn tuned_kernels() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let x = gpu.upload(&[2.0f32; 100]).unwrap();
    let mut out = gpu.zeros::<f32>(100).unwrap();
    assert_eq!(taken(&tuned(&x, &mut out).over(100).run().unwrap()), "");
}

/// The index is data: it is checked, and what it proves helps the next one.
#[kernel]
fn gather(at: &[u32], x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        let j = at[i] as usize;
        out[i] = x[j] + y[j];
    }
}

#[test]
fn data_is_checked() {
    assert_eq!(tests(&gather::KERNEL), ["out.len() <= at.len()", "x.len() <= y.len()"]);
    assert_eq!(gather::KERNEL.report().checks_left(), 1);
    for gpu in devices() {
        let at = gpu.upload(&[0u32, 3, 4]).unwrap();
        let [x, y] = [4, 5].map(|n| gpu.upload(&vec![1.0f32; n]).unwrap());
        let mut out = gpu.zeros::<f32>(3).unwrap();
        let report = gather(&at, &x, &y, &mut out).grid(1).block(2).run().unwrap();
        assert_eq!(taken(&report), "");
        let error = gather(&at, &x, &y, &mut out).over(3).run().unwrap_err();
        assert!(error.to_string().contains("the len is 4 but the index is 4"), "{error}");
    }
}

#[test]
fn what_both_entries_need() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let both = saxpy::KERNEL.attributes(&gpu).unwrap();
    let free = saxpy::KERNEL.check_free_attributes(&gpu).unwrap().expect("it has two entries");
    assert!(free.registers <= both.registers);
    let usual = saxpy::KERNEL.variants()[0].usual();
    assert!(!usual.has_panic_param && usual.entry == "saxpy__check_free", "{}", usual.entry);
    assert!(!usual.ptx.split(".entry saxpy__check_free").nth(1).unwrap_or("$panic").contains("$panic"));
}

/// Numbers of two parts that lie beside each other.
#[kernel]
fn moduli(z: &[[f32; 2]], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() && i < z.len() {
        let [re, im] = z[i];
        out[i] = re * re + im * im;
    }
}

/// Moduli of numbers that start at any address.
///
/// # Safety
/// There are two floats at `z` for each element of `out`.
#[kernel]
unsafe fn moduli_at(z: *const f32, out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        // SAFETY: the caller says so.
        let [re, im] = unsafe { [*z.add(2 * i), *z.add(2 * i + 1)] };
        out[i] = re * re + im * im;
    }
}

/// Two elements a thread, the second slice of any length.
#[kernel]
fn add_two(x: &[f32], out: &mut [f32]) {
    let i = 2 * global_idx().x;
    if i + 1 < out.len() {
        out[i] += x[i];
        out[i + 1] += x[i + 1];
    }
}

#[test]
fn where_slices_start() {
    assert_eq!(tests(&moduli::KERNEL), ["z.as_ptr().addr() % 8 == 0"]);
    assert_eq!(tests(&moduli_at::KERNEL), ["z.addr() % 8 == 0"]);
    let aligned = ["x.as_ptr().addr() % 8 == 0", "out.as_ptr().addr() % 8 == 0"];
    assert_eq!(tests(&add_two::KERNEL)[1..], aligned);
    let free = |kernel: &Kernel, wide: &str| {
        let ptx = kernel.ptx();
        let at = ptx.find("__check_free(").expect("two entries");
        assert!(ptx[at..].contains(wide), "no `{wide}` in\n{}", &ptx[at..]);
    };
    free(&moduli::KERNEL, "ld.global.nc.v2.f32");
    free(&moduli_at::KERNEL, "ld.global.v2.f32");
    free(&add_two::KERNEL, "st.global.v2.f32");
    let parts: Vec<f32> = (0..34).map(|i| i as f32).collect();
    let expected = |from: usize| -> Vec<f32> {
        parts[from..from + 32].chunks(2).map(|z| z[0] * z[0] + z[1] * z[1]).collect()
    };
    for gpu in devices() {
        let z = gpu.upload(&parts).unwrap();
        let pairs: Vec<[f32; 2]> = parts.chunks(2).map(|z| [z[0], z[1]]).collect();
        let pairs = gpu.upload(&pairs[..16]).unwrap();
        let mut out = gpu.zeros(16).unwrap();
        let report = moduli(&pairs, &mut out).over(16).run().unwrap();
        assert_eq!((taken(&report), out.to_vec().unwrap()), ("", expected(0)));
        for (from, took) in [(0, ""), (1, "z.addr() % 8 == 0"), (2, "")] {
            let at = z.as_device_ptr().wrapping_add(from);
            // SAFETY: 34 floats are there.
            let report = unsafe { moduli_at(at, &mut out).over(16).run() }.unwrap();
            assert_eq!((taken(&report), out.to_vec().unwrap()), (took, expected(from)));
        }
        let mut sums = gpu.zeros(32).unwrap();
        let report = add_two(&z, &mut sums).over(16).run().unwrap();
        assert_eq!((taken(&report), sums.to_vec().unwrap()), ("", parts[..32].to_vec()));
    }
}

/// An index made of floats: where the scale is not negative it is greatest for the last thread.
#[kernel]
fn resample(n: usize, scale: f32, x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    if i < n {
        let at = (i as f32 + 0.5) * scale - 0.5;
        out[i] = x[at.max(0.0) as usize];
    }
}

#[test]
fn indices_made_of_floats() {
    for gpu in devices() {
        let x: Vec<u32> = (0..1000).collect();
        let x = gpu.upload(&x).unwrap();
        for scale in [0.0f32, 1e-9, 0.1, 0.333_333_34, 0.999_999_94, 1.0, 1.7, 10.05] {
            let n = 100;
            let mut out = gpu.zeros::<u32>(n).unwrap();
            let report = resample(n, scale, &x, &mut out).over(n).run().unwrap();
            let at = |i: usize| (i as f32 + 0.5).mul_add(scale, -0.5).max(0.0) as u32;
            assert_eq!(
                (taken(&report), out.to_vec().unwrap()),
                ("", (0..n).map(at).collect::<Vec<_>>()),
                "{scale}"
            );
        }
        // Of a negative one, or none at all, the host knows nothing.
        for scale in [-1.0f32, -0.0, f32::NAN] {
            let mut out = gpu.zeros::<u32>(100).unwrap();
            let report = resample(100, scale, &x, &mut out).over(100).run().unwrap();
            assert!(taken(&report).contains("as f32"), "{scale}: {report}");
            assert_eq!(out.to_vec().unwrap(), [0; 100]);
        }
        for scale in [10.1f32, 1e30, f32::INFINITY] {
            let mut out = gpu.zeros::<u32>(100).unwrap();
            let error = resample(100, scale, &x, &mut out).over(100).run().unwrap_err();
            assert!(error.to_string().contains("index out of bounds: the len is 1000"), "{error}");
        }
    }
}

#[kernel]
fn assign(n: usize, dims: usize, k: usize, points: &[f32], centroids: &[f32], labels: &mut [u32]) {
    let mut tile = shared::<[f32; 64]>();
    let mut j = thread_idx().x;
    while j < k * dims {
        tile[j] = centroids[j];
        j += block_dim().x;
    }
    barrier();
    let i = global_idx().x;
    if i < n {
        let (mut nearest, mut least) = (0, f32::MAX);
        for c in 0..k {
            let mut distance = 0.0;
            for d in 0..dims {
                let difference = points[d * n + i] - tile[c * dims + d];
                distance += difference * difference;
            }
            if distance < least {
                (least, nearest) = (distance, c as u32);
            }
        }
        labels[i] = nearest;
    }
}

/// The shared array has room for a number of elements, the slices for as many as there are: their guards name the sizes.
#[test]
fn sizes_that_a_shared_array_limits() {
    let guards = tests(&assign::KERNEL);
    for guard in ["k * dims <= centroids.len()", "k * dims <= 64", "n <= labels.len()"] {
        assert!(guards.contains(&guard), "{guards:?}");
    }
    assert!(guards.iter().any(|guard| guard.starts_with("dims * n <= points.len()")), "{guards:?}");
    for gpu in devices() {
        let (n, dims, k) = (40, 3, 5);
        let points: Vec<f32> = (0..n * dims).map(|i| (i * 7 % 31) as f32).collect();
        let centroids: Vec<f32> = (0..k * dims).map(|i| (i * 5 % 29) as f32).collect();
        let mut labels = gpu.zeros::<u32>(n).unwrap();
        let (of_points, of_centroids) = (gpu.upload(&points).unwrap(), gpu.upload(&centroids).unwrap());
        let report =
            assign(n, dims, k, &of_points, &of_centroids, &mut labels).grid(2).block(32).run().unwrap();
        let distance = |i: usize, c: usize| -> f32 {
            (0..dims).map(|d| (points[d * n + i] - centroids[c * dims + d]).powi(2)).sum()
        };
        let nearest =
            |i: usize| (0..k).min_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b))).unwrap() as u32;
        assert_eq!((taken(&report), labels.to_vec().unwrap()), ("", (0..n).map(nearest).collect()));
        // The array is too small.
        let error = assign(n, dims, 22, &of_points, &gpu.zeros::<f32>(66).unwrap(), &mut labels)
            .grid(2)
            .block(32)
            .run();
        let error = error.unwrap_err().to_string();
        assert!(error.contains("the len is 64 but the index is 64"), "{error}");
    }
}

#[kernel]
fn chunk_sums(chunk: usize, data: &[u8], sums: &mut [u32]) {
    let i = global_idx().x;
    if i < sums.len() {
        let start = i * chunk;
        let end = (start + chunk).min(data.len());
        sums[i] = data[start..end].iter().map(|&byte| byte as u32).sum();
    }
}

/// No guard says that a product is at most its factor.
#[test]
fn a_last_chunk_that_is_shorter() {
    assert!(
        !tests(&chunk_sums::KERNEL).iter().any(|guard| guard.ends_with("<= chunk")),
        "{:?}",
        tests(&chunk_sums::KERNEL)
    );
    for gpu in devices() {
        let data: Vec<u8> = (0..100).collect();
        let mut sums = gpu.zeros::<u32>(7).unwrap();
        chunk_sums(16, &gpu.upload(&data).unwrap(), &mut sums).over(7).run().unwrap();
        let expected: Vec<u32> =
            data.chunks(16).map(|part| part.iter().map(|&byte| u32::from(byte)).sum()).collect();
        assert_eq!(sums.to_vec().unwrap(), expected);
    }
}

#[kernel(block(32))]
fn halving(steps: usize, start: &[f32], out: &mut [f32]) {
    let mut values = shared::<[[f32; 128]; 2]>();
    let t = thread_idx().x;
    let mut j = t;
    while j <= steps {
        values[0][j] = start[j];
        j += block_dim().x;
    }
    barrier();
    let mut now = 0;
    for step in (0..steps).rev() {
        let mut j = t;
        while j <= step {
            values[1 - now][j] = 0.5 * (values[now][j + 1] + values[now][j]);
            j += block_dim().x;
        }
        barrier();
        now = 1 - now;
    }
    if t == 0 {
        out[0] = values[now][0];
    }
}

/// A block of 32 threads goes over at most 128 elements in four iterations, of which each may be the last.
#[test]
fn loops_of_few_iterations() {
    assert!(tests(&halving::KERNEL).contains(&"steps <= 127"), "{:?}", tests(&halving::KERNEL));
    for gpu in devices() {
        for steps in (0..8).chain([31, 32, 33, 63, 64, 96, 100, 127]) {
            let mut values: Vec<f32> = (0..=steps).map(|i| (i * 11 % 13) as f32).collect();
            let mut out = gpu.zeros::<f32>(1).unwrap();
            let report = halving(steps, &gpu.upload(&values).unwrap(), &mut out).grid(1).run().unwrap();
            while values.len() > 1 {
                values = values.windows(2).map(|pair| 0.5 * (pair[1] + pair[0])).collect();
            }
            assert_eq!((taken(&report), out.to_vec().unwrap()), ("", values), "{steps}");
        }
        let error =
            halving(128, &gpu.zeros::<f32>(129).unwrap(), &mut gpu.zeros::<f32>(1).unwrap()).grid(1).run();
        let error = error.unwrap_err().to_string();
        assert!(error.contains("the len is 128 but the index is 128"), "{error}");
    }
}

#[kernel]
fn merged(a: &[i32], b: &[i32], out: &mut [i32]) {
    let diagonal = global_idx().x * 4;
    if diagonal >= out.len() {
        return;
    }
    let mut low = diagonal.saturating_sub(b.len());
    let mut high = diagonal.min(a.len());
    while low < high {
        let middle = (low + high) / 2;
        if a[middle] <= b[diagonal - 1 - middle] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let (mut i, mut j) = (low, diagonal - low);
    for k in diagonal..(diagonal + 4).min(out.len()) {
        if j >= b.len() || (i < a.len() && a[i] <= b[j]) {
            out[k] = a[i];
            i += 1;
        } else {
            out[k] = b[j];
            j += 1;
        }
    }
}

/// Sums of two lengths are the only numbers of more than 32 bits: a version for shorter slices has none.
#[test]
fn lengths_are_limited_where_sums_of_them_are_wide() {
    let guards = tests(&merged::KERNEL);
    for guard in ["a.len() < 1 << 31", "b.len() < 1 << 31", "out.len() < 1 << 31"] {
        assert!(guards.contains(&guard), "{guards:?}");
    }
    for gpu in devices() {
        for (na, nb) in [(0, 5), (5, 0), (1, 1), (17, 40), (40, 17), (64, 64)] {
            let a: Vec<i32> = (0..na).map(|i| i * 3 - 20).collect();
            let b: Vec<i32> = (0..nb).map(|i| i * 2 - 11).collect();
            let mut all = [a.clone(), b.clone()].concat();
            all.sort();
            let mut out = gpu.zeros::<i32>(all.len()).unwrap();
            let report = merged(&gpu.upload(&a).unwrap(), &gpu.upload(&b).unwrap(), &mut out)
                .over(all.len().div_ceil(4))
                .run();
            assert_eq!((taken(&report.unwrap()), out.to_vec().unwrap()), ("", all), "{na}, {nb}");
        }
    }
}
