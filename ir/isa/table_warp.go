package isa

// The opcodes of exchanges within a warp.
const (
	OpShfl Op = iota + firstWarp
	OpVote
	OpMatch
	OpRedux
	OpActivemask
	OpElect
)

// warpOperations: each depends on the other lanes of the warp; activemask does not
// wait for them.
var warpOperations = []operation{
	{OpShfl, "shfl", exchanges, byClass, PowerALU, plain},
	{OpVote, "vote", exchanges, byClass, PowerALU, plain},
	{OpMatch, "match", exchanges, byClass, PowerALU, plain},
	{OpRedux, "redux", exchanges, byClass, PowerALU, plain},
	{OpActivemask, "activemask", gathers, byClass, PowerALU, plain},
	{OpElect, "elect", exchanges, byClass, PowerALU, plain},
}

// warpRows exchange values between the lanes of a warp (PTX ISA 9.7.10.5, .6
// and 9.7.15.9 to .15).
var warpRows = []row{
	{"shfl.mode.b32 d[|p], a, b, c", shflModes, InterThread, "3.0 until 6.4/70", "30", "9.7.10.5"},
	{"shfl.sync.mode.b32 d[|p], a, b, c, mask", shflModes, InterThread, "6.0", "30", "9.7.10.6"},
	{"vote.mode.pred p, {!}a", voteModes, InterThread, "1.2 until 6.4/70", "12", "9.7.15.9"},
	{"vote.mode.b32 d, {!}a:pred", ".mode = .ballot", InterThread, "2.0 until 6.4/70", "20", "9.7.15.9"},
	{"vote.sync.mode.pred p, {!}a, mask:b32", voteModes, InterThread, "6.0", "30", "9.7.15.10"},
	{"vote.sync.mode.b32 d, {!}a:pred, mask", ".mode = .ballot", InterThread, "6.0", "30", "9.7.15.10"},
	{"match.mode.sync.type d:b32, a, mask:b32", ".mode = .any; .type = .b32 .b64", InterThread, "6.0", "70", "9.7.15.11"},
	{"match.mode.sync.type d:b32[|p], a, mask:b32", ".mode = .all; .type = .b32 .b64", InterThread, "6.0", "70", "9.7.15.11"},
	{"activemask.b32 d", "", InterThread, "6.2", "30", "9.7.15.12"},
	{"redux.sync.op.type d, a, mask:b32", ".op = .add .min .max; .type = .u32 .s32", InterThread, "7.0", "80", "9.7.15.13"},
	{"redux.sync.op.b32 d, a, mask", ".op = .and .or .xor", InterThread, "7.0", "80", "9.7.15.13"},
	{"redux.sync.op{.abs}{.NaN}.f32 d, a, mask:b32", ".op = .min .max", InterThread, "8.6", "100f", "9.7.15.13"},
	{"elect.sync d:b32|p, mask:b32", "", InterThread, "8.0", "90", "9.7.15.15"},
}

const (
	shflModes = ".mode = .up .down .bfly .idx"
	voteModes = ".mode = .all .any .uni"
)
