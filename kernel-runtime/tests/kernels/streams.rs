//! Guarantees of streams, on any device.

use std::mem;

use kernel_runtime::{Error, Gpu, Result};

use super::{saxpy, tuned};

/// A check of what streams promise.
pub type Check = fn(&Gpu) -> Result<()>;

/// Every check, with its name.
pub const CHECKS: &[(&str, Check)] = &[
    ("streams wait for each other where buffers say so", order_across_streams),
    ("reads go on beside each other", many_readers),
    ("the host comes after", the_host_waits),
    ("buffers may be dropped while they are used", dropped_in_use),
    ("what is leaked harms nothing", leaked),
    ("a panic comes back once, at the next synchronisation", panics),
    ("each launch has a record of its own", many_panics),
    ("a panic comes back from the buffer", panics_at_a_buffer),
    ("a panic of one stream is not told by another", panics_stay_apart),
    ("events order and time", events),
    ("threads share a stream", threads),
    ("tuned kernels start as well", tuned_launches),
    ("nothing is copied where there is nothing", empty),
];

fn ones(gpu: &Gpu, n: usize) -> Result<kernel_runtime::DeviceBuffer<f32>> {
    gpu.upload(&vec![1.0f32; n])
}

fn order_across_streams(gpu: &Gpu) -> Result<()> {
    let n = 1000;
    let input = gpu.pinned_from(&(0..n).map(|i| i as f32).collect::<Vec<f32>>())?;
    let mut output = gpu.pinned::<f32>(n)?;
    let [a, b, c] = [gpu.stream()?, gpu.stream()?, gpu.stream()?];
    let (mut x, mut y, mut z) = (gpu.zeros::<f32>(n)?, gpu.zeros::<f32>(n)?, gpu.zeros::<f32>(n)?);
    for round in 1..=20 {
        a.copy_to_device(&input, &mut x)?;
        b.set_zero(&mut y)?;
        saxpy(round as f32, &x, &mut y).over(n).start(&c)?; // y = round x
        saxpy(1.0, &y, &mut x).over(n).start(&b)?; // x = (round + 1) x
        a.copy(&x, &mut z)?;
        c.set_zero(&mut x)?;
        c.copy_to_host(&z, &mut output)?;
        let factor = (round + 1) as f32;
        assert!(output.read()?.iter().enumerate().all(|(i, &z)| z == factor * i as f32), "round {round}");
    }
    [a, b, c].iter().try_for_each(|stream| stream.synchronize())
}

fn many_readers(gpu: &Gpu) -> Result<()> {
    let x = ones(gpu, 100)?;
    let mut sums = Vec::new();
    // More streams than a buffer remembers readers without looking for those that have ended.
    for number in 0..40 {
        let stream = gpu.stream()?;
        let mut y = gpu.zeros::<f32>(100)?;
        saxpy(number as f32, &x, &mut y).over(100).start(&stream)?;
        sums.push(y);
    }
    for (number, y) in sums.iter().enumerate() {
        assert_eq!(y.to_vec()?, vec![number as f32; 100]);
    }
    let (mut x, stream) = (x, gpu.stream()?);
    stream.set_zero(&mut x)?;
    assert_eq!(x.to_vec()?, [0.0; 100]);
    Ok(())
}

fn the_host_waits(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let mut input = gpu.pinned_from(&[1.0f32; 64])?;
    let (mut x, mut y) = (gpu.zeros::<f32>(64)?, gpu.zeros::<f32>(64)?);
    for round in 1..=5 {
        stream.copy_to_device(&input, &mut x)?;
        saxpy(1.0, &x, &mut y).over(64).start(&stream)?;
        // After the copy from it.
        input.write()?.fill(1.0);
        // The launch that is waited for comes after the one that is not.
        saxpy(1.0, &x, &mut y).over(64).run()?;
        assert_eq!(y.to_vec()?, [2.0 * round as f32; 64]);
        stream.copy_to_device(&input, &mut x)?;
        x.copy_from_slice(&[1.0; 64])?;
    }
    stream.copy_to_device(&input, &mut x)?;
    x.set_zero()?;
    assert_eq!(x.to_vec()?, [0.0; 64]);
    stream.synchronize()?;
    assert!(stream.is_idle()?);
    Ok(())
}

