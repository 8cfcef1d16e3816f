package nsight

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/csvfile"
)

// wanted are metrics in each kind of unit.
var wanted = Wanted{Hint: "needed are a, b", Units: map[string]Unit{
	"smsp__inst_executed.sum": Inst, "dram__bytes_read.sum": Byte, "gpu__time_duration.sum": Second, "sm__cycles_elapsed.avg.per_second": Hertz,
	"smsp__cycles_active.avg.pct_of_peak_sustained_elapsed": Percent, "idc__requests.sum": Request, "lanes": None,
}}

// longCSV is two launches of a program that prints, a metric a line.
const longCSV = `Epoch 1: "loss" 0.5, Kernel ridge
==PROF== Profiling "k" - 0: 0%....50%....100%

"ID","Process ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name"
"0","7","k(float *, int)","(256, 1, 1)","(100, 2, 1)","Command line","smsp__inst_executed.sum","inst","1,234,000",""
"0","7","k(float *, int)","(256, 1, 1)","(100, 2, 1)","Command line","dram__bytes_read.sum","Mbyte","3.2",""
"0","7","k(float *, int)","(256, 1, 1)","(100, 2, 1)","SpeedOfLight","DRAM Throughput","%","45.1",""
==WARNING== something
"0","7","k(float *, int)","(256, 1, 1)","(100, 2, 1)","SpeedOfLight","","","","SOLBottleneck"
"1","7","j","(32, 1, 1)","(1, 1, 1)","Command line","gpu__time_duration.sum","us","2.5",""
"1","7","j","(32, 1, 1)","(1, 1, 1)","Command line","sm__cycles_elapsed.avg.per_second","cycle/nsecond","1.38",""
"1","7","j","(32, 1, 1)","(1, 1, 1)","Command line","smsp__cycles_active.avg.pct_of_peak_sustained_elapsed","%","50",""
`

// rawCSV is the first launch as --page raw prints it, with a column more.
const rawCSV = `"ID","Kernel Name","Block Size","Grid Size","CC","idc__requests.sum","dram__bytes_read.sum","smsp__inst_executed.sum","lanes"
"","","","","","","Mbyte","Kinst",""
"0","k(float *, int)","(256, 1, 1)","(100, 2, 1)","8.0","12","3.2","1,234.000","31.5"
`

func TestRead(t *testing.T) {
	for _, c := range []struct {
		text string
		want []*Launch
	}{
		{longCSV, []*Launch{
			{ID: "0", Kernel: "k(float *, int)", Invocations: 1, CTAs: 200, BlockThreads: 256, Line: 5, Metrics: []Metric{{"smsp__inst_executed.sum", 1234000}, {"dram__bytes_read.sum", 3.2e6}}},
			{ID: "1", Kernel: "j", Invocations: 1, CTAs: 1, BlockThreads: 32, Line: 10, Metrics: []Metric{{"gpu__time_duration.sum", 2.5e-6},
				{"sm__cycles_elapsed.avg.per_second", 1.38e9}, {"smsp__cycles_active.avg.pct_of_peak_sustained_elapsed", 50}}},
		}},
		{rawCSV, []*Launch{{ID: "0", Kernel: "k(float *, int)", Invocations: 1, CTAs: 200, BlockThreads: 256, Line: 3,
			Metrics: []Metric{{"idc__requests.sum", 12}, {"dram__bytes_read.sum", 3.2e6}, {"smsp__inst_executed.sum", 1234000}, {"lanes", 31.5}}}}},
	} {
		for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n")} {
			got, err := Read("x.csv", []byte(text), wanted, Wanted{})
			if err != nil || len(got) != len(c.want) || !IsNsight([]byte(text)) {
				t.Fatalf("%d launches, %v", len(got), err)
			}
			for i, l := range got {
				for j, m := range l.Metrics {
					if math.Abs(m.Value/c.want[i].Metrics[j].Value-1) < 1e-12 {
						l.Metrics[j].Value = c.want[i].Metrics[j].Value
					}
				}
				c.want[i].Levels = map[string]int{}
				if !reflect.DeepEqual(l, c.want[i]) {
					t.Errorf("%+v, want %+v", l, c.want[i])
				}
			}
		}
	}
}

// nvprofCSV is one kernel on two GPUs, below a table of events.
const nvprofCSV = `==1== NVPROF is profiling process 1
==1== Event result:
"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"
"A (0)","k",2,"warps_launched",1,1,1,2
==1== Metric result:
"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
"A (0)","k",2,"inst_executed","words",100,200,150.000000
"A (0)","k",2,"dram_utilization","words","Low (1)","High (8)","Mid (5)"
"A (0)","k",2,"gld_throughput","words",1GB/s,1GB/s,1GB/s
"B (1)","k",3,"inst_executed","words",7,7,7
`

