//! Matrices and volumes as parameters of kernels: on the simulator, the CPU reference and the GPU if there is one, with equal bits.

use expect_test::expect;
use kernel_runtime::LaunchError;
use kernel_runtime::prelude::*;

/// The mean of each inner element's neighbours.
#[kernel(deny_checks)]
fn jacobi(x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>) {
    let (row, column) = (global_idx().y, global_idx().x);
    if row >= 1
        && row + 1 < x.rows()
        && column >= 1
        && column + 1 < x.columns()
        && row < y.rows()
        && column < y.columns()
    {
        let across = x[[row, column - 1]] + x[[row, column + 1]];
        y[[row, column]] = 0.25 * (x[[row - 1, column]] + x[[row + 1, column]] + across);
    }
}

#[kernel_module]
mod generic {
    use kernel_runtime::prelude::*;

    /// Rows become columns.
    #[kernel(instances(T = [f64, u8]))]
    pub fn transpose<T: Number>(x: Matrix<'_, T>, mut y: MatrixMut<'_, T>) {
        let (row, column) = (global_idx().y, global_idx().x);
        if row < x.rows() && column < x.columns() {
            y[[column, row]] = x.at(row, column);
        }
    }

    /// Each row is replaced by its running sums.
    #[kernel]
    pub fn running_sums(mut x: MatrixMut<'_, i32>) {
        let row = global_idx().x;
        if row < x.rows() {
            let mut sum = 0;
            for value in x.row_mut(row) {
                sum += *value;
                *value = sum;
            }
        }
    }

    /// Copies the upper rows through a tile; those below stay as they are.
    #[kernel(block(32), arch(sm_80))]
    pub fn upper(x: Matrix<'_, f16>, mut y: MatrixMut<'_, f32>, rows: usize) {
        let mut tile = shared::<SharedTile<f16, 16, 16>>();
        let mut identity = shared::<SharedTile<f16, 16, 16>>();
        tile.load(&x.first_rows(rows), [0, 0]);
        identity.load(&x, [16, 0]);
        barrier();
        let left = warp::Left::<f16, 16, 16>::load(&tile, [0, 0]);
        let mut sum = warp::Acc::<f32, 16, 16>::zero();
        sum.mma(&left, &warp::Right::<f16, 16, 16>::load(&identity, [0, 0]));
        // One more than there are of x: a row of zeros.
        sum.store(&mut y.first_rows(rows + 1), [0, 0]);
    }

    /// Sums of neighbours in three dimensions.
    #[kernel(deny_checks)]
    pub fn heat(x: Volume<'_, f32>, mut y: VolumeMut<'_, f32>) {
        let at = global_idx();
        let (p, r, c) = (at.z, at.y, at.x);
        let (depth, rows, columns) = (y.depth(), y.rows(), y.columns());
        if p >= 1
            && p + 1 < x.depth()
            && p < depth
            && r >= 1
            && r + 1 < x.rows()
            && r < rows
            && c >= 1
            && c + 1 < x.columns()
            && c < columns
        {
            y[[p, r, c]] =
                x[[p - 1, r, c]] + x[[p + 1, r, c]] + x[[p, r - 1, c]] + x[[p, r + 1, c]] + x.at(p, r, c);
        }
    }

    /// Copies four elements at a time, from one row and one column below the first on.
    #[kernel]
    pub fn fours(x: Matrix<'_, f32>, mut y: MatrixMut<'_, f32>) {
        let (row, column) = (global_idx().y, 4 * global_idx().x);
        let at =
            |n: usize| if row < x.rows() && column + n < x.columns() { x[[row, column + n]] } else { -1.0 };
        y.store_vector([row + 1, column + 1], F32x4::new(at(0), at(1), at(2), at(3)));
        if row == 0 {
            y.store_vector([0, column], F32x4::splat(0.5));
        }
    }

    /// Copies the element at a place that nothing guards.
    #[kernel]
    pub fn copy_one(x: Matrix<'_, f32>, row: usize, column: usize, mut y: MatrixMut<'_, f32>) {
        if global_idx().x == 0 {
            y[[0, 0]] = x[[row, column]];
        }
    }
}

