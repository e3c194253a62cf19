//! Counts of the simulator's profiler beside those of Nsight Compute on a GPU, for the same PTX.
//!
//! `cargo test -p tests --test ncu -- --ignored --exact beside_nsight_compute --nocapture` on a machine with a GPU and `ncu`
//! prints a table, a row at a time; `ncu.md` is that of an H200. Where the two differ, and why:
//!
//! - Instructions: the simulator counts those of PTX, a GPU those of the SASS that `ptxas` makes of them. It makes several of one
//!   (64-bit integer operations, divisions, addresses), one of several (`mad` of `mul` and `add`, parameters that are operands),
//!   and none of conversions and moves that only the notation needs.
//! - Active threads: by the same instructions; per instruction they agree where no branch diverges. Where one does, `ptxas` may
//!   have made predicates of it, so that more threads are active.
//! - Predicated-on threads: for the same reason `ncu` has more threads that are active and off.
//! - Sectors of global memory: the same, unless `ptxas` joins accesses or takes a load out of a loop.
//! - Bank conflicts: those of the definition, by addresses. The hardware's counter also has conflicts between warps for the
//!   data path, mostly of stores.

use std::env;
use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use examples::Example;
use kernel_runtime::{Arch, Gpu, Profile};
use tests::limited::{self, Ran};
use tests::toolchain::Tool;

/// The kernels: element by element, with branches, through shared memory, by shuffles, with strides, products.
const KERNELS: [&str; 18] = [
    "one_element",
    "four_elements",
    "branch_by_lane",
    "branch_by_warp",
    "rare_predicated",
    "double_along_columns",
    "hypotenuse",
    "max_shared",
    "max_shuffles",
    "scan_shared",
    "dot_block",
    "transpose_direct",
    "transpose_tiles::<32>",
    "transpose_tiles::<33>",
    "softmax",
    "layer_norm",
    "matmul_tiled",
    "matmul_registers",
];

/// Elements of each run.
const ELEMENTS: usize = 1 << 16;
/// Time that `ncu` has for one kernel, its own start included.
const FOR_A_KERNEL: Duration = Duration::from_secs(20);
/// Time for all.
const FOR_ALL: Duration = Duration::from_secs(240);
/// The variable that names a kernel.
const VARIABLE: &str = "NCU_KERNEL";

/// A column of the table: what it is, the counters of `ncu` that make it up, and the simulator's figure.
struct Column {
    heading: &'static str,
    metrics: &'static [&'static str],
    simulated: fn(&Profile) -> u64,
}

const COLUMNS: &[Column] = &[
    Column {
        heading: "instructions",
        metrics: &["smsp__inst_executed.sum"],
        simulated: |profile| profile.counts.warp_instructions,
    },
    Column {
        heading: "active threads",
        metrics: &["smsp__thread_inst_executed.sum"],
        simulated: |profile| profile.counts.thread_instructions,
    },
    Column {
        heading: "predicated-on threads",
        metrics: &["smsp__thread_inst_executed_pred_on.sum"],
        simulated: |profile| profile.counts.predicated_on_thread_instructions,
    },
    Column {
        heading: "global sectors",
        metrics: &[
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        ],
        simulated: |profile| profile.counts.sectors,
    },
    Column {
        heading: "bank conflicts",
        metrics: &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
        simulated: |profile| profile.counts.bank_conflicts(),
    },
];

fn example(name: &str) -> &'static Example {
    let found = examples::examples().find(|example| example.kernel.name() == name);
    found.unwrap_or_else(|| panic!("no example runs a kernel `{name}`"))
}

fn simulate(example: &Example) -> Profile {
    let gpu = Gpu::simulator(Arch::Sm90);
    gpu.profile_launches(true);
    let outcome = (example.run)(&gpu, ELEMENTS).unwrap_or_else(|error| panic!("{error}"));
    outcome.check().unwrap_or_else(|wrong| panic!("{}: {wrong}", example.kernel.name()));
    outcome.report.profile().unwrap_or_else(|error| panic!("{error}")).clone()
}

#[test]
fn every_kernel_is_profiled_on_the_simulator() {
    for name in KERNELS {
        let profile = simulate(example(name));
        assert_eq!(profile.kernel, name);
        assert!(COLUMNS.iter().take(4).all(|column| (column.simulated)(&profile) > 0), "{name}");
    }
}

#[test]
#[ignore = "runs the kernel that NCU_KERNEL names on a GPU"]
fn one() {
    let name = env::var(VARIABLE).unwrap_or_else(|_| panic!("{VARIABLE}=name"));
    let gpu = Gpu::cuda(0).unwrap_or_else(|error| panic!("{error}"));
    let outcome = (example(&name).run)(&gpu, ELEMENTS).unwrap_or_else(|error| panic!("{error}"));
    outcome.check().unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
}