// TestPassedOver: what nobody wants is named once, with the first launch that has it.
func TestPassedOver(t *testing.T) {
	long, raw := longCSV, rawCSV
	for _, id := range []string{"0", "1"} {
		kernel := map[string]string{"0": "k(float *, int)", "1": "j"}[id]
		long += `"` + id + `","7","` + kernel + `","","","","a__b.sum","inst","1",""` + "\n" + `"` + id + `","7","` + kernel + `","","","","c__` + id + `","inst","1",""` + "\n"
	}
	raw = strings.ReplaceAll(strings.ReplaceAll(raw, `"lanes"`, `"lanes","a__b.sum","c__0"`), `""`+"\n", `"","",""`+"\n")
	raw = strings.ReplaceAll(raw, `"31.5"`, `"31.5","1","2"`) + `"1","j","(32, 1, 1)","(1, 1, 1)","8.0","12","3.2","1,234.000","31.5","1","2"` + "\n"
	for text, second := range map[string][]string{long: {"c__1"}, raw: nil} {
		got, err := Read("x.csv", []byte(text), wanted, Wanted{})
		if err != nil || len(got) != 2 {
			t.Fatalf("%d launches, %v", len(got), err)
		}
		if first := []string{"a__b.sum", "c__0"}; !slices.Equal(got[0].PassedOver, first) || !slices.Equal(got[1].PassedOver, second) {
			t.Errorf("%v, then %v", got[0].PassedOver, got[1].PassedOver)
		}
	}
}

func TestReadNvprof(t *testing.T) {
	nvprof := Wanted{Units: map[string]Unit{"inst_executed": None}}
	got, err := Read("x.csv", []byte(nvprofCSV), wanted, nvprof)
	if err != nil {
		t.Fatal(err)
	}
	want := []*Launch{{Kernel: "k", Device: "A (0)", Invocations: 2, Metrics: []Metric{{"inst_executed", 300}}, Levels: map[string]int{"dram": 5}, Line: 7},
		{Kernel: "k", Device: "B (1)", Invocations: 3, Metrics: []Metric{{"inst_executed", 21}}, Levels: map[string]int{}, Line: 10}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %+v", got[0], got[1])
	}
	if _, err := Read("x.csv", []byte(nvprofCSV), wanted, Wanted{}); err == nil || !strings.Contains(err.Error(), "its columns are not those of ncu") {
		t.Errorf("nvprof's, which is not wanted: %v", err)
	}
}

// TestInvocations: they are counted.
func TestInvocations(t *testing.T) {
	nvprof := Wanted{Units: map[string]Unit{"inst_executed": None}}
	for _, n := range []string{"0", "1.5", "-1", "Inf", "NaN", "1e2", "", "5000000000"} {
		text := strings.Replace(nvprofCSV, `"k",3,`, `"k",`+n+`,`, 1)
		if _, err := Read("x.csv", []byte(text), wanted, nvprof); err == nil || err.Error() != fmt.Sprintf("x.csv: line 10: Invocations is %q: must be a whole number from 1", n) {
			t.Errorf("%s: %v", n, err)
		}
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		unit string
		want Unit
		x    float64 // 0: does not fit
	}{
		{"byte", Byte, 1}, {"Kbyte", Byte, 1e3}, {"Gbyte", Byte, 1e9}, {"Tbyte", Byte, 1e12}, {"byte/second", Byte, 0}, {"", Byte, 0}, {"KB", Byte, 0},
		{"inst", Inst, 1}, {"Minst", Inst, 1e6}, {"", Inst, 1}, {"inst/cycle", Inst, 0}, {"", Request, 1}, {"Krequest", Request, 1e3}, {"", Sector, 0},
		{"ns", Second, 1e-9}, {"nsecond", Second, 1e-9}, {"ms", Second, 1e-3}, {"s", Second, 1}, {"cycle", Second, 0}, {"minute", Second, 0},
		{"Ghz", Hertz, 1e9}, {"hz", Hertz, 1}, {"cycle/nsecond", Hertz, 1e9}, {"cycle/us", Hertz, 1e6}, {"cycle/second", Hertz, 1}, {"cycle", Hertz, 0},
		{"%", Percent, 1}, {"", Percent, 0}, {"", None, 1}, {"us", None, 0}, {" cycle ", Cycle, 1}, {"Gcycle", Cycle, 1e9},
		{"Kinst", Any, 1e3}, {"", Any, 1}, {"register/thread", Any, 1}, {"usecond", Any, 1e-6},
	} {
		x, err := Scale(c.unit, c.want)
		if (err != nil) != (c.x == 0) || c.x != 0 && math.Abs(x/c.x-1) > 1e-12 {
			t.Errorf("%q in %q: %g, %v; want %g", c.unit, c.want, x, err, c.x)
		}
	}
}

