package observe

import (
	"fmt"
	"math"
	"slices"

	"hyptx/ir/isa"
)

// A NaN or an infinity is made by an instruction none of whose operands is one, or it is
// met: loaded, written as a constant, passed on from bits that no instruction of floating
// point has made. The first that is made is what one looks for. One that is met before it
// was there already, in the inputs or in the text, and is told apart; those met behind it
// come of it, as far as anybody knows.

// Class is a sort of what is no number.
type Class uint8

// The classes.
const (
	NaN Class = iota
	Inf
	numClasses
)

func (c Class) String() string { return [...]string{"NaN", "infinity"}[c] }

// Classes says which classes some values have.
type Classes [numClasses]bool

// Add adds what a value of a type has.
func (c *Classes) Add(t isa.Type, bits [2]uint64) {
	if !t.IsFloat() || !hasNumbers(t) {
		return
	}
	for _, e := range elements(t, bits[0]) {
		x := number(t.Elem(), e)
		c[NaN] = c[NaN] || math.IsNaN(x)
		c[Inf] = c[Inf] || math.IsInf(x, 0)
	}
}

// Looked reports whether values of a type are looked at.
func Looked(t isa.Type) bool { return t.IsFloat() && hasNumbers(t) }

// Event is the first of its sort.
type Event struct {
	Class Class
	// Made: none of the operands was one.
	Made bool
	// Step is the instruction, with the thread's operands and results. Of an instruction
	// that adds to memory the result is there, in Memory.
	*Step
}

// Title says what was found, and how it came there.
func (e *Event) Title() string {
	how := "is passed on by an operand"
	switch x := e.In.Inst; {
	case e.Made:
		how = "is made"
	case x.IsLoad() || x.Form.Object == isa.Reads || x.Form.Tensor == isa.Reads:
		how = "is loaded"
	case !slices.ContainsFunc(e.Reads, func(v Value) bool { return v.Name != "" && v.Type != isa.Pred }):
		how = "is a constant of the PTX"
	case !slices.ContainsFunc(e.Reads, func(v Value) bool { return v.Name != "" && Looked(v.Type) }):
		how = "is bits of a register"
	}
	return fmt.Sprintf("first %v that %s", e.Class, how)
}

// Floats finds the first of each class that is made, and the first that is met before that.
type Floats struct {
	Found     func(*Event)
	made, met Classes
}

// Done reports whether there is nothing left to look for.
func (f *Floats) Done() bool { return f.made[NaN] && f.made[Inf] }

// HasMade reports whether one was made.
func (f *Floats) HasMade(c Class) bool { return f.made[c] }

// Wants reports whether results of these classes may be news.
func (f *Floats) Wants(results Classes) bool {
	return results[NaN] && !f.made[NaN] || results[Inf] && !f.made[Inf]
}

// News reports whether an instruction is to be looked at whose results have some classes
// and whose operands, those of all threads that work together, had others.
func (f *Floats) News(results, had Classes) bool {
	return f.news(NaN, results, had) || f.news(Inf, results, had)
}

func (f *Floats) news(c Class, results, had Classes) bool {
	return results[c] && !f.made[c] && (isMade(c, had) || !f.met[c])
}

// isMade reports whether what has a class comes of operands that have none like it: an
// infinity does not come of a NaN.
func isMade(c Class, had Classes) bool { return !had[c] && !(c == Inf && had[NaN]) }

// Look hears of such an instruction.
func (f *Floats) Look(s *Step, results, had Classes) {
	for c := range numClasses {
		if !f.news(c, results, had) {
			continue
		}
		made := isMade(c, had)
		if f.met[c] = true; made {
			f.made[c] = true
		}
		f.Found(&Event{Class: c, Made: made, Step: s})
	}
}
