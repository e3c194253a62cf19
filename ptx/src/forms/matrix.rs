//! Forms of operations on matrix fragments (PTX ISA, "Warp Level Matrix Instructions").

use super::Table;
use crate::tree::Opcode::*;

pub(super) const ROWS: Table = &[
    (
        Ldmatrix,
        &[
            ("6.5", "sync aligned m8n8 x1 trans? shared|shared::cta@7.8? b16", "d1:b32, m"),
            ("6.5", "sync aligned m8n8 x2 trans? shared|shared::cta@7.8? b16", "d2:b32, m"),
            ("6.5", "sync aligned m8n8 x4 trans? shared|shared::cta@7.8? b16", "d4:b32, m"),
            // Elements of 8 bits, transposed, and of 4 and 6 bits, each widened to a byte.
            ("8.6:100f|110f|120f", "sync aligned m16n16 x1 trans shared|shared::cta? b8", "d2:b32, m"),
            ("8.6:100f|110f|120f", "sync aligned m16n16 x2 trans shared|shared::cta? b8", "d4:b32, m"),
            (
                "8.6:100f|110f|120f",
                "sync aligned m16n16 x1 trans shared|shared::cta? b8x16 NARROW",
                "d2:b32, m",
            ),
            (
                "8.6:100f|110f|120f",
                "sync aligned m16n16 x2 trans shared|shared::cta? b8x16 NARROW",
                "d4:b32, m",
            ),
            ("8.6:100f|110f|120f", "sync aligned m8n16 x1 shared|shared::cta? b8x16 NARROW", "d1:b32, m"),
            ("8.6:100f|110f|120f", "sync aligned m8n16 x2 shared|shared::cta? b8x16 NARROW", "d2:b32, m"),
            ("8.6:100f|110f|120f", "sync aligned m8n16 x4 shared|shared::cta? b8x16 NARROW", "d4:b32, m"),
        ],
    ),
    (
        Stmatrix,
        &[
            ("7.8:90", "sync aligned m8n8 x1 trans? shared|shared::cta? b16", "m, a1:b32"),
            ("7.8:90", "sync aligned m8n8 x2 trans? shared|shared::cta? b16", "m, a2:b32"),
            ("7.8:90", "sync aligned m8n8 x4 trans? shared|shared::cta? b16", "m, a4:b32"),
            ("8.6:100f|110f|120f", "sync aligned m16n8 x1 trans shared|shared::cta? b8", "m, a1:b32"),
            ("8.6:100f|110f|120f", "sync aligned m16n8 x2 trans shared|shared::cta? b8", "m, a2:b32"),
            ("8.6:100f|110f|120f", "sync aligned m16n8 x4 trans shared|shared::cta? b8", "m, a4:b32"),
        ],
    ),
    (Movmatrix, &[("7.8", "sync aligned m8n8 trans b16", "d:b32, r:b32")]),
    (
        Mma,
        &[
            ("6.5", "sync aligned m16n8k8 row col f16 f16 f16 f16", "d2:b32, a2:b32, a1:b32, a2:b32"),
            ("6.5", "sync aligned m16n8k8 row col f32 f16 f16 f32", "d4:f32, a2:b32, a1:b32, a4:f32"),
            ("7.0:80", "sync aligned m16n8k8 row col f32 bf16 bf16 f32", "d4:f32, a2:b32, a1:b32, a4:f32"),
            ("7.0:80", "sync aligned m16n8k16 row col f16 f16 f16 f16", "d2:b32, a4:b32, a2:b32, a2:b32"),
            ("7.0:80", "sync aligned m16n8k16 row col f32 f16 f16 f32", "d4:f32, a4:b32, a2:b32, a4:f32"),
            ("7.0:80", "sync aligned m16n8k16 row col f32 bf16 bf16 f32", "d4:f32, a4:b32, a2:b32, a4:f32"),
            ("7.0:80", "sync aligned m16n8k4 row col f32 tf32 tf32 f32", "d4:f32, a2:b32, a1:b32, a4:f32"),
            ("7.0:80", "sync aligned m16n8k8 row col f32 tf32 tf32 f32", "d4:f32, a4:b32, a2:b32, a4:f32"),
            ("7.0:80", "sync aligned m8n8k4 row col RND? f64 f64 f64 f64", "d2:f64, a1:f64, a1:f64, a2:f64"),
            (
                "6.5",
                "sync aligned m8n8k16 row col satfinite? s32 u8|s8 u8|s8 s32",
                "d2:s32, a1:b32, a1:b32, a2:s32",
            ),
            (
                "7.0:80",
                "sync aligned m16n8k16 row col satfinite? s32 u8|s8 u8|s8 s32",
                "d4:s32, a2:b32, a1:b32, a4:s32",
            ),
            (
                "7.0:80",
                "sync aligned m16n8k32 row col satfinite? s32 u8|s8 u8|s8 s32",
                "d4:s32, a4:b32, a2:b32, a4:s32",
            ),
            (
                "8.4:89",
                "sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32",
                "d4:f32, a4:b32, a2:b32, a4:f32",
            ),
            ("6.4", "sync aligned m8n8k4 row|col row|col f16 f16 f16 f16", "d4:b32, a2:b32, a2:b32, a4:b32"),
            ("6.4", "sync aligned m8n8k4 row|col row|col f32 f16 f16 f32", "d8:f32, a2:b32, a2:b32, a8:f32"),
            ("6.4", "sync aligned m8n8k4 row|col row|col f32 f16 f16 f16", "d8:f32, a2:b32, a2:b32, a4:b32"),
            ("7.8:90", "sync aligned m16n8k4 row col RND? f64 f64 f64 f64", "d4:f64, a2:f64, a1:f64, a4:f64"),
            ("7.8:90", "sync aligned m16n8k8 row col RND? f64 f64 f64 f64", "d4:f64, a4:f64, a2:f64, a4:f64"),
            (
                "7.8:90",
                "sync aligned m16n8k16 row col RND? f64 f64 f64 f64",
                "d4:f64, a8:f64, a4:f64, a4:f64",
            ),
            (
                "6.5",
                "sync aligned m8n8k32 row col satfinite? s32 u4|s4 u4|s4 s32",
                "d2:s32, a1:b32, a1:b32, a2:s32",
            ),
            (
                "7.0:80",
                "sync aligned m16n8k32 row col satfinite? s32 u4|s4 u4|s4 s32",
                "d4:s32, a2:b32, a1:b32, a4:s32",
            ),
            (
                "7.0:80",
                "sync aligned m16n8k64 row col satfinite? s32 u4|s4 u4|s4 s32",
                "d4:s32, a4:b32, a2:b32, a4:s32",
            ),
            ("7.0", "sync aligned m8n8k128 row col s32 b1 b1 s32 xor popc", "d2:s32, a1:b32, a1:b32, a2:s32"),
            (
                "7.1:80",
                "sync aligned m8n8k128 row col s32 b1 b1 s32 and popc",
                "d2:s32, a1:b32, a1:b32, a2:s32",
            ),
            (
                "7.0:80",
                "sync aligned m16n8k128 row col s32 b1 b1 s32 xor popc",
                "d4:s32, a2:b32, a1:b32, a4:s32",
            ),
            (
                "7.1:80",
                "sync aligned m16n8k128 row col s32 b1 b1 s32 and popc",
                "d4:s32, a2:b32, a1:b32, a4:s32",
            ),
            (
                "7.0:80",
                "sync aligned m16n8k256 row col s32 b1 b1 s32 xor popc",
                "d4:s32, a4:b32, a2:b32, a4:s32",
            ),
            (
                "7.1:80",
                "sync aligned m16n8k256 row col s32 b1 b1 s32 and popc",
                "d4:s32, a4:b32, a2:b32, a4:s32",
            ),
            (
                "8.7:89",
                "sync aligned m16n8k16 row col f32 e4m3|e5m2 e4m3|e5m2 f32",
                "d4:f32, a2:b32, a1:b32, a4:f32",
            ),
            (
                "8.7:89",
                "sync aligned m16n8k16 row col f16 e4m3|e5m2 e4m3|e5m2 f16",
                "d2:b32, a2:b32, a1:b32, a2:b32",
            ),
            (
                "8.7:89",
                "sync aligned m16n8k32 row col f16 e4m3|e5m2 e4m3|e5m2 f16",
                "d2:b32, a4:b32, a2:b32, a2:b32",
            ),
            (
                "8.7:120f",
                "sync aligned m16n8k32 row col kind::f8f6f4 f32 F8F6F4 F8F6F4 f32",
                "d4:f32, a4:b32, a2:b32, a4:f32",
            ),
            (
                "8.7:120f",
                "sync aligned m16n8k32 row col kind::f8f6f4 f16 F8F6F4 F8F6F4 f16",
                "d2:b32, a4:b32, a2:b32, a2:b32",
            ),
            // Scaled by blocks: behind the sums the scales of each side, in braces or alone, with the byte and the thread that have them.
            (
                "8.7:120f",
                "sync aligned m16n8k32 row col kind::mxf8f6f4 block_scale scale_vec::1X? f32 F8F6F4 F8F6F4 f32 ue8m0",
                "d4:f32, a4:b32, a2:b32, a4:f32, a1:b32, a2:b16, a1:b32, a2:b16",
            ),
            (
                "8.7:120f",
                "sync aligned m16n8k64 row col kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0",
                "d4:f32, a4:b32, a2:b32, a4:f32, a1:b32, a2:b16, a1:b32, a2:b16",
            ),
            (
                "8.7:120f",
                "sync aligned m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::2X+f32+e2m1+e2m1+f32+ue8m0|scale_vec::4X+f32+e2m1+e2m1+f32+ue4m3",
                "d4:f32, a4:b32, a2:b32, a4:f32, a1:b32, a2:b16, a1:b32, a2:b16",
            ),
            (
                "8.7:120f",
                "sync aligned m16n8k32 row col kind::mxf8f6f4 block_scale scale_vec::1X? f32 F8F6F4 F8F6F4 f32 ue8m0",
                "d4:f32, a4:b32, a2:b32, a4:f32, a:b32, a2:b16, a:b32, a2:b16",
            ),
            (
                "8.7:120f",
                "sync aligned m16n8k64 row col kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0",
                "d4:f32, a4:b32, a2:b32, a4:f32, a:b32, a2:b16, a:b32, a2:b16",
            ),
            (
                "8.7:120f",
                "sync aligned m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::2X+f32+e2m1+e2m1+f32+ue8m0|scale_vec::4X+f32+e2m1+e2m1+f32+ue4m3",
                "d4:f32, a4:b32, a2:b32, a4:f32, a:b32, a2:b16, a:b32, a2:b16",
            ),
            // Sparse: the left matrix has two of four elements; metadata says which, a selector which lanes have the metadata.
            (
                "7.1:80",
                "SP sync aligned m16n8k16 row col f16 f16 f16 f16",
                "d2:b32, a2:b32, a2:b32, a2:b32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k16 row col f32 f16+f16|bf16+bf16 f32",
                "d4:f32, a2:b32, a2:b32, a4:f32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k32 row col f16 f16 f16 f16",
                "d2:b32, a4:b32, a4:b32, a2:b32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k32 row col f32 f16+f16|bf16+bf16 f32",
                "d4:f32, a4:b32, a4:b32, a4:f32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k8 row col f32 tf32 tf32 f32",
                "d4:f32, a2:b32, a2:b32, a4:f32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k16 row col f32 tf32 tf32 f32",
                "d4:f32, a4:b32, a4:b32, a4:f32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k32 row col satfinite? s32 u8|s8 u8|s8 s32",
                "d4:s32, a2:b32, a2:b32, a4:s32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k64 row col satfinite? s32 u8|s8 u8|s8 s32",
                "d4:s32, a4:b32, a4:b32, a4:s32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k64 row col satfinite? s32 u4|s4 u4|s4 s32",
                "d4:s32, a2:b32, a2:b32, a4:s32, r:b32, i:u32",
            ),
            (
                "7.1:80",
                "SP sync aligned m16n8k128 row col satfinite? s32 u4|s4 u4|s4 s32",
                "d4:s32, a4:b32, a4:b32, a4:s32, r:b32, i:u32",
            ),
            (
                "8.4:89",
                "SP sync aligned m16n8k64 row col f32 e4m3|e5m2 e4m3|e5m2 f32",
                "d4:f32, a4:b32, a4:b32, a4:f32, r:b32, i:u32",
            ),
            (
                "8.7:120f",
                "sp::ordered_metadata sync aligned m16n8k64 row col kind::f8f6f4 f32 F8F6F4 F8F6F4 f32",
                "d4:f32, a4:b32, a4:b32, a4:f32, r:b32, i:u32",
            ),
            (
                "8.7:120f",
                "sp::ordered_metadata sync aligned m16n8k64 row col kind::f8f6f4 f16 F8F6F4 F8F6F4 f16",
                "d2:b32, a4:b32, a4:b32, a2:b32, r:b32, i:u32",
            ),
            (
                "8.7:120f",
                "sp::ordered_metadata sync aligned m16n8k64 row col kind::mxf8f6f4 block_scale scale_vec::1X? f32 F8F6F4 F8F6F4 f32 ue8m0",
                "d4:f32, a4:b32, a4:b32, a4:f32, a1:b32, i:u32, a1:b32, a2:b16, a1:b32, a2:b16",
            ),
            (
                "8.7:120a|121a",
                "sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0",
                "d4:f32, a4:b32, a4:b32, a4:f32, a1:b32, i:u32, a1:b32, a2:b16, a1:b32, a2:b16",
            ),
            (
                "8.7:120a|121a",
                "sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4nvf4 block_scale scale_vec::2X+f32+e2m1+e2m1+f32+ue8m0|scale_vec::4X+f32+e2m1+e2m1+f32+ue4m3",
                "d4:f32, a4:b32, a4:b32, a4:f32, a1:b32, i:u32, a1:b32, a2:b16, a1:b32, a2:b16",
            ),
            (
                "8.7:120f",
                "sp::ordered_metadata sync aligned m16n8k64 row col kind::mxf8f6f4 block_scale scale_vec::1X? f32 F8F6F4 F8F6F4 f32 ue8m0",
                "d4:f32, a4:b32, a4:b32, a4:f32, r:b32, i:u32, a:b32, a2:b16, a:b32, a2:b16",
            ),
            (
                "8.7:120a|121a",
                "sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0",
                "d4:f32, a4:b32, a4:b32, a4:f32, r:b32, i:u32, a:b32, a2:b16, a:b32, a2:b16",
            ),
            (
                "8.7:120a|121a",
                "sp::ordered_metadata sync aligned m16n8k128 row col kind::mxf4nvf4 block_scale scale_vec::2X+f32+e2m1+e2m1+f32+ue8m0|scale_vec::4X+f32+e2m1+e2m1+f32+ue4m3",
                "d4:f32, a4:b32, a4:b32, a4:f32, r:b32, i:u32, a:b32, a2:b16, a:b32, a2:b16",
            ),
        ],
    ),
    // Behind the sums: the left matrix in registers or by a descriptor, the right one by a descriptor, of a sparse left matrix metadata and a
    // selector, whether the sums are added to, the signs of the matrices, and of 16-bit elements which of those in memory are transposed.
    (
        Wgmma,
        &[
            ("8.0:90a", "fence sync aligned", ""),
            ("8.0:90a", "commit_group sync aligned", ""),
            ("8.0:90a", "wait_group sync aligned", "i:u32"),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f32 f16+f16|bf16+bf16",
                "dv:f32, a:b64, a:b64, p, i:s32, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f16 f16 f16",
                "dv:b32, a:b64, a:b64, p, i:s32, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP8 f32 tf32 tf32",
                "dv:f32, a:b64, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f32 e4m3|e5m2 e4m3|e5m2",
                "dv:f32, a:b64, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f16 e4m3|e5m2 e4m3|e5m2",
                "dv:b32, a:b64, a:b64, p, i:s32, i:s32",
            ),
            ("8.0:90a", "mma_async sync aligned GROUP32I satfinite? BYTE_PRODUCT", "dv:s32, a:b64, a:b64, p"),
            ("8.0:90a", "mma_async sync aligned GROUP256I s32 b1 b1 and popc", "dv:s32, a:b64, a:b64, p"),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f32 f16+f16|bf16+bf16",
                "dv:f32, a4:b32, a:b64, p, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f16 f16 f16",
                "dv:b32, a4:b32, a:b64, p, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP8 f32 tf32 tf32",
                "dv:f32, a4:b32, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f32 e4m3|e5m2 e4m3|e5m2",
                "dv:f32, a4:b32, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f16 e4m3|e5m2 e4m3|e5m2",
                "dv:b32, a4:b32, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32I satfinite? BYTE_PRODUCT",
                "dv:s32, a4:b32, a:b64, p",
            ),
            ("8.0:90a", "mma_async sync aligned GROUP256I s32 b1 b1 and popc", "dv:s32, a4:b32, a:b64, p"),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP32 f32 f16+f16|bf16+bf16",
                "dv:f32, a:b64, a:b64, r:b32, i:u32, p, i:s32, i:s32, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP32 f16 f16 f16",
                "dv:b32, a:b64, a:b64, r:b32, i:u32, p, i:s32, i:s32, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP16 f32 tf32 tf32",
                "dv:f32, a:b64, a:b64, r:b32, i:u32, p, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP64 f32 e4m3|e5m2 e4m3|e5m2",
                "dv:f32, a:b64, a:b64, r:b32, i:u32, p, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP64 f16 e4m3|e5m2 e4m3|e5m2",
                "dv:b32, a:b64, a:b64, r:b32, i:u32, p, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP64I satfinite? BYTE_PRODUCT",
                "dv:s32, a:b64, a:b64, r:b32, i:u32, p",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP32 f32 f16+f16|bf16+bf16",
                "dv:f32, a4:b32, a:b64, r:b32, i:u32, p, i:s32, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP32 f16 f16 f16",
                "dv:b32, a4:b32, a:b64, r:b32, i:u32, p, i:s32, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP16 f32 tf32 tf32",
                "dv:f32, a4:b32, a:b64, r:b32, i:u32, p, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP64 f32 e4m3|e5m2 e4m3|e5m2",
                "dv:f32, a4:b32, a:b64, r:b32, i:u32, p, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP64 f16 e4m3|e5m2 e4m3|e5m2",
                "dv:b32, a4:b32, a:b64, r:b32, i:u32, p, i:s32, i:s32",
            ),
            (
                "8.2:90a",
                "mma_async sp sync aligned GROUP64I satfinite? BYTE_PRODUCT",
                "dv:s32, a4:b32, a:b64, r:b32, i:u32, p",
            ),
        ],
    ),
    (
        Wmma,
        &[
            (
                "6.0",
                "load a|b sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f16",
                "d8:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load a sync aligned row|col m16n16k16 global|shared|shared::cta@7.8? bf16",
                "d4:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load b sync aligned row|col m16n16k16 global|shared|shared::cta@7.8? bf16",
                "d4:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load a sync aligned row|col m32n8k16 global|shared|shared::cta@7.8? bf16",
                "d8:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load b sync aligned row|col m32n8k16 global|shared|shared::cta@7.8? bf16",
                "d2:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load a sync aligned row|col m8n32k16 global|shared|shared::cta@7.8? bf16",
                "d2:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load b sync aligned row|col m8n32k16 global|shared|shared::cta@7.8? bf16",
                "d8:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load a sync aligned row|col m16n16k8 global|shared|shared::cta@7.8? tf32",
                "d4:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load b sync aligned row|col m16n16k8 global|shared|shared::cta@7.8? tf32",
                "d4:b32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load a sync aligned row|col m8n8k4 global|shared|shared::cta@7.8? f64",
                "d1:f64, m, a:u32?",
            ),
            (
                "7.0:80",
                "load b sync aligned row|col m8n8k4 global|shared|shared::cta@7.8? f64",
                "d1:f64, m, a:u32?",
            ),
            (
                "6.3",
                "load a sync aligned row|col m16n16k16 global|shared|shared::cta@7.8? u8|s8",
                "d2:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load b sync aligned row|col m16n16k16 global|shared|shared::cta@7.8? u8|s8",
                "d2:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load a sync aligned row|col m32n8k16 global|shared|shared::cta@7.8? u8|s8",
                "d4:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load b sync aligned row|col m32n8k16 global|shared|shared::cta@7.8? u8|s8",
                "d1:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load a sync aligned row|col m8n32k16 global|shared|shared::cta@7.8? u8|s8",
                "d1:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load b sync aligned row|col m8n32k16 global|shared|shared::cta@7.8? u8|s8",
                "d4:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load a sync aligned row m8n8k32 global|shared|shared::cta@7.8? u4|s4",
                "d1:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load a sync aligned row m8n8k128 global|shared|shared::cta@7.8? b1",
                "d1:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load b sync aligned col m8n8k32 global|shared|shared::cta@7.8? u4|s4",
                "d1:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load b sync aligned col m8n8k128 global|shared|shared::cta@7.8? b1",
                "d1:b32, m, a:u32?",
            ),
            (
                "6.0",
                "load c sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1|m16n16k8@7.0:80 global|shared|shared::cta@7.8? f32",
                "d8:f32, m, a:u32?",
            ),
            (
                "6.0",
                "load c sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f16",
                "d4:b32, m, a:u32?",
            ),
            (
                "6.3",
                "load c sync aligned row|col m16n16k16|m32n8k16|m8n32k16 global|shared|shared::cta@7.8? s32",
                "d8:s32, m, a:u32?",
            ),
            (
                "6.3",
                "load c sync aligned row|col m8n8k32|m8n8k128 global|shared|shared::cta@7.8? s32",
                "d2:s32, m, a:u32?",
            ),
            (
                "7.0:80",
                "load c sync aligned row|col m8n8k4 global|shared|shared::cta@7.8? f64",
                "d2:f64, m, a:u32?",
            ),
            (
                "6.0",
                "store d sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1|m16n16k8@7.0:80 global|shared|shared::cta@7.8? f32",
                "m, a8:f32, a:u32?",
            ),
            (
                "6.0",
                "store d sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f16",
                "m, a4:b32, a:u32?",
            ),
            (
                "6.3",
                "store d sync aligned row|col m16n16k16|m32n8k16|m8n32k16 global|shared|shared::cta@7.8? s32",
                "m, a8:s32, a:u32?",
            ),
            (
                "6.3",
                "store d sync aligned row|col m8n8k32|m8n8k128 global|shared|shared::cta@7.8? s32",
                "m, a2:s32, a:u32?",
            ),
            (
                "7.0:80",
                "store d sync aligned row|col m8n8k4 global|shared|shared::cta@7.8? f64",
                "m, a2:f64, a:u32?",
            ),
            (
                "6.0",
                "mma sync aligned row|col row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 f32 f32",
                "d8:f32, a8:b32, a8:b32, a8:f32",
            ),
            (
                "6.0",
                "mma sync aligned row|col row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 f32 f16",
                "d8:f32, a8:b32, a8:b32, a4:b32",
            ),
            (
                "6.0",
                "mma sync aligned row|col row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 f16 f32",
                "d4:b32, a8:b32, a8:b32, a8:f32",
            ),
            (
                "6.0",
                "mma sync aligned row|col row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 f16 f16",
                "d4:b32, a8:b32, a8:b32, a4:b32",
            ),
            (
                "7.0:80",
                "mma sync aligned row|col row|col m16n16k16 f32 bf16 bf16 f32",
                "d8:f32, a4:b32, a4:b32, a8:f32",
            ),
            (
                "7.0:80",
                "mma sync aligned row|col row|col m32n8k16 f32 bf16 bf16 f32",
                "d8:f32, a8:b32, a2:b32, a8:f32",
            ),
            (
                "7.0:80",
                "mma sync aligned row|col row|col m8n32k16 f32 bf16 bf16 f32",
                "d8:f32, a2:b32, a8:b32, a8:f32",
            ),
            (
                "7.0:80",
                "mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32",
                "d8:f32, a4:b32, a4:b32, a8:f32",
            ),
            (
                "7.0:80",
                "mma sync aligned row|col row|col m8n8k4 RND? f64 f64 f64 f64",
                "d2:f64, a1:f64, a1:f64, a2:f64",
            ),
            (
                "6.3",
                "mma sync aligned row|col row|col m16n16k16 s32 u8+u8|s8+s8 s32 satfinite?",
                "d8:s32, a2:b32, a2:b32, a8:s32",
            ),
            (
                "6.3",
                "mma sync aligned row|col row|col m32n8k16 s32 u8+u8|s8+s8 s32 satfinite?",
                "d8:s32, a4:b32, a1:b32, a8:s32",
            ),
            (
                "6.3",
                "mma sync aligned row|col row|col m8n32k16 s32 u8+u8|s8+s8 s32 satfinite?",
                "d8:s32, a1:b32, a4:b32, a8:s32",
            ),
            (
                "6.3",
                "mma sync aligned row col m8n8k32 s32 u4+u4|s4+s4 s32 satfinite?",
                "d2:s32, a1:b32, a1:b32, a2:s32",
            ),
            (
                "6.3",
                "mma xor popc sync aligned row col m8n8k128 s32 b1 b1 s32",
                "d2:s32, a1:b32, a1:b32, a2:s32",
            ),
            (
                "7.1:80",
                "mma and popc sync aligned row col m8n8k128 s32 b1 b1 s32",
                "d2:s32, a1:b32, a1:b32, a2:s32",
            ),
        ],
    ),
];
