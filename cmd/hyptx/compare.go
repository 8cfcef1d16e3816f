package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/hardware/compare"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/manifest"
	"hyptx/internal/vary"
)

// hyptx compare: the emulator against a GPU. It is how hyptx is held against the
// hardware itself, so it must not be lenient: what differs is allowed only where
// the PTX manual leaves a result open (an .approx instruction's last bits, the
// order of atomic sums), and only as far as it says. Package compare finds that out
// by running the program again with each such choice made another way (variations);
// an element that no choice moves has to be equal in every bit.
//
// The GPU may be elsewhere: --against takes what `hyptx run --on cuda` saved on a
// machine that has one. A saved run names the hash of its inputs, so that outputs
// of another version of the program are refused instead of being found different.

// compareFlags are the flags of hyptx compare.
type compareFlags struct {
	oneProgram
	counterFlags
	against, json string
	everyLaunch   bool
}

var _ = register((*app).compareCommand)

func (a *app) compareCommand() *cobra.Command {
	f := compareFlags{counterFlags: counterFlags{csv: &output{flag: "--csv", as: asCSV}}}
	c := &cobra.Command{
		Use:   "compare {MANIFEST.json | FILE.ptx}",
		Short: "Hold the emulator against a GPU, bit for bit or within the documented bounds",
		Long: "Execute a program in the emulator and on an NVIDIA GPU of this machine and compare\n" +
			"the outputs that its manifest names. They have to be equal in every bit, or as far\n" +
			"apart as the PTX manual allows: results of .approx instructions, sums whose order is\n" +
			"not defined, mul and add that become one fma. With --against the outputs are those\n" +
			"that `hyptx run --on cuda -o FILE` or --dump NAME=DIR/NAME.npy saved, maybe on\n" +
			"another machine. The exit code is 0 where all is equal or within its bounds.\n" +
			"With --counters nothing is held against a GPU but what a profiler counted there,\n" +
			"metric by metric, with what hyptx's counts of it rest on; there is no verdict.",
		Example: "  hyptx compare net.json\n" +
			"  hyptx run net.json --on cuda -o gpu.json     # on a machine with a GPU\n" +
			"  hyptx compare net.json --against gpu.json    # on any other\n" +
			"  hyptx compare net.json --counters ncu.csv --gpu a100\n" +
			"  hyptx compare k.ptx --grid 4 --block 128 --arg x=@x.npy --json report.json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			saved := f.against != ""
			if err := refuse(
				refusal{saved && c.Flags().Changed("device"), "--device is for a comparison with a GPU, --against for one with saved outputs"},
				refusal{f.counters != "" && (saved || f.everyLaunch || f.json != "" || c.Flags().Changed("device")), "--counters compares what a profiler counted, not outputs: --against, --every-launch, --json and --device have no effect"},
				refusal{f.counters == "" && (f.gpu != "" || f.csv.asked()), "--gpu and --csv are for --counters"},
				refusal{saved && f.everyLaunch, "--every-launch needs a GPU: --against has no more than the outputs at the end"}); err != nil {
				return err
			}
			if f.counters != "" {
				return a.compareCounters(c.Context(), args[0], &f)
			}
			return a.compareProgram(c.Context(), args[0], &f)
		},
	}
	c.Flags().StringVar(&f.against, "against", "", "compare with saved outputs instead of a GPU's, at this `path`: the JSON of hyptx run, or a folder with NAME.npy of each output")
	c.Flags().StringVar(&f.json, "json", "", "write all that was found to this `file`")
	c.Flags().BoolVar(&f.everyLaunch, "every-launch", false, "compare all buffers after every launch, and stop at the first that differs; where bits differ, a dozen emulators run in step")
	fl := c.Flags()
	fl.StringVar(&f.counters, "counters", "", "put what a profiler counted beside our counts: a CSV `file` of ncu (--csv, with --page raw or without) or nvprof")
	fl.StringVar(&f.gpu, "gpu", "", "with --counters the `GPU` whose machine code and caches ours are")
	complete(c, "gpu", gpu.Names)
	fl.StringVar(&f.csv.path, "csv", "", "with --counters write a row a metric to this `file`: *.csv (- for standard output)")
	f.add(a, c)
	return c
}

// compareResult is the document of --json.
type compareResult struct {
	origin
	// Against is what the emulator was compared with: a path or "cuda". Device
	// is the GPU, if it is known.
	Against string          `json:"against"`
	Device  json.RawMessage `json:"device,omitempty"`
	// Launches are those of --every-launch; the report is then the last one's.
	Launches []comparedLaunch `json:"launches,omitempty"`
	*compare.Report
	// cleanup is what failed on the GPU when all had been compared.
	cleanup error
}

