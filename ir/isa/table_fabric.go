package isa

// The opcodes of the fabric, by which GPUs reach each other's memory.
const (
	opFabricTryGet Op = iota + firstFabric
	opFabricTryPut
	opFabricTryRed
	opFabricTryPullred
	opFabricSubmit
	opFabricWait
	opFabricTryGetTensor
	opFabricTryPutTensor
	opFabricTryRedTensor
	opFabricTryAtom
)

// fabricOperations: the memory of other GPUs may be this one's.
var fabricOperations = []operation{
	{opFabricTryGet, "fabric.try_get", fabric, byClass, PowerNone, plain},
	{opFabricTryPut, "fabric.try_put", fabric, byClass, PowerNone, plain},
	{opFabricTryRed, "fabric.try_red", fabric, byClass, PowerNone, plain},
	{opFabricTryPullred, "fabric.try_pullred", behaviour{FlowNext, "async updates updates anywhere unseen", LanesExchange, syncLanes, stateNone}, byClass, PowerNone, plain},
	{opFabricSubmit, "fabric.submit", groups, byClass, PowerNone, plain},
	{opFabricWait, "fabric.wait", groups, byClass, PowerNone, plain},
	{opFabricTryGetTensor, "fabric.try_get.async.tensor", fabric, byClass, PowerNone, plain},
	{opFabricTryPutTensor, "fabric.try_put.async.tensor", fabric, byClass, PowerNone, plain},
	{opFabricTryRedTensor, "fabric.try_red.async.tensor", fabric, byClass, PowerNone, plain},
	{opFabricTryAtom, "fabric.try_atom", fabric, byClass, PowerNone, plain},
}

var fabric = behaviour{FlowNext, "async updates updates updates anywhere unseen", lanesOwn, syncNone, stateNone}

