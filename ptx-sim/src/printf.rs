//! `vprintf`: formats as C does, with arguments aligned naturally in a buffer and floats promoted to double.

/// Input that the formatter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// So many bytes at an offset of the buffer.
    Value { offset: u64, bytes: usize },
    /// The string at an address, without its zero.
    Text { address: u64 },
}

/// The answer to a request of the same kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Value(u64),
    Text(Vec<u8>),
}

/// Output of the formatter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    /// Number of arguments that were used.
    pub(crate) arguments: usize,
}

/// Flags, width and precision of a conversion.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

/// The arguments that are left.
struct Arguments<F> {
    ask: F,
    offset: u64,
    used: usize,
}

impl<E, F: FnMut(Request) -> Result<Answer, E>> Arguments<F> {
    fn next(&mut self, bytes: usize) -> Result<u64, E> {
        let offset = self.offset.next_multiple_of(bytes as u64);
        self.offset = offset + bytes as u64;
        self.used += 1;
        match (self.ask)(Request::Value { offset, bytes })? {
            Answer::Value(value) => Ok(value),
            Answer::Text(_) => Ok(0),
        }
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, E> {
        match (self.ask)(Request::Text { address })? {
            Answer::Text(text) => Ok(text),
            Answer::Value(_) => Ok(Vec::new()),
        }
    }
}

/// Formats; `ask` reads arguments and strings.
pub(crate) fn format<E>(format: &[u8], ask: impl FnMut(Request) -> Result<Answer, E>) -> Result<Text, E> {
    let mut arguments = Arguments { ask, offset: 0, used: 0 };
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let start = rest;
        let mut spec = Spec::default();
        while let Some((&flag, after)) = rest.split_first() {
            match flag {
                b'-' => spec.left = true,
                b'0' => spec.zero = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                _ => break,
            }
            rest = after;
        }
        if let Some(width) = number(&mut rest, &mut arguments)? {
            spec.left |= width < 0;
            spec.width = width.unsigned_abs().min(1 << 16) as usize;
        }
        if let Some(after) = rest.strip_prefix(b".") {
            rest = after;
            let precision = number(&mut rest, &mut arguments)?.unwrap_or(0);
            spec.precision = usize::try_from(precision).ok().map(|precision| precision.min(1 << 10));
        }
        let mut bytes = 4;
        while let Some((&size, after)) = rest.split_first() {
            match size {
                b'l' | b'j' | b'z' | b't' | b'L' => bytes = 8,
                // Promoted to int.
                b'h' => {}
                _ => break,
            }
            rest = after;
        }
        let Some((&conversion, after)) = rest.split_first() else {
            out.push(b'%');
            out.extend_from_slice(start);
            break;
        };
        rest = after;
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let raw = arguments.next(bytes)?;
                let value = if bytes == 8 { raw as i64 } else { i64::from(raw as u32 as i32) };
                integer(&mut out, spec, value < 0, &value.unsigned_abs().to_string(), "");
            }
            b'u' => unsigned(&mut out, spec, &arguments.next(bytes)?.to_string(), ""),
            b'o' => {
                let digits = format!("{:o}", arguments.next(bytes)?);
                unsigned(&mut out, spec, &digits, if spec.alternate { "0" } else { "" });
            }
            b'x' | b'X' => {
                let value = arguments.next(bytes)?;
                let upper = conversion == b'X';
                let digits = if upper { format!("{value:X}") } else { format!("{value:x}") };
                let prefix = match (spec.alternate && value != 0, upper) {
                    (false, _) => "",
                    (true, false) => "0x",
                    (true, true) => "0X",
                };
                unsigned(&mut out, spec, &digits, prefix);
            }
            b'c' => {
                let value = arguments.next(4)? as u8;
                pad(&mut out, spec, &[value]);
            }
            b's' => {
                let address = arguments.next(8)?;
                let mut text = arguments.text(address)?;
                text.truncate(spec.precision.unwrap_or(usize::MAX));
                pad(&mut out, spec, &text);
            }
            b'p' => {
                let text = format!("{:#x}", arguments.next(8)?);
                pad(&mut out, spec, text.as_bytes());
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(arguments.next(8)?);
                float(&mut out, spec, value, conversion);
            }
            _ => {
                // Unknown conversions are printed as they stand.
                out.push(b'%');
                out.extend_from_slice(&start[..start.len() - rest.len()]);
            }
        }
    }
    Ok(Text { bytes: out, arguments: arguments.used })
}

/// Digits, or `*` for an argument.
fn number<E, F: FnMut(Request) -> Result<Answer, E>>(
    rest: &mut &[u8],
    arguments: &mut Arguments<F>,
) -> Result<Option<i32>, E> {
    if let Some(after) = rest.strip_prefix(b"*") {
        *rest = after;
        return Ok(Some(arguments.next(4)? as u32 as i32));
    }
    let mut value = None;
    while let Some((&digit @ b'0'..=b'9', after)) = rest.split_first() {
        let digit = i32::from(digit - b'0');
        value = Some(value.unwrap_or(0i32).saturating_mul(10).saturating_add(digit));
        *rest = after;
    }
    Ok(value)
}

