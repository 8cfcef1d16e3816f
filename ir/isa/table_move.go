package isa

// The opcodes of moves and addresses.
const (
	OpMov Op = iota + firstMove
	OpPrmt
	OpIsspacep
	OpCvta
	OpMapa
	OpGetctarank
)

// moveOperations: mov and cvta of global memory leave nothing in the machine code;
// mapa and getctarank ask where the CTA stands in its cluster.
var moveOperations = []operation{
	{OpMov, "mov", computes, UnitMove, PowerALU, by(CostMove)},
	{OpPrmt, "prmt", computes, byClass, PowerALU, plain},
	{OpIsspacep, "isspacep", computes, byClass, PowerALU, plain},
	{OpCvta, "cvta", computes, byClass, PowerALU, by(CostWindow)},
	{OpMapa, "mapa", behaviour{FlowNext, "none", LanesCluster, syncNone, stateNone}, byClass, PowerALU, plain},
	{OpGetctarank, "getctarank", behaviour{FlowNext, "none", LanesCluster, syncNone, stateNone}, UnitMove, PowerALU, plain},
}

// moveRows move values between registers and lanes and make addresses (PTX ISA
// 9.7.10.3 to .7 and .22 to .27).
var moveRows = []row{
	// a of the first row may be a special register, the address of a variable
	// or function, or braces: then d or a is packed or unpacked.
	{"mov.type d, a", ".type = .pred .b16 .b32 .b64 .b128@8.3/70 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64@/13", Misc, "1.0", "", "9.7.10.3"},
	{"mov.vec.type d, a", ".vec = .v2 .v4; .type = .b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f32 .f64",
		Misc, "1.0", "", "9.7.10.3"},
	{"mov.v8.type d, a", ".type = .b8 .b16 .b32 .u8 .u16 .u32 .s8 .s16 .s32 .f16 .f32", Misc, "8.8 ptxas", "100", "9.7.10.3"},
	{"prmt.b32{.mode} d, a, b, c", ".mode = .f4e .b4e .rc8 .ecl .ecr .rc16", Integer, "2.0", "20", "9.7.10.7"},
	{"isspacep.space p:pred, a:u64/u32", ".space = .const@3.1 .global .local .shared .shared::cta@7.8 .shared::cluster@7.8/90 .param@7.7/70 .param::entry@7.7/70",
		Integer, "2.0", "20", "9.7.10.22"},
	{"cvta.space.type d, a", windows, Integer, "2.0", "20", "9.7.10.23"},
	{"cvta.to.space.type d, a", windows, Integer, "2.0", "20", "9.7.10.23"},
	{"mapa{.space}.type d, a, b:u32", ".space = .shared::cluster; .type = .u32 .u64", Integer, "7.8", "90", "9.7.10.26"},
	{"getctarank{.space}.type d:u32, a", ".space = .shared::cluster; .type = .u32 .u64", Misc, "7.8", "90", "9.7.10.27"},
}

const windows = ".space = .const@3.1 .global .local .shared .shared::cta@7.8 .shared::cluster@7.8/90 .param@7.7/70 .param::entry@7.7/70; .type = .u32 .u64"
