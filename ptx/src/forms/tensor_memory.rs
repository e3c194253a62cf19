//! Forms of the fifth generation of tensor cores and their memory (PTX ISA, "TensorCore 5th Generation Family Instructions").

use super::Table;
use crate::tree::Opcode::*;

/// Behind the descriptors or addresses of the matrices: where the metadata of a sparse matrix are, the descriptor of the instruction, the scales of
/// both sides, the lanes that are left out, whether the sums are added to, and by which power of two they are scaled.
pub(super) const ROWS: Table = &[(
    Tcgen05,
    &[
        ("8.6:100f|110f", "alloc cta_group::1|cta_group::2 sync aligned shared::cta? b32", "m, a:u32"),
        ("8.6:100f|110f", "dealloc cta_group::1|cta_group::2 sync aligned b32", "a:b32, a:u32"),
        ("8.6:100f|110f", "relinquish_alloc_permit cta_group::1|cta_group::2 sync aligned", ""),
        ("8.6:100f|110f", "ld sync aligned 16x64b|32x32b x1 pack::16b? b32", "d1:b32, y"),
        (
            "8.6:100f|110f",
            "ld sync aligned 16x64b|32x32b x2|x4|x8|x16|x32|x64|x128 pack::16b? b32",
            "dv:b32, y",
        ),
        ("8.6:100f|110f", "ld sync aligned 16x128b x1|x2|x4|x8|x16|x32|x64 pack::16b? b32", "dv:b32, y"),
        ("8.6:100f|110f", "ld sync aligned 16x256b x1|x2|x4|x8|x16|x32 pack::16b? b32", "dv:b32, y"),
        ("8.6:100f|110f", "ld sync aligned 16x32bx2 x1 pack::16b? b32", "d1:b32, y, i:s64"),
        (
            "8.6:100f|110f",
            "ld sync aligned 16x32bx2 x2|x4|x8|x16|x32|x64|x128 pack::16b? b32",
            "dv:b32, y, i:s64",
        ),
        ("8.6:100f|110f", "st sync aligned 16x64b|32x32b x1 unpack::16b? b32", "y, a1:b32"),
        (
            "8.6:100f|110f",
            "st sync aligned 16x64b|32x32b x2|x4|x8|x16|x32|x64|x128 unpack::16b? b32",
            "y, av:b32",
        ),
        ("8.6:100f|110f", "st sync aligned 16x128b x1|x2|x4|x8|x16|x32|x64 unpack::16b? b32", "y, av:b32"),
        ("8.6:100f|110f", "st sync aligned 16x256b x1|x2|x4|x8|x16|x32 unpack::16b? b32", "y, av:b32"),
        ("8.6:100f|110f", "st sync aligned 16x32bx2 x1 unpack::16b? b32", "y, i:s64, a1:b32"),
        (
            "8.6:100f|110f",
            "st sync aligned 16x32bx2 x2|x4|x8|x16|x32|x64|x128 unpack::16b? b32",
            "y, i:s64, av:b32",
        ),
        ("8.8:103f|110f", "ld red sync aligned 32x32b x2|x4|x8|x16|x32|x64|x128 min|max u32|s32", "dv, d, y"),
        (
            "8.8:103f|110f",
            "ld red sync aligned 32x32b x2|x4|x8|x16|x32|x64|x128 min|max abs? NaN? f32",
            "dv, d, y",
        ),
        (
            "8.8:103f|110f",
            "ld red sync aligned 16x32bx2 x2|x4|x8|x16|x32|x64|x128 min|max u32|s32",
            "dv, d, y, i:s64",
        ),
        (
            "8.8:103f|110f",
            "ld red sync aligned 16x32bx2 x2|x4|x8|x16|x32|x64|x128 min|max abs? NaN? f32",
            "dv, d, y, i:s64",
        ),
        ("8.6:100f|110f", "wait::ld|wait::st sync aligned", ""),
        (
            "8.6:100f|110f",
            "cp cta_group::1|cta_group::2 128x256b|4x256b|128x128b|64x128b+warpx2::02_13|64x128b+warpx2::01_23|32x128b+warpx4 b8x16+NARROW?",
            "y, a:b64",
        ),
        ("8.6:100a|103a|110a", "shift cta_group::1|cta_group::2 down", "y"),
        (
            "8.6:100f|110f",
            "mma cta_group::1|cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma cta_group::1|cta_group::2 kind::i8 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, p",
        ),
        (
            "8.6:100f",
            "mma cta_group::1|cta_group::2 kind::f16|kind::tf32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, a4:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma cta_group::1 kind::i8 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, a4:b32, p",
        ),
        (
            "8.6:100f",
            "mma cta_group::1 kind::f16|kind::tf32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, a4:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, a8:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma cta_group::2 kind::i8 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, a8:b32, p",
        ),
        (
            "8.6:100f",
            "mma cta_group::2 kind::f16|kind::tf32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, a8:b32, p, i:s64",
        ),
        (
            "8.8:100f|110f",
            "mma cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma cta_group::1|cta_group::2 kind::mxf4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale block16|block32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale scale_vec::1X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma cta_group::1|cta_group::2 kind::mxf4 block_scale scale_vec::2X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, y, y, p",
        ),
        (
            "8.7:100a|103a|110a",
            "mma cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, a:b32, y, y, p",
        ),
        (
            "8.6:100f|110f",
            "mma cta_group::1|cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma cta_group::1|cta_group::2 kind::i8 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, p",
        ),
        (
            "8.6:100f",
            "mma cta_group::1|cta_group::2 kind::f16|kind::tf32 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, a4:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma cta_group::1 kind::i8 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, a4:b32, p",
        ),
        (
            "8.6:100f",
            "mma cta_group::1 kind::f16|kind::tf32 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, a4:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, a8:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma cta_group::2 kind::i8 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, a8:b32, p",
        ),
        (
            "8.6:100f",
            "mma cta_group::2 kind::f16|kind::tf32 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, a8:b32, p, i:s64",
        ),
        (
            "8.8:100f|110f",
            "mma cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma cta_group::1|cta_group::2 kind::mxf4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale block16|block32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale scale_vec::1X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma cta_group::1|cta_group::2 kind::mxf4 block_scale scale_vec::2X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, y, y, p",
        ),
        (
            "8.7:100a|103a|110a",
            "mma cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, a:b32, y, y, p",
        ),
        (
            "8.6:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma sp cta_group::1|cta_group::2 kind::i8 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, p",
        ),
        (
            "8.6:100f",
            "mma sp cta_group::1|cta_group::2 kind::f16|kind::tf32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma sp cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, a4:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma sp cta_group::1 kind::i8 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, a4:b32, p",
        ),
        (
            "8.6:100f",
            "mma sp cta_group::1 kind::f16|kind::tf32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, a4:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma sp cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, a8:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma sp cta_group::2 kind::i8 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, a8:b32, p",
        ),
        (
            "8.6:100f",
            "mma sp cta_group::2 kind::f16|kind::tf32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, a8:b32, p, i:s64",
        ),
        (
            "8.8:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::mxf4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale block16|block32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma sp cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale scale_vec::1X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma sp cta_group::1|cta_group::2 kind::mxf4 block_scale scale_vec::2X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.7:100a|103a|110a",
            "mma sp cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, a:b64, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.6:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma sp cta_group::1|cta_group::2 kind::i8 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, p",
        ),
        (
            "8.6:100f",
            "mma sp cta_group::1|cta_group::2 kind::f16|kind::tf32 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma sp cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, a4:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma sp cta_group::1 kind::i8 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, a4:b32, p",
        ),
        (
            "8.6:100f",
            "mma sp cta_group::1 kind::f16|kind::tf32 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, a4:b32, p, i:s64",
        ),
        (
            "8.6:100f|110f",
            "mma sp cta_group::2 kind::f16|kind::tf32|kind::f8f6f4 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, a8:b32, p",
        ),
        (
            "8.6:100a|110a",
            "mma sp cta_group::2 kind::i8 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, a8:b32, p",
        ),
        (
            "8.6:100f",
            "mma sp cta_group::2 kind::f16|kind::tf32 ashift|collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, a8:b32, p, i:s64",
        ),
        (
            "8.8:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::mxf4 block_scale block32? collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.8:100f|110f",
            "mma sp cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale block16|block32 collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma sp cta_group::1|cta_group::2 kind::mxf8f6f4 block_scale scale_vec::1X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.6:100a|103a|110a",
            "mma sp cta_group::1|cta_group::2 kind::mxf4 block_scale scale_vec::2X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.7:100a|103a|110a",
            "mma sp cta_group::1|cta_group::2 kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?",
            "y, y, a:b64, y, a:b32, y, y, p",
        ),
        (
            "8.6:100f|110f",
            "mma ws cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 COLLECTOR_B?",
            "y, a:b64, a:b64, a:b32, p, a:b64?",
        ),
        ("8.6:100a|110a", "mma ws cta_group::1 kind::i8 COLLECTOR_B?", "y, a:b64, a:b64, a:b32, p, a:b64?"),
        (
            "8.6:100f|110f",
            "mma ws cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 COLLECTOR_B?",
            "y, y, a:b64, a:b32, p, a:b64?",
        ),
        ("8.6:100a|110a", "mma ws cta_group::1 kind::i8 COLLECTOR_B?", "y, y, a:b64, a:b32, p, a:b64?"),
        (
            "8.6:100f|110f",
            "mma ws sp cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 COLLECTOR_B?",
            "y, a:b64, a:b64, y, a:b32, p, a:b64?",
        ),
        (
            "8.6:100a|110a",
            "mma ws sp cta_group::1 kind::i8 COLLECTOR_B?",
            "y, a:b64, a:b64, y, a:b32, p, a:b64?",
        ),
        (
            "8.6:100f|110f",
            "mma ws sp cta_group::1 kind::f16|kind::tf32|kind::f8f6f4 COLLECTOR_B?",
            "y, y, a:b64, y, a:b32, p, a:b64?",
        ),
        ("8.6:100a|110a", "mma ws sp cta_group::1 kind::i8 COLLECTOR_B?", "y, y, a:b64, y, a:b32, p, a:b64?"),
        ("8.6:100f|110f", "commit cta_group::1|cta_group::2 mbarrier::arrive::one shared::cluster? b64", "m"),
        (
            "8.6:100f|110f",
            "commit cta_group::1|cta_group::2 mbarrier::arrive::one shared::cluster? multicast::cluster b64",
            "m, a:b16",
        ),
        ("8.6:100f|110f", "fence::before_thread_sync|fence::after_thread_sync", ""),
    ],
)];
