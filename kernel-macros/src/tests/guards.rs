//! Launch guards of ordinary kernels: the check-free version of each has none but those that hold for buffers of exactly its size.

use expect_test::{Expect, expect};

use super::{analyzed, errors_in};

/// The guards of a kernel's check-free version, and its entry's text.
#[track_caller]
pub(super) fn check_free(source: &str) -> (Vec<String>, String) {
    let kernels = analyzed(source).unwrap_or_else(|errors| panic!("{}", errors_in(source, &errors)));
    let (compiled, errors) = crate::expand::Compiled::all(kernels);
    assert!(errors.is_empty(), "{}", errors_in(source, &errors));
    let variant = &compiled[0].variants[0];
    // A kernel in which every check is proved has one version.
    let (name, tests) = match variant.facts.check_free.first() {
        Some(free) => (&free.name, &free.tests[..]),
        None => (&variant.facts.name, &[][..]),
    };
    let entry = variant.ptx.split(".visible .entry ").find(|entry| entry.starts_with(&**name));
    let entry = entry.and_then(|entry| entry.split("\n}\n").next());
    (tests.iter().map(|test| test.text.to_string()).collect(), entry.unwrap_or_default().to_owned())
}

/// The guards of the check-free version; asserts that it indexes in 32 bits.
#[track_caller]
pub(super) fn check_guards(source: &str, expected: Expect) {
    let (guards, text) = check_free(source);
    for wide in ["mul.lo.s64", "mad.lo.s64", "mul.lo.u64", "div.u64", "rem.u64"] {
        assert!(!text.contains(wide), "{wide} in\n{text}");
    }
    assert!(!text.contains("$panic"), "{text}");
    if std::env::var_os("SHOW_PTX").is_some() {
        println!("{text}");
    }
    expected.assert_eq(&guards.join("\n"));
}

/// A stencil in an image of `w` by `h` elements, with these statements before the one that reads the neighbours.
fn stencil(before: &str) -> String {
    format!(
        "#[kernel(deny_checks)] fn k(x: &[f32], w: usize, h: usize, y: &mut [f32]) {{
            let (c, r) = (global_idx().x, global_idx().y);
            {before} {{
                let i = r * w + c;
                y[i] = x[i - w] + x[i + w] + x[i - 1] + x[i + 1];
            }}
        }}"
    )
}

