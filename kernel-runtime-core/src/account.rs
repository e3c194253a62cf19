//! Account of a program: its launches and copies, how often each, and which part of the time they take.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! #[kernel]
//! fn half(x: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < x.len() {
//!         x[i] *= 0.5;
//!     }
//! }
//!
//! let gpu = Gpu::simulator(Arch::Sm90);
//! let account = gpu.account(); // from here on
//! let mut x = gpu.upload(&[1.0f32; 1000])?;
//! for _ in 0..20 {
//!     half(&mut x).over(1000).run()?;
//! }
//! println!("{account}"); // a table of kernels and copies, and what is worth a look
//! assert_eq!(account.kernels()[0].launches, 20);
//! assert_eq!(account.copies(CopyKind::ToDevice).bytes, 4000);
//! # Ok::<(), kernel_runtime::Error>(())
//! ```
//!
//! With the environment variable `KERNEL_ACCOUNT` set, to `1` say, every device keeps an account from its opening on, and prints it on the standard
//! error output when the last handle on it goes, or where none ever does, as of a device in a `static`, when the program ends.
//!
//! # Times
//!
//! On a GPU a launch is timed there, between two events, also one that is left to a stream; a copy that the host waits for by the host's clock. On the
//! simulator the time of a launch is the greatest bound of its [profile](crate::profile), and no less than a launch takes at all: it orders the
//! kernels, and is no prediction. Copies are estimated there, and on a GPU those that streams do. Launches of a graph are counted; on a GPU the graph is timed as a
//! whole, in [`Account::graphs`], on the simulator each launch of a graph that was recorded while the account was kept.
//! Trial runs of kernels with `tune(…)` are left out.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once, Weak};
use std::time::Duration;

use crate::attributes::DeviceAttributes;
use crate::backend::Moment;
use crate::gpu::{Gpu, lock};
use crate::profile::{LAUNCH_SECONDS, Profile, bytes, percent, time};

/// The environment variable that makes every device keep an account.
const VARIABLE: &str = "KERNEL_ACCOUNT";

/// Seconds of a copy between host and device that has no bytes, about.
const COPY_SECONDS: f64 = 8e-6;
/// Bytes per second between host and device, about: PCIe 5.0 with 16 lanes.
const HOST_BANDWIDTH: f64 = 50e9;

/// Launches under way after which those that are over are looked for: each holds two events of the driver.
const MANY_PENDING: usize = 1024;

/// Direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyKind {
    /// From the host to the device.
    ToDevice,
    /// From the device to the host.
    ToHost,
    /// On the device, or from another one.
    OnDevice,
    /// No copy, but bytes set to zero.
    Zeros,
}

impl CopyKind {
    /// Every kind, in the order of the table.
    pub const ALL: [CopyKind; 4] =
        [CopyKind::ToDevice, CopyKind::ToHost, CopyKind::OnDevice, CopyKind::Zeros];

    /// A name for the reader.
    pub const fn as_str(self) -> &'static str {
        match self {
            CopyKind::ToDevice => "host to device",
            CopyKind::ToHost => "device to host",
            CopyKind::OnDevice => "on the device",
            CopyKind::Zeros => "set to zero",
        }
    }

    /// Seconds that so many bytes take, about, on a device with this bandwidth of its memory.
    fn seconds(self, bytes: u64, memory_bandwidth: f64) -> f64 {
        match self {
            CopyKind::ToDevice | CopyKind::ToHost => COPY_SECONDS + bytes as f64 / HOST_BANDWIDTH,
            CopyKind::OnDevice => LAUNCH_SECONDS + 2.0 * bytes as f64 / memory_bandwidth,
            CopyKind::Zeros => LAUNCH_SECONDS + bytes as f64 / memory_bandwidth,
        }
    }
}

/// Launches of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelUse {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Number of launches.
    pub launches: u64,
    /// Time of them together, as far as it is known: see the [module](self).
    pub time: Duration,
    /// Launches whose time is not known: those of graphs on a GPU, and of graphs recorded before the account on the simulator.
    pub untimed: u64,
    /// Launches that take no longer than it takes to start one, about.
    pub short: u64,
    /// Launches with fewer blocks than the device has SMs.
    pub unfilled: u64,
    /// Launches that the host waited for before it started another one.
    pub waited: u64,
    /// Blocks of the largest launch.
    pub most_blocks: u64,
}

/// The one that does a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopiedBy {
    /// The host, which waits for it.
    Host,
    /// The stream with this identity.
    Stream(usize),
    /// A graph.
    Graph,
}

/// Copies of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyUse {
    /// Number of copies.
    pub count: u64,
    /// Bytes of them together.
    pub bytes: u64,
    /// Time of them together: measured where the host waits for a GPU, else estimated.
    pub time: Duration,
}

/// Starts of graphs on a GPU, of which only the time as a whole is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphUse {
    /// Number of starts.
    pub starts: u64,
    /// Time of them together.
    pub time: Duration,
    /// Starts whose time is not known.
    pub untimed: u64,
}

/// The moments of a queue in front of a launch and behind it.
type Moments = Arc<[Box<dyn Moment>; 2]>;

/// The time of a launch.
#[derive(Clone, Debug)]
pub(crate) enum LaunchTime {
    Known(Duration),
    /// Between two moments of a queue, which may not have been reached yet.
    Between(Moments),
    Unknown,
}

