/* A stand-in for the CUDA driver, for tests without a GPU: it records every
 * call, holds device memory on the host's heap, checks what it can (current
 * context, handles, ranges, double frees) and fails on demand. It does not
 * execute PTX: a few kernels are known by name (libcuda_kernels.h).
 *
 * cuInit starts afresh and reads the environment:
 *   HYPTX_FAKE_LOG      file that every call is appended to
 *   HYPTX_FAKE_FAIL     call:code@n,... the n-th call (from 1) returns code
 *   HYPTX_FAKE_DEVICES  number of GPUs (1)
 *   HYPTX_FAKE_MEMORY   bytes of each GPU (1 GiB)
 *   HYPTX_FAKE_VERSION  of the driver (12040)
 *   HYPTX_FAKE_HANG     call that takes ten minutes
 *   HYPTX_FAKE_BUSY     how often cuEventQuery says "not ready" for each event (0)
 *
 * -DFAKE_OLD leaves out the functions that older drivers lack, -DFAKE_BROKEN
 * one that none lacks. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t ptr;
enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201,
       INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700 };
enum { CONTEXT = 0xC0 };

/* What a module holds. */
typedef struct { char name[256]; size_t count, bytes[64], at[64]; int module, shared, cluster; } kernel;
typedef struct { char name[256]; size_t bytes; ptr at; int module; } variable;
typedef struct { ptr at; size_t bytes; } block;

static struct {
	int devices, version, busy, retained, sticky, pending, modules, clock;
	size_t memory, used;
	int loaded[64], kernel_count, variable_count, block_count, event_count, call_count;
	kernel kernels[256];
	variable variables[256];
	block blocks[4096];
	struct { int alive, recorded, busy; } events[4096];
	struct { char name[64]; int n; } calls[64];
} s;
static __thread int current;

static const char *env(const char *name, const char *otherwise) {
	const char *v = getenv(name);
	return v && *v ? v : otherwise;
}

static void note(const char *format, ...) {
	const char *path = env("HYPTX_FAKE_LOG", NULL);
	if (!path) return;
	FILE *f = fopen(path, "a");
	if (!f) return;
	va_list args;
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fputc('\n', f);
	fclose(f);
}

static int is_sticky(int code) { return code == 214 || (code >= 700 && code <= 721 && code != 701 && code != 720); }

/* demanded returns the code that HYPTX_FAKE_FAIL wants of this call, 0 for none. */
static int demanded(const char *call) {
	int n = 0, i;
	for (i = 0; i < s.call_count && strcmp(s.calls[i].name, call); i++) {}
	if (i == s.call_count) snprintf(s.calls[s.call_count++].name, sizeof s.calls[0].name, "%s", call);
	n = ++s.calls[i].n;
	size_t len = strlen(call);
	for (const char *p = env("HYPTX_FAKE_FAIL", ""); p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		int code = 0, at = 1;
		if (!strncmp(p, call, len) && p[len] == ':' && sscanf(p + len, ":%d@%d", &code, &at) >= 1 && at == n) return code;
	}
	return 0;
}

/* result records what a call returns; a sticky code stays. */
static int result(const char *call, int code) {
	if (code) note("%s -> %d", call, code);
	if (is_sticky(code)) s.sticky = code;
	return code;
}

#define ENTER(call, ...) do { note(#call __VA_ARGS__); if (!strcmp(env("HYPTX_FAKE_HANG", ""), #call)) sleep(600); int code_ = s.sticky ? s.sticky : demanded(#call); if (code_) return result(#call, code_); } while (0)
#define ENTER_CTX(call, ...) do { ENTER(call, __VA_ARGS__); if (current != CONTEXT) return result(#call, INVALID_CONTEXT); } while (0)
#define NEED(call, cond, code) do { if (!(cond)) return result(#call, code); } while (0)

/* inside reports whether a range lies in one allocation or variable. */
static int inside(ptr at, size_t bytes) {
	for (int i = 0; i < s.block_count; i++)
		if (at >= s.blocks[i].at && bytes <= s.blocks[i].bytes && at - s.blocks[i].at <= s.blocks[i].bytes - bytes) return 1;
	for (int i = 0; i < s.variable_count; i++)
		if (s.loaded[s.variables[i].module] && at >= s.variables[i].at && bytes <= s.variables[i].bytes &&
			at - s.variables[i].at <= s.variables[i].bytes - bytes) return 1;
	return 0;
}

#include "libcuda_kernels.h"
#include "libcuda_module.h"

int cuDriverGetVersion(int *version) { *version = atoi(env("HYPTX_FAKE_VERSION", "12040")); return 0; }

