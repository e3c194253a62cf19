//! Tables of the programs, fitted to the width of the terminal where there is one.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Row, Table, presets};

/// A table with this heading.
pub fn table<T: Into<Row>>(header: T) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(header);
    table
}

/// A cell of numbers.
pub fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
