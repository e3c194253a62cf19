//! The parts of registers that the video instructions name: `r.b0`, `r.h10`, `r.b7654` (PTX ISA, "Video Instructions").

/// A part of a register of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// One byte.
    Byte(u8),
    /// One half.
    Half(u8),
}

impl Part {
    /// The part that a component names, without its dot.
    pub fn from_component(component: &str) -> Option<Part> {
        match component.as_bytes() {
            [b'b', digit @ b'0'..=b'3'] => Some(Part::Byte(digit - b'0')),
            [b'h', digit @ b'0'..=b'1'] => Some(Part::Half(digit - b'0')),
            _ => None,
        }
    }
}

/// Number of elements that an opcode of the SIMD video instructions works on, by the digit at its end.
pub fn lanes_of(opcode: super::tree::Opcode) -> usize {
    if opcode.as_str().ends_with('4') { 4 } else { 2 }
}

fn digits(component: &str, lanes: usize) -> Option<impl DoubleEndedIterator<Item = u8> + '_> {
    let digits = component.strip_prefix(if lanes == 4 { 'b' } else { 'h' })?;
    let digit = |byte: u8| byte.wrapping_sub(b'0');
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.bytes().map(digit))
}

/// Elements of two registers, counted through both, that a component selects: the lowest first.
pub fn selection(component: &str, lanes: usize) -> Option<[u8; 4]> {
    let mut selected = [0; 4];
    let mut count = 0;
    for (place, digit) in selected.iter_mut().zip(digits(component, lanes)?.rev()) {
        *place = digit;
        count += 1;
    }
    let fits = component.len() == lanes + 1 && count == lanes;
    (fits && selected.iter().all(|&digit| usize::from(digit) < 2 * lanes)).then_some(selected)
}

/// The elements, as bits, that a component says are written: its digits fall.
pub fn mask(component: &str, lanes: usize) -> Option<u8> {
    let mut mask = 0;
    let mut above = lanes as u8;
    for digit in digits(component, lanes)? {
        if digit >= above {
            return None;
        }
        (mask, above) = (mask | 1 << digit, digit);
    }
    (mask != 0).then_some(mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn components() {
        let parts = ["b0", "b3", "b4", "h1", "h2", "x"].map(Part::from_component);
        expect!["[Some(Byte(0)), Some(Byte(3)), None, Some(Half(1)), None, None]"]
            .assert_eq(&format!("{parts:?}"));
        let selections = [
            selection("h10", 2),
            selection("h32", 2),
            selection("h44", 2),
            selection("h1", 2),
            selection("b7654", 4),
            selection("b8765", 4),
            selection("b321", 4),
        ];
        expect!["[Some([0, 1, 0, 0]), Some([2, 3, 0, 0]), None, None, Some([4, 5, 6, 7]), None, None]"]
            .assert_eq(&format!("{selections:?}"));
        let masks =
            [mask("h10", 2), mask("h1", 2), mask("h01", 2), mask("b31", 4), mask("b13", 4), mask("h", 2)];
        expect!["[Some(3), Some(2), None, Some(10), None, None]"].assert_eq(&format!("{masks:?}"));
    }
}
