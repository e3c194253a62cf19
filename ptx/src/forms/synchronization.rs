//! Forms of barriers, fences, votes, shuffles and other collectives (PTX ISA, "Parallel Synchronization and
//! Communication").

use super::Table;
use crate::tree::Opcode::*;

pub(super) const ROWS: Table = &[
    (
        Bar,
        &[
            ("6.0", "warp sync", "a:b32"),
            ("7.8", "cta sync", "a:b32, a:b32?"),
            ("7.8", "cta arrive", "a:b32, a:b32"),
            ("7.8", "cta red popc u32", "d, a:b32, a:b32?, p"),
            ("7.8", "cta red and|or pred", "d, a:b32, a:b32?, p"),
            ("1.0", "sync", "a:b32, a:b32?"),
            ("2.0", "arrive", "a:b32, a:b32"),
            ("2.0", "red popc u32", "d, a:b32, p"),
            ("2.0", "red and|or pred", "d, a:b32, p"),
            ("2.0", "red popc u32", "d, a:b32, a:b32, p"),
            ("2.0", "red and|or pred", "d, a:b32, a:b32, p"),
        ],
    ),
    (
        Barrier,
        &[
            ("6.0", "cta@7.8? sync aligned?", "a:b32, a:b32?"),
            ("6.0", "cta@7.8? arrive aligned?", "a:b32, a:b32"),
            ("6.0", "cta@7.8? red popc aligned? u32", "d, a:b32, p"),
            ("6.0", "cta@7.8? red and|or aligned? pred", "d, a:b32, p"),
            ("6.0", "cta@7.8? red popc aligned? u32", "d, a:b32, a:b32, p"),
            ("6.0", "cta@7.8? red and|or aligned? pred", "d, a:b32, a:b32, p"),
            ("7.8:90", "cluster arrive release@8.0|relaxed@8.0? aligned?", ""),
            ("7.8:90", "cluster wait acquire@8.0? aligned?", ""),
        ],
    ),
    (Membar, &[("1.4", "cta|gl|sys", "")]),
    (
        Fence,
        &[
            ("6.0", "sc|acq_rel cta|gpu|sys|cluster@7.8:90", ""),
            ("8.6:90", "acquire|release cta|gpu|sys|cluster", ""),
            ("8.0:90", "mbarrier_init release cluster", ""),
            ("7.5:75", "proxy alias", ""),
            ("8.0:90", "proxy async", ""),
            ("8.0:90", "proxy async global|shared::cta|shared::cluster", ""),
            ("8.3:90", "proxy tensormap::generic release cta|cluster|gpu|sys", ""),
            ("8.3:90", "proxy tensormap::generic acquire cta|cluster|gpu|sys", "m, i:u32"),
            ("8.6:90", "proxy async::generic acquire sync_restrict::shared::cluster cluster", ""),
            ("8.6:90", "proxy async::generic release sync_restrict::shared::cta cluster", ""),
            ("8.6:90", "acquire sync_restrict::shared::cluster cluster", ""),
            ("8.6:90", "release sync_restrict::shared::cta cluster", ""),
        ],
    ),
    (
        Vote,
        &[
            ("6.0", "sync all|any|uni pred", "d, p, a:b32"),
            ("6.0", "sync ballot b32", "d, p, a:b32"),
            // Of the lanes that are there.
            ("1.2-6.4/70", "all|any|uni pred", "d, p"),
            ("2.0-6.4/70", "ballot b32", "d, p"),
        ],
    ),
    (
        Match,
        &[("6.0", "any sync b32|b64", "d:b32, a, a:b32"), ("6.0", "all sync b32|b64", "d|p:b32, a, a:b32")],
    ),
    (Activemask, &[("6.2", "b32", "d")]),
    (
        Redux,
        &[
            ("7.0:80", "sync add|min|max INT32", "d, a, a:b32"),
            ("7.0:80", "sync and|or|xor b32", "d, a, a:b32"),
            ("8.6:100a", "sync min|max abs? NaN? f32", "d, a, a:b32"),
        ],
    ),
    (Elect, &[("8.0:90", "sync", "dp:b32, a:b32")]),
    (
        Shfl,
        &[
            ("6.0", "sync up|down|bfly|idx b32", "d|p, a, a:b32, a:b32, a:b32"),
            // Shuffles among the active lanes.
            ("3.0-6.4/70", "up|down|bfly|idx b32", "d|p, a, a:b32, a:b32"),
        ],
    ),
    (
        Clusterlaunchcontrol,
        &[
            (
                "8.6:100",
                "try_cancel async shared::cta? mbarrier::complete_tx::bytes multicast::cluster::all@8.6:100f|110f|120f? b128",
                "m, m",
            ),
            ("8.6:100", "query_cancel is_canceled pred b128", "d:pred, r:b128"),
            ("8.6:100", "query_cancel get_first_ctaid v4 b32 b128", "dv:b32, r:b128"),
            (
                "8.6:100",
                "query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128",
                "d:b32, r:b128",
            ),
        ],
    ),
    (Griddepcontrol, &[("7.8:90", "launch_dependents|wait", "")]),
    (
        Mbarrier,
        &[
            ("7.0:80", "init MSPACE? b64", "m, a:u32"),
            ("7.0:80", "inval MSPACE? b64", "m"),
            ("8.0:90", "expect_tx|complete_tx relaxed+cta|relaxed+cluster? SHARED? b64", "m, a:u32"),
            ("7.0:80", "arrive MSPACE? b64", "d, m"),
            ("7.8:90", "arrive MSPACE? b64", "d, m, a:u32"),
            ("8.0:90", "arrive ARRIVE? MSPACE? b64", "d, m, a:u32?"),
            ("8.0:90", "arrive ARRIVE? shared::cluster b64", "_, m, a:u32?"),
            ("8.0:90", "arrive expect_tx ARRIVE? MSPACE? b64", "d, m, a:u32"),
            ("8.0:90", "arrive expect_tx ARRIVE? shared::cluster b64", "_, m, a:u32"),
            ("7.0:80", "arrive|arrive_drop noComplete MSPACE? b64", "d, m, a:u32"),
            ("7.0:80", "arrive_drop MSPACE? b64", "d, m"),
            ("7.0:80", "test_wait MSPACE? b64", "d:pred, m, r"),
            ("7.1:80", "test_wait parity MSPACE? b64", "d:pred, m, a:u32"),
            ("7.8:90", "try_wait MSPACE? b64", "d:pred, m, r, a:u32?"),
            ("7.8:90", "try_wait parity MSPACE? b64", "d:pred, m, a:u32, a:u32?"),
            ("8.0:90", "test_wait WAIT MSPACE? b64", "d:pred, m, r"),
            ("8.0:90", "test_wait parity WAIT MSPACE? b64", "d:pred, m, a:u32"),
            ("8.0:90", "try_wait WAIT MSPACE? b64", "d:pred, m, r, a:u32?"),
            ("8.0:90", "try_wait parity WAIT MSPACE? b64", "d:pred, m, a:u32, a:u32?"),
            ("7.0:80", "pending_count b64", "d:u32, r"),
        ],
    ),
];
