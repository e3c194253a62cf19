//! Forms of memory accesses (PTX ISA, "Data Movement and Conversion", "Asynchronous copy").

use super::Table;
use crate::tree::Opcode::*;

pub(super) const ROWS: Table = &[
    (
        Ld,
        &[
            (
                "1.0",
                "weak@6.0? const|global|local|param|param::entry@8.3|param::func@8.3|SHARED? ca|cg|cs|lu|cv? L2::cache_hint@7.4:80? \
             FETCH@7.4? ACCESS",
                "dv+, m, h",
            ),
            ("7.4", "weak? global? EVICT1? L2::cache_hint@7.4:80? FETCH? ACCESS", "dv+, m, h"),
            (
                "8.8:100",
                "weak? global EVICT1? EVICT2? L2::cache_hint? FETCH? v8+WORD32|v4+WORD64",
                "dv+, m, h",
            ),
            ("1.1", "volatile STRONG? FETCH@7.4? ACCESS", "dv+, m"),
            (
                "6.0",
                "relaxed|acquire SCOPE STRONG? EVICT1@7.4? L2::cache_hint@7.4:80? FETCH@7.4? ACCESS",
                "dv+, m, h",
            ),
            ("8.2", "mmio relaxed sys global? SCALAR", "d+, m"),
            // Through the non-coherent cache.
            ("3.1", "global ca|cg|cs? nc L2::cache_hint@7.4:80? FETCH@7.4? ACCESS", "dv+, m, h"),
            ("7.4", "global nc EVICT1? L2::cache_hint@7.4:80? FETCH? ACCESS", "dv+, m, h"),
            ("8.8:100", "global nc EVICT1? EVICT2? L2::cache_hint? FETCH? v8+WORD32|v4+WORD64", "dv+, m, h"),
        ],
    ),
    (Ldu, &[("2.0", "global? ACCESS", "dv+, m")]),
    (
        St,
        &[
            (
                "1.0",
                "weak@6.0? global|local|param|param::func@8.3|SHARED? wb|cg|cs|wt? L2::cache_hint@7.4:80? ACCESS",
                "m, av+, h",
            ),
            ("7.4", "weak? global? EVICT1? L2::cache_hint@7.4:80? ACCESS", "m, av+, h"),
            ("8.8:100", "weak? global EVICT1? EVICT2? L2::cache_hint? v8+WORD32|v4+WORD64", "m, av+, h"),
            ("1.1", "volatile STRONG? ACCESS", "m, av+"),
            ("6.0", "relaxed|release SCOPE STRONG? EVICT1@7.4? L2::cache_hint@7.4:80? ACCESS", "m, av+, h"),
            ("8.2", "mmio relaxed sys global? SCALAR", "m, a+"),
            (
                "8.1:90",
                "async weak? shared::cluster? mbarrier::complete_tx::bytes b32|u32|s32|f32|b64|u64|s64|f64",
                "m, a, m",
            ),
            (
                "8.1:90",
                "async weak? shared::cluster? mbarrier::complete_tx::bytes v2+WORD32|v4+WORD32|v2+WORD64",
                "m, av, m",
            ),
            ("8.7:100", "async mmio release gpu|sys global? SCALAR", "m, a"),
            ("8.6:100", "bulk weak? shared::cta?", "m, a:u64, i:u64"),
        ],
    ),
    (
        Prefetch,
        &[
            ("2.0", "global|local? L1|L2", "m"),
            ("7.4:80", "global L2::evict_last|L2::evict_normal", "m"),
            ("8.0:90", "const|param? tensormap", "m"),
        ],
    ),
    (Prefetchu, &[("2.0", "L1", "m")]),
    (Applypriority, &[("7.4:80", "global? L2::evict_normal", "m, i:u64")]),
    (Discard, &[("7.4:80", "global? L2", "m, i:u64")]),
    (
        Createpolicy,
        &[
            (
                "7.4:80",
                "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? \
             b64",
                "d, a:f32?",
            ),
            (
                "7.4:80",
                "range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged \
             L2::evict_first|L2::evict_unchanged? b64",
                "d, m, a:u32, a:u32",
            ),
        ],
    ),
    (
        Atom,
        &[
            ("1.1", "SEM? SCOPE@6.0? STRONG? add L2::cache_hint@7.4:80? ADDABLE", "d, m, a, h"),
            ("1.1", "SEM? SCOPE@6.0? STRONG? min|max L2::cache_hint@7.4:80? SIGNED", "d, m, a, h"),
            ("1.1", "SEM? SCOPE@6.0? STRONG? inc|dec L2::cache_hint@7.4:80? u32", "d, m, a, h"),
            ("1.1", "SEM? SCOPE@6.0? STRONG? and|or|xor L2::cache_hint@7.4:80? ANYBITS", "d, m, a, h"),
            ("1.1", "SEM? SCOPE@6.0? STRONG? exch L2::cache_hint@7.4:80? ANYBITS|b128@8.3:90", "d, m, a, h"),
            ("1.1", "SEM? SCOPE@6.0? STRONG? cas ANYBITS|b16@6.3|b128@8.3:90", "d, m, a, a"),
            // Pairs and vectors.
            ("6.2", "SEM? SCOPE? STRONG? add noftz f16x2|f16@6.3", "d, m, a"),
            ("7.8:90", "SEM? SCOPE? STRONG? add noftz bf16|bf16x2", "d, m, a"),
            ("8.1:90", "SEM? SCOPE? global? add v2+f32|v4+f32", "dv, m, av"),
        ],
    ),
    (
        Red,
        &[
            ("1.2", "RSEM? SCOPE@6.0? STRONG? add L2::cache_hint@7.4:80? ADDABLE", "m, a, h"),
            ("1.2", "RSEM? SCOPE@6.0? STRONG? min|max L2::cache_hint@7.4:80? SIGNED", "m, a, h"),
            ("1.2", "RSEM? SCOPE@6.0? STRONG? inc|dec L2::cache_hint@7.4:80? u32", "m, a, h"),
            ("1.2", "RSEM? SCOPE@6.0? STRONG? and|or|xor L2::cache_hint@7.4:80? ANYBITS", "m, a, h"),
            ("6.2", "RSEM? SCOPE? STRONG? add noftz f16x2|f16@6.3", "m, a"),
            ("7.8:90", "RSEM? SCOPE? STRONG? add noftz bf16|bf16x2", "m, a"),
            ("8.1:90", "RSEM? SCOPE? global? add v2+f32|v4+f32", "m, av"),
            (
                "8.1:90",
                "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes INT_REDUCTION|add+s64",
                "m, a, m",
            ),
            ("8.7:100", "async mmio release gpu|sys global? INT_REDUCTION|add+s64", "m, a"),
        ],
    ),
    (
        Multimem,
        &[
            ("8.1:90", "ld_reduce weak|MULTI_LOAD? global? SCALAR_REDUCTION", "d, m"),
            ("8.1:90", "ld_reduce weak|MULTI_LOAD? global? add v2+f32|v4+f32", "dv, m"),
            ("8.1:90", "ld_reduce weak|MULTI_LOAD? global? min|max f16x2|bf16x2", "d, m"),
            ("8.1:90", "ld_reduce weak|MULTI_LOAD? global? add acc::f32@8.2? f16x2|bf16x2", "d, m"),
            ("8.1:90", "ld_reduce weak|MULTI_LOAD? global? min|max HALVES", "dv, m"),
            ("8.1:90", "ld_reduce weak|MULTI_LOAD? global? add acc::f32@8.2? HALVES", "dv, m"),
            ("8.6:100f|110f", "ld_reduce weak|MULTI_LOAD? global? min|max e4m3x4|e5m2x4", "d, m"),
            ("8.6:100f|110f", "ld_reduce weak|MULTI_LOAD? global? add acc::f16? e4m3x4|e5m2x4", "d, m"),
            ("8.6:100f|110f", "ld_reduce weak|MULTI_LOAD? global? min|max BYTES", "dv, m"),
            ("8.6:100f|110f", "ld_reduce weak|MULTI_LOAD? global? add acc::f16? BYTES", "dv, m"),
            ("8.1:90", "st weak|MULTI_STORE? global? WORD32|WORD64|f16x2|bf16x2", "m, a"),
            ("8.1:90", "st weak|MULTI_STORE? global? v2+f32|v4+f32|HALVES", "m, av"),
            ("8.6:100f|110f", "st weak|MULTI_STORE? global? e4m3x4|e5m2x4", "m, a"),
            ("8.6:100f|110f", "st weak|MULTI_STORE? global? BYTES", "m, av"),
            ("8.1:90", "red MULTI_STORE? global? SCALAR_REDUCTION|add+f16x2|add+bf16x2", "m, a"),
            (
                "8.1:90",
                "red MULTI_STORE? global? add+v2+f32|add+v4+f32|add+HALVES|min+HALVES|max+HALVES",
                "m, av",
            ),
        ],
    ),
    (
        Tensormap,
        &[
            (
                "8.3:90a|100f|110f|120f",
                "replace tile global_address global|shared::cta? b1024 b64",
                "m, a:b64",
            ),
            ("8.3:90a|100f|110f|120f", "replace tile rank global|shared::cta? b1024 b32", "m, a:b32"),
            (
                "8.3:90a|100f|110f|120f",
                "replace tile box_dim|global_dim|element_stride global|shared::cta? b1024 b32",
                "m, i:u32, a:b32",
            ),
            (
                "8.3:90a|100f|110f|120f",
                "replace tile global_stride global|shared::cta? b1024 b64",
                "m, i:u32, a:b64",
            ),
            (
                "8.3:90a|100f|110f|120f",
                "replace tile elemtype|interleave_layout|swizzle_mode|fill_mode|swizzle_atomicity@8.6:100f|110f|120f global|shared::cta? b1024 b32",
                "m, i:u32",
            ),
            (
                "8.3:90",
                "cp_fenceproxy global shared::cta tensormap::generic release cta|cluster|gpu|sys sync aligned",
                "m, m, i:u32",
            ),
        ],
    ),
    (
        Cp,
        &[
            (
                "7.0:80",
                "async ca|cg shared|shared::cta@7.8 global L2::cache_hint@7.4? FETCH@7.4?",
                "m, m, i:u32, a:u32?, h",
            ),
            (
                "7.5:80",
                "async ca|cg shared|shared::cta@7.8 global L2::cache_hint? FETCH?",
                "m, m, i:u32, p, h",
            ),
            ("7.0:80", "async commit_group", ""),
            ("7.0:80", "async wait_group", "i:u32"),
            ("7.0:80", "async wait_all", ""),
            ("7.0:80", "async mbarrier arrive noinc? shared|shared::cta@7.8? b64", "m"),
            (
                "8.0:90",
                "async bulk shared::cluster|shared::cta@8.6 global mbarrier::complete_tx::bytes L2::cache_hint?",
                "m, m, a:u32, m, h",
            ),
            (
                "8.0:90",
                "async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint?",
                "m, m, a:u32, m, a:b16, h",
            ),
            (
                "8.0:90",
                "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes",
                "m, m, a:u32, m",
            ),
            ("8.0:90", "async bulk global shared::cta bulk_group L2::cache_hint?", "m, m, a:u32, h"),
            (
                "8.6:100",
                "async bulk global shared::cta bulk_group L2::cache_hint? cp_mask",
                "m, m, a:u32, h, a:b16",
            ),
            (
                "8.0:90",
                "async bulk tensor DIM shared::cluster|shared::cta@8.6 global tile? mbarrier::complete_tx::bytes CTA_GROUP? L2::cache_hint?",
                "m, t, m, h",
            ),
            (
                "8.0:90",
                "async bulk tensor DIM shared::cluster global tile? mbarrier::complete_tx::bytes multicast::cluster CTA_GROUP? L2::cache_hint?",
                "m, t, m, r:b16, h",
            ),
            (
                "8.0:90",
                "async bulk tensor IMDIM shared::cluster|shared::cta@8.6 global im2col mbarrier::complete_tx::bytes CTA_GROUP? L2::cache_hint?",
                "m, t, m, o, h",
            ),
            (
                "8.0:90",
                "async bulk tensor IMDIM shared::cluster global im2col mbarrier::complete_tx::bytes multicast::cluster CTA_GROUP? L2::cache_hint?",
                "m, t, m, o, r:b16, h",
            ),
            (
                "8.6:100",
                "async bulk tensor IMDIM shared::cta global im2col::w|im2col::w::128@8.6:100f|110f mbarrier::complete_tx::bytes CTA_GROUP? L2::cache_hint?",
                "m, t, m, o, h",
            ),
            (
                "8.6:100f|110f",
                "async bulk tensor IMDIM shared::cluster global im2col::w|im2col::w::128 mbarrier::complete_tx::bytes cta_group::1|cta_group::2? L2::cache_hint?",
                "m, t, m, o, h",
            ),
            (
                "8.6:100f|110f",
                "async bulk tensor IMDIM shared::cluster global im2col::w|im2col::w::128 mbarrier::complete_tx::bytes multicast::cluster cta_group::1|cta_group::2? L2::cache_hint?",
                "m, t, m, o, r:b16, h",
            ),
            (
                "8.6:100",
                "async bulk tensor 2d shared::cta global tile::gather4 mbarrier::complete_tx::bytes CTA_GROUP? L2::cache_hint?",
                "m, t, m, h",
            ),
            (
                "8.6:100f|110f",
                "async bulk tensor 2d shared::cluster global tile::gather4 mbarrier::complete_tx::bytes cta_group::1|cta_group::2? L2::cache_hint?",
                "m, t, m, h",
            ),
            (
                "8.6:100f|110f",
                "async bulk tensor 2d shared::cluster global tile::gather4 mbarrier::complete_tx::bytes multicast::cluster cta_group::1|cta_group::2? L2::cache_hint?",
                "m, t, m, r:b16, h",
            ),
            (
                "8.0:90",
                "async bulk tensor DIM global shared::cta tile? bulk_group L2::cache_hint?",
                "t, m, h",
            ),
            (
                "8.0:90",
                "async bulk tensor IMDIM global shared::cta im2col_no_offs bulk_group L2::cache_hint?",
                "t, m, h",
            ),
            (
                "8.6:100f|110f",
                "async bulk tensor 2d global shared::cta tile::scatter4 bulk_group L2::cache_hint?",
                "t, m, h",
            ),
            ("8.0:90", "async bulk prefetch tensor DIM L2 global tile? L2::cache_hint?", "t, h"),
            ("8.0:90", "async bulk prefetch tensor IMDIM L2 global im2col L2::cache_hint?", "t, o, h"),
            (
                "8.6:100f|110f",
                "async bulk prefetch tensor IMDIM L2 global im2col::w|im2col::w::128 L2::cache_hint?",
                "t, o, h",
            ),
            (
                "8.6:100f|110f",
                "async bulk prefetch tensor 2d L2 global tile::gather4 L2::cache_hint?",
                "t, h",
            ),
            (
                "8.0:90",
                "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes INT_REDUCTION",
                "m, m, a:u32, m",
            ),
            (
                "8.0:90",
                "reduce async bulk global shared::cta bulk_group L2::cache_hint? and|or|xor b32|b64",
                "m, m, a:u32, h",
            ),
            (
                "8.0:90",
                "reduce async bulk global shared::cta bulk_group L2::cache_hint? inc+u32|dec+u32|add+u32|add+s32|add+u64|add+f32|add+f64|add+noftz+f16|add+noftz+bf16",
                "m, m, a:u32, h",
            ),
            (
                "8.0:90",
                "reduce async bulk global shared::cta bulk_group L2::cache_hint? min|max SIGNED|f16|bf16",
                "m, m, a:u32, h",
            ),
            (
                "8.0:90",
                "reduce async bulk tensor DIM global shared::cta add|min|max|inc|dec|and|or|xor tile? bulk_group L2::cache_hint?",
                "t, m, h",
            ),
            (
                "8.0:90",
                "reduce async bulk tensor IMDIM global shared::cta add|min|max|inc|dec|and|or|xor im2col_no_offs bulk_group L2::cache_hint?",
                "t, m, h",
            ),
            ("8.0:90", "async bulk commit_group", ""),
            ("8.0:90", "async bulk wait_group read?", "i:u32"),
            ("8.0:90", "async bulk prefetch L2 global L2::cache_hint?", "m, a:u32, h"),
        ],
    ),
];