int cuInit(unsigned flags) {
	memset(&s, 0, sizeof s);
	s.devices = atoi(env("HYPTX_FAKE_DEVICES", "1"));
	s.memory = strtoull(env("HYPTX_FAKE_MEMORY", "1073741824"), NULL, 10);
	s.busy = atoi(env("HYPTX_FAKE_BUSY", "0"));
	ENTER(cuInit, " %u", flags);
	return s.devices ? 0 : result("cuInit", NO_DEVICE);
}

static const struct { int code; const char *name, *text; } texts[] = {
	{1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"}, {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}, {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}, {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"}, {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};
#define TEXTS ((int)(sizeof texts / sizeof texts[0]))

int cuGetErrorName(int code, const char **out) {
	*out = NULL;
	for (int i = 0; i < TEXTS; i++) if (texts[i].code == code) *out = texts[i].name;
	return *out ? 0 : INVALID_VALUE;
}

int cuGetErrorString(int code, const char **out) {
	*out = NULL;
	for (int i = 0; i < TEXTS; i++) if (texts[i].code == code) *out = texts[i].text;
	return *out ? 0 : INVALID_VALUE;
}

int cuDeviceGetCount(int *n) { ENTER(cuDeviceGetCount, ""); *n = s.devices; return 0; }

int cuDeviceGet(int *device, int ordinal) {
	ENTER(cuDeviceGet, " %d", ordinal);
	NEED(cuDeviceGet, ordinal >= 0 && ordinal < s.devices, INVALID_DEVICE);
	*device = ordinal;
	return 0;
}

int cuDeviceGetName(char *name, int bytes, int device) {
	ENTER(cuDeviceGetName, " %d", device);
	snprintf(name, bytes, "Stand-in GPU %d", device);
	return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) { ENTER(cuDeviceTotalMem_v2, " %d", device); *bytes = s.memory; return 0; }

int cuDeviceGetAttribute(int *value, int attribute, int device) {
	ENTER(cuDeviceGetAttribute, " %d %d", attribute, device);
	static const int known[][2] = {{10, 32}, {13, 1980000}, {16, 132}, {33, 0x1b}, {34, 0}, {36, 2619000}, {37, 5120}, {38, 52428800},
		{39, 2048}, {50, 0}, {75, 9}, {76, 0}, {81, 233472}, {82, 65536}, {95, 1}, {97, 232448}};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i][0] == attribute) { *value = known[i][1]; return 0; }
	return result("cuDeviceGetAttribute", INVALID_VALUE);
}

int cuDevicePrimaryCtxRetain(uintptr_t *context, int device) {
	ENTER(cuDevicePrimaryCtxRetain, " %d", device);
	s.retained++;
	*context = CONTEXT;
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
	ENTER(cuDevicePrimaryCtxRelease_v2, " %d", device);
	NEED(cuDevicePrimaryCtxRelease_v2, s.retained > 0, INVALID_CONTEXT);
	if (--s.retained == 0) {
		int modules = 0, events = 0;
		for (int i = 0; i < s.modules; i++) modules += s.loaded[i];
		for (int i = 0; i < s.event_count; i++) events += s.events[i].alive;
		note("left %d allocations %d modules %d events", s.block_count, modules, events);
	}
	return 0;
}

int cuDevicePrimaryCtxReset_v2(int device) {
	s.sticky = s.pending = s.block_count = 0;
	ENTER(cuDevicePrimaryCtxReset_v2, " %d", device);
	return 0;
}

int cuCtxSetCurrent(uintptr_t context) {
	ENTER(cuCtxSetCurrent, " %d", context == CONTEXT);
	current = (int)context;
	return 0;
}

int cuCtxSetLimit(int limit, size_t bytes) { ENTER_CTX(cuCtxSetLimit, " %d %zu", limit, bytes); return 0; }

/* finish reports what a kernel did wrong, as the next call that waits does. */
static int finish(const char *call) {
	int code = s.pending;
	s.pending = 0;
	return result(call, code);
}

int cuCtxSynchronize(void) { ENTER_CTX(cuCtxSynchronize, ""); return finish("cuCtxSynchronize"); }

int cuMemAlloc_v2(ptr *at, size_t bytes) {
	ENTER_CTX(cuMemAlloc_v2, " %zu", bytes);
	NEED(cuMemAlloc_v2, bytes > 0 && s.block_count < 4096, INVALID_VALUE);
	NEED(cuMemAlloc_v2, bytes <= s.memory - s.used, OUT_OF_MEMORY);
	void *p = aligned_alloc(256, (bytes + 511) / 256 * 256);
	NEED(cuMemAlloc_v2, p, OUT_OF_MEMORY);
	memset(p, 0xA5, bytes); /* a GPU's memory is not cleared either */
	s.used += bytes;
	s.blocks[s.block_count++] = (block){(ptr)(uintptr_t)p, bytes};
	*at = (ptr)(uintptr_t)p;
	return 0;
}

