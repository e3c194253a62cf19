//! The parser, the check and the printer.

use ptx::check::{check, requirements};
use ptx::parse::{ParseError, parse};

use crate::corpus::corpus;
use crate::memory;
use crate::mutate::mutate;
use crate::watch;

/// The most bytes that a tree may take for a byte of text, its tokens, names and errors included.
const BYTES_PER_BYTE: usize = 200;

#[test]
fn no_text_is_too_much_for_the_parser() {
    let texts = corpus();
    let cases = watch::cases(
        "parser",
        4,
        |random| {
            let text = texts[random.below(texts.len())].excerpt(random);
            let other = texts[random.below(texts.len())].excerpt(random);
            mutate(&text, &other, random)
        },
        try_text,
    );
    assert!(cases > 10, "{cases}");
}

fn try_text(text: &str) {
    let module = match within_bound("parsing", text, || parse(text)) {
        Ok(module) => module,
        Err(error) => return is_helpful(text, &error),
    };
    drop(within_bound("checking", text, || (check(&module), requirements(&module))));
    let printed = module.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("printed, it does not parse: {error}"));
    assert_eq!(again.to_string(), printed);
}

/// Calls it; it takes memory in proportion to the text. The forms of an opcode are made when the first instruction asks
/// for them and stay, so a call that took more is measured once more.
fn within_bound<T>(what: &str, text: &str, run: impl Fn() -> T) -> T {
    let bound = BYTES_PER_BYTE * text.len() + (64 << 10);
    let (result, most) = memory::most(&run);
    if most <= bound {
        return result;
    }
    drop(result);
    let (result, most) = memory::most(run);
    assert!(most <= bound, "{what} {} bytes took {most} bytes", text.len());
    result
}

/// The place is in the text, and something is said.
fn is_helpful(text: &str, error: &ParseError) {
    let (line, column) = (error.position.line as usize, error.position.column as usize);
    let known = line.checked_sub(1).and_then(|line| text.split('\n').nth(line));
    let known = known.unwrap_or_else(|| panic!("there is no line {line}: {error}"));
    assert!(
        (1..=known.chars().count() + 1).contains(&column),
        "there is no column {column} in `{known}`: {error}"
    );
    assert!(!error.expected.is_empty() && !error.found.is_empty(), "{error}");
}
