// A stand-in for libcuda.so.1 with one device or two, whose memory is the host's and whose only kernels are saxpy and one that copies a map. It shows
// without a GPU that the back end calls the driver as the driver wants to be called: every call that needs a current
// context checks for one, and what was not given back is counted when the process ends.
//
// Work on streams waits until somebody waits for it, so that what is used too early or freed too early shows.
//
// FAKE_CUDA_VERSION and FAKE_CUDA_INIT are the version that it tells and what cuInit returns, FAKE_CUDA_DEVICES is how many devices there are.
// FAKE_CUDA_WAIT is what waiting for a stream returns, without a wait.
#ifdef TRACED
#define _GNU_SOURCE
#include <dlfcn.h>
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int result;
typedef unsigned long long address;

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_CONTEXT = 201, INVALID_PTX = 218, NOT_FOUND = 500 };

/* The contexts that are current, one above the other. */
static __thread void *stack[16];
static __thread int depth;
static int contexts, memories, modules, events, streams, graphs;
static int allowed_shared;

__attribute__((destructor)) static void report(void) {
    fprintf(stderr, "left behind: %d contexts, %d memories, %d modules, %d events, %d streams", contexts, memories, modules, events, streams);
    if (graphs) fprintf(stderr, ", %d graphs", graphs);
    fprintf(stderr, "\n");
}

static int setting(const char *name, int otherwise) {
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}

/* One thread at a time is in a function that needs a context. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int enter(void) { return pthread_mutex_lock(&turn); }
static void leave(int *entered) { pthread_mutex_unlock(&turn); }
#define CURRENT if (depth <= 0) return INVALID_CONTEXT; __attribute__((cleanup(leave))) int entered = enter()

#ifdef TRACED
/* Compiled with -finstrument-functions it says which of its functions are called, but for those that it calls itself. */
/* Hidden, for the C library has some that do nothing. */
#define HOOK __attribute__((no_instrument_function, visibility("hidden")))
static __thread int inside;
HOOK void __cyg_profile_func_enter(void *function, void *caller) {
    Dl_info info;
    if (inside++ || !dladdr(function, &info) || !info.dli_sname || strncmp(info.dli_sname, "cu", 2)) return;
    printf("> %s\n", info.dli_sname);
    fflush(stdout);
}
HOOK void __cyg_profile_func_exit(void *function, void *caller) { inside--; }
#endif

#ifndef MISSING
result cuGetErrorName(unsigned error, const char **name) {
    switch (error) {
    case INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; return 0;
    case NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; return 0;
    case INVALID_CONTEXT: *name = "CUDA_ERROR_INVALID_CONTEXT"; return 0;
    case INVALID_PTX: *name = "CUDA_ERROR_INVALID_PTX"; return 0;
    }
    *name = NULL;
    return INVALID_VALUE;
}
#endif
result cuGetErrorString(unsigned error, const char **text) {
    *text = error == NO_DEVICE ? "no CUDA-capable device is detected" : "described by the fake";
    return error > 1000 ? INVALID_VALUE : 0;
}
result cuDriverGetVersion(int *version) { *version = setting("FAKE_CUDA_VERSION", 13000); return 0; }
result cuInit(unsigned flags) { return flags ? INVALID_VALUE : (result)setting("FAKE_CUDA_INIT", 0); }

