//! Through which caches an access goes, and what stays in them (PTX ISA, "Cache Operators", "Cache Eviction Priority Hints").

use kernel_abi::mnemonics;

mnemonics! {
    /// Cache operator or L1 eviction priority of an access (PTX ISA, "Cache Operators"). The values read and written don't depend on it.
    CacheOp {
        /// The hardware's default.
        Normal = "normal",
        /// Loads: in all caches.
        Ca = "ca",
        /// Loads and stores: in L2 only.
        Cg = "cg",
        /// Loads and stores: likely once only, so it goes first.
        Cs = "cs",
        /// Loads: for the last time.
        Lu = "lu",
        /// Loads: fetched anew each time.
        Cv = "cv",
        /// Stores: to all caches, written back later.
        Wb = "wb",
        /// Stores: through L2 to memory.
        Wt = "wt",
        /// Leaves the line's priority in L1 as it is.
        EvictUnchanged = "evict_unchanged",
        /// First to leave L1.
        EvictFirst = "evict_first",
        /// Last to leave L1.
        EvictLast = "evict_last",
        /// Not put into L1.
        NoAllocate = "no_allocate",
    }
}

mnemonics! {
    /// L2 prefetch size: bytes around the address that a load may bring into L2.
    Fetch {
        /// The hardware's default.
        Normal = "fetch_normal",
        /// 64 bytes.
        B64 = "fetch_64",
        /// 128 bytes.
        B128 = "fetch_128",
        /// 256 bytes.
        B256 = "fetch_256",
    }
}

/// Cache hints of an access. They count for global memory, and for generic addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheHints {
    /// The cache operator or eviction priority.
    pub op: CacheOp,
    /// Of loads: the L2 prefetch size.
    pub fetch: Fetch,
}

impl CacheHints {
    /// None.
    pub const NORMAL: CacheHints = CacheHints { op: CacheOp::Normal, fetch: Fetch::Normal };

    /// Returns true if a load can have these hints.
    pub const fn is_for_loads(self) -> bool {
        !matches!(self.op, CacheOp::Wb | CacheOp::Wt)
    }

    /// Returns true if a store can have these hints.
    pub const fn is_for_stores(self) -> bool {
        !matches!(self.op, CacheOp::Ca | CacheOp::Lu | CacheOp::Cv) && matches!(self.fetch, Fetch::Normal)
    }

    /// Returns true if every such load must read memory, even where its value is known.
    pub const fn is_volatile(self) -> bool {
        matches!(self.op, CacheOp::Cv)
    }
}

impl Default for CacheHints {
    fn default() -> CacheHints {
        CacheHints::NORMAL
    }
}

/// ` cs fetch_256`: the words that are not usual, each after a space.
impl std::fmt::Display for CacheHints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.op != CacheOp::Normal {
            write!(f, " {}", self.op)?;
        }
        if self.fetch != Fetch::Normal {
            write!(f, " {}", self.fetch)?;
        }
        Ok(())
    }
}
