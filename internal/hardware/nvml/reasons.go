package nvml

import (
	"fmt"
	"strings"
)

// Reasons are why the clocks are not higher: a set of bits.
type Reasons uint64

// The reasons (nvml.h, nvmlClocksEventReasons).
const (
	Idle          Reasons = 1 << iota // nothing runs
	AppClocks                         // set by the user
	PowerCap                          // the power limit
	HWSlowdown                        // the hardware: heat, power brake, peak power
	SyncBoost                         // another GPU of a group
	SWThermal                         // the driver, for heat
	HWThermal                         // the hardware, for heat
	HWPowerBrake                      // from outside
	DisplayClocks                     // a display
)

var reasonNames = []string{"idle", "application clocks", "power cap", "hardware slowdown", "sync boost", "software thermal", "hardware thermal", "power brake", "display clocks"}

// String lists the reasons; "none" for none.
func (r Reasons) String() string {
	var names []string
	for i, n := range reasonNames {
		if r>>i&1 == 1 {
			names = append(names, n)
		}
	}
	if rest := r >> len(reasonNames); rest != 0 {
		names = append(names, fmt.Sprintf("%#x", uint64(rest)<<len(reasonNames)))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
