package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/check"
	"hyptx/internal/manifest"
)

// hyptx check: what is wrong with a program. It executes all of it, goes on where the
// program can, and tells each finding once, with its line, threads and what is missing.
// For people that is text; CI takes it as SARIF or JUnit by -o, beside the text.

// checkFlags are the flags of hyptx check, those of a check in run among them.
type checkFlags struct {
	oneKernel
	groups   string
	format   string
	out      string
	suppress string
}

var _ = register((*app).checkCommand)

// checkFormats are what a report can be written as, by the ending of a file.
var checkFormats = map[string]string{".txt": "text", ".json": "json", ".sarif": "sarif", ".xml": "junit"}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check {MANIFEST.json | FILE.ptx}...",
		Short: "Find faults of memory, races and wrong barriers",
		Long: "Execute programs and tell what is wrong with them, as a sanitizer does:\n\n" +
			"  memory  accesses beyond memory and misaligned ones, of freed memory, free of what malloc has not given, leaks of the device's malloc, launches that fail\n" +
			"  init    reads of memory and registers that nobody has written\n" +
			"  race    data races in shared and global memory, volatile accesses that rely on an order, copies that nobody waits for, missing proxy fences\n" +
			"  sync    divergent barriers (of threads that have not exited), wrong member masks, absent lanes, deadlocks\n\n" +
			"A program goes on after a finding where it can: a bad load gives 0, a bad store is dropped. " +
			"The exit code is 1 if anything was found, but for races that give the same value in any order, which are remarks. " +
			"Of a bare .ptx file the contents and ends of buffers are assumed, so that only a manifest shows all faults.",
		Example: "  hyptx check net.json\n" +
			"  hyptx check k.ptx --grid 4 --block 128 --check race,sync\n" +
			"  hyptx check net.json -o findings.sarif --suppress known.txt",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.checkPrograms(c.Context(), args, &f) },
	}
	f.addGroups(c, "all")
	f.addReport(c)
	c.Flags().StringVarP(&f.out, "output", "o", "", "write the report to this `file` (- for standard output): *.sarif, *.json, *.xml (JUnit) or *.txt; the text is shown all the same")
	f.oneKernel.add(a, c)
	return c
}

// addGroups adds the flag that says what to look for.
func (f *checkFlags) addGroups(c *cobra.Command, value string) {
	f.groups = value
	c.Flags().Func("check", "look for these `groups` of faults: some of memory, init, race and sync, or all", func(s string) error {
		f.groups = s
		_, err := check.ParseGroups(s)
		return err
	})
	complete(c, "check", func() []string { return []string{"all", "memory", "init", "race", "sync"} })
}

// addReport adds the flags that say how findings are told.
func (f *checkFlags) addReport(c *cobra.Command) {
	choose(c, &f.format, "format", "auto", "write the report as text, json, sarif or junit; auto goes by the ending of -o", "auto", "text", "json", "sarif", "junit")
	c.Flags().StringVar(&f.suppress, "suppress", "", "leave out what the lines of this `file` describe, as: data-race kernel=hist* at=k.cu:42; quotes (\") go around spaces")
}

// begin makes the check that options ask for, and reads the suppressions.
func (f *checkFlags) begin(a *app) (*check.Run, *check.Suppressions, []analysis.Input, error) {
	groups, err := check.ParseGroups(f.groups)
	if err != nil {
		return nil, nil, nil, usagef("--check %v", err)
	}
	var inputs []analysis.Input
	var known *check.Suppressions
	if f.suppress != "" {
		src, err := a.readInput(f.suppress, &inputs)
		if err != nil {
			return nil, nil, nil, err
		}
		if known, err = check.ParseSuppressions(src.Name, string(src.Text)); err != nil {
			return nil, nil, nil, err
		}
	}
	return &check.Run{Groups: groups}, known, inputs, nil
}

// as returns the format of the report.
func (f *checkFlags) as() (string, error) {
	if f.format != "auto" {
		return f.format, nil
	}
	ending := strings.ToLower(filepath.Ext(f.out))
	if f.out == "" || isStdout(f.out) {
		return "text", nil
	}
	if as, ok := checkFormats[ending]; ok {
		return as, nil
	}
	return "", usagef("-o %s: must end in .sarif, .json, .xml or .txt, or --format says what it is", f.out)
}

