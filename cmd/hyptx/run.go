package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/device"
	"hyptx/internal/manifest"
)

// hyptx run: a program's outputs. It is the emulator without the profiler, or with
// --on cuda a real GPU without the emulator; both give the same document, so that
// one can be compared with the other. Outputs are written when the program has
// ended, those of --dump first, piece by piece from where they lie: a program that
// fails leaves no file half filled. The exception is a GPU that ends early (a time limit, Ctrl-C): what
// it computed was paid for and is written, with the error.

// runFlags are the flags of hyptx run.
type runFlags struct {
	oneProgram
	out    string
	dumps  []string
	on     string
	debug  debugFlags
	driver *cuda.Driver // of --on cuda
	checks checkFlags   // of --check
}

var _ = register((*app).runCommand)

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run {MANIFEST.json | FILE.ptx}",
		Short: "Execute a program and write its outputs",
		Long: "Execute a program and write the outputs that its manifest names. The outputs of\n" +
			"a bare .ptx file are the arguments that were given as files (name=@file.npy).\n" +
			"A terminal shows the first 20 values of each; a file or a pipe gets all of them.\n" +
			"With --on cuda an NVIDIA GPU of this machine executes it; its driver is all that is\n" +
			"needed (the variable HYPTX_LIBCUDA names the library if it is not found). The output\n" +
			"then tells the GPU and each launch's time, too.\n\n" +
			"To find out why a result is wrong, --trace tells each step of a thread with the values\n" +
			"of its registers, --watch who writes an element of a buffer, --first-nan where the first\n" +
			"NaN comes from. All are told on standard output; the outputs then go only where -o and\n" +
			"--dump say. Results stay the same, and CTAs run one after the other. --first-nan runs a\n" +
			"program up to three times, to go back from what it has found.",
		Example: "  hyptx run net.json -o out.json --dump logits=logits.npy\n" +
			"  hyptx run k.ptx --grid 4 --block 128 --arg x=@x.npy --arg n=500 --dump x=result.npy\n" +
			"  hyptx run net.json --on cuda -o gpu.json\n" +
			"  hyptx run net.json --trace gemm:3,0,0:17 > trace.txt\n" +
			"  hyptx run net.json --watch 'logits[0:10]'\n" +
			"  hyptx run net.json --first-nan",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.openDriver(c); err != nil {
				return err
			}
			return a.runProgram(c.Context(), args[0], &f)
		},
	}
	c.Flags().StringVarP(&f.out, "output", "o", "", "write the outputs as JSON to this `file` instead of standard output")
	c.Flags().StringArrayVar(&f.dumps, "dump", nil, "write an output as .npy: `name=file`")
	choose(c, &f.on, "on", "emulator", "what executes the program: `emulator` or cuda, the NVIDIA GPU of --device", "emulator", "cuda")
	f.debug.add(c)
	f.checks.addGroups(c, "")
	c.Flags().StringVar(&f.checks.suppress, "suppress", "", "of --check: leave out what the lines of this `file` describe")
	f.add(a, c)
	return c
}

func (a *app) runProgram(ctx context.Context, path string, f *runFlags) error {
	opts := a.options(analysis.Full, &programFlags{kernel: f.kernel})
	check, err := f.beginCheck(a, &opts)
	if err != nil {
		return err
	}
	printed := &printedText{w: a.stderr}
	if opts.Print = printed; f.out != "" && !isStdout(f.out) && !f.debug.asked() {
		printed.w = a.stdout
	}
	s, err := a.openOne(path, f.bare, opts)
	if err != nil {
		return err
	}
	dumps, err := parseDumps(s, path, f.dumps)
	if err = cmp.Or(f.check(s, path), err); err != nil {
		return err
	}
	outputs := []*output{{flag: "-o", path: cmp.Or(f.out, "-"), as: asJSON}}
	for _, d := range dumps {
		outputs = append(outputs, &output{flag: "--dump", path: d.file, as: asNPY})
	}
	if err := errors.Join(a.checkOutputs([]string{path}, outputs...), a.checkRead([]*analysis.Session{s})); err != nil {
		return err
	}
	f.debug.into(a, s)
	done, err := f.run(ctx, s)
	if check != nil && ctx.Err() == nil {
		check.show(a, path)
	}
	a.noteAssumed(s)
	a.noteForgiven(s)
	if err = errors.Join(err, printed.err); err != nil {
		err = about(path, err)
		if done == nil || len(done.Outputs) == 0 {
			return err
		}
		return errors.Join(err, a.writeRun(done, s, dumps, f)) // what was complete
	}
	if len(done.Outputs) == 0 {
		a.note("%s", noOutputs(s, path))
	}
	return errors.Join(a.writeRun(done, s, dumps, f), cleanupError(path, done.Cleanup))
}

// printedText hands on what a program prints, and keeps the first error.
type printedText struct {
	w   io.Writer
	err error
}

func (p *printedText) Write(text []byte) (int, error) {
	n, err := p.w.Write(text)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("what the program printed cannot be written: %w", err)
	}
	return n, err
}

