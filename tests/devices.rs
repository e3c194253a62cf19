//! Several devices in one program: pairs of simulators, of a simulator and a GPU, and of GPUs where there are two
//! (`REQUIRE_GPUS=2` makes their absence a failure). Also what a launch keeps in a device's second-level cache.

use expect_test::expect;
use kernel_runtime::prelude::*;

/// Each element times a factor.
#[kernel]
pub fn scale(factor: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = factor * x[i];
    }
}

const LEN: usize = 100_000;

/// GPUs, at most two.
fn gpus() -> Vec<Gpu> {
    let required = std::env::var("REQUIRE_GPUS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    let count = Gpu::cuda_devices().unwrap_or(0).min(2);
    assert!(count >= required, "{required} GPUs are required, there are {count}");
    (0..count).map(|ordinal| Gpu::cuda(ordinal).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Pairs of devices that are not the same.
fn pairs() -> Vec<(Gpu, Gpu)> {
    let simulators = [Arch::Sm90, Arch::Sm90, Arch::Sm80].map(Gpu::simulator);
    let mut all: Vec<Gpu> = simulators.into();
    all.extend(gpus());
    let last = all.len() - 1;
    let mut pairs = vec![(all[0].clone(), all[1].clone()), (all[1].clone(), all[2].clone())];
    if last > 2 {
        pairs.extend([(all[0].clone(), all[3].clone()), (all[3].clone(), all[0].clone())]);
    }
    if last > 3 {
        pairs.extend([(all[3].clone(), all[4].clone()), (all[4].clone(), all[3].clone())]);
    }
    pairs
}

fn numbers() -> Vec<f32> {
    (0..LEN).map(|i| i as f32).collect()
}

#[test]
fn buffers_are_copied_from_one_device_to_another() -> Result<()> {
    for (one, other) in pairs() {
        let x = one.upload(&numbers())?;
        let mut y = other.zeros::<f32>(LEN)?;
        y.copy_from(&x)?;
        assert_eq!(y.to_vec()?, numbers(), "{one} to {other}");
        let error = y.copy_from(&one.zeros(LEN + 1)?).expect_err("the lengths differ");
        expect![[r#"
            copy from 100001 elements to 100000 elements
            help: both sides of a copy have the same length"#]]
        .assert_eq(&error.to_string());
        one.zeros::<f32>(0)?.copy_from(&other.zeros(0)?)?;
    }
    Ok(())
}

/// Pending writes complete before a copy, on the device that is read and on the one that is written.
#[test]
fn copies_wait_for_what_streams_do() -> Result<()> {
    for (one, other) in pairs() {
        let (streams, x) = ([one.stream()?, other.stream()?], one.upload(&numbers())?);
        let mut scaled = one.zeros::<f32>(LEN)?;
        let (own, mut y) = (other.upload(&numbers())?, other.zeros::<f32>(LEN)?);
        for round in 1..=5 {
            scale(round as f32, &x, &mut scaled).over(LEN).start(&streams[0])?;
            scale(-1.0, &own, &mut y).over(LEN).start(&streams[1])?;
            y.copy_from(&scaled)?;
            let expected: Vec<f32> = numbers().iter().map(|x| round as f32 * x).collect();
            assert_eq!(y.to_vec()?, expected, "{one} to {other}, round {round}");
        }
        streams.iter().try_for_each(Stream::synchronize)?;
    }
    Ok(())
}

/// A copy on a stream of either device comes after the kernels that write its source and use its target, and before those that come
/// later, on whatever device; nothing is waited for meanwhile.
#[test]
fn streams_order_copies_between_devices() -> Result<()> {
    const LEN: usize = 1 << 20;
    let numbers: Vec<f32> = (0..LEN).map(|i| (i % 1000) as f32).collect();
    for (one, other) in pairs() {
        let (first, second) = (one.stream()?, other.stream()?);
        let x = one.upload(&numbers)?;
        let mut scaled = one.zeros::<f32>(LEN)?;
        let (mut received, mut sent_back) = (other.zeros::<f32>(LEN)?, other.zeros::<f32>(LEN)?);
        let mut results: Vec<DeviceBuffer<f32>> =
            (0..2).map(|_| one.zeros::<f32>(LEN)).collect::<Result<_>>()?;
        for round in 1..=8 {
            scale(round as f32, &x, &mut scaled).over(LEN).start(&first)?;
            let (pulls, pushes) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
            pulls.copy(&scaled, &mut received)?;
            // Overwrites what is copied.
            scale(-1.0, &x, &mut scaled).over(LEN).start(&first)?;
            scale(2.0, &received, &mut sent_back).over(LEN).start(&second)?;
            pushes.copy(&sent_back, &mut results[round % 2])?;
            if round > 6 {
                let expected: Vec<f32> = numbers.iter().map(|x| 2.0 * round as f32 * x).collect();
                assert!(results[round % 2].to_vec()? == expected, "{one} and {other}, round {round}");
            }
        }
        let error = first.copy(&received, &mut one.zeros(LEN + 1)?).expect_err("the lengths differ");
        assert!(matches!(error, Error::CopyLength { from: LEN, to } if to == LEN + 1), "{error}");
        second.copy(&one.zeros::<f32>(0)?, &mut other.zeros(0)?)?;
        // A buffer that another device's stream still uses is freed after that.
        scale(3.0, &x, &mut scaled).over(LEN).start(&first)?;
        second.copy(&scaled, &mut received)?;
        drop(scaled);
        assert!(received.to_vec()?.iter().zip(&numbers).all(|(y, x)| *y == 3.0 * x), "{one} and {other}");
        first.synchronize()?;
        second.synchronize()?;
    }
    Ok(())
}

/// Each device does its half, at once; one of them gets both.
#[test]
fn two_devices_share_the_work() -> Result<()> {
    for (one, other) in pairs() {
        let half = LEN / 2;
        let all = numbers();
        let mut parts = Vec::new();
        for (gpu, data) in [(&one, &all[..half]), (&other, &all[half..])] {
            let (stream, x, mut y) = (gpu.stream()?, gpu.upload(data)?, gpu.zeros::<f32>(half)?);
            scale(3.0, &x, &mut y).over(half).start(&stream)?;
            parts.push((stream, x, y));
        }
        let mut gathered = one.zeros::<f32>(half)?;
        gathered.copy_from(&parts[1].2)?;
        let found = [parts[0].2.to_vec()?, gathered.to_vec()?].concat();
        assert!(found.iter().zip(&all).all(|(y, x)| *y == 3.0 * x), "{one} and {other}");
    }
    Ok(())
}

#[test]
fn buffers_of_another_device_are_refused() -> Result<()> {
    for (one, other) in pairs() {
        let (x, mut y) = (one.zeros::<f32>(8)?, other.zeros::<f32>(8)?);
        let said = |result: Result<()>| result.expect_err("two devices").to_string();
        for error in [
            said(scale(1.0, &x, &mut y).over(8).run().map(drop)),
            said(scale(1.0, &other.zeros(8)?, &mut y).over(8).on(&one).run().map(drop)),
            said(one.stream()?.copy(&other.zeros(8)?, &mut y)),
            said(scale(1.0, &other.zeros(8)?, &mut y).over(8).keep_in_l2(&x, 1.0).run().map(drop)),
        ] {
            assert!(error.contains(&one.to_string()) && error.contains(&other.to_string()), "{error}");
            assert!(error.contains("\nhelp: "), "{error}");
        }
    }
    let (one, other) = (Gpu::simulator(Arch::Sm90), Gpu::simulator(Arch::Sm90));
    let (x, mut y) = (one.zeros::<f32>(8)?, other.zeros::<f32>(8)?);
    let error = scale(1.0, &x, &mut y).over(8).run().expect_err("two devices");
    expect![[r#"
        launch of `scale` refused: argument `y` is on another simulator of sm_90, but the launch is on simulator of sm_90
        help: pass buffers of one device, and that device to `.on`"#]]
    .assert_eq(&error.to_string());
    Ok(())
}

/// Whatever is kept, results are the same.
#[test]
fn what_is_kept_changes_no_result() -> Result<()> {
    let mut devices = vec![Gpu::simulator(Arch::Sm90)];
    devices.extend(gpus());
    for gpu in devices {
        let (x, mut y) = (gpu.upload(&numbers())?, gpu.zeros::<f32>(LEN)?);
        let most = gpu.attributes().persisting_l2_bytes.unwrap_or(u64::MAX);
        let given = gpu.set_aside_l2(most.min(1 << 20))?;
        assert!(most == 0 || given >= most.min(1 << 20), "{given} bytes on {gpu}");
        for ratio in [0.0, 0.5, 1.0] {
            let written = y.l2_window(LEN / 2..);
            scale(2.0, &x, &mut y).over(LEN).keep_in_l2(&x, ratio).run()?;
            scale(2.0, &x, &mut y).over(LEN).keep_in_l2(written, ratio).run()?;
            assert!(y.to_vec()?.iter().zip(numbers()).all(|(y, x)| *y == 2.0 * x), "{gpu}");
        }
        let stream = gpu.stream()?;
        scale(4.0, &x, &mut y).over(LEN).keep_in_l2(&x, 1.0).start(&stream)?;
        stream.synchronize()?;
        let lent = y.lend();
        gpu.graph(|graph| scale(5.0, &x, lent).over(LEN).keep_in_l2(lent, 1.0).record(graph))?.run()?;
        assert!(y.to_vec()?.iter().zip(numbers()).all(|(y, x)| *y == 5.0 * x), "{gpu}");
        for ratio in [-0.1, 1.1, f32::NAN] {
            let error = scale(2.0, &x, &mut y).over(LEN).keep_in_l2(&x, ratio).run().expect_err("no ratio");
            assert!(matches!(
                error,
                Error::Launch { reason: kernel_runtime::LaunchError::L2Ratio { .. }, .. }
            ));
        }
        if most < u64::MAX {
            let error = gpu.set_aside_l2(most + 1).expect_err("too much");
            assert!(matches!(error, Error::L2SetAside { requested, limit, .. } if requested == limit + 1));
        }
        gpu.reset_l2()?;
        gpu.set_aside_l2(0)?;
    }
    Ok(())
}

#[test]
fn windows_are_parts_of_buffers() -> Result<()> {
    let x = Gpu::simulator(Arch::Sm90).zeros::<f64>(100)?;
    let bytes = |window: kernel_runtime::L2Window| window.bytes();
    assert_eq!(bytes((&x).into()), 800);
    assert_eq!(bytes(x.l2_window(..)), 800);
    assert_eq!(bytes(x.l2_window(10..20)), 80);
    assert_eq!(bytes(x.l2_window(10..=20)), 88);
    assert_eq!(bytes(x.l2_window(90..1000)), 80);
    assert_eq!(bytes(x.l2_window(200..)), 0);
    assert_eq!(bytes(x.l2_window(..=usize::MAX)), 800);
    Ok(())
}
