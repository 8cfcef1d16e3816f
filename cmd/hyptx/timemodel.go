package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
)

// modelFlags choose the time model of a command.
type modelFlags struct {
	model     string // empty until something chooses one
	simulated int64  // machine instructions of a launch; 0: as many as there is time for
	l2        string // cold or warm
}

// byDefault says which time model it is without the flag.
const byDefault = "simulated, but analytic for GPUs of whose timing something is unknown and where more than a minute would be needed"

// add adds the flags; without says which model it is without them.
func (f *modelFlags) add(c *cobra.Command, without string) {
	choose(c, &f.model, "time-model", "", "a `model`: "+modelHelp()+"; the default is "+without, modelNames()...)
	c.Flags().Int64Var(&f.simulated, "simulated", 0,
		fmt.Sprintf("how many machine instructions of warps are simulated of a launch, a `number`; the rest takes as long as they do; the default is %d, less for programs of many launches, and up to four times as many where a launch has three waves of CTAs or less", predict.SimulatedInstructions))
	choose(c, &f.l2, "l2", "warm", "what a launch finds in the simulated L2: what the one before left (warm), or nothing, as a profiler lets it begin (cold)", "warm", "cold")
	atLeast(c, "simulated", &f.simulated, 1)
}

// choice returns the model that was chosen, nil if that is left to the programs.
func (f *modelFlags) choice() (*roofline.Model, error) {
	if f.model == "" {
		return nil, nil
	}
	return roofline.ModelNamed(f.model)
}

// modelName names the choice: where it is left to the programs, most are simulated.
func (f *modelFlags) modelName() string {
	if m, err := f.choice(); err == nil && m != nil {
		return m.Name
	}
	return roofline.SimulatedModel.Name
}

// unused is refused: what says how to simulate, with a model that does not.
func (f *modelFlags) unused(c *cobra.Command) refusal {
	asked := c.Flags().Changed("l2") || c.Flags().Changed("simulated")
	return refusal{asked && f.model != "" && f.model != roofline.SimulatedModel.Name, "--l2 and --simulated say how time is simulated: they have no effect with --time-model " + f.model}
}

// noteSample says that --sample is of caches that nobody models if time is simulated.
func (a *app) noteSample(f *programFlags, of []*analysis.Session) {
	if o := of[0].Options; f.sampled() && o.Simulate != nil && o.GPUs == nil {
		a.note("--sample has no effect: caches are simulated with the time, and --simulated says how much of a launch; --time-model analytic samples")
	}
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