int cuMemFree_v2(ptr at) {
	ENTER_CTX(cuMemFree_v2, "");
	for (int i = 0; i < s.block_count; i++)
		if (s.blocks[i].at == at) {
			s.used -= s.blocks[i].bytes;
			free((void *)(uintptr_t)at);
			s.blocks[i] = s.blocks[--s.block_count];
			return 0;
		}
	return result("cuMemFree_v2", INVALID_VALUE);
}

int cuMemGetInfo_v2(size_t *unused, size_t *total) {
	ENTER_CTX(cuMemGetInfo_v2, "");
	*unused = s.memory - s.used;
	*total = s.memory;
	return 0;
}

int cuMemcpyHtoD_v2(ptr to, const void *from, size_t bytes) {
	ENTER_CTX(cuMemcpyHtoD_v2, " %zu", bytes);
	NEED(cuMemcpyHtoD_v2, inside(to, bytes), INVALID_VALUE);
	memcpy((void *)(uintptr_t)to, from, bytes);
	return 0;
}

int cuMemcpyDtoH_v2(void *to, ptr from, size_t bytes) {
	ENTER_CTX(cuMemcpyDtoH_v2, " %zu", bytes);
	if (s.pending) return finish("cuMemcpyDtoH_v2");
	NEED(cuMemcpyDtoH_v2, inside(from, bytes), INVALID_VALUE);
	memcpy(to, (void *)(uintptr_t)from, bytes);
	return 0;
}

int cuMemcpyDtoD_v2(ptr to, ptr from, size_t bytes) {
	ENTER_CTX(cuMemcpyDtoD_v2, " %zu", bytes);
	NEED(cuMemcpyDtoD_v2, inside(to, bytes) && inside(from, bytes), INVALID_VALUE);
	NEED(cuMemcpyDtoD_v2, to + bytes <= from || from + bytes <= to, INVALID_VALUE); /* the manual leaves overlaps open */
	memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
	return 0;
}

#ifndef FAKE_BROKEN
int cuMemsetD8_v2(ptr to, unsigned char value, size_t count) {
	ENTER_CTX(cuMemsetD8_v2, " %u %zu", value, count);
	NEED(cuMemsetD8_v2, inside(to, count), INVALID_VALUE);
	memset((void *)(uintptr_t)to, value, count);
	return 0;
}
#endif

#define EVENT(call, e) NEED(call, (e) > 0 && (e) <= (uintptr_t)s.event_count && s.events[(e) - 1].alive, INVALID_HANDLE)

int cuEventCreate(uintptr_t *event, unsigned flags) {
	ENTER_CTX(cuEventCreate, " %u", flags);
	NEED(cuEventCreate, s.event_count < 4096, OUT_OF_MEMORY);
	s.events[s.event_count].alive = 1;
	*event = ++s.event_count;
	return 0;
}

int cuEventDestroy_v2(uintptr_t event) {
	ENTER_CTX(cuEventDestroy_v2, "");
	EVENT(cuEventDestroy_v2, event);
	s.events[event - 1].alive = 0;
	return 0;
}

int cuEventRecord(uintptr_t event, uintptr_t stream) {
	ENTER_CTX(cuEventRecord, " %d", (int)stream);
	EVENT(cuEventRecord, event);
	s.events[event - 1].recorded = ++s.clock;
	s.events[event - 1].busy = s.busy;
	return 0;
}

int cuEventQuery(uintptr_t event) {
	ENTER_CTX(cuEventQuery, "");
	EVENT(cuEventQuery, event);
	if (s.events[event - 1].busy) { s.events[event - 1].busy--; return NOT_READY; }
	return finish("cuEventQuery");
}

/* An eighth of a millisecond lies between two records. */
int cuEventElapsedTime(float *ms, uintptr_t start, uintptr_t end) {
	ENTER_CTX(cuEventElapsedTime, "");
	EVENT(cuEventElapsedTime, start);
	EVENT(cuEventElapsedTime, end);
	NEED(cuEventElapsedTime, s.events[start - 1].recorded && s.events[end - 1].recorded, INVALID_HANDLE);
	*ms = 0.125f * (float)(s.events[end - 1].recorded - s.events[start - 1].recorded);
	return 0;
}
