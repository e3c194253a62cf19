//! The special function unit: `ex2.approx`, `rcp.approx` and `rsqrt.approx` of f32, bit for bit.
//!
//! The unit evaluates a quadratic, C₀ + C₁·x + C₂·x², whose coefficients it looks up by the leading bits of the fraction; x is the rest
//! of the fraction. The widths of the coefficients, of 26, 16 and 10 to 12 bits, are those of Oberman and Siu, *A high-performance
//! area-efficient multifunction interpolator* (ARITH 2005); their values, and the columns that the squarer leaves out, were found from
//! the results of an H100 (compute capability 9.0). There the functions of this file have the instructions' results for all 2³² arguments.

use super::float::{Float, NAN32};

/// The coefficients of a quadratic: C₀ in quarters of a unit in the last place, C₁ and C₂ in units of their table.
#[derive(Clone, Copy)]
struct Quadratic(u32, i32, u16);

const fn q(c0: u32, c1: i32, c2: u16) -> Quadratic {
    Quadratic(c0, c1, c2)
}

/// A table of quadratics and the fixed-point format of its terms.
struct Interpolator<'a> {
    rows: &'a [Quadratic],
    /// Bits of x: those of the fraction that do not choose the row.
    low_bits: u32,
    /// The column of x² below which the squarer adds no partial products.
    first_column: u32,
    /// Exponents of the terms' units, in 2⁻¹⁷ units in the last place.
    linear_shift: u32,
    square_shift: u32,
    /// Added before the result is truncated, in 2⁻¹⁷ units in the last place.
    bias: i64,
}

const EXP2: Interpolator<'_> = Interpolator {
    rows: &EXP2_ROWS,
    low_bits: 17,
    first_column: 19,
    linear_shift: 2,
    square_shift: 2,
    bias: 24456,
};

const RECIPROCAL: Interpolator<'_> = Interpolator {
    rows: &RECIPROCAL_ROWS,
    low_bits: 16,
    first_column: 17,
    linear_shift: 2,
    square_shift: 0,
    bias: 8092,
};

/// 1/√x for 1 ≤ x < 2.
const ROOT_OF_ONE: Interpolator<'_> = Interpolator {
    rows: &ROOT_OF_ONE_ROWS,
    low_bits: 17,
    first_column: 19,
    linear_shift: 1,
    square_shift: 2,
    bias: 32766,
};

/// 1/√x for 2 ≤ x < 4.
const ROOT_OF_TWO: Interpolator<'_> = Interpolator { rows: &ROOT_OF_TWO_ROWS, ..ROOT_OF_ONE };

impl Interpolator<'_> {
    /// The significand of the function at a fraction of 23 bits.
    fn at(&self, fraction: u32) -> u32 {
        let Quadratic(c0, c1, c2) = self.rows[(fraction >> self.low_bits) as usize];
        let x = fraction & ((1 << self.low_bits) - 1);
        let linear = (i64::from(c1) * i64::from(x)) << self.linear_shift;
        let square = (i64::from(c2) * self.square(x)) << self.square_shift;
        (((i64::from(c0) << 15) + self.bias + linear + square) >> 17) as u32
    }

    /// x² without the partial products below the first column, in units of that column.
    ///
    /// Bit i meets itself in column 2i and each higher bit j, once for both orders, in column i + j + 1.
    fn square(&self, x: u32) -> i64 {
        let mut sum = 0;
        for i in 0..self.low_bits {
            let row = (i64::from(x >> (i + 1)) << 2 | 1) << (2 * i);
            sum += row >> self.first_column & -i64::from(x >> i & 1);
        }
        sum
    }
}

const FRACTION: u32 = 0x007f_ffff;
const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// A significand of 24 or 25 bits in a result of this biased exponent; results below the normal numbers are 0.
fn assemble(exponent: i32, significand: u32) -> f32 {
    let (exponent, significand) =
        if significand >> 24 == 1 { (exponent + 1, significand >> 1) } else { (exponent, significand) };
    match exponent {
        ..=0 => 0.0,
        1..=254 => f32::from_bits((exponent as u32) << 23 | significand & FRACTION),
        _ => f32::INFINITY,
    }
}

