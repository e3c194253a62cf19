//! Cache hints of the functions of `device/cache.rs`: `cache_load_cs_l2_256b` gives the loads in its body `.cs.L2::256B`.

use ptx_gen::ir::{CacheHints, CacheOp, Fetch};

use crate::typed::Function;

const FETCHES: [(&str, Fetch); 3] =
    [("l2_64b", Fetch::B64), ("l2_128b", Fetch::B128), ("l2_256b", Fetch::B256)];

/// The cache hints of the accesses in a library function; `None` for any other function.
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
