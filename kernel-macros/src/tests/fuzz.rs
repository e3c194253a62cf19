//! Token trees with mistakes in them, made of kernels: the compiler accepts them or reports errors. It does not panic, report an
//! internal error, take long, or take much memory.
//!
//! A few seconds; `FUZZ_SECONDS=3600` sets the time, `FUZZ_SEED=7` begins elsewhere, `FUZZ_CASE=100` with that case of the seed. A failing text is in a file that the failure
//! names; the file is there even if the process was ended by a signal.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};

use super::growth::PROGRAMS;
use super::limits::{cpu_time, errors_of, expanded};

/// The longest text.
const MOST_BYTES: usize = 10_000;

/// Most processor time for one text in a run of so many seconds, on a machine with nothing else to do.
const MOST_TIME: Duration = Duration::from_secs(1);

/// Most processor time for one text among other tests: what is beyond has no end, or grows too fast.
const MOST_TIME_BESIDE_OTHERS: Duration = Duration::from_secs(20);

/// Most memory for one text, in bytes.
const MOST_MEMORY: usize = 1 << 30;

/// Longest time without news of a text.
const PATIENCE: Duration = Duration::from_secs(120);

/// An allocator that counts what this thread holds, for all tests of this crate.
mod memory {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    thread_local! {
        static HELD: Cell<usize> = const { Cell::new(0) };
        static MOST: Cell<usize> = const { Cell::new(0) };
    }

    fn taken(bytes: usize) {
        // While a thread ends its counters are gone, and nobody asks.
        _ = HELD.try_with(|held| {
            held.set(held.get().wrapping_add(bytes));
            MOST.with(|most| most.set(most.get().max(held.get())));
        });
    }

    fn given_back(bytes: usize) {
        _ = HELD.try_with(|held| held.set(held.get().saturating_sub(bytes)));
    }

    // SAFETY: the system's allocator does it all; counting does not allocate.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            taken(layout.size());
            // SAFETY: by the caller.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            given_back(layout.size());
            // SAFETY: by the caller.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            taken(size);
            given_back(layout.size());
            // SAFETY: by the caller.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }

    /// Calls it; with the most bytes that this thread held in the meantime beyond what it held before.
    pub fn most<T>(run: impl FnOnce() -> T) -> (T, usize) {
        let before = HELD.get();
        MOST.set(before);
        let result = run();
        (result, MOST.get().saturating_sub(before))
    }
}

/// Numbers that look random, the same ones for the same seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Less than `bound`; 0 if that is 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// A token tree that can be changed.
#[derive(Clone)]
enum Node {
    Brackets(Delimiter, Vec<Node>),
    Token(TokenTree),
}

fn nodes(tokens: TokenStream) -> Vec<Node> {
    let node = |tree| match tree {
        TokenTree::Group(group) => Node::Brackets(group.delimiter(), nodes(group.stream())),
        token => Node::Token(token),
    };
    tokens.into_iter().map(node).collect()
}

fn tokens(nodes: &[Node]) -> TokenStream {
    let tree = |node: &Node| match node {
        Node::Brackets(delimiter, inner) => TokenTree::Group(Group::new(*delimiter, tokens(inner))),
        Node::Token(token) => token.clone(),
    };
    nodes.iter().map(tree).collect()
}

