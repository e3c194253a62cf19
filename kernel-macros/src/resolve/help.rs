//! Names that mean nothing, and what to write instead.

use super::Meaning;
use super::items::Namespace;
use super::walk::{Binding, Resolver};
use crate::ast::{self, ItemKind};
use crate::builtins::{self, Form, Signature};
use crate::constants;
use crate::device::library;
use crate::diagnostics::{Loc, did_you_mean, edit_distance};
use crate::typed::Scalar;
use crate::views;

/// Names that are no type of the language, with what to write instead.
const OTHER_TYPES: &[(&str, &str)] = &[
    (
        "TensorMap",
        "take the matrix, `x: Matrix<'_, f16>`: `load` of a tile uses TMA where the GPU has it; tensor maps are for loaded PTX",
    ),
    ("CUtensorMap", "take the matrix, `x: Matrix<'_, f16>`: `load` of a tile uses TMA where the GPU has it"),
    ("f128", "use `f64`"),
    ("str", "use `&[u8]`"),
    ("String", "use `&[u8]`"),
    ("Vec", "pass a slice, or use an array or `shared::<[T; N]>()`"),
    ("Box", "there is no heap on the GPU: use the value itself, or an index into an array of them"),
    ("Rc", "there is no heap on the GPU: use the value itself"),
    ("Arc", "there is no heap on the GPU: use the value itself"),
    ("Cell", "declare the variable with `let mut`, and pass `&mut`"),
    ("RefCell", "declare the variable with `let mut`, and pass `&mut`"),
    ("Mutex", "use an atomic: `&[AtomicU32]` as a parameter, or `shared::<AtomicU32>()`"),
    ("RwLock", "use an atomic: `&[AtomicU32]` as a parameter, or `shared::<AtomicU32>()`"),
    ("HashMap", "use an array and search it"),
    ("HashSet", "use an array and search it"),
    ("BTreeMap", "use an array and search it"),
    ("BTreeSet", "use an array and search it"),
    ("VecDeque", "use an array, and two indices into it"),
    ("Range", "write the range where it is used: `start..end`"),
    ("float", "use `f32`"),
    ("double", "use `f64`"),
    ("half", "use `f16`"),
    ("int", "use `i32`"),
    ("uint", "use `u32`"),
    ("size_t", "use `usize`"),
    ("float2", "use `F32x2`"),
    ("float4", "use `F32x4`"),
    ("AtomicUsize", "use `AtomicU64`, or `AtomicU32`"),
    ("AtomicIsize", "use `AtomicI64`, or `AtomicI32`"),
    ("AtomicBool", "use `AtomicU32`"),
    ("AtomicU8", "use `AtomicU32`"),
    ("AtomicI8", "use `AtomicI32`"),
    ("AtomicU16", "use `AtomicU32`"),
    ("AtomicI16", "use `AtomicI32`"),
    ("AtomicF16", "use `AtomicF16x2`"),
];

/// Types of C++ whose names are conversions when they are called.
const CONVERSIONS: &[(&str, &str)] =
    &[("float", "f32"), ("double", "f64"), ("int", "i32"), ("uint", "u32"), ("size_t", "usize")];

impl Resolver<'_, '_> {
    /// The mistake of a path that has one of [`OTHER_TYPES`] in it: one, whether its type, a function or a variant is meant.
    pub(super) fn other_type(&self, words: &[String]) -> Option<String> {
        let (name, help) = OTHER_TYPES.iter().find(|row| words.iter().any(|word| word == row.0))?;
        Some(format!("expected a type, found `{name}`\nhelp: {help}"))
    }

    pub(super) fn unknown_value(&mut self, loc: Loc, words: &[String]) -> Meaning {
        if let Some(message) = self.other_type(words) {
            self.diagnostics.error_at_first(loc, message);
            return Meaning::Error;
        }
        let help = self.help_for_name(words);
        let what = if words.len() == 1 { "a variable or a constant" } else { "a constant" };
        let message = format!("expected {what}, found the unknown name `{}`\nhelp: {help}", words.join("::"));
        self.diagnostics.error_at_first(loc, message);
        Meaning::Error
    }

