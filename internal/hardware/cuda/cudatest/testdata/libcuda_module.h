/* Modules and launches of the stand-in: it reads of PTX only which kernels,
 * parameters and variables there are. */

static int size_of(const char *type) {
	const char *digits = type + strcspn(type, "0123456789");
	return atoi(digits) / 8;
}

/* declaration reads "[.align n] .type name[count]" up to one of the stops. */
static const char *declaration(const char *p, const char *stops, char *name, size_t *bytes) {
	char type[32] = "", token[256];
	size_t count = 1;
	*name = 0;
	while (*p && !strchr(stops, *p)) {
		size_t n = strcspn(p, " \t\r\n,;=()[]");
		if (n == 0) { if (*p == '[') count = strtoull(p + 1, NULL, 10); p++; if (p[-1] == '[') while (*p && *p != ']') p++; continue; }
		snprintf(token, sizeof token, "%.*s", (int)n, p);
		p += n;
		if (!strcmp(token, ".align") || !strcmp(token, ".ptr")) { p += strspn(p, " "); if (isdigit((unsigned char)*p)) p += strspn(p, "0123456789"); }
		else if (token[0] == '.' && size_of(token) && !*type) snprintf(type, sizeof type, "%.31s", token);
		else if (token[0] != '.' && !isdigit((unsigned char)token[0])) snprintf(name, 256, "%.255s", token);
	}
	*bytes = size_of(type) * count;
	return p;
}

static const char *entry(const char *p, int module) {
	kernel *k = &s.kernels[s.kernel_count++];
	memset(k, 0, sizeof *k);
	k->module = module;
	p += strspn(p, " \t\r\n");
	size_t n = strcspn(p, " \t\r\n({");
	snprintf(k->name, sizeof k->name, "%.*s", (int)n, p);
	p += n;
	p += strspn(p, " \t\r\n");
	if (*p != '(') return p;
	for (size_t at = 0; *p && *p != ')';) {
		char name[256];
		p = declaration(p + 1, ",)", name, &k->bytes[k->count]);
		if (!k->bytes[k->count]) continue;
		k->at[k->count] = at;
		at += k->bytes[k->count++];
	}
	return p;
}

static void scan(const char *p, int module) {
	for (int depth = 0; *p; p++) {
		if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n") - 1;
		else if (*p == '{') depth++;
		else if (*p == '}') depth--;
		else if (!depth && !strncmp(p, ".entry", 6)) p = entry(p + 6, module);
		else if (!depth && (!strncmp(p, ".global ", 8) || !strncmp(p, ".const ", 7))) {
			variable *v = &s.variables[s.variable_count++];
			p = declaration(strchr(p, ' '), ";=", v->name, &v->bytes);
			v->module = module;
			v->at = (ptr)(uintptr_t)calloc(1, v->bytes + 1);
			p += strspn(p, "= ");
			if (isalpha((unsigned char)*p) || *p == '_') /* a function's address */
				*(ptr *)(uintptr_t)v->at = 0xF000 + (unsigned char)*p;
		}
	}
}

int cuModuleLoadDataEx(uintptr_t *module, const char *image, unsigned n, const int *keys, void **values) {
	ENTER_CTX(cuModuleLoadDataEx, " %u", n);
	char *logs[8] = {0};
	size_t bytes[8] = {0};
	for (unsigned i = 0; i < n; i++) {
		if (keys[i] == 3 || keys[i] == 5) logs[keys[i]] = values[i];
		if (keys[i] == 4 || keys[i] == 6) bytes[keys[i] - 1] = (size_t)values[i];
	}
	if (strstr(image, "not_ptx")) {
		if (logs[5]) snprintf(logs[5], bytes[5], "ptxas application ptx input, line 7; fatal   : Parsing error near 'not_ptx': syntax error\n");
		return result("cuModuleLoadDataEx", INVALID_PTX);
	}
	if (logs[3]) snprintf(logs[3], bytes[3], "info    : %zu bytes of PTX\n", strlen(image));
	NEED(cuModuleLoadDataEx, s.modules < 64, OUT_OF_MEMORY);
	scan(image, s.modules);
	s.loaded[s.modules] = 1;
	*module = ++s.modules;
	return 0;
}

#define MODULE(call, m) NEED(call, (m) > 0 && (m) <= (uintptr_t)s.modules && s.loaded[(m) - 1], INVALID_HANDLE)
#define FUNCTION(call, f) NEED(call, (f) > 0 && (f) <= (uintptr_t)s.kernel_count && s.loaded[s.kernels[(f) - 1].module], INVALID_HANDLE)

int cuModuleUnload(uintptr_t module) {
	ENTER_CTX(cuModuleUnload, "");
	MODULE(cuModuleUnload, module);
	s.loaded[module - 1] = 0;
	return 0;
}

int cuModuleGetFunction(uintptr_t *function, uintptr_t module, const char *name) {
	ENTER_CTX(cuModuleGetFunction, " %s", name);
	MODULE(cuModuleGetFunction, module);
	for (int i = 0; i < s.kernel_count; i++)
		if (s.kernels[i].module == (int)module - 1 && !strcmp(s.kernels[i].name, name)) { *function = i + 1; return 0; }
	return result("cuModuleGetFunction", NOT_FOUND);
}