// compareProgram opens the program once to see that there is something to compare,
// and hands on how to open it again: the emulator and each variation of it run on
// buffers of their own.
func (a *app) compareProgram(ctx context.Context, path string, f *compareFlags) error {
	open, err := a.reopener(path, f)
	if err != nil {
		return err
	}
	s, err := open(nil)
	if err != nil {
		return err
	}
	if err := f.check(s, path); err != nil {
		return err
	}
	if len(s.Manifest.Outputs) == 0 && !f.everyLaunch {
		return errors.New(noOutputs(s, path))
	}
	if err := cmp.Or(a.checkOutputs([]string{path, f.against}, &output{flag: "--json", path: f.json, as: asJSON}),
		a.checkRead([]*analysis.Session{s})); err != nil {
		return err
	}
	r := compareResult{origin: originOf(s), Against: "cuda"}
	if f.everyLaunch {
		_, err = cuda.Guard(ctx, func() (any, error) { return nil, followGPU(ctx, open, f.ordinal, &r) })
	} else {
		err = compareOutputs(ctx, open, s, f, &r)
	}
	if err != nil {
		return err
	}
	return a.writeComparison(path, f, &r)
}

// compareOutputs compares what the program leaves at its end.
func compareOutputs(ctx context.Context, open compare.Opener, s *analysis.Session, f *compareFlags, r *compareResult) (err error) {
	var theirs []analysis.Output
	if f.against != "" {
		r.Against = f.against
		theirs, r.Device, err = savedOutputs(s, f.against)
	} else {
		theirs, r.Device, err = outputsOfGPU(ctx, s, f.ordinal, r)
	}
	if err != nil {
		return err
	}
	if r.Report, err = compare.Program(ctx, open, theirs); err != nil {
		return inProgram(s, err)
	}
	return nil
}

// inProgram says which program an error is of, by the name in its manifest: the
// path may be "-".
func inProgram(s *analysis.Session, err error) error {
	return fmt.Errorf("%s: %w", s.Manifest.Name, err)
}

// reopener reads the program once and opens it as often as it is asked: each
// variation is a run of its own on fresh buffers. The text is kept, because
// standard input cannot be read twice and a file may change in between.
func (a *app) reopener(path string, f *compareFlags) (compare.Opener, error) {
	opts := a.options(analysis.Full, &programFlags{kernel: f.kernel})
	src, err := a.read(path)
	if err != nil {
		return nil, err
	}
	return func(v *vary.Variation) (*analysis.Session, error) {
		opts.Variation = v
		sessions, err := a.openSource(src, f.bare, opts)
		return onlyOne(path, sessions, err)
	}, nil
}

// outputsOfGPU executes the program on a GPU of this machine.
func outputsOfGPU(ctx context.Context, s *analysis.Session, ordinal int, r *compareResult) ([]analysis.Output, json.RawMessage, error) {
	driver, err := openDriver(ctx)
	if err != nil {
		return nil, nil, err
	}
	done, err := runCUDA(ctx, driver, ordinal, s)
	if err != nil {
		return nil, nil, onGPU(err)
	}
	r.noteCleanup(s, done.Cleanup)
	gpu, err := json.Marshal(done.Device)
	return done.atHand, gpu, err
}

// writeComparison writes the report and makes the exit code of it.
func (a *app) writeComparison(path string, f *compareFlags, r *compareResult) error {
	a.printComparison(r)
	if f.json != "" {
		if err := a.write(f.json, func(w io.Writer) error { return writeJSON(w, r, " ") }); err != nil {
			return err
		}
	}
	if !r.Agrees() {
		return errors.Join(fmt.Errorf("%s: %s", path, r.failure()), r.cleanup)
	}
	return r.cleanup
}

// Saved outputs. The JSON of `hyptx run` is the better form: it has the hash of all
// inputs and the GPU's name. A folder of .npy files is what other tools can write,
// too; then nothing says that the inputs were the same, only types and sizes are
// held against the manifest's outputs.

// savedOutputs reads what --against names: the JSON of hyptx run, or a folder
// with a .npy file for each output.
func savedOutputs(s *analysis.Session, path string) (outs []analysis.Output, gpu json.RawMessage, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("--against %s: no such file or folder", path)
	}
	if !st.IsDir() {
		return savedRun(s, path)
	}
	mine, err := s.Outputs()
	if err != nil {
		return nil, nil, err
	}
	for _, o := range mine {
		data, err := manifest.ReadNPY(filepath.Join(path, o.Name+".npy"), o.Type, int64(len(o.Data)))
		if err != nil {
			return nil, nil, fmt.Errorf("output %q: %w", o.Name, err)
		}
		outs = append(outs, analysis.Output{Name: o.Name, Type: o.Type, Data: data})
	}
	return outs, nil, nil
}

// savedRun reads the JSON of hyptx run.
func savedRun(s *analysis.Session, path string) ([]analysis.Output, json.RawMessage, error) {
	mine, err := s.Outputs()
	if err != nil {
		return nil, nil, err
	}
	bytes := int64(0)
	for _, o := range mine {
		bytes += int64(len(o.Data))
	}
	saved, err := analysis.ReadSavedRun(path, bytes)
	if err != nil {
		return nil, nil, err
	}
	if mine := analysis.HashInputs(s.Inputs); saved.Inputs != mine {
		return nil, nil, fmt.Errorf("%s is a run of other inputs (%s, inputs_sha256 %.12s..., not %.12s...): manifest, PTX, data and flags must be the same; run it again", path, saved.Network, saved.Inputs, mine)
	}
	return saved.Outputs, saved.Device, nil
}
