//go:build unix

package main

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestSignal sends the process a real interrupt while a launch does not end.
func TestSignal(t *testing.T) {
	t.Chdir(t.TempDir())
	endless(t)
	time.AfterFunc(300*time.Millisecond, func() { syscall.Kill(os.Getpid(), syscall.SIGINT) })
	var out, errOut bytes.Buffer
	args := []string{"profile", "m.json", "-o", "p.csv", "--max-instructions", "1000000000000000", "--timeout", "20s"}
	if code := run(args, nil, &out, &errOut); code != exitInput {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	match(t, "stderr", errOut.String(), `(?m)^hyptx: m.json: launch 1 \(k\): interrupted$`)
	if rows := table(t, read(t, "p.csv")); len(rows) != 1 {
		t.Errorf("rows %v", rows)
	}
}