fn dropped_in_use(gpu: &Gpu) -> Result<()> {
    let output = {
        let stream = gpu.stream()?;
        let mut output = gpu.pinned::<f32>(500)?;
        let (x, mut y) = (ones(gpu, 500)?, gpu.zeros::<f32>(500)?);
        saxpy(3.0, &x, &mut y).over(500).start(&stream)?;
        drop(x);
        stream.copy_to_host(&y, &mut output)?;
        drop(y);
        output
    };
    assert_eq!(output.read()?, [3.0; 500]);
    Ok(())
}

fn leaked(gpu: &Gpu) -> Result<()> {
    let (kept, x) = (gpu.stream()?, ones(gpu, 50)?);
    let mut y = gpu.zeros::<f32>(50)?;
    {
        let stream = gpu.stream()?;
        let (mut lost, mut pinned) = (gpu.zeros::<f32>(50)?, gpu.pinned::<f32>(50)?);
        saxpy(1.0, &x, &mut lost).over(50).start(&stream)?;
        saxpy(1.0, &lost, &mut y).over(50).start(&kept)?;
        stream.copy_to_host(&y, &mut pinned)?;
        mem::forget((lost, pinned, stream));
        mem::forget(saxpy(1.0, &x, &mut y).over(50));
    }
    assert_eq!(y.to_vec()?, [1.0; 50]);
    Ok(())
}

/// Checks the error of a launch that panics at an index.
fn is_panic(result: Result<()>, index: usize) {
    let error = result.unwrap_err();
    let Error::KernelPanicked { kernel: "saxpy", message, .. } = &error else { panic!("{error}") };
    assert!(message.ends_with(&format!(" is {index}")), "{message}");
}

fn panics(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let (x, mut y) = (ones(gpu, 8)?, gpu.zeros::<f32>(9)?);
    for _ in 0..3 {
        saxpy(1.0, &x, &mut y).grid(1).block(9).start(&stream)?;
        saxpy(1.0, &x, &mut y).grid(1).block(8).start(&stream)?;
        is_panic(stream.synchronize(), 8);
        stream.synchronize()?;
    }
    // The launches after a panic have run.
    assert_eq!(y.to_vec()?, [6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 0.0]);
    // Among launches that are waited for.
    saxpy(1.0, &x, &mut y).grid(1).block(9).start(&stream)?;
    saxpy(1.0, &x, &mut y).grid(1).block(8).run()?;
    is_panic(saxpy(1.0, &x, &mut y).grid(1).block(9).run().map(drop), 8);
    is_panic(stream.synchronize(), 8);
    Ok(())
}

fn many_panics(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let (x, mut short, mut long) = (ones(gpu, 4)?, gpu.zeros::<f32>(5)?, gpu.zeros::<f32>(6)?);
    let mut sound = gpu.zeros::<f32>(4)?;
    // More than there are records.
    for launch in 0..2500 {
        match launch {
            700 => saxpy(0.0, &x, &mut long).grid(2).block(5).start(&stream)?,
            1900 => saxpy(0.0, &x, &mut short).grid(1).block(5).start(&stream)?,
            _ => saxpy(1.0, &x, &mut sound).grid(1).block(4).start(&stream)?,
        }
    }
    let error = stream.synchronize().unwrap_err();
    assert!(matches!(error, Error::KernelPanicked { kernel: "saxpy", .. }), "{error}");
    stream.synchronize()?;
    assert_eq!(sound.to_vec()?, [2498.0; 4]);
    Ok(())
}

