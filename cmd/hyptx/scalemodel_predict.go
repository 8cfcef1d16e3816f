package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/number"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel predict: the prediction, from what the user has. Numbers as
// arguments are the published tool's own form (scaleModel.py IPC_S IPC_L MPKI...), for
// which its five lists are printed; where that asks questions, flags answer here.
// Anything else is tables of many workloads.

// scalePredictFlags are those of hyptx scalemodel predict.
type scalePredictFlags struct {
	mpki, out, model, cliff, scenario, bench string
	smallest                                 int
	llcBytes                                 int64
	fMem                                     fMemFlag
	picture                                  pictureFlags
	simulation                               scaleSimulationFlags
}

// fMemFlag are the shares of cycles: one for all, or by workload.
type fMemFlag struct {
	all number.Real
	of  map[string]float64
}

// set reads 52, or dct=52,fwt=53, in percent as the published tool asks for it.
func (f *fMemFlag) set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, named := strings.Cut(part, "=")
		if !named {
			value = name
		}
		percent, err := strconv.ParseFloat(value, 64)
		if err != nil || !(percent >= 0 && percent <= 99) {
			return ownWords("must be percent from 0 to 99, as 52 or dct=52,fwt=53")
		}
		if !named {
			f.all = number.Ratio(percent / 100)
			continue
		}
		if f.of == nil {
			f.of = map[string]float64{}
		}
		f.of[name] = percent / 100
	}
	return nil
}

// predictLong is what help says of the three forms.
const predictLong = `Predict the IPC of larger and larger GPUs from that of two scale models, and from where the miss-rate curve of the last-level cache
falls. There are three forms.

Numbers are the published tool's own arguments: the IPC of both scale models and the MPKI of all sizes, each double the one before.
Its five lists are printed.

A table has the columns bench, size, ipc and, where targets were measured, real; a row for each workload and size. --mpki is a table
of the miss rates: bench, size or llc_bytes, mpki, as scalemodel mrc writes it. Without it there are no cliffs.

A program is simulated on both scale models of --gpu, the first of --sms, and its miss-rate curve is counted; f_mem is the share of
cycles of the larger one in which an SM issues nothing because all its warps wait for memory. The other sizes are simulated as well,
to give the prediction's error, unless --no-targets. IPC are PTX instructions over cycles of the estimated machine code. --sweep and
--plot-sweep say which launches stop scaling, and why.

Several programs are weak scaling, one for each size, in their order: the first two on the scale models, the others on the targets.

With --chiplets the sizes are numbers of chiplets, each of them a whole --gpu: contiguous groups of CTAs run on them, pages lie where
they are touched first, and what lies on another chiplet is asked for over links (--cta-policy, --page-policy, --link-rate, --hop).

At a cliff the prediction needs f_mem, which --f-mem gives. Without it the range from 0 to 90 % is shown, and nothing is guessed.
Only strong scaling has cliffs.`

