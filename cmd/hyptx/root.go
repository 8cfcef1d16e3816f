package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/guard"
	"hyptx/parser"
)

// The program's frame. main calls run, run makes a context that Ctrl-C ends, and
// the context goes down into every command, which passes it on to the library:
// what is complete by then is written, and the error says what ended the work.
// Errors come up as values, are printed once, each line once, and their type
// decides the exit code: what is wrong with the command line whatever the input
// is 2, everything else about the input or the system is 1, and a panic, which
// is a fault of hyptx, is 3 and asks to be reported.
//
// Nothing below this file calls os.Exit or writes to os.Stdout: the streams are
// those of the app, so that tests run the whole program in their own process.

// The exit codes.
const (
	exitDone     = 0 // all done
	exitInput    = 1 // the input is wrong, or does not fit the command line
	exitUsage    = 2 // the command line is wrong whatever the input
	exitInternal = 3 // a fault of hyptx
)

// usageError is an error of the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usagef makes an error of the command line.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errInterrupted ends a run that the user wants to end.
var errInterrupted = errors.New("interrupted")

// commands make the subcommands. A list that init-time variables append to is
// what Go has for a plug-in: no file names all commands, so none has to change
// for a new one, and the order is that of file names, which help sorts anyway.
//
// Each registers itself in its own file, so that
// a new command is one new file.
var commands []func(*app) *cobra.Command

// register adds a command; it returns a value so that a file can call it as it
// declares a variable: var _ = register((*app).isaCommand).
func register(command func(*app) *cobra.Command) bool {
	commands = append(commands, command)
	return true
}

// app is one run of the program: its streams and the flags of all commands.
type app struct {
	// ctx is that of the command, for what is too far from it (guarded, write).
	ctx   context.Context
	stdin io.Reader
	// stdout and stderr are the streams as they are, for data; text and notes are
	// the same ones for people (screen.go).
	stdout, stderr io.Writer
	text, notes    *screen
	names          names
	bar            bar
	quiet          bool
	lenient        bool
	wrong          bool // something was wrong with the input, and has been shown
	limits         limitFlags
	partial        bool // a program could not be opened, or did not run to its end
	// outputs are the files that will be written, unfinished those that are being.
	outputs    []string
	unfinished sync.Map // of *outFile
	// unwritten are the outputs that do not stand where they belong, as users call them: all
	// at first. mu is held by who looks at them.
	mu        sync.Mutex
	unwritten []string
	// kept is what is complete of a run that failed, with what else is said of it.
	kept []string
	// part is the command that is run inside of this one (papers.go), nil without one.
	part atomic.Pointer[app]
}

// newApp makes a run with these streams.
func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	a.text, a.notes = &screen{w: stdout, names: &a.names}, &screen{w: stderr, names: &a.names}
	a.bar.out = stderr
	return a
}

// run runs hyptx and returns its exit code. The first Ctrl-C ends the work: the
// context that goes down into the library is cancelled, each launch in progress
// stops at its next look at it, and what is complete is written as after any
// other error. The second one ends the process at once, files or no files, for
// a run that does not come back (a hanging driver), and says which files are not written.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	returned := make(chan struct{})
	defer close(returned)
	a := newApp(stdin, stdout, stderr)
	go func() {
		for ; ; cancel(errInterrupted) {
			select {
			case <-returned:
				return
			case <-signals:
			}
			if ctx.Err() != nil { // the second one; left to the system, a shell's background job would ignore it
				a.bar.end()
				a.dropUnfinished()
				a.noteUnwritten()
				os.Exit(exitInput)
			}
		}
	}()
	return a.execute(ctx, args)
}

// graceTime is what work gets to end by itself when the run is to end, blindTime what work
// gets that never looks, if it is about to.
const (
	graceTime = 100 * time.Millisecond
	blindTime = 10 * time.Millisecond
)

