//! Methods of `Option`, and those of `bool` that give one.

/// `is_some`
pub fn option_is_some<T: Copy>(o: Option<T>) -> bool {
    match o {
        Some(_) => true,
        None => false,
    }
}

/// `Option::from`
pub fn option_from<T: Copy>(value: T) -> Option<T> {
    Some(value)
}

/// `is_none`
pub fn option_is_none<T: Copy>(o: Option<T>) -> bool {
    match o {
        Some(_) => false,
        None => true,
    }
}

/// `is_some_and`
pub fn option_is_some_and<T: Copy>(o: Option<T>, f: impl FnOnce(T) -> bool) -> bool {
    match o {
        Some(v) => f(v),
        None => false,
    }
}

/// `inspect`
pub fn option_inspect<T: Copy>(o: Option<T>, f: impl FnOnce(&T)) -> Option<T> {
    if let Some(v) = o {
        f(&v);
    }
    o
}

/// `is_none_or`
pub fn option_is_none_or<T: Copy>(o: Option<T>, f: impl FnOnce(T) -> bool) -> bool {
    match o {
        Some(v) => f(v),
        None => true,
    }
}

/// `unwrap`
pub fn option_unwrap<T: Copy>(o: Option<T>) -> T {
    match o {
        Some(v) => v,
        None => panic!("called `Option::unwrap()` on a `None` value"),
    }
}

/// `unwrap_or`
pub fn option_unwrap_or<T: Copy>(o: Option<T>, default: T) -> T {
    match o {
        Some(v) => v,
        None => default,
    }
}

/// `unwrap_or_else`
pub fn option_unwrap_or_else<T: Copy>(o: Option<T>, f: impl FnOnce() -> T) -> T {
    match o {
        Some(v) => v,
        None => f(),
    }
}

/// `unwrap_or_default`
pub fn option_unwrap_or_default<T: Copy + Default>(o: Option<T>) -> T {
    match o {
        Some(v) => v,
        None => T::default(),
    }
}

/// `map`
pub fn option_map<T: Copy, U>(o: Option<T>, f: impl FnOnce(T) -> U) -> Option<U> {
    match o {
        Some(v) => Some(f(v)),
        None => None,
    }
}

/// `map_or`
pub fn option_map_or<T: Copy, U>(o: Option<T>, default: U, f: impl FnOnce(T) -> U) -> U {
    match o {
        Some(v) => f(v),
        None => default,
    }
}

/// `map_or_else`
pub fn option_map_or_else<T: Copy, U>(
    o: Option<T>,
    default: impl FnOnce() -> U,
    f: impl FnOnce(T) -> U,
) -> U {
    match o {
        Some(v) => f(v),
        None => default(),
    }
}

/// `and`
pub fn option_and<T: Copy, U: Copy>(o: Option<T>, other: Option<U>) -> Option<U> {
    match o {
        Some(_) => other,
        None => None,
    }
}

/// `and_then`
pub fn option_and_then<T: Copy, U>(o: Option<T>, f: impl FnOnce(T) -> Option<U>) -> Option<U> {
    match o {
        Some(v) => f(v),
        None => None,
    }
}

/// `or`
pub fn option_or<T: Copy>(o: Option<T>, other: Option<T>) -> Option<T> {
    match o {
        Some(v) => Some(v),
        None => other,
    }
}

/// `or_else`
pub fn option_or_else<T: Copy>(o: Option<T>, f: impl FnOnce() -> Option<T>) -> Option<T> {
    match o {
        Some(v) => Some(v),
        None => f(),
    }
}

/// `xor`
pub fn option_xor<T: Copy>(o: Option<T>, other: Option<T>) -> Option<T> {
    match (o, other) {
        (Some(v), None) => Some(v),
        (None, Some(v)) => Some(v),
        _ => None,
    }
}

/// `filter`
pub fn option_filter<T: Copy>(o: Option<T>, f: impl FnOnce(&T) -> bool) -> Option<T> {
    match o {
        Some(v) => {
            if f(&v) {
                Some(v)
            } else {
                None
            }
        }
        None => None,
    }
}

/// `zip`
pub fn option_zip<T: Copy, U: Copy>(o: Option<T>, other: Option<U>) -> Option<(T, U)> {
    match (o, other) {
        (Some(a), Some(b)) => Some((a, b)),
        _ => None,
    }
}