impl LaunchTime {
    /// The time of a launch that is over: on the simulator by its profile.
    pub(crate) fn of(gpu: &Gpu, profile: Option<&Profile>, measured: Duration) -> LaunchTime {
        match profile {
            Some(profile) => {
                LaunchTime::Known(Duration::from_secs_f64(profile.estimate.seconds.max(LAUNCH_SECONDS)))
            }
            None if gpu.is_simulator() => LaunchTime::Unknown,
            None => LaunchTime::Known(measured),
        }
    }
}

#[derive(Debug, Default)]
struct Book {
    kernels: Vec<KernelUse>,
    /// Launches since the host has waited last, and the row of the last one.
    since_wait: (u64, usize),
    copies: [CopyUse; CopyKind::ALL.len()],
    /// Time of the copies from and to the host that it waits for.
    blocking: Duration,
    /// The streams that copy from and to the host.
    streams: HashSet<usize>,
    /// Hashes of the contents and lengths that were copied to the device, and how many copies brought what an earlier one had brought.
    uploads: HashSet<(u64, usize)>,
    repeated: u64,
    graphs: GraphUse,
    /// Graphs that were recorded, starts of graphs, and launches of each kernel that were steps of one.
    recorded: u64,
    replayed: u64,
    in_graphs: Vec<u64>,
    /// Work under way, each with its row.
    pending: Vec<(Row, Moments)>,
}

/// A row of a book whose time is entered.
#[derive(Clone, Copy, Debug)]
enum Row {
    /// That of the kernel with this index.
    Kernel(usize),
    Graphs,
}

impl Book {
    fn launched(&mut self, kernel: &'static str, blocks: u64, sms: u32, time: LaunchTime, in_graph: bool) {
        let known = self.kernels.iter().position(|row| row.kernel == kernel);
        let at = known.unwrap_or(self.kernels.len());
        if known.is_none() {
            self.kernels.push(KernelUse {
                kernel,
                launches: 0,
                time: Duration::ZERO,
                untimed: 0,
                short: 0,
                unfilled: 0,
                waited: 0,
                most_blocks: 0,
            });
            self.in_graphs.push(0);
        }
        self.in_graphs[at] += u64::from(in_graph);
        self.since_wait = (self.since_wait.0 + 1, at);
        let row = &mut self.kernels[at];
        row.launches += 1;
        row.most_blocks = row.most_blocks.max(blocks);
        row.unfilled += u64::from(blocks < u64::from(sms));
        self.took(Row::Kernel(at), time);
    }

    /// The host has waited for what it started.
    fn waited(&mut self) {
        if let (1, at) = std::mem::take(&mut self.since_wait) {
            self.kernels[at].waited += 1;
        }
    }

    fn graph_started(&mut self, time: LaunchTime) {
        self.graphs.starts += 1;
        self.took(Row::Graphs, time);
    }

    fn took(&mut self, row: Row, time: LaunchTime) {
        match time {
            LaunchTime::Known(time) => self.enter(row, Some(time)),
            LaunchTime::Between(moments) => {
                self.pending.push((row, moments));
                if self.pending.len().is_multiple_of(MANY_PENDING) {
                    self.enter_reached();
                }
            }
            LaunchTime::Unknown => self.enter(row, None),
        }
    }

    /// Waits for launches that are under way, and enters their times.
    fn settle(&mut self) {
        for (row, moments) in std::mem::take(&mut self.pending) {
            let [start, stop] = &*moments;
            self.enter(row, stop.wait().and_then(|()| stop.since(&**start)).ok());
        }
    }

    /// Enters the times of the launches that are over; those of the others are not known. Waits for nothing.
    fn give_up(&mut self) {
        self.enter_reached();
        for (row, _) in std::mem::take(&mut self.pending) {
            self.enter(row, None);
        }
    }

    /// Enters the times of the launches that are over.
    fn enter_reached(&mut self) {
        for (row, moments) in std::mem::take(&mut self.pending) {
            let [start, stop] = &*moments;
            match stop.is_reached() {
                Ok(false) => self.pending.push((row, moments)),
                Ok(true) => self.enter(row, stop.since(&**start).ok()),
                Err(_) => self.enter(row, None),
            }
        }
    }

    /// Enters a time, or that it is not known.
    fn enter(&mut self, row: Row, time: Option<Duration>) {
        match (row, time) {
            (Row::Kernel(at), Some(time)) => self.kernels[at].took(time),
            (Row::Kernel(at), None) => self.kernels[at].untimed += 1,
            (Row::Graphs, Some(time)) => self.graphs.time += time,
            (Row::Graphs, None) => self.graphs.untimed += 1,
        }
    }
}

impl KernelUse {
    fn took(&mut self, time: Duration) {
        self.time += time;
        self.short += u64::from(time.as_secs_f64() <= 1.5 * LAUNCH_SECONDS);
    }
}

/// The accounts that are kept of a device now.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Number of books: looked at by every launch.
    count: AtomicUsize,
    books: Mutex<Vec<Arc<Mutex<Book>>>>,
}

