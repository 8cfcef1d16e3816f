package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// Accesses that hit no memory are faults, unless Options.Forgive asks for a warning
// instead: then they read zeros and write nothing (emulator, beyond.go). Whoever asks
// for that wants counts in spite of them, and to know where they are: column
// forgiven_accesses says how many a launch has, [Session.Forgiven] which instructions
// they are of, and what rests on a zero that was read so is assumed. Mode control sees
// those of its slice only, which are all that can change its counts.

// Forgiven is an instruction of which accesses hit no memory.
type Forgiven struct {
	File      string // of the PTX
	Line, Col int
	Text      string
	// Accesses of lanes, and of elements of vectors, in all launches.
	Accesses uint64
}

// String says where the instruction stands and how often it went astray.
func (f Forgiven) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: out of bounds %d times: reads gave 0, stores were dropped", f.File, f.Line, f.Col, f.Text, f.Accesses)
}

// addForgiven counts what a launch was forgiven: of each part as often as it stands
// for others.
func (s *Session) addForgiven(o *outcome) {
	times := uint64(o.launch.launch.Count / o.repeats)
	for i, r := range o.results {
		s.warnOutside(o.launch.kernel.Module, r.Outside)
		for pc, n := range r.Beyond {
			n *= o.partOf(i).weight * times
			s.forgive(o.launch.kernel.Module, pc, n)
			o.forgiven += n
		}
	}
}

// warnOutside says once of each instruction that lanes executed it which their member
// masks do not name.
func (s *Session) warnOutside(m *ir.Module, at map[ir.PC]uint64) {
	var list parser.ErrorList
	for _, pc := range slices.Sorted(maps.Keys(at)) {
		if s.outside == nil {
			s.outside = map[*ir.Instr]bool{}
		}
		if in := &m.Instrs[pc]; !s.outside[in] {
			s.outside[in] = true
			what := ": a lane executes it that its member mask does not name, which is undefined; it takes part"
			if in.Inst.Has(isa.ModAligned) {
				what = ": not all threads of the warp, or of the warpgroup, execute it together, which is undefined; those do that are there"
			}
			list = append(list, &parser.Error{File: m.FileOf(pc), Pos: in.Pos, Msg: m.FuncOf(pc).Text(pc) + what})
		}
	}
	if len(list) > 0 {
		s.Options.Lenient(list)
	}
}

// forgive notes accesses of an instruction.
func (s *Session) forgive(m *ir.Module, pc ir.PC, accesses uint64) {
	in := &m.Instrs[pc]
	if s.forgiven == nil {
		s.forgiven = map[*ir.Instr]*Forgiven{}
	}
	f := s.forgiven[in]
	if f == nil {
		f = &Forgiven{File: m.FileOf(pc), Line: int(in.Pos.Line), Col: int(in.Pos.Col), Text: m.FuncOf(pc).Text(pc)}
		s.forgiven[in] = f
	}
	f.Accesses += accesses
}

// Forgiven returns the instructions whose accesses hit no memory, in the order of the
// texts.
func (s *Session) Forgiven() []*Forgiven {
	return slices.SortedFunc(maps.Values(s.forgiven), func(a, b *Forgiven) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Col-b.Col)
	})
}