func TestNumber(t *testing.T) {
	for cell, want := range map[string]float64{"1": 1, " 12.5 ": 12.5, "1,234": 1234, "12,345,678.25": 12345678.25, "1e9": 1e9,
		"3,2": -1, "1,23,456": -1, ",123": -1, "1234,567": -1, "1.234,5": -1, "": -1, "n/a": -1, "1 234": -1} {
		if x, err := Number(cell); (err != nil) != (want < 0) || err == nil && x != want {
			t.Errorf("%q: %g, %v", cell, x, err)
		}
	}
}

func TestBad(t *testing.T) {
	edit := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	var rows strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "%d,k,smsp__inst_executed.sum,inst,x\n", i)
	}
	const head = "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n"
	for _, c := range []struct{ text, want string }{
		{"", "x.csv: there is no table"},
		{"==PROF== Connected\n\n", "x.csv: there is no table"},
		{"a,b\n", "x.csv: its columns are not those of ncu with one metric a line (ID, Kernel Name, Metric Name, Metric Unit, Metric Value) or, by --page raw,"},
		{head, "x.csv: no kernel stands in it"},
		{head + rows.String(), "and 2 more"},
		{edit(longCSV, "smsp__inst", "smsp_inst"), `x.csv: line 5: unknown metric "smsp_inst_executed.sum"; needed are a, b`},
		{edit(longCSV, "Mbyte", "Mbyte/s"), `x.csv: line 6: dram__bytes_read.sum: its unit is "Mbyte/s", which does not fit: must be byte`},
		{edit(longCSV, `"3.2",""`, `"3.2"`), "x.csv: line 6: has 9 of 10 columns"},
		{edit(longCSV, "(32, 1, 1)", "(32, -1, 1)"), `line 10: Block Size: "(32, -1, 1)": must be numbers from 1`},
		{edit(longCSV, `"2.5"`, `"1e999"`), `line 10: gpu__time_duration.sum of j is "1e999": must be a number`},
		{edit(longCSV, `"2.5"`, `"+Inf"`), `line 10: gpu__time_duration.sum of j is +Inf: counts are finite and not negative`},
		{edit(rawCSV, `"","","",`, `"0","","",`), "x.csv: line 2: the row below the header is no row of units"},
		{edit(rawCSV, `"Kinst",""`, `"Kinst","warp"`), `x.csv: line 2: lanes: its unit is "warp": must be none`},
		{edit(rawCSV, "idc__requests", "idc_requests"), `x.csv: unknown metric "idc_requests.sum"; needed are a, b`},
		{edit(rawCSV, `"lanes"`, `"idc__requests.sum"`), `x.csv: line 3: idc__requests.sum stands there twice for k(float *, int)`},
		{"ID,Kernel Name,CC\n,,\n0,k,8.0\n", "x.csv: none of its columns is a metric that is read; needed are a, b"},
		{strings.Repeat("Kernel\n", 1<<20), "x.csv: its columns are not those"},
		{head + strings.Repeat("x", csvfile.MaxBytes), "x.csv: more than 67108864 bytes"},
	} {
		if _, err := Read("x.csv", []byte(c.text), wanted, Wanted{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}

// TestMany: there is an end to launches.
func TestMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n")
	for i := range MaxLaunches + 2 {
		fmt.Fprintf(&b, "%d,k,,,\n", i)
	}
	_, err := Read("x.csv", []byte(b.String()), wanted, Wanted{})
	if err == nil || err.Error() != "x.csv: line 100002: more than 100000 launches; no further row was read" {
		t.Error(err)
	}
}

// FuzzRead: whatever a file holds, there are launches with finite metrics that
// are not negative, or an error.
func FuzzRead(f *testing.F) {
	for _, s := range []string{longCSV, rawCSV, nvprofCSV} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		launches, err := Read("x", text, wanted, Wanted{Units: map[string]Unit{"inst_executed": None}})
		if (err == nil) != (len(launches) > 0) {
			t.Errorf("%d launches, %v", len(launches), err)
		}
		for _, l := range launches {
			for _, m := range l.Metrics {
				if !(m.Value >= 0) || math.IsInf(m.Value, 0) {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