impl Ledger {
    /// Returns true if anybody wants to know.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    fn open(&self) -> Arc<Mutex<Book>> {
        let book = Arc::<Mutex<Book>>::default();
        let mut books = lock(&self.books);
        books.push(book.clone());
        self.count.store(books.len(), Ordering::Relaxed);
        book
    }

    fn close(&self, book: &Arc<Mutex<Book>>) {
        let mut books = lock(&self.books);
        books.retain(|known| !Arc::ptr_eq(known, book));
        self.count.store(books.len(), Ordering::Relaxed);
    }

    fn enter(&self, entry: impl Fn(&mut Book)) {
        if self.is_open() {
            lock(&self.books).iter().for_each(|book| entry(&mut lock(book)));
        }
    }

    /// Enters a launch of so many blocks on a device of so many SMs.
    pub(crate) fn launched(&self, kernel: &'static str, blocks: u64, sms: u32, time: LaunchTime) {
        self.enter(|book| book.launched(kernel, blocks, sms, time.clone(), false));
    }

    /// Enters a launch that is a step of a graph.
    pub(crate) fn launched_by_graph(&self, kernel: &'static str, blocks: u64, sms: u32, time: LaunchTime) {
        self.enter(|book| book.launched(kernel, blocks, sms, time.clone(), true));
    }

    /// Enters that a graph has been recorded.
    pub(crate) fn graph_recorded(&self) {
        self.enter(|book| book.recorded += 1);
    }

    /// Enters that a graph has been started.
    pub(crate) fn graph_replayed(&self) {
        self.enter(|book| book.replayed += 1);
    }

    /// Enters a start of a graph.
    pub(crate) fn graph_started(&self, time: LaunchTime) {
        self.enter(|book| book.graph_started(time.clone()));
    }

    /// Enters that the host has waited for what it started.
    pub(crate) fn waited(&self) {
        self.enter(Book::waited);
    }

    /// Enters a copy that took this time.
    fn copied(&self, kind: CopyKind, bytes: u64, time: Duration, by: CopiedBy) {
        self.enter(|book| {
            let row = &mut book.copies[kind as usize];
            row.count += 1;
            row.bytes += bytes;
            row.time += time;
            match (kind, by) {
                (CopyKind::OnDevice | CopyKind::Zeros, _) | (_, CopiedBy::Graph) => {}
                (CopyKind::ToDevice, CopiedBy::Host) => book.blocking += time,
                // Writers of the buffer are waited for as well.
                (CopyKind::ToHost, CopiedBy::Host) => {
                    book.blocking += time;
                    book.waited();
                }
                (CopyKind::ToDevice | CopyKind::ToHost, CopiedBy::Stream(stream)) => {
                    book.streams.insert(stream);
                }
            }
        });
    }
}

impl Gpu {
    /// Begins an account of the launches and copies of this device; it ends when the account is dropped. On the simulator launches are
    /// [profiled](Gpu::profile_launches) meanwhile. See the [module](mod@crate::account).
    #[doc(alias("nsys", "nvprof", "cudaProfilerStart"))]
    pub fn account(&self) -> Account {
        Account { book: self.ledger().open(), gpu: self.clone() }
    }

    /// Does a copy that the host waits for, and enters it.
    pub(crate) fn counting<T>(&self, kind: CopyKind, bytes: usize, work: impl FnOnce() -> T) -> T {
        if !self.ledger().is_open() {
            return work();
        }
        let start = std::time::Instant::now();
        let done = work();
        let measured = (!self.is_simulator()).then(|| start.elapsed());
        self.enter_copy(kind, bytes, measured, CopiedBy::Host);
        done
    }

    /// Enters a copy that nobody waits for here: its time is estimated.
    pub(crate) fn copied(&self, kind: CopyKind, bytes: usize, by: CopiedBy) {
        self.enter_copy(kind, bytes, None, by);
    }

    fn enter_copy(&self, kind: CopyKind, bytes: usize, measured: Option<Duration>, by: CopiedBy) {
        if self.ledger().is_open() {
            let bytes = bytes as u64;
            let about = || Duration::from_secs_f64(kind.seconds(bytes, self.memory_bandwidth()));
            self.ledger().copied(kind, bytes, measured.unwrap_or_else(about), by);
        }
    }

    /// Enters the contents of a copy to the device: accounts tell which come again and again.
    pub(crate) fn uploading(&self, bytes: &[u8]) {
        if !self.ledger().is_open() || bytes.is_empty() {
            return;
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        let contents = (hasher.finish(), bytes.len());
        self.ledger().enter(|book| book.repeated += u64::from(!book.uploads.insert(contents)));
    }
}

/// Returns true if the value of the variable asks for accounts.
fn is_asked(value: Option<&OsStr>) -> bool {
    value.is_some_and(|value| !value.is_empty() && value != "0")
}

/// An account that is printed when its device is closed, if the environment asks for it.
pub(crate) struct Closing(Option<Arc<Asked>>);

/// An account that the environment asks for.
struct Asked {
    book: Arc<Mutex<Book>>,
    device: String,
    sms: u32,
    /// The account is printed, or about to be: a device may be dropped while the program ends.
    is_printed: AtomicBool,
}

impl Closing {
    pub(crate) fn from_environment(ledger: &Ledger, attributes: &DeviceAttributes) -> Closing {
        let asked = is_asked(std::env::var_os(VARIABLE).as_deref());
        Closing(asked.then(|| {
            let (book, device, sms) = (ledger.open(), attributes.name.clone(), attributes.sms);
            let asked = Arc::new(Asked { book, device, sms, is_printed: AtomicBool::new(false) });
            AT_EXIT.call_once(|| {
                // If it fails, devices that are never closed print nothing.
                let _ = atexit(print_open);
            });
            let mut open = lock(&OPEN);
            open.retain(|known| known.strong_count() > 0);
            open.push(Arc::downgrade(&asked));
            asked
        }))
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        if let Some(asked) = self.0.take() {
            asked.print(&mut io::stderr(), Book::settle);
        }
    }
}

impl Asked {
    /// Prints the table, the first time it is called. An output that nobody reads is no failure of the program.
    fn print(&self, output: &mut impl Write, complete: fn(&mut Book)) {
        if !self.is_printed.swap(true, Ordering::Relaxed) {
            let _ = output.write_all(self.text(complete).as_bytes());
        }
    }

