// The kernels of src/users/learning.rs in CUDA C++, line for line.

extern "C" __global__ void gelu_forward(int n, const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float xi = x[i];
        float cube = 0.044715f * xi * xi * xi;
        out[i] = 0.5f * xi * (1.0f + tanhf(0.7978846f * (xi + cube)));
    }
}

extern "C" __global__ void adamw(int n, float rate, float beta1, float beta2, float correction1, float correction2, float decay,
                                 const float* __restrict__ gradients, float* __restrict__ moments,
                                 float* __restrict__ parameters) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float gradient = gradients[i];
        float m = beta1 * moments[2 * i] + (1.0f - beta1) * gradient;
        float v = beta2 * moments[2 * i + 1] + (1.0f - beta2) * gradient * gradient;
        moments[2 * i] = m;
        moments[2 * i + 1] = v;
        float step = (m / correction1) / (sqrtf(v / correction2) + 1e-8f);
        parameters[i] -= rate * (step + decay * parameters[i]);
    }
}

extern "C" __global__ void residual_forward(int n, const float* __restrict__ x, const float* __restrict__ y,
                                            float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = x[i] + y[i];
    }
}

extern "C" __global__ void encoder_forward(int b, int t, int c, const unsigned* __restrict__ tokens,
                                           const float* __restrict__ wte, const float* __restrict__ wpe,
                                           float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b * t * c) {
        int bt = i / c;
        int channel = i % c;
        int position = bt % t;
        int token = tokens[bt];
        out[i] = wte[token * c + channel] + wpe[position * c + channel];
    }
}

extern "C" __global__ void layernorm_forward(int rows, int c, const float* __restrict__ x, const float* __restrict__ weight,
                                             const float* __restrict__ bias, float* __restrict__ out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int i = 0; i < c; i++) {
            sum += x[row * c + i];
        }
        float mean = sum / (float)c;
        float squares = 0.0f;
        for (int i = 0; i < c; i++) {
            float centred = x[row * c + i] - mean;
            squares += centred * centred;
        }
        float scale = 1.0f / sqrtf(squares / (float)c + 1e-5f);
        for (int i = 0; i < c; i++) {
            out[row * c + i] = (scale * (x[row * c + i] - mean)) * weight[i] + bias[i];
        }
    }
}

static __device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    }
    return value;
}

static __device__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
    }
    return value;
}

extern "C" __global__ __launch_bounds__(256) void layernorm_backward(int rows, int c, const float* __restrict__ dout,
                                                                     const float* __restrict__ x,
                                                                     const float* __restrict__ weight,
                                                                     float* __restrict__ dx) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < rows) {
        int base = row * c;
        float of_norm = 0.0f;
        float of_both = 0.0f;
        for (int i = lane; i < c; i += 32) {
            float d = weight[i] * dout[base + i];
            of_norm += d;
            of_both += d * x[base + i];
        }
        float norm = warp_sum(of_norm);
        float both = warp_sum(of_both);
        norm = norm / (float)c;
        both = both / (float)c;
        for (int i = lane; i < c; i += 32) {
            dx[base + i] = weight[i] * dout[base + i] - norm - x[base + i] * both;
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void softmax_forward(int rows, int width, const float* __restrict__ x,
                                                                  float* __restrict__ out) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < rows) {
        float own = -INFINITY;
        for (int i = lane; i < width; i += 32) {
            own = fmaxf(own, x[row * width + i]);
        }
        float largest = warp_max(own);
        own = 0.0f;
        for (int i = lane; i < width; i += 32) {
            float power = expf(x[row * width + i] - largest);
            own += power;
            out[row * width + i] = power;
        }
        float sum = warp_sum(own);
        for (int i = lane; i < width; i += 32) {
            out[row * width + i] /= sum;
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void rmsnorm_by_four(int rows, int width, const float* __restrict__ x,
                                                                  const float* __restrict__ weight,
                                                                  float* __restrict__ out) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < rows) {
        float own = 0.0f;
        for (int c = 4 * lane; c < width - width % 4; c += 128) {
            for (int k = 0; k < 4; k++) {
                own += x[row * width + c + k] * x[row * width + c + k];
            }
        }
        for (int c = width - width % 4 + lane; c < width; c += 32) {
            own += x[row * width + c] * x[row * width + c];
        }
        float squares = warp_sum(own);
        float scale = 1.0f / sqrtf(squares / (float)width + 1e-5f);
        for (int c = 4 * lane; c < width - width % 4; c += 128) {
            for (int k = 0; k < 4; k++) {
                out[row * width + c + k] = x[row * width + c + k] * scale * weight[c + k];
            }
        }
        for (int c = width - width % 4 + lane; c < width; c += 32) {
            out[row * width + c] = x[row * width + c] * scale * weight[c];
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void row_squares(int rows, int width, const float* __restrict__ x,
                                                              float* __restrict__ out) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < rows) {
        float own = 0.0f;
        int c = 4 * lane;
        while (c + 3 < width) {
            int at = row * width + c;
            own += x[at] * x[at] + x[at + 1] * x[at + 1] + x[at + 2] * x[at + 2] + x[at + 3] * x[at + 3];
            c += 128;
        }
        float sum = warp_sum(own);
        if (lane == 0) {
            out[row] = sum;
        }
    }
}

extern "C" __global__ void crossentropy_forward(int rows, int vocabulary, const float* __restrict__ probabilities,
                                                const unsigned* __restrict__ targets, float* __restrict__ losses) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        int target = targets[i];
        losses[i] = -logf(probabilities[i * vocabulary + target] + 1.0f);
    }
}

