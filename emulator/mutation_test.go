package emulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// mutations is how many wrong instructions are made of each form.
const mutations = 100

// TestMutations: each form is read, written, and read again to the same; and what is
// wrong with it by the table is refused: too few or too many operands, operands of
// other kinds and types, modifiers that the operation does not have. Each mutant stands
// in a kernel of its own of one module, which is refused alone.
func TestMutations(t *testing.T) {
	made, forms := 0, isa.Forms()
	if testing.Short() {
		forms = everyEighth(forms)
	}
	for _, f := range forms {
		rng := rand.New(rand.NewPCG(1, uint64(f.Index)))
		m := newMutator(f, rng)
		if m == nil {
			t.Errorf("%s: no spelling leads to this row", f.Syntax)
			continue
		}
		if f.Op != isa.OpBrxIdx { // whose list of targets is a statement of its own
			m.again(t)
		}
		texts := m.mutants()
		made += len(texts)
		mod := m.lower(t, texts)
		for i, text := range texts {
			if k := mod.Func(fmt.Sprintf("k%d", i)); k == nil || k.Refused == nil {
				t.Errorf("%s: %s is taken", f.Syntax, text)
			}
		}
	}
	if want := mutations * len(forms); made != want {
		t.Errorf("%d mutants of %d forms, want %d", made, len(forms), want)
	}
}

// everyEighth thins a list.
func everyEighth(list []*isa.Form) (some []*isa.Form) {
	for i := 0; i < len(list); i += 8 {
		some = append(some, list[i])
	}
	return some
}

// mutator makes wrong instructions of a form.
type mutator struct {
	rng    *rand.Rand
	ptx    int
	target isa.Target
	insts  []*isa.Inst // some spellings of the form
	ops    [][]string  // operands of each
	alien  []string    // modifiers that no form of the operation has
}

func newMutator(f *isa.Form, rng *rand.Rand) *mutator {
	m := &mutator{rng: rng}
	for _, opcode := range f.Spellings() {
		inst, err := isa.Decode(opcode)
		if err != nil || inst.Form != f {
			continue
		}
		ptx, target, ok := header(inst)
		if !ok || len(m.insts) > 0 && (ptx != m.ptx || target != m.target) {
			continue
		}
		m.ptx, m.target = ptx, target
		m.insts = append(m.insts, inst)
		m.ops = append(m.ops, operandTexts(inst, ptx, target))
	}
	if len(m.insts) == 0 {
		return nil
	}
	m.alien = alienModifiers(f.Op)
	return m
}

// alienModifiers are the modifiers of other operations that this one never has.
func alienModifiers(op isa.Op) (alien []string) {
	own, all := map[string]bool{}, map[string]bool{"nosuch": true}
	for _, f := range isa.Forms() {
		for _, opcode := range f.Spellings() {
			words := strings.Split(strings.TrimPrefix(opcode, f.Op.String()), ".")
			for _, w := range words[1:] {
				all[w] = true
				own[w] = own[w] || f.Op == op
			}
		}
	}
	for w := range all {
		if !own[w] {
			alien = append(alien, w)
		}
	}
	slices.Sort(alien)
	return alien
}

// lower reads a module with a kernel for each statement.
func (m *mutator) lower(t *testing.T, statements []string) *ir.Module {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, ".version %d.%d\n.target %s\n.address_size 64\n.func f() { ret; }\n", m.ptx/100, m.ptx%100, m.target)
	for i, s := range statements {
		list := ""
		if strings.HasPrefix(s, "brx.idx") {
			list = "T:\t.branchtargets L;\n"
		}
		fmt.Fprintf(&b, ".entry k%d(.param .u64 n)\n{\n%s\t.local .align 16 .b8 stack[256];\n%s\t%s;\nL:\n\tret;\n}\n", i, registers(), list, s)
	}
	src, err := parser.Parse("mutants.ptx", []byte(b.String()))
	if err != nil && src.Unusable {
		t.Fatalf("%v\n%s", err, strings.Join(statements, "\n"))
	}
	mod, err := ir.Lower(src, ir.Lenient)
	if mod == nil {
		t.Fatal(err)
	}
	return mod
}

// again reads each spelling, writes what was understood, and reads that.
func (m *mutator) again(t *testing.T) {
	t.Helper()
	var first []string
	for i, inst := range m.insts {
		first = append(first, statement(inst.Opcode, m.ops[i]))
	}
	written := m.written(t, first)
	for i, text := range m.written(t, written) {
		if text != written[i] || !strings.HasPrefix(text, m.insts[i].Opcode) {
			t.Errorf("%s is written %s, and that %s", first[i], written[i], text)
		}
	}
}

// written are the first instructions of the kernels of statements.
func (m *mutator) written(t *testing.T, statements []string) (texts []string) {
	t.Helper()
	mod := m.lower(t, statements)
	for i := range statements {
		k := mod.Func(fmt.Sprintf("k%d", i))
		if !k.Defined {
			t.Fatalf("%s is refused: %v", statements[i], k.Refused)
		}
		texts = append(texts, k.Text(k.First))
	}
	return texts
}

func statement(opcode string, ops []string) string {
	ops = slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return op == "" })
	return strings.TrimSpace(opcode + " " + strings.Join(ops, ", "))
}