// cleanupError is apart from the error of the run, because it takes nothing from
// the outputs: it says that the outputs are there, whatever failed after them.
func cleanupError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: the outputs are whole, but giving back the GPU's memory failed: %s", path, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// about puts a file before an error that does not name it. Errors of launches do,
// those of the driver ("out of memory") do not, and with several commands in a
// script a message without a file is of no use.
func about(path string, err error) error {
	if strings.HasPrefix(err.Error(), path+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// runResult is what a program left, on whatever it ran.
type runResult struct {
	origin
	Meta json.RawMessage `json:"meta,omitempty"`
	// Assumed is what nobody gave of a bare file's launch.
	Assumed []string `json:"assumed_inputs,omitempty"`
	// Device and Launches are of a run on a GPU.
	Device   *cuda.DeviceInfo `json:"device,omitempty"`
	Launches []device.Launch  `json:"launches,omitempty"`
	// Marks stand in the document where the outputs go.
	Marks []string `json:"outputs"`
	// Outputs lie where they were left: a GPU's have been read, atHand.
	Outputs []analysis.OutputReader `json:"-"`
	atHand  []analysis.Output
	// Cleanup is what failed when the GPU's memory was given back, after all that
	// stands here had been read.
	Cleanup error `json:"-"`
}

// writeRun writes the outputs as JSON and those of --dump as .npy. On a terminal,
// if nobody said where to, an output's first values are enough.
func (a *app) writeRun(r *runResult, s *analysis.Session, dumps []dump, f *runFlags) error {
	out := f.out
	brief := out == "" && isTerminal(a.stdout)
	out = cmp.Or(out, "-")
	for _, d := range dumps {
		for _, o := range r.Outputs { // after an error not all are there
			if o.Name != d.output {
				continue
			}
			whole := io.NewSectionReader(o, 0, o.Size()) // with a place of its own: it may be dumped twice
			if err := a.write(d.file, func(w io.Writer) error { return manifest.WriteNPY(w, o.Type, o.Size(), whole) }); err != nil {
				return err
			}
		}
	}
	if f.debug.asked() && f.out == "" {
		return nil // standard output is not theirs
	}
	r.origin, r.Meta, r.Assumed = originOf(s), s.Manifest.Meta, s.Assumed
	if brief {
		short, err := r.brief()
		if err != nil {
			return err
		}
		return a.write(out, func(w io.Writer) error { return writeJSON(w, short, " ") })
	}
	return a.write(out, r.writeTo)
}

// writeTo writes the document with all of the outputs, one piece at a time.
func (r *runResult) writeTo(w io.Writer) error {
	r.Marks = []string{} // [] in JSON, not null
	for range r.Outputs {
		r.Marks = append(r.Marks, rand.Text())
	}
	var b bytes.Buffer
	if err := writeJSON(&b, r, " "); err != nil {
		return err
	}
	rest := b.Bytes()
	for i, o := range r.Outputs {
		before, after, _ := bytes.Cut(rest, strconv.AppendQuote(nil, r.Marks[i]))
		if _, err := w.Write(before); err != nil {
			return err
		}
		if err := o.WriteJSON(w, "  ", " "); err != nil {
			return err
		}
		rest = after
	}
	_, err := w.Write(rest)
	return err
}

// What a terminal shows of a run. A buffer of a network has a million values, and
// who types `hyptx run net.json` wants to see that it ran. So a terminal gets the
// first values of each output, and a line that says where the others are; a pipe or
// a file gets everything, as a program that reads it expects.

// mostValues is how many values of an output a terminal shows.
const mostValues = 20

// briefResult is a run's result with the first values of its outputs only.
type briefResult struct {
	*runResult
	Outputs []briefOutput `json:"outputs"` // hides those of the result
}

type briefOutput struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Elements int    `json:"elements"`
	Values   []any  `json:"values"`
	More     string `json:"more,omitempty"`
}

func (r *runResult) brief() (*briefResult, error) {
	short := &briefResult{runResult: r, Outputs: []briefOutput{}}
	for _, o := range r.Outputs {
		b := briefOutput{Name: o.Name, Type: o.Type.String(), Elements: o.Len(), Values: []any{}}
		first, err := o.First(mostValues)
		if err != nil {
			return nil, err
		}
		for i := range first.Len() {
			b.Values = append(b.Values, first.Value(i))
		}
		if n := o.Len() - mostValues; n > 0 {
			b.More = fmt.Sprintf("... %d more, -o FILE writes all", n)
		}
		short.Outputs = append(short.Outputs, b)
	}
	return short, nil
}

// dump is an output that goes to a file of its own.
type dump struct{ output, file string }

// parseDumps reads --dump, before the work begins.
func parseDumps(s *analysis.Session, path string, flags []string) (dumps []dump, err error) {
	for _, d := range flags {
		name, file, ok := strings.Cut(d, "=")
		if !ok || file == "" {
			return nil, usagef("--dump %s: must be name=file.npy", d)
		}
		if !slices.ContainsFunc(s.Manifest.Outputs, func(o *manifest.Output) bool { return o.Name == name }) {
			return nil, fmt.Errorf("--dump %s: there is no output %q; %s", d, name, outputNames(s, path))
		}
		dumps = append(dumps, dump{name, file})
	}
	return dumps, nil
}

// outputNames says which outputs there are.
func outputNames(s *analysis.Session, path string) string {
	var names []string
	for _, o := range s.Manifest.Outputs {
		names = append(names, o.Name)
	}
	if len(names) == 0 {
		return noOutputs(s, path)
	}
	return path + " has " + strings.Join(names, ", ")
}

// isBare reports whether a session is a kernel of a bare .ptx file: its launch
// stands in no manifest. The library makes a manifest of such a file, which
// differs from a written one in that no path leads to its step.
func isBare(s *analysis.Session) bool {
	steps := s.Manifest.Steps
	return len(steps) == 1 && steps[0].Path == ""
}

// noOutputs says how a program gets outputs.
func noOutputs(s *analysis.Session, path string) string {
	if isBare(s) {
		return path + " has no outputs: they are the arguments that are given as files, --arg name=@file.npy"
	}
	return path + ` names no outputs: add "outputs": ["a buffer's name"]`
}
