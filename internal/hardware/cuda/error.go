package cuda

import (
	"errors"
	"fmt"

	"hyptx/internal/hardware/dl"
)

// Error is a result other than CUDA_SUCCESS.
type Error struct {
	// Call is the function of the driver API that returned it.
	Call string
	// Code is the CUresult; Name and Text are what the driver calls it.
	Code       int
	Name, Text string
}

// Error returns "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, e.Code, e.Text)
}

// Sticky reports whether the context is lost: every later call returns the
// same error, and nothing can be read back. It may have been caused by an
// earlier launch than the call that returned it.
func (e *Error) Sticky() bool { return stickyCodes[e.Code] }

// OutOfMemory reports whether the GPU's memory did not suffice.
func (e *Error) OutOfMemory() bool { return e.Code == codeOutOfMemory }

// check makes an error of a CUresult.
func (d *Driver) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	e := &Error{Call: call, Code: int(code), Name: "an unknown CUresult", Text: "the driver has no text for it"}
	var p *byte
	if d.api.getErrorName(code, &p) == 0 && p != nil {
		e.Name = dl.GoString(p)
	}
	if d.api.getErrorString(code, &p) == 0 && p != nil {
		e.Text = dl.GoString(p)
	}
	return e
}

// isCode reports whether an error is that result.
func isCode(err error, code int) bool {
	e := (*Error)(nil)
	return errors.As(err, &e) && e.Code == code
}
