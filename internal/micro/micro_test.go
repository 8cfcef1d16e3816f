package micro

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/power"
)

const header = "gpu,power_w,core_mhz,mem_mhz,utilisations_at,util_fp32_add,util_fp32_mul,util_fp32_fma,util_int,util_fp64_add,util_fp64_mul,util_fp64_fma,util_sfu,util_control,util_l2,util_shared,util_dram,util_fp32,util_fp64\n"

// folder is a folder with one table.
func folder(t *testing.T, table string) *Folder {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "measured"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "measured", "t.csv"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	return &Folder{Dir: dir, CTAs: 2, Options: analysis.DefaultOptions(), Note: func(string, ...any) {}}
}

// TestUtilised: utilisations become events a second by the board's peaks; rows whose
// shares cannot be, or hold at other clocks alone, are left out.
func TestUtilised(t *testing.T) {
	runs, err := folder(t, header+
		"Titan V,100,1000,850,1200/850,0,0,0.5,0.25,0,0,0,0,0,0,0.5,0,,\n"+
		"Titan V,40,1000,850,1200/850,0,0,0,0,0,0,0,0,0,0,0,0,,\n"+
		"Titan V,90,1200,850,1200/850,0,0,0,0,0,0,0,0,0,0.3,0,0.6,,\n"+
		"Titan V,90,600,850,1200/850,0,0,0,0,0,0,0,0,0,0.3,0,0.6,,\n"+
		"Titan V,90,1200,850,1200/850,0,0,-5,0,0,0,0,0,0,0.3,0,0.6,,\n"+
		"Titan V,90,1200,700,1200/850,0,0,0.5,0,0,0,0,0,0,0.3,0,0.1,,\n").Read(context.Background())
	if err != nil || len(runs) != 3 {
		t.Fatalf("%v: %d runs", err, len(runs))
	}
	r := runs[0]
	if r.Board != "Titan V" || r.SMs != 80 || r.Idle || !r.Steady || r.ClockMHz != 1000 || r.PowerW != 100 {
		t.Errorf("%+v", r)
	}
	fma, add := 0.5*64*80*1e9, 0.25*64*80*1e9
	for c, want := range map[power.Counter]float64{power.FPMul: fma, power.Int: add, power.TotInst: (fma + add) / 32, power.RegRead: 3*fma + 2*add,
		power.RegWrite: fma + add, power.SharedPass: 0.5 * 80 * 1e9, power.DRAMRead: 0, power.ICacheHit: (fma + add) / 64} {
		if math.Abs(r.Rates[c]-want) > 1e-6*want {
			t.Errorf("%s is %g, want %g", c, r.Rates[c], want)
		}
	}
	if !runs[1].Idle || runs[1].Steady {
		t.Errorf("at rest: %+v", runs[1])
	}
	// A stream: what DRAM moves is what passes the L2.
	if s := runs[2]; math.Abs(s.Rates[power.DRAMRead]-0.6*652.8e9/32) > 1 || math.Abs(s.Rates[power.L2ReadHit]/s.Rates[power.DRAMRead]-1) > 1e-9 {
		t.Errorf("a stream: %g and %g", s.Rates[power.DRAMRead], s.Rates[power.L2ReadHit])
	}
}

// TestLaunches: the events of a launch follow from some of its CTAs.
func TestLaunches(t *testing.T) {
	manifest, err := filepath.Abs("../../ptx-samples/kernels/gemm_tiled.json")
	if err != nil {
		t.Fatal(err)
	}
	table := "gpu,sm_mhz,manifest,launch,scale,time_us,power_w,dram_active\n"
	read := func(ctas int) *power.MicroRun {
		f := folder(t, "")
		name, err := filepath.Rel(f.Dir, manifest)
		if err != nil {
			t.Fatal(err)
		}
		text := table + "V100,1380," + filepath.ToSlash(name) + ",,1,100,90,0.5\n" + "V100,1380,,,1,100,90,0.5\n"
		if err := os.WriteFile(filepath.Join(f.Dir, "measured", "t.csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		f.CTAs = ctas
		runs, err := f.Read(context.Background())
		if err != nil || len(runs) != 1 {
			t.Fatalf("%v: %d runs", err, len(runs))
		}
		return runs[0]
	}
	some, all := read(1), read(1<<20)
	if all.Rates[power.FPMul] == 0 || math.Abs(some.Rates[power.FPMul]/all.Rates[power.FPMul]-1) > 1e-9 {
		t.Errorf("products: %g of a part, %g of the whole", some.Rates[power.FPMul], all.Rates[power.FPMul])
	}
	if want := 0.5 * 900e9 / 32; some.Rates[power.DRAMRead] != want || some.SMs != 80 || some.Steady {
		t.Errorf("%+v", some)
	}
}

// TestBad: what cannot be read says so.
func TestBad(t *testing.T) {
	for table, want := range map[string]string{
		"a,b\n1,2\n": "no table has utilisations or launches",
		header + "GTX 1,100,1000,850,1200/850,0,0,0,0,0,0,0,0,0,0,0,0,,\n":                                   "of which the peak rates are not known",
		header + "Titan V,1x,1000,850,1200/850,0,0,0,0,0,0,0,0,0,0,0,0,,\n":                                  `power_w is "1x": must be a number`,
		header + "Titan V,inf,1000,850,1200/850,0,0,0,0,0,0,0,0,0,0,0,0,,\n":                                 "must be a number",
		"gpu,sm_mhz,manifest,launch,scale,time_us,power_w,dram_active\nV100,1380,none.json,a,1,100,90,0.5\n": "none.json",
	} {
		if _, err := folder(t, table).Read(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if _, err := (&Folder{Dir: t.TempDir(), Note: func(string, ...any) {}}).Read(context.Background()); err == nil {
		t.Error("an empty folder is read")
	}
}
