//! The whole way from a module of IR to PTX text: [`compile`].

mod called;
mod remarks;

pub use called::Called;

use crate::host_test::{HostTest, offsets};
use crate::ir::{
    BlockShape, Entity, EntityMap, FileId, Function, LaunchBounds, MapOf, Module, PanicSite, PanicSiteData,
    ParamData, PrintSite, PrintSiteData, Remark, SourceLoc,
};
use crate::passes::{CheckFree, Coarsened, run_pipeline};
use crate::select::{Selected, select, shared_end, shared_padding, used_locals};
use crate::verify::{VerifyErrors, verify};
use kernel_abi::tensor_map::TensorMapParam;
use ptx::check::{CheckError, Problem, check, is_met_by, requirements};
use ptx::target::{Arch, PtxVersion};
use ptx::tree;

/// PTX, and what its host needs to know to launch its kernels.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The text.
    pub ptx: String,
    /// Its `.target`.
    pub target: Arch,
    /// The kernels in it, in the order of the module.
    pub kernels: Vec<CompiledKernel>,
    /// The calls that lead to its instructions.
    pub called: Called,
}

/// Metadata of a kernel that the host needs to launch it.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledKernel {
    /// Its name in the text.
    pub name: String,
    /// Its parameters in order: those of the source, then the hidden one if there is one.
    pub params: Vec<ParamData>,
    /// True if a hidden parameter is the address of a [`PanicRecord`](kernel_abi::panic::PanicRecord).
    pub takes_panic_record: bool,
    /// True if a hidden parameter, the last then, is the address of a [print buffer](kernel_abi::output).
    pub takes_print_buffer: bool,
    /// Its [tensor maps](kernel_abi::tensor_map), hidden parameters before those two, which all of its versions take.
    pub maps: Vec<TensorMapParam>,
    /// Its launch bounds.
    pub bounds: LaunchBounds,
    /// Number of consecutive elements that each thread of the plain versions does; 1 unless `coarsen` asks for more.
    pub elements: u32,
    /// Shape required of the blocks of its launches, beside the bounds.
    pub shape: BlockShape,
    /// Static shared memory in bytes.
    pub shared_bytes: u32,
    /// The panic sites, by the numbers that the record holds.
    pub panics: EntityMap<PanicSite, PanicSiteData>,
    /// The print sites, by the numbers that the buffer holds.
    pub prints: EntityMap<PrintSite, PrintSiteData>,
    /// Local memory that each thread takes by its variables, in bytes; registers that spill come on top.
    pub local_bytes: u32,
    /// Remarks of the passes on its source, by location.
    pub remarks: Vec<Remark>,
    /// Versions with fewer checks, or none, for launches whose guards hold, in the order in which the host tries them: the check-free one, if it
    /// differs from the checked version, and the partly checked one, if some guards may fail where the buffers have exactly the size.
    pub check_free: Vec<CheckFreeKernel>,
    /// Version with several elements a thread, or none, for launches that leave the grid open and whose guards hold.
    pub coarsened: Option<CoarsenedKernel>,
    /// Nothing that its threads do depends on how they are divided into blocks.
    pub ignores_blocks: bool,
}

/// The check-free or partly checked version of a kernel: an entry without the checks that cannot fail where its launch guards hold.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckFreeKernel {
    /// Its name in the text.
    pub name: String,
    /// Launch guards: all of them have to hold.
    pub tests: Vec<HostTest>,
    /// True if the last parameter is the address of a [`PanicRecord`](kernel_abi::panic::PanicRecord): the other parameters are those
    /// of the kernel.
    pub takes_panic_record: bool,
    /// True if a hidden parameter is the address of a print buffer.
    pub takes_print_buffer: bool,
    /// Static shared memory in bytes.
    pub shared_bytes: u32,
    /// Local memory that each thread takes by its variables, in bytes.
    pub local_bytes: u32,
    /// Remarks of the passes on its source, by location.
    pub remarks: Vec<Remark>,
}

/// The coarsened version of an element-wise kernel: an entry whose threads do several consecutive elements each, by wide accesses, and
/// never panic. It takes the parameters of the source alone.
#[derive(Clone, Debug, PartialEq)]
pub struct CoarsenedKernel {
    /// Its name in the text.
    pub name: String,
    /// Number of elements that each thread does.
    pub elements: u32,
    /// Launch guards: all of them have to hold for the plain launch with `elements` times as many blocks.
    pub tests: Vec<HostTest>,
    /// Local memory that each thread takes by its variables, in bytes.
    pub local_bytes: u32,
    /// Remarks of the passes on its source, by location.
    pub remarks: Vec<Remark>,
}

/// Reasons why a module did not become PTX.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    /// The module breaks a rule of the IR.
    #[error("{0}")]
    Invalid(VerifyErrors),
    /// A pass broke a rule of the IR: a bug of this compiler.
    #[error("after the passes (a bug of the compiler, please report it): {0}")]
    BrokenByPasses(VerifyErrors),
    /// The target asked for lacks something that an instruction needs.
    #[error(
        "the kernels need what {needed} has, found the target {arch}: compile for {needed} or leave the target open"
    )]
    Target {
        /// The target that was asked for.
        arch: Arch,
        /// The lowest target that has everything.
        needed: Arch,
        /// Instructions that it lacks, by location.
        lacks: Vec<Lack>,
    },
}

/// Something that a target lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The location in the source that needs it; unknown if it belongs to a kernel as a whole.
    pub location: SourceLoc,
    /// The instruction or directive.
    pub statement: String,
    /// The targets that have it: `sm_80`, `sm_90a or sm_100a`.
    pub needed: String,
}

