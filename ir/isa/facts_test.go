package isa

import (
	"slices"
	"strings"
	"testing"
)

// TestFacts: for each predicate the opcodes of which it holds among a list
// with all sorts.
func TestFacts(t *testing.T) {
	all := strings.Fields(`add.f32 add.cc.u32 addc.u32 subc.cc.u32 madc.lo.u32 bra brx.idx call.uni ret exit trap brkpt
		ld.global.f32 ld.volatile.f32 ldu.global.f32 st.global.f32 atom.add.u32 red.add.u32 cp.async.wait_all
		ldmatrix.sync.aligned.m8n8.x4.shared.b16 cp.async.ca.shared.global bar.sync bar.warp.sync barrier.cluster.wait
		fence.sc.cta shfl.sync.up.b32 activemask.b32 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 prefetch.L1
		mbarrier.arrive.b64 mbarrier.pending_count.b64 nanosleep.u32 mov.u32 setp.lt.s32`)
	for _, c := range []struct {
		name string
		fact func(*Inst) bool
		want string
	}{
		{"IsBranch", (*Inst).IsBranch, "bra brx.idx"},
		{"IsCall", (*Inst).IsCall, "call.uni"},
		{"IsReturn", (*Inst).IsReturn, "ret"},
		{"IsExit", (*Inst).IsExit, "exit trap"},
		{"EndsBlock", (*Inst).EndsBlock, "bra brx.idx ret exit trap"},
		{"IsLoad", (*Inst).IsLoad, "ld.global.f32 ld.volatile.f32 ldu.global.f32 ldmatrix.sync.aligned.m8n8.x4.shared.b16 cp.async.ca.shared.global"},
		{"IsStore", (*Inst).IsStore, "st.global.f32 cp.async.ca.shared.global"},
		{"IsAtomic", (*Inst).IsAtomic, "atom.add.u32 red.add.u32"},
		{"ReadsCC", (*Inst).ReadsCC, "addc.u32 subc.cc.u32 madc.lo.u32"},
		{"WritesCC", (*Inst).WritesCC, "add.cc.u32 subc.cc.u32"},
		{"IsBarrier", (*Inst).IsBarrier, "bar.sync barrier.cluster.wait"},
		{"IsVolatile", (*Inst).IsVolatile, "ld.volatile.f32"},
		{"CrossLane", (*Inst).CrossLane, `ldmatrix.sync.aligned.m8n8.x4.shared.b16 shfl.sync.up.b32 activemask.b32
			mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`},
		{"HasSideEffect", (*Inst).HasSideEffect, `add.cc.u32 subc.cc.u32 bra brx.idx call.uni ret exit trap brkpt ld.volatile.f32
			st.global.f32 atom.add.u32 red.add.u32 cp.async.wait_all cp.async.ca.shared.global bar.sync bar.warp.sync
			barrier.cluster.wait fence.sc.cta mbarrier.arrive.b64 nanosleep.u32`},
	} {
		var got []string
		for _, opcode := range all {
			if c.fact(decode(t, opcode)) {
				got = append(got, opcode)
			}
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s holds for %v", c.name, got)
		}
	}
}

// TestFlops (docs/columns.md, flop_count_*): a fma counts one, packed forms both
// halves, special functions of f32 alone and apart, and the rest nothing.
func TestFlops(t *testing.T) {
	for opcode, want := range map[string]Flops{
		"add.f32":             {SP: FlopKinds{Add: 1}},
		"sub.rn.ftz.f32x2":    {SP: FlopKinds{Add: 2}},
		"mul.f32":             {SP: FlopKinds{Mul: 1}},
		"fma.rn.f32":          {SP: FlopKinds{FMA: 1}},
		"mad.rn.f32":          {SP: FlopKinds{FMA: 1}},
		"fma.rn.f32x2":        {SP: FlopKinds{FMA: 2}},
		"div.rn.f32":          {SP: FlopKinds{Special: 1}},
		"ex2.approx.f32":      {SP: FlopKinds{Special: 1}},
		"fma.rn.f32.bf16":     {SP: FlopKinds{FMA: 1}},
		"add.f64":             {DP: FlopKinds{Add: 1}},
		"fma.rn.f64":          {DP: FlopKinds{FMA: 1}},
		"div.rn.f64":          {},
		"mul.f16":             {HP: FlopKinds{Mul: 1}},
		"fma.rn.bf16x2":       {HP: FlopKinds{FMA: 2}},
		"tanh.approx.f16":     {},
		"min.f32":             {},
		"neg.f32":             {},
		"setp.lt.f32":         {},
		"cvt.f32.f16":         {},
		"add.s32":             {},
		"mad.lo.s32":          {},
		"atom.global.add.f32": {},
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": {},
	} {
		if got := decode(t, opcode).Flops(); got != want {
			t.Errorf("%s: %+v, want %+v", opcode, got, want)
		}
	}
}

// TestTensorOps: 2*M*N*K a warp, by hand.
func TestTensorOps(t *testing.T) {
	for opcode, want := range map[string][2]uint64{
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":        {2 * 16 * 8 * 16, 0},
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64":          {512, 0},
		"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16":          {4 * 512, 0},
		"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32":          {0, 8192},
		"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc": {0, 16384},
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16":        {2 * 64 * 8 * 16 / 4, 0},
		"wgmma.mma_async.sync.aligned.m64n256k32.s32.u8.s8":        {0, 2 * 64 * 256 * 32 / 4},
		"fma.rn.f32": {0, 0},
	} {
		float, integer := decode(t, opcode).TensorOps()
		if float != want[0] || integer != want[1] {
			t.Errorf("%s: %d and %d, want %v", opcode, float, integer, want)
		}
	}
}

// TestDouble: the widened types of mul.wide.
func TestDouble(t *testing.T) {
	for from, to := range map[Type]Type{U16: U32, S16: S32, U32: U64, S32: S64, U64: NoType, F32: NoType, B64: B128} {
		if from.double() != to {
			t.Errorf("%s doubled is %s", from, from.double())
		}
	}
}
