package analysis

import (
	"context"
	"strings"
	"testing"
)

// twoKernels is a module with a kernel w that stores to global memory and a
// kernel l that goes round a loop as often as a word there says.
const twoKernels = `.version 7.5
.target sm_70
.address_size 64
.visible .shared .align 4 .b8 sw[1024];
.visible .shared .align 4 .b8 sl[16384];
.visible .entry w(.param .u64 to, .param .u64 from)
{
	.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p;
	ld.param.u64 %rd1, [to];
	ld.param.u64 %rd2, [from];
	ld.global.u32 %r1, [%rd2];
	setp.ne.u32 %p, %r1, 0;
	mov.u32 %r2, 5;
	@%p mov.u32 %r2, 2;
	st.shared.u32 [sw], %r2;
	st.global.u32 [%rd1], %r2;
	ret;
}
.visible .entry l(.param .u64 n)
{
	.reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p;
	ld.param.u64 %rd1, [n];
	ld.global.u32 %r1, [%rd1];
	st.shared.u32 [sl], %r1;
L:	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p, %r1, 0;
	@%p bra L;
	ret;
}`

// loopWarpInstructions is what one warp issues of kernel l for n rounds.
func loopWarpInstructions(n uint64) uint64 { return 3 + 3*n + 1 }

// profileTwo profiles launches of twoKernels in control mode and verifies them.
func profileTwo(t *testing.T, manifest string) *Profile {
	t.Helper()
	s := program{twoKernels, manifest}.session(t, Control)
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(context.Background(), p); err != nil {
		t.Error(err)
	}
	return p
}

// TestPredicateOrigin: where a predicate comes from is followed into functions
// and out of them.
func TestPredicateOrigin(t *testing.T) {
	const ptx = `.version 7.5
.target sm_70
.address_size 64
.func (.reg .pred r) other(.reg .pred q)
{
	not.pred r, q;
	ret;
}
.visible .entry k(.param .u64 from)
{
	.reg .b32 %r; .reg .b64 %rd; .reg .pred %p;
	ld.param.u64 %rd, [from];
	ld.global.u32 %r, [%rd];
	setp.ne.u32 %p, %r, 0;
	call (%p), other, (%p);
	@%p bra END;
	st.global.u32 [%rd], %r;
END:	ret;
}`
	for init, want := range map[string]string{`, "init": "zero"`: "exact", "": "assumed"} {
		s := program{ptx, `{"version": 1, "buffers": {"b": {"bytes": 4` + init + `}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "b"}]}]}`}.session(t, Control)
		p, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(context.Background(), p); err != nil {
			t.Error(err)
		}
		if got := p.Rows[0].Exactness; got != want {
			t.Errorf("a buffer%s: exactness %s, want %s", init, got, want)
		}
	}
}

// TestSlicesCrossCopies: what a launch stores and the host copies decides a
// loop of a later launch.
func TestSlicesCrossCopies(t *testing.T) {
	p := profileTwo(t, `{"version": 1, "name": "copies",
 "buffers": {"zero": {"bytes": 4, "type": "u32", "init": "zero"}, "a": {"bytes": 4, "type": "u32", "init": "zero"},
   "b": {"bytes": 4, "type": "u32", "init": "zero"}, "c": {"bytes": 4, "type": "u32", "init": "zero"}},
 "launches": [{"module": "k.ptx", "kernel": "w", "grid": [1], "block": [1], "args": [{"buffer": "a"}, {"buffer": "zero"}]},
   {"copy": {"from": {"buffer": "a"}, "to": {"buffer": "b"}, "bytes": 4}},
   {"copy": {"from": {"buffer": "b"}, "to": {"buffer": "c"}, "bytes": 4}},
   {"module": "k.ptx", "kernel": "l", "grid": [1], "block": [1], "args": [{"buffer": "c"}]}]}`)
	r := p.Rows[1]
	if want := loopWarpInstructions(5); r.WarpInstructions.N != want || r.Exactness != "exact" {
		t.Errorf("%d warp instructions, %s; by hand %d, exact", r.WarpInstructions.N, r.Exactness, want)
	}
}

// TestImplicitOrigin: a decision on a word that nobody gave chooses what is
// stored, and so how often a later launch goes round: that is assumed, too.
func TestImplicitOrigin(t *testing.T) {
	p := profileTwo(t, `{"version": 1, "name": "implicit",
 "buffers": {"unknown": {"bytes": 4, "type": "u32"}, "a": {"bytes": 4, "type": "u32", "init": "zero"}},
 "launches": [{"module": "k.ptx", "kernel": "w", "grid": [1], "block": [1], "args": [{"buffer": "a"}, {"buffer": "unknown"}]},
   {"module": "k.ptx", "kernel": "l", "grid": [1], "block": [1], "args": [{"buffer": "a"}]}]}`)
	for i, decisions := range []uint64{1, 5} { // w's guard; the branch of each of 5 rounds
		if r := p.Rows[i]; r.Exactness != "assumed" || r.AssumedDecisions.N != decisions {
			t.Errorf("launch %d: %s with %d assumed decisions; by hand assumed with %d", i, r.Exactness, r.AssumedDecisions.N, decisions)
		}
	}
}

// TestSharedByKernel: a kernel has the module's shared variables that it names.
func TestSharedByKernel(t *testing.T) {
	p := profileTwo(t, `{"version": 1, "name": "shared",
 "buffers": {"one": {"bytes": 4, "type": "u32", "init": {"fill": 1}}, "a": {"bytes": 4, "type": "u32", "init": "zero"}},
 "launches": [{"module": "k.ptx", "kernel": "w", "grid": [1], "block": [1], "args": [{"buffer": "a"}, {"buffer": "one"}]},
   {"module": "k.ptx", "kernel": "l", "grid": [1], "block": [1], "args": [{"buffer": "one"}]}]}`)
	for i, bytes := range []uint64{1024, 16384} {
		if got := p.Rows[i].StaticSharedBytes.N; got != bytes {
			t.Errorf("launch %d: %d bytes of static shared memory, by hand %d", i, got, bytes)
		}
	}
}

// TestShadowsAreGivenBack: what follows the accesses of CTAs lasts as long as the
// launch does, and what follows bytes that the host writes over, as long as they do.
// Each launch takes some 250 KiB for its shared memory, each copy 64 KiB for the words
// that the launch before has touched; all together take many times the limit.
func TestShadowsAreGivenBack(t *testing.T) {
	const launches = 40
	text := `{"module": "k.ptx", "kernel": "l", "grid": [64], "block": [1], "args": [{"buffer": "n"}]},
		{"module": "k.ptx", "kernel": "w", "grid": [1], "block": [1], "args": [{"buffer": "n"}, {"buffer": "unknown"}]},
		{"copy": {"from": {"buffer": "two"}, "to": {"buffer": "n"}, "bytes": 4096}}`
	opts := DefaultOptions()
	opts.Mode, opts.MaxMemoryBytes = Full, 2<<20
	s, err := OpenManifest(program{twoKernels, `{"version": 1, "name": "many",
 "buffers": {"unknown": {"bytes": 4, "type": "u32"}, "n": {"bytes": 4096, "type": "u32", "init": {"fill": 2}}, "two": {"bytes": 4096, "type": "u32", "init": {"fill": 2}}},
 "launches": [` + strings.Repeat(text+",", launches-1) + text + `]}`}.source(t, t.TempDir()), opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range p.Rows[:2*launches] {
		if want := []string{"exact", "assumed"}[i%2]; i >= 2 && r.Exactness != want {
			t.Errorf("launch %d is %s, not %s", i, r.Exactness, want)
		}
	}
}
