//! Single instructions against exact arithmetic: `rows/make.py` computes what each row of `rows/rows.txt` must give.

use super::instructions::results;

/// An instruction with the sources and the result of each of its rows.
pub(super) type Case<'a> = (&'a str, Vec<(Vec<u64>, u64)>);

/// All cases.
pub(super) fn all() -> Vec<Case<'static>> {
    cases(include_str!("rows/rows.txt"))
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let number =
        |word: &str| u64::from_str_radix(word, 16).unwrap_or_else(|_| panic!("`{word}` is no number"));
    let mut cases: Vec<Case<'_>> = Vec::new();
    for line in text.lines() {
        match line.split_once(" → ") {
            None => cases.push((line, Vec::new())),
            Some((sources, result)) => {
                let row = (sources.split_whitespace().map(number).collect(), number(result));
                cases.last_mut().expect("an instruction before its rows").1.push(row);
            }
        }
    }
    cases
}

#[test]
fn instructions_give_what_exact_arithmetic_gives() {
    let cases = all();
    assert!(cases.len() > 300);
    let mut wrong = String::new();
    for (instruction, rows) in cases {
        let sources: Vec<Vec<u64>> = rows.iter().map(|(sources, _)| sources.clone()).collect();
        for ((row, expected), found) in rows.iter().zip(results(instruction, &sources)) {
            if *expected != found {
                wrong += &format!("{instruction} {row:x?}: expected {expected:x}, found {found:x}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
