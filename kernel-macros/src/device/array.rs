//! Methods that only arrays have: the function `array_name` stands behind `array.name(…)`.

/// `map`
pub fn array_map<T: Copy, U: Copy, const N: usize>(array: [T; N], mut f: impl FnMut(T) -> U) -> [U; N] {
    let mut result = [f(array[0]); N];
    for i in 1..N {
        result[i] = f(array[i]);
    }
    result
}

/// `each_ref`
pub fn array_each_ref<T, const N: usize>(array: &[T; N]) -> [&T; N] {
    let mut result = [&array[0]; N];
    for i in 1..N {
        result[i] = &array[i];
    }
    result
}
