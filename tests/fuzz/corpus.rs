//! The texts to begin with: what nvcc made of the CUDA programs, in pieces small enough to be tried often.

use std::io::Read as _;

use crate::mutate::Random;

/// PTX made by nvcc, compressed.
const TEXTS: &[&[u8]] = &[
    include_bytes!("../cuda_programs/ptx/algorithms.ptx.gz"),
    include_bytes!("../cuda_programs/ptx/copies.ptx.gz"),
    include_bytes!("../cuda_programs/ptx/cub.ptx.gz"),
    include_bytes!("../cuda_programs/ptx/numbers.ptx.gz"),
    include_bytes!("../cuda_programs/ptx/tensor.ptx.gz"),
    include_bytes!("../cuda_programs/ptx/threads.ptx.gz"),
];

/// A text by its functions.
pub struct Text {
    /// The text before the first function: the header, variables, declarations.
    head: String,
    functions: Vec<String>,
    whole: String,
}

pub fn corpus() -> Vec<Text> {
    let read = |compressed: &&[u8]| {
        let mut whole = String::new();
        flate2::read::GzDecoder::new(*compressed).read_to_string(&mut whole).unwrap();
        split(whole)
    };
    TEXTS.iter().map(read).collect()
}

/// Functions begin where a line says `.entry` or `.func`, and end with the line `}`.
fn split(whole: String) -> Text {
    let (mut head, mut functions, mut function) = (String::new(), Vec::new(), String::new());
    for line in whole.split_inclusive('\n') {
        let begins = line.starts_with('.') && (line.contains(".entry") || line.contains(".func"));
        if begins || !function.is_empty() {
            function.push_str(line);
            let is_declaration = line.trim_end() == ";" || begins && line.trim_end().ends_with(';');
            if line.trim_end() == "}" {
                functions.push(std::mem::take(&mut function));
            } else if is_declaration {
                head.push_str(&std::mem::take(&mut function));
            }
        } else {
            head.push_str(line);
        }
    }
    Text { head, functions, whole }
}

impl Text {
    /// The head and some of the functions, seldom all; of a long function often a part only.
    pub fn excerpt(&self, random: &mut Random) -> String {
        if random.one_in(200) {
            return self.whole.clone();
        }
        let mut text = self.head.clone();
        for _ in 0..random.below(2) + 1 {
            let function = &self.functions[random.below(self.functions.len())];
            let lines: Vec<&str> = function.lines().collect();
            // The registers and where the parameters are loaded, then some of the rest.
            let kept = lines.len().min(40);
            if random.one_in(3) || lines.len() <= kept + 1 {
                text.push_str(function);
                continue;
            }
            let start = kept + random.below(lines.len() - kept);
            let end = lines.len().min(start + random.below(120));
            for line in lines[..kept].iter().chain(&lines[start..end]) {
                text.push_str(line);
                text.push('\n');
            }
            text.push_str("ret;\n}\n");
        }
        text
    }
}
