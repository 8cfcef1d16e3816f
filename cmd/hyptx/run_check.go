package main

import (
	"path/filepath"

	"hyptx/analysis"
	"hyptx/internal/check"
)

// runCheck is the check beside a run (run --check): the outputs go where they go without it,
// what was found goes to standard error.
type runCheck struct {
	flags *checkFlags
	run   *check.Run
	known *check.Suppressions
}

// beginCheck makes the options of a run ask for a check, if a flag does; nil if none does.
func (f *runFlags) beginCheck(a *app, o *analysis.Options) (*runCheck, error) {
	if err := refuse(
		refusal{f.checks.groups == "" && f.checks.suppress != "", "--suppress is for --check"},
		refusal{f.checks.groups != "" && f.on == "cuda", "--check watches the emulator: --on cuda has nothing to watch; NVIDIA's compute-sanitizer does that"},
	); err != nil || f.checks.groups == "" {
		return nil, err
	}
	run, known, _, err := f.checks.begin(a)
	if err != nil {
		return nil, err
	}
	o.Check = run
	return &runCheck{&f.checks, run, known}, nil
}

// show tells what was found.
func (c *runCheck) show(a *app, path string) {
	r := a.reportOf(c.run, c.known, nil, c.flags)
	a.showFindings(a.stderr, r, []string{filepath.Dir(path)})
}
