package adder

import (
	"maps"
	"slices"
)

// Predictor guesses the carry-ins of an addition and learns from what they were: it
// sees both, and is trusted not to look at [Vectors.True] before it has guessed what
// the hardware would have to. It belongs to one SM.
type Predictor interface {
	// Step sets the predictions of all lanes that add. open are the bits that
	// matter: those that peeking does not tell, if the design peeks.
	Step(x *Vectors, open, predicted *Masks)
}

// unit is a design at work on an SM: a predictor, or an adder that has none.
type unit interface {
	add(x *Vectors, c *Counts)
}

// maker is what makes the unit of a design. indexed: it has entries to choose from;
// alone: peeking has nothing to tell it.
type maker struct {
	indexed, alone bool
	predictor      func(p *Point) Predictor
	unit           func(p *Point) unit
	// uncorrected: a wrong prediction makes a wrong sum, not a second cycle.
	uncorrected bool
}

// makers are the designs by name. Each file of a design adds its own.
var makers = map[string]maker{}

// register adds a design; its value lets a file call it where it declares a variable.
func register(name string, m maker) bool {
	makers[name] = m
	return true
}

// Bases are the names of what predicts, or does without.
func Bases() []string { return slices.Sorted(maps.Keys(makers)) }
