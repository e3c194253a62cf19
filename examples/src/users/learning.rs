//! llm.c, Triton's tutorials and PyTorch's operators: what a training step is made of.

use kernel_runtime::prelude::*;

/// GELU by the hyperbolic tangent.
#[kernel]
pub fn gelu_forward(n: usize, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < n {
        let xi = x[i];
        let cube = 0.044715 * xi * xi * xi;
        out[i] = 0.5 * xi * (1.0 + (0.797_884_6 * (xi + cube)).tanh());
    }
}

/// A step of AdamW.
#[kernel]
pub fn adamw(
    n: usize,
    rate: f32,
    beta1: f32,
    beta2: f32,
    correction1: f32,
    correction2: f32,
    decay: f32,
    gradients: &[f32],
    moments: &mut [f32],
    parameters: &mut [f32],
) {
    let i = global_idx().x;
    if i < n {
        let gradient = gradients[i];
        let m = beta1 * moments[2 * i] + (1.0 - beta1) * gradient;
        let v = beta2 * moments[2 * i + 1] + (1.0 - beta2) * gradient * gradient;
        moments[2 * i] = m;
        moments[2 * i + 1] = v;
        let step = (m / correction1) / ((v / correction2).sqrt() + 1e-8);
        parameters[i] -= rate * (step + decay * parameters[i]);
    }
}

/// The sum of a layer and what skipped it.
#[kernel]
pub fn residual_forward(n: usize, x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < n {
        out[i] = x[i] + y[i];
    }
}

/// Embeddings of tokens and of their positions.
#[kernel]
pub fn encoder_forward(
    b: usize,
    t: usize,
    c: usize,
    tokens: &[u32],
    wte: &[f32],
    wpe: &[f32],
    out: &mut [f32],
) {
    let i = global_idx().x;
    if i < b * t * c {
        let bt = i / c;
        let channel = i % c;
        let position = bt % t;
        let token = tokens[bt] as usize;
        out[i] = wte[token * c + channel] + wpe[position * c + channel];
    }
}

/// Layer norm, a thread for each row.
#[kernel]
pub fn layernorm_forward(rows: usize, c: usize, x: &[f32], weight: &[f32], bias: &[f32], out: &mut [f32]) {
    let row = global_idx().x;
    if row < rows {
        let mut sum = 0.0f32;
        for i in 0..c {
            sum += x[row * c + i];
        }
        let mean = sum / c as f32;
        let mut squares = 0.0f32;
        for i in 0..c {
            let centred = x[row * c + i] - mean;
            squares += centred * centred;
        }
        let scale = 1.0 / (squares / c as f32 + 1e-5).sqrt();
        for i in 0..c {
            out[row * c + i] = (scale * (x[row * c + i] - mean)) * weight[i] + bias[i];
        }
    }
}

/// The gradient of layer norm by its input, a warp for each row.
#[kernel(block(256))]
pub fn layernorm_backward(rows: usize, c: usize, dout: &[f32], x: &[f32], weight: &[f32], dx: &mut [f32]) {
    let lane = thread_idx().x % 32;
    let row = block_idx().x * 8 + thread_idx().x / 32;
    if row < rows {
        let base = row * c;
        let mut of_norm = 0.0f32;
        let mut of_both = 0.0f32;
        for i in (lane..c).step_by(32) {
            let d = weight[i] * dout[base + i];
            of_norm += d;
            of_both += d * x[base + i];
        }
        #[warp_reduce(add)]
        let norm = of_norm;
        #[warp_reduce(add)]
        let both = of_both;
        let norm = norm / c as f32;
        let both = both / c as f32;
        for i in (lane..c).step_by(32) {
            dx[base + i] = weight[i] * dout[base + i] - norm - x[base + i] * both;
        }
    }
}

/// Softmax, a warp for each row.
#[kernel(block(256))]
pub fn softmax_forward(rows: usize, width: usize, x: &[f32], out: &mut [f32]) {
    let lane = thread_idx().x % 32;
    let row = block_idx().x * 8 + thread_idx().x / 32;
    if row < rows {
        let mut own = f32::NEG_INFINITY;
        for i in (lane..width).step_by(32) {
            own = own.max(x[row * width + i]);
        }
        #[warp_reduce(max)]
        let largest = own;
        let mut own = 0.0f32;
        for i in (lane..width).step_by(32) {
            let power = (x[row * width + i] - largest).exp();
            own += power;
            out[row * width + i] = power;
        }
        #[warp_reduce(add)]
        let sum = own;
        for i in (lane..width).step_by(32) {
            out[row * width + i] /= sum;
        }
    }
}

