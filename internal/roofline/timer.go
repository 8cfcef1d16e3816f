package roofline

import (
	"fmt"
	"strings"

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

const overheadPath = "launch_overhead_us"

// standIns is the warning of a time that rests on what the GPU's file does not say, but its compute
// capability does.
func (d *Device) standIns(paths ...string) string {
	return fmt.Sprintf("%s is taken to be as compute capability %s, for its file does not say %s", d.Name, d.timing.Capability, strings.Join(paths, ", "))
}

// streams reports whether launches are timed back to back.
func (d *Device) streams() bool { return d.Timer == "" || d.Timer == StreamTimer }

// guessesOverhead reports whether what starting a launch takes is that of the compute capability.
func (d *Device) guessesOverhead() bool {
	return d.streams() && d.Spec.LaunchOverheadUs == nil && d.timing != nil
}

// warnOfOverhead warns where the GPU's file does not say what starting a launch takes.
func (t *times) warnOfOverhead(d *Device) {
	if d.guessesOverhead() {
		t.warn(d.standIns(overheadPath))
	}
}

// overheadUs returns what starting a launch adds to its time, in us. What the GPU's file does not
// say is that of its compute capability.
func (d *Device) overheadUs() (float64, error) {
	switch {
	case d.guessesOverhead():
		return d.timing.Launch.StreamUs, nil
	case d.streams():
		return gpu.Need(d.Spec, overheadPath, d.Spec.LaunchOverheadUs)
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
