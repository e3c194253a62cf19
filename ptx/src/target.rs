//! The table of targets: every architecture known here, the PTX version that introduced it, and its limits.
//!
//! Limits follow the table "Technical Specifications per Compute Capability" of the CUDA programming guide and
//! the arithmetic of NVIDIA's `cuda_occupancy.h`; PTX versions follow the release history of the PTX manual.

use std::fmt;
use std::str::FromStr;

/// Lanes of a warp, on every architecture.
pub const WARP_SIZE: u32 = 32;
/// Most threads of one block, on every architecture.
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;
/// Most threads of a block along x, y and z.
pub const MAX_BLOCK_DIM: [u32; 3] = [1024, 1024, 64];
/// Most blocks of a grid along x, y and z.
pub const MAX_GRID_DIM: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// Bytes of shared memory that a block may use without opting in to more, static and dynamic together.
/// Static shared memory can never exceed it.
pub const DEFAULT_SHARED_PER_BLOCK: u32 = 48 * 1024;
/// Most blocks of a cluster that every device with clusters holds (CUDA C++ Programming Guide, "Thread Block Clusters").
pub const MAX_CLUSTER_BLOCKS: u32 = 8;

/// Most blocks of a cluster of a kernel that opts in to what not every device holds (`CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`).
pub const MAX_NONPORTABLE_CLUSTER_BLOCKS: u32 = 16;
/// The fewest and the most registers that `.maxnreg` may leave a thread: `ptxas` raises what is below, and ignores what
/// is above.
pub const REGISTERS_PER_THREAD: (u32, u32) = (24, 255);
/// Named barriers of one block.
pub const MAX_BARRIERS_PER_BLOCK: u32 = 16;

/// Resources of one streaming multiprocessor (SM) of an architecture. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Resident threads per SM.
    pub threads_per_sm: u32,
    /// Resident blocks per SM.
    pub blocks_per_sm: u32,
    /// Shared memory per SM at the largest carve-out.
    pub shared_per_sm: u32,
    /// Shared memory per block after opting in; without, it is [`DEFAULT_SHARED_PER_BLOCK`].
    pub shared_per_block_optin: u32,
    /// Shared memory that the driver takes from each block's share for itself.
    pub shared_reserved_per_block: u32,
    /// Shared memory is allocated to blocks in multiples of this.
    pub shared_granularity: u32,
    /// The ways to divide the L1 cache: sizes of shared memory per SM, ascending.
    pub shared_carveouts: &'static [u32],
    /// Hardware barriers per SM where they can limit occupancy (from compute capability 9.0).
    pub barriers_per_sm: Option<u32>,
    /// 32-bit registers per SM.
    pub registers_per_sm: u32,
    /// 32-bit registers that one block may be given.
    pub registers_per_block: u32,
    /// 32-bit registers of one thread.
    pub registers_per_thread: u32,
    /// Registers are allocated to warps in multiples of this.
    pub register_unit: u32,
    /// Sub-partitions of an SM: a warp's registers come from one of them.
    pub sub_partitions: u32,
}

impl Limits {
    /// Resident warps per SM.
    pub const fn warps_per_sm(&self) -> u32 {
        self.threads_per_sm / WARP_SIZE
    }
}

const KIB: u32 = 1024;

/// Limits that compute capability 8.0 and later have in common; each row below overrides the rest.
const COMMON: Limits = Limits {
    threads_per_sm: 1536,
    blocks_per_sm: 24,
    shared_per_sm: 100 * KIB,
    shared_per_block_optin: 99 * KIB,
    shared_reserved_per_block: KIB,
    shared_granularity: 128,
    shared_carveouts: CARVEOUTS_100K,
    barriers_per_sm: None,
    registers_per_sm: 65_536,
    registers_per_block: 65_536,
    registers_per_thread: 255,
    register_unit: 256,
    sub_partitions: 4,
};

const CARVEOUTS_100K: &[u32] = &[0, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 100 * KIB];
const CARVEOUTS_164K: &[u32] = &[0, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 100 * KIB, 132 * KIB, 164 * KIB];
const CARVEOUTS_228K: &[u32] =
    &[0, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 100 * KIB, 132 * KIB, 164 * KIB, 196 * KIB, 228 * KIB];

