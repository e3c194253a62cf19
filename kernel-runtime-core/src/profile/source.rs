//! The source files that a profile shows: found again by the paths that the compiler saw.

use std::path::{Path, PathBuf};

use super::{Excerpt, LineProfile, SourceFile};

/// Lines without an instruction between two of one excerpt.
const GAP: u32 = 16;
/// Lines before and after that are shown at most.
const AROUND: usize = 24;

/// The parts of each file that lines are from.
pub(super) fn files(paths: &[String], lines: &[LineProfile]) -> Vec<SourceFile> {
    let file = |(index, path): (usize, &String)| {
        let of_file = lines.iter().filter(|line| line.file == Some(index));
        let numbers: Vec<u32> = of_file.map(|line| line.line).collect();
        let text = find(path).and_then(|path| std::fs::read_to_string(path).ok());
        let text: Vec<&str> = text.as_deref().unwrap_or_default().lines().collect();
        SourceFile { path: path.clone(), excerpts: excerpts(&text, &numbers) }
    };
    paths.iter().enumerate().map(file).collect()
}

/// The file of a path that is relative to where the compiler ran: the root of a workspace or of a package, usually above the
/// folder that the program runs in.
fn find(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let roots = [std::env::current_dir().ok(), package];
    let above = roots.iter().flatten().flat_map(|root| root.ancestors());
    above.map(|root| root.join(path)).find(|candidate| candidate.is_file())
}

/// The lines with these ascending numbers, and what stands around them up to the next empty line.
fn excerpts(text: &[&str], numbers: &[u32]) -> Vec<Excerpt> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        let Some(index) = (number as usize).checked_sub(1).filter(|&index| index < text.len()) else {
            continue;
        };
        match ranges.last_mut() {
            Some((_, end)) if index <= *end + GAP as usize => *end = index,
            _ => ranges.push((index, index)),
        }
    }
    let is_empty = |index: usize| text[index].trim().is_empty();
    let mut wide: Vec<(usize, usize)> = Vec::new();
    for (start, end) in ranges {
        let first = (start.saturating_sub(AROUND)..start).rev().take_while(|&index| !is_empty(index)).last();
        let last = (end + 1..text.len().min(end + AROUND)).take_while(|&index| !is_empty(index)).last();
        let (first, last) = (first.unwrap_or(start), last.unwrap_or(end));
        match wide.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
            _ => wide.push((first, last)),
        }
    }
    let excerpt = |(first, last): (usize, usize)| Excerpt {
        first_line: first as u32 + 1,
        lines: text[first..=last].iter().map(|line| line.trim_end().to_owned()).collect(),
    };
    wide.into_iter().map(excerpt).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_up_to_empty_lines() {
        let mut text = vec!["a", "b", "", "c", "d", "e", "", "f"];
        let found = |text: &[&str], numbers: &[u32]| -> Vec<(u32, String)> {
            excerpts(text, numbers)
                .into_iter()
                .map(|excerpt| (excerpt.first_line, excerpt.lines.concat()))
                .collect()
        };
        assert_eq!(found(&text, &[5]), [(4, "cde".to_owned())]);
        assert_eq!(found(&text, &[1, 5, 99]), [(1, "abcde".to_owned())]);
        assert_eq!(found(&text, &[0]), []);
        text.extend(["g"; 40]);
        assert_eq!(found(&text, &[4, 47]).len(), 2);
    }

    #[test]
    fn this_file_is_found() {
        assert!(find(file!()).is_some(), "{}", file!());
        assert!(find("no/such/file.rs").is_none());
    }
}
