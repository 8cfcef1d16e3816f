package calibrate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hyptx/internal/gpu"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/nvml"
	"hyptx/power"
)

// plantedOps are the rates of the synthetic GPU, 1e9 a second, by the parts of
// benchmarks: operations, or bytes.
var plantedOps = map[string]float64{
	"fp_fma": 14000, "register_file": 14100, "dp_fma": 7000, "int_mad": 13000, "int_add": 6900, "shared": 3500,
	"copy16": 780, "read16": 800, "write16": 760, "copy4": 700, "read4": 710, "write4": 705,
}

// plantedIdleW and emptyLaunchMS are what the synthetic GPU takes at rest, and
// for a launch.
const (
	plantedIdleW  = 40
	emptyLaunchMS = .0025
)

// synthetic is a GPU without hardware: times follow from planted rates, power
// from a power model. It lives in a bubble of testing/synctest.
type synthetic struct {
	t                 *testing.T
	counter           *Counter
	gpu               *gpu.GPU
	chip              *power.Chip
	watts             float64 // now
	broken            map[string]error
	opened            []string
	locked, locks     int
	noPower, noClocks bool
}

// newSynthetic returns a GPU like a GV100.
func newSynthetic(t *testing.T) *synthetic {
	t.Helper()
	c := testCounter(t, "gv100")
	return &synthetic{t: t, gpu: c.GPU, counter: c, chip: power.GV100("ptx_sim", power.Release), watts: plantedIdleW, broken: map[string]error{}}
}

// subject describes it.
func (s *synthetic) subject() *Subject {
	return &Subject{DeviceInfo: cuda.DeviceInfo{
		Name: "Quadro GV100", UUID: "GPU-1", Major: 7, Minor: 0, SMs: 80, ClockKHz: 1627000, MemoryClockKHz: 848000, MemoryBusBits: 4096, L2Bytes: 6 << 20,
		MaxThreadsPerSM: 2048, RegistersPerSM: 65536, SharedBytesPerSM: 98304, SharedBytesPerBlockOptin: 98304, WarpSize: 32, MemoryBytes: 32 << 30, DriverVersion: 12040,
	}, Driver: "550.54.15", LimitW: 250, Hyptx: "test"}
}

func (s *synthetic) Read() (*nvml.Reading, error) {
	r := &nvml.Reading{PowerW: s.watts, TemperatureC: 65, SMClockMHz: 1447, MemClockMHz: 848, EnergyJ: s.watts * float64(time.Now().UnixMilli()) / 1e3}
	if s.noPower {
		r.Absent = []string{"power_w", "energy_j"}
	}
	return r, nil
}

func (s *synthetic) LockClock(mhz int) error {
	s.locks++
	if s.locked = mhz; s.noClocks {
		return errors.New("not permitted")
	}
	return nil
}

func (s *synthetic) OpenProgram(string) (Job, error) {
	s.watts = 123
	return &syntheticJob{s: s, perTurnMS: 2}, nil
}

func (s *synthetic) Open(setup Setup) (Job, error) {
	s.opened = append(s.opened, setup.Benchmark)
	if err := s.broken[setup.Benchmark]; err != nil {
		return nil, err
	}
	setup.Iterations = 1000
	n, err := s.counter.Count(context.Background(), setup)
	if err != nil {
		return nil, err
	}
	ms := 0.
	for part, ops := range n.Work {
		rate, ok := plantedOps[part]
		if !ok {
			rate = 1000
		}
		ms = max(ms, ops/rate/1e6*80/float64(min(setup.Grid, 80))*warpLanes/float64(setup.Lanes))
	}
	j := &syntheticJob{s: s, perTurnMS: ms / 1000, launchMS: emptyLaunchMS, sms: min(setup.Grid, 80)}
	m := &Measurement{Point: Point{Benchmark: setup.Benchmark}, Setup: &setup, MS: max(ms, emptyLaunchMS), UsedSMs: j.sms, Registers: 24, Power: &PowerStats{SMClockMHz: 1447}}
	run, err := newRun(context.Background(), []*Measurement{m}, 1, s.gpu, s.counter)
	if err != nil {
		return nil, err
	}
	e, err := s.chip.Estimate(&run.Activity, power.Release, power.Reference)
	if err != nil {
		return nil, err
	}
	s.watts = e.TotalW()
	return j, nil
}

type syntheticJob struct {
	s                   *synthetic
	perTurnMS, launchMS float64
	sms                 int
}

func (j *syntheticJob) Run(ctx context.Context, turns, times int) (float64, error) {
	ms := float64(times) * (j.launchMS + j.perTurnMS*float64(turns))
	if err := Wait(ctx, time.Duration(ms*float64(time.Millisecond))); err != nil {
		return 0, err
	}
	return ms, nil
}

func (j *syntheticJob) Registers() int        { return 24 }
func (j *syntheticJob) UsedSMs() (int, error) { return j.sms, nil }
func (j *syntheticJob) Close() error          { j.s.watts = plantedIdleW; return nil }

// campaign opens a log and plans a protocol on the synthetic GPU.
func (s *synthetic) campaign(path string, p Protocol) *Campaign {
	s.t.Helper()
	points, err := Plan(p, s.subject().Chip())
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := OpenLog(path, s.subject())
	if err != nil {
		s.t.Fatal(err)
	}
	l.Close() // tests open a log again and again; TestLock is about its lock
	session := &Session{Machine: s, Protocol: p, Chip: s.subject().Chip(), Now: time.Now, Sleep: Wait}
	return &Campaign{Session: session, Log: l, Points: points}
}

// logPath is where a test's log goes.
func logPath(t *testing.T) string { return filepath.Join(t.TempDir(), "x.log.jsonl") }

// mustRun runs a campaign that has to succeed.
func mustRun(t *testing.T, c *Campaign) {
	t.Helper()
	failed, ended := c.Run(t.Context())
	if err := errors.Join(append(failed, ended)...); err != nil {
		t.Fatal(err)
	}
}

// contains fails unless the error says all of the words.
func contains(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(fmt.Sprint(err), w) {
			t.Errorf("error %v: should say %q", err, w)
		}
	}
}
