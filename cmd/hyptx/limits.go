package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hyptx/analysis"
)

// Limits. Every command that executes something has the same flags for them,
// with the library's defaults; a run that meets one ends with an error that
// names the flag. They are there because PTX is a program of somebody else: a
// loop that does not end, a buffer of a terabyte. --max-memory and
// --max-instructions depend on the program alone, so the same run fails in the
// same place on every machine; the two times do not, and are off by default.
// --launch-timeout ends one launch and lets other kernels go on, --timeout ends
// the command. Results never depend on --jobs.

// limitFlags are the flags that bound what a command may use.
type limitFlags struct {
	jobs            int           // CTAs or files at the same time
	maxMemory       byteSize      // of all emulated buffers together, bytes
	maxInstructions int64         // warp instructions of one launch
	timeout         time.Duration // of the command, 0: none
	launchTimeout   time.Duration // of one launch, 0: none
	outOfBounds     string        // what comes of accesses that hit no memory
	carry           string        // what subtractions leave in the condition code
	restrict        string        // the folder of the files that manifests name, "": anywhere
}

// add adds the flags to a command.
func (l *limitFlags) add(c *cobra.Command) {
	d := analysis.DefaultOptions()
	l.maxMemory = byteSize(d.MaxMemoryBytes)
	c.Flags().IntVarP(&l.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "work on this `number` of CTAs or files at the same time")
	c.Flags().Var(&l.maxMemory, "max-memory", "most memory of emulated buffers, of what follows their accesses and of rows that are kept, a `size` as 512MiB or 8GiB; programs need more")
	c.Flags().Int64Var(&l.maxInstructions, "max-instructions", d.MaxInstructions, "most warp instructions of one launch, a `number`; by default fewer where the grid is assumed")
	c.Flags().DurationVar(&l.timeout, "timeout", 0, "give up after this `time`, as 30s or 5m; 0 never")
	c.Flags().DurationVar(&l.launchTimeout, "launch-timeout", 0, "give up a launch after this `time`; of profile, roofline and power the others go on; 0 never")
	l.addRestrict(c)
	choose(c, &l.outOfBounds, "out-of-bounds", "error", "what an access that hits no memory is: error, or warn, which lets it read 0 or write nothing", "error", "warn")
	choose(c, &l.carry, "carry", "manual", "what sub.cc and subc keep in the condition code, a `way`: the borrow, as the manual says (manual), or its inverse, as hardware is said to (hardware), which is unproven", "manual", "hardware")
	atLeast(c, "jobs", &l.jobs, 1)
	atLeast(c, "max-instructions", &l.maxInstructions, 1)
	atLeast(c, "timeout", &l.timeout, 0)
	atLeast(c, "launch-timeout", &l.launchTimeout, 0)
}

// addRestrict adds the flag for manifests of strangers, which may name any file.
func (l *limitFlags) addRestrict(c *cobra.Command) {
	c.Flags().Func("restrict", "refuse files that a manifest names outside of this `folder`, wherever links lead", func(dir string) error {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return ownWords("must be a folder that is there")
		}
		l.restrict = dir
		return nil
	})
}

// withTimeout bounds a command's context by --timeout; the timer goes with the
// context that it is made of.
func (l *limitFlags) withTimeout(ctx context.Context) context.Context {
	if l.timeout <= 0 {
		return ctx
	}
	limited, cancel := context.WithTimeoutCause(ctx, l.timeout,
		fmt.Errorf("more than %s needed; the limit can be raised with --timeout", l.timeout))
	context.AfterFunc(ctx, cancel)
	return limited
}

// apply puts the flags into options.
func (l *limitFlags) apply(o *analysis.Options) {
	o.Jobs, o.MaxMemoryBytes, o.MaxInstructions = l.jobs, int64(l.maxMemory), l.maxInstructions
	o.LaunchTimeout, o.Restrict = l.launchTimeout, l.restrict
	o.Forgive, o.InvertedBorrow = l.outOfBounds == "warn", l.carry == "hardware"
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

// byteUnits are the units of sizes, the longer names first, so that "MiB" is not
// read as "B" behind "Mi". Binary and decimal ones are apart: 8GiB is 8.59e9.
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
