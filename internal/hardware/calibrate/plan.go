package calibrate

import (
	"fmt"
	"slices"
)

// Plans. A point is one benchmark in one state: lanes, active SMs, clock. A plan
// lists points in the order in which they are worth most, so that a budget that
// ends early has spent its time well: first the rates, which take a second each,
// then one point of power for each component that costs most and the ends of
// each sweep, then all others. Networks come after the twelve most important
// points, since they are what the tuned model is held against.

// Protocol says how points are measured. The fields' units are seconds but
// where the name says otherwise.
type Protocol struct {
	// RateMS is how long a launch for a rate takes at least, in milliseconds;
	// RateRuns how often it is repeated: the shortest counts.
	RateMS   float64
	RateRuns int
	// Seconds is how long power is measured at a point, NetworkSeconds of a
	// network, Repeats how often, and Pause what lies between two points.
	Seconds, NetworkSeconds, Pause float64
	Repeats                        int
	// TemperatureC is what the chip is heated to before each point, for at most
	// HeatSeconds; 0 for as it is.
	TemperatureC, HeatSeconds float64
	// PowerPoints is how many points of power are measured, the most important
	// ones first; -1 for all.
	PowerPoints int
	// ClocksMHz are locked for the sweep over clocks; none: no sweep.
	ClocksMHz []int
	// Only names the benchmarks; none: all.
	Only []string
}

// Full is AccelWattch's protocol (65 degrees, 600 samples of 100 ms, 5 runs,
// pauses of 30 s), and the best of five for rates (Konstantinidis, appendix A: of three).
func Full() Protocol {
	return Protocol{RateMS: 100, RateRuns: 5, Seconds: 60, NetworkSeconds: 60, Pause: 30, Repeats: 5, TemperatureC: 65, HeatSeconds: 120, PowerPoints: -1}
}

// Quick takes less than nine minutes: twenty points of 10 s, as they come.
func Quick() Protocol {
	return Protocol{RateMS: 100, RateRuns: 5, Seconds: 10, NetworkSeconds: 5, Pause: .2, Repeats: 1, PowerPoints: 20}
}

// rateBenchmarks give the parameters of the roofline and what a launch takes.
var rateBenchmarks = []string{
	"fp_fma", "register_file", "dp_fma", "int_mad", "int_add", "shared", "copy16", "read16", "write16", "copy4", "read4", "write4", "launch", "l1", "l2",
}

// firstPower are the twenty points of a short run: one for each component that
// costs most, and the ends of each sweep. With SMs -1 half of them are active.
var firstPower = []Point{
	{Benchmark: "idle"}, {Benchmark: "int_add"}, {Benchmark: "fp_fma"}, {Benchmark: "dp_fma"}, {Benchmark: "tensor"}, {Benchmark: "copy16"}, {Benchmark: "l2"},
	{Benchmark: "l1"}, {Benchmark: "shared"}, {Benchmark: "int_mul32"}, {Benchmark: "sfu_ex2"}, {Benchmark: "read16"}, {Benchmark: "register_file"},
	{Benchmark: "nanosleep"}, {Benchmark: "int_fp"}, {Benchmark: "int_fp", Lanes: 1}, {Benchmark: "int_add", ActiveSMs: halfSMs}, {Benchmark: "int_add", ActiveSMs: allSMs},
	{Benchmark: "sfu_sin"}, {Benchmark: "fp_add"},
}

// Active SMs of a sweep before the chip is known: fractions of all, in percent
// with a minus.
const (
	halfSMs = -50
	allSMs  = -100
)

// Sweeps (AccelWattch, sections 4.4 and 4.5): SMs in fractions of all, lanes.
var (
	sweepSMs       = []int{-1, -20, -40, -60, -80, allSMs}
	sweepSMNames   = []string{"int_add", "int_mul32"}
	sweepLanes     = []int{1, 8, 16, 24, 32}
	sweepLaneNames = []string{"int", "int_fp", "int_fp_dp", "int_fp_sfu"}
	clockNames     = []string{"nanosleep", "int_add", "int_mul32", "fp_add", "fp_mul", "int_fp"}
	clockLanes     = []int{1, 32}
)

