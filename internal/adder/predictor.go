package adder

import (
	"maps"
	"slices"
)

// Predictor guesses the carry-ins of an addition, by this addition alone, and nobody corrects it: a
// wrong prediction makes a wrong sum, not a second cycle. It sees what carry-ins are, and is
// trusted not to look at more of [Vectors.True] than the hardware would have. Predictors that are
// corrected are histories (history.go) or predict the same of all slices (uniform.go).
type Predictor interface {
	// Step sets the predictions of all lanes that add, and returns the lanes of which any may be wrong.
	Step(x *Vectors, predicted *Masks) (doubtful uint32)
}

// unit is an adder at work on an SM that has no predictor.
type unit interface {
	work(q *batch, c *[Kinds]Counts)
}

// maker is what makes the unit of a design, or what predicts in it. indexed: it has entries to
// choose from; alone: peeking has nothing to tell it.
type maker struct {
	indexed, alone bool
	uniform        func(p *Point) uniform
	predictor      func(p *Point) Predictor
	unit           func(p *Point) unit
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
