//! A profile as one page for a browser: the source with its counters as bars, tables, the occupancy plot.

use std::fmt::Write;

use super::numbers::{grouped, percent, short, size, time};
use super::{Counts, InstructionProfile, LineProfile, Profile, occupancy_plot};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

fn part(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A measure that lines have bars for.
struct Measure {
    heading: &'static str,
    about: &'static str,
    /// The amount of which a bar shows the share.
    amount: fn(&Counts) -> u64,
    /// The part of it that is too much.
    excess: fn(&Counts) -> u64,
    /// The text beside the bar.
    label: fn(&Counts, f64) -> String,
}

const MEASURES: &[Measure] = &[
    Measure {
        heading: "instructions",
        about: "share of all warp instructions; the darker part is lanes that were not active or switched off by a predicate",
        amount: |counts| counts.warp_instructions,
        excess: |counts| {
            counts.warp_instructions.saturating_sub(counts.predicated_on_thread_instructions.div_ceil(32))
        },
        label: |_, share| percent(share),
    },
    Measure {
        heading: "waiting",
        about: "share of the cycles that warps wait before these instructions (modelled)",
        amount: |counts| counts.stalls.total(),
        excess: |_| 0,
        label: |_, share| percent(share),
    },
    Measure {
        heading: "sectors",
        about: "sectors of 32 bytes of global memory per request; the bar is the share of all sectors, its darker part more than \
                packed accesses take",
        amount: |counts| counts.sectors,
        excess: |counts| counts.excess_sectors(),
        label: |counts, _| format!("{} a request", short(counts.sectors_per_request())),
    },
    Measure {
        heading: "shared passes",
        about: "passes over shared memory per request; the bar is the share of all passes, its darker part bank conflicts",
        amount: |counts| counts.wavefronts,
        excess: |counts| counts.bank_conflicts(),
        label: |counts, _| {
            format!("{} a request", short(counts.wavefronts as f64 / counts.shared_requests.max(1) as f64))
        },
    },
];

/// The measures of which there is something.
fn measures(all: &Counts) -> Vec<&'static Measure> {
    MEASURES.iter().filter(|measure| (measure.amount)(all) > 0).collect()
}

pub(super) fn page(profile: &Profile) -> String {
    let name = escape(&profile.kernel);
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Profile of {name}</title><style>{STYLE}</style></head><body><main>"
    );
    // Writing to a string cannot fail.
    let _ = header(&mut out, profile);
    let _ = estimate(&mut out, profile);
    let _ = source(&mut out, profile);
    let _ = tables(&mut out, profile);
    let _ = occupancy(&mut out, profile);
    let _ = listing(&mut out, profile);
    let _ = writeln!(out, "</main><script>{SCRIPT}</script></body></html>");
    out
}

fn header(out: &mut String, profile: &Profile) -> std::fmt::Result {
    let all = &profile.counts;
    write!(
        out,
        "<header><h1>{}</h1><p>{} blocks of {} threads{} on {}, with the speeds of {}: {} SMs at {} MHz, memory of {}B/s. \
         About {} registers per thread (estimated), {} bytes of static and {} of dynamic shared memory.</p></header>",
        escape(&profile.kernel),
        size(profile.grid),
        size(profile.block),
        profile.elements_text(),
        escape(&profile.device.name),
        escape(&profile.device.like),
        profile.device.sms,
        profile.device.clock_mhz,
        short(profile.device.memory_bandwidth),
        profile.resources.registers,
        profile.resources.static_shared,
        profile.dynamic_shared
    )?;
    let lanes = percent(all.warp_nonpredicated_execution_efficiency());
    let point = &profile.occupancy.launched;
    let occupancy = part(point.active_warps.into(), profile.occupancy.max_warps.into());
    let tiles = [
        ("bound by", profile.estimate.regime.as_str().to_owned(), "which of the four regimes".to_owned()),
        ("at least", time(profile.estimate.seconds), "by the greatest bound".to_owned()),
        ("warp instructions", short(all.warp_instructions as f64), "of PTX".to_owned()),
        ("lanes used", lanes, "active and switched on, of 32".to_owned()),
        ("occupancy", percent(occupancy), format!("limited by {}", point.limited_by)),
        ("intensity", short(profile.estimate.intensity), "operations per byte touched".to_owned()),
    ];
    out.push_str("<div class=\"tiles\">");
    for (name, value, about) in tiles {
        write!(
            out,
            "<div class=\"tile\"><span>{name}</span><b>{value}</b><small>{}</small></div>",
            escape(&about)
        )?;
    }
    out.push_str("</div>");
    Ok(())
}

