package machine

import "hyptx/ir/isa"

// Where the numbers of this file come from.
const (
	latencies   = "SASS column of the GPUs-ISA-Latencies micro-benchmarks (NMSU-PEARL), Volta and Turing"
	listings    = "published SASS listings of sm_90, sm_100 and sm_120 code; older ones have the same steps"
	ownEstimate = "own estimate"
)

// sequence is what the machine does for an operation that it lacks: the common
// path, without the subroutine for subnormal and other extreme operands. branch
// is the test for those; fma of the float are multiply-adds.
type sequence struct {
	op isa.Op
	// typ is the operation's type; the first row that fits counts.
	typ isa.Type
	// mods are what the opcode must have.
	mods                                                []isa.Mod
	special, float, fma, integer, convert, misc, branch int
	source                                              string
}

var (
	approxFtz = []isa.Mod{isa.ModApprox, isa.ModFtz}
	approx    = []isa.Mod{isa.ModApprox}
	full      = []isa.Mod{isa.ModFull}
)

// sequences are the operations of several steps.
var sequences = []sequence{
	// I2F.RP, MUFU.RCP, F2I, the quotient by IMAD.HI and two corrections;
	// with IABS and the sign in front and behind.
	{op: isa.OpDiv, typ: isa.U32, special: 1, integer: 14, convert: 2, misc: 1, source: listings},
	{op: isa.OpDiv, typ: isa.S32, special: 1, integer: 20, convert: 2, misc: 1, source: listings},
	{op: isa.OpRem, typ: isa.U32, special: 1, integer: 13, convert: 2, misc: 1, source: ownEstimate},
	{op: isa.OpRem, typ: isa.S32, special: 1, integer: 19, convert: 2, misc: 1, source: ownEstimate},
	// Where the operands fit into 32 bits the same, after a test.
	{op: isa.OpDiv, typ: isa.U64, special: 1, integer: 16, convert: 2, misc: 2, branch: 1, source: listings},
	{op: isa.OpRem, typ: isa.U64, special: 1, integer: 15, convert: 2, misc: 2, branch: 1, source: ownEstimate},
	{op: isa.OpDiv, typ: isa.S64, special: 1, integer: 16, convert: 2, misc: 2, branch: 1, source: ownEstimate},
	{op: isa.OpRem, typ: isa.S64, special: 1, integer: 15, convert: 2, misc: 2, branch: 1, source: ownEstimate},
	// The other integers: 16 bits, exact in a float.
	{op: isa.OpDiv, typ: isa.U16, special: 1, float: 2, integer: 4, convert: 3, source: ownEstimate},
	{op: isa.OpDiv, typ: isa.S16, special: 1, float: 2, integer: 6, convert: 3, source: ownEstimate},
	{op: isa.OpRem, typ: isa.U16, special: 1, float: 2, integer: 5, convert: 3, source: ownEstimate},
	{op: isa.OpRem, typ: isa.S16, special: 1, float: 2, integer: 7, convert: 3, source: ownEstimate},

	{op: isa.OpDiv, typ: isa.F32, mods: approxFtz, special: 1, float: 1, source: listings},                // MUFU.RCP, FMUL
	{op: isa.OpDiv, typ: isa.F32, mods: approx, special: 1, float: 4, source: listings},                   // FSETP, FMUL twice before
	{op: isa.OpDiv, typ: isa.F32, mods: full, special: 1, float: 7, source: listings},                     // FSETP twice, FMUL four times before
	{op: isa.OpDiv, typ: isa.F32, special: 1, float: 6, fma: 5, branch: 1, source: listings},              // MUFU.RCP, FCHK, five FFMA
	{op: isa.OpRcp, typ: isa.F32, mods: approxFtz, special: 1, source: listings},                          // MUFU.RCP
	{op: isa.OpRcp, typ: isa.F32, mods: approx, special: 1, float: 3, source: listings},                   // FSETP, FMUL, MUFU, FMUL
	{op: isa.OpRcp, typ: isa.F32, special: 1, float: 3, fma: 2, integer: 3, branch: 1, source: listings},  // IADD, LOP3, ISETP; FFMA, FADD, FFMA
	{op: isa.OpSqrt, typ: isa.F32, mods: approxFtz, special: 1, source: latencies},                        // MUFU.SQRT
	{op: isa.OpSqrt, typ: isa.F32, mods: approx, special: 1, float: 3, source: ownEstimate},               // FSETP, FMUL, MUFU, FMUL
	{op: isa.OpSqrt, typ: isa.F32, special: 1, float: 4, fma: 2, integer: 2, branch: 1, source: listings}, // IADD, ISETP; FMUL, FMUL, FFMA, FFMA
	{op: isa.OpRsqrt, typ: isa.F32, mods: approxFtz, special: 1, source: listings},
	{op: isa.OpRsqrt, typ: isa.F32, special: 1, float: 3, source: listings},
	{op: isa.OpLg2, typ: isa.F32, mods: approxFtz, special: 1, source: listings},
	{op: isa.OpLg2, typ: isa.F32, special: 1, float: 3, source: listings},
	{op: isa.OpEx2, typ: isa.F32, mods: approxFtz, special: 1, source: ownEstimate},
	{op: isa.OpEx2, typ: isa.F32, special: 1, float: 3, source: latencies}, // FSETP, FMUL, MUFU.EX2, FMUL
	{op: isa.OpSin, typ: isa.F32, special: 1, float: 1, source: latencies}, // FMUL, MUFU.SIN
	{op: isa.OpCos, typ: isa.F32, special: 1, float: 1, source: ownEstimate},

	// MUFU.RCP64H or RSQ64H, DFMA steps, tests of the exponents.
	{op: isa.OpDiv, typ: isa.F64, special: 1, float: 7, fma: 6, integer: 3, misc: 1, branch: 1, source: ownEstimate},
	{op: isa.OpRcp, typ: isa.F64, mods: approxFtz, special: 1, misc: 1, source: ownEstimate},
	{op: isa.OpRcp, typ: isa.F64, special: 1, float: 4, fma: 4, integer: 2, branch: 1, source: ownEstimate},
	{op: isa.OpSqrt, typ: isa.F64, special: 1, float: 7, fma: 5, integer: 4, branch: 1, source: ownEstimate},
	{op: isa.OpRsqrt, typ: isa.F64, mods: approxFtz, special: 1, misc: 1, source: latencies},
	{op: isa.OpRsqrt, typ: isa.F64, special: 1, float: 6, fma: 4, integer: 3, branch: 1, source: ownEstimate},
}

