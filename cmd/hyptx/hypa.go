package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/hypa"
	"hyptx/internal/number"
	"hyptx/internal/shipped"
	"hyptx/internal/textfile"
)

// hyptx hypa: the experiment of HyPA's paper on its 32 networks. They are made and written
// to a folder of their own first, since what is timed begins with files.

// hypaFlags are the flags of hyptx hypa.
type hypaFlags struct {
	folderFlags
	repeat int
	verify []string
	rows   []*hypa.Row
	inputs []analysis.Input
}

var _ = register((*app).hypaCommand)

func (a *app) hypaCommand() *cobra.Command {
	var f hypaFlags
	c := &cobra.Command{
		Use:   "hypa [NETWORK]...",
		Short: "Repeat the experiment of HyPA's paper: 32 networks",
		Long: "Profile the 32 networks of the paper on HyPA, or some of them, ten times each, and show\n" +
			"how much has to be executed, what is counted and how long it takes beside what the paper\n" +
			"prints. With -o a folder gets hypa.csv and, with --plot, the figures. The PTX is ours, not\n" +
			"TensorFlow's: ratios are to be compared, not counts.",
		Example: "  hyptx hypa -o out --plot png\n  hyptx hypa 'resnet*' --repeat 3\n" +
			"  hyptx hypa --repeat 1 --verify alexnet,nasnetmobile,densenet121,resnet50v2",
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: completeNames(func() (names []string) {
			list, _ := shipped.Matching("hypa/*")
			for _, p := range list {
				names = append(names, path.Base(p.Name))
			}
			return names
		}),
		RunE: func(c *cobra.Command, args []string) error { return a.hypa(c.Context(), args, &f) },
	}
	fl := c.Flags()
	f.addFolder(c, "hypa.csv", "a table is shown")
	fl.IntVar(&f.repeat, "repeat", 10, "profile each network so often, a `number`")
	between(c, "repeat", &f.repeat, 1, 1000)
	fl.StringSliceVar(&f.verify, "verify", nil, "emulate these networks in full, too, and fail unless all counts are equal: `names` or patterns")
	a.limits.add(c)
	c.AddCommand(a.hypaWelchCommand())
	return c
}

// hypa runs the command.
func (a *app) hypa(ctx context.Context, args []string, f *hypaFlags) error {
	outputs, err := f.outputs()
	if err != nil {
		return err
	}
	if err := a.checkOutputs(nil, outputs...); err != nil {
		return err
	}
	programs, verified, err := f.choose(args)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "hyptx-hypa-*")
	if err != nil {
		return textfile.PlainError(err)
	}
	defer os.RemoveAll(folder)
	for _, p := range programs {
		files, err := sampleFiles(p.Name)
		if err != nil {
			return err
		}
		if err := a.writeFiles(files, folder); err != nil {
			return err
		}
	}
	var failed error
	for i, p := range programs {
		o := a.options(analysis.Control, &programFlags{})
		row, inputs, err := hypa.Measure(ctx, path.Base(p.Name), filepath.Join(folder, p.Name+".json"), o, f.repeat, verified[i])
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.Name, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		f.rows, f.inputs = append(f.rows, row), append(f.inputs, inputs...)
	}
	if len(f.rows) == 0 {
		return failed
	}
	_, unwritten := a.writeOutputs(outputs)
	if f.folder == "" {
		a.showHyPA(f.rows)
	}
	return errors.Join(failed, unwritten)
}

// hypaFolder is that of the networks among all that ships: names are taken with it, too, as
// `hyptx samples` gives them.
const hypaFolder = "hypa/"

// choose lists the networks that are meant, and which of them are verified.
func (f *hypaFlags) choose(args []string) (list []shipped.Program, verified []bool, err error) {
	if len(args) == 0 {
		args = []string{"*"}
	}
	for _, name := range args {
		some, err := shipped.Matching(hypaFolder + strings.TrimPrefix(name, hypaFolder))
		if err != nil {
			return nil, nil, usagef("%s", strings.NewReplacer("no program", "no network", hypaFolder, "").Replace(err.Error()))
		}
		for _, p := range some {
			if !slices.ContainsFunc(list, func(q shipped.Program) bool { return q.Name == p.Name }) {
				list = append(list, p)
			}
		}
	}
	verified = make([]bool, len(list))
	for _, pattern := range f.verify {
		pattern, found := strings.TrimPrefix(pattern, hypaFolder), false
		for i, p := range list {
			match, err := path.Match(hypaFolder+pattern, p.Name)
			if err != nil {
				return nil, nil, usagef("--verify %s: %v", pattern, err)
			}
			found, verified[i] = found || match, verified[i] || match
		}
		if !found {
			return nil, nil, usagef("--verify %s: no network that is profiled has such a name", pattern)
		}
	}
	return list, verified, nil
}

// outputs are the files of the folder, which is made.
func (f *hypaFlags) outputs() (list []*output, err error) {
	if err := f.checkFolder(); err != nil || f.folder == "" {
		return nil, err
	}
	list = []*output{rowsTo("-o", f.in("hypa.csv"), &f.inputs, func() any { return f.rows })}
	for _, of := range hypa.Figures() {
		if f.draws() {
			list = append(list, f.picture(of.Name, func(look figure.Look) ([]byte, error) { return of.Draw(f.rows, look) }))
		}
	}
	return list, nil
}

// showHyPA prints the paper's table, ours beside its figures.
func (a *app) showHyPA(rows []*hypa.Row) {
	s := sheet{spare: []string{"verified", "launches", "emulated %", "nvprof", "exactness"}, more: "-o FOLDER writes all"}
	s.add("network", "launches", "executed %", "paper", "emulated %", "thread inst", "branch %", "paper", "nvprof", "ms", "exactness", "verified")
	for _, r := range rows {
		took := fmt.Sprintf("%.0f", r.MeanMS.X)
		if r.ConfidenceMS.Known {
			took += fmt.Sprintf(" +- %.0f", r.ConfidenceMS.X)
		}
		s.add(r.Network, r.Launches.String(), r.SlicePct.Fixed(2), r.HyPASlicePct.Fixed(2), r.EmulatedPct.Fixed(3),
			fmt.Sprintf("%.3g", float64(r.ThreadInstructions.N)), r.EfficiencyPct.Fixed(2), r.HyPAEfficiencyPct.Fixed(2),
			r.NvprofEfficiencyPct.Fixed(2), took, r.Exactness, strings.TrimSpace(digits(number.Real{X: r.VerifiedMS.X / 1000, Known: r.VerifiedMS.Known}, "in %.1f s")))
	}
	s.print(a.text, a.columns())
}
