//! That the texts are what nvcc makes of the sources.

use std::io::Write as _;

use tests::toolchain::{Tool, require_or_skip};

use crate::harness::{SOURCES, directory};

#[test]
fn are_what_nvcc_makes() {
    if require_or_skip(Tool::Nvcc.find()).is_none() {
        return;
    }
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    for source in SOURCES {
        let Some(made) = source.compile(source.arch) else { continue };
        if update {
            let file =
                std::fs::File::create(directory().join(format!("ptx/{}.ptx.gz", source.name))).unwrap();
            let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::best());
            file.write_all(made.as_bytes()).unwrap();
            file.finish().unwrap();
        } else {
            let same = made == source.kept();
            assert!(same, "{}.cu or nvcc has changed\nhelp: UPDATE_EXPECT=1 writes the text", source.name);
        }
    }
}
