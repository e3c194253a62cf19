// The kernels of src/users/rodinia.rs in CUDA C++, line for line.
#include <float.h>

extern "C" __global__ void hotspot(int rows, int columns, const float* __restrict__ power, const float* __restrict__ temperature,
                                   float* __restrict__ result) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        int north = row == 0 ? 0 : row - 1;
        int south = row == rows - 1 ? row : row + 1;
        int west = column == 0 ? 0 : column - 1;
        int east = column == columns - 1 ? column : column + 1;
        float centre = temperature[row * columns + column];
        result[row * columns + column] =
            centre +
            0.1f * (power[row * columns + column] +
                    (temperature[south * columns + column] + temperature[north * columns + column] - 2.0f * centre) * 0.2f +
                    (temperature[row * columns + east] + temperature[row * columns + west] - 2.0f * centre) * 0.3f +
                    (80.0f - centre) * 0.05f);
    }
}

extern "C" __global__ void pathfinder(int row, int columns, const float* __restrict__ wall, const float* __restrict__ before,
                                      float* __restrict__ costs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < columns) {
        float shortest = before[i];
        if (i > 0) {
            shortest = fminf(shortest, before[i - 1]);
        }
        if (i < columns - 1) {
            shortest = fminf(shortest, before[i + 1]);
        }
        costs[i] = shortest + wall[row * columns + i];
    }
}

extern "C" __global__ void srad(unsigned rows, unsigned columns, float q0, const float* __restrict__ image,
                                float* __restrict__ coefficients) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < rows * columns) {
        unsigned row = id / columns;
        unsigned column = id % columns;
        unsigned north = row > 0 ? row - 1 : 0;
        unsigned south = row < rows - 1 ? row + 1 : row;
        unsigned west = column > 0 ? column - 1 : 0;
        unsigned east = column < columns - 1 ? column + 1 : column;
        float centre = image[id] + 2.0f;
        float dn = image[north * columns + column] + 2.0f - centre;
        float ds = image[south * columns + column] + 2.0f - centre;
        float dw = image[row * columns + west] + 2.0f - centre;
        float de = image[row * columns + east] + 2.0f - centre;
        float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (centre * centre);
        float l = (dn + ds + dw + de) / centre;
        float numerator = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
        float denominator = 1.0f + 0.25f * l;
        float q = numerator / (denominator * denominator);
        float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
        coefficients[id] = fminf(fmaxf(c, 0.0f), 1.0f);
    }
}

extern "C" __global__ void needle(int columns, int diagonal, float penalty, const float* __restrict__ reference,
                                  float* __restrict__ scores) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < diagonal) {
        int row = t + 1;
        int column = diagonal - t;
        if (row < columns && column < columns) {
            int at = row * columns + column;
            float matched = scores[at - columns - 1] + reference[at];
            float deleted = scores[at - columns] - penalty;
            float inserted = scores[at - 1] - penalty;
            scores[at] = fmaxf(fmaxf(matched, deleted), inserted);
        }
    }
}

extern "C" __global__ void kmeans(int points, int clusters, int features, const float* __restrict__ feature,
                                  const float* __restrict__ centres, float* __restrict__ membership) {
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point < points) {
        int nearest = 0;
        float shortest = FLT_MAX;
        for (int cluster = 0; cluster < clusters; cluster++) {
            float distance = 0.0f;
            for (int k = 0; k < features; k++) {
                float difference = feature[k * points + point] - centres[cluster * features + k];
                distance += difference * difference;
            }
            if (distance < shortest) {
                shortest = distance;
                nearest = cluster;
            }
        }
        membership[point] = (float)nearest;
    }
}

extern "C" __global__ void gaussian(int size, int pivot, const float* __restrict__ multipliers, float* __restrict__ a) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < size - 1 - pivot && y < size - pivot) {
        int row = x + 1 + pivot;
        int column = y + pivot;
        a[size * row + column] -= multipliers[size * row + pivot] * a[size * pivot + column];
    }
}

extern "C" __global__ void bfs(int nodes, unsigned depth, const unsigned* __restrict__ starts, const unsigned* __restrict__ edges,
                               unsigned* levels) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes && levels[node] == depth) {
        for (int e = starts[node]; e < (int)starts[node + 1]; e++) {
            int id = edges[e];
            if (levels[id] == 0xffffffffu) {
                levels[id] = depth + 1;
            }
        }
    }
}

extern "C" __global__ void spmv_csr(int rows, const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                                    const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        int start = starts[row];
        int end = starts[row + 1];
        float sum = 0.0f;
        for (int j = start; j < end; j++) {
            sum += values[j] * x[columns[j]];
        }
        y[row] = sum;
    }
}

extern "C" __global__ void spmv_ell(int rows, int width, const unsigned* __restrict__ columns, const float* __restrict__ values,
                                    const float* __restrict__ x, float* __restrict__ y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int k = 0; k < width; k++) {
            int at = k * rows + row;
            sum += values[at] * x[columns[at]];
        }
        y[row] = sum;
    }
}
