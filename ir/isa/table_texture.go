package isa

// The opcodes of textures and surfaces.
const (
	OpTex Op = iota + firstTexture
	OpTexBase
	OpTexLevel
	OpTexGrad
	OpTld4
	OpTxq
	OpTxqLevel
	OpIstypep
	OpSuld
	OpSust
	OpSured
	OpSuq
)

// textureOperations: which memory a texture or surface is of, only its object says, so that
// what is moved is found by doing it. Queries read that object, which is no memory.
var textureOperations = []operation{
	{OpTex, "tex", fetches, byClass, PowerTexture, plain},
	{OpTexBase, "tex.base", fetches, byClass, PowerTexture, plain},
	{OpTexLevel, "tex.level", fetches, byClass, PowerTexture, plain},
	{OpTexGrad, "tex.grad", fetches, byClass, PowerTexture, plain},
	{OpTld4, "tld4", fetches, byClass, PowerTexture, plain},
	{OpTxq, "txq", computes, byClass, PowerTexture, plain},
	{OpTxqLevel, "txq.level", computes, byClass, PowerTexture, plain},
	{OpIstypep, "istypep", computes, byClass, PowerALU, plain},
	{OpSuld, "suld", behaviour{FlowNext, "object reads", lanesOwn, syncNone, stateNone}, byClass, PowerTexture, plain},
	{OpSust, "sust", behaviour{FlowNext, "object writes", lanesOwn, syncNone, stateNone}, byClass, PowerTexture, plain},
	{OpSured, "sured", behaviour{FlowNext, "object updates", lanesOwn, syncNone, stateNone}, byClass, PowerTexture, plain},
	{OpSuq, "suq", computes, byClass, PowerTexture, plain},
}

// textureRows are textures and surfaces (PTX ISA 9.7.12 and 9.7.13). The place is of
// 32-bit numbers of the type ctype, but for the index in an array. e is an offset in
// texels, f a depth to compare with.
var textureRows = []row{
	{"tex.geom.v4.dtype.ctype d:dtype[4][|p], [a{, b:any[1]}, c:b32[geometry]]" + texelEnd, texGeometry + texTypes, Texture, "1.0", "", "9.7.12.3"},
	{"tex.geom.v2.f16x2.ctype d:f16x2[2][|p], [a{, b:any[1]}, c:b32[geometry]]" + texelEnd, texGeometry + texPlace, Texture, "4.2", "53", "9.7.12.3"},
	{"tex.base.geom.v4.dtype.ctype d:dtype[4][|p], [a{, b:any[1]}, c:b32[geometry]]" + texelEnd, texGeometry + texTypes, Texture, "3.1", "20", "9.7.12.3"},
	{"tex.level.geom.v4.dtype.ctype d:dtype[4][|p], [a{, b:any[1]}, c:b32[geometry]], lod:b32[1]" + texelEnd, texGeometry + texTypes, Texture, "3.1", "20", "9.7.12.3"},
	{"tex.grad.geom.v4.dtype.ctype d:dtype[4][|p], [a{, b:any[1]}, c:b32[geometry]], dPdx:f32[any], dPdy:f32[any]" + texelEnd, texGeometry + texTypes, Texture, "3.1", "20", "9.7.12.3"},
	{"tex.base.geom.v2.f16x2.ctype d:f16x2[2][|p], [a{, b:any[1]}, c:b32[geometry]]" + texelEnd, texGeometry + texPlace, Texture, "4.2", "53", "9.7.12.3"},
	{"tex.level.geom.v2.f16x2.ctype d:f16x2[2][|p], [a{, b:any[1]}, c:b32[geometry]], lod:b32[1]" + texelEnd, texGeometry + texPlace, Texture, "4.2", "53", "9.7.12.3"},
	{"tex.grad.geom.v2.f16x2.ctype d:f16x2[2][|p], [a{, b:any[1]}, c:b32[geometry]], dPdx:f32[any], dPdy:f32[any]" + texelEnd, texGeometry + texPlace, Texture, "4.2", "53", "9.7.12.3"},
	{"tld4.comp.geom.v4.dtype.f32 d:dtype[4][|p], [a{, b:any[1]}, c:b32[geometry]]" + texelEnd,
		".comp = .r .g .b .a; .geom = .2d .a2d@4.3/30 .cube@4.3/30 .acube@4.3/30; .dtype = .u32 .s32 .f32", Texture, "2.2", "20", "9.7.12.4"},
	{"txq.query.b32 d, [a:tmem]", ".query = .width .height .depth .channel_data_type .channel_order .normalized_coords .force_unnormalized_coords" +
		" .filter_mode .addr_mode_0 .addr_mode_1 .addr_mode_2 .array_size@4.1 .num_mipmap_levels@4.1 .num_samples@4.1", Texture, "1.5", "", "9.7.12.5"},
	{"txq.level.query.b32 d, [a:tmem], lod:b32", ".query = .width .height .depth", Texture, "4.3", "30", "9.7.12.5"},
	{"istypep.type p:pred, a:any", ".type = .texref .samplerref .surfref", Texture, "4.0", "30", "9.7.12.6"},

	{"suld.b.geom{.cop}{.vec}.type{.clamp} d>, [a, b:b32[geometry]]", surfGeometry + "; .cop = .ca .cg .cs .cv" + surfVector + surfTypes + surfClamp, Texture, "1.5", "", "9.7.13.1"},
	{"sust.b.geom{.cop}{.vec}.type{.clamp} [a, b:b32[geometry]], c>", surfGeometry + "; .cop = .wb .cg .cs .wt" + surfVector + surfTypes + surfClamp, Texture, "1.5", "", "9.7.13.2"},
	// Other types than .b32, and arrays, are what LLVM prints and ptxas takes.
	{"sust.p.geom{.vec}.type{.clamp} [a, b:b32[geometry]], c>", surfGeometry + surfVector + "; .type = .b32 .b8 .b16" + surfClamp, Texture, "2.0", "20", "9.7.13.2"},
	{"sured.b.op.geom.type{.clamp} [a, b:b32[geometry]], c>", ".op = .add .min .max .and .or; .geom = .1d .2d .3d; .type = .u32 .s32 .b32 .u64 .s64@8.1" + surfClamp,
		Texture, "2.0", "20", "9.7.13.3"},
	{"sured.p.op.geom.type{.clamp} [a, b:b32[geometry]], c>", ".op = .add .min .max .and .or; .geom = .1d .2d .3d; .type = .b32 .b64" + surfClamp,
		Texture, "2.0", "20", "9.7.13.3"},
	{"suq.query.b32 d, [a:tmem]", ".query = .width .height .depth .channel_data_type .channel_order .array_size@4.1 .memory_layout@4.2", Texture, "1.5", "", "9.7.13.4"},
}

const (
	texelEnd    = "{, e:s32[any]}{, f:f32[1]}"
	texGeometry = ".geom = .1d .2d .3d .a1d@2.3/20 .a2d@2.3/20 .cube@3.0/20 .acube@3.0/20 .2dms@3.2/30 .a2dms@3.2/30; "
	texPlace    = ".ctype = .s32 .f32"
	texTypes    = ".dtype = .u32 .s32 .f32 .f16@4.2/53; " + texPlace

	surfGeometry = ".geom = .1d .2d .3d@3.0/20 .a1d@3.0/20 .a2d@3.0/20"
	surfVector   = "; .vec = .v2 .v4"
	surfTypes    = "; .type = .b32 .b8 .b16 .b64"
	surfClamp    = "; .clamp = .trap .clamp .zero"
)
