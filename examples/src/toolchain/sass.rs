//! The machine code that NVIDIA's tools make: of PTX by `ptxas`, of CUDA C++ by `nvcc`, listed by `nvdisasm`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{MissingTool, Tool};

/// Lists machine code.
pub struct Sass {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

/// An instruction of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The offset in bytes from the function's start.
    pub address: u32,
    /// As the disassembler writes it, with its predicate.
    pub text: String,
    /// The offset of the branch target, if it branches.
    pub branch_target: Option<u32>,
}

impl Instruction {
    /// The opcode with its suffixes, without the predicate.
    pub fn opcode(&self) -> &str {
        let mut words = self.text.split_whitespace().skip_while(|word| word.starts_with('@'));
        words.next().unwrap_or_default()
    }
}

impl Sass {
    /// Finds the tools.
    ///
    /// # Errors
    /// One is missing.
    pub fn find() -> Result<Sass, MissingTool> {
        Ok(Sass { ptxas: Tool::Ptxas.find()?, nvdisasm: Tool::Nvdisasm.find()? })
    }

    /// The functions of a PTX text, each without the padding at its end.
    ///
    /// # Errors
    /// A tool fails; this is what it says.
    pub fn functions_of_ptx(
        &self,
        ptx: &str,
        arch: &str,
    ) -> Result<HashMap<String, Vec<Instruction>>, String> {
        self.functions(ptx, "ptx", |source, cubin| {
            let mut command = Command::new(&self.ptxas);
            command.arg("-arch").arg(arch).arg("-o").arg(cubin).arg(source);
            command
        })
    }

    /// The instructions of a PTX text of one function.
    ///
    /// # Panics
    /// If a tool fails.
    pub fn of_ptx(&self, ptx: &str, arch: &str) -> Vec<String> {
        texts(self.functions_of_ptx(ptx, arch))
    }

    /// The instructions of a text of CUDA C++, compiled with these flags besides.
    ///
    /// # Panics
    /// If a tool fails.
    pub fn of_cuda(&self, nvcc: &Path, flags: &[&str], text: &str, arch: &str) -> Vec<String> {
        texts(self.functions(text, "cu", |source, cubin| {
            let mut command = Command::new(nvcc);
            command.args(flags).arg("-cubin").arg("-arch").arg(arch).arg("-o").arg(cubin).arg(source);
            command
        }))
    }

    fn functions(
        &self,
        text: &str,
        extension: &str,
        make: impl Fn(&Path, &Path) -> Command,
    ) -> Result<HashMap<String, Vec<Instruction>>, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
        let (source, cubin) =
            (folder.path().join("kernel").with_extension(extension), folder.path().join("kernel.cubin"));
        std::fs::write(&source, text).map_err(|error| format!("`{}`: {error}", source.display()))?;
        run(&mut make(&source, &cubin))?;
        Ok(parse(&run(Command::new(&self.nvdisasm).arg("-c").arg(&cubin))?))
    }
}

fn texts(functions: Result<HashMap<String, Vec<Instruction>>, String>) -> Vec<String> {
    let functions = functions.unwrap_or_else(|error| panic!("{error}"));
    functions.into_values().flatten().map(|instruction| instruction.text).collect()
}

/// Reads a listing: `.text.NAME:` begins a function, `.L_x_1:` is a label, and an instruction begins with its address,
/// `/*0010*/`.
pub fn parse(listing: &str) -> HashMap<String, Vec<Instruction>> {
    let mut functions: HashMap<String, Vec<Instruction>> = HashMap::new();
    let mut labels: HashMap<&str, u32> = HashMap::new();
    let mut waiting: Vec<&str> = Vec::new();
    let mut function: Option<String> = None;
    for line in listing.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            match label.strip_prefix(".text.") {
                Some(name) => function = Some(name.to_owned()),
                None => waiting.push(label),
            }
            continue;
        }
        let Some((address, text)) = instruction(line) else { continue };
        waiting.drain(..).for_each(|label| {
            labels.insert(label, address);
        });
        // Padding at the end of a function.
        if text != "NOP"
            && let Some(name) = &function
        {
            let text = text.to_owned();
            functions.entry(name.clone()).or_default().push(Instruction {
                address,
                text,
                branch_target: None,
            });
        }
    }
    for instruction in functions.values_mut().flatten() {
        if instruction.opcode().starts_with("BRA") {
            let label = instruction.text.split_once("`(").and_then(|(_, rest)| rest.split(')').next());
            instruction.branch_target = label.and_then(|label| labels.get(label)).copied();
        }
    }
    functions
}

fn instruction(line: &str) -> Option<(u32, &str)> {
    let (address, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    let (text, _) = rest.split_once(';')?;
    Some((u32::from_str_radix(address, 16).ok()?, text.trim()))
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