static int devices(void) { return setting("FAKE_CUDA_DEVICES", 1); }
static result known(int device) { return device >= 40 && device < 40 + devices() ? 0 : INVALID_VALUE; }
result cuDeviceGetCount(int *count) { *count = devices(); return 0; }
result cuDeviceGet(int *device, int ordinal) { return known(*device = 40 + ordinal); }
result cuDeviceGetName(char *name, int length, int device) { snprintf(name, length, "Fake"); return known(device); }
result cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = 1ul << 34; return 0; }
result cuDeviceGetAttribute(int *value, int attribute, int device) {
    static const int rows[][2] = {
        {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {12, 65536}, {13, 1980000},
        {16, 132}, {36, 3201000}, {37, 6144}, {38, 62914560}, {39, 2048}, {75, 9}, {76, 0}, {81, 233472}, {82, 65536},
        {97, 232448}, {106, 32}, {108, 39321600}, {109, 134217728}, {111, 1024}, {115, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i][0] == attribute) { *value = rows[i][1]; return 0; }
    return INVALID_VALUE;
}

/* The primary contexts, of devices 40 and 41. */
static int second;
static int is_primary(const void *context) { return context == &contexts || context == &second; }
result cuDevicePrimaryCtxRetain(void **context, int device) { *context = device == 40 ? &contexts : &second; contexts++; return known(device); }
result cuDevicePrimaryCtxRelease_v2(int device) { contexts--; return known(device); }
result cuCtxGetCurrent(void **context) { *context = depth > 0 ? stack[depth - 1] : NULL; return 0; }
/* Beside the primary context there may be one that nothing can be done in. */
static int other;
result cuCtxCreate_v4(void **context, void *params, unsigned flags, int device) { *context = &other; return params || flags; }
result cuCtxDestroy_v2(void *context) { return context == &other ? 0 : INVALID_CONTEXT; }
result cuCtxSetCurrent(void *context) {
    depth = is_primary(context);
    stack[0] = context;
    return !context || depth || context == &other ? 0 : INVALID_CONTEXT;
}
result cuCtxPushCurrent_v2(void *context) { stack[depth++] = context; return is_primary(context) ? 0 : INVALID_CONTEXT; }
result cuCtxPopCurrent_v2(void **context) { if (depth <= 0) return INVALID_CONTEXT; *context = stack[--depth]; return 0; }
/* The second-level cache of the context that is current. */
static size_t set_aside;
result cuCtxSetLimit(unsigned limit, size_t value) { CURRENT; set_aside = (value + 1023) / 1024 * 1024; return limit == 6 && value <= 39321600 ? 0 : INVALID_VALUE; }
result cuCtxGetLimit(size_t *value, unsigned limit) { CURRENT; *value = set_aside; return limit == 6 ? 0 : INVALID_VALUE; }
result cuCtxResetPersistingL2Cache(void) { CURRENT; printf("> the cache keeps nothing\n"); fflush(stdout); return 0; }

result cuMemGetInfo_v2(size_t *free, size_t *total) { CURRENT; *free = 1000; *total = 2000; return 0; }
result cuMemAlloc_v2(address *at, size_t bytes) {
    CURRENT;
    if (!bytes) return INVALID_VALUE;
    if (bytes > 1ul << 34) return OUT_OF_MEMORY;
    *at = (address)(uintptr_t)malloc(bytes);
    memset((void *)(uintptr_t)*at, 0xcd, bytes);
    memories++;
    return 0;
}
static void not_in_use(const void *memory);
result cuMemFree_v2(address at) { CURRENT; not_in_use((void *)at); free((void *)(uintptr_t)at); memories--; return 0; }
result cuMemsetD8_v2(address at, unsigned char value, size_t bytes) { CURRENT; memset((void *)(uintptr_t)at, value, bytes); return 0; }
result cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) { CURRENT; memcpy((void *)(uintptr_t)to, from, bytes); return 0; }
result cuMemcpyDtoH_v2(void *to, address from, size_t bytes) { CURRENT; memcpy(to, (void *)(uintptr_t)from, bytes); return 0; }
result cuMemcpyDtoD_v2(address to, address from, size_t bytes) { CURRENT; memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes); return 0; }
// A stream: what it was asked for and has not done. An event: where it was recorded, and what of that has to be done.
enum kind { NOTHING, ZERO, COPY, LAUNCH, RECORD, WAIT };
enum { ARGUMENTS = 48 };
struct event { int time; struct stream *stream; unsigned long position; };
struct job { enum kind kind; void *to, *from; size_t bytes; unsigned grid, block; unsigned long position; };
struct stream { struct job *jobs; unsigned long asked, done; int captures; };

