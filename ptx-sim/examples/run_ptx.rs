//! Runs a kernel of a PTX file and prints what it left in memory, what the sanitizer found, and the profile by instruction:
//!
//! ```text
//! cargo run --release -p ptx-sim --example run_ptx -- ptx-sim/examples/saxpy.ptx saxpy --grid 4 --block 256 f32:1000 f32:1000 u64=1000
//! ```

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use clap::Parser;
use ptx_sim::{LaunchConfig, Memory, Options, Program, run};

/// Runs a kernel of a PTX file on the CPU.
#[derive(Parser)]
struct Arguments {
    /// The file.
    file: PathBuf,
    /// The kernel's name.
    kernel: String,
    /// Blocks.
    #[arg(long, default_value_t = 1)]
    grid: u32,
    /// Threads of a block.
    #[arg(long, default_value_t = 32)]
    block: u32,
    /// Its arguments in order: `TYPE:COUNT` for a pointer to as many elements, which are 0, 1, 2 and so on; `TYPE=VALUE` for a number. Types
    /// are u32, u64, f32 and f64.
    arguments: Vec<String>,
}

/// The bytes of a number of a type.
fn bytes(ty: &str, value: f64) -> Result<Vec<u8>, Box<dyn Error>> {
    Ok(match ty {
        "u32" => (value as u32).to_le_bytes().to_vec(),
        "u64" => (value as u64).to_le_bytes().to_vec(),
        "f32" => (value as f32).to_le_bytes().to_vec(),
        "f64" => value.to_le_bytes().to_vec(),
        _ => return Err(format!("expected u32, u64, f32 or f64, found `{ty}`").into()),
    })
}

/// The number that bytes of a type are.
fn value(ty: &str, bytes: &[u8]) -> f64 {
    let mut raw = [0; 8];
    raw[..bytes.len()].copy_from_slice(bytes);
    match ty {
        "f32" => f64::from(f32::from_bits(u64::from_le_bytes(raw) as u32)),
        "f64" => f64::from_bits(u64::from_le_bytes(raw)),
        _ => u64::from_le_bytes(raw) as f64,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { file, kernel, grid, block, arguments } = Arguments::parse();
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let program = Program::load(&text)?;
    let kernel = program
        .kernel(&kernel)
        .ok_or_else(|| format!("there is no kernel `{kernel}` in {}", file.display()))?;

    let memory = Memory::new();
    let info = program.info(kernel);
    if arguments.len() != info.parameters.len() {
        return Err(format!("expected {} arguments, found {}", info.parameters.len(), arguments.len()).into());
    }
    let mut params = vec![0; info.parameter_bytes as usize];
    let mut buffers = Vec::new();
    for (parameter, argument) in info.parameters.iter().zip(&arguments) {
        let given = if let Some((ty, count)) = argument.split_once(':') {
            let count: usize = count.parse()?;
            let elements = (0..count).map(|i| bytes(ty, i as f64)).collect::<Result<Vec<_>, _>>()?.concat();
            let address = memory.allocate(elements.len() as u64, 256);
            memory.write(address, &elements)?;
            buffers.push((&parameter.name, ty, address, count));
            address.to_le_bytes().to_vec()
        } else if let Some((ty, number)) = argument.split_once('=') {
            bytes(ty, number.parse()?)?
        } else {
            return Err(format!("expected `TYPE:COUNT` or `TYPE=VALUE`, found `{argument}`").into());
        };
        if given.len() != parameter.bytes as usize {
            return Err(format!(
                "`{}` has {} bytes, `{argument}` has {}",
                parameter.name,
                parameter.bytes,
                given.len()
            )
            .into());
        }
        params[parameter.offset as usize..][..given.len()].copy_from_slice(&given);
    }

    let config = LaunchConfig { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0 };
    // Blocks that fill an SM of compute capability 9.0 with 2,048 threads share 228 KiB of first-level cache.
    let cache = 228 * 1024 * u64::from(block) / 2048;
    let options = Options { profile: Some(cache), ..Options::default() };
    let outcome = run(&program, kernel, &memory, &config, &params, &options);
    print!("{}", outcome.printed);
    for report in &outcome.reports {
        println!("{report}\n");
    }
    let stats = outcome.result?;
    for (name, ty, address, count) in buffers {
        let size = bytes(ty, 0.0)?.len();
        let mut first = vec![0; size * count.min(8)];
        memory.read(address, &mut first)?;
        let first: Vec<f64> = first.chunks_exact(size).map(|bytes| value(ty, bytes)).collect();
        println!("{name}: {first:?}{}", if count > 8 { " and more" } else { "" });
    }
    println!(
        "{} warp instructions, {:.1} lanes each; {} requests of global memory, {} sectors",
        stats.warp_instructions,
        stats.thread_instructions as f64 / stats.warp_instructions.max(1) as f64,
        stats.global_requests,
        stats.sectors
    );
    println!("{:>10} {:>6} {:>9} {:>8}  instruction", "warps", "lanes", "sectors", "stalls");
    for line in &stats.lines {
        let counts = &line.counts;
        println!(
            "{:>10} {:>5.1} {:>9} {:>9}  {}",
            counts.warp_instructions,
            32.0 * counts.warp_execution_efficiency(),
            counts.sectors,
            counts.stalls.total(),
            line.code
        );
    }
    Ok(())
}
