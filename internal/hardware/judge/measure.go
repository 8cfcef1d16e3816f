package judge

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Rates and power are measured by `hyptx calibrate` itself, in a child of its own: it
// has its own log, which goes on where an earlier run ended, and the driver may hang in
// it without taking the judgement along. It is told to be done a little before the
// part's time is over, since it writes its files at its end.

// powerPoints is how many micro-benchmarks are measured for power.
const powerPoints = 20

// spare is what a child gets less than its part, to write its files.
const spare = 5 * time.Second

// calibrate measures the rates of the GPU's units.
func (j *judge) calibrate(ctx context.Context) (string, error) {
	return j.child(ctx, "--power", "0")
}

// power measures the power of micro-benchmarks and of the networks in a loop.
func (j *judge) power(ctx context.Context) (string, error) {
	args := []string{"--power", strconv.Itoa(powerPoints), "--quick"}
	if len(j.Networks) > 0 {
		args = append(args, "--loop", strings.Join(j.Networks, ","))
	}
	return j.child(ctx, args...)
}

// child runs `hyptx calibrate` to the end of the part's time. It writes what it
// has at the end of its budget and when it is interrupted.
func (j *judge) child(ctx context.Context, more ...string) (note string, err error) {
	j.stopWorker() // the GPU is the child's
	end, _ := ctx.Deadline()
	left := time.Until(end) - spare
	if left <= 0 {
		return "", errOver
	}
	args := append(j.Self[1:len(j.Self):len(j.Self)], "calibrate", "--device", strconv.Itoa(j.Device), "-o", j.file("calibration.json"),
		"--runs", j.file("power.csv"), "--budget", left.Round(time.Second).String())
	c := exec.CommandContext(ctx, j.Self[0], append(args, more...)...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = spare
	said := &tail{}
	both := io.MultiWriter(j.Log, said)
	c.Stdout, c.Stderr = both, both // one writer, so that lines do not mix
	err = c.Run()
	if ctx.Err() != nil {
		return said.last(), context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("hyptx calibrate: %s", said.last())
	}
	return said.last(), nil
}
