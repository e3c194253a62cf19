//! The `#[kernel]` attribute: a Rust function becomes PTX while rustc expands the macro. Use it through
//! `kernel-runtime`, whose prelude exports it.
//!
//! The phases, one module each:
//!
//! ```text
//! tokens ─parse→ ast ─resolve, infer, check→ typed tree ─contract→ typed tree ─lower→ IR ─ptx_gen::compile→ PTX
//!                                                                       └─host→ the same body as ordinary Rust
//! ```

mod analyze;
mod ast;
mod atomics;
mod attrs;
mod builtins;
mod called;
mod chains;
mod check;
mod closed;
mod closure_copies;
mod configured;
mod constants;
mod contract;
mod copy;
mod crate_name;
mod cuda_names;
mod declarative;
mod device;
mod diagnostics;
mod expand;
mod host;
mod infer;
mod literal;
mod lower;
mod module;
mod nesting;
mod own_path;
mod parse;
mod partitions;
mod resolve;
#[cfg(test)]
mod tests;
mod typed;
mod views;
mod walk;

/// Compiles a function to a GPU kernel.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[kernel(launch_bounds(256))]
/// pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_idx().x;
///     if i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// // The same body runs on the CPU:
/// let (x, mut y) = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]);
/// saxpy::cpu(2.0, &x, &mut y).over(3).run()?;
/// assert_eq!(y, [12.0, 24.0, 36.0]);
/// # Ok::<(), kernel_runtime::Error>(())
/// ```
///
/// The function becomes one that prepares a launch: scalars go by value, `&[T]` takes `&DeviceBuffer<T>`, `&mut [T]`
/// takes `&mut DeviceBuffer<T>`. `saxpy(2.0, &x, &mut y).over(n).run()?` launches at least `n` threads. A type of the
/// same name has the compiled kernel, `saxpy::KERNEL`, and the same body for the CPU, `saxpy::cpu(…)`.
///
/// # Attributes
///
/// | attribute | meaning |
/// |---|---|
/// | `launch_bounds(max_threads[, min_blocks[, max_cluster]])` | blocks have at most `max_threads` threads, registers are limited so that `min_blocks` of them fit a multiprocessor, and clusters have at most `max_cluster` blocks: see [launches](#launches) |
/// | `block(x[, y[, z]])` | blocks have exactly this size |
/// | `cluster(x[, y[, z]])` | blocks come in clusters of exactly this size |
/// | `nonportable_cluster` | clusters have up to 16 blocks, which not every device holds: see [launches](#launches) |
/// | `cooperative` | all blocks of a launch run at once, and may wait for each other by `grid_barrier()` |
/// | `maxnreg(n)` | a thread has at most `n` registers |
/// | `arch(sm_80, sm_90a)` | one variant for each of these: see [architectures](#architectures) |
/// | `occupancy(min = 0.5)` | every launch can fill this part of a multiprocessor's warps: see [promises](#promises) |
/// | `spills(0)` | no register goes to memory: see [promises](#promises) |
/// | `instances(T = [f32, f64], N = [1, 4])` | the arguments that a generic kernel is compiled for: see [items](#items) |
/// | `tune(N = [1, 2, 4], block = [128, 256])` | the same for what the runtime chooses by timing it: see [tuned kernels](#tuned-kernels) |
/// | `fp_contract(off)` | `a * b + c` rounds twice, as on the CPU, instead of once |
/// | `fast_math` | `f32` as with CUDA's `-use_fast_math`: see [fast mathematics](#fast-mathematics) |
/// | `index(u64)` | slices of 2³² elements and more, and as many threads: see [long slices](#long-slices) |
/// | `checks(overflow)` | integers that overflow panic, as in Rust's debug builds: see [overflow](#overflow) |
/// | `deny_checks` | a check that is left in the entry without checks is a mistake: see [checks](#checks) |
/// | `disjoint` | `&mut [T]` parameters are accessed in parts that one thread has for itself: see [races](#races) |
/// | `coarsen(n)` | each thread does `n` consecutive elements of a kernel that works element by element, with accesses of up to 16 bytes; with 1 never several: see [coarsening](#coarsening) |
#[doc = concat!("\n", include_str!("language.md"), "\n", include_str!("math.md"), "\n", include_str!("constructs.md"))]
#[proc_macro_attribute]
pub fn kernel(attr: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    crate_name::located(nesting::with_stack(
        [attr.into(), item.into()],
        |attr, item| configured::expand("kernel", attr, item, expand::expand, expand::refuse),
        expand::refuse,
    ))
    .into()
}

