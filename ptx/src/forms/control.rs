//! Forms of control flow and of what is left (PTX ISA, "Control Flow", "Miscellaneous", "Stack Manipulation").

use super::Table;
use crate::tree::Opcode::*;

pub(super) const ROWS: Table = &[
    (Bra, &[("1.0", "uni?", "n")]),
    (Brx, &[("6.0", "idx uni?", "r:u32, n")]),
    // The arguments of a call are judged by the function that it names, not by the table.
    (Call, &[("1.0", "uni?", "x, x?, x?, x?")]),
    (Ret, &[("1.0", "uni?", "")]),
    (Exit, &[("1.0", "", "")]),
    (Trap, &[("1.0", "", "")]),
    (Brkpt, &[("1.0", "", "")]),
    (Nanosleep, &[("6.3", "u32", "a")]),
    (Pmevent, &[("1.4", "", "i:u32"), ("3.0", "mask", "i:u32")]),
    (Setmaxnreg, &[("8.0:90a|100f|110f|120f", "inc|dec sync aligned u32", "i")]),
    (Stacksave, &[("7.3", "u32|u64", "d")]),
    (Stackrestore, &[("7.3", "u32|u64", "r")]),
    (Alloca, &[("7.3", "u32|u64", "d, a, i:u32?")]),
    (Vabsdiff4, &[("3.0", "INT32 INT32 INT32 sat|add?", "d, a:U, a:V, a")]),
];
