//! That the texts are what nvcc makes of the sources.

use std::io::Write as _;

use kernel_runtime::prelude::*;
use tests::toolchain::{Ptxas, Tool, require_or_skip};

use crate::harness::{SOURCES, directory};

/// The build of the compiler that made a text, from the comments at its beginning.
fn compiler(text: &str) -> String {
    let comments = text.lines().map_while(|line| line.strip_prefix("//"));
    let named =
        comments.map(str::trim).filter(|line| line.starts_with("Compiler Build") || line.starts_with("Cuda"));
    named.collect::<Vec<_>>().join(", ")
}

/// Another nvcc makes other texts, which says nothing about these: then the test is skipped, in one line.
#[test]
fn are_what_nvcc_makes() {
    if require_or_skip(Tool::Nvcc.find()).is_none() {
        return;
    }
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    for source in SOURCES {
        let Some(made) = source.compile(source.arch) else { continue };
        let (kept_by, made_by) = (compiler(&source.kept()), compiler(&made));
        if !update && kept_by != made_by {
            // Not `eprintln!`, which the test harness keeps to itself when a test passes.
            let _ = writeln!(
                std::io::stderr(),
                "skipped are_what_nvcc_makes: {}.ptx is of another nvcc ({kept_by}) than the one here ({made_by})\n\
                 help: .ci/cuda-tools installs that one; UPDATE_EXPECT=1 writes the texts that this one makes",
                source.name
            );
            return;
        }
        if update {
            let file =
                std::fs::File::create(directory().join(format!("ptx/{}.ptx.gz", source.name))).unwrap();
            let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::best());
            file.write_all(made.as_bytes()).unwrap();
            file.finish().unwrap();
        } else {
            let same = made == source.kept();
            assert!(same, "{}.cu or nvcc has changed\nhelp: UPDATE_EXPECT=1 writes the text", source.name);
        }
    }
}

/// The registers that the simulator estimates are those that `ptxas` gives out, more or less: calibrated once, kept so.
#[test]
fn registers_are_estimated() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let mut errors = Vec::new();
    for source in SOURCES {
        let text = source.kept();
        let report =
            ptxas.assemble(&text, source.arch).unwrap_or_else(|log| panic!("{}: {log}", source.name));
        let module = Gpu::simulator(source.arch).load_ptx(&text).unwrap_or_else(|error| panic!("{error}"));
        for entry in &report.entries {
            let function = module.function(&entry.name).unwrap_or_else(|error| panic!("{error}"));
            let estimated = f64::from(function.attributes().registers);
            errors.push((estimated / f64::from(entry.registers)).ln());
        }
    }
    let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
    assert!(
        errors.len() == 70 && mean < 0.23,
        "{} kernels, off by a factor of {:.2}",
        errors.len(),
        mean.exp()
    );
}