fn estimate(out: &mut String, profile: &Profile) -> std::fmt::Result {
    let estimate = &profile.estimate;
    let list = |out: &mut String, lines: &[String]| {
        let items: String = lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
        write!(out, "<ul>{items}</ul>")
    };
    write!(out, "<section><h2>What bounds it: {}</h2><div class=\"two\"><div>", estimate.regime.as_str())?;
    list(out, &estimate.reasons)?;
    if !estimate.hints.is_empty() {
        out.push_str("<h3>Worth a look</h3>");
        list(out, &estimate.hints)?;
    }
    out.push_str("</div><table><caption>Clock cycles at least, by resource</caption>");
    let most = estimate.bounds.first().map_or(1.0, |bound| bound.cycles);
    for bound in &estimate.bounds {
        write!(
            out,
            "<tr><td>{}</td><td class=\"wide\">{}</td><td class=\"n\">{}</td></tr>",
            escape(&bound.what),
            bar(bound.cycles / most, 0.0),
            short(bound.cycles)
        )?;
    }
    out.push_str("</table></div></section>");
    Ok(())
}

/// A bar of a share of 1, of which a part is too much.
fn bar(share: f64, excess: f64) -> String {
    let width = |share: f64| format!("{:.2}%", 100.0 * share.clamp(0.0, 1.0));
    match excess > 0.0 {
        true => format!(
            "<i class=\"bar\" style=\"width:{}\"><i style=\"width:{}\"></i></i>",
            width(share),
            width(excess)
        ),
        false => format!("<i class=\"bar\" style=\"width:{}\"></i>", width(share)),
    }
}

/// The cells of some counts, one for each measure. Bars are relative to the greatest line.
fn cells(counts: &Counts, all: &Counts, greatest: &[u64], measures: &[&Measure]) -> String {
    let cell = |(measure, &greatest): (&&Measure, &u64)| {
        let amount = (measure.amount)(counts);
        if amount == 0 {
            return "<td class=\"m\"></td>".to_owned();
        }
        let label = (measure.label)(counts, part(amount, (measure.amount)(all)));
        let excess = part((measure.excess)(counts), amount);
        format!(
            "<td class=\"m\"><div><b>{}</b><span>{label}</span></div></td>",
            bar(part(amount, greatest), excess)
        )
    };
    measures.iter().zip(greatest).map(cell).collect()
}

fn source(out: &mut String, profile: &Profile) -> std::fmt::Result {
    let measures = measures(&profile.counts);
    let most = |measure: &&Measure| profile.lines.iter().map(|line| (measure.amount)(&line.counts)).max();
    let greatest: Vec<u64> = measures.iter().map(|measure| most(measure).unwrap_or(0)).collect();
    out.push_str("<section><h2>By line of the source</h2><p>A click on a line shows its instructions.</p>");
    out.push_str("<div class=\"scroll\"><table class=\"code\"><thead><tr>");
    for measure in &measures {
        write!(out, "<th title=\"{}\">{}</th>", escape(measure.about), measure.heading)?;
    }
    out.push_str("<th></th><th></th></tr></thead>");
    let row = |out: &mut String, line: Option<&LineProfile>, number: &str, text: &str| {
        let cells = match line {
            Some(line) => cells(&line.counts, &profile.counts, &greatest, &measures),
            None => "<td class=\"m\"></td>".repeat(measures.len()),
        };
        let class = if line.is_some() { " class=\"has\"" } else { "" };
        write!(
            out,
            "<tr{class}>{cells}<td class=\"n\">{number}</td><td><pre>{}</pre></td></tr>",
            escape(text)
        )?;
        if let Some(line) = line {
            write!(out, "<tr class=\"ptx\" hidden><td colspan=\"{}\">", measures.len() + 2)?;
            let of_line = line.instructions.iter().filter_map(|&index| profile.instructions.get(index));
            instructions(out, of_line, profile)?;
            out.push_str("</td></tr>");
        }
        Ok::<(), std::fmt::Error>(())
    };
    let width = measures.len() + 2;
    for (index, file) in profile.files.iter().enumerate() {
        write!(out, "<tbody><tr><th class=\"file\" colspan=\"{width}\">{}</th></tr>", escape(&file.path))?;
        let of_file =
            |number: u32| profile.lines.iter().find(|line| line.file == Some(index) && line.line == number);
        for (part, excerpt) in file.excerpts.iter().enumerate() {
            if part > 0 {
                write!(out, "<tr class=\"gap\"><td colspan=\"{width}\">⋯</td></tr>")?;
            }
            for (number, text) in (excerpt.first_line..).zip(&excerpt.lines) {
                row(out, of_file(number), &number.to_string(), text)?;
            }
        }
        // Lines of a file that is not there, or has become shorter.
        let shown = |line: &&LineProfile| line.file == Some(index) && profile.text(line).is_none();
        for line in profile.lines.iter().filter(shown) {
            row(out, Some(line), &line.line.to_string(), "")?;
        }
        out.push_str("</tbody>");
    }
    for line in profile.lines.iter().filter(|line| line.file.is_none()) {
        out.push_str("<tbody>");
        row(out, Some(line), "", "made by the compiler")?;
        out.push_str("</tbody>");
    }
    out.push_str("</table></div></section>");
    Ok(())
}

