//! A kernel with a planted fault: run everywhere, its record compared with what the table says, and run again without the fault.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, DeviceBuffer, Error, Gpu, Launch, Stream};

/// Elements of each buffer.
pub const LEN: usize = 512;

/// The value of an element that no thread has written.
pub const UNTOUCHED: i32 = -1;

/// A kernel that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// `x[i]` is `i`.
pub fn ints() -> Vec<i32> {
    (0..LEN as i32).collect()
}

/// `f[i]` is `i / 2`.
pub fn floats() -> Vec<f32> {
    (0..LEN).map(|i| i as f32 / 2.0).collect()
}

/// The table's entry for a kernel.
#[derive(Clone, Copy)]
pub struct Row {
    /// The kernel's name in the table, which stands right before it in its file.
    pub name: &'static str,
    /// The file's end.
    pub file: &'static str,
    /// Its text, in which `/*@*/` marks the places that panic.
    pub source: &'static str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The marked place at which a thread panics, if it does, and the message.
    pub panics: fn(usize) -> Option<(usize, String)>,
}

/// The parts of a panic that are compared.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    message: String,
    line: usize,
    column: usize,
    block: [u32; 3],
    thread: [u32; 3],
}

impl Row {
    fn threads(&self) -> usize {
        self.grid.iter().chain(&self.block).map(|&n| n as usize).product()
    }

    /// Line and column of the marked places.
    fn places(&self) -> Vec<(usize, usize)> {
        let start = format!(" {} [", self.name);
        let skipped = self.source.lines().take_while(|line| !line.contains(&start)).count();
        let mut places = Vec::new();
        for (number, line) in self.source.lines().enumerate().skip(skipped) {
            if line.trim_start().starts_with("panics") {
                break;
            }
            places.extend(line.match_indices("/*@*/").map(|(at, mark)| {
                let before = &line[..at + mark.len()];
                (number + 1, before.chars().count() + 1)
            }));
        }
        assert!(!places.is_empty(), "`{}` marks no place", self.name);
        places
    }

    /// The records that the first thread to panic may leave.
    fn expected(&self) -> Vec<Record> {
        let places = self.places();
        let record = |thread: usize| {
            let (place, message) = (self.panics)(thread)?;
            let (line, column) = places[place];
            let size = self.block.iter().map(|&n| n as usize).product::<usize>();
            let (block, thread) = (axes(thread / size, self.grid), axes(thread % size, self.block));
            Some(Record { message, line, column, block, thread })
        };
        (0..self.threads()).filter_map(record).collect()
    }

    /// Compares a record with those that may be.
    fn compare(&self, expected: &[Record], found: Result<(), Error>, place: &str) {
        let found = match found {
            Err(Error::KernelPanicked { message, file, line, column, block, thread, .. }) => {
                assert!(file.ends_with(self.file), "on {place} the file is {file}");
                Record { message, line: line as usize, column: column as usize, block, thread }
            }
            Err(other) => panic!("on {place}: {other}"),
            Ok(()) => panic!("on {place} nothing panicked"),
        };
        if !expected.contains(&found) {
            // One of several is enough to see what is wrong.
            assert_eq!(found, *expected.first().expect("a thread panics"), "on {place}");
            unreachable!();
        }
    }

    /// Compares the output: all of it when nothing panics; when threads do, at most that of the others.
    fn compare_out(&self, found: &[i32], healthy: &[i32], fault: Option<Written>, place: &str) {
        match fault {
            None => assert_eq!(found, healthy, "on {place}, without the fault"),
            Some(Written::Others) => {
                for thread in 0..self.threads() {
                    let expected = if (self.panics)(thread).is_some() { UNTOUCHED } else { healthy[thread] };
                    assert_eq!(found[thread], expected, "element {thread} on {place}, with the fault");
                }
            }
            Some(Written::Any) => {}
        }
    }
}

/// Elements whose values are known when threads panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Each thread but those that panic has written its own.
    Others,
    /// Threads depend on each other.
    Any,
}

/// The index along each axis, x fastest.
fn axes(index: usize, size: [u32; 3]) -> [u32; 3] {
    let [x, y] = [size[0] as usize, size[1] as usize];
    [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
}

/// The simulator, and a GPU if there is one; a failure without where one is required.
pub fn devices() -> Vec<Gpu> {
    let mut devices = vec![Gpu::simulator(Arch::Sm90)];
    match Gpu::cuda(0) {
        Ok(gpu) => devices.push(gpu),
        Err(error) => {
            let required = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
        }
    }
    devices
}

/// Runs a kernel everywhere: with the fault, then without it on the same device with the same buffers; waited for at once, and at a
/// stream's synchronisation.
pub fn check<C, D>(row: Row, written: Written, cpu: C, device: D)
where
    C: for<'a> Fn(bool, &'a [i32], &'a [f32], &'a mut [i32]) -> CpuLaunch<'a> + Send + 'static,
    D: for<'a> Fn(
            bool,
            &'a DeviceBuffer<i32>,
            &'a DeviceBuffer<f32>,
            &'a mut DeviceBuffer<i32>,
        ) -> Launch<'a>
        + Send
        + 'static,
{
    within_patience(move || {
        let (x, f, expected) = (ints(), floats(), row.expected());
        assert!(row.threads() <= LEN, "more threads than elements");
        let cpu = |armed| {
            let mut out = vec![UNTOUCHED; LEN];
            let ended = cpu(armed, &x, &f, &mut out).grid(row.grid).block(row.block).run();
            (ended, out)
        };
        let (ended, out) = cpu(true);
        row.compare(&expected, ended, "the CPU");
        let (ended, healthy) = cpu(false);
        ended.unwrap_or_else(|error| panic!("on the CPU, without the fault: {error}"));
        row.compare_out(&out, &healthy, Some(written), "the CPU");
        for gpu in devices() {
            let place = gpu.describe().to_string();
            on_device(&row, &gpu, &expected, &healthy, written, &device)
                .unwrap_or_else(|error| panic!("on {place}: {error}"));
        }
    });
}