static TURING: Limits = Limits {
    threads_per_sm: 1024,
    blocks_per_sm: 16,
    shared_per_sm: 64 * KIB,
    shared_per_block_optin: 64 * KIB,
    shared_reserved_per_block: 0,
    shared_granularity: 256,
    shared_carveouts: &[32 * KIB, 64 * KIB],
    ..COMMON
};
static AMPERE_DATA_CENTER: Limits = Limits {
    threads_per_sm: 2048,
    blocks_per_sm: 32,
    shared_per_sm: 164 * KIB,
    shared_per_block_optin: 163 * KIB,
    shared_carveouts: CARVEOUTS_164K,
    ..COMMON
};
static AMPERE: Limits = Limits { blocks_per_sm: 16, ..COMMON };
static AMPERE_ORIN: Limits = Limits {
    blocks_per_sm: 16,
    shared_per_sm: 164 * KIB,
    shared_per_block_optin: 163 * KIB,
    shared_carveouts: CARVEOUTS_164K,
    ..COMMON
};
static ADA: Limits = COMMON;
/// Hopper, and Blackwell for data centers.
static HOPPER: Limits = Limits {
    threads_per_sm: 2048,
    blocks_per_sm: 32,
    shared_per_sm: 228 * KIB,
    shared_per_block_optin: 227 * KIB,
    shared_carveouts: CARVEOUTS_228K,
    barriers_per_sm: Some(64),
    ..COMMON
};
static BLACKWELL_THOR: Limits = Limits {
    shared_per_sm: 228 * KIB,
    shared_per_block_optin: 227 * KIB,
    shared_carveouts: CARVEOUTS_228K,
    barriers_per_sm: Some(24),
    ..COMMON
};
static BLACKWELL: Limits = Limits { barriers_per_sm: Some(24), ..COMMON };

/// Portability that the letter after the number of a target promises (PTX manual, `.target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suffix {
    /// `sm_90`: runs on every later chip too.
    None,
    /// `sm_90a`: features of one chip; runs on that chip only.
    ArchSpecific,
    /// `sm_100f`: features of a family; runs on later chips of the same family.
    FamilySpecific,
}

impl Suffix {
    /// The letter itself, or nothing.
    pub const fn letter(self) -> &'static str {
        match self {
            Suffix::None => "",
            Suffix::ArchSpecific => "a",
            Suffix::FamilySpecific => "f",
        }
    }
}

/// One row of the table of targets.
struct Row {
    name: &'static str,
    major: u32,
    minor: u32,
    suffix: Suffix,
    min_ptx: PtxVersion,
    limits: &'static Limits,
}

macro_rules! targets {
    ($($arch:ident $name:literal $major:literal . $minor:literal $suffix:ident, ptx $pmajor:literal . $pminor:literal, $limits:ident;)*) => {
        /// A target of PTX, `sm_XY` with an optional letter, ordered by number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Arch {
            $(#[doc = concat!("`", $name, "`, compute capability ", $major, ".", $minor, ".")] $arch,)*
        }

        impl Arch {
            /// Every target known here, ascending.
            pub const ALL: &[Arch] = &[$(Arch::$arch),*];
        }

        static ROWS: &[Row] = &[$(Row {
            name: $name,
            major: $major,
            minor: $minor,
            suffix: Suffix::$suffix,
            min_ptx: PtxVersion::new($pmajor, $pminor),
            limits: &$limits,
        }),*];
    };
}

