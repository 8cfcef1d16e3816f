package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel predict of a program: no table of anybody, but hyptx's own
// simulations of all sizes, the target among them, which the paper's authors cannot
// afford for the GPUs that the method is for. So a prediction has an error at once.

// scaleSimulationFlags are those of a program.
type scaleSimulationFlags struct {
	oneKernel
	gpu       string
	sweep     sweepFlags
	fMemRule  string
	sms       []int
	noTargets bool
	simulated int64
	chips     chipsFlags
	hop       float64
	failFast  bool
}

func (f *scaleSimulationFlags) add(a *app, c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.gpu, "gpu", "", "predict a program on sizes of this GPU: a `name` or a file *.json")
	fl.IntSliceVar(&f.sms, "sms", []int{8, 16, 32, 64, 128}, "the sizes of --gpu, `numbers` of SMs; the first two are the scale models")
	fl.BoolVar(&f.noTargets, "no-targets", false, "simulate the scale models only: predictions without errors")
	fl.Int64Var(&f.simulated, "simulated", 0, "how many machine instructions of warps are simulated of a launch, a `number`; 0, the default: all of them")
	atLeast(c, "simulated", &f.simulated, 0)
	f.sweep.add(c)
	choose(c, &f.fMemRule, "f-mem-rule", string(scalemodel.Stalls), "how f_mem of a program is found: stalls (the paper's: the cycles in which all warps of an SM wait for memory) or hits (the time that is saved if the L2 of the larger scale model misses nothing)", scalemodel.FMemRules...)
	addFailFast(c, &f.failFast)
	f.chips.add(c, nil, "predict for these `numbers` of chiplets instead of SMs, each of them a whole --gpu; the first two are the scale models")
	fl.Float64Var(&f.hop, "hop", scalemodel.HopCycles, "of chiplets: `cycles` on the way from one to another")
	within(c, "hop", &f.hop, mostHop, "")
	f.oneKernel.add(a, c)
	complete(c, "gpu", gpu.Names)
}

// unused is an error for a flag of programs where none is predicted.
func (f *scaleSimulationFlags) unused(c *cobra.Command) error {
	for _, name := range []string{"sms", "no-targets", "f-mem-rule", "simulated", "sweep", "plot-sweep", "chiplets", "cta-policy", "page-policy", "page", "link-rate", "hop", "kernel", "grid", "block", "cluster", "arg", "link", "dynamic-shared", "default-scalar", "fail-fast"} {
		if c.Flags().Changed(name) {
			return usagef("--%s is for a program, with --gpu", name)
		}
	}
	return nil
}

// predictProgram predicts a program. By default all of each launch is simulated on all SMs:
// where a budget ends, the simulator itself simulates a part of the GPU, and a scale model
// would be held against a scale model.
func (a *app) predictProgram(c *cobra.Command, args []string, f *scalePredictFlags) error {
	s := &f.simulation
	if err := refuse(refusal{f.mpki != "" || f.bench != "" || f.llcBytes != 0 || c.Flags().Changed("smallest"), "--mpki, --llc-bytes, --bench and --smallest are for tables and numbers: a program's are simulated"}); err != nil {
		return err
	}
	if len(args) > 1 {
		return a.predictGrowing(c, args, f)
	}
	var inputs []analysis.Input
	of := s.sweep.outputs(&f.picture, &inputs)
	if err := a.checkOutputs(append(gpuFiles(s.gpu), args[0]), append(a.predictOutputs(f, nil, nil, nil), of...)...); err != nil {
		return err
	}
	if err := s.checkChips(c); err != nil {
		return err
	}
	machines, err := a.machines(s)
	if err != nil {
		return err
	}
	o := a.options(analysis.Control, &programFlags{kernel: s.kernel, failFast: s.failFast})
	o.SimulatedInstructions = s.simulated
	machines.Options(&o)
	session, err := a.openOne(args[0], s.bare, o)
	if err != nil {
		return err
	}
	inputs = session.Inputs
	p, failed := session.Profile(c.Context())
	a.noteAssumed(session)
	s.sweep.scenario = scalemodel.Scenario(f.scenario)
	if s.chips.chiplets != nil {
		s.sweep.scenario = scalemodel.MCM
	}
	if s.sweep.rows = machines.Sweep(session.Manifest.Name, p); !p.Complete() {
		if len(s.sweep.rows) == 0 {
			return failed
		}
		_, err := a.writeOutputs(of)
		return errors.Join(failed, err)
	}
	a.sayStops(&s.sweep)
	failed = errors.Join(failed, unfitOf(p, machines))
	w, err := machines.Workload(session.Manifest.Name, s.sweep.scenario, p)
	if err != nil {
		_, unwritten := a.writeOutputs(of)
		return errors.Join(failed, err, unwritten)
	}
	source := s.fMemRule
	if f.fMem.all.Known || f.fMem.of != nil {
		source = "user"
	}
	if err := f.fMem.give([]*scalemodel.Workload{w}); err != nil {
		return err
	}
	a.noteWorkload(w, source, p, machines)
	return errors.Join(failed, a.writePredictions([]*scalemodel.Workload{w}, f, inputs, source, of...))
}