/// Pieces of the language, pieces that it lacks, and pieces larger than anybody means.
const PIECES: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "&&",
    "|",
    "||",
    "!",
    "<",
    "<<",
    "==",
    "..",
    "..=",
    "=",
    "+=",
    "?",
    "@",
    "=>",
    "->",
    ":",
    "::",
    ";",
    ",",
    ".",
    "#",
    "_",
    "as u8",
    "as f64",
    "as usize",
    "let",
    "mut",
    "ref",
    "if",
    "else",
    "match",
    "loop",
    "while",
    "for",
    "in",
    "break",
    "continue",
    "return",
    "fn",
    "struct",
    "enum",
    "impl",
    "const",
    "type",
    "trait",
    "mod",
    "use",
    "unsafe",
    "move",
    "Self",
    "self",
    "super",
    "crate",
    "dyn",
    "async",
    "await",
    "where",
    "pub",
    "static",
    "true",
    "false",
    "u8",
    "i64",
    "f16",
    "f32",
    "usize",
    "bool",
    "Option<u32>",
    "Some(1)",
    "None",
    "[0u32; 3]",
    "(1, 2.0)",
    "&mut",
    "&x",
    "*p",
    "x[0]",
    "y[i]",
    "x.len()",
    "1..=2",
    "()",
    "{}",
    "[]",
    "|a| a",
    "\"text\"",
    "'a'",
    "'a",
    "b\"x\"",
    "1e400",
    "0x1p3",
    "-1",
    "r#type",
    "barrier()",
    "thread_idx().x",
    "shared::<[f32; 64]>()",
    "shared_dyn::<u32>()",
    "warp::shfl_xor(s, 1)",
    "block_reduce_add(s)",
    "println!(\"{}\", s)",
    "assert!(p)",
    "panic!()",
    "inline_ptx!(\"\")",
    "unsafe { *y.get_unchecked_mut(i) = s }",
    "#[unroll]",
    "#[unroll(4)]",
    "#[ilp(4)]",
    "#[prefetch(2)]",
    "#[predicate]",
    "#[warp_reduce(add)]",
    "#[shfl(down = 16)]",
    "#[ballot]",
    "#[kernel]",
    "#[device]",
    "#[kernel(block(64))]",
    "#[kernel(coarsen(4))]",
    "#[derive(Clone, Copy)]",
    "#[repr(C)]",
    "x.iter().sum::<f32>()",
    "core::f32::consts::PI",
    "for j in 0..n { s += x[j]; }",
    "for (j, v) in x.iter().enumerate() { s += v; }",
    "while i < n { i += 1; }",
    "if let Some(v) = o { v }",
];

/// Numbers at the edges of what holds them.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "31",
    "32",
    "33",
    "64",
    "255",
    "256",
    "1024",
    "65536",
    "1_000_000",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1.0",
    "0.0",
    "1e38",
    "1e39",
    "1e308",
    "1e309",
    "1u8",
    "256u8",
    "1f32",
    "1.5f16",
    "1i128",
];

fn piece(text: impl AsRef<str>) -> Vec<Node> {
    nodes(text.as_ref().parse().unwrap_or_default())
}

/// All lists of trees in a tree, by how to come to them.
fn lists(nodes: &[Node], at: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    found.push(at.clone());
    for (index, node) in nodes.iter().enumerate() {
        if let Node::Brackets(_, inner) = node {
            at.push(index);
            lists(inner, at, found);
            at.pop();
        }
    }
}

fn list<'n>(mut nodes: &'n mut Vec<Node>, path: &[usize]) -> &'n mut Vec<Node> {
    for &index in path {
        let Node::Brackets(_, inner) = &mut nodes[index] else { unreachable!("paths lead through brackets") };
        nodes = inner;
    }
    nodes
}

/// One of the lists of trees, rather a deep one.
fn any_list<'n>(nodes: &'n mut Vec<Node>, random: &mut Random) -> &'n mut Vec<Node> {
    let mut found = Vec::new();
    lists(nodes, &mut Vec::new(), &mut found);
    let path = random.of(&found).clone();
    list(nodes, &path)
}

/// A run of trees.
fn run(nodes: &[Node], random: &mut Random, most: usize) -> Vec<Node> {
    let from = random.below(nodes.len());
    nodes[from..nodes.len().min(from + 1 + random.below(most))].to_vec()
}

