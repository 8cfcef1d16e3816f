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
	codeSuccess         = 0
	codeInvalidArgument = 2 // of a number that a partition of a GPU (MIG) does not have
	codeNotSupported    = 3
	codeNoPermission    = 4
	codeNoFunction      = 13
	codeNoData          = 21
	codeDeprecated      = 26
	codeUnknown         = 999 // containers that hide a part of the driver
)

// absentCodes are the results of a number that a board, a driver or this user
// does not have, while others may be there.
var absentCodes = map[int]bool{
	codeInvalidArgument: true, codeNotSupported: true, codeNoPermission: true, codeNoFunction: true,
	codeNoData: true, codeDeprecated: true, codeUnknown: true,
}

// Error is a call that failed.
type Error struct {
	Call string // "nvmlDeviceGetPowerUsage"
	Code int
	Text string // the library's own words
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (code %d)", e.Call, e.Text, e.Code) }

// Absent reports whether the number alone is not to be had; else something is
// wrong with the GPU or the library.
func (e *Error) Absent() bool { return absentCodes[e.Code] }

// NotSupported reports whether the board does not give a number.
func (e *Error) NotSupported() bool { return e.Code == codeNotSupported }

// NoPermission reports whether the user may not do it.
func (e *Error) NoPermission() bool { return e.Code == codeNoPermission }