int cuModuleGetGlobal_v2(ptr *address, size_t *bytes, uintptr_t module, const char *name) {
	ENTER_CTX(cuModuleGetGlobal_v2, " %s", name);
	MODULE(cuModuleGetGlobal_v2, module);
	for (int i = 0; i < s.variable_count; i++)
		if (s.variables[i].module == (int)module - 1 && !strcmp(s.variables[i].name, name)) {
			*address = s.variables[i].at;
			*bytes = s.variables[i].bytes;
			return 0;
		}
	return result("cuModuleGetGlobal_v2", NOT_FOUND);
}

int cuFuncGetAttribute(int *value, int attribute, uintptr_t function) {
	ENTER_CTX(cuFuncGetAttribute, " %d", attribute);
	FUNCTION(cuFuncGetAttribute, function);
	static const int known[] = {1024, 128, 0, 16, 24};
	NEED(cuFuncGetAttribute, attribute >= 0 && attribute < 5, INVALID_VALUE);
	*value = known[attribute];
	return 0;
}

int cuFuncSetAttribute(uintptr_t function, int attribute, int value) {
	ENTER_CTX(cuFuncSetAttribute, " %d %d", attribute, value);
	FUNCTION(cuFuncSetAttribute, function);
	if (attribute == 8) {
		NEED(cuFuncSetAttribute, value <= 232448, INVALID_VALUE);
		s.kernels[function - 1].shared = value;
	} else if (attribute == 14) s.kernels[function - 1].cluster = value;
	else return result("cuFuncSetAttribute", INVALID_VALUE);
	return 0;
}

static int launch(const char *call, uintptr_t function, const unsigned *grid, const unsigned *cta, unsigned shared, unsigned cluster, void **params) {
	const kernel *k = &s.kernels[function - 1];
	uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2], threads = (uint64_t)cta[0] * cta[1] * cta[2];
	if (!ctas || !threads || threads > 1024 || ctas % cluster || (cluster > 8 && !k->cluster)) return result(call, INVALID_VALUE);
	if (shared + 128 > 49152 && shared > (unsigned)k->shared) return result(call, INVALID_VALUE);
	for (size_t i = 0; i < k->count; i++) {
		char hex[2 * 64 + 1] = "";
		for (size_t b = 0; b < k->bytes[i] && b < 64; b++) sprintf(hex + 2 * b, "%02x", ((unsigned char *)params[i])[b]);
		if (k->bytes[i] != 8) note(" param %zu %s", i, hex); /* addresses differ from run to run */
	}
	execute(k, params, ctas * threads);
	return 0;
}

int cuLaunchKernel(uintptr_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, uintptr_t stream, void **params, void **extra) {
	ENTER_CTX(cuLaunchKernel, " %u,%u,%u %u,%u,%u %u", gx, gy, gz, bx, by, bz, shared);
	FUNCTION(cuLaunchKernel, f);
	NEED(cuLaunchKernel, !stream && !extra, INVALID_VALUE);
	return launch("cuLaunchKernel", f, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, 1, params);
}

#ifndef FAKE_OLD
int cuDeviceGetUuid(unsigned char *uuid, int device) {
	ENTER(cuDeviceGetUuid, " %d", device);
	for (int i = 0; i < 16; i++) uuid[i] = (unsigned char)(16 * device + i);
	return 0;
}

int cuFuncGetParamInfo(uintptr_t f, size_t index, size_t *offset, size_t *bytes) {
	ENTER_CTX(cuFuncGetParamInfo, " %zu", index);
	FUNCTION(cuFuncGetParamInfo, f);
	if (index >= s.kernels[f - 1].count) return INVALID_VALUE;
	*offset = s.kernels[f - 1].at[index];
	*bytes = s.kernels[f - 1].bytes[index];
	return 0;
}

int cuLaunchCooperativeKernel(uintptr_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, uintptr_t stream, void **params) {
	ENTER_CTX(cuLaunchCooperativeKernel, " %u,%u,%u %u,%u,%u %u", gx, gy, gz, bx, by, bz, shared);
	FUNCTION(cuLaunchCooperativeKernel, f);
	NEED(cuLaunchCooperativeKernel, !stream, INVALID_VALUE);
	return launch("cuLaunchCooperativeKernel", f, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, 1, params);
}

typedef struct { int id; char pad[4]; unsigned value[16]; } attribute;
typedef struct { unsigned grid[3], cta[3], shared; uintptr_t stream; attribute *attributes; unsigned count; } config;

int cuLaunchKernelEx(const config *c, uintptr_t f, void **params, void **extra) {
	ENTER_CTX(cuLaunchKernelEx, " %u,%u,%u %u,%u,%u %u", c->grid[0], c->grid[1], c->grid[2], c->cta[0], c->cta[1], c->cta[2], c->shared);
	FUNCTION(cuLaunchKernelEx, f);
	NEED(cuLaunchKernelEx, !c->stream && !extra, INVALID_VALUE);
	unsigned cluster = 1;
	for (unsigned i = 0; i < c->count; i++) {
		const unsigned *v = c->attributes[i].value;
		note(" attribute %d %u,%u,%u", c->attributes[i].id, v[0], v[1], v[2]);
		if (c->attributes[i].id == 4) cluster = v[0] * v[1] * v[2];
	}
	return launch("cuLaunchKernelEx", f, c->grid, c->cta, c->shared, cluster, params);
}
#endif
