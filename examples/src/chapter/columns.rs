//! The columns of the tables. One that has nothing to say is left out, and one with equal cells is reported below the table.

use super::{Counted, Measured};

/// A column.
pub struct Column {
    /// Its heading.
    pub heading: &'static str,
    /// True for text, which is set to the left.
    pub is_text: bool,
    /// True if it compares with the first row of the table.
    pub is_ratio: bool,
    /// Its cell for what was measured, beside the first of the table.
    pub cell: fn(&Measured, &Measured) -> Option<String>,
}

impl Column {
    const fn number(heading: &'static str, cell: fn(&Measured, &Measured) -> Option<String>) -> Column {
        Column { heading, is_text: false, is_ratio: false, cell }
    }

    const fn ratio(heading: &'static str, cell: fn(&Measured, &Measured) -> Option<String>) -> Column {
        Column { heading, is_text: false, is_ratio: true, cell }
    }

    const fn text(heading: &'static str, cell: fn(&Measured, &Measured) -> Option<String>) -> Column {
        Column { heading, is_text: true, is_ratio: false, cell }
    }
}

/// All columns, in their order.
pub const COLUMNS: &[Column] = &[
    Column::number("µs", |it, _| it.seconds.map(|seconds| format!("{:.1}", 1e6 * seconds))),
    Column::ratio("faster", |it, first| Some(format!("{:.2} ×", first.seconds? / it.seconds?))),
    Column::number("GB/s", |it, _| it.bytes_per_second.map(|speed| format!("{:.0}", speed / 1e9))),
    Column::number("instructions", |it, _| counted(it, |it| it.instructions.to_string())),
    Column::ratio("fewer", |it, first| {
        let (of_first, own) = (first.counted.as_ref()?.instructions, it.counted.as_ref()?.instructions);
        Some(format!("{:.2} ×", of_first as f64 / own as f64))
    }),
    Column::number("lanes", |it, _| counted(it, |it| percent(it.lanes))),
    Column::number("switched off", |it, _| counted(it, |it| it.predicated_off.to_string())),
    Column::number("divergent", |it, _| counted(it, |it| it.divergent_branches.to_string())),
    Column::number("sectors", |it, _| counted(it, |it| format!("{:.1}", it.sectors))),
    Column::number("KB", |it, _| counted(it, |it| (it.sector_bytes / 1000).to_string())),
    Column::number("conflicts", |it, _| counted(it, |it| it.conflicts.to_string())),
    Column::number("registers", |it, _| Some(it.registers.to_string())),
    Column::number("assembled", |it, _| it.assembled.map(|(registers, _)| registers.to_string())),
    Column::number("spilled bytes", |it, _| it.assembled.map(|(_, spilled)| spilled.to_string())),
    Column::number("block", |it, _| Some(it.block.to_string())),
    Column::number("occupancy", |it, _| Some(percent(it.occupancy))),
    Column::text("limited by", |it, _| Some(it.limited_by.clone())),
    Column::text("note", |it, _| (!it.note.is_empty()).then(|| it.note.clone())),
];

fn counted(measured: &Measured, cell: impl Fn(&Counted) -> String) -> Option<String> {
    measured.counted.as_ref().map(cell)
}

fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}
