//! The guide in `docs`: its chapters as doc tests, so that every Rust snippet of theirs is compiled and run.
//!
//! `cargo test -p guide --doc first_kernel` runs those of one chapter. The reference is tested in `kernel-macros`, where it is the
//! documentation of `#[kernel]`.

/// Defines a public item for each chapter, with the chapter as its documentation under `cfg(doctest)`, and the list of their files.
macro_rules! chapters {
    ($($name:ident: $file:literal,)*) => {
        /// Files of the chapters whose snippets are doc tests, in `docs/src`.
        pub const CHAPTERS: &[&str] = &[$($file),*];

        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../docs/src/", $file))]
            pub mod $name {}
        )*
    };
}

chapters! {
    introduction: "introduction.md",
    first_kernel: "first-kernel.md",
    threads: "threads.md",
    memory: "memory.md",
    programs: "programs.md",
    tensor_cores: "tensor-cores.md",
    debugging: "debugging.md",
    testing: "testing.md",
    speed: "speed.md",
    tuning: "tuning.md",
    interop: "interop.md",
    porting_cuda: "porting-cuda.md",
    porting_others: "porting-others.md",
    safety: "safety.md",
}
