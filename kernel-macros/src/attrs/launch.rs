//! `launch_bounds`, `block`, `cluster`, `cooperative`, `maxnreg`: what launches a kernel is made for, and whether that can be.

use ptx::occupancy::{LaunchBoundsError, check_launch_bounds, registers_left};
use ptx::target::{
    Arch, MAX_BLOCK_DIM, MAX_CLUSTER_BLOCKS, MAX_NONPORTABLE_CLUSTER_BLOCKS, MAX_THREADS_PER_BLOCK,
    REGISTERS_PER_THREAD,
};

use super::number::{Quantity, evaluate};
use super::{Attribute, Checker};
use crate::diagnostics::Loc;

const THREADS: Quantity =
    Quantity { what: "the number of threads per block", unit: "thread", per: "per block" };
const BLOCKS: Quantity = Quantity { what: "the number of blocks per SM", unit: "block", per: "per SM" };
const CLUSTER: Quantity =
    Quantity { what: "the number of blocks per cluster", unit: "block", per: "per cluster" };
const REGISTERS: Quantity =
    Quantity { what: "the number of registers per thread", unit: "register", per: "per thread" };
const BLOCK_AXES: [Quantity; 3] = [
    Quantity { what: "the block's size along x", unit: "thread", per: "along x" },
    Quantity { what: "the block's size along y", unit: "thread", per: "along y" },
    Quantity { what: "the block's size along z", unit: "thread", per: "along z" },
];
const CLUSTER_AXES: [Quantity; 3] = [
    Quantity { what: "the cluster's size along x", unit: "block", per: "along x" },
    Quantity { what: "the cluster's size along y", unit: "block", per: "along y" },
    Quantity { what: "the cluster's size along z", unit: "block", per: "along z" },
];

/// Attributes that bound launches. They may name constant generic parameters: see [`KernelAttrs::close`](super::KernelAttrs::close).
pub(super) const BOUNDS: &[&str] =
    &["launch_bounds", "block", "cluster", "nonportable_cluster", "cooperative", "maxnreg"];

/// Attributes that `cooperative` excludes, each with the reason and a help.
const BESIDE_COOPERATIVE: &[(&str, &str)] = &[
    (
        "cluster",
        "blocks wait for the whole grid\nhelp: leave it out: `grid_barrier()` waits for the blocks of a cluster as well",
    ),
    (
        "coarsen",
        "it changes how many blocks there are, and cannot move elements over a barrier\nhelp: leave it out, and let each thread \
         go over its elements in a loop of stride `global_size().x`",
    ),
];

