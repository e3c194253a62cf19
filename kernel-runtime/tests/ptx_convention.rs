//! The entries of a kernel's PTX and their parameters, which whoever launches that PTX without this crate relies on:
//! `docs/src/interop.md` promises them within a minor version. A change here is one of the API.

use expect_test::{Expect, expect};
use kernel_abi::{output, panic::PanicRecord};
use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;

/// The entries of a kernel's PTX with their parameters, as it declares them.
fn signatures(kernel: &Kernel) -> String {
    let entries = kernel.ptx().split(".visible .entry ").skip(1);
    let signatures = entries.map(|entry| entry.split_inclusive(')').next().unwrap_or(entry));
    signatures.flat_map(str::lines).map(|line| format!("{}\n", line.trim())).collect()
}

fn check(kernel: &Kernel, expected: Expect) {
    expected.assert_eq(&signatures(kernel));
}

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy)]
    #[repr(C)]
    pub struct Step {
        pub on: bool,
        pub time: f64,
    }

    #[kernel]
    pub fn scalars(
        flag: bool,
        small: u16,
        n: u32,
        at: usize,
        by: i64,
        half: f16,
        one: f32,
        two: f64,
        y: &mut [f64],
    ) {
        let i = global_idx().x;
        if flag && i < y.len() {
            y[i] = small as f64 + n as f64 + at as f64 + by as f64 + half.to_f64() + one as f64 + two;
        }
    }

    #[kernel]
    pub fn values(vector: F32x4, array: [u32; 3], step: Step, y: &mut [f32]) {
        let i = global_idx().x;
        if step.on && i < y.len() {
            y[i] = vector.x + array[2] as f32 + step.time as f32;
        }
    }

    #[kernel]
    pub fn slices(x: &[u8], counts: &[AtomicU32], y: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < counts.len() && i < y.len() {
            counts[i].fetch_add(x[i] as u32, Ordering::Relaxed);
            y[i] = 1.0;
        }
    }

    #[kernel(index(u64))]
    pub fn wide_index(a: f32, x: &[f32], y: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < y.len() {
            y[i] = a * x[i];
        }
    }

    /// # Safety
    /// Both point to `n` numbers.
    #[kernel]
    pub unsafe fn pointers(n: u32, x: *const f32, y: *mut f32) {
        let i = global_idx().x;
        if i < n as usize {
            // SAFETY: by the condition of the kernel.
            unsafe { *y.add(i) = *x.add(i) };
        }
    }

    #[kernel]
    pub fn views(a: Matrix<'_, f32>, v: Volume<'_, f32>, at: Indices<'_, u32>, mut b: MatrixMut<'_, f32>) {
        let (row, column) = (global_idx().y, global_idx().x);
        if row < b.rows()
            && column < b.columns()
            && row < a.rows()
            && column < a.columns()
            && column < at.len()
        {
            b[[row, column]] = a[[row, column]] + v.depth() as f32 + at.len() as f32;
        }
    }

    /// Launch guards stand for the check of `x`.
    #[kernel]
    pub fn guarded(x: &[f32], y: &mut [f32]) {
        let i = global_idx().x;
        if i < y.len() {
            y[i] = x[i];
        }
    }

    #[kernel]
    pub fn panics(at: u32, y: &mut [u32]) {
        let past = y[y[at as usize] as usize];
        y[0] = past;
    }

    #[kernel]
    pub fn prints(n: u32) {
        println!("{n}");
    }

    #[kernel]
    pub fn prints_and_panics(n: u32) {
        println!("{n}");
        assert!(n < 4, "{n}");
    }

    #[kernel(instances(T = [f32, i32], N = [1, 4]))]
    pub fn filled<T: Number, const N: usize>(value: T, out: &mut [T]) {
        let i = global_idx().x * N;
        if i < out.len() {
            out[i] = value;
        }
    }
}