static int now;
static void launch_saxpy(unsigned gx, unsigned bx, const void *arguments);
/* Does all up to a position, and what that waits for. */
static void run(struct stream *s, unsigned long position) {
    while (s->done < position) {
        struct job *job = &s->jobs[s->done];
        if (job->kind == ZERO) memset(job->to, 0, job->bytes);
        if (job->kind == COPY) memcpy(job->to, job->from, job->bytes);
        if (job->kind == LAUNCH) { launch_saxpy(job->grid, job->block, job->from); free(job->from); }
        if (job->kind == RECORD) ((struct event *)job->to)->time = ++now;
        if (job->kind == WAIT) run(job->to, job->position);
        s->done++;
    }
}
static result ask(void *stream, struct job job) {
    struct stream *s = stream;
    s->jobs = realloc(s->jobs, (s->asked + 1) * sizeof(struct job));
    s->jobs[s->asked++] = job;
    return 0;
}
/* Between two devices, with one of them current: at once, or in a stream's turn. */
result cuMemcpyPeerAsync(address to, void *to_context, address from, void *from_context, size_t bytes, void *stream) {
    CURRENT;
    void *current = stack[depth - 1];
    if (to_context == from_context || !is_primary(to_context) || !is_primary(from_context)) return INVALID_VALUE;
    if (current != to_context && current != from_context) return INVALID_CONTEXT;
    printf("> %zu bytes from device to device\n", bytes);
    fflush(stdout);
    if (stream) return ask(stream, (struct job){COPY, (void *)to, (void *)from, bytes});
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return 0;
}
/* Devices that are connected, once for each direction. */
static int connected[2];
result cuDeviceCanAccessPeer(int *can, int device, int peer) { *can = device != peer; return known(device) | known(peer); }
result cuCtxEnablePeerAccess(void *peer, unsigned flags) {
    CURRENT;
    if (flags || !is_primary(peer) || peer == stack[depth - 1] || connected[peer == &second]++) return INVALID_VALUE;
    printf("> a way to device %d\n", peer == &second);
    fflush(stdout);
    return 0;
}
static struct stream *all[64];
result cuStreamCreate(void **stream, unsigned flags) {
    CURRENT;
    *stream = calloc(1, sizeof(struct stream));
    for (int i = 0; i < 64; i++)
        if (!all[i]) { all[i] = *stream; break; }
    streams++;
    return flags == 1 ? 0 : INVALID_VALUE;
}
result cuStreamDestroy_v2(void *stream) {
    CURRENT;
    struct stream *s = stream;
    if (s->done != s->asked) return INVALID_VALUE;
    for (int i = 0; i < 64; i++)
        if (all[i] == s) all[i] = NULL;
    free(s->jobs);
    free(s);
    streams--;
    return 0;
}
result cuStreamSynchronize(void *stream) { CURRENT; if (stream && setting("FAKE_CUDA_WAIT", 0)) return setting("FAKE_CUDA_WAIT", 0); if (stream && ((struct stream *)stream)->captures) return INVALID_VALUE; if (stream) run(stream, ((struct stream *)stream)->asked); return 0; }
result cuStreamQuery(void *stream) { CURRENT; return ((struct stream *)stream)->done == ((struct stream *)stream)->asked ? 0 : 600; }
result cuCtxSynchronize(void) {
    CURRENT;
    for (int i = 0; i < 64; i++)
        if (all[i]) run(all[i], all[i]->asked);
    return 0;
}
result cuStreamIsCapturing(void *stream, int *status) { CURRENT; *status = stream && ((struct stream *)stream)->captures; return 0; }
/* What a stream is asked for while it captures is the graph's. An executable graph is a copy. */
struct graph { struct job *jobs; unsigned long count; };
result cuStreamBeginCapture_v2(void *stream, int mode) {
    CURRENT;
    struct stream *s = stream;
    if (s->captures || s->asked != s->done || mode != 2) return INVALID_VALUE;
    s->captures = 1;
    s->asked = s->done = 0;
    return 0;
}
result cuStreamEndCapture(void *stream, void **graph) {
    CURRENT;
    struct stream *s = stream;
    if (!s->captures) return INVALID_VALUE;
    struct graph *g = *graph = malloc(sizeof *g);
    *g = (struct graph){s->jobs, s->asked};
    *s = (struct stream){0};
    graphs++;
    return 0;
}
static void *copy_of(const void *from, size_t bytes) { return memcpy(malloc(bytes + 1), from, bytes); }
static void copy_jobs(struct graph *to, const struct graph *from) {
    *to = (struct graph){from->count ? copy_of(from->jobs, from->count * sizeof(struct job)) : NULL, from->count};
    for (unsigned long i = 0; i < to->count; i++)
        if (to->jobs[i].kind == LAUNCH) to->jobs[i].from = copy_of(to->jobs[i].from, ARGUMENTS);
}
static void free_jobs(struct graph *g) {
    for (unsigned long i = 0; i < g->count; i++)
        if (g->jobs[i].kind == LAUNCH) free(g->jobs[i].from);
    free(g->jobs);
}
result cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
    CURRENT;
    copy_jobs(*exec = malloc(sizeof(struct graph)), graph);
    graphs++;
    return flags ? INVALID_VALUE : 0;
}
result cuGraphExecUpdate_v2(void *exec, void *graph, void *info) {
    CURRENT;
    struct graph *e = exec, *g = graph;
    int same = e->count == g->count;
    for (unsigned long i = 0; same && i < e->count; i++) same = e->jobs[i].kind == g->jobs[i].kind;
    if (!same || !info) return 910;
    free_jobs(e);
    copy_jobs(e, g);
    return 0;
}
result cuGraphLaunch(void *exec, void *stream) {
    CURRENT;
    struct graph asked;
    copy_jobs(&asked, exec);
    for (unsigned long i = 0; i < asked.count; i++) ask(stream, asked.jobs[i]);
    free(asked.jobs);
    return 0;
}
static result destroy(void *graph) { free_jobs(graph); free(graph); graphs--; return 0; }
result cuGraphExecDestroy(void *exec) { CURRENT; return destroy(exec); }
result cuGraphDestroy(void *graph) { CURRENT; return destroy(graph); }
result cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    CURRENT;
    struct event *e = event;
    /* One that was never recorded has happened. */
    return flags ? INVALID_VALUE : !e->stream ? 0 : ask(stream, (struct job){WAIT, .to = e->stream, .position = e->position});
}
result cuMemsetD8Async(address at, unsigned char value, size_t bytes, void *stream) {
    CURRENT;
    return value || !bytes ? INVALID_VALUE : ask(stream, (struct job){ZERO, .to = (void *)at, .bytes = bytes});
}
result cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream) { CURRENT; return ask(stream, (struct job){COPY, (void *)to, (void *)from, bytes}); }
result cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream) { CURRENT; return ask(stream, (struct job){COPY, to, (void *)from, bytes}); }
result cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream) { CURRENT; return ask(stream, (struct job){COPY, (void *)to, (void *)from, bytes}); }