/// `ex2.approx.ftz.f32`: 2ˣ.
pub fn exp2_flushed(x: f32) -> f32 {
    if x.is_nan() {
        return NAN32;
    }
    if x.abs() >= 256.0 {
        return if x > 0.0 { f32::INFINITY } else { 0.0 };
    }
    // Fixed point of 23 bits after the point. A negative number with a fraction is complemented bit by bit, which is its negation
    // less one in the last place.
    let magnitude = (x.abs() * 8388608.0) as i32;
    let (exponent, fraction) = match (x < 0.0, magnitude & FRACTION as i32) {
        (true, 0) => (-(magnitude >> 23), 0),
        (true, _) => (!magnitude >> 23, !magnitude as u32 & FRACTION),
        (false, fraction) => (magnitude >> 23, fraction as u32),
    };
    assemble(exponent + 127, EXP2.at(fraction))
}

/// `rcp.approx.ftz.f32`: 1/x.
pub fn reciprocal_flushed(x: f32) -> f32 {
    if x.is_nan() {
        return NAN32;
    }
    let (bits, sign) = (x.to_bits(), x.to_bits() & SIGN);
    let result = match bits & INFINITY {
        0 => f32::INFINITY,
        INFINITY => 0.0,
        exponent => assemble(253 - (exponent >> 23) as i32, RECIPROCAL.at(bits & FRACTION)),
    };
    f32::from_bits(result.to_bits() | sign)
}

/// `rsqrt.approx.ftz.f32`: 1/√x.
pub fn reciprocal_root_flushed(x: f32) -> f32 {
    let x = x.flush();
    if x.is_nan() || x < 0.0 {
        return NAN32;
    }
    if x == 0.0 {
        return f32::INFINITY.copysign(x);
    }
    if x == f32::INFINITY {
        return 0.0;
    }
    let exponent = (x.to_bits() >> 23) as i32 - 127;
    let significand = match (exponent & 1, x.to_bits() & FRACTION) {
        (0, 0) => 1 << 24,
        (0, fraction) => ROOT_OF_ONE.at(fraction),
        (_, fraction) => ROOT_OF_TWO.at(fraction),
    };
    assemble(126 - (exponent >> 1), significand)
}

/// `ex2.approx.f32`, as `ptxas` makes it of the unit's function: subnormal results are squares.
pub fn exp2(x: f32) -> f32 {
    if x < -126.0 {
        let root = exp2_flushed(x * 0.5);
        return root * root;
    }
    exp2_flushed(x)
}

/// `rcp.approx.f32`, as `ptxas` makes it of the unit's function: arguments with subnormal results, and subnormal ones, are scaled.
pub fn reciprocal(x: f32) -> f32 {
    let scale = match x.abs() {
        large if large > 8.507059e37 => 0.25,
        small if small < f32::MIN_POSITIVE => 16777216.0,
        _ => return reciprocal_flushed(x),
    };
    scale * reciprocal_flushed(x * scale)
}

/// `rsqrt.approx.f32`, as `ptxas` makes it of the unit's function: subnormal arguments are scaled.
pub fn reciprocal_root(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE {
        return 4096.0 * reciprocal_root_flushed(x * 16777216.0);
    }
    reciprocal_root_flushed(x)
}

#[rustfmt::skip]
const EXP2_ROWS: [Quadratic; 64] = [
    q(33554435, 22713, 494), q(33919818, 22960, 501), q(34289182, 23210, 506), q(34662565, 23463, 511), q(35040018, 23718, 518),
    q(35421577, 23977, 521), q(35807292, 24238, 527), q(36197209, 24502, 532), q(36591372, 24768, 541), q(36989825, 25038, 546),
    q(37392616, 25311, 551), q(37799797, 25586, 559), q(38211409, 25865, 564), q(38627504, 26147, 568), q(39048131, 26431, 577),
    q(39473337, 26719, 583), q(39903173, 27010, 589), q(40337690, 27304, 596), q(40776937, 27602, 600), q(41220970, 27902, 609),
    q(41669836, 28206, 615), q(42123592, 28513, 622), q(42582286, 28824, 627), q(43045977, 29138, 633), q(43514717, 29455, 641),
    q(43988561, 29776, 647), q(44467565, 30100, 655), q(44951786, 30428, 661), q(45441278, 30759, 670), q(45936101, 31094, 677),
    q(46436314, 31432, 686), q(46941971, 31775, 691), q(47453135, 32121, 699), q(47969867, 32471, 705), q(48492225, 32824, 715),
    q(49020269, 33182, 721), q(49554065, 33543, 730), q(50093674, 33908, 739), q(50639159, 34277, 748), q(51190582, 34651, 753),
    q(51748011, 35028, 763), q(52311510, 35409, 773), q(52881146, 35795, 779), q(53456983, 36185, 787), q(54039091, 36579, 796),
    q(54627538, 36977, 806), q(55222393, 37380, 813), q(55823725, 37787, 822), q(56431607, 38198, 833), q(57046106, 38614, 842),
    q(57667297, 39035, 849), q(58295254, 39460, 858), q(58930048, 39889, 870), q(59571754, 40324, 877), q(60220447, 40763, 887),
    q(60876205, 41207, 896), q(61539104, 41655, 909), q(62209220, 42109, 917), q(62886634, 42568, 925), q(63571424, 43031, 938),
    q(64263672, 43500, 946), q(64963458, 43973, 959), q(65670863, 44452, 969), q(66385972, 44936, 980),
];

