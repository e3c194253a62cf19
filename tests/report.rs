//! Statements of `KERNEL.report()` about kernels, compared with their PTX.

// The kernels are read, not launched.
#![allow(dead_code)]

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use kernel_runtime::prelude::*;
use kernel_runtime::{Kernel, RemarkTopic, Report};
use tests::report::holds_against_ptx;

/// A guard, a check that it proves, one that it does not, a multiply-add.
#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// Loops: one over an array, one by hand, one endless; conditions with cheap sides and with others.
#[kernel]
fn loops(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i >= x.len() || i >= y.len() {
        return;
    }
    let mut best = [0.0f32; 4];
    for k in 0..4 {
        best[k] = x[i] * k as f32;
    }
    let mut rounds = 0;
    while rounds < n {
        let larger = if best[1] > best[2] { best[1] } else { best[2] };
        best[3] += larger;
        rounds += 1;
    }
    loop {
        best[0] += 1.0;
        if best[0] > best[3] {
            break;
        }
        if best[0] > 100.0 {
            y[i] = best[0].sqrt();
        }
    }
    y[i] = best[0] + best[3];
}

/// Attributes of loops: full unrolling of nested ones, unrolling by a factor, loads ahead, chains, none.
#[kernel]
fn asked_of_loops(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i >= y.len() {
        return;
    }
    let mut sum = 0.0f32;
    #[unroll]
    for a in 0..3 {
        #[unroll]
        for b in 0..a {
            sum += (a * b) as f32;
        }
    }
    #[unroll(4)]
    for k in 0..x.len() {
        sum += x[k];
    }
    #[prefetch(2)]
    for k in 0..x.len() {
        sum = sum * 0.5 + x[k];
    }
    #[ilp(4)]
    for k in 0..x.len() {
        sum += x[k] * x[k];
    }
    #[unroll(1)]
    for k in 0..4 {
        sum *= k as f32;
    }
    y[i] = sum;
}

/// Attributes of conditions.
#[kernel(fp_contract(off), checks(overflow))]
fn asked_of_conditions(x: &[i32], y: &mut [i32]) {
    let i = global_idx().x;
    if i < y.len() && i < x.len() {
        let v = x[i];
        #[predicate]
        if v > 2 {
            y[i] = v / 3;
        } else {
            y[i] = v & 7;
        }
        let mut other = 2;
        #[branch]
        if v > 100 {
            other = 1;
        }
        y[i] += other;
    }
}

/// Four neighbours a thread.
#[kernel(coarsen(4))]
fn coarse(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() {
        y[i] = a * x[i];
    }
}

/// Vectors, neighbours, and a slice that is in one memory or another.
#[kernel(block(128))]
fn accesses(of: u32, x: &[F32x4], y: &mut [F32x4], z: &mut [f32]) {
    let mut tile = shared::<[f32; 128]>();
    let t = thread_idx().x;
    tile[t] = t as f32;
    barrier();
    let i = global_idx().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i] * 2.0;
    }
    let which = if of == 0 { &tile[..] } else { &z[..] };
    let first = which[0];
    if t == 0 {
        z[1] = first;
    }
}

/// Indices and divisions of 64 bits, memory of each thread, dynamic shared memory.
#[kernel]
fn wide_numbers(stride: usize, by: u64, keys: &[u64], out: &mut [u64]) {
    let mut counts = [0u64; 8];
    let mut all = shared_dyn::<u64>();
    let mut i = thread_idx().x;
    while i < keys.len() {
        let digit = (keys[i] / by) as usize % 8;
        counts[digit] += 1;
        i += stride;
    }
    all[thread_idx().x] = counts[stride % 8];
    barrier();
    out[0] = all[0];
}

/// Functions are put in place: those of the library have the place of the call, one's own their own place.
#[kernel]
fn functions(x: &[f32], y: &mut [f32]) {
    fn element(x: &[f32], i: usize) -> f32 {
        x[i] * 2.0 + 1.0
    }
    let i = global_idx().x;
    if i < y.len() {
        y[i] = element(x, i) + element(x, i + 1) + x[i].exp() * 3.0;
        if i > usize::MAX - 1 {
            // Nothing is said of what never runs.
            y[i + 7] = element(x, 3);
        }
    }
}

