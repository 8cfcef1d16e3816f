package isa

// The opcodes of bulk copies, of tensor maps and of stores that go on by themselves.
const (
	OpCpAsyncBulk Op = iota + firstBulk
	OpCpReduceAsyncBulk
	OpCpAsyncBulkPrefetch
	OpMultimemCpAsyncBulk
	OpMultimemCpReduceAsyncBulk
	OpCpAsyncBulkTensor
	OpCpReduceAsyncBulkTensor
	OpCpAsyncBulkPrefetchTensor
	OpCpAsyncBulkCommitGroup
	OpCpAsyncBulkWaitGroup
	OpApplypriorityAsyncBulk
	OpApplypriorityAsyncBulkTensor
	OpTensormapReplace
	OpTensormapCpFenceproxy
	OpStAsync
	OpStBulk
	OpRedAsync
	OpMbarrierCheckLayout
	OpTryCancel
	OpQueryCancel
	OpSpcompress
	OpSpdecompress
)

// prefetches bring in what others will find, which is counted when they ask for it.
var prefetches = behaviour{FlowNext, "touches", lanesOwn, syncNone, stateNone}

// bulkOperations: where a tensor map leads no register says, so that those may access memory
// anywhere.
var bulkOperations = []operation{
	{OpCpAsyncBulk, "cp.async.bulk", behaviour{FlowNext, "async writes reads updates bulk", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpCpReduceAsyncBulk, "cp.reduce.async.bulk", behaviour{FlowNext, "async updates reads updates bulk", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpCpAsyncBulkPrefetch, "cp.async.bulk.prefetch", prefetches, byClass, PowerNone, plain},
	{OpMultimemCpAsyncBulk, "multimem.cp.async.bulk", behaviour{FlowNext, "async writes reads bulk", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpMultimemCpReduceAsyncBulk, "multimem.cp.reduce.async.bulk", behaviour{FlowNext, "async updates reads bulk", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpCpAsyncBulkTensor, "cp.async.bulk.tensor", behaviour{FlowNext, "async writes updates anywhere bulk", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpCpReduceAsyncBulkTensor, "cp.reduce.async.bulk.tensor", behaviour{FlowNext, "async reads anywhere bulk", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpCpAsyncBulkPrefetchTensor, "cp.async.bulk.prefetch.tensor", prefetches, byClass, PowerNone, plain},
	{OpCpAsyncBulkCommitGroup, "cp.async.bulk.commit_group", groups, byClass, PowerNone, plain},
	{OpCpAsyncBulkWaitGroup, "cp.async.bulk.wait_group", groups, byClass, PowerNone, plain},
	{OpApplypriorityAsyncBulk, "applypriority.async.bulk", hints, byClass, PowerNone, plain},
	{OpApplypriorityAsyncBulkTensor, "applypriority.async.bulk.tensor", hints, byClass, PowerNone, plain},
	{OpTensormapReplace, "tensormap.replace", behaviour{FlowNext, "updates unseen", lanesOwn, syncNone, stateNone}, UnitMemory, PowerNone, plain},
	{OpTensormapCpFenceproxy, "tensormap.cp_fenceproxy", behaviour{FlowNext, "writes reads unseen", lanesOwn, SyncFence, stateNone}, UnitMemory, PowerNone, plain},
	{OpStAsync, "st.async", behaviour{FlowNext, "async writes updates apart", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpStBulk, "st.bulk", behaviour{FlowNext, "writes apart", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpRedAsync, "red.async", behaviour{FlowNext, "async updates updates apart", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpMbarrierCheckLayout, "mbarrier.check_layout", asks, byClass, PowerNone, plain},
	{OpTryCancel, "clusterlaunchcontrol.try_cancel", behaviour{FlowNext, "async writes updates apart", LanesCTA, syncNone, stateNone}, UnitMemory, PowerNone, plain},
	{OpQueryCancel, "clusterlaunchcontrol.query_cancel", computes, UnitMove, PowerALU, plain},
	{OpSpcompress, "spcompress", computes, UnitALU, PowerALU, plain},
	{OpSpdecompress, "spdecompress", computes, UnitALU, PowerALU, plain},
}

// bulkRows are the bulk copies (PTX ISA 9.7.10.28.4 and .6) and what stores, reduces
// or asks without waiting (9.7.10.12, .14, .30, .31, 9.7.15.7, .16.21, .18, .19).
var bulkRows = []row{
	{"cp.async.bulk{.weak}.shared::cta.global.mbarrier::complete_tx::bytes{.report}{.hint}{.ignore_oob}" + bulkOob, bulkReport + cacheHint + "; .ignore_oob = .ignore_oob@9.2", ComputeLdSt, "8.6", "90", "9.7.10.28.4.1"},
	{"cp.async.bulk.relaxed.scope.shared::cta.global.mbarrier::complete_tx::bytes{.report}{.hint}{.ignore_oob}.b128" + bulkOob, scopes + "; " + bulkReport + cacheHint, ComputeLdSt, "9.3", "90", "9.7.10.28.4.1"},
	{"cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes{.report}{.multicast}{.hint}" + bulkToShared, bulkReport + multicast + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.1"},
	{"cp.async.bulk.relaxed.scope.shared::cluster.global.mbarrier::complete_tx::bytes{.report}{.multicast}{.hint}.b128" + bulkToShared, scopes + "; " + bulkReport + multicast + cacheHint, ComputeLdSt, "9.3", "90", "9.7.10.28.4.1"},
	{"cp.async.bulk{.weak}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [src], size:u32, [mbar]", "", ComputeLdSt, "8.0", "90", "9.7.10.28.4.1"},
	{"cp.async.bulk.relaxed.scope.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [dst], [src], size:u32, [mbar]", ".scope = .cta .cluster", ComputeLdSt, "9.3", "90", "9.7.10.28.4.1"},
	{"cp.async.bulk{.weak}.global.shared::cta.bulk_group{.hint}{.cp_mask} [dst], [src], size:u32{, policy:policy}{, mask:u16?cp_mask}", ".cp_mask = .cp_mask@8.6/100" + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.1"},
	{"cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group{.hint}{.cp_mask}.b128 [dst], [src], size:u32{, policy:policy}{, mask:u16?cp_mask}", scopes + cacheHint, ComputeLdSt, "9.3", "90", "9.7.10.28.4.1"},

	// Which operation which types have is a table of 9.7.10.28.4.2.
	{"cp.reduce.async.bulk{.sem.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dst], [src], size:u32, [mbar]", bulkOrder + bulkSums, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dst], [src], size:u32, [mbar]", bulkOrder + bulkBits, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dst], [src], size:u32, [mbar]", bulkOrder + bulkWraps, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group{.hint}.op.type [dst], [src], size:u32{, policy:policy}", bulkOrder + bulkSums + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group{.hint}.op.type [dst], [src], size:u32{, policy:policy}", bulkOrder + bulkBits + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group{.hint}.op.type [dst], [src], size:u32{, policy:policy}", bulkOrder + bulkWraps + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group{.hint}.op.type [dst], [src], size:u32{, policy:policy}", bulkOrder + bulkFloats + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group{.hint}.op.type [dst], [src], size:u32{, policy:policy}", bulkOrder + bulkHalves + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group{.hint}.op.noftz.type [dst], [src], size:u32{, policy:policy}", bulkOrder + ".op = .add; .type = .f16 .bf16 .f32@9.4" + cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.2"},
	{"cp.async.bulk.prefetch.L2.global{.hint} [src], size:u32{, policy:policy}", cacheHint, ComputeLdSt, "8.0", "90", "9.7.10.28.4.3"},
	{"cp.async.bulk.prefetch.L2.global.L2::evict_last [src], size:u32", "", ComputeLdSt, "9.4", "90", "9.7.10.28.4.3"},
	{"multimem.cp.async.bulk{.weak}.global.shared::cta.bulk_group{.cp_mask} [dst], [src], size:u32{, mask:u16?cp_mask}", "", Atomic, "9.1", "90", "9.7.10.28.4.4"},
	{"multimem.cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group{.cp_mask}.b128 [dst], [src], size:u32{, mask:u16?cp_mask}", scopes, Atomic, "9.3", "90", "9.7.10.28.4.4"},
	{"multimem.cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group.op.type [dst], [src], size:u32", bulkOrder + bulkSums, Atomic, "9.1", "90", "9.7.10.28.4.5"},
	{"multimem.cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group.op.type [dst], [src], size:u32", bulkOrder + bulkBits, Atomic, "9.1", "90", "9.7.10.28.4.5"},
	{"multimem.cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group.op.type [dst], [src], size:u32", bulkOrder + bulkWraps, Atomic, "9.1", "90", "9.7.10.28.4.5"},
	{"multimem.cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group.op.type [dst], [src], size:u32", bulkOrder + bulkFloats, Atomic, "9.1", "90", "9.7.10.28.4.5"},
	{"multimem.cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group.op.type [dst], [src], size:u32", bulkOrder + bulkHalves, Atomic, "9.1", "90", "9.7.10.28.4.5"},
	{"multimem.cp.reduce.async.bulk{.sem.scope}.global.shared::cta.bulk_group.op.noftz.type [dst], [src], size:u32", bulkOrder + ".op = .add; .type = .f16 .bf16 .f32@9.4", Atomic, "9.1", "90", "9.7.10.28.4.5"},
	{"cp.async.bulk.commit_group", "", Barrier, "8.0", "90", "9.7.10.28.6.1"},
	{"cp.async.bulk.wait_group{.read} n:imm", "", Barrier, "8.0", "90", "9.7.10.28.6.2"},
	{"applypriority.async.bulk{.global}.bulk_group.L2::evict_normal [a], size:u32", "", ComputeLdSt, "9.4", "107f", "9.7.10.18"},

	{"st.async{.weak}{.ss}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]", ".ss = .shared::cluster; .vec = .v2 .v4; .type = .b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64 .b128@9.2", ComputeLdSt, "8.1", "90", "9.7.10.12"},
	{"st.async{.mmio}.release.scope{.ss}.type [a], b>", ".scope = .gpu .sys; .ss = .global" + asyncTypes, ComputeLdSt, "8.7", "100", "9.7.10.12"},
	{"st.bulk{.weak}{.ss} [a], size:u32/u64, value:imm", ".ss = .shared::cta", ComputeLdSt, "8.6", "100", "9.7.10.14"},
	{"red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]", ".ss = .shared::cluster; .op = .inc .dec; .type = .u32", Atomic, "8.1", "90", "9.7.15.7"},
	{"red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]", ".ss = .shared::cluster; .op = .min .max; .type = .u32 .s32", Atomic, "8.1", "90", "9.7.15.7"},
	{"red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]", ".ss = .shared::cluster; .op = .and .or .xor; .type = .b32", Atomic, "8.1", "90", "9.7.15.7"},
	{"red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]", ".ss = .shared::cluster; .op = .add; .type = .u32 .s32 .u64", Atomic, "8.1", "90", "9.7.15.7"},
	{"red.async{.mmio}.release.scope{.ss}.op.type [a], b", ".scope = .gpu .sys; .ss = .global; .op = .add; .type = .u32 .s32 .u64 .s64", Atomic, "8.7", "100", "9.7.15.7"},
	{"mbarrier.check_layout.layout{.ss}.b64 p:pred, [a]", ".layout = .layout::v0 .layout::v1; .ss = .shared::cta", Barrier, "9.3", "90", "9.7.15.16.21"},
	{"clusterlaunchcontrol.try_cancel.async{.ss}.mbarrier::complete_tx::bytes{.multicast}.b128 [a], [mbar]",
		".ss = .shared::cta; .multicast = .multicast::cluster::all@8.6/100f,110f,120f", Misc, "8.6", "100", "9.7.15.18"},
	{"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response:b128", "", Misc, "8.6", "100", "9.7.15.19"},
	{"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d:b32[4], response:b128[1]", "", Misc, "8.6", "100", "9.7.15.19"},
	{"clusterlaunchcontrol.query_cancel.dim.b32.b128 d:b32, response:b128", ".dim = .get_first_ctaid::x .get_first_ctaid::y .get_first_ctaid::z", Misc, "8.6", "100", "9.7.15.19"},
	{"spcompress.type.idx.sp::2:4.times d:b32[spmeta], r:b32[spkept], data:b32[spdata], spdesc:b32", ".type = .b8 .b16; .idx = .b2 .b4; " + spTimes, Misc, "9.4", "107a", "9.7.10.30"},
	{"spdecompress.type.idx.factor.times d:b32[spdata], mdata:b32[spmeta], cdata:b32[spkept]", ".type = .b8 .b16; .idx = .b4 .b2; .factor = .sp::2:4 .sp::1:2 .sp::1:4 .sp::1:8 .sp::1:16" +
		" .sp::2:8 .sp::2:16 .sp::4:8 .sp::4:16; .times = .x8 .x1 .x2 .x4 .x16 .x32 .x64", Misc, "9.4", "107a", "9.7.10.31"},
}

// tensorMapRows copy parts of tensors, by maps, and change maps (PTX ISA 9.7.10.19,
// .28.5, .29, 9.7.15.17).
var tensorMapRows = []row{
	{"cp.async.bulk.tensor.dim.dst.global{.mode}.mbarrier::complete_tx::bytes{.report}{.multicast}{.group}{.hint}{.override}{.attribute} [dst], " + tensorMap +
		", [mbar]{, offsets:u16[im2col]?im2col}{, mask:b16?multicast}{, policy:policy}",
		".dst = .shared::cluster .shared::cta@8.6; " + dims + loadModes + bulkReport + multicast + "; .group = .cta_group::1@8.6/100f,110f .cta_group::2@8.6/100f,110f" + cacheHint + overrides, ComputeLdSt, "8.0", "90", "9.7.10.28.5.3"},
	{"cp.async.bulk.tensor.dim.global.shared::cta{.mode}.bulk_group{.hint}{.override}{.attribute} " + tensorMap + ", [src]{, policy:policy}",
		dims + storeModes + " .tile::scatter4@8.6/100f,110f" + cacheHint + overrides, ComputeLdSt, "8.0", "90", "9.7.10.28.5.3"},
	{"cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.mode}.bulk_group{.hint}{.override}{.attribute} " + tensorMap + ", [src]{, policy:policy}",
		dims + storeModes + "; " + bulkOps + cacheHint + overrides, ComputeLdSt, "8.0", "90", "9.7.10.28.5.4"},
	{"cp.async.bulk.prefetch.tensor.dim.L2.global{.mode}{.hint}{.override}{.attribute} " + tensorMap + "{, offsets:u16[im2col]?im2col}{, policy:policy}",
		dims + loadModes + cacheHint + overrides, ComputeLdSt, "8.0", "90", "9.7.10.28.5.5"},
	{"cp.async.bulk.prefetch.tensor.dim.L2.global{.mode}.L2::evict_last{.override}{.attribute} " + tensorMap + "{, offsets:u16[im2col]?im2col}",
		dims + loadModes + overrides, ComputeLdSt, "9.4", "90", "9.7.10.28.5.5"},
	{"applypriority.async.bulk.tensor.dim{.global}.bulk_group{.mode}.L2::evict_normal{.override}{.attribute} " + tensorMap + "{, offsets:u16[im2col]?im2col}",
		dims + loadModes + overrides, ComputeLdSt, "9.4", "107f", "9.7.10.19"},

	{"tensormap.replace.tile.field{.ss}.b1024.type [a], value", ".field = .global_address .rank" + mapTypes, Misc, "8.3", "90a 100f 110f 120f", "9.7.10.29"},
	{"tensormap.replace.tile.field{.ss}.b1024.type [a], ord:imm, value", ".field = .box_dim .global_dim .global_stride .element_stride" + mapTypes, Misc, "8.3", "90a 100f 110f 120f", "9.7.10.29"},
	{"tensormap.replace.tile.field{.ss}.b1024.type [a], value:imm", ".field = .elemtype .interleave_layout .swizzle_mode .swizzle_atomicity@8.6 .fill_mode" + mapTypes, Misc, "8.3", "90a 100f 110f 120f", "9.7.10.29"},
	{"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [dst], [src], size:imm", scopes, Barrier, "8.3", "90", "9.7.15.17"},
}

const (
	bulkToShared = " [dst], [src], size:u32, [mbar]{, mask:u16?multicast}{, policy:policy}"
	bulkOob      = " [dst], [src], size:u32{, left:u32?ignore_oob}{, right:u32?ignore_oob}, [mbar]{, policy:policy}"
	bulkReport   = ".report = .mbarrier::report::disabled@9.4 .mbarrier::report::validity::per_16bytes::80000000@9.4 .mbarrier::report::validity::per_16bytes::8000@9.4" +
		" .mbarrier::report::validity::per_16bytes::80@9.4 .mbarrier::report::validity::per_16bytes::8@9.4 .mbarrier::report::validity::per_element::ff@9.4"
	multicast  = "; .multicast = .multicast::cluster .multicast::cluster::16b@9.4 .multicast::cluster::32b@9.4"
	bulkOrder  = ".sem = .relaxed@9.3; .scope = .cta .cluster .gpu .sys; "
	bulkOps    = ".op = .add .min .max .inc .dec .and .or .xor"
	bulkSums   = ".op = .add .min .max; .type = .u32 .s32 .u64 .s64"
	bulkBits   = ".op = .and .or .xor; .type = .b32 .u32 .s32 .b64 .u64 .s64" // its example has .xor.s32
	bulkWraps  = ".op = .inc .dec; .type = .u32"
	bulkFloats = ".op = .add; .type = .f16 .bf16 .f32 .f64"
	bulkHalves = ".op = .min .max; .type = .f16 .bf16"
	asyncTypes = "; .type = .b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64"
	spTimes    = ".times = .x1 .x2 .x4 .x8 .x16 .x32 .x64"

	// What is overridden stands between the map and the coordinates.
	tensorMap = "[map{, address:b64?override::global_address}{, sizes:b16/b8[coordinates]?override::global_dim}" +
		"{, lower:b32[strides]?override::global_dim_stride}{, upper:b16?override::global_dim_stride}, coordinates:b32[coordinates]]"
	dims       = ".dim = .1d .2d .3d .4d .5d; "
	loadModes  = ".mode = .tile .tile::gather4@8.6/100f,110f .im2col .im2col::w@8.6/100f,110f .im2col::w::128@8.6/100f,110f; "
	storeModes = ".mode = .tile .im2col_no_offs .im2col_no_offs::w@9.4"
	overrides  = "; .override = .override::global_address@9.4; .attribute = .override::global_dim@9.4 .override::global_dim_stride@9.4"
	mapTypes   = "; .ss = .global .shared::cta; .type = .b32 .b64"
)
