package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hyptx/analysis"
)

// Limits. Every command that executes something has the same flags for them,
// with the library's defaults; a run that meets one ends with an error that
// names the flag.

// limitFlags are the flags that bound what a command may use.
type limitFlags struct {
	jobs            int
	maxMemory       byteSize
	maxInstructions int64
	timeout         time.Duration
	launchTimeout   time.Duration
}

// add adds the flags to a command.
func (l *limitFlags) add(c *cobra.Command) {
	d := analysis.DefaultOptions()
	l.maxMemory = byteSize(d.MaxMemoryBytes)
	c.Flags().IntVarP(&l.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "work on this `number` of CTAs or files at the same time")
	c.Flags().Var(&l.maxMemory, "max-memory", "most memory of emulated buffers, a `size` as 512MiB or 8GiB")
	c.Flags().Int64Var(&l.maxInstructions, "max-instructions", d.MaxInstructions, "most warp instructions of one launch, a `number`")
	c.Flags().DurationVar(&l.timeout, "timeout", 0, "give up after this `time`, as 30s or 5m; 0 never")
	c.Flags().DurationVar(&l.launchTimeout, "launch-timeout", 0, "give up a launch after this `time`; other kernels of bare .ptx files go on; 0 never")
}

// apply puts the flags into options.
func (l *limitFlags) apply(o *analysis.Options) error {
	if l.jobs < 1 {
		return usageError{fmt.Errorf("--jobs %d: must be at least 1", l.jobs)}
	}
	if l.maxInstructions < 1 {
		return usageError{fmt.Errorf("--max-instructions %d: must be at least 1", l.maxInstructions)}
	}
	if l.timeout < 0 {
		return usageError{fmt.Errorf("--timeout %s: must not be negative", l.timeout)}
	}
	if l.launchTimeout < 0 {
		return usageError{fmt.Errorf("--launch-timeout %s: must not be negative", l.launchTimeout)}
	}
	o.LaunchTimeout = l.launchTimeout
	o.Jobs, o.MaxMemoryBytes, o.MaxInstructions, o.Timeout = l.jobs, int64(l.maxMemory), l.maxInstructions, l.timeout
	return nil
}

// byteSize is a number of bytes as a flag: 4096, 512MiB, 8GiB.
type byteSize int64

func (b *byteSize) Type() string { return "size" }

func (b *byteSize) String() string {
	for _, u := range byteUnits {
		if int64(*b) >= u.bytes && int64(*b)%u.bytes == 0 {
			return strconv.FormatInt(int64(*b)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

var byteUnits = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}

func (b *byteSize) Set(s string) error {
	unit := int64(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x > 0) || x*float64(unit) > math.MaxInt64/2 {
		return fmt.Errorf("must be a size such as 512MiB or 8GiB")
	}
	*b = byteSize(x * float64(unit))
	return nil
}
