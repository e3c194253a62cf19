//! Behaviour specific to the CPU reference: values of memory that nobody wrote, stacks of its threads.

// The forms that are compared, as users write them.
#![allow(clippy::manual_is_multiple_of, clippy::redundant_closure, clippy::iter_nth)]

use kernel_runtime::Launch;
use kernel_runtime::prelude::*;

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, PartialEq)]
    #[repr(C)]
    pub struct Seen {
        at: u8,
        yes: bool,
        twice: (bool, u32),
        maybe: Option<u16>,
    }

    /// Reads what nobody has written: a GPU takes any byte but zero for `true`.
    #[kernel]
    pub fn unwritten(out: &mut [u32]) {
        let flags = shared::<[[bool; 5]; 7]>();
        let seen = shared::<[Seen; 3]>();
        let i = thread_idx().x;
        if i < out.len() {
            let row = flags[i % 7];
            let one = seen[i % 3];
            let mut count = 0;
            for k in 0..5 {
                if row[k] {
                    count += 1;
                }
            }
            if one.yes && one.twice.0 && one.maybe.is_some() {
                count += 10;
            }
            out[i] = count;
        }
    }

    /// Writes all that it reads.
    #[kernel]
    pub fn written(out: &mut [u32]) {
        let mut seen = shared::<[Seen; 32]>();
        let mut flags = shared_dyn::<bool>();
        let i = thread_idx().x;
        let odd = i % 2 == 1;
        seen[i] = Seen {
            at: i as u8,
            yes: odd,
            twice: (!odd, i as u32),
            maybe: if odd { None } else { Some(i as u16) },
        };
        flags[i] = odd;
        barrier();
        let other = seen[31 - i];
        let mut v = other.at as u32;
        if other.yes != flags[31 - i] {
            v += 1000;
        }
        if other.twice.0 {
            v += 100 + other.twice.1;
        }
        if let Some(n) = other.maybe {
            v += n as u32;
        }
        out[i] = v;
    }

    /// Nearly all that a thread may have on a GPU.
    #[kernel]
    pub fn large(rounds: usize, out: &mut [f32]) {
        let mut all = [0.5f32; 130_000];
        for round in 0..rounds {
            all[round * 7 % 130_000] += round as f32;
        }
        let i = global_idx().x;
        if i < out.len() {
            out[i] = all[i] + all[7 * (rounds - 1) % 130_000];
        }
    }
}

/// A variable that is a closure, and has no value at first.
#[kernel]
#[allow(clippy::needless_late_init)]
fn later(which: bool, out: &mut [u32]) {
    let i = thread_idx().x;
    if i < out.len() {
        let twice;
        let (more, base) = (|v: u32| v + 3, 5);
        twice = |v: u32| v * 2;
        out[i] = if which { twice(i as u32) } else { more(base) };
    }
}

#[test]
fn what_nobody_wrote_is_true() {
    let mut out = [0; 21];
    kernels::unwritten::cpu(&mut out).grid(1).block(32).run().unwrap();
    assert_eq!(out, [15; 21]);
}

#[test]
fn bools_in_shared_memory_are_what_was_written() {
    let mut on_cpu = [0; 32];
    kernels::written::cpu(&mut on_cpu).grid(1).block(32).shared(32).run().unwrap();
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u32>(32).unwrap();
    kernels::written(&mut out).grid(1).block(32).shared(32).run().unwrap();
    assert_eq!(out.to_vec().unwrap(), on_cpu);
    assert!(on_cpu.iter().all(|&v| v < 1000));
}

#[test]
fn stacks_are_as_large_as_the_variables() {
    let mut out = [0.0; 4];
    // Some threads at once, which all wait in their stacks.
    kernels::large::cpu(1000, &mut out).grid(2).block(4).run().unwrap();
    assert_eq!(out, [1000.0; 4]);
}

#[test]
fn closures_have_values_later() {
    for (which, expected) in [(true, [0, 2, 4]), (false, [8; 3])] {
        let mut out = [0; 3];
        later::cpu(which, &mut out).grid(1).block(4).run().unwrap();
        assert_eq!(out, expected);
    }
}

/// A vector of a part of a slice.
#[kernel]
fn load_part(x: &[f32], index: usize, out: &mut [f32]) {
    if global_idx().x == 0 {
        out[0] = F32x4::load(&x[1..], index).x;
    }
}

/// The length of a part that has its last element in it.
#[kernel]
fn cut_inclusive(x: &[f32], start: usize, end: usize, out: &mut [f32]) {
    if global_idx().x == 0 {
        let part = &x[start..=end];
        out[0] = part.len() as f32;
    }
}

