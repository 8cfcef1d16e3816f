package emulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// TestEveryForm: of every form, either every spelling has semantics, or it
// stands in the list of unsupported ones, and then none has.
func TestEveryForm(t *testing.T) {
	executed, not := 0, 0
	for _, f := range isa.Forms() {
		tried := 0
		for _, opcode := range f.Spellings() {
			inst, err := isa.Decode(opcode)
			if err != nil || inst.Form != f {
				continue
			}
			text, ok := canonical(inst)
			if !ok {
				t.Errorf("%s: no PTX version and target has it", opcode)
				continue
			}
			tried++
			err = compileText(text)
			var u *unsupportedError
			switch reason := NotExecuted(inst); {
			case reason == "" && err != nil:
				t.Errorf("%s\n%v", f.Syntax, err)
			case reason != "" && !errors.As(err, &u):
				t.Errorf("%s stands in the list of unsupported forms, but %s gives %v", f.Syntax, opcode, err)
			case reason != "" && (u.Line == 0 || u.Col == 0 || !strings.Contains(u.Error(), opcode) || !strings.Contains(u.Error(), reason)):
				t.Errorf("%s: the error does not say where, what and why: %v", opcode, u)
			}
		}
		if tried == 0 {
			t.Errorf("%s: no spelling leads to this row", f.Syntax)
		}
		if Unsupported(f) == "" {
			executed++
		} else {
			not++
		}
	}
	t.Logf("%d forms are executed, %d are not", executed, not)
}

// TestUnsupportedList: every entry is of use.
func TestUnsupportedList(t *testing.T) {
	for _, u := range unsupported {
		named := func(f *isa.Form) bool {
			return strings.HasPrefix(f.Syntax, u.prefix) && strings.Contains(f.Syntax, u.part)
		}
		if !slices.ContainsFunc(isa.Forms(), named) {
			t.Errorf("no form begins with %q and contains %q", u.prefix, u.part)
		}
		if u.reason == "" {
			t.Errorf("%q has no reason", u.prefix)
		}
	}
}

func compileText(text string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	src, err := parser.Parse("canonical.ptx", []byte(text))
	if err != nil {
		return err
	}
	mod, err := ir.Lower(src, ir.Lenient) // some forms are not the manual's
	if err != nil {
		return fmt.Errorf("lower: %w", err)
	}
	m := NewMachine(1 << 20)
	if err := m.Load(mod); err != nil {
		return err
	}
	_, err = m.Compile(context.Background(), mod.Kernels()[0], Options{})
	return err
}

// targetOf is the header of a module.
type targetOf struct {
	ptx    int
	target string
}

// targets are headers of modules, the newest first.
var targets = []targetOf{{904, "sm_120a"}, {904, "sm_103a"}, {904, "sm_100a"}, {904, "sm_90a"}, {600, "sm_60"}, {300, "sm_20"}, {904, "sm_107a"}, {604, "sm_72"}}

// canonical writes a module with one instruction of the given opcode.
func canonical(inst *isa.Inst) (text string, ok bool) {
	ptx, target, ok := header(inst)
	if !ok {
		return "", false
	}
	ops := slices.DeleteFunc(operandTexts(inst, ptx, target), func(op string) bool { return op == "" })
	list := ""
	if inst.Op == isa.OpBrxIdx {
		list = "T:\t.branchtargets L;\n"
	}
	return fmt.Sprintf(canonicalModule, ptx/100, ptx%100, target, registers(), list, inst.Opcode, strings.Join(ops, ", ")), true
}

// header chooses a version and a target that have an instruction.
func header(inst *isa.Inst) (ptx int, target isa.Target, ok bool) {
	for _, c := range targets {
		target, err := isa.ParseTarget([]string{c.target})
		if err != nil {
			panic(err)
		}
		if err := inst.Check(c.ptx, target); err == nil || errors.Is(err, isa.ErrBeyond) {
			return c.ptx, target, true
		}
	}
	return 0, isa.Target{}, false
}

// operandTexts returns something that may stand at each operand's place, "" where it
// is left out.
func operandTexts(inst *isa.Inst, ptx int, target isa.Target) (ops []string) {
	for i := range inst.Form.Operands {
		ops = append(ops, operandText(inst, &inst.Form.Operands[i], ptx, target))
	}
	return ops
}

