package emulator

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"hyptx/internal/fold"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// foldedOps are the operations that constants of a launch are folded through
// (fold.Propagate); the test below fails if one of them is never folded.
var foldedOps = []isa.Op{
	isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpMad, isa.OpDiv, isa.OpRem, isa.OpAbs, isa.OpNeg, isa.OpMin, isa.OpMax,
	isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpCnot, isa.OpShl, isa.OpShr, isa.OpShf, isa.OpLop3,
	isa.OpPopc, isa.OpClz, isa.OpBrev, isa.OpBfe, isa.OpBfi, isa.OpCvt, isa.OpSetp, isa.OpSelp, isa.OpMov,
}

// TestFoldAgrees runs every spelling of every integer form on constants, random
// and special ones: what fold.Propagate says of a result is what the lanes compute.
func TestFoldAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	folded := map[isa.Op]int{}
	for range rounds {
		for _, f := range isa.Forms() {
			p := foldProgram{r: r}
			for _, opcode := range f.Spellings() {
				if in, err := isa.Decode(opcode); err == nil && in.Form == f && foldable(in) {
					for range 6 {
						p.add(in)
					}
				}
			}
			if len(p.cases) > 0 {
				p.check(t, folded)
			}
		}
	}
	for _, op := range foldedOps {
		if folded[op] == 0 {
			t.Errorf("no result of %s was folded", op)
		}
	}
}

// foldable reports whether an instruction is one of integers and predicates
// that reads and writes registers alone.
func foldable(in *isa.Inst) bool {
	for _, t := range in.Types {
		if t.IsFloat() || t.Bits() > 64 {
			return false
		}
	}
	switch in.Op {
	case isa.OpMov, isa.OpSelp, isa.OpSetp, isa.OpCvt:
		return NotExecuted(in) == "" && in.Type().Bits() != 8 || in.Op == isa.OpCvt
	case isa.OpMapa, isa.OpCvta, isa.OpIsspacep:
		return false
	}
	target := isa.Target{SM: 120, Feature: 'a'}
	return NotExecuted(in) == "" && in.Form.Class == isa.Integer && !in.ReadsCC() && !in.WritesCC() && in.Check(904, target) == nil
}

// foldProgram is a program of many instructions, each on constants of its own.
type foldProgram struct {
	r     *rand.Rand
	body  strings.Builder
	cases []foldCase
}

// foldCase is one instruction: the line that stores each of its results.
type foldCase struct {
	inst *isa.Inst
	text string
	line int
}

// constant returns special bits or random ones.
func (p *foldProgram) constant(bits int) uint64 {
	special := []uint64{0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 255, 256, 1<<15 - 1, 1 << 15, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(1)}
	v := p.r.Uint64() >> p.r.IntN(64)
	if p.r.IntN(2) == 0 {
		v = special[p.r.IntN(len(special))]
	}
	return v & (^uint64(0) >> (64 - bits))
}

// add appends an instruction with its constants and stores of its results.
func (p *foldProgram) add(in *isa.Inst) {
	var ops, results []string
	var text strings.Builder
	for i := range in.Form.Operands {
		s := &in.Form.Operands[i]
		op := p.operand(in, s)
		if op == "" {
			continue
		}
		ops = append(ops, op)
		for name := range strings.FieldsFuncSeq(op, func(c rune) bool { return strings.ContainsRune("{}, |", c) }) {
			name, _, _ = strings.Cut(name, ".") // of which a part may be selected
			if s.Write {
				results = append(results, name)
			} else if bits, ok := registerBits(name); ok {
				p.set(&text, name, bits)
			}
		}
	}
	fmt.Fprintf(&text, "%s %s;", in.Opcode, strings.Join(ops, ", "))
	p.line("%s", text.String())
	for _, name := range results {
		bits, _ := registerBits(name)
		if bits == 1 {
			p.line("selp.u32 r_b32_38, 1, 0, %s;", name)
			name, bits = "r_b32_38", 32
		}
		at := 8 * len(p.cases)
		p.line("st.global.b%d [out+%d], %s;", bits, at, name)
		p.cases = append(p.cases, foldCase{in, text.String(), strings.Count(p.body.String(), "\n")})
	}
}

