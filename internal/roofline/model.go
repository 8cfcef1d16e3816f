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

// models are the time models, the default first.
var models = []*Model{Extended, Thesis, SimulatedModel}

// Default is the time model of counts that were emulated.
func Default() *Model { return models[0] }

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

// Models are the time models, the default first.
func Models() []*Model { return models }

// Options are the choices that the models leave.
type Options struct {
	Model   *Model
	Rule    thesis.Rule
	Integer thesis.IntegerMode
	// Reference, if its GPU is not empty, is a measured time from which E_util
	// (5.13) is taken for all GPUs.
	Reference Reference
}

// DefaultOptions are the default model, the thesis' rule for the type of a
// kernel and its cost of integers.
func DefaultOptions() Options {
	return Options{Model: Default(), Rule: thesis.Any, Integer: thesis.MAD}
}

// Time returns how long a launch takes on a GPU.
func (o Options) Time(l *Launch, d *Device) (Time, error) {
	k, err := l.kernel(o.Rule)
	if err != nil {
		return Time{}, err
	}
	t, err := o.Model.Predict(l, k, d, o)
	t.Source = "model " + o.Model.Name
	return t, err
}