    /// The table; nothing of an account with nothing in it.
    fn text(&self, complete: fn(&mut Book)) -> String {
        let mut book = lock(&self.book);
        complete(&mut book);
        let is_empty = book.kernels.is_empty() && book.copies.iter().all(|copies| copies.count == 0);
        if is_empty {
            return String::new();
        }
        Table { book: &book, device: &self.device, sms: self.sms }.to_string()
    }
}

/// The accounts of devices that have not been closed.
static OPEN: Mutex<Vec<Weak<Asked>>> = Mutex::new(Vec::new());
static AT_EXIT: Once = Once::new();

// SAFETY: the signature of the C standard library's, which the standard library links; a function that does not unwind may be called then.
unsafe extern "C" {
    safe fn atexit(call: extern "C" fn()) -> std::ffi::c_int;
}

/// Prints the accounts of devices in statics, which nobody drops. A kernel that never ends does not keep the program from ending.
extern "C" fn print_open() {
    // Nothing may unwind from here.
    let _ = std::panic::catch_unwind(|| {
        let open: Vec<Arc<Asked>> = lock(&OPEN).iter().filter_map(Weak::upgrade).collect();
        open.iter().for_each(|asked| asked.print(&mut io::stderr(), Book::give_up));
    });
}

/// An account of what a program asks a device for, from [`Gpu::account`] on: see the [module](self). Printed it is a table.
#[must_use = "an account ends when it is dropped: print it before"]
#[derive(Debug)]
pub struct Account {
    book: Arc<Mutex<Book>>,
    gpu: Gpu,
}

impl Account {
    /// The launches by kernel, in the order of the first of each. Waits for those that are under way.
    pub fn kernels(&self) -> Vec<KernelUse> {
        let mut book = lock(&self.book);
        book.settle();
        book.kernels.clone()
    }

    /// The starts of graphs on a GPU. Waits for those that are under way.
    pub fn graphs(&self) -> GraphUse {
        let mut book = lock(&self.book);
        book.settle();
        book.graphs
    }

    /// The copies of a kind.
    pub fn copies(&self, kind: CopyKind) -> CopyUse {
        lock(&self.book).copies[kind as usize]
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.gpu.ledger().close(&self.book);
    }
}

impl fmt::Display for Account {
    /// A table of kernels by their time, one of copies, and what is worth a look.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut book = lock(&self.book);
        book.settle();
        let attributes = self.gpu.attributes();
        Table { book: &book, device: &attributes.name, sms: attributes.sms }.fmt(f)
    }
}

/// `1 launch`, `2 launches`.
fn counted(launches: u64) -> String {
    if launches == 1 { "1 launch".to_owned() } else { format!("{launches} launches") }
}

struct Table<'a> {
    book: &'a Book,
    device: &'a str,
    sms: u32,
}

/// Part of the time from which on copies are worth a look.
const MUCH: f64 = 0.25;
/// Bytes of a copy below which it takes about as long as one of no bytes: a quarter of the time is for them.
const SMALL: u64 = (COPY_SECONDS * HOST_BANDWIDTH / 3.0) as u64;
/// Number of launches or copies from which on they are many.
const MANY: u64 = 10;