/// Checks that a kernel has the same result, or panics in the same way, on the CPU and on the simulator.
#[track_caller]
fn agree(
    cpu: impl for<'a> Fn(&'a [f32], &'a mut [f32]) -> kernel_runtime::cpu::CpuLaunch<'a>,
    device: impl for<'a> Fn(&'a DeviceBuffer<f32>, &'a mut DeviceBuffer<f32>) -> Launch<'a>,
    expected: std::result::Result<f32, &str>,
) {
    let x: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let told = |result: Result<f32>| match result {
        Ok(value) => Ok(value),
        Err(Error::KernelPanicked { message, .. }) => Err(message),
        Err(other) => panic!("{other}"),
    };
    let mut out = [0.0];
    let on_cpu = cpu(&x, &mut out).grid(1).block(1).run();
    let on_cpu = told(on_cpu.map(|()| out[0]));
    let gpu = Gpu::simulator(Arch::Sm90);
    let (x, mut out) = (gpu.upload(&x).unwrap(), gpu.zeros::<f32>(1).unwrap());
    let simulated = device(&x, &mut out).grid(1).block(1).run();
    let simulated = told(simulated.map(|_| out.to_vec().unwrap()[0]));
    let expected = expected.map_err(str::to_owned);
    assert_eq!((&on_cpu, &simulated), (&expected, &expected));
}

#[test]
fn vectors_begin_at_the_same_places() {
    for (index, expected) in [
        (3, Ok(4.0)),
        (7, Ok(8.0)),
        (
            4,
            Err(
                "misaligned vector access: counted from the start of the buffer, the index must be a multiple of 4; in this slice it is 4",
            ),
        ),
        (12, Err("range end index 16 out of range for slice of length 15")),
    ] {
        agree(|x, out| load_part::cpu(x, index, out), |x, out| load_part(x, index, out), expected);
    }
}

#[test]
fn inclusive_ranges_end_alike() {
    const ALL: usize = usize::MAX;
    for (start, end, expected) in [
        (2, 4, Ok(3.0)),
        (0, 15, Ok(16.0)),
        (3, 2, Ok(0.0)),
        (0, 16, Err("range end index 17 out of range for slice of length 16")),
        (0, ALL, Err("range end index 18446744073709551615 out of range for slice of length 16")),
        (5, ALL, Err("range end index 18446744073709551615 out of range for slice of length 16")),
        (4, 2, Err("slice index starts at 4 but ends at 3")),
    ] {
        agree(
            |x, out| cut_inclusive::cpu(x, start, end, out),
            |x, out| cut_inclusive(x, start, end, out),
            expected,
        );
    }
}

/// The value that a `match` looks at, or refers to, changes under a guard and in an arm: the second thread lets the first write, and
/// waits until it has.
#[kernel(block(2))]
fn changed_meanwhile(out: &mut [u32]) {
    let mut pair = shared::<[(u32, u32); 1]>();
    let mut option = shared::<[Option<(bool, u32)>; 1]>();
    let turn = shared::<[AtomicU32; 1]>();
    if thread_idx().x == 0 {
        pair[0] = (1, 7);
        option[0] = Some((true, 5));
        turn[0].store(0, Ordering::Relaxed);
    }
    barrier();
    if thread_idx().x == 0 {
        while turn[0].load(Ordering::Acquire) != 1 {}
        pair[0] = (0, 3);
        turn[0].store(2, Ordering::Release);
        while turn[0].load(Ordering::Acquire) != 3 {}
        option[0] = None;
        turn[0].store(4, Ordering::Release);
    } else {
        let pass = |now: u32| {
            turn[0].store(now, Ordering::Release);
            while turn[0].load(Ordering::Acquire) != now + 1 {}
            false
        };
        out[0] = match &pair[0] {
            (0, _) => 100,
            (1.., _) if pass(1) => 200,
            (1.., second) => *second,
        };
        if let Some((flag, number)) = &option[0] {
            let _ = pass(3);
            // Whatever is there now, it is a value.
            out[1] = if *flag { 1 } else { 2 };
            out[2] = *number;
        }
    }
}

#[test]
fn what_changes_meanwhile_is_a_value() {
    let mut on_cpu = [0; 3];
    changed_meanwhile::cpu(&mut on_cpu).grid(1).run().unwrap();
    assert_eq!(on_cpu, [3, 2, 0]);
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u32>(3).unwrap();
    changed_meanwhile(&mut out).grid(1).run().unwrap();
    assert_eq!(out.to_vec().unwrap()[0], 3);
}

