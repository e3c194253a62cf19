//! How fast the simulator is. Run with `cargo test --release -- --ignored --nocapture speed`.

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
    let program = Program::load(SAXPY).unwrap();
    let memory = Memory::new();
    let bytes = u64::from(n) * 4;
    let (x, y) = (memory.allocate(bytes, 4), memory.allocate(bytes, 4));
    let ones: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
    memory.write(x, &ones).unwrap();
    let mut params = [0; 28];
    params[..4].copy_from_slice(&2f32.to_le_bytes());
    params[8..16].copy_from_slice(&x.to_le_bytes());
    params[16..24].copy_from_slice(&y.to_le_bytes());
    params[24..28].copy_from_slice(&n.to_le_bytes());
    let config = LaunchConfig { grid: [n.div_ceil(256), 1, 1], block: [256, 1, 1], dynamic_shared: 0 };
    let start = cpu_seconds();
    let stats = launch(&program, program.kernel("saxpy").unwrap(), &memory, &config, &params).unwrap();
    let seconds = cpu_seconds() - start;
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
