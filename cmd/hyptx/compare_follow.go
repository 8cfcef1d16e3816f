package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/hardware/compare"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/device"
)

// Following a GPU. With --every-launch the emulator, and its variations where
// bits differ, run in step with the GPU: after each launch the GPU stops and all
// buffers are compared. So the first launch that differs is found, not what
// became of its error at the end of the program.

// errDifference ends a GPU's run at the first launch that differs.
var errDifference = errors.New("a launch differs")

// comparedLaunch is what all buffers were after one launch.
type comparedLaunch struct {
	Launch  int             `json:"launch"`
	Label   string          `json:"label,omitempty"`
	Kernel  string          `json:"kernel"`
	Verdict compare.Verdict `json:"verdict"`
	// Buffers are those that are not equal.
	Buffers []compare.Buffer `json:"buffers"`
}

// followGPU compares all buffers after every launch, to the first that
// differs. The report is the last launch's.
//
// The GPU leads: after each of its launches p.After gets control, lets the emulator
// make the same launch and compares. What ends the run from in there comes out of
// p.Run as its error, so there are three ends to tell apart: a difference, which is a
// result and no error; an error of the emulator, told as it is; and one of the GPU,
// told as the GPU's.
func followGPU(ctx context.Context, open compare.Opener, ordinal int, r *compareResult) error {
	f, err := compare.NewFollower(open)
	if err != nil {
		return err
	}
	s, err := open(nil)
	if err != nil {
		return err
	}
	compare.Watch(s)
	if len(s.Manifest.Outputs) == 0 {
		return fmt.Errorf("%s: there are no buffers to compare", s.Manifest.Name)
	}
	driver, err := openDriver(ctx)
	if err != nil {
		return err
	}
	c, err := driver.Context(ordinal)
	if err != nil {
		return onGPU(inProgram(s, err))
	}
	defer func() { r.noteCleanup(s, c.Close()) }()
	if r.Device, err = json.Marshal(&c.Device); err != nil {
		return err
	}
	p, err := device.New(c, s)
	if err != nil {
		return onGPU(err)
	}
	defer func() { r.noteCleanup(s, p.Close()) }()
	launches := launchesOf(s)
	// What ended the emulator is kept apart: it comes out of p.Run, too, and would be
	// told as the GPU's.
	var emulated error
	p.After = func(index int) error {
		theirs, err := p.Outputs()
		if err != nil {
			return inProgram(s, err)
		}
		if r.Report, err = f.After(ctx, theirs); err != nil {
			emulated = inProgram(s, err)
			return emulated
		}
		return r.addLaunch(launches[index])
	}
	switch _, err = p.Run(ctx); {
	case errors.Is(err, errDifference):
		return nil
	case emulated != nil:
		return emulated
	case err != nil:
		return onGPU(launchHint(err))
	case r.Report == nil:
		return fmt.Errorf("%s: there are no launches", s.Manifest.Name)
	}
	return nil
}

// addLaunch adds a launch with what the report says of it, which is an error if
// the buffers differ.
func (r *compareResult) addLaunch(l comparedLaunch) error {
	l.Verdict = r.Report.Verdict
	l.Buffers = slices.DeleteFunc(append([]compare.Buffer{}, r.Report.Outputs...),
		func(b compare.Buffer) bool { return b.Verdict == compare.Equal })
	r.Launches = append(r.Launches, l)
	if !r.Agrees() {
		return errDifference
	}
	return nil
}

// noteCleanup keeps what failed when the GPU's memory was given back: it takes
// nothing from what had been compared.
func (r *compareResult) noteCleanup(s *analysis.Session, err error) {
	if err != nil {
		r.cleanup = errors.Join(r.cleanup, onGPU(inProgram(s, err)))
	}
}

// launchesOf lists a program's launches, repeats written out.
func launchesOf(s *analysis.Session) []comparedLaunch {
	var list []comparedLaunch
	for step := range s.Manifest.All() {
		if l := step.Launch; l != nil {
			list = append(list, comparedLaunch{Launch: len(list), Label: l.Label, Kernel: s.Kernel(l).Name})
		}
	}
	return list
}

// openDriver loads the driver. Without one the comparison can still be made with
// what another machine saved, which the error says.
func openDriver(ctx context.Context) (*cuda.Driver, error) {
	driver, err := cuda.Guard(ctx, func() (*cuda.Driver, error) { return cuda.Open("") })
	if err != nil {
		return nil, fmt.Errorf("%w; --against compares with outputs that another machine saved", err)
	}
	return driver, nil
}

// onGPU tells whose error it is: both sides execute the same program, and "out of
// memory" may be either's.
func onGPU(err error) error { return fmt.Errorf("on the GPU: %w", err) }

// printLaunches prints a line for each launch whose buffers are not all equal,
// with the buffers of the last one if it differs.
func (a *app) printLaunches(r *compareResult) {
	equal := 0
	for _, l := range r.Launches {
		name := l.Kernel
		if l.Label != "" {
			name = l.Label + ", " + name
		}
		switch l.Verdict {
		case compare.Equal:
			equal++
		case compare.Within:
			a.sayFolded("  launch %d (%s): within its bounds: %s", l.Launch, name, bufferNames(l.Buffers))
		default:
			a.sayFolded("  launch %d (%s) is the first that differs; the buffers that are not equal after it:", l.Launch, name)
			a.printBuffers(l.Buffers, "    ")
		}
	}
	a.sayFolded("  all buffers are equal after %d of the %d launches compared", equal, len(r.Launches))
}

// bufferNames names buffers with how far each is off: "y, at most 2 ulp, 1.9e-06
// absolute; z".
func bufferNames(list []compare.Buffer) string {
	var names []string
	for i := range list {
		names = append(names, list[i].Name+distance(&list[i]))
	}
	return strings.Join(names, "; ")
}
