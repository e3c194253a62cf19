//! Questions to the driver: what a device is, what a function needs.

use std::ffi::{CStr, c_char, c_int};

use ptx::target::{Arch, Limits, MAX_BARRIERS_PER_BLOCK};

use super::context::Current;
use super::driver::Driver;
use super::sys::*;
use crate::attributes::DeviceAttributes;
use crate::error::CudaError;
use crate::kernel::FunctionAttributes;

/// Asks the driver for the attributes of a device.
pub(super) fn device_attributes(
    driver: &Driver,
    device: CUdevice,
    ordinal: u32,
) -> Result<DeviceAttributes, CudaError> {
    let ask = |attribute: CUdevice_attribute| {
        let mut value: c_int = 0;
        // SAFETY: the pointer is valid for the call, and the device is one that the driver gave.
        unsafe { driver.cuDeviceGetAttribute(&mut value, attribute, device) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let name = device_name(driver, device)?;
    let capability = (
        ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    let arch = Arch::nearest(capability.0, capability.1).ok_or_else(|| CudaError::DeviceTooOld {
        name: name.clone(),
        found: capability,
        expected: Arch::FLOOR.compute_capability(),
    })?;
    let mut memory = 0usize;
    // SAFETY: the pointer is valid for the call, and the device is one that the driver gave.
    unsafe { driver.cuDeviceTotalMem_v2(&mut memory, device) }?;
    // The architecture's own limits, corrected by the device's attributes; the driver has none for the allocation of registers
    // and shared memory.
    let limits = Limits {
        threads_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        shared_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        shared_per_block_optin: ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_reserved_per_block: ask(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        registers_per_sm: ask(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        registers_per_block: ask(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        ..*arch.limits()
    };
    let memory_khz = f64::from(ask(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?);
    let bus_bytes = f64::from(ask(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?) / 8.0;
    // Two transfers per clock.
    let bandwidth = 2.0 * 1000.0 * memory_khz * bus_bytes;
    Ok(DeviceAttributes {
        name: format!("{name} (CUDA device {ordinal})"),
        arch,
        compute_capability: capability,
        sms: ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        limits,
        max_threads_per_block: ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_block: [
            ask(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            ask(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            ask(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        max_grid: [
            ask(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            ask(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            ask(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        memory_bytes: memory as u64,
        l2_bytes: ask(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        persisting_l2_bytes: Some(ask(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)?.into()),
        l2_window_bytes: Some(ask(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)?.into()),
        clock_khz: ask(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        memory_bandwidth: (bandwidth > 0.0).then_some(bandwidth),
        driver_version: Some(driver.version()?),
        fallback: None,
    })
}

fn device_name(driver: &Driver, device: CUdevice) -> Result<String, CudaError> {
    let mut name: [c_char; 256] = [0; 256];
    // SAFETY: the driver writes at most so many characters, the last of them NUL.
    unsafe { driver.cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device) }?;
    // SAFETY: a string that ends within the array, which was zeroed.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    Ok(name.to_string_lossy().into_owned())
}

/// Asks the driver for the attributes of a loaded function. It does not know the number of barriers, which comes from the PTX.
pub(super) fn function_attributes(
    current: &Current,
    function: CUfunction,
    ptx: &str,
) -> Result<FunctionAttributes, CudaError> {
    let ask = |attribute: CUfunction_attribute| {
        let mut value: c_int = 0;
        // SAFETY: the pointer is valid for the call, and the function's module is loaded.
        unsafe { current.driver().cuFuncGetAttribute(&mut value, attribute, function) }?;
        Ok::<u32, CudaError>(u32::try_from(value).unwrap_or(0))
    };
    // Both versions are encoded as 10 × major + minor of a compute capability.
    let capability = |number: u32| (number / 10, number % 10);
    let registers = ask(CU_FUNC_ATTRIBUTE_NUM_REGS)?;
    Ok(FunctionAttributes {
        registers,
        registers_estimated: false,
        wanted_registers: registers,
        estimated_max_threads: None,
        local_bytes: ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        static_shared: ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
        const_bytes: ask(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
        max_threads: ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        barriers: barriers(ptx),
        ptx_target: capability(ask(CU_FUNC_ATTRIBUTE_PTX_VERSION)?),
        binary_version: Some(capability(ask(CU_FUNC_ATTRIBUTE_BINARY_VERSION)?)),
    })
}

/// The number of named barriers that the text uses, as `ptxas` counts: one more than the highest number, or all of them if a
/// register holds the number.
fn barriers(ptx: &str) -> u32 {
    let instructions = ptx.split([';', '{', '}', '\n']).map(str::trim);
    let barriers = instructions.filter_map(|text| {
        // After a guard: `@%p1 bar.sync 0, 64`.
        let text =
            if text.starts_with('@') { text.split_once(char::is_whitespace)?.1.trim_start() } else { text };
        let (opcode, operands) = text.split_once(char::is_whitespace)?;
        // `barrier.cluster` uses none of them.
        let named = opcode.starts_with("bar.") && !opcode.starts_with("bar.warp")
            || opcode.starts_with("barrier.") && !opcode.starts_with("barrier.cluster");
        // `bar.red` puts its destination first.
        let position = usize::from(opcode.contains(".red."));
        named.then(|| operands.split(',').nth(position).unwrap_or_default().trim())
    });
    let used = barriers.map(|number| number.parse().map_or(MAX_BARRIERS_PER_BLOCK, |number: u32| number + 1));
    used.max().unwrap_or(0).min(MAX_BARRIERS_PER_BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_are_counted_by_number() {
        let check = |text: &str, expected: u32| assert_eq!(barriers(text), expected, "{text}");
        check("add.s32 %r1, %r2, 3;", 0);
        check("bar.sync 0;", 1);
        check("bar.warp.sync 0xffffffff; barrier.cluster.arrive.aligned ;", 0);
        check("  @%p1 bar.sync \t2, 64;\n ret;", 3);
        check("{ barrier.sync.aligned 4; bar.red.popc.u32 %r1, 1, %p2; }", 5);
        check("bar.sync %r1;", 16);
    }
}
