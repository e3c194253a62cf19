//! Advice on a faster kernel: each hint says what was counted, at which line most, and what to do.

use ptx::occupancy::Limiter;

use super::estimate::{Facts, LAUNCH, LONGEST, MEMORY, busy_sms};
use super::machine::{DIVISION, DIVISIONS, INTEGER_DIVISION, NEAR};
use super::numbers::{percent, short};
use super::{Bound, Class, Counts, InstructionProfile, LineProfile, Pattern, Profile, Regime, Stall};
use crate::report::{Remark, RemarkKind};
use ptx_sim::MEMORY_LATENCY;

/// Bytes of a row of words in all banks of shared memory, and of a line of a cache.
const ROW: u64 = 128;

/// Bytes of shared memory that a block has without being asked for more.
const SHARED_BYTES: u64 = 48 << 10;

/// Registers by which the estimate may be too high without anything spilled: the assembler computes some values anew.
const SCHEDULED: u32 = 8;

/// Times the average from which on a warp counts as busier than the others of its block: a third of their time goes by while they wait for it.
const UNEVEN: f64 = 1.5;

/// Advice on tiles whose rows cannot be copied 16 bytes at a time.
const UNEVEN_ROWS: &str = "the tile is loaded element by element, as its rows do not begin at multiples of 16 bytes: let each row begin there, by a stride that is a multiple of 16 \
                           bytes, `matrix_with_stride`, and parts of buffers too";

/// Words of which one begins each loop that takes an attribute.
const LOOPS: &[&str] = &["for", "while", "loop"];

/// Data that hints are made from.
pub(super) struct Look<'a> {
    pub(super) profile: &'a Profile,
    pub(super) facts: &'a Facts,
    /// The most first.
    pub(super) bounds: &'a [Bound],
    /// The greatest, if there were enough such blocks to fill the device over and over.
    pub(super) filled: Option<Bound>,
}

/// The advice that the launch calls for.
pub(super) fn hints(look: &Look<'_>) -> Vec<String> {
    Look::HINTS.into_iter().filter_map(|hint| hint(look)).collect()
}

/// Returns true if one of these words stands in a line of source.
fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| words.contains(&word))
}

