//! Guarantees of graphs, on any device.

use std::mem;

use kernel_runtime::{Arch, DeviceBuffer, Error, Gpu, LaunchError, Result};

use super::{saxpy, tuned};

/// A check, with its name.
pub type Check = (&'static str, fn(&Gpu) -> Result<()>);

/// Every check.
pub const CHECKS: &[Check] = &[
    ("a graph does what was recorded, each time", replayed),
    ("copies and zeros are recorded", copies),
    ("streams and graphs wait for each other where buffers say so", order),
    ("arguments and work are updated", updated),
    ("a panic in a graph comes back once", panics),
    ("each launch of a graph has a record of its own", many_panics),
    ("graphs and what they use may be dropped or leaked while they run", dropped),
    ("a graph is timed", timed),
    ("mistakes leave the graph as it was", mistakes),
    ("values that a graph wrote are looked at", values),
    ("recordings are not exchanged", exchanged),
    ("what is not there has no elements", absent),
];

fn absent(gpu: &Gpu) -> Result<()> {
    type Absent = Option<&'static mut DeviceBuffer<f32>>;
    let mut y = gpu.zeros::<f32>(3)?;
    let y = y.lend();
    let graph = gpu.graph(|graph| {
        graph.copy(None, None::<&mut DeviceBuffer<f32>>)?;
        graph.set_zero(Absent::None)?;
        let error = graph.copy(y, Absent::None).expect_err("three elements to none");
        assert!(matches!(error, Error::CopyLength { from: 3, to: 0 }), "{error}");
        let error = graph.copy(None, y).expect_err("none to three elements");
        assert!(matches!(error, Error::CopyLength { from: 0, to: 3 }), "{error}");
        Ok(())
    })?;
    assert!(graph.is_empty());
    Ok(())
}

fn replayed(gpu: &Gpu) -> Result<()> {
    let x = gpu.upload(&[1.0f32; 100])?;
    let (mut y, mut z) = (gpu.zeros::<f32>(100)?, gpu.zeros::<f32>(100)?);
    let (y, z) = (y.lend(), z.lend());
    let graph = gpu.graph(|graph| {
        for _ in 0..10 {
            saxpy(1.0, &x, y).over(100).record(graph)?; // y += 1
            saxpy(1.0, y, z).over(100).record(graph)?; // z += y
        }
        tuned(0.0, &x, z).over(100).record(graph)
    })?;
    assert_eq!((graph.len(), y.to_vec()?), (21, vec![0.0; 100]), "nothing is done yet");
    let stream = gpu.stream()?;
    let (mut of_y, mut of_z) = (0.0, 0.0);
    for _ in 0..3 {
        graph.start(&stream)?;
        for _ in 0..10 {
            of_y += 1.0;
            of_z += of_y;
        }
    }
    assert_eq!((y.to_vec()?, z.to_vec()?), (vec![of_y; 100], vec![of_z; 100]));
    // The host writes between.
    y.copy_from_slice(&[0.0; 100])?;
    graph.start(&stream)?;
    assert_eq!((y.to_vec()?, y.len(), y.is_empty()), (vec![10.0; 100], 100, false));
    stream.synchronize()
}

fn copies(gpu: &Gpu) -> Result<()> {
    let n = 64;
    let (mut x, mut y) = (gpu.zeros::<f32>(n)?, gpu.zeros::<f32>(n)?);
    let (mut input, mut output) = (gpu.pinned::<f32>(n)?, gpu.pinned::<f32>(n)?);
    {
        let (x, y, input, output) = (x.lend(), y.lend(), input.lend(), output.lend());
        let graph = gpu.graph(|graph| {
            graph.copy_to_device(input, x)?;
            graph.set_zero(y)?;
            saxpy(2.0, x, y).over(n).record(graph)?; // y = 2 input
            graph.copy(y, x)?;
            graph.copy(x, x)?;
            saxpy(1.0, x, y).over(n).record(graph)?; // y = 4 input
            graph.copy_to_host(y, output)
        })?;
        let stream = gpu.stream()?;
        for round in 1..=4 {
            input.copy_from_slice(&vec![round as f32; n])?;
            graph.start(&stream)?;
            assert_eq!(output.to_vec()?, vec![4.0 * round as f32; n]);
        }
    }
    assert_eq!((output.read()?[3], x.to_vec()?[3]), (16.0, 8.0));
    Ok(())
}

fn order(gpu: &Gpu) -> Result<()> {
    let (one, other) = (gpu.stream()?, gpu.stream()?);
    let (mut x, mut y) = (gpu.upload(&[1.0f32; 50])?, gpu.zeros::<f32>(50)?);
    let mut copy = gpu.zeros::<f32>(50)?;
    let (x, y) = (x.lend(), y.lend());
    let graph = gpu.graph(|graph| saxpy(1.0, x, y).over(50).record(graph))?;
    for round in 1..=10 {
        // Both streams in turn; and a lent buffer is as good as one of one's own.
        let stream = if round % 2 == 0 { &one } else { &other };
        graph.start(stream)?;
        copy.set_zero()?;
        saxpy(1.0, y, &mut copy).over(50).start(&one)?;
        assert_eq!(copy.to_vec()?, [round as f32; 50]);
        saxpy(0.0, y, x).over(50).start(&other)?;
    }
    one.synchronize()?;
    other.synchronize()
}

fn updated(gpu: &Gpu) -> Result<()> {
    let x = gpu.upload(&[1.0f32; 50])?;
    let (mut y, mut z) = (gpu.zeros::<f32>(50)?, gpu.zeros::<f32>(50)?);
    let (y, z) = (y.lend(), z.lend());
    let stream = gpu.stream()?;
    let mut graph = gpu.graph(|graph| saxpy(1.0, &x, y).over(50).record(graph))?;
    graph.start(&stream)?;
    // One launch with another factor; then another buffer; then more; then nothing.
    graph.update(|graph| saxpy(10.0, &x, y).over(50).record(graph))?;
    graph.start(&stream)?;
    graph.update(|graph| saxpy(5.0, &x, z).over(50).record(graph))?;
    graph.start(&stream)?;
    assert_eq!((y.to_vec()?[49], z.to_vec()?[49]), (11.0, 5.0));
    graph.update(|graph| {
        graph.set_zero(y)?;
        saxpy(1.0, z, y).over(50).record(graph)
    })?;
    graph.start(&stream)?;
    graph.start(&stream)?;
    assert_eq!((y.to_vec()?[49], graph.len()), (5.0, 2));
    graph.update(|_| Ok(()))?;
    graph.start(&stream)?;
    assert!(graph.is_empty());
    stream.synchronize()
}

/// Checks the error of a graph that panics at an index.
fn is_panic<T>(result: Result<T>, index: usize) {
    let Err(error) = result else { panic!("no panic") };
    let Error::KernelPanicked { kernel: "saxpy", message, .. } = &error else { panic!("{error}") };
    assert!(message.ends_with(&format!(" is {index}")), "{message}");
}

fn panics(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let x = gpu.upload(&[1.0f32; 8])?;
    let mut y = gpu.zeros::<f32>(9)?;
    let y = y.lend();
    let graph = gpu.graph(|graph| {
        saxpy(1.0, &x, y).grid(1).block(8).record(graph)?;
        saxpy(1.0, &x, y).grid(1).block(9).record(graph)?;
        saxpy(1.0, &x, y).grid(1).block(8).record(graph)
    })?;
    for _ in 0..3 {
        graph.start(&stream)?;
        graph.start(&stream)?;
        is_panic(stream.synchronize(), 8);
        stream.synchronize()?;
    }
    graph.start(&stream)?;
    is_panic(y.to_vec(), 8);
    assert_eq!(y.to_vec()?, [21.0, 21.0, 21.0, 21.0, 21.0, 21.0, 21.0, 21.0, 0.0]);
    is_panic(graph.run(), 8);
    // By another stream than the one that panicked: whoever runs it last tells.
    let other = gpu.stream()?;
    graph.start(&stream)?;
    graph.start(&other)?;
    is_panic(other.synchronize().and(stream.synchronize()), 8);
    drop(graph);
    stream.synchronize()
}

fn many_panics(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let x = gpu.upload(&[1.0f32; 4])?;
    let (mut short, mut long, mut sound) = (gpu.zeros::<f32>(5)?, gpu.zeros::<f32>(6)?, gpu.zeros::<f32>(4)?);
    let (short, long, sound) = (short.lend(), long.lend(), sound.lend());
    let graph = gpu.graph(|graph| {
        for launch in 0..1500 {
            match launch {
                700 => saxpy(0.0, &x, short).grid(1).block(5).record(graph)?,
                1300 => saxpy(0.0, &x, long).grid(1).block(6).record(graph)?,
                _ => saxpy(1.0, &x, sound).grid(1).block(4).record(graph)?,
            }
        }
        Ok(())
    })?;
    graph.start(&stream)?;
    is_panic(stream.synchronize(), 4);
    stream.synchronize()?;
    assert_eq!(sound.to_vec()?, [1498.0; 4]);
    Ok(())
}

fn dropped(gpu: &Gpu) -> Result<()> {
    let stream = gpu.stream()?;
    let x = gpu.upload(&[1.0f32; 20])?;
    let (mut y, mut z) = (gpu.zeros::<f32>(20)?, gpu.zeros::<f32>(20)?);
    {
        let own = gpu.upload(&[2.0f32; 20])?;
        let y = y.lend();
        let graph = gpu.graph(|graph| saxpy(1.0, &own, y).over(20).record(graph))?;
        graph.start(&stream)?;
        graph.start(&stream)?;
    }
    {
        let own = gpu.upload(&[3.0f32; 20])?;
        let z = z.lend();
        let graph = gpu.graph(|graph| {
            saxpy(1.0, &own, z).over(20).record(graph)?;
            saxpy(1.0, &x, z).over(20).record(graph)
        })?;
        graph.start(&stream)?;
        mem::forget(graph);
    }
    // The buffers that the leaked one used are free: dropping them has waited.
    saxpy(1.0, &x, &mut y).over(20).run()?;
    assert_eq!((y.to_vec()?, z.to_vec()?), (vec![5.0; 20], vec![4.0; 20]));
    drop(z);
    stream.synchronize()
}

fn timed(gpu: &Gpu) -> Result<()> {
    let x = gpu.upload(&[1.0f32; 200])?;
    let mut y = gpu.zeros::<f32>(200)?;
    let y = y.lend();
    let graph = gpu.graph(|graph| (0..20).try_for_each(|_| saxpy(1.0, &x, y).over(200).record(graph)))?;
    assert!(!graph.run()?.is_zero());
    assert_eq!(y.to_vec()?, [20.0; 200]);
    Ok(())
}

fn mistakes(gpu: &Gpu) -> Result<()> {
    let x = gpu.upload(&[1.0f32; 8])?;
    let mut y = gpu.zeros::<f32>(8)?;
    let y = y.lend();
    let mut graph = gpu.graph(|graph| saxpy(1.0, &x, y).over(8).record(graph))?;
    let error = graph.update(|graph| saxpy(1.0, y, y).over(8).record(graph)).unwrap_err();
    let Error::Launch { reason: LaunchError::LentTwice { argument: "y" }, .. } = error else {
        panic!("{error}")
    };
    let error = graph.update(|graph| saxpy(1.0, &x, y).over(0).record(graph)).unwrap_err();
    assert!(matches!(error, Error::Launch { reason: LaunchError::OverNothing, .. }), "{error}");
    assert!(saxpy(1.0, y, y).over(8).run().is_err());
    graph.run()?;
    assert_eq!(y.to_vec()?, [1.0; 8]);
    Ok(())
}

fn values(gpu: &Gpu) -> Result<()> {
    let (mut bytes, mut flags) = (gpu.pinned::<bool>(4)?, gpu.zeros::<bool>(4)?);
    let flags = flags.lend();
    let host = bytes.lend();
    let graph = gpu.graph(|graph| graph.copy_to_host(flags, host))?;
    flags.copy_from_slice(&[true, false, true, true])?;
    graph.run()?;
    assert_eq!(host.to_vec()?, [true, false, true, true]);
    Ok(())
}

fn exchanged(gpu: &Gpu) -> Result<()> {
    let other = Gpu::simulator(Arch::Sm90);
    let (x, mut y) = (gpu.upload(&[1.0f32; 8])?, gpu.zeros::<f32>(8)?);
    let (far_x, mut far_y) = (other.upload(&[1.0f32; 8])?, other.zeros::<f32>(8)?);
    let (y, far_y) = (y.lend(), far_y.lend());
    let mut inner = None;
    // On either device the addresses of the other are those of something else.
    let outer = gpu.graph(|one| {
        inner = Some(other.graph(|another| {
            saxpy(1.0, &far_x, far_y).over(8).record(another)?;
            mem::swap(one, another);
            Ok(())
        }));
        saxpy(1.0, &far_x, far_y).over(8).record(one)
    });
    let inner = inner.expect("it was asked for");
    assert!(matches!(outer, Err(Error::RecordingExchanged)), "{outer:?}");
    assert!(matches!(inner, Err(Error::RecordingExchanged)), "{inner:?}");

    // A graph that is updated so stays as it was, and can be updated again.
    let mut graph = gpu.graph(|graph| saxpy(1.0, &x, y).over(8).record(graph))?;
    let updated = graph.update(|one| {
        gpu.graph(|another| {
            mem::swap(one, another);
            Ok(())
        })
        .map(drop)
    });
    assert!(matches!(updated, Err(Error::RecordingExchanged)), "{updated:?}");
    graph.run()?;
    assert_eq!(y.to_vec()?, [1.0; 8]);
    // There and back is no exchange.
    graph.update(|one| {
        let nested = gpu.graph(|another| {
            mem::swap(one, another);
            mem::swap(one, another);
            Ok(())
        });
        nested.map(drop)?;
        saxpy(2.0, &x, y).over(8).record(one)
    })?;
    graph.run()?;
    assert_eq!(y.to_vec()?, [3.0; 8]);
    Ok(())
}
