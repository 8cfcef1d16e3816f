package calibrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hyptx/internal/gpu"
	"hyptx/power"
)

// TestRunsTune: the runs of the synthetic GPU, whose power is that of a power
// model, go through the tuner and give its power back.
func TestRunsTune(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		p := Quick()
		p.PowerPoints = -1
		c := s.campaign(logPath(t), p)
		mustRun(t, c)
		runs, err := CollectRuns(t.Context(), c.Log, s.gpu, s.counter)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := runs.WriteRuns(&text, "a comment"); err != nil {
			t.Fatal(err)
		}
		list, absent, err := power.ReadRuns("runs.csv", text.Bytes(), 80)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != len(runs.Rows) || len(list) < 70 {
			t.Errorf("%d runs written, %d read", len(runs.Rows), len(list))
		}
		start, err := power.StartPoint(power.StartFermi)
		if err != nil {
			t.Fatal(err)
		}
		tuned, err := power.Tune(s.chip, start, list, absent, power.Release)
		if err != nil {
			t.Fatal(err)
		}
		if tuned.Accuracy.MAPEPct > 1 || strings.Join(tuned.Unused, " ") != "TCP TEXP" {
			t.Errorf("tuned: mean error %.3f %%, unused %v, equalities %v", tuned.Accuracy.MAPEPct, tuned.Unused, tuned.Equalities)
		}
		t.Logf("%d runs, mean error %.3f %%, rank %d of %d, unused %v", len(list), tuned.Accuracy.MAPEPct, tuned.Rank, tuned.Exercised, tuned.Unused)
	})
}

// TestQuickRunsTune: the twenty points of a short run are enough for the tuner.
func TestQuickRunsTune(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		c := s.campaign(logPath(t), Quick())
		mustRun(t, c)
		runs, err := CollectRuns(t.Context(), c.Log, s.gpu, s.counter)
		if err != nil {
			t.Fatal(err)
		}
		var text, idle bytes.Buffer
		if err := errors.Join(runs.WriteRuns(&text, ""), runs.WriteIdle(&idle, 80)); err != nil {
			t.Fatal(err)
		}
		list, absent, err := power.ReadRuns("runs.csv", text.Bytes(), 80)
		if err != nil {
			t.Fatal(err)
		}
		start, err := power.StartPoint(string(power.PTXSim))
		if err != nil {
			t.Fatal(err)
		}
		tuned, err := power.Tune(s.chip, start, list, absent, power.Release)
		if err != nil || tuned.Accuracy.MAPEPct > .1 {
			t.Errorf("%+v %v", tuned, err)
		}
		sweep, err := power.ReadIdleRuns("idle.csv", idle.Bytes())
		if err != nil || len(sweep) != 2 {
			t.Fatalf("%v %v", sweep, err)
		}
		if w, err := power.IdleSMPower(sweep, 80, s.chip.ConstantW); err != nil || math.Abs(w-s.chip.IdleSMW) > .25*s.chip.IdleSMW {
			t.Errorf("idle SM %g W, want %g: %v", w, s.chip.IdleSMW, err)
		}
	})
}

// TestGPUFile: the file passes the checks of every GPU's file, is read by
// --gpu, and its rates are the measured ones.
func TestGPUFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		p := Quick()
		p.PowerPoints = 1
		c := s.campaign(logPath(t), p)
		mustRun(t, c)
		r, err := Evaluate(t.Context(), c.Log, s.counter)
		if err != nil {
			t.Fatal(err)
		}
		base, note := Base(c.Log.Subject)
		if base.Name != "gv100" || !strings.Contains(note, "gv100") {
			t.Errorf("base %s: %s", base.Name, note)
		}
		g, notes, err := File("mygpu", c.Log, base, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(notes) != 1 || !strings.Contains(notes[0], "L2: 5") { // planted without a clock in mind
			t.Errorf("notes %q", notes)
		}
		r.TAddGIOPS = &gpu.Float{Value: 20000, Source: "test"}
		if _, notes, _ := File("mygpu", c.Log, base, r); len(notes) != 2 || !strings.Contains(notes[1], "t_add_giops: 20000 is more than") {
			t.Errorf("notes %q", notes)
		}
		text, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "mygpu.json")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		mine, err := gpu.Get(file)
		if err != nil {
			t.Fatal(err)
		}
		rates, err := mine.Rates()
		if err != nil || rates.SPGFLOPS.Provenance != gpu.FromMeasurement || math.Abs(rates.MemGBPerS.Value-780) > 1 {
			t.Errorf("%+v %v", rates, err)
		}
		if base.Measured.TSPGFLOPS != nil || mine.Latency.FP32Cycles == nil || mine.Power.IdleW.Value != plantedIdleW {
			t.Error("the base was changed, or documented facts were lost")
		}
	})
}

