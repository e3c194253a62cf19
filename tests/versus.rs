//! Our kernels and nvcc's, the same algorithms, give the same on the simulator; and what `versus` tells of their code holds.

use examples::versus::{Disassembler, Pair, Set, Source, Twins, check, pairs};
use kernel_runtime::{Arch, Gpu};
use tests::toolchain::{Tool, require_or_skip};

/// Not a multiple of any block.
const ELEMENTS: usize = 1_005;

#[test]
fn results_agree() {
    if require_or_skip(Tool::Nvcc.find()).is_none() {
        return;
    }
    let gpu = Gpu::simulator(Arch::Sm90);
    let pairs: Vec<&Pair> = [Set::Own, Set::Users].into_iter().flat_map(pairs).collect();
    assert!(pairs.iter().filter(|pair| pair.attribute.is_none()).count() >= 140);
    let source = Source::find(None).expect("nvcc was found");
    let twins = Twins::load(&gpu, &source, &pairs).unwrap_or_else(|error| panic!("{error}"));
    for pair in pairs {
        let twin = twins.function(pair).unwrap_or_else(|error| panic!("{error}"));
        let checked =
            check(&gpu, pair, &twin, ELEMENTS).unwrap_or_else(|error| panic!("{}: {error}", pair.twin));
        checked.results.unwrap_or_else(|wrong| panic!("{}: {wrong}", pair.kernel.name()));
    }
}

#[test]
fn code_is_told_of_kernels_with_loops_and_without() {
    let (Some(disassembler), Some(_)) =
        (require_or_skip(Disassembler::find()), require_or_skip(Tool::Nvcc.find()))
    else {
        return;
    };
    let text = Source::find(None).and_then(|source| source.ptx("ilp", Arch::Sm90)).expect("nvcc compiles it");
    let code =
        |kernel| disassembler.code(&text, kernel, Arch::Sm90).unwrap_or_else(|error| panic!("{error}"));
    let sum = code("sum_one");
    assert!(sum.hot["global"] >= 1 && sum.hot["float"] >= 1 && sum.hot["control"] >= 1, "{sum:?}");
    assert_eq!((sum.spills, sum.widest), (0, 32), "{sum:?}");
    let chain = code("chain_dependent");
    assert!(chain.hot.is_empty() && chain.all["float"] >= 64, "{chain:?}");
    assert!(disassembler.code(&text, "no_such_kernel", Arch::Sm90).is_err());
}