fn panics_at_a_buffer(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let (x, mut y) = (ones(gpu, 8)?, gpu.zeros::<f32>(9)?);
    let mut output = gpu.pinned::<f32>(9)?;
    let start = |y: &mut _| saxpy(1.0, &x, y).grid(1).block(9).start(&stream);
    start(&mut y)?;
    is_panic(y.to_vec().map(drop), 8);
    assert_eq!(y.to_vec()?[7], 1.0);
    start(&mut y)?;
    is_panic(y.wait(), 8);
    start(&mut y)?;
    is_panic(y.set_zero(), 8);
    start(&mut y)?;
    is_panic(y.copy_from_slice(&[0.0; 9]), 8);
    y.set_zero()?;
    start(&mut y)?;
    stream.copy_to_host(&y, &mut output)?;
    is_panic(output.read().map(drop), 8);
    assert_eq!(output.read()?[..], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    start(&mut y)?;
    stream.copy_to_host(&y, &mut output)?;
    is_panic(output.write().map(drop), 8);
    // Dropping is no synchronisation.
    start(&mut y)?;
    drop(y);
    is_panic(stream.synchronize(), 8);
    Ok(())
}

fn panics_stay_apart(gpu: &Gpu) -> Result<()> {
    let (one, other) = (gpu.stream()?, gpu.stream()?);
    let (x, mut y) = (ones(gpu, 8)?, gpu.zeros::<f32>(9)?);
    saxpy(1.0, &x, &mut y).grid(1).block(9).start(&one)?;
    // Comes after it, and does not fail for it.
    saxpy(1.0, &x, &mut y).grid(1).block(8).start(&other)?;
    other.synchronize()?;
    is_panic(one.synchronize(), 8);
    Ok(())
}

fn events(gpu: &Gpu) -> Result<()> {
    let (one, other) = (gpu.stream()?, gpu.stream()?);
    let (x, mut y) = (ones(gpu, 1000)?, gpu.zeros::<f32>(1000)?);
    let mut start = one.record()?;
    for _ in 0..3 {
        saxpy(1.0, &x, &mut y).over(1000).start(&one)?;
    }
    let end = one.record()?;
    other.wait_for(&end)?;
    let after = other.record()?;
    let whole = after.since(&start)?;
    assert!(start.has_happened()? && end.has_happened()? && after.has_happened()?);
    let kernels = end.since(&start)?;
    assert!(!kernels.is_zero() && kernels <= whole, "{kernels:?} of {whole:?}");
    one.record_again(&mut start)?;
    start.wait()?;
    Ok(())
}

fn threads(gpu: &Gpu) -> Result<()> {
    let (stream, x) = (gpu.stream()?, ones(gpu, 64)?);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4usize)
            .map(|number| {
                let (stream, x) = (&stream, &x);
                scope.spawn(move || -> Result<()> {
                    let mut y = gpu.zeros::<f32>(64)?;
                    for _ in 0..50 {
                        saxpy(number as f32, x, &mut y).over(64).start(stream)?;
                    }
                    assert_eq!(y.to_vec()?, [50.0 * number as f32; 64]);
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })
}

fn tuned_launches(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let (x, mut y) = (ones(gpu, 100)?, gpu.zeros::<f32>(100)?);
    for _ in 0..3 {
        tuned(1.0, &x, &mut y).over(100).start(&stream)?;
    }
    assert_eq!(y.to_vec()?, [3.0; 100]);
    Ok(())
}

fn empty(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let (none, mut to) = (gpu.pinned::<u64>(0)?, gpu.zeros::<u64>(0)?);
    stream.copy_to_device(&none, &mut to)?;
    stream.set_zero(&mut to)?;
    let mut pinned = gpu.pinned::<u64>(0)?;
    stream.copy_to_host(&to, &mut pinned)?;
    assert!(pinned.read()?.is_empty() && pinned.is_empty());
    Ok(())
}