impl Checker<'_> {
    pub(super) fn launch_bounds(&mut self, attribute: &Attribute) {
        if !self.count(attribute, 1, 3) {
            return;
        }
        let args = &attribute.args;
        self.attrs.bounds.max_threads = self.bound(&args[0], &THREADS, 1, MAX_THREADS_PER_BLOCK);
        if let Some(expr) = args.get(1) {
            self.attrs.bounds.min_blocks = match evaluate(expr, self.values).map(u32::try_from) {
                // Too many for any SM, whatever the number is: said when the architectures are known.
                Ok(Ok(blocks)) => Some(blocks),
                Ok(Err(_)) | Err(_) => self.bound(expr, &BLOCKS, 1, 32),
            };
        }
        if let Some(expr) = args.get(2) {
            self.attrs.bounds.max_cluster = self.bound(expr, &CLUSTER, 1, MAX_NONPORTABLE_CLUSTER_BLOCKS);
        }
    }

    pub(super) fn block(&mut self, attribute: &Attribute) {
        let Some(shape) = self.shape(attribute, &BLOCK_AXES, MAX_BLOCK_DIM) else { return };
        let threads: u32 = shape.iter().product();
        if threads > MAX_THREADS_PER_BLOCK {
            let message = format!(
                "expected at most {MAX_THREADS_PER_BLOCK} threads per block, found {} = {threads}\nhelp: make the block \
                 smaller",
                product(shape)
            );
            return self.diagnostics.error(attribute.loc, message);
        }
        self.attrs.bounds.block = Some(shape);
    }

    pub(super) fn cluster(&mut self, attribute: &Attribute) {
        let Some(shape) = self.shape(attribute, &CLUSTER_AXES, [MAX_NONPORTABLE_CLUSTER_BLOCKS; 3]) else {
            return;
        };
        self.attrs.bounds.cluster = Some(shape);
    }

    pub(super) fn nonportable_cluster(&mut self, attribute: &Attribute) {
        self.attrs.bounds.nonportable_cluster = self.count(attribute, 0, 0);
    }

    /// Reports clusters of more blocks than devices hold: every one, or those that the kernel opts in to.
    fn check_clusters(&mut self, attributes: &[Attribute]) {
        let bounds = self.attrs.bounds;
        let most = match bounds.nonportable_cluster {
            true => MAX_NONPORTABLE_CLUSTER_BLOCKS,
            false => MAX_CLUSTER_BLOCKS,
        };
        let sizes = [
            (
                "cluster",
                bounds.cluster.map(|shape| (shape.iter().product(), format!("{} = ", product(shape)))),
            ),
            ("launch_bounds", bounds.max_cluster.map(|blocks| (blocks, String::new()))),
        ];
        for (name, size) in sizes {
            let written = attributes.iter().find(|attribute| attribute.name == name);
            let (Some(written), Some((blocks, shape))) = (written, size) else { continue };
            if blocks > most {
                let (who, help) = match blocks {
                    ..=MAX_NONPORTABLE_CLUSTER_BLOCKS => (
                        ", as many as every device with clusters holds",
                        format!(
                            "make the cluster smaller, or opt in to up to {MAX_NONPORTABLE_CLUSTER_BLOCKS}, which some devices hold: add \
                             `nonportable_cluster`"
                        ),
                    ),
                    _ => ("", "make the cluster smaller".to_owned()),
                };
                let message = format!(
                    "expected at most {most} blocks per cluster{who}, found {shape}{blocks}\nhelp: {help}"
                );
                let loc =
                    written.args.get(2).filter(|_| name == "launch_bounds").map_or(written.loc, Loc::of);
                self.diagnostics.error(loc, message);
            }
        }
        let opted = attributes.iter().find(|attribute| attribute.name == "nonportable_cluster");
        if let (Some(opted), None, None) = (opted, bounds.cluster, bounds.max_cluster) {
            let message = "expected a kernel with clusters beside `nonportable_cluster`, found none\nhelp: write `cluster(16)` or \
                           `launch_bounds(256, 1, 16)`, too, or leave it out";
            self.diagnostics.error(opted.loc, message);
        }
    }

    pub(super) fn cooperative(&mut self, attribute: &Attribute) {
        self.attrs.bounds.cooperative = self.count(attribute, 0, 0);
    }

    /// One to three sizes; those left out are 1.
    fn shape(&mut self, attribute: &Attribute, axes: &[Quantity; 3], most: [u32; 3]) -> Option<[u32; 3]> {
        if !self.count(attribute, 1, 3) {
            return None;
        }
        let mut shape = [1; 3];
        let mut valid = true;
        for (axis, expr) in attribute.args.iter().enumerate() {
            match self.bound(expr, &axes[axis], 1, most[axis]) {
                Some(size) => shape[axis] = size,
                None => valid = false,
            }
        }
        valid.then_some(shape)
    }

    pub(super) fn max_registers(&mut self, attribute: &Attribute) {
        if self.count(attribute, 1, 1) {
            let (least, most) = REGISTERS_PER_THREAD;
            self.attrs.bounds.max_registers = self.bound(&attribute.args[0], &REGISTERS, least, most);
        }
    }

    /// Reports contradictions between the launch attributes, once all are read.
    pub(super) fn check_launch(&mut self, attributes: &[Attribute]) {
        let bounds = self.attrs.bounds;
        let find = |name: &str| attributes.iter().find(|attribute| attribute.name == name);
        for (name, why) in BESIDE_COOPERATIVE {
            if let (Some(other), true) = (find(name), bounds.cooperative) {
                let message = format!("expected no `{name}` beside `cooperative`: {why}");
                self.diagnostics.error(other.loc, message);
            }
        }
        let threads = bounds.block.map(|shape| shape.iter().product::<u32>());
        if let (Some(block), Some(threads), Some(max)) = (find("block"), threads, bounds.max_threads)
            && threads > max
        {
            let message = format!(
                "expected at most {max} threads per block, as `launch_bounds({max})` says, found `block` with \
                 {threads}\nhelp: make the block smaller or write `launch_bounds({threads})`"
            );
            return self.diagnostics.error(block.loc, message);
        }
        if let (Some(written), Some(max), Some(blocks)) =
            (find("launch_bounds"), bounds.max_threads, bounds.min_blocks)
        {
            match check_launch_bounds(threads.unwrap_or(max), blocks, &self.attrs.arch_names()) {
                Ok(()) => {}
                Err(
                    error @ (LaunchBoundsError::NoBlocks
                    | LaunchBoundsError::NoThreads
                    | LaunchBoundsError::TooManyThreads { .. }
                    | LaunchBoundsError::BeyondSm { .. }),
                ) => {
                    self.attrs.bounds.min_blocks = None;
                    return self.diagnostics.error(Loc::of(&written.args[1]), error.to_string());
                }
            }
        }
        if let (Some(cluster), Some(shape), Some(max)) = (find("cluster"), bounds.cluster, bounds.max_cluster)
        {
            // `ptxas`: "Conflicting directives: .reqnctapercluster and .maxclusterrank cannot both be specified".
            let message = format!(
                "expected either `cluster` or a largest cluster in `launch_bounds`, found both: {} blocks and at most \
                 {max}\nhelp: leave the third argument of `launch_bounds` out: `cluster` fixes the size",
                product(shape)
            );
            self.diagnostics.error(cluster.loc, message);
        }
        self.check_clusters(attributes);
        self.check_registers(attributes);
    }

    /// `maxnreg` against the register file: what it allows, a launch has to be able to give.
    fn check_registers(&mut self, attributes: &[Attribute]) {
        let bounds = self.attrs.bounds;
        let written = attributes.iter().find(|attribute| attribute.name == "maxnreg");
        let block = bounds.block.map(|shape| shape.iter().product::<u32>());
        let (Some(written), Some(registers), Some(threads)) =
            (written, bounds.max_registers, block.or(bounds.max_threads))
        else {
            return;
        };
        let blocks = bounds.min_blocks.unwrap_or(1);
        let left = |arch: &Arch| registers_left(arch.limits(), threads, blocks);
        // With none named one architecture that can is enough.
        let left = match &self.attrs.arch_names()[..] {
            [] => Arch::ALL.iter().map(left).max(),
            named => named.iter().map(left).min(),
        };
        let left = left.unwrap_or(registers);
        if registers <= left {
            return;
        }
        let held = match blocks {
            1 => format!("a block of {threads} threads has"),
            _ => format!("each of {blocks} blocks of {threads} threads on an SM has"),
        };
        let message = format!(
            "expected at most {left} registers per thread, as many as {held} in the register file, found {registers}\nhelp: \
             write `maxnreg({left})`, or bound smaller blocks"
        );
        self.diagnostics.error(Loc::of(&written.args[0]), message);
    }
}

/// `2 × 2 × 1`
fn product(shape: [u32; 3]) -> String {
    shape.map(|size| size.to_string()).join(" × ")
}
