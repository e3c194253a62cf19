// The kernels of src/users/applications.rs in CUDA C++, line for line.
#include <math.h>

extern "C" __global__ void lud_perimeter(int dim, int offset, float* __restrict__ m) {
    __shared__ float diagonal[16][16];
    __shared__ float row[16][16];
    __shared__ float column[16][16];
    int ahead = (blockIdx.x + 1) * 16;
    if (threadIdx.x < 16) {
        int idx = threadIdx.x;
        int at = offset * dim + offset;
        for (int i = 0; i < 8; i++) {
            diagonal[i][idx] = m[at + idx];
            at += dim;
        }
        at = offset * dim + offset;
        for (int i = 0; i < 16; i++) {
            row[i][idx] = m[at + ahead + idx];
            at += dim;
        }
    } else {
        int idx = threadIdx.x - 16;
        int at = (offset + 8) * dim + offset;
        for (int i = 8; i < 16; i++) {
            diagonal[i][idx] = m[at + idx];
            at += dim;
        }
        at = (offset + ahead) * dim + offset;
        for (int i = 0; i < 16; i++) {
            column[i][idx] = m[at + idx];
            at += dim;
        }
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        int idx = threadIdx.x;
        for (int i = 1; i < 16; i++) {
            for (int j = 0; j < i; j++) {
                row[i][idx] -= diagonal[i][j] * row[j][idx];
            }
        }
    } else {
        int idx = threadIdx.x - 16;
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < i; j++) {
                column[idx][i] -= column[idx][j] * diagonal[j][i];
            }
            column[idx][i] /= diagonal[i][i] + 4.0f;
        }
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        int idx = threadIdx.x;
        int at = (offset + 1) * dim + offset;
        for (int i = 1; i < 16; i++) {
            m[at + ahead + idx] = row[i][idx];
            at += dim;
        }
    } else {
        int idx = threadIdx.x - 16;
        int at = (offset + ahead) * dim + offset;
        for (int i = 0; i < 16; i++) {
            m[at + idx] = column[i][idx];
            at += dim;
        }
    }
}

extern "C" __global__ void stream_cost(int num, int dim, int centre, int centres, const float* __restrict__ coordinates,
                                       const float* __restrict__ weights, const float* __restrict__ costs,
                                       const unsigned* __restrict__ assigned, const unsigned* __restrict__ table,
                                       unsigned* __restrict__ switches, float* __restrict__ work) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < num) {
        float distance = 0.0f;
        for (int d = 0; d < dim; d++) {
            float difference = coordinates[d * num + i] - coordinates[d * num + centre];
            distance += difference * difference;
        }
        float cost = distance * weights[i];
        float current = costs[i];
        if (cost < current) {
            switches[i] = 1;
            work[i * (centres + 1) + centres] += cost - current;
        } else {
            int own = table[assigned[i]];
            work[i * (centres + 1) + own] += current - cost;
        }
    }
}

extern "C" __global__ void cfd_flux(int cells, const unsigned* __restrict__ neighbours, const float* __restrict__ normals,
                                    const float* __restrict__ variables, float* __restrict__ fluxes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) {
        float density = variables[i] + 1.0f;
        float mx = variables[i + cells];
        float my = variables[i + 2 * cells];
        float mz = variables[i + 3 * cells];
        float energy = variables[i + 4 * cells] + 2.0f;
        float vx = mx / density, vy = my / density, vz = mz / density;
        float speed2 = vx * vx + vy * vy + vz * vz;
        float speed = sqrtf(speed2);
        float pressure = 0.4f * (energy - 0.5f * density * speed2);
        float sound = sqrtf(1.4f * pressure / density);
        float flux = 0.0f;
        float flux_x = 0.0f;
        float flux_y = 0.0f;
        float flux_energy = 0.0f;
        for (int j = 0; j < 4; j++) {
            int neighbour = neighbours[i + j * cells];
            float nx = normals[i + j * cells];
            float ny = normals[i + (j + 4) * cells];
            float nz = normals[i + (j + 8) * cells];
            float length = sqrtf(nx * nx + ny * ny + nz * nz);
            if (neighbour >= 0) {
                int n = neighbour;
                float density_n = variables[n] + 1.0f;
                float mx_n = variables[n + cells];
                float my_n = variables[n + 2 * cells];
                float mz_n = variables[n + 3 * cells];
                float energy_n = variables[n + 4 * cells] + 2.0f;
                float vx_n = mx_n / density_n, vy_n = my_n / density_n, vz_n = mz_n / density_n;
                float speed2_n = vx_n * vx_n + vy_n * vy_n + vz_n * vz_n;
                float pressure_n = 0.4f * (energy_n - 0.5f * density_n * speed2_n);
                float sound_n = sqrtf(1.4f * pressure_n / density_n);
                float factor = -length * 0.2f * 0.5f * (speed + sqrtf(speed2_n) + sound + sound_n);
                flux += factor * (density - density_n);
                flux_energy += factor * (energy - energy_n);
                flux_x += factor * (mx - mx_n);
                flux_y += factor * (my - my_n);
                factor = 0.5f * nx;
                flux += factor * (mx_n + mx);
                flux_energy += factor * (vx_n * (energy_n + pressure_n) + vx * (energy + pressure));
                flux_x += factor * (vx_n * mx_n + pressure_n + vx * mx + pressure);
                flux_y += factor * (vx_n * my_n + vx * my);
                factor = 0.5f * ny;
                flux += factor * (my_n + my);
                flux_energy += factor * (vy_n * (energy_n + pressure_n) + vy * (energy + pressure));
                flux_x += factor * (vx_n * my_n + vx * my);
                flux_y += factor * (vy_n * my_n + pressure_n + vy * my + pressure);
            } else if (neighbour == -1) {
                flux_x += nx * pressure;
                flux_y += ny * pressure;
            } else if (neighbour == -2) {
                float factor = 0.5f * nx;
                flux += factor * (1.2f + mx);
                flux_x += factor * (1.9f + vx * mx + pressure);
                flux_y += factor * (vx * my);
                flux_energy += factor * (2.1f + vx * (energy + pressure));
            }
        }
        fluxes[i] = flux;
        fluxes[i + cells] = flux_x;
        fluxes[i + 2 * cells] = flux_y;
        fluxes[i + 3 * cells] = flux_energy;
    }
}

