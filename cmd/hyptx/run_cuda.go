package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/device"
)

// machineFlags say what executes a program.
type machineFlags struct {
	on      string
	ordinal int
	driver  *cuda.Driver // of --on cuda
}

func (f *machineFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.on, "on", "emulator", "what executes the program: `emulator` or cuda, an NVIDIA GPU")
	c.Flags().IntVar(&f.ordinal, "device", 0, "which GPU --on cuda means, a `number` from 0")
	_ = c.RegisterFlagCompletionFunc("on", cobra.FixedCompletions([]string{"emulator", "cuda"}, cobra.ShellCompDirectiveNoFileComp))
}

// open holds the flags against each other and loads the driver, before a large
// program is read in vain.
func (f *machineFlags) open(ctx context.Context, c *cobra.Command) (err error) {
	given := c.Flags().Changed
	switch {
	case f.on != "emulator" && f.on != "cuda":
		return usageError{fmt.Errorf("--on %s: must be emulator or cuda", f.on)}
	case f.on == "emulator" && given("device"):
		return usageError{errors.New("--device is for --on cuda")}
	case f.ordinal < 0:
		return usageError{fmt.Errorf("--device %d: must not be negative", f.ordinal)}
	}
	for _, flag := range []string{"max-memory", "max-instructions"} {
		if f.on == "cuda" && given(flag) {
			return usageError{fmt.Errorf("--%s is for --on emulator", flag)}
		}
	}
	if f.on == "cuda" {
		f.driver, err = cuda.Guard(ctx, func() (*cuda.Driver, error) { return cuda.Open("") })
	}
	return err
}

// run executes a program. With an error the result holds what was complete
// before it; it may be nil.
func (f *machineFlags) run(ctx context.Context, s *analysis.Session) (*runResult, error) {
	if f.on == "cuda" {
		return runCUDA(ctx, f.driver, f.ordinal, s)
	}
	outputs, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &runResult{Outputs: outputs}, nil
}

// runCUDA executes a program on a GPU. It returns when ctx ends, even if the
// driver hangs.
func runCUDA(ctx context.Context, driver *cuda.Driver, ordinal int, s *analysis.Session) (*runResult, error) {
	return cuda.Guard(ctx, func() (r *runResult, err error) {
		c, err := driver.Context(ordinal)
		if err != nil {
			return nil, err
		}
		defer func() { r.Cleanup = errors.Join(r.Cleanup, c.Close()) }()
		done, err := device.Run(ctx, c, s)
		return &runResult{Device: &c.Device, Launches: done.Launches, Outputs: done.Outputs, Cleanup: done.Cleanup}, launchHint(err)
	})
}

// launchHint adds to the error of a launch that took too long what can be done.
func launchHint(err error) error {
	if errors.Is(err, device.ErrLaunchTime) {
		return fmt.Errorf("%w; it can be raised with --launch-timeout", err)
	}
	return err
}
