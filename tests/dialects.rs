//! The texts of `kernel-runtime/tests/dialects`, read by `ptxas`: what the simulator takes it takes, and what is refused it refuses.

#[path = "../kernel-runtime/tests/dialects/cases.rs"]
mod cases;

use cases::{FILES, cases};
use kernel_runtime::Arch;
use tests::toolchain::{Ptxas, require_or_skip};

#[test]
fn ptxas_takes_what_the_simulator_takes() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let mut wrong = String::new();
    for case in FILES.iter().flat_map(|file| cases(file)) {
        match (ptxas.assemble(&case.module(), Arch::Sm80), case.is_refused()) {
            (Ok(_), false) | (Err(_), true) => {}
            (Ok(_), true) => wrong += &format!("{}: ptxas takes it, but {}\n", case.name, case.outcome),
            (Err(log), false) => wrong += &format!("{}: {log}\n", case.name),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
