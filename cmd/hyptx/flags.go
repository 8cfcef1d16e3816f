package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags that check themselves. What is wrong with one flag's value alone is found
// when the command line is read, before any file is opened, and is an error of
// the command line (exit code 2) because pflag reports it. So a command checks
// only what flags mean together.

// ownWords is an error about a value that needs no rewording (flagError).
type ownWords string

func (e ownWords) Error() string { return string(e) }

// refusal is a combination of flags that makes no sense, and what is said of it.
type refusal struct {
	holds bool
	why   string
}

// refuse returns the usage error of the first refusal that holds. Commands list
// theirs before they open anything, the ones that stop most of the work first.
func refuse(list ...refusal) error {
	for _, r := range list {
		if r.holds {
			return usagef("%s", r.why)
		}
	}
	return nil
}

// choice is a flag that takes one of a few words.
type choice struct {
	value *string
	of    []string
}

// choose adds such a flag; its words complete.
func choose(c *cobra.Command, p *string, flag, value, usage string, of ...string) {
	*p = value
	c.Flags().Var(choice{p, of}, flag, usage)
	complete(c, flag, func() []string { return of })
}

// complete makes a flag's values complete; others are allowed. They are asked for when
// a shell wants them: to name the GPUs takes reading all of their files.
func complete(c *cobra.Command, flag string, values func() []string) {
	if err := c.RegisterFlagCompletionFunc(flag, completeNames(values)); err != nil {
		panic("BUG: " + err.Error())
	}
}

// completeFiles completes arguments with files of these extensions: `hyptx
// profile <TAB>` then offers programs, not the CSV files beside them. The shells'
// scripts come from `hyptx completion` and ask this program itself, so they need
// no change when a flag comes.
func completeFiles(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

func (c choice) String() string { return *c.value }
func (c choice) Type() string   { return "string" }

func (c choice) Set(s string) error {
	if !slices.Contains(c.of, s) {
		return errors.New("must be " + or(c.of))
	}
	*c.value = s
	return nil
}

// bounded is a flag whose value is held against something once it is read.
type bounded struct {
	pflag.Value
	check func() error
}

func (b bounded) Set(s string) error {
	if err := b.Value.Set(s); err != nil {
		return err
	}
	return b.check()
}

// bound holds a flag that is there already against a condition. Its default may
// break it, where that stands for a flag that was not given.
func bound(c *cobra.Command, flag string, holds func() bool, must string) {
	f := c.Flags().Lookup(flag)
	f.Value = bounded{f.Value, func() error {
		if !holds() {
			return ownWords("must " + must)
		}
		return nil
	}}
}

// atLeast bounds a flag from below.
func atLeast[T int | int64 | time.Duration](c *cobra.Command, flag string, p *T, least T) {
	must := fmt.Sprintf("be at least %v", least)
	if least == 0 {
		must = "not be negative"
	}
	bound(c, flag, func() bool { return *p >= least }, must)
}

// between bounds a flag from both sides; NaN is never between.
func between[T int | float64](c *cobra.Command, flag string, p *T, least, most T) {
	bound(c, flag, func() bool { return *p >= least && *p <= most }, fmt.Sprintf("be from %v to %v", least, most))
}

// within bounds a flag that is a positive number; hint says what a usual value
// means.
func within(c *cobra.Command, flag string, p *float64, most float64, hint string) {
	bound(c, flag, func() bool { return *p > 0 && *p <= most }, fmt.Sprintf("be above 0 and at most %g%s", most, hint))
}

// A flag that would be ignored is an error, with the reason. Who writes it
// expects an effect, and a result that silently lacks it is a wrong result. The
// reasons are a table and not code in each command, because they are all of one
// kind: with --counters a profiler's file stands in the place of a program, so
// whatever says how a program is chosen, launched, counted or sampled has nothing
// to act on. A flag is held against it only if it was given; defaults are no
// wish.

// noEffect are flags that have none where counters come from a file alone, and
// why.
type noEffect struct {
	flags []string
	why   string
}

// bareNoEffect are those of bare .ptx files.
var bareNoEffect = noEffect{[]string{"grid", "block", "cluster", "dynamic-shared", "arg", "link", "target", "default-scalar"}, "it says how a .ptx file is launched, and these launches were counted as they ran"}

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
	{[]string{"concurrent"}, "which launches run at once only a manifest can say; name one"},
	{[]string{"clock-trace"}, "counters were measured at one clock; name a program"},
	{[]string{"over-time", "plot-over-time"}, "what happens when only a simulation of a program can say; name one"},
	{[]string{"hot"}, "which instructions take the energy only a program can say; name it"},
	{[]string{"no-total"}, "the rows of a counter file have no total"},
	{[]string{"batch"}, "the energy of an inference is that of a program, and the file may hold launches of several; name it"},
}

// checkEffect returns a usage error for a flag that was set and has no effect.
func checkEffect(c *cobra.Command, list []noEffect) error {
	for _, n := range list {
		for _, flag := range n.flags {
			if c.Flags().Changed(flag) {
				return usagef("--%s has no effect with --counters: %s", flag, n.why)
			}
		}
	}
	return nil
}