#[rustfmt::skip]
const RECIPROCAL_ROWS: [Quadratic; 128] = [
    q(67108864, -65534, 4052), q(66588642, -64522, 3956), q(66076422, -63533, 3864), q(65572021, -62567, 3780),
    q(65075262, -61622, 3692), q(64585976, -60699, 3608), q(64103992, -59797, 3532), q(63629146, -58914, 3452),
    q(63161284, -58051, 3380), q(62700254, -57207, 3308), q(62245905, -56381, 3236), q(61798091, -55572, 3164),
    q(61356677, -54781, 3096), q(60921524, -54007, 3032), q(60492499, -53249, 2968), q(60069474, -52507, 2908),
    q(59652325, -51780, 2844), q(59240930, -51068, 2784), q(58835170, -50371, 2728), q(58434930, -49688, 2676),
    q(58040099, -49019, 2624), q(57650569, -48363, 2568), q(57266231, -47721, 2524), q(56886986, -47091, 2472),
    q(56512729, -46473, 2420), q(56143366, -45868, 2376), q(55778798, -45274, 2328), q(55418934, -44692, 2288),
    q(55063686, -44121, 2244), q(54712961, -43560, 2196), q(54366677, -43011, 2160), q(54024747, -42471, 2116),
    q(53687093, -41942, 2076), q(53353633, -41423, 2040), q(53024288, -40913, 2004), q(52698987, -40412, 1960),
    q(52377651, -39921, 1928), q(52060212, -39439, 1896), q(51746596, -38965, 1860), q(51436737, -38500, 1828),
    q(51130565, -38043, 1796), q(50828017, -37594, 1764), q(50529029, -37153, 1732), q(50233538, -36720, 1704),
    q(49941482, -36294, 1672), q(49652803, -35876, 1648), q(49367442, -35464, 1612), q(49085342, -35060, 1588),
    q(48806449, -34663, 1560), q(48530705, -34272, 1532), q(48258060, -33888, 1508), q(47988464, -33511, 1484),
    q(47721861, -33140, 1464), q(47458204, -32774, 1432), q(47197444, -32415, 1412), q(46939534, -32062, 1392),
    q(46684429, -31714, 1364), q(46432082, -31373, 1348), q(46182446, -31036, 1324), q(45935480, -30705, 1304),
    q(45691143, -30379, 1280), q(45449392, -30059, 1264), q(45210185, -29743, 1240), q(44973481, -29432, 1220),
    q(44739244, -29127, 1208), q(44507436, -28826, 1188), q(44278016, -28529, 1164), q(44050948, -28237, 1148),
    q(43826199, -27950, 1132), q(43603730, -27667, 1116), q(43383510, -27388, 1096), q(43165503, -27114, 1084),
    q(42949675, -26843, 1064), q(42735995, -26577, 1052), q(42524430, -26314, 1032), q(42314950, -26056, 1024),
    q(42107525, -25801, 1004), q(41902122, -25550, 992), q(41698714, -25302, 972), q(41497270, -25058, 960),
    q(41297764, -24818, 948), q(41100168, -24581, 932), q(40904453, -24348, 924), q(40710593, -24117, 904),
    q(40518561, -23890, 892), q(40328333, -23667, 888), q(40139883, -23446, 872), q(39953186, -23228, 856),
    q(39768218, -23014, 848), q(39584955, -22802, 832), q(39403371, -22593, 820), q(39223448, -22388, 816),
    q(39045159, -22184, 796), q(38868484, -21984, 788), q(38693401, -21787, 784), q(38519888, -21592, 772),
    q(38347924, -21399, 756), q(38177489, -21209, 744), q(38008563, -21022, 736), q(37841123, -20837, 728),
    q(37675154, -20655, 720), q(37510633, -20475, 712), q(37347543, -20297, 700), q(37185866, -20122, 692),
    q(37025582, -19949, 684), q(36866673, -19778, 676), q(36709124, -19609, 664), q(36552915, -19443, 660),
    q(36398030, -19278, 644), q(36244452, -19116, 640), q(36092164, -18956, 636), q(35941151, -18797, 620),
    q(35791396, -18641, 616), q(35642884, -18487, 612), q(35495599, -18334, 600), q(35349528, -18184, 596),
    q(35204652, -18035, 588), q(35060959, -17888, 580), q(34918436, -17743, 572), q(34777064, -17600, 572),
    q(34636835, -17458, 560), q(34497732, -17318, 552), q(34359741, -17180, 548), q(34222849, -17043, 540),
    q(34087044, -16908, 532), q(33952313, -16775, 528), q(33818641, -16643, 524), q(33686019, -16513, 520),
];

