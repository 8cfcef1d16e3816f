package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/internal/accelwattch"
	"hyptx/internal/gpu"
	"hyptx/power"
)

// hyptx power: from counts and times to power and energy. A GPU's file may hold
// a power model of its own, whose variant (whose energies go with which counts)
// then stands in for the flags that were not given; so the flags are completed
// for each GPU (of), and two GPUs of one command may be charged differently.

// powerFlags are the flags of hyptx power.
type powerFlags struct {
	programFlags
	modelFlags
	themeFlag
	gpus string // a list, as gv100,my.json
	// variant says whose energies are charged, counts for which instructions, as
	// written or as ptxas is estimated to make them. Empty ones are left to the GPU's
	// file (of). rules are those where AccelWattch's paper and program differ.
	variant, counts, rules string
	// counters and times are files of measurements that stand in for the counts of
	// emulation and for the times of the time model.
	counters, times, sort string
	hot, plot             *output
	// overTime and plotOverTime are power over time, as rows and as a picture.
	overTime, plotOverTime *output
	// shares and plotShares are each kernel's shares of the components, as rows and as a picture.
	shares, plotShares *output
	// energyScale multiplies the energies of a GV100 for a GPU that has none of its
	// own; 0 is the published factor of its technology.
	energyScale float64
	// voltage is the supply voltage over that of tuning, temperature the factor on
	// static power; both are ratios, and 1 changes nothing.
	voltage, temperature float64
	batch                int       // inferences that the program makes
	clocks               []float64 // of --clock, in MHz
	clockTrace           string    // a file of clocks over time
	concurrent           bool      // launches of different streams at once
	parsedRules          power.Rules
}

var _ = register((*app).powerCommand)

func (a *app) powerCommand() *cobra.Command {
	var f powerFlags
	res := &powerResult{}
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
			"  hyptx power net.json --gpu v100-sxm2 --over-time spans.csv --plot-over-time power.png\n" +
			"  hyptx power --counters ncu.csv --variant hw --gpu gv100\n" +
			"  hyptx power validate\n" +
			"  hyptx power tune runs.csv --start fermi --variant ptx_sim -o mygpu.json",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.power(c, args, &f, res) },
	}
	rows := func() any {
		if f.clocks != nil {
			return res.sweep
		}
		return res.shown(&f)
	}
	f.programFlags.add(a, c, "power.csv, with --clock the sweep,", f.csv(rows), f.document(func() map[string]any {
		return map[string]any{"notes": res.notes, "rows": rows(), "hottest": res.hot, "classes": res.class}
	}))
	f.plot = f.file(c, "plot", asPicture, "draw to this `file`: *.svg, *.png or *.pdf; with --clock energy and time against it",
		drawn(func() ([]byte, error) {
			if f.clocks != nil {
				return power.PlotSweep(res.sweep, res.limitW, f.look(f.plot.ending()))
			}
			return power.PlotComponents(res.rows, res.limitW, f.look(f.plot.ending()))
		}))
	f.hot = f.file(c, "hot", asCSV, "write the instructions by energy to this `file` as CSV; the table shows ten",
		f.csv(func() any { return res.hot }))
	f.overTime = f.file(c, "over-time", asCSV, "write power over time to this `file` as CSV, in spans of 500 cycles or more as they were simulated",
		f.csv(func() any { return res.overTime }))
	f.plotOverTime = f.file(c, "plot-over-time", asPicture, "draw power over time to this `file`: *.svg, *.png or *.pdf",
		drawn(func() ([]byte, error) {
			return power.PlotOverTime(res.overTime, res.limitW, f.look(f.plotOverTime.ending()))
		}))
	f.shares = f.file(c, "shares", asCSV, "write each kernel's share of the components' dynamic energy to this `file` as CSV",
		f.csv(func() any { return accelwattch.Shares(res.rows) }))
	f.plotShares = f.file(c, "plot-shares", asPicture, "draw these shares, a line for each kernel, to this `file`: *.svg, *.png or *.pdf",
		drawn(func() ([]byte, error) {
			return accelwattch.PlotShares(accelwattch.Shares(res.rows), f.look(f.plotShares.ending()))
		}))
	f.addModel(c)
	c.AddCommand(a.powerValidateCommand(), a.powerTuneCommand(), a.powerCountersCommand(), a.powerCalibrateCommand())
	return c
}

