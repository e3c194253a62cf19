//! Wording of `deny_checks` for a check that remains: a description, and a way to prove it.

use ptx_gen::ir::PanicKind;

/// The check, and what to write for it to go.
pub fn left(check: PanicKind) -> (&'static str, &'static str) {
    const INDEX: &str = "compare the index with the length before, in a condition around it: `if index < slice.len() { … }`, or take a \
                         remainder or a minimum that is below it; what bounds the index must be lengths, arguments, or the shape of \
                         the launch";
    const RANGE: &str = "compare the ends of the range with the length before: `if start <= end && end <= slice.len() { … }`; what \
                         bounds them must be lengths, arguments, or the shape of the launch";
    const DIVISOR: &str =
        "compare the divisor before: `if divisor != 0 { … }`, or divide by `divisor.max(1)`";
    const SIGNED: &str = "divide unsigned numbers, or by one that is known to be positive";
    const OVERFLOW: &str = "compare the operands with bounds before, use `wrapping_…` where it may wrap, or leave out `checks(overflow)`";
    const PANIC: &str = "write a condition around it that the compiler or the host can decide, from lengths, arguments or the shape of \
                         the launch, or leave it out";
    match check {
        PanicKind::Index => ("an index that may be out of bounds", INDEX),
        PanicKind::SliceOrder => ("a range that may start after its end", RANGE),
        PanicKind::SliceStart => ("a range that may start out of bounds", RANGE),
        PanicKind::SliceEnd => ("a range that may end out of bounds", RANGE),
        PanicKind::DivideByZero | PanicKind::RemainderByZero => ("a divisor that may be zero", DIVISOR),
        PanicKind::DivideOverflow | PanicKind::RemainderOverflow => ("a division that may overflow", SIGNED),
        PanicKind::AddOverflow => ("a sum that may overflow", OVERFLOW),
        PanicKind::SubOverflow => ("a difference that may overflow", OVERFLOW),
        PanicKind::MulOverflow => ("a product that may overflow", OVERFLOW),
        PanicKind::NegOverflow => ("a negation that may overflow", OVERFLOW),
        PanicKind::ShlOverflow | PanicKind::ShrOverflow => {
            ("a shift that may be by the width or more", OVERFLOW)
        }
        PanicKind::ZeroStep => ("a step that may be zero", "step by a constant, or by `step.max(1)`"),
        PanicKind::Unwrap => {
            ("an `unwrap` of what may be `None`", "use `if let Some(value) = …` or `unwrap_or(…)`")
        }
        PanicKind::Misaligned => (
            "a vector that may be misaligned",
            "multiply the index by the number of lanes, or use a slice of vectors",
        ),
        PanicKind::Message | PanicKind::Formatted => ("a panic that may be reached", PANIC),
    }
}