/// Makes a struct or an enum an element of buffers and slices: plain data, laid out as on the GPU.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[derive(Clone, Copy, Element)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
/// ```
///
/// The struct is `Copy` and `#[repr(C)]` without `packed`, its fields are elements themselves (`bool` is none), and there is no padding.
/// An enum is `Copy` and `#[repr(u32)]`, or another integer; if its variants hold something, `#[repr(C, u32)]`. One variant has the number 0.
///
/// A struct with a field that is an enum with data has bytes that hold nothing, and is no `WholeElement`. It says so by `#[element(holds_enums)]`
/// above it; in a `#[kernel_module]` that has the enum as well it need not.
#[proc_macro_derive(Element, attributes(element))]
pub fn derive_element(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let item = item.into();
    crate_name::located(nesting::with_stack(
        [Default::default(), item],
        |_, item| expand::derive_element(item),
        module::refuse,
    ))
    .into()
}

/// Kernels that share functions, types and constants: a closed world.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[kernel_module]
/// mod waves {
///     use kernel_runtime::prelude::*;
///
///     #[device]
///     fn wave(x: f32, amplitude: f32) -> f32 {
///         amplitude * x * (1.0 - x)
///     }
///
///     #[kernel]
///     pub fn fill(amplitude: f32, y: &mut [f32]) {
///         let i = global_idx().x;
///         if i < y.len() {
///             y[i] = wave(i as f32, amplitude);
///         }
///     }
/// }
///
/// let mut y = [0.0; 2];
/// waves::fill::cpu(2.0, &mut y).over(2).run()?;
/// # Ok::<(), kernel_runtime::Error>(())
/// ```
///
/// Kernels see the functions that they call, structs with their `impl`s, enums, constants and type aliases of the module and
/// of modules in it; all of it is ordinary Rust for the host as well. Functions that nothing of this calls are for the host
/// alone, and may be written with all of Rust; so are `impl`s of `fmt::Display`, `fmt::Debug`, `error::Error`, `str::FromStr` and
/// `hash::Hash`, with their modules written so. `#[device]` before a function says that it is for kernels where no call shows it:
/// it is checked even if nothing calls it, and can be handed over by its name, as in `.map(f)`.
/// `#[kernel_module(link(geometry))]` adds what is in a [`macro@device_library`]; of its functions, too, the called ones are for kernels.
///
/// Attributes that take numbers may name a constant of the module that is written as one: `pub const BLOCK: usize = 128;`, then
/// `#[kernel(block(BLOCK))]`.
#[proc_macro_attribute]
pub fn kernel_module(
    attr: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    crate_name::located(nesting::with_stack(
        [attr.into(), item.into()],
        |attr, item| configured::expand("kernel_module", attr, item, module::expand_module, module::refuse),
        module::refuse,
    ))
    .into()
}

/// Functions, types and constants that kernels of any module or crate may link.
///
/// The module is ordinary Rust. `#[kernel_module(link(geometry))]`, or `link(other_crate::geometry)`, makes it known to the kernels
/// of a module, which name what is in it by its path: `geometry::length(v)`, or after `use super::geometry::*`. A library may be built on others,
/// `#[device_library(link(geometry))]`; who links it links those, too.
#[proc_macro_attribute]
pub fn device_library(
    attr: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    crate_name::located(nesting::with_stack(
        [attr.into(), item.into()],
        |attr, item| configured::expand("device_library", attr, item, module::expand_library, module::refuse),
        module::refuse,
    ))
    .into()
}

/// Marks a function of a [`macro@kernel_module`] or [`macro@device_library`] that kernels call.
#[proc_macro_attribute]
pub fn device(_attr: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    crate_name::located(module::expand_device(item.into())).into()
}

/// Takes the tokens of a library to the module that links it.
#[doc(hidden)]
#[proc_macro]
pub fn __link(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let tokens = tokens.into();
    crate_name::located(nesting::with_stack(
        [Default::default(), tokens],
        |_, tokens| module::expand_link(tokens),
        module::refuse,
    ))
    .into()
}
