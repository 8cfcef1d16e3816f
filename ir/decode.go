package ir

import (
	"errors"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// decode returns what the opcode of st says, nil after an error. A module
// repeats few opcodes many times: each is decoded, and checked against the
// module's version and target, once; a wrong one is reported wherever it
// stands.
func (fl *funcLowerer) decode(st *parser.Instruction) *isa.Inst {
	if inst := fl.opcodes[st.Opcode]; inst != nil {
		return inst
	}
	inst, err := isa.Decode(st.Opcode)
	pos := st.OpcodePos
	if err == nil {
		err = inst.Check(fl.m.PTXVersion, fl.m.Target)
	}
	if err != nil {
		var bad *isa.DecodeError
		if errors.As(err, &bad) {
			pos.Col += int32(bad.Offset)
		}
		fl.errorf(pos, "%v", err)
		return nil
	}
	fl.opcodes[st.Opcode] = inst
	return inst
}
