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