    pub(super) fn unknown_function(&mut self, loc: Loc, words: &[String]) -> Meaning {
        // `double(x)` converts in C++, or calls a function of the user's.
        if let [name] = words
            && let Some((_, ty)) = CONVERSIONS.iter().find(|row| row.0 == name)
        {
            let message = format!(
                "expected a function, found the unknown name `{name}`\nhelp: convert with `as {ty}`; a function outside the kernel is not \
                 seen: write it in the body, or put both into a `#[kernel_module]`"
            );
            self.diagnostics.error_at_first(loc, message);
            return Meaning::Error;
        }
        if let Some(message) = self.other_type(words) {
            self.diagnostics.error_at_first(loc, message);
            return Meaning::Error;
        }
        let help = self.help_for_function(words);
        let message =
            format!("expected a function, found the unknown name `{}`\nhelp: {help}", words.join("::"));
        self.diagnostics.error_at_first(loc, message);
        Meaning::Error
    }

    pub(super) fn help_for_name(&self, words: &[String]) -> String {
        if let Some(function) = builtins::function(words) {
            return format!("call it: `{}`", usage(function));
        }
        if let Some(help) = constants::near(words) {
            return help;
        }
        let [name] = words else { return self.help_for_path(words) };
        if let Some(help) = builtins::other_name(name) {
            return help;
        }
        if self.outer_variables.contains(name) {
            return "functions do not see the variables around them: pass it as a parameter, or write a closure".to_owned();
        }
        let known = self.names_in(Namespace::Value);
        let near = did_you_mean(name, known.iter().map(String::as_str));
        // `TILE` is hardly the variable `tile`.
        if let Some(near) = near.filter(|near| is_constant(near) || !is_constant(name)) {
            return format!("did you mean `{near}`?");
        }
        if self.is_used_from_outside(name) {
            return self.outside(name, &[]);
        }
        if name == "self" {
            return "only methods in an `impl` have `self`: pass it as a parameter".to_owned();
        }
        if is_constant(name) {
            let or = near.map(|near| format!("; or did you mean `{near}`?")).unwrap_or_default();
            return format!(
                "constants outside the kernel are not seen: declare `const {name}: T = …;` in the body, or put both into a \
                 `#[kernel_module]`{or}"
            );
        }
        "declare it with `let`, or pass it as a parameter".to_owned()
    }

    fn help_for_function(&self, words: &[String]) -> String {
        let Some((name, prefix)) = words.split_last() else { return String::new() };
        if name == "sync" && prefix.last().is_some_and(|module| module == "block") {
            return "write `barrier()`".to_owned();
        }
        if let Some(help) = builtins::other_name(name) {
            return help;
        }
        if let Some(row) = prefix.first().and_then(|first| OTHER_CRATES.iter().find(|row| row.0 == first)) {
            return row.1.to_owned();
        }
        if prefix.is_empty() && Scalar::from_name(name).is_some() {
            return format!("convert with `as {name}`");
        }
        if let Some(row) = builtins::TABLE.iter().find(|row| row.name == name) {
            let is_method = library::receivers(name).is_some() || builtins::method(name).is_some();
            return match row.form {
                Form::Fast if prefix.is_empty() && is_method => {
                    format!("write `x.{name}()`; faster and less accurate is `fast::{name}(x)`")
                }
                _ => format!("write `{}`", usage(row)),
            };
        }
        if let Some(help) = self.help_for_variant(name).filter(|_| prefix.is_empty()) {
            return help;
        }
        if prefix.is_empty() && library::receivers(name).is_some() {
            return format!("write `value.{name}(…)`");
        }
        if prefix.is_empty() {
            let known = self.names_in(Namespace::Value);
            if let Some(near) = did_you_mean(name, known.iter().map(String::as_str)) {
                return format!("did you mean `{near}`?");
            }
        }
        if let Some(near) = did_you_mean(name, builtins::TABLE.iter().map(|row| row.name))
            && let Some(row) = builtins::TABLE.iter().find(|row| row.name == near)
        {
            return format!("did you mean `{}`?", usage(row));
        }
        if let [module] = prefix
            && let Some(near) = near_in_module(module, name)
        {
            return format!("did you mean `{module}::{near}(…)`?");
        }
        if let [module] = prefix
            && let known = functions_in_module(module).collect::<Vec<_>>()
            && (1..=FEW).contains(&known.len())
        {
            let known: Vec<String> = known.iter().map(|name| format!("`{module}::{name}`")).collect();
            return format!("there are {}", known.join(" and "));
        }
        let program = &self.items.program;
        let is_kernel = |kernel: &ast::Kernel| program.functions[kernel.function.0].name == name;
        if prefix.is_empty() && program.kernels.iter().any(is_kernel) {
            return format!(
                "`{name}` is a kernel, which only the host launches: write what both do as a function of the module, and call that"
            );
        }
        if prefix.is_empty() && !self.is_used_from_outside(name) {
            return "functions outside the kernel are not seen: write it in the body, or put both into a `#[kernel_module]`"
                .to_owned();
        }
        self.help_for_path(words)
    }

