package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis/gpu"
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
	clocks               []float64
	parsedVariant        power.Variant
	parsedRules          power.Rules
}

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
			"With --counters and no program, the launches of a counter file (variants hw, hybrid).",
		Example: "  hyptx power net.json --gpu gv100 -o power.csv --plot power.png\n" +
			"  hyptx power net.json --gpu gv100 --clock 600:1530:50 --plot dvfs.svg\n" +
			"  hyptx power net.json --gpu a100,h100 --energy-scale 0.6\n" +
			"  hyptx power --counters ncu.csv --variant hw --gpu gv100\n" +
			"  hyptx power validate\n" +
			"  hyptx power tune runs.csv --start fermi -o mygpu.json",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.power(c, args, &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.gpus, "gpu", "", "GPUs: names (hyptx gpus lists them) or files *.json")
	fl.StringVar(&f.variant, "variant", string(power.PTXSim), "whose energies: ptx_sim, sass_sim (from estimated machine instructions), hw or hybrid (with --counters)")
	fl.StringVar(&f.counts, "counts", "", "which instructions are charged: as written (ptx), or what ptxas is estimated to make of them (machine); default what the variant was tuned on")
	fl.StringVar(&f.rules, "accelwattch", "paper", "where paper and released program differ: paper or release")
	fl.StringVarP(&f.out, "output", "o", "", "write power.csv here (- for standard output), of --clock the sweep; without it a table is shown")
	fl.StringVar(&f.json, "json", "", "write the rows as JSON here")
	fl.StringVar(&f.hot, "hot", "", "write the instructions by energy here as CSV; the table shows ten")
	fl.StringVar(&f.plot, "plot", "", "draw here: *.svg, *.png or *.pdf; with --clock energy and time against it")
	fl.StringVar(&f.counters, "counters", "", "take counters from here: CSV with a row for each launch")
	fl.StringVar(&f.times, "time", "", "take times from here: CSV with launch, time_us and clock_mhz")
	fl.StringVar(&f.clock, "clock", "", "from:to:step in MHz: energy and time at each clock")
	fl.StringVar(&f.sort, "sort", "launch", "rows by launch or by energy")
	fl.Float64Var(&f.energyScale, "energy-scale", 0, "energies of a GV100 times this, for GPUs whose technology has no published factor")
	fl.Float64Var(&f.voltage, "voltage", 1, "supply voltage over that at which energies were tuned")
	fl.Float64Var(&f.temperature, "temperature-factor", 1, "static power times this; 1 is 65 C")
	fl.IntVar(&f.batch, "batch", 1, "inferences that the program makes, for the energy of one")
	fl.StringVar(&f.kernel, "kernel", "", "only these kernels")
	fl.StringVar(&f.launch, "launch", "", "only these launches: numbers from 0, ranges, or labels")
	f.bare.add(c)
	a.limits.add(c)
	c.AddCommand(a.powerValidateCommand(), a.powerTuneCommand())
	return c
}

// check checks the flags that are choices; it returns the GPUs.
func (f *powerFlags) check(args []string) ([]*gpu.GPU, error) {
	switch {
	case len(args) == 0 && f.counters == "":
		return nil, usageError{errors.New("name manifests or .ptx files, or a counter file with --counters")}
	case f.gpus == "":
		return nil, usageError{errors.New("--gpu says on which GPUs, as --gpu gv100,a100")}
	case !(f.energyScale >= 0):
		return nil, usageError{fmt.Errorf("--energy-scale %g: must be positive", f.energyScale)}
	case f.batch < 1:
		return nil, usageError{fmt.Errorf("--batch %d: must be at least 1", f.batch)}
	case f.sort != "launch" && f.sort != "energy":
		return nil, usageError{fmt.Errorf("--sort %s: must be launch or energy", f.sort)}
	case len(args) == 0 && f.clock != "":
		return nil, usageError{errors.New("--clock needs a program: counters were measured at one clock")}
	}
	var err error
	if f.parsedVariant, err = power.ParseVariant(f.variant); err != nil {
		return nil, usageError{fmt.Errorf("--variant: %w", err)}
	}
	switch f.counts {
	case "":
		f.counts = power.CountsOf(f.parsedVariant)
	case power.CountsPTX, power.CountsMachine:
	default:
		return nil, usageError{fmt.Errorf("--counts %s: must be ptx or machine", f.counts)}
	}
	if f.parsedVariant.FromHardware() && f.counters == "" {
		return nil, usageError{fmt.Errorf("--variant %s takes hardware counters: --counters FILE.csv gives them", f.variant)}
	}
	if f.parsedRules, err = power.ParseRules(f.rules); err != nil {
		return nil, usageError{fmt.Errorf("--accelwattch: %w", err)}
	}
	if f.clock != "" {
		if f.clocks, err = parseClocks(f.clock); err != nil {
			return nil, usageError{fmt.Errorf("--clock: %w", err)}
		}
	}
	for name, x := range map[string]float64{"voltage": f.voltage, "temperature-factor": f.temperature} {
		if !(x > 0) || math.IsInf(x, 0) {
			return nil, usageError{fmt.Errorf("--%s %g: must be positive", name, x)}
		}
	}
	if format := filepath.Ext(f.plot); f.plot != "" && format != ".svg" && format != ".png" && format != ".pdf" {
		return nil, usageError{fmt.Errorf("--plot %s: must end in .svg, .png or .pdf", f.plot)}
	}
	return gpu.List(f.gpus)
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
