//! The macro behind the tables of arithmetic: one row gives an instruction its spellings, its types and its meaning.

/// Declares the operations of one arity: an enum, the spelling of each, the classes of its operands, and `run`.
macro_rules! operations {
    ($(#[$meta:meta])* $enum:ident by $apply:ident[$arity:literal] {
        $($($text:literal)|+ => $name:ident($($x:ident: $t:ty),+) -> $r:ty = $body:expr;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $enum { $($name),* }

        impl $enum {
            /// The operation that PTX spells so, flushing and saturation left out.
            pub(crate) fn from_text(text: &str) -> Option<$enum> {
                match text { $($($text)|+ => Some($enum::$name),)* _ => None }
            }

            /// The class of the result, and those of the operands.
            pub(crate) fn classes(self) -> (Class, [Class; $arity]) {
                match self {
                    $($enum::$name => (<$r as Lane>::CLASS, [$(<$t as Lane>::CLASS),+]),)*
                }
            }

            /// The bits of the result, and those of the operands.
            pub(crate) fn bits(self) -> (u32, [u32; $arity]) {
                match self {
                    $($enum::$name => (8 * size_of::<$r>() as u32, [$(8 * size_of::<$t>() as u32),+]),)*
                }
            }

            /// Its result in one lane.
            pub(crate) fn of(self, operands: [u64; $arity]) -> u64 {
                match self {
                    $($enum::$name => {
                        let [$($x),+] = operands;
                        $(let $x = <$t as Lane>::of_u64($x);)+
                        let result: $r = $body;
                        result.to_u64()
                    })*
                }
            }

            /// Every spelling, with the bits of the result and of the operands.
            #[cfg(test)]
            pub(crate) const FORMS: &[(&[&str], u32, [u32; $arity])] = &[
                $((&[$($text),+], 8 * size_of::<$r>() as u32, [$(8 * size_of::<$t>() as u32),+]),)*
            ];

            /// Runs the operation in the lanes of `mask`.
            #[inline(always)]
            pub(crate) fn run(self, registers: &mut Registers, mask: u32, target: Slot, sources: [Slot; $arity]) {
                match self {
                    $($enum::$name => {
                        #[inline(always)]
                        fn lane($($x: $t),+) -> $r { $body }
                        $apply(registers, mask, target, sources, lane);
                    })*
                }
            }
        }
    };
}

pub(crate) use operations;
