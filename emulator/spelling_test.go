package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/texel"
	"hyptx/ir/isa"
)

// A row of the table claims every spelling of its opcode: each type with each
// modifier. The tests here take it at its word. They generate the spellings, run
// each on random and special operands, and hold what comes out against
// references that are written from the manual's text and share no code with the
// lanes (reference_*_test.go). A row without a reference stands in the list of
// table.go, with the reason.

// outcome is what the manual says of one result.
type outcome struct {
	bits uint64
	// allows replaces bits where the manual leaves more than one result open.
	allows func(got uint64) bool
}

func (o outcome) holds(got uint64) bool {
	if o.allows != nil {
		return o.allows(got)
	}
	return got == o.bits
}

// is returns the one result that is defined to the bit, anything is the outcome
// where none is defined.
func is(bits uint64) []outcome { return []outcome{{bits: bits}} }

var anything = []outcome{{allows: func(uint64) bool { return true }}}

// laneReference gives the results of one thread, in the order in which they are
// written (d before its pair), from the sources in theirs; a predicate that is
// negated comes negated. nil: the reference does not know the instruction.
type laneReference func(x *isa.Inst, in []uint64) []outcome

// memoryReference also has what is at the address of the instruction, and leaves
// there what the instruction does.
type memoryReference func(x *isa.Inst, in []uint64, mem []byte) []outcome

// warpReference does for the 32 lanes of a warp, all active; each has its memory,
// none where nothing is addressed.
type warpReference func(x *isa.Inst, in [][]uint64, mem [][]byte) [][]outcome

// perLane makes a warp's reference of a lane's.
func perLane(f laneReference) warpReference {
	return perThread(func(x *isa.Inst, in []uint64, _ []byte) []outcome { return f(x, in) })
}

func perThread(f memoryReference) warpReference {
	return func(x *isa.Inst, in [][]uint64, mem [][]byte) (out [][]outcome) {
		for i, lane := range in {
			o := f(x, lane, mem[i])
			if o == nil {
				return nil
			}
			out = append(out, o)
		}
		return out
	}
}

// proofWarps is how many warps run each spelling as a rule, each with operands of its own.
const proofWarps = 2

func (p *proof) threads() int { return 32 * p.warps }

// spelled is one instruction of a proof: a spelling with its operands.
type spelled struct {
	inst *isa.Inst
	ops  []proofOperand
	text string
	area *area // what it addresses, nil if it does not
	// guard is the predicate under which it is executed, "" if it always is; else what it
	// writes holds old values before. Both are loaded behind the operands.
	guard guard
	old   []proofOperand
}

// proofOperand is a register, or the elements of a vector, or an immediate.
type proofOperand struct {
	spec   *isa.OperandSpec
	typ    isa.Type // as which its bits are drawn
	bits   int      // of the register
	names  []string
	pair   string // the predicate after "|", "" without one
	not    bool   // "!" stands before it
	braces bool   // a vector, even of one
	imm    uint64
	// part is what is selected of a register of which parts can be, neg "-" before it.
	selects, neg bool
	below        uint64 // the value is, if not 0
	part         string
	// brackets: a texture or surface with a place in it, and, if sampled, a sampler.
	brackets, sampled bool
	scalar            bool // written without braces although it may have them
}

// proof is a program of many spellings that one module can have.
type proof struct {
	r      *rand.Rand
	ptx    int
	target string
	warps  int
	guards bool // instructions have guards now and then
	cases  []*spelled
	in     []uint64 // [value][thread]
	mem    []byte   // [area][thread]
	body   strings.Builder
	regs   int
	outs   int // results so far
	// wholeWarps: operands named mask are masks of lanes.
	wholeWarps bool
	// negated: of the operands drawn so far an odd number is, as -a.
	negated bool
	// barriers: a is the number of a barrier, b how many threads meet there.
	barriers bool
	// matrix is the matrix instruction whose operands are drawn, nil for others.
	matrix *isa.Inst
	// tile is the wmma.load or .store whose operands are drawn.
	tile     *isa.Inst
	selected int // selectors drawn
	// surfaces are handles that instructions name, rows what they stand for.
	surfaces []uint64
	rows     []*texel.Texture
	compares bool // the fetch whose operands are drawn
}

