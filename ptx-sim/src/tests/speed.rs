//! Benchmarks of the simulator. Run with `cargo test --release -- --ignored --nocapture speed`.

use super::*;

const SAXPY: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<8>;
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra END;
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.u32 %rd5, %r5, 4;
    add.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd4, %rd5;
    ld.global.nc.f32 %f2, [%rd6];
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd7], %f4;
END:
    ret;
}
";

/// Processor time of this thread where Linux tells it: other programs do not disturb that.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e9
}

/// Runs saxpy over so many elements; thread instructions and seconds.
fn saxpy(n: u32) -> (u64, f64) {
    saxpy_with(n, false)
}

fn saxpy_with(n: u32, sanitize: bool) -> (u64, f64) {
    let program = Program::load(SAXPY).unwrap();
    let memory = Memory::new();
    let bytes = u64::from(n) * 4;
    let (x, y) = (memory.allocate(bytes, 4), memory.allocate(bytes, 4));
    let ones: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
    memory.write(x, &ones).unwrap();
    memory.fill(y, 0, bytes).unwrap();
    let mut params = [0; 28];
    params[..4].copy_from_slice(&2f32.to_le_bytes());
    params[8..16].copy_from_slice(&x.to_le_bytes());
    params[16..24].copy_from_slice(&y.to_le_bytes());
    params[24..28].copy_from_slice(&n.to_le_bytes());
    let config = LaunchConfig { grid: [n.div_ceil(256), 1, 1], block: [256, 1, 1], dynamic_shared: 0 };
    let start = cpu_seconds();
    let options = Options { sanitize, ..Options::default() };
    let outcome = run(&program, program.kernel("saxpy").unwrap(), &memory, &config, &params, &options);
    let seconds = cpu_seconds() - start;
    assert_eq!(outcome.reports, []);
    let stats = outcome.result.unwrap();
    let mut last = [0; 4];
    memory.read(y + bytes - 4, &mut last).unwrap();
    assert_eq!(f32::from_le_bytes(last), 2.0 * (n - 1) as f32);
    (stats.thread_instructions, seconds)
}

#[test]
fn saxpy_is_right_when_the_grid_does_not_divide() {
    let (instructions, _) = saxpy(1000);
    assert_eq!(instructions, 1024 * 10 + 1000 * 9 + 1024);
}

#[test]
#[ignore = "prints a measurement"]
fn speed() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for _ in 0..3 {
        let (instructions, seconds) = pool.install(|| saxpy(1 << 22));
        println!("{:.2} G thread instructions/s on one core", instructions as f64 / seconds / 1e9);
    }
}

/// A product of matrices with tiles in shared memory, as `examples/src/bin/simulator-speed.rs` has it: 16 terms an iteration.
fn product_text() -> String {
    let terms: String = (0..16)
        .map(|k| {
            format!(
                "ld.shared.f32 %f2, [%r20+{}];\nld.shared.f32 %f3, [%r21+{}];\nfma.rn.f32 %f1, %f2, %f3, %f1;\n",
                4 * k,
                64 * k
            )
        })
        .collect();
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n
.visible .entry product(.param .u32 n, .param .u64 a, .param .u64 b, .param .u64 c)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<30>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<20>;
    .shared .align 16 .b8 left[1024];
    .shared .align 16 .b8 right[1024];
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %ctaid.y;
    mad.lo.u32 %r6, %r4, 16, %r2;
    mad.lo.u32 %r7, %r5, 16, %r3;
    mov.u32 %r8, left;
    mov.u32 %r9, right;
    shl.b32 %r10, %r3, 6;
    shl.b32 %r11, %r2, 2;
    add.u32 %r20, %r8, %r10;
    add.u32 %r21, %r9, %r11;
    add.u32 %r12, %r20, %r11;
    add.u32 %r13, %r21, %r10;
    mad.lo.u32 %r14, %r7, %r1, %r2;
    mad.lo.u32 %r15, %r3, %r1, %r6;
    mul.wide.u32 %rd4, %r14, 4;
    add.s64 %rd4, %rd1, %rd4;
    mul.wide.u32 %rd5, %r15, 4;
    add.s64 %rd5, %rd2, %rd5;
    mul.wide.u32 %rd6, %r1, 64;
    mov.f32 %f1, 0f00000000;
    mov.u32 %r16, 0;
LOOP:
    ld.global.f32 %f4, [%rd4];
    ld.global.f32 %f5, [%rd5];
    st.shared.f32 [%r12], %f4;
    st.shared.f32 [%r13], %f5;
    bar.sync 0;
{terms}
    bar.sync 0;
    add.s64 %rd4, %rd4, 64;
    add.s64 %rd5, %rd5, %rd6;
    add.u32 %r16, %r16, 16;
    setp.lt.u32 %p1, %r16, %r1;
    @%p1 bra LOOP;
    mad.lo.u32 %r17, %r7, %r1, %r6;
    mul.wide.u32 %rd7, %r17, 4;
    add.s64 %rd7, %rd3, %rd7;
    st.global.f32 [%rd7], %f1;
    ret;
}}
"
    )
}

