//! The guide's structure: SUMMARY.md lists every chapter, every chapter is a doc test, every link resolves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use guide::CHAPTERS;
use pulldown_cmark::{BrokenLink, Event, Options, Parser, Tag, TagEnd};

/// Chapter that includes the documentation of `#[kernel]`, which rustdoc tests and whose references it resolves.
const REFERENCE: &str = "language.md";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A page: its anchors, its links, and its references without a definition.
struct Page {
    anchors: BTreeSet<String>,
    links: Vec<String>,
    undefined: Vec<String>,
}

/// The text of a page with mdBook's `{{#include FILE}}` replaced by the file.
fn expanded(name: &str) -> String {
    let include = |line: &str| {
        let file = line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
        file.map_or(line.to_owned(), |file| read(&source().join(file)))
    };
    read(&source().join(name)).lines().map(include).collect::<Vec<_>>().join("\n")
}

/// mdBook's anchor of a heading: lower case, spaces as hyphens, other punctuation left out.
fn anchor(heading: &str) -> String {
    let kept = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    heading.trim().to_lowercase().chars().filter_map(kept).collect()
}

fn parse(text: &str) -> Page {
    let mut undefined = Vec::new();
    let mut page = Page { anchors: BTreeSet::new(), links: Vec::new(), undefined: Vec::new() };
    let mut heading: Option<String> = None;
    let mut broken = |link: BrokenLink<'_>| {
        undefined.push(link.reference.to_string());
        None
    };
    for event in Parser::new_with_broken_link_callback(text, Options::ENABLE_TABLES, Some(&mut broken)) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let id = anchor(&heading.take().unwrap_or_default());
                // A second heading of the same text has the number 1 behind it, a third the number 2.
                let free = (0..).map(|n| if n == 0 { id.clone() } else { format!("{id}-{n}") });
                page.anchors.extend(free.into_iter().find(|id| !page.anchors.contains(id)));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.into_string());
            }
            _ => {}
        }
    }
    page.undefined = undefined;
    page
}

fn pages() -> BTreeMap<String, Page> {
    let entries = std::fs::read_dir(source()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".md"));
    names.map(|name| (name.clone(), parse(&expanded(&name)))).collect()
}

/// The address of the reference documentation, which is not part of the book.
fn is_external(link: &str) -> bool {
    link.starts_with("https://") || link.starts_with("http://")
}

#[test]
fn the_summary_lists_every_chapter_once() {
    let pages = pages();
    let mut listed = pages["SUMMARY.md"].links.clone();
    listed.sort();
    let chapters: Vec<String> = pages.into_keys().filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, chapters, "left: SUMMARY.md, right: the files in docs/src");
}

#[test]
fn every_chapter_is_a_doc_test() {
    let tested: BTreeSet<&str> = CHAPTERS.iter().copied().chain([REFERENCE, "SUMMARY.md"]).collect();
    let pages = pages();
    let names: BTreeSet<&str> = pages.keys().map(String::as_str).collect();
    assert_eq!(tested, names, "left: the chapters in tests/guide/src/lib.rs, right: the files in docs/src");
}

#[test]
fn every_link_resolves() {
    let pages = pages();
    let mut broken = Vec::new();
    for (name, page) in &pages {
        for link in page.links.iter().filter(|link| !is_external(link)) {
            let (file, id) =
                link.split_once('#').map_or((link.as_str(), None), |(file, id)| (file, Some(id)));
            let file = if file.is_empty() { name } else { file };
            let resolves = pages.get(file).is_some_and(|page| id.is_none_or(|id| page.anchors.contains(id)));
            if !resolves {
                broken.push(format!("{name}: {link}"));
            }
        }
        if name != REFERENCE {
            broken.extend(page.undefined.iter().map(|reference| format!("{name}: [{reference}]")));
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_readme_links_the_guide() {
    let root = source().join("../..");
    let readme = parse(&read(&root.join("README.md")));
    let files: Vec<&String> = readme.links.iter().filter(|link| !is_external(link)).collect();
    assert!(
        files.iter().any(|file| file.as_str() == "docs/src/SUMMARY.md"),
        "no link to the guide: {files:?}"
    );
    let pages = pages();
    for link in files {
        let (file, id) = link.split_once('#').map_or((link.as_str(), None), |(file, id)| (file, Some(id)));
        assert!(root.join(file).exists(), "README.md: {link}");
        let page = file.strip_prefix("docs/src/").and_then(|name| pages.get(name));
        assert!(id.is_none_or(|id| page.is_some_and(|page| page.anchors.contains(id))), "README.md: {link}");
    }
}

#[test]
fn the_pages_for_contributors_link_what_is_there() {
    let root = source().join("../..");
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let links = parse(&read(&root.join(page))).links;
        assert!(!links.is_empty(), "{page} has no links");
        for link in links.iter().filter(|link| !is_external(link)) {
            assert!(root.join(link).exists(), "{page}: {link}");
        }
    }
}

#[test]
fn a_link_without_a_target_is_found() {
    let page = parse("# A b, `c`!\n\n# A b c\n\n[x](other.md#y), [z]");
    assert_eq!(page.anchors, BTreeSet::from(["a-b-c".to_owned(), "a-b-c-1".to_owned()]));
    assert_eq!((page.links, page.undefined), (vec!["other.md#y".to_owned()], vec!["z".to_owned()]));
}
