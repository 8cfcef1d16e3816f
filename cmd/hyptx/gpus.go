package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// hyptx gpus: what is known of GPUs, and by whom. Every number of the models stands
// in a file with the document that states it; this command shows them, so that a
// user can see on what a prediction rests before trusting it, and gives a file to
// start from for a GPU that is not there. A number that nobody documents is unknown,
// shown as "?", null in JSON and -1 in the toolkit's CSV, and never a guess.

var _ = register((*app).gpusCommand)

func (a *app) gpusCommand() *cobra.Command {
	var asJSON, asCSV bool
	c := &cobra.Command{
		Use: "gpus [NAME | FILE.json]", Short: "List the GPUs that hyptx knows, or every number of one with its source", Args: cobra.MaximumNArgs(1),
		Long: `List the GPUs that hyptx knows, or all that is known of one: every number with its unit and the document that states it.
A number without a document is unknown; what needs it says so. Numbers marked [ours] are our rules.

A GPU of one's own is a file of the same form: print one with --json, or make one with new, change it and its name, and give it
where a GPU's name is asked for. For a few numbers no file is needed: gv100:sms=160,clock=1380 is a GV100 with 160 SMs at 1380 MHz,
wherever a GPU's name is asked for. It can change ` + gpu.Keys() + `,
and any number that this command shows, as latency.l2_cycles=230. What SMs share (L2, network, DRAM) is not scaled with their number.`,
		Example: "  hyptx gpus\n  hyptx gpus gv100\n  hyptx gpus a100 --json > my.json\n  hyptx gpus my.json\n  hyptx gpus gv100:sms=160,clock=1380\n  hyptx gpus --csv > specs.csv",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return gpu.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			names := args
			if len(names) == 0 {
				names = gpu.Names()
			}
			list, err := gpu.List(strings.Join(names, ","))
			switch {
			case err != nil:
				return err
			case asJSON && asCSV:
				return usagef("--json and --csv: choose one")
			case asCSV: // of a GPU without these parameters, the reason is the error
				devices, err := roofline.Devices(names)
				if err == nil {
					err = roofline.WriteToolkitGPUs(a.stdout, devices)
				}
				return err
			case asJSON && len(list) == 1:
				return writeJSON(a.stdout, list[0], "  ")
			case asJSON:
				return writeJSON(a.stdout, list, "  ")
			case len(list) == 1:
				a.writeGPU(list[0])
			default:
				a.writeGPUs(list)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asCSV, "csv", false, "print the parameters of the roofline as gpuroofperf-bench does, -1 where nobody knows")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON; of one GPU, in the form of a GPU's file")
	c.AddCommand(a.gpusNewCommand())
	return c
}

// writeGPUs prints a line for each GPU. Where 80 columns have no room, it is for what
// is measured and for other names, titles and capabilities; which models the GPU has
// numbers for stays, since that is what one chooses a GPU by.
func (a *app) writeGPUs(list []*gpu.GPU) {
	t := sheet{spare: []string{"measured", "also called", "GPU", "compute"}, more: "`hyptx gpus NAME` and --json say all"}
	t.add("name", "GPU", "architecture", "compute", "SMs", "MHz", "GB/s", "TDP W", "models", "also called", "measured")
	for _, g := range list {
		cc, clock := "", (*gpu.Float)(nil)
		if g.ComputeCapability != nil {
			cc = g.ComputeCapability.Value
		}
		if mhz, err := g.ClockMHz(); err == nil {
			clock = &gpu.Float{Value: mhz}
		}
		t.add(g.Name, g.Title, g.Architecture, cc, short(g.SMs), short(clock), short(g.DRAM.BandwidthGBPerS), short(g.Power.TDPW),
			strings.Join(models(g), " "), strings.Join(g.Aliases, ", "), strings.Join(measured(g), " "))
	}
	t.print(a.text, a.columns())
}

// short writes a number for a table; "?" if it is unknown.
func short[T int | float64](f *gpu.Fact[T]) string {
	if f == nil {
		return "?"
	}
	return strconv.FormatFloat(float64(f.Value), 'f', -1, 64)
}

// measured names the parameters of the roofline that were measured.
func measured(g *gpu.GPU) []string {
	m := g.Measured
	var names []string
	for _, p := range []struct {
		name string
		fact *gpu.Float
	}{{"T_SP", m.TSPGFLOPS}, {"T_DP", m.TDPGFLOPS}, {"T_int", m.TIntGIOPS}, {"T_add", m.TAddGIOPS}, {"T_ldst", m.TLdstGOPS}, {"B_mem", m.BMemGBPerS}} {
		if p.fact.Known() {
			names = append(names, p.name)
		}
	}
	return names
}

// writeGPU prints every number of a GPU with its source, and the parameters of the
// roofline that follow. These are not facts but derived: T_SP of a GV100 is 2 times
// 5,120 lanes times 1,447 MHz, 14,817 GFLOPS, unless somebody measured it; the last column
// says which of both.
func (a *app) writeGPU(g *gpu.GPU) {
	a.say("%s: %s (%s, %s)", g.Label(), g.Title, g.Vendor, g.Architecture)
	if len(g.Aliases) > 0 {
		a.say("also: %s", strings.Join(g.Aliases, ", "))
	}
	a.say("")
	var facts sheet
	for _, f := range g.Fields() {
		facts.add(f.Path, f.Value, f.Unit, f.Source)
	}
	facts.print(a.text, a.columns())
	a.say("\nroofline parameters: as measured, else from the data sheet")
	r, err := g.Rates()
	if err != nil {
		a.say("none: %v", err)
		return
	}
	var rates sheet
	for _, p := range []struct {
		name, unit string
		rate       gpu.Rate
	}{{"T_SP", "GFLOPS", r.SPGFLOPS}, {"T_DP", "GFLOPS", r.DPGFLOPS}, {"T_int", "GIOPS", r.IntGIOPS}, {"T_add", "GIOPS", r.AddGIOPS},
		{"T_ldst", "GOPS", r.LdstGOPS}, {"B_mem", "GB/s", r.MemGBPerS}} {
		rates.add(p.name, fmt.Sprintf("%.6g", p.rate.Value), p.unit, p.rate.Provenance)
	}
	rates.print(a.text, a.columns())
	a.writeTiming(g)
	a.writeModels(g)
}

// Which models a GPU has numbers for. The models say themselves what they lack
// (hierarchy.Check for caches, Model.Lacks for times, power.ChipOf for energies);
// here it is only put into words, so a model that needs one number more is right in
// this list without a change.

// checkTime returns what the analytic time model, which needs least of those that say
// the time of any launch, lacks of a GPU, or what of the GPU's file it does without.
func checkTime(g *gpu.GPU) (standIns []string, err error) {
	d, err := roofline.NewDevice(g)
	if err != nil {
		return nil, err
	}
	if err := roofline.Extended.Lacks(d); err != nil {
		return nil, err
	}
	return d.StandIns(), nil
}

// chipOf returns the power model of a GPU: of the variant that `hyptx power` takes without
// --variant, so that the two never disagree about whether there is a model.
func chipOf(g *gpu.GPU) (*power.Chip, error) {
	v, err := power.DefaultVariant(g, false)
	if err != nil {
		return nil, err
	}
	return power.ChipOf(g, power.ChipOptions{Variant: v})
}

// models names the models that all that they need of the GPU is known for:
// caches (profile --gpu), times (roofline, the extended model) and power, which
// needs both.
func models(g *gpu.GPU) (names []string) {
	caches := hierarchy.Check(g)
	_, time := checkTime(g)
	_, power := chipOf(g)
	for _, m := range []struct {
		name  string
		lacks error
	}{{"caches", caches}, {"time", time}, {"power", errors.Join(power, caches, time)}} {
		if m.lacks == nil {
			names = append(names, m.name)
		}
	}
	return names
}

// lacks says what a model lacks.
func lacks(err error) string {
	switch fields := roofline.UnknownFields(err); {
	case err == nil:
		return "all is known"
	case fields != nil:
		return "unknown are " + strings.Join(fields, ", ")
	}
	return err.Error()
}

// writeModels says what the models lack of a GPU.
func (a *app) writeModels(g *gpu.GPU) {
	caches := hierarchy.Check(g)
	standIns, time := checkTime(g)
	model := func(format string, args ...any) {
		a.say("%s", strings.Join(foldWords(fmt.Sprintf("model of the "+format, args...), a.columns(), "  "), "\n"))
	}
	a.say("")
	model("caches (profile --gpu): %s", lacks(caches))
	if len(standIns) > 0 {
		model("time (roofline), for integers, fp32 and loads: by its compute capability, as the file does not say, %s", strings.Join(standIns, ", "))
	} else {
		model("time (roofline), for integers, fp32 and loads: %s", lacks(time))
	}
	chip, errPower := chipOf(g)
	switch without := errors.Join(errPower, caches); {
	case without != nil:
		model("power (power): %s", lacks(without))
	case time != nil:
		model("power (power): with measured times alone (--time FILE.csv --counts machine), as the model of the time lacks numbers")
	default:
		model("power (power), %s: energies %s, static power %s, constant power %.4g W", chip.Variant, chip.Basis, chip.StaticBasis, chip.ConstantW)
		for _, n := range chip.Notes {
			a.sayFolded("  %s", n)
		}
	}
}
