//! Numbers for readers.

/// `1 234 567`, with thin gaps that do not break.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `1.23 M`: three digits and a unit.
pub(super) fn short(number: f64) -> String {
    const UNITS: &[(f64, &str)] = &[(1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    match UNITS.iter().find(|(unit, _)| number >= *unit * 0.9995) {
        Some((unit, name)) => format!("{}{name}", three_digits(number / unit)),
        None => three_digits(number),
    }
}

/// `1.23 MB`
pub(crate) fn bytes(number: u64) -> String {
    let text = short(number as f64);
    if text.contains(' ') { text + "B" } else { text + " B" }
}

fn three_digits(number: f64) -> String {
    let decimals = match number {
        n if n == n.trunc() && n < 1000.0 => 0,
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}")
}

/// `12.3 %`
pub(crate) fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    if percent >= 99.95 { "100 %".to_owned() } else { format!("{percent:.1} %") }
}

/// `1.23 µs`
pub(crate) fn time(seconds: f64) -> String {
    let (unit, name) = match seconds {
        s if s >= 1.0 => (1.0, "s"),
        s if s >= 1e-3 => (1e-3, "ms"),
        s if s >= 1e-6 => (1e-6, "µs"),
        _ => (1e-9, "ns"),
    };
    format!("{} {name}", three_digits(seconds / unit))
}

/// `256 × 1 × 1` without the ones that say nothing.
pub(super) fn size([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} × {y}"),
        _ => format!("{x} × {y} × {z}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(12), "12");
        let shorts = [0.0, 7.0, 999.0, 1000.0, 12_345.0, 999_999.0, 1.5e9].map(short);
        assert_eq!(shorts, ["0", "7", "999", "1 k", "12.3 k", "1.00 M", "1.50 G"]);
        assert_eq!([bytes(12), bytes(1_000), bytes(1_230_000)], ["12 B", "1 kB", "1.23 MB"]);
        assert_eq!([percent(0.12345), percent(1.0)], ["12.3 %", "100 %"]);
        assert_eq!([time(1.234e-6), time(2.0), time(5e-10)], ["1.23 µs", "2 s", "0.50 ns"]);
        assert_eq!([size([4, 1, 1]), size([4, 2, 1]), size([4, 1, 2])], ["4", "4 × 2", "4 × 1 × 2"]);
    }
}