// Plan returns the points of a protocol for a chip, in the order in which they
// are measured: rates, then power. Benchmarks that the chip cannot run are left
// out.
func Plan(p Protocol, chip Chip) ([]Point, error) {
	for _, name := range p.Only {
		if _, err := Lookup(name); err != nil {
			return nil, err
		}
	}
	var out []Point
	for _, name := range rateBenchmarks {
		out = append(out, Point{Kind: Rate, Benchmark: name})
	}
	power := powerPoints(chip)
	if p.PowerPoints >= 0 {
		power = power[:min(p.PowerPoints, len(power))]
	}
	power = append(power, clockPoints(p.ClocksMHz)...)
	for repeat := range p.Repeats {
		for _, pt := range power {
			pt.Kind, pt.Repeat, pt.Seconds = Power, repeat+1, p.Seconds
			out = append(out, pt)
		}
	}
	return finish(out, p.Only, chip)
}

// powerPoints are all points of power, the most important ones first.
func powerPoints(chip Chip) []Point {
	list := slices.Clone(firstPower)
	for _, b := range benchmarks {
		if b.Name != "launch" {
			list = append(list, Point{Benchmark: b.Name})
		}
	}
	for _, name := range sweepLaneNames {
		for _, n := range sweepLanes[:len(sweepLanes)-1] { // all lanes stand above
			list = append(list, Point{Benchmark: name, Lanes: n})
		}
	}
	for _, name := range sweepSMNames {
		for _, n := range sweepSMs {
			list = append(list, Point{Benchmark: name, ActiveSMs: n})
		}
	}
	// Shares of the SMs become numbers now that the chip is known; small chips
	// may give one twice.
	var out []Point
	for _, pt := range list {
		if pt.ActiveSMs < 0 {
			pt.ActiveSMs = max(1, (chip.SMs*-pt.ActiveSMs+50)/100)
		}
		if !slices.Contains(out, pt) {
			out = append(out, pt)
		}
	}
	return out
}

// clockPoints sweep over clocks, with one and with all lanes (equations 3, 4).
func clockPoints(clocks []int) (out []Point) {
	for _, mhz := range clocks {
		for _, name := range clockNames {
			for _, n := range clockLanes {
				out = append(out, Point{Benchmark: name, ClockMHz: mhz, Lanes: n % warpLanes})
			}
		}
	}
	return out
}

// SweptByClock names the benchmarks that are swept over clocks.
func SweptByClock() []string { return slices.Clone(clockNames) }

// finish gives points the hashes of their texts and leaves out what was not
// asked for or cannot run.
func finish(points []Point, only []string, chip Chip) (out []Point, err error) {
	hashes := map[string]string{}
	for _, pt := range points {
		if len(only) > 0 && !slices.Contains(only, pt.Benchmark) {
			continue
		}
		hash, seen := hashes[pt.Benchmark]
		if !seen {
			b, err := Lookup(pt.Benchmark)
			if err != nil {
				return nil, fmt.Errorf("BUG: %w", err)
			}
			if hash, err = b.hash(chip.CC); err != nil {
				if _, unsupported := err.(*UnsupportedError); !unsupported {
					return nil, err
				}
				hash = ""
			}
			hashes[pt.Benchmark] = hash
		}
		if hash != "" {
			pt.Text = hash
			out = append(out, pt)
		}
	}
	return out, nil
}

// beforeNetworks is how many points of power are measured before networks: the
// most important ones.
const beforeNetworks = 12

// WithNetworks puts networks among the points, so that a budget that ends
// before the last points reaches them.
func WithNetworks(points, networks []Point) []Point {
	power, at := 0, len(points)
	for i, p := range points {
		if p.Kind == Power {
			power++
		}
		if power == beforeNetworks {
			at = i + 1
			break
		}
	}
	return slices.Insert(slices.Clone(points), at, networks...)
}