// TestSpellings proves the forms that compute in registers.
func TestSpellings(t *testing.T) {
	for _, f := range isa.Forms() {
		ref := references[f.Op]
		if ref == nil || stepOf(f) != nil || Unsupported(f) != "" || Unproven(f) != "" {
			continue
		}
		t.Run(strings.ReplaceAll(f.Syntax, " ", "_"), func(t *testing.T) {
			t.Parallel()
			proveForm(t, f, ref)
		})
	}
}

// maxSpellings bounds the spellings of a form: of one with more, all pairs of
// alternatives stand together in some.
const maxSpellings = 600

// spellingsOf returns the decoded spellings that lead to the form itself. The
// parameters of functions are for the tests of calls.
func spellingsOf(f *isa.Form) (all []*isa.Inst) {
	opcodes := f.AllSpellings(maxSpellings)
	if testing.Short() && len(opcodes) > maxSpellings/5 {
		opcodes = f.Spellings() // each alternative once
	}
	for _, opcode := range opcodes {
		if x, err := isa.Decode(opcode); err == nil && x.Form == f && NotExecuted(x) == "" && x.Space != isa.ParamFunc {
			all = append(all, x)
		}
	}
	return all
}

func proveForm(t *testing.T, f *isa.Form, ref warpReference) {
	proofs := proofsOf(f, spellingsOf(f), 31)
	if len(proofs) == 0 {
		t.Fatal("no spelling leads to this row")
	}
	for _, p := range proofs {
		p.check(t, ref)
	}
}

// proofsOf returns programs of spellings of a form, one for each target that it takes; the seed
// draws their operands.
func proofsOf(f *isa.Form, spellings []*isa.Inst, seed uint64) (proofs []*proof) {
	r := rand.New(rand.NewPCG(uint64(f.Index), seed))
	byTarget := map[string]*proof{}
	for _, x := range spellings {
		at := -1
		for i, c := range targets {
			target, _ := isa.ParseTarget([]string{c.target})
			if err := x.Check(c.ptx, target); err == nil || errors.Is(err, isa.ErrBeyond) {
				at = i
				break
			}
		}
		if at < 0 {
			continue // alternatives that no target has together
		}
		c := targets[at]
		p := byTarget[c.target]
		if p == nil {
			p = &proof{r: r, ptx: c.ptx, target: c.target, warps: proofWarps}
			byTarget[c.target] = p
			proofs = append(proofs, p)
		}
		p.add(x)
	}
	return proofs
}

// asked asks the reference of a form's opcode about the form, in one of its spellings.
func asked(f *isa.Form, ref warpReference) error {
	for _, x := range spellingsOf(f) {
		for _, p := range proofsOf(f, []*isa.Inst{x}, 31) {
			c := p.cases[0]
			sources, _ := p.sourcesOf(c, 0, 0)
			_, err := c.ask(ref, sources, c.area.before(p, 0))
			return err
		}
	}
	return nil
}

// add appends the spelling, with and without its optional operands.
func (p *proof) add(x *isa.Inst) {
	times := 1
	if drawsText(x.Form) {
		if times = 12; x.Form.Unit == isa.UnitTensor {
			times = 4 // selectors of metadata
		}
	}
	for _, v := range p.variants(x) {
		for range times {
			p.addVariant(x, v)
		}
	}
}

// drawsText reports whether what a program says of a form is drawn beside its operands' values.
func drawsText(f *isa.Form) bool {
	for i := range f.Operands {
		if s := &f.Operands[i]; s.Kind == isa.Immediate || selects(s) {
			return true
		}
	}
	return false
}

// variants are which operands of a spelling may be given.
func (p *proof) variants(x *isa.Inst) [][]bool {
	target, _ := isa.ParseTarget([]string{p.target})
	variants := [][]bool{nil}
	for i := range x.Form.Operands {
		s := &x.Form.Operands[i]
		choices := []bool{true}
		switch {
		case s.Kind == isa.Policy, x.Needs(s), !x.Takes(s):
			choices = []bool{x.Takes(s)}
		case s.Optional && s.Check(p.ptx, target) != nil, !textureTakes(x, s.Name):
			choices = []bool{false}
		case s.Optional || s.MayPair:
			choices = []bool{true, false}
		}
		var next [][]bool
		for _, v := range variants {
			for _, c := range choices {
				next = append(next, append(slices.Clone(v), c))
			}
		}
		variants = next
	}
	return variants
}