// single is for what the machine has: tanh, and functions of f16.
var single = sequence{special: 1, source: ownEstimate}

// findSequence returns the row for an opcode.
func findSequence(inst *isa.Inst) *sequence {
rows:
	for i := range sequences {
		s := &sequences[i]
		if s.op != inst.Op || s.typ != inst.Type() {
			continue
		}
		for _, m := range s.mods {
			if !inst.Has(m) {
				continue rows
			}
		}
		return s
	}
	return &single
}

// inHalves are the instructions of an integer operation on 32 bits and on 64;
// the source is that of the first number, the second is an own estimate.
type inHalves struct {
	short, wide int
	source      string
}

// halves are the integer operations that are not one instruction on 32 bits or
// not two on 64.
var halves = map[isa.Op]inHalves{
	isa.OpMul:   {1, 8, ownEstimate},   // .hi: four IMAD.WIDE.U32 and the carries
	isa.OpMad:   {1, 8, ownEstimate},   // .hi
	isa.OpMin:   {1, 4, ownEstimate},   // two ISETP, two SEL
	isa.OpMax:   {1, 4, ownEstimate},   // the same
	isa.OpAbs:   {1, 3, ownEstimate},   // IABS; IADD, IADD.X, SEL
	isa.OpPopc:  {1, 3, latencies},     // POPC; twice and IADD
	isa.OpBfind: {1, 3, latencies},     // FLO; twice and SEL
	isa.OpClz:   {2, 4, latencies},     // FLO, IADD
	isa.OpBrev:  {2, 4, latencies},     // BREV, SGXT
	isa.OpCnot:  {2, 4, latencies},     // ISETP, SEL
	isa.OpMul24: {2, 2, latencies},     // SGXT, IMAD
	isa.OpMad24: {2, 2, latencies},     // SGXT, IMAD
	isa.OpBfe:   {2, 4, ownEstimate},   // SHF, SGXT
	isa.OpBfi:   {3, 6, ownEstimate},   // BMSK, SHF, LOP3
	isa.OpSad:   {1, 6, latencies},     // VABSDIFF
	isa.OpFns:   {20, 20, ownEstimate}, // a loop
}
