package predict

import (
	"slices"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/internal/sim"
)

// Which time model predicts where nobody chose one. The timing simulator comes nearest to
// silicon (VALIDATION.md), but takes the longer the more of a launch it sees. So it is told
// how much that may be, from a budget for the whole program. Where that is too little for
// each launch to be of use, for GPUs of which the simulator lacks a figure, and for programs
// of which it cannot follow some launch, the analytic model says the time. What is chosen for a GPU does not depend on the others.

// Choice says which time model programs are prepared for.
type Choice struct {
	// Model is the time model, nil for the one that is best of those that can be had.
	Model *roofline.Model
	// Simulated bounds the machine instructions of warps that are simulated of a launch;
	// 0: nobody says how many.
	Simulated int64
	// Footprint: no caches, unless time is simulated; each byte is counted once.
	Footprint bool
}

// SimulatedInstructions are how many machine instructions of warps are simulated of a
// launch at most where nobody says how many: some seconds.
const SimulatedInstructions = 5_000_000

// fewWaves are those of a launch of which no wave can be left out: dependent loops in small
// grids go on getting faster or slower for as long as they run ([ours]).
const fewWaves = 4 * SimulatedInstructions

const (
	// budgetSeconds of a core is what simulating a program on a GPU may take, at
	// simulatedPerSecond instructions a second, with what their traces take
	// (BENCHMARKS.md).
	budgetSeconds, simulatedPerSecond = 60, 1_000_000
	// leastSimulated of a launch are worth simulating ([ours]).
	leastSimulated = 250_000
)

// Prepare sets the options of the sessions of a program to what predictions of devices
// need: the traffic of memory, the longest warp, the caches of those devices of which all
// is known or their simulation. lacking hears of the devices without caches.
func (c Choice) Prepare(sessions []*analysis.Session, devices []*roofline.Device, lacking func(*roofline.Device, *gpu.UnknownError)) error {
	launches := 0
	for _, s := range sessions {
		launches += s.Launches() // chosen or not: a row is the same beside others and alone
	}
	of := analysis.Options{LongestWarp: true, Mode: analysis.Control, SimulatedInstructions: c.budget(launches), SimulatedOfFewWaves: c.ofFewWaves(launches)}
	if len(devices) == 0 || c.Footprint {
		of.Mode = analysis.Memory
	}
	for _, d := range devices {
		followed := !slices.ContainsFunc(sessions, func(s *analysis.Session) bool {
			return s.Unsimulated != nil || d.Spec != nil && sim.LacksClusters(d.Spec, s.LargestCluster) != nil
		})
		if err := c.listen(&of, d, c.simulates(d, launches, followed), lacking); err != nil {
			return err
		}
	}
	for _, s := range sessions {
		o := &s.Options
		o.LongestWarp, o.Footprint, o.Mode, o.GPUs, o.Simulate = true, of.Footprint, of.Mode, of.GPUs, of.Simulate
		o.SimulatedInstructions, o.SimulatedOfFewWaves = of.SimulatedInstructions, of.SimulatedOfFewWaves
	}
	return nil
}

// simulates reports whether time is simulated of so many launches, which the simulator
// can follow or not.
func (c Choice) simulates(d *roofline.Device, launches int, followed bool) bool {
	if c.Model != nil {
		return c.Model.Simulates
	}
	return followed && c.worth(launches) && roofline.SimulatedModel.Lacks(d) == nil
}

// listen adds a device to those that are simulated or whose caches listen.
func (c Choice) listen(o *analysis.Options, d *roofline.Device, simulated bool, lacking func(*roofline.Device, *gpu.UnknownError)) error {
	// Who is not simulated wants to know what all CTAs ask of memory.
	if !simulated {
		o.Mode = analysis.Memory
	}
	if c.Footprint && !simulated {
		return nil
	}
	gpus, err := CachesOf(d, lacking)
	o.Footprint = o.Footprint || len(gpus) == 0 // in the place of caches
	if simulated {
		o.Simulate = append(o.Simulate, gpus...)
	} else {
		o.GPUs = append(o.GPUs, gpus...)
	}
	return err
}

// worth reports whether simulating is worth it for a program of so many launches.
func (c Choice) worth(launches int) bool { return c.Simulated > 0 || share(launches) >= leastSimulated }

// budget returns what is simulated of each of so many launches.
func (c Choice) budget(launches int) int64 {
	if c.Simulated > 0 {
		return c.Simulated
	}
	return min(max(share(launches), leastSimulated), SimulatedInstructions)
}

// ofFewWaves returns the same of launches of few waves; 0: no more than of others.
func (c Choice) ofFewWaves(launches int) int64 {
	if c.Simulated > 0 {
		return 0
	}
	return min(share(launches), fewWaves)
}

// share returns what of the budget each of so many launches has.
func share(launches int) int64 { return budgetSeconds * simulatedPerSecond / int64(max(launches, 1)) }