    /// For `a::b::c`.
    fn help_for_path(&self, words: &[String]) -> String {
        let (first, last) =
            (words.first().map_or("", String::as_str), words.last().map_or("", String::as_str));
        let named = if matches!(first, "super" | "self" | "crate") { last } else { first };
        if let Some((_, help)) = OTHER_CRATES.iter().find(|row| row.0 == first) {
            return (*help).to_owned();
        }
        if HOST_CRATES.contains(&first) {
            return on_the_host(words);
        }
        let in_enum = words.split_last().and_then(|(last, prefix)| {
            let path: syn::Path = syn::parse_str(&prefix.join("::")).ok()?;
            match self.find_type(&path)? {
                super::TypeMeaning::Enum(id) => {
                    let variants = &self.items.program.enums[id.0].variants;
                    let names: Vec<String> = variants.iter().map(|variant| variant.0.to_string()).collect();
                    did_you_mean(last, names.iter().map(String::as_str))
                        .map(|near| format!("did you mean `{}::{near}`?", prefix.join("::")))
                }
                super::TypeMeaning::Struct(id) => {
                    let variants = &self.items.program.structs[id.0].variants.as_ref()?.list;
                    let names: Vec<String> =
                        variants.iter().map(|variant| variant.name.to_string()).collect();
                    did_you_mean(last, names.iter().map(String::as_str))
                        .map(|near| format!("did you mean `{}::{near}`?", prefix.join("::")))
                }
                _ => None,
            }
        });
        if let Some(help) = in_enum {
            return help;
        }
        let known = self.names_in(Namespace::Type);
        match did_you_mean(first, known.iter().map(String::as_str)) {
            Some(near) => {
                format!("did you mean `{}`?", [&[near.to_owned()], &words[1..]].concat().join("::"))
            }
            None => self.outside(named, words),
        }
    }

    /// For the name of a variant without its enum.
    fn help_for_variant(&self, name: &str) -> Option<String> {
        let of_enum = |of: &ast::Struct| {
            of.variants.as_ref().is_some_and(|of| of.list.iter().any(|variant| variant.name == name))
        };
        let found = self.items.program.structs.iter().find(|of| of_enum(of))?;
        Some(format!("did you mean `{}::{name}`?", found.name))
    }

    pub(super) fn help_for_type(&self, words: &[String]) -> String {
        let Some(name) = words.last() else { return String::new() };
        if let Some(help) = self.help_for_variant(name).filter(|_| words.len() == 1) {
            return help;
        }
        if let Some((_, help)) = OTHER_TYPES.iter().find(|row| row.0 == name) {
            return (*help).to_owned();
        }
        if name == "Self" {
            return "`Self` has a meaning in an `impl` only: write the type".to_owned();
        }
        if words.len() > 1 {
            return if words[0] == "Self" {
                "an `impl` of an operator has `Output`: write the type in full".to_owned()
            } else {
                self.help_for_path(words)
            };
        }
        if self.is_used_from_outside(name) {
            return self.outside(name, &[]);
        }
        let known = self.names_in(Namespace::Type);
        let scalars = Scalar::TABLE.iter().map(|row| row.1);
        if let Some(near) = did_you_mean(name, known.iter().map(String::as_str).chain(scalars)) {
            return format!("did you mean `{near}`?");
        }
        if views::is_view(name) {
            return format!("write its lifetime: `{name}<'_, u32>`");
        }
        let in_body = if self.in_signature { "" } else { "declare it in the body, or " };
        format!(
            "types outside the kernel are not seen: {in_body}put both into a `#[kernel_module]`, or `{name}` into a \
             `#[device_library]` that it links"
        )
    }

    /// A `use` brings it from where the macro sees nothing.
    fn is_used_from_outside(&self, name: &str) -> bool {
        self.use_of(name).is_some()
    }

