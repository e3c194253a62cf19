//! Streams and graphs on the simulator, and on a GPU where there is one; `REQUIRE_GPU=1` makes its absence a failure.

use expect_test::{Expect, expect};
use kernel_runtime::{Arch, DeviceBuffer, Error, Gpu, Result, Stream};

mod kernels;
use kernels::{graphs, saxpy, streams};

fn checks() -> impl Iterator<Item = &'static graphs::Check> {
    streams::CHECKS.iter().chain(graphs::CHECKS)
}

fn gpu() -> Gpu {
    Gpu::simulator(Arch::Sm90)
}

#[test]
fn on_the_simulator() {
    for (name, check) in checks() {
        check(&gpu()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// The first CUDA device, if there is one; a failure without where one is required.
fn cuda() -> Option<Gpu> {
    let required = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
    match Gpu::cuda(0) {
        Ok(gpu) => Some(gpu),
        Err(error) if required => panic!("{error}"),
        Err(_) => None,
    }
}

#[test]
fn beside_cudarc_on_a_gpu() {
    let Some(gpu) = cuda() else { return };
    let context = gpu.cudarc_context().unwrap();
    assert_eq!(Gpu::try_from(&context).unwrap(), gpu);
    let n = 1 << 20;
    for theirs in [context.new_stream().unwrap(), context.default_stream()] {
        // SAFETY: nobody captures the stream.
        let stream = unsafe { Stream::from_cudarc(&theirs) }.unwrap();
        let x = DeviceBuffer::try_from(theirs.clone_htod(&vec![2.0f32; n]).unwrap()).unwrap();
        let mut y = gpu.zeros::<f32>(n).unwrap();
        for _ in 0..10 {
            saxpy(1.0, &x, &mut y).over(n).start(&stream).unwrap();
        }
        let slice = y.into_cudarc(&theirs).unwrap();
        assert_eq!(theirs.clone_dtoh(&slice).unwrap(), vec![20.0; n]);
        // And back again; both sides free what they own.
        let mut y = DeviceBuffer::try_from(slice).unwrap();
        let y = y.lend();
        gpu.graph(|graph| saxpy(1.0, &x, y).over(n).record(graph)).unwrap().start(&stream).unwrap();
        assert_eq!(y.to_vec().unwrap(), vec![22.0; n]);
        drop(x.into_cudarc(&theirs).unwrap());
        theirs.synchronize().unwrap();
    }
}

#[test]
fn on_a_gpu() {
    let Some(gpu) = cuda() else { return };
    for (name, check) in checks() {
        check(&gpu).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

fn check<T>(result: Result<T>, expected: Expect) {
    expected.assert_eq(&result.err().expect("an error").to_string());
}

#[test]
fn mistakes_name_the_argument() -> Result<()> {
    let (here, there) = (gpu(), gpu());
    let stream = here.stream()?;
    let (x, mut y) = (here.zeros::<f32>(4)?, here.zeros::<f32>(5)?);
    let mut far = there.zeros::<f32>(4)?;
    let mut pinned = there.pinned::<f32>(4)?;
    check(
        stream.copy(&x, &mut y),
        expect![[r#"
        copy from 4 elements to 5 elements
        help: both sides of a copy have the same length"#]],
    );
    // One side of a copy may be elsewhere.
    stream.copy(&x, &mut far)?;
    let mut beyond = there.zeros::<f32>(4)?;
    check(
        stream.copy(&far, &mut beyond),
        expect![[r#"
        argument `to` is on another simulator of sm_90, but expected on simulator of sm_90
        help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        stream.copy_to_device(&pinned, &mut y),
        expect![[r#"
        argument `from` is on another simulator of sm_90, but expected on simulator of sm_90
        help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        stream.copy_to_host(&x, &mut pinned),
        expect![[r#"
        argument `to` is on another simulator of sm_90, but expected on simulator of sm_90
        help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        stream.set_zero(&mut far),
        expect![[r#"
        argument `to` is on another simulator of sm_90, but expected on simulator of sm_90
        help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        stream.wait_for(&there.stream()?.record()?),
        expect![[r#"
        argument `event` is on another simulator of sm_90, but expected on simulator of sm_90
        help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        stream.record()?.since(&there.stream()?.record()?),
        expect![[r#"
        argument `start` is on another simulator of sm_90, but expected on simulator of sm_90
        help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        saxpy(1.0, &x, &mut far).over(4).start(&stream),
        expect![[r#"
        launch of `saxpy` refused: argument `y` is on another simulator of sm_90, but the launch is on simulator of sm_90
        help: pass buffers of one device, and that device to `.on`"#]],
    );
    check(
        saxpy(1.0, &x, &mut y).over(4).start(&there.stream()?),
        expect![[r#"
        launch of `saxpy` refused: argument `x` is on another simulator of sm_90, but the launch is on simulator of sm_90
        help: pass buffers of one device, and that device to `.on`"#]],
    );
    check(
        saxpy(1.0, &x, &mut y).over(4).on(&there).start(&stream),
        expect![[r#"
            launch of `saxpy` refused: the stream is on another simulator of sm_90, but the launch is on simulator of sm_90
            help: start it on a stream of that device; `.on` is not needed then"#]],
    );
    check(
        saxpy(1.0, &x, &mut y).over(0).start(&stream),
        expect![[r#"
        launch of `saxpy` refused: `over(0)` launches nothing
        help: skip the launch when there is nothing to do"#]],
    );
    let lent = y.lend();
    let graph = here.graph(|graph| graph.set_zero(lent))?;
    check(
        graph.start(&there.stream()?),
        expect![[r#"
            argument `stream` is on another simulator of sm_90, but expected on simulator of sm_90
            help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        here.graph(|graph| graph.copy(&x, lent)),
        expect![[r#"
            copy from 4 elements to 5 elements
            help: both sides of a copy have the same length"#]],
    );
    check(
        here.graph(|graph| graph.copy(&far, lent)),
        expect![[r#"
            argument `from` is on another simulator of sm_90, but expected on simulator of sm_90
            help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another"#]],
    );
    check(
        here.graph(|graph| saxpy(1.0, &far, lent).over(4).record(graph)),
        expect![[r#"
            launch of `saxpy` refused: argument `x` is on another simulator of sm_90, but the launch is on simulator of sm_90
            help: pass buffers of one device, and that device to `.on`"#]],
    );
    check(
        here.graph(|graph| saxpy(1.0, &x, lent).over(4).on(&there).record(graph)),
        expect![[r#"
            launch of `saxpy` refused: the graph is on another simulator of sm_90, but the launch is on simulator of sm_90
            help: record it in a graph of that device; `.on` is not needed then"#]],
    );
    check(
        saxpy(1.0, lent, lent).over(4).start(&stream),
        expect![[r#"
            launch of `saxpy` refused: argument `y` is a buffer that the launch has been given before, and the kernel writes to it
            help: what a kernel writes is its own, as `&mut` says; lend another buffer"#]],
    );
    // None of them left anything to be told.
    stream.synchronize()
}

#[test]
fn faults_come_back_as_panics_do() -> Result<()> {
    let gpu = gpu();
    let module = gpu.load_ptx(
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry wild(.param .u64 out)\n{\n\
         .reg .b64 %rd<2>;\nld.param.u64 %rd1, [out];\nst.global.u64 [%rd1+64], %rd1;\nret;\n}",
    )?;
    let (stream, mut out) = (gpu.stream()?, gpu.zeros::<u64>(8)?);
    // SAFETY: the simulator stops it.
    let start =
        |out: &mut _| unsafe { module.function("wild")?.launch().arg(out).grid(1).block(1).start(&stream) };
    start(&mut out)?;
    let error = stream.synchronize().unwrap_err();
    assert!(matches!(error, Error::Fault { kernel: "wild", .. }), "{error}");
    start(&mut out)?;
    assert!(matches!(out.to_vec(), Err(Error::Fault { kernel: "wild", .. })));
    // SAFETY: it does not start.
    let started = unsafe {
        module
            .function("wild")?
            .launch()
            .arg(&mut out)
            .grid(1)
            .block(1)
            .start(&Gpu::simulator(Arch::Sm80).stream()?)
    };
    check(
        started,
        expect![[r#"
            launch of `wild` refused: the stream is on simulator of sm_80, but the launch is on simulator of sm_90
            help: start it on a stream of that device; `.on` is not needed then"#]],
    );
    stream.synchronize()
}

#[test]
fn what_a_device_wrote_is_looked_at() -> Result<()> {
    let gpu = gpu();
    let (stream, mut flags) = (gpu.stream()?, gpu.zeros::<bool>(4)?);
    let module = gpu.load_ptx(
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry two(.param .u64 out)\n{\n\
         .reg .b64 %rd<2>;\n.reg .b16 %h<2>;\nld.param.u64 %rd1, [out];\nmov.u16 %h1, 2;\nst.global.u8 [%rd1+3], %h1;\nret;\n}",
    )?;
    let mut host = gpu.pinned::<bool>(4)?;
    assert_eq!(host.read()?, [false; 4]);
    host.write()?[1] = true;
    stream.copy_to_device(&host, &mut flags)?;
    stream.copy_to_host(&flags, &mut host)?;
    assert_eq!(host.read()?, [false, true, false, false]);
    // SAFETY: it stays inside; what it leaves is found.
    unsafe { module.function("two")?.launch().arg(&mut flags).grid(1).block(1).start(&stream)? };
    stream.copy_to_host(&flags, &mut host)?;
    check(
        host.read().map(<[bool]>::to_vec),
        expect![[r#"
        element 3 of the buffer is not a valid `bool`: 0x02 was found
        help: let the kernel that writes it write values of this type alone, or read the buffer as one of `u8`"#]],
    );
    check(
        host.write().map(|host| host.to_vec()),
        expect![[r#"
        element 3 of the buffer is not a valid `bool`: 0x02 was found
        help: let the kernel that writes it write values of this type alone, or read the buffer as one of `u8`"#]],
    );
    Ok(())
}
