//! Printing by kernels: the places in them, the buffer that a device writes to, and the destination of the texts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::{fmt, mem};

use kernel_abi::output::{self, MARK, RECORDS, WRITTEN};

use crate::backend::Mailbox;
use crate::error::Result;
use crate::gpu::lock;
use crate::kernel::{KernelData, Variant};

/// Bytes for what a launch prints, unless the program asks for more or less.
const DEFAULT_BYTES: usize = 1 << 20;

/// An output of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// That of `println!`.
    Stdout,
    /// That of `eprintln!`.
    Stderr,
}

/// A place in a kernel that prints.
#[derive(Clone, Copy, Debug)]
pub struct PrintSite {
    /// To where.
    pub output: Output,
    /// Number of words that come with it.
    pub words: usize,
    /// Makes the text of the words.
    pub format: fn(&[u64]) -> String,
    /// The source file.
    pub file: &'static str,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
}

/// Text that a thread printed at once, by one `print!`, `println!` or their like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The text, with the end of the line of `println!`.
    pub text: String,
    /// To where.
    pub output: Output,
    /// The kernel's name.
    pub kernel: &'static str,
    /// The source file.
    pub file: &'static str,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
    /// The block of the thread: x, y, z.
    pub block: [u32; 3],
    /// The thread in its block: x, y, z.
    pub thread: [u32; 3],
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Texts that a launch printed by `print!`, `println!` and their like. The texts of one thread are in its order; those of several
/// threads in any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prints {
    /// The texts.
    pub texts: Vec<Printed>,
    /// Number of further texts, for which the buffer had no room: see [`Gpu::print_buffer`](crate::Gpu::print_buffer).
    pub lost: u64,
}

impl Prints {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns true if nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The texts.
    pub fn iter(&self) -> std::slice::Iter<'_, Printed> {
        self.texts.iter()
    }

    /// The texts of one thread of a block, all together.
    pub fn of_thread(&self, block: [u32; 3], thread: [u32; 3]) -> String {
        let own = self.texts.iter().filter(|printed| (printed.block, printed.thread) == (block, thread));
        own.map(|printed| printed.text.as_str()).collect()
    }

    /// The texts of several launches.
    pub(crate) fn of_all(launches: Vec<LaunchPrints>) -> Prints {
        let mut all = Prints::default();
        for mut launch in launches {
            all.texts.append(&mut launch.texts);
            all.lost += launch.lost;
        }
        all
    }
}

/// Texts that one launch printed.
#[derive(Debug)]
pub(crate) struct LaunchPrints {
    kernel: &'static str,
    texts: Vec<Printed>,
    lost: u64,
}

impl<'p> IntoIterator for &'p Prints {
    type Item = &'p Printed;
    type IntoIter = std::slice::Iter<'p, Printed>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Destination of texts instead of the host's outputs.
type Sink = Box<dyn FnMut(Printed) + Send>;

/// Delivery of the texts that a device's launches print.
///
/// One thread at a time hands texts on, without a lock: a sink is the user's code, and may launch kernels that print themselves, wait for streams,
/// or set another sink. What comes meanwhile waits in line.
pub(crate) struct Printing {
    /// Bytes for records of each launch.
    bytes: AtomicUsize,
    line: Mutex<Line>,
    /// Somebody has handed something on, or does no longer.
    moved: Condvar,
}

/// Queue of texts to be handed on.
#[derive(Default)]
struct Line {
    /// Destination of the texts; none while it is being called.
    sink: Option<Sink>,
    /// The sink that is being called is no longer wanted.
    replaced: bool,
    waiting: VecDeque<Item>,
    /// Number of items that came so far, and number of those that were handed on.
    came: u64,
    gone: u64,
    /// The thread that hands on.
    by: Option<ThreadId>,
}

enum Item {
    Text(Printed),
    /// Message on texts that were lost.
    Lost(String),
}

/// Message on texts of a kernel that were lost, for which the buffer of so many bytes had no room.
fn describe_lost(kernel: &str, lost: u64, bytes: usize) -> String {
    format!(
        "{lost} more texts of `{kernel}` had no room in the buffer of {bytes} bytes and are lost\n\
         help: make it larger with `gpu.print_buffer(bytes)`, or let fewer threads print"
    )
}

impl Default for Printing {
    fn default() -> Printing {
        Printing { bytes: AtomicUsize::new(DEFAULT_BYTES), line: Mutex::default(), moved: Condvar::new() }
    }
}

impl fmt::Debug for Printing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Printing").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Printing {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn set_bytes(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn set_sink(&self, sink: Option<Sink>) {
        let mut line = lock(&self.line);
        let before = mem::replace(&mut line.sink, sink);
        line.replaced = true;
        drop(line);
        // Dropped without the lock, as the values that the sink captures are the user's, too.
        drop(before);
    }

    /// Hands everything on, in order, and says how much there is not. It is done when this returns, but for what the sink itself brings about:
    /// that comes after the text that the sink was called with.
    pub(crate) fn deliver(&self, launches: &[LaunchPrints]) {
        if launches.is_empty() {
            return;
        }
        let own = thread::current().id();
        let mut line = lock(&self.line);
        let before = line.waiting.len();
        for LaunchPrints { kernel, texts, lost } in launches {
            line.waiting.extend(texts.iter().cloned().map(Item::Text));
            if *lost > 0 {
                line.waiting.push_back(Item::Lost(describe_lost(kernel, *lost, self.bytes())));
            }
        }
        line.came += (line.waiting.len() - before) as u64;
        let last = line.came;
        if line.by == Some(own) {
            return; // Called by the sink, which the loop below goes on with.
        }
        while line.by.is_some() && line.gone < last {
            line = self.moved.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
        if line.gone >= last {
            return;
        }
        line.by = Some(own);
        let turn = Turn { printing: self, sink: None };
        drop(line);
        turn.hand_on();
    }
}

