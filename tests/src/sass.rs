//! The machine code that NVIDIA's tools make: of PTX by `ptxas`, of CUDA C++ by `nvcc`, listed by `nvdisasm`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::toolchain::{MissingTool, Tool};

/// Lists machine code.
pub struct Sass {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

impl Sass {
    /// Finds the tools.
    ///
    /// # Errors
    /// One is missing.
    pub fn find() -> Result<Sass, MissingTool> {
        Ok(Sass { ptxas: Tool::Ptxas.find()?, nvdisasm: Tool::Nvdisasm.find()? })
    }

    /// The instructions of a PTX text, without the padding at their end.
    ///
    /// # Panics
    /// If a tool fails.
    pub fn of_ptx(&self, ptx: &str, arch: &str) -> Vec<String> {
        self.of(ptx, "ptx", |source, cubin| {
            let mut command = Command::new(&self.ptxas);
            command.arg("-arch").arg(arch).arg("-o").arg(cubin).arg(source);
            command
        })
    }

    /// The same of a text of CUDA C++, compiled with these flags besides.
    ///
    /// # Panics
    /// If a tool fails.
    pub fn of_cuda(&self, nvcc: &Path, flags: &[&str], text: &str, arch: &str) -> Vec<String> {
        self.of(text, "cu", |source, cubin| {
            let mut command = Command::new(nvcc);
            command.args(flags).arg("-cubin").arg("-arch").arg(arch).arg("-o").arg(cubin).arg(source);
            command
        })
    }

    fn of(&self, text: &str, extension: &str, make: impl Fn(&Path, &Path) -> Command) -> Vec<String> {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let (source, cubin) =
            (folder.path().join("kernel").with_extension(extension), folder.path().join("kernel.cubin"));
        std::fs::write(&source, text).expect("the folder can be written");
        run(&mut make(&source, &cubin));
        let listing = run(Command::new(&self.nvdisasm).arg("-c").arg(&cubin));
        // Instructions begin with their address, `/*0010*/`; after the last one is padding.
        let instructions = listing.lines().filter_map(|line| {
            let (_, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
            rest.split_once(';').map(|(instruction, _)| instruction.trim().to_owned())
        });
        instructions.filter(|instruction| instruction != "NOP").collect()
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