func (a *app) checkPrograms(ctx context.Context, args []string, f *checkFlags) error {
	as, err := f.as()
	if err != nil {
		return err
	}
	outputs := []*output{{flag: "-o", path: f.out, as: format{[]string{".txt", ".json", ".sarif", ".xml"}, "a report is none", false}}}
	if f.out == "" && as != "text" {
		outputs[0].path = "-"
	}
	if err := a.checkOutputs(args, outputs...); err != nil {
		return err
	}
	run, known, inputs, err := f.begin(a)
	if err != nil {
		return err
	}
	var failed error
	var folders []string
	for _, arg := range args {
		if ctx.Err() != nil {
			run.Unchecked = append(run.Unchecked, check.Unchecked{Program: arg, Reason: context.Cause(ctx).Error()})
			continue
		}
		sessions, err := a.checkOne(ctx, arg, f, run)
		failed = errors.Join(failed, err)
		for _, s := range sessions {
			inputs = append(inputs, s.Inputs...)
		}
		folders = append(folders, filepath.Dir(arg))
	}
	r := a.reportOf(run, known, inputs, f)
	if !isStdout(outputs[0].path) {
		a.showFindings(a.stdout, r, folders)
	}
	if outputs[0].asked() {
		outputs[0].fill = func(w io.Writer) error { return a.writeReport(w, r, as, folders) }
		_, err := a.writeOutputs(outputs)
		failed = errors.Join(failed, err)
	}
	return failed
}

// checkOne checks what an argument names.
func (a *app) checkOne(ctx context.Context, arg string, f *checkFlags, run *check.Run) ([]*analysis.Session, error) {
	opts := a.options(analysis.Full, &programFlags{kernel: f.kernel})
	opts.Check, opts.Print = run, &printedText{w: a.stderr}
	before := run.Launches + len(run.Unchecked)
	sessions, failed := a.open(arg, f.bare, opts)
	if failed == nil && f.kernel != "" && slices.ContainsFunc(sessions, func(s *analysis.Session) bool { return !isBare(s) }) {
		sessions, failed = nil, fmt.Errorf("%s: --kernel is for bare .ptx files: of a manifest the whole program is checked", arg)
	}
	if failed != nil {
		run.Unchecked = append(run.Unchecked, check.Unchecked{Program: arg, Reason: failed.Error()})
	}
	for _, s := range sessions {
		if err := s.Execute(ctx); err != nil {
			failed = errors.Join(failed, about(arg, err))
		}
	}
	if failed == nil && before == run.Launches+len(run.Unchecked) {
		a.note("%s: there is no launch, so that there is nothing to check", arg)
	}
	a.noteAssumed(sessions...)
	return sessions, failed
}

// reportOf makes the report of a check, without what is known.
func (a *app) reportOf(run *check.Run, known *check.Suppressions, inputs []analysis.Input, f *checkFlags) *check.Report {
	stamp := stampOf(inputs)
	r := &check.Report{
		Version: stamp.Version, Inputs: stamp.Inputs, Launches: run.Launches, Again: run.Again, Kernels: run.Kernels, Findings: run.List.Findings(), Unchecked: run.Unchecked,
	}
	for i := range r.Unchecked {
		r.Unchecked[i].Reason = spellFlags(r.Unchecked[i].Reason)
	}
	if known != nil {
		r.Findings, r.Suppressed = known.Drop(r.Findings, func(kernel string) []string { return manifest.KernelNames(kernel, analysis.Demangle) })
		for _, line := range known.Unused() {
			a.note("%s:%d: nothing like it was found", f.suppress, line)
		}
	}
	a.wrong = a.wrong || r.Faults() > 0
	return r
}

// writeReport writes a report in a format.
func (a *app) writeReport(w io.Writer, r *check.Report, as string, folders []string) error {
	switch as {
	case "json":
		return r.WriteJSON(w)
	case "sarif":
		return r.WriteSARIF(w)
	case "junit":
		return r.WriteJUnit(w)
	}
	return (&findingText{names: &a.names, sources: a.sources(folders)}).write(w, r)
}

// kindsOf counts the findings by kind: "2 data-race, 1 leak".
func kindsOf(list []*check.Finding) string {
	counts := map[check.Kind]int{}
	for _, f := range list {
		counts[f.Kind]++
	}
	var parts []string
	for _, k := range check.Kinds() {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
		}
	}
	return cmp.Or(strings.Join(slices.Compact(parts), ", "), "nothing")
}
