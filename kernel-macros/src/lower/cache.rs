//! What the functions of `device/cache.rs` say to the caches: `cache_load_cs_l2_256b` is `.cs.L2::256B` wherever its body reads.

use ptx_gen::ir::{CacheHints, CacheOp, Fetch};

use crate::typed::Function;

const FETCHES: [(&str, Fetch); 3] =
    [("l2_64b", Fetch::B64), ("l2_128b", Fetch::B128), ("l2_256b", Fetch::B256)];

/// What the accesses in a function of the library say; none if it is another function.
pub(super) fn hints(function: &Function) -> Option<CacheHints> {
    let name = function.name.to_string();
    let words = name.strip_prefix("cache_load_").or_else(|| name.strip_prefix("cache_store_"))?;
    let (op, fetch) = match FETCHES.iter().find_map(|(word, fetch)| Some((words.strip_suffix(word)?, *fetch)))
    {
        Some((op, fetch)) => (op.trim_end_matches('_'), fetch),
        None => (words, Fetch::Normal),
    };
    let op = if op.is_empty() { CacheOp::Normal } else { CacheOp::from_mnemonic(op)? };
    Some(CacheHints { op, fetch })
}
