package oracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/check"
)

// hyptx check on random programs whose threads share memory. Those that are in order by
// construction have no fault, whatever barriers, copies and objects they use. Into others
// one is planted, somewhere among their statements, in a few lines of its own.

// plant is a fault: its kind, the lines that make it, with T for another thread than the
// first and N for a number, and what else may come of it.
type plant struct {
	name string
	kind check.Kind
	text string
	also []check.Kind
}

var plants = []plant{
	{"global load", check.OutOfBounds, "@%first ld.global.u32 %fa, [%out+END];", nil},
	{"global store", check.OutOfBounds, "@%first st.global.u32 [%out+END], 1;", nil},
	{"shared store", check.OutOfBounds, "@%first st.shared.u32 [fl+65536], 1;", nil},
	{"global load", check.Misaligned, "@%first ld.global.u32 %fa, [%out+2];", nil},
	{"shared store", check.Misaligned, "@%first st.shared.u64 [fl+4], 1;", nil},
	{"shared load", check.UnwrittenMemory, "@%first ld.shared.u32 %fa, [fl+N];", nil},
	{"local load", check.UnwrittenMemory, "ld.local.u32 %fa, [fo+N];", nil},
	{"register", check.UnwrittenValue, "add.u32 %fa, %fb, 1;", nil},
	{"shared stores", check.Race, "@%first st.shared.u32 [fl+N], 1;\nsetp.eq.u32 %fp, %id, T;\n@%fp st.shared.u32 [fl+N], 2;", nil},
	{"shared store and load", check.Race, "@%first st.shared.u32 [fl+N], 1;\nsetp.eq.u32 %fp, %id, T;\n@%fp ld.shared.u32 %fa, [fl+N];", []check.Kind{check.UnwrittenMemory}},
	{"global stores", check.Race, "ld.param.u64 %fd, [out];\n@%first st.global.u32 [%fd+28], 1;\nsetp.eq.u32 %fp, %id, T;\n@%fp st.global.u32 [%fd+28], 2;", nil},
	{"a barrier in a branch", check.DivergentBar, "mov.u32 %fa, %laneid;\nsetp.lt.u32 %fp, %fa, 7;\n@%fp bra FA;\nbar.sync 0;\nbra.uni FB;\nFA: bar.sync 0;\nFB:", nil},
	{"a mask", check.Membermask, "vote.sync.any.pred %fp, %first, 0x2;", []check.Kind{check.AbsentLane}},
	{"a shuffle", check.AbsentLane, "mov.u32 %fa, %laneid;\nsetp.gt.u32 %fp, %fa, 7;\n@%fp bra FB;\nshfl.sync.idx.b32 %fa, %id, 9, 31, 0xff;\nFB:", nil},
	{"a copy", check.Unfinished, "@%first cp.async.ca.shared.global [fl], [%out+28], 4;\n@%first ld.shared.u32 %fa, [fl];", []check.Kind{check.UnwrittenMemory}},
}

// The lines of a fault stand between these comments.
const plantBegin, plantEnd = "// planted", "// as it was"

// planted writes a program that is in order, with a fault; nil if it has no place for it.
func planted(seed uint64, f *plant) *program {
	r := rand.New(rand.NewPCG(seed, 0x94d049bb133111eb))
	done := false
	p := sharingProgramWith(seed, true, false, func(s *sharer) {
		s.raceless = true
		if done || !s.together() || r.IntN(4) != 0 || f.kind == check.AbsentLane && s.threads%32 != 0 {
			return
		}
		done = true
		other := 1 + r.IntN(s.threads-1)
		text := strings.NewReplacer("END", "FAR", "T", fmt.Sprint(other), "N", fmt.Sprint(4*r.IntN(16))).Replace(f.text)
		s.line("%s\n{ .reg .b32 %%%%fa, %%%%fb; .reg .pred %%%%fp; .reg .b64 %%%%fd; .shared .align 16 .b8 fl[64]; .local .align 16 .b8 fo[64];\n%s }\n%s",
			plantBegin, strings.ReplaceAll(text, "%", "%%"), plantEnd)
	})
	if !done {
		return nil
	}
	p.ptx = strings.ReplaceAll(p.ptx, "FAR", fmt.Sprint(p.bytes()+4*int64(r.IntN(3))))
	p.ptx = strings.ReplaceAll(p.ptx, "%%", "%")
	return p
}

// findings checks a program.
func (p *program) findings(dir string) ([]*check.Finding, error) {
	opts := analysis.DefaultOptions()
	opts.Check = &check.Run{Groups: check.AllGroups}
	s, err := p.open(dir, opts)
	if err == nil {
		err = s.Execute(context.Background())
	}
	return opts.Check.List.Findings(), err
}

// TestCheckFaultless: nothing is told of programs without a fault. Threads that all store one number
// are a fault, if one that does no harm, so there are none.
func TestCheckFaultless(t *testing.T) {
	first := firstSeed(1)
	for seed := first; seed < first+programs(40, 200); seed++ {
		p := sharingProgramWith(seed, true, seed%2 == 0, func(s *sharer) { s.raceless = true })
		list, err := p.findings(t.TempDir())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, f := range list {
			t.Errorf("seed %d: %s\n%s", seed, f.Text(), p.ptx)
		}
	}
}

// TestCheckPlanted: of planted faults 99 in 100 are found, where they are, and nothing else.
func TestCheckPlanted(t *testing.T) {
	first := firstSeed(1)
	for i := range plants {
		f := &plants[i]
		t.Run(fmt.Sprintf("%s of %s", f.kind, f.name), func(t *testing.T) {
			var all, found uint64
			for seed := first; all < programs(4, 15); seed++ {
				p := planted(seed, f)
				if p == nil {
					continue
				}
				all++
				list, err := p.findings(t.TempDir())
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
				}
				if f.in(t, seed, p, list) {
					found++
				} else {
					t.Logf("seed %d: not found\n%s", seed, p.ptx)
				}
			}
			if t.Logf("%d of %d found", found, all); 100*found < 99*all {
				t.Errorf("only %d of %d are found", found, all)
			}
		})
	}
}

// in reports whether a fault is among findings; others are errors, but for consequences: what a planted
// store or copy races with may stand elsewhere.
func (f *plant) in(t *testing.T, seed uint64, p *program, list []*check.Finding) (found bool) {
	before, rest, _ := strings.Cut(p.ptx, plantBegin)
	inside, _, _ := strings.Cut(rest, plantEnd)
	from := strings.Count(before, "\n") + 1
	to := from + strings.Count(inside, "\n")
	planted := func(a *check.Access) bool { return a != nil && a.Line >= from && a.Line <= to }
	for _, g := range list {
		switch here := planted(&g.At); {
		case here && g.Kind == f.kind:
			found = true
		case g.Remark() && g.Kind != f.kind, g.Other != nil && here != planted(g.Other), here && len(f.also) > 0 && g.Kind == f.also[0]:
		default:
			t.Errorf("seed %d: lines %d to %d are planted; found %s\n%s", seed, from, to, g.Text(), p.ptx)
		}
	}
	return found
}
