//! Parts of buffers as arguments of launches, of copies, in streams and graphs: on a simulator, and on a GPU where there is one
//! (`REQUIRE_GPU=1` makes its absence a failure).

use kernel_runtime::Error;
use kernel_runtime::prelude::*;

/// Each element times two and one more: coarsened by itself, with accesses of 16 bytes where both parts begin at multiples of those.
macro_rules! doubles {
    ($($kernel:ident $element:ident)*) => {$(
        #[kernel]
        fn $kernel(x: &[$element], y: &mut [$element]) {
            let i = global_idx().x;
            if i < x.len() && i < y.len() {
                y[i] = x[i] + x[i] + 1 as $element;
            }
        }
    )*};
}
doubles! { double_f32 f32 double_u8 u8 double_u16 u16 }

#[kernel]
fn count(x: &[u32], counts: &[AtomicU32]) {
    let i = global_idx().x;
    if i < x.len() {
        counts[(x[i] as usize) % counts.len()].fetch_add(1, Ordering::Relaxed);
    }
}

/// A product of 64 × 64 tiles, which are loaded by maps or chunks of 16 bytes where these are aligned.
#[kernel(block(256), arch(sm_80, sm_90a))]
fn multiply(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f16, 64, 64>, SharedTile<f16, 64, 64>), 2>>();
    stages.multiply_tiles(
        [c.rows(), c.columns()],
        a.columns().div_ceil(64),
        |(left, right), [row, column], step| {
            (left.load(&a, [row, 64 * step]), right.load(&b, [64 * step, column]))
        },
        |sum: warp::Acc<f32, 16, 64>, at| sum.store(&mut c, at),
    );
}

fn everywhere() -> Vec<Gpu> {
    [Gpu::simulator(Arch::Sm80), Gpu::simulator(Arch::Sm90a)]
        .into_iter()
        .chain(tests::cuda_or_skip())
        .collect()
}

#[test]
fn arguments_begin_anywhere() {
    for gpu in everywhere() {
        macro_rules! compare {
            ($($kernel:ident $element:ident)*) => {$(
                let data: Vec<$element> = (0..5000u32).map(|i| (i % 100) as $element).collect();
                let x = gpu.upload(&data).unwrap();
                for (from, to, len) in [(0, 0, 5000), (1, 0, 4999), (16, 3, 1000), (7, 7, 4001), (4999, 1, 1), (5000, 5000, 0)] {
                    let mut y = gpu.upload(&data).unwrap();
                    $kernel(x.slice(from..from + len).unwrap(), &mut y.slice_mut(to..to + len).unwrap())
                        .over(len.max(1))
                        .run()
                        .unwrap();
                    let mut expected = data.clone();
                    for i in 0..len {
                        expected[to + i] = data[from + i] + data[from + i] + 1 as $element;
                    }
                    assert_eq!(y.to_vec().unwrap(), expected, "{from} {to} {len} on {}", gpu.describe());
                }
            )*};
        }
        compare! { double_f32 f32 double_u8 u8 double_u16 u16 }
    }
}

