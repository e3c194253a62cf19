//! Accesses that say something to the caches. What it is the name says, which lowering reads: see `lower/cache.rs`.

/// `load_ca`
pub fn cache_load_ca<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cg`
pub fn cache_load_cg<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cs`
pub fn cache_load_cs<T: Copy>(at: &T) -> T {
    *at
}

/// `load_lu`
pub fn cache_load_lu<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cv`
pub fn cache_load_cv<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_unchanged`
pub fn cache_load_evict_unchanged<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_first`
pub fn cache_load_evict_first<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_last`
pub fn cache_load_evict_last<T: Copy>(at: &T) -> T {
    *at
}

/// `load_no_allocate`
pub fn cache_load_no_allocate<T: Copy>(at: &T) -> T {
    *at
}

/// `load_l2_64b`
pub fn cache_load_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_l2_128b`
pub fn cache_load_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_l2_256b`
pub fn cache_load_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_ca_l2_64b`
pub fn cache_load_ca_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_ca_l2_128b`
pub fn cache_load_ca_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_ca_l2_256b`
pub fn cache_load_ca_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cg_l2_64b`
pub fn cache_load_cg_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cg_l2_128b`
pub fn cache_load_cg_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cg_l2_256b`
pub fn cache_load_cg_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cs_l2_64b`
pub fn cache_load_cs_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cs_l2_128b`
pub fn cache_load_cs_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_cs_l2_256b`
pub fn cache_load_cs_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_unchanged_l2_64b`
pub fn cache_load_evict_unchanged_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_unchanged_l2_128b`
pub fn cache_load_evict_unchanged_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_unchanged_l2_256b`
pub fn cache_load_evict_unchanged_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_first_l2_64b`
pub fn cache_load_evict_first_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_first_l2_128b`
pub fn cache_load_evict_first_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_first_l2_256b`
pub fn cache_load_evict_first_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_last_l2_64b`
pub fn cache_load_evict_last_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_last_l2_128b`
pub fn cache_load_evict_last_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_evict_last_l2_256b`
pub fn cache_load_evict_last_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_no_allocate_l2_64b`
pub fn cache_load_no_allocate_l2_64b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_no_allocate_l2_128b`
pub fn cache_load_no_allocate_l2_128b<T: Copy>(at: &T) -> T {
    *at
}

/// `load_no_allocate_l2_256b`
pub fn cache_load_no_allocate_l2_256b<T: Copy>(at: &T) -> T {
    *at
}

/// `store_wb`
pub fn cache_store_wb<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `store_cg`
pub fn cache_store_cg<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `store_cs`
pub fn cache_store_cs<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `store_wt`
pub fn cache_store_wt<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `store_evict_unchanged`
pub fn cache_store_evict_unchanged<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `store_evict_first`
pub fn cache_store_evict_first<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `store_evict_last`
pub fn cache_store_evict_last<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `store_no_allocate`
pub fn cache_store_no_allocate<T: Copy>(at: &mut T, value: T) {
    *at = value;
}

/// `prefetch_l1`
pub fn cache_prefetch_l1<T>(at: &T) {
    // SAFETY: it reads nothing.
    unsafe {
        inline_ptx!(
            ".reg .b64 %global;",
            "cvta.to.global.u64 %global, {at};",
            "prefetch.global.L1 [%global];",
            at = in(usize) at as *const T as usize,
            options(nomem),
            cpu = (),
        )
    }
}

/// `prefetch_l2`
pub fn cache_prefetch_l2<T>(at: &T) {
    // SAFETY: it reads nothing.
    unsafe {
        inline_ptx!(
            ".reg .b64 %global;",
            "cvta.to.global.u64 %global, {at};",
            "prefetch.global.L2 [%global];",
            at = in(usize) at as *const T as usize,
            options(nomem),
            cpu = (),
        )
    }
}