result cuMemHostAlloc(void **at, size_t bytes, unsigned flags) {
    CURRENT;
    if (flags != 3) return INVALID_VALUE;
    *at = malloc(bytes);
    memset(*at, 0xcd, bytes);
    memories++;
    return 0;
}
result cuMemHostGetDevicePointer_v2(address *device, void *host, unsigned flags) { CURRENT; *device = (address)(uintptr_t)host; return flags; }
result cuMemFreeHost(void *at) { CURRENT; not_in_use(at); free(at); memories--; return 0; }

result cuModuleLoadDataEx(void **module, const char *text, unsigned count, const int *options, void **values) {
    CURRENT;
    char *log = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == 5) log = values[i];
        if (options[i] == 6) size = (size_t)values[i];
    }
    if (strstr(text, "bar.sink")) {
        if (log) snprintf(log, size, "ptxas application ptx input, line 5; error   : Unknown modifier '.sink'\n");
        return INVALID_PTX;
    }
    modules++;
    *module = &modules;
    return 0;
}
/* What is linked is one text, and its machine code the text itself. */
result cuLinkCreate_v2(unsigned count, int *options, void **values, void **state) { CURRENT; *state = calloc(1, sizeof(char *)); return 0; }
result cuLinkAddData_v2(void *state, int kind, void *data, size_t bytes, const char *name, unsigned count, int *options, void **values) {
    CURRENT;
    char **text = state;
    if (kind != 1 || *text || !bytes || ((char *)data)[bytes - 1] || count) return INVALID_VALUE;
    if (strstr(data, "bar.sink")) return INVALID_PTX;
    *text = memcpy(malloc(bytes), data, bytes);
    return 0;
}
result cuLinkComplete(void *state, void **code, size_t *bytes) {
    CURRENT;
    char *text = *(char **)state;
    if (!text) return INVALID_VALUE;
    *code = text;
    *bytes = strlen(text) + 1;
    return 0;
}
result cuLinkDestroy(void *state) { CURRENT; free(*(char **)state); free(state); return 0; }
result cuModuleUnload(void *module) { CURRENT; modules--; return module == &modules ? 0 : INVALID_VALUE; }
/* A kernel that takes the address of 128 bytes, and a map that it copies there. */
static char copy_map[256];
result cuModuleGetFunction(void **function, void *module, const char *name) {
    CURRENT;
    *function = strcmp(name, "copy_map") ? (void *)&modules : copy_map;
    return module == &modules && (!strcmp(name, "saxpy") || *function == copy_map) ? 0 : NOT_FOUND;
}
result cuFuncGetAttribute(int *value, int attribute, void *function) {
    static const int values[] = {256, 0, 4, 0, 18, 75, 90};
    CURRENT;
    if (attribute < 0 || attribute > 6) return INVALID_VALUE;
    *value = values[attribute];
    return 0;
}
result cuFuncSetAttribute(void *function, int attribute, int value) {
    CURRENT;
    if (attribute == 14) {
        printf("> clusters that are not portable\n");
        fflush(stdout);
        return value == 1 ? 0 : INVALID_VALUE;
    }
    if (attribute != 8 || value > 232448) return INVALID_VALUE;
    allowed_shared = value;
    return 0;
}
result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
    CURRENT;
    if (threads < 1 || threads > 256) return INVALID_VALUE;
    *blocks = shared > 49152 && shared > (size_t)allowed_shared ? 0 : shared ? 2 : 2048 / threads > 32 ? 32 : 2048 / threads;
    return 0;
}
result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, void *callback, size_t shared, int limit) {
    CURRENT;
    if (callback || limit) return INVALID_VALUE;
    *grid = 8 * 132;
    *block = 256;
    return 0;
}