#[test]
fn parts_of_one_buffer() {
    for gpu in everywhere() {
        let stream = gpu.stream().unwrap();
        let mut x = gpu.upload(&(0..3000).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
        let (first, mut rest) = x.split_at_mut(1000).unwrap();
        let (mut second, mut third) = rest.split_at_mut(1000).unwrap();
        // One launch reads a part and writes another, and the next reads that.
        double_f32(first.as_slice(), &mut second).over(1000).start(&stream).unwrap();
        double_f32(second.as_slice(), &mut third).over(1000).start(&stream).unwrap();
        assert_eq!(third.to_vec().unwrap()[999], 4.0 * 999.0 + 3.0);
        let whole = x.to_vec().unwrap();
        assert_eq!([whole[999], whole[1000], whole[1999], whole[2000]], [999.0, 1.0, 1999.0, 3.0]);

        let mut numbers = gpu.upload(&[1u32, 2, 3, 4, 5, 6, 7, 0, 0, 0, 9]).unwrap();
        let (data, mut counts) = numbers.split_at_mut(7).unwrap();
        count(data.as_slice(), &mut counts.slice_mut(..3).unwrap()).over(7).run().unwrap();
        assert_eq!(numbers.to_vec().unwrap(), [1, 2, 3, 4, 5, 6, 7, 2, 3, 2, 9]);
    }
}

#[test]
fn copies() {
    for gpu in everywhere() {
        let x = gpu.upload(&[1i32, 2, 3, 4, 5]).unwrap();
        let mut y = gpu.zeros::<i32>(6).unwrap();
        y.slice_mut(1..4).unwrap().copy_from(&x.slice(2..).unwrap()).unwrap();
        y.slice_mut(4..).unwrap().copy_from_slice(&[8, 9]).unwrap();
        assert_eq!(y.to_vec().unwrap(), [0, 3, 4, 5, 8, 9]);
        y.slice_mut(..=1).unwrap().set_zero().unwrap();
        let mut two = [0; 2];
        y.slice(1..3).unwrap().copy_to_slice(&mut two).unwrap();
        assert_eq!(two, [0, 4]);
        let (mut low, high) = y.split_at_mut(3).unwrap();
        low.copy_from(&high).unwrap();
        assert_eq!(y.to_vec().unwrap(), [5, 8, 9, 5, 8, 9]);
        let error = y.slice(1..3).unwrap().copy_to_slice(&mut [0; 3]).expect_err("lengths differ");
        assert!(matches!(error, Error::Length { buffer: 2, host: 3 }), "{error}");
        let error = y.copy_from(&x.slice(1..).unwrap()).expect_err("lengths differ");
        assert!(matches!(error, Error::CopyLength { from: 4, to: 6 }), "{error}");

        let (stream, mut pinned) = (gpu.stream().unwrap(), gpu.pinned::<i32>(2).unwrap());
        stream.copy(&x.slice(..2).unwrap(), &mut y.slice_mut(4..).unwrap()).unwrap();
        stream.set_zero(&mut y.slice_mut(..1).unwrap()).unwrap();
        stream.copy_to_host(&y.slice(4..).unwrap(), &mut pinned).unwrap();
        assert_eq!(pinned.read().unwrap(), [1, 2]);
        stream.copy_to_device(&pinned, &mut y.slice_mut(1..3).unwrap()).unwrap();
        assert_eq!(y.to_vec().unwrap(), [0, 1, 2, 5, 1, 2]);

        let mut lent = y.lend();
        let same = lent;
        stream.copy(&same, &mut lent).unwrap();
        assert_eq!(lent.to_vec().unwrap(), [0, 1, 2, 5, 1, 2]);

        let (mut low, high) = y.split_at_mut(2).unwrap();
        let graph = gpu.graph(|recording| recording.copy(high.slice(..2)?, &mut low));
        graph.unwrap().run().unwrap();
        assert_eq!(y.to_vec().unwrap(), [2, 5, 2, 5, 1, 2]);
    }
}

#[test]
fn matrices_begin_anywhere() {
    let (rows, inner, columns) = (70, 80, 72);
    let number = |i: usize| f16::from_f32((i * 7 % 11) as f32 - 5.0);
    let a: Vec<f16> = (0..9 + rows * inner).map(number).collect();
    let b: Vec<f16> = (0..9 + inner * columns).map(number).collect();
    for gpu in everywhere() {
        let (of_a, of_b) = (gpu.upload(&a).unwrap(), gpu.upload(&b).unwrap());
        for start in [0, 1, 2, 8, 9] {
            let mut c = gpu.zeros::<f32>(3 + rows * columns).unwrap();
            multiply(
                of_a.slice(start..).unwrap().matrix(rows, inner).unwrap(),
                of_b.slice(start..).unwrap().matrix(inner, columns).unwrap(),
                c.slice_mut(3..).unwrap().matrix_mut(rows, columns).unwrap(),
            )
            .grid(2)
            .run()
            .unwrap();
            let product = |place: usize| -> f32 {
                let (i, j) = (place / columns, place % columns);
                (0..inner)
                    .map(|k| a[start + i * inner + k].to_f32() * b[start + k * columns + j].to_f32())
                    .sum()
            };
            let expected: Vec<f32> = (0..rows * columns).map(product).collect();
            assert_eq!(
                c.slice(3..).unwrap().to_vec().unwrap(),
                expected,
                "from {start} on {}",
                gpu.describe()
            );
        }
    }
}

#[test]
fn ranges_that_are_not_there() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.upload(&[1u8, 2, 3]).unwrap();
    let error = x.slice(2..5).expect_err("two of three are left").to_string();
    assert!(error.contains("expected a range of a buffer of 3 elements, found 2..5"), "{error}");
    #[expect(clippy::reversed_empty_ranges, reason = "it is refused")]
    let error = x.slice(2..1).expect_err("ends before it starts");
    assert!(matches!(error, Error::Range { start: 2, end: 1, len: 3 }), "{error}");
    let error = x.slice_mut(..).unwrap().slice_mut(..=usize::MAX).expect_err("overflows");
    assert!(matches!(error, Error::Range { start: 0, end: usize::MAX, len: 3 }), "{error}");
    let error = x.split_at_mut(4).expect_err("behind the end");
    assert!(matches!(error, Error::Range { start: 0, end: 4, len: 3 }), "{error}");
    assert!(x.slice(3..).unwrap().to_vec().unwrap().is_empty());
    let error = x.slice(1..).unwrap().matrix(3, 1).expect_err("two elements");
    assert!(matches!(error, Error::Matrix { len: 2, .. }), "{error}");
}

/// A lent buffer is refused as a second argument that is written, also where it comes as a part.
#[test]
fn parts_of_a_lent_buffer_are_lent() -> Result<()> {
    use kernel_runtime::DeviceSlice;

    #[kernel]
    fn copy(x: &[u32], y: &mut [u32]) {
        let i = global_idx().x;
        if i < x.len() && i < y.len() {
            y[i] = x[i];
        }
    }

    let gpu = Gpu::simulator(Arch::Sm90);
    let mut buffer = gpu.upload(&[1u32, 2, 3, 4])?;
    let lent = buffer.lend();
    let refused = copy(lent.part().slice(1..)?, lent).over(4).run().expect_err("both are one buffer");
    expect_test::expect![[r#"
        launch of `copy` refused: argument `y` is a buffer that the launch has been given before, and the kernel writes to it
        help: what a kernel writes is its own, as `&mut` says; lend another buffer"#]].assert_eq(&refused.to_string());
    let as_handles = copy(lent, lent).over(4).run().expect_err("both are one buffer");
    assert_eq!(as_handles.to_string(), refused.to_string());
    Ok(())
}
