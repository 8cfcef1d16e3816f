package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processorTime is what a process has had of the processors so far, false if it has
// ended (proc(5): fields 14 and 15 of stat, in hundredths of a second).
func processorTime(pid int) (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, ok := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if err != nil || !ok || fields[0] == "Z" {
		return 0, false
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, false
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, err == nil
}

// interruptedAt sends a command the signal when it has had so much of the processors, and
// returns what it took of them from then to its end; ended: it was done before, or had
// found that it has no figure to give.
func interruptedAt(t *testing.T, at time.Duration, signal syscall.Signal, args ...string) (took time.Duration, ended bool) {
	t.Helper()
	c, _ := process(t, args...)
	var errOut bytes.Buffer
	c.Stderr = &errOut
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	before, runs := processorTime(c.Process.Pid)
	for ; runs && before < at; before, runs = processorTime(c.Process.Pid) {
		time.Sleep(5 * time.Millisecond)
	}
	_ = c.Process.Signal(signal) // to one that has ended it does nothing
	_ = c.Wait()
	code := c.ProcessState.ExitCode()
	if code == exitDone || code == exitInput && !runs {
		return 0, true
	}
	if code != exitInput || !strings.Contains(errOut.String(), "interrupted") {
		t.Fatalf("%v after %s: %v: %s", args, at, c.ProcessState, errOut.String())
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime() - before, false
}

// signalTimes are when signals come: step after step until the program ends where
// HYPTX_HEAVY asks, else one early and one later, for each takes as long as the program
// has run by then, and the end as long as all of it.
func signalTimes(step time.Duration) iter.Seq[time.Duration] {
	apart, most := 5*step, step/2+5*step
	if os.Getenv("HYPTX_HEAVY") != "" {
		apart, most = step, math.MaxInt64
	}
	return func(yield func(time.Duration) bool) {
		for at := step / 2; at <= most && yield(at); at += apart {
		}
	}
}

// TestInterruptedAnywhere: from a signal to the end of the process, whatever it does, two
// cores can have 200 ms of work, of which the system takes some for freeing a gigabyte. It
// is processor time, which other processes do not change, and so is when the signal comes.
func TestInterruptedAnywhere(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("minutes")
	}
	t.Chdir(t.TempDir())
	put(t, "labels.ptx", manyLabels(1e6))
	put(t, "loops.ptx", nestedLoops(3000))
	put(t, "row.ptx", loopsInARow(20_000))
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	for _, c := range []struct {
		args string
		step time.Duration
	}{
		{"parse labels.ptx", 600 * time.Millisecond},
		{"profile labels.ptx --mode static --arg n=1 -o p.csv", 1500 * time.Millisecond},
		{"profile labels.ptx --arg n=1 -o p.csv", 1200 * time.Millisecond},
		{"roofline loops.ptx --arg n=1 --gpu gv100 -o p.csv", 450 * time.Millisecond},
		{"power row.ptx --arg n=1 --gpu gv100 -o p.csv", 6 * time.Second},
	} {
		most, n := time.Duration(0), 0
		for at := range signalTimes(c.step) {
			took, ended := interruptedAt(t, at, signals[n%2], strings.Fields(c.args)...)
			if ended {
				break
			}
			most, n = max(most, took), n+1
			if took > 400*time.Millisecond {
				t.Errorf("%s: %s of processor time from a signal after %s to the end", c.args, took, at)
			}
		}
		t.Logf("%s: at most %s of processor time, %d signals", c.args, most, n)
	}
}

// TestInterruptedCommands: the same of commands that simulate, execute or write several
// files. What they leave is whole: no file that is cut, no temporary one.
func TestInterruptedCommands(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("minutes")
	}
	samples, err := filepath.Abs("../../ptx-samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	put(t, "long.ptx", straightCode(8e6))
	put(t, "long.json", `{"version": 1, "buffers": {"a": {"bytes": 4096, "type": "u32", "init": "zero"}}, "outputs": [{"name": "a", "buffer": "a"}],
		"launches": [{"module": "long.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "a"}, {"value": 1}]}]}`)
	for _, c := range []struct {
		args string
		step time.Duration
	}{
		{"power long.ptx --arg n=1 --gpu gv100 -o p.csv --hot h.csv", 400 * time.Millisecond},
		{"run long.json -o out.json", 300 * time.Millisecond},
		{"roofline SAMPLES/networks/alexnet.json --gpu gv100 -o t.csv --plot t.svg", 1500 * time.Millisecond},
		{"st2 SAMPLES/benchmarks/pathfinder.json -o .", 1500 * time.Millisecond},
		{"scalemodel sample SAMPLES/networks/resnet50.json -o s.csv", 200 * time.Millisecond},
		{"scalemodel mrc SAMPLES/benchmarks/backprop-131072.json --gpu gv100 -o c.csv --plot c.svg", 300 * time.Millisecond},
		{"scalemodel chiplets SAMPLES/benchmarks/backprop-131072.json --gpu gv100 -o c.csv", 200 * time.Millisecond},
		{"scalemodel predict SAMPLES/benchmarks/backprop.json --gpu gv100 --sms 5,10,20 -o p.csv --sweep w.csv", 1200 * time.Millisecond},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "SAMPLES", samples))
		most, n := time.Duration(0), 0
		for at := range signalTimes(c.step) {
			took, ended := interruptedAt(t, at, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[n%2], args...)
			wholeFiles(t, c.args)
			if ended {
				break
			}
			if most, n = max(most, took), n+1; took > 400*time.Millisecond {
				t.Errorf("%s: %s of processor time from a signal after %s to the end", c.args, took, at)
			}
		}
		t.Logf("%s: at most %s of processor time, %d signals", c.args, most, n)
		for _, limit := range []string{"30ms", "300ms"} {
			r, _ := process(t, append(args, "--timeout", limit)...)
			out, _ := r.CombinedOutput()
			if code := r.ProcessState.ExitCode(); code != exitDone && (code != exitInput || !strings.Contains(string(out), "more than "+limit+" needed; the limit can be raised with --timeout")) {
				t.Errorf("%s --timeout %s: %d, %s", c.args, limit, code, out)
			}
			wholeFiles(t, c.args)
		}
	}
}

