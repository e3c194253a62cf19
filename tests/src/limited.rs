//! Other programs, with a limit to how long they may run.

use std::io::{self, Read as _, Seek as _};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The output of a program, on both of its streams, and the way it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The text of both streams.
    pub output: String,
    /// It was killed when the time was up.
    pub timed_out: bool,
}

/// Runs a program, which is killed with all that it has started when the time is up.
///
/// # Errors
///
/// When it cannot be started, or the file that its output goes to cannot be made.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ran> {
    // A file, not a pipe: who is left over could keep that open.
    let mut file = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn()?;
    let start = Instant::now();
    let mut timed_out = false;
    while child.try_wait()?.is_none() {
        if start.elapsed() >= limit {
            timed_out = true;
            if cfg!(unix) {
                // The group is that of the child alone: see above.
                let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
            }
            child.kill()?;
            child.wait()?;
            break;
        }
        sleep(Duration::from_millis(20));
    }
    let mut written = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut written)?;
    Ok(Ran { output: String::from_utf8_lossy(&written).into_owned(), timed_out })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ran {
        run(Command::new("sh").args(["-c", script]), limit).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_a_program_says_is_kept() {
        let ran = shell("echo out; echo err >&2", Duration::from_secs(20));
        assert_eq!(ran, Ran { output: "out\nerr\n".to_owned(), timed_out: false });
    }

    #[test]
    fn who_takes_too_long_is_killed_with_its_children() {
        let start = Instant::now();
        let ran = shell("echo begun; sleep 50 & sleep 60", Duration::from_millis(300));
        assert_eq!(ran, Ran { output: "begun\n".to_owned(), timed_out: true });
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
