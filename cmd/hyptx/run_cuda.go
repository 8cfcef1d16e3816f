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

// Programs on a real GPU. The driver is loaded before the program is read: on a
// machine without one, the error comes at once and not after a network of 500 MB
// was parsed. Calls into the driver can hang for good (a kernel that does not end,
// a board that fell off the bus), so they are made under cuda.Guard, which leaves
// the goroutine behind and comes back when the context ends. Limits of the
// emulator (memory, instructions) mean nothing to a GPU and are refused.

// openDriver holds the flags against each other and loads the driver, before a large
// program is read in vain.
func (f *runFlags) openDriver(c *cobra.Command) error {
	given, onGPU := c.Flags().Changed, f.on == "cuda"
	err := refuse(append(f.refusals(given),
		refusal{!onGPU && given("device"), "--device is for --on cuda"},
		refusal{onGPU && given("max-memory"), "--max-memory is for --on emulator"},
		refusal{onGPU && given("max-instructions"), "--max-instructions is for --on emulator"})...)
	if err == nil && onGPU {
		f.driver, err = cuda.Guard(c.Context(), func() (*cuda.Driver, error) { return cuda.Open("") })
	}
	return err
}

// run executes a program. With an error the result holds what was complete
// before it; it may be nil.
func (f *runFlags) run(ctx context.Context, s *analysis.Session) (*runResult, error) {
	if f.on == "cuda" {
		return runCUDA(ctx, f.driver, f.ordinal, s)
	}
	if err := s.Execute(ctx); err != nil {
		return nil, err
	}
	outputs, err := s.OutputReaders()
	return &runResult{Outputs: outputs}, err
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
		r = &runResult{Device: &c.Device, Launches: done.Launches, atHand: done.Outputs, Cleanup: done.Cleanup}
		for _, o := range done.Outputs {
			r.Outputs = append(r.Outputs, o.Reader())
		}
		return r, launchHint(err)
	})
}

// launchHint adds to the error of a launch that took too long what can be done.
func launchHint(err error) error {
	if errors.Is(err, device.ErrLaunchTime) {
		return fmt.Errorf("%w; it can be raised with --launch-timeout", err)
	}
	return err
}
