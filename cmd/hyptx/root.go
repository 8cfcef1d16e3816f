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
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hyptx/analysis"
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

// errInterrupted ends a run that the user wants to end.
var errInterrupted = errors.New("interrupted")

// commands make the subcommands. Each registers itself in its own file, so that
// a new command is one new file.
var commands []func(*app) *cobra.Command

func register(command func(*app) *cobra.Command) bool {
	commands = append(commands, command)
	return true
}

// app is one run of the program: its streams and the flags of all commands.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	quiet          bool
	limits         limitFlags
	// outputs are the files that will be written.
	outputs []string
}

// run runs hyptx and returns its exit code. Ctrl-C ends the work and lets what
// is complete be written; the second one ends the process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	returned := make(chan struct{})
	defer close(returned)
	go func() {
		select {
		case <-signals:
			cancel(errInterrupted)
		case <-returned:
			return
		}
		select {
		case <-signals: // the first one would be ignored again by a shell's background job
			os.Exit(exitInput)
		case <-returned:
		}
	}()
	return runContext(ctx, args, stdin, stdout, stderr)
}

// runContext is run without signals. A panic is a fault of hyptx: it is
// reported as one, with what is needed to mend it.
func runContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "hyptx: internal fault: %v\nPlease report it with the command line, the version (%s) and this trace:\n%s", r, version(), debug.Stack())
			code = exitInternal
		}
	}()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	said := map[string]bool{} // one cause may stand in the way of several kernels
	for line := range strings.SplitSeq(strings.TrimRight(err.Error(), "\n"), "\n") {
		if !said[line] {
			said[line] = true
			fmt.Fprintf(stderr, "hyptx: %s\n", spellFlags(line))
		}
	}
	usage, empty := usageError{}, (*analysis.RangeError)(nil)
	if errors.As(err, &usage) || errors.As(err, &empty) {
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
		Long: "hyptx reads PTX and says what the kernels do on a GPU, without one: how many\n" +
			"instructions of which kind each warp executes, where warps diverge and what memory\n" +
			"traffic results, exactly; and, by models, how long that takes and what power it draws.",
		Example: "  hyptx profile ptx-samples/networks/resnet50.json -o profile.csv\n" +
			"  hyptx profile k.ptx --grid 1024 --block 256 --arg n=262144\n" +
			"  hyptx roofline net.json --gpu gv100,a100\n" +
			"  hyptx parse k.ptx",
		SilenceUsage:      true,
		SilenceErrors:     true,
		Version:           version(),
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return emptyFlag(c) },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(a.columns()) })
	root.SetUsageTemplate(strings.NewReplacer(".LocalFlags.FlagUsages", "wrapped .LocalFlags", ".InheritedFlags.FlagUsages", "wrapped .InheritedFlags").Replace(root.UsageTemplate()))
	root.SetVersionTemplate("hyptx {{.Version}}\n")
	root.PersistentFlags().BoolVar(&a.quiet, "quiet", false, "no progress, no notes on standard error")
	for _, command := range commands {
		root.AddCommand(command(a))
	}
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Short = "Print a shell's completion script"
	}
	usageArgs(root)
	root.SuggestionsMinimumDistance = 2
	return root
}

// usageArgs makes the errors that cobra finds in the arguments of a command
// and those below it usage errors. A command that only holds others shows its
// help, or fails for one that it has not.
func usageArgs(c *cobra.Command) {
	for _, sub := range c.Commands() {
		usageArgs(sub)
	}
	check := c.Args
	if c.HasSubCommands() && !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		c.Args = unknownCommand
		return
	}
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if check(c, args) != nil {
			return argumentError(c, args)
		}
		return nil
	}
}

// emptyFlag is an error for a flag whose value was given as ”: a variable in
// a script that nobody set, most likely.
func emptyFlag(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = usageError{fmt.Errorf("--%s: the value is empty", f.Name)}
		}
	})
	return err
}

// unknownCommand is the error for a subcommand that there is not, with the
// nearest name that there is.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := fmt.Sprintf("`%s --help` lists the commands", c.CommandPath())
	if s := c.SuggestionsFor(args[0]); len(s) > 0 {
		hint = "did you mean " + strings.Join(s, " or ") + "?"
	}
	return usageError{fmt.Errorf("unknown command %q; %s", args[0], hint)}
}

// withTimeout bounds a context by --timeout.
func (l *limitFlags) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, l.timeout, fmt.Errorf("more than %s needed; the limit can be raised with --timeout", l.timeout))
}

// note tells the user something that is no error.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, "hyptx: note: %s\n", spellFlags(fmt.Sprintf(format, args...)))
	}
}
