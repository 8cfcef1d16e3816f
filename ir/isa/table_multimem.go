package isa

// The opcodes of multimem, which access the memory of several GPUs by one address.
const (
	OpMultimemLdReduce Op = iota + firstMultimem
	OpMultimemSt
	OpMultimemRed
	OpMultimemStAsync
	OpMultimemRedAsync
)

// multimemOperations: the address stands for that of others, too; there is one device.
var multimemOperations = []operation{
	{OpMultimemLdReduce, "multimem.ld_reduce", behaviour{FlowNext, "reads", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpMultimemSt, "multimem.st", behaviour{FlowNext, "writes", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpMultimemRed, "multimem.red", behaviour{FlowNext, "updates", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpMultimemStAsync, "multimem.st.async", behaviour{FlowNext, "async writes", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
	{OpMultimemRedAsync, "multimem.red.async", behaviour{FlowNext, "async updates", lanesOwn, syncNone, stateNone}, byClass, PowerNone, plain},
}

// multimemRows (PTX ISA 9.7.10.13, .15, 9.7.15.8). Numbers of 8 bits lie in registers
// of 16; they come as pairs and fours, too.
var multimemRows = []row{
	{"multimem.ld_reduce{.sem}{.scope}{.ss}.op.type d, [a]", loadOrder + multimemOps + multimemInts, Atomic, "8.1", "90", "9.7.10.15"},
	{"multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc}{.vec}.type d, [a]", loadOrder + ".op = .min .max .add; .acc = .acc::f32@8.2 .acc::f16@8.6/100f,110f,120f" + multimemFloats, Atomic, "8.1", "90", "9.7.10.15"},
	{"multimem.st{.sem}{.scope}{.ss}.type [a], b", storeOrder + multimemInts, Atomic, "8.1", "90", "9.7.10.15"},
	{"multimem.st{.sem}{.scope}{.ss}{.vec}.type [a], b", storeOrder + multimemFloats, Atomic, "8.1", "90", "9.7.10.15"},
	{"multimem.red{.sem}{.scope}{.ss}.op.type [a], b", redOrder3 + multimemOps + multimemInts, Atomic, "8.1", "90", "9.7.10.15"},
	{"multimem.red{.sem}{.scope}{.ss}.op{.vec}.type [a], b", redOrder3 + ".op = .add; .vec = .v2 .v4 .v8; .type = .f16 .f16x2 .bf16 .bf16x2 .f32 .f64", Atomic, "8.1", "90", "9.7.10.15"},
	{"multimem.st.async.release.scope{.ss}.type [a], b>", ".scope = .gpu .sys; .ss = .global" + asyncTypes, Atomic, "9.3", "100", "9.7.10.13"},
	{"multimem.red.async.release.scope{.ss}.op.type [a], b", ".scope = .gpu .sys; .ss = .global; .op = .add; .type = .u32 .s32 .u64", Atomic, "9.3", "100", "9.7.15.8"},
}

const (
	multimemRest   = " .release .weak; .scope = .cta .cluster .gpu .sys; .ss = .global; "
	loadOrder      = ".sem = .relaxed .acquire .weak; .scope = .cta .cluster .gpu .sys; .ss = .global; "
	storeOrder     = ".sem = .relaxed" + multimemRest
	redOrder3      = ".sem = .relaxed .release; .scope = .cta .cluster .gpu .sys; .ss = .global; "
	multimemOps    = ".op = .min .max .add .and .or .xor"
	multimemInts   = "; .type = .b32 .b64 .u32 .u64 .s32 .s64"
	multimemFloats = "; .vec = .v2 .v4 .v8; .type = .f16 .f16x2 .bf16 .bf16x2 .f32 .f64 .e5m2x2@8.6/100f,110f,120f .e5m2x4@8.6/100f,110f,120f" +
		" .e4m3x2@8.6/100f,110f,120f .e4m3x4@8.6/100f,110f,120f .e5m2@8.6/100f,110f,120f .e4m3@8.6/100f,110f,120f"
)
