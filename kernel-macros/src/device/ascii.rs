//! Methods of `u8` as an ASCII character.

/// `is_ascii`
pub fn ascii_is_ascii(c: &u8) -> bool {
    *c < 128
}

/// `is_ascii_digit`
pub fn ascii_is_digit(c: &u8) -> bool {
    c.wrapping_sub(b'0') < 10
}

/// `is_ascii_hexdigit`
pub fn ascii_is_hexdigit(c: &u8) -> bool {
    ascii_is_digit(c) || (*c | 32).wrapping_sub(b'a') < 6
}

/// `is_ascii_uppercase`
pub fn ascii_is_uppercase(c: &u8) -> bool {
    c.wrapping_sub(b'A') < 26
}

/// `is_ascii_lowercase`
pub fn ascii_is_lowercase(c: &u8) -> bool {
    c.wrapping_sub(b'a') < 26
}

/// `is_ascii_alphabetic`: the cases differ in one bit.
pub fn ascii_is_alphabetic(c: &u8) -> bool {
    (*c | 32).wrapping_sub(b'a') < 26
}

/// `is_ascii_alphanumeric`
pub fn ascii_is_alphanumeric(c: &u8) -> bool {
    ascii_is_alphabetic(c) || ascii_is_digit(c)
}

/// `is_ascii_whitespace`: no vertical tab.
pub fn ascii_is_whitespace(c: &u8) -> bool {
    *c == 32 || *c == 9 || *c == 10 || *c == 12 || *c == 13
}

/// `is_ascii_graphic`
pub fn ascii_is_graphic(c: &u8) -> bool {
    *c > 32 && *c < 127
}

/// `is_ascii_punctuation`
pub fn ascii_is_punctuation(c: &u8) -> bool {
    ascii_is_graphic(c) && !ascii_is_alphanumeric(c)
}

/// `is_ascii_control`
pub fn ascii_is_control(c: &u8) -> bool {
    *c < 32 || *c == 127
}

/// `to_ascii_uppercase`
pub fn ascii_to_uppercase(c: &u8) -> u8 {
    if ascii_is_lowercase(c) { *c - 32 } else { *c }
}

/// `to_ascii_lowercase`
pub fn ascii_to_lowercase(c: &u8) -> u8 {
    if ascii_is_uppercase(c) { *c + 32 } else { *c }
}

/// `make_ascii_uppercase`
pub fn ascii_make_uppercase(c: &mut u8) {
    *c = ascii_to_uppercase(c);
}

/// `make_ascii_lowercase`
pub fn ascii_make_lowercase(c: &mut u8) {
    *c = ascii_to_lowercase(c);
}

/// `make_ascii_uppercase` of byte strings
pub fn slice_make_ascii_uppercase(s: &mut [u8]) {
    for i in 0..s.len() {
        ascii_make_uppercase(&mut s[i]);
    }
}

/// `make_ascii_lowercase` of byte strings
pub fn slice_make_ascii_lowercase(s: &mut [u8]) {
    for i in 0..s.len() {
        ascii_make_lowercase(&mut s[i]);
    }
}

/// `eq_ignore_ascii_case`
pub fn ascii_eq_ignore_case(c: &u8, other: &u8) -> bool {
    ascii_to_lowercase(c) == ascii_to_lowercase(other)
}

/// `trim_ascii_start`
pub fn slice_trim_ascii_start(s: &[u8]) -> &[u8] {
    let mut start = 0;
    while start < s.len() && ascii_is_whitespace(&s[start]) {
        start += 1;
    }
    &s[start..]
}

/// `trim_ascii_end`
pub fn slice_trim_ascii_end(s: &[u8]) -> &[u8] {
    let mut end = s.len();
    while end > 0 && ascii_is_whitespace(&s[end - 1]) {
        end -= 1;
    }
    &s[..end]
}

/// `trim_ascii`
pub fn slice_trim_ascii(s: &[u8]) -> &[u8] {
    slice_trim_ascii_end(slice_trim_ascii_start(s))
}

/// `eq_ignore_ascii_case` of byte strings
pub fn slice_eq_ignore_ascii_case(s: &[u8], other: &[u8]) -> bool {
    if s.len() != other.len() {
        return false;
    }
    for i in 0..s.len() {
        if !ascii_eq_ignore_case(&s[i], &other[i]) {
            return false;
        }
    }
    true
}
