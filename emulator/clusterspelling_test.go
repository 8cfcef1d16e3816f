package emulator

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"hyptx/ir/isa"
)

// clusterStep appends a step that executes a spelling, with the optional operands that are given,
// and does to the model what the manual says; it returns how many threads have executed it.
type clusterStep func(p *clusterProof, x *isa.Inst, given []bool) (lanes int)

// clusterReferences are the steps, by opcode. Forms of an opcode that has a reference among those
// of single threads, too, are told apart by what stands in proven.
var clusterReferences map[isa.Op]clusterStep

func init() {
	clusterReferences = map[isa.Op]clusterStep{}
	for _, some := range []map[isa.Op]clusterStep{windowSteps, bulkSteps, asyncSteps, objectSteps, stackSteps, cancelSteps} {
		for op, step := range some {
			clusterReferences[op] = step
		}
	}
}

// stepOf returns the step that proves a form, nil if none does.
func stepOf(f *isa.Form) clusterStep {
	if references[f.Op] != nil && !signals(f) {
		return nil // of st.async and red.async those of global memory
	}
	return clusterReferences[f.Op]
}

// signals reports whether a form tells an mbarrier object of what it has done.
func signals(f *isa.Form) bool {
	return slices.ContainsFunc(f.Operands, func(s isa.OperandSpec) bool { return s.Name == "mbar" })
}

// clusterForms are the forms that steps prove, by the targets of programs that have them.
var clusterForms = sync.OnceValue(func() (list []*mixedForm) {
	for _, f := range isa.Forms() {
		step, peers := stepOf(f), false
		if step == nil {
			step, peers = peerSteps[f.Op], true
		}
		if step == nil || Unsupported(f) != "" || !peers && Unproven(f) != "" {
			continue
		}
		byTarget := map[int]*mixedForm{}
		for _, x := range spellingsOf(f) {
			if peers && !reachesPeers(x) {
				continue
			}
			at := targetFor(x)
			if at < 0 {
				continue
			}
			if byTarget[at] == nil {
				byTarget[at] = &mixedForm{form: f, target: at, step: step}
				list = append(list, byTarget[at])
			}
			byTarget[at].spellings = append(byTarget[at].spellings, x)
		}
	}
	return list
})

// newClusterProof begins a program for a target.
func newClusterProof(r *rand.Rand, c targetOf) *clusterProof {
	p := &clusterProof{proof: proof{r: r, ptx: c.ptx, target: c.target, guards: true}, ctas: 1, objects: 2}
	p.version, _ = isa.ParseTarget([]string{c.target})
	if p.clusters() {
		p.ctas = 1 + r.IntN(4)
	}
	p.each = 32 * (1 + r.IntN(2))
	p.warps = p.ctas * p.each / 32
	p.shared = make([][]modelByte, p.ctas)
	return p
}

// step appends a step of a form's spellings.
func (p *clusterProof) step(m *mixedForm) {
	x := m.spellings[p.r.IntN(len(m.spellings))]
	p.regs = 0
	p.texts = append(p.texts, fmt.Sprintf("step %d, %s", len(p.texts), x.Opcode))
	p.meet()
	p.line("// %s", p.texts[len(p.texts)-1])
	m.done.Add(int64(m.step(p, x, oneAmong(p.r, p.variants(x)...))))
}

// clusterSteps is how many steps a program has.
const clusterSteps = 10

func runClusters(t testing.TB, r *rand.Rand, forms []*mixedForm) {
	p := newClusterProof(r, targets[forms[0].target])
	for _, m := range forms {
		p.step(m)
	}
	p.prove(t)
}

// TestClusterSpellings runs programs of the forms that steps prove, each form several times; with
// HYPTX_HEAVY until each has had ten thousand lane operations.
func TestClusterSpellings(t *testing.T) {
	forms := clusterForms()
	r := rand.New(rand.NewPCG(5, 79))
	wanting := forms
	for range 3 {
		runRound(t, r, wanting)
	}
	for range 20 { // what is drawn may leave nobody anything to do
		wanting = slices.DeleteFunc(slices.Clone(forms), func(m *mixedForm) bool { return m.done.Load() > 0 })
		runRound(t, r, wanting)
	}
	for _, m := range wanting {
		t.Errorf("%s: no thread has executed it", m.form.Syntax)
	}
	if os.Getenv("HYPTX_HEAVY") == "" {
		return
	}
	const least = 10_000
	reach(t, forms, clusterSteps, func(m *mixedForm) bool { return m.done.Load() < least }, runClusters)
	for _, m := range forms {
		t.Logf("%9d: %s", m.done.Load(), m.form.Syntax)
	}
}

// runRound runs programs that have a step of each form.
func runRound(t *testing.T, r *rand.Rand, forms []*mixedForm) {
	byTarget := map[int][]*mixedForm{}
	for _, at := range r.Perm(len(forms)) {
		m := forms[at]
		byTarget[m.target] = append(byTarget[m.target], m)
	}
	for target := range targets {
		for part := range slices.Chunk(byTarget[target], clusterSteps) {
			runClusters(t, r, part)
		}
	}
}

// operandsText joins the operands that an instruction is given.
func operandsText(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), ", ")
}
