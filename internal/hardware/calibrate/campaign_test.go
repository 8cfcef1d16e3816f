package calibrate

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hyptx/internal/gpu"
)

// TestRatesComeBack measures the synthetic GPU and finds what was planted.
func TestRatesComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		p := Quick()
		p.PowerPoints = 1 // idle
		c := s.campaign(logPath(t), p)
		mustRun(t, c)
		r, err := Evaluate(t.Context(), c.Log, s.counter)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			name string
			got  *gpu.Float
			want float64
		}{
			{"t_sp", r.TSPGFLOPS, 14100}, {"t_dp", r.TDPGFLOPS, 7000}, {"t_int", r.TIntGIOPS, 13000}, {"t_add", r.TAddGIOPS, 6900}, {"t_ldst", r.TLdstGOPS, 3500},
			{"b_mem", r.BMemGBPerS, (780. + 800 + 760) / 3}, {"launch", r.LaunchOverheadUs, 2.5}, {"idle", r.IdleW, plantedIdleW},
		} {
			if x.got == nil || math.Abs(x.got.Value-x.want) > 1e-3*x.want {
				t.Errorf("%s: %+v, want %g", x.name, x.got, x.want)
			} else if !strings.Contains(x.got.Source, "calibrate on Quadro GV100, driver 550.54.15, 2000-01-01, SM clock 1447 MHz") {
				t.Errorf("%s: source %q", x.name, x.got.Source)
			}
		}
	})
}

// TestUnmeasuredStaysNull: a log with few rates gives few numbers.
func TestUnmeasuredStaysNull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		p := Quick()
		p.PowerPoints, p.Only = 0, []string{"dp_fma", "copy16", "read16"}
		c := s.campaign(logPath(t), p)
		mustRun(t, c)
		r, err := Evaluate(t.Context(), c.Log, s.counter)
		if err != nil {
			t.Fatal(err)
		}
		if r.TDPGFLOPS == nil || r.TSPGFLOPS != nil || r.BMemGBPerS != nil || r.LaunchOverheadUs != nil || r.IdleW != nil {
			t.Errorf("rates %+v", r)
		}
	})
}

// TestResume: a second campaign measures what the log lacks, also after a line
// that was cut off, and nothing twice.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := logPath(t)
		s := newSynthetic(t)
		p := Quick()
		p.PowerPoints = 3
		mustRun(t, s.campaign(path, p))
		n := len(s.opened)
		mustRun(t, s.campaign(path, p))
		if len(s.opened) != n {
			t.Errorf("measured again: %v", s.opened[n:])
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text[:len(text)-20], 0o644); err != nil {
			t.Fatal(err)
		}
		c := s.campaign(path, p)
		if c.Left() != 1 {
			t.Errorf("%d points left, want the one that was cut off", c.Left())
		}
		mustRun(t, c)
		if again, err := ReadLog(path); err != nil || len(again.Measurements) != len(c.Points) {
			t.Errorf("%v, %d of %d", err, len(again.Measurements), len(c.Points))
		}
		p.Seconds = 20 // another measurement
		if c := s.campaign(path, p); c.Left() != 3 {
			t.Errorf("%d points left after a change of --seconds, want 3", c.Left())
		}
	})
}

// TestBudget: no point begins that would not end in time; interrupts keep what
// is there.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		c := s.campaign(logPath(t), Quick())
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Second, ErrBudget)
		defer cancel()
		failed, ended := c.Run(ctx)
		if len(failed) > 0 || !errors.Is(ended, ErrBudget) {
			t.Errorf("%v, %v", failed, ended)
		}
		power := 0
		for _, m := range c.Log.Measurements {
			if m.Kind == Power {
				power++
			}
		}
		if power < 2 || power > 4 {
			t.Errorf("%d points of 10 s in 50 s", power)
		}
		stop, interrupt := context.WithCancelCause(t.Context())
		why := errors.New("interrupted")
		time.AfterFunc(3*time.Second, func() { interrupt(why) })
		before := len(c.Log.Measurements)
		if _, ended = c.Run(stop); !errors.Is(ended, why) || len(c.Log.Measurements) != before {
			t.Errorf("interrupted: %v", ended)
		}
	})
}

