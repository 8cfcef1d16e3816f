package roofline

import (
	"fmt"

	"hyptx/internal/gpu"
)

// Timer is what a launch is timed by. They differ by what starting a launch adds to the time
// from its first CTA's begin to its last one's end, some microseconds.
type Timer string

// The timers: launches back to back in a stream, the GPU's own counters (Nsight Compute),
// events around one launch, the host's clock around a launch and a synchronisation.
const (
	StreamTimer Timer = "stream"
	GPUTimer    Timer = "gpu"
	EventTimer  Timer = "event"
	HostTimer   Timer = "host"
)

// Timers are the names of all.
var Timers = []string{string(StreamTimer), string(GPUTimer), string(EventTimer), string(HostTimer)}

// overheadUs returns what starting a launch adds to its time, in us.
func (d *Device) overheadUs() (float64, error) {
	if d.Timer == "" || d.Timer == StreamTimer {
		return gpu.Need(d.Spec, "launch_overhead_us", d.Spec.LaunchOverheadUs)
	}
	t, err := d.Spec.Timing()
	if err != nil {
		return 0, err
	}
	switch d.Timer {
	case GPUTimer:
		return t.Launch.GPUUs, nil
	case EventTimer:
		return t.Launch.EventUs, nil
	case HostTimer:
		return t.Launch.HostUs, nil
	}
	return 0, fmt.Errorf("no timer is called %s", d.Timer)
}
