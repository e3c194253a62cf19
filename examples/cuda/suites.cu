// The kernels of src/users/suites.rs in CUDA C++, line for line.
#include <math.h>

extern "C" __global__ void covariance(int n, int m, const float* __restrict__ data, float* __restrict__ symmetric) {
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < m) {
        for (int j2 = j1; j2 < m; j2++) {
            float sum = 0.0f;
            for (int i = 0; i < n; i++) {
                sum += data[i * m + j1] * data[i * m + j2];
            }
            symmetric[j1 * m + j2] = sum / ((float)n - 1.0f);
        }
    }
}

extern "C" __global__ void adjust_weights(int inputs, int hidden, const float* __restrict__ delta,
                                          const float* __restrict__ layer, float* __restrict__ weights,
                                          float* __restrict__ old) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < hidden && y < inputs) {
        int at = (hidden + 1) * (y + 1) + x + 1;
        float change = 0.3f * delta[x + 1] * layer[y + 1] + 0.3f * old[at];
        weights[at] += change;
        old[at] = change;
    }
}

extern "C" __global__ void step_factor(int cells, const float* __restrict__ variables, const float* __restrict__ areas,
                                       float* __restrict__ factors) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) {
        float density = variables[i] + 1.0f;
        float mx = variables[i + cells];
        float my = variables[i + 2 * cells];
        float mz = variables[i + 3 * cells];
        float energy = variables[i + 4 * cells] + 2.0f;
        float vx = mx / density;
        float vy = my / density;
        float vz = mz / density;
        float speed2 = vx * vx + vy * vy + vz * vz;
        float pressure = 0.4f * (energy - 0.5f * density * speed2);
        float sound = sqrtf(1.4f * pressure / density);
        factors[i] = 0.5f / (sqrtf(areas[i] + 1.0f) * (sqrtf(speed2) + sound));
    }
}

extern "C" __global__ void thomas(int systems, int size, const float* __restrict__ lower, const float* __restrict__ upper,
                                  float* __restrict__ scratch, float* __restrict__ d) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < systems) {
        scratch[s] = upper[s] / 4.0f;
        d[s] = d[s] / 4.0f;
        for (int i = 1; i < size; i++) {
            int at = i * systems + s;
            int before = (i - 1) * systems + s;
            float m = 1.0f / (4.0f - lower[at] * scratch[before]);
            scratch[at] = upper[at] * m;
            d[at] = (d[at] - lower[at] * d[before]) * m;
        }
        for (int i = size - 2; i >= 0; i--) {
            d[i * systems + s] -= scratch[i * systems + s] * d[(i + 1) * systems + s];
        }
    }
}

extern "C" __global__ void query_key(int b, int t, int c, int heads, const float* __restrict__ packed,
                                     float* __restrict__ scores) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = b * heads * t * t;
    if (i < total) {
        int t2 = i % t;
        int t1 = (i / t) % t;
        if (t2 > t1) {
            scores[i] = -INFINITY;
            return;
        }
        int h = (i / (t * t)) % heads;
        int batch = i / (heads * t * t);
        int c3 = c * 3;
        int size = c / heads;
        int query = batch * t * c3 + t1 * c3 + h * size;
        int key = batch * t * c3 + t2 * c3 + h * size + c;
        float value = 0.0f;
        for (int k = 0; k < size; k++) {
            value += packed[query + k] * packed[key + k];
        }
        scores[i] = value * (1.0f / sqrtf((float)size));
    }
}

extern "C" __global__ void conv_layer(int channels, int height, int width, int filters, int size, int stride, int padding,
                                      const float* __restrict__ x, const float* __restrict__ weights,
                                      float* __restrict__ out) {
    int out_height = (height + 2 * padding - size) / stride + 1;
    int out_width = (width + 2 * padding - size) / stride + 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < filters * out_height * out_width) {
        int ox = i % out_width;
        int oy = (i / out_width) % out_height;
        int filter = i / (out_width * out_height);
        float sum = 0.0f;
        for (int c = 0; c < channels; c++) {
            for (int ky = 0; ky < size; ky++) {
                for (int kx = 0; kx < size; kx++) {
                    int y = oy * stride - padding + ky;
                    int x0 = ox * stride - padding + kx;
                    if (y >= 0 && y < height && x0 >= 0 && x0 < width) {
                        sum += x[(c * height + y) * width + x0] *
                               weights[((filter * channels + c) * size + ky) * size + kx];
                    }
                }
            }
        }
        out[i] = sum;
    }
}