// TestPowerStats: the steady part's mean, energy and time are the machine's.
func TestPowerStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		p := Quick()
		p.Only = []string{"int_add"}
		c := s.campaign(logPath(t), p)
		mustRun(t, c)
		m := c.Log.Measurements[slices.IndexFunc(c.Log.Measurements, func(m *Measurement) bool { return m.Kind == Power })]
		w := m.Power
		if w.StdW > 1e-9 || math.Abs(w.EnergyW-w.MeanW) > .01*w.MeanW || w.Samples < 60 || w.Samples > 80 || math.Abs(w.Seconds-7) > .3 || w.SMClockMHz != 1447 {
			t.Errorf("power %+v", w)
		}
		if m.MS < 100 || m.MS > 200 || m.UsedSMs != 80 {
			t.Errorf("measurement %+v", m)
		}
	})
}

// TestFailures: one benchmark that cannot run does not stop the others; sensors
// without power do.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		s.broken["int_mad"] = errors.New("the driver refuses it")
		p := Quick()
		p.PowerPoints = 0
		c := s.campaign(logPath(t), p)
		failed, ended := c.Run(t.Context())
		if ended != nil || len(failed) != 1 || len(c.Log.Measurements) != len(c.Points)-1 {
			t.Errorf("%v, %v, %d measured", failed, ended, len(c.Log.Measurements))
		}
		contains(t, failed[0], "rate int_mad", "refuses")
		s.noPower = true
		p.PowerPoints, p.Only = 5, []string{"fp_fma", "int_add"}
		_, ended = s.campaign(logPath(t), p).Run(t.Context())
		contains(t, ended, "no power readings")
	})
}

// TestClocks: a sweep locks clocks and gives them free; if it may not, it tries once.
func TestClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		p := Quick()
		p.PowerPoints, p.ClocksMHz, p.Only = 0, []int{800, 1100, 1400}, []string{"fp_mul", "fp_add"}
		c := s.campaign(logPath(t), p)
		mustRun(t, c)
		runs, err := CollectRuns(t.Context(), c.Log, s.gpu, s.counter)
		if err != nil {
			t.Fatal(err)
		}
		if len(runs.Clocks) != 12 || len(runs.Rows) != 0 || s.locked != 0 {
			t.Errorf("%d rows of clocks, %d others, locked at %d", len(runs.Clocks), len(runs.Rows), s.locked)
		}
		s.locks, s.noClocks = 0, true
		failed, ended := s.campaign(logPath(t), p).Run(t.Context())
		if ended != nil || len(failed) != 1 || s.locks != 1 {
			t.Errorf("%v, %v, %d tries to lock clocks", failed, ended, s.locks)
		}
		contains(t, failed[0], "cannot be locked", "not permitted")
	})
}

// TestNetwork: a network's point goes to its own file and not to tuning.
func TestNetwork(t *testing.T) {
	file := filepath.Join("..", "..", "..", "examples", "vector_add.json")
	pt, err := NetworkPoint(file, 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NetworkPoint("campaign_test.go", 10); err == nil {
		t.Error("a file that is no manifest was taken")
	}
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		c := s.campaign(logPath(t), Quick())
		c.Points = []Point{pt}
		mustRun(t, c)
		var out strings.Builder
		if n, err := c.Log.WriteNetworks(&out); n != 1 || err != nil || !strings.Contains(out.String(), "vector_add,2000,123,") {
			t.Errorf("%d %v %s", n, err, out.String())
		}
		if c.Left() != 0 {
			t.Error("the network would be measured again")
		}
		if runs, err := CollectRuns(t.Context(), c.Log, s.gpu, s.counter); err != nil || len(runs.Rows) != 0 {
			t.Errorf("%v %v", runs, err)
		}
	})
}