extern "C" __global__ void lavamd(int side, float alpha, const float4* __restrict__ positions,
                                  const float* __restrict__ charges, float4* __restrict__ forces) {
    __shared__ float4 home[100];
    __shared__ float4 other[100];
    __shared__ float charge[100];
    float a2 = 2.0f * alpha * alpha;
    int t = threadIdx.x;
    int own = blockIdx.x;
    int bx = own % side;
    int by = own / side % side;
    int bz = own / (side * side);
    for (int i = t; i < 100; i += 128) {
        home[i] = positions[own * 100 + i];
    }
    __syncthreads();
    for (int dz = -1; dz <= 1; dz++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int x = bx + dx, y = by + dy, z = bz + dz;
                if (x >= 0 && x < side && y >= 0 && y < side && z >= 0 && z < side) {
                    int first = ((z * side + y) * side + x) * 100;
                    for (int i = t; i < 100; i += 128) {
                        other[i] = positions[first + i];
                        charge[i] = charges[first + i];
                    }
                    __syncthreads();
                    for (int i = t; i < 100; i += 128) {
                        float4 a = home[i];
                        float4 force = forces[own * 100 + i];
                        for (int j = 0; j < 100; j++) {
                            float4 b = other[j];
                            float r2 = a.w + b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
                            float v = expf(-a2 * r2);
                            float fs = 2.0f * v;
                            force.w += charge[j] * v;
                            force.x += charge[j] * (fs * (a.x - b.x));
                            force.y += charge[j] * (fs * (a.y - b.y));
                            force.z += charge[j] * (fs * (a.z - b.z));
                        }
                        forces[own * 100 + i] = force;
                    }
                    __syncthreads();
                }
            }
        }
    }
}

extern "C" __global__ void mri_q(int samples, int voxels, const float4* __restrict__ k, const float* __restrict__ x,
                                 const float* __restrict__ y, const float* __restrict__ z, float* __restrict__ real,
                                 float* __restrict__ imaginary) {
    int voxel = blockIdx.x * blockDim.x + threadIdx.x;
    if (voxel < voxels) {
        float px = x[voxel], py = y[voxel], pz = z[voxel];
        float sum_real = real[voxel];
        float sum_imaginary = imaginary[voxel];
        for (int s = 0; s < samples; s++) {
            float angle = 6.2831855f * (k[s].x * px + k[s].y * py + k[s].z * pz);
            sum_real += k[s].w * cosf(angle);
            sum_imaginary += k[s].w * sinf(angle);
        }
        real[voxel] = sum_real;
        imaginary[voxel] = sum_imaginary;
    }
}

extern "C" __global__ void tpacf(int n, int bins, const float* __restrict__ x, const float* __restrict__ y,
                                 const float* __restrict__ z, const float* __restrict__ limits, unsigned* counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float xi = x[i], yi = y[i], zi = z[i];
        for (int j = i + 1; j < n; j++) {
            float dot = xi * x[j] + yi * y[j] + zi * z[j];
            int low = 0;
            int high = bins;
            while (high > low + 1) {
                int middle = (low + high) / 2;
                if (dot >= limits[middle]) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            int bin;
            if (dot >= limits[low]) {
                bin = low;
            } else if (dot < limits[high]) {
                bin = high + 1;
            } else {
                bin = high;
            }
            atomicAdd(&counts[bin], 1u);
        }
    }
}

