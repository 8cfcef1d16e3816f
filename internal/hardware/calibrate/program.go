package calibrate

import (
	"context"
	"errors"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/device"
	"hyptx/internal/source"
)

// Networks are measured, too: not to tune with, since many kernels run one after
// the other, but as what a tuned model must be right about.

// program is a network's program on the GPU.
type program struct {
	c     *cuda.Context
	p     *device.Program
	timer *cuda.Timer
}

// OpenProgram implements [Machine].
func (g *GPU) OpenProgram(manifest string) (Job, error) {
	src, err := source.Read(manifest, nil)
	if err != nil {
		return nil, err
	}
	s, err := analysis.OpenManifest(src, analysis.DefaultOptions())
	if err != nil {
		return nil, err
	}
	j := &program{c: g.context}
	if j.p, err = device.New(g.context, s); err != nil {
		return nil, err
	}
	if j.timer, err = g.context.Timer(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Run implements [Job]: a turn is all launches once, as the buffers are then.
func (j *program) Run(ctx context.Context, turns, times int) (float64, error) {
	return j.timer.Time(func() error {
		for range turns * times {
			if err := j.p.Enqueue(ctx); err != nil {
				return err
			}
		}
		return nil
	}, synchronize(j.c))
}

// Registers implements [Job].
func (j *program) Registers() int { return 0 }

// UsedSMs implements [Job].
func (j *program) UsedSMs() (int, error) { return 0, nil }

// Close implements [Job].
func (j *program) Close() error {
	return errors.Join(j.p.Close(), j.timer.Destroy())
}
