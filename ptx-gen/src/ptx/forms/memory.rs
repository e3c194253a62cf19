//! Forms of memory accesses (PTX ISA, "Data Movement and Conversion", "Asynchronous copy").

use super::Table;
use crate::ptx::tree::Opcode::*;

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
                "async weak? shared::cluster? mbarrier::complete_tx::bytes v2|v4 b32|u32|s32|f32",
                "m, av, m",
            ),
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
            // The orders that nvcc writes.
            ("6.0", "STRONG SCOPE add+ADDABLE|min+SIGNED|max+SIGNED|inc+u32|dec+u32", "d, m, a"),
            ("6.0", "STRONG SCOPE and+ANYBITS|or+ANYBITS|xor+ANYBITS|exch+ANYBITS", "d, m, a"),
            ("6.0", "STRONG SCOPE cas ANYBITS|b16@6.3", "d, m, a, a"),
            ("6.0", "STRONG? add SEM SCOPE? ADDABLE", "d, m, a"),
            ("6.0", "STRONG? min|max SEM SCOPE? SIGNED", "d, m, a"),
            ("6.0", "STRONG? inc|dec SEM SCOPE? u32", "d, m, a"),
            ("6.0", "STRONG? and|or|xor|exch SEM SCOPE? ANYBITS", "d, m, a"),
            ("6.0", "STRONG? cas SEM SCOPE? ANYBITS|b16@6.3", "d, m, a, a"),
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
            ("6.0", "STRONG SCOPE add+ADDABLE|min+SIGNED|max+SIGNED|inc+u32|dec+u32", "m, a"),
            ("6.0", "STRONG SCOPE and+ANYBITS|or+ANYBITS|xor+ANYBITS", "m, a"),
            ("6.0", "STRONG? add RSEM SCOPE? ADDABLE", "m, a"),
            ("6.0", "STRONG? min|max RSEM SCOPE? SIGNED", "m, a"),
            ("6.0", "STRONG? inc|dec RSEM SCOPE? u32", "m, a"),
            ("6.0", "STRONG? and|or|xor RSEM SCOPE? ANYBITS", "m, a"),
            ("6.2", "RSEM? SCOPE? STRONG? add noftz f16x2|f16@6.3", "m, a"),
            ("7.8:90", "RSEM? SCOPE? STRONG? add noftz bf16|bf16x2", "m, a"),
            ("8.1:90", "RSEM? SCOPE? global? add v2+f32|v4+f32", "m, av"),
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
            ("7.0:80", "async commit_group", ""),
            ("7.0:80", "async wait_group", "i:u32"),
            ("7.0:80", "async wait_all", ""),
            ("7.0:80", "async mbarrier arrive noinc? shared|shared::cta@7.8? b64", "m"),
            (
                "8.0:90",
                "async bulk shared::cluster|shared::cta@8.6 global mbarrier::complete_tx::bytes",
                "m, m, a:u32, m",
            ),
            (
                "8.0:90",
                "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes",
                "m, m, a:u32, m",
            ),
            ("8.0:90", "async bulk global shared::cta bulk_group L2::cache_hint?", "m, m, a:u32, h"),
            (
                "8.0:90",
                "async bulk tensor DIM shared::cluster|shared::cta@8.6 global tile? mbarrier::complete_tx::bytes L2::cache_hint?",
                "m, t, m, h",
            ),
            (
                "8.0:90",
                "async bulk tensor DIM shared::cluster global tile? mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint?",
                "m, t, m, r:b16, h",
            ),
            (
                "8.0:90",
                "async bulk tensor DIM global shared::cta tile? bulk_group L2::cache_hint?",
                "t, m, h",
            ),
            ("8.0:90", "async bulk prefetch tensor DIM L2 global tile? L2::cache_hint?", "t, h"),
            (
                "8.0:90",
                "reduce async bulk tensor DIM global shared::cta add|min|max|inc|dec|and|or|xor tile? bulk_group L2::cache_hint?",
                "t, m, h",
            ),
            ("8.0:90", "async bulk commit_group", ""),
            ("8.0:90", "async bulk wait_group read?", "i:u32"),
            ("8.0:90", "async bulk prefetch L2 global L2::cache_hint?", "m, a:u32, h"),
        ],
    ),
];
