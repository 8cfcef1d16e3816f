package ir

import (
	"errors"
	"strings"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// decode returns what the opcode of st says, nil after an error. A module
// repeats few opcodes many times: each is decoded, and checked against the
// module's version and target, once; a wrong one is reported wherever it
// stands.
func (fl *funcLowerer) decode(st *parser.Instruction) *opcode {
	recent := fl.recent.of(st.Opcode)
	if c := *recent; c != nil && c.text == st.Opcode {
		return c
	}
	c := fl.opcodes[st.Opcode]
	if c == nil {
		if c = fl.decoded(st); c == nil {
			return nil
		}
		fl.opcodes[st.Opcode] = c
	}
	*recent = c
	return c
}

// decoded decodes an opcode that was not met before.
func (fl *funcLowerer) decoded(st *parser.Instruction) *opcode {
	if inst := isa.Library(st.Opcode); inst != nil && fl.m.Library {
		return fl.newOpcode(st.Opcode, inst)
	}
	pos := st.OpcodePos
	opcode, ok := fl.withoutBank(st)
	if !ok {
		return nil
	}
	inst, err := isa.Decode(opcode)
	if err != nil {
		var bad *isa.DecodeError
		if errors.As(err, &bad) {
			pos.Col += int32(bad.Offset)
		}
		fl.errorf(pos, "%v", err)
		return nil
	}
	if err := inst.Check(fl.m.PTXVersion, fl.m.Target); err != nil && !fl.overlook(pos, "%v (PTX ISA %s)%s", err, inst.Form.Section, fl.lenientHint()) {
		return nil
	}
	return fl.newOpcode(st.Opcode, inst)
}

// banksUntil is the version that has no banks of constant memory (PTX ISA 5.1.3).
const banksUntil = 202

// withoutBank takes the bank out of ld.const[2].f32: of an access it says nothing that
// the address does not, for variables have a place each, whatever their banks.
func (fl *funcLowerer) withoutBank(st *parser.Instruction) (opcode string, ok bool) {
	before, bank, found := strings.Cut(st.Opcode, "[")
	if !found {
		return st.Opcode, true
	}
	_, after, _ := strings.Cut(bank, "]")
	return before + after, fl.m.PTXVersion < banksUntil ||
		fl.overlook(st.OpcodePos, "%s: PTX 2.2 dropped banks of constant memory", st.Opcode)
}
