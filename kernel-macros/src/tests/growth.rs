//! Programs of any size, one construct each: how the time of the compiler grows with them.
//!
//! `cargo test -p kernel-macros --release growth -- --ignored --nocapture` prints the time of each phase for sizes that double,
//! and by how much it grew; `GROWTH=lets` measures only the programs with that in their name, `GROWTH_SIZE=4096` up to another size.

use std::fmt::Write as _;
use std::time::Duration;

use super::limits::cpu_time;

/// A construct, a program that has it so many times, and the largest number that is measured.
pub struct Program {
    /// The name of the construct.
    pub name: &'static str,
    /// The text of a kernel or a module of kernels.
    pub text: fn(usize) -> String,
    /// The largest number that is measured.
    most: usize,
}

/// The text with this body, which a sum `s` follows to the output.
fn kernel(body: &str) -> String {
    format!(
        "fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, u: u32, p: bool) {{
            let i = global_idx().x;
            let mut s = a;
            {body}
            if i < y.len() {{ y[i] = s; }}
        }}"
    )
}

/// A piece of text for each number.
fn each(count: usize, mut piece: impl FnMut(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, index| {
        text.push_str(&piece(index));
        text.push('\n');
        text
    })
}

/// Opens something so many times around a text.
fn nested(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

/// A row of the table.
const fn program(name: &'static str, most: usize, text: fn(usize) -> String) -> Program {
    Program { name, text, most }
}

/// Every construct.
pub const PROGRAMS: &[Program] = &[
    program("lets and stores", 4096, |n| {
        kernel(&each(n, |k| format!("let v{k} = x[{k}]; y[{k}] = v{k} + 1.0;")))
    }),
    program("lets", 4096, |n| kernel(&each(n, |k| format!("let v{k} = s * {k}.5; s = v{k} + a;")))),
    program("assignments", 4096, |n| kernel(&each(n, |k| format!("s = s * a + {k}.0;")))),
    program("shadowing", 4096, |n| kernel(&each(n, |k| format!("let s = s * a + {k}.0;")))),
    program("ifs", 2048, |n| kernel(&each(n, |k| format!("if n > {k} {{ s += x[{k}]; }}")))),
    program("ifs with stores", 1024, |n| {
        kernel(&each(n, |k| format!("if n > {k} {{ s += x[i + {k}]; y[i + {k}] = s; }} else {{ s *= a; }}")))
    }),
    program("else ifs", 2048, |n| {
        kernel(&(each(n, |k| format!("if n == {k} {{ s += {k}.0; }} else ")) + "{ s = 0.0; }"))
    }),
    program("terms", 2048, |n| kernel(&format!("s = {};", vec!["a"; n + 1].join(" + ")))),
    program("terms of loads", 2048, |n| {
        kernel(&format!("s = {};", (0..=n).map(|k| format!("x[{k}]")).collect::<Vec<_>>().join(" + ")))
    }),
    program("nested terms", 1024, |n| kernel(&format!("s = {};", nested(n, "(1.0 + ", "a", ")")))),
    program("parentheses", 1024, |n| kernel(&format!("s = {};", nested(n, "(", "a", ")")))),
    program("blocks", 1024, |n| kernel(&format!("s = {};", nested(n, "{", "a", "}")))),
    program("negations", 1024, |n| kernel(&format!("s = {};", nested(n, "-", "a", "")))),
    program("nots", 1024, |n| kernel(&format!("if {} {{ s = 0.0; }}", nested(n, "!", "p", "")))),
    program("ands", 1024, |n| {
        let terms: Vec<String> = (0..=n).map(|k| format!("u != {k}")).collect();
        kernel(&format!("if {} {{ s = 0.0; }}", terms.join(" && ")))
    }),
    program("methods", 1024, |n| kernel(&format!("s = a{};", ".max(s)".repeat(n)))),
    program("casts", 1024, |n| kernel(&format!("s = u{} as f32;", " as u64 as u32".repeat(n)))),
    program("loops", 512, |n| kernel(&each(n, |_| "for j in 0..x.len() { s += x[j]; }".to_owned()))),
    program("whiles", 512, |n| {
        kernel(&each(n, |k| {
            format!(
                "let mut j{k} = {k}; while j{k} < n {{ if x[j{k}] < a {{ break; }} s += x[j{k}]; j{k} += 2; }}"
            )
        }))
    }),
    program("nested loops", 64, |n| {
        let open: String = each(n, |k| format!("for j{k} in 0..n {{"));
        kernel(&format!("{open} s += a; {}", "}".repeat(n)))
    }),
    program("nested ifs", 512, |n| {
        let open: String = each(n, |k| format!("if u != {k} {{ s += {k}.0;"));
        kernel(&format!("{open} s += a; {}", "}".repeat(n)))
    }),
    program("unrolled", 512, |n| kernel(&format!("#[unroll] for j in 0..{n} {{ s += x[i + j]; }}"))),
    program("unrolled by hand", 512, |n| {
        kernel(&format!("#[unroll({n})] for j in 0..x.len() {{ s += x[j]; }}"))
    }),
    program("functions", 1024, |n| {
        let functions = each(n, |k| format!("fn f{k}(a: f32) -> f32 {{ a * {k}.5 }}"));
        kernel(&(functions + &each(n, |k| format!("s += f{k}(s);"))))
    }),
    program("calls of one", 1024, |n| {
        let function = "fn f(a: f32, x: &[f32]) -> f32 { if a < 0.5 { return x[0]; } a * 2.5 }";
        kernel(&(function.to_owned() + &each(n, |_| "s += f(s, x);".to_owned())))
    }),
    program("chains of calls", 512, |n| {
        let functions = each(n, |k| format!("fn f{}(a: f32) -> f32 {{ f{k}(a) * {k}.5 }}", k + 1));
        kernel(&(functions + &format!("fn f0(a: f32) -> f32 {{ a }} s += f{n}(s);")))
    }),
    program("library calls", 64, |n| kernel(&each(n, |_| "s += s.sin();".to_owned()))),
    program("matches", 512, |n| {
        kernel(&each(n, |k| format!("s += match u % 4 {{ 0 => a, 1 => {k}.0, 2 => 1.5, _ => s }};")))
    }),
    program("arms", 2048, |n| {
        kernel(&format!("s += match u {{ {} _ => 0.5 }};", each(n, |k| format!("{k} => {k}.25,"))))
    }),
    program("ranges as arms", 512, |n| {
        let arms = each(n, |k| format!("{}..={} => {k}.25,", 4 * k, 4 * k + 2));
        kernel(&format!("s += match u {{ {arms} _ => 0.5 }};"))
    }),
    program("arms of pairs", 256, |n| {
        let arms = each(n, |k| format!("({k}, {}) => {k}.25,", n - k));
        kernel(&format!("s += match (u, u + 1) {{ {arms} _ => 0.5 }};"))
    }),
    program("alternatives", 1024, |n| {
        let pattern: Vec<String> = (0..=n).map(|k| (2 * k).to_string()).collect();
        kernel(&format!("s += match u {{ {} => a, _ => 0.5 }};", pattern.join(" | ")))
    }),
    program("arrays", 256, |n| {
        kernel(&each(n, |k| format!("let v{k} = [a, s, {k}.0, 1.0]; s += v{k}[i % 4];")))
    }),
    program("elements of an array", 1024, |n| {
        kernel(&format!("let v = [{}]; s += v[i % {n}];", each(n, |k| format!("{k}.0 * a,"))))
    }),
    program("stores to an array", 512, |n| {
        let stores = each(n, |k| format!("t[{k}] = x[{k}];"));
        kernel(&format!("let mut t = [0.0f32; {n}]; {stores} s += t[i % {n}];"))
    }),
    program("registers in an array", 512, |n| {
        let stores = each(n, |k| format!("t[{k}] = x[{k}];"));
        kernel(&format!("let mut t = [0.0f32; {n}]; {stores} s += t[{}];", n / 2))
    }),
    program("rows of a table", 4096, |n| {
        let table = each(n, |k| format!("{k}.5,"));
        kernel(&format!("const TABLE: [f32; {n}] = [{table}]; s += TABLE[i % {n}];"))
    }),
    program("entries of a computed table", 4096, |n| {
        kernel(&format!(
            "const fn table() -> [u32; {n}] {{ let mut t = [0; {n}]; let mut k = 1; while k < {n} {{ t[k] = t[k - 1] + 3; k += 1; }} t }}
             const TABLE: [u32; {n}] = table(); s += TABLE[i % {n}] as f32;"
        ))
    }),
    program("constants", 1024, |n| {
        let consts = each(n, |k| match k {
            0 => "const C0: u32 = 7;".to_owned(),
            _ => format!("const C{k}: u32 = (C{} * 5 + 1) % 1000;", k - 1),
        });
        kernel(&(consts + &each(n, |k| format!("s += C{k} as f32;"))))
    }),
    program("structs", 512, |n| {
        let structs = each(n, |k| {
            format!(
                "#[derive(Clone, Copy)] struct S{k} {{ a: f32, b: u32 }} impl S{k} {{ fn sum(self) -> f32 {{ self.a + self.b as f32 }} }}"
            )
        });
        kernel(&(structs + &each(n, |k| format!("s += S{k} {{ a: s, b: {k} }}.sum();"))))
    }),
    program("fields", 1024, |n| {
        let declared = each(n, |k| format!("f{k}: f32,"));
        let given = each(n, |k| format!("f{k}: s + {k}.0,"));
        let read = each(n, |k| format!("s += v.f{k};"));
        kernel(&format!("#[derive(Clone, Copy)] struct S {{ {declared} }} let v = S {{ {given} }}; {read}"))
    }),
    program("nested structs", 128, |n| {
        let structs = each(n, |k| format!("#[derive(Clone, Copy)] struct S{} {{ s: S{k}, t: f32 }}", k + 1));
        let value =
            (0..n).fold("S0 { t: a }".to_owned(), |value, k| format!("S{} {{ s: {value}, t: s }}", k + 1));
        kernel(&format!("#[derive(Clone, Copy)] struct S0 {{ t: f32 }} {structs} let v = {value}; s = v.t;"))
    }),
    program("variants", 512, |n| {
        let arms = each(n, |k| format!("E::V{k} => {k}.5,"));
        let variants = each(n, |k| format!("V{k},"));
        kernel(&format!(
            "#[derive(Clone, Copy, PartialEq)] enum E {{ {variants} }} let e = if p {{ E::V0 }} else {{ E::V1 }}; s += match e {{ {arms} }};"
        ))
    }),
    program("closures", 512, |n| {
        kernel(&each(n, |k| format!("let f{k} = |t: f32| t * {k}.0 + s; s = f{k}(a);")))
    }),
    program("nested closures", 64, |n| {
        let open: String = each(n, |k| format!("let f{k} = |t: f32| {{"));
        let close: String = (0..n).rev().map(|k| format!("t + s }}; s = f{k}(s + 1.0);")).collect();
        kernel(&format!(
            "let f = |t: f32| {{ let mut s = t; {} s }}; s = f(a);",
            open + &close.replacen("t + s", "t", 1)
        ))
    }),
    program("returns", 512, |n| kernel(&each(n, |k| format!("if u == {k} {{ return; }} s += x[{k}];")))),
    program("assertions", 512, |n| kernel(&each(n, |k| format!("assert!(u != {k}, \"not {{}}\", {k}u32);")))),
    program("prints", 128, |n| kernel(&each(n, |k| format!("println!(\"{{}} {k}\", s);")))),
    program("shared variables", 128, |n| {
        kernel(&each(n, |k| {
            format!(
                "let mut t{k} = shared::<[f32; 64]>(); t{k}[thread_idx().x % 64] = s; barrier(); s += t{k}[{k} % 64];"
            )
        }))
    }),
    program("barriers", 256, |n| {
        kernel(&format!(
            "let mut t = shared::<[f32; 64]>(); {}",
            each(n, |k| format!(
                "t[(thread_idx().x + {k}) % 64] = s; barrier(); s += t[{k} % 64]; barrier();"
            ))
        ))
    }),
    program("shuffles", 512, |n| kernel(&each(n, |_| "s += warp::shfl_xor(s, 1);".to_owned()))),
    program("slices", 256, |n| {
        kernel(&each(n, |k| format!("let v{k} = &x[{k}..n]; if v{k}.len() > 3 {{ s += v{k}[3]; }}")))
    }),
    program("options", 256, |n| {
        kernel(&each(n, |k| {
            format!(
                "let v{k} = if u > {k} {{ Some(s) }} else {{ None }}; if let Some(t) = v{k} {{ s += t * a; }}"
            )
        }))
    }),
    program("tuples", 512, |n| {
        kernel(&each(n, |k| format!("let (v{k}, w{k}) = (s + a, s * a); s = v{k} - w{k};")))
    }),
    program("iterators", 128, |n| {
        kernel(&each(n, |k| format!("s += x.iter().map(|t| t * {k}.0).sum::<f32>();")))
    }),
    program("parameters", 128, |n| {
        let params = each(n, |k| format!("x{k}: &[f32],"));
        let loads = each(n, |k| format!("s += x{k}[i];"));
        format!(
            "fn k({params} y: &mut [f32]) {{ let i = global_idx().x; let mut s = 0.0; {loads} y[i] = s; }}"
        )
    }),
    program("kernels", 128, |n| {
        let kernels = each(n, |k| {
            format!(
                "#[kernel] pub fn k{k}(y: &mut [f32]) {{ let i = global_idx().x; if i < y.len() {{ y[i] = f{k}(y[i]); }} }}"
            )
        });
        let functions = each(n, |k| format!("#[device] fn f{k}(a: f32) -> f32 {{ a * {k}.5 }}"));
        format!("mod m {{ use kernel_runtime::prelude::*; {functions} {kernels} }}")
    }),
    program("instances", 64, |n| {
        let numbers: Vec<String> = (1..=n).map(|k| k.to_string()).collect();
        format!(
            "#[kernel(instances(N = [{}]))] fn k<const N: usize>(y: &mut [f32]) {{ let i = global_idx().x; if i < y.len() {{ y[i] = N as f32; }} }}",
            numbers.join(", ")
        )
    }),
    program("generic functions", 256, |n| {
        let calls = each(n, |k| format!("s += f::<{k}>(s);"));
        kernel(&format!("fn f<const N: usize>(a: f32) -> f32 {{ a * N as f32 }} {calls}"))
    }),
];

/// The time of each phase.
struct Phases {
    analyze: Duration,
    lower: Duration,
    compile: Duration,
    all: Duration,
}

fn measure(source: &str) -> Result<Phases, String> {
    let time = |start: Duration| cpu_time() - start;
    let start = cpu_time();
    let kernels = super::analyzed(source).map_err(|errors| super::errors_in(source, &errors))?;
    let analyze = time(start);
    let (mut lower, mut compile) = (Duration::ZERO, Duration::ZERO);
    for mut kernel in kernels {
        crate::contract::contract(&mut kernel);
        let start = cpu_time();
        let lowered = crate::lower::lower(&kernel, None);
        lower += time(start);
        let start = cpu_time();
        ptx_gen::compile(&lowered.module, None).map_err(|error| error.to_string())?;
        compile += time(start);
    }
    let (start, (attr, item)) = (cpu_time(), super::split_attribute(source.parse().expect("Rust's tokens")));
    let expansion = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Mod(_)) => crate::module::expand_module(attr, item),
        Ok(_) | Err(_) => crate::expand::expand(attr, item),
    };
    let expansion = expansion.to_string();
    if expansion.contains("compile_error") {
        return Err(expansion);
    }
    Ok(Phases { analyze, lower, compile, all: time(start) })
}

