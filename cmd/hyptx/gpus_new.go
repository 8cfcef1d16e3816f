package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/internal/gpu"
)

// hyptx gpus new: a file of a GPU that is not there, made of one that is like it. A
// board of the same chip differs from its sister by a handful of numbers, and to
// find these among two hundred is work that a program can do.

type gpusNewFlags struct {
	like, name, out string
	sms, mhz        float64
	set             []string
}

func (a *app) gpusNewCommand() *cobra.Command {
	var f gpusNewFlags
	c := &cobra.Command{
		Use: "new --like NAME | FILE.json", Short: "Write the file of a GPU that is like one that hyptx knows", Args: cobra.NoArgs,
		Long: `Write the file of a GPU that is like another: all its numbers, but for those that are given. What was measured of the whole
GPU and its peak figures are left out where SMs or clock change. Nothing that SMs share is scaled with them: L2, network, DRAM
and power limit are the other GPU's until --set changes them.

--set KEY=VALUE: ` + gpu.Keys() + `;
or the path of any number of the file, as latency.l2_cycles=230 or timing.lsu.miss_entries=256.`,
		Example: "  hyptx gpus new --like rtx-3090 --sms 48 --mhz 1560 -o my.json\n" +
			"  hyptx gpus new --like rtx-3090 --sms 48 --mhz 1560 --set bandwidth=448 --set l2=4M --set tdp=140 --name my-a4000",
		RunE: func(c *cobra.Command, _ []string) error {
			given := c.Flags().Changed
			if err := refuse(refusal{given("sms") && !positive(f.sms) || given("mhz") && !positive(f.mhz), "--sms and --mhz must be positive and finite"}); err != nil {
				return err
			}
			return a.newGPU(&f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.like, "like", "", "the GPU that it is like, a `name` (hyptx gpus lists them) or a file *.json")
	fl.StringVar(&f.name, "name", "", "its `name`; default that of the file written, else NAME-like")
	fl.Float64Var(&f.sms, "sms", 0, "its `number` of SMs; default the other's")
	fl.Float64Var(&f.mhz, "mhz", 0, "the clock of its SMs in `MHz`; default the other's")
	fl.StringArrayVar(&f.set, "set", nil, "another number, `KEY=VALUE`; may be given several times")
	fl.StringVarP(&f.out, "output", "o", "", "write to this `file` instead of standard output")
	complete(c, "like", gpu.Names)
	return c
}

// positive is false for infinity and for what is no number, too.
func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// newGPU writes the file.
func (a *app) newGPU(f *gpusNewFlags) error {
	if err := refuse(refusal{f.like == "", "--like says which GPU it is like, as --like rtx-3090"}); err != nil {
		return err
	}
	if err := a.checkOutputs(gpuFiles(f.like), &output{flag: "-o", path: f.out, as: asJSON}); err != nil {
		return err
	}
	like, err := gpu.Get(f.like)
	if err != nil {
		return err
	}
	mine, err := like.Like(f.changes(), "given: like "+like.Label())
	if err != nil {
		return err
	}
	mine.Name, mine.Title, mine.Aliases = f.nameOf(like), "like "+like.Title, []string{}
	return a.write(f.out, func(w io.Writer) error { return writeJSON(w, mine, "  ") })
}

// changes are what the flags change.
func (f *gpusNewFlags) changes() []string {
	var list []string
	for _, c := range []struct {
		key   string
		value float64
	}{{"sms", f.sms}, {"clock", f.mhz}} {
		if c.value != 0 {
			list = append(list, c.key+"="+strconv.FormatFloat(c.value, 'f', -1, 64))
		}
	}
	return append(list, f.set...)
}

// nameOf is the new GPU's name.
func (f *gpusNewFlags) nameOf(like *gpu.GPU) string {
	if f.name != "" {
		return f.name
	}
	if stem := strings.TrimSuffix(filepath.Base(f.out), ".json"); f.out != "" && f.out != "-" {
		return stem
	}
	return fmt.Sprintf("%s-like", like.Name)
}
