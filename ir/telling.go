package ir

// Telling goes through the registers on which it rests which mbarrier object a bulk copy
// tells of how many bytes, and whether: not those that say where in memory these lie, nor
// where in a tensor (PTX ISA 9.7.10.28.4 and .5).
func (in *Instr) Telling(yield func(RegID) bool) {
	note := func(r RegID) bool { return r == NoReg || yield(r) }
	if !note(in.Guard) {
		return
	}
	for i := range in.Inst.Form.Operands {
		op := &in.Ops[i]
		of := []*Operand{op}
		switch name := in.Inst.Form.Operands[i].Name; {
		case name == "offsets":
			of = nil
			for k := range op.Elems() {
				of = append(of, &op.Elems()[k])
			}
		case op.Kind == OperandBrackets:
			of[0] = &op.Elems()[0] // the map
		case name != "mbar" && name != "size" && name != "mask":
			continue
		}
		for _, op := range of {
			if op.Var == nil && !note(op.Reg) {
				return
			}
		}
	}
}
