package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
)

// program is what one argument named, emulated: a manifest is one session, a bare file
// one for each of its kernels, and the profile is of all of them.
type program struct {
	arg      string
	sessions []*analysis.Session
	profile  *analysis.Profile
	// failed: it did not run to its end. The profile has what is complete, and no
	// total. Launches that fail are rows, and do not end it.
	failed bool
}

// options are those of the analysis that every command has flags for. The mode
// is what a command needs, not what it is given: for roofline and power the choice of a time
// model sets it once a program is open (predict.Choice).
func (a *app) options(mode analysis.Mode, f *programFlags) analysis.Options {
	o := a.defaults()
	o.Mode, o.Kernel, o.Launch, o.FailFast = mode, f.kernel, f.launch, f.failFast
	o.Progress, o.Kept = a.progress(), new(int64)
	a.limits.apply(&o)
	return o
}

// defaults are the options of the library, and what the flags of all commands say.
func (a *app) defaults() analysis.Options {
	o := analysis.DefaultOptions()
	if a.lenient {
		o.Lenient = a.warn
	}
	return o
}

// programs is the one loop over arguments, for three commands with one set of rules
// about which error ends what. It emulates what each argument names, once, and hands
// it to add, which may ask it for several GPUs and views. These
// are the rules of all commands that take programs:
//
//   - What is wrong with one argument does not keep back the others, and what is
//     complete of a program goes to add all the same; all errors are told.
//   - A file without the kernel that was chosen is passed over where there are
//     several, unless none has it.
//   - A wrong use of flags, and the end of the context, end it all.
func (a *app) programs(ctx context.Context, args []string, f *programFlags, opts analysis.Options, add func(*program) error) (failed error) {
	without := 0 // files without the kernel that was chosen
	for _, arg := range args {
		complete, err := a.program(ctx, arg, f, opts, add)
		if none := (*manifest.NoKernelError)(nil); errors.As(err, &none) && none.Chosen && len(args) > 1 {
			without++
			continue
		}
		if usage := (usageError{}); errors.As(err, &usage) {
			return err
		}
		failed, a.partial = errors.Join(failed, err), a.partial || !complete
		if ctx.Err() != nil {
			break
		}
	}
	if without > 0 && without == len(args) {
		return fmt.Errorf("--kernel %s: none of the %d files has such a kernel", opts.Kernel, len(args))
	}
	return failed
}

// program emulates what one argument names and hands it to add. complete: all of it
// ran to its end.
func (a *app) program(ctx context.Context, arg string, f *programFlags, opts analysis.Options, add func(*program) error) (complete bool, err error) {
	sessions, wrong := a.open(arg, f.bare, opts)
	if len(sessions) == 0 {
		return false, wrong
	}
	f.inputs = append(f.inputs, sessions[0].Inputs...) // all kernels of a file have the same
	if f.prepare != nil {
		if err := f.prepare(sessions); err != nil {
			return false, errors.Join(wrong, err)
		}
	}
	p, err := analysis.ProfileAll(ctx, sessions)
	a.noteForgiven(sessions...)
	failed := wrong != nil || err != nil && !p.Complete()
	return !failed, errors.Join(wrong, err, add(&program{arg, sessions, p, failed}))
}

// noteForgiven says of each instruction once that accesses of it hit no memory.
func (a *app) noteForgiven(sessions ...*analysis.Session) {
	for _, s := range sessions {
		for _, f := range s.Forgiven() {
			a.note("%s", f)
		}
	}
}

// isUsage reports whether an error is about the use of flags, after which
// nothing is written.
func isUsage(err error) bool { return exitCode(err) == exitUsage }

// readInput reads a file that results depend on, and notes its hash. All that is
// read this way goes into the stamp inputs_sha256 of the rows, so that two files
// with equal stamps were made of the same programs, data, GPUs and times.
func (a *app) readInput(path string, inputs *[]analysis.Input) (source.File, error) {
	src, err := a.read(path)
	if err == nil {
		a.names.learnCells(src.Text)
		*inputs = append(*inputs, analysis.Input{Name: src.Name, SHA256: sha256.Sum256(src.Text)})
	}
	return src, err
}

// readRows reads a file of rows that results depend on; there are none without a
// file.
func readRows[T any](a *app, path string, inputs *[]analysis.Input, read func(name string, text []byte) (T, error)) (rows T, err error) {
	if path == "" {
		return rows, nil
	}
	src, err := a.readInput(path, inputs)
	if err != nil {
		return rows, err
	}
	return read(path, src.Text)
}

// strayTimes is an error that names the rows of --time that are of no launch. They
// are the trace of another numbering (from 1, or by name), and then the times that
// did match are of the wrong launches.
func strayTimes(path string, times map[string]roofline.Time, isLaunch func(string) bool, what string) error {
	var stray []string
	for _, launch := range slices.Sorted(maps.Keys(times)) {
		if !isLaunch(launch) {
			stray = append(stray, strconv.Quote(launch))
		}
	}
	if stray == nil {
		return nil
	}
	return fmt.Errorf("%s: "+what, path, strings.Join(stray, ", "))
}

// are writes how many of something there are, with the verb.
func are(n int, noun string) string {
	if n == 1 {
		return plural(n, noun) + " is"
	}
	return plural(n, noun) + " are"
}
