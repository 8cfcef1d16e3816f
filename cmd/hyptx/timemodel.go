package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
)

// modelFlags choose the time model of a command.
type modelFlags struct {
	model     string // empty until something chooses one
	simulated int64  // machine instructions of a launch
	l2        string // cold or warm
}

// add adds the flags; byDefault says which model it is without them.
func (f *modelFlags) add(c *cobra.Command, byDefault string) {
	choose(c, &f.model, "time-model", "", "a `model`: "+modelHelp()+"; the default is "+byDefault, modelNames()...)
	c.Flags().Int64Var(&f.simulated, "simulated", predict.SimulatedInstructions,
		"how many machine instructions of warps are simulated of a launch with --time-model simulated, a `number`; the rest takes as long as they do")
	choose(c, &f.l2, "l2", "warm", "what a launch finds in the simulated L2: what the one before left (warm), or nothing, as a profiler lets it begin (cold)", "warm", "cold")
	atLeast(c, "simulated", &f.simulated, 1)
}

// choice returns the model that was chosen, else the default.
func (f *modelFlags) choice() (*roofline.Model, error) {
	return roofline.ModelNamed(cmp.Or(f.model, roofline.Default().Name))
}

// into gives the analysis what the model wants of it.
func (f *modelFlags) into(o *analysis.Options) {
	o.SimulatedInstructions, o.ColdL2 = f.simulated, f.l2 == "cold"
}

// modelNames are the names of the time models.
func modelNames() (names []string) {
	for _, m := range roofline.Models() {
		names = append(append(names, m.Name), m.Aliases...)
	}
	return names
}

// modelHelp says what each time model is. Models register themselves with a
// sentence, so that a new one stands in this help without a change here.
func modelHelp() string {
	var about []string
	for _, m := range roofline.Models() {
		about = append(about, m.Name+" ("+m.About+")")
	}
	return strings.Join(about, " or ")
}
