package calibrate

import "fmt"

// targets are the architectures and the PTX version that knows each first (PTX
// ISA, release notes); mma.sync on halves asks for 6.5 on sm_75.
var targets = []struct {
	cc      int
	version string
}{
	{70, "6.4"}, {72, "6.4"}, {75, "6.5"}, {80, "7.0"}, {86, "7.1"}, {87, "7.4"}, {89, "7.8"}, {90, "7.8"},
	{100, "8.6"}, {101, "8.6"}, {103, "8.8"}, {120, "8.7"}, {121, "8.8"},
}

// minCC is the oldest architecture that is measured: Volta.
const minCC = 70

// targetFor returns version and target for a compute capability. Drivers
// translate PTX for older targets, so that a GPU that is not listed gets the
// newest one before it.
func targetFor(cc int) (version, target string) {
	for _, t := range targets {
		if t.cc <= cc {
			version, target = t.version, fmt.Sprintf("sm_%d", t.cc)
		}
	}
	return version, target
}
