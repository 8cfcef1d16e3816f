package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// reductionCase is an operation on a type, by one thread's operand and the others', and the
// exactness of a decision on the result.
type reductionCase struct{ op, typ, first, rest, want string }

// TestAsyncReductions: reductions that go on by themselves, by one instruction of several
// threads, may come in any order, which tells nothing where they are of a family or where
// their operands are equal. A decision on what they leave is exact only then.
func TestAsyncReductions(t *testing.T) {
	for _, c := range []reductionCase{
		{"add", "f32", "0f4B800000", "0f3F800000", "scheduled"},
		{"add", "f32", "0f3F800000", "0f3F800000", "exact"},
		{"inc", "u32", "3", "9", "scheduled"},
		{"inc", "u32", "9", "9", "exact"},
		{"dec", "u32", "3", "9", "scheduled"},
		{"add", "u32", "3", "9", "exact"},
		{"min", "s32", "3", "9", "exact"},
		{"max", "u32", "3", "9", "exact"},
		{"and", "b32", "3", "9", "exact"},
		{"or", "b32", "3", "9", "exact"},
		{"xor", "b32", "3", "9", "exact"},
	} {
		mapType := strings.Replace(c.typ, "b", "u", 1)
		data := fmt.Sprintf("\tmov.b32 x, %s;\n\t@p mov.b32 x, %s;\n", c.rest, c.first)
		ways := map[string]string{
			"bulk":   fmt.Sprintf("\tcp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [o], [y], 16;\n", c.op, c.typ),
			"tensor": fmt.Sprintf("\tcp.reduce.async.bulk.tensor.1d.global.shared::cta.%s.tile.bulk_group [m, {z}], [y];\n", c.op),
		}
		for way, reduce := range ways {
			text := strings.NewReplacer("DATA", data, "REDUCE", reduce).Replace(reductionKernel)
			manifest := strings.NewReplacer("TYPE", mapType, "GRID", "3", "BLOCK", "1").Replace(reductionManifest)
			expectExactness(t, fmt.Sprintf("%s %s.%s %s %s", way, c.op, c.typ, c.first, c.rest), text, manifest, c.want)
		}
		if c.typ == "f32" {
			continue
		}
		expectRedAsync(t, c, data)
	}
}

// expectRedAsync is TestAsyncReductions for red.async.
func expectRedAsync(t *testing.T, c reductionCase, data string) {
	t.Helper()
	red := fmt.Sprintf("\tred.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s.%s [y], x, [b];\n", c.op, c.typ)
	text := strings.NewReplacer("DATA", data, "REDUCE", red).Replace(redAsyncKernel)
	manifest := strings.NewReplacer("TYPE", "u32", "GRID", "1", "BLOCK", "64").Replace(reductionManifest)
	s, err := openMode(t, Full, text, manifest)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Profile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// How often it is waited for is a matter of order always; the race tells of the operation.
	raced := slices.ContainsFunc(p.Races(), func(r *RaceRow) bool { return r.Kind == "write-write" && !r.SameValue })
	if raced != (c.want == "scheduled") {
		t.Errorf("red.async %s.%s %s %s: raced %t; want %s", c.op, c.typ, c.first, c.rest, raced, c.want)
	}
}

// expectExactness profiles a manifest in two modes; what its second launch decides is asked for.
func expectExactness(t *testing.T, name, text, manifest, want string) {
	t.Helper()
	for _, mode := range []Mode{Control, Full} {
		s, err := openMode(t, mode, text, manifest)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := s.Profile(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := string(p.Rows[1].Exactness); got != want {
			t.Errorf("%s, mode %s: %s; want %s", name, mode, got, want)
		}
	}
}

// reductionKernel reduces four elements of out from each of three CTAs; redAsyncKernel one
// in shared memory from two warps. DATA sets x, of which p is one thread's own; REDUCE
// reduces by it, to o, the tensor of m, or y.
const (
	reductionHead = `.version 8.6
.target sm_90
.address_size 64
.entry d(.param .u64 out)
{
	.reg .b32 x;
	.reg .b64 o;
	.reg .pred q;
	ld.param.u64 o, [out];
	ld.global.u32 x, [o];
	setp.eq.u32 q, x, 7;
	@q bra E;
	st.global.u32 [o+32], x;
E:
	ret;
}
`
	reductionKernel = reductionHead + `.entry k(.param .u64 out, .param .align 64 .b8 map[128])
{
	.reg .b32 c, x, y, z;
	.reg .b64 o, m;
	.reg .pred p;
	.shared .align 128 .b32 sh[64];
	ld.param.u64 o, [out];
	mov.b64 m, map;
	cvta.param.u64 m, m;
	mov.u32 c, %ctaid.x;
	setp.eq.u32 p, c, 0;
	mov.u32 y, sh;
	mov.u32 z, 0;
DATA	st.shared.v4.b32 [y], {x, x, x, x};
	fence.proxy.async;
REDUCE	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
	ret;
}
`
	redAsyncKernel = reductionHead + `.entry k(.param .u64 out, .param .align 64 .b8 map[128])
{
	.reg .b32 b, t, x, y;
	.reg .b64 o, s;
	.reg .pred p, q;
	.shared .align 16 .b32 sh[4];
	.shared .align 8 .b64 mb;
	ld.param.u64 o, [out];
	mov.u32 t, %tid.x;
	setp.eq.u32 p, t, 0;
	mov.u32 b, mb;
	mov.u32 y, sh;
	@p mbarrier.init.shared.b64 [b], 1;
	@p st.shared.u32 [y], 1;
	bar.sync 0;
	@p mbarrier.arrive.expect_tx.shared.b64 s, [b], 8;
	bar.sync 0;
	and.b32 t, t, 31;
	setp.ne.u32 q, t, 0;
	@q bra W;
DATAREDUCEW:
	mbarrier.try_wait.parity.shared.b64 q, [b], 0;
	@!q bra W;
	ld.shared.u32 x, [y];
	@p st.global.u32 [o], x;
	ret;
}
`
	reductionManifest = `{"version": 1, "buffers": {"out": {"type": "u32", "bytes": 256, "init": {"fill": 1}}},
	"tensorMaps": {"map": {"buffer": "out", "type": "TYPE", "dims": [4], "stridesBytes": [], "box": [4], "elementStrides": [1]}},
	"launches": [{"module": "k.ptx", "kernel": "k", "grid": [GRID], "block": [BLOCK],
		"args": [{"buffer": "out"}, {"tensorMap": "map"}]},
		{"module": "k.ptx", "kernel": "d", "grid": [1], "block": [1], "args": [{"buffer": "out"}]}]}`
)