#[rustfmt::skip]
const ROOT_OF_ONE_ROWS: [Quadratic; 64] = [
    q(67108862, -65531, 1508), q(66590638, -64024, 1450), q(66084240, -62575, 1396), q(65589220, -61179, 1344),
    q(65105161, -59835, 1296), q(64631662, -58539, 1250), q(64168346, -57289, 1206), q(63714854, -56083, 1164),
    q(63270844, -54919, 1124), q(62835987, -53794, 1086), q(62409973, -52708, 1052), q(61992512, -51657, 1016),
    q(61583315, -50641, 984), q(61182119, -49658, 952), q(60788660, -48706, 922), q(60402697, -47784, 892),
    q(60023991, -46891, 866), q(59652324, -46026, 840), q(59287473, -45186, 814), q(58929238, -44372, 790),
    q(58577419, -43582, 766), q(58231826, -42815, 744), q(57892278, -42071, 724), q(57558602, -41348, 704),
    q(57230630, -40645, 684), q(56908204, -39962, 664), q(56591164, -39298, 646), q(56279365, -38652, 628),
    q(55972663, -38023, 610), q(55670921, -37412, 596), q(55374005, -36816, 580), q(55081793, -36237, 566),
    q(54794159, -35672, 550), q(54510984, -35122, 536), q(54232151, -34586, 524), q(53957557, -34063, 510),
    q(53687092, -33553, 496), q(53420653, -33056, 484), q(53158143, -32571, 472), q(52899462, -32098, 462),
    q(52644525, -31636, 450), q(52393235, -31185, 440), q(52145512, -30745, 430), q(51901270, -30315, 420),
    q(51660428, -29895, 410), q(51422907, -29485, 402), q(51188635, -29084, 392), q(50957533, -28691, 382),
    q(50729535, -28308, 374), q(50504568, -27933, 366), q(50282568, -27566, 358), q(50063471, -27208, 352),
    q(49847214, -26857, 344), q(49633734, -26513, 336), q(49422974, -26177, 330), q(49214875, -25848, 324),
    q(49009385, -25525, 316), q(48806448, -25209, 308), q(48606011, -24900, 302), q(48408022, -24597, 296),
    q(48212433, -24300, 290), q(48019193, -24009, 286), q(47828263, -23724, 280), q(47639590, -23444, 274),
];

