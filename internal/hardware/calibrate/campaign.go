package calibrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hyptx/internal/hardware/cuda"
)

// A campaign may take a night, on a board that others want back. So it can end after
// any point and go on another day, and one point that fails is no reason to lose the
// others: a benchmark that the GPU cannot run, or a clock that this user may not lock,
// is noted, and the next point is measured. Only what would spoil all later points
// ends it: a context that is lost, or a board without power readings.

// ErrBudget ends a campaign whose time is over; what was measured stands.
var ErrBudget = errors.New("the time budget is used up")

// Campaign measures the points that a log lacks.
type Campaign struct {
	Session *Session
	Log     *Log
	Points  []Point
	// Report, if not nil, hears of each point: its number from 0, and the
	// measurement or why there is none.
	Report func(i int, p Point, m *Measurement, err error)
}

// Run measures point after point until ctx ends, and returns why it ended before
// the last one, if it did. What one benchmark cannot do is in failed and does not
// stop the others; a lost context, and sensors without power, do.
func (c *Campaign) Run(ctx context.Context) (failed []error, ended error) {
	afterPower, noClocks := false, false
	for i, p := range c.Points {
		if c.Log.Has(p) || noClocks && p.ClockMHz != 0 {
			continue
		}
		if p.Kind == Power && afterPower {
			if err := c.Session.Sleep(ctx, seconds(c.Session.Protocol.Pause)); err != nil {
				return failed, err
			}
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < seconds(p.Seconds) {
			return failed, ErrBudget
		}
		m, err := c.Session.Measure(ctx, p)
		if err == nil {
			err = c.Log.Add(m)
		}
		if ctx.Err() != nil && err != nil {
			return failed, context.Cause(ctx)
		}
		if c.Report != nil {
			c.Report(i, p, m, err)
		}
		if afterPower = p.Kind == Power; err == nil {
			continue
		}
		err = fmt.Errorf("%s: %w", p, err)
		if sticky := (*cuda.Error)(nil); errors.Is(err, ErrNoPower) || errors.As(err, &sticky) && sticky.Sticky() {
			return failed, err
		}
		noClocks = noClocks || errors.Is(err, ErrClock)
		failed = append(failed, err)
	}
	return failed, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Left is how many points the log lacks.
func (c *Campaign) Left() (n int) {
	for _, p := range c.Points {
		if !c.Log.Has(p) {
			n++
		}
	}
	return n
}

// Seconds estimates how long the points that the log lacks take.
func (c *Campaign) Seconds() (s float64) {
	pr := c.Session.Protocol
	for _, p := range c.Points {
		switch {
		case c.Log.Has(p):
		case p.Kind == Rate:
			s += 3 * float64(pr.RateRuns) * pr.RateMS / 1e3
		default:
			s += p.Seconds + pr.Pause
		}
	}
	return s
}

// Wait sleeps as [Session.Sleep] does, on the machine's clock.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