func (a *app) scalemodelPredictCommand() *cobra.Command {
	var f scalePredictFlags
	c := &cobra.Command{
		Use: "predict {IPC_S IPC_L MPKI... | IPC.csv | M.json...}", Short: "Predict the IPC of large GPUs from two scale models", Args: cobra.MinimumNArgs(1),
		Long: predictLong,
		Example: "  hyptx scalemodel predict 112.7412 226.4367 6.1669 6.1787 6.1626 5.5243 0.1005 --smallest 8 --f-mem 52\n" +
			"  hyptx scalemodel predict ipc.csv --mpki mrc.csv --f-mem dct=52,fwt=53 -o predict.csv\n" +
			"  hyptx scalemodel predict ipc.csv --mpki mrc.csv --bench dct --plot dct.svg\n" +
			"  hyptx scalemodel predict net.json --gpu gv100 --sms 8,16,32,64,128 --sweep sweep.csv\n" +
			"  hyptx scalemodel predict small.json twice.json fourfold.json --gpu gv100 --sms 8,16,32\n" +
			"  hyptx scalemodel predict net.json --gpu gv100:sms=64 --chiplets 2,4,8",
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := strconv.ParseFloat(args[0], 64); err == nil {
				return a.predictNumbers(c, args, &f)
			}
			if f.simulation.gpu != "" {
				return a.predictProgram(c, args, &f)
			}
			if err := f.simulation.unused(c); err != nil {
				return err
			}
			if strings.HasSuffix(args[0], ".json") || strings.HasSuffix(args[0], ".ptx") {
				return usagef("%s: a program is simulated on scale models of a GPU: --gpu has to say of which", args[0])
			}
			if len(args) > 1 {
				return usagef("one table of IPCs is predicted at a time, or numbers; %d arguments given", len(args))
			}
			return a.predictTable(args[0], &f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.mpki, "mpki", "", "miss rates of the table's workloads, a CSV `file`")
	fl.Int64Var(&f.llcBytes, "llc-bytes", 0, "last-level cache of the smallest scale model in `bytes`, where --mpki has capacities instead of sizes")
	atLeast(c, "llc-bytes", &f.llcBytes, 0)
	fl.Func("f-mem", "f_mem in `percent`: 52, or by workload, dct=52,fwt=53", f.fMem.set)
	choose(c, &f.model, "model", "tool", "which scale model: tool (the published tool's rule, which the paper's figures are of) or equation (the paper's equations)", "tool", "equation")
	detectorFlag(c, &f.cliff)
	choose(c, &f.scenario, "scenario", string(scalemodel.Strong), "how the work of a table grows: strong, weak or mcm", scenarios...)
	fl.IntVar(&f.smallest, "smallest", 8, "SMs of the smaller scale model, a `number`, where numbers are predicted")
	atLeast(c, "smallest", &f.smallest, 1)
	fl.StringVarP(&f.out, "output", "o", "", "write a row for each workload, target and method as CSV to this `file` (- for standard output)")
	fl.StringVar(&f.bench, "bench", "", "the workload of --plot, a `name`; may be left out if there is one")
	f.picture.add(c, "IPC and MPKI over the sizes")
	f.simulation.add(a, c)
	return c
}

// scaleModel is the method of --model.
func (f *scalePredictFlags) scaleModel() scalemodel.Method {
	if f.model == "equation" {
		return scalemodel.Equation
	}
	return scalemodel.Tool
}

// mostNumbers bounds the published form: 40 doublings of 1 SM are beyond every GPU.
const mostNumbers = 42

// errFMem is said where a cliff needs what nobody gave.
var errFMem = errors.New("the miss-rate curve has a cliff: --f-mem gives the percent of cycles in which an SM of the larger scale model fetches nothing because all its warps wait for memory")

// predictNumbers is the published tool's form.
func (a *app) predictNumbers(c *cobra.Command, args []string, f *scalePredictFlags) error {
	if err := f.simulation.unused(c); err != nil {
		return err
	}
	if err := refuse(refusal{f.mpki != "" || f.bench != "" || f.llcBytes != 0 || c.Flags().Changed("scenario"), "--mpki, --bench, --llc-bytes and --scenario are for tables of IPCs"}); err != nil {
		return err
	}
	const least = 5 // the tool's: two IPCs and three MPKIs
	if len(args) < least || len(args) > mostNumbers {
		return fmt.Errorf("%d numbers: usage: hyptx scalemodel predict IPC_S IPC_L MPKI_1 ... MPKI_n, of 3 to %d sizes", len(args), mostNumbers-2)
	}
	w := &scalemodel.Workload{Name: "program", Scenario: scalemodel.Strong, FMem: f.fMem.all}
	for i, arg := range args {
		x, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			return usagef("argument %d: %q is no number", i+1, arg)
		}
		if i < 2 {
			w.IPC = append(w.IPC, number.Ratio(x))
		} else {
			w.MPKI = append(w.MPKI, x)
			w.Sizes = append(w.Sizes, f.smallest<<(i-2))
		}
	}
	w.IPC = append(w.IPC, make([]number.Real, len(w.Sizes)-2)...)
	rows, warning, err := w.Rows(scalemodel.Methods, scalemodel.Detector(f.cliff), "user")
	if err != nil {
		return err
	}
	if warning != "" {
		a.note("%s", warning)
	}
	outputs := a.predictOutputs(f, nil, []*scalemodel.Workload{w}, rows)
	if err := a.checkOutputs(nil, outputs...); err != nil {
		return err
	}
	if why := missingOf(rows, f.scaleModel()); why != "" {
		return fmt.Errorf("%s; --model equation has another rule", why)
	}
	if !lastKnown(rows, f.scaleModel()) {
		return errFMem
	}
	onStdout, err := a.writeOutputs(outputs)
	if err == nil && !onStdout && f.out == "" {
		err = printLists(a.stdout, w, f)
	}
	return err
}

// missingOf is why a method says nothing of a workload, "" where it does.
func missingOf(rows []*scalemodel.Row, m scalemodel.Method) string {
	for _, r := range rows {
		if r.Method == m {
			return r.Missing
		}
	}
	return ""
}

// lastKnown reports whether a method's last target has a prediction.
func lastKnown(rows []*scalemodel.Row, m scalemodel.Method) bool {
	known := false
	for _, r := range rows {
		if r.Method == m {
			known = r.IPCPred.Known
		}
	}
	return known
}

