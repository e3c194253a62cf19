//! Shared memory: what is read was a value of its type from the start.

use std::rc::Rc;

use expect_test::expect;
use ptx::target::Arch;

use super::launch;
use crate::cpu::block::{CpuError, Stacks, run as block_run};
use crate::cpu::fiber::Position;
use crate::cpu::panics;
use crate::cpu::run::{self, Memory, Slice};
use crate::device::{F32x4, block, thread_idx};

/// Runs one thread with so many bytes of dynamic shared memory.
fn with_dynamic(bytes: u32, body: impl Fn()) -> Result<(), CpuError> {
    panics::install_hook();
    let first = Position {
        thread: [0; 3],
        block: [0; 3],
        block_size: [1; 3],
        cluster_size: [1; 3],
        grid_size: [1; 3],
        target: Arch::Sm90,
    };
    block_run(&body, &[first], bytes, &Stacks::of(512 << 10), &Rc::default())
}

/// Takes dynamic shared memory for elements of a type, and says how many there are.
#[track_caller]
fn take<T: Memory>() -> usize {
    // SAFETY: no element is accessed.
    unsafe { run::shared_dyn::<T>() }.len()
}

/// The message of the thread that panicked.
#[track_caller]
fn message(result: Result<(), CpuError>) -> String {
    match result {
        Err(CpuError::Panicked { message, .. }) => message,
        other => panic!("expected a panic, found {other:?}"),
    }
}

/// A type as kernels declare them: `bool` beside what leaves padding.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Mixed {
    flag: bool,
    value: f64,
    pair: (u8, run::Option<bool>),
}

// SAFETY: each field is written.
unsafe impl Memory for Mixed {
    const ANY_BYTES: bool = false;
    unsafe fn poison(place: *mut Mixed) {
        // SAFETY: by this function's condition.
        unsafe {
            Memory::poison(&raw mut (*place).flag);
            Memory::poison(&raw mut (*place).value);
            Memory::poison(&raw mut (*place).pair);
        }
    }
}

#[test]
fn what_nobody_wrote_is_a_value() {
    launch(2, || {
        let flags = run::shared::<[bool; 300]>(0);
        let mixed = run::shared::<[[Mixed; 3]; 2]>(1);
        let options = run::shared::<[run::Option<[bool; 3]>; 5]>(2);
        let numbers = run::shared::<[u32; 2]>(3);
        // SAFETY: the elements are there.
        unsafe {
            assert!((0..300).all(|i| *run::at(flags, i)));
            let one = *run::at(run::at(mixed, 1), 2);
            let poison = f64::from_bits(0xcdcd_cdcd_cdcd_cdcd);
            assert_eq!(one, Mixed { flag: true, value: poison, pair: (0xcd, run::Option::Some(true)) });
            assert_eq!(*run::at(options, 4), run::Option::Some([true; 3]));
            assert_eq!(*numbers, [0xcdcd_cdcd; 2]);
        }
    })
    .unwrap();
}

/// A thread that has a reference to the value of an option reads one, whatever another writes meanwhile.
#[test]
fn the_value_of_an_option_stays_one() {
    launch(1, || {
        let options = run::shared::<[run::Option<(bool, u32)>; 2]>(0);
        // SAFETY: the elements are there.
        unsafe {
            let option = run::at(options, 1);
            *option = run::Option::Some((true, 7));
            assert!(run::is_some(option));
            let value = run::payload(option);
            *option = run::Option::None;
            assert_eq!(*value, (false, 0));
            assert!(
                !run::is_some(option)
                    && *option == run::Option::None
                    && *option != run::Option::Some((false, 0))
            );
            assert_eq!(size_of::<run::Option<bool>>(), 2);
        }
    })
    .unwrap();
}

