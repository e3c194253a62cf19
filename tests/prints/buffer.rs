//! The buffer: its size, what becomes of texts without room, streams, where texts go.

use kernel_runtime::prelude::*;
use kernel_runtime::{Output, Prints};

use crate::harness::devices;

#[kernel]
fn numbers(rounds: u32, x: &[i32]) {
    let i = global_idx().x;
    for round in 0..rounds {
        println!("{i} {round} {}", x[i]);
    }
}

#[kernel]
#[allow(dead_code)]
fn silent(x: &mut [i32]) {
    x[global_idx().x] = 3;
}

fn run(gpu: &Gpu, threads: usize, rounds: u32) -> Prints {
    let x = gpu.upload(&vec![7; threads]).expect("uploads");
    numbers(rounds, &x).grid(1).block(threads as u32).run().expect("runs").prints
}

/// A text of three scalars takes 56 bytes.
#[test]
fn what_has_no_room_is_counted() {
    for gpu in devices().filter(Gpu::is_simulator) {
        gpu.print_buffer(56 * 10 + 20);
        let prints = run(&gpu, 5, 3);
        assert_eq!((prints.texts.len(), prints.lost), (10, 5));
        // The next launch begins with an empty buffer.
        let prints = run(&gpu, 5, 2);
        assert_eq!((prints.texts.len(), prints.lost), (10, 0));
        gpu.print_buffer(0);
        let prints = run(&gpu, 2, 1);
        assert_eq!((prints.texts.len(), prints.lost), (0, 2));
        gpu.print_buffer(1 << 16);
        let prints = run(&gpu, 64, 4);
        assert_eq!((prints.texts.len(), prints.lost), (256, 0));
        for thread in 0..64 {
            let expected: String = (0..4).map(|round| format!("{thread} {round} 7\n")).collect();
            assert_eq!(prints.of_thread([0; 3], [thread, 0, 0]), expected);
        }
    }
}

#[test]
fn texts_know_their_place() {
    for gpu in devices() {
        let prints = run(&gpu, 1, 1);
        let [text] = &prints.texts[..] else { panic!("{prints:?}") };
        assert_eq!(
            (text.kernel, text.output, text.block, text.thread),
            ("numbers", Output::Stdout, [0; 3], [0; 3])
        );
        assert!(text.file.ends_with("buffer.rs") && (text.line, text.column) == (12, 9), "{text:?}");
    }
}

#[test]
fn a_kernel_that_does_not_print_carries_nothing() {
    assert!(!silent::KERNEL.ptx().contains("$print"));
    assert!(numbers::KERNEL.ptx().contains("numbers_$print"));
}

/// Launches that are left to a stream print when the stream is waited for.
#[test]
fn launches_of_a_stream_print_in_order() {
    for gpu in devices().filter(Gpu::is_simulator) {
        let (send, receive) = std::sync::mpsc::channel();
        gpu.on_print(move |printed| {
            let _ = send.send(printed.text);
        });
        let stream = gpu.stream().expect("opens");
        let x = gpu.upload(&[7]).expect("uploads");
        for rounds in 1..4 {
            numbers(rounds, &x).grid(1).block(1).start(&stream).expect("starts");
        }
        stream.synchronize().expect("ends");
        let texts: Vec<String> = receive.try_iter().collect();
        assert_eq!(texts, ["0 0 7\n", "0 0 7\n", "0 1 7\n", "0 0 7\n", "0 1 7\n", "0 2 7\n"]);
    }
}