// noteWorkload says what of a program a prediction rests on.
func (a *app) noteWorkload(w *scalemodel.Workload, source string, p *analysis.Profile, machines *scalemodel.Machines) {
	if few := fewCTAs(p, machines.MostSMs()); few > 0 {
		a.note("%s: %s of fewer CTAs than the largest size has SMs: more SMs do nothing for such a launch, which no scale model foresees", w.Name, are(few, "launch"))
	}
	switch {
	case machines.Curves == nil: // the same work on each chiplet's caches: no cliff
	case w.MPKI == nil:
		a.note("%s: f_mem %s (%s); launches are left out, of which the caches have heard: there is no miss-rate curve, and no cliff is seen", w.Name, known(w.FMem, 3), source)
	default:
		a.note("%s: f_mem %s (%s), MPKI %s", w.Name, known(w.FMem, 3), source, mpkis(w))
	}
}

// mostHop bounds --hop: far above any network's.
const mostHop = 1e6

// checkChips refuses what chiplets do not go with.
func (f *scaleSimulationFlags) checkChips(c *cobra.Command) error {
	if f.chips.chiplets == nil {
		for _, name := range []string{"cta-policy", "page-policy", "page", "link-rate", "hop"} {
			if c.Flags().Changed(name) {
				return usagef("--%s is for --chiplets", name)
			}
		}
		return nil
	}
	for _, name := range []string{"sms", "f-mem-rule", "f-mem", "simulated", "scenario", "cliff"} {
		if c.Flags().Changed(name) {
			return usagef("--%s does not go with --chiplets: they are simulated with all that a launch does, and have no cliffs", name)
		}
	}
	return nil
}

// unfitOf are the launches that are left out though they did not fail.
func unfitOf(p *analysis.Profile, m *scalemodel.Machines) (err error) {
	for n, why := range m.LeftOut(p) {
		if lp := p.Launches[n]; why != "" && lp.Error == "" {
			err = errors.Join(err, fmt.Errorf("launch %d (%s): %s", lp.Number, lp.KernelName, why))
		}
	}
	return err
}

// fewCTAs counts the launches that cannot fill so many SMs.
func fewCTAs(p *analysis.Profile, sms int) (n int) {
	for _, l := range p.Launches {
		if l.Facts.X(analysis.CTAs) < float64(sms) {
			n++
		}
	}
	return n
}

// machines are the sizes of --gpu.
func (a *app) machines(f *scaleSimulationFlags) (*scalemodel.Machines, error) {
	g, err := gpu.Get(f.gpu)
	if err != nil {
		return nil, err
	}
	if of := f.chips; of.chiplets != nil {
		m, err := scalemodel.NewChipletMachines(g, of.chiplets, gpu.Chiplets{
			CTAs: gpu.CTAPolicy(of.ctas), Pages: gpu.PagePolicy(of.pages), PageBytes: of.pageBytes, LinkGBPerS: of.linkRate, HopCycles: f.hop,
		}, !f.noTargets)
		return m, sizesAsked(err)
	}
	m, rounded, err := scalemodel.NewMachines(g, f.sms, !f.noTargets, scalemodel.FMemRule(f.fMemRule))
	if err != nil {
		return nil, sizesAsked(err)
	}
	a.noteAll(rounded)
	return m, nil
}

// sizesAsked makes wrong sizes a wrong command line.
func sizesAsked(err error) error {
	if errors.Is(err, scalemodel.ErrSizes) {
		return usageError{err}
	}
	return err
}

// mpkis is a workload's curve in a note.
func mpkis(w *scalemodel.Workload) (text string) {
	for i, m := range w.MPKI {
		if i > 0 {
			text += ", "
		}
		text += figures(m, 4)
	}
	return text
}