fn pad(out: &mut Vec<u8>, spec: Spec, text: &[u8]) {
    let fill = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(text);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

fn sign_of(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

fn integer(out: &mut Vec<u8>, spec: Spec, negative: bool, digits: &str, prefix: &str) {
    let sign = sign_of(spec, negative);
    with_digits(out, spec, sign, digits, prefix);
}

fn unsigned(out: &mut Vec<u8>, spec: Spec, digits: &str, prefix: &str) {
    with_digits(out, spec, "", digits, prefix);
}

fn with_digits(out: &mut Vec<u8>, spec: Spec, sign: &str, digits: &str, prefix: &str) {
    let digits = if spec.precision == Some(0) && digits == "0" { "" } else { digits };
    let least = match spec.precision {
        Some(precision) => precision,
        // Zeros fill the width, which a precision or `-` forbids.
        None if spec.zero && !spec.left => spec.width.saturating_sub(sign.len() + prefix.len()),
        None => 0,
    };
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    pad(out, spec, format!("{sign}{prefix}{zeros}{digits}").as_bytes());
}

fn float(out: &mut Vec<u8>, spec: Spec, value: f64, conversion: u8) {
    let sign = sign_of(spec, value.is_sign_negative());
    let magnitude = value.abs();
    let text = if !magnitude.is_finite() {
        if magnitude.is_nan() { "nan".to_string() } else { "inf".to_string() }
    } else {
        match conversion.to_ascii_lowercase() {
            b'f' => format!("{magnitude:.*}", spec.precision.unwrap_or(6)),
            b'e' => exponential(magnitude, spec.precision.unwrap_or(6)),
            b'g' => general(magnitude, spec.precision.unwrap_or(6).max(1), spec.alternate),
            _ => hexadecimal(magnitude),
        }
    };
    let text = if conversion.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text };
    let zeros = if spec.zero && !spec.left && magnitude.is_finite() {
        "0".repeat(spec.width.saturating_sub(sign.len() + text.len()))
    } else {
        String::new()
    };
    pad(out, spec, format!("{sign}{zeros}{text}").as_bytes());
}

/// `1.500000e+00`: Rust writes the exponent without sign and padding.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// `%g`: so many significant digits, the shorter of two forms, no zeros at the end.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = exponential(value, precision - 1);
    let exponent = scientific.split_once('e').and_then(|(_, text)| text.parse::<i32>().ok()).unwrap_or(0);
    let strip = |text: &str| match text.contains('.') && !keep_zeros {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (digits, tail) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{tail}", strip(digits));
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    strip(&format!("{value:.decimals$}"))
}

/// `0x1.8p+1`
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let (lead, exponent) = match (field, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        (field, _) => (1, field as i64 - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats values laid out as a compiler does, with sizes in bytes.
    fn check(text: &str, arguments: &[(u64, usize)], expected: &str) {
        let mut buffer = Vec::new();
        for &(value, bytes) in arguments {
            buffer.resize(buffer.len().next_multiple_of(bytes), 0);
            buffer.extend_from_slice(&value.to_le_bytes()[..bytes]);
        }
        let answer = |request| match request {
            Request::Value { offset, bytes } => {
                let mut raw = [0; 8];
                raw[..bytes].copy_from_slice(&buffer[offset as usize..offset as usize + bytes]);
                Ok::<Answer, ()>(Answer::Value(u64::from_le_bytes(raw)))
            }
            Request::Text { address } => Ok(Answer::Text(format!("text{address}").into_bytes())),
        };
        let found = format(text.as_bytes(), answer).unwrap();
        assert_eq!(String::from_utf8(found.bytes).unwrap(), expected, "{text}");
    }

    /// Conversions are those of glibc's `printf`.
    #[test]
    fn conversions_are_those_of_c() {
        let f = |value: f64| (value.to_bits(), 8);
        check(
            "%d|%5d|%-5d|%05d|%+d",
            &[(42, 4), (42, 4), (42, 4), (42, 4), (42, 4)],
            "42|   42|42   |00042|+42",
        );
        check("%d %u", &[(u64::MAX, 4), (u64::MAX, 4)], "-1 4294967295");
        check("%lld %llu %hd", &[(u64::MAX, 8), (u64::MAX, 8), (7, 4)], "-1 18446744073709551615 7");
        check(
            "%x %X %#x %o %#o %08x",
            &[(255, 4), (255, 4), (255, 4), (8, 4), (8, 4), (0xabc, 4)],
            "ff FF 0xff 10 010 00000abc",
        );
        check(
            "%f %.2f %8.3f|%-9.1f|",
            &[f(1.5), f(2.675), f(-3.5214), f(2.25)],
            "1.500000 2.67   -3.521|2.2      |",
        );
        check("%e %.0e %E", &[f(12345.678), f(5e-7), f(0.0)], "1.234568e+04 5e-07 0.000000E+00");
        check(
            "%g %g %g %g %G",
            &[f(0.0001), f(1e-5), f(100000.0), f(1e6), f(1.5e300)],
            "0.0001 1e-05 100000 1e+06 1.5E+300",
        );
        check(
            "%f %F %5.1f|%05.1f",
            &[f(f64::INFINITY), f(f64::NAN), f(-0.04), f(-1.25)],
            "inf NAN  -0.0|-01.2",
        );
        check(
            "%c%c %s|%6.3s|%-6s|",
            &[(104, 4), (105, 4), (1, 8), (2, 8), (3, 8)],
            "hi text1|   tex|text3 |",
        );
        check("%d %f %d", &[(1, 4), f(0.5), (2, 4)], "1 0.500000 2");
        check("100%% %*d %.*f %p", &[(4, 4), (7, 4), (1, 4), f(0.25), (0xff, 8)], "100%    7 0.2 0xff");
        check("%a %a", &[f(3.0), f(0.1)], "0x1.8p+1 0x1.999999999999ap-4");
        check("%", &[], "%");
        check("%y", &[], "%y");
    }
}