/* A map of a tensor: where it is, how much of it, and what of that is copied. The words are this stand-in's own. */
result cuTensorMapEncodeTiled(address *map, unsigned kind, unsigned rank, void *at, const address *size, const address *strides,
                              const unsigned *box, const unsigned *steps, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned outside) {
    CURRENT;
    if ((uintptr_t)map % 64 || (uintptr_t)at % 16 || kind > 12 || rank < 1 || rank > 5) return INVALID_VALUE;
    if (interleave || swizzle > 3 || promotion || outside > 1 || steps[0] != 1) return INVALID_VALUE;
    memset(map, 0, 128);
    map[0] = (address)(uintptr_t)at;
    map[1] = kind | rank << 8 | swizzle << 16 | outside << 24;
    for (unsigned i = 0; i < rank; i++) {
        if (!size[i] || size[i] > 1ull << 32 || !box[i] || box[i] > 256 || !steps[i] || steps[i] > 8) return INVALID_VALUE;
        if (i && (strides[i - 1] % 16 || strides[i - 1] >> 40)) return INVALID_VALUE;
        map[2 + i] = size[i];
        map[7 + i] = i ? strides[i - 1] : 0;
        map[12 + i / 2] |= (address)(box[i] | steps[i] << 16) << i % 2 * 32;
    }
    return 0;
}

struct saxpy { float a; const float *x; unsigned x_len; float *y; unsigned y_len; char *panic; };
_Static_assert(sizeof(struct saxpy) == ARGUMENTS, "as many bytes as a launch keeps");

struct window { void *start; size_t bytes; float ratio; unsigned hit, miss; };
struct attribute { unsigned id; char pad[4]; union { unsigned cluster[3]; int cooperative; struct window window; char bytes[64]; } value; };
struct launch {
    unsigned gx, gy, gz, bx, by, bz, shared; void *stream; struct attribute *attributes; unsigned count;
};