/// Root-mean-square norm, a warp for each row, four elements at a time and the rest one by one.
#[kernel(block(256))]
pub fn rmsnorm_by_four(rows: usize, width: usize, x: &[f32], weight: &[f32], out: &mut [f32]) {
    let lane = thread_idx().x % 32;
    let row = block_idx().x * 8 + thread_idx().x / 32;
    if row < rows {
        let mut own = 0.0f32;
        for c in (4 * lane..width - width % 4).step_by(128) {
            for k in 0..4 {
                own += x[row * width + c + k] * x[row * width + c + k];
            }
        }
        for c in (width - width % 4 + lane..width).step_by(32) {
            own += x[row * width + c] * x[row * width + c];
        }
        #[warp_reduce(add)]
        let squares = own;
        let scale = 1.0 / (squares / width as f32 + 1e-5).sqrt();
        for c in (4 * lane..width - width % 4).step_by(128) {
            for k in 0..4 {
                out[row * width + c + k] = x[row * width + c + k] * scale * weight[c + k];
            }
        }
        for c in (width - width % 4 + lane..width).step_by(32) {
            out[row * width + c] = x[row * width + c] * scale * weight[c];
        }
    }
}

/// The sums of the squares of rows, a warp for each, by a loop that steps on its own.
#[kernel(block(256))]
pub fn row_squares(rows: usize, width: usize, x: &[f32], out: &mut [f32]) {
    let lane = thread_idx().x % 32;
    let row = block_idx().x * 8 + thread_idx().x / 32;
    if row < rows {
        let mut own = 0.0f32;
        let mut c = 4 * lane;
        while c + 3 < width {
            let at = row * width + c;
            own += x[at] * x[at] + x[at + 1] * x[at + 1] + x[at + 2] * x[at + 2] + x[at + 3] * x[at + 3];
            c += 128;
        }
        #[warp_reduce(add)]
        let sum = own;
        if lane == 0 {
            out[row] = sum;
        }
    }
}

/// The loss of the right token of each row.
#[kernel]
pub fn crossentropy_forward(
    rows: usize,
    vocabulary: usize,
    probabilities: &[f32],
    targets: &[u32],
    losses: &mut [f32],
) {
    let i = global_idx().x;
    if i < rows {
        let target = targets[i] as usize;
        losses[i] = -(probabilities[i * vocabulary + target] + 1.0).ln();
    }
}

/// Rotary embeddings: pairs of channels are turned by an angle of their position.
#[kernel]
pub fn rope(length: usize, half: usize, x: &[f32], cosines: &[f32], sines: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < length * half {
        let position = i / half;
        let pair = i % half;
        let first = x[position * 2 * half + 2 * pair];
        let second = x[position * 2 * half + 2 * pair + 1];
        let cosine = cosines[pair];
        let sine = sines[pair];
        out[position * 2 * half + 2 * pair] = first * cosine - second * sine;
        out[position * 2 * half + 2 * pair + 1] = first * sine + second * cosine;
    }
}

/// Queries out of a packed tensor, heads before positions.
#[kernel]
pub fn permute(
    batches: usize,
    length: usize,
    heads: usize,
    depth: usize,
    packed: &[f32],
    queries: &mut [f32],
) {
    let i = global_idx().x;
    if i < batches * heads * length * depth {
        let b = i / (heads * length * depth);
        let rest = i % (heads * length * depth);
        let head = rest / (length * depth);
        let rest = rest % (length * depth);
        let n = rest / depth;
        let d = rest % depth;
        queries[i] = packed[(b * length * 3 * heads * depth) + (n * 3 * heads * depth) + (head * depth) + d];
    }
}

/// A layer: rows of `x` by rows of the weights, with a bias.
#[kernel]
pub fn matmul_forward(
    rows: usize,
    c: usize,
    outputs: usize,
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    out: &mut [f32],
) {
    let row = global_idx().x;
    let o = global_idx().y;
    if row < rows && o < outputs {
        let mut value = bias[o];
        for i in 0..c {
            value += weight[o * c + i] * x[row * c + i];
        }
        out[row * outputs + o] = value;
    }
}

/// Patches of an image as columns of a matrix, padded with zeros.
#[kernel]
pub fn im2col(
    channels: i32,
    height: i32,
    width: i32,
    size: i32,
    padding: i32,
    image: &[f32],
    columns: &mut [f32],
) {
    let i = global_idx().x as i32;
    let columns_height = height + 2 * padding - size + 1;
    let columns_width = width + 2 * padding - size + 1;
    if i < channels * columns_height * columns_width {
        let w = i % columns_width;
        let h = (i / columns_width) % columns_height;
        let c = i / columns_width / columns_height;
        for ky in 0..size {
            for kx in 0..size {
                let y = h - padding + ky;
                let x = w - padding + kx;
                let value = if y >= 0 && x >= 0 && y < height && x < width {
                    image[((c * height + y) * width + x) as usize]
                } else {
                    0.0
                };
                columns[(((c * size + ky) * size + kx) * columns_height * columns_width
                    + h * columns_width
                    + w) as usize] = value;
            }
        }
    }
}

/// The largest of each window of two by two.
#[kernel]
pub fn maxpool(channels: usize, height: usize, width: usize, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    let out_height = height / 2;
    let out_width = width / 2;
    if i < channels * out_height * out_width {
        let column = i % out_width;
        let row = (i / out_width) % out_height;
        let channel = i / (out_width * out_height);
        let mut largest = f32::NEG_INFINITY;
        for ky in 0..2 {
            for kx in 0..2 {
                largest = largest.max(x[(channel * height + 2 * row + ky) * width + 2 * column + kx]);
            }
        }
        out[i] = largest;
    }
}