    /// The path of the `use` that brings a name.
    fn use_of(&self, name: &str) -> Option<&syn::Path> {
        let module = &self.items.program.modules[self.module.0];
        let in_blocks = self.names.iter().filter_map(|entry| match entry.1 {
            Binding::Item(item) => Some(item),
            Binding::Local(_) | Binding::ConstParam(_) | Binding::TypeParam(_) => None,
        });
        module.items.iter().chain(in_blocks).filter(|item| item.name == name).find_map(|item| {
            match item.kind {
                ItemKind::Use(id) => Some(&self.items.program.uses[id.0].path),
                _ => None,
            }
        })
    }

    /// For a name from where the macro sees nothing, in a path.
    fn outside(&self, name: &str, path: &[String]) -> String {
        let used = self.use_of(name).into_iter().flat_map(|path| &path.segments);
        let words: Vec<String> = used.map(|segment| segment.ident.to_string()).collect();
        let library = possible_library(path, &words);
        if words.first().is_some_and(|first| HOST_CRATES.contains(&first.as_str())) {
            let row = OTHER_TYPES.iter().find(|row| words.iter().any(|word| word == row.0));
            return row.map_or_else(|| on_the_host(&words), |row| row.1.to_owned());
        }
        let what = format!("what is outside is not seen: put `{name}` into the `#[kernel_module]`");
        match library {
            Some(library) => {
                format!(
                    "{what}; if `{library}` is a `#[device_library]`, link it: `#[kernel_module(link({library}))]`"
                )
            }
            None => format!("{what}, or into a `#[device_library]` that it links"),
        }
    }

    /// Every name that could be meant here.
    fn names_in(&self, space: Namespace) -> Vec<String> {
        let mut names: Vec<String> = self
            .names
            .iter()
            .filter(|entry| match entry.1 {
                Binding::Local(_) | Binding::ConstParam(_) => space == Namespace::Value,
                Binding::TypeParam(_) => space == Namespace::Type,
                Binding::Item(item) => self.items.is_in(item.kind, space),
            })
            .map(|entry| entry.0.clone())
            .collect();
        let module = &self.items.program.modules[self.module.0];
        let items = module.items.iter().chain(&module.libraries);
        names.extend(
            items.filter(|item| self.items.is_in(item.kind, space)).map(|item| item.name.to_string()),
        );
        names
    }
}

/// The module that may be a library to link, of a path and of the `use` that brings its first name: a module is in small letters.
fn possible_library(path: &[String], used: &[String]) -> Option<String> {
    let is_module = |word: &String| word.starts_with(|c: char| c.is_lowercase());
    let from_here = |words: &[String]| -> Vec<String> {
        words.iter().skip_while(|word| matches!(word.as_str(), "super" | "self")).cloned().collect()
    };
    let of_use = match path {
        [first, _, ..] if is_module(first) => used,
        _ => used.split_last().map_or(&[][..], |used| used.1),
    };
    let of_path = &path[..path.len().saturating_sub(1)];
    let is_relative = path.first().is_some_and(|first| matches!(first.as_str(), "super" | "self" | "crate"));
    let words = from_here(if is_relative { of_path } else { of_use });
    let is_all = words.iter().all(is_module) && words.last().is_some_and(|last| last != "crate");
    is_all.then(|| words.join("::"))
}

/// Names that programs in CUDA, or on the host, have their functions from, with what to write instead.
const OTHER_CRATES: &[(&str, &str)] = &[
    (
        "rand",
        "make a generator for each thread: `let mut rng = Pcg32::new(seed, global_idx().x as u64);`, then `rng.next_f32()`",
    ),
    (
        "cooperative_groups",
        "write `barrier()` for a block, `warp::sync()` for a warp, `cluster::sync()` for a cluster, `grid_barrier()` for the grid",
    ),
    (
        "cg",
        "write `barrier()` for a block, `warp::sync()` for a warp, `cluster::sync()` for a cluster, `grid_barrier()` for the grid",
    ),
    ("wmma", "write `warp::Left`, `warp::Right` and `warp::Acc`: `warp::Acc::<f32, 16, 16>::zero()`"),
    ("thread", "write `global_idx()`, or its parts: `thread_idx()`, `block_idx()`, `block_dim()`"),
];

