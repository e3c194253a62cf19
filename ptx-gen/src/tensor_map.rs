//! Removal of [tensor maps](kernel_abi::tensor_map) that a kernel takes and does not read.

use crate::ir::{EntityMap, Function, InstData};

/// Removes the maps that no instruction reads. They are the last parameters.
pub fn remove_unused(func: &mut Function) {
    if func.params.values().all(|data| data.map_of.is_none()) {
        return;
    }
    let mut used = EntityMap::filled(func.params.len(), false);
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        if let InstData::Param { param } = func.insts[inst] {
            used[param] = true;
        }
    }
    let kept = func.params.iter().filter(|(param, data)| used[*param] || data.map_of.is_none());
    func.keep_params(kept.map(|(param, _)| param).collect());
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::ir::parse_function;

    #[test]
    fn maps_that_are_not_read_are_removed() {
        let text = "kernel k(param0 a: i64 ptr align 2, param1 b: i64 ptr align 2, param2 a_map: i64 ptr align 64 map_of param0 of 2, \
                    param3 b_map: i64 ptr align 64 map_of param1 of 2, param4 n: i64) {
            block0:
                v0: i64 = param3
                v1: i64 = param4
                store.global v0, v1
                return
            }";
        let mut func = parse_function(text).expect("is one");
        remove_unused(&mut func);
        expect![[r#"
            kernel k(param0 a: i64 ptr align 2, param1 b: i64 ptr align 2, param2 b_map: i64 ptr align 64 map_of param1 of 2, param3 n: i64) {
            block0:
                v0: i64 = param2
                v1: i64 = param3
                store.global v0, v1
                return
            }
        "#]].assert_eq(&func.to_string());
    }
}