// Tokens `8 . 0` are spaced so that they do not lex as one float.
targets! {
    Sm75   "sm_75"   7 . 5  None,           ptx 6 . 3, TURING;
    Sm80   "sm_80"   8 . 0  None,           ptx 7 . 0, AMPERE_DATA_CENTER;
    Sm86   "sm_86"   8 . 6  None,           ptx 7 . 1, AMPERE;
    Sm87   "sm_87"   8 . 7  None,           ptx 7 . 4, AMPERE_ORIN;
    Sm89   "sm_89"   8 . 9  None,           ptx 7 . 8, ADA;
    Sm90   "sm_90"   9 . 0  None,           ptx 7 . 8, HOPPER;
    Sm90a  "sm_90a"  9 . 0  ArchSpecific,   ptx 8 . 0, HOPPER;
    Sm100  "sm_100"  10 . 0 None,           ptx 8 . 6, HOPPER;
    Sm100a "sm_100a" 10 . 0 ArchSpecific,   ptx 8 . 6, HOPPER;
    Sm100f "sm_100f" 10 . 0 FamilySpecific, ptx 8 . 8, HOPPER;
    Sm103  "sm_103"  10 . 3 None,           ptx 8 . 8, HOPPER;
    Sm103a "sm_103a" 10 . 3 ArchSpecific,   ptx 8 . 8, HOPPER;
    Sm103f "sm_103f" 10 . 3 FamilySpecific, ptx 8 . 8, HOPPER;
    Sm110  "sm_110"  11 . 0 None,           ptx 9 . 0, BLACKWELL_THOR;
    Sm110a "sm_110a" 11 . 0 ArchSpecific,   ptx 9 . 0, BLACKWELL_THOR;
    Sm110f "sm_110f" 11 . 0 FamilySpecific, ptx 9 . 0, BLACKWELL_THOR;
    Sm120  "sm_120"  12 . 0 None,           ptx 8 . 7, BLACKWELL;
    Sm120a "sm_120a" 12 . 0 ArchSpecific,   ptx 8 . 7, BLACKWELL;
    Sm120f "sm_120f" 12 . 0 FamilySpecific, ptx 8 . 8, BLACKWELL;
    Sm121  "sm_121"  12 . 1 None,           ptx 8 . 8, BLACKWELL;
    Sm121a "sm_121a" 12 . 1 ArchSpecific,   ptx 8 . 8, BLACKWELL;
    Sm121f "sm_121f" 12 . 1 FamilySpecific, ptx 8 . 8, BLACKWELL;
}

impl Arch {
    /// The lowest target that PTX is made for: Turing.
    pub const FLOOR: Arch = Arch::Sm75;
    /// The lowest target with clusters of blocks: Hopper.
    pub const WITH_CLUSTERS: Arch = Arch::Sm90;

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The name as `.target` and `ptxas -arch` spell it: `sm_90a`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The number alone, without the letter: 90.
    pub fn number(self) -> u32 {
        self.row().major * 10 + self.row().minor
    }

    /// Compute capability as (major, minor).
    pub fn compute_capability(self) -> (u32, u32) {
        (self.row().major, self.row().minor)
    }

    /// Portability that its letter promises.
    pub fn suffix(self) -> Suffix {
        self.row().suffix
    }

