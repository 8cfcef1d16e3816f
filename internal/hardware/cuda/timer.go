package cuda

import "errors"

// Timing. The host's clock would also measure what the driver does before a
// launch begins and until the host hears of its end. So the GPU itself takes the
// time: an event is put into the stream before the work and one behind it, and
// each is stamped when the GPU reaches it. The time between them is that of the
// work, with the gaps that the driver leaves between launches.

// Timer measures work of the GPU by two events.
type Timer struct{ start, end *Event }

// Timer makes a timer.
func (c *Context) Timer() (*Timer, error) {
	start, err := c.Event()
	if err != nil {
		return nil, err
	}
	end, err := c.Event()
	if err != nil {
		return nil, errors.Join(err, start.Destroy())
	}
	return &Timer{start, end}, nil
}

// Time returns how many milliseconds the GPU needs for what work launches; wait
// returns when the GPU has reached the event behind it.
func (t *Timer) Time(work func() error, wait func(end *Event) error) (ms float64, err error) {
	for _, next := range []func() error{t.start.Record, work, t.end.Record, func() error { return wait(t.end) }} {
		if err := next(); err != nil {
			return 0, err
		}
	}
	return Elapsed(t.start, t.end)
}

// Destroy frees the events; a timer that was never made has none.
func (t *Timer) Destroy() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.start.Destroy(), t.end.Destroy())
}