extern "C" __global__ void cutcp(int nx, int ny, int atoms, float spacing, float cutoff, const float4* __restrict__ atom,
                                 float* __restrict__ lattice) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    if (i < nx && j < ny) {
        float x = (float)i * spacing, y = (float)j * spacing, z = (float)k * spacing;
        float cutoff2 = cutoff * cutoff;
        float energy = 0.0f;
        for (int a = 0; a < atoms; a++) {
            float dx = atom[a].x - x;
            float dy = atom[a].y - y;
            float dz = atom[a].z - z;
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cutoff2) {
                float s = 1.0f - r2 / cutoff2;
                energy += atom[a].w * (1.0f / sqrtf(r2 + 0.01f)) * s * s;
            }
        }
        lattice[(k * ny + j) * nx + i] = energy;
    }
}

extern "C" __global__ void sad(int width, int height, int range, const unsigned char* __restrict__ frames,
                               unsigned* __restrict__ sums) {
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    int position = blockIdx.y * blockDim.y + threadIdx.y;
    int across = width / 4;
    int positions = (2 * range + 1) * (2 * range + 1);
    if (block < across * (height / 4) && position < positions) {
        int bx = block % across * 4;
        int by = block / across * 4;
        int dx = position % (2 * range + 1) - range;
        int dy = position / (2 * range + 1) - range;
        int sum = 0;
        for (int y = 0; y < 4; y++) {
            for (int x = 0; x < 4; x++) {
                int rx = min(max(bx + x + dx, 0), width - 1);
                int ry = min(max(by + y + dy, 0), height - 1);
                int now = frames[(by + y) * width + bx + x];
                int before = frames[(height + ry) * width + rx];
                sum += abs(now - before);
            }
        }
        sums[block * positions + position] = (unsigned)sum;
    }
}

extern "C" __global__ void attention_decode(int length, int heads, int size, const float* __restrict__ queries,
                                            const float* __restrict__ keys, const float* __restrict__ values,
                                            float* __restrict__ scores, float* __restrict__ out) {
    __shared__ float parts[128];
    int head = blockIdx.x;
    int tid = threadIdx.x;
    float most = -INFINITY;
    for (int t = tid; t < length; t += 128) {
        float score = 0.0f;
        for (int i = 0; i < size; i++) {
            score += queries[head * size + i] * keys[(t * heads + head) * size + i];
        }
        score /= sqrtf((float)size);
        scores[head * length + t] = score;
        most = fmaxf(most, score);
    }
    parts[tid] = most;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (tid < half) {
            parts[tid] = fmaxf(parts[tid], parts[tid + half]);
        }
        __syncthreads();
    }
    most = parts[0];
    __syncthreads();
    float sum = 0.0f;
    for (int t = tid; t < length; t += 128) {
        float power = expf(scores[head * length + t] - most);
        scores[head * length + t] = power;
        sum += power;
    }
    parts[tid] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (tid < half) {
            parts[tid] += parts[tid + half];
        }
        __syncthreads();
    }
    sum = parts[0];
    for (int i = tid; i < size; i += 128) {
        float value = 0.0f;
        for (int t = 0; t < length; t++) {
            value += scores[head * length + t] / sum * values[(t * heads + head) * size + i];
        }
        out[head * size + i] = value;
    }
}

extern "C" __global__ void gelu_backward(int n, const float* __restrict__ x, const float* __restrict__ dout,
                                         float* __restrict__ dx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = x[i];
        float cube = 0.044715f * value * value * value;
        float argument = 0.7978846f * (value + cube);
        float tanh = tanhf(argument);
        float cosh = coshf(argument);
        float sech2 = 1.0f / (cosh * cosh);
        float local =
            0.5f * (1.0f + tanh) + value * 0.5f * sech2 * 0.7978846f * (1.0f + 3.0f * 0.044715f * value * value);
        dx[i] = local * dout[i];
    }
}

extern "C" __global__ void crossentropy_backward(int rows, int vocabulary, const float* __restrict__ losses,
                                                 const float* __restrict__ probabilities,
                                                 const unsigned* __restrict__ targets, float* __restrict__ logits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * vocabulary) {
        int row = i / vocabulary;
        int token = i % vocabulary;
        float indicator = token == (int)targets[row] ? 1.0f : 0.0f;
        logits[i] += (probabilities[i] - indicator) * losses[row];
    }
}

