package judge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"hyptx/internal/hardware/golden"
)

// The other end of the pipe. The worker knows nothing of budgets, files or earlier
// runs: it answers one name after the other and leaves as soon as its GPU is
// broken. That it may be killed in any line is the reason why it keeps no state.

// hello is the worker's first line.
type hello struct {
	Device golden.Device `json:"device"`
	// Error is why there is no device.
	Error string `json:"error,omitempty"`
}

// reply is the worker's answer to a program's name.
type reply struct {
	Program golden.Program `json:"program"`
	// Broken: the device cannot be used any more by this process, which ends.
	Broken bool `json:"broken,omitempty"`
}

// Opened is a device that is ready.
type Opened struct {
	Device golden.Device
	Run    golden.Run
	Close  func()
}

// Serve is the worker process: it opens the device, says hello, and then
// answers each line of in, a sample's name, with what the sample left behind. It
// ends with its input, or when the device is broken.
func Serve(ctx context.Context, samples []golden.Sample, open func() (*Opened, error), in io.Reader, out io.Writer) error {
	e := json.NewEncoder(out)
	device, err := open()
	if err != nil {
		return e.Encode(hello{Error: err.Error()})
	}
	defer device.Close()
	if err := e.Encode(hello{Device: device.Device}); err != nil {
		return err
	}
	byName := map[string]golden.Sample{}
	for _, s := range samples {
		byName[s.Name] = s
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		s, ok := byName[lines.Text()]
		if !ok {
			return fmt.Errorf("no sample is called %q", lines.Text())
		}
		var r reply
		r.Program, r.Broken = golden.Make(ctx, s, device.Run)
		if err := e.Encode(r); err != nil || r.Broken {
			return err
		}
	}
	return lines.Err()
}