fn part(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Sectors of an instruction beyond those of packed accesses, but for one of each request: packed accesses take one more where
/// they do not start at the start of a sector.
fn scattered(instruction: &InstructionProfile) -> u64 {
    let counts = &instruction.counts;
    counts.excess_sectors().saturating_sub(counts.global_requests)
}

/// Bank conflicts of loads and stores. Lanes of an atomic operation that meet at a word, or at others of its bank, do so by their data: see `one_word`.
fn plain_conflicts(instruction: &InstructionProfile) -> u64 {
    match instruction.class {
        Class::Atomic => 0,
        _ => instruction.counts.bank_conflicts(),
    }
}

/// Returns true for accesses of neighbouring elements most of which begin inside of a sector.
fn is_unaligned(instruction: &InstructionProfile) -> bool {
    let counts = &instruction.counts;
    is_packed(instruction) && 2 * counts.excess_sectors() > counts.global_requests
}

/// Returns true for an instruction whose lanes access neighbouring elements.
fn is_packed(instruction: &InstructionProfile) -> bool {
    let counts = &instruction.counts;
    counts.global_requests > 0 && counts.sectors > counts.global_requests && scattered(instruction) == 0
}

/// Returns true for an instruction with this name and all of these modifiers.
fn is_form(instruction: &InstructionProfile, name: &str, modifiers: &[&str]) -> bool {
    let mut words = instruction.name.split('.');
    let is_named = words.next() == Some(name);
    let found: Vec<&str> = words.collect();
    is_named && modifiers.iter().all(|modifier| found.contains(modifier))
}

fn is_integer_division(instruction: &InstructionProfile) -> bool {
    let types = ["u16", "s16", "u32", "s32", "u64", "s64"];
    let is = |name: &str, ty: &&str| is_form(instruction, name, &[*ty]);
    instruction.class == Class::Division && types.iter().any(|ty| is("div", ty) || is("rem", ty))
}

fn is_of_64_bits(instruction: &InstructionProfile) -> bool {
    instruction.name.split('.').any(|word| ["u64", "s64"].contains(&word))
}

/// Returns true for a division, a root or a reciprocal of `f32` that is rounded to the last bit.
fn is_exact_f32(instruction: &InstructionProfile) -> bool {
    instruction.class == Class::Division
        && ["div", "sqrt", "rcp"].iter().any(|name| is_form(instruction, name, &["f32"]))
}

/// Returns true for a product of integers of 64 bits: several instructions of a device, which has units for 32.
fn is_wide_product(instruction: &InstructionProfile) -> bool {
    let mut words = instruction.name.split('.');
    let is_product = words.next().is_some_and(|name| ["mul", "mad"].contains(&name));
    let found: Vec<&str> = words.collect();
    let has = |word: &str| found.contains(&word);
    is_product && !has("wide") && (has("u64") || has("s64"))
}

/// Returns true for a barrier of the block.
fn is_barrier(instruction: &InstructionProfile) -> bool {
    ["bar", "barrier"].iter().any(|name| {
        is_form(instruction, name, &["sync"])
            || is_form(instruction, name, &["red"])
            || is_form(instruction, name, &["arrive"])
    }) && !is_form(instruction, "bar", &["warp"])
        && !is_form(instruction, "barrier", &["cluster"])
}

/// The function of the module `fast` that approximates a method of `f32`: that of its name, or what it is made from.
fn approximation(method: &str) -> &str {
    match method {
        "log" => "ln",
        method => method,
    }
}

fn issued(instruction: &InstructionProfile) -> u64 {
    instruction.counts.warp_instructions
}

impl Look<'_> {
    /// Every hint, in the order in which readers see them: memory, lanes, instructions, then the launch as a whole.
    const HINTS: [fn(&Self) -> Option<String>; 35] = [
        Look::coalescing,
        Look::unaligned,
        Look::bank_conflicts,
        Look::divergence,
        Look::partial_warps,
        Look::idle_warps,
        Look::predicated_off,
        Look::local_memory,
        Look::spills,
        Look::constants,
        Look::past_caches,
        Look::one_address,
        Look::few_addresses,
        Look::one_word,
        Look::loaded_again,
        Look::loaded_by_all,
        Look::one_element,
        Look::stored_again,
        Look::narrow_accesses,
        Look::stray_f64,
        Look::strong_fences,
        Look::integer_divisions,
        Look::wide_products,
        Look::exact_divisions,
        Look::exact_functions,
        Look::checks_left,
        Look::kept_loops,
        Look::imbalance,
        Look::uneven_warps,
        Look::few_blocks,
        Look::last_wave,
        Look::occupancy,
        Look::grid_barriers,
        Look::barriers,
        Look::waiting,
    ];

    fn counts(&self) -> &Counts {
        &self.profile.counts
    }

    /// Sum over the instructions.
    fn sum(&self, what: impl Fn(&InstructionProfile) -> u64) -> u64 {
        self.profile.instructions.iter().map(what).sum()
    }

    /// `; most at src/lib.rs:12`, of what instructions have; empty where none has any.
    fn most(&self, what: impl Fn(&InstructionProfile) -> u64) -> String {
        match self.line_of_most(what) {
            Some(line) => format!("; most at {}", self.profile.place(line)),
            None => String::new(),
        }
    }

    /// The cycles of a bound, as a part of the greatest.
    fn bound(&self, what: &str) -> f64 {
        let cycles = |bound: &Bound| bound.cycles / self.greatest();
        self.bounds.iter().find(|bound| bound.what == what).map_or(0.0, cycles)
    }

    fn greatest(&self) -> f64 {
        self.bounds.first().map_or(1.0, |bound| bound.cycles)
    }

    fn seconds(&self) -> f64 {
        self.greatest() / (f64::from(self.profile.device.clock_mhz) * 1e6)
    }

    /// Returns true if warps wait with nothing else to do, however many there are.
    fn is_waiting(&self) -> bool {
        self.filled.as_ref().is_some_and(|bound| bound.regime == Regime::Latency)
    }

    /// Returns true if warps wait with nothing else to do, in this launch or with many more blocks.
    fn is_bound_by_waiting(&self) -> bool {
        self.is_waiting() || self.bounds.first().is_some_and(|bound| bound.regime == Regime::Latency)
    }

    /// Returns true if more blocks would be bound by computation.
    fn is_computing(&self) -> bool {
        self.filled.as_ref().is_some_and(|bound| bound.regime == Regime::Compute)
    }

    /// The instruction with most of something, if any has some.
    fn instruction_with_most(
        &self,
        what: impl Fn(&InstructionProfile) -> u64,
    ) -> Option<&InstructionProfile> {
        self.profile.instructions.iter().max_by_key(|one| what(one)).filter(|one| what(one) > 0)
    }

    /// The order of the lanes in the line that a hint names: that of the instruction there with most of something.
    fn pattern_of_most(&self, what: impl Fn(&InstructionProfile) -> u64) -> Pattern {
        let line = self.line_of_most(&what);
        let most = line.and_then(|line| self.instructions_of(line).max_by_key(|one| what(one)));
        most.map_or(Pattern::Unknown, |one| one.pattern)
    }

    /// The line with most of something of what instructions have, if any has some.
    fn line_of_most(&self, what: impl Fn(&InstructionProfile) -> u64) -> Option<&LineProfile> {
        let of_line = |line: &&LineProfile| self.instructions_of(line).map(&what).sum::<u64>();
        self.profile.lines.iter().max_by_key(of_line).filter(|line| of_line(line) > 0)
    }

    fn instructions_of(&self, line: &LineProfile) -> impl Iterator<Item = &InstructionProfile> {
        line.instructions.iter().filter_map(|&at| self.profile.instructions.get(at))
    }

    /// Returns true if a line's text has one of these words, or is not known.
    fn may_say(&self, line: &LineProfile, words: &[&str]) -> bool {
        self.profile.text(line).is_none_or(|text| has_word(text, words))
    }

    /// `src/lib.rs:12`, the line of an instruction.
    fn place_of(&self, index: usize) -> Option<String> {
        let line = self.profile.lines.iter().find(|line| line.instructions.contains(&index))?;
        Some(self.profile.place(line))
    }

    fn warps(&self) -> u64 {
        let threads: u32 = self.profile.block.iter().product();
        self.facts.blocks * u64::from(threads.div_ceil(32))
    }

    /// The remarks of the compiler on a line.
    fn remarks(&self, line: &LineProfile) -> impl Iterator<Item = &'static Remark> {
        let path = line.file.and_then(|file| self.profile.files.get(file)).map(|file| file.path.clone());
        let number = line.line;
        let is_there = move |remark: &&Remark| remark.line == number && path.as_deref() == Some(remark.file);
        self.facts.remarks.iter().filter(is_there)
    }

    /// The line with the most instructions of those with such a remark, and its part of all instructions.
    fn line_with_remark(&self, is_asked: fn(&RemarkKind) -> bool) -> Option<(&LineProfile, f64)> {
        let has = |line: &&LineProfile| self.remarks(line).any(|remark| is_asked(&remark.kind));
        let line = self.profile.lines.iter().filter(has).max_by_key(|line| line.counts.warp_instructions)?;
        Some((line, part(line.counts.warp_instructions, self.counts().warp_instructions)))
    }

    fn coalescing(&self) -> Option<String> {
        let counts = self.counts();
        // Atomic operations that meet are told as that.
        let meet = self.one_address().is_some() || self.few_addresses().is_some();
        let scattered = |one: &InstructionProfile| match one.class {
            Class::Atomic if meet => 0,
            _ => scattered(one),
        };
        (part(self.sum(scattered), counts.sectors) > 0.1).then(|| {
            let excess = percent(part(counts.excess_sectors(), counts.sectors));
            let place = self.most(scattered);
            // Neighbouring elements, of which each lane accesses its own one after the other.
            let advice = match self.profile.elements {
                1 if self.wide_copies_not_taken(scattered) => UNEVEN_ROWS.to_owned(),
                1 => self.order_in_memory(scattered),
                elements => format!(
                    "each thread accesses its {elements} elements one by one, which takes accesses of 16 bytes where every slice begins at a multiple of \
                     16 bytes: begin parts of buffers there"
                ),
            };
            format!("{excess} of the sectors of global memory are more than packed accesses take{place}: {advice}")
        })
    }

    /// Advice by the order in which lanes access global memory.
    fn order_in_memory(&self, scattered: impl Fn(&InstructionProfile) -> u64) -> String {
        let pattern = self.pattern_of_most(scattered);
        let [x, y, z] = self.profile.block;
        match pattern {
            Pattern::Stride(bytes) if x < 16 && y * z > 1 => format!(
                "neighbouring lanes are {} bytes apart, as blocks are {x} wide along x: make them 32 wide or a multiple, and let the x of threads walk along the rows",
                bytes.unsigned_abs()
            ),
            Pattern::Stride(bytes) if bytes.unsigned_abs() <= ROW => format!(
                "neighbouring lanes are {} bytes apart: let neighbouring threads access neighbouring elements, of an array for each field instead of one \
                 of structs; a thread with several elements takes them at a distance of the number of threads",
                bytes.unsigned_abs()
            ),
            Pattern::Stride(bytes) => format!(
                "neighbouring lanes are {} bytes apart, as in a column: let neighbouring threads walk along the rows of a matrix, or go through a tile in \
                 shared memory",
                bytes.unsigned_abs()
            ),
            Pattern::Rows { lanes, .. } if x == lanes => format!(
                "a warp accesses {} rows, {x} elements of each, as blocks are {x} wide along x: make them 32 wide or a multiple, and let the x of threads walk along \
                 the rows",
                32 / x
            ),
            Pattern::Rows { lanes, .. } => format!(
                "{lanes} lanes access neighbouring elements, the next {lanes} others: let a warp walk along a row, or 8 lanes and more, which is a sector of `f32`"
            ),
            Pattern::Irregular => {
                "neighbouring lanes have no common distance, as with indices from memory: sort what is accessed, let neighbouring threads share what \
                 is near, or copy it to shared memory first"
                    .to_owned()
            }
            Pattern::Unknown => {
                "let neighbouring threads access neighbouring elements, along the rows of a matrix, of an array for each field instead of one of structs".to_owned()
            }
        }
    }

    /// Returns true if the line with most of something has copies of 16 bytes to shared memory that never run: a tile is loaded element by
    /// element there.
    fn wide_copies_not_taken(&self, what: impl Fn(&InstructionProfile) -> u64) -> bool {
        let is_idle_copy = |one: &InstructionProfile| one.class == Class::Copy && issued(one) == 0;
        self.line_of_most(what).is_some_and(|line| self.instructions_of(line).any(is_idle_copy))
    }

    /// Rows that begin anywhere in the sectors: each access takes a part of one more.
    fn unaligned(&self) -> Option<String> {
        let requests = self.counts().global_requests;
        let is_much = |one: &&InstructionProfile| one.counts.global_requests > requests / 10;
        let (mut much, mut unaligned) = (0, 0);
        for one in self.profile.instructions.iter().filter(is_much) {
            much += 1;
            unaligned += u64::from(is_unaligned(one));
        }
        // Stencils store aligned what they load.
        (self.profile.elements == 1 && much > 0 && unaligned == much).then(|| {
            let excess = percent(part(self.counts().excess_sectors(), self.counts().sectors));
            let place = self.most(|one| if is_unaligned(one) { one.counts.excess_sectors() } else { 0 });
            format!(
                "{excess} of the sectors of global memory are taken as rows begin inside of a sector{place}: let rows and parts of buffers begin at \
                 multiples of 32 bytes, with a pitch of a multiple of 8 `f32`"
            )
        })
    }

    fn bank_conflicts(&self) -> Option<String> {
        let conflicts = part(self.sum(plain_conflicts), self.counts().wavefronts);
        (conflicts > 0.1).then(|| {
            format!(
                "{} of the passes over shared memory are bank conflicts{}: lanes access different words of one bank, which are 32 words apart: {}",
                percent(conflicts),
                self.most(plain_conflicts),
                self.order_in_banks()
            )
        })
    }

    /// Advice by the order in which lanes access shared memory.
    fn order_in_banks(&self) -> String {
        match self.pattern_of_most(plain_conflicts) {
            Pattern::Stride(bytes) if bytes.unsigned_abs().is_multiple_of(ROW) => format!(
                "neighbouring lanes are {} bytes apart: let them access neighbouring words, or, in a column of a shared matrix, make its rows longer by an element, \
                 `[[f32; 33]; 32]`",
                bytes.unsigned_abs()
            ),
            // The size of a struct, or a row of a narrow matrix, or a step that doubles.
            Pattern::Stride(bytes) => format!(
                "neighbouring lanes are {} bytes apart: let them access neighbouring words, of an array for each field instead of one of structs; make the rows of a \
                 matrix that is read by columns longer by an element, `[[f32; 17]; 16]`; pad indices of which the step doubles in each round, `i + i / 32`",
                bytes.unsigned_abs()
            ),
            Pattern::Irregular => {
                "neighbouring lanes have no common distance: pad indices whose order is fixed, as that of reversed bits, `i + i / 32`; look-ups at places that data decide meet by \
                 chance, which a padding does not change: let lanes share what is near, or load a small table from global memory, by way of the cache"
                    .to_owned()
            }
            Pattern::Rows { .. } | Pattern::Unknown => {
                "let neighbouring lanes access neighbouring words, or make the rows of a shared matrix longer by an element, `[[f32; 33]; 32]`".to_owned()
            }
        }
    }

    /// The part of the lanes of a block's warps that are threads.
    fn filled_lanes(&self) -> f64 {
        let threads: u32 = self.profile.block.iter().product();
        f64::from(threads) / (32.0 * f64::from(threads.div_ceil(32)))
    }

    /// Returns true for a line that takes remainders of floats, by a loop that is not the program's.
    fn is_float_remainder(&self, line: &LineProfile) -> bool {
        let has = |class: Class| self.instructions_of(line).any(|one| one.class == class && issued(one) > 0);
        let is_kept = self.remarks(line).any(|remark| matches!(remark.kind, RemarkKind::KeptLoop));
        let text = self.profile.text(line).unwrap_or_default();
        is_kept && has(Class::Float32) && text.contains('%') && !has_word(text, LOOPS)
    }

    fn divergence(&self) -> Option<String> {
        let efficiency = self.counts().warp_execution_efficiency();
        let lost_in =
            |line: &&LineProfile| 32 * line.counts.warp_instructions - line.counts.thread_instructions;
        let line = self.profile.lines.iter().max_by_key(lost_in);
        // One thread of a block asks whether all others have come.
        let meets = self.at_grid_barriers().is_some()
            && line.is_some_and(|line| self.may_say(line, &["grid_barrier"]));
        (efficiency < 0.9 * self.filled_lanes() && !meets).then(|| {
            let lost = |one: &InstructionProfile| 32 * issued(one) - one.counts.thread_instructions;
            let last = line.and_then(|line| line.instructions.last().copied());
            let of_line = line.map_or(&[][..], |line| &line.instructions);
            let of_line = of_line.iter().filter_map(|&at| self.profile.instructions.get(at));
            let fewest = of_line.max_by_key(|one| lost(one));
            let active = fewest.map_or(32.0, |one| 32.0 * one.counts.warp_execution_efficiency());
            // Branches that come after cannot be why they are few there.
            let before = self.profile.instructions.iter().enumerate().take(last.map_or(0, |last| last + 1));
            let parting = before.max_by_key(|(_, one)| one.counts.divergent_branches);
            let parting = parting.filter(|(_, one)| one.counts.divergent_branches > 0);
            let parting = parting.and_then(|(index, _)| self.place_of(index));
            let parting = parting.map_or_else(String::new, |place| format!(", where they part most often at {place}"));
            let exact = line.and_then(|line| self.exact_names(line).first().copied());
            let approximate = exact.map(|name| {
                let function = approximation(name);
                format!("`{name}`, exact to the last bits, computes some values by other ways than the rest: where an approximation will do, `fast::{function}` has one way")
            });
            let is_remainder = line.is_some_and(|line| self.is_float_remainder(line));
            let advice = match active {
                _ if approximate.is_some() => approximate.as_deref().unwrap_or_default(),
                _ if is_remainder => {
                    "the remainder of floats, `a % b`, divides step by step, in more steps the larger its result is: where an approximation will do, \
                     `a - (a / b).trunc() * b` has none"
                }
                ..1.5 => {
                    "let the lanes share what one does, by a loop of stride 32, and put their results together, `warp::reduce_add`, `block::reduce_add`"
                }
                _ => {
                    "sort or part the data so that the lanes of a warp go one way; let a condition on the thread's index hold for whole warps, `t < n` rather than \
                     `t % 2 == 0`; give parts of few elements fewer lanes, `warp::reduce_add_width(v, 8)`"
                }
            };
            let (efficiency, place) = (percent(efficiency), self.most(lost));
            format!(
                "{efficiency} of the lanes were active, the others were elsewhere{place}, with {active:.1} of 32 lanes on average{parting}: {advice}"
            )
        })
    }

    /// Warps that access no memory, while others do.
    fn idle_warps(&self) -> Option<String> {
        let share = part(self.facts.accessing_warps, self.warps());
        (share > 0.0 && share < 0.4).then(|| {
            // All of them come to it.
            let branches = self.profile.instructions.iter().enumerate();
            let mut branches = branches.filter(|(_, one)| one.counts.branches >= self.warps());
            let place = branches.next_back().and_then(|(index, _)| self.place_of(index));
            let place = place.map_or_else(String::new, |place| format!(", past {place}"));
            format!(
                "only {} of the warps access memory{place}, the others have nothing to do: launch as many threads as there are elements, `.over(n)`",
                percent(share)
            )
        })
    }

    fn partial_warps(&self) -> Option<String> {
        let threads: u32 = self.profile.block.iter().product();
        (self.filled_lanes() < 0.9).then(|| {
            let lanes = 32 * threads.div_ceil(32);
            format!(
                "blocks of {threads} threads leave {} of the {lanes} lanes of their warps without a thread: take a multiple of 32",
                lanes - threads
            )
        })
    }

    fn predicated_off(&self) -> Option<String> {
        let off = |counts: &Counts| counts.thread_instructions - counts.predicated_on_thread_instructions;
        let share = part(off(self.counts()), self.counts().thread_instructions);
        (share > 0.25).then(|| {
            let place = self.most(|one| off(&one.counts));
            format!("{} of the active lanes were switched off by a predicate{place}", percent(share))
        })
    }

    fn local_memory(&self) -> Option<String> {
        let requests = self.counts().local_requests;
        // The line that indexes the array, not the one that fills it.
        let is_read = |one: &InstructionProfile| one.class == Class::Load;
        let reads = self.sum(|one| one.counts.local_requests * u64::from(is_read(one))) > 0;
        (requests > 0).then(|| {
            format!(
                "{} accesses to local memory{}: index local arrays by constants, and unroll the loops that do, `#[unroll]`; an array that data index goes to shared \
                 memory, an element of each row for a thread, `[[f32; THREADS]; N]`, or is a `&[T]` if it is a parameter",
                short(requests as f64),
                self.most(|one| one.counts.local_requests * u64::from(!reads || is_read(one)))
            )
        })
    }

    fn constants(&self) -> Option<String> {
        let Counts { constant_requests, constant_passes, warp_instructions, .. } = *self.counts();
        let often = part(constant_requests, warp_instructions) > 0.01;
        (often && constant_passes > 2 * constant_requests).then(|| {
            format!(
                "loads of constants take {} passes on average{}: a pass gives all lanes one word, and theirs differ: pass such a table as a `&[T]`, or copy \
                 it to shared memory",
                short(part(constant_passes, constant_requests)),
                self.most(|one| one.counts.constant_passes)
            )
        })
    }

    /// Atomic operations on one address are done one after the other.
    fn one_address(&self) -> Option<String> {
        let Counts { atomic_lanes, hottest_lanes, .. } = *self.counts();
        let is_much =
            hottest_lanes as f64 > 0.25 * self.greatest() && part(hottest_lanes, atomic_lanes) > 0.1;
        // One for each block is what is left when its threads have put together what they have.
        let hottest = |one: &InstructionProfile| one.counts.hottest_lanes;
        let most = self.instruction_with_most(hottest).map_or(0, hottest);
        (is_much && most >= 2 * self.facts.blocks).then(|| {
            format!(
                "{} of {} atomic operations in global memory are on one address, where they are done one by one{}: put together what the threads of a block \
                 have, by `block::reduce_add` say, or in shared memory, and let one thread do one for all",
                short(hottest_lanes as f64),
                short(atomic_lanes as f64),
                self.most(|one| one.counts.hottest_lanes)
            )
        })
    }

    /// Atomic operations of a block that go to the same addresses again and again: so few that its shared memory has room for them.
    fn few_addresses(&self) -> Option<String> {
        let Counts { atomic_lanes, .. } = *self.counts();
        let bytes = self.profile.footprint.1;
        // Words of the sectors that are written; stores and gaps make them more, and the hint silent.
        let words = (bytes / 4).max(1);
        let each = atomic_lanes as f64 / (words * self.facts.blocks.max(1)) as f64;
        let is_much = atomic_lanes as f64 > 0.25 * self.greatest();
        if !is_much || each < 4.0 || bytes > SHARED_BYTES || self.one_address().is_some() {
            return None;
        }
        Some(format!(
            "{} atomic operations in global memory go to {} bytes, {} of each block to each word{}: let a block count in shared memory, and its threads add what it has \
             at the end, one for each word",
            short(atomic_lanes as f64),
            short(bytes as f64),
            short(each),
            self.most(|one| if one.class == Class::Atomic {
                one.counts.predicated_on_thread_instructions
            } else {
                0
            })
        ))
    }

    /// Loads that no cache of an SM serves, of the same data again and again.
    fn past_caches(&self) -> Option<String> {
        let is_past = |one: &InstructionProfile| {
            one.class == Class::Load && (is_form(one, "ld", &["cv"]) || is_form(one, "ld", &["volatile"]))
        };
        let sectors = |one: &InstructionProfile| if is_past(one) { one.counts.sectors } else { 0 };
        let past = self.sum(sectors);
        let again = part(32 * past, self.profile.footprint.0);
        (again >= 4.0 && part(past, self.counts().sectors) > 0.25).then(|| {
            format!(
                "loads past the caches, `load_cv` or `read_volatile`, take each sector {} times on average{}: a plain load, or a `&[T]` parameter, takes from the cache what is \
                 there already",
                short(again),
                self.most(sectors)
            )
        })
    }

    /// A limit of registers below what the kernel has at once.
    fn spills(&self) -> Option<String> {
        let (wanted, limit) = (self.facts.wanted_registers, self.profile.resources.registers);
        (wanted > limit + SCHEDULED).then(|| {
            format!(
                "a thread has about {wanted} registers in use at once, and `maxnreg` or `launch_bounds` leave {limit}: the others spill to local memory, \
                 `KERNEL.spilled_bytes(&gpu)` says how much on a GPU: raise the limit, or keep fewer values at once"
            )
        })
    }

    /// Lanes of an atomic operation in shared memory that meet at one word take turns.
    fn one_word(&self) -> Option<String> {
        let Counts { shared_atomic_requests, shared_atomic_passes, warp_instructions, .. } = *self.counts();
        let often = part(shared_atomic_requests, warp_instructions) > 0.01;
        (often && shared_atomic_passes > 8 * shared_atomic_requests).then(|| {
            format!(
                "{} lanes of each atomic operation in shared memory meet at one word, on average, and take turns{}: put together what the lanes of a warp have, by \
                 `warp::reduce_add` or `warp::match_any`, and let one do it for all, or give each warp a copy",
                short(part(shared_atomic_passes, shared_atomic_requests)),
                self.most(|one| one.counts.shared_atomic_passes)
            )
        })
    }

    fn loaded_again(&self) -> Option<String> {
        let loads = |one: &InstructionProfile| one.class == Class::Load && is_packed(one);
        let near = |one: &InstructionProfile| if loads(one) { one.counts.near_sectors } else { 0 };
        let all = self.sum(|one| if loads(one) { one.counts.sectors } else { 0 });
        let again = self.sum(near);
        let fills = self.filled.as_ref().is_some_and(|bound| bound.what == NEAR);
        let busy = fills || self.bound(NEAR) > 0.25 || self.counts().stalls.most() == Some(Stall::Memory);
        // Neighbours in a stencil of few points are what that cache is for.
        (busy && part(again, all) > 0.85).then(|| {
            format!(
                "blocks load each sector of global memory {} times on average{}: let a block load it once into shared memory, or each thread keep more \
                 in registers",
                short(part(all, all - again)),
                self.most(near)
            )
        })
    }

    fn stored_again(&self) -> Option<String> {
        let bytes = |one: &InstructionProfile| match one.class {
            Class::Store => one.counts.global_bytes,
            _ => 0,
        };
        let (stored, written) = (self.sum(bytes), self.profile.footprint.1);
        // Stores that blocks hand to each other are needed.
        let is_handed = self.at_grid_barriers().is_some();
        (stored >= 2 * written && written > 0 && !is_handed).then(|| {
            format!(
                "what is written to global memory is written {} times on average{}: keep it in a local variable or in shared memory, and store it at the end",
                short(part(stored, written)),
                self.most(bytes)
            )
        })
    }

    fn narrow_accesses(&self) -> Option<String> {
        let lanes = |one: &InstructionProfile| one.counts.predicated_on_thread_instructions;
        let narrow = |one: &InstructionProfile| match one.class {
            Class::Load | Class::Store
                if one.counts.global_requests > 0 && one.counts.global_bytes <= 2 * lanes(one) =>
            {
                one.counts.global_requests
            }
            _ => 0,
        };
        let requests = self.sum(narrow);
        // Tiles that are loaded element by element are told as that.
        let is_told = self.wide_copies_not_taken(narrow) && self.coalescing().is_some();
        (part(requests, self.counts().global_requests) > 0.5 && !is_told).then(|| {
            let bytes = self.sum(|one| if narrow(one) > 0 { one.counts.global_bytes } else { 0 });
            let threads = self.sum(|one| if narrow(one) > 0 { lanes(one) } else { 0 });
            let each = if 2 * bytes > 3 * threads { "2 bytes" } else { "a byte" };
            format!(
                "lanes access {each} of global memory at a time{}: several elements of a thread go at once with `.over(n)` or `coarsen(4)` where the kernel is \
                 element-wise, and as elements of 4 bytes and more, vectors or `u32`",
                self.most(narrow)
            )
        })
    }

    /// Arithmetic of `f64` on values that come from `f32`, or go there.
    fn stray_f64(&self) -> Option<String> {
        let is_conversion =
            |one: &InstructionProfile| is_form(one, "cvt", &["f64", "f32"]) && issued(one) > 0;
        let has_conversion = self.profile.instructions.iter().any(is_conversion);
        let wide = |one: &InstructionProfile| match one.class {
            Class::Float64 => issued(one),
            Class::Division if ["div", "sqrt", "rcp"].iter().any(|name| is_form(one, name, &["f64"])) => {
                issued(one)
            }
            _ if is_conversion(one) => issued(one),
            _ => 0,
        };
        let share = part(self.sum(wide), self.counts().warp_instructions);
        (has_conversion && share > 0.05).then(|| {
            format!(
                "{} of the instructions compute in f64, or convert between f32 and f64{}: most devices have few units for it: if f32 is meant, write `1.5_f32` for \
                 literals, and no `as f64`",
                percent(share),
                self.most(wide)
            )
        })
    }

    /// The number of divisions that are asked for, if divisions take much of the time and those much of them.
    fn divisions(&self, is_asked: fn(&InstructionProfile) -> bool) -> Option<u64> {
        let asked = self.sum(|one| if is_asked(one) { issued(one) } else { 0 });
        let all = self.sum(|one| if one.class == Class::Division { issued(one) } else { 0 });
        let integer = self.sum(|one| if is_integer_division(one) { issued(one) } else { 0 });
        // In instructions of the machine; those of warps that wait for memory meanwhile count as well.
        let others = self.counts().warp_instructions.saturating_sub(all);
        let of_divisions = DIVISION as u64 * (all - integer) + INTEGER_DIVISION * integer;
        let of_machine = part(of_divisions, of_divisions + others);
        let takes = match self.counts().stalls.most() {
            Some(Stall::Special) => 1.0,
            Some(_) if self.is_computing() || self.is_waiting() => {
                self.bound(DIVISIONS).max(of_machine / 2.0)
            }
            Some(_) | None => self.bound(DIVISIONS),
        };
        (takes * part(asked, all) > 0.25).then_some(asked)
    }

    fn integer_divisions(&self) -> Option<String> {
        self.divisions(is_integer_division).map(|count| {
            let is_wide = |one: &InstructionProfile| is_integer_division(one) && is_of_64_bits(one);
            let wide = match 2 * self.sum(|one| if is_wide(one) { issued(one) } else { 0 }) > count {
                true => "they are of 64 bits, where those of 32 take a fraction of the time: `u32` where the numbers fit; ",
                false => "",
            };
            format!(
                "{} divisions and remainders of integers, many instructions each{}: {wide}divide by a constant or a power of two, take rows and columns from a \
                 grid of two axes, or step two counters",
                short(count as f64),
                self.most(|one| if is_integer_division(one) { issued(one) } else { 0 })
            )
        })
    }

    /// Fences of all memory that `Ordering::SeqCst` has in front of each access.
    fn strong_fences(&self) -> Option<String> {
        let fences = |one: &InstructionProfile| match is_form(one, "fence", &["sc"]) {
            true => issued(one),
            false => 0,
        };
        let all = self.sum(fences);
        (part(all, self.counts().warp_instructions) > 0.005 && part(all, self.warps()) >= 2.0).then(|| {
            format!(
                "{} fences of `Ordering::SeqCst`, each of which waits until what the thread wrote before is seen by all{}: counts, marks and sums need no order, \
                 `Ordering::Relaxed`; what hands over other memory needs `Release` and `Acquire`",
                short(all as f64),
                self.most(fences)
            )
        })
    }

    /// Loads by which all lanes of a warp get one element, one after the other.
    fn one_element(&self) -> Option<String> {
        let is_load = |one: &InstructionProfile| one.class == Class::Load && one.counts.global_requests > 0;
        let loads = self.sum(|one| if is_load(one) { one.counts.global_requests } else { 0 });
        let of_one = |one: &InstructionProfile| match is_load(one) && one.pattern == Pattern::Stride(0) {
            true => one.counts.global_requests,
            false => 0,
        };
        let share = part(self.sum(of_one), loads);
        let waits = self.is_bound_by_waiting() && self.counts().stalls.most() == Some(Stall::Memory);
        (share > 0.6 && part(loads, self.warps()) >= 32.0 && waits).then(|| {
            format!(
                "in {} of the loads of global memory all lanes of a warp load the same element{}: let each lane load another one and put together what they have, \
                 `warp::reduce_add`, `block::reduce_add`, or let a block copy what all of its threads need to shared memory",
                percent(share),
                self.most(of_one)
            )
        })
    }

    /// Data that nearly every block loads, in more blocks than run at once.
    fn loaded_by_all(&self) -> Option<String> {
        let blocks = self.facts.blocks;
        let at_once =
            u64::from(self.profile.device.sms) * u64::from(self.facts.occupancy.active_blocks.max(1));
        let is_load = |one: &InstructionProfile| matches!(one.class, Class::Load | Class::Copy);
        let far = |one: &InstructionProfile| match is_load(one) {
            true => one.counts.sectors.saturating_sub(one.counts.near_sectors),
            false => 0,
        };
        let times = part(32 * self.sum(far), self.profile.footprint.0);
        let is_shared = self.counts().shared_requests > 0;
        (is_shared && blocks > at_once && times > blocks as f64 / 32.0 && times >= 16.0).then(|| {
            format!(
                "blocks load the same {} bytes of global memory, {} times in all{}: let a block do more with what it has loaded, by a loop over the grid, with as many blocks as run at \
                 once, `.fill()`",
                short(self.profile.footprint.0 as f64),
                short(times),
                self.most(far)
            )
        })
    }

    fn wide_products(&self) -> Option<String> {
        let wide = |one: &InstructionProfile| if is_wide_product(one) { issued(one) } else { 0 };
        let share = part(self.sum(wide), self.counts().warp_instructions);
        (share > 0.05 && self.is_computing()).then(|| {
            format!(
                "{} of the instructions are products of integers of 64 bits, several instructions each{}: compute in `u32` where the numbers fit, and take \
                 remainders by a mask",
                percent(share),
                self.most(wide)
            )
        })
    }

    fn exact_divisions(&self) -> Option<String> {
        self.divisions(is_exact_f32).map(|count| {
            format!(
                "{} divisions and roots that are exact to the last bit, many instructions each{}: where an approximation will do, `fast::recip`, \
                 `fast::rsqrt` or `#[kernel(fast_math)]`, and what is divided by often is inverted once",
                short(count as f64),
                self.most(|one| if is_exact_f32(one) { issued(one) } else { 0 })
            )
        })
    }

    /// The exact functions that a line calls, each once.
    fn exact_names(&self, line: &LineProfile) -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        for remark in self.remarks(line) {
            if let RemarkKind::ExactFunction { name } = remark.kind
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    fn exact_functions(&self) -> Option<String> {
        let (line, share) = self.line_with_remark(|kind| matches!(kind, RemarkKind::ExactFunction { .. }))?;
        let names = self.exact_names(line);
        let first = *names.first()?;
        (share > 0.4 && self.is_computing()).then(|| {
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!(
                "{} of the instructions are in a line with {names}, exact to the last bits, {}: where an approximation will do, `fast::{}`, or \
                 `#[kernel(fast_math)]` for the whole kernel; a power that is known is products and roots",
                percent(share),
                self.profile.place(line),
                approximation(first)
            )
        })
    }

    fn checks_left(&self) -> Option<String> {
        let is_check = |kind: &RemarkKind| matches!(kind, RemarkKind::CheckLeft { in_front: false, .. });
        let (line, share) = self.line_with_remark(is_check)?;
        (share > 0.1).then(|| {
            format!(
                "a check is done at run time in a line with {} of the instructions, {}: a comparison in front of it that implies it, `Indices` for indices from memory, or a mask \
                 or `min` saves it; `#[kernel(deny_checks)]` says what would prove it",
                percent(share),
                self.profile.place(line)
            )
        })
    }

    fn kept_loops(&self) -> Option<String> {
        let (line, share) = self.line_with_remark(|kind| matches!(kind, RemarkKind::KeptLoop))?;
        // A loop of a function that the line calls takes no attribute.
        if !self.may_say(line, LOOPS) {
            return None;
        }
        let control = |one: &InstructionProfile| match one.class {
            Class::Control | Class::Compare => issued(one),
            _ => 0,
        };
        let of_line: u64 =
            line.instructions.iter().filter_map(|&at| self.profile.instructions.get(at)).map(control).sum();
        let is_much = part(of_line, self.counts().warp_instructions) > 0.1;
        (share > 0.25 && is_much && !self.is_waiting()).then(|| {
            format!(
                "{} of the instructions only run the loop at {}, which is not unrolled: `#[unroll]`, or `#[unroll(4)]`",
                percent(share),
                self.profile.place(line)
            )
        })
    }

    fn imbalance(&self) -> Option<String> {
        // A launch that takes no longer than its start gains nothing, as does one that is bound by something else.
        if self.bounds.first()?.what != LONGEST || self.seconds() <= LAUNCH {
            return None;
        }
        let share = self.facts.heaviest_share(self.counts().warp_instructions, self.profile.device.sms)?;
        let place =
            self.profile.lines.iter().find(|line| line.instructions.contains(&self.facts.heaviest_line));
        let place = place.map_or_else(String::new, |line| format!("; most at {}", self.profile.place(line)));
        let times = if share < 10.0 { format!("{share:.1}") } else { format!("{share:.0}") };
        Some(format!(
            "block number {} executes {times} times as many instructions as blocks do on average{place}: the launch lasts as long as it: part its work among \
             several blocks, or give all parts of equal size",
            self.facts.heaviest_block
        ))
    }

    /// A warp of a block with far more to do than the others, which wait for it at a barrier or leave their places unused.
    fn uneven_warps(&self) -> Option<String> {
        let times = part(self.facts.levelled_instructions, self.counts().warp_instructions);
        let stalls = &self.counts().stalls;
        let waits = part(stalls.get(Stall::Barrier), stalls.total());
        (times >= UNEVEN && waits > 0.25 && self.at_grid_barriers().is_none()).then(|| {
            let at_barriers = |one: &InstructionProfile| one.counts.stalls.get(Stall::Barrier);
            format!(
                "the busiest warp of a block executes {times:.1} times as many instructions as its warps do on average, and the others wait for it{}, {} of all waiting: part the \
                 work evenly among the warps, a loop over all threads of the block instead of one warp or thread for a part",
                self.most(at_barriers),
                percent(waits)
            )
        })
    }

    fn few_blocks(&self) -> Option<String> {
        let (blocks, sms) = (self.facts.blocks, u64::from(self.profile.device.sms));
        // A launch that takes no longer than its start gains nothing.
        (10 * blocks < 9 * sms && self.seconds() > LAUNCH).then(|| {
            let some = if blocks == 1 { "1 block" } else { &format!("{blocks} blocks") };
            format!(
                "{some} for {sms} SMs: start more blocks, with less work for each thread; for a loop over the grid `.fill()` starts as many as run at once"
            )
        })
    }

    /// The last wave of blocks leaves SMs without work.
    fn last_wave(&self) -> Option<String> {
        let (blocks, sms) = (self.facts.blocks, u64::from(self.profile.device.sms.max(1)));
        let first = self.bounds.first()?;
        let is_of_sms = matches!(first.regime, Regime::Compute | Regime::Bandwidth) && first.what != MEMORY;
        let idle = 1.0 - busy_sms(self.profile, self.facts) / sms as f64;
        (blocks > sms && is_of_sms && idle > 0.2 && self.seconds() > LAUNCH).then(|| {
            let most = blocks.div_ceil(sms);
            format!(
                "{blocks} blocks for {sms} SMs are {most} for some and {} for others, which are idle at the end, {} of the time of all: take a multiple of {sms} \
                 blocks, or many smaller ones; for a loop over the grid `.fill()` starts as many as run at once",
                most - 1,
                percent(idle)
            )
        })
    }

    fn occupancy(&self) -> Option<String> {
        let occupancy = &self.facts.occupancy;
        if occupancy.fraction() > 0.5
            || !self.is_waiting()
            || self.facts.blocks < u64::from(self.profile.device.sms)
        {
            return None;
        }
        let profile = self.profile;
        let limited_by = |limiter: Limiter| occupancy.limiters.contains(limiter);
        let threads = occupancy.block_threads;
        let advice = if limited_by(Limiter::SharedMemory) {
            let bytes = profile.resources.static_shared + profile.dynamic_shared;
            let size = |kind: &RemarkKind| match *kind {
                RemarkKind::SharedMemory { bytes } => bytes,
                _ => 0,
            };
            let largest = self.facts.remarks.iter().filter(|remark| size(&remark.kind) > 0);
            let place = largest.max_by_key(|remark| size(&remark.kind));
            let place = place.map_or_else(String::new, |remark| {
                format!(", the largest variable at {}:{}", remark.file, remark.line)
            });
            format!(
                "a block has {bytes} bytes of shared memory{place}: less of it, or more threads that share it"
            )
        } else if limited_by(Limiter::Registers) {
            let registers = profile.resources.registers;
            format!(
                "a thread has about {registers} registers: keep fewer values at once, in smaller local arrays say, or let the assembler keep to fewer by \
                 `launch_bounds({threads}, 4)`"
            )
        } else {
            // Of several the smallest.
            let better = profile.occupancy.curve.iter().rev().max_by_key(|point| point.active_warps);
            let better = better.filter(|point| 2 * point.active_warps >= 3 * occupancy.active_warps)?;
            format!("blocks of {} threads would put {} warps there", better.threads, better.active_warps)
        };
        Some(format!(
            "{} warps of the {} that an SM holds are there to run while others wait, limited by {}: {advice}",
            occupancy.active_warps, occupancy.max_warps, occupancy.limiters
        ))
    }

    /// Part of the waiting that the meetings of all blocks are, if it is much, with the line of most of them.
    fn at_grid_barriers(&self) -> Option<(&LineProfile, f64)> {
        let is_meeting = |line: &LineProfile| {
            self.profile.text(line).is_some_and(|text| has_word(text, &["grid_barrier"]))
                && self.instructions_of(line).any(is_barrier)
        };
        let lines = self.profile.lines.iter().filter(|line| is_meeting(line));
        let waited = |line: &LineProfile| line.counts.stalls.total();
        let all: u64 = lines.clone().map(waited).sum();
        let share = part(all, self.counts().stalls.total());
        let most = lines.max_by_key(|line| waited(line))?;
        (share > 0.25).then_some((most, share))
    }

    /// Meetings of all blocks with little to do between them.
    fn grid_barriers(&self) -> Option<String> {
        let (line, share) = self.at_grid_barriers()?;
        Some(format!(
            "{} of the waiting of warps is for all blocks of the grid, which meet at {}: do more between two meetings, several steps of a part with a border as wide, give \
             what depends on each other to one block or cluster, or launch a kernel for each of the steps, from a graph",
            percent(share),
            self.profile.place(line)
        ))
    }

    /// Barriers of the block, where they are many and warps have nothing else to do meanwhile.
    fn barriers(&self) -> Option<String> {
        let barriers = self.sum(|one| if is_barrier(one) { issued(one) } else { 0 });
        let stalls = &self.counts().stalls;
        let (each, share) = (part(barriers, self.warps()), part(stalls.get(Stall::Barrier), stalls.total()));
        if each < 8.0 || share <= 0.15 || !self.is_bound_by_waiting() || self.at_grid_barriers().is_some() {
            return None;
        }
        let waits = |one: &InstructionProfile| one.counts.stalls.get(Stall::Barrier);
        let is_own = self.line_of_most(waits).is_none_or(|line| self.may_say(line, &["barrier", "named"]));
        let copies = self.sum(|one| if one.class == Class::Copy { issued(one) } else { 0 });
        let advice = match (is_own, copies > 0) {
            (false, _) => {
                "they are of what is called there: do more in each call, several values as one tuple or array, larger tiles a step"
            }
            (true, true) => {
                "`Stages` start the copies of later steps while earlier ones are computed on, with one barrier a step; larger tiles are fewer steps"
            }
            (true, false) => {
                "let warps put together what is theirs by shuffles, as `block::scan_add` and `block::reduce_add` do, and leave out barriers between which no thread \
                 reads what another one writes"
            }
        };
        Some(format!(
            "each warp comes to {} barriers of its block, with {} of its waiting{}: {advice}",
            short(each),
            percent(share),
            self.most(waits)
        ))
    }

    /// Times that a warp waits for memory one after the other, on average.
    fn trips(&self) -> f64 {
        self.counts().stalls.get(Stall::Memory) as f64
            / MEMORY_LATENCY as f64
            / self.facts.sampled_warps.max(1) as f64
    }

    fn waiting(&self) -> Option<String> {
        let stalls = &self.counts().stalls;
        let stall = stalls.most()?;
        if self.at_grid_barriers().is_some()
            || stall == Stall::Barrier && (self.barriers().is_some() || self.uneven_warps().is_some())
        {
            return None;
        }
        // Other warps do something meanwhile.
        if !self.is_bound_by_waiting() {
            return None;
        }
        let advice = match stall {
            _ if !self.is_waiting() => "",
            // Whoever loads and uses it waits once, and for indices in front of it once more.
            Stall::Memory if self.trips() < 4.0 => "; more warps hide it",
            Stall::Memory if 2 * self.facts.chained_cycles > stalls.get(Stall::Memory) => {
                ": each load needs the address that the one before brought: keep in shared memory what is walked, make the walk shorter by larger nodes, or give a thread \
                 several walks at once; more warps hide it, too"
            }
            Stall::Memory => {
                ": load what is independent before the first of it is used, `#[unroll(4)]`, `#[prefetch(1)]`; more warps hide it, too"
            }
            Stall::Barrier => {
                ": a barrier waits for the last warp of the block: take smaller blocks, or a warp for each part of the data, `warp::reduce_add`; and leave out barriers between \
                 which no thread reads what another one writes"
            }
            Stall::Arithmetic => {
                ": each instruction needs the result of the one before: accumulate in several variables, `#[ilp(4)]`, or give an SM more warps"
            }
            Stall::Shared => ": keep in registers what a thread reads again",
            Stall::Special | Stall::Collective | Stall::Matrix => "",
        };
        Some(format!(
            "{} of the waiting of warps is for {}{}{advice}",
            percent(part(stalls.get(stall), stalls.total())),
            stall.as_str(),
            self.most(|one| one.counts.stalls.get(stall))
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> InstructionProfile {
        InstructionProfile {
            ptx_line: 1,
            text: name.to_owned(),
            name: name.to_owned(),
            class: Class::Synchronization,
            counts: Counts::default(),
            pattern: Pattern::Unknown,
        }
    }

    #[test]
    fn barriers_of_a_block() {
        let is = |name: &&str| is_barrier(&named(name));
        let own = [
            "bar.sync",
            "bar.arrive",
            "bar.red.popc.u32",
            "barrier.sync.aligned",
            "barrier.cta.sync.aligned",
        ];
        assert!(own.iter().all(is));
        let others = [
            "bar.warp.sync",
            "barrier.cluster.arrive.aligned",
            "barrier.cluster.wait.aligned",
            "mbarrier.arrive",
        ];
        assert!(!others.iter().any(is));
    }

    /// Every method that `fast_math` compiles from an approximation.
    #[test]
    fn approximations_exist() {
        let read =
            |path: &str| std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let (table, fast) = (read("../kernel-macros/src/device/library.rs"), read("src/device/fast.rs"));
        let methods: Vec<&str> =
            table.split("fast_row(\"").skip(1).filter_map(|row| row.split('"').next()).collect();
        assert!(methods.contains(&"sin") && methods.contains(&"log"), "{methods:?}");
        for method in methods {
            let function = approximation(method);
            assert!(fast.contains(&format!("\npub fn {function}(")), "{method}: `fast::{function}`");
        }
    }
}
