//! Receivers of printed texts: the operations that a sink may do while it is called.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kernel_runtime::prelude::*;

#[kernel]
fn say(what: u32) {
    println!("{what}.{}", global_idx().x);
}

fn gpu() -> Gpu {
    Gpu::simulator(Arch::Sm90)
}

/// Runs something that ends within a minute, if it does not wait for itself.
fn within_a_minute(test: impl FnOnce() + Send + 'static) {
    let (done, is_done) = channel();
    let test = thread::spawn(move || {
        test();
        done.send(()).expect("somebody waits");
    });
    match is_done.recv_timeout(Duration::from_secs(60)) {
        Ok(()) => test.join().expect("it has ended"),
        Err(_) if test.is_finished() => test.join().expect("no panic"),
        Err(_) => panic!("it hangs"),
    }
}

/// Texts that were handed on, in order.
type Texts = Arc<Mutex<Vec<String>>>;

fn taken(texts: &Texts) -> Vec<String> {
    std::mem::take(&mut texts.lock().expect("no panic"))
}

#[test]
fn a_sink_launches_kernels_that_print() {
    within_a_minute(|| {
        let (gpu, texts) = (gpu(), Texts::default());
        let (own, device) = (texts.clone(), gpu.clone());
        gpu.on_print(move |printed| {
            let number: u32 = printed.text.split('.').next().and_then(|text| text.parse().ok()).unwrap();
            own.lock().expect("no panic").push(printed.text);
            if number > 0 {
                // Both ways to wait.
                if number.is_multiple_of(2) {
                    say(number - 1).on(&device).grid(1).block(1).run().expect("runs");
                } else {
                    let stream = device.stream().expect("a stream");
                    say(number - 1).on(&device).grid(1).block(1).start(&stream).expect("starts");
                    stream.synchronize().expect("runs");
                }
            }
        });
        say(3).on(&gpu).grid(1).block(1).run().expect("runs");
        assert_eq!(taken(&texts), ["3.0\n", "2.0\n", "1.0\n", "0.0\n"]);
        // Several texts of one launch come before what the sink brings about.
        say(1).on(&gpu).grid(1).block(2).run().expect("runs");
        assert_eq!(taken(&texts), ["1.0\n", "1.1\n", "0.0\n", "0.0\n"]);
    });
}

#[test]
fn a_sink_sets_another() {
    within_a_minute(|| {
        let (gpu, texts) = (gpu(), Texts::default());
        let (first, second, device) = (texts.clone(), texts.clone(), gpu.clone());
        let mut second = Some(second);
        gpu.on_print(move |printed| {
            first.lock().expect("no panic").push(format!("first {}", printed.text));
            if let Some(second) = second.take() {
                device.on_print(move |printed| {
                    second.lock().expect("no panic").push(format!("second {}", printed.text));
                });
            }
        });
        say(7).on(&gpu).grid(1).block(2).run().expect("runs");
        assert_eq!(taken(&texts), ["first 7.0\n", "second 7.1\n"]);
        say(8).on(&gpu).grid(1).block(1).run().expect("runs");
        assert_eq!(taken(&texts), ["second 8.0\n"]);
        assert_eq!(Arc::strong_count(&texts), 2, "the first sink is gone");
    });
}

#[test]
fn a_sink_that_panics_stays() {
    within_a_minute(|| {
        let (gpu, texts) = (gpu(), Texts::default());
        let own = texts.clone();
        gpu.on_print(move |printed| {
            assert!(!printed.text.starts_with('0'), "as it should");
            own.lock().expect("no panic").push(printed.text);
        });
        let launch = || say(0).on(&gpu).grid(1).block(1).run().map(drop);
        assert!(catch_unwind(AssertUnwindSafe(launch)).is_err());
        say(1).on(&gpu).grid(1).block(1).run().expect("runs");
        assert_eq!(taken(&texts), ["1.0\n"]);
    });
}

/// A launch that was waited for has handed on all of its texts, whoever did that.
#[test]
fn threads_take_turns() {
    within_a_minute(|| {
        let gpu = gpu();
        let counts: Arc<[AtomicUsize; 4]> = Arc::default();
        let inside = AtomicUsize::new(0);
        let own = counts.clone();
        gpu.on_print(move |printed| {
            assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0, "one at a time");
            let thread: usize = printed.text.split('.').next().and_then(|text| text.parse().ok()).unwrap();
            own[thread].fetch_add(1, Ordering::Relaxed);
            inside.fetch_sub(1, Ordering::Relaxed);
        });
        thread::scope(|scope| {
            for number in 0..4u32 {
                let (gpu, counts) = (&gpu, &counts);
                scope.spawn(move || {
                    for launch in 1..=20 {
                        say(number).on(gpu).grid(1).block(8).run().expect("runs");
                        assert_eq!(counts[number as usize].load(Ordering::Relaxed), 8 * launch);
                    }
                });
            }
        });
    });
}

#[test]
fn a_buffer_beyond_all_memory_is_refused() {
    let (gpu, texts) = (gpu(), Texts::default());
    let own = texts.clone();
    gpu.on_print(move |printed| own.lock().expect("no panic").push(printed.text));
    for bytes in [usize::MAX, usize::MAX - 7, usize::MAX - 24, 1 << 63, 1 << 62, 1 << 48] {
        gpu.print_buffer(bytes);
        let error = say(1).on(&gpu).grid(1).block(1).run().expect_err("too much");
        assert!(matches!(error, Error::PrintBuffer { requested, .. } if requested == bytes), "{error}");
        assert!(error.to_string().contains("gpu.print_buffer(bytes)"), "{error}");
    }
    gpu.print_buffer(1 << 10);
    say(1).on(&gpu).grid(1).block(1).run().expect("runs");
    assert_eq!(taken(&texts), ["1.0\n"]);
}
