//! A profile as text.

use std::fmt;

use super::numbers::{bytes, percent, short, size, time};
use super::{Counts, LineProfile, MemoryRow, Profile};

/// Cells of a bar.
const BAR: usize = 10;

/// A part of 1 as a bar of eighths.
fn bar(part: f64) -> String {
    let eighths = (part.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    if let Some(rest) = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(eighths % 8) {
        text.push_str(rest);
    }
    let width = text.chars().count();
    text + &" ".repeat(BAR - width)
}

fn part(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A column of the lines.
struct Column {
    heading: &'static str,
    /// Returns true if any line has an entry in it.
    used: fn(&Counts) -> bool,
    /// The entry of a line; the second counts are all.
    cell: fn(&Counts, &Counts) -> String,
}

const COLUMNS: &[Column] = &[
    Column {
        heading: "instr",
        used: |_| true,
        cell: |line, all| percent(part(line.warp_instructions, all.warp_instructions)),
    },
    Column {
        heading: "lanes",
        used: |_| true,
        cell: |line, _| percent(line.warp_nonpredicated_execution_efficiency()),
    },
    Column {
        heading: "waits",
        used: |all| all.stalls.total() > 0,
        cell: |line, all| percent(part(line.stalls.total(), all.stalls.total())),
    },
    Column {
        heading: "sectors",
        used: |all| all.global_requests > 0,
        cell: |line, _| {
            if line.global_requests > 0 { short(line.sectors_per_request()) } else { String::new() }
        },
    },
    Column {
        heading: "ideal",
        used: |all| all.global_requests > 0,
        cell: |line, _| match line.global_requests {
            0 => String::new(),
            requests => short(line.ideal_sectors as f64 / requests as f64),
        },
    },
    Column {
        heading: "passes",
        used: |all| all.shared_requests > 0,
        cell: |line, _| match line.shared_requests {
            0 => String::new(),
            requests => short(line.wavefronts as f64 / requests as f64),
        },
    },
    Column {
        heading: "diverged",
        used: |all| all.divergent_branches > 0,
        cell: |line, _| match line.divergent_branches {
            0 => String::new(),
            diverged => short(diverged as f64),
        },
    },
];

impl Profile {
    /// `, 4 elements a thread`, if they are several.
    pub(super) fn elements_text(&self) -> String {
        match self.elements {
            1 => String::new(),
            elements => format!(", {elements} elements a thread,"),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = &self.counts;
        writeln!(
            f,
            "{}: {} blocks of {} threads{} on {} (speeds of {})",
            self.kernel,
            size(self.grid),
            size(self.block),
            self.elements_text(),
            self.device.name,
            self.device.like
        )?;
        writeln!(f, "  bound by {}", self.estimate.regime.as_str())?;
        self.estimate.reasons.iter().try_for_each(|reason| writeln!(f, "    {reason}"))?;
        if !self.estimate.hints.is_empty() {
            writeln!(f, "  worth a look")?;
        }
        self.estimate.hints.iter().try_for_each(|hint| writeln!(f, "    {hint}"))?;
        self.bounds(f)?;
        writeln!(f, "  counted (instructions of PTX)")?;
        let facts = [
            ("warp instructions", short(all.warp_instructions as f64)),
            ("thread instructions", short(all.thread_instructions as f64)),
            ("warp execution efficiency", percent(all.warp_execution_efficiency())),
            ("without lanes off by predicate", percent(all.warp_nonpredicated_execution_efficiency())),
            ("branch efficiency", percent(all.branch_efficiency())),
            ("floating-point operations", short(all.operations as f64)),
            ("memory touched, read", bytes(self.footprint.0)),
            ("memory touched, written", bytes(self.footprint.1)),
            ("occupancy", self.occupancy_text()),
        ];
        facts.iter().try_for_each(|(name, value)| writeln!(f, "    {name:32}{value}"))?;
        self.mix_table(f)?;
        self.memory_table(f)?;
        self.line_table(f)
    }
}

impl Profile {
    pub(super) fn occupancy_text(&self) -> String {
        let point = &self.occupancy.launched;
        format!(
            "{}: {} × {} threads per SM, limited by {}",
            percent(part(point.active_warps.into(), self.occupancy.max_warps.into())),
            point.active_blocks,
            point.threads,
            point.limited_by
        )
    }

    fn bounds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  cycles at least, by resource")?;
        let most = self.estimate.bounds.first().map_or(1.0, |bound| bound.cycles);
        let hertz = f64::from(self.device.clock_mhz) * 1e6;
        self.estimate.bounds.iter().try_for_each(|bound| {
            let (cycles, seconds) = (short(bound.cycles), time(bound.cycles / hertz));
            writeln!(f, "    {:28}{} {cycles:>8} {seconds:>9}", bound.what, bar(bound.cycles / most))
        })
    }

    fn mix_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  instruction mix")?;
        self.mix.iter().try_for_each(|row| {
            let share = part(row.warp_instructions, self.counts.warp_instructions);
            writeln!(f, "    {:28}{} {:>8}", row.class.as_str(), bar(share), percent(share))
        })
    }

    fn memory_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.memory.is_empty() {
            return Ok(());
        }
        writeln!(f, "  memory")?;
        let heading = ["requests", "bytes", "sectors", "ideal", "in cache", "passes", "ideal"];
        write!(f, "    {:28}", "")?;
        heading.iter().try_for_each(|name| write!(f, "{name:>10}"))?;
        writeln!(f)?;
        for row in &self.memory {
            write!(f, "    {:28}", row.what)?;
            let cells: String = row.cells().iter().map(|cell| format!("{cell:>10}")).collect();
            writeln!(f, "{}", cells.trim_end())?;
        }
        Ok(())
    }

    fn line_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&Column> = COLUMNS.iter().filter(|column| (column.used)(&self.counts)).collect();
        writeln!(f, "  by line")?;
        let names: Vec<String> = self.lines.iter().map(|line| self.place(line)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        write!(f, "    {:width$}  {:BAR$}", "", "")?;
        columns.iter().try_for_each(|column| write!(f, "{:>10}", column.heading))?;
        writeln!(f)?;
        for (line, name) in self.lines.iter().zip(names) {
            let LineProfile { counts, .. } = line;
            let share = part(counts.warp_instructions, self.counts.warp_instructions);
            let cell = |column: &&Column| format!("{:>10}", (column.cell)(counts, &self.counts));
            let cells: String = columns.iter().map(cell).collect();
            let text = format!("{cells}  {}", self.text(line).unwrap_or_default().trim());
            writeln!(f, "    {name:width$}  {}{}", bar(share), text.trim_end())?;
        }
        Ok(())
    }
}

impl MemoryRow {
    /// Requests, bytes, sectors, ideal sectors, sectors in the cache, passes, ideal passes; empty where there is no such thing.
    pub(super) fn cells(&self) -> [String; 7] {
        [
            Some(self.requests),
            self.bytes,
            self.sectors,
            self.ideal_sectors,
            self.near_sectors,
            self.wavefronts,
            self.ideal_wavefronts,
        ]
        .map(|cell| cell.map_or_else(String::new, |number| short(number as f64)))
    }
}
