//! The expected result of a launch: the buffers as the host knows them, and the mistakes in a launch by the rules of the language alone.

use std::collections::BTreeSet;

use kernel_runtime::prelude::*;
use kernel_runtime::{KernelData, Launch, LaunchError};

use crate::kernels::{bounded, fixed, scaled};
use crate::random::Random;

/// Elements of a buffer, at most.
const LONGEST: usize = 70;

/// The data of the kernels, as this module sees it.
pub fn kernels() -> [&'static KernelData; 3] {
    [scaled::KERNEL.data(), bounded::KERNEL.data(), fixed::KERNEL.data()]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Which {
    Scaled,
    Bounded,
    Fixed,
}

/// The buffers of a device, each with what should be in it.
struct Place {
    x: Vec<DeviceBuffer<f32>>,
    y: Vec<(DeviceBuffer<f32>, Vec<f32>)>,
}

impl Place {
    fn new(gpu: &Gpu, lengths: &[usize]) -> Result<Place> {
        let x = lengths.iter().map(|&len| gpu.upload(&numbers(len))).collect::<Result<_>>()?;
        let y = lengths.iter().map(|&len| Ok((gpu.zeros(len)?, vec![0.0; len]))).collect::<Result<_>>()?;
        Ok(Place { x, y })
    }
}

fn numbers(len: usize) -> Vec<f32> {
    (0..len).map(|i| i as f32 + 1.0).collect()
}

/// All that launches see. Those on the device itself take the first place, those that are mistaken mix both.
pub struct World {
    gpu: Gpu,
    places: [Place; 2],
    streams: Vec<Stream>,
    /// True for each stream of which a panic has not been reported yet.
    panicked: Vec<bool>,
    /// The stream that last wrote each `y` of the first place.
    writer: Vec<Option<usize>>,
}

/// A launch to be.
#[derive(Debug)]
struct Case {
    which: Which,
    a: f32,
    x: (usize, usize),
    y: (usize, usize),
    over: Option<usize>,
    grid: Option<[u32; 3]>,
    block: Option<[u32; 3]>,
    shared: u32,
    /// The stream to leave it to.
    stream: Option<usize>,
}

impl Case {
    fn new(random: &mut Random, buffers: usize, streams: usize) -> Case {
        let strange = random.once_in(3);
        let size = |random: &mut Random, usual: u32| match strange && random.once_in(4) {
            false => 1 + random.below(usual as usize) as u32,
            true => random.of(&[0, 1, 9, 65, 129, 1025, 70_000, 1 << 20, 1 << 31, u32::MAX]),
        };
        let dim3 = |random: &mut Random, usual: [u32; 3]| {
            [size(random, usual[0]), size(random, usual[1]), size(random, usual[2])]
        };
        let which = random.of(&[Which::Scaled, Which::Scaled, Which::Bounded, Which::Fixed]);
        let with_over = random.once_in(3);
        let over = match strange && random.once_in(4) {
            false => 1 + random.below(2 * LONGEST),
            true => random.of(&[0, 1 << 32, usize::MAX]),
        };
        let mistaken_shape = strange && random.once_in(4);
        let block = match which {
            Which::Fixed if !strange || random.once_in(2) => random.of(&[None, Some([8, 4, 1])]),
            _ if with_over && random.once_in(2) => None,
            _ => Some(dim3(random, [32, 2, 2])),
        };
        let grid = dim3(random, [5, 2, 2]);
        let place = |random: &mut Random| (usize::from(strange && random.once_in(6)), random.below(buffers));
        Case {
            which,
            a: random.below(9) as f32,
            x: place(random),
            y: place(random),
            over: (with_over != (mistaken_shape && random.once_in(2))).then_some(over),
            grid: (with_over == (mistaken_shape && random.once_in(2))).then_some(grid),
            block,
            shared: if strange && random.once_in(4) {
                random.of(&[48 << 10, 228 << 10, 232_449, u32::MAX])
            } else {
                random.below(2048) as u32
            },
            stream: random.once_in(2).then(|| random.below(streams)),
        }
    }

    fn launch<'a>(&self, x: &'a DeviceBuffer<f32>, y: &'a mut DeviceBuffer<f32>) -> Launch<'a> {
        let mut launch = match self.which {
            Which::Scaled => scaled(self.a, x, y),
            Which::Bounded => bounded(self.a, x, y),
            Which::Fixed => fixed(self.a, x, y),
        };
        if let Some(over) = self.over {
            launch = launch.over(over);
        }
        if let Some(grid) = self.grid {
            launch = launch.grid(grid);
        }
        if let Some(block) = self.block {
            launch = launch.block(block);
        }
        launch.shared(self.shared)
    }

    /// The shape that it gets, if it is right.
    fn shape(&self, gpu: &Gpu) -> Option<([u32; 3], [u32; 3])> {
        let own = (self.which == Which::Fixed).then_some([8, 4, 1]);
        let block = match (self.block.or(own), self.over) {
            (Some(block), _) => block,
            (None, Some(_)) => {
                let kernel = if self.which == Which::Scaled { &scaled::KERNEL } else { &bounded::KERNEL };
                [kernel.best_block_size_with_shared(gpu, self.shared).ok()?.threads, 1, 1]
            }
            (None, None) => return None,
        };
        let grid = match (self.grid, self.over) {
            (Some(grid), None) => grid,
            (None, Some(over)) => [u32::try_from(over.div_ceil(block[0].max(1) as usize)).ok()?, 1, 1],
            (Some(_), Some(_)) | (None, None) => return None,
        };
        Some((grid, block))
    }

    /// Every mistake in it, by the name of the error, with the argument that it is about.
    fn mistakes(&self, gpu: &Gpu) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut add = |is: bool, name: &str| {
            if is {
                all.insert(name.to_owned());
            }
        };
        // A launch is where its stream is, and without one where its first buffer is.
        let place = if self.stream.is_some() { 0 } else { self.x.0 };
        add(self.x.0 != place, "OtherDevice x");
        add(self.y.0 != place, "OtherDevice y");
        add(self.over.is_some() && self.grid.is_some(), "OverAndGrid");
        add(self.over.is_none() && self.grid.is_none(), "NoGrid");
        add(self.over == Some(0), "OverNothing");
        add(self.over.is_some_and(|over| u32::try_from(over).is_err()), "OverTooMany");
        let own = (self.which == Which::Fixed).then_some([8, 4, 1]);
        let block = self.block.or(own);
        add(block.is_none() && self.over.is_none(), "NoBlock");
        let limits = &gpu.attributes().limits;
        let fixed_shared = if self.which == Which::Fixed { 4096 } else { 0 };
        add(u64::from(self.shared) + fixed_shared > limits.shared_per_block_optin.into(), "SharedMemory");
        if let Some(block) = block {
            add(own.is_some_and(|own| own != block), "BlockFixed");
            add(block.contains(&0), "Empty");
            add(block.iter().zip([1024, 1024, 64]).any(|(&size, limit)| size > limit), "Axis");
            let most = if self.which == Which::Bounded { 64 } else { 1024 };
            add(product(block) > most, "BlockTooLarge");
        }
        if let Some(grid) = self.grid {
            add(grid.contains(&0), "Empty");
            add(grid.iter().zip([u32::MAX >> 1, 65_535, 65_535]).any(|(&size, limit)| size > limit), "Axis");
        }
        if let Some((grid, block)) = self.shape(gpu) {
            add(
                grid.iter().zip(block).any(|(&grid, block)| grid.checked_mul(block).is_none()),
                "TooManyThreads",
            );
        }
        all
    }

    /// Returns true if it is small enough to run.
    fn is_small(&self, gpu: &Gpu) -> bool {
        self.shape(gpu).is_none_or(|(grid, block)| product(grid).saturating_mul(product(block)) <= 20_000)
    }
}