// fabricRows (PTX ISA 9.7.11.5). A handle is a logical endpoint and an offset, and
// another where what is done is counted. The tensor map's parts are the same.
var fabricRows = []row{
	{"fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.hint}.relaxed.sys.b128 [dst], [le, offset:b64], size:u32, [mbar]{, policy:policy}",
		cacheHint, ComputeLdSt, "9.3", "100", "9.7.11.5.1"},
	{"fabric.try_put.async{.multimem}.shared::cta" + fabricDone + ".relaxed.sys.b128" + fabricTo, cacheHint, ComputeLdSt, "9.3", "100", "9.7.11.5.2"},
	{"fabric.try_put.async{.multimem}.shared::cta" + fabricDone + ".cp_mask.relaxed.sys.b128 [le, offset:b64], [src], size:u32, [mbar], mask:b16{, policy:policy}",
		cacheHint, ComputeLdSt, "9.3", "100", "9.7.11.5.2"},
	{"fabric.try_put.async{.multimem}.shared::cta" + fabricCounted + ".relaxed.sys.b128" + fabricToCounted, cacheHint, ComputeLdSt, "9.3", "100", "9.7.11.5.2"},
	{"fabric.try_red.async{.multimem}.shared::cta" + fabricDone + ".relaxed.sys.op.type" + fabricTo, fabricBits + cacheHint, Atomic, "9.3", "100", "9.7.11.5.3"},
	{"fabric.try_red.async{.multimem}.shared::cta" + fabricDone + ".relaxed.sys.op.type" + fabricTo, fabricOrders + cacheHint, Atomic, "9.3", "100", "9.7.11.5.3"},
	{"fabric.try_red.async{.multimem}.shared::cta" + fabricDone + ".relaxed.sys.op.type" + fabricTo, fabricSums + cacheHint, Atomic, "9.3", "100", "9.7.11.5.3"},
	{"fabric.try_red.async{.multimem}.shared::cta" + fabricCounted + ".relaxed.sys.op.type" + fabricToCounted, fabricBits + cacheHint, Atomic, "9.3", "100", "9.7.11.5.3"},
	{"fabric.try_red.async{.multimem}.shared::cta" + fabricCounted + ".relaxed.sys.op.type" + fabricToCounted, fabricOrders + cacheHint, Atomic, "9.3", "100", "9.7.11.5.3"},
	{"fabric.try_red.async{.multimem}.shared::cta" + fabricCounted + ".relaxed.sys.op.type" + fabricToCounted, fabricSums + cacheHint, Atomic, "9.3", "100", "9.7.11.5.3"},
	{"fabric.try_pullred" + fabricPull + ".op.type.sync" + fabricFrom, fabricBits, Atomic, "9.3", "100", "9.7.11.5.4"},
	{"fabric.try_pullred" + fabricPull + ".op.type.sync" + fabricFrom, fabricOrders + " .e4m3@/100f,110f,120f .e5m2@/100f,110f,120f", Atomic, "9.3", "100", "9.7.11.5.4"},
	{"fabric.try_pullred" + fabricPull + ".op.type.sync" + fabricFrom, ".op = .add; .type = .u32 .u64 .f16 .bf16 .f32", Atomic, "9.3", "100", "9.7.11.5.4"},
	{"fabric.try_pullred" + fabricPull + ".op.acc::f16.type.sync" + fabricFrom, ".op = .add; .type = .e4m3 .e5m2", Atomic, "9.3", "100f 110f 120f", "9.7.11.5.4"},
	{"fabric.try_pullred" + fabricPull + ".op.acc::f32.type.sync" + fabricFrom, ".op = .add; .type = .f16 .bf16", Atomic, "9.3", "100f 110f 120f", "9.7.11.5.4"},
	{"fabric.submit{.restrict}", ".restrict = .op_restrict::fetching", Barrier, "9.3", "100", "9.7.11.5.5"},
	{"fabric.wait.sync_restrict::reads", "", Barrier, "9.3", "100", "9.7.11.5.6"},
	{"fabric.try_get.async.tensor.dim.shared::cta{.mode}.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.hint}.override::global_address{.attribute}.relaxed.sys.b128 [dst], " +
		fabricMap + ", [mbar]{, policy:policy}", dims + fabricMode + fabricTensor, ComputeLdSt, "9.4", "107f", "9.7.11.5.7"},
	{"fabric.try_put.async.tensor{.multimem}.dim.shared::cta{.mode}" + fabricDone + ".override::global_address{.attribute}.relaxed.sys.b128 " + fabricMap + fabricTensorTo,
		dims + fabricMode + fabricTensor, ComputeLdSt, "9.4", "107f", "9.7.11.5.8"},
	{"fabric.try_put.async.tensor{.multimem}.dim.shared::cta{.mode}" + fabricCounted + ".override::global_address{.attribute}.relaxed.sys.b128 " + fabricMapCounted + fabricTensorTo,
		dims + fabricMode + fabricTensor, ComputeLdSt, "9.4", "107f", "9.7.11.5.8"},
	{"fabric.try_red.async.tensor{.multimem}.dim.shared::cta{.mode}" + fabricDone + ".override::global_address{.attribute}.relaxed.sys.op{.type} " + fabricMap + fabricTensorTo,
		dims + fabricMode + fabricTensor + fabricReduce, Atomic, "9.4", "107f", "9.7.11.5.9"},
	{"fabric.try_red.async.tensor{.multimem}.dim.shared::cta{.mode}" + fabricCounted + ".override::global_address{.attribute}.relaxed.sys.op{.type} " + fabricMapCounted + fabricTensorTo,
		dims + fabricMode + fabricTensor + fabricReduce, Atomic, "9.4", "107f", "9.7.11.5.9"},
	{"fabric.try_atom.async.shared::cta" + fabricDone + ".relaxed.sys.op.type" + fabricAtom, fabricBits + cacheHint, Atomic, "9.4", "100", "9.7.11.5.10"},
	{"fabric.try_atom.async.shared::cta" + fabricDone + ".relaxed.sys.op.type" + fabricAtom, ".op = .exch .cas; .type = .b32 .b64 .b128" + cacheHint, Atomic, "9.4", "100", "9.7.11.5.10"},
	{"fabric.try_atom.async.shared::cta" + fabricDone + ".relaxed.sys.op.type" + fabricAtom, ".op = .min .max; .type = .u32 .u64 .f16x2 .bf16x2" + cacheHint, Atomic, "9.4", "100", "9.7.11.5.10"},
	{"fabric.try_atom.async.shared::cta" + fabricDone + ".relaxed.sys.op.type" + fabricAtom, ".op = .add; .type = .u32 .u64 .f16x2 .bf16x2 .f32 .f64" + cacheHint, Atomic, "9.4", "100", "9.7.11.5.10"},
}

const (
	fabricDone      = ".mbarrier::complete_tx::16B.mbarrier::report::fabric{.hint}"
	fabricCounted   = ".mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.hint}"
	fabricTo        = " [le, offset:b64], [src], size:u32, [mbar]{, policy:policy}"
	fabricToCounted = " [le, offset:b64, counter:b64], [src], size:u32, [mbar]{, policy:policy}"
	fabricPull      = ".async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys"
	fabricFrom      = " [dst], [le, offset:b64], size:u32, [mbar], mask:imm"
	fabricAtom      = " [le, offset:b64], [dst], [src], [mbar]{, policy:policy}"
	fabricTensorTo  = ", [src], size:u32, [mbar]{, policy:policy}"

	fabricMap        = "[map, le:any, offset:b64{, info:any}, coordinates:b32[coordinates]]"
	fabricMapCounted = "[map, le:any, offset:b64, counter:b64{, info:any}, coordinates:b32[coordinates]]"
	// The manual mixes .tile and .tiled, .L2 and .l2.
	fabricMode   = ".mode = .tile .tiled; "
	fabricTensor = ".hint = .L2::cache_hint .l2::cache_hint; .attribute = .override::global_dim .override::global_dim_stride"
	fabricReduce = "; .op = .and .xor .or .add .min .max; .type = .b32 .b64 .u32 .s32 .u64 .s64 .f16 .bf16 .f32 .f64"
	fabricBits   = ".op = .and .xor .or; .type = .b32 .b64"
	fabricOrders = ".op = .min .max; .type = .u32 .s32 .u64 .s64 .f16 .bf16"
	fabricSums   = ".op = .add; .type = .u32 .u64 .f16 .bf16 .f32 .f64"
)
