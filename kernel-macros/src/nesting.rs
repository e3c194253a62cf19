//! Nesting depth of tokens: a limit with an error, and a stack that is large enough for anything within the limit.
//!
//! `syn`, every phase after it, and dropping their trees recurse as deep as expressions, blocks, types and patterns are
//! nested. rustc runs macros on a stack of 8 MiB and ends with a signal where that is not enough, so the tokens are measured
//! first, in a loop, and the phases run on a stack of that size, which takes memory only as far as it is used.
//!
//! Invariant: the level of a token is at least the depth of the node that it becomes a part of, whatever the tokens mean.

use corosensei::stack::DefaultStack;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::diagnostics::{Diagnostic, Loc};

/// Brackets in one another, as in Clang (`-fbracket-depth`); rustc 1.95 itself ends with a signal at 600 to 1,000.
pub const MOST_BRACKETS: usize = 256;

/// Levels of operators, calls and brackets in one another; rustc 1.95 itself ends with a signal at 5,000 operators.
pub const MOST_LEVELS: usize = 10_000;

/// Stack for one level in an unoptimised build, in bytes.
const STACK_PER_LEVEL: usize = 32 << 10;

/// Stack for a flat kernel, in bytes.
const STACK: usize = 16 << 20;

/// Calls `run` with the tokens of a macro's arguments and of its item, on a stack that is large enough for it, or `refuse` if
/// they are nested too deep.
pub fn with_stack<T>(
    [attr, item]: [TokenStream; 2],
    run: impl FnOnce(TokenStream, TokenStream) -> T,
    refuse: impl FnOnce(TokenStream, Diagnostic) -> T,
) -> T {
    match levels(&attr).and_then(|of_attr| Ok(of_attr.max(levels(&item)?))) {
        Ok(levels) => on_stack(STACK + levels * STACK_PER_LEVEL, || run(attr, item)),
        Err(error) => on_stack(STACK, || refuse(item, error)),
    }
}

/// Calls `run` on a stack of this size; on the present one if the system gives none.
fn on_stack<T>(bytes: usize, run: impl FnOnce() -> T) -> T {
    match DefaultStack::new(bytes) {
        Ok(stack) => corosensei::on_stack(stack, run),
        Err(_) => run(),
    }
}

/// Returns true for tokens that [`with_stack`] does not refuse.
pub fn fits(tokens: &TokenStream) -> bool {
    levels(tokens).is_ok()
}

/// The tokens between two brackets, as far as they were looked at.
struct Open {
    rest: proc_macro2::token_stream::IntoIter,
    /// The level of the brackets.
    base: usize,
    /// Levels of the expression so far.
    chain: usize,
    /// Generic arguments that are open: a comma does not end the type around them.
    angles: usize,
    /// The levels before each `if`, `match`, `while` or `for` whose block has not come.
    heads: Vec<usize>,
    /// Set after a block, where a statement or an arm may begin without a separator.
    after_block: bool,
    /// True if the current expression has begun: brackets are then a call, an index or a struct literal.
    continues: bool,
}

impl Open {
    fn new(tokens: TokenStream, base: usize) -> Open {
        Open {
            rest: tokens.into_iter(),
            base,
            chain: 0,
            angles: 0,
            heads: Vec::new(),
            after_block: false,
            continues: false,
        }
    }

    fn end_expression(&mut self) {
        self.chain = self.angles;
        self.continues = false;
        self.heads.clear();
    }

    fn punct(&mut self, sign: char, spacing: Spacing) {
        match sign {
            '#' if self.after_block => self.end_expression(),
            ',' => self.end_expression(),
            ';' => {
                self.angles = 0;
                self.end_expression();
            }
            // Neither paths nor attributes nest.
            ':' | '#' | '$' | '\'' => {}
            '>' => self.angles = self.angles.saturating_sub(usize::from(spacing == Spacing::Alone)),
            '<' => {
                self.angles += 1;
                self.chain += 1;
            }
            _ => self.chain += 1,
        }
    }

    fn word(&mut self, word: &str) {
        if self.after_block && !matches!(word, "else" | "as") {
            self.end_expression();
        }
        match word {
            "else" | "as" | "return" | "break" | "move" | "unsafe" | "ref" | "mut" | "dyn" | "impl" => {
                self.chain += 1;
            }
            "if" | "match" | "while" | "for" => self.heads.push(self.chain),
            _ => {}
        }
    }
}

