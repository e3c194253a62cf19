//! Accesses to elements that are larger than the offset of an access counts.

use kernel_runtime::prelude::*;

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    /// 2 GiB, and a field behind them.
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Large {
        pub near: [[[u8; 4096]; 4096]; 128],
        pub far: [u8; 4096],
    }

    #[kernel]
    pub fn move_byte(x: &mut [Large]) {
        x[0].far[5] = x[0].near[127][4095][4095];
    }
}

/// Offsets have 32 bits with a sign: cut to that, the field would be before the buffer.
#[test]
fn a_far_field_is_behind_the_start_of_its_element() {
    let ptx = kernels::move_byte::KERNEL.ptx();
    let is_access = |line: &&str| line.starts_with("ld.global") || line.starts_with("st.global");
    let accesses: Vec<&str> = ptx.lines().map(str::trim).filter(is_access).collect();
    assert!(!accesses.is_empty(), "{ptx}");
    assert!(accesses.iter().all(|line| !line.contains("+-")), "{accesses:?}");
    assert!(ptx.contains("2147483648") || ptx.contains("2147483653"), "{ptx}");
}
