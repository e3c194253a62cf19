//! Texts in the dialects of PTX that others write: cases between lines `//// name`, in the files beside this one. A case is a module, or
//! the body of a kernel whose `%rd0` points to a buffer; its last line, `// => …`, says what loading and running it gives.

use std::path::{Path, PathBuf};

/// The files, by name.
pub const FILES: &[&str] = &["vectors", "operands", "scopes", "collectives", "refused", "video"];

/// Prefix of the last line of a case.
pub const OUTCOME: &str = "// => ";
/// Prefix of the outcome of a text that is refused.
pub const REFUSED: &str = "refused: ";

/// A text and what comes of it.
pub struct Case {
    pub name: String,
    /// As it is in the file.
    pub source: String,
    /// After `// => `; empty if it is not known yet.
    pub outcome: String,
}

impl Case {
    /// Returns true if PTX does not allow it.
    pub fn is_refused(&self) -> bool {
        self.outcome.starts_with(REFUSED)
    }

    /// The whole module.
    pub fn module(&self) -> String {
        if self.source.trim_start().starts_with(".version") {
            return self.source.clone();
        }
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry test(.param .u64 out)\n{{\n\
             .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>;\n\
             .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .u16 %us<9>; .reg .u64 %ud<9>; .reg .v4 .f32 %V<3>;\n\
             .reg .v2 .u32 %W<3>; .reg .v4 .b32 %B; .reg .v2 .f64 %D; .reg .v2 .b64 %Q; .reg .v4 .u16 %H;\n\
             ld.param.u64 %rd0, [out];\n{}\nret;\n}}\n",
            self.source
        )
    }
}

/// The directory of the files.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("kernel-runtime/tests/dialects")
}

/// The cases of a file.
pub fn cases(file: &str) -> Vec<Case> {
    let path = directory().join(format!("{file}.ptx"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("//// ") {
            cases.push(Case { name: name.to_owned(), source: String::new(), outcome: String::new() });
            continue;
        }
        // Lines before the first case describe the file.
        let Some(case) = cases.last_mut() else { continue };
        match line.strip_prefix(OUTCOME) {
            Some(outcome) => case.outcome = outcome.to_owned(),
            None => case.source += &format!("{line}\n"),
        }
    }
    assert!(!cases.is_empty(), "{}: no cases", path.display());
    cases
}
