package emulator

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// A row of the table claims every spelling of its opcode: each type with each
// modifier. The tests here take it at its word. They generate the spellings, run
// each on random and special operands, and hold what comes out against
// references that are written from the manual's text and share no code with the
// lanes (reference_*_test.go). A row without a reference stands in the list of
// unproven.go, with the reason.

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

// proofWarps is how many warps run each spelling, each with operands of its own.
const proofWarps = 2

const proofThreads = 32 * proofWarps

// spelled is one instruction of a proof: a spelling with its operands.
type spelled struct {
	inst *isa.Inst
	ops  []proofOperand
	text string
	area *area // what it addresses, nil if it does not
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
}

// proof is a program of many spellings that one module can have.
type proof struct {
	r      *rand.Rand
	ptx    int
	target string
	cases  []*spelled
	in     []uint64 // [value][thread]
	mem    []byte   // [area][thread]
	areas  int
	body   strings.Builder
	regs   int
	outs   int // results so far
	// wholeWarps: operands named mask are masks of lanes.
	wholeWarps bool
	// barriers: a is the number of a barrier, b how many threads meet there.
	barriers bool
	// matrix is the matrix instruction whose operands are drawn, nil for others.
	matrix *isa.Inst
}

// TestSpellings proves the forms that compute in registers.
func TestSpellings(t *testing.T) {
	for _, f := range isa.Forms() {
		ref := references[f.Op]
		if ref == nil || Unsupported(f) != "" || Unproven(f) != "" {
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
// parameters of functions are for the tests of calls; vectors have up to 256 bits
// (9.7.10.8), which the rows do not say.
func spellingsOf(f *isa.Form) (all []*isa.Inst) {
	opcodes := f.AllSpellings(maxSpellings)
	if testing.Short() && len(opcodes) > maxSpellings/5 {
		opcodes = f.Spellings() // each alternative once
	}
	for _, opcode := range opcodes {
		if x, err := isa.Decode(opcode); err == nil && x.Form == f && unsupportedInst(x) == "" && x.Space != isa.ParamFunc && int(x.Vec)*x.Type().Bits() <= 256 {
			all = append(all, x)
		}
	}
	return all
}

func proveForm(t *testing.T, f *isa.Form, ref warpReference) {
	r := rand.New(rand.NewPCG(uint64(f.Index), 31))
	byTarget := map[string]*proof{}
	var order []string
	for _, x := range spellingsOf(f) {
		at := -1
		for i, c := range targets {
			if target, _ := isa.ParseTarget([]string{c.target}); x.Check(c.ptx, target) == nil {
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
			p = &proof{r: r, ptx: c.ptx, target: c.target, wholeWarps: x.SyncsWarp(), barriers: x.IsBarrier()}
			byTarget[c.target] = p
			order = append(order, c.target)
		}
		p.add(x)
	}
	if len(order) == 0 {
		t.Fatal("no spelling leads to this row")
	}
	for _, name := range order {
		byTarget[name].check(t, ref)
	}
}

// add appends the spelling, with and without its optional operands.
func (p *proof) add(x *isa.Inst) {
	target, _ := isa.ParseTarget([]string{p.target})
	variants := [][]bool{nil}
	for i := range x.Form.Operands {
		s := &x.Form.Operands[i]
		choices := []bool{true}
		switch {
		case s.Kind == isa.Policy:
			choices = []bool{x.Takes(s)}
		case s.Optional && s.Check(p.ptx, target) != nil:
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
	times := 1
	if slices.ContainsFunc(x.Form.Operands, func(s isa.OperandSpec) bool { return s.Kind == isa.Immediate }) {
		times = 12
	}
	for _, v := range variants {
		for range times {
			p.addVariant(x, v)
		}
	}
}

func (p *proof) line(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

// addVariant appends the spelling with the operands that are given; of one that
// may have a pair, only the pair is left out.
func (p *proof) addVariant(x *isa.Inst, given []bool) {
	c := &spelled{inst: x}
	p.cases = append(p.cases, c)
	p.regs = 0
	if p.matrix = nil; x.Form.Unit == isa.UnitTensor {
		p.matrix = x
	}
	var list []string
	for i := range x.Form.Operands {
		s := &x.Form.Operands[i]
		if !given[i] && !s.MayPair {
			continue
		}
		o := p.operand(x, s, given[i])
		if s.Kind == isa.Address {
			c.area = p.newArea(x)
			o.names = []string{c.area.address}
		}
		c.ops = append(c.ops, o)
		list = append(list, o.String())
	}
	if x.ReadsCC() || x.WritesCC() {
		p.carryIn(c)
	}
	c.text = fmt.Sprintf("%s %s;", x.Opcode, strings.Join(list, ", "))
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

// operand picks registers and, for sources, loads them.
func (p *proof) operand(x *isa.Inst, s *isa.OperandSpec, pair bool) proofOperand {
	o := proofOperand{spec: s, typ: x.OperandType(s)}
	if s.Kind == isa.Immediate {
		o.imm = p.r.Uint64() & 0xff
		return o
	}
	if s.Kind == isa.Policy || s.Kind == isa.Address {
		o.names = []string{"r_b64_35"}
		return o
	}
	if o.typ == isa.NoType {
		o.typ = isa.B32
	}
	o.bits = max(o.typ.Bits(), 16)
	switch {
	case o.typ == isa.Pred:
		o.bits = 1
	case x.Op == isa.OpMov:
		o.bits = o.typ.Bits() // 8-bit registers are for mov
	}
	if s.Wider && !o.typ.IsFloat() && o.bits <= 64 {
		o.bits = []int{o.bits, max(o.bits, 32), 64}[p.r.IntN(3)]
	}
	n := s.Vector
	matrices := x.CrossLane() && len(x.Form.Memory) > 0
	if n == 0 && (x.Vec > 1 && s.Rule != isa.Fixed || matrices) {
		n = int(x.Vec)
	}
	o.braces = matrices
	for range max(n, 1) {
		p.regs++
		o.names = append(o.names, fmt.Sprintf("r_%s_%d", registerType(o.typ, o.bits), p.regs))
	}
	if (s.Pair || s.MayPair) && pair {
		o.pair = "r_pred_38"
	}
	if s.MayNot {
		o.not = p.r.IntN(2) == 0
	}
	if !s.Write {
		p.load(&o)
	}
	return o
}

// registerType returns the type of a register of so many bits, as
// canonicalModule names it.
func registerType(t isa.Type, bits int) string {
	switch {
	case bits == 1:
		return "pred"
	case (t == isa.F32 || t == isa.F64) && t.Bits() == bits:
		return t.String()[1:]
	}
	return fmt.Sprintf("b%d", bits)
}

func (o *proofOperand) String() string {
	if o.spec.Kind == isa.Immediate {
		return fmt.Sprint(o.imm)
	}
	text := strings.Join(o.names, ", ")
	if len(o.names) > 1 || o.spec.Vector > 0 || o.braces {
		text = "{" + text + "}"
	}
	if o.pair != "" {
		text += "|" + o.pair
	}
	if o.not {
		text = "!" + text
	}
	return text
}

// words are the values of up to 64 bits that a register takes.
func (o *proofOperand) words() int { return max(o.bits/64, 1) }

// drawFor draws a value for an operand; masks of lanes name the whole warp.
func (p *proof) drawFor(o *proofOperand) uint64 {
	switch {
	case p.barriers && o.spec.Name == "a":
		return 5
	case p.barriers && o.spec.Name == "b":
		return 32
	case p.matrix != nil:
		return low(p.matrixWord(p.matrix, o.spec.Name), o.bits)
	}
	if o.spec.Name == "mask" && o.bits == 32 && o.typ != isa.NoType && p.wholeWarps {
		return 1<<32 - 1
	}
	return p.draw(o.typ, o.bits)
}

// load draws values for an operand and has the program load them.
func (p *proof) load(o *proofOperand) {
	for _, name := range o.names {
		at := 8 * len(p.in)
		for range proofThreads * o.words() {
			p.in = append(p.in, p.drawFor(o))
		}
		switch {
		case o.words() == 2:
			p.line("ld.global.b64 r_b64_36, [in+%d];\nld.global.b64 r_b64_37, [in+%d];\nmov.b128 %s, {r_b64_36, r_b64_37};", at, at+8*proofThreads, name)
		case o.bits == 1:
			p.line("ld.global.u32 r_b32_0, [in+%d];\nsetp.ne.u32 %s, r_b32_0, 0;", at, name)
		default:
			p.line("ld.global.b%d %s, [in+%d];", o.bits, name, at)
		}
	}
}

// store appends the result of an operand to what the program writes.
func (p *proof) store(o *proofOperand) {
	names := o.names
	if o.pair != "" {
		names = append(slices.Clone(names), o.pair)
	}
	for _, name := range names {
		bits := o.bits
		if o.words() == 2 {
			p.line("mov.b128 {r_b64_36, r_b64_37}, %s;\nst.global.b64 [out+%d], r_b64_36;", name, 8*proofThreads*p.outs)
			name, bits = "r_b64_37", 64
			p.outs++
		}
		if strings.HasPrefix(name, "r_pred") {
			p.line("selp.u32 r_b32_0, 1, 0, %s;", name)
			name, bits = "r_b32_0", 32
		}
		p.line("st.global.b%d [out+%d], %s;", bits, 8*proofThreads*p.outs, name)
		p.outs++
	}
}

// check runs the program and compares.
func (p *proof) check(t *testing.T, ref warpReference) {
	t.Helper()
	out, memory := p.run(t)
	value, result := 0, 0
	for _, c := range p.cases {
		results := 0
		for i := range c.ops {
			if c.ops[i].spec.Write {
				results += len(c.ops[i].names) * c.ops[i].words()
				if c.ops[i].pair != "" {
					results++
				}
			}
		}
		if c.inst.ReadsCC() || c.inst.WritesCC() {
			results++
		}
		values := 0
		for w := range proofWarps {
			sources := make([][]uint64, 32)
			for lane := range sources {
				sources[lane], values = p.sources(c, value, 32*w+lane)
			}
			before := c.area.before(p, w)
			want := ref(c.inst, sources, before)
			if i := c.area.differs(p, w, before, memory); i >= 0 {
				t.Fatalf("%s of %#x leaves %x in memory, want %x", c.text, sources[i], c.area.of(memory, w, i), before[i])
			}
			if want == nil {
				t.Fatalf("the reference does not know %s", c.text)
			}
			for lane, outcomes := range want {
				if len(outcomes) < results { // it may know a pair that the program leaves out
					t.Fatalf("%s: %d results, of which the reference knows %d", c.text, results, len(outcomes))
				}
				for i := range results {
					if got := out[(result+i)*proofThreads+32*w+lane]; !outcomes[i].holds(got) {
						t.Fatalf("%s of %#x: result %d is %#x, want %#x", c.text, sources[lane], i, got, outcomes[i].bits)
					}
				}
			}
		}
		value, result = value+values, result+results
	}
}

// sources returns what a thread's operands hold, and how many loaded values they
// take.
func (p *proof) sources(c *spelled, first, thread int) (in []uint64, values int) {
	for i := range c.ops {
		o := &c.ops[i]
		if o.spec.Write || o.spec.Kind == isa.Address || o.spec.Kind == isa.Policy {
			continue
		}
		if o.spec.Kind == isa.Immediate {
			in = append(in, o.imm)
			continue
		}
		for range len(o.names) * o.words() {
			v := p.in[(first+values)*proofThreads+thread]
			if o.not {
				v ^= 1
			}
			in = append(in, v)
			values++
		}
	}
	return in, values
}

const (
	proofIn  = 0x7f0000000000
	proofMem = 0x7f1000000000
	proofOut = 0x7e0000000000
)

// run lowers the program and runs it in full, and returns what it wrote.
func (p *proof) run(t *testing.T) ([]uint64, []byte) {
	t.Helper()
	text := fmt.Sprintf(`.version %d.%d
.target %s
.address_size 64
.const .align 64 .b8 constants[%d] = {%s};
.entry k(.param .u64 i, .param .u64 o, .param .u64 m, .param .align 64 .b8 given[64])
{
.shared .align 64 .b8 shared[2048];
.local .align 64 .b8 private[64];
.reg .b64 in, out, mem, sh, lo, co;
.reg .b32 t0, t1, t2;
%sld.param.u64 in, [i]; ld.param.u64 out, [o]; ld.param.u64 mem, [m];
mov.u32 t0, %%ctaid.x; mov.u32 t1, %%tid.x; mad.lo.u32 t2, t0, 32, t1;
mad.wide.u32 in, t2, 8, in; mad.wide.u32 out, t2, 8, out; mad.wide.u32 mem, t2, 64, mem;
mov.u64 sh, shared; mad.wide.u32 sh, t1, 64, sh; mov.u64 lo, private; mov.u64 co, constants; mad.wide.u32 co, t1, 64, co;
%sret;
}
`, p.ptx/100, p.ptx%100, p.target, len(constantBytes), commas(constantBytes), registers(), p.body.String())
	src, err := parser.Parse("proof.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ir.Lower(src)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.cases[0].text)
	}
	m := NewMachine(1 << 30)
	data := make([]byte, 0, 8*len(p.in))
	for _, v := range p.in {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	bytes := int64(max(8*proofThreads*p.outs, 8))
	i, err := m.Memory.AddBuffer("i", proofIn, int64(max(len(data), 8)), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Write(data, 0); err != nil {
		t.Fatal(err)
	}
	area, err := m.Memory.AddBuffer("m", proofMem, int64(max(len(p.mem), 8)), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := area.Write(p.mem, 0); err != nil {
		t.Fatal(err)
	}
	b, err := m.Memory.AddBuffer("o", proofOut, bytes, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	prog, err := m.Compile(mod.Kernels()[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, proofIn), proofOut)
	params = append(binary.LittleEndian.AppendUint64(params, proofMem), make([]byte, 64-24)...)
	params = append(params, constantBytes[:64]...)
	cfg := LaunchConfig{Grid: [3]uint32{proofWarps, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: params, Workers: 1, MaxInstructions: 1 << 30}
	if _, err := m.Launch(context.Background(), prog, cfg); err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, bytes)
	if err := b.Read(memory, 0); err != nil {
		t.Fatal(err)
	}
	out := make([]uint64, len(memory)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(memory[8*i:])
	}
	after := make([]byte, len(p.mem))
	if err := area.Read(after, 0); err != nil {
		t.Fatal(err)
	}
	return out, after
}

// TestEveryFormReferenced: what is executed is held against a reference, or
// stands in the list of unproven forms, which has no entry too many.
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
		case !listed && references[f.Op] == nil:
			t.Errorf("%s has no reference and does not stand in the list of unproven forms", f.Syntax)
		case !listed:
			proven++
		}
	}
	for _, u := range unproven {
		if !used[u.prefix] {
			t.Errorf("no executed form begins with %q", u.prefix)
		}
	}
	t.Logf("%d forms are held against a reference in every spelling", proven)
}