/// Changes a tree once.
fn change(tree: &mut Vec<Node>, other: &mut Vec<Node>, random: &mut Random) {
    let kind = random.below(12);
    let list = any_list(tree, random);
    let at = random.below(list.len());
    match kind {
        0 if !list.is_empty() => _ = list.remove(at),
        1 if !list.is_empty() => list.insert(at, list[at].clone()),
        2 if !list.is_empty() => {
            let with = (at + 1 + random.below(6)).min(list.len() - 1);
            list.swap(at, with);
        }
        // Words by words and numbers by numbers: what this makes often parses.
        3 | 4 => {
            let words: Vec<Node> = any_list(other, random).clone();
            let alike = |node: &Node, other: &Node| match (node, other) {
                (Node::Token(a), Node::Token(b)) => std::mem::discriminant(a) == std::mem::discriminant(b),
                (Node::Brackets(a, _), Node::Brackets(b, _)) => a == b,
                _ => false,
            };
            let Some(node) = list.get_mut(at) else { return };
            let known: Vec<&Node> = words.iter().filter(|other| alike(node, other)).collect();
            if !known.is_empty() {
                *node = (*random.of(&known)).clone();
            }
        }
        5 => {
            let from = any_list(other, random);
            let run = run(from, random, 12);
            list.splice(at..at, run);
        }
        6 => {
            let piece = piece(random.of(PIECES));
            list.splice(at..at, piece);
        }
        // Many times the same, in a row or in one another.
        7 => {
            let run = run(list, random, 12);
            let times = *random.of(&[2, 5, 20, 100, 400]);
            for _ in 0..times {
                list.splice(at..at, run.clone());
            }
        }
        8 => {
            let delimiter = *random.of(&[Delimiter::Brace, Delimiter::Parenthesis, Delimiter::Bracket]);
            let times = *random.of(&[1, 3, 50, 250, 300]);
            let to = list.len().min(at + 1 + random.below(4));
            let prefix =
                piece(random.of(&["", "", "Some", "-", "if p", "f", "loop", "match u", "|t: f32|", "S"]));
            let mut inner: Vec<Node> = list.drain(at..to).collect();
            for _ in 0..times {
                inner = prefix.iter().cloned().chain([Node::Brackets(delimiter, inner)]).collect();
            }
            list.splice(at..at, inner);
        }
        9 | 10 => {
            let number =
                list.iter().skip(at).position(|node| matches!(node, Node::Token(TokenTree::Literal(_))));
            if let Some(ahead) = number {
                let text = random.of(NUMBERS);
                let number: Literal = text.parse().expect("a number");
                list[at + ahead] = Node::Token(number.into());
            }
        }
        _ => {
            // A name by another one of the same text.
            let names: Vec<Ident> = list
                .iter()
                .filter_map(|node| match node {
                    Node::Token(TokenTree::Ident(name)) => Some(name.clone()),
                    _ => None,
                })
                .collect();
            if !names.is_empty() {
                let (from, to) = (random.of(&names).clone(), random.of(&names).clone());
                for node in list.iter_mut() {
                    if matches!(node, Node::Token(TokenTree::Ident(name)) if *name == from) {
                        *node = Node::Token(to.clone().into());
                    }
                }
            }
        }
    }
}

/// Kernels and modules of the examples and of the growth tests.
fn corpus() -> Vec<String> {
    let mut texts: Vec<String> =
        PROGRAMS.iter().flat_map(|program| [2, 5].map(|size| (program.text)(size))).collect();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/src");
    texts.extend(kernels_in(&examples).into_iter().map(|(_, text)| text));
    texts.retain(|text| text.len() <= MOST_BYTES);
    texts
}