// TestBase: facts of a product only for that product, of a compute capability
// else, and nothing for one that nobody knows.
func TestBase(t *testing.T) {
	s := (&synthetic{}).subject()
	for _, x := range []struct {
		name              string
		major, minor, sms int
		base              string
		units, l2Ways     bool
	}{
		{"NVIDIA H200", 9, 0, 132, "h200", true, true},
		{"NVIDIA H200", 9, 0, 66, "", true, false}, // half of one: another product
		{"NVIDIA H100 NVL", 9, 0, 132, "", true, false},
		{"NVIDIA GPU of the future", 15, 0, 200, "", false, false},
	} {
		s.Name, s.Major, s.Minor, s.SMs, s.L2Bytes = x.name, x.major, x.minor, x.sms, 62914560
		base, note := Base(s)
		if base.Name != x.base || (base.Units.FP32PerClock != nil) != x.units || (base.L2.Ways != nil) != x.l2Ways || note == "" {
			t.Errorf("%+v: %s, %s", x, base.Name, note)
		}
		g, _, err := File("mygpu", &Log{Subject: s}, base, &Rates{})
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if g.SMs.Value != x.sms || g.L2.Bytes.Value != 62914560 || g.Measured.TSPGFLOPS != nil || g.Clock.BoostMHz == nil {
			t.Errorf("%s: %+v", x.name, g)
		}
	}
}

