package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hyptx/internal/hardware/golden"
)

// Config says what is judged.
type Config struct {
	// Out is the folder in which the GPU's own is made.
	Out string
	// Samples is the folder ptx-samples; Networks are manifests besides.
	Samples  string
	Networks []string
	// Budget is the time for everything.
	Budget time.Duration
	// Only are the parts to run; all if there are none.
	Only []string
	// Self is the command line that starts hyptx, Device the GPU's ordinal.
	Self   []string
	Device int
	// Version and Date go into the files.
	Version string
	Date    time.Time
	// Log hears how it goes.
	Log io.Writer
}

// part is one step of the judgement.
type part struct {
	name string
	// end is when its time is over, in hundredths of the budget: what a part
	// does not need is left to the later ones.
	end int
	// needsGPU: it makes no sense without.
	needsGPU bool
	run      func(*judge, context.Context) (note string, err error)
}

// The budget. Each part ends at a share of the whole time, not after a time of
// its own: what one leaves is the next one's, and a part that takes too long
// costs the ones behind it nothing, because it is cut off at its share.

// parts in their order: what is needed most first. 42 of 100 for power are 20
// points of 10 s and the networks' loops in a budget of 9 minutes.
var parts = []part{
	{"outputs", 25, true, (*judge).outputs},
	{"sass", 33, false, (*judge).compile},
	{"calibration", 45, true, (*judge).calibrate},
	{"power", 87, true, (*judge).power},
	{"counters", 99, true, (*judge).counters},
}

// Parts names the parts in their order.
func Parts() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// judge is a judgement under way.
type judge struct {
	Config
	samples []golden.Sample
	dir     string // of the GPU
	temp    string
	status  status
	device  golden.Device
	// worker is the process that has the GPU; nil if none is up.
	worker *worker
	// wrote are the parts whose file is this run's. kept says of others why the
	// earlier run's stays.
	wrote map[string]bool
	kept  map[string]string
}

// errOver ends a part whose time is over.
var errOver = errors.New("its time is over")

// withEnd ends a part at its time. Tests end it when there is something to end.
var withEnd = context.WithDeadlineCause

// errNothing is a part that cannot run here, with its reason.
type errNothing struct{ error }

// Run judges. The parts that can run do; what is left undone stands in
// judge.json and in the log. The error is for what kept everything from
// running, and for a part that failed.
func Run(ctx context.Context, c Config) error {
	begin := time.Now()
	for _, name := range c.Only {
		if !slices.Contains(Parts(), name) {
			return fmt.Errorf("there is no part %q; the parts are %s", name, strings.Join(Parts(), ", "))
		}
	}
	j := &judge{Config: c}
	var err error
	if j.samples, err = golden.Samples(c.Samples, c.Networks); err != nil {
		return err
	}
	if j.temp, err = os.MkdirTemp("", "hyptx-judge-"); err != nil {
		return err
	}
	defer os.RemoveAll(j.temp)
	defer j.stopWorker()
	if err := j.findGPU(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(j.dir, 0o755); err != nil {
		return err
	}
	if err := j.begin(); err != nil {
		return err
	}
	return j.run(ctx, begin)
}

// withoutGPU is the folder of what was made where there is none.
const withoutGPU = "no-gpu"

// findGPU starts a worker, within the budget, and names the GPU's folder.
func (j *judge) findGPU(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, j.Budget, fmt.Errorf("no answer within the budget of %s", j.Budget))
	defer cancel()
	err := j.meet(ctx)
	if err == nil {
		j.dir = filepath.Join(j.Out, j.device.Folder())
		return nil
	}
	if j.needsGPU() || ctx.Err() != nil {
		return err
	}
	j.dir = filepath.Join(j.Out, withoutGPU)
	return nil
}

// needsGPU reports whether a part that runs does.
func (j *judge) needsGPU() bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.needsGPU && j.wants(p) })
}

func (j *judge) wants(p part) bool { return len(j.Only) == 0 || slices.Contains(j.Only, p.name) }

// run runs the parts, each to its end or that of its time.
func (j *judge) run(ctx context.Context, begin time.Time) error {
	var failed []error
	for _, p := range parts {
		if !j.wants(p) {
			continue
		}
		if ctx.Err() != nil {
			j.report(p.name, stateSkipped, 0, context.Cause(ctx).Error())
			continue
		}
		end := begin.Add(j.Budget * time.Duration(p.end) / 100)
		if len(j.Only) > 0 {
			end = begin.Add(j.Budget)
		}
		limited, cancel := withEnd(ctx, end, errOver)
		start := time.Now()
		note, err := p.run(j, limited)
		cancel()
		if nothing := (errNothing{}); errors.As(err, &nothing) && len(j.Only) > 0 {
			failed = append(failed, fmt.Errorf("%s was asked for and cannot run here: %w", p.name, err))
		}
		if err := j.settle(p.name, time.Since(start), note, err); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(failed...)
}

// settle writes down what came of a part and returns its error if it failed.
func (j *judge) settle(name string, took time.Duration, note string, err error) error {
	nothing := errNothing{}
	switch {
	case err == nil:
		j.report(name, stateDone, took, note)
	case errors.As(err, &nothing):
		j.report(name, stateSkipped, took, err.Error())
	case errors.Is(err, errOver):
		j.report(name, statePartial, took, join(note, errOver.Error()))
	default:
		j.report(name, stateFailed, took, join(note, err.Error()))
		return err
	}
	return nil
}

func join(note, more string) string {
	if note == "" {
		return more
	}
	return note + "; " + more
}

// say prints a line of progress.
func (j *judge) say(format string, args ...any) {
	fmt.Fprintf(j.Log, "judge: "+format+"\n", args...)
}

// file is the path of one of the GPU's files.
func (j *judge) file(name string) string { return filepath.Join(j.dir, name) }