// addModel adds the flags that say of what GPU, from which counts and times and by
// which energies.
func (f *powerFlags) addModel(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.gpus, "gpu", "", "GPUs, a `list` of names (hyptx gpus lists them) and files *.json")
	complete(c, "gpu", gpu.Names)
	choose(c, &f.variant, "variant", "", "whose energies, a `variant`: calibrated (fitted to micro-benchmarks of boards of the architecture), or AccelWattch's ptx_sim, sass_sim (from estimated machine instructions), hw or hybrid (with --counters), ptx_sim_alt or sass_sim_alt (AccelWattch's, tuned from energies that are all 1), or gpuwattch (its forerunner, of a GV100 alone); default that of the GPU's file, else calibrated; AccelWattch's ptx_sim with --counters or --accelwattch release for the boards that it is of",
		"calibrated", "ptx_sim", "sass_sim", "hw", "hybrid", "ptx_sim_alt", "sass_sim_alt", "gpuwattch")
	choose(c, &f.counts, "counts", "", "which `instructions` are charged: as written (ptx), or what ptxas is estimated to make of them (machine); default what the variant was tuned on", power.CountsPTX, power.CountsMachine)
	choose(c, &f.rules, "accelwattch", "paper", "`rules` where paper and released program differ: paper or release", "paper", "release")
	fl.StringVar(&f.counters, "counters", "", "take counters from this `file`: CSV of ncu (--csv, best with --page raw) or with a row for each launch")
	fl.StringVar(&f.times, "time", "", "take times from this `file`: CSV with launch (number or label), time_us and clock_mhz")
	fl.Func("clock", "energy and time at each clock of `from:to:step` in MHz, within the GPU's range", func(s string) (err error) {
		f.clocks, err = parseClocks(s)
		return err
	})
	fl.StringVar(&f.clockTrace, "clock-trace", "", "run along the clocks of this `file`: CSV with time_us from 0, clock_mhz and, where voltages are not known from boards, v_rel")
	fl.BoolVar(&f.concurrent, "concurrent", false, "let launches of different streams of a manifest run at once, as far as there are SMs; each takes as long as alone")
	f.addTheme(c)
	f.modelFlags.add(c, byDefault)
	choose(c, &f.sort, "sort", "launch", "rows in this `order`: launch or energy", "launch", "energy")
	fl.Float64Var(&f.energyScale, "energy-scale", 0, "a `factor` on a GV100's energies for GPUs without their own, instead of their technology's published one")
	fl.Float64Var(&f.voltage, "voltage", 1, "supply voltage over that at which energies were tuned, a `ratio`")
	fl.Float64Var(&f.temperature, "temperature-factor", 1, "static power times this `factor`; 1 is 65 C")
	fl.IntVar(&f.batch, "batch", 1, "the `number` of inferences that the program makes, for the energy of one")
	atLeast(c, "batch", &f.batch, 1)
	within(c, "energy-scale", &f.energyScale, maxEnergyScale, "")
	within(c, "voltage", &f.voltage, power.MaxVoltageRatio, "; 1 is the voltage at which energies were tuned")
	within(c, "temperature-factor", &f.temperature, power.MaxTemperatureFactor, "; 1 is 65 C")
}

// asksOverTime reports whether power over time is wanted.
func (f *powerFlags) asksOverTime() bool { return f.overTime.asked() || f.plotOverTime.asked() }

