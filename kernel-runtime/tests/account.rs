//! Accounts of programs: graphs, and devices that are never closed.

use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use kernel_runtime::prelude::*;

mod kernels;
use kernels::saxpy;

/// Launches of a graph have the times of their profiles on the simulator, if an account was kept when it was recorded.
#[test]
fn launches_of_graphs() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let x = gpu.upload(&[1.0f32; 100])?;
    let mut y = gpu.zeros::<f32>(100)?;
    let y = y.lend();
    let record = || gpu.graph(|graph| saxpy(1.0, &x, y).over(100).record(graph));
    let early = record()?;
    let account = gpu.account();
    early.run()?;
    record()?.run()?;
    let [row] = &account.kernels()[..] else { panic!("{account}") };
    assert_eq!((row.launches, row.untimed), (2, 1));
    // No less than a launch takes at all.
    assert_eq!(row.time, Duration::from_micros(2));
    assert!(account.to_string().contains("1 launch of graphs without a time"), "{account}");
    assert_eq!(account.graphs().starts, 0);
    Ok(())
}

/// The test program starts itself.
const CHILD: &str = "KERNEL_TEST_ACCOUNT";

#[test]
fn a_device_in_a_static_tells_its_account_at_the_end() -> Result<()> {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    if std::env::var_os(CHILD).is_some() {
        let gpu = GPU.get_or_init(|| Gpu::simulator(Arch::Sm90));
        let x = gpu.upload(&[1.0f32; 100])?;
        saxpy(2.0, &x, &mut gpu.zeros(100)?).over(100).run()?;
        return Ok(());
    }
    let name = "a_device_in_a_static_tells_its_account_at_the_end";
    let program = std::env::current_exe().unwrap();
    let told = |account: &str| {
        let mut child = Command::new(&program);
        child.args([name, "--exact", "--nocapture"]).env(CHILD, "1").env("KERNEL_ACCOUNT", account);
        String::from_utf8(child.output().unwrap().stderr).unwrap()
    };
    assert!(told("1").contains("simulator of sm_90: 1 launch, "), "{}", told("1"));
    assert_eq!(told("0"), "");
    Ok(())
}
