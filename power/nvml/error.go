package nvml

import (
	"errors"
	"fmt"
)

// ErrNoLibrary: there is no management library on this machine, or this
// program cannot load one.
var ErrNoLibrary = errors.New("no NVIDIA management library")

// Codes of nvmlReturn_t that are told apart (NVML API reference, Device Enums).
const (
	codeSuccess      = 0
	codeNotSupported = 3
	codeNoPermission = 4
)

// Error is a call that failed.
type Error struct {
	Call string // "nvmlDeviceGetPowerUsage"
	Code int
	Text string // the library's own words
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (code %d)", e.Call, e.Text, e.Code) }

// NotSupported reports whether the board does not give a number.
func (e *Error) NotSupported() bool { return e.Code == codeNotSupported }

// NoPermission reports whether the user may not do it.
func (e *Error) NoPermission() bool { return e.Code == codeNoPermission }
