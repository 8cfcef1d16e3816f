package calibrate

import "errors"

// ErrNoPower: the board gives no power readings.
var ErrNoPower = errors.New("no power readings")