/// `unzip`
pub fn option_unzip<T: Copy, U: Copy>(o: Option<(T, U)>) -> (Option<T>, Option<U>) {
    match o {
        Some((a, b)) => (Some(a), Some(b)),
        None => (None, None),
    }
}

/// `flatten`
pub fn option_flatten<T: Copy>(o: Option<Option<T>>) -> Option<T> {
    match o {
        Some(inner) => inner,
        None => None,
    }
}

/// `copied`
pub fn option_copied<T: Copy>(o: Option<&T>) -> Option<T> {
    match o {
        Some(v) => Some(*v),
        None => None,
    }
}

/// `cloned`
pub fn option_cloned<T: Copy>(o: Option<&T>) -> Option<T> {
    match o {
        Some(v) => Some(*v),
        None => None,
    }
}

/// A step of `sum` over options.
pub fn option_sum<T: Copy + core::ops::Add<Output = T>>(total: T, item: Option<T>) -> Option<T> {
    match item {
        Some(v) => Some(total + v),
        None => None,
    }
}

/// A step of `product` over options.
pub fn option_product<T: Copy + core::ops::Mul<Output = T>>(total: T, item: Option<T>) -> Option<T> {
    match item {
        Some(v) => Some(total * v),
        None => None,
    }
}

/// `as_ref`
pub fn option_as_ref<T>(o: &Option<T>) -> Option<&T> {
    match o {
        Some(v) => Some(v),
        None => None,
    }
}

/// `as_mut`
pub fn option_as_mut<T>(o: &mut Option<T>) -> Option<&mut T> {
    match o {
        Some(v) => Some(v),
        None => None,
    }
}

/// `take`
pub fn option_take<T: Copy>(o: &mut Option<T>) -> Option<T> {
    let old = *o;
    *o = None;
    old
}

/// `take_if`
pub fn option_take_if<T: Copy>(o: &mut Option<T>, f: impl FnOnce(&mut T) -> bool) -> Option<T> {
    let taken = match option_as_mut(o) {
        Some(v) => f(v),
        None => false,
    };
    if taken { option_take(o) } else { None }
}

/// `replace`
pub fn option_replace<T: Copy>(o: &mut Option<T>, value: T) -> Option<T> {
    let old = *o;
    *o = Some(value);
    old
}

/// `insert`
pub fn option_insert<T: Copy>(o: &mut Option<T>, value: T) -> &mut T {
    *o = Some(value);
    option_as_mut(o).unwrap()
}

/// `get_or_insert`
pub fn option_get_or_insert<T: Copy>(o: &mut Option<T>, value: T) -> &mut T {
    if option_is_none(*o) {
        *o = Some(value);
    }
    option_as_mut(o).unwrap()
}

/// `get_or_insert_with`
pub fn option_get_or_insert_with<T: Copy>(o: &mut Option<T>, f: impl FnOnce() -> T) -> &mut T {
    if option_is_none(*o) {
        *o = Some(f());
    }
    option_as_mut(o).unwrap()
}

/// `bool::then`
pub fn bool_then<T: Copy>(condition: bool, f: impl FnOnce() -> T) -> Option<T> {
    if condition { Some(f()) } else { None }
}

/// `bool::then_some`
pub fn bool_then_some<T: Copy>(condition: bool, value: T) -> Option<T> {
    if condition { Some(value) } else { None }
}

/// `ok_or`
pub fn option_ok_or<T: Copy, E: Copy>(o: Option<T>, error: E) -> Result<T, E> {
    match o {
        Some(v) => Ok(v),
        None => Err(error),
    }
}

/// `ok_or_else`
pub fn option_ok_or_else<T: Copy, E>(o: Option<T>, error: impl FnOnce() -> E) -> Result<T, E> {
    match o {
        Some(v) => Ok(v),
        None => Err(error()),
    }
}

/// `transpose`
pub fn option_transpose<T: Copy, E: Copy>(o: Option<Result<T, E>>) -> Result<Option<T>, E> {
    match o {
        Some(Ok(v)) => Ok(Some(v)),
        Some(Err(e)) => Err(e),
        None => Ok(None),
    }
}
