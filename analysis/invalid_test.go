package analysis

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// deciding is a kernel that decides on p behind a body.
const deciding = `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .b32 t, x, y, z; .reg .b64 o, d<4>; .reg .b128 q<2>; .reg .b16 sh0; .reg .pred p, first;
	.shared .align 16 .b8 sh[2048];
	ld.param.u64 o, [a];
	mov.u32 t, %tid.x;
	setp.eq.u32 first, t, 0;
	mov.u32 y, sh;
	BODY
	@p bra END;
	add.u32 t, t, 1;
END:
	ret;
}`

// decidingManifest launches a warp of it.
const decidingManifest = `{"version": 1, "buffers": {"b": {"bytes": 1024, "init": "zero"}},
	"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "b"}]}]}`

// TestInvalidOperands: what comes of operands that the manual does not allow is undefined,
// in all modes, and only of those.
func TestInvalidOperands(t *testing.T) {
	const (
		rows  = "and.b32 x, t, ROWS; mad.lo.u32 z, x, 16, y; stmatrix.sync.aligned.m8n8.x1.shared.b16 [z], {t}; bar.sync 0; ld.shared.u16 x, [y+2]; setp.eq.u32 p, x, 3;"
		fetch = "mad.lo.u32 z, t, 4, y; ld.global.u32 x, [o]; add.u32 x, x, SIZE; cp.async.ca.shared.global [z], [o], 4, x; cp.async.wait_all; ld.shared.u32 x, [z]; setp.eq.u32 p, x, 3;"
		tile  = "mov.b32 x, t; wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [y], {x, x, x, x}, PITCH; bar.sync 0; mov.u32 z, 0; setp.eq.u32 p, z, 3;"
	)
	const tiled = "mad.lo.u32 z, t, 16, y; st.shared.v4.u32 [z], {t, t, t, t}; st.shared.v4.u32 [z+512], {t, t, t, t}; bar.sync 0;" +
		"and.b32 x, t, 0; mad.lo.u32 z, x, 16, y; .reg .b32 e<8>; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {e0, e1, e2, e3, e4, e5, e6, e7}, [z], 16;" +
		"wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [y], {e0, e1, e2, e3}, 16; bar.sync 0; ld.shared.u16 x, [y+64]; setp.eq.u32 p, x, 3;"
	const sparse = "mov.b32 x, META; and.b32 y, t, 0; mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {z, _, _, _}, {y, y}, {y, y}, {y, y, y, y}, x, SELECTOR; setp.eq.u32 p, z, 3;"
	group := strings.NewReplacer("::ordered_metadata", "", "m16n8k16", "m16n8k32", "{y, y}", "{y, y, y, y}").Replace(sparse)
	metadata := func(body, meta, selector string) string {
		return strings.NewReplacer("META", meta, "SELECTOR", selector).Replace(body)
	}
	const arrived = "@first mbarrier.init.shared.b64 [y], 32; bar.sync 0; mbarrier.arrive.shared.b64 d1, [y]; bar.sync 0; mov.b64 d2, 0;"
	with := func(body, name, value string) string { return strings.ReplaceAll(body, name, value) }
	for _, c := range []struct{ name, body, want, why string }{
		{"fns", "fns.b32 x, t, 31, 1; setp.eq.u32 p, x, 3;", "exact", ""},
		{"fns, from too far", "fns.b32 x, t, 32, 1; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"fns, from a register", "ld.global.u32 x, [o]; fns.b32 x, t, x, 1; setp.eq.u32 p, x, 3;", "exact", ""},
		{"fns, from a large one", "ld.global.u32 x, [o]; add.u32 x, x, 40; fns.b32 x, t, x, 1; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"rows apart", with(rows, "ROWS", "7"), "exact", ""},
		{"rows that overlap", with(rows, "ROWS", "6"), "undefined", "invalid-operand"},
		{"rows at one place", with(rows, "ROWS", "0"), "undefined", "invalid-operand"},
		{"a copy of a part", with(fetch, "SIZE", "2"), "exact", ""},
		{"a copy of more than it writes", with(fetch, "SIZE", "5"), "undefined", "invalid-operand"},
		{"metadata in order", metadata(sparse, "0x4e4ee89c", "3"), "exact", ""},
		{"metadata out of order", metadata(sparse, "0x4e4ee891", "3"), "undefined", "invalid-operand"},
		{"metadata out of order, of which none is needed", metadata(group, "0x4e4ee891", "1"), "exact", ""},
		{"metadata that name one element twice", metadata(group, "0x4e4ee895", "1"), "undefined", "invalid-operand"},
		{"a selector of threads that there are not", metadata(group, "0x4e4ee89c", "2"), "undefined", "invalid-operand"},
		{"a vector", "ld.global.v2.u32 {x, z}, [o]; setp.eq.u32 p, x, 3;", "exact", ""},
		{"a register twice in a vector", "ld.global.v2.u32 {x, x}, [o]; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"both halves in one register", "ld.global.b64 d1, [o]; mov.b64 {x, x}, d1; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"twice, and nobody reads it", "mov.b64 d1, 7; mov.b64 {x, x}, d1; setp.eq.u32 p, t, 3;", "exact", ""},
		{"twice, of constants", "mov.b32 {sh0, sh0}, 0x20001; cvt.u32.u16 x, sh0; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"ldu of what is stored", "mad.wide.u32 d1, t, 4, o; st.global.u32 [d1], t; ldu.global.u32 x, [d1]; setp.eq.u32 p, x, 3;", "undefined", "stale"},
		{"ldu of what is not", "mad.wide.u32 d1, t, 4, o; st.global.u32 [d1], t; ldu.global.u32 x, [o+512]; setp.eq.u32 p, x, 3;", "exact", ""},
		{"ldu of several places", "mad.wide.u32 d1, t, 4, o; ldu.global.u32 x, [d1]; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"a policy", "createpolicy.fractional.L2::evict_last.b64 d1; setp.eq.u64 p, d1, 3;", "undefined", "machine"},
		{"a policy that is one", "createpolicy.fractional.L2::evict_last.b64 d1; ld.global.L2::cache_hint.u32 x, [o], d1; setp.eq.u32 p, x, 3;", "exact", ""},
		{"a state", arrived + "mbarrier.test_wait.shared.b64 p, [y], d1;", "exact", ""},
		{"a state that is moved", arrived + "@first mov.b64 d2, d1; selp.b64 d1, d2, d1, first; mbarrier.try_wait.shared.b64 p, [y], d1, 9;", "exact", ""},
		{"a state that is a number", arrived + "mbarrier.test_wait.shared.b64 p, [y], 5;", "undefined", "invalid-operand"},
		{"a state that is a number now and then", arrived + "@first mov.b64 d1, d2; mbarrier.test_wait.shared.b64 p, [y], d1;", "undefined", "invalid-operand"},
		{"a state that was computed", arrived + "mul.wide.u32 d1, t, 8; mbarrier.try_wait.shared.b64 p, [y], d1, 9;", "undefined", "invalid-operand"},
		{"the state of another object", "@first mbarrier.init.shared.b64 [y+8], 32; " + arrived + "mbarrier.test_wait.shared.b64 p, [y+8], d1;", "undefined", "invalid-operand"},
		{"a state of the phase before", arrived + "bar.sync 0; @first mbarrier.test_wait.shared.b64 p, [y], d1; bar.sync 0; mbarrier.arrive.shared.b64 d2, [y]; bar.sync 0; mbarrier.test_wait.shared.b64 p, [y], d2;", "exact", ""},
		{"a state of two phases before", arrived + "mbarrier.arrive.shared.b64 d2, [y]; bar.sync 0; mbarrier.test_wait.shared.b64 p, [y], d1;", "undefined", "invalid-operand"},
		{"a state from before it was made anew", arrived + "@first mbarrier.inval.shared.b64 [y]; @first mbarrier.init.shared.b64 [y], 32; bar.sync 0; mbarrier.test_wait.shared.b64 p, [y], d1;", "undefined", "invalid-operand"},
		{"the count of a number", arrived + "mbarrier.pending_count.b64 x, 5; setp.eq.u32 p, x, 3;", "undefined", "invalid-operand"},
		{"a tile", tiled, "exact", ""},
		{"a tile at two places", strings.Replace(tiled, "and.b32 x, t, 0", "and.b32 x, t, 1", 1), "undefined", "invalid-operand"},
		{"tiles that nobody reads", with(tile, "PITCH", "8"), "exact", ""},
		// and what is right, and was said not to be
		{"cleared", "@first st.bulk.weak.shared::cta [y], 64, 0; bar.sync 0; ld.shared.u32 x, [y+32]; setp.eq.u32 p, x, 3;", "exact", ""},
		{"cleared by the thread itself", "@first st.bulk.weak.shared::cta [y], 64, 0; mov.u32 x, 3; @first ld.shared.u32 x, [y+32]; setp.eq.u32 p, x, 3;", "exact", ""},
		{"cleared, without a barrier", "@first st.bulk.weak.shared::cta [y], 64, 0; ld.shared.u32 x, [y+32]; setp.eq.u32 p, x, 3;", "undefined", "write-read"},
		{"equal exchanges of 64 bits", "mov.b64 d1, 7; atom.global.exch.b64 d2, [o], d1; bar.sync 0; ld.global.u32 x, [o]; setp.eq.u32 p, x, 3;", "exact", ""},
		{"equal exchanges of 128 bits", "mov.b64 d1, 7; mov.b128 q1, {d1, d1}; atom.global.exch.b128 q1, [o], q1; bar.sync 0; ld.global.u32 x, [o+8]; setp.eq.u32 p, x, 3;", "exact", ""},
		{"equal exchanges of 128 bits, results elsewhere", "mov.b64 d1, 7; mov.b128 q1, {d1, d1}; atom.global.exch.b128 q0, [o], q1; bar.sync 0; ld.global.u32 x, [o+8]; setp.eq.u32 p, x, 3;", "exact", ""},
	} {
		p := program{strings.Replace(deciding, "BODY", c.body, 1), decidingManifest}
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			if got := prof.Rows[len(prof.Rows)-1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
			if c.why != "" && !slices.ContainsFunc(prof.Races(), func(r *RaceRow) bool { return r.Kind == c.why }) {
				t.Errorf("%s, mode %s: no fact of the kind %s", c.name, mode, c.why)
			}
		}
	}
}

// TestInvalidTensorMetadata: so is what tcgen05.mma makes of metadata in tensor memory.
func TestInvalidTensorMetadata(t *testing.T) {
	text, err := os.ReadFile("../ptx-samples/features/tcgen05_mma_sp_f16.ptx")
	if err != nil {
		t.Fatal(err)
	}
	const decide = "\ttcgen05.ld.sync.aligned.32x32b.x1.b32 {%w}, [%mine];\n\ttcgen05.wait::ld.sync.aligned;\n" +
		"\tsetp.eq.u32 %over, %w, 3;\n\t@%over bra SOME;\nSOME:\n\tld.param.u64 %out, [out_p];"
	for meta, want := range map[string]string{"0x4e4ee89c": "exact", "0x4e4ee891": "undefined", "0x4e4ee896": "exact"} {
		body := strings.NewReplacer("ld.global.b32 %r0, [%in+0]", "mov.b32 %r0, "+meta, "\tld.param.u64 %out, [out_p];", decide).Replace(string(text))
		expectExactness(t, meta, body, `{"version": 1, "buffers": {"b": {"bytes": 65536, "init": "zero"}}, "launches": [{"module": "k.ptx",
			"kernel": "tcgen05_mma_sp_f16", "grid": [1], "block": [128], "args": [{"buffer": "b"}, {"buffer": "b"}, {"buffer": "b"}]}]}`, want)
	}
}