fn product(size: [u32; 3]) -> u64 {
    size.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

/// The name of an error as [`Case::mistakes`] calls it.
fn name(error: &LaunchError) -> String {
    match error {
        LaunchError::OtherDevice { argument, .. } => format!("OtherDevice {argument}"),
        other => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
    }
}

impl World {
    pub fn new(gpu: &Gpu, elsewhere: &Gpu) -> Result<World> {
        let lengths = [0, 1, 31, 32, 33, 64, LONGEST, LONGEST];
        let places = [Place::new(gpu, &lengths)?, Place::new(elsewhere, &lengths)?];
        let streams = (0..3).map(|_| gpu.stream()).collect::<Result<Vec<_>>>()?;
        let (panicked, writer) = (vec![false; streams.len()], vec![None; lengths.len()]);
        Ok(World { gpu: gpu.clone(), places, streams, panicked, writer })
    }

    /// One launch; tells what became of it, or how that differs from what should.
    pub fn launch(&mut self, random: &mut Random) -> Result<String, String> {
        let case = Case::new(random, self.writer.len(), self.streams.len());
        let seen = self.check(&case).map_err(|problem| format!("{problem}\n{case:?}"))?;
        if random.once_in(20) {
            self.synchronize(random.below(self.streams.len()))?;
        }
        if random.once_in(50) {
            self.replace(random.below(self.writer.len()))?;
        }
        Ok(seen)
    }

    fn check(&mut self, case: &Case) -> Result<String, String> {
        // Mistakes count by the device that it runs on.
        let place = if case.stream.is_some() { 0 } else { case.x.0 };
        let gpu = self.places[place].x[0].gpu().clone();
        let mistakes = case.mistakes(&gpu);
        if mistakes.is_empty() && !case.is_small(&gpu) {
            return Ok("too large to run".to_owned());
        }
        let buffers = &mut self.places;
        let [first, second] = buffers;
        // Both are borrowed whole: which of them is known only now.
        let x = if case.x.0 == 0 { &first.x[case.x.1] } else { &second.x[case.x.1] };
        let (y, expected) = if case.y.0 == 0 { &mut first.y[case.y.1] } else { &mut second.y[case.y.1] };
        let x_len = x.len();
        let launch = case.launch(x, y);
        let result = match case.stream {
            Some(stream) => launch.start(&self.streams[stream]).map(|()| None),
            None => launch.run().map(Some),
        };
        if !mistakes.is_empty() {
            return match result {
                Err(Error::Launch { reason, .. }) if mistakes.contains(&name(&reason)) => Ok(name(&reason)),
                Err(other) => Err(format!("expected one of {mistakes:?}, found {other}")),
                Ok(_) => Err(format!("expected one of {mistakes:?}, but it ran")),
            };
        }
        let (grid, block) = case.shape(&gpu).ok_or("a launch without a shape ran")?;
        let threads = (product(grid) * product(block)) as usize;
        let reached = expected.len().min(threads);
        for (i, value) in expected.iter_mut().enumerate().take(reached.min(x_len)) {
            *value = case.a * (i as f32 + 1.0);
        }
        let panics = case.which == Which::Scaled && reached > x_len;
        match (case.stream, result) {
            (None, Err(Error::KernelPanicked { message, .. })) if panics => {
                let index = message.rsplit(' ').next().and_then(|text| text.parse::<usize>().ok());
                match index.is_some_and(|index| (x_len..reached).contains(&index)) {
                    true => Ok("panicked".to_owned()),
                    false => Err(format!("expected an index from {x_len} to {reached}, found: {message}")),
                }
            }
            (None, Ok(Some(report))) if !panics => match (report.grid, report.block) == (grid, block) {
                true => Ok("ran".to_owned()),
                false => Err(format!("expected the shape {grid:?} {block:?}, found: {report}")),
            },
            (Some(stream), Ok(_)) => {
                self.panicked[stream] |= panics;
                if case.y.0 == 0 {
                    self.writer[case.y.1] = Some(stream);
                }
                Ok("started".to_owned())
            }
            (_, Err(error)) => Err(format!("expected a panic: {panics}; found {error}")),
            (_, Ok(_)) => Err("expected a panic, but it ran".to_owned()),
        }
    }

    /// Waits for a stream, and checks that a panic is reported if there was one.
    fn synchronize(&mut self, stream: usize) -> Result<(), String> {
        match (self.streams[stream].synchronize(), std::mem::take(&mut self.panicked[stream])) {
            (Ok(()), false) | (Err(Error::KernelPanicked { .. }), true) => Ok(()),
            (Ok(()), true) => Err("a panic was lost".to_owned()),
            (Err(error), _) => Err(format!("expected no error of the stream, found {error}")),
        }
    }

    /// Looks at a buffer, which tells a panic of the stream that writes it, and takes a new one in its place; now and then a new
    /// stream as well.
    fn replace(&mut self, index: usize) -> Result<(), String> {
        let message = |error: Error| error.to_string();
        let (y, expected) = &mut self.places[0].y[index];
        let found = match (y.to_vec(), self.writer[index]) {
            (Err(Error::KernelPanicked { .. }), Some(stream)) if self.panicked[stream] => {
                self.panicked[stream] = false;
                y.to_vec()
            }
            (other, _) => other,
        };
        if found.as_ref().is_ok_and(|found| found != expected) || found.is_err() {
            return Err(format!("buffer {index}: expected {expected:?}, found {found:?}"));
        }
        let len = expected.len();
        *y = self.gpu.zeros(len).map_err(message)?;
        *expected = vec![0.0; len];
        self.writer[index] = None;
        if index == 0 {
            self.synchronize(0)?;
            self.streams[0] = self.gpu.stream().map_err(message)?;
            self.writer.iter_mut().for_each(|writer| *writer = writer.filter(|&stream| stream != 0));
        }
        Ok(())
    }

    /// Compares everything.
    pub fn finish(mut self) -> Result<(), String> {
        for stream in 0..self.streams.len() {
            self.synchronize(stream)?;
        }
        for (y, expected) in self.places.iter().flat_map(|place| &place.y) {
            let found = y.to_vec().map_err(|error| error.to_string())?;
            if found != *expected {
                return Err(format!("expected {expected:?}, found {found:?}"));
            }
        }
        Ok(())
    }
}
