//! Forms of moves and conversions of registers and addresses (PTX ISA, "Data Movement and Conversion").

use super::Table;
use crate::tree::Opcode::*;

pub(super) const ROWS: Table = &[
    (
        Mov,
        &[
            ("1.0", "b16|b32|b64|INT|f32|f64", "d, s"),
            ("1.0", "pred", "d, p"),
            ("8.3", "b128", "d, s"),
            // Vectors, element by element.
            ("1.0", "v2|v4 b16|u16|s16|b32|u32|s32|f32", "dv, av"),
            ("1.0", "v2 b64|u64|s64|f64", "dv, av"),
            ("1.0", "b16|b32|b64|b128@8.3", "d, ak"),
            ("1.0", "b16|b32|b64|b128@8.3", "dk, a"),
        ],
    ),
    (
        Cvt,
        &[
            // Between integers.
            ("1.0", "u8|s8|INT u8|s8|INT", "d+, a:U+"),
            // With saturation, if the destination does not hold all that the source does.
            ("1.0", "sat u8 s8|INT", "d+, a:U+"),
            ("1.0", "sat s8 u8|INT", "d+, a:U+"),
            ("1.0", "sat u16 s8|s16|u32|s32|u64|s64", "d+, a:U+"),
            ("1.0", "sat s16 u16|u32|s32|u64|s64", "d+, a:U+"),
            ("1.0", "sat u32 s8|s16|s32|u64|s64", "d+, a:U+"),
            ("1.0", "sat s32 u32|u64|s64", "d+, a:U+"),
            ("1.0", "sat u64 s8|s16|s32|s64", "d+, a:U+"),
            ("1.0", "sat s64 u64", "d+, a:U+"),
            // Float to integer.
            ("1.0", "IRND ftz? sat? u8|s8|INT f32", "d+, a:U+"),
            ("1.0", "IRND sat? u8|s8|INT f64", "d+, a:U+"),
            ("1.0", "IRND sat? u8|s8|INT f16", "d+, a:U+"),
            ("7.8:90", "IRND INT bf16", "d+, a:U"),
            // Integer to float.
            ("1.0", "RND sat? f32|f64|f16 u8|s8|INT", "d+, a:U+"),
            ("7.8:90", "RND bf16 INT", "d, a:U+"),
            // Between floats.
            ("1.0", "IRND? ftz? sat? f32 f32", "d+, a:U+"),
            ("1.0", "IRND? sat? f64 f64", "d, a:U"),
            ("1.0", "IRND? sat? f16 f16", "d+, a:U+"),
            ("7.8:90", "IRND? bf16 bf16", "d, a:U"),
            ("1.0", "ftz? sat? f64 f32", "d, a:U+"),
            ("1.0", "RND ftz? sat? f32 f64", "d+, a:U"),
            ("1.0", "ftz? sat? f32|f64 f16", "d+, a:U+"),
            ("1.0", "RND sat? f16 f64", "d+, a:U"),
            ("1.0", "rn|rz|rm|rp ftz? sat? f16 f32", "d+, a:U+"),
            ("7.0:80", "rn|rz relu f16 f32", "d, a:U"),
            ("8.1:80", "rn|rz relu? satfinite f16 f32", "d, a:U"),
            ("7.0:80", "rn|rz relu? bf16 f32", "d, a:U"),
            ("7.8:90", "rm|rp bf16 f32", "d, a:U"),
            ("8.1:80", "rn|rz relu? satfinite bf16 f32", "d, a:U"),
            ("7.1:80", "f32 bf16", "d, a:U"),
            ("7.8:90", "f64 bf16", "d, a:U"),
            ("7.8:90", "RND bf16 f64|f16", "d, a:U"),
            ("7.8:90", "RND f16 bf16", "d, a:U"),
            ("7.0:80", "rna tf32 f32", "d, a:U"),
            ("8.1:80", "rna satfinite tf32 f32", "d, a:U"),
            ("7.8:90", "rn|rz relu? tf32 f32", "d, a:U"),
            ("8.6:100", "rn|rz satfinite relu? tf32 f32", "d, a:U"),
            // Two or four at once.
            ("7.0:80", "rn|rz relu? f16x2|bf16x2 f32", "d, a:U, a:U"),
            ("8.1:80", "rn|rz relu? satfinite f16x2|bf16x2 f32", "d, a:U, a:U"),
            ("8.1:89", "rn satfinite relu? e4m3x2|e5m2x2 f32", "d, a:U, a:U"),
            ("8.1:89", "rn satfinite relu? e4m3x2|e5m2x2 f16x2", "d, a:U"),
            ("8.1:89", "rn relu? f16x2 e4m3x2|e5m2x2", "d, a:U"),
            ("8.6:100a|120a", "rn satfinite relu? e2m3x2|e3m2x2 f32", "d, a:U, a:U"),
            ("8.6:100a|120a", "rn relu? f16x2 e2m3x2|e3m2x2", "d, a:U"),
            ("8.6:100a|120a", "rn satfinite relu? e2m1x2 f32", "d:b8, a:U, a:U"),
            ("8.6:100a|120a", "rn relu? f16x2 e2m1x2", "d, a:b8"),
            ("8.6:100a|120a", "rz|rp satfinite? ue8m0x2 f32", "d, a:U, a:U"),
            ("8.6:100a|120a", "rz|rp satfinite? ue8m0x2 bf16x2", "d, a:U"),
            ("8.6:100a|120a", "rn bf16x2 ue8m0x2", "d, a:U"),
            // Packed with saturation.
            ("6.5", "pack sat u16|s16 s32", "d:b32, a:U, a:U"),
            ("6.5", "pack sat u8|s8 s32 b32", "d:b32, a:U, a:U, a:b32"),
            ("6.5", "pack sat u4|s4|u2|s2 s32 b32", "d:b32, a:U, a:U, a:b32"),
        ],
    ),
    (
        Cvta,
        &[
            ("2.0", "const@3.1|global|local|SHARED|param@7.7|param::entry@8.3 u64", "d, s"),
            ("2.0", "to const@3.1|global|local|SHARED|param@7.7|param::entry@8.3 u64", "d, a"),
        ],
    ),
    (Isspacep, &[("2.0", "const@3.1|global|local|SHARED|param@7.7|param::entry@8.3", "d:pred, a:b64")]),
    (Mapa, &[("7.8:90", "shared::cluster? u32|u64", "d, s, a:u32")]),
    (Getctarank, &[("7.8:90", "shared::cluster? u32|u64", "d:u32, s")]),
];