// guarded does work that knows no context, as parsing a file is: if the run is to
// end, it is left behind.
func guarded[T any](a *app, work func() (T, error)) (T, error) {
	value, _, err := guard.Within(a.ctx, blindTime, work)
	return value, err
}

// execute runs a command line. A panic is a fault of hyptx: it is reported as
// one, with what is needed to mend it.
func (a *app) execute(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			a.bar.end()
			fmt.Fprintf(a.notes, "hyptx: internal fault: %v\nPlease report it with the command line, the version (%s) and this trace:\n%s", r, version(), debug.Stack())
			code = exitInternal
		}
	}()
	defer a.dropUnfinished()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.names.learn(args...)
	root := a.rootCommand()
	root.SetArgs(args)
	err := errors.Join(root.ExecuteContext(ctx), a.text.failed)
	a.bar.end()
	a.noteKept()
	switch {
	case err == nil && a.wrong:
		return exitInput
	case err == nil:
		return exitDone
	}
	said := map[string]bool{} // one cause may stand in the way of several kernels
	for line := range strings.SplitSeq(strings.TrimRight(a.names.safe(err.Error()), "\n"), "\n") {
		if !said[line] {
			said[line] = true
			fmt.Fprintf(a.notes, "hyptx: %s\n", spellFlags(line))
		}
	}
	return exitCode(err)
}

// exitCode is that of an error, by its type. What the library finds wrong with a
// flag's value whatever the program is (a range 9-7, a GPU that nobody knows) is
// as much the command line's as what cobra finds.
func exitCode(err error) int {
	var (
		usage usageError
		empty *analysis.RangeError
		name  *gpu.NameError
		spec  *gpu.SpecError
	)
	if errors.As(err, &usage) || errors.As(err, &empty) || errors.As(err, &name) || errors.As(err, &spec) {
		return exitUsage
	}
	return exitInput
}

// rootCommand makes the tree of commands. cobra parses and prints help; what
// goes wrong with flags and arguments is said in our own words (words.go), in
// one line.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hyptx",
		Short: "What PTX kernels do on a GPU, without one",
		Long: `hyptx reads PTX and says what the kernels do on a GPU, without one: how many
instructions of which kind each warp executes, where warps diverge and what memory
traffic results, exactly; and, by models, how long that takes and what power it draws.`,
		Example: "  hyptx profile ptx-samples/networks/resnet50.json -o profile.csv\n" +
			"  hyptx profile k.ptx --grid 1024 --block 256 --arg n=262144\n" +
			"  hyptx roofline net.json --gpu gv100,a100\n" +
			"  hyptx parse k.ptx",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			a.ctx = a.limits.withMemory(a.limits.withTimeout(c.Context()))
			c.SetContext(a.ctx)
			return emptyFlag(c)
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.text)
	root.SetErr(a.notes)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolVar(&a.quiet, "quiet", false, "no progress, no notes on standard error")
	root.PersistentFlags().BoolVar(&a.lenient, "lenient", false,
		"a PTX version or target that an instruction does not have, and what ptxas takes beyond the manual, are warnings, no errors")
	for _, command := range commands {
		root.AddCommand(command(a))
	}
	a.setHelp(root)
	usageArgs(root)
	return root
}

// emptyFlag is an error for a flag whose value was given as ”: a variable in
// a script that nobody set, most likely.
func emptyFlag(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = usagef("--%s: the value is empty", f.Name)
		}
	})
	return err
}

// noteAll tells the user several things.
func (a *app) noteAll(list []string) {
	for _, text := range list {
		a.note("%s", text)
	}
}

// warn tells the user what --lenient let pass.
func (a *app) warn(list parser.ErrorList) {
	for _, w := range list {
		if !a.quiet {
			a.bar.clear()
			fmt.Fprintf(a.notes, "hyptx: warning: %s\n", oneLine(w.Error()))
		}
	}
}

// note tells the user something that is no error.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.bar.clear()
		fmt.Fprintf(a.notes, "hyptx: note: %s\n", spellFlags(oneLine(fmt.Sprintf(format, args...))))
	}
}
