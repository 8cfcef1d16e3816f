package calibrate

import "errors"

// ErrNoPower: the board gives no power readings. ErrClock: its clock cannot be
// locked.
var (
	ErrNoPower = errors.New("no power readings")
	ErrClock   = errors.New("the SM clock cannot be locked")
)
