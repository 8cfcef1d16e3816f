package analysis

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// failingKernels are kernels, each with a pointer: of which one fails at x[16], beyond its
// end, or in another way; the others write tid to p, branch on p[1], or write what
// they branched on to the buffer behind p.
const failingKernels = `.version 9.4
.target sm_100
.address_size 64
.entry fill(.param .u64 p) { .reg .u64 %d<4>; .reg .u32 %r<3>;
	ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r1; ret; }
.entry branch(.param .u64 p, .param .u64 q) { .reg .u64 %d<4>; .reg .u32 %r<3>; .reg .pred %p;
	ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.global.u32 %r2, [%d1+4]; mov.u32 %r1, %tid.x;
	mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3; setp.lt.u32 %p, %r1, %r2; @%p bra L; add.u32 %r2, %r2, 5; L: st.global.u32 [%d2], %r2; ret; }
.entry misaligned(.param .u64 p) { .reg .u64 %d<2>; .reg .u32 %r<2>; ld.param.u64 %d1, [p]; st.global.u32 [%d1+2], 1; ret; }
.entry endless(.param .u64 p) { .reg .u64 %d<2>; ld.param.u64 %d1, [p]; L: st.global.u32 [%d1+4], 1; bra L; }
.entry deadlock(.param .u64 p) { .reg .u64 %d<2>; .reg .u32 %r<2>; .reg .pred %p;
	ld.param.u64 %d1, [p]; st.global.u32 [%d1+4], 1; L: ld.volatile.global.u32 %r1, [%d1]; setp.ne.u32 %p, %r1, 99; @%p bra L; ret; }
.entry unsupported(.param .u64 p) { .reg .u64 %d<3>; ld.param.u64 %d1, [p]; createpolicy.range.fabric.L2::evict_last.b64 %d2, [0, %d1], 16, 32; st.global.u64 [%d1], %d2; ret; }
.entry trapping(.param .u64 p) { .reg .u64 %d<2>; ld.param.u64 %d1, [p]; st.global.u32 [%d1+4], 1; trap; }
`

// failingProgram launches kernels on buffers: "fill 16 x" is a launch of 16 threads.
func failingProgram(launches ...string) program {
	var list []string
	for _, l := range launches {
		w := strings.Fields(l)
		args := strings.Join(w[2:], `"}, {"buffer": "`)
		if w[0] == "copy" {
			list = append(list, fmt.Sprintf(`{"copy": {"from": {"buffer": "%s"}, "to": {"buffer": "%s"}, "bytes": 64}}`, w[2], w[3]))
			continue
		}
		list = append(list, fmt.Sprintf(`{"module": "k.ptx", "kernel": "%s", "grid": [1], "block": [%s], "args": [{"buffer": "%s"}]}`, w[0], w[1], args))
	}
	buffer := func(name string) string { return `"` + name + `": {"bytes": 64, "type": "u32", "init": "zero"}` }
	return program{failingKernels, `{"version": 1, "name": "f", "buffers": {` + buffer("x") + "," + buffer("y") + "," + buffer("z") + "," + buffer("w") + `}, "launches": [` + strings.Join(list, ",\n") + `]}`}
}

// failingSession opens such a program with limits that its endless loop meets.
func failingSession(t *testing.T, mode Mode, jobs int, launches ...string) *Session {
	s := failingProgram(launches...).session(t, mode)
	s.Options.MaxInstructions, s.Options.Jobs = 100_000, jobs
	return s
}

