//! Result of tuning: a table of the instances with their times.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Result for one kernel, one device and one size class. As text it is a table with the chosen instance marked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tuning {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The device: its name, architecture and size.
    pub device: String,
    /// The size class: `over 2^20`.
    pub size: String,
    /// The costs are the simulator's estimates, not times.
    pub estimated: bool,
    /// It was not found by this program, but read from a cache file.
    pub from_cache: bool,
    /// Every instance that the launch could choose from, in the order written.
    pub rows: Vec<TuningRow>,
    /// The index, among all of [`Tuned::candidates`](super::Tuned::candidates), of the chosen instance.
    pub chosen: usize,
    /// Problems that did not stop the tuning: an entry of a cache file that was not used, a file that could not be written.
    pub note: Option<String>,
}

/// An instance and what it costs.
#[derive(Clone, Debug)]
pub struct TuningRow {
    /// The tuned parameters with their values here: `[("UNROLL", "4"), ("block", "128")]`.
    pub settings: &'static [(&'static str, &'static str)],
    /// Its cost.
    pub cost: Cost,
    /// True if it is the one that launches run.
    pub chosen: bool,
}

/// Cost of an instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// The median of its times on the device, in nanoseconds.
    Nanoseconds(f64),
    /// The simulator's estimate, in clock cycles: good for comparing the instances, not as a time.
    EstimatedCycles(f64),
    /// It could not run; why.
    Skipped(String),
}

impl Cost {
    /// As a number that is smaller for what is better; none for what could not run.
    pub fn value(&self) -> Option<f64> {
        match self {
            Cost::Nanoseconds(value) | Cost::EstimatedCycles(value) => Some(*value),
            Cost::Skipped(_) => None,
        }
    }
}

impl fmt::Display for Cost {
    /// `12.3µs`, `about 4567 cycles`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Cost::Nanoseconds(time) => format!("{:.2?}", Duration::from_nanos(time.round() as u64)),
            Cost::EstimatedCycles(cycles) => format!("about {cycles:.0} cycles"),
            Cost::Skipped(reason) => format!("left out: {reason}"),
        };
        f.pad(&text)
    }
}

impl Tuning {
    /// The chosen row.
    pub fn best(&self) -> Option<&TuningRow> {
        self.rows.iter().find(|row| row.chosen)
    }
}

impl TuningRow {
    /// `UNROLL = 4, block = 128`
    pub fn instance(&self) -> String {
        name(self.settings)
    }
}

/// `UNROLL = 4, block = 128`
pub(super) fn name(settings: &[(&str, &str)]) -> String {
    let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    settings.join(", ")
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tuning { kernel, device, size, .. } = self;
        let what = if self.estimated {
            "estimated from the simulator's counts of PTX instructions, sectors and passes over shared memory"
        } else {
            "medians of times on the device"
        };
        let from = if self.from_cache { ", read from the cache" } else { "" };
        write!(f, "{kernel}, {size}, on {device}: {what}{from}")?;
        let best = self.best().and_then(|row| row.cost.value());
        let names: Vec<String> = self.rows.iter().map(TuningRow::instance).collect();
        let width = names.iter().map(String::len).max().unwrap_or(0);
        for (row, name) in self.rows.iter().zip(names) {
            let mark = if row.chosen { '*' } else { ' ' };
            write!(f, "\n{mark} {name:width$}  {}", row.cost)?;
            if let (Some(cost), Some(best)) = (row.cost.value(), best)
                && !row.chosen
                && best > 0.0
            {
                write!(f, ", {:.2} × the best", cost / best)?;
            }
        }
        if let Some(note) = &self.note {
            write!(f, "\nnote: {note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_table_marks_the_chosen_one() {
        let row = |settings, cost, chosen| TuningRow { settings, cost, chosen };
        let tuning = Tuning {
            kernel: "sweep",
            device: "NVIDIA H200, sm_90, 132 SMs".to_owned(),
            size: "over 2^20".to_owned(),
            estimated: false,
            from_cache: true,
            rows: vec![
                row(&[("N", "1"), ("block", "64")], Cost::Nanoseconds(15_321.0), false),
                row(&[("N", "4"), ("block", "128")], Cost::Nanoseconds(10_000.0), true),
                row(&[("N", "4"), ("block", "2048")], Cost::Skipped("too many threads".to_owned()), false),
            ],
            chosen: 1,
            note: Some("the file is not writable".to_owned()),
        };
        expect![[r#"
            sweep, over 2^20, on NVIDIA H200, sm_90, 132 SMs: medians of times on the device, read from the cache
              N = 1, block = 64    15.32µs, 1.53 × the best
            * N = 4, block = 128   10.00µs
              N = 4, block = 2048  left out: too many threads
            note: the file is not writable"#]]
        .assert_eq(&tuning.to_string());
    }
}
