package cuda

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// Context is a GPU in use: its primary context, current on the thread of the
// goroutine that made it (see the package comment).
type Context struct {
	// Device is what the driver says of the GPU.
	Device DeviceInfo
	// Rewrite changes every text that Load compiles, where it is set: PTX
	// may name a version or an architecture that the driver does not take.
	Rewrite func(ptx []byte) []byte

	driver *Driver
	handle int32
	// lost: a sticky error has occurred. left: a launch still runs that
	// nobody waits for any more.
	lost, left bool
}

// Context makes a GPU's primary context current and locks the calling
// goroutine to its thread until Close.
func (d *Driver) Context(ordinal int) (*Context, error) {
	info, err := d.device(ordinal)
	if err != nil {
		return nil, err
	}
	c := &Context{Device: *info, driver: d}
	if c.handle, err = d.handle(ordinal); err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	var h uintptr
	if err := d.check("cuDevicePrimaryCtxRetain", d.api.primaryRetain(&h, c.handle)); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	if err := d.check("cuCtxSetCurrent", d.api.ctxSetCurrent(h)); err != nil {
		d.api.primaryRelease(c.handle)
		runtime.UnlockOSThread()
		return nil, err
	}
	return c, nil
}

// Close releases the context with all that was made from it. After a sticky
// error it is reset, so that the next context of this GPU starts afresh.
func (c *Context) Close() error {
	defer runtime.UnlockOSThread()
	if c.left {
		return nil // releasing would wait for the launch; the end of the process ends it
	}
	d := c.driver
	var errs []error
	if c.lost {
		errs = append(errs, d.check("cuDevicePrimaryCtxReset_v2", d.api.primaryReset(c.handle)))
	}
	errs = append(errs,
		d.check("cuCtxSetCurrent", d.api.ctxSetCurrent(0)),
		d.check("cuDevicePrimaryCtxRelease_v2", d.api.primaryRelease(c.handle)))
	return errors.Join(errs...)
}

// check makes an error of a CUresult and remembers a sticky one.
func (c *Context) check(call string, code int32) error {
	err := c.driver.check(call, code)
	if e, ok := err.(*Error); ok && e.Sticky() {
		c.lost = true
	}
	return err
}

// Lost reports whether a sticky error has ended the context.
func (c *Context) Lost() bool { return c.lost }

// Left reports whether a launch still runs that [Context.Wait] gave up on.
func (c *Context) Left() bool { return c.left }

// SetLimit sets a size that the context reserves, in bytes.
func (c *Context) SetLimit(l Limit, bytes uint64) error {
	return c.check("cuCtxSetLimit", c.driver.api.ctxSetLimit(l, uintptr(bytes)))
}

// Synchronize waits until the GPU has done everything. An error may be that of
// an earlier launch.
func (c *Context) Synchronize() error {
	return c.check("cuCtxSynchronize", c.driver.api.ctxSynchronize())
}

// Wait waits as Synchronize does, until an event was reached or ctx ends. A
// launch that goes on then cannot be stopped: the context is of no use any
// more, and Close leaves it as it is.
func (c *Context) Wait(ctx context.Context, e *Event) error {
	for pause := 5 * time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		done, err := e.Done()
		if err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			c.left = true
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}