fn instructions<'a>(
    out: &mut String,
    of_line: impl Iterator<Item = &'a InstructionProfile>,
    profile: &Profile,
) -> std::fmt::Result {
    out.push_str(
        "<table class=\"inner\"><thead><tr><th>PTX line</th><th>issued</th><th>lanes</th>\
                  <th>waited for</th><th>sectors</th><th>passes</th><th></th></tr></thead>",
    );
    for instruction in of_line {
        let InstructionProfile { ptx_line, text, counts, .. } = instruction;
        let some = |number: u64| if number == 0 { String::new() } else { grouped(number) };
        let lanes = match counts.warp_instructions {
            0 => String::new(),
            _ => percent(counts.warp_nonpredicated_execution_efficiency()),
        };
        let wait = counts.stalls.most().map_or_else(String::new, |stall| {
            let share = part(counts.stalls.total(), profile.counts.stalls.total());
            format!("{}, {}", percent(share), stall.as_str())
        });
        write!(
            out,
            "<tr><td class=\"n\">{ptx_line}</td><td class=\"n\">{}</td><td class=\"n\">{lanes}</td><td class=\"n\">{wait}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td><pre>{}</pre></td></tr>",
            some(counts.warp_instructions),
            some(counts.sectors),
            some(counts.wavefronts),
            escape(text)
        )?;
    }
    out.push_str("</table>");
    Ok(())
}

fn tables(out: &mut String, profile: &Profile) -> std::fmt::Result {
    let all = &profile.counts;
    out.push_str("<section class=\"two\"><div><h2>Instruction mix</h2><table>");
    let most = profile.mix.iter().map(|row| row.warp_instructions).max().unwrap_or(0);
    for row in &profile.mix {
        write!(
            out,
            "<tr><td>{}</td><td class=\"wide\">{}</td><td class=\"n\">{}</td></tr>",
            row.class.as_str(),
            bar(part(row.warp_instructions, most), 0.0),
            percent(part(row.warp_instructions, all.warp_instructions))
        )?;
    }
    out.push_str("</table></div><div><h2>Counters</h2><table>");
    let numbers = [
        ("warp instructions", grouped(all.warp_instructions)),
        ("thread instructions", grouped(all.thread_instructions)),
        ("warp execution efficiency", percent(all.warp_execution_efficiency())),
        ("without lanes off by predicate", percent(all.warp_nonpredicated_execution_efficiency())),
        ("branches", grouped(all.branches)),
        ("divergent branches", grouped(all.divergent_branches)),
        ("branch efficiency", percent(all.branch_efficiency())),
        ("floating-point operations", grouped(all.operations)),
        ("sectors per request", short(all.sectors_per_request())),
        ("bank conflicts", grouped(all.bank_conflicts())),
        ("bytes of memory read at all", grouped(profile.footprint.0)),
        ("bytes of memory written at all", grouped(profile.footprint.1)),
    ];
    for (name, value) in numbers {
        write!(out, "<tr><td>{name}</td><td class=\"n\">{value}</td></tr>")?;
    }
    out.push_str("</table></div></section>");
    if profile.memory.is_empty() {
        return Ok(());
    }
    out.push_str(
        "<section><h2>Memory</h2><table><thead><tr><th></th><th>requests</th><th>bytes</th><th>sectors</th><th>ideal</th>\
         <th>in first-level cache</th><th>passes</th><th>ideal</th></tr></thead>",
    );
    for row in &profile.memory {
        let cells: String = row.cells().iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
        write!(out, "<tr><td>{}</td>{cells}</tr>", row.what)?;
    }
    out.push_str("</table></section>");
    Ok(())
}

fn occupancy(out: &mut String, profile: &Profile) -> std::fmt::Result {
    write!(
        out,
        "<section><h2>Occupancy by block size</h2><p>{}. The dark column is the launch.</p>{}</section>",
        escape(&profile.occupancy_text()),
        occupancy_plot::svg(&profile.occupancy)
    )
}

fn listing(out: &mut String, profile: &Profile) -> std::fmt::Result {
    write!(
        out,
        "<section><details><summary>All {} instructions</summary><div class=\"scroll\">",
        profile.instructions.len()
    )?;
    instructions(out, profile.instructions.iter(), profile)?;
    out.push_str(
        "</div></details></section><footer><p>Counted on the PTX simulator: instructions are those of PTX, not of the machine. \
         Waiting, caches and bounds are modelled.</p></footer>",
    );
    Ok(())
}
