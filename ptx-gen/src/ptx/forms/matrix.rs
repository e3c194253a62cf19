//! Forms of operations on matrix fragments (PTX ISA, "Warp Level Matrix Instructions").

use super::Table;
use crate::ptx::tree::Opcode::*;

pub(super) const ROWS: Table = &[
    (
        Ldmatrix,
        &[
            ("6.5", "sync aligned m8n8 x1 trans? shared|shared::cta@7.8? b16", "d1:b32, m"),
            ("6.5", "sync aligned m8n8 x2 trans? shared|shared::cta@7.8? b16", "d2:b32, m"),
            ("6.5", "sync aligned m8n8 x4 trans? shared|shared::cta@7.8? b16", "d4:b32, m"),
        ],
    ),
    (
        Stmatrix,
        &[
            ("7.8:90", "sync aligned m8n8 x1 trans? shared|shared::cta? b16", "m, a1:b32"),
            ("7.8:90", "sync aligned m8n8 x2 trans? shared|shared::cta? b16", "m, a2:b32"),
            ("7.8:90", "sync aligned m8n8 x4 trans? shared|shared::cta? b16", "m, a4:b32"),
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
            ("7.0:80", "sync aligned m8n8k4 row col f64 f64 f64 f64", "d2:f64, a1:f64, a1:f64, a2:f64"),
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
        ],
    ),
    // Behind the sums: the left matrix in registers or by a descriptor, the right one by a descriptor, whether the sums are added to, the signs
    // of the matrices, and of 16-bit elements which of those in memory are transposed.
    (
        Wgmma,
        &[
            ("8.0:90a", "fence sync aligned", ""),
            ("8.0:90a", "commit_group sync aligned", ""),
            ("8.0:90a", "wait_group sync aligned", "i:u32"),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f32 f16 f16",
                "dv:f32, a:b64, a:b64, p, i:s32, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f32 f16 f16",
                "dv:f32, a4:b32, a:b64, p, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f16 f16 f16",
                "dv:b32, a:b64, a:b64, p, i:s32, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f16 f16 f16",
                "dv:b32, a4:b32, a:b64, p, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f32 bf16 bf16",
                "dv:f32, a:b64, a:b64, p, i:s32, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP16 f32 bf16 bf16",
                "dv:f32, a4:b32, a:b64, p, i:s32, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP8 f32 tf32 tf32",
                "dv:f32, a:b64, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP8 f32 tf32 tf32",
                "dv:f32, a4:b32, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f32 e4m3|e5m2 e4m3|e5m2",
                "dv:f32, a:b64, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f32 e4m3|e5m2 e4m3|e5m2",
                "dv:f32, a4:b32, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f16 e4m3|e5m2 e4m3|e5m2",
                "dv:b32, a:b64, a:b64, p, i:s32, i:s32",
            ),
            (
                "8.0:90a",
                "mma_async sync aligned GROUP32 f16 e4m3|e5m2 e4m3|e5m2",
                "dv:b32, a4:b32, a:b64, p, i:s32, i:s32",
            ),
            ("8.0:90a", "mma_async sync aligned GROUP32I satfinite? s32 s8 s8", "dv:s32, a:b64, a:b64, p"),
            ("8.0:90a", "mma_async sync aligned GROUP32I satfinite? s32 u8 u8", "dv:s32, a:b64, a:b64, p"),
            ("8.4:90a", "mma_async sync aligned GROUP32I satfinite? s32 s8 u8", "dv:s32, a:b64, a:b64, p"),
            ("8.4:90a", "mma_async sync aligned GROUP32I satfinite? s32 u8 s8", "dv:s32, a:b64, a:b64, p"),
            ("8.0:90a", "mma_async sync aligned GROUP32I satfinite? s32 s8 s8", "dv:s32, a4:b32, a:b64, p"),
            ("8.0:90a", "mma_async sync aligned GROUP32I satfinite? s32 u8 u8", "dv:s32, a4:b32, a:b64, p"),
            ("8.4:90a", "mma_async sync aligned GROUP32I satfinite? s32 s8 u8", "dv:s32, a4:b32, a:b64, p"),
            ("8.4:90a", "mma_async sync aligned GROUP32I satfinite? s32 u8 s8", "dv:s32, a4:b32, a:b64, p"),
        ],
    ),
    (Setmaxnreg, &[("8.0:90a|100a", "inc|dec sync aligned u32", "i:u32")]),
    (
        Wmma,
        &[
            (
                "6.0",
                "load a|b sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f16",
                "d8:b32, m, a:u32?",
            ),
            (
                "6.0",
                "load c sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f32",
                "d8, m, a:u32?",
            ),
            (
                "6.0",
                "load c sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f16",
                "d4:b32, m, a:u32?",
            ),
            (
                "6.0",
                "store d sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f32",
                "m, a8, a:u32?",
            ),
            (
                "6.0",
                "store d sync aligned row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 global|shared|shared::cta@7.8? f16",
                "m, a4:b32, a:u32?",
            ),
            (
                "6.0",
                "mma sync aligned row|col row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 f32 f32",
                "d8, a8:b32, a8:b32, a8:U",
            ),
            (
                "6.0",
                "mma sync aligned row|col row|col m16n16k16|m32n8k16@6.1|m8n32k16@6.1 f16 f16",
                "d4:b32, a8:b32, a8:b32, a4:b32",
            ),
        ],
    ),
];
