package observe

import "slices"

// Where a value comes from is asked when it is too late: what has written its register has
// been done. So the last steps of a thread are kept, and gone through backwards.

// mostKept is how many steps back are known.
const mostKept = 1 << 14

// Of what a value comes from, so many steps are told, one behind the other, and so many in
// all.
const (
	causeDepth = 4
	mostCauses = 24
)

// History are the last steps of a thread.
type History struct {
	ring []Step
	n    int // steps that were added
}

// Add keeps a step.
func (h *History) Add(s *Step) {
	if len(h.ring) < mostKept {
		h.ring = append(h.ring, Step{})
	}
	to := &h.ring[h.n%mostKept]
	reads, writes, memory := to.Reads, to.Writes, to.Memory
	*to = *s
	to.Reads, to.Writes, to.Memory = append(reads[:0], s.Reads...), append(writes[:0], s.Writes...), append(memory[:0], s.Memory...)
	for i := range to.Memory {
		to.Memory[i].Data = nil
	}
	h.n++
}

// Next is the number of the step that comes after those that are kept.
func (h *History) Next() uint64 {
	for i := h.n - 1; i >= max(h.n-len(h.ring), 0); i-- {
		if s := &h.ring[i%mostKept]; !s.Returned {
			return s.Number + 1
		}
	}
	return 0
}

// Cause is an operand, and the step that gave it.
type Cause struct {
	// Level is 0 of the operands of the instruction that is asked about.
	Level int
	Value Value
	// Step is what wrote the register; nil where that is not known: it is an argument of a
	// call, or lies too far back.
	Step *Step
	// Load is what it has read from memory, nil if nothing. Writer is who wrote that, in
	// words, once somebody has found out.
	Load   *Access
	Writer string
}

// Causes says where the operands of a step come from that is about to end: those of floating
// point, or of matrices, and of these what it can go back to.
func (h *History) Causes(s *Step, wanted func(*Value) bool) (list []*Cause) {
	h.causes(s, h.n, 0, wanted, &list)
	return list
}

func (h *History) causes(s *Step, before, level int, wanted func(*Value) bool, list *[]*Cause) {
	for i := range s.Reads {
		v := &s.Reads[i]
		if v.Name == "" || v.Reg < 0 || !wanted(v) {
			continue
		}
		if len(*list) == mostCauses {
			return
		}
		c := &Cause{Level: level, Value: *v}
		*list = append(*list, c)
		at := h.writer(s, v.Reg, before)
		if at < 0 {
			continue
		}
		from := h.ring[at%mostKept]
		from.Reads, from.Memory = slices.Clone(from.Reads), slices.Clone(from.Memory)
		if c.Step = &from; len(from.Memory) > 0 && (from.In.Inst.IsLoad() || from.In.Inst.IsAtomic()) {
			c.Load = &from.Memory[len(from.Memory)-1]
		} else if level+1 < causeDepth && !from.Returned {
			h.causes(&from, at, level+1, func(v *Value) bool { return v.Type.Bits() >= 16 }, list)
		}
	}
}

// writer returns which step wrote a register of a step's function last before another one;
// -1 if that is not known.
func (h *History) writer(s *Step, reg int32, before int) int {
	for i := before - 1; i >= max(h.n-len(h.ring), 0); i-- {
		t := &h.ring[i%mostKept]
		switch {
		case t.Depth < s.Depth:
			return -1 // the call
		case t.Depth > s.Depth || t.Func != s.Func:
			continue
		}
		if t.Executed && slices.ContainsFunc(t.Writes, func(w Value) bool { return w.Reg == reg }) {
			return i
		}
	}
	return -1
}
