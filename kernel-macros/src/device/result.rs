//! Methods of `Result`.

// This is what `ok` and `err` are made of.
#![allow(clippy::manual_ok_err, clippy::manual_unwrap_or, clippy::manual_map)]

/// `is_ok`
pub fn result_is_ok<T: Copy, E: Copy>(r: Result<T, E>) -> bool {
    match r {
        Ok(_) => true,
        Err(_) => false,
    }
}

/// `is_err`
pub fn result_is_err<T: Copy, E: Copy>(r: Result<T, E>) -> bool {
    match r {
        Ok(_) => false,
        Err(_) => true,
    }
}

/// `is_ok_and`
pub fn result_is_ok_and<T: Copy, E: Copy>(r: Result<T, E>, f: impl FnOnce(T) -> bool) -> bool {
    match r {
        Ok(v) => f(v),
        Err(_) => false,
    }
}

/// `inspect`
pub fn result_inspect<T: Copy, E: Copy>(r: Result<T, E>, f: impl FnOnce(&T)) -> Result<T, E> {
    if let Ok(v) = r {
        f(&v);
    }
    r
}

/// `inspect_err`
pub fn result_inspect_err<T: Copy, E: Copy>(r: Result<T, E>, f: impl FnOnce(&E)) -> Result<T, E> {
    if let Err(e) = r {
        f(&e);
    }
    r
}

/// `is_err_and`
pub fn result_is_err_and<T: Copy, E: Copy>(r: Result<T, E>, f: impl FnOnce(E) -> bool) -> bool {
    match r {
        Ok(_) => false,
        Err(e) => f(e),
    }
}

/// `ok`
pub fn result_ok<T: Copy, E: Copy>(r: Result<T, E>) -> Option<T> {
    match r {
        Ok(v) => Some(v),
        Err(_) => None,
    }
}

/// `err`
pub fn result_err<T: Copy, E: Copy>(r: Result<T, E>) -> Option<E> {
    match r {
        Ok(_) => None,
        Err(e) => Some(e),
    }
}

/// `map`
pub fn result_map<T: Copy, E: Copy, U>(r: Result<T, E>, f: impl FnOnce(T) -> U) -> Result<U, E> {
    match r {
        Ok(v) => Ok(f(v)),
        Err(e) => Err(e),
    }
}

/// `map_err`
pub fn result_map_err<T: Copy, E: Copy, F>(r: Result<T, E>, f: impl FnOnce(E) -> F) -> Result<T, F> {
    match r {
        Ok(v) => Ok(v),
        Err(e) => Err(f(e)),
    }
}

/// `map_or`
pub fn result_map_or<T: Copy, E: Copy, U: Copy>(r: Result<T, E>, default: U, f: impl FnOnce(T) -> U) -> U {
    match r {
        Ok(v) => f(v),
        Err(_) => default,
    }
}

/// `map_or_else`
pub fn result_map_or_else<T: Copy, E: Copy, U>(
    r: Result<T, E>,
    default: impl FnOnce(E) -> U,
    f: impl FnOnce(T) -> U,
) -> U {
    match r {
        Ok(v) => f(v),
        Err(e) => default(e),
    }
}

/// `and`
pub fn result_and<T: Copy, E: Copy, U: Copy>(r: Result<T, E>, other: Result<U, E>) -> Result<U, E> {
    match r {
        Ok(_) => other,
        Err(e) => Err(e),
    }
}

/// `and_then`
pub fn result_and_then<T: Copy, E: Copy, U>(
    r: Result<T, E>,
    f: impl FnOnce(T) -> Result<U, E>,
) -> Result<U, E> {
    match r {
        Ok(v) => f(v),
        Err(e) => Err(e),
    }
}

/// `or`
pub fn result_or<T: Copy, E: Copy, F: Copy>(r: Result<T, E>, other: Result<T, F>) -> Result<T, F> {
    match r {
        Ok(v) => Ok(v),
        Err(_) => other,
    }
}

/// `or_else`
pub fn result_or_else<T: Copy, E: Copy, F>(
    r: Result<T, E>,
    f: impl FnOnce(E) -> Result<T, F>,
) -> Result<T, F> {
    match r {
        Ok(v) => Ok(v),
        Err(e) => f(e),
    }
}

/// `unwrap_or`
pub fn result_unwrap_or<T: Copy, E: Copy>(r: Result<T, E>, default: T) -> T {
    match r {
        Ok(v) => v,
        Err(_) => default,
    }
}

/// `unwrap_or_else`
pub fn result_unwrap_or_else<T: Copy, E: Copy>(r: Result<T, E>, f: impl FnOnce(E) -> T) -> T {
    match r {
        Ok(v) => v,
        Err(e) => f(e),
    }
}

/// `unwrap_or_default`
pub fn result_unwrap_or_default<T: Copy + Default, E: Copy>(r: Result<T, E>) -> T {
    match r {
        Ok(v) => v,
        Err(_) => T::default(),
    }
}

/// `unwrap`
pub fn result_unwrap<T: Copy, E: Copy + core::fmt::Debug>(r: Result<T, E>) -> T {
    match r {
        Ok(v) => v,
        Err(e) => panic!("called `Result::unwrap()` on an `Err` value: {e:?}"),
    }
}

/// `unwrap_err`
pub fn result_unwrap_err<T: Copy + core::fmt::Debug, E: Copy>(r: Result<T, E>) -> E {
    match r {
        Ok(v) => panic!("called `Result::unwrap_err()` on an `Ok` value: {v:?}"),
        Err(e) => e,
    }
}

/// `transpose`
pub fn result_transpose<T: Copy, E: Copy>(r: Result<Option<T>, E>) -> Option<Result<T, E>> {
    match r {
        Ok(Some(v)) => Some(Ok(v)),
        Ok(None) => None,
        Err(e) => Some(Err(e)),
    }
}

/// `as_ref`
pub fn result_as_ref<T, E>(r: &Result<T, E>) -> Result<&T, &E> {
    match r {
        Ok(v) => Ok(v),
        Err(e) => Err(e),
    }
}

/// `as_mut`
pub fn result_as_mut<T, E>(r: &mut Result<T, E>) -> Result<&mut T, &mut E> {
    match r {
        Ok(v) => Ok(v),
        Err(e) => Err(e),
    }
}

/// `copied`
pub fn result_copied<T: Copy, E>(r: Result<&T, E>) -> Result<T, E> {
    match r {
        Ok(v) => Ok(*v),
        Err(e) => Err(e),
    }
}

/// `cloned`
pub fn result_cloned<T: Copy, E>(r: Result<&T, E>) -> Result<T, E> {
    result_copied(r)
}

/// A step of `sum` over results.
pub fn result_sum<T: Copy + core::ops::Add<Output = T>, E>(total: T, item: Result<T, E>) -> Result<T, E> {
    match item {
        Ok(v) => Ok(total + v),
        Err(e) => Err(e),
    }
}

/// A step of `product` over results.
pub fn result_product<T: Copy + core::ops::Mul<Output = T>, E>(
    total: T,
    item: Result<T, E>,
) -> Result<T, E> {
    match item {
        Ok(v) => Ok(total * v),
        Err(e) => Err(e),
    }
}
