package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/papers"
	"hyptx/internal/textfile"
)

// hyptx papers: what five papers print, repeated. A part is some of hyptx's own command
// lines, which run here one after the other as if they were typed: so whoever wants one of
// them alone types it, and gets the same. Then what they wrote is held against the papers.

// papersFlags are the flags of hyptx papers.
type papersFlags struct {
	folder, plot, theme, data string
	small, list               bool
	rows                      []*papers.Row
	// limits are the words of the limits that were given, flag by flag, which each command
	// line gets that knows the flag.
	limits map[string][]string
}

var _ = register((*app).papersCommand)

func (a *app) papersCommand() *cobra.Command {
	var f papersFlags
	var names []string
	for _, p := range papersList() {
		names = append(names, p.Name)
		for _, part := range p.Parts {
			names = append(names, p.Name+"/"+part.Name)
		}
	}
	c := &cobra.Command{
		Use:   "papers [PAPER[/PART]]...",
		Short: "Repeat the tables and figures of the papers that hyptx rests on",
		Long: "Repeat every table and figure of five papers that can be repeated, all or those of some papers:\n" +
			"hypa, thesis, accelwattch, st2, scalemodel. A folder gets tables and figures, by paper and part,\n" +
			"and papers.csv with our figures beside the published ones. A part that fails does not keep back\n" +
			"the others. --list shows the parts, what they run and how long, and what cannot be repeated and why.",
		Example: "  hyptx papers --list\n  hyptx papers -o out\n  hyptx papers thesis hypa/networks -o out --plot svg --theme dark\n" +
			"  hyptx papers scalemodel --data DIR -o out",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeNames(func() []string { return names }),
		RunE: func(c *cobra.Command, args []string) error {
			f.limits = givenLimits(c)
			return a.papers(c.Context(), args, &f)
		},
	}
	fl := c.Flags()
	fl.StringVarP(&f.folder, "output", "o", "", "write all to this `folder`, which is made if it is not there")
	choose(c, &f.plot, "plot", "png", "the figures: svg, png or pdf", "svg", "png", "pdf")
	choose(c, &f.theme, "theme", string(figure.Light), "the figures' paper: light or dark", figure.Themes...)
	fl.StringVar(&f.data, "data", "", "the published simulations of scale models, a `folder`: scalemodel_artifact_strong.tsv, _weak.tsv and _mcm.tsv")
	fl.BoolVar(&f.small, "small", false, "small programs, to see that all runs: their figures are not those of the papers")
	fl.BoolVar(&f.list, "list", false, "show the parts and what cannot be repeated, and run nothing")
	a.limits.add(c)
	return c
}

// givenLimits are the limits of a command line as words of others. --timeout is not among
// them: it bounds all parts together, whose context has it.
func givenLimits(c *cobra.Command) map[string][]string {
	given := map[string][]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		given[f.Name] = []string{"--" + f.Name + "=" + f.Value.String()}
	})
	for _, own := range []string{"output", "plot", "theme", "data", "small", "list", "timeout", "quiet"} {
		delete(given, own)
	}
	return given
}

// chosenPart is a part that is to be repeated.
type chosenPart struct {
	paper paper
	paperPart
}

// full is a part's name.
func (p chosenPart) full() string { return p.paper.Name + "/" + p.Name }

// chosenParts are those that arguments name, all without any.
func chosenParts(args []string) (list []chosenPart, err error) {
	met := map[string]bool{}
	for _, p := range papersList() {
		for _, part := range p.Parts {
			c := chosenPart{p, part}
			if len(args) == 0 || slices.Contains(args, p.Name) || slices.Contains(args, c.full()) {
				list = append(list, c)
				met[p.Name], met[c.full()] = true, true
			}
		}
	}
	for _, arg := range args {
		if !met[arg] {
			return nil, usagef("%s: no paper or part has this name; --list shows them", arg)
		}
	}
	return list, nil
}

// papers runs the command.
func (a *app) papers(ctx context.Context, args []string, f *papersFlags) error {
	parts, err := chosenParts(args)
	if err != nil {
		return err
	}
	if f.list {
		return a.listPapers(parts)
	}
	switch f.folder {
	case "":
		return usagef("-o says which folder the tables and figures go to; --list shows what there is")
	case "-":
		return usagef(errFolder)
	}
	for _, p := range parts {
		if slices.Contains(args, p.full()) && p.Needs != "" && f.data == "" {
			return usagef("%s needs %s", p.full(), p.Needs)
		}
	}
	var none []analysis.Input
	out := rowsTo("-o", filepath.Join(f.folder, "papers.csv"), &none, func() any { return f.rows })
	if err := os.MkdirAll(f.folder, 0o777); err != nil {
		return textfile.PlainError(err)
	}
	if err := a.checkOutputs(nil, out); err != nil {
		return err
	}
	samples, err := os.MkdirTemp("", "hyptx-papers-*")
	if err != nil {
		return textfile.PlainError(err)
	}
	defer os.RemoveAll(samples)
	a.sayTimes(parts, f)
	var failed error
	for i, p := range parts {
		begun := time.Now()
		if p.Needs != "" && f.data == "" {
			a.note("%s is left out: it needs %s", p.full(), p.Needs)
			continue
		}
		a.note("%d of %d: %s", i+1, len(parts), p.full())
		err := a.repeat(ctx, p, f, filepath.Join(samples, fmt.Sprint(i)))
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.full(), err))
		}
		if ctx.Err() != nil {
			break
		}
		a.note("%s took %s", p.full(), time.Since(begun).Round(time.Second/10))
	}
	if len(f.rows) == 0 {
		return failed
	}
	_, unwritten := a.writeOutputs([]*output{out})
	a.showPapers(f.rows)
	return errors.Join(failed, unwritten)
}

