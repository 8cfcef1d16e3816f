package judge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hyptx/internal/hardware/golden"
)

// The first part is the one that all others rest on: whether a GPU leaves in memory
// what the emulator leaves. It is of hundreds of small programs, each of which may end
// the process that runs it, and it is written program by program: what has an answer
// keeps it. A program that this GPU refuses is an answer, too, in the driver's words.

// mostStarts is how often in a row the GPU may fail to come up.
const mostStarts = 3

// outputsFile is the part's file.
const outputsFile = "outputs.jsonl"

// outputs runs all samples and writes what each leaves, at once: beside the file
// of an earlier run, until it holds as much.
func (j *judge) outputs(ctx context.Context) (note string, err error) {
	path := j.file(outputsFile)
	had, err := answered(path)
	if err != nil {
		return "", err
	}
	if had > 0 {
		path += aside
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	var ran, skipped, failed int
	defer func() {
		closing := f.Close()
		err = errors.Join(err, closing, j.settleOutputs(path, had, ran+skipped))
	}()
	w, err := golden.NewWriter(f, golden.Header{Device: j.device, Date: j.date(), Version: j.Version})
	if err != nil {
		return "", err
	}
	summary := func() string {
		return fmt.Sprintf("%d of %d programs ran, %d are not for this GPU, %d failed", ran, len(j.samples), skipped, failed)
	}
	for _, s := range j.samples {
		if err := j.up(ctx); err != nil {
			return summary(), err
		}
		p, err := j.ask(ctx, s)
		if err != nil {
			return summary(), err
		}
		if err := w.Encode(p); err != nil {
			return summary(), err
		}
		switch {
		case p.Skipped != "":
			skipped++
			j.say("%s: not for this GPU: %s", p.Name, firstLine(p.Skipped))
		case p.Failed != "":
			failed++
			j.say("%s: %s", p.Name, firstLine(p.Failed))
		default:
			ran++
		}
	}
	j.stopWorker() // the GPU is for the next part
	return summary(), nil
}

// up makes sure that there is a worker.
func (j *judge) up(ctx context.Context) (err error) {
	for range mostStarts {
		if j.worker != nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err = j.meet(ctx)
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
