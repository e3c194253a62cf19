#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct char(u32);

impl char {
    pub const MAX: char = char(0x10ffff);
    pub const MIN: char = char(0);
    pub const REPLACEMENT_CHARACTER: char = char(0xfffd);
    pub const fn from_u32(v: u32) -> Option<char> {
        if v > 0x10ffff || v >= 0xd800 && v < 0xe000 { None } else { Some(char(v)) }
    }
    pub const fn from_digit(digit: u32, radix: u32) -> Option<char> {
        assert!(radix <= 36, "from_digit: radix is too high (maximum 36)");
        if digit >= radix {
            None
        } else if digit < 10 {
            Some(char(digit + 48))
        } else {
            Some(char(digit + 87))
        }
    }
    pub const fn to_digit(self, radix: u32) -> Option<u32> {
        assert!(
            radix >= 2 && radix <= 36,
            "to_digit: invalid radix -- radix must be in the range 2 to 36 inclusive"
        );
        let lower = self.0 | 32;
        let digit = if self.0 >= 48 && self.0 <= 57 {
            self.0 - 48
        } else if lower >= 97 && lower <= 122 {
            lower - 87
        } else {
            36
        };
        if digit < radix { Some(digit) } else { None }
    }
    pub const fn is_digit(self, radix: u32) -> bool {
        self.to_digit(radix).is_some()
    }
    pub const fn is_ascii(&self) -> bool {
        self.0 < 128
    }
    pub const fn len_utf8(self) -> usize {
        if self.0 < 0x80 {
            1
        } else if self.0 < 0x800 {
            2
        } else if self.0 < 0x10000 {
            3
        } else {
            4
        }
    }
    pub const fn len_utf16(self) -> usize {
        if self.0 < 0x10000 { 1 } else { 2 }
    }
    pub const fn is_ascii_digit(&self) -> bool {
        self.0 >= 48 && self.0 <= 57
    }
    pub const fn is_ascii_hexdigit(&self) -> bool {
        self.to_digit(16).is_some()
    }
    pub const fn is_ascii_lowercase(&self) -> bool {
        self.0 >= 97 && self.0 <= 122
    }
    pub const fn is_ascii_uppercase(&self) -> bool {
        self.0 >= 65 && self.0 <= 90
    }
    pub const fn is_ascii_alphabetic(&self) -> bool {
        self.is_ascii_lowercase() || self.is_ascii_uppercase()
    }
    pub const fn is_ascii_alphanumeric(&self) -> bool {
        self.is_ascii_alphabetic() || self.is_ascii_digit()
    }
    pub const fn is_ascii_graphic(&self) -> bool {
        self.0 >= 33 && self.0 <= 126
    }
    pub const fn is_ascii_punctuation(&self) -> bool {
        self.is_ascii_graphic() && !self.is_ascii_alphanumeric()
    }
    pub const fn is_ascii_control(&self) -> bool {
        self.0 < 32 || self.0 == 127
    }
    pub const fn is_ascii_whitespace(&self) -> bool {
        self.0 == 32 || self.0 == 9 || self.0 == 10 || self.0 == 12 || self.0 == 13
    }
    pub const fn to_ascii_lowercase(&self) -> char {
        char(if self.is_ascii_uppercase() { self.0 + 32 } else { self.0 })
    }
    pub const fn to_ascii_uppercase(&self) -> char {
        char(if self.is_ascii_lowercase() { self.0 - 32 } else { self.0 })
    }
    pub const fn eq_ignore_ascii_case(&self, other: &char) -> bool {
        self.to_ascii_lowercase().0 == other.to_ascii_lowercase().0
    }
}

impl From<u8> for char {
    fn from(v: u8) -> char {
        char(v as u32)
    }
}
impl From<char> for u32 {
    fn from(c: char) -> u32 {
        c.0
    }
}
pub fn int_as_char(v: u8) -> char {
    char(v as u32)
}
pub fn char_as_int<T: Int>(c: char) -> T {
    c.0 as T
}
pub fn char_as_char(c: char) -> char {
    c
}