func (p *proof) line(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

// addVariant appends the spelling with the operands that are given; of one that
// may have a pair, only the pair is left out.
func (p *proof) addVariant(x *isa.Inst, given []bool) {
	c := &spelled{inst: x}
	p.cases = append(p.cases, c)
	p.regs, p.wholeWarps, p.barriers = 0, x.SyncsWarp(), x.IsBarrier()
	if p.tile = nil; x.Op == isa.OpWmmaLoad || x.Op == isa.OpWmmaStore {
		p.tile = x
	}
	if p.matrix = nil; x.Form.Unit == isa.UnitTensor {
		p.matrix = x
	}
	p.compares = slices.ContainsFunc(x.Form.Operands, func(s isa.OperandSpec) bool { return s.Name == "f" && x.Form.Class == isa.Texture }) && given[len(given)-1]
	var list []string
	for i := range x.Form.Operands {
		s := &x.Form.Operands[i]
		if !given[i] && !s.MayPair {
			continue
		}
		o := p.operand(x, s, given[i])
		switch {
		case s.Kind == isa.Address:
			c.area = p.newArea(x)
			o.names = []string{cmp.Or(c.area.whole, c.area.address)}
		case o.brackets && (x.Form.Object > isa.Reads || x.Op == isa.OpSuld || x.Op == isa.OpSuq):
			c.area = p.newArea(x) // which the handles name
		}
		p.drawParts(&o, x, given)
		c.ops = append(c.ops, o)
		list = append(list, o.String())
	}
	if x.ReadsCC() || x.WritesCC() {
		p.carryIn(c)
	}
	p.drawGuard(c)
	c.text = fmt.Sprintf("%s%s %s;", c.guard.text(), x.Opcode, strings.Join(list, ", "))
	p.line("%s", c.text)
	if c.area != nil {
		c.area.copyBack(p)
	}
	for i := range c.ops {
		if o := &c.ops[i]; o.spec.Write {
			p.store(o)
		}
	}
	if x.ReadsCC() || x.WritesCC() {
		p.line("addc.u32 r_b32_0, 0, 0;")
		p.store(&proofOperand{bits: 32, names: []string{"r_b32_0"}})
	}
}

// carryIn makes CC.CF a source: a bit is added to all ones.
func (p *proof) carryIn(c *spelled) {
	o := proofOperand{spec: &isa.OperandSpec{}, typ: isa.Pred, bits: 1, names: []string{"r_pred_39"}}
	p.load(&o)
	c.ops = append(c.ops, o)
	p.line("selp.u32 r_b32_0, 1, 0, r_pred_39;\nadd.cc.u32 r_b32_0, r_b32_0, 0xffffffff;")
}

// TestEveryFormReferenced: what is executed is held against a reference, of threads or of
// clusters, or stands in the list of unproven forms, which has no entry too many.
func TestEveryFormReferenced(t *testing.T) {
	used := map[string]bool{}
	proven := 0
	for _, f := range isa.Forms() {
		if Unsupported(f) != "" {
			continue
		}
		listed := false
		for _, u := range unproven {
			if strings.HasPrefix(f.Syntax, u.prefix) {
				listed, used[u.prefix] = true, true
				if u.reason == "" {
					t.Errorf("%q has no reason", u.prefix)
				}
			}
		}
		switch {
		case !listed && stepOf(f) != nil: // TestClusterSpellings has it executed
			proven++
		case !listed && references[f.Op] == nil:
			t.Errorf("%s has no reference and does not stand in the list of unproven forms", f.Syntax)
		case !listed:
			proven++
			if err := asked(f, references[f.Op]); err != nil {
				t.Errorf("%v: the form needs one, or a line among the unproven", err)
			}
		}
	}
	for _, u := range unproven {
		if !used[u.prefix] {
			t.Errorf("no executed form begins with %q", u.prefix)
		}
	}
	t.Logf("%d forms are held against a reference in every spelling", proven)
}
