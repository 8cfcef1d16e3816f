package gpu

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestSpec: a name with changes is that GPU with these numbers, and all others its own.
func TestSpec(t *testing.T) {
	plainly, mine := get(t, "gv100"), get(t, "gv100:sms=160, clock=1000,tdp=300,l2=12M,timing.lsu.miss_entries=99,latency.l2_cycles=250")
	if mine.SMs.Value != 160 || mine.Clock.BoostMHz.Value != 1000 || mine.Power.TDPW.Value != 300 || mine.L2.Bytes.Value != 12<<20 || mine.Latency.L2Cycles.Value != 250 {
		t.Errorf("%+v", mine)
	}
	if mine.Clock.BaseMHz.Value != 1000 || mine.Peak != (Peak{}) || mine.DRAM != plainly.DRAM && *mine.DRAM.BandwidthGBPerS != *plainly.DRAM.BandwidthGBPerS {
		t.Errorf("what follows from the changes: %+v", mine)
	}
	timing, err := mine.Timing()
	if err != nil || timing.LSU.MissEntries != 99 || slices.Contains(timing.Assumed, "lsu.miss_entries") {
		t.Errorf("%v, %v", timing, err)
	}
	if plainly.SMs.Value != 80 || plainly.Given != nil || !strings.HasPrefix(mine.Label(), "gv100:sms=160") || plainly.Label() != "gv100" {
		t.Errorf("the GPU itself has changed: %+v", plainly)
	}
	if s := mine.SMs.Source; s != "given: gv100:sms=160, clock=1000,tdp=300,l2=12M,timing.lsu.miss_entries=99,latency.l2_cycles=250" {
		t.Errorf("source %q", s)
	}
}

// TestSpecClocks: a clock of the SMs leaves the DRAM its time, and one of the DRAM
// changes the bandwidth.
func TestSpecClocks(t *testing.T) {
	before, err := get(t, "v100-pcie").Timing()
	if err != nil {
		t.Fatal(err)
	}
	half, err := get(t, "v100-pcie:clock=690").Timing()
	if err != nil {
		t.Fatal(err)
	}
	if was, is := before.DRAM.LatencyNs-before.L2.LatencyNs, half.DRAM.LatencyNs-half.L2.LatencyNs; math.Abs(was-is) > 0.01 || math.Abs(half.L2.LatencyNs/before.L2.LatencyNs-2) > 0.01 {
		t.Errorf("DRAM adds %g ns, before %g; L2 %g, before %g", is, was, half.L2.LatencyNs, before.L2.LatencyNs)
	}
	row := get(t, "v100-pcie").At(690, 0, "s")
	if cycles, want := row.Latency.DRAMCycles.Value, get(t, "v100-pcie:clock=690").Latency.DRAMCycles.Value; cycles != want || row.Clock.BoostMHz.Value != 690 {
		t.Errorf("DRAM after %g cycles at 690 MHz, want %g", cycles, want)
	}
	if g := get(t, "gtx-1080-ti").At(0, 5000, "s"); math.Abs(g.DRAM.BandwidthGBPerS.Value-440) > 1 || g.DRAM.ClockMHz.Value != 5000 {
		t.Errorf("memory at 5000 MHz: %+v", g.DRAM)
	}
	if g := get(t, "v100-pcie").WithBandwidth(450, "s"); g.DRAM.BandwidthGBPerS.Value != 450 || g.Measured.BMemGBPerS.Value != 394 {
		t.Errorf("450 GB/s: %+v", g.DRAM)
	}
	ti, slow := get(t, "gtx-1080-ti"), get(t, "gtx-1080-ti:mem_clock=5000")
	if got, want := slow.DRAM.BandwidthGBPerS.Value, ti.DRAM.BandwidthGBPerS.Value*5000/ti.DRAM.ClockMHz.Value; math.Abs(got-want) > 0.01 || math.Abs(got-440) > 1 {
		t.Errorf("bandwidth %g, want %g", got, want)
	}
	v, fast := get(t, "v100-pcie"), get(t, "v100-pcie:bandwidth=1800")
	if got := fast.Measured.BMemGBPerS.Value; got != 2*v.Measured.BMemGBPerS.Value {
		t.Errorf("measured bandwidth %g", got)
	}
}

func TestSpecLists(t *testing.T) {
	list, err := List("gv100:sms=160,clock=1400, a100,t4:sms=20,gv100")
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, g := range list {
		labels = append(labels, g.Label())
	}
	if got := strings.Join(labels, " | "); got != "gv100:sms=160,clock=1400 | a100-sxm-80gb | t4:sms=20 | gv100" {
		t.Error(got)
	}
	for spec, want := range map[string]string{
		"gv100:smx=160":                         `unknown key "smx"; known are sms (SMs), clock (`,
		"gv100:sms=":                            "sms has no value",
		"gv100:sms=160,":                        "has an empty name",
		"gv100:sms=160,clock":                   `no GPU is known by the name "clock"`,
		"gv100:sms=-1":                          "sms.value: must be positive, not -1",
		"gv100:sms=1.5":                         "sms.value: must be a whole number",
		"gv100:sms=many":                        `sms.value: must be a number, not the string "many"`,
		"gv101:sms=160":                         `no GPU is known by the name "gv101"`,
		"gv100:name=x":                          `unknown key "name"`,
		"gv100:l2=5":                            "l2.line_bytes.value: 128 is more than l2.bytes, 5",
		"gv100:timing.lsu.misses":               `no GPU is known by the name`,
		"gv100:sms=1,gv100:sms=1":               "has gv100:sms=1 twice",
		"gv100:sms=40,sms=80":                   "GPU gv100: sms is given twice",
		"gv100:clock=1380,clock.boost_mhz=1200": "GPU gv100: clock.boost_mhz is given twice",
		"gv100:dram.banks=4":                    `unknown key "dram.banks"; did you mean timing.dram.banks?`,
		"gv100:sms=nan":                         `GPU gv100: sms is "nan": must be a finite number`,
		"gv100:timing.dram.banks=-inf":          `timing.dram.banks is "-inf": must be a finite number`,
		"gv100:clock=1e308G":                    `clock is "1e308G": must be a finite number`,
	} {
		if _, err := List(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", spec, err, want)
		}
	}
	if spec := (*SpecError)(nil); !errors.As(errOf(List("gv100:smx=1")), &spec) {
		t.Error("an unknown key is none of the user's errors")
	}
}

func TestWithClock(t *testing.T) {
	got := WithClock([]string{"gv100:sms=160", "l2=12M", "a100", "my.json"}, 1200)
	if want := []string{"gv100:sms=160,l2=12M,clock=1200", "a100:clock=1200", "my.json:clock=1200"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func errOf(_ []*GPU, err error) error { return err }