/// Compiles a module to PTX: for `arch`, or for the lowest target that has everything it uses.
///
/// # Errors
/// The errors of the verifier, or the instructions that `arch` lacks.
pub fn compile(module: &Module, arch: Option<Arch>) -> Result<Compiled, CompileError> {
    verify(module).map_err(CompileError::Invalid)?;
    let mut module = module.clone();
    let versions = run_pipeline(&mut module);
    let verified = verify(&module).map_err(CompileError::BrokenByPasses)?;
    let Selected { mut tree, mut callers } = select(&verified, arch.unwrap_or(Arch::FLOOR));
    let (mut version, mut needed) = requirements(&tree);
    if arch.is_none() && needed != Arch::FLOOR {
        // The target required anyway may have better instructions for the rest.
        Selected { tree, callers } = select(&verified, needed);
        (version, needed) = requirements(&tree);
    }
    let arch = arch.unwrap_or(needed);
    if !arch.provides(needed) && !is_met_by(&tree, arch) {
        let lacks = missing(&tree, arch);
        return Err(CompileError::Target { arch, needed, lacks });
    }
    tree.version = version.max(arch.min_ptx());
    tree.target = vec![arch.name().to_owned()];
    let kernels = module.functions.iter().enumerate().map(|(index, func)| {
        let twins = versions.check_free.iter().filter(|twin| twin.kernel == index);
        let twins: Vec<(&Function, &Vec<HostTest>)> = twins
            .filter_map(|CheckFree { twin, tests, .. }| Some((module.functions.get(*twin)?, tests)))
            .collect();
        let coarsened = versions.coarsened.iter().find(|version| version.kernel == index);
        let coarsened =
            coarsened.and_then(|version: &Coarsened| Some((module.functions.get(version.clone)?, version)));
        CompiledKernel {
            name: func.name.clone(),
            params: func.params.values().cloned().collect(),
            takes_panic_record: func.panic_param().is_some(),
            takes_print_buffer: func.print_param().is_some(),
            maps: maps(func),
            bounds: func.bounds,
            elements: func.coarsen.map_or(1, |coarsen| coarsen.by),
            shape: twins.iter().fold(func.shape, |shape, (twin, _)| shape.max(twin.shape)),
            shared_bytes: shared_bytes(func),
            panics: func.panics.clone(),
            prints: func.prints.clone(),
            local_bytes: local_bytes(func),
            remarks: remarks::remarks(func, &tree),
            check_free: twins
                .into_iter()
                .map(|(twin, tests)| CheckFreeKernel {
                    name: twin.name.clone(),
                    tests: tests.clone(),
                    takes_panic_record: twin.panic_param().is_some(),
                    takes_print_buffer: twin.print_param().is_some(),
                    shared_bytes: shared_bytes(twin),
                    local_bytes: local_bytes(twin),
                    remarks: remarks::remarks(twin, &tree),
                })
                .collect(),
            coarsened: coarsened.map(|(clone, version)| CoarsenedKernel {
                name: clone.name.clone(),
                elements: version.by,
                tests: version.tests.clone(),
                local_bytes: local_bytes(clone),
                remarks: remarks::remarks(clone, &tree),
            }),
            ignores_blocks: versions.ignores_blocks.get(index).is_some_and(|&ignores| ignores),
        }
    });
    let kernels = kernels.collect();
    let ptx = tree.to_string();
    let called = called::called(&ptx, &module.functions, &callers);
    Ok(Compiled { ptx, target: arch, kernels, called })
}

fn maps(func: &Function) -> Vec<TensorMapParam> {
    let offsets = offsets(func);
    let maps = func.params.values().filter_map(|data| data.map_of);
    maps.map(|MapOf { elements, element_bytes }| TensorMapParam {
        at: offsets[elements.index()],
        element_bytes,
    })
    .collect()
}

/// Instructions that `arch` does not have.
fn missing(tree: &tree::Module, arch: Arch) -> Vec<Lack> {
    let newest = PtxVersion::new(u32::MAX, 0);
    let mut tree = tree.clone();
    (tree.version, tree.target) = (newest, vec![arch.name().to_owned()]);
    let errors = check(&tree).err().unwrap_or_default();
    let lack = |error: CheckError| match error.problem {
        Problem::Target { expected, .. } => {
            let location = error.source.map_or(SourceLoc::default(), |source| SourceLoc {
                // Files are numbered from one in PTX.
                file: FileId(source.file.saturating_sub(1)),
                line: source.line,
                column: source.column,
                caller: None,
            });
            Some(Lack { location, statement: error.statement, needed: expected })
        }
        Problem::UnknownOpcode(_)
        | Problem::Modifiers { .. }
        | Problem::OperandCount { .. }
        | Problem::Operand { .. }
        | Problem::Guard { .. }
        | Problem::Declaration { .. }
        | Problem::Removed { .. }
        | Problem::Version { .. } => None,
    };
    errors.into_iter().filter_map(lack).collect()
}

/// Local memory, each variable that is left at its alignment.
fn local_bytes(func: &Function) -> u32 {
    let used = used_locals(func);
    func.locals
        .iter()
        .filter(|&(var, _)| used[var])
        .fold(0, |end: u32, (_, data)| end.next_multiple_of(data.align.max(1)).saturating_add(data.bytes))
}

/// Static shared memory, with what is added so that the dynamic one behind it is aligned.
fn shared_bytes(func: &Function) -> u32 {
    shared_end(func).saturating_add(shared_padding(func))
}
