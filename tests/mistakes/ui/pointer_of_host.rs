use kernel_runtime::prelude::*;

/// # Safety
/// There are `n` elements.
#[kernel]
unsafe fn clear(x: *mut f32, n: usize) {
    let i = global_idx().x;
    if i < n {
        unsafe { x.add(i).write(0.0) };
    }
}

fn main() -> Result<()> {
    let gpu = Gpu::new()?;
    let mut x = [1.0f32; 4];
    unsafe { clear(x.as_mut_ptr(), 4) }.over(4).on(&gpu).run()?;
    Ok(())
}