/// The thread that hands on, until this is dropped: also by a panic of the sink, which is set again then.
struct Turn<'a> {
    printing: &'a Printing,
    /// While it is called.
    sink: Option<Sink>,
}

impl<'a> Turn<'a> {
    /// Hands on all that is in line, and what comes to it meanwhile: of each other thread so much at most as it waits for.
    fn hand_on(mut self) {
        let mut line = lock(&self.printing.line);
        while let Some(item) = line.waiting.pop_front() {
            line.gone += 1;
            (self.sink, line.replaced) = (line.sink.take(), false);
            drop(line);
            match (item, &mut self.sink) {
                (Item::Text(printed), Some(sink)) => sink(printed),
                (Item::Text(printed), None) => to_host(&printed),
                (Item::Lost(told), _) => eprintln!("{told}"),
            }
            line = self.put_back();
        }
    }

    /// Sets the sink again, unless another was set meanwhile.
    fn put_back(&mut self) -> MutexGuard<'a, Line> {
        let mut line = lock(&self.printing.line);
        let Some(sink) = self.sink.take() else { return line };
        if !line.replaced {
            line.sink = Some(sink);
            return line;
        }
        drop(line);
        // Dropped without the lock, as the values that the sink captures are the user's, too.
        drop(sink);
        lock(&self.printing.line)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.put_back().by = None;
        self.printing.moved.notify_all();
    }
}

/// Prints to the host's output. Through the macros, so that tests capture it.
pub(crate) fn to_host(printed: &Printed) {
    match printed.output {
        Output::Stdout => print!("{}", printed.text),
        Output::Stderr => eprint!("{}", printed.text),
    }
}

/// The size of a buffer for so many bytes. One that overflows is beyond any memory: the allocation then says so.
fn rounded(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(output::ALIGN).unwrap_or(usize::MAX - output::ALIGN + 1)
}

/// A buffer that a device writes to: see [`kernel_abi::output`].
#[derive(Debug)]
pub(crate) struct PrintBuffer {
    mailbox: Box<dyn Mailbox>,
    /// Bytes for records.
    bytes: usize,
}

impl PrintBuffer {
    /// With so many bytes for records, in memory that `mailbox` gives.
    pub(crate) fn new(
        bytes: usize,
        mailbox: impl FnOnce(usize) -> Result<Box<dyn Mailbox>>,
    ) -> Result<PrintBuffer> {
        let bytes = rounded(bytes);
        let buffer = PrintBuffer { mailbox: mailbox(RECORDS.saturating_add(bytes))?, bytes };
        buffer.empty()?;
        Ok(buffer)
    }

