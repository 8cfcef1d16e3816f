package analysis

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// failingCTAs is a program whose body fails in several CTAs: %r1 is the CTA, which the lower
// it is the longer takes, %d1 the buffer. It is launched twice, and prints.
func failingCTAs(grid int, body string) program {
	slow := "sub.u32 %r9, 64, %r1;\nmul.lo.u32 %r9, %r9, 40;\nLP:\nsub.u32 %r9, %r9, 1;\nsetp.gt.s32 %p8, %r9, 0;\n@%p8 bra LP;\n"
	ptx := entry(".param .u64 a", ".local .b32 here;\nld.param.u64 %d1, [a];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d2, %d1;\n"+slow+body+"\nret;")
	ptx = strings.Replace(ptx, ".visible", ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n.global .b8 text[4] = {37, 100, 10, 0};\n.visible", 1)
	one := `{"module": "k.ptx", "kernel": "k", "grid": [` + fmt.Sprint(grid) + `], "block": [32], "args": [{"buffer": "a"}]}`
	return program{ptx, `{"version": 1, "limits": {"printfBytes": 2001}, "buffers": {"a": {"bytes": 1024, "type": "u32", "init": "zero"}}, "launches": [` + one + "," + one + `], "outputs": ["a"]}`}
}

// TestFailureIsNotJobs: which CTA a launch fails in, what it has left in memory and what
// it has printed by then, are the same however many workers there are. Each of the
// programs ends otherwise if a CTA that is later in the schedule is taken for the first, or if
// the launch is begun again on what a first try has left.
func TestFailureIsNotJobs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	parted := "setp.lt.u32 %p3, %r2, 16;\n@%p1 bra D;\nbra F;\nD:\n@%p3 bra D2;\nbarrier.sync 1;\nbra F;\nD2:\nbarrier.sync 2;\nF:\n"
	for _, c := range []struct{ name, body, want string }{
		{"many trap", "setp.ge.u32 %p1, %r1, 5;\nst.global.u32 [%d2], %r1;\n@%p1 trap;", "CTA (5,0,0)"},
		{"many miss their buffer", "setp.ge.u32 %p1, %r1, 3;\nmul.wide.u32 %d3, %r1, 4096;\nadd.u64 %d3, %d3, %d1;\n@%p1 st.global.u32 [%d3], %r2;\nst.global.u32 [%d2], %r1;", "CTA (3,0,0)"},
		{"one waits for ever, a later one traps", "setp.eq.u32 %p1, %r1, 2;\nsetp.eq.u32 %p2, %r1, 7;\n" + parted + "@%p2 trap;", "CTA (7,0,0)"},
		{"two wait for ever", "setp.eq.u32 %p1, %r1, 2;\nsetp.eq.u32 %p2, %r1, 9;\nor.pred %p1, %p1, %p2;\n" + parted, "CTA (9,0,0)"},
		{"one never ends, a later one traps", "setp.eq.u32 %p1, %r1, 4;\nsetp.eq.u32 %p2, %r1, 6;\nI:\n@%p1 bra I;\n@%p2 trap;", "500000 warp instructions"},
		{"the first try is seen", "ld.global.u32 %r3, [%d1];\nadd.u32 %r4, %r3, 1;\nst.global.u32 [%d1], %r4;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 trap;\nst.global.u32 [%d1+4096], %r3;", "trap"},
		{"more is printed than there is room for", "{ .param .b64 f;\n.param .b64 v;\n.param .b32 r;\n.reg .b64 %w;\nst.local.u32 [here], %r1;\nmov.u64 %w, text;\ncvta.global.u64 %w, %w;\nst.param.b64 [f], %w;\nmov.u64 %w, here;\ncvta.local.u64 %w, %w;\nst.param.b64 [v], %w;\ncall (r), vprintf, (f, v);\n}", ""},
	} {
		for _, grid := range []int{1, 64} {
			p, first := failingCTAs(grid, c.body), map[string]string{}
			for _, jobs := range []int{1, 2, 3, 8} {
				for how, got := range p.inAllWays(t, jobs) {
					if first[how] == "" {
						first[how] = got
					}
					if got != first[how] {
						t.Errorf("%s, %d CTAs, %s with %d jobs:\n%.600s\nwith one:\n%.600s", c.name, grid, how, jobs, got, first[how])
					}
				}
			}
			if grid > 1 && !strings.Contains(first["run"], c.want) {
				t.Errorf("%s: %.300s; want %s", c.name, first["run"], c.want)
			}
		}
	}
}

// inAllWays returns what comes of a program with so many jobs: when it is run, and when
// it is profiled in each mode.
func (p program) inAllWays(t *testing.T, jobs int) map[string]string {
	t.Helper()
	all, dir := map[string]string{}, t.TempDir()
	open := func(mode Mode, failFast bool) (*Session, *bytes.Buffer) {
		opts, printed := DefaultOptions(), new(bytes.Buffer)
		opts.Jobs, opts.Mode, opts.FailFast, opts.Print, opts.MaxInstructions = jobs, mode, failFast, printed, 500_000
		opts.PerCTA = true
		if mode == Memory { // somebody listens to the requests of CTAs
			opts.GPUs, _ = gpu.List("gv100")
		}
		s, err := OpenManifest(p.source(t, dir), opts)
		if err != nil {
			t.Fatal(err)
		}
		return s, printed
	}
	s, printed := open(Full, false)
	err := s.Execute(context.Background())
	outs, _ := s.Outputs()
	all["run"] = fmt.Sprint(err, printed.String())
	for i := range outs[0].Len() {
		all["run"] += fmt.Sprint(" ", outs[0].Bits(i))
	}
	for _, mode := range []Mode{Static, Control, Memory, Full} {
		for _, failFast := range []bool{false, true} {
			s, printed := open(mode, failFast)
			prof, err := s.Profile(context.Background())
			var rows bytes.Buffer
			if prof != nil {
				if err := prof.WriteCSV(&rows, Stamp{}, nil); err != nil {
					t.Fatal(err)
				}
			}
			all[fmt.Sprint("mode ", mode, ", fail-fast ", failFast)] = fmt.Sprint(err, printed.String(), rows.String())
		}
	}
	for how, got := range all { // names are a part of what is said
		all[how] = strings.ReplaceAll(got, dir, "")
	}
	return all
}
