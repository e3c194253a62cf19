//! Numbers and constant expressions (PTX ISA, "Constants", "Constant Expressions").

use super::ParseError;
use super::cursor::Cursor;
use crate::lex::TokenKind;
use crate::tree::Immediate;

/// Operators by precedence, the loosest first. All are evaluated left to right.
const BINARY: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];
/// The index of `*`, `/` and `%` in [`BINARY`]: what a summand of an address may hold.
const PRODUCT: usize = BINARY.len() - 1;

impl Cursor<'_> {
    /// Returns true if a constant expression begins here. Opening parentheses are for the caller to judge.
    pub(super) fn at_constant(&self) -> bool {
        match self.peek() {
            TokenKind::Number(_) => true,
            TokenKind::Word(word) => word == "WARP_SZ",
            TokenKind::Punctuation(c) => {
                matches!(c, '-' | '+' | '~')
                    || c == '!'
                        && matches!(self.peek_at(1), TokenKind::Number(_) | TokenKind::Punctuation('('))
            }
            TokenKind::Dotted(_) | TokenKind::String(_) | TokenKind::End => false,
        }
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Result<Immediate, ParseError> {
        let condition = self.binary(0)?;
        if !self.eat('?') {
            return Ok(condition);
        }
        let if_true = self.nested(Self::constant)?;
        self.expect(':')?;
        let if_false = self.nested(Self::constant)?;
        let holds = truth(condition).ok_or_else(|| self.expected("an integer as condition of '?'"))?;
        Ok(if holds { if_true } else { if_false })
    }

    /// A constant expression that is an integer; bits beyond 63 become the sign.
    pub(super) fn integer(&mut self, what: &'static str) -> Result<i64, ParseError> {
        let error = self.expected(what);
        match self.constant()? {
            Immediate::Int(value) => Ok(value),
            Immediate::Unsigned(value) => Ok(value.cast_signed()),
            Immediate::F32(_) | Immediate::F64(_) => Err(error),
        }
    }

    /// A plain number that fits 32 bits without sign: counts, sizes, lines.
    pub(super) fn count(&mut self, what: &'static str) -> Result<u32, ParseError> {
        let error = self.expected(what);
        match self.primary()? {
            Immediate::Int(value) => u32::try_from(value).map_err(|_| error),
            Immediate::Unsigned(_) | Immediate::F32(_) | Immediate::F64(_) => Err(error),
        }
    }

    /// Parses an offset after a register or variable: `+4`, `+-4`, `+4*2-1`; 0 if there is none. A `-` cannot come first.
    pub(super) fn offset_sum(&mut self) -> Result<i64, ParseError> {
        let mut sum = 0i64;
        if self.at('-') {
            return Err(self.expected("'+' before the offset, as in `+-4`"));
        }
        while self.at('+') || self.at('-') {
            let negative = self.advance() == TokenKind::Punctuation('-');
            let error = self.expected("an integer offset");
            let summand = match self.binary(PRODUCT)? {
                Immediate::Int(value) => value,
                Immediate::Unsigned(value) => value.cast_signed(),
                Immediate::F32(_) | Immediate::F64(_) => return Err(error),
            };
            sum = if negative { sum.wrapping_sub(summand) } else { sum.wrapping_add(summand) };
        }
        Ok(sum)
    }

    fn binary(&mut self, level: usize) -> Result<Immediate, ParseError> {
        let Some(operators) = BINARY.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().copied().find(|operator| self.at_operator(operator)) {
            let error = self.expected("operands that this operator takes");
            operator.chars().for_each(|_| _ = self.advance());
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right).ok_or(error)?;
        }
        Ok(left)
    }

    /// Returns true if the operator is next, and not the first part of a longer one.
    fn at_operator(&self, operator: &str) -> bool {
        let is_next = operator.chars().enumerate().all(|(i, c)| self.peek_at(i) == TokenKind::Punctuation(c));
        let after = self.peek_at(operator.len());
        let doubled = match operator {
            "|" | "&" | "<" | ">" => operator.chars().next().map(TokenKind::Punctuation) == Some(after),
            _ => false,
        };
        is_next && !doubled
    }

    fn unary(&mut self) -> Result<Immediate, ParseError> {
        let error = self.expected("an operand that this operator takes");
        let TokenKind::Punctuation(operator @ ('-' | '+' | '~' | '!')) = self.peek() else {
            return self.primary();
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        match (operator, operand) {
            ('+', value) => Some(value),
            ('-', Immediate::Int(value)) => Some(Immediate::Int(value.wrapping_neg())),
            ('-', Immediate::Unsigned(value)) => Some(integer(value.wrapping_neg(), value > 1 << 63)),
            ('-', Immediate::F32(bits)) => Some(Immediate::F32(bits ^ 1 << 31)),
            ('-', Immediate::F64(bits)) => Some(Immediate::F64(bits ^ 1 << 63)),
            ('~', Immediate::Int(value)) => Some(Immediate::Int(!value)),
            ('~', Immediate::Unsigned(value)) => Some(integer(!value, true)),
            ('!', value) => truth(value).map(|holds| Immediate::Int((!holds).into())),
            _ => None,
        }
        .ok_or(error)
    }

    fn primary(&mut self) -> Result<Immediate, ParseError> {
        match self.peek() {
            TokenKind::Number(text) => {
                let value = number(text).ok_or_else(|| self.expected("a number"))?;
                self.advance();
                Ok(value)
            }
            TokenKind::Word("WARP_SZ") => {
                self.advance();
                Ok(Immediate::Int(32))
            }
            TokenKind::Punctuation('(') => {
                self.advance();
                // `(.s64)` and `(.u64)` convert what follows.
                if let TokenKind::Dotted(ty @ ("s64" | "u64")) = self.peek() {
                    self.advance();
                    self.expect(')')?;
                    let error = self.expected("an integer");
                    let value = bits(self.nested(Self::unary)?).ok_or(error)?;
                    return Ok(integer(value, ty == "u64"));
                }
                let value = self.nested(Self::constant)?;
                self.expect(')')?;
                Ok(value)
            }
            TokenKind::Word(_)
            | TokenKind::Dotted(_)
            | TokenKind::String(_)
            | TokenKind::Punctuation(_)
            | TokenKind::End => Err(self.expected("a number")),
        }
    }
}