result cuOccupancyMaxActiveClusters(int *clusters, void *function, const struct launch *launch) {
    CURRENT;
    if (launch->count != 1 || launch->attributes[0].id != 4 || launch->stream) return INVALID_VALUE;
    const unsigned *of = launch->attributes[0].value.cluster;
    if (launch->gx % of[0] || launch->gy % of[1] || launch->gz % of[2]) return INVALID_VALUE;
    /* A processing cluster of 16 of the 132 multiprocessors holds whole clusters. */
    unsigned blocks = 2048 / (launch->bx * launch->by * launch->bz);
    *clusters = 8 * (16 * (blocks > 32 ? 32 : blocks) / (of[0] * of[1] * of[2]));
    return 0;
}
result cuLaunchKernelEx(const struct launch *launch, void *function, void **params, void **extra) {
    CURRENT;
    unsigned gx = launch->gx, gy = launch->gy, gz = launch->gz, bx = launch->bx, by = launch->by, bz = launch->bz;
    unsigned shared = launch->shared;
    if (function == copy_map) {
        /* Where a map is among the parameters is for the driver to know, so that it has to be told where each is now. */
        if (extra || !params || !params[0] || !params[1]) return INVALID_VALUE;
        memcpy(copy_map + 128, params[1], 128);
        return ask(launch->stream, (struct job){COPY, *(void **)params[0], copy_map + 128, 128});
    }
    if (function != &modules || !launch->stream || !params == !extra) return INVALID_VALUE;
    int cooperative = 0;
    for (unsigned i = 0; i < launch->count; i++) {
        const struct attribute *a = &launch->attributes[i];
        if (a->id == 1) {
            const struct window *w = &a->value.window;
            if (!w->start || !w->bytes || w->bytes > 134217728 || w->hit != 2 || w->miss != 1) return INVALID_VALUE;
            printf("> %zu bytes kept at a ratio of %g\n", w->bytes, w->ratio);
            fflush(stdout);
            continue;
        }
        if (a->id == 2) {
            if (a->value.cooperative != 1) return INVALID_VALUE;
            cooperative = 1;
            printf("> all %u blocks at once\n", gx);
            fflush(stdout);
            continue;
        }
        if (a->id != 4 || gx % a->value.cluster[0] || gy % a->value.cluster[1] || gz % a->value.cluster[2]) return INVALID_VALUE;
        printf("> clusters of %u blocks\n", a->value.cluster[0] * a->value.cluster[1] * a->value.cluster[2]);
        fflush(stdout);
    }
    if (!launch->count != !launch->attributes) return INVALID_VALUE;
    struct saxpy arguments;
    if (cooperative) {
        /* CUDA 13.0 captures no such launch whose arguments come as one piece. */
        if (!params) return INVALID_VALUE;
        arguments = (struct saxpy){
            *(float *)params[0], *(float **)params[1], *(unsigned *)params[2],
            *(float **)params[3], *(unsigned *)params[4], *(void **)params[5],
        };
    } else {
        if (!extra || (uintptr_t)extra[0] != 1 || (uintptr_t)extra[2] != 2 || extra[4]) return INVALID_VALUE;
        if (*(size_t *)extra[3] != sizeof(struct saxpy)) return INVALID_VALUE;
        arguments = *(struct saxpy *)extra[1];
    }
    if (gy * gz * by * bz != 1 || shared > 49152 && shared > (unsigned)allowed_shared) return INVALID_VALUE;
    struct job job = {LAUNCH, .from = malloc(sizeof(struct saxpy)), .grid = gx, .block = bx};
    memcpy(job.from, &arguments, sizeof(struct saxpy));
    return ask(launch->stream, job);
}
result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **params, void **extra) {
    const struct launch launch = {gx, gy, gz, bx, by, bz, shared, stream, NULL, 0};
    return cuLaunchKernelEx(&launch, function, params, extra);
}
/* What is asked for and not done must not use it. */
static void not_in_use(const void *memory) {
    for (int i = 0; i < 64; i++)
        for (unsigned long at = all[i] ? all[i]->done : 0; all[i] && at < all[i]->asked; at++) {
            const struct job *job = &all[i]->jobs[at];
            const struct saxpy *k = job->from;
            if (job->kind == LAUNCH ? k->x == memory || k->y == memory || k->panic == memory
                                    : job->kind != RECORD && job->kind != WAIT && (job->to == memory || job->from == memory)) {
                fprintf(stderr, "freed what is in use\n");
                abort();
            }
        }
}
static void launch_saxpy(unsigned gx, unsigned bx, const void *arguments) {
    const struct saxpy *k = arguments;
    /* Small blocks take longer. */
    if (bx == 64) now++;
    for (unsigned i = 0; i < gx * bx && i < k->y_len; i++) {
        if (i < k->x_len) { k->y[i] += k->a * k->x[i]; continue; }
        if (*(unsigned *)k->panic) continue;
        unsigned words[] = {1, 0, i, 0, k->x_len, 0, i / bx, 0, 0, i % bx, 0, 0};
        memcpy(k->panic, words, sizeof words);
    }
}
result cuEventCreate(void **event, unsigned flags) { CURRENT; events++; *event = calloc(1, sizeof(struct event)); return flags & ~2; }
result cuEventRecord(void *event, void *stream) {
    CURRENT;
    if (setting("FAKE_CUDA_RECORDS", 0)) return setting("FAKE_CUDA_RECORDS", 0);
    struct stream *s = stream;
    if (!s) return INVALID_VALUE;
    ask(s, (struct job){RECORD, .to = event});
    *(struct event *)event = (struct event){0, s, s->asked};
    return 0;
}
result cuEventSynchronize(void *event) {
    CURRENT;
    struct event *e = event;
    if (!e->stream) return INVALID_VALUE;
    run(e->stream, e->position);
    return 0;
}
result cuEventQuery(void *event) { CURRENT; struct event *e = event; return e->time ? 0 : 600; }
result cuEventElapsedTime(float *milliseconds, void *start, void *stop) {
    CURRENT;
    struct event *a = start, *b = stop;
    if (!a->time || !b->time) return INVALID_VALUE;
    *milliseconds = 0.25f * (b->time - a->time);
    return 0;
}
result cuEventDestroy_v2(void *event) { CURRENT; events--; return 0; /* It may still be asked for. */ }
