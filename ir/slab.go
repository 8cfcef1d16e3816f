package ir

// slab hands out short slices from long ones: a module has tens of thousands
// of operand lists, and one allocation each would dominate lowering. Nothing is
// ever given back: the lists live as long as the module.
type slab struct {
	ops  []Operand
	regs []RegID
}

const slabSize = 1024

// operands returns n zero operands.
func (s *slab) operands(n int) []Operand {
	if n > len(s.ops) {
		s.ops = make([]Operand, max(n, slabSize))
	}
	ops := s.ops[:n:n]
	s.ops = s.ops[n:]
	return ops
}

// registers returns a copy of regs.
func (s *slab) registers(regs []RegID) []RegID {
	if len(regs) == 0 {
		return nil
	}
	if len(regs) > len(s.regs) {
		s.regs = make([]RegID, max(len(regs), slabSize))
	}
	to := s.regs[:len(regs):len(regs)]
	s.regs = s.regs[len(regs):]
	copy(to, regs)
	return to
}
