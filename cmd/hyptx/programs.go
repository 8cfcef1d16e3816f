package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"hyptx/analysis"
)

// program is what one argument named, emulated.
type program struct {
	arg      string
	sessions []*analysis.Session
	profile  *analysis.Profile
	// failed: it did not run to its end. The profile has what is complete, and no
	// total.
	failed bool
}

// options are those of the analysis that every command has flags for.
func (a *app) options(mode analysis.Mode, kernel, launch string) (analysis.Options, error) {
	o := analysis.DefaultOptions()
	o.Mode, o.Kernel, o.Launch = mode, kernel, launch
	if !a.quiet {
		o.Progress = a.progress()
	}
	return o, a.limits.apply(&o)
}

// programs emulates what each argument names, once, and hands it to add. These
// are the rules of all commands that take programs:
//
//   - What is wrong with one argument does not keep back the others, and what is
//     complete of a program goes to add all the same; all errors are told.
//   - A file without the kernel that was chosen is passed over where there are
//     several, unless none has it.
//   - A wrong use of flags, and the end of the context, end it all.
func (a *app) programs(ctx context.Context, args []string, bare *bareFlags, opts analysis.Options, add func(*program) error) (failed error) {
	without := 0 // files without the kernel that was chosen
	for _, arg := range args {
		err := a.program(ctx, arg, bare, opts, add)
		if choice := (*analysis.ChoiceError)(nil); errors.As(err, &choice) && len(args) > 1 {
			without++
			continue
		}
		if usage := (usageError{}); errors.As(err, &usage) {
			return err
		}
		failed = errors.Join(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	if without > 0 && without == len(args) {
		return fmt.Errorf("--kernel %s: none of the %d files has such a kernel", opts.Kernel, len(args))
	}
	return failed
}

// program emulates what one argument names and hands it to add.
func (a *app) program(ctx context.Context, arg string, bare *bareFlags, opts analysis.Options, add func(*program) error) error {
	sessions, wrong := a.open(arg, bare, opts)
	if len(sessions) == 0 {
		return wrong
	}
	p, err := analysis.ProfileAll(ctx, sessions)
	err = errors.Join(wrong, err)
	return errors.Join(err, add(&program{arg, sessions, p, err != nil}))
}

// isUsage reports whether an error is about the use of flags, after which
// nothing is written.
func isUsage(err error) bool {
	usage := usageError{}
	return errors.As(err, &usage)
}

// readInput reads a file that results depend on.
func (a *app) readInput(path string, inputs *[]analysis.Input) (analysis.Source, error) {
	src, err := analysis.ReadSource(path, a.stdin)
	if err == nil {
		*inputs = append(*inputs, analysis.Input{Name: src.Name, SHA256: sha256.Sum256(src.Text)})
	}
	return src, err
}

// readGPUs reads the files in lists of GPUs, as --gpu takes them: results depend
// on them.
func (a *app) readGPUs(inputs *[]analysis.Input, lists ...string) error {
	for _, name := range gpuFiles(lists...) {
		if _, err := a.readInput(name, inputs); err != nil {
			return err
		}
	}
	return nil
}

// are writes how many of something there are, with the verb.
func are(n int, noun string) string {
	if n == 1 {
		return plural(n, noun) + " is"
	}
	return plural(n, noun) + " are"
}
