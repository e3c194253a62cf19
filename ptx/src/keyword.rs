//! The words after an opcode that are neither types nor state spaces.

use super::vocabulary::vocabulary;

vocabulary! {
    /// A word after an opcode that is neither a type, a state space nor the shape of a matrix.
    Keyword {
        // Rounding, saturation, approximation.
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
        Approx = "approx", Full = "full", Ftz = "ftz", Sat = "sat", Nan = "NaN",
        Rna = "rna", Rs = "rs", Relu = "relu", Satfinite = "satfinite", Xorsign = "xorsign", Abs = "abs",
        Noftz = "noftz", Oob = "oob", Pack = "pack",
        // Halves and widths of products; `lo` and `hi` are comparisons as well.
        Lo = "lo", Hi = "hi", Wide = "wide",
        // Comparisons.
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Ls = "ls", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num", Unordered = "nan",
        // Carries, clamps and the modes of `shf`, `bfind`, `bmsk`, `prmt` and the video instructions.
        Cc = "cc", Clamp = "clamp", Wrap = "wrap", L = "l", R = "r", Shiftamt = "shiftamt", F4e = "f4e", B4e = "b4e",
        Rc8 = "rc8", Rc16 = "rc16", Ecl = "ecl", Ecr = "ecr", Shr7 = "shr7", Shr15 = "shr15", Po = "po",
        // Classes of `testp`.
        Finite = "finite", Infinite = "infinite", Number = "number", Notanumber = "notanumber", Normal = "normal",
        Subnormal = "subnormal",
        // Boolean and atomic operations.
        And = "and", Or = "or", Xor = "xor", Add = "add", Min = "min", Max = "max", Inc = "inc", Dec = "dec",
        Exch = "exch", Cas = "cas",
        // Warp and block collectives.
        Sync = "sync", Up = "up", Down = "down", Bfly = "bfly", Idx = "idx", Ballot = "ballot", Any = "any",
        All = "all", Uni = "uni", Aligned = "aligned", Warp = "warp", Arrive = "arrive", Red = "red", Popc = "popc",
        Wait = "wait",
        // Memory accesses.
        To = "to", Nc = "nc", Volatile = "volatile", Relaxed = "relaxed", Acquire = "acquire", Release = "release",
        Cta = "cta", Gpu = "gpu", Sys = "sys", V2 = "v2", V4 = "v4", Cluster = "cluster", Gl = "gl", Weak = "weak",
        Mmio = "mmio", Sc = "sc", AcqRel = "acq_rel", V8 = "v8", Noinc = "noinc",
        // Cache operators, levels, priorities and prefetch sizes.
        Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt", L1 = "L1", L2 = "L2",
        L1EvictNormal = "L1::evict_normal", L1EvictUnchanged = "L1::evict_unchanged",
        L1EvictFirst = "L1::evict_first", L1EvictLast = "L1::evict_last", L1NoAllocate = "L1::no_allocate",
        L2EvictNormal = "L2::evict_normal", L2EvictUnchanged = "L2::evict_unchanged",
        L2EvictFirst = "L2::evict_first", L2EvictLast = "L2::evict_last", L2CacheHint = "L2::cache_hint",
        L264B = "L2::64B", L2128B = "L2::128B", L2256B = "L2::256B",
        Fractional = "fractional", Range = "range", Cvt = "cvt",
        // Fences and proxies.
        Proxy = "proxy", Alias = "alias", Async = "async", Generic = "generic", Tensormap = "tensormap",
        TensormapGeneric = "tensormap::generic", AsyncGeneric = "async::generic", MbarrierInit = "mbarrier_init",
        SyncRestrictSharedCta = "sync_restrict::shared::cta",
        SyncRestrictSharedCluster = "sync_restrict::shared::cluster",
        // Asynchronous copies and the barriers that they complete on.
        CommitGroup = "commit_group", WaitGroup = "wait_group", WaitAll = "wait_all", Bulk = "bulk",
        BulkGroup = "bulk_group", Tensor = "tensor", Reduce = "reduce", Read = "read", Prefetch = "prefetch",
        CpMask = "cp_mask", IgnoreOob = "ignore_oob", Tile = "tile", TileGather4 = "tile::gather4",
        TileScatter4 = "tile::scatter4", Im2col = "im2col", Im2colW = "im2col::w", Im2colW128 = "im2col::w::128",
        Im2colNoOffs = "im2col_no_offs", MulticastCluster = "multicast::cluster",
        MulticastClusterAll = "multicast::cluster::all",
        Mbarrier = "mbarrier", MbarrierCompleteTxBytes = "mbarrier::complete_tx::bytes",
        MbarrierArriveOne = "mbarrier::arrive::one", Init = "init", Inval = "inval", ExpectTx = "expect_tx",
        CompleteTx = "complete_tx", ArriveDrop = "arrive_drop", TestWait = "test_wait", TryWait = "try_wait",
        Parity = "parity", PendingCount = "pending_count", NoComplete = "noComplete",
        // Tensor maps.
        Replace = "replace", GlobalAddress = "global_address", Rank = "rank", BoxDim = "box_dim",
        GlobalDim = "global_dim", GlobalStride = "global_stride", ElementStride = "element_stride",
        Elemtype = "elemtype", InterleaveLayout = "interleave_layout", SwizzleMode = "swizzle_mode",
        SwizzleAtomicity = "swizzle_atomicity", FillMode = "fill_mode", CpFenceproxy = "cp_fenceproxy",
        B1024 = "b1024",
        // Clusters and dependent grids.
        TryCancel = "try_cancel", QueryCancel = "query_cancel", IsCanceled = "is_canceled",
        GetFirstCtaid = "get_first_ctaid", GetFirstCtaidX = "get_first_ctaid::x",
        GetFirstCtaidY = "get_first_ctaid::y", GetFirstCtaidZ = "get_first_ctaid::z",
        LaunchDependents = "launch_dependents", Mask = "mask",
        // Matrix fragments.
        A = "a", B = "b", C = "c", D = "d", Row = "row", Col = "col", Trans = "trans", Load = "load", Store = "store",
        Mma = "mma", Sp = "sp", SpOrderedMetadata = "sp::ordered_metadata", MmaAsync = "mma_async",
        X1 = "x1", X2 = "x2", X4 = "x4", X8 = "x8", X16 = "x16", X32 = "x32", X64 = "x64", X128 = "x128",
        M8n8 = "m8n8", M8n16 = "m8n16", M16n8 = "m16n8", M16n16 = "m16n16",
        B8x16 = "b8x16", B4x16P64 = "b4x16_p64", B6x16P32 = "b6x16_p32", B6p2x16 = "b6p2x16",
        LdReduce = "ld_reduce", Ld = "ld", St = "st", AccF32 = "acc::f32", AccF16 = "acc::f16",
        // `tcgen05` and block-scaled products.
        Alloc = "alloc", Dealloc = "dealloc", RelinquishAllocPermit = "relinquish_alloc_permit", Cp = "cp",
        Shift = "shift", Ws = "ws", Commit = "commit", Fence = "fence", WaitLd = "wait::ld", WaitSt = "wait::st",
        FenceBeforeThreadSync = "fence::before_thread_sync", FenceAfterThreadSync = "fence::after_thread_sync",
        CtaGroup1 = "cta_group::1", CtaGroup2 = "cta_group::2", Ashift = "ashift",
        KindF16 = "kind::f16", KindTf32 = "kind::tf32", KindF8f6f4 = "kind::f8f6f4", KindI8 = "kind::i8",
        KindMxf8f6f4 = "kind::mxf8f6f4", KindMxf4 = "kind::mxf4", KindMxf4nvf4 = "kind::mxf4nvf4",
        BlockScale = "block_scale", Block16 = "block16", Block32 = "block32",
        ScaleVec1X = "scale_vec::1X", ScaleVec2X = "scale_vec::2X", ScaleVec4X = "scale_vec::4X",
        CollectorAFill = "collector::a::fill", CollectorAUse = "collector::a::use",
        CollectorALastuse = "collector::a::lastuse", CollectorADiscard = "collector::a::discard",
        CollectorB0Fill = "collector::b0::fill", CollectorB0Use = "collector::b0::use",
        CollectorB0Lastuse = "collector::b0::lastuse", CollectorB0Discard = "collector::b0::discard",
        CollectorB1Fill = "collector::b1::fill", CollectorB1Use = "collector::b1::use",
        CollectorB1Lastuse = "collector::b1::lastuse", CollectorB1Discard = "collector::b1::discard",
        CollectorB2Fill = "collector::b2::fill", CollectorB2Use = "collector::b2::use",
        CollectorB2Lastuse = "collector::b2::lastuse", CollectorB2Discard = "collector::b2::discard",
        CollectorB3Fill = "collector::b3::fill", CollectorB3Use = "collector::b3::use",
        CollectorB3Lastuse = "collector::b3::lastuse", CollectorB3Discard = "collector::b3::discard",
        Pack16b = "pack::16b", Unpack16b = "unpack::16b", Warpx2X0213 = "warpx2::02_13",
        Warpx2X0123 = "warpx2::01_23", Warpx4 = "warpx4",
        Lanes16x64b = "16x64b", Lanes16x128b = "16x128b", Lanes16x256b = "16x256b", Lanes32x32b = "32x32b",
        Lanes16x32bx2 = "16x32bx2", Lanes128x256b = "128x256b", Lanes4x256b = "4x256b", Lanes128x128b = "128x128b",
        Lanes64x128b = "64x128b", Lanes32x128b = "32x128b",
        // Textures and surfaces.
        Dim1d = "1d", Dim2d = "2d", Dim3d = "3d", Dim4d = "4d", Dim5d = "5d", A1d = "a1d", A2d = "a2d",
        Cube = "cube", Acube = "acube", Ms2d = "2dms", A2dms = "a2dms", Base = "base", Level = "level", Grad = "grad",
        G = "g", P = "p", Trap = "trap", Zero = "zero", Width = "width", Height = "height", Depth = "depth",
        ChannelDataType = "channel_data_type", ChannelOrder = "channel_order",
        NormalizedCoords = "normalized_coords", ForceUnnormalizedCoords = "force_unnormalized_coords",
        FilterMode = "filter_mode", AddrMode0 = "addr_mode_0", AddrMode1 = "addr_mode_1",
        AddrMode2 = "addr_mode_2", ArraySize = "array_size", NumMipmapLevels = "num_mipmap_levels",
        NumSamples = "num_samples", MemoryLayout = "memory_layout",
    }
}