// TestBadLogs: what is wrong is named with its line.
func TestBadLogs(t *testing.T) {
	const subject = `{"subject":{"name":"A","uuid":"GPU-1","major":7,"sms":80,"hyptx":"x"}}` + "\n"
	for _, x := range []struct{ text, want string }{
		{"", "names no GPU"},
		{"hello\n", "x.log.jsonl:1: no line of a log"},
		{subject + subject, ":2: the log names a second GPU"},
		{`{"measurement":{"kind":"rate"}}` + "\n", ":1: a measurement before the GPU"},
		{subject + `{"measurement":{"kind":"speed"}}` + "\n", ":2: kind \"speed\""},
		{subject + `{"measurement":{"kind":"rate","benchmark":"int_add","ms":-1}}` + "\n", "must be positive"},
		{subject + `{"measurement":{"kind":"rate","benchmark":"int_add","ms":1,"used_sms":1,"setup":{"grid":0}}}` + "\n", "cannot have been launched"},
		{subject + `{"measurement":{"kind":"rate","benchmark":"int_add","ms":1,"setup":{"grid":1}}}` + "\n", "used_sms"},
		{subject + `{"measurement":{"kind":"rate","benchmrk":"int_add"}}` + "\n", "unknown key"},
	} {
		path := logPath(t)
		if err := os.WriteFile(path, []byte(x.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadLog(path)
		contains(t, err, x.want)
	}
	if _, err := ReadLog(logPath(t)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing log: %v", err)
	}
	path := logPath(t)
	if err := os.WriteFile(path, []byte(subject), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := OpenLog(path, &Subject{})
	contains(t, err, "GPU-1", "choose another output")
}

// TestPlans: the short protocol has twenty points and fits nine minutes, and
// no point stands twice; sm_70 has matrix products, too.
func TestPlans(t *testing.T) {
	chip := Chip{CC: 90, SMs: 132, L2Bytes: 60 << 20, MemoryBytes: 140 << 30}
	for _, p := range []Protocol{Quick(), Full()} {
		points, err := Plan(p, chip)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[Point]bool{}
		power := 0
		for _, pt := range points {
			if seen[pt] || pt.Text == "" || pt.ActiveSMs < 0 {
				t.Errorf("%+v stands twice or is not finished", pt)
			}
			seen[pt] = true
			if pt.Kind == Power {
				power++
			}
		}
		c := &Campaign{Session: &Session{Protocol: p}, Log: &Log{}, Points: points}
		t.Logf("%d points, %d of power, %.0f s", len(points), power, c.Seconds())
		if p.PowerPoints == 20 && (power != 20 || c.Seconds() > 9*60) {
			t.Errorf("quick: %d points of power, %g s", power, c.Seconds())
		}
	}
	chip.CC = 70
	points, err := Plan(Full(), chip)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(points, func(pt Point) bool { return pt.Benchmark == "tensor" }) {
		t.Error("sm_70: no matrix products")
	}
	p := Quick()
	p.Only = []string{"int_ad"}
	_, err = Plan(p, chip)
	contains(t, err, "int_ad", "--list")
}

// TestWithNetworks: networks come after the twelve most important points, or
// last where there are fewer.
func TestWithNetworks(t *testing.T) {
	chip := Chip{CC: 90, SMs: 132}
	networks := []Point{{Kind: Power, Benchmark: "net"}}
	for _, x := range []struct{ power, before int }{{20, 12}, {3, 3}, {0, 0}} {
		p := Quick()
		p.PowerPoints = x.power
		points, err := Plan(p, chip)
		if err != nil {
			t.Fatal(err)
		}
		all := WithNetworks(points, networks)
		before := 0
		for _, pt := range all[:slices.IndexFunc(all, func(pt Point) bool { return pt.Benchmark == "net" })] {
			if pt.Kind == Power {
				before++
			}
		}
		if before != x.before || len(all) != len(points)+1 {
			t.Errorf("%d points of power before the network, want %d", before, x.before)
		}
	}
}

// TestFresh: a measurement of another text is left out, and so is one of a
// benchmark that is no more.
func TestFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSynthetic(t)
		p := Quick()
		p.PowerPoints, p.Only = 0, []string{"dp_fma", "int_mad", "int_add"}
		c := s.campaign(logPath(t), p)
		mustRun(t, c)
		list := c.Log.Measurements
		list[0].Text, list[1].Benchmark = "000000000000", "int_mod"
		fresh, stale := c.Log.Fresh()
		if len(fresh.Measurements) != 1 || fresh.Measurements[0] != list[2] || len(stale) != 2 || stale[1] != "int_mod" {
			t.Errorf("%v, left out %v", fresh.Measurements, stale)
		}
	})
}

// TestKnownGPUs: what streams and rings do can be counted on GPUs of each kind;
// the files of all have what that needs.
func TestKnownGPUs(t *testing.T) {
	for product, name := range products {
		if !NewCounter(testGPU(t, name)).Caches {
			t.Errorf("%s: the caches of %s are not known", product, name)
		}
	}
	for _, name := range []string{"t4", "a100-sxm-80gb", "h200", "rtx-4090"} {
		g := testGPU(t, name)
		c := NewCounter(g)
		chip := Chip{CC: 70, SMs: g.SMs.Value, L2Bytes: int64(g.L2.Bytes.Value), MemoryBytes: 16 << 30}
		for benchmark, counter := range map[string]power.Counter{"copy16": power.DRAMRead, "l2": power.L2ReadHit} {
			b, err := Lookup(benchmark)
			if err != nil {
				t.Fatal(err)
			}
			s := b.Setup(chip, 0, 32)
			s.Iterations = 100
			n, err := c.Count(t.Context(), s)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			want := float64(s.threads()) * 100 * map[string]float64{"copy16": 64. / 32, "l2": 128 * 8. / 32}[benchmark]
			if got := n.Launch.Memory[counter]; math.Abs(got-want) > .01*want {
				t.Errorf("%s: %s: %s %g, want %g", name, benchmark, counter, got, want)
			}
		}
	}
}
