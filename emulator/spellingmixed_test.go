package emulator

import (
	"errors"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hyptx/ir/isa"
)

// Random programs over all forms that have a reference: spellings of many forms, one after the other,
// half of them under guards, by many warps. What the threads leave in registers and in memory is
// held against the references, what the warps are counted to have done against what they must have.

// mixedForm is a form in such programs.
type mixedForm struct {
	form      *isa.Form
	ref       warpReference
	spellings []*isa.Inst
	target    int         // of targets
	step      clusterStep // what proves it in programs of clusters, nil in others
	done      atomic.Int64
	// spent is the time that its references took, in nanoseconds; weight says how often it is
	// drawn, 1 for the quickest and 0 for all the same.
	spent  atomic.Int64
	weight float64
}

// mixedForms are all, by the targets of programs that have them: the same form stands among several
// where no target has all its spellings.
var mixedForms = sync.OnceValue(func() (list []*mixedForm) {
	for _, f := range isa.Forms() {
		ref := references[f.Op]
		if ref == nil || stepOf(f) != nil || Unsupported(f) != "" || Unproven(f) != "" {
			continue
		}
		byTarget := map[int]*mixedForm{}
		for _, x := range spellingsOf(f) {
			at := targetFor(x)
			if at < 0 {
				continue
			}
			m := byTarget[at]
			if m == nil {
				m = &mixedForm{form: f, ref: ref, target: at}
				byTarget[at] = m
				list = append(list, m)
			}
			m.spellings = append(m.spellings, x)
		}
	}
	return list
})

// targetFor returns which of the targets has a spelling, -1 if none does.
func targetFor(x *isa.Inst) int {
	return slices.IndexFunc(targets, func(c targetOf) bool {
		target, _ := isa.ParseTarget([]string{c.target})
		err := x.Check(c.ptx, target)
		return err == nil || errors.Is(err, isa.ErrBeyond)
	})
}

// mixedCases is how many instructions a program has.
const mixedCases = 32

// runMixed makes a program of spellings of forms of one target, runs it and holds it against the
// references.
func runMixed(t testing.TB, r *rand.Rand, forms []*mixedForm, warps int) {
	c := targets[forms[0].target]
	p := &proof{r: r, ptx: c.ptx, target: c.target, warps: warps, guards: true}
	of := map[*spelled]*mixedForm{}
	for _, m := range forms {
		x := m.spellings[r.IntN(len(m.spellings))]
		p.addVariant(x, oneAmong(r, p.variants(x)...))
		of[p.cases[len(p.cases)-1]] = m
	}
	out, memory := p.run(t)
	p.verify(t, out, memory, func(c *spelled) warpReference {
		m := of[c]
		return func(x *isa.Inst, in [][]uint64, mem [][]byte) [][]outcome {
			start := time.Now()
			defer func() { m.spent.Add(int64(time.Since(start))); m.done.Add(32) }()
			return m.ref(x, in, mem)
		}
	})
}

// TestMixedSpellings runs some such programs; with HYPTX_HEAVY so many that they have a thousand
// million lane operations, ten thousand of each form at least, half of whose operands are special
// values. Forms whose references are slow come more seldom then.
func TestMixedSpellings(t *testing.T) {
	const least, wanted = 10_000, 1_000_000_000
	forms, heavy := mixedForms(), os.Getenv("HYPTX_HEAVY") != ""
	byTarget := map[int][]*mixedForm{}
	for _, m := range forms {
		byTarget[m.target] = append(byTarget[m.target], m)
	}
	draw := func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 77))
		all := byTarget[forms[r.IntN(len(forms))].target]
		var picks []*mixedForm
		for range mixedCases {
			picks = append(picks, all[r.IntN(len(all))])
		}
		runMixed(t, r, picks, 1+r.IntN(3))
	}
	for seed := range uint64(60) {
		draw(seed)
	}
	if !heavy {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	run := func(t testing.TB, r *rand.Rand, forms []*mixedForm) { runMixed(t, r, forms, 32) }
	reach(t, forms, mixedCases, func(m *mixedForm) bool { return m.done.Load() < least }, run)
	total := func() (n int64) {
		for _, m := range forms {
			n += m.done.Load()
		}
		return n
	}
	for _, m := range forms {
		m.weight = overhead / float64(overhead+m.spent.Load()/m.done.Load())
	}
	reach(t, forms, mixedCases, func(*mixedForm) bool { return total() < wanted }, run)
	if t.Failed() {
		return
	}
	for _, m := range forms {
		t.Logf("%9d of %6d ns: %s", m.done.Load(), m.spent.Load()/m.done.Load(), m.form.Syntax)
	}
	t.Logf("%d lane operations of %d forms without a difference", total(), len(forms))
}

// overhead is what a lane operation takes beside its reference, in nanoseconds, about.
const overhead = 1000

// reach runs programs of so many forms, two at once, of those forms that want more.
func reach(t *testing.T, forms []*mixedForm, cases int, wants func(*mixedForm) bool, run func(testing.TB, *rand.Rand, []*mixedForm)) {
	var seed atomic.Uint64
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for !t.Failed() {
				r := rand.New(rand.NewPCG(seed.Add(1), 78))
				var all []*mixedForm
				target := -1
				for _, at := range r.Perm(len(forms)) {
					if m := forms[at]; wants(m) && (m.weight == 0 || r.Float64() < m.weight) && (target < 0 || m.target == target) && len(all) < cases {
						all, target = append(all, m), m.target
					}
				}
				if len(all) == 0 {
					if slices.ContainsFunc(forms, wants) {
						continue
					}
					return
				}
				for len(all) < cases {
					all = append(all, all[r.IntN(len(all))])
				}
				run(t, r, all)
			}
		})
	}
	group.Wait()
}