#[test]
fn scalars_have_their_size() {
    check(
        &kernels::scalars::KERNEL,
        expect![[r#"
        scalars(
        .param .u8 scalars_flag,
        .param .u16 scalars_small,
        .param .u32 scalars_n,
        .param .u64 scalars_at,
        .param .u64 scalars_by,
        .param .b16 scalars_half,
        .param .f32 scalars_one,
        .param .f64 scalars_two,
        .param .u64 .ptr .global .align 8 scalars_y,
        .param .u32 scalars_y_len
        )
        scalars__coarsened(
        .param .u8 scalars__coarsened_flag,
        .param .u16 scalars__coarsened_small,
        .param .u32 scalars__coarsened_n,
        .param .u64 scalars__coarsened_at,
        .param .u64 scalars__coarsened_by,
        .param .b16 scalars__coarsened_half,
        .param .f32 scalars__coarsened_one,
        .param .f64 scalars__coarsened_two,
        .param .u64 .ptr .global .align 8 scalars__coarsened_y,
        .param .u32 scalars__coarsened_y_len
        )
    "#]],
    );
}

#[test]
fn values_are_bytes() {
    check(
        &kernels::values::KERNEL,
        expect![[r#"
        values(
        .param .f32 values_vector_x,
        .param .f32 values_vector_y,
        .param .f32 values_vector_z,
        .param .f32 values_vector_w,
        .param .u32 values_array_0,
        .param .u32 values_array_1,
        .param .u32 values_array_2,
        .param .u8 values_step_on,
        .param .f64 values_step_time,
        .param .u64 .ptr .global .align 4 values_y,
        .param .u32 values_y_len
        )
        values__coarsened(
        .param .f32 values__coarsened_vector_x,
        .param .f32 values__coarsened_vector_y,
        .param .f32 values__coarsened_vector_z,
        .param .f32 values__coarsened_vector_w,
        .param .u32 values__coarsened_array_0,
        .param .u32 values__coarsened_array_1,
        .param .u32 values__coarsened_array_2,
        .param .u8 values__coarsened_step_on,
        .param .f64 values__coarsened_step_time,
        .param .u64 .ptr .global .align 4 values__coarsened_y,
        .param .u32 values__coarsened_y_len
        )
    "#]],
    );
}

#[test]
fn slices_are_an_address_and_a_length() {
    check(
        &kernels::slices::KERNEL,
        expect![[r#"
        slices(
        .param .u64 .ptr .global .align 1 slices_x,
        .param .u32 slices_x_len,
        .param .u64 .ptr .global .align 4 slices_counts,
        .param .u32 slices_counts_len,
        .param .u64 .ptr .global .align 4 slices_y,
        .param .u32 slices_y_len
        )
    "#]],
    );
    check(
        &kernels::wide_index::KERNEL,
        expect![[r#"
        wide_index(
        .param .f32 wide_index_a,
        .param .u64 .ptr .global .align 4 wide_index_x,
        .param .u64 wide_index_x_len,
        .param .u64 .ptr .global .align 4 wide_index_y,
        .param .u64 wide_index_y_len
        )
        wide_index__coarsened(
        .param .f32 wide_index__coarsened_a,
        .param .u64 .ptr .global .align 4 wide_index__coarsened_x,
        .param .u64 wide_index__coarsened_x_len,
        .param .u64 .ptr .global .align 4 wide_index__coarsened_y,
        .param .u64 wide_index__coarsened_y_len
        )
    "#]],
    );
}

#[test]
fn pointers_are_an_address() {
    check(
        &kernels::pointers::KERNEL,
        expect![[r#"
        pointers(
        .param .u32 pointers_n,
        .param .u64 .ptr .global .align 4 pointers_x,
        .param .u64 .ptr .global .align 4 pointers_y
        )
    "#]],
    );
}

#[test]
fn views_have_their_sizes_behind_the_length() {
    check(
        &kernels::views::KERNEL,
        expect![[r#"
        views(
        .param .u64 .ptr .global .align 4 views_a_elements,
        .param .u32 views_a_elements_len,
        .param .u32 views_a_rows,
        .param .u32 views_a_columns,
        .param .u32 views_a_stride,
        .param .u64 .ptr .global .align 4 views_v_elements,
        .param .u32 views_v_elements_len,
        .param .u32 views_v_depth,
        .param .u32 views_v_rows,
        .param .u32 views_v_columns,
        .param .u64 .ptr .global .align 4 views_at,
        .param .u32 views_at_len,
        .param .u64 views_at_bound,
        .param .u64 .ptr .global .align 4 views_b_elements,
        .param .u32 views_b_elements_len,
        .param .u32 views_b_rows,
        .param .u32 views_b_columns,
        .param .u32 views_b_stride
        )
    "#]],
    );
}

#[test]
fn versions_are_named_after_the_kernel() {
    check(
        &kernels::guarded::KERNEL,
        expect![[r#"
        guarded(
        .param .u64 .ptr .global .align 4 guarded_x,
        .param .u32 guarded_x_len,
        .param .u64 .ptr .global .align 4 guarded_y,
        .param .u32 guarded_y_len,
        .param .u64 .ptr .global .align 8 guarded_$panic
        )
        guarded__check_free(
        .param .u64 .ptr .global .align 4 guarded__check_free_x,
        .param .u32 guarded__check_free_x_len,
        .param .u64 .ptr .global .align 4 guarded__check_free_y,
        .param .u32 guarded__check_free_y_len
        )
        guarded__coarsened(
        .param .u64 .ptr .global .align 4 guarded__coarsened_x,
        .param .u32 guarded__coarsened_x_len,
        .param .u64 .ptr .global .align 4 guarded__coarsened_y,
        .param .u32 guarded__coarsened_y_len
        )
    "#]],
    );
}

#[test]
fn hidden_parameters_come_last() {
    check(
        &kernels::panics::KERNEL,
        expect![[r#"
        panics(
        .param .u32 panics_at,
        .param .u64 .ptr .global .align 4 panics_y,
        .param .u32 panics_y_len,
        .param .u64 .ptr .global .align 8 panics_$panic
        )
        panics__check_free(
        .param .u32 panics__check_free_at,
        .param .u64 .ptr .global .align 4 panics__check_free_y,
        .param .u32 panics__check_free_y_len,
        .param .u64 .ptr .global .align 8 panics__check_free_$panic
        )
    "#]],
    );
    check(
        &kernels::prints::KERNEL,
        expect![[r#"
        prints(
        .param .u32 prints_n,
        .param .u64 .ptr .global .align 8 prints_$print
        )
    "#]],
    );
    check(
        &kernels::prints_and_panics::KERNEL,
        expect![[r#"
        prints_and_panics(
        .param .u32 prints_and_panics_n,
        .param .u64 .ptr .global .align 8 prints_and_panics_$print,
        .param .u64 .ptr .global .align 8 prints_and_panics_$panic
        )
        prints_and_panics__check_free(
        .param .u32 prints_and_panics__check_free_n,
        .param .u64 .ptr .global .align 8 prints_and_panics__check_free_$print
        )
    "#]],
    );
}

#[test]
fn instances_are_named_by_their_arguments() {
    let all: String = kernels::filled::INSTANCES.iter().map(|(_, kernel)| signatures(kernel)).collect();
    expect![[r#"
        filled_f32_1(
        .param .f32 filled_f32_1_value,
        .param .u64 .ptr .global .align 4 filled_f32_1_out,
        .param .u32 filled_f32_1_out_len
        )
        filled_f32_1__coarsened(
        .param .f32 filled_f32_1__coarsened_value,
        .param .u64 .ptr .global .align 4 filled_f32_1__coarsened_out,
        .param .u32 filled_f32_1__coarsened_out_len
        )
        filled_f32_4(
        .param .f32 filled_f32_4_value,
        .param .u64 .ptr .global .align 4 filled_f32_4_out,
        .param .u32 filled_f32_4_out_len
        )
        filled_i32_1(
        .param .u32 filled_i32_1_value,
        .param .u64 .ptr .global .align 4 filled_i32_1_out,
        .param .u32 filled_i32_1_out_len
        )
        filled_i32_1__coarsened(
        .param .u32 filled_i32_1__coarsened_value,
        .param .u64 .ptr .global .align 4 filled_i32_1__coarsened_out,
        .param .u32 filled_i32_1__coarsened_out_len
        )
        filled_i32_4(
        .param .u32 filled_i32_4_value,
        .param .u64 .ptr .global .align 4 filled_i32_4_out,
        .param .u32 filled_i32_4_out_len
        )
    "#]]
    .assert_eq(&all);
}

/// The memory that the hidden parameters point to.
#[test]
fn records_have_their_sizes() {
    let record = (PanicRecord::BYTES, PanicRecord::ALIGN, PanicRecord::CLAIMED, PanicRecord::SITE);
    expect!["(1024, 8, 0, 4)"].assert_eq(&format!("{record:?}"));
    expect!["(8, 0, 16)"].assert_eq(&format!("{:?}", (output::ALIGN, output::LEFT, output::RECORDS)));
}
