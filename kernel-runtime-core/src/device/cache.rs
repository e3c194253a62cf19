//! Loads and stores that say something to the caches, and prefetches.
//!
//! `cache::load_cs(&x[i])` is CUDA's `__ldcs(&x[i])`: what it reads is `x[i]`, with the checks of `x[i]`; only the caches treat it in
//! another way. Structs, arrays and vectors are read and written whole; neighbours become one wide access as without. Of memory
//! that is not global nothing is said. What is read through a `&[T]` goes through the non-coherent path (`.nc`) anyway.
//!
//! On the CPU and in the simulator they are loads and stores.
//!
//! ```
//! use kernel_runtime::prelude::*;
//!
//! /// Reads each element once, and keeps `table` in the caches.
//! #[kernel]
//! pub fn look_up(indices: &[u32], table: &[f32], out: &mut [f32]) {
//!     let i = global_idx().x;
//!     if i < indices.len() && i < out.len() {
//!         let at = cache::load_cs(&indices[i]) as usize;
//!         cache::store_cs(&mut out[i], cache::load_evict_last(&table[at]));
//!     }
//! }
//!
//! let gpu = Gpu::simulator(Arch::Sm90);
//! let (indices, table) = (gpu.upload(&[2u32, 0, 1])?, gpu.upload(&[0.5f32, 1.5, 2.5])?);
//! let mut out = gpu.zeros::<f32>(3)?;
//! look_up(&indices, &table, &mut out).over(3).run()?;
//! assert_eq!(out.to_vec()?, [2.5, 0.5, 1.5]);
//! # Ok::<(), kernel_runtime::Error>(())
//! ```

macro_rules! loads {
    ($($name:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        pub fn $name<T: Copy>(at: &T) -> T {
            *at
        }
    )*};
}

macro_rules! stores {
    ($($name:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        pub fn $name<T: Copy>(at: &mut T, value: T) {
            *at = value;
        }
    )*};
}

macro_rules! prefetches {
    ($($name:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        pub fn $name<T>(at: &T) {
            let _ = at;
        }
    )*};
}

loads! {
    load_ca "`ld.ca`, CUDA's `__ldca`: in all caches, likely to be read again.";
    load_cg "`ld.cg`, CUDA's `__ldcg`: in L2, not in L1.";
    load_cs "`ld.cs`, CUDA's `__ldcs`: streaming, likely read once only.";
    load_lu "`ld.lu`, CUDA's `__ldlu`: the last use, after which the line need not be kept.";
    load_cv "`ld.cv`, CUDA's `__ldcv`: fetched anew, each time.";
    load_evict_unchanged "`ld.L1::evict_unchanged`: leaves the line's priority in L1 as it is.";
    load_evict_first "`ld.L1::evict_first`: among the first to leave L1.";
    load_evict_last "`ld.L1::evict_last`: among the last to leave L1.";
    load_no_allocate "`ld.L1::no_allocate`: not put into L1.";
    load_l2_64b "A load: 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_l2_128b "A load: 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_l2_256b "A load: 256 bytes around it may come into L2 with it, `.L2::256B`.";
    load_ca_l2_64b "`ld.ca`, CUDA's `__ldca`: in all caches, likely to be read again; 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_ca_l2_128b "`ld.ca`, CUDA's `__ldca`: in all caches, likely to be read again; 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_ca_l2_256b "`ld.ca`, CUDA's `__ldca`: in all caches, likely to be read again; 256 bytes around it may come into L2 with it, `.L2::256B`.";
    load_cg_l2_64b "`ld.cg`, CUDA's `__ldcg`: in L2, not in L1; 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_cg_l2_128b "`ld.cg`, CUDA's `__ldcg`: in L2, not in L1; 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_cg_l2_256b "`ld.cg`, CUDA's `__ldcg`: in L2, not in L1; 256 bytes around it may come into L2 with it, `.L2::256B`.";
    load_cs_l2_64b "`ld.cs`, CUDA's `__ldcs`: streaming, likely read once only; 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_cs_l2_128b "`ld.cs`, CUDA's `__ldcs`: streaming, likely read once only; 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_cs_l2_256b "`ld.cs`, CUDA's `__ldcs`: streaming, likely read once only; 256 bytes around it may come into L2 with it, `.L2::256B`.";
    load_evict_unchanged_l2_64b "`ld.L1::evict_unchanged`: leaves the line's priority in L1 as it is; 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_evict_unchanged_l2_128b "`ld.L1::evict_unchanged`: leaves the line's priority in L1 as it is; 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_evict_unchanged_l2_256b "`ld.L1::evict_unchanged`: leaves the line's priority in L1 as it is; 256 bytes around it may come into L2 with it, `.L2::256B`.";
    load_evict_first_l2_64b "`ld.L1::evict_first`: among the first to leave L1; 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_evict_first_l2_128b "`ld.L1::evict_first`: among the first to leave L1; 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_evict_first_l2_256b "`ld.L1::evict_first`: among the first to leave L1; 256 bytes around it may come into L2 with it, `.L2::256B`.";
    load_evict_last_l2_64b "`ld.L1::evict_last`: among the last to leave L1; 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_evict_last_l2_128b "`ld.L1::evict_last`: among the last to leave L1; 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_evict_last_l2_256b "`ld.L1::evict_last`: among the last to leave L1; 256 bytes around it may come into L2 with it, `.L2::256B`.";
    load_no_allocate_l2_64b "`ld.L1::no_allocate`: not put into L1; 64 bytes around it may come into L2 with it, `.L2::64B`.";
    load_no_allocate_l2_128b "`ld.L1::no_allocate`: not put into L1; 128 bytes around it may come into L2 with it, `.L2::128B`.";
    load_no_allocate_l2_256b "`ld.L1::no_allocate`: not put into L1; 256 bytes around it may come into L2 with it, `.L2::256B`.";
}

stores! {
    store_wb "`st.wb`, CUDA's `__stwb`: written back when the line leaves the caches.";
    store_cg "`st.cg`, CUDA's `__stcg`: in L2, not in L1.";
    store_cs "`st.cs`, CUDA's `__stcs`: streaming, likely not accessed again.";
    store_wt "`st.wt`, CUDA's `__stwt`: through L2 to memory.";
    store_evict_unchanged "`st.L1::evict_unchanged`: leaves the line's priority in L1 as it is.";
    store_evict_first "`st.L1::evict_first`: among the first to leave L1.";
    store_evict_last "`st.L1::evict_last`: among the last to leave L1.";
    store_no_allocate "`st.L1::no_allocate`: not put into L1.";
}

prefetches! {
    prefetch_l1 "`prefetch.global.L1`: brings the line of a place in global memory into L1.";
    prefetch_l2 "`prefetch.global.L2`: brings the line of a place in global memory into L2.";
}
