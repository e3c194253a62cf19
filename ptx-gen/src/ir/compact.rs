//! Renumbering of what is left of a function.

use super::{Block, BlockData, Entity, EntityMap, Function, Inst, Value, ValueDef};

/// Fewest dead instructions that are worth a new numbering.
const FEWEST_DEAD: usize = 1024;

/// The new number of each entity that stays.
type Renumbering<K> = EntityMap<K, Option<K>>;

impl Function {
    /// Forgets blocks, instructions and values that are in no block of the layout if they are more than those that are, and numbers the others anew,
    /// in the same order.
    ///
    /// Analyses keep tables of all entities; unrolling and inlining leave many times as many dead ones as live.
    pub fn compact(&mut self) {
        let live: usize = self.layout.iter().map(|&block| self.blocks[block].insts.len()).sum();
        let dead = self.insts.len() - live;
        if dead < FEWEST_DEAD || dead < live {
            return;
        }
        let mut keeps_block = EntityMap::filled(self.blocks.len(), false);
        let mut keeps_inst = EntityMap::filled(self.insts.len(), false);
        for &block in &self.layout {
            keeps_block[block] = true;
            self.blocks[block].insts.iter().for_each(|&inst| keeps_inst[inst] = true);
        }
        let blocks: Renumbering<Block> = renumber(keeps_block.keys(), |block| keeps_block[block]);
        let insts: Renumbering<Inst> = renumber(keeps_inst.keys(), |inst| keeps_inst[inst]);
        let stays = |value: Value| match self.values[value].def {
            ValueDef::Result(inst) => keeps_inst[inst] && self.results[inst] == Some(value),
            ValueDef::Param(block) => keeps_block[block] && self.blocks[block].params.contains(&value),
        };
        let values: Renumbering<Value> = renumber(self.values.keys(), stays);
        let value_of = |value: Value| values[value].expect("the verifier wants uses of live values only");
        let block_of = |block: Block| blocks[block].expect("the layout has all blocks that are gone to");

        keep(&mut self.values, &values);
        for value in self.values.keys() {
            let def = &mut self.values[value].def;
            *def = match *def {
                ValueDef::Result(inst) => ValueDef::Result(insts[inst].expect("it stays")),
                ValueDef::Param(block) => ValueDef::Param(block_of(block)),
            };
        }
        keep(&mut self.insts, &insts);
        for inst in self.insts.keys() {
            self.insts[inst].map_args(value_of);
            self.insts[inst].successors_mut().for_each(|call| call.block = block_of(call.block));
        }
        keep(&mut self.locations, &insts);
        keep(&mut self.results, &insts);
        for inst in self.results.keys() {
            self.results[inst] = self.results[inst].map(value_of);
        }
        keep(&mut self.blocks, &blocks);
        for block in self.blocks.keys() {
            let BlockData { params, insts: of_block, .. } = &mut self.blocks[block];
            params.iter_mut().for_each(|param| *param = value_of(*param));
            of_block.iter_mut().for_each(|inst| *inst = insts[*inst].expect("it stays"));
        }
        self.layout.iter_mut().for_each(|block| *block = block_of(*block));
    }
}

fn renumber<K: Entity>(keys: impl Iterator<Item = K>, stays: impl Fn(K) -> bool) -> Renumbering<K> {
    let mut count = 0;
    let mut all = EntityMap::new();
    for key in keys {
        all.push(stays(key).then(|| K::from_index(count)));
        count += usize::from(stays(key));
    }
    all
}

/// Keeps the data of what has a new number.
fn keep<K: Entity, V>(map: &mut EntityMap<K, V>, numbers: &Renumbering<K>) {
    let all = std::mem::take(map);
    for (value, number) in all.into_values().zip(numbers.values()) {
        if number.is_some() {
            map.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{Function, parse_function};

    /// A function whose block in the middle has so many instructions.
    fn function(dead: usize) -> Function {
        let many: String = (0..dead).map(|at| format!("v{}: i32 = add v2, v0\n", 100 + at)).collect();
        let text = format!(
            "kernel k(param0 n: i32, param1 x: i64 ptr align 4) {{
            block0:
                v0: i32 = param0
                v1: bool = icmp ult v0, v0
                branch v1, block2, block3(v0)
            block1(v2: i32):
                {many}
                jump block2
            block3(v3: i32):
                v4: i32 = add v3, v0
                v5: i64 = param1
                store.global v5, v4
                jump block2
            block2:
                return
            }}"
        );
        parse_function(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn only_what_is_dead_goes() {
        let mut func = function(super::FEWEST_DEAD);
        // No path leads there.
        func.layout.remove(1);
        func.compact();
        crate::verify::verify_function(&func).expect("is valid");
        assert_eq!((func.blocks.len(), func.insts.len(), func.values.len()), (3, 8, 5));
        expect_test::expect![[r#"
            kernel k(param0 n: i32, param1 x: i64 ptr align 4) {
            block0:
                v0: i32 = param0
                v1: bool = icmp ult v0, v0
                branch v1, block1, block2(v0)
            block2(v2: i32):
                v3: i32 = add v2, v0
                v4: i64 = param1
                store.global v4, v3
                jump block1
            block1:
                return
            }
        "#]]
        .assert_eq(&func.to_string());
    }

    #[test]
    fn a_few_dead_instructions_stay() {
        let mut func = function(20);
        func.layout.remove(1);
        let count = func.insts.len();
        func.compact();
        assert_eq!(func.insts.len(), count);
    }
}