// wholeFiles fails for files that are cut or only temporary, and removes all but those
// that are read.
func wholeFiles(t *testing.T, what string) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := ""
		switch ending := filepath.Ext(f.Name()); {
		case f.Name() == "long.json", ending == ".ptx":
			continue
		case ending == ".csv":
			text = read(t, f.Name())
			if _, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || !strings.HasSuffix(text, "\n") {
				t.Errorf("%s: %s is cut", what, f.Name())
			}
		case ending == ".svg":
			if text = read(t, f.Name()); !strings.HasSuffix(strings.TrimSpace(text), "</svg>") {
				t.Errorf("%s: %s is cut", what, f.Name())
			}
		case ending == ".json":
			if text = read(t, f.Name()); !json.Valid([]byte(text)) {
				t.Errorf("%s: %s is cut", what, f.Name())
			}
		default:
			t.Errorf("%s leaves %s", what, f.Name())
		}
		if err := os.Remove(f.Name()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInterruptedTwice: what a second signal does while files are written: none is half
// there, and it is said which are not written.
func TestInterruptedTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.json", "old")
	var errOut bytes.Buffer
	a := newApp(nil, nil, &errOut)
	if err := a.checkOutputs(nil, &output{flag: "-o", path: "p.json", as: asRows}, &output{flag: "--loops", path: "l.csv", as: asCSV}, &output{flag: "--races", path: "r.csv", as: asCSV}); err != nil {
		t.Fatal(err)
	}
	if err := a.write("r.csv", func(w io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	f, err := a.create(t.Context(), "p.json")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("half")
	_ = f.Flush()
	a.dropUnfinished()
	a.noteUnwritten()
	if got := errOut.String(); got != "hyptx: interrupted again before p.json was written\nhyptx: interrupted again before l.csv was written\n" {
		t.Errorf("it says\n%s", got)
	}
	if files, _ := os.ReadDir("."); len(files) != 2 || read(t, "p.json") != "old" {
		t.Errorf("files %v", files)
	}
}