// check checks what the flags mean together; it returns the GPUs. A picture has
// room for one program on one board, and measured times are of one board, so
// lists of either are refused instead of being cut to the first.
func (f *powerFlags) check(c *cobra.Command, args []string) ([]*gpu.GPU, error) {
	if err := f.checkInputs(args); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		if err := checkEffect(c, powerNoEffect); err != nil {
			return nil, err
		}
	}
	var err error
	if f.parsedRules, err = power.ParseRules(f.rules); err != nil {
		return nil, err
	}
	gpus, err := gpu.List(f.gpus)
	if err != nil {
		return nil, err
	}
	return gpus, refuse(
		f.unused(c),
		refusal{f.undrawn(f.plot.asked() || f.plotOverTime.asked() || f.plotShares.asked()), errUndrawn},
		refusal{f.plot.asked() && (len(gpus) > 1 || len(args) > 1), "--plot: the picture is of one program on one GPU; name one of each"},
		refusal{f.plotOverTime.asked() && (len(gpus) > 1 || len(args) > 1), "--plot-over-time: the picture is of one program on one GPU; name one of each"},
		refusal{(f.shares.asked() || f.plotShares.asked()) && f.clocks != nil, "--shares has no effect with --clock: a sweep is of whole networks"},
		refusal{f.asksOverTime() && f.clocks != nil, "--over-time has no effect with --clock: a sweep is of whole networks"},
		refusal{f.concurrent && (f.clocks != nil || f.clockTrace != ""), "--concurrent runs at one clock: leave --clock and --clock-trace out"},
		refusal{f.clockTrace != "" && f.clocks != nil, "--clock-trace and --clock: a run has one or the other"},
		refusal{f.clockTrace != "" && (f.times != "" || f.counters != ""), "--clock-trace needs counts and times of the model: those of --counters and --time were measured at one clock"},
		refusal{f.clockTrace != "" && f.hot.asked(), "--hot has no effect with --clock-trace: an instruction has another energy at each clock"},
		refusal{f.clockTrace != "" && len(gpus) > 1, "--clock-trace: the clocks are of one GPU; name that one with --gpu"},
		refusal{f.times != "" && len(gpus) > 1, "--time: the times were measured on one GPU; name that one with --gpu"})
}

// checkInputs checks that there is something to do, and something to do it with.
func (f *powerFlags) checkInputs(args []string) error {
	noProgram, sweep := len(args) == 0, f.clocks != nil
	return refuse(
		refusal{noProgram && f.counters == "", "name manifests or .ptx files, or a counter file with --counters"},
		refusal{f.gpus == "", "--gpu says on which GPUs, as --gpu gv100,a100"},
		refusal{noProgram && f.sampled(), "--sample says how much the caches see of a program; name one"},
		refusal{noProgram && sweep, "--clock needs a program: counters were measured at one clock"},
		refusal{sweep && f.noTotal, "--no-total has no effect with --clock: a sweep has a row for each clock, none of totals"},
		refusal{sweep && (f.counters != "" || f.times != ""),
			"--clock needs counts and times of the model: those of --counters and --time were measured at one clock"},
		refusal{power.Variant(f.variant).FromHardware() && f.counters == "",
			"--variant " + f.variant + " takes hardware counters: --counters FILE.csv gives them"})
}

// of returns the flags for a GPU, with what they leave to its file: the variant,
// and which instructions it is charged for.
func (f powerFlags) of(g *gpu.GPU) (*powerFlags, error) {
	own, err := power.OwnVariant(g)
	if err != nil {
		return nil, err
	}
	byDefault, err := power.DefaultVariant(g, f.counters != "" || f.parsedRules == power.Release)
	if err != nil {
		return nil, err
	}
	f.variant = cmp.Or(f.variant, string(byDefault))
	v := power.Variant(f.variant)
	f.counts = cmp.Or(f.counts, power.CountsOf(v))
	if v.FromHardware() && f.counters == "" {
		return nil, fmt.Errorf("%s: its power model is of variant %s, which takes hardware counters: --counters FILE.csv gives them; or `hyptx power tune --variant %s` makes a model from runs that count PTX", g.Name, own, power.PTXSim)
	}
	return &f, nil
}

// maxEnergyScale bounds --energy-scale: no technology costs a million times a
// GV100's energies.
const maxEnergyScale = 1e6

// parseClocks reads from:to:step, as 600:1530:50. Whether the GPU can have these
// clocks is known later, when its file was read (CheckClocks).
func parseClocks(s string) ([]float64, error) {
	var x []float64
	for part := range strings.SplitSeq(s, ":") {
		if mhz, err := strconv.ParseFloat(part, 64); err == nil {
			x = append(x, mhz)
		}
	}
	if len(x) != 3 || strings.Count(s, ":") != 2 {
		return nil, errors.New("must be from:to:step in MHz, as 600:1530:50")
	}
	return power.Clocks(x[0], x[1], x[2])
}