#[test]
#[ignore = "needs a GPU and ncu, and takes more than a minute"]
fn beside_nsight_compute() {
    let start = Instant::now();
    let ncu = Tool::Ncu.find().unwrap_or_else(|missing| panic!("{missing}"));
    let metrics: Vec<&str> = COLUMNS.iter().flat_map(|column| column.metrics).copied().collect();
    let headings = COLUMNS.iter().map(|column| format!("{0}: ncu | {0}: simulator | ratio", column.heading));
    println!("| kernel | {} |", headings.collect::<Vec<_>>().join(" | "));
    println!("|---|{}", "--:|--:|--:|".repeat(COLUMNS.len()));
    for (index, name) in KERNELS.iter().enumerate() {
        let left = FOR_ALL.saturating_sub(start.elapsed());
        let mut command = Command::new(&ncu);
        command.args(["--csv", "--print-units", "base", "--clock-control", "none", "--metrics"]);
        command.arg(metrics.join(",")).arg(env::current_exe().unwrap_or_else(|error| panic!("{error}")));
        command.args(["--ignored", "--exact", "one", "--nocapture"]).env(VARIABLE, name);
        let ran = limited::run(&mut command, left.min(FOR_A_KERNEL));
        let ran = ran.unwrap_or_else(|error| panic!("{}: {error}", ncu.display()));
        // Arguments of a generic kernel are in its name in PTX in another way.
        let counted = counters(&ran.output, name.split("::").next().unwrap_or(name));
        // An `ncu` that does not work counts nothing for any of them.
        assert!(index > 0 || !counted.is_empty(), "ncu counts nothing here:\n{}", ran.output);
        println!("{}", row(name, &simulate(example(name)), &counted, &ran));
    }
    println!("\n{ELEMENTS} elements each; {:.0} s", start.elapsed().as_secs_f64());
}

/// A row of the table.
fn row(name: &str, profile: &Profile, counted: &[(String, f64)], ran: &Ran) -> String {
    let mut row = format!("| {name} |");
    for column in COLUMNS {
        let simulated = (column.simulated)(profile);
        let of = |metric: &&str| counted.iter().find(|(known, _)| known == metric).map(|(_, value)| *value);
        let values: Vec<f64> = column.metrics.iter().filter_map(of).collect();
        let sum: f64 = values.iter().sum();
        let _ = match (values.is_empty(), ran.timed_out) {
            (true, true) => write!(row, " timeout | {simulated} | – |"),
            (true, false) => write!(row, " – | {simulated} | – |"),
            (false, _) if sum == 0.0 => write!(row, " 0 | {simulated} | – |"),
            (false, _) => write!(row, " {sum:.0} | {simulated} | {:.2} |", simulated as f64 / sum),
        };
    }
    row
}

/// The counters of the first launch of a kernel, from the table that `ncu --csv` prints.
fn counters(output: &str, kernel: &str) -> Vec<(String, f64)> {
    let mut lines =
        output.lines().map(cells).skip_while(|cells| cells.first().is_none_or(|cell| cell != "ID"));
    let Some(header) = lines.next() else { return Vec::new() };
    let column = |name: &str| header.iter().position(|cell| cell == name).unwrap_or(usize::MAX);
    let [id, name, metric, value] = ["ID", "Kernel Name", "Metric Name", "Metric Value"].map(column);
    let mut first = None;
    let mut all = Vec::new();
    for cells in lines {
        let get = |index: usize| cells.get(index).map_or("", String::as_str);
        if !get(name).contains(kernel) || first.get_or_insert_with(|| get(id).to_owned()) != get(id) {
            continue;
        }
        if let Ok(number) = get(value).replace(',', "").parse() {
            all.push((get(metric).to_owned(), number));
        }
    }
    all
}

/// The cells of a line of quoted values between commas.
fn cells(line: &str) -> Vec<String> {
    let Some(inside) = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')) else {
        return Vec::new();
    };
    inside.split("\",\"").map(str::to_owned).collect()
}

#[test]
fn the_table_of_ncu_is_understood() {
    let output = "\
==PROF== Connected to process 7
running 1 test
\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"
\"0\",\"7\",\"fill\",\"smsp__inst_executed.sum\",\"inst\",\"5\"
\"1\",\"7\",\"softmax(float, int)\",\"smsp__inst_executed.sum\",\"inst\",\"1,234\"
\"1\",\"7\",\"softmax(float, int)\",\"smsp__none.sum\",\"\",\"n/a\"
\"2\",\"7\",\"softmax(float, int)\",\"smsp__inst_executed.sum\",\"inst\",\"9\"
test one ... ok
";
    assert_eq!(counters(output, "softmax"), [("smsp__inst_executed.sum".to_owned(), 1234.0)]);
    assert!(counters("==ERROR== ERR_NVGPUCTRPERM", "softmax").is_empty());
}
