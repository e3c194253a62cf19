//! Forms of comparison, selection, logic and shifts (PTX ISA, "Comparison and Selection", "Logic and Shift").

use super::{Row, Table};
use crate::tree::Opcode::*;

pub(super) const ROWS: Table = &[
    (
        Setp,
        &[
            ("1.0", "eq|ne b16|b32|b64", "d|p:pred, a, a"),
            ("1.0", "UCMP u16|u32|u64", "d|p:pred, a, a"),
            ("1.0", "CMP s16|s32|s64", "d|p:pred, a, a"),
            ("1.0", "FCMP ftz? f32", "d|p:pred, a, a"),
            ("1.0", "FCMP f64", "d|p:pred, a, a"),
            ("4.2", "FCMP ftz? f16|f16x2", "d|p:pred, a, a"),
            ("7.8:90", "FCMP bf16|bf16x2", "d|p:pred, a, a"),
            ("1.0", "eq|ne BOOL b16|b32|b64", "d|p:pred, a, a, p"),
            ("1.0", "UCMP BOOL u16|u32|u64", "d|p:pred, a, a, p"),
            ("1.0", "CMP BOOL s16|s32|s64", "d|p:pred, a, a, p"),
            ("1.0", "FCMP BOOL ftz? f32", "d|p:pred, a, a, p"),
            ("1.0", "FCMP BOOL f64", "d|p:pred, a, a, p"),
            ("4.2", "FCMP BOOL ftz? f16|f16x2", "d|p:pred, a, a, p"),
            ("7.8:90", "FCMP BOOL bf16|bf16x2", "d|p:pred, a, a, p"),
        ],
    ),
    (
        Set,
        &[
            ("1.0", "eq|ne u32|s32|f32 b16|b32|b64", "d, a:U, a:U"),
            ("1.0", "UCMP u32|s32|f32 u16|u32|u64", "d, a:U, a:U"),
            ("1.0", "CMP u32|s32|f32 s16|s32|s64", "d, a:U, a:U"),
            ("1.0", "FCMP ftz? u32|s32|f32 f32", "d, a:U, a:U"),
            ("1.0", "FCMP u32|s32|f32 f64", "d, a:U, a:U"),
            ("4.2", "FCMP ftz? f16|u16@6.5|s16@6.5|u32@6.5|s32@6.5 f16", "d, a:U, a:U"),
            ("4.2", "FCMP ftz? f16x2|u32@6.5|s32@6.5 f16x2", "d, a:U, a:U"),
            ("7.8:90", "FCMP bf16|u16|s16|u32|s32 bf16", "d, a:U, a:U"),
            ("7.8:90", "FCMP bf16x2|u32|s32 bf16x2", "d, a:U, a:U"),
            ("1.0", "eq|ne BOOL u32|s32|f32 b16|b32|b64", "d, a:U, a:U, p"),
            ("1.0", "UCMP BOOL u32|s32|f32 u16|u32|u64", "d, a:U, a:U, p"),
            ("1.0", "CMP BOOL u32|s32|f32 s16|s32|s64", "d, a:U, a:U, p"),
            ("1.0", "FCMP BOOL ftz? u32|s32|f32 f32", "d, a:U, a:U, p"),
            ("1.0", "FCMP BOOL u32|s32|f32 f64", "d, a:U, a:U, p"),
        ],
    ),
    (Selp, &[("1.0", "b16|b32|b64|INT|f32|f64", "d, a, a, p")]),
    (
        Slct,
        &[
            ("1.0", "b16|b32|b64|INT|f32|f64 s32", "d, a, a, a:U"),
            ("1.0", "ftz? b16|b32|b64|INT|f32|f64 f32", "d, a, a, a:U"),
        ],
    ),
    (And, BITWISE),
    (Or, BITWISE),
    (Xor, BITWISE),
    (Not, &[("1.0", "b16|b32|b64", "d, a"), ("1.0", "pred", "d, p")]),
    (Cnot, &[("1.0", "b16|b32|b64", "d, a")]),
    (Lop3, &[("4.3", "b32", "d, a, a, a, i"), ("8.2", "and|or b32", "dp, a, a, a, i, p")]),
    (Shf, &[("3.1", "l|r clamp|wrap b32", "d, a, a, a:u32")]),
    (Shl, &[("1.0", "b16|b32|b64", "d, a, a:u32")]),
    (Shr, &[("1.0", "b16|b32|b64|INT", "d, a, a:u32")]),
    (Prmt, &[("2.0", "b32", "d, a, a, a"), ("2.0", "b32 f4e|b4e|rc8|ecl|ecr|rc16", "d, a, a, a")]),
];

const BITWISE: &[Row] = &[("1.0", "b16|b32|b64", "d, a, a"), ("1.0", "pred", "d, p, p")];