/// The value of a number as PTX writes it.
fn number(text: &str) -> Option<Immediate> {
    // Exactly so many digits, and no sign, which `from_str_radix` would take.
    let hex = |digits: &str, length| {
        let plain = digits.len() == length && !digits.starts_with('+');
        plain.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
    };
    let (prefix, digits) = (text.get(..2).unwrap_or(""), text.get(2..).unwrap_or(""));
    match prefix {
        "0f" | "0F" => return Some(Immediate::F32(u32::try_from(hex(digits, 8)?).ok()?)),
        "0d" | "0D" => return Some(Immediate::F64(hex(digits, 16)?)),
        _ => {}
    }
    let (text, has_suffix) = text.strip_suffix('U').map_or((text, false), |text| (text, true));
    let (radix, digits) = match text.get(..2) {
        Some("0x" | "0X") => (16, &text[2..]),
        Some("0b" | "0B") => (2, &text[2..]),
        Some(_) if text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) => (8, &text[1..]),
        _ => (10, text),
    };
    if let Ok(value) = u64::from_str_radix(digits, radix) {
        // Whatever does not fit a signed integer is unsigned, with a suffix or without.
        return Some(integer(value, true));
    }
    let is_float = radix == 10 && !has_suffix && text.contains(['.', 'e', 'E']) && !text.contains('_');
    is_float.then(|| text.parse::<f64>().ok().map(|value| Immediate::F64(value.to_bits()))).flatten()
}

/// An integer of 64 bits as the smallest kind of immediate: only what does not fit `i64` counts as unsigned.
fn integer(bits: u64, is_unsigned: bool) -> Immediate {
    match i64::try_from(bits) {
        Ok(value) => Immediate::Int(value),
        Err(_) if is_unsigned => Immediate::Unsigned(bits),
        Err(_) => Immediate::Int(bits.cast_signed()),
    }
}

fn bits(value: Immediate) -> Option<u64> {
    match value {
        Immediate::Int(value) => Some(value.cast_unsigned()),
        Immediate::Unsigned(value) => Some(value),
        Immediate::F32(_) | Immediate::F64(_) => None,
    }
}

fn truth(value: Immediate) -> Option<bool> {
    bits(value).map(|bits| bits != 0)
}

/// `left operator right`, if the operator takes them and has a value there. Integers wrap at 64 bits.
fn apply(operator: &str, left: Immediate, right: Immediate) -> Option<Immediate> {
    if let (Immediate::F64(left), Immediate::F64(right)) = (left, right) {
        let (left, right) = (f64::from_bits(left), f64::from_bits(right));
        let value = match operator {
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "/" => left / right,
            _ => return None,
        };
        return Some(Immediate::F64(value.to_bits()));
    }
    // As in C, one unsigned operand makes the operation unsigned.
    let is_unsigned = matches!(left, Immediate::Unsigned(_)) || matches!(right, Immediate::Unsigned(_));
    let (left, right) = (bits(left)?, bits(right)?);
    let (left_signed, right_signed) = (left.cast_signed(), right.cast_signed());
    let less = if is_unsigned { left < right } else { left_signed < right_signed };
    let shift = u32::try_from(right).ok();
    let value = match operator {
        "||" => (left != 0 || right != 0).into(),
        "&&" => (left != 0 && right != 0).into(),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => (left == right).into(),
        "!=" => (left != right).into(),
        "<" => less.into(),
        ">=" => (!less).into(),
        "<=" => (less || left == right).into(),
        ">" => (!less && left != right).into(),
        "<<" => left.checked_shl(shift?)?,
        ">>" if is_unsigned => left.checked_shr(shift?)?,
        ">>" => left_signed.checked_shr(shift?)?.cast_unsigned(),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" if is_unsigned => left.checked_div(right)?,
        "/" => left_signed.checked_div(right_signed)?.cast_unsigned(),
        "%" if is_unsigned => left.checked_rem(right)?,
        "%" => left_signed.checked_rem(right_signed)?.cast_unsigned(),
        _ => return None,
    };
    Some(integer(value, is_unsigned))
}