// TestFailure: a launch that fails, in whatever way, has a row with the reason and
// without counts; those that cannot have read what it was to write have the counts
// that they have without it, and are exact; those that may, through others, too, are
// assumed; the total is of the others.
func TestFailure(t *testing.T) {
	for _, c := range []struct{ fail, reason string }{
		{"fill 32 x", "k.ptx:5:95: st.global.u32 [%d3], %r1: kernel fill, CTA (0,0,0), thread (16,0,0): out of bounds: "},
		{"misaligned 32 x", "misaligned: 4 bytes at "},
		{"endless 32 x", "more than 100000 warp instructions needed"},
		{"deadlock 32 x", "deadlock: no thread can go on"},
		{"unsupported 32 x", "createpolicy.range.fabric"},
		{"trapping 32 x", "trap"},
	} {
		for _, mode := range []Mode{Control, Memory, Full} {
			launches := []string{"fill 16 x", c.fail, "branch 16 x y", "branch 16 y w", "branch 16 z w", "fill 8 z"}
			p, err := failingSession(t, mode, 2, launches...).Profile(context.Background())
			if err == nil || !p.Complete() || strings.Count(err.Error(), "\n") != 0 || !strings.HasPrefix(err.Error(), "launch 1 (") || !strings.Contains(err.Error(), c.reason) {
				t.Fatalf("%s, %s: complete %v: %v", c.fail, mode, p.Complete(), err)
			}
			whole, err := failingSession(t, mode, 2, append(launches[:1:1], launches[2:]...)...).Profile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			sum := uint64(0)
			for i, want := range []string{"exact", "", "assumed", "assumed", "exact", "exact"} {
				r := p.Rows[i]
				if r.Exactness != want || r.Kind != KindLaunch || (r.Error != "") != (i == 1) || r.WarpInstructions.Known != (i != 1) || r.BytesTransferred.Known != (i != 1 && mode != Control) {
					t.Errorf("%s, %s: row %d: %s, want %s, error %q, %v warp instructions", c.fail, mode, i, r.Exactness, want, r.Error, r.WarpInstructions)
				}
				if (r.AssumedInputs != "") != (want == "assumed") || want == "assumed" && mode != Control && r.MemoryExactness != want {
					t.Errorf("%s, %s: row %d: assumed_inputs %q, memory %s", c.fail, mode, i, r.AssumedInputs, r.MemoryExactness)
				}
				if want == "exact" {
					w := *whole.Rows[max(0, i-1)]
					if w.Launch = r.Launch; *r != w {
						t.Errorf("%s, %s: row %d is %+v, without the launch that fails %+v", c.fail, mode, i, *r, w)
					}
				}
				sum += r.WarpInstructions.N
			}
			total := p.Rows[6]
			if total.WarpInstructions.N != sum || total.Exactness != "assumed" || total.Count.N != 5 || total.Error != "without 1 of 6 launches, which failed" {
				t.Errorf("%s, %s: total %+v", c.fail, mode, *total)
			}
		}
	}
}

// TestFailureUnread: if no later slice reads what failed, all stay exact; if the host
// copies in between, what is read may be a copy of it.
func TestFailureUnread(t *testing.T) {
	for _, c := range []struct {
		launches []string
		want     string
	}{
		{[]string{"fill 32 x", "fill 16 y", "branch 8 z w"}, " exact exact exact"},
		{[]string{"fill 32 x", "copy - x y", "branch 8 y z"}, " assumed assumed"},
		{[]string{"fill 32 x", "fill 32 y", "fill 32 z"}, "   "},
	} {
		p, err := failingSession(t, Full, 1, c.launches...).Profile(context.Background())
		var got []string
		for _, r := range p.Rows {
			got = append(got, r.Exactness)
		}
		if err == nil || strings.Join(got, " ") != c.want {
			t.Errorf("%v: %q, want %q; %v", c.launches, strings.Join(got, " "), c.want, err)
		}
	}
}

// TestFailFast: if asked for, the first launch that fails ends the program.
func TestFailFast(t *testing.T) {
	s := failingSession(t, Full, 1, "fill 16 x", "fill 32 x", "fill 16 y")
	s.Options.FailFast = true
	if p, err := s.Profile(context.Background()); err == nil || p.Complete() || len(p.Rows) != 1 {
		t.Errorf("%d rows, %v", len(p.Rows), err)
	}
}

// slow is a progress that holds a launch up for longer than it may take and is given
// to stop.
type slow struct{}

func (slow) Start(string, int64) { time.Sleep(3 * graceTime) }
func (slow) Done(int64)          {}

// TestSlowToStop: a launch that does not stop at once when its time is over has a row
// with the reason as any other, and the others go on.
func TestSlowToStop(t *testing.T) {
	s := failingSession(t, Full, 1, "endless 1 x", "endless 1 y", "endless 1 z")
	s.Options.LaunchTimeout, s.Options.Progress, s.Options.MaxInstructions = time.Millisecond, slow{}, math.MaxInt64
	p, err := s.Profile(context.Background())
	if err == nil || strings.Count(err.Error(), "launch-timeout") != 3 || !p.Complete() || len(p.Rows) != 4 {
		t.Fatalf("%d rows, complete %v: %v", len(p.Rows), p.Complete(), err)
	}
	for i, r := range p.Rows[:3] {
		if !strings.Contains(r.Error, "more than 1ms needed") {
			t.Errorf("row %d: %q", i, r.Error)
		}
	}
}