#[test]
#[ignore = "a measurement"]
fn growth() {
    let wanted = std::env::var("GROWTH").unwrap_or_default();
    let size = std::env::var("GROWTH_SIZE").ok().and_then(|size| size.parse::<usize>().ok());
    for Program { name, text, most } in PROGRAMS.iter().filter(|program| program.name.contains(&wanted)) {
        println!("{name}");
        let most = size.unwrap_or(*most);
        let mut before: Option<Phases> = None;
        for count in [most / 8, most / 4, most / 2, most] {
            let source = text(count);
            let now = match measure(&source) {
                Ok(now) => now,
                Err(error) => {
                    println!("  {count:>6} {}", error.chars().take(400).collect::<String>());
                    continue;
                }
            };
            let mut line = format!("  {count:>6} {:>7} bytes", source.len());
            let last = before.as_ref();
            let rows = [
                ("analyze", now.analyze, last.map(|last| last.analyze)),
                ("lower", now.lower, last.map(|last| last.lower)),
                ("compile", now.compile, last.map(|last| last.compile)),
                ("all", now.all, last.map(|last| last.all)),
            ];
            for (phase, now, last) in rows {
                _ = write!(line, "  {phase} {:>9.1} ms", now.as_secs_f64() * 1e3);
                if let Some(last) = last {
                    _ = write!(line, " ×{:<4.1}", now.as_secs_f64() / last.as_secs_f64());
                }
            }
            println!("{line}");
            before = Some(now);
        }
    }
}