fn devices() -> Vec<Gpu> {
    let mut gpus = vec![Gpu::simulator(Arch::Sm90)];
    gpus.extend(Gpu::new().ok().filter(|gpu| !gpu.is_simulator()));
    gpus
}

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 37 % 101) as f32 * 0.25).collect()
}

#[test]
fn neighbours_are_the_same_everywhere() -> Result<()> {
    for (rows, columns, stride) in [(5, 7, 7), (33, 40, 64), (1, 9, 9), (3, 3, 5), (70, 65, 65)] {
        let data = numbers((rows - 1) * stride + columns);
        let mut expected = vec![0.0f32; data.len()];
        for row in 1..rows.saturating_sub(1) {
            for column in 1..columns - 1 {
                let at = |r: usize, c: usize| data[r * stride + c];
                let across = at(row, column - 1) + at(row, column + 1);
                expected[row * stride + column] = 0.25 * (at(row - 1, column) + at(row + 1, column) + across);
            }
        }
        let mut on_cpu = vec![0.0f32; data.len()];
        let x = Matrix::with_stride(&data, [rows, columns], stride);
        jacobi::cpu(x, MatrixMut::with_stride(&mut on_cpu, [rows, columns], stride))
            .over((columns, rows))
            .run()?;
        assert_eq!(on_cpu, expected, "{rows} × {columns}");
        for gpu in devices() {
            let x = gpu.upload(&data)?;
            let mut y = gpu.zeros::<f32>(data.len())?;
            let of_x = x.matrix_with_stride(rows, columns, stride)?;
            let of_y = y.matrix_mut_with_stride(rows, columns, stride)?;
            jacobi(of_x, of_y).over((columns, rows)).run()?;
            assert_eq!(y.to_vec()?, expected, "{rows} × {columns}");
        }
    }
    Ok(())
}

#[test]
fn elements_of_other_sizes_and_rows() -> Result<()> {
    let (rows, columns) = (19, 34);
    let wide: Vec<f64> = (0..rows * columns).map(|i| i as f64 * 0.5).collect();
    let bytes: Vec<u8> = (0..rows * columns).map(|i| (i * 7) as u8).collect();
    for gpu in devices() {
        let (x, b) = (gpu.upload(&wide)?, gpu.upload(&bytes)?);
        let (mut y, mut c) = (gpu.zeros::<f64>(wide.len())?, gpu.zeros::<u8>(bytes.len())?);
        generic::transpose::<f64>(x.matrix(rows, columns)?, y.matrix_mut(columns, rows)?)
            .over((columns, rows))
            .run()?;
        generic::transpose::<u8>(b.matrix(rows, columns)?, c.matrix_mut(columns, rows)?)
            .over((columns, rows))
            .run()?;
        let (y, c) = (y.to_vec()?, c.to_vec()?);
        for row in 0..rows {
            for column in 0..columns {
                assert_eq!(y[column * rows + row], wide[row * columns + column]);
                assert_eq!(c[column * rows + row], bytes[row * columns + column]);
            }
        }
        let mut sums = gpu.upload(&[1, 2, 3, 100, 10, 20, 30, 200])?;
        generic::running_sums(sums.matrix_mut_with_stride(2, 3, 4)?).over(2).run()?;
        assert_eq!(sums.to_vec()?, [1, 3, 6, 100, 10, 30, 60, 200]);
    }
    let mut sums = [1, 2, 3, 100, 10, 20, 30, 200];
    generic::running_sums::cpu(MatrixMut::with_stride(&mut sums, [2, 3], 4)).over(2).run()?;
    assert_eq!(sums, [1, 3, 6, 100, 10, 30, 60, 200]);
    Ok(())
}

