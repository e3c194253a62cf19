//! Forms of the video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").

use super::{Row, Table};
use crate::tree::Opcode::*;

/// Additions and their like: alone, with a second operation, or merged into a part of the third operand.
const SCALAR: &[Row] = &[
    ("2.0", "INT32 INT32 INT32 sat?", "d, v:U, v:V"),
    ("2.0", "INT32 INT32 INT32 sat? add|min|max", "d, v:U, v:V, a"),
    ("2.0", "INT32 INT32 INT32 sat?", "vd, v:U, v:V, a"),
];

const SHIFT: &[Row] = &[
    ("2.0", "INT32 INT32 u32 sat? clamp|wrap", "d, v:U, v:V"),
    ("2.0", "INT32 INT32 u32 sat? clamp|wrap add|min|max", "d, v:U, v:V, a"),
    ("2.0", "INT32 INT32 u32 sat? clamp|wrap", "vd, v:U, v:V, a"),
];

/// Two or four at once.
const LANES: &[Row] = &[
    ("3.0", "INT32 INT32 INT32 sat?", "wd, w:U, w:V, a"),
    ("3.0", "INT32 INT32 INT32 add", "wd, w:U, w:V, a"),
];

const LANES_SET: &[Row] = &[("3.0", "INT32 INT32 CMP add?", "wd:u32, w:T, w:U, a:u32")];

pub(super) const ROWS: Table = &[
    (Vadd, SCALAR),
    (Vsub, SCALAR),
    (Vabsdiff, SCALAR),
    (Vmin, SCALAR),
    (Vmax, SCALAR),
    (Vshl, SHIFT),
    (Vshr, SHIFT),
    (
        Vmad,
        &[
            ("2.0", "INT32 INT32 INT32 sat? shr7|shr15?", "d, vn:U, vn:V, vn"),
            ("2.0", "INT32 INT32 INT32 po sat? shr7|shr15?", "d, v:U, v:V, a"),
        ],
    ),
    (
        Vset,
        &[
            ("2.0", "INT32 INT32 CMP", "d:u32, v:T, v:U"),
            ("2.0", "INT32 INT32 CMP add|min|max", "d:u32, v:T, v:U, a:u32"),
            ("2.0", "INT32 INT32 CMP", "vd:u32, v:T, v:U, a:u32"),
        ],
    ),
    (Vadd2, LANES),
    (Vsub2, LANES),
    (Vavrg2, LANES),
    (Vabsdiff2, LANES),
    (Vmin2, LANES),
    (Vmax2, LANES),
    (Vset2, LANES_SET),
    (Vadd4, LANES),
    (Vsub4, LANES),
    (Vavrg4, LANES),
    (Vabsdiff4, LANES),
    (Vmin4, LANES),
    (Vmax4, LANES),
    (Vset4, LANES_SET),
];
