package roofline

import (
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/roofline/thesis"
)

// Model is a time model: a function of what a launch executed and of a GPU. A
// new one is a file with its function, and a line in [models].
type Model struct {
	Name string
	// Aliases are other names that it goes by.
	Aliases []string
	// About says in a few words what it is, for help.
	About string
	// ChargesCaches: the time has terms for L1 and L2. Of a model that has none
	// it is worth a warning that a launch moves more through the L2 than through
	// DRAM.
	ChargesCaches bool
	// Lacks returns what the model needs of a GPU and nobody knows; nil if there
	// is a time for every kernel of integers, fp32 and loads. Others may need
	// further latencies and units.
	Lacks func(d *Device) error
	// Simulates: the launches have to be simulated while they are emulated.
	Simulates bool
	// Predict returns the time of a launch whose kernel the thesis describes so.
	// With an error come the terms that are known without what it says is
	// missing.
	Predict func(l *Launch, k thesis.Kernel, d *Device, o Options) (Time, error)
}

// models are the time models, in the order in which help names them.
var models = []*Model{Extended, Thesis, SimulatedModel}

// ModelNamed returns the time model of a name.
func ModelNamed(name string) (*Model, error) {
	for _, m := range models {
		if m.Name == name || slices.Contains(m.Aliases, name) {
			return m, nil
		}
	}
	var names []string
	for _, m := range models {
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("%s: must be %s", name, strings.Join(names, " or "))
}

// Models are the time models.
func Models() []*Model { return models }

// Options are the choices that the models leave.
type Options struct {
	// Model is the time model; nil is the simulation of what was simulated, and the
	// analytic model of all else.
	Model   *Model
	Rule    thesis.Rule
	Integer thesis.IntegerMode
	// Reference, if its GPU is not empty, is a measured time from which E_util
	// (5.13) is taken for all GPUs.
	Reference Reference
}

// DefaultOptions are the thesis' rule for the type of a kernel and its cost of
// integers, and whichever model has what it needs of a launch.
func DefaultOptions() Options { return Options{Rule: thesis.Any, Integer: thesis.MAD} }

// ModelOf returns the time model of a launch.
func (o Options) ModelOf(l *Launch) *Model {
	switch {
	case o.Model != nil:
		return o.Model
	case l.Simulated != nil:
		return SimulatedModel
	}
	return Extended
}

// Time returns how long a launch takes on a GPU.
func (o Options) Time(l *Launch, d *Device) (Time, error) {
	k, err := l.kernel(o.Rule)
	if err != nil {
		return Time{}, err
	}
	m := o.ModelOf(l)
	t, err := m.Predict(l, k, d, o)
	t.Source = "model " + m.Name
	return t, err
}