/// A stage of a transform, whose butterflies of `half` elements fill the data.
#[test]
fn butterflies() {
    let stage = |indices: &str| {
        format!(
            "#[kernel(deny_checks)] fn k(half: usize, data: &mut [u32]) {{
                let i = global_idx().x;
                if i < data.len() / 2 {{
                    let k = i % half;
                    {indices}
                    let (a, b) = (data[low], data[low + half]);
                    data[low] = a + b;
                    data[low + half] = a - b;
                }}
            }}"
        )
    };
    check_guards(
        &stage("let low = 2 * (i - k) + k;"),
        expect![[r#"
        half < 1 << 31
        half != 0
        2 * half + 2 * half * (((data.len() / 2) - 1) / half) <= data.len()
        1 <= half"#]],
    );
    check_guards(
        &stage("let low = i / half * 2 * half + k;"),
        expect![[r#"
        half < 1 << 31
        half != 0
        2 * half + 2 * half * (((data.len() / 2) - 1) / half) <= data.len()
        1 <= half"#]],
    );
}

#[test]
fn binary_searches() {
    check_guards(
        "#[kernel(deny_checks)] fn k(count: usize, sorted: &[u32], wanted: &[u32], found: &mut [u32]) {
            let i = global_idx().x;
            if i < wanted.len() {
                let (mut first, mut last) = (0, count);
                while first < last {
                    let middle = first + (last - first) / 2;
                    if sorted[middle] < wanted[i] { first = middle + 1; } else { last = middle; }
                }
                found[i] = first as u32;
            }
        }",
        expect![[r#"
            count < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            count <= sorted.len()
            wanted.len() <= found.len()"#]],
    );
    check_guards(
        "#[kernel(deny_checks)] fn k(bins: usize, limits: &[f32], x: &[f32], counts: &mut [u32]) {
            let i = global_idx().x;
            if i < x.len() {
                let (mut low, mut high) = (0, bins);
                while high > low + 1 {
                    let middle = (low + high) / 2;
                    if x[i] >= limits[middle] { high = middle; } else { low = middle; }
                }
                counts[if x[i] >= limits[low] { low } else { high + 1 }] += 1;
            }
        }",
        expect![[r#"
            bins < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            bins + 1 <= limits.len()
            bins + 2 <= counts.len() || bins.max(limits.len() + 1) + 1 <= counts.len() || (limits.len() - 1).max(bins + 1) + 1 <= counts.len()"#]],
    );
}

#[test]
fn conditions_in_variables() {
    check_guards(
        &stencil("let inside = r >= 1 && r + 1 < h && c >= 1 && c + 1 < w; if inside"),
        expect![[r#"
            w < 1 << 31
            h < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            w * h <= x.len() + 1
            w * h <= w + y.len() + 1 || x.len() <= y.len() + 2"#]],
    );
    check_guards(
        &stencil("let border = r == 0 || r >= h - 1 || c == 0 || c >= w - 1; if !border"),
        expect![[r#"
            w < 1 << 31
            h < 1 << 31
            (h - 1) < 1 << 31
            (w - 1) < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            w * h <= x.len() + 1
            1 <= h
            1 <= w
            w * h <= w + x.len()
            w * h <= w + y.len() + 1"#]],
    );
    check_guards(
        &stencil("let rows = r >= 1 && r + 1 < h; let columns = c >= 1 && c + 1 < w; if rows && columns"),
        expect![[r#"
            w < 1 << 31
            h < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            w * h <= x.len() + 1
            w * h <= w + y.len() + 1 || x.len() <= y.len() + 2"#]],
    );
}

#[test]
fn places_in_patterns() {
    check_guards(
        &stencil(
            "if r < h && c < w && match (r, c) { (0, _) | (_, 0) => false, (r, c) => r + 1 != h && c + 1 != w }",
        ),
        expect![[r#"
            w < 1 << 31
            h < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            w * h <= x.len() + 1
            w * h <= w + y.len() + 1 || x.len() <= y.len() + 2"#]],
    );
}

#[test]
fn neighbours_of_a_flat_index() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], w: usize, h: usize, y: &mut [f32]) {
            let i = global_idx().x;
            if i >= w * h || w == 0 { return; }
            let (row, col) = (i / w, i % w);
            let mut sum = x[i];
            if row > 0 { sum += x[i - w]; }
            if row + 1 < h { sum += x[i + w]; }
            if col > 0 { sum += x[i - 1]; }
            if col + 1 < w { sum += x[i + 1]; }
            y[i] = sum;
        }",
        expect![[r#"
            w < 1 << 31
            h < 1 << 31
            (w * h) < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            w * h <= x.len()
            w * h <= i32::MAX
            w * h + 1 <= x.len() && w * h <= i32::MAX || w * h <= x.len() && w * h <= i32::MAX && 1 <= w
            w * h <= y.len()"#]],
    );
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], rows: usize, cols: usize, y: &mut [f32]) {
            let i = global_idx().x;
            let row = i / cols;
            if row >= rows { return; }
            y[(i - row * cols) * rows + row] = x[i];
        }",
        expect![[r#"
            rows < 1 << 31
            cols < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            cols != 0
            cols * rows <= x.len()
            cols * rows <= y.len() || cols * rows + ((x.len() - 1) / cols) + 1 <= rows + y.len() && 1 <= cols"#]],
    );
}

#[test]
fn reflected_borders() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], w: usize, h: usize, r: usize, y: &mut [f32]) {
            let (col, row) = (global_idx().x, global_idx().y);
            if row < h && col < w {
                let mut s = 0.0;
                for k in 0..2 * r + 1 {
                    let c = col + k;
                    let c = if c < r { r - c } else { c - r };
                    let c = if c >= w { 2 * w - 2 - c } else { c };
                    s += x[row * w + c];
                }
                y[row * w + col] = s;
            }
        }",
        expect![[r#"
            w < 1 << 31
            h < 1 << 31
            r < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            h * w <= x.len() && r.max(r + w - 1) + 2 <= 2 * w || h * w + (w - 2).max(r.max(r + w - 1)) + 1 <= w + x.len() && r.max(r + w - 1) + 2 <= 2 * w
            h * w <= y.len()
            w + 2 * r <= 1 << 32"#]],
    );
}

#[test]
fn parts_of_a_constant_length() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &mut [f32], n: usize) {
            let i = global_idx().x;
            if i < n {
                let v = &mut x[3 * i..3 * i + 3];
                v[2] = v[0] + v[1];
            }
        }",
        expect![[r#"
            n < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            3 * n <= x.len()"#]],
    );
}

#[test]
fn neighbours_in_three_dimensions() {
    check_guards(
        "#[kernel(deny_checks)] fn k(u: &[f32], v: &[f32], nx: usize, ny: usize, nz: usize, out: &mut [f32]) {
            let p = global_idx();
            let interior = p.x > 0 && p.x < nx - 1 && p.y > 0 && p.y < ny - 1 && p.z > 0 && p.z < nz - 1;
            if !interior { return; }
            let plane = nx * ny;
            let i = p.z * plane + p.y * nx + p.x;
            out[i] = u[i] - v[i] + u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - plane] + u[i + plane];
        }",
        expect![[r#"
            nx < 1 << 31
            ny < 1 << 31
            nz < 1 << 31
            (nx - 1) < 1 << 31
            (ny - 1) < 1 << 31
            (nz - 1) < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            nz * nx * ny <= nx + nx * ny + u.len()
            1 <= nz
            1 <= ny
            1 <= nx
            nz * nx * ny <= nx + nx * ny + v.len() + 1
            nz * nx * ny <= nx * ny + u.len() + 1
            nz * nx * ny <= nx + u.len() + 1
            nz * nx * ny <= nx + nx * ny + out.len() + 1"#]],
    );
}

#[test]
fn neighbours_by_narrow_sizes() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], w: u32, h: u32, y: &mut [f32]) {
            let (col, row) = (global_idx().x as u32, global_idx().y as u32);
            if row >= h || col >= w { return; }
            let i = (row * w + col) as usize;
            if row == 0 || row == h - 1 || col == 0 || col == w - 1 { y[i] = x[i]; return; }
            y[i] = x[i] + x[i - w as usize] + x[i + w as usize] + x[i - 1] + x[i + 1];
        }",
        expect![[r#"
            h * w <= x.len()
            h * w <= y.len()
            h * w + grid_dim().x * block_dim().x <= 2 * w + (1 << 32) || grid_dim().y * block_dim().y * w + grid_dim().x * block_dim().x <= w + (1 << 32)"#]],
    );
}

#[test]
fn triangles_of_a_batch() {
    check_guards(
        "#[kernel] fn k(l: &[f64], b: &mut [f64], n: usize, batch: usize) {
            let s = global_idx().x;
            if s < batch {
                for i in 0..n {
                    let mut v = b[s * n + i];
                    for j in 0..i { v -= l[s * n * n + i * n + j] * b[s * n + j]; }
                    b[s * n + i] = v;
                }
            }
        }",
        expect![[r#"
            n < 1 << 31
            batch < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            batch * n <= b.len()
            batch * n * n <= l.len() + 1 || 2 * n * b.len() <= 2 * n + l.len() + 1 || 2 * n * b.len() + b.len() <= 3 * n + l.len() + 1"#]],
    );
}

#[test]
fn counters_from_below_zero() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], out: &mut [f32]) {
            let mut tile = shared::<[f32; 256 + 6]>();
            let local = thread_idx().x as i32 + 3;
            tile[local as usize] = x[global_idx().x];
            barrier();
            let mut sum = 0.0;
            for offset in -3..=3 {
                sum += tile[(local + offset) as usize];
            }
            out[global_idx().x] = sum;
        }",
        expect![[r#"
            block_dim().x <= 256
            grid_dim().x * block_dim().x <= x.len()
            x.len() <= out.len()"#]],
    );
}

#[test]
fn differences_of_ordered_numbers() {
    // The columns of an anti-diagonal of a tile, from the last one back.
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &mut [i32]) {
            let mut tile = shared::<[[i32; 17]; 17]>();
            let tx = thread_idx().x;
            for m in (0..15).rev() {
                if tx <= m {
                    let (column, row) = (tx + 16 - m, 16 - tx);
                    tile[row][column] = tile[row - 1][column - 1].max(tile[row][column - 1]);
                }
                barrier();
            }
            x[global_idx().x] = tile[1][1];
        }",
        expect!["grid_dim().x * block_dim().x <= x.len()"],
    );
    // Without that order it is the block that bounds the column.
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &mut [i32]) {
            let mut tile = shared::<[i32; 48]>();
            let tx = thread_idx().x;
            for m in (0..15).rev() {
                tile[tx + 16 - m] = 1;
            }
            x[global_idx().x] = tile[0];
        }",
        expect![[r#"
            block_dim().x <= 32
            grid_dim().x * block_dim().x <= x.len()"#]],
    );
}

#[test]
fn periodic_boundaries() {
    check_guards(
        "#[kernel(deny_checks)] fn k(n: i32, x: &[f32], y: &mut [f32]) {
            let i = global_idx().x as i32;
            if i < n {
                let (before, after) = (((i - 1) % n + n) % n, ((i + 1) % n + n) % n);
                y[i as usize] = x[before as usize] + x[after as usize];
            }
        }",
        expect![[r#"
            n != 0
            n != -1
            2 * n <= 1 << 31
            n >= 0
            grid_dim().x * block_dim().x <= 1 << 31
            n <= x.len()
            n <= y.len()"#]],
    );
}

/// The indices of a bitonic sorter: `2 * t - t % stride` and `stride` more. The values are as many as the keys, which is no bound for keys
/// that are read behind them.
#[test]
fn elements_before_a_signed_index() {
    check_guards(
        "#[kernel(deny_checks)] fn k(image: &mut [u8], width: i32, height: i32) {
            let edge = (global_idx().x as i32 + 1) * 8;
            let y = global_idx().y as i32;
            if edge + 2 >= width || y >= height {
                return;
            }
            let at = (y * width + edge) as usize;
            image[at - 1] = image[at - 3] + image[at + 2];
        }",
        expect![[r#"
            height * width <= image.len()
            height >= 0
            width >= 0
            8 * grid_dim().x * block_dim().x <= i32::MAX - 2
            height * width <= 2147483650
            height * width + 8 * grid_dim().x * block_dim().x <= width + u32::MAX"#]],
    );
}

#[test]
fn conditions_with_sums_in_variables() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], y: &mut [f32], nx: usize, ny: usize) {
            let (bx, by) = (block_idx().x * 32, block_idx().y * 8);
            let (tx, ty) = (thread_idx().x, thread_idx().y);
            let valid = bx + tx < nx && by + ty < ny;
            if valid {
                y[(by + ty) * nx + bx + tx] = x[(by + ty + 4) * (nx + 8) + bx + tx + 4];
            }
        }",
        expect![[r#"
            nx < 1 << 31
            ny < 1 << 31
            grid_dim().x * 32 <= 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            8 * ny + ny * nx + 4 * nx + 28 <= x.len()
            ny * nx <= y.len()"#]],
    );
}

#[test]
fn elements_that_some_threads_access() {
    // The last word that bits are in is the last of the buffer: the check of the next one stays.
    let (guards, text) = check_free(
        "#[kernel] fn k(packed: &[u32], out: &mut [u32], bits: u32, n: u32) {
            let i = global_idx().x as u32;
            if i < n {
                let at = i * bits;
                let (word, shift) = ((at >> 5) as usize, at & 31);
                let mut v = packed[word] >> shift;
                if shift + bits > 32 {
                    v |= packed[word + 1] << (32 - shift);
                }
                out[i as usize] = v;
            }
        }",
    );
    assert!(text.contains("$panic"), "{text}");
    expect![[r#"
        ((n * bits - bits) / 32) + 1 <= packed.len()
        n * bits <= bits + u32::MAX
        n <= out.len()"#]]
    .assert_eq(&guards.join("\n"));
    // A condition on data says nothing of where the buffer ends.
    check_guards(
        "#[kernel(deny_checks)] fn k(n: usize, x: &[f32], flags: &[u8], y: &mut [f32]) {
            let i = global_idx().x;
            if i < n {
                let mut v = x[2 * i];
                if flags[i] != 0 {
                    v += x[2 * i + 1];
                }
                y[i] = v;
            }
        }",
        expect![[r#"
            n < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            2 * n <= x.len()
            n <= flags.len()
            n <= y.len()"#]],
    );
}

#[test]
fn searches_in_sorted_slices() {
    check_guards(
        "#[kernel(deny_checks)] fn k(keys: &[u32], out: &mut [u32]) {
            let i = global_idx().x;
            if i < out.len() {
                let at = keys.partition_point(|&key| key as usize <= i);
                let found = keys.binary_search(&(i as u32)).is_ok();
                out[i] = at as u32 + found as u32;
            }
        }",
        expect![],
    );
}

#[test]
fn pairs_of_a_sorter() {
    check_guards(
        "#[kernel(deny_checks)] fn k(keys: &mut [u32], values: &mut [u32]) {
            let mut k = shared::<[u32; 1024]>();
            let t = thread_idx().x;
            let base = block_idx().x * 1024;
            k[t] = keys[base + t] ^ values[base + t];
            k[t + 512] = keys[base + t + 512];
            let mut stride = 512;
            while stride > 0 {
                barrier();
                let at = 2 * t - (t & (stride - 1));
                if k[at] > k[at + stride] {
                    (k[at], k[at + stride]) = (k[at + stride], k[at]);
                }
                stride /= 2;
            }
            barrier();
            values[base + t] = k[t];
            values[base + t + 512] = k[t + 512];
        }",
        expect![[r#"
            block_dim().x <= 512
            1024 * grid_dim().x + block_dim().x <= keys.len() + 512
            keys.len() <= values.len()"#]],
    );
}

#[test]
fn parts_of_the_work_of_threads() {
    // The last part is shorter.
    check_guards(
        "#[kernel(deny_checks)] fn k(n: usize, text: &[u8], counts: &mut [u32]) {
            let t = global_idx().x;
            let start = t * 64;
            if start < n {
                let mut count = 0;
                for i in start..(start + 64).min(n) {
                    if text[i] == b'x' {
                        count += 1;
                    }
                }
                counts[t] = count;
            }
        }",
        expect![[r#"
            n < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            n <= text.len()
            ((n - 1) / 64) + 1 <= counts.len()"#]],
    );
    check_guards(
        "#[kernel(deny_checks)] fn k(n: usize, chunk: usize, x: &[f32], sums: &mut [f32]) {
            let t = global_idx().x;
            let start = t * chunk;
            if start < n {
                let mut sum = 0.0;
                for i in start..(start + chunk).min(n) {
                    sum += x[i];
                }
                sums[t] = sum;
            }
        }",
        expect![[r#"
            n < 1 << 31
            chunk < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            n <= x.len()
            ((n - 1) / chunk) + 1 <= sums.len()
            1 <= chunk"#]],
    );
    check_guards(
        "#[kernel(deny_checks)] fn k(n: u32, x: &[f32], y: &mut [f32]) {
            let t = global_idx().x as u32;
            if 2 * t + 1 < n {
                y[t as usize] = x[(2 * t) as usize] + x[(2 * t + 1) as usize];
            }
        }",
        expect![[r#"
            n <= x.len()
            2 * grid_dim().x * block_dim().x <= 1 << 32
            ((x.len() - 1) / 2) + 1 <= y.len() && 2 * grid_dim().x * block_dim().x <= 4294967297 || ((n - 2) / 2) + 1 <= y.len() && 2 * grid_dim().x * block_dim().x <= 4294967297 || ((x.len() - 2) / 2) + 1 <= y.len() && 2 * grid_dim().x * block_dim().x <= 4294967297"#]],
    );
}

#[test]
fn windows_that_fit() {
    check_guards(
        "#[kernel(deny_checks)] fn k(n: usize, taps: usize, x: &[f32], weights: &[f32], out: &mut [f32]) {
            let i = global_idx().x;
            if i + taps <= n {
                let mut sum = 0.0;
                for k in 0..taps {
                    sum += x[i + k] * weights[k];
                }
                out[i] = sum;
            }
        }",
        expect![[r#"
            n < 1 << 31
            taps < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            n <= x.len()
            taps <= weights.len() || x.len() <= weights.len()
            n + 1 <= taps + out.len()"#]],
    );
    check_guards(
        "#[kernel(deny_checks)] fn k(n: u32, taps: u32, x: &[f32], weights: &[f32], out: &mut [f32]) {
            let i = global_idx().x as u32;
            if i + taps <= n {
                let mut sum = 0.0;
                for k in 0..taps {
                    sum += x[(i + k) as usize] * weights[k as usize];
                }
                out[i as usize] = sum;
            }
        }",
        expect![[r#"
            n <= x.len()
            taps + grid_dim().x * block_dim().x <= 1 << 32
            taps <= weights.len()
            n + 1 <= taps + out.len()"#]],
    );
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], weights: &[f32], out: &mut [f32]) {
            let i = global_idx().x;
            if i + weights.len() <= x.len() && i < out.len() {
                let mut sum = 0.0;
                for k in 0..weights.len() {
                    sum += x[i + k] * weights[k];
                }
                out[i] = sum;
            }
        }",
        expect![[""]],
    );
}

#[test]
fn sums_with_indices_of_threads_have_32_bits() {
    let source = stencil("if r >= 1 && r + 1 < h && c >= 1 && c + 1 < w");
    let (guards, text) = check_free(&source);
    assert!(guards.iter().any(|guard| guard == "grid_dim().x * block_dim().x <= 1 << 31"), "{guards:?}");
    assert!(!text.contains("setp.lt.u64") && !text.contains("setp.ge.u64"), "{text}");
    // Tiles of a known block.
    let (_, text) = check_free(
        "#[kernel(block(32, 8))] fn k(x: &[f32], w: usize, h: usize, y: &mut [f32]) {
            let (c, r) = (block_idx().x * 32 + thread_idx().x, block_idx().y * 8 + thread_idx().y);
            if c + 1 < w && r < h {
                y[r * w + c] = x[r * w + c + 1];
            }
        }",
    );
    assert!(!text.contains("setp.lt.u64") && !text.contains("setp.ge.u64"), "{text}");
}

/// Numbers of rows and columns that are sums of several arguments are one number each in products.
#[test]
fn windows_as_columns() {
    check_guards(
        "#[kernel(deny_checks)] fn k(channels: i32, height: i32, width: i32, size: i32, padding: i32, x: &[f32], out: &mut [f32]) {
            let i = global_idx().x as i32;
            let rows = height + 2 * padding - size + 1;
            let columns = width + 2 * padding - size + 1;
            if i < channels * rows * columns {
                let column = i % columns;
                let row = i / columns % rows;
                let c = i / columns / rows;
                for ky in 0..size {
                    for kx in 0..size {
                        let (y, x0) = (row - padding + ky, column - padding + kx);
                        let inside = y >= 0 && x0 >= 0 && y < height && x0 < width;
                        let value = if inside { x[((c * height + y) * width + x0) as usize] } else { 0.0 };
                        out[(((c * size + ky) * size + kx) * rows * columns + row * columns + column) as usize] = value;
                    }
                }
            }
        }",
        expect![[r#"
            (((width + (padding * 2)) - size) + 1) != 0
            grid_dim().x * block_dim().x <= 1 << 31
            (((height + (padding * 2)) - size) + 1) != 0
            (((height + (padding * 2)) - size) + 1) != -1
            channels * height * width <= x.len()
            channels * (((height + (padding * 2)) - size) + 1) * (((width + (padding * 2)) - size) + 1) <= i32::MAX
            (((width + (padding * 2)) - size) + 1) <= i32::MAX
            1 <= (((width + (padding * 2)) - size) + 1)
            channels * (((height + (padding * 2)) - size) + 1) <= 1 << 31
            (((height + (padding * 2)) - size) + 1) <= i32::MAX
            1 <= (((height + (padding * 2)) - size) + 1)
            channels * height <= height + u32::MAX
            height >= 0
            channels * height <= 1 << 32
            width >= 0
            channels * height * width <= 1 << 31
            channels * size * size * (((height + (padding * 2)) - size) + 1) * (((width + (padding * 2)) - size) + 1) <= out.len()
            channels * size <= size + u32::MAX
            size >= 0
            channels * size <= 1 << 32
            channels * size * size <= size + u32::MAX
            channels * size * size <= 1 << 32
            channels * size * size * (((height + (padding * 2)) - size) + 1) <= (((height + (padding * 2)) - size) + 1) + u32::MAX
            (((height + (padding * 2)) - size) + 1) * (((width + (padding * 2)) - size) + 1) <= (((width + (padding * 2)) - size) + 1) + u32::MAX
            channels * size * size * (((height + (padding * 2)) - size) + 1) * (((width + (padding * 2)) - size) + 1) <= 1 << 31"#]],
    );
}

/// A demand of more conditions than one guard can have.
#[test]
fn queries_by_keys() {
    check_guards(
        "#[kernel(deny_checks)] fn k(b: i32, t: i32, c: i32, heads: i32, packed: &[f32], scores: &mut [f32]) {
            let i = global_idx().x as i32;
            if i < b * heads * t * t {
                let t2 = i % t;
                let t1 = (i / t) % t;
                let h = (i / (t * t)) % heads;
                let batch = i / (heads * t * t);
                let size = c / heads;
                let query = batch * t * c * 3 + t1 * c * 3 + h * size;
                let key = batch * t * c * 3 + t2 * c * 3 + h * size + c;
                let mut value = 0.0f32;
                for k in 0..size {
                    value += packed[(query + k) as usize] * packed[(key + k) as usize];
                }
                scores[i as usize] = value;
            }
        }",
        expect![[r#"
            packed.len() < 1 << 31
            scores.len() < 1 << 31
            t != 0
            b * heads <= u32::MAX
            b * heads * t <= u32::MAX
            b * heads * t * t <= scores.len()
            grid_dim().x * block_dim().x <= 1 << 31
            t != -1
            (t * t) != 0
            heads != 0
            heads != -1
            ((heads * t) * t) != 0
            c != (1 << 31) || heads != -1
            3 * b * t * c + heads * (c / heads) <= 3 * c + packed.len()
            heads * t <= u32::MAX
            heads * t * t <= i32::MAX
            1 <= heads * t * t
            b * t <= t + u32::MAX
            b * t * c <= t * c + u32::MAX
            3 * b * t * c <= 3 * t * c + u32::MAX
            t >= 0
            1 <= t
            b * heads * t <= 1 << 31
            t * c <= c + u32::MAX
            3 * t * c <= 3 * c + u32::MAX
            t * t <= i32::MAX
            1 <= t * t
            b * heads <= 1 << 31
            heads >= 0
            heads * (c / heads) <= (c / heads) + u32::MAX
            (c / heads) <= i32::MAX
            3 * b * t * c + heads * (c / heads) <= 2 * c + packed.len()"#]],
    );
}

/// Indices made of floats are greatest for the last thread, which the host computes by the device's operations.
#[test]
fn floats_that_grow() {
    check_guards(
        "#[kernel(deny_checks)] fn k(w: usize, h: usize, ow: usize, oh: usize, x: &[f32], out: &mut [f32]) {
            let (ox, oy) = (global_idx().x, global_idx().y);
            if ox < ow && oy < oh {
                let sx = ox as f32 * (w - 1) as f32 / ow as f32;
                let sy = oy as f32 * (h - 1) as f32 / oh as f32;
                let (x0, y0) = (sx as usize, sy as usize);
                let x1 = (x0 + 1).min(w - 1);
                out[oy * ow + ox] = x[y0 * w + x0] + x[y0 * w + x1];
            }
        }",
        expect![[r#"
            w < 1 << 31
            ow < 1 << 31
            oh < 1 << 31
            (w - 1) < 1 << 31
            (h - 1) < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            ((((oh - 1) as f32 * ((h - 1) & i32::MAX) as f32) / oh as f32) as u64) * w + ((((ow - 1) as f32 * ((w - 1) & i32::MAX) as f32) / ow as f32) as u64) + 1 <= x.len()
            ((((oh - 1) as f32 * ((h - 1) & i32::MAX) as f32) / oh as f32) as u64) * w + ((((ow - 1) as f32 * ((w - 1) & i32::MAX) as f32) / ow as f32) as u64) + 2 <= x.len() || ((((oh - 1) as f32 * ((h - 1) & i32::MAX) as f32) / oh as f32) as u64) * w + w <= x.len() && 1 <= w
            oh * ow <= out.len()
            ((((ow - 1) as f32 * ((w - 1) & i32::MAX) as f32) / ow as f32) as u64) <= i32::MAX
            ((((oh - 1) as f32 * ((h - 1) & i32::MAX) as f32) / oh as f32) as u64) <= i32::MAX"#]],
    );
    // Half a pixel off; the scale must not be negative.
    check_guards(
        "#[kernel(deny_checks)] fn k(n: usize, scale: f32, x: &[f32], out: &mut [f32]) {
            let i = global_idx().x;
            if i < n {
                let at = ((i as f32 + 0.5) * scale - 0.5).max(0.0).floor();
                out[i] = x[at as usize];
            }
        }",
        expect![[r#"
            n < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            ((((n - 1) as f32 + 0.5) * scale + -0.5).max(0.0).floor() as u64) + 1 <= x.len()
            n <= out.len()
            ((((n - 1) as f32 + 0.5) * scale + -0.5).max(0.0).floor() as u64) <= i32::MAX"#]],
    );
}

#[test]
fn floats_that_may_fall_keep_their_checks() {
    for index in [
        "(1.0 - i as f32) as usize",
        "(-2.0 * i as f32) as usize",
        "(scale / i as f32) as usize",
        "(i as f32 * (i as f32 - scale)) as usize",
        "(i as f32 * scale).min(x[i]) as usize",
        "(i as f32).sin() as usize",
    ] {
        let (guards, text) = check_free(&format!(
            "#[kernel] fn k(n: usize, scale: f32, x: &[f32], out: &mut [f32]) {{
                let i = global_idx().x;
                if i < n {{
                    out[i] = x[{index}];
                }}
            }}"
        ));
        assert!(text.contains("$panic"), "{index}: {guards:?}");
        assert!(!guards.iter().any(|guard| guard.contains("as f32")), "{index}: {guards:?}");
    }
}

/// Behind a return of places outside, floats bound the indices that they become: what is no number is at the first voxel, and two are demanded.
#[test]
fn floats_that_are_not_outside() {
    check_guards(
        "#[kernel(deny_checks)] fn k(n: u32, x: &[u8], places: &[[f32; 2]], y: &mut [f32]) {
            fn at(x: &[u8], n: usize, place: [f32; 2]) -> Option<f32> {
                let [a, b] = place;
                let last = (n - 1) as f32;
                if a < 0.0 || b < 0.0 || a >= last || b >= last {
                    return None;
                }
                let (i, j) = (a as usize, b as usize);
                Some(x[j * n + i] as f32 + x[(j + 1) * n + i + 1] as f32)
            }
            let i = global_idx().x;
            if i < y.len() && i < places.len() {
                y[i] = at(x, n as usize, places[i]).unwrap_or(0.0);
            }
        }",
        expect![[r#"
            n * n <= x.len()
            n <= 16777217
            2 <= n
            places.as_ptr().addr() % 8 == 0"#]],
    );
}

/// The last of `n / 2` pairs differs from `n` where it has a neighbour behind it, whether `n` is even or odd.
#[test]
fn neighbours_of_halves() {
    check_guards(
        "#[kernel(deny_checks)] fn k(odd: u32, width: u32, height: u32, x: &mut [f32]) {
            let half = width / 2;
            let i = global_idx().x as u32;
            if i < half * height {
                let (row, column) = (i / half, 2 * (i % half) + (i / half + odd) % 2);
                let right = if column + 1 == width { 0 } else { column + 1 };
                x[(row * width + column) as usize] += x[(row * width + right) as usize];
            }
        }",
        expect![[r#"
            (width >> 1) != 0
            width * height + 0.max(width - 1) + 1 <= width + x.len() || width * height + 2 * (width / 2) + 1 <= width + x.len()
            width * height + 2 * (width / 2) <= width + x.len()"#]],
    );
}

/// A row that ends with a sum is as long as one that ends where the next begins.
#[test]
fn rows_that_end_with_a_sum() {
    let check_end = |end: &str, expected: Expect| {
        check_guards(
            &format!(
                "#[kernel(deny_checks, block(256))] fn k(columns: usize, x: &[f32], gamma: &[f32], y: &mut [f32]) {{
                    let row = block_idx().x;
                    let line = &x[row * columns..{end}];
                    let mut sum = 0.0f32;
                    for c in (thread_idx().x..columns).step_by(256) {{
                        sum += line[c] * gamma[c];
                    }}
                    let sum = block::reduce_add(sum);
                    if thread_idx().x == 0 && row < y.len() {{
                        y[row] = sum;
                    }}
                }}"
            ),
            expected,
        );
    };
    for end in ["row * columns + columns", "(row + 1) * columns"] {
        check_end(
            end,
            expect![[r#"
                columns < 1 << 31
                grid_dim().x * block_dim().x <= 1 << 31
                grid_dim().x * columns <= x.len()
                columns <= gamma.len()"#]],
        );
    }
    check_end(
        "columns + row * columns",
        expect![[r#"
            columns < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            columns * grid_dim().x <= x.len()
            columns <= gamma.len()"#]],
    );
}

/// The block along z is an image and a filter of it: bounded by the grid, and the place in the image by its sizes, not by the number of threads.
#[test]
fn images_and_filters_along_z() {
    let kernel = |size: &str, index: &str, z: &str| {
        format!(
            "#[kernel(deny_checks)] fn k(height: {size}, width: {size}, filters: {size}, out: &mut [f32]) {{
                let (x, y) = (global_idx().x as {size}, global_idx().y as {size});
                let (image, filter) = (block_idx().z as {size} / filters, block_idx().z as {size} % filters);
                if x < width && y < height {{
                    out[(({z}) * height + y) * width + x{index}] = 1.0;
                }}
            }}"
        )
    };
    let signed = |z| kernel("i32", "", z).replace("out[", "out[(").replace("x]", "x) as usize]");
    let without_division = signed("block_idx().z as i32").replace(
        "let (image, filter) = (block_idx().z as i32 / filters, block_idx().z as i32 % filters);",
        "",
    );
    check_guards(
        &without_division,
        expect![[r#"
        grid_dim().z * height * width <= out.len()
        grid_dim().z * height <= height + u32::MAX
        height >= 0
        grid_dim().z * height <= 1 << 32
        width >= 0
        grid_dim().x * block_dim().x <= 1 << 31
        grid_dim().z * height * width <= 1 << 31"#]],
    );
    check_guards(
        &signed("image"),
        expect![[r#"
        filters != 0
        ((grid_dim().z - 1) / filters) * height * width + height * width <= out.len()
        filters >= 0
        1 <= filters
        ((grid_dim().z - 1) / filters) * height <= u32::MAX
        height >= 0
        ((grid_dim().z - 1) / filters) * height + height <= 1 << 32
        width >= 0
        grid_dim().x * block_dim().x <= 1 << 31
        ((grid_dim().z - 1) / filters) * height * width + height * width <= 1 << 31"#]],
    );
    check_guards(
        &kernel("usize", "", "image * filters + filter"),
        expect![[r#"
            height < 1 << 31
            width < 1 << 31
            filters < 1 << 31
            grid_dim().x * block_dim().x <= 1 << 31
            filters != 0
            filters * ((grid_dim().z - 1) / filters) * height * width + filters * height * width <= out.len()
            1 <= filters"#]],
    );
}

/// Neighbours in signed numbers, in one of several images.
#[test]
fn signed_neighbours_in_images() {
    check_guards(
        "#[kernel(deny_checks)] fn k(height: i32, width: i32, x: &[f32], out: &mut [f32]) {
            let (column, row, z) = (global_idx().x as i32, global_idx().y as i32, block_idx().z as i32);
            if column < width && row < height {
                let mut sum = 0.0;
                for dy in -1..=1 {
                    let y = row + dy;
                    if y >= 0 && y < height {
                        sum += x[((z * height + y) * width + column) as usize];
                    }
                }
                out[((z * height + row) * width + column) as usize] = sum;
            }
        }",
        expect![[r#"
            grid_dim().z * height * width <= x.len()
            grid_dim().z * height <= height + u32::MAX
            height >= 0
            grid_dim().z * height <= 1 << 32
            width >= 0
            grid_dim().x * block_dim().x <= 1 << 31
            grid_dim().z * height * width <= 1 << 31
            grid_dim().z * height * width <= out.len()"#]],
    );
}

/// A part of a slice whose end is a number behind its start is that long.
#[test]
fn parts_that_may_not_be_there() {
    check_guards(
        "#[kernel(deny_checks)] fn k(x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            let Some(part) = x.get(64 * i..64 * i + 64) else { return };
            let mut sum = 0.0;
            for j in 0..8 {
                sum += part[8 * j + 2 * (i % 4) + 1];
            }
            if let Some(place) = y.get_mut(i) { *place = sum; }
        }",
        expect![""],
    );
}
