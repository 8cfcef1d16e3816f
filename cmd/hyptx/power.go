package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/power"
)

// powerFlags are the flags of hyptx power.
type powerFlags struct {
	gpus                 string
	variant, rules       string
	counts               string
	out, json, hot, plot string
	counters, times      string
	clock, sort          string
	energyScale          float64
	voltage, temperature float64
	batch                int
	kernel, launch       string
	bare                 bareFlags
	sample               string
	clocks               []float64
	noTotal              bool
	parsedSample         hierarchy.Sample
	parsedVariant        power.Variant
	parsedRules          power.Rules
}

var _ = register((*app).powerCommand)

func (a *app) powerCommand() *cobra.Command {
	var f powerFlags
	c := &cobra.Command{
		Use:   "power {MANIFEST.json | FILE.ptx}... --gpu NAME[,NAME]...",
		Short: "Say what power and energy each launch takes on a GPU",
		Long: "Say what power each launch draws on a GPU and what energy it costs, by component,\n" +
			"with AccelWattch's model: static and constant power, and an energy for each kind\n" +
			"of event. Counts come from emulation (mode memory), times from the time model or\n" +
			"from --time. It is a model: what is not known gives no figure, and the row says\n" +
			"what is missing; nothing is clamped, and what no board draws is marked implausible.\n" +
			"With --counters and no program, the launches of a counter file (variants hw, hybrid):\n" +
			"CSV by AccelWattch's names, which `hyptx power counters` lists, or Nsight Compute's own.",
		Example: "  hyptx power net.json --gpu gv100 -o power.csv --plot power.png\n" +
			"  hyptx power net.json --gpu gv100 --clock 600:1530:50 --plot dvfs.svg\n" +
			"  hyptx power net.json --gpu gv100,a100,h100 --sort energy\n" +
			"  hyptx power --counters ncu.csv --variant hw --gpu gv100\n" +
			"  hyptx power validate\n" +
			"  hyptx power tune runs.csv --start fermi --variant ptx_sim -o mygpu.json",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.power(c, args, &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.gpus, "gpu", "", "GPUs, a `list` of names (hyptx gpus lists them) and files *.json")
	fl.StringVar(&f.variant, "variant", "", "whose energies, a `variant`: ptx_sim, sass_sim (from estimated machine instructions), hw or hybrid (with --counters), ptx_sim_alt or sass_sim_alt (AccelWattch's, tuned from energies that are all 1); default that of the GPU's file, else ptx_sim")
	fl.StringVar(&f.counts, "counts", "", "which `instructions` are charged: as written (ptx), or what ptxas is estimated to make of them (machine); default what the variant was tuned on")
	fl.StringVar(&f.rules, "accelwattch", "paper", "`rules` where paper and released program differ: paper or release")
	fl.StringVarP(&f.out, "output", "o", "", "write power.csv, with --clock the sweep, to this `file` (- for standard output); without it a table is shown")
	fl.StringVar(&f.json, "json", "", "write the rows as JSON to this `file`")
	fl.StringVar(&f.hot, "hot", "", "write the instructions by energy to this `file` as CSV; the table shows ten")
	fl.StringVar(&f.plot, "plot", "", "draw to this `file`: *.svg, *.png or *.pdf; with --clock energy and time against it")
	fl.StringVar(&f.counters, "counters", "", "take counters from this `file`: CSV of ncu (--csv, best with --page raw) or with a row for each launch")
	fl.StringVar(&f.times, "time", "", "take times from this `file`: CSV with launch, time_us and clock_mhz")
	fl.StringVar(&f.clock, "clock", "", "energy and time at each clock of `from:to:step` in MHz, within the GPU's range")
	fl.StringVar(&f.sort, "sort", "launch", "rows in this `order`: launch or energy")
	fl.Float64Var(&f.energyScale, "energy-scale", 0, "a `factor` on a GV100's energies for GPUs without their own, instead of their technology's published one")
	fl.Float64Var(&f.voltage, "voltage", 1, "supply voltage over that at which energies were tuned, a `ratio`")
	fl.Float64Var(&f.temperature, "temperature-factor", 1, "static power times this `factor`; 1 is 65 C")
	fl.IntVar(&f.batch, "batch", 1, "the `number` of inferences that the program makes, for the energy of one")
	fl.StringVar(&f.sample, "sample", "", "let the caches see a sample of the waves of large launches, a `share` (0.1) or a number of CTAs a launch; without it they see all")
	fl.BoolVar(&f.noTotal, "no-total", false, "write the rows of launches only")
	fl.StringVar(&f.kernel, "kernel", "", "only this kernel, by `name`")
	fl.StringVar(&f.launch, "launch", "", "only these launches, a `list` of numbers from 0, ranges and labels, as 0,7-9")
	for flag, choices := range map[string][]string{"gpu": gpu.Names(), "variant": {"ptx_sim", "sass_sim", "hw", "hybrid", "ptx_sim_alt", "sass_sim_alt"}, "counts": {"ptx", "machine"},
		"accelwattch": {"paper", "release"}, "sort": {"launch", "energy"}} {
		c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveDefault))
	}
	f.bare.add(c)
	a.limits.add(c)
	c.AddCommand(a.powerValidateCommand(), a.powerTuneCommand(), a.powerCountersCommand())
	return c
}