const canonicalModule = `.version %d.%d
.target %s
.address_size 64
.func f() { ret; }
.entry k(.param .u64 n)
{
%s	.local .align 16 .b8 stack[256];
%s	%s %s;
L:
	ret;
}
`

// registerTypes are the types of registers; each has some, named r_type_i.
var registerTypes = []isa.Type{isa.Pred, isa.B8, isa.B16, isa.B32, isa.B64, isa.B128, isa.F32, isa.F64}

func registers() string {
	var b strings.Builder
	for _, t := range registerTypes {
		fmt.Fprintf(&b, "\t.reg %s r_%s_<272>;\n", t, t.String()[1:])
	}
	return b.String()
}

// operandText returns something that may stand at an operand's place.
func operandText(inst *isa.Inst, s *isa.OperandSpec, ptx int, target isa.Target) string {
	if s.Optional && (s.Check(ptx, target) != nil || !inst.Takes(s) || s.Name == "transA") { // a is in registers
		return ""
	}
	switch s.Kind {
	case isa.Brackets:
		parts := []string{"r_b64_1"}
		for i := range s.Parts[1:] {
			if text := operandText(inst, &s.Parts[1+i], ptx, target); text != "" {
				parts = append(parts, text)
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case isa.Descriptor:
		return "r_b64_3"
	case isa.Address:
		return "[r_b64_1]"
	case isa.Immediate:
		if text, small := map[string]string{"select": "0", "scaleA": "-1", "scaleB": "1", "transB": "1", "scale": "0"}[s.Name]; small {
			return text
		}
		for _, v := range []int64{16, 1, 0, 24, 128} { // the first that may stand there
			if inst.CheckConstant(s, v) == nil {
				return fmt.Sprint(v)
			}
		}
		return "FILL IN"
	case isa.Label:
		return "L"
	case isa.Targets:
		if inst.Op == isa.OpCall {
			return ""
		}
		return "T"
	case isa.Function:
		return "f"
	case isa.Arguments:
		return ""
	case isa.Policy:
		return "r_b64_2"
	}
	return valueText(inst, s)
}

// valueText returns registers of an operand's type.
func valueText(inst *isa.Inst, s *isa.OperandSpec) string {
	t := inst.OperandType(s)
	reg := func(i int) string {
		switch {
		case t == isa.NoType:
			return fmt.Sprintf("r_b32_%d", i)
		case t == isa.Pred:
			return fmt.Sprintf("r_pred_%d", i)
		case t == isa.F32 || t == isa.F64:
			return fmt.Sprintf("r_%s_%d", t.String()[1:], i)
		case t.Bits() == 8 && (inst.Op == isa.OpMov || t.IsFloat()):
			return fmt.Sprintf("r_b8_%d", i)
		}
		return fmt.Sprintf("r_b%d_%d", max(t.Bits(), 16), i)
	}
	at := 3 * len(s.Name) * int(s.Name[0]) % 20
	scalar := *inst
	scalar.Vec = 1
	own := scalar.Elements(s) // what the operand itself has, whatever the vector
	n := own
	if n == 0 && (inst.Vec > 1 || strings.Contains(inst.Opcode, "matrix.sync.aligned.m") && inst.Vec == 1) && t != isa.Pred {
		n = int(inst.Vec)
	}
	if n < 0 {
		n = 3
	}
	if n == 0 || s.Kind != isa.Value || s.Rule == isa.Fixed && own == 0 && inst.Op != isa.OpLdmatrix && inst.Op != isa.OpStmatrix {
		text := reg(at)
		if last := inst.Form.Operands[len(inst.Form.Operands)-1]; s.Write && last.Optional && s.Selects("b0") {
			text += ".b0" // of which c, which is given, has the rest
		}
		if s.Pair || s.MayPair {
			text += "|r_pred_9"
		}
		return text
	}
	var elems []string
	for i := range n {
		elems = append(elems, reg(at+i))
	}
	text := "{" + strings.Join(elems, ", ") + "}"
	if s.MayPair {
		text += "|r_pred_9"
	}
	return text
}
