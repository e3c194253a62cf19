//! Plots as SVG: axes with units, lines and points that are told apart in print as well.

use std::error::Error;
use std::path::Path;

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Colours that stay apart in grey and for the colour-blind (Okabe and Ito, 2008).
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

const FONT: &str = "sans-serif";

/// Steps from point to point, with what is to be marked on them.
pub struct Curve {
    /// The title of the curve.
    pub caption: String,
    /// The x axis with its unit.
    pub x: &'static str,
    /// The y axis with its unit.
    pub y: &'static str,
    /// Points by x, each of which holds back to the one before: of what a block has, less is never worse. None does not launch.
    pub points: Vec<(f64, Option<f64>)>,
    /// Points to mark, with words.
    pub marks: Vec<(f64, f64, String)>,
    /// The end of the y axis.
    pub top: f64,
}

/// Curves above each other.
///
/// # Errors
/// Errors of the file system.
pub fn curves(path: &Path, title: &str, curves: &[Curve]) -> Result<(), String> {
    let draw = || -> Drawn<()> {
        let height = 60 + 320 * curves.len() as u32;
        let root = SVGBackend::new(path, (900, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let root = root.titled(title, (FONT, 24))?;
        for (area, curve) in root.split_evenly((curves.len(), 1)).iter().zip(curves) {
            draw_curve(area, curve)?;
        }
        root.present()?;
        Ok(())
    };
    draw().map_err(|error| format!("{} cannot be drawn: {error}", path.display()))
}

fn draw_curve<DB: DrawingBackend>(area: &DrawingArea<DB, plotters::coord::Shift>, curve: &Curve) -> Drawn<()>
where
    DB::ErrorType: 'static,
{
    let end = curve.points.last().map_or(1.0, |&(x, _)| x);
    let mut chart = chart(area, &curve.caption, 0.0..1.03 * end, 0.0..1.12 * curve.top)?;
    axes(&mut chart, curve.x, curve.y)?;
    let Steps { lines, gaps } = steps(&curve.points);
    for (left, right) in gaps {
        let corners = [(left, curve.top), (right, 0.0)];
        chart.draw_series([Rectangle::new(corners, BLACK.mix(0.08).filled())])?;
        let centred = TextStyle::from((FONT, 15)).pos(Pos::new(HPos::Center, VPos::Center));
        let middle = (f64::midpoint(left, right), curve.top / 2.0);
        let turned = centred.transform(FontTransform::Rotate90);
        chart.draw_series([EmptyElement::at(middle) + Text::new("does not launch", (0, 0), turned)])?;
    }
    for line in lines {
        chart.draw_series(LineSeries::new(line, COLOURS[0].stroke_width(2)))?;
    }
    if curve.points.len() <= 40 {
        let launched = curve.points.iter().filter_map(|&(x, y)| Some((x, y?)));
        chart.draw_series(launched.map(|point| Circle::new(point, 3, COLOURS[0].filled())))?;
    }
    for (x, y, words) in &curve.marks {
        chart.draw_series([Circle::new((*x, *y), 6, COLOURS[1].filled())])?;
        let side = if *x > 0.6 * end { -8 - 7 * words.chars().count() as i32 } else { 8 };
        chart
            .draw_series([EmptyElement::at((*x, *y)) + Text::new(words.clone(), (side, -20), (FONT, 15))])?;
    }
    Ok(())
}

/// Lines from point to point, and the ranges of x between which there is none.
#[derive(Debug, Default, PartialEq)]
pub struct Steps {
    /// The corners of each line.
    pub lines: Vec<Vec<(f64, f64)>>,
    /// Ranges without a value.
    pub gaps: Vec<(f64, f64)>,
}

/// The steps through points each of which holds back to the one before.
pub fn steps(points: &[(f64, Option<f64>)]) -> Steps {
    let mut steps = Steps::default();
    let mut before: Option<(f64, Option<f64>)> = None;
    for &(x, y) in points {
        let start = before.map_or(x, |(x, _)| x);
        let goes_on = before.is_some_and(|(_, before)| before.is_some() == y.is_some());
        match (y, steps.lines.last_mut().filter(|_| goes_on), steps.gaps.last_mut().filter(|_| goes_on)) {
            (Some(y), Some(line), _) => line.extend([(start, y), (x, y)]),
            (Some(y), None, _) => steps.lines.push(vec![(start, y), (x, y)]),
            (None, _, Some(gap)) => gap.1 = x,
            (None, _, None) => steps.gaps.push((start, x)),
        }
        before = Some((x, y));
    }
    steps
}

/// A kernel below the roofs.
pub struct RooflinePoint {
    /// The kernel.
    pub name: String,
    /// Operations per byte.
    pub intensity: f64,
    /// Operations per second.
    pub speed: f64,
}

/// Kernels as points below what memory and arithmetic allow.
///
/// # Errors
/// Errors of the file system.
pub fn roofline(
    path: &Path,
    title: &str,
    bytes_per_second: f64,
    operations_per_second: f64,
    points: &[RooflinePoint],
) -> Result<(), String> {
    let draw = || -> Drawn<()> {
        let root = SVGBackend::new(path, (1000, 700)).into_drawing_area();
        root.fill(&WHITE)?;
        let all = |get: fn(&RooflinePoint) -> f64| points.iter().map(get).filter(|&value| value > 0.0);
        let ridge = operations_per_second / bytes_per_second;
        let left = all(|point| point.intensity).fold(ridge, f64::min) / 2.0;
        let right = all(|point| point.intensity).fold(ridge, f64::max) * 4.0;
        let bottom = all(|point| point.speed).fold(left * bytes_per_second, f64::min) / 1e9 / 2.0;
        let top = 2.0 * operations_per_second / 1e9;
        let mut chart = chart(&root, title, (left..right).log_scale(), (bottom..top).log_scale())?;
        axes(&mut chart, "arithmetic intensity in FLOP/byte", "GFLOP/s")?;
        let roof = |x: f64| (x * bytes_per_second).min(operations_per_second) / 1e9;
        let line = [left, ridge, right].map(|x| (x, roof(x)));
        chart.draw_series(LineSeries::new(line, BLACK.stroke_width(2)))?;
        let text = |at: (f64, f64), words: &str, by: (i32, i32)| {
            EmptyElement::at(at) + Text::new(words.to_owned(), by, (FONT, 15))
        };
        // Above the roof, where no kernel is.
        let middle = (left * ridge).sqrt();
        let memory = format!("{:.0} GB/s", bytes_per_second / 1e9);
        let arithmetic = format!("{:.1} TFLOP/s", operations_per_second / 1e12);
        chart.draw_series([
            text((middle, roof(middle)), &memory, (-80, -24)),
            text((ridge, roof(ridge)), &arithmetic, (8, -20)),
            text((ridge, bottom), &format!("ridge at {} FLOP/byte", number(&round(ridge))), (6, -22)),
        ])?;
        let down = [(ridge, bottom), (ridge, roof(ridge))];
        chart.draw_series(DashedLineSeries::new(down, 4, 4, BLACK.mix(0.5).stroke_width(1)))?;
        let places: Vec<(f64, f64)> =
            points.iter().map(|point| (point.intensity, point.speed / 1e9)).collect();
        let pixels: Vec<(i32, i32)> = places.iter().map(|place| chart.backend_coord(place)).collect();
        let names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
        for (index, by) in labels(&pixels, &names).into_iter().enumerate() {
            let at = places[index];
            chart.draw_series([Circle::new(at, 5, COLOURS[index % COLOURS.len()].filled())])?;
            chart.draw_series([text(at, names[index], by)])?;
        }
        root.present()?;
        Ok(())
    };
    draw().map_err(|error| format!("{} cannot be drawn: {error}", path.display()))
}

/// Pixels of a letter and of a line of small text.
const LETTER: (i32, i32) = (7, 15);

/// Offsets of the names from their points: beside, below or above, covering points and other names as little as possible.
pub fn labels(points: &[(i32, i32)], names: &[&str]) -> Vec<(i32, i32)> {
    let mut taken: Vec<[i32; 4]> = points.iter().map(|&(x, y)| [x - 6, y - 6, x + 6, y + 6]).collect();
    let overlap = |a: &[i32; 4], b: &[i32; 4]| {
        let shared = |low: usize, high: usize| (a[high].min(b[high]) - a[low].max(b[low])).max(0);
        shared(0, 2) * shared(1, 3)
    };
    let mut chosen = Vec::new();
    for (&(x, y), name) in points.iter().zip(names) {
        let width = LETTER.0 * name.chars().count() as i32;
        let box_at =
            |&(right, down): &(i32, i32)| [x + right, y + down, x + right + width, y + down + LETTER.1];
        let heights = [-7, -14, 0, 8, -22, 20];
        let candidates = [9, -9 - width].into_iter().flat_map(|right| heights.map(|down| (right, down)));
        let covered =
            |by: &(i32, i32)| -> i32 { taken.iter().map(|other| overlap(&box_at(by), other)).sum() };
        // The first of those that cover least.
        let best = candidates.min_by_key(covered).unwrap_or((9, -7));
        taken.push(box_at(&best));
        chosen.push(best);
    }
    chosen
}

/// A quotient with its name.
pub struct Ratio {
    /// The name of the quotient.
    pub name: String,
    /// The quotient.
    pub value: f64,
    /// Half the length of the error bar; 0 if the quotient is exact.
    pub spread: f64,
    /// True if it is of another kind than most, and marked so.
    pub is_other: bool,
}

/// Quotients below each other, beside the line where both are the same.
///
/// # Errors
/// Errors of the file system.
pub fn ratios(path: &Path, [title, x, others]: [&str; 3], all: &[Ratio]) -> Result<(), String> {
    let draw = || -> Drawn<()> {
        let root = SVGBackend::new(path, (900, 130 + 20 * all.len() as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        // On logarithmic axes half and twice are as far from 1, and nothing is below zero.
        let low = |it: &Ratio| (it.value - it.spread).max(it.value / 10.0);
        let ends = all.iter().flat_map(|it| [low(it), it.value + it.spread]);
        let (left, right) = ends.fold((0.9f64, 1.1f64), |(low, high), end| (low.min(end), high.max(end)));
        let (left, right) = (left / 1.05, right * 1.05);
        let ticks = ticks(left, right);
        let mut builder = ChartBuilder::on(&root);
        builder.caption(title, (FONT, 18)).margin(12).x_label_area_size(48).y_label_area_size(260);
        let bottom = all.len() as f64;
        let across = (left..right).log_scale().with_key_points(ticks.clone());
        let mut chart = builder.build_cartesian_2d(across, bottom..-1.5)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(x).x_labels(ticks.len()).x_label_formatter(&number);
        mesh.axis_desc_style((FONT, 16)).label_style((FONT, 14));
        mesh.disable_y_mesh().disable_y_axis().light_line_style(WHITE).draw()?;
        chart.draw_series(LineSeries::new([(1.0, -1.0), (1.0, bottom)], BLACK.stroke_width(1)))?;
        let beside = TextStyle::from((FONT, 14)).pos(Pos::new(HPos::Right, VPos::Center));
        let above = TextStyle::from((FONT, 14)).pos(Pos::new(HPos::Left, VPos::Center));
        chart.draw_series([EmptyElement::at((left, -1.0))
            + TriangleMarker::new((8, 0), 6, COLOURS[1].filled())
            + Text::new(others.to_owned(), (20, 0), above)])?;
        for (index, it) in all.iter().enumerate() {
            let y = index as f64;
            let colour = COLOURS[usize::from(it.is_other)];
            let whole = [(low(it), y), (it.value + it.spread, y)];
            chart.draw_series(LineSeries::new(whole, colour.stroke_width(2)))?;
            if it.is_other {
                chart.draw_series([TriangleMarker::new((it.value, y), 6, colour.filled())])?;
            } else {
                chart.draw_series([Circle::new((it.value, y), 4, colour.filled())])?;
            }
            let name = Text::new(it.name.clone(), (-10, 0), beside.clone());
            chart.draw_series([EmptyElement::at((left, y)) + name])?;
        }
        root.present()?;
        Ok(())
    };
    draw().map_err(|error| format!("{} cannot be drawn: {error}", path.display()))
}

/// Ratios to label between two: round ones, closer to each other the shorter the axis is.
pub fn ticks(left: f64, right: f64) -> Vec<f64> {
    const COARSE: [f64; 3] = [1.0, 2.0, 5.0];
    const FINE: [f64; 11] = [1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 9.0];
    let steps: &[f64] = if right / left > 10.0 { &COARSE } else { &FINE };
    let decades = (left.log10().floor() as i32)..=(right.log10().ceil() as i32);
    // By a quotient of whole numbers, which rounds once: 0.9, not 0.9000000000000001.
    let scaled = |step: f64, decade: i32| match decade {
        0.. => step * 10f64.powi(decade),
        _ => step / 10f64.powi(-decade),
    };
    let all = decades.flat_map(|decade| steps.iter().map(move |&step| scaled(step, decade)));
    all.filter(|tick| (left..=right).contains(tick)).collect()
}

/// The result of drawing.
type Drawn<T> = Result<T, Box<dyn Error>>;

type Chart<'a, DB, X, Y> = ChartContext<'a, DB, Cartesian2d<X, Y>>;

fn chart<'a, DB, X, Y>(
    area: &'a DrawingArea<DB, plotters::coord::Shift>,
    caption: &str,
    x: X,
    y: Y,
) -> Drawn<Chart<'a, DB, X::CoordDescType, Y::CoordDescType>>
where
    DB: DrawingBackend,
    DB::ErrorType: 'static,
    X: AsRangedCoord,
    Y: AsRangedCoord,
{
    let mut builder = ChartBuilder::on(area);
    builder.caption(caption, (FONT, 18)).margin(12).x_label_area_size(48).y_label_area_size(72);
    Ok(builder.build_cartesian_2d(x, y)?)
}

fn axes<DB, X, Y>(chart: &mut Chart<'_, DB, X, Y>, x: &str, y: &str) -> Drawn<()>
where
    DB: DrawingBackend,
    DB::ErrorType: 'static,
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .x_desc(x)
        .y_desc(y)
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .axis_desc_style((FONT, 16))
        .label_style((FONT, 14))
        .light_line_style(WHITE)
        .draw()?;
    Ok(())
}

/// A number with three digits.
fn round(value: f64) -> f64 {
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 9);
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// A number on an axis: no more digits than it has.
pub fn number(value: &f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