impl Table<'_> {
    /// Seconds of all launches and copies.
    fn total(&self) -> f64 {
        let kernels: Duration = self.book.kernels.iter().map(|row| row.time).sum();
        let copies: Duration = self.book.copies.iter().map(|row| row.time).sum();
        (kernels + self.book.graphs.time + copies).as_secs_f64()
    }

    fn share(&self, part: Duration) -> f64 {
        let total = self.total();
        if total == 0.0 { 0.0 } else { part.as_secs_f64() / total }
    }

    fn copies(&self, kind: CopyKind) -> CopyUse {
        self.book.copies[kind as usize]
    }

    /// Advice on copies between host and device, if they take much of the time: by what makes them many or long.
    fn copy_hint(&self) -> Option<String> {
        let Book { blocking, streams, repeated, .. } = self.book;
        let (there, back) = (self.copies(CopyKind::ToDevice), self.copies(CopyKind::ToHost));
        let time = there.time + back.time;
        // Data comes to the device once, and results go back once.
        if self.share(time) <= MUCH || there.count + back.count < MANY {
            return None;
        }
        let (most, other) = if there.time >= back.time { (there, back) } else { (back, there) };
        let (way, is_there) = match there.time >= back.time {
            true => ("to the device", true),
            false => ("to the host", false),
        };
        let each = most.bytes / most.count.max(1);
        let count = most.count;
        let advice = if other.count >= MANY && *blocking > time / 2 {
            "data goes back and forth: leave it on the device from one launch to the next, and copy results at the end".to_owned()
        } else if is_there && 2 * repeated > count && *repeated >= MANY {
            format!(
                "{repeated} of {count} copies to the device bring what an earlier one has brought: keep it there, in a buffer that lives as long as it is used"
            )
        } else if each < SMALL && count >= MANY {
            let advice = match is_there {
                true => "put them together on the host, and copy once",
                false => "let the device collect what the host wants, and ask for it every few steps",
            };
            format!(
                "{count} copies {way} of {} on average take as long as it takes to start them: {advice}",
                bytes(each)
            )
        } else if !is_there && count >= MANY && other.time < back.time / 2 {
            format!(
                "{} come back each of {count} times: compute on the device what the host wants of them, a sum or a maximum, or copy at the end",
                bytes(each)
            )
        } else if *blocking > time / 2 {
            "the host waits for them: copy less, or beside the launches, by streams, from and to page-locked memory, `gpu.pinned(n)`".to_owned()
        } else if streams.len() == 1 {
            "all of them are on one stream, one after the other with the launches: on two streams the copies of one part run beside the launches of another".to_owned()
        } else {
            return None;
        };
        Some(format!(
            "copies between host and device take {} of the time: {advice}",
            percent(self.share(time))
        ))
    }

    /// Findings that are worth a look.
    fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        let Book { recorded, replayed, .. } = *self.book;
        if recorded >= MANY && replayed < 2 * recorded {
            hints.push(format!(
                "{recorded} graphs are recorded for {replayed} starts: record a graph once and start it again and again, or change it by `graph.update(…)`"
            ));
        }
        for (row, &in_graphs) in self.book.kernels.iter().zip(&self.book.in_graphs) {
            let KernelUse { kernel, launches, short, unfilled, waited, most_blocks, .. } = row;
            if *short >= MANY && 2 * short > *launches {
                // A graph starts its launches without the host.
                if 2 * in_graphs > *launches {
                    continue;
                }
                let waits = match 2 * waited > *launches {
                    true => {
                        ", and the host waits for each of them: `.start(&stream)` goes on at once, and one wait at the end is enough"
                    }
                    false => "",
                };
                hints.push(format!(
                    "{short} of {launches} launches of `{kernel}` take no longer than it takes to start one{waits}: let one launch do what several do, or record them \
                     in a graph, `gpu.graph(…)`"
                ));
            } else if 2 * unfilled > *launches && self.share(row.time) > MUCH {
                hints.push(format!(
                    "{unfilled} of {launches} launches of `{kernel}` have {most_blocks} blocks at most, for {} SMs: start more blocks, with less work for each \
                     thread, or run several such launches at once, on streams",
                    self.sms
                ));
            }
        }
        hints.extend(self.copy_hint());
        let zeros = self.copies(CopyKind::Zeros);
        if zeros.count >= MANY && self.share(zeros.time) > 0.05 {
            hints.push(format!(
                "{} times bytes are set to zero: a buffer that a kernel writes whole needs no zeros before, and can be used again instead of a new one",
                zeros.count
            ));
        }
        hints
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Book { kernels, copies, graphs, .. } = self.book;
        let launches: u64 = kernels.iter().map(|row| row.launches).sum();
        writeln!(f, "{}: {}, {} in all, about", self.device, counted(launches), time(self.total()))?;
        let mut rows: Vec<&KernelUse> = kernels.iter().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.time));
        let width = rows.iter().map(|row| row.kernel.chars().count()).max().unwrap_or(0).max(16);
        if !rows.is_empty() {
            writeln!(
                f,
                "  {:width$}{:>10}{:>10}{:>10}{:>9}{:>10}{:>8}{:>10}",
                "kernel", "launches", "time", "each", "share", "blocks", "short", "unfilled"
            )?;
        }
        for row in rows {
            let timed = row.launches - row.untimed;
            let seconds = row.time.as_secs_f64();
            let (all, each, share) = match timed {
                0 => ("?".to_owned(), "?".to_owned(), "?".to_owned()),
                _ => (time(seconds), time(seconds / timed as f64), percent(self.share(row.time))),
            };
            writeln!(
                f,
                "  {:width$}{:>10}{all:>10}{each:>10}{share:>9}{:>10}{:>8}{:>10}",
                row.kernel, row.launches, row.most_blocks, row.short, row.unfilled
            )?;
        }
        let timed = graphs.starts - graphs.untimed;
        if timed > 0 {
            let seconds = graphs.time.as_secs_f64();
            writeln!(f, "  {:width$}{:>10}{:>10}{:>10}{:>9}", "graphs", "starts", "time", "each", "share")?;
            writeln!(
                f,
                "  {:width$}{:>10}{:>10}{:>10}{:>9}",
                "all",
                graphs.starts,
                time(seconds),
                time(seconds / timed as f64),
                percent(self.share(graphs.time))
            )?;
        }
        if copies.iter().any(|row| row.count > 0) {
            writeln!(
                f,
                "  {:width$}{:>10}{:>10}{:>10}{:>9}{:>10}",
                "copies", "number", "time", "each", "share", "bytes"
            )?;
        }
        for kind in CopyKind::ALL {
            let row = self.copies(kind);
            if row.count == 0 {
                continue;
            }
            let seconds = row.time.as_secs_f64();
            writeln!(
                f,
                "  {:width$}{:>10}{:>10}{:>10}{:>9}{:>10}",
                kind.as_str(),
                row.count,
                time(seconds),
                time(seconds / row.count as f64),
                percent(self.share(row.time)),
                bytes(row.bytes)
            )?;
        }
        let untimed: u64 = kernels.iter().map(|row| row.untimed).sum();
        match (untimed, timed) {
            (0, _) => {}
            (_, 0) => writeln!(f, "  {} of graphs without a time", counted(untimed))?,
            _ => writeln!(f, "  {} of graphs, timed together: see `graphs`", counted(untimed))?,
        }
        let hints = self.hints();
        if !hints.is_empty() {
            writeln!(f, "  worth a look")?;
        }
        hints.iter().try_for_each(|hint| writeln!(f, "    {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CudaError;
    use crate::{Arch, PtxModule, Result};

    const KERNEL: &str = ".version 7.0
.target sm_75
.address_size 64
.visible .entry clear(.param .u64 y)
{
    .reg .b64 %y;
    ld.param.u64 %y, [y];
    st.global.u32 [%y], 0;
    ret;
}
";

    fn launch(module: &PtxModule, y: &mut crate::DeviceBuffer<u32>, blocks: u32) -> Result<()> {
        // SAFETY: the kernel writes the first element.
        unsafe { module.function("clear")?.launch().arg(y).grid(blocks).block(32).run() }.map(drop)
    }

    #[test]
    fn launches_and_copies_are_counted_from_its_begin_to_its_end() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let module = gpu.load_ptx(KERNEL).unwrap();
        let mut y = gpu.upload(&[1u32; 100]).unwrap();
        launch(&module, &mut y, 1).unwrap();
        let account = gpu.account();
        launch(&module, &mut y, 2).unwrap();
        launch(&module, &mut y, 200).unwrap();
        let stream = gpu.stream().unwrap();
        // SAFETY: as in `launch`.
        unsafe { module.function("clear").unwrap().launch().arg(&mut y).grid(3).block(32).start(&stream) }
            .unwrap();
        stream.synchronize().unwrap();
        y.copy_from_slice(&[2; 100]).unwrap();
        y.set_zero().unwrap();
        y.to_vec().unwrap();
        let [row] = &account.kernels()[..] else { panic!("{account}") };
        assert_eq!((row.kernel, row.launches, row.most_blocks), ("clear", 3, 200));
        assert_eq!((row.unfilled, row.short, row.untimed), (2, 3, 0));
        assert_eq!(row.time, Duration::from_secs_f64(3.0 * LAUNCH_SECONDS));
        let copied = |kind| {
            let CopyUse { count, bytes, .. } = account.copies(kind);
            (count, bytes)
        };
        assert_eq!(CopyKind::ALL.map(copied), [(1, 400), (1, 400), (0, 0), (1, 400)]);
        let second = gpu.account();
        drop(account);
        launch(&module, &mut y, 1).unwrap();
        assert_eq!(second.kernels()[0].launches, 1);
        drop(second);
        assert!(!gpu.ledger().is_open());
    }

    /// A moment on a clock of its own, which is there already.
    #[derive(Debug)]
    struct Past(u64);

    impl Moment for Past {
        fn raw(&self) -> *mut std::ffi::c_void {
            std::ptr::null_mut()
        }
        fn reach_now(&self) {}
        fn wait(&self) -> Result<(), CudaError> {
            Ok(())
        }
        fn is_reached(&self) -> Result<bool, CudaError> {
            Ok(true)
        }
        fn since(&self, _: &dyn Moment) -> Result<Duration, CudaError> {
            Ok(Duration::from_micros(self.0))
        }
        fn host_time(&self) -> Option<std::time::Instant> {
            None
        }
    }

    /// A program that leaves all launches to a stream and never looks at its account.
    #[test]
    fn launches_that_are_over_keep_no_events() {
        let mut book = Book::default();
        for _ in 0..2 * MANY_PENDING + 1 {
            let moments: Moments = Arc::new([Box::new(Past(0)), Box::new(Past(30))]);
            book.launched("step", 1000, 100, LaunchTime::Between(moments), false);
        }
        assert_eq!(book.pending.len(), 1);
        book.settle();
        let [row] = &book.kernels[..] else { panic!("{book:?}") };
        let launches = 2 * MANY_PENDING as u64 + 1;
        assert_eq!((row.launches, row.untimed, row.short), (launches, 0, 0));
        assert_eq!(row.time, Duration::from_micros(30 * launches));
    }

    /// A moment that never comes.
    #[derive(Debug)]
    struct Never;

    impl Moment for Never {
        fn raw(&self) -> *mut std::ffi::c_void {
            std::ptr::null_mut()
        }
        fn reach_now(&self) {}
        fn wait(&self) -> Result<(), CudaError> {
            panic!("it would take for ever")
        }
        fn is_reached(&self) -> Result<bool, CudaError> {
            Ok(false)
        }
        fn since(&self, _: &dyn Moment) -> Result<Duration, CudaError> {
            panic!("it has not come")
        }
        fn host_time(&self) -> Option<std::time::Instant> {
            None
        }
    }

    /// An output that nobody reads.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn asked_of_a_launch_without_end() -> Asked {
        let mut book = Book::default();
        book.launched(
            "step",
            1000,
            100,
            LaunchTime::Between(Arc::new([Box::new(Past(0)), Box::new(Past(30))])),
            false,
        );
        book.launched(
            "step",
            1000,
            100,
            LaunchTime::Between(Arc::new([Box::new(Past(0)), Box::new(Never)])),
            false,
        );
        let book = Arc::new(Mutex::new(book));
        Asked { book, device: "a GPU".to_owned(), sms: 100, is_printed: AtomicBool::new(false) }
    }

    #[test]
    fn a_program_ends_although_a_kernel_does_not() {
        let (asked, mut told) = (asked_of_a_launch_without_end(), Vec::new());
        asked.print(&mut told, Book::give_up);
        assert!(String::from_utf8_lossy(&told).contains("a GPU: 2 launches, 30.0 µs in all"));
        let book = lock(&asked.book);
        assert_eq!((book.kernels[0].launches, book.kernels[0].untimed), (2, 1));
    }

    #[test]
    fn an_account_is_printed_once() {
        let (asked, mut told) = (asked_of_a_launch_without_end(), Vec::new());
        asked.print(&mut told, Book::give_up);
        let length = told.len();
        asked.print(&mut told, Book::give_up);
        assert_eq!(told.len(), length);
    }

    #[test]
    fn an_output_that_nobody_reads_is_no_failure() {
        let asked = asked_of_a_launch_without_end();
        asked.print(&mut Closed, Book::give_up);
        assert!(asked.is_printed.into_inner());
    }

    /// Graphs on a GPU: one time for all launches of a start.
    #[test]
    fn graphs_are_timed_as_a_whole() {
        let mut book = Book::default();
        for _ in 0..2 {
            book.graph_started(LaunchTime::Between(Arc::new([Box::new(Past(0)), Box::new(Past(30))])));
            book.launched("step", 1000, 100, LaunchTime::Unknown, true);
        }
        book.settle();
        expect_test::expect![[r#"
            a GPU: 2 launches, 60.0 µs in all, about
              kernel            launches      time      each    share    blocks   short  unfilled
              step                     2         ?         ?        ?      1000       0         0
              graphs              starts      time      each    share
              all                      2   60.0 µs   30.0 µs    100 %
              2 launches of graphs, timed together: see `graphs`
        "#]]
        .assert_eq(&Table { book: &book, device: "a GPU", sms: 100 }.to_string());
    }

    #[test]
    fn the_environment_asks() {
        let asked =
            [None, Some(""), Some("0"), Some("1"), Some("yes")].map(|value| is_asked(value.map(OsStr::new)));
        assert_eq!(asked, [false, false, false, true, true]);
    }

    /// Launches that a graph starts are not to be recorded in one; a graph for each start is.
    #[test]
    fn graphs_for_each_start_are_told() {
        let hints = |in_graph: bool, recorded: u64| {
            let mut book = Book { recorded, replayed: 40, ..Book::default() };
            for _ in 0..40 {
                let time = LaunchTime::Known(Duration::from_micros(2));
                book.launched("step", 1000, 100, time, in_graph);
            }
            Table { book: &book, device: "a GPU", sms: 100 }.hints().join("\n")
        };
        let (by_host, once, each) = (hints(false, 0), hints(true, 1), hints(true, 40));
        assert!(by_host.contains("or record them in a graph"), "{by_host}");
        assert_eq!(once, "");
        assert!(each.starts_with("40 graphs are recorded for 40 starts: record a graph once"), "{each}");
    }

    /// A graph enters what it does in the account of its device.
    #[test]
    fn graphs_are_recorded_and_started() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let mut y = gpu.upload(&[1u32; 100]).unwrap();
        let account = gpu.account();
        let y = y.lend();
        for _ in 0..12 {
            gpu.graph(|graph| graph.set_zero(y)).unwrap().run().unwrap();
        }
        assert!(account.to_string().contains("12 graphs are recorded for 12 starts"), "{account}");
    }

    /// Each time that a graph runs its steps are counted.
    #[test]
    fn steps_of_graphs_are_counted() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let mut y = gpu.upload(&[1u32; 100]).unwrap();
        let account = gpu.account();
        let y = y.lend();
        let graph = gpu.graph(|graph| graph.set_zero(y)).unwrap();
        for _ in 0..3 {
            graph.run().unwrap();
        }
        assert_eq!(account.copies(CopyKind::Zeros).count, 3);
    }

    #[test]
    fn what_is_worth_a_look() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let module = gpu.load_ptx(KERNEL).unwrap();
        let mut y = gpu.upload(&[1u32; 100]).unwrap();
        let account = gpu.account();
        for _ in 0..20 {
            y.set_zero().unwrap();
            launch(&module, &mut y, 1).unwrap();
            let host = y.to_vec().unwrap();
            y.copy_from_slice(&host).unwrap();
        }
        expect_test::expect![[r#"
            simulator of sm_90: 20 launches, 400 µs in all, about
              kernel            launches      time      each    share    blocks   short  unfilled
              clear                   20   40.0 µs   2.00 µs   10.0 %         1      20        20
              copies              number      time      each    share     bytes
              host to device          20    160 µs   8.01 µs   40.0 %      8 kB
              device to host          20    160 µs   8.01 µs   40.0 %      8 kB
              set to zero             20   40.0 µs   2.00 µs   10.0 %      8 kB
              worth a look
                20 of 20 launches of `clear` take no longer than it takes to start one, and the host waits for each of them: `.start(&stream)` goes on at once, and one wait at the end is enough: let one launch do what several do, or record them in a graph, `gpu.graph(…)`
                copies between host and device take 80.0 % of the time: data goes back and forth: leave it on the device from one launch to the next, and copy results at the end
                20 times bytes are set to zero: a buffer that a kernel writes whole needs no zeros before, and can be used again instead of a new one
        "#]].assert_eq(&account.to_string());
    }

    /// The advice on copies of a program.
    fn copy_advice(program: impl Fn(&Gpu) -> Result<()>) -> String {
        let gpu = Gpu::simulator(Arch::Sm90);
        let account = gpu.account();
        program(&gpu).unwrap();
        let text = account.to_string();
        let of_copies = text.lines().find_map(|line| line.split_once("of the time: "));
        of_copies.map_or_else(String::new, |(_, advice)| advice.to_owned())
    }

    #[test]
    fn copies_are_told_by_what_makes_them_many() {
        let numbers = |len: u32, first: u32| (first..first + len).collect::<Vec<u32>>();
        // Parts of one buffer; one copy of all.
        let parts = copy_advice(|gpu| {
            let mut y = gpu.zeros::<u32>(1600)?;
            (0..16).try_for_each(|part| {
                y.slice_mut(100 * part..100 * (part + 1))?.copy_from_slice(&numbers(100, part as u32))
            })
        });
        assert!(
            parts.starts_with(
                "16 copies to the device of 400 B on average take as long as it takes to start them"
            ),
            "{parts}"
        );
        assert_eq!(copy_advice(|gpu| gpu.upload(&numbers(1600, 0)).map(drop)), "");
        // Equal numbers in each; other ones.
        let again = copy_advice(|gpu| (0..16).try_for_each(|_| gpu.upload(&numbers(100_000, 0)).map(drop)));
        assert!(
            again.starts_with("15 of 16 copies to the device bring what an earlier one has brought"),
            "{again}"
        );
        let others =
            copy_advice(|gpu| (0..16).try_for_each(|step| gpu.upload(&numbers(100_000, step)).map(drop)));
        assert!(others.starts_with("the host waits for them"), "{others}");
        // Whole buffers come back.
        let back = copy_advice(|gpu| {
            let x = gpu.upload(&numbers(100_000, 0))?;
            (0..16).try_for_each(|_| x.to_vec().map(drop))
        });
        assert!(back.starts_with("400 kB come back each of 16 times"), "{back}");
        // By one stream, by two.
        let by_streams = |count: usize| {
            copy_advice(|gpu| {
                let host = gpu.pinned_from(&numbers(100_000, 0))?;
                let streams = (0..count).map(|_| gpu.stream()).collect::<Result<Vec<_>>>()?;
                let mut parts = (0..count).map(|_| gpu.zeros::<u32>(100_000)).collect::<Result<Vec<_>>>()?;
                (0..16).try_for_each(|step| {
                    streams[step % count].copy_to_device(&host, &mut parts[step % count])
                })
            })
        };
        let one = by_streams(1);
        assert!(one.starts_with("all of them are on one stream"), "{one}");
        assert_eq!(by_streams(2), "");
    }

    #[test]
    fn launches_that_are_waited_for_are_counted() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let module = gpu.load_ptx(KERNEL).unwrap();
        let mut y = gpu.upload(&[1u32; 100]).unwrap();
        let account = gpu.account();
        let stream = gpu.stream().unwrap();
        let mut start = || {
            // SAFETY: as in `launch`.
            unsafe {
                module.function("clear").unwrap().launch().arg(&mut y).grid(1).block(32).start(&stream)
            }
            .unwrap();
        };
        (0..3).for_each(|_| start());
        stream.synchronize().unwrap();
        assert_eq!(account.kernels()[0].waited, 0);
        start();
        stream.synchronize().unwrap();
        start();
        stream.synchronize().unwrap();
        stream.synchronize().unwrap();
        assert_eq!(account.kernels()[0].waited, 2);
        launch(&module, &mut y, 1).unwrap();
        assert_eq!(account.kernels()[0].waited, 3);
    }

    /// Launches that fill the device, without copies.
    #[test]
    fn nothing_is_worth_a_look() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let module = gpu.load_ptx(KERNEL).unwrap();
        let mut y = gpu.upload(&[1u32; 100]).unwrap();
        let account = gpu.account();
        (0..3).for_each(|_| launch(&module, &mut y, 200).unwrap());
        assert!(!account.to_string().contains("worth a look"), "{account}");
    }
}
