package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
)

var _ = register((*app).gpusCommand)

func (a *app) gpusCommand() *cobra.Command {
	var asJSON, asCSV bool
	c := &cobra.Command{
		Use: "gpus [NAME | FILE.json]", Short: "List the GPUs that hyptx knows, or every number of one with its source", Args: cobra.MaximumNArgs(1),
		Long: `List the GPUs that hyptx knows, or all that is known of one: every number with its unit and the document that states it.
A number without a document is unknown; what needs it says so. Numbers marked [ours] are our rules.

A GPU of one's own is a file of the same form: print one with --json, change it and its name, and give it where a GPU's name is asked for.`,
		Example: "  hyptx gpus\n  hyptx gpus gv100\n  hyptx gpus a100 --json > my.json\n  hyptx gpus my.json\n  hyptx gpus --csv > specs.csv",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return gpu.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := chosenGPUs(args)
			switch {
			case err != nil:
				return err
			case asJSON && asCSV:
				return usageError{errors.New("--json and --csv: choose one")}
			case asCSV:
				return writeToolkitGPUs(a.stdout, list)
			case asJSON && len(args) == 1:
				return writeIndented(a.stdout, list[0])
			case asJSON:
				return writeIndented(a.stdout, list)
			case len(args) == 1:
				return writeGPU(a.stdout, list[0])
			}
			return writeGPUs(a.stdout, list)
		},
	}
	c.Flags().BoolVar(&asCSV, "csv", false, "print the parameters of the roofline as gpuroofperf-bench does, -1 where nobody knows")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON; of one GPU, in the form of a GPU's file")
	return c
}

// writeToolkitGPUs writes the roofline's parameters of GPUs; of one that has
// none, the reason is the error.
func writeToolkitGPUs(w io.Writer, list []*gpu.GPU) error {
	var devices []*roofline.Device
	for _, g := range list {
		d, err := roofline.NewDevice(g)
		if err != nil {
			return err
		}
		devices = append(devices, d)
	}
	return roofline.WriteToolkitGPUs(w, devices)
}

// chosenGPUs returns the GPU that is named, else all.
func chosenGPUs(args []string) ([]*gpu.GPU, error) {
	names := args
	if len(names) == 0 {
		names = gpu.Names()
	}
	var list []*gpu.GPU
	for _, name := range names {
		g, err := gpu.Get(name)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeGPUs prints a line for each GPU.
func writeGPUs(w io.Writer, list []*gpu.GPU) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "name\tGPU\tarchitecture\tcompute\tSMs\tMHz\tGB/s\tTDP W\tmodels\talso called\tmeasured")
	for _, g := range list {
		cc := ""
		if g.ComputeCapability != nil {
			cc = g.ComputeCapability.Value
		}
		clock := math.NaN()
		if mhz, err := g.ClockMHz(); err == nil {
			clock = mhz
		}
		sms := math.NaN()
		if g.SMs != nil {
			sms = float64(g.SMs.Value)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", g.Name, g.Title, g.Architecture, cc, short(sms), short(clock),
			short(valueOf(g.DRAM.BandwidthGBPerS)), short(valueOf(g.Power.TDPW)), strings.Join(models(g), " "),
			strings.Join(g.Aliases, ", "), strings.Join(measured(g), " "))
	}
	return t.Flush()
}

// valueOf returns a number, NaN if it is unknown.
func valueOf(f *gpu.Float) float64 {
	if f == nil {
		return math.NaN()
	}
	return f.Value
}

// short writes a number for a table; "?" if it is unknown.
func short(v float64) string {
	if math.IsNaN(v) {
		return "?"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
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

// wrap splits off as many words as fit into a column of 24.
func wrap(s string) (first, rest string) {
	if len(s) <= 24 {
		return s, ""
	}
	if i := strings.LastIndexByte(s[:25], ' '); i > 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// writeGPU prints every number of a GPU, and the parameters of the roofline
// that follow.
func writeGPU(w io.Writer, g *gpu.GPU) error {
	fmt.Fprintf(w, "%s: %s (%s, %s)\n", g.Label(), g.Title, g.Vendor, g.Architecture)
	if len(g.Aliases) > 0 {
		fmt.Fprintf(w, "also: %s\n", strings.Join(g.Aliases, ", "))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range g.Fields() {
		first, rest := wrap(f.Value)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Path, first, f.Unit, f.Source)
		for rest != "" {
			first, rest = wrap(rest)
			fmt.Fprintf(t, "\t%s\t\t\n", first)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nroofline parameters: as measured, else from the data sheet")
	r, err := g.Rates()
	if err != nil {
		_, err = fmt.Fprintf(w, "none: %v\n", err)
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range []struct {
		name, unit string
		rate       gpu.Rate
	}{{"T_SP", "GFLOPS", r.SPGFLOPS}, {"T_DP", "GFLOPS", r.DPGFLOPS}, {"T_int", "GIOPS", r.IntGIOPS}, {"T_add", "GIOPS", r.AddGIOPS},
		{"T_ldst", "GOPS", r.LdstGOPS}, {"B_mem", "GB/s", r.MemGBPerS}} {
		fmt.Fprintf(t, "%s\t%.6g\t%s\t%s\n", p.name, p.rate.Value, p.unit, p.rate.Provenance)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeModels(w, g)
}
