//! Validated indices as parameters of kernels: on the simulator, the CPU reference and the GPU if there is one.

use expect_test::expect;
use kernel_runtime::ChecksTaken;
use kernel_runtime::prelude::*;

/// The product of a sparse matrix in compressed rows and a vector.
#[kernel(deny_checks)]
fn spmv(start: Indices<'_, u32>, col: Indices<'_, u32>, values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx().x;
    if row < y.len() && row + 1 < start.len() {
        let mut sum = 0.0;
        for at in start[row] as usize..start[row + 1] as usize {
            sum += values[at] * x[col[at] as usize];
        }
        y[row] = sum;
    }
}

#[kernel_module]
mod generic {
    use kernel_runtime::prelude::*;

    fn gathered(from: Indices<'_, i64>, x: &[u32], i: usize) -> u32 {
        x[from[i] as usize]
    }

    #[kernel]
    pub fn gather(from: Indices<'_, i64>, x: &[u32], y: &mut [u32]) {
        let i = global_idx().x;
        if i < y.len() && i < from.len() {
            y[i] = gathered(from, x, i);
        }
    }

    /// Counts each index.
    #[kernel]
    pub fn count_bytes(bins: Indices<'_, u8>, counts: &[AtomicU32]) {
        for &bin in bins.iter().skip(global_idx().x).step_by(global_size().x) {
            counts[bin as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    #[kernel]
    pub fn count_signed(bins: Indices<'_, i32>, counts: &[AtomicU32]) {
        for &bin in bins.iter().skip(global_idx().x).step_by(global_size().x) {
            counts[bin as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The simulator, and the GPU if there is one.
fn devices() -> Vec<Gpu> {
    let mut gpus = vec![Gpu::simulator(Arch::Sm90)];
    gpus.extend(Gpu::new().ok().filter(|gpu| !gpu.is_simulator()));
    gpus
}

#[test]
fn sparse_rows() -> Result<(), Error> {
    let rows = 300;
    let start: Vec<u32> = (0..=rows as u32).map(|row| row * (row + 1) / 2).collect();
    let entries = start[rows] as usize;
    let col: Vec<u32> = (0..entries as u32).map(|at| at * 5 % 301).collect();
    let values: Vec<f32> = (0..entries).map(|at| (at % 13) as f32).collect();
    let x: Vec<f32> = (0..301).map(|at| (at % 11) as f32).collect();
    let mut expected = vec![0.0; rows];
    spmv::cpu(&start, &col, &values, &x, &mut expected).over(rows).run()?;
    assert_eq!(expected[1], values[1] * x[col[1] as usize] + values[2] * x[col[2] as usize]);
    for gpu in devices() {
        let (start, col) = (gpu.upload_indices(&start)?, gpu.upload_indices(&col)?);
        assert_eq!((start.bound(), col.bound()), (entries + 1, 301));
        let (values, x, mut y) = (gpu.upload(&values)?, gpu.upload(&x)?, gpu.zeros::<f32>(rows)?);
        let report = spmv(&start, &col, &values, &x, &mut y).over(rows).run()?;
        assert!(matches!(report.checks, ChecksTaken::CheckFree), "{}", report.checks);
        assert_eq!(y.to_vec()?, expected);
    }
    Ok(())
}

#[test]
fn indices_beyond_the_slice_are_found_by_the_checks() -> Result<(), Error> {
    let gpu = Gpu::simulator(Arch::Sm80);
    let from = gpu.upload(&[0i64, 3, 1])?;
    let (x, mut y) = (gpu.upload(&[10u32, 11, 12])?, gpu.zeros::<u32>(3)?);
    let error = generic::gather(from.indices()?, &x, &mut y).over(3).run().unwrap_err().to_string();
    assert!(error.contains("index out of bounds: the len is 3 but the index is 3"), "{error}");
    // Two threads alone read what is there.
    let report = generic::gather(from.indices()?, &x, &mut y).grid(1).block(1).run()?;
    assert!(matches!(report.checks, ChecksTaken::Failed(_)), "{}", report.checks);
    Ok(())
}

#[test]
fn narrow_and_signed_indices() -> Result<(), Error> {
    for gpu in devices() {
        let mut counts = gpu.zeros::<u32>(256)?;
        let bins: Vec<u8> = (0..1000).map(|i| (i % 256) as u8).collect();
        generic::count_bytes(&gpu.upload_indices(&bins)?, &mut counts).grid(2).block(64).run()?;
        let bins: IndexBuffer<i32> = gpu.upload(&[0, 0, 255])?.into_indices()?;
        let report = generic::count_signed(&bins, &mut counts).grid(2).block(64).run()?;
        assert!(matches!(report.checks, ChecksTaken::CheckFree), "{}", report.checks);
        let counts = counts.to_vec()?;
        assert_eq!((counts[0], counts[1], counts[255]), (4 + 2, 4, 3 + 1));
    }
    Ok(())
}

#[test]
fn the_bound_is_of_what_was_written_last() -> Result<(), Error> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let from = gpu.upload_indices(&[2i64, 0])?;
    assert_eq!(from.bound(), 3);
    let mut buffer = from.into_buffer();
    buffer.copy_from_slice(&[7, 1])?;
    assert_eq!(buffer.indices()?.bound(), 8);
    assert_eq!(gpu.upload_indices::<u32>(&[])?.bound(), 0);
    assert_eq!(gpu.upload_indices(&[u32::MAX])?.bound(), 1 << 32);
    Ok(())
}

#[test]
fn no_indices() {
    let gpu = Gpu::simulator(Arch::Sm90);
    expect![[r#"
        expected indices in a buffer of 2 `i32`, found -3 in element 1
        help: take a slice in the kernel, `&[i32]`, and test each element there"#]]
    .assert_eq(&gpu.upload_indices(&[4, -3i32]).unwrap_err().to_string());
    expect![[r#"
        expected indices in a buffer of 1 `u64`, found 18446744073709551615 in element 0
        help: take a slice in the kernel, `&[u64]`, and test each element there"#]]
    .assert_eq(&gpu.upload_indices(&[u64::MAX]).unwrap_err().to_string());
}