// printLists prints the lists of the published tool, in its order.
func printLists(out io.Writer, w *scalemodel.Workload, f *scalePredictFlags) error {
	for _, l := range []struct {
		title  string
		method scalemodel.Method
	}{{"PowerLaw", scalemodel.PowerLaw}, {"Proportional", scalemodel.Proportional}, {"Logarithmic", scalemodel.Logarithmic}, {"Linear", scalemodel.Linear}, {"Scale-Model", f.scaleModel()}} {
		p, err := w.Predict(l.method, scalemodel.Detector(f.cliff))
		if err != nil {
			return err
		}
		var values []string
		for _, at := range p.Points {
			values = append(values, known(at.IPC, 4))
		}
		if _, err := fmt.Fprintf(out, "%s [%s]\n", l.title, strings.Join(values, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// predictTable predicts the workloads of a table. Files are checked before any is read: a
// prediction must not be written over the measurements that it is of.
func (a *app) predictTable(path string, f *scalePredictFlags) error {
	if f.mpki == "" && f.llcBytes != 0 {
		return usagef("--llc-bytes is for --mpki")
	}
	var inputs []analysis.Input
	scenario := scalemodel.Scenario(f.scenario)
	files := []string{path}
	if f.mpki != "" {
		files = append(files, f.mpki)
	}
	if err := a.checkOutputs(files, a.predictOutputs(f, &inputs, nil, nil)...); err != nil {
		return err
	}
	all, err := readRows(a, path, &inputs, func(name string, text []byte) ([]*scalemodel.Workload, error) {
		return scalemodel.ReadIPC(name, text, scenario)
	})
	if err != nil {
		return err
	}
	if _, err := readRows(a, f.mpki, &inputs, func(name string, text []byte) (any, error) {
		return nil, scalemodel.ReadMPKI(name, text, all, f.llcBytes)
	}); err != nil {
		return err
	}
	if err := f.fMem.give(all); err != nil {
		return err
	}
	return a.writePredictions(all, f, inputs, "user")
}

// give gives workloads their f_mem.
func (f *fMemFlag) give(all []*scalemodel.Workload) error {
	for _, w := range all {
		if f.all.Known {
			w.FMem = f.all
		}
		if x, ok := f.of[w.Name]; ok {
			w.FMem = number.Ratio(x)
		}
	}
	for name := range f.of {
		if !slices.ContainsFunc(all, func(w *scalemodel.Workload) bool { return w.Name == name }) {
			return fmt.Errorf("--f-mem: there is no workload %q", name)
		}
	}
	return nil
}

// writePredictions predicts, prints and writes. The screen shows the model of --model beside
// the baselines; the file has both models, since rows are cheap and a choice is not told
// from its file.
func (a *app) writePredictions(all []*scalemodel.Workload, f *scalePredictFlags, inputs []analysis.Input, fMemSource string, more ...*output) error {
	var rows []*scalemodel.Row
	var failed error
	t := &sheet{spare: []string{"class", "region"}, more: "-o has them"}
	t.add("workload", "target", "method", "IPC", "real", "error %", "region", "class")
	for _, w := range all {
		of, warning, err := w.Rows(scalemodel.Methods, scalemodel.Detector(f.cliff), fMemSource)
		if err != nil {
			_, unwritten := a.writeOutputs(more)
			return errors.Join(err, unwritten)
		}
		if warning != "" {
			a.note("%s", warning)
		}
		for _, r := range of {
			ipc := known(r.IPCPred, 3)
			if r.IPCLow.Known && !r.IPCPred.Known {
				ipc = known(r.IPCLow, 3) + " to " + known(r.IPCHigh, 3)
			}
			if r.Method != scalemodel.Tool && r.Method != scalemodel.Equation || r.Method == f.scaleModel() {
				t.add(r.Bench, fmt.Sprint(r.Target), methodName(r.Method), ipc, known(r.IPCReal, 3), known(r.ErrPct, 2), string(r.Region), string(r.ClassPredicted))
			}
		}
		if why := missingOf(of, f.scaleModel()); why != "" {
			failed = errors.Join(failed, fmt.Errorf("%s: %s; --model equation has another rule", w.Name, why))
		} else if !lastKnown(of, f.scaleModel()) {
			a.note("%s has a cliff at %d and f_mem is unknown: --f-mem %s=PERCENT makes one number of the range", w.Name, of[0].CliffAt.N, w.Name)
		}
		rows = append(rows, of...)
	}
	return errors.Join(failed, a.finishRows(t, f.out, append(a.predictOutputs(f, &inputs, all, rows), more...)))
}

// predictOutputs are the files of a prediction. They are listed twice: without rows, to be
// checked before the work, and with them, to be filled.
func (a *app) predictOutputs(f *scalePredictFlags, inputs *[]analysis.Input, all []*scalemodel.Workload, rows []*scalemodel.Row) []*output {
	if inputs == nil {
		inputs = new([]analysis.Input)
	}
	return []*output{rowsTo("-o", f.out, inputs, func() any { return rows }), f.picture.output(func(look figure.Look) ([]byte, error) {
		i := 0
		if len(all) > 1 || f.bench != "" {
			i = slices.IndexFunc(all, func(w *scalemodel.Workload) bool { return w.Name == f.bench })
		}
		if i < 0 {
			return nil, fmt.Errorf("a picture is of one of %d workloads: --bench names it", len(all))
		}
		return scalemodel.PlotPrediction(all[i], scalemodel.Detector(f.cliff), look)
	})}
}