    /// Its address as the device sees it.
    pub(crate) fn address(&self) -> u64 {
        self.mailbox.address()
    }

    /// Returns true if it has room for so many bytes of records, and no more.
    pub(crate) fn holds(&self, bytes: usize) -> bool {
        self.bytes == rounded(bytes)
    }

    fn empty(&self) -> Result<()> {
        self.mailbox.write(output::LEFT, &(self.bytes as i64).to_ne_bytes())?;
        self.mailbox.write(output::LOST, &0u64.to_ne_bytes())
    }

    /// The texts of a launch of a kernel that is over, if it has printed any. The buffer is empty afterwards.
    pub(crate) fn take(&self, kernel: &KernelData, variant: &Variant) -> Result<Option<LaunchPrints>> {
        let mut header = [0; RECORDS];
        self.mailbox.read(0, &mut header)?;
        let number = |at: usize| header[at..].first_chunk().copied().map_or(0, i64::from_ne_bytes);
        let (left, lost) = (number(output::LEFT), number(output::LOST));
        if left == self.bytes as i64 {
            return Ok(None);
        }
        // Below zero where a record had no room. What it took of the rest has no mark.
        let left = usize::try_from(left).unwrap_or(0).min(self.bytes);
        let mut records = vec![0; self.bytes - left];
        self.mailbox.read(RECORDS + left, &mut records)?;
        let words = |site: u32| Some(variant.prints.get(site as usize)?.words);
        let found = output::records(&records, words).into_iter().filter_map(|record| {
            let site = variant.prints.get(record.site as usize)?;
            Some(Printed {
                text: (site.format)(&record.args),
                output: site.output,
                kernel: kernel.name,
                file: site.file,
                line: site.line,
                column: site.column,
                block: record.block,
                thread: record.thread,
            })
        });
        let lost = u64::try_from(lost).unwrap_or(0);
        let prints = LaunchPrints { kernel: kernel.name, texts: found.collect(), lost };
        self.mailbox.clear(RECORDS + left, self.bytes - left)?;
        self.empty()?;
        Ok(Some(prints))
    }
}

/// Marks differ from memory that is all zeros.
const _: () = assert!(WRITTEN != 0 && MARK < output::TAIL);

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &'static str, texts: usize, lost: u64) -> LaunchPrints {
        let printed = Printed {
            text: "1".to_owned(),
            output: Output::Stdout,
            kernel,
            file: "lib.rs",
            line: 1,
            column: 1,
            block: [0; 3],
            thread: [0; 3],
        };
        LaunchPrints { kernel, texts: vec![printed; texts], lost }
    }

    #[test]
    fn lost_texts_are_those_of_their_kernel() {
        let printing = Printing::default();
        printing.set_bytes(64);
        // Somebody else hands on: everything waits in line.
        let other = thread::spawn(|| thread::current().id()).join().unwrap();
        lock(&printing.line).by = Some(other);
        let launches = [launch("a", 1, 0), launch("b", 0, 5), launch("a", 1, 2)];
        let told = thread::scope(|scope| {
            let delivered = scope.spawn(|| printing.deliver(&launches));
            let told = loop {
                let mut line = lock(&printing.line);
                if line.came == 4 {
                    line.gone = 4;
                    line.by = None;
                    break mem::take(&mut line.waiting);
                }
                drop(line);
                thread::yield_now();
            };
            printing.moved.notify_all();
            delivered.join().unwrap();
            told
        });
        let told: Vec<String> = told
            .into_iter()
            .map(|item| match item {
                Item::Text(printed) => format!("{}: {}", printed.kernel, printed.text),
                Item::Lost(told) => told.lines().next().unwrap_or_default().to_owned(),
            })
            .collect();
        assert_eq!(
            told,
            [
                "a: 1",
                "5 more texts of `b` had no room in the buffer of 64 bytes and are lost",
                "a: 1",
                "2 more texts of `a` had no room in the buffer of 64 bytes and are lost",
            ]
        );
    }

    #[test]
    fn launches_are_put_together() {
        let all = Prints::of_all(vec![launch("a", 2, 1), launch("b", 1, 5)]);
        assert_eq!(all.iter().map(|printed| printed.kernel).collect::<Vec<_>>(), ["a", "a", "b"]);
        assert_eq!(all.lost, 6);
    }
}