#[test]
fn upper_rows() -> Result<()> {
    // Sixteen rows of numbers above the identity.
    let x: Vec<f16> = (0..32 * 16)
        .map(|at| if at < 256 { at as f32 } else { f32::from((at - 256) / 16 == at % 16) })
        .map(f16::from_f32)
        .collect();
    for rows in [0, 1, 7, 15, 16, 40] {
        let expected = |at: usize| match at / 16 {
            row if row < rows => at as f32,
            row if row == rows => 0.0,
            _ => -1.0,
        };
        let expected: Vec<f32> = (0..256).map(expected).collect();
        let mut on_cpu = vec![-1.0; 256];
        generic::upper::cpu(Matrix::new(&x, [32, 16]), MatrixMut::new(&mut on_cpu, [16, 16]), rows)
            .grid(1)
            .run()?;
        assert_eq!(on_cpu, expected, "{rows} rows on the CPU");
        for gpu in devices() {
            let (of_x, mut y) = (gpu.upload(&x)?, gpu.upload(&[-1.0f32; 256])?);
            generic::upper(of_x.matrix(32, 16)?, y.matrix_mut(16, 16)?, rows).grid(1).run()?;
            assert_eq!(y.to_vec()?, on_cpu, "{rows} rows on {}", gpu.describe());
        }
    }
    Ok(())
}

#[test]
fn volumes() -> Result<()> {
    let shape @ [depth, rows, columns] = [5, 6, 37];
    let data = numbers(depth * rows * columns);
    let mut expected = vec![0.0f32; data.len()];
    let x = Volume::new(&data, shape);
    let mut reference = VolumeMut::new(&mut expected, shape);
    for p in 1..depth - 1 {
        for r in 1..rows - 1 {
            for c in 1..columns - 1 {
                reference[[p, r, c]] =
                    x[[p - 1, r, c]] + x[[p + 1, r, c]] + x[[p, r - 1, c]] + x[[p, r + 1, c]] + x[[p, r, c]];
            }
        }
    }
    let mut on_cpu = vec![0.0f32; data.len()];
    generic::heat::cpu(x, VolumeMut::new(&mut on_cpu, shape)).over((columns, rows, depth)).run()?;
    assert_eq!(on_cpu, expected);
    for gpu in devices() {
        let x = gpu.upload(&data)?;
        let mut y = gpu.zeros::<f32>(data.len())?;
        let of_y = y.volume_mut(depth, rows, columns)?;
        generic::heat(x.volume(depth, rows, columns)?, of_y).over((columns, rows, depth)).run()?;
        assert_eq!(y.to_vec()?, expected);
    }
    Ok(())
}

/// A graph reads and writes the same matrices in turn, and the same volumes.
#[test]
fn lent_views() -> Result<()> {
    let (rows, columns) = (9, 33);
    let data = numbers(rows * columns);
    let mut expected = [data.clone(), data.clone()];
    for step in 0..6 {
        let [x, y] = &mut expected;
        let (x, y) = if step % 2 == 0 { (x, y) } else { (y, x) };
        let (x, y) = (Matrix::new(x, [rows, columns]), MatrixMut::new(y, [rows, columns]));
        jacobi::cpu(x, y).over((columns, rows)).run()?;
    }
    for gpu in devices() {
        let (mut x, mut y) = (gpu.upload(&data)?, gpu.upload(&data)?);
        let (x, y) = (x.lend(), y.lend());
        let (a, b) = (x.matrix(rows, columns)?, y.matrix(rows, columns)?);
        assert_eq!((a.rows(), b.columns(), a.stride()), (rows, columns, columns));
        let graph = gpu.graph(|graph| {
            jacobi(a, b).over((columns, rows)).record(graph)?;
            jacobi(b, a).over((columns, rows)).record(graph)
        })?;
        for _ in 0..3 {
            graph.run()?;
        }
        assert_eq!([x.to_vec()?, y.to_vec()?], expected);
        let error = jacobi(a, a).over((columns, rows)).run().unwrap_err();
        assert!(
            matches!(error, Error::Launch { reason: LaunchError::LentTwice { argument: "y" }, .. }),
            "{error}"
        );
        assert!(x.matrix(rows + 1, columns).is_err() && x.matrix_with_stride(2, 8, 7).is_err());

        let (a, b) = (x.volume(3, 3, columns)?, y.volume(3, 3, columns)?);
        assert_eq!((a.depth(), a.rows(), b.columns()), (3, 3, columns));
        y.set_zero()?;
        generic::heat(a, b).over((columns, 3, 3)).run()?;
        let of_x = x.to_vec()?;
        let at = |p: usize, r: usize, c: usize| of_x[(3 * p + r) * columns + c];
        let centre = at(0, 1, 7) + at(2, 1, 7) + at(1, 0, 7) + at(1, 2, 7) + at(1, 1, 7);
        let mut of_y = vec![0.0; rows * columns];
        y.copy_to_slice(&mut of_y)?;
        assert_eq!((of_y[4 * columns + 7], of_y[0]), (centre, 0.0));
        let error = generic::heat(b, b).over((columns, 3, 3)).run().unwrap_err();
        assert!(
            matches!(error, Error::Launch { reason: LaunchError::LentTwice { argument: "y" }, .. }),
            "{error}"
        );
    }
    Ok(())
}