fn on_device(
    row: &Row,
    gpu: &Gpu,
    expected: &[Record],
    healthy: &[i32],
    written: Written,
    device: impl for<'a> Fn(
        bool,
        &'a DeviceBuffer<i32>,
        &'a DeviceBuffer<f32>,
        &'a mut DeviceBuffer<i32>,
    ) -> Launch<'a>,
) -> Result<(), Error> {
    let place = gpu.describe().to_string();
    let stream = gpu.stream()?;
    let (x, f) = (gpu.upload(&ints())?, gpu.upload(&floats())?);
    let mut out = gpu.upload(&[UNTOUCHED; LEN])?;
    let mut run = |armed, stream: Option<&Stream>| {
        let launch = device(armed, &x, &f, &mut out).grid(row.grid).block(row.block);
        let ended = match stream {
            None => launch.run().map(drop),
            Some(stream) => {
                // The launch itself is fine: the faults of its threads are reported later.
                launch.start(stream)?;
                stream.synchronize()
            }
        };
        let found = out.to_vec()?;
        out.copy_from_slice(&[UNTOUCHED; LEN])?;
        Ok::<_, Error>((ended, found))
    };
    for stream in [None, Some(&stream)] {
        let (ended, found) = run(true, stream)?;
        row.compare(expected, ended, &place);
        row.compare_out(&found, healthy, Some(written), &place);
        // Nothing of it is left: neither in the device, nor in the kernel, nor in the buffers.
        let (ended, found) = run(false, stream)?;
        ended?;
        row.compare_out(&found, healthy, None, &place);
    }
    Ok(())
}

/// Runs it beside a clock.
fn within_patience(check: impl FnOnce() + Send + 'static) {
    let (send, receive) = channel();
    let thread = std::thread::spawn(move || {
        check();
        let _ = send.send(());
    });
    match receive.recv_timeout(PATIENCE) {
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {
            if let Err(payload) = thread.join() {
                std::panic::resume_unwind(payload);
            }
        }
        Err(RecvTimeoutError::Timeout) => panic!("a kernel still runs after {PATIENCE:?}"),
    }
}

/// Kernels with a planted fault. Of each:
/// - what it is, its name, the attributes of the kernel, the grid and the block;
/// - the body with `/*@*/` before each place that panics; its value goes to the thread's own element, and the fault is there only if
///   `armed`;
/// - for which thread which of these places panics, and with which message.
macro_rules! faults {
    ($(
        $title:literal $name:ident [$($attrs:tt)*] $grid:expr, $block:expr, $written:ident
        |$armed:ident, $i:ident, $x:ident, $f:ident, $out:ident| $body:block
        panics |$t:ident| { $($condition:expr => $message:literal $(, $value:expr)*);+ $(;)? }
    )*) => {
        /// The titles of the kernels.
        pub const TITLES: &[&str] = &[$($title),*];

        $(
            mod $name {
                #[allow(unused_imports)]
                use kernel_runtime::prelude::*;

                #[kernel($($attrs)*)]
                #[allow(unused_variables, unused_mut, unused_assignments, unused_must_use, unreachable_code, dead_code, clippy::all, clippy::todo, clippy::unimplemented)]
                pub fn fault($armed: bool, $x: &[i32], $f: &[f32], $out: &mut [i32]) {
                    let $i = global_idx().x;
                    let value: i32 = $body;
                    $out[$i] = value;
                }
            }

            #[test]
            fn $name() {
                #[allow(unused_variables, unused_mut, unused_assignments)]
                let panics = |$t: usize| {
                    let mut place = 0;
                    $(
                        if $condition {
                            return Some((place, format!($message $(, $value)*)));
                        }
                        place += 1;
                    )+
                    None
                };
                let row = $crate::harness::Row {
                    name: stringify!($name),
                    file: FILE,
                    source: SOURCE,
                    grid: kernel_runtime::IntoDim3::into_dim3($grid),
                    block: kernel_runtime::IntoDim3::into_dim3($block),
                    panics,
                };
                $crate::harness::check(
                    row,
                    $crate::harness::Written::$written,
                    |armed, x, f, out| $name::fault::cpu(armed, x, f, out),
                    |armed, x, f, out| $name::fault(armed, x, f, out),
                );
            }
        )*
    };
}
pub(crate) use faults;
