package main

import (
	"crypto/sha256"
	"fmt"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel validate and speedup: what the paper says of its method, computed
// again from its published tables. These have no licence, so that hyptx has no copy:
// the folder is the user's.

// readPublished reads a folder of the published tables.
func (a *app) readPublished(dir string, inputs *[]analysis.Input) (*scalemodel.Published, error) {
	p, err := guarded(a, func() (*scalemodel.Published, error) { return scalemodel.ReadPublished(dir) })
	if err != nil {
		return nil, err
	}
	for _, f := range p.Files {
		*inputs = append(*inputs, analysis.Input{Name: f.Name, SHA256: sha256.Sum256(f.Text)})
	}
	return p, nil
}

// publishedHelp says what the folder has.
const publishedHelp = `DIR has the tables scalemodel_artifact_strong.tsv, _weak.tsv and _mcm.tsv: the artifact's IPC, MPKI and times of simulation, a row for
each workload and size.`

// validateFlags are those of hyptx scalemodel validate.
type scaleValidateFlags struct {
	out, predictions, cliff string
	scenario                string
	target                  int
	picture                 pictureFlags
}

func (a *app) scalemodelValidateCommand() *cobra.Command {
	var f scaleValidateFlags
	c := &cobra.Command{
		Use: "validate DIR", Short: "Recompute the published errors of scale models", Args: cobra.ExactArgs(1),
		Long: `Predict all workloads of the published tables from their two smallest sizes, by both models and the baselines, and hold that against
what was simulated of the large ones: the mean and the largest error of each method.

` + publishedHelp,
		Example: "  hyptx scalemodel validate measured\n  hyptx scalemodel validate DIR -o errors.csv --predictions predict.csv\n  hyptx scalemodel validate DIR --plot errors.png --scenario strong --size 128",
		RunE:    func(_ *cobra.Command, args []string) error { return a.validateScaleModels(args[0], &f) },
	}
	fl := c.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write the errors of suites as CSV to this `file` (- for standard output)")
	fl.StringVar(&f.predictions, "predictions", "", "write the row of each workload, target and method as CSV to this `file`")
	detectorFlag(c, &f.cliff)
	f.picture.add(c, "the errors of all workloads")
	choose(c, &f.scenario, "scenario", string(scalemodel.Strong), "of the picture: strong, weak or mcm", scenarios...)
	fl.IntVar(&f.target, "size", 0, "the target of the picture, a `number` of SMs or chiplets; default the largest")
	atLeast(c, "size", &f.target, 0)
	return c
}

// scenarios are how flags spell them.
var scenarios = []string{string(scalemodel.Strong), string(scalemodel.Weak), string(scalemodel.MCM)}

// validateScaleModels runs the command.
func (a *app) validateScaleModels(dir string, f *scaleValidateFlags) error {
	var (
		p      *scalemodel.Published
		inputs []analysis.Input
		suites []*scalemodel.SuiteRow
		rows   []*scalemodel.Row
	)
	scenario, detector := scalemodel.Scenario(f.scenario), scalemodel.Detector(f.cliff)
	outputs := []*output{
		rowsTo("-o", f.out, &inputs, func() any { return suites }),
		rowsTo("--predictions", f.predictions, &inputs, func() any { return rows }),
		f.picture.output(func(look figure.Look) ([]byte, error) {
			if f.target == 0 {
				f.target = largest(p.Workloads, scenario)
			}
			return scalemodel.PlotErrors(p.Workloads, scenario, f.target, detector, look)
		}),
	}
	if err := a.checkOutputs(nil, outputs...); err != nil {
		return err
	}
	p, err := a.readPublished(dir, &inputs)
	if err != nil {
		return err
	}
	list, err := scalemodel.Judge(p.Workloads, detector)
	if err != nil {
		return err
	}
	t := &sheet{}
	t.add("scenario", "target", "method", "workloads", "mean %", "max %", "worst")
	for _, s := range list {
		suites = append(suites, s.Row())
		t.add(string(s.Scenario), fmt.Sprint(s.Target), methodName(s.Method), fmt.Sprint(s.Workloads), figures(s.Avg, 2), figures(s.Max, 2), s.Worst)
	}
	for _, w := range p.Workloads {
		of, warning, err := w.Rows(scalemodel.Methods, detector, "user")
		if err != nil {
			return err
		}
		if warning != "" {
			a.note("%s", warning)
		}
		rows = append(rows, of...)
	}
	return a.finishRows(t, f.out, outputs)
}

// largest is the largest size of a scenario.
func largest(all []*scalemodel.Workload, scenario scalemodel.Scenario) (size int) {
	for _, w := range all {
		if w.Scenario == scenario {
			size = max(size, w.Sizes[len(w.Sizes)-1])
		}
	}
	return size
}

func (a *app) scalemodelSpeedupCommand() *cobra.Command {
	var out, scenario string
	var picture pictureFlags
	c := &cobra.Command{
		Use: "speedup DIR", Short: "Recompute how much sooner scale models are simulated than their target", Args: cobra.ExactArgs(1),
		Long: `Compute from the published times of simulation how many times as long a target takes as its two scale models together.

` + publishedHelp,
		Example: "  hyptx scalemodel speedup measured\n  hyptx scalemodel speedup DIR -o speedup.csv --plot speedup.png",
		RunE: func(_ *cobra.Command, args []string) error {
			var rows []*scalemodel.SpeedupRow
			var inputs []analysis.Input
			outputs := []*output{rowsTo("-o", out, &inputs, func() any { return rows }), picture.output(func(look figure.Look) ([]byte, error) {
				return scalemodel.PlotSpeedups(rows, scalemodel.Scenario(scenario), look)
			})}
			if err := a.checkOutputs(nil, outputs...); err != nil {
				return err
			}
			p, err := a.readPublished(args[0], &inputs)
			if err != nil {
				return err
			}
			if rows, err = scalemodel.SpeedupRows(p.Durations); err != nil {
				return err
			}
			t := &sheet{}
			t.add("scenario", "workload", "target", "target s", "models s", "speedup")
			for _, r := range rows {
				t.add(string(r.Scenario), r.Bench, fmt.Sprint(r.Target), r.TargetSeconds.String(), r.Seconds.String(), figures(r.Speedup, 3))
			}
			return a.finishRows(t, out, outputs)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write them as CSV to this `file` (- for standard output)")
	picture.add(c, "the speedups")
	choose(c, &scenario, "scenario", string(scalemodel.Weak), "of the picture: weak or mcm", string(scalemodel.Weak), string(scalemodel.MCM))
	return c
}
