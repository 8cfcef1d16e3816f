/* The kernels that the stand-in knows by name, run over host memory. */

/* at returns device memory, or notes the illegal access that a GPU would report. */
static void *at(ptr p, size_t bytes) {
	if (inside(p, bytes)) return (void *)(uintptr_t)p;
	s.pending = ILLEGAL_ADDRESS;
	return NULL;
}

static uint64_t word(void **params, int i, int bytes) {
	uint64_t v = 0;
	memcpy(&v, params[i], bytes);
	return v;
}

/* vector_add(sum, a, b, n) as ptx-samples has it. */
static void vector_add(void **params, uint64_t threads) {
	uint64_t n = word(params, 3, 4);
	for (uint64_t i = 0; i < n && i < threads; i++) {
		float *to = at(word(params, 0, 8) + 4 * i, 4), *a = at(word(params, 1, 8) + 4 * i, 4), *b = at(word(params, 2, 8) + 4 * i, 4);
		if (!to || !a || !b) return;
		*to = *a + *b;
	}
}

/* follow(out, table, n): out[i] = the word at the address table[i], 0 for null. */
static void follow(void **params) {
	uint64_t n = word(params, 2, 4);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t *to = at(word(params, 0, 8) + 4 * i, 4), *from = NULL;
		ptr *slot = at(word(params, 1, 8) + 8 * i, 8);
		if (!to || !slot || (*slot && !(from = at(*slot, 4)))) return;
		*to = *slot ? *from : 0;
	}
}

/* store_params(out, ...): the bytes of the other parameters, one after the other. */
static void store_params(const kernel *k, void **params) {
	ptr to = word(params, 0, 8);
	for (size_t i = 1; i < k->count; i++) {
		void *p = at(to, k->bytes[i]);
		if (!p) return;
		memcpy(p, params[i], k->bytes[i]);
		to += k->bytes[i];
	}
}

/* count_up(counter): adds 1 for each launch. */
static void count_up(void **params) {
	uint32_t *p = at(word(params, 0, 8), 4);
	if (p) ++*p;
}

/* measured(out, data, turns, ...): a benchmark of hyptx calibrate; each turn takes an eighth of a millisecond. */
static void measured(void **params) { s.clock += (int)word(params, 2, 4); }

static void execute(const kernel *k, void **params, uint64_t threads) {
	if (!strcmp(k->name, "vector_add")) vector_add(params, threads);
	else if (!strcmp(k->name, "follow")) follow(params);
	else if (!strcmp(k->name, "store_params")) store_params(k, params);
	else if (!strcmp(k->name, "count_up")) count_up(params);
	else if (!strcmp(k->name, "measured")) measured(params);
	else if (!strcmp(k->name, "illegal")) at(1, 4);
}
