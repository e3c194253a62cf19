//! Methods of the `Result` that atomics give: the value that was there, `Ok` if it was replaced.

// This is what `ok` and `err` are made of.
#![allow(clippy::manual_ok_err)]

/// `is_ok`
pub fn result_is_ok<T: Copy>(r: Result<T, T>) -> bool {
    match r {
        Ok(_) => true,
        Err(_) => false,
    }
}

/// `is_err`
pub fn result_is_err<T: Copy>(r: Result<T, T>) -> bool {
    match r {
        Ok(_) => false,
        Err(_) => true,
    }
}

/// `is_ok_and`
pub fn result_is_ok_and<T: Copy>(r: Result<T, T>, f: impl FnOnce(T) -> bool) -> bool {
    match r {
        Ok(v) => f(v),
        Err(_) => false,
    }
}

/// `is_err_and`
pub fn result_is_err_and<T: Copy>(r: Result<T, T>, f: impl FnOnce(T) -> bool) -> bool {
    match r {
        Ok(_) => false,
        Err(v) => f(v),
    }
}

/// `ok`
pub fn result_ok<T: Copy>(r: Result<T, T>) -> Option<T> {
    match r {
        Ok(v) => Some(v),
        Err(_) => None,
    }
}

/// `err`
pub fn result_err<T: Copy>(r: Result<T, T>) -> Option<T> {
    match r {
        Ok(_) => None,
        Err(v) => Some(v),
    }
}

/// `unwrap_or`
pub fn result_unwrap_or<T: Copy>(r: Result<T, T>, default: T) -> T {
    match r {
        Ok(v) => v,
        Err(_) => default,
    }
}

/// `unwrap_or_else`
pub fn result_unwrap_or_else<T: Copy>(r: Result<T, T>, f: impl FnOnce(T) -> T) -> T {
    match r {
        Ok(v) => v,
        Err(v) => f(v),
    }
}

/// `unwrap`
pub fn result_unwrap<T: Copy>(r: Result<T, T>) -> T {
    match r {
        Ok(v) => v,
        Err(_) => panic!("called `Result::unwrap()` on an `Err` value"),
    }
}

/// `unwrap_err`
pub fn result_unwrap_err<T: Copy>(r: Result<T, T>) -> T {
    match r {
        Ok(_) => panic!("called `Result::unwrap_err()` on an `Ok` value"),
        Err(v) => v,
    }
}