/// Crates of which kernels see what the language knows, and no more.
pub(super) const HOST_CRATES: &[&str] = &["std", "core", "alloc"];

/// A path into the standard library, which the language does not know.
fn on_the_host(words: &[String]) -> String {
    const INSTEAD: &[(&str, &str)] = &[
        (
            "thread",
            "the launch starts the threads, `.over(n)` as many as there are elements; `nanosleep(ns)` lets one sleep",
        ),
        ("time", "read the clock of the GPU: `special::clock64()`, or time the launch on the host"),
        ("collections", "there is no heap on the GPU: use an array or a slice"),
        ("vec", "there is no heap on the GPU: use an array or a slice"),
        ("boxed", "there is no heap on the GPU: use the value itself"),
        ("string", "there are no strings on the GPU: use `&[u8]`"),
        ("fs", "there are no files on the GPU: read on the host, and pass a slice"),
        ("io", "`println!` works in kernels; other input and output is for the host"),
        ("env", "ask on the host, and pass what it says"),
    ];
    let instead = words.get(1).and_then(|of| INSTEAD.iter().find(|row| row.0 == of));
    let what = "kernels see of the standard library only what the language lists";
    instead.map_or_else(|| format!("{what}: do it on the host, and pass the result"), |row| row.1.to_owned())
}

/// So many functions of a module are listed.
const FEW: usize = 2;

/// The functions of one of the language's modules: `warp`, `block`, `fast`, …
fn functions_in_module(module: &str) -> impl Iterator<Item = &'static str> {
    let own = builtins::TABLE.iter().filter(move |row| {
        let of = match row.form {
            Form::Warp => "warp",
            Form::Fast => "fast",
            Form::Block => "block",
            Form::Cluster => "cluster",
            Form::Special => "special",
            Form::Target => "target",
            Form::Function
            | Form::Method
            | Form::VectorMethod
            | Form::Associated
            | Form::Pointer
            | Form::Slice
            | Form::Memory
            | Form::VectorAssociated => return false,
        };
        of == module
    });
    let of_library =
        library::methods().filter(move |row| matches!(row.form, library::Form::Path(of) if of == module));
    own.map(|row| row.name).chain(of_library.map(|row| row.name))
}

/// The function of one of the language's modules whose name has most words in common with an unknown one; of several the one that takes fewest
/// changes.
fn near_in_module(module: &str, name: &str) -> Option<&'static str> {
    let known = functions_in_module(module);
    let written: Vec<&str> = name.split('_').map(usual_word).collect();
    let shared = |known: &str| known.split('_').filter(|word| written.contains(word)).count();
    let name = written.join("_");
    known.filter(|known| shared(known) > 0).min_by_key(|known| {
        // A sum is meant most often.
        let is_sum = known.split('_').any(|word| word == "add");
        (std::cmp::Reverse(shared(known)), !is_sum, edit_distance(&name, known))
    })
}

/// The language's word for one that other libraries have in names of collectives.
fn usual_word(word: &str) -> &str {
    match word {
        "sum" | "plus" => "add",
        "product" | "prod" => "mul",
        "minimum" => "min",
        "maximum" => "max",
        "shuffle" => "shfl",
        "vote" => "ballot",
        other => other,
    }
}

/// `TILE_2`
pub(super) fn is_constant(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The syntax of a function's call, for messages.
pub(crate) fn usage(row: &Signature) -> String {
    let dots = if row.params.is_empty() { "" } else { "…" };
    match row.form {
        Form::Function => format!("{}({dots})", row.name),
        Form::Warp => format!("warp::{}({dots})", row.name),
        Form::Fast => format!("fast::{}({dots})", row.name),
        Form::Block => format!("block::{}({dots})", row.name),
        Form::Cluster => format!("cluster::{}({dots})", row.name),
        Form::Special => format!("special::{}({dots})", row.name),
        Form::Target => format!("target::{}({dots})", row.name),
        Form::Method | Form::VectorMethod => format!("value.{}({dots})", row.name),
        Form::Associated => format!("f32::{}({dots})", row.name),
        Form::Pointer => format!("core::ptr::{}({dots})", row.name),
        Form::Slice => format!("core::slice::{}({dots})", row.name),
        Form::Memory => format!("{}::<f32>()", row.name),
        Form::VectorAssociated => format!("F32x4::{}({dots})", row.name),
    }
}
