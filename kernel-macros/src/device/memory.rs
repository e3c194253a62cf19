//! `core::mem`, `core::array` and `core::hint`.

/// `mem::swap`
pub fn mem_swap<T: Copy>(a: &mut T, b: &mut T) {
    let value = *a;
    *a = *b;
    *b = value;
}

/// `mem::replace`
pub fn mem_replace<T: Copy>(place: &mut T, value: T) -> T {
    let before = *place;
    *place = value;
    before
}

/// `mem::take`
pub fn mem_take<T: Copy + Default>(place: &mut T) -> T {
    let before = *place;
    *place = T::default();
    before
}

/// `drop`: nothing in a kernel does anything at its end
pub fn mem_drop<T>(_value: T) {}

/// `convert::identity`
pub fn convert_identity<T>(value: T) -> T {
    value
}

/// `mem::transmute` of plain data
pub fn mem_transmute<T: Copy, U: Copy>(value: T) -> U {
    // SAFETY: the caller's; rustc has compared the sizes.
    unsafe { *(&raw const value as *const U) }
}

/// `ptr::swap`
pub fn ptr_swap<T: Copy>(a: *mut T, b: *mut T) {
    // SAFETY: the caller's: both point to values.
    unsafe {
        let value = *a;
        *a = *b;
        *b = value;
    }
}

/// `ptr::replace`
pub fn ptr_replace<T: Copy>(to: *mut T, value: T) -> T {
    // SAFETY: the caller's.
    unsafe {
        let before = *to;
        *to = value;
        before
    }
}

/// `ptr::copy_nonoverlapping`
pub fn ptr_copy_nonoverlapping<T: Copy>(from: *const T, to: *mut T, count: usize) {
    for i in 0..count {
        // SAFETY: the caller's: both have so many values.
        unsafe { *to.add(i) = *from.add(i) };
    }
}

/// `ptr::copy`
pub fn ptr_copy<T: Copy>(from: *const T, to: *mut T, count: usize) {
    let is_below = to.addr() <= from.addr();
    for i in 0..count {
        // Copies to lower addresses begin with the first value, to higher ones with the last: none is overwritten before it is copied.
        let i = if is_below { i } else { count - 1 - i };
        // SAFETY: the caller's: both have so many values.
        unsafe { *to.add(i) = *from.add(i) };
    }
}

/// `ptr::write_bytes`
pub fn ptr_write_bytes<T>(to: *mut T, byte: u8, count: usize) {
    let bytes = to as *mut u8;
    for i in 0..count * size_of::<T>() {
        // SAFETY: the caller's: there are so many values.
        unsafe { *bytes.add(i) = byte };
    }
}

/// `array::from_fn`
pub fn array_from_fn<T: Copy, const N: usize, F: FnMut(usize) -> T>(mut f: F) -> [T; N] {
    let mut result = [f(0); N];
    for i in 1..N {
        result[i] = f(i);
    }
    result
}

/// `hint::spin_loop`: the hardware needs no hint.
pub fn hint_spin_loop() {}
