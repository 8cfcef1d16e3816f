package analysis

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hyptx/internal/number"
)

// forgiving opens a program whose accesses beyond memory are forgiven.
func (p program) forgiving(t *testing.T, mode Mode) *Session {
	s := p.session(t, mode)
	s.Options.Forgive = true
	return s
}

// beyondProgram has 3 CTAs of 32 threads that load word tid of x, which has 16 words
// of 7, branch on whether it is 0, and store it, one more where it was not, to y. A
// second launch branches on tid alone. x and y have 16 words: 16 lanes of each CTA
// read beyond x, and find 0.
var beyondProgram = program{`.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 x, .param .u64 y) { .reg .u64 %d<5>; .reg .u32 %r<3>; .reg .pred %p;
	ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d1, %d3;
	ld.global.u32 %r2, [%d4];
	setp.eq.u32 %p, %r2, 0; @%p bra Z; add.u32 %r2, %r2, 1; Z: add.u64 %d4, %d2, %d3;
	st.global.u32 [%d4], %r2; ret; }
.entry l(.param .u64 x, .param .u64 y) { .reg .u64 %d<5>; .reg .u32 %r<3>; .reg .pred %p;
	ld.param.u64 %d2, [y]; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 4; @%p bra Z; mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3;
	st.global.u32 [%d2], 1; Z: ret; }
`, `{"version": 1, "name": "b", "buffers": {"x": {"bytes": 64, "type": "u32", "init": {"fill": 7}}, "y": {"bytes": 64, "type": "u32", "init": "zero"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [3], "block": [32], "args": [{"buffer": "x"}, {"buffer": "y"}]},
{"module": "k.ptx", "kernel": "l", "grid": [2], "block": [32], "args": [{"buffer": "x"}, {"buffer": "y"}]}], "outputs": ["y"]}`}

// TestForgiven: without the option an access beyond a buffer is a fault; with it, each
// is counted, a decision on what it read is assumed, and what rests on no such value is
// exact, though it stores beyond a buffer, too.
func TestForgiven(t *testing.T) {
	for _, mode := range []Mode{Control, Memory, Full} {
		s := beyondProgram.forgiving(t, mode)
		p, err := s.Profile(context.Background())
		if err == nil && mode != Full {
			err = s.Verify(context.Background(), p)
		}
		if err != nil {
			t.Fatal(err)
		}
		// A warp of k splits at the branch: 16 lanes of it go on at Z.
		if r := p.Rows[0]; r.Exactness != assumedCounts || r.DivergentBranches.N != 3 || r.ThreadInstructions.N != 3*(8*32+16+3*32) || !strings.Contains(r.AssumedInputs, "hit no memory") {
			t.Errorf("%s: %s, %v divergent branches, %v thread instructions, %q", mode, r.Exactness, r.DivergentBranches, r.ThreadInstructions, r.AssumedInputs)
		}
		if r := p.Rows[1]; r.Exactness != exactCounts || r.AssumedInputs != "" {
			t.Errorf("%s: %s, %q", mode, r.Exactness, r.AssumedInputs)
		}
		want := []uint64{3 * 16, 0, 3 * 16} // loads alone are in the slice
		if mode != Control {
			want = []uint64{2 * 3 * 16, 2 * 16, 2*3*16 + 2*16}
		}
		for i, n := range want {
			if p.Rows[i].ForgivenAccesses != number.Count(n) {
				t.Errorf("%s: row %d: %v accesses, want %d", mode, i, p.Rows[i].ForgivenAccesses, n)
			}
		}
		if f := s.Forgiven(); f[0].Line != 6 || f[0].Accesses != 48 || f[0].Text != "ld.global.u32 %r2, [%d4]" || mode != Control && len(f) != 3 {
			t.Errorf("%s: %v", mode, f)
		}
		strict := beyondProgram.session(t, mode)
		if p, err := strict.Profile(context.Background()); err == nil || p.Rows[0].ForgivenAccesses.Known || strict.Forgiven() != nil {
			t.Errorf("%s: without the option: %v", mode, err)
		}
	}
}

// TestForgivenRun: a run stores what there is memory for, and computes with zeros.
func TestForgivenRun(t *testing.T) {
	s := beyondProgram.forgiving(t, Full)
	out, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		if want := byte(map[bool]int{true: 8, false: 1}[i < 4]); out[0].Data[4*i] != want {
			t.Errorf("y[%d] is %d, want %d", i, out[0].Data[4*i], want)
		}
	}
	if f := s.Forgiven(); len(f) != 3 || f[0].Accesses != 48 || f[1].Accesses != 48 || f[2].Accesses != 32 {
		t.Errorf("%v", f)
	}
}

// TestForgivenRandom: programs that hit no memory here and there have the counts of
// full emulation in every mode, the same accesses are forgiven with and without being
// done, and the only faults left are of other kinds.
func TestForgivenRandom(t *testing.T) {
	const n = 300
	forgiven, faults := 0, 0
	for seed := range uint64(n) {
		p := faultyProgram(rand.New(rand.NewPCG(seed, 9)))
		var lists [][]*Forgiven
		for _, mode := range []Mode{Control, Memory, Full} {
			s := p.forgiving(t, mode)
			prof, err := s.Profile(context.Background())
			if err != nil {
				if strings.Contains(err.Error(), "out of bounds") {
					t.Fatalf("seed %d, %s: %v\n%s", seed, mode, err, numbered(p.ptx))
				}
				faults++
				continue
			}
			if err := s.Verify(context.Background(), prof); err != nil && !(mode == Control && strings.Contains(err.Error(), "misaligned")) {
				t.Fatalf("seed %d, %s: %v\n%s", seed, mode, err, numbered(p.ptx))
			}
			if mode != Control {
				list := s.Forgiven()
				for _, f := range list {
					f.File = "" // a folder of its own
				}
				lists = append(lists, list)
			}
		}
		if len(lists) == 2 && !reflect.DeepEqual(lists[0], lists[1]) {
			t.Errorf("seed %d: memory %v, full %v\n%s", seed, lists[0], lists[1], numbered(p.ptx))
		}
		if len(lists) > 0 && lists[0] != nil {
			forgiven++
		}
	}
	if forgiven < n/6 || faults < n/20 {
		t.Errorf("%d programs are forgiven something, %d fail", forgiven, faults)
	}
}

// TestForgivenProduct: a product of matrices whose descriptors lead beyond shared memory
// is no load, and its accesses are forgiven all the same.
func TestForgivenProduct(t *testing.T) {
	p := program{`.version 8.4
.target sm_90a
.address_size 64
.entry k() { .reg .f32 %d<4>; .reg .b64 %m; .reg .pred %p; mov.b64 %m, 0;
	mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %m, %m, 0, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
	setp.gt.f32 %p, %d0, 0f00000000; @%p trap; ret; }
`, `{"version": 1, "name": "w", "buffers": {}, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [128], "args": []}]}`}
	for _, mode := range []Mode{Control, Memory, Full} {
		s := p.forgiving(t, mode)
		prof, err := s.Profile(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		// Each of four warps reads 4 words a lane of A and 2 of B.
		if r := prof.Rows[0]; r.Exactness != assumedCounts || r.ForgivenAccesses != number.Count(4*32*6) {
			t.Errorf("%s: %s, %v accesses", mode, r.Exactness, r.ForgivenAccesses)
		}
		if _, err := p.session(t, mode).Profile(context.Background()); err == nil || !strings.Contains(err.Error(), "out of bounds") {
			t.Errorf("%s: without the option: %v", mode, err)
		}
	}
}
