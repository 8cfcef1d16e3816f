package cuda

// Event is a mark among the launches; two give the time between them.
type Event struct {
	c      *Context
	handle uintptr
}

// Event makes an event.
func (c *Context) Event() (*Event, error) {
	e := &Event{c: c}
	if err := c.check("cuEventCreate", c.driver.api.eventCreate(&e.handle, 0)); err != nil {
		return nil, err
	}
	return e, nil
}

// Record puts the event behind what was launched so far.
func (e *Event) Record() error {
	return e.c.check("cuEventRecord", e.c.driver.api.eventRecord(e.handle, 0))
}

// Done reports whether the GPU has reached the event.
func (e *Event) Done() (bool, error) {
	code := e.c.driver.api.eventQuery(e.handle)
	if code == codeNotReady {
		return false, nil
	}
	return code == 0, e.c.check("cuEventQuery", code)
}

// Elapsed returns the milliseconds between two events that were reached; the
// resolution is about 0.5 microseconds (CUDA Driver API, cuEventElapsedTime).
func Elapsed(start, end *Event) (ms float64, err error) {
	var f float32
	err = start.c.check("cuEventElapsedTime", start.c.driver.api.eventElapsedTime(&f, start.handle, end.handle))
	return float64(f), err
}

// Destroy frees the event.
func (e *Event) Destroy() error {
	return e.c.check("cuEventDestroy_v2", e.c.driver.api.eventDestroy(e.handle))
}
