package device

import (
	"context"
	"errors"
	"fmt"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/manifest"
)

// Launch is what a launch took on the GPU.
type Launch struct {
	// Index counts the launches from 0, repeats written out. Path is the JSON
	// path.
	Index  int    `json:"launch"`
	Path   string `json:"-"`
	Label  string `json:"label,omitempty"`
	Kernel string `json:"kernel"`
	Count  int64  `json:"count"`
	// TimeMS is the time between two events around all Count executions, with
	// the few microseconds that the driver needs to launch.
	TimeMS float64 `json:"time_ms"`
	// Registers, LocalBytes (both of a thread) and StaticSharedBytes are the
	// kernel's as the driver compiled it.
	Registers         int `json:"registers_per_thread"`
	LocalBytes        int `json:"local_bytes_per_thread"`
	StaticSharedBytes int `json:"static_shared_bytes"`
}

// Result is what a program left.
type Result struct {
	Outputs  []analysis.Output
	Launches []Launch
	// Cleanup is what failed when the GPU's memory was given back.
	Cleanup error
}

// ErrLaunchTime: a launch took longer than the session's LaunchTimeout.
var ErrLaunchTime = errors.New("the limit of a launch")

// Run runs a session's program once. With an error the result holds what was
// complete before it. A failure to give memory back is not one: the result
// tells it.
func Run(ctx context.Context, c *cuda.Context, s *analysis.Session) (result *Result, err error) {
	result = &Result{}
	p, err := New(c, s)
	if err != nil {
		return result, err
	}
	defer func() { result.Cleanup = p.Close() }()
	if result.Launches, err = p.Run(ctx); err != nil {
		return result, err
	}
	result.Outputs, err = p.Outputs()
	return result, err
}

// Run does the program's steps once, waits for each launch and returns their
// times; with an error, those of the launches before it. A launch that takes
// longer than the session's LaunchTimeout, or than ctx, ends the run; the GPU
// goes on with it, and the context is of no more use.
func (p *Program) Run(ctx context.Context) ([]Launch, error) {
	var took []Launch
	err := p.steps(ctx, func(l *manifest.Launch, index int) error {
		one, err := p.timed(ctx, l)
		if err != nil {
			return p.launchError(l, index, err)
		}
		one.Index = index
		took = append(took, one)
		if p.After != nil {
			return p.After(index)
		}
		return nil
	})
	return took, err
}

// Enqueue gives the program's steps to the GPU and does not wait for its
// launches; what goes wrong in one may be the error of a later call.
func (p *Program) Enqueue(ctx context.Context) error {
	return p.steps(ctx, func(l *manifest.Launch, index int) error {
		if err := p.launch(ctx, l); err != nil {
			return p.launchError(l, index, err)
		}
		return nil
	})
}

// steps does what the host does and calls launch for each launch.
func (p *Program) steps(ctx context.Context, launch func(l *manifest.Launch, index int) error) error {
	index := 0
	for step := range p.s.Manifest.All() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if step.Launch == nil {
			if err := p.host(step); err != nil {
				return p.s.Manifest.Errorf(step.Path, "%w", err)
			}
			continue
		}
		if err := launch(step.Launch, index); err != nil {
			return err
		}
		index++
	}
	return nil
}

// timed runs a launch between two events.
func (p *Program) timed(ctx context.Context, l *manifest.Launch) (Launch, error) {
	k := p.kernels[l]
	took := k.took
	ctas := int64(l.Grid[0]) * int64(l.Grid[1]) * int64(l.Grid[2])
	if progress := p.s.Options.Progress; progress != nil {
		progress.Start(k.took.Kernel, ctas)
		defer progress.Done(ctas)
	}
	if d := p.s.Options.LaunchTimeout; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, fmt.Errorf("more than %s needed: %w", d, ErrLaunchTime))
		defer cancel()
	}
	var err error
	took.TimeMS, err = p.timer.Time(
		func() error { return p.launch(ctx, l) },
		func(end *cuda.Event) error { return p.c.Wait(ctx, end) })
	return took, err
}

// launch launches a kernel as often as the manifest says.
func (p *Program) launch(ctx context.Context, l *manifest.Launch) error {
	k := p.kernels[l]
	for range l.Count {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := k.function.Launch(k.launch); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) launchError(l *manifest.Launch, index int, err error) error {
	what := "kernel " + p.kernels[l].took.Kernel
	if l.Label != "" {
		what = l.Label + ", " + what
	}
	return p.s.Manifest.Errorf(l.Path, "launch %d (%s): %w", index, what, err)
}