/// Runs the product of matrices of `n` rows; thread instructions and seconds.
fn product(n: u32, sanitize: bool) -> (u64, f64) {
    let program = Program::load(&product_text()).unwrap_or_else(|error| panic!("{error}"));
    let memory = Memory::new();
    let bytes = u64::from(n) * u64::from(n) * 4;
    let numbers: Vec<u8> = (0..n * n).flat_map(|i| ((i % 7) as f32).to_le_bytes()).collect();
    let [a, b, c] = [0; 3].map(|_| memory.allocate(bytes, 4));
    memory.write(a, &numbers).unwrap();
    memory.write(b, &numbers).unwrap();
    let mut params = [0; 32];
    params[..4].copy_from_slice(&n.to_le_bytes());
    for (place, address) in [(8, a), (16, b), (24, c)] {
        params[place..place + 8].copy_from_slice(&address.to_le_bytes());
    }
    let config = LaunchConfig { grid: [n / 16, n / 16, 1], block: [16, 16, 1], dynamic_shared: 0 };
    let options = Options { sanitize, ..Options::default() };
    let start = cpu_seconds();
    let outcome = run(&program, program.kernel("product").unwrap(), &memory, &config, &params, &options);
    let seconds = cpu_seconds() - start;
    assert_eq!(outcome.reports, []);
    let mut first = [0; 4];
    memory.read(c, &mut first).unwrap();
    let expected: f32 = (0..n).map(|k| (k % 7) as f32 * (k * n % 7) as f32).sum();
    assert_eq!(f32::from_le_bytes(first), expected);
    (outcome.result.unwrap().thread_instructions, seconds)
}

#[test]
fn the_product_is_right() {
    product(32, true);
}

#[test]
#[ignore = "prints a measurement"]
fn speed_of_the_sanitizer() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for _ in 0..3 {
        let runs = [
            (
                "saxpy",
                pool.install(|| saxpy_with(1 << 21, false)),
                pool.install(|| saxpy_with(1 << 21, true)),
            ),
            ("product", pool.install(|| product(256, false)), pool.install(|| product(256, true))),
        ];
        for (name, plain, sanitized) in runs {
            let [plain, sanitized] = [plain, sanitized].map(|(count, seconds)| count as f64 / seconds / 1e9);
            println!("{name}: {plain:.2} G thread instructions/s, {sanitized:.2} with the sanitizer");
        }
    }
}

/// Times each part of loading a text: `PTX_FILE=x.ptx cargo test --release … -- --ignored --nocapture loading`.
#[test]
#[ignore = "prints a measurement"]
fn loading() {
    let Ok(path) = std::env::var("PTX_FILE") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let time = |name: &str, start: f64| println!("{name}: {:.3} s", cpu_seconds() - start);
    let start = cpu_seconds();
    let tokens = ptx::lex::lex(&text).unwrap();
    time("lex", start);
    println!("{} bytes, {} tokens", text.len(), tokens.len());
    let start = cpu_seconds();
    let module = ptx::parse::parse(&text).unwrap();
    time("lex and parse", start);
    let start = cpu_seconds();
    let checked = ptx::check::check(&module);
    time("check", start);
    println!("{} mistakes", checked.err().map_or(0, |mistakes| mistakes.len()));
    let start = cpu_seconds();
    let program = Program::from_module(&module);
    time("decode", start);
    println!("{:?}", program.map(|program| program.kernels().count()).map_err(|error| error.to_string()));
}