/// Options in every place that the copies have for them.
#[kernel]
fn options(x: &[u32], sums: &[AtomicU32], out: &mut [u32]) {
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Held {
        at: Option<u8>,
        both: (Option<bool>, Option<Option<u32>>),
    }
    const NONE: Option<u32> = None;
    const TABLE: [Option<u16>; 3] = [Some(4), None, Some(6)];
    let i = thread_idx().x;
    let held = Held { at: if i > 2 { Some(i as u8) } else { None }, both: (Some(i % 2 == 0), Some(None)) };
    let mut sum = 0;
    if let Some(first) = x.first()
        && let Some(at) = held.at
    {
        sum += *first + at as u32;
    }
    let Some(even) = held.both.0 else { return };
    sum += x.iter().position(|v| *v == i as u32).map_or(50, |k| k as u32);
    sum += x.iter().copied().filter(|v| *v > 3 && even).max().unwrap_or(7);
    sum += x.iter().copied().reduce(|a, b| a * b).unwrap_or(1)
        + x.iter().find(|v| **v > 4).copied().unwrap_or(0);
    sum += *x.iter().skip(i).last().unwrap_or(&5) + x.iter().skip(i).min().map_or(9, |v| *v * 2);
    sum += TABLE[i % 3].map(|v| u32::from(v)).and_then(|v| v.checked_sub(5)).or(NONE).unwrap_or(11);
    let mut kept = [Some(i as u32), None, NONE];
    let taken = kept[i % 3].take();
    kept[2].replace(9);
    sum += if kept == [None, None, Some(9)] { 1000 } else { 2000 };
    sum += if taken.zip(kept[2]) == Some((0, 9)) { 4000 } else { 8000 };
    if let Some(v) = kept[2].as_mut() {
        *v += 1;
    }
    sum += x.iter().filter_map(|v| (*v > 3).then_some(*v * 3)).sum::<u32>();
    sum += x.iter().map_while(|v| if *v < 9 { Some(*v) } else { None }).map(|v| v * 5).sum::<u32>();
    sum += x.iter().next().copied().unwrap_or(3) + x.iter().nth(i + 4).copied().unwrap_or(2000);
    let twice = |at: usize| -> Option<u32> {
        let found = x.get(at)?;
        (*found > 1).then(|| *found * 2)
    };
    sum += twice(i).unwrap_or(30_000) + twice(i + 4).unwrap_or(10_000);
    let added = sums[0]
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |v| if v < 20 { Some(v + 3) } else { None });
    sum += if added.is_ok() { 1 } else { 0 };
    if i == 4 {
        println!("{held:?} {:?}", kept);
    }
    if let Some(place) = out.get_mut(i) {
        *place = sum;
    }
}

#[test]
fn options_are_as_on_a_device() {
    let x = [3, 1, 4, 1, 5, 9, 2, 6];
    let (mut on_cpu, mut sums, mut printed) = ([0; 8], [2; 1], String::new());
    let run = options::cpu(&x, &mut sums, &mut on_cpu).grid(1).block(8);
    run.on_print(|text| printed += &text.text).run().unwrap();
    let gpu = Gpu::simulator(Arch::Sm90);
    let (x, mut counts, mut out) =
        (gpu.upload(&x).unwrap(), gpu.upload(&[2u32]).unwrap(), gpu.zeros::<u32>(8).unwrap());
    let report = options(&x, &mut counts, &mut out).grid(1).block(8).run().unwrap();
    assert_eq!((out.to_vec().unwrap(), counts.to_vec().unwrap()), (on_cpu.to_vec(), sums.to_vec()));
    let expected = "Held { at: Some(4), both: (Some(true), Some(None)) } [Some(4), None, Some(10)]\n";
    assert_eq!([report.prints.of_thread([0; 3], [4, 0, 0]), printed], [expected; 2]);
}

#[kernel]
fn first_of_many() {
    println!("here");
}

#[kernel(cooperative)]
fn all_at_once(out: &mut [u32]) {
    grid_barrier();
    if global_idx().x < out.len() {
        out[global_idx().x] = 1;
    }
}

/// A grid of 2⁶³ blocks is a matter of time and not of memory, until blocks have to run together.
#[test]
fn grids_of_any_size_take_no_memory() {
    let most = (i32::MAX as u32, 65_535, 65_535);
    let launch = first_of_many::cpu().grid(most).block(1).on_print(|_| panic!("the first block has run"));
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| launch.run()));
    assert_eq!(ended.unwrap_err().downcast_ref(), Some(&"the first block has run"));
    let mut out = [0; 4];
    let error = all_at_once::cpu(&mut out).grid(most).block(1).run().unwrap_err();
    expect_test::expect![[r#"
        kernel `all_at_once` stopped on the CPU: no memory for the stack of a thread, 524288 bytes: 9223090559730712575 blocks run together, 32768 can on the CPU
        help: ask for less with `.stack(bytes)`, launch smaller blocks, or keep large arrays in buffers"#]].assert_eq(&error.to_string());
    all_at_once::cpu(&mut out).grid(4).block(1).run().unwrap();
    assert_eq!(out, [1; 4]);
}
