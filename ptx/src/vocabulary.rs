//! The macro behind the tables of words: an enum whose every variant has one spelling.

/// Declares an enum whose every variant has one spelling, with `as_str`, `from_str` and `ALL`.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// Every word of this vocabulary.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The word as PTX spells it, without a leading dot.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The word that PTX spells so, if there is one.
            pub fn from_word(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(super) use vocabulary;
