//! The name of what an index is in, in the error of each device: a slice, a field, an array, a constant, a part of a tuple.

use kernel_runtime::prelude::*;
use kernel_runtime::{Error, Result};

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    const TABLE: [i32; 3] = [1, 2, 3];

    struct Stack<const N: usize> {
        items: [i32; N],
    }

    impl<const N: usize> Stack<N> {
        fn get(&self, at: usize) -> i32 {
            self.items[at]
        }
    }

    /// An index out of bounds in one of several places.
    #[kernel]
    pub fn fault(case: u32, at: usize, x: &[i32], out: &mut [i32]) {
        let pair = ([at as i32; 4], 0);
        let rows = [[at as i32; 2]; 2];
        out[0] = match case {
            0 => x[at],
            1 => Stack { items: [at as i32; 5] }.get(at),
            2 => TABLE[at],
            3 => pair.0[at],
            4 => rows[1][at],
            5 => x[2..at].len() as i32,
            6 => *x.iter().nth(at).unwrap(),
            _ => x.get(at).copied().unwrap_or(-1),
        };
    }
}

const NAMES: [Option<&str>; 7] =
    [Some("x"), Some("self.items"), Some("TABLE"), Some("pair.0"), Some("rows[_]"), Some("x"), None];

/// The error of a case without the first line's start, which names the place.
fn check(case: u32, result: Result<()>) {
    let Some(name) = NAMES.get(case as usize) else { return assert!(result.is_ok(), "{case}") };
    let error = result.unwrap_err();
    let Error::KernelPanicked { indexed, .. } = &error else { panic!("{error}") };
    assert_eq!(indexed, name, "{case}: {error}");
    let shown = name.map(|name| format!(": `{name}`: "));
    assert!(shown.is_none_or(|shown| error.to_string().contains(&shown)), "{error}");
}

#[test]
fn what_an_index_is_in_is_named() {
    let x = [5; 6];
    let gpu = Gpu::simulator(Arch::Sm90);
    let y = gpu.upload(&x).unwrap();
    for case in 0..=NAMES.len() as u32 {
        check(case, kernels::fault::cpu(case, 9, &x, &mut [0]).grid(1).block(1).run());
        let mut out = gpu.zeros::<i32>(1).unwrap();
        check(case, kernels::fault(case, 9, &y, &mut out).grid(1).block(1).run().map(drop));
    }
}

#[kernel_module]
mod tiles {
    use kernel_runtime::prelude::*;

    unsafe fn put(tile: &mut [f32; 64], at: usize, value: f32) {
        // SAFETY: by the caller.
        unsafe { *tile.get_unchecked_mut(at) = value };
    }

    fn fill(tile: &mut [f32; 64], first: usize) {
        // SAFETY: wrong for all but 0.
        unsafe { put(tile, thread_idx().x + first, 1.0) };
    }

    #[kernel(block(64))]
    pub fn shifted(first: usize, y: &mut [f32]) {
        let mut tile = shared::<[f32; 64]>();
        fill(&mut tile, 0);
        fill(&mut tile, first);
        barrier();
        if thread_idx().x < y.len() {
            y[thread_idx().x] = tile[63 - thread_idx().x];
        }
    }
}

/// Findings of the sanitizer in a function come with the calls that lead there, as a panic does: of two calls with that one.
#[test]
fn faults_in_functions_name_their_calls() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let run = |first: usize| tiles::shifted(first, &mut gpu.zeros::<f32>(64)?).grid(1).run();
    run(0).unwrap();
    let error = run(1).unwrap_err().to_string();
    let line_of =
        |text: &str| 1 + include_str!("names.rs").lines().position(|line| line.contains(text)).unwrap();
    let lines =
        ["get_unchecked_mut(at) = value", "put(tile, thread_idx().x + first", "fill(&mut tile, first);"];
    let [fault, inner, outer] = lines.map(line_of);
    let found = error.lines().find(|line| line.contains("PTX line")).unwrap();
    let places: Vec<&str> = found.split(", ").filter(|part| part.contains("names.rs:")).collect();
    let has = |place: &str, line: usize| place.contains(&format!("names.rs:{line}:"));
    let [first, second, third] = places[..] else { panic!("{error}") };
    assert!(has(first, fault) && first.starts_with("from "), "{error}");
    assert!(has(second, inner) && second.starts_with("called at "), "{error}");
    assert!(has(third, outer) && third.starts_with("called at "), "{error}");
}