// mutants are the wrong instructions, no two alike as long as there are others.
func (m *mutator) mutants() (texts []string) {
	kinds := []func(*isa.Inst, []string) string{m.missingOperand, m.spareOperand, m.wrongType, m.wrongKind, m.alienModifier, m.twiceModifier, m.undeclared}
	seen := map[string]bool{}
	for tries := 0; len(texts) < mutations; tries++ {
		i := m.rng.IntN(len(m.insts))
		text := kinds[tries%len(kinds)](m.insts[i], slices.Clone(m.ops[i]))
		if text == "" || seen[text] && tries < 100*mutations {
			continue
		}
		seen[text] = true
		texts = append(texts, text)
	}
	return texts
}

// missingOperand leaves out so many operands that not even the optional ones excuse it.
func (m *mutator) missingOperand(inst *isa.Inst, ops []string) string {
	least := 0
	for i := range inst.Form.Operands {
		if s := &inst.Form.Operands[i]; !s.Optional || inst.Needs(s) {
			least++
		}
	}
	ops = slices.DeleteFunc(ops, func(op string) bool { return op == "" })
	if least == 0 || inst.IsCall() || len(ops) == 0 {
		return ""
	}
	for len(ops) >= least {
		i := m.rng.IntN(len(ops))
		ops = slices.Delete(ops, i, i+1)
	}
	return statement(inst.Opcode, ops)
}

// spareOperand adds an operand more than there may be.
func (m *mutator) spareOperand(inst *isa.Inst, ops []string) string {
	ops = slices.DeleteFunc(ops, func(op string) bool { return op == "" })
	for len(ops) <= len(inst.Form.Operands) {
		ops = append(ops, fmt.Sprintf("r_b32_%d", m.rng.IntN(20)))
	}
	return statement(inst.Opcode, ops)
}

// wrongType puts a register of a type that no value of the operand has: a narrower one,
// or a predicate in the place of a number and the reverse.
func (m *mutator) wrongType(inst *isa.Inst, ops []string) string {
	i, s := m.value(inst, ops)
	if s == nil || strings.ContainsAny(ops[i], "{|") || s.Alt != isa.NoType {
		return ""
	}
	switch t := inst.OperandType(s); {
	case t == isa.NoType:
		return ""
	case t == isa.Pred:
		ops[i] = fmt.Sprintf("r_b32_%d", m.rng.IntN(20))
	case t.Bits() > 16 && m.rng.IntN(2) == 0:
		ops[i] = fmt.Sprintf("r_b16_%d", m.rng.IntN(20))
	default:
		ops[i] = fmt.Sprintf("r_pred_%d", m.rng.IntN(20))
	}
	return statement(inst.Opcode, ops)
}

// wrongKind puts an address where a value is expected, or a value for an address; a
// constant where something is written.
func (m *mutator) wrongKind(inst *isa.Inst, ops []string) string {
	i := m.chosen(inst, ops)
	if i < 0 {
		return ""
	}
	switch s := &inst.Form.Operands[i]; {
	case s.Kind == isa.Address:
		ops[i] = fmt.Sprintf("r_b64_%d", m.rng.IntN(20))
	case s.Kind == isa.Value && s.Write && m.rng.IntN(2) == 0:
		ops[i] = fmt.Sprint(m.rng.IntN(1000))
	case s.Kind == isa.Value || s.Kind == isa.Immediate || s.Kind == isa.Policy:
		ops[i] = fmt.Sprintf("[r_b64_%d]", m.rng.IntN(20))
	default:
		return ""
	}
	return statement(inst.Opcode, ops)
}

// alienModifier adds a modifier of another operation.
func (m *mutator) alienModifier(inst *isa.Inst, ops []string) string {
	return statement(inst.Opcode+"."+m.alien[m.rng.IntN(len(m.alien))], ops)
}

// twiceModifier writes a modifier once more: none may stand twice but types and spaces.
func (m *mutator) twiceModifier(inst *isa.Inst, ops []string) string {
	word := inst.Mods
	if len(word) == 0 {
		return ""
	}
	text := word[m.rng.IntN(len(word))].String()
	_, space := isa.ParseSpace(text)
	if isa.ParseType(text) != isa.NoType || space || text == "add" || text == "min" || text == "max" || strings.HasPrefix(text, "L2::") {
		return "" // two slots of some forms have it
	}
	return statement(inst.Opcode+"."+text, ops)
}

// undeclared names a register that nobody declared.
func (m *mutator) undeclared(inst *isa.Inst, ops []string) string {
	i := m.chosen(inst, ops)
	if i < 0 {
		return ""
	}
	name := fmt.Sprintf("%%nobody%d", m.rng.IntN(20))
	switch inst.Form.Operands[i].Kind {
	case isa.Address, isa.Brackets:
		name = "[" + name + "]"
	}
	ops[i] = name
	return statement(inst.Opcode, ops)
}

// chosen chooses an operand that is not left out, -1 if there is none.
func (m *mutator) chosen(inst *isa.Inst, ops []string) int {
	if inst.IsCall() || len(ops) == 0 {
		return -1
	}
	if i := m.rng.IntN(len(ops)); ops[i] != "" {
		return i
	}
	return -1
}

// value chooses an operand that is a value.
func (m *mutator) value(inst *isa.Inst, ops []string) (int, *isa.OperandSpec) {
	i := m.chosen(inst, ops)
	if i < 0 || inst.Form.Operands[i].Kind != isa.Value {
		return 0, nil
	}
	return i, &inst.Form.Operands[i]
}