extern "C" __global__ void rope(int length, int half, const float* __restrict__ x, const float* __restrict__ cosines,
                                const float* __restrict__ sines, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length * half) {
        int position = i / half;
        int pair = i % half;
        float first = x[position * 2 * half + 2 * pair];
        float second = x[position * 2 * half + 2 * pair + 1];
        float cosine = cosines[pair];
        float sine = sines[pair];
        out[position * 2 * half + 2 * pair] = first * cosine - second * sine;
        out[position * 2 * half + 2 * pair + 1] = first * sine + second * cosine;
    }
}

extern "C" __global__ void permute(int batches, int length, int heads, int depth, const float* __restrict__ packed,
                                   float* __restrict__ queries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < batches * heads * length * depth) {
        int b = i / (heads * length * depth);
        int rest = i % (heads * length * depth);
        int head = rest / (length * depth);
        rest = rest % (length * depth);
        int n = rest / depth;
        int d = rest % depth;
        queries[i] = packed[(b * length * 3 * heads * depth) + (n * 3 * heads * depth) + (head * depth) + d];
    }
}

extern "C" __global__ void matmul_forward(int rows, int c, int outputs, const float* __restrict__ x,
                                          const float* __restrict__ weight, const float* __restrict__ bias,
                                          float* __restrict__ out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int o = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && o < outputs) {
        float value = bias[o];
        for (int i = 0; i < c; i++) {
            value += weight[o * c + i] * x[row * c + i];
        }
        out[row * outputs + o] = value;
    }
}

extern "C" __global__ void im2col(int channels, int height, int width, int size, int padding, const float* __restrict__ image,
                                  float* __restrict__ columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int columns_height = height + 2 * padding - size + 1;
    int columns_width = width + 2 * padding - size + 1;
    if (i < channels * columns_height * columns_width) {
        int w = i % columns_width;
        int h = (i / columns_width) % columns_height;
        int c = i / columns_width / columns_height;
        for (int ky = 0; ky < size; ky++) {
            for (int kx = 0; kx < size; kx++) {
                int y = h - padding + ky;
                int x = w - padding + kx;
                float value = 0.0f;
                if (y >= 0 && x >= 0 && y < height && x < width) {
                    value = image[(c * height + y) * width + x];
                }
                columns[((c * size + ky) * size + kx) * columns_height * columns_width + h * columns_width + w] = value;
            }
        }
    }
}

extern "C" __global__ void maxpool(int channels, int height, int width, const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int out_height = height / 2;
    int out_width = width / 2;
    if (i < channels * out_height * out_width) {
        int column = i % out_width;
        int row = (i / out_width) % out_height;
        int channel = i / (out_width * out_height);
        float largest = -INFINITY;
        for (int ky = 0; ky < 2; ky++) {
            for (int kx = 0; kx < 2; kx++) {
                largest = fmaxf(largest, x[(channel * height + 2 * row + ky) * width + 2 * column + kx]);
            }
        }
        out[i] = largest;
    }
}