// check checks the flags; it returns the GPUs.
func (f *powerFlags) check(c *cobra.Command, args []string) ([]*gpu.GPU, error) {
	for _, check := range []func() error{func() error { return f.checkInputs(args) }, f.parse, func() error { return f.checkNumbers(c) }} {
		if err := check(); err != nil {
			return nil, usageError{err}
		}
	}
	if len(args) == 0 {
		if err := checkEffect(c, powerNoEffect); err != nil {
			return nil, err
		}
	}
	gpus, err := gpu.List(f.gpus)
	if err == nil && f.plot != "" && (len(gpus) > 1 || len(args) > 1) {
		err = usageError{errors.New("--plot: the picture is of one program on one GPU; name one of each")}
	}
	if err == nil && f.times != "" && len(gpus) > 1 {
		err = usageError{errors.New("--time: the times were measured on one GPU; name that one with --gpu")}
	}
	return gpus, err
}

// checkInputs checks that there is something to do.
func (f *powerFlags) checkInputs(args []string) error {
	switch {
	case len(args) == 0 && f.counters == "":
		return errors.New("name manifests or .ptx files, or a counter file with --counters")
	case f.gpus == "":
		return errors.New("--gpu says on which GPUs, as --gpu gv100,a100")
	case len(args) == 0 && f.sample != "":
		return errors.New("--sample says how much the caches see of a program; name one")
	case len(args) == 0 && f.clock != "":
		return errors.New("--clock needs a program: counters were measured at one clock")
	case f.noTotal && f.clock != "":
		return errors.New("--no-total has no effect with --clock: a sweep has a row for each clock, none of totals")
	case f.clock != "" && (f.counters != "" || f.times != ""):
		return errors.New("--clock needs counts and times of the model: those of --counters and --time were measured at one clock")
	}
	return nil
}

// parse parses the flags that are choices.
func (f *powerFlags) parse() (err error) {
	if f.parsedVariant, err = power.ParseVariant(cmp.Or(f.variant, string(power.PTXSim))); err != nil {
		return fmt.Errorf("--variant: %w", err)
	}
	if f.parsedRules, err = power.ParseRules(f.rules); err != nil {
		return fmt.Errorf("--accelwattch: %w", err)
	}
	if f.clock != "" {
		if f.clocks, err = parseClocks(f.clock); err != nil {
			return fmt.Errorf("--clock: %w", err)
		}
	}
	if f.sample != "" {
		if f.parsedSample, err = hierarchy.ParseSample(f.sample); err != nil {
			return fmt.Errorf("--sample: %w", err)
		}
	}
	format := filepath.Ext(f.plot)
	switch {
	case f.counts != "" && f.counts != power.CountsPTX && f.counts != power.CountsMachine:
		return fmt.Errorf("--counts %s: must be ptx or machine", f.counts)
	case f.parsedVariant.FromHardware() && f.counters == "":
		return fmt.Errorf("--variant %s takes hardware counters: --counters FILE.csv gives them", f.variant)
	case f.sort != "launch" && f.sort != "energy":
		return fmt.Errorf("--sort %s: must be launch or energy", f.sort)
	case f.plot != "" && format != ".svg" && format != ".png" && format != ".pdf":
		return fmt.Errorf("--plot %s: must end in .svg, .png or .pdf", f.plot)
	}
	return nil
}

// of returns the flags for a GPU, with what they leave to its file: the variant,
// and which instructions it is charged for.
func (f powerFlags) of(g *gpu.GPU) (*powerFlags, error) {
	own, err := power.OwnVariant(g)
	if err != nil {
		return nil, err
	}
	if f.variant == "" && own != "" {
		f.parsedVariant = own
	}
	if f.counts == "" {
		f.counts = power.CountsOf(f.parsedVariant)
	}
	if f.parsedVariant.FromHardware() && f.counters == "" {
		return nil, fmt.Errorf("%s: its power model is of variant %s, which takes hardware counters: --counters FILE.csv gives them; or `hyptx power tune --variant %s` makes a model from runs that count PTX", g.Name, own, power.PTXSim)
	}
	return &f, nil
}

// checkNumbers checks the flags that are numbers.
func (f *powerFlags) checkNumbers(c *cobra.Command) error {
	if c.Flags().Changed("energy-scale") && !(f.energyScale > 0 && f.energyScale <= maxEnergyScale) {
		return fmt.Errorf("--energy-scale %g: must be positive, and at most %g", f.energyScale, float64(maxEnergyScale))
	}
	if f.batch < 1 {
		return fmt.Errorf("--batch %d: must be at least 1", f.batch)
	}
	for _, s := range []struct {
		flag    string
		x, most float64
		is      string
	}{{"voltage", f.voltage, power.MaxVoltageRatio, "the voltage at which energies were tuned"}, {"temperature-factor", f.temperature, power.MaxTemperatureFactor, "65 C"}} {
		if !(s.x > 0 && s.x <= s.most) {
			return fmt.Errorf("--%s %g: must be above 0 and at most %g; 1 is %s", s.flag, s.x, s.most, s.is)
		}
	}
	return nil
}

// maxEnergyScale bounds --energy-scale: no technology costs a million times a
// GV100's energies.
const maxEnergyScale = 1e6

// state is how the chip runs.
func (f *powerFlags) state() power.State {
	return power.State{VoltageRatio: f.voltage, TemperatureFactor: f.temperature}
}

// parseClocks reads from:to:step.
func parseClocks(s string) ([]float64, error) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return nil, fmt.Errorf("%q: must be from:to:step in MHz, as 600:1530:50", s)
	}
	var x [3]float64
	for i, p := range parts {
		var err error
		if x[i], err = strconv.ParseFloat(p, 64); err != nil {
			return nil, fmt.Errorf("%q: must be from:to:step in MHz, as 600:1530:50", s)
		}
	}
	return power.Clocks(x[0], x[1], x[2])
}