#[test]
fn dynamic_memory_has_one_type_if_not_all_bytes_are_values() {
    // Numbers may be taken for others.
    with_dynamic(20, || {
        // SAFETY: the elements are there.
        unsafe {
            *run::shared_dyn::<f32>().at(1) = 1.5;
            assert_eq!(*run::shared_dyn::<u32>().at(1), 1.5f32.to_bits());
            assert_eq!(*run::shared_dyn::<[u8; 4]>().at(1), 1.5f32.to_ne_bytes());
            assert_eq!(run::shared_dyn::<u64>().len(), 2);
            assert_eq!(*run::shared_dyn::<(u16, u16)>().at(4), (0xcdcd, 0xcdcd));
        }
    })
    .unwrap();
    with_dynamic(20, || {
        // SAFETY: the elements are there.
        unsafe { assert!(*run::shared_dyn::<bool>().at(19) && *run::shared_dyn::<bool>().at(0)) };
    })
    .unwrap();
    let told = with_dynamic(20, || {
        take::<bool>();
        take::<u8>();
    });
    expect![[r#"
        shared memory of a block holds `bool`, and is taken for `u8`: not all bytes are values of both, so that it cannot be run on the CPU
        help: take it for numbers, and compare with `!= 0` in place of `bool`"#]]
    .assert_eq(&message(told));
    // The other way round, and of padding, whose bytes nobody has written.
    for told in [
        with_dynamic(64, || {
            take::<u8>();
            take::<bool>();
        }),
        with_dynamic(64, || {
            take::<(u8, u32)>();
            take::<u8>();
        }),
        with_dynamic(64, || {
            take::<Mixed>();
            take::<run::Option<u32>>();
        }),
    ] {
        assert!(matches!(told, Err(CpuError::Panicked { .. })), "{told:?}");
    }
}

#[test]
fn sums_of_a_block_do_not_mistake_what_another_left() {
    launch(96, || {
        let i = thread_idx().x;
        assert_eq!(block::reduce_add(1u32), 96);
        assert_eq!(block::reduce_max(-(i as f64)), 0.0);
        assert!(block::any(i == 95) && !block::all(i == 95));
        assert_eq!(block::scan_add(1u8), (i + 1) as u8);
    })
    .unwrap();
    // A thread that panics leaves no value of its own.
    let told = launch(64, || {
        assert!(thread_idx().x != 32, "as it should");
        block::reduce_add(1u32);
    });
    assert!(told.is_err());
}

/// On a GPU a vector begins at a multiple of its size, counted from the start of the memory.
#[test]
fn vectors_begin_where_they_do_on_a_gpu() {
    let data: Vec<f32> = (0..16).map(|i| i as f32).collect();
    // Wherever the host has put them.
    for skip in 0..4 {
        // SAFETY: the data are there, and nobody writes them.
        let all = unsafe { Slice::new(&data[skip..skip + 12]) };
        launch(1, || {
            assert_eq!(run::load::<F32x4>(all, 4).x, (skip + 4) as f32);
            assert_eq!(run::load::<F32x4>(all.part_from(1), 3).x, (skip + 4) as f32);
            assert_eq!(run::load::<F32x4>(all.part(8, 12), 0).x, (skip + 8) as f32);
        })
        .unwrap();
        let refused = launch(1, || {
            run::load::<F32x4>(all.part_from(1), 4);
        });
        let expected = "misaligned vector access: counted from the start of the buffer, the index must be a multiple of 4; in this \
                        slice it is 4";
        assert_eq!(message(refused), expected);
    }
    launch(1, || {
        let rows = run::shared::<[[f32; 6]; 4]>(0);
        // SAFETY: the rows are there as long as the block.
        let row = |index| unsafe { run::unsize(run::at(rows, index)) };
        run::load::<F32x4>(row(0), 0);
        run::load::<F32x4>(row(1), 2);
        run::load::<F32x4>(row(2), 0);
    })
    .unwrap();
    let told = launch(1, || {
        let rows = run::shared::<[[f32; 6]; 4]>(0);
        // SAFETY: the row is there as long as the block.
        run::load::<F32x4>(unsafe { run::unsize(run::at(rows, 1)) }, 0);
    });
    assert!(matches!(told, Err(CpuError::Panicked { .. })), "{told:?}");
}

#[test]
fn ranges_to_the_last_number_have_their_end_told() {
    let data = [1, 2, 3];
    // SAFETY: the data are there, and nobody writes them.
    let all = unsafe { Slice::new(&data) };
    for (start, end, expected) in [
        (0, usize::MAX, "range end index 18446744073709551615 out of range for slice of length 3"),
        (1, usize::MAX, "range end index 18446744073709551615 out of range for slice of length 3"),
        (0, usize::MAX - 1, "range end index 18446744073709551615 out of range for slice of length 3"),
        (0, 3, "range end index 4 out of range for slice of length 3"),
        (2, 0, "slice index starts at 2 but ends at 1"),
    ] {
        let told = launch(1, || {
            all.part_inclusive(start, end);
        });
        assert_eq!(message(told), expected, "{start}..={end}");
    }
}