    /// Resources of an SM of this architecture.
    pub fn limits(self) -> &'static Limits {
        self.row().limits
    }

    /// The lowest PTX `.version` that knows this target.
    pub fn min_ptx(self) -> PtxVersion {
        self.row().min_ptx
    }

    /// The target without a letter for a device's compute capability, if the table has it.
    pub fn from_compute_capability(major: u32, minor: u32) -> Option<Arch> {
        Arch::plain().find(|arch| arch.compute_capability() == (major, minor))
    }

    /// The newest target without a letter whose PTX a device of this compute capability runs: itself if the table
    /// has it, else the nearest below. `None` for chips older than the table.
    pub fn nearest(major: u32, minor: u32) -> Option<Arch> {
        Arch::plain().filter(|arch| arch.compute_capability() <= (major, minor)).last()
    }

    fn plain() -> impl Iterator<Item = Arch> {
        Arch::ALL.iter().copied().filter(|arch| arch.suffix() == Suffix::None)
    }

    /// Returns true if the chip of this architecture runs PTX whose `.target` is `ptx_target`: any older plain target, a
    /// family target of its own family that is not newer, or an `a` target of the very same chip. The chip is what
    /// counts: a device found as `sm_90` runs `sm_90a`.
    pub fn can_run(self, ptx_target: Arch) -> bool {
        ptx_target.runs_on(self.compute_capability())
    }

    /// Returns true if a device of this compute capability runs PTX with this `.target`: see [`can_run`](Arch::can_run). Devices
    /// absent from the table run older targets.
    pub fn runs_on(self, chip: (u32, u32)) -> bool {
        let code = self.compute_capability();
        match self.suffix() {
            Suffix::None => chip >= code,
            Suffix::ArchSpecific => chip == code,
            Suffix::FamilySpecific => chip.0 == code.0 && chip.1 >= code.1,
        }
    }

    /// Returns true if PTX with this `.target` may use features introduced for the target `needed`. Unlike
    /// [`can_run`](Arch::can_run) the letter counts: `sm_90` may not use what needs `sm_90a`.
    pub fn provides(self, needed: Arch) -> bool {
        self.can_run(needed)
            && match needed.suffix() {
                Suffix::None => true,
                Suffix::ArchSpecific => self.suffix() == Suffix::ArchSpecific,
                Suffix::FamilySpecific => self.suffix() != Suffix::None,
            }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text is not the name of a target known here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown architecture `{found}`: expected one of {}", known_names())]
pub struct UnknownArch {
    /// The name given.
    pub found: String,
}

fn known_names() -> String {
    ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for Arch {
    type Err = UnknownArch;

    fn from_str(text: &str) -> Result<Arch, UnknownArch> {
        let found = Arch::ALL.iter().copied().find(|arch| arch.name() == text);
        found.ok_or_else(|| UnknownArch { found: text.to_owned() })
    }
}

/// A version of the PTX language, as in `.version 8.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxVersion {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot.
    pub minor: u32,
}

impl PtxVersion {
    /// `PtxVersion::new(8, 0)` is `.version 8.0`.
    pub const fn new(major: u32, minor: u32) -> PtxVersion {
        PtxVersion { major, minor }
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The text is not of the form `major.minor`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed PTX version `{found}`: expected two numbers with a dot between, such as 8.0")]
pub struct MalformedPtxVersion {
    /// The text given.
    pub found: String,
}

impl FromStr for PtxVersion {
    type Err = MalformedPtxVersion;

    fn from_str(text: &str) -> Result<PtxVersion, MalformedPtxVersion> {
        let malformed = || MalformedPtxVersion { found: text.to_owned() };
        let (major, minor) = text.split_once('.').ok_or_else(malformed)?;
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| malformed());
        Ok(PtxVersion::new(number(major)?, number(minor)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_rows_agree_with_their_names() {
        for &arch in Arch::ALL {
            let (major, minor) = arch.compute_capability();
            assert_eq!(arch.name(), format!("sm_{major}{minor}{}", arch.suffix().letter()));
            assert_eq!(arch.to_string().parse(), Ok(arch));
            assert_eq!(arch.limits().shared_carveouts.last(), Some(&arch.limits().shared_per_sm));
        }
        assert!(Arch::ALL.is_sorted());
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        expect![[r#"
            unknown architecture `sm_91`: expected one of sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_103f, sm_110, sm_110a, sm_110f, sm_120, sm_120a, sm_120f, sm_121, sm_121a, sm_121f"#]]
            .assert_eq(&"sm_91".parse::<Arch>().unwrap_err().to_string());
    }

    #[test]
    fn forward_compatibility() {
        assert!(Arch::Sm90.can_run(Arch::Sm75));
        assert!(!Arch::Sm75.can_run(Arch::Sm80));
        assert!(Arch::Sm90.can_run(Arch::Sm90a));
        assert!(!Arch::Sm100.can_run(Arch::Sm90a));
        assert!(Arch::Sm103.can_run(Arch::Sm100f));
        assert!(!Arch::Sm110.can_run(Arch::Sm100f));
        assert!(!Arch::Sm100.can_run(Arch::Sm103f));
    }

    #[test]
    fn features_of_a_letter_need_the_letter() {
        assert!(Arch::Sm90a.provides(Arch::Sm90));
        assert!(!Arch::Sm90.provides(Arch::Sm90a));
        assert!(Arch::Sm103a.provides(Arch::Sm100f));
        assert!(!Arch::Sm103.provides(Arch::Sm100f));
    }

    #[test]
    fn devices_newer_than_the_table_run_the_newest_target_below() {
        assert_eq!(Arch::from_compute_capability(9, 0), Some(Arch::Sm90));
        assert_eq!(Arch::from_compute_capability(8, 8), None);
        assert_eq!(Arch::nearest(8, 8), Some(Arch::Sm87));
        assert_eq!(Arch::nearest(13, 0), Some(Arch::Sm121));
        assert_eq!(Arch::nearest(7, 0), None);
    }

    #[test]
    fn ptx_versions_order_by_number() {
        assert_eq!("8.0".parse(), Ok(PtxVersion::new(8, 0)));
        assert!(PtxVersion::new(7, 8) < PtxVersion::new(8, 0));
        expect![[r#"
            malformed PTX version `8`: expected two numbers with a dot between, such as 8.0"#]]
        .assert_eq(&"8".parse::<PtxVersion>().unwrap_err().to_string());
    }
}