#[rustfmt::skip]
const ROOT_OF_TWO_ROWS: [Quadratic; 64] = [
    q(47453130, -46337, 1066), q(47086691, -45272, 1026), q(46728615, -44247, 986), q(46378582, -43260, 950),
    q(46036299, -42310, 918), q(45701485, -41393, 884), q(45373874, -40510, 854), q(45053205, -39657, 824),
    q(44739243, -38834, 796), q(44431752, -38038, 768), q(44130518, -37270, 742), q(43835326, -36527, 718),
    q(43545982, -35809, 696), q(43262291, -35113, 672), q(42984072, -34440, 652), q(42711158, -33789, 632),
    q(42443372, -33157, 612), q(42180562, -32545, 594), q(41922577, -31952, 576), q(41669266, -31376, 558),
    q(41420490, -30817, 542), q(41176120, -30275, 526), q(40936024, -29749, 512), q(40700080, -29237, 496),
    q(40468168, -28740, 482), q(40240175, -28257, 470), q(40015994, -27788, 458), q(39795521, -27331, 444),
    q(39578648, -26887, 434), q(39365287, -26454, 420), q(39155336, -26033, 410), q(38948712, -25623, 398),
    q(38745320, -25224, 390), q(38545085, -24835, 380), q(38347924, -24456, 370), q(38153755, -24086, 360),
    q(37962507, -23726, 352), q(37774106, -23374, 342), q(37588483, -23031, 334), q(37405571, -22697, 326),
    q(37225301, -22370, 318), q(37047614, -22051, 310), q(36872446, -21740, 304), q(36699742, -21436, 296),
    q(36529439, -21139, 290), q(36361487, -20849, 284), q(36195832, -20565, 276), q(36032416, -20288, 272),
    q(35871196, -20017, 266), q(35712122, -19752, 260), q(35555147, -19492, 252), q(35400222, -19239, 248),
    q(35247303, -18991, 244), q(35096352, -18748, 238), q(34947319, -18510, 234), q(34800173, -18277, 228),
    q(34654868, -18049, 224), q(34511369, -17826, 220), q(34369640, -17607, 214), q(34229641, -17393, 210),
    q(34091339, -17183, 206), q(33954698, -16977, 202), q(33819688, -16775, 198), q(33686280, -16578, 194),
];

#[cfg(test)]
mod tests {
    use super::*;

    type Unary = fn(f32) -> f32;

    /// Results of an H100, argument and result by their bits.
    const SEEN: &[(Unary, u32, u32)] = &[
        (exp2_flushed, 0x42ff_ffff, 0x7f7f_ffa8),
        (exp2_flushed, 0xc2fc_0000, 0x0080_0000),
        (exp2_flushed, 0xc2fd_0000, 0),
        (exp2_flushed, 0x4300_0000, INFINITY),
        (exp2_flushed, 0xc000_07e0, 0x3e7f_ea2b),
        (exp2_flushed, 0xc000_07e4, 0x3e7f_ea20),
        (exp2_flushed, 0x9000_0620, 0x3f80_0000),
        (reciprocal_flushed, 0xc2fc_0000, 0xbc02_0821),
        (reciprocal_flushed, 0x3fff_ffff, 0x3f00_0001),
        (reciprocal_flushed, 0x8000_0001, 0xff80_0000),
        (reciprocal_root_flushed, 0x42ff_ffff, 0x3db5_04f4),
        (reciprocal_root_flushed, 0x4300_0000, 0x3db5_04f2),
        (reciprocal_root_flushed, 0xbf80_0000, 0x7fff_ffff),
    ];

    /// Checksums of the results of an H100 for all fractions, by FNV-1a over their bits.
    #[test]
    fn results_are_those_of_the_hardware() {
        for &(function, x, result) in SEEN {
            assert_eq!(function(f32::from_bits(x)).to_bits(), result, "{x:08x}");
        }
        let checksum = |function: Unary, first: u32, count: u32| {
            (first..first + count).fold(0x811c_9dc5_u32, |hash, bits| {
                (hash ^ function(f32::from_bits(bits)).to_bits()).wrapping_mul(0x0100_0193)
            })
        };
        // The results of [1, 2) have those of all fractions, with two exponents for roots.
        assert_eq!(checksum(exp2_flushed, 0x3f80_0000, 1 << 23), 0xe987_6b3b);
        assert_eq!(checksum(reciprocal_flushed, 0x3f80_0000, 1 << 23), 0x6377_eaa4);
        assert_eq!(checksum(reciprocal_root_flushed, 0x3f80_0000, 2 << 23), 0x83f0_3522);
    }

    #[test]
    fn subnormal_numbers_are_kept_where_nothing_is_flushed() {
        assert_eq!(exp2(-149.0), f32::from_bits(1));
        assert_eq!(exp2_flushed(-127.0), 0.0);
        assert_eq!(reciprocal(1.7014118e38), 5.877472e-39);
        assert_eq!(reciprocal_flushed(1.7014118e38), 0.0);
        assert_eq!(reciprocal_root(f32::from_bits(1)), 2.6713736e22);
        assert_eq!(reciprocal_root_flushed(-f32::from_bits(1)), f32::NEG_INFINITY);
        assert!(reciprocal(f32::NAN).is_nan() && exp2(f32::NAN).is_nan() && reciprocal_root(-1.0).is_nan());
    }
}