extern "C" __global__ void group_norm(int channels, int groups, int pixels, const float* __restrict__ x,
                                      const float* __restrict__ weight, const float* __restrict__ bias,
                                      float* __restrict__ out) {
    __shared__ float sums[256];
    __shared__ float squares[256];
    int t = threadIdx.x;
    int in_group = channels / groups;
    int count = in_group * pixels;
    int first = blockIdx.x * count;
    int group = blockIdx.x % groups;
    float sum = 0.0f;
    float square = 0.0f;
    for (int i = t; i < count; i += 256) {
        float value = x[first + i];
        sum += value;
        square += value * value;
    }
    sums[t] = sum;
    squares[t] = square;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            sums[t] += sums[t + half];
            squares[t] += squares[t + half];
        }
        __syncthreads();
    }
    float mean = sums[0] / (float)count;
    float variance = squares[0] / (float)count - mean * mean;
    float scale = 1.0f / sqrtf(variance + 1e-5f);
    for (int i = t; i < count; i += 256) {
        int channel = group * in_group + i / pixels;
        out[first + i] = (x[first + i] - mean) * scale * weight[channel] + bias[channel];
    }
}

extern "C" __global__ void erode(int width, int height, int radius, const unsigned char* __restrict__ image,
                                 unsigned char* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        unsigned char least = 255;
        for (int dy = -radius; dy <= radius; dy++) {
            for (int dx = -radius; dx <= radius; dx++) {
                int px = x + dx, py = y + dy;
                if (px >= 0 && px < width && py >= 0 && py < height) {
                    unsigned char value = image[py * width + px];
                    if (value < least) {
                        least = value;
                    }
                }
            }
        }
        out[y * width + x] = least;
    }
}

extern "C" __global__ void dwt_lifting(int width, int height, const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int half = width / 2;
    if (i < half && row < height) {
        int at = row * width + 2 * i;
        float even = x[at];
        float next = i + 1 < half ? x[at + 2] : even;
        float detail = x[at + 1] - 0.5f * (even + next);
        float before = i > 0 ? x[at - 1] - 0.5f * (x[at - 2] + even) : detail;
        out[row * width + i] = even + 0.25f * (before + detail);
        out[row * width + half + i] = detail;
    }
}

extern "C" __global__ void hodgkin_huxley(int cells, unsigned steps, float dt, float current, float* __restrict__ state) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) {
        float v = state[i] - 65.0f;
        float m = state[i + cells];
        float h = state[i + 2 * cells];
        float n = state[i + 3 * cells];
        for (unsigned s = 0; s < steps; s++) {
            float alpha_m = 0.1f * (v + 40.0f) / (1.0f - expf(-(v + 40.0f) / 10.0f));
            float beta_m = 4.0f * expf(-(v + 65.0f) / 18.0f);
            float alpha_h = 0.07f * expf(-(v + 65.0f) / 20.0f);
            float beta_h = 1.0f / (1.0f + expf(-(v + 35.0f) / 10.0f));
            float alpha_n = 0.01f * (v + 55.0f) / (1.0f - expf(-(v + 55.0f) / 10.0f));
            float beta_n = 0.125f * expf(-(v + 65.0f) / 80.0f);
            float sodium = 120.0f * m * m * m * h * (v - 50.0f);
            float potassium = 36.0f * n * n * n * n * (v + 77.0f);
            float leak = 0.3f * (v + 54.387f);
            v += dt * (current - sodium - potassium - leak);
            m += dt * (alpha_m * (1.0f - m) - beta_m * m);
            h += dt * (alpha_h * (1.0f - h) - beta_h * h);
            n += dt * (alpha_n * (1.0f - n) - beta_n * n);
        }
        state[i] = v + 65.0f;
        state[i + cells] = m;
        state[i + 2 * cells] = h;
        state[i + 3 * cells] = n;
    }
}

extern "C" __global__ void particle_likelihood(int particles, int ones, int columns, int frames, int frame, int size,
                                               const float* __restrict__ xs, const float* __restrict__ ys,
                                               const float* __restrict__ offsets,
                                               const unsigned char* __restrict__ image, float* __restrict__ likelihood) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < particles) {
        float sum = 0.0f;
        for (int o = 0; o < ones; o++) {
            int x = (int)roundf(40.0f * xs[i]) + (int)(10.0f * offsets[2 * o + 1]);
            int y = (int)roundf(40.0f * ys[i]) + (int)(10.0f * offsets[2 * o]);
            int at = abs(x * columns * frames + y * frames + frame);
            if (at >= size) {
                at = 0;
            }
            float pixel = image[at];
            sum += ((pixel - 100.0f) * (pixel - 100.0f) - (pixel - 228.0f) * (pixel - 228.0f)) / 50.0f;
        }
        likelihood[i] = sum / (float)ones;
    }
}
