package isa

// The opcodes of loads, stores, hints and asynchronous copies.
const (
	OpLd Op = iota + firstMemory
	OpLdu
	OpSt
	OpPrefetch
	OpPrefetchu
	OpApplypriority
	OpDiscard
	OpCreatepolicy
	OpCpAsync
	OpCpAsyncCommitGroup
	OpCpAsyncWaitGroup
	OpCpAsyncWaitAll
	OpCpAsyncMbarrierArrive
)

// memoryOperations: what is counted as memory traffic reads or writes; hints touch,
// and what discard leaves is anything. cp.async goes on after the instruction and
// names the destination first. Its mbarrier arrival stands for copies anywhere.
var memoryOperations = []operation{
	{OpLd, "ld", loads, UnitMemory, PowerNone, by(CostMemory)},
	{OpLdu, "ldu", loads, byClass, PowerNone, plain},
	{OpSt, "st", stores, UnitMemory, PowerNone, by(CostMemory)},
	{OpPrefetch, "prefetch", hints, byClass, PowerNone, plain},
	{OpPrefetchu, "prefetchu", hints, byClass, PowerNone, plain},
	{OpApplypriority, "applypriority", hints, byClass, PowerNone, plain},
	{OpDiscard, "discard", behaviour{FlowNext, "discards", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpCreatepolicy, "createpolicy", hints, UnitMove, PowerNone, plain},
	{OpCpAsync, "cp.async", behaviour{FlowNext, "async writes reads", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpCpAsyncCommitGroup, "cp.async.commit_group", groups, byClass, PowerNone, plain},
	{OpCpAsyncWaitGroup, "cp.async.wait_group", groups, byClass, PowerNone, plain},
	{OpCpAsyncWaitAll, "cp.async.wait_all", groups, byClass, PowerNone, plain},
	{OpCpAsyncMbarrierArrive, "cp.async.mbarrier.arrive", behaviour{FlowNext, "updates anywhere", lanesOwn, SyncObject, stateNone}, byClass, PowerNone, plain},
}

// memoryRows load, store and prefetch (PTX ISA 9.7.10.8 to .21). An eviction
// priority excludes a cache operator, so that they stand in rows of their own;
// so does .param, which another class counts.
var memoryRows = []row{
	{"ld{.weak}{.ss}{.cop}{.hint}{.prefetch}{.vec}.type d>, [a]{, policy:policy}", loadSpaces + loadCop + cacheHint + prefetchSize + memTypes,
		ComputeLdSt, "1.0", "", "9.7.10.8"},
	{"ld{.weak}{.ss}.l1{.l2}{.hint}{.prefetch}{.vec}.type d>, [a]{, policy:policy}", loadSpaces + evict1 + evict2 + cacheHint + prefetchSize + memTypes,
		ComputeLdSt, "7.4", "70", "9.7.10.8"},
	{"ld{.weak}{.ss}.l2{.hint}{.prefetch}{.vec}.type d>, [a]{, policy:policy}", loadSpaces + evict2 + cacheHint + prefetchSize + memTypes,
		ComputeLdSt, "8.8", "100", "9.7.10.8"},
	{"ld.volatile{.ss}{.prefetch}{.vec}.type d>, [a]", loadSpaces + prefetchSize + memTypes, ComputeLdSt, "1.1", "", "9.7.10.8"},
	{"ld.sem.scope{.ss}{.l1}{.l2}{.hint}{.prefetch}{.vec}.type d>, [a]{, policy:policy}",
		".sem = .relaxed .acquire; " + scopes + syncSpaces + evict1 + evict2 + cacheHint + prefetchSize + memTypes, ComputeLdSt, "6.0", "70", "9.7.10.8"},
	{"ld.mmio.sem.sys{.global}.type d>, [a]", ".sem = .relaxed .acquire@9.3" + memScalars, ComputeLdSt, "8.2", "70", "9.7.10.8"},
	{"ld{.ss}.proxy::readonly.type d>, [a]", loadSpaces + memScalars, ComputeLdSt, "9.4", "90", "9.7.10.8"},
	{"ld{.weak}.ss{.cop}{.vec}.type d>, [a]", ".ss = .param .param::entry@8.3 .param::func@8.3" + loadCop + memTypes, Misc, "1.0", "", "9.7.10.8"},

	{"ld.global{.cop}.nc{.hint}{.prefetch}{.vec}.type d>, [a]{, policy:policy}", ".cop = .ca .cg .cs" + cacheHint + prefetchSize + memTypes,
		ComputeLdSt, "3.1", "32", "9.7.10.9"},
	{"ld.global.nc.l1{.l2}{.hint}{.prefetch}{.vec}.type d>, [a]{, policy:policy}", evict1 + evict2 + cacheHint + prefetchSize + memTypes,
		ComputeLdSt, "7.4", "70", "9.7.10.9"},
	{"ld.global.nc.l2{.hint}{.prefetch}{.vec}.type d>, [a]{, policy:policy}", evict2 + cacheHint + prefetchSize + memTypes,
		ComputeLdSt, "8.8", "100", "9.7.10.9"},
	{"ldu{.ss}{.vec}.type d>, [a]", ".ss = .global" + memTypes, ComputeLdSt, "2.0", "", "9.7.10.10"},

	{"st{.weak}{.ss}{.cop}{.hint}{.vec}.type [a], b>{, policy:policy}", storeSpaces + storeCop + cacheHint + memTypes, ComputeLdSt, "1.0", "", "9.7.10.11"},
	{"st{.weak}{.ss}.l1{.l2}{.hint}{.vec}.type [a], b>{, policy:policy}", storeSpaces + evict1 + evict2 + cacheHint + memTypes,
		ComputeLdSt, "7.4", "70", "9.7.10.11"},
	{"st{.weak}{.ss}.l2{.hint}{.vec}.type [a], b>{, policy:policy}", storeSpaces + evict2 + cacheHint + memTypes, ComputeLdSt, "8.8", "100", "9.7.10.11"},
	{"st.volatile{.ss}{.vec}.type [a], b>", storeSpaces + memTypes, ComputeLdSt, "1.1", "", "9.7.10.11"},
	{"st.sem.scope{.ss}{.l1}{.l2}{.hint}{.vec}.type [a], b>{, policy:policy}",
		".sem = .relaxed .release; " + scopes + syncSpaces + evict1 + evict2 + cacheHint + memTypes, ComputeLdSt, "6.0", "70", "9.7.10.11"},
	{"st.mmio.sem.sys{.global}.type [a], b>", ".sem = .relaxed .release@9.3" + memScalars, ComputeLdSt, "8.2", "70", "9.7.10.11"},
	{"st{.weak}.ss{.vec}.type [a], b>", ".ss = .param .param::func@8.3" + memTypes, Misc, "1.0", "", "9.7.10.11"},

	{"prefetch{.space}.level [a]", ".space = .global .local; .level = .L1 .L2", ComputeLdSt, "2.0", "20", "9.7.10.16"},
	{"prefetch{.global}.L1::32B.valid_addr [a]", "", ComputeLdSt, "9.4", "90", "9.7.10.16"},
	{"prefetch.global.level [a]", ".level = .L2::evict_last .L2::evict_normal", ComputeLdSt, "7.4", "80", "9.7.10.16"},
	{"prefetch{.space}.tensormap [a]", ".space = .const .param", ComputeLdSt, "8.0", "90", "9.7.10.16"},
	{"prefetchu.L1 [a]", "", ComputeLdSt, "2.0", "20", "9.7.10.16"},
	{"applypriority{.global}.L2::evict_normal [a], size:imm", "", ComputeLdSt, "7.4", "80", "9.7.10.17"},
	{"discard{.global}.L2 [a], size:imm", "", ComputeLdSt, "7.4", "80", "9.7.10.20"},
	{"createpolicy.range{.global}.primary{.secondary}.b64 d, [a], size:u32, total:u32", policies, Misc, "7.4", "80", "9.7.10.21"},
	{"createpolicy.range.fabric.primary{.secondary}.b64 d, [le, offset:b64], size:u32, total:u32", policies, Misc, "9.4", "100", "9.7.10.21"},
	{"createpolicy.fractional.primary{.secondary}.b64 d{, fraction:f32}", policies, Misc, "7.4", "80", "9.7.10.21"},
	{"createpolicy.cvt.L2.b64 d, property", "", Misc, "7.4", "80", "9.7.10.21"},

	{"cp.async.ca.dst.global{.hint}{.prefetch} [dst], [src], size:imm{, srcSize:u32/pred}{, policy:policy}", copySpaces + cacheHint + prefetchSize,
		ComputeLdSt, "7.0", "80", "9.7.10.28.3.1"},
	{"cp.async.cg.dst.global{.hint}{.prefetch} [dst], [src], size:imm{, srcSize:u32/pred}{, policy:policy}", copySpaces + cacheHint + prefetchSize,
		ComputeLdSt, "7.0", "80", "9.7.10.28.3.1"},
	{"cp.async.commit_group", "", ComputeLdSt, "7.0", "80", "9.7.10.28.3.2"},
	{"cp.async.wait_group n:imm", "", ComputeLdSt, "7.0", "80", "9.7.10.28.3.3"},
	{"cp.async.wait_all", "", ComputeLdSt, "7.0", "80", "9.7.10.28.3.3"},
	{"cp.async.mbarrier.arrive{.noinc}{.space}.b64 [a]", ".space = .shared .shared::cta@7.8", ComputeLdSt, "7.0", "80", "9.7.15.16.18"},
}

// The slots of memory instructions. Those that begin with ";" continue a list.
const (
	loadSpaces  = ".ss = .const .global .local .shared .shared::cta@7.8 .shared::cluster@7.8/90"
	storeSpaces = ".ss = .global .local .shared .shared::cta@7.8 .shared::cluster@7.8/90"
	// syncSpaces are those that other threads see.
	syncSpaces = "; .ss = .global .shared .shared::cta@7.8 .shared::cluster@7.8/90"
	copySpaces = ".dst = .shared .shared::cta@7.8"

	loadCop      = "; .cop = .ca@2.0/20 .cg@2.0/20 .cs@2.0/20 .lu@2.0/20 .cv@2.0/20"
	storeCop     = "; .cop = .wb@2.0/20 .cg@2.0/20 .cs@2.0/20 .wt@2.0/20"
	evict1       = "; .l1 = .L1::evict_normal@7.4/70 .L1::evict_unchanged@7.4/70 .L1::evict_first@7.4/70 .L1::evict_last@7.4/70 .L1::no_allocate@7.4/70"
	evict2       = "; .l2 = .L2::evict_normal@8.8/100 .L2::evict_first@8.8/100 .L2::evict_last@8.8/100"
	cacheHint    = "; .hint = .L2::cache_hint@7.4/80"
	prefetchSize = "; .prefetch = .L2::64B@7.4/75 .L2::128B@7.4/75 .L2::256B@7.4/80"

	memScalars = "; .type = .b8 .b16 .b32 .b64 .b128@8.3/70 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64"
	memTypes   = "; .vec = .v2 .v4 .v8@8.8/100" + memScalars

	scopes   = ".scope = .cta .cluster@7.8/90 .gpu .sys"
	policies = ".primary = .L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged; .secondary = .L2::evict_first .L2::evict_unchanged"
)
