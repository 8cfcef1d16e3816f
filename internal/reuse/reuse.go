package reuse

import (
	"fmt"
	"math/bits"
	"slices"
)

// Method is a way to find misses.
type Method string

// The methods.
const (
	Exact     Method = "exact"
	Nugteren  Method = "nugteren"
	StatStack Method = "statstack"
	StatCache Method = "statcache"
)

// Methods are all of them, as flags spell them.
var Methods = []string{string(Exact), string(Nugteren), string(StatStack), string(StatCache)}

// Options say what is wanted.
type Options struct {
	Method Method
	// Lines are the capacities, ascending.
	Lines []int64
	// Every: one of so many is seen, 1 for all; Seed says which.
	Every int64
	Seed  uint64
	// Ways is how many lines a set has; 0: any line may be anywhere. Nugteren's has
	// sets.
	Ways int
}

// Limits of what may be asked for.
const (
	maxCapacities = 256
	maxWays       = 1 << 12
	maxEvery      = 1 << 20
	// maxLines bounds the lines whose state is kept: 64 bytes each at most, 2 GiB.
	maxLines = 1 << 25
)

// Point is what is said of one capacity: sectors that miss, cold ones among them.
type Point struct {
	Lines  int64
	Misses float64
	// Error is the standard error of the misses; 0 where all was seen.
	Error float64
}

// Curve is what came of a stream.
type Curve struct {
	// Accesses are sectors, Cold those that nobody used before.
	Accesses uint64
	Cold     float64
	Points   []Point // in the order of the capacities
}

// Watcher takes a stream.
type Watcher interface {
	// Access takes a use of sectors of a line, a bit each.
	Access(line uint64, sectors uint8)
	// Curve says what came of it so far.
	Curve() (*Curve, error)
}

// sectorsOfLine is how many a line has at most.
const sectorsOfLine = 4

// New returns a watcher.
func New(o Options) (Watcher, error) {
	o.Every = max(o.Every, 1)
	switch {
	case len(o.Lines) == 0 || len(o.Lines) > maxCapacities:
		return nil, fmt.Errorf("%d capacities: must be 1 to %d", len(o.Lines), maxCapacities)
	case !slices.IsSorted(o.Lines) || o.Lines[0] < 1:
		return nil, fmt.Errorf("capacities of %v lines: must be positive and ascend", o.Lines)
	case o.Every > maxEvery:
		return nil, fmt.Errorf("one of %d: must be at most %d", o.Every, maxEvery)
	case o.Ways < 0 || o.Ways > maxWays:
		return nil, fmt.Errorf("%d ways: must be 0 to %d", o.Ways, maxWays)
	case o.Every > 1 && (o.Ways > 0 || o.Method == Nugteren):
		return nil, fmt.Errorf("a sample is for the methods without sets: a set sees all of its accesses or none")
	case o.Ways > 0 && (o.Method == StatStack || o.Method == StatCache):
		return nil, fmt.Errorf("method %s knows no sets: ways are for %s and %s", o.Method, Exact, Nugteren)
	case o.Method == Nugteren && o.Ways == 0:
		return nil, fmt.Errorf("method %s needs ways: it has sets", Nugteren)
	}
	switch o.Method {
	case Exact:
		if o.Ways > 0 {
			return newSets(o)
		}
		return newExact(o), nil
	case Nugteren:
		return newSets(o)
	case StatStack, StatCache:
		return newWatched(o), nil
	}
	return nil, fmt.Errorf("there is no method %q", o.Method)
}

// errTooMany says that a stream has more lines than are kept.
func errTooMany() error {
	return fmt.Errorf("the stream uses more than %d lines, which is the limit: see one of several (sampling)", maxLines)
}

// mix spreads numbers over all 64 bits (SplitMix64's finaliser, Steele et al. 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// count is how many sectors a mask has.
func count(sectors uint8) uint64 { return uint64(bits.OnesCount8(sectors)) }