/// The levels of these tokens, or where there are too many.
fn levels(tokens: &TokenStream) -> Result<usize, Diagnostic> {
    let mut open = vec![Open::new(tokens.clone(), 0)];
    let mut most = 0;
    while let Some(inner) = open.last_mut() {
        let Some(tree) = inner.rest.next() else {
            open.pop();
            continue;
        };
        let block = matches!(&tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let loc = match &tree {
            TokenTree::Group(group) => group.span_open(),
            other => other.span(),
        };
        let level = |inner: &Open| inner.base + inner.chain;
        match tree {
            TokenTree::Punct(punct) => inner.punct(punct.as_char(), punct.spacing()),
            TokenTree::Ident(word) => inner.word(&word.to_string()),
            TokenTree::Literal(_) => {
                if inner.after_block {
                    inner.end_expression();
                }
            }
            TokenTree::Group(group) => {
                if inner.after_block && group.delimiter() != Delimiter::Bracket && !block {
                    inner.end_expression();
                }
                inner.chain += usize::from(inner.continues);
                let within = Open::new(group.stream(), level(inner) + 1);
                most = most.max(within.base);
                if block && let Some(before) = inner.heads.pop() {
                    // A `<` in the condition was a comparison and opened nothing.
                    inner.angles = 0;
                    inner.chain = before + 1;
                }
                inner.after_block = block;
                inner.continues = true;
                // Brackets without a sign come from macros.
                if open.len() > MOST_BRACKETS {
                    let message = format!(
                        "expected at most {MOST_BRACKETS} brackets in one another, found more\nhelp: give what is inside a name: a \
                         `let`, a `const`, a `type` or a function"
                    );
                    return Err(Diagnostic::new(loc, message));
                }
                open.push(within);
                continue;
            }
        }
        inner.after_block = false;
        inner.continues = true;
        most = most.max(level(inner));
        if level(inner) > MOST_LEVELS {
            let message = format!(
                "expected an expression of at most {MOST_LEVELS} operators and calls in one another, found more\nhelp: give parts of \
                 it a name by `let`, or write a loop"
            );
            return Err(Diagnostic::new(Loc::from(loc), message));
        }
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels_of(text: &str) -> Result<usize, String> {
        levels(&text.parse().expect("Rust's tokens")).map_err(|error| error.message)
    }

    #[test]
    fn what_nests_counts() {
        for (one, more) in [
            ("a + b", " + b"),
            ("a.b()", ".b()"),
            ("-a", "-"),
            ("if a == b { 1 } else { 2 }", " else if c { 3 }"),
            ("f(1)", "(2)"),
            ("[1]", "[2]"),
            ("|x| x", "|y| y"),
            ("a as u32", " as u64"),
            ("A<B", "<B"),
            ("A<u8, B", "<u8, B"),
            ("x @ y", " @ y"),
        ] {
            let (few, many) = (levels_of(one), levels_of(&format!("{one}{}", more.repeat(100))));
            assert!(many.clone().unwrap() >= few.clone().unwrap() + 100, "{one}: {few:?}, {many:?}");
        }
        assert!(levels_of(&format!("{}a{}", "(".repeat(200), ")".repeat(200))).unwrap() >= 200);
    }

    #[test]
    fn what_stands_in_a_row_does_not() {
        for one in [
            "let x = a + b;",
            "if a == b { c(d); } ",
            "match a { B => c, D => e }\n",
            "while a < b { c += 1; }",
            "fn f(a: u32) -> u32 { a + 1 }",
            "#[device] pub fn f() {}",
            "impl A { fn f() {} }",
            "x[i] = y[i];",
            "a => 1,",
            "a => { b }",
        ] {
            let (few, many) = (levels_of(one).unwrap(), levels_of(&one.repeat(100)).unwrap());
            assert!(many <= few + 2, "{one}: {few}, {many}");
        }
    }

    #[test]
    fn too_deep() {
        let brackets = levels_of(&format!("{}a{}", "(".repeat(300), ")".repeat(300)));
        assert!(
            brackets.unwrap_err().starts_with("expected at most 256 brackets in one another, found more")
        );
        let operators = levels_of(&format!("a{}", " + a".repeat(20_000)));
        assert!(operators.unwrap_err().starts_with("expected an expression of at most 10000 operators"));
        assert!(levels_of(&format!("{} {{}}", "if a == 1 {} else ".repeat(3_000))).is_ok());
    }
}