extern "C" __global__ void recursive_gaussian(int width, int height, float a0, float a1, float b1, float b2,
                                              const float* __restrict__ image, float* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width) {
        float xp = image[x];
        float yp = image[x] * 0.5f;
        float yb = yp;
        for (int y = 0; y < height; y++) {
            float xc = image[y * width + x];
            float yc = a0 * xc + a1 * xp - b1 * yp - b2 * yb;
            out[y * width + x] = yc;
            xp = xc;
            yb = yp;
            yp = yc;
        }
        float last = image[(height - 1) * width + x];
        float xn = last, xa = last, yn = last * 0.5f, ya = last * 0.5f;
        for (int y = height - 1; y >= 0; y--) {
            float xc = image[y * width + x];
            float yc = a0 * xn + a1 * xa - b1 * yn - b2 * ya;
            xa = xn;
            xn = xc;
            ya = yn;
            yn = yc;
            out[y * width + x] += yc;
        }
    }
}

extern "C" __global__ void box_filter(int width, int height, int radius, const float* __restrict__ x,
                                      float* __restrict__ out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height && radius < width) {
        float scale = 1.0f / (float)(2 * radius + 1);
        int line = row * width;
        float sum = x[line] * (float)radius;
        for (int i = 0; i < radius + 1; i++) {
            sum += x[line + i];
        }
        out[line] = sum * scale;
        for (int i = 1; i < width; i++) {
            int next = i + radius < width ? i + radius : width - 1;
            int gone = i > radius + 1 ? i - radius - 1 : 0;
            sum += x[line + next];
            sum -= x[line + gone];
            out[line + i] = sum * scale;
        }
    }
}

extern "C" __global__ void bilateral(int width, int height, int radius, float steepness,
                                     const float* __restrict__ gaussian, const float* __restrict__ x,
                                     float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) {
        float centre = x[row * width + column];
        float sum = 0.0f;
        float total = 0.0f;
        for (int i = -radius; i <= radius; i++) {
            for (int j = -radius; j <= radius; j++) {
                int cy = min(max(row + i, 0), height - 1);
                int cx = min(max(column + j, 0), width - 1);
                float pixel = x[cy * width + cx];
                float apart = pixel - centre;
                float weight = (gaussian[i + radius] + 1.0f) * (gaussian[j + radius] + 1.0f) * expf(-(apart * apart) * steepness);
                sum += weight * pixel;
                total += weight;
            }
        }
        out[row * width + column] = sum / total;
    }
}

extern "C" __global__ void ising(int rows, int columns, float temperature, const float* __restrict__ chance,
                                 const float* __restrict__ others, float* __restrict__ spins) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int row = id / columns;
    int column = id % columns;
    if (row < rows) {
        int below = row + 1 < rows ? row + 1 : 0;
        int above = row >= 1 ? row - 1 : rows - 1;
        int right = column + 1 < columns ? column + 1 : 0;
        int left = column >= 1 ? column - 1 : columns - 1;
        int beside = row % 2 == 1 ? right : left;
        float sum = others[above * columns + column] + others[row * columns + column] +
                    others[below * columns + column] + others[row * columns + beside];
        float spin = spins[row * columns + column];
        float ratio = expf(-2.0f * temperature * sum * spin);
        if (chance[row * columns + column] < ratio) {
            spins[row * columns + column] = -spin;
        }
    }
}

extern "C" __global__ void lower_bound(int count, int queries, const unsigned* __restrict__ sorted,
                                       const unsigned* __restrict__ wanted, unsigned* __restrict__ found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < queries) {
        unsigned key = wanted[i];
        int first = 0;
        int last = count;
        while (first < last) {
            int middle = first + (last - first) / 2;
            if (sorted[middle] < key) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        found[i] = first;
    }
}

extern "C" __global__ void rotate(int width, int height, float sine, float cosine, const float* __restrict__ x,
                                  float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) {
        float cx = (float)(width / 2);
        float cy = (float)(height / 2);
        float dx = (float)column - cx;
        float dy = (float)row - cy;
        float sx = dx * cosine - dy * sine + cx;
        float sy = dx * sine + dy * cosine + cy;
        int x0 = (int)floorf(sx);
        int y0 = (int)floorf(sy);
        float value = 0.0f;
        if (x0 >= 0 && x0 + 1 < width && y0 >= 0 && y0 + 1 < height) {
            float fx = sx - (float)x0;
            float fy = sy - (float)y0;
            int at = y0 * width + x0;
            float above = x[at] * (1.0f - fx) + x[at + 1] * fx;
            float below = x[at + width] * (1.0f - fx) + x[at + width + 1] * fx;
            value = above * (1.0f - fy) + below * fy;
        }
        out[row * width + column] = value;
    }
}