func (p *foldProgram) line(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

// operand is operandText with random immediates and, where they may be wider
// than the type, registers of random width.
func (p *foldProgram) operand(in *isa.Inst, s *isa.OperandSpec) string {
	text := operandText(in, s, 904, isa.Target{SM: 120, Feature: 'a'})
	switch {
	case s.Kind == isa.Immediate:
		return strconv.Itoa(p.r.IntN(256))
	case s.Wider:
		wide := []int{16, 32, 64}[p.r.IntN(3)]
		if t := in.OperandType(s); t.Bits() < wide {
			return fmt.Sprintf("r_b%d_%s", wide, text[strings.LastIndexByte(text, '_')+1:])
		}
	}
	return text
}

// set makes a register a constant.
func (p *foldProgram) set(text *strings.Builder, name string, bits int) {
	v := p.constant(bits)
	if bits == 1 {
		fmt.Fprintf(text, "setp.ne.u32 %s, %d, 0; ", name, v)
	} else {
		fmt.Fprintf(text, "mov.b%d %s, %#x; ", bits, name, v)
	}
}

// registerBits returns the width of a register of canonicalModule by its name.
func registerBits(name string) (bits int, ok bool) {
	rest, ok := strings.CutPrefix(name, "r_")
	if !ok {
		return 0, false
	}
	typ, _, _ := strings.Cut(rest, "_")
	return isa.ParseType(typ).Bits(), true
}

// check runs the program and compares.
func (p *foldProgram) check(t *testing.T, folded map[isa.Op]int) {
	t.Helper()
	head := fmt.Sprintf(".version 9.4\n.target sm_120a\n.address_size 64\n.entry k(.param .u64 o)\n{\n.reg .b64 out;\n%sld.param.u64 out, [o];\n", registers())
	src, err := parser.Parse("fold.ptx", []byte(head+p.body.String()+"ret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ir.Lower(src, ir.Lenient)
	if err != nil {
		t.Fatal(err)
	}
	kernel := mod.Kernels()[0]
	memory := runFold(t, kernel, int64(8*len(p.cases)))
	form := ssa.Build(kernel)
	folding := fold.Propagate(kernel, []*ssa.Form{form}, &fold.Consts{}).Of(kernel)
	storeAt := map[int]ir.PC{}
	for pc := range mod.Instrs {
		storeAt[int(mod.Instrs[pc].Pos.Line)] = ir.PC(pc)
	}
	first := strings.Count(head, "\n")
	for i, c := range p.cases {
		pc := storeAt[first+c.line]
		data := &mod.Instrs[pc].Ops()[1]
		want, ok := folding.Const(form.Use(pc, data.Reg))
		if !ok {
			continue
		}
		folded[c.inst.Op]++
		got := binary.LittleEndian.Uint64(memory[8*i:])
		if mask := ^uint64(0) >> (64 - data.Type.Bits()); got&mask != want&mask {
			t.Errorf("%s: computed %#x, folded to %#x", c.text, got&mask, want&mask)
		}
	}
}

// runFold runs a kernel with one thread and returns what it wrote.
func runFold(t *testing.T, kernel *ir.Func, bytes int64) []byte {
	t.Helper()
	m := NewMachine(1 << 24)
	const base = 0x7f0000000000
	b, err := m.Memory.AddBuffer("o", base, bytes, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Load(kernel.Module); err != nil {
		t.Fatal(err)
	}
	prog, err := m.Compile(t.Context(), kernel, Options{})
	if err != nil {
		t.Fatal(err)
	}
	one := [3]uint32{1, 1, 1}
	params := binary.LittleEndian.AppendUint64(nil, base)
	if _, err := m.Launch(context.Background(), prog, LaunchConfig{Grid: one, Block: one, Params: params, Workers: 1, MaxInstructions: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, bytes)
	if err := b.Read(memory, 0); err != nil {
		t.Fatal(err)
	}
	return memory
}
