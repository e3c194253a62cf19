//! The examples, one a line: `cargo run --release -p examples -- list`.

use clap::Args;

use super::named;

/// Lists the examples: topic, kernel, and what it shows.
#[derive(Args)]
pub struct Options {
    /// Only kernels whose name or topic contains this.
    #[arg(long, default_value = "")]
    only: String,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let examples = named(&options.only)?;
    let width =
        |names: &mut dyn Iterator<Item = &str>| names.map(|name| name.chars().count()).max().unwrap_or(0);
    let topics = width(&mut examples.iter().map(|example| example.topic));
    let names = width(&mut examples.iter().map(|example| example.kernel.name()));
    for example in examples {
        println!("{:topics$}  {:names$}  {}", example.topic, example.kernel.name(), example.about);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_not_is_an_error() {
        let only = |only: &str| run(&Options { only: only.to_owned() });
        assert_eq!(only("saxpy"), Ok(true));
        assert!(only("no such example").unwrap_err().contains("help: topics are occupancy, "));
    }
}
