package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/device"
	"hyptx/internal/manifest"
)

// runFlags are the flags of hyptx run.
type runFlags struct {
	out, kernel string
	dumps       []string
	bare        bareFlags
	on          machineFlags
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
			"then tells the GPU and each launch's time, too.",
		Example: "  hyptx run net.json -o out.json --dump logits=logits.npy\n" +
			"  hyptx run k.ptx --grid 4 --block 128 --arg x=@x.npy --arg n=500 --dump x=result.npy\n" +
			"  hyptx run net.json --on cuda -o gpu.json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := a.limits.withTimeout(c.Context())
			defer cancel()
			if err := f.on.open(ctx, c); err != nil {
				return err
			}
			return a.runProgram(ctx, args[0], &f)
		},
	}
	c.Flags().StringVarP(&f.out, "output", "o", "", "write the outputs as JSON to this `file` instead of standard output")
	c.Flags().StringArrayVar(&f.dumps, "dump", nil, "write an output as .npy: `name=file`")
	c.Flags().StringVar(&f.kernel, "kernel", "", "the kernel of a bare .ptx file, by `name`; may be left out if there is only one")
	f.on.add(c)
	f.bare.add(c)
	a.limits.add(c)
	return c
}

func (a *app) runProgram(ctx context.Context, path string, f *runFlags) error {
	opts := analysis.DefaultOptions()
	if err := a.limits.apply(&opts); err != nil {
		return err
	}
	opts.Mode, opts.Kernel = analysis.Full, f.kernel
	if !a.quiet {
		opts.Progress = a.progress()
	}
	s, err := a.openOne(path, &f.bare, opts)
	if err != nil {
		return err
	}
	if f.kernel != "" && !isBare(s) {
		return fmt.Errorf("%s: --kernel is for bare .ptx files: of a manifest the whole program runs", path)
	}
	targets, err := dumpTargets(s, path, f.dumps)
	if err != nil {
		return err
	}
	if err := a.checkOutputs([]string{path}, append(slices.Concat(slices.Collect(maps.Values(targets))...), cmp.Or(f.out, "-"))...); err != nil {
		return err
	}
	if err := a.checkRead([]*analysis.Session{s}); err != nil {
		return err
	}
	done, err := f.on.run(ctx, s)
	if err != nil {
		err = about(path, err)
		if done == nil || len(done.Outputs) == 0 {
			return err
		}
		return errors.Join(err, a.writeRun(done, s, targets, f.out)) // what was complete
	}
	if len(done.Outputs) == 0 {
		a.note("%s", noOutputs(s, path))
	}
	return errors.Join(a.writeRun(done, s, targets, f.out), cleanupError(path, done.Cleanup))
}

// cleanupError says that the outputs are there, whatever failed after them.
func cleanupError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: the outputs are whole, but giving back the GPU's memory failed: %s", path, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// about puts a file before an error that does not name it.
func about(path string, err error) error {
	if strings.HasPrefix(err.Error(), path+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// runResult is what a program left, on whatever it ran.
type runResult struct {
	Version string          `json:"hyptx_version"`
	Inputs  string          `json:"inputs_sha256"`
	Network string          `json:"network"`
	Meta    json.RawMessage `json:"meta,omitempty"`
	// Device and Launches are of a run on a GPU.
	Device   *cuda.DeviceInfo  `json:"device,omitempty"`
	Launches []device.Launch   `json:"launches,omitempty"`
	Outputs  []analysis.Output `json:"outputs"`
	// Cleanup is what failed when the GPU's memory was given back, after all that
	// stands here had been read.
	Cleanup error `json:"-"`
}

// writeRun writes the outputs as JSON and those of --dump as .npy. On a terminal,
// if nobody said where to, an output's first values are enough.
func (a *app) writeRun(r *runResult, s *analysis.Session, targets map[string][]string, out string) error {
	brief := out == "" && a.isTerminal()
	out = cmp.Or(out, "-")
	for _, o := range r.Outputs {
		for _, file := range targets[o.Name] {
			if err := a.write(file, func(w io.Writer) error { return manifest.WriteNPY(w, o.Type, o.Data) }); err != nil {
				return err
			}
		}
	}
	r.Version, r.Inputs, r.Network, r.Meta = version(), analysis.HashInputs(s.Inputs), s.Manifest.Name, s.Manifest.Meta
	r.Outputs = append([]analysis.Output{}, r.Outputs...) // [] in JSON, not null
	var all any = r
	if brief {
		all = r.brief()
	}
	return a.write(out, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(all)
	})
}

// dumpTargets reads --dump, before the work begins: the files of each output.
func dumpTargets(s *analysis.Session, path string, dumps []string) (map[string][]string, error) {
	targets := map[string][]string{}
	for _, d := range dumps {
		name, file, ok := strings.Cut(d, "=")
		if !ok || file == "" {
			return nil, usageError{fmt.Errorf("--dump %s: must be name=file.npy", d)}
		}
		if !hasOutput(s.Manifest, name) {
			return nil, fmt.Errorf("--dump %s: there is no output %q; %s", d, name, outputNames(s, path))
		}
		targets[name] = append(targets[name], file)
	}
	return targets, nil
}

func hasOutput(m *manifest.Manifest, name string) bool {
	for _, o := range m.Outputs {
		if o.Name == name {
			return true
		}
	}
	return false
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
// stands in no manifest.
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
