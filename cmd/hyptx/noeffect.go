package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// A flag that would be ignored is an error, with the reason. Who writes it
// expects an effect, and a result that silently lacks it is a wrong result.

// noEffect are flags that have none where counters come from a file alone, and
// why.
type noEffect struct {
	flags []string
	why   string
}

// bareNoEffect are those of bare .ptx files.
var bareNoEffect = noEffect{[]string{"grid", "block", "dynamic-shared", "arg", "default-scalar"}, "it says how a .ptx file is launched, and these launches were counted as they ran"}

// rooflineNoEffect are those of roofline --counters.
var rooflineNoEffect = []noEffect{
	bareNoEffect,
	{[]string{"kernel", "launch"}, "it chooses among the launches of a program, and all of the file's are taken"},
	{[]string{"counts"}, "it chooses how a program's instructions are counted, and a profiler counted these"},
	{[]string{"traffic", "dram-bytes", "sample"}, "the DRAM traffic is what the profiler counted"},
}

// powerNoEffect are those of power --counters without a program.
var powerNoEffect = []noEffect{
	bareNoEffect,
	{[]string{"kernel", "launch"}, "it chooses among the launches of a program, and all of the file's are taken"},
	{[]string{"counts"}, "it chooses how a program's instructions are counted, and the file has these counts; --variant says whose energies go with them"},
	{[]string{"time"}, "the times are those of the file, in its column cycles or time_us"},
	{[]string{"hot"}, "which instructions take the energy only a program can say; name it"},
	{[]string{"no-total"}, "the rows of a counter file have no total"},
	{[]string{"batch"}, "the energy of an inference is that of a program, and the file may hold launches of several; name it"},
}

// checkEffect returns a usage error for a flag that was set and has no effect.
func checkEffect(c *cobra.Command, list []noEffect) error {
	for _, n := range list {
		for _, flag := range n.flags {
			if c.Flags().Changed(flag) {
				return usageError{fmt.Errorf("--%s has no effect with --counters: %s", flag, n.why)}
			}
		}
	}
	return nil
}
