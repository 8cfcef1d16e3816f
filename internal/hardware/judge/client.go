package judge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"hyptx/internal/hardware/golden"
)

// Processes. A GPU program that faults leaves a context in which no further call
// works; one that hangs may take the driver along, and a call into a driver that
// hangs never comes back. So the command itself never talks to the driver. A
// worker process has the GPU: it reads the name of a sample from a line and
// answers with a line of JSON. When it does not answer in time, or says that its
// context is broken, it is ended and the next sample starts another one. What a
// program does costs that program only.

// worker is the process that has the GPU.
type worker struct {
	process *exec.Cmd
	in      io.WriteCloser
	lines   chan []byte // of its output; closed when the process has ended
	said    *tail
}

// tail keeps the end of what a process says on standard error. It may be read
// when the process has ended.
type tail struct{ text []byte }

const tailBytes = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if len(t.text) > 2*tailBytes {
		t.text = bytes.Clone(t.text[len(t.text)-tailBytes:])
	}
	return len(p), nil
}

// last is the last line that was said.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}

// Longest times: of the driver to come up, of a worker's end.
const (
	helloTime = 60 * time.Second
	endTime   = 10 * time.Second
)

// sampleTime is how long a program may take. Tests have times of their own.
var sampleTime = func(name string) time.Duration {
	if strings.HasPrefix(name, "networks/") {
		return 90 * time.Second
	}
	return 10 * time.Second
}

// maxReply bounds a line of a worker.
const maxReply = 256 << 20

// meet starts a worker and learns which GPU there is.
func (j *judge) meet(ctx context.Context) error {
	args := append(j.Self[1:len(j.Self):len(j.Self)], "judge-worker", "--samples", j.Samples, "--device", strconv.Itoa(j.Device))
	for _, n := range j.Networks {
		args = append(args, "--networks", n)
	}
	w := &worker{process: exec.Command(j.Self[0], args...), lines: make(chan []byte), said: &tail{}}
	w.process.Stderr = w.said
	out, err := w.process.StdoutPipe()
	if err != nil {
		return err
	}
	if w.in, err = w.process.StdinPipe(); err != nil {
		return err
	}
	if err := w.process.Start(); err != nil {
		return err
	}
	go func() {
		defer close(w.lines)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, maxReply)
		for lines.Scan() {
			w.lines <- bytes.Clone(lines.Bytes())
		}
		w.process.Wait() // how it ended says its last line
	}()
	j.worker = w
	var h hello
	if err := w.read(ctx, helloTime, &h); err != nil {
		j.stopWorker()
		return fmt.Errorf("the GPU: %w", err)
	}
	if h.Error != "" {
		j.stopWorker()
		return errors.New(h.Error)
	}
	j.device = h.Device
	return nil
}

// read reads a line of the worker.
func (w *worker) read(ctx context.Context, limit time.Duration, v any) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case line, ok := <-w.lines:
		if !ok {
			return fmt.Errorf("its process ended: %s", w.said.last())
		}
		return json.Unmarshal(line, v)
	case <-timer.C:
		return fmt.Errorf("no answer within %s; its process was ended", limit)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ask has a worker run a sample. If the worker did not survive it, it is
// gone, and the next sample starts another one. The error is only of ctx.
func (j *judge) ask(ctx context.Context, s golden.Sample) (golden.Program, error) {
	var r reply
	_, err := fmt.Fprintln(j.worker.in, s.Name)
	if err == nil {
		err = j.worker.read(ctx, sampleTime(s.Name), &r)
	}
	if err != nil || r.Broken {
		j.stopWorker()
	}
	if ctx.Err() != nil {
		return golden.Program{}, context.Cause(ctx)
	}
	if err != nil {
		r.Program = golden.Program{Name: s.Name, Failed: err.Error()}
		if session, err := s.Open(); err == nil {
			r.Program.Inputs = s.Inputs(session)
		}
	}
	return r.Program, nil
}

// stopWorker ends the worker.
func (j *judge) stopWorker() {
	w := j.worker
	if w == nil {
		return
	}
	j.worker = nil
	w.in.Close()
	w.process.Process.Kill()
	ended := make(chan struct{})
	go func() {
		for range w.lines { // its last words, nobody waits for them
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(endTime): // a driver that hangs may keep its process
		j.say("the process of the GPU does not end; going on without")
	}
}