/// The dimension that fails is told with its number and its size, at the access.
#[test]
fn the_dimension_that_fails() -> Result<()> {
    let data = numbers(12);
    let line = include_str!("matrices.rs").lines().position(|line| line.contains("= x[[row, column]];"));
    let place = format!("matrices.rs:{}:", line.unwrap_or_default() + 1);
    let told = |error: Error| error.to_string().lines().next().unwrap_or_default().to_owned();
    for (row, column, expected) in [
        (3, 0, "row out of bounds: the matrix has 3 rows but the row is 3"),
        (0, 4, "column out of bounds: the matrix has 4 columns but the column is 4"),
        (usize::MAX, 1, "row out of bounds: the matrix has 3 rows but the row is 18446744073709551615"),
        // Places that would be in the slice.
        (1 << 32, 0, "row out of bounds: the matrix has 3 rows but the row is 4294967296"),
        (0, 11, "column out of bounds: the matrix has 4 columns but the column is 11"),
    ] {
        let mut one = [0.0f32];
        let (x, y) = (Matrix::new(&data, [3, 4]), MatrixMut::new(&mut one, [1, 1]));
        let error = generic::copy_one::cpu(x, row, column, y).over(1).run().unwrap_err();
        assert!(told(error.clone()).contains(expected), "{error}");
        for gpu in devices() {
            let x = gpu.upload(&data)?;
            let mut y = gpu.zeros::<f32>(1)?;
            let launch = generic::copy_one(x.matrix(3, 4)?, row, column, y.matrix_mut(1, 1)?);
            let error = launch.over(1).run().unwrap_err();
            // With the name of the matrix, which the compiler knows.
            assert!(told(error.clone()).contains(&format!("`x`: {expected}")), "{error}");
            assert!(told(error.clone()).contains(&place), "{error}");
        }
    }
    Ok(())
}