/// The kernels and modules of kernels in the files of a folder, each with its file.
fn kernels_in(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries =
        std::fs::read_dir(folder).map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())));
    let mut paths: Vec<PathBuf> = entries.into_iter().flatten().collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(kernels_in(&path));
        }
        let file =
            std::fs::read_to_string(&path).ok().filter(|_| path.extension().is_some_and(|end| end == "rs"));
        let Some(file) = file.and_then(|text| syn::parse_file(&text).ok()) else { continue };
        let mut items = file.items;
        while let Some(mut item) = items.pop() {
            let attrs = match &mut item {
                syn::Item::Fn(function) => &mut function.attrs,
                syn::Item::Mod(module) => &mut module.attrs,
                _ => continue,
            };
            let ours = attrs
                .iter()
                .position(|attr| ["kernel", "kernel_module"].iter().any(|name| attr.path().is_ident(name)));
            match (ours, item) {
                (None, syn::Item::Mod(module)) => {
                    items.extend(module.content.into_iter().flat_map(|content| content.1))
                }
                (Some(at), mut item) => {
                    if let syn::Item::Fn(syn::ItemFn { attrs, .. }) = &mut item {
                        attrs.swap(0, at);
                    } else if let syn::Item::Mod(syn::ItemMod { attrs, .. }) = &mut item {
                        attrs.clear();
                    }
                    found.push((path.clone(), quote::quote!(#item).to_string()));
                }
                (None, _) => {}
            }
        }
    }
    found
}

/// The first error of each kernel in `FUZZ_DIR`, to be compared between two versions of the compiler.
#[test]
#[ignore = "a comparison"]
fn refused_kernels() {
    let folder = std::env::var("FUZZ_DIR").expect("`FUZZ_DIR` names a folder");
    for (path, text) in kernels_in(Path::new(&folder)) {
        let errors = errors_of(&expanded(&text));
        if let Some(error) = errors.first() {
            let name = text.split("fn ").nth(1).unwrap_or_default();
            println!("{}: {}: {error}", path.display(), name.split(' ').next().unwrap_or_default());
        }
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number")))
}

/// Expands a text; what is wrong with that.
fn problem(text: &str) -> Option<String> {
    let start = cpu_time();
    let (expansion, memory) = memory::most(|| expanded(text));
    let time = cpu_time() - start;
    if expansion.contains("mistake of the compiler") {
        return Some("a mistake of the compiler".to_owned());
    }
    let is_run = std::env::var_os("FUZZ_SECONDS").is_some();
    if time > if is_run { MOST_TIME } else { MOST_TIME_BESIDE_OTHERS } {
        return Some(format!("{time:?} on a processor"));
    }
    (memory > MOST_MEMORY).then(|| format!("{memory} bytes"))
}

#[test]
fn token_trees() {
    let seconds = setting("FUZZ_SECONDS").unwrap_or(5);
    let seed = setting("FUZZ_SEED").unwrap_or(1);
    let go_on = std::env::var_os("FUZZ_ALL").is_some();
    let path = |kind: &str| {
        std::env::temp_dir().join(format!("fuzz-tokens-{kind}-{seed}-{}.rs", std::process::id()))
    };
    let current = path("now");
    let (sender, receiver) = mpsc::channel();
    let watched = current.clone();
    std::thread::spawn(move || {
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(()) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    eprintln!("no end after {PATIENCE:?}: {}", watched.display());
                    std::process::exit(1);
                }
            }
        }
    });
    let corpus = corpus();
    let before = setting("FUZZ_CASE").map_or(0, |first| first.saturating_sub(1));
    let (started, mut count, mut accepted, mut failures) = (Instant::now(), before, 0_u64, 0_u64);
    while started.elapsed().as_secs() < seconds {
        let random = &mut Random(seed << 40 ^ count);
        count += 1;
        let [mut tree, mut other] = [(); 2].map(|()| piece(random.of(&corpus)));
        for _ in 0..*random.of(&[1, 1, 1, 2, 3, 8]) {
            change(&mut tree, &mut other, random);
        }
        let text = tokens(&tree).to_string();
        // Two slashes side by side begin a comment in a tree's text, which may then be no tree.
        if text.parse::<TokenStream>().is_err() {
            continue;
        }
        if text.len() > MOST_BYTES && !random.one_in(20) || text.len() > 4 * MOST_BYTES {
            continue;
        }
        _ = std::fs::write(&current, &text);
        _ = sender.send(());
        let found = catch_unwind(AssertUnwindSafe(|| problem(&text)));
        let too_long = text.len() > MOST_BYTES;
        match found {
            Ok(None) => accepted += 1,
            Ok(Some(_)) if too_long => {}
            other => {
                failures += 1;
                let kept = path(&format!("{count}"));
                _ = std::fs::write(&kept, &text);
                let message = match &other {
                    Ok(problem) => problem.clone().unwrap_or_default(),
                    Err(_) => "a panic".to_owned(),
                };
                eprintln!("case {count} of seed {seed}: {message}: {}", kept.display());
                match other {
                    _ if go_on => {}
                    Err(panic) => resume_unwind(panic),
                    Ok(_) => panic!("{message}"),
                }
            }
        }
    }
    _ = std::fs::remove_file(&current);
    println!("{accepted} of {} token trees in {:?}", count - before, started.elapsed());
    assert_eq!(failures, 0);
}

/// Expands the text in a file: `FUZZ_FILE=… cargo test -p kernel-macros --lib one_file -- --ignored --nocapture`.
#[test]
#[ignore = "for what the fuzz found"]
fn one_file() {
    let path = std::env::var("FUZZ_FILE").expect("`FUZZ_FILE` names a file");
    let text = std::fs::read_to_string(path).expect("a file that can be read");
    println!("{:?}", problem(&text));
    println!("{}", errors_of(&expanded(&text)).join("\n"));
}
