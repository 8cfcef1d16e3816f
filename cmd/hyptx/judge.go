package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hyptx/internal/hardware/golden"
	"hyptx/internal/hardware/judge"
)

// hyptx judge: what hyptx is held against, gathered on a machine with a GPU. It is
// for whoever has such a machine for ten minutes: one command, a budget of time, and
// a folder at the end that goes into testdata/golden, where the tests of machines
// without a GPU find it.
//
// The driver runs in a process of its own (judge-worker): a kernel that faults
// takes the context of its process with it, and one that hangs can only be ended
// with the process. The parent restarts it and goes on with the next sample. Both
// speak over the worker's standard streams.

// judgeFlags are the flags of hyptx judge. The worker has those of addSamples, too: it
// reads the same samples in its own process, so that only their names and results go
// through the pipe.
type judgeFlags struct {
	out, samples string
	networks     []string
	only         []string
	budget       time.Duration
	device       int
}

func (f *judgeFlags) addSamples(c *cobra.Command) {
	c.Flags().StringVar(&f.samples, "samples", "ptx-samples", "the `folder` ptx-samples of the version that this hyptx was built from")
	c.Flags().StringArrayVar(&f.networks, "networks", nil, "a network's manifest, or a `folder` with NAME.json or NAME/NAME.json; may be repeated")
	c.Flags().IntVar(&f.device, "device", 0, "which GPU, a `number` from 0")
	atLeast(c, "device", &f.device, 0)
}

var _ = register((*app).judgeCommand)

func (a *app) judgeCommand() *cobra.Command {
	var f judgeFlags
	c := &cobra.Command{
		Use:   "judge",
		Short: "Let a GPU judge: run all samples on it, and measure it",
		Long: "Run on an NVIDIA GPU all that hyptx is held against, within a budget of time, and\n" +
			"write it into a folder for the GPU: " + strings.Join(judge.Parts(), ", ") + ", in this\n" +
			"order. It needs the driver and this folder, neither Go nor a network. What is done\n" +
			"is written at once: the end of the budget and Ctrl-C keep it. Without CUDA's tools\n" +
			"sass is left out, without Nsight Compute counters. `--only sass` needs no GPU.\n" +
			"Commit the folder below testdata/golden, and the tests hold hyptx against it.",
		Example: "  hyptx judge -o testdata/golden --networks ../shared/cnn/lenet5-sm_70\n" +
			"  hyptx judge -o /tmp/judged --only outputs --budget 2m",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.judge(c.Context(), &f) },
	}
	f.addSamples(c)
	c.Flags().StringVarP(&f.out, "output", "o", "testdata/golden", "the `folder` in which the GPU's folder is made")
	c.Flags().DurationVar(&f.budget, "budget", 9*time.Minute, "the `time` for everything")
	c.Flags().StringSliceVar(&f.only, "only", nil, "do these `parts` only: "+strings.Join(judge.Parts(), ", "))
	return c
}

// judge runs the parts that were asked for. What can be wrong without the GPU, the
// names of parts and the networks' manifests, is found before the machine's time is
// spent.
func (a *app) judge(ctx context.Context, f *judgeFlags) error {
	if f.budget <= 0 {
		return usagef("--budget %s: must be more than 0, as 9m", f.budget)
	}
	for _, name := range f.only {
		if !slices.Contains(judge.Parts(), name) {
			return usagef("--only %s: must be of %s", name, strings.Join(judge.Parts(), ", "))
		}
	}
	networks, err := golden.Networks(f.networks...)
	if err != nil {
		return fmt.Errorf("--networks: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return judge.Run(ctx, judge.Config{Out: f.out, Samples: f.samples, Networks: networks, Budget: f.budget, Only: f.only,
		Self: []string{self}, Device: f.device, Version: version(), Date: time.Now(), Log: a.notes})
}

var _ = register((*app).judgeWorkerCommand)

// judgeWorkerCommand is the process of judge that has the GPU. It is not for
// people.
func (a *app) judgeWorkerCommand() *cobra.Command {
	var f judgeFlags
	c := &cobra.Command{
		Use: "judge-worker", Hidden: true, Args: cobra.NoArgs,
		Short: "The process of judge that has the GPU",
		RunE: func(c *cobra.Command, _ []string) error {
			samples, err := golden.Samples(f.samples, f.networks)
			if err != nil {
				return err
			}
			return judge.Serve(c.Context(), samples, func() (*judge.Opened, error) { return judge.OpenGPU(f.device) }, a.stdin, a.stdout)
		},
	}
	f.addSamples(c)
	return c
}
