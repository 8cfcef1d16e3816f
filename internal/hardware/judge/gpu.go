package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/device"
	"hyptx/internal/hardware/golden"
	"hyptx/internal/hardware/sass"
)

// launchTime bounds a launch on the GPU: a loop that never ends there may hang
// the driver.
const launchTime = 5 * time.Second

// OpenGPU makes a GPU ready. It belongs to the goroutine that opened it.
func OpenGPU(ordinal int) (*Opened, error) {
	driver, err := cuda.Open("")
	if err != nil {
		return nil, err
	}
	c, err := driver.Context(ordinal)
	if err != nil {
		return nil, err
	}
	d := c.Device
	compiler, err := compilerOf(c, driver.Version())
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &Opened{
		Device: golden.Device{Name: d.Name, Major: d.Major, Minor: d.Minor, SMs: d.SMs, ClockKHz: d.ClockKHz, MemoryKHz: d.MemoryClockKHz,
			MemoryBits: d.MemoryBusBits, L2Bytes: d.L2Bytes, MemoryBytes: d.MemoryBytes, DriverVersion: driver.Version()},
		Run: func(ctx context.Context, s golden.Sample, session *analysis.Session) (golden.Result, error) {
			return runOn(ctx, c, compiler, session, s.Feature == nil)
		},
		Close: func() { c.Close() }, // the process ends after it
	}, nil
}

// compilerOf asks the driver which PTX it compiles. Where its refusal does not
// tell, the version that came with its CUDA is taken.
func compilerOf(c *cuda.Context, version int) (sass.Compiler, error) {
	target, err := sass.TargetOf(c.Device.Major, c.Device.Minor)
	if err != nil {
		return sass.Compiler{}, err
	}
	refused := (*cuda.CompileError)(nil)
	_, err = c.Load([]byte(sass.VersionProbe))
	if errors.As(err, &refused) {
		if ptx, ok := sass.ReadVersion(refused.Log); ok {
			return sass.Compiler{Target: target, PTX: ptx}, nil
		}
	}
	ptx := sass.DriverPTX(version)
	if ptx == 0 {
		return sass.Compiler{}, fmt.Errorf("nothing is known of the PTX that CUDA %d.%d compiles; its answer to PTX 99.9: %v", version/1000, version%1000/10, err)
	}
	return sass.Compiler{Target: target, PTX: ptx}, nil
}

// Retargeting. Feature programs name the newest PTX version and target so that
// any instruction may be written. A driver takes neither, so both are changed to
// its own just before it compiles; what is really not for this GPU is then
// refused by its compiler, and the golden says so in the compiler's words.

// hiddenEntry is a kernel that is visible in its module only: the manual lets
// the driver launch it, but not every driver finds it by name.
var hiddenEntry = regexp.MustCompile(`(\.(?:visible|weak|extern)\s+)?\.entry\b`)

// showEntries makes all kernels visible.
func showEntries(ptx []byte) []byte {
	return hiddenEntry.ReplaceAllFunc(ptx, func(entry []byte) []byte {
		if bytes.HasPrefix(entry, []byte(".entry")) {
			return []byte(".visible .entry")
		}
		return entry
	})
}

// runOn runs a program, its PTX retargeted where the driver would not take it;
// timed: once more for the times, since the first run also loads the code.
func runOn(ctx context.Context, c *cuda.Context, compiler sass.Compiler, s *analysis.Session, timed bool) (out golden.Result, err error) {
	c.Rewrite = func(ptx []byte) []byte {
		text, what := sass.Retarget(ptx, compiler)
		if what != "" {
			out.Target = what
		}
		return showEntries(text)
	}
	s.Options.LaunchTimeout = launchTime
	p, err := device.New(c, s)
	if err != nil && notForThisGPU(err) {
		return out, golden.Refusal{Err: err}
	}
	if err != nil {
		return out, err
	}
	defer p.Close() // what was read by then is whole, whether it fails or not
	if _, err = p.Run(ctx); err != nil {
		return out, err
	}
	if out.Outputs, err = p.Outputs(); err != nil || !timed {
		return out, err
	}
	if err = p.Fill(); err != nil {
		return out, err
	}
	launches, err := p.Run(ctx)
	for _, l := range launches {
		out.TimesMs = append(out.TimesMs, l.TimeMS)
	}
	return out, err
}

// refusedPTX are the results of a driver that does not compile a text:
// CUDA_ERROR_NO_BINARY_FOR_GPU, INVALID_PTX, UNSUPPORTED_PTX_VERSION.
var refusedPTX = []int{209, 218, 222}

// notForThisGPU tells programs that a GPU does not have to run from those that
// went wrong: the driver refuses the PTX, or a launch asks for what the GPU
// lacks, which package device finds without asking the driver.
func notForThisGPU(err error) bool {
	e := (*cuda.Error)(nil)
	return !errors.As(err, &e) || e.Call == "cuModuleLoadDataEx" && slices.Contains(refusedPTX, e.Code)
}
