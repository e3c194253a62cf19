//! Texts of panics and prints: what their formats are given, and where they go on the CPU.

use std::fmt::{self, Debug, Formatter};
use std::panic::Location;

use half::{bf16, f16};

use crate::cpu::fiber;
pub use crate::printed::Output;
use crate::printed::Printed;

/// A formatted text.
pub type Text = String;

/// Makes the text.
pub fn text(message: fmt::Arguments<'_>) -> Text {
    message.to_string()
}

/// The greatest width or precision that Rust's formatting takes.
const MOST_COUNT: usize = u16::MAX as usize;

/// The text in place of one for which a width or a precision is greater than Rust's formatting takes.
pub fn too_wide(counts: &[usize], ends_line: bool) -> Option<Text> {
    let count = counts.iter().find(|&&count| count > MOST_COUNT)?;
    let end = if ends_line { "\n" } else { "" };
    Some(format!("expected a width or precision of at most {MOST_COUNT}, found {count}{end}"))
}

/// Panics with a message of the user's.
#[track_caller]
pub fn panic(message: Text) -> ! {
    std::panic::panic_any(message)
}

/// Prints for the calling thread of the kernel.
#[track_caller]
pub fn print(output: Output, text: Text) {
    let (at, position) = (Location::caller(), fiber::position("println!"));
    fiber::print(Printed {
        text,
        output,
        kernel: "",
        file: at.file(),
        line: at.line(),
        column: at.column(),
        block: position.block,
        thread: position.thread,
    });
}

/// The words of a record, to be taken in order.
#[derive(Debug)]
pub struct Words<'w> {
    rest: std::slice::Iter<'w, u64>,
}

impl<'w> Words<'w> {
    /// All of these.
    pub fn new(words: &'w [u64]) -> Words<'w> {
        Words { rest: words.iter() }
    }

    /// The next one; zero where a record has none.
    #[allow(clippy::should_implement_trait)]
    pub fn next<T: Word>(&mut self) -> T {
        T::of_word(self.rest.next().copied().unwrap_or_default())
    }
}

/// A scalar as a device leaves it in a record.
pub trait Word {
    /// By the lowest bits.
    fn of_word(word: u64) -> Self;
}

macro_rules! words {
    (ints: $($int:ident)*; floats: $($float:ident $bits:ident)*) => {
        $(impl Word for $int {
            fn of_word(word: u64) -> $int { word as $int }
        })*
        $(impl Word for $float {
            fn of_word(word: u64) -> $float { $float::from_bits(word as $bits) }
        })*
    };
}
words! { ints: i8 i16 i32 i64 isize u8 u16 u32 u64 usize; floats: f16 u16 bf16 u16 f32 u32 f64 u64 }

impl Word for bool {
    fn of_word(word: u64) -> bool {
        word & 1 != 0
    }
}

/// A value of more than one part, or of a type of the user's, as `#[derive(Debug)]` shows it.
pub struct Shown(Kind);

enum Kind {
    Plain(Box<dyn Debug>),
    /// A variant by its name.
    Variant(&'static str),
    /// A tuple, with the name of a struct or without.
    Tuple(&'static str, Vec<Shown>),
    Struct(&'static str, Vec<(&'static str, Shown)>),
    List(Vec<Shown>),
}

impl Shown {
    /// A value that rustc knows how to show.
    pub fn plain(value: impl Debug + 'static) -> Shown {
        Shown(Kind::Plain(Box::new(value)))
    }

    /// The variant with this number. Others there are not.
    pub fn variant(number: i128, variants: &[(i128, &'static str)]) -> Shown {
        let name = variants.iter().find(|row| row.0 == number).map_or("?", |row| row.1);
        Shown(Kind::Variant(name))
    }

    /// A tuple, or a struct whose fields have no names.
    pub fn tuple(name: &'static str, parts: impl Into<Vec<Shown>>) -> Shown {
        Shown(Kind::Tuple(name, parts.into()))
    }

    /// A struct.
    pub fn structure(name: &'static str, fields: impl Into<Vec<(&'static str, Shown)>>) -> Shown {
        Shown(Kind::Struct(name, fields.into()))
    }

    /// An array.
    pub fn list(items: impl Iterator<Item = Shown>) -> Shown {
        Shown(Kind::List(items.collect()))
    }

    /// `Some` or `None`.
    pub fn option(value: Option<Shown>) -> Shown {
        Shown(match value {
            Some(value) => Kind::Tuple("Some", vec![value]),
            None => Kind::Variant("None"),
        })
    }
}

impl Debug for Shown {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Plain(value) => value.fmt(f),
            Kind::Variant(name) => f.write_str(name),
            // A struct without fields is its name, a tuple without any `()`.
            Kind::Tuple(name, parts) if parts.is_empty() && !name.is_empty() => f.write_str(name),
            Kind::Tuple("", parts) if parts.is_empty() => f.write_str("()"),
            Kind::Tuple(name, parts) => {
                let mut tuple = f.debug_tuple(name);
                parts.iter().for_each(|part| {
                    tuple.field(part);
                });
                tuple.finish()
            }
            Kind::Struct(name, fields) => {
                let mut all = f.debug_struct(name);
                fields.iter().for_each(|(name, value)| {
                    all.field(name, value);
                });
                all.finish()
            }
            Kind::List(items) => f.debug_list().entries(items).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[allow(dead_code)]
    struct Point {
        x: f32,
        y: (i32, [u8; 2]),
    }

    #[derive(Debug)]
    struct Unit;

    #[derive(Debug)]
    #[allow(dead_code)]
    struct Pair(i32, Option<u32>);

    #[track_caller]
    fn check(shown: &Shown, expected: impl Debug) {
        assert_eq!(format!("{shown:?} {shown:#?} {shown:6.2?} {shown:#x?}"), {
            format!("{expected:?} {expected:#?} {expected:6.2?} {expected:#x?}")
        });
    }

    #[test]
    fn values_look_as_derived() {
        let plain = |value: i32| Shown::plain(value);
        let list = Shown::list([1u8, 2].into_iter().map(Shown::plain));
        let y = Shown::tuple("", [plain(-2), list]);
        check(
            &Shown::structure("Point", [("x", Shown::plain(1.5f32)), ("y", y)]),
            Point { x: 1.5, y: (-2, [1, 2]) },
        );
        check(&Shown::tuple("Pair", [plain(7), Shown::option(Some(Shown::plain(8u32)))]), Pair(7, Some(8)));
        check(&Shown::tuple("Pair", [plain(7), Shown::option(None)]), Pair(7, None));
        check(&Shown::tuple("", [plain(1)]), (1,));
        check(&Shown::structure("Unit", []), Unit);
        check(&Shown::list(std::iter::empty()), [0; 0]);
        check(&Shown::variant(-1, &[(0, "A"), (-1, "B")]), format_args!("B"));
    }

    #[test]
    fn words_are_the_lowest_bits() {
        let mut words = Words::new(&[0xffff_fffe, 1, 0x3f80_0000, 0x3c00]);
        assert_eq!((words.next::<i32>(), words.next::<bool>()), (-2, true));
        assert_eq!((words.next::<f32>(), words.next::<f16>(), words.next::<u8>()), (1.0, f16::ONE, 0));
    }
}
