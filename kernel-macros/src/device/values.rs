//! Functions behind paths of methods that are handed over: `fold(0.0, f32::max)`.

/// `T::max`
pub fn value_max<T: Number>(a: T, b: T) -> T {
    a.max(b)
}

/// `T::min`
pub fn value_min<T: Number>(a: T, b: T) -> T {
    a.min(b)
}

/// `T::abs`
pub fn value_abs<T: Number>(a: T) -> T {
    a.abs()
}

/// `T::sqrt`
pub fn value_sqrt<T: Float>(a: T) -> T {
    a.sqrt()
}

/// `T::floor`
pub fn value_floor<T: Float>(a: T) -> T {
    a.floor()
}

/// `T::ceil`
pub fn value_ceil<T: Float>(a: T) -> T {
    a.ceil()
}

/// `T::trunc`
pub fn value_trunc<T: Float>(a: T) -> T {
    a.trunc()
}

/// `T::recip`
pub fn value_recip<T: Float>(a: T) -> T {
    a.recip()
}

/// `T::wrapping_add`
pub fn value_wrapping_add<T: Int>(a: T, b: T) -> T {
    a.wrapping_add(b)
}

/// `T::wrapping_mul`
pub fn value_wrapping_mul<T: Int>(a: T, b: T) -> T {
    a.wrapping_mul(b)
}

/// `T::count_ones`
pub fn value_count_ones<T: Int>(a: T) -> u32 {
    a.count_ones()
}
