package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/hardware/compare"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/vary"
)

// compareFlags are the flags of hyptx compare.
type compareFlags struct {
	kernel, against, json string
	ordinal               int
	everyLaunch           bool
	bare                  bareFlags
}

var _ = register((*app).compareCommand)

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare {MANIFEST.json | FILE.ptx}",
		Short: "Hold the emulator against a GPU, bit for bit or within the documented bounds",
		Long: "Execute a program in the emulator and on an NVIDIA GPU of this machine and compare\n" +
			"the outputs that its manifest names. They have to be equal in every bit, or as far\n" +
			"apart as the PTX manual allows: results of .approx instructions, sums whose order is\n" +
			"not defined, mul and add that become one fma. With --against the outputs are those\n" +
			"that `hyptx run --on cuda -o FILE` or --dump NAME=DIR/NAME.npy saved, maybe on\n" +
			"another machine. The exit code is 0 where all is equal or within its bounds.",
		Example: "  hyptx compare net.json\n" +
			"  hyptx run net.json --on cuda -o gpu.json     # on a machine with a GPU\n" +
			"  hyptx compare net.json --against gpu.json    # on any other\n" +
			"  hyptx compare k.ptx --grid 4 --block 128 --arg x=@x.npy --json report.json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := a.limits.withTimeout(c.Context())
			defer cancel()
			if f.ordinal < 0 {
				return usageError{fmt.Errorf("--device %d: must not be negative", f.ordinal)}
			}
			if f.against != "" && c.Flags().Changed("device") {
				return usageError{errors.New("--device is for a comparison with a GPU, --against for one with saved outputs")}
			}
			if f.against != "" && f.everyLaunch {
				return usageError{errors.New("--every-launch needs a GPU: --against has no more than the outputs at the end")}
			}
			return a.compareProgram(ctx, args[0], &f)
		},
	}
	c.Flags().StringVar(&f.against, "against", "", "compare with saved outputs instead of a GPU's, at this `path`: the JSON of hyptx run, or a folder with NAME.npy of each output")
	c.Flags().StringVar(&f.json, "json", "", "write all that was found to this `file`")
	c.Flags().StringVar(&f.kernel, "kernel", "", "the kernel of a bare .ptx file, by `name`; may be left out if there is only one")
	c.Flags().IntVar(&f.ordinal, "device", 0, "which GPU, a `number` from 0")
	c.Flags().BoolVar(&f.everyLaunch, "every-launch", false, "compare all buffers after every launch, and stop at the first that differs; where bits differ, a dozen emulators run in step")
	f.bare.add(c)
	a.limits.add(c)
	return c
}

// compareResult is the document of --json.
type compareResult struct {
	Version string `json:"hyptx_version"`
	Inputs  string `json:"inputs_sha256"`
	Network string `json:"network"`
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

func (a *app) compareProgram(ctx context.Context, path string, f *compareFlags) error {
	open, err := a.reopener(path, f)
	if err != nil {
		return err
	}
	s, err := open(nil)
	if err != nil {
		return err
	}
	if f.kernel != "" && !isBare(s) {
		return fmt.Errorf("%s: --kernel is for bare .ptx files: of a manifest the whole program runs", path)
	}
	if len(s.Manifest.Outputs) == 0 && !f.everyLaunch {
		return errors.New(noOutputs(s, path))
	}
	if err := a.checkOutputs([]string{path, f.against}, f.json); err != nil {
		return err
	}
	if err := a.checkRead([]*analysis.Session{s}); err != nil {
		return err
	}
	r := compareResult{Version: version(), Inputs: analysis.HashInputs(s.Inputs), Network: s.Manifest.Name, Against: "cuda"}
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

// inProgram says which program an error is of.
func inProgram(s *analysis.Session, err error) error {
	return fmt.Errorf("%s: %w", s.Manifest.Name, err)
}

// reopener reads the program once and opens it as often as it is asked.
func (a *app) reopener(path string, f *compareFlags) (compare.Opener, error) {
	opts := analysis.DefaultOptions()
	if err := a.limits.apply(&opts); err != nil {
		return nil, err
	}
	opts.Mode, opts.Kernel = analysis.Full, f.kernel
	if !a.quiet {
		opts.Progress = a.progress()
	}
	src, err := analysis.ReadSource(path, a.stdin)
	if err != nil {
		return nil, err
	}
	return func(v *vary.Variation) (*analysis.Session, error) {
		opts.Variation = v
		sessions, err := openSource(src, &f.bare, opts)
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
	return done.Outputs, gpu, err
}

// writeComparison writes the report and makes the exit code of it.
func (a *app) writeComparison(path string, f *compareFlags, r *compareResult) error {
	err := a.write("-", func(w io.Writer) error {
		printComparison(w, r)
		return nil
	})
	if err != nil {
		return err
	}
	if f.json != "" {
		err := a.write(f.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(r)
		})
		if err != nil {
			return err
		}
	}
	if !r.Agrees() {
		err = fmt.Errorf("%s: %s", path, r.failure())
	}
	return errors.Join(err, r.cleanup)
}
