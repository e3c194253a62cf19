//! Blocks that run together because they can wait for each other: those of a cluster, or a whole cooperative grid.
//!
//! They take turns on one core: each of their warps runs until it waits or its slice is used. A block that meets no
//! other is alone here.

use std::collections::HashSet;

use super::block::{Block, Round};
use super::exec::peers::{Peer, Peers};
use super::fault::Fault;
use super::interrupt;
use super::launch::Launch;
use super::profile::Profile;
use super::sanitize::{BlockChecks, Elsewhere};
use super::still::{Endless, Loops, Stillness};
use super::turnstile::Entry;
use super::warp::State;

/// The blocks of one piece of a grid, kept from one piece to the next.
pub(crate) struct Together<'a> {
    launch: &'a Launch<'a>,
    blocks: Vec<Block<'a>>,
    /// Blocks of a cluster, which stand side by side.
    cluster: usize,
}

impl<'a> Together<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>, blocks: usize, cluster: usize) -> Together<'a> {
        Together { launch, blocks: (0..blocks).map(|_| Block::new(launch)).collect(), cluster }
    }

    /// Puts every thread at the first instruction: blocks by their indices and linear indices.
    pub(crate) fn start(&mut self, indices: impl Iterator<Item = ([u32; 3], u64)>) {
        for (block, (index, linear)) in self.blocks.iter_mut().zip(indices) {
            block.start(index, linear);
        }
    }

    /// Takes the output of each block, in their order.
    pub(crate) fn take_output(&mut self) -> impl Iterator<Item = Vec<u8>> {
        self.blocks.iter_mut().map(|block| std::mem::take(&mut block.output))
    }

    /// The counts of all blocks.
    pub(crate) fn into_profile(self) -> Option<Profile> {
        self.blocks.into_iter().map(Block::finish).reduce(Profile::merge)
    }

    /// Runs them until all threads have exited. An error comes with the place of the block in the piece.
    pub(crate) fn run(&mut self, entry: &Entry<'_>) -> Result<(), (usize, Fault)> {
        let mut loops = Loops::default();
        let result = self.run_all(entry, &mut loops);
        loops.end(entry);
        match result {
            // Consequences of an illegal access, such as a barrier that waits for a thread that ended, are not reported.
            Err(_) if self.blocks.iter().any(Block::has_failed) => Ok(()),
            result => result,
        }
    }

    fn run_all(&mut self, entry: &Entry<'_>, loops: &mut Loops) -> Result<(), (usize, Fault)> {
        let mut stillness = Stillness::default();
        loop {
            self.launch.cancelled().map_err(|fault| (0, fault))?;
            if interrupt::is_requested()
                && let Some(at) = self
                    .blocks
                    .iter()
                    .enumerate()
                    .find_map(|(index, block)| Some((index, block.interrupted()?)))
            {
                return Err(at);
            }
            let (mut progress, mut in_vain, mut done) = (false, false, true);
            for index in 0..self.blocks.len() {
                match self.round(index, entry).map_err(|fault| (index, fault))? {
                    Round::Done => {}
                    Round::Progress => (progress, done) = (true, false),
                    Round::InVain => (in_vain, done) = (true, false),
                    Round::Stuck => done = false,
                }
            }
            if done {
                return Ok(());
            }
            for cluster in self.blocks.chunks_mut(self.cluster) {
                progress |= meet(cluster);
            }
            match (progress, in_vain) {
                (true, _) => {
                    stillness.end();
                    let patience = self.launch.limits.patience;
                    if let Some(why) = loops.look(&mut self.blocks, entry, patience) {
                        return Err(self.endless(why));
                    }
                }
                (false, true) if !stillness.is_forever(&mut self.blocks) => {}
                (false, _) => return Err(self.deadlock()),
            }
        }
    }

    /// Nobody can go on: says who waits for what in the first block in which somebody waits for a barrier in memory, or in the
    /// first that has not ended.
    fn deadlock(&self) -> (usize, Fault) {
        let (alive, polling) = (|block: &Block<'_>| block.is_alive(), |block: &Block<'_>| block.is_polling());
        let stuck = self.blocks.iter().position(polling).or_else(|| self.blocks.iter().position(alive));
        let stuck = stuck.unwrap_or(0);
        (stuck, self.blocks[stuck].explain())
    }

    /// Somebody loops for ever: says who, in the first block where that is so.
    fn endless(&self, why: Endless) -> (usize, Fault) {
        let index = self.blocks.iter().position(Block::is_looping).unwrap_or(0);
        (index, self.blocks[index].explain_loop(why))
    }

    /// Each warp of a block has its turn.
    fn round(&mut self, index: usize, entry: &Entry<'_>) -> Result<Round, Fault> {
        if self.cluster == 1 {
            return self.blocks[index].round(entry, &mut Peers::default());
        }
        let first = index / self.cluster * self.cluster;
        let cluster = &mut self.blocks[first..first + self.cluster];
        let rank = index - first;
        // The memories of the others are lent for as long as this one runs.
        let lent = cluster.iter_mut().enumerate().map(|(place, block)| {
            let ended = !block.is_alive();
            (place != rank).then(|| Peer { memory: std::mem::take(&mut block.shared), ended })
        });
        let mut peers = Peers { rank, blocks: lent.collect(), written: Vec::new() };
        let result = cluster[rank].round(entry, &mut peers);
        let Peers { blocks, written, .. } = peers;
        for (block, peer) in cluster.iter_mut().zip(blocks) {
            if let Some(peer) = peer {
                block.shared = peer.memory;
            }
        }
        note_accesses(cluster, rank, &written);
        result
    }
}

/// Lets the threads of a cluster go on that wait for all others, if all have arrived.
fn meet(cluster: &mut [Block<'_>]) -> bool {
    let warps = || cluster.iter().flat_map(Block::warps);
    let complete =
        warps().all(|warp| warp.live & !warp.arrived == 0) && warps().any(|warp| warp.arrived != 0);
    if !complete {
        return false;
    }
    for block in &mut *cluster {
        block.release_to_cluster();
        for warp in block.warps_mut() {
            warp.passed |= std::mem::take(&mut warp.arrived);
            for index in 0..warp.groups.len() {
                if warp.groups[index].state == State::Cluster {
                    warp.passed &= !warp.groups[index].lanes;
                    warp.release(index);
                }
            }
        }
    }
    cluster.iter_mut().for_each(Block::acquire_from_cluster);
    true
}

/// Tells the sanitizer what a block has done in the shared memory of the others of its cluster: what it wrote there, by rank, start and bytes.
fn note_accesses(cluster: &mut [Block<'_>], rank: usize, written: &[(usize, u64, u64)]) {
    let accesses = cluster[rank].checks().map(BlockChecks::take_elsewhere).unwrap_or_default();
    let by_access: HashSet<_> = accesses.iter().filter_map(Elsewhere::written).collect();
    for access in &accesses {
        let met = cluster[access.rank].checks().map(|owner| owner.met_by(access)).unwrap_or_default();
        if let Some(checks) = cluster[rank].checks() {
            met.into_iter().for_each(|earlier| checks.compare_elsewhere(access, earlier));
        }
        if let Some(owner) = cluster[access.rank].checks() {
            owner.note_of_another(access);
        }
    }
    for &(of, start, bytes) in written {
        if let Some(owner) = cluster[of].checks() {
            owner.written_by_another(start, bytes, by_access.contains(&(of, start, bytes)));
        }
    }
}