// sayTimes says before how long it will take.
func (a *app) sayTimes(parts []chosenPart, f *papersFlags) {
	seconds := 0
	for _, p := range parts {
		if p.Needs == "" || f.data != "" {
			seconds += p.Seconds
		}
	}
	if !f.small {
		a.note("%s, about %s on two cores", plural(len(parts), "part"), time.Duration(seconds)*time.Second)
	}
}

// repeat runs a part's commands, and holds what they wrote against the paper.
func (a *app) repeat(ctx context.Context, p chosenPart, f *papersFlags, samples string) error {
	folder := filepath.Join(f.folder, p.paper.Name, p.Name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return textfile.PlainError(err)
	}
	programs, commands := p.needed(f.small, map[string]string{"samples": samples, "out": folder, "data": f.data, "format": f.plot, "theme": f.theme})
	files, err := sampleFiles(programs...)
	if err != nil {
		return err
	}
	if err := a.writeFiles(files, samples); err != nil {
		return err
	}
	var failed error
	for _, args := range commands {
		if err := a.subcommand(ctx, args, f.limits); err != nil {
			failed = errors.Join(failed, err)
		}
		if ctx.Err() != nil {
			return failed
		}
	}
	rows, err := papers.Compare(p.paper.Name, p.Name, folder)
	f.rows = append(f.rows, rows...)
	return errors.Join(failed, err)
}

// subcommand runs a command line of hyptx in this process. What it says on standard error is
// said; what it shows is not, since it wrote files.
func (a *app) subcommand(ctx context.Context, args []string, limits map[string][]string) error {
	sub := newApp(a.stdin, io.Discard, a.stderr)
	a.part.Store(sub)
	defer a.part.Store(nil)
	if c, _, err := sub.rootCommand().Find(args); err == nil && len(limits) > 0 {
		args = slices.Clone(args)
		for _, name := range slices.Sorted(maps.Keys(limits)) {
			if c.Flags().Lookup(name) != nil {
				args = append(args, limits[name]...)
			}
		}
		sub = newApp(a.stdin, io.Discard, a.stderr)
		a.part.Store(sub)
	}
	sub.quiet = a.quiet
	if a.quiet {
		args = append(slices.Clone(args), "--quiet")
	}
	if code := sub.execute(ctx, args); code != exitDone {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("hyptx %s ended with exit code %d", args[0], code)
	}
	return nil
}

// showPapers prints our figures beside the papers', a line for each claim.
func (a *app) showPapers(rows []*papers.Row) {
	s := sheet{spare: []string{"at", "at most", "unit", "rows"}, more: "papers.csv has all rows"}
	s.add("paper", "of", "what", "unit", "rows", "ours", "theirs", "off %", "at most", "at")
	for _, r := range papers.Summarise(rows) {
		most, at := digits(r.WorstPct, "%.1f"), r.Worst
		if r.N == 1 {
			most, at = "", ""
		}
		s.add(r.Paper, r.Item, r.What, r.Unit, fmt.Sprint(r.N), digits(r.Ours, "%.5g"), digits(r.Theirs, "%.5g"), digits(r.OffPct, "%.1f"), most, at)
	}
	a.say("Ours and theirs; of several rows the means, and how far ours is off without signs, in the mean and at most\n")
	s.print(a.text, a.columns())
}

// sayCommand prints a command line, in lines that a shell reads as one.
func (a *app) sayCommand(indent, line string) {
	const goesOn = " \\"
	lines := foldWords(line, a.columns()-len(indent)-len(goesOn), "  ")
	a.say("%s", indent+strings.Join(lines, goesOn+"\n"+indent))
}

// listPapers prints the parts and what they run, and what cannot be repeated.
func (a *app) listPapers(parts []chosenPart) error {
	places := map[string]string{"samples": "SAMPLES", "out": "DIR", "data": "DATA", "format": "png", "theme": "light"}
	title := ""
	for _, p := range parts {
		if p.paper.Title != title {
			title = p.paper.Title
			a.say("")
			a.sayFolded("%s: %s", p.paper.Name, title)
		}
		a.say("")
		a.sayFolded("  %s, about %d s: %s", p.full(), p.Seconds, p.Shows)
		_, commands := p.needed(false, places)
		for _, line := range commands {
			a.sayCommand("    ", "hyptx "+strings.Join(line, " "))
		}
		if p.Needs != "" {
			a.sayFolded("    needs %s", p.Needs)
		}
	}
	absent, err := papers.Absent()
	if err != nil {
		return err
	}
	s := sheet{}
	s.add("paper", "cannot be repeated", "because")
	for _, x := range absent {
		if slices.ContainsFunc(parts, func(p chosenPart) bool { return p.paper.Name == x.Paper }) {
			s.add(x.Paper, x.Item, x.Why)
		}
	}
	a.say("")
	s.print(a.text, a.columns())
	return nil
}
