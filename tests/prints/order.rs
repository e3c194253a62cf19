//! Order: of one thread as it prints; beside barriers, in loops, in device functions, before a panic.

use std::sync::{Arc, Mutex};

use kernel_runtime::prelude::*;
use kernel_runtime::{Error, Prints};

use crate::harness::{BLOCK, check, devices};

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    #[device]
    fn countdown(name: i32, mut n: u32) -> u32 {
        let mut sum = 0;
        while n > 0 {
            print!("{name}:{n} ");
            sum += n;
            n -= 1;
        }
        sum
    }

    #[kernel]
    pub fn several(ints: &[i32], floats: &[f32]) {
        let i = global_idx().x;
        let mut shared = shared::<[f32; 64]>();
        let t = thread_idx().x;
        shared[t] = floats[i];
        println!("before {i}");
        barrier();
        if t > 0 {
            println!("neighbour {:?}", shared[t - 1]);
        }
        let sum = countdown(ints[i], t as u32 % 4);
        println!("= {sum}");
        for round in 0..i % 3 {
            if ints[i] > 0 {
                eprint!("round {round}, ");
            }
        }
        let twice = |v: i32| {
            println!("twice {v}");
            v.wrapping_mul(2)
        };
        print!("{}", twice(twice(ints[i])));
    }

    #[kernel]
    pub fn panics_after(x: &[i32]) {
        let i = global_idx().x;
        println!("thread {i}");
        if i == 2 {
            panic!("{} of {}, {:?} and {}", i, x.len(), x[0], x.len() + 1);
        }
    }
}

fn expected(i: usize, x: i32, _: f32) -> String {
    let t = i % BLOCK;
    let mut text = format!("before {i}\n");
    if t > 0 {
        text += &format!("neighbour {:?}\n", crate::harness::floats()[i - 1]);
    }
    let n = t as u32 % 4;
    (1..=n).rev().for_each(|n| text += &format!("{x}:{n} "));
    text += &format!("= {}\n", n * (n + 1) / 2);
    if x > 0 {
        (0..i % 3).for_each(|round| text += &format!("round {round}, "));
    }
    let twice = x.wrapping_mul(2);
    text + &format!("twice {x}\ntwice {twice}\n{}", twice.wrapping_mul(2))
}

#[test]
fn texts_are_in_order_for_each_thread() {
    check(expected, |x, f| kernels::several::cpu(x, f), |x, f| kernels::several(x, f));
}

#[test]
fn what_is_printed_before_a_panic_is_there() {
    for gpu in devices().filter(Gpu::is_simulator) {
        let prints = Arc::new(Mutex::new(Prints::default()));
        let own = prints.clone();
        gpu.on_print(move |printed| own.lock().unwrap().texts.push(printed));
        let x = gpu.upload(&[5; 4]).unwrap();
        let error = kernels::panics_after(&x).grid(1).block(4).run().unwrap_err();
        let Error::KernelPanicked { message, thread, .. } = error else { panic!("{error}") };
        assert_eq!((message.as_str(), thread), ("2 of 4, 5 and 5", [2, 0, 0]));
        let prints = prints.lock().unwrap();
        let texts = (0..4).map(|t| prints.of_thread([0; 3], [t, 0, 0])).collect::<Vec<_>>();
        assert_eq!(texts, ["thread 0\n", "thread 1\n", "thread 2\n", "thread 3\n"]);
    }
}
