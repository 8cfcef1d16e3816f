//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestSignal sends the process a real interrupt while a launch does not end. The
// interrupt comes later until it finds the launch running. One that comes before
// hyptx listens harms nobody, as the test listens, too.
func TestSignal(t *testing.T) {
	t.Chdir(t.TempDir())
	endless(t)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT)
	defer signal.Stop(signals)
	args := []string{"profile", "m.json", "-o", "p.csv", "--max-instructions", "1000000000000000", "--timeout", "2m"}
	var errOut bytes.Buffer
	for wait := 300 * time.Millisecond; wait < time.Minute; wait *= 3 {
		sent := time.AfterFunc(wait, func() { syscall.Kill(os.Getpid(), syscall.SIGINT) })
		errOut.Reset()
		code := run(args, nil, io.Discard, &errOut)
		if sent.Stop() || code != exitInput {
			t.Fatalf("exit code %d: %s", code, errOut.String())
		}
		<-signals
		if _, err := os.Stat("p.csv"); err == nil {
			break
		}
	}
	match(t, "stderr", errOut.String(), `(?m)^hyptx: m.json: launch 1 \(k\): interrupted$`)
	if rows := readCSV(t, read(t, "p.csv")); len(rows) != 1 {
		t.Errorf("rows %v", rows)
	}
}