#[test]
fn shapes_that_are_not_in_the_buffer() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.zeros::<f32>(12)?;
    let told = [
        x.matrix(3, 5).unwrap_err(),
        x.matrix_with_stride(3, 4, 3).unwrap_err(),
        x.matrix_mut(1 << 32, 1).unwrap_err(),
        x.matrix(1 << 31, 1 << 31).unwrap_err(),
        x.volume(2, 3, 4).unwrap_err(),
        x.volume_mut(1, usize::MAX, usize::MAX).unwrap_err(),
    ]
    .map(|error| error.to_string());
    expect![[r#"
        a buffer of 12 elements has no matrix of 3 rows and 5 columns with a row every 5 elements
        help: it needs 15 elements: check the sizes and their order
        a buffer of 12 elements has no matrix of 3 rows and 4 columns with a row every 3 elements
        help: a row of 4 elements needs a stride of 4 or more
        a buffer of 12 elements has no matrix of 4294967296 rows and 1 columns with a row every 1 elements
        help: a kernel takes less than 2³² elements at once: see a part of the buffer as one
        a buffer of 12 elements has no matrix of 2147483648 rows and 2147483648 columns with a row every 2147483648 elements
        help: a kernel takes less than 2³² elements at once: see a part of the buffer as one
        a buffer of 12 elements has no volume of 2 planes of 3 rows and 4 columns
        help: it needs 24 elements: check the sizes and their order
        a buffer of 12 elements has no volume of 1 planes of 18446744073709551615 rows and 18446744073709551615 columns
        help: a kernel takes less than 2³² elements at once: see a part of the buffer as one"#]].assert_eq(&told.join("\n"));
    // The last row needs no more than its columns; nothing needs no elements.
    assert!(x.matrix_with_stride(3, 2, 5).is_ok() && x.matrix(0, 7).is_ok() && x.volume(3, 0, 9).is_ok());
    Ok(())
}

#[test]
fn launches_over_extents() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let x = gpu.zeros::<f32>(12)?;
    let mut y = gpu.zeros::<f32>(12)?;
    let error = jacobi(x.matrix(3, 4)?, y.matrix_mut(3, 4)?).over((4, 0)).run().unwrap_err();
    expect![[r#"
        launch of `jacobi` refused: `over(0)` launches nothing
        help: skip the launch when there is nothing to do"#]]
    .assert_eq(&error.to_string());
    let error = jacobi(x.matrix(3, 4)?, y.matrix_mut(3, 4)?).over((4, 3)).grid(1).run().unwrap_err();
    expect![[r#"
        launch of `jacobi` refused: both `over` and `grid` were given
        help: `over(n)` chooses the grid; leave one of them out"#]]
    .assert_eq(&error.to_string());
    let report = jacobi(x.matrix(3, 4)?, y.matrix_mut(3, 4)?).over((40, 9)).run()?;
    assert_eq!((report.grid, report.block), ([2, 2, 1], [32, 8, 1]));
    let report = jacobi(x.matrix(3, 4)?, y.matrix_mut(3, 4)?).over((40, 9)).block((16, 16)).run()?;
    assert_eq!((report.grid, report.block), ([3, 1, 1], [16, 16, 1]));
    Ok(())
}

/// Leaves out elements outside of the matrix, whether four are stored at once or one by one.
#[test]
fn vectors_are_stored_inside() -> Result<()> {
    for (rows, columns, stride) in [(3, 8, 8), (4, 9, 12), (5, 6, 7), (1, 1, 1)] {
        let x: Vec<f32> = (0..rows * columns).map(|at| at as f32).collect();
        let mut expected = vec![-3.0f32; rows * stride];
        for row in 0..rows {
            for column in 0..columns {
                // Of the first column below the first row nothing is stored.
                if row == 0 || column > 0 {
                    expected[row * stride + column] =
                        if row == 0 { 0.5 } else { x[(row - 1) * columns + column - 1] };
                }
            }
        }
        let mut on_cpu = vec![-3.0f32; rows * stride];
        generic::fours::cpu(
            Matrix::new(&x, [rows, columns]),
            MatrixMut::with_stride(&mut on_cpu, [rows, columns], stride),
        )
        .grid((1, 1))
        .block((4, 8))
        .run()?;
        assert_eq!(on_cpu, expected);
        for gpu in devices() {
            let (of_x, mut y) = (gpu.upload(&x)?, gpu.upload(&vec![-3.0f32; rows * stride])?);
            let to = y.matrix_mut_with_stride(rows, columns, stride)?;
            generic::fours(of_x.matrix(rows, columns)?, to).grid((1, 1)).block((4, 8)).run()?;
            assert_eq!(y.to_vec()?, expected);
        }
    }
    Ok(())
}

#[test]
fn alignment_of_rows() -> Result<()> {
    for gpu in devices() {
        let x = gpu.zeros::<f16>(8 * 24)?;
        assert!(x.matrix(8, 24)?.rows_are_aligned(16));
        assert!(!x.matrix(8, 20)?.rows_are_aligned(16));
        assert!(x.matrix(8, 20)?.rows_are_aligned(8));
        assert!(x.matrix_with_stride(8, 20, 24)?.rows_are_aligned(16));
        assert!(!x.slice(1..)?.matrix(1, 24)?.rows_are_aligned(16));
        assert!(x.slice(8..)?.matrix(1, 24)?.rows_are_aligned(16));
    }
    Ok(())
}