/// A report with lines counted from that of the kernel, so that they stay when the file grows.
#[track_caller]
fn check(kernel: &Kernel, expect: Expect) {
    holds_against_ptx(kernel);
    let report = kernel.report();
    let mut text = String::new();
    for &(topic, heading) in RemarkTopic::TABLE {
        for remark in report.on(topic) {
            assert_eq!(remark.file, file!(), "{remark}");
            let (line, column) = (i64::from(remark.line) - i64::from(report.line), remark.column);
            text += &format!("{heading:18} {line:+}:{column} {} ×{}\n", remark.kind, remark.count);
        }
    }
    let Report { shared_bytes, local_bytes, .. } = report;
    text += &format!("{shared_bytes} bytes shared, {local_bytes} bytes local\n");
    expect.assert_eq(&text);
}

#[test]
fn reports_of_examples_hold_against_their_ptx() {
    let mut said: BTreeMap<String, usize> = BTreeMap::new();
    for kernel in examples::kernels() {
        holds_against_ptx(kernel);
        for remark in kernel.report().remarks {
            *said.entry(format!("{:?}", remark.kind.topic())).or_default() += 1;
        }
    }
    assert!(said["Checks"] > 30 && said["Loops"] > 5, "{said:?}");
}

#[test]
fn a_guard_and_a_multiply_add() {
    check(
        &saxpy::KERNEL,
        expect![[r#"
            loops              +1:13 4 elements a thread in launches with `.over(n)` ×1
            branches           +2:8 branch kept ×1
            checks             +3:9 index in bounds: proved, no check ×1
            checks             +3:20 index in bounds: no check where `y.len() <= x.len()` ×1
            checks             +3:27 index in bounds: proved, no check ×1
            arithmetic         +3:16 multiply-add contracted ×1
            0 bytes shared, 0 bytes local
        "#]],
    );
}

#[test]
fn loops_and_conditions() {
    check(
        &loops::KERNEL,
        expect![[r#"
            loops              +6:5 loop unrolled whole: 4 rounds ×1
            loops              +10:5 one element a thread with `.over(n)`, for a loop, whose iterations keep a thread busy with one element ×1
            loops              +10:5 loop unrolled by 4 ×1
            loops              +15:5 loop kept ×1
            branches           +2:8 branch kept ×1
            branches           +11:25 no branch: values selected or predicated ×1
            branches           +20:12 branch kept ×1
            checks             +7:9 index in bounds: proved, no check ×4
            checks             +7:19 index in bounds: proved, no check ×4
            checks             +21:13 index in bounds: proved, no check ×1
            checks             +24:5 index in bounds: proved, no check ×1
            0 bytes shared, 0 bytes local
        "#]],
    );
}

#[test]
fn attributes_of_loops() {
    check(
        &asked_of_loops::KERNEL,
        expect![[r#"
            loops              +7:5 loop unrolled whole: 3 rounds ×1
            loops              +9:9 loop unrolled whole: 2 rounds ×2
            loops              +14:5 one element a thread with `.over(n)`, for a loop, whose iterations keep a thread busy with one element ×1
            loops              +14:5 loop unrolled by 4 ×1
            loops              +18:5 1 load of a round made 2 rounds ahead ×1
            loops              +22:5 loop unrolled by 4 ×1
            loops              +22:5 loop accumulates in 4 chains ×1
            loops              +26:5 loop kept ×1
            branches           +2:8 branch kept ×1
            checks             +15:16 index in bounds: proved, no check ×1
            checks             +19:27 index in bounds: proved, no check ×1
            checks             +23:16 index in bounds: proved, no check ×1
            checks             +23:23 index in bounds: proved, no check ×1
            checks             +29:5 index in bounds: proved, no check ×1
            accesses to memory +19:27 8 bytes loaded at once ×1
            arithmetic         +19:15 multiply-add contracted ×1
            arithmetic         +23:9 multiply-add contracted ×1
            0 bytes shared, 0 bytes local
        "#]],
    );
}

#[test]
fn attributes_of_conditions() {
    check(
        &asked_of_conditions::KERNEL,
        expect![[r#"
            loops              +6:13 one element a thread with `.over(n)`, for a write that not every element makes ×1
            branches           +2:8 branch kept ×1
            branches           +5:12 no branch: values selected or predicated ×1
            branches           +12:12 branch kept ×1
            checks             +3:17 index in bounds: proved, no check ×1
            checks             +6:13 index in bounds: proved, no check ×1
            checks             +8:13 index in bounds: proved, no check ×1
            checks             +15:9 index in bounds: proved, no check ×1
            checks             +15:9 sum without overflow: checked at run time ×1
            0 bytes shared, 0 bytes local
        "#]],
    );
}

#[test]
fn several_elements_a_thread() {
    check(
        &coarse::KERNEL,
        expect![[r#"
            loops              -1:10 coarsened: 4 elements a thread ×1
            branches           +2:8 branch kept ×1
            checks             +3:9 index in bounds: proved, no check ×5
            checks             +3:20 index in bounds: proved, no check ×5
            accesses to memory -1:10 16 bytes loaded at once ×1
            accesses to memory -1:10 16 bytes stored at once ×1
            0 bytes shared, 0 bytes local
        "#]],
    );
}

#[test]
fn accesses_to_memory() {
    check(
        &accesses::KERNEL,
        expect![[r#"
            branches           +6:8 branch kept ×1
            branches           +9:20 no branch: values selected or predicated ×1
            branches           +11:8 branch kept ×1
            checks             +3:5 index in bounds: proved, no check ×1
            checks             +7:9 index in bounds: proved, no check ×1
            checks             +7:16 index in bounds: proved, no check ×1
            checks             +10:17 index in bounds: proved, no check ×1
            checks             +12:9 index in bounds: no check where `2 <= z.len()` ×1
            accesses to memory +7:9 16 bytes stored at once ×1
            accesses to memory +7:16 16 bytes loaded at once ×1
            accesses to memory +10:17 generic address: which memory is unknown ×1
            shared and local memory +1:5 512 bytes of shared memory ×1
            512 bytes shared, 0 bytes local
        "#]],
    );
}

#[test]
fn numbers_of_64_bits_and_memory_of_threads() {
    check(
        &wide_numbers::KERNEL,
        expect![[r#"
            loops              +4:5 loop kept ×1
            checks             +5:21 divisor not zero: no check where `by != 0` ×1
            checks             +5:22 index in bounds: proved, no check ×1
            checks             +6:9 index in bounds: proved, no check ×1
            checks             +9:5 index in bounds: no check where `block_dim().x <= (dynamic_shared_bytes / 8)` ×1
            checks             +9:27 index in bounds: proved, no check ×1
            checks             +11:5 index in bounds: no check where `out.len() != 0` ×1
            checks             +11:14 index in bounds: proved, no check ×1
            arithmetic         +5:21 division of 64 bits ×1
            shared and local memory +9:5 dynamic shared memory ×1
            0 bytes shared, 0 bytes local
        "#]],
    );
}

#[test]
fn functions_in_place() {
    check(
        &functions::KERNEL,
        expect![[r#"
            loops              +2:9 one element a thread with `.over(n)`, for a read at an index other than the thread's own ×1
            branches           +5:8 branch kept ×1
            checks             +2:9 index in bounds: no check where `y.len() + 1 <= x.len()` ×2
            checks             +6:9 index in bounds: proved, no check ×1
            checks             +6:52 index in bounds: proved, no check ×1
            arithmetic         +2:9 multiply-add contracted ×2
            arithmetic         +6:16 multiply-add contracted ×1
            arithmetic         +6:57 `exp` to the last bits ×1
            0 bytes shared, 0 bytes local
        "#]],
    );
}

/// As a reader sees it, but with lines counted from the kernel's.
#[test]
fn a_report_is_a_table() {
    let report = saxpy::KERNEL.report();
    let text = (0..9).fold(report.to_string(), |text, line| {
        text.replace(&format!("{}:{}", file!(), report.line + line), &format!("saxpy.rs:{line}"))
    });
    expect![[r#"
        saxpy (saxpy.rs:0) for sm_75: about 12 registers (estimated from PTX), 0 bytes of shared memory, 0 bytes of local memory
          tested by the host before each launch: `y.len() <= x.len()` (saxpy.rs:3:20)
          loops
            saxpy.rs:1:13  4 elements a thread in launches with `.over(n)`
          branches
            saxpy.rs:2:8   branch kept
          checks
            saxpy.rs:3:9   index in bounds: proved, no check
            saxpy.rs:3:20  index in bounds: no check where `y.len() <= x.len()`
            saxpy.rs:3:27  index in bounds: proved, no check
          arithmetic
            saxpy.rs:3:16  multiply-add contracted
    "#]].assert_eq(&text);
}

/// Hints for kernels whose lines call functions with loops and barriers of their own.
mod hints {
    use kernel_runtime::prelude::*;

    #[kernel(block(128), instances(EXACT = [true, false]))]
    fn angles<const EXACT: bool>(x: &[f32], y: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < y.len() {
            let mut angle = x[i];
            for k in 0..32 {
                let next = angle * 3.0 + k as f32 * x[i];
                angle = if EXACT { next % 6.25 } else { next - (next * 0.16).trunc() * 6.25 };
            }
            y[i] = angle;
        }
    }

    #[kernel(cooperative, block(128))]
    fn steps(x: &mut [f32], y: &mut [f32]) {
        let i = global_idx().x;
        for _ in 0..8 {
            if i > 0 && i < x.len() && i < y.len() {
                y[i] = x[i - 1];
            }
            grid_barrier();
            if i < x.len() && i < y.len() {
                x[i] = y[i];
            }
            grid_barrier();
        }
    }

    #[kernel(block(256), instances(AT_ONCE = [true, false]))]
    fn sums<const AT_ONCE: bool>(x: &[f32], y: &mut [f32]) {
        let i = global_idx().x;
        let own: [f32; 8] = core::array::from_fn(|k| if i + k < x.len() { x[i + k] } else { 0.0 });
        let mut all = [0.0f32; 8];
        if AT_ONCE {
            all = block::reduce(own, |a, b| core::array::from_fn(|k| a[k] + b[k]));
        } else {
            for k in 0..8 {
                all[k] = block::reduce_add(own[k]);
            }
        }
        if i < y.len() {
            y[i] = all[0] * all[1] + all[7];
        }
    }

    #[kernel(block(128), arch(sm_80, sm_90))]
    fn product(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
        let mut left = shared::<SharedTile<f16, 64, 32>>();
        let mut right = shared::<SharedTile<f16, 32, 64>>();
        let (y, x) = (32 * (warp::warp_id() / 2), 32 * (warp::warp_id() % 2));
        let mut sum = warp::Acc::<f32, 32, 32>::zero();
        for step in 0..a.columns().div_ceil(32) {
            left.load(&a, [0, 32 * step]);
            right.load(&b, [32 * step, 0]);
            barrier();
            sum.mma(
                &warp::Left::<f16, 32, 32>::load(&left, [y, 0]),
                &warp::Right::<f16, 32, 32>::load(&right, [0, x]),
            );
            barrier();
        }
        sum.store(&mut c, [y, x]);
    }

    fn of(launch: Result<LaunchReport>) -> String {
        launch.unwrap().profile().unwrap().estimate.hints.join("\n")
    }

    #[test]
    fn loops_of_what_is_called() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let x = gpu
            .upload(&(0..1 << 15).map(|i| (1u64 << (i * 7 % 48)) as f32 + 0.3).collect::<Vec<_>>())
            .unwrap();
        let mut y = gpu.zeros::<f32>(1 << 15).unwrap();
        let exact = of(angles::<true>(&x, &mut y).grid(256).profile().run());
        assert!(exact.contains("the remainder of floats"), "{exact}");
        assert!(!exact.contains("#[unroll]"), "{exact}");
        let other = of(angles::<false>(&x, &mut y).grid(256).profile().run());
        assert!(!other.contains("the remainder of floats"), "{other}");
    }

    #[test]
    fn meetings_of_all_blocks() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let (mut x, mut y) = (gpu.zeros::<f32>(4096).unwrap(), gpu.zeros::<f32>(4096).unwrap());
        let found = of(steps(&mut x, &mut y).grid(32).profile().run());
        assert!(
            found.contains("of the waiting of warps is for all blocks of the grid, which meet at "),
            "{found}"
        );
        for other in ["of the lanes were active", "the busiest warp", "barriers of its block", "is written"] {
            assert!(!found.contains(other), "{found}");
        }
    }

    #[test]
    fn barriers_of_what_is_called() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let (x, mut y) = (gpu.zeros::<f32>(4096).unwrap(), gpu.zeros::<f32>(4096).unwrap());
        let each = of(sums::<false>(&x, &mut y).grid(16).profile().run());
        assert!(
            each.contains("barriers of its block") && each.contains("several values as one tuple or array"),
            "{each}"
        );
        let at_once = of(sums::<true>(&x, &mut y).grid(16).profile().run());
        assert!(!at_once.contains("barriers of its block"), "{at_once}");
    }

    #[test]
    fn tiles_of_uneven_rows() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let a = gpu.zeros::<f16>(64 * 264).unwrap();
        let mut c = gpu.zeros::<f32>(64 * 64).unwrap();
        let mut with_stride = |stride| {
            let (left, right) = (
                a.matrix_with_stride(64, 256, stride).unwrap(),
                a.matrix_with_stride(64, 64, stride).unwrap(),
            );
            of(product(left, right, c.matrix_mut(64, 64).unwrap()).grid(1).profile().run())
        };
        let uneven = with_stride(257);
        assert!(uneven.contains("the tile is loaded element by element"), "{uneven}");
        assert!(!uneven.contains("array for each field") && !uneven.contains("coarsen"), "{uneven}");
        let even = with_stride(264);
        assert!(!even.contains("element by element"), "{even}");
        assert!(even.contains("`Stages` start the copies of later steps"), "{even}");
    }
}
