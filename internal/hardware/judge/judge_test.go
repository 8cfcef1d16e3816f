package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hyptx/analysis"
	"hyptx/internal/hardware/golden"
)

// role is the variable that makes the test's binary a child of judge: hyptx
// with a device that is none.
const role = "HYPTX_JUDGE_TEST"

func TestMain(m *testing.M) {
	if orders := os.Getenv(role); orders != "" {
		os.Exit(child(orders, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// stuck is how long a child does nothing that its orders make slow: longer than
// any test would wait, so that who did not end it is found out on the slowest
// machine, and who did is not suspected on a loaded one.
const stuck = time.Hour

// standsStill is the variable with the path of a file that a child makes before it
// does nothing for so long.
const standsStill = "HYPTX_JUDGE_STANDS_STILL"

func standStill() {
	os.WriteFile(os.Getenv(standsStill), nil, 0o644)
	time.Sleep(stuck)
}

// whenStill calls f as soon as a child stands still, unless ctx ends before: no clock
// says when, however slowly the machine gets there.
func whenStill(ctx context.Context, f func()) {
	for path := os.Getenv(standsStill); ctx.Err() == nil; {
		if os.Remove(path) == nil {
			f()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// child is hyptx judge-worker, calibrate or run, as far as judge needs them.
// orders say what goes wrong: "hang:NAME die:NAME refuse:NAME fault:NAME
// nodevice slow late nocalibrate".
func child(orders string, args []string) int {
	has := func(order string) bool { return slices.Contains(strings.Fields(orders), order) }
	flag := func(name string) string {
		if i := slices.Index(args, name); i >= 0 {
			return args[i+1]
		}
		return ""
	}
	switch args[0] {
	case "judge-worker":
		return serve(has, flag)
	case "calibrate":
		if has("nocalibrate") {
			fmt.Fprintln(os.Stderr, "hyptx: no micro-benchmark is known")
			return 1
		}
		text := strings.Join(args, " ") + "\n"
		if err := os.WriteFile(flag("-o"), []byte(text), 0o644); err != nil {
			return 3
		}
		if has("late") {
			standStill()
		}
		fmt.Fprintln(os.Stderr, "calibrate: 7 rates")
	}
	return 0
}

func serve(has func(string) bool, flag func(string) string) int {
	samples, err := golden.Samples(flag("--samples"), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	open := func() (*Opened, error) {
		if has("slow") {
			standStill()
		}
		if has("nodevice") {
			return nil, errors.New("no CUDA driver: none at all")
		}
		return &Opened{Device: golden.Device{Name: "Test GPU", Major: 9, DriverVersion: 13000}, Close: func() {}, Run: func(_ context.Context, s golden.Sample, _ *analysis.Session) (golden.Result, error) {
			name := s.Name
			switch {
			case has("hang:" + name):
				standStill()
			case has("die:" + name):
				fmt.Fprintln(os.Stderr, "the driver crashed")
				os.Exit(9)
			case has("refuse:" + name):
				return golden.Result{Target: "sm_90a"}, golden.Refusal{Err: errors.New("ptxas application ptx input, line 9; error: not for sm_90a")}
			case has("fault:" + name):
				return golden.Result{}, errors.New("cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)")
			}
			return golden.Result{TimesMs: []float64{0.5}}, nil
		}}, nil
	}
	if err := Serve(context.Background(), samples, open, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// config is a judgement with the test's binary as hyptx, which may take its time.
// orders go to it.
func config(t *testing.T, orders string) (Config, *bytes.Buffer) {
	t.Helper()
	t.Setenv(role, "yes "+orders)
	t.Setenv(standsStill, filepath.Join(t.TempDir(), "still"))
	usual := sampleTime
	t.Cleanup(func() { sampleTime = usual })
	sampleTime = func(string) time.Duration { return stuck }
	t.Setenv("PATH", t.TempDir()) // no tools but those that a test puts there
	var log bytes.Buffer
	return Config{Out: t.TempDir(), Samples: filepath.Join("..", "..", "..", "ptx-samples"), Budget: stuck, Self: []string{os.Args[0]},
		Version: "test", Date: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Log: &log}, &log
}

// tool puts a shell script on PATH.
func tool(t *testing.T, name, text string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	path := filepath.Join(os.Getenv("PATH"), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\nPATH=/usr/bin:/bin\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// statesOf reads judge.json: "part:state ...", and the notes.
func statesOf(t *testing.T, dir string) (string, map[string]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "judge.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s status
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	var words []string
	notes := map[string]string{}
	for _, p := range s.Parts {
		words = append(words, p.Name+":"+p.State)
		notes[p.Name] = p.Note
	}
	return strings.Join(words, " "), notes
}

// outputsOf reads outputs.jsonl by program.
func outputsOf(t *testing.T, dir string) map[string]golden.Program {
	t.Helper()
	path := filepath.Join(dir, "outputs.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := golden.Read(path, text)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]golden.Program{}
	for _, p := range f.Programs {
		all[p.Name] = p
	}
	return all
}

// TestOutputs: programs that hang, crash the driver, fault or are not for the
// GPU cost nothing but themselves.
func TestOutputs(t *testing.T) {
	c, log := config(t, "hang:features/bra die:features/call refuse:features/clmad fault:features/trap_taken")
	sampleTime = func(name string) time.Duration {
		if name == "features/bra" {
			return 2 * time.Second
		}
		return stuck
	}
	c.Only = []string{"outputs"}
	if err := Run(context.Background(), c); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	dir := filepath.Join(c.Out, "test-gpu")
	all := outputsOf(t, dir)
	for name, want := range map[string]golden.Program{
		"features/bra":        {Failed: "no answer within 2s; its process was ended"},
		"features/call":       {Failed: "its process ended: the driver crashed"},
		"features/clmad":      {Skipped: "ptxas application ptx input, line 9; error: not for sm_90a", Target: "sm_90a"},
		"features/trap_taken": {Failed: "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
		"features/add_f32":    {},
	} {
		if p := all[name]; p.Failed != want.Failed || p.Skipped != want.Skipped || p.Target != want.Target || len(p.Inputs) != 64 {
			t.Errorf("%s: %+v, want %+v", name, p, want)
		}
	}
	got, notes := statesOf(t, dir)
	if want := fmt.Sprintf("%d of %d programs ran, 1 are not for this GPU, 3 failed", len(all)-4, len(all)); got != "outputs:done" || notes["outputs"] != want {
		t.Errorf("%s, %q, want %q", got, notes["outputs"], want)
	}
}

// TestNoDevice: without a driver there is one sentence, and nothing is written.
func TestNoDevice(t *testing.T) {
	c, _ := config(t, "nodevice")
	if err := Run(context.Background(), c); err == nil || err.Error() != "no CUDA driver: none at all" {
		t.Errorf("%v", err)
	}
	if files, _ := os.ReadDir(c.Out); len(files) != 0 {
		t.Errorf("%v was written", files)
	}
	c.Self = []string{"/no/such/hyptx"}
	if err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "/no/such/hyptx") {
		t.Errorf("%v", err)
	}
	c.Only = []string{"output"}
	if err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), `no part "output"; the parts are outputs, sass,`) {
		t.Errorf("%v", err)
	}
	c.Only, c.Samples = nil, t.TempDir()
	if err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "must be ptx-samples") {
		t.Errorf("%v", err)
	}
}

// TestParts: all parts in order; what is missing is skipped with its reason.
func TestParts(t *testing.T) {
	c, log := config(t, "")
	if err := Run(context.Background(), c); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	dir := filepath.Join(c.Out, "test-gpu")
	got, notes := statesOf(t, dir)
	if want := "outputs:done sass:skipped calibration:done power:done counters:skipped"; got != want {
		t.Errorf("%s, want %s\n%s", got, want, log)
	}
	if notes["calibration"] != "calibrate: 7 rates" || !strings.Contains(notes["sass"], "ptxas is neither on PATH") || !strings.Contains(notes["counters"], "ncu is neither on PATH") {
		t.Errorf("%v", notes)
	}
	text, err := os.ReadFile(filepath.Join(dir, "calibration.json"))
	if err != nil || !strings.Contains(string(text), "--power 20 --quick") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestBudget: the budget ends a child that does not end, and what it wrote
// stays; a part that fails does not keep the others from running.
func TestBudget(t *testing.T) {
	defer func(f func(context.Context, time.Time, error) (context.Context, context.CancelFunc)) { withEnd = f }(withEnd)
	withEnd = func(ctx context.Context, end time.Time, over error) (context.Context, context.CancelFunc) {
		ctx, stop := context.WithDeadlineCause(ctx, end, errors.New("the test took too long"))
		ctx, cancel := context.WithCancelCause(ctx)
		go whenStill(ctx, func() { cancel(over) })
		return ctx, stop
	}
	c, log := config(t, "late")
	c.Only = []string{"calibration", "power"}
	if err := Run(context.Background(), c); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	dir := filepath.Join(c.Out, "test-gpu")
	if got, _ := statesOf(t, dir); got != "calibration:partial power:partial" {
		t.Errorf("%s\n%s", got, log)
	}
	if _, err := os.Stat(filepath.Join(dir, "calibration.json")); err != nil {
		t.Error(err)
	}

	c, log = config(t, "nocalibrate")
	c.Only = []string{"calibration", "counters"}
	if err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "calibration: hyptx calibrate: hyptx: no micro-benchmark is known") {
		t.Errorf("%v\n%s", err, log)
	}
	if got, _ := statesOf(t, filepath.Join(c.Out, "test-gpu")); got != "calibration:failed counters:skipped" {
		t.Errorf("%s", got)
	}
}

// TestInterrupt: what was done before Ctrl-C is there.
func TestInterrupt(t *testing.T) {
	c, log := config(t, "hang:features/bra")
	ctx, cancel := context.WithCancelCause(context.Background())
	go whenStill(ctx, func() { cancel(errors.New("interrupted")) })
	if err := Run(ctx, c); err == nil || err.Error() != "interrupted" {
		t.Fatalf("%v\n%s", err, log)
	}
	dir := filepath.Join(c.Out, "test-gpu")
	all := outputsOf(t, dir)
	if _, ok := all["features/add_f32"]; !ok || len(all) > 100 {
		t.Errorf("%d programs", len(all))
	}
	if got, _ := statesOf(t, dir); got != "outputs:failed sass:skipped calibration:skipped power:skipped counters:skipped" {
		t.Errorf("%s\n%s", got, log)
	}
}
